"""What a queue admits and can still take: the check of each job that asked, and each limit that waiting tasks meet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.text import Text

from vqs.explain.amounts import ABSENT, NEGLIGIBLE, UNLIMITED, amount, listed
from vqs.explain.queues.outcome import AwaitedOfJob, GateAccount, JobGate, PendingRole, QueueExplanation, RoleLimit
from vqs.model.resource import is_in_bytes
from vqs.model.wording import count
from vqs.report.formats import View
from vqs.report.grid import Column, Grid, Row, Span, cell
from vqs.report.page import Part, out_of
from vqs.report.queues.tree import PODS, chosen
from vqs.report.visible import visible

_HOLDERS: Final = 10
_JOBS: Final = 10
"""Longer lists than these are folded, unless everything is asked for."""


def ledger(explained: QueueExplanation, names: Iterable[str]) -> Part:
    """Say what is held and promised, and how much room is left."""
    gate = explained.admission
    asked = {
        name for job in gate.jobs for account in job.checks for name, need in account.min_resources.items() if need
    }
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
    found = sorted(explained.admission.holders, key=lambda each: not listed(each.inqueue))
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
    gates = sorted(explained.admission.jobs, key=lambda gate: gate.admitted)
    if not gates:
        return
    refused = sum(not gate.admitted for gate in gates)
    shown = gates if everything else gates[: max(min(refused, _JOBS), 3)]
    rows: list[Row | Span] = []
    for gate in shown:
        rows.append(Span(_verdict(gate)))
        for account in gate.checks:
            rows += [
                _account_row(account, name)
                for name in chosen(account.min_resources, view)
                if account.min_resources[name]
            ]
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
    said = "admitted" if gate.admitted else f"not admitted: {gate.code}" if gate.code else "not admitted"
    return Text().append(visible(gate.called), "bold").append(f"  {said}", "green" if gate.admitted else "red")


def _account_row(account: GateAccount, name: str) -> Row:
    terms = [account.min_resources, account.allocated, account.inqueue]
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


_CPU: Final = "cpu"

_ROLES: Final = 10
"""More kinds of tasks than these are folded, unless everything is asked for."""


def pending(explained: QueueExplanation, view: View, *, everything: bool) -> Iterator[Part]:
    """Show what waits with every limit it meets; jobs that meet the same are summed up."""
    roles = sorted(explained.pending, key=lambda role: role.fitting >= role.tasks)
    if roles:
        yield _room(roles, view, everything=everything)
    if explained.awaited:
        yield _awaited(explained.awaited, everything=everything)
    if not roles and not explained.awaited:
        yield Part("No task of it is pending")


def _room(roles: Sequence[PendingRole], view: View, *, everything: bool) -> Part:
    alike: dict[object, list[PendingRole]] = {}
    for role in roles:
        alike.setdefault(id(role) if everything else _limits(role), []).append(role)
    groups = list(alike.values())
    shown = groups if everything else groups[:_ROLES]
    rows: list[Row | Span] = []
    for first, *others in shown:
        rows.append(Span(_role(first, others)))
        rows += [_bound_row(first, bound, view) for bound in first.limits]
    columns = (Column("  LIMIT"), Column("OF QUEUE"), Column("TASKS", numeric=True))
    title = out_of("Room for pending tasks", sum(map(len, shown)), len(roles))
    return Part(title, (_AT_THE_END,), Grid(columns, rows, "ROOM"))


def _awaited(awaited: Sequence[AwaitedOfJob], *, everything: bool) -> Part:
    """Show the jobs whose pods do not exist yet, those first whose pods come with the next session."""
    jobs = sorted(awaited, key=lambda job: not job.created_next)
    shown = jobs if everything else jobs[:_ROLES]
    rows = [
        Row((cell(job.called), cell(job.queue), cell(f"{job.pods:,}"), cell(_created(job))), listed(job.request))
        for job in shown
    ]
    columns = (Column("JOB"), Column("QUEUE"), Column("PODS", numeric=True), Column("CREATED"))
    title = out_of("Pods that are not created yet", len(shown), len(jobs))
    return Part(title, (), Grid(columns, rows, "TOTAL REQUEST"))


_AT_THE_END: Final = "TASKS and ROOM are what is left when the session is over, after what it placed and reserved."

_LATER: Final = {
    "admission": "once the job is admitted",
    "dependencies": "once the tasks they depend on run",
    "order": "once the pods before them run",
}


def _created(job: AwaitedOfJob) -> str:
    later = _LATER[job.waits_for]
    if not job.created_next:
        return later
    return (
        "before the next session" if job.created_next == job.pods else f"{job.created_next:,} before the next session"
    )


def _limits(role: PendingRole) -> object:
    """Return what roles that are summed up have in common: all but their jobs and the number of their tasks."""
    bounds = tuple((bound.kind, bound.queue, bound.tasks) for bound in role.limits)
    return role.queue, tuple(role.request.items()), role.verdict, role.fitting >= role.tasks, role.fitting, bounds


def _role(role: PendingRole, others: Sequence[PendingRole]) -> Text:
    """Sum up what waits: how much, how many of it would fit, and how large one could be."""
    each = "each " if role.tasks > 1 else ""
    asks = f"{each}{listed(role.request)}" if listed(role.request) else "no requests"
    of_role = f" of role {role.role}" if role.role else ""
    enough = role.fitting >= role.tasks
    fit = ("all fit" if role.tasks > 1 else "it fits") if enough else _fitting(role.fitting)
    text = Text().append(visible(role.called), "bold")
    text.append(visible(f"  {count(role.tasks, 'task')}{of_role}, {asks}: "))
    text.append(fit, "green" if enough else "red")
    text.append(visible(f"; {_largest(role)}" if role.largest_request and not enough else ""))
    text.append(visible(f" ({role.verdict})" if role.verdict else ""))
    tasks, jobs = sum(other.tasks for other in others), {other.job for other in others} - {role.job}
    alike = f"; {count(tasks, 'more task')} alike" if others else ""
    return text.append(f"{alike}, in {count(len(jobs), 'other job')}" if jobs else alike)


def _fitting(number: int) -> str:
    return "none fits" if number == 0 else "1 fits" if number == 1 else f"{number:,} fit"


def _largest(role: PendingRole) -> str:
    """Say how large a task like these could be, if it were changed in one resource alone."""
    whole = {
        name: value if value is None or name == _CPU or is_in_bytes(name) else math.floor(value)
        for name, value in role.largest_request.items()
    }
    some = {name: value for name, value in whole.items() if value is None or value > NEGLIGIBLE}
    return (
        f"a task fits if it requests at most {' or '.join(listed({name: some[name]}) for name in some)}"
        if some
        else "no smaller task fits either"
    )


def _bound_row(role: PendingRole, bound: RoleLimit, view: View) -> Row:
    what = {"deserved": "deserved", "realCapability": "limit", "nodes": "suitable nodes"}[bound.kind]
    decides = role.strictest is not None and role.limits[role.strictest] is bound and role.fitting < role.tasks
    room = {name: bound.room[name] for name in chosen(bound.room, view)}
    cells = (
        cell(f"  {what}", "bold" if decides else ""),
        cell(bound.queue or ABSENT),
        cell(UNLIMITED if bound.tasks is None else f"{bound.tasks:,}", "red" if decides else ""),
    )
    on_one = " at most on one node" if bound.kind == "nodes" else ""
    remarks = [f"{listed(room, nothing=True)}{on_one}"] if room else []
    remarks += [f"bottleneck{f': {bound.resource}' if bound.resource else ''}"] if decides else []
    remarks += [] if bound.enforced else ["not enforced"]
    return Row(cells, "; ".join(remarks))
