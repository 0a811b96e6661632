"""A job counts its tasks, and says what the scheduler would say of them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.model.job import (
    READY_STATUSES,
    VALID_STATUSES,
    FitErrors,
    Job,
    Task,
    TaskStatus,
    Transaction,
    jobs_called,
    named_after_owners,
)
from vqs.model.kubernetes import OwnerReference, Pod, PodGroup
from vqs.model.resource import Resource


def make_job(min_member: int = 1, **spec: Any) -> Job:
    """Make a job without tasks."""
    group = msgspec.convert(
        {"metadata": {"name": "j", "namespace": "n"}, "spec": {"minMember": min_member, **spec}}, PodGroup
    )
    return Job(group, queue="q", priority=0, created=0.0)


def add(job: Job, name: str, role: str = "worker", status: TaskStatus = TaskStatus.Pending, cpu: float = 1000) -> Task:
    """Add a task to a job."""
    pod = msgspec.convert({"metadata": {"name": name, "namespace": "n"}}, Pod)
    task = Task(pod, uid=name, job=job.uid, role=role, status=status, request=Resource(cpu, 0, {"pods": 1}))
    job.add_task(task)
    return task


def test_counts_follow_every_change_of_status() -> None:
    """Ready, waiting and valid numbers, and what is allocated, are those of the tasks as they stand."""
    job = make_job(2)
    first, second = add(job, "a"), add(job, "b")
    job.set_status(first, TaskStatus.Allocated)
    job.set_status(second, TaskStatus.Pipelined)
    assert (job.ready, job.waiting, job.valid, job.total) == (1, 1, 2, 2)
    assert job.allocated == Resource(1000, 0, {"pods": 1})
    assert not job.is_ready()
    assert job.is_pipelined()
    job.set_status(first, TaskStatus.Pending)
    assert (job.ready, job.allocated.milli_cpu) == (0, 0)


def test_a_pending_task_that_asks_for_nothing_counts_for_the_gang() -> None:
    """A best-effort task needs no room, so its gang does not wait for it."""
    job = make_job(2)
    add(job, "a", status=TaskStatus.Running)
    add(job, "b", cpu=0)
    assert job.is_ready()


def test_minimums_of_roles_bind_only_up_to_the_jobs_own() -> None:
    """Where the roles' minimums add up to more than minMember, only minMember counts."""
    job = make_job(2, minTaskMember={"ps": 2, "worker": 1})
    add(job, "a", "worker", TaskStatus.Running)
    assert job.roles_complete(READY_STATUSES)
    strict = make_job(3, minTaskMember={"ps": 2, "worker": 1})
    add(strict, "a", "worker", TaskStatus.Running)
    assert not strict.roles_complete(READY_STATUSES)


def test_a_failed_pod_is_no_valid_task() -> None:
    """A gang is checked for its size without tasks that failed or whose state is unknown."""
    job = make_job(1, minTaskMember={"worker": 1})
    add(job, "a", status=TaskStatus.Failed)
    assert not job.roles_complete(VALID_STATUSES, best_effort_pending=False)
    assert job.valid == 0


def test_a_gang_of_all_its_tasks_stops_at_the_first_refusal() -> None:
    """Where every task is needed, one that fits nowhere ends the try."""
    job = make_job(2)
    first, _ = add(job, "a"), add(job, "b")
    job.record_fit_errors(first, FitErrors(3))
    assert not job.may_continue(job)


def test_an_elastic_gang_goes_on_while_enough_tasks_of_other_roles_are_left() -> None:
    """After a role failed, the others are tried as long as they alone can make up the minimum."""
    job = make_job(1, minTaskMember={"ps": 1, "worker": 1})
    ps, _ = add(job, "a", "ps"), add(job, "b", "worker")
    job.record_fit_errors(ps, FitErrors(3))
    assert job.may_continue(job)


def test_a_gang_whose_failed_role_lacks_its_minimum_stops() -> None:
    """A role that failed below its own minimum makes the rest pointless."""
    job = make_job(2, minTaskMember={"ps": 1, "worker": 1})
    ps, _, _ = add(job, "a", "ps"), add(job, "b", "worker"), add(job, "c", "worker")
    job.record_fit_errors(ps, FitErrors(3))
    assert not job.may_continue(job)


def test_tasks_without_a_role_do_not_fail_each_other() -> None:
    """A role that is not named is not the same role."""
    job = make_job(1)
    first, second = add(job, "a", ""), add(job, "b", "")
    job.record_fit_errors(first, FitErrors(1))
    assert not job.role_has_failed(second)


@pytest.mark.parametrize(
    ("errors", "message"),
    [
        (FitErrors(3, {"Insufficient cpu": 2, "other": 1}), "0/3 nodes are unavailable: 1 other, 2 Insufficient cpu."),
        (FitErrors(error="skipped"), "skipped"),
        (FitErrors(12, {"b": 10, "a": 2}), "0/12 nodes are unavailable: 10 b, 2 a."),
    ],
)
def test_fit_errors_are_told_as_the_scheduler_tells_them(errors: FitErrors, message: str) -> None:
    """The histogram is sorted as text, numbers included."""
    assert errors.message() == message


def test_the_summary_of_a_gang_counts_statuses_and_reasons() -> None:
    """What ends up in the PodGroup's condition names the most telling task, one that nodes refused."""
    job = make_job(3)
    placed, refused, skipped = add(job, "p"), add(job, "r"), add(job, "a")
    job.set_status(placed, TaskStatus.Allocated)
    placed.node = "n1"
    placed.last_transaction = Transaction(placed.status, placed.node, eviction_occurred=placed.eviction_occurred)
    job.set_status(placed, TaskStatus.Pending)
    job.record_fit_errors(skipped, FitErrors(error="skipped"))
    job.record_fit_errors(refused, FitErrors(1, {"Insufficient cpu": 1}))
    assert job.fit_error() == (
        "pod group is not ready, 3 Pending, 3 minAvailable; Pending: 1 Schedulable, 2 Unschedulable"
        ". Origin reason is r: 0/1 nodes are unavailable: 1 Insufficient cpu."
    )
    assert job.scheduling_reason(placed)[1] == "Pod n/p can possibly be assigned to n1, once minAvailable is satisfied"


def test_gated_tasks_reserve_nothing() -> None:
    """What scheduling-gated tasks ask for is taken off what their job reserves, down to zero."""
    job = make_job(1, minResources={"cpu": 3})
    add(job, "a").frees_reserve = True
    assert job.without_gated(job.minimum()).milli_cpu == 2000
    assert job.without_gated(Resource(500)).milli_cpu == 0


def test_elastic_is_what_is_held_beyond_the_minimum() -> None:
    """A job without minResources holds everything beyond it."""
    job = make_job(1, minResources={"cpu": "500m"})
    add(job, "a", status=TaskStatus.Running)
    assert job.elastic() == Resource(500, 0, {"pods": 1})


WEB = OwnerReference("apps/v1", "Deployment", "web", "1", controller=True)
WEB_SET = OwnerReference("apps/v1", "ReplicaSet", "web-7d9f", "2", controller=True)
OTHER_SET = OwnerReference("apps/v1", "ReplicaSet", "web-5c6b", "3", controller=True)
WEB_JOB = OwnerReference("batch.volcano.sh/v1alpha1", "Job", "web", "4", controller=True)
WEB_BATCH_JOB = OwnerReference("batch/v1", "Job", "web", "5", controller=True)


def displayed(**owners: tuple[OwnerReference, ...]) -> list[str]:
    """Return what jobs of the namespace a are called, given the owners of their PodGroups."""
    return [
        name.display for name in named_after_owners({f"a/{group}": each for group, each in owners.items()}).values()
    ]


def test_the_topmost_controller() -> None:
    """A job is called what the topmost controller is called, and a PodGroup without one keeps its name."""
    assert displayed(pg1=(WEB, WEB_SET), pg2=()) == ["a/web", "a/pg2"]


def test_a_controller_of_several_jobs() -> None:
    """Jobs of one Deployment are called after their ReplicaSets."""
    assert displayed(pg1=(WEB, WEB_SET), pg2=(WEB, OTHER_SET)) == ["a/web-7d9f", "a/web-5c6b"]


def test_a_controller_with_several_pod_groups() -> None:
    """Where one controller has several PodGroups itself, the jobs are called after these."""
    assert displayed(pg1=(WEB_JOB,), pg2=(WEB_JOB,)) == ["a/pg1", "a/pg2"]


def test_owners_in_a_circle() -> None:
    """A controller that a chain of owners comes back to has one job all the same."""
    assert displayed(pg1=(WEB, WEB_SET, WEB), pg2=(WEB_BATCH_JOB,)) == ["a/web (Deployment)", "a/web (Job)"]


def test_controllers_of_two_kinds() -> None:
    """Where controllers of two kinds have one name, the kind tells them apart."""
    assert displayed(pg1=(WEB,), pg2=(WEB_JOB,)) == ["a/web (Deployment)", "a/web (Job)"]


def test_kinds_of_one_name() -> None:
    """Where even the kinds have one name, the PodGroups tell the jobs apart."""
    assert displayed(pg1=(WEB_JOB,), pg2=(WEB_BATCH_JOB,)) == ["a/pg1", "a/pg2"]


def test_a_pod_group_called_like_a_controller() -> None:
    """A PodGroup without a controller that is called like one is told apart by its kind."""
    assert displayed(pg1=(WEB,), web=()) == ["a/web (Deployment)", "a/web (PodGroup)"]


def test_two_namespaces() -> None:
    """Jobs of one name in two namespaces are told apart by these."""
    names = named_after_owners({"a/pg1": (WEB,), "b/pg1": (WEB,)})
    assert [name.display for name in names.values()] == ["a/web", "b/web"]


OWNERS = st.lists(
    st.builds(
        OwnerReference,
        api_version=st.sampled_from(["apps/v1", "batch/v1"]),
        kind=st.sampled_from(["Job", "PodGroup", "Set"]),
        name=st.sampled_from(["x", "y", "x (Job)"]),
    ),
    max_size=3,
)


@given(st.dictionaries(st.sampled_from(["a/x", "a/y", "a/z", "b/x", "b/y"]), OWNERS))
def test_no_two_jobs_are_called_the_same(owners: dict[str, list[OwnerReference]]) -> None:
    """Whatever owners jobs have, each is found by its display name, and by that it alone."""
    names = named_after_owners(owners).values()
    assert [[each.uid for each in jobs_called(name.display, names)] for name in names] == [[name.uid] for name in names]


@pytest.mark.parametrize("name", ["a/web", "web", "a/podgroup-2", "podgroup-2", "a/web-7d9f", "web-7d9f"])
def test_names_that_a_job_is_given_by(name: str) -> None:
    """A job is found by what it is called, by its PodGroup and by its other controllers, with or without namespace."""
    names = named_after_owners({"a/podgroup-2": (WEB, WEB_SET), "a/alone": ()})
    assert [each.uid for each in jobs_called(name, names.values())] == ["a/podgroup-2"]


def test_a_name_in_two_namespaces() -> None:
    """A name without a namespace stands for all jobs that have it."""
    names = named_after_owners({"a/pg1": (WEB,), "b/pg2": (WEB,)})
    assert [each.uid for each in jobs_called("web", names.values())] == ["a/pg1", "b/pg2"]
