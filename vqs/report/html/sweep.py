"""The pages on a sweep, and on a search for the cheapest change: what each parameter does, and every point.

Its data are columns of numbers that stand for values, so that 10,000 points open at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from vqs.diff.outcome import Failure
from vqs.explain.amounts import ABSENT, percent
from vqs.model.resource import is_in_bytes
from vqs.model.wording import count, first_names, listed_names
from vqs.report.formats import Again, Detail, View
from vqs.report.html.page import page, table
from vqs.report.sweep.commands import Commands
from vqs.report.sweep.page import SweepParts, answer, errors, page_of_tune
from vqs.report.sweep.page import page as sweep_page
from vqs.report.sweep.points import difference_text, figure_text, highlights, level_text, range_text
from vqs.sweep.analysis import Factor, factors_of
from vqs.sweep.domains import Value, edits_of, written
from vqs.sweep.effects import Effect, Levels, divisions, is_number
from vqs.sweep.figures import NEVER, figure_of
from vqs.sweep.outcome import FigureInfo, ParameterInfo, Row, Sweep
from vqs.sweep.snapshots import Sides
from vqs.sweep.tune.outcome import Change, Tune

_SEVERAL = 2


def write(result: Sweep, view: View, /) -> str:
    """Return the page, with all points in it, or as many as a page can hold."""
    sides = Sides(result)
    analyses = [side.analysis for side in sides.all]
    shown = sweep_page(result, view)
    said = highlights(sides)
    is_gated = bool(result.fail_on or result.errors or not said)
    first, *more = [f"{answer(result)}.", *errors(result), *said] if is_gated else said
    parts = SweepParts(result, sides, replace(view, detail=Detail.EVERYTHING))
    points = len(result.rows)
    varied = max(len(analysis.varied) for analysis in analyses)
    return page(
        "sweep",
        "sweep",
        _data(result, sides, view.again, sides.front),
        command="sweep",
        title=f"vqs sweep {result.name or result.plan}",
        sentence=first,
        more=more,
        headline=shown.headline,
        failures=shown.failures,
        counts=list(_counts(result, sides)),
        effects=[(part, table(part.grid)) for part in parts.effects()] if varied and sides.are_measured else [],
        steps=[],
        points_open="A point opens the edits that make it, and the command that compares it with its snapshot. "
        "Search for a value (weight=4) or a limit (placed>=6).",
        has_effects=bool(varied) and sides.are_measured,
        has_plot=bool(varied) and sides.are_measured,
        has_trade_off=any(analysis.trade_off is not None for analysis in analyses),
        front=[(part, table(part.grid)) for part in (*parts.on_all(), *parts.best(), *parts.front())],
        has_heat=varied + sides.are_several >= _SEVERAL and sides.are_measured,
        left_out=f"{MOST_ROWS:,} of {count(points, 'point')} are on this page; CSV and JSON have all of them."
        if points > MOST_ROWS
        else "",
        facts=[
            ("plan", result.plan),
            ("points", f"{points:,} ({result.method})"),
            *_facts_of_runs(result),
            ("--fail-on", ", ".join(each.condition for each in result.fail_on)),
        ],
    )


def _counts(sweep: Sweep, sides: Sides) -> Iterator[tuple[str, str, int, str]]:
    front = sides.front
    states = [state_of(row, is_best=row.number in front) for row in sweep.rows]
    yield "placed", "points", len(states), ""
    for colour, word, state in (
        ("gains", "on the Pareto front", "front"),
        ("loses", "fail --fail-on", "failing"),
        ("pending", "could not be run", "failed"),
    ):
        number = len(front) if state == "front" else states.count(state)
        yield colour, word, number, state


def _facts_of_runs(sweep: Sweep) -> Iterator[tuple[str, str]]:
    """Yield what was run: snapshots, parameters, releases and seeds."""
    for base in sweep.bases:
        sizes = f"{count(base.nodes, 'node')}, {count(base.pods, 'pod')}"
        files = "" if [base.name] == base.files else f"; {', '.join(base.files)}"
        yield "snapshot", f"{base.name}: {sizes}{files}"
    for parameter in sweep.parameters:
        options = [f"{name}: {', '.join(edits) or 'no edits'}" for name, edits in parameter.options.items()]
        yield parameter.name, "; ".join(options or parameter.edits)
    yield "release", listed_names([*dict.fromkeys(row.release for row in sweep.rows)])
    yield "seeds", first_names([*dict.fromkeys("none" if row.seed is None else str(row.seed) for row in sweep.rows)])


MOST_ROWS: Final = 20_000
"""A page has no more points than these; means and best points are of all of them."""

_STATES: Final = ("", "front", "failing", "failed")


WORDS: Final = {"front": "on the Pareto front", "failing": "fails --fail-on", "failed": "error", "": "other"}
"""What is said of the states of points."""


def _data(
    sweep: Sweep, sides: Sides, again: Again | None, front: Container[int], words: Mapping[str, str] = WORDS
) -> dict[str, Any]:
    """Return what the page draws."""
    commands = Commands(sweep, again)
    places = kept_places(sweep, sides)
    names = [side.name for side in sides.all]
    rows = [sweep.rows[place] for place in places]
    figures = {each.name: each for each in sweep.figures}
    edits = {each.name: each for each in sweep.parameters}
    factors = factors_of(sweep)
    divided = _divided(sweep, factors)
    lists: dict[tuple[str, ...], int] = {(): 0}
    failures = [lists.setdefault(tuple(each.text for each in row.failures), len(lists)) for row in rows]
    return {
        "kind": "sweep",
        "numbers": [row.number for row in rows],
        "parameters": [
            _parameter(each, edits.get(each.name) if each.is_parameter else None, places, divided[each.name])
            for each in factors
        ],
        "snapshots": names,
        "snapshot": [names.index(row.base) for row in rows],
        "figures": [_figure(each, rows, sides) for each in sweep.figures],
        "effects": [
            {**_effect(each, figures[each.figure], len(side.sweep.rows)), "snapshot": number}
            for number, side in enumerate(sides.all)
            for each in side.analysis.effects
        ],
        "tradeOff": next((list(pair) for side in sides.all if (pair := side.analysis.trade_off)), []),
        "states": _STATES,
        "words": words,
        "state": [_STATES.index(state_of(row, is_best=row.number in front)) for row in rows],
        "error": [row.error.message if row.error else "" for row in rows],
        "failures": failures,
        "failureLists": list(lists),
        "commands": [commands.diff(row) for row in rows],
    }


def kept_places(sweep: Sweep, sides: Sides) -> Sequence[int]:
    """Return the places of the points that the page has: all, or those that matter and others evenly among the rest."""
    number = len(sweep.rows)
    if number <= MOST_ROWS:
        return range(number)
    numbers = sides.front | {
        each for side in sides.all for best in side.analysis.best for each in side.numbers(best.places[:1])
    }
    matter = {place for place, row in enumerate(sweep.rows) if row.number in numbers or row.error or row.failures}
    first = sorted(matter)[:MOST_ROWS]
    left = MOST_ROWS - len(first)
    return sorted({*first, *(at * number // left for at in range(left))})


def _divided(sweep: Sweep, factors: Sequence[Factor]) -> dict[str, Levels]:
    """Return how parameters divide the points: those of the first snapshot, as the others have the same changes."""
    seen: Counter[str] = Counter()
    change = []
    for row in sweep.rows:
        change.append(seen[row.base])
        seen[row.base] += 1
    first = [place for place, row in enumerate(sweep.rows) if row.base == sweep.rows[0].base]
    levels = divisions({each.name: [each.values[place] for place in first] for each in factors})
    whole = divisions({each.name: each.values for each in factors if not each.is_parameter})
    return {name: Levels(each.ends, [each.at[place] for place in change]) for name, each in levels.items()} | whole


def state_of(row: Row, *, is_best: bool) -> str:
    """Return what is most important about a point: that it has an error, fails, or is on the front."""
    if row.error:
        return "failed"
    if row.failures:
        return "failing"
    return "front" if is_best else ""


def _parameter(factor: Factor, info: ParameterInfo | None, places: Sequence[int], divided: Levels) -> dict[str, Any]:
    values = [factor.values[place] for place in places]
    is_numeric = all(map(is_number, values))
    distinct = [*dict.fromkeys(map(_key, values))]
    if is_numeric:
        distinct.sort(key=lambda key: key[1])
    numbers = {key: number for number, key in enumerate(distinct)}
    return {
        "name": factor.name,
        "sets": ", ".join(each.removesuffix("={}") for each in info.edits) if info else "",
        "isNumber": is_numeric,
        "isSnapshot": factor.is_snapshot,
        "values": [value if is_numeric else None for _, value in distinct],
        "texts": [written(value) for _, value in distinct],
        "edits": [edits_of(value, info.edits, info.options) if info else [] for _, value in distinct],
        "at": [numbers[_key(value)] for value in values],
        "levels": [{"text": range_text(*ends), "ends": _ends(*ends)} for ends in divided.ends],
        "level": [divided.at[place] for place in places],
    }


def _ends(low: Value, high: Value) -> tuple[Value, Value] | None:
    """Return the ends of a range; None for one value."""
    return None if low == high else (low, high)


def _key(value: Value) -> tuple[bool, Any]:
    return isinstance(value, bool), value


def _figure(figure: FigureInfo, rows: Sequence[Row], sides: Sides) -> dict[str, Any]:
    keys = [(row.figures.get(figure.name), row.error is not None) for row in rows]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    # Of each snapshot the point without edits, where it could be run, in one way.
    alone = [side.sweep.baseline[0] if len(side.sweep.baseline) == 1 else None for side in sides.all]
    bases = [base if base and base.error is None else None for base in alone]
    measure = sides.all[0].analysis.measures.get(figure.name)
    unit = "bytes" if figure.unit == "amount" and is_in_bytes(figure.resource) else figure.unit
    units = {"part": "%", "bytes": "bytes", "seconds": "time", "amount": figure.resource}
    return {
        "name": figure.name,
        "isNumber": figure.unit != "text",
        "unit": unit,
        "measured": units.get(unit) or figure_of(figure.name).kind.means.removesuffix(", in the candidate"),
        "bases": [base.figures.get(figure.name) if base and figure.unit != "text" else None for base in bases],
        "hasBase": [base is not None for base in bases],
        "isTimed": figure.missing == NEVER,
        "missing": figure.missing,
        "better": measure.better if measure else "",
        "values": [value if figure.unit != "text" else None for value, _ in numbers],
        "texts": [ABSENT if is_failed else figure_text(figure, value) for value, is_failed in numbers],
        "at": [numbers[key] for key in keys],
    }


def _effect(effect: Effect, figure: FigureInfo, points: int) -> dict[str, Any]:
    said = "no effect" if effect.variance_explained is None else f"explains {percent(effect.variance_explained)}"
    known = sum(level.points for level in effect.levels)
    missing = f"; {figure.missing} at {count(points - known, 'point')}" if known < points else ""
    return {
        "parameter": effect.parameter,
        "figure": effect.figure,
        "isNumber": all(is_number(level.value) for level in effect.levels),
        "said": f"{said}, difference {difference_text(figure, effect.difference)}{missing}",
        "levels": [
            {
                "text": level_text(level),
                "ends": None if level.to is None else _ends(level.value, level.to),
                "mean": level.mean,
                "least": level.min,
                "most": level.max,
                "points": level.points,
            }
            for level in effect.levels
        ],
    }


# --- the cheapest change that reaches a goal --------------------------------------------------------------------------

_COST: Final = "cost"
_WORDS_OF_TUNE: Final = {
    "front": "reaches the goal",
    "failing": "does not reach the goal",
    "failed": "error",
    "": "other",
}


def write_tune(result: Tune, view: View, /) -> str:
    """Return the page, with all changes in it."""
    shown = page_of_tune(result, replace(view, detail=Detail.EVERYTHING))
    points = _as_sweep(result)
    sides, reaching = Sides(points), {row.number for row in points.rows if row.error is None and not row.failures}
    is_varied = any(side.analysis.varied for side in sides.all)
    first, *more = shown.answer
    return page(
        "sweep",
        "sweep",
        _data(points, sides, view.again, reaching, _WORDS_OF_TUNE),
        command="tune",
        title=f"vqs tune {result.name or result.plan}",
        sentence=first,
        more=more,
        headline=shown.headline,
        failures=[],
        steps=shown.next.steps,
        points_open="A change opens the edits that make it, what it lacks, and the command that shows what it does. "
        "Search for a value (weight=4) or a limit (cost<=6).",
        has_effects=False,
        has_trade_off=False,
        front=[],
        has_heat=False,
        counts=[
            ("placed", "points run", len(points.rows), ""),
            ("gains", "reach the goal", len(reaching), "front"),
            ("loses", "do not reach the goal", len(points.rows) - len(reaching) - points.errors, "failing"),
            ("pending", "could not be run", points.errors, "failed"),
        ],
        has_plot=is_varied and sides.are_measured,
        left_out=f"The first {MOST_ROWS:,} are on this page." if len(points.rows) > MOST_ROWS else "",
        facts=[
            ("plan", result.plan),
            ("goal", ", ".join(result.goal)),
            (_COST, result.cost),
            ("search", f"{result.method}; {result.points:,} of at most {result.sessions:,} points"),
            *_facts_of_runs(points),
        ],
    )


def _as_sweep(result: Tune) -> Sweep:
    """Return the points of a search as those of a sweep, the cheapest change first, with the cost as a parameter."""
    names = {each.name for each in result.parameters}
    costs = [] if _COST in names else [ParameterInfo(name=_COST, edits=[], options={}, numeric=True)]
    rows = [row for change in result.tried for row in _rows(change, has_cost=bool(costs))]
    return Sweep(
        name=result.name,
        plan=result.plan,
        method=result.method,
        bases=result.bases,
        parameters=[*result.parameters, *costs],
        figures=result.figures,
        fail_on=[],
        failed=False,
        errors=sum(row.error is not None for row in rows),
        assume_admitted=result.assume_admitted,
        replay=result.replay,
        baseline=result.baseline,
        rows=[msgspec.structs.replace(row, number=number) for number, row in enumerate(rows, 1)],
    )


def _rows(change: Change, *, has_cost: bool) -> Iterator[Row]:
    """Yield the points of a change, each with all that the change lacks."""
    cost = int(change.cost) if change.cost.is_integer() else change.cost
    parameters = {**change.parameters, **({_COST: cost} if has_cost else {})}
    lacks = [Failure(condition="", text=text) for text in change.unmet]
    yield from (msgspec.structs.replace(row, parameters=parameters, failures=lacks) for row in change.rows)
