"""Why an action evicts nobody, and why a plugin spares a task: one sentence for each code.

Unlike the codes of verdicts, nothing waits for these alone; they are told in the story of an eviction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vqs.engine.actions import preempt, reclaim
from vqs.engine.actions.choice import PRE_PREDICATE
from vqs.engine.eviction import starving
from vqs.engine.plugins import cdp, conformance, drf, gang, pdb, priority, proportion, queue_account
from vqs.engine.plugins.capacity import plugin as capacity
from vqs.engine.plugins.capacity import reclaim as capacity_reclaim
from vqs.explain.units import in_words

if TYPE_CHECKING:
    from vqs.engine.trace import Refusal

SENTENCES: Final = {
    starving.NOT_STARVING: "the job was not starving: it had its minimum, and {have} of {need} in place",
    gang.TOO_SMALL: "the gang is too small: it needs {need} {text}, and has {have}",
    preempt.TOPOLOGY: "the job asks for a network topology, and nobody is evicted for such jobs",
    preempt.NO_TRIAL: "evictions cannot be tried out: {text}",
    reclaim.NEVER_PREEMPTS: "preemptionPolicy of its priority class is Never",
    preempt.NOMINATED_MISSING: "the node {node} that it was promised is not there any more",
    preempt.NOMINATED_OPEN: "it was promised node {node} by an earlier eviction, and fits there",
    preempt.NOMINATED_BUSY: "tasks are already leaving node {node}, which it was promised",
    PRE_PREDICATE: "no node was asked: {text}",
    proportion.OVERUSED: "its queue holds all it deserves: {have} of {need} {resource}",
    proportion.LIMIT: "its queue would hold {need} {resource} with the task, and deserves {have}",
    queue_account.CLOSED: "its queue is {text}",
    capacity.CAPABILITY: "queue {queue} would hold {need} {resource} with the task, and may have {have}",
    capacity.NOT_PREEMPTIVE: "its queue would hold more than it deserves, of everything the task asks for",
    capacity.STANDSTILL: "the whole scheduler stands still: {text}",
    gang.NEEDED: "its gang needs it: {text} has {have} with it, and needs {need}",
    priority.NOT_LOWER: "its {text} has priority {have}, which is not below {need}",
    conformance.CRITICAL: "it is a critical pod: {text}",
    drf.SMALLER_SHARE: "without it {text} would have a share of {have}, less than the {need} of the other",
    proportion.WITHIN_DESERVED: "its queue {queue} holds no more than it deserves",
    capacity_reclaim.OTHER_RESOURCES: "it holds nothing of what is asked for",
    capacity_reclaim.GUARANTEED: "queue {queue} would fall below its guarantee of {need} {resource}; it holds {have}",
    cdp.COOLING_DOWN: "it is protected until {text}, by its cooldown time",
    pdb.NO_LABELS: "it has no labels, and where there are disruption budgets such pods are spared",
    pdb.BUDGET: "by the disruption budget {text}, no more than {have} may go now",
}

_WITHIN_DESERVED: Final = "its queue {queue} holds {need} {resource}, no more than the {have} that it deserves"
"""Of a queue that holds no more than it deserves, where the plugin says of what."""


def why(refusal: Refusal) -> str:
    """Return the sentence for a refusal; a code without one speaks for itself."""
    sentence = SENTENCES.get(refusal.code, f"{refusal.code} {{text}}")
    if refusal.code == proportion.WITHIN_DESERVED and refusal.resource:
        sentence = _WITHIN_DESERVED
    return sentence.format(
        need=_figure(refusal.resource, refusal.need),
        have=_figure(refusal.resource, refusal.have),
        resource=refusal.resource,
        node=refusal.node,
        queue=refusal.queue,
        text=refusal.text,
    ).rstrip()


def _figure(resource: str, value: float | None) -> str:
    if value is None:
        return ""
    return in_words(resource, value) if resource else f"{value:.4g}"
