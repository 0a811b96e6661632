"""The line that says what is changed."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from tests.build import CONF, gang, node, queue
from tests.diff.sides import diff
from vqs.diff.outcome import Diff
from vqs.report.diff.page import change_line

NODES = [node("n1", cpu=4)]
WITH_PREEMPT = CONF.replace("allocate, backfill", "allocate, preempt, backfill")
QUOTA = 'resourcequota/ns/q.spec.hard["requests.cpu"]=6'


def edited(result: Diff, *edits: str) -> Diff:
    """Say that edits made the candidate of a difference."""
    return structs.replace(result, after=structs.replace(result.after, edits=[*edits]))


def test_a_limit_beside_a_setting_is_named() -> None:
    """The limit of a queue is named too where the setting that changes with it cannot be what changed it."""
    sides = [*NODES, queue("a")], [*NODES, queue("a", capability={"cpu": "2"})]
    said = change_line(diff(*sides, CONF, WITH_PREEMPT))

    assert said == (
        "Change: actions enqueue, allocate, backfill → enqueue, allocate, preempt, backfill; "
        "queue a capability cpu unlimited → 2"
    )


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        (["queue/a.spec.weight=2"], "queue a weight 1 → 2"),
        (
            ["queue/a.spec.weight=2", "queue/a.spec.reclaimable=true"],
            "queue a weight 1 → 2; queue/a.spec.reclaimable=true",
        ),
        ([QUOTA, "queue/a.spec.weight=2"], f"queue a weight 1 → 2; {QUOTA}"),
        (
            ["queue/a.spec.weight=2", "queue/a.spec.deserved.weight=1"],
            "queue a weight 1 → 2; queue/a.spec.deserved.weight=1",
        ),
        (["queue/a.spec.weight=2", "remove pod/ns/x"], "queue a weight 1 → 2; remove pod/ns/x"),
        (
            ["queue/a.spec.weight=2", 'add {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}'],
            "queue a weight 1 → 2; add Pod x",
        ),
        (["queue/a.spec.weight=2", "conf.metrics.type=none"], "queue a weight 1 → 2; conf.metrics.type=none"),
    ],
)
def test_each_edit_is_named(edits: list[str], said: str) -> None:
    """An edit is named by what it changes, or else as it is written."""
    result = diff([*NODES, queue("a"), *gang("x", 1)], [*NODES, queue("a", weight=2), *gang("x", 1)])

    assert change_line(edited(result, *edits)) == f"Change: {said}"


@pytest.mark.parametrize(
    ("change", "edit"),
    [
        ([*NODES, node("n1-copy-1", cpu=4)], "clone-node n1=1"),
        ([*NODES, queue("b")], 'add {"kind": "Queue", "metadata": {"name": "b"}}'),
        ([*NODES, *gang("x", 1)], "scale job/ns/x:worker=1"),
    ],
)
def test_what_an_edit_makes_is_named_once(change: list[Any], edit: str) -> None:
    """An object that is new is named as that, and not once more by the edit that made it."""
    result = diff(NODES, change)

    assert change_line(edited(result, edit)) == change_line(result) != ""


def test_many_changes_are_counted() -> None:
    """Of many edits the first are named, and the others counted."""
    result = diff(NODES, NODES)
    edits = [f"priorityclass/p{number}.value=1" for number in range(9)]

    assert change_line(edited(result, *edits)) == f"Change: {'; '.join(edits[:6])} and 3 more"


def test_what_is_changed_of_a_node_is_named_once() -> None:
    """An amount of a node is a change of the node."""
    result = diff(NODES, [node("n1", cpu=8)])

    assert change_line(edited(result, "node/n1.status.allocatable.cpu=8")) == "Change: node n1 cpu 4 → 8"
