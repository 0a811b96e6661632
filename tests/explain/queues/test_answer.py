"""The answer about a queue: what it gets, what is short, at which level of the tree, and by how much."""

from __future__ import annotations

import json
from copy import deepcopy

import msgspec
import pytest

from tests.build import gang, group, manifests, node, pod, queue
from tests.report.queue_reports import BROKEN, TREE, WEIGHTS, explained, report
from vqs.explain.queues.answer import answer
from vqs.explain.queues.outcome import Excess, QueueReport
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions
from vqs.report.saved import read_result


@pytest.mark.parametrize(
    ("scenario", "queue", "sentence"),
    [
        (WEIGHTS, "C", "None of its tasks is pending."),
        (WEIGHTS, "A", "52 tasks of default/a ask for 1 cpu each, and queue A has no cpu left of what it deserves"),
        ("not-enqueued-overcommit", "default", "30 cpu; overcommit allows 24: 6 too much"),
        ("queue-closed", "retired", "It is Closed, so it admits no new jobs."),
        ("fragmented", "default", "1 task of default/wide asks for 3 cpu, and no suitable node has more than 2"),
        ("gang-discarded", "default", "4 tasks of default/gang ask for 3 cpu each, and the nodes have room for 2."),
        ("gated", "default", "2 tasks of default/staged wait: the pod is blocked by scheduling gates (gated)."),
        ("queue-order", "full", "1 task of default/full-wants has no suitable node."),
        ("ready-jobs-yield", "default", "1 cpu short; 1 more job waits for the same."),
        (
            "queue-overused",
            "web",
            "room for 2; queue batch holds 2 cpu beyond what it deserves, and the action reclaim",
        ),
        ("gang-of-roles", "default", "3 more tasks wait for other reasons (never-considered)."),
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
    assert short.endswith("queue a has no cpu left of its limit: 6 cpu short.")
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
    assert answer(found).endswith("left of what it deserves: less than 0.01 cpu short.")


def test_a_queue_above_that_holds_too_much() -> None:
    """It is named after the queue itself; what reclaim promised is said to be so."""
    found = deepcopy(report(TREE, "research"))
    assert found.explained
    found.explained.excesses = [
        Excess(queue="department", beyond={"cpu": 2.0}, at_open={"cpu": 1.0}, reclaimed={"cpu": 4.0})
    ]
    above = answer(found)
    assert ". Queue department, 1 level above it, holds " in above
    why = "as it was when the session opened and reclaim, which does not check the limit, pipelined 4 to it."
    assert f": 2 above the limit, {why}" in above


def test_the_document_has_the_answer() -> None:
    """Programs get the sentences that people do, but for the command to go on with."""
    document = json.loads(msgspec.json.encode(report(TREE, "research")))
    assert document["answer"].startswith("Queue research (root → department → research) deserves 0 cpu")


def test_documents_without_an_answer_are_read() -> None:
    """What was saved before there was one is answered when it is read."""
    saved = msgspec.to_builtins(report(TREE, "research"))
    answered = saved.pop("answer")
    found = read_result(msgspec.json.encode(saved))
    assert isinstance(found, QueueReport)
    assert found.answer == answered


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
    assert found.answer.startswith("2 queues: 1 is above its deserved share (a: 150% of its cpu); ")
