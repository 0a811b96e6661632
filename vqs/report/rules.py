"""What the codes of verdicts and of lint rules mean, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rich.text import Text

from vqs.explain.pod_condition import GATED
from vqs.explain.verdict_rules import PodText, VerdictRule
from vqs.lint.rule import Rule
from vqs.report.formats import View
from vqs.report.grid import Column, Grid, Row
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
    said = [Row((Text(verdict.code, "bold"),), verdict.title) for verdict in verdicts]
    found = [Row((Text(rule.code, "bold"),), f"{rule.severity.name.lower()}: {rule.title}") for rule in rules]
    return written(_listing(said, found, view.width), view)


def explanation(verdict: VerdictRule | None, rule: Rule | None, view: View) -> str:
    """Explain a code, as a verdict, as a lint rule, or as both."""
    parts = [_verdict(verdict, view.width)] if verdict else []
    parts += [_rule(rule, view.width)] if rule else []
    return "\n".join(written(part, view) for part in parts)


def _listing(said: Sequence[Row], found: Sequence[Row], width: int | None) -> Iterator[Text]:
    yield from paragraph("Verdicts, why a task has no place", width, "bold")
    yield from laid_out(Grid((Column("CODE"),), said, "WHAT IT SAYS"), width)
    yield Text()
    yield from paragraph("Lint rules, what is wrong before anything is scheduled", width, "bold")
    yield from laid_out(Grid((Column("CODE"),), found, "WHAT IT FINDS"), width)


def _verdict(verdict: VerdictRule, width: int | None) -> Iterator[Text]:
    names = {**_NAMES, "task": "POD"} if verdict.bare else _NAMES
    log = f"{verdict.log.format(**names)} (with --v={verdict.verbosity} or more)" if verdict.log else ""
    yield from paragraph(f"{verdict.code}: {verdict.title}", width, "bold")
    yield Text()
    yield from paragraph(verdict.meaning, width)
    yield from _sections(
        {
            "Why": verdict.why,
            "What to do": verdict.remedy,
            "Example": verdict.example,
            "On the pod": _on_the_pod(verdict),
            "In the scheduler's log": log,
        },
        width,
    )


def _on_the_pod(verdict: VerdictRule) -> str:
    if not verdict.shown:
        return f"{verdict.pod[:1].upper()}{verdict.pod[1:]}."
    shown = " or ".join(f"'{_POD_TEXTS[about]}'" for about in verdict.shown)
    return f"kubectl describe pod shows {shown}: {verdict.pod}."


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
