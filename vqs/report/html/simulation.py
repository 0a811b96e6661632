"""The page on a session, and the data that it draws."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from msgspec import structs

from vqs.explain.amounts import ABSENT, amount, percent
from vqs.explain.outcome import (
    Amounts,
    FitErrorResult,
    JobResult,
    NodeResult,
    OperationResult,
    Simulation,
    StatementResult,
    TaskResult,
    Utilisation,
    Verdict,
)
from vqs.explain.texts.headline import blocked_by, efforts, prospect
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.inert import name as visible
from vqs.report.formats import Extras, View
from vqs.report.html.data import (
    Objects,
    Places,
    Texts,
    names_column,
    notes,
    packed,
    plain,
    resource_list,
    settings,
    table,
)
from vqs.report.html.page import page
from vqs.report.html.queues import demands_of, queue_list, report_of
from vqs.report.phrases import no_queues, standstill, timing_line
from vqs.report.simulation.extras import extra_parts
from vqs.report.simulation.summary import (
    PENDING,
    PIPELINED,
    UNEXPLAINED,
    Decisions,
    awaited_lines,
    expectations_line,
    failed_lines,
    headline,
    is_evicted,
    is_placed,
    job_of,
    lost_lines,
    reason_lines,
    summarize,
)

_BAR: Final = 1000


def write(result: Simulation, view: View, /) -> str:
    """Return the page, with the whole result in it: what to look at is chosen there."""
    summary, data = summarize(result), _Writer(result).written()
    ranks = {each["name"]: rank for rank, each in enumerate(data["resources"])}
    asked = replace(view, extras=Extras(fit_errors=view.extras.fit_errors, scores=view.extras.scores))
    return page(
        "simulation",
        data,
        title=f"vqs simulate {result.scenario}".rstrip(),
        standstill=" ".join(standstill(result)),
        sentence=f"{summary.counts()}.",
        more=[*reason_lines(result), *lost_lines(result), *awaited_lines(result)],
        headline=headline(result),
        counts=[
            (word, number, f"{number:,}")
            for word in ("placed", "pipelined", "evicted", "pending", "unchanged")
            for number in [getattr(summary, word)]
        ],
        verdicts=[
            {
                "code": "" if code == UNEXPLAINED else code,
                "text": f"{number:,}",
                "title": VERDICT_RULES[code].title if code in VERDICT_RULES else "",
            }
            for code, number in summary.by_verdict
        ],
        usage=[_usage(each) for each in sorted(result.utilisation, key=lambda each: ranks[visible(each.resource)])],
        expected=expectations_line(result),
        failed=failed_lines(result),
        notes=notes(result.diagnostics),
        has_cluster=bool(result.queues or result.nodes),
        has_nodes=bool(result.nodes),
        has_trace=bool(result.trace),
        # What is rolled back does not count.
        has_evictions=any(
            each.result != "discard" and any(step.op == "evict" for step in each.operations) for each in result.trace
        ),
        no_queues="" if result.queues else no_queues(result),
        extras=[(part.title, table(part.grid)) for part in extra_parts(result, asked)],
        settings=settings(result.session),
        timing=timing_line(result.timing) if result.timing else "",
    )


def _usage(each: Utilisation) -> dict[str, Any]:
    stranded = (percent(each.stranded_before), percent(each.stranded_after))
    return {
        "name": each.resource,
        "before": percent(each.used_before),
        "after": percent(each.used_after),
        "total": amount(each.resource, each.total),
        "stranded": stranded[1] if each.stranded_before or each.stranded_after else ABSENT,
        "from": _length(min(each.used_before, each.used_after)),
        "to": _length(max(each.used_before, each.used_after)),
    }


def _length(part: float) -> int:
    return round(min(part, 1.0) * _BAR)


_OPERATIONS: Final = {"allocate": 0, "pipeline": 1, "evict": 2}
_UNCHANGED, _PENDING, _PLACED, _PIPELINED, _EVICTED = range(5)
"""What became of a task; `OUTCOMES` in `script/data.js` has the words."""

_BY_STATUS: Final = {PENDING: _PENDING, PIPELINED: _PIPELINED}


class _Writer:
    """Turns a session into columns; texts, verdicts and requests that are repeated are written once."""

    def __init__(self, result: Simulation) -> None:
        self.result = result
        self.texts = Texts()
        self.verdicts = Objects()
        self.errors = Objects()
        self.requests = Objects()
        self.votes = Objects()
        for node in result.nodes:
            self.texts.number(node.name)
        self.names = result.display_names()
        self.jobs = Places((job.called for job in result.jobs), self.texts)
        self.tasks = Places((_path(task) for task in result.tasks), self.texts)

    def written(self) -> dict[str, Any]:
        result = self.result
        parts = {
            "kind": "simulation",
            "scenario": plain(result.session) | {"name": visible(result.scenario)},
            "resources": resource_list(_named(result), result.session.total_resource, demands_of(result.queues)),
            **queue_list(report_of(result)),
            "jobs": self._jobs(result.jobs),
            "tasks": self._tasks(result.tasks),
            "nodes": self._nodes(result.nodes),
            "trace": self._trace(result.trace),
        }
        codes = {task.verdict.code for task in result.tasks if task.verdict} & VERDICT_RULES.keys()
        return parts | {
            "verdicts": self.verdicts.listed(),
            "podMeanings": {code: VERDICT_RULES[code].pod for code in sorted(codes)},
            "errors": self.errors.listed(),
            "requests": self.requests.listed(),
            "votes": self.votes.listed(),
            "texts": self.texts.listed(),
        }

    def _jobs(self, jobs: Sequence[JobResult]) -> dict[str, Any]:
        decided = Decisions(self.result.tasks)
        return {
            "path": names_column(job.called for job in jobs),
            "queue": self.texts.column(job.queue for job in jobs),
            "minAvailable": packed([job.min_available for job in jobs]),
            "priority": packed([job.priority for job in jobs]),
            "before": self.texts.column(job.phase_before for job in jobs),
            "phase": self.texts.column(job.phase for job in jobs),
            "decision": self.texts.column(decided.words(job) for job in jobs),
            "ready": packed([job.ready for job in jobs]),
            "tasks": packed([job.tasks for job in jobs]),
            "verdict": packed([self._verdict(job) for job in jobs]),
            "message": self.texts.column(job.unschedulable for job in jobs),
        }

    def _tasks(self, tasks: Sequence[TaskResult]) -> dict[str, Any]:
        return {
            "path": names_column(map(_path, tasks)),
            "job": self.jobs.column(job_of(task, self.names) for task in tasks),
            "role": self.texts.column(task.role for task in tasks),
            "queue": self.texts.column(task.queue for task in tasks),
            "before": self.texts.column(task.status_before for task in tasks),
            "status": self.texts.column(task.status for task in tasks),
            "outcome": packed([_outcome(task) for task in tasks]),
            "node": self.texts.column(task.node for task in tasks),
            "pod": self.texts.column(
                task.message if task.pod_scheduled is None else f"{task.pod_scheduled_reason}: {task.pod_scheduled}"
                for task in tasks
            ),
            "tied": packed([task.tied_nodes or 0 for task in tasks]),
            "verdict": packed([self._verdict(task) for task in tasks]),
            "errors": packed([self._errors(task.fit_errors) for task in tasks]),
            "request": packed([self._request(task.request) for task in tasks]),
            "waitsFor": {
                str(number): [self.texts.number(name) for name in task.waits_for]
                for number, task in enumerate(tasks)
                if task.waits_for
            },
        }

    def _nodes(self, nodes: Sequence[NodeResult]) -> dict[str, Any]:
        return {
            "name": self.texts.column(node.name for node in nodes),
            "unschedulable": packed([int(node.unschedulable) for node in nodes]),
            "pods": packed([node.pods for node in nodes]),
            "podsBefore": packed([node.pods_before for node in nodes]),
            "maxPods": packed([node.max_pods for node in nodes]),
            "allocatable": self._amounts(node.allocatable for node in nodes),
            "before": self._amounts(node.used_before for node in nodes),
            "used": self._amounts(node.used for node in nodes),
        }

    def _trace(self, statements: Sequence[StatementResult]) -> dict[str, Any]:
        """Return the statements; a step on the node that the task has in the end goes without the node's name."""
        steps = [step for statement in statements for step in statement.operations]
        final = {_path(task): task.node for task in self.result.tasks}
        return {
            "action": self.texts.column(each.action for each in statements),
            "job": self.jobs.column(each.called for each in statements),
            "result": self.texts.column(each.result for each in statements),
            "length": packed([len(each.operations) for each in statements]),
            "op": packed([_OPERATIONS[step.op] for step in steps]),
            "task": self.tasks.column(step.task for step in steps),
            "node": self.texts.column("" if final.get(step.task) == step.node else step.node for step in steps),
            "reason": self.texts.column(step.reason for step in steps),
            "evictor": self.tasks.column(step.evictor for step in steps),
            "vote": packed([self._vote(step) for step in steps]),
        }

    def _amounts(self, amounts: Iterable[Amounts]) -> list[int]:
        return [self._request(each) for each in amounts]

    def _verdict(self, of: JobResult | TaskResult) -> int:
        """Return the number of a verdict; the log's line has signs for the names, so that others share it."""
        verdict = of.verdict if isinstance(of, TaskResult) else _headline(of)
        if verdict is None:
            return 0
        is_path = isinstance(of, TaskResult) or of.called == of.uid
        log = verdict.log.replace(_path(of), "{task}").replace(of.name, "{name}") if is_path else verdict.log
        key = (*(getattr(verdict, name) for name in verdict.__struct_fields__ if name != "log"), log)
        return self.verdicts.number(key, plain(verdict) | {"log": log})

    def _errors(self, errors: FitErrorResult | None) -> int:
        return self.errors.number((errors.nodes, *errors.reasons.items()), plain(errors)) if errors else 0

    def _request(self, amounts: Amounts) -> int:
        return self.requests.number(tuple(amounts.items()), amounts) if amounts else 0

    def _vote(self, step: OperationResult) -> int:
        votes = {"tier": step.tier, "votes": step.votes}
        return self.votes.number((step.tier, *step.votes.items()), votes) if step.votes else 0


def _path(named: JobResult | TaskResult) -> str:
    return f"{named.namespace}/{named.name}"


def _outcome(task: TaskResult) -> int:
    if is_placed(task):
        return _PLACED
    if is_evicted(task):
        return _EVICTED
    return _BY_STATUS.get(task.status, _UNCHANGED)


def _named(result: Simulation) -> Iterable[Amounts]:
    yield result.session.total_resource
    for queue in result.queues:
        yield from (queue.opened.deserved, queue.opened.allocated, queue.opened.request, queue.closed.allocated)


def _headline(job: JobResult) -> Verdict | None:
    """Return the first thing that keeps a job waiting, with what becomes of it, in the form of a verdict."""
    code, text = blocked_by(job)
    if job.verdict is None or not code:
        return job.verdict
    said = "; ".join(filter(None, [prospect(job.outlook), text.rstrip("."), efforts(job.outlook).rstrip(".")]))
    if code == job.verdict.code:
        return structs.replace(job.verdict, text=said)
    return Verdict(code=code, action=job.verdict.action, queue=job.queue, text=said)
