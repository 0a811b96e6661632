"""What keeps tasks of a queue waiting: what is short, at which level of the tree, and by how much."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from vqs.explain.amounts import NEGLIGIBLE, amount, amount_of
from vqs.explain.queues.outcome import Bound, Division, GateAccount, PendingRole, QueueExplanation
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.explain.verdicts import OF_NODES
from vqs.model.codes import VerdictCode
from vqs.model.wording import count

_NOTHING: Final = "0"
_OF_QUEUES: Final = (VerdictCode.QUEUE_LIMIT, VerdictCode.QUEUE_CAPABILITY, VerdictCode.QUEUE_OVERUSED)
"""The verdicts about what a queue may hold."""

_LEAST: Final = 0.01
"""The least that is written of what is no number of bytes."""


@dataclass(slots=True)
class Cause:
    """Something that keeps tasks waiting, and those that it keeps.

    Attributes:
        code: of the verdict on most of them.
        resource: what is short, where anything is.
        queue: where in the tree; empty for the cluster and its nodes.
        text: what the first job lacks, as a sentence.
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
            cause = Cause(gate.code, short, queue, _not_admitted(explained, gate.called, over))
            _add(found, ("gate", gate.code, cause.queue, short), cause, gate.job, sum(role.tasks for role in roles))
    for role in (role for roles in waiting.values() for role in roles):
        bound = _deciding(role)
        if bound is None:
            cause = Cause(role.verdict, "", "", _otherwise(role))
            _add(found, ("verdict", role.verdict), cause, role.job, role.tasks)
        else:
            text = _blocked(explained, role, bound)
            cause = Cause(role.verdict, bound.resource, bound.queue, text, is_room=bound.what == "nodes")
            larger = role.verdict if role.verdict == VerdictCode.LARGER_THAN_ANY_NODE else ""
            _add(found, (bound.what, bound.queue, bound.resource, larger), cause, role.job, role.tasks)
    return sorted(found.values(), key=lambda cause: (not cause.text, -cause.tasks))


def _add(found: dict[tuple[str, ...], Cause], key: tuple[str, ...], cause: Cause, job: str, tasks: int) -> None:
    known = found.setdefault(key, cause)
    known.tasks += tasks
    known.jobs[job] = None


def _deciding(role: PendingRole) -> Bound | None:
    """Return the limit that leaves no room for all tasks of a role, of those that the verdict on the tasks is about.

    When the session is over, other limits may have been reached too: those of the queue by what reclaim pipelined to
    it. None where the verdict is about something else, as about the number of pods.
    """
    if role.verdict in OF_NODES:
        bounds = [bound for bound in role.bounds if bound.what == "nodes"]
    elif role.verdict in _OF_QUEUES:
        bounds = [bound for bound in role.bounds if bound.what != "nodes"]
    elif _is_of_room(role.verdict):
        bounds = role.bounds
    else:
        bounds = []
    limits = [(bound.tasks, at) for at, bound in enumerate(bounds) if bound.enforced and bound.tasks is not None]
    tasks, at = min(limits, default=(role.tasks, 0))
    return bounds[at] if tasks < role.tasks else None


def _is_of_room(verdict: str) -> bool:
    """Tell whether a verdict is about room: it names it, follows from what other tasks met, or is not given."""
    known = VERDICT_RULES.get(verdict)
    return known is None or known.follows or verdict in (*OF_NODES, *_OF_QUEUES)


def _otherwise(role: PendingRole) -> str:
    """Say what tasks wait for that is no room; empty where there is room."""
    if _is_of_room(role.verdict):
        return ""
    verb = "waits" if role.tasks == 1 else "wait"
    return f"{count(role.tasks, 'task')} of {role.called} {verb}: {VERDICT_RULES[role.verdict].title} ({role.verdict})"


def _not_admitted(explained: QueueExplanation, job: str, over: list[GateAccount]) -> str:
    """Say why a job is not admitted: the first account above its limit decides, and others may be worse."""
    if not over:
        return f"{job} is not admitted"
    account, *others = over
    name, total, limit, most = _excess(account)
    if not account.queue:
        promised = f"the cluster's admitted requests would be {amount_of(name, total)}"
        allowed = f"{account.plugin} allows {amount(name, limit)}"
        return f"{job} is not admitted: with it, {promised}; {allowed}: {most} too much"
    counted = f"would count {amount_of(name, total)}; its limit is {amount(name, limit)}: {most} too much"
    text = f"{job} is not admitted: with it, {where(explained, account.queue)} {counted}"
    also = [f"{where(explained, each.queue)} by {_excess(each)[3]} {_excess(each)[0]}" for each in others if each.queue]
    return f"{text}; it would also exceed the limit of {' and '.join(also)}" if also else text


def _excess(account: GateAccount) -> tuple[str, float, float, str]:
    """Return the first resource that an account has too much of, the sum, the limit, and the excess."""
    name = account.exceeding[0]
    total, limit = account.total.get(name) or 0.0, account.limit.get(name) or 0.0
    return name, total, limit, amount(name, total - limit)


def _blocked(explained: QueueExplanation, role: PendingRole, bound: Bound) -> str:
    name, need = bound.resource, role.request.get(bound.resource) or 0.0
    many = role.tasks > 1
    who = f"{count(role.tasks, 'task')} of {role.called}"
    asks = f"{who} {f'ask for {amount_of(name, need)} each' if many else f'asks for {amount_of(name, need)}'}"
    room = bound.room.get(name) or 0.0
    if bound.what == "nodes":
        if not name:
            return f"{who} {'have' if many else 'has'} no suitable node"
        most = f"no suitable node has {f'more than {amount(name, room)}' if room > 0 else 'any'} idle"
        return f"{asks}, and {most if room < need else f'the nodes have room for {bound.tasks:,}'}"
    left = amount_of(name, room) if room > NEGLIGIBLE else f"no {name}"
    limit = "what it deserves" if bound.what == "deserved" else f"its limit{_limited_by(explained, bound)}"
    short = need * role.tasks - room + (bound.beyond.get(name) or 0.0)
    return f"{asks}, and {where(explained, bound.queue)} has {left} left of {limit}: {_missing(name, short)} short"


def _missing(resource: str, value: float) -> str:
    """Write how much is missing; sharing out can stop a hair below what is asked for."""
    said = amount(resource, value)
    return amount_of(resource, value) if said != _NOTHING else f"less than {amount(resource, _LEAST)} {resource}"


def _limited_by(explained: QueueExplanation, bound: Bound) -> str:
    """Name the queue above that makes the limit of a queue as low as it is, if one does."""
    links = [] if isinstance(explained.derivation, Division) else explained.derivation.links
    named = next((link.limited_by.get(bound.resource, "") for link in links if link.queue == bound.queue), "")
    return f", set by {named}" if named not in ("", bound.queue) else ""


def where(explained: QueueExplanation, queue: str) -> str:
    """Name a queue and its place in the tree, as seen from the one that is explained."""
    if queue == explained.name or queue not in explained.line:
        return f"queue {queue}"
    levels = explained.line.index(queue)
    return f"queue {queue}, {count(levels, 'level')} above it,"
