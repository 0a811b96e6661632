"""Reading what commands work on, with the what-if edits that are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from vqs.cli import inputs
from vqs.cli.groups import Edits
from vqs.cli.own_process import left_to_its_end
from vqs.cli.progress import Progress
from vqs.snapshot.reading.collector import paused_collector

if TYPE_CHECKING:
    from vqs.snapshot.reading.manifests import Manifests


_NAMED: Final = 3


def read(
    paths: Sequence[str], progress: Progress, conf: str | None, asked: Edits, **more: Any
) -> tuple[Manifests, Sequence[str]]:
    """Return what commands work on, and the edits that are made to it, as one would write them.

    `more` is as for `inputs.read`.
    """
    with paused_collector():
        manifests = left_to_its_end(inputs.read(paths, progress, conf, **more))
    if not asked:
        return manifests, ()
    from vqs.cli.edits import admitted, edited

    made = admitted(manifests, edited(manifests, asked), asked)
    return made.manifests, made.edits


def title(paths: Sequence[str], edits: Sequence[str], called: Mapping[str, str] = MappingProxyType({})) -> str:
    """Name what was read, and the edits that were made to it, in a few words."""
    named = inputs.title(paths, called)
    if not edits:
        return named
    return f"{named} with {', '.join(edits) if len(edits) <= _NAMED else f'{len(edits)} edits'}"
