"""What must not be: the language of --fail-on.

Conditions are separated by commas. Each is a figure, an operator and a value; a figure that is a count may stand alone,
and then means that there is any. A value is a number, for parts of a whole up to 1 or a percentage, for resources an
amount such as 20Gi or 500m, or ``base``, which is the same figure in the base. A figure that is not known, as no plugin
looks at queues or scheduling is blocked, is one that must not be, and so is one that is compared with such a base.

======================================== ============================================================================
``evictions``                            tasks that are evicted, and were not
``unplaced``                             jobs with tasks that have a place in the base, and none in the candidate
``losers``                               jobs that are worse off in any way
``waits``                                jobs with tasks that are pipelined instead of placed
``removed``                              jobs that are removed, orphaned as their queue is deleted, or that lose tasks:
                                         these exist in the base only
``moved``                                jobs on other nodes
``jobs``                                 jobs that are affected in any way
``settings``                             settings of the configuration that differ
``configuration``                        the configuration as a whole is gone, new or moved, or has another beside it
``findings``, ``errors``                 new findings of vqs lint; of these, the errors
``silences``                             silences of findings that the base does not have
``share``                                by how much the share of a queue changes, up or down: in percentage points,
                                         of the queue where it is most
``share-loss``                           how much a queue that is worse off loses, in percentage points of what it
                                         deserved in the base, of the queue and resource where it is most: of what it
                                         is allocated; where that is the same, of what it deserves and requests
``spread``                               how far the shares of the queues are apart
``pending``, ``placed``, ``pipelined``   tasks, in the candidate
``pods-lost``                            pods that had a node and are gone because of evictions, in the candidate: those
                                         that are evicted, and those that controllers then delete (RestartJob and so
                                         on); alone, more than in the base
``restarted``                            of these, the pods that are made again and start anew
``gangs``                                jobs with as many ready tasks as they need, in the candidate
``utilisation.RESOURCE``                 how full the cluster is, in the candidate
``stranded.RESOURCE``                    how much of the idle resources is stranded, in the candidate
``queue:NAME.FIGURE``                    share of a queue, in the candidate
``queue:NAME.FIGURE.RESOURCE``           deserved, allocated, guarantee, capability, realCapability, request, inqueue
``job:NAMESPACE/NAME.FIGURE``            placed, pipelined, pending, evicted, ready or tasks of a job; those that run
                                         count as placed; its name is what people call it, or its PodGroup's
``strict``                               no figure: all conditions above that name no resource, queue or job, each with
                                         its strictest value
======================================== ============================================================================
"""

from __future__ import annotations

import math
import operator
import re
import string
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Final, NamedTuple

from vqs.diff.left_out import could_touch
from vqs.diff.outcome import Diff, Failure, Figures, JobDifference, JobSide, QueueDifference, QueueSide
from vqs.diff.queues import share_loss
from vqs.model.durations import write_seconds
from vqs.model.job_name import JobName
from vqs.model.quantity import parse
from vqs.model.resource import PODS
from vqs.model.wording import first_names
from vqs.snapshot.controllers.job_names import unknown_job
from vqs.snapshot.reading.diagnostics import did_you_mean

BASE: Final = "base"
"""The value that stands for the same figure in the base."""

_OPERATORS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_LARGE: Final = 10_000
"""Numbers from here on are printed without decimals."""
_DIGITS: Final = 10
"""How many digits of a number in a condition count: more than people write, fewer than a float has."""

_DECIMALS_OF_SECONDS: Final = 2
_MOST_UNKNOWN: Final = 3
"""How much of what is not known is named."""

SIGN: Final = re.compile(r"<=|>=|!=|==|<|>|=")


class ConditionError(Exception):
    """A condition cannot be understood, or names something that is not there.

    `text` is all that was given, `at` the offset in it of what is wrong.
    """

    def __init__(self, message: str, text: str, at: int, hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.text = text
        self.at = at


class _Values(NamedTuple):
    """A figure in the base and in the candidate; None where there is none to be had, as a queue has no jobs.

    It is no number (NaN) where no plugin divides resources by queue, or scheduling is blocked.
    """

    before: float | None
    after: float | None


JobSides = tuple[JobSide | None, JobSide | None]
"""A job in the base and in the candidate."""


class Compared(NamedTuple):
    """A difference, and what conditions ask of jobs: those that do not differ are not in it.

    `names` are those of all jobs; `jobs` has, for each name that was asked for, both sides of the jobs that it stands
    for, by what they are called.
    """

    diff: Diff
    names: Collection[JobName]
    jobs: Mapping[str, Mapping[str, JobSides]]


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition.

    Attributes:
        text: as it was written.
        figure: what is looked at: its parts, the first of which is its kind.
        sign: how it is compared.
        value: with what; None is the base.
        source: all that was given, for messages.
        at: where in it the condition begins.
        of_time: whether it is about a span of time, in seconds.
        missing: what an infinite value is called.
    """

    text: str
    figure: tuple[str, ...]
    sign: str
    value: float | None
    source: str
    at: int
    of_time: bool = False
    missing: str = "unlimited"

    @property
    def job(self) -> str:
        """The job that it is about; empty where it is about none."""
        return self.figure[1] if self.figure[0] == "job" else ""

    def holds(self, compared: Compared) -> Failure | None:
        """Return what makes it hold, None where it does not.

        Raises:
            ConditionError: it names something that neither side has.
        """
        diff = compared.diff
        kind = self.figure[0]
        if kind in COUNTS:
            values = _Values(0.0, COUNTS[kind](diff))
        elif kind in TOTALS:
            values = _Values(TOTALS[kind](diff.figures_before), TOTALS[kind](diff.figures_after))
        elif kind in PARTS:
            values = self._of_resource(diff)
        elif kind == "queue":
            values = self._of_queue(diff)
        else:
            values = self._of_job(compared)
        limit = values.before if self.value is None else self.value
        if values.after is None or limit is None:
            return self._unknown_outcome(diff)
        for value, side, verb in ((values.after, diff.after, "is"), (limit, diff.before, "was")):
            if math.isnan(value):
                why = (
                    f"scheduling {verb} blocked" if side.session.standstill else "no plugin divides resources by queue"
                )
                return Failure(condition=self.text, text=f"{self.name} {verb} unknown: {why}", unknown=True)
        if not self.is_met(values.after, limit):
            return self._unknown_outcome(diff)
        return Failure(condition=self.text, text=self._said(diff, values, limit))

    def _unknown_outcome(self, diff: Diff) -> Failure | None:
        """Return that the figure is not known, where a change brings something that could touch it and is not known."""
        if not diff.unknown or not could_touch(self.figure):
            return None
        what = first_names(diff.unknown, _MOST_UNKNOWN)
        return Failure(condition=self.text, text=f"{self.name} is unknown: it hangs on {what}", unknown=True)

    def is_met(self, value: float, limit: float) -> bool:
        """Tell whether a value of the figure, as it is printed, compares with a limit as the condition says."""
        return _OPERATORS[self.sign](self._printed(value), self._limit(limit))

    def written(self, value: float) -> str:
        """Write a value of the figure in the unit of the condition."""
        if math.isinf(value):
            return self.missing
        return write_seconds(value) if self.of_time and not math.isnan(value) else _number(value, self._unit)

    def beside_limit(self, said: str, limit: float) -> str:
        """Return what is said of a value, and what it must not be; a figure that stands alone says that itself."""
        if sign_at(self.text) == len(self.text):
            return said
        is_as_printed = self.value is None or self.of_time
        wanted = self.written(limit) if is_as_printed else _written(self._limit(limit), self._unit)
        return f"{said}, and must not be {self.sign} {wanted}"

    def _said(self, diff: Diff, values: _Values, limit: float) -> str:
        figure = SHARE_CHANGES.get(self.figure[0])
        said = f"{figure.title if figure else self.name} is {self.written(values.after or 0.0)}"
        if figure and (most := figure.most(diff)) is not None:
            before, after = map(self.written, (most.before, most.after))
            said += f" (queue {most.queue}: {most.what}{before} → {after}{most.of})"
        if values.before is not None and self.figure[0] not in COUNTS:
            said += f" (it was {self.written(values.before)})"
        return self.beside_limit(said, limit)

    def _limit(self, limit: float) -> float:
        """Return what is compared with, in the unit of the condition: the base as it is printed, else as given."""
        if self.value is None:
            return self._printed(limit)
        return float(f"{_in(limit, self._unit):.{_DIGITS}g}")

    def _printed(self, value: float) -> float:
        return round(value, _DECIMALS_OF_SECONDS) if self.of_time else _printed(value, self._unit)

    @property
    def _unit(self) -> str:
        return "" if self.value is None or self.of_time else _unit(self.text[sign_at(self.text) :])

    @property
    def name(self) -> str:
        """The figure, as it was written."""
        return self.text[: sign_at(self.text)].strip()

    def _of_resource(self, diff: Diff) -> _Values:
        kind, resource = self.figure
        known = {name for side in (diff.before, diff.after) for name in side.session.total_resource} - {PODS}
        if resource not in known:
            raise self._unknown("resource", resource, known)
        sides = (
            {each.resource: each for each in side.utilisation} for side in (diff.figures_before, diff.figures_after)
        )
        # A resource that does not exist, or that nothing asks for, is not used.
        return _Values(*(getattr(side[resource], PARTS[kind]) if resource in side else 0.0 for side in sides))

    def _of_queue(self, diff: Diff) -> _Values:
        _, name, field, *resource = self.figure
        queues = {queue.name: queue for queue in diff.queues}
        if name not in queues:
            raise self._unknown("queue", name, queues)
        known = {each for queue in diff.queues for side in (queue.before, queue.after) for each in _resources(side)}
        if resource and resource[0] not in known:
            raise self._unknown("resource", resource[0], known)
        sides = ((queues[name].before, diff.figures_before), (queues[name].after, diff.figures_after))
        return _Values(
            *(
                queue_figure(side, field, *resource, shares_known=figures.share_spread is not None)
                for side, figures in sides
            )
        )

    def _of_job(self, compared: Compared) -> _Values:
        field = self.figure[2]
        found = compared.jobs[self.job]
        if len(found) > 1:
            message = f"there are {len(found)} jobs '{self.job}'"
            conditions = (quote(self.text.replace(self.job, name, 1)) for name in sorted(found))
            raise self._wrong(message, self.job, f"write one of {', '.join(conditions)}")
        for sides in found.values():
            return _Values(*(JOB[field](side) if side else 0.0 for side in sides))
        hint = unknown_job(self.job, compared.names)
        known = sorted({name.display for name in compared.names})
        hint = hint or (f"there are {', '.join(known)}" if known else "")
        raise self._wrong(f"there is no job '{self.job}'", self.job, hint)

    def _unknown(self, kind: str, name: str, known: Collection[str]) -> ConditionError:
        hint = did_you_mean(name, known) or f"there are {', '.join(sorted(known))}" if known else ""
        return self._wrong(f"there is no {kind} '{name}'", name, hint)

    def _wrong(self, message: str, name: str, hint: str) -> ConditionError:
        return ConditionError(message, self.source, self.at + max(self.text.find(name), 0), hint)


# --- figures ----------------------------------------------------------------------------------------------------------


def _jobs_with(diff: Diff, *changes: str) -> float:
    return float(sum(not set(changes).isdisjoint(job.changes) for job in diff.jobs))


def _unplaced(diff: Diff) -> float:
    """Count the jobs that lose their places, with those that are gone and had some."""
    gone = [job.before for job in diff.jobs if not job.after]
    return _jobs_with(diff, "unplaced") + sum(JOB["placed"](side) > 0 for side in gone if side)


def _takes_away(job: JobDifference) -> bool:
    """Tell whether a job, or one of its tasks, no longer exists or is orphaned."""
    is_gone = not {"removed", "left-alone"}.isdisjoint(job.changes)
    return is_gone or any(task.after is None for task in job.tasks)


class _ShareChange(NamedTuple):
    """A change of a queue's share: by how much, and from what to what."""

    queue: str
    by: float
    before: float
    after: float
    what: str = ""
    of: str = ""


class _ShareFigure(NamedTuple):
    """A figure of queues' shares: what it is called, and how a queue's own is found."""

    title: str
    of_queue: Callable[[QueueDifference], _ShareChange | None]

    def most(self, diff: Diff) -> _ShareChange | None:
        """Return the largest change; of the first queue by name, where several change as much."""
        found = (self.of_queue(each) for each in diff.queues)
        return max((each for each in found if each), key=lambda each: each.by, default=None)

    def size(self, diff: Diff) -> float:
        """Return the size of the largest change; it is not a number where no plugin computes shares on a side."""
        if None in (diff.figures_before.share_spread, diff.figures_after.share_spread):
            return math.nan
        most = self.most(diff)
        return most.by if most else 0.0


def _change_of_share(queue: QueueDifference) -> _ShareChange:
    """Return the change of a queue's share, up or down; the share of a missing queue is 0."""
    before, after = _share(queue.before), _share(queue.after)
    return _ShareChange(queue.name, abs(after - before), before, after)


def _loss_of_share(queue: QueueDifference) -> _ShareChange | None:
    loss = share_loss(queue)
    if loss is None:
        return None
    of = f" of its {loss.of} {loss.resource} in the base"
    return _ShareChange(queue.name, loss.by, loss.before, loss.after, f"{loss.what} ", of)


SHARE: Final = "share"
SPREAD: Final = "spread"

SHARE_CHANGES: Final[Mapping[str, _ShareFigure]] = {
    SHARE: _ShareFigure("change of share", _change_of_share),
    "share-loss": _ShareFigure("loss of share", _loss_of_share),
}

COUNTS: Final[Mapping[str, Callable[[Diff], float]]] = {
    "evictions": lambda diff: diff.summary.evictions_added,
    "unplaced": _unplaced,
    "losers": lambda diff: diff.summary.lose,
    "waits": lambda diff: _jobs_with(diff, "waits-instead"),
    "removed": lambda diff: float(sum(_takes_away(job) for job in diff.jobs)),
    "moved": lambda diff: _jobs_with(diff, "moved"),
    "jobs": lambda diff: diff.summary.jobs,
    "settings": lambda diff: diff.summary.settings,
    "configuration": lambda diff: diff.configuration is not None,
    "findings": lambda diff: diff.summary.findings_new,
    "errors": lambda diff: sum(each.change == "new" and each.finding.severity == "error" for each in diff.findings),
    "silences": lambda diff: diff.silences,
    **{name: change.size for name, change in SHARE_CHANGES.items()},
}
"""Figures of the difference itself: in the base they are nothing."""

LOST: Final[Mapping[str, Callable[[Figures], float]]] = {
    "pods-lost": lambda figures: figures.pods_lost,
    "restarted": lambda figures: figures.restarted,
}
"""What evictions cost in the end."""

TOTALS: Final[Mapping[str, Callable[[Figures], float]]] = {
    SPREAD: lambda figures: math.nan if figures.share_spread is None else figures.share_spread,
    "pending": lambda figures: figures.pending,
    "placed": lambda figures: figures.placed,
    "pipelined": lambda figures: figures.pipelined,
    "gangs": lambda figures: figures.full_gangs,
    **LOST,
}
PARTS: Final[Mapping[str, str]] = {"utilisation": "used_after", "stranded": "stranded_after"}
AMOUNTS: Final[Mapping[str, str]] = {
    "deserved": "deserved",
    "allocated": "allocated",
    "guarantee": "guarantee",
    "capability": "capability",
    "realCapability": "real_capability",
    "request": "request",
    "inqueue": "inqueue",
}
JOB: Final[Mapping[str, Callable[[JobSide], float]]] = {
    "placed": lambda job: sum(job.statuses.get(status, 0) for status in ("Allocated", "Binding", "Bound", "Running")),
    "pipelined": lambda job: job.statuses.get("Pipelined", 0),
    "pending": lambda job: job.statuses.get("Pending", 0),
    "evicted": lambda job: job.evicted,
    "ready": lambda job: job.ready,
    "tasks": lambda job: job.tasks,
}
LINT: Final = ("findings", "errors", "silences")
"""Figures that are known only where rules have looked."""
ALONE: Final = (*(name for name in COUNTS if name not in SHARE_CHANGES), *LOST)
_OF_THE_SPEC: Final = ("allocated", "guarantee", "capability")
"""Figures of a queue that are known without a plugin that looks at it."""

NAMED: Final[Mapping[str, Sequence[str]]] = {"queue": (*AMOUNTS, SHARE), "job": tuple(JOB)}


class Language(NamedTuple):
    """The figures that conditions may be about.

    Attributes:
        counts: figures of a difference, which the base does not have.
        alone: those of them that need no value.
        totals: figures of a session.
        parts: figures of a resource that are parts of a whole.
        named: the figures of a queue, of a job and so on, by what stands before the colon.
        shares: the figures of a queue that are parts of a whole.
        times: the figures of the whole cluster, and those of a queue, priority or job, that are spans of time.
    """

    counts: Collection[str] = tuple(COUNTS)
    alone: Collection[str] = ALONE
    totals: Collection[str] = tuple(TOTALS)
    parts: Collection[str] = tuple(PARTS)
    named: Mapping[str, Sequence[str]] = NAMED
    shares: Collection[str] = (SHARE,)
    times: Collection[str] = ()

    def is_part(self, figure: tuple[str, ...]) -> bool:
        """Tell whether a figure is a part of a whole."""
        if figure[0] in self.named:
            return figure[0] == "queue" and figure[2] in self.shares
        return figure[0] in (*self.parts, *SHARE_CHANGES, SPREAD)

    def is_time(self, figure: tuple[str, ...]) -> bool:
        """Tell whether a figure is a span of time."""
        return (figure[2] if figure[0] in self.named else figure[0]) in self.times

    @property
    def figures(self) -> list[str]:
        """All figures, for messages."""
        named = {"queue": "queue:NAME.…", "priority": "priority:CLASS.…", "job": "job:NAMESPACE/NAME.…"}
        return [
            *self.counts,
            *shortened(self.totals, 2),
            *(f"{part}.RESOURCE" for part in self.parts),
            *(named[each] for each in self.named),
        ]


def shortened(names: Iterable[str], words: int) -> list[str]:
    """Return names for messages: of those with more words than these, which dots separate, one for all alike.

    >>> shortened(["started", "wait.mean", "wait.p95"], 1)
    ['started', 'wait.…']
    """
    parts = (name.split(".") for name in names)
    return list(dict.fromkeys(".".join([*each[:words], *("…" for _ in each[words : words + 1])]) for each in parts))


OF_DIFFERENCES: Final = Language()
"""What --fail-on of `vqs diff-configs` knows."""


def _resources(side: QueueSide | None) -> Iterable[str]:
    return () if side is None else (name for field in AMOUNTS.values() for name in getattr(side, field))


def queue_figure(side: QueueSide | None, field: str, resource: str = "", *, shares_known: bool) -> float | None:
    """Return a figure of a queue; it is no number where only a plugin would know it, and there is none."""
    if not shares_known and field not in _OF_THE_SPEC:
        return math.nan
    if resource:
        return _amount(side, AMOUNTS[field], resource)
    return _share(side)


def _share(side: QueueSide | None) -> float:
    return side.share if side else 0.0


def _amount(side: QueueSide | None, field: str, resource: str) -> float | None:
    """Return an amount; a missing one, and one of a missing queue, is nothing, an unlimited one more than any.

    Of a queue that no plugin looks at, the limit is not known; it deserves nothing, as it asks for nothing.
    """
    if side is None:
        return 0.0
    if field == AMOUNTS["realCapability"] and not side.considered:
        return None
    missing = None if field == AMOUNTS["capability"] else 0.0
    value: float | None = getattr(side, field).get(resource, missing)
    return float("inf") if value is None else value


# --- words ------------------------------------------------------------------------------------------------------------


def sign_at(text: str) -> int:
    """Return where the operator of a condition begins, its end where there is none."""
    match = SIGN.search(text)
    return match.start() if match else len(text)


def _unit(text: str) -> str:
    """Return the unit that a value ends with; empty where it is a plain number."""
    return text.rstrip()[len(text.rstrip().rstrip("%" + string.ascii_letters)) :]


def _number(value: float, unit: str) -> str:
    """Write a number in a unit as people would: with no more decimals than matter."""
    if math.isnan(value):
        return "not known"
    printed = _printed(value, unit)
    return (f"{printed:.4g}" if abs(printed) < _LARGE else f"{printed:,.0f}") + unit


def _printed(value: float, unit: str) -> float:
    """Return a number in a unit as it is printed, so that no message says that 71.43% is more than 71.43%."""
    value = _in(value, unit)
    return value if math.isinf(value) else float(f"{value:.4g}") if abs(value) < _LARGE else float(round(value))


def _in(value: float, unit: str) -> float:
    if unit:
        value /= 0.01 if unit == "%" else float(parse(f"1{unit}"))
    return value


def _written(value: float, unit: str) -> str:
    """Write a number that was given with all its digits."""
    return (f"{value:.{_DIGITS}g}" if abs(value) < _LARGE else f"{value:,.0f}") + unit


# --- what holds -------------------------------------------------------------------------------------------------------


def failures(conditions: Sequence[Condition], seen: Sequence[Compared]) -> tuple[list[Failure], list[Failure]]:
    """Return the conditions that hold under all ways to break ties, and those that hold under some, each with why.

    What is told is that of the first way under which it holds.

    Raises:
        ConditionError: a condition names something that neither side has.
    """
    always, sometimes = [], []
    for condition in conditions:
        held = [failure for failure in (condition.holds(each) for each in seen) if failure is not None]
        if len(held) == len(seen):
            always.append(held[0])
        elif held:
            text = f"{held[0].text}, under {len(held)} of {len(seen)} ways to break ties"
            sometimes.append(Failure(condition=condition.text, text=text, unknown=held[0].unknown))
    return always, sometimes
