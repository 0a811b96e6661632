"""Session after session: what becomes of a cluster when nobody but the scheduler and the controllers does anything.

Between two sessions a schedule period of one second goes by, and all that was begun is over by then: bound pods run,
pods that were evicted or are being deleted are gone, and those of them that a controller stands behind are there again
as new pods. A Volcano Job's controller makes pods only once the PodGroup is let into its queue; where the Job says so,
it restarts or ends the whole Job when a pod is evicted. Bare pods are gone for good. No pod ends by itself.

What a session leaves on a pod that waits: the node that it was promised, if others were evicted for that, and it stays
there; a promise of room that others leave by themselves is forgotten.
References: pkg/scheduler/framework/job_updater.go, ``taskUnschedulable`` in cache.go, ``TaskSchedulingReason`` in
job_info.go; pkg/controllers/job in volcano-sh/volcano.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Final, Literal

from msgspec import structs

from vqs.engine.trace import Op, StatementResult
from vqs.explain.assemble import assemble
from vqs.explain.expectations import check_expectations
from vqs.explain.nodes import node_results
from vqs.explain.outcome import Result, Simulation
from vqs.explain.simulate import EPOCH, run_session
from vqs.model import kubernetes as k8s
from vqs.model.job import PENDING
from vqs.model.task import TaskStatus, Transaction
from vqs.snapshot.collector import paused_collector
from vqs.snapshot.controllers.complete import complete, with_makers
from vqs.snapshot.controllers.names import suffix
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.editing.owners import fresh
from vqs.snapshot.keys import GROUP_NAME
from vqs.snapshot.scenario.made import MadeDocument

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from vqs.engine.session import Session
    from vqs.explain.simulate import Finished, SimulateOptions
    from vqs.model.task import Task
    from vqs.snapshot.documents import Origin
    from vqs.snapshot.manifests import Manifests

PERIOD: Final = timedelta(seconds=1)

_VOLCANO_JOB: Final = ("batch.volcano.sh/v1alpha1", "Job")
_NUMBERED: Final = ("StatefulSet",)
"""Kinds whose pods have the same names when they are made again, besides Volcano's Job."""

_RANGE: Final = 3
"""So many numbers in a row are written as a range."""

_JOBS_OF_A_SCENARIO: Final = "jobs"
_EVICTED: Final = frozenset({"PodEvicted", "*"})
_RESTART: Final = "RestartJob"
_NOT_LET_IN: Final = ("", PENDING)
_ENDS: Final = frozenset({"AbortJob", "TerminateJob", "CompleteJob"})
_WAITING: Final = (TaskStatus.Pending, TaskStatus.Allocated, TaskStatus.Pipelined)


# --- the result -------------------------------------------------------------------------------------------------------


class Eviction(Result, kw_only=True, omit_defaults=False):
    """A task that is evicted, and in favour of which job; jobs and tasks by namespace/name."""

    task: str
    job: str
    by: str
    action: str
    node: str


class Cycle(Result, kw_only=True, omit_defaults=False):
    """One session, and what comes of it until the next one.

    Attributes:
        number: counted from 1.
        simulation: the session.
        bound: the tasks that it binds; they run when the next one opens.
        evictions: whom it evicts, and for whom.
        gone: the pods that are no more when the next one opens.
        back: the pods that are made again by then.
        held_back: the pods that their controller makes again only when the PodGroup is let into its queue.
        changed: whether the next session finds anything that this one did not.
    """

    number: int
    simulation: Simulation
    bound: list[str]
    evictions: list[Eviction]
    gone: list[str]
    back: list[str]
    held_back: list[str]
    changed: bool


class PingPong(Result, kw_only=True, omit_defaults=False):
    """Evictions that lead nowhere: jobs that evict each other, or one that is evicted whenever it has been placed.

    Attributes:
        kind: mutual or again.
        jobs: the two jobs, or the one and then those that evict it.
        cycles: when.
        text: the same in a sentence.
    """

    kind: Literal["mutual", "again"]
    jobs: list[str]
    cycles: list[int]
    text: str


class InVain(Result, kw_only=True, omit_defaults=False):
    """A job in whose favour tasks are evicted in several sessions, and that gets nothing bound from then on.

    Attributes:
        job: its namespace/name.
        cycles: when.
        evicted: how many tasks.
        text: the same in a sentence.
    """

    job: str
    cycles: list[int]
    evicted: int
    text: str


class Cycles(Result, tag_field="schema", tag="vqs/cycles/v1", kw_only=True, omit_defaults=False):
    """Sessions in their order. `settled` tells whether the last one changes nothing, so that the next is the same.

    Jobs that take part in a ping-pong are not named again among those in whose favour others are evicted in vain.
    """

    cycles: list[Cycle]
    settled: bool
    ping_pong: list[PingPong]
    in_vain: list[InVain]


# --- running ----------------------------------------------------------------------------------------------------------


def run_cycles(manifests: Manifests, options: SimulateOptions, cycles: int) -> Cycles:
    """Run sessions until nothing changes, but no more than so many.

    What a scenario expects is expected of the first one.

    Raises:
        InputErrors: as for `vqs.explain.simulate.simulate`.
    """
    begin = options.now or manifests.now or EPOCH
    done: list[Cycle] = []
    aftermath = _Aftermath(manifests)
    for number in range(1, cycles + 1):
        now = begin + (number - 1) * PERIOD
        with paused_collector():
            finished = run_session(manifests, replace(options, now=now))
            simulation = _simulation(finished, manifests, options)
            manifests = aftermath.of(finished, now)
        done.append(aftermath.cycle(number, simulation))
        if not aftermath.changed:
            break
    settled = bool(done) and not done[-1].changed
    ping_pong = find_ping_pong(done)
    named = {job for each in ping_pong for job in each.jobs}
    in_vain = [each for each in find_in_vain(done) if each.job not in named]
    return Cycles(cycles=done, settled=settled, ping_pong=ping_pong, in_vain=in_vain)


def _simulation(finished: Finished, manifests: Manifests, options: SimulateOptions) -> Simulation:
    result = assemble(finished.session, finished.manifests, options.scenario)
    if options.nodes:
        result.nodes = node_results(finished.session)
    if options.timing:
        result.timing = finished.timing
    result.expectations = check_expectations(result, manifests.expectations)
    return result


# --- what comes after a session ---------------------------------------------------------------------------------------


class _Aftermath:
    """Turns what a session decided into what the next one finds; `first` is what it all began with."""

    def __init__(self, first: Manifests) -> None:
        self.first = first
        self.ended: set[str] = set()
        self.owed: list[tuple[k8s.Pod, Origin]] = []
        self.names: set[str] = set()

    def of(self, finished: Finished, now: datetime) -> Manifests:
        """Return the manifests for the next session."""
        self.session = finished.session
        self.evictions = list(_evictions(self.session))
        self.now = now
        self.bound: list[str] = []
        self.gone: list[str] = []
        self.back: list[str] = []
        self.held_back: list[str] = []
        self.changed = False
        completed = finished.manifests
        self.names.update(pod.metadata.key for pod in completed.pods)
        self.groups = {group.metadata.key: group for group in self._groups(completed)}
        self._restart_jobs()
        return self._made_by_controllers(self._left(completed))

    def _left(self, completed: Manifests) -> Manifests:
        """Return what is there before controllers have done anything."""
        pods = list(self._pods(completed))
        kept = [index for index, group in enumerate(completed.pod_groups) if group.metadata.key in self.groups]
        return replace(
            completed,
            pods=[pod for pod, _ in pods],
            pod_groups=[self.groups[completed.pod_groups[index].metadata.key] for index in kept],
            origins={
                **completed.origins,
                "pods": [origin for _, origin in pods],
                "pod_groups": [completed.origins["pod_groups"][index] for index in kept],
            },
            expectations=[],
        )

    def _made_by_controllers(self, left: Manifests) -> Manifests:
        """Return what is there once controllers have made what they miss."""
        there = {pod.metadata.key for pod in left.pods}
        made = complete(_without_idle_jobs(with_makers(left, self.first), self.ended))
        new = [pod.metadata.key for pod in made.pods if pod.metadata.key not in there]
        self.back += new
        self.changed |= bool(new)
        return replace(_without_idle_jobs(with_makers(made, self.first), self.ended), notes=[])

    def cycle(self, number: int, simulation: Simulation) -> Cycle:
        """Return what was told of the last session."""
        return Cycle(
            number=number,
            simulation=simulation,
            bound=sorted(self.bound),
            evictions=self.evictions,
            gone=sorted(self.gone),
            back=sorted(self.back),
            held_back=sorted(self.held_back),
            changed=self.changed,
        )

    # --- PodGroups ---------------------------------------------------------------------------------------------------

    def _groups(self, completed: Manifests) -> Iterator[k8s.PodGroup]:
        """Yield the PodGroups as the session leaves them. Reference: jobStatus."""
        for group in completed.pod_groups:
            job = self.session.jobs.get(group.metadata.key)
            if job is None:
                yield group
                continue
            self.changed |= job.phase != group.status.phase
            status = structs.replace(
                group.status,
                phase=job.phase,
                running=len(job.having(TaskStatus.Running)),
                succeeded=len(job.having(TaskStatus.Succeeded)),
                failed=len(job.having(TaskStatus.Failed)),
            )
            yield structs.replace(group, status=status)

    def _restart_jobs(self) -> None:
        """Take away the PodGroups of Volcano Jobs that restart, or end, when a pod is evicted."""
        self.killed: set[str] = set()
        jobs = {job.metadata.key: job for job in self.first.volcano_jobs}
        for eviction in self.evictions:
            group = self.groups.get(eviction.job)
            job = None if group is None else jobs.get(_owner(group)[2])
            if job is None or group is None or not _is_of_volcano(group):
                continue
            action = _policy(job, self._role(eviction))
            if action == _RESTART or action in _ENDS:
                self.killed.add(eviction.job)
                del self.groups[eviction.job]
            if action in _ENDS:
                self.ended.add(job.metadata.key)

    def _role(self, eviction: Eviction) -> str:
        tasks = self.session.jobs[eviction.job].tasks.values()
        return next(task.role for task in tasks if _key(task) == eviction.task)

    # --- pods --------------------------------------------------------------------------------------------------------

    def _pods(self, completed: Manifests) -> Iterator[tuple[k8s.Pod, Origin]]:
        """Yield the pods that are left, and those that come back, with their origins."""
        tasks = {_key(task): task for job in self.session.jobs.values() for task in job.tasks.values()}
        evicted = {eviction.task for eviction in self.evictions}
        victims: list[tuple[k8s.Pod, Origin]] = []
        for pod, origin in zip(completed.pods, completed.origins.get("pods", ()), strict=True):
            key = pod.metadata.key
            if _group_of(pod) in self.killed or key in evicted or _is_leaving(pod):
                self.gone.append(key)
                self.changed = True
                if key in evicted:
                    victims.append((pod, origin))
            else:
                yield (self._later(pod, tasks[key]) if key in tasks else pod), origin
        yield from self._made_again(victims)

    def _later(self, pod: k8s.Pod, task: Task) -> k8s.Pod:
        """Return a pod as the next session finds it."""
        if task.status in (TaskStatus.Binding, TaskStatus.Bound):
            self.changed = True
            if task.status is TaskStatus.Binding:
                self.bound.append(_key(task))
            return self._running(pod, task.node or "")
        node = _nominated(task)
        if not node or node == pod.status.nominated_node_name:
            return pod
        self.changed = True
        return structs.replace(pod, status=structs.replace(pod.status, nominated_node_name=node))

    def _running(self, pod: k8s.Pod, node: str) -> k8s.Pod:
        others = [each for each in pod.status.conditions if each.type != "PodScheduled"]
        scheduled = k8s.Condition(type="PodScheduled", status="True", last_transition_time=self.now)
        status = structs.replace(
            pod.status,
            phase="Running",
            nominated_node_name="",
            start_time=self.now,
            conditions=[*others, scheduled],
        )
        return structs.replace(pod, spec=structs.replace(pod.spec, node_name=node), status=status)

    def _made_again(self, victims: list[tuple[k8s.Pod, Origin]]) -> Iterator[tuple[k8s.Pod, Origin]]:
        """Yield new pods for those that are gone, as soon as their controllers make them.

        The controllers of Volcano Jobs that are known do so by themselves.
        """
        known = {job.metadata.key for job in self.first.volcano_jobs}
        owed, self.owed = self.owed, []
        for pod, origin in (*owed, *victims):
            if _group_of(pod) in self.killed or not _comes_back(pod, origin):
                continue
            is_of_volcano = _is_of_volcano(pod)
            is_known = is_of_volcano and _owner(pod)[2] in known
            if is_of_volcano and self._waits(pod):
                self.held_back.append(pod.metadata.key)
                self.owed += [] if is_known else [(pod, origin)]
            elif not is_known:
                made = self._renewed(pod)
                self.back.append(made.metadata.key)
                self.changed = True
                yield made, origin

    def _waits(self, pod: k8s.Pod) -> bool:
        """Tell whether the PodGroup of a pod has not been let into its queue."""
        group = self.groups.get(_group_of(pod))
        return group is not None and group.status.phase in _NOT_LET_IN

    def _renewed(self, pod: k8s.Pod) -> k8s.Pod:
        """Return the pod that comes after one: with a new uid, and a new name unless its name is its number."""
        metadata = pod.metadata
        name = metadata.name
        owner = controller_of(metadata)
        if owner is not None and not _is_of_volcano(pod) and owner.kind not in _NUMBERED:
            prefix = name.rpartition("-")[0] or name
            names = (f"{prefix}-{suffix(prefix, turn)}" for turn in count())
            name = next(each for each in names if f"{metadata.namespace}/{each}" not in self.names)
        made = fresh(pod, name, creation_timestamp=self.now + PERIOD)
        if metadata.uid:
            made.metadata.uid = f"{metadata.uid}-again"
        self.names.add(made.metadata.key)
        return made


def _key(task: Task) -> str:
    return f"{task.namespace}/{task.name}"


def _group_of(pod: k8s.Pod) -> str:
    return f"{pod.metadata.namespace}/{pod.metadata.annotations.get(GROUP_NAME, '')}"


def _owner(owned: k8s.Pod | k8s.PodGroup) -> tuple[str, str, str]:
    """Return the version, kind and key of what controls an object; empty where nothing does."""
    owner = controller_of(owned.metadata)
    return (owner.api_version, owner.kind, f"{owned.metadata.namespace}/{owner.name}") if owner else ("", "", "")


def _is_leaving(pod: k8s.Pod) -> bool:
    """Tell whether a pod is being deleted."""
    return pod.metadata.deletion_timestamp is not None and pod.status.phase in ("", "Pending", "Running")


def _comes_back(pod: k8s.Pod, origin: Origin) -> bool:
    """Tell whether somebody makes a pod again: its controller, or whatever runs the jobs of a scenario."""
    document = origin.document
    of_scenario = isinstance(document, MadeDocument) and _JOBS_OF_A_SCENARIO in document.entry.path
    return of_scenario or controller_of(pod.metadata) is not None


def _policy(job: k8s.VolcanoJob, role: str) -> str:
    """Return what a Volcano Job's controller does when a pod of a task is evicted; the task's own policies come first.

    Reference: applyPolicies.
    """
    tasks = (task for task in job.spec.tasks if task.name == role)
    policies = [*(policy for task in tasks for policy in task.policies), *job.spec.policies]
    found = (policy.action for policy in policies if _EVICTED & {policy.event, *policy.events})
    return next(found, "")


def _nominated(task: Task) -> str:
    """Return the node that the scheduler writes on a pod that waits: others had to leave it for the pod."""
    if task.status not in _WAITING or task.scheduling_gated:
        return ""
    last = task.last_transaction or Transaction(task.status, task.node, eviction_occurred=task.eviction_occurred)
    return last.node or "" if last.status is TaskStatus.Pipelined and last.eviction_occurred else ""


def _without_idle_jobs(manifests: Manifests, ended: set[str]) -> Manifests:
    """Leave out the Volcano Jobs that are over, and those without pods whose PodGroup has not been let in."""
    phases = {_owner(group)[2]: group.status.phase for group in manifests.pod_groups if _is_of_volcano(group)}
    working = {_owner(pod)[2] for pod in manifests.pods if _is_of_volcano(pod)}

    def is_idle(job: k8s.VolcanoJob) -> bool:
        key = job.metadata.key
        return key in ended or (phases.get(key) in _NOT_LET_IN and key not in working)

    kept = [index for index, job in enumerate(manifests.volcano_jobs) if not is_idle(job)]
    origins = manifests.origins.get("volcano_jobs", [])
    return replace(
        manifests,
        volcano_jobs=[manifests.volcano_jobs[index] for index in kept],
        origins={**manifests.origins, "volcano_jobs": [origins[index] for index in kept]},
    )


def _is_of_volcano(owned: k8s.Pod | k8s.PodGroup) -> bool:
    return _owner(owned)[:2] == _VOLCANO_JOB


# --- evictions --------------------------------------------------------------------------------------------------------


def _evictions(session: Session) -> Iterator[Eviction]:
    """Yield what a session evicts for good."""
    for record in session.trace.statements:
        for operation in record.operations if record.result is StatementResult.COMMIT else ():
            if operation.op is Op.EVICT:
                yield Eviction(
                    task=_key(operation.task),
                    job=operation.task.job,
                    by=operation.hunt.task.job if operation.hunt is not None else record.job,
                    action=record.action,
                    node=operation.node,
                )


def find_in_vain(cycles: list[Cycle]) -> list[InVain]:
    """Find jobs that others are evicted for again and again, though nothing of them is bound from then on."""
    found: dict[str, list[int]] = {}
    for cycle in cycles:
        for eviction in cycle.evictions:
            found.setdefault(eviction.by, []).append(cycle.number)
    bound = {job: cycle.number for cycle in cycles for job in _jobs_of(cycle, set(cycle.bound))}
    return [
        _in_vain(job, numbers)
        for job, numbers in sorted(found.items())
        if bound.get(job, 0) < numbers[0] and any(numbers[0] < number < cycles[-1].number for number in numbers)
    ]


def _in_vain(job: str, numbers: list[int]) -> InVain:
    when = sorted(set(numbers))
    text = f"{len(numbers)} tasks are evicted for {job}, in the cycles {_listed(when)}, and none of it is bound since"
    return InVain(job=job, cycles=when, evicted=len(numbers), text=text)


def find_ping_pong(cycles: list[Cycle]) -> list[PingPong]:
    """Find jobs that evict each other in turn, and jobs that are evicted again after they have been placed again."""
    when: dict[tuple[str, str], list[int]] = {}
    for cycle in cycles:
        for eviction in cycle.evictions:
            numbers = when.setdefault((eviction.by, eviction.job), [])
            if cycle.number not in numbers:
                numbers.append(cycle.number)
    mutual = [_mutual(one, other, when) for one, other in sorted(when) if one < other and _take_turns(one, other, when)]
    named = {job for each in mutual for job in each.jobs}
    placed = _placed_again(cycles)
    again = [_again(job, placed, when) for job in sorted({victim for _, victim in when} - named)]
    return [*mutual, *(each for each in again if each is not None)]


def _placed_again(cycles: list[Cycle]) -> dict[int, set[str]]:
    """Return, by cycle, the jobs of which it binds tasks that were made again after others had been evicted."""
    back: set[str] = set()
    placed = {}
    for cycle in cycles:
        placed[cycle.number] = _jobs_of(cycle, back.intersection(cycle.bound))
        back.update(cycle.back)
    return placed


def _jobs_of(cycle: Cycle, names: set[str]) -> set[str]:
    """Return the jobs of some tasks."""
    tasks = (task for task in cycle.simulation.tasks if f"{task.namespace}/{task.name}" in names)
    return {f"{task.namespace}/{task.job}" for task in tasks}


def _take_turns(one: str, other: str, when: dict[tuple[str, str], list[int]]) -> bool:
    """Tell whether two jobs have evicted each other, not both at once."""
    return (other, one) in when and len({*when[one, other], *when[other, one]}) > 1


def _mutual(one: str, other: str, when: dict[tuple[str, str], list[int]]) -> PingPong:
    numbers = sorted({*when[one, other], *when[other, one]})
    text = f"{one} and {other} evict each other, in the cycles {_listed(numbers)}"
    return PingPong(kind="mutual", jobs=[one, other], cycles=numbers, text=text)


def _again(job: str, placed: dict[int, set[str]], when: dict[tuple[str, str], list[int]]) -> PingPong | None:
    """Name a job that was evicted, placed again, and evicted again."""
    evicted = sorted({number for (_, victim), numbers in when.items() if victim == job for number in numbers})
    back = [number for number, jobs in placed.items() if job in jobs]
    turns = [number for number in evicted if any(before < turn <= number for before in evicted for turn in back)]
    if not turns:
        return None
    by = sorted({evictor for evictor, victim in when if victim == job})
    text = f"{job} is evicted again after it was placed again, in the cycles {_listed(evicted)}, by {', '.join(by)}"
    return PingPong(kind="again", jobs=[job, *by], cycles=evicted, text=text)


def _listed(numbers: list[int]) -> str:
    """Write numbers that rise, three or more in a row as a range."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) >= _RANGE else ", ".join(map(str, run)) for run in runs)
