"""Finished rows in an append-only file, so that a run that is stopped, or killed, goes on where it was.

A journal of another plan, other snapshots or another release of vqs is refused. Other conditions of --fail-on make no
other run: what a row fails is found out again, of the figures that it has. The point of a line that is damaged is run
again. A row is written by one call, and it is the same whoever writes it: two processes with one journal do work twice,
and no harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import ClassVar

import msgspec
from msgspec import structs

from vqs.diff.conditions import all_unknown, failures_of_point
from vqs.journal import Journal as JournalFile
from vqs.sweep.evaluate import edit_at_fault
from vqs.sweep.outcome import WORKER_LOST, Row
from vqs.sweep.plan import Plan


class Header(msgspec.Struct, kw_only=True, frozen=True):
    """What is run: two runs with the same header have the same rows.

    Attributes:
        journal: the format.
        vqs: the version of vqs.
        plan: what identifies the plan.
        inputs: what identifies the content of its snapshots.
        settings: what else decides the rows, such as the time of the sessions.
        points: how many rows there will be.
    """

    journal: str = "vqs/sweep-journal/v2"
    vqs: str
    plan: str
    inputs: str
    settings: str
    points: int


class Entry(msgspec.Struct, kw_only=True):
    """A finished row, and what identifies the conditions that its failures are of."""

    conditions: str
    row: Row


class Journal(JournalFile):
    """The rows of one run, in a file.

    Attributes:
        rows: those that were in it with the conditions of this run, by number.
        others: those whose failures are of other conditions, by number.
    """

    work = "sweep"
    another = "run"
    differences: ClassVar[Mapping[str, str]] = {
        "journal": "its format is another one",
        "vqs": "vqs has another version",
        "plan": "the plan is another one",
        "inputs": "the snapshots have another content",
        "settings": "options of the command are others",
        "points": "there are more or fewer points",
    }

    def __init__(self, path: Path, header: Header, conditions: str = "") -> None:
        super().__init__(path, header)
        self._conditions = conditions
        self.rows: dict[int, Row] = {}
        self.others: dict[int, Row] = {}

    def add(self, row: Row) -> None:
        """Write a finished row; the point of a process that was lost is run again.

        Raises:
            JournalError: it cannot be written, as the disk is full.
        """
        if row.error is None or row.error.code != WORKER_LOST:
            self.append(Entry(conditions=self._conditions, row=row))

    def take(self, lines: Sequence[bytes | None]) -> int:
        """Take the rows that are sound; all lines stay."""
        for line in lines:
            with suppress(msgspec.DecodeError):
                entry = msgspec.json.decode(line or b"", type=Entry)
                rows = self.rows if entry.conditions == self._conditions else self.others
                rows[entry.row.number] = entry.row
        return len(lines)


# --- other conditions -------------------------------------------------------------------------------------------------

_Values = Mapping[str, float]


def identity(plan: Plan) -> str:
    """Return what identifies the conditions of a plan."""
    texts = "\0".join(each.text for each in plan.fail_on)
    return blake2b(texts.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def rejudged(plan: Plan, rows: Mapping[int, Row], known: Mapping[int, Row]) -> Iterator[Row]:
    """Yield the rows of which all figures are known that the conditions of a plan are about; others have to be run.

    A figure that is null in a row is not known: it may be infinite, or no number. An error that is not one of the edits
    may come from what only other conditions have asked for.
    """
    bases = {_side(row): row for row in (*rows.values(), *known.values()) if row.number <= 0}
    for row in rows.values():
        if row.error is not None:
            if edit_at_fault(row.error.message, row.edits) is not None:
                yield structs.replace(row, failures=all_unknown(plan.fail_on))
            continue
        base = bases.get(_side(row))
        values, of_base = _known(row), {} if base is None else _known(base)
        needed_of_base = (each.figure.text for each in plan.fail_on if each.value is None)
        if all(each.figure.text in values for each in plan.fail_on) and all(each in of_base for each in needed_of_base):
            yield structs.replace(row, failures=failures_of_point(plan.fail_on, values, of_base))


def _side(row: Row) -> tuple[str, str, int | None]:
    return row.base, row.release, row.seed


def _known(row: Row) -> _Values:
    return {name: value for name, value in row.figures.items() if isinstance(value, float)}
