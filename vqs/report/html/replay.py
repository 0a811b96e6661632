"""The page on a replay: jobs, lives of pods, what queues hold and how full nodes are over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import structs

from vqs.inert import name as visible
from vqs.replay.outcome import Replay, Replays
from vqs.report.formats import View
from vqs.report.html.page import page, table
from vqs.report.replay import parts
from vqs.report.replay.page import (
    chance_lines,
    comparison_headline,
    comparison_lines,
    fact_lines,
    headline,
    of_run,
    sentence,
    stops,
    thrashing_lines,
)

_EXTENT: Final = parts.Extent(rows=50, details=True)
_LANDMARKS: Final = ("Why jobs waited", "Evictions", "Runs")


def write(result: Replay | Replays, view: View, /) -> str:
    """Return the page; of several seeds, the first is drawn, and waits are those of all."""
    if isinstance(result, Replay):
        return _written(result, [result], view)
    drawn = {run.policy: run for run in reversed(result.runs)}
    return _written(result, [drawn[policy] for policy in result.policies], view)


def _written(result: Replay | Replays, runs: Sequence[Replay], view: View) -> str:
    several = result if isinstance(result, Replays) else None
    shown = [*(parts.of_runs(several, _EXTENT) if several else parts.of_run(runs[0], _EXTENT))]
    commands = [of_run(run, view.again).command("replay", "").command for run in runs]
    leading = 1 + len(several.contrasts) if several else 1
    alone = f"The run of seed {runs[0].seed} alone: " if runs[0].seeds else ""
    return page(
        "replay",
        "workload",
        result if several is None else structs.replace(several, runs=[_carried(run, runs) for run in several.runs]),
        title=f"vqs replay {result.workload}".rstrip(),
        answer=[*comparison_lines(several)] if several else [sentence(runs[0]), *chance_lines(runs[0])],
        alarms=[*stops(runs[0]), *thrashing_lines(several.runs if several else runs)],
        headline=comparison_headline(several) if several else f"{alone}{headline(runs[0])}",
        facts=[] if several else [*fact_lines(runs[0])],
        drawn=f"seed {runs[0].seed}" if several and len(several.seeds) > 1 else "",
        commands=[visible(each) for each in commands],
        has_runs=bool(runs[0].jobs),
        has_heat=any(run.node_samples for run in runs),
        lead=[(part, table(part.grid)) for part in shown[:leading]],
        parts_list=[
            (part, table(part.grid), next((title for title in _LANDMARKS if part.title.startswith(title)), ""))
            for part in shown[leading:]
            if not parts.is_of_jobs(part)
        ],
    )


def _carried(run: Replay, drawn: Sequence[Replay]) -> Replay:
    """Return what a page has of a run: of those that are not drawn the jobs, whose waits are."""
    return run if any(run is each for each in drawn) else structs.replace(run, pods=[], samples=[], node_samples=[])
