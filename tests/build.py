"""Clusters for tests, made of the same manifests a user would write."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from vqs.engine import scheduler
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.session import Session, SessionOptions
from vqs.releases.profile import DEFAULT_PROFILE, Profile, ReleaseChoice, Setting, profile_of
from vqs.releases.release import DEFAULT_RELEASE, Build
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

Object = dict[str, Any]

NOW = datetime(2026, 1, 1, tzinfo=UTC)

SCHEDULING = "scheduling.volcano.sh/v1beta1"

CONF = """
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: binpack
"""


def node(name: str, cpu: str | int = 8, memory: str = "16Gi", pods: int = 110, **more: Any) -> Object:
    """Make a node; `gpu` adds GPUs, `labels`, `taints` and `unschedulable` what they say."""
    allocatable = {"cpu": cpu, "memory": memory, "pods": pods}
    if "gpu" in more:
        allocatable["nvidia.com/gpu"] = more["gpu"]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **more.get("labels", {})}},
        "spec": {"taints": more.get("taints", []), "unschedulable": more.get("unschedulable", False)},
        "status": {"allocatable": allocatable, "capacity": allocatable},
    }


def queue(name: str, weight: int = 1, **spec: Any) -> Object:
    """Make a queue that is open; `state` is its state, the rest goes into its spec."""
    state = spec.pop("state", "Open")
    return {
        "apiVersion": SCHEDULING,
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {"weight": weight, **spec},
        "status": {"state": state},
    }


def hyper_node(name: str, tier: int, **chosen: Any) -> Object:
    """Make a HyperNode; `nodes` and `members` name nodes and HyperNodes, `pattern` and `labels` choose nodes."""
    by_name = {"Node": chosen.get("nodes", []), "HyperNode": chosen.get("members", [])}
    members = [
        {"type": kind, "selector": {"exactMatch": {"name": each}}} for kind, names in by_name.items() for each in names
    ]
    if "pattern" in chosen:
        members.append({"type": "Node", "selector": {"regexMatch": {"pattern": chosen["pattern"]}}})
    if "labels" in chosen:
        members.append({"type": "Node", "selector": {"labelMatch": {"matchLabels": chosen["labels"]}}})
    spec = {"tier": tier, "members": members, "tierName": chosen.get("tier_name", "")}
    return {
        "apiVersion": "topology.volcano.sh/v1alpha1",
        "kind": "HyperNode",
        "metadata": {"name": name},
        "spec": spec,
    }


def node_shard(name: str, *desired: str, in_use: Sequence[str] = ()) -> Object:
    """Make a NodeShard."""
    return {
        "apiVersion": "shard.volcano.sh/v1alpha1",
        "kind": "NodeShard",
        "metadata": {"name": name},
        "spec": {"nodesDesired": list(desired)},
        "status": {"nodesInUse": list(in_use)},
    }


def group(name: str, min_member: int = 1, phase: str = "Inqueue", **spec: Any) -> Object:
    """Make a PodGroup; `created` is the second of its creation, the rest goes into its spec."""
    created = f"2026-01-01T00:00:{spec.pop('created', 0):02d}Z"
    return {
        "apiVersion": SCHEDULING,
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "ns", "uid": name, "creationTimestamp": created},
        "spec": {"minMember": min_member, "queue": "default", **spec},
        "status": {"phase": phase},
    }


def owned(made: Object, kind: str, name: str) -> Object:
    """Make an object one that a controller has made."""
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": f"u-{name}", "controller": True}
    made["metadata"]["ownerReferences"] = [owner]
    return made


def workload(kind: str, name: str, replicas: int) -> Object:
    """Make a Deployment or a ReplicaSet of pods of 1 cpu whose gang is three pods."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": 1}}}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"schedulerName": "volcano", "containers": [container]}}
    annotations = {"scheduling.volcano.sh/group-min-member": "3"}
    metadata = {"name": name, "namespace": "ns", "uid": f"u-{name}", "annotations": annotations}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}


def pod(name: str, of: str = "", cpu: str | int = 1, memory: str = "1Gi", **more: Any) -> Object:
    """Make a pod of a PodGroup: pending, or running where `node` is given; `spec` goes into its spec."""
    requests = {"cpu": cpu, "memory": memory, **more.get("requests", {})}
    if more.get("best_effort"):
        requests = {}
    phase = more.get("phase", "Running" if "node" in more else "Pending")
    annotations = {"scheduling.k8s.io/group-name": of} if of else {}
    if role := more.get("role", "worker"):
        annotations["volcano.sh/task-spec"] = role
    made: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "ns",
            "uid": name,
            "annotations": {**annotations, **more.get("annotations", {})},
            "labels": more.get("labels", {}),
        },
        "spec": {
            "schedulerName": more.get("scheduler", "volcano"),
            "containers": [{"name": "c", "resources": {"requests": requests}}],
            **more.get("spec", {}),
        },
        "status": {"phase": phase, **more.get("status", {})},
    }
    if "node" in more:
        made["spec"]["nodeName"] = more["node"]
    if "owner" in more:
        kind, owner = more["owner"].split("/")
        made["metadata"]["ownerReferences"] = [{"kind": kind, "name": owner, "controller": True}]
    if more.get("deleted"):
        made["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return made


def numa(name: str, sockets: int = 2, cores: int = 4, free: str | None = None, **more: Any) -> Object:
    """Make a Numatopology: a NUMA node a socket, CPUs numbered core by core; `threads` gives each core a second CPU.

    `policy`, `manager` and `reserved` are the topology policy, the CPU manager's, and the reserved CPUs.
    """
    detail = {
        str(cpu): {"numa": core // cores, "socket": core // cores, "core": core}
        for cpu, core in enumerate(list(range(sockets * cores)) * more.get("threads", 1))
    }
    allocatable = f"0-{len(detail) - 1}" if free is None else free
    return {
        "apiVersion": "nodeinfo.volcano.sh/v1alpha1",
        "kind": "Numatopology",
        "metadata": {"name": name},
        "spec": {
            "policies": {
                "CPUManagerPolicy": more.get("manager", "static"),
                "TopologyManagerPolicy": more.get("policy", "restricted"),
            },
            "numares": {"cpu": {"allocatable": allocatable, "capacity": len(detail)}},
            "cpuDetail": detail,
            "resReserved": {"cpu": more["reserved"]} if "reserved" in more else {},
        },
    }


def aligned(name: str, *cpus: int | str, policy: str = "restricted", of: str = "j", **more: Any) -> Object:
    """Make a Guaranteed pod with a container for each number of CPUs, and a topology policy."""
    amounts = [{"cpu": each, "memory": "1Gi"} for each in cpus]
    resources = [{"requests": each, "limits": each} for each in amounts]
    containers = [{"name": f"c{number}", "resources": each} for number, each in enumerate(resources)]
    annotations = {"volcano.sh/numa-topology-policy": policy} if policy else {}
    return pod(name, of, annotations=annotations, spec={"containers": containers}, **more)


def gang(name: str, pods: int, min_member: int | None = None, cpu: str | int = 1, **spec: Any) -> list[Object]:
    """Make a PodGroup and its pending pods; what is not `memory`, `role` or `requests` goes into its spec."""
    of_pod = {key: spec.pop(key) for key in ("memory", "role", "requests") if key in spec}
    members = [pod(f"{name}-worker-{number}", name, cpu, **of_pod) for number in range(pods)]
    return [group(name, pods if min_member is None else min_member, **spec), *members]


def stored_job(name: str, *tasks: Object, minimum: int, **spec: Any) -> list[Object]:
    """Make a Volcano Job as a cluster has it a moment after it was submitted: with its PodGroup, and no pods.

    What is not a task goes into the spec of its PodGroup, `created` is the second of its creation.
    """
    uid = f"uid-{name}"
    owner = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": name, "uid": uid, "controller": True}
    of_job = group(f"{name}-{uid}", minimum, "", minResources={"cpu": minimum}, **spec)
    of_job["metadata"]["ownerReferences"] = [owner]
    queue_name = of_job["spec"]["queue"]
    job = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "ns", "uid": uid, "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"minAvailable": minimum, "schedulerName": "volcano", "queue": queue_name, "tasks": list(tasks)},
        "status": {"state": {"phase": "Pending"}},
    }
    return [of_job, job]


def job_task(name: str = "worker", replicas: int = 2, cpu: int = 1, **fields: Any) -> Object:
    """Make a task of a Volcano Job."""
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": str(cpu)}}}
    return {"name": name, "replicas": replicas, "template": {"spec": {"containers": [container]}}, **fields}


def scheduler_conf(text: str = CONF) -> Object:
    """Make the ConfigMap of a scheduler configuration."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "volcano-scheduler-configmap", "namespace": "volcano-system"},
        "data": {"volcano-scheduler.conf": text},
    }


def manifests(objects: Sequence[Object | list[Object]], conf: str = CONF) -> Manifests:
    """Read objects as if they had been dumped."""
    items = [each for entry in objects for each in (entry if isinstance(entry, list) else [entry])]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [scheduler_conf(conf), *items]})
    return read_manifests(["-"], stdin=io.BytesIO(text.encode()))


def switched(**behaviours: str) -> Profile:
    """Return the profile of the default release with some behaviours switched."""
    return profile_of(Build(DEFAULT_RELEASE), tuple(Setting(k.replace("_", "-"), v) for k, v in behaviours.items()))


def open_session(
    objects: Sequence[Object | list[Object]],
    conf: str = CONF,
    seed: int | None = None,
    profile: Profile = DEFAULT_PROFILE,
) -> Session:
    """Open a session on some objects."""
    read = manifests(objects, conf)
    read.release = ReleaseChoice(profile.build, tuple(Setting(*each) for each in profile.switched))
    options = SessionOptions(now=NOW, seed=seed, profile=profile)
    return scheduler.open_session(build_cluster(read), read.scheduler, options)


def run(
    objects: Sequence[Object | list[Object]],
    conf: str = CONF,
    seed: int | None = None,
    profile: Profile = DEFAULT_PROFILE,
) -> FinishedSession:
    """Open a session on some objects, run the actions of its configuration and close it."""
    return scheduler.run_actions(open_session(objects, conf, seed, profile))


def placements(session: Session) -> dict[str, tuple[str, str | None]]:
    """Return the status and node of every task of a session, by name."""
    return {task.name: (task.status.name, task.node) for job in session.jobs.values() for task in job.tasks.values()}
