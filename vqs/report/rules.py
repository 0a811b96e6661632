"""What the codes of verdicts mean, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

from vqs.report.grid import Column, Grid, Row, paragraph, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from vqs.explain.rules import Rule
    from vqs.report.formats import View

_NAMES: Final = {"task": "NAMESPACE/POD", "job": "NAMESPACE/JOB", "name": "JOB", "queue": "QUEUE", "role": "ROLE"}
"""What stands in a line of the log for the names of the case."""


def listing(rules: Iterable[Rule], view: View) -> str:
    """Name all codes, in the order in which a task meets them."""
    rows = [Row((Text(rule.code, "bold"),), rule.title) for rule in rules]
    return written(Grid((Column("CODE"),), rows, "WHAT IT SAYS").lines(view.width), view)


def explanation(rule: Rule, view: View) -> str:
    """Explain one code."""
    return written(_lines(rule, view.width), view)


def _lines(rule: Rule, width: int | None) -> Iterator[Text]:
    yield from paragraph(f"{rule.code}: {rule.title}", width, "bold")
    yield Text()
    yield from paragraph(rule.meaning, width)
    names = {**_NAMES, "task": "POD"} if rule.bare else _NAMES
    log = f"{rule.log.format(**names)} (with --v={rule.verbosity} or more)" if rule.log else ""
    sections = {"Why": rule.why, "What to do": rule.remedy, "Example": rule.example, "In the scheduler's log": log}
    for title, text in sections.items():
        if text:
            yield Text()
            yield Text(title, "bold")
            yield from paragraph(text, width)
