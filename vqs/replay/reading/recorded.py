"""Jobs as logs and metrics record them, before they are objects of Kubernetes: names, and how long pods run.

A pod that still runs when the record ends is taken to run as long as the pods of its task that have ended, by their
median, where it has not run that long yet; else as long again as it has run so far. What has run for long is likely to
run for long, so that this is a fair guess where nothing else is known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
from typing import Final, NamedTuple

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


_NO_NAME: Final = re.compile(r"[^a-z0-9]+")
_LONGEST: Final = 63


def object_name(word: str, fallback: str) -> str:
    """Return a name of an object that is made of a word: small letters, digits and dashes.

    >>> object_name("Batch (long)", "queue"), object_name("***", "queue")
    ('batch-long', 'queue')
    """
    return _NO_NAME.sub("-", word.lower()).strip("-")[:_LONGEST].rstrip("-") or fallback


def whole_duration(age: float, ended: Sequence[float]) -> float:
    """Return the seconds that a pod runs in all.

    >>> whole_duration(60, [100, 300, 200]), whole_duration(250, [100, 300, 200]), whole_duration(60, [])
    (200.0, 500.0, 120.0)

    Args:
        age: the seconds that it has run so far.
        ended: the seconds that pods like it ran that have ended.
    """
    usual = float(median(ended)) if ended else 0.0
    return usual if usual > age else 2.0 * age
