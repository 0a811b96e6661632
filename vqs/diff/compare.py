"""Runs both sides, and puts together what is not the same: what holds however ties are broken, and what depends on it.

Both sides are run under several ways to break ties. A change of a job that is seen under all of them holds. What is
seen only under some depends on tie-breaking, and is marked so. The number of changes of a kind can hold all the same:
where two tasks are evicted under each way, and tie-breaking decides which, two evictions hold.

Reviewers see differences beside the change: each is given its place in the files that make the candidate, and not in
the snapshot that both sides have in common. Two comparisons, as of two pushes, are compared in turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec import structs

from vqs.diff.behaviours import with_behaviours
from vqs.diff.catching_up import with_catching_up, without_empty_promises
from vqs.diff.conditions import Compared, Condition, JobSides, failures
from vqs.diff.evictions import eviction_differences, spared
from vqs.diff.findings import SILENCE_ADDED, Found, finding_differences
from vqs.diff.jobs import job_differences, job_side
from vqs.diff.left_out import changed_templates, not_looked_at, not_read, unapplied, unknowns
from vqs.diff.outcome import (
    STANDSTILL,
    Diff,
    Differences,
    Effect,
    EvictionDifference,
    Failure,
    Figures,
    JobDifference,
    JobSide,
    JobSince,
    LintDifference,
    QueueDifference,
    SettingDifference,
    Side,
    Since,
)
from vqs.diff.queues import changed, node_differences, queue_differences
from vqs.diff.run import Input, Run, opened, run_both
from vqs.diff.sentences import changes_of, remark_of
from vqs.diff.settings import Setting, configuration_difference, effective, path_of, setting_differences
from vqs.diff.tasks import State, effect_of, interchangeable_tasks, ordered, state_of
from vqs.diff.why import first_divergence
from vqs.explain.simulate import Opened, SimulateOptions
from vqs.model.job import jobs_called
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.controllers.upkeep.table import found as found_upkeep
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.configuration.read import position_in, root_of
from vqs.snapshot.reading.diagnostics import Diagnostic, Path, Position
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import name_of
from vqs.snapshot.reading.others import NOT_MODELLED


def figures(run: Run) -> Figures:
    """Count what became of tasks and jobs."""
    simulation = run.simulation
    states = Counter(map(state_of, simulation.tasks))
    running = sum(task.status == "Running" for task in simulation.tasks)
    # How far the shares of the queues with jobs are apart; None where they were not computed.
    spread = None
    if run.session.queue_ledger is not None and not run.session.standstill:
        used = {job.queue for job in simulation.jobs}
        shares = [queue.closed.share for queue in simulation.queues if queue.name in used]
        spread = max(shares) - min(shares) if shares else 0.0
    held = sum(state_of(task) is State.PLACED and task.status_before != "Pending" for task in simulation.tasks)
    return Figures(
        placed=states[State.PLACED] - held,
        pipelined=states[State.WAITS],
        evicted=states[State.EVICTED],
        pods_lost=sum(each.pods_lost for each in simulation.losses),
        restarted=sum(each.restarted for each in simulation.losses),
        pending=states[State.PENDING],
        running=running,
        jobs=len(simulation.jobs),
        full_gangs=sum(job.tasks > 0 and job.ready >= job.min_available for job in simulation.jobs),
        share_spread=spread,
        utilisation=simulation.utilisation,
    )


Difference = TypeVar("Difference", JobDifference, EvictionDifference)


def merged(diffs: Sequence[Diff]) -> Diff:
    """Return the first of several differences, with what holds in all of them, and then what does not."""
    first = diffs[0]
    if len(diffs) == 1:
        return structs.replace(first)
    by_name = [{(job.namespace, job.name): job for job in diff.jobs} for diff in diffs]
    names = sorted({name for jobs in by_name for name in jobs})
    found = (_job([jobs[name] for jobs in by_name if name in jobs], len(diffs)) for name in names)
    jobs = sorted(found, key=attrgetter("tie_dependent"))
    evictions = sorted(_evictions([diff.evictions for diff in diffs]), key=attrgetter("tie_dependent"))
    queues = _queues(first.queues, [changed(diff.queues) for diff in diffs])
    tie_dependent = sum(each.tie_dependent for differences in (evictions, queues) for each in differences)
    tie_dependent += sum(job.tie_dependent or bool(job.tie_dependent_changes) for job in jobs)
    summary = structs.replace(_least([diff.summary for diff in diffs]), tie_dependent=tie_dependent)
    drawn = any(diff.node_order_drawn for diff in diffs)
    return structs.replace(
        first,
        seeds=len(diffs),
        node_order_drawn=drawn,
        summary=summary,
        jobs=jobs,
        evictions=evictions,
        queues=queues,
    )


def _least(summaries: Sequence[Differences]) -> Differences:
    """Return the smallest of each number."""
    numbers = {
        field: min(getattr(each, field) for each in summaries)
        for field in Differences.__struct_fields__
        if field != "changes"
    }
    kinds = sorted({kind for each in summaries for kind in each.changes})
    changes = {kind: min(each.changes.get(kind, 0) for each in summaries) for kind in kinds}
    return Differences(**numbers, changes={kind: number for kind, number in changes.items() if number})


def _job(seen: Sequence[JobDifference], runs: int) -> JobDifference:
    """Return what becomes of a job: the changes that are always seen, else all of them as tie-dependent."""
    counts = Counter(change for job in seen for change in job.changes)
    always = ordered(change for change, number in counts.items() if number == runs)
    changes = always or ordered(counts)
    job = next((job for job in seen if job.changes == changes), seen[0])
    return structs.replace(
        job,
        changes=changes,
        effect=job.effect if job.changes == changes else effect_of(changes),
        seen_under_seeds=runs if always else max(counts.values()),
        tie_dependent=not always,
        tie_dependent_changes=ordered(counts.keys() - changes),
    )


def _queues(first: Iterable[QueueDifference], seen: Sequence[Sequence[QueueDifference]]) -> list[QueueDifference]:
    """Return all queues: of those that differ, the figures that always do, else the figures that sometimes do."""
    by_name = [{queue.name: queue for queue in queues} for queues in seen]
    found = []
    for same in first:
        changes = [queues[same.name] for queues in by_name if same.name in queues]
        if not changes:
            found.append(same)
            continue
        counts = Counter(field for queue in changes for field in queue.fields)
        always = [field for field in changes[0].fields if counts[field] == len(seen)]
        sure = len(changes) == len(seen) and bool(always or not counts)
        fields = always if sure else [*dict.fromkeys(field for queue in changes for field in queue.fields)]
        found.append(
            structs.replace(
                changes[0],
                fields=fields,
                effect=_effect(changes),
                seen_under_seeds=len(changes),
                tie_dependent=not sure,
            )
        )
    return found


def _effect(seen: Sequence[QueueDifference]) -> Effect:
    """Return whether a queue is better off under all ways, both where that depends on them."""
    effects = {queue.effect for queue in seen}
    if len(effects) == 1:
        return effects.pop()
    return "both" if {"gains", "loses"} <= effects or "both" in effects else "neither"


def _evictions(seen: Sequence[Sequence[EvictionDifference]]) -> list[EvictionDifference]:
    counts = Counter((each.change, each.task) for evictions in seen for each in evictions)
    first = {(each.change, each.task): each for evictions in reversed(seen) for each in evictions}
    return [
        structs.replace(first[key], seen_under_seeds=counts[key], tie_dependent=counts[key] < len(seen))
        for key in counts
    ]


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """How to compare.

    Attributes:
        session: how to run both sessions; where it gives no time, that is the later one of what the sides say it is.
        seeds: in how many ways ties are broken; with more than one, what is not seen in all of them is tie-dependent.
        placements: whether moves between equally good nodes count.
        lint: whether to look for what is wrong with the sides.
        silent: whether what is silenced in both is left out.
        fail_on: what must not be.
    """

    session: SimulateOptions = field(default_factory=SimulateOptions)
    seeds: int = 1
    placements: bool = False
    lint: bool = True
    silent: bool = True
    fail_on: Sequence[Condition] = ()


def compare(before: Input, after: Input, options: DiffOptions) -> Diff:
    """Compare what becomes of two sides.

    Raises:
        InputErrors: a side's configuration is one that Volcano refuses.
        ConditionError: a condition names something that neither side has.
    """
    now = options.session.now or max(
        (each for each in (before.manifests.now, after.manifests.now) if each is not None), default=None
    )
    alike = replace(options.session, now=now, cache=SessionCache())
    first = options.session.seed
    others = range((first or 0) + 1, (first or 0) + options.seeds)
    sessions = _opened(before, after, replace(alike, seed=first))
    with paused_collector():
        settings = setting_differences(*(each.session.conf for each in sessions))
        found = Found([])
        manifests = before.manifests, after.manifests
        ignored = [*not_looked_at(*manifests)] if options.lint or options.fail_on else []
        known = {each.message for each in before.manifests.notes}
        left_out = [each.warning for each in ignored if each.touches]
        left_out += [each for each in after.manifests.notes if each.code == NOT_MODELLED and each.message not in known]
        if options.lint:
            proposed = before.proposed, after.proposed
            news = [*(each.warning for each in ignored), *unapplied(before, after), *changed_templates(before, after)]
            news += found_upkeep(*manifests, proposed[0] | proposed[1])
            news += spared(before, after, sessions[1], replace(alike, seed=first))
            found = finding_differences(*manifests, now, sessions, silent=options.silent, proposed=proposed, news=news)
    same = _Same(before, after, options, settings, found, left_out)
    seen = [_compare(same, sessions, looks_ahead=True)]
    seen += [_compare(same, _opened(before, after, replace(alike, seed=seed))) for seed in others]
    unknown = [*dict.fromkeys(text for diff, *_ in seen for text in diff.unknown)]
    for diff, *_ in seen:
        diff.unknown = unknown
    result = merged([diff for diff, *_ in seen])
    result.differs = all(differs(diff) for diff, *_ in seen)
    result.fail_on = [condition.text for condition in options.fail_on]
    result.failures, result.tie_dependent_failures = failures(options.fail_on, seen)
    if result.after.session.standstill and not result.before.session.standstill:
        result.failures.insert(0, Failure(condition=STANDSTILL, text=result.after.session.standstill))
    for job in result.jobs:
        job.says, job.remark = changes_of(job), remark_of(job)
    locate(result, before, after)
    locate_settings(result, after, effective(sessions[1].session.conf))
    result.failed = bool(result.failures) or (result.differs and not options.fail_on)
    return result


def _opened(before: Input, after: Input, alike: SimulateOptions) -> tuple[Opened, Opened]:
    return opened(before, alike), opened(after, alike)


class _Same(NamedTuple):
    """What is the same however ties are broken."""

    before: Input
    after: Input
    options: DiffOptions
    settings: list[SettingDifference]
    found: Found
    left_out: list[Diagnostic]


def _compare(same: _Same, sessions: tuple[Opened, Opened], *, looks_ahead: bool = False) -> Compared:
    before, after, options, settings, found, left_out = same
    one, other = run_both((before, after), sessions)
    with paused_collector():
        interchangeable = set() if options.placements else interchangeable_tasks(one, other)
        jobs = job_differences(one, other, placements=options.placements, interchangeable=interchangeable)
        if looks_ahead:
            jobs = with_catching_up(without_empty_promises(jobs, one, other), one, other)
        evictions = eviction_differences(one, other, interchangeable)
        queues = queue_differences(one, other, [job for job in jobs if job.reserved_not_bound])
        sides = (_side(before, one), _side(after, other))
        moved = {task.name for job in jobs for task in job.tasks if task.change == "moved"}
        diff = Diff(
            volcano=other.simulation.volcano,
            before=sides[0],
            after=sides[1],
            differs=False,
            failed=False,
            node_order_drawn=any(side.session.node_order_drawn for side in sides),
            placements=options.placements,
            summary=summary(jobs, evictions, queues, settings, found.differences),
            figures_before=figures(one),
            figures_after=figures(other),
            jobs=jobs,
            evictions=evictions,
            queues=queues,
            nodes=node_differences(one, other, use=bool(jobs)),
            settings=settings,
            configuration=configuration_difference(before, after),
            findings=found.differences,
            silences=sum(each.finding.code == SILENCE_ADDED for each in found.differences),
            silenced=found.silenced,
            not_read=not_read(before.manifests, after.manifests),
            unknown=[*sorted({*unknowns(other)} - {*unknowns(one)}), *(each.message for each in left_out)],
            first_divergence=first_divergence(one, other, moved) if jobs else "",
        )
        if looks_ahead:
            diff = with_behaviours(diff, (before, after), (one, other))
        asked = {condition.job for condition in options.fail_on if condition.job}
        of_jobs = {name: _sides_called(name, one, other) for name in asked}
        names = [name for run in (one, other) for job, name in run.names.items() if job in run.jobs]
        return Compared(diff, names, of_jobs)


def _sides_called(name: str, before: Run, after: Run) -> dict[str, JobSides]:
    """Return both sides of the jobs that a name stands for in either session, by what they are called."""
    run_of: dict[str, Run] = {}
    for run in (after, before):
        known = {each.uid: (job, each) for job, each in run.names.items() if job in run.jobs}
        for each in jobs_called(name, (each for _, each in known.values())):
            run_of.setdefault(known[each.uid][0], after if known[each.uid][0] in after.jobs else before)
    return {run.display_name(job): (job_side(before, job), job_side(after, job)) for job, run in run_of.items()}


def _side(side: Input, finished: Run) -> Side:
    return Side(
        name=side.name,
        files=list(side.files),
        volcano=finished.simulation.volcano,
        edits=list(side.edits),
        session=finished.simulation.session,
        diagnostics=finished.simulation.diagnostics,
    )


def differs(diff: Diff) -> bool:
    """Tell whether anything is not the same under one way to break ties."""
    nodes = any(node.change != "same" for node in diff.nodes)
    stops = diff.before.session.standstill != diff.after.session.standstill
    moved = diff.configuration is not None
    others = (diff.jobs, diff.evictions, changed(diff.queues), diff.settings, diff.findings, diff.unknown)
    return stops or nodes or moved or any(others)


def summary(
    jobs: Sequence[JobDifference],
    evictions: Sequence[EvictionDifference],
    queues: Sequence[QueueDifference],
    settings: Sequence[SettingDifference],
    findings: Sequence[LintDifference],
) -> Differences:
    """Count what differs under one way to break ties."""
    of_evictions = Counter(eviction.change for eviction in evictions)
    of_queues = Counter(queue.change for queue in changed(queues))
    of_findings = Counter(each.change for each in findings)
    return Differences(
        jobs=len(jobs),
        gain=sum(job.effect in ("gains", "both") for job in jobs),
        lose=sum(job.effect in ("loses", "both") for job in jobs),
        both=sum(job.effect == "both" for job in jobs),
        changes=dict(sorted(Counter[str](job.changes[0] for job in jobs).items())),
        evictions_added=of_evictions["added"],
        evictions_gone=of_evictions["gone"],
        queues=of_queues.total(),
        queues_added=of_queues["added"],
        queues_removed=of_queues["removed"],
        settings=len(settings),
        findings_new=of_findings["new"],
        findings_gone=of_findings["gone"],
        tie_dependent=0,
    )


# --- two comparisons --------------------------------------------------------------------------------------------------


def since(earlier: Diff, later: Diff) -> Since:
    """Return what is otherwise than in an earlier comparison, apart from what depends on tie-breaking."""
    before, after = ({job.called: job.says for job in diff.jobs if not job.tie_dependent} for diff in (earlier, later))
    set_before, set_after = (
        {each.key: (each.before, each.after) for each in diff.settings} for diff in (earlier, later)
    )
    found, finds = (
        [f"{each.finding.code}: {each.finding.message}" for each in diff.findings if each.change == "new"]
        for diff in (earlier, later)
    )
    held, holds = ([failure.condition for failure in diff.failures] for diff in (earlier, later))
    return Since(
        jobs=[
            JobSince(name=name, before=before.get(name, ""), after=after.get(name, ""))
            for name in sorted({**before, **after})
            if before.get(name) != after.get(name)
        ],
        failures_new=[each for each in holds if each not in held],
        failures_gone=[each for each in held if each not in holds],
        settings=sorted(key for key in {**set_before, **set_after} if set_before.get(key) != set_after.get(key)),
        findings_new=[each for each in finds if each not in found],
        findings_gone=[each for each in found if each not in finds],
    )


# --- places -----------------------------------------------------------------------------------------------------------

_NAME: Final = ("metadata", "name")
_WRITTEN: Final = ("spec", "metadata")
"""The parts of an object that people write, with what decides most first."""

_BY_THE_CLUSTER: Final = frozenset(
    {"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "ownerReferences"}
)
_OF_JOBS: Final = ("volcano_jobs", "pod_groups", "deployments", "jobs", "workloads")


def locate(diff: Diff, before: Input, after: Input) -> None:
    """Set the file and line of queues and jobs that differ, on both sides, and those of the configuration."""
    for side, given, get in ((diff.before, before, "before"), (diff.after, after, "after")):
        places = _Places(given, after if given is before else before)
        if given.manifests.conf is not None and given.manifests.conf.document.source.name in places.files:
            side.conf_file = given.manifests.conf.document.source.name
            side.conf_line = given.manifests.conf.position(Position(1, 1)).line
        for queue in diff.queues:
            shown = getattr(queue, get)
            if shown is not None and queue.change != "same":
                shown.file, shown.line = places.find(("queues",), queue.name)
        for job in diff.jobs:
            shown_job = getattr(job, get)
            if shown_job is not None:
                shown_job.file, shown_job.line = places.of_job(job, shown_job)


def locate_settings(diff: Diff, after: Input, settings: Mapping[str, Setting]) -> None:
    """Set the lines of settings that differ, as far as the candidate's configuration is in one of its own files."""
    conf = after.manifests.conf
    root = root_of(conf) if conf is not None and diff.after.conf_file else None
    if conf is None or root is None:
        return
    for each in diff.settings:
        each.line = conf.position(position_in(root, path_of(each.key, settings), key=True)).line


class _Places:
    """The objects of a side by list and name, as far as they are in its own files."""

    def __init__(self, side: Input, other: Input) -> None:
        self.side = side
        self.other = other
        self.files = frozenset(side.files)
        self._known: dict[str, Mapping[str, int]] = {}
        self._opposite: dict[str, Mapping[str, Any]] = {}

    def find(self, list_names: tuple[str, ...], name: str) -> tuple[str, int | None]:
        """Return the file of an object, and the line in which it differs from the other side, else that of its name.

        The file is empty where the object is in none of the side's own.
        """
        for list_name in list_names:
            if list_name not in self._known:
                self._known[list_name] = {
                    name_of(typed): index
                    for index, (typed, origin) in enumerate(self.side.manifests.with_origins(list_name))
                    if origin.document.source.name in self.files
                }
            index = self._known[list_name].get(name)
            if index is not None:
                origin = self.side.manifests.origins[list_name][index]
                return origin.document.source.name, self._line(list_name, index, name, origin)
        return "", None

    def of_job(self, job: JobDifference, side: JobSide) -> tuple[str, int | None]:
        """Return the file and line of a job: of what it is called after, else of its PodGroup."""
        names = [job.owner.name] if job.owner is not None else []
        found = (self.find(_OF_JOBS, f"{job.namespace}/{name}") for name in (*names, side.pod_group))
        return next((each for each in found if each[0]), ("", None))

    def _line(self, list_name: str, index: int, name: str, origin: Origin) -> int:
        if list_name not in self._opposite:
            objects = getattr(self.other.manifests, list_name)
            self._opposite[list_name] = {name_of(each): each for each in objects}
        other = self._opposite[list_name].get(name)
        if other is not None:
            own, known = (msgspec.to_builtins(each) for each in (getattr(self.side.manifests, list_name)[index], other))
            for part in _WRITTEN:
                paths = _differing(own.get(part), known.get(part), (part,))
                lines = [origin.position(path).line for path in paths]
                if lines:
                    return min(lines)
        return origin.position(_NAME).line


def _differing(one: object, other: object, path: Path) -> Iterator[Path]:
    """Yield the paths of the values that are not the same, but for what the cluster sets; of lists, item by item."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys((*one, *other)):
            if path != ("metadata",) or key not in _BY_THE_CLUSTER:
                yield from _differing(one.get(key), other.get(key), (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from _differing(*pair, (*path, index))
    elif one != other:
        yield path
