"""allocate tries HyperNodes tier by tier; where it is certain what comes of a try, there is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import (
    CONF,
    NOW,
    Object,
    gang,
    group,
    hyper_node,
    manifests,
    node,
    open_session,
    placements,
    pod,
    queue,
    run,
    switched,
)
from tests.properties import examples
from vqs.engine import scheduler
from vqs.engine.actions.hyper_nodes import Foresight, HyperNodeSearch
from vqs.engine.framework.order import PendingTasks
from vqs.engine.framework.session import Session, SessionOptions, Statement
from vqs.engine.framework.trace import Op, Operation, StatementResult
from vqs.explain.verdicts import job_verdict
from vqs.model.job import Job, Task, TaskStatus
from vqs.snapshot.cluster.build import build_cluster

NEAR = CONF + "  - name: network-topology-aware\n"
LEAF = {"mode": "hard", "highestTierAllowed": 1}
SPINE = {"mode": "hard", "highestTierAllowed": 2}
TREE = [
    *(node(f"n{at}", cpu=2) for at in range(6)),
    hyper_node("a", 1, nodes=["n0", "n1"]),
    hyper_node("b", 1, nodes=["n2", "n3"]),
    hyper_node("c", 1, nodes=["n4", "n5"]),
    hyper_node("s", 2, members=["a", "b"]),
    queue("default"),
]


def nodes_of(session: Session, job: str) -> set[str]:
    """Return the nodes that a job's tasks were bound to."""
    return {task.node or "" for task in session.jobs[f"ns/{job}"].having(TaskStatus.Binding).values()}


def test_a_job_that_no_hyper_node_holds_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """So it is, too, where incomplete gangs are tried again, as in no release that has gradients of HyperNodes."""
    tried: list[str] = []
    search = HyperNodeSearch.allocate

    def allocate(self: HyperNodeSearch, job: Job, pending: PendingTasks) -> Statement:
        tried.append(job.uid)
        assert len(tried) <= 2, "a job comes again, though nothing has changed"
        return search(self, job, pending)

    monkeypatch.setattr(HyperNodeSearch, "allocate", allocate)
    jobs = [gang("big", 4, cpu=2, networkTopology=LEAF), gang("small", 1, cpu=2, networkTopology=LEAF)]
    session = run([*TREE, *jobs], NEAR, profile=switched(incomplete_gangs="tried-again"))
    assert sorted(tried) == ["ns/big", "ns/small"]
    assert len(nodes_of(session, "small")) == 1


def test_a_job_goes_into_the_lowest_tier_that_serves() -> None:
    """Four tasks need two leaves, which is a spine."""
    session = run(
        [*TREE, gang("small", 2, cpu=2, networkTopology=SPINE), gang("large", 4, networkTopology=SPINE, created=9)],
        NEAR,
    )
    assert nodes_of(session, "small") == {"n0", "n1"}
    assert session.jobs["ns/small"].allocated_hyper_node == "a"
    assert len(nodes_of(session, "large")) == 2
    session = run([*TREE, gang("large", 4, cpu=2, networkTopology=SPINE)], NEAR)
    assert nodes_of(session, "large") == {"n0", "n1", "n2", "n3"}
    assert session.jobs["ns/large"].allocated_hyper_node == "s"


def test_the_fullest_hyper_node_that_serves_is_taken() -> None:
    """It would have been the first by name otherwise."""
    running = [group("r", phase="Running"), pod("r-0", "r", cpu=1, node="n2")]
    session = run([*TREE, *running, gang("j", 2, networkTopology=LEAF)], NEAR)
    assert nodes_of(session, "j") <= {"n2", "n3"}


def test_a_job_that_finds_no_hyper_node_is_told_which_were_tried() -> None:
    """The message on a pod names the HyperNode, as only its nodes were asked; nothing stays placed."""
    session = run([*TREE, gang("j", 3, cpu=2, networkTopology=LEAF)], NEAR)
    job = session.jobs["ns/j"]
    assert {status for status, _ in placements(session).values()} == {"Pending"}
    assert job.scheduling_reason(job.tasks["j-worker-2"])[1] == (
        "In hyperNode c: 0/2 nodes are unavailable: 2 Insufficient cpu."
    )
    assert [(each.hyper_node, each.placed) for each in session.trace.hyper_nodes["ns/j"] if each.refusal is None] == [
        ("a", 2),
        ("b", 2),
        ("c", 2),
    ]


def test_a_job_for_which_no_hyper_node_may_be_tried_is_told_why() -> None:
    """Each has its own reason: its tier, or what it lacks."""
    session = run([*TREE, gang("j", 2, networkTopology=LEAF, minResources={"cpu": 5})], NEAR)
    verdict = job_verdict(session, session.jobs["ns/j"])
    assert verdict is not None
    assert verdict.code == "no-hyper-node"
    assert verdict.text == (
        "no HyperNode can be tried for the job: the highest tier allowed is 1; "
        "a: its nodes have 4 of the 5 cpu needed; b: its nodes have 4 of the 5 cpu needed; "
        "c: its nodes have 4 of the 5 cpu needed; s: its tier, 2, is above the highest tier allowed"
    )


def test_jobs_with_a_topology_wait_while_the_hyper_nodes_are_no_tree() -> None:
    """Others are placed."""
    twice = hyper_node("t", 2, members=["a"])
    session = run([*TREE, twice, gang("j", 1, networkTopology=LEAF), gang("plain", 1)], NEAR)
    verdict = job_verdict(session, session.jobs["ns/j"])
    assert verdict is not None
    assert verdict.code == "hyper-nodes-not-ready"
    assert "HyperNode a is a member of both s and t" in verdict.text
    assert nodes_of(session, "plain")


def test_what_runs_keeps_the_rest_near() -> None:
    """A pod that was lost comes back to the leaf of its siblings, however full others are."""
    job = group("j", 2, phase="Running", networkTopology=LEAF)
    filler = [group("r", phase="Running"), pod("r-0", "r", cpu=1, node="n0")]
    session = run([*TREE, *filler, job, pod("j-0", "j", node="n2"), pod("j-1", "j")], NEAR)
    assert nodes_of(session, "j") <= {"n2", "n3"}


def test_each_sub_job_has_a_leaf_within_the_spine_of_its_job() -> None:
    """A sub-job is a gang of its own, and its limit is lower than its job's."""
    policy = {"name": "p", "matchLabelKeys": ["part"], "subGroupSize": 2, "networkTopology": LEAF}
    members = [pod(f"j-{at}", "j", cpu=2, labels={"part": str(at // 2)}) for at in range(4)]
    session = run([*TREE, group("j", 4, networkTopology=SPINE, subGroupPolicy=[policy]), *members], NEAR)
    where = {name: placed or "" for name, (_, placed) in placements(session).items()}
    leaves = [sorted([where["j-0"], where["j-1"]]), sorted([where["j-2"], where["j-3"]])]
    assert sorted(leaves) == [["n0", "n1"], ["n2", "n3"]]
    assert {each.allocated_hyper_node for each in session.jobs["ns/j"].sub_jobs.values()} == {"a", "b"}


def test_without_the_plugin_all_nodes_are_one() -> None:
    """The constraint has no effect, and the job takes the virtual top HyperNode."""
    session = run([*TREE, gang("j", 6, cpu=2, networkTopology=LEAF)])
    assert len(nodes_of(session, "j")) == 6


def test_a_soft_job_spreads_only_as_far_as_it_must() -> None:
    """Where no leaf has the room, the next tier is tried, up to the whole cluster."""
    soft = {"mode": "soft"}
    assert nodes_of(run([*TREE, gang("j", 2, cpu=2, networkTopology=soft)], NEAR), "j") == {"n0", "n1"}
    assert len(nodes_of(run([*TREE, gang("j", 6, cpu=2, networkTopology=soft)], NEAR), "j")) == 6


def test_tasks_beyond_the_minimum_stay_in_the_hyper_node_of_the_job() -> None:
    """They are tried one by one after the minimum is bound, and what has no room there waits."""
    session = run([*TREE, gang("j", 5, 2, networkTopology=LEAF)], NEAR)
    assert nodes_of(session, "j") == {"n0", "n1"}
    assert len(session.jobs["ns/j"].having(TaskStatus.Pending)) == 1
    results = [record.result for record in session.trace.statements]
    assert results == [StatementResult.COMMIT] * 3


def clusters() -> st.SearchStrategy[list[Object]]:
    """Return random trees with running pods, and jobs of all kinds."""
    cpus = st.lists(st.integers(1, 2), min_size=1, max_size=2)
    jobs = st.tuples(st.integers(1, 5), st.integers(0, 3), cpus, st.sampled_from([LEAF, SPINE, {"mode": "soft"}, None]))

    def build(drawn: tuple[list[int], list[tuple[int, int, list[int], Object | None]]]) -> list[Object]:
        running, made = drawn
        objects: list[Object] = [*TREE, group("r", phase="Running")]
        objects += [pod(f"r{at}", "r", cpu=each, node=f"n{at}") for at, each in enumerate(running) if each]
        for at, (size, spare, cpus, topology) in enumerate(made):
            spec: Object = {} if topology is None else {"networkTopology": topology}
            if spare == 2:
                policy = {"name": "p", "matchLabelKeys": ["part"], "subGroupSize": 2, "networkTopology": LEAF}
                spec["subGroupPolicy"] = [policy]
            objects.append(group(f"j{at}", max(size - spare, 1), created=at, **spec))
            parts = ({"part": str(number // 2)} for number in range(size))
            objects += [
                pod(f"j{at}-w-{n}", f"j{at}", cpu=cpus[n % len(cpus)], labels=part) for n, part in enumerate(parts)
            ]
        return objects

    return st.tuples(st.lists(st.integers(0, 2), min_size=6, max_size=6), st.lists(jobs, min_size=1, max_size=4)).map(
        build
    )


def outcome(session: Session) -> list[object]:
    """Return where tasks are; for jobs without sub-groups, also why others are nowhere, and what they remember."""
    jobs = [job for job in session.jobs.values() if not job.has_sub_group_policy]
    pending = {uid: (job, task) for job in jobs for uid, task in job.having(TaskStatus.Pending).items()}
    return [
        placements(session),
        list(pending),
        {uid: job.fit_errors[uid].message() for uid, (job, _) in pending.items() if uid in job.fit_errors},
        {uid: session.trace.tasks.get(uid) for uid in pending},
        {uid: (last.status, last.node) for uid, (_, task) in pending.items() if (last := task.last_transaction)},
    ]


@settings(max_examples=examples(100))
@given(clusters(), st.sampled_from([None, 1, 2]))
def test_a_walk_that_is_cut_short_comes_to_the_same(objects: list[Object], seed: int | None) -> None:
    """A job whose story is kept has every HyperNode tried; nothing comes out otherwise for that."""
    found = []
    for follow in (False, True):
        read = manifests(objects, NEAR)
        cluster = build_cluster(read)
        followed = frozenset(cluster.jobs) if follow else frozenset[str]()
        options = SessionOptions(now=NOW, seed=seed, follow=followed)
        session = scheduler.run_actions(scheduler.open_session(cluster, read.scheduler, options))
        found.append(outcome(session))
    assert found[0] == found[1]


@settings(max_examples=examples(60))
@given(clusters())
def test_limits_hold(objects: list[Object]) -> None:
    """All tasks of a job with a hard limit share a HyperNode of that tier, and no node holds more than it has."""
    session = run(objects, NEAR)
    for job in session.jobs.values():
        topology = job.pod_group.spec.network_topology
        placed = [task.node for task in job.tasks.values() if task.node]
        if topology is None or topology.mode != "hard" or not placed:
            continue
        around = [set(session.topology.around(session.nodes.index[each])) for each in placed]
        shared = set.intersection(*around)
        assert min(session.topology.by_name[name].tier for name in shared) <= (topology.highest_tier_allowed or 0)
    assert (session.nodes.idle >= 0).all()


OLD = switched(hyper_node_search="tier-by-tier", held_hyper_node="annotation", topology_node_scores="nearness")


def ran(*objects: Object | list[Object]) -> Session:
    """Run the actions on the HyperNodes a and b below s, and c, with some objects more."""
    return run([*TREE, *objects], NEAR, profile=OLD)


def test_the_lowest_tier_that_serves_is_taken() -> None:
    """Two tasks fit into a leaf, four into a spine."""
    session = ran(gang("large", 4, cpu=2, networkTopology=SPINE))
    assert nodes_of(session, "large") == {"n0", "n1", "n2", "n3"}
    assert session.jobs["ns/large"].allocated_hyper_node == "s"
    assert len(nodes_of(ran(gang("small", 2, cpu=2, networkTopology=SPINE)), "small")) == 2


def test_the_hyper_node_whose_nodes_score_highest_is_taken() -> None:
    """By default, that is where most is idle: not where something runs."""
    busy = [group("r", phase="Running"), *(pod(f"r-{at}", "r", cpu=1, node=f"n{at}") for at in (2, 3, 4, 5))]
    session = ran(busy, gang("j", 2, networkTopology=LEAF))
    assert nodes_of(session, "j") == {"n0", "n1"}
    tried = {each.hyper_node: each.score for each in session.trace.hyper_nodes["ns/j"]}
    assert max(tried, key=lambda name: tried[name] or 0) == "a"


def test_tasks_that_come_later_stay_near_to_the_first() -> None:
    """One task is enough for the job; the second one is tried by itself, and nearness counts in its score."""
    session = ran(gang("j", 2, 1, networkTopology=SPINE))
    leaves = [{"n0", "n1"}, {"n2", "n3"}, {"n4", "n5"}]
    assert any(nodes_of(session, "j") <= leaf for leaf in leaves)
    assert session.jobs["ns/j"].allocated_hyper_node in {"a", "b", "c"}


def test_what_holds_the_job_already_limits_it() -> None:
    """The annotation names HyperNode a: no other leaf may be used with it."""
    held = gang("j", 2, 2, cpu=2, networkTopology=LEAF)
    held[0]["metadata"]["annotations"] = {"volcano.sh/job-allocated-hypernode": "a"}
    session = ran(held)
    assert nodes_of(session, "j") == {"n0", "n1"}
    refused = [each.hyper_node for each in session.trace.hyper_nodes["ns/j"] if each.refusal is not None]
    assert refused == ["b", "c"]


def test_a_job_that_fits_nowhere_leaves_nothing_behind() -> None:
    """It is not tried again with what is left, unlike a job without a tier limit."""
    session = ran(gang("j", 3, cpu=2, networkTopology=LEAF))
    assert {status for status, _ in placements(session).values()} == {"Pending"}
    assert [each.hyper_node for each in session.trace.hyper_nodes["ns/j"]] == ["a", "b", "c"]


def test_without_a_hyper_node_the_queue_of_such_a_job_is_not_served() -> None:
    """The second job has no limit, and waits for the next session even so."""
    jobs = [gang("j", 1, networkTopology=LEAF), gang("plain", 1, created=9)]
    session = run([node("n1", cpu=4), queue("default"), *jobs], NEAR, profile=OLD)
    assert {status for status, _ in placements(session).values()} == {"Pending"}
    assert session.trace.jobs["ns/j"][1].code == "hyper-nodes-not-ready"


LEAVES: list[Object | list[Object]] = [
    *(node(f"n{at}", cpu=4) for at in range(6)),
    hyper_node("a", 1, nodes=["n0", "n1"]),
    hyper_node("b", 1, nodes=["n2", "n3"]),
    hyper_node("c", 1, nodes=["n4", "n5"]),
    queue("default"),
    group("r", phase="Running"),
]
OTHERS = ["b", "c"]


def placed(session: Session, op: Op = Op.ALLOCATE) -> list[Operation]:
    """Return the steps that give the tasks of a job the first leaf, in turns."""
    tasks: list[Task] = list(session.jobs["ns/j"].tasks.values())
    return [Operation(op, task, f"n{at % 2}") for at, task in enumerate(tasks)]


def alike(*objects: Object | list[Object], op: Op = Op.ALLOCATE) -> set[str]:
    """Return which of the other leaves would certainly take all pending tasks, too."""
    session = open_session([*LEAVES, *objects], NEAR)
    return Foresight(session).alike(placed(session, op), OTHERS)


def test_a_hyper_node_with_as_many_open_nodes_as_tasks_takes_them() -> None:
    """Whatever their classes are; one that is full counts as no node."""
    small, large = pod("j-w-0", "j", cpu=1), pod("j-w-1", "j", cpu=3)
    assert alike(group("j", 2), small, large) == {"b", "c"}
    assert alike(group("j", 2), small, large, pod("r-0", "r", cpu=2, node="n2")) == {"c"}


def test_one_with_fewer_nodes_has_to_have_the_room_for_tasks_of_one_class() -> None:
    """Of several classes, that would hang on which goes where."""
    assert alike(gang("j", 6)) == {"b", "c"}
    assert alike(gang("j", 6), pod("r-0", "r", cpu=3, node="n2")) == {"c"}
    assert alike(gang("j", 9)) == set()
    assert alike(group("j", 3), *(pod(f"j-w-{at}", "j", cpu=1 + at) for at in range(3))) == set()


def test_nodes_that_have_tasks_of_the_try_count_for_no_other_hyper_node() -> None:
    """They are in two HyperNodes only where these are no tree."""
    session = open_session([*LEAVES, gang("j", 2)], NEAR)
    assert Foresight(session).alike(placed(session), ["a"]) == set()


def test_a_promise_is_not_foreseen() -> None:
    """Neither is where a node was chosen for a task before."""
    assert alike(gang("j", 2), op=Op.PIPELINE) == set()
    assert alike(group("j"), pod("j-w-0", "j", status={"nominatedNodeName": "n0"})) == set()


def test_nothing_is_foreseen_where_nodes_matter_to_one_another() -> None:
    """A task that keeps away from others in its zone may be refused by nodes that it is not placed on."""
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"x": "y"}}}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    assert alike(group("j"), pod("j-w-0", "j", labels={"x": "y"}, spec={"affinity": affinity})) == set()


@pytest.mark.parametrize("pods", [2, 3])
def test_what_is_foreseen_is_not_tried(pods: int) -> None:
    """A gang stands in the first leaf that takes it, also where some of its tasks are left."""
    session = run([*LEAVES, gang("j", pods, 2, networkTopology={"mode": "hard", "highestTierAllowed": 1})], NEAR)
    assert [each.hyper_node for each in session.trace.hyper_nodes["ns/j"] if each.placed] == ["a"]
    assert {task.node for task in session.jobs["ns/j"].tasks.values()} <= {"n0", "n1"}


def test_hyper_nodes_whose_nodes_take_none_of_the_tasks_are_known() -> None:
    """Room that is being released counts, as a task may be promised that; a HyperNode without nodes is not tried."""
    full = [pod(f"r-{at}", "r", cpu=4, node=f"n{at}") for at in range(4)]
    leaving = pod("r-4", "r", cpu=4, node="n4", deleted=True)
    objects = [*LEAVES, *full, leaving, hyper_node("d", 1), pod("r-5", "r", cpu=3, node="n5"), gang("j", 2, cpu=2)]
    session = open_session(objects, NEAR)
    foresight, tasks = Foresight(session), list(session.jobs["ns/j"].tasks.values())
    assert foresight.refusing(tasks, ["b", "d", "c", "a"]) == ["b", "a"]


def test_of_tries_in_vain_the_last_one_is_made() -> None:
    """Its reasons are those that a task is left with; of the others it is noted that they took nothing."""
    full = [pod(f"r-{at}", "r", cpu=4, node=f"n{at}") for at in range(6)]
    topology = {"mode": "hard", "highestTierAllowed": 1}
    gang_of_two = gang("j", 2, networkTopology=topology, minResources={})
    session = run([*LEAVES, *full, node("apart"), gang_of_two], NEAR)
    job = session.jobs["ns/j"]
    tried = [(each.hyper_node, each.placed) for each in session.trace.hyper_nodes["ns/j"] if each.refusal is None]
    assert tried == [("a", 0), ("b", 0), ("c", 0)]
    assert {errors.hyper_node for errors in job.fit_errors.values()} == {"c"}
