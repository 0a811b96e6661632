"""The openb trace of GPU clusters in its two tables: the pods, and the nodes.

Times are in seconds since the start of the trace. Each pod becomes a job of one pod that arrives at `creation_time`. It
runs for ``deletion_time - scheduled_time``; one that was never scheduled, for ``deletion_time - creation_time``, which
is how long it was waited for. A pod that asks for a part of a GPU (`gpu_milli` below 1000) takes a whole one, as
Kubernetes counts them. `gpu_spec` names the models of GPUs that it can use, which `MODEL_LABEL` has on the nodes.
Source: the README of cluster-trace-gpu-v2023 in https://github.com/alibaba/clusterdata
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from vqs.model.durations import LONGEST
from vqs.model.quantity import finite_number
from vqs.replay.reading.faults import WRONG_FORM, Faults
from vqs.replay.reading.options import QueueOf, ReadingOptions
from vqs.replay.reading.recorded import RecordedJob, RecordedNode, RecordedTask, Recording, Requests, object_name
from vqs.snapshot.reading.diagnostics import did_you_mean

_POD_COLUMNS: Final = ("name", "cpu_milli", "memory_mib", "num_gpu", "creation_time", "deletion_time", "scheduled_time")
_POD_MAY_HAVE: Final = ("gpu_milli", "gpu_spec", "qos", "pod_phase")
_NODE_COLUMNS: Final = ("sn", "cpu_milli", "memory_mib", "gpu")
_NODE_MAY_HAVE: Final = ("model",)
_PODS_BEGIN: Final = "name,cpu_milli"
_NODES_BEGIN: Final = "sn,cpu_milli"
_MOST: Final = 2.0**53


def table_beginning(text: str) -> str | None:
    """Tell the table of pods and that of nodes by the first two names in a file; None where it is neither."""
    first = ",".join(name.strip() for name in text.partition("\n")[0].split(",")[:2])
    return first if first in (_PODS_BEGIN, _NODES_BEGIN) else None


def read_tables(files: Sequence[Faults], options: ReadingOptions) -> Recording:
    """Read the tables: one of pods, and one of nodes unless a snapshot has them."""
    pods = [faults for faults in files if table_beginning(faults.source.text) == _PODS_BEGIN]
    nodes = [faults for faults in files if table_beginning(faults.source.text) == _NODES_BEGIN]
    for faults in files:
        if faults not in pods and faults not in nodes:
            message = f"this is no table of openb: it begins neither with {_PODS_BEGIN} nor with {_NODES_BEGIN}"
            faults.refuse(message, 1, 1, code=WRONG_FORM)
    for tables in (pods, nodes):
        for second in tables[1:]:
            second.refuse("this is a second table of the same kind", 1, 1, code=WRONG_FORM)
    if not pods and not files[0].problems.has_errors:
        files[0].refuse("there is no table of pods beside this one", code=WRONG_FORM)
    jobs = read_pods(pods[0], options) if pods else []
    return Recording(jobs, read_nodes(nodes[0], options) if nodes and not options.has_nodes else [])


def read_pods(faults: Faults, options: ReadingOptions) -> list[RecordedJob]:
    """Read the table of pods; return one job for each, by arrival."""
    requests: dict[tuple[str, str, str], Requests] = {}
    jobs: list[RecordedJob] = []
    seen: set[str] = set()
    for row in _rows(faults, _POD_COLUMNS, _POD_MAY_HAVE):
        name = row.name(seen)
        created, deleted = row.seconds("creation_time"), row.seconds("deletion_time")
        scheduled = row.seconds("scheduled_time") if row.text("scheduled_time") else created
        gpus = row.amount("num_gpu")
        key = row.text("cpu_milli"), row.text("memory_mib"), row.text("num_gpu")
        if key not in requests:
            requests[key] = _amounts(row.amount("cpu_milli"), row.amount("memory_mib"), gpus)
        if not row.is_sound:
            continue
        if deleted < scheduled:
            row.refuse("deletion_time", "the pod is deleted before it is scheduled")
            continue
        models = tuple(row.text("gpu_spec").split("|")) if row.text("gpu_spec") else ()
        task = RecordedTask("worker", 1, requests[key], (deleted - scheduled,), models)
        queue = object_name(row.text("qos"), "default") if options.queue_of is QueueOf.QOS else "default"
        jobs.append(RecordedJob("default", name, queue, created, (task,), 1, submits_pods=True))
    jobs.sort(key=lambda job: job.arrival)
    return jobs


def read_nodes(faults: Faults, options: ReadingOptions) -> list[RecordedNode]:
    """Read the table of nodes; of those with equally many GPUs, the first ones are taken."""
    found: list[tuple[int, RecordedNode]] = []
    seen: set[str] = set()
    for row in _rows(faults, _NODE_COLUMNS, _NODE_MAY_HAVE):
        name = row.name(seen, "sn")
        gpus = row.amount("gpu")
        amounts = _amounts(row.amount("cpu_milli"), row.amount("memory_mib"), gpus)
        if row.is_sound:
            found.append((gpus, RecordedNode(name, amounts, row.text("model"))))
    if options.most_nodes is not None:
        found = sorted(found, key=lambda each: -each[0])[: options.most_nodes]
    return [node for _, node in found]


def _amounts(milli: int, mebibytes: int, gpus: int) -> Requests:
    amounts = [("cpu", f"{milli}m"), ("memory", f"{mebibytes}Mi")]
    return tuple([*amounts, ("nvidia.com/gpu", str(gpus))] if gpus else amounts)


class _Row:
    """A line of a table; what is wrong with it is reported when its values are asked for."""

    def __init__(self, faults: Faults, line: int, columns: Mapping[str, int], values: Sequence[str]) -> None:
        self.faults = faults
        self.line = line
        self.columns = columns
        self.values = values
        self.is_sound = True

    def text(self, column: str) -> str:
        """Return a value as it is written, empty where the table has no such column."""
        return self.values[self.columns[column]] if column in self.columns else ""

    def name(self, seen: set[str], column: str = "name") -> str:
        """Return the name of an object, and refuse one that is empty or was seen before."""
        written = self.text(column)
        name = object_name(written, "")
        if not name:
            self.refuse(column, "the name is empty")
        elif name in seen:
            self.refuse(column, f"{written} is given twice")
        seen.add(name)
        return name

    def seconds(self, column: str) -> float:
        """Return a time in seconds; 0 and a complaint where there is none."""
        return self._number(column, LONGEST, "a time in seconds, from 0 to 100 years")

    def amount(self, column: str) -> int:
        """Return a whole number; 0 and a complaint where there is none."""
        number = self._number(column, _MOST, "a whole number")
        if not number.is_integer():
            self.refuse(column, f"expected a whole number, got {self.text(column)!r}")
        return int(number)

    def _number(self, column: str, most: float, wanted: str) -> float:
        number = finite_number(self.text(column))
        if number is None or not 0 <= number <= most:
            self.refuse(column, f"expected {wanted}, got {self.text(column)!r}")
            return 0.0
        return number

    def refuse(self, column: str, message: str) -> None:
        """Report what is wrong with a value."""
        self.is_sound = False
        before = self.values[: self.columns[column]]
        place = sum(map(len, before)) + len(before) + 1  # the tables have no quotes, which would be in between
        self.faults.refuse(f"{column}: {message}", self.line, place)


def _rows(faults: Faults, required: Sequence[str], optional: Sequence[str]) -> Iterator[_Row]:
    """Yield the lines of a table that have as many values as there are columns."""
    reader = csv.reader(io.StringIO(faults.source.text), strict=True)
    try:
        names = [name.strip() for name in next(reader, [])]
        columns = {name: index for index, name in enumerate(names)}
        unknown = [name for name in names if name not in (*required, *optional)]
        missing = [name for name in required if name not in columns]
        for name in missing:
            near = next((each for each in unknown if did_you_mean(each, [name])), "")
            hint = f"rename the column {near}" if near else ""
            faults.refuse(f"the column {name} is missing", 1, 1, hint=hint, code=WRONG_FORM)
        if missing:
            return
        for values in reader:
            if not values:
                continue
            if len(values) != len(names):
                message = f"expected {len(names)} values, found {len(values)}"
                faults.refuse(message, reader.line_num, 1, code=WRONG_FORM)
                continue
            yield _Row(faults, reader.line_num, columns, values)
    except csv.Error as error:
        faults.refuse(f"not valid CSV: {error}", reader.line_num, 1, code=WRONG_FORM)
