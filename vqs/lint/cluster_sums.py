"""What queues claim together, against what the nodes have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from vqs.lint.amounts import above, exact, total, words
from vqs.lint.context import LintContext
from vqs.lint.finding import Evidence, Finding
from vqs.lint.queue_tree import WrittenQueue
from vqs.model.kubernetes import Queue
from vqs.snapshot.reading.diagnostics import Path


@dataclass(frozen=True, slots=True)
class Claim:
    """A resource that queues claim, who does and how much, and how much there is."""

    resource: str
    parts: Sequence[tuple[WrittenQueue, Fraction]]
    available: Fraction

    @property
    def sum(self) -> Fraction:
        """What all claim together."""
        return sum((amount for _, amount in self.parts), start=self.available * 0)

    def finding(self, verbs: tuple[str, str], noun: str, path: Path) -> Finding:
        """Make a finding at the largest claim, with all of them as evidence.

        Args:
            verbs: how one queue, and how several are said to claim something: ``deserves``, ``deserve``.
            noun: what a claim is called.
            path: its path in a queue.
        """
        one, several = verbs
        claim = words(self.resource, self.sum)
        alone = len(self.parts) == 1
        who = f"queue {self.parts[0][0].name} {one} {claim}" if alone else f"the queues {several} {claim} together"
        message = f"{who}, and all nodes together have {words(self.resource, self.available)}"
        largest = max(self.parts, key=lambda part: part[1])[0]
        return Finding(
            message,
            largest.at(*path, self.resource),
            tuple(
                Evidence(f"{noun} of {queue.name}: {words(self.resource, amount)}", queue.at(*path, self.resource))
                for queue, amount in self.parts
            ),
        )


def nodes_total(context: LintContext) -> dict[str, Fraction]:
    """Return what all nodes have, cordoned ones too, as the scheduler counts them."""
    return context.cached(_nodes_total)


def _nodes_total(context: LintContext) -> dict[str, Fraction]:
    return total(exact(node.status.allocatable) for node, _ in context.objects("nodes"))


def claims_above_nodes(
    context: LintContext, queues: Sequence[WrittenQueue], read: Callable[[Queue], dict[str, Fraction]]
) -> Iterator[Claim]:
    """Yield the resources that queues claim beyond what the nodes have; one that no node has is left out."""
    available = nodes_total(context)
    for name in above(total(read(queue.queue) for queue in queues), available):
        parts = [(queue, amount) for queue in queues if (amount := read(queue.queue).get(name))]
        yield Claim(name, parts, available[name])
