"""Why HyperNodes were not taken for a job, in words."""

from __future__ import annotations

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.topology import TOP
from vqs.engine.framework.trace import HyperNodeTrial
from vqs.engine.framework.votes import Refusal
from vqs.explain.units import in_words
from vqs.model.job import Job
from vqs.model.wording import count

_MANY = 4
"""The number of HyperNodes that a sentence names."""


def no_hyper_node(session: FinishedSession, job: Job) -> str:
    """Tell what kept each HyperNode from being tried for a job."""
    trials = [each for each in session.trace.hyper_nodes.get(job.uid, []) if each.hyper_node != TOP]
    trials.sort(key=lambda each: each.hyper_node)
    parts = [f"{each.hyper_node}: {why_not(each)}" for each in trials[:_MANY]]
    if len(trials) > _MANY:
        parts.append(f"and {count(len(trials) - _MANY, 'HyperNode')} more")
    limit = (
        ""
        if job.topology is None or job.topology.limit is None
        else f"the highest tier allowed is {job.topology.limit}"
    )
    return "; ".join([limit, *parts] if limit else parts) or "there is none"


def why_not(trial: HyperNodeTrial) -> str:
    """Tell why a HyperNode was not taken; empty for one that was."""
    if trial.refusal is not None:
        return refused(trial.refusal)
    if trial.score is None:
        return "too few of the job's tasks fit its nodes"
    return "" if trial.chosen else "another HyperNode has a higher score"


def refused(refusal: Refusal) -> str:
    """Tell why a HyperNode was not tried."""
    name = refusal.resource
    if not name:
        return refusal.text
    return f"its nodes have {in_words(name, refusal.have)} of the {in_words(name, refusal.need)} {name} needed"
