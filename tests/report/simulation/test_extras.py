"""The lists that are shown where somebody asks for them."""

from __future__ import annotations

import pytest

from tests.report.writers import as_markdown, as_table
from vqs.explain.outcome import Inspection, NodeInspection, NodeResult, Simulation, StatementResult, Utilisation
from vqs.report.formats import Detail, Extras, View
from vqs.report.simulation.extras import unknown_tasks
from vqs.report.simulation.summary import usage_lines


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
        "Stranded share of idle resources, on nodes without room for a typical task: cpu 0% → 50%",
    ]
