"""The capability that holds for a queue: its own, or the one of the nearest ancestor that has one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from vqs.lint.amounts import CAPABILITY, exact, words
from vqs.lint.context import LintContext
from vqs.lint.finding import Evidence, Finding, Place, Severity
from vqs.lint.queue_plugins import has_hierarchy
from vqs.lint.queue_tree import WrittenQueue, WrittenTree, is_sketched, queue_tree
from vqs.lint.queue_webhook import faulty_queues, is_denied
from vqs.model.kubernetes import Queue
from vqs.model.queue import ROOT
from vqs.snapshot.reading.diagnostics import Path


class Limit(NamedTuple):
    """The limit of a queue for a resource, and the queue that sets it."""

    queue: WrittenQueue
    resource: str
    amount: Fraction

    @property
    def evidence(self) -> Evidence:
        """Say where the limit is set."""
        text = f"the capability of {self.queue.name} is {words(self.resource, self.amount)}"
        return Evidence(text, self.queue.at(*CAPABILITY, self.resource))


def nearest_limit(tree: WrittenTree, queues: list[WrittenQueue], resource: str) -> Limit | None:
    """Return the limit that the first of some queues sets that sets one."""
    found = ((queue, tree.capability(queue).get(resource)) for queue in queues)
    return next((Limit(queue, resource, amount) for queue, amount in found if amount is not None), None)


def limit_of(tree: WrittenTree, queue: WrittenQueue, resource: str, *, inherited: bool) -> Limit | None:
    """Return the limit that holds for a queue: its own, or else an inherited one where there is such a thing."""
    return nearest_limit(tree, [queue, *(tree.ancestors(queue.name) if inherited else [])], resource)


def ancestors_limit(tree: WrittenTree, queue: WrittenQueue, resource: str, *, with_root: bool) -> Limit | None:
    """Return the limit that a queue would inherit."""
    return nearest_limit(
        tree, [each for each in tree.ancestors(queue.name) if with_root or each.name != ROOT], resource
    )


def above_capability(
    context: LintContext, amounts: Callable[[Queue], Mapping[str, Fraction]], path: Path, verb: str
) -> Iterator[Finding]:
    """Find queues whose guaranteed or deserved amount of a resource is above their limit.

    Args:
        context: what is looked at.
        amounts: returns the guaranteed or deserved amounts of a queue.
        path: the path of these amounts in a queue.
        verb: the verb of the message, such as ``deserves``.
    """
    tree = queue_tree(context)
    inherited = has_hierarchy(context.conf, "capacity")
    for queue in tree:
        own_capability = exact(queue.queue.spec.capability)
        for name, amount in amounts(queue.queue).items():
            limit = limit_of(tree, queue, name, inherited=inherited)
            if limit is not None and amount > limit.amount:
                whose = "" if limit.queue is queue else f", inherited from {limit.queue.name}"
                most = f"{words(name, limit.amount)}{whose}"
                message = f"queue {queue.name} {verb} {words(name, amount)}, and its capability is {most}"
                own = limit.queue is queue  # the webhook does not check inherited capabilities
                yield Finding(
                    message,
                    queue.at(*path, name),
                    (limit.evidence,),
                    severity=None if own else Severity.WARNING,
                    denied="webhook" if own and is_denied(context, queue) else None,
                )
            elif amount and own_capability.get(name) == 0 and not is_sketched(context, queue):
                yield _above_none(queue, name, queue.at(*path, name), f"{verb} {words(name, amount)}")
    yield from _not_named(context, f"{path[1]}-above-capability")


def _not_named(context: LintContext, code: str) -> Iterator[Finding]:
    """Find amounts that a webhook refuses which takes for 0 what the capability does not name."""
    if context.profile.webhooks.queue_amounts == "lists":
        for queue, found in faulty_queues(context, code):
            for fault in found:
                if fault.path[-1] not in queue.queue.spec.capability:
                    yield Finding(f"queue {queue.name}: {fault.reason}", queue.at(*fault.path), denied="webhook")


def _above_none(queue: WrittenQueue, name: str, at: Place, has: str) -> Finding:
    """Report a capability of 0, which is no limit except to the webhook."""
    evidence = Evidence(f"the capability of {queue.name} is 0 {name}", queue.at(*CAPABILITY, name))
    zero = f"0 {name}: no limit to the scheduler, but the webhook refuses it"
    message = f"queue {queue.name} {has}, and its capability is {zero}"
    fix = f"Leave {name} out of the capability if there is to be no limit."
    return Finding(message, at, (evidence,), fix, denied="webhook")
