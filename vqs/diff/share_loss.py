"""What a queue that is worse off loses, as a part of what it deserved."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from vqs.diff.outcome import QueueDifference, QueueSide
from vqs.diff.queues import is_more
from vqs.explain.outcome import Amounts
from vqs.model.resource import PODS


class ShareLoss(NamedTuple):
    """A loss of one resource.

    Attributes:
        what: what falls: `allocated` or `deserved`.
        of: what it is a part of, in the base: `deserved`, or `allocated` where the queue deserved nothing.
        resource: the resource.
        before: the part in the base.
        after: the part in the candidate.
    """

    what: str
    of: str
    resource: str
    before: float
    after: float

    @property
    def by(self) -> float:
        """By how much the part falls."""
        return self.before - self.after


def share_loss(queue: QueueDifference) -> ShareLoss | None:
    """Return the largest loss of a queue; None for one that loses nothing that it needs.

    Only a queue that is marked as worse off, or is removed, loses anything: of a resource of which it is allocated
    less; where it is allocated the same, of one of which it deserves less, and less than it requests. Both sides are
    parts of what the queue deserved in the base: its share falls as well when it deserves more, which is no loss.
    """
    if queue.before is None or not (queue.change == "removed" or queue.effect in {"loses", "both"}):
        return None
    after = queue.after
    allocated = after.allocated if after else {}
    losses = list(_falls(queue.before, "allocated", queue.before.allocated, allocated))
    if after and not losses:
        wanted: Amounts = {
            name: min(_of(queue.before.deserved, name), _of(after.request, name)) for name in after.request
        }
        losses = list(_falls(queue.before, "deserved", wanted, after.deserved))
    return max(losses, key=lambda each: each.by, default=None)


def _falls(base: QueueSide, what: str, one: Amounts, other: Amounts) -> Iterator[ShareLoss]:
    """Yield the resources of which there is less in the second amounts."""
    for resource in sorted(one.keys() - {PODS}):
        before, after = _of(one, resource), _of(other, resource)
        if not is_more(before, after):
            continue
        of = "deserved" if _of(base.deserved, resource) else "allocated"
        whole = _of(getattr(base, of), resource)
        if math.isfinite(whole):
            yield ShareLoss(what, of, resource, before / whole, after / whole)


def _of(amounts: Amounts, resource: str) -> float:
    """Return an amount: a missing one is nothing, an unlimited one more than any."""
    value = amounts.get(resource, 0.0)
    return math.inf if value is None else value
