"""Where jobs come from: the controllers of their PodGroups, as far as the snapshot has them or names them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from shlex import quote
from typing import Any, Final

import msgspec

from vqs.model import kubernetes as k8s
from vqs.model.job_name import JobName, jobs_called, named_after_owners
from vqs.model.wording import first_names
from vqs.snapshot.reading.diagnostics import did_you_mean
from vqs.snapshot.reading.kinds import KINDS, group_of
from vqs.snapshot.reading.manifests import Controlled, Manifests

_HIGHEST: Final = 16
"""More controllers are not looked for above a job."""

_CONTROLLERS: Final = frozenset({"deployments", "jobs", "volcano_jobs", "workloads"})


def job_names(manifests: Manifests) -> dict[str, JobName]:
    """What the jobs of a snapshot are called, by the namespace and name of their PodGroups."""
    owners = Owners(manifests)
    return named_after_owners(
        {each.metadata.key: tuple(owners.above(each.metadata))[::-1] for each in manifests.pod_groups}
    )


def controllers(manifests: Manifests) -> dict[Controlled, k8s.OwnerReference]:
    """What controls the objects that may control a PodGroup, but for pods."""
    return {**manifests.controlled, **dict(_known(manifests, _CONTROLLERS))}


def controller_in(value: dict[str, Any]) -> tuple[Controlled, k8s.OwnerReference] | None:
    """An object of a kind that is not used, and what controls it; None where nothing does."""
    try:
        each = msgspec.convert(value, _Unused)
    except msgspec.ValidationError:
        return None
    owner = _owner(each.metadata.owner_references)
    if owner is None:
        return None
    return (group_of(each.api_version), each.kind, each.metadata.namespace, each.metadata.name), owner


def unknown_job(name: str, names: Iterable[JobName]) -> str:
    """What was probably meant by the name of a job that there is not; empty where nothing is much like it."""
    known = list(names)
    elsewhere = jobs_called(name.partition("/")[2], known) if "/" in name else []
    if elsewhere:
        return f"it is in another namespace: {first_names(sorted({quote(each.display) for each in elsewhere}))}"
    spellings = (text for each in known for text in (each.display, each.uid))
    short = (text.partition("/")[2] for each in known for text in (each.display, each.uid))
    return did_you_mean(name, dict.fromkeys(spellings if "/" in name else short))


class _UnusedMeta(msgspec.Struct, rename="camel"):
    name: str
    namespace: str = ""
    owner_references: list[k8s.OwnerReference] = []


class _Unused(msgspec.Struct, rename="camel"):
    """What matters of an object of a kind that is not used: who made it."""

    api_version: str
    kind: str
    metadata: _UnusedMeta


def _owner(references: list[k8s.OwnerReference]) -> k8s.OwnerReference | None:
    """The controller among the owners; some operators mark none, and mean the first."""
    return next((each for each in references if each.controller), references[0] if references else None)


class Owners:
    """Finds the controllers above an object."""

    def __init__(self, manifests: Manifests) -> None:
        self._manifests = manifests

    def above(self, metadata: k8s.ObjectMeta) -> Iterator[k8s.OwnerReference]:
        """Yield the controllers of an object, the nearest first; of those that own one another, each once."""
        owner = _owner(metadata.owner_references)
        seen: set[Controlled] = set()
        while owner is not None and len(seen) < _HIGHEST:
            key = group_of(owner.api_version), owner.kind, metadata.namespace, owner.name
            if key in seen:
                return
            seen.add(key)
            yield owner
            owner = (self._of_pods if owner.kind == "Pod" else self._of_controllers).get(key)

    @cached_property
    def _of_controllers(self) -> dict[Controlled, k8s.OwnerReference]:
        return controllers(self._manifests)

    @cached_property
    def _of_pods(self) -> dict[Controlled, k8s.OwnerReference]:
        return dict(_known(self._manifests, frozenset({"pods"})))


def _known(manifests: Manifests, list_names: frozenset[str]) -> Iterator[tuple[Controlled, k8s.OwnerReference]]:
    """Yield the objects of some lists that something controls, with what does."""
    kinds = {kind.type: kind for kind in KINDS.values() if kind.list_name in list_names}
    for list_name in sorted(list_names):
        for each in getattr(manifests, list_name):
            owner, kind = _owner(each.metadata.owner_references), kinds[type(each)]
            if owner is not None:
                yield (kind.group, kind.name, each.metadata.namespace, each.metadata.name), owner
