"""vqs decides as the real scheduler did, in every recorded scenario."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

from tests.conformance.extender import with_extender
from tests.conformance.reading import BESIDE, Recording, read_scenario, unpacked, without_copies
from tests.conformance.recorded import disagreements, outcomes
from tests.conformance.verdicts import check_verdicts
from tests.explain.jobs.test_order import orders
from tests.explain.queues.test_order import check_order
from vqs.engine.framework.session import Session
from vqs.explain.outcome import QueueResult
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.releases.choice import ReleaseChoice
from vqs.releases.release import Release
from vqs.snapshot.reading.reader import read_manifests

RECORDED_AT: Final = datetime.fromisoformat("2026-11-21T12:00:00Z")
OTHER_RELEASES: Final = {
    "1.13": Release.V1_13,
    "1.14.0": Release.V1_14_0,
    "1.15": Release.V1_15,
}
"""By the folders of their outcomes, which are kept where they are others than those of v1.14.4."""

RECORDED: Final = without_copies(
    (scenario, scenario.with_suffix(".json"))
    for folder in (
        unpacked("random"),
        unpacked("plugins"),
        *(BESIDE / "conformance" / name for name in ("random", "volcano-unit")),
    )
    for scenario in sorted(folder.glob("*.yaml"))
    if scenario.with_suffix(".json").exists()
)
SCENARIOS: Final = [scenario for scenario, _ in RECORDED if scenario.parent.name != "plugins"]

PLUGINS: Final = {"1.15": ("deviceshare", "numa-aware", "pdb", "sharding", "tdm", "usage")}
"""Of which plugins all scenarios were recorded with another release, too."""

SEEDS: Final = {("", "allocate__068"): 2, ("1.14.0", "reclaim-0102"): 1}
"""Where no recorded run has drawn what vqs takes without a seed: see docs/fidelity.md."""


def recorded_with(release: str) -> list[Recording]:
    """Return the scenarios, each with what a release other than the default made of it."""
    folders = [(unpacked("random"), unpacked("random") / "versions")]
    folders.append((BESIDE / "conformance" / "random", BESIDE / "conformance" / "versions"))
    plugins = unpacked("plugins")
    folders += [(plugins, plugins / "versions")]
    return without_copies(
        (scenario, own if own.exists() else scenario.with_suffix(".json"))
        for scenarios, versions in folders
        for scenario in sorted(scenarios.glob("*.yaml"))
        for own in [versions / release / f"{scenario.stem}.json"]
        if own.exists() or scenarios.name != "plugins" or scenario.stem.rpartition("-")[0] in PLUGINS.get(release, ())
    )


def seed_of(scenario: Path, release: str = "") -> int | None:
    """Return the seed with which a scenario is simulated; None for most."""
    return SEEDS.get((release, scenario.stem)) or SEEDS.get((release, scenario.stem.partition("-")[0]))


@pytest.mark.thorough
@pytest.mark.parametrize(("scenario", "outcome"), [pytest.param(*pair, id=pair[0].stem) for pair in RECORDED])
def test_the_outcome_is_one_that_was_recorded(scenario: Path, outcome: Path) -> None:
    """Queue figures, tasks, jobs and their conditions are the real ones, and the verdicts agree with what was said.

    Of the session as it opens, the comparisons that are named are those that order jobs and queues.
    """
    recorded = outcomes(outcome)
    options = SimulateOptions(now=RECORDED_AT, seed=seed_of(scenario), opened=check_orders, allow_extender=True)
    with (
        with_extender(scenario)
        if scenario.stem.startswith("extender-")
        else nullcontext(read_scenario(scenario)) as manifests
    ):
        result = simulate(manifests, options)
    assert disagreements(recorded, result) == []
    check_verdicts(recorded, result)
    assert all(queue.closed.share >= 1 - 1e-6 for queue in result.queues if is_overused(queue))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("release", "scenario", "outcome"),
    [pytest.param(each, *pair, id=f"{each}-{pair[0].stem}") for each in OTHER_RELEASES for pair in recorded_with(each)],
)
def test_the_outcome_is_one_that_was_recorded_with_the_release(release: str, scenario: Path, outcome: Path) -> None:
    """Other releases than v1.14.4 decide as they did, too."""
    chosen = ReleaseChoice(OTHER_RELEASES[release])
    options = SimulateOptions(now=RECORDED_AT, seed=seed_of(scenario, release))
    result = simulate(read_manifests([str(scenario)], release=chosen), options)
    assert disagreements(outcomes(outcome), result) == []


def check_orders(session: Session) -> None:
    """Check what is said to order the jobs and the queues of a session."""
    orders(session)
    check_order(session)


def is_overused(queue: QueueResult) -> bool:
    """Tell whether a queue holds at least what it deserves, if that is anything.

    A queue above others is left out: its share stays as it was when the session opened.
    """
    is_parent = queue.closed.allocated != queue.opened.allocated and queue.closed.share == queue.opened.share
    return queue.closed.overused and any(queue.opened.deserved.values()) and not is_parent
