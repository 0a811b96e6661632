"""Pods of other schedulerNames that the simulated scheduler takes: here they are all called after the usual one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from vqs.model import kubernetes as k8s
from vqs.model.keys import SCHEDULER_NAME
from vqs.snapshot.reading.kinds import KIND_OF
from vqs.snapshot.reading.manifests import Manifests

_NOT_THIS: Final = f"{SCHEDULER_NAME} (another scheduler)"
"""What pods of the usual schedulerName are called where the scheduler has other names only."""


def take_names(manifests: Manifests, names: tuple[str, ...]) -> None:
    """Take the pods of some schedulerNames for those of the simulated scheduler, with the workloads set aside."""
    if manifests.named == names:
        return
    manifests.named = names
    kept = []
    for typed, origin in manifests.aside:
        if typed.spec.template.spec.scheduler_name in names:
            list_name = KIND_OF[type(typed)].list_name
            getattr(manifests, list_name).append(typed)
            manifests.origins.setdefault(list_name, []).append(origin)
        else:
            kept.append((typed, origin))
    manifests.aside = kept
    seen: set[int] = set()
    for spec in _specs(manifests):
        if id(spec) not in seen:
            seen.add(id(spec))
            spec.scheduler_name = called(spec.scheduler_name, names)
    for job in manifests.volcano_jobs:
        job.spec.scheduler_name = called(job.spec.scheduler_name or SCHEDULER_NAME, names)


def called(name: str, names: tuple[str, ...]) -> str:
    """What the scheduler of a pod is called here, where the simulated one has some names."""
    if name in names:
        return SCHEDULER_NAME
    return _NOT_THIS if name == SCHEDULER_NAME else name


def _specs(manifests: Manifests) -> Iterator[k8s.PodSpec]:
    for pod in manifests.pods:
        yield pod.spec
    for each in (*manifests.deployments, *manifests.jobs, *manifests.workloads):
        if not isinstance(each, k8s.ReplicationController):
            yield each.spec.template.spec
    for job in manifests.volcano_jobs:
        yield from (task.template.spec for task in job.spec.tasks if task.template.spec.scheduler_name)
