"""What the reports on a replay say in the same words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vqs.explain.amounts import lasting, number, percent
from vqs.model.wording import listed_names
from vqs.replay.outcome import JobRecord
from vqs.replay.statistics import Interval, Spread
from vqs.replay.thrashing import Thrashing

_LARGE: Final = 100
_REASONS: Final = 3
"""The most reasons for which one job waited that are told in a line."""


def mean_of(spread: Spread | None) -> str:
    """Write the mean of times."""
    return lasting(spread.mean if spread else None)


def reasons(waited: Mapping[str, float]) -> str:
    """Say how long a job waited for what, the longest first.

    >>> reasons({"fragmented": 3000.0, "queue-limit": 7800.0})
    '2h 10m for queue-limit, 50m for fragmented'
    """
    ordered = sorted((item for item in waited.items() if item[1] > 0), key=lambda item: (-item[1], item[0]))
    told = [f"{lasting(seconds)} for {code}" for code, seconds in ordered[:_REASONS]]
    rest = sum(seconds for _, seconds in ordered[_REASONS:])
    return ", ".join([*told, *([f"{lasting(rest)} for other reasons"] if rest else [])])


def job_name(job: JobRecord) -> str:
    """Return the namespace and name of a job."""
    return f"{job.namespace}/{job.name}"


CALMER: Final = (
    "What helps: the plugin cdp with the annotation volcano.sh/cooldown-time on their jobs, which protects pods for a "
    "while after they are placed; or reclaimable: false on a queue, which protects all of its pods. "
    "Replay it with --conf or --edits to see what it changes."
)
"""What to change where queues take from each other."""


CALMER_INSIDE: Final = (
    "What helps inside a queue: the first tier in which all plugins let the same pod go decides, so leave plugins such "
    "as drf out of that (enablePreemptable: false) or move them to the tier of priority; or "
    'volcano.sh/preemptable: "false" on jobs, which protects their pods. '
    "Replay it with --conf or --edits to see what it changes."
)
"""What to change where pods of a queue are evicted again and again for jobs of the same queue."""


def thrashing_line(found: Thrashing, work: float) -> str:
    """Say that evictions go to and fro, and what they cost, also as a part of all work, in seconds of pods."""
    if len(found.queues) > 1:
        what = f"Queues {listed_names(found.queues)} take from each other"
    else:
        what = f"In queue {found.queues[0]}, {found.action or 'the scheduler'} evicts the same pods again and again"
    part = percent(found.work_lost / work) if work else ""
    return (
        f"{what} for {lasting(found.end - found.start)}, "
        f"from {lasting(found.start)} to {lasting(found.end)}: {found.evictions:,} evictions, "
        f"{lasting(found.work_lost)} of work lost{'' if part in ('', '0.0%') else f' ({part} of all work)'}."
    )


def interval(found: Interval, unit: str) -> str:
    """Write a confidence interval; empty where there is none."""
    if found.low is None or found.high is None:
        return ""
    return f"{signed(found.low, unit)} to {signed(found.high, unit)}"


def signed(value: float, unit: str) -> str:
    """Write a difference with its sign.

    >>> signed(-75.0, "s"), signed(0.125, "%"), signed(3.0, "")
    ('-1m 15s', '+12.5 points', '+3')
    """
    sign = "+" if value > 0 else ""
    match unit:
        case "s":
            return f"{sign}{lasting(value)}"
        case "%":
            return f"{value * 100:+.1f} points"
        case "index":
            return f"{value:+.3f}"
        case _:
            return f"{sign}{plain(value)}"


def valued(value: float, unit: str) -> str:
    """Write a figure in its unit."""
    match unit:
        case "s":
            return lasting(value)
        case "%":
            return f"{value * 100:.1f}%"
        case "index":
            return f"{value:.3f}"
        case _:
            return plain(value)


def plain(value: float) -> str:
    """Write a number; one of 100 or more without decimals.

    >>> plain(1.5), plain(-601.67), plain(12345.0)
    ('1.5', '-602', '12,345')
    """
    return f"{value:,.0f}" if abs(value) >= _LARGE else number(value)


def unit_of(figure: str) -> str:
    """Return the unit of a figure: ``s`` for seconds, ``%`` for a part, ``index``, or none for a plain number."""
    if figure == "fairness":
        return "index"
    if figure.startswith(("wait.", "completion.")) or figure in ("makespan", "workLost"):
        return "s"
    return "%" if figure.startswith("used.") else ""


NAMES: Final[Mapping[str, str]] = {
    "started": "jobs started",
    "wait.mean": "mean wait",
    "wait.p95": "p95 wait",
    "completion.mean": "mean completion",
    "slowdown.mean": "mean slowdown",
    "evictions": "evictions",
    "pods-lost": "pods lost",
    "restarted": "restarted pods",
    "workLost": "work lost",
    "makespan": "makespan",
    "fairness": "fairness (Jain)",
}
"""What figures that policies are compared by are called."""


def figure_name(figure: str) -> str:
    """Return what a figure is called.

    >>> figure_name("wait.p95"), figure_name("used.cpu")
    ('p95 wait', 'cpu used')
    """
    return NAMES.get(figure) or f"{figure.removeprefix('used.')} used"
