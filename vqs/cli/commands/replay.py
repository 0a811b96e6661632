"""`vqs replay`: a workload over time."""

from __future__ import annotations

from importlib.util import find_spec

from vqs.cli import environment, inputs, output
from vqs.cli.again import of_replay
from vqs.cli.arguments.replay import Replay
from vqs.cli.failures import CommandError
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.explain.simulate import SimulateOptions
from vqs.replay import timing
from vqs.replay.distribution import Fixed
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.figures import summed_up
from vqs.replay.reading.scenario import workload_of
from vqs.report.formats import Format, View
from vqs.report.registry import write_data


def run(arguments: Replay) -> int:
    """Replay the workload and write what came of it."""
    with refused_as("replay", arguments.output):
        _check_format(arguments.output.format)
        paths = inputs.chosen(arguments.files, "replay")
        output.check(arguments.output.target, [*paths, arguments.conf])
        with Progress(quiet=arguments.verbosity.quiet) as progress:
            manifests = inputs.read(paths, progress, arguments.conf, release=arguments.release.choice)
            result = summed_up(replay(workload_of(manifests, inputs.title(paths)), _options(arguments)))
    view = output.fitted(View(again=of_replay(paths, arguments)), arguments.output, arguments.verbosity)
    output.write(write_data(result, arguments.output.format, view), arguments.output.target)
    return 0


def _check_format(chosen: Format) -> None:
    """Refuse a format that needs a package that is not installed, before the workload is replayed."""
    if chosen is Format.PARQUET and find_spec("pyarrow") is None:
        origin = environment.setting(["--format"])
        raise CommandError(
            f"--format parquet needs pyarrow, which is not installed: pip install 'vqs[parquet]'{origin}"
        )


def _options(arguments: Replay) -> ReplayOptions:
    delay = timing.START_DELAY if arguments.start_delay is None else arguments.start_delay
    return ReplayOptions(
        period=arguments.period or timing.PERIOD,
        start_delay=Fixed(delay),
        seed=arguments.seed or 0,
        until=arguments.until,
        session=SimulateOptions(seed=arguments.seed, sample=arguments.sample),
    )
