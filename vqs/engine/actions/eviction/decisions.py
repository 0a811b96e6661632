"""Which of the tasks on a node may be evicted: the plugins vote, and their votes are counted.

Within a tier, a task is a victim where every plugin agrees on it; a plugin that agrees on none ends the tier. The first
tier that agrees on a task decides, and later ones are not asked. As in the reference, where plugins of a tier have no
task in common, the next of that tier starts over, as if those before it had not voted.

A plugin votes again only where something that its vote depends on has changed.
Reference: pkg/scheduler/framework/session_plugins.go (Preemptable, Reclaimable).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from vqs.engine.actions.eviction.index import EvictionIndex
from vqs.engine.framework.points import DependsOn, EvictableFn, Point
from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import PluginVote, VictimDecision
from vqs.engine.framework.votes import Victims, Vote
from vqs.model.task import Task

Voter = TypeVar("Voter")


class VictimDecisions:
    """The decisions of one action, on the nodes it comes across."""

    def __init__(self, session: Session, point: Point[EvictableFn], index: EvictionIndex) -> None:
        self.index = index
        self._tiers = session.plugins.voters(point)
        self._voters = [voter for tier in self._tiers for _, voter in tier]
        # Votes that are counted are given anew whenever something has changed for a job.
        self._least = DependsOn.NOTHING if session.options.tally is None else DependsOn.JOBS
        self.depends_on = max((self._least, *(voter.depends_on for voter in self._voters)))
        index.watch(self.depends_on)
        self._votes: dict[Hashable, tuple[Hashable, int, Victims]] = {}
        self._candidates: dict[Hashable, tuple[int, list[Task]]] = {}

    def cache_key(self, preemptor: Task) -> Hashable:
        """Return what all votes together depend on of the preemptor."""
        return tuple([voter.cache_key(preemptor) for voter in self._voters])

    def candidates(self, node: int, scope: Hashable, allowed: Callable[[Task], bool]) -> list[Task]:
        """Return the tasks on a node that may be evicted, within a scope that is known by a key."""
        key = (scope, node)
        known = self._candidates.get(key)
        if known is not None and known[0] >= self.index.changed[DependsOn.NOTHING, node]:
            return known[1]
        tasks = self.index.candidates(node, allowed)
        self._candidates[key] = (self.index.clock, tasks)
        return tasks

    def decide(self, preemptor: Task, candidates: Sequence[Task], node: int, scope: Hashable) -> VictimDecision:
        """Let the plugins vote on the candidates on a node."""

        def ask(plugin: str, voter: EvictableFn) -> Victims:
            key, cache_key = (plugin, node, scope), voter.cache_key(preemptor)
            depends_on = max(voter.depends_on, self._least)
            known = self._votes.get(key)
            if known is not None and known[0] == cache_key and known[1] >= self.index.changed[depends_on, node]:
                return known[2]
            victims = voter.vote(preemptor, candidates)
            self._votes[key] = (cache_key, self.index.clock, victims)
            return victims

        return decide(self._tiers, candidates, ask)


def decide(
    tiers: Sequence[Sequence[tuple[str, Voter]]],
    candidates: Sequence[Task],
    ask: Callable[[str, Voter], Victims],
) -> VictimDecision:
    """Count the votes on some candidates, tier by tier."""
    votes: list[PluginVote] = []
    spared_by = ""
    for number, tier in enumerate(tiers):
        agreed: list[Task] | None = None
        for plugin, voter in tier:
            victims = ask(plugin, voter)
            if victims.vote is Vote.ABSTAIN:
                continue
            votes.append(PluginVote(number, plugin, victims))
            if not victims.tasks:
                agreed, spared_by = None, plugin
                break
            agreed = victims.tasks if agreed is None else _in_common(agreed, victims)
            if agreed is None:
                spared_by = plugin
        if agreed is not None:
            return VictimDecision(candidates, tuple(votes), number, agreed, "")
    return VictimDecision(candidates, tuple(votes), None, (), spared_by if candidates else "")


def _in_common(agreed: list[Task], victims: Victims) -> list[Task] | None:
    taken = {task.uid for task in victims.tasks}
    return [task for task in agreed if task.uid in taken] or None
