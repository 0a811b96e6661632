"""The gate to a queue: what is promised, to whom, and the answer to every job that asked to get in."""

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
    """Say what is held and promised, and how much may still be."""
    gate = explained.gate
    asked = {name for job in gate.jobs for account in job.accounts for name, need in account.minimum.items() if need}
    promised = [name for name in gate.real_capability if gate.inqueue.get(name) or name in asked]
    shown = [name for name in names if name != PODS or name in promised]
    titles = ("ALLOCATED", "+ INQUEUE", "- ELASTIC", "OF LIMIT", "= ROOM")
    rows = []
    for name in shown:
        figures = (gate.allocated, gate.inqueue, gate.elastic, gate.real_capability, gate.room)
        room = gate.room.get(name, 0.0)
        full = "nothing gets in" if name in promised and room is not None and room <= 0 else ""
        rows.append(Row((cell(name), *(cell(amount(name, each.get(name, 0.0))) for each in figures)), full))
    text = "A job gets in if its minResources find room: limit - allocated - inqueue + elastic, at the session's end."
    grid = Grid((Column("RESOURCE"), *(Column(title, numeric=True) for title in titles)), rows) if rows else None
    return Part("The gate to the queue", (text,), grid)


def holders(explained: QueueExplanation, *, everything: bool) -> Iterator[Part]:
    """Say who holds the part of the queue that is promised, and what is not counted as it could be given back."""
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
    title = out_of("Who holds what is promised, or could give something back", len(shown), len(found))
    yield Part(title, (), Grid(titles, rows), folded=True)


def accounts(explained: QueueExplanation, view: View, *, everything: bool) -> Iterator[Part]:
    """Show the account of each job that asked, those of jobs that were refused first."""
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
    title = f"{count(len(gates), 'job')} asked to get in, {refused:,} refused" if refused else ""
    title = title or f"{count(len(gates), 'job')} asked to get in, and {'all' if len(gates) > 1 else 'it'} did"
    columns = (
        Column("  GATE"),
        Column("RESOURCE"),
        Column("SUM", numeric=True),
        Column("LIMIT", numeric=True),
    )
    text = "Each sum is minResources + allocated + inqueue - elastic, as the job asked."
    yield Part(out_of(title, len(shown), len(gates)), (text,), Grid(columns, rows), folded=not refused)


def _verdict(gate: JobGate) -> Text:
    said = "let in" if gate.entered else f"refused: {gate.code}" if gate.code else "refused"
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
