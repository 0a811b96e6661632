"""What a reader may be told about a recording that the recording does not say."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vqs.replay.when.durations import Durations


class WorkloadFormat(StrEnum):
    """The formats of workloads, by the names that the command line has for them."""

    SCENARIO = "scenario"
    DUMPS = "dumps"
    OPENB = "openb"
    SWF = "swf"
    METRICS = "metrics"


class QueueOf(StrEnum):
    """What of a recorded job names its queue."""

    QUEUE = "queue"
    PARTITION = "partition"
    USER = "user"
    GROUP = "group"
    QOS = "qos"
    NAMESPACE = "namespace"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How a recording is read.

    Attributes:
        workload_format: the format; None recognises it by content.
        queue_of: what names the queue of a job; None takes what the format has for it.
        most_nodes: how many nodes of the recording are taken, those with the most GPUs; None takes all.
        processors_per_pod: how many processors of a log are one pod; None takes as many as a node has.
        durations: how long the pods of jobs run, by the names of these; None is what the workload itself says.
        has_nodes: whether the nodes come from a snapshot beside the recording, so that none are made of it.
    """

    workload_format: WorkloadFormat | None = None
    queue_of: QueueOf | None = None
    most_nodes: int | None = None
    processors_per_pod: int | None = None
    durations: Durations | None = None
    has_nodes: bool = False
