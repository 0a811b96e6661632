"""How what a queue deserves, and the most it may have, came about: the ledger's own steps, in the user's units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vqs.engine.framework import ledger
from vqs.explain.queues import outcome
from vqs.explain.units import NEARLY_UNLIMITED, amounts
from vqs.model.resource import Resource


def derivation(
    steps: ledger.ProportionRounds | ledger.LimitChain, line: Sequence[str], guarantees: Mapping[str, Resource]
) -> outcome.Division | outcome.Chain:
    """Return the steps that concern a queue: all rounds with all queues, or the chain from the root to it.

    Args:
        steps: what the ledger recorded.
        line: the queue, then the ones above it.
        guarantees: of each queue, as the ledger has them.
    """
    if isinstance(steps, ledger.ProportionRounds):
        return _division(steps)
    return _chain(steps, [name for name in reversed(line) if name in steps.links], guarantees)


# --- proportion -------------------------------------------------------------------------------------------------------


def _division(division: ledger.ProportionRounds) -> outcome.Division:
    return outcome.Division(
        total=amounts(division.total),
        guaranteed=amounts(division.guaranteed),
        unguaranteed=amounts(division.unguaranteed),
        rounds=[_round(number, each) for number, each in enumerate(division.rounds, 1)],
    )


def _round(number: int, each: ledger.ProportionRound) -> outcome.Round:
    return outcome.Round(
        number=number,
        remaining=amounts(each.remaining),
        total_weight=each.total_weight,
        steps=[_step(step, each.total_weight) for step in each.steps],
        left=amounts(each.left),
    )


def _step(step: ledger.ProportionStep, total_weight: int) -> outcome.RoundStep:
    return outcome.RoundStep(
        queue=step.queue,
        weight=step.weight,
        part=step.weight / total_weight,
        before=amounts(step.before),
        offered=amounts(step.offered),
        capped=amounts(step.capped),
        wanted=amounts(step.wanted),
        deserved=amounts(step.deserved),
        cut_by_real_capability=_changed(step.offered, step.capped),
        cut_by_request=_changed(step.capped, step.wanted),
        raised_by_guarantee=_changed(step.wanted, step.deserved),
        met=None if step.satisfied is None else step.satisfied.value,
    )


def _changed(before: Resource, after: Resource) -> list[str]:
    """Name the resources whose amounts differ."""
    names = {**dict.fromkeys(before.dimensions()), **dict.fromkeys(after.dimensions())}
    return [name for name in names if before.get(name) != after.get(name)]


# --- capacity ---------------------------------------------------------------------------------------------------------


def _chain(chain: ledger.LimitChain, names: Sequence[str], guarantees: Mapping[str, Resource]) -> outcome.Chain:
    limited_by: dict[str, str] = {}
    links: list[outcome.Link] = []
    for name in names:
        link = chain.links[name]
        limited_by = _limited_by(link, guarantees[name], limited_by, is_root=chain.tree and not link.parent)
        links.append(_link(link, guarantees[name], limited_by))
    return outcome.Chain(tree=chain.tree, total=amounts(chain.total), links=links)


def _limited_by(
    link: ledger.LimitLink, guarantee: Resource, above: Mapping[str, str], *, is_root: bool
) -> dict[str, str]:
    """Tell for each resource whose limit it is; `above` tells so for the queue above.

    The cluster itself, in a flat list of queues, has no name.
    """
    if is_root and not link.available.is_empty():
        return dict.fromkeys(link.real_capability.dimensions(), "")
    causes = {}
    for name in link.real_capability.dimensions():
        if link.real_capability.get(name) >= NEARLY_UNLIMITED:
            continue
        set_here = name in link.capability.dimensions()
        cut = is_root or (set_here and link.capability.get(name) <= link.unreserved.get(name))
        others = link.guaranteed.get(name) > guarantee.get(name)
        if cut and name in link.inherited:
            causes[name] = above.get(name, link.queue)
        elif cut or (link.parent and others):
            causes[name] = link.queue
        else:
            causes[name] = above.get(name, "")
    return causes


def _link(link: ledger.LimitLink, guarantee: Resource, limited_by: dict[str, str]) -> outcome.Link:
    return outcome.Link(
        queue=link.queue,
        parent=link.parent,
        available=amounts(link.available),
        guaranteed=amounts(link.guaranteed),
        unreserved=amounts(link.unreserved),
        configured=amounts(link.configured),
        inherited=list(link.inherited),
        capability=amounts(link.capability),
        real_capability=amounts(link.real_capability),
        limited_by=limited_by,
        configured_deserved=amounts(link.configured_deserved),
        children_deserved=amounts(link.children_deserved),
        guarantee=amounts(guarantee),
        deserved=amounts(link.deserved),
    )
