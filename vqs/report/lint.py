"""Findings for people: file by file, each with its line and what to do, or as a page with a table for each severity.

In a pipe each finding names its file, so that its first line stands by itself. Of many findings only the first lines
are shown, and what to do is said once, unless everything is asked for. The last line counts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.text import Text

from vqs.explain.refusal import Refusal
from vqs.inert import name as visible
from vqs.lint.outcome import FindingResult, Lint, place_of, with_denier
from vqs.model.wording import and_more, count
from vqs.report.formats import Again, Detail, View
from vqs.report.page import At, Cell, Column, Line, Page, Part, cell, table
from vqs.report.phrases import diagnostic_line
from vqs.report.terminal import broken, paragraph, written

_MANY: Final = 50
"""Of more findings than these, only the first lines are shown."""

_MOST: Final = 10
"""And on a terminal, no more than these of each code."""

_FEW: Final = 2
"""As many pieces of evidence are shown in any case."""

_INDENT: Final = 4
_ELLIPSIS: Final = "..."
_STYLES: Final = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}


def write(result: Lint, view: View, /) -> str:
    """Write findings."""
    return written(_lines(result, view), view)


def _lines(result: Lint, view: View) -> Iterator[Text]:
    if view.detail > Detail.SUMMARY:
        yield from _Findings(result, view).lines()
        for note in result.notes:
            yield from broken(cell(f"note: {note}", "dim"), view.width)
        if result.findings or result.notes:
            yield Text()
        codes = by_code(result)
        if codes:
            yield from paragraph(codes, view.width)
    active = [finding for finding in result.findings if finding.silenced is None]
    code = next(
        (each.code for severity in ("error", "warning", "note") for each in active if each.severity == severity), ""
    )
    explained = (view.again or Again()).rule(code or "", "explains").command
    hint = f". {explained} explains" if code and view.detail > Detail.SUMMARY else ""
    yield from paragraph(f"{lint_sentence(result)}{hint}", view.width, "bold")


class _Findings:
    """The findings of a result at a width."""

    def __init__(self, result: Lint, view: View) -> None:
        self.everything = view.everything
        self.findings = [each for each in result.findings if self.everything or each.silenced is None]
        self.width = view.width
        self.is_brief = len(self.findings) > _MANY and not self.everything
        self.said: set[tuple[str, str]] = set()
        self.left_out: Counter[str] = Counter()
        if self.is_brief and self.width is not None:
            first: list[FindingResult] = []
            seen = Counter[str]()
            for finding in self.findings:
                seen[finding.code] += 1
                if seen[finding.code] > _MOST:
                    self.left_out[finding.code] += 1
                else:
                    first.append(finding)
            self.findings = first

    def lines(self) -> Iterator[Text]:
        """Yield all findings, on a terminal under the names of their files."""
        for number, (file, findings) in enumerate(groupby(self.findings, key=lambda each: each.file)):
            if self.width is not None:
                yield from [Text()] * (number > 0)
                yield cell(file or "(in no file)", "bold")
            for finding in findings:
                yield from self._finding(finding)
        if self.left_out:
            left_out = ", ".join(f"{number:,} {code}" for code, number in self.left_out.items())
            yield Text()
            yield from paragraph(f"… and more, shown with -v or in a pipe: {left_out}", self.width)

    def _finding(self, finding: FindingResult) -> Iterator[Text]:
        yield from broken(self._heading(finding), self.width)
        if finding.silenced:
            yield from self._indented(f"silenced: {finding.silenced.reason}", "-")
        if not self.is_brief:
            line, _, mark = finding.excerpt.partition("\n")
            if self.width is not None:
                line, mark = _window(line, len(mark) - 1, max(self.width - _INDENT, 3 * _INDENT))
            for text in (line, mark) if line.strip() else ():
                yield Text(" " * _INDENT).append_text(cell(text, "dim"))
            shown = finding.evidence if self.everything else finding.evidence[:_FEW]
            for evidence in shown:
                place = f"line {evidence.line}" if evidence.file == finding.file else place_of(evidence)
                is_elsewhere = evidence.line and (evidence.file, evidence.line) != (finding.file, finding.line)
                yield from self._indented(evidence.text + (f" ({place})" if is_elsewhere else ""), "-")
            if len(shown) < len(finding.evidence):
                yield from self._indented(f"{and_more(len(finding.evidence) - len(shown)).lstrip()} with -v", "-")
        if self.everything or (finding.code, finding.help) not in self.said:
            self.said.add((finding.code, finding.help))
            yield from self._indented(finding.help, "→")

    def _heading(self, finding: FindingResult) -> Text:
        place = place_of(finding)
        if self.width is not None:
            place = place.removeprefix(finding.file).removeprefix(":")
        separator = ":" if self.width is None else ""
        text = Text()
        if place:
            text.append(f"{visible(place)}{separator} ")
        text.append(finding.severity, _STYLES[finding.severity])
        text.append(f"{separator} ")
        text.append(finding.code, "bold")
        return text.append(f": {visible(with_denier(finding.message, finding.denied))}")

    def _indented(self, text: str, bullet: str) -> Iterator[Text]:
        """Break a text into lines behind a bullet."""
        indent = " " * _INDENT
        room = None if self.width is None else max(self.width - _INDENT - len(bullet) - 1, 1)
        for number, line in enumerate(paragraph(text, room)):
            yield Text(f"{indent}{bullet if number == 0 else ' '} ").append_text(line)


def _window(line: str, at: int, room: int) -> tuple[str, str]:
    """Return the part of a line that there is room for, with the character at an offset in it, and a caret below."""
    start = max(0, at + _INDENT - room)
    shown = line[start : start + room]
    if start:
        shown = _ELLIPSIS + shown[len(_ELLIPSIS) :]
    if start + room < len(line):
        shown = shown[: -len(_ELLIPSIS)] + _ELLIPSIS
    return shown, " " * (at - start) + "^"


def page_of_refusal(result: Refusal, _view: View, /) -> Page:
    """Return the page on an input that cannot be used: what is wrong with it, each with its place."""
    items = [
        Line(diagnostic_line(each), "red" if each.severity == "error" else "", each.excerpt)
        for each in result.diagnostics
    ]
    errors = count(result.summary.errors, "error")
    return Page(
        parts=[Part(items=items)],
        answer=[f"vqs {result.command}: {errors} in the input, nothing was done"],
        answer_at=At.LAST,
    )


def page(result: Lint, view: View, /) -> Page:
    """Return the page on findings."""
    return Page(answer=[lint_sentence(result)], parts=_parts(result, view), answer_at=At.LAST)


def _parts(result: Lint, view: View) -> Iterator[Part]:
    for severity, title in (("error", "Errors"), ("warning", "Warnings"), ("note", "Notes")):
        yield from _part(title, [each for each in result.findings if each.severity == severity and not each.silenced])
    if view.everything:
        yield from _part("Silenced", [each for each in result.findings if each.silenced])
    yield Part(items=[Line(note) for note in result.notes])


def _part(title: str, findings: Sequence[FindingResult]) -> Iterator[Part]:
    def wrong(finding: FindingResult) -> str:
        said = [with_denier(finding.message, finding.denied), *(evidence.text for evidence in finding.evidence)]
        return ". ".join(said)

    if findings:
        columns: dict[Column, Callable[[FindingResult], Cell]] = {
            Column("PLACE", named=True): lambda finding: place_of(finding) if finding.file else None,
            Column("CODE", named=True): lambda finding: finding.code,
            Column("WHAT IS WRONG"): wrong,
        }
        yield Part(
            title,
            grid=table(
                findings,
                columns,
                "WHAT TO DO",
                lambda each: f"silenced: {each.silenced.reason}" if each.silenced else each.help,
            ),
        )


_COUNTED = 20


def lint_sentence(result: Lint) -> str:
    """Count what was found: the most important line of a report."""
    summary = result.summary
    counts = {"error": summary.errors, "warning": summary.warnings, "note": summary.notes}
    parts = [count(number, noun) for noun, number in counts.items() if number]
    files = count(len(result.files), "file")
    places = f" in {files}" if summary.files >= len(result.files) else f" in {summary.files:,} of {files}"
    places = places if result.files else ""
    if parts:
        found = ", ".join(parts) + (places if summary.files else "")
    elif result.objects:
        known = ", ".join(count(number, kind) for kind, number in result.objects.items())
        found = f"no findings in {files}, with {known}"
    elif result.objects is None:
        found = f"no findings in {files}"
    else:
        found = f"nothing was looked at in {files}" if result.files else "nothing was looked at"
    silenced = [f"{summary.silenced:,} silenced"] if summary.silenced else []
    unseen = len(result.skipped_rules) if not summary.errors else 0  # where there are errors, a note says so
    left_out = [f"{count(unseen, 'rule')} left out"] if unseen else []
    return "; ".join([found, *silenced, *left_out])


def by_code(result: Lint) -> str:
    """Count the findings of each code, the most frequent first; empty where there are few."""
    codes = Counter(finding.code for finding in result.findings if finding.silenced is None)
    if codes.total() < _COUNTED:
        return ""
    return ", ".join(
        f"{number:,} {code}" for code, number in sorted(codes.items(), key=lambda item: (-item[1], item[0]))
    )
