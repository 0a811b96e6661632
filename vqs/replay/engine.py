"""The discrete-event simulation: jobs arrive, controllers act, sessions decide, pods run and end.

Time goes from event to event. A session is run only where something has changed since the one before, and never sooner
than a period after that ended; in between, the real scheduler's sessions would find nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, inf
from typing import Final, NamedTuple

from msgspec import structs

from vqs.explain.affected import comes_back
from vqs.explain.simulate import Finished, SimulateOptions, run_bare_session
from vqs.model import kubernetes as k8s
from vqs.model.job import INQUEUE, NOT_ADMITTED
from vqs.model.keys import DEFAULT_QUEUE, pod_group_of
from vqs.model.moments import timestamp
from vqs.model.requests import request_key, volcano_request
from vqs.model.resource import PODS, Resource
from vqs.model.selectors import label_selector
from vqs.releases.profile import ReleaseChoice
from vqs.replay import timing
from vqs.replay.agenda import Agenda, Event, Kind
from vqs.replay.autoscaler import Pod as Waiting
from vqs.replay.autoscaler import Scaler, by_node, growth_of
from vqs.replay.batch_job import batch_jobs
from vqs.replay.controller import Controllers
from vqs.replay.cost import cost_of
from vqs.replay.decisions import Decisions, decisions_of
from vqs.replay.distribution import Distribution, Fixed, draw, share
from vqs.replay.jobs import ALIVE, ENDED, JobRun, Phase, PodSlot, PodState
from vqs.replay.journal import Journal
from vqs.replay.outcome import JobRecord, PodRecord, Replay, RolloutRecord, Stopped
from vqs.replay.pods import Clock, Pods
from vqs.replay.quiet import is_settled, looks_elsewhere, quiet, settled_phase
from vqs.replay.reading.dumps import began
from vqs.replay.recorder import Recorder
from vqs.replay.rollout import Rollout, rolled
from vqs.replay.timing import ImageDelays, Latencies
from vqs.replay.workload import (
    Gang,
    NodeEvent,
    Present,
    TemplateChange,
    Timing,
    Workload,
    gang_of,
    made_of,
)
from vqs.replay.world import World
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.controllers.complete import complete, taint_evictions
from vqs.snapshot.controllers.job import as_submitted, job_names
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.collector import patient_collector
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.scenario.model import Scenario
from vqs.snapshot.whatif.owners import fresh

MOST_IDLE: Final = 3600
"""After how many sessions that decide nothing a replay ends in which nothing else happens."""

MOST_FRUITLESS: Final = 3600
"""After how many sessions that evict a replay ends in which no pod ends meanwhile, and nothing arrives."""

EVENTS: Final = 50_000
"""How many events happen at most in a replay without pods, where `ReplayOptions` does not say."""

EVENTS_OF_A_POD: Final = 1000
"""How many more there may be for each pod of the jobs that have arrived: an honest one has about five in each life."""

_PROGRESS: Final = frozenset({Kind.ARRIVE, Kind.END, Kind.NODE, Kind.ROLL_OUT})

Progress = Callable[[float, int, int], None]
"""Takes the time in a replay, how many jobs have arrived and ended, each of which is one, and how many will be."""


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """How to replay.

    Attributes:
        period: the seconds from the end of a session to the start of the next one.
        start_delay: from being bound to running, for pods that have none of their own; None for the workload's latency.
        write: the seconds that a session takes for each object that it writes; None for the workload's latency.
        seed: draws durations and start delays.
        until: when the replay ends at the latest; None for when nothing happens any more.
        until_started: the jobs after whose start it ends, by the namespace/name of their PodGroups, if there are any:
            those of them that arrive.
        most_events: after how many events the replay ends; None for a number that grows with the jobs that arrive.
        policy: what the configuration is called.
        session: how to run each session; its time is set by the replay.
        skip_quiet: leave out sessions that only settle phases (see `vqs.replay.quiet`).
        session_ended: called with each session that was run.
        journal: what sessions have decided before a stop, and where it is kept.
        progress: told now and then how far it is.
    """

    period: float = timing.PERIOD
    start_delay: Distribution | None = None
    write: float | None = None
    seed: int = 0
    until: float | None = None
    until_started: frozenset[str] = frozenset()
    most_events: int | None = None
    policy: str = ""
    session: SimulateOptions = field(default_factory=SimulateOptions)
    skip_quiet: bool = True
    session_ended: Callable[[Finished], None] | None = None
    journal: Journal | None = None
    progress: Progress | None = None


def replay(workload: Workload, options: ReplayOptions) -> Replay:
    """Replay a workload.

    Raises:
        InputErrors: the scheduler's configuration is one that Volcano refuses, or a job asks for too many pods.
    """
    with patient_collector():
        engine = Engine(workload, options)
        engine.run()
        return engine.result()


class Moment(NamedTuple):
    """The cluster at some time of a replay.

    Attributes:
        objects: its objects, as the next session would find them.
        unchanged_since: when the replay was over, in seconds; None where it goes on after that time.
        stopped: why the replay ended before that time; None where it did not.
    """

    objects: Manifests
    unchanged_since: float | None
    stopped: Stopped | None


def moment_at(workload: Workload, options: ReplayOptions, time: float) -> Moment:
    """Return the cluster at some time, in seconds.

    Raises:
        InputErrors: as for `replay`.
    """
    with patient_collector():
        engine = Engine(workload, options)
        over = engine.run(until=time)
        objects, world = engine.world.manifests(engine.sessions), engine.world
        now = Scenario(
            name="",
            description="",
            now=engine.clock.moment,
            sharding=None,
            csi_storage=False,
            release=ReleaseChoice(),
            expectations=(),
            origin=world.origin,
        )
        return Moment(replace(objects, scenarios=[now, *objects.scenarios]), over, engine.stopped)


class Engine:
    """One run of a workload.

    Attributes:
        clock: the time.
        world: the objects as they are.
        sessions: how many sessions were run.
        jobs: the jobs that have not ended, by the namespace/name of their PodGroups.
        stopped: why the run was stopped before its end; None where it was not.
    """

    def __init__(self, workload: Workload, options: ReplayOptions) -> None:
        start = complete(workload.start)
        self.workload = workload
        self.options = options
        self.clock = Clock(workload.begin, self._chance("second"))
        self.world = World(start, workload.start.deployments)
        self.sessions = 0
        self.jobs: dict[str, JobRun] = {}
        self._agenda = Agenda()
        joining = [event.node for event in workload.node_events if event.node is not None]
        grown = workload.autoscaler
        joining += [] if grown is None else [group.template for group in grown.groups]
        # Those that nodes have any of, cpu and memory first; pods are counted by themselves.
        total = Resource.total(Resource.from_quantities(each.status.allocatable) for each in (*start.nodes, *joining))
        self._resources = [name for name in total.dimensions() if name != PODS]
        self._recorder = Recorder(self._resources, start.queues, self.world.nodes, workload.prices)
        self._controllers = Controllers(self._job_ended, start.profile.controllers)
        self._pods = self._controllers.pods = Pods(
            self.clock,
            self.world,
            self._agenda,
            self._recorder,
            options.seed,
            self._latencies(),
            ImageDelays(workload.start_delays),
            self._controllers.happened,
        )
        self._scaler = (
            None
            if grown is None
            else Scaler(grown, self._resources, self.world.nodes, options.seed, self._chance("autoscaler"))
        )
        self._unschedulable: dict[str, str] = {}
        self._scan_at: float | None = None
        self.stopped: Stopped | None = None
        self._skipped = 0
        self._evictions = 0
        self._pods_arrived = 0
        self._cache = options.session.cache or SessionCache()
        self._process = Decisions().process
        self._last_end = options.period * (self._chance("first-session") - 1)
        self._due: float | None = None
        self._is_deciding = False
        self._idle = 0
        self._fruitless = 0
        self._quiet = quiet(start.scheduler, start.profile)
        self._looks_elsewhere = False
        self._priorities = {each.metadata.name: each.value for each in start.priority_classes}
        self._default_priority = next((e.value for e in reversed(start.priority_classes) if e.global_default), 0)
        self._requests: dict[Hashable, tuple[float, ...]] = {}
        self._nodes_away: dict[str, k8s.Node] = {}
        self._rollouts: dict[str, Rollout] = {}
        self._groups: list[k8s.PodGroup] = []
        self._arrivals = workload.arriving(options.seed)
        self._begin(start)

    def _chance(self, name: str) -> float:
        """Return a number from 0 to 1 for something that is chance in a cluster, under a seed; without one, 0.

        So it is where in a period the first session falls, where in a second of the API server's clock the replay
        begins, and where in such a second pods began to run before that.
        """
        seed = self.options.session.seed
        return 0.0 if seed is None else share(seed, name)

    def _latencies(self) -> Latencies:
        """Return how long everything beside the sessions takes; without a seed, as long as it usually does."""
        found = self.workload.latencies
        if self.options.session.seed is None:
            found = found.usual()
        start, write = self.options.start_delay, self.options.write
        return found._replace(
            start=found.start if start is None else start, write=found.write if write is None else Fixed(write)
        )

    # --- the start ---------------------------------------------------------------------------------------------------

    def _begin(self, start: Manifests) -> None:
        """Take in what is there, and plan what comes first."""
        self._origins = {pod.metadata.key: origin for pod, origin in start.with_origins("pods")}
        self._batch_jobs = batch_jobs(self.workload.start.jobs, start.pods)
        pods_of: dict[str, list[k8s.Pod]] = {}
        for pod in start.pods:
            pods_of.setdefault(pod_group_of(pod.metadata), []).append(pod)
        for group in start.pod_groups:
            key = group.metadata.key
            pods, present = pods_of.get(key, []), self.workload.present.get(key, Present())
            # Of a job that had ended before the replay begins, nothing is left but its objects.
            awaits = present.lifecycle is not None and present.lifecycle.depends_on
            if not pods or awaits or not all(_state_of(pod) in ENDED for pod in pods):
                self._take_in(group, pods, present)
        for pod, _, seconds in taint_evictions(self.world.manifests(0)):
            slot = self._pods.by_key.get(pod.metadata.key)
            if slot is not None:
                self._agenda.plan(self._pods.after("reaction", slot.key) + seconds, Kind.GIVE_UP, slot, slot.turn)
        for event in self.workload.node_events:
            self._agenda.plan(event.time, Kind.NODE, event)
        for change in self.workload.rollouts:
            self._agenda.plan(change.time, Kind.ROLL_OUT, change)
        self._plan_arrival()

    def _take_in(self, group: k8s.PodGroup, pods: list[k8s.Pod], present: Present) -> None:
        """Take in a job that is there at the start."""
        missing = self._missing(group, present.job)
        gang = Gang(group, (*pods, *missing), present.lifecycle, stays=present.lifecycle is None)
        job = self._new_job(gang, present.timing, 0.0)
        if group.status.phase not in NOT_ADMITTED:
            job.record.admitted = 0.0
        for slot, pod in zip(job.slots, pods, strict=False):
            slot.template = fresh(pod, pod.metadata.name)
            slot.comes_back = comes_back(pod, self._origins[slot.key])
            slot.node = pod.spec.node_name
            slot.batch = self._batch_jobs.get(pod.metadata.key)
            self._resume(slot, pod, present.remaining.get(slot.key))
        self._pods.note_start(job)
        if present.job is not None:
            status = present.job.status
            job.phase, job.retries = status.state.phase or Phase.PENDING, status.retry_count
            if missing or job.phase == Phase.RESTARTING:
                self._controllers.plan_sync(job)
        elif job.record.started is not None:
            job.phase = Phase.RUNNING

    def _missing(self, group: k8s.PodGroup, job: k8s.VolcanoJob | None) -> list[k8s.Pod]:
        """Return the pods of a Volcano Job that its controller is to make later; its PodGroup may be new."""
        base, key = self.world.base, group.metadata.key
        if job is None or key not in base.awaited:
            return []
        if job.status.retry_count and key in base.created_from.get("pod_groups", {}):
            metadata = structs.replace(group.metadata, creation_timestamp=self.clock.stamp)
            group = structs.replace(group, metadata=metadata)
            self.world.put_group(group)
        names = {name for role in base.awaited[key].roles for name in role.names}
        made = gang_of(as_submitted(job), base, self.world.origin, [group]).pods
        return [pod for pod in made if pod.metadata.name in names]

    def _resume(self, slot: PodSlot, pod: k8s.Pod, remaining: float | Distribution | None) -> None:
        """Go on with a pod that is there at the start."""
        state = _state_of(pod)
        self._pods.begin(slot, state)
        record = slot.record = PodRecord(pod=pod.metadata.name, job=slot.job.index, created=0.0, node=slot.node)
        self._recorder.pods.append(record)
        if isinstance(remaining, int | float):
            slot.needed = remaining
        elif remaining is not None:
            slot.needed = draw(remaining, self.options.seed, "duration", slot.key)
        if slot.needed is not None and (start := began(pod)) is not None:
            # It began somewhere in the second that is written; what began in one second did so in one session.
            slot.needed += self._chance(f"began {timestamp(start)}")
        if state is PodState.RUNNING:
            record.bound = record.started = 0.0
            self._pods.plan_end(slot)
        elif state is PodState.BOUND:
            record.bound = 0.0
            self._pods.plan_start(slot)
        elif state is PodState.TERMINATING:
            record.ended, record.outcome = 0.0, "killed"
            slot.out_of_sync = True
            self._agenda.plan(self._pods.after("removal", slot.key), Kind.REMOVE, slot, slot.turn)
        elif state in ENDED:
            record.ended, record.outcome = 0.0, "failed" if state is PodState.FAILED else "succeeded"

    def _new_job(self, gang: Gang, timings: Mapping[str, Timing], arrival: float) -> JobRun:
        """Begin the record of a job."""
        group = gang.group
        requests = [self._request(pod) for pod in gang.pods]
        nothing = [0.0] * len(self._resources)
        record = JobRecord(
            name=group.metadata.name,
            namespace=group.metadata.namespace,
            queue=group.spec.queue or DEFAULT_QUEUE,
            priority=self._priorities.get(group.spec.priority_class_name, self._default_priority),
            arrival=arrival,
            min_available=group.spec.min_member,
            pods=len(gang.pods),
            request=self._recorder.amounts([sum(column) for column in zip(*requests, strict=True)] or nothing),
        )
        job = JobRun(len(self._recorder.jobs), gang, timings, record)
        self._recorder.jobs.append(record)
        self._groups.append(group)
        self._recorder.job_waits(job, arrival)
        self.jobs[job.uid] = job
        self._looks_elsewhere = self._looks_elsewhere or looks_elsewhere(gang)
        self._add_pods(job, gang.pods)
        return job

    def _add_pods(self, job: JobRun, pods: Sequence[k8s.Pod]) -> list[PodSlot]:
        """Add pods to a job, which are to be made."""
        slots = [PodSlot(job, pod, self._request(pod)) for pod in pods]
        job.counts[PodState.ABSENT] += len(slots)
        job.slots += slots
        self._pods.by_key.update((slot.key, slot) for slot in slots)
        self._pods_arrived += len(slots)
        return slots

    def _request(self, pod: k8s.Pod) -> tuple[float, ...]:
        """Return what a pod requests of the resources that are accounted for."""
        key = request_key(pod)
        request = self._requests.get(key)
        if request is None:
            resource = volcano_request(pod)
            request = self._requests[key] = tuple(resource.get(name) for name in self._resources)
        return request

    # --- time --------------------------------------------------------------------------------------------------------

    def run(self, until: float | None = None) -> float | None:
        """Go on until nothing happens any more, or until some time; return when the replay was over, if it was."""
        limits = [each for each in (until, self.options.until) if each is not None]
        end = min(limits, default=inf)
        there = len(self._recorder.jobs)
        total = there + 2 * ceil(self.workload.expected_arrivals(end)) if self.options.progress is not None else 0
        asked = self.options.until_started
        over = None
        while True:
            session, event = self._next_session(), self._agenda.next_time
            time = min(session, event)
            # Sessions go on for good where only the time changes, or where jobs evict one another and none ends.
            if time == inf or (event == inf and self._idle > MOST_IDLE) or self._fruitless > MOST_FRUITLESS:
                # What waits has waited for what the last session said until the next one would say it again.
                next_one = self._last_end + self.options.period if self._recorder.waiting.number else 0.0
                over = max(self.clock.now, next_one)
                break
            if time > end or (asked and self.sessions > 0 and asked.isdisjoint(self._recorder.waiting)):
                break
            if self._agenda.taken >= (
                self.options.most_events
                if self.options.most_events is not None
                else EVENTS + EVENTS_OF_A_POD * self._pods_arrived
            ):
                self.stopped = Stopped.of(self._agenda.taken, self.clock.now, self._recorder.jobs, self._recorder.pods)
                return None
            self.clock.now = time
            if event <= session:
                following = self._agenda.take()
                self._fruitless *= following.kind not in _PROGRESS
                self._next_event(following)
            elif self._is_quiet():
                self._skipped += 1
                phases = []
                for uid in sorted(self.world.seen()):
                    job, group = self.jobs.get(uid), self.world.groups.get(uid)
                    if job is not None and group is not None:
                        phase = settled_phase(job, group.status.phase)
                        phases += [(uid, phase)] if phase != group.status.phase else []
                self._decide(Decisions(phases=phases))
            else:
                self._run_session()
            if self.options.progress is not None:
                jobs = len(self._recorder.jobs)
                self.options.progress(time, 2 * jobs - there - len(self.jobs), total)
        self.clock.now = end if over is None or end < inf else over
        return over

    def _next_session(self) -> float:
        """Return when the next session starts, infinite where it would find nothing to do."""
        if self._is_deciding:
            return inf
        if not self.world.changed and not (self._quiet.decides_by_time and self.jobs):
            return inf
        if self._due is None:
            periods = ceil((self.clock.now - self._last_end) / self.options.period - 1e-9)
            self._due = max(self._last_end + max(periods, 1) * self.options.period, self.clock.now)
        return self._due

    def _next_event(self, event: Event) -> None:
        """Let an event happen, after which the autoscaler looks at the cluster."""
        if event.kind is Kind.SCAN:
            self._scan()
        else:
            subject = event.subject
            match event.kind:
                case Kind.ARRIVE:
                    gang = (
                        subject.job
                        if isinstance(subject.job, Gang)
                        else gang_of(subject.job, self.world.base, self.world.origin)
                    )
                    job = self._new_job(gang, subject.timing, self.clock.now)
                    self._agenda.plan(self._pods.after("pod_group", job.uid), Kind.MAKE_GROUP, job)
                    self._plan_arrival()
                case Kind.MAKE_GROUP:
                    self._make_group(subject)
                case Kind.SYNC:
                    self._controllers.sync(subject)
                case Kind.ACT:
                    self._controllers.act(subject)
                case Kind.DECIDED:
                    self._apply(subject)
                case Kind.NODE:
                    self._change_node(subject)
                case Kind.ROLL_OUT:
                    self._roll_out(subject)
                case _:
                    if subject.turn == event.turn:
                        self._live(subject, event.kind)
            self._plan_scan(self.clock.now)

    def _live(self, slot: PodSlot, kind: Kind) -> None:
        """Let something happen to a pod in the life that it was planned for."""
        if kind is Kind.RUN and slot.state is PodState.BOUND:
            self._pods.run(slot)
        elif kind is Kind.END and slot.state is PodState.RUNNING:
            self._pods.end(slot)
        elif kind is Kind.REMOVE and slot.state is PodState.TERMINATING:
            self._pods.remove(slot)
            if slot.job.is_finished:
                self._pods.drop(slot)
        elif kind is Kind.RENEW and slot.state is PodState.ABSENT and not slot.job.is_finished:
            self._pods.create(slot)
        elif kind is Kind.GIVE_UP and slot.state in ALIVE:
            self._pods.terminate(slot, "lost")

    # --- arrivals and ends -------------------------------------------------------------------------------------------

    def _plan_arrival(self) -> None:
        """Plan the next arrival, so that a long workload is not held in memory."""
        arrival = next(self._arrivals, None)
        if arrival is not None:
            self._agenda.plan(max(arrival.time, self.clock.now), Kind.ARRIVE, arrival)

    def _make_group(self, job: JobRun) -> None:
        """Make the PodGroup of a job, and the pods where no Volcano Job makes them."""
        if job.is_finished:  # as another rollout took over
            return
        self.world.usage.add_claims(job.gang.claims)
        self._controllers.make_group(job)
        if job.rollout is not None:
            job.rollout()
        elif job.gang.lifecycle is None:
            for slot in job.slots:
                self._pods.create(slot)

    def _job_ended(self, job: JobRun) -> None:
        """Forget a job that has ended; pods that are still going are forgotten when they are gone."""
        if job.record.started is None:
            self._recorder.job_starts(job, self.clock.now)
        if not job.gang.stays:
            for slot in job.slots:
                if slot.state is not PodState.TERMINATING:
                    self._pods.drop(slot)
        self.jobs.pop(job.uid, None)

    # --- sessions ----------------------------------------------------------------------------------------------------

    def _is_quiet(self) -> bool:
        """Tell whether a session would do nothing but settle phases (see `vqs.replay.quiet`)."""
        if not self.options.skip_quiet:
            return False
        if self._recorder.pending or self.world.unadmitted:
            is_new = self._recorder.stirred or self.world.rebuilt or self._looks_elsewhere
            if is_new or not self._quiet.where_nothing_is_new:
                return False
        elif not self._quiet.where_nothing_waits:
            return False
        return all(is_settled(self.jobs[uid]) for uid in self.world.touched if uid in self.jobs)

    def _run_session(self) -> None:
        """Run a session, or take what it has decided from the journal."""
        journal = self.options.journal
        asked = self._recorder.waiting.asked(self.clock.now)
        decisions = None if journal is None else journal.known(self.clock.now)
        if decisions is None:
            session = self.options.session
            now, process = self.clock.moment, self._process
            options = replace(session, now=now, process=process, cache=self._cache)
            finished = run_bare_session(self.world.manifests(self.sessions), options)
            if self.options.session_ended is not None:
                self.options.session_ended(finished)
            decisions = decisions_of(finished.session, self._resources, asked, grows=self._scaler is not None)
            finished.release()
            if journal is not None:
                journal.add(self.clock.now, decisions)
        self.sessions += 1
        self.world.seen()
        if self.sessions == 1:
            self.world.finish_start()
        self.world.rebuilt = False
        self._recorder.stirred = bool(self.world.unadmitted) and any(phase != INQUEUE for _, phase in decisions.phases)
        self._process = decisions.process
        self._recorder.waiting.hear(decisions.verdicts, asked, self.clock.now)
        self._recorder.deserves(decisions.deserved, self.clock.now)
        if self._unschedulable != decisions.unschedulable:
            self._unschedulable = decisions.unschedulable
            self._plan_scan(self.clock.now)
        self._decide(decisions)

    def _decide(self, decisions: Decisions) -> None:
        """End a session; what it has decided takes effect then."""
        self._due = None
        # Jobs that leave their queues and return to them do so for good.
        phases_count = self.world.base.profile.enqueue.inqueue_jobs == "stay"
        is_idle = not (decisions.writes if phases_count else decisions.bound or decisions.evicted)
        self._idle = self._idle + 1 if is_idle else 0
        self._fruitless += bool(decisions.evicted)
        each = self._pods.after("write") - self.clock.now
        self._last_end = self.clock.now + each * decisions.writes
        if decisions.writes or decisions.nominated or decisions.cpus:
            self._is_deciding = True
            self._agenda.plan(self._last_end, Kind.DECIDED, decisions)

    def _apply(self, decisions: Decisions) -> None:
        """Do what a session has decided."""
        self._is_deciding = False
        for places in decisions.cpus.values():
            self.world.take_cpus(places)
        for pod, node in decisions.bound:
            self._pods.bind(pod, node, decisions)
        for evicted in decisions.evicted:
            self._evict(evicted.pod, evicted.by, evicted.action)
        self._recorder.stirred |= bool(decisions.nominated or decisions.cpus)
        for pod, node in decisions.nominated:
            self._pods.nominate(pod, node)
        for uid, phase in decisions.phases:
            group = self.world.groups.get(uid)
            if group is None:
                continue
            self.world.put_group(structs.replace(group, status=structs.replace(group.status, phase=phase)))
            job = self.jobs.get(uid)
            if job is not None and job.record.admitted is None and phase not in NOT_ADMITTED:
                job.record.admitted = self.clock.now
            if job is not None and job.gang.lifecycle is not None:  # the controller of the job learns of it
                self._controllers.plan_sync(job, "pods")

    def _evict(self, pod: str, by: str, action: str) -> None:
        """Tell a pod to go in favour of a job, unless it has ended meanwhile."""
        slot = self._pods.by_key.get(pod)
        if slot is None or slot.state not in ALIVE:
            return
        self._evictions += 1
        slot.job.record.evictions += 1
        if slot.record is not None:
            slot.record.action = action
            slot.record.evictor_job = self.jobs[by].index if by in self.jobs else None
        self._pods.take(slot)
        self._pods.terminate(slot, "evicted")

    # --- nodes -------------------------------------------------------------------------------------------------------

    def _change_node(self, event: NodeEvent) -> None:
        """Let something happen to a node, and to the pods on it."""
        name, now = event.name, self.clock.now
        match event.change:
            case "join" | "recover":
                node = event.node or self._nodes_away.pop(name, None)
                if node is not None and name not in self.world.nodes:
                    self.world.put_node(node)
                    self._recorder.node_joins(node, now)
                    if self._scaler is not None:
                        self._scaler.coming.pop(name, None)
            case "leave" | "fail":
                node = self.world.nodes.get(name)
                if node is not None:
                    self._nodes_away[name] = node
                    self.world.remove_node(name)
                    self._recorder.node_leaves(name, now)
                self._lose_pods(name, after=0.0 if event.change == "leave" else timing.GIVEN_UP)
            case "drain" | "uncordon":
                node = self.world.nodes.get(name)
                if node is not None:
                    spec = structs.replace(node.spec, unschedulable=event.change == "drain")
                    self.world.put_node(structs.replace(node, spec=spec))
                if event.change == "drain":
                    self._lose_pods(name)

    def _lose_pods(self, node: str, *, after: float | None = None) -> None:
        """Have the pods on a node stop now, and be gone after some seconds, where its kubelet does not stop them."""
        for slot in [each for each in self._pods.by_key.values() if each.node == node and each.state in ALIVE]:
            self._pods.terminate(slot, "lost", after=after)

    # --- rollouts ----------------------------------------------------------------------------------------------------

    def _roll_out(self, change: TemplateChange) -> None:
        """Change the template of a Deployment: others are to replace its pods."""
        now, key = self.clock.now, change.deployment.metadata.key
        before = self._rollouts.get(key)
        restarted_at = timestamp(self.clock.stamp)
        deployment = rolled(change.deployment if before is None else before.deployment, restarted_at, change.requests)
        made = made_of(deployment, self.world.base, self.world.origin)
        if not made.pods:
            return
        # Pods that name their PodGroup are of the one that is there.
        named = self.world.groups.get(pod_group_of(made.pods[0].metadata))
        group = next(iter(made.pod_groups), named)
        if group is None:
            return
        old = self._pods_of(change.deployment) if before is None else before.give_way()
        self.world.add_replica_sets(made)
        job = self.jobs.get(group.metadata.key)
        if job is None:
            job = self._new_job(Gang(group, tuple(made.pods), stays=True), {}, now)
            new = [*job.slots]
        else:
            new = self._add_pods(job, made.pods)
        record = RolloutRecord(deployment=key, time=now, pods=len(new))
        rollout = self._rollouts[key] = Rollout(deployment, self._pods, record, old, new)
        self._recorder.rollouts.append(record)
        for slot in [slot for slots in (*old, new) for slot in slots]:
            slot.job.rollout = rollout.sync
        self._agenda.plan(self._pods.after("pod_group", job.uid), Kind.MAKE_GROUP, job)

    def _pods_of(self, deployment: k8s.Deployment) -> list[list[PodSlot]]:
        """Return the pods that a Deployment has at the start, by ReplicaSet."""
        namespace, selector = deployment.metadata.namespace, label_selector(deployment.spec.selector)
        found: dict[str, list[PodSlot]] = {}
        for slot in self._pods.by_key.values():
            metadata = slot.template.metadata
            owner = controller_of(metadata)
            if owner is None or owner.kind != "ReplicaSet" or metadata.namespace != namespace:
                continue
            if selector.matches(metadata.labels) and slot.comes_back:
                found.setdefault(owner.name, []).append(slot)
        return [*found.values()]

    # --- the autoscaler ----------------------------------------------------------------------------------------------

    def _plan_scan(self, time: float) -> None:
        """Have the autoscaler look at the cluster, after something has happened."""
        if self._scaler is not None and (self._scan_at is None or time < self._scan_at):
            at = self._scaler.next_scan(time)
            if self._scan_at is None or at < self._scan_at:
                self._scan_at = at
                self._agenda.plan(at, Kind.SCAN, at)

    def _scan(self) -> None:
        """Let the autoscaler ask for nodes, and remove others."""
        scaler, now = self._scaler, self.clock.now
        if scaler is None or self._scan_at != now:
            return
        self._scan_at = None
        held = by_node(self.world.pods.values(), self._request)
        waiting = [
            Waiting(slot.template, slot.request, slot.job.record.queue, code)
            for key, code in self._unschedulable.items()
            if (slot := self._pods.by_key.get(key)) is not None and slot.state is PodState.PENDING
        ]
        for time, node in scaler.asked_for(waiting, [*self.world.nodes.values()], held, now):
            self._agenda.plan(time, Kind.NODE, NodeEvent(time, node.metadata.name, "join", node))
        for name in scaler.unneeded(self.world.nodes, held, now):
            self._change_node(NodeEvent(now, name, "leave"))
        due = scaler.next_due(now)
        if due is not None:
            self._plan_scan(due)

    # --- the result --------------------------------------------------------------------------------------------------

    def result(self) -> Replay:
        """Return what has happened."""
        jobs = self._recorder.jobs
        self._recorder.waiting.finish(self.clock.now)
        for job in self.jobs.values():
            job.record.phase = job.phase
        names = job_names(replace(self.world.base, pod_groups=self._groups))
        for record, group in zip(jobs, self._groups, strict=True):
            record.display_name = names[group.metadata.key].display
        ended = [job.completed for job in jobs if job.completed is not None]
        run = Replay(
            volcano=self.world.base.profile.name,
            workload=self.workload.name,
            policy=self.options.policy,
            seed=self.options.seed,
            begin=timestamp(self.workload.begin),
            period=self.options.period,
            end=self.clock.now,
            makespan=max(ended, default=0.0) if len(ended) == len(jobs) else None,
            evictions=self._evictions,
            sessions=self.sessions,
            skipped_sessions=self._skipped,
            events=self._agenda.taken,
            jobs=jobs,
            pods=self._recorder.pods,
            queues=self._recorder.queues(),
            nodes=self._recorder.nodes(),
            resources=self._resources,
            samples=self._recorder.samples(self.clock.now),
            node_samples=self._recorder.node_samples(self.clock.now),
            stopped=self.stopped,
            rollouts=self._recorder.rollouts,
        )
        if self._recorder.ledger is not None:
            run.cost = cost_of(run, self._recorder.ledger)
        if self._scaler is not None:
            run.growth = growth_of(run, self._scaler)
        return run


def _state_of(pod: k8s.Pod) -> PodState:
    """Return where a pod is in its life that is there at the start."""
    phase = pod.status.phase or "Pending"
    if phase == "Succeeded":
        return PodState.SUCCEEDED
    if phase == "Failed":
        return PodState.FAILED
    if pod.metadata.deletion_timestamp is not None:
        return PodState.TERMINATING
    if phase == "Pending":
        return PodState.BOUND if pod.spec.node_name else PodState.PENDING
    return PodState.RUNNING
