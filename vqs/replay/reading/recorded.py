"""Jobs as logs and metrics record them, before they are objects of Kubernetes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

Requests = tuple[tuple[str, str], ...]
"""What a pod requests: names of resources, as Kubernetes has them, and quantities."""


class RecordedTask(NamedTuple):
    """Pods of a job that are alike.

    Attributes:
        name: the name of the task.
        replicas: how many pods it has.
        requests: what each of them requests.
        seconds: how long each pod ran, by its index; one entry where all ran equally long. None: without end.
        models: the values of the label `MODEL_LABEL` that the node may have; empty for any node.
    """

    name: str
    replicas: int
    requests: Requests
    seconds: tuple[float | None, ...]
    models: tuple[str, ...] = ()


class RecordedJob(NamedTuple):
    """A job, when it was submitted, and what ran of it.

    Attributes:
        namespace: its namespace.
        name: its name, unique in the namespace.
        queue: its queue.
        arrival: when it was submitted, in seconds since the start of the workload.
        tasks: its tasks, one or more.
        min_available: how many of its pods have to run at once for it to start.
        priority_class: the name of its priority class, empty where it has none.
        submits_pods: whether its pods are there when it arrives, as for a Job of Kubernetes, or a pod by itself; the
            others become Jobs of Volcano, whose pods are made once they are admitted.
    """

    namespace: str
    name: str
    queue: str
    arrival: float
    tasks: tuple[RecordedTask, ...]
    min_available: int
    priority_class: str = ""
    submits_pods: bool = False


class RecordedNode(NamedTuple):
    """A node and what it has for pods; `model` is the model of its accelerators, empty where it has none."""

    name: str
    allocatable: Requests
    model: str = ""


class Recording(NamedTuple):
    """What a log or metrics tell.

    Attributes:
        jobs: the jobs, by arrival.
        nodes: the nodes; empty where the recording has none.
        begin: when the recording starts, in seconds since 1970; None where its times are counted from a start unknown.
    """

    jobs: list[RecordedJob]
    nodes: list[RecordedNode]
    begin: float | None = None


def queues_of(jobs: Iterable[RecordedJob]) -> list[str]:
    """Return the names of the queues of jobs, each once, in the order of their first job."""
    return list(dict.fromkeys(job.queue for job in jobs))
