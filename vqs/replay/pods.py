"""The life of pods: they are made, bound, run, end, or are told to go and come back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import inf
from typing import Final, Literal

from msgspec import structs

from vqs.explain.aftermath import annotated_pod, bound_pod, nominated_pod, running_pod
from vqs.model import kubernetes as k8s
from vqs.replay.agenda import Agenda, Kind
from vqs.replay.decisions import Decisions
from vqs.replay.distribution import draw
from vqs.replay.jobs import ALIVE, ENDED, ON_NODE, JobRun, PodSlot, PodState
from vqs.replay.outcome import PodEnd, PodRecord
from vqs.replay.recorder import Recorder
from vqs.replay.timing import ImageDelays, Latencies
from vqs.replay.world import World
from vqs.snapshot.controllers.kubelet import KILLED, grace_of, is_stopped_first

PodEvent = Literal["PodRunning", "PodSucceeded", "PodFailed", "PodEvicted", "PodPending", "OutOfSync"]

_NOT_KNOWN: Final = -1
"""In place of the exit code of a pod that has failed as its node is gone."""

_STARTED_STATES: Final = frozenset({PodState.RUNNING, *ENDED})


@dataclass(slots=True)
class Clock:
    """The time of the replay: in seconds since the start, and on the calendar.

    Attributes:
        begin: the point in time of second 0.
        part: how much of a second of the API server's clock is over at second 0.
        now: the seconds since the start.
    """

    begin: datetime
    part: float = 0.0
    now: float = 0.0

    @property
    def moment(self) -> datetime:
        """The point in time."""
        return self.begin + timedelta(seconds=self.now)

    @property
    def stamp(self) -> datetime:
        """The point in time as the API server writes it on what is created: in whole seconds.

        So jobs of one second are of the same age, and go by their names.
        """
        return (self.moment + timedelta(seconds=self.part)).replace(microsecond=0)


@dataclass(slots=True)
class Pods:
    """All pods of jobs, and what happens to them.

    Attributes:
        clock: the time.
        world: the objects.
        agenda: what is going to happen.
        recorder: what is kept.
        seed: draws durations and start delays.
        latencies: how long everything beside the sessions takes.
        image_delays: from being bound to running for pods whose containers have certain images, which goes before.
        happened: called with what has happened to a pod, which may concern its job's controller.
        by_key: the pods of jobs that have not ended, by namespace/name.
    """

    clock: Clock
    world: World
    agenda: Agenda
    recorder: Recorder
    seed: int
    latencies: Latencies
    image_delays: ImageDelays
    happened: Callable[[PodSlot, PodEvent], None]
    by_key: dict[str, PodSlot] = field(default_factory=dict)
    refused: dict[str, list[PodSlot]] = field(default_factory=dict)
    """The pods that quotas refuse, by namespace: they are made once others of it are gone."""
    _drawn: Counter[tuple[str, str]] = field(default_factory=Counter)

    def after(self, latency: str, subject: str = "") -> float:
        """When something is over that begins now.

        How long it takes is drawn for its subject and for how many times that has waited for the same. So two policies
        under one seed draw alike for the same pod, at whatever time they come to it.
        """
        turn = self._drawn[latency, subject] = self._drawn[latency, subject] + 1
        return self.clock.now + draw(getattr(self.latencies, latency), self.seed, latency, str(turn), subject)

    # --- beginning ---------------------------------------------------------------------------------------------------

    def create(self, slot: PodSlot) -> None:
        """Make a pod, or make it again."""
        now = self.clock.now
        metadata = structs.replace(slot.template.metadata, creation_timestamp=self.clock.stamp)
        pod = structs.replace(slot.template, metadata=metadata)
        if self.world.usage.refuses(pod):
            self.refused.setdefault(metadata.namespace, []).append(slot)
            return
        slot.job.record.restarted += slot.taken
        slot.taken = False
        self.world.put_pod(self.world.usage.with_own_claims(pod))
        self.begin(slot, PodState.PENDING)
        slot.record = PodRecord(pod=slot.template.metadata.name, job=slot.job.index, created=now)
        self.recorder.pods.append(slot.record)
        self.happened(slot, "PodPending")

    def take(self, slot: PodSlot) -> None:
        """Note that an eviction takes a pod off its node."""
        if slot.state in ON_NODE:
            slot.taken = True
            slot.job.record.pods_lost += 1

    def _make_refused(self, namespace: str) -> None:
        """Have controllers try again to make what quotas refused, as something in the namespace is over."""
        for slot in self.refused.pop(namespace, ()):
            self.agenda.plan(self.after("reaction", slot.key), Kind.RENEW, slot, slot.turn)

    def begin(self, slot: PodSlot, state: PodState) -> None:
        """Begin another life of a pod."""
        slot.turn += 1
        slot.out_of_sync = False
        slot.exit_code = None
        slot.version = slot.job.version
        self.recorder.pod_moves(slot, state, self.clock.now)

    def bind(self, key: str, node: str, decisions: Decisions) -> None:
        """Bind a pod to a node, as a session decided, unless it is gone."""
        slot = self.by_key.get(key)
        pod = self.world.pods.get(key)
        if slot is None or pod is None or slot.state is not PodState.PENDING:
            return
        if node not in self.world.nodes:
            return
        now = self.clock.now
        annotations = decisions.annotations.get(key)
        bound = bound_pod(annotated_pod(pod, annotations) if annotations else pod, node, self.clock.moment)
        self.world.put_pod(bound)
        self.world.usage.give(bound, decisions.given.get(key), decisions.cpus.get(key, {}).get(node))
        slot.node = node
        self.recorder.pod_moves(slot, PodState.BOUND, now)
        if slot.record is not None:
            slot.record.node, slot.record.bound = node, now
        self.plan_start(slot)

    def plan_start(self, slot: PodSlot) -> None:
        """Have a bound pod start after its delay."""
        delays = [slot.timing.start_delay] if slot.timing.start_delay else []
        if not delays and self.image_delays:
            spec = slot.template.spec
            images = (container.image for container in (*spec.init_containers, *spec.containers))
            delays = [delay for delay in map(self.image_delays.of, images) if delay is not None]
        delays = delays or [self.latencies.start]
        seconds = max(draw(each, self.seed, "start-delay", str(slot.turn), slot.key) for each in delays)
        self.agenda.plan(self.clock.now + seconds, Kind.RUN, slot, slot.turn)

    def nominate(self, key: str, node: str) -> None:
        """Write on a pod that waits which node is reserved for it."""
        slot = self.by_key.get(key)
        pod = self.world.pods.get(key)
        if pod is not None and (slot is None or slot.state is PodState.PENDING):
            self.world.put_pod(nominated_pod(pod, node))

    # --- running -----------------------------------------------------------------------------------------------------

    def run(self, slot: PodSlot) -> None:
        """Start a bound pod."""
        self.world.put_pod(running_pod(self.world.pods[slot.key], self.clock.moment))
        self.recorder.pod_moves(slot, PodState.RUNNING, self.clock.now)
        if slot.record is not None:
            slot.record.started = self.clock.now
        self.plan_end(slot)
        self.note_start(slot.job)
        self.happened(slot, "PodRunning")

    def plan_end(self, slot: PodSlot) -> None:
        """Have a running pod end when its work is done."""
        slot.since = self.clock.now
        if slot.needed is None:
            duration = slot.timing.duration
            slot.needed = inf if duration is None else draw(duration, self.seed, "duration", slot.key)
        if slot.needed < inf:
            self.agenda.plan(self.clock.now + slot.needed - slot.saved, Kind.END, slot, slot.turn)

    def note_start(self, job: JobRun) -> None:
        """Note when as many pods of a job run, or have run, as it needs."""
        record = job.record
        if record.started is None and job.number(_STARTED_STATES) >= record.min_available:
            record.started = self.clock.now
            self.recorder.job_starts(job, self.clock.now)

    def end(self, slot: PodSlot) -> None:
        """End a pod whose work is done."""
        slot.exit_code = slot.timing.exit_code
        failed = slot.exit_code != 0
        state = PodState.FAILED if failed else PodState.SUCCEEDED
        pod = self.world.pods[slot.key]
        self.world.put_pod(structs.replace(pod, status=structs.replace(pod.status, phase=state.value.capitalize())))
        slot.job.record.work += self.clock.now - slot.since
        self.recorder.pod_moves(slot, state, self.clock.now)
        self._close(slot, "failed" if failed else "succeeded")
        self._make_refused(pod.metadata.namespace)
        self.happened(slot, "PodFailed" if failed else "PodSucceeded")

    # --- being told to go --------------------------------------------------------------------------------------------

    def terminate(self, slot: PodSlot, end: PodEnd, *, after: float | None = None) -> None:
        """Tell a pod to go: it does nothing any more, and is gone after some seconds. One that has ended is deleted.

        Args:
            slot: the pod.
            end: why it ends.
            after: the seconds until it is deleted as its node is gone; None where its kubelet stops it.
        """
        if slot.state not in ALIVE | ENDED:
            return
        now = self.clock.now
        pod = self.world.pods[slot.key]
        seconds, slot.exit_code = self._stopping(slot, pod) if after is None else (after, _NOT_KNOWN)
        if slot.state in ALIVE:
            self._stop(slot)
            self._close(slot, end)
        metadata = structs.replace(pod.metadata, deletion_timestamp=self.clock.moment)
        self.world.put_pod(structs.replace(pod, metadata=metadata))
        state = PodState.TERMINATING
        if slot.state not in ON_NODE:
            slot.node = ""
        self.recorder.pod_moves(slot, state, now)
        self.agenda.plan(self.after("removal", slot.key) + seconds, Kind.REMOVE, slot, slot.turn)

    def _stopping(self, slot: PodSlot, pod: k8s.Pod) -> tuple[float, int | None]:
        """The seconds until the containers of a pod have stopped, and what they exit with; None where none has to."""
        if slot.state not in ON_NODE or not is_stopped_first(pod, self.world.nodes.get(slot.node)):
            return 0.0, None
        if slot.state is PodState.BOUND:
            return 0.0, KILLED
        stop, grace = slot.timing.stop, float(grace_of(pod))
        seconds = 0.0 if stop is None else draw(stop, self.seed, "stop", str(slot.turn), slot.key)
        return (seconds, slot.timing.stop_code) if seconds <= grace else (grace, KILLED)

    def _stop(self, slot: PodSlot) -> None:
        """Stop a pod's work: what it has not saved is lost."""
        if slot.state is not PodState.RUNNING:
            return
        worked = self.clock.now - slot.since
        kept = 0.0
        if slot.timing.checkpoint:
            kept = (slot.saved + worked) // slot.timing.checkpoint * slot.timing.checkpoint - slot.saved
        # What a rollout replaces is not done again.
        is_replaced = slot.job.rollout is not None and not slot.comes_back
        lost = 0.0 if is_replaced else worked - max(kept, 0.0)
        slot.saved += max(kept, 0.0)
        job = slot.job.record
        job.work += worked
        job.work_lost += lost
        self.recorder.work_lost(slot, lost)

    def _close(self, slot: PodSlot, end: PodEnd) -> None:
        if slot.record is not None:
            slot.record.ended, slot.record.outcome = self.clock.now, end

    def remove(self, slot: PodSlot) -> None:
        """Take away a pod that was told to go; one that was stopped has ended before that."""
        if slot.exit_code is not None and not slot.out_of_sync:
            self.happened(slot, "PodFailed" if slot.exit_code else "PodSucceeded")
        self.world.remove_pod(slot.key)
        self._make_refused(slot.template.metadata.namespace)
        out_of_sync = slot.out_of_sync
        self.recorder.pod_moves(slot, PodState.ABSENT, self.clock.now)
        slot.node = ""
        self.happened(slot, "OutOfSync" if out_of_sync else "PodEvicted")

    def drop(self, slot: PodSlot) -> None:
        """Forget a pod of a job that has ended."""
        self.world.remove_pod(slot.key)
        self.by_key.pop(slot.key, None)
