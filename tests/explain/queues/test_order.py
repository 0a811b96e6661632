"""Which comparison put one queue before another."""

from __future__ import annotations

from typing import Any

from tests.build import CONF, gang, group, node, open_session, pod, queue
from tests.engine.plugins.test_capacity import FLAT, TREE, child
from vqs.engine.framework.session import Session
from vqs.explain.queues.outcome import Place
from vqs.explain.queues.turn import queue_order


def places(*objects: Any, conf: str = CONF) -> list[Place]:
    """Return the order of the queues of some objects."""
    return queue_order(open_session([node("n1", cpu=20), *objects], conf))


def work(name: str, in_queue: str) -> list[Any]:
    """Make a pending job in a queue."""
    return gang(name, 1, queue=in_queue)


def running(name: str, in_queue: str, cpu: int) -> list[Any]:
    """Make a running job in a queue."""
    return [group(name, queue=in_queue, phase="Running"), pod(f"{name}-0", name, cpu, "0", node="n1")]


def last(found: list[Place]) -> tuple[str, list[str], list[str]]:
    """Return what put the last queue behind the one before it."""
    return found[-1].criterion, found[-1].compared_queues, found[-1].values


def check_order(session: Session) -> None:
    """Check that each comparison that is named favours the queue that goes first."""
    for place in queue_order(session)[1:]:
        mine, theirs = place.values
        match place.criterion:
            case "priority":
                assert int(mine) > int(theirs)
            case "share":
                assert float(mine) <= float(theirs)
            case "deserved":
                assert (mine, theirs) == ("something", "nothing")
            case _:  # the queues that the scheduler makes when it starts have no UID in a snapshot without them
                assert mine < theirs or not (mine or theirs)


def test_a_higher_priority_decides_first() -> None:
    """It does so whatever the shares are."""
    found = places(queue("a"), queue("b", priority=3), work("j", "a"), running("k", "b", 5))
    assert [place.queue for place in found] == ["b", "a"]
    assert last(found) == ("priority", ["b", "a"], ["3", "0"])


def test_then_the_lower_share_decides() -> None:
    """The queue that holds less of what it deserves goes first."""
    found = places(queue("a"), queue("b"), running("j", "a", 5), work("k", "b"))
    assert [place.queue for place in found] == ["b", "a"]
    assert last(found) == ("share", ["b", "a"], ["0", "1"])


def test_age_and_name_decide_among_equals() -> None:
    """Queues of one age are served in the order of their names."""
    found = places(queue("b"), queue("a"), work("j", "a"), work("k", "b"))
    assert last(found) == ("name", ["a", "b"], ["a", "b"])
    old = queue("b")
    old["metadata"]["creationTimestamp"] = "2020-01-01T00:00:00Z"
    young = queue("a")
    young["metadata"]["creationTimestamp"] = "2021-01-01T00:00:00Z"
    found = places(old, young, work("j", "a"), work("k", "b"))
    assert last(found) == ("created", ["b", "a"], ["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"])


def test_in_a_tree_the_queues_are_named_whose_shares_were_compared() -> None:
    """Leaves x and y were told apart by the queues above them."""
    tree = [
        child("left", deserved={"cpu": 4}),
        child("right", deserved={"cpu": 4}),
        child("x", "left"),
        child("y", "right"),
    ]
    found = places(*tree, running("j", "x", 2), work("k", "y"), conf=TREE)
    assert last(found) == ("share", ["right", "left"], ["0", "0.5"])


def test_a_queue_that_deserves_nothing_comes_last_among_equal_shares() -> None:
    """Both have a share of 1."""
    found = places(queue("a"), queue("b", deserved={"cpu": 2}), work("j", "a"), running("k", "b", 2), conf=FLAT)
    assert last(found) == ("deserved", ["b", "a"], ["something", "nothing"])


# --- drf's hierarchy --------------------------------------------------------------------------------------------------

HIERARCHY = CONF.replace("  - name: drf\n", "").replace(
    "  - name: gang\n", "  - name: gang\n  - name: drf\n    enableHierarchy: true\n"
)


def at(name: str, path: str) -> Any:
    """Make a queue at a place of drf's hierarchy."""
    made = queue(name)
    weights = "/".join("1" for _ in path.split("/"))
    made["metadata"]["annotations"] = {"volcano.sh/hierarchy": path, "volcano.sh/hierarchy-weights": weights}
    return made


def test_the_branches_where_paths_part_decide_before_other_plugins() -> None:
    """The share of root/eng is that of the queue below it."""
    more = pod("k-1", "k", 5, "0")
    queues = [at("dev", "root/eng/dev"), at("sci", "root/sci")]
    found = places(*queues, running("k", "dev", 5), more, work("j", "sci"), conf=HIERARCHY)
    assert [place.queue for place in found] == ["sci", "dev"]
    assert last(found) == ("weighted-share", ["root/sci", "root/eng"], ["0", "0.25"])


def test_what_is_saturated_comes_last() -> None:
    """A queue whose only job has all that it asks for can use no more."""
    found = places(at("a", "root/a"), at("b", "root/b"), running("k", "a", 5), work("j", "b"), conf=HIERARCHY)
    assert last(found) == ("saturated", ["root/b", "root/a"], ["", ""])


def test_other_orders_decide_where_the_hierarchy_does_not() -> None:
    """Equal branches leave it to proportion."""
    found = places(at("a", "root/a"), at("b", "root/b"), work("k", "a"), work("j", "b"), conf=HIERARCHY)
    assert last(found)[0] == "name"
