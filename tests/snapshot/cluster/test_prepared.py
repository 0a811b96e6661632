"""Tasks that are prepared once for several clusters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from msgspec import structs

from tests.build import group, manifests, node, pod, queue
from vqs.model.cluster import Cluster
from vqs.model.task import Task, TaskStatus
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.cluster.prepared import PreparedTasks
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


def test_prepared_is_as_new() -> None:
    """A cluster of prepared tasks is like one that is built without, whatever became of the tasks before."""
    given, prepared = read(HIGH), PreparedTasks()
    first = build_cluster(given, prepared)
    for task in first.jobs["ns/j"].tasks.values():
        first.jobs["ns/j"].set_status(task, TaskStatus.Allocated)
        task.node, task.class_number = "n1", 3
    first.leave_out({"cpu"})
    assert said(build_cluster(given, prepared)) == said(build_cluster(given))


def test_changed_pod_is_built_anew() -> None:
    """A pod that an edit has replaced has a task of its own, and the requests are numbered as in a new cluster."""
    given, prepared = read(HIGH), PreparedTasks()
    build_cluster(given, prepared)
    first, second = given.pods
    other = structs.replace(first, spec=structs.replace(first.spec, priority=9, containers=second.spec.containers))
    edited = replace(given, pods=[other, second])
    built = said(build_cluster(edited, prepared))
    assert built == said(build_cluster(edited))
    assert [(each["priority"], each["shape"]) for each in built] == [(9, 0), (7, 0)]


def test_other_priority_classes() -> None:
    """Where a priority class changes, so does the priority of tasks whose pods did not change."""
    given, prepared = read(HIGH), PreparedTasks()
    build_cluster(given, prepared)
    edited = replace(given, priority_classes=[structs.replace(given.priority_classes[0], value=8)])
    assert [each["priority"] for each in said(build_cluster(edited, prepared))] == [1, 8]


def test_pods_of_the_past_are_dropped() -> None:
    """Pods that the last cluster did not have are not kept."""
    given, prepared = read(HIGH), PreparedTasks()
    for number in range(3):
        pods = [structs.replace(each, spec=structs.replace(each.spec, priority=number)) for each in given.pods]
        build_cluster(replace(given, pods=pods), prepared)
        assert prepared.number == len(pods)


def test_what_is_made_of_the_same_objects_is_made_once() -> None:
    """What is made of a list is made again once another object is in it, or one is gone."""
    given, prepared = read(), PreparedTasks()
    first, second = given.pods
    lists = [given.pods, [*given.pods], [second, first], [second], [second]]
    made = [prepared.made_of(pods, "names", lambda pods: [pod.metadata.name for pod in pods]) for pods in lists]
    assert made == [["p-0", "p-1"], ["p-0", "p-1"], ["p-1", "p-0"], ["p-1"], ["p-1"]]
    assert (made[1] is made[0], made[4] is made[3]) == (True, True)
