"""preempt makes room for starving jobs in their own queue, and within jobs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.build import group, node, open_session, placements, pod, queue, run
from tests.engine.crowds import PREEMPT, classes, evicted, promised, run_watching, running, steps
from vqs.config.known_arguments import ACTION_ARGUMENTS, Arguments
from vqs.engine.actions.preempt import Candidate, Limits, best
from vqs.engine.framework.trace import Op, StatementResult, VictimDecision
from vqs.model.job import Task, TaskStatus

FREE = PREEMPT.replace("  - name: gang", "  - name: gang\n    enablePreemptable: false")
"""Tasks that their gang needs may be evicted."""

TIERS = "tiers:\n- plugins:\n  - name: priority\n  - name: gang\n  - name: predicates\n"

FREE_TOPOLOGY = FREE + "configurations:\n- name: preempt\n  arguments: {enableTopologyAwarePreemption: true}\n"


def crowd(*objects: Any) -> list[Any]:
    """Make a cluster of a queue, the priority classes, and more."""
    return [*classes(), queue("default"), *objects]


def waiting(name: str, *cpus: str | int, **spec: Any) -> list[Any]:
    """Make a job of high priority with pending pods; `of_pod` goes to the pods, the rest into its spec."""
    of_pod = spec.pop("of_pod", {})
    spec = {"priorityClassName": "high", "min_member": len(cpus), **spec}
    return [group(name, **spec), *[pod(f"{name}-worker-{i}", name, cpu, **of_pod) for i, cpu in enumerate(cpus)]]


@pytest.mark.parametrize("conf", [FREE, FREE_TOPOLOGY])
def test_a_job_takes_from_jobs_of_lower_priority(conf: str) -> None:
    """As many as it takes, the last of the job first; the task waits until they are gone."""
    objects = crowd(node("n1", cpu=3), running("low", "n1", "n1", "n1", priorityClassName="low"), waiting("w", 1))
    session = run(objects, conf)
    assert evicted(session) == ["low-worker-2"]
    assert promised(session) == {"w-worker-0": "n1"}
    assert placements(session)["low-worker-2"] == ("Releasing", "n1")
    assert placements(session)["w-worker-0"] == ("Pipelined", "n1")


def test_a_job_of_equal_priority_is_spared() -> None:
    """The search says which plugin spared its tasks, and why."""
    objects = crowd(node("n1", cpu=2), running("j", "n1", "n1", priorityClassName="high"), waiting("w", 1))
    session = run(objects, FREE.replace("  - name: drf\n", ""))
    assert evicted(session) == []
    search = session.trace.victim_searches[0]
    assert (search.nodes, search.candidates, search.asked, search.too_small) == (1, 2, 1, 0)
    assert search.spared_by == {"priority": 1}


def test_the_votes_on_victims_are_kept() -> None:
    """Of each plugin that was asked, also on those that were spared."""
    objects = crowd(
        node("n1", cpu=2),
        running("low", "n1", priorityClassName="low"),
        running("mid", "n1", priorityClassName="high"),
        waiting("w", 1),
    )
    session = run(objects, FREE)
    [operation] = steps(session, Op.EVICT)
    assert operation.task.name == "low-worker-0"
    assert operation.search is not None
    decision = operation.search.decisions["n1"]
    assert decision.tier == 0
    assert [vote.plugin for vote in decision.votes] == ["priority", "conformance"]
    votes = {
        task.name: [refusal and refusal.code for _, refusal in decision.votes_on(task)] for task in decision.candidates
    }
    assert votes == {"low-worker-0": [None, None], "mid-worker-0": ["priority-not-lower", None]}


def test_without_a_whole_gang_nobody_is_evicted() -> None:
    """A gang of two finds room for one, so its victim stays."""
    objects = crowd(node("n1", cpu=2), running("low", "n1", "n1", priorityClassName="low"), waiting("w", 1, 2))
    session = run(objects, FREE)
    assert evicted(session) == []
    given_back = [operation.task.name for operation in steps(session, Op.EVICT, StatementResult.DISCARD)]
    assert given_back == ["low-worker-1"]
    assert placements(session)["low-worker-1"] == ("Running", "n1")
    assert placements(session)["w-worker-0"] == ("Pending", None)
    last = session.jobs["ns/w"].tasks["w-worker-0"].last_transaction
    assert last is not None
    assert (last.status, last.node) == (TaskStatus.Pipelined, "n1")


def test_other_queues_are_left_alone() -> None:
    """What another queue holds is for reclaim."""
    objects = crowd(
        node("n1", cpu=1), queue("other"), running("low", "n1", queue="other", priorityClassName="low"), waiting("w", 1)
    )
    session = run(objects, FREE)
    assert evicted(session) == []
    assert session.trace.victim_searches[0].candidates == 0


def test_room_that_is_there_needs_no_victim() -> None:
    """The task waits for it all the same, as only allocate places."""
    session = run(crowd(node("n1"), running("low", "n1", priorityClassName="low"), waiting("w", 1)), PREEMPT)
    assert evicted(session) == []
    assert promised(session) == {"w-worker-0": "n1"}
    assert not session.jobs["ns/w"].tasks["w-worker-0"].eviction_occurred


def test_the_best_node_is_tried_first() -> None:
    """Of two full nodes, the one that nodeorder prefers."""
    objects = crowd(
        node("n1", cpu=2),
        node("n2", cpu=8, memory="64Gi"),
        running("a", "n1", cpu=2, priorityClassName="low"),
        running("b", "n2", cpu=8, priorityClassName="low"),
        waiting("w", 2),
    )
    assert promised(run(objects, FREE)) in ({"w-worker-0": "n1"}, {"w-worker-0": "n2"})


def test_victims_have_to_make_room_in_the_queue_as_well() -> None:
    """The node has room, but the queue holds all it may; so somebody goes."""
    objects = [
        *classes(),
        node("n1", cpu=8),
        queue("default", capability={"cpu": 2}),
        running("low", "n1", "n1", priorityClassName="low"),
        waiting("w", 1),
    ]
    assert evicted(run(objects, FREE.replace("proportion", "capacity"))) == ["low-worker-1"]


def test_what_did_not_help_on_one_node_stays_evicted() -> None:
    """On the first node the queue stays too full whoever goes; with what goes on the second, the task fits."""
    objects = [
        *classes(),
        node("n1", cpu=8),
        node("n2", cpu=8),
        queue("default", capability={"cpu": 4}),
        running("a", "n1", cpu=2, priorityClassName="low"),
        running("b", "n2", cpu=2, priorityClassName="low"),
        waiting("w", 4),
    ]
    session = run(objects, FREE.replace("proportion", "capacity"))
    assert sorted(evicted(session)) == ["a-worker-0", "b-worker-0"]
    assert len(session.trace.victim_searches[0].decisions) == 2


def test_tasks_of_a_job_take_from_each_other() -> None:
    """One of higher priority takes the place of one of lower priority."""
    high = pod("j-worker-9", "j", annotations={"volcano.sh/task-priority": "9"})
    objects = crowd(node("n1", cpu=2), running("j", "n1", "n1"), high)
    session = run(objects, FREE.replace("enablePreemptable", "enableJobStarving: false\n    enablePreemptable"))
    assert evicted(session) == ["j-worker-1"]
    assert [search.scope.value for search in session.trace.victim_searches] == ["queue", "job"]


def test_tasks_that_ask_for_nothing_take_nothing_from_others() -> None:
    """A best-effort task may only evict such tasks."""
    objects = crowd(
        node("n1", cpu=2, pods=1),
        running("low", "n1", priorityClassName="low"),
        waiting("w", 0, of_pod={"best_effort": True}),
    )
    session = run(objects, FREE)
    assert evicted(session) == []
    assert promised(session) == {}


@pytest.mark.parametrize(
    ("of_pod", "code"),
    [
        ({"spec": {"preemptionPolicy": "Never"}}, "preemption-policy-never"),
        ({"status": {"nominatedNodeName": "gone"}}, "nominated-node-missing"),
        (
            {
                "spec": {
                    "affinity": {
                        "nodeAffinity": {
                            "requiredDuringSchedulingIgnoredDuringExecution": {
                                "nodeSelectorTerms": [
                                    {
                                        "matchFields": [
                                            {"key": "metadata.name", "operator": "In", "values": ["a"]},
                                            {"key": "metadata.name", "operator": "In", "values": ["b"]},
                                        ]
                                    }
                                ]
                            }
                        }
                    }
                }
            },
            "pre-predicate-failed",
        ),
    ],
)
def test_who_may_not_preempt_is_told_why(of_pod: dict[str, Any], code: str) -> None:
    """Then no node is looked at."""
    objects = crowd(node("n1", cpu=1), running("low", "n1", priorityClassName="low"), waiting("w", 1, of_pod=of_pod))
    session = run(objects, FREE)
    assert evicted(session) == []
    assert {search.refusal and search.refusal.code for search in session.trace.victim_searches} == {code}


def test_a_task_with_a_node_that_is_open_does_not_preempt_again() -> None:
    """Room does not count; only a session in which no action looked at it before makes an exception."""
    nominated = {"status": {"nominatedNodeName": "n1"}}
    objects = crowd(node("n1", cpu=1), running("low", "n1", priorityClassName="low"), waiting("w", 1, of_pod=nominated))
    conf = FREE.replace('"preempt"', '"allocate, preempt"').replace("  - name: proportion\n", "")
    refusal = run(objects, conf).trace.victim_searches[0].refusal
    assert refusal is not None
    assert refusal.code == "nominated-node-open"
    assert evicted(run(objects, FREE)) == ["low-worker-0"]


def test_a_task_waits_for_those_that_leave_its_node() -> None:
    """A pod of lower priority that a scheduler has evicted there is not gone yet."""
    leaving = pod("x-0", "x", node="n1", deleted=True, labels={"app": "a"}, spec={"priority": 1})
    condition = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    leaving["status"]["conditions"] = [condition]
    of_pod = {"status": {"nominatedNodeName": "n1"}, "spec": {"priority": 1000}}
    objects = crowd(
        node("n1", cpu=2, pods=2),
        running("low", "n1", priorityClassName="low"),
        group("x", phase="Running"),
        leaving,
        waiting("w", 1, of_pod=of_pod),
    )
    session = run(objects, FREE.replace('"preempt"', '"allocate, preempt"'))
    assert session.trace.victim_searches[0].refusal is not None
    assert session.trace.victim_searches[0].refusal.code == "nominated-node-being-emptied"


def test_a_job_that_asks_for_a_topology_is_not_served() -> None:
    """Volcano does not preempt for such jobs."""
    topology = {"mode": "hard", "highestTierAllowed": 1}
    objects = crowd(
        node("n1", cpu=1), running("low", "n1", priorityClassName="low"), waiting("w", 1, networkTopology=topology)
    )
    session = run(objects, FREE)
    refusal = session.trace.preemptors["preempt"]["ns/w"]
    assert refusal is not None
    assert refusal.code == "job-with-network-topology"
    assert session.trace.victim_searches == []


def test_gated_tasks_are_not_served() -> None:
    """They wait for their gates."""
    gates = {"spec": {"schedulingGates": [{"name": "g"}]}}
    objects = crowd(node("n1", cpu=1), running("low", "n1", priorityClassName="low"), waiting("w", 1, of_pod=gates))
    assert run(objects, FREE).trace.victim_searches == []


def test_a_watched_task_keeps_the_votes_of_every_node() -> None:
    """Also of those where not all candidates together would make room."""
    objects = crowd(
        node("n1", cpu=1),
        node("n2", cpu=4),
        running("a", "n1", priorityClassName="low"),
        running("b", "n2", cpu=4, priorityClassName="low"),
        waiting("w", 4),
    )
    [plain] = run(objects, FREE).trace.victim_searches[:1]
    [watched] = run_watching(objects, FREE, "ns/w-worker-0").trace.victim_searches[:1]
    assert sorted(plain.decisions) == ["n2"]
    assert sorted(watched.decisions) == ["n1", "n2"]
    assert plain.too_small == watched.too_small == 1


# --- the topology-aware way -------------------------------------------------------------------------------------------


def test_who_can_stay_is_reprieved() -> None:
    """Two would go until a task of 2 fits, the small one first; put back, the small one stays."""
    objects = crowd(
        node("n1", cpu=3),
        running("big", "n1", cpu=2, priorityClassName="low", created=1),
        running("small", "n1", cpu=1, priorityClassName="low", created=2),
        waiting("w", 2),
    )
    without_drf = FREE.replace("  - name: drf\n", "")
    assert evicted(run(objects, without_drf)) == ["small-worker-0", "big-worker-0"]
    assert evicted(run(objects, FREE_TOPOLOGY.replace("  - name: drf\n", ""))) == ["big-worker-0"]


def test_the_node_whose_victims_matter_least_is_taken() -> None:
    """Nodes are not scored: the pods' priorities decide."""
    objects = crowd(
        node("n1", cpu=1),
        node("n2", cpu=1),
        running("a", "n1", priorityClassName="low", of_pod={"spec": {"priority": 50}}),
        running("b", "n2", priorityClassName="low", of_pod={"spec": {"priority": 5}}),
        waiting("w", 1),
    )
    conf = FREE_TOPOLOGY.replace("Preemption: true", "Preemption: true, minCandidateNodesPercentage: 100")
    assert promised(run(objects, conf)) == {"w-worker-0": "n2"}
    few = conf.replace("Percentage: 100", "Percentage: 1")
    assert promised(run(objects, few)) == {"w-worker-0": "n1"}


def test_a_pod_in_the_way_is_evicted() -> None:
    """Where one pod wants to be far from the task, that one has to go, and not the one that would go first."""
    far = {"labelSelector": {"matchLabels": {"app": "w"}}, "topologyKey": "kubernetes.io/hostname"}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [far]}}
    objects = crowd(
        node("n1", cpu=2),
        running("shy", "n1", priorityClassName="low", created=1, of_pod={"spec": {"affinity": affinity}}),
        running("calm", "n1", priorityClassName="low", created=2),
        waiting("w", 1, of_pod={"labels": {"app": "w"}}),
    )
    assert evicted(run(objects, FREE_TOPOLOGY)) == ["shy-worker-0"]


def test_a_plugin_that_is_not_prepared_keeps_everybody_in_place() -> None:
    """Without enablePredicate, the queue plugin has nothing to try evictions out on."""
    objects = crowd(node("n1", cpu=1), running("low", "n1", priorityClassName="low"), waiting("w", 1))
    session = run(objects, FREE_TOPOLOGY.replace("name: proportion", "name: proportion\n    enablePredicate: false"))
    assert evicted(session) == []
    assert session.trace.victim_searches[0].refusal is not None
    assert session.trace.victim_searches[0].refusal.code == "evictions-not-tried"


def test_a_pod_that_has_ended_is_not_on_its_way_out() -> None:
    """A finished pod with a deletion timestamp, evicted for the task before, does not keep it from its node."""
    of_pod = {"status": {"nominatedNodeName": "n1"}, "spec": {"priority": 1000}}
    condition = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    ended = pod("ended", "old", 1, node="n1", deleted=True, phase="Succeeded", status={"conditions": [condition]})
    old = [group("old", phase="Running", priorityClassName="low"), ended]
    session = run(crowd(node("n1", cpu=1), old, waiting("w", 1, of_pod=of_pod)), "actions: preempt\n" + TIERS)
    assert promised(session) == {"w-worker-0": "n1"}


def test_an_unprepared_predicate_sees_only_what_describes_a_node() -> None:
    """That its affinity to other pods is not met on the nominated node is not seen, so the task waits for it."""
    affinity = {"requiredDuringSchedulingIgnoredDuringExecution": [_near("busy")]}
    of_pod = {
        "status": {"nominatedNodeName": "n1"},
        "spec": {"priority": 1000, "affinity": {"podAffinity": affinity}},
    }
    condition = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    leaving = pod("leaving", "old", 1, node="n1", deleted=True, status={"conditions": [condition]})
    neighbour = [group("n", phase="Running"), pod("n-0", "n", 0, node="n2", labels={"app": "busy"})]
    objects = crowd(node("n1", cpu=1), node("n2", cpu=1), [group("old", phase="Running"), leaving], neighbour)
    session = run([*objects, waiting("w", 1, of_pod=of_pod)], "actions: preempt\n" + TIERS)
    assert promised(session) == {}
    assert [search.refusal.code for search in session.trace.victim_searches if search.refusal] == [
        "nominated-node-being-emptied"
    ] * 2


def _near(app: str) -> dict[str, Any]:
    return {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": app}}}


@pytest.mark.parametrize(("taints", "follows_list"), [([], True), ([{"key": "k", "effect": "NoSchedule"}], False)])
def test_nodes_are_walked_as_a_map_where_some_are_closed(taints: list[Any], *, follows_list: bool) -> None:
    """Equal nodes come in the order of the list, but in another one where a node has refused the task for good."""
    names = [f"n{number}" for number in range(8)]
    objects = crowd(
        *[node(name, cpu=1) for name in names],
        node("n9", cpu=1, taints=taints),
        running("low", *names, *(() if taints else ("n9",)), priorityClassName="low"),
        waiting("w", 1, 1),
    )
    conf = FREE.replace('"preempt"', '"allocate, preempt"').replace("  - name: proportion\n  - name: nodeorder\n", "")

    def places_in_list(seed: int) -> list[int]:
        session = run(objects, conf, seed)
        assert session.tie_breaker is not None
        order = session.tie_breaker.in_list(np.arange(9)).tolist()
        return [order.index(session.nodes.index[promised(session)[f"w-worker-{number}"]]) for number in range(2)]

    assert all(places_in_list(seed) == [0, 1] for seed in range(10)) == follows_list


def test_any_of_equal_candidates_may_be_emptied() -> None:
    """The topology-aware way takes the first of a map, so that with a seed, it is not always the lowest name."""
    names = ["n1", "n2", "n3"]
    objects = crowd(
        *[node(name, cpu=1) for name in names],
        running("low", *names, priorityClassName="low"),
        waiting("w", 1),
    )
    conf = FREE_TOPOLOGY.replace("Preemption: true", "Preemption: true, minCandidateNodesPercentage: 100")
    assert promised(run(objects, conf)) == {"w-worker-0": "n1"}
    assert {promised(run(objects, conf, seed))["w-worker-0"] for seed in range(20)} == set(names)


NOBODY = VictimDecision((), (), None, (), "")


@pytest.mark.parametrize(
    ("arguments", "nodes", "enough"),
    [
        ({}, 5, 1),
        ({}, 50, 5),
        ({}, 5000, 100),
        ({"minCandidateNodesAbsolute": 20}, 50, 20),
        ({"minCandidateNodesAbsolute": 20}, 10, 10),
        ({"minCandidateNodesPercentage": 100, "maxCandidateNodesAbsolute": 7}, 50, 7),
        ({"maxCandidateNodesAbsolute": 0}, 50, 0),
        ({"topologyAwarePreemptWorkerNum": 0}, 50, 0),
    ],
)
def test_a_part_of_the_nodes_is_enough(arguments: dict[str, Any], nodes: int, enough: int) -> None:
    """A percentage of them, within two limits, and no more than there are."""
    assert Limits.of(Arguments(ACTION_ARGUMENTS["preempt"], arguments)).enough(nodes) == enough


def victims(*pods: tuple[int | None, str]) -> list[Task]:
    """Make tasks of some priorities and start times."""
    objects: list[Any] = [node("n1", cpu=20), queue("default"), running("j")]
    for number, (priority, started) in enumerate(pods):
        spec = {} if priority is None else {"priority": priority}
        made = pod(f"j-{number}", "j", node="n1", spec=spec)
        if started:
            made["status"]["startTime"] = f"2026-01-01T00:{started}:00Z"
        objects.append(made)
    tasks = open_session(objects, PREEMPT).jobs["ns/j"].tasks
    return [tasks[name] for name in sorted(tasks)]


def chosen(*nodes: list[tuple[int | None, str]]) -> int:
    """Return which of some nodes is taken, by the victims there."""
    candidates = [Candidate(number, NOBODY, victims(*pods)) for number, pods in enumerate(nodes)]
    return best(candidates, now=1767225600.0 + 7200)[0].node


def test_the_first_victim_counts_first() -> None:
    """The lower its priority the better, however many others there are."""
    assert chosen([(5, "01")], [(4, "01"), (4, "01")]) == 1
    assert chosen([(1, "01")], [(None, "01")]) == 1  # no priority is one of 0


def test_then_the_sum_of_the_priorities_counts() -> None:
    """Each is counted from the lowest there is, so that fewer victims are better, whatever their priorities."""
    assert chosen([(5, "01"), (4, "01")], [(5, "01"), (3, "01")]) == 1
    assert chosen([(5, "01"), (-9, "01")], [(5, "01")]) == 1


def test_then_it_counts_who_was_started_last() -> None:
    """Of those with the highest priority, by the one that was first; who was not started yet starts now."""
    assert chosen([(5, "01"), (5, "09")], [(5, "02"), (5, "03")]) == 1
    assert chosen([(5, "01"), (4, "00")], [(5, "02"), (4, "00")]) == 1
    assert chosen([(5, "01")], [(5, "")]) == 1


def test_of_equals_the_first_is_taken() -> None:
    """The reference takes any."""
    assert chosen([(5, "01")], [(5, "01")]) == 0
