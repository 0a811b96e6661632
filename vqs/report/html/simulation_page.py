"""The page on a session."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from vqs.explain.amounts import ABSENT, amount, percent
from vqs.explain.outcome import Simulation, Utilisation
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.report.formats import Extras, View
from vqs.report.html.common import notes, settings, table
from vqs.report.html.page import page
from vqs.report.html.simulation_data import simulation_data
from vqs.report.phrases import no_queues, standstill, timing_line
from vqs.report.simulation.expectations import expectations_line, failed_lines
from vqs.report.simulation.extras import extra_parts
from vqs.report.simulation.reasons import reason_lines
from vqs.report.simulation.summary import UNEXPLAINED, Summary, awaited_lines, headline, summarize
from vqs.report.visible import visible

_BAR: Final = 1000


def write(result: Simulation, view: View, /) -> str:
    """Return the page, with the whole result in it: what to look at is chosen there."""
    summary, data = summarize(result), simulation_data(result)
    ranks = {each["name"]: rank for rank, each in enumerate(data["resources"])}
    asked = replace(view, extras=Extras(fit_errors=view.extras.fit_errors, scores=view.extras.scores))
    return page(
        "simulation",
        data,
        title=f"vqs simulate {result.scenario}".rstrip(),
        standstill=" ".join(standstill(result)),
        sentence=f"{summary.counts()}.",
        more=[*reason_lines(result), *awaited_lines(result)],
        headline=headline(result),
        counts=_counts(summary),
        verdicts=[_verdict(code, number) for code, number in summary.by_verdict],
        usage=[_usage(each) for each in sorted(result.utilisation, key=lambda each: ranks[visible(each.resource)])],
        expected=expectations_line(result),
        failed=failed_lines(result),
        notes=notes(result.diagnostics),
        has_cluster=bool(result.queues or result.nodes),
        has_nodes=bool(result.nodes),
        has_trace=bool(result.trace),
        has_evictions=_has_evictions(result),
        no_queues="" if result.queues else no_queues(result),
        extras=[(part.title, table(part.grid)) for part in extra_parts(result, asked)],
        settings=settings(result.session),
        timing=timing_line(result.timing) if result.timing else "",
    )


def _counts(summary: Summary) -> list[tuple[str, int, str]]:
    numbers = {
        "placed": summary.placed,
        "pipelined": summary.pipelined,
        "evicted": summary.evicted,
        "pending": summary.pending,
        "unchanged": summary.unchanged,
    }
    return [(word, number, f"{number:,}") for word, number in numbers.items()]


def _verdict(code: str, number: int) -> dict[str, str]:
    title = VERDICT_RULES[code].title if code in VERDICT_RULES else ""
    return {"code": "" if code == UNEXPLAINED else code, "text": f"{number:,}", "title": title}


def _usage(each: Utilisation) -> dict[str, Any]:
    stranded = (percent(each.stranded_before), percent(each.stranded_after))
    return {
        "name": each.resource,
        "before": percent(each.used_before),
        "after": percent(each.used_after),
        "total": amount(each.resource, each.total),
        "stranded": stranded[1] if each.stranded_before or each.stranded_after else ABSENT,
        "from": _length(min(each.used_before, each.used_after)),
        "to": _length(max(each.used_before, each.used_after)),
    }


def _length(part: float) -> int:
    return round(min(part, 1.0) * _BAR)


def _has_evictions(result: Simulation) -> bool:
    """Return whether any task is evicted; what is rolled back does not count."""
    return any(
        each.result != "discard" and any(step.op == "evict" for step in each.operations) for each in result.trace
    )
