"""Write scenarios of devices that are given back, of CPUs in an odd order, and of extenders that a network fails.

    python -m tests.conformance.recorder.devices FOLDER [FAMILY ...]

The families are as in edges.py, with a few scenarios each.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final
from urllib.parse import quote

from tests.conformance.recorder.corners import VIRTUAL_GPUS, add_victim, at
from tests.conformance.recorder.edges import uneven
from tests.conformance.recorder.faults import NPUS, device_config, failing_answers
from tests.conformance.recorder.generate import (
    EXTENDER,
    PREEMPTABLE,
    VERBS,
    Cluster,
    Object,
    aligned,
    configuration,
    numa,
    numatopology,
    offer,
    plugin,
    priority_classes,
    write,
)


def cores_before_each_other(rng: random.Random, cpus: int) -> Object:
    """Where the CPUs of a node are whose cores come before each other: those of higher numbers are in lower sockets.

    Cores and sockets have numbers that no CPU has, so that none is taken as a whole, which is left to chance.
    """
    cores = cpus // rng.choice((1, 2, 2, 4, 8))
    sockets, mixes = rng.choice((2, cores // 4, cores // 2, cores)), rng.choice((True, False))
    is_random, block = rng.choice((True, False, False)), rng.choice((1, 1, 2, max(cores // 8, 1)))
    detail: Object = {}
    for cpu in range(cpus):
        core = cpu % cores
        socket = sockets - 1 - (core % sockets if mixes else core * sockets // cores)
        numa_node = rng.randrange(8) if is_random else core // block % 8
        detail[str(cpu)] = {"numa": numa_node, "socket": 1000 + socket, "core": 1000 + core}
    return detail


def with_one_node(rng: random.Random, *cpus: int) -> tuple[Cluster, int]:
    """A cluster with one node, and how many CPUs it has."""
    c = Cluster(rng)
    c.add_nodes(1, cpus=cpus)
    c.add_queues(1)
    return c, int(c.nodes[0]["status"]["capacity"]["cpu"])


def threads(rng: random.Random, _: int) -> list[Object]:
    """A node whose CPUs are taken one by one, in an order that is none, until its NUMA nodes are full."""
    c, cpus = with_one_node(rng, 128, 192, 256)
    detail = cores_before_each_other(rng, cpus)
    free = rng.sample(range(cpus), cpus - rng.choice((0, 0, cpus // 4)))
    large = [cpus // 8 * of + rng.randint(-3, 3) for of in (2, 2, 1)]
    return filled(c, detail, free, (*large, *rng.choices(range(3, 13), k=12)))


def wide_threads(rng: random.Random, _: int) -> list[Object]:
    """A node as above, with half as many NUMA nodes, of which one pod takes up to three."""
    c, cpus = with_one_node(rng, 128, 192, 256)
    detail = cores_before_each_other(rng, cpus)
    for each in detail.values():
        each["numa"] %= 4
    free = rng.sample(range(cpus), cpus - rng.choice((0, 0, 3, cpus // 4)))
    large = [cpus // 4 * rng.choice((1, 2, 3)) + rng.randint(-3, 3) for _ in range(3)]
    return filled(c, detail, free, (*large, *rng.choices(range(3, cpus // 8), k=12)))


def filled(c: Cluster, detail: Object, free: Sequence[int], sizes: Sequence[int]) -> list[Object]:
    """A node with CPUs, of which some are free, and pods of some sizes that are refused rather than spread over it."""
    numatopology(c, c.nodes[0], detail, free, "restricted")
    for size in sizes:
        aligned(c, size, "restricted")
    own = plugin("numa-aware", weight=10)
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own)), *c.objects()]


def nearly_sorted(rng: random.Random, _: int) -> list[Object]:
    """A node whose cores are in the order of their sockets, but for some, and pods that take nearly all of it."""
    c, cpus = with_one_node(rng, 128, 192, 256)
    cores = cpus // rng.choice((1, 1, 2))
    sockets = rng.choice((2, 4, 8, 16, cores // 4))
    socket = [core * sockets // cores for core in range(cores)]
    swaps = rng.choice((True, False))
    for _ in range(rng.choice((1, 2, 3, 4, 6, 10, 20, 40))):
        one, other = rng.choice((rng.randrange(cores), rng.randrange(4))), rng.randrange(cores)
        socket[one], socket[other] = socket[other], socket[one if swaps else other]
    numa_nodes = rng.choice((2, 2, 3))
    detail = {
        str(cpu): {"numa": rng.randrange(numa_nodes), "socket": 1000 + socket[cpu % cores], "core": 1000 + cpu % cores}
        for cpu in range(cpus)
    }
    free = rng.sample(range(cpus), cpus - rng.choice((0, 0, 1, 2, 3, 10)))
    first = rng.randint(cpus // numa_nodes + 10, cpus * 2 // numa_nodes - 6 - cpus // 8 * (numa_nodes > 2))
    left = len(free) - first
    second = min(left // numa_nodes + rng.randint(0, 6), left)
    rest = [each for each in (left - second, rng.randint(1, 6), rng.randint(1, 6)) if each > 0]
    return filled(c, detail, free, (first, second, *rest))


def whole_cores(rng: random.Random, _: int) -> list[Object]:
    """A node with few cores, which are taken as a whole, or by one of their CPUs, and pods that fill it."""
    c, cpus = with_one_node(rng, 8, 12, 16, 24)
    cores, sockets, numa_nodes = cpus // 2, rng.choice((1, 2, 3)), rng.choice((2, 3, 4))
    detail = {
        str(cpu): {"numa": rng.randrange(numa_nodes), "socket": cpu % cores * sockets // cores, "core": cpu % cores}
        for cpu in range(cpus)
    }
    free = rng.sample(range(cpus), cpus - rng.choice((0, 0, 1, 2, 3)))
    return filled(c, detail, free, rng.choices(range(1, cpus // 2), k=8))


UNPLACED: Final = ("", "", "", "GPU-none", "GPU-n00-0[group9-0]", "GPU-n00-0")
"""What annotations name that no node has, or none of the mode."""


def with_gpus(c: Cluster, mode: str, amounts: Object) -> Callable[[str, int, int], Object]:
    """Let each node have two GPUs of a mode; return what annotates a pod that holds a part of one."""
    for node in c.nodes:
        name = node["metadata"]["name"]
        models = [c.rng.choice(("NVIDIA-A100-PCIE-40GB",) * 5 + ("Other",)) for _ in range(2)]
        uuids = [f"GPU-{name}-{gpu}" if mode == "mig" or c.rng.random() < 0.8 else "" for gpu in range(2)]
        listed = "".join(f"{uuids[gpu]},4,40960,{models[gpu]},true,{mode}:" for gpu in range(2))
        listed += c.rng.choice(("",) * 9 + ("GPU,1:",))
        node["metadata"]["annotations"] |= {
            "volcano.sh/node-vgpu-register": listed,
            "volcano.sh/node-vgpu-handshake": "Reported 2026-11-21 12:00:00",
        }
        offer(node, amounts)

    def holding(name: str, index: int, memory: int) -> Object:
        part = c.rng.choice(("group2-0", "group2-1", "group2-3", "group3-0", "group4-0")) if mode == "mig" else ""
        place = c.rng.choice(UNPLACED) or f"GPU-{name}-{index % 2}" + (f"[{part}]" if part else "")
        return {
            "volcano.sh/vgpu-node": name,
            "volcano.sh/vgpu-ids-new": f"{place},NVIDIA,{memory},30:",
            "volcano.sh/vgpu-time": "1763726400",
            "volcano.sh/bind-phase": "success",
        }

    return holding


def with_shared_gpus(c: Cluster) -> Callable[[str, int, int], Object]:
    """Let each node have two GPUs to be shared; return what annotates a pod that holds one of them, or does not say."""
    for node in c.nodes:
        offer(node, {"volcano.sh/gpu-memory": "32", "volcano.sh/gpu-number": "2"})

    def holding(_: str, index: int, __: int) -> Object:
        named = {"volcano.sh/gpu-index": str(index % 2), "volcano.sh/predicate-time": "1763726400"}
        return c.rng.choice((named, named, named, {"volcano.sh/gpu-index": str(index % 2)}))

    return holding


def with_npus(c: Cluster, model: str) -> Callable[[str, int, int], Object]:
    """Let each node have two NPUs; return what annotates a pod that holds a part of one."""
    memory, _, cores, _ = NPUS[model]
    for node in c.nodes:
        name = node["metadata"]["name"]
        card = {"count": 4, "devmem": memory, "devcore": cores, "type": model, "health": True, "custominfo": {}}
        node["metadata"]["annotations"] |= {
            f"hami.io/node-register-{model}": json.dumps([{"id": f"{name}-npu-{each}", **card} for each in range(2)]),
            f"hami.io/node-handshake-{model}": "Reported_2026.11.21 12:00:00",
        } | c.rng.choice(({}, {"hami-vnpu-core": "true"}))
        offer(node, {f"huawei.com/{model}": "8", f"huawei.com/{model}-memory": "600000"})

    def holding(name: str, index: int, asked: int) -> Object:
        return {f"hami.io/{model}-devices-allocated": f"{name}-npu-{index % 2},{model},{asked},{c.rng.choice((0, 5))}:"}

    return holding


KINDS: Final = ("mig", "hami-core", "GPUSharingEnable", "GPUNumberEnable", "npu")


def asked_of(c: Cluster, kind: str, model: str) -> Object:
    """What a pod asks for of a kind of devices."""
    if kind == "GPUSharingEnable":
        return {"volcano.sh/gpu-memory": str(c.rng.choice((5, 9, 16)))}
    if kind == "GPUNumberEnable":
        return {"volcano.sh/gpu-number": str(c.rng.choice((1, 1, 2)))}
    if kind == "npu":
        cores = c.rng.choice(({}, {f"huawei.com/{model}-core": str(c.rng.choice((4, 8, 100, 100)))}))
        memory = str(c.rng.choice((3072, 12288, 20000)))
        return {f"huawei.com/{model}": "1", f"huawei.com/{model}-memory": memory} | cores
    asked = {"volcano.sh/vgpu-memory": str(c.rng.choice((5000, 9000, 19000, 39000)))}
    asked |= c.rng.choice(({}, {"volcano.sh/vgpu-number": str(c.rng.choice((1, 1, 2)))}))
    return asked | c.rng.choice(({}, {}, {"volcano.sh/vgpu-cores": "60"}))


WISHES: Final[tuple[Object, ...]] = (
    {},
    {},
    {"volcano.sh/vgpu-podgroup-policy": "spread"},
    {"volcano.sh/vgpu-use-gpuuuid": "GPU-n00-0,GPU-n01-1"},
    {"volcano.sh/vgpu-nouse-gpuuuid": "GPU-n00-1"},
)
CONFINED: Final[tuple[Object, ...]] = ({}, {"huawei.com/vnpu-mode": "hami-core"})
"""What annotations of pods that wait ask for, and those that have NPUs."""


def evicted(rng: random.Random, number: int) -> list[Object]:
    """Devices that running pods hold, of which some are leaving, and that others are evicted for."""
    c = Cluster(rng)
    kind, model = KINDS[number % len(KINDS)], "Ascend310P"
    names = uneven(c, 2, cpus=(16,))
    c.add_queues(1)
    if kind in ("mig", "hami-core"):
        holding = with_gpus(c, kind, VIRTUAL_GPUS)
    else:
        holding = with_npus(c, model) if kind == "npu" else with_shared_gpus(c)
    for index in range(rng.randint(4, 6)):
        name, asked = names[index % 2], asked_of(c, kind, model)
        memory = int(asked.get("volcano.sh/vgpu-memory") or asked.get(f"huawei.com/{model}-memory") or 0)
        held = holding(name, index // 2, memory)
        add_victim(c, name, 1, held=held, devices=asked, labels=rng.choice(({}, {"tier": "gold"})))
        if rng.random() < 0.2:
            c.jobs[-1]["metadata"] |= {"deletionTimestamp": "2026-11-21T12:00:10Z", "deletionGracePeriodSeconds": 30}
    for _ in range(rng.randint(2, 4)):
        asked, pods = asked_of(c, kind, model) if rng.random() < 0.7 else {}, rng.randint(1, 3)
        c.add_job(
            pods,
            minimum=rng.choice((1, pods)),
            annotations={PREEMPTABLE: "true", **rng.choice(CONFINED if kind == "npu" else WISHES)},
            labels=rng.choice(({}, {"tier": "gold"})),
            priority=rng.choice(("high", "high", "low")),
            requests={"cpu": rng.choice(("1", "7")), "memory": "1Gi", **asked},
            limits=asked,
        )
    c.others += priority_classes()
    config = device_config(rng)
    if rng.random() < 0.1:
        config["data"]["device-config.yaml"] = "nvidia: [1"
    c.others += [config] if rng.random() < 0.9 else []
    switch = {"mig": "VGPUEnable", "hami-core": "VGPUEnable", "npu": "AscendHAMiVNPUEnable"}.get(kind, kind)
    arguments: Object = {f"deviceshare.{switch}": True}
    policy = {"deviceshare.SchedulePolicy": rng.choice(("binpack", "spread")), "deviceshare.ScheduleWeight": 10}
    arguments |= rng.choice(({}, policy))
    arguments |= rng.choice(({}, {"deviceshare.GPUExclusiveRules": [{"tier": "gold"}]}))
    own = {"name": "deviceshare", "arguments": arguments} | rng.choice(({}, {}, {}, {"enablePredicate": False}))
    more: Object = {}
    if rng.random() < 0.5:
        more = {"configurations": [{"name": "preempt", "arguments": {"enableTopologyAwarePreemption": True}}]}
    gang: Object = {"name": "gang", "enablePreemptable": False}
    return [configuration("enqueue, allocate, preempt", ("priority", gang), ("predicates", own), **more), *c.objects()]


def again(rng: random.Random, number: int) -> list[Object]:
    """Pods that wait although shares of GPUs were written into them before, as some are that could not be bound."""
    objects = evicted(rng, len(KINDS) * number + KINDS.index("hami-core"))
    for pod in of_kind(objects, "Pod"):
        if "nodeName" not in pod["spec"]:
            name = rng.choice(("n00", "n01"))
            pod["metadata"]["annotations"] |= {
                "volcano.sh/vgpu-node": name,
                "volcano.sh/vgpu-ids-new": f"GPU-{name}-0,NVIDIA,5000,30:",
            }
    return objects


def gone(rng: random.Random, _: int) -> list[Object]:
    """Gangs with shares of GPUs that go as a whole for others, of which some pods are on a node that is not there."""
    c = Cluster(rng)
    names = uneven(c, 2)
    c.add_queues(1)
    holding = with_shared_gpus(c)
    for name in names:
        for index in range(2):
            asked = {"volcano.sh/gpu-memory": "16"}
            c.add_job(
                2,
                running=2,
                minimum=2,
                annotations={PREEMPTABLE: "true", **holding(name, index, 0)},
                priority="low",
                requests={"cpu": "3", "memory": "1Gi", **asked},
                limits=asked,
                pod=partial(at, [name, "n09"]),
            )
    for _ in range(2):
        asked = {"volcano.sh/gpu-memory": rng.choice(("9", "16"))}
        c.add_job(1, priority="high", requests={"cpu": "4", "memory": "1Gi", **asked}, limits=asked)
    c.others += priority_classes()
    own = plugin("deviceshare", deviceshare__GPUSharingEnable=True)
    return [configuration("enqueue, allocate, gangpreempt", ("priority", "gang"), ("predicates", own)), *c.objects()]


def overflowing(rng: random.Random, _: int) -> list[Object]:
    """Pods that ask for more of a GPU than 32 bits hold: the rest of it counts."""
    c = Cluster(rng)
    uneven(c, 2, cpus=(16,))
    c.add_queues(1)
    with_gpus(c, "hami-core", dict.fromkeys(VIRTUAL_GPUS, str(2**40)))
    for _ in range(rng.randint(4, 6)):
        amounts = {"vgpu-memory": rng.choice((5000, 9000, 19000, 39000)), "vgpu-cores": rng.choice((10, 30, 60))}
        asked = {
            f"volcano.sh/{name}": str(amount + rng.choice((0, 1, 1, 2)) * 2**32) for name, amount in amounts.items()
        }
        c.add_job(rng.randint(1, 2), requests={"cpu": "1", "memory": "1Gi", **asked}, limits=asked)
    own = plugin("deviceshare", deviceshare__VGPUEnable=True)
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own)), *c.objects()]


UNKNOWN: Final = "nearby"
"""A policy of topologies that does not exist."""


def of_kind(objects: list[Object], kind: str) -> list[Object]:
    """Those of some objects that are of a kind."""
    return [each for each in objects if each["kind"] == kind]


def otherwise(rng: random.Random, number: int) -> list[Object]:
    """Numatopologies with a policy that does not exist, or of no node, and nodes that other plugins compare, too."""
    objects = numa(rng, number)[1:]
    own: str | Object = plugin("numa-aware", weight=10)
    if number % 4 == 0:
        for each in of_kind(objects, "Numatopology"):
            each["spec"]["policies"] = {"CPUManagerPolicy": "static", "TopologyManagerPolicy": UNKNOWN}
        for each in of_kind(objects, "Pod"):
            each["metadata"]["annotations"]["volcano.sh/numa-topology-policy"] = UNKNOWN
    elif number % 4 == 1:
        own = {"name": "numa-aware", "enablePredicate": False}
    elif number % 4 == 2:
        for each in of_kind(objects, "Node"):
            each["spec"]["taints"] = rng.choice(([], [{"key": "slow", "effect": "PreferNoSchedule"}]))
    else:
        objects = [each for each in objects if each["kind"] != "Numatopology"]
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own, "nodeorder")), *objects]


SILENT: Final = "http://silent.invalid"
"""Stands for a server that takes connections, and never answers."""


def says(text: str, status: int = 200) -> str:
    """A verb that is answered with a text."""
    return f"say/{status}/{quote(text, safe='')}"


FAILING: Final[tuple[Object, ...]] = (
    {"urlPrefix": SILENT, "httpTimeout": "50ms", "jobEnqueueableVerb": "job"},
    {
        **{f"{verb}Verb": verb for verb in ("jobEnqueueable", "queueOverused", "predicate", "prioritize")},
        "urlPrefix": SILENT,
        "httpTimeout": "50ms",
        "ignorable": True,
    },
    {
        "urlPrefix": SILENT.replace("http:", "https:"),
        "httpTimeout": "50ms",
        "queueOverusedVerb": "queue",
        "ignorable": True,
    },
    {
        "urlPrefix": EXTENDER.replace("http:", "https:"),
        "onSessionOpenVerb": "onSessionOpenVerb",
        "jobEnqueueableVerb": "jobEnqueueableVerb",
        "ignorable": True,
    },
    {"urlPrefix": "http://nowhere.invalid", "onSessionOpenVerb": "open", "jobEnqueueableVerb": "job"},
    {"queueOverusedVerb": "say/302/again"},
    {"jobEnqueueableVerb": says("http://127.0.0.1:1/", 307)},
    {"jobEnqueueableVerb": "fill/11000000"},
    {"jobEnqueueableVerb": "fill/9000000"},
    {"jobEnqueueableVerb": "say/500/", "ignorable": True},
    {"jobEnqueueableVerb": says('{"status": 9223372036854775808}')},
    {"prioritizeVerb": says('{"nodeScore": {"n00": "high"}}')},
    {"prioritizeVerb": says(f'{{"nodeScore": {{"n00": 1{"0" * 400}}}}}')},
    {"preemptableVerb": says('{"status": 1, "victims": [{"UID": 5}]}')},
    {"jobEnqueueableVerb": says('{"status": ' + "[" * 5000)},
    {"queueOverusedVerb": "say/200/"},
    {"queueOverusedVerb": says("what?")},
    {"reclaimableVerb": says('{"status": 1, "victims": [{"UID": 5}]}')},
)
"""The arguments of extenders that do not answer, or that answer what does not count."""


def of_network(rng: random.Random, number: int) -> list[Object]:
    """An extender that is silent, elsewhere, endless, or not understood."""
    objects = failing_answers(rng, number)[1:]
    for group in of_kind(objects, "PodGroup"):
        group["spec"]["minResources"] = {"cpu": "1"}
        if group["status"]["phase"] == "Inqueue":
            group["status"]["phase"] = "Pending"
    given = {"urlPrefix": EXTENDER, "httpTimeout": "5s"} | FAILING[number % len(FAILING)]
    own = {"name": "extender", "arguments": {f"extender.{name}": each for name, each in given.items()}}
    last = {"preemptableVerb": "allocate, preempt", "reclaimableVerb": "reclaim, allocate"}
    actions = next((actions for verb, actions in last.items() if verb in given), "allocate, backfill")
    return [configuration(f"enqueue, {actions}", ("priority", "gang", "predicates", own)), *objects]


def managed(rng: random.Random, number: int) -> list[Object]:
    """An extender that is asked about some pods only, beside a plugin that compares nodes for all."""
    objects = failing_answers(rng, number)[1:]
    card = {"example.com/card": "1"}
    for node in of_kind(objects, "Node"):
        offer(node, {"example.com/card": "3"})
        node["spec"]["taints"] = rng.choice(([], [{"key": "slow", "effect": "PreferNoSchedule"}]))
    for pod in of_kind(objects, "Pod"):
        if pod["metadata"]["labels"]["job"][-1] in "13579":
            amounts = pod["spec"]["containers"][0]["resources"]
            amounts |= {"requests": amounts["requests"] | card, "limits": card}
    verbs = ("onSessionOpenVerb", "predicateVerb", *VERBS)
    arguments: Object = {"extender.urlPrefix": EXTENDER, "extender.managedResources": [*card]}
    arguments |= {f"extender.{verb}": verb for verb in verbs if verb not in ("jobReadyVerb", "queueOverusedVerb")}
    own = {"name": "extender", "arguments": arguments}
    actions = ("enqueue, allocate, backfill", "enqueue, allocate, preempt", "enqueue, reclaim, allocate")[number % 3]
    return [configuration(actions, ("priority", "gang", "predicates", own, "nodeorder")), *objects]


def told(rng: random.Random, _: int) -> list[Object]:
    """An extender that is told of jobs that are enqueued, and says which, where it refuses a node."""
    c = Cluster(rng)
    uneven(c, 1, cpus=(32,))
    c.add_queues(2)
    for index in range(4):
        c.add_job(4, minimum=1, requests={"cpu": "1", "memory": "1Gi"})
        c.jobs[-5]["status"] = {"phase": "Pending" if index % 3 else "Inqueue"}
    verbs = ("onSessionOpenVerb", "jobEnqueuedVerb", "predicateVerb")
    arguments = {"extender.urlPrefix": f"{EXTENDER}/told", **{f"extender.{verb}": verb for verb in verbs}}
    own = {"name": "extender", "arguments": arguments}
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own)), *c.objects()]


def unasked(rng: random.Random, number: int) -> list[Object]:
    """An extender that is asked about nothing."""
    objects = failing_answers(rng, number)[1:]
    own = {"name": "extender", "arguments": {"extender.urlPrefix": EXTENDER}}
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", "predicates", own)), *objects]


NUMBERS: Final = {
    "deviceshare-again": (100, 101, 102, 103),
    "deviceshare-evicted": (*range(100, 120), 129, 145, 201, 215, 489),
    "deviceshare-gone": (100, 101),
    "deviceshare-overflowing": (100, 101, 102),
    "extender-managed": (100, 101, 102, 104, 105),
    "extender-network": tuple(range(len(FAILING))),
    "extender-told": (100, 101),
    "numa-aware-cores": (140, 353, 426),
    "numa-aware-otherwise": (100, 101, 102, 103),
    "numa-aware-sorted": (300114, 300206, 300495, 406871),
    "numa-aware-threads": (*range(100, 140), 170),
    "numa-aware-wide": (208, 346, 388, 442, 618, 860),
    "unasked-extender": (100,),
}
FAMILIES: Final[dict[str, Callable[[random.Random, int], list[Object]]]] = {
    "deviceshare-again": again,
    "deviceshare-evicted": evicted,
    "deviceshare-gone": gone,
    "deviceshare-overflowing": overflowing,
    "extender-managed": managed,
    "extender-network": of_network,
    "extender-told": told,
    "numa-aware-cores": whole_cores,
    "numa-aware-otherwise": otherwise,
    "numa-aware-sorted": nearly_sorted,
    "numa-aware-threads": threads,
    "numa-aware-wide": wide_threads,
    "unasked-extender": unasked,
}

if __name__ == "__main__":
    write(FAMILIES, *sys.argv[1:], numbers=range(0), further=NUMBERS)
