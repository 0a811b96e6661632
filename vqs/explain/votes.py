"""Why an action evicts no task, and why a plugin spares a task: one sentence for each code.

Where it is for what would keep the task from its place too, the verdict's rule has the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Final, Literal

from vqs.engine.framework.trace import PluginVote, VictimDecision
from vqs.engine.framework.votes import Refusal
from vqs.explain.outcome import in_words
from vqs.explain.verdict_rules import VERDICT_RULES, holds
from vqs.model.codes import EvictionCode
from vqs.model.job import Job, Task
from vqs.model.wording import count


@dataclass(frozen=True, slots=True)
class EvictionRule:
    """What is said where a code spares a task, or keeps an action from evicting.

    Attributes:
        sentence: the usual sentence.
        otherwise: that of a job that has come to hold more or less since, or where the plugin says of which resource.
        first: who else may have to go first for it to hold: others of the task's queue, of its job, or anybody.
        then: the sentence where others do go first.
    """

    sentence: str
    otherwise: str = ""
    first: Literal["", "queue", "job", "any"] = ""
    then: str = "{sentence}, once those before it are gone"


_TOLD: Final[dict[EvictionCode, EvictionRule | str]] = {
    EvictionCode.NOBODY_STARVES: "no plugin says which jobs are starving, and only for those are tasks evicted",
    EvictionCode.NOT_STARVING: EvictionRule(
        "tasks are evicted for starving jobs only, and this job was not starving: it had its minimum, and {have} of "
        "{need} tasks had a node",
        otherwise="tasks are evicted for starving jobs only, and this job was not starving at that time: it had its "
        "minimum, and {have} of {need} tasks had a node",
    ),
    EvictionCode.JOB_WITH_NETWORK_TOPOLOGY: "the job asks for a network topology, and no task is evicted for such jobs",
    EvictionCode.EVICTIONS_NOT_TRIED: "evictions cannot be tried out: {text}",
    EvictionCode.PREEMPTION_POLICY_NEVER: "preemptionPolicy of its priority class is Never",
    EvictionCode.NOMINATED_NODE_MISSING: "its nominatedNodeName is {node}, a node that does not exist any more",
    EvictionCode.NOMINATED_NODE_OPEN: "its nominatedNodeName is {node}, and it fits there",
    EvictionCode.NOMINATED_NODE_BEING_EMPTIED: "its nominatedNodeName is {node}, which tasks are already leaving",
    EvictionCode.QUEUE_NOT_PREEMPTIVE: "its queue would hold more than it deserves of every requested resource",
    EvictionCode.GANG_DOES_NOT_FIT: "evictions would free enough in total, but not on the nodes where its tasks may "
    "go: {have} sets of victims were tried out",
    EvictionCode.GANGS_NOT_BROKEN: "what other jobs can spare is not enough, and allowWholeBundle is false, so that no "
    "gang is broken",
    EvictionCode.NEEDED_BY_ITS_GANG: EvictionRule(
        "evicting it would leave {left} of {text}; its gang needs {need}",
        first="job",
        then="once those before it are gone, {sentence}",
    ),
    EvictionCode.PRIORITY_NOT_LOWER: "its {text} has priority {have}, and only a priority below {need} may be evicted",
    EvictionCode.CRITICAL_POD: "it is a critical pod: {text}",
    EvictionCode.SHARE_WOULD_BE_SMALLER: EvictionRule(
        "without it {text} would have a share of {have}, less than the {need} of the job that preempts", first="job"
    ),
    EvictionCode.QUEUE_NOT_AFTER_OTHER: "without it, its queue {queue} would not come after the other one: {text}",
    EvictionCode.QUEUE_WITHIN_DESERVED: EvictionRule(
        "its queue {queue} holds no more than it deserves",
        otherwise="its queue {queue} holds {need} {resource}, no more than the {have} that it deserves",
        first="queue",
    ),
    EvictionCode.BELOW_THE_SAME_QUEUE: "its queue and the one that reclaims are both below {queue}, and neither "
    "deserves any of the resources in question",
    EvictionCode.NO_COMMON_RESOURCE: "it uses none of the requested resources",
    EvictionCode.QUEUE_GUARANTEE: EvictionRule(
        "queue {queue} would fall below its guarantee of {need} {resource}; it holds {have}", first="queue"
    ),
    EvictionCode.COOLING_DOWN: "it is protected until {text}, by its cooldown time",
    EvictionCode.NO_LABELS: "it has no labels, and such pods are spared where there are disruption budgets",
    EvictionCode.DISRUPTION_BUDGET: EvictionRule(
        "disruption budget {text} allows {have} of its pods to be evicted now",
        first="any",
        then="{sentence}, and those before it use that up",
    ),
    EvictionCode.PREEMPTOR_IS_PREEMPTABLE: "the task that would preempt is preemptable itself, or may use revocable "
    "nodes, and such tasks evict no others",
    EvictionCode.ON_REVOCABLE_NODE: "its node {node} is in revocable zone {text}, and tasks there are not preempted",
    EvictionCode.NOT_RUNNING: "it does not run yet",
    EvictionCode.EVICTIONS_OF_JOB: "of {text}, no more than {have} may be evicted at a time",
    EvictionCode.SPARED_BY_EXTENDER: "{text}",
}
"""What is said for each code: the sentence, or what it is in other cases, too."""

EVICTION_RULES: Final = {code: EvictionRule(each) if isinstance(each, str) else each for code, each in _TOLD.items()}


_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")


def why_spared(jobs: Mapping[str, Job], decision: VictimDecision, vote: PluginVote, task: Task) -> str:
    """Return the sentence for a vote that spares a task; its figures may count on those before it."""
    refusal = vote.victims.spared[task.uid]
    sentence = why(refusal)
    rule = EVICTION_RULES.get(refusal.code) if isinstance(refusal.code, EvictionCode) else None
    if rule is None or not _go_first(jobs, decision, vote, task, rule.first):
        return sentence
    return rule.then.format(sentence=sentence)


def vetoing(decision: VictimDecision) -> str:
    """Name the plugin that has to change for a task to go: the first that spares all that the others of its tier allow.

    A tier that agrees on tasks decides, and later ones are not asked. Where no tier has others that allow a task, it is
    the plugin whose vote left none last; it is empty where a tier decides.
    """
    if decision.tier is None:
        for _, votes in groupby(decision.votes, key=lambda vote: vote.tier):
            *others, last = votes
            allowed = (all(vote.victims.refusal(task) is None for vote in others) for task in decision.candidates)
            if others and any(allowed):
                return last.plugin
    return decision.spared_by


def _go_first(jobs: Mapping[str, Job], decision: VictimDecision, vote: PluginVote, task: Task, who: str) -> bool:
    """Tell whether a vote counts on others to go before a task; drf also counts on those of its job that it spares."""
    refusal = vote.victims.spared[task.uid]
    if who == "any":
        return bool(refusal.have)
    earlier = takewhile(lambda each: each is not task, decision.candidates)
    going = (
        each
        for each in earlier
        if refusal.code == EvictionCode.SHARE_WOULD_BE_SMALLER or vote.victims.refusal(each) is None
    )
    if who == "queue":
        return any(jobs[each.job].queue == jobs[task.job].queue for each in going)
    return who == "job" and any(each.job == task.job for each in going)


def eviction_meaning(code: EvictionCode) -> str:
    """Return what a code says, with capital letters for what depends on the case.

    >>> eviction_meaning(EvictionCode.COOLING_DOWN)
    'it is protected until TEXT, by its cooldown time'
    """
    return _PLACEHOLDER.sub(lambda found: found[1].upper(), EVICTION_RULES[code].sentence)


def why_not_asked(job: Job, refusal: Refusal) -> str:
    """Return the sentence for what kept an action from looking for victims for a job; the session is over."""
    changed = refusal.code == EvictionCode.NOT_STARVING and refusal.have != job.ready + job.waiting
    return _written(EVICTION_RULES[EvictionCode.NOT_STARVING].otherwise, refusal) if changed else why(refusal)


def why(refusal: Refusal) -> str:
    """Return the sentence for a refusal."""
    if isinstance(refusal.code, EvictionCode):
        told = EVICTION_RULES[refusal.code]
        is_of_resource = refusal.code == EvictionCode.QUEUE_WITHIN_DESERVED and refusal.resource
        return _written(told.otherwise if is_of_resource else told.sentence, refusal)
    rule = VERDICT_RULES[refusal.code]
    return _written(rule.no_eviction or rule.sentence, refusal)


def _written(sentence: str, refusal: Refusal) -> str:

    def said(figure: float | None) -> str:
        if figure is None:
            return ""
        return in_words(refusal.resource, figure) if refusal.resource else f"{figure:.4g}"

    need, have = said(refusal.need), said(refusal.have)
    return sentence.format(
        the_task="the task",
        need=need,
        have=have,
        holds=holds(refusal.resource, need, have),
        resource=refusal.resource,
        node=refusal.node,
        queue=refusal.queue,
        text=refusal.text,
        left=count(max(int(refusal.have or 0) - 1, 0), "task"),  # of a gang without one of those that it has
    ).rstrip()
