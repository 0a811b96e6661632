"""Objects that a controller writes: what a change says of them is undone, or may be.

References: pkg/controllers/job/job_controller_actions.go (shouldUpdateExistingPodGroup) in volcano-sh/volcano;
pkg/controller/deployment/sync.go (scale) and pkg/controller/garbagecollector in kubernetes/kubernetes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.snapshot.controllers.job import brought_up_to_date
from vqs.snapshot.controllers.upkeep.applied import Applied, Change
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import KIND_OF, key_of, name_of

WRITTEN_BACK: Final = "written-back"
OWNER_CHANGED: Final = "owner-changed"
_OF_VOLCANO: Final = "batch.volcano.sh/"
_SPEC: Final = ("spec",)
_OWNERS: Final = ("metadata", "ownerReferences")


def settle_pod_groups(change: Applied) -> None:
    """Undo what a change says of the PodGroup of a Volcano Job, as far as the Job's controller writes it."""
    jobs = {each.metadata.key: each for each in change.editor.manifests.volcano_jobs}
    priorities = {each.metadata.name: each.value for each in change.editor.manifests.priority_classes}
    for index, _, old, origin in change.places("pod_groups"):
        group: k8s.PodGroup = change.editor.objects("pod_groups")[index]
        owner = None if old is None else controller_of(old.metadata)
        if owner is None or owner.kind != "Job" or not owner.api_version.startswith(_OF_VOLCANO):
            continue
        job = jobs.get(f"{group.metadata.namespace}/{owner.name}")
        if job is None:
            if group.spec != old.spec:
                change.editor.note(_kept(group, owner, "may be undone: the Job is not in the snapshot", origin))
            continue
        kept = brought_up_to_date(group, job, lambda name: priorities.get(name, 0), change.editor.manifests.profile)
        kept = structs.replace(kept, metadata=structs.replace(kept.metadata, owner_references=[*_owners_of(old)]))
        if group.spec not in (kept.spec, old.spec):
            change.editor.note(_kept(group, owner, "is undone: its controller writes it", origin))
            change.editor.put("pod_groups", index, kept)


def tell_of_owned(list_name: str) -> Callable[[Applied], None]:
    """Return what tells of changed objects of a list that something else keeps, such as a Deployment its ReplicaSet."""

    def tell(change: Applied) -> None:
        for index, _, old, origin in change.places(list_name):
            each = change.editor.objects(list_name)[index]
            owner = None if old is None else controller_of(old.metadata)
            if owner is not None and each.spec != old.spec:
                change.editor.note(_kept(each, owner, "may be undone by its controller", origin))

    return tell


def _owners_of(typed: Any) -> list[k8s.OwnerReference]:
    owners: list[k8s.OwnerReference] = typed.metadata.owner_references
    return owners


def _kept(typed: Any, owner: k8s.OwnerReference, what: str, origin: Origin) -> Diagnostic:
    message = f"{KIND_OF[type(typed)].name} {name_of(typed)} belongs to {owner.kind} {owner.name}: the change {what}"
    return origin.diagnostic(WRITTEN_BACK, message, _SPEC, severity="warning", hint=f"change {owner.kind} {owner.name}")


def other_owners(change: Change) -> Iterator[Diagnostic]:
    """Yield a warning for each object that a change gives to another owner: it goes with that, and is kept by it."""
    for kind in KIND_OF:
        for old, new, origin in change.of(kind):
            if new is None or key_of(new) not in change.proposed:
                continue
            owners = _owners_of(new)
            if owners and owners != ([] if old is None else _owners_of(old)):
                what = f"{KIND_OF[kind].name} {name_of(new)}"
                message = f"{what} is given to {owners[0].kind} {owners[0].name}, which may change or delete it"
                yield origin.diagnostic(OWNER_CHANGED, message, _OWNERS, severity="warning")
