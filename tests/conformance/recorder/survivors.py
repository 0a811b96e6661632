"""Write scenarios in which changes of the code are noticed that survived those of the other families.

    python -m tests.conformance.recorder.survivors FOLDER [FAMILY ...]

The families are as in edges.py, with a few scenarios each, that were picked from many.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import partial
from typing import Final

from tests.conformance.recorder.corners import add_victim, at, device_pools, tree_of_queues
from tests.conformance.recorder.edges import SHAPES, last_group, uneven
from tests.conformance.recorder.faults import claimed_by
from tests.conformance.recorder.generate import (
    PREEMPTABLE,
    Cluster,
    Object,
    aligned,
    configuration,
    hyper_node,
    numatopology,
    plugin,
    priority_classes,
    write,
)
from tests.conformance.recorder.rest import add_holder, with_virtual_gpus


def full(c: Cluster, names: list[str], cpus: tuple[str, ...] = ("2",)) -> None:
    """Fill nodes of eight cores with pods that may be evicted."""
    for name in names:
        for _ in range(8 // int(cpus[-1])):
            add_victim(c, name, c.rng.choice(cpus))


def roles_together(rng: random.Random, number: int) -> list[Object]:
    """Roles that belong together, on nodes that others leave for them, or with room for some of them."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 3))
    c.add_queues(1)
    if number % 2:
        full(c, names, ("1", "2"))
    for _ in range(rng.randint(1, 3)):
        pods = rng.randint(4, 8)
        group = {"volcano.sh/task-topology-affinity": rng.choice(("worker,ps", "worker", "ps,chief;worker"))}
        group |= rng.choice(({}, {"volcano.sh/task-topology-anti-affinity": rng.choice(("ps", "worker", "chief"))}))
        group |= rng.choice(({}, {"volcano.sh/task-topology-task-order": "ps,worker"}))
        c.add_job(pods, minimum=rng.choice((1, 2, 3)), priority="high", group=group)
        for place, pod in enumerate(c.jobs[-pods:]):
            role = ("worker", "ps", "chief")[place] if place < 3 else rng.choice(("worker", "ps", "chief"))
            pod["metadata"]["annotations"]["volcano.sh/task-spec"] = role
            pod["spec"]["containers"][0]["resources"]["requests"] = dict(rng.choice(SHAPES))
    c.others += priority_classes()
    actions = ("enqueue, allocate, backfill", "enqueue, allocate, preempt")[number % 2]
    own = {"name": "task-topology", "arguments": {"task-topology.weight": 10}}
    tiers = (("priority", {"name": "gang", "enablePreemptable": False}), ("predicates", "nodeorder", own))
    return [configuration(actions, *tiers), *c.objects()]


def victim(node: str, priority: int, _: int) -> Object:
    """The fields of a pod of a priority that runs on a node."""
    return {"spec/nodeName": node, "spec/priority": priority}


def low_priorities(rng: random.Random, _: int) -> list[Object]:
    """Victims on two nodes whose priorities are 0 and 1, for preempt that looks at several nodes."""
    c = Cluster(rng)
    names = uneven(c, 2)
    c.add_queues(1)
    for name, priority in zip(names, rng.sample((0, 0, 1, 1, 2), 2), strict=True):
        c.add_job(
            1,
            running=1,
            annotations={PREEMPTABLE: "true"},
            requests={"cpu": "8", "memory": "1Gi"},
            pod=partial(victim, name, priority),
        )
    c.add_job(1, priority="high", requests={"cpu": "8", "memory": "1Gi"})
    c.others += priority_classes()
    arguments = {"enableTopologyAwarePreemption": True, "minCandidateNodesAbsolute": 100}
    more = {"configurations": [{"name": "preempt", "arguments": arguments}]}
    tiers = (("priority", {"name": "gang", "enablePreemptable": False}), ("predicates", "nodeorder"))
    return [configuration("enqueue, allocate, preempt", *tiers, **more), *c.objects()]


def odd_patterns(rng: random.Random, _: int) -> list[Object]:
    """Strategies for names with an asterisk where none may stand."""
    c = Cluster(rng)
    uneven(c, 3, cpus=(8, 16))
    c.add_queues(1)
    for _ in range(3):
        c.add_job(rng.randint(1, 3), requests={"cpu": str(rng.choice((1, 2))), "memory": f"{rng.choice((1, 4))}Gi"})
    kinds = ("MostAllocated", "LeastAllocated")
    resources = {name: {"type": rng.choice(kinds), "weight": rng.choice((1, 9))} for name in ("*", "m*m*")}
    resources["cpu"] = {"type": rng.choice(kinds), "weight": 1}
    own = {"name": "resource-strategy-fit", "arguments": {"resources": resources}}
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own)), *c.objects()]


def without_gaps(rng: random.Random, _: int) -> list[Object]:
    """Pods without a topology, which go where HyperNodes of one or two tiers are full, or where nodes are."""
    c = Cluster(rng)
    names = uneven(c, 4)
    c.add_queues(1)
    low = rng.choice((1, 2, 3))
    for index in range(2):
        hyper_node(c, f"leaf-{index}", low, "Node", names[2 * index :][:2])
    if rng.random() < 0.6:
        hyper_node(c, "top", low + 1, "HyperNode", ("leaf-0", "leaf-1"))
    for _ in range(rng.randint(3, 5)):
        amounts = {"cpu": str(rng.choice((1, 2, 3))), "memory": "1Gi"}
        c.add_job(1, running=1, requests=amounts, pod=partial(at, [rng.choice(names)]))
    for _ in range(rng.randint(2, 4)):
        c.add_job(1, requests={"cpu": str(rng.choice((1, 2))), "memory": "1Gi"})
    fades = {"hypernode.binpack.normal-pod.fading": rng.choice((1, 1, 1, 0.5))}
    own = {"name": "network-topology-aware", "arguments": {"weight": rng.choice((1, 2, 3)), **fades}}
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own, "nodeorder")), *c.objects()]


def roles_within_hyper_nodes(rng: random.Random, _: int) -> list[Object]:
    """Gangs whose pods are enough, but not those of each role, in HyperNodes."""
    c = Cluster(rng)
    names = uneven(c, 4, cpus=(4,))
    c.add_queues(1)
    for index in range(2):
        hyper_node(c, f"leaf-{index}", 1, "Node", names[2 * index :][:2])
    for name in names:
        if rng.random() < 0.6:
            requests = {"cpu": rng.choice(("1", "2", "3")), "memory": "1Gi"}
            c.add_job(1, running=1, requests=requests, pod=partial(at, [name]))
    for _ in range(rng.randint(1, 2)):
        pods = rng.randint(4, 6)
        c.add_job(pods, minimum=rng.randint(2, 4))
        spec = last_group(c)["spec"]
        for place, pod in enumerate(c.jobs[-pods:]):
            pod["metadata"]["annotations"]["volcano.sh/task-spec"] = "ab"[place % 2]
            cpu = ("1", rng.choice(("1", "3", "4")))[place % 2]
            pod["spec"]["containers"][0]["resources"]["requests"] = {"cpu": cpu, "memory": "1Gi"}
        spec["minTaskMember"] = {"a": rng.choice((0, 1, 2)), "b": rng.choice((0, 1, 2))}
        spec["minMember"] = max(sum(spec["minTaskMember"].values()), 1)
        mode = rng.choice(("hard", "soft"))
        spec["networkTopology"] = {"mode": mode} | ({"highestTierAllowed": 1} if mode == "hard" else {})
    plugins = ("priority", "gang", "predicates", "network-topology-aware", "nodeorder")
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


def scored_devices(rng: random.Random, _: int) -> list[Object]:
    """Virtual GPUs that preempt takes from others, on nodes that are scored by what Kubernetes knows of their pods."""
    c = Cluster(rng)
    names = uneven(c, 2)
    c.add_queues(1)
    with_virtual_gpus(c)
    for name in names:
        for gpu in range(2):
            add_holder(c, name, gpu, rng.choice(("1", "2", "3")), 16000)
    for _ in range(rng.randint(2, 4)):
        limits = {"volcano.sh/vgpu-number": "1", "volcano.sh/vgpu-memory": str(rng.choice((8000, 16000)))}
        requests = {"cpu": rng.choice(("1", "2", "3")), "memory": "1Gi", **limits}
        c.add_job(1, priority="high", requests=requests, limits=limits)
    c.others += priority_classes()
    own = plugin("deviceshare", deviceshare__VGPUEnable=True)
    tiers = (("priority", {"name": "gang", "enablePreemptable": False}), ("predicates", own, "nodeorder"))
    return [configuration("enqueue, allocate, preempt", *tiers), *c.objects()]


def less_each_time(rng: random.Random, _: int) -> list[Object]:
    """Two jobs of a queue that deserves a little less than it has, for others that reclaim much, and then little."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 3))
    c.add_queues(3)
    for queue, weight in zip(c.queues, rng.sample((1, 2, 3), 3), strict=True):
        queue["spec"] = {"weight": weight}
    hungry, full_one, fixed = (each["metadata"]["name"] for each in c.queues)
    c.queues[2]["spec"]["reclaimable"] = False
    for name in names:
        sizes = rng.choice(((1, 1), (4,), (2,), (1,), (2, 2)))
        for size, queue in (*((each, full_one) for each in sizes), (8 - sum(sizes), fixed)):
            pods = 1 if queue == full_one else 8 - sum(sizes)
            amounts = {"cpu": str(size if queue == full_one else 1), "memory": "1Gi"}
            c.add_job(
                pods,
                running=pods,
                minimum=1,
                annotations={PREEMPTABLE: "true"},
                requests=amounts,
                pod=partial(at, [name] * pods),
            )
            last_group(c)["spec"]["queue"] = queue
    for _ in range(rng.randint(2, 3)):
        c.add_job(1, requests={"cpu": rng.choice(("1", "2", "4")), "memory": "1Gi"})
        last_group(c)["spec"]["queue"] = hungry
    tiers = (("priority", {"name": "gang", "enableReclaimable": False}), ("predicates", "proportion"))
    return [configuration("enqueue, allocate, reclaim", *tiers), *c.objects()]


def beside_what_is_held(rng: random.Random, number: int) -> list[Object]:
    """Jobs that go on in HyperNodes beside a full one, the nearest or the fullest, or in it once a pod has left."""
    c = Cluster(rng)
    names = uneven(c, 8)
    c.add_queues(1)
    for index in range(4):
        hyper_node(c, f"leaf-{index}", 1, "Node", names[2 * index :][:2])
    middle = rng.choice((2, 3, 4))
    hyper_node(c, "mid-0", middle, "HyperNode", ["leaf-0", "leaf-1"])
    hyper_node(c, "mid-1", middle, "HyperNode", ["leaf-2", "leaf-3"])
    hyper_node(c, "top", middle + 1, "HyperNode", ["mid-0", "mid-1"])
    for name in names[2:]:
        running = rng.randint(0, 6)
        if running:
            c.add_job(running, running=running, requests={"cpu": "1", "memory": "1Gi"}, pod=partial(at, [name] * 6))
    c.add_job(
        2,
        running=1,
        minimum=2,
        requests={"cpu": "2", "memory": "1Gi"},
        group={"volcano.sh/job-allocated-hypernode": "leaf-0"},
        pod=partial(at, [names[0]]),
    )
    last_group(c)["spec"]["networkTopology"] = {"mode": "hard", "highestTierAllowed": middle + 1}
    for name, cpu in zip(names, ("6", "8"), strict=False):
        c.add_job(1, running=1, requests={"cpu": cpu, "memory": "1Gi"}, pod=partial(at, [name]))
    if number % 4 == 1:
        c.jobs[-1]["metadata"] |= {"deletionTimestamp": "2026-11-21T12:00:10Z", "deletionGracePeriodSeconds": 30}
    scored = plugin("binpack", binpack__weight=rng.choice((2, 3, 5)))
    own = plugin("network-topology-aware", weight=rng.choice((1, 2)))
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own, scored)), *c.objects()]


def cores_apart(rng: random.Random, _: int) -> list[Object]:
    """Nodes of many small NUMA nodes whose cores have numbers of their own, so that CPUs are taken one by one."""
    c = Cluster(rng)
    uneven(c, 2, cpus=(48, 64, 96))
    c.add_queues(1)
    for node in c.nodes:
        cpus, numa_nodes = int(node["status"]["capacity"]["cpu"]), rng.choice((4, 8))
        period, threads, shared = rng.choice((1, 2, 4)), rng.choice((1, 2)), rng.choice((1, 2))
        places = {cpu: cpu // period % numa_nodes for cpu in range(cpus)}
        detail = {
            str(cpu): {"numa": place, "socket": 1000 + place // shared, "core": 1000 + cpu // threads}
            for cpu, place in places.items()
        }
        free = rng.sample(range(cpus), rng.randint(cpus // 2, cpus))
        numatopology(c, node, detail, free, "best-effort")
    for _ in range(rng.randint(3, 5)):
        aligned(c, rng.choice((5, 8, 11, 14, 20)), "best-effort", rng.randint(1, 2))
    own = plugin("numa-aware", weight=rng.choice((1, 10)))
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own, "nodeorder")), *c.objects()]


NO_VERSIONS: Final = (
    "1.2.x",
    "1.a.3",
    "01.2.3",
    "1.02.3",
    "1.2.03",
    "1..3",
    "1.2.3-",
    "1.2.3-a_b",
    "1.2.3-01",
    "1.2.3+",
    "1.2.3+a_b",
)
"""Texts that are no versions, each for a reason of its own."""


def no_versions(rng: random.Random, number: int) -> list[Object]:
    """Claims of devices whose selectors name versions that are none."""
    c = Cluster(rng)
    uneven(c, 2, cpus=(16,))
    c.add_queues(1)
    device_pools(c)
    expressions = (f"semver('{text}') == semver('1.2.3')" for text in NO_VERSIONS[number % 2 :: 2])
    return claimed_by(c, expressions, "enqueue, allocate")


def misplaced(rng: random.Random, number: int) -> list[Object]:
    """One job, in a queue with others below it, with which the scheduler stands still.

    With several, what queues are said to hold depends on which of them it meets first.
    """
    c = Cluster(rng)
    uneven(c, 2)
    tree_of_queues(c)
    pods, running = 3, number % 3
    names = [each["metadata"]["name"] for each in c.nodes]
    c.add_job(pods, running=running, minimum=1, annotations={PREEMPTABLE: "true"}, pod=partial(at, names[:running]))
    last_group(c)["spec"]["queue"] = ("p0", "root")[number % 2]
    own = {"name": "capacity", "enableHierarchy": True}
    actions = ("enqueue, allocate, backfill", "enqueue, allocate, preempt, reclaim")[number % 2]
    return [configuration(actions, ("priority", "gang", "predicates", own)), *c.objects()]


NUMBERS: Final = {
    "cel-versions": (100, 101),
    "capacity-misplaced": (100, 101, 102, 103),
    "deviceshare-scored": (101, 102, 114),
    "gang-roles-together": (203, 211, 229, 304),
    "network-topology-aware-beside": (101, 105, 109, 111, 115),
    "network-topology-aware-gapless": (112, 113, 114, 116),
    "numa-aware-apart": (176, 192),
    "preempt-priorities": (100, 104, 106),
    "reclaim-less": (136,),
    "resource-strategy-fit-patterns": (100, 102, 103),
    "task-topology-short": (119, 149, 259),
}
FAMILIES: Final[dict[str, Callable[[random.Random, int], list[Object]]]] = {
    "capacity-misplaced": misplaced,
    "cel-versions": no_versions,
    "task-topology-short": roles_together,
    "preempt-priorities": low_priorities,
    "resource-strategy-fit-patterns": odd_patterns,
    "network-topology-aware-gapless": without_gaps,
    "deviceshare-scored": scored_devices,
    "reclaim-less": less_each_time,
    "network-topology-aware-beside": beside_what_is_held,
    "numa-aware-apart": cores_apart,
    "gang-roles-together": roles_within_hyper_nodes,
}

if __name__ == "__main__":
    write(FAMILIES, *sys.argv[1:], numbers=range(0), further=NUMBERS)
