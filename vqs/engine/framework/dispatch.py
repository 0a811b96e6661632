"""Asking the plugins of a session, at each extension point, in the order of the tiers.

Reference: pkg/scheduler/framework/session_plugins.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from vqs.config.scheduler_conf import Tier
from vqs.engine.framework import points
from vqs.engine.framework.answers import AnswerChecks
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import (
    NODE_POINTS,
    FallibleScore,
    Gradients,
    Key,
    Listener,
    OutsidePredicate,
    Point,
    SearchPurpose,
)
from vqs.engine.framework.tally import Tally
from vqs.engine.framework.votes import Refusal, Vote
from vqs.engine.nodes.class_scores import NodePlugins
from vqs.engine.nodes.table import Floats, Integers
from vqs.model.cluster import Queue
from vqs.model.job import Job, SubJob, Task
from vqs.model.resource import Resource

Answer = TypeVar("Answer")

AGE_AND_NAME = 2
"""The length of what jobs are sorted by where plugins take them for equal, at the end of their keys."""


class Dispatch:
    """What plugins answer at each extension point, where the configuration enables it.

    `absent` are the extension points that the release does not have: what is added to them is left out.
    """

    def __init__(self, tiers: Sequence[Tier], tally: Tally | None = None, *, absent: Sequence[Point[Any]] = ()) -> None:
        self._tiers = tiers
        self._tally = tally
        self._absent = absent
        self.checks: dict[str, AnswerChecks] = {}
        self._answers: dict[str, dict[str, Any]] = {}
        self._by_tier: dict[str, list[list[Any]]] = {}
        self._in_order: dict[str, list[Any]] = {}
        self._listeners: dict[tuple[str, int], list[Listener]] = {}

    def check(self, checks: AnswerChecks) -> None:
        """Check what a plugin answers from now on."""
        self.checks[checks.plugin] = checks

    def add(self, point: Point[Answer], plugin: str, answer: Answer) -> None:
        """Add a plugin's answer to an extension point.

        A plugin may be named twice in a configuration; then the later one's answers stand, in both places.
        """
        if point in self._absent:
            return
        checks, answers = self.checks.get(plugin), self._answers.setdefault(point.name, {})
        answer = answer if checks is None else checks.checked(point, answer)
        answer = answer if self._tally is None else self._tally.counted(point, plugin, answer)
        if point in NODE_POINTS and (checks is not None or self._tally is not None):
            self._listeners.pop((point.name, id(answers.get(plugin))), None)
            self._listeners[point.name, id(answer)] = [
                *([] if checks is None else [checks.listener(point)]),
                *([] if self._tally is None else [self._tally.listener(point, plugin)]),
            ]
        answers[plugin] = answer

    def points_of(self, plugin: str) -> list[str]:
        """The names of the extension points at which a plugin has an answer, enabled or not."""
        return [name for name, answers in self._answers.items() if plugin in answers]

    def is_answered(self, point: Point[Answer]) -> bool:
        """True if an enabled plugin has an answer at an extension point."""
        return bool(self._enabled_answers(point))

    def by_plugin(self, point: Point[Answer]) -> list[list[tuple[str, Answer]]]:
        """The enabled answers tier by tier, with the plugins' names."""
        answers = self._answers.get(point.name, {})
        return [
            [
                (option.name, answers[option.name])
                for option in tier.plugins
                if option.name in answers and (point.flag is None or option.enabled(point.flag))
            ]
            for tier in self._tiers
        ]

    def _by_tiers(self, point: Point[Answer]) -> list[list[Answer]]:
        tiers = self._by_tier.get(point.name)
        if tiers is None:
            named = self.by_plugin(point)
            tiers = self._by_tier[point.name] = [[answer for _, answer in tier] for tier in named]
        return tiers

    def _enabled_answers(self, point: Point[Answer]) -> list[Answer]:
        """The enabled answers in the order of the tiers."""
        answers = self._in_order.get(point.name)
        if answers is None:
            answers = self._in_order[point.name] = [answer for tier in self._by_tiers(point) for answer in tier]
        return answers

    # --- orders ------------------------------------------------------------------------------------------------------

    def job_key(self, job: Job) -> Key:
        """What jobs are sorted by, first come first served where the plugins do not care."""
        return (*[order(job) for order in self._enabled_answers(points.JOB_ORDER)], job.created, job.uid)

    def job_orders(self, job: Job) -> list[tuple[str, Key]]:
        """What each plugin that cares sorts jobs by, in the order in which they are asked."""
        return [(plugin, order(job)) for tier in self.by_plugin(points.JOB_ORDER) for plugin, order in tier]

    def queue_key(self, queue: Queue) -> Key:
        """What queues are sorted by."""
        return (*[order(queue) for order in self._enabled_answers(points.QUEUE_ORDER)], queue.created, queue.name)

    def sub_job_key(self, sub_job: SubJob) -> Key:
        """What the sub-jobs of a job are sorted by."""
        return (
            *[order(sub_job) for order in self._enabled_answers(points.SUB_JOB_ORDER)],
            sub_job.match_index,
            sub_job.uid,
        )

    def task_key(self, task: Task) -> Key:
        """What the plugins sort tasks by; see `vqs.engine.framework.order` for what follows."""
        return tuple([order(task) for order in self._enabled_answers(points.TASK_ORDER)])

    def victim_queue_key(self, queue: Queue, preemptor: Queue) -> Key:
        """What the queues of victims are sorted by first; equals are sorted against `queue_key`."""
        return tuple([order(queue, preemptor) for order in self._enabled_answers(points.VICTIM_QUEUE_ORDER)])

    # --- jobs --------------------------------------------------------------------------------------------------------

    def job_valid(self, job: Job) -> Refusal | None:
        """Why a job cannot be scheduled at all, None where it can."""
        return _first_refusal(self._enabled_answers(points.JOB_VALID), job)

    def job_enqueueable(self, job: Job) -> Refusal | None:
        """Why a job may not enter its queue; the first tier in which a plugin permits decides."""
        for tier in self._by_tiers(points.JOB_ENQUEUEABLE):
            permitted = False
            for enqueueable in tier:
                answer = enqueueable(job)
                if isinstance(answer, Refusal):
                    return answer
                permitted |= answer is Vote.PERMIT
            if permitted:
                return None
        return None

    def tell(self, point: Point[Callable[[Job], None]], job: Job) -> None:
        """Let the plugins know that a job has entered its queue, or has left it again."""
        for heard in self._enabled_answers(point):
            heard(job)

    def job_ready(self, job: Job) -> bool:
        """True if a job has what it needs to run."""
        for ready in self._enabled_answers(points.JOB_READY):  # noqa: SIM110 - asked after every placement: all() takes twice as long
            if not ready(job):
                return False
        return True

    def job_pipelined(self, job: Job) -> bool:
        """True if a job will have what it needs once resources are released."""
        return _carried([[vote(job) for vote in tier] for tier in self._by_tiers(points.JOB_PIPELINED)])

    def sub_job_ready(self, job: Job, sub_job: SubJob | Job) -> bool:
        """True if a sub-job has what it needs; a job that is not cut into sub-jobs is its own."""
        if isinstance(sub_job, Job) or not job.has_sub_group_policy:
            return self.job_ready(job)
        return all(ready(sub_job) for ready in self._enabled_answers(points.SUB_JOB_READY))

    def sub_job_pipelined(self, job: Job, sub_job: SubJob | Job) -> bool:
        """True if a sub-job will have what it needs once resources are released."""
        if isinstance(sub_job, Job) or not job.has_sub_group_policy:
            return self.job_pipelined(job)
        return _carried([[vote(sub_job) for vote in tier] for tier in self._by_tiers(points.SUB_JOB_PIPELINED)])

    def job_starving(self, job: Job) -> bool:
        """True if a job may evict others for what it lacks; with no plugin to say so, none may."""
        for tier in self._by_tiers(points.JOB_STARVING):
            if tier:
                return all(starving(job) for starving in tier)
        return False

    # --- queues ------------------------------------------------------------------------------------------------------

    def overused(self, queue: Queue) -> Refusal | None:
        """Why a queue is left out of allocation, None where it is not."""
        return _first_refusal(self._enabled_answers(points.OVERUSED), queue)

    def preemptive(self, queue: Queue, request: Resource) -> Refusal | None:
        """Why a queue may not reclaim what tasks ask for, None where it may."""
        return _first_refusal(self._enabled_answers(points.PREEMPTIVE), queue, request)

    def allocatable(self, queue: Queue, task: Task) -> Refusal | None:
        """Why a queue may not take a task, None where it may."""
        return _first_refusal(self._enabled_answers(points.ALLOCATABLE), queue, task)

    # --- victims -----------------------------------------------------------------------------------------------------

    def victim_tasks(self, tasks: Sequence[Task]) -> list[tuple[Task, list[str]]]:
        """The tasks that plugins want to see evicted, and which ones do; the first tier that names any decides.

        Plugins are given some tasks to choose from, and may name others.
        """
        for tier in self.by_plugin(points.VICTIM_TASKS):
            named: dict[str, tuple[Task, list[str]]] = {}
            for plugin, answer in tier:
                for task in answer(tasks):
                    named.setdefault(task.uid, (task, []))[1].append(plugin)
            if named:
                return list(named.values())
        return []

    def simulate_remove_task(self) -> Refusal | None:
        """Why evictions cannot be simulated, None where they can."""
        return _first_refusal(self._enabled_answers(points.SIMULATE_REMOVE_TASK))

    def simulate_allocatable(self, queue: Queue, task: Task, freed: Resource) -> bool:
        """True if a queue might take a task if it had given up some resources."""
        return all(
            allocatable(queue, task, freed) for allocatable in self._enabled_answers(points.SIMULATE_ALLOCATABLE)
        )

    def simulate_predicate(self, task: Task, node: int, gone: Sequence[Task]) -> bool:
        """True if nothing but room would keep a task from a node if some tasks were gone from there."""
        asked = (points.SIMULATE_PREDICATE, points.SIMULATE_DEVICES)
        return all(fits(task, node, gone) for point in asked for fits in self._enabled_answers(point))

    # --- nodes for a task --------------------------------------------------------------------------------------------

    def pre_predicate(self, task: Task) -> Refusal | None:
        """Why no node at all can take a task, None where nodes have to be asked."""
        return _first_refusal(self._enabled_answers(points.PRE_PREDICATE), task)

    def reserve(self, task: Task) -> Refusal | None:
        """What failed when a task was given its node, None where nothing did."""
        return _first_refusal(self._enabled_answers(points.RESERVE), task)

    def on_nodes(self) -> NodePlugins:
        """The plugins' answers about nodes."""
        predicates, scores = self._enabled_answers(points.PREDICATE), self._enabled_answers(points.NODE_ORDER)
        return NodePlugins(
            predicates,
            scores,
            self._enabled_answers(points.BATCH_NODE_ORDER),
            [score.fails for score in scores if isinstance(score, FallibleScore)],
            asks_outside=any(isinstance(predicate, OutsidePredicate) for predicate in predicates),
            counted=self._tally is not None,
            listeners=self._listeners,
        )

    # --- HyperNodes --------------------------------------------------------------------------------------------------

    def job_gradients(self, job: Job, root: str, purpose: SearchPurpose = SearchPurpose.ALLOCATE) -> Gradients:
        """The HyperNodes to try for a job, at and below one; the first plugin decides."""
        for gradients in self._enabled_answers(points.HYPER_NODE_GRADIENT_FOR_JOB):
            return gradients(job, root, purpose)
        return Gradients([[root]])

    def sub_job_gradients(
        self, job: Job, sub_job: SubJob, root: str, purpose: SearchPurpose = SearchPurpose.ALLOCATE
    ) -> Gradients:
        """The HyperNodes to try for a sub-job, at and below one; the first plugin decides."""
        for gradients in self._enabled_answers(points.HYPER_NODE_GRADIENT_FOR_SUB_JOB):
            return gradients(job, sub_job, root, purpose)
        return Gradients([[root]])

    def hyper_node_scores(self, sub_job: SubJob, hyper_nodes: Sequence[str]) -> Floats:
        """The score of each of some HyperNodes that have room for a sub-job."""
        scores = np.zeros(len(hyper_nodes))
        for score in self._enabled_answers(points.HYPER_NODE_ORDER):
            scores += score(sub_job, hyper_nodes)
        return scores

    def scores_by_plugin(self, task_class: EquivalenceClass, candidates: Integers) -> dict[str, Floats]:
        """Each plugin's scores of some candidates; the same numbers that their sum is made of."""
        scores: dict[str, Floats] = {}
        plugins = self.on_nodes()
        tiers = zip(self.by_plugin(points.NODE_ORDER), self.by_plugin(points.BATCH_NODE_ORDER), strict=True)
        for alone, compared in tiers:
            for name, score in alone:
                given = plugins.told(points.NODE_ORDER, score, score(task_class, candidates), task_class, candidates)
                for fails in plugins.failures:
                    given = np.where(fails(candidates), 0.0, given)
                scores[name] = scores.get(name, 0.0) + given
            for name, batch in compared:
                scores[name] = scores.get(name, 0.0) + plugins.compare(batch, task_class, candidates)
        return scores


def _first_refusal(answers: Iterable[Callable[..., Refusal | None]], *asked: object) -> Refusal | None:
    """The first refusal that is given; those that come later are not asked."""
    for answer in answers:
        refusal = answer(*asked)
        if refusal is not None:
            return refusal
    return None


def _carried(tiers: list[list[Vote]]) -> bool:
    """Count votes tier by tier: the first no decides, and so does a yes at the end of its tier."""
    for votes in tiers:
        if Vote.REJECT in votes:
            return False
        if Vote.PERMIT in votes:
            return True
    return True
