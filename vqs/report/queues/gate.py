"""Admission to a queue: what is held and promised, by which jobs, and the check of each job that asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from rich.text import Text

from vqs.explain.amounts import amount, listed
from vqs.explain.queues.outcome import GateAccount, JobGate, QueueExplanation
from vqs.model.wording import count
from vqs.report.formats import View
from vqs.report.grid import Column, Grid, Row, Span, cell
from vqs.report.page import Part, out_of
from vqs.report.queues.resources import PODS, chosen
from vqs.report.visible import visible

_HOLDERS: Final = 10
_JOBS: Final = 10
"""Longer lists than these are folded, unless everything is asked for."""


def ledger(explained: QueueExplanation, names: Iterable[str]) -> Part:
    """Say what is held and promised, and how much room is left."""
    gate = explained.gate
    asked = {name for job in gate.jobs for account in job.accounts for name, need in account.minimum.items() if need}
    promised = [name for name in gate.real_capability if gate.inqueue.get(name) or name in asked]
    shown = [name for name in names if name != PODS or name in promised]
    titles = ("ALLOCATED", "+ INQUEUE", "- ELASTIC", "LIMIT", "= ROOM")
    rows = []
    for name in shown:
        figures = (gate.allocated, gate.inqueue, gate.elastic, gate.real_capability, gate.room)
        room = gate.room.get(name, 0.0)
        full = "no job is admitted" if name in promised and room is not None and room <= 0 else ""
        rows.append(Row((cell(name), *(cell(amount(name, each.get(name, 0.0))) for each in figures)), full))
    text = "A job is admitted if its minResources fit in ROOM = limit - allocated - inqueue + elastic, at session end."
    grid = Grid((Column("RESOURCE"), *(Column(title, numeric=True) for title in titles)), rows) if rows else None
    return Part("Admission (enqueue)", (text,), grid)


def holders(explained: QueueExplanation, *, everything: bool) -> Iterator[Part]:
    """Say who holds the part of the queue that is promised, and what is elastic, so not counted."""
    found = sorted(explained.gate.holders, key=lambda each: not listed(each.inqueue))
    found = [each for each in found if listed(each.inqueue) or listed(each.elastic)]
    if not found:
        return
    shown = found if everything else found[:_HOLDERS]
    rows = [
        Row(
            (
                cell(each.called),
                cell(each.queue),
                cell(each.phase),
                cell(listed(each.inqueue)),
                cell(listed(each.elastic)),
            )
        )
        for each in shown
    ]
    titles = (Column("JOB"), Column("QUEUE", dispensable=True), Column("PHASE"), Column("INQUEUE"), Column("ELASTIC"))
    title = out_of("Jobs with inqueue or elastic resources", len(shown), len(found))
    yield Part(title, (), Grid(titles, rows), folded=True)


def accounts(explained: QueueExplanation, view: View, *, everything: bool) -> Iterator[Part]:
    """Show the account of each job that asked, those of jobs that were not admitted first."""
    gates = sorted(explained.gate.jobs, key=lambda gate: gate.entered)
    if not gates:
        return
    refused = sum(not gate.entered for gate in gates)
    shown = gates if everything else gates[: max(min(refused, _JOBS), 3)]
    rows: list[Row | Span] = []
    for gate in shown:
        rows.append(Span(_verdict(gate)))
        for account in gate.accounts:
            rows += [_account_row(account, name) for name in chosen(account.minimum, view) if account.minimum[name]]
    title = f"{count(len(gates), 'job')} asked for admission, {refused:,} not admitted" if refused else ""
    title = title or f"{count(len(gates), 'job')} asked for admission, {'all' if len(gates) > 1 else 'it was'} admitted"
    columns = (
        Column("  CHECKED BY"),
        Column("RESOURCE"),
        Column("SUM", numeric=True),
        Column("LIMIT", numeric=True),
    )
    text = "Each sum is minResources + allocated + inqueue - elastic, when the job was checked."
    yield Part(out_of(title, len(shown), len(gates)), (text,), Grid(columns, rows), folded=not refused)


def _verdict(gate: JobGate) -> Text:
    said = "admitted" if gate.entered else f"not admitted: {gate.code}" if gate.code else "not admitted"
    return Text().append(visible(gate.called), "bold").append(f"  {said}", "green" if gate.entered else "red")


def _account_row(account: GateAccount, name: str) -> Row:
    terms = [account.minimum, account.allocated, account.inqueue]
    total, limit = account.total.get(name), account.limit.get(name, 0.0)
    elastic = account.elastic.get(name)
    text = " + ".join(amount(name, each.get(name, 0.0)) for each in terms)
    text += f" - {amount(name, elastic)}" if elastic else ""
    over = (
        f"{amount(name, (total or 0.0) - (limit or 0.0))} too much"
        if name in account.exceeding and limit is not None
        else ""
    )
    cells = (
        cell(f"  {account.queue or account.plugin}"),
        cell(name),
        cell(f"{text} = {amount(name, total)}"),
        cell(amount(name, limit)),
    )
    return Row(cells, over)
