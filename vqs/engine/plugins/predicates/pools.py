"""The pools of devices that each node can use.

The scheduler goes through pools and slices in any order; here it is the order of their names, those with devices that
have to be made ready last. Nodes that see the same slices share a view.
Reference: k8s.io/dynamic-resource-allocation/structured/internal/experimental/pools_experimental.go (v0.34).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from vqs.engine.nodes.selectors import NodeLabels
from vqs.engine.nodes.table import Integers
from vqs.model.devices import Device, ResourceSlice
from vqs.model.kubernetes import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from vqs.model.quantity import parse


class DeviceId(NamedTuple):
    """What tells a device from all others."""

    driver: str
    pool: str
    name: str

    def __str__(self) -> str:
        """Write it as the scheduler does."""
        return "/".join(self)


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool, as far as a node sees it.

    `invalid` is why its devices cannot be told apart, empty where they can; `incomplete` is set where slices miss of
    those that its generation has. `counters` are what its devices share, by set and name, and `elsewhere` the devices
    that only other nodes see, which may take of them.
    """

    driver: str
    name: str
    incomplete: bool
    invalid: str
    devices: tuple[tuple[DeviceId, Device], ...]
    counters: Mapping[str, Mapping[str, Fraction]] = field(default_factory=dict)
    elsewhere: tuple[tuple[DeviceId, Device], ...] = ()
    generation: int = 0
    slices: int = 0

    def __str__(self) -> str:
        """Write it as the scheduler does."""
        return f"{self.driver}/{self.name}"


class Views:
    """The views that nodes have of the pools; `of_node` is the number of each node's."""

    def __init__(
        self,
        labels: NodeLabels,
        slices: Iterable[ResourceSlice],
        *,
        complete_on_node: bool = True,
        with_counters: bool = False,
    ) -> None:
        """Sort slices by the nodes that see them.

        Args:
            labels: the labels of the nodes.
            slices: all slices.
            complete_on_node: whether a pool is incomplete on a node that does not see all of its slices.
            with_counters: whether slices with counters count, which all nodes see.
        """
        self._complete_on_node = complete_on_node
        self._with_counters = with_counters
        self._all = list(slices)
        self._slices = sorted(
            (each for each in self._all if each.spec.per_device_node_selection is None),
            key=lambda each: (_is_made_ready(each), each.metadata.name),
        )
        self._pools: dict[int, list[Pool]] = {}
        index = {node.metadata.name: number for number, node in enumerate(labels.nodes)}
        everywhere: list[int] = []
        own: list[list[int]] = [[] for _ in labels.nodes]
        for number, each in enumerate(self._slices):
            spec = each.spec
            if with_counters and spec.shared_counters:
                everywhere.append(number)
            elif spec.node_name:
                if spec.node_name in index:
                    own[index[spec.node_name]].append(number)
            elif spec.all_nodes:
                everywhere.append(number)
            elif spec.node_selector is not None:
                for node in np.flatnonzero(labels.selected(spec.node_selector)).tolist():
                    own[node].append(number)
        numbers: dict[tuple[int, ...], int] = {}
        views = [numbers.setdefault(tuple(seen), len(numbers)) for seen in own]
        self.of_node: Integers = np.array(views, np.intp)
        self._seen = [sorted([*seen, *everywhere]) for seen in numbers]

    @property
    def number(self) -> int:
        """How many views there are."""
        return len(self._seen)

    def pools(self, view: int) -> list[Pool]:
        """The pools of a view."""
        if view not in self._pools:
            slices = [self._slices[number] for number in self._seen[view]]
            gathered: dict[tuple[str, str], list[ResourceSlice]] = {}
            for each in slices:
                pool = gathered.setdefault((each.spec.driver, each.spec.pool.name), [])
                if pool and each.spec.pool.generation < pool[0].spec.pool.generation:
                    continue
                if pool and each.spec.pool.generation > pool[0].spec.pool.generation:
                    pool.clear()
                pool.append(each)
            names = sorted(gathered, key=lambda name: (any(map(_is_made_ready, gathered[name])), name))
            pools = [_pool(*name, gathered[name]) for name in names]
            if self._with_counters:
                pools = list(map(self._with_what_is_shared, pools))
            self._pools[view] = pools if self._complete_on_node else list(self._completed(pools))
        return self._pools[view]

    def _completed(self, pools: Iterable[Pool]) -> Iterator[Pool]:
        """Yield pools with what slices elsewhere say: of a pool with a newer generation there, nothing counts here."""
        for pool in pools:
            if not pool.incomplete:
                yield pool
                continue
            generations = [
                each.spec.pool.generation
                for each in self._all
                if (each.spec.driver, each.spec.pool.name) == (pool.driver, pool.name)
            ]
            if max(generations) == pool.generation:
                yield replace(pool, incomplete=generations.count(pool.generation) != pool.slices)

    def _with_what_is_shared(self, pool: Pool) -> Pool:
        """A pool with the counters that its devices share, invalid where a device takes of others than there are."""
        slices = [
            each
            for each in self._all
            if (each.spec.driver, each.spec.pool.name) == (pool.driver, pool.name)
            and each.spec.pool.generation == pool.generation
        ]
        counters = {
            shared.name: {name: parse(each.value) for name, each in shared.counters.items()}
            for each in slices
            for shared in each.spec.shared_counters
        }
        identities = {identity for identity, _ in pool.devices}
        everywhere = (
            (DeviceId(pool.driver, pool.name, device.name), device) for each in slices for device in each.spec.devices
        )
        elsewhere = tuple(each for each in everywhere if each[0] not in identities)
        unknown = next(
            (
                taken.counter_set
                for _, device in (*pool.devices, *elsewhere)
                for taken in device.consumes_counters
                if not taken.counters.keys() <= counters.get(taken.counter_set, {}).keys()
            ),
            None,
        )
        invalid = pool.invalid or ("" if unknown is None else f"counter set {unknown} not found")
        return replace(pool, counters=counters, elsewhere=elsewhere, invalid=invalid)

    def node_selector(self, devices: Collection[DeviceId]) -> NodeSelector | None:
        """Which nodes can use some devices together, None where all can.

        Reference: createNodeSelector of the allocator.
        """
        pools = {(device.driver, device.pool) for device in devices}
        specs = [
            each.spec
            for each in self._slices
            if (each.spec.driver, each.spec.pool.name) in pools
            and any(
                DeviceId(each.spec.driver, each.spec.pool.name, device.name) in devices for device in each.spec.devices
            )
        ]
        terms: list[NodeSelectorTerm] = []
        for spec in specs:
            if spec.node_name:
                only = NodeSelectorRequirement("metadata.name", "In", [spec.node_name])
                return NodeSelector([NodeSelectorTerm([], [only])])
            if spec.node_selector:
                terms += spec.node_selector.node_selector_terms
        if not terms:
            return None
        expressions = [each for term in terms for each in term.match_expressions]
        fields = [each for term in terms for each in term.match_fields]
        return NodeSelector([NodeSelectorTerm(expressions, fields)])


def _pool(driver: str, name: str, slices: Sequence[ResourceSlice]) -> Pool:
    devices = [(DeviceId(driver, name, device.name), device) for each in slices for device in each.spec.devices]
    counts = Counter(device.name for _, device in devices)
    twice = next((name for name, count in counts.items() if count > 1), None)
    return Pool(
        driver,
        name,
        incomplete=len(slices) != slices[0].spec.pool.resource_slice_count,
        invalid="" if twice is None else f"duplicate device name {twice}",
        generation=slices[0].spec.pool.generation,
        slices=slices[0].spec.pool.resource_slice_count,
        devices=tuple(devices),
    )


def _is_made_ready(each: ResourceSlice) -> bool:
    """True if a slice has devices that are made ready after they were given."""
    return any(device.binding_conditions is not None for device in each.spec.devices)
