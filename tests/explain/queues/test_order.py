"""Which comparison put one queue before another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.build import CONF, gang, group, node, open_session, pod, queue
from tests.engine.plugins.test_capacity import FLAT, TREE, child
from vqs.engine.registry import make_plugins
from vqs.engine.session import Session, SessionOptions
from vqs.explain.queues.order import queue_order
from vqs.explain.queues.outcome import Place
from vqs.explain.simulate import EPOCH
from vqs.snapshot.cluster import build_cluster
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reader import read_manifests

RECORDED = sorted((Path(__file__).parents[2] / "conformance" / "random").glob("*.yaml"))


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
    return found[-1].by, found[-1].compared, found[-1].values


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


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_what_is_said_to_decide_does(path: Path) -> None:
    """In every recorded scenario, the named comparison favours the queue that goes first."""
    manifests = complete(read_manifests([str(path)]))
    conf = manifests.scheduler
    session = Session(build_cluster(manifests), conf, SessionOptions(now=EPOCH))
    session.open(make_plugins((option for tier in conf.tiers for option in tier.plugins), session))
    for place in queue_order(session)[1:]:
        mine, theirs = place.values
        match place.by:
            case "priority":
                assert int(mine) > int(theirs)
            case "share":
                assert float(mine) <= float(theirs)
            case "deserved":
                assert (mine, theirs) == ("something", "nothing")
            case _:
                assert mine < theirs
