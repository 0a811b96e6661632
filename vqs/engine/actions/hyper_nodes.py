"""Choose HyperNodes for a job and for its sub-jobs: try those of a tier, and keep the best of what served.

The job is tried in one HyperNode after the other, and in each of them its sub-jobs likewise, below it. Every try is
rolled back, and the best one of the first tier that served is taken again. A job without limits in the network is tried
in the virtual top HyperNode.

The reference walks the HyperNodes of a tier in any order. Here, the one that suits best comes first, and a try that
serves and places every task ends the walk if it is the first to serve: no other suits better, and nothing would be seen
of it. So does one after which all others would certainly serve with the same tasks (`vqs.engine.actions.foresight`).
References: pkg/scheduler/actions/allocate/allocate.go (allocateForJob, allocateForSubJob), recorder.go.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from vqs.engine.actions.foresight import Foresight
from vqs.engine.actions.nomination import place_nominated
from vqs.engine.actions.pending import PendingTasks
from vqs.engine.actions.placer import Placer
from vqs.engine.framework import points
from vqs.engine.framework.order import PriorityQueue, TaskQueue
from vqs.engine.framework.points import Gradients
from vqs.engine.framework.session import Session
from vqs.engine.framework.statement import SavedOperation, Statement
from vqs.engine.framework.topology import TOP
from vqs.engine.framework.trace import HyperNodeTrial, Operation
from vqs.engine.framework.votes import Refusal
from vqs.model.codes import VerdictCode
from vqs.model.job import Job, SubJob
from vqs.model.task import Task, Transaction


@dataclass(slots=True)
class _Solution:
    """What placed a job or sub-job in a HyperNode: the steps, what is left to try, and how well it suits.

    `standing` is the statement where the steps were not rolled back, as there was nothing to compare them with, `alike`
    the HyperNodes after this one in which a try would place the same tasks.
    """

    hyper_node: str
    steps: list[SavedOperation]
    queues: dict[str, TaskQueue]
    score: float
    standing: Statement | None
    trial: HyperNodeTrial
    alike: Collection[str] = ()


@dataclass(slots=True)
class _Part:
    """The statement of a sub-job in a try of its job, and how well its HyperNode suits."""

    statement: Statement
    score: float


@dataclass(slots=True)
class _Try:
    """A try of a job in one HyperNode.

    `most` is how many tasks found a node at a time, `undone` what was rolled back last where no sub-job tells of it.
    """

    job: Job
    hyper_node: str
    most: int = 0
    undone: Sequence[Operation] = ()
    parts: list[_Part] = field(default_factory=list)

    def steps(self) -> list[Operation]:
        """What all sub-jobs were given."""
        return [step for part in self.parts for step in part.statement.operations]


class HyperNodeSearch:
    """Finds HyperNodes for the jobs of one action, and remembers what it decided."""

    def __init__(self, session: Session, placer: Placer) -> None:
        self.session = session
        self.placer = placer
        self._foresight = Foresight(session)
        self._chosen: dict[str, str] = {}
        self._sub_jobs: dict[tuple[str, str], dict[str, str]] = {}
        self._remembered: dict[str, Transaction | None] = {}
        self._numbers = {uid: at for at, uid in enumerate(sorted(session.jobs))}

    def allocate(self, job: Job, pending: PendingTasks) -> Statement:
        """Place a job's tasks in the best HyperNode of the lowest tier that serves; nothing where none does."""
        session = self.session
        self._remembered.clear()
        session.trace.hyper_nodes[job.uid] = []
        gradients = session.plugins.job_gradients(job, TOP)
        self._note_left_out(job, "", gradients)
        for tier in gradients.tiers:
            solutions = self._solutions_for_job(job, pending, tier)
            if not solutions:
                continue
            best = self._best(solutions)
            statement = self._take(job, best)
            if statement is None:
                break
            pending.queues = best.queues
            self._chosen[job.uid] = best.hyper_node
            if session.conf.actions.count(session.trace.action) > 1:
                _keep_pending(job, statement)
            return statement
        if not any(gradients.tiers):
            session.trace.refuse_job(job.uid, Refusal(VerdictCode.NO_HYPER_NODE, _plugin(gradients)))
        return Statement(session, job)

    def settle(self, job: Job) -> None:
        """Take note, on a job and its sub-jobs, of the HyperNodes that a committed statement chose."""
        topology, chosen = self.session.topology, self._chosen[job.uid]
        job.allocated_hyper_node = topology.lowest_common(job.allocated_hyper_node, chosen)
        for uid, hyper_node in self._sub_jobs.get((job.uid, chosen), {}).items():
            sub_job = job.sub_jobs[uid]
            sub_job.allocated_hyper_node = topology.lowest_common(sub_job.allocated_hyper_node, hyper_node)
            sub_job.nominated_hyper_node = ""

    # --- jobs --------------------------------------------------------------------------------------------------------

    def _solutions_for_job(self, job: Job, pending: PendingTasks, tier: Sequence[str]) -> list[_Solution]:
        """Try a job in the HyperNodes of a tier; where sub-jobs choose below them, how well one suits shows then."""
        names = self._in_order(str(self._numbers[job.uid]), tier)
        if not self.session.chooses_below(job) and not self.session.plugins.is_answered(points.RESERVE):
            scores = self.session.plugins.hyper_node_scores
            sub_job = job.sub_jobs[job.uid]
            by_score = {name: float(scores(sub_job, [name])[0]) for name in names}
            names.sort(key=lambda name: -by_score[name])
        solutions: list[_Solution] = []
        in_vain = self._in_vain(job, pending, names)
        for at, name in enumerate(names):
            if name in in_vain:
                self.session.trace.hyper_nodes[job.uid].append(HyperNodeTrial(name, placed=0))
                continue
            if solutions and name in solutions[0].alike:
                job.forget_fit_errors()  # nothing else would be left of a try
                continue
            found = self._try_job(job, pending, name, None if solutions else names[at + 1 :], alone=len(tier) == 1)
            if found is not None:
                solutions.append(found)
                if found.standing is not None:
                    break
        return solutions

    def _in_order(self, tried: str, hyper_nodes: Sequence[str]) -> list[str]:
        """Return HyperNodes by name, or in an order that the seed draws; of equals, the first one is taken."""
        breaker = self.session.tie_breaker
        return list(hyper_nodes) if breaker is None else breaker.in_any_order(f"HyperNodes of {tried}", hyper_nodes)

    def _drawn_for(self, job: Job, sub_job: SubJob) -> str:
        """Tell apart what is drawn for a sub-job, by numbers: other names draw the same."""
        return f"{self._numbers[job.uid]}/{list(job.sub_jobs).index(sub_job.uid)}"

    def _apart(self, what: str) -> AbstractContextManager[None]:
        breaker = self.session.tie_breaker
        return nullcontext() if breaker is None else breaker.apart(what)

    def _try_job(
        self, job: Job, pending: PendingTasks, hyper_node: str, rest: Sequence[str] | None, *, alone: bool
    ) -> _Solution | None:
        """Try a job in a HyperNode, sub-job by sub-job until it is ready; tell what came of it, if it served.

        `rest` are the HyperNodes that are left, None where another one has served already.
        """
        session = self.session
        job.forget_fit_errors()
        held = [(each, each.allocated_hyper_node) for each in job.sub_jobs.values()]
        attempt = _Try(job, hyper_node)
        queues = {uid: queue.copy() for uid, queue in pending.queues.items()}
        waiting = PriorityQueue(lambda each: pending.key(session, each), [job.sub_jobs[uid] for uid in queues])
        while waiting:
            sub_job = waiting.pop()
            if not self._try_sub_job(attempt, sub_job, queues):
                continue
            if queues[sub_job.uid]:
                waiting.push(sub_job)
            if session.plugins.job_ready(job):
                break
        for sub_job, before in held:
            sub_job.allocated_hyper_node = before
        left = {sub_job.uid: queues[sub_job.uid] for sub_job in waiting}
        alike = None if alone or rest is None else self._alike(attempt, pending, queues, rest)
        found = self._finish(attempt, left, alone=alone or (alike is not None and len(alike) == len(rest or ())))
        if found is not None and alike is not None:
            found.alike = alike
        return found

    def _in_vain(self, job: Job, pending: PendingTasks, hyper_nodes: Sequence[str]) -> set[str]:
        """The HyperNodes that would certainly take no task, but for the last one, whose reasons are kept."""
        if len(hyper_nodes) == 1 or self.session.chooses_below(job):
            return set()
        if not (self._foresees(job) and self._cuts_short(job)):
            return set()
        tasks = [task for queue in pending.queues.values() for task in queue]
        return set(self._foresight.refusing(tasks, hyper_nodes)[:-1])

    def _alike(
        self, attempt: _Try, pending: PendingTasks, queues: Mapping[str, TaskQueue], rest: Sequence[str]
    ) -> Collection[str] | None:
        """Those HyperNodes of the rest where tries would leave nothing behind; None where all have to be tried.

        These are all where this one, the first to serve, took every task, else those that would take the same tasks.
        """
        job, steps = attempt.job, attempt.steps()
        if self.session.chooses_below(job) or not self._cuts_short(job):
            return None
        if len(steps) == sum(map(len, pending.queues.values())):
            return rest
        popped = sum(len(queue) - len(queues[uid]) for uid, queue in pending.queues.items())
        if len(steps) != popped or not self._foresees(job):
            return None
        return self._foresight.alike(steps, rest)

    def _foresees(self, job: Job) -> bool:
        """True if it may be certain what tries of a job come to; one that was promised room looks for it first."""
        return self._foresight.is_certain and not any(each.nominated_hyper_node for each in job.sub_jobs.values())

    def _finish(self, attempt: _Try, left: dict[str, TaskQueue], *, alone: bool) -> _Solution | None:
        """Keep what a try came to if the job is or will be complete, and roll it back unless it stands alone."""
        session, job = self.session, attempt.job
        whole = Statement(session, job)
        whole.operations = attempt.steps()
        trial = HyperNodeTrial(attempt.hyper_node, placed=max(attempt.most, len(whole.operations)))
        session.trace.hyper_nodes[job.uid].append(trial)
        if not whole.operations:
            session.trace.end_trial(job.uid, _shown(attempt.hyper_node), attempt.undone)
            return None
        serves = session.plugins.job_ready(job) or session.plugins.job_pipelined(job)
        stands = serves and alone
        steps = whole.save() if serves and not stands else []
        if not stands:
            whole.undo()
            session.trace.end_trial(job.uid, _shown(attempt.hyper_node), whole.operations)
        if not serves:
            return None
        trial.score = sum(part.score for part in attempt.parts)
        return _Solution(attempt.hyper_node, steps, left, trial.score, whole if stands else None, trial)

    # --- sub-jobs ----------------------------------------------------------------------------------------------------

    def _try_sub_job(self, attempt: _Try, sub_job: SubJob, queues: dict[str, TaskQueue]) -> bool:
        """Place a sub-job in the best HyperNode of the lowest tier that serves; tell whether anything was placed."""
        session, job = self.session, attempt.job
        if sub_job.nominated_hyper_node and self._try_nomination(attempt, sub_job, queues[sub_job.uid]):
            return True
        gradients = session.plugins.sub_job_gradients(job, sub_job, attempt.hyper_node)
        if job.has_sub_group_policy:
            self._note_left_out(job, sub_job.uid, gradients)
        for tier in gradients.tiers:
            solutions = self._solutions_for_sub_job(attempt, sub_job, queues[sub_job.uid], tier)
            if not solutions:
                continue
            best = self._best(solutions)
            statement = self._take(job, best)
            if statement is None:
                return False
            topology = session.topology
            sub_job.allocated_hyper_node = topology.lowest_common(sub_job.allocated_hyper_node, best.hyper_node)
            decided = self._sub_jobs.setdefault((job.uid, attempt.hyper_node), {})
            decided[sub_job.uid] = sub_job.allocated_hyper_node
            queues[sub_job.uid] = best.queues[sub_job.uid]
            attempt.parts.append(_Part(statement, best.score))
            return True
        return False

    def _try_nomination(self, attempt: _Try, sub_job: SubJob, tasks: TaskQueue) -> bool:
        """Place a sub-job where an earlier action promised it room; tell whether that is possible."""
        statement = Statement(self.session, attempt.job)
        if not place_nominated(statement, sub_job, tasks):
            return False
        self._sub_jobs.setdefault((attempt.job.uid, attempt.hyper_node), {})[sub_job.uid] = sub_job.allocated_hyper_node
        attempt.parts.append(_Part(statement, 0.0))
        return bool(statement.operations)

    def _solutions_for_sub_job(
        self, attempt: _Try, sub_job: SubJob, tasks: TaskQueue, tier: Sequence[str]
    ) -> list[_Solution]:
        """Try a sub-job in the HyperNodes of a tier; how well one suits depends on what it is compared with."""
        left, solutions = self._in_order(self._drawn_for(attempt.job, sub_job), tier), list[_Solution]()
        while left:
            scores = self.session.plugins.hyper_node_scores(sub_job, left)
            best = int(scores.argmax())
            name = left.pop(best)
            found = self._try_tasks(attempt, sub_job, tasks, name, alone=len(tier) == 1, first=not solutions)
            if found is None:
                continue
            found.score = found.trial.score = float(scores[best])
            solutions.append(found)
            if found.standing is not None:
                return solutions
        if len(solutions) > 1:
            self._score(sub_job, solutions)
        return solutions

    def _cuts_short(self, job: Job) -> bool:
        """True if the walk may end before all are tried; the story of a job that is followed has every try.

        What a plugin reserves may fail, and a try that failed leaves something behind.
        """
        session = self.session
        reserves = session.plugins.is_answered(points.RESERVE)
        return job.uid not in session.trace.followed and not session.options.watch and not reserves

    def _try_tasks(
        self, attempt: _Try, sub_job: SubJob, tasks: TaskQueue, hyper_node: str, *, alone: bool, first: bool
    ) -> _Solution | None:
        """Try a sub-job's tasks on the nodes of a HyperNode; tell what came of it, if it served."""
        session, job = self.session, attempt.job
        job.forget_fit_errors(sub_job)
        trial = HyperNodeTrial(hyper_node, sub_job.uid)
        if job.has_sub_group_policy and hyper_node != TOP:
            session.trace.hyper_nodes[job.uid].append(trial)
        if not len(session.topology.members[hyper_node]):
            trial.refusal = Refusal(VerdictCode.NO_HYPER_NODE, text="it has no nodes")
            return None
        left = tasks.copy()
        statement = Statement(session, job)
        drawn_for = f"{self._drawn_for(job, sub_job)} in {session.topology.number[hyper_node]}, having {job.ready}"
        with self._apart(drawn_for):
            self.placer.place(statement, sub_job, left, hyper_node)
        trial.placed = len(statement.operations)
        attempt.most = max(attempt.most, trial.placed)
        serves = session.plugins.sub_job_ready(job, sub_job) or session.plugins.sub_job_pipelined(job, sub_job)
        whole = len(statement.operations) == len(tasks)
        stands = serves and (alone or (first and whole and self._cuts_short(job)))
        steps = self._saved(statement) if serves and not stands else []
        if not stands:
            self._roll_back(statement)
            if job.has_sub_group_policy:
                session.trace.end_trial(job.uid, _shown(hyper_node), statement.operations)
            else:
                attempt.undone = statement.operations
        else:
            self._restore_memory(statement)
        if not serves or not statement.operations:
            return None
        return _Solution(hyper_node, steps, {sub_job.uid: left}, 0.0, statement if stands else None, trial)

    def _score(self, sub_job: SubJob, solutions: Sequence[_Solution]) -> None:
        """Score solutions against each other; what did not serve does not count."""
        scores = self.session.plugins.hyper_node_scores(sub_job, [each.hyper_node for each in solutions])
        for each, score in zip(solutions, scores.tolist(), strict=True):
            each.score = each.trial.score = score

    # --- what was found ----------------------------------------------------------------------------------------------

    def _best(self, solutions: Sequence[_Solution]) -> _Solution:
        highest = max(each.score for each in solutions)
        return next(each for each in solutions if each.score == highest)

    def _take(self, job: Job, solution: _Solution) -> Statement | None:
        """The statement of a solution, with its steps taken again; None where one fails."""
        solution.trial.chosen = True
        if solution.standing is not None:
            return solution.standing
        statement = Statement(self.session, job)
        return statement if statement.recover(solution.steps) else None

    # --- what tasks remember -----------------------------------------------------------------------------------------
    # The reference takes saved steps again with copies of the tasks, made before the try was rolled back; so, what a
    # kept task remembers is what it did before the try, and each try begins with the tasks themselves.

    def _memory(self, task: Task) -> Transaction | None:
        return self._remembered.get(task.uid, task.last_transaction)

    def _saved(self, statement: Statement) -> list[SavedOperation]:
        return [step._replace(last_transaction=self._memory(step.operation.task)) for step in statement.save()]

    def _restore_memory(self, statement: Statement) -> None:
        for step in statement.operations:
            task = step.task
            task.last_transaction = self._memory(task)
            self._remembered[task.uid] = Transaction(task.status, task.node, eviction_occurred=False)

    def _roll_back(self, statement: Statement) -> None:
        statement.undo()
        for step in statement.operations:
            self._remembered[step.task.uid] = step.task.last_transaction

    def _note_left_out(self, job: Job, sub_job: str, gradients: Gradients) -> None:
        self.session.trace.hyper_nodes[job.uid] += [
            HyperNodeTrial(name, sub_job, refusal=refusal) for name, refusal in gradients.left_out.items()
        ]


def _keep_pending(job: Job, statement: Statement) -> None:
    """Keep what was placed among the pending tasks of its sub-job, for the action to find when it runs again.

    The reference takes steps again with copies of the tasks, and looks for these under the status of the copy: what is
    pending is not found there, and stays. References: framework/statement.go (SaveOperations), api/job_info.go
    (DeleteTaskInfo).
    """
    for step in statement.operations:
        job.sub_job_of[step.task.uid].keep_pending(step.task.twin())


def _shown(hyper_node: str) -> str:
    """The name of a HyperNode that there is, empty for the virtual top one."""
    return "" if hyper_node == TOP else hyper_node


def _plugin(gradients: Gradients) -> str:
    """The plugin that left HyperNodes out; empty where none was."""
    return next((refusal.plugin for refusal in gradients.left_out.values()), "")
