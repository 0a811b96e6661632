"""The tries to place a job's tasks: in their order, with who was refused and how each ended."""

from __future__ import annotations

from pathlib import Path

from vqs.explain.jobs.outcome import PlacementAttempt
from vqs.explain.jobs.report import explain_job
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.reading.reader import read_manifests

ROOT = Path(__file__).parents[3]


def tries(scenario: str, job: str) -> list[PlacementAttempt]:
    """Return the tries of a job of a scenario."""
    read = read_manifests([str(ROOT / "scenarios" / f"{scenario}.yaml")])
    return explain_job(read, SimulateOptions(), job).attempts


def said(each: PlacementAttempt) -> list[tuple[str, int, str]]:
    """Return what became of the roles: how many tasks, and where, or why not."""
    return [(step.role, len(step.tasks), step.verdict.code if step.verdict else step.node) for step in each.steps]


def test_a_gang_that_is_given_back() -> None:
    """What was placed before the refusal is told, and who was refused with what the nodes said."""
    [only] = tries("gang-discarded", "gang")
    assert (only.action, only.result) == ("allocate", "discard")
    assert [code for *_, code in said(only)] == ["node-0", "node-1", "node-2", "fragmented"]
    refused = only.steps[-1].verdict
    assert refused is not None
    assert refused.text.startswith("none of the 3 nodes has room for the task: all 3 have too little cpu left.")


def test_alike_tasks_make_one_step() -> None:
    """Tasks of a role that met the same, one after the other, are told together."""
    [only] = tries("preempt-same-priority-nobody", "second")
    assert (only.action, only.result) == ("allocate", "refused")
    assert said(only) == [("worker", 2, "queue-limit")]


def test_a_job_that_is_ready_goes_on_task_by_task() -> None:
    """Each task beyond the minimum is a try of its own."""
    found = tries("capacity-beyond-deserved", "sweep")
    assert [each.result for each in found[:12]] == ["commit"] * 12
    assert all(len(each.steps[0].tasks) == 1 for each in found[:12])
    assert found[-1].result == "refused"


def test_tries_of_several_actions_come_in_their_order() -> None:
    """What preempt promised comes after what allocate refused."""
    first, second = tries("preempt-higher-priority", "urgent")
    assert (first.action, first.result) == ("allocate", "refused")
    assert (second.action, second.result) == ("preempt", "commit")
    assert all(step.pipelined for step in second.steps)
    assert len(second.evicted) == 4


def test_promised_places_are_kept() -> None:
    """A statement that waits for room is neither committed nor discarded."""
    found = tries("pipelined", "new")
    assert {each.result for each in found} == {"keep"}
    assert all(step.placed and step.pipelined for each in found for step in each.steps)
