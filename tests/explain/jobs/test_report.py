"""What is told of a job: how far it came, what stopped it, and what was tried to make room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.build import CONF, gang, group, job_task, manifests, node, pod, queue, stored_job
from tests.conformance.reading import read_scenario, unpacked
from tests.report.writers import as_table
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.jobs.report import UnknownJob, explain_job, explain_jobs, reports_on
from vqs.explain.jobs.waiting import waiting_jobs
from vqs.explain.outlook import simulate_ahead
from vqs.explain.simulate import SimulateOptions
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.report.formats import View
from vqs.snapshot.reading.reader import read_manifests

SCENARIOS = Path(__file__).parents[3] / "scenarios"
RECORDED = sorted(unpacked("random").glob("*-010[0-3].yaml"))


def explained(scenario: str, job: str, sessions: int | None = 0) -> JobReport:
    """Explain a job of a scenario."""
    read = read_manifests([str(SCENARIOS / f"{scenario}.yaml")])
    return explain_job(read, SimulateOptions(scenario=scenario), job, sessions=sessions)


def told(objects: list[Any], job: str = "ns/job", conf: str = CONF, **options: Any) -> JobReport:
    """Explain a job of a cluster."""
    return explain_job(manifests(objects, conf), SimulateOptions(), job, **options)


@pytest.mark.parametrize(
    ("scenario", "job", "stage", "code"),
    [
        ("not-enqueued-capability", "big", "enqueue", "not-enqueued-capability"),
        ("queue-closed", "new", "enqueue", "queue-closed"),
        ("gang-too-small", "gang", "valid", "gang-too-small"),
        ("queue-overused", "extra", "queue", "queue-overused"),
        ("queue-limit", "train", "queue", "queue-limit"),
        ("hierarchy-queue-above-is-full", "train", "queue", "queue-capability"),
        ("best-effort-without-backfill", "shell", "order", "left-to-backfill"),
        ("no-node-fits", "picky", "nodes", "no-node-fits"),
        ("gang-discarded", "gang", "nodes", "fragmented"),
        ("pipelined-gang", "gang", "gang", "waits-for-gang"),
        ("gated", "staged", "", "gated"),
        ("pipelined", "new", "", "waits-for-release"),
        ("first-look", "llama-finetune", "", ""),
    ],
)
def test_the_first_gate_that_was_not_passed(scenario: str, job: str, stage: str, code: str) -> None:
    """Each gate can stop a job; what follows from what another task met is not the first."""
    report = explained(scenario, job)
    assert report.blocked_at == stage
    assert (report.cause.code if report.cause else "") == code


ANSWERS = {
    ("not-enqueued-capability", "big"): (
        "default/big is not admitted (PodGroup stays Pending): queue research has a limit of 16 cpu, and "
        "this job and the jobs of the queue that run or are admitted need 20 together."
    ),
    ("queue-limit", "train"): (
        "default/train has its minimum of tasks (minAvailable 1), "
        "and 1 of its 2 tasks waits: queue research holds all 10 cpu that it "
        "deserves, so a task that requests 4 has to wait. Also in its way: a task "
        "requests 4 cpu, and no node that could hold it has any free."
    ),
    ("gated", "staged"): (
        "default/staged has its minimum of tasks (minAvailable 2), "
        "and 2 of its 4 tasks wait: each of 2 tasks has the scheduling "
        'gate "vqs/gated", and waits until it is removed.'
    ),
    ("first-look", "llama-finetune"): ("research/llama-finetune is placed: this session binds 2 tasks of it."),
    ("pipelined", "old"): (
        "default/old has no pending task, and cannot start: its gang needs 2 tasks, and the job has 0, "
        "not counting 2 being deleted."
    ),
    ("pipelined-gang", "gang"): ("default/gang starts in session 2, once default/old-worker-0 is gone."),
    ("pipelined", "new"): (
        "default/new starts in session 2, once default/old-worker-0 and default/old-worker-1 are gone."
    ),
    ("preempt-higher-priority", "urgent"): (
        "default/urgent starts in session 2, once default/sweep-worker-2, default/sweep-worker-3, default/sweep-"
        "worker-4 and 1 more are gone. In this session, preempt evicts 4 tasks for it."
    ),
    ("preempt-higher-priority", "sweep"): (
        "default/sweep loses 4 of its 12 tasks, evicted by preempt for default/urgent."
    ),
    ("preempt-spared-by-gang", "urgent"): (
        "default/urgent is not placed: the cluster is full: jobs of queue default hold all 8 cpu that all "
        "nodes have together, so a task that requests 2 has to wait. preempt found no task to evict "
        "for it: none of 4 candidates "
        "may be evicted, as on both nodes the plugin gang spares every task that the others would evict, "
        "such as default/train-worker-0: evicting it would leave 3 tasks of default/train; its gang needs 4."
    ),
    ("reclaim-guarantee-protected", "service"): (
        "default/service is not placed: the only node has no room for one of its tasks: it has too little cpu "
        "left. The request is for 1 cpu, and node node-0 has none free; queue research holds 1 cpu beyond what it "
        "deserves. reclaim found no task to "
        "evict for it: none of 3 candidates may be "
        "evicted, as on the one node the plugin capacity spares every task that the others would evict, "
        "such as default/sweep-worker-0: queue research would fall below its guarantee of 5 cpu; it holds 6."
    ),
}


@pytest.mark.parametrize(("scenario", "job"), ANSWERS)
def test_answers(scenario: str, job: str) -> None:
    """A few sentences say what became of it, what it did not pass, and what eviction tried."""
    assert explained(scenario, job).answer == ANSWERS[scenario, job]


@pytest.mark.thorough
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded(path: Path) -> None:
    """Each job's story agrees with the session and the list of what waits, and its last try tells where a task is."""
    read = read_scenario(path)
    result = simulate_ahead(read, SimulateOptions())
    listed = {job.display_name: job for job in waiting_jobs(read, SimulateOptions()).jobs}
    for job in result.jobs:
        report = explain_job(read, SimulateOptions(), f"{job.namespace}/{job.name}")
        assert replace(report.job, outlook=None, blockers=[], reason="") == replace(
            job, outlook=None, blockers=[], reason=""
        )
        if job.outlook is not None or report.outlook is None:
            assert report.job == job
            assert report.blockers == job.blockers
        assert report.answer.startswith(f"{job.namespace}/{job.name} ")
        assert report.answer.endswith(".")
        assert report.cause is None or report.cause.code in VERDICT_RULES
        assert bool(report.blocked_at) <= any(task.status != "Running" for task in report.tasks)
        assert {each.action for each in report.eviction_actions} == {"preempt", "reclaim"} & set(result.session.actions)
        nodes = placed_by_tries(report)
        for task in report.tasks:
            if task.status_before == "Pending" and task.status in ("Binding", "Pipelined"):
                assert nodes[f"{task.namespace}/{task.name}"] == task.node
        if waiting := listed.pop(f"{job.namespace}/{job.name}", None):
            causes = [(each.cause, each.cause_task, each.blocked_at) for each in (report, waiting)]
            assert causes[0] == causes[1]
            assert report.session.sessions == waiting.session
    assert all(job.cause is not None and job.cause.code == "unknown-queue" for job in listed.values())


def placed_by_tries(report: JobReport) -> dict[str, str]:
    """Return the nodes of a job's tasks by the tries that took effect."""
    nodes: dict[str, str] = {}
    for each in report.attempts:
        if each.result in ("commit", "keep"):
            for step in each.steps:
                nodes.update(dict.fromkeys(step.tasks, step.node) if step.placed else {})
    return nodes


# --- which job --------------------------------------------------------------------------------------------------------


def test_a_name_without_its_namespace() -> None:
    """It is enough where there is one job of that name."""
    assert explained("queue-limit", "train").job == explained("queue-limit", "default/train").job


def test_a_name_that_several_jobs_have() -> None:
    """They are named."""
    other = gang("job", 1)
    for each in other:
        each["metadata"] |= {"namespace": "other", "uid": f"other-{each['metadata']['name']}"}
    with pytest.raises(UnknownJob, match=r"there are 2 jobs 'job' \(write one of ns/job, other/job\)"):
        told([node("n"), gang("job", 1), *other], "job")


def test_a_name_that_two_kinds_of_controllers_have() -> None:
    """Their jobs are named as a shell takes them."""
    groups = []
    for kind in ("MPIJob", "RayJob"):
        made = gang(kind.lower(), 1)
        made[0]["metadata"]["ownerReferences"] = [
            {"apiVersion": "example.com/v1", "kind": kind, "name": "train", "uid": "", "controller": True}
        ]
        groups.append(made)
    with pytest.raises(UnknownJob) as refused:
        told([node("n"), *groups], "train")
    named = "'ns/train (MPIJob)', 'ns/train (RayJob)'"
    assert str(refused.value) == f"there are 2 jobs 'train' (write one of {named})"


def test_an_unknown_job() -> None:
    """What was probably meant is named."""
    with pytest.raises(UnknownJob, match=r"there is no job 'default/trian' \(did you mean 'default/train'\?\)"):
        explained("queue-limit", "default/trian")


def test_a_pod_of_no_job() -> None:
    """A pod that is asked for by its name, and is in no job, is told of as that."""
    with pytest.raises(UnknownJob, match=r"pod ns/stray is in no job: no-pod-group: .*; vqs rule no-pod-group says"):
        told([node("n"), gang("job", 1), pod("stray", "nowhere")], "stray")


def test_a_job_that_the_scheduler_ignores() -> None:
    """It is there, and its queue is not; it is among those that wait, unless all of its pods run."""
    objects = [node("n"), group("job", 1, queue="nowhere")]
    report = told([*objects, queue("default"), pod("job-0", "job")], "job")
    assert report.answer.startswith("ns/job is ignored by the scheduler: ")
    assert [each.code for each in report.blockers] == ["unknown-queue"]
    [first] = explain_jobs(manifests([*objects, queue("default"), pod("job-0", "job")]), SimulateOptions(), [])
    assert first == report
    assert "The snapshot has no Queue: run kubectl get queues" in told(objects, "job").answer
    runs = manifests([*objects, pod("job-0", "job", node="n")])
    assert not waiting_jobs(runs, SimulateOptions()).jobs


def test_a_job_without_pods() -> None:
    """It is not said to wait for nothing, as it may wait for its queue."""
    report = told([node("n"), group("job", 2)])
    assert report.answer.startswith(
        "ns/job has no pods in this snapshot, and cannot start: its gang needs 2 tasks, and the job has 0"
    )


def test_a_task_larger_than_any_node() -> None:
    """That is said, whatever else stands in the way first."""
    said = "no node is large enough: a task requests 5 cpu, and the largest node has 4"
    objects = [node("n", cpu=4), node("m", cpu=4), queue("small", capability={"cpu": 1})]
    assert said in told([*objects, gang("job", 1, cpu=5, queue="small")]).answer
    assert said not in told([*objects, gang("job", 1, cpu=4, queue="small")]).answer


def test_who_spared_the_rest() -> None:
    """Where those that may go are too few, the plugins that spared others are named."""
    said = (
        "evicting all candidates that the plugins allow would not free enough room; the plugins gang and pdb did not "
        "allow the others."
    )
    assert said in explained("disruption-budget-protects", "urgent").answer


# --- what is kept -----------------------------------------------------------------------------------------------------

ACTIONS = CONF.replace("enqueue, allocate, backfill", "{}")


def test_a_session_without_enqueue_has_no_gate() -> None:
    """Where no account was drawn up, there is none."""
    waits = gang("job", 2, phase="Pending", minResources={"cpu": 2})
    assert told([node("n"), waits], conf=ACTIONS.format("allocate")).admission is None
    gate = told([node("n"), waits]).admission
    assert gate is not None
    assert gate.admitted
    assert [(account.plugin, account.queue) for account in gate.checks] == [
        ("overcommit", ""),
        ("proportion", "default"),
    ]


def test_where_allocate_is_missing() -> None:
    """A job whose turn never comes is stopped by the order of things."""
    report = told([node("n"), gang("job", 2)], conf=ACTIONS.format("enqueue"))
    assert report.blocked_at == "order"
    assert report.answer.endswith(
        "each of 2 tasks was not tried, because the configured actions do not include allocate."
    )
    assert report.attempts == []


def test_nothing_but_the_job_is_followed() -> None:
    """The tries, searches and losses are those of the one job."""
    report = explained("preempt-higher-priority", "service")
    assert (report.attempts, report.searches, report.evictions) == ([], [], [])


def test_remedies_are_looked_for_where_asked() -> None:
    """As many changes are tried as may be, and none in no time."""
    assert explained("preempt-spared-by-gang", "urgent").fix_search is None
    found = explained("preempt-spared-by-gang", "urgent", sessions=1).fix_search
    assert found is not None
    assert (found.max_sessions, found.sessions, found.ended) == (1, 1, "changes")
    read = read_manifests([str(SCENARIOS / "preempt-spared-by-gang.yaml")])
    assert explain_job(read, SimulateOptions(), "urgent", sessions=None, seconds=0).fix_search is None


def test_nothing_is_looked_for_where_nothing_stops_the_job() -> None:
    """A job that has its places, or is promised them, needs no change."""
    assert explained("preempt-higher-priority", "urgent", sessions=9).fix_search is None
    assert explained("pipelined", "old", sessions=9).fix_search is None


def test_progress_is_told() -> None:
    """Whoever waits hears of the actions, of what is tried, how much is left, and how many fixes were found."""
    stages: list[tuple[str, int, int]] = []
    read = read_manifests([str(SCENARIOS / "preempt-spared-by-gang.yaml")])
    options = SimulateOptions(progress=lambda *stage: stages.append(stage))
    explain_job(read, options, "urgent", sessions=5)
    tried = [stage for stage in stages if stage[0].startswith("try ")]
    assert [done for _, done, _ in tried] == [*range(len(tried))]
    assert tried[0][0] == "try enablePreemptable and enableReclaimable of conf/gang"
    assert tried[-1][0].endswith(" found so far)")
    assert {total for *_, total in tried} == {6}


def test_the_queues_line() -> None:
    """It names the job's queue and the ones above it."""
    assert explained("hierarchy-queue-above-is-full", "sweep").queue_path == ["research", "department", "root"]
    assert explained("queue-limit", "train").queue_path == ["research"]


def test_a_job_that_loses_tasks_and_waits() -> None:
    """Both are told: what keeps the others waiting, and who takes."""
    conf = CONF.replace("enqueue, allocate, backfill", "allocate, preempt").replace("  - name: drf\n", "")
    objects = [
        node("n", cpu=4, memory="64Gi"),
        group("job", 1, "Running", created=1),
        *(pod(f"job-worker-{number}", "job", node="n") for number in range(4)),
        pod("job-worker-4", "job"),
        gang("high", 2, priorityClassName="high", created=2),
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "high"},
            "value": 9,
        },
        queue("default"),
    ]
    report = told(objects, conf=conf)
    assert report.blocked_at == "queue"
    assert "2 of its tasks are evicted by preempt for ns/high." in report.answer
    assert [loss.evictor_job for loss in report.evictions] == ["ns/high", "ns/high"]


# --- pods that do not exist yet ---------------------------------------------------------------------------------------


def test_pods_of_an_admitted_job_are_told_of() -> None:
    """Of a job whose pods do not exist yet, the session is told of that tries them, and that it is not the first."""
    report = told([node("n"), *stored_job("new", job_task(), minimum=2)], "ns/new-uid-new")
    assert report.session.sessions == 2
    assert [task.status for task in report.tasks] == ["Binding", "Binding"]
    assert report.admission is not None
    assert report.admission.admitted
    assert report.answer == (
        "ns/new is placed: this session binds 2 tasks of it. These are the decisions of session 2, as the Job "
        "controller creates its pods only once a session has admitted the PodGroup."
    )


def test_pods_that_find_no_room_once_they_exist() -> None:
    """The gate that stops the pods is told of, though they are created only after the first session."""
    report = told(
        [node("n", cpu=2), node("m", cpu=2), *stored_job("new", job_task(replicas=1, cpu=3), minimum=1)],
        "ns/new-uid-new",
    )
    assert (report.session.sessions, report.blocked_at) == (2, "nodes")


def test_a_job_that_is_not_admitted_is_told_of_in_one_session() -> None:
    """A job that is refused has no pods to wait for."""
    report = told([node("n", cpu=1), *stored_job("new", job_task(), minimum=2)], "ns/new-uid-new")
    assert (report.session.sessions, report.blocked_at) == (1, "enqueue")


def test_remedies_are_tried_until_the_pods_are_placed() -> None:
    """A remedy for a job without pods is proven by the session in which its pods are tried."""
    objects = [node("n", cpu=1), *stored_job("new", job_task(), minimum=2)]
    report = told(objects, "ns/new-uid-new", sessions=None)
    assert report.fix_search is not None
    helped = {remedy.parameter: remedy for remedy in report.fix_search.fixes}
    assert helped["nodes"].progress == "placed"
    assert helped["nodes"].decision == "committed"


SEVERAL = [
    *[path for path in sorted(SCENARIOS.glob("*.yaml")) if ".plan." not in path.name][::3],
    *sorted(unpacked("random").glob("*.yaml"))[::12],
]


@pytest.mark.thorough
@pytest.mark.parametrize("file", SEVERAL, ids=lambda file: file.stem)
def test_several_jobs_at_once(file: Path) -> None:
    """Whoever asks for all jobs that wait gets of each what it is told by itself, with the fixes, and no other job."""
    read, options = read_scenario(file), SimulateOptions()
    listed = waiting_jobs(read, options)
    reports = explain_jobs(read, options, [], sessions=None)
    assert {each.job.uid for each in reports} == {f"{job.namespace}/{job.name}" for job in listed.jobs}
    for each in reports[:2]:
        assert each == explain_job(read, options, each.job.uid, sessions=None)


def test_several_jobs_by_name() -> None:
    """Reports are in the order that was asked for, each job once; the answer counts those with a fix."""
    read = manifests([node("n", cpu=2), queue("default"), gang("a", 4), gang("b", 3), gang("c", 1)])
    found = reports_on(read, SimulateOptions(), ["b", "ns/a", "b"], sessions=None)
    assert [each.job.uid for each in found.jobs] == ["ns/b", "ns/a"]
    assert found.answer == "2 jobs explained; fixes were found for 2 of 2."
    assert reports_on(read, SimulateOptions(), []).answer == "2 jobs wait."
    with pytest.raises(UnknownJob, match="no job 'd'"):
        reports_on(read, SimulateOptions(), ["a", "d"])


def test_a_queue_that_does_not_exist() -> None:
    """What is meant is named; that the job starts there, or once its queue is there, is proven by sessions."""
    read = manifests([node("n"), queue("research"), queue("other"), *gang("job", 2, queue="reserch")])
    report = explain_job(read, SimulateOptions(), "ns/job", sessions=None)
    assert report.answer == (
        "ns/job is ignored by the scheduler: the PodGroup names a queue that does not exist: reserch (did you mean "
        "'research'?)."
    )
    assert report.outlook is not None
    assert report.outlook.starts_in_session is None
    assert [fix.commands[0].partition(" --type")[0] for fix in report.fixes[:1]] == ["kubectl patch podgroup job -n ns"]
    assert [(fix.edits[0][:33], fix.outlook.pods_bound) for fix in report.fixes] == [
        ("podgroup/ns/job.spec.queue=researc"[:33], 2),
        ('add {"apiVersion": "scheduling.vo'[:33], 2),
    ]


def test_pods_of_another_scheduler() -> None:
    """They are known by their name and by what creates them, with what there is to do; that they start is proven."""
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "u", "controller": True}
    above = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "v", "controller": True}
    pods = [pod(f"web-1-{end}") for end in "ab"]
    for each in pods:
        each["metadata"]["ownerReferences"] = [owner]
        each["spec"]["schedulerName"] = "mine"
    spec: Any = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {"spec": pods[0]["spec"]}}
    spec["template"]["metadata"] = {"labels": {"app": "web"}}
    metadata = {"name": "web-1", "namespace": "ns", "uid": "u", "ownerReferences": [above]}
    of = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec}
    report = told([node("n", cpu=4), of, *pods], "ns/web", sessions=None)
    assert report.answer == (
        "ns/web is not scheduled by Volcano: its 2 pods ask for the scheduler mine, and Volcano looks only at pods "
        "with schedulerName volcano."
    )
    assert [each.code for each in report.blockers] == ["other-scheduler"]
    [fix] = report.fixes
    assert fix.outlook.pods_bound == 2
    assert fix.edits == [f"pod/ns/web-1-{end}.spec.schedulerName=volcano" for end in "ab"]
    del pods[0]["metadata"]["ownerReferences"]
    alone = told([node("n", cpu=4), pods[0]], "web-1-a").answer
    assert "it asks for the scheduler mine" in alone


def left(name: str, *owner: str, namespace: str = "ns") -> Any:
    """Return a pod that asks for another scheduler, and the kind and the name of what controls it."""
    made = pod(name)
    made["metadata"]["namespace"] = namespace
    made["spec"]["schedulerName"] = "mine"
    if owner:
        made["metadata"]["ownerReferences"] = [controller(*owner)]
    return made


def controller(kind: str, name: str) -> Any:
    """Return a reference to what controls an object."""
    version = "v1" if kind == "ReplicationController" else "apps/v1"
    return {"apiVersion": version, "kind": kind, "name": name, "uid": f"{kind}-{name}", "controller": True}


def replica_set(name: str, *owner: str) -> Any:
    """Return a ReplicaSet, and the kind and the name of what controls it."""
    metadata = {"name": name, "namespace": "ns", "uid": f"ReplicaSet-{name}", "ownerReferences": [controller(*owner)]}
    spec: Any = {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": {"spec": pod("x")["spec"]}}
    spec["template"]["metadata"] = {"labels": {"app": name}}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize("other", ["a", "b"])
def test_pods_of_another_scheduler_whose_controllers_control_each_other(other: str) -> None:
    """Each controller is looked at once."""
    owned = {"b": replica_set("b", "ReplicaSet", "a"), "a": replica_set("a", "ReplicaSet", other)}
    report = told([node("n"), *owned.values(), left("a-1", "ReplicaSet", "a")], "ns/a-1", sessions=None)
    assert "its pod asks for the scheduler mine" in report.answer
    assert [each.outlook.pods_bound for each in report.fixes] == [1]


@pytest.mark.parametrize(
    ("kind", "deletes"),
    [
        ("ReplicaSet", True),
        ("ReplicationController", True),
        ("StatefulSet", True),
        ("Deployment", False),
    ],
)
def test_a_template_that_leaves_pods_as_they_are(kind: str, deletes: bool) -> None:
    """A patch of the template is not enough where pods that wait are not replaced by their controller."""
    report = told([node("n"), left("web-0", kind, "web")], "web", sessions=None)
    text = " ".join(as_table(report, View()).split())
    assert f"run kubectl patch {kind.lower()} web -n ns" in text
    assert ("'; then delete its pods that wait: they stay as they were created" in text) == deletes


def test_what_a_job_of_kubernetes_takes_for_another_scheduler() -> None:
    """Its template cannot be changed after creation, and without a search the answer proposes nothing."""
    owned = left("web-0")
    owned["metadata"]["ownerReferences"] = [{**controller("Job", "web"), "apiVersion": "batch/v1"}]
    report = told([node("n"), owned], "web", sessions=None)
    assert "delete and re-create Job ns/web, with schedulerName volcano" in as_table(report, View())
    assert report.answer.endswith("Volcano looks only at pods with schedulerName volcano.")


def test_pods_of_another_scheduler_with_one_name() -> None:
    """What has the same name is told apart by namespace and by kind; a pod stands for all pods of its controller."""
    pods = [left(f"web-{number}", "StatefulSet", "web") for number in range(3)]
    assert told([*pods], "ns/web-1").answer.startswith("ns/web is not scheduled by Volcano: its 3 pods ask")
    pods.append(left("web-x", "StatefulSet", "web", namespace="other"))
    with pytest.raises(UnknownJob, match=r"of 2 workloads 'web' .* \(write one of ns/web, other/web\)"):
        told([*pods], "web")
    assert "its 3 pods ask" in told([*pods], "ns/web").answer
    pods.append(left("web-y", "Deployment", "web"))
    with pytest.raises(UnknownJob, match=r"write one of 'ns/web \(StatefulSet\)', 'ns/web \(Deployment\)'"):
        told([*pods], "ns/web")
    assert "(Deployment) is not scheduled by Volcano: its pod asks" in told([*pods], "ns/web (Deployment)").answer


def test_host_ports_that_are_in_use() -> None:
    """The port is named, and who uses it: another pod, or pods of the gang itself."""

    def asking(made: list[Any]) -> list[Any]:
        for each in made[1:]:
            each["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080}]
        return made

    own = "3 pods of the job itself ask for host port 8080, and a node has room for one of them"
    gang_of_three = asking(gang("job", 3))
    assert own in told([node("m"), node("n"), *gang_of_three]).answer
    [_, used] = asking([group("web", 1, "Running"), pod("web-0", "web", node="n")])
    said = told([node("n"), group("web", 1, "Running"), used, *asking(gang("job", 1))]).answer
    assert "ns/web-0 uses host port 8080" in said
    assert "of the job itself" not in said
    said = told([node("m"), node("n"), group("web", 1, "Running"), used, *gang_of_three]).answer
    assert f"ns/web-0 uses host port 8080; {own}" in said


def test_host_ports_that_do_not_meet() -> None:
    """Only the ports that are taken are named; the same number on another address is in nobody's way."""

    def with_ports(made: Any, *ports: tuple[int, str]) -> Any:
        named = [{"containerPort": number, "hostPort": number, "hostIP": address} for number, address in ports]
        made["spec"]["containers"][0]["ports"] = named
        return made

    used = with_ports(pod("web-0", "web", node="n"), (80, "0.0.0.0"))  # noqa: S104 - the address of all
    elsewhere = with_ports(pod("web-1", "web", node="n"), (80, "10.0.0.9"))
    [of_job, asking] = gang("job", 1)
    with_ports(asking, (80, "10.0.0.1"), (443, "10.0.0.1"))
    said = told([node("n"), group("web", 1, "Running"), used, elsewhere, of_job, asking]).answer
    assert "ns/web-0 uses host port 10.0.0.1:80" in said
    assert "443" not in said


def test_one_limit_is_told_once() -> None:
    """A gang beyond what its queue may hold is not said to be in the way of the same limit once more."""
    limited = queue("q", capability={"cpu": "1"})
    said = told([node("n", cpu=8), limited, *gang("job", 2, queue="q")]).answer
    assert "may hold 1 at most" in said
    assert "Also in its way" not in said


@pytest.mark.parametrize(
    ("phase", "said"),
    [
        (
            "Aborted",
            "so that its controller creates no pods for it: vcctl job resume --name j --namespace ns has it go",
        ),
        ("Completed", "which is final: it has to be created again to run once more"),
    ],
)
def test_a_job_that_has_ended(phase: str, said: str) -> None:
    """It is named with its phase and what to do, whether its PodGroup is left or not; a running one is unknown."""
    [of_job, job] = stored_job("j", job_task(), minimum=1)
    job["status"]["state"]["phase"] = phase
    of_job["status"]["phase"] = "Inqueue"
    left = explain_job(manifests([node("n"), queue("default"), of_job, job]), SimulateOptions(), "ns/j")
    assert left.answer.startswith(f"Job ns/j is {phase}, {said}")
    alone = manifests([node("n"), queue("default"), job])
    with pytest.raises(UnknownJob, match=f"^Job ns/j is {phase}, {said}"):
        explain_job(alone, SimulateOptions(), "j")
    with pytest.raises(UnknownJob, match=r"^there is no job 'typo'"):
        explain_jobs(alone, SimulateOptions(), ["typo", "ns/j"])
