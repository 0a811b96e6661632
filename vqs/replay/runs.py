"""Runs of a workload under several policies and seeds, in processes of this machine.

Each policy is run under the same seeds, so that what chance decides is the same on both sides of a comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableSequence, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import inf
from multiprocessing.sharedctypes import RawArray
from typing import Final

from vqs.extensions.adding import extended
from vqs.processes import Processes
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.figures import summed_up
from vqs.replay.outcome import Replay
from vqs.replay.repeated import runs_needed
from vqs.replay.workload import Workload
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors

_IN_TURN: Final = 3
"""Up to this many runs for each core, all have a process of their own, so that all cores are busy until the end."""

Advance = Callable[[float, int, int, float], None]
"""Told the time in a run, how many runs are over, how many there are, and how much of them is done, up to as many."""


@dataclass(frozen=True)
class Run:
    """One run that is asked for: a workload under a policy, and how it is replayed."""

    workload: Workload
    options: ReplayOptions

    def under(self, seed: int | None) -> Run:
        """Return the run under a seed; without one, nothing is left to chance but what the workload draws."""
        session = replace(self.options.session, seed=seed)
        return replace(self, options=replace(self.options, seed=seed or 0, session=session))


@dataclass(frozen=True)
class Runner:
    """Runs policies under seeds.

    Attributes:
        policies: a run of each; its seed does not count.
        jobs: how many processes may work at a time.
        own: the plugins and actions of one's own, as MODULE:CLASS, which processes that are not forked need.
        advance: told how far it is.
        least: workloads with fewer jobs and pods are run here: that is over before processes have started.
    """

    policies: Sequence[Run]
    jobs: int = 1
    own: Sequence[str] = ()
    advance: Advance | None = None
    least: int = 100

    def runs(self, seeds: Sequence[int | None], precision: float | None = None) -> list[Replay]:
        """Return the runs of each policy: under some seeds, and more where figures are to be so sure.

        Args:
            seeds: under which seeds; further ones follow the last of them.
            precision: how far intervals may reach, as a part of the mean (see `runs_needed`).

        Raises:
            InputErrors: as for `replay`, or the process of a run was ended.
        """
        made: list[list[Replay]] = [[] for _ in self.policies]
        while seeds:
            more = self._made([each.under(seed) for each in self.policies for seed in seeds])
            for runs in made:
                runs.extend(islice(more, len(seeds)))
            needed = 0 if precision is None else max(runs_needed(runs, precision) for runs in made)
            following = (seeds[-1] or 0) + 1
            seeds = range(following, following + needed - len(made[0]))
        return [run for runs in made for run in runs]

    def _made(self, wanted: Sequence[Run]) -> Iterator[Replay]:
        shares: MutableSequence[float] = RawArray("d", 2 * len(wanted))
        tell = None if self.advance is None else partial(_tell, self.advance, shares)
        work = partial(_run, wanted, shares, is_told=self.advance is not None)
        workload = wanted[0].workload
        size = len(workload.start.pods) + workload.expected_arrivals(wanted[0].options.until or inf)
        if min(self.jobs, len(wanted)) == 1 or size < self.least:
            for place in range(len(wanted)):
                yield _come_of(work(place, tell))
            return
        number = len(wanted) if len(wanted) <= _IN_TURN * self.jobs else self.jobs
        found_of = {}
        with Processes(work, _given_up, number, around=partial(extended, self.own)) as processes:
            for place, found in processes.answers(range(len(wanted)), tell):
                found_of[place] = _come_of(found)
        yield from (found_of[place] for place in range(len(wanted)))


def _run(
    wanted: Sequence[Run],
    shares: MutableSequence[float],
    place: int,
    tell: Callable[[], None] | None = None,
    *,
    is_told: bool,
) -> Replay | Exception:
    """Return one of several runs, or what kept it from being made; `shares` hears how far it is, and the time in it."""

    def advance(now: float, done: int, total: int) -> None:
        shares[2 * place], shares[2 * place + 1] = min(done / max(total, 1), 1.0), now
        if tell is not None:
            tell()

    workload, options = wanted[place].workload, wanted[place].options
    try:
        made = summed_up(replay(workload, replace(options, progress=advance if is_told else None)))
    except Exception as error:  # noqa: BLE001 - it is raised in the process that asked
        return error
    shares[2 * place] = inf
    return made


def _tell(advance: Advance, shares: Sequence[float]) -> None:
    parts = shares[::2]
    over = sum(part == inf for part in parts)
    advance(max(shares[1::2]), over, len(parts), sum(min(part, 1.0) for part in parts))


def _given_up(_place: int, end: str) -> Exception:
    message = f"the process of a run {end}"
    return InputErrors([Diagnostic(code="worker-lost", severity="error", message=message, help="--jobs 1 needs less")])


def _come_of(found: Replay | Exception) -> Replay:
    if isinstance(found, Exception):
        raise found
    return found
