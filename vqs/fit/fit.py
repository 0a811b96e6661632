"""Whether a job would run if it came now, what it takes from others, and how large it could be.

The session is run without the job and with it. The largest number of replicas is searched for by running sessions: by
doubling while they are all placed, then by halving. More is not always worse, so it is the largest one that was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Final

from msgspec import UNSET

from vqs.diff.evictions import eviction_differences
from vqs.diff.jobs import job_differences, job_side
from vqs.diff.outcome import JobDifference
from vqs.diff.run import Input, Run, opened, run_both
from vqs.diff.tasks import State, state_of
from vqs.explain.affected import pods_held
from vqs.explain.jobs.manifest import ANNOTATION, MIN_RESOURCES, lowered_minimum
from vqs.explain.jobs.trials import Trials
from vqs.explain.narrowing import Bracket, BudgetExhausted
from vqs.explain.outcome import Affected, DiagnosticResult, TaskResult, Verdict
from vqs.explain.outlook import look_ahead, take
from vqs.explain.simulate import SimulateOptions
from vqs.explain.texts.node_reasons import efforts, partly, prospect
from vqs.explain.verdicts import without_any_pod
from vqs.fit.outcome import Fit, Harm, Largest, Lowered
from vqs.fit.refusals import Maker, Refused, refusals
from vqs.model import kubernetes as k8s
from vqs.model.job import JobName, jobs_called
from vqs.model.keys import SCHEDULER_NAME
from vqs.model.wording import count, first_names
from vqs.snapshot.apiserver.admission import CHANGE_DENIED, leaf_queues
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.controllers.job import min_member, next_runs, template_jobs, unknown_job
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.diagnostics import Path, did_you_mean
from vqs.snapshot.reading.kinds import KINDS, group_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.objects import FOR_OTHERS
from vqs.snapshot.whatif.applied import added
from vqs.snapshot.whatif.edits import Edit, Scale, SetValue
from vqs.snapshot.whatif.paths import write_path

SESSIONS: Final = 40
"""How many sessions are run to find the largest number of replicas, unless it is said how many."""

_MOST: Final = 100_000

_NAMED: Final = 3

_MOST_IN_ALL: Final = 150_000
"""How many replicas the sessions of a search may have together: what a cluster holds is not bounded by its text."""


class NoSuchJob(Exception):  # noqa: N818 - it is the job that is missing
    """There is no job to fit in, or it is not clear which; the message says so."""


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How to find out.

    Attributes:
        session: how to run the sessions.
        job: which job is meant, where several are new.
        role: which role of it is to grow; empty is the one with the most replicas.
        sessions: how many sessions may be run for the largest number of replicas.
        assume_admitted: whether to simulate a job that Volcano's webhook would deny.
    """

    session: SimulateOptions
    job: str = ""
    role: str = ""
    sessions: int = SESSIONS
    assume_admitted: bool = False


def fit(snapshot: Manifests, name: str, more: Manifests, options: FitOptions) -> Fit:
    """Tell whether a job fits.

    Raises:
        InputErrors: something of it is in the snapshot already.
        NoSuchJob: there is no new job, or there are several.
    """
    templates = () if more.job_flows else template_jobs(more)
    for run in (*next_runs(more), *more.timed, *templates):
        more.add_made(run)
    manifests = added(snapshot, more, assume_admitted=options.assume_admitted)
    sides = Input(name, snapshot), Input(name, manifests)
    alike = replace(options.session, now=options.session.now or manifests.now)
    without, within = run_both(sides, (opened(sides[0], alike), opened(sides[1], alike)))
    new = [within.names[job] for job in sorted(within.jobs.keys() - without.jobs.keys())]
    refused = refusals(snapshot, more, manifests)
    # The only object that is refused, or the one that is wanted: there is no job of it in any session.
    never = [each for each in refused if options.job in ("", each[1], each[1].partition("/")[2])]
    if not new and len(never) == 1:
        return _without_job(name, never[0], refused[never[0]], within)
    job = _chosen(new, options.job, _left_alone(without, within, manifests.queues) or _for_others(more))
    result = _fit(job, name, without, within)
    makers = _makers(complete(manifests), within.tasks_of.get(job, {}), job)
    if refusal := next((refused[each] for each in makers if each in refused), None):
        if not options.assume_admitted:
            return _refused(result, refusal)
        message = f"{refusal.who} would deny this Job; it is simulated nevertheless: {refusal.reason}"
        result.diagnostics.append(DiagnosticResult(code=CHANGE_DENIED, severity="warning", message=message))
    if result.fits != "now":
        told = within.jobs[job]
        take(told, look_ahead(within.sequence.sessions, within.sequence, [told.uid])[told.uid])
        result.outlook, result.blockers = told.outlook, told.blockers
        starts = told.outlook is not None and bool(told.outlook.starts_in_session)
        result.fits = "later" if starts else "no"
        result.waits_for = told.outlook.waits_for if told.outlook is not None and starts else []
    target = _target(more, within.tasks_of.get(job, {}), job, options.role, makers)
    if target is not None and options.sessions:
        trials = Trials(manifests, alike, job, options.sessions)
        held = [pods_held(run.session, run.sequence.sessions[-1].manifests) for run in (without, within)]
        result.largest = _largest(target, trials, result, _Held(held[0], held[1], within.names))
    result.answer = _answer(result)
    return result


def _refused(result: Fit, refusal: Refused) -> Fit:
    """Return the answer that a job does not fit, as it is refused."""
    result.fits = "no"
    if refusal.denied:
        result.denied = refusal.reason
    result.answer = f"{result.called} does not fit: {refusal}."
    return result


def _without_job(snapshot: str, maker: Maker, refusal: Refused, within: Run) -> Fit:
    """Return the answer about an object of which no job comes to be."""
    namespace, _, name = maker[1].partition("/")
    none = Fit(
        volcano=within.simulation.volcano,
        snapshot=snapshot,
        session=within.simulation.session,
        namespace=namespace,
        name=name,
        queue=refusal.queue,
        fits="no",
        answer="",
        decision="not-considered",
        tasks=0,
        min_available=0,
        placed=0,
        pipelined=0,
        pending=0,
        diagnostics=within.simulation.diagnostics,
    )
    return _refused(none, refusal)


def _left_alone(without: Run, within: Run, queues: Sequence[k8s.Queue]) -> str:
    """Say which new job is none, as its queue does not exist or all its pods are refused; empty where there is none."""
    cluster = within.session.cluster
    names = sorted(cluster.without_queue.keys() - without.session.cluster.without_queue.keys())
    if not names:
        refused = without_any_pod(within.session)
        return next((why for key, why in refused.items() if key not in without_any_pod(without.session)), "")
    queue = cluster.without_queue[names[0]]
    leaves = leaf_queues(queues)
    hint = did_you_mean(queue, leaves) or f"there are {', '.join(leaves)}"
    return f"{cluster.display_name(names[0])} gets no PodGroup: queue '{queue}' does not exist ({hint})"


def _for_others(more: Manifests) -> str:
    """Say which new pods are for another scheduler, and what to write; empty where there are none."""
    named = [f"{type(each).__name__} {each.metadata.key}" for _, objects in _workloads(more) for each in objects]
    named += [f"Pod {each.metadata.key}" for each in more.pods]
    kinds = Counter(each.partition(" ")[0] for each in named)
    for kind in (each for each in more.ignored if each.endswith(FOR_OTHERS)):
        name = kind.removesuffix(FOR_OTHERS)
        if more.ignored[kind] > kinds[name]:
            named.append(f"{more.ignored[kind] - kinds[name]} {name}")
    if not named:
        flows = first_names([f"JobFlow {each.metadata.key}" for each in more.job_flows])
        return (
            f"{flows} creates no Job at once: its first JobTemplate is missing, or its Job is denied" if flows else ""
        )
    what = first_names(named, _NAMED)
    them = "their" if len(named) > 1 else "its"
    return (
        f"Volcano places no pod of {what}, as {them} schedulerName is not {SCHEDULER_NAME}: "
        f"write schedulerName: {SCHEDULER_NAME} in the spec of the pods"
    )


def _chosen(new: Sequence[JobName], wanted: str, left_alone: str) -> str:
    if not new:
        raise NoSuchJob(left_alone or "it has no job that is not in the snapshot already")
    found = jobs_called(wanted, new) if wanted else new
    if len(found) == 1:
        return found[0].uid
    if not found:
        hint = unknown_job(wanted, new) or f"there are {', '.join(name.display for name in new)}"
        raise NoSuchJob(f"there is no new job '{wanted}' ({hint})")
    listed = ", ".join(quote(name.display) for name in found)
    raise NoSuchJob(f"there are {len(found)} new jobs, {listed}: choose one with --job")


def _fit(name: str, snapshot: str, without: Run, within: Run) -> Fit:
    job = within.jobs[name]
    tasks = list(within.tasks_of.get(name, {}).values())
    number = {state: sum(state_of(task) is state for task in tasks) for state in State}
    side = job_side(within, name)
    verdicts = [task.verdict for task in tasks if task.verdict]
    last = next(session for session in reversed(within.sessions) if name in session.jobs)
    later = last.plugins.job_pipelined(last.jobs[name]) and number[State.WAITS] > 0
    fits = bool(tasks) and job.ready >= job.min_available and number[State.PLACED] >= min(job.min_available, len(tasks))
    differences = job_differences(without, within, placements=False)
    losers = [each for each in differences if each.effect in ("loses", "both")]
    evictions = [each for each in eviction_differences(without, within) if each.change == "added"]
    own = [each.task for each in evictions if each.job == f"{job.namespace}/{job.name}"]
    return Fit(
        volcano=within.simulation.volcano,
        snapshot=snapshot,
        session=within.simulation.session,
        namespace=job.namespace,
        name=job.name,
        display_name=job.called,
        owner=job.owner,
        queue=job.queue,
        fits="now" if fits else "later" if later else "no",
        answer="",
        decision=job.decision,
        tasks=len(tasks),
        min_available=job.min_available,
        placed=number[State.PLACED],
        pipelined=number[State.WAITS],
        pending=number[State.PENDING],
        nodes=side.nodes if side else {},
        waits_for=sorted({name for task in tasks for name in task.waits_for}),
        evicts=[each.task for each in evictions if each.task not in own],
        evicted=own,
        harmed_jobs=[f"{each.namespace}/{each.name}" for each in losers],
        display_names={f"{each.namespace}/{each.name}": each.called for each in losers},
        harms=[_harm(each, without, within) for each in losers],
        verdict=job.verdict or next(iter(verdicts), None),
        diagnostics=within.simulation.diagnostics,
    )


def _harm(loser: JobDifference, without: Run, within: Run) -> Harm:
    """Count what a job that is worse off has without the new job, and with it."""
    job = f"{loser.namespace}/{loser.name}"
    before, after = (Counter(map(state_of, run.tasks_of.get(job, {}).values())) for run in (without, within))
    return Harm(
        job=job,
        display_name=loser.called,
        tasks=len(within.tasks_of.get(job, {})),
        placed_before=before[State.PLACED],
        placed_after=after[State.PLACED],
        pipelined_before=before[State.WAITS],
        pipelined_after=after[State.WAITS],
        evicted_before=before[State.EVICTED],
        evicted_after=after[State.EVICTED],
    )


# --- the largest number of replicas -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Minimum:
    """How many pods have to be there.

    Attributes:
        path: where it stands.
        submitted: what was submitted.
        others: how many that stay count for it.
        resources: what it asks for, where that is written beside it.
    """

    path: Path
    submitted: int
    others: int = 0
    resources: Mapping[str, k8s.Quantity] | None = None

    def lowered(self, replicas: int) -> int:
        """Return it with that number of replicas."""
        return min(self.submitted, replicas + self.others)


@dataclass(frozen=True, slots=True)
class _Target:
    """What is scaled: an object of a kind, or one role of it, the number of replicas, and what else of it counts."""

    kind: str
    namespace: str
    name: str
    role: str
    replicas: int
    others: int = 0
    minima: tuple[_Minimum, ...] = ()

    def edits(self, replicas: int) -> Iterator[Edit]:
        """Yield the edits that set the number of replicas; a higher minimum is lowered to it."""
        for each in self._above(replicas):
            for path, value in lowered_minimum(each.path, each.lowered(replicas), each.submitted, each.resources):
                yield SetValue(self.kind, self.namespace, self.name, path, value)
        yield Scale(self.kind, self.namespace, self.name, replicas, self.role)

    def lowered(self, replicas: int) -> list[Lowered]:
        """Return the minima that are lowered with the number of replicas."""
        return [
            Lowered(
                field=write_path(each.path).removeprefix("."),
                submitted=each.submitted,
                value=each.lowered(replicas),
            )
            for each in self._above(replicas)
        ]

    def _above(self, replicas: int) -> list[_Minimum]:
        return [each for each in self.minima if each.lowered(replicas) < each.submitted]


def _target(
    more: Manifests, tasks: Mapping[str, TaskResult], job: str, role: str, makers: set[Maker]
) -> _Target | None:
    """Return what of the new objects the job is made from; None where it is made from nothing that can be scaled."""
    for made in more.volcano_jobs:
        if (k8s.VolcanoJob, made.metadata.key) not in makers:
            continue
        own = {task.name or f"default{number}": task for number, task in enumerate(made.spec.tasks)}
        named = role or max(own, key=lambda name: own[name].replicas)
        if named not in own:
            hint = did_you_mean(named, own) or f"there are {', '.join(own)}"
            raise NoSuchJob(f"there is no role '{named}' ({hint})")
        others = sum(task.replicas for task in own.values()) - own[named].replicas
        path = ("spec", "tasks", list(own).index(named), "minAvailable")
        return _Target(
            "vcjob",
            made.metadata.namespace,
            made.metadata.name,
            named,
            own[named].replicas,
            others,
            (
                _Minimum(path, own[named].min_available or 0),
                _Minimum(("spec", "minAvailable"), made.spec.min_available, others),
            ),
        )
    for kind, objects in (("podgroup", more.pod_groups), *_workloads(more)):
        for each in objects:
            if job == each.metadata.key if kind == "podgroup" else (type(each), each.metadata.key) in makers:
                return _of_pods(kind, each, list(tasks.values()), role)
    return None


def _makers(completed: Manifests, tasks: Collection[str], job: str) -> set[Maker]:
    """Return what all tasks of a job are made from: what controls their pods, and what controls that in turn.

    Where the pods do not exist yet, it is what controls the PodGroup.
    """
    if job in completed.awaited or not tasks:
        group = next((group.metadata for group in completed.pod_groups if group.metadata.key == job), None)
        return _controllers(group, {})
    workloads = {(type(each), each.metadata.key): each.metadata for each in completed.workloads}
    found = [_controllers(pod.metadata, workloads) for pod in completed.pods if pod.metadata.key in tasks]
    return set.intersection(*found) if found else set()


def _controllers(metadata: k8s.ObjectMeta | None, workloads: Mapping[Maker, k8s.ObjectMeta]) -> set[Maker]:
    found: set[Maker] = set()
    while metadata and (owner := controller_of(metadata)):
        kind = KINDS.get((group_of(owner.api_version), owner.kind))
        maker = (kind.type, f"{metadata.namespace}/{owner.name}") if kind else None
        if maker is None or maker in found:
            break
        found.add(maker)
        metadata = workloads.get(maker)
    return found


def _workloads(more: Manifests) -> Iterator[tuple[str, Sequence[k8s.Deployment | k8s.Job | k8s.Workload]]]:
    yield "deployment", more.deployments
    yield "job", more.jobs
    for each in more.workloads:
        yield type(each).__name__.lower(), [each]


def _of_pods(kind: str, typed: object, tasks: Sequence[TaskResult], role: str) -> _Target:
    metadata: k8s.ObjectMeta = typed.metadata  # type: ignore[attr-defined] # every object has it
    if not isinstance(typed, k8s.PodGroup):
        minima = (_Minimum(ANNOTATION, minimum),) if (minimum := min_member(metadata.annotations)) > 1 else ()
        return _Target(kind, metadata.namespace, metadata.name, "", len(tasks), minima=minima)
    roles = sorted({task.role for task in tasks})
    named = role or max(roles, key=lambda name: sum(task.role == name for task in tasks), default="")
    own = sum(task.role == named for task in tasks)
    least = _Minimum(("spec", "minMember"), typed.spec.min_member, len(tasks) - own, typed.spec.min_resources)
    return _Target(kind, metadata.namespace, metadata.name, named, own, len(tasks) - own, (least,))


@dataclass(frozen=True, slots=True)
class _Held:
    """How many pods of each job have a node without the new job, and with it as it was submitted; and their names."""

    without: Mapping[str, int]
    submitted: Mapping[str, int]
    names: Mapping[str, JobName]

    def losers(self, holds: Mapping[str, int]) -> list[Affected]:
        """The jobs that have fewer pods with a node than without the new job."""
        return [
            Affected(job=self.names[job].display, pods_before=before, pods_after=holds.get(job, 0))
            for job, before in sorted(self.without.items())
            if holds.get(job, 0) < before
        ]


def _largest(target: _Target, trials: Trials, result: Fit, held: _Held) -> Largest:
    search = _Search(target, trials, held)
    replicas, exact = search.run(all_placed=result.placed == result.tasks > 0)
    harmless = search.harmless(replicas) if replicas else None
    tried = f"the search ended after {count(trials.count, 'session')} with {search.tried:,} replicas in all"
    return Largest(
        role=target.role,
        replicas=replicas,
        submitted=target.replicas,
        exact=exact,
        sessions=trials.count,
        limit_reason=search.beyond.get(replicas + 1, ""),
        lowered=target.lowered(replicas) if replicas else [],
        edits=UNSET if replicas in (0, target.replicas) else list(map(str, target.edits(replicas))),
        search_ended=tried if search.is_spent else UNSET,
        affected=search.losers.get(replicas, []),
        harmless_replicas=harmless,
    )


class _Search:
    """A search for the largest number of replicas that is placed; it runs sessions with more and with fewer.

    Attributes:
        beyond: why replicas are not placed, by the number of replicas tried.
        tried: the sum of the replicas of all sessions.
        is_spent: whether the search ended because one more session would exceed the limit on that sum.
        losers: who loses pods, by the number of replicas that are placed.
    """

    def __init__(self, target: _Target, trials: Trials, held: _Held) -> None:
        self.held = held
        self.losers = {target.replicas: held.losers(held.submitted)}
        self.target = target
        self.trials = trials
        self.beyond: dict[int, str] = {}
        self.tried = 0
        self.is_spent = False

    def run(self, *, all_placed: bool) -> tuple[int, bool]:
        """Return the largest number of replicas that was found to be placed, and whether one more is known not to."""
        submitted = self.target.replicas
        found = Bracket(fails=submitted, works=submitted if all_placed else 0)
        try:
            growing, step = all_placed, max(found.works, 1)
            while growing:
                if found.works == _MOST:
                    return _MOST, False
                found.fails = min(found.works + step, _MOST)
                growing = self._fits(found.fails)
                if growing:
                    found.works, step = found.fails, step * 2
            found.narrow(self._fits)
            if found.fails not in self.beyond:
                self._fits(found.fails)
        except BudgetExhausted:
            return found.works, False
        return found.works, True

    def harmless(self, most: int) -> int | None:
        """The largest number of replicas up to one that is placed with which no job loses a pod; None if not known."""
        if not self.losers[most]:
            return most
        found = Bracket(fails=most, works=0)
        try:
            found.narrow(lambda replicas: self._fits(replicas) and not self.losers[replicas])
        except BudgetExhausted:
            return found.works or None
        return found.works

    def _fits(self, replicas: int) -> bool:
        self.is_spent = self.tried + replicas > _MOST_IN_ALL
        if self.is_spent:
            raise BudgetExhausted
        self.tried += replicas
        trial = self.trials.run(list(self.target.edits(replicas)))
        placed = trial.bound.get(self.trials.job, 0) == replicas + self.target.others
        if placed:
            self.losers[replicas] = self.held.losers(trial.holds)
        else:
            verdict = trial.verdict
            self.beyond[replicas] = trial.refused or (f"{verdict.code}: {verdict.text}" if verdict else "")
        return placed


# --- the answer -------------------------------------------------------------------------------------------------------


def _answer(result: Fit) -> str:
    """Say it in a few sentences."""
    name = result.called
    match result.fits:
        case "now":
            placed = f"{result.placed:,} of " if result.placed < result.tasks else ""
            said = f"{name} fits now: {placed}{count(result.tasks, 'task')} on {count(len(result.nodes), 'node')}"
        case "later":
            few = partly(result.outlook, result.tasks)
            why = "" if result.waits_for or not result.blockers else f". Now it does not: {_first(result)}"
            said = f"{name} does not fit now; it {prospect(result.outlook)}{few}{why}"
        case _:
            never = ", and can never start" if result.blockers and result.blockers[0].impossible else ""
            said = f"{name} does not fit{never}: {_first(result)}" if _first(result) else f"{name} does not fit"
            said = f"{said}. {efforts(result.outlook)}" if efforts(result.outlook) else said
    sentences = [said]
    if result.evicts:
        sentences.append(f"It would evict {count(len(result.evicts), 'task')} of other jobs")
    if result.harms:
        worse = first_names([each.text for each in result.harms], _NAMED, "; ")
        verb = "is" if len(result.harms) == 1 else "are"
        sentences.append(f"{count(len(result.harms), 'job')} {verb} worse off: {worse}")
    if result.evicted:
        verb = "is" if len(result.evicted) == 1 else "are"
        sentences.append(f"{count(len(result.evicted), 'task')} of it {verb} evicted again for other jobs")
    if result.largest:
        if result.largest.lowered and result.fits != "now":
            minima = " and ".join(
                f"{_named(each, result.largest)} {each.submitted:,}" for each in result.largest.lowered
            )
            sentences.append(f"With {minima}, as submitted, no task of it would run now")
        sentences.append(_of_largest(result.largest, result.verdict))
    return ". ".join(each.rstrip(".") for each in sentences) + "."


def _first(result: Fit) -> str:
    """The first thing that keeps the job from being placed; empty where nothing is known."""
    if result.blockers:
        return f"{result.blockers[0].code}: {result.blockers[0].text}"
    return f"{result.verdict.code}: {result.verdict.text}" if result.verdict else ""


def _of_largest(largest: Largest, verdict: Verdict | None) -> str:
    role = f" of {largest.role}" if largest.role else ""
    if not largest.replicas:
        if verdict is not None and largest.limit_reason == f"{verdict.code}: {verdict.text}":
            return f"No replica{role} would run now, for the same reason"
        return f"No replica{role} would run now{f': {largest.limit_reason}' if largest.limit_reason else ''}"
    most = "Up to" if largest.exact else "At least"
    minima = [f"{_named(each, largest)} {each.value:,} in place of {each.submitted:,}" for each in largest.lowered]
    if any(write_path(MIN_RESOURCES) in each for each in largest.edits or ()):
        minima.append("minResources to match")
    lowered = f", with {' and '.join(minima)}" if minima else ""
    why = f"; {largest.replicas + 1:,} would not: {largest.limit_reason}" if largest.limit_reason else ""
    ended = f"; {largest.search_ended}" if largest.search_ended else ""
    paid = ""
    if largest.affected:
        pods = [f"{each.job} {each.pods_before:,} → {each.pods_after:,} pods" for each in largest.affected]
        paid = f". At {largest.replicas:,}, {count(len(pods), 'job')} would lose: {first_names(pods, _NAMED)}"
        if largest.harmless_replicas:
            paid += f"; up to {largest.harmless_replicas:,}, no job loses a pod"
        elif largest.harmless_replicas is not None:
            paid += "; with 1, too"
    return f"{most} {count(largest.replicas, 'replica')}{role} would run now{lowered}{why}{ended}{paid}"


def _named(minimum: Lowered, largest: Largest) -> str:
    name = minimum.field.rpartition(".")[2]
    return f"{largest.role}'s {name}" if ".tasks[" in minimum.field else name
