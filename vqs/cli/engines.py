"""What runs the points of a plan, from what a command was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from vqs.cli import environment
from vqs.cli.failures import CommandError
from vqs.cli.groups import EngineFlags, EngineName
from vqs.cli.signals import told_if_interrupted
from vqs.processes import cores
from vqs.sweep.engines import Engine, EngineError
from vqs.sweep.engines.local import engine
from vqs.sweep.engines.task import Task
from vqs.sweep.evaluate import Evaluator

_TLS: Final = "tls://"


def check(flags: EngineFlags) -> None:
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
        _check_packages(flags)
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


def _check_packages(flags: EngineFlags) -> None:
    needed = ["distributed"] if flags.scheduler else ["distributed", "cryptography"]
    if missing := [each for each in needed if find_spec(each) is None]:
        _refuse(f"--engine dask needs {' and '.join(missing)}: pip install 'vqs[dask]'", "--engine")


def chosen(flags: EngineFlags, evaluator: Evaluator, task: Task, points: int) -> Engine:
    """Return what runs a number of points.

    Args:
        flags: what was asked for.
        evaluator: runs points in this process, and those that it forks.
        task: what other processes have to know.
        points: how many there are.
    """
    jobs = min(flags.jobs or cores(), points)
    if flags.engine is EngineName.LOCAL:
        return engine(evaluator, jobs, task.own)
    cluster = import_module("vqs.sweep.engines.dask")
    scheduler = flags.scheduler and cluster.Scheduler(flags.scheduler, flags.tls_ca, flags.tls_cert, flags.tls_key)
    made: Engine = import_module("vqs.sweep.engines.dask").DaskEngine(task, scheduler, jobs)
    return made


@contextmanager
def going_on(journal: Path | None, *, quiet: bool) -> Iterator[None]:
    """Say how to go on where the command is interrupted while points are run, or an engine fails."""
    hint = "no point is kept; with --journal FILE, the same command would go on where it was"
    if journal is not None:
        hint = f"finished points are in {journal}: the same command goes on from there"
    try:
        with told_if_interrupted(hint, quiet=quiet):
            yield
    except EngineError as error:
        raise CommandError(f"{error}\n{hint}") from error


def _refuse(message: str, option: str) -> None:
    raise CommandError(f"{message}{environment.setting([option])}")
