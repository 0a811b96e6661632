"""What can be changed in a hierarchy of queues that older releases refuse, and schedule nothing with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from vqs.explain.jobs.case import (
    CAPABILITY,
    DESERVED,
    GUARANTEE,
    Case,
    Parameter,
    Promises,
    choice,
    field_of,
    set_value,
)
from vqs.explain.jobs.manifest import exact, in_manifest
from vqs.model.queue import ROOT

_NOTHING: Final = Fraction(0)


def within_parents(case: Case) -> Iterator[Parameter]:
    """Lower what queues may have, deserve or are guaranteed to what the queue above them has; all of a kind at once."""
    for what in (CAPABILITY, DESERVED, GUARANTEE):
        amounts = {each.metadata.name: field_of(each.spec, what)[1] for each in case.given.queues}
        resources = sorted({resource for each in amounts.values() for resource in each})
        lowered = {resource: _lowered(case, what, Promises(case.given.queues, resource)) for resource in resources}
        edits, before, after = [], [], []
        for name in amounts:
            path, written = field_of(case.queue(name).spec, what)
            for resource in (each for each in resources if name in lowered[each]):
                value = in_manifest(resource, lowered[resource][name], written[resource])
                edits.append(set_value("queue", name, (*path, resource), value))
                before.append(f"{written[resource]} {resource}")
                after.append(f"{value} {resource}")
        if edits:
            queues = ", ".join(dict.fromkeys(each.name for each in edits))
            yield choice(what, f"queue/{queues}", ", ".join(before), ", ".join(after), edits)


def _lowered(case: Case, what: str, promises: Promises) -> Mapping[str, Fraction]:
    """Return how much of a resource queues are to have that have too much, from the root down."""
    total = exact(promises.resource, case.session.nodes.total.get(promises.resource)) or _NOTHING
    own = {CAPABILITY: promises.capable, DESERVED: promises.deserved, GUARANTEE: promises.guaranteed}[what]
    now = {name: amount for name, amount in own.items() if amount}
    found: dict[str, Fraction] = {}
    waiting = [(ROOT, now.get(ROOT, total))]
    while waiting:
        parent, limit = waiting.pop()
        children = {name: now.get(name, _NOTHING) for name in promises.tree.child_names(parent) if name != ROOT}
        if what == CAPABILITY:
            less = {name: limit for name, amount in children.items() if amount > limit}
        else:
            less = _cut(children, limit) if limit else {}
        found |= less
        has = children | less
        waiting += [(name, has[name] or (limit if what == CAPABILITY else _NOTHING)) for name in has]
    return found


def _cut(amounts: Mapping[str, Fraction], limit: Fraction) -> dict[str, Fraction]:
    """Return what is left of some amounts, of the largest first, for them to be no more than a limit together."""
    excess, left = sum(amounts.values(), _NOTHING) - limit, {}
    for name in sorted(amounts, key=lambda name: (-amounts[name], name)):
        if excess > 0:
            left[name] = max(amounts[name] - excess, _NOTHING)
            excess -= amounts[name]
    return left
