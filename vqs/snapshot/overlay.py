"""Laying manifests over others: an object takes the place of the one of its kind and name, a configuration likewise.

The given manifests stay as they are. What Volcano's controller would pass on at once is passed on: a Volcano Job that
takes the place of another one changes its PodGroup, and loses the pods that are too many.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from msgspec import structs

from vqs.snapshot.config_text import configurations_of
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.editing.draft import Draft
from vqs.snapshot.editing.owners import scale_volcano_job
from vqs.snapshot.kinds import KINDS, key_of, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.model import kubernetes as k8s
    from vqs.snapshot.documents import Origin
    from vqs.snapshot.manifests import Manifests

LISTS: Final = tuple(dict.fromkeys(kind.list_name for kind in KINDS.values()))
"""The lists of objects in manifests."""

_WAITING: Final = ("", "Pending")


def overlay(under: Manifests, over: Manifests) -> Manifests:
    """Return some manifests with others laid over them."""
    draft = _based_on(under, over)
    for list_name in LISTS:
        places = {key_of(each): index for index, each in enumerate(draft.objects(list_name))}
        for new, origin in _objects(over, list_name):
            if key_of(new) in places:
                draft.put(list_name, places[key_of(new)], new)
                draft.manifests.origins[list_name][places[key_of(new)]] = origin
            else:
                draft.add(list_name, new, origin)
    _drop_configurations(draft, over)
    for job in over.volcano_jobs:
        _pass_on(draft, job)
    return draft.manifests


def added(under: Manifests, over: Manifests) -> Manifests:
    """Return some manifests with more objects.

    Raises:
        InputErrors: some are there already.
    """
    repeated = [
        origin.diagnostic("duplicate-object", f"there is a {type(new).__name__} {name_of(new)} already")
        for list_name in LISTS
        for new, origin in _objects(over, list_name)
        if key_of(new) in {key_of(each) for each in getattr(under, list_name)}
    ]
    if over.conf is not None and under.conf is not None:
        message = "there is a scheduler configuration already"
        repeated.append(Diagnostic(code="duplicate-object", severity="error", message=message, file=over.conf.name))
    if repeated:
        raise InputErrors(repeated)
    return overlay(under, over)


def names(manifests: Manifests) -> Iterator[tuple[str, str]]:
    """Yield the kind and name of every object."""
    for list_name in LISTS:
        for each in getattr(manifests, list_name):
            yield type(each).__name__, name_of(each)


def _objects(manifests: Manifests, list_name: str) -> list[tuple[Any, Origin]]:
    return list(zip(getattr(manifests, list_name), manifests.origins.get(list_name, ()), strict=True))


def _based_on(under: Manifests, over: Manifests) -> Draft:
    times = [each.newest_timestamp for each in (under, over) if each.newest_timestamp is not None]
    return Draft(
        replace(
            under,
            conf=over.conf or under.conf,
            ignored=dict(sorted((Counter(under.ignored) + Counter(over.ignored)).items())),
            notes=list(dict.fromkeys([*under.notes, *over.notes])),
            newest_timestamp=max(times, default=None),
            scenarios=[*over.scenarios, *under.scenarios],
            expectations=[*under.expectations, *over.expectations],
        )
    )


def _drop_configurations(draft: Draft, over: Manifests) -> None:
    """Remove the ConfigMaps with the configuration that another one takes the place of."""
    if over.conf is None:
        return
    own = {id(each) for each in over.config_maps}
    origins = draft.manifests.origins.get("config_maps", [])
    old = [
        index
        for index, each in enumerate(draft.objects("config_maps"))
        if id(each) not in own and configurations_of(each, origins[index])
    ]
    draft.remove("config_maps", old)


def _pass_on(draft: Draft, job: k8s.VolcanoJob) -> None:
    """Change what a Volcano Job controls as its controller would."""
    places = {key_of(each): index for index, each in enumerate(draft.objects("volcano_jobs"))}
    index = places[key_of(job)]
    for number, task in enumerate(job.spec.tasks):
        scale_volcano_job(draft, index, task.name or f"default{number}", task.replicas)
    for at in list(draft.indexes("pod_groups", lambda each: _is_of(each, job))):
        group: k8s.PodGroup = draft.objects("pod_groups")[at]
        if group.status.phase in _WAITING:
            draft.remove("pod_groups", [at])  # it is made again
            continue
        minimum = job.spec.min_available or sum(task.replicas for task in job.spec.tasks)
        of_tasks = {task.name: task.min_available or 0 for task in job.spec.tasks if task.name}
        spec = structs.replace(group.spec, min_member=minimum, min_task_member=of_tasks)
        draft.put("pod_groups", at, structs.replace(group, spec=spec))


def _is_of(group: k8s.PodGroup, job: k8s.VolcanoJob) -> bool:
    owner = controller_of(group.metadata)
    named = owner is not None and (owner.kind, owner.name) == ("Job", job.metadata.name)
    return named and group.metadata.namespace == job.metadata.namespace
