"""What can be changed so that a job is placed: one number, or one choice, in steps that grow away from what it is now.

A parameter that has nothing to do with how the session decided is left out: weight, where no plugin looks at it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

import msgspec

from vqs.engine.actions import reclaim
from vqs.engine.actions.eviction.votes import EVICTABLE
from vqs.engine.nodes.selectors import FORBIDDING
from vqs.engine.plugins import proportion
from vqs.engine.plugins.capacity import plugin as capacity
from vqs.engine.plugins.predicates.volumes import ZONE_LABELS
from vqs.explain.jobs.case import (
    CAPABILITY,
    DESERVED,
    DEVICES,
    GUARANTEE,
    NODES,
    OF_LIMITS,
    READY,
    Case,
    Parameter,
    Promises,
    Value,
    amount_of,
    choice,
    counted,
    field_of,
    set_value,
)
from vqs.explain.jobs.manifest import MIN_AVAILABLE, Manifest, exact, in_manifest, unit
from vqs.explain.jobs.own_fields import OWN_CLASSES, is_large_enough, new_class
from vqs.explain.rollouts import daemons_in_words, not_offered, room_beside, taken_by_daemons
from vqs.model import kubernetes as k8s
from vqs.model.cluster import OPEN, ROOT
from vqs.model.codes import EvictionCode, VerdictCode
from vqs.model.job import TaskStatus
from vqs.model.keys import NODE_GROUP
from vqs.model.resource import CPU, MEMORY, PODS, Resource
from vqs.model.selectors import untolerated
from vqs.model.wording import listed_names
from vqs.snapshot.controllers.upkeep.budgets import desired_healthy, limit_for
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.kinds import group_of, kind_of
from vqs.snapshot.whatif.edits import CloneNode, Edit
from vqs.snapshot.whatif.owners import HOSTNAME, OF_CONDITIONS, copies_of, free_names

_MAX_WEIGHT: Final = 65535
_LARGEST_GUARANTEE: Final = Fraction(3, 4)
"""The part of the cluster that one queue is guaranteed at most: the others would be left with next to nothing."""

_MOST_TIMES: Final = 10
"""By how much a weight is raised at most, compared with the largest of all queues."""
_MAX_PRIORITY: Final = 1_000_000_000
"""The API server keeps what is above it to the classes of the system."""

_FEW_NODES: Final = 8
"""This number of nodes is tried for a small cluster; a larger one is at most doubled."""
_NODE_TYPES: Final = 4
_DEVICES: Final = 8
"""As many devices as a node mostly has at most."""

_LARGEST_NODE: Final = {CPU: 512, MEMORY: 8 * 2**40, "nvidia.com/gpu": 16, "amd.com/gpu": 16}
"""No node is bought that is larger; who asks for more has mistaken a unit."""

_MOST_SPARED: Final = 2
_MOST_GUARANTEED: Final = 2
"""Of as many other queues, those with the largest guarantees of a resource, the guarantee is lowered."""

_UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"
_PRESSURES: Final = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
"""The conditions of a node that keep pods away by taints where they are true; Ready does where it is not."""
_KIND_LABELS: Final = (
    "node.kubernetes.io/instance-type",
    "nvidia.com/gpu.product",
    "karpenter.sh/nodepool",
    NODE_GROUP,
)
"""The labels that say of which kind a node is, the most telling one first."""

_NEW_CLASS: Final = "vqs-what-if"

WEIGHT, PRIORITY = "weight", "priority"
STATE, RECLAIMABLE, QUOTA, UNCORDON = "state", "reclaimable", "hard", "uncordon"
TIER, MODE = "highestTierAllowed", "mode"


# --- the queue --------------------------------------------------------------------------------------------------------


def weight(case: Case) -> Iterator[Parameter]:
    """Raise the weight of the queue, where the plugin proportion divides by it among several queues."""
    ledger, name = case.session.queue_ledger, case.job.queue
    others = 0 if ledger is None else sum(case.session.queues[each].weight for each in ledger.at_open if each != name)
    if case.queue_plugin != proportion.NAME or not others:
        return
    weight = case.queue(name).spec.weight
    largest = max(each.weight for each in case.session.queues.values())
    path = ("spec", "weight")
    refusal, guess = case.refusal, 0
    if refusal is not None and refusal.resource and refusal.need is not None:
        rest = case.session.total_resource.get(refusal.resource) - refusal.need
        guess = math.ceil(others * refusal.need / rest) if rest > 0 else 0
    yield Parameter(
        WEIGHT,
        f"queue/{name}",
        most=min(_MAX_WEIGHT, _MOST_TIMES * largest) - weight,
        guess=guess - weight,
        value=lambda step: weight + step,
        edits=lambda step: [set_value("queue", name, path, weight + step)],
    )


def capability(case: Case) -> Iterator[Parameter]:
    """Raise what a queue and those above it may have.

    The resource that was named is at last raised with the others that the job would not have either.
    """
    for name in case.line:
        for resource in case.resources:
            if resource in _limited(case, name):
                yield from _amount(case, CAPABILITY, name, resource)
    refusal = case.refusal
    if refusal is None or refusal.code not in OF_LIMITS:
        return
    name = refusal.queue or case.job.queue
    if refusal.resource in _limited(case, name):
        others = dict(_also_short(case, name, refusal.resource))
        if others:
            yield from _amount(case, CAPABILITY, name, refusal.resource, others)


def _limited(case: Case, queue: str) -> Collection[str]:
    """The resources that a queue limits: no queue may have any of what the root does not name."""
    capability = case.queue(queue).spec.capability
    if queue != ROOT or not capability:
        return capability
    return sorted({name for request in case.wanted for name in request.names() if name != PODS}.union(capability))


def _also_short(case: Case, queue: str, named: str) -> Iterator[tuple[str, Fraction]]:
    """Yield the other resources that fall short of what the gang still needs in a queue, and how much it needs."""
    ledger, capability = case.session.queue_ledger, case.queue(queue).spec.capability
    if ledger is None:
        return
    figures = ledger.closed()[queue]
    waits = case.job.uid in case.session.not_enqueued
    for resource in _limited(case, queue):
        requests = sorted(case.requests(resource))[-case.missing :]
        held = exact(resource, figures.allocated.get(resource)) or Fraction(0)
        if waits:
            promised = figures.inqueue.get(resource) - figures.elastic.get(resource)
            held += exact(resource, promised) or Fraction(0)
            requests = [exact(resource, case.job.minimum().get(resource)) or Fraction(0)]
        needed = held + sum(requests)
        limit = Promises(case.given.queues, resource).limit(queue)
        if resource != named and needed > amount_of(capability, resource) and (limit is None or needed <= limit):
            yield resource, needed


def guarantee(case: Case) -> Iterator[Parameter]:
    """Raise what is kept for the queue, as far as the cluster has that."""
    for resource in case.resources if case.queue_plugin and _may_take_from_others(case) else ():
        yield from _amount(case, GUARANTEE, case.job.queue, resource)


def guarantee_of_others(case: Case) -> Iterator[Parameter]:
    """Lower what is guaranteed to other queues, the largest first: no queue may have what is guaranteed to another."""
    for resource in case.resources if case.queue_plugin and not case.is_refused_by_nodes_alone else ():
        promises = Promises(case.given.queues, resource)
        others = {name: amount for name, amount in promises.guaranteed.items() if amount and name not in case.line}
        # A guarantee is no less than those of the queue's children together.
        own = {
            name: amount - sum(others.get(child, 0) for child in promises.tree.child_names(name))
            for name, amount in others.items()
        }
        for name in sorted(filter(own.get, own), key=lambda name: (-own[name], name))[:_MOST_GUARANTEED]:
            yield _guaranteed_less(case, promises, [each for each in promises.above(name) if each in others], own[name])


def _guaranteed_less(case: Case, promises: Promises, queues: Sequence[str], own: Fraction) -> Parameter:
    """Lower the guarantee of a queue by up to an amount, and of those above it by as much, in an order that gets in."""
    resource, guaranteed, name = promises.resource, promises.guaranteed, queues[0]
    requests = case.requests(resource)
    each = unit(resource, (own, *requests))
    most = math.ceil(own / each)
    field = {queue: field_of(case.queue(queue).spec, GUARANTEE) for queue in queues}

    def value(queue: str, step: int) -> Value:
        less = own - (most - step) * each if step else Fraction(0)
        return in_manifest(resource, guaranteed[queue] - less, field[queue][1].get(resource))

    return Parameter(
        GUARANTEE,
        f"queue/{name}",
        most=most,
        guess=min(max(math.ceil(sum(requests) / each), 1), most),
        value=lambda step: value(name, step),
        edits=lambda step: [
            set_value("queue", queue, (*field[queue][0], resource), value(queue, step)) for queue in queues
        ],
        resource=resource,
    )


def _may_take_from_others(case: Case) -> bool:
    """Tell whether more for the queue could help: it is short, is served before another that places, or reclaims."""
    if not case.is_refused_by_nodes_alone:
        return True
    others = [each for each in case.session.jobs.values() if each.queue != case.job.queue]
    reclaims = reclaim.NAME in case.session.conf.actions
    return any(each.having(TaskStatus.Binding) or (reclaims and any(map(each.having, EVICTABLE))) for each in others)


def deserved(case: Case) -> Iterator[Parameter]:
    """Raise what the queue deserves, where the plugin capacity asks for it."""
    for resource in case.resources if case.queue_plugin == capacity.NAME and _may_take_from_others(case) else ():
        yield from _amount(case, DESERVED, case.job.queue, resource)


def _amount(
    case: Case, what: str, queue: str, resource: str, others: Mapping[str, Fraction] = MappingProxyType({})
) -> Iterator[Parameter]:
    """Raise an amount of a resource, up to what the whole cluster has and the webhook accepts, and others with it."""
    amounts = field_of(case.queue(queue).spec, what)[1]
    given, now = amounts.get(resource), amount_of(amounts, resource)
    requests = case.requests(resource)
    needed = _needed(case, resource, queue) or now + sum(requests)
    each = unit(resource, (now, needed, *requests))
    total = exact(resource, case.session.total_resource.get(resource)) or Fraction(0)
    floor = now // each * each
    guess = max(math.ceil((needed - floor) / each), 1)
    most = max(math.ceil((total - floor) / each), guess)
    raising = _Raising(case, what, queue, resource, total, others)
    if raising.edits(floor + most * each) is None:
        most = bisect_left(range(most), 1, lo=1, key=lambda step: raising.edits(floor + step * each) is None) - 1

    def value(step: int) -> Value:
        if not step:
            return "0" if given is None else in_manifest(resource, now, given)
        return in_manifest(resource, floor + step * each, given)

    yield Parameter(
        what,
        f"queue/{queue}",
        most=most,
        guess=min(guess, most),
        value=value,
        edits=lambda step: raising.edits(floor + step * each) or [],
        resource=resource,
    )


@dataclass(frozen=True)
class _Raising:
    """How an amount of a queue is raised: with all that has to be raised for it, so that the webhook lets it in."""

    case: Case
    what: str
    queue: str
    resource: str
    total: Fraction
    others: Mapping[str, Fraction]

    @cached_property
    def _promises(self) -> Promises:
        return Promises(self.case.given.queues, self.resource)

    def edits(self, amount: Fraction) -> list[Edit] | None:
        """Return what has to be done for an amount; None where the webhook denies it, or it makes no sense."""
        promises, queue = self._promises, self.queue
        if self.what == CAPABILITY:
            limit = promises.limit(queue)
            if limit is not None and amount > limit:
                return None
            raises = {self.resource: amount, **self.others}
            return [self._set(CAPABILITY, queue, each, resource) for resource, each in raises.items()]
        if self.what == DESERVED:
            raised = promises.raised(queue, deserved=amount) if amount <= self.total else None
        else:
            sensible = amount <= self.total * _LARGEST_GUARANTEE and promises.kept(queue, amount) <= self.total
            raised = promises.raised(queue, guarantee=amount) if sensible else None
        if raised is None:
            return None
        return [self._set(each.what, each.queue, each.amount, self.resource) for each in raised]

    def _set(self, what: str, queue: str, amount: Fraction, resource: str) -> Edit:
        path, amounts = field_of(self.case.queue(queue).spec, what)
        return set_value("queue", queue, (*path, resource), in_manifest(resource, amount, amounts.get(resource)))


def _needed(case: Case, resource: str, queue: str) -> Fraction | None:
    """Return how much a queue would have to be allowed of a resource, as far as that was said."""
    refusal = case.refusal
    if refusal is None or refusal.resource != resource or (refusal.queue or case.job.queue) != queue:
        return None
    return exact(resource, refusal.need)


def state(case: Case) -> Iterator[Parameter]:
    """Open the queue."""
    name = case.job.queue
    state = case.queue(name).status.state or OPEN
    if state != OPEN:
        edit = set_value("queue", name, ("status", "state"), OPEN)
        yield choice(STATE, f"queue/{name}", state, OPEN, [edit])


def reclaimable(case: Case) -> Iterator[Parameter]:
    """Let reclaim take from a queue that it may not take from now, and of which tasks run; the largest share first."""
    if reclaim.NAME not in case.session.conf.actions:
        return
    figures = case.session.closed_queues
    queues = {each.queue for each in case.session.jobs.values() if any(map(each.having, EVICTABLE))}
    spared = [name for name in queues - {case.job.queue} if case.queue(name).spec.reclaimable is False]
    for name in sorted(spared, key=lambda name: (-figures[name].share if name in figures else 0.0, name)):
        edit = set_value("queue", name, ("spec", RECLAIMABLE), value=True)
        yield choice(RECLAIMABLE, f"queue/{name}", "false", "true", [edit])


def quota(case: Case) -> Iterator[Parameter]:
    """Raise what a quota of the namespace may have, by whole pods of the job, where it has no room for them."""
    for quota in case.given.resource_quotas:
        if quota.metadata.namespace == case.job.namespace:
            yield from _more_quota(case, quota)


def _more_quota(case: Case, quota: k8s.ResourceQuota) -> Iterator[Parameter]:
    hard, used = quota.spec.hard or quota.status.hard, quota.status.used
    each = {name: Fraction(1) if name in _OF_PODS_IN_QUOTAS else max(case.requests(counted(name))) for name in hard}
    room = {name: (amount_of(hard, name) - amount_of(used, name)) // need for name, need in each.items() if need}
    short = [name for name, number in room.items() if number < len(case.wanted)]
    if not short:
        return
    least = min(int(room[name]) for name in short)

    def value(name: str, step: int) -> Value:
        needed = amount_of(used, name) + (least + step) * each[name]
        return in_manifest(counted(name), max(needed, amount_of(hard, name)), hard[name])

    reference = f"resourcequota/{quota.metadata.key}"
    yield Parameter(
        QUOTA,
        reference,
        most=2 * len(case.wanted) - least,
        guess=max(case.missing - least, 1),
        value=lambda step: value(short[0], step) if step else in_manifest(short[0], amount_of(hard, short[0]), None),
        edits=lambda step: [
            set_value("resourcequota", quota.metadata.key, ("spec", QUOTA, name), value(name, step)) for name in short
        ],
        resource=short[0],
    )


_OF_PODS_IN_QUOTAS: Final = ("pods", "count/pods")


# --- nodes ------------------------------------------------------------------------------------------------------------


def nodes(case: Case) -> Iterator[Parameter]:
    """Add nodes of each type that a task without a place would fit; a new node is ready, whatever those like it are."""
    specs = {task.shape: task.pod.spec for task in case.pending}.values()
    written = msgspec.json.encode([*specs]).decode()
    matter = case.given.hyper_nodes or case.given.volumes or any(each in written for each in ZONE_LABELS)
    zones = () if matter else tuple(ZONE_LABELS)
    types = _types(case, case.given.nodes, zones)[:_NODE_TYPES]
    kinds = [_kind(nodes[0]) for nodes in types]
    for nodes, kind in zip(types, kinds, strict=True):
        alike = [others[0] for others, other in zip(types, kinds, strict=True) if kind and other == kind]
        of_zones = {tuple(node.metadata.labels.get(key) for key in zones) for node in nodes}
        named = f"of kind {kind}{_told_apart(nodes[0], alike, zones)}" if kind else f"like {_first_of(nodes)}"
        yield _more(case, nodes, f"{named}, any zone" if len(of_zones) > 1 else named)
    yield from _larger_nodes(case)


def _kind(node: k8s.Node) -> str:
    labels = node.metadata.labels
    return next((labels[key] for key in _KIND_LABELS if labels.get(key)), "")


def _first_of(nodes: Iterable[k8s.Node]) -> str:
    return min(node.metadata.name for node in nodes)


def _told_apart(node: k8s.Node, alike: Sequence[k8s.Node], zones: Sequence[str]) -> str:
    """Say what a node has that no other one has of several nodes of a kind and of different types; empty of one node.

    Args:
        node: one of them.
        alike: one node of each type of the kind.
        zones: labels that make no difference.
    """
    if len(alike) < 2:  # noqa: PLR2004 - there is nothing to tell one apart from
        return ""
    labels = {key: None for each in alike for key in sorted(each.metadata.labels) if key not in (HOSTNAME, *zones)}
    for key in dict.fromkeys((*(each for each in ZONE_LABELS if each in labels), *labels)):
        value = node.metadata.labels.get(key)
        if len({each.metadata.labels.get(key) for each in alike}) == len(alike):
            if value is None:
                return f" without {key}"
            return f" in {value}" if key in ZONE_LABELS else f" with {key}={value}"
    return f" like {node.metadata.name}"


def _types(
    case: Case, nodes: Iterable[k8s.Node], zones: Sequence[str], *, or_tainted: bool = False
) -> list[list[k8s.Node]]:
    """Return the nodes that a task without a place would fit, by type; those first that take most of them.

    Where the task tolerates the taints of none of them, they are returned all the same if `or_tainted`: with the taints
    tolerated as well, the change may help.
    """
    types: dict[tuple[Any, ...], list[k8s.Node]] = {}
    large = [node for node in nodes if _takes(case, node)]
    tolerated = [node for node in large if _is_tolerated(case, node)]
    for node in tolerated or (large if or_tainted else []):
        types.setdefault(_type(node, zones), []).append(node)
    return sorted(types.values(), key=lambda nodes: (-_takes(case, nodes[0]), nodes[0].metadata.name))


def _larger_nodes(case: Case) -> Iterator[Parameter]:
    """Add nodes with all that a task without a place requests, where no node has it: like the one that lacks least."""
    distinct = {tuple((name, request.get(name)) for name in request.names()): request for request in case.wanted}
    rooms = [room_beside(case.session, node.name, node.allocatable) for node in case.session.nodes.nodes]
    unfit = [each for each in distinct.values() if not any(is_large_enough(room, each) for room in rooms)]
    needed = {
        name: max(exact(name, each.get(name)) or Fraction(0) for each in unfit)
        for name in dict.fromkeys(name for each in unfit for name in each.names())
    }
    if not needed or any(amount > _LARGEST_NODE.get(name, amount) for name, amount in needed.items()):
        return

    def lacking(node: k8s.Node) -> dict[str, Fraction]:
        return {name: amount for name, amount in needed.items() if amount > _room(case, node, name)}

    def distance(node: k8s.Node) -> tuple[int, Fraction, str]:
        left = [(amount - _room(case, node, name)) / amount for name, amount in lacking(node).items()]
        return len(left), sum(left, Fraction(0)), node.metadata.name

    selectors = [task.pod.spec.node_selector.items() for task in case.pending if task.request in unfit]
    usable = [
        node
        for node in case.given.nodes
        if _is_tolerated(case, node) and all(each <= node.metadata.labels.items() for each in selectors)
    ]
    if usable:
        like = min(usable, key=distance)
        yield _enlarged(case, like, lacking(like), needed)


def _enlarged(case: Case, node: k8s.Node, lacking: Mapping[str, Fraction], needed: Mapping[str, Fraction]) -> Parameter:
    """Add nodes like one, with enough of what it lacks; as many devices as its other resources are enough for."""
    has = node.status.allocatable
    rooms = [_room(case, node, name) // amount for name, amount in needed.items() if amount and name not in lacking]
    times = int(min((*rooms, len(case.wanted)), default=1))
    amounts = {
        name: amount if name in (CPU, MEMORY) else amount * max(min(times, int(_DEVICES // amount)), 1)
        for name, amount in lacking.items()
    }
    taken = {each.metadata.name for each in case.given.nodes}
    first = next(free_names(copies_of(node), taken, 1))
    taken_up = {name: amount_of(has, name) - _room(case, node, name) for name in amounts}
    # No node has a tenth of a core more than another.
    whole = {CPU: Fraction(1), MEMORY: Fraction(2**30)}
    sizes = {
        name: math.ceil((amount + taken_up[name]) / whole[name]) * whole[name]
        if taken_up[name] and name in whole
        else amount + taken_up[name]
        for name, amount in amounts.items()
    }
    written = {name: str(in_manifest(name, size, has.get(name))) for name, size in sizes.items()}
    fields = ["allocatable", *(["capacity"] if node.status.capacity else [])]

    def edits(step: int) -> list[Edit]:
        enlarged = [
            set_value("node", first, ("status", field, name), amount)
            for field in fields
            for name, amount in written.items()
        ]
        more = [CloneNode(first, step - 1)] if step > 1 else []
        return [CloneNode(node.metadata.name, 1), *enlarged, *more]

    each = min((int(amounts[name] // needed[name]) for name in amounts), default=1)
    enough = [f"room for {amount} pods" if name == PODS else f"{amount} {name}" for name, amount in written.items()]
    return Parameter(
        NODES,
        f"node/{node.metadata.name}",
        most=max(len(taken), _FEW_NODES, case.missing),
        guess=math.ceil(case.missing / each),
        value=lambda step: step,
        edits=edits,
        named=f"like {node.metadata.name} but with {listed_names(enough)}",
        daemons=daemons_in_words(case.session, node.metadata.name),
    )


def _room(case: Case, node: k8s.Node, name: str) -> Fraction:
    """What a node has of a resource for others than its daemons."""
    taken = taken_by_daemons(case.session, node.metadata.name).get(name)
    return amount_of(node.status.allocatable, name) - (exact(name, taken) or Fraction(0))


def uncordon(case: Case) -> Iterator[Parameter]:
    """Uncordon nodes that a task without a place would fit; the taint of a cordoned node goes with that."""
    for nodes in _types(case, [each for each in case.given.nodes if each.spec.unschedulable], (), or_tainted=True):
        yield _of_nodes(UNCORDON, case, nodes, _uncordons)


def ready(case: Case) -> Iterator[Parameter]:
    """Have nodes that a task without a place would fit be ready again: the taints of their conditions go with that."""
    unready = [node for node in case.given.nodes if len(_but_of_conditions(node)) < len(node.spec.taints)]
    for nodes in _types(case, unready, (), or_tainted=True):
        made = _of_nodes(READY, case, nodes, _recovers)
        yield replace(made, as_written=lambda _: [])


def devices(case: Case) -> Iterator[Parameter]:
    """Have nodes offer the devices that they have: their plugin runs again, and the devices are healthy."""
    for resource in dict.fromkeys(name for request in case.wanted for name in request.names()):
        found = not_offered(case.given.nodes, resource)
        nodes = [node for node in case.given.nodes if node.metadata.name in found]
        if nodes:
            made = _of_nodes(DEVICES, case, nodes, partial(_offers, resource))
            yield replace(made, resource=resource, as_written=lambda _: [])


def _offers(resource: str, node: k8s.Node) -> Iterator[Edit]:
    path = ("status", "allocatable", resource)
    yield set_value("node", node.metadata.name, path, node.status.capacity[resource])


def _of_nodes(
    what: str, case: Case, nodes: Iterable[k8s.Node], edits_of: Callable[[k8s.Node], Iterable[Edit]]
) -> Parameter:
    """Return the parameter of which a step changes one more node of a type, in the order of their names."""
    nodes = sorted(nodes, key=lambda node: node.metadata.name)
    return Parameter(
        what,
        f"node/{nodes[0].metadata.name}",
        most=len(nodes),
        guess=min(math.ceil(case.missing / max(_takes(case, nodes[0]), 1)), len(nodes)),
        value=lambda step: step,
        edits=lambda step: [*chain(*map(edits_of, nodes[:step]))],
    )


def _but_of_conditions(node: k8s.Node) -> list[k8s.Taint]:
    return [each for each in node.spec.taints if each.key == _UNSCHEDULABLE or not each.key.startswith(OF_CONDITIONS)]


def _recovers(node: k8s.Node) -> Iterator[Edit]:
    name = node.metadata.name
    yield set_value("node", name, ("spec", "taints"), msgspec.to_builtins(_but_of_conditions(node)))
    for index, condition in enumerate(node.status.conditions):
        path = ("status", "conditions", index, "status")
        if condition.type == "Ready" and condition.status != "True":
            yield set_value("node", name, path, "True")
        elif condition.type in _PRESSURES and condition.status == "True":
            yield set_value("node", name, path, "False")


def _uncordons(node: k8s.Node) -> Iterator[Edit]:
    name, taints = node.metadata.name, node.spec.taints
    yield set_value("node", name, ("spec", "unschedulable"), value=False)
    left = [each for each in taints if each.key != _UNSCHEDULABLE]
    if len(left) < len(taints):
        yield set_value("node", name, ("spec", "taints"), msgspec.to_builtins(left))


def _type(node: k8s.Node, but: Collection[str]) -> tuple[Any, ...]:
    """Return what nodes of a type share: what they have to give, lasting taints, and labels but for some."""
    labels = {key: value for key, value in node.metadata.labels.items() if key != HOSTNAME and key not in but}
    lasting = [taint for taint in node.spec.taints if not taint.key.startswith(OF_CONDITIONS)]
    taints = sorted((taint.key, taint.value, taint.effect) for taint in lasting)
    allocatable = {name: amount_of(node.status.allocatable, name) for name in node.status.allocatable}
    return tuple(sorted(allocatable.items())), tuple(sorted(labels.items())), tuple(taints)


def _is_tolerated(case: Case, node: k8s.Node) -> bool:
    """Tell whether a task without a place tolerates the taints of a node; tasks without pods are not asked."""
    taints = [taint for taint in node.spec.taints if not taint.key.startswith(OF_CONDITIONS)]
    tolerations = [task.pod.spec.tolerations for task in case.pending]
    return not tolerations or any(not untolerated(taints, each, FORBIDDING) for each in tolerations)


def _takes(case: Case, node: k8s.Node) -> int:
    """Guess how many tasks like the first one without a place a node takes that is empty but for its daemons."""
    request: Resource | None = next(iter(case.wanted), None)
    index, name = case.session.nodes.index, node.metadata.name
    if request is None or name not in index:
        return 0
    has = room_beside(case.session, name, case.session.nodes.nodes[index[name]].allocatable)
    rooms = [has.get(name) // request.get(name) for name in request.names()]
    return int(min(rooms, default=0))


def _more(case: Case, nodes: list[k8s.Node], kind: str) -> Parameter:
    name = _first_of(nodes)
    each = _takes(case, nodes[0])
    guess = math.ceil(case.missing / each) if each else 1
    return Parameter(
        NODES,
        f"node/{name}",
        most=max(len(case.given.nodes), _FEW_NODES),
        guess=max(guess, _for_the_queue(case, nodes[0])),
        value=lambda step: len(nodes) + step,
        edits=lambda step: [CloneNode(name, step)],
        named=kind,
        daemons=daemons_in_words(case.session, name),
    )


def _for_the_queue(case: Case, node: k8s.Node) -> int:
    """Guess with how many more nodes a queue, whose share of the cluster is too small, deserves what the gang needs.

    Each other queue has the same share for its weight then, or all that it requests.
    """
    refusal, ledger, queues = case.refusal, case.session.queue_ledger, case.session.queues
    if refusal is None or refusal.code != VerdictCode.QUEUE_LIMIT or ledger is None:
        return 0
    resource, own, closed = refusal.resource, refusal.queue or case.job.queue, ledger.closed()
    has = float(amount_of(node.status.allocatable, resource))
    if case.queue_plugin != proportion.NAME or not has:
        return 0
    needed = sum(map(float, sorted(case.requests(resource))[-case.missing :]))
    needed += float(exact(resource, closed[own].allocated.get(resource)) or 0)
    level = needed / max(queues[own].weight, 1)
    due = [
        min(float(exact(resource, figures.request.get(resource)) or 0), level * queues[name].weight)
        for name, figures in closed.items()
        if name != own and name in queues
    ]
    total = float(exact(resource, case.session.total_resource.get(resource)) or 0)
    return max(math.ceil((needed + sum(due) - total) / has), 0)


# --- the gang ---------------------------------------------------------------------------------------------------------


_WITH_MINIMUM: Final = ("kubeflow.org", "mindxdl.gitee.com")
"""The groups of the operators' kinds that have a minimum of their own, as schedulingPolicy.minAvailable."""


def min_member(case: Case) -> Iterator[Parameter]:
    """Lower the minimum of the PodGroup, or of the workload that it is made from, and what it asks for with it."""
    written, minimum = case.manifest, case.job.min_available
    owner = controller_of(case.job.pod_group.metadata)
    of_operator = owner is not None and kind_of(owner.api_version, owner.kind) is None
    if owner is not None and of_operator and group_of(owner.api_version) not in _WITH_MINIMUM:
        return  # the operator works the minimum out, and the object that it comes from has no field of it
    if written.volcano_job is None and written.minimum:
        yield _lower(written, minimum, _too_many(case))


def _lower(written: Manifest, minimum: int, guess: int) -> Parameter:
    return Parameter(
        written.what,
        written.reference,
        most=minimum - 1,
        guess=guess,
        value=lambda step: minimum - step,
        edits=lambda step: written.with_minimum(minimum - step, minimum),
        owner=written.owner,
    )


def _too_many(case: Case) -> int:
    """Guess how many of its minimum the gang has to do without."""
    refused = sum(task.last_transaction is None for task in case.pending)
    return max(min(refused, case.missing), 1)


def min_available(case: Case) -> Iterator[Parameter]:
    """Lower the minimum of the Volcano Job, and of each task of it together with that."""
    written, guess = case.manifest, _too_many(case)
    if written.volcano_job is None:
        return
    spec = written.volcano_job.spec
    yield _lower(written, spec.min_available, guess)
    if len(spec.tasks) > 1:
        for index, task in enumerate(spec.tasks):
            yield _of_task(written, task, index, spec.min_available, guess)


def _of_task(written: Manifest, task: k8s.TaskSpec, index: int, minimum: int, guess: int) -> Parameter:
    path = ("spec", "tasks", index, MIN_AVAILABLE)
    least = task.min_available or 0
    return Parameter(
        MIN_AVAILABLE,
        f"{written.reference}:{task.name}",
        most=min(least, minimum) - 1,
        guess=guess,
        value=lambda step: least - step,
        edits=lambda step: [*written.with_minimum(minimum - step, minimum), written.set(path, least - step)],
        owner=written.owner,
    )


# --- the network ------------------------------------------------------------------------------------------------------


def tier(case: Case) -> Iterator[Parameter]:
    """Let the job, or its sub-groups, spread over HyperNodes of a higher tier, or ask for one without insisting."""
    spec = case.job.pod_group.spec
    tiers = [each.spec.tier for each in case.given.hyper_nodes]
    written: list[tuple[Path, k8s.NetworkTopology | None]] = [(("spec", "networkTopology"), spec.network_topology)]
    for index, policy in enumerate(spec.sub_group_policy):
        written.append((("spec", "subGroupPolicy", index, "networkTopology"), policy.network_topology))
    for path, topology in written:
        if topology is not None and topology.mode != "soft" and tiers:
            yield from _wider(case, path, topology, max(tiers))


def _wider(case: Case, path: Path, topology: k8s.NetworkTopology, highest: int) -> Iterator[Parameter]:
    now, uid = topology.highest_tier_allowed, case.job.uid
    if now is not None:
        yield Parameter(
            TIER,
            f"podgroup/{uid}",
            most=highest - now,
            guess=1,
            value=lambda step: now + step,
            edits=lambda step: [set_value("podgroup", uid, (*path, TIER), now + step)],
        )
    edit = set_value("podgroup", uid, (*path, MODE), "soft")
    yield choice(MODE, f"podgroup/{uid}", topology.mode or "hard", "soft", [edit])


# --- who is spared ----------------------------------------------------------------------------------------------------


def minimum_of_others(case: Case) -> Iterator[Parameter]:
    """Lower the minimum of jobs whose tasks the plugin gang spared, those with most of them first."""
    spared = case.spared(EvictionCode.NEEDED_BY_ITS_GANG)
    jobs = Counter(task.job for task, _ in spared if task.job != case.job.uid)
    for uid, _ in jobs.most_common(_MOST_SPARED):
        other = case.of(uid)
        if other.manifest.minimum:
            yield _lower(other.manifest, other.job.min_available, guess=1)


def disruptions(case: Case) -> Iterator[Parameter]:
    """Let more of the pods go that disruption budgets spared, those first that spared most.

    How many may go is up to Kubernetes. It follows from what the spec asks for, where the status counts the pods.
    """
    budgets = Counter(
        f"{task.namespace}/{refusal.text}" for task, refusal in case.spared(EvictionCode.DISRUPTION_BUDGET)
    )
    known = {each.metadata.key: each for each in case.given.disruption_budgets}
    for key, number in budgets.most_common(_MOST_SPARED):
        yield from _more_disruptions(known[key], number)


def _more_disruptions(budget: k8s.PodDisruptionBudget, number: int) -> Iterator[Parameter]:
    kind, key = "poddisruptionbudget", budget.metadata.key
    stay = budget.status.current_healthy - budget.status.disruptions_allowed
    most = min(number, stay)
    if most < 1 or desired_healthy(budget) in (None, 0):
        return
    field, _ = limit_for(budget, stay)
    written = budget.spec.min_available if field == MIN_AVAILABLE else budget.spec.max_unavailable

    def value(step: int) -> Value:
        return limit_for(budget, stay - step)[1] if step or written is None else written

    yield Parameter(
        field,
        f"{kind}/{key}",
        most=most,
        guess=1,
        value=value,
        edits=lambda step: [set_value(kind, key, ("spec", field), value(step))],
    )


# --- priority ---------------------------------------------------------------------------------------------------------


def priority(case: Case) -> Iterator[Parameter]:
    """Give the job a class of higher priority, and a new one where no class is high enough."""
    job, own = case.job, case.job.priority
    others = {each.priority for each in case.session.jobs.values() if each is not job}
    rungs = sorted({value for each in others for value in (each, each + 1) if own < value <= _MAX_PRIORITY})
    if not rungs:
        return
    classes: dict[int, str] = {}
    for each in sorted(case.given.priority_classes, key=lambda each: each.metadata.name):
        if each.value > own and not each.metadata.name.startswith(OWN_CLASSES):
            classes.setdefault(each.value, each.metadata.name)
    written = case.manifest
    if classes:
        yield _ladder(written, own, sorted(classes), lambda value: [written.set(written.priority, classes[value])])
    taken = {each.metadata.name for each in case.given.priority_classes}
    new = next(name for name in _names(_NEW_CLASS) if name not in taken)
    yield _ladder(written, own, rungs, lambda value: [new_class(new, value), written.set(written.priority, new)])


def _names(name: str) -> Iterator[str]:
    yield name
    number = 1
    while True:
        number += 1
        yield f"{name}-{number}"


def _ladder(written: Manifest, own: int, rungs: Sequence[int], edits: Callable[[int], list[Edit]]) -> Parameter:
    values = [own, *rungs]
    return Parameter(
        PRIORITY,
        written.reference,
        most=len(rungs),
        guess=len(rungs),
        value=lambda step: values[step],
        edits=lambda step: edits(values[step]),
        owner=written.owner,
        recreate=written.fixed_priority,
    )
