"""Which part of a result is shown."""

from __future__ import annotations

import pytest

from vqs.explain.outcome import Simulation
from vqs.report.formats import Filters
from vqs.report.simulation.filters import misses, select

PLACED = ["llama-finetune-worker-0", "llama-finetune-worker-1"]
WAITING = ["diffusion:warning:train-0", "diffusion:warning:train-1"]


@pytest.mark.parametrize(
    ("filters", "tasks"),
    [
        (Filters(), PLACED + WAITING),
        (Filters(queues=("research",)), PLACED + WAITING),
        (Filters(queues=("adhoc",)), []),
        (Filters(queues=("adhoc", "re*")), PLACED + WAITING),
        (Filters(jobs=("llama-finetune",)), PLACED),
        (Filters(jobs=("ml/llama-finetune",)), PLACED),
        (Filters(jobs=("web/*",)), []),
        (Filters(jobs=("*train",)), WAITING),
        (Filters(statuses=("Pending",)), WAITING),
        (Filters(statuses=("binding",)), PLACED),
        (Filters(verdicts=("no-node-*",)), WAITING),
        (Filters(verdicts=("queue-limit",)), []),
        (Filters(jobs=("llama-*",), statuses=("Pending",)), []),
    ],
)
def test_tasks_match_every_kind_of_filter(result: Simulation, filters: Filters, tasks: list[str]) -> None:
    """A task is shown if of each kind of filter one pattern matches."""
    assert [task.name for task in select(result, filters).tasks] == tasks


def test_jobs_are_those_of_the_tasks(result: Simulation) -> None:
    """Jobs are shown with the tasks that match, also where only these can tell, and queues with their jobs."""
    selection = select(result, Filters(statuses=("Pending",)))
    assert [job.name for job in selection.jobs] == ["diffusion:warning:train"]
    assert [queue.name for queue in selection.queues] == ["research"]


def test_a_job_without_tasks_matches_by_itself(result: Simulation) -> None:
    """A job that has no pods yet is found by its name and its verdict, but not by a status."""
    result.jobs[1].verdict = result.tasks[2].verdict
    result.tasks = []
    assert [job.name for job in select(result, Filters(verdicts=("no-node-fits",))).jobs] == ["diffusion:warning:train"]
    assert [job.name for job in select(result, Filters(jobs=("llama*",))).jobs] == ["llama-finetune"]
    assert select(result, Filters(statuses=("Pending",))).jobs == []


def test_a_queue_without_jobs_can_be_asked_for(result: Simulation) -> None:
    """A queue is shown by its name alone, unless something is asked of its jobs."""
    assert [queue.name for queue in select(result, Filters(queues=("adhoc",))).queues] == ["adhoc"]
    assert select(result, Filters(queues=("adhoc",), jobs=("*",))).queues == []


def test_misses_are_told(result: Simulation) -> None:
    """A pattern that matches nothing is named, with what was probably meant."""
    filters = Filters(
        queues=("resarch", "adhoc"), jobs=("ml/*", "x"), statuses=("Pendng",), verdicts=("queue-limt", "queue-limit")
    )
    assert list(misses(result, filters)) == [
        "no queue is called 'resarch' (did you mean 'research'?)",
        "no job is called 'x'",
        "no task has the status 'Pendng' (did you mean 'Pending'?)",
        "nothing has the verdict 'queue-limt' (did you mean 'queue-limit'?)",
        "nothing has the verdict 'queue-limit'",
    ]
