"""The scheduler's shard in a session: which nodes it may use, and which it prefers.

Nodes outside the shard stay in the session, with all that is on them: they count as a part of the cluster wherever
resources are summed up. In hard mode, no task is placed on them; in soft mode, they come after the shard's own nodes.
References: pkg/scheduler/util/predicate_helper.go (PredicateNodes, GetPredicatedNodeByShard),
pkg/scheduler/actions/allocate/allocate.go (prioritizeNodes).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vqs.engine.nodes.reasons import FITS, Codes, Reasons
from vqs.engine.nodes.table import Integers, Masks, Nodes, NodeTable
from vqs.model.sharding import Shard, ShardingMode

OUTSIDE = "node isn't in scheduler node shard"
"""The reason of a node that is outside the shard in hard mode."""


class SessionShard:
    """The shard of a session.

    Attributes:
        inside: the nodes of the shard, (nodes,); all of them where the scheduler has no shard.
        is_hard: whether tasks are placed on no other nodes.
        is_soft: whether the nodes of the shard come before the others.
    """

    def __init__(self, shard: Shard, nodes: NodeTable, reasons: Reasons) -> None:
        mode = shard.sharding.mode
        self.is_hard = mode is ShardingMode.HARD
        self.is_soft = mode is ShardingMode.SOFT
        self.inside: Masks = np.ones(len(nodes), np.bool_)
        if mode is not ShardingMode.NONE:
            self.inside = np.array([name in shard.nodes for name in nodes.names], np.bool_)
        self._code = FITS
        if self.is_hard:
            self._code = reasons.code(OUTSIDE)
            reasons.mark_resolvable(OUTSIDE)  # the reference reports it as an error, not as unresolvable

    def open(self, nodes: Masks) -> Masks:
        """Those of some nodes that tasks may be placed on."""
        return nodes & self.inside if self.is_hard else nodes

    def refuse(self, codes: Codes, nodes: Nodes) -> None:
        """Give, in place, some nodes that are outside in hard mode that reason alone, whatever else they have."""
        if self.is_hard:
            codes[~self.inside[nodes]] = self._code

    def preferred(self, nodes: Masks) -> Iterator[Masks]:
        """Yield some nodes in groups, the group that is tried first first: in soft mode, the shard's own and others."""
        if self.is_soft:
            yield nodes & self.inside
            yield nodes & ~self.inside
        else:
            yield nodes

    def in_order(self, nodes: Integers) -> Integers:
        """Some nodes in their order; in soft mode, those of the shard first."""
        if not self.is_soft:
            return nodes
        inside = self.inside[nodes]
        return np.concatenate([nodes[inside], nodes[~inside]])
