"""What is only reserved for tasks of a queue is told apart from what they hold."""

from __future__ import annotations

from typing import Any

from tests.build import CONF, gang, group, manifests, node, pod, queue
from tests.diff.sides import diff
from vqs.explain.outcome import QueueResult
from vqs.explain.queues.answer import answer
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.explain.words import share_held
from vqs.report.phrases import amount_in

TREE = CONF.replace("  - name: proportion\n", "  - name: capacity\n    enableHierarchy: true\n")


def cluster(*queues: Any, leaves: bool = True, of: str = "default") -> list[Any]:
    """A node whose pod is being deleted, if it `leaves`, and a job with room for one pod now, and one after that."""
    old = [group("old", 1, queue="gone", phase="Running")]
    old.append(pod("old-0", "old", node="n", cpu=4, deleted=leaves))
    jobs = [*gang("j", 2, min_member=1, cpu=4, queue=of)]
    return [node("n", cpu=8), queue("gone"), *(queues or [queue("default")]), *old, *jobs]


def queues(objects: list[Any], conf: str = CONF) -> dict[str, QueueResult]:
    """Return the queues of a session by name."""
    return {each.name: each for each in simulate(manifests(objects, conf), SimulateOptions()).queues}


def test_what_is_reserved_is_a_part_of_what_is_allocated() -> None:
    """The plugin counts both, and what is held is what is left."""
    found = queues(cluster())["default"]
    assert (found.closed.allocated["cpu"], found.closed.reserved["cpu"], found.held["cpu"]) == (8, 4, 4)
    assert found.held_share == found.closed.share / 2
    assert queues(cluster(leaves=False))["default"].closed.reserved == {}


def test_queues_above_have_what_is_reserved_below() -> None:
    """In a tree, as they have what is allocated below."""
    found = queues(cluster(queue("top"), queue("leaf", parent="top"), of="leaf"), TREE)
    assert [found[name].closed.reserved["cpu"] for name in ("leaf", "top", "root")] == [4, 4, 4]


def test_reports_tell_both() -> None:
    """Columns and headings say what is reserved, and the answer about a queue does not call it held."""
    found = queues(cluster())["default"]
    assert amount_in("allocated", found, "cpu") == "0 → 8 (4 reserved)"
    assert share_held(found).endswith("of the cpu that it deserves, 100% with what is reserved")
    report = explain_queues(manifests(cluster(), CONF), SimulateOptions(), "default")
    assert "holds 4 (and 4 more reserved) of the 8 cpu that it deserves" in answer(report)


def effect(before: list[Any], after: list[Any], conf: str, other: str = "") -> str:
    """Return what a change means to the queue default, of which more is reserved by it."""
    [found] = [each for each in diff(before, after, conf, other).queues if each.name == "default"]
    assert {"allocated", "reserved"} <= set(found.fields)
    return found.effect


def test_only_reservations_that_are_kept_make_a_queue_better_off() -> None:
    """A pod that leaves makes room for another; where preempt comes before allocate, no session binds the task."""
    kept = queue("default", deserved={"cpu": "8"})
    assert effect(cluster(kept, leaves=False), cluster(kept), TREE) == "gains"
    waiting = [node("n", cpu=4), kept, *gang("j", 1, cpu=1)]
    in_vain = TREE.replace("enqueue, allocate, backfill", "enqueue, preempt, allocate")
    assert effect(waiting, waiting, TREE.replace("allocate, ", ""), in_vain) == "neither"


def test_a_queue_that_deserves_nothing_is_said_to() -> None:
    """There is no "0 of the 0 cpu": where all is gone to another queue, it deserves none."""
    objects = [node("n", cpu=4), queue("default"), queue("all", guarantee={"resource": {"cpu": "4"}})]
    objects += [*gang("k", 4, queue="all"), *gang("j", 1, cpu=1)]
    said = answer(explain_queues(manifests(objects, CONF), SimulateOptions(), "default"))
    assert "deserves no cpu and holds 0" in said
