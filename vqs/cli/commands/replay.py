"""`vqs replay`: a workload over time."""

from __future__ import annotations

from pathlib import Path

from vqs.cli import inputs, output, plans, replaying
from vqs.cli.again import of_replay
from vqs.cli.arguments.replay import Replay
from vqs.cli.failures import say
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.model.durations import write_seconds
from vqs.replay.compare import compared
from vqs.replay.engine import moment_at, replay
from vqs.replay.figures import summed_up
from vqs.replay.outcome import Replay as Result
from vqs.replay.outcome import Replays
from vqs.replay.typical import typical
from vqs.report import as_manifests
from vqs.report.formats import View
from vqs.report.registry import write_data


def run(arguments: Replay) -> int:
    """Replay the workload and write what came of it."""
    with refused_as("replay", arguments.output):
        output.check_format(arguments.output.format)
        paths = inputs.chosen(arguments.files, "replay")
        read = [*paths, *arguments.confs, *arguments.edits]
        output.check(arguments.output.target, read)
        if arguments.checkpoint is not None:
            output.check(Path(arguments.checkpoint), read)
            plans.refuse_same(Path(arguments.checkpoint), arguments.output.target, "--checkpoint")
        replaying.check(arguments, paths)
        with Progress(quiet=arguments.verbosity.quiet) as progress:
            asked = list(replaying.runs(arguments, paths, progress))
            if arguments.at is not None:
                return _write_moment(arguments, asked[0], arguments.at)
            ran = [_replayed(each, arguments) for each in asked]
            if len(ran) == 1 and replaying.may_repeat(arguments, ran[0]):
                ran = [_typical(asked[0], ran[0])]
            results = [*map(summed_up, ran)]
    view = output.fitted(View(again=of_replay(paths, arguments)), arguments.output, arguments.verbosity)
    output.write(write_data(_as_one(results), arguments.output.format, view), arguments.output.target)
    return 0


def _replayed(asked: replaying.Run, arguments: Replay) -> Result:
    with replaying.journalled(asked, arguments) as options:
        return replay(asked.workload, options)


def _typical(asked: replaying.Run, first: Result) -> Result:
    """Return the most typical of a run without a seed and a few with one: what a cluster does is partly chance."""
    others = [replay(asked.workload, each) for each in replaying.seeded(asked.options)]
    return typical([first, *others])


def _as_one(results: list[Result]) -> Result | Replays:
    """Return the result of one run as it is, and those of several together."""
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


def _write_moment(arguments: Replay, asked: replaying.Run, time: float) -> int:
    """Write the cluster as it is at some time."""
    target = arguments.output.target
    found = moment_at(asked.workload, asked.options, time)
    output.write(as_manifests.manifests(found.objects, replaying.format_of_moment(arguments.output)), target)
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
