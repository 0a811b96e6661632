"""The HyperNodes of a cluster: its network as a tree, from groups of near nodes up to groups of groups.

Reference: pkg/scheduler/api/hyper_node_info.go.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class HyperNode:
    """A part of the network.

    Attributes:
        name: its name.
        tier: how far apart its nodes are; the lower, the nearer.
        tier_name: a name for the tier, empty where it has none.
        parent: the HyperNode that it is a member of, empty where it is of none.
        children: the HyperNodes that are its members.
        nodes: the names of the nodes below it, whether these exist or not.
        defined: whether there is an object of this name; else it is only known as a member of another.
    """

    name: str
    tier: int = 0
    tier_name: str = ""
    parent: str = ""
    children: list[str] = field(default_factory=list)
    nodes: set[str] = field(default_factory=set)
    defined: bool = True


@dataclass(slots=True)
class HyperNodes:
    """All HyperNodes by name; `fault` says why they are no tree, and is empty where they are one."""

    by_name: dict[str, HyperNode] = field(default_factory=dict)
    fault: str = ""


@dataclass(slots=True)
class TopologyConstraint:
    """How far apart in the network the tasks of a job or sub-job may be.

    Attributes:
        hard: whether `highest_tier` is a limit, where there is one.
        highest_tier: the highest tier of a HyperNode that the tasks may share; None where it is not known.
        tier_name: the name that the tier was given by, where it is not known.
    """

    hard: bool
    highest_tier: int | None
    tier_name: str = ""

    @property
    def limit(self) -> int | None:
        """The highest tier where it is binding, else None."""
        return self.highest_tier if self.hard else None
