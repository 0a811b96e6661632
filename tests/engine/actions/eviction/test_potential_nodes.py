"""The nodes on which evictions may help a task."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings

from tests.build import group, node, open_session, pod, queue
from tests.engine.crowds import PREEMPT, crowds, running
from tests.properties import examples
from vqs.engine.actions.eviction.index import EVICTABLE
from vqs.engine.actions.eviction.potential_nodes import PotentialNodes, PredicateErrorCache
from vqs.engine.framework.session import Session
from vqs.engine.framework.votes import Refusal
from vqs.model.codes import VerdictCode
from vqs.model.job import FitErrors
from vqs.model.task import TaskStatus

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
