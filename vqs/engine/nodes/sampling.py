"""The scheduler's sampling of nodes: a search ends once enough nodes fit a task, and the next begins where it ended.

The scheduler examines nodes in the order of its list, from where the search before has ended, in whatever action that
was. It ends with the first node that fits after enough others have been found; that node is not among them. In the
scheduler, sixteen workers examine nodes side by side, so a few more are examined; here one does.
References: pkg/scheduler/util/scheduler_helper.go (CalculateNumOfFeasibleNodesToFind), predicate_helper.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

import numpy as np

from vqs.engine.nodes.table import Integers, Masks
from vqs.model.scheduler_flags import NodeSample


@dataclass(slots=True)
class ProcessState:
    """What the scheduler's process keeps from one session to the next: it has just started, unless sessions have run.

    Attributes:
        looked_for_victims: when the plugin tdm last looked for pods to evict; None where it has not.
        next_node: where the next search for a node begins, in the scheduler's list, if nodes are sampled.
        left_queue: the jobs that have left their queues, and when (see `vqs.engine.framework.dequeue`).
        inqueue_since: since when jobs are Inqueue, where that may make them leave.
    """

    looked_for_victims: datetime | None = None
    next_node: int = 0
    left_queue: Mapping[str, datetime] = field(default_factory=dict)
    inqueue_since: Mapping[str, datetime] = field(default_factory=dict)


class Search(NamedTuple):
    """What a search came across: the nodes that it found to fit, and those that it examined."""

    found: Masks
    examined: Masks


class NodeSampler:
    """The searches of one session; `ended_early` counts those that did not examine all nodes."""

    def __init__(self, sample: NodeSample, process: ProcessState, nodes: int) -> None:
        self.searches = 0
        self.ended_early = 0
        self._sample = sample
        self._process = process
        self._place: Integers = np.arange(nodes)

    def search(self, fitting: Masks, nodes: Integers) -> Search:
        """Search some nodes, given in the order of the scheduler's list, for those that fit."""
        search = Search(np.zeros_like(fitting), np.zeros_like(fitting))
        if not len(nodes):
            return search
        start = self._process.next_node
        order = np.roll(nodes, -(start % len(nodes)))
        hits = np.flatnonzero(fitting[order])
        enough = self._sample.enough(len(nodes))
        examined = order if len(hits) <= enough else order[: int(hits[enough]) + 1]
        self._process.next_node = (start + len(examined)) % len(nodes)
        self._place[order] = np.arange(len(order))
        self.searches += 1
        self.ended_early += len(examined) < len(order)
        search.found[order[hits[:enough]]] = True
        search.examined[examined] = True
        return search

    def search_one(self) -> None:
        """Search the only node that is asked, the one that an earlier session chose; the next search begins anew."""
        self._process.next_node = 0

    def summary(self) -> str:
        """What sampling has come to in the session."""
        return (
            f"--node-sample ended {self.ended_early:,} of {self.searches:,} searches for a node before all nodes were "
            "examined"
        )

    def caution(self) -> str:
        """What that may change; empty where it changes nothing."""
        if not self.ended_early:
            return ""
        return (
            "a node that was not examined may be better: without --node-sample, tasks may get other nodes, and other "
            "tasks may be evicted; so they may in a cluster, where the first search begins at any node, here at the "
            "first"
        )

    def in_order(self, nodes: Integers) -> Integers:
        """Some nodes in the order of the last search."""
        return nodes[np.argsort(self._place[nodes], kind="stable")]
