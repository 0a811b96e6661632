"""The page on how vqs and a cluster compare: how well they agree, each difference, what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from vqs.explain.amounts import number
from vqs.model.wording import count, first_names
from vqs.report.again import Again, Next, of_title
from vqs.report.formats import Detail, View
from vqs.report.grid import Column, Grid, Row, cell
from vqs.report.page import Line, Page, Part, out_of
from vqs.report.simulation.summary import session_headline
from vqs.verify.outcome import Difference, Tally, Verification

_FEW: Final = 5
_ROWS: Final = 20
_LONG: Final = 30
"""A longer pause between the dumps, in seconds, is worth a word."""

_EXPLAINED: Final[Sequence[tuple[Literal["luck", "change", "nothing"], str]]] = (
    ("luck", "explained by tie-breaking"),
    ("change", "explained by changes between the dumps"),
    ("nothing", "not explained"),
)
_LABELS: Final = {"luck": "tie-breaking: ", "change": "change: ", "nothing": ""}
_TEXTS: Final = ("condition", "message")


def page(result: Verification, view: View, /) -> Page:
    """Return the page on how they compare."""
    return Page(
        answer=[answer(result)],
        headline=headline(result),
        parts=_parts(result, everything=view.detail is Detail.EVERYTHING),
        next=next_step(result, view),
        answer_first=True,
    )


def _parts(result: Verification, *, everything: bool) -> Iterator[Part]:
    yield Part(grid=_tallies(result))
    if result.differences:
        yield _differences(result, everything=everything)
    yield Part(items=[Line(text) for text in remarks(result, everything=everything)])


def answer(result: Verification) -> str:
    """Say how well vqs and the cluster agree."""
    tallies = result.tallies
    parts = {
        "pods bound as predicted": tallies.bound,
        "evictions": tallies.evicted,
        "phases": tallies.phases,
        "conditions": tallies.conditions,
        "messages": tallies.messages,
        "nodes": tallies.nodes,
    }
    told = [f"{tally.matching:,} of {tally.total:,} {what}" for what, tally in parts.items() if tally.total]
    text = f"Agreement {number(result.agreement)}%: {', '.join(told) or 'nothing was decided that could be compared'}"
    found = Counter(each.explanation.kind for each in result.differences)
    if not found:
        return text
    explained = [f"{found[by]:,} {words}" for by, words in _EXPLAINED if found[by]]
    return f"{text}; {count(found.total(), 'difference')}: {', '.join(explained)}"


def headline(result: Verification) -> str:
    """Say what was simulated, and what it is compared with."""
    session = result.session
    said = session_headline(
        result.volcano, result.before, session, f"{count(session.nodes, 'node')}, {count(session.jobs, 'job')}"
    )
    later = "" if result.elapsed is None else f", {count(int(result.elapsed), 'second')} later"
    seeds = f", under {count(result.seeds, 'more seed')}" if result.seeds else ""
    return f"{said}. {count(result.sessions, 'session')}{seeds}, compared with {result.after}{later}"


def _tallies(result: Verification) -> Grid:
    """Return a line for each kind of decision."""
    tallies = result.tallies
    kinds = {
        "pods bound, by PodGroup": tallies.bound,
        "pods evicted, by PodGroup": tallies.evicted,
        "phases of PodGroups": tallies.phases,
        "new Unschedulable conditions": tallies.conditions,
        "new PodScheduled messages": tallies.messages,
        "nodes of bound pods": tallies.nodes,
    }
    columns = (Column("COMPARED"), *(Column(title, numeric=True) for title in ("CLUSTER", "VQS", "SAME", "OF")))
    return Grid(columns, [_tally(what, tally) for what, tally in kinds.items()])


def _tally(what: str, tally: Tally) -> Row:
    style = "" if tally.matching == tally.total else "bold"
    figures = (tally.observed, tally.predicted, tally.matching, tally.total)
    return Row((cell(what, style), *(cell(f"{figure:,}", style) for figure in figures)))


def _differences(result: Verification, *, everything: bool) -> Part:
    """Return a line for each difference; pods with the same one share a line.

    Those that nothing explains come first.
    """
    alike: dict[tuple[object, ...], list[Difference]] = {}
    for each in sorted(result.differences, key=lambda each: each.explanation.kind != "nothing"):
        key = (each.aspect, each.pod_group, each.observed, each.predicted, each.explanation.kind, each.explanation.text)
        alike.setdefault(key, []).append(each)
    rows = [_difference(each) for each in alike.values()]
    shown = rows if everything else rows[:_ROWS]
    columns = (Column("JOB"), Column("WHAT"), Column("CLUSTER", numeric=True), Column("VQS", numeric=True))
    return Part(out_of("Differences", len(shown), len(rows)), grid=Grid(columns, shown, "EXPLANATION"))


def _difference(alike: Sequence[Difference]) -> Row:
    first = alike[0]
    what = first.aspect + (f" of {first.pod}" if first.pod and len(alike) == 1 else "")
    what += f" of {count(len(alike), 'pod')}" if len(alike) > 1 else ""
    is_text = first.aspect in _TEXTS
    values = ("", "") if is_text else (_value(first.observed), _value(first.predicted))
    texts = f'cluster: "{_value(first.observed)}"; vqs: "{_value(first.predicted)}"; ' if is_text else ""
    why = first.explanation
    label = _LABELS[why.kind]
    style = "bold red" if why.kind == "nothing" else ""
    cells = (cell(job_name(first), style), cell(what, style), *(cell(value, style) for value in values))
    return Row(cells, f"{texts}{label}{why.text}")


def job_name(difference: Difference) -> str:
    """Name a job, by its PodGroup and who controls that where the document has no other name."""
    if not difference.pod_group:
        return difference.pod or "pods without PodGroup"
    named = difference.pod_group + (f" ({difference.job})" if difference.job else "")
    return difference.display_name or named


def remarks(result: Verification, *, everything: bool) -> list[str]:
    """Say how many sessions were tried, what cannot be compared, and what changed."""
    lines, most = [], None if everything else _FEW
    if len(result.tried) > 1:
        tried = ", ".join(f"{each.sessions}: {number(each.agreement)}%" for each in result.tried)
        lines.append(f"Agreement by the number of sessions: {tried}; --sessions N sets the number")
    for unsaid in result.not_compared:
        names = f": {first_names(unsaid.names, most)}" if unsaid.names else ""
        lines.append(f"Cannot be compared: {unsaid.text}{names}")
    changes = [f"{each.object} ({each.text})" for each in result.changes]
    if changes:
        lines.append(f"Changed between the dumps: {first_names(changes, most, '; ')}")
    if result.elapsed is not None and result.elapsed > _LONG and (result.unexplained or result.not_compared):
        lines.append(
            f"{count(int(result.elapsed), 'second')} between the dumps leave time for many sessions; "
            "dumps a second apart give clearer results"
        )
    return lines


def next_step(result: Verification, view: View) -> Next:
    """Say what to do about what nothing explains; nothing where there is no such thing."""
    if not result.unexplained:
        return Next()
    again = view.again or Again(files=tuple(name for each in (result.before, result.after) for name in _files(each)))
    says = "writes both dumps without names, for a bug report"
    return again.last(again.command("anonymize", says, ("-o", "pair/"), ("--key", "key.json")))


def _files(title: str) -> Sequence[str]:
    return of_title(title).files or ("FILE",)


def _value(value: int | str | None) -> str:
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else value
