"""What a Volcano Job stands for."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.snapshot.controllers.objects import (
    Object,
    completed,
    make,
    names,
    notes,
    only_group,
    pod,
    pod_group,
    priority_class,
    read,
    task,
    volcano_job,
)
from vqs.snapshot.controllers.complete import complete


def test_a_job_is_a_pod_group_and_pods() -> None:
    """Pods are named after job, task and number, and carry role, number, job and queue; all belong to the PodGroup."""
    made = completed(volcano_job(task("ps", 1), task("worker", 2), queue="research"))

    group = only_group(made)
    assert (group.metadata.namespace, group.metadata.name, group.spec.queue) == ("ns", "train", "research")
    assert (group.spec.min_member, group.spec.min_task_member) == (3, {"ps": 1, "worker": 2})
    assert group.status.phase == "Pending"
    assert names(made.pods) == ["train-ps-0", "train-worker-0", "train-worker-1"]
    last = made.pods[-1]
    assert last.spec.scheduler_name == "volcano"
    assert last.metadata.labels == {
        "volcano.sh/task-index": "1",
        "volcano.sh/task-spec": "worker",
        "volcano.sh/job-name": "train",
        "volcano.sh/job-namespace": "ns",
        "volcano.sh/queue-name": "research",
    }
    assert last.metadata.annotations == {
        "volcano.sh/task-index": "1",
        "volcano.sh/task-spec": "worker",
        "volcano.sh/job-name": "train",
        "volcano.sh/job-version": "0",
        "volcano.sh/job-retry-count": "0",
        "volcano.sh/queue-name": "research",
        "volcano.sh/template-uid": "train-worker",
        "scheduling.k8s.io/group-name": "train",
    }
    assert [(owner.kind, owner.name, owner.controller) for owner in last.metadata.owner_references] == [
        ("Job", "train", True)
    ]
    assert made.volcano_jobs == []


def test_defaults() -> None:
    """Tasks without names are numbered, the queue is default, and a task starts with all of its pods."""
    made = completed(volcano_job(task("", 2), task("", 3, minAvailable=1)))

    group = only_group(made)
    assert group.spec.queue == "default"
    assert group.spec.min_task_member == {"default0": 2, "default1": 1}
    assert group.spec.min_member == 3


def test_the_uid_is_part_of_the_group_name() -> None:
    """A Job that the API server has seen has a PodGroup named after its name and uid."""
    made = completed(volcano_job(task(replicas=1), metadata={"uid": "123"}))

    assert names(made.pod_groups) == ["train-123"]


def test_what_pods_inherit() -> None:
    """Pods take scheduler and priority class from the Job where the template has none, and some of its annotations."""
    made = completed(
        priority_class("high", 1000, preemptionPolicy="Never"),
        volcano_job(
            task("a", 1),
            task("b", 1, pod={"priorityClassName": "other", "schedulerName": "mine", "labels": {"app": "b"}}),
            priorityClassName="high",
            schedulerName="volcano",
            metadata={
                "labels": {"volcano.sh/preemptable": "true", "team": "x"},
                "annotations": {"volcano.sh/cooldown-time": "5m", "volcano.sh/jdb-min-available": "1", "note": "x"},
            },
        ),
    )

    a, b = made.pods
    assert (a.spec.scheduler_name, a.spec.priority_class_name, a.spec.priority) == ("volcano", "high", 1000)
    assert a.spec.preemption_policy == "Never"
    assert (b.spec.scheduler_name, b.spec.priority_class_name, b.spec.priority) == ("mine", "other", None)
    assert a.metadata.labels["volcano.sh/preemptable"] == "true"
    assert {"team", "note"}.isdisjoint(a.metadata.labels | a.metadata.annotations)
    assert a.metadata.annotations["volcano.sh/cooldown-time"] == "5m"
    assert a.metadata.annotations["volcano.sh/jdb-min-available"] == "1"
    assert b.metadata.labels["app"] == "b"
    group = only_group(made)
    assert group.spec.priority_class_name == "high"
    assert group.metadata.labels["team"] == "x"
    assert group.metadata.annotations["note"] == "x"


def test_priority_without_a_class() -> None:
    """A pod without a priority class has the priority of the default class, zero if there is none."""
    default = priority_class("usual", 7, globalDefault=True)

    assert completed(default, volcano_job(task(replicas=1))).pods[0].spec.priority == 7
    assert completed(volcano_job(task(replicas=1))).pods[0].spec.priority == 0


@pytest.mark.parametrize(
    ("minimum", "cpu"),
    [(2, "6"), (3, "4"), (4, "7"), (5, "7500m")],
    ids=["less-than-all-minima", "all-minima", "one-more", "two-more"],
)
def test_minimal_resources(minimum: int, cpu: str) -> None:
    """Minimal resources count minima, then what is missing, from the highest priority; less than that from the top."""
    made = completed(
        priority_class("high", 10),
        volcano_job(
            task("low", 3, cpu="500m", minAvailable=2),
            task("high", 2, cpu="3", minAvailable=1, pod={"priorityClassName": "high"}),
            minAvailable=minimum,
        ),
    )

    assert only_group(made).spec.min_resources == {
        "count/pods": str(minimum),
        "cpu": cpu,
        "pods": str(minimum),
        "requests.cpu": cpu,
    }


def test_nothing_stands_in_for_a_request_in_a_task() -> None:
    """Minimal resources have the limits that a task sets, and not as if they were requests."""
    made = completed(volcano_job(task(cpu="", pod={"limit": "2"})))

    assert only_group(made).spec.min_resources == {"count/pods": "2", "pods": "2", "limits.cpu": "4"}


def test_extended_resources() -> None:
    """Minimal resources count an extended resource under its name and as a request."""
    gpus = {"containers": [{"name": "c", "resources": {"requests": {"nvidia.com/gpu": 2, "kubernetes.io/x": 1}}}]}
    made = completed(volcano_job({"name": "w", "replicas": 2, "template": {"spec": gpus}}))

    assert only_group(made).spec.min_resources == {
        "count/pods": "2",
        "nvidia.com/gpu": "4",
        "pods": "2",
        "requests.nvidia.com/gpu": "4",
    }


def test_partitions() -> None:
    """A task that is cut into partitions is a subgroup policy, and its pods carry the number of their partition."""
    parts = {"totalPartitions": 2, "partitionSize": 2, "minPartitions": 1, "networkTopology": {"highestTierAllowed": 1}}
    made = completed(
        volcano_job(
            task("solver", 4, partitionPolicy=parts),
            networkTopology={"mode": "soft", "highestTierAllowed": 2},
        )
    )

    spec = only_group(made).spec
    assert (spec.min_member, spec.min_task_member) == (2, {"solver": 2})
    [policy] = spec.sub_group_policy
    assert (policy.name, policy.sub_group_size, policy.min_sub_groups) == ("solver", 2, 1)
    assert policy.match_label_keys == ["volcano.sh/partition-id"]
    assert policy.label_selector is not None
    assert policy.label_selector.match_labels == {"volcano.sh/task-spec": "solver"}
    assert policy.network_topology is not None
    assert policy.network_topology.highest_tier_allowed == 1
    assert spec.network_topology is not None
    assert (spec.network_topology.mode, spec.network_topology.highest_tier_allowed) == ("soft", 2)
    assert [each.metadata.labels["volcano.sh/partition-id"] for each in made.pods] == ["0", "0", "1", "1"]


def test_volumes() -> None:
    """A claim that the Job describes is made, and each pod has a volume of it and of each claim that is named."""
    made = completed(
        volcano_job(
            task(replicas=1),
            volumes=[
                {"mountPath": "/a", "volumeClaim": {"storageClassName": "fast"}},
                {"mountPath": "/b", "volumeClaimName": "data"},
                {"mountPath": "/c", "volumeClaimName": "data"},
            ],
        )
    )

    [claim] = made.claims
    assert claim.spec.storage_class_name == "fast"
    sources = [volume.persistent_volume_claim for volume in made.pods[0].spec.volumes]
    assert [source.claim_name for source in sources if source] == [claim.metadata.name, "data"]


STORAGE: dict[str, Any] = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "example.com/disk"}
DEFAULT = "storageclass.kubernetes.io/is-default-class"


def storage_class(name: str, default: str = "true", created: str | None = None) -> dict[str, Any]:
    """Return a StorageClass."""
    born = {} if created is None else {"creationTimestamp": created}
    return {**STORAGE, "metadata": {"name": name, "annotations": {DEFAULT: default}, **born}}


@pytest.mark.parametrize(
    ("classes", "given", "made"),
    [
        ([storage_class("standard"), storage_class("other", "false")], {}, "standard"),
        ([storage_class("standard")], {"storageClassName": "fast"}, "fast"),
        ([storage_class("standard")], {"storageClassName": ""}, ""),
        ([storage_class("other", "false")], {}, None),
        ([storage_class("b"), storage_class("a")], {}, "a"),
        (
            [storage_class("a", created="2026-01-01T00:00:00Z"), storage_class("b", created="2026-01-02T00:00:00Z")],
            {},
            "b",
        ),
    ],
)
def test_the_default_storage_class(classes: list[dict[str, Any]], given: dict[str, Any], made: str | None) -> None:
    """A claim that names no class gets the default one, the newest of several; no name is a name."""
    volumes = [{"mountPath": "/a", "volumeClaim": given}]

    [claim] = completed(volcano_job(task(replicas=1), volumes=volumes), *classes).claims

    assert claim.spec.storage_class_name == made


def test_the_defaults_of_a_namespace() -> None:
    """Containers get the requests and limits of a LimitRange that they leave out; a limit alone is a request."""
    limits = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "small", "namespace": "ns"},
        "spec": {
            "limits": [
                {"type": "Container", "defaultRequest": {"cpu": "100m"}, "max": {"memory": "1Gi"}},
                {"type": "Pod", "max": {"cpu": "8"}},
            ]
        },
    }
    containers = [
        {"name": "bare"},
        {"name": "limited", "resources": {"limits": {"cpu": "2"}}},
        {"name": "own", "resources": {"requests": {"cpu": "1", "memory": "512Mi"}}},
    ]
    job = volcano_job(task(replicas=1, pod={"containers": containers}))
    elsewhere = {**limits, "metadata": {"name": "other", "namespace": "elsewhere"}}

    [pod] = completed(job, limits).pods

    assert [each.resources.requests for each in pod.spec.containers] == [
        {"cpu": "100m", "memory": "1Gi"},
        {"cpu": "2", "memory": "1Gi"},
        {"cpu": "1", "memory": "512Mi"},
    ]
    assert [each.resources.limits for each in pod.spec.containers] == [
        {"memory": "1Gi"},
        {"cpu": "2", "memory": "1Gi"},
        {"memory": "1Gi"},
    ]
    assert completed(job, elsewhere).pods[0].spec.containers[0].resources.requests == {}


def test_default_tolerations() -> None:
    """A new pod tolerates for a while that a node is not ready, unless it says for how long itself."""
    taint = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "spec": {"taints": [taint]}}
    own = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}

    for given, seconds in (([], 300), ([own], 5)):
        [pod] = completed(volcano_job(task(replicas=1, pod={"tolerations": given})), node).pods
        assert [(each.key, each.toleration_seconds) for each in pod.spec.tolerations] == [(taint["key"], seconds)]
    assert completed(volcano_job(task(replicas=1))).pods[0].spec.tolerations == []


def test_ports_on_the_host_network() -> None:
    """A pod on the host's network takes the ports of its containers there."""
    container = {"name": "c", "ports": [{"containerPort": 22}]}
    made = completed(volcano_job(task(replicas=1, pod={"hostNetwork": True, "containers": [container]})))

    assert [port.host_port for port in made.pods[0].spec.containers[0].ports] == [22]


# --- what exists already ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "group",
    [
        pod_group("train-123"),
        pod_group("train"),
        pod_group(
            "old",
            metadata={
                "ownerReferences": [
                    {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "train", "controller": True}
                ]
            },
        ),
    ],
    ids=["by-uid", "by-name", "by-owner"],
)
def test_an_existing_pod_group_is_used(group: Object) -> None:
    """A PodGroup named after the Job and its uid, or the Job, or controlled by it, is the Job's."""
    made = completed(group, volcano_job(task(replicas=1), metadata={"uid": "123"}))

    assert names(made.pod_groups) == [group["metadata"]["name"]]
    assert made.pods[0].metadata.annotations["scheduling.k8s.io/group-name"] == group["metadata"]["name"]


def test_only_missing_pods_are_made() -> None:
    """Of a Job that has started, what is there stays, and the rest is added."""
    running = pod("train-worker-1", "Running", annotations={"scheduling.k8s.io/group-name": "train"})
    made = completed(pod_group("train", "Running"), running, volcano_job(task(replicas=3), phase="Running"))

    assert names(made.pods) == ["train-worker-1", "train-worker-0", "train-worker-2"]
    assert list(made.created_from["pods"]) == ["ns/train-worker-0", "ns/train-worker-2"]


def test_a_job_that_waits_gets_no_more_pods() -> None:
    """No pods are added to those of a Job whose PodGroup was not let in."""
    waiting = pod("train-worker-1", annotations={"scheduling.k8s.io/group-name": "train"})
    made = completed(pod_group("train", "Pending"), waiting, volcano_job(task(replicas=3), phase="Pending"))

    assert names(made.pods) == ["train-worker-1"]


@pytest.mark.parametrize("group", [[], [pod_group("train-123", "Pending")], [pod_group("train-123", "")]])
def test_a_job_in_a_cluster_waits_for_its_admission(group: list[Object]) -> None:
    """A Job that a cluster has seen gets its PodGroup, and no pods before that is admitted; what it awaits is noted."""
    made = completed(*group, volcano_job(task("ps", 1, cpu="2"), task("worker", 2), metadata={"uid": "123"}))

    assert names(made.pod_groups) == ["train-123"]
    assert made.pods == []
    awaited = made.awaited["ns/train-123"]
    assert (awaited.maker, awaited.waits_for, awaited.number) == ("Job ns/train", "admission", 3)
    assert [(role.role, role.names) for role in awaited.roles] == [
        ("ps", ("train-ps-0",)),
        ("worker", ("train-worker-0", "train-worker-1")),
    ]
    assert awaited.roles[0].spec.containers[0].resources.requests == {"cpu": "2"}


def test_an_admitted_job_in_a_cluster_gets_its_pods() -> None:
    """The pods of a Job are made once its PodGroup is Inqueue, and nothing is awaited any longer."""
    made = completed(pod_group("train-123"), volcano_job(task(), metadata={"uid": "123"}))

    assert names(made.pods) == ["train-worker-0", "train-worker-1"]
    assert made.awaited == {}


@pytest.mark.parametrize(
    ("phase", "made_now", "awaited"),
    [("Pending", ["train-ps-0"], 2), ("Running", ["train-ps-0", "train-worker-0", "train-worker-1"], 0)],
)
def test_tasks_that_depend_on_others(phase: str, made_now: list[str], awaited: int) -> None:
    """The pods of a task are made once those that it depends on run."""
    first = pod("train-ps-0", phase, annotations={"scheduling.k8s.io/group-name": "train-123"})
    job = volcano_job(task("ps", 1), task("worker", 2, dependsOn={"name": ["ps"]}), metadata={"uid": "123"})
    made = completed(pod_group("train-123"), first, job)

    assert names(made.pods) == made_now
    assert {uid: (each.waits_for, each.number) for uid, each in made.awaited.items()} == (
        {"ns/train-123": ("dependencies", awaited)} if awaited else {}
    )


def test_tasks_wait_until_those_they_depend_on_are_ready() -> None:
    """A pod that runs counts once all of its containers are ready."""
    first = pod("train-ps-0", "Running", annotations={"scheduling.k8s.io/group-name": "train-123"})
    job = volcano_job(task("ps", 1), task("worker", 2, dependsOn={"name": ["ps"]}), metadata={"uid": "123"})
    for ready, number in ((True, 3), (False, 1)):
        first["status"]["containerStatuses"] = [{"name": "a", "ready": True}, {"name": "b", "ready": ready}]
        assert len(completed(pod_group("train-123"), first, job).pods) == number


def test_the_first_tasks_of_an_admitted_job_do_not_wait() -> None:
    """Of a Job in a cluster that was just admitted, the tasks that depend on others are left for later."""
    job = volcano_job(task("ps", 1), task("worker", 2, dependsOn={"name": ["ps"]}), metadata={"uid": "123"})
    made = completed(pod_group("train-123"), job)

    assert names(made.pods) == ["train-ps-0"]
    assert notes(made)[-1] == "pods that wait for other pods of their Job were not added: Job ns/train"


def test_pods_of_another_scheduler_are_not_awaited() -> None:
    """What another scheduler places is nothing to wait for here."""
    job = volcano_job(task("ps", 1), task("x", 2, pod={"schedulerName": "mine"}), metadata={"uid": "123"})
    assert completed(job).awaited["ns/train-123"].number == 1


def test_what_is_created_first() -> None:
    """Of a Job that waits for its admission, tasks that depend on others are created later than the rest."""
    job = volcano_job(task("ps", 1), task("worker", 2, dependsOn={"name": ["ps"]}), metadata={"uid": "123"})
    awaited = completed(job).awaited["ns/train-123"]
    assert awaited.number_waiting_for("admission") == 1
    assert awaited.number_waiting_for("dependencies") == 2


def test_pods_are_not_made_anew_where_the_snapshot_has_none() -> None:
    """Where PodGroups tell of pods that run and there is no pod at all, the kind was left out of the snapshot."""
    running = pod_group("train-123", "Running")
    running["status"]["running"] = 2
    made = completed(running, volcano_job(task(), metadata={"uid": "123"}))
    assert made.pods == []
    assert made.awaited == {}


def test_a_job_that_restarts_gets_its_pods() -> None:
    """A Job in phase Restarting is synced like any other: its pods come once the PodGroup is admitted."""
    restarting = volcano_job(task(), phase="Restarting", metadata={"uid": "123"})

    assert completed(pod_group("train-123", "Pending"), restarting).awaited["ns/train-123"].number == 2
    assert len(completed(pod_group("train-123"), restarting).pods) == 2


def test_a_job_is_in_the_cluster_once_a_session_has_run() -> None:
    """After a session a Job without uid is treated like those of a cluster: its pods are not there at once."""
    given = read(volcano_job(task()))
    given.sessions = 1

    assert complete(given).pods == []


@pytest.mark.parametrize("phase", ["Completed", "Failed", "Aborting", "Terminating"])
def test_a_job_that_is_over_gets_no_pods(phase: str) -> None:
    """Nothing is made of a Job that has ended, or whose pods are being taken down."""
    made = completed(volcano_job(task(), phase=phase))

    assert made.pods == []
    assert made.pod_groups == []


def test_a_job_that_is_deleted_gets_no_pods() -> None:
    """Nothing is made of a Job that is being deleted."""
    made = completed(volcano_job(task(), metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}))

    assert made.pods == []


@pytest.mark.parametrize(("phase", "number"), [("Running", 2), ("Pending", 1)])
def test_dependents_of_a_started_job(phase: str, number: int) -> None:
    """In a Job that has started, the pods of a task are made once the tasks that it depends on run."""
    master = pod("train-master-0", phase, annotations={"scheduling.k8s.io/group-name": "train"})
    job = volcano_job(task("master", 1), task("worker", 1, dependsOn={"name": ["master"]}), phase="Running")

    assert len(completed(pod_group("train", "Running"), master, job).pods) == number


def test_pods_that_are_held_back_are_noted() -> None:
    """A gang that is short of pods because they wait for others has a reason that somebody has to tell."""
    group = {"scheduling.k8s.io/group-name": "train"}
    workers = task("worker", 2, dependsOn={"name": ["master"]})
    job = volcano_job(task("master", 1), workers, phase="Running")
    made = completed(pod_group("train", "Running"), pod("train-worker-0", "Running", annotations=group), job)

    assert "pods that wait for other pods of their Job were not added: Job ns/train" in notes(made)


def test_a_job_without_pods_is_a_warning() -> None:
    """Most likely replicas are misspelt."""
    made = completed(volcano_job(task("worker", 0)))

    assert "no pods are requested: Job ns/train" in notes(made)


@pytest.mark.parametrize(("iteration", "number"), [("any", 3), ("all", 2)])
def test_depending_on_any_task(iteration: str, number: int) -> None:
    """A task may wait for one of several others, or for all."""
    group = {"scheduling.k8s.io/group-name": "train"}
    pods = [pod("train-a-0", "Running", annotations=group), pod("train-b-0", annotations=group)]
    depends = {"name": ["a", "b"], "iteration": iteration}
    job = volcano_job(task("a", 1), task("b", 1), task("c", 1, dependsOn=depends), phase="Running")

    assert len(completed(pod_group("train", "Running"), *pods, job).pods) == number


def test_a_new_job_stands_for_all_of_its_pods() -> None:
    """Of a new Job all pods are made, those that wait for others too, and a note says so."""
    made = completed(volcano_job(task("master", 1), task("worker", 2, dependsOn={"name": ["master"]})))

    assert len(made.pods) == 3
    assert "all pods were added at once, although they wait for one another: Job ns/train" in notes(made)


# --- marks ------------------------------------------------------------------------------------------------------------


def test_where_things_come_from() -> None:
    """What is made names the Job, has the Job's place in the input, and is counted in a note."""
    given = read(make("Node", "n", metadata={"namespace": ""}), volcano_job(task(replicas=2)))
    made = complete(given)

    assert made.created_from == {
        "pod_groups": {"ns/train": "Job ns/train"},
        "pods": {"ns/train-worker-0": "Job ns/train", "ns/train-worker-1": "Job ns/train"},
    }
    assert made.position("pods", 1) == given.position("volcano_jobs", 0)
    made_objects, before_admission = notes(made)
    assert made_objects == "added what controllers would create: 1 PodGroup and 2 Pods for 1 Job"
    assert before_admission == (
        "Job ns/train has no uid, so it is in no cluster yet: its pods are simulated at "
        "once; in a cluster, the Job controller creates them a session later, once the PodGroup is admitted"
    )


def test_the_time_of_what_is_made() -> None:
    """What is made is as old as the Job; of a Job that was never submitted, it comes after all else."""
    node = make("Node", "n", metadata={"namespace": "", "creationTimestamp": "2026-01-02T00:00:00Z"})
    old = {"creationTimestamp": "2026-01-01T00:00:00Z"}

    assert only_group(completed(node, volcano_job(task(), metadata=old))).metadata.creation_timestamp == datetime(
        2026, 1, 1, tzinfo=UTC
    )
    assert only_group(completed(node, volcano_job(task()))).metadata.creation_timestamp == datetime(
        2026, 1, 2, tzinfo=UTC
    )


def test_completing_again_changes_nothing() -> None:
    """What was given stays as it was, and what was completed is complete."""
    given = read(volcano_job(task()), pod("alone"))
    once = complete(given)

    assert names(given.pods) == ["alone"]
    assert given.pods[0].metadata.annotations == {}
    assert len(given.volcano_jobs) == 1
    assert complete(once) == once
