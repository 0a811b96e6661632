"""Logs in the Standard Workload Format, version 2.2, in which the Parallel Workloads Archive keeps its logs.

Each line is a job, 18 numbers apart by blanks, with -1 for what is not known; lines that begin with a semicolon are
comments, and some of them tell how large the system was. Processors become pods as `ReadingOptions` says: as many in
one pod as a node has, so that a job of 10 processors on nodes of 4 is a gang of two pods with 4 and one with 2.
Source: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html
"""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, NamedTuple

from vqs.model.durations import LONGEST
from vqs.model.quantity import finite_number
from vqs.replay.reading.faults import WRONG_FORM, Faults
from vqs.replay.reading.options import QueueOf, ReadingOptions
from vqs.replay.reading.recorded import RecordedJob, RecordedNode, RecordedTask, Recording, Requests, object_name
from vqs.snapshot.reading.reach import MOST_PODS

COMMENT: Final = ";"
FIELDS: Final = 18
_MOST_NODES: Final = 50_000
_PODS: Final = "1000"
"""How many pods a node takes: a log speaks of processors alone, so that this should not limit anything."""

_NUMBERED: Final = re.compile(r"(-?\d+)\s+(.*)")
_WHOLE: Final = re.compile(r"\d{1,9}(?!\d)")
_WORD: Final = re.compile(r"\S+")


def is_log(text: str) -> bool:
    """Tell a log by the beginning of a file: comments, or a line with as many numbers as a job has."""
    line = next((each for each in text.splitlines() if each.strip()), "")
    words = line.split()
    return line.startswith(COMMENT) or (len(words) == FIELDS and all(finite_number(each) is not None for each in words))


class Field(IntEnum):
    """The fields that are used, by their index in a line."""

    NUMBER = 0
    SUBMITTED = 1
    SECONDS = 3
    ALLOCATED = 4
    USED_MEMORY = 6
    REQUESTED = 7
    REQUESTED_MEMORY = 9
    STATUS = 10
    USER = 11
    GROUP = 12
    QUEUE = 14
    PARTITION = 15


_NAMES: Final = {
    Field.NUMBER: "the job number",
    Field.SUBMITTED: "the submit time",
    Field.SECONDS: "the run time",
    Field.ALLOCATED: "the number of allocated processors",
    Field.USED_MEMORY: "the used memory",
    Field.REQUESTED: "the requested number of processors",
    Field.REQUESTED_MEMORY: "the requested memory",
    Field.STATUS: "the status",
    Field.USER: "the user",
    Field.GROUP: "the group",
    Field.QUEUE: "the queue number",
    Field.PARTITION: "the partition number",
}
_BOUNDS: Final = {
    **dict.fromkeys((Field.SUBMITTED, Field.SECONDS), (LONGEST, "100 years")),
    **dict.fromkeys((Field.REQUESTED, Field.ALLOCATED), (MOST_PODS, f"{MOST_PODS:,}")),
    **dict.fromkeys((Field.REQUESTED_MEMORY, Field.USED_MEMORY), (2**40, "1 PiB")),
}
_PARTS_OF_RUNS: Final = (2, 3, 4)
"""The status of lines that are a part of a job's run, which another line has as a whole."""

_BY_QUEUE: Final = {
    QueueOf.QUEUE: Field.QUEUE,
    QueueOf.PARTITION: Field.PARTITION,
    QueueOf.USER: Field.USER,
    QueueOf.GROUP: Field.GROUP,
}


@dataclass(slots=True)
class Header:
    """What comments tell of the system: how large it was, and what its queues and partitions were called."""

    nodes: int = 0
    processors: int = 0
    names: dict[tuple[Field, int], str] = field(default_factory=dict)

    @property
    def per_node(self) -> int:
        """How many processors a node had, 1 where that is not known."""
        return math.ceil(self.processors / self.nodes) if self.nodes and self.processors else 1

    def read(self, line: str) -> None:
        """Take in a comment."""
        key, _, text = (part.strip() for part in line.lstrip(COMMENT).partition(":"))
        size, numbered = _WHOLE.match(text), _NUMBERED.fullmatch(text)
        if key.lower() == "maxnodes" and size:
            self.nodes = int(size[0])
        elif key.lower() == "maxprocs" and size:
            self.processors = int(size[0])
        elif key.lower() in ("queue", "partition") and numbered:
            which = Field.QUEUE if key.lower() == "queue" else Field.PARTITION
            self.names[which, int(numbered[1][:18])] = numbered[2]


class _Line(NamedTuple):
    number: int
    values: list[float]

    def known(self, *fields: Field) -> float | None:
        """Return the first of some fields that is known."""
        return next((self.values[each] for each in fields if self.values[each] >= 0), None)

    @property
    def processors(self) -> int:
        """How many processors the job had asked for, else how many it got; 0 where neither is known."""
        values = self.values
        return max(int(values[Field.REQUESTED] if values[Field.REQUESTED] >= 1 else values[Field.ALLOCATED]), 0)


def read_swf(faults: Faults, options: ReadingOptions) -> Recording:
    """Read a log.

    Jobs whose run time or processors are not known, and lines that are a part of a run, are left out and counted.
    """
    reader = _Reader(faults, options)
    for number, text in enumerate(io.StringIO(faults.source.text), 1):
        if text.startswith(COMMENT):
            reader.header.read(text)
        elif text.strip():
            reader.take(number, text)
    return reader.finish()


class _Reader:
    def __init__(self, faults: Faults, options: ReadingOptions) -> None:
        self.faults = faults
        self.options = options
        self.header = Header()
        self.jobs: list[RecordedJob] = []
        self.seen: set[int] = set()
        self.left_out: Counter[str] = Counter()
        self.requests: dict[tuple[int, int], Requests] = {}
        self.queues: dict[float, str] = {}

    def take(self, number: int, text: str) -> None:
        """Take in the line of a job."""
        words = text.split()
        if len(words) != FIELDS:
            message = f"expected {FIELDS} fields, found {len(words)}"
            self.faults.refuse(message, number, len(text.rstrip()) + 1, code=WRONG_FORM)
            return
        try:
            line = _Line(number, list(map(float, words)))
        except ValueError:
            self._refuse_words(number, text)
            return
        if not all(map(math.isfinite, line.values)):
            self._refuse_words(number, text)
        elif self._is_sound(line, text) and not self._is_left_out(line):
            self.jobs.append(self._job(line))

    def _is_sound(self, line: _Line, text: str) -> bool:
        """Tell whether the numbers of a line are within bounds, and refuse those that are not."""
        values = line.values
        number = int(values[Field.NUMBER])
        if number < 0:
            return self._refuse(line, text, Field.NUMBER, "expected a job number of at least 0")
        for which, (most, what) in _BOUNDS.items():
            if values[which] > most:
                return self._refuse(line, text, which, f"{_NAMES[which]} is more than {what}")
        if number in self.seen and values[Field.STATUS] not in _PARTS_OF_RUNS:
            return self._refuse(line, text, Field.NUMBER, f"job {number} is given twice")
        if values[Field.STATUS] not in _PARTS_OF_RUNS:
            self.seen.add(number)
        return True

    def _is_left_out(self, line: _Line) -> bool:
        """Tell whether a line is no job that can be replayed, and count it."""
        if line.values[Field.STATUS] in _PARTS_OF_RUNS:
            why = "a part of a run, which has a line as a whole too"
        elif line.known(Field.SUBMITTED) is None:
            why = "without a submit time"
        elif line.known(Field.SECONDS) is None:
            why = "without a run time, such as those cancelled before they started"
        elif not line.processors:
            why = "without a number of processors"
        else:
            return False
        self.left_out[why] += 1
        return True

    def _job(self, line: _Line) -> RecordedJob:
        values = line.values
        memory = int(line.known(Field.REQUESTED_MEMORY, Field.USED_MEMORY) or 0) if self.options.has_nodes else 0
        per_pod = self.options.processors_per_pod or self.header.per_node
        whole, rest = divmod(line.processors, per_pod)
        seconds = (values[Field.SECONDS],)
        tasks = []
        if whole:
            tasks.append(RecordedTask("worker", whole, self._requests(per_pod, memory), seconds))
        if rest:
            tasks.append(RecordedTask("rest" if whole else "worker", 1, self._requests(rest, memory), seconds))
        name = f"job-{int(values[Field.NUMBER])}"
        pods = whole + bool(rest)
        return RecordedJob("default", name, self._queue(line), values[Field.SUBMITTED], tuple(tasks), pods)

    def _requests(self, processors: int, memory: int) -> Requests:
        """Return what a pod of some processors requests; the memory is in KiB by processor."""
        key = processors, memory
        if key not in self.requests:
            amounts = [("cpu", str(processors))] + ([("memory", f"{memory * processors}Ki")] if memory else [])
            self.requests[key] = tuple(amounts)
        return self.requests[key]

    def _queue(self, line: _Line) -> str:
        which = _BY_QUEUE.get(self.options.queue_of or QueueOf.QUEUE)
        value = line.known(which) if which is not None else None
        if which is None or value is None:
            return "default"
        if value not in self.queues:
            plain = f"{which.name.lower()}-{int(value)}"
            self.queues[value] = object_name(self.header.names.get((which, int(value)), plain), plain)
        return self.queues[value]

    def finish(self) -> Recording:
        """Return what was read, and count what was left out."""
        for why, number in self.left_out.items():
            self.faults.leave_out(number, "line", why)
        self.jobs.sort(key=lambda job: job.arrival)
        return Recording(self.jobs, [] if self.options.has_nodes else self._nodes())

    def _nodes(self) -> list[RecordedNode]:
        """Return the nodes that comments tell of; of 1 processor each, where they tell but one number."""
        number = self.header.nodes or self.header.processors
        if number > _MOST_NODES:
            message = f"the comments tell of {number:,} nodes, more than the {_MOST_NODES:,} that are made"
            self.faults.refuse(message, hint="give the nodes in a snapshot beside the log", code="too-large")
            return []
        allocatable = ("cpu", str(self.header.per_node)), ("pods", _PODS)
        width = len(str(max(number - 1, 0)))
        return [RecordedNode(f"node-{index:0{width}d}", allocatable) for index in range(number)]

    # --- faults ------------------------------------------------------------------------------------------------------

    def _refuse(self, line: _Line, text: str, which: Field, message: str) -> bool:
        column = next(match.start() + 1 for index, match in enumerate(_WORD.finditer(text)) if index == which)
        self.faults.refuse(message, line.number, column)
        return False

    def _refuse_words(self, number: int, text: str) -> None:
        """Refuse the first word of a line that is no number."""
        for index, match in enumerate(_WORD.finditer(text)):
            if finite_number(match[0]) is None:
                what = next((name for which, name in _NAMES.items() if which == index), f"field {index + 1}")
                self.faults.refuse(f"expected a number for {what}, got {match[0]!r}", number, match.start() + 1)
                return
