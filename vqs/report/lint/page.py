"""The page on findings: how many there are, then a table for each severity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vqs.explain.amounts import ABSENT
from vqs.lint.outcome import FindingResult, Lint
from vqs.report.formats import Detail, View
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.lint.summary import lint_sentence, place_of, with_denier
from vqs.report.page import Line, Page, Part


def page(result: Lint, view: View, /) -> Page:
    """Return the page on findings."""
    return Page(answer=[lint_sentence(result)], parts=_parts(result, view))


def _parts(result: Lint, view: View) -> Iterator[Part]:
    for severity, title in (("error", "Errors"), ("warning", "Warnings"), ("note", "Notes")):
        yield from _part(title, [each for each in result.findings if each.severity == severity and not each.silenced])
    if view.detail is Detail.EVERYTHING:
        yield from _part("Silenced", [each for each in result.findings if each.silenced])
    yield Part(items=[Line(note) for note in result.notes])


def _part(title: str, findings: Sequence[FindingResult]) -> Iterator[Part]:
    if findings:
        columns = (Column("PLACE", named=True), Column("CODE", named=True), Column("WHAT IS WRONG"))
        yield Part(title, grid=Grid(columns, [_row(each) for each in findings], "WHAT TO DO"))


def _row(finding: FindingResult) -> Row:
    wrong = [with_denier(finding.message, finding.denied), *(evidence.text for evidence in finding.evidence)]
    cells = (cell(place_of(finding) if finding.file else ABSENT), cell(finding.code), cell(". ".join(wrong)))
    return Row(cells, f"silenced: {finding.silenced.reason}" if finding.silenced else finding.help)
