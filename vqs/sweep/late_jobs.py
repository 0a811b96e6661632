"""Jobs that arrive later than the start: sessions do not have them, and edits cannot change them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from vqs.snapshot.editing.targets import is_kind, kinds_of
from vqs.snapshot.scenario.arriving import arrives
from vqs.sweep.plan import Base
from vqs.sweep.workload_jobs import NUMBERED, WorkloadJobs

_EDIT: Final = re.compile(r"\s*(?:(?P<verb>scale|remove|set)\s+)?(?:(?P<word>[^/=\s]+)/)?(?P<rest>.*)", re.DOTALL)
_JOBS: Final = frozenset({"Job", "PodGroup"})
"""The kinds of what may be a job to the scheduler."""
_ENDS: Final = re.compile(r"[.:=\[]|$")


def late_job(name: str, bases: Iterable[Base]) -> bool:
    """Tell whether a job of a name, with its namespace or without, arrives later than the start of a base."""
    match = NUMBERED.fullmatch(name)
    asked = {name, *([match["name"]] if match else ())}
    return any(asked.intersection(_spellings(key)) for base in bases for key in _late(base, name))


def late_job_in(edit: str, bases: Iterable[Base]) -> str:
    """Return the job that an edit is about and that arrives later; empty where there is no such job."""
    match = _EDIT.fullmatch(edit)
    if match is None:
        return ""
    word, rest = match["word"] or "", match["rest"]
    if match["verb"] == "scale" and not is_kind(word):
        rest = f"{word}/{rest}" if word else rest
    elif not is_kind(word) or _JOBS.isdisjoint(kind.name for kind in kinds_of(word)):
        return ""
    names = (rest[: end.start()] for end in _ENDS.finditer(rest))
    return next((name for name in names if late_job(name, bases)), "")


def _late(base: Base, name: str) -> Iterator[str]:
    """Yield the namespaces and names of late jobs; of jobs that arrive again and again, those of their template.

    Those of scenarios are known also where these are read as snapshots.
    """
    for job in (job for scenario in base.manifests.scenarios for job in scenario.jobs):
        is_numbered = name.rpartition("/")[2] not in job.names
        if arrives(job.entry) and ("arrivals" in job.entry or not is_numbered):
            yield from (f"{job.namespace}/{each}" for each in job.names)
    if base.workload is not None:
        yield from WorkloadJobs(base.workload).arriving()


def _spellings(key: str) -> tuple[str, str]:
    return key, key.rpartition("/")[2]
