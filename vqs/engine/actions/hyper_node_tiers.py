"""Choose a HyperNode for a job with a tier limit as releases did before plugins chose: try all of a tier.

The job is tried in each HyperNode of the lowest tier, then of the next one, up to its limit. Every try is rolled back,
and of those of the first tier that served, the one is taken again whose nodes were scored highest in all. A HyperNode
that would take the job beyond its limit, together with the one that holds what was placed before, is left out.

As in those releases, a gang that is only complete once resources are released keeps the places that it was promised; no
other HyperNode is tried then.
Reference: pkg/scheduler/actions/allocate/allocate.go of v1.13 (allocateResourceForTasksWithTopology).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from vqs.engine.actions.pending import PendingTasks
from vqs.engine.actions.placer import Placer
from vqs.engine.framework.order import TaskQueue
from vqs.engine.framework.session import Session
from vqs.engine.framework.statement import SavedOperation, Statement
from vqs.engine.framework.trace import HyperNodeTrial, StatementResult
from vqs.engine.framework.votes import Refusal
from vqs.model.codes import VerdictCode
from vqs.model.job import Job


@dataclass(slots=True)
class _Solution:
    """What placed a job in a HyperNode: the steps, what is left to try, and where all that was placed is then."""

    trial: HyperNodeTrial
    steps: list[SavedOperation]
    left: TaskQueue
    held: str


class TierSearch:
    """Finds HyperNodes for the jobs of one action; `scores` add up over all tries of a job."""

    def __init__(self, session: Session, placer: Placer) -> None:
        self.session = session
        self.placer = placer
        self.scores: defaultdict[tuple[str, str], float] = defaultdict(float)

    def allocate(self, job: Job, pending: PendingTasks) -> StatementResult:
        """Place a job's tasks in the best HyperNode of the lowest tier that serves; tell what came of it."""
        session = self.session
        session.trace.hyper_nodes[job.uid] = []
        for tier in self._tiers(job):
            solutions = []
            for name in self._in_order(job, tier):
                found = self._try(job, pending, name)
                if isinstance(found, StatementResult):
                    return found
                solutions += found
            if solutions:
                return self._take(job, pending, solutions)
        if not session.trace.hyper_nodes[job.uid]:
            session.trace.refuse_job(job.uid, Refusal(VerdictCode.NO_HYPER_NODE, text="none is of a tier so low"))
        return StatementResult.DISCARD

    def _tiers(self, job: Job) -> Iterator[int]:
        limit = None if job.topology is None else job.topology.limit
        return (tier for tier in self.session.topology.tiers if limit is not None and tier <= limit)

    def _in_order(self, job: Job, tier: int) -> list[str]:
        """The HyperNodes of a tier by name, or in an order that the seed draws."""
        names, breaker = self.session.topology.of_tier(tier), self.session.tie_breaker
        number = list(self.session.jobs).index(job.uid)
        return names if breaker is None else breaker.in_any_order(f"HyperNodes of {number}", names)

    def _try(self, job: Job, pending: PendingTasks, name: str) -> list[_Solution] | StatementResult:
        """Try a job in a HyperNode; return what served, or that the job keeps what it was promised."""
        session, topology = self.session, self.session.topology
        trial = HyperNodeTrial(name)
        session.trace.hyper_nodes[job.uid].append(trial)
        held = topology.lowest_common(name, job.allocated_hyper_node)
        limit = None if job.topology is None else job.topology.limit
        if held not in topology.by_name or limit is None or topology.by_name[held].tier > limit:
            text = f"no HyperNode of an allowed tier holds it and {job.allocated_hyper_node}"
            trial.refusal = Refusal(VerdictCode.NO_HYPER_NODE, text=text)
            return []
        job.forget_fit_errors()
        left = pending.queues[job.uid].copy()
        statement = Statement(session, job)
        self.placer.place(statement, job.sub_jobs.get(job.uid, job), left, name)
        self.scores[job.uid, name] += self.placer.score
        trial.placed, trial.score = len(statement.operations), self.scores[job.uid, name]
        if not session.plugins.job_ready(job) and session.plugins.job_pipelined(job):
            statement.end(StatementResult.KEEP)
            pending.queues[job.uid] = left
            return StatementResult.KEEP
        serves = bool(statement.operations) and session.plugins.job_ready(job)
        steps = statement.save() if serves else []
        statement.undo()
        session.trace.end_trial(job.uid, name, statement.operations)
        return [_Solution(trial, steps, left, held)] if serves else []

    def _take(self, job: Job, pending: PendingTasks, solutions: list[_Solution]) -> StatementResult:
        """Take the steps of the best solution again, and commit them; of equals, the reference takes any."""
        best = max(reversed(solutions), key=lambda each: each.trial.score or 0.0)
        best.trial.chosen = True
        statement = Statement(self.session, job)
        if not statement.recover(best.steps):
            statement.end(StatementResult.DISCARD)
            return StatementResult.DISCARD
        statement.end(StatementResult.COMMIT)
        pending.queues[job.uid] = best.left
        job.allocated_hyper_node = best.held
        for sub_job in job.sub_jobs.values():
            sub_job.allocated_hyper_node = best.held
        return StatementResult.COMMIT
