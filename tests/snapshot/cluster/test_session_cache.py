"""What a cluster takes over from the one before it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from msgspec import structs

from tests.build import group, manifests, node, pod, queue
from vqs.model.cluster import Cluster
from vqs.model.job import Task, TaskStatus
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.reading.manifests import Manifests

HIGH = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7}


def read(*objects: Any) -> Manifests:
    """Read a cluster with a job of two pods that ask for different amounts."""
    pods = [pod("p-0", "j", cpu="1"), pod("p-1", "j", cpu="2", spec={"priorityClassName": "high"})]
    return manifests([node("n1"), queue("default"), group("j"), *pods, *objects])


def said(cluster: Cluster) -> list[dict[str, Any]]:
    """Return everything that the tasks of a cluster say, but for what their requests are."""
    return [
        {name: getattr(task, name) for name in Task.__slots__ if name != "request"}
        | {"amounts": (task.request.milli_cpu, task.request.memory, task.request.scalars)}
        for job in cluster.jobs.values()
        for task in job.tasks.values()
    ]


def next_of(given: Manifests, edited: Manifests) -> tuple[Cluster, Cluster]:
    """Build a cluster, change what a session may change, hand it back, and build the one of an edit."""
    cache = SessionCache()
    first = build_cluster(given, cache)
    for task in [*first.jobs["ns/j"].tasks.values()]:
        first.jobs["ns/j"].set_status(task, TaskStatus.Allocated)
        task.node = "n1"
    cache.returned = first
    return first, build_cluster(edited, cache)


def test_a_cached_task_is_as_new() -> None:
    """A cluster after another one of the same objects is like one that is built alone, and has its jobs."""
    given = read(HIGH)
    first, second = next_of(given, given)
    assert said(second) == said(build_cluster(given))
    assert second.jobs["ns/j"] is first.jobs["ns/j"]


def test_changed_pod_is_built_anew() -> None:
    """A pod that an edit has replaced has a task of its own."""
    given = read(HIGH)
    first, second = given.pods
    other = structs.replace(first, spec=structs.replace(first.spec, priority=9, containers=second.spec.containers))
    edited = replace(given, pods=[other, second])
    _, built = next_of(given, edited)
    alone = said(build_cluster(edited))
    assert [each | {"shape": 0} for each in said(built)] == [each | {"shape": 0} for each in alone]
    assert [each["priority"] for each in said(built)] == [9, 7]


def test_other_priority_classes() -> None:
    """Where a priority class changes, so does the priority of tasks whose pods did not change."""
    given = read(HIGH)
    edited = replace(given, priority_classes=[structs.replace(given.priority_classes[0], value=8)])
    _, built = next_of(given, edited)
    assert [each["priority"] for each in said(built)] == [1, 8]


def test_the_pods_of_the_last_cluster_are_known() -> None:
    """As long as nothing else is built of them."""
    given, cache = read(HIGH), SessionCache()
    cluster = build_cluster(given, cache)
    assert all(id(each) not in cache.known_pods for each in given.pods)
    cache.returned = cluster
    assert all(id(each) in cache.known_pods for each in given.pods)


def test_what_is_made_of_the_same_objects_is_made_once() -> None:
    """What is made of a list is made again once another object is in it, or one is gone."""
    given, cache = read(), SessionCache()
    first, second = given.pods
    lists = [given.pods, [*given.pods], [second, first], [second], [second]]
    made = [cache.made_of(pods, "names", lambda pods: [pod.metadata.name for pod in pods]) for pods in lists]
    assert made == [["p-0", "p-1"], ["p-0", "p-1"], ["p-1", "p-0"], ["p-1"], ["p-1"]]
    assert (made[1] is made[0], made[4] is made[3]) == (True, True)
