"""What nodes are by themselves is found out once for all classes of tasks that plugins cannot tell apart by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.build import Object, group, node, open_session, pod, queue
from tests.engine.nodes.test_known_states import anew, contents
from vqs.engine.framework.session import Session
from vqs.model.task import Task, TaskStatus


def opened(*pods: list[Object]) -> tuple[Session, list[Task]]:
    """Open a session with two nodes, and return the tasks of some jobs of one pod each."""
    session = open_session([queue("default"), node("n0", labels={"rack": "a"}), node("n1"), *pods])
    return session, [task for job in session.jobs.values() for task in job.tasks.values()]


def job(name: str, cpu: int = 1, port: int = 0, **spec: Any) -> list[Object]:
    """Make a job of one pod, which may want a host port."""
    ports = [{"containerPort": 80, "hostPort": port}] if port else []
    resources = {"requests": {"cpu": cpu, "memory": "1Gi"}}
    containers = [{"name": "c", "image": "i", "ports": ports, "resources": resources}]
    return [group(name, 1), pod(f"{name}-0", name, spec={"containers": containers, **spec})]


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        (job("a", port=80), job("b", port=81), True),
        (job("a", port=80), job("b"), False),
        (job("a", cpu=1, port=80), job("b", cpu=2, port=80), False),
        (job("a", nodeSelector={"rack": "a"}), job("b"), False),
    ],
)
def test_class_scores_are_shared_by_classes_that_only_predicates_tell_apart(
    one: list[Object], other: list[Object], *, shared: bool
) -> None:
    """Classes with other host ports share it; those with other requests, or whose codes follow from states, do not."""
    session, (first, second) = opened(one, other)
    fits = [session.fit(first), session.fit(second)]
    assert fits[0].task_class is not fits[1].task_class
    assert (fits[0].class_scores is fits[1].class_scores) is shared


def test_classes_that_share_scores_are_each_up_to_date() -> None:
    """Whichever class asked last, each knows of all changes: of those of its own ports, too."""
    session, (first, second, third) = opened(job("a", port=80), job("b", port=81), job("c", port=80))
    for task, place in ((first, 0), (second, 1)):
        session.fit(task)
        session.place(task, place, TaskStatus.Allocated)
        for each in (third, second):
            assert contents(session.fit(each)) == contents(anew(session, each))
    assert [code == 0 for code in session.fit(third).codes.tolist()] == [False, True]


def test_a_node_without_room_is_scored_when_it_is_asked_for() -> None:
    """Scores of nodes that have no room are hardly ever looked at; those that are asked for are all there."""
    session, (first, second) = opened(job("a", cpu=8), job("b", cpu=2))
    session.place(first, 0, TaskStatus.Allocated)
    fit = session.fit(second)
    assert np.isnan(fit.scores).tolist() == [True, False]
    fit.score(np.array([0]))
    assert fit.scores.tolist() == anew(session, second).scores.tolist()
