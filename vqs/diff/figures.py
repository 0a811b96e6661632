"""The figures that conditions of --fail-on can be about, a row each; `vqs.sweep.figures` adds those that plans know."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any, Final, Literal, NamedTuple

from vqs.diff.outcome import Diff, Figures, JobSide, QueueDifference, QueueSide
from vqs.diff.queues import share_loss

Better = Literal["more", "less"]
"""Whether more of a figure is better, or less of it."""
Unit = Literal["count", "part", "amount", "seconds", "text"]
Of = Literal["", "resource", "queue", "priority", "job"]
"""What has a figure; an empty text is the cluster, or the difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of figure.

    Readers are no lambdas, so that plans can be sent to other processes.

    Attributes:
        name: what it is called; of a queue, a priority or a job, what follows their name.
        of: what has it.
        means: what it is.
        unit: a part of a whole is between 0 and 1; an amount is one of each resource.
        better: whether more of it is better or less; None where neither is by itself.
        has_base: whether the base of a comparison has it, too; a figure of the difference itself it does not have.
        alone: whether it may stand without a value, and means then that there is any, or more than in the base.
        certain: whether manifests alone say it, so that it is known whatever a session decides.
        title: what a message calls it; empty where that is its name.
        read: reads it of a comparison: of the difference where the base has none, else of what has it on one side.
        largest: the change that makes a figure of shares what it is.
        run: what has to be run to know it of a point of a plan, by the name of `vqs.sweep.figures.EVALUATIONS`.
        read_point: reads it of a point, given what came of that run, and the parts of the figure.
        missing: what the lack of a number is called; in documents it is null.
        unknown: why it may not be known.
    """

    name: str
    means: str
    of: Of = ""
    unit: Unit = "count"
    better: Better | None = None
    has_base: bool = True
    alone: bool = False
    certain: bool = False
    title: str = ""
    read: Callable[[Any], float | None] | None = None
    largest: Callable[[Diff], ShareChange | None] | None = None
    run: str = ""
    read_point: Callable[[Any, tuple[str, ...]], float | str | None] | None = None
    missing: str = "unlimited"
    unknown: str = "no plugin divides resources by queue, or scheduling is blocked"

    @property
    def key(self) -> str:
        """Its name among all figures, such as ``placed`` and ``job.placed``."""
        return self.name if self.of in ("", "resource") else f"{self.of}.{self.name}"


Kinds = Mapping[str, Kind]
"""Kinds of figures by their keys."""


def by_key(kinds: Iterable[Kind]) -> dict[str, Kind]:
    """Kinds of figures by their keys."""
    return {each.key: each for each in kinds}


# --- shares -----------------------------------------------------------------------------------------------------------


class ShareChange(NamedTuple):
    """A change of a queue's share: by how much, and from what to what."""

    queue: str
    by: float
    before: float
    after: float
    what: str = ""
    of: str = ""


def _share(side: QueueSide | None) -> float:
    """The share of a queue, 0 where it is missing."""
    return side.share if side else 0.0


def _largest_change(diff: Diff) -> ShareChange | None:
    """The largest change of a share, up or down; of the first queue by name, where several change as much."""
    found = (
        ShareChange(each.name, abs(_share(each.after) - _share(each.before)), _share(each.before), _share(each.after))
        for each in diff.queues
    )
    return max(found, key=lambda each: each.by, default=None)


def _largest_loss(diff: Diff) -> ShareChange | None:
    """The largest loss of a queue, of what it deserved; of the first queue by name, where several lose as much."""
    found = [
        ShareChange(
            each.name,
            loss.by,
            loss.before,
            loss.after,
            f"{loss.what} ",
            f" of its {loss.of} {loss.resource} in the base",
        )
        for each in diff.queues
        if (loss := share_loss(each)) is not None
    ]
    return max(found, key=lambda each: each.by, default=None)


def _size(largest: Callable[[Diff], ShareChange | None], diff: Diff) -> float:
    """The size of the largest change; it is not a number where no plugin computes shares on a side."""
    if None in (diff.figures_before.share_spread, diff.figures_after.share_spread):
        return math.nan
    found = largest(diff)
    return found.by if found else 0.0


def _spread(figures: Figures) -> float:
    return math.nan if figures.share_spread is None else figures.share_spread


# --- jobs, tasks and findings -----------------------------------------------------------------------------------------

_PLACED: Final = ("Allocated", "Binding", "Bound", "Running")


def _tasks_in(statuses: Sequence[str], job: JobSide) -> float:
    return sum(job.statuses.get(status, 0) for status in statuses)


def _jobs_with(change: str, diff: Diff) -> float:
    return float(sum(change in job.changes for job in diff.jobs))


def _unplaced(diff: Diff) -> float:
    """The number of jobs that lose their places, with those that are gone and had some."""
    gone = [job.before for job in diff.jobs if not job.after]
    return _jobs_with("unplaced", diff) + sum(_tasks_in(_PLACED, side) > 0 for side in gone if side)


def _removed(diff: Diff) -> float:
    """The number of jobs of which all or a task no longer exists, or is orphaned."""
    gone = {"removed", "left-alone"}
    removed = (not gone.isdisjoint(job.changes) or any(task.after is None for task in job.tasks) for job in diff.jobs)
    return float(sum(removed))


def _configuration(diff: Diff) -> float:
    return float(diff.configuration is not None)


def _errors(diff: Diff) -> float:
    return sum(each.change == "new" and each.finding.severity == "error" for each in diff.findings)


# --- the table --------------------------------------------------------------------------------------------------------

_Row = tuple[str, Better | None, Callable[[Any], float | None], str]
"""The name of a figure, its direction, its reader, and what it means."""

_OF_DIFFERENCE: Final[Sequence[_Row]] = (
    ("evictions", "less", attrgetter("summary.evictions_added"), "tasks that are evicted, and were not"),
    ("unplaced", "less", _unplaced, "jobs with tasks that have a place in the base, and none in the candidate"),
    ("losers", "less", attrgetter("summary.lose"), "jobs that are worse off in any way"),
    (
        "waits",
        "less",
        partial(_jobs_with, "waits-instead"),
        "jobs with tasks that wait with a reserved node instead of placed",
    ),
    ("removed", "less", _removed, "jobs that are removed, orphaned as their queue is deleted, or that lose tasks"),
    ("moved", "less", partial(_jobs_with, "moved"), "jobs on other nodes"),
    ("jobs", "less", attrgetter("summary.jobs"), "jobs that are affected in any way"),
    ("settings", "less", attrgetter("summary.settings"), "settings of the configuration that differ"),
    ("configuration", "less", _configuration, "the configuration is gone, new or moved, or has another beside it"),
    ("findings", "less", attrgetter("summary.findings_new"), "new findings of vqs lint"),
    ("errors", "less", _errors, "new findings of vqs lint that are errors"),
    ("silences", "less", attrgetter("silences"), "silences of findings that the base does not have"),
)
_OF_CLUSTER: Final[Sequence[_Row]] = (
    ("pending", "less", attrgetter("pending"), "tasks that are pending, in the candidate"),
    ("placed", "more", attrgetter("placed"), "tasks that are placed, in the candidate"),
    ("pipelined", None, attrgetter("pipelined"), "tasks that are pipelined, in the candidate"),
    ("gangs", "more", attrgetter("full_gangs"), "jobs with as many ready tasks as they need, in the candidate"),
    ("pods-lost", "less", attrgetter("pods_lost"), "pods that evictions and, after these, controllers take off nodes"),
    ("restarted", "less", attrgetter("restarted"), "of the pods that are lost, those that are made again"),
)
_OF_RESOURCE: Final[Sequence[_Row]] = (
    ("utilisation", "more", attrgetter("used_after"), "how full the cluster is, in the candidate"),
    ("stranded", "less", attrgetter("stranded_after"), "how much of the idle resources is stranded, in the candidate"),
)
_OF_QUEUE: Final[Sequence[_Row]] = (
    ("deserved", None, attrgetter("deserved"), "what the queue deserves"),
    ("allocated", "more", attrgetter("allocated"), "what its tasks hold"),
    ("guarantee", None, attrgetter("guarantee"), "what it is guaranteed"),
    ("capability", None, attrgetter("capability"), "the most that it may have"),
    ("realCapability", None, attrgetter("real_capability"), "what the guarantees of others leave of that"),
    ("request", None, attrgetter("request"), "what its tasks request"),
    ("inqueue", None, attrgetter("inqueue"), "what its admitted jobs have been promised"),
)
_OF_JOB: Final[Sequence[_Row]] = (
    ("placed", "more", partial(_tasks_in, _PLACED), "tasks that are placed, or run"),
    ("pipelined", None, partial(_tasks_in, ("Pipelined",)), "tasks that are pipelined"),
    ("pending", "less", partial(_tasks_in, ("Pending",)), "tasks that are pending"),
    ("evicted", "less", attrgetter("evicted"), "tasks that the session evicts"),
    ("ready", "more", attrgetter("ready"), "tasks that count towards the minimum"),
    ("tasks", None, attrgetter("tasks"), "all tasks"),
)
_CERTAIN: Final = frozenset(
    {
        *("configuration", "errors", "findings", "removed", "settings", "silences"),
        *("queue.capability", "queue.guarantee", "job.tasks"),
    }
)
"""Figures that manifests say alone, so that they are known whatever a session decides."""
_LOSS: Final = (
    "how much of what it deserved in the base a queue that is worse off loses: of what it is allocated; where that is "
    "the same, of what it deserves and requests"
)
_CHANGES_OF_SHARES: Final = (
    ("share", "change of share", _largest_change, "by how much the share of a queue changes, of the one with the most"),
    ("share-loss", "loss of share", _largest_loss, _LOSS),
)


def _kinds(rows: Iterable[_Row], of: Of, **more: Any) -> Iterator[Kind]:
    for name, better, read, means in rows:
        yield Kind(name=name, of=of, better=better, read=read, means=means, **more)


def _differences() -> Iterator[Kind]:
    yield from _kinds(_OF_DIFFERENCE, "", has_base=False, alone=True)
    for name, title, largest, means in _CHANGES_OF_SHARES:
        row: _Row = (name, "less", partial(_size, largest), means)
        yield from _kinds([row], "", unit="part", title=title, largest=largest, has_base=False)
    yield Kind(name="spread", unit="part", better="less", read=_spread, means="how far the shares of queues are apart")
    for each in _kinds(_OF_CLUSTER, ""):
        yield replace(each, alone=each.name in ("pods-lost", "restarted"))
    yield from _kinds(_OF_RESOURCE, "resource", unit="part")
    yield from _kinds(_OF_QUEUE, "queue", unit="amount")
    yield Kind(name="share", of="queue", unit="part", read=_share, means="its share")
    yield from _kinds(_OF_JOB, "job")


DIFFERENCES: Final[Kinds] = by_key(replace(each, certain=each.key in _CERTAIN) for each in _differences())
"""The figures of --fail-on of `vqs diff-configs`, by their keys."""

LINT: Final = frozenset({"findings", "errors", "silences"})
"""Figures that are known only where rules have looked."""
_OF_THE_SPEC: Final = ("allocated", "guarantee", "capability")
"""Figures of a queue that are known without a plugin that looks at it."""


def resources_of(queues: Iterable[QueueDifference]) -> Collection[str]:
    """The resources of which some queue has an amount on either side."""
    amounts = [each.read for each in DIFFERENCES.values() if each.unit == "amount" and each.read]
    sides = [side for queue in queues for side in (queue.before, queue.after) if side is not None]
    return {name for side in sides for read in amounts for name in _amounts(read, side)}


def _amounts(read: Callable[[Any], Any], side: QueueSide) -> Mapping[str, float | None]:
    found: Mapping[str, float | None] = read(side)
    return found


def queue_figure(side: QueueSide | None, name: str, resource: str = "", *, shares_known: bool) -> float | None:
    """A figure of a queue; it is no number where only a plugin would know it, and there is none.

    A missing amount, and one of a missing queue, is nothing, an unlimited one more than any. Of a queue that no plugin
    looks at, the limit is not known; it deserves nothing, as it asks for nothing.
    """
    if not shares_known and name not in _OF_THE_SPEC:
        return math.nan
    if not resource or side is None:
        return _share(side) if not resource else 0.0
    if name == "realCapability" and not side.considered:
        return None
    read = DIFFERENCES[f"queue.{name}"].read
    value = _amounts(read, side).get(resource, None if name == "capability" else 0.0) if read else 0.0
    return math.inf if value is None else value
