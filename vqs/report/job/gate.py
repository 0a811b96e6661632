"""The first stage of a job: its admission by enqueue, with the sum and the limit of its queue and those above."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from vqs.explain.amounts import amount
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.queues.outcome import GateAccount
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Part

TITLE: Final = "Admission (enqueue)"

_ENQUEUE: Final = "enqueue"
_OUTSIDE: Final = ("", "Pending")
_TERMS: Final = ("MINRESOURCES", "+ ALLOCATED", "+ INQUEUE", "- ELASTIC", "= SUM", "LIMIT")


def gate(report: JobReport) -> Part:
    """Show the admission check of the job: the sum and the limit of each queue."""
    if report.gate is None:
        return Part(TITLE, (_without_account(report),))
    said = "admitted" if report.gate.entered else "not admitted (PodGroup stays Pending)"
    rows = [row for account in report.gate.accounts for row in _rows(account)]
    queues = [account.queue for account in report.gate.accounts if account.queue]
    lines = []
    if len(queues) > 1:
        lines.append(
            f"The sum must not exceed the limit of queue {queues[0]}, nor of the queues above it: "
            f"{', '.join(queues[1:])}."
        )
    columns = (Column("QUEUE OR PLUGIN"), Column("RESOURCE"), *(Column(title, numeric=True) for title in _TERMS))
    return Part(f"{TITLE}: {said}", lines, Grid(columns, rows) if rows else None, folded=report.gate.entered)


def _without_account(report: JobReport) -> str:
    job = report.job
    if job.phase_before not in _OUTSIDE:
        return f"Admitted before this session: its PodGroup is {job.phase_before}."
    if _ENQUEUE not in report.session.actions:
        return "The action enqueue is not configured: no job is admitted."
    if job.decision == "not-enqueued":
        return f"Not admitted: {job.verdict.text}." if job.verdict else "Not admitted."
    return "Admitted without a check: it has no minResources, or no configured plugin checks them."


def _rows(account: GateAccount) -> Iterator[Row]:
    for name, minimum in account.minimum.items():
        if not minimum:
            continue
        terms = (account.minimum, account.allocated, account.inqueue, account.elastic, account.total, account.limit)
        figures = (cell(amount(name, each.get(name, 0.0))) for each in terms)
        yield Row((cell(account.queue or account.plugin), cell(name), *figures), _excess(account, name))


def _excess(account: GateAccount, name: str) -> str:
    total, limit = account.total.get(name), account.limit.get(name, 0.0)
    if name not in account.exceeding or total is None or limit is None:
        return ""
    return f"{amount(name, total - limit)} over the limit"
