"""Write random scenarios for the parts of the scheduler that need more than nodes, queues, jobs and pods.

    python generate.py FOLDER [FAMILY ...]

Each family is a part of the scheduler: a plugin, or an action. Scenario N of a family is the same in each run. Every
third has several plugins together, as real configurations have them.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

import yaml

Object = dict[str, Any]

SCENARIOS: Final = range(100, 130)
EXTENDER: Final = "http://extender.invalid"
"""Stands for the address of the extender that answers as `answers.json` says."""

BASE: Final = ("priority", "gang", "conformance", "drf", "predicates", "proportion", "nodeorder")


@dataclass
class Cluster:
    """A snapshot that grows, object by object."""

    rng: random.Random
    nodes: list[Object] = field(default_factory=list)
    queues: list[Object] = field(default_factory=list)
    others: list[Object] = field(default_factory=list)
    jobs: list[Object] = field(default_factory=list)
    count: int = 0

    def measure(self, node: Object, used: Object) -> None:
        """Say how much of a node is used."""
        self.others.append(
            {
                "apiVersion": "metrics.k8s.io/v1beta1",
                "kind": "NodeMetrics",
                "metadata": {"name": node["metadata"]["name"]},
                "timestamp": "2026-11-21T12:00:00Z",
                "window": "10s",
                "usage": used,
            }
        )

    def add_nodes(self, number: int, cpus: tuple[int, ...] = (8, 16, 32), gpus: tuple[int, ...] = (0,)) -> None:
        """Add nodes of random sizes."""
        for index in range(number):
            cpu, gpu = self.rng.choice(cpus), self.rng.choice(gpus)
            amounts = {"cpu": str(cpu), "memory": f"{cpu * 4}Gi", "pods": "110"} | (
                {"nvidia.com/gpu": str(gpu)} if gpu else {}
            )
            name = f"n{index:02}"
            labels = {"kubernetes.io/hostname": name, "zone": f"z{index % 3}"}
            self.nodes.append(
                {
                    "apiVersion": "v1",
                    "kind": "Node",
                    "metadata": {"name": name, "labels": labels, "annotations": {}},
                    "spec": {},
                    "status": {
                        "allocatable": amounts,
                        "capacity": dict(amounts),
                        "conditions": [{"type": "Ready", "status": "True"}],
                    },
                }
            )

    def add_queues(self, number: int, **spec: Any) -> None:
        """Add queues of random weights."""
        for index in range(number):
            self.queues.append(
                {
                    "apiVersion": "scheduling.volcano.sh/v1beta1",
                    "kind": "Queue",
                    "metadata": {
                        "name": f"q{index}",
                        "uid": f"q{index}",
                        "creationTimestamp": f"2026-01-01T00:00:{index:02}Z",
                    },
                    "spec": {"weight": self.rng.randint(1, 4), "reclaimable": True, **spec},
                    "status": {"state": "Open"},
                }
            )

    def add_job(
        self,
        pods: int,
        *,
        running: int = 0,
        minimum: int | None = None,
        requests: Object | None = None,
        limits: Object | None = None,
        annotations: Object | None = None,
        group: Object | None = None,
        labels: Object | None = None,
        pod: Callable[[int], Object] | None = None,
        priority: str = "",
    ) -> None:
        """Add a PodGroup with pods, of which the first run on random nodes."""
        self.count += 1
        name = f"job-{self.count:02}"
        made = f"2026-01-01T{self.count // 60:02}:{self.count % 60:02}:{self.rng.randint(0, 59):02}Z"
        requests = requests or {"cpu": str(self.rng.choice((1, 2, 4))), "memory": f"{self.rng.choice((1, 2, 4))}Gi"}
        spec: Object = {
            "queue": self.rng.choice(self.queues)["metadata"]["name"],
            "minMember": minimum or self.rng.randint(1, pods),
        }
        spec |= {"priorityClassName": priority} if priority else {}
        phase = "Running" if running >= spec["minMember"] else "Inqueue"
        self.jobs.append(
            {
                "apiVersion": "scheduling.volcano.sh/v1beta1",
                "kind": "PodGroup",
                "metadata": {
                    "name": name,
                    "namespace": "team",
                    "uid": f"pg-{name}",
                    "creationTimestamp": made,
                    "annotations": group or {},
                },
                "spec": spec,
                "status": {"phase": self.rng.choice((phase, "Pending")) if not running else phase},
            }
        )
        for index in range(pods):
            resources: Object = {"requests": requests} | ({"limits": limits} if limits else {})
            one: Object = {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {
                    "name": f"{name}-{index}",
                    "namespace": "team",
                    "uid": f"{name}-{index:03}",
                    "creationTimestamp": made,
                    "annotations": {
                        "scheduling.k8s.io/group-name": name,
                        "volcano.sh/task-spec": "worker",
                        **(annotations or {}),
                    },
                    "labels": {"job": name, **(labels or {})},
                },
                "spec": {
                    "schedulerName": "volcano",
                    "containers": [{"name": "main", "image": "busybox", "resources": resources}],
                },
                "status": {"phase": "Pending"},
            }
            one["spec"] |= {"priorityClassName": priority, "priority": PRIORITIES[priority]} if priority else {}
            if index < running:
                one["spec"]["nodeName"] = self.rng.choice(self.nodes)["metadata"]["name"]
                one["status"] = {"phase": "Running", "startTime": made}
            for path, value in (pod(index) if pod else {}).items():
                place = one
                *parents, last = path.split("/")
                for parent in parents:
                    place = place.setdefault(parent, {})
                place[last] = value
            self.jobs.append(one)

    def objects(self) -> Iterator[Object]:
        """Yield everything, in an order that a cache can take: nodes and queues first."""
        yield from (*self.nodes, *self.queues, *self.others, *self.jobs)


PRIORITIES: Final = {"low": 10, "high": 1000}


def priority_classes() -> list[Object]:
    """The PriorityClasses that jobs are of."""
    return [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in PRIORITIES.items()
    ]


def configuration(actions: str, *tiers: tuple[str | Object, ...], **more: Any) -> Object:
    """The scheduler's ConfigMap: tiers of plugins, by name or with arguments and flags."""
    written = [{"plugins": [{"name": each} if isinstance(each, str) else each for each in tier]} for tier in tiers]
    text = yaml.safe_dump({"actions": actions, "tiers": written, **more}, sort_keys=False)
    metadata = {"name": "volcano-scheduler-configmap", "namespace": "volcano-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"volcano-scheduler.conf": text}}


def disruption_budget(name: str, selector: Object | None, status: Object, namespace: str = "team") -> Object:
    """A PodDisruptionBudget, of which nothing is known yet where its status is empty."""
    made: Object = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"minAvailable": 1} | ({} if selector is None else {"selector": selector}),
    }
    return made | ({"status": status} if status else {})


def rescheduled(c: Cluster, strategies: Sequence[Object] | None, period: str = "10m") -> list[Object]:
    """Everything, with a configuration in which rescheduling evicts by some strategies, or by its own."""
    arguments: Object = {"interval": "1ms", "metricsPeriod": period}
    own = {"name": "rescheduling", "arguments": arguments | ({} if strategies is None else {"strategies": strategies})}
    return [configuration("enqueue, allocate, shuffle", ("priority", "gang", "predicates", own)), *c.objects()]


def plugin(name: str, **options: Any) -> Object:
    """A plugin with arguments; flags of extension points begin with `enable`."""
    flags = {key: value for key, value in options.items() if key.startswith("enable")}
    arguments = {key.replace("__", "."): value for key, value in options.items() if not key.startswith("enable")}
    return {"name": name, **flags} | ({"arguments": arguments} if arguments else {})


def around(cluster: Cluster, number: int, *own: str | Object) -> tuple[tuple[str | Object, ...], ...]:
    """The tiers for the plugins under test: few others in most scenarios, many in every third."""
    if number % 3 == 2:
        return (("priority", "gang", "conformance"), ("drf", "predicates", "proportion", "nodeorder", "binpack", *own))
    few = [
        ("gang", "predicates"),
        ("priority", "gang", "predicates", "proportion"),
        ("gang", "predicates", "nodeorder"),
    ]
    return ((*cluster.rng.choice(few), *own),)


def tdm(rng: random.Random, number: int) -> list[Object]:
    """Revocable nodes whose zones are open, closed or unknown; shuffle and preempt."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(3, 6), cpus=(4, 8))
    c.add_queues(2)
    for node in c.nodes:
        zone = rng.choice(("", "day", "night", "day", "nowhere" if number % 8 == 0 else ""))
        node["metadata"]["labels"] |= {"volcano.sh/revocable-zone": zone} if zone else {}
    for _ in range(rng.randint(4, 8)):
        pods = rng.randint(1, 5)
        annotations = rng.choice(
            (
                {},
                {"volcano.sh/revocable-zone": "*"},
                {"volcano.sh/preemptable": "true"},
                {"volcano.sh/preemptable": "false"},
            )
        )
        group = dict(rng.choice(({}, {"volcano.sh/preemptable": "true"})))
        group |= rng.choice(({}, {}, {"volcano.sh/jdb-min-available": "2"}, {"volcano.sh/jdb-max-unavailable": "50%"}))
        c.add_job(
            pods,
            running=rng.choice((0, pods, pods - 1)),
            annotations=annotations,
            group=group,
            priority=rng.choice(("low", "high")),
        )
    c.others += priority_classes()
    zones = {"tdm.revocable-zone.day": "08:00-18:00", "tdm.revocable-zone.night": "20:00-23:00"}
    actions = rng.choice(
        (
            "enqueue, allocate, backfill",
            "enqueue, allocate, preempt, backfill",
            "allocate, shuffle",
            "enqueue, allocate, preempt, shuffle",
        )
    )
    arguments = {**zones, **rng.choice(({}, {"tdm.evict.period": "1m"}))}
    return [configuration(actions, *around(c, number, {"name": "tdm", "arguments": arguments})), *c.objects()]


def pdb(rng: random.Random, number: int) -> list[Object]:
    """Disruption budgets against preemption, reclaim and shuffle."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 4), cpus=(8,))
    c.add_queues(2)
    for index in range(rng.randint(5, 8)):
        pods = rng.randint(2, 5)
        old = index < 4
        c.add_job(
            pods,
            running=pods if old else 0,
            minimum=1 if old else None,
            annotations=rng.choice(({}, {"volcano.sh/preemptable": "true"})),
            priority="low" if old else "high",
            labels={"app": rng.choice("ab")},
            requests={"cpu": "2", "memory": "1Gi"},
            pod=(lambda _: {"metadata/labels": {}}) if rng.random() < 0.1 else None,
        )
    for name in "ab":
        status = {"disruptionsAllowed": rng.randint(0, 3), "currentHealthy": 5, "desiredHealthy": 3, "expectedPods": 5}
        c.others.append(disruption_budget(name, {"matchLabels": {"app": name}}, status))
    c.others += priority_classes()
    actions = rng.choice(
        (
            "enqueue, allocate, preempt, backfill",
            "enqueue, reclaim, allocate, preempt",
            "reclaim, allocate",
            "allocate, preempt",
        )
    )
    return [
        configuration(actions, *around(c, number, rng.choice(("pdb", plugin("pdb", enablePreemptable=True))))),
        *c.objects(),
    ]


def metrics(c: Cluster, unknown: float = 0.0) -> None:
    """Say how busy each node is."""
    for node in c.nodes:
        if c.rng.random() < unknown:
            continue
        cpu = float(node["status"]["allocatable"]["cpu"])
        used = {
            "cpu": f"{int(cpu * c.rng.choice((0.05, 0.2, 0.5, 0.79, 0.81, 0.95)) * 1000)}m",
            "memory": f"{int(cpu * 4 * c.rng.choice((0.1, 0.4, 0.6, 0.9)) * 1024)}Mi",
        }
        c.measure(node, used)


def usage(rng: random.Random, number: int) -> list[Object]:
    """Nodes that are busy, by what is measured."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(3, 7), cpus=(4, 8, 16))
    c.add_queues(2)
    for _ in range(rng.randint(4, 9)):
        pods = rng.randint(1, 4)
        c.add_job(pods, running=rng.choice((0, 0, 1)))
    metrics(c)
    arguments: Object = rng.choice(({}, {"usage.weight": 5, "cpu.weight": 2, "memory.weight": 1}, {"cpu.weight": 0}))
    arguments |= rng.choice(({}, {"thresholds": {"cpu": 60, "mem": 70}}, {"thresholds": {"cpu": 90}}))
    own = {"name": "usage", **rng.choice(({}, {"enablePredicate": False})), "arguments": dict(arguments)}
    return [configuration("enqueue, allocate, backfill", *around(c, number, own)), *c.objects()]


def rescheduling(rng: random.Random, number: int) -> list[Object]:
    """Pods that leave busy nodes."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(3, 6), cpus=(8, 16))
    c.add_queues(1)
    for _ in range(rng.randint(5, 9)):
        pods = rng.randint(1, 4)
        limited = rng.random() < 0.3
        amounts = {"cpu": "2", "memory": "2Gi"}
        c.add_job(
            pods,
            running=pods,
            requests=amounts,
            limits=dict(amounts) if limited else None,
            priority=rng.choice(("low", "high")),
        )
    metrics(c)
    c.others += priority_classes()
    params: Object = {
        "thresholds": {"cpu": 30, "memory": 50},
        "targetThresholds": {"cpu": rng.choice((60, 80)), "memory": rng.choice((50, 80))},
    }
    arguments = {
        "interval": "5m",
        "metricsPeriod": "10m",
        "strategies": [{"name": "lowNodeUtilization", "params": params}],
    }
    own = {"name": "rescheduling", "arguments": arguments}
    return [
        configuration(
            "enqueue, allocate, backfill, shuffle", *around(c, number, own, *(("pdb",) if number % 5 == 0 else ()))
        ),
        *c.objects(),
    ]


def numa(rng: random.Random, number: int) -> list[Object]:
    """Numatopologies, and Guaranteed pods with whole CPUs."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 4), cpus=(8, 16))
    c.add_queues(1)
    for node in c.nodes:
        if rng.random() < 0.1:
            continue
        cpus, numas = int(node["status"]["allocatable"]["cpu"]), rng.choice((1, 2, 2, 4))
        detail = {
            str(each): {"numa": each * numas // cpus, "socket": each * min(numas, 2) // cpus, "core": each // 2}
            for each in range(cpus)
        }
        free = rng.sample(range(cpus), rng.randint(cpus // 2, cpus))
        manager = rng.choice(("static", "static", "static", "none"))
        numatopology(c, node, detail, free, rng.choice(POLICIES), manager=manager)
    for _ in range(rng.randint(4, 7)):
        aligned(
            c,
            pods=rng.randint(1, 3),
            cpu=rng.choice(("1", "2", "3", "4", "500m", "6")),
            policy=rng.choice(("", "", "best-effort", "restricted", "single-numa-node", "none")),
            limited=rng.random() < 0.8,
        )
    own = plugin("numa-aware", **rng.choice(({}, {"weight": 10})))
    return [
        configuration(rng.choice(("enqueue, allocate, backfill", "allocate")), *around(c, number, own)),
        *c.objects(),
    ]


POLICIES: Final = ("none", "best-effort", "restricted", "single-numa-node")
"""Those of a kubelet's topology manager."""


def numatopology(
    c: Cluster,
    node: Object,
    detail: Object,
    free: Iterable[int] | str,
    policy: str,
    *,
    manager: str = "static",
    reserved: str = "0",
) -> None:
    """Add the Numatopology of a node: where each of its CPUs is, which are free, and the kubelet's policies."""
    listed = free if isinstance(free, str) else ",".join(map(str, sorted(free)))
    spec = {
        "policies": {"CPUManagerPolicy": manager, "TopologyManagerPolicy": policy},
        "resReserved": {"cpu": reserved},
        "numares": {"cpu": {"allocatable": listed, "capacity": len(detail)}},
        "cpuDetail": detail,
    }
    metadata = {"name": node["metadata"]["name"]}
    c.others.append(
        {"apiVersion": "nodeinfo.volcano.sh/v1alpha1", "kind": "Numatopology", "metadata": metadata, "spec": spec}
    )


def aligned(
    c: Cluster, cpu: int | str, policy: str, pods: int = 1, *, memory: str = "1Gi", limited: bool = True, **more: Any
) -> None:
    """Add a job whose pods want CPUs of their own by a policy; with no limits, they are Guaranteed in name only."""
    amounts = {"cpu": str(cpu), "memory": memory}
    c.add_job(
        pods,
        requests=amounts,
        limits=dict(amounts) if limited else None,
        annotations={"volcano.sh/numa-topology-policy": policy} if policy else {},
        pod=lambda _: {"status/qosClass": "Guaranteed"},
        **more,
    )


def devices(rng: random.Random, number: int) -> list[Object]:
    """Shares of GPUs, whole GPUs, and HAMi's virtual GPUs."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 4), cpus=(16,))
    c.add_queues(2)
    kind = ("GPUSharingEnable", "GPUNumberEnable", "VGPUEnable")[number % 3]
    for node in c.nodes:
        gpus, name = rng.randint(0, 4), node["metadata"]["name"]
        if not gpus:
            continue
        if kind == "VGPUEnable":
            model = rng.choice(("NVIDIA-T4", "NVIDIA-A100"))
            listed = "".join(
                f"GPU-{name}-{gpu},{rng.choice((2, 10))},{rng.choice((8000, 16000))},{model},true,:"
                for gpu in range(gpus)
            )
            node["metadata"]["annotations"] |= {
                "volcano.sh/node-vgpu-register": listed,
                "volcano.sh/node-vgpu-handshake": "Reported 2026-11-21 12:00:00",
            }
            amounts = {
                "volcano.sh/vgpu-number": str(gpus * 10),
                "volcano.sh/vgpu-memory": str(gpus * 16000),
                "volcano.sh/vgpu-cores": str(gpus * 100),
            }
        else:
            amounts = {"volcano.sh/gpu-memory": str(gpus * 16), "volcano.sh/gpu-number": str(gpus)}
            if rng.random() < 0.2:
                node["metadata"]["annotations"]["volcano.sh/gpu-unhealthy-ids"] = "0"
        offer(node, amounts)
    for _ in range(rng.randint(4, 8)):
        pods = rng.randint(1, 4)
        annotations: Object = {}
        if kind == "VGPUEnable":
            limits = {"volcano.sh/vgpu-number": str(rng.choice((1, 1, 2)))}
            limits |= rng.choice(({}, {"volcano.sh/vgpu-memory": str(rng.choice((1000, 4000, 9000)))}))
            limits |= rng.choice(({}, {"volcano.sh/vgpu-cores": str(rng.choice((30, 60, 100)))}))
            annotations = rng.choice(({}, {}, {"nvidia.com/use-gputype": "A100"}, {"nvidia.com/nouse-gputype": "T4"}))
        elif kind == "GPUSharingEnable":
            limits = {"volcano.sh/gpu-memory": str(rng.choice((2, 5, 8, 12)))}
        else:
            limits = {"volcano.sh/gpu-number": str(rng.choice((1, 1, 2, 3)))}
        c.add_job(pods, requests={"cpu": "1", "memory": "1Gi", **limits}, limits=limits, annotations=annotations)
    arguments: Object = {f"deviceshare.{kind}": True}
    arguments |= rng.choice(
        ({}, {"deviceshare.SchedulePolicy": rng.choice(("binpack", "spread")), "deviceshare.ScheduleWeight": 10})
    )
    return [
        configuration(
            "enqueue, allocate, backfill", *around(c, number, {"name": "deviceshare", "arguments": arguments})
        ),
        *c.objects(),
    ]


EXACTLY_ONE: Final = {"allocationMode": "ExactCount", "count": 1}
"""What the API server fills in."""


def _claiming(job: int, index: int) -> Object:
    """What a pod has that uses its own claim."""
    return {"spec/resourceClaims": [{"name": "device", "resourceClaimName": f"claim-{job}-{index}"}]}


def dynamic_resources(rng: random.Random, number: int) -> list[Object]:
    """ResourceClaims, with selectors in CEL, against ResourceSlices."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 4), cpus=(16,))
    c.add_queues(1)
    api = "resource.k8s.io/v1"
    classes = {
        "gpu": 'device.driver == "gpu.example.com"',
        "large": (
            'device.driver == "gpu.example.com" && '
            'device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0'
        ),
        "a100": 'device.attributes["gpu.example.com"].model == "a100"',
    }
    for name, expression in classes.items():
        c.others.append(
            {
                "apiVersion": api,
                "kind": "DeviceClass",
                "metadata": {"name": name},
                "spec": {"selectors": [{"cel": {"expression": expression}}]},
            }
        )
    for node in c.nodes:
        name = node["metadata"]["name"]
        listed = [
            {
                "name": f"gpu-{index}",
                "attributes": {
                    "model": {"string": rng.choice(("a100", "t4"))},
                    "index": {"int": index},
                    "numa": {"int": index // 2},
                    "ecc": {"bool": rng.random() < 0.5},
                },
                "capacity": {"memory": {"value": rng.choice(("16Gi", "40Gi", "80Gi"))}},
            }
            for index in range(rng.randint(1, 4))
        ]
        pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": "gpu.example.com", "nodeName": name, "pool": pool, "devices": listed}
        c.others.append(
            {"apiVersion": api, "kind": "ResourceSlice", "metadata": {"name": f"slice-{name}"}, "spec": spec}
        )
    selectors = (
        'device.attributes["gpu.example.com"].ecc',
        (
            'device.attributes["gpu.example.com"].index > 0 && '
            'device.attributes["gpu.example.com"].model in ["a100", "h100"]'
        ),
        'device.attributes["gpu.example.com"].model.startsWith("a")',
        'has(device.attributes["gpu.example.com"].numa) && device.attributes["gpu.example.com"].numa == 0',
    )
    for job in range(rng.randint(3, 6)):
        pods = rng.randint(1, 3)
        for index in range(pods):
            request: Object = {"deviceClassName": rng.choice(tuple(classes)), **EXACTLY_ONE}
            request |= rng.choice(({}, {"count": rng.randint(1, 3)}))
            if number % 6 == 0 and rng.random() < 0.3:
                request = {"deviceClassName": request["deviceClassName"], "allocationMode": "All"}
            if rng.random() < 0.4:
                request["selectors"] = [{"cel": {"expression": rng.choice(selectors)}}]
            asked: Object = {"name": "one", "exactly": request}
            if rng.random() < 0.2:
                asked = {
                    "name": "one",
                    "firstAvailable": [
                        {"name": "big", "deviceClassName": "large", **EXACTLY_ONE},
                        {"name": "any", "deviceClassName": "gpu", **EXACTLY_ONE},
                    ],
                }
            spec = {"devices": {"requests": [asked]}}
            if request.get("count", 1) > 1 and "exactly" in asked and rng.random() < 0.5:
                spec["devices"]["constraints"] = [{"requests": ["one"], "matchAttribute": "gpu.example.com/model"}]
            c.others.append(
                {
                    "apiVersion": api,
                    "kind": "ResourceClaim",
                    "metadata": {"name": f"claim-{job}-{index}", "namespace": "team", "uid": f"claim-{job}-{index}"},
                    "spec": spec,
                }
            )
        c.add_job(
            pods,
            requests={"cpu": "1", "memory": "1Gi"},
            pod=partial(_claiming, job),
        )
    arguments = {"predicate.DynamicResourceAllocationEnable": True}
    tiers = around(c, number)
    tiers = tuple(
        tuple({"name": each, "arguments": arguments} if each == "predicates" else each for each in tier)
        for tier in tiers
    )
    return [configuration("enqueue, allocate, backfill", *tiers), *c.objects()]


VERBS: Final = (
    "predicateVerb",
    "prioritizeVerb",
    "preemptableVerb",
    "reclaimableVerb",
    "queueOverusedVerb",
    "jobEnqueueableVerb",
    "jobReadyVerb",
    "allocateFuncVerb",
)


def extender(rng: random.Random, number: int) -> list[Object]:
    """An HTTP server that takes part."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(3, 5), cpus=(8,))
    c.add_queues(2)
    for index in range(rng.randint(5, 8)):
        pods, old = rng.randint(1, 4), index < 3
        c.add_job(
            pods,
            running=pods if old else 0,
            minimum=1 if old else None,
            annotations={"volcano.sh/preemptable": "true"},
            priority="low" if old else "high",
        )
    c.others += priority_classes()
    arguments: Object = {
        "extender.urlPrefix": EXTENDER,
        "extender.httpTimeout": "5s",
        "extender.onSessionOpenVerb": "onSessionOpenVerb",
    }
    arguments |= {f"extender.{verb}": verb for verb in VERBS if rng.random() < 0.5}
    arguments |= rng.choice(({}, {"extender.ignorable": True}))
    actions = rng.choice(
        ("enqueue, allocate, backfill", "enqueue, allocate, preempt, backfill", "enqueue, reclaim, allocate")
    )
    return [configuration(actions, *around(c, number, {"name": "extender", "arguments": arguments})), *c.objects()]


def sharding(rng: random.Random, number: int) -> list[Object]:
    """NodeShards, hard and soft."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(3, 6), cpus=(4, 8))
    c.add_queues(2)
    names = [node["metadata"]["name"] for node in c.nodes]
    mine = [name for name in names if rng.random() < 0.5]
    shards = {"volcano": mine, "other": [name for name in names if name not in mine]}
    for name, wanted in shards.items():
        c.others.append(
            {
                "apiVersion": "shard.volcano.sh/v1alpha1",
                "kind": "NodeShard",
                "metadata": {"name": name},
                "spec": {"nodesDesired": wanted},
                "status": {"nodesInUse": rng.sample(wanted, rng.randint(0, len(wanted)))},
            }
        )
    for index in range(rng.randint(4, 8)):
        pods, old = rng.randint(1, 4), index < 2
        c.add_job(
            pods,
            running=pods if old else 0,
            priority="low" if old else "high",
            annotations={"volcano.sh/preemptable": "true"},
        )
    c.others += priority_classes()
    actions = rng.choice(
        ("enqueue, allocate, backfill", "enqueue, allocate, preempt, backfill", "enqueue, reclaim, allocate")
    )
    flags = {"scheduler-sharding-mode": ("hard", "soft")[number % 2], "scheduler-sharding-name": "volcano"}
    return [
        {"apiVersion": "vqs/v1", "kind": "Scenario", "flags": flags},
        configuration(actions, *around(c, number)),
        *c.objects(),
    ]


def gang_evictions(action: str, rng: random.Random, number: int) -> list[Object]:
    """The actions gangpreempt and gangreclaim of v1.15, on full nodes, in HyperNodes in every third scenario."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 4), cpus=(8,))
    c.add_queues(rng.choice((1, 2, 2)) if action == "gangpreempt" else 3)
    if rng.random() < 0.5:
        for queue in c.queues:
            queue["spec"]["deserved"] = {"cpu": str(rng.choice((4, 8, 12))), "memory": "64Gi"}
    free = {node["metadata"]["name"]: 8 for node in c.nodes}
    topology = number % 3 == 0
    for index in range(rng.randint(7, 11)):
        old = index < 6
        cpu = rng.choice((1, 2, 2))
        pods = rng.randint(1, 4)
        places = [name for name, left in free.items() for _ in range(left // cpu)] if old else []
        rng.shuffle(places)
        places = places[:pods]
        for name in places:
            free[name] -= cpu
        minimum = rng.randint(1, pods)
        c.add_job(
            pods,
            running=len(places),
            minimum=min(minimum, len(places)) if places else minimum,
            annotations=rng.choice(({}, {PREEMPTABLE: "true"}, {PREEMPTABLE: "true"}, {PREEMPTABLE: "true"})),
            priority="low" if old else rng.choice(("low", "high", "high")),
            requests={"cpu": str(cpu), "memory": "1Gi"},
            pod=partial(_placed_at, places),
        )
        if topology and not old and rng.random() < 0.7:
            group = next(each for each in reversed(c.jobs) if each["kind"] == "PodGroup")
            group["spec"]["networkTopology"] = {"mode": "hard", "highestTierAllowed": rng.choice((1, 1, 2))}
    c.others += priority_classes()
    if topology:
        hyper_nodes(c)
    actions = rng.choice(
        (
            f"enqueue, allocate, {action}, backfill",
            f"enqueue, allocate, {action}",
            f"{action}, allocate",
        )
    )
    configurations = rng.choice(
        (
            [],
            [{"name": action, "arguments": {"allowWholeBundle": "false"}}],
            [{"name": action, "arguments": {"maxDomains": 1}}],
        )
    )
    more = {"configurations": configurations} if configurations else {}
    own = ("network-topology-aware",) if topology else ()
    return [configuration(actions, *around(c, number, *own), **more), *c.objects()]


def _placed_at(places: list[str], index: int) -> Object:
    return {"spec/nodeName": places[index]} if index < len(places) else {}


def hyper_node(c: Cluster, name: str, tier: int, kind: str, members: Iterable[str]) -> None:
    """Add a HyperNode of some nodes, or of other HyperNodes."""
    exact = [{"type": kind, "selector": {"exactMatch": {"name": each}}} for each in members]
    one = {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": {"name": name}}
    c.others.append({**one, "spec": {"tier": tier, "members": exact}})


def hyper_nodes(c: Cluster) -> None:
    """Add two HyperNodes of tier 1 that share the nodes, and one of tier 2 above them."""
    names = [node["metadata"]["name"] for node in c.nodes]
    half = len(names) // 2
    hyper_node(c, "s0", 1, "Node", names[:half])
    hyper_node(c, "s1", 1, "Node", names[half:])
    hyper_node(c, "s2", 2, "HyperNode", ["s0", "s1"])


PREEMPTABLE: Final = "volcano.sh/preemptable"


def volumes(rng: random.Random, number: int) -> list[Object]:
    """Claims that are bound, that wait for their pods or for nobody, volumes of zones and nodes, limits of drivers."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(3, 5), cpus=(8, 16))
    for node in c.nodes:
        node["metadata"]["labels"]["topology.kubernetes.io/zone"] = node["metadata"]["labels"].pop("zone")
    c.add_queues(rng.randint(1, 2))
    names = [node["metadata"]["name"] for node in c.nodes]
    c.others += storage_classes()
    driver = "disk.example.com"
    if number % 2:
        c.others.append(
            {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": driver}, "spec": {}}
        )
    for name in names:
        has: Object = {"name": driver, "nodeID": name, "topologyKeys": []}
        has |= rng.choice(({}, {"allocatable": {"count": rng.randint(1, 3)}}))
        metadata, spec = {"name": name}, {"drivers": [has]}
        c.others.append({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": metadata, "spec": spec})
    for index in range(rng.randint(2, 5)):
        c.others.append(persistent_volume(f"pv-local-{index}", "local", rng.choice(("5Gi", "10Gi", "20Gi"))))
        add_reach(c.others[-1], "kubernetes.io/hostname", rng.choice(names))
    claims = count(1)
    for _ in range(rng.randint(4, 7)):
        pods = rng.randint(1, 4)
        kind = rng.choice(("local", "local", "made", "zoned", "bound", "bound", "lost", "at-once", "none", "missing"))
        fields: Callable[[int], Object] | None = partial(claimed, c, claims, kind)
        if kind == "none":
            fields = None
        if kind == "missing":
            fields = partial(claimed_by_all, "no-such-claim")
        c.add_job(pods, requests={"cpu": str(rng.choice((1, 2))), "memory": "1Gi"}, pod=fields)
    return [configuration("enqueue, allocate, backfill", *around(c, number)), *c.objects()]


def offer(node: Object, amounts: dict[str, str]) -> None:
    """Have a node offer amounts of resources, beside those that it has."""
    node["status"]["allocatable"] |= amounts
    node["status"]["capacity"] |= amounts


def storage_classes() -> Iterator[Object]:
    """The classes of volumes that are there, and of those that are made: at a pod's node, in two zones, or at once."""
    waiting = "WaitForFirstConsumer"
    for name, provisioner, mode in (
        ("local", "kubernetes.io/no-provisioner", waiting),
        ("made", "disk.example.com", waiting),
        ("zoned", "disk.example.com", waiting),
        ("at-once", "disk.example.com", "Immediate"),
    ):
        one: Object = {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": name},
            "provisioner": provisioner,
            "volumeBindingMode": mode,
        }
        if name == "zoned":
            zones = {"key": "topology.kubernetes.io/zone", "values": ["z0", "z1"]}
            one["allowedTopologies"] = [{"matchLabelExpressions": [zones]}]
        yield one


def claimed(c: Cluster, numbers: Iterator[int], kind: str, _: int) -> Object:
    """The fields of a pod with a claim of its own, which is added; of one that is bound, its volume, too."""
    name = f"claim-{next(numbers):02}"
    claim: Object = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "team", "uid": name, "resourceVersion": "1", "annotations": {}},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local" if kind in ("bound", "lost") else kind,
            "resources": {"requests": {"storage": c.rng.choice(("4Gi", "8Gi", "15Gi"))}},
        },
        "status": {"phase": "Pending"},
    }
    if kind in ("bound", "lost"):
        claim["spec"]["volumeName"] = f"pv-{name}"
        claim["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] = "yes"
        claim["status"]["phase"] = "Bound"
    if kind == "bound":
        volume = persistent_volume(f"pv-{name}", "local", "20Gi")
        volume["spec"]["claimRef"] = {"kind": "PersistentVolumeClaim", "namespace": "team", "name": name, "uid": name}
        volume["status"] = {"phase": "Bound"}
        if c.rng.random() < 0.5:
            names = [node["metadata"]["name"] for node in c.nodes]
            add_reach(volume, "kubernetes.io/hostname", c.rng.choice(names))
        else:
            zone = c.rng.choice(("z0", "z1", "z2", "z0__z1"))
            volume["metadata"]["labels"] = {"topology.kubernetes.io/zone": zone}
        c.others.append(volume)
    c.others.append(claim)
    return {"spec/volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]}


def claimed_by_all(name: str, _: int) -> Object:
    """The fields of a pod with a claim that others have, too."""
    return {"spec/volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]}


def persistent_volume(name: str, of_class: str, size: str) -> Object:
    """A volume that is free."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "uid": name, "resourceVersion": "1"},
        "spec": {
            "capacity": {"storage": size},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": of_class,
            "csi": {"driver": "disk.example.com", "volumeHandle": name},
        },
        "status": {"phase": "Available"},
    }


def add_reach(volume: Object, key: str, value: str) -> None:
    """Let nodes with a label alone reach a volume."""
    term = {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}
    volume["spec"]["nodeAffinity"] = {"required": {"nodeSelectorTerms": [term]}}


def ascend(rng: random.Random, number: int) -> list[Object]:
    """HAMi's virtual NPUs, whole or in parts, in networks, with those that run."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 4), cpus=(32,))
    c.add_queues(1)
    for node in c.nodes:
        cards = [
            {
                "id": f"{node['metadata']['name']}-npu-{index}",
                "count": rng.choice((1, 4)),
                "devmem": 21527,
                "devcore": 8,
                "type": "Ascend310P",
                "health": rng.random() < 0.9,
                "custominfo": {"NetworkID": index // 2},
            }
            for index in range(rng.randint(1, 4))
        ]
        node["metadata"]["annotations"] = {
            "hami.io/node-register-Ascend310P": json.dumps(cards),
            "hami.io/node-handshake-Ascend310P": "Reported_2026.11.21 12:00:00",
        }
        for amounts in (node["status"]["allocatable"], node["status"]["capacity"]):
            amounts["huawei.com/Ascend310P"] = "16"
            amounts["huawei.com/Ascend310P-memory"] = "200000"
    for _ in range(rng.randint(3, 6)):
        asked = {"huawei.com/Ascend310P": str(rng.choice((1, 1, 2)))}
        asked |= rng.choice(({}, {"huawei.com/Ascend310P-memory": str(rng.choice((2000, 5000, 12288)))}))
        c.add_job(rng.randint(1, 4), requests={"cpu": "1", "memory": "1Gi", **asked}, limits=asked)
    arguments: Object = {
        "deviceshare.AscendHAMiVNPUEnable": True,
        "deviceshare.SchedulePolicy": rng.choice(("binpack", "spread")),
    }
    arguments |= rng.choice(({}, {"deviceshare.ScheduleWeight": 10}))
    return [
        configuration("enqueue, allocate", *around(c, number, {"name": "deviceshare", "arguments": arguments})),
        *c.objects(),
    ]


FAMILIES: Final[dict[str, Callable[[random.Random, int], list[Object]]]] = {
    "tdm": tdm,
    "pdb": pdb,
    "usage": usage,
    "rescheduling": rescheduling,
    "numa-aware": numa,
    "deviceshare": devices,
    "dynamic-resources": dynamic_resources,
    "extender": extender,
    "volumes": volumes,
    "ascend": ascend,
    "sharding": sharding,
    "gangpreempt": partial(gang_evictions, "gangpreempt"),
    "gangreclaim": partial(gang_evictions, "gangreclaim"),
}


Families = dict[str, Callable[[random.Random, int], list[Object]]]


def write(
    families: Families, folder: str, *names: str, numbers: range = SCENARIOS, further: Mapping[str, Sequence[int]] = {}
) -> None:
    """Write all scenarios of some families, or of all of them; some have further ones."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for family in names or families:
        for number in (*numbers, *further.get(family, ())):
            objects = families[family](random.Random(f"{family}-{number}"), number)
            text = "---\n".join(yaml.safe_dump(json.loads(json.dumps(each)), sort_keys=False) for each in objects)
            (place / f"{family}-{number}.yaml").write_text(f"# {family}, seed {number}\n{text}", encoding="utf-8")


if __name__ == "__main__":
    write(FAMILIES, *sys.argv[1:])
