"""Where in the files of a side stands what is said about it: a reviewer sees it beside the change.

Only the files that make the side are looked at, not the snapshot that both have in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from vqs.diff.outcome import Diff, JobDifference, JobSide
from vqs.diff.run import Input
from vqs.snapshot.diagnostics import Path, Position
from vqs.snapshot.documents import Origin
from vqs.snapshot.kinds import name_of

_NAME: Final = ("metadata", "name")
_WRITTEN: Final = ("spec", "metadata")
"""The parts of an object that people write, with what decides most first."""

_BY_THE_CLUSTER: Final = frozenset(
    {"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "ownerReferences"}
)
_OF_JOBS: Final = ("volcano_jobs", "pod_groups", "deployments", "jobs", "workloads")


def locate(diff: Diff, before: Input, after: Input) -> None:
    """Tell of both sides of queues and jobs that differ where they stand, and where the configuration does."""
    for side, given, get in ((diff.before, before, "before"), (diff.after, after, "after")):
        places = _Places(given, after if given is before else before)
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
                told.file, told.line = places.of_job(job, told)


class _Places:
    """The objects of a side by list and name, as far as they stand in its own files."""

    def __init__(self, side: Input, other: Input) -> None:
        self.side = side
        self.other = other
        self.files = frozenset(side.files)
        self._known: dict[str, Mapping[str, int]] = {}
        self._opposite: dict[str, Mapping[str, Any]] = {}

    def is_own(self, file: str) -> bool:
        """Tell whether a file is one of the side's own."""
        return file in self.files

    def find(self, list_names: tuple[str, ...], name: str) -> tuple[str, int | None]:
        """Return the file of an object, and the line in which it differs from the other side, else that of its name.

        The file is empty where the object stands in none of the side's own.
        """
        for list_name in list_names:
            index = self._of(list_name).get(name)
            if index is not None:
                origin = self.side.manifests.origins[list_name][index]
                return origin.document.source.name, self._line(list_name, index, name, origin)
        return "", None

    def of_job(self, job: JobDifference, told: JobSide) -> tuple[str, int | None]:
        """Return the file and line of a job: of what it is called after, else of its PodGroup."""
        names = [job.owner.name] if job.owner is not None else []
        found = (self.find(_OF_JOBS, f"{job.namespace}/{name}") for name in (*names, told.pod_group))
        return next((each for each in found if each[0]), ("", None))

    def _line(self, list_name: str, index: int, name: str, origin: Origin) -> int:
        other = self._others(list_name).get(name)
        if other is not None:
            own, known = (msgspec.to_builtins(each) for each in (getattr(self.side.manifests, list_name)[index], other))
            for part in _WRITTEN:
                paths = _differing(own.get(part), known.get(part), (part,))
                lines = [origin.position(path).line for path in paths]
                if lines:
                    return min(lines)
        return origin.position(_NAME).line

    def _others(self, list_name: str) -> Mapping[str, Any]:
        """Return the objects of the other side by name."""
        if list_name not in self._opposite:
            objects = getattr(self.other.manifests, list_name)
            self._opposite[list_name] = {name_of(each): each for each in objects}
        return self._opposite[list_name]

    def _of(self, list_name: str) -> Mapping[str, int]:
        if list_name not in self._known:
            self._known[list_name] = {
                name_of(typed): index
                for index, (typed, origin) in enumerate(self.side.manifests.with_origins(list_name))
                if self.is_own(origin.document.source.name)
            }
        return self._known[list_name]


def _differing(one: object, other: object, path: Path) -> Iterator[Path]:
    """Yield the paths of the values that are not the same, but for what the cluster sets; of lists, item by item."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys((*one, *other)):
            if path != ("metadata",) or key not in _BY_THE_CLUSTER:
                yield from _differing(one.get(key), other.get(key), (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from _differing(*pair, (*path, index))
    elif one != other:
        yield path
