"""What can be changed in the scheduler's configuration so that a job is placed: the actions, and flags of plugins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from vqs.config.known_plugins import OF_ENQUEUE
from vqs.config.scheduler_conf import PluginOption
from vqs.engine.actions import allocate, backfill, enqueue, preempt, reclaim
from vqs.engine.actions.eviction.votes import EVICTABLE
from vqs.engine.plugins import drf, gang
from vqs.explain.jobs.case import Case, Parameter, choice
from vqs.model.codes import EvictionCode
from vqs.model.job import TaskStatus
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.whatif.edits import CONF, SetValue

ACTIONS: Final = "actions"
JOB_ORDER: Final = "enableJobOrder"
GANG_SPARES: Final = "enablePreemptable"


_EVICTING: Final = (reclaim.NAME, preempt.NAME)


def actions(case: Case) -> Iterator[Parameter]:
    """Change the actions: add one that would admit or place the job, or evict others for it; put allocate first.

    Where enqueue does not admit the job, the actions without enqueue are tried as well, and then without the plugins
    that only answer it.
    """
    given = case.session.conf.actions
    placing = given
    if needs_allocate(case):  # behind the action that admits jobs, before all others
        at = given.index(enqueue.NAME) + 1 if enqueue.NAME in given else 0
        placing = (*given[:at], allocate.NAME, *given[at:])
    wanted = []
    if case.job.uid in case.session.not_enqueued and enqueue.NAME not in given:
        wanted.append((enqueue.NAME, *placing))
    elif placing != given:
        wanted.append(placing)
    if backfill.NAME not in given and any(task.best_effort for task in case.pending):
        wanted.append((*placing, backfill.NAME))
    for name in _evicting(case):  # behind allocate, and behind reclaim: before it, it reserves for nothing
        others = [placing.index(each) + 1 for each in (allocate.NAME, reclaim.NAME) if each in placing]
        at = max(others, default=len(placing))
        wanted.append((*placing[:at], name, *placing[at:]))
    if allocate.NAME in given and any(name in given[: given.index(allocate.NAME)] for name in _EVICTING):
        rest = [each for each in given if each != allocate.NAME]
        first = min(rest.index(each) for each in _EVICTING if each in rest)
        wanted.append((*rest[:first], allocate.NAME, *rest[first:]))
    if case.job.uid in case.session.not_enqueued and enqueue.NAME in given:
        wanted.append(tuple(each for each in placing if each != enqueue.NAME))
    for names in wanted:
        before, after = ", ".join(given), ", ".join(names)
        edits = [SetValue(CONF, "", "", ("actions",), after)]
        if enqueue.NAME in given and enqueue.NAME not in names:
            edits += [
                SetValue(CONF, "", "", path, None) for path, option in _plugins(case) if option.name in OF_ENQUEUE
            ]
        yield choice(ACTIONS, CONF, before, after, edits)


def _evicting(case: Case) -> Iterator[str]:
    """Yield the actions that are not there and evict, where other jobs run that they may look at."""
    job, given = case.job, case.session.conf.actions
    if job.uid in case.session.not_enqueued:
        return
    others = [each for each in case.session.jobs.values() if each is not job and any(map(each.having, EVICTABLE))]
    queues = {each.queue for each in others}
    if reclaim.NAME not in given and queues - {job.queue}:
        yield reclaim.NAME
    if preempt.NAME not in given and job.queue in queues:
        yield preempt.NAME


def needs_allocate(case: Case) -> bool:
    """Tell whether tasks wait for the action allocate, and it is not there."""
    awaited = case.session.cluster.awaited.get(case.job.uid)
    return allocate.NAME not in case.session.conf.actions and (
        awaited is not None or any(not task.best_effort for task in case.pending)
    )


# --- flags of plugins -------------------------------------------------------------------------------------------------


def _switched_off(case: Case, plugin: str, flags: Sequence[str]) -> Iterator[Parameter]:
    """Switch those flags of a plugin off that are on."""
    for path, option in _plugins(case):
        on = [flag for flag in flags if option.name == plugin and option.enabled(flag)]
        if on:
            edits = [SetValue(CONF, "", "", (*path, flag), value=False) for flag in on]
            yield choice(" and ".join(on), f"{CONF}/{plugin}", "true", "false", edits)


def _plugins(case: Case) -> Iterator[tuple[Path, PluginOption]]:
    """Yield the plugins, and where each is by its name, which stays where one before it is taken out."""
    for number, tier in enumerate(case.session.conf.tiers):
        for option in tier.plugins:
            yield ("tiers", number, "plugins", option.name), option


def job_order(case: Case) -> Iterator[Parameter]:
    """Have drf order no jobs, where others of the queue wait or are placed."""
    others = [each for each in case.session.jobs.values() if each.queue == case.job.queue and each is not case.job]
    if any(each.having(TaskStatus.Binding) or each.waiting for each in others):
        yield from _switched_off(case, drf.NAME, [JOB_ORDER])


def gang_spares(case: Case) -> Iterator[Parameter]:
    """Have gang spare no task, where it spared some that could go."""
    if case.spared(EvictionCode.NEEDED_BY_ITS_GANG):
        yield from _switched_off(case, gang.NAME, [GANG_SPARES, "enableReclaimable"])
