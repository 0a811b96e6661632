"""Limits of queues and sums of their amounts: against a parent, against the nodes, and as the webhook compares them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from vqs.lint.amounts import Amounts, above, is_scheduled, quantity, total, words
from vqs.lint.plugins import has_hierarchy
from vqs.lint.queue_tree import WrittenQueue, WrittenTree, is_made, queue_tree
from vqs.lint.rule import Denier, Evidence, Finding, Findings, LintContext, Place, Severity, once
from vqs.model.cluster import ROOT
from vqs.model.job import Job, TaskStatus
from vqs.model.keys import DEFAULT_QUEUE
from vqs.model.kubernetes import ObjectMeta, Queue
from vqs.model.resource import CPU, EPSILON, MEMORY, PODS
from vqs.model.wording import listed_names
from vqs.snapshot.apiserver.queue_sums import (
    CAPABILITY,
    DESERVED,
    Entry,
    Fault,
    StoredQueues,
    children_faults,
    exact,
    faults,
)
from vqs.snapshot.cluster.build import own_queue
from vqs.snapshot.reading.diagnostics import Path


@once
def stored_queues(context: LintContext) -> StoredQueues:
    """The queues as the webhook looks at them."""
    return StoredQueues(queue.queue for queue in queue_tree(context))


@once
def faulty_queues(context: LintContext) -> Mapping[str, list[tuple[WrittenQueue, list[Fault]]]]:
    """The queues that the webhook refuses for what is wrong with them, in order; with what that is, by its code."""
    found: defaultdict[str, list[tuple[WrittenQueue, list[Fault]]]] = defaultdict(list)
    for queue in queue_tree(context):
        of_queue: dict[str, list[Fault]] = {}
        for fault in faults(queue.queue, context.profile.webhooks):
            of_queue.setdefault(fault.code, []).append(fault)
        for code, each in of_queue.items():
            found[code].append((queue, each))
    return found


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
    """The limit that the first of some queues sets that sets one."""
    found = ((queue, tree.capability(queue).get(resource)) for queue in queues)
    return next((Limit(queue, resource, amount) for queue, amount in found if amount is not None), None)


def ancestors_limit(tree: WrittenTree, queue: WrittenQueue, resource: str, *, with_root: bool) -> Limit | None:
    """The limit that a queue would inherit."""
    return nearest_limit(
        tree, [each for each in tree.ancestors(queue.name) if with_root or each.name != ROOT], resource
    )


def above_capability(
    context: LintContext, amounts: Callable[[Queue], Mapping[str, Fraction]], path: Path, verb: str
) -> Findings:
    """Find queues whose guaranteed or deserved amount of a resource is above their limit."""
    tree = queue_tree(context)
    inherited = has_hierarchy(context.conf, "capacity")
    refused = {queue.name for found in faulty_queues(context).values() for queue, _ in found}
    for queue in tree:
        own_capability = exact(queue.queue.spec.capability)
        for name, amount in amounts(queue.queue).items():
            limit = nearest_limit(tree, [queue, *(tree.ancestors(queue.name) if inherited else [])], name)
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
                    denied="webhook" if own and queue.name in refused else None,
                )
            elif amount and own_capability.get(name) == 0 and not is_made(context, queue.place):
                # A capability of 0 is no limit except to the webhook.
                evidence = Evidence(f"the capability of queue {queue.name} is 0 {name}", queue.at(*CAPABILITY, name))
                zero = f"0 {name}: no limit to the scheduler, but the webhook refuses it"
                message = f"queue {queue.name} {verb} {words(name, amount)}, and its capability is {zero}"
                fix = f"Leave {name} out of the capability if there is to be no limit."
                yield Finding(message, queue.at(*path, name), (evidence,), fix, denied="webhook")
    # Such a webhook takes for 0 what the capability does not name.
    if context.profile.webhooks.queue_amounts == "lists":
        for queue, found in faulty_queues(context).get(f"{path[1]}-above-capability", ()):
            for fault in found:
                if fault.path[-1] not in queue.queue.spec.capability:
                    yield Finding(f"queue {queue.name}: {fault.reason}", queue.at(*fault.path), denied="webhook")


def sums_above_parents(context: LintContext, tree: WrittenTree, noun: str, path: Path) -> Findings:
    """Yield a finding for every resource of which children have more in total than their parent, except for the root.

    The webhook denies the queue that exceeds the parent: a new child, where the parent is in the cluster already.
    """
    for parent in tree:
        children = [child for child in tree.children(parent.name) if child.name != parent.name]
        if parent.name != ROOT and children:
            yield from _Family(context, parent, children, noun, path).findings()
    of_default = tree.children(DEFAULT_QUEUE)
    if DEFAULT_QUEUE not in tree.queues and of_default:
        made = WrittenQueue(Queue(metadata=ObjectMeta(name=DEFAULT_QUEUE)), of_default[0].at("spec", "parent"))
        yield from _Family(context, made, of_default, noun, path, is_made=True).findings()


@dataclass(frozen=True, slots=True)
class _Family:
    """A queue and its children, with the amounts of one of their fields. The scheduler may have created the queue."""

    context: LintContext
    parent: WrittenQueue
    children: list[WrittenQueue]
    noun: str
    path: Path
    is_made: bool = False

    def findings(self) -> Findings:
        """Yield one finding for each resource that the parent names, and one for those that it does not.

        Each child that has 0 of a resource that the parent does not name gets a finding of its own.
        """
        own = self._amounts(self.parent)
        sums = total(map(self._amounts, self.children))
        exceeded = above(sums, own, missing_is_zero=True)
        for name in exceeded:
            if name in own:
                has = f"has {words(name, own[name])}"
                yield self._finding([name], sums, has, self.parent.at(*self.path, name))
        unnamed = [name for name in exceeded if name not in own]
        if unnamed:
            at = self.parent.place if self.is_made else self.parent.at("metadata", "name")
            has = "has none, as the scheduler makes it" if self.is_made else "has none"
            yield self._finding(unnamed, sums, has, at)
        empty = [name for name in sums if name not in own and not sums[name] and name not in (CPU, MEMORY)]
        if empty:
            parent = self.parent.name
            for child in self.children:
                amounts = self._amounts(child)
                for name in filter(amounts.__contains__, empty):
                    has = f"{child.name}, a child of {parent}, has 0 {name} in its {self.noun}"
                    fix = f"Leave it out where it is 0, or name it in the {self.noun} of {parent} too."
                    message = f"{has}, and {parent} does not name it"
                    yield Finding(message, child.at(*self.path, name), fix=fix, denied=self._denied)

    def _finding(self, names: list[str], sums: Amounts, has: str, at: Place) -> Finding:
        together = listed_names([words(name, sums[name]) for name in names])
        parent = self.parent
        return Finding(
            f"the children of {parent.name} have a {self.noun} of {together} together, and {parent.name} itself {has}",
            self._newcomer(names) or at,
            (
                *(
                    Evidence(
                        f"spec.{self.noun} of queue {child.name} is {words(name, amount)}", child.at(*self.path, name)
                    )
                    for name in names
                    for child in self.children
                    if (amount := self._amounts(child).get(name))
                ),
                Evidence(f"queue {parent.name} itself {has}", None if self.is_made else parent.at(*self.path)),
            ),
            denied=self._denied,
        )

    @property
    def _denied(self) -> Denier | None:
        """What denies such children, or their parent: nothing where the webhook compares them with something else."""
        webhooks = self.context.profile.webhooks
        if webhooks.children_sums == "own":
            return "webhook"
        stored = stored_queues(self.context)
        entry = stored.entries.get(self.parent.name) or Entry(own_queue(self.parent.name))
        found = children_faults(stored, entry, webhooks)
        return "webhook" if any(fault.path[: len(self.path)] == self.path for fault in found) else None

    def _newcomer(self, names: list[str]) -> Place | None:
        """The place of the amount of the last new child, where the parent is in the cluster already."""
        if self.is_made or not self.context.is_stored(self.parent.queue):
            return None
        places = [
            child.at(*self.path, name)
            for child in self.children
            for name in names
            if name in self._amounts(child) and not self.context.is_stored(child.queue)
        ]
        return places[-1] if places else None

    def _amounts(self, queue: WrittenQueue) -> Amounts:
        spec = queue.queue.spec
        amounts = exact(spec.deserved if self.path == DESERVED else spec.guarantee.resource)
        return {name: amount for name, amount in amounts.items() if is_scheduled(name)}


@dataclass(frozen=True, slots=True)
class Claim:
    """A resource that queues claim, who does and how much, and how much there is."""

    resource: str
    parts: Sequence[tuple[WrittenQueue, Fraction]]
    available: Fraction

    def finding(self, verbs: tuple[str, str], noun: str, path: Path) -> Finding:
        """Make a finding at the largest claim, with all of them as evidence."""
        one, several = verbs
        claim = words(self.resource, sum((amount for _, amount in self.parts), start=self.available * 0))
        alone = len(self.parts) == 1
        who = f"queue {self.parts[0][0].name} {one} {claim}" if alone else f"the queues {several} {claim} together"
        message = f"{who}, and all nodes together have {words(self.resource, self.available)}"
        largest = max(self.parts, key=lambda part: part[1])[0]
        return Finding(
            message,
            largest.at(*path, self.resource),
            tuple(
                Evidence(
                    f"spec.{noun} of queue {queue.name} is {words(self.resource, amount)}",
                    queue.at(*path, self.resource),
                )
                for queue, amount in self.parts
            ),
        )


@once
def nodes_total(context: LintContext) -> dict[str, Fraction]:
    """The resources of all nodes, cordoned ones too, as the scheduler counts them."""
    return total(exact(node.status.allocatable) for node, _ in context.objects("nodes"))


def claims_above_nodes(
    context: LintContext, queues: Sequence[WrittenQueue], read: Callable[[Queue], dict[str, Fraction]]
) -> Iterator[Claim]:
    """Yield the resources that queues claim beyond what the nodes have; one that no node has is left out."""
    available = nodes_total(context)
    for name in above(total(read(queue.queue) for queue in queues), available):
        parts = [(queue, amount) for queue in queues if (amount := read(queue.queue).get(name))]
        yield Claim(name, parts, available[name])


class Excess(NamedTuple):
    """A queue that holds more than it deserves: what it holds and what it deserves, by resource."""

    queue: str
    amounts: dict[str, tuple[float, float]]

    @property
    def words(self) -> str:
        """The amounts in a sentence."""
        return listed_names(
            [f"{quantity(name, held)} in place of {quantity(name, due)}" for name, (held, due) in self.amounts.items()]
        )


def above_deserved(context: LintContext) -> list[Excess]:
    """The queues whose jobs hold more of a resource than the queue deserves, by name; none without reclaim."""
    session = context.session
    if session.queue_ledger is None or session.standstill or "reclaim" not in context.conf.actions:
        return []
    with_jobs = {job.queue for job in session.jobs.values() if job.ready}
    found = []
    for name, figures in sorted(session.queue_ledger.at_open.items()):
        pairs = {each: (figures.allocated.get(each), figures.deserved.get(each)) for each in figures.allocated.names()}
        amounts = {each: pair for each, pair in pairs.items() if each != PODS and pair[0] - pair[1] >= EPSILON}
        if amounts and name in with_jobs:
            found.append(Excess(name, amounts))
    return found


def waiting_elsewhere(context: LintContext, excess: Excess) -> Job | None:
    """The first job of another queue that waits for what a queue holds too much of."""
    jobs = context.session.jobs
    for job in (jobs[uid] for uid in sorted(jobs)):
        pending = job.having(TaskStatus.Pending).values() if job.queue != excess.queue else ()
        if any(task.request.get(name) for task in pending for name in excess.amounts):
            return job
    return None
