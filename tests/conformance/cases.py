"""All that was recorded of decisions, as cases that are run and compared with what was recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from tests.conformance.clusters import CHAINS, SESSIONS, agreement, bound_next
from tests.conformance.reading import RECORDINGS, Recording, read_scenario
from tests.conformance.recorded import (
    MANY,
    OTHER_RELEASES,
    RECORDED,
    Outcome,
    disagreements,
    drawn_by_none,
    has_few_drawn,
    outcomes,
    recorded_with,
    simulated,
)
from vqs.explain.simulate import SimulateOptions, simulate

DEFAULT: Final = "1.14"
SEED: Final = 1
"""With it, all is drawn that the real scheduler leaves to chance: as many tasks by job and status as in an outcome."""
BY_LIST: Final = ("roles-111", "sampling-109")
"""Where the order of the scheduler's list of nodes decides: the recorder has it by name, and a seed draws it."""


@dataclass(frozen=True)
class Case:
    """A recording that vqs is compared with.

    Attributes:
        name: its release and its file.
        input: the file that is read.
        release: the release that decided.
        runs: how many sessions of the real scheduler were recorded.
        agrees: runs vqs; true if it decides as was recorded.
    """

    name: str
    input: Path
    release: str
    runs: int
    agrees: Callable[[], bool]


def cases() -> Iterator[Case]:
    """Yield the cases: scenarios in all releases, also drawn where they have few outcomes, sessions and chains."""
    for scenario, outcome in RECORDED:
        recorded = outcomes(outcome)
        yield Case(scenario.stem, scenario, DEFAULT, _runs(recorded), partial(_of_scenario, scenario, outcome))
        if 1 < len(recorded) < MANY and scenario.stem not in BY_LIST:
            yield Case(f"seed/{scenario.stem}", scenario, DEFAULT, 0, partial(_of_draw, scenario, outcome))
        if has_few_drawn(scenario, recorded):
            yield Case(f"seeds/{scenario.stem}", scenario, DEFAULT, 0, partial(_of_draws, scenario, outcome))
    for release in OTHER_RELEASES:
        for scenario, outcome in recorded_with(release):
            yield Case(
                f"{release}/{scenario.stem}",
                scenario,
                release,
                _runs(outcomes(outcome)),
                partial(_of_scenario, scenario, outcome, release),
            )
    for session in SESSIONS:
        yield Case(f"cluster/{session[0].stem}", session[0], DEFAULT, 1, partial(_of_cluster, session))
    for chain in CHAINS:
        yield Case(f"chain/{chain[0].stem}", chain[0], DEFAULT, 2, partial(_of_chain, chain))


def own_cases() -> list[Case]:
    """The cases of this repository."""
    return [each for each in cases() if RECORDINGS in each.input.parents]


def _runs(recorded: Sequence[Outcome]) -> int:
    return sum(each.get("runs", 1) for each in recorded)


def _of_scenario(scenario: Path, outcome: Path, release: str = "") -> bool:
    return not disagreements(outcomes(outcome), simulated(scenario, release))


def _of_draw(scenario: Path, outcome: Path) -> bool:
    return not disagreements(outcomes(outcome), simulated(scenario, seed=SEED), many=1)


def _of_draws(scenario: Path, outcome: Path) -> bool:
    return not drawn_by_none(scenario, outcomes(outcome))


def _of_cluster(session: Recording) -> bool:
    found = agreement(session, simulate(read_scenario(session[0]), SimulateOptions()))
    return found.bound and found.evicted and found.phases


def _of_chain(chain: Recording) -> bool:
    wanted, found = bound_next(chain)
    return wanted == found
