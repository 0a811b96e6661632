"""Jobs: PodGroups and their pods, in whatever states they are said to be, with the claims that they make."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from functools import cache
from itertools import repeat
from typing import Any, Final, NamedTuple

import msgspec

from vqs.model import kubernetes as k8s
from vqs.model.keys import DEFAULT_QUEUE, GROUP_NAME, NUMA_POLICY, SCHEDULER_NAME, TASK_SPEC
from vqs.model.moments import timestamp
from vqs.model.quantity import QuantityError, parse
from vqs.model.requests import container_requests, volcano_request
from vqs.model.resource import Resource
from vqs.snapshot.apiserver.checks import defects
from vqs.snapshot.reading.diagnostics import Guesser, Path, Problems, did_you_mean
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.json_text import decode
from vqs.snapshot.scenario import objects
from vqs.snapshot.scenario.generated import Generated, Object, generated, manifest
from vqs.snapshot.scenario.lookup import RESOURCE_KEYS, Lookup, Named, amounts, numbered, resource_list
from vqs.snapshot.scenario.model import PlannedJob, PlannedRole
from vqs.snapshot.scenario.objects import container_claims

_CLAIM_KEYS: Final = {"volumes": "volumes", "devices": "resourceClaims"}
"""By the key of a role: the key of a pod's spec that is made from it."""

_NAMED: Final = {
    "volumes": (objects.VOLUME_KEYS, Named.STORAGE_CLASS, Named.VOLUME_CLAIM, "volumeClaims"),
    "devices": (objects.DEVICE_KEYS, Named.DEVICE_CLASS, Named.DEVICE_CLAIM, "deviceClaims"),
}
"""By the key of a role: the keys of a claim of a pod's own, its class, and claims that have names."""


class PodClaims:
    """Checks what the roles of jobs say of claims."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    def check(self, entry: Mapping[str, Any], origin: Origin, namespace: str, *, on_nodes: bool) -> None:
        """Report what cannot be; `on_nodes` says whether some of the pods have a node."""
        for key, spec_key in _CLAIM_KEYS.items():
            if key in entry and spec_key in entry.get("spec", {}):
                self._lookup.refuse(origin, f"{spec_key} is given twice", ("spec", spec_key), "keep one of them")
            names: set[str] = set()
            for index, each in enumerate(entry.get(key, ())):
                self._check_one(key, each, origin.inside(key, index), namespace, on_nodes=on_nodes)
                name = each.get("name")
                if name is not None and name in names:
                    self._lookup.refuse(origin, f"{name} is given twice", (key, index, "name"), code="duplicate-object")
                names |= {name}

    def _check_one(self, key: str, entry: Mapping[str, Any], origin: Origin, namespace: str, *, on_nodes: bool) -> None:
        own_keys, class_kind, claim_kind, claims = _NAMED[key]
        if "claim" in entry:
            self._lookup.require(claim_kind, entry["claim"], origin, ("claim",), namespace)
            for own in (each for each in own_keys if each in entry):
                message = f"{own} is given, and the claim {entry['claim']!r}, which says that itself"
                self._lookup.refuse(origin, message, (own,), "keep one of them")
            return
        if "class" not in entry:
            self._lookup.refuse(origin, "class is missing", (), "give the class, or a claim", "missing-value")
            return
        self._lookup.require(class_kind, entry["class"], origin, ("class",))
        if on_nodes:
            message = "pods that are on a node have what they claim already"
            self._lookup.refuse(origin, message, (), f"name the claim that has it, one of {claims}: {{claim: NAME}}")


WORKER: Final = "worker"
_GATE: Final = "vqs/gated"
_GRACE: Final = 30
_ON_NODES: Final = ("running", "bound", "releasing")
_ENDED: Final = ("succeeded", "failed")
_SPEC_KEYS: Final = ("nodeSelector", "tolerations", "affinity")
_POD_KEYS: Final = frozenset(
    {
        *("replicas", *RESOURCE_KEYS, "resources", *_ON_NODES, *_ENDED, "nominated", "gated"),
        *("labels", "annotations", "topologyPolicy", "volumes", "devices", *_SPEC_KEYS, "spec"),
    }
)
_ORDER: Final = (*_ON_NODES, *_ENDED, "nominated", "pending", "gated")
_PHASES: Final = {"running": "Running", "releasing": "Running", "succeeded": "Succeeded", "failed": "Failed"}


class State(NamedTuple):
    """How many pods are in a state, and on which node."""

    state: str
    node: str
    number: int


_SPECS: Final[Mapping[str, tuple[type[msgspec.Struct], str]]] = {
    "spec": (k8s.PodSpec, "pod"),
    "podGroup": (k8s.PodGroupSpec, "PodGroup"),
}
"""What stands under keys that take all that Kubernetes knows."""


@cache
def _keys_of(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(field.encode_name for field in msgspec.structs.fields(kind))


@dataclass(slots=True)
class Role:
    """Pods of a job that are alike: the keys that describe them, and where these stand.

    `named` says how many pods of each job are in which state on which node; `found` has, for each job, those for which
    a node was looked for. `started` counts the pods that have had one; those that no state is given for are `pending`.
    `request` is None where the pods are not sound enough to have one.
    """

    name: str
    entry: Mapping[str, Any]
    origin: Origin
    spec: Object = field(default_factory=dict)
    places: dict[Path, Path] = field(default_factory=dict)
    request: Resource | None = None
    named: list[State] = field(default_factory=list)
    found: list[list[State]] = field(default_factory=list)
    replicas: int = 0
    started: int = 0
    pending: int = 0

    @property
    def least(self) -> int:
        """How many of the pods must find a place."""
        least: int = self.entry.get("minAvailable", self.replicas)
        return least

    def states(self, copy: int) -> Iterator[tuple[str, str]]:
        """Yield the state and node of each pod, those that have started first."""
        found = self.found[copy] if self.found else []
        counted = [*self.named, *found, State("pending", "", self.pending)]
        for state in _ORDER:
            for each in counted:
                if each.state == state:
                    yield from repeat((state, each.node), each.number)


@dataclass(slots=True)
class Job:
    """An entry of `jobs`, and its roles."""

    entry: Mapping[str, Any]
    origin: Origin
    roles: list[Role]
    created: datetime

    @property
    def namespace(self) -> str:
        """The namespace of its objects."""
        namespace: str = self.entry.get("namespace", "default")
        return namespace

    @property
    def copies(self) -> int:
        """How many jobs it stands for."""
        copies: int = self.entry.get("count", 1)
        return copies

    @property
    def min_available(self) -> int:
        """How many pods must find a place."""
        given = self.entry.get("minAvailable")
        return sum(role.least for role in self.roles) if given is None else int(given)

    @property
    def plan(self) -> PlannedJob:
        """What a replay has to know of it."""
        roles = [
            PlannedRole(role.name, role.entry, role.origin, role.replicas, role.spec, role.places)
            for role in self.roles
        ]
        names = numbered(self.entry["name"], self.entry.get("count"))
        return PlannedJob(self.entry, self.origin, tuple(roles), self.min_available, tuple(names))


class Jobs:
    """Plans all jobs of a scenario, then makes their objects: pods whose nodes are named take their room first."""

    def __init__(self, lookup: Lookup, queues: Collection[str], classes: Collection[str]) -> None:
        room = self.room = lookup.room
        self.claims = PodClaims(lookup)
        self.queues = set(queues)
        self.classes = set(classes)
        self.problems = lookup.problems
        self.complete = lookup.complete
        self._refuse = lookup.refuse
        self.named: dict[tuple[str, str], Origin] = {}
        self.guessers = {"queue": Guesser(queues), "priorityClass": Guesser(classes), "node": Guesser(room.nodes)}

    # --- planning ----------------------------------------------------------------------------------------------------

    def plan(self, entry: Mapping[str, Any], origin: Origin, created: datetime) -> Job | None:
        """Read an entry; take the room of the pods whose nodes it names. Return None if there is such a job already."""
        if not self._is_new(entry, origin):
            return None
        job = Job(entry, origin, list(self._roles(entry, origin)), created)
        self._check_reference(entry, origin, "queue", self.queues)
        self._check_priorities(entry, origin)
        self._warn_of_typos(origin, "podGroup", entry.get("podGroup", {}))
        for role in job.roles:
            role.spec, role.places = self._spec(role, entry)
            # Where its spec is not sound, that is found again when the pod is read.
            pod, errors = decode({"metadata": {"name": "pod"}, "spec": role.spec}, k8s.Pod)
            role.request = None if pod is None or errors or any(defects(pod)) else volcano_request(pod)
            entry = role.entry
            for state in (*_ON_NODES, "nominated"):
                if isinstance(entry.get(state), Mapping):
                    role.named += [
                        State(state, node, number)
                        for pattern, number in entry[state].items()
                        for node in self._nodes(role, state, pattern)
                    ]
            for state, node, number in role.named:
                if state in _ON_NODES and role.request is not None:
                    self.room.take(node, role.request, number * job.copies)
            role.named += [State(state, "", entry[state]) for state in (*_ENDED, "gated") if state in entry]
            counted = sum(entry[state] for state in _ON_NODES if isinstance(entry.get(state), int))
            in_a_state = counted + sum(each.number for each in role.named)
            waiting = sum(each.number for each in role.named if each.state in ("nominated", "gated"))
            role.started = in_a_state - waiting
            role.replicas = entry.get("replicas", in_a_state or 1)
            role.pending = role.replicas - in_a_state
            if role.pending < 0:
                message = f"{in_a_state} pods have a state, but replicas is {role.replicas}"
                self._refuse(role.origin, message, ("replicas",))
            on_nodes = any(role.entry.get(state) for state in _ON_NODES)
            self.claims.check(role.entry, role.origin, job.namespace, on_nodes=on_nodes)
        return job

    def settle(self, job: Job) -> None:
        """Find nodes for the pods that are only said to be on some."""
        for role in job.roles:
            wanted = {state: role.entry[state] for state in _ON_NODES if isinstance(role.entry.get(state), int)}
            if not wanted or role.request is None:
                continue
            for _ in range(job.copies):
                found = [place for state, pods in wanted.items() for place in self._found(role, state, pods)]
                role.found.append(found)
                if sum(place.number for place in found) < sum(wanted.values()):
                    return

    def _is_new(self, entry: Mapping[str, Any], origin: Origin) -> bool:
        for name in numbered(entry["name"], entry.get("count")):
            namespace = entry.get("namespace", "default")
            first = self.named.setdefault((namespace, name), origin)
            if first is not origin:
                message = f"job {namespace}/{name} is given twice, first at {first.place()}"
                self._refuse(origin, message, ("name",), code="duplicate-object")
                return False
        return True

    def _roles(self, entry: Mapping[str, Any], origin: Origin) -> Iterator[Role]:
        if "roles" not in entry:
            yield Role(WORKER, {key: value for key, value in entry.items() if key in _POD_KEYS}, origin)
            return
        for key in entry:
            if key in _POD_KEYS:
                message = f"{key} is given for the job, which has roles"
                self.problems.add(origin.key_diagnostic("invalid-value", message, (key,), hint="move it into a role"))
        first: dict[str, int] = {}
        for index, role in enumerate(entry["roles"]):
            inner = Origin(origin.document, (*origin.path, "roles", index))
            name = role["name"]
            if first.setdefault(name, index) != index:
                self._refuse(inner, f"role {name} is given twice", ("name",), code="duplicate-object")
            self._check_priorities(role, inner)
            yield Role(name, role, inner)

    def _check_priorities(self, entry: Mapping[str, Any], origin: Origin) -> None:
        self._check_reference(entry, origin, "priorityClass", self.classes)
        if "priority" in entry and "priorityClass" in entry:
            self._refuse(origin, "priority and priorityClass are both given", ("priority",), "keep one of them")

    def _check_reference(self, entry: Mapping[str, Any], origin: Origin, key: str, known: Collection[str]) -> None:
        name = entry.get(key)
        if name is not None and name not in known and self.complete:
            what = {"queue": "queue", "priorityClass": "priority class"}[key]
            self._refuse(origin, f"there is no {what} {name!r}", (key,), self.guessers[key].hint(name), "unknown-name")

    def _spec(self, role: Role, job: Mapping[str, Any]) -> tuple[Object, dict[Path, Path]]:
        """The spec that the pods of a role share, and where its parts are written."""
        entry, more = role.entry, role.entry.get("spec", {})
        requests, written = amounts(entry, RESOURCE_KEYS, role.origin, self.problems)
        places: dict[Path, Path] = {("spec",): ("spec",), ("metadata", "labels"): ("labels",)}
        places[("metadata", "annotations")] = ("annotations",)
        for kind in ("requests", "limits"):
            places |= {("spec", "containers", 0, "resources", kind, name): path for name, path in written.items()}
        for key in _SPEC_KEYS:
            if key in entry:
                places[("spec", key)] = (key,)
                if key in more:
                    self._refuse(role.origin, f"{key} is given twice", ("spec", key), "keep one of them")
        self._warn_of_typos(role.origin, "spec", more)
        if "nodeName" in more:
            hint = "say how many pods run on which node: running: {NODE: 1}"
            self._refuse(role.origin, "nodeName would put all pods of the role on it", ("spec", "nodeName"), hint)
        if "containers" in more and requests:
            message = "containers are given, and requests outside of them"
            self._refuse(role.origin, message, ("spec", "containers"), "keep one of them")
        resources: Object = {}
        if requests:
            resources["requests"] = requests
            # The API server denies a request of a vendor's resource without a limit; some plugins read that alone.
            limits = {key: amount for key, amount in requests.items() if "/" in key and "kubernetes.io/" not in key}
            if "topologyPolicy" in role.entry:
                resources["limits"] = requests
            elif limits:
                resources["limits"] = limits
        if "devices" in role.entry:
            resources["claims"] = container_claims(role.entry["devices"])
        container = {"name": role.name, **({"resources": resources} if resources else {})}
        settings = {key: entry[key] for key in _SPEC_KEYS if key in entry}
        priority = priority_of(entry) or priority_of(job)
        return {"schedulerName": SCHEDULER_NAME, "containers": [container], **priority, **settings, **more}, places

    def _warn_of_typos(self, origin: Origin, name: str, spec: Mapping[str, Any]) -> None:
        """Warn of keys that are not used; of a pod's only where they look like others, as it may have many more."""
        kind, what = _SPECS[name]
        known = _keys_of(kind)
        for key in spec:
            hint = did_you_mean(key, known)
            if key not in known and (hint or kind is not k8s.PodSpec):
                message = f"the key {key!r} of a {what}'s spec is not used"
                path = (name, key)
                self.problems.add(origin.diagnostic("unknown-key", message, path, severity="warning", hint=hint))

    def _nodes(self, role: Role, state: str, pattern: str) -> list[str]:
        nodes = self.room.named(pattern)
        if not nodes and self.complete:
            message, hint = f"there is no node {pattern!r}", self.guessers["node"].hint(pattern)
            self.problems.add(role.origin.key_diagnostic("unknown-name", message, (state, pattern), hint=hint))
        return nodes

    def _found(self, role: Role, state: str, pods: int) -> list[State]:
        placed = self.room.place(role.request or Resource(), role.spec.get("nodeSelector", {}), pods)
        found = sum(number for _, number in placed)
        if found < pods and self.complete:
            message = f"there is room for {found} of these {pods} pods"
            self._refuse(role.origin, message, (state,), f"name their nodes: {state}: {{NODE: {pods}}}", "no-room")
        return [State(state, node, number) for node, number in placed]

    # --- making ------------------------------------------------------------------------------------------------------

    def make(self, job: Job, now: datetime) -> Iterator[Generated]:
        """Yield the objects of a job."""
        yield from self.classes_of(job)
        for copy, name in enumerate(numbered(job.entry["name"], job.entry.get("count"))):
            yield self._pod_group(job, name)
            for role in job.roles:
                prefix, place = f"{name}-{role.name}", (job.namespace, role.origin)
                on_devices, on_volumes = role.entry.get("devices", ()), role.entry.get("volumes", ())
                yield from objects.templates(on_devices, prefix, *place)
                for index, state in enumerate(role.states(copy)):
                    pod = _pod(job, role, name, index, now=now, state=state)
                    if on_volumes:
                        pod["spec"] = {**pod["spec"], "volumes": objects.pod_volumes(on_volumes, f"{prefix}-{index}")}
                    if on_devices:
                        pod["spec"] = {**pod["spec"], "resourceClaims": objects.pod_claims(on_devices, prefix)}
                    yield generated(pod, role.origin, role.places)
                    yield from objects.claims_of_pod(on_volumes, f"{prefix}-{index}", *place)

    def classes_of(self, job: Job) -> Iterator[Generated]:
        """Yield a class for each priority that is given as a number: a PodGroup has no other way to have one."""
        for entry, origin in ((job.entry, job.origin), *((role.entry, role.origin) for role in job.roles)):
            value = entry.get("priority")
            if value is not None and _class_name(value) not in self.classes:
                self.classes.add(_class_name(value))
                yield generated(manifest("PriorityClass", _class_name(value), value=value), origin)

    def _pod_group(self, job: Job, name: str) -> Generated:
        entry = job.entry
        spec: Object = {"minMember": job.min_available, "queue": entry.get("queue", DEFAULT_QUEUE)}
        if priority := priority_of(entry):
            spec["priorityClassName"] = priority["priorityClassName"]
        if any("minAvailable" in role.entry for role in job.roles):
            spec["minTaskMember"] = {role.name: role.least for role in job.roles}
        given = entry.get("minResources", "auto")
        places: dict[Path, Path] = {("spec",): ("podGroup",)}
        if given == "auto":
            # Sum up what the pods request that the job needs to start: first those of each role, then others in order.
            spare = job.min_available
            needed = []
            for each in job.roles:
                needed.append(min(each.least if "minAvailable" in each.entry else 0, spare))
                spare -= needed[-1]
            total: dict[str, Fraction] = {}
            for each, least in zip(job.roles, needed, strict=True):
                more = min(each.replicas - least, spare) if each.replicas > least else 0
                spare -= more
                for resource, amount in _pod_amounts(each.spec).items():
                    total[resource] = total.get(resource, Fraction()) + amount * (least + more)
            spec["minResources"] = {resource: _written(resource, amount) for resource, amount in total.items()} or None
        elif given != "none":
            spec["minResources"], written = resource_list(given, ("minResources",), job.origin, self.problems)
            places |= {("spec", "minResources", key): path for key, path in written.items()}
        started = sum(role.started for role in job.roles)
        follows = "Running" if started >= job.min_available else "Inqueue"
        phase: str = job.entry.get("phase", follows if started else "Pending")
        value = manifest(
            "PodGroup",
            name,
            job.namespace,
            metadata={"creationTimestamp": timestamp(job.created)},
            spec={**spec, **entry.get("podGroup", {})},
            status={"phase": phase},
        )
        return generated(value, job.origin, places)


def _pod(job: Job, role: Role, group: str, index: int, *, now: datetime, state: tuple[str, str]) -> Object:
    """One pod. The specs of a role's pods are the same object as far as they are equal."""
    what, node = state
    annotations = {GROUP_NAME: group, TASK_SPEC: role.name}
    if "topologyPolicy" in role.entry:
        annotations[NUMA_POLICY] = role.entry["topologyPolicy"]
    metadata: Object = {
        "creationTimestamp": timestamp(job.created),
        "annotations": {**annotations, **role.entry.get("annotations", {})},
    }
    if "labels" in role.entry:
        metadata["labels"] = role.entry["labels"]
    spec, status = role.spec, {"phase": _PHASES.get(what, "Pending")}
    if what in _ON_NODES:
        spec = {**spec, "nodeName": node}
    if what == "releasing":
        metadata["deletionTimestamp"] = timestamp(now + timedelta(seconds=_GRACE))
        metadata["deletionGracePeriodSeconds"] = _GRACE
    if what == "nominated":
        status["nominatedNodeName"] = node
    if what == "gated":
        spec = {**spec, "schedulingGates": [*spec.get("schedulingGates", ()), {"name": _GATE}]}
    name = f"{group}-{role.name}-{index}"
    return manifest("Pod", name, job.namespace, metadata=metadata, spec=spec, status=status)


def priority_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry says of the priority of pods, as their spec does."""
    if "priority" in entry:
        return {"priorityClassName": _class_name(entry["priority"]), "priority": entry["priority"]}
    return {"priorityClassName": entry["priorityClass"]} if "priorityClass" in entry else {}


def _class_name(priority: int) -> str:
    return f"priority-{priority}" if priority >= 0 else f"priority-minus-{-priority}"


# --- minimal resources ------------------------------------------------------------------------------------------------


def _pod_amounts(spec: Object) -> dict[str, Fraction]:
    """What the containers of a pod request; nothing where that is not sound."""
    pod, _ = decode({"spec": spec}, k8s.Pod)
    total: dict[str, Fraction] = {}
    try:
        for container in pod.spec.containers if pod else ():
            for name, amount in container_requests(container).items():
                total[name] = total.get(name, Fraction()) + parse(amount)
    except QuantityError:
        return {}
    return total


def _written(name: str, amount: Fraction) -> str:
    """Write an amount as a quantity: memory with the largest unit that divides it, a part as thousandths."""
    for unit, size in (("Ti", 2**40), ("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
        if name == "memory" and amount and amount % size == 0:
            return f"{amount // size}{unit}"
    return str(amount) if amount.denominator == 1 else f"{-(-amount * 1000 // 1)}m"


ARRIVES_LATER: Final = "arrives-later"
"""The code of the note that says which jobs are left out."""

MOST_ARRIVING: Final = 1_000_000
"""How many jobs may arrive in one replay."""

_TIMES: Final = ("arrival", "arrivals")
_MADE_BY_CONTROLLERS: Final = ("phase", "minResources", "created", "podGroup")
_STATES: Final = ("running", "bound", "releasing", "succeeded", "failed", "nominated", "gated")
_CLAIMS: Final = ("volumes", "devices")


def arrives(entry: Mapping[str, Any]) -> bool:
    """True if a job is not there at the start."""
    return any(key in entry for key in _TIMES)


def check_arriving(job: Job, problems: Problems) -> None:
    """Report keys that a job cannot have that arrives as a Volcano Job, of which controllers make all else."""
    entries = [(job.entry, job.origin), *((role.entry, role.origin) for role in job.roles if "roles" in job.entry)]
    for entry, origin in entries:
        for key in entry:
            if key in _STATES:
                message = f"{key} is given, but a job that arrives later has no such pods yet"
            elif key in _MADE_BY_CONTROLLERS:
                message = f"{key} is given, but of a job that arrives, Volcano makes the PodGroup"
            elif key in _CLAIMS:
                message = f"{key} of jobs that arrive later are not replayed"
            else:
                continue
            problems.add(origin.key_diagnostic("invalid-value", message, (key,)))
    both = [key for key in _TIMES if key in job.entry]
    if len(both) == len(_TIMES):
        problems.add(job.origin.key_diagnostic("invalid-value", "arrival and arrivals are both given", (both[1],)))
    if "arrivals" in job.entry and "count" in job.entry:
        message = "count is given for a job that arrives again and again"
        hint = "limit it with arrivals.most"
        problems.add(job.origin.key_diagnostic("invalid-value", message, ("count",), hint=hint))
