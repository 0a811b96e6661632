"""What texts of the scheduler stand for, for people."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from rich.text import Text

from vqs.explain.texts.node_reasons import Reading
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model.wording import count
from vqs.report.formats import View
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.terminal import laid_out, paragraph, written


def explanations(readings: Sequence[Reading], view: View, *, more: int = 0, unknown: int = 0) -> str:
    """Explain texts, one after the other; `more` were left out, and `unknown` lines are none that vqs knows."""
    return written(_lines(readings, view.width, more, unknown), view)


def _lines(readings: Sequence[Reading], width: int | None, more: int, unknown: int) -> Iterator[Text]:
    for number, reading in enumerate(readings):
        yield from [Text()] * (number > 0)
        yield from _explained(reading, width)
    left = [count(more, "more text")] * (more > 0)
    left += [f"{count(unknown, 'line')} without a text of the scheduler that vqs knows"] * (unknown > 0)
    if left:
        yield Text()
        yield from paragraph(f"Left out: {', '.join(left)}", width)


def _explained(reading: Reading, width: int | None) -> Iterator[Text]:
    yield from paragraph(reading.text, width, "bold")
    yield from paragraph(f"Found in: {reading.place}", width)
    yield Text()
    parts = [Row((cell(part.text),), part.meaning) for part in reading.parts if part.text != reading.text]
    if parts:
        yield from laid_out(Grid((Column("PART"),), parts, "WHAT IT MEANS"), width)
    else:
        for part in reading.parts:
            yield from paragraph(f"It means: {part.meaning}", width)
    if reading.codes:
        yield Text()
        codes = [Row((Text(code, "bold"),), VERDICT_RULES[code].title) for code in reading.codes]
        yield from laid_out(Grid((Column("VERDICT"),), codes, "IT MAY COME FROM"), width)
    if steps := _steps(reading):
        yield Text()
        yield from paragraph(f"Next: {'; '.join(steps)}", width)


def _steps(reading: Reading) -> list[str]:
    steps = list(reading.steps)
    if reading.codes:
        job = shlex.quote(reading.job or "NAMESPACE/JOB")
        only = reading.codes[0] if len(reading.codes) == 1 else ""
        which = "why" if only else "which of them it is"
        steps += [f"vqs explain-job FILES --job {job} says {which}", f"vqs rule {only or 'CODE'} says what to do"]
    return steps
