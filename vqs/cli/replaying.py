"""Replaying a workload as the command line asks for: under which policies and seeds, and up to when."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

from vqs import __version__
from vqs.cli import environment, workloads
from vqs.cli.arguments.replay import Replay
from vqs.cli.edits import admitted, edited
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import Edits, Output
from vqs.cli.options import written_sample
from vqs.cli.progress import Progress
from vqs.cli.signals import told_if_interrupted
from vqs.explain.simulate import SimulateOptions
from vqs.journal import JournalError
from vqs.model.durations import write_seconds
from vqs.paths import STDIN, printable
from vqs.replay import timing
from vqs.replay.distribution import Fixed
from vqs.replay.engine import ReplayOptions
from vqs.replay.journal import Header, Journal, identity
from vqs.replay.outcome import Replay as Result
from vqs.replay.workload import Workload
from vqs.report.formats import OF_MANIFESTS, Format, format_of
from vqs.report.phrases import diagnostic_line

SMALL: Final = 1000
"""A workload of at most this many sessions is replayed several times where no seed is asked for."""

REPEATED: Final = 6
"""How often, after the run without a seed."""

AS_IT_IS: Final = "as it is"
"""What the policy of the snapshot without edits is called."""


class Run(NamedTuple):
    """One run that is asked for: a workload under a policy, and how it is replayed."""

    workload: Workload
    options: ReplayOptions


def check(arguments: Replay, paths: Sequence[str]) -> None:
    """Refuse options that contradict one another, before anything is read."""
    for one, other in (("seed", "seeds"), ("at", "until"), ("at", "checkpoint")):
        if getattr(arguments, one) is not None and getattr(arguments, other) is not None:
            names = [f"--{one}", f"--{other}"]
            raise CommandError(f"{names[0]} and {names[1]} are both given: keep one{environment.setting(names)}")
    if arguments.at is not None:
        format_of_moment(arguments.output)
    without_edits = arguments.at is None or not arguments.edits
    several = max(len(arguments.confs), 1) * (without_edits + len(arguments.edits)) * (arguments.seeds or 1)
    if several > 1 and arguments.at is not None:
        origin = environment.setting(["--at"])
        raise CommandError(f"--at writes one snapshot, and {several} replays are asked for{origin}")
    if several > 1 and arguments.checkpoint is not None:
        origin = environment.setting(["--checkpoint"])
        raise CommandError(f"--checkpoint saves one replay, and {several} are asked for{origin}")
    if len(arguments.confs) > 1 and STDIN in paths:
        raise CommandError("the workload is read for each --conf, and standard input only once: name a file")


def format_of_moment(chosen: Output) -> Format:
    """Return the format of the snapshot that `--at` writes: by the ending of its file, else JSON.

    Raises:
        CommandError: the file or the format that was asked for is for something else than a snapshot.
    """
    by_ending = None if chosen.target is None else format_of(chosen.target.name)
    if chosen.format not in (Format.TABLE, Format.JSON):
        by_ending = chosen.format
    if by_ending is None or by_ending in OF_MANIFESTS:
        return by_ending or Format.JSON
    origin = environment.setting(["--at"])
    raise CommandError(
        f"--at writes a snapshot, in JSON or YAML, and not as {by_ending}: "
        f"name a file such as moment.json or moment.yaml{origin}"
    )


def runs(arguments: Replay, paths: Sequence[str], progress: Progress) -> Iterator[Run]:
    """Yield the runs that are asked for, policy by policy.

    Raises:
        InputErrors: the input cannot be read, or an edit cannot be made.
    """
    seeds = [arguments.seed] if arguments.seeds is None else range(1, arguments.seeds + 1)
    policies = list(_policies(arguments, paths, progress))
    if not arguments.verbosity.quiet:
        say(*map(diagnostic_line, workloads.remarks(policies[0][1])))
    for policy, workload in policies:
        for seed in seeds:
            yield Run(workload, _options(arguments, policy, seed, _teller(progress)))


@contextmanager
def journalled(asked: Run, arguments: Replay) -> Iterator[ReplayOptions]:
    """Yield how to replay, with a journal where one is asked for.

    Raises:
        CommandError: the journal is that of another replay, or cannot be read or written.
    """
    if arguments.checkpoint is None:
        yield asked.options
        return
    options, path = asked.options, Path(arguments.checkpoint)
    sample = None if arguments.sample is None else written_sample(arguments.sample)
    settings = [options.period, options.start_delay, options.seed, options.session.seed, options.policy, sample]
    choice = arguments.release.choice
    header = Header(
        vqs=__version__,
        workload=identity(asked.workload),
        settings=str([*settings, choice, arguments.own]),
    )
    hint = f"the same command goes on from {printable(arguments.checkpoint)}"
    try:
        with told_if_interrupted(hint, quiet=arguments.verbosity.quiet), Journal(path, header) as journal:
            yield replace(options, journal=journal)
    except JournalError as error:
        raise CommandError(f"--checkpoint: {error}", arguments.checkpoint) from None


def may_repeat(arguments: Replay, result: Result) -> bool:
    """Tell whether a workload is small enough to find out what chance does to it, and nothing speaks against that."""
    fixed = arguments.seed is not None or arguments.seeds is not None or arguments.checkpoint is not None
    return not fixed and bool(result.jobs) and result.sessions <= SMALL


def seeded(options: ReplayOptions) -> Iterator[ReplayOptions]:
    """Yield how to replay a workload again under a few seeds, each as `--seed` would."""
    for seed in range(1, REPEATED + 1):
        yield replace(options, seed=seed, session=replace(options.session, seed=seed))


def _policies(arguments: Replay, paths: Sequence[str], progress: Progress) -> Iterator[tuple[str, Workload]]:
    """Yield the workload as it is under each policy, with the name of the policy."""
    for conf in arguments.confs or (None,):
        workload = workloads.read(paths, progress, conf, arguments.release.choice, arguments.reading)
        named = printable(conf) if conf is not None and len(arguments.confs) > 1 else ""
        if arguments.at is None or not arguments.edits:
            yield named or (AS_IT_IS if arguments.edits else ""), workload
        for path in arguments.edits:
            asked = Edits(edits_file=path)
            made = admitted(workload.start, edited(workload.start, asked), asked)
            policy = f"{named} with {printable(path)}" if named else printable(path)
            yield policy, replace(workload, start=made.manifests)


def _options(
    arguments: Replay, policy: str, seed: int | None, tell: Callable[[float, int, int], None]
) -> ReplayOptions:
    delay = timing.START_DELAY if arguments.start_delay is None else arguments.start_delay
    return ReplayOptions(
        period=arguments.period or timing.PERIOD,
        start_delay=Fixed(delay),
        seed=seed or 0,
        until=arguments.until if arguments.at is None else arguments.at,
        most_events=arguments.max_events,
        policy=policy,
        session=SimulateOptions(seed=seed, sample=arguments.sample),
        progress=tell,
    )


def _teller(progress: Progress) -> Callable[[float, int, int], None]:
    """Return what reports how far a replay is: the time in it, and how much time is left for the jobs to come.

    The time of the replay says little of that: the jobs of many recordings come in bursts.
    """
    last, begun = inf, 0.0

    def tell(now: float, done: int, total: int) -> None:
        nonlocal last, begun
        if now < last:  # another run begins
            begun = time.monotonic()
        last = now

        def stage() -> str:
            gone = time.monotonic() - begun
            left = f", {write_seconds(round(gone * (total - done) / done), most=2)} left" if 0 < done < total else ""
            return f"replayed {write_seconds(round(now), most=2)}{left}"

        progress(stage, min(done, total), max(total, 1))

    return tell
