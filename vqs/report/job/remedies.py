"""The last stage: what would have to change for a job to be placed, what that costs others, and what does not help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Final

from vqs.explain.amounts import ABSENT
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.jobs.own_fields import END
from vqs.explain.jobs.parameters import ACTIONS, STATE
from vqs.explain.jobs.remedies import SESSIONS, Cost, Remedies, Remedy
from vqs.explain.jobs.report import SMALL, WAITING
from vqs.model.wording import and_more, count, first_names
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Part

TITLE: Final = "What would have to change"

_NAMED: Final = 3
"""After these, jobs and tasks are counted and not named."""

_NEVER: Final = "never tried: guarantees of other queues"

_LONG: Final = 50
"""A longer edit than this does not stand in a column."""


def remedies(report: JobReport, *, everything: bool) -> Iterator[Part]:
    """Show what helps, each with one step less, which does not, and with its price; then what does not help."""
    if not report.stopped_at:
        return
    found = report.remedies
    if found is None:
        text = (
            f"Nothing was tried out. --remedies runs up to {SESSIONS} sessions with one thing changed; where it is not "
            f"given, that is done for up to {SMALL:,} nodes and tasks."
        )
        yield Part(TITLE, (text,))
        return
    if found.waiting in ("pipelined", "placed"):
        yield Part(TITLE, (WAITING[found.waiting],))
        return
    if found.standing == "placed":
        yield Part(TITLE, ("Its minimum is placed. What is tried out is how to get that; the rest has to wait.",))
        return
    yield _helpful(found, everything=everything)
    yield from _useless(found, everything=everything)


def _helpful(found: Remedies, *, everything: bool) -> Part:
    ran = f"{count(found.sessions, 'session')} {'was' if found.sessions == 1 else 'were'} run to find out."
    if not found.remedies:
        kinds = ", ".join(dict.fromkeys(each.knob for each in found.useless)) or "nothing"
        return Part(TITLE, (f"No change of one thing gets it placed. Tried: {kinds}; {_NEVER}. {ran}",))
    proven = "Each was tried, and so was the value that is not enough: one step less does not help."
    columns = (
        Column("CHANGE"),
        Column("FROM", numeric=True),
        Column("TO", numeric=True),
        Column("NOT ENOUGH", numeric=True),
        Column("THEN IT IS"),
    )
    rows = [_row(each, everything=everything) for each in found.remedies]
    return Part(TITLE, (f"{proven} {ran}",), Grid(columns, rows, "PRICE"))


def _row(remedy: Remedy, *, everything: bool) -> Row:
    command = _command(remedy)
    ends = remedy.knob == END
    in_column = not command and not ends and len(remedy.edits) == 1 and len(remedy.edits[0]) <= _LONG
    change = remedy.edits[0] if in_column else _name(remedy)
    remark = _price(remedy.cost, everything=everything, nothing="costs only time" if ends else "nobody loses anything")
    if command:
        remark = f"{remark}; done by {command}"
    if not in_column and not ends:
        shown = remedy.edits if everything else remedy.edits[:_NAMED]
        remark = f"{remark}; as edits: {', then '.join(shown)}{and_more(len(remedy.edits) - len(shown))}"
    if remedy.owner:
        remark = f"{remark}; to be written in the {remedy.owner}, which controls it"
    values = [remedy.from_value, remedy.to, ABSENT if remedy.not_enough is None else remedy.not_enough]
    if remedy.knob == ACTIONS:  # the edit says it all, and each of them is long
        values = [ABSENT, ABSENT, ABSENT]
    before, after, below = map(str, values)
    cells = (
        cell(change),
        cell(before),
        cell(after),
        cell(below if remedy.exact else f"{below} or more"),
        cell(remedy.standing, "green" if remedy.standing == "placed" else "cyan"),
    )
    return Row(cells, remark)


def _command(remedy: Remedy) -> str:
    """Return the command for a change that cannot be applied as a manifest; empty where it can be."""
    return f"vcctl queue operate -n {quote(remedy.of.partition('/')[2])} --action open" if remedy.knob == STATE else ""


def _name(remedy: Remedy) -> str:
    if remedy.knob == END:
        return f"{remedy.of.partition('/')[2]} ends"
    return " ".join(filter(None, [remedy.knob, remedy.resource, "of", remedy.of]))


def _price(cost: Cost | None, *, everything: bool, nothing: str) -> str:
    if cost is None:
        return ""
    parts = []
    if cost.no_longer_placed:
        parts.append(f"{_named(cost.called(cost.no_longer_placed), everything=everything)} no longer placed")
    if cost.fewer_tasks:
        parts.append(f"fewer tasks of {_named(cost.called(cost.fewer_tasks), everything=everything)}")
    if cost.evicted:
        evicted = _named(cost.evicted, everything=everything)
        parts.append(f"{evicted} evicted")
    if cost.newly_placed:
        parts.append(f"places {_named(cost.called(cost.newly_placed), everything=everything)} as well")
    high = len(cost.no_longer_placed) + len(cost.fewer_tasks) > 1
    return f"{'high price: ' if high else ''}{'; '.join(parts)}" if parts else nothing


def _named(names: Sequence[str], *, everything: bool) -> str:
    return first_names(names, None if everything else _NAMED)


def _useless(found: Remedies, *, everything: bool) -> Iterator[Part]:
    spent = found.sessions >= found.most_sessions
    useless, cut = (found.useless[:-1], found.useless[-1:]) if spent else (found.useless, [])
    if useless and everything:
        columns = (Column("CHANGE"), Column("FROM", numeric=True), Column("UP TO", numeric=True))
        rows = [
            Row((cell(_name(each)), cell(str(each.from_value)), cell(str(each.to))), _still(each)) for each in useless
        ]
        yield Part("What does not help", (), Grid(columns, rows, "WHY NOT"))
    elif useless:
        yield Part("What does not help", (f"{_up_to(useless)}.",))
    lines = [f"No session was left to go on with: {_up_to(cut)}."] if cut else []
    if found.untried:
        lines.append(f"No session was left to try: {', '.join(found.untried)}.")
    if lines:
        yield Part("What was not tried", lines)


def _up_to(tried: Sequence[Remedy]) -> str:
    return ", ".join(_name(each) if each.knob == END else f"{_name(each)} (up to {each.to})" for each in tried)


def _still(remedy: Remedy) -> str:
    """Say what still keeps the job from being placed."""
    if remedy.refused:
        return f"refused: {remedy.refused}"
    return f"{remedy.verdict.code}: {remedy.verdict.text}" if remedy.verdict else ""
