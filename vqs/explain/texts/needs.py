"""What nodes lack for a task beside resources, in words: its PersistentVolumeClaims, and its host ports."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.session import Session
from vqs.engine.nodes.pods import ANY_ADDRESS, Port, host_ports
from vqs.engine.plugins.predicates.binding import waits
from vqs.engine.plugins.predicates.filters import PORTS_TAKEN
from vqs.engine.plugins.predicates.volumes import NO_ZONE, WRONG_NODE, WRONG_NODE_BEFORE, ZONE_LABELS
from vqs.model.claims import claim_names, class_name
from vqs.model.job import FitErrors
from vqs.model.kubernetes import NodeSelectorRequirement, PersistentVolume, PersistentVolumeClaim
from vqs.model.task import COMPLETED_STATUSES, Task
from vqs.model.wording import first_names, listed_names
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


def ports_in_use(session: FinishedSession, task: Task, errors: FitErrors) -> str:
    """Say which pods use the host ports that a task asks for, where nodes refuse it for them; empty elsewhere."""
    refused, job = errors.reasons.get(PORTS_TAKEN, 0), session.jobs.get(task.job)
    if not refused or job is None:
        return ""
    wanted = host_ports(task.pod.spec)
    using: dict[str, Task] = {}
    taken: list[Port] = []
    for port in wanted:
        takers = session.takers_of_ports.get(port[1:], ())
        found = [each for address, each in takers if each.job != task.job and _meet(port[0], address)]
        using |= {each.uid: each for each in found}
        taken += [port] if found else []
    said: list[str] = []
    if using:
        names = first_names([f"{each.namespace}/{each.name}" for each in using.values()])
        said.append(f"{names} {'uses' if len(using) == 1 else 'use'} {_named(taken)}")
    alike = [
        each
        for each in job.tasks.values()
        if each.status not in COMPLETED_STATUSES and host_ports(each.pod.spec) == wanted
    ]
    if len(alike) > 1 and refused > len({each.node for each in using.values()}):
        said.append(
            f"{len(alike):,} pods of the job itself ask for {_named(wanted)}, and a node has room for one of them"
        )
    return "; ".join(said)


def _meet(one: str, other: str) -> bool:
    """True if two addresses cannot have the same port: a port of all addresses is in the way of any."""
    return one == other or ANY_ADDRESS in (one, other)


def _named(ports: Iterable[Port]) -> str:
    """Name ports by their numbers, with the address and the protocol where these are not the usual ones."""
    texts = [
        f"{'' if address == ANY_ADDRESS else f'{address}:'}{number}{'' if protocol == 'TCP' else f'/{protocol}'}"
        for address, protocol, number in sorted(ports, key=lambda port: port[2])
    ]
    return f"host port{'s' if len(texts) > 1 else ''} {listed_names(texts)}"
