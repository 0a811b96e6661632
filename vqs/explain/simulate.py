"""Run one session on a snapshot and put the outcome together."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from vqs.config.scheduler_conf import SchedulerConfiguration
from vqs.engine import scheduler
from vqs.engine.framework.extender_use import ExtenderUse
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.process import ProcessState
from vqs.engine.framework.session import Session, SessionOptions
from vqs.engine.framework.tally import Tally
from vqs.explain.assemble import assemble, ignored_jobs
from vqs.explain.expectations import check_expectations, refuse_unknown_verdicts
from vqs.explain.nodes import node_results, note_requests
from vqs.explain.notices import notice_gaps, notice_missing_kinds, notice_reclaim, notice_taints
from vqs.explain.outcome import Simulation, Timing
from vqs.model.node_sample import NodeSample
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.cluster.prepared import PreparedTasks
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.missing_kinds import WaitingPods

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SimulateOptions:
    """How to simulate.

    Attributes:
        now: the time the session takes it to be; where it is None, a scenario's, else the snapshot's newest timestamp.
        seed: draws what the reference leaves to chance; None takes the lowest name everywhere.
        scenario: what the result calls the snapshot.
        timing: add the seconds each part took.
        watch: the tasks, by namespace/name, of which every node's reasons and scores are kept.
        nodes: add what every node has and how much of it is used, and what every task asks for.
        progress: told the running action and how many of its jobs are done.
        gates: keep the accounts that are drawn up when jobs ask to enter their queues.
        follow: the jobs, by namespace/name, whose story is kept.
        opened: called with the session before its first action.
        tally: counts what each plugin answers.
        process: what the sessions before have left in the scheduler's process; without any, it has just started.
        sample: how many nodes that fit a task are enough; None examines all nodes.
        allow_extender: let the plugin extender send its requests.
        extender: what these sessions have in common of that.
        prepared: what several sessions on nearly the same objects have in common; see `Finished.release`.
    """

    now: datetime | None = None
    seed: int | None = None
    scenario: str = ""
    timing: bool = False
    watch: frozenset[str] = frozenset()
    nodes: bool = False
    progress: Callable[[str, int, int], None] | None = None
    gates: bool = False
    follow: frozenset[str] = frozenset()
    opened: Callable[[Session], None] | None = None
    tally: Tally | None = None
    process: ProcessState | None = None
    sample: NodeSample | None = None
    allow_extender: bool = False
    extender: ExtenderUse = field(default_factory=ExtenderUse)
    prepared: PreparedTasks | None = None


def simulate(manifests: Manifests, options: SimulateOptions) -> Simulation:
    """Run one session.

    Raises:
        InputErrors: the scheduler's configuration is one that Volcano refuses, or something is expected of a verdict
            that there is not.
    """
    with paused_collector():
        return simulation_of(run_session(manifests, options), manifests, options)


@dataclass(frozen=True, slots=True)
class Opened:
    """A session before its first action, what it was opened on, and how long that took."""

    session: Session
    manifests: Manifests
    load: float
    open: float
    prepared: PreparedTasks | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A session that is over, what it was opened on, and how long each part took."""

    session: FinishedSession
    manifests: Manifests
    timing: Timing
    prepared: PreparedTasks | None = None

    def release(self) -> None:
        """Leave the cluster to the next session that is run with what is prepared; this one is gone then.

        What was made of the session stays: a `Simulation`, decisions, verdicts, names, manifests.
        """
        if self.prepared is not None:
            self.session.classes.forget()
            self.prepared.hand_back(self.session.cluster)
        vars(self.session).clear()


def simulation_of(finished: Finished, manifests: Manifests, options: SimulateOptions) -> Simulation:
    """Return what a session decided, with what its options ask for, and what the manifests expect of it."""
    session = finished.session
    result = assemble(session, finished.manifests, options.scenario)
    result.jobs += ignored_jobs(session)
    if options.nodes:
        result.nodes = node_results(session)
        note_requests(session, result.tasks)
    result.expectations = check_expectations(result, manifests.expectations)
    if options.timing:
        result.timing = finished.timing
    return result


def run_session(manifests: Manifests, options: SimulateOptions) -> Finished:
    """Open a session on what controllers make of some manifests, run its actions and close it.

    Raises:
        InputErrors: as for `simulate`.
    """
    opened = open_session(manifests, options)
    if options.opened is not None:
        options.opened(opened.session)
    return finish_session(opened)


def run_bare_session(completed: Manifests, options: SimulateOptions) -> Finished:
    """Run a session on objects of which nothing is left for controllers to make, with no notices about these.

    Raises:
        InputErrors: as for `simulate`.
    """
    return finish_session(_opened(completed, completed.scheduler, options, time.perf_counter()))


def open_session(manifests: Manifests, options: SimulateOptions) -> Opened:
    """Open a session on what controllers make of some manifests.

    Raises:
        InputErrors: as for `simulate`.
    """
    started = time.perf_counter()
    conf = manifests.scheduler
    refuse_unknown_verdicts(manifests.expectations)
    prepared = PreparedTasks() if options.prepared is None else options.prepared
    completed = complete(manifests, prepared.known_pods)
    opened = _opened(completed, conf, options, started)
    noticing = time.perf_counter()
    notice_gaps(opened.session)
    waiting = prepared.made_of(completed.pods, "waiting", WaitingPods)
    notice_missing_kinds(opened.session, manifests, completed, waiting)
    notice_taints(opened.session, completed)
    return replace(opened, open=opened.open + time.perf_counter() - noticing)


def _opened(completed: Manifests, conf: SchedulerConfiguration, options: SimulateOptions, started: float) -> Opened:
    """Open a session on objects that are complete; the time since it was started to prepare it counts as loading."""
    cluster = build_cluster(completed, options.prepared)
    loaded = time.perf_counter()
    session = scheduler.open_session(cluster, conf, _session_options(completed, options))
    return Opened(session, completed, loaded - started, time.perf_counter() - loaded, options.prepared)


def finish_session(opened: Opened) -> Finished:
    """Run the actions of a session and close it."""
    session = scheduler.run_actions(opened.session)
    notice_reclaim(session)
    timing = Timing(
        parse=0.0,
        load=opened.load,
        open=opened.open,
        actions=session.seconds,
        session=opened.open + sum(session.seconds.values()),
        report=0.0,
    )
    return Finished(session, opened.manifests, timing, opened.prepared)


def _session_options(manifests: Manifests, options: SimulateOptions) -> SessionOptions:
    return SessionOptions(
        now=options.now or manifests.now or EPOCH,
        seed=options.seed,
        watch=options.watch,
        progress=options.progress,
        gates=options.gates,
        follow=options.follow,
        tally=options.tally,
        process=ProcessState() if options.process is None else replace(options.process),
        sample=options.sample,
        allow_extender=options.allow_extender,
        extender=options.extender,
        profile=manifests.profile,
    )
