"""The data of the pages: lists as columns of numbers, so that 50,000 tasks are a small file that opens at once.

Every text is written once, and stands for its number everywhere else. What makes a column short is tried: to write
how often a number is repeated, and to write differences. `script/data.js` reads it again. What the pages have in common
beside their data follows: notes, settings, tables, and the resources that there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import Any, Final, NamedTuple

import msgspec

from vqs.explain.outcome import Amounts, DiagnosticResult, SessionInfo
from vqs.inert import name as visible
from vqs.model.resource import is_in_bytes
from vqs.report.page import Grid, Row
from vqs.report.phrases import diagnostic_line

Column = list[int] | dict[str, list[int]]


class Texts:
    """Texts by number, in the order in which they are first met; the empty one is 0."""

    def __init__(self) -> None:
        self._numbers = {"": 0}

    def number(self, text: str | None) -> int:
        """The number that stands for a text."""
        return self._numbers.setdefault(text or "", len(self._numbers))

    def column(self, texts: Iterable[str | None]) -> Column:
        """A column of numbers that stand for texts."""
        return packed([self.number(text) for text in texts])

    def listed(self) -> list[str]:
        """All texts, as people may safely see them."""
        return [visible(text) for text in self._numbers]


class Objects:
    """Whole objects by number, such as verdicts that many tasks share; 0 stands for none."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {None: 0}
        self._objects: list[Any] = [None]

    def number(self, key: object, value: object) -> int:
        """The number of an object; what has the same key is the same object."""
        if key not in self._numbers:
            self._numbers[key] = len(self._objects)
            self._objects.append(value)
        return self._numbers[key]

    def listed(self) -> list[Any]:
        """All objects."""
        return [shown(value) for value in self._objects]


class Places:
    """Where names stand in a list; a name that is not in it is a text, written as a number below zero."""

    def __init__(self, names: Iterable[str], texts: Texts) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        self._texts = texts

    def number(self, name: str) -> int:
        """The place of a name."""
        place = self._places.get(name)
        return -1 - self._texts.number(name) if place is None else place

    def column(self, names: Iterable[str]) -> Column:
        """A column of places."""
        return packed([self.number(name) for name in names])


def packed(values: Sequence[int]) -> Column:
    """Return the shortest way to write a column.

    >>> packed([4, 7]), packed([5, 5, 5, 5, 5]), packed([1, 2, 3, 4, 5])
    ([4, 7], {'runs': [5, 5]}, {'steps': [1, 5]})
    """
    steps = [after - before for before, after in pairwise([0, *values])]
    shortened = {"runs": _runs(values), "steps": _runs(steps)}
    shortest = min(shortened, key=lambda name: len(shortened[name]))
    return {shortest: shortened[shortest]} if len(shortened[shortest]) < len(values) else list(values)


def _runs(values: Iterable[int]) -> list[int]:
    return [figure for value, run in groupby(values) for figure in (value, sum(1 for _ in run))]


def names_column(names: Iterable[str]) -> dict[str, Any]:
    r"""Return names, each without what it has in common with the one before it.

    >>> names_column(["ml/train-0", "ml/train-1", "ml/x"])
    {'shared': [0, 9, 3], 'rest': 'ml/train-0\n1\nx'}
    """
    written = [visible(name) for name in names]
    shared = []
    for before, after in pairwise(["", *written]):
        # It ends at the first letter that a script may count otherwise than Python.
        pairs = enumerate(zip(before, after, strict=False))
        ends = (at for at, (one, other) in pairs if one != other or not one.isascii())
        shared.append(next(ends, min(len(before), len(after))))
    return {"shared": packed(shared), "rest": "\n".join(name[n:] for name, n in zip(written, shared, strict=True))}


def shown(value: Any) -> Any:
    """Return JSON-like data with every text in it as people may safely see it."""
    match value:
        case str():
            return visible(value)
        case dict():
            return {visible(name): shown(each) for name, each in value.items()}
        case list() | tuple():
            return [shown(each) for each in value]
        case _:
            return value


def plain(result: msgspec.Struct) -> Any:
    """Return a result as data for the page, named as in its JSON."""
    return shown(msgspec.to_builtins(result))


# --- notes, settings and tables ---------------------------------------------------------------------------------------

_SEVERITIES: Final = ("error", "warning", "note")


def settings(session: SessionInfo) -> list[tuple[str, str]]:
    """Return how a session was run, in pairs of a word and what it stands for."""
    tiers = [(f"tier {number}", ", ".join(tier)) for number, tier in enumerate(session.tiers, 1)]
    seed = "none, the lowest name wins a tie"
    if session.seed is not None:
        seed = f"{session.seed}, also for the order of nodes" if session.node_order_drawn else str(session.seed)
    return [
        ("configuration", session.configuration),
        ("actions", ", ".join(session.actions)),
        *tiers,
        ("now", session.now),
        ("seed", seed),
    ]


def notes(diagnostics: Iterable[DiagnosticResult]) -> list[tuple[str, str]]:
    """Return the notes with their severity, the gravest first."""
    ordered = sorted(diagnostics, key=lambda each: _SEVERITIES.index(each.severity))
    return [(each.severity, diagnostic_line(each).removeprefix(f"{each.severity}: ")) for each in ordered]


def table(grid: Grid | None) -> dict[str, Any] | None:
    """Return a grid as a template writes it: headings, and rows, some of them across all columns."""
    if grid is None:
        return None
    columns = [(column.heading, column.numeric) for column in grid.columns]
    rows: list[dict[str, Any]] = []
    for row in grid.rows:
        if not isinstance(row, Row):
            rows.append({"span": row.text.plain})
            continue
        cells = [
            {"text": text.plain.strip(), "indent": text.plain.startswith(" "), "strong": "bold" in str(text.style)}
            for text in row.cells
        ]
        rows.append({"cells": cells, "remark": row.remark if grid.has_remarks else None})
    return {"columns": [*columns, *[(grid.remark.capitalize(), False)] * grid.has_remarks], "rows": rows}


_FIRST: Final = ("cpu", "memory")
_PODS: Final = "pods"


class Demand(NamedTuple):
    """What the tasks in a queue request, and those in the queues below it."""

    queue: str
    parent: str
    request: Amounts


def resource_list(amounts: Iterable[Amounts], total: Amounts, demands: Sequence[Demand] = ()) -> list[dict[str, Any]]:
    """Return the resources that there are any amounts of, the scarcest first, the number of pods last.

    The scarcest is the one of which the largest part of what the nodes have is requested. Where that is equal, cpu and
    memory come first.
    """
    names = {name for each in amounts for name, value in each.items() if value != 0}
    # What is requested in the queues that have none below them.
    parents = {demand.parent for demand in demands}
    requested: dict[str, float] = {}
    for demand in demands:
        for name, value in demand.request.items() if demand.queue not in parents else ():
            requested[name] = requested.get(name, 0.0) + (value or 0.0)

    def rank(name: str) -> tuple[bool, float, bool, str]:
        most, wanted = total.get(name) or 0.0, requested.get(name, 0.0)
        part = wanted / most if most > 0 else math.inf if wanted > 0 else 0.0
        return name == _PODS, -part, name not in _FIRST, name

    return [{"name": visible(name), "bytes": is_in_bytes(name)} for name in sorted(names, key=rank)]
