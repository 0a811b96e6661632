"""Which tasks a queue has to give up to a task of another queue, and what the queues above the two say to it.

With the argument `ancestorReclaimLevel` at 1, the parents count, at 2 the grandparents as well, and so on; the root
never does. Reference: getReclaimeeAncestorToCheck and sharesAnyNonRootAncestorWithinLevel in
pkg/scheduler/plugins/capacity/capacity.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, repeat
from typing import TypeAlias

from vqs.engine.framework.votes import Refusal, Victims
from vqs.engine.plugins.capacity.accounts import CapacityAccount
from vqs.model.codes import EvictionCode
from vqs.model.resource import CPU, EPSILON, PODS, Resource
from vqs.model.task import Task

NAME = "capacity"

Rule: TypeAlias = Callable[[Task, Task | None, CapacityAccount, Resource], Refusal | None]
"""Tells why a task is spared for another one, given its queue and what that still holds; None where it is not."""


def cache_key(reclaimer: Task) -> tuple[str, ...]:
    """What the vote depends on of the reclaimer: what it asks for."""
    return tuple(reclaimer.request.names())


def victims(
    reclaimer: Task | None,
    candidates: Iterable[Task],
    account_of: Callable[[Task], CapacityAccount],
    rule: Rule,
    levels: int = 0,
) -> Victims:
    """Take tasks one by one in favour of another one, or of a gang, as long as a rule does not spare them.

    Up to some levels above their queue, its ancestors have to hold more than they deserve as well.
    """
    votes = Victims()
    held: dict[str, Resource] = {}
    own = account_of(reclaimer) if reclaimer is not None else None
    for task in candidates:
        account = account_of(task)
        allocated = _without_victims(held, account)
        refusal = rule(task, reclaimer, account, allocated)
        ancestors: list[tuple[CapacityAccount, Resource]] = []
        if levels and reclaimer is not None and own is not None:
            ancestors = [(each, _without_victims(held, each)) for each in judged_ancestors(own, account, levels)]
            refusal = refusal or _below_the_same_queue(task, reclaimer, own, account, levels)
            for each, amounts in ancestors:
                refusal = refusal or _within_deserved(task, each, amounts)
        if refusal is not None:
            votes.spare(task, refusal)
            continue
        for _, amounts in ancestors:
            amounts.sub(task.request)
        allocated.sub(task.request)
        votes.take(task)
    return votes


def _without_victims(held: dict[str, Resource], account: CapacityAccount) -> Resource:
    """What a queue holds without the victims found so far."""
    amounts = held.get(account.name)
    if amounts is None:
        amounts = held[account.name] = account.allocated.clone()
    return amounts


def _below_the_same_queue(
    task: Task, reclaimer: Task, own: CapacityAccount, account: CapacityAccount, levels: int
) -> Refusal | None:
    """Spare a task below the same ancestor as the reclaimer where neither queue deserves anything that is at stake."""
    if _common(task.request, account.deserved) or _common(reclaimer.request, own.deserved):
        return None
    above = list(ancestors_within(own, levels))
    shared = next((each for each in ancestors_within(account, levels) if each in above), None)
    return None if shared is None else Refusal(EvictionCode.BELOW_THE_SAME_QUEUE, NAME, queue=shared.name)


def by_relevant_resources(
    task: Task, reclaimer: Task | None, account: CapacityAccount, allocated: Resource
) -> Refusal | None:
    """Spare a task without which its queue would hold less than its guarantee, or that need not go.

    That is one that holds nothing of what the reclaimer asks for, or whose queue holds no more than it deserves of all
    that the task holds. One that holds nothing of what its queue deserves is not spared for that.
    """
    if reclaimer is not None and not any(name != PODS for name in _common(task.request, reclaimer.request)):
        return Refusal(EvictionCode.NO_COMMON_RESOURCE, NAME)
    return _guaranteed(task, account, allocated) or _within_deserved(task, account, allocated)


def by_all_resources(task: Task, _: Task | None, account: CapacityAccount, allocated: Resource) -> Refusal | None:
    """Spare a task without which its queue would hold less than its guarantee, or whose queue holds what it deserves.

    A scalar counts only where it is deserved; one that is deserved and of which the queue has never held anything
    counts as if it held more than that.
    """
    deserved = account.deserved
    known = Resource(allocated.milli_cpu, allocated.memory)
    known.scalars = {name: amount for name, amount in allocated.scalars.items() if name in deserved.scalars}
    if known.less_equal(deserved) and known.scalars.keys() == deserved.scalars.keys():
        name = next(iter(task.request.names()), CPU)
        need, have = allocated.get(name), account.deserved.get(name)
        return Refusal(EvictionCode.QUEUE_WITHIN_DESERVED, NAME, name, need, have, queue=account.name)
    return _guaranteed(task, account, allocated)


def _within_deserved(task: Task, account: CapacityAccount, allocated: Resource) -> Refusal | None:
    """Spare a task of a queue that holds no more than it deserves of anything that the task holds."""
    if not _common(task.request, account.deserved) or _exceeds(allocated, account.deserved, task.request):
        return None
    name = _common(task.request, account.deserved)[0]
    need, have = allocated.get(name), account.deserved.get(name)
    return Refusal(EvictionCode.QUEUE_WITHIN_DESERVED, NAME, name, need, have, queue=account.name)


def _guaranteed(task: Task, account: CapacityAccount, allocated: Resource) -> Refusal | None:
    lacking = account.guarantee.lacking(allocated.clone().sub(task.request))
    if not lacking:
        return None
    name = lacking[0]
    need, have = account.guarantee.get(name), allocated.get(name)
    return Refusal(EvictionCode.QUEUE_GUARANTEE, NAME, name, need, have, queue=account.name)


def _common(left: Resource, right: Resource) -> list[str]:
    """Name the resources that both have a noticeable amount of."""
    theirs = set(right.names())
    return [name for name in left.names() if name in theirs]


def _exceeds(allocated: Resource, deserved: Resource, request: Resource) -> bool:
    """True if more is held than deserved of anything that is asked for, as far as deserved speaks of it."""
    if request.milli_cpu > 0 and deserved.milli_cpu >= EPSILON and allocated.milli_cpu > deserved.milli_cpu:
        return True
    if request.memory > 0 and deserved.memory >= EPSILON and allocated.memory > deserved.memory:
        return True
    return any(
        amount > 0 and name != PODS and allocated.get(name) > deserved.scalars[name]
        for name, amount in request.scalars.items()
        if name in deserved.scalars
    )


def within_deserved(allocated: Resource, deserved: Resource, request: Resource) -> bool:
    """True if with a request something that it asks for is still no more than deserved.

    What the queue neither holds nor deserves does not count.
    """
    future = allocated.clone().add(request)
    return any(
        request.get(name) > 0
        and name != PODS
        and max(future.get(name), deserved.get(name)) >= EPSILON
        and future.get(name) - deserved.get(name) < EPSILON
        for name in request.dimensions()
    )


def ancestors_within(account: CapacityAccount, levels: int) -> Iterator[CapacityAccount]:
    """Yield the queues up to some levels above a queue, the nearest first, without the root."""
    yield from reversed(account.ancestors[1:][-levels:] if levels > 0 else ())


def judged_ancestors(reclaimer: CapacityAccount, victim: CapacityAccount, levels: int) -> Iterator[CapacityAccount]:
    """Yield the ancestors that have to hold more than they deserve for a task of a queue to be a victim.

    An ancestor that the queue that reclaims has at the same level is left out.
    """
    others = chain(ancestors_within(reclaimer, levels), repeat(None))
    for own, other in zip(ancestors_within(victim, levels), others, strict=False):
        if own is not other:
            yield own
