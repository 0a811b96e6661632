"""The answer about a queue: what it gets, what is short, at which level of the tree, and by how much."""

from __future__ import annotations

import json
from copy import deepcopy

import msgspec
import pytest

from tests.build import gang, group, manifests, node, pod, queue
from tests.report.queue_reports import BROKEN, TREE, WEIGHTS, explained, report
from vqs.explain.queues.answer import answer
from vqs.explain.queues.outcome import Excess
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions


@pytest.mark.parametrize(
    ("scenario", "queue", "sentence"),
    [
        (WEIGHTS, "C", "None of its tasks is pending."),
        (
            WEIGHTS,
            "A",
            (
                "52 tasks of default/a wait: queue A holds all 28 cpu that it deserves, so a task that "
                "requests 1 has to wait."
            ),
        ),
        (
            "not-enqueued-overcommit",
            "default",
            "request 30 cpu together, and the plugin overcommit allows 24",
        ),
        ("queue-closed", "retired", "It is Closed, so it admits no new jobs."),
        (
            "fragmented",
            "default",
            "1 task of default/wide waits: none of the 4 nodes has room for one of its tasks: all 4 have ",
        ),
        (
            "gang-discarded",
            "default",
            "default/gang can never start: its gang needs 4 tasks with 3 cpu each, and the nodes have room for 3",
        ),
        (
            "gated",
            "default",
            (
                '2 tasks of default/staged wait: each of 2 tasks has the scheduling gate "vqs/gated", and '
                "waits until it is removed."
            ),
        ),
        (
            "queue-order",
            "full",
            "1 task of default/full-wants waits: every node that could hold a task has its maximum number of pods",
        ),
        ("ready-jobs-yield", "default", "so a task that requests 1 has to wait; 1 more job waits for the same."),
        (
            "gang-of-roles",
            "default",
            "default/train can never start: no node is large enough: a task requests 24Gi memory",
        ),
        (BROKEN, "staging", "Scheduling is blocked, in queue staging and in all others, until that is fixed."),
    ],
)
def test_answers(scenario: str, queue: str, sentence: str) -> None:
    """Whatever keeps tasks waiting, the answer names it."""
    assert sentence in report(scenario, queue).answer


def test_a_queue_that_holds_too_much() -> None:
    """What it holds beyond its limit is short too, and it is said since when it holds that."""
    found = explained(
        "queues: [{name: a, capability: {cpu: 10}, deserved: {cpu: 5}}]\n"
        "jobs: [{name: run, queue: a, running: 3, cpu: 4, minAvailable: 1}, {name: more, queue: a, cpu: 4}]\n",
        "a",
    )
    figures, short = answer(found).split(". ")
    assert figures.endswith("holds 12; its limit is 10: 2 above the limit, as it was when the session opened")
    assert short.endswith(
        "queue a holds 12 cpu, more than the 10 that it may hold, so a task that requests 4 has to wait."
    )
    found.explained = None
    assert "1 is above its limit (a)." in answer(found)


def test_a_hair_is_not_nothing() -> None:
    """Where less is missing than is written of an amount, it is not said that nothing is."""
    others = "".join(f", {{name: {name}, queue: {name}, replicas: 20, cpu: 1, minAvailable: 1}}" for name in "bc")
    found = explained(
        f"queues: [{{name: a}}, {{name: b}}, {{name: c}}]\njobs: [{{name: run, queue: a, cpu: 6667m}}{others}]\n",
        "a",
        "proportion",
    )
    assert answer(found).endswith(
        "1 task of default/run waits: a task requests 6.667 cpu, more than the 6.666666666666666 that queue a deserves."
    )


def test_a_queue_above_that_holds_too_much() -> None:
    """It is named after the queue itself; what reclaim promised is said to be so."""
    found = deepcopy(report(TREE, "research"))
    assert found.explained
    found.explained.excesses = [
        Excess(queue="department", excess={"cpu": 2.0}, at_open={"cpu": 1.0}, reclaimed={"cpu": 4.0})
    ]
    above = answer(found)
    assert ". Queue department, 1 level above it, holds " in above
    why = "as it was when the session opened and reclaim, which does not check the limit, reserved 4 for it."
    assert f": 2 above the limit, {why}" in above


def test_the_document_has_the_answer() -> None:
    """Programs get the sentences that people do, but for the command to go on with."""
    document = json.loads(msgspec.json.encode(report(TREE, "research")))
    assert document["answer"].startswith("Queue research (root → department → research) deserves 0 cpu")


def test_a_queue_far_above_what_it_deserves_of_one_resource_is_named() -> None:
    """It is not overused as long as it holds less than it deserves of another, and that is no reassurance."""
    found = explain_queues(
        manifests(
            [
                *(node("n1", cpu=8, gpu=4), queue("a"), queue("b")),
                *(group("run", 1, "Running", queue="a"), pod("run-0", "run", 6, "0", node="n1")),
                gang("more", 1, cpu=1, memory="8Gi", queue="a"),
                gang("wants", 1, cpu=4, memory="0", queue="b"),
            ]
        ),
        SimulateOptions(),
    )
    assert found.answer.startswith("2 queues: 1 holds more than it deserves (a: 150% of its cpu); ")


def test_a_limit_of_nothing_is_exceeded() -> None:
    """Of what a queue may hold nothing, any request is more than its limit, and is named first."""
    limited = queue("q", capability={"cpu": "1", "nvidia.com/gpu": "0"})
    asking = gang("job", 2, queue="q", requests={"nvidia.com/gpu": "1"})
    found = explain_queues(manifests([node("n", cpu=8, gpu=4), limited, *asking]), SimulateOptions())
    assert "1 requests more than its limit (q: 2 nvidia.com/gpu with a limit of 0)" in answer(found)
