"""What commands that run plans do alike: what the command line adds to a plan, engines, and journals of points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Final

import msgspec

from vqs import __version__
from vqs.cli import inputs, output, process
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import EngineFlags, EngineName, SessionFlags
from vqs.cli.process import told_if_interrupted
from vqs.journal import JournalError
from vqs.model.codes import ACTION_LEFT_OUT
from vqs.processes import cores
from vqs.releases.profile import ReleaseChoice
from vqs.replay.reading.dumps import NO_DURATION
from vqs.replay.reading.faults import LEFT_OUT
from vqs.replay.reading.scenario import UNUSED_DELAY, UNUSED_PRICE
from vqs.replay.when.durations import UNUSED_DURATION
from vqs.replay.workload import Workload
from vqs.report.phrases import diagnostic_line
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.manifests import Manifests
from vqs.sweep.engines import Engine, EngineError, engine
from vqs.sweep.evaluate import Evaluator, Task
from vqs.sweep.journal import Header, Journal, identity
from vqs.sweep.mistakes import check_edits, check_names
from vqs.sweep.plan import Plan

_CONDITIONS: Final = "failOn"
"""The key of a plan that decides no row: conditions are looked at again for the rows of a journal."""
_TLS: Final = "tls://"
_TOLD: Final = (LEFT_OUT, NO_DURATION, UNUSED_DELAY, UNUSED_DURATION, UNUSED_PRICE)


# --- what the command line says ---------------------------------------------------------------------------------------


def check(files: Sequence[str | None], flags: EngineFlags, journal: Path | None, target: Path | None) -> None:
    """Refuse what contradicts itself before the plan, or anything else in the files, is read."""
    check_engine(flags)
    read = [*files, *flags.files]
    output.check(target, read)
    output.check(journal, read)
    refuse_same(journal, target)


def refuse_same(journal: Path | None, target: Path | None, option: str = "--journal") -> None:
    """Refuse one file for the journal, which an option names, and the result."""
    if journal is not None and journal == target:
        raise CommandError(f"{option} and --output both name {journal}")


def for_session(plan: Plan, path: str, session: SessionFlags, release: ReleaseChoice) -> Plan:
    """Return a plan with what the command line says of its sessions.

    Raises:
        CommandError: the plan says it, too.
        InputErrors: the usage of nodes cannot be read.
    """
    given = {
        "--seed": (session.seed is not None and bool(plan.value.get("seeds")), "seeds"),
        "--volcano": (release.build is not None and plan.releases != (None,), "releases"),
    }
    for name, (is_twice, key) in given.items():
        if is_twice:
            raise CommandError(f"{name}: the plan has {key} of its own{process.setting([name])}", path)
    if plan.replaying is not None:
        # A replay has a time of its own, and takes its snapshot as it is.
        replayed = {
            "--now": session.now is not None,
            "--usage": session.usage is not None,
            "--scheduler-sharding-mode": session.sharding_mode is not None,
            "--scheduler-sharding-name": session.sharding_name is not None,
            "--csi-storage": session.csi_storage,
            "--scheduler-flag": bool(session.scheduler_flags),
            "--allow-extender": session.allow_extender,
        }
        for name, is_given in replayed.items():
            if is_given:
                origin = process.setting([name])
                raise CommandError(f"{name}: the plan has figures of a replay, which does not take it{origin}", path)
    bases = tuple(replace(each, manifests=inputs.for_session(each.manifests, session)) for each in plan.bases)
    return replace(plan, bases=bases, seeds=plan.seeds if session.seed is None else (session.seed,))


def remarks(workload: Workload) -> list[Diagnostic]:
    """Return what has to be said of how a workload was read: warnings, what was left out, what is guessed or unused."""
    told = [each for each in workload.start.notes if each.severity == "warning" or each.code in _TOLD]
    return [*told, *actions_left_out(workload.start)]


def actions_left_out(manifests: Manifests) -> list[Diagnostic]:
    """Return the warnings of actions without which sessions are run, as their results do not have them."""
    configuration = manifests.configuration
    found = configuration.of_sessions if configuration is not None else ()
    return [each for each in found if each.code == ACTION_LEFT_OUT]


def say_remarks(plan: Plan) -> None:
    """Say what has to be said of how the workloads of a plan were read, as `vqs replay` does."""
    read = (
        actions_left_out(each.manifests) if each.workload is None else remarks(each.workload) for each in plan.bases
    )
    say(*map(diagnostic_line, chain(*read)))


# --- running points ---------------------------------------------------------------------------------------------------


def evaluator_of(plan: Plan, session: SessionFlags) -> Evaluator:
    """Return what runs the points of a plan, whose edits can be made, and whose names are known.

    Raises:
        InputErrors: some cannot, or are not.
    """
    evaluator = Evaluator(plan, inputs.session_options(replace(session, seed=None), progress=None))
    check_edits(plan, evaluator)
    check_names(plan, evaluator)
    return evaluator


@contextmanager
def running(
    evaluator: Evaluator,
    flags: EngineFlags,
    most: int,
    *,
    settings: tuple[SessionFlags, ReleaseChoice],
    journal: Path | None,
    quiet: bool,
    kind: str = "sweep",
    points: int | None = None,
) -> Iterator[tuple[Engine, Journal | None]]:
    """Yield the engine, and the journal if there is to be one; say how to go on where points are interrupted.

    Args:
        evaluator: runs points in this process, and those that it forks.
        flags: which engine.
        most: how many points the engine runs at most.
        settings: how sessions are run, and by which release.
        journal: the file of the journal.
        quiet: whether nothing is said on stderr.
        kind: what runs the points.
        points: how many points there are, if those are more.

    Raises:
        CommandError: the journal is that of another run or cannot be used, or the engine fails.
    """
    plan, own = evaluator.plan, process.PLUGINS.get()
    made = engine_of(flags, evaluator, Task.of(plan, evaluator.options, own), most)
    session, release = settings
    decisive = (replace(session, usage=session.usage and inputs.text(session.usage)), release, own, kind)
    value = {key: value for key, value in plan.value.items() if key != _CONDITIONS}
    header = Header(
        vqs=__version__,
        plan=_digest(msgspec.json.encode(value)),
        inputs=plan.inputs,
        settings=_digest(repr(decisive).encode()),
        points=most if points is None else points,
    )
    hint = "no point is kept; with --journal FILE, the same command would go on where it was"
    if journal is not None:
        hint = f"finished points are in {journal}: the same command goes on from there"
    try:
        with told_if_interrupted(hint, quiet=quiet):
            if journal is None:
                yield made, None
            else:
                with Journal(journal, header, identity(plan)) as kept:
                    yield made, kept
    except JournalError as error:
        raise CommandError(f"--journal: {error}", str(journal)) from None
    except EngineError as error:
        raise CommandError(f"{error}\n{hint}") from error


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def check_engine(flags: EngineFlags) -> None:
    """Refuse options that contradict one another, and an engine whose packages are not installed."""
    values = {
        "--scheduler": flags.scheduler,
        "--tls-ca": flags.tls_ca,
        "--tls-cert": flags.tls_cert,
        "--tls-key": flags.tls_key,
    }
    given = [name for name, value in values.items() if value is not None]
    if flags.engine is EngineName.DASK:
        _check_cluster(flags, given)
        needed = ["distributed"] if flags.scheduler else ["distributed", "cryptography"]
        if missing := [each for each in needed if find_spec(each) is None]:
            _refuse(f"--engine dask needs {' and '.join(missing)}: pip install 'vqs[dask]'", "--engine")
    elif given:
        _refuse(f"{given[0]} is for a cluster of Dask: add --engine dask", given[0])


def _check_cluster(flags: EngineFlags, given: Sequence[str]) -> None:
    """Refuse options about a cluster, of which some are given, that do not fit how it is reached."""
    if flags.scheduler is None:
        if given:
            _refuse(f"{given[0]} is for the scheduler of a cluster: name it with --scheduler tls://HOST:PORT", given[0])
    elif flags.jobs is not None:
        _refuse("--jobs is for processes of this machine, and --scheduler names a cluster: give one of them", "--jobs")
    elif not flags.scheduler.startswith(_TLS):
        if given[1:]:
            _refuse(f"{given[1]} is for a scheduler that is reached by {_TLS}", given[1])
    elif missing := [name for name in ("--tls-ca", "--tls-cert") if name not in given]:
        _refuse(f"--scheduler {flags.scheduler} needs {' and '.join(missing)}, too", "--scheduler")
    for file in flags.files:
        if not Path(file).is_file():
            raise CommandError(f"there is no file {file}", file)


def engine_of(flags: EngineFlags, evaluator: Evaluator, task: Task, points: int) -> Engine:
    """Return what runs a number of points."""
    jobs = min(flags.jobs or cores(), points)
    if flags.engine is EngineName.LOCAL:
        return engine(evaluator, jobs, task.own)
    cluster = import_module("vqs.sweep.engines.dask")
    scheduler = flags.scheduler and cluster.Scheduler(flags.scheduler, flags.tls_ca, flags.tls_cert, flags.tls_key)
    made: Engine = cluster.DaskEngine(task, scheduler, jobs)
    return made


def _refuse(message: str, option: str) -> None:
    raise CommandError(f"{message}{process.setting([option])}")
