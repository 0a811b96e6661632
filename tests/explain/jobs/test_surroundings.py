"""Changes of what a job depends on: claims, the node groups of its queue, its sub-groups, and its rollout."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.build import CONF, gang, group, job_task, manifests, node, owned, pod, queue, stored_job, workload
from tests.explain.jobs.searching import find_remedies
from tests.report.writers import as_table
from vqs.explain.jobs.remedies import Remedy
from vqs.explain.jobs.report import cheapest, explain_job
from vqs.explain.simulate import SimulateOptions
from vqs.report.formats import View
from vqs.snapshot.reading.reader import read_manifests

GROUPS = CONF.replace("  - name: binpack\n", "  - name: binpack\n  - name: nodegroup\n")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def helpful(objects: list[Any], conf: str = CONF, job: str = "ns/job") -> dict[str, Remedy]:
    """Return the first fix of each kind."""
    found = find_remedies(manifests(objects, conf), SimulateOptions(), job)
    return {each.parameter: each for each in reversed(found.fixes)}


def in_group(name: str, of: str) -> Any:
    """Make a node of a group."""
    return node(name, cpu=4, labels={"volcano.sh/nodegroup-name": of})


def affinity(**lists: list[str]) -> dict[str, Any]:
    """Make the affinity of a queue."""
    return {
        "nodeGroupAffinity": {REQUIRED: lists.get("near", [])},
        "nodeGroupAntiAffinity": {REQUIRED: lists.get("far", [])},
    }


def test_the_node_groups_of_the_queue() -> None:
    """The queue gets one more node group; a queue that has it already is another way."""
    queues = [queue("a", affinity=affinity(near=["g3"])), queue("b", affinity=affinity(near=["g1"]))]
    found = helpful([in_group("n", "g1"), *queues, *gang("job", 1, cpu=2, queue="a")], GROUPS)
    [edit] = found["nodeGroupAffinity"].edits
    assert edit == f'queue/a.spec.affinity.nodeGroupAffinity.{REQUIRED}=["g3", "g1"]'
    assert found["queue"].edits == ["podgroup/ns/job.spec.queue=b"]


def test_a_node_group_that_the_queue_avoids() -> None:
    """A group that the queue must avoid is taken out of its anti-affinity as well."""
    objects = [in_group("n", "g1"), queue("a", affinity=affinity(far=["g1"])), *gang("job", 1, queue="a")]
    edits = helpful(objects, GROUPS)["nodeGroupAffinity"].edits
    assert edits[1] == f"queue/a.spec.affinity.nodeGroupAntiAffinity.{REQUIRED}=[]"


def test_nodes_that_are_not_ready() -> None:
    """A node like those that are not ready is ready itself."""
    taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    found = helpful([node("n", cpu=4, taints=[taint], unschedulable=True), *gang("job", 2, cpu=3)])
    assert found["nodes"].edits == ["clone-node n=2"]


@pytest.mark.parametrize(
    ("taints", "unschedulable", "what"),
    [
        ([{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}], False, "ready"),
        ([{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}], True, "uncordon"),
    ],
)
def test_a_node_with_two_faults(taints: list[Any], unschedulable: bool, what: str) -> None:
    """Without the first, nodes say another reason against the task, and a second change lifts that."""
    dedicated = {"key": "dedicated", "value": "x", "effect": "NoSchedule"}
    objects = [node("n", taints=[*taints, dedicated], unschedulable=unschedulable), *gang("job", 1)]
    found = find_remedies(manifests(objects), SimulateOptions(), "ns/job")
    assert {"tolerations", what} <= {each.parameter for each in found.ineffective}
    [fix] = found.fixes
    assert fix.changes
    assert [each.parameter for each in fix.changes] == [what, "tolerations"]
    assert fix.places_all


def refused_by_range(kind: str = "Container", **item: Any) -> list[Any]:
    """Make a stored job that asks for 4 cpu and 4Gi memory, a node for it, and a LimitRange that refuses its pods."""
    asking = job_task(replicas=1, cpu=4)
    asking["template"]["spec"]["containers"][0]["resources"]["requests"]["memory"] = "4Gi"
    metadata = {"name": "caps", "namespace": "ns", "uid": "caps"}
    spec = {"limits": [{"type": kind, **item}]}
    limit_range = {"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata, "spec": spec}
    [made, job] = stored_job("job", asking, minimum=1)
    return [node("n"), made, job, limit_range]


MOST = {"cpu": "2", "memory": "1Gi", "pods": "1"}


def test_a_limit_range_allows_all_that_is_asked_for() -> None:
    """It allows more of all resources that it refuses, in one fix, and a request above its default limit, too."""
    found = helpful(refused_by_range(max=MOST, default={"cpu": "1"}), job="ns/job-uid-job")["limits"]
    assert (found.from_value, found.to) == (
        "max 2 cpu, 1Gi memory; default 1 cpu",
        "max 4 cpu, 4Gi memory; default 4 cpu",
    )
    [command] = found.commands
    assert command.startswith("kubectl patch limitrange caps -n ns --type json -p ")
    assert [each["value"] for each in json.loads(command.partition(" -p ")[2].strip("'"))] == [
        {**MOST, "cpu": "4", "memory": "4Gi"},
        {"cpu": "4"},
    ]


def test_a_job_asks_for_what_a_limit_range_allows() -> None:
    """It asks for less of all resources at once, and has limits of its own where the default is below that."""
    found = helpful(refused_by_range(max=MOST, default={"cpu": "1"}), job="ns/job-uid-job")["requests and limits"]
    assert (found.from_value, found.to, found.recreate) == (
        "requests 4 cpu, requests 4Gi memory",
        "requests 2 cpu, limits 2 cpu, requests 1Gi memory, limits 1Gi memory",
        "Job ns/job",
    )


def test_a_limit_above_the_most_that_a_limit_range_allows() -> None:
    """The request and the limit are said each as they are written, before and after."""
    objects = refused_by_range(max={"cpu": "4"})
    asking = {"requests": {"cpu": "1"}, "limits": {"cpu": "8"}}
    objects[2]["spec"]["tasks"][0]["template"]["spec"]["containers"][0]["resources"] = asking
    found = helpful(objects, job="ns/job-uid-job")["requests and limits"]
    assert (found.from_value, found.to) == ("requests 1 cpu, limits 8 cpu", "requests 1 cpu, limits 4 cpu")
    assert '"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "4"}}' in found.edits[1]
    report = explain_job(manifests(objects), SimulateOptions(), "ns/job-uid-job", sessions=None)
    page = " ".join(as_table(report, View(all_fixes=True)).split())
    assert "delete and re-create Job ns/job, with requests 1 cpu, limits 4 cpu: this cannot" in page


def test_a_job_asks_for_the_least_that_a_limit_range_allows() -> None:
    """It asks for more where that has to be, and for no more of what is enough."""
    found = helpful(refused_by_range(min={"cpu": "6", "memory": "2Gi"}), job="ns/job-uid-job")
    assert (found["limits"].to, found["requests and limits"].to) == ("min 4 cpu", "requests 6 cpu")


def test_each_container_asks_for_what_a_limit_range_allows() -> None:
    """Init containers do as well; and what it says of whole pods is not asked of each of several containers."""
    objects = refused_by_range(max={"memory": "1Gi"})
    objects[3]["spec"]["limits"].append({"type": "Pod", "min": {"cpu": "2"}})
    spec = objects[2]["spec"]["tasks"][0]["template"]["spec"]
    [container] = spec["containers"]
    container["resources"] = {"requests": {"cpu": "1", "memory": "8Gi"}}
    spec["containers"] *= 2
    spec["initContainers"] = [container]
    found = helpful(objects, job="ns/job-uid-job")["requests and limits"]
    assert found.to == "requests 1Gi memory, limits 1Gi memory"
    assert found.edits[1].count('"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "1Gi"}') == 3


def test_the_only_container_of_a_pod_asks_for_what_the_pod_has_to() -> None:
    """What a LimitRange says of whole pods is asked of it."""
    found = helpful(refused_by_range("Pod", min={"cpu": "6"}), job="ns/job-uid-job")["requests and limits"]
    assert found.to == "requests 6 cpu"


def test_the_advice_is_about_what_refuses_the_pods() -> None:
    """Where nothing that is tried helps, it is the LimitRange that is to be changed, and not a quota."""
    objects = refused_by_range("Pod", max={"cpu": "2"})
    objects[2]["spec"]["tasks"][0]["template"]["spec"]["containers"] *= 2
    page = as_table(
        explain_job(manifests(objects), SimulateOptions(), "ns/job-uid-job", sessions=None), View(all_fixes=True)
    )
    assert "Change the LimitRange, or have the pods ask for what it allows." in page
    assert "spec.hard" not in page


def answered(objects: list[Any]) -> str:
    """Return the answer on the job."""
    return explain_job(manifests(objects), SimulateOptions(), "ns/job").answer


def claiming(name: str) -> list[Any]:
    """Make a job of one pod that uses a claim."""
    [made, member] = gang("job", 1)
    member["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
    return [made, member]


def storage_class(name: str, mode: str) -> Any:
    """Make a storage class."""
    api = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass"}
    return {**api, "metadata": {"name": name}, "provisioner": "x", "volumeBindingMode": mode}


def claim(name: str, of: str, uid: str = "") -> Any:
    """Make a claim without a volume."""
    spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": of, "resources": {"requests": {"storage": "1Gi"}}}
    metadata = {"name": name, "namespace": "ns", "uid": uid}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


CLASSES = [storage_class("slow", "Immediate"), storage_class("fast", "WaitForFirstConsumer")]


def test_a_claim_that_does_not_exist() -> None:
    """It is made, of a class whose volumes wait for their pods."""
    found = helpful([node("n"), *CLASSES, claim("other", "fast"), *claiming("data")])["claim"]
    assert found.edits[0].startswith(
        'add {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"'
    )
    assert found.commands[0].endswith("| kubectl create -f -")


def test_a_claim_of_a_class_that_makes_volumes_at_once() -> None:
    """Where no class waits for pods, the claim that is made is bound as well, which nobody writes."""
    slow = [each for each in CLASSES if each["metadata"]["name"] == "slow"]
    found = helpful([node("n"), *slow, claim("other", "slow"), *claiming("data")])["claim"]
    assert (found.to, found.edits[-1]) == ("of class slow", "persistentvolumeclaim/ns/data.status.phase=Bound")
    assert len(found.commands) == 1


@pytest.mark.parametrize("of", ["slow", "gone"])
def test_a_claim_without_a_volume(of: str) -> None:
    """It gets another class, and has to be created again for that where it is in a cluster."""
    found = helpful([node("n"), *CLASSES, claim("data", of, "u"), *claiming("data")])["storageClassName"]
    assert (found.from_value, found.to) == (of, "fast")
    assert found.recreate == "PersistentVolumeClaim ns/data"
    assert found.commands == []


def test_a_claim_that_is_not_bound() -> None:
    """Its provisioner is named; that the job starts once it is bound comes before a claim of another class."""
    objects = [node("n"), *CLASSES, claim("data", "slow", "u"), *claiming("data")]
    assert answered(objects).startswith(
        "ns/job is not placed: a task was refused before any node was checked: PersistentVolumeClaim ns/data is "
        "Pending, not bound to a volume: x, the provisioner of its StorageClass slow, has not made one yet."
    )
    found = helpful(objects)
    assert [*found][-2:] == ["storageClassName", "bound"]
    assert found["bound"].commands == []
    other = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {}}
    assert [each.partition(" {")[0] for each in helpful([*objects, other])["bound"].edits] == [
        "add",
        "persistentvolumeclaim/ns/data.spec.volumeName=pvc-of-data",
        "persistentvolumeclaim/ns/data.status.phase=Bound",
    ]


def stateful(uid: str, replicas: int = 2) -> list[Any]:
    """Make a StatefulSet of some pods with claims of a class that does not exist; those of a cluster have a uid."""
    made = workload("StatefulSet", "db", replicas)
    [data] = [claim("data", "gone")]
    made["spec"]["volumeClaimTemplates"] = [{"metadata": {"name": "data"}, "spec": data["spec"]}]
    made["spec"]["podManagementPolicy"] = "Parallel"
    made["metadata"] |= {"uid": uid, "annotations": {}}
    members, claims = [], []
    for number in range(replicas) if uid else ():
        name = f"db-{number}"
        member = owned(pod(name, "db"), "StatefulSet", "db")
        member["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": f"data-{name}"}}]
        members.append(member)
        claims.append(claim(f"data-{name}", "gone", "u"))
    return [node("n"), made, *members, *claims, *([group("db", 1)] if uid else [])]


@pytest.mark.parametrize("mode", ["Immediate", "WaitForFirstConsumer"])
def test_a_storage_class_that_does_not_exist(mode: str) -> None:
    """It is made like one that there is, and all claims of the job get their volumes."""
    found = helpful([*stateful("u"), storage_class("usual", mode)], job="ns/db")["new storage class"]
    assert (found.object, found.to, found.places_all) == ("storageclass/gone", "like usual", True)
    [command] = found.commands
    made = json.loads(command.partition("echo ")[2].partition(" |")[0].strip("'"))
    assert (made["metadata"], made["provisioner"], made["volumeBindingMode"]) == ({"name": "gone"}, "x", mode)


def test_all_claims_of_a_class_get_another_one() -> None:
    """The StatefulSet that would make them again of the old class is created again with them."""
    found = helpful([*stateful("u"), *CLASSES], job="ns/db")["storageClassName"]
    claims = [f"PersistentVolumeClaim ns/data-db-{number}" for number in range(2)]
    assert (found.recreate, found.places_all) == (", ".join(["StatefulSet ns/db", *claims]), True)
    assert found.edits == [
        *(f"persistentvolumeclaim/ns/data-db-{number}.spec.storageClassName=fast" for number in range(2)),
        "statefulset/ns/db.spec.volumeClaimTemplates[0].spec.storageClassName=fast",
    ]


def test_all_claims_to_create_again_are_named() -> None:
    """The fix has every one of them, and a page the first, unless it is to show everything."""
    objects = [*stateful("u", 5), *CLASSES]
    found = helpful(objects, job="ns/db")["storageClassName"]
    assert str(found.recreate).count("PersistentVolumeClaim ns/data-db-") == 5
    report = explain_job(manifests(objects), SimulateOptions(), "ns/db", sessions=None)
    page = " ".join(as_table(report, View(all_fixes=True)).split())
    first = "StatefulSet ns/db, PersistentVolumeClaim ns/data-db-0, PersistentVolumeClaim ns/data-db-1"
    assert f"delete and re-create {first} and 3 more, with" in page


def test_a_stateful_set_that_is_created_again_restarts_its_pods() -> None:
    """Those that run already stop with it."""
    objects = stateful("u")
    [first] = [each for each in objects if each["metadata"]["name"] == "db-0"]
    first["spec"]["nodeName"], first["status"]["phase"] = "n", "Running"
    assert helpful([*objects, *CLASSES], job="ns/db")["storageClassName"].restarted == 1
    assert helpful([*stateful("u"), *CLASSES], job="ns/db")["storageClassName"].restarted is msgspec.UNSET


def test_a_class_without_a_provisioner_is_no_example() -> None:
    """The API server would deny the command that makes another like it."""
    bare = storage_class("bare", "WaitForFirstConsumer")
    del bare["provisioner"]
    assert "new storage class" not in helpful([*stateful("u"), bare], job="ns/db")
    assert helpful([*stateful("u"), bare, CLASSES[0]], job="ns/db")["new storage class"].to == "like slow"


def test_claims_that_are_not_made_yet_get_another_class() -> None:
    """Of a StatefulSet that is yet to be applied, its template is changed, and no claim is created by itself."""
    found = helpful([*stateful(""), *CLASSES], job="ns/podgroup-statefulset-db")
    assert "claim" not in found
    assert found["storageClassName"].edits == [
        "statefulset/ns/db.spec.volumeClaimTemplates[0].spec.storageClassName=fast"
    ]


def test_names_that_are_meant() -> None:
    """A claim, or the class of one, that does not exist is probably one that is much like it."""
    objects = [node("n"), *CLASSES, claim("dataset", "slow"), *claiming("datset")]
    assert "PersistentVolumeClaim ns/datset does not exist (did you mean 'dataset'?)" in answered(objects)
    found = helpful(objects)["claimName"]
    assert (found.from_value, found.to) == ("datset", "dataset")
    assert found.edits[-1] == "persistentvolumeclaim/ns/dataset.status.phase=Bound"
    objects = [node("n"), *CLASSES, claim("dataset", "fsat"), *claiming("dataset")]
    assert "its StorageClass fsat does not exist (did you mean 'fast'?)" in answered(objects)
    found = helpful(objects)["storageClassName"]
    assert (found.to, found.edits) == ("fast", ["persistentvolumeclaim/ns/dataset.spec.storageClassName=fast"])


def limited(objects: list[Any]) -> list[Any]:
    """Put a job of one pod of 4 CPUs behind a queue that may hold 2."""
    objects[-1]["spec"]["containers"][0]["resources"]["requests"]["cpu"] = 4
    return [queue("default", capability={"cpu": 2}), *objects]


def unready(name: str) -> Any:
    """Make a node that does not answer."""
    made = node(name, taints=[{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}])
    made["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
    return made


STATES: dict[str, tuple[list[Any], str]] = {
    "ready": (
        [unready("a"), node("s", cpu=1), *gang("job", 1)],
        "see why a is not ready, or under pressure: kubectl describe node a",
    ),
    "bound": (
        [node("n"), CLASSES[0], claim("data", "slow"), *claiming("data")],
        "see why claim ns/data has no volume: kubectl describe pvc data -n ns",
    ),
}


@pytest.mark.parametrize("what", STATES)
def test_a_state_is_not_written_where_two_changes_help(what: str, tmp_path: Path) -> None:
    """It is to be looked into, beside a change of the queue or of the pod, which is all that is written."""
    objects, look = STATES[what]
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": limited(deepcopy(objects))}, indent=1))
    report = explain_job(read_manifests([str(path)]), SimulateOptions(), "ns/job", sessions=None)
    assert report.fix_search is not None
    raised, lowered = report.fix_search.fixes
    assert raised.changes
    assert {each.parameter for each in raised.changes} == {"capability", what}
    [command] = raised.commands
    assert command.startswith("kubectl patch queue default ")
    assert [each.kind for each in raised.patches] == ["Queue"]
    assert [each.partition(": ")[2] for each in raised.lines] == ['"cpu": 4']
    assert [each.commands for each in raised.changes if each.parameter == what] == [[]]
    assert lowered.commands == []
    assert [each.kind for each in lowered.patches] == ["Pod"]
    assert cheapest(report)[0].startswith("The least that places ns/job: queue/default.spec.capability.cpu=4, then ")
    text = " ".join(as_table(report, View()).split())
    assert f"Fix 1: {look}; run kubectl patch queue default " in text
    assert f"2 {look}; then delete and re-create Pod ns/job-worker-0, with requests cpu 2: " in text


def test_a_change_without_a_command_is_said() -> None:
    """Of two changes, that of an object in no cluster has no command, and comes before what is created again."""
    objects = limited([node("n"), *CLASSES, claim("data", "fasst"), *claiming("data")])
    report = explain_job(manifests(objects), SimulateOptions(), "ns/job", sessions=None)
    text = " ".join(as_table(report, View()).split())
    first = "2 change storageClassName of persistentvolumeclaim/ns/data: fasst to fast; "
    assert f"{first}then delete and re-create Pod ns/job-worker-0, with requests cpu 2: " in text


@pytest.mark.parametrize(
    ("objects", "created"),
    [
        ([*CLASSES, claim("dataset", "slow"), *claiming("datset")], "Pod ns/job-worker-0, with claimName dataset"),
        (
            [CLASSES[0], claim("dataset", "slwo", "u"), *claiming("dataset")],
            "PersistentVolumeClaim ns/dataset, with storageClassName slow",
        ),
    ],
)
def test_a_claim_that_has_to_be_bound_as_well(objects: list[Any], created: str) -> None:
    """It is said, and is no part of what is written."""
    report = explain_job(manifests([node("n"), *objects]), SimulateOptions(), "ns/job", sessions=None)
    text = " ".join(as_table(report, View()).split())
    said = "claim ns/dataset must be bound before a pod that uses it is scheduled: kubectl describe pvc dataset -n ns"
    assert f"Fix 1: delete and re-create {created}: this cannot be changed after creation; {said}" in text
    assert report.fixes[0].edits[-1] == "persistentvolumeclaim/ns/dataset.status.phase=Bound"
    assert "Bound" not in "".join(report.fixes[0].lines)


def test_another_number_is_not_what_is_meant() -> None:
    """A claim, a StorageClass or a queue whose name differs in a number only is another one."""
    objects = [node("n"), *CLASSES, claim("data-2", "slow"), *claiming("data-3")]
    assert "PersistentVolumeClaim ns/data-3 does not exist." in answered(objects)
    assert "claimName" not in helpful(objects)
    classes = [storage_class("disk-1", "Immediate"), storage_class("fast", "WaitForFirstConsumer")]
    objects = [node("n"), *classes, claim("data", "disk-2"), *claiming("data")]
    assert "its StorageClass disk-2 does not exist." in answered(objects)
    assert helpful(objects)["storageClassName"].to == "fast"
    objects = [node("n"), queue("team-2"), *gang("job", 1, queue="team-3")]
    assert "a queue that does not exist: team-3." in answered(objects)
    fixes = find_remedies(manifests(objects), SimulateOptions(), "ns/job").fixes
    assert [each.to for each in fixes if each.parameter == "queue"] == ["default", "team-2"]


@pytest.mark.parametrize(
    ("phase", "mode", "is_meant"),
    [
        ("Running", "ReadWriteOnce", False),
        ("Running", "ReadWriteMany", True),
        ("Succeeded", "ReadWriteOnce", True),
    ],
)
def test_a_claim_that_another_pod_uses(phase: str, mode: str, *, is_meant: bool) -> None:
    """It is not proposed while that pod has not ended, unless many nodes may use it at once."""
    user = pod("user", node="n", phase=phase, spec={"volumes": claiming("dataset")[1]["spec"]["volumes"]})
    made = claim("dataset", "fast")
    made["spec"]["accessModes"] = [mode]
    assert ("claimName" in helpful([node("n"), *CLASSES, made, user, *claiming("datset")])) == is_meant


def test_a_volume_that_nodes_cannot_use() -> None:
    """The claim and its volume are named, with the nodes that can."""
    bound = claim("data", "fast")
    bound["spec"]["volumeName"], bound["status"] = "v", {"phase": "Bound"}
    needs = [{"key": "zone", "operator": "In", "values": ["a", "b"]}, {"key": "ssd", "operator": "Exists"}]
    spec = {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": needs}]}}}
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": spec}
    said = answered([node("n"), *CLASSES, bound, volume, *claiming("data")])
    assert "it does not match the node affinity of a volume of the task" in said
    assert (
        "Claim data is bound to PersistentVolume v, which only nodes with zone=a or zone=b and ssd Exists can" in said
    )


def test_fewer_sub_groups() -> None:
    """The job starts with one sub-group, and with as many pods as that has."""
    keys = {"matchLabelKeys": ["group"], "labelSelector": {"matchLabels": {"app": "j"}}}
    policy = {"name": "p", "subGroupSize": 2, "minSubGroups": 2, **keys}
    [made, *members] = gang("job", 4, cpu=2, subGroupPolicy=[policy])
    for number, each in enumerate(members):
        each["metadata"]["labels"] = {"app": "j", "group": str(number // 2)}
    found = helpful([node("n", cpu=4), made, *members])["minSubGroups"]
    assert found.edits == ["podgroup/ns/job.spec.minMember=2", "podgroup/ns/job.spec.subGroupPolicy[0].minSubGroups=1"]
    assert found.outlook is not None
    assert found.outlook.pods_bound == 2


def test_a_rollout_that_makes_too_few_pods() -> None:
    """The Deployment makes as many new pods at a time as their gang needs; it is what the command changes."""
    new, old = "podgroup-u-web-new", "podgroup-u-web-old"
    objects = [node("n"), workload("Deployment", "web", 3)]
    objects += [
        owned(workload("ReplicaSet", f"web-{of}", number), "Deployment", "web")
        for of, number in (("new", 1), ("old", 3))
    ]
    objects += [owned(group(new, 3), "ReplicaSet", "web-new"), owned(pod("web-new-0", new), "ReplicaSet", "web-new")]
    objects += [owned(group(old, 3, "Running"), "ReplicaSet", "web-old")]
    objects += [owned(pod(f"web-old-{each}", old, node="n"), "ReplicaSet", "web-old") for each in range(3)]
    for each, day in (("new", 2), ("old", 1)):
        [made] = [one for one in objects if one["metadata"]["name"] == f"web-{each}"]
        made["metadata"]["creationTimestamp"] = f"2026-01-0{day}T00:00:00Z"
    found = helpful(objects, job=f"ns/{new}")["maxSurge"]
    assert (found.object, found.from_value, found.to) == ("deployment/ns/web", 1, 3)
    [command] = found.commands
    assert command.startswith("kubectl patch deployment web -n ns --type merge")
    assert '"strategy": {"rollingUpdate": {"maxSurge": 3}}' in command
    assert found.outlook is not None
    assert found.outlook.pods_bound == 3


def test_a_rollout_whose_old_pods_stay() -> None:
    """The job that waits is meant; its old pods do not end before it runs, but fewer of them may be kept."""
    objects: list[Any] = [*(node(f"n{each}", cpu=5) for each in range(3)), queue("default")]
    objects += [workload("Deployment", "web", 3), group("other", 1, "Running"), pod("other-0", "other", 1, node="n0")]
    for name, number, day in (("old", 3, 1), ("new", 1, 2)):
        made = owned(workload("ReplicaSet", f"web-{name}", number), "Deployment", "web")
        made["metadata"]["creationTimestamp"] = f"2026-01-0{day}T00:00:00Z"
        of = f"podgroup-u-web-{name}"
        objects += [made, owned(group(of, 1, "Running" if day == 1 else "Inqueue"), "ReplicaSet", f"web-{name}")]
        for each in range(number):
            one = pod(f"web-{name}-{each}", of, 3, **({"node": f"n{each}"} if day == 1 else {}))
            objects.append(owned(one, "ReplicaSet", f"web-{name}"))
    report = explain_job(manifests(objects), SimulateOptions(), "ns/web", sessions=None)
    assert report.answer.startswith("Of the 2 ReplicaSets of ns/web, only ns/web-new waits. ns/web-new is not placed: ")
    assert report.fix_search is not None
    tried = {each.parameter: each for each in (*report.fix_search.ineffective, *report.fix_search.fixes)}
    assert [tried["end"].object, tried["maxUnavailable"].object] == ["job/ns/other", "deployment/ns/web"]
    fewer = tried["maxUnavailable"]
    assert (fewer.helps, fewer.from_value, fewer.to) == (True, 0, 1)
    path = "spec.strategy.rollingUpdate.maxUnavailable"
    assert fewer.edits == [f"deployment/ns/web.{path}=1", "scale replicaset/ns/web-old=2"]
    [command] = fewer.commands
    assert '"strategy": {"rollingUpdate": {"maxUnavailable": 1}}' in command
    text = " ".join(as_table(report, View()).split())
    assert "run kubectl patch deployment web -n ns --type json" in text
    assert "that starts another rollout: a new ReplicaSet takes the place of ns/web-new" in text
    assert "change it in" not in text


def rolling_out(strategy: dict[str, Any], *sets: tuple[str, int, int]) -> list[Any]:
    """Make a rollout on a node that its pods fill: of each ReplicaSet, the oldest first, how many pods run and wait."""
    running = sum(number for _, number, _ in sets)
    made = workload("Deployment", "web", running)
    made["spec"]["strategy"] = {"type": "RollingUpdate", "rollingUpdate": strategy}
    objects = [node("n", cpu=running), queue("default"), made]
    for day, (name, number, waiting) in enumerate(sets, 1):
        pods = [pod(f"web-{name}-{each}", name, **({"node": "n"} if each < number else {})) for each in range(number)]
        pods += [pod(f"web-{name}-new-{each}", name) for each in range(waiting)]
        a_set = owned(workload("ReplicaSet", f"web-{name}", len(pods)), "Deployment", "web")
        a_set["metadata"]["creationTimestamp"] = f"2026-01-0{day}T00:00:00Z"
        objects += [a_set, owned(group(name, 1, "Inqueue" if waiting else "Running"), "ReplicaSet", f"web-{name}")]
        objects += [owned(each, "ReplicaSet", f"web-{name}") for each in pods]
    return objects


@pytest.mark.parametrize(
    ("strategy", "sets", "steps", "scaled"),
    [
        ({"maxUnavailable": 0}, [("old", 2, 0), ("new", 1, 1)], (0, 1, 0), ["scale replicaset/ns/web-old=1"]),
        (
            {"maxUnavailable": "40%"},  # of 4 pods, 1
            [("first", 1, 0), ("second", 2, 0), ("new", 1, 1)],
            (1, 2, 1),
            ["scale replicaset/ns/web-first=0", "scale replicaset/ns/web-second=1"],
        ),
    ],
)
def test_as_many_old_pods_end_as_the_rollout_takes(
    strategy: dict[str, Any], sets: list[tuple[str, int, int]], steps: tuple[int, int, int], scaled: list[str]
) -> None:
    """Those that are ready beyond what has to be, of new pods as well, and of the oldest ReplicaSet first."""
    fewer = helpful(rolling_out(strategy, *sets), job="ns/new")["maxUnavailable"]
    assert (fewer.from_value, fewer.to, fewer.failing_value) == steps
    assert fewer.edits[1:] == scaled


def test_nodes_of_one_kind() -> None:
    """Nodes that differ in their zones alone are one kind, unless the job looks at zones."""
    kind, zone = "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone"
    nodes = [node(name, cpu=4, labels={kind: "c4", zone: name}) for name in "ab"]
    found = helpful([*nodes, *gang("job", 3, cpu=4)])["nodes"]
    assert found.display_name == "of kind c4, any zone"
    made, *members = gang("job", 2, cpu=4)
    for each in members:
        each["spec"]["nodeSelector"] = {zone: "a"}
    bound = helpful([*nodes, made, *members])
    assert bound["nodes"].display_name == "of kind c4 in a"


@pytest.mark.parametrize("strategy", [{"type": "Recreate"}, {}], ids=["Recreate", "RollingUpdate"])
def test_a_deployment_with_fewer_pods_than_its_gang(strategy: dict[str, Any]) -> None:
    """Where no rollout is on its way, the Deployment is scaled, or less is made of the gang: of the PodGroup, too.

    Its controller writes the minimum of a PodGroup once.
    """
    made, its_set = workload("Deployment", "web", 2), owned(workload("ReplicaSet", "web-new", 2), "Deployment", "web")
    made["spec"]["strategy"] = strategy
    name = "podgroup-u-web-new"
    pods = [owned(pod(f"web-new-{each}", name), "ReplicaSet", "web-new") for each in range(2)]
    found = helpful([node("n"), made, its_set, owned(group(name, 3), "ReplicaSet", "web-new"), *pods], job=f"ns/{name}")
    assert "maxSurge" not in found
    assert found["replicas"].commands == ["kubectl scale deployment web -n ns --replicas 3"]
    of_workload, of_group = found["minMember"].commands
    assert of_workload.startswith("kubectl patch deployment web -n ns ")
    assert of_group == f"""kubectl patch podgroup {name} -n ns --type merge -p '{{"spec": {{"minMember": 2}}}}'"""


HIERARCHY = CONF.replace("  - name: proportion\n", "  - name: capacity\n    enableHierarchy: true\n")


@pytest.mark.parametrize(("parent", "parameter"), [("team", "new queue"), ("tem-a", "parent")])
def test_parents_that_do_not_exist(parent: str, parameter: str) -> None:
    """They are made, with what the queues below them deserve together; or the one that is meant is named."""
    queues = [queue("team-a", deserved={"cpu": 8}), *(queue(each, parent=parent, deserved={"cpu": 2}) for each in "ab")]
    if parameter == "new queue":
        queues = queues[1:]
    fixes = helpful([node("n", cpu=8), *queues, *gang("job", 2, queue="a")], HIERARCHY)
    found = fixes[parameter]
    assert found.outlook is not None
    assert found.outlook.pods_bound == 2
    if parameter == "new queue":
        assert '"deserved": {"cpu": 4}' in found.commands[0]
    else:
        assert found.edits == ["queue/a.spec.parent=team-a", "queue/b.spec.parent=team-a"]


def test_a_gang_larger_than_its_deployment() -> None:
    """A rollout makes no more new pods than the Deployment has replicas, whatever its maxSurge."""
    objects = [node("n"), workload("Deployment", "web", 2)]
    for of, number, day in (("new", 1, 2), ("old", 2, 1)):
        made = owned(workload("ReplicaSet", f"web-{of}", number), "Deployment", "web")
        made["metadata"]["creationTimestamp"] = f"2026-01-0{day}T00:00:00Z"
        name, phase = f"podgroup-u-web-{of}", "Inqueue" if of == "new" else "Running"
        objects += [made, owned(group(name, 3, phase), "ReplicaSet", f"web-{of}")]
        pods = [pod(f"web-{of}-{each}", name, **({"node": "n"} if of == "old" else {})) for each in range(number)]
        objects += [owned(each, "ReplicaSet", f"web-{of}") for each in pods]
    found = helpful(objects, job="ns/podgroup-u-web-new")
    assert "minMember" in found
    assert "maxSurge" not in found


def test_a_service_without_a_pod_group_that_is_written() -> None:
    """No edit finds its pods as a job, so that it is not scaled down; the other fixes are there."""
    made, its_set = workload("Deployment", "web", 4), owned(workload("ReplicaSet", "web-1", 4), "Deployment", "web")
    made["metadata"]["annotations"] = its_set["metadata"]["annotations"] = {}
    pods = [owned(pod(f"web-1-{each}", node="n", role=""), "ReplicaSet", "web-1") for each in range(4)]
    found = helpful([node("n", cpu=4), made, its_set, *pods, queue("default"), *gang("job", 2)])
    assert "nodes" in found


def test_a_rollout_takes_the_place_of_the_replica_set() -> None:
    """It is the ReplicaSet of the pods that another scheduler is asked for, and not the Deployment that is patched."""
    made = owned(workload("ReplicaSet", "web-1", 1), "Deployment", "web")
    asking = owned(pod("web-1-0", scheduler="mine"), "ReplicaSet", "web-1")
    objects = [node("n"), queue("default"), workload("Deployment", "web", 1), made, asking]
    report = explain_job(manifests(objects), SimulateOptions(), "ns/web", sessions=None)
    text = " ".join(as_table(report, View()).split())
    assert "schedulerName of deployment/ns/web" in text
    assert "a new ReplicaSet takes the place of ns/web-1, whose pods" in text
