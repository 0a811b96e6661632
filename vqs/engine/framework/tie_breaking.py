"""Breaking ties, and whatever else the reference leaves to chance: drawn by a seed, else the lowest name everywhere.

- Of nodes that are equally good, one is picked, each time anew.
- Where nodes are not compared, or are equally good to evict on, they are walked in the order of the scheduler's list.
  When the scheduler starts, it hears of the nodes by name, and several workers put them into the list; who is done
  first comes first. So the list has nearly the order of names, and is the same for as long as the scheduler runs: one
  draw for all of its sessions. Nodes that came later are at its end; no snapshot says when they came.
- Where some nodes are unresolvable for a task, the others are walked as Go walks a map: it is laid out at random, once
  for a session, and each walk begins anywhere.
- The tasks of a node and the jobs of the session are in maps as well. Their order is drawn once for a session.

Each kind of draw has a stream of its own, so that both sides of a comparison have the same list of nodes, whatever else
they draw. What is not drawn: sixteen workers ask the nodes whether they can take a task, and now and then one is
overtaken by the next, for that one task.

References: pkg/scheduler/util/scheduler_helper.go, pkg/scheduler/util/predicate_helper.go,
pkg/scheduler/framework/session.go (FilterOutUnschedulableAndUnresolvableNodesForTask),
pkg/scheduler/cache/event_handlers.go (SyncNode, AddOrUpdateNode).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import TypeVar

import numpy as np

from vqs.engine.nodes.table import Integers

Item = TypeVar("Item")

AT_WORK = 2
"""The number of workers that hold a node at a time when the list is drawn.

There are twenty (`--node-worker-threads`), but each is done with a node almost at once. Two are the fewest that change
the order at all: every node is overtaken by the next one half of the time, by two a quarter of the time.
"""


class TieBreaker:
    """The draws of one session: under the same seed, each of a scheduler's sessions has others."""

    def __init__(self, seed: int, nodes: int, turn: int = 0) -> None:
        """Draw for a session after `turn` others of the scheduler."""
        self._seed = seed
        self._nodes = nodes
        self._turn = turn
        self._ties = Random(f"{seed} session {turn}" if turn else seed)  # noqa: S311 - not for secrets
        self._starts = self._stream("starts")
        self._list: Integers | None = None
        self._map: Integers | None = None

    @property
    def has_drawn_nodes(self) -> bool:
        """True if an order of nodes was drawn, so that more than ties between nodes hangs on the seed."""
        return self._list is not None or self._map is not None

    def pick(self, tied: Sequence[Item]) -> Item:
        """Pick one of several that are equally good."""
        return tied[self._ties.randrange(len(tied))]

    @contextmanager
    def apart(self, what: str) -> Iterator[None]:
        """Draw for something that may or may not be tried, so that nothing that comes after it hangs on that."""
        ties, self._ties = self._ties, self._stream(what)
        try:
            yield
        finally:
            self._ties = ties

    def in_list(self, nodes: Integers) -> Integers:
        """Some nodes in the order of the scheduler's list."""
        if len(nodes) <= 1:
            return nodes
        if self._list is None:
            random = Random(f"{self._seed} nodes")  # noqa: S311 - not for secrets
            done: list[int] = []
            held: list[int] = []
            for node in range(self._nodes):
                held.append(node)
                if len(held) == AT_WORK:
                    done.append(held.pop(random.randrange(AT_WORK)))
            random.shuffle(held)
            self._list = _places(done + held)
        return nodes[np.argsort(self._list[nodes])]

    def in_map(self, nodes: Integers) -> Integers:
        """Some nodes as one walk over the map of nodes comes across them."""
        if len(nodes) <= 1:
            return nodes
        if self._map is None:
            self._map = _places(self._stream("map of nodes").sample(range(self._nodes), self._nodes))
        start = self._starts.randrange(self._nodes)
        return nodes[np.argsort((self._map[nodes] - start) % self._nodes)]

    def from_anywhere(self, nodes: Integers) -> Integers:
        """Some nodes in their order, beginning with any of them and going on with the first after the last."""
        return np.roll(nodes, -self._starts.randrange(len(nodes))) if len(nodes) else nodes

    def in_any_order(self, what: str, items: Iterable[Item]) -> list[Item]:
        """The entries of a map in the order drawn for it; `what` tells maps apart."""
        shuffled = list(items)
        self._stream(what).shuffle(shuffled)
        return shuffled

    def _stream(self, purpose: str) -> Random:
        return Random(f"{self._seed} {purpose}{f' {self._turn}' if self._turn else ''}")  # noqa: S311 - not for secrets


def _places(order: Sequence[int]) -> Integers:
    """For each node its place in an order."""
    places = np.empty(len(order), dtype=np.intp)
    places[list(order)] = np.arange(len(order))
    return places
