"""Why an action evicts nobody, and why a plugin spares a task: one sentence for each code.

Unlike the codes of verdicts, nothing waits for these alone; they are told in the story of an eviction.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Final

from vqs.engine.actions import preempt, reclaim
from vqs.engine.eviction import starving
from vqs.engine.plugins import cdp, conformance, drf, gang, pdb, priority, proportion, queue_account
from vqs.engine.plugins.capacity import plugin as capacity
from vqs.engine.plugins.capacity import reclaim as capacity_reclaim
from vqs.engine.trace import PluginVote, VictimDecision
from vqs.engine.votes import PRE_PREDICATE, SIMULATION_FAILED, Refusal
from vqs.explain.units import in_words
from vqs.model.job import Job
from vqs.model.task import Task

SENTENCES: Final = {
    starving.NO_PLUGIN_SAYS: "no plugin says which jobs are starving, and for others nobody is evicted",
    starving.NOT_STARVING: "the job was not starving: it had its minimum, and {have} of {need} in place",
    gang.TOO_SMALL: "the gang is too small: it needs {need} {text}, and has {have}",
    preempt.TOPOLOGY: "the job asks for a network topology, and nobody is evicted for such jobs",
    SIMULATION_FAILED: "evictions cannot be tried out: {text}",
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

_NOT_STARVING_THEN: Final = (
    "the job was not starving when it was asked: it had its minimum, and {have} of {need} in place"
)
"""Of a job that has come to hold more or less since."""

_WITHIN_DESERVED: Final = "its queue {queue} holds {need} {resource}, no more than the {have} that it deserves"
"""Of a queue that holds no more than it deserves, where the plugin says of what."""


_OF_A_QUEUE: Final = (proportion.WITHIN_DESERVED, capacity_reclaim.GUARANTEED)
_OF_A_JOB: Final = (gang.NEEDED, drf.SMALLER_SHARE)
"""Codes of refusals that tell what is left of a queue, or of a job, once others have gone."""


def why_spared(jobs: Mapping[str, Job], decision: VictimDecision, vote: PluginVote, task: Task) -> str:
    """Return the sentence for a vote that spares a task; its figures may count on those before it."""
    refusal = vote.victims.spared[task.uid]
    if refusal.code == pdb.BUDGET and refusal.have:
        return f"{why(refusal)}, counting those before it"
    before = _before(jobs, decision, vote, task, refusal.code)
    return f"{why(refusal)}, once those before it are gone" if before else why(refusal)


def _before(jobs: Mapping[str, Job], decision: VictimDecision, vote: PluginVote, task: Task, code: str) -> bool:
    """Tell whether a vote counts on others of the task's queue or job to go first; drf also on those that it spares."""
    earlier = takewhile(lambda each: each is not task, decision.candidates)
    going = (each for each in earlier if code == drf.SMALLER_SHARE or vote.victims.refusal(each) is None)
    if code in _OF_A_QUEUE:
        return any(jobs[each.job].queue == jobs[task.job].queue for each in going)
    return code in _OF_A_JOB and any(each.job == task.job for each in going)


def why_not_asked(job: Job, refusal: Refusal) -> str:
    """Return the sentence for what kept an action from looking for victims for a job; the session is over."""
    changed = refusal.code == starving.NOT_STARVING and refusal.have != job.ready + job.waiting
    return _written(_NOT_STARVING_THEN, refusal) if changed else why(refusal)


def why(refusal: Refusal) -> str:
    """Return the sentence for a refusal; a code without one speaks for itself."""
    sentence = SENTENCES.get(refusal.code, f"{refusal.code} {{text}}")
    if refusal.code == proportion.WITHIN_DESERVED and refusal.resource:
        sentence = _WITHIN_DESERVED
    return _written(sentence, refusal)


def _written(sentence: str, refusal: Refusal) -> str:
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
