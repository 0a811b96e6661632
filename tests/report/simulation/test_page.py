"""What of a result is shown where it is asked for: a selection, and further lists."""

from __future__ import annotations

import pytest

from tests.report.writers import as_markdown, as_table
from vqs.explain.outcome import Inspection, NodeInspection, NodeResult, Simulation, StatementResult, Utilisation
from vqs.report.formats import Detail, Extras, Filters, View
from vqs.report.simulation.page import misses, select, unknown_tasks
from vqs.report.simulation.summary import usage_lines

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


@pytest.fixture
def inspected(result: Simulation) -> Simulation:
    """Add what is kept of the first task."""
    first = result.tasks[0]
    nodes = [
        NodeInspection(node="a", idle=True, scores={"binpack": 5.0, "nodeorder": 1.5}, total=6.5),
        NodeInspection(node="b", idle=True, scores={"binpack": 7.0}, total=7.0, chosen=True),
        NodeInspection(node="c", reasons=["Insufficient [gpu]", "no"]),
        NodeInspection(node="d"),
    ]
    result.inspections = [Inspection(namespace=first.namespace, name=first.name, nodes=nodes)]
    return result


def lines(result: Simulation, extras: Extras, detail: Detail = Detail.USUAL) -> list[str]:
    """Return the lines of a table report."""
    return as_table(result, View(extras=extras, detail=detail)).splitlines()


def section(report: list[str], title: str) -> list[str]:
    """Return a section's lines below its title."""
    start = next(number for number, line in enumerate(report) if line.startswith(title))
    end = report.index("", start)
    return [" ".join(line.split()) for line in report[start:end]]


def test_fit_errors_name_every_nodes_answer(inspected: Simulation) -> None:
    """A node had room, will have it, or has reasons against the task; the one that was chosen comes first."""
    task = inspected.tasks[0]
    name = f"{task.namespace}/{task.name}"
    assert section(lines(inspected, Extras(fit_errors=[name])), "Fit errors") == [
        (
            f"Fit errors of {name}: at its last attempt, of 4 nodes, 2 fitted, 1 fit once terminating pods are gone, "
            "1 rejected it"
        ),
        "NODE ANSWER",
        "b fits, chosen",
        "a fits",
        "d fits once terminating pods are gone",
        "c Insufficient [gpu], no",
    ]


def test_scores_come_best_first(inspected: Simulation) -> None:
    """With what each plugin gave, for the nodes that were compared."""
    task = inspected.tasks[0]
    name = f"{task.namespace}/{task.name}"
    assert section(lines(inspected, Extras(scores=[name])), "Scores") == [
        f"Scores of {name}: 2 nodes compared when it was tried",
        "NODE BINPACK NODEORDER TOTAL",
        "b 7 0 7 chosen",
        "a 5 1.5 6.5",
    ]


def test_a_task_that_was_not_tried_says_why(result: Simulation) -> None:
    """In place of an empty table."""
    task = next(task for task in result.tasks if task.verdict)
    assert task.verdict
    title = section(
        lines(result, Extras(scores=[f"{task.namespace}/{task.name}"])), f"{task.namespace}/{task.name} was"
    )
    assert title == [f"{task.namespace}/{task.name} was not compared with any node: {task.verdict.text}"]


def test_unknown_tasks_get_a_hint(result: Simulation) -> None:
    """A misspelt name is told from what was probably meant."""
    task = result.tasks[0]
    [line] = unknown_tasks(result, Extras(scores=[f"{task.namespace}/{task.name}x"]))
    assert line.endswith(f"did you mean '{task.namespace}/{task.name}'?")
    assert unknown_tasks(result, Extras(scores=[f"{task.namespace}/{task.name}"])) == []


def test_nodes_show_what_is_used_of_what(result: Simulation) -> None:
    """A resource that a node does not have is a dash."""
    gpu = NodeResult(
        name="gpu",
        allocatable={"cpu": 8.0, "[gpu]": 2.0},
        used_before={"cpu": 1.0, "[gpu]": 0.0},
        used={"cpu": 3.0, "[gpu]": 0.0},
        pods_before=1,
        pods=3,
        max_pods=110,
    )
    plain = NodeResult(
        name="plain",
        allocatable={"cpu": 8.0},
        used_before={"cpu": 1.0},
        used={"cpu": 0.5},
        pods_before=0,
        pods=0,
        max_pods=9,
        unschedulable=True,
    )
    result.nodes = [gpu, plain]
    assert section(lines(result, Extras(nodes=True)), "Nodes") == [
        "Nodes",
        "NODE PODS CPU [GPU] STATE",
        "gpu 1 → 3 of 110 1 → 3 of 8 0 of 2",
        "plain 0 of 9 1 → 0.5 of 8 - unschedulable",
    ]


def test_decisions_come_in_their_order(result: Simulation) -> None:
    """Long statements are cut short, unless everything is asked for."""
    [first, *_] = result.trace
    result.trace = [
        StatementResult(id=1, action="allocate", job=first.job, result="commit", operations=first.operations * 7)
    ]
    step = f"{first.operations[0].op} {first.operations[0].task} on {first.operations[0].node}"
    usual = section(lines(result, Extras(trace=True)), "Decisions")
    assert usual[1] == "# ACTION JOB RESULT STEPS"
    assert usual[2].startswith(f"1 allocate {first.job} commit {step}, ")
    assert usual[2].endswith(" more")
    assert not section(lines(result, Extras(trace=True), Detail.EVERYTHING), "Decisions")[2].endswith("more")


def test_long_lists_are_cut(result: Simulation) -> None:
    """The title says so, and how to see the rest."""
    node = NodeResult(
        name="n",
        allocatable={"cpu": 8.0},
        used_before={"cpu": 0.0},
        used={"cpu": 0.0},
        pods_before=0,
        pods=0,
        max_pods=9,
        unschedulable=True,
    )
    result.nodes = [node] * 101
    cut = section(lines(result, Extras(nodes=True)), "Nodes")
    assert cut[0] == "Nodes (the first 100 of 101; -v shows all)"
    assert len(cut) == 102
    assert len(section(lines(result, Extras(nodes=True), Detail.EVERYTHING), "Nodes")) == 103


def test_markdown_has_the_same_lists(inspected: Simulation) -> None:
    """With names that cannot act as markup."""
    task = inspected.tasks[0]
    extras = Extras(scores=[f"{task.namespace}/{task.name}"], fit_errors=[f"{task.namespace}/{task.name}"], trace=True)
    report = as_markdown(inspected, View(extras=extras))
    assert "| b | 7 | 0 | 7 | chosen |" in report
    assert "| c | Insufficient `[gpu]`, no |" in report
    assert "### Decisions, in order" in report


def test_usage_before_and_after(result: Simulation) -> None:
    """The summary says how full resources are, and what of the rest nobody can use."""
    figures = {"used_before": 0.25, "used_after": 0.5, "stranded_before": 0.0}
    result.utilisation = [
        Utilisation(resource="cpu", total=8.0, stranded_after=0.5, **figures),
        Utilisation(resource="memory", total=2.0**33, stranded_after=0.0, **figures),
    ]
    assert usage_lines(result) == [
        "Used: cpu 25% → 50% of 8, memory 25% → 50% of 8Gi",
        "Stranded idle resources, on nodes without room for a typical task (median request): 0% → 50% of the cpu",
    ]
