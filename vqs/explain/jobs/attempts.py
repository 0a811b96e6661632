"""What was tried for a job, in the order of the trace: placements, and searches for victims.

Of a search: how far it came, the votes of the plugins, and what stopped it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

from msgspec.structs import replace

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.trace import Event, Op, StatementRecord, VictimDecision, VictimSearch
from vqs.explain.jobs.outcome import (
    AttemptStep,
    Candidate,
    EvictionAction,
    HyperNodeChoice,
    NodeVotes,
    PlacementAttempt,
    Search,
    TaskEviction,
    VoteOn,
)
from vqs.explain.outcome import FitErrorResult
from vqs.explain.verdicts import refusal_verdict, why_not
from vqs.explain.votes import vetoing, why, why_not_asked, why_spared
from vqs.model.job import Job, Task


def placement_attempts(session: FinishedSession, job: Job) -> list[PlacementAttempt]:
    """Return the placement attempts for a job whose events the trace has kept."""
    made: list[PlacementAttempt] = []
    events: list[tuple[Task, Event]] = []
    for event in session.trace.story:
        if event.task is not None and event.task.job == job.uid:
            events.append((event.task, event))
        elif event.statement is not None and event.statement.job == job.uid:
            if events or event.statement.operations:
                statement = event.statement
                evicted = [operation.task for operation in statement.operations if operation.op is Op.EVICT]
                made.append(
                    PlacementAttempt(
                        action=statement.action,
                        hyper_node=statement.hyper_node,
                        result=statement.result.value if statement.operations else "refused",
                        steps=_steps(session, job, events, statement),
                        evicted=[f"{task.namespace}/{task.name}" for task in evicted],
                    )
                )
            events = []
    if events:
        made.append(
            PlacementAttempt(
                action=events[0][1].action,
                hyper_node="",
                result="refused",
                steps=_steps(session, job, events, None),
                evicted=[],
            )
        )
    return made


def hyper_node_choices(session: FinishedSession, job: Job) -> list[HyperNodeChoice]:
    """Return the HyperNodes that were considered in the last try of a job; none where it asks for no topology."""
    if not job.asks_for_topology:
        return []
    return [
        HyperNodeChoice(
            hyper_node=each.hyper_node,
            tier=session.topology.by_name[each.hyper_node].tier,
            sub_job=each.sub_job,
            placed=each.placed,
            score=each.score,
            chosen=each.chosen,
            reason=why_not(session, each),
        )
        for each in session.trace.hyper_nodes.get(job.uid, [])
    ]


def _steps(
    session: FinishedSession, job: Job, events: Sequence[tuple[Task, Event]], statement: StatementRecord | None
) -> list[AttemptStep]:
    """Return a try's steps; tasks of a role that met the same, one after the other, make one step."""
    promised = {
        operation.task.uid for operation in (statement.operations if statement else ()) if operation.op is Op.PIPELINE
    }
    steps: list[AttemptStep] = []
    for task, event in events:
        step = _step(session, job, task, event, promised)
        last = steps[-1] if steps else None
        if last is not None and _alike(last, step):
            last.tasks += step.tasks
        else:
            steps.append(step)
    return steps


def _alike(last: AttemptStep, step: AttemptStep) -> bool:
    same = (last.role, last.placed, last.pipelined, last.fit_errors) == (
        step.role,
        step.placed,
        step.pipelined,
        step.fit_errors,
    )
    if last.verdict is None or step.verdict is None:
        return same and last.verdict is step.verdict and last.node == step.node
    return same and last.verdict.text == step.verdict.text


def _step(session: FinishedSession, job: Job, task: Task, event: Event, promised: set[str]) -> AttemptStep:
    refusal, errors = event.refusal, event.errors
    verdict = None if refusal is None else refusal_verdict(session, job, task, event.action, refusal, errors=errors)
    return AttemptStep(
        role=task.role,
        tasks=[f"{task.namespace}/{task.name}"],
        placed=refusal is None,
        pipelined=task.uid in promised,
        node=event.node,
        tied_nodes=event.ties,
        verdict=verdict,
        fit_errors=FitErrorResult(nodes=errors.nodes, reasons=errors.reasons) if errors and errors.nodes else None,
    )


EVICTING: Final = ("preempt", "reclaim", "gangpreempt", "gangreclaim")

_FEW: Final = 3
"""For how many nodes votes are reported that evicted nothing, unless all are asked for."""

_RESULTS: Final[dict[str, Literal["", "commit", "keep", "discard"]]] = {
    "": "",
    "commit": "commit",
    "keep": "keep",
    "discard": "discard",
}


def eviction_actions(session: FinishedSession, job: Job) -> list[EvictionAction]:
    """Return whether the actions that evict, if they are configured, searched for victims in favour of the job."""
    found: list[EvictionAction] = []
    for action in (each for each in dict.fromkeys(session.conf.actions) if each in EVICTING):
        searched = any(each.action == action and each.task.job == job.uid for each in session.trace.victim_searches)
        said, reason = session.trace.preemptors.get(action, {}), ""
        if not searched and job.uid not in said:
            reason = "the job is not admitted" if job.uid in session.not_enqueued else "no task of the job waits"
        elif not searched:
            refusal = said[job.uid] or session.trace.excluded_queues.get(action, {}).get(job.queue)
            reason = why_not_asked(job, refusal) if refusal else "the session ended before it was tried"
        found.append(EvictionAction(action=action, searched=searched, reason=reason))
    return found


def searches(session: FinishedSession, job: Job, *, every_vote: bool = False) -> list[Search]:
    """Return the searches in favour of a job's tasks, in their order; `every_vote` keeps those on every node."""
    results = {
        id(operation.search): record.result.value
        for record in session.trace.statements
        for operation in record.operations
        if operation.search is not None
    }
    victim_searches = [search for search in session.trace.victim_searches if search.task.job == job.uid]
    found = [_search(session, search, results.get(id(search), ""), every_vote=every_vote) for search in victim_searches]
    if not every_vote:
        for before, search in reversed(list(pairwise(found))):
            # Of two that failed in the same way, the votes of one are enough for both.
            if before.victims or search.victims:
                continue
            if replace(before, task="", node_votes=[]) == replace(search, task="", node_votes=[]):
                search.node_votes = []
    return found


def evictions_of(session: FinishedSession, job: Job) -> list[TaskEviction]:
    """Return the tasks of a job that are evicted, by name."""
    victim_searches = session.searches_by_victim
    tasks = sorted((task for task in job.tasks.values() if task.uid in victim_searches), key=lambda task: task.name)
    found: list[TaskEviction] = []
    for task in tasks:
        search = victim_searches[task.uid]
        decision, evictor = search.decisions[task.node or ""], session.jobs[search.task.job]
        found.append(
            TaskEviction(
                task=task.pod.metadata.key,
                node=task.node or "",
                action=search.action,
                evictor=search.task.pod.metadata.key,
                evictor_job=evictor.uid,
                evictor_display_name=evictor.display_name,
                evictor_queue=evictor.queue,
                tier=_tier(decision),
                votes=_votes(session, decision, task),
            )
        )
    return found


def _search(session: FinishedSession, search: VictimSearch, result: str, *, every_vote: bool) -> Search:
    left = {task.node for task in search.victims}
    kept = len(search.decisions) > len(left)  # else only those are kept that evicted a task
    # Of a task that is watched, the nodes that are too small were asked first.
    small = set(list(search.decisions)[: search.too_small]) - left if kept else set()
    asked = [name for name in search.decisions if every_vote or not search.node or name not in small]
    names = sorted(asked, key=lambda name: (name not in left, name in small, not search.decisions[name].candidates))
    shown = names if every_vote else names[: len(left) + _FEW]
    # On how many nodes each plugin has to change for a task to go, where all votes are kept.
    vetoed = Counter(vetoing(each) for node, each in search.decisions.items() if each.spared_by and node not in small)
    spared_by = vetoed if vetoed.total() == search.spared_by.total() else search.spared_by
    return Search(
        action=search.action,
        task=search.task.pod.metadata.key,
        victims_from=search.scope.value,
        refusal=why(search.refusal) if search.refusal else "",
        nodes=search.nodes,
        candidates=search.candidates,
        insufficient_nodes=search.too_small,
        voted_nodes=search.asked,
        spared_by=dict(sorted(spared_by.items())),
        node=search.node,
        victims=[task.pod.metadata.key for task in search.victims],
        result=_RESULTS[result],
        node_votes=[_votes_on_node(session, name, search, too_small=name in small) for name in shown],
    )


def _votes_on_node(session: FinishedSession, node: str, search: VictimSearch, *, too_small: bool) -> NodeVotes:
    decision = search.decisions[node]
    victims, agreed = {task.uid for task in search.victims}, {task.uid for task in decision.victims}
    return NodeVotes(
        node=node,
        tier=_tier(decision),
        spared_by=vetoing(decision),
        insufficient=too_small,
        candidates=[
            Candidate(
                task=task.pod.metadata.key,
                job=task.job,
                display_name=session.jobs[task.job].display_name,
                queue=session.jobs[task.job].queue,
                priority=task.priority,
                evictable=task.uid in agreed,
                evicted=task.uid in victims,
                votes=_votes(session, decision, task),
            )
            for task in decision.candidates
        ],
    )


def _tier(decision: VictimDecision) -> int:
    return 0 if decision.tier is None else decision.tier + 1


def _votes(session: FinishedSession, decision: VictimDecision, task: Task) -> list[VoteOn]:
    return [
        VoteOn(
            plugin=vote.plugin,
            tier=vote.tier + 1,
            evictable=refusal is None,
            reason="" if refusal is None else why_spared(session.jobs, decision, vote, task),
        )
        for vote, refusal in decision.votes_on(task)
    ]
