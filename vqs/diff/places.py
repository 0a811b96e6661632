"""Where in the files of a side stands what is said about it: a reviewer sees it beside the change.

Only the files that make the side are looked at, not the snapshot that both have in common.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vqs.diff.outcome import Diff
from vqs.diff.run import Input
from vqs.snapshot.diagnostics import Position
from vqs.snapshot.kinds import name_of

_NAME: Final = ("metadata", "name")
_OF_JOBS: Final = ("volcano_jobs", "pod_groups", "deployments", "jobs", "workloads")


def locate(diff: Diff, before: Input, after: Input) -> None:
    """Tell of both sides of queues and jobs that differ where they stand, and where the configuration does."""
    for side, given, get in ((diff.before, before, "before"), (diff.after, after, "after")):
        places = _Places(given)
        if given.manifests.conf is not None and places.is_own(given.manifests.conf.document.source.name):
            side.conf_file = given.manifests.conf.document.source.name
            side.conf_line = given.manifests.conf.position(Position(1, 1)).line
        for queue in diff.queues:
            shown = getattr(queue, get)
            if shown is not None and queue.change != "same":
                shown.file, shown.line = places.find(("queues",), queue.name)
        for job in diff.jobs:
            told = getattr(job, get)
            if told is not None:
                told.file, told.line = places.find(_OF_JOBS, f"{job.namespace}/{job.name}")


class _Places:
    """The objects of a side by list and name, as far as they stand in its own files."""

    def __init__(self, side: Input) -> None:
        self.side = side
        self.files = frozenset(side.files)
        self._known: dict[str, Mapping[str, int]] = {}

    def is_own(self, file: str) -> bool:
        """Tell whether a file is one of the side's own."""
        return file in self.files

    def find(self, list_names: tuple[str, ...], name: str) -> tuple[str, int | None]:
        """Return the file and line of an object; an empty name where it stands in none of the side's own files."""
        for list_name in list_names:
            index = self._of(list_name).get(name)
            if index is not None:
                origin = self.side.manifests.origins[list_name][index]
                return origin.document.source.name, origin.position(_NAME).line
        return "", None

    def _of(self, list_name: str) -> Mapping[str, int]:
        if list_name not in self._known:
            self._known[list_name] = {
                name_of(typed): index
                for index, (typed, origin) in enumerate(self.side.manifests.with_origins(list_name))
                if self.is_own(origin.document.source.name)
            }
        return self._known[list_name]
