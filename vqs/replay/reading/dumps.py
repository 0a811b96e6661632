"""Workloads from dumps of a cluster: what arrived between the first and the last of several, or before a single one.

With two or more dumps, the first is the state at the start, and the jobs that are only in later ones arrive. With one,
the replay begins with its oldest job: all jobs of the dump arrive, those that have finished among them, on nodes that
are empty but for the pods of other schedulers. A job arrives when its object was created. What came and went between
two dumps, and finished jobs that were deleted, cannot be known.

A pod runs from ``status.startTime``, when the kubelet takes it. It ends when the last of its containers does; where no
container says so, when its condition Ready turned false because it was completed; else, when the dump was taken. A pod
that is in one dump and missing in the next ended half-way between the two. One that runs in the last dump: see
`vqs.replay.reading.recorded`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median
from typing import Any, Final, NamedTuple

from msgspec import structs

from vqs.explain.simulate import EPOCH
from vqs.model import kubernetes as k8s
from vqs.model.durations import LONGEST
from vqs.model.keys import DEFAULT_QUEUE, GROUP_QUEUE, SCHEDULER_NAME, role_of
from vqs.model.wording import count
from vqs.replay.distribution import Distribution, Fixed, Recorded
from vqs.replay.reading.objects import pod_group_of
from vqs.replay.reading.recorded import whole_duration
from vqs.replay.workload import (
    EVERY_ROLE,
    Arrival,
    Gang,
    Present,
    Timing,
    Workload,
    lifecycle_of,
    timing_of,
)
from vqs.snapshot.controllers.job import SYNCED, as_submitted, group_name
from vqs.snapshot.controllers.world import controller_of, group_name_of
from vqs.snapshot.reading.diagnostics import Diagnostic, Problems
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests

_WORKLOADS: Final = ("pods", "pod_groups", "volcano_jobs", "jobs", "workloads", "deployments", "cron_jobs", "job_flows")
_WORKER: Final = "worker"


NO_DURATION: Final = "unknown-duration"
"""The code of the notes on pods of which nothing says how long they run."""

_NOT_STARTED: Final = ("", "Pending")
"""The phases of a Volcano Job whose pods may not have been made yet."""


class _Submitted(NamedTuple):
    """What was submitted, when, and how its pods run."""

    created: datetime
    job: k8s.VolcanoJob | Gang
    timing: Mapping[str, Timing]


def read_dumps(dumps: Sequence[Manifests], name: str, problems: Problems) -> Workload:
    """Return the workload of one or more dumps; their order is that of their times."""
    ordered = sorted(dumps, key=lambda dump: dump.now or EPOCH)
    times = [dump.now or EPOCH for dump in ordered]
    pods = lives(ordered, times)
    if len(ordered) == 1:
        # A dump on its own is all of its history.
        dump = ordered[0]
        submitted = _submitted([dump], pods, frozenset())
        if not submitted:
            message = "there is no job in the dump that could arrive"
            problems.add(
                Diagnostic(code="empty-input", severity="error", message=message, help="give a dump with finished pods")
            )
        begin = min((each.created for each in submitted), default=dump.now or EPOCH)
        return Workload(
            name=name,
            begin=begin,
            start=replace(_without_jobs(dump), newest_timestamp=begin),
            arrivals=_arrivals(submitted, begin),
        )
    present = {life.pod.metadata.key for life in lives(ordered[:1], times[:1]).values()}
    return Workload(
        name=name,
        begin=times[0],
        start=ordered[0],
        present=_present(ordered[0], ordered[0].pods, pods, times[0]),
        arrivals=_arrivals(_submitted(ordered, pods, present), times[0]),
    )


def _without_jobs(dump: Manifests) -> Manifests:
    """Return a dump without its jobs; the running pods of other schedulers stay, as they take room."""
    stay = [
        (pod, origin)
        for pod, origin in dump.with_origins("pods")
        if pod.spec.scheduler_name != SCHEDULER_NAME and is_running(pod)
    ]
    lists: dict[str, Any] = {name: [] for name in _WORKLOADS} | {"pods": [pod for pod, _ in stay]}
    origins: dict[str, list[Origin]] = {name: [] for name in _WORKLOADS} | {"pods": [origin for _, origin in stay]}
    return replace(dump, **lists, origins={**dump.origins, **origins})


def _arrivals(submitted: Iterable[_Submitted], begin: datetime) -> tuple[Arrival, ...]:
    found = [Arrival(max((each.created - begin).total_seconds(), 0.0), each.job, each.timing) for each in submitted]
    return tuple(sorted(found, key=lambda arrival: arrival.time))


def without_pods_yet(dump: Manifests) -> tuple[Manifests, tuple[Arrival, ...]]:
    """Part a snapshot from its Volcano Jobs that have no pods yet: these are submitted as the replay begins.

    Their PodGroups go with them, and are admitted anew; but those that a cluster has made stay as they are.
    """
    made = {_job_of(pod) for pod in dump.pods}
    seen = {job.metadata.key for job in dump.volcano_jobs if job.metadata.uid}
    made |= seen & {_job_of(group) for group in dump.pod_groups}
    waiting = {
        job.metadata.key: job
        for job in dump.volcano_jobs
        if job.status.state.phase in _NOT_STARTED and job.metadata.key not in made
    }
    jobs = [each for each in dump.with_origins("volcano_jobs") if each[0].metadata.key not in waiting]
    groups = [each for each in dump.with_origins("pod_groups") if _job_of(each[0]) not in waiting]
    left = replace(
        dump,
        volcano_jobs=[job for job, _ in jobs],
        pod_groups=[group for group, _ in groups],
        origins={
            **dump.origins,
            "volcano_jobs": [origin for _, origin in jobs],
            "pod_groups": [origin for _, origin in groups],
        },
    )
    return left, tuple(Arrival(0.0, as_submitted(job), {EVERY_ROLE: Timing()}) for job in waiting.values())


def _job_of(made: k8s.Pod | k8s.PodGroup) -> str:
    """Return the namespace and name of the Job that made an object; empty where none did."""
    owner = controller_of(made.metadata)
    return f"{made.metadata.namespace}/{owner.name}" if owner is not None and owner.kind == "Job" else ""


# --- the state at the start -------------------------------------------------------------------------------------------


def present_of(dump: Manifests) -> dict[str, Present]:
    """Return how the pods of a dump run on, where it says when they began; by their PodGroups.

    Nothing is known of the others: those of a scenario, and those that wait.
    """
    now = dump.now or EPOCH
    pods = lives([dump], [now])
    known = [life.pod for life in pods.values() if life.seconds is not None]
    return _present(dump, known, pods, now)


def unknown_durations(
    dump: Manifests, present: Mapping[str, Present], named: Container[str], submitted: Iterable[Arrival]
) -> Iterator[Diagnostic]:
    """Yield notes on how long pods run of which a dump does not say it: by a guess, or without end.

    Args:
        dump: the dump.
        present: what is known and guessed of its pods, by their PodGroups.
        named: the PodGroups of which a scenario or a file of durations says how long they run.
        submitted: its Volcano Jobs without pods, which arrive.
    """
    guessed = 0
    endless = sum(
        task.replicas
        for each in submitted
        if isinstance(each.job, k8s.VolcanoJob)
        for task in each.job.spec.tasks
        if timing_of(task.name, each.timing).duration is None
    )
    there = Counter((_job_of(pod), role_of(pod.metadata)) for pod in dump.pods)
    endless += sum(
        max(task.replicas - there[known.job.metadata.key, task.name], 0)
        for key, known in present.items()
        if known.job is not None and key not in named
        for task in known.job.spec.tasks
        if timing_of(task.name, known.timing).duration is None
    )
    for pod in dump.pods:
        group = f"{pod.metadata.namespace}/{group_name_of(pod)}"
        is_alive = pod.status.phase not in k8s.ENDED_PHASES and pod.spec.scheduler_name == SCHEDULER_NAME
        if is_alive and group not in named and not Life(pod, 0).is_service:
            known = present.get(group, Present())
            whole = timing_of(role_of(pod.metadata), known.timing).duration
            is_known = pod.metadata.key in known.remaining or whole is not None
            guessed += is_known
            endless += not is_known
    if guessed:
        message = (
            f"how long {count(guessed, 'pod')} will run is a guess, by how long they and others like them have run"
        )
        yield Diagnostic(code=NO_DURATION, severity="note", message=message)
    if endless:
        message = f"nothing says how long {count(endless, 'pod')} will run: without end"
        hint = (
            "say it in a scenario, or to vqs replay and vqs when by --durations; the snapshots that --at writes do not "
            "have it"
        )
        yield Diagnostic(code=NO_DURATION, severity="note", message=message, help=hint)


def _present(dump: Manifests, of: Iterable[k8s.Pod], pods: Mapping[str, Life], now: datetime) -> dict[str, Present]:
    """Return how some pods that are there at the start run, by their PodGroups."""
    groups: defaultdict[str, list[k8s.Pod]] = defaultdict(list)
    for pod in of:
        groups[f"{pod.metadata.namespace}/{group_name_of(pod)}"].append(pod)
    found = {}
    for key, members in groups.items():
        remaining = {}
        for pod in members:
            start, seconds = began(pod), pods[pod.metadata.key].seconds
            if start is not None and seconds is not None and is_running(pod):
                remaining[pod.metadata.key] = max(seconds - (now - start).total_seconds(), 0.0)
        timing = _timing_by_role([pods[pod.metadata.key] for pod in members])
        found[key] = Present(timing=timing, remaining=remaining)
    groups_of = {_job_of(group): group.metadata.key for group in dump.pod_groups}
    for job in dump.volcano_jobs:
        # A job that is restarted may have none at the moment.
        key = groups_of.get(job.metadata.key, f"{job.metadata.namespace}/{group_name(job)}")
        stored = job if job.metadata.uid and job.status.state.phase in SYNCED else None
        found[key] = replace(found.get(key, Present()), lifecycle=lifecycle_of(job.spec), job=stored)
    return found


# --- what arrives -----------------------------------------------------------------------------------------------------


def _submitted(dumps: Sequence[Manifests], pods: Mapping[str, Life], present: Iterable[str]) -> list[_Submitted]:
    """Return what was submitted of the pods that are not present, in no order."""
    there = set(present)
    new = [life for key, life in pods.items() if key not in there and life.pod.spec.scheduler_name == SCHEDULER_NAME]
    volcano_jobs = {job.metadata.key: job for dump in dumps for job in dump.volcano_jobs}
    groups = {group.metadata.key: group for dump in dumps for group in dump.pod_groups}
    old = {job.metadata.key for job in dumps[0].volcano_jobs} if len(dumps) > 1 else set()
    by_job: defaultdict[str, list[Life]] = defaultdict(list)
    by_group: defaultdict[str, list[Life]] = defaultdict(list)
    for life in new:
        job = _job_of(life.pod)
        if job in volcano_jobs:
            by_job[job].append(life)
        else:
            by_group[f"{life.pod.metadata.namespace}/{group_name_of(life.pod)}"].append(life)
    # Where nothing says when a Volcano Job was created, it cannot be submitted.
    found = [
        _Submitted(created, as_submitted(job), _timing_by_role(by_job.get(key, [])))
        for key, job in volcano_jobs.items()
        if key not in old and (created := job.metadata.creation_timestamp) is not None
    ]
    return [*found, *_of_groups(by_group, groups)]


def _of_groups(groups: Mapping[str, Sequence[Life]], known: Mapping[str, k8s.PodGroup]) -> Iterator[_Submitted]:
    """Yield the pods of each PodGroup, with the PodGroup as it was created."""
    for key, members in groups.items():
        ordered = sorted(members, key=lambda life: (len(life.pod.metadata.name), life.pod.metadata.name))
        created = [life.pod.metadata.creation_timestamp for life in ordered]
        times = [each for each in created if each is not None]
        if not times:
            continue
        pods = []  # as they were before they were scheduled
        for each in (life.pod for life in ordered):
            metadata = structs.replace(each.metadata, deletion_timestamp=None, deletion_grace_period_seconds=None)
            spec = structs.replace(each.spec, node_name="")
            pods.append(structs.replace(each, metadata=metadata, spec=spec, status=k8s.PodStatus(phase="Pending")))
        group = known.get(key)
        fresh = structs.replace(group, status=k8s.PodGroupStatus(phase="Pending")) if group is not None else None
        queue = pods[0].metadata.annotations.get(GROUP_QUEUE) or DEFAULT_QUEUE
        gang = pod_group_of(key.partition("/")[2], pods, queue=queue, role=_WORKER, min_member=1, group=fresh)
        is_bare = controller_of(ordered[0].pod.metadata) is None
        yield _Submitted(min(times), replace(gang, comes_back=not is_bare), _timing_by_role(ordered))


def _timing_by_role(members: Iterable[Life]) -> dict[str, Timing]:
    """Return how pods run, by role; those of a role that nothing is known of run without end."""
    roles: defaultdict[str, list[Life]] = defaultdict(list)
    for life in members:
        roles[role_of(life.pod.metadata) or _WORKER].append(life)
    timing = {role: Timing(duration=_duration(group)) for role, group in roles.items()}
    every = next(iter(timing.values()), Timing())
    return {EVERY_ROLE: every, **timing}


def _duration(group: Iterable[Life]) -> Distribution | None:
    """Return how long pods run, by their names; None where that is not known of one."""
    seconds = {life.pod.metadata.key: life.seconds for life in group}
    known = {key: each for key, each in seconds.items() if each is not None}
    if not known or len(known) < len(seconds):
        return None
    values = set(known.values())
    return Fixed(values.pop()) if len(values) == 1 else Recorded(known)


_DONE: Final = ("PodCompleted", "PodFailed")

Alike = tuple[str, str, str, str]
"""What pods have in common that run about equally long: namespace, kind and name of the controller, and task."""


@dataclass(slots=True)
class Life:
    """A pod as it was seen last, and in which dump; and how many seconds it runs in all, None where nothing says it."""

    pod: k8s.Pod
    dump: int
    seconds: float | None = None

    @property
    def is_service(self) -> bool:
        """Whether it comes from a controller that runs pods without end."""
        owner = controller_of(self.pod.metadata)
        return owner is not None and owner.kind in ("ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController")


def began(pod: k8s.Pod) -> datetime | None:
    """Return when a pod began to run, None where it has not."""
    if not pod.spec.node_name:
        return None
    scheduled = (each.last_transition_time for each in pod.status.conditions if each.type == "PodScheduled")
    return pod.status.start_time or next(scheduled, None)


def ended(pod: k8s.Pod) -> datetime | None:
    """Return when a pod ended, None where it has not, or nothing says when."""
    if pod.status.phase not in k8s.ENDED_PHASES:
        return None
    states = (each.state.terminated for each in pod.status.container_statuses)
    finished = [state.finished_at for state in states if state is not None and state.finished_at is not None]
    done = [each.last_transition_time for each in pod.status.conditions if each.reason in _DONE]
    return max(finished, default=None) or max((each for each in done if each is not None), default=None)


def is_running(pod: k8s.Pod) -> bool:
    """Tell whether a pod holds its node."""
    return bool(pod.spec.node_name) and pod.status.phase not in k8s.ENDED_PHASES


def lives(dumps: Sequence[Manifests], times: Sequence[datetime]) -> dict[str, Life]:
    """Return the pods of dumps by namespace/name, and how long each runs."""
    found: dict[str, Life] = {}
    for index, dump in enumerate(dumps):
        for pod in dump.pods:
            found[pod.metadata.key] = Life(pod, index)
    for life in found.values():
        life.seconds = _seen(life, times)
    _guess(found.values(), times)
    return found


def ran(dumps: Sequence[Manifests]) -> Iterator[tuple[Alike, float]]:
    """Yield how long each pod ran that has ended, as dumps of one cluster tell, which come in the order of their times.

    A pod that is in one of them and missing in the next has ended, be it by itself or with its job.
    """
    times = [dump.now or EPOCH for dump in dumps]
    found = {pod.metadata.uid or pod.metadata.key: Life(pod, at) for at, dump in enumerate(dumps) for pod in dump.pods}
    for life in found.values():
        seconds = _seen(life, times)
        if seconds is not None and (life.dump + 1 < len(dumps) or ended(life.pod) is not None):
            yield alike_of(life.pod), seconds


def _seen(life: Life, times: Sequence[datetime]) -> float | None:
    """Return how long a pod ran, as far as dumps tell."""
    start, end = began(life.pod), ended(life.pod)
    if start is None:
        return None
    if end is None and life.pod.status.phase in k8s.ENDED_PHASES:
        end = times[life.dump]
    elif end is None and life.dump + 1 < len(times):
        end = times[life.dump] + (times[life.dump + 1] - times[life.dump]) / 2
    return None if end is None else min(max((end - start).total_seconds(), 0.0), LONGEST)


def _guess(found: Iterable[Life], times: Sequence[datetime]) -> None:
    """Say how long the others run: those that still run, and those that have not begun."""
    alike: defaultdict[Alike, list[Life]] = defaultdict(list)
    for life in found:
        if not life.is_service:
            alike[alike_of(life.pod)].append(life)
    for group in alike.values():
        known = [life.seconds for life in group if life.seconds is not None]
        for life in group:
            start = began(life.pod)
            if life.seconds is None and start is not None and is_running(life.pod):
                age = max((times[-1] - start).total_seconds(), 0.0)
                life.seconds = min(whole_duration(age, known), LONGEST) or None
        guessed = [life.seconds for life in group if life.seconds is not None]
        for life in group:
            if life.seconds is None and guessed:
                life.seconds = float(median(guessed))


def alike_of(pod: k8s.Pod) -> Alike:
    """Return what a pod has in common with those that run about as long."""
    owner = controller_of(pod.metadata)
    kind, name = (owner.kind, owner.name) if owner is not None else ("Pod", pod.metadata.name)
    return pod.metadata.namespace, kind, name, role_of(pod.metadata)
