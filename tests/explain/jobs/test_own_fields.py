"""What whoever submitted a job can change is tried as well, and whether it starts when another one ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from msgspec import UNSET

from tests.build import CONF, Object, gang, group, job_task, manifests, node, owned, pod, queue, workload
from tests.explain.jobs.searching import find_remedies
from tests.report.writers import as_table
from vqs.explain.jobs.case import Case
from vqs.explain.jobs.registry import parameters
from vqs.explain.jobs.remedies import FixSearch, Remedy
from vqs.explain.jobs.report import explain_job, job_of_others
from vqs.explain.pods_of_others import pods_of_others
from vqs.explain.simulate import SimulateOptions, run_session, simulate
from vqs.report.formats import View

GPU = "nvidia.com/gpu"
TAINT = {"key": GPU, "value": "present", "effect": "NoSchedule"}
TOLERATION = {"key": GPU, "operator": "Equal", "value": "present", "effect": "NoSchedule"}


def found(*objects: Object | list[Object], job: str = "ns/j", conf: str = CONF) -> FixSearch:
    """Find what would have to change."""
    return find_remedies(manifests([*objects, queue("default")], conf), SimulateOptions(), job)


def the(remedies: FixSearch, knob: str) -> Remedy:
    """Return what was found of one kind that places the job."""
    [remedy] = [each for each in remedies.fixes if (each.parameter, each.progress) == (knob, "placed")]
    return remedy


def with_spec(name: str, **spec: Any) -> list[Object]:
    """Make a job of one pod that has something in its spec."""
    return [group(name), pod(f"{name}-0", name, spec=spec)]


def running(name: str, cpu: int, *, of: str = "default") -> list[Object]:
    """Make a job that runs on node a."""
    return [group(name, 1, "Running", queue=of), pod(f"{name}-0", name, cpu, node="a")]


def test_a_missing_toleration() -> None:
    """The taint of the nodes that are large enough is tolerated; each pod of a cluster is edited."""
    nodes = [node("cpu-0", cpu=64), node("gpu-0", gpu=8, taints=[TAINT])]
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "u", "controller": True}
    job = gang("j", 2, requests={GPU: 4})
    for each in job[1:]:
        each["metadata"]["ownerReferences"] = [owner]
    remedy = the(found(*nodes, job), "tolerations")
    assert (remedy.from_value, remedy.to, remedy.owner) == ("none", f"{GPU}=present:NoSchedule", "Job ns/train")
    assert [edit.partition(".")[0] for edit in remedy.edits] == ["pod/ns/j-worker-0", "pod/ns/j-worker-1"]


def test_a_toleration_is_written_in_the_template_of_a_job_without_pods() -> None:
    """A Volcano Job that is yet to be submitted has no pods that could be edited."""
    job = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "ns"},
        "spec": {"schedulerName": "volcano", "minAvailable": 1, "tasks": [job_task(replicas=1)]},
    }
    remedy = the(found(node("a", taints=[TAINT]), job), "tolerations")
    assert [edit.partition("=")[0] for edit in remedy.edits] == ["job/ns/j.spec.tasks[0].template.spec.tolerations"]


@pytest.mark.parametrize(
    ("spec", "knob", "before"),
    [
        ({"nodeSelector": {"disk": "ssd"}}, "nodeSelector", "disk=ssd"),
        (
            {
                "affinity": {
                    "nodeAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": {
                            "nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "Exists"}]}]
                        }
                    }
                }
            },
            "affinity",
            "as written",
        ),
    ],
)
def test_a_selector_in_the_way(spec: dict[str, Any], knob: str, before: str) -> None:
    """A job that selects nodes that are not there is placed without that."""
    remedy = the(found(node("a"), with_spec("j", **spec)), knob)
    assert (remedy.from_value, remedy.to, remedy.failing_value) == (before, "none", before)


def required(key: str, *values: str) -> dict[str, Any]:
    """Make an affinity to nodes with a label."""
    expression = {"key": key, "operator": "In", "values": [*values]}
    terms = [{"matchExpressions": [expression]}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


@pytest.mark.parametrize(
    ("spec", "knob", "said", "first"),
    [
        (
            {"nodeSelector": {"pool": "computes"}},
            "nodeSelector",
            "pool=computes (did you mean 'compute'?)",
            "pool=compute",
        ),
        ({"nodeSelector": {"pol": "compute"}}, "nodeSelector", "pol=compute (did you mean 'pool'?)", "pool=compute"),
        (
            {"affinity": required("pool", "computes")},
            "affinity",
            "pool=computes (did you mean 'compute'?)",
            "pool=compute",
        ),
        ({"affinity": required("pol", "compute")}, "affinity", "pol=compute (did you mean 'pool'?)", "pool=compute"),
        (
            {"affinity": required("pool", "computes", "mars", "stroage")},
            "affinity",
            "pool=computes, mars or stroage (did you mean 'compute' or 'storage'?)",
            "pool=compute, mars or storage",
        ),
        (
            {"affinity": required("pool", "computer", *(f"storage{end}" for end in "abcd"))},
            "affinity",
            "pool with any of 5 values (did you mean 'compute' or 'storage'?)",
            "pool=compute or storage",
        ),
        (
            {"affinity": required("pol", "compute", *"abc")},
            "affinity",
            "pol with any of 4 values (did you mean 'pool'?)",
            "pool with any of 4 values",
        ),
        ({"nodeSelector": {"zone": "mars"}}, "nodeSelector", "zone=mars", ""),
        (
            {"nodeSelector": {"kubernetes.io/hostname": "computes"}},
            "nodeSelector",
            "kubernetes.io/hostname=computes",
            "",
        ),
        (
            {"nodeSelector": {"pool": "compute-1"}},
            "nodeSelector",
            "pool=compute-1 (did you mean 'compute'?)",
            "pool=compute",
        ),
    ],
)
def test_a_label_that_no_node_has(spec: dict[str, Any], knob: str, said: str, first: str) -> None:
    """The answer names it with what was probably meant; that is tried before the job does without."""
    pools = [node(pool, labels={"pool": pool}) for pool in ("compute", "storage")]
    report = explain_job(
        manifests([*pools, *with_spec("j", **spec), queue("default")]), SimulateOptions(), "ns/j", sessions=None
    )
    assert f". No node has the label {said}." in report.answer
    assert report.fix_search is not None
    fixes = [each.to for each in report.fix_search.fixes if each.parameter == knob]
    assert fixes == ([first, "none"] if first else ["none"])


def test_selectors_of_several_tasks() -> None:
    """What is written, and what was probably meant, is said of each of them; the selector that is right stays."""
    selectors = [{"zone": "eastt"}, {"zone": "wesst", "tier": "gold"}, {"zone": "east"}]
    members = [pod(f"j-{at}", "j", role=f"r{at}", spec={"nodeSelector": each}) for at, each in enumerate(selectors)]
    nodes = [node("a", labels={"zone": "east"}), node("b", labels={"zone": "west", "tier": "gold"})]
    [corrected, without] = [
        each for each in found(*nodes, group("j", 3), *members).fixes if each.parameter == "nodeSelector"
    ]
    assert corrected.from_value == "zone=eastt; zone=wesst, tier=gold"
    assert (corrected.to, corrected.recreate) == ("zone=east; zone=west, tier=gold", "Pod ns/j-0 and Pod ns/j-1")
    assert without.from_value == "zone=eastt; zone=wesst, tier=gold; zone=east"


def test_a_term_with_several_labels_that_no_node_has() -> None:
    """All of them are said, and corrected together."""
    affinity = required("pol", "compute")
    [term] = affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    term["matchExpressions"].append({"key": "zone", "operator": "In", "values": ["eastt"]})
    job = with_spec("j", affinity=affinity)
    fixes = found(node("a", labels={"pool": "compute", "zone": "east"}), job).fixes
    assert [each.to for each in fixes if each.parameter == "affinity"] == ["pool=compute, zone=east", "none"]


def test_a_label_of_any_value_whose_key_no_node_has() -> None:
    """The key that was probably meant is tried, and nothing is said of values."""
    affinity = required("pol")
    [term] = affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    term["matchExpressions"] = [{"key": "pol", "operator": "Exists"}]
    fixes = found(node("a", labels={"pool": "compute"}), with_spec("j", affinity=affinity)).fixes
    assert [each.to for each in fixes if each.parameter == "affinity"] == ["pool", "none"]


def test_a_term_that_nodes_could_meet() -> None:
    """One of several terms of an affinity is enough: what no node has of the others is not what it lacks."""
    affinity = required("pool", "compute")
    terms = affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    terms.append({"matchExpressions": [{"key": "zone", "operator": "Exists"}]})
    terms[0]["matchExpressions"].append({"key": "pool", "operator": "NotIn", "values": ["compute"]})
    objects = [node("a", labels={"pool": "compute"}), *with_spec("j", affinity=affinity), queue("default")]
    assert "No node has the label" not in explain_job(manifests(objects), SimulateOptions(), "ns/j").answer


def test_a_request_that_is_too_large() -> None:
    """It is lowered to what the largest node has, and one step less is not enough."""
    remedy = the(found(node("a", cpu=6), node("b", cpu=6), gang("j", 1, cpu=8)), "requests")
    assert (remedy.resource, remedy.from_value, remedy.to, remedy.failing_value) == ("cpu", 8, 6, 7)


def test_a_request_beyond_the_limit_of_the_queue() -> None:
    """Where the queue may not have as much as the job requests, a lower request is tried as well."""
    remedy = the(found(node("a", cpu=8), gang("j", 1, cpu=12)), "requests")
    assert (remedy.to, remedy.failing_value) == (8, 9)


def test_no_request_is_lowered_below_one_half() -> None:
    """A job of a fraction of the size is another job."""
    remedies = found(node("a", cpu=3), node("b", cpu=3), node("c", cpu=3), gang("j", 1, cpu=8))
    [requests] = [each for each in remedies.ineffective if each.parameter == "requests"]
    assert requests.to == 4


def test_a_zero_too_many() -> None:
    """What is many times the largest node is lowered to what that has, with the minResources that enqueue looks at."""
    job = gang("j", 2, cpu=80)
    job[0]["spec"]["minResources"], job[0]["status"] = {"cpu": 160}, {"phase": "Pending"}
    remedy = the(found(node("a", cpu=8), node("b", cpu=8), job), "requests")
    assert (remedy.from_value, remedy.to, remedy.failing_value) == (80, 8, 9)
    assert remedy.edits[-1] == "podgroup/ns/j.spec.minResources.cpu=16"


def test_a_request_of_a_job_that_is_not_admitted() -> None:
    """The pods do not exist yet: what the template of the Volcano Job requests is lowered."""
    job = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "ns"},
        "spec": {"schedulerName": "volcano", "minAvailable": 2, "tasks": [job_task(replicas=2, cpu=8)]},
    }
    remedy = the(found(node("a", cpu=10), job), "requests")
    assert (remedy.to, remedy.failing_value) == (5, 6)
    assert [edit.partition(".")[0] for edit in remedy.edits] == ["job/ns/j"]


def stored_job(replicas: int, phase: str, cpu: int) -> list[Object]:
    """Make a Volcano Job of a cluster, and its PodGroup j-u."""
    owner = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "j", "uid": "u", "controller": True}
    job = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "ns", "uid": "u"},
        "spec": {"schedulerName": "volcano", "minAvailable": 1, "tasks": [job_task(replicas=replicas, cpu=cpu)]},
    }
    members = (
        [pod(f"j-worker-{at}", "j-u", cpu, node=name) for at, name in enumerate("ab")] if phase == "Running" else []
    )
    waiting = [pod("j-worker-2", "j-u", cpu)] if members else []
    made = [group("j-u", 1, phase), *members, *waiting]
    for each in made:
        each["metadata"]["ownerReferences"] = [owner]
    return [job, *made]


def test_a_job_that_runs_in_part_is_created_again() -> None:
    """Its pods that run stop, and need a place with the change as well; that is ranked behind what restarts none."""
    nodes = [node("a", cpu=12), node("b", cpu=12), node("c", cpu=8)]
    fixes = found(*nodes, stored_job(6, "Running", 8), job="ns/j-u").fixes
    [again] = [each for each in fixes if each.parameter == "requests"]
    assert (again.to, again.failing_value, again.restarted, again.recreate) == (4, 5, 2, "Job ns/j")
    assert again.outlook is not None
    assert (again.pods_before, again.outlook.pods_bound, again.pods_after) == (3, 6, 6)
    assert [each.partition(" {")[0] for each in again.edits] == ["remove job/ns/j", "add"]
    assert fixes[0].parameter == "nodes"
    # It is no other job, though its new PodGroup has another name.
    assert again.cost is not None
    assert (again.cost.no_longer_placed, again.cost.fewer_tasks, again.affected) == ([], [], [])


def test_a_job_whose_pods_a_quota_refuses_is_created_again() -> None:
    """What its template requests cannot be changed, and there is no pod that could be."""
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "small", "namespace": "ns"},
        "spec": {"hard": {"requests.cpu": "9"}},
        "status": {"hard": {"requests.cpu": "9"}, "used": {"requests.cpu": "6"}},
    }
    remedy = the(found(node("a", cpu=8), quota, stored_job(1, "Inqueue", 4), job="ns/j-u"), "requests")
    assert (remedy.to, remedy.failing_value, remedy.restarted, remedy.recreate) == (3, 4, UNSET, "Job ns/j")


@pytest.mark.parametrize(("pods", "in_all"), [(1, UNSET), (2, [24, 16])])
def test_what_the_job_asks_for_in_all(pods: int, in_all: Any) -> None:
    """Where several pods ask for less, what the job has in all is said beside it."""
    nodes = [node("a", gpu=8), node("b", gpu=8)]
    report = explain_job(
        manifests([*nodes, *gang("j", pods, requests={GPU: 12}), queue("default")]),
        SimulateOptions(),
        "ns/j",
        sessions=None,
    )
    assert report.fix_search is not None
    assert the(report.fix_search, "requests").in_all == in_all
    text = f"the job asks for 16 {GPU} in all instead of 24"
    assert (text in " ".join(as_table(report, View()).split())) is (pods > 1)


@pytest.mark.parametrize(
    ("resource", "limit", "fields"),
    [("cpu", 24, {"requests"}), ("cpu", 12, {"requests", "limits"}), (GPU, 12, {"requests", "limits"})],
)
def test_only_limits_that_equal_the_request_are_lowered(resource: str, limit: int, fields: set[str]) -> None:
    """A limit that leaves room above the request stays; one equal to it is kept equal."""
    amounts = {"cpu": 1, resource: 12}
    container = {"name": "c", "image": "i", "resources": {"requests": amounts, "limits": {resource: limit}}}
    remedy = the(
        found(node("a", cpu=8, gpu=8), node("b", cpu=8, gpu=8), with_spec("j", containers=[container])), "requests"
    )
    assert remedy.to == 8
    assert {edit.partition(".resources.")[2].partition(".")[0].partition("[")[0] for edit in remedy.edits} == fields


def test_another_queue() -> None:
    """A job whose queue holds all it deserves is placed in one that does not."""
    jobs: list[Any] = [running("r", 4), *running("s", 2, of="b"), gang("j", 1, cpu=2), gang("k", 2, cpu=2, queue="b")]
    remedy = the(found(node("a"), queue("b"), *jobs), "queue")
    assert remedy.edits == ["podgroup/ns/j.spec.queue=b"]


def test_overcommit() -> None:
    """The factor is raised no further than it takes."""
    jobs = [
        group("r", 1, "Inqueue", queue="b", minResources={"cpu": 10}),
        *gang("j", 1, phase="Pending", minResources={"cpu": 3}),
    ]
    remedy = the(found(node("a", cpu=10), queue("b"), *jobs), "overcommit-factor")
    assert (remedy.from_value, remedy.to, remedy.failing_value) == ("1.2", "1.3", "1.2")


def test_too_few_replicas() -> None:
    """A Volcano Job with fewer pods than its gang needs is given more."""
    job = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "ns", "uid": "u"},
        "spec": {"schedulerName": "volcano", "minAvailable": 3, "tasks": [job_task(replicas=2)]},
    }
    remedies = find_remedies(manifests([node("a"), queue("default"), job]), SimulateOptions(), "ns/j-u")
    assert the(remedies, "replicas").edits == ["scale job/ns/j=3"]


def test_a_job_that_starts_when_another_ends() -> None:
    """The smallest job that holds enough is named in the answer, and a session without it proves that."""
    objects: list[Any] = [node("a"), queue("default"), running("small", 2), running("large", 5), gang("j", 1, cpu=2)]
    report = explain_job(manifests(objects), SimulateOptions(), "j", sessions=80)
    assert report.answer.endswith("It starts once ns/small or ns/large ends.")


def test_nothing_absurd_is_tried() -> None:
    """A weight is raised to ten times the largest one, a guarantee to three quarters of the cluster."""
    objects: list[Any] = [node("a", cpu=80), queue("b"), running("r", 70, of="b"), gang("j", 1, cpu=79)]
    useless = {(each.parameter, each.resource): each.to for each in found(*objects).ineffective}
    assert useless["weight", ""] == 10
    assert useless["guarantee", "cpu"] == 60


def test_nodes_that_the_job_does_not_fit() -> None:
    """Types of nodes are not added that are too small, lack a resource, or have a taint that is not tolerated."""
    nodes = [node("cpu-0", cpu=64), node("small-0", cpu=4, gpu=2), node("other-0", cpu=64, gpu=8, taints=[TAINT])]
    fits = node("gpu-0", cpu=64, gpu=8)
    remedies = found(*nodes, fits, gang("j", 3, requests={GPU: 4}))
    assert {each.object for each in (*remedies.fixes, *remedies.ineffective) if each.parameter == "nodes"} == {
        "node/gpu-0"
    }


def test_no_more_nodes_than_would_be_bought() -> None:
    """A small cluster is not tried with hundreds of nodes more."""
    remedies = found(node("a", cpu=1), gang("j", 100))
    [nodes] = [each for each in (*remedies.fixes, *remedies.ineffective) if each.parameter == "nodes"]
    assert (nodes.helps, nodes.to) == (False, 9)


def test_pods_that_ask_for_another_scheduler() -> None:
    """They ask for this one: pods of a cluster each, those of a Volcano Job that is yet to be submitted by the Job."""
    [edit] = the(found(node("n"), with_spec("j", schedulerName="other")), "schedulerName").edits
    assert edit == "pod/ns/j-0.spec.schedulerName=volcano"
    job = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "ns"},
        "spec": {"schedulerName": "other", "minAvailable": 2, "queue": "default", "tasks": [job_task()]},
    }
    remedy = the(found(node("n"), job), "schedulerName")
    assert (remedy.from_value, remedy.edits) == ("other", ["job/ns/j.spec.schedulerName=volcano"])
    many = [group("j", 101), *(pod(f"j-{number}", "j", spec={"schedulerName": "other"}) for number in range(101))]
    assert "schedulerName" not in [each.parameter for each in found(node("n"), many).fixes]


def test_only_pods_that_wait_ask_for_this_scheduler() -> None:
    """Those that run, or have ended, stay as they are; those that name none ask for the default scheduler."""
    runs = pod("j-0", "j", node="n", spec={"schedulerName": "other"})
    job = [group("j", 2), runs, *(pod(name, "j", spec={"schedulerName": ""}) for name in ("j-1", "j-2"))]
    [remedy] = [each for each in found(node("n"), job).fixes if each.parameter == "schedulerName"]
    assert remedy.from_value == "default-scheduler"
    assert remedy.edits == [f"pod/ns/{name}.spec.schedulerName=volcano" for name in ("j-1", "j-2")]


def test_a_class_that_never_preempts() -> None:
    """A class of the same priority that preempts is tried; what is said of the job names preemptionPolicy Never."""
    classes = [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": 9,
            "preemptionPolicy": policy,
        }
        for name, policy in (("calm", "Never"), ("urgent", "PreemptLowerPriority"))
    ]
    low = [group("low", 1, "Running"), *(pod(f"low-{each}", "low", 4, node="a") for each in range(2))]
    never = {"priority": 9, "preemptionPolicy": "Never", "priorityClassName": "calm"}
    job = [group("j", 1, "Inqueue", priorityClassName="calm"), pod("j-0", "j", 4, spec=never)]
    conf = CONF.replace("enqueue, allocate", "enqueue, allocate, preempt")
    fixes = found(node("a", cpu=8), *classes, *low, job, conf=conf).fixes
    [remedy] = [each for each in fixes if each.parameter == "priorityClassName"]
    assert (remedy.from_value, remedy.to, remedy.recreate) == ("calm", "urgent", "Pod ns/j-0")
    assert "podgroup/ns/j.spec.priorityClassName=urgent" in remedy.edits
    assert remedy.cost is not None
    assert len(remedy.cost.evicted) == 1
    fixes = found(node("a", cpu=8), classes[0], *low, job, conf=conf).fixes
    [made] = [each for each in fixes if each.parameter == "priorityClassName"]
    assert (made.to, made.recreate) == ("calm-preempting", "Pod ns/j-0")
    assert made.commands == ["kubectl create priorityclass calm-preempting --value 9"]
    result = simulate(manifests([node("a", cpu=8), *classes, *low, *job, queue("default")], conf), SimulateOptions())
    [told] = [each.reason for each in result.jobs if each.name == "j"]
    assert told.endswith("; preempt evicts no task for it, as its preemptionPolicy is Never")
    read = manifests([node("a", cpu=8), *classes, *low, *job, queue("default")], CONF)
    without = simulate(read, SimulateOptions())
    assert not any("preemptionPolicy" in each.reason for each in without.jobs)


def test_pods_that_are_left_to_another_scheduler() -> None:
    """They are asked for by whoever looks for fixes; a job that the session does not know need not be such pods."""
    read = manifests([node("n"), pod("shell", scheduler="mine")])
    [others] = pods_of_others(read)
    ran, job = run_session(read, SimulateOptions()), job_of_others(read, SimulateOptions(), others)
    assert job is not None
    case = Case(ran.session, job, read, ran.manifests)
    assert "schedulerName" not in [each.what for each in parameters(case)]
    assert [each.what for each in parameters(replace(case, is_left=True))] == ["schedulerName"]


def test_topology_spread_constraints_keep_pods_from_no_node() -> None:
    """They are kept as what is preferred; that is tried only where nodes are what stops the job."""
    zones = [node(name, cpu=cpu, labels={"zone": name}) for name, cpu in (("a", 8), ("b", 1))]
    made, *tasks = gang("job", 3, cpu=2)
    constraint = {"maxSkew": 1, "topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "job"}}}
    for each in tasks:
        each["metadata"]["labels"] = {"app": "job"}
        each["spec"]["topologySpreadConstraints"] = [{**constraint, "whenUnsatisfiable": "DoNotSchedule"}]
    remedies = found(*zones, queue("default"), made, *tasks, job="ns/job")
    preferred = the(remedies, "topologySpreadConstraints")
    assert (preferred.helps, preferred.to) == (True, "ScheduleAnyway")
    assert (
        preferred.edits[0] == "pod/ns/job-worker-0.spec.topologySpreadConstraints[0].whenUnsatisfiable=ScheduleAnyway"
    )


def web(kind: str, *, above: str = "", is_there: bool = True) -> list[Any]:
    """Make a workload of four pods that fill node n, with its PodGroup."""
    name = "web" if kind == "StatefulSet" else "web-1"
    made = workload(kind, name, 4)
    of = f"podgroup-u-{name}"
    pods = [owned(pod(f"{name}-{number}", of, node="n", role=""), kind, name) for number in range(4)]
    objects = [owned(group(of, 1, "Running"), kind, name), *pods, *([made] if is_there else [])]
    if above:
        owned(made, above, "web")
        objects.append(workload(above, "web", 4))
    return objects


@pytest.mark.parametrize(
    ("others", "of", "owner", "command"),
    [
        (web("StatefulSet"), "statefulset/ns/web", "", "kubectl scale statefulset web -n ns --replicas 2"),
        (web("ReplicaSet"), "replicaset/ns/web-1", "", "kubectl scale replicaset web-1 -n ns --replicas 2"),
        (
            web("ReplicaSet", above="Deployment"),
            "deployment/ns/web",
            "",
            "kubectl scale deployment web -n ns --replicas 2",
        ),
        (web("ReplicaSet", is_there=False), "job/ns/web-1", "ReplicaSet ns/web-1", ""),
    ],
    ids=["StatefulSet", "ReplicaSet", "Deployment", "absent"],
)
def test_what_does_not_end_is_scaled_down(others: list[Any], of: str, owner: str, command: str) -> None:
    """Only so many pods of a service go as the job needs, and nothing says that the service ends."""
    read = manifests([node("n", cpu=4), *others, *gang("job", 2, created=1)])
    report = explain_job(read, SimulateOptions(), "ns/job", sessions=80)
    assert report.fix_search is not None
    [fix] = [each for each in report.fix_search.fixes if each.parameter in ("end", "scale-down")]
    assert (fix.parameter, fix.object, fix.from_value, fix.to, fix.failing_value) == ("scale-down", of, 4, 2, 3)
    assert (fix.edits, fix.commands) == ([f"scale {of}=2"], [command] if command else [])
    assert (fix.owner or "") == owner
    [web_then] = fix.affected
    assert (web_then.pods_before, web_then.pods_after) == (4, 2)
    assert report.answer.endswith(f" It starts if {of.partition('/')[2]} is scaled down.")
    text = " ".join(as_table(report, View()).split())
    assert f"scale down {of} 4 2 3 2 of 2 waiting pods start" in text
    assert ("which pods go is up to the controller" in text) is not of.startswith("statefulset")
    assert "ends" not in text


def test_pods_of_a_daemon_set_stay() -> None:
    """Neither do they end, nor has their controller a number of replicas."""
    pods = owned(pod("agent-1", "agent", 4, node="n", role=""), "DaemonSet", "agent")
    objects = [node("n", cpu=4), owned(group("agent", 1, "Running"), "DaemonSet", "agent"), pods, *gang("job", 2)]
    found = find_remedies(manifests(objects), SimulateOptions(), "ns/job")
    tried = {each.parameter for each in (*found.fixes, *found.ineffective)}
    assert "nodes" in tried
    assert not tried & {"end", "scale-down"}


def test_a_stateful_set_that_makes_one_pod_after_another() -> None:
    """More replicas do not complete its gang: the next pod comes when the one before it is ready."""
    made = workload("StatefulSet", "web", 2)
    first = owned(pod("web-0", "podgroup-u-web", role=""), "StatefulSet", "web")
    objects = [node("n"), queue("default"), made, owned(group("podgroup-u-web", 3), "StatefulSet", "web"), first]
    remedies = find_remedies(manifests(objects, CONF), SimulateOptions(), "ns/podgroup-u-web")
    assert "replicas" not in {each.parameter for each in (*remedies.fixes, *remedies.ineffective)}
