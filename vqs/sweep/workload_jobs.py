"""What the jobs of a workload are called: those that are there at the start, and those that arrive.

Sessions do not have jobs that arrive later than the start, and edits cannot change them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import Final

from vqs.model import kubernetes as k8s
from vqs.model.job import JobName
from vqs.replay.generator import Template
from vqs.replay.workload import Gang, Workload
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.controllers.job import group_name, job_names, owned_by
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.scenario.jobs import arrives
from vqs.snapshot.whatif.targets import is_kind, kinds_of
from vqs.sweep.plan import Base

NUMBERED: Final = re.compile(r"(?P<name>.+)-(?P<number>0|[1-9][0-9]{0,5})", re.ASCII)
"""The name of a job that a template makes; the numbers count from 0."""


class WorkloadJobs:
    """The jobs of a workload by their names.

    Jobs that templates make are as many as a run lasts; they are known one by one, for a name that is asked for.
    """

    def __init__(self, workload: Workload) -> None:
        self.workload = workload

    def names(self, start: Manifests, others: Iterable[str] = ()) -> list[JobName]:
        """Return what all jobs are called."""
        at_start, (groups, jobs) = complete(start), self._arriving
        known = {each.metadata.key for each in (*at_start.pod_groups, *groups)}
        made = [_group(*each.partition("/")[::2]) for each in others if each not in known]
        together = replace(
            at_start,
            pod_groups=[*at_start.pod_groups, *groups, *made],
            volcano_jobs=[*at_start.volcano_jobs, *jobs],
        )
        return [*job_names(together).values()]

    def made(self, name: str, seeds: Iterable[int]) -> Iterator[str]:
        """Yield the namespaces and names of jobs called so that templates make in runs with some seeds."""
        namespace, _, short = name.rpartition("/")
        match = NUMBERED.fullmatch(short)
        if match is None:
            return
        for each in self.workload.generators:
            if not isinstance(each, Template) or each.job.metadata.name != match["name"]:
                continue
            own = each.job.metadata
            moments = (islice(each.process.moments(seed, own.key), int(match["number"]), None) for seed in seeds)
            if namespace in ("", own.namespace) and any(next(left, None) is not None for left in moments):
                yield f"{own.namespace}/{short}"

    def arriving(self) -> Iterator[str]:
        """Yield the namespaces and names of the jobs that arrive, but for those of templates."""
        groups, jobs = self._arriving
        yield from (each.metadata.key for each in groups)
        yield from (each.metadata.key for each in jobs)

    @cached_property
    def _arriving(self) -> tuple[list[k8s.PodGroup], list[k8s.VolcanoJob]]:
        """The PodGroups of all jobs that arrive, but for those of templates; and the Volcano Jobs among them."""
        groups, jobs = [], []
        for arrival in self.workload.arrivals:
            if isinstance(arrival.job, Gang):
                groups.append(arrival.job.group)
            else:
                groups.append(_group(arrival.job.metadata.namespace, group_name(arrival.job), owned_by(arrival.job)))
                jobs.append(arrival.job)
        return groups, jobs


def _group(namespace: str, name: str, *owners: k8s.OwnerReference) -> k8s.PodGroup:
    return k8s.PodGroup(metadata=k8s.ObjectMeta(name=name, namespace=namespace, owner_references=[*owners]))


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
        keys = chain(self._planned(again=False), arriving)
        return frozenset(text for key in keys for text in (key, key.rpartition("/")[2]))

    @cached_property
    def _templates(self) -> frozenset[str]:
        """The names of the templates of jobs that arrive again and again, which have numbers behind theirs."""
        return frozenset(text for key in self._planned(again=True) for text in (key, key.rpartition("/")[2]))

    def _planned(self, *, again: bool) -> Iterator[str]:
        for job in (job for base in self._bases for scenario in base.manifests.scenarios for job in scenario.jobs):
            if arrives(job.entry) and ("arrivals" in job.entry) is again:
                yield from (f"{job.namespace}/{each}" for each in job.names)
