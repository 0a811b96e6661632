"""Jobs and their pods while a replay runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, NamedTuple

from vqs.model import kubernetes as k8s
from vqs.model.keys import role_of
from vqs.replay.batch_job import BatchJob
from vqs.replay.outcome import REPLACED, JobRecord, PodRecord
from vqs.replay.workload import Gang, Timing, timing_of


class PodState(Enum):
    """Where a pod is in its life; ABSENT is one that its controller has not made, GONE one that it does not make again.

    A pod that is TERMINATING was told to go, and holds its node until it is gone.
    """

    ABSENT = "absent"
    PENDING = "pending"
    BOUND = "bound"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TERMINATING = "terminating"
    GONE = "gone"


ON_NODE: Final = frozenset({PodState.BOUND, PodState.RUNNING})
ALIVE: Final = frozenset({PodState.PENDING, PodState.BOUND, PodState.RUNNING})
ENDED: Final = frozenset({PodState.SUCCEEDED, PodState.FAILED})


class Phase:
    """The phases of a Volcano Job, which jobs of other kinds would have; a ReplicaSet may be replaced by a rollout."""

    PENDING: Final = "Pending"
    RUNNING: Final = "Running"
    RESTARTING: Final = "Restarting"
    COMPLETING: Final = "Completing"
    COMPLETED: Final = "Completed"
    FAILED: Final = "Failed"
    ABORTING: Final = "Aborting"
    ABORTED: Final = "Aborted"
    TERMINATING: Final = "Terminating"
    TERMINATED: Final = "Terminated"
    REPLACED: Final = REPLACED


FINISHED: Final = frozenset({Phase.COMPLETED, Phase.FAILED, Phase.ABORTED, Phase.TERMINATED, Phase.REPLACED})


class PodSlot:
    """A pod of a job through all of its lives.

    Attributes:
        job: its job.
        role: its role in the job.
        template: the pod as its controller makes it.
        key: its namespace/name.
        timing: how it runs.
        state: where it is in its life.
        turn: which of its lives this is; events of earlier ones are void.
        request: what it requests, in the scheduler's units, in the order of the replay's resources.
        record: the record of this life, None before the first.
        node: the node that it is bound to.
        since: when it began to run, or went on to.
        needed: the seconds of work that it has, None before they are drawn; infinite where it never ends.
        saved: the seconds of work that are saved, so that they need not be done again.
        comes_back: whether it is made again where it is gone, and its job is no Volcano Job.
        taken: whether an eviction took it off its node, itself or as the reason for its controller to delete it.
        out_of_sync: whether a controller told it to go, so that its end is no event for policies.
        version: the version of the job that it was made for; policies do not count for pods of older ones.
        batch: the Job of Kubernetes that it is of, if it is of one.
        exit_code: what its container has ended with, or ends with before the pod is gone; None where it has not ended.
    """

    __slots__ = (
        "batch",
        "comes_back",
        "exit_code",
        "job",
        "key",
        "needed",
        "node",
        "out_of_sync",
        "record",
        "request",
        "role",
        "saved",
        "since",
        "state",
        "taken",
        "template",
        "timing",
        "turn",
        "version",
    )

    def __init__(self, job: JobRun, template: k8s.Pod, request: tuple[float, ...]) -> None:
        self.job = job
        self.template = template
        self.key = template.metadata.key
        self.role = role_of(template.metadata)
        self.timing = timing_of(self.role, job.timing)
        self.request = request
        self.state = PodState.ABSENT
        self.turn = 0
        self.record: PodRecord | None = None
        self.node = ""
        self.since = 0.0
        self.needed: float | None = None
        self.saved = 0.0
        self.comes_back = job.gang.comes_back
        self.out_of_sync = False
        self.version = 0
        self.exit_code: int | None = None
        self.taken = False
        self.batch: BatchJob | None = None


class Act(NamedTuple):
    """An action that a policy asks for after a time: the pod, which of its lives, and the event that it is for."""

    action: str
    slot: PodSlot
    turn: int
    event: str


class JobRun:
    """A job while the replay runs.

    Attributes:
        uid: the namespace/name of its PodGroup.
        index: its number among the jobs of the result.
        gang: what its controllers make.
        timing: how its pods run, by role.
        record: what becomes of it.
        slots: its pods.
        counts: the number of its pods in each state.
        phase: the phase of the Volcano Job.
        retries: how often it was restarted.
        version: how often all of it was killed.
        sync_planned: whether its controller is going to look at it.
        delayed: the actions that a policy asks for after a time, by the namespace/name of the pod that they are for.
        rollout: takes the rollout further by which its pods replace others, or others replace them; None without one.
    """

    __slots__ = (
        "counts",
        "delayed",
        "gang",
        "index",
        "phase",
        "record",
        "retries",
        "rollout",
        "slots",
        "sync_planned",
        "timing",
        "uid",
        "version",
    )

    def __init__(self, index: int, gang: Gang, timing: Mapping[str, Timing], record: JobRecord) -> None:
        self.uid = gang.group.metadata.key
        self.index = index
        self.gang = gang
        self.timing = timing
        self.record = record
        self.slots: list[PodSlot] = []
        self.counts = dict.fromkeys(PodState, 0)
        self.phase = Phase.PENDING
        self.retries = 0
        self.version = 0
        self.sync_planned = False
        self.delayed: dict[str, Act] = {}
        self.rollout: Callable[[], None] | None = None

    @property
    def is_finished(self) -> bool:
        """Whether it has ended, well or not."""
        return self.phase in FINISHED

    def number(self, states: frozenset[PodState]) -> int:
        """Return how many of its pods are in some states."""
        return sum(self.counts[state] for state in states)
