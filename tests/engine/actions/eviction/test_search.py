"""The search for victims: the nodes where evictions may help, and those where they did not."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings

from tests.build import gang, group, node, open_session, pod, queue, run
from tests.engine.crowds import PREEMPT, crowds, running
from tests.properties import examples
from vqs.engine.actions.eviction.search import Failures, FutureFit, PotentialNodes, PredicateErrorCache
from vqs.engine.actions.eviction.votes import EVICTABLE, EvictionIndex
from vqs.engine.framework.points import DependsOn
from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import Scope, VictimSearch
from vqs.engine.framework.votes import Refusal
from vqs.model.codes import VerdictCode
from vqs.model.job import FitErrors, TaskStatus
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


TAINT = [{"key": "k", "value": "v", "effect": "NoSchedule"}]


def session_with(*objects: Any) -> Session:
    """Open a session on a tainted node, a full one and a roomy one, and some pending pods of one job."""
    nodes = [node("full", cpu=1), node("roomy"), node("tainted", taints=TAINT)]
    return open_session([*nodes, queue("default"), running("j", "full"), group("w"), *objects], PREEMPT)


def names(session: Session, mask: Any) -> list[str]:
    """Name the nodes of a mask."""
    return [name for name, fits in zip(session.nodes.names, mask, strict=True) if fits]


def test_a_node_without_room_is_open() -> None:
    """Its tasks could go; a taint would stay."""
    session = session_with(pod("w-0", "w"))
    assert names(session, session.shared(PotentialNodes).for_task(session.jobs["ns/w"].tasks["w-0"])) == [
        "full",
        "roomy",
    ]


def test_a_node_that_holds_too_many_pods_is_open() -> None:
    """The number of pods is one of the reasons that an eviction does away with."""
    session = open_session(
        [node("n1", pods=1), queue("default"), running("j", "n1"), group("w"), pod("w-0", "w")], PREEMPT
    )
    assert session.shared(PotentialNodes).for_task(session.jobs["ns/w"].tasks["w-0"]).all()


def test_a_role_is_not_asked_for_again_where_it_was_refused() -> None:
    """A second task of the role would fit, and is not tried there; one without a role is."""
    tolerant = {"tolerations": [{"key": "k", "operator": "Exists"}]}
    session = session_with(pod("w-0", "w"), pod("w-1", "w", spec=tolerant), pod("w-2", "w", spec=tolerant, role=""))
    tasks = session.jobs["ns/w"].tasks
    error_cache = PredicateErrorCache(session, session.shared(PotentialNodes), enabled=True)
    assert names(session, error_cache.potential_for(tasks["w-0"])) == ["full", "roomy"]
    assert names(session, error_cache.potential_for(tasks["w-1"])) == ["full", "roomy"]
    assert names(session, error_cache.potential_for(tasks["w-2"])) == ["full", "roomy", "tainted"]
    assert PredicateErrorCache(session, session.shared(PotentialNodes), enabled=False).potential_for(tasks["w-1"]).all()


def test_what_an_earlier_action_found_closed_is_not_asked() -> None:
    """Not for that task, and so its role does not learn of it."""
    tolerant = {"tolerations": [{"key": "k", "operator": "Exists"}]}
    session = session_with(pod("w-0", "w"), pod("w-1", "w", spec=tolerant))
    job = session.jobs["ns/w"]
    codes = session.fit(job.tasks["w-0"]).codes
    session.refuse(job, job.tasks["w-0"], Refusal(VerdictCode.NO_NODE_FITS), FitErrors(3), codes)
    error_cache = PredicateErrorCache(session, session.shared(PotentialNodes), enabled=True)
    assert names(session, error_cache.potential_for(job.tasks["w-0"])) == ["full", "roomy"]
    assert error_cache.potential_for(job.tasks["w-1"]).all()


@settings(max_examples=examples(40))
@given(crowds())
def test_potential_nodes_are_kept_up_to_date(crowd: tuple[list[Any], str]) -> None:
    """After evictions, they are those that are found anew."""
    session = open_session(*crowd)
    potential = session.shared(PotentialNodes)
    waiting = [t for job in session.jobs.values() for t in job.having(TaskStatus.Pending).values()]
    for task in waiting:
        potential.for_task(task)
    for job in session.jobs.values():
        for task in list(job.tasks.values()):
            if task.status in EVICTABLE and task.node in session.nodes.index:
                session.evict(task)
                assert all(np.array_equal(potential.for_task(t), PotentialNodes(session).for_task(t)) for t in waiting)
