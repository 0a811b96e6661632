"""Write random scenarios for what decides at an edge: numbers that are just enough, values that arguments cannot have.

    python -m tests.conformance.recorder.edges FOLDER [FAMILY ...]

The families are as in generate.py, with fewer scenarios. Nodes differ a little in size, so that seldom two of them are
as good as each other: what a recording says is the more, the fewer outcomes it has.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any, Final

from tests.conformance.recorder.corners import (
    add_victim,
    affinities,
    at,
    claim,
    claiming,
    device_pools,
    full_and_hungry,
)
from tests.conformance.recorder.generate import (
    EXTENDER,
    PREEMPTABLE,
    VERBS,
    Cluster,
    Object,
    add_reach,
    configuration,
    disruption_budget,
    hyper_node,
    persistent_volume,
    priority_classes,
    rescheduled,
    storage_classes,
    write,
)

NUMBERS: Final = range(100, 116)
FURTHER: Final = {
    "cel-edges": (204, 205),
    "extender-edges": (313,),
    "gang-edges": (277, 298),
    "network-topology-aware-edges": (210, 221, 222),
    "network-topology-aware-fading": (442, 488),
    "preempt-edges": (208, 225, 250, 269),
    "resource-strategy-fit-edges": (202, 223, 246),
    "task-topology-edges": (230, 314),
}
"""Scenarios that were looked for: changes of the code that survived the others are noticed in them."""


def uneven(c: Cluster, number: int, cpus: tuple[int, ...] = (8,), gpus: tuple[int, ...] = (0,)) -> list[str]:
    """Add nodes of which each has a little more than the one before; return their names."""
    c.add_nodes(number, cpus, gpus)
    for index, node in enumerate(c.nodes):
        for amounts in (node["status"]["allocatable"], node["status"]["capacity"]):
            amounts["memory"] = f"{int(amounts['memory'][:-2]) + 2 * index}Gi"
    return [node["metadata"]["name"] for node in c.nodes]


def last_group(c: Cluster) -> Object:
    """The PodGroup that was added last."""
    return next(each for each in reversed(c.jobs) if each["kind"] == "PodGroup")


def pods_of(c: Cluster) -> list[Object]:
    """All pods."""
    return [each for each in c.jobs if each["kind"] == "Pod"]


def tree_of_hyper_nodes(c: Cluster, names: Sequence[str]) -> None:
    """HyperNodes of one or two nodes, and others above them; tiers have gaps, and a node may be in none."""
    rng = c.rng
    tiers = rng.choice(((1, 2, 3), (1, 3, 4), (2, 3, 6), (1, 2, 5)))
    left = list(names[: len(names) - (rng.random() < 0.4)])
    leaves: list[tuple[str, int, str, list[str]]] = []
    while left:
        taken, left = left[: rng.choice((1, 2))], left[2:] if len(left) > 1 and rng.random() < 0.5 else left[1:]
        leaves.append((f"leaf-{len(leaves)}", tiers[0], "Node", taken))
    half = max(len(leaves) // 2, 1)
    parts = [[leaf[0] for leaf in each] for each in (leaves[:half], leaves[half:]) if each]
    above = [(f"mid-{index}", tiers[1], "HyperNode", part) for index, part in enumerate(parts)]
    top = [("top", tiers[2], "HyperNode", [each[0] for each in above])] if rng.random() < 0.8 else []
    taken_before: set[str] = set()
    for name, tier, kind, members in (*leaves, *above, *top):
        own = [each for each in members if each not in taken_before]
        taken_before |= set(own)
        hyper_node(c, name, tier, kind, own)


def topology(rng: random.Random, number: int) -> list[Object]:
    """Jobs that are near to each other where tiers have gaps, with every value of the arguments."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(3, 7), cpus=(4, 8), gpus=(0, 4))
    c.add_queues(1)
    tree_of_hyper_nodes(c, names)
    for index in range(rng.randint(3, 6)):
        pods = rng.randint(2, 4)
        gpus = {"nvidia.com/gpu": "1"} if rng.random() < 0.3 else {}
        c.add_job(
            pods,
            running=rng.choice((0, 0, 1)) if index else 1,
            minimum=rng.choice((1, pods)),
            requests={"cpu": str(rng.choice((1, 2))), "memory": f"{rng.choice((1, 4))}Gi", **gpus},
            limits=gpus,
        )
        wanted: Object = {"mode": rng.choice(("soft", "soft", "hard"))}
        wanted |= {"highestTierAllowed": rng.choice((1, 2, 3, 5))} if rng.random() < 0.7 else {}
        group = last_group(c)
        if rng.random() < 0.6:
            group["spec"]["networkTopology"] = wanted
        elif rng.random() < 0.6:
            part = {"name": "part", "subGroupSize": rng.choice((1, 2)), "networkTopology": wanted}
            group["spec"]["subGroupPolicy"] = [{**part, "matchLabelKeys": ["part"]}]
            group["spec"]["subGroupPolicy"][0] |= {"minSubGroups": 1} if rng.random() < 0.5 else {}
            for place, pod in enumerate(c.jobs[-pods:]):
                pod["metadata"]["labels"]["part"] = str(place % 2)
    arguments: Object = {"weight": rng.choice((1, 10, 10, -1))}
    arguments |= rng.choice(({}, {"hypernode.binpack.cpu": rng.choice((0, 5, -1))}))
    arguments |= rng.choice(({}, {"hypernode.binpack.memory": rng.choice((0, 3))}))
    arguments |= rng.choice(({}, {"hypernode.binpack.normal-pod.fading": rng.choice((0, 0.2, 0.5, 1, 2, -1))}))
    arguments |= rng.choice(({}, {"hypernode.binpack.normal-pod.enable": False}))
    gpu = {"hypernode.binpack.resources": "nvidia.com/gpu, example.com/none"}
    arguments |= rng.choice(({}, gpu, {**gpu, "hypernode.binpack.resources.nvidia.com/gpu": rng.choice((0, 8, -1))}))
    own = {"name": "network-topology-aware", "arguments": arguments}
    plugins: tuple[str | Object, ...] = ("priority", "gang", "predicates", own)
    return [configuration("enqueue, allocate, backfill", (*plugins, *(("nodeorder",) * (number % 2)))), *c.objects()]


def fading(rng: random.Random, _: int) -> list[Object]:
    """Pods without a topology, which go where HyperNodes are full; those of higher tiers count less, or more."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(4, 6), cpus=(8,))
    c.add_queues(1)
    tree_of_hyper_nodes(c, names)
    for _ in range(rng.randint(3, 5)):
        taken = [rng.choice(names)]
        amounts = {"cpu": str(rng.choice((1, 2, 3))), "memory": "1Gi"}
        c.add_job(1, running=1, requests=amounts, pod=partial(at, taken))
    for _ in range(rng.randint(2, 4)):
        c.add_job(1, requests={"cpu": str(rng.choice((1, 2))), "memory": "1Gi"})
    fades = {"hypernode.binpack.normal-pod.fading": rng.choice((0, 0.1, 0.3, 0.5, 1, 2, 3))}
    own = {"name": "network-topology-aware", "arguments": {"weight": 10, **fades}}
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own)), *c.objects()]


SHAPES: Final[tuple[Object, ...]] = (
    {"cpu": "1", "memory": "1Gi"},
    {"cpu": "1", "memory": "6Gi"},
    {"cpu": "3", "memory": "1Gi"},
    {"cpu": "2", "memory": "512Mi"},
)


def buckets(rng: random.Random, number: int) -> list[Object]:
    """Roles whose pods are of several shapes, on nodes with room for some of them, and with what others leave."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 4), cpus=(4, 6, 8))
    c.add_queues(1)
    places = [name for name in names for _ in range(2)]
    rng.shuffle(places)
    for index in range(rng.randint(3, 5)):
        taken = [places.pop() for _ in range(min(len(places), rng.choice((0, 1, 2))))] if index < 3 else []
        pods = len(taken) + rng.randint(2, 4)
        roles = ("worker", "ps", "chief")
        near = rng.choice(("worker,ps", "worker", "worker,ps;chief", "ps,chief"))
        group = {"volcano.sh/task-topology-affinity": near}
        group |= {"volcano.sh/task-topology-anti-affinity": rng.choice(roles)} if rng.random() < 0.5 else {}
        group |= {"volcano.sh/task-topology-task-order": "ps,worker"} if rng.random() < 0.3 else {}
        old = index == 0
        c.add_job(
            pods,
            running=len(taken),
            minimum=1,
            annotations={PREEMPTABLE: "true"} if old else {},
            group={} if old else group,
            priority="low" if old else "high",
            pod=partial(at, taken),
        )
        for place, pod in enumerate(c.jobs[-pods:]):
            pod["metadata"]["annotations"]["volcano.sh/task-spec"] = roles[place] if place < 3 else rng.choice(roles)
            pod["spec"]["containers"][0]["resources"]["requests"] = dict(rng.choice(SHAPES))
            if pod["status"]["phase"] == "Running" and rng.random() < 0.2:
                pod["metadata"] |= {"deletionTimestamp": "2026-11-21T12:00:10Z", "deletionGracePeriodSeconds": 30}
    c.others += priority_classes()
    actions = ("enqueue, allocate, backfill", "enqueue, allocate, preempt", "preempt, allocate")[number % 3]
    own = {"name": "task-topology", "arguments": {"task-topology.weight": 10}}
    return [configuration(actions, ("priority", "gang"), ("predicates", "nodeorder", own)), *c.objects()]


def measured(c: Cluster, cpu: Sequence[int], memory: Sequence[int]) -> None:
    """Say of each node which percentage of it is used."""
    for node in c.nodes:
        amounts = node["status"]["allocatable"]
        has = int(amounts["cpu"]) * 1000, int(amounts["memory"][:-2]) * 1024
        used = {"cpu": f"{has[0] * c.rng.choice(cpu) // 100}m", "memory": f"{has[1] * c.rng.choice(memory) // 100}Mi"}
        c.measure(node, used)


def busy(rng: random.Random, number: int) -> list[Object]:
    """Nodes that are as busy as the limits say, limits that are none, and estimates of what pods use."""
    c = Cluster(rng)
    uneven(c, rng.randint(3, 6), cpus=(10, 20))
    c.add_queues(1)
    for _ in range(rng.randint(4, 7)):
        pods = rng.randint(1, 4)
        amounts = {"cpu": str(rng.choice((1, 2))), "memory": f"{rng.choice((1, 4))}Gi"}
        limits = {"cpu": "3", "memory": "8Gi"} if rng.random() < 0.4 else None
        started = rng.choice(("2026-11-21T11:59:55Z", "2026-11-21T11:00:00Z"))
        c.add_job(pods, running=rng.choice((0, 0, pods)), minimum=1, requests=amounts, limits=limits)
        for pod in c.jobs[-pods:]:
            if pod["status"]["phase"] == "Running":
                pod["status"]["startTime"] = started
            if rng.random() < 0.15:
                del pod["spec"]["containers"][0]["resources"]
    measured(c, (0, 40, 60, 80, 81, 100), (20, 50, 80, 90))
    limit = (0, 1, 60, 80, 100, 101, -1, "80", True, 79.5)
    thresholds = {name: rng.choice(limit) for name in ("cpu", "mem") if rng.random() < 0.8}
    arguments: Object = {"thresholds": thresholds} if rng.random() < 0.8 else {}
    arguments |= {"usage.weight": rng.choice((1, 5, 10, -1))} if rng.random() < 0.6 else {}
    arguments |= {"cpu.weight": rng.choice((2, 1, -1))} if rng.random() < 0.6 else {}
    arguments |= {"memory.weight": rng.choice((0, 3, -3))} if rng.random() < 0.6 else {}
    if number % 2:
        some: Object = {
            "request_ratio": rng.choice((0.5, 1, 1.5, True)),
            "burst_ratio": rng.choice((0, 0.5, 1, -1)),
            "risk_threshold": rng.choice((0, 0.4, 0.6, 1)),
            "risk_factor": rng.choice((1, 2, 0.5)),
            "be_cpu": rng.choice((500, "1", "100m", -5, "x")),
            "be_mem": rng.choice((2048, "1Gi", -1, 0)),
        }
        arguments["estimator"] = {name: value for name, value in some.items() if rng.random() < 0.6}
    own = {"name": "usage", "arguments": arguments}
    more = {"metrics": {"type": "metrics_server", "interval": rng.choice(("1s", "30s", "2h", "0s"))}}
    plugins = ("priority", "gang", "predicates", own)
    return [configuration("enqueue, allocate, backfill", plugins, **(more if number % 4 == 3 else {})), *c.objects()]


def leaving(rng: random.Random, number: int) -> list[Object]:
    """Pods of every quality that leave busy nodes until one more would be too many."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 5), cpus=(10, 20))
    c.add_queues(1)
    for _ in range(rng.randint(5, 8)):
        taken = [rng.choice(names) for _ in range(rng.randint(1, 4))]
        amounts = rng.choice(({"cpu": "1", "memory": "1Gi"}, {"cpu": "2", "memory": "6Gi"}, {"cpu": "1"}))
        quality = rng.choice(("less", "equal", "none", "half"))
        limits = {"less": None, "equal": dict(amounts), "none": None, "half": {"cpu": amounts["cpu"]}}[quality]
        priority = rng.choice(("low", "high", ""))
        c.add_job(
            len(taken), running=len(taken), requests=amounts, limits=limits, priority=priority, pod=partial(at, taken)
        )
        for pod in c.jobs[-len(taken) :]:
            if quality == "none":
                del pod["spec"]["containers"][0]["resources"]
    measured(c, (5, 20, 29, 30, 85, 95), (10, 20, 50, 60, 90))
    for node in c.nodes:
        if rng.random() < 0.1:
            node["spec"]["unschedulable"] = True
    c.others += priority_classes()
    limits_of = {"cpu": rng.choice((30, 20)), "memory": rng.choice((50, 60))}
    params: Object = {"thresholds": limits_of, "targetThresholds": {"cpu": rng.choice((60, 85)), "memory": 80}}
    if number % 8 == 7:
        params = rng.choice(({"thresholds": 5}, {}))
    strategies: list[Object] = [{"name": "lowNodeUtilization", "params": params}]
    return rescheduled(c, None if number % 16 == 11 else strategies)


def echo(rng: random.Random, number: int) -> list[Object]:
    """An extender whose answers depend on all that it is told."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 4))
    c.add_queues(2, **rng.choice(({}, {"capability": {"cpu": "20"}})))
    for name in ("default", "root"):  # those that the scheduler makes where they are not there
        one = json.loads(json.dumps(c.queues[0]))
        one["metadata"] |= {"name": name, "uid": name}
        c.others.append({**one, "spec": {"weight": 1, "reclaimable": True}})
    c.nodes[0]["metadata"]["labels"] |= {"volcano.sh/revocable-zone": "rz1"} if rng.random() < 0.4 else {}
    c.nodes[-1]["metadata"]["annotations"] |= {"volcano.sh/offline-job-evicting": "true"} if rng.random() < 0.3 else {}
    c.nodes[-1]["metadata"]["labels"] |= {"volcano.sh/oversubscription": "true"} if rng.random() < 0.3 else {}
    for index in range(rng.randint(5, 7)):
        pods, old = rng.randint(1, 3), index < 3
        annotations = {PREEMPTABLE: "true"}
        annotations |= rng.choice(({}, {"volcano.sh/revocable-zone": "*"}, {"volcano.sh/numa-topology-policy": "none"}))
        group = rng.choice(
            (
                {},
                {"volcano.sh/sla-waiting-time": "1h"},
                {"sla-waiting-time": "90s", "volcano.sh/revocable-zone": "*"},
                {PREEMPTABLE: "true", "volcano.sh/jdb-min-available": "1"},
                {"volcano.sh/jdb-max-unavailable": "50%", PREEMPTABLE: "false"},
            )
        )
        taken = [rng.choice(names) for _ in range(pods)] if old else []
        c.add_job(
            pods,
            running=len(taken),
            minimum=1 if old else None,
            annotations=annotations,
            group=dict(group),
            priority="low" if old else "high",
            requests={"cpu": str(rng.choice((1, 2))), "memory": "1Gi"},
            pod=partial(at, taken),
        )
        for pod in c.jobs[-pods:]:
            if rng.random() < 0.2:
                first = {"name": "first", "image": "busybox", "resources": {"requests": {"cpu": "500m"}}}
                pod["spec"]["initContainers"] = [first | rng.choice(({}, {"restartPolicy": "Always"}))]
            if not old and rng.random() < 0.1:
                pod["spec"]["schedulingGates"] = [{"name": "later"}]
            if old and rng.random() < 0.15:
                pod["metadata"] |= {"deletionTimestamp": "2026-11-21T12:00:10Z", "deletionGracePeriodSeconds": 30}
            if old and rng.random() < 0.15:
                pod["status"]["phase"] = rng.choice(("Pending", "Succeeded"))
        if rng.random() < 0.6:
            last_group(c)["spec"]["minResources"] = {"cpu": str(pods), "memory": f"{pods}Gi"}
            last_group(c)["status"]["phase"] = "Running" if old else "Pending"
        if rng.random() < 0.3:
            last_group(c)["spec"]["minTaskMember"] = {"worker": 1}
        if rng.random() < 0.2:
            last_group(c)["spec"]["networkTopology"] = {"mode": "soft"}
        if not old and rng.random() < 0.3:
            one = {"name": "p", "matchLabelKeys": ["part"], "subGroupSize": 1}
            wanted = rng.choice(({}, {"networkTopology": {"mode": "soft"}}))
            last_group(c)["spec"]["subGroupPolicy"] = [one | wanted]
            for place, pod in enumerate(c.jobs[-pods:]):
                pod["metadata"]["labels"]["part"] = str(place)
    c.others += priority_classes()
    if rng.random() < 0.4:
        hard = {"cpu": "100", "pods": "50"}
        metadata, status = {"name": "quota", "namespace": "team"}, {"hard": hard, "used": {"cpu": "1"}}
        c.others.append({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "status": status})
    arguments: Object = {
        "extender.urlPrefix": f"{EXTENDER}/echo",
        "extender.httpTimeout": "5s",
        "extender.onSessionOpenVerb": "onSessionOpenVerb",
        "extender.predicateVerb": "predicateVerb",
    }
    arguments |= {f"extender.{verb}": verb for verb in VERBS if rng.random() < 0.6}
    arguments |= rng.choice(({}, {"extender.ignorable": True}, {"extender.jobEnqueueableVerb": "missingVerb"}))
    actions = ("enqueue, allocate, backfill", "enqueue, allocate, preempt", "enqueue, reclaim, allocate")[number % 3]
    own = {"name": "extender", "arguments": arguments}
    plugins: tuple[str | Object, ...] = ("priority", "gang", "predicates", *(("nodeorder",) * (number % 2)), own)
    return [configuration(actions, plugins), *c.objects()]


def terms(rng: random.Random, number: int) -> list[Object]:
    """Jobs that have waited as long as they may, and nearly so, where there is no room for all to be admitted."""
    c = Cluster(rng)
    uneven(c, rng.randint(1, 2), cpus=(4,))
    c.add_queues(1)
    for _ in range(rng.randint(4, 7)):
        pods = rng.randint(1, 3)
        terms_of = rng.choice(("1h", "30m", "60m10s", "1s", "500ms", "0s", "-1h", "x", "8760h"))
        key = rng.choice(("sla-waiting-time", "volcano.sh/sla-waiting-time"))
        c.add_job(pods, requests={"cpu": "1", "memory": "1Gi"}, group={key: terms_of} if rng.random() < 0.8 else {})
        group = last_group(c)
        made = rng.choice(("11:00:00", "11:30:00", "10:59:58", "11:59:30", "11:59:00"))
        group["metadata"]["creationTimestamp"] = f"2026-11-21T{made}Z"
        group["spec"]["minResources"] = {"cpu": str(rng.choice((1, 3))), "memory": "1Gi"}
        group["status"]["phase"] = rng.choice(("Pending", "Pending", "Inqueue"))
        group["spec"]["minMember"] = rng.randint(1, pods)
    usual = {"arguments": {"sla-waiting-time": rng.choice(("1h", "1s", "30m", "0s"))}} if number % 2 else {}
    overcommit = {"name": "overcommit", "arguments": {"overcommit-factor": 1.0}}
    tiers = (("priority", {"name": "sla", **usual}), ("gang", "predicates", "nodeorder", overcommit))
    return [configuration("enqueue, allocate, backfill", *tiers), *c.objects()]


def conditions(rng: random.Random, number: int) -> list[Object]:
    """Pods that cool down since they were scheduled, by conditions of every kind."""
    c = Cluster(rng)
    uneven(c, rng.randint(2, 3))
    c.add_queues(2)
    full_and_hungry(c, 8, rng.randint(3, 5))
    for pod in pods_of(c):
        pod["metadata"]["annotations"][PREEMPTABLE] = "true"
        if pod["status"]["phase"] != "Running":
            continue
        key = "volcano.sh/cooldown-time"
        place = rng.choice(("annotations", "labels"))
        pod["metadata"][place] |= rng.choice(({}, {key: "1h"}, {key: "1h"}, {key: "10m"}, {key: "soon"}))
        since = rng.choice(("2026-11-21T11:30:00Z", "2026-11-21T11:58:00Z", "2026-11-21T10:00:00Z"))
        own = {
            "type": "PodScheduled",
            "status": rng.choice(("True", "True", "True", "False")),
            "lastTransitionTime": since,
        }
        if rng.random() < 0.15:
            del own["lastTransitionTime"]
        ready = {
            "type": "Ready",
            "status": "True",
            "lastTransitionTime": rng.choice(("2026-11-21T11:59:00Z", "2026-11-20T00:00:00Z")),
        }
        pod["status"]["conditions"] = rng.choice(([own], [ready, own], [own, ready], [ready], []))
    actions = ("enqueue, allocate, preempt", "enqueue, reclaim, allocate")[number % 2]
    tiers = (("priority", "gang", "cdp"), ("predicates", "nodeorder", "proportion"))
    return [configuration(actions, *tiers), *c.objects()]


def weights(rng: random.Random, number: int) -> list[Object]:
    """The tree of queues of drf with weights that are less than 1, and branches that have all they want."""
    c = Cluster(rng)
    uneven(c, rng.randint(1, 2))
    c.add_queues(rng.randint(3, 5))
    for index, queue in enumerate(c.queues):
        branch = rng.choice(("eng", "sci"))
        shape, own = rng.choice(("0.5", "0", "2", "3", "1")), rng.choice(("0.2", "1", "4"))
        queue["metadata"]["annotations"] = {
            "volcano.sh/hierarchy": f"root/{branch}/{index}",
            "volcano.sh/hierarchy-weights": f"1/{shape}/{own}",
        }
    full_and_hungry(c, rng.randint(2, 5), rng.randint(3, 6))
    own_plugin = {"name": "drf", "enableHierarchy": True}
    actions = ("enqueue, allocate", "enqueue, reclaim, allocate", "enqueue, allocate, preempt")[number % 3]
    return [configuration(actions, ("gang", own_plugin, "predicates", "nodeorder")), *c.objects()]


def numbers_of_roles(rng: random.Random, number: int) -> list[Object]:
    """Gangs with as many pods of each role, and as many sub-groups, as they need, or one less."""
    c = Cluster(rng)
    uneven(c, rng.randint(1, 3), cpus=(4, 6))
    c.add_queues(1)
    for _ in range(rng.randint(3, 6)):
        pods, running = rng.randint(2, 5), rng.choice((0, 0, 1, 2))
        c.add_job(
            pods,
            running=min(running, pods),
            minimum=rng.randint(1, pods),
            annotations={PREEMPTABLE: "true"},
            priority=rng.choice(("low", "high")),
            requests={"cpu": rng.choice(("1", "2")), "memory": "1Gi"},
        )
        own = c.jobs[-pods:]
        for place, pod in enumerate(own):
            pod["metadata"]["annotations"]["volcano.sh/task-spec"] = rng.choice(("a", "b", "c"))
            pod["metadata"]["labels"]["part"] = str(place % 3)
            if rng.random() < 0.15:
                del pod["spec"]["containers"][0]["resources"]
        spec = last_group(c)["spec"]
        kind = rng.choice(("roles", "parts", "roles", "none"))
        if kind == "roles":
            have = [pod["metadata"]["annotations"]["volcano.sh/task-spec"] for pod in own]
            spec["minTaskMember"] = {
                role: max(have.count(role) + rng.choice((-1, 0, 0, 0, 1)), 0) for role in ("a", "b", "c")
            }
            spec["minMember"] = max(sum(spec["minTaskMember"].values()), 1) + rng.choice((0, 0, -1, 1))
            spec["minMember"] = max(spec["minMember"], 1)
        if kind == "parts":
            policy = {"name": "p", "matchLabelKeys": ["part"], "subGroupSize": rng.choice((1, 2))}
            spec["subGroupPolicy"] = [{**policy, "minSubGroups": rng.choice((1, 2, 3))}]
    c.others += priority_classes()
    actions = ("enqueue, allocate, backfill", "enqueue, allocate, preempt", "preempt, allocate, backfill")[number % 3]
    return [configuration(actions, ("priority", "gang", "conformance"), ("predicates", "nodeorder")), *c.objects()]


def quotas(rng: random.Random, number: int) -> list[Object]:
    """Namespaces with two quotas, one and none, and jobs that want just as much as is left."""
    c = Cluster(rng)
    uneven(c, 2, cpus=(16,))
    c.add_queues(1)
    hard: Object = {"cpu": rng.choice(("4", "6")), "memory": "8Gi", "pods": "5", "requests.cpu": "3"}
    for index in range(rng.randint(1, 2)):
        names = rng.sample(list(hard), rng.randint(1, 3))
        status = {"hard": {name: hard[name] for name in names}, "used": rng.choice(({}, {"cpu": "1", "pods": "1"}))}
        metadata = {"name": f"quota-{index}", "namespace": "team"}
        c.others.append({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "status": status})
    for _ in range(rng.randint(4, 7)):
        pods = rng.randint(1, 3)
        c.add_job(pods, requests={"cpu": "1", "memory": "1Gi"})
        group = last_group(c)
        group["status"]["phase"] = "Pending"
        if rng.random() < 0.8:
            some: Object = {"cpu": str(pods), "memory": f"{2 * pods}Gi", "pods": str(pods), "requests.cpu": "1"}
            chosen = rng.sample(list(some), rng.randint(1, 4))
            group["spec"]["minResources"] = {name: some[name] for name in chosen}
        if rng.random() < 0.4:
            for each in (group, *c.jobs[-pods:]):
                each["metadata"]["namespace"] = "free"
    plugins = ("priority", "gang", "predicates", "nodeorder", "resourcequota", *(("proportion",) * (number % 2)))
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


def strategies(rng: random.Random, number: int) -> list[Object]:
    """Strategies by patterns, weights that are none, and scarce resources that are kept."""
    c = Cluster(rng)
    uneven(c, rng.randint(2, 5), cpus=(8, 16), gpus=(0, 4))
    c.add_queues(1)
    for node in c.nodes:
        if rng.random() < 0.5:
            for amounts in (node["status"]["allocatable"], node["status"]["capacity"]):
                amounts["example.com/npu"] = "4"
    for _ in range(rng.randint(4, 7)):
        device = rng.choice(({}, {"nvidia.com/gpu": "1"}, {"example.com/npu": "1"}))
        kind, given = "volcano.sh/resource-strategy-scoring-type", "volcano.sh/resource-strategy-weight"
        own = rng.choice(
            (
                {},
                {},
                {kind: "MostAllocated", given: '{"cpu": 2, "memory": 1}'},
                {kind: "LeastAllocated", given: '{"nvidia.com/gpu": 3, "cpu": null}'},
                {kind: "MostAllocated"},
                {kind: "Other", given: '{"cpu": 1}'},
                {given: '{"cpu": 9}'},
            )
        )
        amounts = {"cpu": str(rng.choice((1, 2))), "memory": f"{rng.choice((1, 4))}Gi", **device}
        c.add_job(rng.randint(1, 3), requests=amounts, limits=device, annotations=dict(own))
    names = (
        "cpu",
        "memory",
        "nvidia.com/*",
        "nvidia.com/gpu",
        "example.com/*",
        "*",
        "ex*ple.com/npu",
        "example.com/n*",
    )
    strategy = [
        {"type": rng.choice(("MostAllocated", "LeastAllocated")), "weight": rng.choice((1, 3, 0, -2))} for _ in names
    ]
    chosen = {name: one for name, one in zip(names, strategy, strict=True) if rng.random() < 0.5}
    arguments: Object = {"resources": chosen} if chosen and number % 4 else {}
    arguments |= {"resourceStrategyFitWeight": rng.choice((1, 5, -3, 0))} if rng.random() < 0.5 else {}
    devices = "nvidia.com/gpu, example.com/npu"
    if number % 3 == 0:
        given_weights = {"nvidia.com/gpu": rng.choice((1, 4, -1))}
        arguments["sra"] = {"enable": True, "resources": devices, "weight": 10, "resourceWeight": given_weights}
    if number % 3 == 1:
        shares = {
            "nvidia.com/gpu.cpu": rng.choice((2, 4, -1)),
            "nvidia.com/gpu.memory": rng.choice((8, 12)),
            "example.com/npu.cpu": 1,
        }
        arguments["proportional"] = {"enable": True, "resources": devices, "resourceProportion": shares}
    own_plugin = {"name": "resource-strategy-fit", "arguments": arguments}
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", "predicates", own_plugin)), *c.objects()]


DRIVER: Final = "disk.example.com"


def with_drivers(rng: random.Random, least: int, most: int) -> tuple[Cluster, list[str]]:
    """Make a cluster whose nodes attach between two numbers of volumes, or none, and return the nodes' names."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 4))
    c.add_queues(1)
    c.others += storage_classes()
    for name in names:
        number = rng.randint(least, most)
        has: Object = {"name": DRIVER, "nodeID": name, "topologyKeys": [], "allocatable": {"count": number}}
        one = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name}}
        c.others.append({**one, "spec": {"drivers": [has] if rng.random() < 0.8 else []}})
    return c, names


def volume_claim(name: str, spec: Object, **metadata: Any) -> Object:
    """Make a claim that has no volume yet."""
    own = {"name": name, "namespace": "team", "uid": name, "resourceVersion": "1", "annotations": {}, **metadata}
    made = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": own}
    return {**made, "spec": spec, "status": {"phase": "Pending"}}


def kinds_of_volumes(rng: random.Random, _: int) -> list[Object]:
    """Volumes of both modes, or kept for a claim; claims that several pods attach; limits of drivers."""
    c, names = with_drivers(rng, 1, 3)
    for index in range(rng.randint(4, 7)):
        volume = persistent_volume(f"pv-{index}", "local", rng.choice(("5Gi", "8Gi", "10Gi")))
        volume["spec"] |= rng.choice(({}, {"volumeMode": "Block"}, {"volumeMode": "Filesystem"}))
        volume["spec"]["accessModes"] = rng.choice(
            (["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"], ["ReadWriteMany"])
        )
        if rng.random() < 0.5:
            add_reach(volume, "kubernetes.io/hostname", rng.choice(names))
        volume["status"]["phase"] = rng.choice(("Available", "Available", "Available", "Released"))
        if rng.random() < 0.15:
            wanted = rng.randint(1, 4)
            reference = {"kind": "PersistentVolumeClaim", "namespace": "team", "name": f"claim-{wanted:02}"}
            volume["spec"]["claimRef"] = reference | rng.choice(({}, {"uid": f"claim-{wanted:02}"}, {"uid": "other"}))
        c.others.append(volume)
    numbers = count(1)
    for _ in range(rng.randint(3, 6)):
        pods = rng.randint(1, 3)
        shared = rng.random() < 0.4
        before = next(numbers) if shared else 0
        c.add_job(pods, requests={"cpu": "1", "memory": "1Gi"}, pod=partial(_mounting, numbers, before))
    for pod in pods_of(c):
        for volume in pod["spec"].get("volumes", ()):
            name = volume["persistentVolumeClaim"]["claimName"]
            if not any(each["metadata"]["name"] == name for each in c.others):
                c.others.append(_volume_claim(rng, name))
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", "predicates", "nodeorder")), *c.objects()]


def _mounting(numbers: Iterator[int], shared: int, _: int) -> Object:
    name = f"claim-{shared or next(numbers):02}"
    return {"spec/volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]}


def _volume_claim(rng: random.Random, name: str) -> Object:
    spec: Object = {
        "accessModes": [rng.choice(("ReadWriteOnce", "ReadWriteOnce", "ReadWriteMany"))],
        "storageClassName": rng.choice(("local", "local", "local", "made")),
        "resources": {"requests": {"storage": rng.choice(("4Gi", "8Gi", "10Gi"))}},
    }
    spec |= rng.choice(({}, {"volumeMode": "Block"}, {"volumeMode": "Filesystem"}))
    return volume_claim(name, spec)


def near(rng: random.Random, _: int) -> list[Object]:
    """Pods that want to be near to others or far from them, the first of them too, and pods with ports and spread."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(3, 5))
    c.add_queues(1)
    for node in c.nodes:
        if rng.random() < 0.15:
            del node["metadata"]["labels"]["zone"]
        if rng.random() < 0.2:
            node["spec"]["taints"] = [
                {"key": "k", "value": "v", "effect": rng.choice(("NoSchedule", "PreferNoSchedule"))}
            ]
    for index in range(rng.randint(4, 7)):
        pods = rng.randint(1, 3)
        taken = [rng.choice(names) for _ in range(pods)] if index == 0 else []
        app, other = rng.choice("ab"), rng.choice("ab")
        term: Object = {
            "labelSelector": {"matchLabels": {"app": other}},
            "topologyKey": rng.choice(("zone", "kubernetes.io/hostname")),
        }
        if rng.random() < 0.2:
            term["namespaces"] = [rng.choice(("team", "elsewhere"))]
        kind = rng.choice(("podAffinity", "podAffinity", "podAntiAffinity"))
        weighted = [{"weight": rng.choice((1, 50, 100)), "podAffinityTerm": term}]
        affinity = rng.choice(
            (
                {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}},
                {kind: {"preferredDuringSchedulingIgnoredDuringExecution": weighted}},
                {"nodeAffinity": rng.choice(affinities())},
            )
        )
        spread = {
            "maxSkew": rng.choice((1, 2)),
            "topologyKey": rng.choice(("zone", "kubernetes.io/hostname")),
            "whenUnsatisfiable": rng.choice(("DoNotSchedule", "ScheduleAnyway")),
            "labelSelector": {"matchLabels": {"app": app}},
        }
        fields: Object = {"spec/affinity": affinity if rng.random() < 0.7 else {}}
        fields["spec/topologySpreadConstraints"] = [spread] if rng.random() < 0.3 else []
        c.add_job(
            pods,
            running=len(taken),
            minimum=1,
            labels={"app": app},
            requests={"cpu": "1", "memory": "1Gi"},
            pod=partial(_with, taken, {key: value for key, value in fields.items() if value}),
        )
        for pod in c.jobs[-pods:]:
            if rng.random() < 0.15:
                pod["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": rng.choice((8080, 8081))}]
    weights_of = rng.choice(({}, {"podaffinity.weight": 5}, {"tainttoleration.weight": 0, "nodeaffinity.weight": 10}))
    own = {"name": "nodeorder", "arguments": weights_of}
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", "predicates", own)), *c.objects()]


def _with(taken: list[str], fields: Object, index: int) -> Object:
    return {**at(taken, index), **fields}


def networks(rng: random.Random, number: int) -> list[Object]:
    """HAMi's Ascend910 in networks, of which some cards do not say one, spread or packed."""
    c = Cluster(rng)
    uneven(c, rng.randint(2, 3), cpus=(32,))
    c.add_queues(1)
    model = "Ascend910B3" if number % 2 else "Ascend310P"
    for node in c.nodes:
        cards: list[Object] = [
            {
                "id": f"{node['metadata']['name']}-npu-{index}",
                "count": rng.choice((1, 2, 4)),
                "devmem": 65536 if number % 2 else 21527,
                "devcore": 20 if number % 2 else 8,
                "type": model,
                "health": True,
                "custominfo": rng.choice(({"NetworkID": index % 2}, {"NetworkID": index % 2}, {})),
            }
            for index in range(rng.randint(2, 4))
        ]
        node["metadata"]["annotations"] = {
            f"hami.io/node-register-{model}": json.dumps(cards),
            f"hami.io/node-handshake-{model}": "Reported_2026.11.21 12:00:00",
        }
        for amounts in (node["status"]["allocatable"], node["status"]["capacity"]):
            amounts[f"huawei.com/{model}"] = "16"
            amounts[f"huawei.com/{model}-memory"] = "300000"
    for _ in range(rng.randint(3, 5)):
        asked = {f"huawei.com/{model}": str(rng.choice((1, 1, 2)))}
        asked |= rng.choice(({}, {f"huawei.com/{model}-memory": str(rng.choice((2000, 5000, 12288)))}))
        c.add_job(rng.randint(1, 3), requests={"cpu": "1", "memory": "1Gi", **asked}, limits=asked)
    arguments: Object = {
        "deviceshare.AscendHAMiVNPUEnable": True,
        "deviceshare.SchedulePolicy": ("spread", "binpack", "spread", "spread")[number % 4],
        "deviceshare.ScheduleWeight": 10,
    }
    own = {"name": "deviceshare", "arguments": arguments}
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own)), *c.objects()]


_A: Final = 'device.attributes["gpu.example.com"]'
NULLS: Final = (
    f"{_A}.model == null",
    f"null == {_A}.index",
    f"[null, {_A}.model].size() == 2",
    'null in [null, "a"]',
    f'{_A}.model in [null, "a100"]',
    f"({_A}.ecc ? null : {_A}.model) == null",
    '(device.driver == "x" ? null : "a") != null',
    "null == 1",
    "null == true",
    "[1, 2].exists(i, i == null)",
    f"type({_A}.model) == string",
    'semver("1.0.0") == null',
    f"{_A}.level != null && {_A}.ecc",
    f"cel.bind(a, null, a == {_A}.model)",
    f"[{_A}.index, {_A}.root][1] == 0",
    f"{_A}.index > {_A}.root",
    f"{_A}.index >= 2 || {_A}.root < 1",
    f'{_A}.model < "b" && {_A}.model <= "a100"',
    f"-{_A}.index + 3 >= 2",
    "1u + 2u == 3u && 3u > 2u",
    "1.5 * 2.0 == 3.0",
    "7 % 3 == 1 && -7 / 2 == -3",
    "9223372036854775807 + 1 > 0",
    f'{_A}.model.replace("a", "b") == "b100"',
    f'{_A}.model.split("1").size() == 2',
    f'{_A}.model.substring(1) == "100"',
    f'{_A}.model.indexOf("0") == 2',
    "[3, 1, 2].max() == 3 && [3, 1, 2].min() == 1",
    "[1, 2].sum() == 3",
    '"a,b".split(",") == ["a", "b"]',
    "{'a': 1} == {'a': 1}",
    'has({"a": 1}.a)',
    "dyn(1) == 1.0",
    'bool("true")',
    'uint("3") == 3u',
    'duration("1h") > duration("59m")',
    'timestamp("2026-01-01T00:00:00Z") < timestamp("2026-01-02T00:00:00Z")',
    'b"a" == bytes("a")',
)


def nulls(rng: random.Random, number: int) -> list[Object]:
    """Claims whose selectors compare with nothing, and compute at the edges of what numbers are."""
    c = Cluster(rng)
    uneven(c, rng.randint(2, 3), cpus=(16,))
    c.add_queues(1)
    device_pools(c)
    for job in range(rng.randint(5, 7)):
        pods = rng.randint(1, 2)
        for index in range(pods):
            expressions = [NULLS[(5 * number + 3 * job + index) % len(NULLS)]]
            exactly: Object = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}
            exactly["selectors"] = [{"cel": {"expression": each}} for each in expressions]
            claim(c, f"claim-{job}-{index}", [{"name": "one", "exactly": exactly}])
        c.add_job(pods, requests={"cpu": "1", "memory": "1Gi"}, pod=partial(claiming, job))
    predicates = {"name": "predicates", "arguments": {"predicate.DynamicResourceAllocationEnable": True}}
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", predicates, "nodeorder")), *c.objects()]


def failing(rng: random.Random, number: int) -> list[Object]:
    """Jobs that get no place before others of their queue, whatever the queue says of their order."""
    c = Cluster(rng)
    uneven(c, rng.randint(1, 2), cpus=(4, 6))
    c.add_queues(2)
    for queue in c.queues:
        strategy = rng.choice(("fifo", "traverse", "priorityfifo"))
        queue["metadata"]["annotations"] = {"volcano.sh/dequeue-strategy": strategy}
        if strategy != "priorityfifo":
            queue["spec"]["dequeueStrategy"] = strategy
    for _ in range(rng.randint(4, 7)):
        pods = rng.randint(1, 3)
        amounts = {"cpu": rng.choice(("1", "3", "8")), "memory": "1Gi"}
        c.add_job(pods, minimum=pods, requests=amounts, priority=rng.choice(("low", "high", "")))
    c.others += priority_classes()
    plugins = ("priority", "gang", "predicates", "nodeorder", *(("proportion",) * (number % 2)))
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


def last_bytes(rng: random.Random, number: int) -> list[Object]:
    """Queues that may hold next to nothing, and jobs that are admitted for as much as they hold, or a little more."""
    c = Cluster(rng)
    uneven(c, rng.randint(1, 2), cpus=(8,))
    c.add_queues(3)
    for queue in c.queues:
        limits: tuple[Object, ...] = (
            {},
            {"cpu": "4"},
            {"cpu": "4", "memory": "1"},
            {"cpu": "1m"},
            {"cpu": "0", "memory": "8Gi"},
            {"memory": "2"},
        )
        queue["spec"] |= {"capability": dict(rng.choice(limits))} if rng.random() < 0.7 else {}
        queue["spec"] |= {"guarantee": {"resource": {"cpu": "1"}}} if rng.random() < 0.2 else {}
    for index in range(rng.randint(5, 8)):
        pods, old = rng.randint(1, 3), index < 3
        c.add_job(pods, running=pods if old else 0, minimum=1, requests={"cpu": "1", "memory": "1Gi"})
        group = last_group(c)
        group["status"]["phase"] = "Running" if old else rng.choice(("Pending", "Pending", "Inqueue"))
        more = rng.choice(
            ({}, {"memory": f"{pods * 1024**3 + 1}"}, {"cpu": f"{1000 * pods + 1}m"}, {"pods": str(pods + 1)})
        )
        group["spec"]["minResources"] = {"cpu": str(pods), "memory": f"{pods}Gi", **more}
    own = ("proportion", "capacity")[number % 2]
    return [
        configuration("enqueue, allocate, backfill", ("priority", "gang", "predicates", "nodeorder", own)),
        *c.objects(),
    ]


def gang_victims(action: str, rng: random.Random, number: int) -> list[Object]:
    """Gangpreempt and gangreclaim among others, for jobs of any priority whose pods hold what may be theirs or not."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 3))
    c.add_queues(1 if action == "gangpreempt" else 2)
    places = [name for name in names for _ in range(4)]
    rng.shuffle(places)
    for index in range(rng.randint(6, 9)):
        taken = [places.pop() for _ in range(min(len(places), rng.randint(1, 3)))] if index < 5 else []
        pods = len(taken) or rng.randint(1, 4)
        c.add_job(
            pods,
            running=len(taken),
            minimum=rng.randint(1, pods),
            annotations=rng.choice(({PREEMPTABLE: "true"}, {PREEMPTABLE: "true"}, {})),
            priority=rng.choice(("low", "high") if taken else ("high", "high", "low")),
            requests={"cpu": "2", "memory": "1Gi"},
            pod=partial(at, taken),
        )
        if not taken and rng.random() < 0.3:
            last_group(c)["spec"]["subGroupPolicy"] = [{"name": "p", "matchLabelKeys": ["part"], "subGroupSize": 1}]
            for place, pod in enumerate(c.jobs[-pods:]):
                pod["metadata"]["labels"]["part"] = str(place % 2)
    c.others += priority_classes()
    actions = (
        f"enqueue, allocate, {action}",
        f"{action}, allocate",
        f"enqueue, {action}",
        f"{action}, allocate, backfill",
    )
    more = {"configurations": [{"name": action, "arguments": {"maxDomains": rng.choice((0, 1, 2))}}]}
    tiers = (("priority", "gang"), ("predicates", "nodeorder", *(("proportion",) * (number % 2))))
    return [configuration(actions[number % 4], *tiers, **(more if number % 3 == 0 else {})), *c.objects()]


def factors(rng: random.Random, number: int) -> list[Object]:
    """Jobs that want just as much as the cluster is overcommitted by, in queues that name a factor of their own."""
    c = Cluster(rng)
    uneven(c, rng.randint(1, 2), cpus=(4, 8))
    c.add_queues(2, **rng.choice(({}, {"capability": {"cpu": "6"}})))
    for queue in c.queues:
        queue["metadata"]["annotations"] = rng.choice(
            ({}, {"volcano.sh/overcommit-factor": rng.choice(("1.0", "0.5"))})
        )
    for index in range(rng.randint(5, 8)):
        pods, old = rng.randint(1, 3), index < 2
        c.add_job(pods, running=pods if old else 0, minimum=1, requests={"cpu": "1", "memory": "1Gi"})
        group = last_group(c)
        group["status"]["phase"] = "Running" if old else rng.choice(("Pending", "Pending", "Pending", "Inqueue"))
        if rng.random() < 0.8:
            group["spec"]["minResources"] = {"cpu": str(rng.choice((1, 2, 4))), "memory": f"{pods}Gi"}
        if rng.random() < 0.2:
            c.jobs[-1]["spec"]["schedulingGates"] = [{"name": "later"}]
    factor = {"overcommit-factor": rng.choice((0.5, 1.0, 1.2, 1.5, 2))}
    own = {"name": "overcommit", "arguments": {**factor, "max-queue-overcommit-factor": 2}}
    plugins: tuple[str | Object, ...] = ("priority", "gang", "predicates", "nodeorder", own)
    plugins = (*plugins, *(("capacity",) * (number % 2)))
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


def refused_at_once(rng: random.Random, number: int) -> list[Object]:
    """Pods for which nothing may be evicted, before and beside others of their queue for which it may."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(1, 2))
    c.add_queues(3)
    places = [name for name in names for _ in range(4)]
    for _ in range(rng.randint(2, 4)):
        taken = [places.pop() for _ in range(min(len(places), rng.randint(2, 4)))]
        pods, fields = max(len(taken), 1), partial(at, taken)
        annotations = {PREEMPTABLE: rng.choice(("true", "true", "false"))}
        c.add_job(
            pods,
            running=len(taken),
            minimum=1,
            annotations=annotations,
            priority="low",
            requests={"cpu": "2", "memory": "1Gi"},
            pod=fields,
        )
        last_group(c)["spec"]["queue"] = "q0"
    for _ in range(rng.randint(3, 5)):
        pods = rng.randint(1, 3)
        c.add_job(pods, minimum=1, priority=rng.choice(("high", "low")), requests={"cpu": "2", "memory": "1Gi"})
        last_group(c)["spec"]["queue"] = rng.choice(("q1", "q1", "q2"))
        for pod in c.jobs[-pods:]:
            pod["spec"] |= {"preemptionPolicy": "Never"} if rng.random() < 0.3 else {}
            if rng.random() < 0.2:
                pod["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "none"}}]
    c.others += [*priority_classes(), _volume_claim(rng, "some")]
    actions = ("reclaim", "enqueue, reclaim, allocate", "enqueue, allocate, reclaim", "preempt, reclaim")[number % 4]
    tiers = (("priority", "gang"), ("predicates", "nodeorder", "proportion"))
    return [configuration(actions, *tiers), *c.objects()]


def least_victims(rng: random.Random, number: int) -> list[Object]:
    """Victims of all sizes for preempt, which looks at several nodes, by limits of every kind."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 4))
    c.add_queues(1)
    for name in names:
        left = 8
        while left > 0:
            cpu = min(rng.choice((1, 2, 3, 4)), left)
            left -= cpu
            add_victim(c, name, cpu, priority=rng.choice(("low", "low", "")))
            pod = c.jobs[-1]
            pod["status"]["startTime"] = rng.choice(("2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"))
            if rng.random() < 0.2:
                del pod["status"]["startTime"]
            if rng.random() < 0.3:
                pod["spec"]["priority"] = rng.choice((0, 5, 20))
    for _ in range(rng.randint(1, 3)):
        pods = rng.randint(1, 2)
        amounts = {"cpu": rng.choice(("2", "3", "5")), "memory": "1Gi"}
        c.add_job(pods, minimum=pods, priority="high", requests=amounts)
        if rng.random() < 0.2:
            last_group(c)["spec"]["networkTopology"] = {"mode": "soft"}
        if rng.random() < 0.3:
            one = {"name": "p", "matchLabelKeys": ["part"], "subGroupSize": 1, "networkTopology": {"mode": "soft"}}
            last_group(c)["spec"]["subGroupPolicy"] = [one]
            for place_, pod in enumerate(c.jobs[-pods:]):
                pod["metadata"]["labels"]["part"] = str(place_)
    c.others += priority_classes()
    arguments: Object = {"enableTopologyAwarePreemption": number % 4 != 3}
    arguments |= {"topologyAwarePreemptWorkerNum": rng.choice((0, 1, 2))} if rng.random() < 0.4 else {}
    arguments |= {"minCandidateNodesPercentage": rng.choice((0, 50, 100))} if rng.random() < 0.5 else {}
    arguments |= {"minCandidateNodesAbsolute": rng.choice((0, 1, 2, 100))} if rng.random() < 0.5 else {}
    arguments |= {"maxCandidateNodesAbsolute": rng.choice((0, 1, 3))} if rng.random() < 0.3 else {}
    more = {"configurations": [{"name": "preempt", "arguments": arguments}]}
    tiers = (("priority", {"name": "gang", "enablePreemptable": False}), ("predicates", "nodeorder"))
    return [configuration(("enqueue, allocate, preempt", "preempt")[number % 2], *tiers, **more), *c.objects()]


def budgets(rng: random.Random, number: int) -> list[Object]:
    """Budgets that say nothing yet of how many pods may go, of pods that run and of those that do not."""
    c = Cluster(rng)
    uneven(c, rng.randint(1, 2))
    c.add_queues(2)
    full_and_hungry(c, 8, rng.randint(2, 4))
    for pod in pods_of(c):
        pod["metadata"]["labels"]["app"] = rng.choice("abc")
        pod["metadata"]["annotations"][PREEMPTABLE] = "true"
    for name in "abcd":
        namespace = rng.choice(("team", "team", "team", "elsewhere"))
        known = {"disruptionsAllowed": rng.randint(0, 2), "currentHealthy": 3, "desiredHealthy": 1, "expectedPods": 3}
        status = rng.choice(({}, known, known))
        c.others.append(disruption_budget(name, {"matchLabels": {"app": name}}, status, namespace))
    actions = ("enqueue, allocate, preempt", "enqueue, reclaim, allocate")[number % 2]
    tiers = (("priority", "gang", "pdb"), ("predicates", "nodeorder", *(("proportion",) * (number % 2))))
    return [configuration(actions, *tiers), *c.objects()]


def less_than_nothing(rng: random.Random, number: int) -> list[Object]:
    """Pods that ask for nothing, on nodes that hold all that they have, or more."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(1, 3), cpus=(4,))
    c.add_queues(1)
    for name in names:
        for _ in range(rng.choice((1, 2, 2, 3))):
            c.add_job(1, running=1, requests={"cpu": "2", "memory": "1Gi"}, pod=partial(at, [name]))
    for _ in range(rng.randint(2, 4)):
        pods = rng.randint(1, 3)
        c.add_job(pods, minimum=rng.randint(1, pods), requests={"cpu": "1", "memory": "1Gi"})
        for pod in c.jobs[-pods:]:
            if rng.random() < 0.7:
                del pod["spec"]["containers"][0]["resources"]
    actions = ("enqueue, allocate, backfill", "backfill", "backfill, allocate")[number % 3]
    return [configuration(actions, ("priority", "gang", "predicates", "nodeorder")), *c.objects()]


FAMILIES: Final[dict[str, Callable[[random.Random, int], list[Object]]]] = {
    "network-topology-aware-edges": topology,
    "network-topology-aware-fading": fading,
    "task-topology-edges": buckets,
    "usage-edges": busy,
    "rescheduling-edges": leaving,
    "extender-edges": echo,
    "sla-edges": terms,
    "cdp-edges": conditions,
    "drf-edges": weights,
    "gang-edges": numbers_of_roles,
    "resourcequota-edges": quotas,
    "resource-strategy-fit-edges": strategies,
    "predicates-volumes": kinds_of_volumes,
    "predicates-near": near,
    "deviceshare-networks": networks,
    "cel-edges": nulls,
    "allocate-failing": failing,
    "queue-account-edges": last_bytes,
    "preempt-edges": least_victims,
    "pdb-edges": budgets,
    "backfill-edges": less_than_nothing,
    "overcommit-edges": factors,
    "reclaim-edges": refused_at_once,
    "gangpreempt-edges": partial(gang_victims, "gangpreempt"),
    "gangreclaim-edges": partial(gang_victims, "gangreclaim"),
}

if __name__ == "__main__":
    write(FAMILIES, *sys.argv[1:], numbers=NUMBERS, further=FURTHER)
