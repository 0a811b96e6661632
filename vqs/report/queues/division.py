"""How a queue came by its limits: with capacity from the root down, with proportion round by round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from vqs.explain.amounts import ABSENT, NEGLIGIBLE, amount
from vqs.explain.outcome import Amounts, QueueResult
from vqs.explain.queues.outcome import Chain, Division, QueueLimits, Round, RoundStep
from vqs.model.wording import count
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import MARK, Part


def chain(steps: Chain, names: Iterable[str]) -> Iterator[Part]:
    """Yield, for each resource, the limits from the root down, and what each queue deserves."""
    columns = (
        Column("QUEUE"),
        *(
            Column(title, numeric=True)
            for title in ("CONFIGURED", "CAPABILITY", "AVAILABLE", "LIMIT", "GUARANTEE", "DESERVED")
        ),
    )
    last = steps.queues[-1].queue
    for name in names:
        rows = [_link_row(link, name, marked=link.queue == last) for link in steps.queues]
        text = f"The cluster has {amount(name, steps.total.get(name, 0.0))}."
        yield Part(f"Limit and deserved share of {name}", (text,), Grid(columns, rows, "WHY"))


def _link_row(link: QueueLimits, name: str, *, marked: bool) -> Row:
    is_root = not link.parent and not link.available.get(name)
    texts = (
        f"{MARK if marked else '  '}{link.queue}",
        amount(name, link.configured_capability[name]) if link.configured_capability.get(name) else ABSENT,
        _limit(link.capability, name) if name in link.capability else ABSENT,
        ABSENT if is_root else _limit(link.unreserved, name),
        _limit(link.real_capability, name),
        amount(name, link.guarantee.get(name, 0.0)),
        amount(name, link.deserved.get(name, 0.0)),
    )
    return Row(tuple(cell(text, "bold" if marked else "") for text in texts), _reasons(link, name))


def _entitled(link: QueueLimits, name: str, deserved: float, below: float) -> str:
    if deserved == below:
        return "deserves the sum of its children"
    return "deserves its guarantee" if link.parent or not link.available.get(name) else "deserves all of the cluster"


def _limit(amounts: Amounts, name: str) -> str:
    return amount(name, amounts.get(name, 0.0))


def _reasons(link: QueueLimits, name: str) -> str:
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
    if deserved > configured:
        reasons.append(_entitled(link, name, deserved, below))
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
        if everything or _is_deserved(steps, name):
            rows = list(_round_rows(queue.name, steps, name, everything=everything))
            columns = (
                Column("ROUND", numeric=True),
                Column("QUEUE"),
                Column("WEIGHT", numeric=True),
                *(Column(title, numeric=True) for title in ("PART", "OFFERED", "DESERVED")),
            )
            yield Part(f"Deserved {name}, round by round", _lines(queue, steps, name), Grid(columns, rows, "WHY"))


def _is_deserved(division: Division, name: str) -> bool:
    return any(step.deserved.get(name) for each in division.rounds for step in each.steps)


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
    shown = rounds if everything else _telling_rounds(queue, rounds)
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


def _telling_rounds(queue: str, rounds: Sequence[Round]) -> Sequence[Round]:
    """Return the first rounds that the queue takes part in, and the last of them."""
    mine = [each for each in rounds if any(step.queue == queue for step in each.steps)] or list(rounds)
    return mine if len(mine) <= _ROUNDS else [*mine[: _ROUNDS - 1], mine[-1]]


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
    part, offered, deserved = (
        sum(figures)
        for figures in zip(
            *((_part(step, name), step.offered.get(name) or 0.0, step.deserved.get(name) or 0.0) for step in others),
            strict=True,
        )
    )
    yield _row(
        "",
        f"  {count(len(others), 'other queue')}; -v shows each",
        f"{sum(step.weight for step in others):,}",
        *(amount(name, figure) for figure in (part, offered, deserved)),
    )


def _step_row(step: RoundStep, name: str, *, marked: bool) -> Row:
    figures = (_part(step, name), step.offered.get(name, 0.0), step.deserved.get(name, 0.0))
    return _row(
        "",
        f"{MARK if marked else '  '}{step.queue}",
        f"{step.weight:,}",
        *(amount(name, figure) for figure in figures),
        why=_why(step, name),
        style="bold" if marked else "",
    )


def _part(step: RoundStep, name: str) -> float:
    return (step.offered.get(name) or 0.0) - (step.before.get(name) or 0.0)


def _why(step: RoundStep, name: str) -> str:
    reasons = []
    if name in step.cut_by_real_capability:
        reasons.append(f"limit {amount(name, step.capped.get(name, 0.0))}")
    if name in step.cut_by_request:
        reasons.append(f"request {amount(name, step.wanted.get(name, 0.0))}")
    if name in step.raised_by_guarantee:
        reasons.append(f"guarantee {amount(name, step.deserved.get(name, 0.0))}")
    met = {"request": "request satisfied", "limit": "out of further rounds: this one added nothing"}
    return "; ".join([*reasons, *([met[step.met]] if step.met else [])])


def _row(*texts: str, why: str = "", style: str = "") -> Row:
    return Row(tuple(cell(text, style) for text in (*texts, *[""] * (6 - len(texts)))), why)
