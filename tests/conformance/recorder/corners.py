"""Write random scenarios for what those of generate.py seldom reach: corners of plugins, and what later releases added.

    python -m tests.conformance.recorder.corners FOLDER [FAMILY ...]

The families are as in generate.py, and so are their scenarios.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from tests.conformance.recorder.generate import (
    POLICIES,
    PREEMPTABLE,
    Cluster,
    Object,
    aligned,
    around,
    configuration,
    hyper_nodes,
    metrics,
    numatopology,
    offer,
    plugin,
    priority_classes,
    write,
)

TOGETHER: Final = ("priority", "gang", "conformance", "predicates", "nodeorder")


VIRTUAL_GPUS: Final = {
    "volcano.sh/vgpu-number": "20",
    "volcano.sh/vgpu-memory": "120000",
    "volcano.sh/vgpu-cores": "300",
}
"""What a node with two GPUs offers of virtual ones."""


def tree_of_queues(c: Cluster, **amounts: Callable[[], Object]) -> None:
    """Put the queues below two parents, and the parents below the root; amounts are made for each queue."""
    c.add_queues(rng_between(c.rng, 3, 5))
    leaves = list(c.queues)
    for queue in leaves:
        queue["spec"]["parent"] = c.rng.choice(("p0", "p1"))
    for name, parent in (("root", ""), ("p0", "root"), ("p1", "p0" if c.rng.random() < 0.3 else "root")):
        one = json.loads(json.dumps(leaves[0]))
        one["metadata"] |= {"name": name, "uid": name}
        one["spec"] = {"weight": 1, "reclaimable": True} | ({"parent": parent} if parent else {})
        c.others.append(one)
    parents = [each for each in c.others if each["kind"] == "Queue" and each["metadata"]["name"] != "root"]
    for queue in (*leaves, *parents):
        for field, make in amounts.items():
            if c.rng.random() < 0.7:
                queue["spec"][field] = make()


def queues_with(c: Cluster, quota: Callable[[], Object], *, flat: int) -> None:
    """Add queues that may hold no more than some quotas: so many beside each other, or a tree of them."""
    if not flat:
        tree_of_queues(c, capability=quota)
        return
    c.add_queues(flat)
    for queue in c.queues:
        queue["spec"] |= {"capability": quota()} if c.rng.random() < 0.8 else {}


def rng_between(rng: random.Random, least: int, most: int) -> int:
    """A number of these."""
    return rng.randint(least, most)


def full_and_hungry(c: Cluster, old: int, new: int, **more: Any) -> None:
    """Add jobs that fill nodes with pods of two cores, and those that want their room."""
    places = [
        node["metadata"]["name"] for node in c.nodes for _ in range(int(node["status"]["allocatable"]["cpu"]) // 2)
    ]
    c.rng.shuffle(places)
    for _ in range(old):
        taken = [places.pop() for _ in range(min(len(places), c.rng.randint(1, 4)))]
        if taken:
            c.add_job(
                len(taken),
                running=len(taken),
                minimum=1,
                annotations=c.rng.choice(({PREEMPTABLE: "true"}, {PREEMPTABLE: "true"}, {})),
                priority="low",
                requests={"cpu": "2", "memory": "1Gi"},
                pod=partial(at, taken),
            )
    for _ in range(new):
        c.add_job(
            c.rng.randint(1, 4),
            priority=c.rng.choice(("high", "high", "low")),
            requests={"cpu": "2", "memory": "1Gi"},
            **more,
        )
    c.others += priority_classes()


def at(places: list[str], index: int) -> Object:
    """The field of a running pod that says where it is."""
    return {"spec/nodeName": places[index]} if index < len(places) else {}


def add_victim(
    c: Cluster,
    node: str,
    cpu: int | str,
    *,
    held: Mapping[str, str] = {},
    devices: Mapping[str, str] = {},
    priority: str = "low",
    **more: Any,
) -> None:
    """Add a pod that runs on a node and may be evicted; annotations tell which devices it holds of those asked for."""
    c.add_job(
        1,
        running=1,
        annotations={PREEMPTABLE: "true", **held},
        priority=priority,
        requests={"cpu": str(cpu), "memory": "1Gi", **devices},
        limits=dict(devices),
        pod=partial(at, [node]),
        **more,
    )


def capacity_tree(rng: random.Random, number: int) -> list[Object]:
    """Queues below others that reclaim, also as far up as `ancestorReclaimLevel` says."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 4), cpus=(8,))
    tree_of_queues(c, deserved=lambda: {"cpu": str(rng.choice((2, 4, 8))), "memory": rng.choice(("0", "16Gi", "64Gi"))})
    full_and_hungry(c, 8, rng.randint(3, 6))
    own = {"name": "capacity", "enableHierarchy": True}
    if number % 4:
        own["arguments"] = {"ancestorReclaimLevel": number % 4 if number % 5 else -1}
    actions = rng.choice(
        ("enqueue, reclaim, allocate", "reclaim, allocate, preempt", "enqueue, allocate, reclaim, backfill")
    )
    return [configuration(actions, (*TOGETHER, own)), *c.objects()]


def capacity_devices(rng: random.Random, number: int) -> list[Object]:
    """Queues that may claim so many devices of a class, flat or in a tree."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 4), cpus=(16,))

    def quota() -> Object:
        devices = {"deviceclass/gpu": str(rng.randint(0, 4))}
        return devices | rng.choice(({}, {"deviceclass/nic": "1"}, {"cpu": "20"}))

    queues_with(c, quota, flat=0 if number % 2 else 3)
    device_pools(c)
    for job in range(rng.randint(5, 8)):
        shared = rng.random() < 0.3
        pods, asked = rng.randint(1, 4), rng.choice(("gpu", "gpu", "nic"))
        for index in range(1 if shared else pods):
            if rng.random() < 0.05:
                continue  # a claim that does not exist
            exactly: Object = {"deviceClassName": asked, "allocationMode": "ExactCount", "count": rng.choice((1, 1, 2))}
            if rng.random() < 0.1:
                exactly = {"deviceClassName": asked, "allocationMode": "All"}
            claim(c, f"claim-{job}-{index}", [{"name": "one", "exactly": exactly}])
        running = 0
        c.add_job(
            pods, running=running, requests={"cpu": "1", "memory": "1Gi"}, pod=partial(claiming, job, shared=shared)
        )
        if rng.random() < 0.3:
            group = next(each for each in reversed(c.jobs) if each["kind"] == "PodGroup")
            group["spec"] |= {"minTaskMember": {"worker": rng.randint(1, pods)}, "minMember": pods}
        if rng.random() < 0.6:
            group = next(each for each in reversed(c.jobs) if each["kind"] == "PodGroup")
            group["spec"]["minResources"] = {"cpu": str(pods), "memory": f"{pods}Gi"}
    own = {
        "name": "capacity",
        "enableHierarchy": bool(number % 2),
        "arguments": {"capacity.DynamicResourceAllocationEnable": number % 7 != 0},
    }
    predicates = {"name": "predicates", "arguments": {"predicate.DynamicResourceAllocationEnable": True}}
    return [
        configuration("enqueue, allocate, backfill", ("priority", "gang", predicates, "nodeorder", own)),
        *c.objects(),
    ]


API: Final = "resource.k8s.io/v1"


def claiming(job: int, index: int, *, shared: bool = False) -> Object:
    """The field of a pod with a claim of its own, or with that of its job."""
    return {"spec/resourceClaims": [{"name": "device", "resourceClaimName": f"claim-{job}-{0 if shared else index}"}]}


def claim(c: Cluster, name: str, requests: list[Object], **devices: Any) -> None:
    """Add a claim."""
    spec = {"devices": {"requests": requests, **devices}}
    metadata = {"name": name, "namespace": "team", "uid": name, "resourceVersion": "1"}
    c.others.append({"apiVersion": API, "kind": "ResourceClaim", "metadata": metadata, "spec": spec})


def device_class(c: Cluster, name: str, expression: str) -> None:
    """Add a class of devices."""
    spec = {"selectors": [{"cel": {"expression": expression}}]}
    c.others.append({"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": name}, "spec": spec})


def device_pools(c: Cluster) -> None:
    """Add GPUs and network cards, some of nodes and some of all nodes or of a zone."""
    rng = c.rng
    device_class(c, "gpu", 'device.driver == "gpu.example.com"')
    device_class(c, "nic", 'device.driver == "nic.example.com"')
    for node in c.nodes:
        name = node["metadata"]["name"]
        for driver in ("gpu.example.com", "nic.example.com"):
            listed: list[Object] = [
                {
                    "name": f"{driver[:3]}-{index}",
                    "attributes": {
                        "model": {"string": rng.choice(("a100", "t4", "h100"))},
                        "index": {"int": index},
                        "root": {"int": index // 2},
                        "ecc": {"bool": rng.random() < 0.5},
                        "level": {"version": rng.choice(("1.0.0", "1.2.3", "2.0.0-rc.1"))},
                    },
                    "capacity": {"memory": {"value": rng.choice(("16Gi", "40Gi", "80Gi"))}},
                }
                for index in range(rng.randint(1, 4))
            ]
            if rng.random() < 0.3:
                del listed[0]["attributes"]["model"]
            pool = {"name": f"{name}-{driver[:3]}", "generation": 1, "resourceSliceCount": 1}
            spec = {"driver": driver, "nodeName": name, "pool": pool, "devices": listed}
            slice_of(c, f"slice-{name}-{driver[:3]}", spec)
    reach: Object = rng.choice(({"allNodes": True}, {"nodeSelector": zone_selector(rng.choice(("z0", "z1")))}))
    if rng.random() < 0.6:
        devices = [
            {"name": f"far-{index}", "attributes": {"model": {"string": "far"}}} for index in range(rng.randint(1, 3))
        ]
        pool = {"name": "far", "generation": 1, "resourceSliceCount": 1}
        slice_of(c, "slice-far", {"driver": "nic.example.com", "pool": pool, "devices": devices, **reach})


def zone_selector(zone: str) -> Object:
    """The selector for the nodes of a zone."""
    return {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": [zone]}]}]}


def slice_of(c: Cluster, name: str, spec: Object) -> None:
    """Add a slice of devices."""
    c.others.append({"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec})


_A: Final = 'device.attributes["gpu.example.com"]'
_C: Final = 'device.capacity["gpu.example.com"]'
EXPRESSIONS: Final = (
    f"{_A}.ecc",
    f"!{_A}.ecc",
    f"{_A}.index + 1 > 1 && {_A}.index < 3",
    f"{_A}.index % 2 == 0 || {_A}.root == 1",
    f"{_A}.index - 1 >= 0",
    f"-{_A}.index <= -1",
    f"{_A}.index * 2 / 2 == {_A}.index",
    f'{_A}.model.startsWith("a") ? {_A}.ecc : {_A}.index == 0',
    f'{_A}.model in ["a100", "h100"]',
    f'has({_A}.model) && {_A}.model != "t4"',
    f"!has({_A}.none)",
    f'{_A}.model.matches("^[ah]1")',
    f'{_A}.model.contains("10") && {_A}.model.endsWith("0")',
    f"size({_A}.model) == 4",
    f"{_A}.model.size() > 2",
    f'{_A}.level.isGreaterThan(semver("1.0.0"))',
    f'{_A}.level.compareTo(semver("1.2.3")) == 0',
    f'{_A}.level.isLessThan(semver("2.0.0")) && {_A}.level.major() == 1',
    f'{_C}.memory.isGreaterThan(quantity("20Gi"))',
    f'{_C}.memory.isLessThan(quantity("50Gi"))',
    f'{_C}.memory.compareTo(quantity("40Gi")) >= 0',
    f'{_C}.memory.sub(quantity("10Gi")).isGreaterThan(quantity("8Gi"))',
    f'{_C}.memory.add(quantity("1Gi")).compareTo(quantity("17Gi")) == 0',
    f'{_C}.memory == quantity("16Gi")',
    f"{_C}.memory.asInteger() > 20000000000",
    'device.driver == "gpu.example.com" && device.driver.lowerAscii() == "gpu.example.com"',
    '"gpu.example.com" in device.attributes',
    f"cel.bind(a, {_A}, a.index == 0 || a.ecc)",
    f'["a100", "t4"].exists(m, m == {_A}.model)',
    f'["a100", "t4"].all(m, m != {_A}.model)',
    f'["a100", "t4"].exists_one(m, m == {_A}.model)',
    f'["a100", "t4"].filter(m, m == {_A}.model).size() == 1',
    f'["a", "t"].map(m, m + "x").size() == 2 && {_A}.index >= 0',
    f"{_A}.index in [0, 2]",
    f"{{0: true, 1: false}}[{_A}.root]",
    f"[true, false, true, false][{_A}.index]",
    f'{_A}.missing == "x"',
    f'{_A}.model == "t4" || {_A}.missing == "x"',
    f'int("1") == {_A}.index',
    f"double({_A}.index) < 1.5",
    f'string({_A}.index) == "1"',
    f'isQuantity("1Gi") && isSemver("1.0.0") && {_A}.ecc',
    f'{_A}.model > "b"',
    f"{_A}.ecc == true && {_A}.index != 7u",
    "1 / (device.driver.size() - 15) == 1",
)


def claims(rng: random.Random, number: int) -> list[Object]:
    """Claims with selectors in CEL of many kinds, constraints, devices of all nodes, claims that were given before."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 4), cpus=(16,))
    c.add_queues(1)
    device_pools(c)
    for job in range(rng.randint(3, 6)):
        shared = rng.random() < 0.2
        pods = rng.randint(1, 3)
        for index in range(1 if shared else pods):
            if rng.random() < 0.04:
                continue
            names = ("one", "two")[: rng.choice((1, 1, 2))]
            constraints = []
            requests = [request(rng, name) for name in names]
            if rng.random() < 0.4:
                own = {"requests": [rng.choice(names)]} if rng.random() < 0.5 else {}
                driver = rng.choice(("gpu", "gpu", "nic"))
                key = f"{driver}.example.com/{rng.choice(('model', 'root', 'ecc', 'level', 'none'))}"
                constraints.append({**own, "matchAttribute": key})
            claim(c, f"claim-{job}-{index}", requests, **({"constraints": constraints} if constraints else {}))
            if rng.random() < 0.15:
                given_before(c, c.others[-1], names)
        c.add_job(pods, requests={"cpu": "1", "memory": "1Gi"}, pod=partial(claiming, job, shared=shared))
    arguments = {"predicate.DynamicResourceAllocationEnable": True}
    tiers = tuple(
        tuple({"name": each, "arguments": arguments} if each == "predicates" else each for each in tier)
        for tier in around(c, number)
    )
    return [configuration("enqueue, allocate, backfill", *tiers), *c.objects()]


def request(rng: random.Random, name: str) -> Object:
    """What a claim asks for: devices of a class, or the first of two alternatives."""
    exactly: Object = {
        "deviceClassName": rng.choice(("gpu", "gpu", "gpu", "nic", "nic", "none" if rng.random() < 0.1 else "gpu")),
        "allocationMode": "ExactCount",
        "count": rng.choice((1, 1, 2)),
    }
    if rng.random() < 0.1:
        exactly = {"deviceClassName": exactly["deviceClassName"], "allocationMode": "All"}
    if rng.random() < 0.7 and exactly["deviceClassName"] == "gpu":
        exactly["selectors"] = [{"cel": {"expression": rng.choice(EXPRESSIONS)}} for _ in range(rng.choice((1, 1, 2)))]
    if rng.random() < 0.1:
        exactly["adminAccess"] = True
    if rng.random() >= 0.15:
        return {"name": name, "exactly": exactly}
    best = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2}
    any_ = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}
    selected = {"selectors": [{"cel": {"expression": rng.choice(EXPRESSIONS)}}]}
    return {"name": name, "firstAvailable": [{"name": "best", **best, **selected}, {"name": "any", **any_}]}


def given_before(c: Cluster, one: Object, names: tuple[str, ...]) -> None:
    """Say that a claim has a device of a node already."""
    slices = [each for each in c.others if each["kind"] == "ResourceSlice" and "nodeName" in each["spec"]]
    spec = c.rng.choice(slices)["spec"]
    result = {
        "request": names[0],
        "driver": spec["driver"],
        "pool": spec["pool"]["name"],
        "device": spec["devices"][0]["name"],
    }
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [spec["nodeName"]]}]}
    one["status"] = {"allocation": {"devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": [term]}}}


def images(rng: random.Random, _: int) -> list[Object]:
    """Nodes that have the images of pods, large and small, with several names."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(3, 6), cpus=(8, 16))
    c.add_queues(1)
    named = ("busybox", "model:v1", "registry.example.com/train:2.0", "registry.example.com/tools@sha256:" + "0" * 64)
    for node in c.nodes:
        node["status"]["images"] = [
            {
                "names": [name, f"docker.io/{name}"][: rng.randint(1, 2)],
                "sizeBytes": rng.choice((10, 300, 900, 2000)) * 1000000,
            }
            for name in (*named, "docker.io/library/busybox:latest", "model:latest")
            if rng.random() < 0.5
        ]
    for _ in range(rng.randint(4, 7)):
        containers = [
            {
                "name": f"c{index}",
                "image": rng.choice((*named, "none")),
                "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
            }
            for index in range(rng.randint(1, 2))
        ]
        first = [{"name": "first", "image": rng.choice(named)}] if rng.random() < 0.3 else []
        mounted = [{"name": "m", "image": {"reference": rng.choice(named)}}] if rng.random() < 0.3 else []
        fields: Object = {"spec/containers": containers, "spec/initContainers": first, "spec/volumes": mounted}
        c.add_job(rng.randint(1, 3), pod=partial(fields_of, fields))
    weights = rng.choice(({"imagelocality.weight": 10}, {"imagelocality.weight": 5, "leastrequested.weight": 1}, {}))
    own = {"name": "nodeorder", "arguments": weights}
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", "predicates", own)), *c.objects()]


def fields_of(fields: Object, _: int) -> Object:
    """The same fields for each pod, those that are empty left out."""
    return {key: value for key, value in fields.items() if value}


def some_of(rng: random.Random, names: Sequence[str]) -> list[str]:
    """One to three of some names."""
    return rng.sample(names, rng.randint(1, 3))


def node_groups(rng: random.Random, number: int) -> list[Object]:
    """Groups of nodes that a queue prefers in an order, or may hold so much of."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(4, 7), cpus=(8, 16))
    c.add_queues(3)
    groups = ("a", "b", "c")
    for node in c.nodes:
        if rng.random() < 0.9:
            node["metadata"]["labels"]["volcano.sh/nodegroup-name"] = rng.choice(groups)
    for queue in c.queues:
        some = partial(some_of, rng, groups)
        affinity: Object = {}
        if rng.random() < 0.8:
            affinity["nodeGroupAffinity"] = rng.choice(
                (
                    {"requiredDuringSchedulingIgnoredDuringExecution": some()},
                    {"preferredDuringSchedulingIgnoredDuringExecution": some()},
                    {
                        "requiredDuringSchedulingIgnoredDuringExecution": some(),
                        "preferredDuringSchedulingIgnoredDuringExecution": some(),
                    },
                )
            )
        if rng.random() < 0.3:
            affinity["nodeGroupAntiAffinity"] = {
                "preferredDuringSchedulingIgnoredDuringExecution": [rng.choice(groups)]
            }
        queue["spec"] |= {"affinity": affinity} if affinity else {}
        limits = {
            group: rng.choice(({"cpu": "4"}, {"cpu": "8", "memory": "8Gi"}, {"cpu": 6}, {}, {"cpu": "2500m"}))
            for group in groups
            if rng.random() < 0.6
        }
        text = "{" if rng.random() < 0.1 else json.dumps(limits)
        if rng.random() < 0.8:
            queue["metadata"]["annotations"] = {"volcano.sh/nodegroup-resource-limits": text}
    for index in range(rng.randint(5, 9)):
        c.add_job(
            rng.randint(1, 4), running=rng.choice((0, 0, 1)) if index else 1, priority=rng.choice(("low", "high"))
        )
    c.others += priority_classes()
    arguments = rng.choice(
        ({}, {"strict": False}, {"enablePreferredOrder": True}, {"enablePreferredOrder": True, "strict": False})
    )
    own = {"name": "nodegroup", **({"arguments": arguments} if arguments else {})}
    actions = rng.choice(("enqueue, allocate, backfill", "enqueue, allocate, preempt, backfill"))
    return [configuration(actions, *around(c, number, own)), *c.objects()]


def fair_tree(rng: random.Random, number: int) -> list[Object]:
    """The tree of queues of drf, by annotations, whose queues reclaim from each other."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 4), cpus=(8,))
    c.add_queues(rng.randint(3, 5))
    for index, queue in enumerate(c.queues):
        branch, weight = rng.choice(("eng", "sci")), rng.randint(1, 4)
        queue["metadata"]["annotations"] = {
            "volcano.sh/hierarchy": f"root/{branch}/{index}" if rng.random() < 0.8 else f"root/{index}",
            "volcano.sh/hierarchy-weights": f"1/{weight}/{rng.randint(1, 4)}",
        }
    for queue in c.queues:
        path, weights = queue["metadata"]["annotations"].values()
        if path.count("/") < weights.count("/"):
            queue["metadata"]["annotations"]["volcano.sh/hierarchy-weights"] = weights.rpartition("/")[0]
    full_and_hungry(c, rng.randint(6, 8), rng.randint(3, 6))
    own = {"name": "drf", "enableHierarchy": True}
    actions = rng.choice(("enqueue, reclaim, allocate", "reclaim, allocate", "enqueue, allocate, reclaim, preempt"))
    plugins = ("priority", "gang", "conformance", own, "predicates", *(("nodeorder",) if number % 2 else ()))
    return [configuration(actions, plugins), *c.objects()]


def large_numa(rng: random.Random, number: int) -> list[Object]:
    """Nodes with more cores and NUMA nodes than a simple sort is taken for, and CPUs that are reserved."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 3), cpus=(32, 64))
    c.add_queues(1)
    for node in c.nodes:
        cpus, numas, threads = int(node["status"]["allocatable"]["cpu"]), rng.choice((2, 4, 8)), rng.choice((1, 2))
        detail = {
            str(each): {"numa": each * numas // cpus, "socket": each * 2 // cpus, "core": each // threads}
            for each in range(cpus)
        }
        sample = rng.sample(range(cpus), rng.randint(cpus // 2, cpus))
        free = sample if rng.random() < 0.7 else f"0-{cpus - 1}"
        numatopology(c, node, detail, free, rng.choice(POLICIES), reserved=rng.choice(("0", "1", "2500m")))
    for _ in range(rng.randint(3, 6)):
        cpu, policy = rng.choice((1, 3, 5, 8, 13, 20, 24)), rng.choice(("", *POLICIES[1:]))
        aligned(c, cpu, policy, rng.randint(1, 3))
    own = plugin("numa-aware", **rng.choice(({}, {"weight": 10})))
    return [configuration("enqueue, allocate, backfill", *around(c, number, own)), *c.objects()]


def templates(rng: random.Random, number: int) -> list[Object]:
    """Pods of one template that differ, with `predicate.CacheEnable`; weights and switches of predicates."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(3, 5), cpus=(8,))
    c.add_queues(1)
    for node in c.nodes:
        if rng.random() < 0.3:
            node["spec"]["taints"] = [
                {"key": "k", "value": "v", "effect": rng.choice(("NoSchedule", "PreferNoSchedule", "NoExecute"))}
            ]
        if rng.random() < 0.15:
            node["spec"]["unschedulable"] = True
        if rng.random() < 0.3:
            node["status"]["allocatable"]["pods"] = node["status"]["capacity"]["pods"] = str(rng.randint(1, 3))
        node["metadata"]["labels"]["disk"] = rng.choice(("ssd", "hdd", "5"))
    for _ in range(rng.randint(4, 7)):
        template = rng.choice(("t1", "t2", ""))
        c.add_job(
            rng.randint(1, 4),
            annotations={"volcano.sh/template-uid": template} if template else {},
            requests={"cpu": "1", "memory": "1Gi"},
            pod=lambda _: rng.choice(
                (
                    {},
                    {"spec/nodeSelector": {"disk": rng.choice(("ssd", "hdd"))}},
                    {
                        "spec/tolerations": [
                            rng.choice(
                                ({"key": "k", "operator": "Exists"}, {"operator": "Exists", "effect": "NoSchedule"})
                            )
                        ]
                    },
                    {"spec/affinity": {"nodeAffinity": rng.choice(affinities())}},
                    {"spec/schedulingGates": [{"name": "later"}]} if rng.random() < 0.2 else {},
                )
            ),
        )
    switches = {
        f"predicate.{name}": rng.random() < 0.5
        for name in (
            "NodePortsEnable",
            "TaintTolerationEnable",
            "PodAffinityEnable",
            "NodeAffinityEnable",
            "PodTopologySpreadEnable",
        )
        if rng.random() < 0.3
    }
    arguments = {"predicate.CacheEnable": number % 4 != 3, **switches}
    own = {"name": "predicates", "arguments": arguments}
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", own, "nodeorder")), *c.objects()]


def affinities() -> list[Object]:
    """What pods want of nodes, by every operator."""
    terms = [
        {"matchExpressions": [{"key": "disk", "operator": operator, **({"values": values} if values else {})}]}
        for operator, values in (
            ("In", ["ssd"]),
            ("NotIn", ["ssd"]),
            ("Exists", []),
            ("DoesNotExist", []),
            ("Gt", ["3"]),
            ("Lt", ["7"]),
        )
    ]
    terms.append({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n01"]}]})
    terms.append({"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n00"]}]})
    required = [{"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [each]}} for each in terms]
    preferred = [
        {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10, "preference": each}]} for each in terms[:4]
    ]
    return [*required, *preferred]


def nominated(rng: random.Random, number: int) -> list[Object]:
    """Pods that an earlier session evicted for, and pods that leave: preempt in all of its ways."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 4), cpus=(8,))
    c.add_queues(rng.choice((1, 2)))
    full_and_hungry(c, 8, rng.randint(3, 5))
    names = [node["metadata"]["name"] for node in c.nodes]
    for pod in (each for each in c.jobs if each["kind"] == "Pod"):
        if pod["status"]["phase"] == "Pending" and rng.random() < 0.4:
            pod["status"]["nominatedNodeName"] = rng.choice((*names, "gone"))
        if pod["status"]["phase"] == "Running" and rng.random() < 0.2:
            pod["metadata"] |= {"deletionTimestamp": "2026-11-21T12:00:10Z", "deletionGracePeriodSeconds": 30}
        if pod["status"]["phase"] == "Pending" and rng.random() < 0.1:
            pod["spec"]["preemptionPolicy"] = "Never"
        if rng.random() < 0.1:
            pod["metadata"]["labels"]["volcano.sh/preemptable"] = "true"
    arguments: Object = rng.choice(
        (
            {},
            {"enableTopologyAwarePreemption": True},
            {"enableTopologyAwarePreemption": True, "minCandidateNodesAbsolute": 1, "minCandidateNodesPercentage": 1},
            {"enablePredicateErrorCache": False},
        )
    )
    more = {"configurations": [{"name": "preempt", "arguments": arguments}]} if arguments else {}
    actions = rng.choice(
        ("enqueue, allocate, preempt, backfill", "allocate, preempt", "preempt, allocate", "reclaim, preempt")
    )
    return [configuration(actions, *around(c, number), **more), *c.objects()]


def mig(rng: random.Random, number: int) -> list[Object]:
    """GPUs cut into MIG instances, GPUs that pods must not share, and those that pods hold or leave."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 4), cpus=(16,))
    c.add_queues(1)
    for node in c.nodes:
        name = node["metadata"]["name"]
        mode = rng.choice(("mig", "mig", "hami-core", ""))
        models = ("NVIDIA-A100-PCIE-40GB", "NVIDIA-A100-SXM4-40GB", "NVIDIA-T4")
        listed = "".join(
            f"GPU-{name}-{gpu},{rng.choice((7, 10))},40960,{rng.choice(models)},"
            f"{str(rng.random() < 0.95).lower()},{mode}:"
            for gpu in range(rng.randint(1, 3))
        )
        node["metadata"]["annotations"] |= {
            "volcano.sh/node-vgpu-register": listed,
            "volcano.sh/node-vgpu-handshake": rng.choice(
                ("Reported 2026-11-21 12:00:00", "Requesting_2026.11.21 11:59:50", "Deleted_2026.11.21 11:00:00")
            ),
        }
        if mode and number % 2:
            node["metadata"]["labels"]["volcano.sh/vgpu-mode"] = mode
        offer(node, VIRTUAL_GPUS)
    for _ in range(rng.randint(4, 7)):
        limits = {"volcano.sh/vgpu-number": str(rng.choice((1, 1, 2)))}
        limits |= rng.choice(
            ({}, *({"volcano.sh/vgpu-memory": str(each)} for each in (1000, 4800, 9000, 19000, 39000)))
        )
        limits |= rng.choice(({}, {"volcano.sh/vgpu-cores": str(rng.choice((30, 60, 100)))}))
        if rng.random() < 0.2:
            limits = {"volcano.sh/vgpu-number": "1", "volcano.sh/vgpu-memory-percentage": rng.choice(("50", "25"))}
        annotations = rng.choice(({}, {}, {"volcano.sh/vgpu-mode": rng.choice(("mig", "hami-core"))}))
        c.add_job(
            rng.randint(1, 3),
            requests={"cpu": "1", "memory": "1Gi", **limits},
            limits=limits,
            annotations=annotations,
            labels=rng.choice(({}, {"tier": "gold"}, {"tier": "gold", "kind": "train"})),
            group=rng.choice(({}, {}, {"volcano.sh/vgpu-policy": "spread"})),
        )
    arguments: Object = {"deviceshare.VGPUEnable": True}
    arguments |= rng.choice(
        ({}, {"deviceshare.SchedulePolicy": rng.choice(("binpack", "spread")), "deviceshare.ScheduleWeight": 10})
    )
    if rng.random() < 0.4:
        arguments["deviceshare.GPUExclusiveRules"] = [{"tier": "gold"}, {"kind": "train", "tier": "gold"}]
    return [
        configuration(
            "enqueue, allocate, backfill", *around(c, number, {"name": "deviceshare", "arguments": arguments})
        ),
        *c.objects(),
    ]


def topology_evictions(rng: random.Random, number: int) -> list[Object]:
    """The actions gangpreempt and gangreclaim before allocate, in HyperNodes, for gangs that have what was promised."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(3, 5), cpus=(8,))
    c.add_queues(rng.choice((1, 2)))
    full_and_hungry(c, rng.randint(8, 12), 0)
    for _ in range(rng.randint(1, 3)):
        pods = rng.randint(2, 4)
        c.add_job(pods, minimum=pods, priority="high", requests={"cpu": "2", "memory": "1Gi"})
        group = next(each for each in reversed(c.jobs) if each["kind"] == "PodGroup")
        if rng.random() < 0.8:
            group["spec"]["networkTopology"] = {
                "mode": rng.choice(("hard", "hard", "soft")),
                "highestTierAllowed": rng.choice((1, 2)),
            }
        group["status"]["phase"] = "Inqueue"
    hyper_nodes(c)
    actions = rng.choice(
        ("gangpreempt, allocate", "gangpreempt, gangreclaim, allocate", "gangreclaim, allocate, backfill")
    )
    return [configuration(actions, *around(c, number, "network-topology-aware")), *c.objects()]


def roles(rng: random.Random, _: int) -> list[Object]:
    """Jobs on full nodes whose pods have several priorities and roles, and may make way for others of their job."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(2, 3), cpus=(8,))
    c.add_queues(rng.choice((1, 1, 2)))
    places = [node["metadata"]["name"] for node in c.nodes for _ in range(4)]
    rng.shuffle(places)
    for _ in range(rng.randint(4, 7)):
        taken = [places.pop() for _ in range(min(len(places), rng.randint(0, 4)))]
        pods = len(taken) + rng.randint(0 if taken else 1, 3)
        c.add_job(
            pods,
            running=len(taken),
            minimum=rng.randint(1, pods),
            annotations=rng.choice(({PREEMPTABLE: "true"}, {PREEMPTABLE: "true"}, {})),
            group=rng.choice(({}, {}, {"sla-waiting-time": rng.choice(("1h", "8760h"))})),
            priority=rng.choice(("low", "high")),
            requests={"cpu": "2", "memory": "1Gi"},
            pod=partial(at, taken),
        )
        own = c.jobs[-pods:]
        for pod in own:
            role = rng.choice(("worker", "worker", "ps"))
            pod["metadata"]["annotations"]["volcano.sh/task-spec"] = role
            pod["spec"]["priority"] = rng.choice((1, 10, 10, 1000))
        if rng.random() < 0.6:
            wanted = {"worker": rng.randint(0, 2), "ps": rng.randint(0, 2)}
            c.jobs[-pods - 1]["spec"]["minTaskMember"] = {role: least for role, least in wanted.items() if least}
    c.others += priority_classes()
    actions = rng.choice(
        ("enqueue, allocate, preempt", "allocate, preempt, backfill", "preempt", "enqueue, allocate, reclaim")
    )
    added = [each for each in ("sla", "drf", "proportion", "nodeorder") if rng.random() < 0.5]
    return [configuration(actions, ("priority", "gang", "conformance"), ("predicates", *added)), *c.objects()]


def gangs(rng: random.Random, number: int) -> list[Object]:
    """Gangs that need so many pods of each role, or that have waited too long to be held to it."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(1, 3), cpus=(4, 8))
    c.add_queues(rng.choice((1, 2)))
    for _ in range(rng.randint(4, 7)):
        wanted = {"worker": rng.randint(1, 3), "ps": rng.randint(1, 2)}
        pods = sum(wanted.values()) + rng.randint(0, 2)
        running = rng.choice((0, 0, 0, 1))
        c.add_job(
            pods,
            running=running,
            minimum=sum(wanted.values()),
            annotations={PREEMPTABLE: "true"},
            group=rng.choice(({}, {"sla-waiting-time": rng.choice(("1h", "8760h"))})),
            priority=rng.choice(("low", "high")),
            requests={"cpu": "2", "memory": "1Gi"},
        )
        large = rng.choice(("worker", "ps", "none"))
        for index, pod in enumerate(c.jobs[-pods:]):
            role = "worker" if index < wanted["worker"] + pods - sum(wanted.values()) else "ps"
            pod["metadata"]["annotations"]["volcano.sh/task-spec"] = role
            if role == large:
                pod["spec"]["containers"][0]["resources"]["requests"] = {"cpu": rng.choice(("3", "6")), "memory": "1Gi"}
        if rng.random() < 0.8:
            c.jobs[-pods - 1]["spec"]["minTaskMember"] = wanted
    c.others += priority_classes()
    actions = rng.choice(("enqueue, allocate", "enqueue, allocate, preempt", "allocate, preempt, backfill"))
    tiers = (("priority", "sla"), ("gang", "predicates", "nodeorder"))
    return [configuration(actions, *(tiers if number % 2 else (("priority", "gang", "predicates"),))), *c.objects()]


ODD: Final[tuple[Object, ...]] = (
    {},
    {},
    {"spec/priorityClassName": "system-cluster-critical", "spec/priority": 2000000000},
    {"metadata/labels": {"job": "x"}},
)
"""What some pods of a job have."""


def make_odd(c: Cluster) -> None:
    """Give queues limits and reserves, or close them, and put nodes into zones."""
    rng = c.rng
    for queue in c.queues:
        queue["spec"] |= rng.choice(
            (
                {},
                {"capability": {"cpu": str(rng.randint(4, 12)), "memory": "40Gi"}},
                {"guarantee": {"resource": {"cpu": "2", "memory": "4Gi"}}},
                {"reclaimable": False},
                {"priority": rng.randint(0, 3)},
            )
        )
        if rng.random() < 0.1:
            queue["status"]["state"] = rng.choice(("Closed", "Closing"))
    for node in c.nodes:
        zone = rng.choice(("", "day", "night"))
        node["metadata"]["labels"] |= {"volcano.sh/revocable-zone": zone} if zone else {}


def everything(rng: random.Random, _: int) -> list[Object]:
    """Many plugins together, on a cluster in which much is unusual: critical pods, pods that leave, busy nodes."""
    c = Cluster(rng)
    c.add_nodes(rng.randint(3, 5), cpus=(4, 8))
    c.add_queues(rng.randint(2, 3))
    make_odd(c)
    for _ in range(rng.randint(6, 10)):
        pods = rng.randint(1, 4)
        amounts = rng.choice(
            ({"cpu": "1", "memory": "1Gi"}, {"cpu": "2", "memory": "2Gi"}, {"cpu": "3", "memory": "1Gi"})
        )
        if rng.random() < 0.2:
            amounts = {"memory": "0"}
        annotations = dict(
            rng.choice(({}, {PREEMPTABLE: "true"}, {"volcano.sh/revocable-zone": "*", PREEMPTABLE: "true"}))
        )
        group = dict(
            rng.choice(
                (
                    {},
                    {"sla-waiting-time": rng.choice(("1h", "8760h"))},
                    {"volcano.sh/task-topology-affinity": "worker,ps", "volcano.sh/task-topology-anti-affinity": "ps"},
                    {"volcano.sh/task-topology-affinity": "worker", "volcano.sh/task-topology-task-order": "ps,worker"},
                )
            )
        )
        c.add_job(
            pods,
            running=rng.choice((0, 0, pods, pods - 1)),
            annotations=annotations,
            group=group,
            requests=amounts,
            priority=rng.choice(("low", "high", "")),
            pod=lambda _: rng.choice(ODD),
        )
        one = next(each for each in reversed(c.jobs) if each["kind"] == "PodGroup")
        if rng.random() < 0.5:
            one["spec"]["minResources"] = {"cpu": str(pods), "memory": f"{pods}Gi"}
        if rng.random() < 0.3:
            one["spec"]["minTaskMember"] = {"worker": rng.randint(1, pods), "ps": rng.randint(0, 1)}
    for pod in (each for each in c.jobs if each["kind"] == "Pod"):
        if rng.random() < 0.4:
            pod["metadata"]["annotations"]["volcano.sh/task-spec"] = "ps"
        if pod["status"]["phase"] == "Running" and rng.random() < 0.15:
            pod["metadata"] |= {"deletionTimestamp": "2026-11-21T12:00:10Z", "deletionGracePeriodSeconds": 30}
        if pod["status"]["phase"] == "Running" and rng.random() < 0.1:
            pod["status"]["phase"] = rng.choice(("Succeeded", "Failed"))
    c.others += priority_classes()
    metrics(c, unknown=0.2)
    own: list[str | Object] = [
        {"name": "overcommit", "arguments": {"overcommit-factor": rng.choice((0.5, 1.0, 1.5))}},
        {
            "name": "tdm",
            "arguments": {"tdm.revocable-zone.day": "08:00-18:00", "tdm.revocable-zone.night": "20:00-23:00"},
        },
        {"name": "usage", "arguments": {"usage.weight": 5, "thresholds": {"cpu": 80, "mem": 90}}},
        {"name": "task-topology", "arguments": {"task-topology.weight": 10}},
        "sla",
        {"name": "cdp"},
        {"name": "conformance"},
        {"name": "binpack", "arguments": {"binpack.weight": 5, "binpack.cpu": 3, "binpack.resources": "memory"}},
        {"name": "resource-strategy-fit"},
        rng.choice(("proportion", "capacity")),
        "drf",
        "nodeorder",
    ]
    chosen = [each for each in own if rng.random() < 0.5]
    actions = rng.choice(
        (
            "enqueue, allocate, backfill",
            "enqueue, allocate, preempt, backfill",
            "enqueue, reclaim, allocate, backfill",
            "enqueue, allocate, preempt, reclaim, shuffle",
        )
    )
    return [configuration(actions, ("priority", "gang"), ("predicates", *chosen)), *c.objects()]


FAMILIES: Final[dict[str, Callable[[random.Random, int], list[Object]]]] = {
    "capacity-tree": capacity_tree,
    "capacity-devices": capacity_devices,
    "claims": claims,
    "images": images,
    "node-groups": node_groups,
    "fair-tree": fair_tree,
    "large-numa": large_numa,
    "templates": templates,
    "nominated": nominated,
    "mig": mig,
    "topology-evictions": topology_evictions,
    "roles": roles,
    "gangs": gangs,
    "everything": everything,
}

FURTHER: Final = {"capacity-devices": (500,), "capacity-tree": (500,), "everything": (500,)}

if __name__ == "__main__":
    write(FAMILIES, *sys.argv[1:], further=FURTHER)
