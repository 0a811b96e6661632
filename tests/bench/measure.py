"""Make one measurement, and print it as JSON: of the vqs of the environment that runs this.

usage: measure.py session DUMP NODES PLACEMENTS
       measure.py command ARGUMENT...
       measure.py remedies DUMP JOB
       measure.py fixes DUMP JOB first|last
       measure.py sweep DUMP ENGINE PROCESSES POINTS
       measure.py replay openb|day NUMBER
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

ROOT = Path(__file__).resolve().parents[2]
_TRIALS = 10


@dataclass(frozen=True)
class Measured:
    """One run: seconds, megabytes at the peak, the seconds of the bare work beside it, and how many events happened."""

    seconds: float
    megabytes: float
    limit: float = 0.0
    events: int = 0


def session(path: str, nodes: int, bound: int) -> Measured:
    """Simulate a dump and return the seconds of the session, and of the bare array work of as many placements."""
    from vqs.explain.simulate import SimulateOptions, simulate  # noqa: PLC0415 - its import is not measured here
    from vqs.snapshot.reading.reader import read_manifests  # noqa: PLC0415

    simulation = simulate(read_manifests([path]), SimulateOptions(timing=True))
    assert simulation.timing is not None
    return Measured(simulation.timing.session, _peak(resource.RUSAGE_SELF), array_work(nodes, bound))


def array_work(nodes: int, placements: int) -> float:
    """Return the seconds of placements by a masked argmax over nodes and a row update each."""
    if not placements:
        return 0.0
    import numpy as np  # noqa: PLC0415 - only the processes that measure need it

    rng = np.random.default_rng(1)
    idle, scores, request = rng.uniform(50, 100, (nodes, 3)), rng.uniform(0, 100, nodes), np.full(3, 0.01)
    started = time.perf_counter()
    for _ in range(placements):
        chosen = int(np.argmax(scores))
        idle[chosen] -= request
        scores[chosen] = idle[chosen, 0] if idle[chosen].min() > 0 else -1.0
    return time.perf_counter() - started


def command(arguments: Sequence[str]) -> Measured:
    """Run a whole command and return its seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    started = time.perf_counter()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    # -P: the vqs of the environment, and not that of the checkout that the command runs in.
    subprocess.run(  # noqa: S603 - this environment's vqs
        [sys.executable, "-P", "-m", "vqs", *arguments],
        check=False,
        stdout=subprocess.DEVNULL,
        cwd=ROOT,
        env=environment,
    )
    seconds = time.perf_counter() - started
    return Measured(seconds, max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024)


def remedies(path: str, job: str) -> Measured:
    """Return the seconds of one session of the search for remedies, on average."""
    from vqs.explain.jobs.trials import Trials  # noqa: PLC0415 - its import is not measured here
    from vqs.explain.simulate import SimulateOptions  # noqa: PLC0415
    from vqs.snapshot.reading.reader import read_manifests  # noqa: PLC0415
    from vqs.snapshot.whatif.edits import parse_edits  # noqa: PLC0415

    manifests = read_manifests([path])
    trials = Trials(manifests, SimulateOptions(), job, most=_TRIALS)
    trials.open()
    started = time.perf_counter()
    for number in range(_TRIALS):
        edits, _ = parse_edits([f"queue/q01.spec.weight={number + 11}"], manifests)
        trials.run(edits)
    return Measured((time.perf_counter() - started) / _TRIALS, _peak(resource.RUSAGE_SELF))


def fixes(path: str, job: str, until: str) -> Measured:
    """Return the seconds until the first fix of a job is there, or all that the default search finds, on all cores."""
    started = time.perf_counter()
    from vqs.diff.findings import added_warnings  # noqa: PLC0415 - its import is measured here
    from vqs.explain.jobs.report import explain_job  # noqa: PLC0415
    from vqs.explain.simulate import SimulateOptions  # noqa: PLC0415
    from vqs.snapshot.reading.reader import read_manifests  # noqa: PLC0415

    there: list[float] = []

    def hear(stage: str, *_: int) -> None:
        if stage.endswith("found so far)"):
            there.append(time.perf_counter() - started)

    options = SimulateOptions(progress=hear)
    explain_job(read_manifests([path]), options, job, sessions=None, seconds=10, judge=added_warnings)
    there.append(time.perf_counter() - started)
    return Measured(there[0 if until == "first" else -1], _peak(resource.RUSAGE_SELF))


def sweep(path: str, name: str, jobs: int, points: int) -> Measured:
    """Return the seconds that points take in some processes of an engine, once these are there with the snapshot."""
    from vqs.cli.groups import EngineFlags, EngineName  # noqa: PLC0415
    from vqs.cli.plans import engine_of  # noqa: PLC0415 - its import is not measured here
    from vqs.explain.simulate import SimulateOptions  # noqa: PLC0415
    from vqs.sweep.evaluate import Evaluator, Task  # noqa: PLC0415
    from vqs.sweep.mistakes import check_names  # noqa: PLC0415
    from vqs.sweep.read import read_plan  # noqa: PLC0415
    from vqs.sweep.space import Space  # noqa: PLC0415

    plan = {
        "apiVersion": "vqs/v1",
        "kind": "Sweep",
        "parameters": {
            "one": {"edit": "queue/q01.spec.weight={}", "from": 1, "to": 1000, "integer": True},
            "other": {"edit": "queue/q02.spec.weight={}", "from": 1, "to": 1000, "integer": True},
        },
        "choose": {"method": "latin-hypercube", "points": points},
        "figures": ["placed", "evictions", "spread", "utilisation.cpu", "queue:q01.placed", "queue:q02.share"],
    }
    with NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(plan, file)
        file.flush()
        read = read_plan(file.name, on=[path])
    options, space = SimulateOptions(), Space(read)
    evaluator = Evaluator(read, options)
    check_names(read, evaluator)
    flags = EngineFlags(engine=EngineName(name), jobs=jobs)
    with engine_of(flags, evaluator, Task.of(read, options), points) as engine:
        started = time.perf_counter()
        rows = [*engine.rows(space)]
        seconds = time.perf_counter() - started
    assert (len(rows), [row.error for row in rows if row.error]) == (points, [])
    return Measured(seconds, max(map(_peak, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))))


def replay(name: str, number: int) -> Measured:
    """Replay a number of pods or jobs; return the seconds of CPU, beside those of the bare queue of as many events."""
    sys.path.insert(0, str(ROOT))
    from tests.bench import replays  # noqa: PLC0415 - its import is not measured here
    from vqs.replay.engine import ReplayOptions  # noqa: PLC0415
    from vqs.replay.engine import replay as run  # noqa: PLC0415

    workload = replays.openb(number) if name == "openb" else replays.day(number)
    started = time.process_time()
    result = run(workload, ReplayOptions())
    seconds = time.process_time() - started
    events = result.events + result.sessions
    return Measured(seconds, _peak(resource.RUSAGE_SELF), replays.bare_events(events), events)


def _peak(who: int) -> float:
    return resource.getrusage(who).ru_maxrss / 1024


def main(what: str, *arguments: str) -> None:
    """Make one measurement, and print it."""
    if what == "session":
        path, nodes, bound = arguments
        found = session(path, int(nodes), int(bound))
    elif what == "replay":
        name, number = arguments
        found = replay(name, int(number))
    elif what == "remedies":
        found = remedies(*arguments)
    elif what == "fixes":
        found = fixes(*arguments)
    elif what == "sweep":
        path, name, jobs, points = arguments
        found = sweep(path, name, int(jobs), int(points))
    else:
        found = command(arguments)
    sys.stdout.write(json.dumps(asdict(found)))


if __name__ == "__main__":
    main(*sys.argv[1:])
