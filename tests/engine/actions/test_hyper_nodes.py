"""allocate tries jobs with a network topology in one HyperNode after the other, and takes the best."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import CONF, NOW, Object, gang, group, hyper_node, manifests, node, placements, pod, queue, run
from tests.properties import examples
from vqs.engine import scheduler
from vqs.engine.framework.session import Session, SessionOptions
from vqs.engine.framework.trace import StatementResult
from vqs.explain.verdicts import job_verdict
from vqs.model.task import TaskStatus
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
        "no HyperNode can be tried for job ns/j: the highest tier allowed is 1; "
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
