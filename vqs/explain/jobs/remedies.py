"""Fixes that get a job placed: each is the smallest change of one field or choice, verified by simulation.

With the value of a remedy, sessions bind more pods of the job than without it; with the next smaller value they do not.
As many sessions are run as it takes until one changes nothing, up to eight. A remedy says what becomes of the job then,
and of the pods of other jobs. It touches no running pod, except those that the sessions themselves evict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Literal

import msgspec
from msgspec.structs import replace as replace_fields

from vqs.explain.affected import changed_pods
from vqs.explain.jobs.case import CAPABILITY, NODES, Case, Parameter
from vqs.explain.jobs.manifest import in_manifest
from vqs.explain.jobs.newer import NewerRelease, newer_release
from vqs.explain.jobs.own_fields import END
from vqs.explain.jobs.parameters import PRIORITY, parameters
from vqs.explain.jobs.trials import Progress, Search, Trial, Trials, Waiting, smallest_step
from vqs.explain.outcome import Affected, Decision, OfJob, Outlook, Result, Verdict
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.commands import HowTo
from vqs.snapshot.whatif.edits import apply

SESSIONS = 80
SESSIONS_PER_PARAMETER = 12

Judge = Callable[[Manifests, Manifests], list[str]]
"""Says of a snapshot, and of the same one with a change, which warnings and errors of lint are new in it."""

ProgressWord = Literal["pending", "pipelined", "placed"]


class Cost(Result, kw_only=True, omit_defaults=False):
    """What else comes of a change: jobs by namespace/name, tasks too.

    Attributes:
        placed_before: how many jobs the session placed without it.
        placed_after: how many it places with it.
        no_longer_placed: the jobs among them that lose their place.
        newly_placed: other jobs that gain one.
        fewer_tasks: jobs that keep their place, and of which fewer tasks are placed.
        evicted: tasks that are evicted, and were not without it.
        display_names: what the jobs are called that are named here.
    """

    placed_before: int
    placed_after: int
    no_longer_placed: list[str]
    newly_placed: list[str]
    fewer_tasks: list[str]
    evicted: list[str]
    display_names: dict[str, str] = msgspec.field(default_factory=dict)

    def called(self, jobs: Iterable[str]) -> list[str]:
        """Return what some of the jobs are called."""
        return [self.display_names.get(job, job) for job in jobs]


class Patch(Result, kw_only=True, omit_defaults=False):
    """What changes in one object that people write: `patch` is a part of the object, or a list of JSON patches."""

    api_version: str
    kind: str
    namespace: str
    name: str
    patch: dict[str, Any] | list[dict[str, Any]]


class Remedy(Result, kw_only=True, omit_defaults=False):
    """The smallest value of one parameter that helps, or the largest that was tried where none does.

    Attributes:
        parameter: weight, capability, guarantee, deserved, nodes, minMember, minAvailable, maxUnavailable, priority,
            state, actions, tolerations, nodeSelector, affinity, requests, replicas, queue, overcommit-factor, or end,
            where another job has to end.
        object: what it belongs to; for nodes, one of the type that more are needed of.
        display_name: what the job is called whose PodGroup it belongs to, or what nodes of that kind are; else absent.
        resource: of which resource it is an amount; empty where it is none.
        helps: whether the job is better off with it.
        from_value: what it is now; of nodes, how many there are of the type.
        to: what it has to be; where nothing helps, up to what it was tried.
        failing_value: the value next to it with which the job is not better off; null where nothing helps.
        exact: whether no value between the two was left out.
        edits: what to do, as what-if edits.
        commands: what to do in a cluster; empty where no command does it.
        patches: the same, object by object.
        lines: the lines of the files that change, as `file:line: text`; empty where files do not have all of it.
        diff: the change of the files, as `patch -p0` reads it.
        progress: how far the job comes with it.
        decision: what becomes of the job with it; null where the edits are refused.
        verdict: what still keeps the job, or some of its tasks, from being placed.
        refused: why the edits are refused.
        sessions: how many sessions it took.
        cost: what comes of it for others; null where it does not help.
        outlook: what becomes of the job with it; null where the edits are refused.
        pods_before: how many pods of the job have a node without it, after as many sessions.
        pods_after: how many pods the job has with it.
        bound_in_session: after which session the last of them has a node that has one in the end; 0 where none is
            added.
        warnings: what lint warns of with it, and not without it; such a fix is behind all others.
        affected: the other jobs of which another number of pods has a node in the end.
        owner: who controls what is edited, and would write it anew, as it is not in the snapshot: to be changed there.
        recreate: what has to be deleted and created again with the change, as the webhook or the API server would deny
            it after creation; absent where it can be changed.
    """

    parameter: str
    object: str
    resource: str
    helps: bool
    from_value: int | str = msgspec.field(name="from")
    to: int | str
    failing_value: int | str | None
    exact: bool
    edits: list[str]
    commands: list[str] = msgspec.field(default_factory=list)
    patches: list[Patch] = msgspec.field(default_factory=list)
    lines: list[str] = msgspec.field(default_factory=list)
    diff: str = ""
    progress: ProgressWord
    decision: Decision | None
    verdict: Verdict | None
    refused: str
    sessions: int
    cost: Cost | None
    outlook: Outlook | None = None
    pods_before: int = 0
    pods_after: int = 0
    bound_in_session: int = 0
    warnings: list[str] = msgspec.field(default_factory=list)
    affected: list[Affected] = msgspec.field(default_factory=list)
    owner: str | msgspec.UnsetType = msgspec.UNSET
    recreate: str | msgspec.UnsetType = msgspec.UNSET
    display_name: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def lost(self) -> int:
        """How many pods of other jobs have no node in the end, and had one without it."""
        return sum(max(each.pods_before - each.pods_after, 0) for each in self.affected)

    @property
    def called(self) -> str:
        """What people call what it belongs to; the job that has to end, where that is it."""
        if not self.display_name:
            return self.object.partition("/")[2] if self.parameter == END else self.object
        return self.display_name if self.parameter in (END, NODES) else owned(self.object, self.display_name)


def owned(of: str, job: str) -> str:
    """Write what a parameter belongs to: a PodGroup whose job has another name, by that job.

    >>> owned("podgroup/ns/train-1f0c", "ns/train"), owned("podgroup/ns/train", "ns/train")
    ('job ns/train', 'podgroup/ns/train')
    """
    return of if of.partition("/")[2] == job else f"job {job}"


class FixSearch(OfJob, kw_only=True, omit_defaults=False):
    """What was tried to get a job placed.

    Attributes:
        progress: how far it comes as it is.
        fixes: what helps, that first which costs others least, and then what fewer people have to approve.
        ineffective: what does not help, up to the value that was tried.
        not_tried: the parameters that no session was left for.
        sessions: how many were run, besides the one without any change.
        max_sessions: how many might have been.
        next_session: what the next session does with the job though nothing is changed, where that is more: it admits
            it, so that what helps is what helps after that; or it finds a place for it, and nothing else is tried.
        newer: the newer release of Volcano with which more pods of it start as it is; absent where there is none.
        too_large: what a task requests that no node has, whatever else stops the job; absent where a node has it.
    """

    progress: ProgressWord
    fixes: list[Remedy]
    ineffective: list[Remedy]
    not_tried: list[str]
    sessions: int
    max_sessions: int
    next_session: Waiting | msgspec.UnsetType = msgspec.UNSET
    newer: NewerRelease | msgspec.UnsetType = msgspec.UNSET
    too_large: str | msgspec.UnsetType = msgspec.UNSET


def find_remedies(
    manifests: Manifests,
    options: SimulateOptions,
    job: str,
    *,
    sessions: int = SESSIONS,
    per_parameter: int = SESSIONS_PER_PARAMETER,
    judge: Judge | None = None,
) -> FixSearch:
    """Search for the fixes that get a job placed.

    Args:
        manifests: the snapshot.
        options: how to run the sessions.
        job: its namespace/name.
        sessions: the limit on the sessions of all parameters together.
        per_parameter: the limit on the sessions of one parameter.
        judge: finds what is new in a changed snapshot of what lint warns of.

    Raises:
        LookupError: the scheduler knows no such job.
        InputErrors: as for `vqs.explain.simulate.simulate`.
    """
    trials = Trials(manifests, options, job, sessions, ahead=True)
    session, completed = trials.open()
    if job not in session.jobs:
        raise LookupError(f"there is no job {job!r}")
    case = Case(session, session.jobs[job], manifests, completed)
    base = trials.run([])
    found = _Found(case, trials, base, per_parameter, judge)
    newer = None
    if case.wanted and not (base.starts and base.pods[-1].get(base.called, 0) >= base.total):
        for parameter in parameters(case):
            found.turn(parameter)
        newer = newer_release(trials, base)
    result = found.result(job)
    return replace_fields(result, too_large=_too_large(case) or msgspec.UNSET, newer=newer or msgspec.UNSET)


def _too_large(case: Case) -> str:
    """Say of what a task asks for more than any node has; empty where a node has it."""
    if case.too_large is None:
        return ""
    resource, asked, largest = case.too_large
    need, have = (in_manifest(resource, amount, None) for amount in (asked, largest))
    return f"No node is large enough: a task requests {need} {resource}, and the largest node has {have}."


class _Found:
    """What was found so far."""

    def __init__(self, case: Case, trials: Trials, base: Trial, per_parameter: int, judge: Judge | None) -> None:
        self.case = case
        self.judge = judge
        self.trials = trials
        self.base = base
        self.per_parameter = per_parameter
        self.remedies: list[Remedy] = []
        self.useless: list[Remedy] = []
        self.untried: list[str] = []

    def turn(self, parameter: Parameter) -> None:
        """Look for the smallest step of a parameter that helps."""
        if parameter.what in (PRIORITY, CAPABILITY) and any(_is_of(each, parameter) for each in self.remedies):
            return  # a class that exists suffices, none has to be made; so does one resource
        before = self.trials.count
        search = smallest_step(parameter, self.trials, self.base, self.per_parameter)
        if search.trial is None:
            self.untried.append(self._called(parameter))
            return
        made = _remedy(parameter, search, search.trial, self.base, self.trials.count - before)
        if made.helps:
            edits = parameter.edits(search.step or 0)
            how = HowTo(edits, self.trials.manifests)
            files = how.in_files()
            if not parameter.recreate:
                made.commands = how.commands
                made.patches = [
                    Patch(
                        api_version=of.kind.api_version,
                        kind=of.kind.name,
                        namespace=of.namespace,
                        name=of.name,
                        patch=each,
                    )
                    for of, each in how.patches
                ]
            if files is not None:
                made.lines, made.diff = files.lines(), files.diff()
            if self.judge is not None and parameter.what not in (NODES, END):  # no manifest changes with these
                made.warnings = self.judge(self.trials.manifests, apply(self.trials.manifests, edits))
        if parameter.what == CAPABILITY:  # what is raised together takes the place of one resource
            self.useless = [each for each in self.useless if not _is_of(each, parameter)]
        (self.remedies if made.helps else self.useless).append(made)

    def _called(self, parameter: Parameter) -> str:
        job = job_of(parameter, self.base)
        return replace(parameter, of=owned(parameter.of, job)).name if job and parameter.what != END else parameter.name

    def _rank(self, remedy: Remedy) -> tuple[bool, int, int, int, int]:
        """Rank a fix by what it costs others, then by who has to approve it, then by what it brings about."""
        evicted = len(remedy.cost.evicted) if remedy.cost else 0
        bound = remedy.outlook.pods_bound if remedy.outlook else 0
        approved = self.case.approved_by(remedy.parameter, remedy.object)
        return bool(remedy.warnings), remedy.lost, evicted, approved, -bound

    def result(self, job: str) -> FixSearch:
        """Return it all."""
        return FixSearch(
            job=job,
            display_name=self.base.names.get(job, job),
            progress=_word(self.base.progress),
            fixes=sorted(self.remedies, key=self._rank),
            ineffective=self.useless,
            not_tried=self.untried,
            sessions=self.trials.count,
            max_sessions=self.trials.most,
            next_session=self.trials.waiting or msgspec.UNSET,
        )


def _is_of(remedy: Remedy, parameter: Parameter) -> bool:
    return (remedy.parameter, remedy.object, remedy.resource) == (parameter.what, parameter.of, parameter.resource)


def _remedy(parameter: Parameter, search: Search, trial: Trial, base: Trial, sessions: int) -> Remedy:
    helps = search.step is not None
    step = search.tried if search.step is None else search.step
    pods = [each.get(trial.called, 0) for each in trial.pods]
    return Remedy(
        parameter=parameter.what,
        object=parameter.of,
        resource=parameter.resource,
        helps=helps,
        from_value=parameter.value(0),
        to=parameter.value(step),
        failing_value=parameter.value(search.below) if helps else None,
        exact=helps and step - search.below == 1,
        edits=[str(edit) for edit in parameter.edits(step)],
        progress=_word(trial.progress),
        decision=trial.decision,
        verdict=trial.verdict,
        refused=trial.refused,
        sessions=sessions,
        cost=_cost(base, trial) if helps else None,
        outlook=trial.outlook,
        pods_before=base.after(len(trial.pods)).get(base.called, 0) if trial.pods else 0,
        pods_after=trial.total,
        bound_in_session=next((at for at, each in enumerate(pods, 1) if each == pods[-1]), 0) if helps else 0,
        affected=changed_pods(base.after(len(trial.pods)), trial.pods[-1], but=base.called) if helps else [],
        owner=parameter.owner or msgspec.UNSET,
        recreate=parameter.recreate or msgspec.UNSET,
        display_name=parameter.named or job_of(parameter, base) or msgspec.UNSET,
    )


def job_of(parameter: Parameter, base: Trial) -> str:
    """Return what the job is called whose PodGroup a parameter belongs to; empty where it belongs to none."""
    kind, _, key = parameter.of.partition("/")
    return base.names.get(key, "") if kind == "podgroup" or parameter.what == END else ""


def _cost(base: Trial, trial: Trial) -> Cost:
    lost = base.placed - trial.placed
    fewer = {job for job, number in base.bound.items() if trial.bound.get(job, 0) < number}
    gained = trial.placed - base.placed - {trial.job}
    names = {**trial.names, **base.names}
    return Cost(
        placed_before=len(base.placed),
        placed_after=len(trial.placed),
        no_longer_placed=sorted(lost),
        newly_placed=sorted(gained),
        fewer_tasks=sorted(fewer - lost),
        display_names={job: names.get(job, job) for job in sorted(lost | gained | fewer)},
        evicted=sorted(trial.evicted - base.evicted),
    )


def _word(progress: Progress) -> ProgressWord:
    words: dict[Progress, ProgressWord] = {
        Progress.PENDING: "pending",
        Progress.PIPELINED: "pipelined",
        Progress.PLACED: "placed",
    }
    return words[progress]
