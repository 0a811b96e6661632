"""Write random scenarios for the parts of the scheduler that need more than nodes, queues, jobs and pods.

    python generate.py FOLDER [FAMILY ...]

Each family is a part of the scheduler: a plugin, or an action. Scenario N of a family is the same in each run. Every
third has several plugins together, as real configurations have them.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import yaml

Object = dict[str, Any]

SCENARIOS: Final = range(100, 130)

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
        made = f"2026-01-01T00:{self.count:02}:{self.rng.randint(0, 59):02}Z"
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


def configuration(actions: str, *tiers: tuple[str | Object, ...]) -> Object:
    """The scheduler's ConfigMap: tiers of plugins, by name or with arguments and flags."""
    written = [{"plugins": [{"name": each} if isinstance(each, str) else each for each in tier]} for tier in tiers]
    text = yaml.safe_dump({"actions": actions, "tiers": written}, sort_keys=False)
    metadata = {"name": "volcano-scheduler-configmap", "namespace": "volcano-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"volcano-scheduler.conf": text}}


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
        c.others.append(
            {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": {"name": name, "namespace": "team"},
                "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": name}}},
                "status": status,
            }
        )
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


def metrics(c: Cluster) -> None:
    """Say how busy each node is."""
    for node in c.nodes:
        c.rng.random()  # not used, and drawn as it was when the scenarios were recorded
        cpu = float(node["status"]["allocatable"]["cpu"])
        used = {
            "cpu": f"{int(cpu * c.rng.choice((0.05, 0.2, 0.5, 0.79, 0.81, 0.95)) * 1000)}m",
            "memory": f"{int(cpu * 4 * c.rng.choice((0.1, 0.4, 0.6, 0.9)) * 1024)}Mi",
        }
        c.others.append(
            {
                "apiVersion": "metrics.k8s.io/v1beta1",
                "kind": "NodeMetrics",
                "metadata": {"name": node["metadata"]["name"]},
                "timestamp": "2026-11-21T12:00:00Z",
                "window": "10s",
                "usage": used,
            }
        )


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
        free = sorted(rng.sample(range(cpus), rng.randint(cpus // 2, cpus)))
        c.others.append(
            {
                "apiVersion": "nodeinfo.volcano.sh/v1alpha1",
                "kind": "Numatopology",
                "metadata": {"name": node["metadata"]["name"]},
                "spec": {
                    "policies": {
                        "CPUManagerPolicy": rng.choice(("static", "static", "static", "none")),
                        "TopologyManagerPolicy": rng.choice(("none", "best-effort", "restricted", "single-numa-node")),
                    },
                    "resReserved": {"cpu": "0"},
                    "numares": {"cpu": {"allocatable": ",".join(map(str, free)), "capacity": cpus}},
                    "cpuDetail": detail,
                },
            }
        )
    for _ in range(rng.randint(4, 7)):
        pods = rng.randint(1, 3)
        cpu = rng.choice(("1", "2", "3", "4", "500m", "6"))
        amounts = {"cpu": cpu, "memory": "1Gi"}
        policy = rng.choice(("", "", "best-effort", "restricted", "single-numa-node", "none"))
        c.add_job(
            pods,
            requests=amounts,
            limits=dict(amounts) if rng.random() < 0.8 else None,
            annotations={"volcano.sh/numa-topology-policy": policy} if policy else {},
            pod=lambda _: {"status/qosClass": "Guaranteed"},
        )
    own = plugin("numa-aware", **rng.choice(({}, {"weight": 10})))
    return [
        configuration(rng.choice(("enqueue, allocate, backfill", "allocate")), *around(c, number, own)),
        *c.objects(),
    ]


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
        node["status"]["allocatable"] |= amounts
        node["status"]["capacity"] |= amounts
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


FAMILIES: Final[dict[str, Callable[[random.Random, int], list[Object]]]] = {
    "tdm": tdm,
    "pdb": pdb,
    "usage": usage,
    "rescheduling": rescheduling,
    "numa-aware": numa,
    "deviceshare": devices,
    "dynamic-resources": dynamic_resources,
    "sharding": sharding,
}


def main(folder: str, *families: str) -> None:
    """Write all scenarios of the families, or of all of them."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for family in families or FAMILIES:
        for number in SCENARIOS:
            objects = FAMILIES[family](random.Random(f"{family}-{number}"), number)
            text = "---\n".join(yaml.safe_dump(json.loads(json.dumps(each)), sort_keys=False) for each in objects)
            (place / f"{family}-{number}.yaml").write_text(f"# {family}, seed {number}\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
