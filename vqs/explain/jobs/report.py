"""Runs a session, and reports what each stage of it did with one job, and which jobs were served before it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from shlex import quote
from typing import Any, Final

from msgspec import structs

from vqs.engine.framework.session import Session
from vqs.engine.plugins import drf, gang, priority, sla
from vqs.explain.affected import lost_in
from vqs.explain.assemble import decisions, diagnostics, job_outcome, session_info
from vqs.explain.jobs.answer import answer, blocked_at, cause, is_waiting, of_an_autoscaler
from vqs.explain.jobs.attempts import eviction_actions, evictions_of, hyper_node_choices, placement_attempts, searches
from vqs.explain.jobs.case import SCALE_DOWN
from vqs.explain.jobs.outcome import Fix, JobPlace, JobReport, JobReports, SchedulingOrder
from vqs.explain.jobs.own_fields import END
from vqs.explain.jobs.remedies import FixSearch, Judge, remedies_of
from vqs.explain.jobs.trials import Following, Trials, few_votes, look_on
from vqs.explain.outcome import Blocker, Decision, JobResult, TaskResult, Verdict, timestamp
from vqs.explain.outlook import Sessions, take, tells_of
from vqs.explain.pods_of_others import PodsOfOthers, pods_of_others
from vqs.explain.queues.turn import job_gate, queue_order
from vqs.explain.simulate import Finished, SimulateOptions, run_session
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.explain.verdicts import without_any_pod
from vqs.explain.words import tell_of
from vqs.model import kubernetes as k8s
from vqs.model.awaited import ADMISSION, DEPENDENCIES, ORDER, Event
from vqs.model.codes import VerdictCode
from vqs.model.job import COMPLETED, Job, TaskStatus, jobs_called
from vqs.model.keys import DEFAULT_SCHEDULER, SCHEDULER_NAME
from vqs.model.kubernetes import Queue
from vqs.model.wording import count
from vqs.snapshot.cluster.autoscaler import autoscaler_of, pods_await_admission
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.controllers.job import unknown_job
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.kinds import KIND_OF, how_to_add, wanted
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.edits import SetValue, apply

_COMPARED: Final = {
    priority.NAME: "priority",
    gang.NAME: "has its minimum",
    drf.NAME: "share of the cluster",
    sla.NAME: "end of its sla-waiting-time",
}
"""What the plugins that order jobs look at."""


def job_order(session: Session, queue: str) -> list[JobPlace]:
    """Return the jobs of a queue that wait for something, the first to be served first; the session was just opened."""
    waiting = [job for job in session.jobs.values() if job.queue == queue and _waits(job)]
    ordered = sorted(waiting, key=session.plugins.job_key)
    places = [
        JobPlace(job=job.uid, display_name=job.display_name, position=number) for number, job in enumerate(ordered, 1)
    ]
    for (first, second), place in zip(pairwise(ordered), places[1:], strict=True):
        place.decided_by, place.criterion, place.values = _decided(session, first, second)
    return places


def _waits(job: Job) -> bool:
    return job.is_pending() or any(not task.scheduling_gated for task in job.having(TaskStatus.Pending).values())


def _decided(session: Session, first: Job, second: Job) -> tuple[str, str, list[str]]:
    """Tell which plugin put one job before another, what it compares, and what it found."""
    for (plugin, mine), (_, theirs) in zip(
        session.plugins.job_orders(first), session.plugins.job_orders(second), strict=True
    ):
        if mine != theirs:
            return plugin, _COMPARED.get(plugin, "order"), [_value(plugin, mine), _value(plugin, theirs)]
    if first.created != second.created:
        return "created", "age", [timestamp(first.created), timestamp(second.created)]
    return "uid", "name", [first.uid, second.uid]


def _value(plugin: str, key: Any) -> str:
    """Write what a plugin sorts by as one would say it."""
    if plugin == priority.NAME:
        return str(-key)
    if plugin == sla.NAME:
        forever, until = key
        return "never" if forever else timestamp(until)
    if isinstance(key, bool):
        return "yes" if key else "no"
    return f"{key:.4g}" if isinstance(key, float) else str(key)


_WHEN: Final[dict[Event, str]] = {
    ADMISSION: "once a session has admitted the PodGroup",
    DEPENDENCIES: "once those they depend on run",
    ORDER: "once those before them run",
}
"""When a controller creates pods, in the order in which a job meets it."""


class UnknownJob(Exception):  # noqa: N818 - it is the job that is unknown
    """There is no such job, or several, or what has the name is none; the text says so, and what there is."""


class NoSuchJob(UnknownJob):
    """There is no such job."""


def explain_job(manifests: Manifests, options: SimulateOptions, job: str, **search: Any) -> JobReport:
    """Run a session, and report what each stage of it did with one job; `search` is that of `explain_jobs`."""
    [report] = explain_jobs(manifests, options, [job], **search)
    return report


def explain_jobs(
    manifests: Manifests,
    options: SimulateOptions,
    jobs: Sequence[str],
    *,
    sessions: int | None = 0,
    seconds: float = math.inf,
    everything: bool = False,
    every_vote: bool = False,
    judge: Judge | None = None,
) -> list[JobReport]:
    """Run a session, and report what each stage of it did with some jobs.

    Args:
        manifests: the snapshot.
        options: how to run the session.
        jobs: their namespace/name; the name alone is enough if only one job has it. Without any, all that wait.
        sessions: how many changes may be tried in the search for fixes; None is any number.
        seconds: how long that search may take, the sessions before it included; of several jobs, each gets its part
            of what is left.
        everything: try all changes, however good those that were found are.
        every_vote: keep the votes on every node, also in a large session.
        judge: finds what lint warns of with a fix, and not without it.

    Raises:
        UnknownJob: there is no job of that name.
        InputErrors: as for `simulate`.
    """
    until = time.monotonic() + seconds
    seen, options = _Seen(jobs, every_vote=every_vote), replace(options, cache=SessionCache())
    with paused_collector():
        asking = replace(options, gates=True, opened=seen.open)
        try:
            first = run_session(manifests, asking)
        except NoSuchJob as none_such:
            if (others := _others_called(manifests, jobs)) is not None:
                part = 0.0 if sessions == 0 else max(until - time.monotonic(), 0.0)
                return [_of_others(manifests, options, others, sessions, part, everything=everything)]
            raise _not_in_session(manifests, jobs, none_such) from None
        sequence = Sessions(manifests, first, asking)
        ran = {uid: sequence.until_tried(uid) for uid in seen.uids}
        told = _Told(sequence, ran, options, seen)
        reports = {uid: told.report(uid) for uid in (seen.uids if jobs else told.waiting)}
    for uid, why in seen.chosen.items():
        reports[uid].answer = f"{why} {reports[uid].answer}"
    _tell_of_ended(reports.values(), manifests.volcano_jobs)
    if sessions == 0 or not seconds:
        return list(reports.values())
    blocked = [
        uid
        for uid, each in reports.items()
        if each.blocked_at or (each.outlook is not None and each.outlook.starts_in_session is None)
    ]
    for number, uid in enumerate(blocked):
        trials = Trials(manifests, options, uid, sessions, ahead=True)
        trials.begin(sequence, ran[uid], told.following)
        part = max(until - time.monotonic(), 0.0) / (len(blocked) - number)
        found = remedies_of(trials, part, everything=everything, judge=judge, progress=options.progress)
        _take_fixes(reports[uid], found)
    return list(reports.values())


def _others_called(manifests: Manifests, jobs: Sequence[str]) -> PodsOfOthers | None:
    """Return the pods of another scheduler that the only name stands for; None where there are none.

    Raises:
        UnknownJob: it stands for the pods of several workloads.
    """
    others = pods_of_others(manifests) if len(jobs) == 1 else []
    found = [each for each in others if each.is_called(jobs[0])]
    if len(found) > 1:
        said = f"the pods of {len(found)} workloads {jobs[0]!r} are not scheduled by Volcano"
        raise UnknownJob(f"{said} (write one of {', '.join(quote(each.called) for each in found)})")
    return found[0] if found else None


def _of_others(
    manifests: Manifests,
    options: SimulateOptions,
    others: PodsOfOthers,
    sessions: int | None,
    seconds: float,
    *,
    everything: bool,
) -> JobReport:
    """Report on pods of another scheduler, and on what comes of having Volcano schedule them."""
    report = _report_on_others(manifests, options, others)
    left = job_of_others(manifests, options, others) if seconds else None
    if left is not None:
        trials = Trials(manifests, options, left.uid, sessions, ahead=True)
        trials.open()
        _take_fixes(report, remedies_of(trials, seconds, everything=everything, left=left))
    return report


def reports_on(manifests: Manifests, options: SimulateOptions, jobs: Sequence[str], **search: Any) -> JobReports:
    """Run a session, and report on several jobs, or on all that wait; `search` is that of `explain_jobs`."""
    reports = explain_jobs(manifests, options, jobs, **search)
    tried = [each for each in reports if each.fix_search]
    helped = f"; fixes were found for {sum(bool(each.fixes) for each in tried)} of {len(tried)}" if tried else ""
    verb = "waits" if len(reports) == 1 else "wait"
    said = f"{count(len(reports), 'job')} {'explained' if jobs else verb}{helped}."
    return JobReports(volcano=manifests.profile.name, scenario=options.scenario, answer=said, jobs=reports)


def _take_fixes(report: JobReport, found: FixSearch) -> None:
    """Add to a report which fixes were found."""
    report.fix_search = found
    report.fixes = [
        Fix(**{name: getattr(each, name) for name in Fix.__struct_fields__})
        for each in found.fixes
        if each.outlook is not None
    ]
    placing = [each for each in found.fixes if each.progress == "placed"]
    ends = [each.called for each in placing if each.parameter == END]
    when = [f"once {' or '.join(ends)} ends"] if ends else []
    scaled = [each.called.partition("/")[2] for each in placing if each.parameter == SCALE_DOWN]
    when += [f"if {' or '.join(scaled)} is scaled down"] if scaled else []
    if when:
        report.answer += f" It starts {', or '.join(when)}."


def cheapest(report: JobReport) -> tuple[str, bool]:
    """Say of a job for which fixes were searched what places it at the least cost; false where nothing does."""
    job, search = report.job.called, report.fix_search
    if search is None:
        return f"No change is needed: {report.answer}", True
    starts = report.outlook is not None and report.outlook.starts_in_session is not None
    goal = (each for each in search.fixes if (each.places_all if starts else each.starts))
    fix = next(goal, None)
    if fix is None or fix.outlook is None:
        why = "the search was not run to its end" if search.ended else "no change does it, nor do two together"
        return f"Nothing was found that places {'all of ' if starts else ''}{job}: {why}. {report.answer}", False
    verb = "is" if fix.lost == 1 else "are"
    others = f"{count(fix.lost, 'pod')} of other jobs {verb} lost" if fix.lost else "no pod of another job is lost"
    by_commands = not fix.recreate and all(each.commands for each in fix.changes or ())
    todo = (by_commands and " && ".join(fix.commands)) or ", then ".join(fix.edits)
    bound = f"bound by session {fix.bound_in_session}: {fix.outlook.pods_bound:,} of {count(fix.pods_after, 'pod')}"
    return f"The least that places {job}: {todo}; {bound}; {others}.", True


class _Seen:
    """What has to be seen as each session opens: the jobs' full names, in the first, and who is served before them."""

    def __init__(self, names: Sequence[str], *, every_vote: bool) -> None:
        self.names = names
        self.every_vote = every_vote
        self.uids: list[str] = []
        self.chosen: dict[str, str] = {}
        self.orders: list[dict[str, SchedulingOrder]] = []

    def open(self, session: Session) -> None:
        """Look around, and have the jobs' story kept, with all votes where they are few."""
        if not self.uids:
            named = (self._uid_of(session, name) for name in self.names)
            of_session = (job for job in session.jobs.values() if job.uid in session.cluster.awaited or _waits(job))
            ignored = (job for job in session.cluster.ignored_jobs if job.phase != COMPLETED)
            waiting = (job.uid for job in chain(of_session, ignored))
            self.uids = list(dict.fromkeys(named if self.names else waiting))
        jobs = [session.jobs[uid] for uid in self.uids if uid in session.jobs]
        queues = queue_order(session)
        orders = {name: job_order(session, name) for name in {job.queue for job in jobs}}
        found = {job.uid: SchedulingOrder(queues=queues, jobs=orders[job.queue]) for job in jobs}
        self.orders.append({**(self.orders[-1] if self.orders else {}), **found})
        session.trace.followed = frozenset(job.uid for job in jobs)
        watched = [job.uid for job in jobs if self.every_vote or few_votes(session, job)]
        if watched:
            session.options.watch = frozenset(watched)

    def _uid_of(self, session: Session, name: str) -> str:
        """Return the job of a name; of several with one controller, as in a rollout, the only one that waits."""
        known = [each for each in jobs_called(name, session.cluster.names.values()) if each.uid in session.jobs]
        shared = [{(each.namespace, owner.kind, owner.name) for owner in each.owners} for each in known]
        waiting = [each for each in known if each.uid in session.cluster.awaited or _waits(session.jobs[each.uid])]
        if len(waiting) != 1 or waiting == known or not set.intersection(*shared):
            return _uid(session, name)
        [job] = waiting
        kinds = {each.owners[-1].kind for each in known if each.owners}
        what = f"{kinds.pop()}s" if len(kinds) == 1 else "jobs"
        self.chosen[job.uid] = f"Of the {len(known)} {what} of {name}, only {job.display} waits."
        return job.uid


def _uid(session: Session, name: str) -> str:
    names = session.cluster.names
    found = jobs_called(name, names.values())
    known = [each for each in found if each.uid in session.jobs] or found
    if len(known) == 1:
        return known[0].uid
    if known:
        listed = ", ".join(quote(each.display) for each in known)
        raise UnknownJob(f"there are {len(known)} jobs {name!r} (write one of {listed})")
    for key, why in without_any_pod(session).items():
        if name in (key, key.partition("/")[2]):
            raise UnknownJob(why)
    for orphan in session.cluster.orphans:
        pod = orphan.task.pod.metadata
        if name in (pod.key, pod.name):
            code = orphan.code.value
            raise UnknownJob(f"pod {pod.key} is in no job: {code}: {orphan.text}; vqs rule {code} says what to do")
    hint = unknown_job(name, [names[uid] for uid in session.jobs])
    raise NoSuchJob(f"there is no job {name!r}{f' ({hint})' if hint else ''}")


def _not_in_session(manifests: Manifests, jobs: Sequence[str], none_such: NoSuchJob) -> UnknownJob:
    """Return the error for names of which one is no job of the session: of an only one, that it has ended."""
    named = [each for each in manifests.volcano_jobs if jobs[0] in (each.metadata.key, each.metadata.name)]
    if len(jobs) == len(named) == 1 and (ended := _is_over(named[0])):
        return UnknownJob(ended)
    return NoSuchJob(f"{none_such}{_for_others(manifests, jobs)}")


def _tell_of_ended(reports: Iterable[JobReport], jobs: Iterable[k8s.VolcanoJob]) -> None:
    """Have the answer on a Volcano Job without pods say that it has ended, where it has."""
    over = {each.metadata.key: said for each in jobs if (said := _is_over(each))}
    for report in reports:
        if not report.tasks and report.job.called in over:
            report.answer = f"{over[report.job.called]}."


def _is_over(job: k8s.VolcanoJob) -> str:
    """Say that a Volcano Job has ended, and how it is resumed where it can be; empty where it goes on.

    Reference: pkg/controllers/job/state/aborted.go and finished.go in volcano-sh/volcano.
    """
    phase, name = job.status.state.phase, job.metadata
    if phase == "Aborted":
        resumed = f"vcctl job resume --name {name.name} --namespace {name.namespace}"
        return f"Job {name.key} is Aborted, so that its controller creates no pods for it: {resumed} has it go on"
    if phase not in k8s.ENDED_JOB_PHASES:
        return ""
    return f"Job {name.key} is {phase}, which is final: it has to be created again to run once more"


def _for_others(manifests: Manifests, names: Sequence[str]) -> str:
    """Say of a pod, or of a workload, that other schedulers place it, where one of some names is such a one's."""
    pods = ((pod.metadata.key, "pod", pod.spec) for pod in manifests.pods)
    workloads = ((each.metadata.key, KIND_OF[type(each)].name, each.spec.template.spec) for each, _ in manifests.aside)
    for key, kind, spec in (*pods, *workloads):
        if spec.scheduler_name != SCHEDULER_NAME and not {key, key.partition("/")[2]}.isdisjoint(names):
            other = spec.scheduler_name or DEFAULT_SCHEDULER
            return (
                f"; {kind} {key} is for the scheduler {other}, and Volcano leaves it to that one: it schedules pods "
                f"with schedulerName {SCHEDULER_NAME}"
            )
    return ""


class _Told:
    """What sessions one after another tell of some jobs."""

    def __init__(
        self, sequence: Sessions, ran: Mapping[str, list[Finished]], options: SimulateOptions, seen: _Seen
    ) -> None:
        self.sequence = sequence
        self.ran = ran
        self.options = options
        self.seen = seen
        self._decided: dict[int, dict[str, Decision]] = {}
        self._outcomes: dict[str, tuple[JobResult, list[TaskResult]]] = {}

    def _of(self, uid: str) -> tuple[JobResult, list[TaskResult]]:
        """Return what became of a job, and of its tasks, in the session that tells of it."""
        if uid not in self._outcomes:
            session = tells_of(self.ran[uid], uid).session
            decided = self._decided.get(id(session)) or self._decided.setdefault(id(session), decisions(session))
            decision = decided.get(uid, "not-considered")
            self._outcomes[uid] = job_outcome(session, _job(session, uid), decision)
        return self._outcomes[uid]

    @cached_property
    def waiting(self) -> list[str]:
        """The jobs of which something waits, by namespace and name."""
        found = {uid: self._of(uid) for uid in self.ran}
        return sorted(
            uid
            for uid, (job, tasks) in found.items()
            if _is_waiting(job, tasks) or blocked_at(job, tasks, cause(job, tasks)[0])
        )

    @cached_property
    def following(self) -> Following:
        """What becomes of all of them in the sessions that follow."""
        return look_on(self.sequence, list(self.ran))

    def report(self, uid: str) -> JobReport:
        """Return the report on a job."""
        ran = self.ran[uid]
        told = tells_of(ran, uid)
        number, session = ran.index(told) + 1, told.session
        job, (found, tasks) = _job(session, uid), self._of(uid)
        verdict, cause_task = cause(found, tasks)
        asked = eviction_actions(session, job) if uid in session.jobs else []
        looked = searches(session, job, every_vote=self.seen.every_vote)
        lost = evictions_of(session, job)
        tell_of([found], tasks)
        if _is_waiting(found, tasks):
            take(found, self.following.prospects[uid])
        sign = autoscaler_of(ran[0].manifests)
        held_back = sign is not None and pods_await_admission(told.manifests, job)
        autoscaler = of_an_autoscaler(found, tasks, sign.text if sign else "", held_back=held_back)
        of_others = lost_in(session, told.manifests, uid)
        own = [each for each in lost_in(session, told.manifests) if each.job == uid] if lost else []
        said = answer(
            found,
            tasks,
            eviction_actions=asked,
            looked=looked,
            evictions=lost,
            losses=own + of_others,
            autoscaler=autoscaler,
        )
        gates = ((each.session, (each.session.trace.gates or {}).get(uid)) for each in ran[:number])
        asked_in, accounts = next((gate for gate in gates if gate[1] is not None), (session, None))
        has_no_queues = any(each.code == VerdictCode.UNKNOWN_QUEUE for each in found.blockers)
        has_no_queues &= not told.manifests.queues
        lacking = f"The snapshot has no Queue: {how_to_add([wanted(Queue)])}." if has_no_queues else ""
        return JobReport(
            volcano=session.profile.name,
            scenario=self.options.scenario,
            session=structs.replace(session_info(session), sessions=number),
            job=found,
            queue_path=_line(session, job.queue) if uid in session.jobs else [],
            tasks=tasks,
            answer=" ".join(filter(None, [said, lacking, _why_so_late(ran[:number], uid)])),
            blockers=found.blockers,
            outlook=found.outlook,
            blocked_at=blocked_at(found, tasks, verdict),
            cause=verdict,
            cause_task=cause_task,
            admission=None if accounts is None else job_gate(asked_in, asked_in.jobs[uid], accounts),
            scheduling_order=self.seen.orders[len(ran) - 1].get(uid) or SchedulingOrder(queues=[], jobs=[]),
            attempts=placement_attempts(session, job),
            hyper_nodes=hyper_node_choices(session, job),
            eviction_actions=asked,
            searches=looked,
            evictions=lost,
            losses_of_others=of_others,
            diagnostics=diagnostics(session, ran[0].manifests, [uid], _line(session, job.queue)),
        )


def _job(session: Session, uid: str) -> Job:
    """Return a job, also one that the scheduler ignores."""
    ignored = (job for job in session.cluster.ignored_jobs if job.uid == uid)
    return session.jobs.get(uid) or next(ignored)


def _is_waiting(job: JobResult, tasks: Sequence[TaskResult]) -> bool:
    return job.awaited is not None or any(map(is_waiting, tasks))


def _why_so_late(ran: Sequence[Finished], job: str) -> str:
    """Tell why it takes more than one session to try a job: its pods do not exist in those before."""
    if len(ran) == 1:
        return ""
    first = ran[0].manifests.awaited[job]
    events = {role.waits_for for each in ran[:-1] for role in each.manifests.awaited[job].roles}
    when = " and ".join(_WHEN[event] for event in _WHEN if event in events)
    return f"These are the decisions of session {len(ran)}, as the {first.controller} creates its pods only {when}."


def _line(session: Session, queue: str) -> list[str]:
    ledger = session.queue_ledger
    known = ledger is not None and queue in ledger.closed()
    return list(ledger.line(queue)) if ledger is not None and known else [queue]


# --- pods without a PodGroup, as they ask for another scheduler -------------------------------------------------------


def _report_on_others(manifests: Manifests, options: SimulateOptions, others: PodsOfOthers) -> JobReport:
    """Report on pods that are left to another scheduler."""
    finished, namespace = run_session(manifests, options), others.pods[0].metadata.namespace
    code = VerdictCode.OTHER_SCHEDULER
    verdict = Verdict(code=code.value, text=others.why)
    blocker = Blocker(code=code.value, owner=VERDICT_RULES[code].owner, tasks=len(others.pods), text=others.why)
    job = JobResult(
        namespace=namespace,
        name=others.name,
        display_name=others.called,
        owner=others.maker,
        queue="",
        min_available=1,
        priority=0,
        phase_before="",
        phase="",
        decision="not-considered",
        ready=0,
        tasks=len(others.pods),
        verdict=verdict,
        blockers=[blocker],
    )
    tasks = [
        TaskResult(
            namespace=namespace,
            name=pod.metadata.name,
            job=others.name,
            queue="",
            status_before="Pending",
            status="Pending",
            verdict=verdict,
        )
        for pod in others.pods
    ]
    tell_of([job], tasks)
    return JobReport(
        volcano=finished.session.profile.name,
        scenario=options.scenario,
        session=session_info(finished.session),
        job=job,
        tasks=tasks,
        answer=f"{others.called} is not scheduled by Volcano: {others.why}.",
        blockers=[blocker],
        blocked_at="valid",
        cause=verdict,
        scheduling_order=SchedulingOrder(queues=[], jobs=[]),
        diagnostics=diagnostics(finished.session, finished.manifests),
    )


def job_of_others(manifests: Manifests, options: SimulateOptions, others: PodsOfOthers) -> Job | None:
    """Return the job that the pods become once they ask for Volcano; None where they become none."""
    keys = {pod.metadata.key for pod in others.pods}
    names = [(each.metadata.namespace, each.metadata.name) for each in others.pods]
    edits = [SetValue("pod", *each, ("spec", "schedulerName"), SCHEDULER_NAME) for each in names]
    try:
        session = run_session(apply(manifests, edits), replace(options, cache=None)).session
    except InputErrors:
        return None
    jobs = session.jobs.values()
    return next(
        (job for job in jobs if not keys.isdisjoint(task.pod.metadata.key for task in job.tasks.values())), None
    )
