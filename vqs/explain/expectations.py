"""Compares what a scenario expects with what came of it.

A name is looked up. A pattern is compared with all names, once however often it is written, and all that this takes
together is bounded: patterns and tasks multiply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from math import isclose
from typing import Any, Final, Generic, NamedTuple, TypeVar

from vqs.explain.outcome import Amounts, ExpectationResult, JobResult, QueueResult, Simulation, TaskResult
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model.quantity import parse
from vqs.model.wording import first_names, written
from vqs.snapshot.reading.diagnostics import Guesser, InputErrors, Problems, did_you_mean
from vqs.snapshot.scenario.model import AMOUNTS, NONE, UNLIMITED, Expectation, Subject

Thing = TypeVar("Thing")

WILDCARDS: Final = frozenset("*?[")
MOST_WORK: Final = 10_000_000_000
"""Some twenty seconds: characters of names times those of patterns, and what is done with what they stand for."""

_OF_A_COMPARISON: Final = 500
_OF_A_FINDING: Final = 2000


class TooMuch(Exception):  # noqa: N818 - it is the work that is too much
    """Too many names would have to be compared with too many patterns."""


class Work:
    """What was done for expectations so far."""

    def __init__(self) -> None:
        self._done = 0

    def compare(self, pattern: str, names: int, characters: int) -> None:
        """Count the comparison of a pattern with names: their number, and their characters together.

        Raises:
            TooMuch: this would be more than can be waited for.
        """
        self._add(_OF_A_COMPARISON * names + len(pattern) * characters)

    def find(self, number: int) -> None:
        """Count things that are looked at.

        Raises:
            TooMuch: this would be more than can be waited for.
        """
        self._add(_OF_A_FINDING * number)

    def _add(self, more: int) -> None:
        self._done += more
        if self._done > MOST_WORK:
            raise TooMuch


class Named(Generic[Thing]):
    """Things by name; several can have the same one, and one can have several."""

    def __init__(self, things: Iterable[Thing], names: Callable[[Thing], Iterable[str]], work: Work) -> None:
        self._things = [(frozenset(names(thing)), thing) for thing in things]
        self._by_name: dict[str, list[Thing]] = {}
        for own, thing in self._things:
            for name in sorted(own):
                self._by_name.setdefault(name, []).append(thing)
        self._characters = sum(map(len, self._by_name))
        self._matched: dict[str, list[Thing]] = {}
        self._work = work

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._by_name)

    def meant(self, pattern: str) -> Sequence[Thing]:
        """Return what a name or a pattern stands for, in the order in which it was given.

        Raises:
            TooMuch: this is one pattern too many.
        """
        if not WILDCARDS & set(pattern):
            return self._by_name.get(pattern, [])
        if pattern not in self._matched:
            self._work.compare(pattern, len(self._by_name), self._characters)
            names = {name for name in self._by_name if fnmatchcase(name, pattern)}
            self._matched[pattern] = [thing for own, thing in self._things if not own.isdisjoint(names)]
        return self._matched[pattern]


_NOISE: Final = 1e-9
"""What arithmetic may be off by, however small the tolerance."""

_SHOWN: Final = 5
_COUNTED: Final = ("counts", "verdicts", "roles")
_AT_CLOSE: Final = ("allocated", "inqueue", "share", "overused")


class _Finding(NamedTuple):
    """What was found for one of the things that an expectation is about."""

    name: str
    text: str
    ok: bool


def check_expectations(simulation: Simulation, expected: Collection[Expectation]) -> list[ExpectationResult]:
    """Return for each expectation whether it holds, and what was found.

    Raises:
        InputErrors: it would take too long to find out, as there are too many patterns and names.
    """
    if not expected:
        return []
    outcome = _Outcome(simulation)
    return [_result(outcome, each) for each in expected]


def refuse_unknown_verdicts(expected: Iterable[Expectation]) -> None:
    """Refuse expectations about verdicts that there are not: one that expects none of these would always hold.

    Raises:
        InputErrors: some expectation names a code that is neither a verdict's nor a pattern.
    """
    problems = Problems()
    for each in expected:
        code = _code(each)
        if code and code not in VERDICT_RULES and not set(code) & WILDCARDS:
            hint = did_you_mean(code, VERDICT_RULES)
            problems.add(each.origin.diagnostic("unknown-name", f"there is no verdict {code!r}", each.path, hint=hint))
    problems.raise_errors()


def _code(expectation: Expectation) -> str:
    """Return the code of a verdict that an expectation names, empty where it names none."""
    *above, last = expectation.attribute
    if above[-1:] == ["verdicts"]:
        return last
    return expectation.wanted if last == "verdict" and expectation.wanted != NONE else ""


def _result(outcome: _Outcome, expectation: Expectation) -> ExpectationResult:
    try:
        findings = outcome.findings(expectation)
    except TooMuch:
        message = "with this, too many names would be compared with too many patterns"
        hint = "expect something of fewer patterns"
        error = expectation.origin.diagnostic("too-large", message, expectation.path, hint=hint)
        raise InputErrors([error]) from None
    of = "" if expectation.subject == "all" else f"{expectation.subject} {expectation.name}: "
    wrong = [finding for finding in findings if not finding.ok]
    if len(findings) == 1:
        text = findings[0].text
    elif wrong:
        named = _enumerated([f"{finding.name} {finding.text}" for finding in wrong])
        text = f"{len(findings) - len(wrong)} of {len(findings)}; {named}"
    else:
        text = _enumerated(list(dict.fromkeys(finding.text for finding in findings)))
    relation = "contains" if expectation.attribute[-1] in ("message", "unschedulable") else "="
    return ExpectationResult(
        expect=f"{of}{'.'.join(expectation.attribute)} {relation} {_plain(expectation.wanted)}",
        found=text,
        ok=not wrong,
        file=expectation.origin.document.source.name,
        line=expectation.origin.position(expectation.path).line,
    )


def _enumerated(parts: Sequence[str]) -> str:
    more = [f"{len(parts) - _SHOWN} more"] if len(parts) > _SHOWN else []
    return ", ".join([*parts[:_SHOWN], *more])


class _Outcome:
    """What came of a session, by the names under which something is expected of it."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._work = Work()
        self._counts: dict[tuple[str, ...], Counter[str]] = {}
        self._guessers: dict[Subject, Guesser] = {}

    @cached_property
    def _queues(self) -> Named[QueueResult]:
        return Named(self._simulation.queues, lambda queue: (queue.name,), self._work)

    @cached_property
    def _jobs(self) -> Named[JobResult]:
        return Named(
            self._simulation.jobs, lambda job: [name.partition("/")[2] for name in job.spellings()], self._work
        )

    @cached_property
    def _jobs_by_path(self) -> Named[JobResult]:
        return Named(self._simulation.jobs, JobResult.spellings, self._work)

    @cached_property
    def _tasks(self) -> Named[TaskResult]:
        return Named(self._simulation.tasks, lambda task: (task.name,), self._work)

    @cached_property
    def _tasks_by_path(self) -> Named[TaskResult]:
        return Named(self._simulation.tasks, lambda task: (f"{task.namespace}/{task.name}",), self._work)

    @cached_property
    def _tasks_by_queue(self) -> Named[TaskResult]:
        return Named(self._simulation.tasks, lambda task: (task.queue,), self._work)

    @cached_property
    def _tasks_by_job(self) -> Mapping[tuple[str, str], Sequence[TaskResult]]:
        found: dict[tuple[str, str], list[TaskResult]] = {}
        for task in self._simulation.tasks:
            found.setdefault((task.namespace, task.job), []).append(task)
        return found

    def findings(self, expectation: Expectation) -> Sequence[_Finding]:
        """Return what was found for each of the things that an expectation is about.

        Raises:
            TooMuch: there is more to be looked at than can be waited for.
        """
        match expectation.subject:
            case "all":
                return [self._count(lambda: self._simulation.tasks, expectation)]
            case "queue":
                if expectation.attribute[0] in _COUNTED:
                    tasks = self._tasks_by_queue.meant(expectation.name)
                    found = [self._count(lambda: tasks, expectation)] if tasks else []
                else:
                    found = self._each(self._queues, expectation, _queue)
                return found or [self._missing(expectation, self._queues)]
            case "job":
                if found := self._of_jobs(expectation):
                    return found
                name = expectation.name
                elsewhere = self._jobs.meant(name.partition("/")[2]) if "/" in name else ()
                if elsewhere:
                    listed = first_names([job.called for job in elsewhere])
                    text = f"there is no job {name!r} (it is in another namespace: {listed})"
                    return [_Finding(name, text, ok=False)]
                return [self._missing(expectation, self._jobs_by_path if "/" in name else self._jobs)]
            case _:
                named = self._tasks_by_path if "/" in expectation.name else self._tasks
                return self._each(named, expectation, _task) or [self._missing(expectation, self._tasks)]

    def _of_jobs(self, expectation: Expectation) -> list[_Finding]:
        named = self._jobs_by_path if "/" in expectation.name else self._jobs
        if expectation.attribute[0] not in _COUNTED:
            return self._each(named, expectation, _job)
        jobs = named.meant(expectation.name)
        if not jobs:
            return []

        def tasks() -> list[TaskResult]:
            return [task for job in jobs for task in self._tasks_by_job.get((job.namespace, job.name), ())]

        return [self._count(tasks, expectation)]

    def _each(
        self, named: Named[Thing], expectation: Expectation, found: Callable[[Thing, Expectation], _Finding]
    ) -> list[_Finding]:
        things = named.meant(expectation.name)
        self._work.find(len(things))
        return [found(thing, expectation) for thing in things]

    def _count(self, found: Callable[[], Sequence[TaskResult]], expectation: Expectation) -> _Finding:
        """Count tasks, once for all that is expected of these."""
        *section, key = expectation.attribute
        counted = (expectation.subject, expectation.name, *section)
        if counted not in self._counts:
            tasks = found()
            self._work.find(len(tasks))
            self._counts[counted] = _counts(tasks, section)
        number = self._counts[counted][key]
        return _Finding(expectation.name, str(number), number == expectation.wanted)

    def _missing(self, expectation: Expectation, names: Iterable[str]) -> _Finding:
        if expectation.subject not in self._guessers:
            self._guessers[expectation.subject] = Guesser(names)
        return _missing(expectation, self._guessers[expectation.subject])


def _missing(expectation: Expectation, guesser: Guesser) -> _Finding:
    hint = guesser.hint(expectation.name)
    text = f"there is no {expectation.subject} {expectation.name!r}"
    if expectation.subject == "queue":
        text += " with jobs"  # the plugin keeps no figures for the others
    return _Finding(expectation.name, f"{text} ({hint})" if hint else text, ok=False)


# --- counts ----------------------------------------------------------------------------------------------------------


def _counts(tasks: Sequence[TaskResult], section: Sequence[str]) -> Counter[str]:
    """Count tasks by what a part of an expectation is about."""
    if section[0] == "roles":
        tasks = [task for task in tasks if task.role == section[1]]
    if section[0] == "verdicts":
        return Counter(task.verdict.code for task in tasks if task.verdict)
    counts = Counter(task.status for task in tasks)
    counts["total"] = len(tasks)
    counts["placed"] = sum(task.status_before == "Pending" and task.status in _PLACED for task in tasks)
    return counts


_PLACED: Final = frozenset({"Allocated", "Binding", "Bound"})


# --- queues ----------------------------------------------------------------------------------------------------------


def _queue(queue: QueueResult, expectation: Expectation) -> _Finding:
    attribute = expectation.attribute
    figures: Any = queue.closed if attribute[0] in _AT_CLOSE else queue.opened
    name = attribute[1] if attribute[0] == "opened" else attribute[0]
    value = getattr(figures, "real_capability" if name == "realCapability" else name)
    if name in AMOUNTS:
        return _amount(queue.name, value, expectation)
    if isinstance(value, bool):
        return _Finding(queue.name, _plain(value), value == expectation.wanted)
    return _Finding(queue.name, written("", value), _is_close(value, float(expectation.wanted), expectation))


def _amount(queue: str, amounts: Amounts, expectation: Expectation) -> _Finding:
    resource = expectation.attribute[-1]
    value = amounts.get(resource, 0.0)
    if value is None or expectation.wanted == UNLIMITED:
        return _Finding(queue, written(resource, value), value is None and expectation.wanted == UNLIMITED)
    return _Finding(queue, written(resource, value), _is_close(value, float(parse(expectation.wanted)), expectation))


def _is_close(value: float, wanted: float, expectation: Expectation) -> bool:
    return isclose(value, wanted, rel_tol=0.0, abs_tol=abs(wanted) * expectation.tolerance + _NOISE)


# --- jobs and tasks ---------------------------------------------------------------------------------------------------


def _job(job: JobResult, expectation: Expectation) -> _Finding:
    wanted = expectation.wanted
    match expectation.attribute[0]:
        case "unschedulable":
            return _text(job.called, job.unschedulable or "", wanted)
        case "verdict":
            code = job.verdict.code if job.verdict else NONE
            return _Finding(job.called, code, code == wanted)
        case "phase":
            return _Finding(job.called, job.phase, job.phase == wanted)
        case _:
            return _Finding(job.called, job.decision, job.decision == wanted)


def _task(task: TaskResult, expectation: Expectation) -> _Finding:
    wanted = expectation.wanted
    match expectation.attribute[0]:
        case "message":
            return _text(task.name, task.message, wanted)
        case "verdict":
            code = task.verdict.code if task.verdict else NONE
            return _Finding(task.name, code, code == wanted)
        case "status":
            return _Finding(task.name, task.status, task.status == wanted)
        case _:
            node = task.node or NONE
            return _Finding(task.name, node, fnmatchcase(node, wanted) and (node != NONE or wanted == NONE))


def _text(name: str, text: str, wanted: str) -> _Finding:
    return _Finding(name, text or NONE, wanted in text if wanted != NONE else not text)


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
