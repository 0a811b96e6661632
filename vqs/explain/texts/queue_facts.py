"""What is said of a queue beside its figures: the share that it holds, and what is set on it or unusual about it."""

from __future__ import annotations

from vqs.explain.amounts import change, percent
from vqs.explain.outcome import QueueResult
from vqs.model.queue import OPEN
from vqs.model.resource import PODS


def queue_facts(
    queue: QueueResult, *, is_divided: bool, is_tree: bool, is_parent: bool, has_share: bool = True
) -> list[str]:
    """Return what is said of a queue.

    The share of a queue above others is not kept up to date while a session runs, so only the first one is said. With
    capacity, weights mean nothing, and a queue that deserves nothing has a share as if it held all that it deserves.

    Args:
        queue: the queue.
        is_divided: whether the cluster is divided among queues by their weights.
        is_tree: whether queues are drawn as a tree, which shows the parent of each.
        is_parent: whether there are queues below it.
        has_share: whether what it holds says anything; where nothing is scheduled, it does not.
    """
    share = share_held(queue)
    if not is_divided and not any(value for name, value in queue.opened.deserved.items() if name != PODS):
        share = "deserves nothing"
    elif is_parent:
        share = f"when the session opened, it held {percent(queue.opened.share)} of what it deserves"
    dull = (OPEN, *["child of "] * is_tree, *["weight "] * (not is_divided))
    return [*[share] * has_share, *(fact for fact in settings(queue) if not fact.startswith(dull))]


def share_held(queue: QueueResult) -> str:
    """Write what part of its deserved share a queue holds, before and after, and what it has with what is reserved."""
    name, part = queue.largest_part(queue.held)
    if queue.deserves_nothing or not name:
        return "deserves nothing"
    before = (queue.opened.allocated.get(name) or 0.0) / (queue.opened.deserved[name] or 1.0)
    held = percent(part)
    reserved, with_it = queue.largest_part(queue.closed.allocated)
    of = "number of pods" if name == PODS else name
    said = f"holds {change(percent(before), held)} of the {of} that it deserves"
    if percent(with_it) == held:
        return said
    return f"{said}, {percent(with_it)}{'' if reserved == name else f' of the {reserved}'} with what is reserved"


def settings(queue: QueueResult) -> list[str]:
    """Return what is set on a queue, and what is unusual about it."""
    unusual = {
        f"priority {queue.priority}": bool(queue.priority),
        f"child of {queue.parent}": bool(queue.parent),
        "not reclaimable": not queue.reclaimable,
        "overused at session end (gets no more)": queue.closed.overused,
    }
    return [f"weight {queue.weight}", queue.state, *(fact for fact, holds in unusual.items() if holds)]
