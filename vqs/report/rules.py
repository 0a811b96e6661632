"""What the codes of verdicts and of lint rules mean, and texts of the scheduler, for people."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from rich.text import Text

from vqs.explain.outcome import GATED
from vqs.explain.texts.node_reasons import Reading
from vqs.explain.verdict_rules import VERDICT_RULES, PodText, VerdictRule
from vqs.lint.rule import Rule
from vqs.model.wording import count
from vqs.report.formats import View
from vqs.report.page import Column, cell, table
from vqs.report.terminal import laid_out, paragraph, written

_NAMES: Final = {
    "task": "NAMESPACE/POD",
    "job": "NAMESPACE/JOB",
    "name": "JOB",
    "queue": "QUEUE",
    "role": "ROLE",
    "node": "NODE",
}
"""What stands in a line of the log for the names of the case."""

_POD_TEXTS: Final = {
    PodText.JOB: "pod group is not ready, ...",
    PodText.NODES: "0/N nodes are unavailable: ...",
    PodText.ROLE: "Task POD with role spec ROLE has already predicated failed, skip",
    PodText.PLACE: "Pod NAMESPACE/POD can possibly be assigned to NODE, once minAvailable is satisfied",
    PodText.RELEASE: "Pod NAMESPACE/POD can possibly be assigned to NODE, once resource is released and minAvailable "
    "is satisfied",
    PodText.GATES: GATED.message,
}
"""What a pod says, by what that is about."""


def listing(verdicts: Iterable[VerdictRule], rules: Iterable[Rule], view: View) -> str:
    """Name all codes: verdicts in the order in which a task meets them, lint rules by name."""
    said = {verdict.code: verdict.title for verdict in verdicts}
    found = {rule.code: f"{rule.severity.name.lower()}: {rule.title}" for rule in rules}

    def lines() -> Iterator[Text]:
        yield from paragraph("Verdicts, why a task has no place", view.width, "bold")
        yield from _named("CODE", said, "WHAT IT SAYS", view.width)
        yield Text()
        yield from paragraph("Lint rules, what is wrong before anything is scheduled", view.width, "bold")
        yield from _named("CODE", found, "WHAT IT FINDS", view.width)

    return written(lines(), view)


def _named(heading: str, meanings: Mapping[Any, str], remark: str, width: int | None) -> Iterator[Text]:
    """Lay out a table of codes and what they mean."""
    columns = {Column(heading): lambda each: cell(each[0], "bold")}
    return laid_out(table(meanings.items(), columns, remark, lambda each: each[1]), width)


def explanation(verdict: VerdictRule | None, rule: Rule | None, view: View) -> str:
    """Explain a code, as a verdict, as a lint rule, or as both."""
    parts = [_verdict(verdict, view.width)] if verdict else []
    parts += [_rule(rule, view.width)] if rule else []
    return "\n".join(written(part, view) for part in parts)


def _verdict(verdict: VerdictRule, width: int | None) -> Iterator[Text]:
    names = {**_NAMES, "task": "POD"} if verdict.bare else _NAMES
    log = f"{verdict.log.format(**names)} (with --v={verdict.verbosity} or more)" if verdict.log else ""
    on_the_pod = f"{verdict.pod[:1].upper()}{verdict.pod[1:]}."
    if verdict.shown:
        shown = " or ".join(f"'{_POD_TEXTS[about]}'" for about in verdict.shown)
        on_the_pod = f"kubectl describe pod shows {shown}: {verdict.pod}."
    yield from paragraph(f"{verdict.code}: {verdict.title}", width, "bold")
    yield Text()
    yield from paragraph(verdict.meaning, width)
    yield from _sections(
        {
            "Why": verdict.why,
            "What to do": verdict.remedy,
            "Example": verdict.example,
            "On the pod": on_the_pod,
            "In the scheduler's log": log,
        },
        width,
    )


def _rule(rule: Rule, width: int | None) -> Iterator[Text]:
    yield from paragraph(f"{rule.code}: {rule.title} ({rule.severity.name.lower()})", width, "bold")
    yield Text()
    yield from paragraph(rule.meaning, width)
    yield from _sections(
        {"Why": rule.why, "What to do": rule.fix, "Example": rule.example, "Source": rule.source}, width
    )


def _sections(sections: Mapping[str, str], width: int | None) -> Iterator[Text]:
    for title, text in sections.items():
        if text:
            yield Text()
            yield Text(title, "bold")
            yield from map(Text, text.splitlines()) if "\n" in text else paragraph(text, width)


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
    parts = [part for part in reading.parts if part.text != reading.text]
    if parts:
        columns = {Column("PART"): lambda part: part.text}
        yield from laid_out(table(parts, columns, "WHAT IT MEANS", lambda part: part.meaning), width)
    else:
        for part in reading.parts:
            yield from paragraph(f"It means: {part.meaning}", width)
    steps = list(reading.steps)
    if reading.codes:
        yield Text()
        titles = {code: VERDICT_RULES[code].title for code in reading.codes}
        yield from _named("VERDICT", titles, "IT MAY COME FROM", width)
        job = shlex.quote(reading.job or "NAMESPACE/JOB")
        only = reading.codes[0] if len(reading.codes) == 1 else ""
        which = "why" if only else "which of them it is"
        steps += [f"vqs explain-job FILES --job {job} says {which}", f"vqs rule {only or 'CODE'} says what to do"]
    if steps:
        yield Text()
        yield from paragraph(f"Next: {'; '.join(steps)}", width)
