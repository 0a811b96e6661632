"""What a queue is once it is stored, and what changes with an update of it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from vqs.model.keys import LAST_APPLIED
from vqs.model.kubernetes import NotGiven, Queue, QueueSpec, QueueStatus, ResourceList
from vqs.snapshot.apiserver.queue_faults import CAPABILITY, DESERVED, GUARANTEE, exact
from vqs.snapshot.cluster.hierarchy_paths import PATH, WEIGHTS, stored_path, stored_weights
from vqs.snapshot.reading.diagnostics import Path


def as_created(queue: Queue) -> Queue:
    """Return a new queue as it is stored: a submitted one has no status."""
    annotations = _stored_annotations(queue)
    return replace(queue, metadata=replace(queue.metadata, annotations=annotations), status=QueueStatus())


def _stored_annotations(queue: Queue) -> dict[str, str]:
    annotations = queue.metadata.annotations
    path, weights = annotations.get(PATH, ""), annotations.get(WEIGHTS, "")
    if stored_path(path, weights) == path:
        return annotations
    return {**annotations, PATH: stored_path(path, weights), WEIGHTS: stored_weights(path, weights)}


def changed_amounts(queue: Queue, stored: Queue | None) -> list[Path]:
    """Return which of the three resource lists differ, by their paths."""
    new = _lists(queue)
    old = _lists(stored) if stored is not None else {path: {} for path in new}
    return [path for path, amounts in new.items() if exact(amounts) != exact(old[path])]


def _lists(queue: Queue) -> dict[Path, ResourceList]:
    spec = queue.spec
    return {CAPABILITY: spec.capability, DESERVED: spec.deserved, GUARANTEE: spec.guarantee.resource}


def is_update(new: Queue, old: Queue) -> bool:
    """Tell whether anything changes that is not up to the cluster, however little the webhook makes of it."""
    return (
        _spec(new) != _spec(old)
        or _empties_differ(new, old)
        or any(
            _annotated(left, right, kept=bool(old.metadata.uid))
            for left, right in (
                (new.metadata.labels, old.metadata.labels),
                (_stored_annotations(new), _stored_annotations(old)),
            )
        )
    )


def _empties_differ(new: Queue, old: Queue) -> bool:
    """Tell whether one queue has ``{}`` where another one has no such field; what Go has stored has it of itself."""
    written, stored = (
        {path for path, amounts in _lists(queue).items() if not isinstance(amounts, NotGiven)} for queue in (new, old)
    )
    return bool(written - stored if old.metadata.uid else written ^ stored)


def _spec(queue: Queue) -> QueueSpec:
    """Return the spec as a new queue gets it: where it does not say so, it may be reclaimed from."""
    return replace(queue.spec, reclaimable=queue.spec.reclaimable is not False)


def _annotated(new: Mapping[str, str], old: Mapping[str, str], *, kept: bool) -> bool:
    """Tell whether labels or annotations change.

    Args:
        new: those that are wanted.
        old: those that are stored.
        kept: whether what only the cluster has is by others than who writes the manifest, and stays.
    """
    names = {*new, *(name for name in old if not kept or name in (PATH, WEIGHTS))} - {LAST_APPLIED}
    return any(new.get(name) != old.get(name) for name in names)
