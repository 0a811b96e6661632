"""`vqs replay`: a workload over time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from vqs import __version__
from vqs.cli import environment, inputs, output, workloads
from vqs.cli.again import with_options
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import Edits, Output, ReadingLimits, ReleaseFlags, Verbosity, WorkloadFlags
from vqs.cli.options import (
    Debug,
    Own,
    Sample,
    at_least_one,
    file_name,
    longer_than_nothing,
    option,
    span,
    up_to_a_thousand,
    whole_number,
    written_sample,
)
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.signals import told_if_interrupted
from vqs.journal import JournalError
from vqs.model.durations import write_seconds
from vqs.paths import STDIN, printable
from vqs.report.again import Again
from vqs.report.formats import OF_MANIFESTS, Format, View, format_of
from vqs.report.registry import formats_of, write_data

if TYPE_CHECKING:
    from vqs.replay.engine import ReplayOptions
    from vqs.replay.outcome import Replay as Result
    from vqs.replay.outcome import Replays
    from vqs.replay.workload import Workload

SMALL: Final = 1000
"""A workload of at most this many sessions is replayed several times where no seed is asked for."""

REPEATED: Final = 6
"""How often, after the run without a seed."""

AS_IT_IS: Final = "as it is"
"""What the policy of the snapshot without edits is called."""

_EXAMPLES = """
\b
Examples:
  vqs replay workload.yaml
  vqs replay workload.yaml cluster.json --until 7d
  vqs replay openb_pod_list_default.csv openb_node_list_all_node.csv --most-nodes 24
  vqs replay KTH-SP2.swf.gz scheduler.yaml
  vqs replay workload.yaml --conf today.conf --conf proposed.conf --seeds 5
  vqs replay workload.yaml --edits more-nodes.yaml --format json --output replay.json
  vqs replay workload.yaml --at 3h12m --output moment.json
  vqs replay workload.yaml --checkpoint replay.journal --output replay.json

Each option can be set in the environment: --period by VQS_PERIOD, and so on.

Exit status: 0 the workload was replayed, to its end or to a limit; 2 the input or the command line is wrong;
130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class Replay:
    """Run a workload over time: how long jobs wait, what evictions cost, how full the cluster is.

    WORKLOAD is a scenario whose jobs have an arrival and a duration, a log in the Standard Workload Format, the tables
    of the openb trace, or metrics of kube-state-metrics; or dumps of a cluster with --workload-format dumps. What else
    it and the snapshots have is there at the start. Controllers make PodGroups and pods, a session runs each --period
    in which something has changed, bound pods start after --start-delay, run and end; evicted pods come back as the
    policies of their jobs say.

    Times and spans are in seconds, or have units: 90, 10m, 3h12m, 7d.

    --conf and --edits can be repeated. Each file of --conf is a policy; so is the snapshot as it is, and with the
    edits of each file of --edits. Several policies are replayed one after another with the same arrivals and durations.

    --seed draws durations that are distributions, and what the scheduler leaves to chance. --seeds N replays each
    policy under the seeds 1 to N. The same seed gives the same result. Without either, the lowest name wins among
    equally good nodes; a workload of up to 1,000 sessions is replayed under six seeds as well, and the result is that
    of the most typical run, with how far the figures of all runs are apart. --seed 0 replays it once.

    --at writes the cluster at a time as a snapshot, for vqs simulate and vqs explain-job; with --edits, as it is after
    these.

    A replay that would go on without end, as jobs restart again and again, ends after --max-events; the first lines of
    the result say so, and which job it was.

    --checkpoint saves what sessions decide in a file. A replay that was stopped or killed goes on from there when it is
    run again with the same input, and its result is the same as without the stop.
    """

    files: Annotated[tuple[str, ...], typer.Argument(metavar="WORKLOAD [SNAPSHOT...]", hidden=True)] = ()
    period: Annotated[
        float | None,
        option("--period", "TIME", "Time from session to session; 1 second by default.", longer_than_nothing),
    ] = None
    start_delay: Annotated[
        float | None,
        option("--start-delay", "TIME", "Time that a bound pod takes to start; 0.03 seconds by default.", span),
    ] = None
    until: Annotated[float | None, option("--until", "TIME", "End the replay at this time.", longer_than_nothing)] = (
        None
    )
    max_events: Annotated[
        int | None,
        option("--max-events", "N", "End the replay after N events; by default 50,000, and 1,000 a pod.", at_least_one),
    ] = None
    reading: WorkloadFlags
    confs: Annotated[
        tuple[str, ...], option("--conf", "FILE", "Replay under this volcano-scheduler.conf.", file_name)
    ] = ()
    edits: Annotated[
        tuple[str, ...], option("--edits", "FILE", "Replay with the edits in this file, too.", file_name)
    ] = ()
    seed: Annotated[int | None, option("--seed", "N", "Seed for durations and tie-breaking.", whole_number)] = None
    seeds: Annotated[int | None, option("--seeds", "N", "Replay under each of the seeds 1 to N.", up_to_a_thousand)] = (
        None
    )
    at: Annotated[float | None, option("--at", "TIME", "Write the cluster at this time as a snapshot.", span)] = None
    checkpoint: Annotated[
        str | None, option("--checkpoint", "FILE", "Save progress here, and go on from there.", file_name)
    ] = None
    sample: Sample = None
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("Replay"))]
    verbosity: Annotated[Verbosity, texts(verbose="Show all queues and jobs.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


class Run(NamedTuple):
    """One run that is asked for: a workload under a policy, and how it is replayed."""

    workload: Workload
    options: ReplayOptions


def run(arguments: Replay) -> int:
    """Replay the workload and write what came of it."""
    from vqs.cli import plans
    from vqs.replay.figures import summed_up

    with refused_as("replay", arguments.output):
        output.check_format(arguments.output.format)
        paths = inputs.chosen(arguments.files, "replay")
        read = [*paths, *arguments.confs, *arguments.edits]
        output.check(arguments.output.target, read)
        if arguments.checkpoint is not None:
            output.check(Path(arguments.checkpoint), read)
            plans.refuse_same(Path(arguments.checkpoint), arguments.output.target, "--checkpoint")
        _check(arguments, paths)
        with Progress(quiet=arguments.verbosity.quiet) as progress:
            asked = list(_runs(arguments, paths, progress))
            if arguments.at is not None:
                return _write_moment(arguments, asked[0], arguments.at)
            ran = [_replayed(each, arguments) for each in asked]
            if len(ran) == 1 and _may_repeat(arguments, ran[0]):
                ran = [_typical(asked[0], ran[0])]
            results = [*map(summed_up, ran)]
    view = output.fitted(View(again=_again(paths, arguments)), arguments.output, arguments.verbosity)
    output.write(write_data(_as_one(results), arguments.output.format, view), arguments.output.target)
    return 0


COMMAND: Final = command("replay", Replay, run, _EXAMPLES, also={"at": (Format.YAML,)})


def _replayed(asked: Run, arguments: Replay) -> Result:
    from vqs.replay.engine import replay

    with _journalled(asked, arguments) as options:
        return replay(asked.workload, options)


def _typical(asked: Run, first: Result) -> Result:
    """Return the most typical of a run without a seed and a few with one: what a cluster does is partly chance."""
    from vqs.replay.engine import replay
    from vqs.replay.typical import typical

    others = [replay(asked.workload, each) for each in _seeded(asked.options)]
    return typical([first, *others])


def _as_one(results: list[Result]) -> Result | Replays:
    """Return the result of one run as it is, and those of several together."""
    from vqs.replay.compare import compared
    from vqs.replay.outcome import Replays

    if len(results) == 1:
        return results[0]
    return compared(
        Replays(
            workload=results[0].workload,
            policies=list(dict.fromkeys(each.policy for each in results)),
            seeds=list(dict.fromkeys(each.seed for each in results)),
            runs=results,
        )
    )


def _write_moment(arguments: Replay, asked: Run, time: float) -> int:
    """Write the cluster as it is at some time."""
    from vqs.replay.engine import moment_at
    from vqs.report import as_manifests

    target = arguments.output.target
    found = moment_at(asked.workload, asked.options, time)
    output.write(as_manifests.manifests(found.objects, _format_of_moment(arguments.output)), target)
    if found.stopped is not None:
        say(f"warning: {found.stopped.told()}; the cluster is as it was then")
    if not arguments.verbosity.quiet:
        at, over = write_seconds(time), found.unchanged_since
        if over is not None and over < time:
            since = write_seconds(round(over, 2))
            say(f"note: the replay is over after {since}: the cluster after {at} is as it was then")
        if target is not None:
            say(f"the cluster after {at} is written to {target}")
    return 0


def _check(arguments: Replay, paths: Sequence[str]) -> None:
    """Refuse options that contradict one another, before anything is read."""
    for one, other in (("seed", "seeds"), ("at", "until"), ("at", "checkpoint")):
        if getattr(arguments, one) is not None and getattr(arguments, other) is not None:
            names = [f"--{one}", f"--{other}"]
            raise CommandError(f"{names[0]} and {names[1]} are both given: keep one{environment.setting(names)}")
    if arguments.at is not None:
        _format_of_moment(arguments.output)
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


def _format_of_moment(chosen: Output) -> Format:
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


def _runs(arguments: Replay, paths: Sequence[str], progress: Progress) -> Iterator[Run]:
    """Yield the runs that are asked for, policy by policy.

    Raises:
        InputErrors: the input cannot be read, or an edit cannot be made.
    """
    from vqs.report.phrases import diagnostic_line

    seeds = [arguments.seed] if arguments.seeds is None else range(1, arguments.seeds + 1)
    policies = list(_policies(arguments, paths, progress))
    if not arguments.verbosity.quiet:
        say(*map(diagnostic_line, workloads.remarks(policies[0][1])))
    for policy, workload in policies:
        for seed in seeds:
            yield Run(workload, _options(arguments, policy, seed, _teller(progress)))


@contextmanager
def _journalled(asked: Run, arguments: Replay) -> Iterator[ReplayOptions]:
    """Yield how to replay, with a journal where one is asked for.

    Raises:
        CommandError: the journal is that of another replay, or cannot be read or written.
    """
    from vqs.replay.journal import Header, Journal, identity

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


def _may_repeat(arguments: Replay, result: Result) -> bool:
    """Tell whether a workload is small enough to find out what chance does to it, and nothing speaks against that."""
    fixed = arguments.seed is not None or arguments.seeds is not None or arguments.checkpoint is not None
    return not fixed and bool(result.jobs) and result.sessions <= SMALL


def _seeded(options: ReplayOptions) -> Iterator[ReplayOptions]:
    """Yield how to replay a workload again under a few seeds, each as `--seed` would."""
    for seed in range(1, REPEATED + 1):
        yield replace(options, seed=seed, session=replace(options.session, seed=seed))


def _policies(arguments: Replay, paths: Sequence[str], progress: Progress) -> Iterator[tuple[str, Workload]]:
    """Yield the workload as it is under each policy, with the name of the policy."""
    from vqs.cli.edits import admitted, edited

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
    from vqs.explain.simulate import SimulateOptions
    from vqs.replay import timing
    from vqs.replay.distribution import Fixed
    from vqs.replay.engine import ReplayOptions

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


def _again(files: Sequence[str], arguments: Replay) -> Again:
    """What a replay was about."""
    times = {"--period": arguments.period, "--start-delay": arguments.start_delay}
    numbers = {
        "--max-events": arguments.max_events,
        "--most-nodes": arguments.reading.most_nodes,
        "--processors-per-pod": arguments.reading.processors_per_pod,
        "--seed": arguments.seed,
        "--seeds": arguments.seeds,
    }
    options = [
        ("--workload-format", arguments.reading.workload_format),
        ("--queue-by", arguments.reading.queue_by),
        *(("--conf", path) for path in arguments.confs),
        *(("--edits", path) for path in arguments.edits),
        *((name, None if value is None else str(value)) for name, value in numbers.items()),
        *((name, None if value is None else str(value).removesuffix(".0")) for name, value in times.items()),
        ("--node-sample", None if arguments.sample is None else written_sample(arguments.sample)),
    ]
    return with_options(files, options, arguments.release.choice, arguments.own)
