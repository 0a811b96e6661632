"""What the API server takes of manifests that somebody applies: not what it and controllers write themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.snapshot.kinds import LISTS, key_of
from vqs.snapshot.overlay import keys
from vqs.snapshot.scenario.made import MadeDocument

if TYPE_CHECKING:
    from vqs.snapshot.manifests import Manifests


def as_applied(over: Manifests, under: Manifests) -> Manifests:
    """Return manifests without what the API server ignores when they are applied to what is there.

    An apply leaves status, uid and timestamps alone, so those of a stored object stay, and a new one has none. Two
    things that are new keep theirs: a node, as nothing else could say how large it is, and what a scenario stands for.
    Nor do manifests tell what time it is.
    """
    stored = set(keys(under))
    lists: dict[str, Any] = {
        list_name: [
            each
            if isinstance(origin.document, MadeDocument) and key_of(each) not in stored
            else _as_written(each, is_stored=key_of(each) in stored)
            for each, origin in zip(objects, over.origins[list_name], strict=True)
        ]
        for list_name in LISTS
        if (objects := getattr(over, list_name))
    }
    return replace(over, **lists, newest_timestamp=None if under.newest_timestamp else over.newest_timestamp)


def _as_written(typed: Any, *, is_stored: bool) -> Any:
    """Return an object without what only the API server and controllers write."""
    metadata = structs.replace(
        typed.metadata, uid="", creation_timestamp=None, deletion_timestamp=None, deletion_grace_period_seconds=None
    )
    status = getattr(typed, "status", None)
    if status is None or (isinstance(typed, k8s.Node) and not is_stored):
        return structs.replace(typed, metadata=metadata)
    return structs.replace(typed, metadata=metadata, status=type(status)())
