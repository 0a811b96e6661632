"""The answer in a few sentences: what a queue gets, what is short, at which level of the tree, by how much, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from vqs.config.known_plugins import QUEUE_PLUGINS
from vqs.explain.amounts import amount, amount_of, listed, percent
from vqs.explain.jobs.waiting_outcome import WaitingJob
from vqs.explain.outcome import QueueResult
from vqs.explain.queues.outcome import (
    AwaitedOfJob,
    Excess,
    QueueExplanation,
    QueueReport,
)
from vqs.model.resource import PODS
from vqs.model.units import NEGLIGIBLE
from vqs.model.wording import count, first_names

_NOTHING: Final = "0"


@dataclass(slots=True)
class Cause:
    """The first thing that keeps jobs of a queue waiting.

    Attributes:
        code: its code; empty where nothing is known.
        resource: what is short, where anything is.
        text: what keeps the first of the jobs, as a sentence; empty where nothing is known.
        jobs: the jobs that wait for this, in order.
        tasks: how many of their tasks do.
    """

    code: str
    resource: str
    text: str
    jobs: list[str] = field(default_factory=list)
    tasks: int = 0


def causes(explained: QueueExplanation) -> list[Cause]:
    """Return what keeps jobs of a queue waiting, what keeps most tasks first; nothing keeps those that start later."""
    found: dict[tuple[str, ...], Cause] = {}
    for job in explained.jobs:
        if job.outlook is not None and job.outlook.starts_in_session:
            continue
        first = job.blockers[0] if job.blockers else None
        if first is None:
            made = Cause(job.code, "", _waits(job) if job.why else "")
            key: tuple[str, ...] = ("verdict", job.code)
        else:
            made = Cause(first.code, first.resource, _waits(job))
            key = (first.code, first.resource, first.queue)
        cause = found.setdefault(key, made)
        cause.jobs.append(job.display_name)
        cause.tasks += job.waiting
    return sorted(found.values(), key=lambda cause: (not cause.text, -cause.tasks))


def _waits(job: WaitingJob) -> str:
    """Say how many tasks of a job wait, and why; or that it can never start."""
    if job.blockers and job.blockers[0].blocks_min_available:
        return f"{job.display_name} can never start: {job.why}"
    verb = "waits" if job.waiting == 1 else "wait"
    return f"{count(job.waiting, 'task')} of {job.display_name} {verb}: {job.why}"


def where(explained: QueueExplanation, queue: str) -> str:
    """Name a queue and its place in the tree, as seen from the one that is explained."""
    if queue == explained.name or queue not in explained.queue_path:
        return f"queue {queue}"
    levels = explained.queue_path.index(queue)
    return f"queue {queue}, {count(levels, 'level')} above it,"


OPEN: Final = "Open"
ROOT: Final = "root"
CAPACITY: Final = "capacity"
_NAMED: Final = 3
"""A sentence names at most as many queues as this."""


def answer(report: QueueReport) -> str:
    """Return one to three sentences."""
    if report.spec is not None:
        sentences: list[str] = []
        why = f"{report.plugin} considers only queues with jobs, and it has none" if report.plugin else no_plugin()
        sentences.append(f"The deserved share and the limit of queue {report.spec.name} are not known: {why}")
        figures = {
            "capability": report.spec.capability,
            "deserved": report.spec.deserved,
            "guarantee": report.spec.guarantee,
        }
        facts = [
            report.spec.state or "no state",
            f"weight {report.spec.weight}",
            *([f"priority {report.spec.priority}"] if report.spec.priority else []),
            *([f"parent {report.spec.parent}"] if report.spec.parent else []),
            *([] if report.spec.reclaimable else ["not reclaimable"]),
            *(f"{title} {listed(amounts) or 'none'}" for title, amounts in figures.items()),
        ]
        sentences.append(f"Its spec says: {'; '.join(facts)}")
    elif report.explained is None:
        sentences = [*_overview(report)]
    elif report.session.standstill:
        name = report.explained.name
        sentences = [f"Scheduling is blocked, in queue {name} and in all others, until that is fixed"]
    else:
        sentences = [*_on_existing_tasks(report, report.explained)]
        if report.explained.awaited:
            sentences.append(_to_come(report.explained.awaited, "in it "))
    return " ".join(f"{sentence}." for sentence in sentences)


def _to_come(awaited: Sequence[AwaitedOfJob], in_it: str = "") -> str:
    """Count the pods that do not exist yet, and those of them that come with the next session."""
    pods, coming = sum(each.pods for each in awaited), sum(each.created_next for each in awaited)
    has, are = "has" if len(awaited) == 1 else "have", "is" if pods == 1 else "are"
    text = f"{count(len(awaited), 'job')} {in_it}{has} {count(pods, 'pod')} that {are} not created yet"
    if pods == 1:
        return f"{text}; it will {'' if coming else 'not '}be there in the next session"
    number = "all" if coming == pods else f"{coming:,}" if coming else "none"
    return f"{text}; {number} of these will be there in the next session"


def _on_existing_tasks(report: QueueReport, explained: QueueExplanation) -> Iterator[str]:
    """Say what the queue gets, and what keeps the tasks that there are waiting."""
    queue = next(each for each in report.queues if each.name == explained.name)
    found = causes(explained)
    excesses = {excess.queue: excess for excess in explained.excesses}
    own = excesses.pop(queue.name, None)
    names = list(dict.fromkeys([*_telling(queue, found), *(own.excess if own else ())]))
    figures = _figures(queue, names, own, divided=report.plugin != CAPACITY)
    has_level = report.tree and len(explained.queue_path) > 1  # the root needs no directions
    level = f" ({' → '.join(reversed(explained.queue_path))})" if has_level else ""
    yield f"Queue {queue.name}{level} {figures}"
    for each in report.queues:
        if each.name in excesses:
            yield _above(explained, each, excesses[each.name])
    if queue.state != OPEN:
        yield f"It is {queue.state or 'in no state'}, so it admits no new jobs"
    if not found:
        if not explained.awaited:
            yield "None of its tasks is pending"
        return
    first, *others = found
    if not first.text:
        tasks = sum(cause.tasks for cause in found)
        are = "is" if tasks == 1 else "are"
        yield f"{count(tasks, 'task')} of it {are} pending, though there is room{_verdicts(found)}"
        return
    yield f"{first.text.rstrip('.')}{_as_well(first)}"
    if len(others) == 1 and others[0].text:
        yield f"{others[0].text.rstrip('.')}{_as_well(others[0])}"
    elif others:
        tasks, jobs = sum(cause.tasks for cause in others), sum(len(cause.jobs) for cause in others)
        more = count(tasks, "more task") if tasks else count(jobs, "more job")
        yield f"{more} {_wait(tasks or jobs)} for other reasons{_verdicts(others)}"


def _as_well(cause: Cause) -> str:
    """Count the jobs that wait for the same as the one that is named."""
    more = len(cause.jobs) - 1
    return f"; {count(more, 'more job')} {_wait(more)} for the same" if more else ""


def _wait(number: int) -> str:
    return "waits" if number == 1 else "wait"


def _verdicts(found: list[Cause]) -> str:
    codes = dict.fromkeys(cause.code for cause in found if cause.code)
    return f" ({', '.join(codes)})" if codes else ""


def _telling(queue: QueueResult, found: list[Cause]) -> list[str]:
    """Return the resources to name: those that are short, else the one that the queue holds most of."""
    short = dict.fromkeys(cause.resource for cause in found if cause.resource)
    if short:
        return list(short)[:2]
    held, deserved = queue.closed.allocated, queue.opened.deserved
    names = [name for name in {**deserved, **held} if name != PODS]
    part = {name: (held.get(name) or 0.0) / of if (of := deserved.get(name)) else 0.0 for name in names}
    return [max(part, key=lambda name: part[name])] if part else []


def _above(explained: QueueExplanation, queue: QueueResult, excess: Excess) -> str:
    """Say of a queue above the one that is explained that it holds more than it may have."""
    parts = [
        f"{_held_and_reserved(queue, name)} {name}; its limit is "
        f"{amount(name, queue.opened.real_capability.get(name, 0.0))}{_too_much(excess, name)}"
        for name in excess.excess
    ]
    text = where(explained, queue.name)
    return f"{text[0].upper()}{text[1:]} holds {'; it holds '.join(parts)}"


def _held_and_reserved(queue: QueueResult, name: str) -> str:
    """Write what a queue holds, and what is only reserved for tasks of it."""
    held, reserved = amount(name, queue.held.get(name, 0.0)), queue.closed.reserved.get(name)
    return f"{held} (and {amount(name, reserved)} more reserved)" if reserved else held


def _too_much(excess: Excess | None, name: str) -> str:
    """Say how much more of a resource is held than may be, and why, as far as that is known."""
    if excess is None or not excess.excess.get(name):
        return ""
    reclaimed = excess.reclaimed.get(name)
    reasons = ["it was when the session opened"] if excess.at_open.get(name) else []
    reasons += (
        [f"reclaim, which does not check the limit, reserved {amount(name, reclaimed)} for it"] if reclaimed else []
    )
    why = f", as {' and '.join(reasons)}" if reasons else ""
    return f": {amount(name, excess.excess[name])} above the limit{why}"


def _figures(queue: QueueResult, names: list[str], excess: Excess | None, *, divided: bool) -> str:
    """Say what a queue holds and the one limit that counts for its tasks: with proportion, what it deserves."""
    parts = []
    for name in names:
        deserved, held = queue.opened.deserved.get(name, 0.0), _held_and_reserved(queue, name)
        if divided and deserved == 0:
            figures = f"deserves no {name} and holds {held}"
        elif divided:
            figures = f"holds {held} of the {amount_of(name, deserved)} that it deserves"
        else:
            limit = queue.opened.real_capability.get(name, 0.0)
            may = "has no limit" if limit is None else f"its limit is {amount(name, limit)}"
            figures = f"deserves {amount_of(name, deserved)} and holds {held}; {may}"
        parts.append(f"{figures}{_too_much(excess, name)}")
    return "; it ".join(parts) or "deserves nothing and holds nothing"


# --- without a queue --------------------------------------------------------------------------------------------------


def _overview(report: QueueReport) -> Iterator[str]:
    if report.session.standstill:
        yield f"Scheduling is blocked until this is fixed: {report.session.standstill}"
        return
    if not report.queues:
        yield no_queue_plugin(report)
        return
    full = [queue.name for queue in report.queues if queue.closed.overused]
    beyond = [f"{name}: {percent(part)} of its {resource}" for name, resource, part in _above_deserved(report)]
    short = [queue.name for queue in _short(report)]
    asking = [f"{queue.name}: {words}" for queue in report.queues if (words := _above_its_limit(queue))]
    over = [queue.name for queue in report.queues if _is_above_limit(report, queue)]
    deserve, deserves = "deserve and are overused", "deserves and is overused"
    parts = [
        *([_naming(full, f"holds all that it {deserves}", f"hold all that they {deserve}")] if full else []),
        *([] if beyond or full else ["none is overused"]),
        *([_naming(beyond, "holds more than it deserves", "hold more than they deserve")] if beyond else []),
        _naming(short, "requests more than it holds", "request more than they hold"),
        *([_naming(asking, "requests more than its limit", "request more than their limit")] if asking else []),
        *([_naming(over, "is above its limit", "are above their limit")] if over else []),
    ]
    yield f"{count(len(report.queues), 'queue')}: {'; '.join(parts)}"
    if report.awaited:
        yield _to_come(report.awaited)


def _above_deserved(report: QueueReport) -> list[tuple[str, str, float]]:
    """Return the queues above their deserved share, with the resource and the part of it that they hold, most first."""
    found = []
    for queue in report.queues:
        held, deserved = queue.held, queue.opened.deserved
        parts = {name: (held.get(name) or 0.0) / of for name, of in deserved.items() if of and name != PODS}
        most = max(parts, key=lambda name: parts[name], default="")
        if most and parts[most] > 1 + NEGLIGIBLE and not queue.closed.overused:
            found.append((queue.name, most, parts[most]))
    return sorted(found, key=lambda each: (-each[2], each[0]))


def _above_its_limit(queue: QueueResult) -> str:
    """Write the resource of which a queue, with those below it, requests most beyond its limit; empty for none."""
    limits = {name: limit for name, limit in queue.opened.real_capability.items() if limit is not None and name != PODS}
    request_of = {name: queue.opened.request.get(name) or 0.0 for name in limits}
    name = max(limits, key=lambda each: request_of[each] / (limits[each] or NEGLIGIBLE), default="")
    request = request_of.get(name, 0.0)
    if not name or request - limits[name] <= NEGLIGIBLE:
        return ""
    return f"{amount_of(name, request)} with a limit of {amount(name, limits[name])}"


def _is_above_limit(report: QueueReport, queue: QueueResult) -> bool:
    """Tell whether a queue holds more than it may have, which with proportion is never below what it deserves."""
    deserved = {} if report.plugin == CAPACITY else queue.opened.deserved
    return any(
        (queue.closed.allocated.get(name) or 0.0) - max(limit, deserved.get(name) or 0.0) > NEGLIGIBLE
        for name, limit in queue.opened.real_capability.items()
        if limit is not None
    )


def no_queue_plugin(report: QueueReport) -> str:
    """Say why there are no figures of queues."""
    return "No queue has jobs" if report.plugin else f"Queues have no deserved share and no limit: {no_plugin()}"


def no_plugin() -> str:
    """Say that no plugin divides the cluster among queues."""
    return f"neither {' nor '.join(QUEUE_PLUGINS)} is configured"


def _naming(names: list[str], one: str, many: str) -> str:
    if not names:
        return f"none {one}"
    return f"{len(names)} {one if len(names) == 1 else many} ({first_names(names, _NAMED)})"


def _short(report: QueueReport) -> list[QueueResult]:
    """Return the queues that have jobs of their own and lack something, what lacks the largest part first."""
    parents = {queue.parent or ROOT for queue in report.queues} if report.tree else set()
    lacking: dict[str, float] = {}
    for queue in report.queues:
        request, held = queue.opened.request, queue.held
        missing = (1 - (held.get(name) or 0.0) / value for name, value in request.items() if value and name != PODS)
        lacking[queue.name] = max(missing, default=0.0)
    leaves = [queue for queue in report.queues if queue.name not in parents and lacking[queue.name] > NEGLIGIBLE]
    return sorted(leaves, key=lambda queue: (-lacking[queue.name], queue.name))


def most_lacking(report: QueueReport) -> str:
    """Return the queue that lacks most, else one with pods that do not exist yet, else the first; empty without any."""
    if short := _short(report):
        return short[0].name
    known = [queue.name for queue in report.queues]
    return next((each.queue for each in report.awaited if each.queue in known), known[0] if known else "")
