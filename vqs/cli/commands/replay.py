"""`vqs replay`: a workload over time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from vqs import __version__
from vqs.cli import inputs, output, process
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import RELEASE, WORKLOAD, Edits, Group, Output, output_group, verbosity, with_options
from vqs.cli.options import (
    SAMPLE,
    a_seed,
    argument,
    at_least_one,
    file_name,
    longer_than_nothing,
    option,
    part,
    span,
    up_to_a_thousand,
    written_part,
    written_sample,
)
from vqs.cli.output import Progress
from vqs.cli.process import told_if_interrupted
from vqs.journal import JournalError
from vqs.model.durations import write_seconds
from vqs.model.scheduler_flags import NodeSample
from vqs.model.wording import count
from vqs.paths import STDIN, printable
from vqs.releases.profile import ReleaseChoice
from vqs.replay.reading.options import ReadingOptions
from vqs.report.formats import OF_MANIFESTS, Format, View, format_of
from vqs.report.registry import formats_of, write_data

if TYPE_CHECKING:
    from vqs.replay.engine import ReplayOptions
    from vqs.replay.outcome import Replay as Result
    from vqs.replay.outcome import Replays
    from vqs.replay.runs import Run
    from vqs.replay.workload import Workload

AS_IT_IS: Final = "as it is"
"""What the policy of the snapshot without edits is called."""

_HELP = """
Run a workload over time: how long jobs wait, what evictions cost, how full the cluster is.

WORKLOAD is a scenario whose jobs have an arrival and a duration, a log in the Standard Workload Format, the tables
of the openb trace, or metrics of kube-state-metrics; or dumps of a cluster with --workload-format dumps. What else
it and the snapshots have is there at the start. Controllers make PodGroups and pods, a session runs each --period
in which something has changed, bound pods start after --start-delay, run and end; evicted pods come back as the
policies of their jobs say.

How long pods run that have no such duration, such as those of Jobs in manifests, is said by the file of --durations:
a YAML mapping from patterns of jobs, namespace/name, to durations, as for vqs when; it goes before all else.

Times and spans are in seconds, or have units: 90, 10m, 3h12m, 7d.

--conf and --edits can be repeated. Each file of --conf is a policy; so is the snapshot as it is, and with the
edits of each file of --edits. Several policies are replayed with the same arrivals and durations.

Much in a cluster is chance, so a workload is replayed under five seeds, on all cores: figures are means over these
runs with their 95% confidence intervals (±), and single jobs are those of the most typical run. Policies are
replayed under the same seeds, and compared seed by seed. --runs N makes N runs; --precision 10% makes as many, up to
100, as it takes for the mean wait and completion to be that sure. --runs 1 replays once: the lowest name wins among
equally good nodes. --seed N replays once under that seed, or with --runs under it and those that follow; --seeds N
does so under the seeds 1 to N, and all of these runs are in the result. The same seeds give the same result.

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
  vqs replay workload.yaml --conf today.conf --conf proposed.conf
  vqs replay jobs.yaml cluster.json --durations durations.yaml
  vqs replay workload.yaml --precision 5%
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
    durations: str | None
    confs: Sequence[str]
    edits: Sequence[str]
    seed: int | None
    seeds: int | None
    at: float | None
    checkpoint: str | None
    sample: NodeSample | None
    runs: int | None
    precision: float | None
    jobs: int | None

    @property
    def drawn(self) -> Sequence[int | None]:
        """The seeds under which each policy is replayed; None is no seed, where there is one run."""
        if self.seeds is not None:
            return range(1, self.seeds + 1)
        from vqs.replay.repeated import RUNS

        is_one = self.precision is None and any(each is not None for each in (self.seed, self.at, self.checkpoint))
        runs = self.runs or (1 if is_one else RUNS)
        if runs == 1 and self.precision is None:
            return [self.seed]
        first = 1 if self.seed is None else self.seed
        return range(first, first + runs)


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
            option("--start-delay", "TIME", "Time that a bound pod takes to start; measured times by default.", span),
            option("--until", "TIME", "End the replay at this time.", longer_than_nothing),
            option(
                "--max-events", "N", "End the replay after N events; by default 50,000, and 1,000 a pod.", at_least_one
            ),
            option("--durations", "FILE", "How long pods run, by patterns of jobs.", file_name),
        ),
        more=Asked._fields[5:],
    ),
    WORKLOAD,
    option("--conf confs", "FILE", "Replay under this volcano-scheduler.conf.", file_name, multiple=True),
    option("--edits", "FILE", "Replay with the edits in this file, too.", file_name, multiple=True),
    option("--seed", "N", "Seed for durations and tie-breaking.", a_seed),
    option("--seeds", "N", "Replay under each of the seeds 1 to N.", up_to_a_thousand),
    option("--runs", "N", "Replay under N seeds; 5 by default.", up_to_a_thousand),
    option("--precision", "PART", "Replay until means are this sure, such as 10%.", part),
    option("--jobs", "N", "Processes to run; by default, one per core.", at_least_one),
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
    from vqs.processes import cores
    from vqs.replay.repeated import excesses
    from vqs.replay.runs import Run, Runner
    from vqs.replay.when.durations import read_durations
    from vqs.report.phrases import diagnostic_line

    with output.refused_as("replay", out):
        output.check_format(out.format)
        paths = inputs.chosen(files, "replay")
        read = [*paths, *asked.confs, *asked.edits, *filter(None, [asked.durations])]
        output.check(out.target, read)
        if asked.checkpoint is not None:
            output.check(Path(asked.checkpoint), read)
            plans.refuse_same(Path(asked.checkpoint), out.target, "--checkpoint")
        _check(asked, paths, out)
        if asked.durations is not None:
            reading = replace(reading, durations=read_durations(asked.durations, inputs.stdin()))
        with Progress() as progress:
            policies = list(_policies(asked, paths, reading, release, progress))
            if not out.quiet:
                others = (plans.actions_left_out(workload.start) for _, workload in policies[1:])
                said = dict.fromkeys(chain(plans.remarks(policies[0][1]), *others))
                say(*map(diagnostic_line, said))
            options = _options(asked)
            runs = [Run(workload, replace(options, policy=policy)) for policy, workload in policies]
            if asked.at is not None:
                return _write_moment(runs[0].under(asked.seed), asked.at, out)
            with _journalled(runs[0].under(asked.seed), asked, release, quiet=out.quiet) as options:
                runs = [Run(runs[0].workload, options)] if asked.checkpoint else runs
                jobs, own = asked.jobs or cores(), process.PLUGINS.get()
                results = Runner(runs, jobs, own, teller(progress)).runs(asked.drawn, asked.precision)
            if asked.precision is not None and not out.quiet:
                each = len(results) // len(runs)
                if any(excesses(results[at : at + each], asked.precision) for at in range(0, len(results), each)):
                    most, reach = f"{count(each, 'run')}, the most that are made", written_part(asked.precision)
                    say(f"note: after {most}, intervals still reach further than {reach} of the mean")
    about = with_options(paths, _given(asked, reading), release)
    view = output.fitted(View(again=about), out)
    output.write(write_data(_as_one(results, asked), out.format, view), out.target)
    return 0


def _as_one(results: list[Result], asked: Asked) -> Result | Replays:
    """Return the most typical of several runs of one policy, and all runs of several; of one policy, --seeds asks."""
    from vqs.replay.compare import compared
    from vqs.replay.outcome import Replays
    from vqs.replay.repeated import typical

    if len(results) == 1:
        return results[0]
    if asked.seeds is None and len({each.policy for each in results}) == 1:
        return typical(results)
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
    for one, other in (
        ("seed", "seeds"),
        ("runs", "seeds"),
        ("precision", "seeds"),
        ("at", "until"),
        ("at", "checkpoint"),
        ("at", "precision"),
        ("checkpoint", "precision"),
    ):
        if getattr(asked, one) is not None and getattr(asked, other) is not None:
            names = [f"--{one}", f"--{other}"]
            raise CommandError(f"{names[0]} and {names[1]} are both given: keep one{process.setting(names)}")
    if asked.at is not None:
        _format_of_moment(out)
    without_edits = asked.at is None or not asked.edits
    several = max(len(asked.confs), 1) * (without_edits + len(asked.edits)) * len(asked.drawn)
    if several > 1 and asked.at is not None:
        origin = process.setting(["--at"])
        raise CommandError(f"--at writes one snapshot, and {several} replays are asked for{origin}")
    if several > 1 and asked.checkpoint is not None:
        origin = process.setting(["--checkpoint"])
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
    origin = process.setting(["--at"])
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
    own = process.PLUGINS.get()
    header = Header(vqs=__version__, workload=identity(run.workload), settings=str([*settings, release, own]))
    hint = f"the same command goes on from {printable(asked.checkpoint)}"
    try:
        with told_if_interrupted(hint, quiet=quiet), Journal(Path(asked.checkpoint), header) as journal:
            yield replace(options, journal=journal)
    except JournalError as error:
        raise CommandError(f"--checkpoint: {error}", asked.checkpoint) from None


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


def _options(asked: Asked) -> ReplayOptions:
    from vqs.explain.simulate import SimulateOptions
    from vqs.replay import timing
    from vqs.replay.distribution import Fixed
    from vqs.replay.engine import ReplayOptions

    return ReplayOptions(
        period=asked.period or timing.PERIOD,
        start_delay=None if asked.start_delay is None else Fixed(asked.start_delay),
        until=asked.until if asked.at is None else asked.at,
        most_events=asked.max_events,
        session=SimulateOptions(sample=asked.sample),
    )


def teller(progress: Progress) -> Callable[[float, int, int, float], None]:
    """Return what reports how far runs are: how many are over, the time in them, and how much time is left.

    The time in a run says little of that: the jobs of many recordings come in bursts.
    """
    begun = time.monotonic()

    def tell(now: float, over: int, number: int, done: float) -> None:
        def stage() -> str:
            gone = time.monotonic() - begun
            left = f", {write_seconds(round(gone * (number - done) / done), most=2)} left" if 0 < done < number else ""
            runs = f"{over} of {number} runs over, " if number > 1 else ""
            return f"{runs}replayed {write_seconds(round(now), most=2)}{left}"

        progress(stage, round(1000 * done), 1000 * number)

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
        "--runs": asked.runs,
    }
    yield "--workload-format", reading.workload_format
    yield "--queue-by", reading.queue_of
    yield "--durations", asked.durations
    yield from (("--conf", path) for path in asked.confs)
    yield from (("--edits", path) for path in asked.edits)
    yield from ((name, None if value is None else str(value)) for name, value in numbers.items())
    yield from ((name, None if value is None else str(value).removesuffix(".0")) for name, value in times.items())
    yield "--precision", None if asked.precision is None else written_part(asked.precision)
    yield "--node-sample", None if asked.sample is None else written_sample(asked.sample)
