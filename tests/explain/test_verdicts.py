"""Every verdict says what a reader can act on."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import CONF, gang, group, job_task, manifests, node, pod, queue, stored_job
from tests.clusters import clusters
from tests.properties import examples
from vqs.explain.outcome import Simulation, Verdict
from vqs.explain.simulate import SimulateOptions, simulate


def outcome(*objects: Any, conf: str = CONF) -> Simulation:
    """Simulate some objects."""
    return simulate(manifests([*objects], conf), SimulateOptions())


def of(simulation: Simulation, name: str) -> Verdict:
    """Return the verdict of a task."""
    verdict = next(task.verdict for task in simulation.tasks if task.name == name)
    assert verdict is not None
    return verdict


def test_a_gang_that_broke_on_the_queues_limit_says_so() -> None:
    """Tasks that had room name the sibling that was refused, also where no node refused it."""
    simulation = outcome(
        node("a", cpu=64), queue("x"), queue("y"), gang("j", 4, cpu=10, queue="x"), gang("k", 1, cpu=60, queue="y")
    )
    verdict = of(simulation, "j-worker-0")
    assert verdict.code == "gang-discarded"
    assert (verdict.need, verdict.have) == (4, 3)
    assert "its gang is incomplete: 3 of the 4 tasks that it needs found a node" in verdict.text
    assert "Queue x would hold 40 cpu with j-worker-3, more than the 32 that it deserves" in verdict.text


def test_a_task_that_was_not_tried_says_what_came_before_it() -> None:
    """After a task that fits nowhere, the rest of a whole gang is not tried; the cause is named."""
    members = [pod(f"j-{n}", "j", cpu=4 if n else 9, role="") for n in range(2)]
    verdict = of(outcome(node("a"), node("b"), queue("default"), group("j", 2), *members), "j-1")
    assert verdict.code == "never-considered"
    assert verdict.text == (
        "the task was not tried, because another task of its gang was not placed. None of the 2 nodes has room for "
        "j-0: both have too little cpu left"
    )


def test_overcommit_shows_how_its_limit_comes_about() -> None:
    """The limit is the factor times what all nodes have, minus what is used, with figures of the case."""
    running = pod("r-0", "r", cpu=3, node="a", phase="Running")
    simulation = outcome(
        node("a", cpu=10),
        queue("default"),
        group("r", phase="Running"),
        running,
        *stored_job("j", job_task(replicas=10), minimum=10),
    )
    job = next(job for job in simulation.jobs if job.name.startswith("j"))
    assert job.verdict is not None
    assert job.verdict.text == (
        "this job and the admitted jobs that still wait request 10 cpu together, and the plugin overcommit allows 9 "
        "(1.2 times the 10 of all nodes, minus 3 in use)"
    )


def test_a_tried_job_counts_as_considered() -> None:
    """A job of which nothing could be placed was tried all the same."""
    simulation = outcome(node("a"), node("b"), queue("default"), gang("j", 1, cpu=9))
    assert [job.decision for job in simulation.jobs] == ["discarded"]


def test_a_resource_that_no_node_has_is_named_as_such() -> None:
    """Deserving nothing of a resource has a simple reason where there is none."""
    verdict = of(outcome(node("a"), queue("default"), gang("j", 1, requests={"a.b/c": 1})), "j-worker-0")
    assert verdict.code == "queue-limit"
    assert verdict.text.endswith(
        "would hold 1 a.b/c with the task, more than the 0 that it deserves; no node has any a.b/c"
    )


def test_a_verdict_names_the_log_line_to_look_for() -> None:
    """With the names of the case, at the verbosity at which the scheduler writes it."""
    simulation = outcome(node("a", cpu=8), queue("x", state="Closed"), gang("j", 1, queue="x"))
    verdict = of(simulation, "j-worker-0")
    assert (verdict.code, verdict.verbosity) == ("queue-closed", 3)
    assert verdict.log == "Queue <x> current state"


def test_a_job_without_pods_has_a_verdict_of_its_own() -> None:
    """A job that waits at the gate has no pods yet; why it waits is said of the job."""
    lonely = group("j", 4, "Pending", minResources={"cpu": 99})
    (job,) = outcome(node("a"), queue("default"), lonely).jobs
    assert job.decision == "not-enqueued"
    assert job.verdict is not None
    assert job.verdict.code == "not-enqueued-overcommit"


def test_a_pod_behind_a_gate_names_the_gate() -> None:
    """Whoever set the gate is the one to ask."""
    gated = pod("j-0", "j", spec={"schedulingGates": [{"name": "example.com/quota"}]})
    assert of(outcome(node("a"), queue("default"), group("j"), gated), "j-0").text == (
        'the task has the scheduling gate "example.com/quota", and waits until it is removed'
    )


def test_without_backfill_a_best_effort_task_says_who_would_place_it() -> None:
    """Where the action is not configured, nobody does."""
    conf = CONF.replace(", backfill", "")
    verdict = of(outcome(node("a"), queue("default"), group("j"), pod("j-0", "j", best_effort=True), conf=conf), "j-0")
    assert verdict.code == "left-to-backfill"


def test_waiting_for_a_release_names_the_node() -> None:
    """What is promised is on a node whose pod is on its way out."""
    old = pod("old-0", "old", cpu=8, node="a", deleted=True)
    verdict = of(
        outcome(node("a"), queue("default"), group("old", phase="Running"), old, gang("j", 1, cpu=4)), "j-worker-0"
    )
    assert verdict.code == "waits-for-release"
    assert "node a" in verdict.text


def test_a_promise_that_was_given_back_speaks_of_the_release() -> None:
    """A task that would only have had room later was never offered room now."""
    old = pod("old-0", "old", cpu=8, node="a", deleted=True)
    simulation = outcome(
        node("a"), queue("default"), group("old", phase="Running"), old, gang("j", 2, cpu=5), gang("k", 1, cpu=1)
    )
    text = of(simulation, "j-worker-0").text
    assert text.startswith(
        "the task had a reservation on node a, and this was rolled back, as its gang is incomplete: 1 of the 2 tasks "
        "that it needs found a node"
    )


def test_a_gang_that_lacks_a_gated_sibling_names_it() -> None:
    """Nobody refused the sibling: nobody may try it."""
    gated = pod("j-1", "j", spec={"schedulingGates": [{"name": "example.com/quota"}]})
    verdict = of(outcome(node("a"), queue("default"), group("j", 2), pod("j-0", "j"), gated), "j-0")
    assert verdict.code == "gang-discarded"
    assert verdict.text.endswith('. j-1 has the scheduling gate "example.com/quota", and waits until it is removed')


def test_a_gang_that_lacks_a_role_says_which() -> None:
    """Where enough tasks had room, but too few of a role, the figures are the role's."""
    workers = [pod(f"j-{n}", "j", role="w") for n in range(3)]
    last = pod("j-ps", "j", memory="99Gi", role="ps")
    roles = group("j", 3, minTaskMember={"ps": 1, "w": 2})
    verdict = of(outcome(node("a"), node("b"), queue("default"), roles, *workers, last), "j-0")
    assert (verdict.code, verdict.need, verdict.have) == ("gang-discarded", 1, 0)
    assert "0 of the 1 tasks of role ps that it needs found a node. Queue default would hold" in verdict.text


def test_a_skipped_task_names_the_one_that_failed() -> None:
    """The reason is that of the first task of the role."""
    members = [pod(f"j-{n}", "j", memory="17Gi" if n else "1Gi") for n in range(3)]
    verdict = of(outcome(node("a"), node("b"), queue("default"), group("j"), *members), "j-2")
    assert verdict.code == "role-failed"
    assert verdict.text.endswith(
        "none of the 2 nodes has room for j-1, an earlier task of role worker: both have too little memory left"
    )


def test_the_log_names_a_task_as_the_scheduler_does() -> None:
    """Where the real line has no namespace, neither has this one."""
    simulation = outcome(node("a", cpu=2), queue("default"), gang("j", 1, cpu=4))
    assert of(simulation, "j-worker-0").log.endswith("when considering task <j-worker-0>, ignore it.")


def test_a_job_without_a_waiting_task_says_that_its_gang_is_too_small() -> None:
    """As after one of a running gang has failed; what does not count is named."""
    members = [pod("j-0", "j", node="a"), pod("j-1", "j", node="a", phase="Failed")]
    (job,) = outcome(node("a"), queue("default"), group("j", 2, phase="Running"), *members).jobs
    assert job.verdict is not None
    assert job.verdict.code == "gang-too-small"
    assert job.verdict.text == "its gang needs 2 tasks, and the job has 1, not counting 1 that failed"


def test_amounts_that_look_alike_are_written_in_full() -> None:
    """Two amounts of which one is larger are never printed as the same."""
    simulation = outcome(node("a", memory=str(2**34 - 1)), queue("default"), gang("j", 1, memory=2**34))
    assert of(simulation, "j-worker-0").text.endswith(
        "would hold 17179869184 memory with the task, more than the 17179869183 that it deserves"
    )


def test_a_limit_that_counts_siblings_says_so() -> None:
    """The queue holds nothing when all is over; what its gang had in the try is in the figure."""
    gangs = gang("j", 2, cpu=3, queue="x"), gang("k", 1, cpu=8, queue="y")
    simulation = outcome(node("a"), queue("x"), queue("y"), *gangs)
    more = "with the task, more than the 4 that it deserves"
    counting = ", counting 1 task of its gang that was rolled back afterwards"
    assert of(simulation, "j-worker-1").text == f"queue x would hold 6 cpu {more}{counting}"
    assert of(simulation, "k-worker-0").text == f"queue y would hold 8 cpu {more}"


def test_a_task_larger_than_any_node_says_so() -> None:
    """No packing helps it."""
    simulation = outcome(node("a"), node("b"), queue("default"), gang("j", 1, cpu=9))
    said = of(simulation, "j-worker-0")
    assert said.code == "larger-than-any-node"
    assert said.text.endswith(
        "even when empty: the request is for 9 cpu, and node a, which comes closest, has 8 in all"
    )


@pytest.mark.parametrize(
    ("actions", "code", "text"),
    [
        (
            "enqueue",
            "never-considered",
            "the task was not tried, because the configured actions do not include allocate",
        ),
        (
            "allocate, enqueue",
            "never-considered",
            "the task was not tried, because its job was admitted after allocate",
        ),
        ("backfill", "not-enqueued", "PodGroup ns/j stays Pending: no configured action admits it"),
    ],
)
def test_an_action_that_did_not_come_is_named(actions: str, code: str, text: str) -> None:
    """What is missing from the actions, or came too late, is the cause."""
    conf = CONF.replace("enqueue, allocate, backfill", actions)
    verdict = of(outcome(node("a"), queue("default"), gang("j", 1, phase="Pending"), conf=conf), "j-worker-0")
    assert verdict.code == code
    assert verdict.text.startswith(text)


def test_backfill_that_came_too_early_is_not_called_missing() -> None:
    """It is configured, but allocate let the job in after it."""
    conf = CONF.replace("enqueue, allocate, backfill", "backfill, allocate")
    objects = (node("a"), queue("default"), group("j", phase="Pending"), pod("j-0", "j", best_effort=True))
    assert of(outcome(*objects, conf=conf), "j-0").text.endswith("and backfill ran before the job was admitted")


@pytest.mark.parametrize("plugin", ["proportion", ""])
def test_without_nodes_that_is_the_reason(plugin: str) -> None:
    """Whoever refuses first, the cause is that there are no nodes."""
    conf = CONF if plugin else CONF.replace("  - name: proportion\n", "")
    assert of(outcome(queue("default"), gang("j", 1), conf=conf), "j-worker-0").text.endswith("there are no nodes")


def test_a_pod_without_a_pod_group_has_a_log_line_only_if_it_names_one() -> None:
    """The scheduler passes over the others in silence."""
    named = of(outcome(node("a"), queue("default"), pod("j-0", "j")), "j-0")
    assert named.log == "The scheduling spec of Job <ns/j:/> is nil, ignore it."


@pytest.mark.parametrize("actions", ["allocate, allocate", "enqueue, allocate, backfill, allocate"])
def test_a_role_that_failed_in_an_earlier_action_has_a_verdict(actions: str) -> None:
    """By then the task that failed is itself one of those that are not tried, and nothing more is known."""
    conf = CONF.replace("enqueue, allocate, backfill", actions)
    for members in (1, 3):
        verdict = of(
            outcome(node("a"), node("b"), queue("default"), gang("j", members, cpu=9), conf=conf), "j-worker-0"
        )
        assert verdict.code == "role-failed"
        assert verdict.text == "the task was not tried, because no node can take an earlier task of role worker"


ACTIONS = ["enqueue", "allocate", "backfill"]


@settings(max_examples=examples(100))
@given(clusters(), st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=4))
def test_every_task_without_a_place_has_a_verdict(objects: list[Any], actions: list[str]) -> None:
    """Whatever the cluster is like, and whatever the order of the actions."""
    simulation = outcome(*objects, conf=CONF.replace("enqueue, allocate, backfill", ", ".join(actions)))
    for task in simulation.tasks:
        assert (task.verdict is None) == (task.status not in ("Pending", "Pipelined", "Allocated"))
        assert task.verdict is None or task.verdict.text


def test_a_place_is_reserved_until_the_gang_is_complete_or_a_pod_is_gone() -> None:
    """An empty node is reserved for two tasks of a gang, and nothing is being released there; one is evicted for."""
    urgent = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 10}
    simulation = outcome(
        *(node("a", cpu=2), node("b", cpu=2), urgent, queue("default"), group("low", 1, "Running")),
        *(pod(f"low-{number}", "low", node="b") for number in range(2)),
        group("g", 3, priorityClassName="high"),
        *(pod(f"g-{number}", "g", spec={"priority": 10}) for number in range(3)),
        conf=CONF.replace("allocate, ", "allocate, preempt, "),
    )
    gone = "until ns/low-0 is gone"
    incomplete = f"its gang is complete: g-2 of this gang waits {gone}"
    assert [(task.node, of(simulation, task.name).text) for task in simulation.tasks if task.status == "Pipelined"] == [
        ("a", f"the task has a reservation on node a, and waits until {incomplete}"),
        ("a", f"the task has a reservation on node a, and waits until {incomplete}"),
        ("b", f"the task has a reservation on node b, and waits {gone}; preempt evicts it for this task"),
    ]


@pytest.mark.parametrize("phase", ["Aborted", "Completed", "Failed", "Terminated"])
def test_a_job_that_has_ended_waits_for_nothing(phase: str) -> None:
    """Its pods are gone, and its PodGroup may be left; that is no gang that is too small."""
    left, job = stored_job("train", job_task(), minimum=2)
    left["status"]["phase"] = "Inqueue"
    job["status"]["state"]["phase"] = phase
    [found] = outcome(node("a"), queue("default"), left, job).jobs
    assert (found.decision, found.verdict) == ("not-considered", None)


def test_a_job_whose_pods_all_leave_is_told_that_its_gang_is_too_small() -> None:
    """Its PodGroup gets a condition even where no action has looked at it, and none of its tasks waits."""
    conf = CONF.replace("enqueue, allocate, backfill", "preempt")
    leaving = pod("j-0", "j", node="a", deleted=True)
    [found] = outcome(node("a"), queue("default"), group("j", phase="Running"), leaving, conf=conf).jobs
    assert found.unschedulable == "1/1 tasks in gang unschedulable: pod group is not ready, 1 Releasing, 1 minAvailable"
    assert found.verdict is not None
    assert found.verdict.text == "its gang needs 1 task, and the job has 0, not counting 1 being deleted"


def test_a_task_that_no_node_took_is_told_so_even_where_its_gang_loses_tasks_later() -> None:
    """The verdict goes with the message on the pod: backfill finds the gang too small, after preempt took from it."""
    low = group("low", 3, phase="Running")
    pods = [pod("low-0", "low", 2, node="a"), pod("low-1", "low", 2, node="a"), pod("low-2", "low", 2)]
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    objects = [high, group("top", priorityClassName="high"), pod("top-0", "top", 2)]
    conf = CONF.replace("enqueue, allocate, backfill", "allocate, preempt, backfill").replace(
        "  - name: proportion\n", ""
    )
    found = outcome(node("a", 4), queue("default"), low, *pods, *objects, conf=conf)
    assert sorted(task.status for task in found.tasks) == ["Pending", "Pipelined", "Releasing", "Running"]
    assert of(found, "low-2").code == "no-node-fits"


def test_a_job_in_an_unknown_queue_is_listed_with_its_reason() -> None:
    """The scheduler ignores it; a report does not."""
    [found] = outcome(node("a"), queue("default"), gang("j", 2, queue="reserch")).jobs
    assert (found.namespace, found.name, found.queue, found.tasks, found.ready) == ("ns", "j", "reserch", 2, 0)
    assert found.verdict is not None
    assert found.verdict.code == "unknown-queue"
    assert found.verdict.text == "the PodGroup names a queue that does not exist: reserch"
