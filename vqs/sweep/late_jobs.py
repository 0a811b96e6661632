"""Jobs that arrive later than the start: sessions do not have them, and edits cannot change them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Final

from vqs.snapshot.scenario.arriving import arrives
from vqs.snapshot.whatif.targets import is_kind, kinds_of
from vqs.sweep.plan import Base
from vqs.sweep.workload_jobs import NUMBERED, WorkloadJobs

_EDIT: Final = re.compile(r"\s*(?:(?P<verb>scale|remove|set)\s+)?(?:(?P<word>[^/=\s]+)/)?(?P<rest>.*)", re.DOTALL)
_JOBS: Final = frozenset({"Job", "PodGroup"})
"""The kinds of what may be a job to the scheduler."""
_ENDS: Final = re.compile(r"[.:=\[]|$")


class LateJobs:
    """The late jobs of some bases; they are looked for once, when one is asked for.

    Those of scenarios are known also where these are read as snapshots.
    """

    def __init__(self, bases: Iterable[Base]) -> None:
        self._bases = tuple(bases)

    def has(self, name: str) -> bool:
        """Tell whether a job of a name, with its namespace or without, is one of them."""
        match = NUMBERED.fullmatch(name)
        return name in self._names or name in self._templates or bool(match and match["name"] in self._templates)

    def in_edit(self, edit: str) -> str:
        """Return the one that an edit is about; empty where it is about none."""
        match = _EDIT.fullmatch(edit)
        if match is None:
            return ""
        word, rest = match["word"] or "", match["rest"]
        if match["verb"] == "scale" and not is_kind(word):
            rest = f"{word}/{rest}" if word else rest
        elif not is_kind(word) or _JOBS.isdisjoint(kind.name for kind in kinds_of(word)):
            return ""
        names = (rest[: end.start()] for end in _ENDS.finditer(rest))
        return next(filter(self.has, names), "")

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names of jobs that arrive once."""
        workloads = (each.workload for each in self._bases if each.workload is not None)
        arriving = (key for each in workloads for key in WorkloadJobs(each).arriving())
        return frozenset(text for key in chain(self._planned(again=False), arriving) for text in _spellings(key))

    @cached_property
    def _templates(self) -> frozenset[str]:
        """The names of the templates of jobs that arrive again and again, which have numbers behind theirs."""
        return frozenset(text for key in self._planned(again=True) for text in _spellings(key))

    def _planned(self, *, again: bool) -> Iterator[str]:
        for job in (job for base in self._bases for scenario in base.manifests.scenarios for job in scenario.jobs):
            if arrives(job.entry) and ("arrivals" in job.entry) is again:
                yield from (f"{job.namespace}/{each}" for each in job.names)


def _spellings(key: str) -> tuple[str, str]:
    return key, key.rpartition("/")[2]
