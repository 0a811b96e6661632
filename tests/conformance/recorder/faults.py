"""Write random scenarios for what is broken, refused or cut short: answers, devices, volumes, claims, searches.

    python -m tests.conformance.recorder.faults FOLDER [FAMILY ...]

The families are as in edges.py.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from tests.conformance.recorder.corners import (
    VIRTUAL_GPUS,
    affinities,
    at,
    claim,
    claiming,
    device_class,
    device_pools,
    node_groups,
    slice_of,
)
from tests.conformance.recorder.edges import (
    DRIVER,
    NUMBERS,
    kinds_of_volumes,
    last_group,
    measured,
    pods_of,
    tree_of_hyper_nodes,
    uneven,
    volume_claim,
    with_drivers,
)
from tests.conformance.recorder.generate import (
    EXTENDER,
    POLICIES,
    PREEMPTABLE,
    VERBS,
    Cluster,
    Object,
    aligned,
    configuration,
    hyper_node,
    numatopology,
    offer,
    persistent_volume,
    priority_classes,
    rescheduled,
    write,
)

FURTHER: Final[dict[str, tuple[int, ...]]] = {
    "rescheduling-qualities": (401, 410, 415, 418, 428),
    "deviceshare-networked": (406, 414, 418, 432),
    "deviceshare-instances": (433,),
    "volumes-bound": (402,),
    "extender-failing": (501, 503, 505, 526, 527, 530, 540, 542, 566, 591),
    "claims-refused": (506,),
    "network-topology-aware-soft": (247,),
}


def best_effort(pod: Object) -> None:
    """Have a pod ask for nothing."""
    del pod["spec"]["containers"][0]["resources"]


def estimated(rng: random.Random, _: int) -> list[Object]:
    """Pods of every quality that are too new to be measured, and nodes that may use nothing."""
    c = Cluster(rng)
    uneven(c, rng.randint(2, 4), cpus=(4, 8))
    c.add_queues(1)
    for _ in range(rng.randint(4, 7)):
        pods, limits = rng.randint(1, 3), rng.choice((None, {"cpu": "3", "memory": "4Gi"}))
        amounts = {"cpu": str(rng.choice((1, 2))), "memory": f"{rng.choice((1, 4))}Gi"}
        c.add_job(pods, running=rng.choice((0, pods)), minimum=rng.choice((1, pods)), requests=amounts, limits=limits)
        for pod in c.jobs[-pods:]:
            if pod["status"]["phase"] == "Running":
                pod["status"]["startTime"] = rng.choice(("2026-11-21T11:59:50Z", "2026-11-21T11:00:00Z"))
                if rng.random() < 0.2:
                    del pod["status"]["startTime"]
            if rng.random() < 0.4:
                best_effort(pod)
    measured(c, (0, 30, 60, 61), (0, 30, 60))
    arguments: Object = {"usage.weight": rng.choice((1, 5))}
    arguments |= rng.choice(({}, {"thresholds": {"cpu": rng.choice((0, 0, 100)), "mem": rng.choice((0, 100))}}))
    arguments |= rng.choice(
        ({}, {"memory.weight": 3}, {"cpu.weight": rng.choice((0, 1, 2)), "memory.weight": rng.choice((0, -1))})
    )
    some: Object = {
        "request_ratio": rng.choice((0.5, 1)),
        "burst_ratio": rng.choice((0, 0.5, 1)),
        "risk_threshold": rng.choice((0, 0.3, 0.6)),
        "risk_factor": rng.choice((1, 2, 3)),
        "be_cpu": rng.choice((500, "1", "1500m", "x", -5)),
        "be_mem": rng.choice((2048, "3Gi", "y", 0)),
    }
    arguments["estimator"] = {name: value for name, value in some.items() if rng.random() < 0.7}
    own = {"name": "usage", "arguments": arguments}
    plugins = ("priority", "gang", "predicates", own)
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


def unmeasured(rng: random.Random, number: int) -> list[Object]:
    """Nodes that are used as a whole, beside others of which nothing is known."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 4), cpus=(8, 16))
    c.add_queues(1)
    measured(c, (80, 99, 100), (90, 100))
    unknown = rng.choice(names)
    c.others = [each for each in c.others if each["metadata"]["name"] != unknown]
    for _ in range(rng.randint(2, 5)):
        running = rng.choice((0, 0, 1))
        c.add_job(rng.randint(1, 3), running=running, minimum=1, requests={"cpu": "1", "memory": "1Gi"})
    arguments: Object = {"usage.weight": rng.choice((10, 20, -10)), "thresholds": {"cpu": 100, "mem": 100}}
    arguments |= rng.choice(({}, {"cpu.weight": 2}, {"memory.weight": 3}))
    more = {"metrics": {"type": rng.choice(("prometheus_adaptor", "prometheus_adaptor", "prometheus"))}}
    own = {"name": "usage", "arguments": arguments}
    plugins: tuple[str | Object, ...] = ("priority", "gang", "predicates", own, *("nodeorder", "binpack")[number % 2 :])
    return [configuration("enqueue, allocate", plugins, **more), *c.objects()]


def qualities(rng: random.Random, number: int) -> list[Object]:
    """Pods of one priority and of every quality, of which a part leaves a busy node."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 3), cpus=(10, 20))
    c.add_queues(1)
    for index in range(rng.randint(6, 9)):
        name = names[-1] if index < 6 else rng.choice(names)
        amounts = {"cpu": rng.choice(("1", "2", "500m")), "memory": rng.choice(("1Gi", "4Gi"))}
        c.add_job(1, running=1, requests=amounts, pod=partial(at, [name]), priority=rng.choice(("low", "low", "")))
        pod = c.jobs[-1]
        one = pod["spec"]["containers"][0]
        kind = rng.choice(("burstable", "none", "equal", "less", "half", "tiny", "two"))
        if kind == "none":
            best_effort(pod)
        if kind in ("equal", "less"):
            one["resources"]["limits"] = dict(amounts) if kind == "equal" else {**amounts, "cpu": "3"}
        if kind == "half":
            one["resources"] = {"requests": {"cpu": amounts["cpu"]}, "limits": {"cpu": amounts["cpu"]}}
        if kind == "tiny":
            one["resources"] = {"requests": rng.choice(({"cpu": "1m"}, {"memory": "1"}))}
        if kind == "two":
            one["resources"]["limits"] = dict(amounts)
            pod["spec"]["containers"].append({**one, "name": "other", "resources": {"requests": dict(amounts)}})
    for node in c.nodes:
        has = node["status"]["allocatable"]
        cpu = rng.choice((62, 65, 70, 75)) if node is c.nodes[-1] else rng.choice((10, 20))
        used = {"cpu": f"{int(has['cpu']) * 10 * cpu}m", "memory": f"{int(has['memory'][:-2]) * 1024 * 20 // 100}Mi"}
        c.measure(node, used)
    c.others += priority_classes()
    params = {"thresholds": {"cpu": 30, "memory": 50}, "targetThresholds": {"cpu": 60, "memory": 80}}
    if number % 8 == 7:
        params = {"thresholds": {"cpu": 30}, "targetThresholds": {"cpu": rng.choice((62, 65))}}
    strategies = [{"name": "lowNodeUtilization", "params": params}]
    if number % 8 == 3:
        strategies = [{"name": "other", "params": {}}]
    return rescheduled(c, strategies, "5m" if number % 8 == 5 else "10m")


SAYINGS: Final = (
    '{"status": 1} and more',
    '{"code": 2, "status": "no}"} {"code": 0}',
    '{"code": 0, "status": "\\\\\\" {"}}',
    '{"code": 9, "status": "what"}',
    '{"code": "2"}',
    '{"code": 2.5}',
    '{"status": 1.5, "victims": {}}',
    '{"status": true, "overused": "yes"}',
    '{"status": null, "victims": null, "nodeScore": null, "code": null}',
    '{"status": 1, "victims": [{"UID": 1}]}',
    '{"status": 1, "victims": [{}, {"UID": "team-job-01-0"}]}',
    '{"nodeScore": {"n00": "high"}}',
    '{"nodeScore": {"n00": 1e999}}',
    '{"nodeScore": {"n00": null, "n01": 5}}',
    '{"nodeScore": {}, "errMsg": "none"}',
    '{"nodeScore": [1]}',
    '{"errorMessage": "not this one"}',
    '{"errorMessage": 1}',
    "[]",
    "null",
    '"text"',
    "",
    "{",
    '{"status":',
    "no",
    "12",
    "true",
    "-",
)
"""What an extender says that does not say what it should."""


def said(rng: random.Random, verb: str) -> str:
    """What an extender says, as a verb that is answered with it."""
    kind = rng.random()
    if kind < 0.75:
        return f"say/200/{quote(rng.choice(SAYINGS), safe='')}"
    if kind < 0.9:
        return f"say/{rng.choice((302, 307, 308, 303))}/{quote(rng.choice((f'/{verb}', '/say/200/')), safe='')}"
    return rng.choice(("say/500/", "say/0/", "say/307/%2Fsay%2F500%2F", "say/200/%7B%7D"))


def failing_answers(rng: random.Random, number: int) -> list[Object]:
    """An extender that answers what it should not, elsewhere, or not at all."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 4))
    c.add_queues(2)
    for index in range(rng.randint(4, 6)):
        pods, old = rng.randint(1, 3), index < 2
        taken = [rng.choice(names) for _ in range(pods)] if old else []
        c.add_job(
            pods,
            running=len(taken),
            minimum=1,
            annotations={PREEMPTABLE: "true"},
            priority="low" if old else "high",
            requests={"cpu": str(rng.choice((1, 2))), "memory": "1Gi"},
            pod=partial(at, taken),
        )
    c.others += priority_classes()
    arguments: Object = {"extender.urlPrefix": EXTENDER, "extender.httpTimeout": "5s"}
    verbs = ("onSessionOpenVerb", "predicateVerb", "onSessionCloseVerb", *VERBS)
    arguments |= {f"extender.{verb}": verb for verb in verbs if rng.random() < 0.3}
    for verb in rng.sample(verbs, rng.randint(1, 2)):
        arguments[f"extender.{verb}"] = said(rng, verb)
    arguments |= rng.choice(({}, {"extender.ignorable": True}))
    if number % 8 == 7:
        arguments["extender.urlPrefix"] = rng.choice(
            ("http://127.0.0.1:1", "ftp://127.0.0.1", "127.0.0.1:1", "http://:1", "http://127.0.0.1:port")
        )
    actions = ("enqueue, allocate, backfill", "enqueue, allocate, preempt", "enqueue, reclaim, allocate")[number % 3]
    own = {"name": "extender", "arguments": arguments}
    plugins: tuple[str | Object, ...] = ("priority", "gang", "predicates", own)
    return [configuration(actions, plugins), *c.objects()]


def sampled(rng: random.Random, number: int) -> list[Object]:
    """Searches that end once enough nodes fit, for jobs of all kinds, with what must be evicted for them."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(4, 9))
    c.add_queues(2)
    for node in c.nodes:
        if rng.random() < 0.2:
            node["spec"]["taints"] = [{"key": "k", "value": "v", "effect": "NoSchedule"}]
    places = [name for name in names for _ in range(4)]
    rng.shuffle(places)
    for index in range(rng.randint(6, 9)):
        old = index < 4
        taken = [places.pop() for _ in range(rng.randint(1, 5))] if old else []
        pods = len(taken) or rng.randint(1, 4)
        c.add_job(
            pods,
            running=len(taken),
            minimum=1 if old else rng.choice((1, pods)),
            annotations={PREEMPTABLE: "true"},
            priority="low" if old else "high",
            requests={"cpu": rng.choice(("2", "3")), "memory": "1Gi"},
            pod=partial(at, taken),
        )
        if not old:
            for pod in c.jobs[-pods:]:
                if rng.random() < 0.2:
                    best_effort(pod)
                if rng.random() < 0.2:
                    pod["metadata"]["annotations"]["volcano.sh/task-spec"] = ""
                if rng.random() < 0.15:
                    pod["status"]["nominatedNodeName"] = rng.choice(names)
    c.others += priority_classes()
    flags = {
        "minimum-feasible-nodes": rng.choice((1, 1, 2, 3)),
        "percentage-nodes-to-find": rng.choice((0, 10, 30, 50)),
        "minimum-percentage-nodes-to-find": rng.choice((5, 40)),
    }
    actions = (
        "enqueue, allocate, backfill",
        "enqueue, allocate, preempt, backfill",
        "enqueue, reclaim, allocate",
        "backfill, preempt, allocate",
    )[number % 4]
    tiers = (("priority", "gang"), ("predicates", "nodeorder", *(("proportion",) * (number % 2))))
    more = {"configurations": [{"name": "preempt", "arguments": {"enableTopologyAwarePreemption": True}}]}
    return [
        started_with(flags),
        configuration(actions, *tiers, **(more if number % 8 == 5 else {})),
        *c.objects(),
    ]


def started_with(flags: Object) -> Object:
    """The Deployment of the scheduler, with flags."""
    arguments = [f"--{name}={value}" for name, value in flags.items()]
    container = {"name": "volcano-scheduler", "image": "volcanosh/vc-scheduler:v1.14.4", "args": arguments}
    labels = {"app": "volcano-scheduler"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "volcano-scheduler", "namespace": "volcano-system"},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }


GEOMETRIES: Final = (
    {
        "models": ["A100-SXM4-40GB", "A100-40GB-PCIe", "A100-PCIE-40GB"],
        "allowedGeometries": [
            {"group": "group1", "geometries": [{"name": "1g.5gb", "memory": 5120, "count": 7}]},
            {
                "group": "group2",
                "geometries": [
                    {"name": "2g.10gb", "memory": 10240, "count": 3},
                    {"name": "1g.5gb", "memory": 5120, "count": 1},
                ],
            },
            {"group": "group3", "geometries": [{"name": "3g.20gb", "memory": 20480, "count": 2}]},
            {"group": "group4", "geometries": [{"name": "7g.40gb", "memory": 40960, "count": 1}]},
        ],
    },
)
NPUS: Final = {
    "Ascend910B3": (65536, 65536, 20, (("vir05_1c_16g", 16384), ("vir10_3c_32g", 32768))),
    "Ascend310P": (21527, 24576, 8, (("vir01", 3072), ("vir02", 6144), ("vir04", 12288))),
}


def device_config(rng: random.Random) -> Object:
    """The ConfigMap of devices, with geometries of MIG, and networked NPUs."""
    npus = [
        {
            "commonWord": name,
            "chipName": name[6:],
            "resourceName": f"huawei.com/{name}",
            "resourceMemoryName": f"huawei.com/{name}-memory",
            "memoryAllocatable": allocatable,
            "memoryCapacity": capacity,
            "aiCore": cores,
            "templates": [{"name": each, "memory": memory, "aiCore": 1} for each, memory in templates],
        }
        for name, (allocatable, capacity, cores, templates) in NPUS.items()
    ]
    nvidia: Object = {
        "resourceCountName": "volcano.sh/vgpu-number",
        "resourceMemoryName": "volcano.sh/vgpu-memory",
        "resourceMemoryPercentageName": "volcano.sh/vgpu-memory-percentage",
        "resourceCoreName": "volcano.sh/vgpu-cores",
        "knownMigGeometries": list(GEOMETRIES),
    }
    nvidia |= rng.choice(({}, {"gpuMemoryFactor": 1}))
    text = json.dumps({"nvidia": nvidia, "vnpus": npus})
    metadata = {"name": "volcano-vgpu-device-config", "namespace": "kube-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"device-config.yaml": text}}


HANDSHAKES: Final = (
    "Reported 2026-11-21 12:00:00",
    "Requesting_2026.11.21 11:59:50",
    "Requesting_2026.11.21 11:50:00",
    "Requesting_soon",
    "Requesting",
    "Deleted_2026.11.21 11:00:00",
    "Requesting_Deleted",
    "",
)


def instances(rng: random.Random, number: int) -> list[Object]:
    """MIG instances of several sizes that pods hold, ask for and leave, and nodes whose device plugin is silent."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 3), cpus=(16,))
    c.add_queues(1)
    model = "NVIDIA-A100-PCIE-40GB"
    for index, node in enumerate(c.nodes):
        name = node["metadata"]["name"]
        mode = "hami-core" if rng.random() < 0.15 else "mig"
        listed = "".join(f"GPU-{name}-{gpu},10,40960,{model},true,{mode}:" for gpu in range(rng.randint(1, 2)))
        if rng.random() < 0.1:
            listed = rng.choice(("", "none", listed + "GPU,1:", f"GPU-{name}-0,x,y,NVIDIA,true,mig:"))
        node["metadata"]["annotations"]["volcano.sh/node-vgpu-register"] = listed
        if rng.random() < 0.95:
            handshake = rng.choice(HANDSHAKES) if index == number % len(c.nodes) else HANDSHAKES[0]
            node["metadata"]["annotations"]["volcano.sh/node-vgpu-handshake"] = handshake
        offer(node, VIRTUAL_GPUS)
    for index in range(rng.randint(4, 7)):
        limits = {"volcano.sh/vgpu-number": str(rng.choice((1, 1, 2)))}
        memory = rng.choice((1000, 5000, 5120, 9000, 10240, 19000, 39000))
        limits |= {"volcano.sh/vgpu-memory": str(memory)} if rng.random() < 0.9 else {}
        running = 1 if index < 2 else 0
        name = rng.choice(names)
        place = f"GPU-{name}-0[{rng.choice(('group2-0', 'group2-3', 'group1-2', 'group3-1'))}]"
        held = {
            "volcano.sh/vgpu-node": name,
            "volcano.sh/vgpu-ids-new": f"{place},NVIDIA,{memory},0:",
            "volcano.sh/bind-phase": "success",
        }
        c.add_job(
            1 if running else rng.randint(1, 4),
            running=running,
            requests={"cpu": "1", "memory": "1Gi", **limits},
            limits=limits,
            annotations={PREEMPTABLE: "true", **(held if running else {})},
            priority="low" if running else "high",
            pod=partial(at, [name] if running else []),
        )
        if running and rng.random() < 0.3:
            c.jobs[-1]["metadata"] |= {
                "deletionTimestamp": "2026-11-21T12:00:10Z",
                "deletionGracePeriodSeconds": 30,
            }
    c.others += [device_config(rng), *priority_classes()]
    arguments: Object = {"deviceshare.VGPUEnable": True}
    policy = rng.choice(("binpack", "spread"))
    arguments |= rng.choice(({}, {"deviceshare.SchedulePolicy": policy, "deviceshare.ScheduleWeight": 10}))
    own = {"name": "deviceshare", "arguments": arguments}
    actions = ("enqueue, allocate, backfill", "enqueue, allocate, preempt")[number % 2]
    return [configuration(actions, ("priority", "gang", "predicates", own)), *c.objects()]


def silent(rng: random.Random, _: int) -> list[Object]:
    """Nodes all of whose device plugins have gone, or never said anything."""
    c = Cluster(rng)
    uneven(c, rng.randint(1, 3), cpus=(16,))
    c.add_queues(1)
    for node in c.nodes:
        name = node["metadata"]["name"]
        node["metadata"]["annotations"] |= {"volcano.sh/node-vgpu-register": f"GPU-{name}-0,10,16000,NVIDIA-T4,true,:"}
        if rng.random() < 0.8:
            node["metadata"]["annotations"]["volcano.sh/node-vgpu-handshake"] = "Deleted_2026.11.21 11:00:00"
        amounts = {"volcano.sh/vgpu-number": "10", "volcano.sh/vgpu-memory": "16000", "volcano.sh/vgpu-cores": "100"}
        offer(node, amounts)
    for _ in range(rng.randint(2, 3)):
        limits = {"volcano.sh/vgpu-number": "1", "volcano.sh/vgpu-memory": "1000"}
        c.add_job(1, requests={"cpu": "1", "memory": "1Gi", **limits}, limits=limits)
    own = {"name": "deviceshare", "arguments": {"deviceshare.VGPUEnable": True}}
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own)), *c.objects()]


def networks(rng: random.Random, number: int) -> list[Object]:
    """NPUs in networks, of which some cards do not say one, or none that is a number, spread or packed."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 3), cpus=(32,))
    c.add_queues(1)
    model = "Ascend310P" if number % 4 == 3 else "Ascend910B3"
    for node in c.nodes:
        all_say = rng.random() < 0.7
        cards: list[Object] = [
            {
                "id": f"{node['metadata']['name']}-npu-{index}",
                "count": rng.choice((1, 2, 4)),
                "devmem": NPUS[model][0],
                "devcore": NPUS[model][2],
                "type": model,
                "health": True,
                "custominfo": {"NetworkID": rng.choice((0, 1, 1, 2))}
                if all_say
                else rng.choice(({}, {"NetworkID": "x"})),
            }
            for index in range(rng.randint(2, 5))
        ]
        if rng.random() < 0.15:
            cards[0]["custominfo"] = {"NetworkID": "1"}
        text = json.dumps(cards) if rng.random() < 0.93 else "no"
        node["metadata"]["annotations"] = {
            f"hami.io/node-register-{model}": text,
            f"hami.io/node-handshake-{model}": "Reported_2026.11.21 12:00:00",
        }
        for amounts in (node["status"]["allocatable"], node["status"]["capacity"]):
            amounts[f"huawei.com/{model}"] = "16"
            amounts[f"huawei.com/{model}-memory"] = "600000"
    for index in range(rng.randint(4, 6)):
        asked = {f"huawei.com/{model}": str(rng.choice((1, 1, 2, 2)))}
        asked |= rng.choice(({}, {f"huawei.com/{model}-memory": str(rng.choice((2000, 12288, 16384, 65536)))}))
        old = index == 0
        card = f"{names[-1]}-npu-0,{model},16384,5:"
        c.add_job(
            1 if old else rng.randint(1, 3),
            running=1 if old else 0,
            minimum=1,
            requests={"cpu": "1", "memory": "1Gi", **asked},
            limits=asked,
            annotations={f"hami.io/{model}-devices-allocated": card} if old else {},
            pod=partial(at, names[-1:] if old else []),
        )
        if not old and rng.random() < 0.3:
            for pod in pods_of(c)[-1:]:
                pod["spec"]["containers"].append({**pod["spec"]["containers"][0], "name": "other"})
    c.others.append(device_config(rng))
    arguments: Object = {
        "deviceshare.AscendHAMiVNPUEnable": True,
        "deviceshare.SchedulePolicy": ("spread", "binpack", "spread", "spread")[number % 4],
        "deviceshare.ScheduleWeight": 10,
    }
    own = {"name": "deviceshare", "arguments": arguments}
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own)), *c.objects()]


_A: Final = 'device.attributes["gpu.example.com"]'
BROKEN: Final = (
    'semver("1.0.0-rc.1").isLessThan(semver("1.0.0")) && semver("1.0.0-rc.1") != semver("1.0.0-rc.2")',
    "-9223372036854775808 < 0 && --5 == 5 && !!true && ---5 == -5",
    'semver("1.0.0-rc.1+b").compareTo(semver("1.0.0")) < 0',
    f'{_A}.level.isLessThan(semver("2.0.0-rc.2")) && {_A}.level.isGreaterThan(semver("1.0.0-a.b"))',
    'semver("1.0") == semver("1.0.0")',
    'semver("") == semver("1.0.0")',
    'quantity("x") == quantity("1")',
    'quantity("1Zi") == quantity("1")',
    "[1, 2][5] == 1",
    '[1, 2]["a"] == 1',
    "1 % 0 == 1",
    f'{_A}.model.matches("a[")',
    f'{_A}.model.matches("^a")',
    '"a".matches("[")',
    'isQuantity("1Gi") && !isQuantity("x")',
    'isSemver("1.0.0") && !isSemver("1")',
    "1 + 1",
    '"text"',
    f"{_A}",
    f"{_A}.model",
    f"{_A}.index",
    f"{_A}.model && true",
    f"true && {_A}.model",
    f"{_A}.index ? true : false",
    f"!{_A}.model",
    "device.nothing == 1",
    'device.driver.part == "x"',
    "1.name == 1",
    "1.all(i, i > 0)",
    "[[1], [2]] == [[1], [2]]",
    '[1, "a"] == [1, "a"]',
    "'a\\\\q' == 'a'",
    "'\\\\n\\\\t' != ''",
    "r'\\\\n' == '\\\\\\\\n'",
    'device.capacity["gpu.example.com"].memory.asInteger() > 0',
    'quantity("1500m").asInteger() == 1',
    'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("20Gi"))',
    'device.capacity["gpu.example.com"].memory.add(quantity("1")).sub(1).compareTo(quantity("40Gi")) == 0',
    f"{_A}.ecc || {_A}.none",
    f"{_A}.none || {_A}.ecc",
    f"{_A}.none && {_A}.ecc",
    f"{_A}.none == 1",
    'device.attributes["none.example.com"].model == "a"',
    "cel.bind(a, 1, a == 1)",
    "dyn([1]).exists(i, i == 1) && dyn(device.driver) != 1",
    "[device.driver, 1].size() == 2 && size('abc') == 3",
    "true ? 1 : 'a'",
    "(true ? dyn(1) : dyn('a')) == 1",
    "[dyn(1), 2] == [1, 2]",
    "1 in [1] && !(3 in [1])",
    "1 in 1",
    "-device.driver == 1",
    "1 < 'a'",
    "true < false",
)


def broken_expressions(rng: random.Random, number: int) -> list[Object]:
    """Claims whose selectors cannot be read, do not fit or fail, on devices with attributes of every kind."""
    c = Cluster(rng)
    uneven(c, 2, cpus=(16,))
    c.add_queues(1)
    device_pools(c)
    for each in c.others:
        for device in each.get("spec", {}).get("devices", ()) if each["kind"] == "ResourceSlice" else ():
            if number % 8 == 5 and rng.random() < 0.3:
                device["attributes"]["level"] = rng.choice(({"version": "1"}, {}))
    return claimed_by(c, (BROKEN[(6 * number + job) % len(BROKEN)] for job in range(6)))


def claimed_by(c: Cluster, expressions: Iterable[str], actions: str = "enqueue, allocate, backfill") -> list[Object]:
    """Complete a cluster with a job for each expression, whose pod claims a device that the expression selects."""
    for job, expression in enumerate(expressions):
        claim(c, f"claim-{job}-0", [{"name": "one", "exactly": asked_with(expression)}])
        c.add_job(1, requests={"cpu": "1", "memory": "1Gi"}, pod=partial(claiming, job))
    predicates = {"name": "predicates", "arguments": {"predicate.DynamicResourceAllocationEnable": True}}
    return [configuration(actions, ("priority", "gang", predicates, "nodeorder")), *c.objects()]


def asked_with(expression: str, **fields: Any) -> Object:
    """A request for a device that an expression selects."""
    selectors = [{"cel": {"expression": expression}}]
    exactly = {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1, "selectors": selectors}
    return exactly | fields


def made_ready(rng: random.Random, _: int) -> list[Object]:
    """Devices that are made ready once they are given, beside others, for claims of any device and of one kind."""
    c = Cluster(rng)
    uneven(c, rng.randint(1, 2), cpus=(16,))
    c.add_queues(1)
    device_class(c, "gpu", 'device.driver == "gpu.example.com"')
    for node in c.nodes:
        name = node["metadata"]["name"]
        for index, model in enumerate(rng.sample(("a", "b", "c"), 3)):
            device: Object = {"name": f"gpu-{index}", "attributes": {"model": {"string": model}}}
            if rng.random() < 0.5:
                conditions = {"bindingConditions": ["gpu.example.com/attached"]}
                device |= conditions | {"bindingFailureConditions": ["gpu.example.com/failed"]}
            pool = {"name": f"{name}-{rng.choice((0, index))}", "generation": 1, "resourceSliceCount": 1}
            spec = {"driver": "gpu.example.com", "nodeName": name, "pool": pool, "devices": [device]}
            slice_of(c, f"slice-{name}-{index}", spec)
    pools: dict[str, list[Object]] = {}
    for each in c.others:
        if each["kind"] == "ResourceSlice":
            pools.setdefault(each["spec"]["pool"]["name"], []).append(each["spec"]["pool"])
    for alike in pools.values():
        for one in alike:
            one["resourceSliceCount"] = len(alike)
    wanted = ("true", "true", *(f'{_A}.model == "{model}"' for model in "abc"))
    # One is drawn when its job is added, which draws for itself too.
    return claimed_by(c, (rng.choice(wanted) for _ in range(rng.randint(3, 5))))


def refused_claims(rng: random.Random, _: int) -> list[Object]:
    """Claims that are gone, going, another's or of no kind, requests that are none, and slices that are incomplete."""
    c = Cluster(rng)
    uneven(c, rng.randint(2, 3), cpus=(16,))
    c.add_queues(1)
    device_pools(c)
    slices = [each for each in c.others if each["kind"] == "ResourceSlice"]
    for each in slices:
        pool = each["spec"]["pool"]
        pool |= rng.choice(({}, {}, {}, {"resourceSliceCount": 2}, {"generation": 2}))
    for each in slices[:1] if rng.random() < 0.5 else ():
        again = json.loads(json.dumps(each))
        again["metadata"]["name"] += "-again"
        again["spec"]["pool"]["generation"] += rng.choice((0, 1, -1))
        c.others.append(again)
    for job in range(rng.randint(4, 7)):
        pods = rng.randint(1, 2)
        for index in range(pods):
            exactly = asked_with("true")
            exactly |= rng.choice(
                (
                    {},
                    {"allocationMode": "All"},
                    {"allocationMode": "Some"},
                    {"count": 33},
                    {"count": 40, "allocationMode": "ExactCount"},
                    {"selectors": [{}]},
                    {"selectors": []},
                    {"deviceClassName": "none"},
                    {"deviceClassName": ""},
                )
            )
            one = rng.choice(
                (
                    {"name": "one", "exactly": exactly},
                    {"name": "one", "exactly": exactly},
                    {"name": "one", "exactly": exactly},
                    {"name": "one"},
                    {"name": "one", "firstAvailable": [{"name": "a", **exactly}, {"name": "b", **asked_with("true")}]},
                )
            )
            constraints = rng.choice(
                ([], [], [], [{"requests": ["one"]}], [{"matchAttribute": "gpu.example.com/model"}])
            )
            claim(c, f"claim-{job}-{index}", [one], **({"constraints": constraints} if constraints else {}))
            metadata = c.others[-1]["metadata"]
            if rng.random() < 0.1:
                metadata |= {"deletionTimestamp": "2026-11-21T11:00:00Z", "finalizers": ["keep"]}
            if rng.random() < 0.1:
                c.others.pop()
        fields: Callable[[int], Object] = partial(claiming, job)
        if rng.random() < 0.25:
            others: tuple[Callable[[int], Object], ...] = (
                partial(by_template, job, "claim"),
                partial(by_template, job, ""),
                nameless,
            )
            fields = rng.choice(others)
        c.add_job(pods, requests={"cpu": "1", "memory": "1Gi"}, pod=fields)
    predicates = {"name": "predicates", "arguments": {"predicate.DynamicResourceAllocationEnable": True}}
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", predicates, "nodeorder")), *c.objects()]


def by_template(job: int, made: str, index: int) -> Object:
    """What a pod has whose claim is made from a template, once it is."""
    found: Object = {"spec/resourceClaims": [{"name": "device", "resourceClaimTemplateName": "template"}]}
    if made:
        found["status/resourceClaimStatuses"] = [{"name": "device", "resourceClaimName": f"{made}-{job}-{index}"}]
    return found


def nameless(_: int) -> Object:
    """What a pod has that names no claim."""
    return {"spec/resourceClaims": [{"name": "device"}]}


def refused_volumes(rng: random.Random, _: int) -> list[Object]:
    """Claims of volumes that are missing, lost, going or another's, and volumes that are attached."""
    c, names = with_drivers(rng, 0, 2)
    for index in range(rng.randint(3, 6)):
        volume = persistent_volume(f"pv-{index}", rng.choice(("local", "local", "")), rng.choice(("5Gi", "10Gi")))
        volume["spec"]["csi"] = {"driver": DRIVER, "volumeHandle": f"disk-{index}"}
        volume["spec"] |= rng.choice(({}, {}, {"volumeMode": "Block"}))
        if rng.random() < 0.2:
            volume["metadata"] |= {"deletionTimestamp": "2026-11-21T11:00:00Z", "finalizers": ["keep"]}
        if rng.random() < 0.3:
            volume["metadata"]["labels"] = {"topology.kubernetes.io/zone": rng.choice(("z0", "z1__z2", "z9"))}
        c.others.append(volume)
        if rng.random() < 0.5:
            where = {"attacher": rng.choice((DRIVER, DRIVER, "")), "nodeName": rng.choice((*names, "gone"))}
            source = {"persistentVolumeName": rng.choice((f"pv-{index}", "none"))}
            attachment: Object = {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment"}
            attachment |= {"metadata": {"name": f"attached-{index}"}, "spec": {**where, "source": source}}
            c.others.append(attachment)
    for node in c.nodes:
        node["metadata"]["labels"]["topology.kubernetes.io/zone"] = node["metadata"]["labels"]["zone"]
    for job in range(rng.randint(4, 7)):
        pods = rng.randint(1, 2)
        c.add_job(pods, requests={"cpu": "1", "memory": "1Gi"}, pod=partial(mounting, job))
        for index in range(pods):
            if rng.random() < 0.1:
                continue
            metadata: Object = {}
            if rng.random() < 0.1:
                metadata |= {"deletionTimestamp": "2026-11-21T11:00:00Z", "finalizers": ["keep"]}
            spec: Object = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "4Gi"}}}
            spec |= rng.choice(({}, {"storageClassName": "local"}, {"storageClassName": "none"}))
            spec |= rng.choice(({}, {"storageClassName": "local"}, {"storageClassName": ""}))
            status = {"phase": "Pending"}
            if rng.random() < 0.4:
                spec["volumeName"] = rng.choice(("pv-0", "pv-1", "pv-2", "gone"))
                status = {"phase": rng.choice(("Bound", "Bound", "Lost", "Pending"))}
                if status["phase"] != "Pending":
                    metadata["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
            spec |= rng.choice(({}, {}, {"volumeMode": "Block"}))
            c.others.append({**volume_claim(f"claim-{job}-{index}", spec, **metadata), "status": status})
    for pod in pods_of(c):
        if rng.random() < 0.1:
            own_volume(c, pod)
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", "predicates", "nodeorder")), *c.objects()]


def own_volume(c: Cluster, pod: Object) -> None:
    """Have a pod ask for a volume of its own, whose claim another pod has the name of."""
    template = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    pod["spec"]["volumes"] = [{"name": "data", "ephemeral": {"volumeClaimTemplate": template}}]
    c.others.append(volume_claim(f"{pod['metadata']['name']}-data", template["spec"], uid="own"))


def bound_volumes(rng: random.Random, number: int) -> list[Object]:
    """Volumes of both modes, on nodes that may attach what no provisioner makes."""
    objects = kinds_of_volumes(rng, number)
    for each in objects:
        if each["kind"] == "CSINode":
            name = each["metadata"]["name"]
            more = {"name": "kubernetes.io/no-provisioner", "nodeID": name, "topologyKeys": []}
            each["spec"]["drivers"].append({**more, "allocatable": {"count": rng.randint(2, 9)}})
    return objects


def mounting(job: int, index: int) -> Object:
    """What a pod has that mounts its own claim."""
    return {"spec/volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": f"claim-{job}-{index}"}}]}


MALFORMED: Final = (
    {"key": "zone", "operator": "NotIn", "values": []},
    {"key": "zone", "operator": "In", "values": []},
    {"key": "zone", "operator": "Exists", "values": ["z0"]},
    {"key": "cores", "operator": "Gt", "values": ["x"]},
    {"key": "cores", "operator": "Lt", "values": ["8", "9"]},
    {"key": "cores", "operator": "Gt", "values": ["3"]},
    {"key": "cores", "operator": "Near", "values": ["3"]},
    {"key": "zone", "operator": "DoesNotExist", "values": []},
)


def malformed_terms(rng: random.Random, _: int) -> list[Object]:
    """Affinities with requirements that cannot be, on nodes that differ in many things that are scored."""
    c = Cluster(rng)
    uneven(c, rng.randint(4, 7))
    c.add_queues(1)
    for node in c.nodes:
        labels = node["metadata"]["labels"]
        labels["cores"] = rng.choice(("2", "4", "x"))
        labels["disk"] = rng.choice(("ssd", "hdd", "tape"))
        if rng.random() < 0.5:
            effect = rng.choice(("PreferNoSchedule", "PreferNoSchedule", "NoSchedule"))
            node["spec"]["taints"] = [{"key": rng.choice("ab"), "value": "v", "effect": effect}]
        size = rng.choice((0, 500, 900)) * 1024 * 1024
        node["status"]["images"] = [{"names": ["busybox:latest"], "sizeBytes": size}] if size else []
    for _ in range(rng.randint(4, 7)):
        expressions = [rng.choice(MALFORMED) for _ in range(rng.choice((1, 1, 2)))]
        term: Object = {"matchExpressions": expressions} if rng.random() < 0.85 else {}
        if rng.random() < 0.15:
            field = {
                "key": rng.choice(("metadata.name", "metadata.uid")),
                "operator": rng.choice(("In", "NotIn", "Gt")),
            }
            term["matchFields"] = [{**field, "values": rng.choice((["n01"], ["n01", "n02"]))}]
        terms = [
            term,
            *([{"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}] * rng.choice((0, 1))),
        ]
        preferred = [
            {
                "weight": weight,
                "preference": {"matchExpressions": [{"key": "disk", "operator": "In", "values": [disk]}]},
            }
            for disk, weight in (("ssd", 50), ("hdd", rng.choice((20, 90))))
        ]
        affinity: Object = {}
        if rng.random() < 0.5:
            affinity["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": terms}
        if rng.random() < 0.7:
            affinity["preferredDuringSchedulingIgnoredDuringExecution"] = preferred
        c.add_job(
            rng.randint(1, 3),
            requests={"cpu": "1", "memory": "1Gi"},
            pod=partial(fields_of, {"spec/affinity": {"nodeAffinity": affinity or rng.choice(affinities())}}),
        )
    weights = rng.choice(({}, {"imagelocality.weight": 10}, {"nodeaffinity.weight": 3, "imagelocality.weight": 2}))
    own = {"name": "nodeorder", "arguments": weights}
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", "predicates", own)), *c.objects()]


def named_queues(rng: random.Random, number: int) -> list[Object]:
    """Groups of nodes for queues that pods name themselves: by a label, by annotations, or not at all."""
    objects = node_groups(rng, number)
    queues = {each["metadata"]["name"]: each["spec"]["queue"] for each in objects if each["kind"] == "PodGroup"}
    for each in objects:
        if each["kind"] == "Pod":
            queue = queues[each["metadata"]["annotations"]["scheduling.k8s.io/group-name"]]
            key = rng.choice(("volcano.sh/queue-name", "scheduling.volcano.sh/queue-name", ""))
            each["metadata"][rng.choice(("labels", "annotations"))] |= {key: queue} if key else {}
    return objects


def fields_of(fields: Object, _: int) -> Object:
    """Fields that all pods of a job have."""
    return fields


def strange_topologies(rng: random.Random, number: int) -> list[Object]:
    """Numatopologies whose free CPUs the node does not have, or whose nodes, sockets and cores have odd numbers."""
    c = Cluster(rng)
    uneven(c, rng.randint(2, 3), cpus=(16, 64, 128))
    c.add_queues(1)
    for node in c.nodes:
        cpus, numas, threads = int(node["status"]["allocatable"]["cpu"]), rng.choice((1, 2, 4)), rng.choice((1, 1, 2))
        first = rng.choice((0, 0, 1))
        detail = {
            str(each): {
                "numa": first + each * numas // cpus,
                "socket": each * 2 // cpus if number % 2 else each % 2,
                "core": rng.choice((each // threads, each % (cpus // threads))) if number % 4 else each // threads,
            }
            for each in range(cpus)
        }
        free = rng.sample(range(cpus), rng.randint(cpus // 2, cpus - 2))
        free += [cpus + each for each in range(rng.choice((0, 0, 2, 4)))]
        is_complete = rng.random() < 0.95
        numatopology(c, node, detail, free, rng.choice(POLICIES[1:]), reserved=rng.choice(("0", "1", "2")))
        if not is_complete:
            c.others[-1]["spec"]["numares"] = {}
    for _ in range(rng.randint(3, 6)):
        cpu, policy = rng.choice((1, 3, 5, 7, 9, 11, 15, 31)), rng.choice(("best-effort", *POLICIES[1:]))
        aligned(c, cpu, policy, rng.randint(1, 3))
    own = {"name": "numa-aware", "arguments": {"weight": 10}}
    return [configuration("enqueue, allocate, backfill", ("priority", "gang", "predicates", own)), *c.objects()]


def tight(rng: random.Random, number: int) -> list[Object]:
    """Pods of odd sizes that take single CPUs of many cores, until what is left is near to nothing else."""
    c = Cluster(rng)
    uneven(c, rng.randint(1, 2), cpus=(48, 64, 96))
    c.add_queues(1)
    for node in c.nodes:
        cpus, numas = int(node["status"]["allocatable"]["cpu"]), rng.choice((2, 4, 4))
        threads = rng.choice((2, 2, 4))
        cores = cpus // threads
        detail = {
            str(each): {
                "numa": each % cores * numas // cores,
                "socket": each % cores * 2 // cores,
                "core": each % cores,
            }
            for each in range(cpus)
        }
        free = rng.sample(range(cpus), rng.randint(cpus * 2 // 3, cpus - 2))
        numatopology(c, node, detail, free, "single-numa-node")
    for _ in range(rng.randint(8, 14)):
        cpu = rng.choice((1, 3, 5, 7, 9, 11))
        aligned(c, cpu, "single-numa-node", rng.randint(1, 2), memory="512Mi", minimum=1)
    own = {"name": "numa-aware", "arguments": {"weight": 10}}
    plugins: tuple[str | Object, ...] = ("priority", "gang", "predicates", own)
    return [configuration("enqueue, allocate", (*plugins, *(("nodeorder",) * (number % 2)))), *c.objects()]


def soft_topologies(rng: random.Random, number: int) -> list[Object]:
    """Jobs that should be near to what they have, or were given in HyperNodes that may be gone."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(3, 6), cpus=(4, 8))
    c.add_queues(1)
    tree_of_hyper_nodes(c, names)
    for _ in range(rng.randint(3, 5)):
        pods, running = rng.randint(3, 5), rng.choice((0, 1, 2))
        taken = [rng.choice(names) for _ in range(running)]
        held = rng.choice(("leaf-0", "leaf-1", "mid-0", "top", "gone", ""))
        c.add_job(
            pods,
            running=running,
            minimum=rng.choice((1, pods)),
            requests={"cpu": rng.choice(("1", "2")), "memory": "1Gi"},
            group={"volcano.sh/job-allocated-hypernode": held} if held else {},
            pod=partial(at, taken),
        )
        wanted: Object = {"mode": rng.choice(("soft", "soft", "hard"))}
        last_group(c)["spec"]["networkTopology"] = wanted | {"highestTierAllowed": rng.choice((1, 2, 3))}
    for _ in range(rng.randint(0, 2)):
        c.add_job(1, requests={"cpu": "1", "memory": "1Gi"})
    fades = {"hypernode.binpack.normal-pod.fading": rng.choice((1, 1, 2))}
    own = {"name": "network-topology-aware", "arguments": {"weight": rng.choice((1, 10)), **fades}}
    plugins: tuple[str | Object, ...] = ("priority", "gang", "predicates", own, *(("nodeorder",) * (number % 3 > 0)))
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


def overlapping(rng: random.Random, number: int) -> list[Object]:
    """HyperNodes of any tier that hold nodes of their own, jobs that run in them, and roles that must be complete."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(3, 5), cpus=(4, 8))
    c.add_queues(1)
    half = names[: rng.choice((1, 2))]
    rest = [name for name in names if name not in half]
    kinds: list[tuple[str, int, str, list[str]]] = [("a", 1, "Node", rest), ("b", rng.choice((1, 2)), "Node", half)]
    if rng.random() < 0.7:
        kinds.append(("c", rng.choice((2, 3)), "Node", rng.sample(names, rng.randint(1, 2))))
    if rng.random() < 0.7:
        kinds.append(("top", rng.choice((3, 4)), "HyperNode", ["a", "b"]))
    for name, tier, kind, members in kinds:
        hyper_node(c, name, tier, kind, members)
    for _ in range(rng.randint(3, 6)):
        pods = rng.randint(2, 4)
        running = rng.choice((0, 1, 2))
        taken = [rng.choice(rest) for _ in range(running)]
        c.add_job(
            pods,
            running=running,
            minimum=rng.choice((1, pods)),
            requests={"cpu": "1", "memory": "1Gi"},
            pod=partial(at, taken),
        )
        spec = last_group(c)["spec"]
        wanted: Object = {"mode": rng.choice(("soft", "hard", "hard"))}
        wanted |= {"highestTierAllowed": rng.choice((1, 2, 3))} if rng.random() < 0.8 else {}
        spec["networkTopology"] = wanted
        for place, pod in enumerate(c.jobs[-pods:]):
            pod["metadata"]["annotations"]["volcano.sh/task-spec"] = ("a", "b")[place % 2]
        if rng.random() < 0.4:
            spec["minTaskMember"] = {"a": rng.choice((1, 2)), "b": rng.choice((0, 1, 2))}
    fades = {"hypernode.binpack.normal-pod.fading": rng.choice((1, 1, 0.5))}
    own = {"name": "network-topology-aware", "arguments": {"weight": rng.choice((1, 2)), **fades}}
    plugins: tuple[str | Object, ...] = ("priority", "gang", "predicates", own)
    plugins = (*plugins, *(("nodeorder", "binpack")[: number % 3]))
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


def unavailable(rng: random.Random, number: int) -> list[Object]:
    """Jobs on revocable nodes of which some pods have ended, with every limit on how many may be evicted at a time."""
    c = Cluster(rng)
    names = uneven(c, rng.randint(2, 4))
    c.add_queues(1)
    for node in c.nodes:
        zone = rng.choice(("", "night", "broken", "day"))
        node["metadata"]["labels"] |= {"volcano.sh/revocable-zone": zone} if zone else {}
    for index in range(rng.randint(4, 7)):
        old = index < 4
        pods = rng.randint(3, 5) if old else rng.randint(1, 3)
        key = rng.choice(
            ("volcano.sh/jdb-max-unavailable", "volcano.sh/jdb-max-unavailable", "volcano.sh/jdb-min-available")
        )
        taken = [rng.choice(names) for _ in range(pods)] if old else []
        c.add_job(
            pods,
            running=len(taken),
            minimum=1,
            annotations={PREEMPTABLE: "true"} if old else {PREEMPTABLE: "false"},
            group={PREEMPTABLE: "true", key: rng.choice(("1", "2", "50%", "40%", "half"))} if old else {},
            requests={"cpu": "2", "memory": "1Gi"},
            priority="low" if old else "high",
            pod=partial(at, taken),
        )
        for pod in c.jobs[-pods:] if old else ():
            if rng.random() < 0.25:
                pod["status"]["phase"] = rng.choice(("Succeeded", "Failed", "Pending"))
    c.others += priority_classes()
    zones = {"tdm.revocable-zone.day": "08:00-18:00", "tdm.revocable-zone.night": "20:00-23:00"}
    zones |= rng.choice(({}, {"tdm.revocable-zone.broken": "8-9"}))
    zones |= rng.choice(({}, {"tdm.evict.period": rng.choice(("0s", "0s", "1h"))}))
    actions = ("enqueue, allocate, shuffle", "enqueue, allocate, preempt", "shuffle, preempt, shuffle")[number % 3]
    own = {"name": "tdm", "arguments": zones}
    return [configuration(actions, ("priority", "gang", "predicates", own)), *c.objects()]


def deserving(rng: random.Random, number: int) -> list[Object]:
    """Jobs that wait to be admitted, in queues that deserve something and name a factor that no release reads."""
    c = Cluster(rng)
    uneven(c, rng.randint(1, 2), cpus=(8,))
    c.add_queues(2, deserved={"cpu": rng.choice(("1", "2")), "memory": "2Gi"})
    for queue in c.queues:
        queue["metadata"]["annotations"] = {"volcano.sh/overcommit-factor": rng.choice(("1.0", "1.5"))}
    for _ in range(rng.randint(3, 6)):
        pods = rng.randint(1, 3)
        c.add_job(pods, minimum=1, requests={"cpu": "1", "memory": "1Gi"})
        group = last_group(c)
        group["status"]["phase"] = "Pending"
        group["spec"]["minResources"] = {"cpu": str(rng.choice((1, 3, 4))), "memory": f"{pods}Gi"}
        if rng.random() < 0.2:
            del group["spec"]["minResources"]
    own = {"name": "overcommit", "arguments": {"overcommit-factor": rng.choice((1.0, 1.2))}}
    plugins: tuple[str | Object, ...] = ("priority", "gang", "predicates", "nodeorder", own)
    plugins = (*plugins, *(("capacity",) * (number % 2)))
    return [configuration("enqueue, allocate, backfill", plugins), *c.objects()]


FAMILIES: Final[dict[str, Callable[[random.Random, int], list[Object]]]] = {
    "usage-estimates": estimated,
    "usage-unmeasured": unmeasured,
    "rescheduling-qualities": qualities,
    "extender-failing": failing_answers,
    "sampling": sampled,
    "deviceshare-instances": instances,
    "deviceshare-networked": networks,
    "deviceshare-silent": silent,
    "cel-broken": broken_expressions,
    "claims-refused": refused_claims,
    "claims-made-ready": made_ready,
    "volumes-refused": refused_volumes,
    "volumes-bound": bound_volumes,
    "nodeorder-malformed": malformed_terms,
    "nodegroup-named": named_queues,
    "numa-aware-strange": strange_topologies,
    "numa-aware-tight": tight,
    "network-topology-aware-overlapping": overlapping,
    "network-topology-aware-soft": soft_topologies,
    "tdm-unavailable": unavailable,
    "overcommit-deserving": deserving,
}

if __name__ == "__main__":
    write(FAMILIES, *sys.argv[1:], numbers=NUMBERS, further=FURTHER)
