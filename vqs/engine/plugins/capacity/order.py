"""Which queue is served first, and from which one is reclaimed first, along the tree."""

from __future__ import annotations

from functools import total_ordering

from vqs.engine.framework.points import Key
from vqs.engine.plugins.capacity.accounts import CapacityAccount


def share_key(account: CapacityAccount) -> Key:
    """Return what queues next to each other are sorted by: the share; of equals, those that deserve something first."""
    return account.share, account.best_effort_last and account.best_effort


@total_ordering
class TreeKey:
    """A queue's place in the order of service; it can be compared with those of other queues of the tree only.

    Two queues are compared where their ways from the root part: by their ancestors there, or themselves. Shares of
    ancestors do not change during a session, so a key stays right until the queue's own share changes.
    """

    __slots__ = ("account",)

    def __init__(self, account: CapacityAccount) -> None:
        self.account = account

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeKey):
            return NotImplemented
        mine, theirs = self._keys(other)
        return bool(mine == theirs)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: TreeKey) -> bool:
        mine, theirs = self._keys(other)
        return bool(mine < theirs)

    def _keys(self, other: TreeKey) -> tuple[Key, Key]:
        mine, theirs = self.account, other.account
        if mine.children or theirs.children:
            first, second = mine, theirs
        else:
            level = shared_level(mine, theirs) + 1
            first, second = _at(mine, level), _at(theirs, level)
        same_height = bool(mine.children) == bool(theirs.children)
        return (bool(mine.children), *(share_key(first) if same_height else ())), (
            bool(theirs.children),
            *(share_key(second) if same_height else ()),
        )


def _at(account: CapacityAccount, level: int) -> CapacityAccount:
    """Return the queue's ancestor at a level below the root; the queue itself where it has none there."""
    return account.ancestors[level] if level < len(account.ancestors) else account


def shared_level(left: CapacityAccount, right: CapacityAccount) -> int:
    """Return how far below the root the ways to two queues run together; 0 where they part at the root, or before."""
    level = 0
    for depth, (mine, theirs) in enumerate(zip(left.ancestors, right.ancestors, strict=False)):
        if mine is not theirs:
            break
        level = depth
    return level
