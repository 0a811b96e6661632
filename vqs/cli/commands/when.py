"""`vqs when`: when the jobs that wait will start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from vqs.cli import completion, inputs, output, process
from vqs.cli.command import command
from vqs.cli.failures import CommandError
from vqs.cli.groups import EDITS, RELEASE, Edits, Group, Output, SessionFlags, again, output_group, verbosity
from vqs.cli.options import (
    CONF,
    CSI_STORAGE,
    FILES,
    NOW,
    SAMPLE,
    SHARDING_MODE,
    SHARDING_NAME,
    USAGE,
    a_seed,
    at_least_one,
    file_name,
    longer_than_nothing,
    one_of,
    option,
    up_to_a_thousand,
)
from vqs.cli.output import Progress
from vqs.releases.profile import ReleaseChoice
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from datetime import datetime

    from vqs.replay.when.durations import Durations
    from vqs.snapshot.reading.manifests import Manifests

_HELP = """
Estimate when the jobs that wait will start, as a range of times.

FILES are read as by vqs simulate: manifests in YAML or JSON, in files or folders, or - for standard input. The
snapshot is replayed under several seeds, from what is left of the pods that run. A job starts when as many of its
pods run as it needs. For each job, the earliest, median and latest time of all runs are shown; another run would
lie between the earliest and the latest of nine in four cases of five.

How long pods run is said by the file of --durations: a YAML mapping from patterns of jobs, namespace/name, to
durations or distributions, such as 'ml/train-*: 6h'; the first pattern that matches counts. Without one, it is what
a scenario says, or what pods of the same job took that have ended, or their activeDeadlineSeconds, which limits
all. Services run without end. All other pods draw from --default-duration, given how long they have run. The
assumptions are part of the answer. Earlier dumps of the cluster, with --history, tell of further pods that have
ended, and of further jobs that arrived.

Jobs are taken to arrive later at the rate at which the Volcano Jobs of the snapshot were created, each like one of
them: ended ones count, so take the dump before these are deleted. For how long they go on is drawn for each
run: for as long again as they have arrived in half of the runs. Fewer than ten of them, and a last one that came
long ago, say that none arrives, as --arrivals none does.

A job that cannot start whatever ends is shown as 'never, as it is', with its cause. One that does not start before
the replays end, after --within, is shown as 'not within' that time.

The edits --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first.
"""

_EXAMPLES = """
\b
Examples:
  vqs when snapshot.json
  vqs when snapshot.json --job research/train
  vqs when snapshot.json --durations durations.yaml --runs 19
  vqs when snapshot.json --default-duration "{lognormal: {median: 2h, sigma: 1}}"
  vqs when snapshot.json --arrivals none
  vqs when noon.json --history dawn.json --history midnight.json
  vqs when snapshot.json --clone-node gpu-1=2

Each option can be set in the environment: --job by VQS_JOB, and so on.

Exit status: 0 the answer was given, 2 the input or the command line is wrong, 130 interrupted.
"""


class Arrivals(StrEnum):
    """What is taken to arrive later, by the names that the command line has for it."""

    NONE = "none"
    HISTORY = "history"


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What is asked: of which jobs, for how long, and how long pods run."""

    jobs: Sequence[str]
    durations: str | None
    history: Sequence[str]
    default_duration: str | None
    within: float | None
    arrivals: str | None
    runs: int | None
    seed: int | None
    processes: int | None


@command(
    "when",
    _HELP,
    _EXAMPLES,
    FILES,
    Group(
        "asked",
        _Asked,
        (
            option("--job jobs", "NS/NAME", "Only this job.", complete=completion.whole_jobs, multiple=True),
            option("--durations", "FILE", "How long pods run, by patterns of jobs.", file_name),
            option("--history", "FILE", "An earlier dump of the cluster.", file_name, multiple=True),
            option("--default-duration", "DURATION", "How long pods run of which nothing is known."),
            option("--within", "TIME", "End the replays after this time; 7 days by default.", longer_than_nothing),
            option(
                "--arrivals",
                "WHAT",
                "Jobs that arrive later: as in the history of the snapshot, the default, or none.",
                one_of(Arrivals),
                complete=completion.one_of(Arrivals),
            ),
            option("--runs", "N", "Replay under N seeds; 9 by default.", up_to_a_thousand),
            option("--seed", "N", "The first of the seeds; 1 by default.", a_seed),
            option("--jobs processes", "N", "Processes to run; by default, one per core.", at_least_one),
        ),
    ),
    CONF,
    EDITS,
    Group("session", SessionFlags, (NOW, USAGE, SAMPLE, SHARDING_MODE, SHARDING_NAME, CSI_STORAGE)),
    RELEASE,
    output_group(formats_of("When")),
    *verbosity(quiet="Only the answer, no notes.", verbose="Show all names."),
)
def run(
    *,
    files: Sequence[str],
    asked: _Asked,
    conf: str | None,
    edits: Edits,
    session: SessionFlags,
    release: ReleaseChoice,
    out: Output,
) -> int:
    """Replay the snapshot under several seeds, and say when the jobs that wait start."""
    from vqs.cli.commands.replay import teller
    from vqs.explain.jobs.report import NoSuchJob
    from vqs.explain.simulate import SimulateOptions
    from vqs.processes import cores
    from vqs.replay.engine import ReplayOptions
    from vqs.replay.outcome import Replay
    from vqs.replay.runs import Run, Runner
    from vqs.replay.when.run import RUNS, WITHIN, WhenOptions, when

    with output.refused_as("when", out):
        out.refuse_both("answer")
        if "" in asked.jobs:
            raise CommandError("--job is empty: name a job as NAMESPACE/NAME, or leave --job out for all that wait")
        paths = inputs.chosen(files, "when")
        output.check(out.target, [*paths, conf, session.usage, asked.durations, *asked.history, *edits.files])
        durations = _durations(asked)
        first = 1 if asked.seed is None else asked.seed
        seeds = range(first, first + (asked.runs or RUNS))
        with Progress() as progress:
            manifests, made = inputs.read_edited(paths, progress, conf, edits, session=session, release=release)

            def replays(each: Run) -> list[Replay]:
                own = process.PLUGINS.get()
                return Runner([each], asked.processes or cores(), own, teller(progress)).runs(seeds)

            options = WhenOptions(
                inputs.session_options(session, progress, scenario=inputs.title(paths, made)),
                ReplayOptions(session=SimulateOptions(sample=session.sample)),
                durations,
                _history(asked, progress, release, session.now or manifests.now),
                asked.jobs,
                asked.within or WITHIN,
                asked.arrivals != Arrivals.NONE,
            )
            try:
                result = when(manifests, options, replays)
            except NoSuchJob as error:
                raise CommandError(f"{error}{process.setting(['--job'])}") from None
    view = output.fitted(View(again=again(paths, edits, session, release, conf)), out)
    output.write(write(result, out.format, view), out.target)
    inputs.say_diagnostics(result.diagnostics, out)
    output.say_written(result.answer, out)
    return 0


def _history(asked: _Asked, progress: Progress, release: ReleaseChoice, now: datetime | None) -> list[Manifests]:
    """Return the earlier dumps, which are refused where they are not earlier."""
    from vqs.model.moments import timestamp

    dumps = [inputs.read([path], progress, release=release) for path in asked.history]
    for path, dump in zip(asked.history, dumps, strict=True):
        if dump.now is None:
            raise CommandError(f"--history {path}: nothing in it says when it was taken")
        if now is not None and dump.now > now:
            raise CommandError(
                f"--history {path}: it was taken at {timestamp(dump.now)}, after the snapshot ({timestamp(now)})"
            )
    return dumps


def _durations(asked: _Asked) -> Durations:
    """Return how long pods run, as the options say."""
    from vqs.replay.distribution import DistributionError, parse_distribution
    from vqs.replay.when.durations import Durations, read_durations
    from vqs.snapshot.reading import yaml_text

    found = Durations() if asked.durations is None else read_durations(asked.durations, inputs.stdin())
    given = asked.default_duration
    if given is None:
        return found
    try:
        [value] = yaml_text.load(given)
        return replace(found, default=parse_distribution(value), written_default=given)
    except (DistributionError, ValueError, yaml_text.YamlErrors) as error:
        said = error.problems[0].message if isinstance(error, yaml_text.YamlErrors) else str(error)
        hint = f" ({error.hint})" if isinstance(error, DistributionError) and error.hint else ""
        origin = process.setting(["--default-duration"])
        raise CommandError(f"--default-duration: {said}{hint}{origin}") from None
