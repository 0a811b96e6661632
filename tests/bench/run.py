#!/usr/bin/env python3
"""Print how long sessions and whole commands take, beside the bare array work and the real scheduler.

usage: run.py [--runs N] [--quick] [--only NAME]... [--replays] [--sweeps]
              [--against PYTHON] [--json FILE] [--dumps FOLDER]

Each measurement is made in a process of its own, N times; the table has the median, the best, and the peak of memory.
The bare array work of a session is the same number of placements by a masked argmax and a row update each, measured in
the same process; the ratio to it does not depend on the machine. A second table has figures that follow from these:
how the time grows, and what a command takes in relation to another. A third one has the events a second of replays,
side by side with those of a bare queue by time; sessions count as events. --replays measures replays only, of an
eighth of each workload up to the whole, to see how the time grows, and --sweeps sweeps only. --against names the Python
of another environment, with another state of vqs: both are measured in turns. --json writes the figures, too.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.cases import DUMPS, JOB_OF_A_FULL_QUEUE, JOB_WITHOUT_PLACE, QUICK, REMEDIES, SWEPT, Dump  # noqa: E402 - the path comes first
from tests.bench.measure import Measured  # noqa: E402

MEASURE = Path(__file__).with_name("measure.py")


@dataclass(frozen=True)
class Line:
    """A line of the table."""

    what: str
    runs: tuple[Measured, ...]
    aim: float | None = None
    real: tuple[float, float] | None = None
    other: tuple[Measured, ...] = ()

    @property
    def best(self) -> float:
        """The shortest run, in seconds."""
        return min(run.seconds for run in self.runs)

    def cells(self) -> list[str]:
        """Return the cells of the table."""
        limit = min(run.limit for run in self.runs)
        real = self.real
        return [
            self.what,
            f"{statistics.median(run.seconds for run in self.runs):.3f}",
            f"{self.best:.3f}",
            "" if self.aim is None else f"{self.aim:g}",
            f"{max(run.megabytes for run in self.runs):,.0f}",
            f"{self.best / limit:.1f}" if limit else "",
            "" if real is None else f"{real[0] / self.best:.0f} to {real[1] / self.best:.0f}",
            f"{min(run.seconds for run in self.other):.3f}" if self.other else "",
        ]


@dataclass(frozen=True)
class Figure:
    """A figure that follows from lines of the table, and what it is to be at most, or at least."""

    what: str
    value: float
    aim: str


def figures(found: Sequence[Line]) -> Iterator[Figure]:
    """Yield what follows from some lines, where all that it takes was measured."""
    best = {line.what: line.best for line in found}
    for what, (line, other), aim in RATIOS:
        if line in best and other in best:
            yield Figure(what, best[line] / best[other], aim)
    if TRIAL in best:
        yield Figure("sessions a second, remedies on 200 nodes", 1 / best[TRIAL], "at least 100")
    one, two, dask = (best.get(what) for what in SWEEPS)
    if one and two:
        yield Figure("a sweep on two cores to one", one / two, "at least 1.9")
        yield Figure("variants a second, on two cores", VARIANTS / two, "at least 60")
        if dask:
            yield Figure("of that on Dask", two / dask, "at least 0.8")


DIFF = "vqs diff-configs, 1,000 x 10,000"
REPLAYS = {
    "replay of openb, {:,} pods over 150 days on 24 nodes": ("openb", 8152, 60.0),
    "replay of {:,} jobs of 8 pods, 10,000 a day, on 1,000 nodes": ("day", 10_000, 300.0),
}
"""The workloads that are replayed, how long they are, and the seconds of CPU that the whole is to take at most."""

SHORTER = (8, 4, 2, 1)
"""The parts of these workloads that --replays measures: the first eighth, and so on."""

TRIAL = "a session of remedies, 200 nodes and 5,500 pods"
FIXES = {
    "until the first fix of a job, 1,000 x 10,000": ("first", 3.0),
    "until the default search for fixes is over, 1,000 x 10,000": ("last", 13.0),
}
"""What is measured of the search for fixes, and the seconds that it is to take: reading and the session included."""
VARIANTS = 1000
SWEEPS = {
    f"{VARIANTS:,} variants of 200 nodes and 4,000 pods, in one process": ("local", "1"),
    f"{VARIANTS:,} variants of 200 nodes and 4,000 pods, in two": ("local", "2"),
    f"{VARIANTS:,} variants of 200 nodes and 4,000 pods, in two workers of Dask": ("dask", "2"),
}
"""What a sweep is called in the table, with the engine, and the number of its processes."""
RATIOS = (
    ("diff-configs to simulate", (DIFF, "vqs simulate, 1,000 x 10,000"), "at most 1.5"),
    ("twice the nodes", ("session, 2,000 x 10,000", "session, 1,000 x 10,000"), "at most 1.6"),
    ("twice the pods", ("session, 2,000 x 20,000", "session, 2,000 x 10,000"), "at most 2"),
    ("topology spread", ("session, topology spread 1,000 x 10,000", "session, 1,000 x 10,000"), "at most 3"),
    ("pod affinity", ("session, pod affinity 1,000 x 10,000", "session, 1,000 x 10,000"), "at most 3"),
    ("host ports", ("session, host ports 1,000 x 10,000", "session, 1,000 x 10,000"), "at most 3"),
)

EVENTS = ("replay", "events", "µs CPU an event", "events a second", "bare queue, events a second")
HEAD = ("what", "median s", "best s", "aim s", "MB", "x bare array work", "real scheduler / vqs", "other best s")


def measured(python: str, *arguments: str) -> Measured:
    """Measure in a process of its own, with some Python."""
    ran = subprocess.run(  # noqa: S603 - this program
        [python, str(MEASURE), *arguments], check=True, capture_output=True, text=True
    )
    return Measured(**json.loads(ran.stdout))


def lines(asked: argparse.Namespace, folder: Path) -> Iterator[Line]:
    """Yield what is measured."""
    names = asked.only or (QUICK if asked.quick else list(DUMPS))
    for dump in (DUMPS[name] for name in names):
        path = str(dump.write(folder))
        yield _line(f"session, {dump.name}", dump, asked, ("session", path, str(dump.nodes), str(dump.bound)))
        for name, aim in dump.whole.items():
            arguments = (name, path, "--format", "json", "--output", os.devnull)
            yield _command_line(f"vqs {name}, {dump.name}", asked, arguments, aim)
    if asked.only:
        return
    yield _command_line(
        "vqs simulate scenarios/first-look.yaml", asked, ("simulate", "scenarios/first-look.yaml"), 0.25
    )
    path = str(DUMPS["1,000 x 10,000"].write(folder))
    change = ("--on", path, "--set", "queue/q01.spec.weight=9", "--format", "json", "--output", os.devnull)
    yield _command_line(DIFF, asked, ("diff-configs", *change), None)
    runs, other = _in_turns(asked, ("remedies", str(REMEDIES.write(folder)), JOB_WITHOUT_PLACE))
    yield Line(TRIAL, runs, 0.01, None, other)
    for what, (until, aim) in FIXES.items():
        runs, other = _in_turns(asked, ("fixes", path, JOB_OF_A_FULL_QUEUE, until))
        yield Line(what, runs, aim, None, other)
    yield from sweeps(asked, folder)
    yield from replays(asked, (1,))


def _asked_for(asked: argparse.Namespace, folder: Path) -> Iterator[Line]:
    """Return what is measured: all, or a kind of it."""
    if asked.replays:
        return replays(asked, SHORTER)
    return sweeps(asked, folder) if asked.sweeps else lines(asked, folder)


def sweeps(asked: argparse.Namespace, folder: Path) -> Iterator[Line]:
    """Yield what a sweep takes in one process, in two, and on Dask where that is installed."""
    for what, engine in SWEEPS.items():
        if "dask" in engine and find_spec("distributed") is None:
            continue
        runs, other = _in_turns(asked, ("sweep", str(SWEPT.write(folder)), *engine, str(VARIANTS)))
        yield Line(what, runs, None, None, other)


def replays(asked: argparse.Namespace, parts: Sequence[int]) -> Iterator[Line]:
    """Yield what replays of some parts of the workloads take."""
    for what, (name, number, seconds) in REPLAYS.items():
        for part in parts:
            runs, other = _in_turns(asked, ("replay", name, str(number // part)))
            yield Line(what.format(number // part), runs, seconds / part, None, other)


def events(found: Sequence[Line]) -> Iterator[list[str]]:
    """Yield the events a second of each replay, side by side with those of a bare queue."""
    for line in found:
        run = min(line.runs, key=lambda each: each.seconds)
        if run.events:
            each = f"{run.seconds / run.events * 1e6:.0f}"
            yield [
                line.what,
                f"{run.events:,}",
                each,
                f"{run.events / run.seconds:,.0f}",
                f"{run.events / run.limit:,.0f}",
            ]


def _line(what: str, dump: Dump, asked: argparse.Namespace, arguments: Sequence[str]) -> Line:
    runs, other = _in_turns(asked, arguments)
    return Line(what, runs, dump.aim, dump.real, other)


def _command_line(what: str, asked: argparse.Namespace, arguments: Sequence[str], aim: float | None) -> Line:
    runs, other = _in_turns(asked, ("command", *arguments))
    return Line(what, runs, aim, None, other)


def _in_turns(asked: argparse.Namespace, arguments: Sequence[str]) -> tuple[tuple[Measured, ...], ...]:
    pythons = [sys.executable, *([asked.against] if asked.against else [])]
    runs: list[list[Measured]] = [[] for _ in pythons]
    for _ in range(asked.runs):
        for python, found in zip(pythons, runs, strict=True):
            found.append(measured(python, *arguments))
    return tuple(runs[0]), tuple(runs[1]) if asked.against else ()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="measure the small clusters only")
    parser.add_argument("--only", action="append", choices=list(DUMPS), help="measure this cluster only")
    parser.add_argument("--replays", action="store_true", help="measure replays only, of growing workloads")
    parser.add_argument("--sweeps", action="store_true", help="measure sweeps only")
    parser.add_argument("--against", metavar="PYTHON", help="the Python of another environment")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    parser.add_argument("--dumps", type=Path, metavar="FOLDER", help="keep the clusters in this folder")
    return parser.parse_args()


def main() -> None:
    """Measure everything and print the table as it grows."""
    asked = _options()
    found = []
    with tempfile.TemporaryDirectory() as place:
        folder = asked.dumps or Path(place)
        folder.mkdir(exist_ok=True)
        sys.stdout.write(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}\n")
        for line in _asked_for(asked, folder):
            found.append(line)
            sys.stdout.write(f"| {' | '.join(line.cells())} |\n")
            sys.stdout.flush()
    following = [*figures(found)]
    if following:
        sys.stdout.write("\n| figure | value | aim |\n|---|---|---|\n")
        sys.stdout.writelines(f"| {each.what} | {each.value:.2f} | {each.aim} |\n" for each in following)
    counted = [*events(found)]
    if counted:
        sys.stdout.write(f"\n| {' | '.join(EVENTS)} |\n|{'---|' * len(EVENTS)}\n")
        sys.stdout.writelines(f"| {' | '.join(each)} |\n" for each in counted)
    if asked.json:
        written = {"lines": [*map(asdict, found)], "figures": [*map(asdict, following)]}
        asked.json.write_text(json.dumps(written, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
