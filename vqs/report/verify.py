"""The page on how vqs and a cluster compare: how well they agree, each difference, what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final, Literal

from vqs.explain.amounts import ABSENT, lasting, number
from vqs.model.wording import count, first_names
from vqs.report.formats import Again, Next, View, of_title
from vqs.report.page import At, Cell, Column, Line, Page, Part, out_of, table
from vqs.report.simulation.summary import session_headline
from vqs.verify.outcome import Difference, Tally, Verification
from vqs.verify.starts import StartCheck, Starts

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
    session = result.session
    said = session_headline(
        result.volcano, result.before, session, f"{count(session.nodes, 'node')}, {count(session.jobs, 'job')}"
    )
    later = "" if result.elapsed is None else f", {count(int(result.elapsed), 'second')} later"
    seeds = f", under {count(result.seeds, 'more seed')}" if result.seeds else ""
    return Page(
        answer=[answer(result)],
        headline=f"{said}. {count(result.sessions, 'session')}{seeds}, compared with {result.after}{later}",
        parts=_parts(result, view),
        next=_next(result, view),
        answer_at=At.FIRST,
    )


def page_of_starts(result: Starts, _: View, /) -> Page:
    """Return the page on how good the ranges of `vqs when` were."""
    columns: dict[Column, Callable[[StartCheck], Cell]] = {
        Column("JOB", named=True): lambda job: job.display_name,
        Column("EARLIEST", numeric=True): lambda job: lasting(job.earliest),
        Column("LATEST", numeric=True): lambda job: lasting(job.latest),
        Column("STARTED", numeric=True): lambda job: lasting(job.started),
    }
    legend = f"Times are from {result.now}, when the ranges were made; a dash is a time that is not known."
    return Page(
        answer=[result.answer],
        headline=f"The ranges of vqs when on {result.snapshot}, and dumps up to {lasting(result.until)} later",
        parts=[
            Part("Starts", grid=table(result.jobs, columns, "THE START WAS", lambda job: job.verdict), legend=legend)
        ],
        answer_at=At.FIRST,
    )


def _parts(result: Verification, view: View) -> Iterator[Part]:
    tallies = result.tallies
    kinds = {
        "pods bound, by PodGroup": tallies.bound,
        "pods evicted, by PodGroup": tallies.evicted,
        "phases of PodGroups": tallies.phases,
        "new Unschedulable conditions": tallies.conditions,
        "new PodScheduled messages": tallies.messages,
        "nodes of bound pods": tallies.nodes,
    }
    columns: dict[Column, Callable[[tuple[str, Tally]], Cell]] = {
        Column("COMPARED"): lambda each: each[0],
        Column("CLUSTER", numeric=True): lambda each: each[1].observed,
        Column("VQS", numeric=True): lambda each: each[1].predicted,
        Column("SAME", numeric=True): lambda each: each[1].matching,
        Column("OF", numeric=True): lambda each: each[1].total,
    }
    grid = table(kinds.items(), columns, style=lambda each: "" if each[1].matching == each[1].total else "bold")
    yield Part(grid=grid)
    if result.differences:
        yield _differences(result, view)
    yield Part(items=[Line(text) for text in remarks(result, everything=view.everything)])


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


def _differences(result: Verification, view: View) -> Part:
    """A line for each difference; pods with the same one share a line, and those that nothing explains come first."""
    alike: dict[tuple[object, ...], list[Difference]] = {}
    for each in sorted(result.differences, key=lambda each: each.explanation.kind != "nothing"):
        key = (each.aspect, each.pod_group, each.observed, each.predicted, each.explanation.kind, each.explanation.text)
        alike.setdefault(key, []).append(each)

    def value(of: Callable[[Difference], int | str | None]) -> Callable[[Sequence[Difference]], Cell]:
        return lambda group: "" if group[0].aspect in _TEXTS else of(group[0])

    columns: dict[Column, Callable[[Sequence[Difference]], Cell]] = {
        Column("JOB"): lambda group: job_name(group[0]),
        Column("WHAT"): _what,
        Column("CLUSTER", numeric=True): value(lambda each: each.observed),
        Column("VQS", numeric=True): value(lambda each: each.predicted),
    }
    groups = list(alike.values())
    shown = groups if view.everything else groups[:_ROWS]
    grid = table(
        shown,
        columns,
        "EXPLANATION",
        _explanation,
        style=lambda group: "bold red" if group[0].explanation.kind == "nothing" else "",
    )
    return Part(out_of("Differences", len(shown), len(groups)), grid=grid)


def _what(alike: Sequence[Difference]) -> str:
    first = alike[0]
    if len(alike) > 1:
        return f"{first.aspect} of {count(len(alike), 'pod')}"
    return f"{first.aspect} of {first.pod}" if first.pod else first.aspect


def _explanation(alike: Sequence[Difference]) -> str:
    first, why = alike[0], alike[0].explanation
    texts = (
        f'cluster: "{first.observed or ABSENT}"; vqs: "{first.predicted or ABSENT}"; ' if first.aspect in _TEXTS else ""
    )
    return f"{texts}{_LABELS[why.kind]}{why.text}"


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


def _next(result: Verification, view: View) -> Next:
    """Say what to do about what nothing explains; nothing where there is no such thing."""
    if not result.unexplained:
        return Next()
    dumps = (of_title(each).files or ("FILE",) for each in (result.before, result.after))
    again = view.again or Again(files=tuple(chain(*dumps)))
    says = "writes both dumps without names, for a bug report"
    return again.last(again.command("anonymize", says, ("-o", "pair/"), ("--key", "key.json")))
