"""The last section on a job: the fixes that work, their side effects on other jobs, and changes that do not help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Final

from vqs.explain.amounts import ABSENT
from vqs.explain.jobs.manifest import MIN_AVAILABLE, MIN_MEMBER
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.jobs.own_fields import END, REQUESTS
from vqs.explain.jobs.parameters import ACTIONS, NODES, STATE
from vqs.explain.jobs.remedies import SESSIONS, Cost, Remedies, Remedy
from vqs.explain.jobs.report import SMALL
from vqs.explain.texts.headline import prospect
from vqs.model.wording import and_more, count, first_names
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Part

FIXES: Final = "Fixes"

_NAMED: Final = 3
"""After these, jobs and tasks are counted and not named."""

_NEVER: Final = "Guarantees of other queues are never tried."

_USELESS: Final = "Changes that do not help"

_NUMBER: Final = Column("#", numeric=True)

_STEEP: Final = 4
"""A minimum lowered below this fraction of itself, one fourth, is a high price."""

_LONG: Final = 50
"""A longer edit than this does not stand in a column."""


def remedies(report: JobReport, *, everything: bool) -> Iterator[Part]:
    """Show what helps, each with the next smaller value, which fails, and its side effects; then what does not help."""
    if not report.stopped_at:
        return
    found = report.remedies
    if found is None:
        text = (
            f"No fix was searched for. --remedies simulates up to {SESSIONS} sessions, each with one change; without "
            f"the option, that is done for snapshots of at most {SMALL:,} nodes and tasks."
        )
        yield Part(FIXES, (text,))
        return
    if found.waiting in ("pipelined", "placed"):
        yield Part(FIXES, (f"No change was tried: it {prospect(report.outlook) or 'is placed by the next session'}.",))
        return
    if found.standing == "placed":
        yield Part(FIXES, ("Its minimum is placed. Fixes are searched for only for jobs without their minimum.",))
        return
    yield _helpful(found, everything=everything)
    yield from _how_to(found, everything=everything)
    yield from _useless(found, everything=everything)


def _helpful(found: Remedies, *, everything: bool) -> Part:
    ran = f"{count(found.sessions, 'session')} {'was' if found.sessions == 1 else 'were'} simulated."
    if not found.remedies:
        kinds = ", ".join(dict.fromkeys(each.knob for each in found.useless)) or "nothing"
        none = f"No single change gets the job placed. Tried: {kinds}. {_NEVER} {ran}"
        return Part(FIXES, (none, found.too_large) if found.too_large else (none,))
    proven = "RESULT is the state of the job with the change. With the value at FAILS AT, the change does not help."
    columns = (
        _NUMBER,
        Column("CHANGE"),
        Column("FROM", numeric=True),
        Column("TO", numeric=True),
        Column("FAILS AT", numeric=True),
        Column("RESULT"),
    )
    rows = [_row(number, each, everything=everything) for number, each in enumerate(found.remedies, 1)]
    return Part(f"{FIXES} that work, verified by simulation", (f"{proven} {ran}",), Grid(columns, rows, "SIDE EFFECTS"))


def _row(number: int, remedy: Remedy, *, everything: bool) -> Row:
    none = "none; it takes time" if remedy.knob == END else "none"
    remark = _side_effects(remedy.cost, everything=everything, none=none)
    if _is_steep(remedy):
        remark = f"{remark}; high price: {remedy.to} of {remedy.from_value} tasks are enough to start it"
    values = [remedy.from_value, remedy.to, ABSENT if remedy.not_enough is None else remedy.not_enough]
    if remedy.knob == ACTIONS:  # the edit says it all, and each of them is long
        values = [ABSENT, ABSENT, ABSENT]
    before, after, below = map(str, values)
    cells = (
        cell(str(number)),
        cell(_change(remedy)),
        cell(before),
        cell(after),
        cell(below if remedy.exact else f"about {below}"),
        cell(remedy.standing, "green" if remedy.standing == "placed" else "cyan"),
    )
    return Row(cells, remark)


def _how_to(found: Remedies, *, everything: bool) -> Iterator[Part]:
    """Show how to make the fixes that take more than the edit that stands for them."""
    rows = [
        Row((cell(str(number)),), steps)
        for number, each in enumerate(found.remedies, 1)
        if (steps := "; ".join(_steps(each, everything=everything)))
    ]
    if rows:
        yield Part("How to make these changes", (), Grid((_NUMBER,), rows, "STEPS"))


def _steps(remedy: Remedy, *, everything: bool) -> Iterator[str]:
    """Yield what there is to do in the cluster, then the edits that vqs tried."""
    if remedy.recreate:
        yield f"it cannot be changed after creation: delete and re-create {remedy.recreate} {_with(remedy)}"
    elif remedy.owner:
        yield f"change it in {remedy.owner}, the controller"
    if command := _command(remedy):
        yield f"run {command}"
    if remedy.knob == NODES and isinstance(remedy.to, int) and isinstance(remedy.from_value, int):
        more = remedy.to - remedy.from_value
        yield f"add {count(more, 'node')} like {remedy.of.partition('/')[2]}"
    if remedy.knob != END and not _is_in_column(remedy):
        shown = remedy.edits if everything else remedy.edits[:_NAMED]
        verb = "edit" if len(remedy.edits) == 1 else "edits"
        yield f"{verb} for vqs: {', then '.join(shown)}{and_more(len(remedy.edits) - len(shown))}"


def _is_steep(remedy: Remedy) -> bool:
    """Tell whether a gang gives up most of its minimum."""
    before, after = remedy.from_value, remedy.to
    is_gang = remedy.knob in (MIN_MEMBER, MIN_AVAILABLE) and not remedy.of.startswith("poddisruptionbudget/")
    return is_gang and isinstance(before, int) and isinstance(after, int) and _STEEP * after < before


def _with(remedy: Remedy) -> str:
    """Say what the object that is created again has, or does without.

    A toleration stands for the taint that it tolerates.
    """
    field = " ".join(filter(None, [remedy.knob, remedy.resource]))
    return f"without {field}" if remedy.to == "none" else f"with {field} {remedy.to}"


def _command(remedy: Remedy) -> str:
    """Return the command for a change that cannot be applied as a manifest; empty where it can be."""
    return f"vcctl queue operate -n {quote(remedy.of.partition('/')[2])} --action open" if remedy.knob == STATE else ""


def _change(remedy: Remedy) -> str:
    return remedy.edits[0] if _is_in_column(remedy) else _name(remedy)


def _is_in_column(remedy: Remedy) -> bool:
    """Tell whether the edit itself stands for the change: it is one, short, and names a job as people do."""
    is_short = len(remedy.edits) == 1 and len(remedy.edits[0]) <= _LONG
    return is_short and remedy.of == remedy.called and remedy.knob not in (NODES, STATE, END)


def _name(remedy: Remedy) -> str:
    if remedy.knob == END:
        return f"{remedy.called} ends"
    if remedy.knob == NODES:
        return f"more nodes like {remedy.of.partition('/')[2]}"
    return " ".join(filter(None, [remedy.knob, remedy.resource, "of", remedy.called]))


def _side_effects(cost: Cost | None, *, everything: bool, none: str) -> str:
    if cost is None:
        return ""
    parts = []
    if cost.no_longer_placed:
        parts.append(f"{_named(cost.called(cost.no_longer_placed), everything=everything)} no longer placed")
    if cost.fewer_tasks:
        parts.append(f"fewer tasks of {_named(cost.called(cost.fewer_tasks), everything=everything)}")
    if cost.evicted:
        evicted = _named(cost.evicted, everything=everything)
        parts.append(f"evicts {evicted}")
    if cost.newly_placed:
        parts.append(f"places {_named(cost.called(cost.newly_placed), everything=everything)} as well")
    worse = len(cost.no_longer_placed) + len(cost.fewer_tasks)
    return f"{f'{worse} jobs worse off: ' if worse > 1 else ''}{'; '.join(parts)}" if parts else none


def _named(names: Sequence[str], *, everything: bool) -> str:
    return first_names(names, None if everything else _NAMED)


def _useless(found: Remedies, *, everything: bool) -> Iterator[Part]:
    spent = found.sessions >= found.most_sessions
    useless, cut = (found.useless[:-1], found.useless[-1:]) if spent else (found.useless, [])
    if useless:
        columns = (Column("CHANGE"), Column("FROM", numeric=True), Column("TRIED", numeric=True))
        rows = [_failed(each, everything=everything) for each in useless]
        alone = "Each was simulated alone; the job is not placed with any of them."
        yield Part(_USELESS, (alone,), Grid(columns, rows, "WHY NOT"))
    limit = f"The limit of {count(found.most_sessions, 'session')} was reached"
    lines = [f"{limit} during the search for {_name(each)}." for each in cut]
    if found.untried:
        lines.append(f"{limit} before these changes were tried: {', '.join(found.untried)}.")
    if lines:
        yield Part("Changes that were not tried", [*lines, "--sessions raises the limit."])


def _failed(remedy: Remedy, *, everything: bool) -> Row:
    name, before, tried = _name(remedy), str(remedy.from_value), _reached(remedy)
    if remedy.knob == ACTIONS:  # both lists are long, and the new one says it all
        name, before, tried = f"actions: {remedy.to}", ABSENT, ABSENT
    elif remedy.knob == END:
        before, tried = ABSENT, ABSENT
    return Row((cell(name), cell(before), cell(tried)), _still(remedy) if everything else "")


def _reached(remedy: Remedy) -> str:
    """Say which value was tried last: of an amount all up or down to it, else it alone."""
    before, to = remedy.from_value, str(remedy.to)
    if not to[:1].isdigit():
        return to
    lowers = isinstance(before, int) and isinstance(remedy.to, int) and remedy.to < before
    return f"down to {to}" if lowers or remedy.knob == REQUESTS else f"up to {to}"


def _still(remedy: Remedy) -> str:
    """Say what still keeps the job from being placed."""
    if remedy.refused:
        return f"refused: {remedy.refused}"
    return f"{remedy.verdict.code}: {remedy.verdict.text}" if remedy.verdict else ""
