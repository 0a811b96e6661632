"""The report for a terminal."""

from __future__ import annotations

import re
from copy import copy
from pathlib import Path

import pytest
from rich.text import Text
from syrupy.assertion import SnapshotAssertion

from tests.report.writers import as_table as simulation
from vqs.explain.outcome import Simulation, TaskResult, Verdict
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.report.formats import Detail, Filters, View
from vqs.report.html.page import settings
from vqs.report.page import Column, Grid, Row, Span
from vqs.report.simulation.summary import headline
from vqs.report.terminal import laid_out
from vqs.snapshot.reading.reader import read_manifests

SCENARIOS = Path(__file__).parents[3] / "scenarios"
COLOR = re.compile(r"\x1b\[[\d;]*m")


@pytest.mark.parametrize("width", [80, 200, None])
def test_table(result: Simulation, snapshot: SnapshotAssertion, width: int | None) -> None:
    """The tables look like this on a narrow terminal, on a wide one, and in a pipe."""
    assert simulation(result, View(width=width)) == snapshot


def test_everything(result: Simulation, snapshot: SnapshotAssertion) -> None:
    """With all details a queue's table has every figure."""
    assert simulation(result, View(detail=Detail.EVERYTHING)) == snapshot


def test_summary_comes_first_and_last(result: Simulation) -> None:
    """The report begins with its summary, and ends with it and the next command; the summary can be had alone."""
    summary = [
        "2 tasks placed, 0 with a reserved node, 2 pending",
        "ml/diffusion:warning:train (2 pending tasks): no node fits (no-node-fits)",
    ]
    following = "Next: vqs rule no-node-fits says why, and what to do"
    for detail, last in ((Detail.USUAL, f"{following}; -v shows everything"), (Detail.EVERYTHING, following)):
        lines = simulation(result, View(detail=detail)).splitlines()
        assert lines[:2] == summary
        assert lines[-3:] == [*summary, last]
    alone = simulation(result, View(detail=Detail.SUMMARY)).splitlines()
    assert alone[:3] == [*summary, ""]
    assert [line[:8] for line in alone[3:]] == ["warning:"]


def test_parts_stand_in_the_order_in_which_they_are_looked_for(result: Simulation) -> None:
    """The jobs that wait come before the others, then queues, then tasks."""
    lines = simulation(result, View()).splitlines()
    titles = ["Jobs that wait: 1 of 2", "Other jobs", "Queues", "Tasks"]
    assert [line for line in lines if line in titles] == titles


def test_many_queues_are_those_in_which_jobs_wait(result: Simulation) -> None:
    """Of many queues only those in which jobs wait are shown, a line each without figures."""
    spare = [copy(result.queues[0]) for _ in range(8)]
    for number, queue in enumerate(spare):
        queue.name = f"spare-{number}"
    result.queues += spare
    text = simulation(result, View())
    assert "Queues in which jobs wait: 1 of 10; -v shows every queue and its figures" in text
    assert "spare" not in text
    assert "DESERVED" not in text
    assert "spare-7" in simulation(result, View(detail=Detail.EVERYTHING))


def test_the_cause_goes_before_what_follows_from_it(result: Simulation) -> None:
    """However many tasks were not tried, the command to go on with is about the one that was refused."""
    waiting = [task for task in result.tasks if task.verdict]
    assert waiting[0].verdict
    result.tasks += [copy(waiting[0]) for _ in range(3)]
    for task in result.tasks[-3:]:
        task.verdict = Verdict(code="role-failed", text="as before")
    assert simulation(result, View()).splitlines()[-1].startswith("Next: vqs rule no-node-fits")


def test_nothing_follows_where_nothing_waits(result: Simulation) -> None:
    """Where every task has a place, there is no command to go on with."""
    result.tasks = result.tasks[:2]
    assert simulation(result, View()).splitlines()[-1] == "2 tasks placed, 0 with a reserved node, 0 pending"


def test_headline_counts_what_takes_part(result: Simulation, lonely_pods: list[TaskResult]) -> None:
    """Queues are those that have jobs, and pods outside of jobs are counted by themselves; a seed is named."""
    result.tasks += lonely_pods
    result.session.seed = 7
    assert headline(result) == (
        "Volcano 1.14 on cluster.yaml, now 2026-11-21T12:00:00Z, seed 7: enqueue, allocate, backfill over 3 nodes, "
        "2 jobs in 1 queue, 4 tasks, 2 pods outside of any job; configuration: built-in"
    )


def test_an_order_of_nodes_that_was_drawn_is_named(result: Simulation) -> None:
    """Not only ties hang on the seed then."""
    result.session.seed = 7
    result.session.node_order_drawn = True
    assert ", seed 7, also for the order of nodes: enqueue" in headline(result)
    assert ("seed", "7, also for the order of nodes") in settings(result.session)


def test_unknown_time_is_not_named(result: Simulation) -> None:
    """A session on a snapshot without timestamps says nothing of its time."""
    result.session.now = "1970-01-01T00:00:00Z"
    assert headline(result).startswith("Volcano 1.14 on cluster.yaml: ")


def test_names_are_neither_markup_nor_emoji(result: Simulation) -> None:
    """Brackets and colons in a name come out as they went in, coloured or not."""
    for color in (False, True):
        text = COLOR.sub("", simulation(result, View(color=color)))
        assert "  [gpu] " in text
        assert "ml/diffusion:warning:train-0" in text


def test_colour_only_repeats_the_words(result: Simulation) -> None:
    """Without its colours the coloured report is the plain one, so nobody needs to see them."""
    colored = simulation(result, View(color=True))
    assert COLOR.search(colored)
    assert COLOR.sub("", colored) == simulation(result, View())


def test_piped_lines_are_not_broken(result: Simulation) -> None:
    """In a pipe each task is one line with all that is said about it."""
    lines = [
        line for line in simulation(result, View()).splitlines() if line.startswith("ml/diffusion:warning:train-0")
    ]
    assert len(lines) == 1
    assert lines[0].endswith("no node has 4 [gpu] free; the closest, gpu-1, has 2")


def test_names_are_never_shortened(result: Simulation) -> None:
    """A name that is longer than the terminal is wide is written out."""
    name = "worker-" + "x" * 100
    result.tasks[0].name = name
    assert f"ml/{name}\n" in simulation(result, View(width=80))


def test_long_lists_show_what_has_no_place(result: Simulation) -> None:
    """Of many tasks only those without a node are shown, summed up, with the way to see the others."""
    result.tasks = [task for task in result.tasks for _ in range(100)]
    text = simulation(result, View())
    assert "Tasks without a node: 200 of 400, by job and reason; -v shows every task" in text
    row = r"^  200  ml/diffusion:warning:train  diffusion:warning:train-0  Pending  no-node-fits: no node has 4"
    assert re.search(row, text, re.MULTILINE)
    assert "llama-finetune-worker-0" not in text
    assert simulation(result, View(detail=Detail.EVERYTHING)).count("llama-finetune-worker-0") == 100


def test_long_lists_show_jobs_that_wait(result: Simulation) -> None:
    """Of many jobs only those that wait are shown, and of many of these the first twenty."""
    result.jobs = [job for job in result.jobs for _ in range(101)]
    text = simulation(result, View())
    assert "\nJobs that wait: 101 of 202, the first 20 here; -v shows every job\n" in text
    assert len(re.findall("^ml/diffusion:warning:train  ", text, re.MULTILINE)) == 20
    assert "\n101 other jobs that do not wait; -v shows every job\n" in text


def test_long_lists_tell_namespaces_apart(result: Simulation) -> None:
    """Jobs of the same name in two namespaces are not summed up together."""
    result.tasks = [task for task in result.tasks[2:] for _ in range(100)]
    for task in [copy(task) for task in result.tasks[:50]]:
        task.namespace = "web"
        result.tasks.append(task)
    text = simulation(result, View())
    assert re.search(r"^  200  ml/diffusion:warning:train  ", text, re.MULTILINE)
    assert re.search(r"^   50  web/diffusion:warning:train  ", text, re.MULTILINE)


def test_long_lists_name_pods_without_a_job(result: Simulation, lonely_pods: list[TaskResult]) -> None:
    """A pod that belongs to no job has a row of its own, with its name, after those that are summed up."""
    result.tasks = [*lonely_pods, *(task for task in result.tasks for _ in range(100))]
    rows = [line for line in simulation(result, View(width=80)).splitlines() if re.match(r" +\d+  ml/", line)]
    assert [" ".join(row.split()[:2]) for row in rows] == [
        "200 ml/diffusion:warning:train",
        "1 ml/lonely-0",
        "1 ml/lonely-1",
    ]


def test_long_lists_end_with_those_who_make_room() -> None:
    """Evicted tasks come after those that wait; together they are not told for which tasks, alone they are."""
    found = simulate(read_manifests([str(SCENARIOS / "preempt-higher-priority.yaml")]), SimulateOptions())
    sweep = [task for task in found.tasks if task.job == "sweep" and task.status == "Releasing"]
    urgent = [task for task in found.tasks if task.job == "urgent"]
    found.tasks = [*sweep, *urgent * 50]
    rows = [line for line in simulation(found, View()).splitlines() if re.match(r" +\d+  default/", line)]
    assert [row.split()[:2] for row in rows] == [["100", "default/urgent"], ["4", "default/sweep"]]
    assert rows[0].endswith(
        "waits-for-release: a node is reserved for each of these tasks; -v shows it, and what the task waits for"
    )
    assert rows[1].endswith("evicted: by preempt; -v shows for which tasks")
    found.tasks = [*sweep[:1], *urgent * 50]
    text = simulation(found, View())
    assert (
        "evicted: the task is evicted from node node-0 by preempt, for default/urgent-worker-1 of the same queue"
        in text
    )


def test_long_lists_without_anything_to_tell_are_a_line(result: Simulation) -> None:
    """Where all of many tasks have a node, and no job waits, no empty table says so."""
    result.tasks = result.tasks[:2] * 100
    result.jobs = result.jobs[:1] * 101
    text = simulation(result, View())
    assert "\nAll 200 tasks have a node; -v shows every task\n" in text
    assert "\n101 jobs that do not wait; -v shows every job\n" in text
    assert "TASK" not in text


@pytest.mark.parametrize(
    ("tiers", "line"),
    [
        ([["gang", "proportion"]], "Queues: none has a job"),
        (
            [["gang"]],
            "Queues: no figures, as they come from the plugin proportion or capacity, and neither is configured",
        ),
    ],
)
def test_missing_queues_are_explained(result: Simulation, tiers: list[list[str]], line: str) -> None:
    """Where there are no figures of queues, a line says why."""
    result.queues = []
    result.session.tiers = tiers
    assert f"\n{line}\n" in simulation(result, View())


def test_everything_has_the_line_of_the_log(result: Simulation) -> None:
    """Whoever wants everything is told what to look for in the scheduler's log."""
    assert "Predicates failed" not in simulation(result, View())
    assert "in the scheduler's log (--v=3), lines with: Predicates failed" in simulation(
        result, View(detail=Detail.EVERYTHING)
    )


def test_messages_that_repeat_the_verdict_are_left_out(result: Simulation) -> None:
    """What the verdict says already is not said again in the scheduler's words, unless everything is wanted."""
    task = result.tasks[2]
    task.verdict = Verdict(code="role-failed", text="was not tried")
    task.message = "Task has already predicated failed, skip"
    assert "role-failed: was not tried\n" in simulation(result, View())
    text = simulation(result, View(detail=Detail.EVERYTHING))
    assert 'role-failed: was not tried; on the pod: "Task has already predicated failed, skip"\n' in text


def test_what_the_pod_says_is_quoted_beside_the_verdict(result: Simulation) -> None:
    """Whoever wants everything has the pod's own text, and what that means where it has this verdict."""
    task = result.tasks[2]
    task.verdict = Verdict(code="queue-overused", text="queue research holds all it deserves")
    task.message, task.pod_scheduled, task.pod_scheduled_reason = "", "pod group is ready, 2 Pending", "Unschedulable"
    assert "on the pod" not in simulation(result, View())
    quoted = 'holds all it deserves; on the pod (Unschedulable): "pod group is ready, 2 Pending" (the message '
    assert quoted in simulation(result, View(detail=Detail.EVERYTHING))


def test_names_do_not_act_on_the_terminal(result: Simulation) -> None:
    """Control characters in names, messages and queues are written out, and each row stays one line."""
    result.tasks[0].name = "a\nb\x1b[2J"
    result.tasks[2].verdict = None
    result.tasks[2].message = "bell \a"
    result.queues[0].name = "tab\t"
    result.diagnostics[0].message = "carriage\rreturn"
    lines = simulation(result, View()).splitlines()
    assert any(line.startswith(r"ml/a\nb\x1b[2J  ") and line.endswith("(1 of 2 best nodes)") for line in lines)
    assert any(line.endswith(r"bell \x07") for line in lines)
    assert any(line.startswith(r"tab\t  ") for line in lines)
    assert any(r"carriage\rreturn" in line for line in lines)
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("detail", [Detail.USUAL, Detail.EVERYTHING])
@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_lines_are_not_longer_than_the_terminal_is_wide(result: Simulation, width: int, detail: Detail) -> None:
    """The terminal has nothing to break in the middle of a word, however narrow it is."""
    lines = simulation(result, View(width=width, detail=detail)).splitlines()
    assert max(map(len, lines)) <= width


def test_no_figure_is_left_out_where_everything_is_asked_for(result: Simulation) -> None:
    """Queues on a narrow terminal are records then: each figure has its heading before it; else some are left out."""
    everything = simulation(result, View(width=60, detail=Detail.EVERYTHING))
    assert all(re.search(f" {name} \\S", everything) for name in ("LIMIT", "INQUEUE", "ELASTIC"))
    assert "ELASTIC" not in simulation(result, View(width=60))


def test_filters_choose_rows(result: Simulation) -> None:
    """Only what is asked for is listed, with how many there are, and whole, however long; so does the summary."""
    result.tasks = [task for task in result.tasks for _ in range(60)]
    text = simulation(result, View(filters=Filters(statuses=("binding",))))
    assert "\nQueues: 1 of 2\n" in text
    assert "\nJobs: 1 of 2\n" in text
    assert "\nTasks: 120 of 240\n" in text
    assert len(re.findall("^ml/llama-finetune-worker", text, re.MULTILINE)) == 120
    assert "120 tasks placed, 0 with a reserved node, 0 pending (120 of 240 tasks in all)" in text


def test_filters_choose_the_summary_and_the_next_command(result: Simulation) -> None:
    """Reasons and the next command are those of what matches; where nothing does, that is all the summary says."""
    placed = simulation(result, View(filters=Filters(jobs=("llama-*",))))
    assert "no-node-fits" not in placed
    assert "Next:" not in placed
    waiting = simulation(result, View(filters=Filters(jobs=("*train",))))
    assert waiting.splitlines()[0] == "0 tasks placed, 0 with a reserved node, 2 pending (2 of 4 tasks in all)"
    assert waiting.splitlines()[-1].startswith("Next: vqs rule no-node-fits")
    nothing = simulation(result, View(filters=Filters(jobs=("web-*",))))
    assert nothing.splitlines()[0] == "Nothing matches, of 2 jobs and 4 tasks in all"
    assert "Next:" not in nothing


def test_remarks_that_are_alike_are_said_once() -> None:
    """Where remarks stand below their rows, rows that follow each other and have the same one share it."""
    rows = [Row((Text("a"),), "because " * 9), Row((Text("b" * 60),), "because " * 9), Row((Text("c"),))]
    lines = [line.plain for line in laid_out(Grid((Column("NAME"),), rows, "REASON"), 80)]
    assert lines == ["NAME", "a", "b" * 60, "    (2 rows) " + "because " * 7 + "because", "    because", "c"]


def test_dispensable_columns_give_way() -> None:
    """A column that can be spared is left out where the line would be longer than the terminal is wide."""
    columns = (Column("NAME"), Column("JOB", dispensable=True), Column("READY", numeric=True))
    grid = Grid(columns, [Row((Text("n" * 40), Text("j" * 40), Text("1/1")))])
    assert [line.plain for line in laid_out(grid, 80)][1] == "n" * 40 + "    1/1"
    assert [line.plain for line in laid_out(grid, 100)][1] == "n" * 40 + "  " + "j" * 40 + "    1/1"


def test_rows_that_fit_in_no_way_are_records() -> None:
    """Each value stands behind its heading, the first, a name, without; no value is on a line of its own."""
    columns = (Column("NAME"), Column("NODE"), Column("READY", numeric=True))
    rows: list[Row | Span] = [
        Span(Text("a heading of several words")),
        Row((Text("n" * 12), Text("m" * 12), Text("1")), "why"),
    ]
    lines = [line.plain for line in laid_out(Grid(columns, rows, "REASON"), 24)]
    assert lines == [
        "a heading of several",
        "    words",
        "n" * 12,
        "    NODE " + "m" * 12,
        "    READY 1",
        "    why",
    ]
