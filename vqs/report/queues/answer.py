"""The answer in a few sentences: what a queue gets, what is short, at which level of the tree, and by how much."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from vqs.explain.queues.outcome import Division
from vqs.report.again import Next, of_title
from vqs.report.page import listed
from vqs.report.phrases import QUEUE_PLUGINS
from vqs.report.units import amount, count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vqs.explain.outcome import Amounts, QueueResult
    from vqs.explain.queues.outcome import (
        AwaitedOfJob,
        Bound,
        Excess,
        GateAccount,
        PendingRole,
        QueueExplanation,
        QueueReport,
        QueueSpec,
    )
    from vqs.report.again import Again, Step

OPEN: Final = "Open"
ROOT: Final = "root"
CAPACITY: Final = "capacity"
_NAMED: Final = 3
"""A sentence names so many queues at most."""

_PODS: Final = "pods"
_NEGLIGIBLE: Final = 1e-6
_NOTHING: Final = "0"
_LEAST: Final = 0.01
"""The least that is written of what is no number of bytes."""


# --- what is short ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Cause:
    """Something that keeps tasks waiting, and those that it keeps.

    Attributes:
        code: of the verdict on most of them.
        resource: what is short, where anything is.
        queue: where in the tree; empty for the cluster and its nodes.
        text: what would have to be said of the first job, as a sentence.
        is_room: whether it is the nodes that have no room.
        jobs: the jobs that wait for this, in order.
        tasks: how many of their tasks do.
    """

    code: str
    resource: str
    queue: str
    text: str
    is_room: bool = False
    jobs: dict[str, None] = field(default_factory=dict)
    tasks: int = 0


def causes(explained: QueueExplanation) -> list[Cause]:
    """Return what keeps tasks of a queue waiting, what keeps most of them first."""
    found: dict[tuple[str, ...], Cause] = {}
    waiting: dict[str, list[PendingRole]] = {}
    for role in explained.pending:
        waiting.setdefault(role.job, []).append(role)
    for gate in explained.gate.jobs:
        if not gate.entered:
            roles = waiting.pop(gate.job, [])
            over = [each for each in gate.accounts if each.exceeding]
            short, queue = (over[0].exceeding[0], over[0].queue) if over else ("", "")
            cause = Cause(gate.code, short, queue, _kept_out(explained, gate.job, over))
            _add(found, ("gate", gate.code, cause.queue, short), cause, gate.job, sum(role.tasks for role in roles))
    for role in (role for roles in waiting.values() for role in roles):
        bound = _deciding(role)
        if bound is None:
            cause = Cause(role.verdict, "", "", "")
            _add(found, ("verdict", role.verdict), cause, role.job, role.tasks)
        else:
            text = _held_back(explained, role, bound)
            cause = Cause(role.verdict, bound.resource, bound.queue, text, is_room=bound.what == "nodes")
            _add(found, (bound.what, bound.queue, bound.resource), cause, role.job, role.tasks)
    return sorted(found.values(), key=lambda cause: (not cause.text, -cause.tasks))


def _add(found: dict[tuple[str, ...], Cause], key: tuple[str, ...], cause: Cause, job: str, tasks: int) -> None:
    known = found.setdefault(key, cause)
    known.tasks += tasks
    known.jobs[job] = None


def _deciding(role: PendingRole) -> Bound | None:
    """Return the limit that leaves no room for all tasks of a role."""
    return None if role.limit is None or role.fitting >= role.tasks else role.bounds[role.limit]


def _kept_out(explained: QueueExplanation, job: str, over: list[GateAccount]) -> str:
    """Say why a job is kept out: the first account that does not balance decides, and others may be worse."""
    if not over:
        return f"{job} is not let into the queue"
    account, *others = over
    name, total, limit, most = _excess(account)
    if not account.queue:
        promised = f"{_of(name, total)} would be promised of the {amount(name, limit)} that {account.plugin} allows"
        return f"{job} is not let into the queue: with it, {promised}, {most} too much"
    counted = f"would count {_of(name, total)} of the {amount(name, limit)} that it may have"
    text = f"{job} is not let into the queue: with it, {where(explained, account.queue)} {counted}, {most} too much"
    also = [f"{where(explained, each.queue)} {_excess(each)[3]} {_excess(each)[0]}" for each in others if each.queue]
    return f"{text}, and {' and '.join(also)} too much" if also else text


def _excess(account: GateAccount) -> tuple[str, float, float, str]:
    """Return the first resource of which an account has too much, the sum, the limit, and how much that is."""
    name = account.exceeding[0]
    total, limit = account.total.get(name) or 0.0, account.limit.get(name) or 0.0
    return name, total, limit, amount(name, total - limit)


def _held_back(explained: QueueExplanation, role: PendingRole, bound: Bound) -> str:
    name, need = bound.resource, role.request.get(bound.resource) or 0.0
    many = role.tasks > 1
    who = f"{count(role.tasks, 'task')} of {role.job}"
    asks = f"{who} {f'ask for {_of(name, need)} each' if many else f'asks for {_of(name, need)}'}"
    room = bound.room.get(name) or 0.0
    if bound.what == "nodes":
        if not name:
            return f"{who} {'have' if many else 'has'} no node that would do"
        most = f"no node that would do has {f'more than {amount(name, room)}' if room > 0 else 'any'} idle"
        return f"{asks}, and {most if room < need else f'the nodes have room for {bound.tasks:,}'}"
    left = _of(name, room) if room > _NEGLIGIBLE else f"no {name}"
    may = "deserves, which is the most it may hold" if bound.what == "deserved" else "may have"
    may += _limited_by(explained, bound) if bound.what == "realCapability" else ""
    short = need * role.tasks - room + (bound.beyond.get(name) or 0.0)
    return (
        f"{asks}, and {where(explained, bound.queue)} has {left} left of what it {may}: {_missing(name, short)} short"
    )


def _missing(resource: str, value: float) -> str:
    """Write how much is missing; sharing out can stop a hair below what is asked for."""
    said = amount(resource, value)
    return f"{_of(resource, value)}" if said != _NOTHING else f"less than {amount(resource, _LEAST)} {resource}"


def _limited_by(explained: QueueExplanation, bound: Bound) -> str:
    """Name the queue above that makes the limit of a queue as low as it is, if one does."""
    links = [] if isinstance(explained.derivation, Division) else explained.derivation.links
    named = next((link.limited_by.get(bound.resource, "") for link in links if link.queue == bound.queue), "")
    return f", limited by {named}" if named not in ("", bound.queue) else ""


def where(explained: QueueExplanation, queue: str) -> str:
    """Name a queue and its place in the tree, as seen from the one that is explained."""
    if queue == explained.name or queue not in explained.line:
        return f"queue {queue}"
    levels = explained.line.index(queue)
    return f"queue {queue}, {count(levels, 'level')} above it,"


def _of(resource: str, value: float | None) -> str:
    return f"{amount(resource, value)} {resource}"


# --- the answer -------------------------------------------------------------------------------------------------------


def answer(report: QueueReport, given: Again | None = None) -> list[str]:
    """Return one to three sentences; what the report was made from is used for commands."""
    again = given or of_title(report.scenario)
    if report.spec is not None:
        return [f"{sentence}." for sentence in _on_spec(report, report.spec)]
    if report.explained is None:
        return list(_overview(report, again))
    return [f"{sentence}." for sentence in _on_queue(report, report.explained, again)]


def _on_spec(report: QueueReport, spec: QueueSpec) -> Iterator[str]:
    """Say why nothing more is known of a queue than its spec."""
    why = f"{report.plugin} looks only at queues that have jobs, and it has none" if report.plugin else no_plugin()
    yield f"What queue {spec.name} deserves and may have is not known: {why}"
    figures = {"capability": spec.capability, "deserved": spec.deserved, "guarantee": spec.guarantee}
    facts = [
        spec.state or "no state",
        f"weight {spec.weight}",
        *([f"priority {spec.priority}"] if spec.priority else []),
        *([f"parent {spec.parent}"] if spec.parent else []),
        *([] if spec.reclaimable else ["not reclaimable"]),
        *(f"{title} {listed(amounts) or 'none'}" for title, amounts in figures.items()),
    ]
    yield f"Its spec says: {'; '.join(facts)}"


def _on_queue(report: QueueReport, explained: QueueExplanation, again: Again) -> Iterator[str]:
    if report.session.standstill:
        yield f"Nothing is scheduled, in queue {explained.name} or in any other, until that is mended"
        return
    yield from _on_those_there(report, explained)
    if explained.awaited:
        yield _to_come(explained.awaited, again, "of it ")


def _to_come(awaited: Sequence[AwaitedOfJob], again: Again, of_it: str = "") -> str:
    """Count the pods that do not exist yet, and those of them that come with the next session."""
    pods, coming = sum(each.number for each in awaited), sum(each.next for each in awaited)
    has, are = "has" if len(awaited) == 1 else "have", "is" if pods == 1 else "are"
    text = f"{count(len(awaited), 'job')} {of_it}{has} {count(pods, 'pod')} that {are} not created yet"
    if not coming:
        return f"{text}, and do{'es' if pods == 1 else ''} not come with the next session"
    come = f"{'all' if coming == pods else f'{coming:,}'} {'comes' if coming == 1 else 'come'}"
    if pods == 1:
        come = "it comes"
    command = again.command("simulate", "", ("--cycles", "2")).command
    return f"{text}; {come} with the next session ({command})"


def _on_those_there(report: QueueReport, explained: QueueExplanation) -> Iterator[str]:
    """Say what the queue gets, and what keeps the tasks that there are waiting."""
    queue = next(each for each in report.queues if each.name == explained.name)
    found = causes(explained)
    excesses = {excess.queue: excess for excess in explained.excesses}
    own = excesses.pop(queue.name, None)
    names = list(dict.fromkeys([*_telling(queue, found), *(own.beyond if own else ())]))
    yield f"Queue {queue.name}{_level(report, explained)} {_figures(queue, names, own)}"
    for each in report.queues:
        if each.name in excesses:
            yield _above(explained, each, excesses[each.name])
    if queue.state != OPEN:
        yield f"It is {queue.state or 'in no state'}, so that it takes no new jobs"
    if not found:
        if not explained.awaited:
            yield "Nothing of it waits"
        return
    first, *others = found
    if not first.text:
        tasks = sum(cause.tasks for cause in found)
        yield f"{count(tasks, 'task')} of it {_wait(tasks)}, though there is room{_verdicts(found)}"
        return
    yield f"{first.text}{_as_well(first)}{_borrowed(report, explained, first)}"
    if len(others) == 1 and others[0].text:
        yield f"{others[0].text}{_as_well(others[0])}"
    elif others:
        tasks, jobs = sum(cause.tasks for cause in others), sum(len(cause.jobs) for cause in others)
        more = count(tasks, "more task") if tasks else count(jobs, "more job")
        yield f"{more} {_wait(tasks or jobs)} for other reasons{_verdicts(others)}"


def _borrowed(report: QueueReport, explained: QueueExplanation, cause: Cause) -> str:
    """Say who holds what the queue deserves, where nodes are full and others hold more than they deserve."""
    if not cause.is_room or not explained.reclaim.deficit.get(cause.resource):
        return ""
    parents = {queue.parent or ROOT for queue in report.queues} if report.tree else set()
    beyond = {
        queue.name: _beyond(queue, cause.resource)
        for queue in report.queues
        if queue.name not in explained.line and queue.name not in parents
    }
    name = max(beyond, key=lambda each: beyond[each], default="")
    if not name or beyond[name] <= _NEGLIGIBLE:
        return ""
    idle = "" if explained.reclaim.configured else ", and the action reclaim is not configured"
    return f"; queue {name} holds {_of(cause.resource, beyond[name])} beyond what it deserves{idle}"


def _beyond(queue: QueueResult, resource: str) -> float:
    return (queue.closed.allocated.get(resource) or 0.0) - (queue.opened.deserved.get(resource) or 0.0)


def _as_well(cause: Cause) -> str:
    """Count the jobs that wait for the same as the one that is named."""
    more = len(cause.jobs) - 1
    return f"; {count(more, 'more job')} {_wait(more)} for the same" if more else ""


def _wait(number: int) -> str:
    return "waits" if number == 1 else "wait"


def _verdicts(found: list[Cause]) -> str:
    codes = Counter({code: 0 for code in dict.fromkeys(cause.code for cause in found) if code})
    return f" ({', '.join(codes)})" if codes else ""


def _level(report: QueueReport, explained: QueueExplanation) -> str:
    """Say where in the tree a queue is."""
    if not report.tree or len(explained.line) < 2:  # noqa: PLR2004 - the root needs no directions
        return ""
    return f" ({' → '.join(reversed(explained.line))})"


def _telling(queue: QueueResult, found: list[Cause]) -> list[str]:
    """Return the resources to speak of: those that are short, else the one of which the queue holds the most."""
    short = dict.fromkeys(cause.resource for cause in found if cause.resource)
    if short:
        return list(short)[:2]
    held, deserved = queue.closed.allocated, queue.opened.deserved
    names = [name for name in {**deserved, **held} if name != _PODS]
    return [max(names, key=lambda name: _part(held.get(name), deserved.get(name)))] if names else []


def _part(held: float | None, of: float | None) -> float:
    return (held or 0.0) / of if of else 0.0


def _above(explained: QueueExplanation, queue: QueueResult, excess: Excess) -> str:
    """Say of a queue above the one that is explained that it holds more than it may have."""
    parts = [
        f"{amount(name, queue.closed.allocated.get(name, 0.0))} {name} and may have "
        f"{amount(name, queue.opened.real_capability.get(name, 0.0))}{_too_much(excess, name)}"
        for name in excess.beyond
    ]
    text = where(explained, queue.name)
    return f"{text[0].upper()}{text[1:]} holds {'; it holds '.join(parts)}"


def _too_much(excess: Excess | None, name: str) -> str:
    """Say how much more of a resource is held than may be, and why, as far as that can be told."""
    if excess is None or not excess.beyond.get(name):
        return ""
    reclaimed = excess.reclaimed.get(name)
    reasons = ["it did when the session opened"] if excess.at_open.get(name) else []
    reasons += [f"reclaim, which does not look at that, promised it {amount(name, reclaimed)}"] if reclaimed else []
    why = f", as {' and '.join(reasons)}" if reasons else ""
    return f": {amount(name, excess.beyond[name])} more than it may{why}"


def _figures(queue: QueueResult, names: list[str], excess: Excess | None) -> str:
    parts = []
    for name in names:
        deserved, held = queue.opened.deserved.get(name, 0.0), queue.closed.allocated.get(name, 0.0)
        limit = queue.opened.real_capability.get(name, 0.0)
        may = "has no limit" if limit is None else f"may have {amount(name, limit)}"
        parts.append(f"deserves {_of(name, deserved)}, holds {amount(name, held)} and {may}{_too_much(excess, name)}")
    return "; it ".join(parts) or "deserves nothing and holds nothing"


# --- without a queue --------------------------------------------------------------------------------------------------


def _overview(report: QueueReport, again: Again) -> Iterator[str]:
    if report.session.standstill:
        yield "Nothing is scheduled until that is mended."
        return
    if not report.queues:
        yield f"{no_queue_plugin(report)}."
        return
    full = [queue.name for queue in report.queues if queue.closed.overused]
    short = [queue.name for queue in _short(report)]
    over = [queue.name for queue in report.queues if _is_above_limit(report, queue)]
    parts = [
        _naming(full, "holds all it deserves", "hold all they deserve"),
        _naming(short, "asks for more than it holds", "ask for more than they hold"),
        *([_naming(over, "holds more than it may", "hold more than they may")] if over else []),
    ]
    yield f"{count(len(report.queues), 'queue')}: {'; '.join(parts)}."
    if report.awaited:
        yield f"{_to_come(report.awaited, again)}."


def _is_above_limit(report: QueueReport, queue: QueueResult) -> bool:
    """Tell whether a queue holds more than it may have, which with proportion is never below what it deserves."""
    deserved = {} if report.plugin == CAPACITY else queue.opened.deserved
    return any(
        (queue.closed.allocated.get(name) or 0.0) - max(limit, deserved.get(name) or 0.0) > _NEGLIGIBLE
        for name, limit in queue.opened.real_capability.items()
        if limit is not None
    )


def no_queue_plugin(report: QueueReport) -> str:
    """Say why there are no figures of queues."""
    return "No queue has a job" if report.plugin else f"Nothing is known of queues: {no_plugin()}"


def no_plugin() -> str:
    """Say that no plugin divides the cluster among queues."""
    return f"neither {' nor '.join(QUEUE_PLUGINS)} is configured"


def _naming(names: list[str], one: str, many: str) -> str:
    if not names:
        return f"none {one}"
    named = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    return f"{len(names)} {one if len(names) == 1 else many} ({named})"


def _short(report: QueueReport) -> list[QueueResult]:
    """Return the queues that have jobs of their own and lack something, what lacks the largest part first."""
    parents = {queue.parent or ROOT for queue in report.queues} if report.tree else set()
    lacking = {queue.name: _lack(queue.opened.request, queue.closed.allocated) for queue in report.queues}
    leaves = [queue for queue in report.queues if queue.name not in parents and lacking[queue.name] > _NEGLIGIBLE]
    return sorted(leaves, key=lambda queue: (-lacking[queue.name], queue.name))


def _lack(request: Amounts, held: Amounts) -> float:
    """Return the largest part of a request that is not held."""
    parts = (1 - (held.get(name) or 0.0) / value for name, value in request.items() if value and name != _PODS)
    return max(parts, default=0.0)


# --- what to do next --------------------------------------------------------------------------------------------------


def next_step(report: QueueReport, given: Again | None = None) -> Next:
    """Name the command to go on with, if there is one."""
    again = given or of_title(report.scenario)
    if report.session.standstill:
        return again.last(lint_step(again))
    if report.explained is None:
        if report.spec is not None:
            shows = again.command("explain-queue", "shows the queues that have jobs")
            return again.last(shows) if report.queues else Next()
        name = _worth_a_look(report)
        return again.last(again.command("explain-queue", "says why", ("--queue", name))) if name else Next()
    jobs = again.command("simulate", "shows its jobs", ("--queue", report.explained.name))
    code = next((cause.code for cause in causes(report.explained) if cause.code), "")
    return again.last(*([again.rule(code, "says what to do")] if code else []), jobs)


def lint_step(again: Again) -> Step:
    """Name the command that looks for faults; it makes no edits."""
    before = ", before the edits" if again.has_edits else ""
    return again.command("lint", f"finds what else is wrong{before}")


def _worth_a_look(report: QueueReport) -> str:
    """Return the queue that lacks most, else one with pods that do not exist yet, else the first; empty without any."""
    if short := _short(report):
        return short[0].name
    known = [queue.name for queue in report.queues]
    return next((each.queue for each in report.awaited if each.queue in known), known[0] if known else "")


def sizes(report: QueueReport) -> str:
    """Count what takes part."""
    session = report.session
    return ", ".join((count(session.nodes, "node"), count(session.jobs, "job"), count(session.tasks, "task")))
