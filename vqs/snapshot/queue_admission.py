"""What Volcano's webhook for queues makes of a change: it lets queues be made, changed and deleted, or denies that.

The webhook judges each queue against those that are stored when it comes. So it matters in which order a change is
made: it is taken to be that of the files, as of ``kubectl apply``, deletions last, and what is denied is tried again
once something else has been let in. A change is denied if a queue is still denied in the end.

What is stored was let in once, and is not judged again; any update of it is, of a label too. The webhook's options are
taken to be at their defaults: ``--max-queue-depth=5``, ``--enable-root-queue-protection``, and no
``--enable-queue-allocated-pods-check``, so that a queue may be deleted whatever its state is and whoever uses it.
Reference: pkg/webhooks/admission/queues in volcano-sh/volcano.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from vqs.model.kubernetes import NotGiven, Queue, QueueStatus
from vqs.model.queue import OPEN, ROOT
from vqs.model.resource import CPU, MEMORY, PODS, Resource
from vqs.model.wording import written
from vqs.snapshot.cluster import own_queue
from vqs.snapshot.hierarchy_paths import PATH, WEIGHTS, stored_path, stored_weights
from vqs.snapshot.keys import DEFAULT_QUEUE, LAST_APPLIED
from vqs.snapshot.queue_depth import DEEPEST
from vqs.snapshot.queue_faults import CAPABILITY, DESERVED, GUARANTEE, Fault, exact, faults

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from vqs.model.kubernetes import QueueSpec, ResourceList
    from vqs.snapshot.diagnostics import Path

_PASSES: Final = 10
"""How often what is denied is tried again, one time in the order of the files, the next time the other way round."""

_FARTHEST: Final = 50
"""So many levels up and down, capabilities are compared: no tree is that deep, save to keep a reader busy."""

_SETTLED: Final = ("", OPEN, "Closed")
"""The states in which a queue may be changed."""

_MADE_BY_THE_SCHEDULER: Final = (ROOT, DEFAULT_QUEUE)
_FEW: Final = 3


class Denied(NamedTuple):
    """A queue that is not let in, or not let go: its name, whether it is to be deleted, and why not."""

    name: str
    deletion: bool
    fault: Fault


def denied_queues(
    stored: Iterable[Queue],
    wanted: Iterable[Queue],
    sketched: Collection[str] = (),
    opened: Collection[str] = (),
) -> list[Denied]:
    """Return what the webhook denies of a change.

    Args:
        stored: the queues that are there.
        wanted: those that are to be there instead, in the order in which they are submitted.
        sketched: the names of stored queues that a scenario tells of in short. What is wrong with one by itself was
            left out for short, and counts only where the change brings it about.
        opened: the names of queues that are opened or closed besides. That is a step of its own, which the webhook does
            not judge, and comes before the update, or after it, as is let in.
    """
    made = {name: own_queue(name) for name in _MADE_BY_THE_SCHEDULER}
    cluster = _Cluster({**made, **_by_name(stored)}, sketched, opened)
    named = _by_name(wanted)
    requests: list[_Request] = [(name, queue) for name, queue in named.items() if cluster.differs(queue)]
    requests += [(name, None) for name in _by_name(stored) if name not in named]
    found: list[tuple[_Request, Fault]] = []
    for _ in range(_PASSES):
        found = [(request, fault) for request in requests if (fault := cluster.take(*request)) is not None]
        if len(found) in (0, len(requests)):
            break
        requests = [request for request, _ in reversed(found)]
    position = {name: index for index, name in enumerate((*named, *_by_name(stored)))}
    found.sort(key=lambda each: position[each[0][0]])
    return [Denied(name, queue is None, fault) for (name, queue), fault in found]


_Request = tuple[str, "Queue | None"]
"""The name of a queue, and what it is to be; None where it is to be deleted."""


def _by_name(queues: Iterable[Queue]) -> dict[str, Queue]:
    return {queue.metadata.name: queue for queue in queues}


# --- the queues that are stored ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Total:
    """What some queues are promised together, and how many of them name each scalar."""

    amounts: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    scalars: Counter[str] = field(default_factory=Counter)

    def add(self, promised: Resource, sign: int) -> None:
        """Add what a queue is promised, or take it away."""
        for name in promised.dimensions():
            self.amounts[name] += sign * promised.get(name)
        for name in promised.scalars:
            self.scalars[name] += sign

    def above(self, limit: Resource) -> list[tuple[str, float]]:
        """Return the resources of which this is more, and how much it is in all.

        A scalar that the limit does not name is more, even if it is 0.
        """
        named = [name for name, number in self.scalars.items() if number > 0]
        unnamed = {name for name in named if name not in limit.scalars}
        return [
            (name, self.amounts[name])
            for name in (CPU, MEMORY, *named)
            if name in unnamed or self.amounts[name] > limit.get(name)
        ]


@dataclass(slots=True)
class _Family:
    """The children of a queue by name, in the order in which they came, and what they are promised together."""

    names: dict[str, None] = field(default_factory=dict)
    guarantee: _Total = field(default_factory=_Total)
    deserved: _Total = field(default_factory=_Total)


class _Entry:
    """A stored queue, and its amounts as the scheduler counts them."""

    __slots__ = ("capability", "deserved", "guarantee", "queue")

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.capability = Resource.from_quantities(queue.spec.capability)
        self.deserved = Resource.from_quantities(queue.spec.deserved)
        self.guarantee = Resource.from_quantities(queue.spec.guarantee.resource)


_NOTHING: Final = _Entry(Queue())


class _Cluster:
    """The queues as the webhook knows them, while requests come in."""

    def __init__(self, stored: dict[str, Queue], sketched: Collection[str], opened: Collection[str]) -> None:
        self.sketched = sketched
        self.opened = opened
        self.entries: dict[str, _Entry] = {}
        self.families: dict[str, _Family] = {}
        self.limited: Counter[str] = Counter()
        self.paths: list[tuple[str, str]] = []
        for queue in stored.values():
            self._put(_Entry(queue))

    def differs(self, queue: Queue) -> bool:
        """Tell whether a queue is another one than the one that is stored, so that it is made or updated."""
        entry = self.entries.get(queue.metadata.name)
        return entry is None or _is_update(queue, entry.queue)

    def take(self, name: str, queue: Queue | None) -> Fault | None:
        """Take a request, unless the webhook denies it; return why it does."""
        if queue is None:
            fault = self._deletion_fault(name)
            if fault is None:
                self._drop(name)
            return fault
        known = self.entries.get(name)
        entry = _Entry(_as_created(queue) if known is None else self._as_updated(queue, known.queue))
        fault = next(self._faults(entry, known), None)
        if fault is None:
            if known is not None:
                self._drop(name)
            self._put(entry)
        return fault

    def _as_updated(self, queue: Queue, stored: Queue) -> Queue:
        """Return a changed queue with what is stored of its status: an update keeps that."""
        state = queue.status.state
        is_settled = queue.metadata.name in self.opened and state in _SETTLED and stored.status.state not in _SETTLED
        return replace(queue, status=replace(stored.status, state=state) if is_settled else stored.status)

    # --- what is known ------------------------------------------------------------------------------------------------

    def _put(self, entry: _Entry) -> None:
        queue = entry.queue
        self.entries[queue.metadata.name] = entry
        self._count(entry, 1)
        self.families[queue.spec.parent].names[queue.metadata.name] = None
        path = queue.metadata.annotations.get(PATH, "")
        if path:
            insort(self.paths, (path, queue.metadata.name))

    def _drop(self, name: str) -> None:
        entry = self.entries.pop(name)
        self._count(entry, -1)
        del self.families[entry.queue.spec.parent].names[name]
        path = entry.queue.metadata.annotations.get(PATH, "")
        if path:
            del self.paths[bisect_left(self.paths, (path, name))]

    def _count(self, entry: _Entry, sign: int) -> None:
        family = self.families.setdefault(entry.queue.spec.parent, _Family())
        family.guarantee.add(entry.guarantee, sign)
        family.deserved.add(entry.deserved, sign)
        for name in entry.capability.names():
            self.limited[name] += sign

    def _children(self, name: str) -> Iterable[str]:
        return self.families[name].names if name in self.families else ()

    # --- deleting -----------------------------------------------------------------------------------------------------

    def _deletion_fault(self, name: str) -> Fault | None:
        """Return why a queue cannot be deleted. Reference: validateQueueDeleting."""
        if name in _MADE_BY_THE_SCHEDULER:
            return Fault("queue-deletion-denied", (), f"the queue {name} cannot be deleted")
        children = list(self._children(name))
        if not children:
            return None
        listed = ", ".join(children[:_FEW]) + (f" and {len(children) - _FEW} more" if len(children) > _FEW else "")
        kept = f"queue {name} cannot be deleted, as it is the parent of {listed}"
        return Fault("queue-deletion-denied", (), kept)

    # --- making and changing ------------------------------------------------------------------------------------------

    def _faults(self, entry: _Entry, known: _Entry | None) -> Iterator[Fault]:
        """Yield why a queue cannot be made, or changed so, in the order in which the webhook looks."""
        queue = entry.queue
        name = queue.metadata.name
        forgiven = list(faults(known.queue)) if known is not None and name in self.sketched else []
        yield from (fault for fault in faults(queue) if fault not in forgiven)
        yield from _state_faults(queue)
        yield from self._paths_below(queue)
        moved = known is None or queue.spec.parent != known.queue.spec.parent
        if moved:
            yield from self._tree_faults(queue)
        changed = _changed_amounts(entry, known)
        if name == ROOT:
            if changed:
                reason = "capability, deserved and guarantee of the queue root cannot be changed"
                yield Fault("root-queue-changed", changed[0], reason)
        elif moved or changed:
            yield from self._amount_faults(entry, known)

    def _paths_below(self, queue: Queue) -> Iterator[Fault]:
        """Yield a path of another queue that leads through that of a queue."""
        path = queue.metadata.annotations.get(PATH, "")
        if not (path or queue.metadata.annotations.get(WEIGHTS, "")):
            return
        prefix = f"{path}/"
        for other, name in self.paths[(at := bisect_left(self.paths, (prefix, ""))) : at + 2]:
            if other.startswith(prefix) and name != queue.metadata.name:
                reason = f"the path {path} is above {other} of queue {name}, and only leaves can be queues"
                yield Fault("conflicting-hierarchies", ("metadata", "annotations", PATH), reason)

    def _tree_faults(self, queue: Queue) -> Iterator[Fault]:
        """Yield why a queue cannot be where it is to be. Reference: validateHierarchicalQueue."""
        name, parent = queue.metadata.name, _parent(queue)
        at = ("spec", "parent")
        if parent == ROOT:
            return
        if parent == name:
            yield Fault("parent-itself", at, f"queue {name} cannot be its own parent")
            return
        above, depth = parent, 1
        while above != ROOT:
            depth += 1
            if depth > DEEPEST:
                reason = f"queue {name} would be more than {DEEPEST} levels below the root"
                yield Fault("queue-too-deep", at, reason)
                return
            if above not in self.entries:
                whose = "its parent" if above == parent else "a queue above it"
                reason = f"queue {name} needs the queue {above}, {whose}, which does not exist"
                yield Fault("parent-missing", at, reason)
                return
            above = _parent(self.entries[above].queue)
        pods = Resource.from_quantities(self.entries[parent].queue.status.allocated).get(PODS)
        if pods and not self._children(parent):
            reason = f"queue {parent} cannot become the parent of queue {name}, as it holds {pods:.0f} pods"
            yield Fault("parent-holds-pods", at, reason)

    def _amount_faults(self, entry: _Entry, known: _Entry | None) -> Iterator[Fault]:
        """Yield which amounts do not go with those of other queues. Reference: validateHierarchicalQueueResources."""
        queue = entry.queue
        parent = _parent(queue)
        if parent != ROOT:
            if parent not in self.entries:
                reason = f"queue {queue.metadata.name} needs the queue {parent}, its parent, which does not exist"
                yield Fault("parent-missing", ("spec", "parent"), reason)
                return
            yield from self._above_ancestors(entry)
            yield from self._with_siblings(entry, known)
        if self._children(queue.metadata.name):
            yield from self._below_descendants(entry)
            yield from self._less_than_children(entry)

    def _above_ancestors(self, entry: _Entry) -> Iterator[Fault]:
        for resource in entry.capability.names():
            limit = self._ancestors_limit(entry.queue, resource) if self.limited[resource] else None
            own = entry.capability.get(resource)
            if limit is not None and own > limit:
                reason = (
                    f"capability {_words(resource, own)} of queue {entry.queue.metadata.name} is above the "
                    f"{_words(resource, limit)} of a queue above it"
                )
                yield Fault("capability-above-ancestor", (*CAPABILITY, resource), reason)

    def _ancestors_limit(self, queue: Queue, resource: str) -> float | None:
        """Return the capability of the nearest queue above one that has any; the root is none of them."""
        above = _parent(queue)
        for _ in range(_FARTHEST):
            if above == ROOT or above not in self.entries:
                break
            limit = self.entries[above].capability.get(resource)
            if limit > 0:
                return limit
            above = _parent(self.entries[above].queue)
        return None

    def _with_siblings(self, entry: _Entry, known: _Entry | None) -> Iterator[Fault]:
        """Yield of which resources a queue and its siblings are promised more than their parent."""
        parent = _parent(entry.queue)
        family, limits = self.families.get(parent, _Family()), self.entries[parent]
        old = known if known is not None and known.queue.spec.parent == parent else _NOTHING
        for total, was, own, limit, path in (
            (family.guarantee, old.guarantee, entry.guarantee, limits.guarantee, GUARANTEE),
            (family.deserved, old.deserved, entry.deserved, limits.deserved, DESERVED),
        ):
            total.add(was, -1)
            total.add(own, 1)
            exceeded = total.above(limit)
            total.add(own, -1)
            total.add(was, 1)
            yield from _sum_faults(parent, path, exceeded, limit, at_child=True)

    def _below_descendants(self, entry: _Entry) -> Iterator[Fault]:
        """Yield of which resources a queue may have less than a queue below it."""
        name = entry.queue.metadata.name
        for resource in entry.capability.names():
            own = entry.capability.get(resource)
            most = self._most_below(name, resource) if self.limited[resource] else 0.0
            if own < most:
                reason = (
                    f"capability {_words(resource, own)} of queue {name} is below the "
                    f"{_words(resource, most)} of a queue below it"
                )
                yield Fault("capability-above-ancestor", (*CAPABILITY, resource), reason)

    def _most_below(self, name: str, resource: str) -> float:
        """Return the largest capability below a queue; below one that has any, nobody looks."""
        most, passed = 0.0, {name}
        level = list(self._children(name))
        for _ in range(_FARTHEST):
            if not level:
                break
            below: list[str] = []
            for each in level:
                limit = self.entries[each].capability.get(resource)
                if limit > 0:
                    most = max(most, limit)
                elif each not in passed:
                    below += self._children(each)
                passed.add(each)
            level = below
        return most

    def _less_than_children(self, entry: _Entry) -> Iterator[Fault]:
        """Yield of which resources the children of a queue are promised more than the queue."""
        name = entry.queue.metadata.name
        family = self.families[name]
        for total, limit, path in (
            (family.guarantee, entry.guarantee, GUARANTEE),
            (family.deserved, entry.deserved, DESERVED),
        ):
            yield from _sum_faults(name, path, total.above(limit), limit, at_child=False)


def _state_faults(queue: Queue) -> Iterator[Fault]:
    """Yield that a queue is in between two states."""
    state = queue.status.state
    if state not in _SETTLED:
        reason = f"queue {queue.metadata.name} is {state}, and only a queue that is Open or Closed can be changed"
        yield Fault("queue-state-unsettled", ("status", "state"), reason)


def _sum_faults(
    parent: str, path: Path, exceeded: Sequence[tuple[str, float]], limit: Resource, *, at_child: bool
) -> Iterator[Fault]:
    noun = path[1]
    for resource, amount in exceeded:
        if amount > limit.get(resource):
            has = f"have {noun} {_words(resource, amount)} together, and {parent} itself has "
            has += _words(resource, limit.get(resource)) if limit.get(resource) else "none"
        else:
            has = f"name {resource} in their {noun}, and {parent} itself does not"
        named = at_child or resource in limit.dimensions()
        code = f"children-{noun}-above-parent"
        yield Fault(code, (*path, resource) if named else path, f"the children of queue {parent} {has}")


def _words(resource: str, amount: float) -> str:
    """Write an amount that is in the scheduler's unit."""
    return f"{resource} {written(resource, amount if resource in (MEMORY, PODS) else amount / 1000)}"


def _parent(queue: Queue) -> str:
    return queue.spec.parent or ROOT


def _as_created(queue: Queue) -> Queue:
    """Return a new queue as it is stored: nobody who submits one says anything of its status."""
    annotations = _stored_annotations(queue)
    return replace(queue, metadata=replace(queue.metadata, annotations=annotations), status=QueueStatus())


def _stored_annotations(queue: Queue) -> dict[str, str]:
    annotations = queue.metadata.annotations
    path, weights = annotations.get(PATH, ""), annotations.get(WEIGHTS, "")
    if stored_path(path, weights) == path:
        return annotations
    return {**annotations, PATH: stored_path(path, weights), WEIGHTS: stored_weights(path, weights)}


def _changed_amounts(entry: _Entry, known: _Entry | None) -> list[Path]:
    """Return which of the three resource lists differ, by their paths."""
    new = _lists(entry.queue)
    old = _lists(known.queue) if known is not None else {path: {} for path in new}
    return [path for path, amounts in new.items() if exact(amounts) != exact(old[path])]


def _lists(queue: Queue) -> dict[Path, ResourceList]:
    spec = queue.spec
    return {CAPABILITY: spec.capability, DESERVED: spec.deserved, GUARANTEE: spec.guarantee.resource}


def _is_update(new: Queue, old: Queue) -> bool:
    """Tell whether anything changes that is not up to the cluster, however little the webhook makes of it."""
    return (
        _spec(new) != _spec(old)
        or _empties_differ(new, old)
        or any(
            _annotated(left, right, kept=bool(old.metadata.uid))
            for left, right in (
                (new.metadata.labels, old.metadata.labels),
                (_stored_annotations(new), _stored_annotations(old)),
            )
        )
    )


def _empties_differ(new: Queue, old: Queue) -> bool:
    """Tell whether one queue has ``{}`` where another one has no such field; what Go has stored has it of itself."""
    written, stored = (
        {path for path, amounts in _lists(queue).items() if not isinstance(amounts, NotGiven)} for queue in (new, old)
    )
    return bool(written - stored if old.metadata.uid else written ^ stored)


def _spec(queue: Queue) -> QueueSpec:
    """Return the spec as a new queue gets it: where it does not say so, it may be reclaimed from."""
    return replace(queue.spec, reclaimable=queue.spec.reclaimable is not False)


def _annotated(new: Mapping[str, str], old: Mapping[str, str], *, kept: bool) -> bool:
    """Tell whether labels or annotations change.

    Args:
        new: those that are wanted.
        old: those that are stored.
        kept: whether what only the cluster has is by others than who writes the manifest, and stays.
    """
    names = {*new, *(name for name in old if not kept or name in (PATH, WEIGHTS))} - {LAST_APPLIED}
    return any(new.get(name) != old.get(name) for name in names)
