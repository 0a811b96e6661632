"""Fixes that get a job placed: each is the smallest change of one field or choice, verified by simulation.

With the value of a remedy, sessions bind more pods of the job than without it; with the next smaller value they do not.
As many sessions are run as it takes until one changes nothing, up to eight. A remedy says what becomes of the job then,
and of the pods of other jobs. It touches no running pod, except those that the sessions themselves evict. Where no
single change starts the job, or those that do take new nodes, a wait for others or pods of theirs, two together are
tried: one, and what lifts that which keeps the job then.

What is tried, and in which order, depends on the snapshot alone. The time that may be taken ends the search, and then
`ended` says so; it never changes what is found before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice
from typing import Any, Final, Literal

import msgspec

from vqs.explain.affected import changed_pods
from vqs.explain.blockers import blockers_of
from vqs.explain.jobs.case import CAPABILITY, NODES, SCALE_DOWN, Case, Parameter, choice
from vqs.explain.jobs.configuration import ACTIONS
from vqs.explain.jobs.manifest import MIN_AVAILABLE, MIN_MEMBER, in_manifest
from vqs.explain.jobs.own_fields import AFFINITY, END, FACTOR, QUEUE, REQUESTS, RESOURCES, SELECTOR, SPREAD, TOLERATIONS
from vqs.explain.jobs.registry import parameters
from vqs.explain.jobs.search import Search, goal_for, refined, searched, smallest_step
from vqs.explain.jobs.surroundings import STALE, SUB_GROUPS, UNAVAILABLE
from vqs.explain.jobs.trials import Goal, Progress, Trial, Trials
from vqs.explain.narrowing import Bracket, BudgetExhausted
from vqs.explain.outcome import Affected, Decision, JobLoss, OfJob, Outlook, Result, Verdict
from vqs.model.codes import VerdictCode
from vqs.model.job import Job
from vqs.processes import FORK, START, cores
from vqs.releases.profile import ReleaseChoice, Setting, behaviours
from vqs.releases.release import Build, Release
from vqs.snapshot.cluster.autoscaler import autoscaler_of, pods_await_admission
from vqs.snapshot.reading.collector import patient_collector
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.commands import HowTo
from vqs.snapshot.whatif.edits import AddObject, Edit, apply

SESSIONS_PER_PARAMETER = 12
"""How many changes are tried for one parameter."""

SMALL: Final = 2000
"""With as many nodes and tasks together, a change is tried in a tenth of a second, and all are."""

_ENOUGH: Final = 3
"""In a large snapshot, the search ends with as many kinds of changes that place all, if one takes nothing of others."""

_REFINED: Final = 5
"""Of as many fixes, those that are shown, the smallest step is searched for to the end in a large snapshot."""

_FIRST, _SECOND, _PAIRS = 6, 8, 2
"""How many changes are combined with others, with how many each, and how many such fixes are enough."""

_LESS, _DEAR, _LAST = 3, 4, 6
"""Ranks of who approves a change: it gets the job less than it asked for; from the second on, it is new nodes, or a
change of other jobs; the last is for what is done only where there is no other way."""

_OF_CONTROL_PLANE: Final = ("node-role.kubernetes.io/control-plane=", "node-role.kubernetes.io/master=")
"""How the taints begin that keep workloads from the nodes of the control plane."""

Ended = Literal["", "time", "changes", "enough"]

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


class _OfParameter:
    """What is said of a change of a parameter, and of several that help together."""

    __slots__ = ()
    parameter: str
    object: str
    edits: list[str]
    display_name: str | msgspec.UnsetType

    @property
    def called(self) -> str:
        """What people call what it belongs to; the job that has to end, where that is it."""
        if not self.display_name:
            return self.object.partition("/")[2] if self.parameter == END else self.object
        return self.display_name if self.parameter in (END, NODES) else owned(self.object, self.display_name)

    @property
    def is_of_a_new_kind(self) -> bool:
        """Whether nodes are added that have more of something than any that is there."""
        return self.parameter == NODES and len(self.edits) > 1


class Change(_OfParameter, Result, kw_only=True, omit_defaults=False):
    """One of several changes that help together; its fields are those of a remedy."""

    parameter: str
    object: str
    resource: str
    from_value: int | str = msgspec.field(name="from")
    to: int | str
    edits: list[str]
    commands: list[str] = msgspec.field(default_factory=list)
    owner: str | msgspec.UnsetType = msgspec.UNSET
    recreate: str | msgspec.UnsetType = msgspec.UNSET
    display_name: str | msgspec.UnsetType = msgspec.UNSET
    daemons: str | msgspec.UnsetType = msgspec.UNSET


class Remedy(_OfParameter, Result, kw_only=True, omit_defaults=False):
    """The smallest value of one parameter that helps, or the largest that was tried where none does.

    Attributes:
        parameter: which kind of parameter, as its maker in `vqs.explain.jobs.registry` calls it, such as weight.
        object: what it belongs to; for nodes, one of the type that more are needed of, or that larger ones are made of.
        display_name: what the job is called whose PodGroup it belongs to, or what nodes of that kind are; else absent.
        resource: of which resource it is an amount; empty where it is none.
        helps: whether the job is better off with it.
        from_value: what it is now; of nodes, how many there are of the type, none of larger ones.
        to: what it has to be; where nothing helps, up to what it was tried.
        failing_value: the value next to it with which the job is not better off; null where nothing helps.
        exact: whether no value between the two was left out.
        edits: what to do, as what-if edits.
        commands: what to do in a cluster, before `recreate` where that is needed; empty where no command does it.
        patches: the same, object by object, and of what is created again: for the manifests that it is created from.
        lines: the lines of the files that change, as `file:line: text`; empty where files do not have all of it, or
            have it in a line of more than 400 characters, or in a document of more than 500,000.
        diff: the change of the files, as `patch -p0` reads it.
        progress: how far the job comes with it.
        decision: what becomes of the job with it; null where the edits are refused.
        verdict: what still keeps the job, or some of its tasks, from being placed.
        refused: why the edits are refused.
        sessions: how many sessions it took.
        cost: what comes of it for others; null where it does not help.
        outlook: what becomes of the job with it; null where the edits are refused.
        pods_before: how many pods of the job have a node without it, after as many sessions.
        pods_after: how many pods the job has with it, created or not.
        bound_in_session: after which session the last of them has a node that has one in the end; 0 where none is
            added.
        warnings: what lint warns of with it, and not without it; such a change is not proposed.
        affected: the other jobs of which another number of pods has a node in the end.
        losses: what other jobs lose by evictions with it, those that lose more than without it: with what their
            controllers delete then, and make again.
        below_minimum: those affected that have fewer than their minAvailable then, and had enough without the change.
        owner: who controls what is edited, and would write it anew, as it is not in the snapshot: to be changed there.
        recreate: what has to be deleted and created again with the change, as the webhook or the API server would deny
            it after creation; absent where it can be changed.
        restarted: how many pods of the job run, and stop as its Job or StatefulSet is created again; absent where none
            does.
        in_all: how much of the resource the job as a whole asks for without it and with it, where its requests become
            less; absent where they do not.
        moved: how many pods of other jobs are deleted for it, which their controllers make again; absent where none is.
        asks_autoscaler: whether it gets the job admitted on the nodes that there are, so that its pods are created and
            an autoscaler adds the nodes that are a part of it; absent where it does not.
        changes: the changes that help only together, in the order in which to make them; absent where it is one.
        daemons: the pods that each new node runs, too, such as "2 DaemonSet pods"; else absent.
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
    losses: list[JobLoss] = msgspec.field(default_factory=list)
    below_minimum: list[str] = msgspec.field(default_factory=list)
    owner: str | msgspec.UnsetType = msgspec.UNSET
    recreate: str | msgspec.UnsetType = msgspec.UNSET
    display_name: str | msgspec.UnsetType = msgspec.UNSET
    restarted: int | msgspec.UnsetType = msgspec.UNSET
    in_all: list[int | str] | msgspec.UnsetType = msgspec.UNSET
    moved: int | msgspec.UnsetType = msgspec.UNSET
    asks_autoscaler: bool | msgspec.UnsetType = msgspec.UNSET
    changes: list[Change] | msgspec.UnsetType = msgspec.UNSET
    daemons: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def lost(self) -> int:
        """How many pods of other jobs have no node in the end, and had one without it, or begin anew by evictions."""
        gone = {each.job: each.pods_before - each.pods_after for each in self.affected}
        taken = {each.called: each.pods_lost for each in self.losses}
        return sum(max(gone.get(job, 0), taken.get(job, 0), 0) for job in {*gone, *taken})

    @property
    def left_out(self) -> int:
        """How many pods of other jobs have no node in the end, and had one without it."""
        return sum(max(each.pods_before - each.pods_after, 0) for each in self.affected)

    @property
    def starts(self) -> bool:
        """Whether a session binds the job's minimum with it."""
        return self.outlook is not None and self.outlook.starts_in_session is not None

    @property
    def places_all(self) -> bool:
        """Whether all pods of the job have a node with it."""
        return self.outlook is not None and self.outlook.pods_bound >= self.pods_after


def owned(of: str, job: str) -> str:
    """Write what a parameter belongs to: a PodGroup whose job has another name, by that job.

    >>> owned("podgroup/ns/train-1f0c", "ns/train"), owned("podgroup/ns/train", "ns/train")
    ('job ns/train', 'podgroup/ns/train')
    """
    return of if of.partition("/")[2] == job else f"job {job}"


class NewerRelease(Result, kw_only=True, omit_defaults=False):
    """A release that gets more pods of the job bound, found by running the same sessions as that release decides.

    Attributes:
        volcano: the release, as --volcano takes it.
        pods: how many pods of the job have a node then.
        behaviours: those of which each makes the difference alone; empty where several do only together.
        decides: what the first of them decides.
    """

    volcano: str
    pods: int
    behaviours: list[str]
    decides: str


class FixSearch(OfJob, kw_only=True, omit_defaults=False):
    """What was tried to get a job placed.

    Attributes:
        progress: how far it comes as it is.
        fixes: what helps, that first which costs others least, and then what fewer people have to approve.
        warned: what helps, and is not among the fixes as lint warns of it, or as the webhook denies it by default.
        ineffective: what does not help, up to the value that was tried.
        not_tried: what was not tried, or not to its end, and of which nothing that helps is known.
        sessions: how many changes were tried.
        max_sessions: how many might have been; null for any number.
        next_session: that the next session admits the job though nothing is changed, so that what helps is what helps
            after that; absent where it does not.
        newer: the newer release of Volcano with which more pods of it start as it is; absent where there is none.
        ended: why something was not tried, or not to its end: the time, or the number of changes, that the search may
            take; or as what was found is enough. Empty where all was tried.
        too_large: what a task requests that no node has, whatever else stops the job; absent where a node has it.
    """

    progress: ProgressWord
    fixes: list[Remedy]
    warned: list[Remedy] = msgspec.field(default_factory=list)
    ineffective: list[Remedy]
    not_tried: list[str]
    sessions: int
    max_sessions: int | None
    next_session: Literal["admitted"] | msgspec.UnsetType = msgspec.UNSET
    newer: NewerRelease | msgspec.UnsetType = msgspec.UNSET
    ended: Ended = ""
    too_large: str | msgspec.UnsetType = msgspec.UNSET


def remedies_of(
    trials: Trials,
    seconds: float,
    *,
    everything: bool = False,
    per_parameter: int = SESSIONS_PER_PARAMETER,
    judge: Judge | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    left: Job | None = None,
) -> FixSearch:
    """Search for the fixes that get a job placed, of which it is known what becomes without a change.

    Args:
        trials: run the sessions, and have begun.
        seconds: how long the search may take.
        everything: whether all is tried, however good what was found is.
        per_parameter: how many changes may be tried for one parameter.
        judge: finds what is new in a changed snapshot of what lint warns of.
        progress: told what is tried, how much was, and how much there is.
        left: the job that pods become which are left to another scheduler, where it is about these.
    """
    session = trials.told.session
    ignored = {job.uid: job for job in session.cluster.ignored_jobs}
    job = left or session.jobs.get(trials.job) or ignored[trials.job]
    case = Case(session, job, trials.manifests, trials.told.manifests, is_left=left is not None)
    base = trials.run([])
    found = _Found(case, trials, base, per_parameter, judge)
    is_small = len(session.nodes) + sum(len(job.tasks) for job in session.jobs.values()) <= SMALL
    wanted = left or case.wanted or trials.job in session.cluster.left_of_groups
    if wanted and not (base.starts and base.pods[-1].get(base.called, 0) >= base.total):
        trials.limit(seconds)
        with patient_collector():
            found.search(
                is_enough=not (is_small or everything),
                everything=everything,
                processes=1 if is_small or trials.most is not None or trials.options.allow_extender else cores(),
                progress=progress,
            )
            try:
                found.newer = None if found.ended == "enough" else newer_release(found.trials, found.base)
            except BudgetExhausted:
                found.ended = found.ended or "time"
                found.not_tried.append("a newer release")
    return found.result()


def _too_large(case: Case) -> str:
    """Say of what a task asks for more than any node has; empty where a node has it."""
    if case.too_large is None:
        return ""
    resource, asked, largest = case.too_large
    need, have = (in_manifest(resource, amount, None) for amount in (asked, largest))
    return f"No node is large enough: a task requests {need} {resource}, and the largest node has {have}."


@dataclass(frozen=True, slots=True)
class _Fix:
    """A fix, the search that found it, and the rank of who has to approve it."""

    remedy: Remedy
    parameter: Parameter
    search: Search
    approvers: int

    @property
    def rank(self) -> tuple[int, int, int, bool, bool, bool, int, int]:
        """Ranks it by what it costs others, if it places all pods, who approves it, and what it brings about.

        The older pods of a rollout are to end anyway. Pods that begin anew are lost, and cost less than those that stay
        without a node.
        """
        evicted = len(self.remedy.cost.evicted) if self.remedy.cost else 0
        evicted += (self.remedy.restarted or 0) + (self.remedy.moved or 0)
        bound = self.remedy.outlook.pods_bound if self.remedy.outlook else 0
        lost, left_out = (self.remedy.lost, self.remedy.left_out) if self.parameter.what != UNAVAILABLE else (0, 0)
        places_all = self.remedy.places_all
        is_last = self.approvers == _LAST
        return lost, left_out, evicted, is_last, self.search.is_vague, not places_all, self.approvers, -bound


_GIVES_UP: Final = frozenset({REQUESTS, RESOURCES, MIN_MEMBER, MIN_AVAILABLE, SUB_GROUPS, SPREAD})
"""What gets a job less than it asked for."""


def _approvers(case: Case, parameter: Parameter) -> int:
    """Rank who approves a change.

    First comes what the job's owner corrects; then what is up to who manages queues, as a move to another one is; then
    to who manages the scheduler and the nodes that there are, as is a taint that the job tolerates in no form; then
    what gets the job less than it asked for; then new nodes, and changes of other jobs; at last to run beside the
    control plane.
    """
    what, of = parameter.what, parameter.of
    drops = what in (SELECTOR, AFFINITY) and parameter.value(parameter.most) == "none"
    if case.owns(of) and (what in _GIVES_UP or drops):
        return _LESS
    if what == SCALE_DOWN:
        return 5
    if what == STALE:
        return 2
    if what == QUEUE and not case.is_ignored:
        return 1
    if what == TOLERATIONS:
        taints = f", {parameter.value(1)}"
        keys = {each.key for task in case.pending for each in task.pod.spec.tolerations if each.key}
        if any(f", {key}=" in taints for key in keys):
            return 0
        return _LAST if any(f", {key}" in taints for key in _OF_CONTROL_PLANE) else 2
    if case.owns(of):
        return 0
    if what == NODES:
        return _DEAR
    ranks = {"queue": 1, "resourcequota": 1, "limitrange": 1, "conf": 2, "node": 2, "storageclass": 2}
    return ranks.get(of.partition("/")[0], 5)


def _is_for_pairs(case: Case, parameter: Parameter, alone: Sequence[Parameter]) -> bool:
    """Tell whether two changes, one of them this, may be better than those that start the job alone.

    It is none of these itself, nor does it get the job less than it asked for, or take new nodes or changes of others.
    """
    enough = {(each.what, each.of) for each in alone}
    return not alone or (_approvers(case, parameter) < _LESS and (parameter.what, parameter.of) not in enough)


class _Found:
    """What was found so far."""

    def __init__(self, case: Case, trials: Trials, base: Trial, per_parameter: int, judge: Judge | None) -> None:
        self.case = case
        self.judge = judge
        self.trials = trials
        self.base = base
        self.per_parameter = per_parameter
        self.fixes: list[_Fix] = []
        self.warned: list[Remedy] = []
        self.ineffective: list[Remedy] = []
        self.not_tried: list[str] = []
        self.sessions = 0
        self.ended: Ended = ""
        self.newer: NewerRelease | None = None

    def search(
        self,
        *,
        is_enough: bool,
        everything: bool,
        processes: int,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        """Try all kinds of changes, in turn; two together where all that start the job, if any do, are dear."""
        # Pods of another scheduler are a job of another session.
        found = [] if self.case.is_left else blockers_of(self.case.session, self.case.job)
        blocked = [each.code for each in found]
        kinds = [[*same] for _, same in groupby(parameters(self.case, blocked), key=lambda each: each.what)]
        processes = processes if START == FORK else 1
        searches = searched(kinds, self.trials, self.per_parameter, processes, coarse=is_enough)
        first: list[tuple[Parameter, Search]] = []
        for number, kind in enumerate(kinds):
            if is_enough and self._is_good():
                self.not_tried += [self._called(each) for kind in kinds[number:] for each in kind]
                self.ended = "enough"
                break
            if progress is not None:
                progress(f"try {kind[0].name}{self._so_far}", number, len(kinds))
            for parameter, search in zip(kind, next(searches), strict=True):
                if search is not None:
                    self._add([parameter], parameter, search)
                    if self._moves_on(search):
                        first.append((parameter, search))
        searches.close()
        if is_enough:
            self._refine(processes)
        usual = [each for each in self.fixes if not each.remedy.is_of_a_new_kind]
        reaching = [each for each in usual if (each.remedy.places_all if self.base.starts else each.remedy.starts)]
        self._have_the_autoscaler_asked(kinds)
        # Two changes together may be better than new hardware, a wait for others, or pods of theirs.
        are_dear = all(each.approvers >= _DEAR or any(each.rank[:3]) for each in reaching)
        if not self.ended and (everything or are_dear):
            self._search_pairs(first, [each.parameter for each in reaching], progress)

    @property
    def _so_far(self) -> str:
        """Says how many of what was tried helps, where any does."""
        return f" ({len(self.fixes):,} found so far)" if self.fixes else ""

    def _refine(self, processes: int) -> None:
        """Search for the smallest step of the fixes that are ranked first, where that is not known."""
        first = sorted(self.fixes, key=lambda each: each.rank)[:_REFINED]
        vague = [each for each in first if not each.remedy.exact]
        found = refined([(each.parameter, each.search) for each in vague], self.trials, self.per_parameter, processes)
        for fix, search in zip(vague, found, strict=True):
            self.fixes.remove(fix)
            self.sessions -= fix.search.trials
            self._add([], fix.parameter, search, fix.approvers)

    def _is_good(self) -> bool:
        """True if several kinds of changes place all of the job, and one of them takes nothing of others."""
        placing = [each.remedy for each in self.fixes if each.remedy.places_all]
        harmless = any(not each.lost and not (each.cost and each.cost.evicted) for each in placing)
        return harmless and len({each.parameter for each in placing}) >= _ENOUGH

    def _add(
        self, changed: Sequence[Parameter], parameter: Parameter, search: Search, approvers: int = 0
    ) -> Remedy | None:
        """Take in what was found of a parameter, which stands for all that is changed; None where it was not tried."""
        self.sessions += search.trials
        self.trials.has_tried |= search.trials > 0
        if search.cut:
            self._is_cut()
        if search.trial is None or (search.cut and search.step is None):
            self.not_tried.append(self._called(parameter))
            return None
        made = _remedy(parameter, search, search.trial, self.base)
        if made.helps:
            before, after = self.base.minimums, search.trial.minimums
            made.below_minimum = [  # the jobs that had as many pods as their minimum is, and have fewer
                each.job
                for each in made.affected
                if each.pods_after < after.get(each.job, 0) and each.pods_before >= before.get(each.job, 0)
            ]
            if any(kind in parameter.recreate for kind in ("Job ", "StatefulSet ")):
                made.restarted = self.case.running or msgspec.UNSET
            made.moved = sum(each.startswith("remove pod/") for each in made.edits) or msgspec.UNSET
            self._say_how(made, parameter, search.step or 0)
        if parameter.what == CAPABILITY:  # what is raised together takes the place of one resource
            self.ineffective = [
                each
                for each in self.ineffective
                if (each.parameter, each.object, each.resource) != (parameter.what, parameter.of, parameter.resource)
            ]
        if search.trial.denied and made.helps:
            made.warnings.insert(0, search.trial.denied)
        if made.warnings:
            self.warned.append(made)
        elif made.helps:
            approvers = max((_approvers(self.case, each) for each in changed), default=approvers)
            self.fixes.append(_Fix(made, parameter, search, approvers))
        else:
            self.ineffective.append(made)
        return made

    def _say_how(self, made: Remedy, parameter: Parameter, step: int) -> None:
        """Add to a fix what makes it, in a cluster and in the files that were read, and what lint warns of with it.

        That a node is ready, or a claim bound, is no field that a user writes: nothing is to be changed for that.
        """
        how = HowTo(parameter.written(step), self.trials.manifests)
        files = how.in_files()
        if parameter.parts:
            made.changes, rest = self._changes(parameter.parts)
            how = HowTo(rest, self.trials.manifests) if parameter.recreate else how
        if parameter.recreate and not parameter.parts:
            new = [each for each in parameter.written(step) if isinstance(each, AddObject)]
            made.commands = HowTo(new, self.trials.manifests).commands if new else []
        else:
            made.commands = how.commands
        if parameter.recreate:
            how = HowTo(parameter.written(step), self.trials.manifests, created_again=True)
        made.patches = [
            Patch(api_version=of.kind.api_version, kind=of.kind.name, namespace=of.namespace, name=of.name, patch=each)
            for of, each in how.patches
        ]
        if files is not None:
            made.lines, made.diff = files
        if self.judge is not None:
            made.warnings = self.judge(self.trials.manifests, apply(self.trials.manifests, parameter.edits(step)))

    def _changes(self, parts: Sequence[Parameter]) -> tuple[list[Change], list[Edit]]:
        """Return the changes of a fix that takes several, in order, and the edits of those that need no new object.

        What belongs to a Job that is created again is written in that Job: its PodGroup is deleted with it.
        """
        again = next((each.recreate for each in parts if each.recreate.startswith("Job ")), "")
        made = []
        for each in parts:
            is_own = each.what not in (NODES, END, SCALE_DOWN) and self.case.owns(each.of)
            recreate = each.recreate or (again if is_own else "")
            change = Change(
                parameter=each.what,
                object=each.of,
                resource=each.resource,
                from_value=each.value(0),
                to=each.value(1),
                edits=[str(edit) for edit in each.edits(1)],
                commands=[] if recreate else HowTo(each.written(1), self.trials.manifests).commands,
                owner=each.owner or msgspec.UNSET,
                recreate=recreate or msgspec.UNSET,
                display_name=each.named or job_of(each, self.base) or msgspec.UNSET,
                daemons=each.daemons or msgspec.UNSET,
            )
            made.append(change)
        rest = [
            edit for change, part in zip(made, parts, strict=True) if not change.recreate for edit in part.written(1)
        ]
        return sorted(made, key=lambda each: bool(each.recreate)), rest

    def _moves_on(self, search: Search) -> bool:
        """True if a change does not start the job, and something else keeps it then, which another one may lift."""
        if search.trial is None or search.trial.refused or search.trial.reaches(self.base) >= goal_for(self.base):
            return False
        stops, before = _what_stops(search.trial), _what_stops(self.base)
        if stops is None or stops != before or stops[0] != VerdictCode.NO_NODE_FITS:
            return stops not in (None, before)
        reasons = search.trial.reasons
        return any(reasons.get(reason, 0) < number for reason, number in self.base.reasons.items())

    def _is_cut(self) -> None:
        self.ended = "time" if self.trials.most is None else "changes"

    def _search_pairs(
        self,
        first: Sequence[tuple[Parameter, Search]],
        alone: Sequence[Parameter],
        progress: Callable[[str, int, int], None] | None,
    ) -> None:
        """Look for changes that start the job together with one that only lifts what was said of it first."""
        found = 0
        first = [each for each in first if _is_for_pairs(self.case, each[0], alone)][:_FIRST]
        try:
            for number, (one, search) in enumerate(first):
                if progress is not None:
                    progress(f"try {one.name} with another change{self._so_far}", number, len(first))
                step = search.tried if search.step is None else search.step
                within = self.trials.edited(one.edits(step))
                if within.job in within.told.session.jobs:
                    found += self._combine(one, step, within, alone)
                self.sessions += within.count
                if found >= _PAIRS:
                    return
        except BudgetExhausted:
            self._is_cut()
            self.not_tried.append("two changes together")

    def _combine(self, one: Parameter, step: int, within: Trials, alone: Sequence[Parameter]) -> int:
        """Look for a change that starts the job with the step of another one; return how many fixes were found.

        Args:
            one: the other one.
            step: its step.
            within: run sessions with it.
            alone: what starts the job alone.

        Raises:
            BudgetExhausted: no more changes may be tried.
        """
        goal, session = goal_for(self.base), within.told.session
        case = Case(session, session.jobs[within.job], within.manifests, within.told.manifests)
        blocked = [each.code for each in blockers_of(session, case.job)]
        others = (each for each in parameters(case, blocked) if each.name != one.name)
        for other in islice((each for each in others if _is_for_pairs(case, each, alone)), _SECOND):
            found = smallest_step(other, within, within.run([]), self.per_parameter)
            if found.cut:
                raise BudgetExhausted
            if found.step is None or found.trial is None or found.trial.reaches(self.base) < goal:
                continue
            more = other.edits(found.step)
            if self.trials.run(more).reaches(self.base) >= goal:
                continue  # it is enough alone, where it is written otherwise than it was tried
            both = replace(one, most=step, edits=_followed(one, more))
            least = smallest_step(both, self.trials, self.base, self.per_parameter)
            if least.step is None or self.trials.run(one.edits(least.step)).reaches(self.base) >= goal:
                continue
            fixes = len(self.fixes)
            self._add([one, other], _pair(one, least.step, other, found.step), replace(least, step=1, below=0))
            if len(self.fixes) > fixes:
                return 1
        return 0

    def _have_the_autoscaler_asked(self, kinds: Sequence[Sequence[Parameter]]) -> None:
        """Add to nodes that help what gets the job admitted before they are there, so that an autoscaler adds them."""
        sign = autoscaler_of(self.trials.manifests)
        nodes = next((each for each in self.fixes if each.parameter.what == NODES), None)
        if sign is None or nodes is None or not pods_await_admission(self.case.completed, self.case.job):
            return
        more = nodes.parameter, nodes.search.step or 0
        for one in (each for kind in kinds for each in kind if each.what in (ACTIONS, FACTOR)):
            bracket = Bracket(0, one.most)
            try:
                if not self._admits(one, bracket.works):
                    continue
                bracket.narrow(partial(self._admits, one))
                pair = _pair(one, bracket.works, *more)
                trial = self.trials.run(pair.edits(1))
            except BudgetExhausted:
                self._is_cut()
                return
            if trial.reaches(self.base) >= goal_for(self.base):
                made = self._add([one, nodes.parameter], pair, Search(1, 0, trial, 1))
                if made is not None:
                    made.asks_autoscaler = True

    def _admits(self, parameter: Parameter, step: int) -> bool:
        """True if enqueue admits the job with a step, on the nodes that there are."""
        self.sessions += 1
        return self.trials.run(parameter.edits(step)).decision not in (None, "not-enqueued")

    def _called(self, parameter: Parameter) -> str:
        job = job_of(parameter, self.base)
        return replace(parameter, of=owned(parameter.of, job)).name if job and parameter.what != END else parameter.name

    def result(self) -> FixSearch:
        """Return it all."""
        job = self.trials.job
        ranked = sorted(self.fixes, key=lambda each: each.rank)
        return FixSearch(
            job=job,
            display_name=self.base.names.get(job, job),
            progress=_word(self.base.progress),
            fixes=_simplest([each.remedy for each in ranked]),
            warned=self.warned,
            ineffective=self.ineffective,
            not_tried=self.not_tried,
            sessions=self.sessions,
            max_sessions=self.trials.most,
            next_session="admitted" if self.trials.admitted else msgspec.UNSET,
            ended=self.ended,
            newer=self.newer or msgspec.UNSET,
            too_large=_too_large(self.case) or msgspec.UNSET,
        )


def _simplest(fixes: Sequence[Remedy]) -> list[Remedy]:
    """Leave out the fixes that contain another one, and more, and bring about the same, but for an autoscaler's."""
    brought = [
        repr((each.pods_after, each.bound_in_session, each.outlook, each.affected, each.losses, each.cost))
        for each in fixes
    ]
    edits = [frozenset(each.edits) for each in fixes]
    return [
        fix
        for fix, own, result in zip(fixes, edits, brought, strict=True)
        if fix.asks_autoscaler
        or not any(other < own and result == same for other, same in zip(edits, brought, strict=True))
    ]


def _what_stops(trial: Trial) -> tuple[str, str, str] | None:
    """What keeps the job from being placed, whatever the figures."""
    if trial.verdict is None:
        return None
    code = trial.verdict.code
    what = trial.verdict.text if code == VerdictCode.PRE_PREDICATE_FAILED else trial.verdict.resource
    return code, what, trial.verdict.queue


def _followed(parameter: Parameter, more: Sequence[Edit]) -> Callable[[int], list[Edit]]:
    """The edits of a parameter, and more after them."""
    return lambda step: [*parameter.edits(step), *more]


def _pair(one: Parameter, step: int, other: Parameter, its_step: int) -> Parameter:
    """Return one parameter for two, with the one step that they need together; nodes to add are named first."""
    edits = [*one.edits(step), *other.edits(its_step)]
    written = [*one.written(step), *other.written(its_step)]
    if other.what == NODES:
        one, step, other, its_step = other, its_step, one, step
    first, second = (" ".join(filter(None, [each.what, each.resource])) for each in (one, other))
    if one.what == NODES:
        first = f"more {first} {one.named}"
    elif one.of != other.of:
        first = f"{first} of {one.of}"
    both = choice(
        f"{first}, with a change of {second}" if one.of != other.of else f"{first} and {second}",
        other.of,
        f"{one.value(0)} and {other.value(0)}",
        f"{one.value(step)} and {other.value(its_step)}",
        edits,
        owner=one.owner or other.owner,
        recreate=", ".join(dict.fromkeys(filter(None, [one.recreate, other.recreate]))),
    )
    return replace(both, parts=(_at(one, step), _at(other, its_step)), as_written=lambda _: written)


def _at(parameter: Parameter, step: int) -> Parameter:
    """Return a parameter with one of its steps."""
    return replace(
        parameter,
        most=1,
        guess=1,
        value=lambda each: parameter.value(step if each else 0),
        edits=lambda _: parameter.edits(step),
        as_written=lambda _: parameter.written(step),
    )


def _remedy(parameter: Parameter, search: Search, trial: Trial, base: Trial) -> Remedy:
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
        sessions=search.trials,
        cost=_cost(base, trial) if helps else None,
        outlook=trial.outlook,
        pods_before=base.after(len(trial.pods)).get(base.called, 0) if trial.pods else 0,
        pods_after=trial.total,
        bound_in_session=next((at for at, each in enumerate(pods, 1) if each == pods[-1]), 0) if helps else 0,
        affected=changed_pods(base.after(len(trial.pods)), trial.pods[-1], but=base.called) if helps else [],
        losses=_losses(base, trial) if helps else [],
        owner=parameter.owner or msgspec.UNSET,
        recreate=parameter.recreate or msgspec.UNSET,
        display_name=parameter.named or job_of(parameter, base) or msgspec.UNSET,
        daemons=parameter.daemons or msgspec.UNSET,
        in_all=msgspec.UNSET if parameter.in_all is None else [parameter.in_all(0), parameter.in_all(step)],
    )


def _losses(base: Trial, trial: Trial) -> list[JobLoss]:
    """What other jobs lose by evictions with a change, those that lose more than without it."""
    without = {job: loss.pods_lost for job, loss in base.losses.items()}
    others = (job for job in sorted(trial.losses) if job != base.called)
    return [trial.losses[job] for job in others if trial.losses[job].pods_lost > without.get(job, 0)]


def job_of(parameter: Parameter, base: Trial) -> str:
    """Return what the job is called whose PodGroup a parameter belongs to; empty where it belongs to none."""
    kind, _, key = parameter.of.partition("/")
    return base.names.get(key, "") if kind == "podgroup" or parameter.what == END else ""


def _cost(base: Trial, trial: Trial) -> Cost:
    replaced = {base.job} - {trial.job}  # it has another PodGroup
    lost = base.placed - trial.placed - replaced
    fewer = {job for job, number in base.bound.items() if trial.bound.get(job, 0) < number} - replaced
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


def newer_release(trials: Trials, base: Trial) -> NewerRelease | None:
    """Return the first release after the one that is modelled that brings the job further; None where none does.

    Raises:
        BudgetExhausted: there is no time left for its sessions.
    """
    profile = trials.manifests.profile
    now = profile.release
    for release in list(Release)[list(Release).index(now) + 1 :]:
        trial = trials.under(ReleaseChoice(Build(release, profile.build.vendor)))
        if trial.reaches(base) is Goal.NOTHING:
            continue
        rows = [row for row in behaviours().values() if row.values[release] != row.values[now]]
        alone = [ReleaseChoice(None, (Setting(row.name, row.values[release]),)) for row in rows]
        telling = [
            row for row, choice in zip(rows, alone, strict=True) if trials.under(choice).reaches(base) > Goal.NOTHING
        ]
        return NewerRelease(
            volcano=str(release),
            pods=trial.pods[-1].get(trial.called, 0),
            behaviours=[row.name for row in telling],
            decides=telling[0].decides if telling else "",
        )
    return None
