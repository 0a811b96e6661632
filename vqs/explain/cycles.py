"""Session after session: what becomes of a cluster when only the scheduler and the controllers act.

Between two sessions a schedule period of one second goes by; `vqs.explain.aftermath` tells what happens in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

import msgspec

from vqs.explain.affected import Eviction
from vqs.explain.aftermath import PERIOD, Aftermath
from vqs.explain.outcome import OfJob, Result, Simulation
from vqs.explain.simulate import EPOCH, SimulateOptions, run_session, simulation_of
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.manifests import Manifests

_RANGE: Final = 3
"""As many numbers in a row as this are written as a range."""


# --- the result -------------------------------------------------------------------------------------------------------


class Cycle(Result, kw_only=True, omit_defaults=False):
    """One session, and what comes of it until the next one.

    Attributes:
        number: counted from 1.
        simulation: the session.
        bound: the tasks that it binds; they run when the next one opens.
        evictions: whom it evicts, and for whom.
        gone: the pods that are no more when the next one opens.
        created: the pods that are created for the first time by then, as what they waited for has happened.
        recreated: the pods that are created again by then.
        awaiting_admission: the pods that their controller creates again only once the PodGroup is admitted.
        changed: whether the next session finds anything that this one did not.
    """

    number: int
    simulation: Simulation
    bound: list[str]
    evictions: list[Eviction]
    gone: list[str]
    created: list[str] = msgspec.field(default_factory=list)
    recreated: list[str]
    awaiting_admission: list[str]
    changed: bool


class EvictionLoop(Result, kw_only=True, omit_defaults=False):
    """Evictions that lead nowhere: jobs that evict each other, or one that is evicted whenever it has been placed.

    Attributes:
        kind: mutual or again.
        jobs: the two jobs, or the one and then those that evict it.
        display_names: what these are called.
        cycles: when.
        text: the same in a sentence.
    """

    kind: Literal["mutual", "again"]
    jobs: list[str]
    display_names: dict[str, str] = msgspec.field(default_factory=dict)
    cycles: list[int]
    text: str


class EvictionsWithoutProgress(OfJob, kw_only=True, omit_defaults=False):
    """A job in whose favour tasks are evicted in several sessions, and that gets nothing bound from then on.

    Attributes:
        cycles: when.
        evicted: how many tasks.
        text: the same in a sentence.
    """

    cycles: list[int]
    evicted: int
    text: str


class Cycles(Result, tag_field="schema", tag="vqs/cycles/v2", kw_only=True, omit_defaults=False):
    """Sessions in their order. `settled` tells whether the last one changes nothing, so that the next is the same.

    Jobs of an eviction loop are not named again among those for which others are evicted without progress.
    """

    cycles: list[Cycle]
    settled: bool
    eviction_loops: list[EvictionLoop]
    evictions_without_progress: list[EvictionsWithoutProgress]


# --- running ----------------------------------------------------------------------------------------------------------


def run_cycles(manifests: Manifests, options: SimulateOptions, cycles: int) -> Cycles:
    """Run sessions until nothing changes, at most the given number.

    What a scenario expects is expected of the first one.

    Raises:
        InputErrors: as for `vqs.explain.simulate.simulate`.
    """
    begin = options.now or manifests.now or EPOCH
    options = replace(options, cache=SessionCache())
    done: list[Cycle] = []
    aftermath = Aftermath(manifests)
    for number in range(1, cycles + 1):
        now = begin + (number - 1) * PERIOD
        with paused_collector():
            finished = run_session(manifests, replace(options, now=now))
            options = replace(options, process=finished.session.options.process)
            simulation = simulation_of(finished, manifests, options)
            manifests = aftermath.of(finished, now)
        done.append(
            Cycle(
                number=number,
                simulation=simulation,
                bound=sorted(aftermath.bound),
                evictions=aftermath.evictions,
                gone=sorted(aftermath.gone),
                created=sorted(aftermath.created),
                recreated=sorted(aftermath.recreated),
                awaiting_admission=sorted(aftermath.awaiting_admission),
                changed=aftermath.changed,
            )
        )
        finished.release()
        if not aftermath.changed:
            break
    settled = bool(done) and not done[-1].changed
    loops = find_eviction_loops(done)
    named = {job for each in loops for job in each.jobs}
    without_progress = [each for each in find_evictions_without_progress(done) if each.job not in named]
    return Cycles(cycles=done, settled=settled, eviction_loops=loops, evictions_without_progress=without_progress)


# --- evictions without progress ---------------------------------------------------------------------------------------


def find_evictions_without_progress(cycles: list[Cycle]) -> list[EvictionsWithoutProgress]:
    """Find jobs that others are evicted for again and again, though nothing of them is bound from then on."""
    found: dict[str, list[int]] = {}
    for cycle in cycles:
        for eviction in cycle.evictions:
            found.setdefault(eviction.evictor_job, []).append(cycle.number)
    names = {uid: name for cycle in cycles for uid, name in cycle.simulation.display_names().items()}
    bound = {job: cycle.number for cycle in cycles for job in _jobs_of(cycle, set(cycle.bound))}
    vain: list[EvictionsWithoutProgress] = []
    for job, numbers in sorted(found.items()):
        if bound.get(job, 0) < numbers[0] and any(numbers[0] < number < cycles[-1].number for number in numbers):
            name, when = names.get(job, job), sorted(set(numbers))
            text = (
                f"{len(numbers)} tasks are evicted for {name} in cycles {_listed(when)}, but none of its own is bound"
            )
            vain.append(
                EvictionsWithoutProgress(job=job, display_name=name, cycles=when, evicted=len(numbers), text=text)
            )
    return vain


def find_eviction_loops(cycles: list[Cycle]) -> list[EvictionLoop]:
    """Find jobs that evict each other in turn, and jobs that are evicted again after they have been placed again."""
    when: dict[tuple[str, str], list[int]] = {}
    for cycle in cycles:
        for eviction in cycle.evictions:
            numbers = when.setdefault((eviction.evictor_job, eviction.job), [])
            if cycle.number not in numbers:
                numbers.append(cycle.number)
    names = {uid: name for cycle in cycles for uid, name in cycle.simulation.display_names().items()}
    mutual: list[EvictionLoop] = []
    for one, other in sorted(when):
        numbers = sorted({*when[one, other], *when.get((other, one), ())})
        if one < other and (other, one) in when and len(numbers) > 1:
            called = _called([one, other], names)
            text = f"{called[one]} and {called[other]} evict each other in cycles {_listed(numbers)}"
            mutual.append(
                EvictionLoop(kind="mutual", jobs=[one, other], display_names=called, cycles=numbers, text=text)
            )
    named = {job for each in mutual for job in each.jobs}
    # By cycle, the jobs whose tasks it binds that were created again after an eviction.
    back, placed = set[str](), dict[int, set[str]]()
    for cycle in cycles:
        placed[cycle.number] = _jobs_of(cycle, back.intersection(cycle.bound))
        back.update(cycle.recreated)
    again = [_again(job, placed, when, names) for job in sorted({victim for _, victim in when} - named)]
    return [*mutual, *(each for each in again if each is not None)]


def _jobs_of(cycle: Cycle, names: set[str]) -> set[str]:
    """Return the jobs of some tasks."""
    tasks = (task for task in cycle.simulation.tasks if f"{task.namespace}/{task.name}" in names)
    return {f"{task.namespace}/{task.job}" for task in tasks}


def _again(
    job: str, placed: dict[int, set[str]], when: dict[tuple[str, str], list[int]], names: Mapping[str, str]
) -> EvictionLoop | None:
    """Name a job that was evicted, placed again, and evicted again."""
    evicted = sorted({number for (_, victim), numbers in when.items() if victim == job for number in numbers})
    back = [number for number, jobs in placed.items() if job in jobs]
    turns = [number for number in evicted if any(before < turn <= number for before in evicted for turn in back)]
    if not turns:
        return None
    by = sorted({evictor for evictor, victim in when if victim == job})
    called = _called([job, *by], names)
    evictors = ", ".join(called[each] for each in by)
    text = f"{called[job]} is evicted again each time it is placed, in cycles {_listed(evicted)}, by {evictors}"
    return EvictionLoop(kind="again", jobs=[job, *by], display_names=called, cycles=evicted, text=text)


def _called(jobs: Sequence[str], names: Mapping[str, str]) -> dict[str, str]:
    return {job: names.get(job, job) for job in jobs}


def _listed(numbers: list[int]) -> str:
    """Write numbers that rise, three or more in a row as a range."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) >= _RANGE else ", ".join(map(str, run)) for run in runs)
