"""Write scenarios for lines of the scheduler that the random ones of the other families do not reach.

    python -m tests.conformance.recorder.rest FOLDER [FAMILY ...]

The families are as in edges.py, with a few scenarios each.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Final

from tests.conformance.recorder.corners import VIRTUAL_GPUS, add_victim, device_pools
from tests.conformance.recorder.edges import last_group, tree_of_hyper_nodes, uneven
from tests.conformance.recorder.faults import claimed_by, soft_topologies
from tests.conformance.recorder.generate import (
    Cluster,
    Object,
    aligned,
    configuration,
    hyper_node,
    numatopology,
    offer,
    plugin,
    priority_classes,
    write,
)

REFUSED: Final = (
    '[1, 2][dyn("a")] == 1',
    "[1, 2][dyn(true)] == 1",
    "has(device.driver, 1)",
    'dyn("a") < dyn(1)',
    "has(device)",
    "has(1)",
    "has()",
    "99999999999999999999999 > 1",
    "0xfffffffffffffffff > 1",
    "for == 1",
    "while(1)",
    "[1].all(1, true)",
    "[1].all(a.b, true)",
    "'\\\\q' == 'q'",
    "1 == @",
    "1 ==",
    "(1 == 1",
    ".device.driver == 'gpu.example.com'",
    "device.driver.1",
    "1 && true",
    "true && 'a'",
    "dyn(1) + 'a' == 'b'",
    "dyn(device.driver) == 'gpu.example.com' && has(device.attributes)",
    "semver('1.0.0') in [semver('1.0.0')]",
    "device.driver.nope",
    "device.nope()",
    "device.driver.size(1) == 1",
    "1 < dyn(2) && 'a' < dyn('b')",
)
"""Expressions that are refused when they are read, or when they are compiled, or fail on each device."""


def refused_expressions(rng: random.Random, number: int) -> list[Object]:
    """Claims of devices whose selectors are refused, seven in each scenario."""
    c = Cluster(rng)
    uneven(c, 2, cpus=(16,))
    c.add_queues(1)
    device_pools(c)
    return claimed_by(c, REFUSED[number % 4 :: 4])


def critical(rng: random.Random, number: int) -> list[Object]:
    """Pods of kube-system, and of a class that keeps nodes alive, among those that others would have to go for."""
    c = Cluster(rng)
    names = uneven(c, 2, cpus=(4,))
    c.add_queues(2)
    for name in names:
        for _ in range(2):
            add_victim(c, name, 2)
    for each in c.jobs:
        each["metadata"]["namespace"] = "kube-system"
    for _ in range(2):
        c.add_job(2, minimum=1, priority="high", requests={"cpu": "2", "memory": "1Gi"})
    c.others += priority_classes()
    actions = ("enqueue, allocate, preempt", "enqueue, reclaim, allocate")[number % 2]
    gang = {"name": "gang", "enablePreemptable": False, "enableReclaimable": False}
    return [configuration(actions, ("priority", gang, "conformance"), ("predicates", "proportion")), *c.objects()]


def twice(rng: random.Random, number: int) -> list[Object]:
    """HyperNodes for jobs that allocate tries again in the same session."""
    _, *objects = soft_topologies(rng, number)
    topologies = plugin("network-topology-aware", weight=(1, 10)[number % 2])
    plugins: tuple[str | Object, ...] = ("priority", "gang", "predicates", topologies)
    return [configuration("enqueue, allocate, backfill, allocate", plugins, ("nodeorder",)), *objects]


def broken_topologies(rng: random.Random, number: int) -> list[Object]:
    """HyperNodes that are members of two others or are not there, and jobs with too few sub-groups."""
    c = Cluster(rng)
    names = uneven(c, 4, cpus=(4,))
    c.add_queues(1)
    if number % 4 < 3:
        tree_of_hyper_nodes(c, names)
    if number % 4 == 1:
        for name in ("other", "another"):
            hyper_node(c, name, 7, "HyperNode", ["leaf-0"])
    for index in range(4):
        c.add_job(2, minimum=(1, 2)[index % 2], requests={"cpu": "1", "memory": "1Gi"})
        spec = last_group(c)["spec"]
        wanted = {"mode": "hard", "highestTierAllowed": rng.choice((1, 2, 3))}
        if index % 2:
            part = {"name": "part", "matchLabelKeys": ["part"], "subGroupSize": 1, "networkTopology": wanted}
            spec["subGroupPolicy"] = [part | {"minSubGroups": 3 - index // 2}]
            for place, pod in enumerate(c.jobs[-2:]):
                pod["metadata"]["labels"]["part"] = str(place)
        elif index:
            spec["networkTopology"] = wanted
    plugins = ("priority", "gang", "predicates", "network-topology-aware", "nodeorder")
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


def with_virtual_gpus(c: Cluster) -> None:
    """Let each node offer two GPUs as virtual ones."""
    for node in c.nodes:
        name = node["metadata"]["name"]
        listed = "".join(f"GPU-{name}-{gpu},10,16000,NVIDIA-T4,true,:" for gpu in range(2))
        node["metadata"]["annotations"] |= {
            "volcano.sh/node-vgpu-register": listed,
            "volcano.sh/node-vgpu-handshake": "Reported 2026-11-21 12:00:00",
        }
        offer(node, VIRTUAL_GPUS)


def add_holder(c: Cluster, node: str, gpu: int, cpu: int | str, memory: int) -> None:
    """Add a pod that may be evicted, and holds a part of a GPU of a node."""
    held = {
        "volcano.sh/vgpu-ids-new": f"GPU-{node}-{gpu},NVIDIA,{memory},0:",
        "volcano.sh/vgpu-node": node,
        "volcano.sh/vgpu-time": "1763726400",
    }
    devices = {"volcano.sh/vgpu-number": "1", "volcano.sh/vgpu-memory": str(memory)}
    add_victim(c, node, cpu, held=held, devices=devices)


def tried(rng: random.Random, number: int) -> list[Object]:
    """Topology-aware preemption, which tries evictions of pods that hold virtual GPUs, and their queues' limits."""
    c = Cluster(rng)
    names = uneven(c, 3, cpus=(16,))
    c.add_queues(1, capability={"cpu": "64", "memory": "256Gi", **VIRTUAL_GPUS})
    with_virtual_gpus(c)
    for name in names:
        for gpu in range(2):
            memory = rng.choice((9000, 12000, 16000))
            add_holder(c, name, gpu, 1, memory)
    for _ in range(2):
        limits = {"volcano.sh/vgpu-number": "1", "volcano.sh/vgpu-memory": str(rng.choice((8000, 12000, 20000)))}
        c.add_job(1, priority="high", requests={"cpu": "1", "memory": "1Gi", **limits}, limits=limits)
    c.others += priority_classes()
    more = {"configurations": [{"name": "preempt", "arguments": {"enableTopologyAwarePreemption": number % 4 < 3}}]}
    devices = plugin("deviceshare", deviceshare__VGPUEnable=True)
    tiers = (("priority", {"name": "gang", "enablePreemptable": False}), ("capacity", "predicates", devices))
    return [configuration("enqueue, allocate, preempt", *tiers, **more), *c.objects()]


def huge(rng: random.Random, _: int) -> list[Object]:
    """Nodes with so many cores, in an order so odd, that sorting them takes every way that it knows."""
    c = Cluster(rng)
    c.add_nodes(2, cpus=(96, 128, 192, 256))
    c.add_queues(1)
    for node in c.nodes:
        cpus, sockets = int(node["status"]["capacity"]["cpu"]), rng.choice((2, 4, 8))
        period, threads = rng.choice((2, 4, 8)), rng.choice((1, 2))
        detail = {
            str(cpu): {"numa": cpu // period % sockets, "socket": cpu // period % sockets, "core": cpu // threads}
            for cpu in range(cpus)
        }
        free = rng.sample(range(cpus), rng.randint(cpus // 3, cpus * 2 // 3))
        numatopology(c, node, detail, free, "best-effort")
    for _ in range(3):
        aligned(c, rng.choice((1, 3, 7, 13, 24)), "best-effort", rng.randint(1, 3))
    own = plugin("numa-aware", weight=10)
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own)), *c.objects()]


NUMBERS: Final = {
    "cel-refused": (100, 101, 102, 103),
    "conformance-critical": (100, 101),
    "deviceshare-tried": (100,),
    "gang-sub-groups": (100, 103),
    "network-topology-aware-twice": (100, 101),
    "numa-aware-huge": (101, 106),
}
FAMILIES: Final[dict[str, Callable[[random.Random, int], list[Object]]]] = {
    "cel-refused": refused_expressions,
    "conformance-critical": critical,
    "network-topology-aware-twice": twice,
    "gang-sub-groups": broken_topologies,
    "deviceshare-tried": tried,
    "numa-aware-huge": huge,
}

if __name__ == "__main__":
    write(FAMILIES, *sys.argv[1:], numbers=range(0), further=NUMBERS)
