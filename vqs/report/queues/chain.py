"""How a queue came by its limits, from the root down, with capacity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vqs.explain.amounts import ABSENT, amount
from vqs.explain.outcome import Amounts
from vqs.explain.queues.outcome import Chain, Link
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
    last = steps.links[-1].queue
    for name in names:
        rows = [_link_row(link, name, marked=link.queue == last) for link in steps.links]
        text = f"The cluster has {amount(name, steps.total.get(name, 0.0))}."
        yield Part(f"Limit and deserved share of {name}", (text,), Grid(columns, rows, "WHY"))


def _link_row(link: Link, name: str, *, marked: bool) -> Row:
    is_root = not link.parent and not link.available.get(name)
    texts = (
        f"{MARK if marked else '  '}{link.queue}",
        amount(name, link.configured[name]) if link.configured.get(name) else ABSENT,
        _limit(link.capability, name) if name in link.capability else ABSENT,
        ABSENT if is_root else _limit(link.unreserved, name),
        _limit(link.real_capability, name),
        amount(name, link.guarantee.get(name, 0.0)),
        amount(name, link.deserved.get(name, 0.0)),
    )
    return Row(tuple(cell(text, "bold" if marked else "") for text in texts), _reasons(link, name))


def _entitled(link: Link, name: str, deserved: float, below: float) -> str:
    if deserved == below:
        return "deserves the sum of its children"
    return "deserves its guarantee" if link.parent or not link.available.get(name) else "deserves all of the cluster"


def _limit(amounts: Amounts, name: str) -> str:
    return amount(name, amounts.get(name, 0.0))


def _reasons(link: Link, name: str) -> str:
    reasons = [f"capability from {link.parent}"] if name in link.inherited and link.capability.get(name) else []
    limit, deserved = link.limited_by.get(name), link.deserved.get(name) or 0.0
    kept = (link.guaranteed.get(name) or 0.0) - (link.guarantee.get(name) or 0.0)
    if limit is None:
        reasons.append("no limit")
    elif limit != link.queue:
        reasons.append(f"limited by {limit or 'the cluster'}")
    elif link.capability.get(name) == 0 and not link.configured.get(name):
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
