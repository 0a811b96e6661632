"""What differs between the queues and the nodes of two sessions, and how much of what it deserved a queue loses."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from vqs.diff.outcome import Effect, JobDifference, NodeDifference, NodeSide, Presence, QueueDifference, QueueSide
from vqs.diff.run import Run
from vqs.diff.tasks import balance
from vqs.engine.framework.finished import FinishedSession
from vqs.explain.outcome import Amounts, NodeResult, QueueResult, given, without
from vqs.model.cluster import ROOT, Queue
from vqs.model.resource import PODS, Resource

_FIELDS: Final[Mapping[str, str]] = {
    "parent": "parent",
    "weight": "weight",
    "priority": "priority",
    "state": "state",
    "reclaimable": "reclaimable",
    "deserved": "deserved",
    "guarantee": "guarantee",
    "capability": "capability",
    "real_capability": "realCapability",
    "request": "request",
    "allocated": "allocated",
    "reserved": "reserved",
    "inqueue": "inqueue",
    "share": "share",
    "overused": "overused",
}
"""What is compared, and how it is called in the document."""

_TOLERANCE: Final = 1e-9


def queue_differences(before: Run, after: Run, in_vain: Sequence[JobDifference] = ()) -> list[QueueDifference]:
    """Return all queues of both sessions by name, with what differs; those without jobs are among them.

    A queue above others holds what they hold only where a plugin makes a tree of them: to switch that on or off makes
    it neither better nor worse off. What is reserved for jobs `in_vain` makes no queue better or worse off.
    """
    sides = [sides_in(run.session, run.simulation.queues) for run in (before, after)]
    for name in sides[0].keys() & sides[1].keys():
        # What only one of the sides limits is unlimited in the other.
        pair = [side[name] for side in sides]
        limited = dict.fromkeys(resource for side in pair for resource in side.capability)
        for side in pair:
            side.capability = {**limited, **side.capability}
    above = {queue.parent or ROOT for queues in sides for queue in queues.values()}
    names = sorted({*sides[0], *sides[1]})
    empty: set[str] = set()
    todo = [each.queue for job in in_vain for each in (job.before, job.after) if each is not None]
    while todo:
        name = todo.pop()
        queue = sides[0].get(name) or sides[1].get(name)
        if queue is not None and name not in empty:
            empty.add(name)
            todo.append(queue.parent or ROOT)
    return [
        _queue(name, sides[0].get(name), sides[1].get(name), is_above=name in above, is_promised=name not in empty)
        for name in names
    ]


def node_differences(before: Run, after: Run, *, use: bool) -> list[NodeDifference]:
    """Return the nodes that differ, by name; `use` tells whether what is used of them counts."""
    found = []
    for name in sorted({*before.nodes, *after.nodes}):
        one, other = before.nodes.get(name), after.nodes.get(name)
        change: Presence
        if one is None or other is None:
            change = "added" if one is None else "removed"
        elif (one.unschedulable, one.allocatable) != (other.unschedulable, other.allocatable):
            change = "changed"
        elif use and not same_amounts(one.used, other.used):
            change = "same"
        else:
            continue
        found.append(NodeDifference(name=name, change=change, before=_node(one), after=_node(other)))
    return found


def same_amounts(one: Amounts, other: Amounts) -> bool:
    """Tell whether amounts are the same, a missing one being nothing."""
    return all(_same(one.get(name, 0.0), other.get(name, 0.0)) for name in {*one, *other})


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)


def _queue(
    name: str, before: QueueSide | None, after: QueueSide | None, *, is_above: bool, is_promised: bool
) -> QueueDifference:
    if before is None or after is None:
        return QueueDifference(
            name=name,
            change="added" if before is None else "removed",
            before=before,
            after=after,
        )
    fields = [shown for field, shown in _FIELDS.items() if not _alike(_value(before, field), _value(after, field))]
    return QueueDifference(
        name=name,
        change="changed" if fields else "same",
        fields=fields,
        effect="neither"
        if is_above and before.considered != after.considered
        else _effect(before, after, is_promised=is_promised),
        before=before,
        after=after,
    )


def _value(side: QueueSide, field: str) -> object:
    """Return what counts of a field: a queue without a parent is below the root."""
    value: object = getattr(side, field)
    return value or ROOT if field == "parent" else value


def _alike(one: object, other: object) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return same_amounts(one, other)
    if isinstance(one, float) and isinstance(other, float):
        return _same(one, other)
    return one == other


def _effect(before: QueueSide, after: QueueSide, *, is_promised: bool) -> Effect:
    """Whether a queue holds more, with what is reserved if a session keeps that; else whether it deserves more."""
    held = [each.allocated if is_promised else without(each.allocated, each.reserved) for each in (before, after)]
    known = before.considered and after.considered
    for one, other in (held, [before.deserved, after.deserved]) if known else (held,):
        if not same_amounts(one, other):
            return balance(
                gains=any(is_more(other.get(name, 0.0), one.get(name, 0.0)) for name in other),
                loses=any(is_more(one.get(name, 0.0), other.get(name, 0.0)) for name in one),
            )
    return "neither"


def is_more(one: float | None, other: float | None) -> bool:
    """Tell whether an amount is more than another, an unlimited one being more than any."""
    if one is None or other is None:
        return one is None and other is not None
    return one > other and not _same(one, other)


def sides_in(session: FinishedSession, results: Iterable[QueueResult]) -> dict[str, QueueSide]:
    """Return all queues of a session, by name, given those that the queue plugin looked at."""
    considered = {} if session.standstill else {queue.name: _side(queue) for queue in results}
    others = {name: queue for name, queue in session.queues.items() if name not in considered}
    held: defaultdict[str, Resource] = defaultdict(Resource)
    for job in session.jobs.values():
        if job.queue in others:
            held[job.queue].add(job.allocated)
    return {**considered, **{name: _of_spec(queue, held[name]) for name, queue in others.items()}}


_OF_SPEC: Final = ("parent", "weight", "priority", "state", "reclaimable")


def _side(queue: QueueResult) -> QueueSide:
    opened, closed = queue.opened, queue.closed
    return QueueSide(
        **{name: getattr(queue, name) for name in _OF_SPEC},
        **{
            name: getattr(opened, name)
            for name in ("deserved", "guarantee", "capability", "real_capability", "request")
        },
        **{name: getattr(closed, name) for name in ("allocated", "reserved", "inqueue", "share", "overused")},
    )


def _of_spec(queue: Queue, held: Resource) -> QueueSide:
    """Return a queue that no plugin looks at, with what its jobs hold."""
    return QueueSide(
        **{name: getattr(queue, name) for name in _OF_SPEC},
        considered=False,
        deserved={},
        guarantee=given(queue.guarantee),
        capability=given(queue.capability),
        real_capability={},
        request={},
        allocated=given(held),
        inqueue={},
        share=0.0,
        overused=False,
    )


def _node(node: NodeResult | None) -> NodeSide | None:
    if node is None:
        return None
    return NodeSide(allocatable=node.allocatable, used=node.used, pods=node.pods, unschedulable=node.unschedulable)


def changed(queues: Iterable[QueueDifference]) -> list[QueueDifference]:
    """Return the queues that are not the same on both sides."""
    return [queue for queue in queues if queue.change != "same"]


class ShareLoss(NamedTuple):
    """A loss of one resource.

    Attributes:
        what: what falls: `allocated` or `deserved`.
        of: what it is a part of, in the base: `deserved`, or `allocated` where the queue deserved nothing.
        resource: the resource.
        before: the part in the base.
        after: the part in the candidate.
    """

    what: str
    of: str
    resource: str
    before: float
    after: float

    @property
    def by(self) -> float:
        """By how much the part falls."""
        return self.before - self.after


def share_loss(queue: QueueDifference) -> ShareLoss | None:
    """Return the largest loss of a queue; None for one that loses nothing that it needs.

    Only a queue that is marked as worse off, or is removed, loses anything: of a resource of which it is allocated
    less; where it is allocated the same, of one of which it deserves less, and less than it requests. Both sides are
    parts of what the queue deserved in the base: its share falls as well when it deserves more, which is no loss.
    """
    if queue.before is None or not (queue.change == "removed" or queue.effect in {"loses", "both"}):
        return None
    after = queue.after
    allocated = after.allocated if after else {}
    losses = list(_falls(queue.before, "allocated", queue.before.allocated, allocated))
    if after and not losses:
        wanted: Amounts = {
            name: min(_of(queue.before.deserved, name), _of(after.request, name)) for name in after.request
        }
        losses = list(_falls(queue.before, "deserved", wanted, after.deserved))
    return max(losses, key=lambda each: each.by, default=None)


def _falls(base: QueueSide, what: str, one: Amounts, other: Amounts) -> Iterator[ShareLoss]:
    """Yield the resources of which there is less in the second amounts."""
    for resource in sorted(one.keys() - {PODS}):
        before, after = _of(one, resource), _of(other, resource)
        if not is_more(before, after):
            continue
        of = "deserved" if _of(base.deserved, resource) else "allocated"
        whole = _of(getattr(base, of), resource)
        if math.isfinite(whole):
            yield ShareLoss(what, of, resource, before / whole, after / whole)


def _of(amounts: Amounts, resource: str) -> float:
    """Return an amount: a missing one is nothing, an unlimited one more than any."""
    value = amounts.get(resource, 0.0)
    return math.inf if value is None else value
