"""The two sides of a comparison, the sessions that are run on them, and which jobs are the same on both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

from msgspec import structs

from vqs.config.scheduler_conf import SchedulerConfiguration
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.session import SessionOptions
from vqs.engine.nodes.pods import host_ports
from vqs.explain.affected import lost_in
from vqs.explain.assemble import assemble, node_results
from vqs.explain.outcome import JobResult, NodeResult, Simulation, StatementResult, TaskResult
from vqs.explain.outlook import Sessions, as_one
from vqs.explain.simulate import Opened, SimulateOptions, finish_session, open_session
from vqs.model import kubernetes as k8s
from vqs.model.job import JobName, Task, TaskStatus
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.kinds import KIND_OF, LISTS, group_of, key_of
from vqs.snapshot.reading.manifests import Manifests

_Controller = tuple[str, str, str, str]
"""API group, kind, namespace and name."""

_Held = frozenset[tuple[_Controller, str]]
"""Controllers with their uids."""


class SideJobs(NamedTuple):
    """The jobs of one side.

    Attributes:
        names: what they are called, by the namespace and name of their PodGroups.
        created: when their PodGroups were created, as far as that is known.
    """

    names: Mapping[str, JobName]
    created: Mapping[str, datetime]

    @classmethod
    def of(cls, manifests: Manifests, names: Mapping[str, JobName]) -> SideJobs:
        """Return the jobs of a snapshot."""
        metadata = (each.metadata for each in manifests.pod_groups)
        return cls(names, {each.key: each.creation_timestamp for each in metadata if each.creation_timestamp})

    def newest(self, uids: Iterable[str]) -> str:
        """Return the PodGroup that was created last, the first by name of several."""
        known = sorted(uids)
        return max(known, key=lambda uid: self.created[uid].timestamp() if uid in self.created else 0.0)


def same_jobs(
    before: SideJobs, after: SideJobs, candidate: Manifests, proposed: AbstractSet[tuple[type, str]]
) -> dict[str, str]:
    """Return the base's PodGroup of each job that is created again and has another PodGroup in the candidate.

    Two jobs are the same if a controller has both, and no other job on one of the sides. Where it has several on the
    other side, the newest PodGroup is the same job. Controllers next to the PodGroup count first: the PodGroup of a
    ReplicaSet that is in both sides is the same job, whatever else its Deployment has.

    A PodGroup that a change writes itself is a new job, whichever controller it names as its owner, unless the change
    has the controller as well, with the uid that the PodGroup names: then it is a part of a dump.
    """
    written = {uid for type_, uid in proposed if type_ is k8s.PodGroup} - before.names.keys()
    held: _Held = frozenset()
    if written:  # the objects of a change that have a uid, as only those of a cluster do
        objects = (each for list_name in LISTS for each in getattr(candidate, list_name))
        known = [(KIND_OF[type(each)], each.metadata) for each in objects if key_of(each) in proposed]
        held = frozenset(
            ((kind.group, kind.name, metadata.namespace, metadata.name), metadata.uid)
            for kind, metadata in known
            if metadata.uid
        )
    jobs_before = _by_controller({uid: _above(name) for uid, name in before.names.items()})
    jobs_after = _by_controller(
        {uid: _above(name, held) if uid in written else _above(name) for uid, name in after.names.items()}
    )
    same: dict[str, str] = {}
    for controller, new in jobs_after.items():
        old = jobs_before.get(controller, set())
        if len(old) > 1 and len(new) > 1:
            continue
        gone, made = old - after.names.keys() - set(same.values()), new - before.names.keys() - same.keys()
        if gone and made:
            same[after.newest(made)] = before.newest(gone)
    return same


def _above(name: JobName, only: _Held | None = None) -> list[_Controller]:
    """Return the controllers of a job, the nearest first; if only some count, those of them."""
    above = (
        ((group_of(owner.api_version), owner.kind, name.namespace, owner.name), owner.uid)
        for owner in reversed(name.owners)
    )
    return [controller for controller, uid in above if only is None or (controller, uid) in only]


def _by_controller(above: Mapping[str, list[_Controller]]) -> dict[_Controller, set[str]]:
    """Return the PodGroups of each controller, the controllers that are next to PodGroups first."""
    found: defaultdict[_Controller, set[str]] = defaultdict(set)
    for height in range(max(map(len, above.values()), default=0)):
        for uid, controllers in above.items():
            for controller in controllers[height : height + 1]:
                found[controller].add(uid)
    return found


@dataclass(frozen=True, slots=True)
class Input:
    """What one side is made of.

    Attributes:
        name: what people call it.
        manifests: the snapshot, with all that is changed in it.
        files: what was read for it.
        edits: the what-if edits that were made to it.
        revision: the one that it was read from, if it was.
        checkout: the folder of the repository whose revision it is compared with, if it is.
        proposed: the types and names of what a change says itself: none of it is believed to be in a cluster already.
    """

    name: str
    manifests: Manifests
    files: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
    revision: str = ""
    checkout: str = ""
    proposed: frozenset[tuple[type, str]] = frozenset()


class Contents:
    """Stands for the content of values, worked out once for each: the pods of one template share what it says."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, bytes]] = {}

    def of(self, value: object) -> bytes:
        """Return what is the same for values of the same content, in every session."""
        known = self._known.get(id(value))
        if known is None:
            # The value is kept, so that no other one gets its id.
            known = self._known[id(value)] = value, blake2b(repr(value).encode(), digest_size=16).digest()
        return known[1]


@dataclass
class Run:
    """Sessions that are over, one after another until all pods have been tried, their result, and that by name."""

    simulation: Simulation
    sessions: list[FinishedSession]
    sequence: Sessions
    """What more sessions can be run with."""
    same_jobs: Mapping[str, str] = field(default_factory=dict)
    """What jobs are known by here that have another PodGroup in the session that this is compared with: by that."""
    tasks: dict[str, TaskResult] = field(init=False)
    jobs: dict[str, JobResult] = field(init=False)
    tasks_of: dict[str, dict[str, TaskResult]] = field(init=False)
    nodes: dict[str, NodeResult] = field(init=False)
    owners: dict[str, str] = field(init=False)
    """The job of each task, by name."""
    statements: list[StatementResult] = field(init=False)
    """What was decided, in the order in which it was."""
    without_queue: dict[str, str] = field(init=False)
    """The queues that do not exist, by the jobs that name them."""
    _likenesses: dict[str, Hashable] = field(init=False)
    _contents: Contents = field(init=False)

    def __post_init__(self) -> None:
        self.jobs = {self.key(job.uid): job for job in self.simulation.jobs}
        self.statements = [
            structs.replace(each, job=self.key(each.job)) if each.job in self.same_jobs else each
            for each in self.simulation.trace
        ]
        self.without_queue = {self.key(uid): queue for uid, queue in self.session.cluster.without_queue.items()}
        self.nodes = {node.name: node for node in self.simulation.nodes}
        self.tasks, self.owners, self._likenesses = {}, {}, {}
        self._contents = Contents()
        self.tasks_of = {}
        for task in self.simulation.tasks:
            name = f"{task.namespace}/{task.name}"
            self.tasks[name] = task
            self.owners[name] = self.key(f"{task.namespace}/{task.job}") if task.job else ""
            self.tasks_of.setdefault(self.owners[name], {})[name] = task

    def key(self, uid: str) -> str:
        """Return what a job is known by on both sides."""
        return self.same_jobs.get(uid, uid)

    @cached_property
    def names(self) -> dict[str, JobName]:
        """What the jobs are called, also those that the scheduler ignores."""
        return {self.key(uid): name for uid, name in self.session.cluster.names.items()}

    def display_name(self, job: str) -> str:
        """Return what people call a job."""
        return self.jobs[job].called if job in self.jobs else job

    def likeness(self, name: str) -> Hashable:
        """Return what tells a task from others of its role but its name, the same in every session."""
        task = self._tasks.get(name)
        if task is None:
            return name
        if name not in self._likenesses:
            spec, request, contents = task.pod.spec, task.request, self._contents
            rules = spec.affinity, spec.tolerations, spec.topology_spread_constraints, spec.scheduling_gates
            self._likenesses[name] = (
                (request.milli_cpu, request.memory, tuple(sorted(request.scalars.items()))),
                (task.priority, task.preemptable, host_ports(spec)),
                tuple(sorted(spec.node_selector.items())),
                tuple(contents.of(each) if each else b"" for each in rules),
            )
        return self._likenesses[name]

    @property
    def session(self) -> FinishedSession:
        """The last session, which knows of all jobs and tasks that are there in the end."""
        return self.sessions[-1]

    @cached_property
    def _tasks(self) -> dict[str, Task]:
        jobs = (job for session in self.sessions for job in session.jobs.values())
        return {f"{task.namespace}/{task.name}": task for job in jobs for task in job.tasks.values()}

    @property
    def conf(self) -> SchedulerConfiguration:
        """The scheduler's configuration as it was understood."""
        return self.session.conf


def opened(side: Input, options: SimulateOptions) -> Opened:
    """Open a session on a side.

    Raises:
        InputErrors: the scheduler's configuration is one that Volcano refuses.
    """
    with paused_collector():
        return open_session(side.manifests, options)


def run_both(sides: tuple[Input, Input], sessions: tuple[Opened, Opened]) -> tuple[Run, Run]:
    """Run the sessions that were opened on two sides, and those after them until all pods have been tried.

    Both sides run as many: what comes a session later on one of them would else seem to come of the difference.
    """
    with paused_collector():
        one, other = (_sequence(side, session) for side, session in zip(sides, sessions, strict=True))
        number = max(len(each.until_tried()) for each in (one, other))
        before = _run(sides[0], one, number, {})
        last = one.sessions[-1], other.until(number)[-1]
        jobs = [SideJobs.of(each.manifests, each.session.cluster.names) for each in last]
        same = same_jobs(jobs[0], jobs[1], sides[1].manifests, sides[1].proposed)
        return before, _run(sides[1], other, number, same)


def run_like(run: Run, side: Input) -> Run:
    """Run as many sessions on another variant of a side, at the same time, with ties broken alike."""
    with paused_collector():
        sequence = _sequence(side, opened(side, _as_asked(run.sessions[0].options)))
        return _run(side, sequence, len(run.sessions), run.same_jobs)


def _as_asked(asked: SessionOptions) -> SimulateOptions:
    """Return what runs another session as one that was run."""
    return SimulateOptions(
        now=asked.now,
        seed=asked.seed,
        sample=asked.sample,
        progress=asked.progress,
        allow_extender=asked.allow_extender,
        extender=asked.extender,
    )


def _sequence(side: Input, session: Opened) -> Sessions:
    first = finish_session(session)
    return Sessions(side.manifests, first, _as_asked(first.session.options))


def _run(side: Input, sequence: Sessions, number: int, same_jobs: Mapping[str, str]) -> Run:
    finished = sequence.until(number)
    simulations = []
    for each in finished:
        simulation = assemble(each.session, each.manifests, side.name)
        simulation.nodes = node_results(each.session)
        simulation.losses = lost_in(each.session, each.manifests)
        simulations.append(simulation)
    whole = as_one(simulations)
    # The pods that still do not exist are tasks that are blocked by what blocks their job. A pod that was there, and is
    # to be made again, is told of as what became of it.
    jobs = {f"{job.namespace}/{job.name}": job for job in whole.jobs}
    known = {f"{task.namespace}/{task.name}" for task in whole.tasks}
    for uid, pods in finished[-1].manifests.awaited.items():
        job = jobs.get(uid)
        if job is not None:
            whole.tasks += (
                TaskResult(
                    namespace=job.namespace,
                    name=name,
                    job=job.name,
                    role=role.role,
                    queue=job.queue,
                    status_before=TaskStatus.Pending.name,
                    status=TaskStatus.Pending.name,
                    verdict=job.verdict,
                )
                for role in pods.roles
                for name in role.names
                if f"{job.namespace}/{name}" not in known
            )
    return Run(whole, [each.session for each in finished], sequence, same_jobs)
