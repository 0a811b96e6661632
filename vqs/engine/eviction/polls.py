"""How plugins vote on which of the tasks on a node may be evicted, and how the votes are counted.

Within a tier only those count that every plugin agrees on; a plugin that agrees on nobody ends the tier. The first tier
that agrees on somebody decides, and later ones are not asked. As in the reference, where plugins of a tier have nobody
in common, the next of that tier starts anew, as if those before it had not voted.

A plugin's vote is asked for again only where something that it depends on has changed.
Reference: pkg/scheduler/framework/session_plugins.go (Preemptable, Reclaimable).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.engine.points import Reach
from vqs.engine.trace import Ballot, Poll
from vqs.engine.votes import Victims, Vote

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from vqs.engine.eviction.index import EvictionIndex
    from vqs.engine.points import Point, Voter
    from vqs.engine.session import Session
    from vqs.model.task import Task

Ask = "Callable[[str, Voter], Victims]"


class Polls:
    """The polls of one action, on the nodes it comes across."""

    def __init__(self, session: Session, point: Point[Voter], index: EvictionIndex) -> None:
        self.index = index
        self._tiers = session.plugins.voters(point)
        self._voters = [voter for tier in self._tiers for _, voter in tier]
        self.reach = max((voter.reach for voter in self._voters), default=Reach.FIXED)
        self._votes: dict[Hashable, tuple[Hashable, int, Victims]] = {}
        self._candidates: dict[Hashable, tuple[int, list[Task]]] = {}

    def sees(self, evictor: Task) -> Hashable:
        """Return what all votes together depend on of the task in whose favour they are."""
        return tuple([voter.sees(evictor) for voter in self._voters])

    def candidates(self, column: int, circle: Hashable, allowed: Callable[[Task], bool]) -> list[Task]:
        """Return who may be evicted on a node, in a circle that is known by a key."""
        key = (circle, column)
        known = self._candidates.get(key)
        if known is not None and known[0] >= self.index.changed[Reach.JOBS, column]:
            return known[1]
        tasks = self.index.candidates(column, allowed)
        self._candidates[key] = (self.index.clock, tasks)
        return tasks

    def take(self, evictor: Task, candidates: Sequence[Task], column: int, circle: Hashable) -> Poll:
        """Let the plugins vote on candidates on a node."""

        def ask(plugin: str, voter: Voter) -> Victims:
            key, sees = (plugin, column, circle), voter.sees(evictor)
            known = self._votes.get(key)
            if known is not None and known[0] == sees and known[1] >= self.index.changed[voter.reach, column]:
                return known[2]
            victims = voter.vote(evictor, candidates)
            self._votes[key] = (sees, self.index.clock, victims)
            return victims

        return poll(self._tiers, candidates, ask)


def poll(
    tiers: Sequence[Sequence[tuple[str, Voter]]],
    candidates: Sequence[Task],
    ask: Callable[[str, Voter], Victims],
) -> Poll:
    """Count the votes on some candidates, tier by tier."""
    ballots: list[Ballot] = []
    spared_by = ""
    for number, tier in enumerate(tiers):
        agreed: list[Task] | None = None
        for plugin, voter in tier:
            victims = ask(plugin, voter)
            if victims.vote is Vote.ABSTAIN:
                continue
            ballots.append(Ballot(number, plugin, victims))
            if not victims.tasks:
                agreed, spared_by = None, plugin
                break
            agreed = victims.tasks if agreed is None else _in_common(agreed, victims)
            if agreed is None:
                spared_by = plugin
        if agreed is not None:
            return Poll(candidates, tuple(ballots), number, agreed, "")
    return Poll(candidates, tuple(ballots), None, (), spared_by if candidates else "")


def _in_common(agreed: list[Task], victims: Victims) -> list[Task] | None:
    taken = {task.uid for task in victims.tasks}
    return [task for task in agreed if task.uid in taken] or None
