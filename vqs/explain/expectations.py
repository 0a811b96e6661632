"""Compares what a scenario expects with what came of it."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from math import isclose
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vqs.explain.outcome import ExpectationResult
from vqs.explain.rules import RULES
from vqs.model.quantity import parse
from vqs.model.wording import written
from vqs.snapshot.diagnostics import Problems, did_you_mean
from vqs.snapshot.scenario.expectations import AMOUNTS, NONE, UNLIMITED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vqs.explain.outcome import Amounts, JobResult, QueueResult, Simulation, TaskResult
    from vqs.snapshot.scenario.model import Expectation

_NOISE: Final = 1e-9
"""What arithmetic may be off by, however small the tolerance."""

_SHOWN: Final = 5
_WILDCARDS: Final = frozenset("*?[")
_COUNTED: Final = ("counts", "verdicts", "roles")
_AT_CLOSE: Final = ("allocated", "inqueue", "share", "overused")


class _Finding(NamedTuple):
    """What was found for one of the things that an expectation is about."""

    name: str
    text: str
    ok: bool


def check_expectations(simulation: Simulation, expected: Iterable[Expectation]) -> list[ExpectationResult]:
    """Return for each expectation whether it holds, and what was found."""
    return [_result(simulation, each) for each in expected]


def refuse_unknown_verdicts(expected: Iterable[Expectation]) -> None:
    """Refuse expectations about verdicts that there are not: one that expects none of these would always hold.

    Raises:
        InputErrors: some expectation names a code that is neither a verdict's nor a pattern.
    """
    problems = Problems()
    for each in expected:
        code = _code(each)
        if code and code not in RULES and not set(code) & _WILDCARDS:
            hint = did_you_mean(code, RULES)
            problems.add(each.origin.diagnostic("unknown-name", f"there is no verdict {code!r}", each.path, hint=hint))
    problems.raise_errors()


def _code(expectation: Expectation) -> str:
    """Return the code of a verdict that an expectation names, empty where it names none."""
    *above, last = expectation.attribute
    if above[-1:] == ["verdicts"]:
        return last
    return expectation.wanted if last == "verdict" and expectation.wanted != NONE else ""


def _result(simulation: Simulation, expectation: Expectation) -> ExpectationResult:
    findings = _findings(simulation, expectation)
    return ExpectationResult(
        expect=_in_words(expectation),
        found=_summed_up(findings),
        ok=all(finding.ok for finding in findings),
        file=expectation.file,
        line=expectation.position.line,
    )


def _in_words(expectation: Expectation) -> str:
    """Write an expectation in one line, in the words of the scenario."""
    of = "" if expectation.subject == "all" else f"{expectation.subject} {expectation.name}: "
    relation = "contains" if expectation.attribute[-1] in ("message", "unschedulable") else "="
    return f"{of}{'.'.join(expectation.attribute)} {relation} {_plain(expectation.wanted)}"


def _summed_up(findings: Sequence[_Finding]) -> str:
    """Say what was found: for several, what is wrong, or else what there is."""
    if len(findings) == 1:
        return findings[0].text
    wrong = [finding for finding in findings if not finding.ok]
    if not wrong:
        return _enumerated(list(dict.fromkeys(finding.text for finding in findings)))
    parts = [f"{finding.name} {finding.text}" for finding in wrong]
    return f"{len(findings) - len(wrong)} of {len(findings)}; {_enumerated(parts)}"


def _enumerated(parts: Sequence[str]) -> str:
    more = [f"{len(parts) - _SHOWN} more"] if len(parts) > _SHOWN else []
    return ", ".join([*parts[:_SHOWN], *more])


def _findings(simulation: Simulation, expectation: Expectation) -> list[_Finding]:
    match expectation.subject:
        case "all":
            return [_count(simulation.tasks, expectation)]
        case "queue":
            return _queue_findings(simulation, expectation)
        case "job":
            return _job_findings(simulation, expectation)
        case _:
            tasks = [task for task in simulation.tasks if _is_meant(task.namespace, task.name, expectation)]
            found = [_task(task, expectation) for task in tasks]
            return found or [_missing(expectation, (task.name for task in simulation.tasks))]


def _queue_findings(simulation: Simulation, expectation: Expectation) -> list[_Finding]:
    if expectation.attribute[0] in _COUNTED:
        tasks = [task for task in simulation.tasks if fnmatchcase(task.queue, expectation.name)]
        if tasks:
            return [_count(tasks, expectation)]
    elif queues := [queue for queue in simulation.queues if fnmatchcase(queue.name, expectation.name)]:
        return [_queue(queue, expectation) for queue in queues]
    return [_missing(expectation, (queue.name for queue in simulation.queues))]


def _job_findings(simulation: Simulation, expectation: Expectation) -> list[_Finding]:
    jobs = [job for job in simulation.jobs if _is_meant(job.namespace, job.name, expectation)]
    if not jobs:
        return [_missing(expectation, (job.name for job in simulation.jobs))]
    if expectation.attribute[0] in _COUNTED:
        keys = {(job.namespace, job.name) for job in jobs}
        return [_count([task for task in simulation.tasks if (task.namespace, task.job) in keys], expectation)]
    return [_job(job, expectation) for job in jobs]


def _is_meant(namespace: str, name: str, expectation: Expectation) -> bool:
    pattern = expectation.name
    return fnmatchcase(f"{namespace}/{name}" if "/" in pattern else name, pattern)


def _missing(expectation: Expectation, names: Iterable[str]) -> _Finding:
    hint = did_you_mean(expectation.name, names)
    text = f"there is no {expectation.subject} {expectation.name!r}"
    if expectation.subject == "queue":
        text += " with jobs"  # the plugin keeps no figures for the others
    return _Finding(expectation.name, f"{text} ({hint})" if hint else text, ok=False)


# --- counts ----------------------------------------------------------------------------------------------------------


def _count(tasks: Sequence[TaskResult], expectation: Expectation) -> _Finding:
    """Count tasks by what the last part of the attribute names."""
    section, *_, key = expectation.attribute
    if section == "roles":
        tasks = [task for task in tasks if task.role == expectation.attribute[1]]
    if section == "verdicts":
        counts = Counter(task.verdict.code for task in tasks if task.verdict)
    else:
        counts = Counter(task.status for task in tasks)
        counts["total"] = len(tasks)
        counts["placed"] = sum(task.status_before == "Pending" and task.status in _PLACED for task in tasks)
    return _Finding(expectation.name, str(counts[key]), counts[key] == expectation.wanted)


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
            return _text(job.name, job.unschedulable or "", wanted)
        case "verdict":
            code = job.verdict.code if job.verdict else NONE
            return _Finding(job.name, code, code == wanted)
        case "phase":
            return _Finding(job.name, job.phase, job.phase == wanted)
        case _:
            return _Finding(job.name, job.decision, job.decision == wanted)


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
