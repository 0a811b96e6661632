"""All that keeps a job from being placed is named, the impossible first."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.build import CONF, Object, gang, group, hyper_node, job_task, manifests, node, pod, queue, stored_job
from tests.conformance.reading import read_scenario, unpacked
from tests.diff.sides import read_documents
from vqs.explain.jobs.report import explain_job
from vqs.explain.outcome import Blocker
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.explain.verdict_rules import VERDICT_RULES

GPU = "nvidia.com/gpu"
CAPACITY = CONF.replace("proportion", "capacity")
APART = {
    "affinity": {
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}}}
            ]
        }
    }
}


def found(*objects: Object | list[Object], job: str = "j", conf: str = CONF) -> list[Blocker]:
    """Return the blockers of a job in one session."""
    result = simulate(manifests([*objects], conf), SimulateOptions())
    return next(each for each in result.jobs if each.name == job).blockers


def codes(blockers: list[Blocker]) -> list[tuple[str, str, bool]]:
    """Return what blockers are about."""
    return [(each.code, each.resource, each.impossible) for each in blockers]


def apart(number: int) -> list[Object]:
    """Make a gang whose pods may not share a node."""
    pods: list[Any] = [pod(f"j-{each}", "j", cpu=1, labels={"app": "a"}, spec=APART) for each in range(number)]
    return [group("j", number), *pods]


def test_a_job_that_is_placed_has_none() -> None:
    """Nothing keeps it."""
    assert found(node("n", cpu=4), queue("default"), gang("j", 2, cpu=1)) == []


def test_every_resource_that_no_node_has_is_named() -> None:
    """Also where something else stops the job first."""
    blockers = found(node("n", cpu=1), queue("default"), gang("j", 1, requests={GPU: 1, "example.com/fpga": 2}))
    assert codes(blockers)[:2] == [
        ("resource-on-no-node", "example.com/fpga", True),
        ("resource-on-no-node", GPU, True),
    ]


def test_what_daemons_take_a_task_never_has() -> None:
    """Where DaemonSets leave too little on all nodes, the job never starts; where only others hold room, it may."""
    daemons = [pod(f"d-{name}", node=name, cpu="100m", owner="DaemonSet/d", scheduler="") for name in ("a", "b")]
    nodes = [node("a", cpu=8), node("b", cpu=8)]
    [blocker] = found(*nodes, *daemons, gang("j", 1, cpu=8))
    assert (blocker.code, blocker.need, blocker.have, blocker.impossible) == ("larger-than-any-node", 8, 7.9, True)
    said = (
        "no node is large enough: a task requests 8 cpu, and the largest node has 8, of which DaemonSet pods take 0.1"
    )
    assert blocker.text == said
    [blocker] = found(
        *nodes, daemons[0], pod("b-b", node="b", cpu="100m", owner="Node/b", scheduler=""), gang("j", 1, cpu=8)
    )
    assert blocker.text == said
    [blocker] = found(*nodes, daemons[1], pod("other", node="a", cpu="100m"), gang("j", 1, cpu=8))
    assert (blocker.code, blocker.impossible) == ("fragmented", False)
    own = [pod(f"d-{name}", node=name, cpu="100m", owner="DaemonSet/d") for name in ("a", "b")]  # Volcano's
    assert not any(each.impossible for each in found(*nodes, *own, gang("j", 1, cpu=8)))
    [blocker] = found(node("a", pods=1), daemons[0], gang("j", 1))
    assert blocker.text == "no node is large enough: the largest node takes 1 pod, and DaemonSet pods take that many"


def test_the_node_on_which_daemons_leave_most_is_named() -> None:
    """Also where another node is larger; static pods are named where there are some; and what fits only apart."""
    small = [node("a", cpu=8), pod("etcd-a", node="a", cpu=1, owner="Node/a", scheduler="")]
    large = [node("b", cpu=9), pod("d", node="b", cpu=4, owner="DaemonSet/d", scheduler="")]
    [blocker] = found(*small, *large, gang("j", 1, cpu=8))
    comes = "node a, which comes closest, has 8, of which static pods take 1"
    assert blocker.text == f"no node is large enough: a task requests 8 cpu, and {comes}"
    tall = [
        node("a", cpu=8),
        node("c", cpu=9, memory="4Gi"),
        pod("d", node="a", cpu=1, owner="DaemonSet/d", scheduler=""),
    ]
    blocker, _ = found(*tall, gang("j", 1, cpu=8, memory="15Gi"))
    assert blocker.text.endswith("requests: 8 cpu and 15Gi memory, beside the pods of DaemonSets")


def test_a_node_with_room_that_is_kept_from_the_task_is_named() -> None:
    """It does not count as one that may take the task."""
    closed = [node("c", cpu=8, unschedulable=True), node("d", cpu=2)]
    held = [pod(f"held-{name}", node=name, cpu=5, scheduler="") for name in ("a", "b")]
    [blocker] = found(node("a", cpu=8), node("b", cpu=8), *closed, *held, gang("j", 1, cpu=6))
    assert blocker.text.endswith(
        "the 2 nodes that may take it have 6 cpu free together, and none of them has 6 cpu. "
        "Node c has 8 cpu free, and is cordoned"
    )


def test_a_hyper_node_without_nodes_is_named() -> None:
    """It is not said to have none of what is needed, as if its nodes were full."""
    topology: Any = {"networkTopology": {"mode": "hard", "highestTierAllowed": 1}}
    parts = [hyper_node("full", 1, nodes=["n"]), hyper_node("none", 1, labels={"no": "node"})]
    conf = CONF.replace("- name: proportion", "- name: proportion\n  - name: network-topology-aware")
    [blocker, *_] = found(
        node("n", cpu=1), node("m", cpu=1), *parts, gang("j", 2, minResources={"cpu": 2}, **topology), conf=conf
    )
    assert "full: its nodes have 1 of the 2 cpu needed; no node matches HyperNode none" in blocker.text


def test_a_task_that_is_larger_than_any_node_is_impossible() -> None:
    """With what it asks for, and what the largest node has."""
    (blocker, *_) = found(node("n", cpu=4), node("m", cpu=6), queue("default"), gang("j", 1, cpu=8))
    assert (blocker.code, blocker.need, blocker.have, blocker.impossible) == ("larger-than-any-node", 8, 6, True)


def test_a_gang_that_asks_for_more_than_all_nodes_have_is_impossible() -> None:
    """With both sums."""
    (blocker, *_) = found(node("n", cpu=4), node("m", cpu=4), queue("default"), gang("j", 5, cpu=2))
    assert (blocker.code, blocker.need, blocker.have) == ("gang-exceeds-cluster", 10, 8)


def test_a_gang_that_nodes_have_no_room_for_in_pieces_is_impossible() -> None:
    """Two nodes of 4 have room for two tasks of 3, not for three of 2.5 in all."""
    (blocker, *_) = found(node("n", cpu=5), node("m", cpu=5), queue("default"), gang("j", 3, cpu=3))
    assert (blocker.code, blocker.resource, blocker.need, blocker.have) == ("gang-exceeds-cluster", "", 3, 2)


def test_a_gang_whose_tasks_keep_apart_needs_as_many_nodes() -> None:
    """A node holds one task of it, however large it is."""
    nodes = [node(name, cpu=9, labels={"kubernetes.io/hostname": name}) for name in ("a", "b")]
    (blocker, *_) = found(*nodes, queue("default"), apart(3))
    assert (blocker.code, blocker.need, blocker.have) == ("gang-exceeds-cluster", 3, 2)
    assert "anti-affinity" in blocker.text
    assert found(*nodes, queue("default"), apart(2)) == []


def test_a_gang_that_asks_for_more_than_its_queue_may_hold_is_impossible() -> None:
    """The queue is empty, and yet."""
    blockers = found(node("n", cpu=9), queue("q", capability={"cpu": 3}), gang("j", 2, cpu=2, queue="q"), conf=CAPACITY)
    (blocker, *_) = blockers
    assert (blocker.code, blocker.queue, blocker.need, blocker.have) == ("gang-exceeds-queue", "q", 4, 3)


def test_a_queue_that_deserves_the_whole_cluster_is_no_limit() -> None:
    """What is short is the cluster."""
    busy = [group("busy", 1, phase="Running"), pod("busy-0", "busy", node="n", cpu=3)]
    (blocker, *_) = found(node("n", cpu=4), queue("default"), busy, gang("j", 1, cpu=2))
    assert (blocker.code, blocker.owner, blocker.queue) == ("cluster-full", "cluster", "")


def test_a_gang_of_which_some_have_a_node_is_counted() -> None:
    """The headline tells for how many of those that the gang needs a node was found, and what the others lack."""
    busy = [group("busy", 1, phase="Running"), pod("busy-0", "busy", node="m", requests={GPU: 1})]
    nodes = node("n", cpu=9, gpu=2), node("m", cpu=9, gpu=1)
    (blocker, *_) = found(*nodes, queue("default"), queue("other"), busy, gang("j", 3, requests={GPU: 1}))
    assert blocker.text.startswith("2 of the 3 tasks that its gang needs found a node; for the third, ")


def test_pods_for_another_scheduler_are_told_of() -> None:
    """The PodGroup has no task in this scheduler's eyes, and the other scheduler is named."""
    pods = [pod(f"j-{each}", "j", scheduler="other") for each in range(2)]
    objects = [node("n"), queue("default"), group("j", 2), *pods]
    (blocker, *_) = found(*objects)
    assert (blocker.code, blocker.tasks) == ("other-scheduler", 2)
    assert "other" in blocker.text
    [job] = simulate(manifests(objects), SimulateOptions()).jobs
    assert job.verdict is not None
    assert (job.verdict.code, job.verdict.text) == (blocker.code, blocker.text)


@pytest.mark.parametrize("actions", ["preempt, allocate", "enqueue, preempt, allocate"])
def test_preempt_before_allocate_reserves_and_binds_nothing(actions: str) -> None:
    """The order of the actions is named, as preempt takes the pending task before allocate can place it."""
    conf = CONF.replace("enqueue, allocate, backfill", actions)
    blockers = found(node("n", cpu=4), queue("default"), gang("j", 1, cpu=1, phase="Inqueue"), conf=conf)
    assert [each.code for each in blockers] == ["reserved-not-bound"]
    assert "preempt runs before allocate" in blockers[0].text


def test_every_code_of_a_blocker_is_explained() -> None:
    """Whoever asks `vqs rule` finds what it means."""
    blockers = found(node("n", cpu=1), queue("default"), gang("j", 2, cpu=2, requests={GPU: 1}))
    assert blockers
    assert all(each.code in VERDICT_RULES for each in blockers)


def test_a_headline_has_the_nodes_of_a_hyper_node_as_its_subject() -> None:
    """The scheduler's message begins with the HyperNode; the headline says how many of its nodes refuse."""
    conf = f"{CONF}  - name: network-topology-aware\n"
    nodes = [node(f"n{at}", cpu=2) for at in range(4)]
    tree = [*nodes, hyper_node("a", 1, nodes=["n0", "n1"]), hyper_node("b", 1, nodes=["n2", "n3"])]
    strict = {"mode": "hard", "highestTierAllowed": 1}
    blockers = found(*tree, queue("default"), gang("j", 3, 1, cpu=2, networkTopology=strict), job="j", conf=conf)
    texts = " ".join(each.text for each in blockers)
    assert re.search("none of the 2 nodes of HyperNode . has room for one of its tasks: both ", texts)
    assert "In hyperNode" not in texts


def test_a_cluster_without_a_resource_is_not_called_full() -> None:
    """There is nothing to be full of: no node is there yet."""
    texts = [each.text for each in found(queue("default"), gang("j", 1, cpu=1))]
    assert "there are no nodes, so there is no cpu, and a task requests 1" in texts
    assert not any("full" in each for each in texts)


def test_what_refused_a_task_before_a_reservation_was_rolled_back_is_named() -> None:
    """Preempt reserves room for a part of the gang and rolls it back; what allocate had said comes first."""
    result = simulate(read_scenario(unpacked("random") / "cooldown-0102.yaml"), SimulateOptions())
    texts = [task.verdict.text for task in result.tasks if task.job == "job-08" and task.verdict is not None]
    assert len(texts) == 6
    assert all("allocate had refused job-08-worker-0, because no node can take that task" in text for text in texts)


def test_what_is_reserved_for_the_job_is_not_held_by_its_queue() -> None:
    """Nodes may be reserved for some of a gang; what stops it is what it needs beside what its queue holds."""
    running = [group("ra", 2, phase="Running", queue="a"), *[pod(f"ra-{at}", "ra", node="n1") for at in range(2)]]
    others = [group("rb", 2, phase="Running", queue="b"), *[pod(f"rb-{at}", "rb", node="n1") for at in range(2)]]
    wanting = [group("want", 8, queue="b"), *[pod(f"want-{at}", "want") for at in range(8)]]
    job = [group("j", 4, queue="a"), *[pod(f"j-{at}", "j") for at in range(4)]]
    objects = [node("n1", cpu=4), node("n2", cpu=4), queue("a"), queue("b"), *running, *others, *wanting, *job]
    first = found(*objects, conf=CONF.replace("backfill", "backfill, reclaim, preempt"))[0]
    assert (
        first.text
        == "queue a holds 2 of the 4 cpu that it deserves, and the 4 tasks that its gang still needs request 4"
    )
    assert (first.need, first.have) == (6, 4)


def test_what_is_guaranteed_to_others_is_named() -> None:
    """A limit that comes of it says to whom how much is guaranteed, once; one that comes of a capability does not."""
    kept = {"resource": {"cpu": 6, "memory": "1Gi"}}
    objects: list[Any] = [
        node("n", cpu=8),
        queue("default"),
        gang("j", 2, cpu=2, phase="Pending", minResources={"cpu": 4}),
    ]
    [impossible, refused] = found(*objects, queue("vip", deserved=kept["resource"], guarantee=kept))

    assert impossible.text.endswith("queue default may hold 2 at most; queue vip is guaranteed 6 cpu")
    assert "guaranteed" not in refused.text
    halves = [queue(name, guarantee={"resource": {"cpu": 3}}) for name in ("a", "b")]
    assert "; queues a and b are together guaranteed 6 cpu" in found(*objects, *halves)[0].text
    weight_alone = queue("b", guarantee={"resource": {"cpu": 4}}), gang("k", 8, queue="b", created=1)
    [limit] = found(objects[0], queue("default"), gang("j", 6, 1), *weight_alone)
    assert "guaranteed" not in limit.text
    own = [each for each in found(objects[0], queue("default", capability={"cpu": 2}), objects[2]) if each.queue]
    assert own
    assert not any("guaranteed" in each.text for each in own)


def test_guarantees_beside_each_queue_above() -> None:
    """In a tree what is guaranteed beside a queue, and beside those above it, makes its limit."""
    tree = CAPACITY.replace("- name: capacity", "- name: capacity\n    enableHierarchy: true")
    queues = [
        queue("root", capability={"cpu": 8}),
        *(queue(name, guarantee={"resource": {"cpu": cpu}}, parent="root") for name, cpu in (("a", 2), ("b", 5))),
        queue("a1", parent="a"),
        queue("a2", parent="a", guarantee={"resource": {"cpu": 1}}),
    ]
    blockers = found(node("n", cpu=8), queues, gang("j", 3, cpu=2, queue="a1"), conf=tree)
    assert blockers[0].text.endswith("; queues b and a2 are together guaranteed 6 cpu")


def test_a_gang_that_is_too_small_as_pods_are_refused() -> None:
    """What the API server does not let in is the cause, not that the job has fewer tasks than its gang needs."""
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "team", "namespace": "ns"},
        "spec": {"hard": {"requests.cpu": 2}},
        "status": {"hard": {"requests.cpu": 2}, "used": {"requests.cpu": 1}},
    }
    job = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "ns"},
        "spec": {"schedulerName": "volcano", "minAvailable": 2, "queue": "default", "tasks": [job_task()]},
    }
    result = simulate(read_documents([node("n"), queue("default"), quota, job]), SimulateOptions())

    assert [blocker.code for blocker in result.jobs[0].blockers] == ["api-server-refuses-pods"]


def test_nodes_that_nobody_asked() -> None:
    """Where a limit of the queue stops a job, a taint of the only nodes that are large enough would stop it next."""
    tainted = node("n", cpu=8, taints=[{"key": "team", "value": "ml", "effect": "NoSchedule"}])
    limited = queue("default", capability={"cpu": 2})
    made = found(tainted, node("a", cpu=2), node("b", cpu=2), limited, gang("j", 1, cpu=6))
    assert codes(made) == [("gang-exceeds-queue", "cpu", True), ("no-node-fits", "", False)]
    said = "the only node that is large enough for a task has the taint {team: ml}, which the task does not tolerate"
    assert (made[1].text, made[1].owner) == (said, "job")
    cordoned = node("m", cpu=8, unschedulable=True)
    _, several = found(tainted, cordoned, node("a", cpu=2), limited, gang("j", 1, cpu=6))
    assert several.text == (
        "of the 2 nodes that are large enough for a task, 1 has the taint {team: ml}, which the task does not "
        "tolerate; 1 is cordoned"
    )
    open_to_all = found(node("n", cpu=8), node("a", cpu=2), limited, gang("j", 1, cpu=6))
    assert codes(open_to_all) == [("gang-exceeds-queue", "cpu", True)]


@pytest.mark.parametrize(
    ("depends", "minimum", "said"),
    [
        ({"name": ["ps"]}, 3, "only once ps runs (dependsOn), and ps waits for the gang, so it never starts unless"),
        ({"name": ["ps", "init"]}, 4, "only once ps and init run (dependsOn), and they wait for the gang, so it never"),
        ({"name": ["ps", "init"], "iteration": "any"}, 4, "only once ps or init runs (dependsOn), and they wait for"),
        ({"name": ["ps"]}, 1, ""),
    ],
)
def test_pods_that_wait_for_pods_of_their_own_gang(depends: dict[str, Any], minimum: int, said: str) -> None:
    """A gang that needs the pods of a task, whose dependencies wait for the gang, never starts; the answer says so."""
    others = [job_task(name, 1) for name in depends["name"]]
    tasks = [*others, job_task("worker", 2, dependsOn=depends, minAvailable=0)]
    job = stored_job("new", *tasks, minimum=minimum)
    read = manifests([node("n", cpu=8), queue("default"), job], CONF)
    answer = explain_job(read, SimulateOptions(), "new").answer
    assert ("those of worker are created only once" in answer) == bool(said)
    assert said in answer


@pytest.mark.parametrize(
    ("actions", "why"),
    [
        ("allocate", "the action reclaim is not configured"),
        ("allocate, reclaim", "reclaim may take nothing from it (reclaimable: false)"),
    ],
)
def test_what_another_queue_holds_beyond_what_it_deserves(actions: str, why: str) -> None:
    """A queue that lacks what it deserves names who has it, and why it is not taken back."""
    rich = [group("rich", 1, "Running", queue="b"), *(pod(f"rich-{each}", "rich", node="n") for each in range(4))]
    objects = [node("n", cpu=4), queue("a"), queue("b", reclaimable=False), *rich, *gang("job", 1, queue="a")]
    [blocker, *_] = found(*objects, job="job", conf=CONF.replace("allocate", actions))
    assert blocker.text.endswith(f"; queue b holds 1 cpu beyond what it deserves, and {why}")


def test_jobs_of_a_lower_priority_in_the_way() -> None:
    """They are named where they run in the job's queue and the action preempt is not configured, and only there."""
    runs = [group("low", 1, "Running", priorityClassName="low"), *(pod(f"low-{n}", "low", node="n") for n in range(4))]
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in (("low", 1), ("high", 9))
    ]
    objects = [node("n", cpu=4), queue("default"), *classes, *runs]
    said = "; ns/low of a lower priority runs in its queue, and the action preempt is not configured"
    [blocker, *_] = found(*objects, gang("j", 1, priorityClassName="high"))
    assert blocker.text.endswith(said)
    [blocker, *_] = found(*objects, gang("j", 1, priorityClassName="low"))
    assert "preempt" not in blocker.text
    tainted = node("n", cpu=4, taints=[{"key": "k", "effect": "NoSchedule"}])
    [blocker, *_] = found(tainted, node("m", cpu=4), *objects[1:], gang("j", 1, cpu=5, priorityClassName="high"))
    assert "preempt" not in blocker.text
    [blocker, *_] = found(*objects, gang("j", 5, priorityClassName="high"), conf=CONF.replace("allocate", "preempt"))
    assert "not configured" not in blocker.text


def test_what_a_queue_deserves_for_its_capability() -> None:
    """A queue that deserves as much as its capability and no more says so; one with less weight does not."""
    runs = [group("runs", 1, "Running", queue="a"), *(pod(f"runs-{each}", "runs", node="n") for each in range(2))]
    full = [node("n", cpu=8), *runs, *gang("job", 1, queue="a")]
    [blocker, *_] = found(*full, queue("a", capability={"cpu": 2}), job="job")
    assert blocker.text.endswith("; its capability is 2")
    other = [group("more", 1, "Running", queue="b"), *(pod(f"more-{each}", "more", node="n") for each in range(6))]
    [blocker, *_] = found(*full, *other, queue("a", capability={"cpu": 6}), queue("b", 3), job="job")
    assert "its capability" not in blocker.text


@pytest.mark.parametrize(
    ("depends", "said"),
    [
        ({"name": ["ps"]}, "once task ps runs (dependsOn)"),
        ({"name": ["ps", "in"]}, "once tasks ps and in run (dependsOn)"),
        ({"name": ["ps", "in"], "iteration": "any"}, "once tasks ps or in runs (dependsOn)"),
    ],
)
def test_pods_that_wait_for_pods_that_do_not_run(depends: dict[str, Any], said: str) -> None:
    """The tasks that have to run first are named, and the pod of them on a node whose container does not run."""
    tasks = [*(job_task(name, 1) for name in depends["name"]), job_task("worker", 2, dependsOn=depends)]
    [of_job, job] = stored_job("j", *tasks, minimum=1)
    of_job["status"]["phase"] = "Running"
    pods: list[Any] = [
        pod(f"j-{name}-0", of_job["metadata"]["name"], node="n", role=name, phase="Pending") for name in depends["name"]
    ]
    for each in pods:
        each["metadata"]["ownerReferences"] = of_job["metadata"]["ownerReferences"]
        each["status"]["containerStatuses"] = [{"name": "c"}]
    objects = [node("n", cpu=8), queue("default"), of_job, job, *pods]
    answer = explain_job(manifests(objects), SimulateOptions(), "j").answer
    assert answer.endswith(f"the Job controller creates 2 pods {said}.")
    job["spec"]["minAvailable"] = of_job["spec"]["minMember"] = 1 + len(pods)
    answer = explain_job(manifests(objects), SimulateOptions(), "j").answer
    assert f"waits for pods that do not exist yet: the Job controller creates 2 pods {said}" in answer
    pods[0]["status"]["containerStatuses"][0]["state"] = {"waiting": {"reason": "ImagePullBackOff"}}
    answer = explain_job(manifests(objects), SimulateOptions(), "j").answer
    held = "pod ns/j-ps-0 does not run on node n: ImagePullBackOff (kubectl describe pod j-ps-0 -n ns)"
    assert answer.endswith(f"{said}; {held}.")
    pods[0]["status"]["containerStatuses"][0]["state"]["waiting"]["message"] = "image x:\n not found"
    answer = explain_job(manifests(objects), SimulateOptions(), "j").answer
    assert "does not run on node n: ImagePullBackOff: image x: not found (kubectl describe pod" in answer


def test_what_is_free_in_parts() -> None:
    """A gang of which some tasks found a node says how much is free together, where no node has enough for one."""
    nodes = [node(name, cpu=4) for name in "abc"]
    held = [group("runs", 1, "Running"), *(pod(f"runs-{name}", "runs", cpu=2, node=name) for name in "ab")]
    [blocker, *_] = found(*nodes, queue("default"), *held, gang("j", 2, cpu=4))
    said = "at the end of the session, the nodes that may take it have 8 free together (fragmented)"
    assert blocker.text.endswith(said)
