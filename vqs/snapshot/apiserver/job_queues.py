"""Which queues a Volcano Job can be submitted to: open ones without children; the root takes none in any case.

The webhook asks that of Volcano Jobs only. PodGroups are admitted to any open queue.
Reference: pkg/webhooks/admission/jobs/validate/admit_job.go in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from vqs.model.keys import DEFAULT_QUEUE
from vqs.model.kubernetes import Queue
from vqs.model.queue import OPEN, ROOT
from vqs.model.wording import first_names
from vqs.snapshot.reading.diagnostics import did_you_mean

_FEW: Final = 3


def leaf_queues(queues: Iterable[Queue]) -> list[str]:
    """The names of the open queues that take Jobs, sorted; the scheduler creates the default queue.

    >>> from vqs.model.kubernetes import ObjectMeta, QueueSpec
    >>> team, dev = Queue(metadata=ObjectMeta(name="team")), Queue(metadata=ObjectMeta(name="dev"))
    >>> dev.spec.parent = "team"
    >>> leaf_queues([team, dev])
    ['default', 'dev']
    """
    known = {DEFAULT_QUEUE: Queue(), **{each.metadata.name: each for each in queues}}
    parents = {ROOT, *(each.spec.parent for each in known.values())}
    return sorted(name for name, each in known.items() if name not in parents and each.status.state in ("", OPEN))


def queue_denial(queue: str, queues: Iterable[Queue]) -> str:
    """Why the webhook denies a new Job in a queue, and where it can go; empty where it admits the Job."""
    known = [*queues]
    leaves = leaf_queues(known)
    state = next((each.status.state for each in known if each.metadata.name == queue), "")
    children = sorted(each.metadata.name for each in known if each.spec.parent == queue)
    if state not in ("", OPEN):
        why = f"its state is {state}, not Open"
    elif queue == ROOT:
        why = "it is the root of all queues"
    elif queue != DEFAULT_QUEUE and all(each.metadata.name != queue for each in known):
        hint = did_you_mean(queue, leaves)
        why = f"it does not exist{f' ({hint})' if hint else ''}"
    elif children:
        why = f"it has child queues ({first_names(children, _FEW)})"
    else:
        return ""
    where = f"; open queues without children: {first_names(leaves, _FEW)}" if leaves else ""
    return f"a Job cannot be submitted to queue {queue}: {why}{where}"
