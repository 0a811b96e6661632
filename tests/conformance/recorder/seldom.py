"""Write scenarios of what allocate, gang and capacity seldom come to.

    python -m tests.conformance.recorder.seldom FOLDER [FAMILY ...]

The families are as in edges.py, with a few scenarios each, that were picked from many.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import partial
from typing import Final

from tests.conformance.recorder.corners import (
    add_victim,
    at,
    claim,
    claiming,
    device_pools,
    queues_with,
    tree_of_queues,
)
from tests.conformance.recorder.edges import last_group, uneven
from tests.conformance.recorder.faults import started_with
from tests.conformance.recorder.generate import (
    PREEMPTABLE,
    Cluster,
    Object,
    configuration,
    hyper_node,
    plugin,
    priority_classes,
    write,
)


def leaves(c: Cluster, names: list[str]) -> None:
    """HyperNodes of two nodes each, and one above them."""
    below = [f"leaf-{index}" for index in range(len(names) // 2)]
    for index, name in enumerate(below):
        hyper_node(c, name, 1, "Node", names[2 * index :][:2])
    hyper_node(c, "top", 2, "HyperNode", below)


def victims(c: Cluster, names: list[str], *, fully: bool = False) -> None:
    """Jobs that may be evicted, which hold nodes in part, or wholly."""
    for name in names:
        for _ in range(2 if fully else c.rng.choice((1, 1, 2))):
            add_victim(c, name, 4)
            last_group(c)["spec"]["queue"] = c.queues[0]["metadata"]["name"]
            last_group(c)["metadata"]["annotations"][PREEMPTABLE] = "true"


def nominated(places: list[str], index: int) -> Object:
    """The field of a pod that an earlier session chose a node for."""
    return {"status/nominatedNodeName": places[index]}


def promised(rng: random.Random, number: int) -> list[Object]:
    """Gangs for which gangpreempt or gangreclaim makes room before allocate, with nodes from an earlier session."""
    c = Cluster(rng)
    names = uneven(c, 4)
    c.add_queues(2 if number % 2 else 1)
    leaves(c, names)
    victims(c, names)
    for _ in range(rng.randint(1, 2)):
        pods = rng.randint(2, 4)
        places = [rng.choice(names[:2] if rng.random() < 0.7 else names) for _ in range(pods)]
        if rng.random() < 0.2:
            places[-1] = rng.choice(("", "gone"))
        c.add_job(
            pods,
            minimum=rng.choice((pods, pods, pods - 1)),
            priority="high",
            requests={"cpu": rng.choice(("1", "2", "3")), "memory": "1Gi"},
            pod=partial(nominated, places),
        )
        group = last_group(c)
        group["status"]["phase"] = "Inqueue"
        group["spec"]["queue"] = c.queues[-1]["metadata"]["name"]
        wanted: Object = {"mode": rng.choice(("hard", "soft"))} | {"highestTierAllowed": rng.choice((1, 2))}
        if rng.random() < 0.6:
            group["spec"]["networkTopology"] = wanted
        elif rng.random() < 0.5:
            part = {"name": "part", "matchLabelKeys": ["part"], "subGroupSize": rng.choice((1, 2))}
            group["spec"]["subGroupPolicy"] = [part | rng.choice(({}, {"networkTopology": wanted}))]
            for place, pod in enumerate(c.jobs[-pods:]):
                pod["metadata"]["labels"]["part"] = str(place % 2)
    c.others += priority_classes()
    action = ("gangpreempt", "gangreclaim")[number % 2]
    tiers = (("priority", "gang"), ("predicates", "proportion", "network-topology-aware", "nodeorder"))
    more = {"configurations": [{"name": action, "arguments": {"allowWholeBundle": True}}]}
    objects = [configuration(f"{action}, allocate", *tiers, **more), *c.objects()]
    if number % 5 == 4:
        objects.append(started_with(SAMPLED))
    return objects


SAMPLED: Final = {
    "percentage-nodes-to-find": "50",
    "minimum-feasible-nodes": "1",
    "minimum-percentage-nodes-to-find": "1",
}


def ending(rng: random.Random, number: int) -> list[Object]:
    """Jobs whose pods are being deleted, beside others that run or wait: some, or all of them."""
    c = Cluster(rng)
    names = uneven(c, 3)
    c.add_queues(1)
    for _ in range(6):
        pods = rng.randint(1, 4)
        running = rng.choice((pods, pods, rng.randint(0, pods)))
        c.add_job(
            pods,
            running=running,
            minimum=rng.randint(1, pods),
            requests={"cpu": "1", "memory": "1Gi"},
            pod=partial(at, [rng.choice(names) for _ in range(running)]),
        )
        leave = rng.choice((running, running, rng.randint(0, running)))
        for pod in c.jobs[-pods:][:leave]:
            pod["metadata"] |= {"deletionTimestamp": "2026-11-21T12:00:10Z", "deletionGracePeriodSeconds": 30}
        last_group(c)["status"]["phase"] = rng.choice(("Running", "Running", "Inqueue", "Pending", "Unknown"))
    actions = ("enqueue, allocate, backfill", "allocate", "enqueue")[number % 3]
    return [configuration(actions, ("priority", "gang", "predicates", "nodeorder")), *c.objects()]


def gangs_of_queues(rng: random.Random, number: int) -> list[Object]:
    """Gangpreempt and gangreclaim between queues under capacity, with a tree or without, also one that is broken."""
    c = Cluster(rng)
    names = uneven(c, 3)

    def deserved() -> Object:
        return {"cpu": str(rng.choice((2, 4, 8, 12))), "memory": rng.choice(("0", "16Gi", "64Gi"))}

    is_tree = number % 4 > 0
    if is_tree:
        tree_of_queues(c, deserved=deserved)
    else:
        c.add_queues(3)
        for queue in c.queues:
            queue["spec"]["deserved"] = deserved()
    victims(c, names, fully=True)
    for _ in range(rng.randint(1, 3)):
        pods = rng.randint(1, 3)
        c.add_job(pods, minimum=pods, priority="high", requests={"cpu": "2", "memory": "1Gi"})
        last_group(c)["status"]["phase"] = "Inqueue"
    c.others += priority_classes()
    own: Object = {"name": "capacity", "enableHierarchy": is_tree}
    if number % 8 == 7:
        c.queues[0]["spec"]["parent"] = "nowhere"
        own["enablePreemptive"] = False
    actions = ("gangreclaim, allocate", "gangpreempt, gangreclaim", "enqueue, allocate, gangreclaim, gangpreempt")
    tiers = (("priority", "gang"), ("predicates", own, "nodeorder"))
    return [configuration(actions[number % 3], *tiers), *c.objects()]


def refused_queues(rng: random.Random, number: int) -> list[Object]:
    """Queues under capacity that are closed, have a parent that is not there, or nothing in common with others."""
    c = Cluster(rng)
    names = uneven(c, 2, cpus=(8,), gpus=(4,))
    is_tree = number % 2 == 1
    if is_tree:
        tree_of_queues(c, deserved=lambda: {"cpu": str(rng.choice((2, 4, 8))), "memory": rng.choice(("1Gi", "8Gi"))})
        if number % 4 == 1:
            c.queues[0]["spec"]["parent"] = "nowhere"
    else:
        c.add_queues(3)
        for queue in c.queues:
            queue["spec"]["deserved"] = {"cpu": "4", "memory": rng.choice(("1Gi", "8Gi")), "nvidia.com/gpu": "1"}
    for name in names:
        for requests in rng.sample(SHAPES, 2):
            c.add_job(1, running=1, annotations={PREEMPTABLE: "true"}, requests=requests, pod=partial(at, [name]))
    for _ in range(3):
        c.add_job(rng.randint(1, 2), minimum=1, requests=rng.choice(SHAPES))
        last_group(c)["status"]["phase"] = rng.choice(("Inqueue", "Inqueue", "Pending"))
    for queue in c.queues:
        queue["status"]["state"] = rng.choice(("Open", "Open", "Closed", "Closing"))
    own: Object = {"name": "capacity", "enableHierarchy": is_tree}
    own |= rng.choice(({}, {"enablePreemptive": False}))
    actions = ("enqueue, reclaim, allocate", "reclaim, allocate, backfill", "enqueue, allocate, reclaim")
    tiers = (("priority", {"name": "gang", "enableReclaimable": False}), ("predicates", own, "nodeorder"))
    return [configuration(actions[number % 3], *tiers), *c.objects()]


SHAPES: Final[tuple[Object, ...]] = (
    {"cpu": "4", "memory": "1Gi"},
    {"cpu": "1", "memory": "20Gi"},
    {"cpu": "4", "memory": "8Gi"},
    {"nvidia.com/gpu": "2"},
    {"memory": "12Gi"},
)


def held_claims(rng: random.Random, number: int) -> list[Object]:
    """Queues that may claim so many devices, where pods that run hold some, and claims are shared or not made yet."""
    c = Cluster(rng)
    names = uneven(c, 2, cpus=(16,))

    def quota() -> Object:
        devices: Object = {"deviceclass/gpu": str(rng.randint(1, 4))}
        return devices | rng.choice(({}, {"cores.deviceclass/nic": "8"}, {"deviceclass/nic": "1"}))

    queues_with(c, quota, flat=0 if number % 2 else 2)
    device_pools(c)
    for job, running in enumerate((1, 2, 0, 0, 0, 0)):
        pods, asked = rng.randint(max(running, 1), 3), rng.choice(("gpu", "gpu", "nic"))
        shared = rng.random() < 0.5
        for index in range(1 if shared else pods):
            exactly = {"deviceClassName": asked, "allocationMode": "ExactCount", "count": 1}
            claim(c, f"claim-{job}-{index}", [{"name": "one", "exactly": exactly}])
            if index < running:
                hold(c, names[job], asked, running if shared else 1)
        c.add_job(
            pods,
            running=running,
            minimum=rng.choice((pods, 1)),
            requests={"cpu": rng.choice(("1", "6")), "memory": "1Gi"},
            pod=partial(claiming, job, shared=shared),
        )
        for pod in c.jobs[-pods:][:running]:
            pod["spec"]["nodeName"] = names[job]
        if not running and rng.random() < 0.3:
            for pod in c.jobs[-pods:]:
                pod["spec"]["resourceClaims"] = [{"name": "device", "resourceClaimTemplateName": "one"}]
                if rng.random() < 0.5:
                    made = [{"name": "device", "resourceClaimName": f"claim-{job}-0"}]
                    pod["status"]["resourceClaimStatuses"] = made
        group = last_group(c)
        if rng.random() < 0.5:
            group["spec"]["minResources"] = {"cpu": str(pods), "memory": f"{pods}Gi"}
    c.add_job(1, requests={"cpu": "1", "memory": "1Gi"})
    own = {
        "name": "capacity",
        "enableHierarchy": bool(number % 2),
        "arguments": {"capacity.DynamicResourceAllocationEnable": True},
    }
    predicates = plugin("predicates", predicate__DynamicResourceAllocationEnable=True)
    plugins = ("priority", "gang", predicates, "nodeorder", own)
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


def hold(c: Cluster, node: str, asked: str, pods: int) -> None:
    """Say of the last claim that it has a device of a node, for some pods of the next job."""
    driver = f"{asked}.example.com"
    result = {"request": "one", "driver": driver, "pool": f"{node}-{driver[:3]}", "device": f"{driver[:3]}-0"}
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    name = f"job-{c.count + 1:02}"
    c.others[-1]["status"] = {
        "allocation": {"devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": [term]}},
        "reservedFor": [
            {"resource": "pods", "name": f"{name}-{each}", "uid": f"{name}-{each:03}"} for each in range(pods)
        ],
    }


def in_hyper_nodes(rng: random.Random, number: int) -> list[Object]:
    """Jobs and sub-groups in HyperNodes that form no tree, or without a tier limit, with caches of predicates."""
    c = Cluster(rng)
    names = uneven(c, 4, cpus=(4,))
    c.add_queues(1)
    leaves(c, names)
    if number % 4 == 1:
        hyper_node(c, "other", 2, "HyperNode", ["leaf-0"])
    for index in range(4):
        pods = rng.randint(2, 4)
        places = [rng.choice(("", "", *names, "gone")) for _ in range(pods)]
        c.add_job(
            pods,
            minimum=rng.randint(1, pods),
            requests={"cpu": rng.choice(("1", "2", "3")), "memory": "1Gi"},
            pod=partial(nominated, places),
        )
        spec = last_group(c)["spec"]
        wanted = {"mode": "hard", "highestTierAllowed": rng.choice((1, 2))}
        if index % 2:
            part = {"name": "part", "matchLabelKeys": ["part"], "subGroupSize": rng.choice((1, 2))}
            spec["subGroupPolicy"] = [part | rng.choice(({}, {}, {"networkTopology": wanted}, {"minSubGroups": 2}))]
            for place, pod in enumerate(c.jobs[-pods:]):
                pod["metadata"]["labels"]["part"] = str(place % 2)
                if number % 3 == 2 and place == 0:
                    del pod["metadata"]["labels"]["part"]
        elif rng.random() < 0.7:
            spec["networkTopology"] = wanted
    predicates = plugin("predicates", predicate__CacheEnable=number % 2 == 0)
    plugins = ("priority", "gang", predicates, "network-topology-aware", "nodeorder")
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


NUMBERS: Final = {
    "allocate-within": (100, 101, 103, 111),
    "capacity-gangs": (101, 105, 106, 109, 122),
    "capacity-held": (100, 101, 103, 105, 106, 107, 111),
    "capacity-refused": (101, 103, 106, 107, 112),
    "gang-ending": (100, 101, 102, 103, 104, 105),
    "gangs-promised": (104, 106, 118, 142, 144, 147, 156, 170, 176, 178, 282),
}
FAMILIES: Final[dict[str, Callable[[random.Random, int], list[Object]]]] = {
    "gangs-promised": promised,
    "gang-ending": ending,
    "capacity-gangs": gangs_of_queues,
    "capacity-refused": refused_queues,
    "capacity-held": held_claims,
    "allocate-within": in_hyper_nodes,
}

if __name__ == "__main__":
    write(FAMILIES, *sys.argv[1:], numbers=range(0), further=NUMBERS)
