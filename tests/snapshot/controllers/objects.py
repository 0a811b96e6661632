"""Objects that controllers look at, and what they make of them."""

from __future__ import annotations

import io
import json
from typing import Any

from vqs.model import kubernetes as k8s
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

Object = dict[str, Any]

BATCH = "batch.volcano.sh/v1alpha1"


def read(*objects: Object) -> Manifests:
    """Read objects."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    return read_manifests(["-"], stdin=io.BytesIO(text.encode()))


def completed(*objects: Object) -> Manifests:
    """Read objects and let the controllers add to them."""
    return complete(read(*objects))


def make(kind: str, name: str, api_version: str = "v1", **fields: Any) -> Object:
    """Make an object in namespace ns; `metadata` is added to its own."""
    metadata = {"name": name, "namespace": "ns", **fields.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def template(cpu: str = "1", limit: str = "", **spec: Any) -> Object:
    """Make a template of pods with one container; `labels` and `annotations` go into its metadata."""
    metadata = {key: spec.pop(key) for key in ("labels", "annotations") if key in spec}
    resources: Object = {"requests": {"cpu": cpu}} if cpu else {}
    if limit:
        resources["limits"] = {"cpu": limit}
    return {"metadata": metadata, "spec": {"containers": [{"name": "c", "resources": resources}], **spec}}


def task(name: str = "worker", replicas: int = 2, **fields: Any) -> Object:
    """Make a task of a Volcano Job; `cpu` goes into its template."""
    made = template(fields.pop("cpu", "1"), **fields.pop("pod", {}))
    return {"name": name, "replicas": replicas, "template": made, **fields}


def volcano_job(*tasks: Object, metadata: Object | None = None, phase: str = "", **spec: Any) -> Object:
    """Make a Volcano Job named train."""
    status = {"state": {"phase": phase}} if phase else {}
    return make("Job", "train", BATCH, metadata=metadata or {}, spec={"tasks": list(tasks), **spec}, status=status)


def pod(name: str, phase: str = "Pending", owner: Object | None = None, **metadata: Any) -> Object:
    """Make a pod for the scheduler volcano, with the given metadata; `owner` is its controller."""
    if owner is not None:
        metadata["ownerReferences"] = [
            {
                "apiVersion": owner["apiVersion"],
                "kind": owner["kind"],
                "name": owner["metadata"]["name"],
                "uid": owner["metadata"].get("uid", ""),
                "controller": True,
            }
        ]
    spec = {**template()["spec"], "schedulerName": "volcano"}
    return make("Pod", name, metadata=metadata, spec=spec, status={"phase": phase})


def pod_group(name: str, phase: str = "Inqueue", **fields: Any) -> Object:
    """Make a PodGroup."""
    return make("PodGroup", name, "scheduling.volcano.sh/v1beta1", status={"phase": phase}, **fields)


def priority_class(name: str, value: int, **fields: Any) -> Object:
    """Make a priority class."""
    return make("PriorityClass", name, "scheduling.k8s.io/v1", value=value, **fields)


def names(objects: list[Any]) -> list[str]:
    """Return the names of objects."""
    return [each.metadata.name for each in objects]


def only_group(manifests: Manifests) -> k8s.PodGroup:
    """Return the one PodGroup there is."""
    [group] = manifests.pod_groups
    return group


def notes(manifests: Manifests) -> list[str]:
    """Return what the notes say."""
    return [note.message for note in manifests.notes]
