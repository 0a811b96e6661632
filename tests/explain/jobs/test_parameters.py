"""Changes of queues, quotas, nodes and network topologies that lift what is in a job's way."""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

import pytest

from tests.build import CONF, gang, group, hyper_node, job_task, manifests, node, pod, queue, stored_job
from tests.explain.jobs.searching import find_remedies
from vqs.diff.findings import added_warnings
from vqs.explain.jobs.remedies import FixSearch, Remedy, remedies_of
from vqs.explain.jobs.report import explain_job
from vqs.explain.jobs.trials import Trials
from vqs.explain.outcome import Affected
from vqs.explain.simulate import SimulateOptions

GPU = "nvidia.com/gpu"
ZONE = "topology.kubernetes.io/zone"


def remedies(objects: list[Any], conf: str = CONF) -> FixSearch:
    """Return what was found for job ns/job."""
    return find_remedies(manifests(objects, conf), SimulateOptions(), "ns/job")


def the(objects: list[Any], knob: str, conf: str = CONF) -> Remedy:
    """Return the only fix of a kind."""
    [found] = [each for each in remedies(objects, conf).fixes if each.parameter == knob]
    return found


def test_a_queue_that_reclaim_may_not_take_from() -> None:
    """The queue that holds all is made reclaimable, and the pods that its jobs lose are counted."""
    conf = CONF.replace("allocate,", "allocate, reclaim,")
    runs = [group("runs", 1, "Running", queue="a"), *(pod(f"runs-{number}", "runs", node="n") for number in range(4))]
    objects = [node("n", cpu=4), queue("a", reclaimable=False), queue("b"), *runs, *gang("job", 1, queue="b")]
    found = the(objects, "reclaimable", conf)
    assert found.edits == ["queue/a.spec.reclaimable=true"]
    assert found.outlook is not None
    assert found.outlook.starts_in_session == 2
    assert found.affected == [Affected(job="ns/runs", pods_before=4, pods_after=3)]


def test_a_queue_that_owes_a_deserved_share() -> None:
    """A queue is let deserve what it is guaranteed, without which the webhook denies every change of it."""
    kept = {"resource": {"cpu": 6, "memory": "1Gi"}}
    objects = [node("n", cpu=8), queue("default"), queue("vip", guarantee=kept), *gang("job", 2, cpu=2)]
    found = the([*objects], "guarantee")
    assert (found.object, found.from_value, found.to) == ("queue/vip", 6, 4)
    assert found.edits == [
        "queue/vip.spec.deserved.cpu=4",
        "queue/vip.spec.deserved.memory=1Gi",
        "queue/vip.spec.guarantee.resource.cpu=4",
    ]


def test_a_share_that_is_owed_is_set_once() -> None:
    """What a change sets itself is not set before; a queue that deserves less than it is guaranteed owes the rest."""
    own = queue("default", guarantee={"resource": {"memory": "1Gi"}}, deserved={"memory": "1Mi"})
    search = remedies([node("n", cpu=8), own, queue("vip", guarantee={"resource": {"cpu": 6}}), *gang("job", 2, cpu=2)])
    tried = [each for each in (*search.fixes, *search.ineffective) if each.object == "queue/default"]
    assert [each for each in tried if each.parameter == "guarantee"]
    for each in tried:
        assert not each.refused
        fields = [edit.partition("=")[0] for edit in each.edits]
        assert len(fields) == len({*fields})


def test_cordoned_nodes() -> None:
    """As few nodes are uncordoned as it takes; the taint of a cordoned node goes, and other taints stay."""
    tainted = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    other = {"key": "team", "effect": "PreferNoSchedule"}
    nodes = [node(name, cpu=4, unschedulable=True, taints=[tainted, other]) for name in "lmn"]
    found = the([*nodes, *gang("job", 2, cpu=3)], "uncordon")
    assert (found.to, found.failing_value) == (2, 1)
    assert [edit.partition("=")[0] for edit in found.edits] == [
        "node/l.spec.unschedulable",
        "node/l.spec.taints",
        "node/m.spec.unschedulable",
        "node/m.spec.taints",
    ]
    assert "PreferNoSchedule" in found.edits[1]
    assert "unschedulable" not in found.edits[1]


def test_nodes_that_are_not_ready() -> None:
    """A node that was ready before is again: its conditions say so, and their taints go, which no command does."""
    unready = {"type": "Ready", "status": "Unknown", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    taint = {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}
    nodes = [node(name, cpu=4, taints=[taint]) for name in "lmn"]
    for each in nodes:
        each["status"]["conditions"] = [{"type": "MemoryPressure", "status": "Unknown"}, unready]
    objects = [*nodes, *gang("job", 2, cpu=3)]
    found = the(objects, "ready")
    assert (found.to, found.failing_value, found.commands, found.patches) == (2, 1, [], [])
    ready = [(f"node/{name}.spec.taints=[]", f'node/{name}.status.conditions[1].status="True"') for name in "lm"]
    assert found.edits == [*chain(*ready)]
    answer = explain_job(manifests(objects), SimulateOptions(), "ns/job").answer
    assert "all 3 are not ready (unreachable)" in answer
    small = node("k", cpu=1)
    several = explain_job(manifests([small, *objects]), SimulateOptions(), "ns/job").answer
    assert "3 (such as l, which is large enough) are not ready (unreachable)" in several
    alone = explain_job(manifests([small, nodes[0], *gang("job", 2, cpu=3)]), SimulateOptions(), "ns/job").answer
    assert "1 (l, which is large enough) is not ready (unreachable) since 2026-01-01T00:00:00Z" in alone


def test_nodes_that_do_not_offer_their_devices() -> None:
    """The devices of as few nodes as it takes are offered again, which no command does; cpu that is kept is none."""
    nodes = [node(name, cpu=8, gpu=number) for name, number in (("l", 0), ("m", 2), ("n", 4))]
    for each in nodes:
        each["status"]["capacity"] = {**each["status"]["allocatable"], GPU: 4, "cpu": 9}
    answer = explain_job(manifests([*nodes, *gang("job", 3, requests={GPU: 4})]), SimulateOptions(), "ns/job").answer
    assert "l and m have 6 more nvidia.com/gpu that they do not offer, as allocatable is less than capacity" in answer
    found = the([*nodes, *gang("job", 4, requests={GPU: 2})], "devices")
    assert (found.resource, found.to, found.commands, found.edits) == (
        GPU,
        1,
        [],
        [f'node/l.status.allocatable["{GPU}"]=4'],
    )


def test_a_quota_that_has_no_room() -> None:
    """The quota is raised to what all pods of the job ask for together with those that are there."""
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "small", "namespace": "ns"},
        "spec": {"hard": {"requests.cpu": "3"}},
        "status": {"hard": {"requests.cpu": "3"}, "used": {"requests.cpu": "2"}},
    }
    conf = CONF.replace("  - name: gang\n", "  - name: gang\n  - name: resourcequota\n")
    held = gang("job", 2, cpu=1, phase="Pending", minResources={"requests.cpu": 2})
    found = the([node("n", cpu=8), quota, *held], "hard", conf)
    assert (found.edits, found.failing_value) == (['resourcequota/ns/small.spec.hard["requests.cpu"]=4'], 3)


def test_pods_beyond_the_minimum() -> None:
    """The capability is raised until all pods of a job with its minimum have room, in all that is short."""
    own = queue("b", capability={"cpu": 2, GPU: 2})
    objects = [node("n", cpu=12, gpu=12), own, *gang("job", 4, 1, requests={"cpu": 1, GPU: 1}, queue="b")]
    found = the(objects, "capability")
    assert found.edits == ["queue/b.spec.capability.cpu=4", f'queue/b.spec.capability["{GPU}"]=4']
    assert found.outlook is not None
    assert (found.pods_before, found.outlook.pods_bound, found.pods_after) == (2, 4, 4)


def test_devices_are_whole() -> None:
    """Nobody asks for a part of a device, or for a thousandth of a core."""
    objects = [node("n", cpu="7089m", gpu=7), *gang("job", 1, requests={"cpu": 8, GPU: 8})]
    lowered = [each for each in remedies(objects).ineffective if each.parameter == "requests"]
    assert all(str(each.to).isdecimal() for each in lowered)
    found = the([node("n", cpu="7089m"), *gang("job", 1, cpu=8)], "requests")
    assert (found.to, found.failing_value) == (7, "7100m")


def test_the_tier_of_a_network_topology() -> None:
    """The highest tier that is allowed is raised until the HyperNodes of a tier have room; soft is tried, too."""
    leaves = [hyper_node(f"leaf-{name}", 1, nodes=[name]) for name in "mn"]
    top = hyper_node("top", 2, members=["leaf-m", "leaf-n"])
    conf = CONF.replace("  - name: gang\n", "  - name: gang\n  - name: network-topology-aware\n")
    job = gang("job", 2, cpu=3, networkTopology={"mode": "hard", "highestTierAllowed": 1})
    found = remedies([node("m", cpu=4), node("n", cpu=4), *leaves, top, *job], conf)
    fixes = [each.edits for each in found.fixes]
    assert ["podgroup/ns/job.spec.networkTopology.highestTierAllowed=2"] in fixes
    assert ["podgroup/ns/job.spec.networkTopology.mode=soft"] in fixes


def test_the_tier_of_a_job_that_is_not_submitted_yet() -> None:
    """The PodGroup that a controller makes is none that anybody writes, so lint has nothing to say of it."""
    leaves = [hyper_node(f"leaf-{name}", 1, nodes=[name]) for name in "mn"]
    top = hyper_node("top", 2, members=["leaf-m", "leaf-n"])
    conf = CONF.replace("  - name: gang\n", "  - name: gang\n  - name: network-topology-aware\n")
    topology = {"mode": "hard", "highestTierAllowed": 1}
    [_, job] = stored_job("job", job_task(cpu=3), minimum=2)
    del job["metadata"]["uid"], job["metadata"]["creationTimestamp"], job["status"]
    job["spec"]["networkTopology"] = topology
    given = manifests([node("m", cpu=4), node("n", cpu=4), *leaves, top, queue("default"), job], conf)
    trials = Trials(given, SimulateOptions(), "ns/job", ahead=True)
    trials.open()
    found = remedies_of(trials, math.inf, judge=added_warnings)
    assert found.warned == []
    assert found.fixes[0].edits == ["podgroup/ns/job.spec.networkTopology.highestTierAllowed=2"]


def test_who_loses_pods_comes_last() -> None:
    """A fix that takes pods from others is behind all that take none; then comes first who has to ask fewest."""
    found = remedies(
        [node("n", cpu=5), queue("b"), *gang("first", 4), *gang("job", 4, created=1), *gang("more", 1, created=2)]
    )
    lost = [each.lost for each in found.fixes]
    assert lost == sorted(lost)
    assert lost[0] == 0


def test_nodes_with_a_resource_that_none_has() -> None:
    """As many devices are added to a copy as its other resources are enough for, and more nodes are copies of that."""
    taken = node("n-copy-1", cpu=2, memory="8Gi")
    objects = [node("n", cpu=6, memory="64Gi"), taken, *gang("job", 5, requests={"cpu": 2, GPU: 2})]
    found = the(objects, "nodes")
    copy = "node/n-copy-2.status"
    assert found.edits == [
        "clone-node n=1",
        f'{copy}.allocatable["{GPU}"]="6"',
        f'{copy}.capacity["{GPU}"]="6"',
        "clone-node n-copy-2=1",
    ]
    assert (found.called, found.from_value, found.to) == (f"like n but with 6 {GPU}", 0, 2)
    assert (found.starts, found.places_all, found.commands, found.lines) == (True, True, [], [])


def test_nodes_that_are_large_enough() -> None:
    """Where no node is, one is added that lacks nothing of what a task requests; like those that the job may use."""
    taint = {"key": "mine", "effect": "NoSchedule"}
    nodes = [node("big", cpu=7, taints=[taint]), node("other", cpu=6), node("n", cpu=4, labels={"a": "b"})]
    group_of, member = gang("job", 1, cpu=8)
    member["spec"]["nodeSelector"] = {"a": "b"}
    found = the([*nodes, group_of, member], "nodes")
    assert found.edits[:2] == ["clone-node n=1", 'node/n-copy-1.status.allocatable.cpu="8"']
    member["spec"] |= {"nodeSelector": {}, "tolerations": [{"operator": "Exists"}]}
    assert the([*nodes, group_of, member], "nodes").edits[0] == "clone-node big=1"


def test_nodes_that_are_large_enough_beside_daemons() -> None:
    """A node is as large as it has to be for a task and its daemons; where one is large enough, none is larger."""
    proxies = [pod(f"proxy-{name}", node=name, cpu="100m", owner="DaemonSet/proxy") for name in ("n", "m")]
    nodes = [node("n", cpu=4), node("m", cpu=4)]
    found = the([*nodes, *proxies, *gang("job", 2, cpu=4)], "nodes")
    assert found.edits == [
        "clone-node m=1",
        'node/m-copy-1.status.allocatable.cpu="5"',
        'node/m-copy-1.status.capacity.cpu="5"',
        "clone-node m-copy-1=1",
    ]
    assert (found.called, found.to, found.daemons) == ("like m but with 5 cpu", 2, "1 DaemonSet pod")
    runs = [group("runs", 2, "Running"), *(pod(f"runs-{name}", "runs", node=name, cpu="3") for name in ("n", "m"))]
    found = the([*nodes, *proxies, *runs, *gang("job", 1, cpu="3900m")], "nodes")
    assert found.edits == ["clone-node m=1"]


def test_nodes_with_room_for_pods_beside_daemons() -> None:
    """What daemons take of the number of pods is counted in, too; static pods are among them."""
    daemons = [pod("proxy", node="n", owner="DaemonSet/proxy"), pod("etcd-n", node="n", owner="Node/n")]
    found = the([node("n", cpu=16, pods=2), *daemons, *gang("job", 1)], "nodes")
    assert (found.called, found.to) == ("like n but with room for 3 pods", 1)
    assert found.daemons == "1 DaemonSet pod and 1 static pod"


def test_a_thousand_cores() -> None:
    """Counts are written in full, as people write them, unless the amount that stands there is not; bytes are not."""
    objects = [node("n", cpu=2000), queue("a", capability={"cpu": "500"}), *gang("job", 1, cpu=1000, queue="a")]
    assert the(objects, "capability").edits == ["queue/a.spec.capability.cpu=1000"]
    objects[1] = queue("a", capability={"cpu": "0.5k"})
    assert the(objects, "capability").edits == ["queue/a.spec.capability.cpu=1k"]


def test_nodes_of_a_kind_are_told_apart() -> None:
    """The zone says which they are, else a label, else one of them."""

    def named(*labels: dict[str, str]) -> list[str]:
        kind = {"node.kubernetes.io/instance-type": "m6i"}
        nodes = [node(f"n{number}", cpu=2, labels={**kind, **each}) for number, each in enumerate(labels)]
        affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": ZONE}]}}
        asks = [group("job", 1), pod("job-0", "job", 2, spec={"affinity": affinity if ZONE in labels[0] else {}})]
        busy = [
            group("busy", phase="Running"),
            *(pod(f"b{each}", "busy", node=f"n{each}") for each in range(len(nodes))),
        ]
        found = find_remedies(manifests([*nodes, *busy, *asks]), SimulateOptions(), "ns/job")
        every = (*found.fixes, *found.ineffective)
        return sorted(str(each.display_name) for each in every if each.parameter == "nodes")

    assert named({"disk": "ssd"}) == ["of kind m6i"]
    assert named({"disk": "ssd"}, {"disk": "hdd"}) == ["of kind m6i with disk=hdd", "of kind m6i with disk=ssd"]
    assert named({"disk": "ssd"}, {}) == ["of kind m6i with disk=ssd", "of kind m6i without disk"]
    assert named({ZONE: "a", "x": "1"}, {ZONE: "b", "x": "2"}) == ["of kind m6i in a", "of kind m6i in b"]
    two = [{"a": first, "b": second} for first in "01" for second in "01"]
    assert named(*two) == [f"of kind m6i like n{number}" for number in range(4)]


@pytest.mark.parametrize(
    ("version", "kind", "found"), [("ray.io/v1", "RayCluster", False), ("kubeflow.org/v1", "TFJob", True)]
)
def test_a_minimum_that_an_operator_works_out(version: str, kind: str, *, found: bool) -> None:
    """It is lowered only where the object that the PodGroup is made of has a field of it."""
    made, *pods = gang("job", 3, cpu=2, minResources={"cpu": 6, "memory": "4Gi"})
    owner = {"apiVersion": version, "kind": kind, "name": "train", "uid": "u", "controller": True}
    made["metadata"]["ownerReferences"] = [owner]
    fixes = [each for each in remedies([node("n", cpu=4), made, *pods]).fixes if each.parameter == "minMember"]
    assert [each.owner for each in fixes] == ([f"{kind} ns/train"] if found else [])
    assert all('"memory": "3Gi"' in each.edits[1] for each in fixes)
