"""The guaranteed or deserved resources of the children of a queue in total, compared with those of the queue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vqs.lint.amounts import DESERVED, Amounts, above, exact, is_scheduled, total, words
from vqs.lint.context import LintContext
from vqs.lint.finding import Denier, Evidence, Finding, Place
from vqs.lint.queue_tree import WrittenQueue, WrittenTree
from vqs.lint.queue_webhook import are_sums_denied
from vqs.model.keys import DEFAULT_QUEUE
from vqs.model.kubernetes import ObjectMeta, Queue
from vqs.model.queue import ROOT
from vqs.model.resource import CPU, MEMORY
from vqs.model.wording import listed_names
from vqs.snapshot.reading.diagnostics import Path


def sums_above_parents(context: LintContext, tree: WrittenTree, noun: str, path: Path) -> Iterator[Finding]:
    """Yield a finding for every resource of which children have more in total than their parent, except for the root.

    The webhook denies the queue that exceeds the parent: a new child, where the parent is in the cluster already.

    Args:
        context: what is looked at.
        tree: the queues.
        noun: the field in words, such as ``guarantee``.
        path: the path of the field in a queue.
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

    def findings(self) -> Iterator[Finding]:
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
            yield from self._of_nothing(empty)

    def _of_nothing(self, names: list[str]) -> Iterator[Finding]:
        """Yield a finding for each child that has 0 of a resource that the parent does not name."""
        parent = self.parent.name
        for child in self.children:
            amounts = self._amounts(child)
            for name in filter(amounts.__contains__, names):
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
                    Evidence(f"{self.noun} of {child.name}: {words(name, amount)}", child.at(*self.path, name))
                    for name in names
                    for child in self.children
                    if (amount := self._amounts(child).get(name))
                ),
                Evidence(f"{parent.name} itself {has}", None if self.is_made else parent.at(*self.path)),
            ),
            denied=self._denied,
        )

    @property
    def _denied(self) -> Denier | None:
        """What denies such children, or their parent: nothing where the webhook compares them with something else."""
        return "webhook" if are_sums_denied(self.context, self.parent.name, self.path) else None

    def _newcomer(self, names: list[str]) -> Place | None:
        """Return the place of the amount of the last new child, where the parent is in the cluster already."""
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
