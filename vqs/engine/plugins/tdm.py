"""tdm: share nodes with others by the time of day: a revocable node takes pods only while its zone is open.

A node is revocable if its label `volcano.sh/revocable-zone` names a zone. While the zone is open, the node takes the
pods that allow it, and scores 100 for them; other pods never go there. A pod allows it by the annotation
`volcano.sh/revocable-zone` of the value `*`, or, where that annotation is missing, by the annotation
`volcano.sh/preemptable` of the value true. Once a zone is closed, the action shuffle evicts the running pods on its
nodes that may be evicted, of each job as many at a time as its limits allow.

Jobs that are not preemptable come first, and are starving as long as a task of them is pending; other jobs never are.
In preempt, only a task that is neither preemptable nor allowed on revocable nodes may evict others, and these only on
nodes that are not revocable. The PodGroup's annotation or label `volcano.sh/preemptable` says whether a job is, false
by default; for a pod it is true by default.

A job's limit is its PodGroup's annotation `volcano.sh/jdb-min-available` (running pods that stay) or
`volcano.sh/jdb-max-unavailable` (pods that may be missing), as numbers or percentages of its pods; without them, and
while fewer pods run than have to stay, it is one pod at a time.

Arguments: `tdm.revocable-zone.NAME` (no default): the hours of the day at which a zone is open, such as 10:00-21:00, by
the scheduler's clock, which is assumed to be in UTC. `tdm.evict.period` (default 1m): how long the plugin waits until
it looks for pods to evict again; it looks in the first session.

Volcano v1.14.4 panics where it evicts a pod for a closed zone, as it takes the pod off its node as if it had been
releasing before. With the environment variable PANIC_ON_ERROR=false it goes on, and promises the pod's resources to no
other task in that session; that is what is modelled, with a warning.

As in the reference, a zone that is open past midnight (22:00-06:00) closes at midnight; a job's limit counts for its
pods in each closed zone apart; and where `enablePredicate` is false, a node whose zone is closed loses the scores of
all other plugins too.
Reference: pkg/scheduler/plugins/tdm/tdm.go.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Final

import numpy as np

from vqs.config.known_arguments import Arguments
from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import DependsOn, EvictableFn, FallibleScore
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.nodes.reasons import FITS, Codes
from vqs.engine.nodes.table import Floats, Nodes
from vqs.model.codes import EvictionCode
from vqs.model.day_hours import parse_day_hours
from vqs.model.durations import parse_duration
from vqs.model.job import COMPLETED_STATUSES, Job, Task, TaskStatus
from vqs.model.keys import MAX_UNAVAILABLE, MIN_AVAILABLE, PREEMPTABLE, REVOCABLE_ZONE
from vqs.model.quantity import is_true, whole_number

NAME: Final = "tdm"

ZONE: Final = "tdm.revocable-zone."
PERIOD: Final = "tdm.evict.period"

SCORE: Final = 100.0
PANIC: Final = "plugin tdm: Volcano v1.14.4 panics where it evicts pods of a closed revocable zone, such as on node {}"
PANIC_HELP: Final = "set PANIC_ON_ERROR=false in the scheduler's environment; the session here is as with that setting"

NOT_ALLOWED: Final = "not allow to dispatch to revocable node"
NO_SUCH_ZONE: Final = "revocable zone {} not support"
NOT_NOW: Final = "current time beyond revocable zone {}:{}"

_DEFAULT_PERIOD: Final = 60.0
_AT_A_TIME: Final = 1
_INT32: Final = range(-(2**31), 2**31)


class TdmPlugin(Plugin, points.SteadyPredicate):
    """Open and close revocable nodes by the time of the session."""

    refusals = (
        EvictionCode.PREEMPTOR_IS_PREEMPTABLE,
        EvictionCode.ON_REVOCABLE_NODE,
        EvictionCode.NOT_RUNNING,
        EvictionCode.EVICTIONS_OF_JOB,
    )
    reasons = (NOT_ALLOWED, NO_SUCH_ZONE.format("NAME"), NOT_NOW.format("NAME", "HOURS"))

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.zones = zones(option.arguments)
        period = parse_duration(option.arguments.string(PERIOD))
        self.period = _DEFAULT_PERIOD if period is None else period
        self.leaving: set[str] = set()

    def on_session_open(self, session: Session) -> None:
        """Find out which zones are open, and add the answers."""
        self.session = session
        self.zone_of_node = [node.object.metadata.labels.get(REVOCABLE_ZONE, "") for node in session.nodes.nodes]
        self.closed = {zone: self._closed(zone) for zone in {*self.zones, *self.zone_of_node} - {""}}
        self.is_preemptable = {uid: is_preemptable(job) for uid, job in session.jobs.items()}
        reasons, closed = self.session.reasons, self.closed
        codes = {zone: reasons.code(why) if why else FITS for zone, why in closed.items()}
        others = reasons.code(NOT_ALLOWED)
        self.codes_if = {
            True: np.array([codes.get(zone, FITS) for zone in self.zone_of_node], np.int32),
            False: np.array([(codes[zone] or others) if zone else FITS for zone in self.zone_of_node], np.int32),
        }
        self.is_closed = np.array([bool(closed.get(zone)) for zone in self.zone_of_node], np.bool_)
        is_open = np.array([bool(zone) for zone in self.zone_of_node], np.bool_) & ~self.is_closed
        self.scores_if: dict[bool, Floats] = {True: np.where(is_open, SCORE, 0.0), False: np.zeros(len(is_open))}
        session.classes.add_signature(may_use_revocable_nodes)
        session.plugins.add(points.PREDICATE, NAME, self)
        session.plugins.add(points.NODE_ORDER, NAME, FallibleScore(self.score, lambda nodes: self.is_closed[nodes]))
        session.plugins.add(points.PREEMPTABLE, NAME, EvictableFn(self.vote, DependsOn.JOBS, _keeps_off))
        session.plugins.add(points.VICTIM_TASKS, NAME, self.victims)
        session.plugins.add(points.JOB_ORDER, NAME, lambda job: self.is_preemptable[job.uid])
        session.plugins.add(points.JOB_PIPELINED, NAME, pipelined)
        session.plugins.add(points.JOB_STARVING, NAME, self.starving)
        session.add_event_handler(lambda _: None, self._withhold)

    def _closed(self, zone: str) -> str:
        """Why a zone is closed now; empty where it is open."""
        text = self.zones.get(zone)
        if text is None:
            return NO_SUCH_ZONE.format(zone)
        hours = parse_day_hours(text)
        if isinstance(hours, str):
            return hours
        return "" if hours.include(self.session.options.now.astimezone(UTC)) else NOT_NOW.format(zone, text)

    # --- nodes for a task --------------------------------------------------------------------------------------------

    def codes(self, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
        """For each of some nodes 0 where a task of the class may go, else the code of the reason."""
        return self.codes_if[may_use_revocable_nodes(task_class.task)][nodes]

    def score(self, task_class: EquivalenceClass, nodes: Nodes) -> Floats:
        """The score of some nodes."""
        return self.scores_if[may_use_revocable_nodes(task_class.task)][nodes]

    # --- jobs --------------------------------------------------------------------------------------------------------

    def starving(self, job: Job) -> bool:
        """True if a job may evict others: any that is not preemptable, for each pending task."""
        return not self.is_preemptable[job.uid] and bool(job.having(TaskStatus.Pending))

    # --- victims -----------------------------------------------------------------------------------------------------

    def vote(self, preemptor: Task, candidates: Sequence[Task]) -> Victims:
        """Let running tasks on nodes that are not revocable go, as many of each job as may go at a time."""
        if not _keeps_off(preemptor):
            votes = Victims(Vote.REJECT)
            for task in candidates:
                votes.spare(task, Refusal(EvictionCode.PREEMPTOR_IS_PREEMPTABLE, NAME))
            return votes
        votes = Victims()
        going: defaultdict[str, int] = defaultdict(int)
        limits: dict[str, int] = {}
        for task in candidates:
            zone = self.zone_of_node[self.session.nodes.index[task.node or ""]]
            if zone:
                votes.spare(task, Refusal(EvictionCode.ON_REVOCABLE_NODE, NAME, node=task.node or "", text=zone))
            elif task.status is not TaskStatus.Running:
                votes.spare(task, Refusal(EvictionCode.NOT_RUNNING, NAME))
            else:
                limit = limits.setdefault(task.job, most_victims(self.session.jobs[task.job]))
                if going[task.job] < limit:
                    votes.take(task)
                    going[task.job] += 1
                else:
                    name = self.session.jobs[task.job].display_name
                    votes.spare(task, Refusal(EvictionCode.EVICTIONS_OF_JOB, NAME, have=float(limit), text=name))
        return votes

    def victims(self, _: Sequence[Task]) -> list[Task]:
        """The tasks that should leave the nodes of closed zones, unless it is too early to look for any."""
        now, state = self.session.options.now, self.session.options.process
        before = state.looked_for_victims
        if before is not None and (now - before).total_seconds() < self.period:
            return []
        state.looked_for_victims = now
        victims = [task for zone in sorted(self.zones) if self.closed.get(zone) for task in self._leaving(zone)]
        self.leaving = {task.uid for task in victims}
        if victims:
            self.session.warn("tdm-panic", PANIC.format(victims[0].node), help=PANIC_HELP)
        return victims

    def _withhold(self, task: Task) -> None:
        """Keep what a task of a closed zone holds from others once it is evicted."""
        if task.uid in self.leaving and task.status is TaskStatus.Releasing:
            self.leaving.remove(task.uid)
            self.session.nodes.withhold(task, self.session.nodes.index[task.node or ""])

    def _leaving(self, zone: str) -> list[Task]:
        """The tasks of each job that leave a closed zone, those of the lowest names first."""
        by_job: defaultdict[str, list[Task]] = defaultdict(list)
        nodes = {name for name, its in zip(self.session.nodes.names, self.zone_of_node, strict=True) if its == zone}
        tasks = sorted(
            (task for task in self.session.tasks(TaskStatus.Running) if task.preemptable and task.node in nodes),
            key=lambda task: (task.namespace, task.name),
        )
        tie_breaker = self.session.tie_breaker
        number = sorted(self.zones).index(zone)
        for task in tasks if tie_breaker is None else tie_breaker.in_any_order(f"tasks of zone {number}", tasks):
            by_job[task.job].append(task)
        jobs = self.session.jobs
        return [task for uid in sorted(by_job) for task in by_job[uid][: most_victims(jobs[uid])]]


def zones(arguments: Arguments) -> dict[str, str]:
    """The hours of each zone, as they are written."""
    return {key.removeprefix(ZONE): arguments.string(key) for key in arguments if key.startswith(ZONE)}


def pipelined(job: Job) -> Vote:
    """Vote on whether a gang is complete, counting what waits for releasing resources."""
    return Vote.PERMIT if job.is_pipelined() else Vote.REJECT


def is_preemptable(job: Job) -> bool:
    """True if a job is preemptable as a whole: its PodGroup says so, by the annotation, else by the label."""
    metadata = job.pod_group.metadata
    return is_true(metadata.annotations.get(PREEMPTABLE, metadata.labels.get(PREEMPTABLE, "")))


def may_use_revocable_nodes(task: Task) -> bool:
    """True if a task may go to revocable nodes."""
    metadata = task.pod.metadata
    zone = metadata.annotations.get(REVOCABLE_ZONE)
    return is_true(metadata.annotations.get(PREEMPTABLE, "")) if zone is None else zone == "*"


def most_victims(job: Job) -> int:
    """How many of a job's running tasks may be evicted at a time."""
    annotations: Mapping[str, str] = job.pod_group.metadata.annotations
    running = len(job.having(TaskStatus.Running))
    least = annotations.get(MIN_AVAILABLE)
    most = annotations.get(MAX_UNAVAILABLE) if least is None else None
    if most:
        finished = sum(len(job.having(status)) for status in COMPLETED_STATUSES)
        missing = len(job.tasks) - finished - running
        return max(amount_of(most, len(job.tasks)) - missing, 0)
    if least:
        stay = amount_of(least, len(job.tasks))
        if running >= stay:
            return running - stay
    return _AT_A_TIME


def amount_of(text: str, pods: int) -> int:
    """A number of pods, or a percentage of them, rounded up; what is neither is 0.

    >>> amount_of("3", 10), amount_of("25%", 10), amount_of("half", 10)
    (3, 3, 0)
    """
    number = whole_number(text)
    if number is not None and number in _INT32:
        return number
    percent = whole_number(text.removesuffix("%")) if text.endswith("%") else None
    return 0 if percent is None else math.ceil(percent * pods / 100)


def _keeps_off(preemptor: Task) -> bool:
    """True if a task may evict others: it cannot be evicted itself, and may not use revocable nodes."""
    return not preemptor.preemptable and not may_use_revocable_nodes(preemptor)
