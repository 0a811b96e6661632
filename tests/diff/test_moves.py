"""Which moves between nodes mean something."""

from __future__ import annotations

from itertools import combinations

from tests.build import CONF, gang, group, node, pod
from tests.diff.sides import diff, jobs
from vqs.diff.jobs import number_of
from vqs.model.resource import Resource

SPREAD = CONF.replace("  - name: binpack\n", "")
PACK = CONF.replace("  - name: nodeorder\n", "")
EQUAL = [node(f"n{number}", cpu=4) for number in range(1, 4)]


def test_what_nodes_hold_is_told_apart() -> None:
    """A small and a large task are not two others that ask for as much together, in each run alike."""

    def number(cores: int, memory: int) -> int:
        return number_of(Resource(milli_cpu=1000.0 * cores, memory=memory * 2.0**30))

    sizes = list(combinations(range(1, 7), 2))
    assert all(number(a, c) + number(b, d) != number(a, d) + number(b, c) for a, b in sizes for c, d in sizes)
    assert number(4, 8) == 218396024142775593581124950157081530596


def test_another_of_several_equal_nodes_is_no_difference() -> None:
    """Where the first node is gone, the job is on the next one, which is as good: that is the same decision."""
    result = diff([*EQUAL, *gang("a", 2)], [*EQUAL[1:], *gang("a", 2)])
    assert ([each.name for each in result.nodes], result.jobs) == (["n1"], [])


def test_unless_placements_are_asked_for() -> None:
    """With placements, each move counts."""
    result = diff([*EQUAL, *gang("a", 2)], [*EQUAL[1:], *gang("a", 2)], PACK, placements=True)
    assert jobs(result)["a"].changes == ["moved"]
    assert jobs(result)["a"].effect == "neither"
    assert jobs(result)["a"].why.text == "before, allocate places 2 tasks on n1; after, allocate places 2 tasks on n2"


def test_to_spread_instead_of_to_pack_is_a_difference() -> None:
    """Two tasks on one node are not where two tasks on two nodes are."""
    result = diff([*EQUAL, *gang("a", 2)], [*EQUAL, *gang("a", 2)], PACK, SPREAD)
    assert jobs(result)["a"].changes == ["moved"]


def test_nodes_that_are_not_alike() -> None:
    """A node with another label, or with something running on it, is not an equal one."""
    labelled = node("n0", cpu=4, labels={"zone": "b"})
    assert jobs(diff([*EQUAL, *gang("a", 1)], [labelled, *EQUAL, *gang("a", 1)]))["a"].changes == ["moved"]
    busy = [group("old", phase="Running"), pod("old-worker-0", "old", 1, node="n3")]
    before, after = [*EQUAL, *busy, *gang("a", 1)], [*EQUAL, *busy, *gang("a", 1)]
    assert jobs(diff(before, after, SPREAD, PACK))["a"].changes == ["moved"]


def test_tasks_that_change_places_with_each_other() -> None:
    """Tasks of one role are alike: which of them is on which node is no difference."""
    one = [group("a", 2, phase="Running"), pod("a-worker-0", "a", node="n1"), pod("a-worker-1", "a", node="n2")]
    other = [group("a", 2, phase="Running"), pod("a-worker-0", "a", node="n2"), pod("a-worker-1", "a", node="n1")]
    assert diff([*EQUAL, *one], [*EQUAL, *other]).jobs == []


def test_which_of_several_alike_tasks_is_evicted() -> None:
    """Where another task of the same role is evicted from the same node, the job fares the same."""
    leaving = [pod(f"a-worker-{number}", "a", node="n1", deleted=number == 0) for number in range(2)]
    other = [pod(f"a-worker-{number}", "a", node="n1", deleted=number == 1) for number in range(2)]
    running = group("a", 1, phase="Running")
    assert diff([*EQUAL, running, *leaving], [*EQUAL, running, *other]).jobs == []
    elsewhere = [*leaving[:1], pod("a-worker-1", "a", node="n2")]
    result = diff([*EQUAL, running, *leaving], [*EQUAL, running, *elsewhere], SPREAD)
    assert [task.name for task in jobs(result)["a"].tasks] == ["ns/a-worker-1"]


def test_nodes_that_were_alike_only_when_the_session_opened() -> None:
    """Where another task had taken room on the node by then, it was not one of several equal ones."""
    even = PACK.replace("  - name: binpack\n", "")

    def objects(cpu: int) -> list[object]:
        return [*EQUAL, *gang("first", 1, cpu=cpu, created=1), *gang("second", 1, cpu=1, created=2)]

    result = diff(objects(1), objects(4), even)
    second = jobs(result)["second"]
    assert second.before is not None
    assert second.after is not None
    assert (second.changes, second.before.nodes, second.after.nodes) == (["moved"], {"n1": 1}, {"n2": 1})
