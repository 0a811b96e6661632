"""Victims of a job are divided into those that it can spare and those that go together."""

from __future__ import annotations

from typing import Any

from tests.build import group, node, pod, queue
from tests.engine.crowds import running
from tests.engine.gangs import gang_session
from vqs.engine.actions.eviction.bundles import Bundle, BundleType, allowed_part, job_bundles
from vqs.model.job import Job
from vqs.model.resource import Resource

PARTS = [{"name": "p", "matchLabelKeys": ["part"], "subGroupSize": 2, "minSubGroups": 1}]


def job_of(*objects: Any) -> Job:
    """Return the job `j` in a session on some objects."""
    return gang_session([node("n1"), queue("default"), *objects], "gangpreempt").jobs["ns/j"]


def divided(job: Job) -> dict[str, list[str]]:
    """Return the names of a job's tasks by the type of their bundle, where all may be evicted."""
    return {each.type.name: [task.name[-1] for task in each.tasks] for each in job_bundles(job, job.tasks.values())}


def of_parts(*parts: str) -> list[Any]:
    """Make a job with a running pod in each of some parts."""
    pods = [pod(f"j-{i}", "j", node="n1", labels={"part": part}) for i, part in enumerate(parts)]
    return [group("j", 1, "Running", subGroupPolicy=PARTS), *pods]


def test_what_is_beyond_the_minimum_is_safe() -> None:
    """The other tasks are needed, all of them."""
    assert divided(job_of(running("j", *["n1"] * 3, min_member=2))) == {"SAFE": ["0"], "WHOLE": ["1", "2"]}


def test_tasks_of_low_priority_are_spared_first() -> None:
    """Whatever their names are."""
    pods = [pod(f"j-{i}", "j", node="n1", spec={"priority": priority}) for i, priority in enumerate([9, 1, 5])]
    assert divided(job_of(group("j", 1, "Running"), *pods)) == {"SAFE": ["1", "2"], "WHOLE": ["0"]}


def test_a_gang_that_is_incomplete_has_nothing_to_lose() -> None:
    """All of its tasks are safe."""
    assert divided(job_of(running("j", *["n1"] * 2, min_member=3))) == {"SAFE": ["0", "1"]}


def test_a_role_keeps_its_minimum() -> None:
    """Where the job as a whole could spare both tasks."""
    pods = [pod(f"j-{i}", "j", node="n1", role=role) for i, role in enumerate(["ps", "worker", "worker"])]
    assert divided(job_of(group("j", 1, "Running", minTaskMember={"ps": 1}), *pods)) == {
        "SAFE": ["1", "2"],
        "WHOLE": ["0"],
    }


def test_a_policy_keeps_its_minimum_of_sub_groups() -> None:
    """Of two complete sub-groups, one may be broken, and then it may lose all of its tasks."""
    assert divided(job_of(*of_parts("a", "a", "b", "b"))) == {"SAFE": ["0", "1"], "WHOLE": ["2", "3"]}


def test_a_sub_group_that_is_broken_has_nothing_to_lose() -> None:
    """Its only task is spared, the complete sub-group is needed."""
    assert divided(job_of(*of_parts("a", "b", "b"))) == {"SAFE": ["0"], "WHOLE": ["1", "2"]}


def test_a_gang_is_broken_as_a_whole_or_not_at_all() -> None:
    """Of what can be spared, a part is left where some tasks may not go; of the rest, nothing."""
    safe, whole = job_bundles(job := job_of(running("j", *["n1"] * 4, min_member=2)), job.tasks.values())
    allowed = {safe.tasks[0].uid, whole.tasks[0].uid}
    part = allowed_part(safe, allowed)
    assert part is not None
    assert (part.tasks, part.freed.milli_cpu) == (safe.tasks[:1], 1000.0)
    assert allowed_part(whole, allowed) is None
    assert allowed_part(whole, {task.uid for task in whole.tasks}) is whole


def test_a_bundle_is_the_better_the_less_it_disrupts() -> None:
    """What it frees beyond the need counts for nothing, and what disrupts nothing is best."""
    job = job_of(running("j", "n1"))
    need = Resource(2000.0)
    small = Bundle(BundleType.WHOLE, job, (), freed=Resource(1000.0), disrupted=Resource(1000.0))
    large = Bundle(BundleType.WHOLE, job, (), freed=Resource(4000.0), disrupted=Resource(8000.0))
    assert (small.efficiency(need), large.efficiency(need)) == (1.0, 0.25)
    assert Bundle(BundleType.SAFE, job, (), Resource(1.0), Resource()).efficiency(need) == float("inf")
