"""Each kind of figure has a direction, or is known to have none."""

from __future__ import annotations

import pytest

from vqs.sweep.figures import PLANS, figure_of

NEUTRAL = {
    "job.verdict",
    "job.decision",
    "pipelined",
    "queue.pipelined",
    "queue.deserved",
    "queue.guarantee",
    "queue.capability",
    "queue.realCapability",
    "queue.request",
    "queue.inqueue",
    "queue.share",
    "job.pipelined",
    "job.tasks",
    "replay.peak",
}


def test_every_figure_is_decided_on() -> None:
    """A new figure is given a direction, or is named here as one that has none."""
    assert {key for key, each in PLANS.items() if each.better is None} == NEUTRAL


@pytest.mark.parametrize(
    ("figure", "better"),
    [
        ("placed", "more"),
        ("evictions", "less"),
        ("share-loss", "less"),
        ("stranded.cpu", "less"),
        ("queue:b.allocated.cpu", "more"),
        ("queue:b.deserved.cpu", None),
        ("job:ns/train.startCycle", "less"),
        ("job:ns/train.verdict", None),
    ],
)
def test_figures_have_directions(figure: str, better: str | None) -> None:
    """Pods are to be placed, and nothing is to be evicted, pending, stranded or late."""
    assert figure_of(figure).kind.better == better
