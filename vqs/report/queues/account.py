"""How a queue came by its limits, what it admits, and what it can still take.

With capacity, limits come from the root down, with proportion round by round. The check of each job that asked follows,
and each limit that waiting tasks meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from rich.text import Text

from vqs.explain.amounts import amount, listed
from vqs.explain.outcome import QueueResult
from vqs.explain.queues.outcome import (
    AwaitedOfJob,
    Chain,
    Division,
    GateAccount,
    PendingRole,
    QueueExplanation,
    QueueLimits,
    RoleLimit,
    Round,
    RoundStep,
)
from vqs.inert import name as visible
from vqs.model.resource import is_in_bytes
from vqs.model.units import NEGLIGIBLE, UNLIMITED
from vqs.model.wording import count
from vqs.report.formats import View
from vqs.report.page import MARK, Cell, Column, Grid, Part, Row, Span, cell, first_rows, out_of, table
from vqs.report.queues.tree import PODS, chosen


def chain(steps: Chain, names: Iterable[str]) -> Iterator[Part]:
    """Yield, for each resource, the limits from the root down, and what each queue deserves."""
    last = steps.queues[-1].queue
    for name in names:
        columns = _link_columns(name, last)
        grid = table(steps.queues, columns, "WHY", partial(_reasons, name), lambda link: "bold" * (link.queue == last))
        text = f"The cluster has {amount(name, steps.total.get(name, 0.0))}."
        yield Part(f"Limit and deserved share of {name}", (text,), grid)


def _link_columns(name: str, last: str) -> dict[Column, Callable[[QueueLimits], Cell]]:
    def available(link: QueueLimits) -> str | None:
        is_root = not link.parent and not link.available.get(name)
        return None if is_root else amount(name, link.unreserved.get(name, 0.0))

    return {
        Column("QUEUE"): lambda link: f"{MARK if link.queue == last else '  '}{link.queue}",
        Column("CONFIGURED", numeric=True): lambda link: (
            amount(name, link.configured_capability[name]) if link.configured_capability.get(name) else None
        ),
        Column("CAPABILITY", numeric=True): lambda link: (
            amount(name, link.capability[name]) if name in link.capability else None
        ),
        Column("AVAILABLE", numeric=True): available,
        Column("LIMIT", numeric=True): lambda link: amount(name, link.real_capability.get(name, 0.0)),
        Column("GUARANTEE", numeric=True): lambda link: amount(name, link.guarantee.get(name, 0.0)),
        Column("DESERVED", numeric=True): lambda link: amount(name, link.deserved.get(name, 0.0)),
    }


def _reasons(name: str, link: QueueLimits) -> str:
    reasons = (
        [f"capability from {link.parent}"] if name in link.inherited_capability and link.capability.get(name) else []
    )
    limit, deserved = link.limited_by.get(name), link.deserved.get(name) or 0.0
    kept = (link.guaranteed.get(name) or 0.0) - (link.guarantee.get(name) or 0.0)
    if limit is None:
        reasons.append("no limit")
    elif limit != link.queue:
        reasons.append(f"limited by {limit or 'the cluster'}")
    elif link.capability.get(name) == 0 and not link.configured_capability.get(name):
        reasons.append(f"limited by its capability, which does not list {name}")
    elif (limit_of := link.capability.get(name)) == link.real_capability.get(name):
        reasons.append(f"limited by its capability of {amount(name, limit_of)}")
    else:
        reasons.append(f"limited by the guarantees of sibling queues, {amount(name, kept)}")
    configured, below = (each.get(name) or 0.0 for each in (link.configured_deserved, link.children_deserved))
    if deserved > configured and deserved == below:
        reasons.append("deserves the sum of its children")
    elif deserved > configured:
        has_parent = link.parent or not link.available.get(name)
        reasons.append("deserves its guarantee" if has_parent else "deserves all of the cluster")
    elif deserved < configured:
        reasons.append(f"deserves {amount(name, configured)} by its spec, capped at its limit")
    most = link.real_capability.get(name, 0.0)
    if most is not None and deserved > most:
        reasons.append("deserves more than its limit")
    return "; ".join(reasons)


_PEERS: Final = 6
_ROUNDS: Final = 4
"""More queues of a round, and more rounds, than these are folded, unless everything is asked for."""


def division(queue: QueueResult, steps: Division, names: Iterable[str], *, everything: bool) -> Iterator[Part]:
    """Yield, for each resource that any queue deserves, the rounds in which it was divided."""
    for name in names:
        if everything or any(step.deserved.get(name) for each in steps.rounds for step in each.steps):
            rows = list(_round_rows(queue.name, steps, name, everything=everything))
            columns = (
                Column("ROUND", numeric=True),
                Column("QUEUE"),
                Column("WEIGHT", numeric=True),
                *(Column(title, numeric=True) for title in ("PART", "OFFERED", "DESERVED")),
            )
            yield Part(f"Deserved {name}, round by round", _lines(queue, steps, name), Grid(columns, rows, "WHY"))


def _lines(queue: QueueResult, division: Division, name: str) -> list[str]:
    total, guaranteed, free = (
        each.get(name) or 0.0 for each in (division.total, division.guaranteed, division.unguaranteed)
    )
    own, limit = queue.opened.guarantee.get(name) or 0.0, queue.opened.real_capability.get(name) or 0.0
    kept = f"; {amount(name, guaranteed)} are guaranteed to queues, which leaves {amount(name, free)} for all queues"
    lines = [f"The cluster has {amount(name, total)}{kept if guaranteed else ''}."]
    most = f"The limit of {queue.name} is {amount(name, limit)}"
    if own:
        most += f": {amount(name, free)} for all queues, and {amount(name, own)} guaranteed to it"
        most += f", capped at its capability of {amount(name, limit)}" if limit < free + own - NEGLIGIBLE else ""
        return [*lines, f"{most}."]
    if limit < free - NEGLIGIBLE:
        return [*lines, f"{most}, its capability."]
    return lines


def _round_rows(queue: str, division: Division, name: str, *, everything: bool) -> Iterator[Row]:
    """Yield the rounds: what there is to divide, what each queue gets of it, and at last what is left over."""
    rounds = division.rounds
    shown: Sequence[Round] = rounds
    if not everything:  # the first rounds that the queue takes part in, and the last of them
        mine = [each for each in rounds if any(step.queue == queue for step in each.steps)] or rounds
        shown = mine if len(mine) <= _ROUNDS else [*mine[: _ROUNDS - 1], mine[-1]]
    skipped = 0
    for each in rounds:
        if each not in shown:
            skipped += 1
            continue
        if skipped:
            yield _row("", f"  … {count(skipped, 'round')}; -v shows all")
            skipped = 0
        yield _row(
            str(each.number), "  to divide", f"{each.total_weight:,}", amount(name, each.remaining.get(name, 0.0))
        )
        yield from _step_rows(queue, each, name, everything=everything)
    if skipped:
        yield _row("", f"  … {count(skipped, 'round')} without {queue}; -v shows all")
    if rounds:
        yield _row("", "  left over", "", amount(name, rounds[-1].left.get(name, 0.0)))


def _step_rows(queue: str, each: Round, name: str, *, everything: bool) -> Iterator[Row]:
    steps = each.steps
    if everything or len(steps) <= _PEERS:
        for step in steps:
            yield _step_row(step, name, marked=step.queue == queue)
        return
    own = next(step for step in steps if step.queue == queue) if queue in {step.queue for step in steps} else None
    if own is not None:
        yield _step_row(own, name, marked=True)
    others = [step for step in steps if step is not own]
    figures = [(_part(step, name), step.offered.get(name) or 0.0, step.deserved.get(name) or 0.0) for step in others]
    yield _row(
        "",
        f"  {count(len(others), 'other queue')}; -v shows each",
        f"{sum(step.weight for step in others):,}",
        *(amount(name, sum(column)) for column in zip(*figures, strict=True)),
    )


def _step_row(step: RoundStep, name: str, *, marked: bool) -> Row:
    reasons = [f"limit {amount(name, step.capped.get(name, 0.0))}"] if name in step.cut_by_real_capability else []
    if name in step.cut_by_request:
        reasons.append(f"request {amount(name, step.wanted.get(name, 0.0))}")
    if name in step.raised_by_guarantee:
        reasons.append(f"guarantee {amount(name, step.deserved.get(name, 0.0))}")
    met = {"request": "request satisfied", "limit": "takes no part in later rounds, as this one added nothing"}
    return _row(
        "",
        f"{MARK if marked else '  '}{step.queue}",
        f"{step.weight:,}",
        *(
            amount(name, each)
            for each in (_part(step, name), step.offered.get(name, 0.0), step.deserved.get(name, 0.0))
        ),
        why="; ".join([*reasons, *([met[step.met]] if step.met else [])]),
        style="bold" if marked else "",
    )


def _part(step: RoundStep, name: str) -> float:
    return (step.offered.get(name) or 0.0) - (step.before.get(name) or 0.0)


def _row(*texts: str, why: str = "", style: str = "") -> Row:
    return Row(tuple(cell(text, style) for text in (*texts, *[""] * (6 - len(texts)))), why)


# --- admission and room -----------------------------------------------------------------------------------------------

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

    def full(name: str) -> str:
        room = gate.room.get(name, 0.0)
        return "no job is admitted" if name in promised and room is not None and room <= 0 else ""

    columns: dict[Column, Callable[[str], Cell]] = {
        Column("RESOURCE"): str,
        Column("ALLOCATED", numeric=True): lambda name: amount(name, gate.allocated.get(name, 0.0)),
        Column("+ INQUEUE", numeric=True): lambda name: amount(name, gate.inqueue.get(name, 0.0)),
        Column("- ELASTIC", numeric=True): lambda name: amount(name, gate.elastic.get(name, 0.0)),
        Column("LIMIT", numeric=True): lambda name: amount(name, gate.real_capability.get(name, 0.0)),
        Column("= ROOM", numeric=True): lambda name: amount(name, gate.room.get(name, 0.0)),
    }
    text = "A job is admitted if its minResources fit in ROOM = limit - allocated - inqueue + elastic, at session end."
    return Part("Admission (enqueue)", (text,), table(shown, columns, says=full) if shown else None)


def holders(explained: QueueExplanation, *, everything: bool) -> Iterator[Part]:
    """Say who holds the part of the queue that is promised, and what is elastic, so not counted."""
    found = sorted(explained.admission.holders, key=lambda each: not listed(each.inqueue))
    found = [each for each in found if listed(each.inqueue) or listed(each.elastic)]
    if found:
        yield first_rows(
            "Jobs with inqueue or elastic resources",
            found,
            None if everything else _HOLDERS,
            {
                Column("JOB"): lambda each: each.called,
                Column("QUEUE", dispensable=True): lambda each: each.queue,
                Column("PHASE"): lambda each: each.phase,
                Column("INQUEUE"): lambda each: listed(each.inqueue),
                Column("ELASTIC"): lambda each: listed(each.elastic),
            },
            folded=True,
        )


def accounts(explained: QueueExplanation, view: View, *, everything: bool) -> Iterator[Part]:
    """Show the account of each job that asked, those of jobs that were not admitted first."""
    gates = sorted(explained.admission.jobs, key=lambda gate: gate.admitted)
    if not gates:
        return
    refused = sum(not gate.admitted for gate in gates)
    shown = gates if everything else gates[: max(min(refused, _JOBS), 3)]
    rows: list[tuple[GateAccount, str] | Span] = []
    for gate in shown:
        said = "admitted" if gate.admitted else f"not admitted: {gate.code}" if gate.code else "not admitted"
        heading = Text().append(visible(gate.called), "bold")
        rows.append(Span(heading.append(f"  {said}", "green" if gate.admitted else "red")))
        for account in gate.checks:
            rows += [(account, name) for name in chosen(account.min_resources, view) if account.min_resources[name]]
    title = f"{count(len(gates), 'job')} asked for admission, {refused:,} not admitted" if refused else ""
    title = title or f"{count(len(gates), 'job')} asked for admission, {'all' if len(gates) > 1 else 'it was'} admitted"
    columns: dict[Column, Callable[[tuple[GateAccount, str]], Cell]] = {
        Column("  CHECKED BY"): lambda each: f"  {each[0].queue or each[0].plugin}",
        Column("RESOURCE"): lambda each: each[1],
        Column("SUM", numeric=True): _sum,
        Column("LIMIT", numeric=True): lambda each: amount(each[1], each[0].limit.get(each[1], 0.0)),
    }
    text = (
        "Each sum is what the job needs to start (minResources), plus what is allocated, and promised to admitted jobs "
        "(inqueue), less what jobs hold beyond their minimum (elastic), when the job was checked."
    )
    grid = table(rows, columns, says=lambda each: excess(*each, "too much"))
    yield Part(out_of(title, len(shown), len(gates)), (text,), grid, folded=not refused)


def _sum(each: tuple[GateAccount, str]) -> str:
    account, name = each
    terms = [account.min_resources, account.allocated, account.inqueue]
    text = " + ".join(amount(name, term.get(name, 0.0)) for term in terms)
    elastic = account.elastic.get(name)
    return f"{text}{f' - {amount(name, elastic)}' if elastic else ''} = {amount(name, account.total.get(name))}"


def excess(account: GateAccount, name: str, words: str) -> str:
    """Say by how much a check exceeds its limit; empty where it does not."""
    total, limit = account.total.get(name), account.limit.get(name, 0.0)
    if name not in account.exceeding or limit is None:
        return ""
    return f"{amount(name, (total or 0.0) - limit)} {words}"


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
    rows: list[tuple[PendingRole, RoleLimit] | Span] = []
    for first, *others in shown:
        rows.append(Span(_role(first, others)))
        rows += [(first, bound) for bound in first.limits]

    def remarks(each: tuple[PendingRole, RoleLimit]) -> str:
        bound = each[1]
        room = {name: bound.room[name] for name in chosen(bound.room, view)}
        on_one = " at most on one node" if bound.kind == "nodes" else ""
        said = [f"{listed(room, nothing=True)}{on_one}"] if room else []
        said += [f"bottleneck{f': {bound.resource}' if bound.resource else ''}"] if _decides(each) else []
        return "; ".join([*said, *([] if bound.enforced else ["not enforced"])])

    columns: dict[Column, Callable[[tuple[PendingRole, RoleLimit]], Cell]] = {
        Column("  LIMIT"): lambda each: cell(f"  {_LIMITS[each[1].kind]}", "bold" if _decides(each) else ""),
        Column("OF QUEUE"): lambda each: each[1].queue or None,
        Column("TASKS", numeric=True): lambda each: cell(
            UNLIMITED if each[1].tasks is None else f"{each[1].tasks:,}", "red" if _decides(each) else ""
        ),
    }
    title = out_of("Room for pending tasks", sum(map(len, shown)), len(roles))
    return Part(title, (_AT_THE_END,), table(rows, columns, "ROOM", remarks))


_LIMITS: Final = {"deserved": "deserved", "realCapability": "limit", "nodes": "suitable nodes"}


def _decides(each: tuple[PendingRole, RoleLimit]) -> bool:
    role, bound = each
    return role.strictest is not None and role.limits[role.strictest] is bound and role.fitting < role.tasks


def _awaited(awaited: Sequence[AwaitedOfJob], *, everything: bool) -> Part:
    """Show the jobs whose pods do not exist yet, those first whose pods come with the next session."""
    return first_rows(
        "Pods that are not created yet",
        sorted(awaited, key=lambda job: not job.created_next),
        None if everything else _ROLES,
        {
            Column("JOB"): lambda job: job.called,
            Column("QUEUE"): lambda job: job.queue,
            Column("PODS", numeric=True): lambda job: job.pods,
            Column("CREATED"): _created,
        },
        "TOTAL REQUEST",
        says=lambda job: listed(job.request),
    )


_AT_THE_END: Final = "TASKS and ROOM are counted at the end of the session, after what it placed and reserved."

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
    each = " each" if role.tasks > 1 else ""
    asks = f"requesting {listed(role.request)}{each}" if listed(role.request) else "no requests"
    of_role = f" of role {role.role}" if role.role else ""
    enough = role.fitting >= role.tasks
    some = f"room for {role.fitting:,}" if role.tasks > 1 else "no room for it"
    fit = ("room for all" if role.tasks > 1 else "room for it") if enough else some
    text = Text().append(visible(role.called), "bold")
    text.append(visible(f"  {count(role.tasks, 'task')}{of_role}, {asks}: "))
    text.append(fit, "green" if enough else "red")
    text.append(visible(f"; {_largest(role)}" if role.largest_request and not enough else ""))
    text.append(visible(f" (cause during the session: {role.verdict})" if role.verdict else ""))
    tasks, jobs = sum(other.tasks for other in others), {other.job for other in others} - {role.job}
    alike = f"; {count(tasks, 'more task')} alike" if others else ""
    return text.append(f"{alike}, in {count(len(jobs), 'other job')}" if jobs else alike)


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
