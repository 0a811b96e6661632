"""What the queues above two others say to a reclaim between them: the argument `ancestorReclaimLevel`.

With a level of 1, the parents count, with one of 2 the grandparents as well, and so on; the root never does.
Reference: getReclaimeeAncestorToCheck and sharesAnyNonRootAncestorWithinLevel in
pkg/scheduler/plugins/capacity/capacity.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat

from vqs.engine.plugins.capacity.accounts import CapacityAccount


def ancestors_within(account: CapacityAccount, levels: int) -> Iterator[CapacityAccount]:
    """Yield the queues up to some levels above a queue, the nearest first, without the root."""
    yield from reversed(account.ancestors[1:][-levels:] if levels > 0 else ())


def judged_ancestors(reclaimer: CapacityAccount, victim: CapacityAccount, levels: int) -> Iterator[CapacityAccount]:
    """Yield the ancestors that have to hold more than they deserve for a task of a queue to be a victim.

    An ancestor that the queue that reclaims has at the same level is left out.
    """
    others = chain(ancestors_within(reclaimer, levels), repeat(None))
    for own, other in zip(ancestors_within(victim, levels), others, strict=False):
        if own is not other:
            yield own


def shared_ancestor(left: CapacityAccount, right: CapacityAccount, levels: int) -> CapacityAccount | None:
    """Return a queue within some levels above both, None where there is none."""
    above = list(ancestors_within(left, levels))
    return next((each for each in ancestors_within(right, levels) if each in above), None)
