"""What is kept of a run while time goes by: the records of jobs and pods, and figures of queues and nodes over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vqs.explain.outcome import Amounts, amount
from vqs.model import kubernetes as k8s
from vqs.model.cluster import ROOT
from vqs.model.codes import VerdictCode
from vqs.model.resource import Resource
from vqs.replay.cost import Ledger, Prices
from vqs.replay.jobs import ALIVE, ON_NODE, JobRun, PodSlot, PodState
from vqs.replay.outcome import (
    JobRecord,
    NodeRecord,
    NodeSample,
    PodRecord,
    QueueRecord,
    QueueSample,
    RolloutRecord,
    Sample,
)

Floats = NDArray[np.float64]

NOT_TRIED: Final = "not-tried"
"""What accounts for the wait of a job before the first session that finds it."""

_LONGER: Final = 1.1
"""A job that waits is asked about again whenever it has waited by this factor longer."""

MOST_SAMPLES: Final = 1000
"""Into how many stretches of time the figures of queues are divided at most."""

MOST_NODE_SAMPLES: Final = 200
"""Likewise, those of nodes."""

_COUNTS: Final = ("pending", "running", "waiting_jobs")
_PENDING, _RUNNING, _WAITING = range(len(_COUNTS))
_AMOUNTS: Final = ("allocated", "request", "deserved")
_ALLOCATED, _REQUEST, _DESERVED = range(len(_AMOUNTS))


# --- figures over time, in bounded room -------------------------------------------------------------------------------


class Series:
    """Figures that change in steps, kept as their means over stretches of time of equal length.

    The number of stretches is bounded: where there would be more, each is made twice as long. A change costs the same
    however many figures there are, as the mean of a stretch is what a figure was at its end, less what came too late to
    count for all of it.
    """

    def __init__(self, columns: int, most: int, width: float = 1.0) -> None:
        self.width = width
        self.values = [0.0] * columns
        self._late = [0.0] * columns
        self._most = most
        self._start = 0.0
        self._rows: list[Floats] = []

    def add(self, column: int, change: float, time: float) -> None:
        """Change a figure by some amount."""
        if time >= self._start + self.width:
            self._advance(time)
        self.values[column] += change
        self._late[column] += change * (time - self._start)

    def widen(self, columns: int) -> None:
        """Add figures of 0."""
        self.values += [0.0] * columns
        self._late += [0.0] * columns

    def finish(self, time: float) -> list[tuple[float, float, Floats]]:
        """Return the start and the length in seconds of each stretch up to some time, and its means."""
        self._advance(time)
        rows = [(number * self.width, self.width, self._padded(row)) for number, row in enumerate(self._rows)]
        rest = time - self._start
        return [*rows, (self._start, rest, self._means(rest))] if rest > 0 else rows

    def _means(self, length: float) -> Floats:
        means: Floats = np.array(self.values) - np.array(self._late) / length
        return means

    def _padded(self, row: Floats) -> Floats:
        """Return a row with figures of 0 for those that were added later."""
        missing = len(self.values) - len(row)
        return np.pad(row, (0, missing)) if missing else row

    def _advance(self, time: float) -> None:
        """Close the stretches that are over by some time."""
        while time >= self.width * self._most:
            if len(self._rows) % 2:
                reopened = self._padded(self._rows.pop())
                late = np.array(self._late) + (np.array(self.values) - reopened) * self.width
                self._late = late.tolist()
            pairs = zip(map(self._padded, self._rows[::2]), map(self._padded, self._rows[1::2]), strict=True)
            self._rows = [(first + second) / 2 for first, second in pairs]
            self.width *= 2
            self._start = len(self._rows) * self.width
        while time >= self._start + self.width:
            self._rows.append(self._means(self.width))
            self._late = [0.0] * len(self.values)
            self._start = len(self._rows) * self.width


# --- why jobs wait ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Wait:
    job: JobRun
    since: float
    code: str = NOT_TRIED
    ask_at: float = 0.0


class Waiting:
    """The jobs that have arrived and not started, and how many seconds of their wait each verdict accounts for.

    A verdict counts until the next one on the job, or until the job starts. To ask for each verdict in each session
    would cost more than the sessions: a job is asked about after its first session, and again whenever it has waited a
    tenth longer. So the parts of a wait are right to about a tenth of it, and the sum is the wait.
    """

    def __init__(self) -> None:
        self._waits: dict[str, _Wait] = {}

    @property
    def number(self) -> int:
        """How many jobs wait."""
        return len(self._waits)

    def __iter__(self) -> Iterator[str]:
        """The jobs that wait, by the namespace/name of their PodGroups."""
        return iter(self._waits)

    def add(self, job: JobRun, time: float) -> None:
        """Note that a job waits from now on."""
        self._waits[job.uid] = _Wait(job, time)

    def asked(self, time: float) -> list[str]:
        """Return the jobs whose verdicts are wanted of a session now, by the namespace/name of their PodGroups."""
        return [uid for uid, wait in self._waits.items() if wait.ask_at <= time]

    def hear(self, verdicts: dict[str, str], asked: list[str], time: float) -> None:
        """Take the verdicts of a session on the jobs that it was asked about."""
        for uid in asked:
            wait = self._waits[uid]
            waited = time - wait.job.record.arrival
            wait.ask_at = time + waited * (_LONGER - 1)
            code = verdicts.get(uid, wait.code)
            if code == VerdictCode.GANG_TOO_SMALL and wait.job.counts[PodState.ABSENT]:
                code = VerdictCode.PODS_NOT_CREATED  # the session does not know that they are about to be made
            if code != wait.code:
                self._account(wait, time)
                wait.code = code

    def end(self, job: JobRun, time: float) -> None:
        """Note that a job waits no more, if it did: it has started, or has ended without."""
        wait = self._waits.pop(job.uid, None)
        if wait is not None:
            self._account(wait, time)

    def finish(self, time: float) -> None:
        """Account for what still waits at the end of the replay."""
        for wait in self._waits.values():
            self._account(wait, time)

    def _account(self, wait: _Wait, time: float) -> None:
        waited = wait.job.record.waited
        seconds = time - wait.since
        if seconds > 0:
            waited[wait.code] = waited.get(wait.code, 0.0) + seconds
        wait.since = time


# --- all that is kept -------------------------------------------------------------------------------------------------


class Recorder:
    """Takes note of what happens.

    Attributes:
        resources: the resources that are accounted for, in the order of all amounts.
        jobs: a record of each job, in the order of arrival.
        pods: a record of each life of a pod, in the order of creation.
        rollouts: a record of each change of a Deployment's template.
        pending: how many pods wait for a node.
        waiting: the jobs that have not started, and why.
        ledger: who holds how much of nodes that have a price; None where none has.
        stirred: whether more has happened since the last session than that pods were bound and started to run.
    """

    def __init__(
        self,
        resources: Sequence[str],
        queues: Sequence[k8s.Queue],
        nodes: Mapping[str, k8s.Node],
        prices: Prices | None = None,
    ) -> None:
        self.resources = list(resources)
        self.jobs: list[JobRecord] = []
        self.pods: list[PodRecord] = []
        self.rollouts: list[RolloutRecord] = []
        self.pending = 0
        self.waiting = Waiting()
        self.stirred = True
        self.ledger = None if prices is None else Ledger(prices)
        self._queues = {queue.metadata.name: queue for queue in queues}
        self._block = len(_COUNTS) + len(_AMOUNTS) * len(self.resources)
        self._blocks: dict[str, int] = {}
        self._figures = Series(len(self.resources), MOST_SAMPLES)
        self._usage = Series(0, MOST_NODE_SAMPLES)
        self._rows: dict[str, int] = {}
        self._nodes: dict[str, tuple[float, ...]] = {}
        self._available: dict[str, list[tuple[float, float | None]]] = {}
        for node in nodes.values():
            self.node_joins(node, 0.0)

    # --- nodes -------------------------------------------------------------------------------------------------------

    def node_joins(self, node: k8s.Node, time: float) -> None:
        """Note that pods may be placed on a node from now on."""
        name = node.metadata.name
        if name not in self._rows:
            self._rows[name] = len(self._rows)
            self._usage.widen(len(self.resources))
            allocatable = Resource.from_quantities(node.status.allocatable)
            self._nodes[name] = tuple(allocatable.get(each) for each in self.resources)
        self._available.setdefault(name, []).append((time, None))
        if self.ledger is not None:
            self.ledger.joins(node, time)
        for column, value in enumerate(self._nodes[name]):
            self._figures.add(column, value, time)

    def node_leaves(self, name: str, time: float) -> None:
        """Note that no pods are placed on a node from now on."""
        since, until = self._available[name][-1]
        if until is None:
            self._available[name][-1] = since, time
            if self.ledger is not None:
                self.ledger.leaves(name, time)
            for column, value in enumerate(self._nodes[name]):
                self._figures.add(column, -value, time)

    # --- pods and jobs -----------------------------------------------------------------------------------------------

    def pod_moves(self, slot: PodSlot, state: PodState, time: float) -> None:
        """Note that a pod is in another state from now on; the slot still has the one before."""
        before = slot.state
        counts = slot.job.counts
        counts[before] -= 1
        counts[state] += 1
        first = self._first_of(slot.job.record.queue)
        if state not in ON_NODE or _BEFORE[state] is not before:
            self.stirred = True
        waits = (state is PodState.PENDING) - (before is PodState.PENDING)
        self.pending += waits
        self._count(first + _PENDING, waits, time)
        held = (state in ON_NODE) - (before in ON_NODE)
        self._count(first + _RUNNING, held, time)
        if held:
            self._account(first, _ALLOCATED, slot.request, held, time)
        asked = (state in ALIVE) - (before in ALIVE)
        if asked:
            self._account(first, _REQUEST, slot.request, asked, time)
        now, then = (each in ON_NODE or each is PodState.TERMINATING for each in (state, before))
        takes_room = now - then
        if takes_room and slot.node in self._rows:
            row = self._rows[slot.node] * len(self.resources)
            for column, value in enumerate(slot.request, row):
                if value:
                    self._usage.add(column, takes_room * value, time)
            if self.ledger is not None:
                self.ledger.takes(slot.node, slot.job.record.queue, takes_room * self._part_of_node(slot), time)
        slot.state = state

    def _part_of_node(self, slot: PodSlot) -> float:
        """The largest part that a pod requests of any resource of its node."""
        pairs = zip(slot.request, self._nodes[slot.node], strict=True)
        return min(max((value / most for value, most in pairs if most), default=0.0), 1.0)

    def work_lost(self, slot: PodSlot, seconds: float) -> None:
        """Note that a pod has to do some seconds of its work again."""
        if slot.record is not None:
            slot.record.work_lost = seconds
        if self.ledger is not None and slot.node in self._rows:
            self.ledger.loses(slot.node, slot.job.record.queue, self._part_of_node(slot), seconds)

    def job_waits(self, job: JobRun, time: float) -> None:
        """Note that a job has arrived and has not started."""
        self.waiting.add(job, time)
        self._count(self._first_of(job.record.queue) + _WAITING, 1, time)

    def job_starts(self, job: JobRun, time: float) -> None:
        """Note that a job has started, or has ended without."""
        self.waiting.end(job, time)
        self._count(self._first_of(job.record.queue) + _WAITING, -1, time)

    def deserves(self, deserved: Mapping[str, Sequence[float]], time: float) -> None:
        """Note what queues deserve from now on, in the scheduler's units."""
        for queue, values in deserved.items():
            first = self._first_of(queue) + len(_COUNTS) + _DESERVED * len(self.resources)
            for column, value in enumerate(values, first):
                self._count(column, value - self._figures.values[column], time)

    def _count(self, column: int, change: float, time: float) -> None:
        if change:
            self._figures.add(column, change, time)

    def _account(self, first: int, which: int, request: Sequence[float], sign: int, time: float) -> None:
        start = first + len(_COUNTS) + which * len(self.resources)
        for column, value in enumerate(request, start):
            if value:
                self._figures.add(column, sign * value, time)

    def _first_of(self, queue: str) -> int:
        """Return the column of a queue's first figure; those of a queue that is new are added."""
        first = self._blocks.get(queue)
        if first is None:
            first = self._blocks[queue] = len(self.resources) + len(self._blocks) * self._block
            self._figures.widen(self._block)
        return first

    # --- the result --------------------------------------------------------------------------------------------------

    def amounts(self, values: Sequence[float] | Floats) -> Amounts:
        """Return amounts in the user's units; resources of which there is nothing are left out."""
        return {name: amount(name, float(value)) for name, value in zip(self.resources, values, strict=True) if value}

    def samples(self, end: float) -> list[Sample]:
        """Return the figures of queues over time."""
        number, samples = len(self.resources), []
        for start, seconds, row in self._figures.finish(end):
            queues = {}
            for queue, first in sorted(self._blocks.items()):
                at = first + len(_COUNTS)
                parts = [row[at + which * number : at + (which + 1) * number] for which in range(len(_AMOUNTS))]
                queues[queue] = QueueSample(
                    allocated=self.amounts(parts[_ALLOCATED]),
                    request=self.amounts(parts[_REQUEST]),
                    deserved=self.amounts(parts[_DESERVED]),
                    pending=float(row[first + _PENDING]),
                    running=float(row[first + _RUNNING]),
                    waiting_jobs=float(row[first + _WAITING]),
                )
            samples.append(Sample(time=start, seconds=seconds, queues=queues, allocatable=self.amounts(row[:number])))
        return samples

    def node_samples(self, end: float) -> list[NodeSample]:
        """Return how full nodes are over time."""
        number = len(self.resources)
        names = sorted(self._rows)
        samples = []
        for start, seconds, row in self._usage.finish(end):
            used = []
            for name in names:
                first = self._rows[name] * number
                parts = zip(row[first : first + number], self._nodes[name], strict=True)
                used.append([round(float(value) / most, 4) if most else 0.0 for value, most in parts])
            samples.append(NodeSample(time=start, seconds=seconds, used=used))
        return samples

    def nodes(self) -> list[NodeRecord]:
        """Return the nodes, by name."""
        return [
            NodeRecord(name=name, allocatable=self.amounts(self._nodes[name]), available=self._available[name])
            for name in sorted(self._rows)
        ]

    def queues(self) -> list[QueueRecord]:
        """Return the queues that there are, or that jobs name, by name."""
        specs = {name: k8s.QueueSpec() for name in self._blocks} | {
            name: each.spec for name, each in self._queues.items()
        }
        return [
            QueueRecord(name=name, parent=spec.parent or ("" if name == ROOT else ROOT), weight=spec.weight)
            for name, spec in sorted(specs.items(), key=itemgetter(0))
        ]


_BEFORE: Final = {PodState.BOUND: PodState.PENDING, PodState.RUNNING: PodState.BOUND}
"""The states that a pod goes through as it is bound and starts to run."""
