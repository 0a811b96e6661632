"""What keeps a task's PersistentVolumeClaims from being used, in words."""

from __future__ import annotations

from functools import partial
from typing import Final

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.session import Session
from vqs.engine.plugins.predicates.binding import waits
from vqs.engine.plugins.predicates.volumes import NO_ZONE, WRONG_NODE, WRONG_NODE_BEFORE, ZONE_LABELS
from vqs.model.claims import claim_names, class_name
from vqs.model.job import FitErrors
from vqs.model.kubernetes import NodeSelectorRequirement, PersistentVolume, PersistentVolumeClaim
from vqs.model.task import Task
from vqs.model.wording import listed_names
from vqs.snapshot.reading.diagnostics import Guesser, probably_meant

_OF_PLACES: Final = (NO_ZONE, WRONG_NODE, WRONG_NODE_BEFORE)
"""What nodes say that a volume cannot be used from."""

_BY_HAND: Final = "kubernetes.io/no-provisioner"


def unusable_claim(session: FinishedSession, task: Task) -> str:
    """Say of the first claim of a task that is missing, or should be bound and is not, why; empty without any."""
    cluster = session.cluster
    for name, is_ephemeral in claim_names(task.pod):
        key = f"{task.namespace}/{name}"
        claim = cluster.claims.get(key)
        if claim is None and not is_ephemeral:
            own = f"{task.namespace}/"
            names = (each.partition("/")[2] for each in cluster.claims if each.startswith(own))
            meant = session.noted(f"claims of {own}", partial(Guesser, names)).meant(name)
            return f"PersistentVolumeClaim {key} does not exist{f' (did you mean {meant!r}?)' if meant else ''}"
        why = "" if claim is None or claim.spec.volume_name else _unbound(session, claim)
        if why:
            return f"PersistentVolumeClaim {key} is Pending, not bound to a volume: {why}"
    return ""


def _unbound(session: Session, claim: PersistentVolumeClaim) -> str:
    """Say why a claim has no volume yet; empty where it gets one once its pod has a node."""
    classes, named = session.cluster.storage_classes, class_name(claim)
    if not named:
        return "it names no StorageClass, and no PersistentVolume"
    storage_class = classes.get(named)
    if storage_class is None:
        meant = probably_meant(named, classes)
        hint = f" (did you mean {meant!r}?)" if meant else ""
        return f"its StorageClass {named} does not exist{hint}" if classes else ""
    if waits(storage_class):
        return ""
    provisioner = storage_class.provisioner
    if provisioner == _BY_HAND:
        return f"nothing provisions volumes of its StorageClass {named}, so a PersistentVolume has to be created for it"
    return f"{provisioner}, the provisioner of its StorageClass {named}, has not made one yet"


def out_of_reach(session: Session, task: Task, errors: FitErrors) -> str:
    """Say which nodes can use the volumes of a task, where nodes refuse it for them; empty elsewhere."""
    if errors.reasons.keys().isdisjoint(_OF_PLACES):
        return ""
    said: list[str] = []
    for name, _ in claim_names(task.pod):
        claim = session.cluster.claims.get(f"{task.namespace}/{name}")
        volume = None if claim is None else session.cluster.volumes.get(claim.spec.volume_name)
        places = _places(volume) if volume is not None else ""
        if volume is not None and places:
            of = f"{'claim' if said else 'Claim'} {name} is bound to PersistentVolume {volume.metadata.name}"
            said.append(f"{of}, which only nodes with {places} can use")
    return " and ".join(said)


def _places(volume: PersistentVolume) -> str:
    """Say which labels nodes need to use a volume; empty where all nodes can."""
    required = volume.spec.node_affinity.required if volume.spec.node_affinity else None
    terms = required.node_selector_terms if required else []
    listed = [listed_names([_words(each) for each in (*term.match_expressions, *term.match_fields)]) for term in terms]
    zones = [f"{key}={volume.metadata.labels[key]}" for key in ZONE_LABELS if key in volume.metadata.labels]
    return " or ".join(filter(None, listed)) or listed_names(zones)


def _words(requirement: NodeSelectorRequirement) -> str:
    if requirement.operator == "In":
        return " or ".join(f"{requirement.key}={value}" for value in requirement.values)
    return " ".join(filter(None, [requirement.key, requirement.operator, ", ".join(requirement.values)]))
