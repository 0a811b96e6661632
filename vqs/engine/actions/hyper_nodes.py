"""Choose HyperNodes for a job and for its sub-jobs: try those of a tier, and keep the best of what served.

The job is tried in one HyperNode after the other, and in each of them its sub-jobs likewise, below it. Every try is
rolled back, and the best one of the first tier that served is taken again. A job without limits in the network is tried
in the virtual top HyperNode.

The reference walks the HyperNodes of a tier in any order. Here, the one that suits best comes first, and a try that
serves and places every task ends the walk if it is the first to serve: no other suits better, and nothing would be seen
of it. So does one after which all others would certainly serve with the same tasks (`Foresight`).
References: pkg/scheduler/actions/allocate/allocate.go (allocateForJob, allocateForSubJob), recorder.go.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from vqs.engine.actions.placer import Placer, place_nominated
from vqs.engine.framework import points
from vqs.engine.framework.order import PendingTasks, PriorityQueue, TaskQueue
from vqs.engine.framework.points import Gradients
from vqs.engine.framework.session import SavedOperation, Session, Statement
from vqs.engine.framework.topology import TOP
from vqs.engine.framework.trace import HyperNodeTrial, Op, Operation, StatementResult
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.class_scores import KnownStates, NodeFit
from vqs.engine.nodes.reasons import FITS
from vqs.engine.nodes.table import Integers, Masks
from vqs.model.codes import VerdictCode
from vqs.model.job import Job, SubJob, Task, Transaction


@dataclass(slots=True)
class _Solution:
    """What placed a job or sub-job in a HyperNode: the steps, what is left to try, and how well it suits.

    `kept` is the statement where the steps were not rolled back, as there was nothing to compare them with, `alike`
    the HyperNodes after this one in which a try would place the same tasks.
    """

    hyper_node: str
    steps: list[SavedOperation]
    queues: dict[str, TaskQueue]
    score: float
    kept: Statement | None
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
            best = max(solutions, key=lambda each: each.score)
            statement = self._take(job, best)
            if statement is None:
                break
            pending.queues = best.queues
            self._chosen[job.uid] = best.hyper_node
            if session.conf.actions.count(session.trace.action) > 1:
                # What was placed stays among the pending tasks of its sub-job, for the action to find when it runs
                # again: the reference takes steps again with copies of the tasks, and looks for these under the status
                # of the copy. References: framework/statement.go (SaveOperations), api/job_info.go (DeleteTaskInfo).
                for step in statement.operations:
                    job.sub_job_of[step.task.uid].keep_pending(step.task.twin())
            return statement
        if not any(gradients.tiers):
            plugin = next((refusal.plugin for refusal in gradients.left_out.values()), "")
            session.trace.refuse_job(job.uid, Refusal(VerdictCode.NO_HYPER_NODE, plugin))
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
        refusing = self._refusing_all(job, pending, names)
        for at, name in enumerate(names):
            if name in refusing:
                self.session.trace.hyper_nodes[job.uid].append(HyperNodeTrial(name, placed=0))
                continue
            if solutions and name in solutions[0].alike:
                job.forget_fit_errors()  # nothing else would be left of a try
                continue
            found = self._try_job(job, pending, name, None if solutions else names[at + 1 :], alone=len(tier) == 1)
            if found is not None:
                solutions.append(found)
                if found.kept is not None:
                    break
        return solutions

    def _in_order(self, tried: str, hyper_nodes: Sequence[str]) -> list[str]:
        """HyperNodes by name, or in an order that the seed draws; of equals, the first one is taken."""
        breaker = self.session.tie_breaker
        return list(hyper_nodes) if breaker is None else breaker.in_any_order(f"HyperNodes of {tried}", hyper_nodes)

    def _drawn_for(self, job: Job, sub_job: SubJob) -> str:
        """Tell apart what is drawn for a sub-job, by numbers: other names draw the same."""
        return f"{self._numbers[job.uid]}/{list(job.sub_jobs).index(sub_job.uid)}"

    def _try_job(
        self, job: Job, pending: PendingTasks, hyper_node: str, rest: Sequence[str] | None, *, alone: bool
    ) -> _Solution | None:
        """Try a job in a HyperNode, sub-job by sub-job until it is ready; the solution, if it served.

        `rest` are the HyperNodes that are left, None where another one has served already.
        """
        session = self.session
        job.forget_fit_errors()
        held = [(each, each.allocated_hyper_node) for each in job.sub_jobs.values()]
        attempt = _Try(job, hyper_node)
        queues = {uid: queue.copy() for uid, queue in pending.queues.items()}
        waiting = PriorityQueue(lambda each: pending.key(session, each), map(job.sub_jobs.__getitem__, queues))
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
        alike = None if alone else self._alike(attempt, pending, queues, rest)
        found = self._finish(attempt, left, alone=alone or (alike is not None and len(alike) == len(rest or ())))
        if found is not None and alike is not None:
            found.alike = alike
        return found

    def _refusing_all(self, job: Job, pending: PendingTasks, hyper_nodes: Sequence[str]) -> set[str]:
        """The HyperNodes that would certainly take no task, but for the last one, whose reasons are kept."""
        if len(hyper_nodes) == 1 or self.session.chooses_below(job):
            return set()
        if not (self._foresees(job) and self._cuts_short(job)):
            return set()
        tasks = [task for queue in pending.queues.values() for task in queue]
        return set(self._foresight.refusing(tasks, hyper_nodes)[:-1])

    def _alike(
        self, attempt: _Try, pending: PendingTasks, queues: Mapping[str, TaskQueue], rest: Sequence[str] | None
    ) -> Collection[str] | None:
        """Those HyperNodes of the rest where tries would leave nothing behind; None where all have to be tried.

        These are all where this one, the first to serve, took every task, else those that would take the same tasks.
        """
        job, steps = attempt.job, attempt.steps()
        if rest is None or self.session.chooses_below(job) or not self._cuts_short(job):
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
        """Place a sub-job in the best HyperNode of the lowest tier that serves; True if anything was placed."""
        session, job = self.session, attempt.job
        decided = self._sub_jobs.setdefault((job.uid, attempt.hyper_node), {})
        promised = Statement(session, job)
        if sub_job.nominated_hyper_node and place_nominated(promised, sub_job, queues[sub_job.uid]):
            decided[sub_job.uid] = sub_job.allocated_hyper_node
            attempt.parts.append(_Part(promised, 0.0))
            if promised.operations:
                return True
        gradients = session.plugins.sub_job_gradients(job, sub_job, attempt.hyper_node)
        if job.has_sub_group_policy:
            self._note_left_out(job, sub_job.uid, gradients)
        for tier in gradients.tiers:
            solutions = self._solutions_for_sub_job(attempt, sub_job, queues[sub_job.uid], tier)
            if not solutions:
                continue
            best = max(solutions, key=lambda each: each.score)
            statement = self._take(job, best)
            if statement is None:
                return False
            topology = session.topology
            sub_job.allocated_hyper_node = topology.lowest_common(sub_job.allocated_hyper_node, best.hyper_node)
            decided[sub_job.uid] = sub_job.allocated_hyper_node
            queues[sub_job.uid] = best.queues[sub_job.uid]
            attempt.parts.append(_Part(statement, best.score))
            return True
        return False

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
            if found.kept is not None:
                return solutions
        if len(solutions) > 1:  # they are scored against each other; what did not serve does not count
            scores = self.session.plugins.hyper_node_scores(sub_job, [each.hyper_node for each in solutions])
            for each, score in zip(solutions, scores.tolist(), strict=True):
                each.score = each.trial.score = score
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
        """Try a sub-job's tasks on the nodes of a HyperNode; the solution, if it served."""
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
        breaker = session.tie_breaker
        with nullcontext() if breaker is None else breaker.apart(drawn_for):
            self.placer.place(statement, sub_job, left, hyper_node)
        trial.placed = len(statement.operations)
        attempt.most = max(attempt.most, trial.placed)
        serves = session.plugins.sub_job_ready(job, sub_job) or session.plugins.sub_job_pipelined(job, sub_job)
        whole = len(statement.operations) == len(tasks)
        stands = serves and (alone or (first and whole and self._cuts_short(job)))
        steps = self._end(attempt, hyper_node, statement, serves=serves, stands=stands)
        if not (serves and statement.operations):
            return None
        return _Solution(hyper_node, steps, {sub_job.uid: left}, 0.0, statement if stands else None, trial)

    def _end(
        self, attempt: _Try, hyper_node: str, statement: Statement, *, serves: bool, stands: bool
    ) -> list[SavedOperation]:
        """Undo a try unless it stands, remember its tasks' last transactions, and return the steps to take again."""
        steps = []
        for step in statement.save() if serves and not stands else ():
            task = step.operation.task
            steps.append(step._replace(last_transaction=self._remembered.get(task.uid, task.last_transaction)))
        if not stands:
            statement.undo()
        for task in [operation.task for operation in statement.operations]:
            last = task.last_transaction
            if stands:
                task.last_transaction = self._remembered.get(task.uid, last)
                last = Transaction(task.status, task.node, eviction_occurred=False)
            self._remembered[task.uid] = last
        if not stands and attempt.job.has_sub_group_policy:
            self.session.trace.end_trial(attempt.job.uid, _shown(hyper_node), statement.operations)
        elif not stands:
            attempt.undone = statement.operations
        return steps

    # --- what was found ----------------------------------------------------------------------------------------------

    def _take(self, job: Job, solution: _Solution) -> Statement | None:
        """The statement of a solution, with its steps taken again; None where one fails."""
        solution.trial.chosen = True
        if solution.kept is not None:
            return solution.kept
        statement = Statement(self.session, job)
        return statement if statement.recover(solution.steps) else None

    # --- what tasks remember -----------------------------------------------------------------------------------------
    # The reference takes saved steps again with copies of the tasks, made before the try was rolled back; so, what a
    # kept task remembers is what it did before the try, and each try begins with the tasks themselves.

    def _note_left_out(self, job: Job, sub_job: str, gradients: Gradients) -> None:
        self.session.trace.hyper_nodes[job.uid] += [
            HyperNodeTrial(name, sub_job, refusal=refusal) for name, refusal in gradients.left_out.items()
        ]


def _shown(hyper_node: str) -> str:
    """The name of a HyperNode that there is, empty for the virtual top one."""
    return "" if hyper_node == TOP else hyper_node


class Foresight:
    """What tries of a job in HyperNodes would come to, without a try, where that is certain.

    Tries that place nothing leave the same behind, but for what nodes say to the tasks; of that, the last one's is
    kept. Of tries that serve a job equally, only the one in the HyperNode that suits best leaves anything behind.
    Another one would certainly serve, in whatever order its nodes are taken, where

    - it has as many nodes with idle room for each of the tasks as there are tasks: a task that is placed changes what
      fits its own node alone, and so there is always one left; or
    - the tasks are all of one class, and its nodes have idle room for as many of these.

    It has to follow from the state of each node whether it takes a task (`NodeFit.known`), and nothing may listen to
    the search.
    """

    def __init__(self, session: Session) -> None:
        self.session = session

    def refusing(self, tasks: Collection[Task], hyper_nodes: Iterable[str]) -> list[str]:
        """Those of some HyperNodes, in the order given, none of whose nodes takes any of some tasks now."""
        if any(task.nominated_node for task in tasks):
            return []
        open_nodes: Masks = np.zeros(len(self.session.nodes), np.bool_)
        for fit in self._fits(tasks):
            open_nodes |= fit.codes == FITS
        members = self.session.topology.members
        some = self._with_nodes(hyper_nodes, open_nodes, 1)
        return [name for name in hyper_nodes if name not in some and len(members[name]) and name != TOP]

    def alike(self, steps: Sequence[Operation], hyper_nodes: Collection[str]) -> set[str]:
        """Those of some HyperNodes that would certainly take the same tasks as the one where they stand now.

        Args:
            steps: what was placed in that one, where nothing was refused.
            hyper_nodes: the others.
        """
        if any(step.op is not Op.ALLOCATE or step.task.nominated_node for step in steps):
            return set()
        fits = self._fits(step.task for step in steps)
        known = [fit.known for fit in fits if fit.known is not None]
        if len(known) < len(fits):
            return set()
        open_nodes: Masks = np.ones(len(self.session.nodes), np.bool_)
        for fit in fits:
            open_nodes &= (fit.codes == FITS) & fit.idle
        open_nodes[[self.session.nodes.index[step.node] for step in steps]] = False
        found = self._with_nodes(hyper_nodes, open_nodes, len(steps))
        if len(known) == 1:
            found |= self._with_room(set(hyper_nodes) - found, open_nodes, len(steps), known[0])
        return found - {TOP}

    def _fits(self, tasks: Iterable[Task]) -> list[NodeFit]:
        """What is known of the nodes for the classes of some tasks."""
        classes = self.session.classes
        return [self.session.fit(task) for task in {classes.of(task).number: task for task in tasks}.values()]

    def _with_nodes(self, hyper_nodes: Iterable[str], open_nodes: Masks, least: int) -> set[str]:
        """Those of some HyperNodes with at least `least` open nodes."""
        topology = self.session.topology
        numbers = np.bincount(self._holders[open_nodes[self._held]], minlength=len(topology.names))
        enough = (numbers >= least).tolist()
        return {name for name in hyper_nodes if enough[topology.number[name]]}

    def _with_room(self, hyper_nodes: Iterable[str], open_nodes: Masks, least: int, known: KnownStates) -> set[str]:
        """Those of some HyperNodes whose open nodes have idle room for at least `least` tasks of a class."""
        found: set[str] = set()
        for name in hyper_nodes:
            members, left = self.session.topology.members[name], least
            for node in members[open_nodes[members]].tolist():
                left -= known.room(node, least)
                if left <= 0:
                    found.add(name)
                    break
        return found

    @cached_property
    def is_certain(self) -> bool:
        """Whether what comes of a try follows from nodes and tasks alone, and nothing is counted; else ask no more."""
        session = self.session
        return not (
            session.sampler is not None
            or session.search_listeners
            or session.task_order_is_live
            or session.options.tally is not None
            or session.plugins.checks
            or session.conf.actions.count(session.trace.action) > 1
        )

    @cached_property
    def _held(self) -> Integers:
        """The nodes of every HyperNode, one HyperNode after the other."""
        topology = self.session.topology
        return np.concatenate([topology.members[name] for name in topology.names])

    @cached_property
    def _holders(self) -> Integers:
        """The numbers of the HyperNodes that these are of."""
        topology = self.session.topology
        return np.repeat(np.arange(len(topology.names)), [len(topology.members[name]) for name in topology.names])


@dataclass(slots=True)
class _TierSolution:
    """What placed a job in a HyperNode: the steps, what is left to try, and where all that was placed is then."""

    trial: HyperNodeTrial
    steps: list[SavedOperation]
    left: TaskQueue
    held: str


class TierSearch:
    """Finds a HyperNode for jobs with a tier limit as releases did before plugins chose: tries all of a tier.

    A job is tried in each HyperNode of the lowest tier, then of the next one, up to its limit. Every try is rolled
    back, and of those of the first tier that served, the one is taken again whose nodes were scored highest in all;
    `scores` add up over all tries of a job. A HyperNode that would take the job beyond its limit, together with the one
    that holds what was placed before, is left out. A gang that is only complete once resources are released keeps what
    it was promised, and is tried in the others all the same: what it gets there takes the place of the promises, whose
    nodes stay taken.
    Reference: pkg/scheduler/actions/allocate/allocate.go of v1.13 (allocateResourceForTasksWithTopology).
    """

    def __init__(self, session: Session, placer: Placer) -> None:
        self.session = session
        self.placer = placer
        self.scores: defaultdict[tuple[str, str], float] = defaultdict(float)

    def allocate(self, job: Job, pending: PendingTasks) -> StatementResult:
        """Place a job's tasks in the best HyperNode of the lowest tier that serves; what came of it."""
        session, topology = self.session, self.session.topology
        session.trace.hyper_nodes[job.uid] = []
        limit = None if job.topology is None else job.topology.limit
        result = StatementResult.DISCARD
        for tier in topology.tiers if limit is not None else ():
            if limit is not None and tier > limit:
                continue
            solutions: list[_TierSolution] = []
            names, breaker = topology.of_tier(tier), session.tie_breaker
            if breaker is not None:
                names = breaker.in_any_order(f"HyperNodes of {list(session.jobs).index(job.uid)}", names)
            for name in names:
                found = self._try(job, pending, name)
                if found is None:
                    result = StatementResult.KEEP
                else:
                    solutions += found
            if solutions:
                return self._take(job, pending, solutions)
        if not session.trace.hyper_nodes[job.uid]:
            session.trace.refuse_job(job.uid, Refusal(VerdictCode.NO_HYPER_NODE, text="none is of a tier so low"))
        return result

    def _try(self, job: Job, pending: PendingTasks, name: str) -> list[_TierSolution] | None:
        """Try a job in a HyperNode; return what served, None where the job keeps what it was promised."""
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
            return None
        serves = bool(statement.operations) and session.plugins.job_ready(job)
        steps = statement.save() if serves else []
        statement.undo()
        session.trace.end_trial(job.uid, name, statement.operations)
        return [_TierSolution(trial, steps, left, held)] if serves else []

    def _take(self, job: Job, pending: PendingTasks, solutions: list[_TierSolution]) -> StatementResult:
        """Take the steps of the best solution again, and commit them; of equals, the reference takes any."""
        whole = job.sub_jobs.get(job.uid)
        if whole is not None and len(solutions) > 1:
            names = [each.trial.hyper_node for each in solutions]
            for each, more in zip(solutions, self.session.plugins.hyper_node_scores(whole, names), strict=True):
                each.trial.score = (each.trial.score or 0.0) + float(more)
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
