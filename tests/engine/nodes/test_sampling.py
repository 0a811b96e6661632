"""Nodes are sampled as the scheduler samples them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import NOW, gang, group, manifests, node, placements, pod, queue
from vqs.engine import scheduler
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.session import SessionOptions
from vqs.engine.nodes.sampling import NodeSampler, ProcessState
from vqs.model.scheduler_flags import NodeSample
from vqs.snapshot.cluster.build import build_cluster

CONF = 'actions: "{}"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n  - name: binpack\n'


def ran(objects: list[Any], sample: NodeSample, start: int = 0, actions: str = "allocate") -> FinishedSession:
    """Run a session that samples nodes."""
    read = manifests([queue("default"), *objects], CONF.format(actions))
    options = SessionOptions(now=NOW, sample=sample, process=ProcessState(next_node=start))
    return scheduler.run_actions(scheduler.open_session(build_cluster(read), read.scheduler, options))


def nodes(number: int, full: int = 0) -> list[Any]:
    """Make nodes; one of them has less room, so that binpack prefers it."""
    return [node(f"n{each}", cpu=2 if each == full else 8) for each in range(number)]


@pytest.mark.parametrize(
    ("sample", "number", "enough"),
    [
        (NodeSample(), 100, 100),
        (NodeSample(), 250, 120),
        (NodeSample(), 6000, 300),
        (NodeSample(percentage=30), 1000, 300),
        (NodeSample(percentage=3), 1000, 100),
        (NodeSample(percentage=100), 1000, 1000),
        (NodeSample(minimum=1, least_percentage=60), 10, 6),
        (NodeSample(minimum=1), 1, 1),
    ],
)
def test_how_many_nodes_are_enough(sample: NodeSample, number: int, enough: int) -> None:
    """Half of them, one percent less for each 125, with a minimum of both."""
    assert sample.enough(number) == enough


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(0, 40), st.integers(1, 10), st.integers(0, 120))
def test_a_search_is_a_walk_that_ends_after_one_too_many(
    fitting: list[bool], start: int, minimum: int, percentage: int
) -> None:
    """The slow and obvious walk finds and examines the same, and ends in the same place."""
    sample, process, number = NodeSample(minimum, 5, percentage), ProcessState(next_node=start), len(fitting)
    found: set[int] = set()
    examined: list[int] = []
    for step in range(number):
        each = (start + step) % number
        examined.append(each)
        if fitting[each]:
            if len(found) == sample.enough(number):
                break
            found.add(each)
    search = NodeSampler(sample, process, number).search(np.array(fitting), np.arange(number))
    assert set(np.flatnonzero(search.found).tolist()) == found
    assert set(np.flatnonzero(search.examined).tolist()) == set(examined)
    assert process.next_node == (start + len(examined)) % number


def test_a_better_node_beyond_the_sample_is_not_found() -> None:
    """The next task begins where the search before has ended."""
    objects = [*nodes(6, full=5), *gang("j", 2)]
    few = NodeSample(minimum=2, percentage=1)
    assert [node for _, node in placements(ran(objects, NodeSample())).values()] == ["n5", "n5"]
    assert [node for _, node in placements(ran(objects, few)).values()] == ["n0", "n3"]
    assert [node for _, node in placements(ran(objects, few, start=4)).values()] == ["n5", "n1"]


def test_a_note_says_what_sampling_may_change() -> None:
    """One session ends both searches early, and the other none."""
    objects = [*nodes(6), *gang("j", 2)]
    [early] = ran(objects, NodeSample(minimum=2, percentage=1)).notices
    assert (early.code, early.severity) == ("node-sample", "note")
    assert early.message == "--node-sample ended 2 of 2 searches for a node before all nodes were examined"
    assert "other nodes" in early.help
    [late] = ran(objects, NodeSample()).notices
    assert late.message.startswith("--node-sample ended 0 of 2 searches")
    assert not late.help


def test_a_nominated_node_is_a_search_of_its_own() -> None:
    """It has one node only, so that the next search begins with the first."""
    waits = pod("j-0", "j", status={"nominatedNodeName": "n3"})
    session = ran([*nodes(6), group("j"), waits], NodeSample(minimum=2, percentage=1), start=4)
    assert placements(session)["j-0"][1] == "n3"
    assert session.options.process.next_node == 0


def test_what_was_not_examined_is_not_remembered_for_a_role() -> None:
    """A node that is too small for one task may still take the next one of its role."""
    large, small = pod("j-0", "j", 4), pod("j-1", "j", 2)
    session = ran([*nodes(4, full=3), group("j"), large, small], NodeSample(minimum=2, percentage=1))
    assert placements(session)["j-0"][1] == "n0"
    assert placements(session)["j-1"][1] == "n3"


def test_best_effort_tasks_are_sampled_too() -> None:
    """The action backfill goes on where allocate has ended."""
    objects = [*nodes(6), *gang("j", 1), group("k"), pod("k-0", "k", best_effort=True)]
    session = ran(objects, NodeSample(minimum=2, percentage=1), actions="allocate, backfill")
    assert placements(session)["k-0"][1] in {"n3", "n4"}
