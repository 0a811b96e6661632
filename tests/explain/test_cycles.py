"""Session after session, what was decided takes place, and evictions that lead nowhere are named."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import CONF, gang, group, job_task, manifests, node, pod, queue, stored_job
from tests.clusters import clusters
from tests.properties import examples
from vqs.explain.affected import Eviction
from vqs.explain.cycles import Cycle, Cycles, find_eviction_loops, find_evictions_without_progress, run_cycles
from vqs.explain.outcome import Simulation, TaskResult
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

PREEMPT = CONF.replace("enqueue, allocate, backfill", "enqueue, allocate, preempt, reclaim, backfill")
BY_PRIORITY = PREEMPT.replace("  - name: drf\n", "")
BREAKING_GANGS = BY_PRIORITY.replace("name: gang\n", "name: gang\n    enablePreemptable: false\n")

VOLCANO = ("batch.volcano.sh/v1alpha1", "Job")


def run(objects: list[Any], conf: str = CONF, cycles: int = 8) -> Cycles:
    """Run cycles on some objects."""
    return run_cycles(manifests(objects, conf), SimulateOptions(), cycles)


def owned(made: dict[str, Any], kind: tuple[str, str], name: str) -> dict[str, Any]:
    """Name a controller in an object."""
    made["metadata"]["ownerReferences"] = [
        {"apiVersion": kind[0], "kind": kind[1], "name": name, "uid": f"uid-{name}", "controller": True}
    ]
    return made


def priority_class(name: str, value: int) -> dict[str, Any]:
    """Make a priority class."""
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}


def crowded(kind: tuple[str, str] | None = None, owner: str = "low", minimum: int = 1) -> list[Any]:
    """Make a node full of pods of a low priority, of which two have to leave for a job of a high one."""
    low = [pod(f"{owner}-worker-{number}", "low", node="n", spec={"priority": 0}) for number in range(4)]
    low_group = group("low", minimum, phase="Running")
    if kind is not None:
        low = [owned(each, kind, owner) for each in low]
        low_group = owned(low_group, kind, owner)
    return [
        node("n", cpu=4, memory="100Gi"),
        priority_class("high", 100),
        low_group,
        *low,
        gang("high", 2, priorityClassName="high", created=1),
    ]


def placed(simulation: Simulation, status: str) -> dict[str, str | None]:
    """Return the nodes of the tasks that have some status, by name."""
    return {task.name: task.node for task in simulation.tasks if task.status == status}


def task_named(simulation: Simulation, name: str) -> TaskResult:
    """Return a task."""
    return next(task for task in simulation.tasks if task.name == name)


def test_bound_pods_run() -> None:
    """What a session binds runs in the next one, and the phase of its PodGroup follows."""
    ran = run([node("n"), gang("a", 2), gang("b", 20, created=1)])
    assert ran.settled
    assert [cycle.bound for cycle in ran.cycles] == [["ns/a-worker-0", "ns/a-worker-1"], [], []]
    assert [placed(cycle.simulation, "Running") for cycle in ran.cycles] == [
        {},
        *[{"a-worker-0": "n", "a-worker-1": "n"}] * 2,
    ]
    assert [cycle.simulation.jobs[0].phase for cycle in ran.cycles] == ["Inqueue", "Running", "Running"]
    assert [cycle.changed for cycle in ran.cycles] == [True, True, False]


def test_time_goes_by() -> None:
    """A second goes by between two sessions."""
    ran = run([node("n"), gang("a", 2)])
    assert [cycle.simulation.session.now[-3:] for cycle in ran.cycles] == ["00Z", "01Z", "02Z"]


def test_released_room_is_taken() -> None:
    """What is being deleted is gone in the next session, and whoever waits for its room has it."""
    objects = [
        node("n", cpu=4, memory="100Gi"),
        group("old", phase="Running"),
        pod("old-worker-0", "old", 4, node="n", deleted=True),
        gang("new", 1, cpu=3, created=1),
    ]
    ran = run(objects)
    assert placed(ran.cycles[0].simulation, "Pipelined") == {"new-worker-0": "n"}
    assert ran.cycles[0].gone == ["ns/old-worker-0"]
    assert ran.cycles[1].bound == ["ns/new-worker-0"]


def test_evicted_bare_pods_are_gone() -> None:
    """Pods that nobody stands behind do not come back."""
    ran = run(crowded(), BY_PRIORITY)
    first, second = ran.cycles[:2]
    assert [(each.job, each.evictor_job, each.action, each.node) for each in first.evictions] == [
        ("ns/low", "ns/high", "preempt", "n")
    ] * 2
    assert first.gone == sorted(each.task for each in first.evictions)
    assert first.recreated == []
    assert second.bound == ["ns/high-worker-0", "ns/high-worker-1"]
    assert len(second.simulation.tasks) == 4
    assert ran.settled
    assert ran.eviction_loops == []


def test_promise_stays_where_others_had_to_leave() -> None:
    """A pod for which others were evicted keeps the node it was promised; one that waits for others forgets it."""
    objects = [
        *crowded(),
        node("m", cpu=4, memory="100Gi"),
        group("old", phase="Running"),
        pod("old-worker-0", "old", 4, node="m", deleted=True),
    ]
    read = manifests(objects, BY_PRIORITY)
    assert placed(run_cycles(read, SimulateOptions(), 1).cycles[0].simulation, "Pipelined") == dict.fromkeys(
        ("high-worker-0", "high-worker-1"), "m"
    )
    ran = run([*objects[:2], *objects[2:-3]], BY_PRIORITY, 2)
    assert placed(ran.cycles[0].simulation, "Pipelined") == dict.fromkeys(("high-worker-0", "high-worker-1"), "n")
    assert placed(ran.cycles[1].simulation, "Binding") == dict.fromkeys(("high-worker-0", "high-worker-1"), "n")


def test_pods_of_replica_set_come_back_under_new_names() -> None:
    """A ReplicaSet's pods come back at once, as pods that nobody has seen before."""
    first = run(crowded(("apps/v1", "ReplicaSet")), BY_PRIORITY, 1).cycles[0]
    assert len(first.recreated) == len(first.gone) == 2
    assert not {*first.recreated} & {*first.gone}
    assert all(name.startswith("ns/low-worker-") for name in first.recreated)


def test_pods_of_stateful_set_keep_their_names() -> None:
    """A StatefulSet's pods come back under the names that they had."""
    first = run(crowded(("apps/v1", "StatefulSet")), BY_PRIORITY, 1).cycles[0]
    assert first.recreated == first.gone


def broken_up(*more: dict[str, Any]) -> Cycles:
    """Have all pods of a gang evicted, and see whether they come back."""
    objects = crowded(VOLCANO, minimum=4)
    objects[-1] = gang("high", 4, priorityClassName="high", created=1)
    return run([*objects, *more], BREAKING_GANGS, 3)


def test_controller_of_volcano_job_waits_for_the_queue() -> None:
    """A Volcano Job that has lost all of its pods gets them back once its PodGroup is let in again."""
    ran = broken_up()
    first, second = ran.cycles[:2]
    assert len(first.gone) == 4
    assert first.awaiting_admission == first.gone
    assert first.recreated == []
    assert [job.phase for job in first.simulation.jobs] == ["Inqueue", "Pending"]
    assert [job.phase for job in second.simulation.jobs] == ["Inqueue", "Inqueue"]
    assert second.recreated == first.gone


def test_part_of_a_gang_comes_back_at_once() -> None:
    """A PodGroup that has lost some of its pods does not have to be let in again."""
    first = run(crowded(VOLCANO, minimum=4), BREAKING_GANGS, 1).cycles[0]
    assert [job.phase for job in first.simulation.jobs] == ["Inqueue", "Unknown"]
    assert first.recreated == first.gone


def volcano_job(**spec: Any) -> dict[str, Any]:
    """Make a Volcano Job of four pods."""
    container = {"name": "c", "resources": {"requests": {"cpu": 1}}}
    task = {"name": "worker", "replicas": 4, "template": {"spec": {"containers": [container]}}}
    return {
        "apiVersion": VOLCANO[0],
        "kind": VOLCANO[1],
        "metadata": {"name": "low", "namespace": "ns", "uid": "uid-low"},
        "spec": {"schedulerName": "volcano", "minAvailable": 2, "tasks": [task], **spec},
    }


def test_volcano_job_in_the_snapshot() -> None:
    """The pods of a Volcano Job that is there come back as its controller makes them."""
    first = run([*crowded(VOLCANO, minimum=2), volcano_job()], BY_PRIORITY, 1).cycles[0]
    assert first.recreated == first.gone
    assert len(first.recreated) == 2


@pytest.mark.parametrize("event", [{"event": "PodEvicted"}, {"events": ["*"]}])
def test_volcano_job_restarts(event: dict[str, Any]) -> None:
    """A Volcano Job whose policy says so restarts as a whole when a pod of it is evicted, once it is admitted anew."""
    job = volcano_job(policies=[{**event, "action": "RestartJob"}])
    first, second = run([*crowded(VOLCANO, minimum=2), job], BY_PRIORITY, 2).cycles
    assert len(first.evictions) == 2
    assert len(first.gone) == 4
    assert first.recreated == []
    assert second.recreated == first.gone


def test_volcano_job_ends() -> None:
    """A Volcano Job whose policy says so is over when one of its pods is evicted."""
    job = volcano_job(policies=[{"event": "PodEvicted", "action": "AbortJob"}])
    ran = run([*crowded(VOLCANO, minimum=2), job], BY_PRIORITY)
    assert ran.settled
    assert [task.name for task in ran.cycles[-1].simulation.tasks] == ["high-worker-0", "high-worker-1"]


def test_volcano_job_in_the_snapshot_waits_for_the_queue() -> None:
    """A Volcano Job without any pod left gets none before its PodGroup is let in, though it could be made anew."""
    ran = broken_up(volcano_job(minAvailable=4))
    assert ran.cycles[0].awaiting_admission == ran.cycles[0].gone
    assert ran.cycles[0].recreated == []
    assert ran.cycles[1].recreated == ran.cycles[0].gone


SCENARIO = """
apiVersion: vqs/v1
kind: Scenario
nodes: [{name: n, cpu: 5}]
scheduler:
  actions: enqueue, allocate, preempt, backfill
  tiers:
  - plugins: [{name: conformance}, {name: priority}]
  - plugins: [{name: nodeorder}, {name: proportion}, {name: drf}, {name: predicates}]
jobs:
- {name: busy, replicas: 3, minAvailable: 1, cpu: 1, priority: 2, running: 3}
- {name: other, replicas: 2, minAvailable: 1, cpu: 1, priority: 2, running: 2}
- {name: poor, replicas: 1, cpu: 1, priority: 0}
expect:
  jobs: {poor: {decision: partially-committed}}
"""


def test_jobs_that_evict_one_another_in_turn() -> None:
    """A job that gives way to one of lower priority, comes back and is served first, gives way for ever."""
    ran = run_cycles(read_manifests(["-"], stdin=io.BytesIO(SCENARIO.encode())), SimulateOptions(), 5)
    assert not ran.settled
    assert len(ran.cycles) == 5
    [found] = ran.eviction_loops
    assert (found.kind, found.jobs, found.cycles) == ("again", ["default/busy", "default/poor"], [1, 2, 3, 4, 5])
    assert "in cycles 1 to 5, by default/poor" in found.text
    assert [len(cycle.simulation.expectations) for cycle in ran.cycles] == [1, 0, 0, 0, 0]


def cycle_of(number: int, *evictions: tuple[str, str], bound: list[str] | None = None) -> Cycle:
    """Make a cycle in which some jobs evict others, whose pods come back."""
    read = manifests([node("n", cpu=1), gang("a", 1), gang("b", 1), gang("c", 1)])
    return Cycle(
        number=number,
        simulation=simulate(read, SimulateOptions()),
        bound=[f"ns/{name}-worker-0" for name in bound or []],
        evictions=[
            Eviction(task=f"ns/{job}-worker-0", job=f"ns/{job}", evictor_job=f"ns/{by}", action="reclaim", node="n")
            for by, job in evictions
        ],
        gone=[],
        recreated=[f"ns/{job}-worker-0" for _, job in evictions],
        awaiting_admission=[],
        changed=True,
    )


def test_mutual_evictions() -> None:
    """Two jobs that evict each other in turn are named once."""
    cycles = [cycle_of(1, ("a", "b")), cycle_of(2, ("b", "a"), bound=["a"]), cycle_of(3, ("a", "b"))]
    found = find_eviction_loops(cycles)
    assert [(each.kind, each.jobs, each.cycles) for each in found] == [("mutual", ["ns/a", "ns/b"], [1, 2, 3])]


def test_ring_of_evictions() -> None:
    """In a ring, whoever was evicted, placed again and evicted again is named."""
    ring = [
        cycle_of(1, ("a", "b"), bound=["a"]),
        cycle_of(2, ("b", "c"), bound=["b"]),
        cycle_of(3, ("c", "a"), bound=["c"]),
        cycle_of(4, ("a", "b"), bound=["a"]),
    ]
    assert [(each.kind, each.jobs[0], each.cycles) for each in find_eviction_loops(ring)] == [("again", "ns/b", [1, 4])]


def test_evictions_in_one_go_are_no_loop() -> None:
    """A job that loses pods in several sessions without getting one back is not thrown about."""
    assert find_eviction_loops([cycle_of(1, ("a", "b")), cycle_of(2, ("a", "b")), cycle_of(3, ("c", "c"))]) == []
    assert find_eviction_loops([cycle_of(1, ("a", "b"), ("b", "a"))]) == []


def test_evictions_in_vain() -> None:
    """A job that others were evicted for in several sessions, with nothing of it bound since, is named."""
    [found] = find_evictions_without_progress(
        [*(cycle_of(number, ("a", "b"), ("c", "b")) for number in (1, 2, 4)), cycle_of(5, bound=["c"])]
    )
    assert (found.job, found.cycles, found.evicted) == ("ns/a", [1, 2, 4], 3)
    assert found.text == "3 tasks are evicted for ns/a in cycles 1, 2, 4, but none of its own is bound"


def test_evictions_that_may_still_lead_somewhere() -> None:
    """One session is not several, and after the last one that evicts another has to run."""
    assert find_evictions_without_progress([cycle_of(1, ("a", "b"), ("a", "c")), cycle_of(2)]) == []
    assert find_evictions_without_progress([cycle_of(1, ("a", "b")), cycle_of(2, ("a", "b"))]) == []


def test_whoever_is_in_a_loop_is_not_named_again() -> None:
    """What leads nowhere is told once, cycles in a row as a range."""
    ran = run_cycles(read_manifests(["scenarios/ping-pong.yaml"]), SimulateOptions(), 5)
    assert [each.kind for each in ran.eviction_loops] == ["again"]
    assert "in cycles 1 to 5, by default/poor" in ran.eviction_loops[0].text
    assert ran.evictions_without_progress == []


@st.composite
def contested(draw: st.DrawFn) -> tuple[list[Any], str]:
    """Make small clusters in which jobs evict each other, and a configuration."""
    rnd = random.Random(draw(st.integers(0, 10**9)))
    nodes = [node(f"n{number}", cpu=rnd.randint(2, 6), memory="64Gi") for number in range(rnd.randint(1, 3))]
    queues = [queue(f"q{number}", rnd.randint(1, 4)) for number in range(rnd.randint(1, 3))]
    objects: list[Any] = [*nodes, *queues, *(priority_class(f"p{value}", value) for value in range(3))]
    free = {each["metadata"]["name"]: int(each["status"]["allocatable"]["cpu"]) for each in nodes}
    for number in range(rnd.randint(2, 5)):
        name, size, cpu = f"job{number}", rnd.randint(1, 5), rnd.randint(1, 3)
        members = []
        for index in range(size):
            target = rnd.choice(sorted(free))
            more: dict[str, Any] = {}
            if rnd.random() < 0.5 and free[target] >= cpu:
                free[target] -= cpu
                more = {"node": target}
            members.append(owned(pod(f"{name}-worker-{index}", name, cpu, **more), VOLCANO, name))
        phase = "Running" if any("nodeName" in each["spec"] for each in members) else rnd.choice(["Inqueue", "Pending"])
        spec = {"queue": rnd.choice(queues)["metadata"]["name"], "priorityClassName": f"p{rnd.randint(0, 2)}"}
        objects += [group(name, rnd.randint(1, size), phase=phase, created=number, **spec), *members]
    first = rnd.sample(["priority", "gang", "conformance"], rnd.randint(1, 3))
    second = ["predicates", *rnd.sample(["drf", "nodeorder", "binpack", rnd.choice(["proportion", "capacity"])], 3)]
    tiers = "".join("- plugins:\n" + "".join(f"  - name: {each}\n" for each in tier) for tier in (first, second))
    return objects, f'actions: "enqueue, allocate, preempt, reclaim, backfill"\ntiers:\n{tiers}'


def cpu_used(simulation: Simulation, requests: dict[str, float]) -> dict[str, float]:
    """Return how much cpu the tasks on each node ask for, without those that are promised a place only."""
    used: dict[str, float] = {}
    for task in simulation.tasks:
        if task.node and task.status != "Pipelined":
            used[task.node] = used.get(task.node, 0.0) + requests[task.job]
    return used


@settings(max_examples=examples(40), deadline=None)
@given(contested())
def test_nothing_is_lost(cluster: tuple[list[Any], str]) -> None:
    """On any cluster, nodes never hold more than they have, and pods that have a controller are never lost."""
    objects, conf = cluster
    read = manifests(objects, conf)
    requests = {
        pod.metadata.annotations["scheduling.k8s.io/group-name"]: float(
            pod.spec.containers[0].resources.requests["cpu"]
        )
        for pod in read.pods
    }
    room = {each.metadata.name: float(each.status.allocatable["cpu"]) for each in read.nodes}
    held: set[str] = set()
    ran = run_cycles(read, SimulateOptions(), 6)
    for cycle in ran.cycles:
        assert len(cycle.simulation.tasks) + len(held) == len(read.pods)
        held = {*cycle.awaiting_admission}
        for name, used in cpu_used(cycle.simulation, requests).items():
            assert used <= room[name]
        assert cycle.changed or not (cycle.bound or cycle.evictions or cycle.gone or cycle.recreated)
    assert ran.settled == (not ran.cycles[-1].changed)


@settings(max_examples=examples(25), deadline=None)
@given(clusters())
def test_first_cycle_is_the_simulation(objects: list[Any]) -> None:
    """The first session is what a simulation shows, and nothing that was read changes."""
    read = manifests(objects, PREEMPT)
    before = [json.dumps(msgspec.to_builtins(each)) for each in (*read.pods, *read.pod_groups)]
    ran = run_cycles(read, SimulateOptions(), 4)
    assert msgspec.to_builtins(ran.cycles[0].simulation) == msgspec.to_builtins(simulate(read, SimulateOptions()))
    assert [json.dumps(msgspec.to_builtins(each)) for each in (*read.pods, *read.pod_groups)] == before


def test_each_cycle_has_the_jobs_that_are_ignored() -> None:
    """A job whose queue does not exist is in every session's result, as in a simulation, and its pods' requests too."""
    read = manifests([node("n", cpu=1), queue("default"), gang("lost", 1, queue="nowhere"), gang("a", 1), gang("b", 1)])
    options = SimulateOptions(nodes=True)
    first, *later = run_cycles(read, options, 3).cycles
    assert msgspec.to_builtins(first.simulation) == msgspec.to_builtins(simulate(read, options))
    assert later
    assert all("ns/lost" in [job.display_name for job in each.simulation.jobs] for each in (first, *later))


@settings(max_examples=examples(25), deadline=None)
@given(contested())
def test_settled_stays_settled(cluster: tuple[list[Any], str]) -> None:
    """Where nothing changes, more cycles would not have shown more."""
    objects, conf = cluster
    ran = run_cycles(manifests(objects, conf), SimulateOptions(), 7)
    again = run_cycles(manifests(objects, conf), SimulateOptions(), 9)
    if ran.settled:
        assert ran == again
    else:
        assert ran.cycles == again.cycles[:7]


def test_no_cycles() -> None:
    """No cycle at all is nothing."""
    assert run([node("n")], cycles=0) == Cycles(
        cycles=[], settled=False, eviction_loops=[], evictions_without_progress=[]
    )


def test_read_manifests_are_not_used_up() -> None:
    """The same manifests give the same cycles again."""
    read: Manifests = manifests(crowded(VOLCANO), BY_PRIORITY)
    assert run_cycles(read, SimulateOptions(), 4) == run_cycles(read, SimulateOptions(), 4)


# --- quotas -----------------------------------------------------------------------------------------------------------


QUOTAS = CONF.replace("  - name: overcommit\n", "  - name: resourcequota\n")
QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "team", "namespace": "ns"},
    "spec": {"hard": {"cpu": 3}},
    "status": {"hard": {"cpu": 3}, "used": {}},
}


def test_a_quota_counts_the_pods_that_were_created() -> None:
    """Two jobs of 2 cores, and 3 to use: the second waits for as long as the pods of the first are there."""
    jobs = [stored_job(name, job_task(), minimum=2, created=created) for name, created in (("a", 1), ("b", 2))]
    last = run([node("n"), queue("default"), QUOTA, *jobs], QUOTAS, cycles=4).cycles[-1].simulation
    [waiting] = [job for job in last.jobs if job.decision == "not-enqueued"]
    assert waiting.name == "b-uid-b"
    assert waiting.verdict is not None
    assert (waiting.verdict.code, waiting.verdict.need) == ("not-enqueued-quota", 4)
    assert [task.status for task in last.tasks] == ["Running"] * 2


def test_a_quota_counts_the_pods_that_controllers_made_before_the_first_session() -> None:
    """A Deployment's pods are in use after the first session, so a job that would be too much with them waits."""
    container = {"name": "c", "image": "web", "resources": {"requests": {"cpu": 1}}}
    web = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "ns"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"schedulerName": "volcano", "containers": [container]},
            },
        },
    }
    late = group("z-late", 1, "Pending", minResources={"cpu": 3})
    last = run([node("n"), queue("default"), QUOTA, web, late], QUOTAS).cycles[-1].simulation
    verdicts = {job.name: job.verdict.code for job in last.jobs if job.verdict is not None}
    assert verdicts["z-late"] == "not-enqueued-quota"


def test_a_quota_no_longer_counts_the_pods_that_are_gone() -> None:
    """A pod that is on its way out makes room for the job behind it."""
    leaving = [group("old", phase="Running"), pod("old-0", "old", 2, node="n", deleted=True)]
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "team", "namespace": "ns"},
        "spec": {"hard": {"requests.cpu": 3}},
        "status": {"hard": {"requests.cpu": 3}, "used": {"requests.cpu": 2}},
    }
    waiting = group("j", 1, "Pending", minResources={"requests.cpu": 2})
    last = run([node("n"), queue("default"), quota, *leaving, waiting], QUOTAS).cycles[-1].simulation
    assert [job.phase for job in last.jobs if job.name == "j"] == ["Inqueue"]


def test_an_evicted_pod_does_not_come_back_over_a_quota() -> None:
    """Where less is allowed by now than is in use, a pod that was evicted is not made again, and neither is a Job's."""
    limit = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "ns"},
        "spec": {"hard": {"pods": "4"}},
        "status": {"hard": {"pods": "4"}, "used": {"pods": "6"}},
    }
    replica_set = ("apps/v1", "ReplicaSet")
    last = run([*crowded(replica_set), limit], BREAKING_GANGS).cycles[-1].simulation
    assert sorted(task.name for task in last.tasks) == [
        "high-worker-0",
        "high-worker-1",
        "low-worker-0",
        "low-worker-1",
    ]

    cycles = run([*crowded(VOLCANO), volcano_job(), limit], BREAKING_GANGS).cycles
    [low] = [job for job in cycles[-1].simulation.jobs if job.name == "low"]
    assert (low.tasks, low.awaited and low.awaited.waits_for) == (2, "refused")


@pytest.mark.parametrize(("action", "gone"), [("RestartPod", 2), ("RestartTask", 4), ("RestartJob", 4)])
def test_a_policy_that_restarts(action: str, gone: int) -> None:
    """The controller deletes what the policy names with the evicted pod, and the PodGroup is admitted anew."""
    job = volcano_job(policies=[{"event": "PodEvicted", "action": action}])
    first, second = run([*crowded(VOLCANO), job], BREAKING_GANGS).cycles[:2]
    assert len(first.gone) == gone
    assert [each.phase_before for each in second.simulation.jobs if each.name.startswith("low")] == ["Pending"]
