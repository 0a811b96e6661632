"""What must not be, or must be: conditions on figures, in the language of --fail-on.

Conditions are separated by commas. Each is a figure, an operator and a value; a figure that is a count may stand alone,
and then means that there is any. A value is a number, for parts of a whole up to 1 or a percentage, for resources an
amount such as 20Gi or 500m, or ``base``, which is the same figure in the base. A figure that is not known, as no plugin
looks at queues or scheduling is blocked, is one that must not be, and so is one that is compared with such a base.
``strict`` stands for all conditions that name no resource, queue or job, each with its strictest value.

Conditions are read strictly: a mistake must not make one that never holds. `vqs.diff.figures` has the figures.
"""

from __future__ import annotations

import math
import operator
import re
import string
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Final, NamedTuple

from vqs.diff.figures import DIFFERENCES, Kind, Kinds, queue_figure, resources_of
from vqs.diff.outcome import Diff, Failure, JobSide
from vqs.model.durations import read_seconds, write_seconds
from vqs.model.job import JobName
from vqs.model.quantity import parse
from vqs.model.resource import PODS, is_in_bytes
from vqs.model.wording import count, first_names
from vqs.snapshot.controllers.job import unknown_job
from vqs.snapshot.reading.diagnostics import did_you_mean, one_of

BASE: Final = "base"
"""The value that stands for the same figure in the base."""
STRICT: Final = "strict"
"""What stands for all conditions on differences, and on the figures of the cluster, with their strictest values."""
_STRICTEST: Final = ",".join(
    f"{each.name}!={BASE}" if each.has_base else each.name if each.alone else f"{each.name}>0"
    for each in DIFFERENCES.values()
    if not each.of
)

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

_SIGN: Final = re.compile(r"<=|>=|!=|==|<|>|=")
_UNITS: Final = re.compile(r"(?:%|[A-Za-z]+)$")
_BLANK: Final = re.compile(r"\s(?!\(\w+\)\.)")
"""A blank in a name; one before the kind of a controller, as in ``training/web (Deployment)``, is part of it."""
_PERCENT: Final = "%"
_BINARY: Final = "i"
"""What the units of numbers of bytes end with: Ki, Mi, and so on."""

_COUNTED: Final = {
    "errors": "new lint error",
    "evictions": "new eviction",
    "findings": "new lint finding",
    "jobs": "affected job",
    "settings": "changed setting",
    "silences": "new silence",
    "unplaced": "unplaced job",
}
"""What a condition that stands alone counts."""


class ConditionError(Exception):
    """A condition cannot be understood, or names something that is not there.

    `text` is all that was given, `at` the offset in it of what is wrong.
    """

    def __init__(self, message: str, text: str, at: int, hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.text = text
        self.at = at


Measured = float | str | None
"""What is read of a figure of a point: infinite where there is no limit, or it never happens; no number (NaN) where it
is not known; None where there is no such thing."""

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


class _Values(NamedTuple):
    """A figure in the base and in the candidate; None where there is none to be had, as a queue has no jobs.

    It is no number (NaN) where no plugin divides resources by queue, or scheduling is blocked.
    """

    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that was asked for: as it was written, its parts and its kind.

    The parts are its name and the resource, or what it is of, the name of that, the figure's own and the resource.
    """

    text: str
    parts: tuple[str, ...]
    kind: Kind

    @property
    def named(self) -> tuple[str, str] | None:
        """The kind and the name of what it is about: a queue, a priority or a job; None where it is about none."""
        return (self.parts[0], self.parts[1]) if self.kind.of not in ("", "resource") else None

    @property
    def resources(self) -> Sequence[str]:
        """The resources that it names: one or none."""
        return self.parts[3:] if self.named else self.parts[1:]

    @property
    def resource(self) -> str:
        """The resource whose amount it is; empty where it is none."""
        return "".join(self.parts[3:])

    def of_point(self, came_of_it: object) -> Measured:
        """Read it of what came of the run that it needs."""
        if self.kind.read_point is None:
            raise ValueError(f"plans have no figure {self.text}")
        return self.kind.read_point(came_of_it, self.parts)

    def of_difference(self, compared: Compared) -> _Values:
        """Read it of a comparison.

        Raises:
            UnknownName: neither side has what it names.
        """
        diff, read = compared.diff, self.kind.read
        if read is None:
            raise ValueError(f"comparisons have no figure {self.text}")
        match self.kind.of:
            case "resource":
                [resource] = self.resources
                known = {name for side in (diff.before, diff.after) for name in side.session.total_resource} - {PODS}
                if resource not in known:
                    raise UnknownName("resource", resource, known)
                sides = (
                    {each.resource: each for each in side.utilisation}
                    for side in (diff.figures_before, diff.figures_after)
                )
                # A resource that does not exist, or that nothing asks for, is not used.
                return _Values(*(read(side[resource]) if resource in side else 0.0 for side in sides))
            case "queue":
                return self._of_queue(diff)
            case "job":
                return self._of_job(compared, read)
        if not self.kind.has_base:
            return _Values(0.0, read(diff))
        return _Values(read(diff.figures_before), read(diff.figures_after))

    def _of_queue(self, diff: Diff) -> _Values:
        _, name, field, *resource = self.parts
        queues = {queue.name: queue for queue in diff.queues}
        if name not in queues:
            raise UnknownName("queue", name, queues)
        if resource and resource[0] not in (known := resources_of(diff.queues)):
            raise UnknownName("resource", resource[0], known)
        sides = ((queues[name].before, diff.figures_before), (queues[name].after, diff.figures_after))
        return _Values(
            *(
                queue_figure(side, field, *resource, shares_known=figures.share_spread is not None)
                for side, figures in sides
            )
        )

    def _of_job(self, compared: Compared, read: Callable[..., float | None]) -> _Values:
        job = self.parts[1]
        found = compared.jobs[job]
        if len(found) > 1:
            raise UnknownName("job", job, sorted(found), several=True)
        for sides in found.values():
            return _Values(*(read(side) if side else 0.0 for side in sides))
        known = {name.display for name in compared.names}
        raise UnknownName("job", job, known, hint=unknown_job(job, compared.names))


class UnknownName(Exception):  # noqa: N818 - it is the name that is unknown
    """There is no resource, queue or job of a name, or there are several jobs; `known` are those that may be meant."""

    def __init__(self, what: str, name: str, known: Collection[str], *, hint: str = "", several: bool = False) -> None:
        super().__init__(f"there are {len(known)} {what}s '{name}'" if several else f"there is no {what} '{name}'")
        self.name = name
        self.known = known
        self.several = several
        meant = hint or ("" if what == "job" else did_you_mean(name, known))
        self.hint = meant or (f"there are {', '.join(sorted(known))}" if known else "")


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition.

    Attributes:
        text: as it was written.
        figure: what is looked at.
        sign: how it is compared.
        value: with what; None is the base.
        source: all that was given, for messages.
        at: where in it the condition begins.
    """

    text: str
    figure: Figure
    sign: str
    value: float | None
    source: str
    at: int

    @property
    def job(self) -> str:
        """The job that it is about; empty where it is about none."""
        return self.figure.parts[1] if self.figure.kind.of == "job" else ""

    @property
    def limit(self) -> str:
        """What the figure is compared with, as it was written; empty where it stands alone."""
        return self.text[sign_at(self.text) :].lstrip("<>=!").strip()

    def holds(self, compared: Compared) -> Failure | None:
        """What makes it hold of a comparison, None where it does not.

        Raises:
            ConditionError: it names something that neither side has.
        """
        diff = compared.diff
        try:
            values = self.figure.of_difference(compared)
        except UnknownName as error:
            hint = error.hint
            if error.several:
                conditions = (quote(self.text.replace(error.name, name, 1)) for name in error.known)
                hint = f"write one of {', '.join(conditions)}"
            raise ConditionError(str(error), self.source, self.at + max(self.text.find(error.name), 0), hint) from None
        limit = values.before if self.value is None else self.value
        if values.after is not None and limit is not None:
            for value, side, verb in ((values.after, diff.after, "is"), (limit, diff.before, "was")):
                if math.isnan(value):
                    blocked = side.session.standstill
                    why = f"scheduling {verb} blocked" if blocked else "no plugin divides resources by queue"
                    return self.unknown(why, verb)
            if self.is_met(values.after, limit):
                return Failure(condition=self.text, text=self._said(diff, values, limit))
        if diff.unknown and not self.figure.kind.certain:  # a change brings something that could touch the figure
            return self.unknown(f"it hangs on {first_names(diff.unknown, _MOST_UNKNOWN)}")
        return None

    def failure(self, values: Mapping[str, Measured], base: Mapping[str, Measured]) -> Failure | None:
        """What makes it hold for a point of a plan, None where it does not hold."""
        value, limit = values[self.figure.text], base[self.figure.text] if self.value is None else self.value
        if not isinstance(value, float) or not isinstance(limit, float):
            return None
        for each, verb in ((value, "is"), (limit, "was")):
            if math.isnan(each):
                return self.unknown(self.figure.kind.unknown, verb)
        if not self.is_met(value, limit):
            return None
        said = f"{self.figure.text} is {self.written(value)}"
        return Failure(condition=self.text, text=self._beside_limit(said, limit))

    def unknown(self, why: str, verb: str = "is") -> Failure:
        """The failure of a figure that is not known, which must not be."""
        return Failure(condition=self.text, text=f"{self.figure.text} {verb} unknown: {why}", unknown=True)

    def is_met(self, value: float, limit: float) -> bool:
        """True if a value of the figure, as it is printed, compares with a limit as the condition says."""
        return _OPERATORS[self.sign](self._printed(value), self._limit(limit))

    def written(self, value: float) -> str:
        """A value of the figure in the unit of the condition."""
        if math.isinf(value):
            return self.figure.kind.missing
        if math.isnan(value):
            return "not known"
        if self._is_time:
            return write_seconds(value)
        # As people would write it, with no more decimals than matter.
        printed = _printed(value, self._unit)
        return (f"{printed:.4g}" if abs(printed) < _LARGE else f"{printed:,.0f}") + self._unit

    def _beside_limit(self, said: str, limit: float) -> str:
        """What is said of a value, and what it must not be; a figure that stands alone says that itself."""
        if sign_at(self.text) == len(self.text):
            return said
        is_as_printed = self.value is None or self._is_time
        wanted = self.written(limit) if is_as_printed else _written(self._limit(limit), self._unit)
        return f"{said}, and must not be {self.sign} {wanted}"

    def _said(self, diff: Diff, values: _Values, limit: float) -> str:
        kind = self.figure.kind
        if self.figure.text in _COUNTED and sign_at(self.text) == len(self.text):
            return count(int(values.after or 0), _COUNTED[self.figure.text])
        said = f"{kind.title or self.figure.text} is {self.written(values.after or 0.0)}"
        if kind.largest is not None and (most := kind.largest(diff)) is not None:
            before, after = map(self.written, (most.before, most.after))
            said += f" (queue {most.queue}: {most.what}{before} → {after}{most.of})"
        if values.before is not None and kind.has_base:
            said += f" (it was {self.written(values.before)})"
        return self._beside_limit(said, limit)

    def _limit(self, limit: float) -> float:
        """What is compared with, in the unit of the condition: the base as it is printed, else as given."""
        if self.value is None:
            return self._printed(limit)
        return float(f"{_in(limit, self._unit):.{_DIGITS}g}")

    def _printed(self, value: float) -> float:
        return round(value, _DECIMALS_OF_SECONDS) if self._is_time else _printed(value, self._unit)

    @property
    def _is_time(self) -> bool:
        return self.figure.kind.unit == "seconds"

    @property
    def _unit(self) -> str:
        return "" if self.value is None or self._is_time else _unit(self.text[sign_at(self.text) :])


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


def failures_of_point(
    conditions: Sequence[Condition], values: Mapping[str, Measured], base: Mapping[str, Measured]
) -> list[Failure]:
    """What makes conditions hold for a point of a plan; the arguments are those of `Condition.failure`."""
    return [failure for each in conditions if (failure := each.failure(values, base)) is not None]


def all_unknown(conditions: Sequence[Condition]) -> list[Failure]:
    """The failures of a point that could not be run: its figures are not known, so that all conditions hold."""
    return [each.unknown("the point could not be run") for each in conditions]


# --- reading ----------------------------------------------------------------------------------------------------------


def parse_conditions(text: str, kinds: Kinds = DIFFERENCES) -> list[Condition]:
    """Read conditions on figures of some kinds.

    Raises:
        ConditionError: something in the text cannot be understood.

    >>> [(each.figure.parts, each.sign, each.value) for each in parse_conditions("evictions, queue:b.allocated.cpu<20")]
    [(('evictions',), '>', 0.0), (('queue', 'b', 'allocated', 'cpu'), '<', 20.0)]
    """
    conditions = []
    at = 0
    for part in text.split(","):
        if part.strip() == STRICT and kinds is DIFFERENCES:
            conditions += parse_conditions(_STRICTEST)
        else:
            start = at + len(part) - len(part.lstrip())
            conditions.append(_Reader(part.strip(), text, start, kinds).condition())
        at += len(part) + 1
    return conditions


def parse_figure(text: str, kinds: Kinds) -> Figure:
    """Read a figure that is not compared with anything.

    Raises:
        ConditionError: there is no such figure.

    >>> parse_figure("queue:b.allocated.cpu", DIFFERENCES).parts
    ('queue', 'b', 'allocated', 'cpu')
    """
    text = text.strip()
    return _Reader(text, text, 0, kinds).figure(text)


class _Reader:
    """Reads one condition."""

    def __init__(self, text: str, source: str, at: int, kinds: Kinds) -> None:
        self.text = text
        self.source = source
        self.at = at
        self.kinds = kinds
        # The figures by what has them: of those of the cluster, which nothing else has, those of a difference first.
        self._names: defaultdict[str, list[str]] = defaultdict(list)
        for each in sorted(kinds.values(), key=lambda each: each.has_base):
            self._names[each.of].append(each.name)
        self._subjects = [each for each in ("queue", "priority", "job") if each in self._names]

    def condition(self) -> Condition:
        if not self.text:
            raise self._error("a condition is missing here", 0, self._listed())
        end = sign_at(self.text)
        figure = self.figure(self.text[:end].strip())
        if end == len(self.text):
            if not figure.kind.alone:
                raise self._error(f"'{figure.text}' has to be compared with something", end, f"write {figure.text}>0.1")
            return Condition(self.text, figure, ">", None if figure.kind.has_base else 0.0, self.source, self.at)
        sign = _SIGN.findall(self.text[end:])[0]
        value = self._value(end + len(sign), figure)
        return Condition(self.text, figure, sign.replace("==", "="), value, self.source, self.at)

    def figure(self, text: str) -> Figure:
        """Read the figure, which the text begins with."""
        of, colon, rest = text.partition(":")
        if colon:
            return self._named(text, of, rest)
        for name in self._names["resource"]:
            if text.removesuffix(".") == name:
                raise self._error(f"'{name}' is that of a resource", len(name), f"write {name}.cpu")
            if text.startswith(f"{name}."):
                return Figure(text, (name, text.removeprefix(f"{name}.")), self.kinds[name])
        kind = self.kinds.get(text)
        if kind is None or kind.of:
            known = [*self._names[""], *self._names["resource"], *self._subjects]
            meant = did_you_mean(text, known) or did_you_mean(text.partition(".")[0], known)
            raise self._error(f"there is no figure '{text}'", 0, meant or self._listed())
        return Figure(text, (text,), kind)

    def _named(self, text: str, of: str, rest: str) -> Figure:
        if of not in self._subjects:
            hint = did_you_mean(of, self._subjects) or one_of([f"{each}:" for each in self._subjects])
            raise self._error(f"there is nothing called '{of}:'", 0, hint)
        if blank := _BLANK.search(rest):
            raise self._error("there is a blank in the name", len(of) + 1 + blank.start())
        fields = self._names[of]
        match = re.fullmatch(rf"(?P<name>.+?)\.(?P<field>{'|'.join(fields)})(?:\.(?P<resource>.+))?", rest)
        if match is None:
            name, dot, field = rest.partition(".")
            at = len(of) + 1 + (len(name) + 1 if dot else len(rest))
            meant = did_you_mean(field, fields) or did_you_mean(field.partition(".")[0], fields)
            hint = meant or f"there are {one_of(shortened(fields, 1))}"
            message = f"'{field}' is no figure of a {of}" if dot else f"it is not said which figure of the {of}"
            raise self._error(message, at, hint)
        field, resource = match["field"], match["resource"]
        kind = self.kinds[f"{of}.{field}"]
        end = len(of) + 1 + match.end("field")
        if kind.unit == "amount" and not resource:
            raise self._error(f"'{field}' is that of a resource", end, f"write {of}:{match['name']}.{field}.cpu")
        if resource and kind.unit != "amount":
            raise self._error(f"'{field}' is a number, not one for each resource", end)
        return Figure(text, (of, match["name"], field, *([resource] if resource else [])), kind)

    def _listed(self) -> str:
        """All figures, for messages."""
        named = {"queue": "queue:NAME.…", "priority": "priority:CLASS.…", "job": "job:NAMESPACE/NAME.…"}
        resources = [f"{name}.RESOURCE" for name in self._names["resource"]]
        listed = [*shortened(self._names[""], 2), *resources, *(named[each] for each in self._subjects)]
        return f"there are {', '.join(listed)}"

    def _value(self, at: int, figure: Figure) -> float | None:
        text = self.text[at:].strip()
        at += len(self.text[at:]) - len(self.text[at:].lstrip())
        if text == BASE:
            if not figure.kind.has_base:
                raise self._error(f"'{figure.text}' is a figure of the difference, and the base has none", at)
            return None
        if figure.kind.unit == "seconds":
            seconds = read_seconds(text)
            if seconds is None:
                hint = did_you_mean(text, [BASE]) or f"a number of seconds, a time such as 10m or 1h30m, or {BASE}"
                raise self._error(f"'{text}' is no time" if text else "a value is missing", at, hint)
            return seconds
        try:
            value = float(text.removesuffix(_PERCENT)) / 100 if text.endswith(_PERCENT) else float(parse(text))
        except (ValueError, OverflowError):
            value = math.nan
        if not math.isfinite(value):
            hint = did_you_mean(text, [BASE]) or f"a number, 10%, 20Gi or {BASE}"
            raise self._error(f"'{text}' is no value" if text else "a value is missing", at, hint)
        found = _UNITS.search(text)
        unit = found[0] if found else ""
        parts = figure.parts
        name = ".".join(parts[-2:]) if parts[0] == "queue" else parts[-1] if figure.named else parts[0]
        if figure.kind.unit == "part":
            if unit not in ("", _PERCENT):
                raise self._error(f"'{text}' is an amount, and {name} is a part of the whole", at, "0.2, or 20%")
            if not unit and value > 1:
                raise self._error(f"{name} is a part of the whole, and {text} is more than that", at, f"write {text}%")
        elif unit == _PERCENT:
            raise self._error(f"'{text}' is a part of the whole, and {name} is a number", at, "write it without %")
        elif figure.kind.unit != "amount" and unit:
            raise self._error(f"'{text}' is an amount, and {name} is a number", at, f"write it without {unit}")
        elif unit.endswith(_BINARY) and not is_in_bytes(parts[-1]):
            raise self._error(f"'{text}' is a number of bytes, and {name} is none", at, f"write it without {unit}")
        return value

    def _error(self, message: str, at: int, hint: str = "") -> ConditionError:
        return ConditionError(message, self.source, self.at + at, hint)


# --- words ------------------------------------------------------------------------------------------------------------


def shortened(names: Iterable[str], words: int) -> list[str]:
    """Return names for messages: of those with more words than these, which dots separate, one for all alike.

    >>> shortened(["started", "wait.mean", "wait.p95"], 1)
    ['started', 'wait.…']
    """
    parts = (name.split(".") for name in names)
    return list(dict.fromkeys(".".join([*each[:words], *("…" for _ in each[words : words + 1])]) for each in parts))


def sign_at(text: str) -> int:
    """Return where the operator of a condition begins, its end where there is none."""
    match = _SIGN.search(text)
    return match.start() if match else len(text)


def _unit(text: str) -> str:
    """Return the unit that a value ends with; empty where it is a plain number."""
    return text.rstrip()[len(text.rstrip().rstrip("%" + string.ascii_letters)) :]


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
