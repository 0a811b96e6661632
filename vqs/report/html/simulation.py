"""The page on a session, and the data that it draws."""

from __future__ import annotations

from dataclasses import replace

from vqs.explain.outcome import (
    Simulation,
)
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.report.formats import Extras, View
from vqs.report.html.page import notes, page, settings, table
from vqs.report.phrases import no_queues, standstill, timing_line
from vqs.report.simulation.page import extra_parts
from vqs.report.simulation.summary import (
    UNEXPLAINED,
    awaited_lines,
    expectations_line,
    failed_lines,
    headline,
    left_line,
    lost_lines,
    reason_lines,
    summarize,
)


def write(result: Simulation, view: View, /) -> str:
    """Return the page, with the whole result in it: what to look at is chosen there."""
    summary = summarize(result)
    asked = replace(view, extras=Extras(fit_errors=view.extras.fit_errors, scores=view.extras.scores))
    return page(
        "simulation",
        "simulation",
        result,
        title=f"vqs simulate {result.scenario}".rstrip(),
        standstill=" ".join(standstill(result)),
        sentence=f"{summary.counts()}.",
        more=[*reason_lines(result), *left_line(result), *lost_lines(result), *awaited_lines(result)],
        headline=headline(result),
        counts=[
            (word, number, f"{number:,}")
            for word, number in (
                ("placed", summary.placed),
                ("reserved", summary.pipelined),
                ("evicted", summary.evicted),
                ("pending", summary.pending),
                ("unchanged", summary.unchanged),
            )
        ],
        not_created=f"{summary.not_created:,}" if summary.not_created else "",
        verdicts=[
            {
                "code": "" if code == UNEXPLAINED else code,
                "text": f"{number:,}",
                "title": VERDICT_RULES[code].title if code in VERDICT_RULES else "",
                "pod": VERDICT_RULES[code].pod if code in VERDICT_RULES else "",
            }
            for code, number in summary.by_verdict
        ],
        expected=expectations_line(result),
        failed=failed_lines(result),
        notes=notes(result.diagnostics),
        has_cluster=bool(result.queues or result.nodes),
        has_nodes=bool(result.nodes),
        has_trace=bool(result.trace),
        # What is rolled back does not count.
        has_evictions=any(
            each.result != "discard" and any(step.op == "evict" for step in each.operations) for each in result.trace
        ),
        no_queues="" if result.queues else no_queues(result),
        extras=[(part.title, table(part.grid)) for part in extra_parts(result, asked)],
        settings=settings(result.session),
        timing=timing_line(result.timing) if result.timing else "",
    )
