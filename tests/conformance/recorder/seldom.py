"""Write scenarios of what allocate, gang and capacity seldom come to.

    python -m tests.conformance.recorder.seldom FOLDER [FAMILY ...]

The families are as in edges.py, with a few scenarios each, that were picked from many.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

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
    offer,
    plugin,
    priority_classes,
    rescheduled,
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


def shaped(c: Cluster, places: Sequence[str], requests: Object, **more: Any) -> list[Object]:
    """Add a job whose first pods run at some places; return its pods."""
    pods = more.pop("pods", len(places))
    limits = {name: amount for name, amount in requests.items() if "/" in name}
    c.add_job(pods, running=len(places), requests=requests, limits=limits, pod=partial(at, [*places]), **more)
    return c.jobs[-pods:]


def loaded(rng: random.Random, number: int) -> list[Object]:
    """Pods that leave busy nodes: with init containers, limits for some, and namesakes elsewhere."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 4), cpus=(10, 20))
    c.add_queues(1)
    priorities = rng.sample((None, None, -1, 0, 1, 1, 1, 2, 3, 4), 8) if number % 2 else (1, 1, 1)
    for index, priority in enumerate(priorities):
        amounts = {"cpu": rng.choice(("1", "2")), "memory": rng.choice(("1Gi", "4Gi"))}
        (pod,) = shaped(c, [names[-1] if index < 5 else rng.choice(names)], amounts)
        one = pod["spec"]["containers"][0]
        pod["spec"] |= {} if priority is None else {"priority": priority}
        kinds = ("plain", "first", "first", "beside", "limited", "limited", "two", "other", "namesake")
        kind = rng.choice(kinds if number % 2 else (*kinds[1:7], "two", "two"))
        if kind in ("first", "beside"):
            first = {**one, "name": "first", "resources": {"requests": {"cpu": "5", "memory": "6Gi"}}}
            if rng.random() < 0.5:
                one["resources"] |= {"limits": dict(amounts)}
                first["resources"] |= rng.choice(({}, {"limits": {"cpu": "5", "memory": "6Gi"}}))
            pod["spec"]["initContainers"] = [first | ({"restartPolicy": "Always"} if kind == "beside" else {})]
        if kind == "limited":
            one["resources"]["limits"] = rng.choice(({"cpu": amounts["cpu"]}, dict(amounts), {**amounts, "cpu": "3"}))
        if kind == "two":
            more = {"requests": dict(amounts), "limits": {**amounts, "cpu": "2"}}
            other = rng.choice(({}, more, {"requests": {"cpu": "1"}}))
            one["resources"]["limits"] = dict(amounts)
            pod["spec"]["containers"].append({**one, "name": "other", "resources": other})
        if kind in ("other", "namesake"):
            pod["spec"]["schedulerName"] = "default-scheduler"
            c.jobs.remove(last_group(c))
        if kind == "namesake":
            shaped(c, [rng.choice(names)], amounts)[0]["metadata"] |= {"name": pod["metadata"]["name"]}
            pod["metadata"]["namespace"] = "elsewhere"
    for node in c.nodes:
        has = node["status"]["capacity"]
        cpu = rng.choice((62, 65, 70, 75, 105)) if node is c.nodes[-1] else rng.choice((25, 58, 61))
        cpu = 10 if node is c.nodes[0] else cpu
        memory = rng.choice((20, 45, 78)) if node is c.nodes[1] else 20
        used = int(has["cpu"]) * 10 * cpu, int(has["memory"][:-2]) * 1024 * memory // 100
        c.measure(node, {"cpu": f"{used[0]}m", "memory": f"{used[1]}Mi"})
        if number % 50 == 48 or (node is not c.nodes[0] and rng.random() < 0.25):
            node["spec"]["unschedulable"] = True
    low, high = {"cpu": 30, "memory": 50}, {"cpu": 60, "memory": rng.choice((60, 80))}
    params: Object = rng.choice(({"thresholds": low}, {"thresholds": 5})) | {"targetThresholds": high}
    given: list[Object] = [{"name": "lowNodeUtilization", "params": params}]
    return rescheduled(c, rng.choice((given, given, given, [], [{"name": "other", "params": params}])))


def reserved(rng: random.Random, number: int) -> list[Object]:
    """Busy and idle nodes that offer a part of what they have: pods leave as long as the whole of it is too busy."""
    c = Cluster(rng)
    names = uneven(c, 3, cpus=(20,))
    c.add_queues(1)
    shaped(c, [names[0]] * 6, {"cpu": "1", "memory": "2Gi"})
    for node, cpu, part in zip(c.nodes, ("15", "2", "3"), (2, 1 + number % 2, 3), strict=True):
        node["status"]["allocatable"]["cpu"] = str(int(node["status"]["capacity"]["cpu"]) // part)
        c.measure(node, {"cpu": cpu, "memory": "4Gi"})
    params = {"thresholds": {"cpu": 30, "memory": 50}, "targetThresholds": {"cpu": 50 + number % 3 * 8, "memory": 80}}
    return rescheduled(c, [{"name": "lowNodeUtilization", "params": params}])


def nested_patterns(rng: random.Random, number: int) -> list[Object]:
    """Strategies by several patterns that fit a name, weights that are none, and nodes that are full in part."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 3), cpus=(8, 16), gpus=(0, 4))
    c.add_queues(1)
    gpu = "nvidia.com/gpu"
    for node in c.nodes:
        if rng.random() < 0.7:
            offer(node, {"example.com/npu": "4"})
        has = node["status"]["allocatable"]
        for _ in range(rng.randint(0, 3)):
            device = rng.choice([{}, *({name: "1"} for name in (gpu, "example.com/npu") if name in has)])
            amounts = {"cpu": str(rng.choice((1, 2))), "memory": f"{rng.choice((1, 6))}Gi", **device}
            shaped(c, [node["metadata"]["name"]], amounts)
    kind, given = "volcano.sh/resource-strategy-scoring-type", "volcano.sh/resource-strategy-weight"
    asked: tuple[str, ...] = (
        '{"cpu": 9, "memory": 1}',
        '{"memory": 9}',
        "null",
        '{"cpu": null, "nvidia.com/gpu": 2}',
        "{}x",
    )
    asked = (*asked, '{"cpu": -3, "memory": 1}', '{"cpu": 2, "example.com/none": 50}')
    if number % 3 == 2:
        shaped(c, names[:1], {"cpu": "6", "memory": "1Gi"})
        c.jobs[-1]["metadata"] |= {"deletionTimestamp": "2026-11-21T12:00:10Z", "deletionGracePeriodSeconds": 30}
    for _ in range(rng.randint(3, 5)):
        device = rng.choice(({}, {gpu: "1"}, {"example.com/npu": "1"}))
        said = {kind: rng.choice(("MostAllocated", "LeastAllocated", "Other")), given: rng.choice(asked)}
        said = rng.choice((said, {}, {kind: "MostAllocated"}) if number % 2 else ({},))
        amounts = {"cpu": "2", "memory": f"{rng.choice((1, 4))}Gi", **device}
        shaped(c, (), amounts, pods=rng.choice((1, 1, 2)), annotations=dict(said))
    patterns = [gpu, "nvidia.com/*", "nvidia.com/g*", "n*", "g*", "example.com/*", "example.com/n*", "ex*m*", "*", "**"]
    chosen = rng.sample([*patterns, "cpu", "memory"], rng.randint(3, 7))
    kinds = ("MostAllocated", "LeastAllocated", "Other")
    resources = {name: {"type": rng.choice(kinds), "weight": rng.choice((1, 7, 7, 0, -2))} for name in chosen}
    arguments: Object = {"resources": resources} if rng.random() < 0.8 else {}
    arguments |= {"resourceStrategyFitWeight": rng.choice((1, 0, -3))} if rng.random() < 0.4 else {}
    devices = rng.choice((f"{gpu}, example.com/npu", f"{gpu}, example.com/npu, {gpu}", f"example.com/npu, cpu, {gpu}"))
    if rng.random() < 0.5:
        own: Object = {"enable": rng.random() < 0.8, "resources": devices, "weight": rng.choice((1, 2, 10))}
        arguments["sra"] = own | {
            "resourceWeight": {gpu: rng.choice((3, 0, -1)), "example.com/npu": rng.choice((1, 0))}
        }
    elif rng.random() < 0.7:
        shares = {f"{gpu}.cpu": rng.choice((2, 1, 0)), f"{gpu}.memory": rng.choice((7, 3, 0)), "example.com/npu.cpu": 1}
        kept = {"enable": rng.random() < 0.8, "resources": devices, "resourceProportion": shares}
        arguments["proportional"] = kept
    fit = {"name": "resource-strategy-fit", "arguments": arguments}
    others = rng.choice(((), (), ("nodeorder",), ("binpack",)))
    plugins = ("priority", "gang", "predicates", fit, *others)
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


def many_quotas(rng: random.Random, number: int) -> list[Object]:
    """Namespaces with several quotas, some for nothing, of names that jobs write in another way, or that a job uses."""
    c = Cluster(rng)
    names = uneven(c, 2, cpus=(16,))
    c.add_queues(1)
    hard: Object = {
        "cpu": rng.choice(("3", "5", "0")),
        "memory": rng.choice(("6Gi", "9Gi")),
        "requests.cpu": rng.choice(("2", "4")),
        "limits.cpu": rng.choice(("3", "0")),
        "pods": "4",
    }
    for namespace in ("team", "team", "team", "free"):
        chosen = rng.sample(list(hard), rng.randint(1, 2))
        status: Object = {"hard": {name: hard[name] for name in chosen}}
        status |= {"used": rng.choice(({}, {"cpu": "1"}, {"limits.cpu": "1", "pods": "2"}))}
        metadata = {"name": f"quota-{rng.randint(0, 99):02}-{len(c.others)}", "namespace": namespace}
        c.others.append({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "status": status})
    for _ in range(rng.randint(4, 6)):
        pods = rng.randint(1, 3)
        running = [rng.choice(names)] if pods > 1 and rng.random() < 0.3 else []
        shaped(c, running, {"cpu": "1", "memory": "1Gi"}, pods=pods, minimum=pods)
        group = last_group(c)
        group["status"]["phase"] = "Pending"
        some = {"cpu": str(pods), "memory": f"{2 * pods}Gi", "pods": str(pods), "requests.cpu": "1", "limits.cpu": "2"}
        if rng.random() < 0.9:
            group["spec"]["minResources"] = {name: some[name] for name in rng.sample(list(some), rng.randint(1, 3))}
        for each in (group, *c.jobs[-pods:]) if rng.random() < 0.3 else ():
            each["metadata"]["namespace"] = "free"
    plugins = ("priority", "gang", "predicates", "nodeorder", "resourcequota", *(("proportion",) * (number % 2)))
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


ROLES: Final = ("worker", "ps", "chief")


def roles_by_label(rng: random.Random, number: int) -> list[Object]:
    """Roles that labels name, too, annotations that Volcano refuses, devices, and other plugins that score nodes."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 4), cpus=(4, 8), gpus=(0, 4))
    c.add_queues(1)
    for index in range(rng.randint(2, 4)):
        taken = [rng.choice(names) for _ in range(rng.choice((0, 1, 2)))]
        pods = len(taken) + rng.randint(2, 5)
        near = rng.choice(("worker,ps", "worker", "ps,chief;worker", "ps;worker,chief", "worker,ps;ps,chief"))
        group = {"volcano.sh/task-topology-affinity": near}
        apart = rng.choice(("ps", "worker", "worker,chief", "ps;worker,ps", "worker, ps", "nobody", "ps,ps", ""))
        group |= {"volcano.sh/task-topology-anti-affinity": apart} if rng.random() < 0.5 else {}
        order = rng.choice(("ps,worker", "chief,ps", "worker,,ps", "worker,nobody", "ps,ps"))
        group = ({} if rng.random() < 0.2 else group) | (
            {"volcano.sh/task-topology-task-order": order} if index else {}
        )
        old = index == 0 and number % 3 == 1
        for place, pod in enumerate(
            shaped(
                c,
                taken,
                {"cpu": "1", "memory": "1Gi"},
                pods=pods,
                minimum=1,
                priority="low" if old else "high",
                annotations={PREEMPTABLE: "true"} if old else {},
                group={} if old else group,
            )
        ):
            role = ROLES[place] if place < 3 else rng.choice(ROLES)
            said, other = pod["metadata"]["annotations"], rng.choice(ROLES)
            said["volcano.sh/task-spec"] = role
            if rng.random() < 0.3:
                pod["metadata"]["labels"]["volcano.sh/task-spec"] = other
                if rng.random() < 0.5:
                    del said["volcano.sh/task-spec"]
            resources = pod["spec"]["containers"][0]["resources"]
            resources["requests"] = dict(rng.choice(SHAPES_OF_ROLES))
            resources["limits"] = {name: each for name, each in resources["requests"].items() if "/" in name}
    c.others += priority_classes()
    own = {"name": "task-topology", "arguments": {"task-topology.weight": rng.choice((1, 2, 10, -1))}}
    others = rng.choice(((), ("nodeorder",), ("binpack",), (plugin("binpack", binpack__weight=3),)))
    actions = ("enqueue, allocate", "enqueue, allocate, preempt")[number % 3 == 1]
    return [configuration(actions, ("priority", "gang"), ("predicates", own, *others)), *c.objects()]


SHAPES_OF_ROLES: Final[tuple[Object, ...]] = (
    {"cpu": "1", "memory": "1Gi"},
    {"cpu": "2", "memory": "1Gi"},
    {"cpu": "1", "memory": "5Gi"},
    {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"},
)


def in_turn_spared(rng: random.Random, number: int) -> list[Object]:
    """Victims of several sizes on one node, of jobs that hold some elsewhere, for drf alone to choose from."""
    c = Cluster(rng)
    names = uneven(c, 2, cpus=(10,))
    c.add_queues(1)
    for index in range(rng.randint(1, 2)):
        sizes = [rng.choice(("1", "1", "2", "3", "4", "1900m")) for _ in range(rng.randint(2, 5))]
        taken = [names[0] if rng.random() < 0.8 else names[1] for _ in sizes]
        pods = shaped(
            c, taken, {"cpu": "1", "memory": "1Gi"}, minimum=1, annotations={PREEMPTABLE: "true"}, priority="low"
        )
        for size, pod in zip(sizes, pods, strict=True):
            pod["spec"]["containers"][0]["resources"]["requests"] = {"cpu": size, "memory": f"{index + 1}Gi"}
            if rng.random() < 0.15:
                pod["status"] = {"phase": "Pending"}
    for name in names:
        shaped(c, [name], {"cpu": rng.choice(("1", "2", "3", "6")), "memory": "1Gi"}, priority="low")
    for _ in range(rng.randint(1, 2)):
        waiting = rng.choice((1, 1, 2))
        amounts = {"cpu": str(rng.choice((1, 2, 3))), "memory": "1Gi"}
        shaped(c, (), amounts, pods=waiting, minimum=waiting, priority="high")
    c.others += priority_classes()
    gang: Object = {"name": "gang", "enablePreemptable": False}
    others = ("drf", "predicates", "nodeorder")
    tiers: tuple[tuple[str | Object, ...], ...] = ((gang, "priority"), others) if number % 2 else ((gang, *others),)
    return [configuration("enqueue, allocate, preempt", *tiers), *c.objects()]


def weighed_names(rng: random.Random, number: int) -> list[Object]:
    """Resources that binpack weighs, also those that no node has, that nobody asks for, or that are named twice."""
    c = Cluster(rng)
    uneven(c, rng.randint(2, 4), cpus=(8, 16), gpus=(0, 4))
    c.add_queues(1)
    gpu = "nvidia.com/gpu"
    for node in c.nodes:
        if rng.random() < 0.5:
            offer(node, {"example.com/npu": "4"})
        has = node["status"]["allocatable"]
        for _ in range(rng.randint(0, 3)):
            device = rng.choice([{}, *({name: "1"} for name in (gpu, "example.com/npu") if name in has)])
            amounts = {"cpu": str(rng.choice((1, 2, 3))), "memory": f"{rng.choice((1, 6))}Gi", **device}
            shaped(c, [node["metadata"]["name"]], amounts)
            if number % 3 == 2:
                left = {"deletionTimestamp": "2026-11-21T12:00:10Z", "deletionGracePeriodSeconds": 30}
                c.jobs[-1]["metadata"] |= left
    for _ in range(rng.randint(3, 5)):
        device = rng.choice(({}, {gpu: "1"}, {"example.com/npu": "1"}))
        cpu = rng.choice((1, 2, 7 if number % 3 == 2 else 1))
        amounts = {"cpu": str(cpu), "memory": f"{rng.choice((1, 4))}Gi", **device}
        shaped(c, (), amounts, pods=rng.choice((1, 1, 2)))
    listed = (
        gpu,
        f"{gpu}, example.com/npu",
        "example.com/none, example.com/npu",
        f"cpu, {gpu}",
        "memory,example.com/npu",
    )
    arguments: Object = {"binpack.weight": rng.choice((1, 1, 5, -1))}
    arguments |= {"binpack.resources": rng.choice(listed)} if rng.random() < 0.8 else {}
    for name in ("cpu", "memory", f"resources.{gpu}", "resources.example.com/npu", "resources.cpu", "resources.memory"):
        arguments |= {f"binpack.{name}": rng.choice((0, 2, 9, -2))} if rng.random() < 0.5 else {}
    others = rng.choice(((), (), ("nodeorder",)))
    own = {"name": "binpack", "arguments": arguments}
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own, *others)), *c.objects()]


def promised_amounts(rng: random.Random, _: int) -> list[Object]:
    """Jobs that were admitted or run, for more or less than they hold, of disks and devices, and for what is left."""
    c = Cluster(rng)
    names = uneven(c, 2, cpus=(8,), gpus=(4,))
    c.add_queues(rng.randint(1, 2))
    for node in c.nodes:
        offer(node, {"ephemeral-storage": "20Gi"})
    for index in range(rng.randint(5, 8)):
        pods = rng.randint(1, 3)
        running = [rng.choice(names) for _ in range(rng.randint(0, pods))] if index < 4 else []
        device = rng.choice(({}, {"nvidia.com/gpu": "1"}, {"ephemeral-storage": "4Gi"}))
        gated = bool(not running and rng.random() < 0.2)
        for pod in shaped(c, running, {"cpu": "1", "memory": "1Gi", **device}, pods=pods, minimum=rng.randint(1, pods)):
            pod["spec"] |= {"schedulingGates": [{"name": "later"}]} if gated else {}
        group = last_group(c)
        amounts = {"cpu": str(rng.choice((1, 2, 4))), "memory": f"{rng.choice((1, 9))}Gi"}
        for name, number_of in (("nvidia.com/gpu", (1, 3)), ("ephemeral-storage", ("6Gi", "14Gi")), ("pods", (1, 9))):
            amounts |= {name: str(rng.choice(number_of))} if rng.random() < 0.4 else {}
        group["spec"]["minResources"] = amounts
        group["status"]["phase"] = rng.choice(("Running", "Inqueue")) if index < 4 else "Pending"
    own = {"name": "overcommit", "arguments": {"overcommit-factor": rng.choice((1.0, 1.2, 0.9, 1.5))}}
    others = rng.choice(((), ("proportion",), ("capacity",)))
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own, *others)), *c.objects()]


def said_of_cpus(rng: random.Random, number: int) -> list[Object]:
    """Pods of several containers, or not Guaranteed, and nodes that keep CPUs, or list none or unknown ones."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(1, 3), cpus=(8, 16))
    c.add_queues(1)
    for node in c.nodes:
        cpus, numas = int(node["status"]["allocatable"]["cpu"]), rng.choice((1, 2, 4))
        first = rng.choice((2, cpus // 2, 6))
        detail = {
            str(each): {"numa": each * numas // cpus, "socket": int(each >= first), "core": each // 2}
            for each in range(cpus)
        }
        if rng.random() < 0.3:  # cores of two sockets that have the same numbers
            detail = {key: {**each, "core": each["core"] % (cpus // 4)} for key, each in detail.items()}
        free = sorted(rng.sample(range(cpus + rng.choice((0, 2))), rng.randint(cpus // 2, cpus)))
        free = rng.choice((free, free, free, [], [cpus, cpus + 1]))
        listed: Object = {"cpu": {"allocatable": ",".join(map(str, free)), "capacity": cpus}}
        metadata = {"name": node["metadata"]["name"]}
        policies = {
            "CPUManagerPolicy": rng.choice(("static", "static", "static", "none")),
            "TopologyManagerPolicy": rng.choice(POLICIES[number % 2 :]),
        }
        spec = {
            "policies": policies,
            "resReserved": {"cpu": rng.choice(("0", "1", "2"))},
            "numares": listed if rng.random() < 0.9 else {},
            "cpuDetail": detail,
        }
        c.others.append(
            {"apiVersion": "nodeinfo.volcano.sh/v1alpha1", "kind": "Numatopology", "metadata": metadata, "spec": spec}
        )
    if number % 4 == 3:
        shaped(c, names[:1], {"cpu": "6", "memory": "1Gi"})
        c.jobs[-1]["metadata"] |= {"deletionTimestamp": "2026-11-21T12:00:10Z", "deletionGracePeriodSeconds": 30}
    for _ in range(rng.randint(3, 6)):
        amounts = {"cpu": rng.choice(("1", "2", "3", "4", "1500m")), "memory": "1Gi"}
        policy = rng.choice(("", *POLICIES[1:], "none"))
        for pod in shaped(c, (), amounts, pods=rng.randint(1, 2)):
            pod["metadata"]["annotations"] |= {"volcano.sh/numa-topology-policy": policy} if policy else {}
            one = pod["spec"]["containers"][0]
            one["resources"]["limits"] = dict(amounts)
            more = {"cpu": rng.choice(("1", "2", "5")), "memory": "1Gi"}
            other = {**one, "name": "other", "resources": {"requests": more, "limits": dict(more)}}
            kind = rng.choice(("one", "two", "two", "first", "burstable"))
            pod["spec"] |= {"initContainers": [other]} if kind == "first" else {}
            pod["spec"]["containers"] += [other] if kind == "two" else []
            pod["status"]["qosClass"] = "Burstable" if kind == "burstable" else "Guaranteed"
    own = plugin("numa-aware", weight=rng.choice((1, 10)))
    others = rng.choice(((), ("nodeorder",), ("binpack",)))
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own, *others)), *c.objects()]


POLICIES: Final = ("none", "best-effort", "restricted", "single-numa-node")


def shared_devices(rng: random.Random, number: int) -> list[Object]:
    """GPUs that are shared, where init containers ask, pods of others hold some, or have ended, and few are healthy."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(1, 3), cpus=(16,))
    c.add_queues(1)
    memory, gpus = "volcano.sh/gpu-memory", "volcano.sh/gpu-number"
    by_memory = number % 2 == 0
    for node in c.nodes:
        offer(node, {memory: rng.choice(("32", "48")), gpus: rng.choice(("2", "3", "4"))})
        node["status"]["capacity"] |= rng.choice(({}, {}, {memory: "64"}, {gpus: "6"}))
        if rng.random() < 0.1:
            del node["status"]["capacity"][memory]
        said = rng.choice(("", "0", "1", "1,x", "0,2"))
        node["metadata"]["annotations"] |= {"volcano.sh/gpu-unhealthy-ids": said} if said else {}
    for name in names:
        for _ in range(rng.randint(1, 3)):
            asked = {memory: rng.choice(("5", "9"))} if by_memory or rng.random() < 0.2 else {gpus: "1"}
            held = {"volcano.sh/gpu-index": rng.choice(("0", "1", "0,1", "2", "1,x", "+1"))}
            annotations = {PREEMPTABLE: "true", "volcano.sh/predicate-time": "1763726400", **held}
            (pod,) = shaped(c, [name], {"cpu": "1", "memory": "1Gi", **asked}, annotations=annotations, priority="low")
            kind = rng.choice(("", "", "", "ended", "other"))
            if kind == "ended":
                pod["status"]["phase"] = rng.choice(("Succeeded", "Failed"))
            if kind == "other":
                pod["spec"]["schedulerName"] = "default-scheduler"
                c.jobs.remove(last_group(c))
    for _ in range(rng.randint(3, 6)):
        amount = {memory: str(rng.choice((5, 9, 16)))} if by_memory else {gpus: str(rng.choice((1, 2)))}
        amount |= rng.choice(({}, {}, {gpus: "1", memory: "6"}))
        asked = {"cpu": "1", "memory": "1Gi", **amount}
        for pod in shaped(c, (), asked, pods=rng.randint(1, 2), priority="high"):
            one = pod["spec"]["containers"][0]
            more = {name: str(2 * int(each)) for name, each in amount.items()}
            first = {**one, "name": "first", "resources": {"limits": more, "requests": more}}
            pod["spec"] |= rng.choice(({}, {}, {"initContainers": [first]}))
    c.others += priority_classes()
    own: Object = {
        "name": "deviceshare",
        "arguments": {f"deviceshare.GPU{'Sharing' if by_memory else 'Number'}Enable": True},
    }
    own |= rng.choice(({}, {}, {"enablePredicate": False}))
    tiers: tuple[tuple[str | Object, ...], ...] = (("priority", {"name": "gang", "enablePreemptable": False}),)
    tiers = (*tiers, rng.choice((("predicates", own), ("predicates", own), (own, "nodeorder"))))
    return [configuration(("enqueue, allocate", "enqueue, allocate, preempt")[number % 3 == 2], *tiers), *c.objects()]


def named_gpus(rng: random.Random, _: int) -> list[Object]:
    """Virtual GPUs of nodes that mix modes and models, or offer no cores, for pods that name models in any case."""
    c = Cluster(rng)
    uneven(c, rng.randint(1, 3), cpus=(16,))
    c.add_queues(1)
    offered = ("volcano.sh/vgpu-number", "volcano.sh/vgpu-memory", "volcano.sh/vgpu-cores")
    for node in c.nodes:
        name = node["metadata"]["name"]
        listed = "".join(
            f"GPU-{name}-{gpu},{rng.choice((1, 2, 4))},{rng.choice((0, 16000, 40960, 40960))},"
            f"{rng.choice(('NVIDIA-A100', 'NVIDIA-a10', 'NVIDIA-T4', 'AMD-A100'))},true,{rng.choice(('', '', 'mig'))}:"
            for gpu in range(rng.randint(1, 3))
        )
        node["metadata"]["annotations"] |= {
            "volcano.sh/node-vgpu-register": listed,
            "volcano.sh/node-vgpu-handshake": "Reported 2026-11-21 12:00:00",
        }
        amounts = dict.fromkeys(offered, "100000")
        offer(node, amounts | rng.choice(({}, {}, {}, {rng.choice(offered): "0"})))
    for _ in range(rng.randint(3, 6)):
        asked = {"volcano.sh/vgpu-number": str(rng.choice((0, 1, 1, 2)))}
        asked |= rng.choice(({}, {"volcano.sh/vgpu-memory": rng.choice(("4000", "9000", "20000"))}))
        asked |= rng.choice(({}, {"volcano.sh/vgpu-cores": rng.choice(("30", "60", "100"))}))
        pods = shaped(c, (), {"cpu": "1", "memory": "1Gi", **asked}, pods=rng.randint(1, 3))
        said = {f"nvidia.com/{name}": rng.choice(MODELS) for name in ("use-gputype", "nouse-gputype")}
        said |= {"volcano.sh/vgpu-podgroup-policy": "spread", "volcano.sh/vgpu-mode": rng.choice(("mig", "hami-core"))}
        chosen = rng.sample(list(said), rng.choice((0, 1, 1, 2)))
        for pod in pods:
            pod["metadata"]["annotations"] |= {name: said[name] for name in chosen}
            if "volcano.sh/vgpu-podgroup-policy" in chosen and rng.random() < 0.5:
                group = pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"]
                pod["metadata"]["annotations"]["volcano.sh/group-name"] = rng.choice((group, "another"))
            resources = pod["spec"]["containers"][0]["resources"]
            if rng.random() < 0.3:  # as requests alone
                resources["limits"] = {"volcano.sh/vgpu-number": resources["limits"]["volcano.sh/vgpu-number"]}
    scored = {"deviceshare.SchedulePolicy": rng.choice(("binpack", "spread")), "deviceshare.ScheduleWeight": 10}
    own: Object = {"name": "deviceshare", "arguments": {"deviceshare.VGPUEnable": True, **scored}}
    own |= rng.choice(({}, {}, {}, {"enablePredicate": False}))
    others = rng.choice(((), ("nodeorder",), ("binpack",)))
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own, *others)), *c.objects()]


MODELS: Final = ("A100", "a10", "T4,a100", "A10", "", "NVIDIA-T4", "nvidia")


def closed_shares(rng: random.Random, number: int) -> list[Object]:
    """Queues under proportion that close, with limits of one resource alone, and victims of more than one size."""
    c = Cluster(rng)
    names = uneven(c, 2, cpus=(8,), gpus=(0, 4))
    c.add_queues(rng.randint(2, 3))
    for queue in c.queues:
        limits = {"cpu": str(rng.choice((3, 6))), "memory": rng.choice(("8Gi", "20Gi")), "nvidia.com/gpu": "1"}
        for field in ("capability", "guarantee"):
            chosen = rng.sample(list(limits), rng.randint(1, 2))
            amounts: Object = {name: limits[name] for name in chosen}
            if rng.random() < 0.4:
                queue["spec"] |= {field: {"resource": amounts} if field == "guarantee" else amounts}
        queue["status"]["state"] = rng.choice(("Open", "Open", "Open", "Closing", "Closed"))
        queue["spec"]["reclaimable"] = rng.random() < 0.9
    for name in names:
        for size in rng.choice((("4", "4"), ("2", "2", "3"), ("1", "1", "2", "2", "2"), ("7",))):
            amounts = {"cpu": size, "memory": f"{rng.choice((1, 4))}Gi"}
            shaped(c, [name], amounts, annotations={PREEMPTABLE: "true"}, priority="low")
    for _ in range(rng.randint(2, 4)):
        amounts = {"cpu": str(rng.choice((1, 2, 4, 5))), "memory": "1Gi"}
        amounts |= {"nvidia.com/gpu": "1"} if rng.random() < 0.2 else {}
        pods = shaped(c, (), amounts, pods=rng.randint(1, 2), priority="high")
        last_group(c)["spec"]["minResources"] = {"cpu": str(len(pods)), "memory": "1Gi"}
        for pod in pods if rng.random() < 0.2 else ():
            pod["spec"]["schedulingGates"] = [{"name": "later"}]
    c.others += priority_classes()
    own = {"name": "proportion", **rng.choice(({}, {}, {"enablePredicate": False, "enablePreemptable": False}))}
    arguments = {"enableTopologyAwarePreemption": True, "minCandidateNodesAbsolute": 100}
    more = {"configurations": [{"name": "preempt", "arguments": arguments}]} if rng.random() < 0.6 else {}
    actions = ("enqueue, allocate, preempt", "enqueue, allocate, reclaim", "enqueue, reclaim, allocate")[number % 3]
    off = {"enablePreemptable": False, "enableReclaimable": False}
    tiers = ("priority", {"name": "gang", **off}), ("predicates", own, "nodeorder")
    return [configuration(actions, *tiers, **more), *c.objects()]


def preferred(rng: random.Random, _: int) -> list[Object]:
    """What pods would like of nodes and of other pods, several wishes at a time, beside images and taints."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 4), cpus=(8, 16))
    c.add_queues(1)
    for node in c.nodes:
        labels = node["metadata"]["labels"]
        labels |= rng.choice(({}, {"rack": rng.choice(("a", "b"))}))
        if rng.random() < 0.2:
            del labels["zone"]
        taints = [{"key": key, "value": "v", "effect": "PreferNoSchedule"} for key in ("k", "l", "m")]
        node["spec"] |= {"taints": rng.sample(taints, rng.randint(1, 3))} if rng.random() < 0.4 else {}
        images = [["docker.io/busybox:latest", "busybox:latest"], ["model:v1", "other/model:v1"]]
        sizes = (30, 400, 900)
        node["status"]["images"] = [
            {"names": each, "sizeBytes": rng.choice(sizes) * 2**20} for each in images if rng.random() < 0.5
        ]
    for index in range(rng.randint(6, 8)):
        keys = ("zone", "kubernetes.io/hostname", "rack")
        terms = [
            {"labelSelector": {"matchLabels": {"app": rng.choice("ab")}}, "topologyKey": rng.choice(keys)}
            for _ in range(rng.randint(1, 2))
        ]
        weighted = [{"weight": rng.choice((1, 10, 60)), "podAffinityTerm": each} for each in terms]
        kind, other = rng.sample(("podAffinity", "podAntiAffinity"), 2)
        affinity: Object = {kind: {"preferredDuringSchedulingIgnoredDuringExecution": weighted}}
        if rng.random() < 0.3:
            affinity |= {other: {"preferredDuringSchedulingIgnoredDuringExecution": weighted[:1]}}
        app = rng.choice("ab")
        spread = [
            {
                "maxSkew": rng.choice((1, 2, 5)),
                "topologyKey": key,
                "whenUnsatisfiable": rng.choice(("ScheduleAnyway", "ScheduleAnyway", "DoNotSchedule")),
                "labelSelector": {"matchLabels": {"app": app}},
                **rng.choice(({}, {"nodeTaintsPolicy": "Honor"}, {"nodeAffinityPolicy": "Ignore"})),
            }
            for key in rng.sample(keys, rng.randint(1, 2))
        ]
        amounts = {"cpu": rng.choice(("1", "100m", "2")), "memory": rng.choice(("1Gi", "4Gi"))}
        (pod,) = shaped(c, [rng.choice(names)] if index < 4 else (), amounts, pods=1, labels={"app": app})
        spec = pod["spec"]
        spec |= rng.choice(({"affinity": affinity}, {"affinity": affinity}, {}))
        spec |= {"topologySpreadConstraints": spread} if rng.random() < 0.4 else {}
        spec |= {"tolerations": [{"key": "k", "operator": "Exists"}]} if rng.random() < 0.3 else {}
        spec["containers"][0]["image"] = rng.choice(("busybox", "model:v1", "other/model:v1", "docker.io/busybox"))
        if rng.random() < 0.3:
            spec["containers"].append({**spec["containers"][0], "name": "again"})
        if rng.random() < 0.2:
            del spec["containers"][0]["resources"]
    weights = {f"{name}.weight": rng.choice((0, 1, 10)) for name in WEIGHED if rng.random() < 0.6}
    own: Object = {"name": "nodeorder"} | ({"arguments": weights} if weights else {})
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", "predicates", own)), *c.objects()]


def spread_out(rng: random.Random, _: int) -> list[Object]:
    """Pods that should be spread, by labels that some nodes lack or tolerate, where little else is scored."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(3, 6), cpus=(8, 16))
    c.add_queues(1)
    keys = ("zone", "kubernetes.io/hostname", "rack")
    for node in c.nodes:
        node["metadata"]["labels"] |= rng.choice(({}, {"rack": rng.choice(("a", "b"))}, {"rack": "c"}))
        if rng.random() < 0.3:
            node["spec"]["taints"] = [{"key": "k", "value": "v", "effect": "NoSchedule"}]
    for index in range(rng.randint(9, 12)):
        app = rng.choice("ab")
        constraints = [
            {
                "maxSkew": rng.choice((1, 2, 5)),
                "topologyKey": key,
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"app": app}},
                **rng.choice(({}, {"nodeTaintsPolicy": "Honor"}, {"nodeAffinityPolicy": "Ignore"})),
            }
            for key in rng.sample(keys, rng.randint(1, 2))
        ]
        amounts = {"cpu": rng.choice(("100m", "500m", "1")), "memory": "1Gi"}
        (pod,) = shaped(c, [rng.choice(names)] if index < 6 else (), amounts, pods=1, labels={"app": app})
        pod["spec"] |= {"topologySpreadConstraints": constraints}
        pod["spec"] |= rng.choice(({}, {}, {"nodeSelector": {"rack": rng.choice("ab")}}))
        if rng.random() < 0.3:
            del pod["spec"]["containers"][0]["resources"]
    weights = {"podtopologyspread.weight": rng.choice((1, 10)), "balancedresource.weight": rng.choice((0, 1))}
    own: Object = {"name": "nodeorder", "arguments": weights}
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", "predicates", own)), *c.objects()]


WEIGHED: Final = (
    *("leastrequested", "mostrequested", "balancedresource", "nodeaffinity"),
    *("imagelocality", "podaffinity", "tainttoleration", "podtopologyspread"),
)

NUMBERS: Final = {
    "allocate-within": (100, 101, 103, 111),
    "binpack-weighed": (100, 117, 120, 137, 149, 154, 187, 200, 263, 300, 326, 371),
    "capacity-gangs": (101, 105, 106, 109, 122),
    "capacity-held": (100, 101, 103, 105, 106, 107, 111),
    "capacity-refused": (101, 103, 106, 107, 112),
    "deviceshare-named": (100, 104, 106, 108, 109, 110, 117, 119, 139, 195, 220, 269),
    "deviceshare-shared": (100, 101, 102, 104, 106, 107, 108, 109, 111, 112, 113, 139, 140, 143),
    "drf-spared": (532, 666),
    "gang-ending": tuple(range(100, 106)),
    "gangs-promised": (104, 106, 118, 142, 144, 147, 156, 170, 176, 178, 282),
    "nodeorder-preferred": (
        *(100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115),
        *(116, 117, 118, 119, 120, 121, 122, 123, 138, 150, 176),
    ),
    "nodeorder-spread": (103, 109, 112, 132, 133, 169, 223, 335),
    "numa-aware-said": (101, 118, 124, 152, 154, 220, 273),
    "overcommit-promised": (105, 109, 125, 156, 183, 238, 325),
    "proportion-closed": (120, 126, 141, 157, 159, 164, 165, 221, 267),
    "rescheduling-loaded": (101, 103, 104, 106, 132, 135, 144, 146, 153, 159, 175, 178, 190, 196, 198, 248),
    "rescheduling-reserved": range(100, 106),
    "resource-strategy-fit-nested": (
        *(108, 111, 116, 117, 118, 121, 129, 131, 137, 138, 141, 144, 147, 157, 158, 185),
        *(199, 206, 212, 216, 252, 257, 266, 297, 357),
    ),
    "resourcequota-many": (101, 122, 163),
    "task-topology-labelled": (
        *(100, 101, 102, 105, 106, 111, 113, 132, 135, 170, 180, 192, 197, 214, 230, 237),
        *(241, 258, 339),
    ),
}
FAMILIES: Final[dict[str, Callable[[random.Random, int], list[Object]]]] = {
    "gangs-promised": promised,
    "rescheduling-loaded": loaded,
    "rescheduling-reserved": reserved,
    "resource-strategy-fit-nested": nested_patterns,
    "resourcequota-many": many_quotas,
    "task-topology-labelled": roles_by_label,
    "drf-spared": in_turn_spared,
    "binpack-weighed": weighed_names,
    "overcommit-promised": promised_amounts,
    "numa-aware-said": said_of_cpus,
    "deviceshare-shared": shared_devices,
    "deviceshare-named": named_gpus,
    "proportion-closed": closed_shares,
    "nodeorder-preferred": preferred,
    "nodeorder-spread": spread_out,
    "gang-ending": ending,
    "capacity-gangs": gangs_of_queues,
    "capacity-refused": refused_queues,
    "capacity-held": held_claims,
    "allocate-within": in_hyper_nodes,
}

if __name__ == "__main__":
    write(FAMILIES, *sys.argv[1:], numbers=range(0), further=NUMBERS)
