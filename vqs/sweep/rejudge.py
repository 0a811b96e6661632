"""Rows of a journal under other conditions: what they fail is found out again, of the figures that they have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b

from msgspec import structs

from vqs.diff.conditions import all_unknown, failures_of_point
from vqs.sweep.evaluate import edit_at_fault
from vqs.sweep.outcome import Row
from vqs.sweep.plan import Plan

_Values = Mapping[str, float]


def identity(plan: Plan) -> str:
    """Return what identifies the conditions of a plan."""
    texts = "\0".join(each.text for each in plan.fail_on)
    return blake2b(texts.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def rejudged(plan: Plan, rows: Mapping[int, Row], known: Mapping[int, Row]) -> Iterator[Row]:
    """Yield the rows of which all figures are known that the conditions of a plan are about; others have to be run.

    A figure that is null in a row is not known: it may be infinite, or no number. An error that is not one of the edits
    may come from what only other conditions have asked for.

    Args:
        plan: the plan with its conditions.
        rows: rows with the failures of other conditions, by number.
        known: rows with those of the plan.
    """
    bases = {_side(row): row for row in (*rows.values(), *known.values()) if row.number <= 0}
    for row in rows.values():
        if row.error is not None:
            if edit_at_fault(row.error.message, row.edits) is not None:
                yield structs.replace(row, failures=all_unknown(plan.fail_on))
            continue
        base = bases.get(_side(row))
        values, of_base = _known(row), {} if base is None else _known(base)
        needed_of_base = (each.figure.text for each in plan.fail_on if each.needs_base)
        if all(each.figure.text in values for each in plan.fail_on) and all(each in of_base for each in needed_of_base):
            yield structs.replace(row, failures=failures_of_point(plan.fail_on, values, of_base))


def _side(row: Row) -> tuple[str, str, int | None]:
    return row.base, row.release, row.seed


def _known(row: Row) -> _Values:
    return {name: value for name, value in row.figures.items() if isinstance(value, float)}
