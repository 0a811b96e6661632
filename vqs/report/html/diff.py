"""The page on a comparison of two sessions, and the data that it draws."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final

from vqs.diff.outcome import Diff, Side
from vqs.explain.amounts import ABSENT, percent
from vqs.lint.outcome import with_denier
from vqs.report.diff.page import affected_lines, change_line, changed_places
from vqs.report.diff.phrases import edits_of, failure_lines, headline, sentence, value
from vqs.report.formats import View
from vqs.report.html.page import notes, page, settings


def write(result: Diff, _view: View, /) -> str:
    """Return the page, with the whole result in it: what to look at is chosen there."""
    sides = (result.before, result.after)
    effects = [(name, sign, sum(job.effect == name for job in result.jobs)) for name, sign in _SIGNS.items()]
    first, *more = re.split(r"[:;] ", sentence(result))
    return page(
        "diff",
        "diff",
        result,
        title=f"vqs diff-configs {result.before.name} {result.after.name}",
        standstill=[
            f"Nothing is scheduled with {side.name}: {side.session.standstill}"
            for side in sides
            if side.session.standstill
        ],
        sentence=first,
        more=more,
        lead=[line for line in (change_line(result), *affected_lines(result)) if line],
        places=[(place, list(lines)) for place, lines in groupby(changed_places(result), key=itemgetter(0))],
        headline=headline(result),
        failures=failure_lines(result),
        first_divergence=result.first_divergence,
        effects=[(name, sign, number, f"{number:,}") for name, sign, number in effects],
        before=result.before,
        after=result.after,
        figures=list(_figures(result)),
        notes=[(severity, f"{side.name}: {text}") for side in sides for severity, text in notes(side.diagnostics)],
        has_jobs=bool(result.jobs),
        has_nodes=bool(result.nodes),
        has_evictions=bool(result.evictions),
        settings=[
            {
                "key": each.key,
                "before": value(each.before),
                "after": value(each.after),
                "default_before": each.default_before,
                "default_after": each.default_after,
            }
            for each in result.settings
        ],
        findings=[
            (
                each.change,
                each.finding.severity,
                each.finding.code,
                with_denier(each.finding.message, each.finding.denied),
            )
            for each in result.findings
        ],
        sides=[
            (f"{word}: {side.name}", _about(result, side))
            for word, side in zip(("before", "after"), sides, strict=True)
        ],
    )


_SIGNS: Final = {"gains": "▲ better", "loses": "▼ worse", "both": "◆ better and worse", "neither": "changed"}


def _figures(result: Diff) -> Iterator[dict[str, str]]:
    before, after = result.figures_before, result.figures_after
    for word, name in (
        ("tasks placed", "placed"),
        ("with a reserved node", "pipelined"),
        ("evicted", "evicted"),
        ("still pending", "pending"),
        ("running", "running"),
        ("jobs", "jobs"),
        ("jobs with a full gang", "full_gangs"),
    ):
        one, other = getattr(before, name), getattr(after, name)
        yield {
            "word": word,
            "before": f"{one:,}",
            "after": f"{other:,}",
            "difference": f"{other - one:+,}" if other != one else "",
        }
    yield _share("spread of the queues' shares", before.share_spread, after.share_spread)
    used = {each.resource: each for each in after.utilisation}
    for each in before.utilisation:
        if each.resource in used:
            yield _share(f"{each.resource} used", each.used_after, used[each.resource].used_after)


def _share(word: str, before: float | None, after: float | None) -> dict[str, str]:
    moved = 0.0 if before is None or after is None else after - before
    texts = [ABSENT if each is None else percent(each) for each in (before, after)]
    points = f"{moved * 100:+.1f} points" if round(moved, 3) else ""
    return {"word": word, "before": texts[0], "after": texts[1], "difference": points}


def _about(diff: Diff, side: Side) -> list[tuple[str, str]]:
    read = [("files", ", ".join(side.files)), ("edits", ", ".join(edits_of(diff, side)))]
    return [*(pair for pair in read if pair[1]), *settings(side.session)]
