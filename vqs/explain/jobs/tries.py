"""The placement attempts for a job's tasks, in the order of the trace."""

from __future__ import annotations

from collections.abc import Sequence

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.trace import Event, Op, StatementRecord
from vqs.explain.hyper_nodes import why_not
from vqs.explain.jobs.outcome import HyperNodeChoice, Try, TryStep
from vqs.explain.outcome import FitErrorResult
from vqs.explain.verdicts import refusal_verdict
from vqs.model.job import Job
from vqs.model.task import Task


def tries(session: FinishedSession, job: Job) -> list[Try]:
    """Return the placement attempts for a job whose events the trace has kept."""
    made: list[Try] = []
    events: list[tuple[Task, Event]] = []
    for event in session.trace.story:
        if event.task is not None and event.task.job == job.uid:
            events.append((event.task, event))
        elif event.statement is not None and event.statement.job == job.uid:
            if events or event.statement.operations:
                made.append(_try(session, job, events, event.statement))
            events = []
    if events:
        made.append(
            Try(
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
            why=why_not(each),
        )
        for each in session.trace.hyper_nodes.get(job.uid, [])
    ]


def _try(session: FinishedSession, job: Job, events: list[tuple[Task, Event]], statement: StatementRecord) -> Try:
    evicted = [operation.task for operation in statement.operations if operation.op is Op.EVICT]
    return Try(
        action=statement.action,
        hyper_node=statement.hyper_node,
        result=statement.result.value if statement.operations else "refused",
        steps=_steps(session, job, events, statement),
        evicted=[f"{task.namespace}/{task.name}" for task in evicted],
    )


def _steps(
    session: FinishedSession, job: Job, events: Sequence[tuple[Task, Event]], statement: StatementRecord | None
) -> list[TryStep]:
    """Return a try's steps; tasks of a role that met the same, one after the other, make one step."""
    promised = {
        operation.task.uid for operation in (statement.operations if statement else ()) if operation.op is Op.PIPELINE
    }
    steps: list[TryStep] = []
    for task, event in events:
        step = _step(session, job, task, event, promised)
        last = steps[-1] if steps else None
        if last is not None and _alike(last, step):
            last.tasks += step.tasks
        else:
            steps.append(step)
    return steps


def _alike(last: TryStep, step: TryStep) -> bool:
    same = (last.role, last.placed, last.waits, last.fit_errors) == (
        step.role,
        step.placed,
        step.waits,
        step.fit_errors,
    )
    if last.verdict is None or step.verdict is None:
        return same and last.verdict is step.verdict and last.node == step.node
    return same and last.verdict.text == step.verdict.text


def _step(session: FinishedSession, job: Job, task: Task, event: Event, promised: set[str]) -> TryStep:
    refusal, errors = event.refusal, event.errors
    verdict = None if refusal is None else refusal_verdict(session, job, task, event.action, refusal, errors=errors)
    return TryStep(
        role=task.role,
        tasks=[f"{task.namespace}/{task.name}"],
        placed=refusal is None,
        waits=task.uid in promised,
        node=event.node,
        tied=event.ties,
        verdict=verdict,
        fit_errors=FitErrorResult(nodes=errors.nodes, reasons=errors.reasons) if errors and errors.nodes else None,
    )
