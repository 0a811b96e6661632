"""How many candidates are enough, and which of them is taken."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import node, open_session, pod, queue
from tests.engine.crowds import PREEMPT, running
from vqs.config.arguments import Arguments
from vqs.config.known_arguments import ACTION_ARGUMENTS
from vqs.engine.actions.preempt import Candidate, Limits, best
from vqs.engine.framework.trace import VictimDecision
from vqs.model.task import Task

NOBODY = VictimDecision((), (), None, (), "")


@pytest.mark.parametrize(
    ("arguments", "nodes", "enough"),
    [
        ({}, 5, 1),
        ({}, 50, 5),
        ({}, 5000, 100),
        ({"minCandidateNodesAbsolute": 20}, 50, 20),
        ({"minCandidateNodesAbsolute": 20}, 10, 10),
        ({"minCandidateNodesPercentage": 100, "maxCandidateNodesAbsolute": 7}, 50, 7),
        ({"maxCandidateNodesAbsolute": 0}, 50, 0),
        ({"topologyAwarePreemptWorkerNum": 0}, 50, 0),
    ],
)
def test_a_part_of_the_nodes_is_enough(arguments: dict[str, Any], nodes: int, enough: int) -> None:
    """A percentage of them, within two limits, and no more than there are."""
    assert Limits.of(Arguments(ACTION_ARGUMENTS["preempt"], arguments)).enough(nodes) == enough


def victims(*pods: tuple[int | None, str]) -> list[Task]:
    """Make tasks of some priorities and start times."""
    objects: list[Any] = [node("n1", cpu=20), queue("default"), running("j")]
    for number, (priority, started) in enumerate(pods):
        spec = {} if priority is None else {"priority": priority}
        made = pod(f"j-{number}", "j", node="n1", spec=spec)
        if started:
            made["status"]["startTime"] = f"2026-01-01T00:{started}:00Z"
        objects.append(made)
    tasks = open_session(objects, PREEMPT).jobs["ns/j"].tasks
    return [tasks[name] for name in sorted(tasks)]


def chosen(*nodes: list[tuple[int | None, str]]) -> int:
    """Return which of some nodes is taken, by the victims there."""
    candidates = [Candidate(number, NOBODY, victims(*pods)) for number, pods in enumerate(nodes)]
    return best(candidates, now=1767225600.0 + 7200)[0].node


def test_the_first_victim_counts_first() -> None:
    """The lower its priority the better, however many others there are."""
    assert chosen([(5, "01")], [(4, "01"), (4, "01")]) == 1
    assert chosen([(1, "01")], [(None, "01")]) == 1  # no priority is one of 0


def test_then_the_sum_of_the_priorities_counts() -> None:
    """Each is counted from the lowest there is, so that fewer victims are better, whatever their priorities."""
    assert chosen([(5, "01"), (4, "01")], [(5, "01"), (3, "01")]) == 1
    assert chosen([(5, "01"), (-9, "01")], [(5, "01")]) == 1


def test_then_it_counts_who_was_started_last() -> None:
    """Of those with the highest priority, by the one that was first; who was not started yet starts now."""
    assert chosen([(5, "01"), (5, "09")], [(5, "02"), (5, "03")]) == 1
    assert chosen([(5, "01"), (4, "00")], [(5, "02"), (4, "00")]) == 1
    assert chosen([(5, "01")], [(5, "")]) == 1


def test_of_equals_the_first_is_taken() -> None:
    """The reference takes any."""
    assert chosen([(5, "01")], [(5, "01")]) == 0
