"""Queues for a terminal: the answer first, then what it rests on."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from html import unescape

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.report.queue_reports import REFUSED, SHOWN, TREE, WEIGHTS, explained, report
from tests.report.writers import as_html
from tests.report.writers import as_table as queues
from vqs.report.formats import Detail, QueueView, View
from vqs.report.phrases import queue_figures
from vqs.report.queues.page import answer_lines, next_step
from vqs.report.queues.tree import unknown_resources

COLOR = re.compile(r"\x1b\[[\d;]*m")
USED_RESOURCES = View(queues=QueueView(resources=("pods",)))


@pytest.mark.parametrize(("scenario", "queue"), SHOWN)
def test_table(scenario: str, queue: str, snapshot: SnapshotAssertion) -> None:
    """The tables look like this in a pipe."""
    assert queues(report(scenario, queue), View()) == snapshot


def test_narrow(snapshot: SnapshotAssertion) -> None:
    """The tables look like this on a narrow terminal."""
    assert queues(report(TREE, "research"), View(width=80)) == snapshot


def test_everything(snapshot: SnapshotAssertion) -> None:
    """With all details there are all resources, rounds, jobs and places."""
    assert queues(report(WEIGHTS, "A"), View(detail=Detail.EVERYTHING)) == snapshot


@pytest.mark.parametrize("detail", list(Detail))
@pytest.mark.parametrize("width", [30, 60, 80, 200])
@pytest.mark.parametrize(("scenario", "queue"), SHOWN)
def test_no_line_is_longer_than_the_terminal(scenario: str, queue: str, width: int, detail: Detail) -> None:
    """A line is broken between words; only a name is never cut."""
    text = queues(report(scenario, queue), View(width=width, detail=detail))
    long = [line for line in text.splitlines() if len(line) > width]
    assert all(len(max(line.split(), key=len)) > width - 30 for line in long)
    assert width < 80 or not long


def test_the_legend_has_the_sign_of_what_is_reserved_where_the_bars_have_it() -> None:
    """A bar draws only signs that the line above the table explains."""
    free = "jobs: [{name: new, cpu: 20, phase: Inqueue}]\n"
    waits = "jobs: [{name: old, releasing: {node-0: 1}, cpu: 20}, {name: new, cpu: 20, phase: Inqueue}]\n"
    for text, drawn in ((waits, True), (free, False)):
        shown = queues(explained(text, "default"), View())
        assert ("▒ reserved but not held yet" in shown, "▒▒" in shown) == (drawn, drawn)


def test_colour_changes_no_character() -> None:
    """Without its colours, a report in colour is the plain one."""
    found = report(TREE, "research")
    colored = queues(found, View(width=80, color=True))
    assert COLOR.search(colored)
    assert COLOR.sub("", colored) == queues(found, View(width=80))


def test_the_answer_stands_first_and_last() -> None:
    """What is said of a queue stands above its tables, and again before the next commands, where the prompt is."""
    lines = queues(report(TREE, "research"), View()).splitlines()
    answer = answer_lines(report(TREE, "research"))
    assert lines[: len(answer)] == lines[-len(answer) - 1 : -1] == answer
    assert lines[-1].startswith("Next: ")


def test_the_answer_says_what_is_short_where_in_the_tree_and_by_how_much() -> None:
    """The first lines are for whoever has no time for the others; quiet shows no more than them."""
    lines = queues(report(TREE, "research"), View(detail=Detail.SUMMARY)).splitlines()
    assert lines == answer_lines(report(TREE, "research"))
    figures, refused, waits = lines
    assert figures == "Queue research (root → department → research) deserves 0 cpu and holds 6; its limit is 10."
    assert refused == (
        "5 tasks of default/sweep wait: queue research has a limit of 10 cpu, and this job and the jobs of the queue "
        "that run or are admitted need 12 together."
    )
    assert waits == (
        "1 task of default/train waits: queue department holds all 15 cpu that it may hold, so a "
        "task that requests 2 has to wait."
    )


def test_a_queue_of_which_there_is_only_the_spec() -> None:
    """All of its spec is told that matters here, and where to go on."""
    found = explained(
        "queues: [{name: a}, {name: idle, weight: 3, priority: 2, parent: a, reclaimable: false, deserved: {cpu: 5}}]\n"
        "jobs: [{name: x, queue: a, cpu: 1}]\n",
        "idle",
    )
    why, says = answer_lines(found)
    assert why.endswith("are not known: capacity considers only queues with jobs, and it has none.")
    assert says == (
        "Its spec says: Open; weight 3; priority 2; parent a; not reclaimable; capability none; deserved cpu 5; "
        "guarantee none."
    )
    assert next_step(found).text() == "Next: vqs explain-queue FILES shows the queues that have jobs"
    assert queues(found, View()).splitlines()[0] == why


def test_a_task_without_a_role() -> None:
    """Nothing is said of its role."""
    found = deepcopy(report(TREE, "research"))
    assert found.explained
    for role in found.explained.pending:
        role.role = ""
    assert "default/train  1 task, requesting cpu 2: no room for it" in queues(found, View())


def test_levels_of_the_tree() -> None:
    """What is not shown is counted."""
    text = queues(report(TREE), View(queues=QueueView(depth=2)))
    assert "└─ department" in text
    assert "2 queues below it" in text
    assert "research  " not in text


def test_resources_that_are_asked_for() -> None:
    """They are shown even where they would be left out, and others are not."""
    text = queues(report(WEIGHTS, "A"), USED_RESOURCES)
    assert "Deserved pods, round by round" in text
    assert "How much cpu" not in text
    assert "pods" in queues(report(WEIGHTS), USED_RESOURCES)


def test_a_resource_need_not_be_given_with_its_domain() -> None:
    """One that there is none of is refused with those that there are."""
    found = report("first-look")
    assert unknown_resources(found, ["gpu", "c*", "nvidia.com/gpu"]) == []
    assert unknown_resources(found, ["cpus"]) == ["there is no resource 'cpus'; did you mean 'cpu'?"]


def test_the_next_command_can_be_typed() -> None:
    """It names the file, unless there are several, and what comes from the snapshot is quoted."""
    assert next_step(report(REFUSED, "research")).text() == (
        f"Next: vqs rule not-enqueued-capability says what to do; vqs simulate {REFUSED}.yaml --queue research "
        "shows its jobs"
    )
    found = deepcopy(report(WEIGHTS, "C"))
    found.scenario = "a.yaml, b.yaml"
    assert found.explained
    found.explained.name = "C $HOME"
    assert next_step(found).text() == "Next: vqs simulate FILES --queue 'C $HOME' shows its jobs"


def test_many_rounds_and_queues_are_folded() -> None:
    """The queue itself and the sum of the others are shown, and the last round that the queue took part in."""
    found = deepcopy(report(WEIGHTS, "A"))
    assert found.explained
    derivation = found.explained.derivation
    first = derivation.rounds[0]  # type: ignore[union-attr]
    first.steps += [deepcopy(first.steps[1]) for _ in range(6)]
    derivation.rounds = [deepcopy(first) for _ in range(9)]  # type: ignore[union-attr]
    for number, each in enumerate(derivation.rounds, 1):  # type: ignore[union-attr]
        each.number = number
    text = queues(found, View())
    assert "8 other queues; -v shows each" in text
    assert "… 5 rounds; -v shows all" in text
    assert "other queues" not in queues(found, View(detail=Detail.EVERYTHING))


def test_a_figure_of_a_queue_is_declared_once() -> None:
    """Tables in a terminal and on pages have the columns that the document's fields declare, in the same order."""
    found = report(WEIGHTS, "A")
    titles = [figure.title for figure in queue_figures().values()]
    text = queues(found, View(detail=Detail.EVERYTHING))
    heading = next(line for line in text.splitlines() if line.startswith("   RESOURCE"))
    assert sorted(heading.split()[1:]) == sorted(title.upper() for title in titles)
    carried = re.search('data-figures="([^"]+)"', as_html(found, View()))
    assert carried is not None
    assert [each["title"] for each in json.loads(unescape(carried[1]))] == titles
