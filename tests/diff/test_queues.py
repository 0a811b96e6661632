"""What is said to differ between queues: those without jobs, too."""

from __future__ import annotations

import pytest

from tests.build import CONF, gang, node, queue
from tests.diff.mirror import comparable, mirrored, plain
from tests.diff.sides import diff
from vqs.diff.conditions import ConditionError, parse_conditions
from vqs.diff.outcome import Diff, QueueDifference
from vqs.report.diff.page import change_line

NODES = [node("n1", cpu=4), node("n2", cpu=4)]
BUSY = [*NODES, queue("busy"), *gang("a", 2, queue="busy")]
WITHOUT_PLUGIN = CONF.replace("  - name: proportion\n", "")


def queues(result: Diff) -> dict[str, QueueDifference]:
    """Return the queues of a difference that differ, by name."""
    return {each.name: each for each in result.queues if each.change != "same"}


def test_a_queue_without_jobs_comes_and_goes() -> None:
    """A queue that no job is in is new, or gone, and that is a difference."""
    there = diff(BUSY, [*BUSY, queue("idle")])
    assert {name: each.change for name, each in queues(there).items()} == {"idle": "added"}
    assert (there.differs, there.jobs) == (True, [])
    back = diff([*BUSY, queue("idle")], BUSY)
    assert {name: each.change for name, each in queues(back).items()} == {"idle": "removed"}
    assert comparable(plain(back)) == mirrored(there)


def test_a_queue_that_leaves_out_its_parent_is_below_root() -> None:
    """A manifest that does not name the parent that it has says the same."""
    result = diff([*BUSY, queue("idle", parent="root")], [*BUSY, queue("idle", weight=2)])
    assert queues(result)["idle"].fields == ["weight"]
    assert change_line(result) == "Change: queue idle weight 1 → 2"


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({"weight": 5}, ["weight"]),
        ({"capability": {"cpu": "2"}}, ["capability"]),
        ({"state": "Closed"}, ["state"]),
        ({"reclaimable": False}, ["reclaimable"]),
    ],
)
def test_a_queue_without_jobs_changes(change: dict[str, object], fields: list[str]) -> None:
    """What the spec of a queue without jobs says differs; nobody is better off for it."""
    changed = queue("idle", **change)  # type: ignore[arg-type]
    [found] = queues(diff([*BUSY, queue("idle")], [*BUSY, changed])).values()
    assert (found.name, found.fields, found.effect) == ("idle", fields, "neither")


def test_unlimited_is_not_nothing() -> None:
    """A capability that is taken away leaves a queue without jobs unlimited."""
    [found] = queues(diff([*BUSY, queue("idle", capability={"cpu": "2"})], [*BUSY, queue("idle")])).values()
    assert found.before is not None
    assert found.after is not None
    assert (found.before.capability["cpu"], found.after.capability["cpu"]) == (2.0, None)


def test_a_queue_that_loses_its_jobs() -> None:
    """A queue whose last job goes stays, and holds nothing; what its spec says did not change."""
    found = queues(diff(BUSY, [*NODES, queue("busy")]))["busy"]
    assert (found.change, found.effect) == ("changed", "loses")
    assert not {"capability", "guarantee", "weight"} & set(found.fields)
    assert "allocated" in found.fields
    assert found.after is not None
    assert (found.after.considered, found.after.allocated) == (False, {})


def test_without_a_queue_plugin() -> None:
    """What queues hold is known without a plugin that looks at them; to do without it makes nobody worse off."""
    found = queues(diff(BUSY, BUSY, CONF, WITHOUT_PLUGIN))["busy"]
    assert (found.change, found.effect) == ("changed", "neither")
    assert found.after is not None
    assert (found.after.considered, found.after.allocated["cpu"]) == (False, 2.0)
    assert "allocated" not in found.fields


@pytest.mark.parametrize(
    ("condition", "failed"),
    [
        ("queue:idle.allocated.cpu>0", False),
        ("queue:idle.allocated.cpu<1", True),
        ("queue:idle.realCapability.cpu<100", False),
        ("queue:idle.realCapability.cpu>0", False),
        ("queue:idle.share>0", False),
    ],
)
def test_conditions_on_a_queue_without_jobs(condition: str, failed: bool) -> None:
    """A queue without jobs is known to conditions; what is not known of it makes none of them hold."""
    objects = [*BUSY, queue("idle")]
    assert diff(objects, objects, fail_on=parse_conditions(condition)).failed is failed


def test_conditions_on_a_queue_that_is_not_there() -> None:
    """A condition on a queue of neither side is refused, with the name that was meant."""
    with pytest.raises(ConditionError, match="did you mean 'idle'"):
        diff(BUSY, [*BUSY, queue("idle")], fail_on=parse_conditions("queue:idel.share>0"))
