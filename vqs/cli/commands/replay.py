"""`vqs replay`: a workload over time."""

from __future__ import annotations

from vqs.cli import inputs, output
from vqs.cli.arguments.replay import Replay
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.explain.simulate import SimulateOptions
from vqs.replay import timing
from vqs.replay.distribution import Fixed
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.figures import summed_up
from vqs.replay.reading.scenario import workload_of
from vqs.report.formats import View
from vqs.report.registry import write_data


def run(arguments: Replay) -> int:
    """Replay the workload and write what came of it."""
    with refused_as("replay", arguments.output):
        paths = inputs.chosen(arguments.files, "replay")
        output.check(arguments.output.target, [*paths, arguments.conf])
        with Progress(quiet=arguments.verbosity.quiet) as progress:
            manifests = inputs.read(paths, progress, arguments.conf, release=arguments.release.choice)
            result = summed_up(replay(workload_of(manifests, inputs.title(paths)), _options(arguments)))
    view = output.fitted(View(), arguments.output, arguments.verbosity)
    output.write(write_data(result, arguments.output.format, view), arguments.output.target)
    return 0


def _options(arguments: Replay) -> ReplayOptions:
    delay = timing.START_DELAY if arguments.start_delay is None else arguments.start_delay
    return ReplayOptions(
        period=arguments.period or timing.PERIOD,
        start_delay=Fixed(delay),
        seed=arguments.seed or 0,
        until=arguments.until,
        session=SimulateOptions(seed=arguments.seed, sample=arguments.sample),
    )
