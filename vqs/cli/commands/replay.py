"""`vqs replay`: a workload over time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from vqs import __version__
from vqs.cli import environment, inputs, output
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import RELEASE, WORKLOAD, Edits, Group, Output, output_group, verbosity, with_options
from vqs.cli.options import (
    SAMPLE,
    argument,
    at_least_one,
    file_name,
    longer_than_nothing,
    option,
    span,
    up_to_a_thousand,
    whole_number,
    written_sample,
)
from vqs.cli.process import told_if_interrupted
from vqs.cli.progress import Progress
from vqs.journal import JournalError
from vqs.model.durations import write_seconds
from vqs.model.node_sample import NodeSample
from vqs.paths import STDIN, printable
from vqs.releases.choice import ReleaseChoice
from vqs.replay.reading.options import ReadingOptions
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

_HELP = """
Run a workload over time: how long jobs wait, what evictions cost, how full the cluster is.

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


class Asked(NamedTuple):
    """How a workload is to be replayed, as the options say; None where they leave it open."""

    period: float | None
    start_delay: float | None
    until: float | None
    max_events: int | None
    confs: Sequence[str]
    edits: Sequence[str]
    seed: int | None
    seeds: int | None
    at: float | None
    checkpoint: str | None
    sample: NodeSample | None


class Run(NamedTuple):
    """One run that is asked for: a workload under a policy, and how it is replayed."""

    workload: Workload
    options: ReplayOptions


@command(
    "replay",
    _HELP,
    _EXAMPLES,
    argument("files", "[WORKLOAD [SNAPSHOT...]]...", many=True),
    Group(
        "asked",
        Asked,
        (
            option("--period", "TIME", "Time from session to session; 1 second by default.", longer_than_nothing),
            option("--start-delay", "TIME", "Time that a bound pod takes to start; 0.03 seconds by default.", span),
            option("--until", "TIME", "End the replay at this time.", longer_than_nothing),
            option(
                "--max-events", "N", "End the replay after N events; by default 50,000, and 1,000 a pod.", at_least_one
            ),
        ),
        more=Asked._fields[4:],
    ),
    WORKLOAD,
    option("--conf confs", "FILE", "Replay under this volcano-scheduler.conf.", file_name, multiple=True),
    option("--edits", "FILE", "Replay with the edits in this file, too.", file_name, multiple=True),
    option("--seed", "N", "Seed for durations and tie-breaking.", whole_number),
    option("--seeds", "N", "Replay under each of the seeds 1 to N.", up_to_a_thousand),
    option("--at", "TIME", "Write the cluster at this time as a snapshot.", span),
    option("--checkpoint", "FILE", "Save progress here, and go on from there.", file_name),
    SAMPLE,
    RELEASE,
    output_group(formats_of("Replay"), also={"at": (Format.YAML,)}),
    *verbosity(verbose="Show all queues and jobs."),
)
def run(*, files: Sequence[str], asked: Asked, reading: ReadingOptions, release: ReleaseChoice, out: Output) -> int:
    """Replay the workload and write what came of it."""
    from vqs.cli import plans
    from vqs.replay.engine import replay
    from vqs.replay.figures import summed_up
    from vqs.replay.typical import typical
    from vqs.report.phrases import diagnostic_line

    with output.refused_as("replay", out):
        output.check_format(out.format)
        paths = inputs.chosen(files, "replay")
        read = [*paths, *asked.confs, *asked.edits]
        output.check(out.target, read)
        if asked.checkpoint is not None:
            output.check(Path(asked.checkpoint), read)
            plans.refuse_same(Path(asked.checkpoint), out.target, "--checkpoint")
        _check(asked, paths, out)
        with Progress() as progress:
            policies = list(_policies(asked, paths, reading, release, progress))
            if not out.quiet:
                others = (plans.actions_left_out(workload.start) for _, workload in policies[1:])
                said = dict.fromkeys(chain(plans.remarks(policies[0][1]), *others))
                say(*map(diagnostic_line, said))
            seeds = [asked.seed] if asked.seeds is None else range(1, asked.seeds + 1)
            options = _options(asked, progress)
            runs = [
                Run(workload, replace(_seeded(options, seed), policy=policy))
                for policy, workload in policies
                for seed in seeds
            ]
            if asked.at is not None:
                return _write_moment(runs[0], asked.at, out)
            ran = []
            for each in runs:
                with _journalled(each, asked, release, quiet=out.quiet) as options:
                    ran.append(replay(each.workload, options))
            if len(ran) == 1 and _may_repeat(asked, ran[0]):
                # What a cluster does is partly chance: the result is the most typical of a run without a seed and a few
                # with one.
                more = (_seeded(runs[0].options, seed) for seed in range(1, REPEATED + 1))
                ran = [typical([*ran, *(replay(runs[0].workload, each) for each in more)])]
            results = [*map(summed_up, ran)]
    about = with_options(paths, _given(asked, reading), release)
    view = output.fitted(View(again=about), out)
    output.write(write_data(_as_one(results), out.format, view), out.target)
    return 0


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


def _write_moment(run: Run, time: float, out: Output) -> int:
    """Write the cluster as it is at some time."""
    from vqs.replay.engine import moment_at
    from vqs.report import as_manifests

    found = moment_at(run.workload, run.options, time)
    output.write(as_manifests.manifests(found.objects, _format_of_moment(out)), out.target)
    if found.stopped is not None:
        say(f"warning: {found.stopped.told()}; the cluster is as it was then")
    if not out.quiet:
        at, over = write_seconds(time), found.unchanged_since
        if over is not None and over < time:
            since = write_seconds(round(over, 2))
            say(f"note: the replay is over after {since}: the cluster after {at} is as it was then")
        if out.target is not None:
            say(f"the cluster after {at} is written to {out.target}")
    return 0


def _check(asked: Asked, paths: Sequence[str], out: Output) -> None:
    """Refuse options that contradict one another, before anything is read."""
    for one, other in (("seed", "seeds"), ("at", "until"), ("at", "checkpoint")):
        if getattr(asked, one) is not None and getattr(asked, other) is not None:
            names = [f"--{one}", f"--{other}"]
            raise CommandError(f"{names[0]} and {names[1]} are both given: keep one{environment.setting(names)}")
    if asked.at is not None:
        _format_of_moment(out)
    without_edits = asked.at is None or not asked.edits
    several = max(len(asked.confs), 1) * (without_edits + len(asked.edits)) * (asked.seeds or 1)
    if several > 1 and asked.at is not None:
        origin = environment.setting(["--at"])
        raise CommandError(f"--at writes one snapshot, and {several} replays are asked for{origin}")
    if several > 1 and asked.checkpoint is not None:
        origin = environment.setting(["--checkpoint"])
        raise CommandError(f"--checkpoint saves one replay, and {several} are asked for{origin}")
    if len(asked.confs) > 1 and STDIN in paths:
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


@contextmanager
def _journalled(run: Run, asked: Asked, release: ReleaseChoice, *, quiet: bool) -> Iterator[ReplayOptions]:
    """Yield how to replay, with a journal where one is asked for.

    Raises:
        CommandError: the journal is that of another replay, or cannot be read or written.
    """
    from vqs.replay.journal import Header, Journal, identity

    options = run.options
    if asked.checkpoint is None:
        yield options
        return
    sample = None if asked.sample is None else written_sample(asked.sample)
    settings = [options.period, options.start_delay, options.seed, options.session.seed, options.policy, sample]
    own = environment.PLUGINS.get()
    header = Header(vqs=__version__, workload=identity(run.workload), settings=str([*settings, release, own]))
    hint = f"the same command goes on from {printable(asked.checkpoint)}"
    try:
        with told_if_interrupted(hint, quiet=quiet), Journal(Path(asked.checkpoint), header) as journal:
            yield replace(options, journal=journal)
    except JournalError as error:
        raise CommandError(f"--checkpoint: {error}", asked.checkpoint) from None


def _may_repeat(asked: Asked, result: Result) -> bool:
    """True if a workload is small enough to find out what chance does to it, and nothing speaks against that."""
    fixed = asked.seed is not None or asked.seeds is not None or asked.checkpoint is not None
    return not fixed and bool(result.jobs) and result.sessions <= SMALL


def _seeded(options: ReplayOptions, seed: int | None) -> ReplayOptions:
    """How to replay a workload under a seed."""
    return replace(options, seed=seed or 0, session=replace(options.session, seed=seed))


def _policies(
    asked: Asked, paths: Sequence[str], reading: ReadingOptions, release: ReleaseChoice, progress: Progress
) -> Iterator[tuple[str, Workload]]:
    """Yield the workload as it is under each policy, with the name of the policy.

    Raises:
        InputErrors: the input cannot be read, or an edit cannot be made.
    """
    from vqs.replay.reading.read import read_workload

    for conf in asked.confs or (None,):
        workload = read_workload(
            paths,
            inputs.title(paths),
            partial(inputs.read, progress=progress, conf=conf, release=release),
            reading,
            inputs.stdin(),
        )
        named = printable(conf) if conf is not None and len(asked.confs) > 1 else ""
        if asked.at is None or not asked.edits:
            yield named or (AS_IT_IS if asked.edits else ""), workload
        for path in asked.edits:
            edits = Edits(edits_file=path)
            made = inputs.admitted(workload.start, inputs.edited(workload.start, edits), edits)
            policy = f"{named} with {printable(path)}" if named else printable(path)
            yield policy, replace(workload, start=made.manifests)


def _options(asked: Asked, progress: Progress) -> ReplayOptions:
    from vqs.explain.simulate import SimulateOptions
    from vqs.replay import timing
    from vqs.replay.distribution import Fixed
    from vqs.replay.engine import ReplayOptions

    delay = timing.START_DELAY if asked.start_delay is None else asked.start_delay
    return ReplayOptions(
        period=asked.period or timing.PERIOD,
        start_delay=Fixed(delay),
        until=asked.until if asked.at is None else asked.at,
        most_events=asked.max_events,
        session=SimulateOptions(sample=asked.sample),
        progress=_teller(progress),
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


def _given(asked: Asked, reading: ReadingOptions) -> Iterator[tuple[str, str | None]]:
    """Yield the options that a replay was asked for with."""
    times = {"--period": asked.period, "--start-delay": asked.start_delay}
    numbers = {
        "--max-events": asked.max_events,
        "--most-nodes": reading.most_nodes,
        "--processors-per-pod": reading.processors_per_pod,
        "--seed": asked.seed,
        "--seeds": asked.seeds,
    }
    yield "--workload-format", reading.format
    yield "--queue-by", reading.queue_of
    yield from (("--conf", path) for path in asked.confs)
    yield from (("--edits", path) for path in asked.edits)
    yield from ((name, None if value is None else str(value)) for name, value in numbers.items())
    yield from ((name, None if value is None else str(value).removesuffix(".0")) for name, value in times.items())
    yield "--node-sample", None if asked.sample is None else written_sample(asked.sample)
