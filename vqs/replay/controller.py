"""The controllers of jobs: they make PodGroups and pods, restart what was evicted, and end what is over.

A Volcano Job goes through its phases as its controller takes it there; of other jobs, pods that are gone are made
again. References: pkg/controllers/job (job_controller_actions.go, job_controller_util.go, state/) in
volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from msgspec import structs

from vqs.model.job import NOT_ADMITTED
from vqs.model.job import PENDING as GROUP_PENDING
from vqs.releases.controllers import ControllerBehaviours
from vqs.replay.agenda import Kind
from vqs.replay.batch_job import SYNC_PERIOD, BatchJob
from vqs.replay.jobs import ALIVE, ENDED, FINISHED, Act, JobRun, Phase, PodSlot, PodState
from vqs.replay.pods import PodEvent, Pods
from vqs.replay.workload import Lifecycle, Policy

_ANY: Final = "*"
_ENDING: Final = {
    "AbortJob": (Phase.ABORTING, Phase.ABORTED),
    "TerminateJob": (Phase.TERMINATING, Phase.TERMINATED),
    "CompleteJob": (Phase.COMPLETING, Phase.COMPLETED),
}
"""The actions that end a job, with the phase on the way there and the one at the end."""

_LAST_PHASE: Final = dict(_ENDING.values())
_RESTARTS: Final = frozenset({"RestartPod", "RestartTask", "RestartPartition"})
_STARTED: Final = frozenset({PodState.RUNNING, *ENDED})


class Controllers:
    """Acts on what happens to jobs and their pods."""

    def __init__(self, ended: Callable[[JobRun], None], behaviours: ControllerBehaviours) -> None:
        self.pods: Pods
        self._ignores_own_deletions = behaviours.own_deletions == "ignored"
        self._keeps_groups = behaviours.group_of_restarted == "kept"
        self._ended = ended

    # --- what happens ------------------------------------------------------------------------------------------------

    def happened(self, slot: PodSlot, event: PodEvent) -> None:
        """Act on what has happened to a pod."""
        job = slot.job
        lifecycle = job.gang.lifecycle
        if lifecycle is None:
            self._without_lifecycle(job, slot, event)
            return
        delayed = job.delayed.get(slot.key)
        if delayed is not None and _is_void(delayed, slot, event):
            del job.delayed[slot.key]
        is_for_policies = event not in ("PodRunning", "OutOfSync") and slot.version == job.version
        policy = self._policy(lifecycle, slot, event) if is_for_policies else None
        if policy is None:
            # A pod that fails as it is stopped is gone soon, and is looked at then.
            if event == "OutOfSync" or slot.state is not PodState.TERMINATING:
                self.plan_sync(job)
        elif policy.timeout:
            # A pod has one action that waits. Reference: AddDelayActionForJob.
            waiting = job.delayed.get(slot.key)
            if waiting is None or waiting.action != policy.action:
                act = job.delayed[slot.key] = Act(policy.action, slot, slot.turn, event)
                self.pods.agenda.plan(self.pods.clock.now + policy.timeout, Kind.ACT, act)
        else:
            evicted = event == "PodEvicted" or slot.state is PodState.TERMINATING
            self.execute(job, policy.action, slot, evicted=evicted)

    def act(self, act: Act) -> None:
        """Do what a policy asks for after its time is over, unless something has made that void."""
        job = act.slot.job
        if job.delayed.get(act.slot.key) is act and not job.is_finished:
            self.execute(job, act.action, act.slot)

    def _policy(self, lifecycle: Lifecycle, slot: PodSlot, event: PodEvent) -> Policy | None:
        """Return the policy for what has happened to a pod; those of its task come first. Reference: applyPolicies."""
        name: str = event
        if event == "PodSucceeded":
            others = (each for each in slot.job.slots if each.role == slot.role and each is not slot)
            if any(each.state is not PodState.SUCCEEDED for each in others):
                return None
            name = "TaskCompleted"
        exit_code = slot.exit_code if event == "PodFailed" else None
        for policy in (*lifecycle.of_tasks.get(slot.role, ()), *lifecycle.policies):
            needs_timeout = event == "PodPending"
            by_event = {name, _ANY} & policy.events and not (needs_timeout and not policy.timeout)
            if by_event or (exit_code is not None and policy.exit_code == exit_code):
                return policy
        return None

    # --- jobs without policies ---------------------------------------------------------------------------------------

    def _without_lifecycle(self, job: JobRun, slot: PodSlot, event: PodEvent) -> None:
        if job.rollout is not None:
            self.plan_sync(job)
        if event == "PodRunning" and job.phase == Phase.PENDING and job.record.started is not None:
            job.phase = Phase.RUNNING
        if event == "PodSucceeded" and slot.batch is not None:
            slot.batch.succeeds(slot.template)
            if any(left <= 0 for _, left in slot.batch.rules):  # the success policy is met
                self._finish(job, Phase.COMPLETED)
                return
            self._follow(slot, slot.batch)
        if event in ("PodEvicted", "OutOfSync"):
            if slot.comes_back and not slot.out_of_sync and self._comes_again(job, slot):
                return
            self.pods.recorder.pod_moves(slot, PodState.GONE, self.pods.clock.now)
        if event in ("PodSucceeded", "PodFailed", "PodEvicted", "OutOfSync"):
            over = job.counts[PodState.SUCCEEDED] + job.counts[PodState.FAILED] + job.counts[PodState.GONE]
            if over == len(job.slots) and not job.is_finished:
                has_failed = slot.batch is not None and slot.batch.failed
                least = min(job.record.min_available, len(job.slots))
                succeeded = job.counts[PodState.SUCCEEDED] >= least and not has_failed
                failed = Phase.FAILED if job.rollout is None else Phase.REPLACED
                self._finish(job, Phase.COMPLETED if succeeded else failed)

    def _comes_again(self, job: JobRun, slot: PodSlot) -> bool:
        """Have a pod made again that was evicted, unless that ends its Job; False where the Job makes no more pods."""
        soon, batch = self.pods.after("reaction", slot.key), slot.batch
        if batch is not None:
            ended = None if slot.record is None else slot.record.ended
            match batch.fails(slot.template, slot.exit_code, self.pods.clock.now if ended is None else ended):
                case "job":
                    self._finish(job, Phase.FAILED)
                    return True
                case "index":
                    self._follow(slot, batch)
                    return False
            if batch.takes_all and batch.has_succeeded:
                return False
            soon = max(soon, batch.next_pod(slot.template))
        self.pods.agenda.plan(soon, Kind.RENEW, slot, slot.turn)
        return True

    def _follow(self, slot: PodSlot, batch: BatchJob) -> None:
        """Have the pod made that follows one which has succeeded or failed for good, if its Job has more to do."""
        if not batch.pending:
            return
        job = slot.job
        following = PodSlot(job, batch.following(slot.template, job.uid), slot.request)
        following.batch = batch
        job.slots.append(following)
        job.counts[PodState.ABSENT] += 1
        job.record.pods += 1
        self.pods.by_key[following.key] = following
        soon = self.pods.after("reaction", following.key) + SYNC_PERIOD
        self.pods.agenda.plan(soon, Kind.RENEW, following, following.turn)

    # --- actions -----------------------------------------------------------------------------------------------------

    def execute(self, job: JobRun, action: str, slot: PodSlot, *, evicted: bool = False) -> None:
        """Do what a policy asks for, as a pod was evicted or for another reason. Reference: the files of state/."""
        is_of_all = action not in _RESTARTS
        for key, other in [*job.delayed.items()]:  # reference: cleanupDelayActions
            alike = other.action not in _RESTARTS if is_of_all else other.action == action
            if alike and (is_of_all or other.slot in self._targets(job, action, slot)):
                del job.delayed[key]
        if job.is_finished or job.phase in _LAST_PHASE:
            self.plan_sync(job)
            return
        if is_of_all and action != "RestartJob" and action not in _ENDING:
            self.plan_sync(job)
            return
        restarts_already = job.phase == Phase.RESTARTING
        ends = action in _ENDING and not restarts_already
        targets = job.slots if is_of_all else self._targets(job, action, slot)
        job.version += is_of_all
        keeps_group = self._keeps_groups and not is_of_all
        self._kill(job, targets, retained=ENDED if ends else (), evicted=evicted, keeps_group=keeps_group)
        if ends:
            job.phase = _ENDING[action][0]
        elif restarts_already:
            # Reference: restartingUpdateStatus.
            terminating = sum(each.state is PodState.TERMINATING for each in targets)
            lifecycle = job.gang.lifecycle
            if lifecycle is not None and lifecycle.max_retry is not None and job.retries >= lifecycle.max_retry:
                self._finish(job, Phase.FAILED)
            elif len(job.slots) - terminating >= job.record.min_available:
                job.phase = Phase.PENDING
        else:
            job.phase = Phase.RESTARTING
            job.retries += 1
            job.record.restarts += 1
        self.plan_sync(job)

    def _targets(self, job: JobRun, action: str, slot: PodSlot) -> list[PodSlot]:
        """Return the pods that an action restarts."""
        if action == "RestartPod":
            return [slot]
        alike = [each for each in job.slots if each.role == slot.role]
        if action == "RestartTask":
            return alike
        part = slot.template.metadata.labels.get("volcano.sh/partition-id")
        return [each for each in alike if each.template.metadata.labels.get("volcano.sh/partition-id") == part]

    def _kill(
        self,
        job: JobRun,
        slots: Collection[PodSlot],
        retained: Collection[PodState] = (),
        *,
        evicted: bool = False,
        keeps_group: bool = False,
    ) -> None:
        """Delete pods, and the PodGroup unless it is kept: the job is to be admitted anew. Reference: killPods."""
        for slot in slots:
            if slot.state is PodState.TERMINATING:
                slot.out_of_sync |= self._ignores_own_deletions
            elif slot.state in ALIVE or (slot.state in ENDED and slot.state not in retained):
                slot.out_of_sync |= self._ignores_own_deletions
                if evicted:
                    self.pods.take(slot)
                self.pods.terminate(slot, "killed")
        if not keeps_group:
            self.pods.world.remove_group(job.uid)

    # --- bringing about what should be -------------------------------------------------------------------------------

    def plan_sync(self, job: JobRun, latency: str = "reaction") -> None:
        """Have the controller look at a job soon."""
        if not job.sync_planned:
            job.sync_planned = True
            self.pods.agenda.plan(self.pods.after(latency, job.uid), Kind.SYNC, job)

    def sync(self, job: JobRun) -> None:
        """Make what is missing of a job, and settle its phase. Reference: syncJob."""
        job.sync_planned = False
        if job.rollout is not None:
            job.rollout()
        lifecycle = job.gang.lifecycle
        if lifecycle is None or job.is_finished:
            return
        if job.phase in _LAST_PHASE:
            self._kill(job, job.slots, retained=ENDED)
            if not job.number(ALIVE) and not job.counts[PodState.TERMINATING]:
                self._finish(job, _LAST_PHASE[job.phase])
            return
        self.make_group(job)
        if self.pods.world.groups[job.uid].status.phase not in NOT_ADMITTED:
            for slot in job.slots:
                if slot.state is PodState.ABSENT and self._may_start(job, lifecycle, slot.role):
                    self.pods.create(slot)
        before = job.phase
        job.phase = self._next_phase(job, lifecycle)
        if job.phase in FINISHED:
            self._finish(job, job.phase)
        elif job.phase != before:
            self.plan_sync(job)

    def make_group(self, job: JobRun) -> None:
        """Make the PodGroup of a job, unless there is one."""
        world = self.pods.world
        if job.uid in world.groups:
            return
        group = job.gang.group
        metadata = structs.replace(group.metadata, creation_timestamp=self.pods.clock.stamp)
        status = structs.replace(group.status, phase=GROUP_PENDING)
        world.put_group(structs.replace(group, metadata=metadata, status=status))

    def _may_start(self, job: JobRun, lifecycle: Lifecycle, role: str) -> bool:
        """Tell whether the tasks that a task depends on run. Reference: waitDependsOnTaskMeetCondition."""
        depends = lifecycle.depends_on.get(role)
        if depends is None:
            return True
        running = [self._runs(job, lifecycle, name) for name in depends.name]
        return any(running) if depends.iteration == "any" and len(running) > 1 else all(running)

    def _runs(self, job: JobRun, lifecycle: Lifecycle, role: str) -> bool:
        alike = [slot for slot in job.slots if slot.role == role]
        ready = sum(slot.state in (PodState.RUNNING, PodState.SUCCEEDED) for slot in alike)
        return ready >= lifecycle.task_minimums.get(role, len(alike))

    def _next_phase(self, job: JobRun, lifecycle: Lifecycle) -> str:
        """Return the phase that a job goes to by the number of its pods in each state."""
        counts, least, total = job.counts, job.record.min_available, len(job.slots)
        succeeded, failed = counts[PodState.SUCCEEDED], counts[PodState.FAILED]
        match job.phase:
            case Phase.PENDING if job.number(_STARTED) >= least:
                return Phase.RUNNING
            case Phase.RESTARTING:
                if lifecycle.max_retry is not None and job.retries >= lifecycle.max_retry:
                    return Phase.FAILED
                return Phase.PENDING if total - counts[PodState.TERMINATING] >= least else job.phase
            case Phase.RUNNING:
                if lifecycle.min_success is not None and succeeded >= lifecycle.min_success:
                    return Phase.COMPLETED
                if succeeded + failed == total:
                    return Phase.COMPLETED if self._succeeds(job, lifecycle) else Phase.FAILED
                return Phase.PENDING if counts[PodState.PENDING] > total - least else job.phase
        return job.phase

    def _succeeds(self, job: JobRun, lifecycle: Lifecycle) -> bool:
        """Tell whether a job of which all pods have ended is completed, and not failed."""
        succeeded = job.counts[PodState.SUCCEEDED]
        minimums = lifecycle.task_minimums
        if minimums and job.record.min_available >= sum(minimums.values()):
            for role, least in minimums.items():
                if sum(slot.state is PodState.SUCCEEDED for slot in job.slots if slot.role == role) < least:
                    return False
        wanted = job.record.min_available if lifecycle.min_success is None else lifecycle.min_success
        return succeeded >= wanted

    def _finish(self, job: JobRun, phase: str) -> None:
        """End a job: what is left of it is deleted."""
        job.phase = job.record.phase = phase
        job.record.completed = self.pods.clock.now
        for slot in job.slots:
            if slot.state in ALIVE:
                slot.out_of_sync = True
                self.pods.terminate(slot, "killed")
        if not job.gang.stays or job.rollout is not None:
            self.pods.world.remove_group(job.uid)
        self._ended(job)


def _is_void(delayed: Act, slot: PodSlot, event: PodEvent) -> bool:
    """True if an event of a pod makes an action void that waits. Reference: CleanPodDelayActionsIfNeed."""
    if delayed.event == "PodPending":
        return delayed.turn == slot.turn and event in ("PodRunning", "PodFailed", "PodEvicted")
    return delayed.event in ("PodFailed", "PodEvicted") and event == "PodRunning"
