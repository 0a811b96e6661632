"""Each kind of page in HTML, and a command that writes one: for the tests in a browser, and the gallery of the docs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

FIRST_LOOK: Final = "scenarios/first-look.yaml"
EVICTING: Final = "scenarios/preempt-higher-priority.yaml"

_TWO_CONFIGURATIONS: Final = [
    *("--conf", "docs/example/volcano-scheduler.conf"),
    *("--conf", "docs/example/with-reclaim.conf"),
]


WIDTHS: Final[Mapping[int, Literal["light", "dark"]]] = {1280: "light", 800: "light", 400: "dark"}
"""Those that the gallery shows, in pixels, each in the colours of one theme."""


class Shown(NamedTuple):
    """The kind of result that a page is on, and what writes it in the root of the repository."""

    kind: str
    arguments: list[str]


PAGES: Final[Mapping[str, Shown]] = {
    "simulate": Shown("Simulation", ["simulate", FIRST_LOOK, "--trace"]),
    "evictions": Shown("Simulation", ["simulate", EVICTING]),
    "explain-job": Shown("JobReport", ["explain-job", FIRST_LOOK, "--job", "product/genome-assembly"]),
    "jobs that wait": Shown("WaitingJobs", ["explain-job", FIRST_LOOK]),
    "explain-queue": Shown("QueueReport", ["explain-queue", "scenarios/hierarchy-queue-above-is-full.yaml"]),
    "diff-configs": Shown("Diff", ["diff-configs", "--on", FIRST_LOOK, "--clone-node", "gpu-1=2"]),
    "diff-configs, evictions": Shown(
        "Diff", ["diff-configs", "--on", EVICTING, "--set", "conf.actions=enqueue, allocate, backfill"]
    ),
    "fit": Shown("Fit", ["fit", "scenarios/snapshot/new-job.yaml", "--on", FIRST_LOOK]),
    "sweep": Shown("Sweep", ["sweep", "scenarios/queue-weight.plan.yaml"]),
    "tune": Shown("Tune", ["tune", "scenarios/lowest-weight.plan.yaml"]),
    "replay": Shown("Replay", ["replay", FIRST_LOOK, "--runs", "1"]),
    "replay, two configurations": Shown("Replays", ["replay", FIRST_LOOK, "--runs", "1", *_TWO_CONFIGURATIONS]),
    "when": Shown("When", ["when", FIRST_LOOK]),
}


def picture_of(name: str, width: int) -> str:
    """Name the picture of a page in the gallery, from the folder of the docs.

    >>> picture_of("diff-configs, evictions", 400)
    'gallery/diff-configs-evictions-400.webp'
    """
    return f"gallery/{name.replace(',', '').replace(' ', '-')}-{width}.webp"
