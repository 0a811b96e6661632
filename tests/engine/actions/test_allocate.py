"""allocate places gangs, keeps what waits for room, and rolls the rest back."""

from __future__ import annotations

from tests.build import CONF, gang, group, node, placements, pod, queue, run
from vqs.engine.framework.trace import StatementResult
from vqs.explain.verdicts import job_verdict
from vqs.model.job import TaskStatus
from vqs.releases.profile import profile_of
from vqs.releases.release import Build, Release

PLAIN = "actions: allocate\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"


def test_a_gang_that_fits_is_bound() -> None:
    """All tasks get nodes, and the statement is committed."""
    session = run([node("n1"), queue("default"), gang("j", 3)])
    assert {status for status, _ in placements(session).values()} == {"Binding"}
    assert [record.result for record in session.trace.statements] == [StatementResult.COMMIT]


def test_a_gang_that_does_not_fit_is_rolled_back() -> None:
    """Tasks that had a node lose it, and their pods say what might have been."""
    session = run([node("n1", cpu=2), queue("default"), gang("j", 3, cpu=1), gang("filler", 1, cpu=2, created=5)])
    job = session.jobs["ns/j"]
    assert len(job.having(TaskStatus.Pending)) == 3
    assert job.scheduling_reason(job.tasks["j-worker-0"]) == (
        "Schedulable",
        "Pod ns/j-worker-0 can possibly be assigned to n1, once minAvailable is satisfied",
    )
    assert placements(session)["filler-worker-0"] == ("Binding", "n1")


def test_tasks_beyond_the_minimum_are_placed_in_later_tries() -> None:
    """An elastic job gets its minimum first, then one more task at a time."""
    session = run([node("n1", cpu=3), queue("default"), gang("j", 4, 2)])
    assert len(session.jobs["ns/j"].having(TaskStatus.Binding)) == 3
    assert [len(record.operations) for record in session.trace.statements] == [2, 1]


def test_a_gang_waits_for_releasing_resources() -> None:
    """Where resources are being released, tasks are promised them; nothing of the gang is bound yet."""
    session = run(
        [
            node("n1", cpu=2),
            queue("default"),
            group("old", phase="Running"),
            pod("old-0", "old", cpu=1, node="n1", deleted=True),
            gang("j", 2),
        ]
    )
    assert sorted(status for status, _ in placements(session).values()) == ["Allocated", "Pipelined", "Releasing"]
    assert [record.result for record in session.trace.statements] == [StatementResult.KEEP]


def test_idle_resources_come_before_releasing_ones() -> None:
    """A node with room now is taken, however much better another would be later."""
    session = run(
        [
            node("big", cpu=8),
            node("small", cpu=1),
            queue("default"),
            group("old", phase="Running"),
            pod("old-0", "old", cpu=8, node="big", deleted=True),
            gang("j", 1),
        ]
    )
    assert placements(session)["j-worker-0"] == ("Binding", "small")


def test_after_one_task_of_a_role_the_others_are_not_tried() -> None:
    """The message says so, as the real scheduler's does; another role is still tried."""
    session = run(
        [
            node("n1", cpu=5),
            node("n2", cpu=5),
            queue("default"),
            group("j", 1),
            pod("j-big-0", "j", cpu=9, role="big"),
            pod("j-big-1", "j", cpu=9, role="big"),
            pod("j-small-2", "j", cpu=1, role="small"),
        ]
    )
    job = session.jobs["ns/j"]
    assert job.fit_errors["j-big-0"].message() == "0/2 nodes are unavailable: 2 Insufficient cpu."
    assert job.fit_errors["j-big-1"].message() == "Task j-big-1 with role spec big has already predicated failed, skip"
    assert placements(session)["j-small-2"] == ("Binding", "n1")


def test_gated_and_best_effort_tasks_are_left_alone() -> None:
    """A task behind a gate is not tried, and one that asks for nothing is left to backfill."""
    session = run(
        [
            node("n1"),
            queue("default"),
            group("j", 0),
            pod("j-a-0", "j", spec={"schedulingGates": [{"name": "wait"}]}),
            pod("j-b-0", "j", best_effort=True),
        ],
        CONF.replace(", backfill", ""),
    )
    assert {status for status, _ in placements(session).values()} == {"Pending"}
    assert not session.trace.statements


def test_without_the_action_enqueue_pending_jobs_are_let_in() -> None:
    """Where nobody would ever let a job in, allocate does."""
    session = run([node("n1"), queue("default"), gang("j", 1, phase="Pending")], CONF.replace("enqueue, ", ""))
    assert session.jobs["ns/j"].having(TaskStatus.Binding)


def test_a_nominated_node_is_taken_first() -> None:
    """A node that an earlier session evicted for is taken if the task fits there, whatever its score."""
    session = run(
        [
            node("a", cpu=64, memory="512Gi"),
            node("b", cpu=2),
            queue("default"),
            group("j"),
            pod("j-w-0", "j", status={"nominatedNodeName": "b"}),
        ]
    )
    assert placements(session)["j-w-0"] == ("Binding", "b")


def test_a_gang_with_too_few_pods_is_not_tried() -> None:
    """A job that can never be complete is left out."""
    session = run([node("n1"), queue("default"), gang("j", 2, 3)])
    assert session.trace.jobs["ns/j"][1].code == "gang-too-small"
    assert not session.trace.statements


def test_a_cluster_without_nodes_places_nothing() -> None:
    """Nothing is tried where there is no node."""
    session = run([queue("default"), gang("j", 1)])
    assert placements(session) == {"j-worker-0": ("Pending", None)}


def test_queues_take_turns() -> None:
    """After each job, the queue that has the smallest part of what it deserves is next."""
    jobs = [gang(f"{name}{n}", 1, queue=name, created=n) for n in range(2) for name in ("a", "b")]
    session = run([node("n1"), queue("a"), queue("b"), *jobs])
    assert [record.job for record in session.trace.statements] == ["ns/a0", "ns/b0", "ns/a1", "ns/b1"]


def test_sub_groups_are_placed_as_gangs_of_their_own() -> None:
    """Of a job that needs one of two sub-groups, the one that fits runs; the other leaves nothing behind."""
    policy = {"name": "p", "matchLabelKeys": ["part"], "subGroupSize": 2, "minSubGroups": 1}
    members = [
        pod(f"j-w-{n}", "j", cpu=2 if part == "x" else 1, labels={"part": part}, role="")
        for n, part in enumerate(["x", "x", "y", "y"])
    ]
    session = run([node("n1", cpu=3), queue("default"), group("j", 2, subGroupPolicy=[policy]), *members])
    statuses = [placements(session)[f"j-w-{n}"][0] for n in range(4)]
    assert statuses == ["Pending", "Pending", "Binding", "Binding"]


def test_v1_14_0_leaves_the_sub_groups_of_a_job_without_a_tier_limit() -> None:
    """Of a job whose other tasks run, nothing is tried again once only tasks of sub-groups are left."""
    policy = {"name": "p", "matchLabelKeys": ["part"], "subGroupSize": 1}
    members = [pod("j-w-0", "j"), pod("j-w-1", "j", labels={"part": "x"})]
    objects = [node("n1"), queue("default"), group("j", 1, subGroupPolicy=[policy]), *members]
    session = run(objects, profile=profile_of(Build(Release.V1_14_0)))
    assert placements(session) == {"j-w-0": ("Binding", "n1"), "j-w-1": ("Pending", None)}


def test_a_nominated_node_that_fits_keeps_the_other_nodes_unasked() -> None:
    """What other nodes would have said to the nominated task is not remembered against its role."""
    members = [pod("j-w-0", "j", cpu=8, role="w", status={"nominatedNodeName": "n0"})]
    members += [pod(f"j-w-{n}", "j", cpu=2, role="w") for n in (1, 2)]
    session = run([node("n0", cpu=8), node("n1", cpu=2), queue("default"), group("j", 2), *members])
    placed = placements(session)
    assert placed == {"j-w-0": ("Binding", "n0"), "j-w-1": ("Binding", "n1"), "j-w-2": ("Pending", None)}


NOT_PREPARED = CONF.replace("name: predicates", "name: predicates\n    enablePredicate: false")


def test_without_its_predicate_the_plugin_predicates_fails_every_allocation() -> None:
    """The flag also switches off what prepares the volume filter, which then refuses each node that was chosen."""
    session = run([node("n1"), queue("default"), gang("j", 1)], NOT_PREPARED)
    assert placements(session) == {"j-worker-0": ("Pending", None)}
    assert session.trace.tasks["j-worker-0"][1].code == "reserve-failed"
    assert not session.jobs["ns/j"].fit_errors
    without_volumes = NOT_PREPARED.replace(
        "enablePredicate: false", "enablePredicate: false\n    arguments: {predicate.VolumeBindingEnable: false}"
    )
    session = run([node("n1"), queue("default"), gang("j", 1)], without_volumes)
    assert placements(session) == {"j-worker-0": ("Binding", "n1")}


def test_a_promise_that_failed_stands() -> None:
    """Where giving a task releasing resources fails, nobody takes the promise back: not even with its gang."""
    session = run(
        [
            node("n1", cpu=2),
            queue("default"),
            group("old", phase="Running"),
            pod("old-0", "old", cpu=2, node="n1", deleted=True),
            gang("j", 2, cpu=2),
        ],
        NOT_PREPARED,
    )
    placed = placements(session)
    assert placed["j-worker-0"] == ("Pipelined", "n1")
    assert placed["j-worker-1"] == ("Pending", None)


def test_what_a_role_was_told_in_between_is_remembered() -> None:
    """The middle task of a role must not go to n1; the third, which may, does not either: it is asked for no more."""
    picky = pod("j-w-1", "j", 1, spec={"nodeSelector": {"kubernetes.io/hostname": "n2"}})
    session = run(
        [node("n1"), node("n2"), queue("default"), group("j", 3), pod("j-w-0", "j", 1), picky, pod("j-w-2", "j", 1)],
        PLAIN,
    )
    assert {name: at for name, (_, at) in placements(session).items()} == {"j-w-0": "n1", "j-w-1": "n2", "j-w-2": "n2"}


TWICE = "actions: allocate, allocate\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"
DIVIDED = [
    queue("default"),
    group("j", 2, subGroupPolicy=[{"name": "p", "matchLabelKeys": ["part"], "subGroupSize": 1}]),
    pod("j-0", "j", labels={"part": "a"}),
    pod("j-1", "j", labels={"part": "b"}),
]


def test_a_second_run_takes_up_what_sub_jobs_were_given() -> None:
    """The node has the task already, refuses it, and gives up its room for the first one too."""
    session = run([node("n1"), *DIVIDED], TWICE)
    assert set(placements(session).values()) == {("Pending", None)}
    assert session.nodes.idle[0].tolist() == [8000.0]
    assert session.nodes.pods.tolist() == [2.0]
    job = session.jobs["ns/j"]
    assert {job.scheduling_reason(task)[1] for task in job.tasks.values()} == {
        f"Pod ns/{name} can possibly be assigned to n1, once minAvailable is satisfied" for name in ("j-0", "j-1")
    }
    verdict = job_verdict(session, job)
    assert verdict is not None
    assert (verdict.code, verdict.text) == (
        "taken-back",
        "the task was placed on node n1. The second allocate action tried it again, and left it pending",
    )


def test_a_task_that_a_second_run_puts_elsewhere_fails_to_be_bound() -> None:
    """The cluster has bound it before; its first node goes on to count it, and the pod says nothing."""
    conf = TWICE + "  - name: nodeorder\n    arguments: {leastrequested.weight: 10, balancedresource.weight: 0}\n"
    session = run(
        [
            node("n1", cpu=8),
            node("n2", cpu=7),
            *DIVIDED[:2],
            pod("j-0", "j", cpu=4, labels={"part": "a"}),
            pod("j-1", "j", cpu=0, memory="1Gi", labels={"part": "b"}),
        ],
        conf,
    )
    assert placements(session)["j-0"] == ("Pending", None)
    assert session.nodes.idle[0].tolist() == [4000.0, 7000.0]
    assert session.jobs["ns/j"].scheduling_reason(session.jobs["ns/j"].tasks["j-0"])[1] == ""


def test_jobs_without_sub_jobs_are_bound_once() -> None:
    """A second run finds nothing to do for them."""
    session = run([node("n1"), queue("default"), gang("j", 2)], TWICE)
    assert set(placements(session).values()) == {("Binding", "n1")}


def test_tasks_of_a_class_are_refused_alike() -> None:
    """What no node takes is found out once for equal tasks, and told of each; once a node has room, it is asked."""
    full = [node("n1", cpu=2), queue("default"), pod("other", cpu=2, node="n1")]
    jobs = [each for name in ("a", "b", "c") for each in gang(name, 1, cpu=2)]
    session = run([*full, *jobs])
    refused = [session.trace.tasks[f"{name}-worker-0"] for name in ("a", "b", "c")]
    errors = [session.jobs[f"ns/{name}"].fit_errors[f"{name}-worker-0"] for name in ("a", "b", "c")]
    assert refused[0] == refused[1] == refused[2]
    assert errors[0] == errors[1] == errors[2]
    assert errors[0].reasons is not errors[1].reasons
    placed = placements(run([*full[:2], *jobs, node("n2", cpu=2)]))
    assert [placed[f"{name}-worker-0"] for name in ("a", "b", "c")] == [
        ("Binding", "n1"),
        ("Binding", "n2"),
        ("Pending", None),
    ]
