"""Pages in HTML of results that need no drawing: the answer first, then each part as text and table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from vqs.explain.jobs.waiting_outcome import WaitingJobs
from vqs.explain.outcome import SessionInfo
from vqs.fit.outcome import Fit
from vqs.replay.when.outcome import When
from vqs.report.fit import page as fit_page
from vqs.report.formats import Detail, View
from vqs.report.html.page import page, settings, table, with_code
from vqs.report.job.page import WAITING, page_of_waiting
from vqs.report.page import Page
from vqs.report.when import page as when_page

_SENTENCE_END: Final = re.compile(r"(?<=\.) (?=[A-Z])")


def document(
    shown: Page,
    command: str,
    title: str,
    session: SessionInfo,
    *,
    landmarks: Sequence[str] = (),
    brief: dict[str, Any] | None = None,
    code: re.Pattern[str] | None = None,
) -> str:
    """Return a page.

    Args:
        shown: all that it shows.
        command: the command that made it.
        title: what the command was run on.
        session: how the session was run.
        landmarks: how the titles begin of the parts that the top of the page links to; what is in brackets is left out.
        brief: what is drawn below the answer, as the template reads it; None where nothing is.
        code: what can be copied in the steps of fixes; None where nothing can.
    """
    parts = [
        replace(part, lines=[with_code(line, code) for line in part.lines]) if part.fixes and code else part
        for part in shown.parts
    ]
    starts = [*map(beginning, landmarks)]
    links = {part.title: start for part in parts for start in starts if part.title.startswith(start)}
    first, *more = _sentences(shown.answer) or [shown.headline or title]
    return page(
        "document",
        "document",
        {"kind": "document"},
        command=command,
        title=f"vqs {command} {title}".rstrip(),
        shown=shown,
        sentence=first,
        more=more,
        parts_list=[
            (part, table(part.grid, code if part.fixes == "linked" else None), links.get(part.title, ""))
            for part in parts
        ],
        settings=settings(session),
        brief=brief,
    )


def beginning(title: str) -> str:
    """How the title of a part begins, without what is in brackets and may be otherwise."""
    return title.partition(" (")[0]


def _sentences(answer: Sequence[str]) -> list[str]:
    """Return an answer with the first sentence of its first paragraph by itself."""
    if not answer:
        return []
    paragraph, *others = answer
    end = None
    for match in _SENTENCE_END.finditer(paragraph):
        text = paragraph[: match.start()]
        if text.count('"') % 2 == 0 and text.count("(") == text.count(")"):  # no quotation and no bracket is open
            end = match
            break
    first = [paragraph] if end is None else [paragraph[: end.start()], paragraph[end.end() :]]
    return [*first, *others]


def write_fit(result: Fit, view: View, /) -> str:
    """Return the page on whether a job fits, with the whole result in it."""
    shown = fit_page(result, replace(view, detail=Detail.EVERYTHING))
    return document(shown, "fit", f"{result.called} {result.snapshot}", result.session)


def write_waiting(result: WaitingJobs, view: View, /) -> str:
    """Return the page on the jobs that wait."""
    return document(page_of_waiting(result, view), "explain-job", result.scenario, result.session, landmarks=(WAITING,))


def write_when(result: When, view: View, /) -> str:
    """Return the page on when jobs start."""
    return document(when_page(result, view), "when", result.snapshot, result.session)
