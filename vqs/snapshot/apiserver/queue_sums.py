"""What is wrong with the amounts of a queue by itself, and with those of the queues that the webhook finds beside it.

Reference: validateHierarchicalQueueResources in pkg/webhooks/admission/queues in volcano-sh/volcano.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, islice
from typing import Final, NamedTuple

from vqs.model.cluster import ROOT, QueueTree, parent_name
from vqs.model.kubernetes import Queue, ResourceList
from vqs.model.quantity import QuantityError, parse
from vqs.model.resource import CPU, MEMORY, PODS, Resource
from vqs.model.wording import written
from vqs.releases.webhooks import WebhookBehaviours
from vqs.snapshot.cluster.hierarchy_paths import PATH, WEIGHTS, is_weight
from vqs.snapshot.reading.diagnostics import Path

# --- what is wrong with a queue by itself -----------------------------------------------------------------------------

CAPABILITY: Final[Path] = ("spec", "capability")
DESERVED: Final[Path] = ("spec", "deserved")
GUARANTEE: Final[Path] = ("spec", "guarantee", "resource")

_COUNTED: Final = (
    *("configmaps", "persistentvolumeclaims", "pods", "replicationcontrollers", "resourcequotas", "secrets"),
    *("services", "services.loadbalancers", "services.nodeports"),
)


class Fault(NamedTuple):
    """Something that a webhook finds wrong with a queue: the code of the rule, where it stands, and what it is."""

    code: str
    path: Path
    reason: str


def is_counted(name: str) -> bool:
    """True if Kubernetes takes a resource to come in whole numbers.

    >>> is_counted("pods"), is_counted("nvidia.com/gpu"), is_counted("cpu")
    (True, True, False)
    """
    return name in _COUNTED or is_extended(name)


def is_extended(name: str) -> bool:
    """True if a resource is one that device plugins offer."""
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


def amount_lists(queue: Queue) -> dict[Path, ResourceList]:
    """The resource lists of a queue's spec, by path."""
    spec = queue.spec
    return {CAPABILITY: spec.capability, DESERVED: spec.deserved, GUARANTEE: spec.guarantee.resource}


def exact(amounts: ResourceList) -> dict[str, Fraction]:
    """Amounts as exact numbers: cores, bytes, counts; one that is none is refused where it is read."""
    found: dict[str, Fraction] = {}
    for name, amount in amounts.items():
        try:
            found[name] = parse(amount)
        except QuantityError:
            continue
    return found


def faults(queue: Queue, webhook: WebhookBehaviours) -> Iterator[Fault]:
    """Yield what a webhook finds wrong with a queue by itself, as it would be stored."""
    if webhook.queue_quantities == "checked":
        for path, amounts in amount_lists(queue).items():
            for name, amount in exact(amounts).items():
                if amount < 0:
                    yield Fault("negative-quantity", (*path, name), f"{path[1]} {name} is below zero")
                elif amount.denominator != 1 and is_counted(name):
                    yield Fault("fractional-queue-resource", (*path, name), f"{path[1]} {name} is not a whole number")
    if webhook.queue_own_amounts == "checked":
        yield from _amounts(queue, webhook)
    annotations = queue.metadata.annotations
    hierarchy, weights = annotations.get(PATH, ""), annotations.get(WEIGHTS, "")
    if not (hierarchy or weights):
        return
    steps, step_weights = hierarchy.count("/") + 1, weights.split("/")
    at: Path = ("metadata", "annotations", WEIGHTS if weights else PATH)
    if steps != len(step_weights):
        reason = f"the annotation {PATH} has {steps} levels, and {WEIGHTS} has {len(step_weights)}"
        yield Fault("invalid-hierarchy-annotations", at, reason)
        return
    wrong = next((text for text in step_weights if not is_weight(text)), None)
    if wrong is not None:
        reason = f"the annotation {WEIGHTS} has {wrong!r} for a weight, which is not a number above 0"
        yield Fault("invalid-hierarchy-annotations", at, reason)


def _amounts(queue: Queue, webhook: WebhookBehaviours) -> Iterator[Fault]:
    """Yield where capability, deserved and guarantee of a queue contradict each other."""
    spec = queue.spec
    if webhook.queue_amounts == "lists":
        guarantee = spec.guarantee.resource
        if spec.capability:
            yield from _above(DESERVED, spec.deserved, "capability", spec.capability)
            yield from _above(GUARANTEE, guarantee, "capability", spec.capability)
        if spec.deserved or (guarantee and webhook.guarantee_without_deserved == "denied"):
            yield from _above(GUARANTEE, guarantee, "deserved", spec.deserved)
        return
    capability, deserved = exact(spec.capability), exact(spec.deserved)
    if deserved or webhook.guarantee_without_deserved == "denied":
        for name, amount in exact(spec.guarantee.resource).items():
            written = spec.guarantee.resource[name]
            if name not in deserved:
                reason = f"guarantee {name} {written} needs as much deserved {name}, and the queue has none"
                yield Fault("guarantee-without-deserved", (*GUARANTEE, name), reason)
            elif deserved[name] < amount:
                reason = f"guarantee {name} {written} is above deserved {name} {spec.deserved[name]}"
                yield Fault("guarantee-above-deserved", (*GUARANTEE, name), reason)
    for name, amount in deserved.items():
        if name in capability and amount > capability[name]:
            reason = f"deserved {name} {spec.deserved[name]} is above the capability {spec.capability[name]}"
            yield Fault("deserved-above-capability", (*DESERVED, name), reason)


def _above(path: Path, amounts: ResourceList, most: str, limits: ResourceList) -> Iterator[Fault]:
    noun = str(path[1])
    for name in exceeding(Resource.from_quantities(amounts), Resource.from_quantities(limits)):
        if name in limits:
            reason = f"{noun} {name} {amounts.get(name, 0)} is above {most} {name} {limits[name]}"
            yield Fault(f"{noun}-above-{most}", (*path, name), reason)
        else:
            code = f"{noun}-above-{most}" if most == "capability" else "guarantee-without-deserved"
            reason = f"{noun} names {name}, and {most} does not, which the webhook takes for 0"
            yield Fault(code, (*path, name), reason)


def exceeding(amounts: Resource, limits: Resource) -> list[str]:
    """The resources of which there is more than a limit; a scalar that the limit does not name is, too.

    >>> exceeding(Resource.from_quantities({"cpu": 2, "pods": 0}), Resource.from_quantities({"cpu": 1}))
    ['cpu', 'pods']
    """
    return [
        name
        for name in dict.fromkeys((CPU, MEMORY, *amounts.scalars, *limits.scalars))
        if amounts.get(name) > limits.get(name) or (name in amounts.scalars and name not in limits.scalars)
    ]


# --- queues together --------------------------------------------------------------------------------------------------

DEEPEST: Final = 5
"""How many levels Volcano's webhook allows below the root by default; its option is --max-queue-depth."""

MOST_ABOVE: Final = 100
"""How many queues may be above one here, as --max-queue-depth may be larger than that.

What is kept of a queue, and said of it, grows with those above it.
"""


def too_deep(queues: Sequence[Queue]) -> Iterator[int]:
    """Yield the indexes of the queues that have too many above them, or that are in a circle that is too long."""
    names = [queue.metadata.name for queue in queues]
    tree = QueueTree((name, parent_name(name, queue.spec.parent)) for name, queue in zip(names, queues, strict=True))
    for index, name in enumerate(names):
        if len([*islice(tree.above(name), MOST_ABOVE + 1)]) > MOST_ABOVE:
            yield index


@dataclass(slots=True)
class Total:
    """The guaranteed or deserved resources of some queues in total, and how many of them name each scalar."""

    amounts: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    scalars: Counter[str] = field(default_factory=Counter)

    def add(self, amounts: Resource, sign: int) -> None:
        """Add the amounts of a queue, or subtract them."""
        for name in amounts.dimensions():
            self.amounts[name] += sign * amounts.get(name)
        for name in amounts.scalars:
            self.scalars[name] += sign

    def above(self, limit: Resource) -> list[tuple[str, float]]:
        """The resources whose total is above a limit, each with its total.

        A scalar that the limit does not name is above it, even if its total is 0.
        """
        named = [name for name, number in self.scalars.items() if number > 0]
        unnamed = {name for name in named if name not in limit.scalars}
        return [
            (name, self.amounts[name])
            for name in (CPU, MEMORY, *named)
            if name in unnamed or self.amounts[name] > limit.get(name)
        ]


@dataclass(slots=True)
class Family:
    """The guaranteed and the deserved resources of the children of a queue in total."""

    guarantee: Total = field(default_factory=Total)
    deserved: Total = field(default_factory=Total)


class Entry:
    """A stored queue, and its amounts as the scheduler counts them."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self.capability = Resource.from_quantities(queue.spec.capability)
        self.deserved = Resource.from_quantities(queue.spec.deserved)
        self.guarantee = Resource.from_quantities(queue.spec.guarantee.resource)


NOTHING: Final = Entry(Queue())
"""A queue without capability, deserved and guarantee."""


class StoredQueues:
    """Queues by name, their tree, the totals of siblings, which resources are limited, and the paths in order."""

    def __init__(self, queues: Iterable[Queue]) -> None:
        self.entries: dict[str, Entry] = {}
        self.tree = QueueTree()
        self.families: defaultdict[str, Family] = defaultdict(Family)
        self.limited: Counter[str] = Counter()
        self.paths: list[tuple[str, str]] = []
        for queue in queues:
            self.put(Entry(queue))

    def put(self, entry: Entry) -> None:
        """Add a queue."""
        queue = entry.queue
        self.entries[queue.metadata.name] = entry
        self._count(entry, 1)
        self.tree.put(queue.metadata.name, parent_of(queue))
        path = queue.metadata.annotations.get(PATH, "")
        if path:
            insort(self.paths, (path, queue.metadata.name))

    def drop(self, name: str) -> None:
        """Take a queue away."""
        entry = self.entries.pop(name)
        self._count(entry, -1)
        self.tree.drop(name)
        path = entry.queue.metadata.annotations.get(PATH, "")
        if path:
            del self.paths[bisect_left(self.paths, (path, name))]

    def _count(self, entry: Entry, sign: int) -> None:
        family = self.families[parent_of(entry.queue)]
        family.guarantee.add(entry.guarantee, sign)
        family.deserved.add(entry.deserved, sign)
        for name in entry.capability.names():
            self.limited[name] += sign


def parent_of(queue: Queue) -> str:
    """The name of a queue's parent. The webhook also looks at the one that the root names."""
    return queue.spec.parent or ROOT


_FARTHEST: Final = 50
"""How many levels up and down capabilities are compared; only a tree that is made to take long is that deep."""


def amount_faults(
    stored: StoredQueues, entry: Entry, known: Entry | None, webhook: WebhookBehaviours
) -> Iterator[Fault]:
    """Yield which amounts do not go with those of other queues, as far as a webhook looks at them."""
    if webhook.capability_above == "unchecked" and webhook.children_sums == "unchecked":
        return
    parent, name = parent_of(entry.queue), entry.queue.metadata.name
    if parent != ROOT and parent not in stored.entries:
        reason = f"queue {name} needs the queue {parent}, its parent, which does not exist"
        yield Fault("parent-missing", ("spec", "parent"), reason)
        return
    if parent != ROOT:
        yield from capability_faults(stored, entry, webhook)
        yield from _sums_at_parent(stored, entry, known, webhook)
    if stored.tree.child_names(name):
        yield from _children_above(stored, entry, webhook)
        yield from children_faults(stored, entry, webhook)


def _sums_at_parent(
    stored: StoredQueues, entry: Entry, known: Entry | None, webhook: WebhookBehaviours
) -> Iterator[Fault]:
    """Yield what the children of a queue's parent would be promised beyond what the parent is, with the new amounts."""
    parent = parent_of(entry.queue)
    family, limits = stored.families[parent], stored.entries[parent]
    old = known if known is not None and known.queue.spec.parent == parent else NOTHING
    for total, was, own, path in (
        (family.guarantee, old.guarantee, entry.guarantee, GUARANTEE),
        (family.deserved, old.deserved, entry.deserved, DESERVED),
    ):
        limit = _limit(limits, path, webhook)
        if limit is None:
            continue
        total.add(was, -1)
        total.add(own, 1)
        exceeded = total.above(limit.amounts)
        total.add(own, -1)
        total.add(was, 1)
        yield from _sum_faults(parent, path, exceeded, limit, at_child=True)


def _children_above(stored: StoredQueues, entry: Entry, webhook: WebhookBehaviours) -> Iterator[Fault]:
    """Yield the resources of which a queue below may have more than the queue with its new capability."""
    name = entry.queue.metadata.name
    if webhook.capability_above == "parent":
        for child in stored.tree.child_names(name):
            yield from _child_above(stored.entries[child], entry, entry)
    elif webhook.capability_above == "nearest-ancestor":
        for resource in entry.capability.names():
            capability = entry.capability.get(resource)
            most = _most_below(stored, name, resource) if stored.limited[resource] else 0.0
            if capability < most:
                reason = (
                    f"capability {_words(resource, capability)} of queue {name} is below the "
                    f"{_words(resource, most)} of a queue below it"
                )
                yield Fault("capability-above-ancestor", (*CAPABILITY, resource), reason)


def capability_faults(stored: StoredQueues, entry: Entry, webhook: WebhookBehaviours) -> Iterator[Fault]:
    """Yield the resources of which a queue may have more than a queue above it."""
    if webhook.capability_above == "parent":
        yield from _child_above(entry, stored.entries[parent_of(entry.queue)], entry)
    elif webhook.capability_above == "nearest-ancestor":
        for resource in entry.capability.names():
            limit = _ancestors_limit(stored, entry.queue, resource) if stored.limited[resource] else None
            own = entry.capability.get(resource)
            if limit is not None and own > limit:
                reason = (
                    f"capability {_words(resource, own)} of queue {entry.queue.metadata.name} is above the "
                    f"{_words(resource, limit)} of a queue above it"
                )
                yield Fault("capability-above-ancestor", (*CAPABILITY, resource), reason)


def _child_above(child: Entry, parent: Entry, judged: Entry) -> Iterator[Fault]:
    """Yield the resources of which a child may have more than its parent, which has none of what it does not name."""
    names = child.queue.metadata.name, parent.queue.metadata.name
    for resource in exceeding(child.capability, parent.capability):
        has = f"capability {_words(resource, child.capability.get(resource))} of queue {names[0]} is above "
        is_limited = resource in parent.queue.spec.capability
        most = _words(resource, parent.capability.get(resource)) if is_limited else f"no {resource}"
        path = (*CAPABILITY, resource) if resource in judged.queue.spec.capability else CAPABILITY
        yield Fault("capability-above-ancestor", path, f"{has}the {most} of its parent {names[1]}")


def _ancestors_limit(stored: StoredQueues, queue: Queue, resource: str) -> float | None:
    """The capability of the nearest queue above one that has any; the root is none of them."""
    parent = parent_of(queue)
    for above in islice(chain([parent], stored.tree.above(parent)), _FARTHEST):
        if above == ROOT or above not in stored.entries:
            break
        limit = stored.entries[above].capability.get(resource)
        if limit > 0:
            return limit
    return None


class _Limit(NamedTuple):
    """What the children of a queue may have in total, and which field of the queue says so."""

    amounts: Resource
    path: Path


def _limit(parent: Entry, path: Path, webhook: WebhookBehaviours) -> _Limit | None:
    """What the children of a queue may have in total of its guarantee or deserved; None where it is anything."""
    spec = parent.queue.spec
    is_given = bool(spec.guarantee.resource if path == GUARANTEE else spec.deserved)
    if webhook.children_sums == "own" or (webhook.children_sums == "else-capability" and is_given):
        return _Limit(parent.guarantee if path == GUARANTEE else parent.deserved, path)
    if webhook.children_sums == "else-capability" and spec.capability:
        return _Limit(parent.capability, CAPABILITY)
    return None


def _most_below(stored: StoredQueues, name: str, resource: str) -> float:
    """The largest capability below a queue; what is below a queue that has any does not count."""
    most, passed = 0.0, {name}
    level = list(stored.tree.child_names(name))
    for _ in range(_FARTHEST):
        if not level:
            break
        below: list[str] = []
        for each in level:
            limit = stored.entries[each].capability.get(resource)
            if limit > 0:
                most = max(most, limit)
            elif each not in passed:
                below += stored.tree.child_names(each)
            passed.add(each)
        level = below
    return most


def children_faults(stored: StoredQueues, entry: Entry, webhook: WebhookBehaviours) -> Iterator[Fault]:
    """Yield the resources of which the children of a queue have a larger guarantee than the queue."""
    name = entry.queue.metadata.name
    family = stored.families[name]
    for total, path in ((family.guarantee, GUARANTEE), (family.deserved, DESERVED)):
        limit = _limit(entry, path, webhook)
        if limit is not None:
            yield from _sum_faults(name, path, total.above(limit.amounts), limit, at_child=False)


def _sum_faults(
    parent: str, path: Path, exceeded: Sequence[tuple[str, float]], limit: _Limit, *, at_child: bool
) -> Iterator[Fault]:
    noun = path[1]
    whose = f"{parent} itself" if limit.path == path else f"the {limit.path[1]} of {parent}"
    for resource, amount in exceeded:
        most = limit.amounts.get(resource)
        if amount > most:
            has = f"have {noun} {_words(resource, amount)} together, and {whose} "
            has += "has " if limit.path == path else "is "
            has += _words(resource, most) if most else "none"
        else:
            has = f"name {resource} in their {noun}, and {whose} does not"
        named = at_child or (resource in limit.amounts.dimensions() and limit.path == path)
        code = f"children-{noun}-above-parent"
        yield Fault(code, (*path, resource) if named else path, f"the children of queue {parent} {has}")


def _words(resource: str, amount: float) -> str:
    """Write an amount that is in the scheduler's unit."""
    return f"{resource} {written(resource, amount if resource in (MEMORY, PODS) else amount / 1000)}"
