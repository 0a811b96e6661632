"""The network in a session: the HyperNodes under one that stands for the whole cluster, and what jobs ask of them.

The virtual top HyperNode is one tier above all others, and holds every node. With it, a soft constraint is a hard one
whose limit is its tier: lower tiers are tried first, and nothing is left out.
References: pkg/scheduler/framework/session.go (addClusterTopHyperNode, adjustNetworkTopologySpec,
recoverAllocatedHyperNode); pkg/scheduler/api/hyper_node_info.go (GetLCAHyperNode).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from vqs.engine.nodes.table import Integers, NodeTable
from vqs.model.hypernode import HyperNode, HyperNodes, TopologyConstraint
from vqs.model.job import ALLOCATED_STATUSES, Job, SubJob
from vqs.releases.network_topology import NetworkTopologyBehaviours

_DEFAULT = NetworkTopologyBehaviours()

ALLOCATED_HYPER_NODE = "volcano.sh/job-allocated-hypernode"
"""The annotation of a PodGroup in which old releases keep the HyperNode that holds what was placed of its job."""

TOP = "<cluster-top-hypernode>"
"""The name of the HyperNode that stands for the whole cluster."""


class Topology:
    """The HyperNodes of a session.

    Attributes:
        by_name: all HyperNodes, the virtual top one among them.
        names: their names, in order; a HyperNode's place in it is its number.
        number: the number of each HyperNode, by name.
        members: the numbers of the nodes that are below each HyperNode, in order, by name; the top one has all.
        tiers: the tiers that there are, the lowest first.
        placing: the sub-job whose task is about to be given a node, and the HyperNode that holds what it has so far;
            None where no task of a sub-job that asks for a topology is.
        fault: why jobs that ask for a topology are not placed, empty where they are.
    """

    def __init__(
        self, hyper_nodes: HyperNodes, nodes: NodeTable, behaviours: NetworkTopologyBehaviours = _DEFAULT
    ) -> None:
        self._behaviours = behaviours
        self._rooted = behaviours.hyper_node_search == "gradients"
        self.fault = hyper_nodes.fault
        defined = [each for each in hyper_nodes.by_name.values() if each.defined]
        self.top = HyperNode(TOP, tier=max((each.tier + 1 for each in defined), default=1))
        self.top.tier = max(self.top.tier, 1)
        self.top.children = sorted(each.name for each in hyper_nodes.by_name.values() if not each.parent)
        self.by_name = {**hyper_nodes.by_name, TOP: self.top}
        self.names = sorted(self.by_name)
        self.number = {name: at for at, name in enumerate(self.names)}
        self.tiers = sorted({each.tier for each in defined} | ({self.top.tier} if self._rooted else set()))
        self.members: dict[str, Integers] = {
            name: np.array(sorted(nodes.index[node] for node in each.nodes if node in nodes.index), dtype=np.intp)
            for name, each in hyper_nodes.by_name.items()
        }
        self.members[TOP] = np.arange(len(nodes))
        self._nodes = nodes
        self.tier_by_name = {each.tier_name: each.tier for each in reversed(defined) if each.tier_name}
        self._limited_by_name: set[str] = set()
        self._on_node: list[list[str]] | None = None
        self.placing: tuple[SubJob, str] | None = None

    # --- the tree ----------------------------------------------------------------------------------------------------

    def of_tier(self, tier: int) -> list[str]:
        """The HyperNodes of a tier, by name; one that is only known as a member is of none."""
        return [name for name in self.names if self.by_name[name].tier == tier and self.by_name[name].defined]

    def parent(self, name: str) -> str:
        """The HyperNode above one; empty above the top."""
        return self.by_name[name].parent or ("" if name == TOP else TOP)

    def line(self, name: str) -> Iterator[str]:
        """Yield a HyperNode and those above it, up to the top; nothing for one that is gone."""
        while name in self.by_name:
            yield name
            name = self.parent(name)

    def lowest_common(self, one: str, other: str) -> str:
        """The lowest HyperNode that is above both or one of them; an empty name stands for nothing.

        In releases without a virtual top HyperNode, there may be none; nor is there one above what is gone.
        """
        if not one or not other:
            return one or other
        above = set(self.line(one))
        common = next((name for name in self.line(other) if name in above), "")
        return common if self._rooted or common != TOP else ""

    def below(self, root: str) -> list[str]:
        """A HyperNode and all below it, level by level."""
        found = [root]
        for name in found:
            found.extend(sorted(self.by_name[name].children))
        return found

    def groups(self, tier: int) -> Integers:
        """The number of the HyperNode of a tier that each node is in, of several the one with the lowest name.

        Where there is none, it is the number of HyperNodes.
        """
        groups = np.full(len(self._nodes), len(self.names), dtype=np.intp)
        for name in reversed(self.of_tier(tier)):
            groups[self.members[name]] = self.number[name]
        return groups

    @cached_property
    def lowest(self) -> Integers:
        """The HyperNode of the lowest tier that each node is in, as in `groups`."""
        return self.groups(self.tiers[0] if self.tiers else self.top.tier)

    def joined(self, held: str, node: int) -> str:
        """The lowest HyperNode that holds one and, if a HyperNode of the lowest tier has it, a node."""
        group = int(self.lowest[node])
        return held if group == len(self.names) else self.lowest_common(held, self.names[group])

    def around(self, node: int) -> list[str]:
        """The HyperNodes that hold a node, by name."""
        if self._on_node is None:
            self._on_node = [[] for _ in range(len(self._nodes))]
            for name in self.names:
                for member in self.members[name].tolist():
                    self._on_node[member].append(name)
        return self._on_node[node]

    # --- what jobs ask for -------------------------------------------------------------------------------------------

    def settle(self, jobs: Iterable[Job]) -> None:
        """Turn names of tiers into tiers and soft constraints into hard ones, and find what jobs hold already."""
        for job in jobs:
            if not job.asks_for_topology:
                continue
            limit = self.top.tier
            if job.topology is not None:
                self._settle(job.topology, limit)
                limit = limit if job.topology.highest_tier is None else job.topology.highest_tier
            for sub_job in job.sub_jobs.values():
                if sub_job.topology is None:
                    continue
                if self._is_named(sub_job.topology) and self._behaviours.tier_names == "of-jobs":
                    self._limited_by_name.add(job.uid)
                else:
                    self._settle(sub_job.topology, limit)
            if not self.fault:
                self._recover(job)

    def has_limit(self, job: Job) -> bool:
        """True if a job or one of its sub-jobs may not go beyond a tier, or is treated so by its description."""
        return job.has_topology_limit or job.uid in self._limited_by_name

    def _settle(self, constraint: TopologyConstraint, highest: int) -> None:
        if not constraint.hard and self._behaviours.soft_network_topology == "scored-hyper-nodes":
            constraint.hard, constraint.highest_tier, constraint.tier_name = True, highest, ""
        elif self._is_named(constraint):
            constraint.highest_tier, constraint.tier_name = self.tier_by_name[constraint.tier_name], ""

    def _is_named(self, constraint: TopologyConstraint) -> bool:
        """True if a hard constraint gives a tier that there is by its name alone."""
        return constraint.hard and constraint.highest_tier is None and constraint.tier_name in self.tier_by_name

    def _recover(self, job: Job) -> None:
        """Find the HyperNodes that hold what a job and its sub-jobs have been given."""
        if self._behaviours.held_hyper_node == "annotation":
            job.allocated_hyper_node = job.pod_group.metadata.annotations.get(ALLOCATED_HYPER_NODE, "")
            for sub_job in job.sub_jobs.values():
                sub_job.allocated_hyper_node = job.allocated_hyper_node
            return

        fewest = self._behaviours.held_hyper_node == "fewest-nodes"
        for sub_job in job.sub_jobs.values():
            if sub_job.topology is not None:
                held_by = [task.node for status in ALLOCATED_STATUSES for task in sub_job.having(status).values()]
                numbers = [self._nodes.index.get(node) for node in held_by if node]
                around = [set() if node is None else set(self.around(node)) for node in numbers]
                common = set.intersection(*around) if around else set()
                sub_job.allocated_hyper_node = min(
                    common,
                    key=lambda name: (len(self.members[name]) if fewest else self.by_name[name].tier, name),
                    default="",
                )
        held = ""
        for sub_job in job.sub_jobs.values():
            held = self.lowest_common(held, sub_job.allocated_hyper_node)
        job.allocated_hyper_node = held
