"""Looking for victims on one node after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings

from tests.build import gang, node, open_session, pod, queue, run
from tests.engine.crowds import PREEMPT, crowds, running
from tests.properties import examples
from vqs.engine.actions.eviction.finder import Failures, FutureFit
from vqs.engine.actions.eviction.index import EvictionIndex
from vqs.engine.framework.points import DependsOn
from vqs.engine.framework.trace import Scope, VictimSearch
from vqs.model.resource import Resource


@settings(max_examples=examples(60))
@given(crowds())
def test_needs_are_compared_as_the_scheduler_does(crowd: tuple[list[Any], str]) -> None:
    """For every task and node, the array says what a comparison of resources says, with some tasks gone or not."""
    session = open_session(*crowd)
    nodes = session.nodes
    nothing = np.zeros((len(nodes.resources), len(nodes)))
    for job in session.jobs.values():
        for task in job.tasks.values():
            fit, gone = FutureFit(session, task), [task]
            met = fit.nodes_with_room(nothing).tolist()
            for column in range(len(nodes)):
                idle = Resource(*nodes.future_idle[:2, column])
                idle.scalars = dict(zip(nodes.resources[2:], nodes.future_idle[2:, column].tolist(), strict=True))
                assert met[column] == fit.has_room(column, ()) == task.request.less_equal(idle)
                assert fit.has_room(column, gone) == task.request.less_equal(idle.add(task.request))


def test_a_failure_is_known_until_something_changes() -> None:
    """Then the node has to be looked at again."""
    objects: list[Any] = [node("n1"), node("n2"), queue("default"), running("j", "n1"), running("k", "n2")]
    session = open_session(objects, PREEMPT)
    index = session.shared(EvictionIndex)
    failures, columns = Failures(index, DependsOn.JOBS), np.arange(2)
    failures.add(0, "gang")
    failures.add(1, "drf")
    assert failures.known(columns).tolist() == [True, True]
    search = VictimSearch("preempt", session.jobs["ns/j"].tasks["j-worker-0"], Scope.QUEUE)
    failures.count(columns, search)
    assert (search.asked, search.spared_by) == (2, {"gang": 1, "drf": 1})
    session.evict(session.jobs["ns/k"].tasks["k-worker-0"])
    assert failures.known(columns).tolist() == [True, False]


def test_a_node_with_room_fails_where_that_does_not_help() -> None:
    """It has no victim, and the queue of the preemptor may not take the task."""
    session = open_session([node("n1"), queue("default"), running("j", "n1")], PREEMPT)
    failures, columns = Failures(session.shared(EvictionIndex), DependsOn.JOBS), np.arange(1)
    failures.add(0, "gang", has_room=True)
    assert failures.known(columns, room_helps=False).tolist() == [True]
    assert failures.known(columns).tolist() == [False]
    failures.add(0, "gang")
    assert failures.known(columns).tolist() == [True]


def test_where_a_promise_fails_the_task_waits_on() -> None:
    """A plugin that fails when a task is given a node takes the promise back, and what was evicted stays so."""
    conf = PREEMPT.replace("name: predicates", "name: predicates\n    enablePredicate: false")
    objects: list[Any] = [node("n1", cpu=1), queue("default"), running("j", "n1"), gang("w", 1)]
    conf = conf.replace("  - name: gang", "  - name: gang\n    enablePreemptable: false").replace(
        "- name: priority", "- name: priority\n    enablePreemptable: false"
    )
    session = run(objects, conf)
    assert session.jobs["ns/w"].tasks["w-worker-0"].node is None


def test_the_room_of_all_nodes_is_found_at_once() -> None:
    """A node where not even all candidates together make room is not looked at."""
    objects: list[Any] = [
        node("n1", cpu=2),
        node("n2", cpu=1),
        queue("default"),
        running("j", "n1", "n1", "n2"),
        pod("w-0", "w", 2),
        running("w"),
    ]
    session = run(objects, PREEMPT)
    search = session.trace.victim_searches[0]
    assert (search.nodes, search.candidates, search.too_small) == (2, 3, 1)
