"""backfill: place the tasks that ask for no resources. No gang is waited for, no queue's limit is looked at.

The argument `predicateErrorCacheEnable` of the action is not read, as it has no effect: each task has an error cache of
its own. Reference: pkg/scheduler/actions/backfill/backfill.go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from vqs.engine.actions.placer import best_node, note_uncompared, refused_by_all, watch
from vqs.engine.framework.order import queues_and_jobs, sort_tasks
from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import Op, Operation, StatementResult
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.reasons import FITS
from vqs.model.codes import VerdictCode
from vqs.model.job import FitErrors, Job, Task, TaskStatus
from vqs.model.resource import CPU, MEMORY, Resource

NAME = "backfill"


class Backfill:
    """Take the best-effort tasks in the order of queues, jobs and tasks."""

    def execute(self, session: Session) -> None:
        """Run the action."""
        tasks = list(_tasks(session))
        self.unbound: defaultdict[str, dict[str, Task]] = defaultdict(dict)
        for job in session.jobs.values():
            for task in job.having(TaskStatus.Allocated).values():
                self.unbound[task.node or ""][task.uid] = task
        for task in tasks:
            self._place(session, session.jobs[task.job], task)

    def _place(self, session: Session, job: Job, task: Task) -> None:
        if refused_by_all(session, job, task):
            return
        fit = session.fit(task)
        session.note_search(task, np.ones(len(session.nodes), np.bool_))
        found = None
        if session.sampler is not None:
            found = session.sampler.search(fit.codes == FITS, session.in_list(np.arange(len(session.nodes)))).found
        choice = best_node(session, fit, found)
        watch(session, task, fit, fit.codes, choice)
        if choice is None and (fit.codes == FITS).any():
            note_uncompared(session, task)  # here, the reference takes a node all the same: none, and crashes
            return
        if choice is None:
            session.refuse(job, task, Refusal(VerdictCode.NO_NODE_FITS), session.fit_errors(fit.codes), fit.codes)
            return
        session.place(task, choice.node, TaskStatus.Allocated)
        self.unbound[task.node or ""][task.uid] = task
        session.trace.place(task, choice.ties)
        bound = session.plugins.job_ready(job) and self._bind(session, job, task)
        operation = Operation(Op.ALLOCATE, task, session.nodes.names[choice.node])
        session.trace.finish(job.uid, StatementResult.COMMIT if bound else StatementResult.KEEP, [operation])

    def _bind(self, session: Session, job: Job, task: Task) -> bool:
        """Bind all of a job's tasks that have a node, up to the first whose node turns out to have less than nothing.

        A best-effort task was not compared with its node before, so that this happens on an overcommitted one.
        Reference: pkg/scheduler/cache/cache.go (AddBindTask), pkg/scheduler/api/node_info.go (AddTask).
        """
        for allocated in list(job.having(TaskStatus.Allocated).values()):
            waiting = self.unbound[allocated.node or ""]
            lacking: list[str] = []
            idle = session.nodes.idle[:, session.nodes.index[allocated.node or ""]]
            if (idle < 0).any():  # so it is found when a task is bound, and those not bound yet are not counted
                available = idle + sum(session.nodes.vectors[each.shape] for each in waiting.values())
                scalars = dict(zip(session.nodes.resources, available.tolist(), strict=True))
                lacking = allocated.request.lacking(Resource(scalars.pop(CPU), scalars.pop(MEMORY), scalars))
            if lacking:
                text = f"node {allocated.node} is overcommitted: it has too little {', '.join(lacking)} for {task.name}"
                session.refuse(job, task, Refusal(VerdictCode.BIND_FAILED, text=text), FitErrors(1, {text: 1}))
                return False
            job.set_status(allocated, TaskStatus.Binding)
            del waiting[allocated.uid]
        return True


def _tasks(session: Session) -> Iterator[Task]:
    """Yield the best-effort tasks that are pending; those promised a node before are free again."""
    to_try: list[Job] = []
    for job in session.jobs.values():
        if job.is_pending():
            continue
        refusal = session.plugins.job_valid(job)
        if refusal is not None:
            session.trace.refuse_job(job.uid, refusal)
            continue
        for task in [task for task in job.having(TaskStatus.Pipelined).values() if task.best_effort]:
            session.displace(task)
        if _waiting(job):
            to_try.append(job)
    queues, by_queue = queues_and_jobs(session, to_try)
    while queues:
        jobs = by_queue[queues.pop().name]
        while jobs:
            tasks = sort_tasks(session, _waiting(jobs.pop()))
            while tasks:
                yield tasks.pop()


def _waiting(job: Job) -> list[Task]:
    return [t for t in job.having(TaskStatus.Pending).values() if t.best_effort and not t.scheduling_gated]
