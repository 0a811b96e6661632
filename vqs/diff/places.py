"""Where in the files of a side the objects and settings are that differ: reviewers see differences beside the change.

Only the files that make the side are looked at, not the snapshot that both have in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from vqs.diff.outcome import Diff, JobDifference, JobSide
from vqs.diff.run import Input
from vqs.diff.settings import Setting, path_of
from vqs.snapshot.reading.configuration.read import position_in, root_of
from vqs.snapshot.reading.diagnostics import Path, Position
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import name_of

_NAME: Final = ("metadata", "name")
_WRITTEN: Final = ("spec", "metadata")
"""The parts of an object that people write, with what decides most first."""

_BY_THE_CLUSTER: Final = frozenset(
    {"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "ownerReferences"}
)
_OF_JOBS: Final = ("volcano_jobs", "pod_groups", "deployments", "jobs", "workloads")


def locate(diff: Diff, before: Input, after: Input) -> None:
    """Set the file and line of queues and jobs that differ, on both sides, and those of the configuration."""
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
            shown_job = getattr(job, get)
            if shown_job is not None:
                shown_job.file, shown_job.line = places.of_job(job, shown_job)


def locate_settings(diff: Diff, after: Input, settings: Mapping[str, Setting]) -> None:
    """Set the lines of settings that differ, as far as the candidate's configuration is in one of its own files."""
    conf = after.manifests.conf
    root = root_of(conf) if conf is not None and diff.after.conf_file else None
    if conf is None or root is None:
        return
    for each in diff.settings:
        each.line = conf.position(position_in(root, path_of(each.key, settings), key=True)).line


class _Places:
    """The objects of a side by list and name, as far as they are in its own files."""

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

        The file is empty where the object is in none of the side's own.
        """
        for list_name in list_names:
            index = self._of(list_name).get(name)
            if index is not None:
                origin = self.side.manifests.origins[list_name][index]
                return origin.document.source.name, self._line(list_name, index, name, origin)
        return "", None

    def of_job(self, job: JobDifference, side: JobSide) -> tuple[str, int | None]:
        """Return the file and line of a job: of what it is called after, else of its PodGroup."""
        names = [job.owner.name] if job.owner is not None else []
        found = (self.find(_OF_JOBS, f"{job.namespace}/{name}") for name in (*names, side.pod_group))
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
