"""The first stage of a job's life: the gate to its queue, with the account of every queue of its line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from vqs.explain.amounts import amount
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.queues.outcome import GateAccount
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Part

TITLE: Final = "The gate to its queue"

_ENQUEUE: Final = "enqueue"
_OUTSIDE: Final = ("", "Pending")
_TERMS: Final = ("MINIMUM", "+ ALLOCATED", "+ INQUEUE", "- ELASTIC", "= SUM", "LIMIT")


def gate(report: JobReport) -> Part:
    """Show the accounts that were drawn up when the job asked to get in."""
    if report.gate is None:
        return Part(TITLE, (_without_account(report),))
    said = "let in" if report.gate.entered else "refused"
    rows = [row for account in report.gate.accounts for row in _rows(account)]
    queues = [account.queue for account in report.gate.accounts if account.queue]
    lines = ["The minimum is its minResources."] if rows else []
    if len(queues) > 1:
        lines.append(f"It has to fit into {queues[0]}, and into each queue above it: {', '.join(queues[1:])}.")
    columns = (Column("GATE"), Column("RESOURCE"), *(Column(title, numeric=True) for title in _TERMS))
    return Part(f"{TITLE}: {said}", lines, Grid(columns, rows) if rows else None, folded=report.gate.entered)


def _without_account(report: JobReport) -> str:
    job = report.job
    if job.phase_before not in _OUTSIDE:
        return f"It was in its queue before, as {job.phase_before}."
    if _ENQUEUE not in report.session.actions:
        return "The action enqueue is not configured: nobody is let into a queue."
    if job.decision == "not-enqueued":
        return f"It was not let in: {job.verdict.text}." if job.verdict else "It was not let in."
    return "It was let in, and no account was drawn up: it has no minResources, or no plugin asks for them."


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
    return f"{amount(name, total - limit)} too much"
