"""What is proposed for a job gets past the webhooks, is written where its owner writes it, and makes sense there."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.build import CONF, gang, group, job_task, manifests, node, owned, pod, queue, stored_job, workload
from tests.explain.jobs.searching import find_remedies
from tests.kubectl_dumps import group_of, item, volcano_job
from tests.report.writers import as_table
from vqs.explain.jobs.remedies import FixSearch, Remedy
from vqs.explain.jobs.report import explain_job
from vqs.explain.simulate import SimulateOptions
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.report.formats import View
from vqs.snapshot.controllers.complete import complete

CAPACITY = CONF.replace("proportion", "capacity")
HIERARCHY = CAPACITY.replace("name: capacity", "name: capacity\n    enableHierarchy: true")


def remedies(objects: list[Any], job: str = "ns/job", conf: str = CONF) -> FixSearch:
    """Find out what helps a job."""
    return find_remedies(manifests(objects, conf), SimulateOptions(), job)


def the(found: FixSearch, knob: str) -> Remedy:
    """Return what was found of a knob."""
    return next(each for each in (*found.fixes, *found.ineffective) if each.parameter == knob)


def knobs(found: FixSearch) -> set[str]:
    """Return what was tried."""
    return {each.parameter for each in (*found.fixes, *found.ineffective)}


def overused(**spec: Any) -> list[Any]:
    """Make a cluster of 12 cores with two queues, in which queue b deserves too little for its job."""
    return [
        node("n", cpu=12, memory="100Gi"),
        queue("a", weight=9),
        queue("b", **spec),
        gang("other", 12, 1, queue="a"),
        gang("job", 4, queue="b", created=1),
    ]


# --- queues -----------------------------------------------------------------------------------------------------------


def test_guarantee_goes_with_deserved() -> None:
    """What is kept for a queue it has to deserve; that is set first, and as high."""
    guarantee = the(remedies(overused()), "guarantee")
    assert guarantee.helps
    assert guarantee.edits == ["queue/b.spec.deserved.cpu=4", "queue/b.spec.guarantee.resource.cpu=4"]


def test_guarantee_up_to_capability() -> None:
    """A guarantee is tried up to what the queue may have, and not at all where it may have no more."""
    assert the(remedies(overused(capability={"cpu": 3})), "guarantee").to == 3
    bounded = overused(capability={"cpu": 3}, deserved={"cpu": 3}, guarantee={"resource": {"cpu": 3}})
    assert "guarantee" not in knobs(remedies(bounded))


def test_guarantee_up_to_what_others_leave() -> None:
    """All queues together are guaranteed no more than the cluster has, whatever the job asks for."""
    objects = overused()
    objects[-1] = gang("job", 40, queue="b", created=1)
    objects[1]["spec"] |= {"deserved": {"cpu": 5}, "guarantee": {"resource": {"cpu": 5}}}
    assert the(remedies(objects), "guarantee").to == 7


def test_guarantee_of_another_queue_is_lowered() -> None:
    """A guarantee of an idle queue is lowered by as little as the job of another queue needs."""
    objects = [
        node("n", cpu=12, memory="100Gi"),
        queue("a", deserved={"cpu": 8}, guarantee={"resource": {"cpu": 8}}),
        queue("b"),
        gang("job", 6, queue="b"),
    ]
    fixes = [each for each in remedies(objects).fixes if each.parameter == "guarantee"]
    assert [each.edits for each in fixes] == [["queue/a.spec.guarantee.resource.cpu=6"]]


def test_guarantee_of_a_parent_is_lowered_to_those_of_its_children() -> None:
    """What a parent is guaranteed beyond its children is lowered alone, and the guarantee of a child with its own."""
    objects = [
        node("n", cpu=12, memory="100Gi"),
        queue("a", deserved={"cpu": 8}, guarantee={"resource": {"cpu": 8}}),
        queue("a1", parent="a", deserved={"cpu": 1}, guarantee={"resource": {"cpu": 1}}),
        queue("b"),
        gang("job", 6, queue="b"),
    ]
    found = remedies(objects, conf=CAPACITY)
    assert ["queue/a.spec.guarantee.resource.cpu=5"] in [each.edits for each in found.fixes]
    of_child = ["queue/a1.spec.guarantee.resource.cpu=0", "queue/a.spec.guarantee.resource.cpu=7"]
    assert of_child in [each.edits for each in found.ineffective]


def test_guarantee_with_those_above() -> None:
    """In a hierarchy, what the children of a queue are promised together is raised for the queue first."""
    objects = [
        node("n", cpu=12, memory="100Gi"),
        queue("team", deserved={"cpu": 4}, guarantee={"resource": {"cpu": 2}}),
        queue("sibling", parent="team", deserved={"cpu": 3}, guarantee={"resource": {"cpu": 2}}),
        queue("b", parent="team", deserved={"cpu": 1}, capability={"memory": "90Gi"}),
        queue("other", deserved={"cpu": 8}, guarantee={"resource": {"cpu": 8}}),
        gang("job", 14, queue="b"),
        gang("served", 1, queue="other"),
    ]
    guarantee = the(remedies(objects, conf=HIERARCHY), "guarantee")
    assert guarantee.edits == [
        "queue/team.spec.deserved.cpu=5",
        "queue/b.spec.deserved.cpu=2",
        "queue/team.spec.guarantee.resource.cpu=4",
        "queue/b.spec.guarantee.resource.cpu=2",
    ]


def test_deserved_with_those_above() -> None:
    """What a queue deserves is tried up to its capability, and those above it deserve as much."""
    objects = [
        node("n", cpu=12, memory="100Gi"),
        queue("team", capability={"cpu": 10}),
        queue("b", parent="team", capability={"cpu": 4}, deserved={"cpu": 1}),
        gang("job", 6, queue="b"),
    ]
    deserved = the(remedies(objects, conf=HIERARCHY), "deserved")
    assert not deserved.helps
    assert deserved.edits == ["queue/team.spec.deserved.cpu=4", "queue/b.spec.deserved.cpu=4"]


def short_of(memory: str) -> list[Any]:
    """Make a job of 4 cores and 4Gi in a queue that may have 2 cores, and as much memory as is said."""
    own = queue("b", capability={"cpu": 2, "memory": memory}, deserved={"cpu": 2, "memory": "1Gi"})
    return [node("n", cpu=12, memory="100Gi"), own, gang("job", 4, queue="b")]


def test_capability_of_all_that_is_short() -> None:
    """What a queue may have is raised in all that the job lacks, and only in that."""
    both = remedies(short_of("2Gi"), conf=CAPACITY)
    assert the(both, "capability").helps
    assert the(both, "capability").edits == ["queue/b.spec.capability.cpu=4", "queue/b.spec.capability.memory=4Gi"]
    assert [each.parameter for each in (*both.fixes, *both.ineffective)].count("capability") == 1
    assert the(remedies(short_of("4Gi"), conf=CAPACITY), "capability").edits == ["queue/b.spec.capability.cpu=4"]


@pytest.mark.parametrize("capability", [{"cpu": 2, "memory": "8Gi"}, {"memory": "8Gi"}])
def test_root_is_protected(capability: dict[str, Any]) -> None:
    """What the root may have is fixed by the webhook's default: it is told what that keeps, and not proposed.

    No queue may have any of what its capability does not name. Before 1.14, the webhook lets it be changed.
    """
    objects: list[Any] = [
        node("n"),
        queue("root", capability=capability),
        queue("b", parent="root"),
        gang("job", 3, queue="b"),
    ]
    given = manifests(objects, HIERARCHY)
    found = find_remedies(given, SimulateOptions(), "ns/job")
    assert "queue/root" not in {each.object for each in found.fixes}
    assert [each.edits for each in found.warned] == [["queue/root.spec.capability.cpu=3"]]
    assert "root-queue-changed" in found.warned[0].warnings[0]
    assert "--enable-root-queue-protection=false" in found.warned[0].warnings[0]
    given.release = ReleaseChoice(Build(Release.V1_13))
    before = find_remedies(given, SimulateOptions(), "ns/job")
    assert [
        [text for each in fixes for text in each.edits if "root" in text] for fixes in (before.fixes, before.warned)
    ] == [["queue/root.spec.capability.cpu=3"], []]


# --- the configuration ------------------------------------------------------------------------------------------------


def test_allocate_is_added() -> None:
    """Where nothing places tasks, the action that does is all that is tried; it comes before reclaim."""
    objects = [node("n", cpu=4, memory="100Gi"), queue("b", capability={"cpu": 4}), gang("job", 4, queue="b")]
    found = remedies(objects, conf=CONF.replace("enqueue, allocate, backfill", "enqueue, backfill"))
    assert knobs(found) == {"actions"}
    assert [(each.to, each.progress) for each in found.fixes] == [("enqueue, allocate, backfill", "placed")]
    found = remedies(objects, conf=CONF.replace("enqueue, allocate, backfill", "reclaim"))
    assert [each.to for each in found.fixes if each.parameter == "actions"] == ["allocate, reclaim"]


# --- owners -----------------------------------------------------------------------------------------------------------


def test_job_that_is_stored() -> None:
    """Of a Volcano Job that has its PodGroup, the Job is changed, as its controller writes the PodGroup anew."""
    objects = [node("n", cpu=5, memory="100Gi"), *stored_job("train", job_task(replicas=6), minimum=6)]
    found = remedies(objects, "ns/train-uid-train")
    least = the(found, "minAvailable")
    assert (least.helps, least.edits) == (True, [f"job/ns/train.spec.minAvailable={least.to}"])
    assert least.owner is msgspec.UNSET
    assert "minMember" not in knobs(found)


def test_owner_that_is_not_there() -> None:
    """Where the Job is not in the snapshot, it is said in which object the change has to be written."""
    owned = gang("job", 6)
    owner = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "train", "uid": "u", "controller": True}
    owned[0]["metadata"]["ownerReferences"] = [owner]
    least = the(remedies([node("n", cpu=5, memory="100Gi"), owned]), "minMember")
    assert (least.edits, least.owner) == (["podgroup/ns/job.spec.minMember=5"], "Job ns/train")
    assert msgspec.json.decode(msgspec.json.encode(least))["owner"] == "Job ns/train"


LABELS = {"disk": "ssd"}
TAINT = {"key": "team", "value": "ml", "effect": "NoSchedule"}


def dump_of(api: str, **spec: Any) -> tuple[list[Any], str]:
    """Make a stored Job with pods that wait, as in a dump; return its objects and the job's PodGroup."""
    if api == "batch.volcano.sh/v1alpha1":
        job, made, *pods = volcano_job("train", namespace="ml", cpu=6, queue="a")
        job["spec"]["tasks"][0]["template"]["spec"] |= spec
    else:
        job = item((api, "Job"), "train", namespace="ml", spec={"template": {"spec": spec}}, status={})
        made, *pods = group_of(job, "podgroup-1", cpu=6)
        made["spec"]["queue"] = "a"
    for each in pods:
        each["spec"] |= spec
    return [job, made, *pods], f"ml/{made['metadata']['name']}"


@pytest.mark.parametrize("api", ["batch.volcano.sh/v1alpha1", "batch/v1"])
@pytest.mark.parametrize(
    ("knob", "spec", "nodes"),
    [
        ("tolerations", {}, [node("n", cpu=8, memory="100Gi", taints=[TAINT])]),
        ("nodeSelector", {"nodeSelector": LABELS}, [node("n", cpu=8, memory="100Gi")]),
        ("requests", {}, [node(name, cpu=4, memory="100Gi") for name in "mn"]),
    ],
)
def test_pod_templates_of_stored_jobs(api: str, knob: str, spec: dict[str, Any], nodes: list[Any]) -> None:
    """What is proposed for the pods of a stored Job says that the Job is created again; all else is admitted."""
    objects, name = dump_of(api, **spec)
    read = manifests([*nodes, queue("a"), queue("b"), *objects])
    found = find_remedies(read, SimulateOptions(), name)
    assert knob in {each.parameter for each in found.fixes}
    for each in found.fixes:
        # Of a pod that exists, tolerations can be added.
        edits_pods = any(edit.startswith("pod/") and each.parameter != "tolerations" for edit in each.edits)
        assert each.recreate == ("Job ml/train" if edits_pods else msgspec.UNSET), each


def test_pods_without_a_controller() -> None:
    """A pod that is stored is created again itself; one that is yet to be submitted can just be changed."""
    objects = [*(node(name, cpu=4, memory="100Gi") for name in "mn"), group("job"), pod("job-0", "job", 6)]
    assert the(remedies(objects), "requests").recreate == "Pod ns/job-0"
    del objects[-1]["metadata"]["uid"]
    assert the(remedies(objects), "requests").recreate is msgspec.UNSET


def test_toleration_of_a_pod_without_a_controller() -> None:
    """The API server admits more tolerations on a pod that is stored."""
    objects = [node("n", cpu=8, memory="100Gi", taints=[TAINT]), group("job"), pod("job-0", "job", 6)]
    found = the(remedies(objects), "tolerations")
    assert (found.helps, found.recreate) == (True, msgspec.UNSET)


def test_queue_of_a_stored_job() -> None:
    """The PodGroup of a stored Volcano Job is moved, as the queue of the Job cannot be changed."""
    objects, name = dump_of("batch.volcano.sh/v1alpha1")
    closed = queue("a", state="Closed")
    moved = the(remedies([node("n", cpu=8, memory="100Gi"), closed, queue("b"), *objects], name), "queue")
    assert (moved.helps, moved.edits) == (True, [f"podgroup/{name}.spec.queue=b"])
    assert (moved.owner, moved.recreate) == (msgspec.UNSET, msgspec.UNSET)


def test_two_changes_of_which_one_creates_the_job_again() -> None:
    """A queue is patched first; the PodGroup is gone with the Job, so that its queue is written in the new Job."""
    objects, name = dump_of("batch.volcano.sh/v1alpha1", nodeSelector=LABELS)
    nodes = [node("n", cpu=8, memory="100Gi"), *(node(each, cpu=2, labels=LABELS) for each in "abcd")]
    queues = [queue("a", capability={"cpu": 2}), queue("b")]
    found = explain_job(manifests([*nodes, *queues, *objects]), SimulateOptions(), name, sessions=None)
    text = " ".join(as_table(found, View()).split())
    pairs = {fix.edits[0].partition(".")[0].partition("/")[0]: fix for fix in found.fixes if fix.recreate}
    assert pairs["podgroup"].commands == []
    [of_new_job] = pairs["podgroup"].patches
    assert [each["path"] for each in msgspec.to_builtins(of_new_job.patch)] == [
        "/spec/queue",
        "/spec/tasks/0/template/spec/nodeSelector",
    ]
    assert "re-create Job ml/train, with queue b and without nodeSelector: not all of this can" in text
    [command] = pairs["queue"].commands
    assert [each.name for each in pairs["queue"].patches] == ["a", "train"]
    again = "then delete and re-create Job ml/train, without nodeSelector: this cannot"
    assert f"run {command}; {again}" in text
    assert "capability cpu of queue/a: 2 to 6, and nodeSelector of job/ml/train: disk=ssd to none" in text


def deployment(replicas: int, minimum: int) -> dict[str, Any]:
    """Make a Deployment that nobody has submitted yet."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "web",
            "namespace": "ns",
            "annotations": {"scheduling.volcano.sh/group-min-member": str(minimum)},
        },
        "spec": {
            "replicas": replicas,
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "schedulerName": "volcano",
                    "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": 1}}}],
                },
            },
        },
    }


def web(objects: list[Any]) -> str:
    """Return what the job of the Deployment is called."""
    read = manifests(objects)
    return next(key for key, maker in complete(read).created_from["pod_groups"].items() if maker == "Deployment ns/web")


def test_minimum_of_a_deployment() -> None:
    """The minimum of a workload is an annotation of it."""
    objects = [node("n", cpu=3, memory="100Gi"), deployment(5, 5)]
    least = the(remedies(objects, web(objects)), "minMember")
    assert least.object == "deployment/ns/web"
    assert least.edits == [
        'deployment/ns/web.metadata.annotations["scheduling.volcano.sh/group-min-member"]="3"',
    ]
    assert (least.helps, least.to) == (True, 3)


def test_priority_of_a_deployment() -> None:
    """The priority of a workload is that of its template, whatever its PodGroup is called then."""
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    objects = [node("n", cpu=3, memory="100Gi"), high, gang("first", 3), deployment(3, 3)]
    priority = the(remedies(objects, web(objects)), "priority")
    assert priority.edits == ["deployment/ns/web.spec.template.spec.priorityClassName=high"]
    assert priority.progress == "placed"


def test_minimum_with_what_it_asks_for() -> None:
    """A PodGroup asks for less with a lower minimum, in amounts that a person would write."""
    asked = {"cpu": "3", "memory": "10Gi", "nvidia.com/gpu": 3}
    objects = [node("n", cpu=2, memory="100Gi"), gang("job", 3, minResources=asked)]
    least = the(remedies(objects), "minMember")
    assert least.edits == [
        "podgroup/ns/job.spec.minMember=2",
        'podgroup/ns/job.spec.minResources={"cpu": "2", "memory": "7Gi", "nvidia.com/gpu": "2"}',
    ]


def test_priorities_that_are_kept() -> None:
    """No class is made with a priority that the API server keeps to the system's own classes."""
    system = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "system-node-critical"},
        "value": 2_000_001_000,
    }
    objects = [
        node("n", cpu=4, memory="100Gi"),
        system,
        gang("first", 4, priorityClassName="system-node-critical"),
        gang("job", 4, created=1),
    ]
    assert "priority" not in knobs(remedies(objects))


# --- waiting ----------------------------------------------------------------------------------------------------------


def starting(job: int) -> list[Any]:
    """Make a gang that starts, which counts twice for one session, and a job that waits at the gate."""
    return [
        node("n", cpu=10, memory="100Gi"),
        group("starts", 6, minResources={"cpu": 6}),
        *(pod(f"starts-worker-{number}", "starts", node="n") for number in range(6)),
        gang("job", 4, cpu=job, phase="Pending", minResources={"cpu": 4}, created=1),
    ]


def test_waiting_is_enough() -> None:
    """Where the next session lets a job in and places it, nothing is proposed, and that is said."""
    report = explain_job(manifests(starting(1)), SimulateOptions(), "ns/job", sessions=80)
    assert report.fix_search is not None
    assert (report.fix_search.fixes, report.fix_search.ineffective) == ([], [])
    assert report.answer.startswith("ns/job starts in session 2")


def test_waiting_is_not_enough() -> None:
    """Where the next session lets a job in that has no place, what is proposed is what helps after that."""
    found = remedies(starting(2))
    assert (found.next_session, found.progress) == ("admitted", "pending")
    tried = {("end", "ended"), ("minMember", 2), ("nodes", 2), ("requests", 1)}
    assert {(each.parameter, each.to) for each in found.fixes} == tried


def test_waiting_for_room_is_simulated_to_its_end() -> None:
    """Where the next session evicts for a job, the one after that shows whether the job is bound then."""
    objects: list[Any] = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9},
        node("n", cpu=10, memory="100Gi"),
        group("starts", 6, minResources={"cpu": 6}),
        *(pod(f"starts-worker-{number}", "starts", node="n") for number in range(6)),
        group("low"),
        *(pod(f"low-worker-{number}", "low", node="n") for number in range(4)),
        gang("job", 2, phase="Pending", minResources={"cpu": 2}, created=1, priorityClassName="high"),
    ]
    conf = CONF.replace("enqueue, allocate", "enqueue, allocate, preempt")
    report = explain_job(manifests(objects, conf), SimulateOptions(), "ns/job", sessions=80)
    assert report.fix_search is not None
    assert report.fix_search.sessions == 0
    assert "starts in session 3" in report.answer


@pytest.mark.parametrize("minimum", [5, 20])
def test_waiting_changes_nothing(minimum: int) -> None:
    """Where the next session says the same, nothing is said of it."""
    objects = [node("n", cpu=4, memory="100Gi"), gang("job", minimum, phase="Pending", minResources={"cpu": minimum})]
    assert remedies(objects).next_session is msgspec.UNSET


@pytest.mark.parametrize(
    ("knob", "spec", "nodes", "operation"),
    [
        (
            "tolerations",
            {"tolerations": [{"key": "own", "operator": "Exists"}]},
            [node("n", cpu=8, memory="100Gi", taints=[TAINT])],
            {"op": "add", "path": "/spec/tolerations/-", "value": {"operator": "Equal", **TAINT}},
        ),
        (
            "schedulingGates",
            {"schedulingGates": [{"name": "wait"}]},
            [node("n", cpu=8, memory="100Gi")],
            {"op": "remove", "path": "/spec/schedulingGates"},
        ),
    ],
)
def test_what_may_be_changed_in_pods_of_a_stored_job(
    knob: str, spec: dict[str, Any], nodes: list[Any], operation: dict[str, Any]
) -> None:
    """A toleration is added to each pod, and gates are removed, by commands; the template stays as it is."""
    objects, name = dump_of("batch.volcano.sh/v1alpha1", **spec)
    found = the(remedies([*nodes, queue("a"), *objects], name), knob)
    assert (found.helps, found.recreate) == (True, msgspec.UNSET)
    waiting = [each for each in objects if each["kind"] == "Pod"]
    assert [each.patch for each in found.patches] == [[operation]] * len(waiting)
    assert all(each.startswith("kubectl patch pod train-") for each in found.commands)


def test_gates_are_removed_from_the_pods_of_a_stateful_set() -> None:
    """They are in the way of the pods that there are, and these do not follow a change of the template."""
    made = workload("StatefulSet", "db", 2)
    made["metadata"]["annotations"] = {}
    gates = {"schedulingGates": [{"name": "wait"}]}
    made["spec"]["template"]["spec"] |= gates
    waiting = [owned(pod(f"db-{number}", "db", spec=gates), "StatefulSet", "db") for number in range(2)]
    for each in waiting:
        each["metadata"]["uid"] = each["metadata"]["name"]
    objects = [node("n"), queue("default"), made, owned(group("db"), "StatefulSet", "db"), *waiting]
    report = explain_job(manifests(objects), SimulateOptions(), "ns/db", sessions=None)
    [fix] = report.fixes
    remove = """--type json -p '[{"op": "remove", "path": "/spec/schedulingGates"}]'"""
    assert fix.commands == [f"kubectl patch pod db-{number} -n ns {remove}" for number in range(2)]
    page = " ".join(as_table(report, View()).split())
    assert (
        "or remove it yourself, from the pods that there are: new ones are gated again; run kubectl patch pod" in page
    )
    assert "ns/db is not in the order yet: its pods wait for their scheduling gates." in page
