"""`vqs simulate`: one session of the scheduler on a snapshot."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vqs.cli import environment, inputs, live, output, whatif
from vqs.cli.again import repeated
from vqs.cli.arguments.simulate import Simulate
from vqs.cli.failures import CommandError, say
from vqs.cli.github import add_summary, grouped, in_workflow
from vqs.cli.own_process import left_to_its_end
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import say_diagnostics, session_options
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import SimulateOptions
from vqs.explain.simulate import simulate as run_session
from vqs.report.formats import Detail, Extras, Filters, Format, View
from vqs.report.registry import formats_of, write
from vqs.report.simulation.extras import misses, selected, unknown_tasks
from vqs.report.simulation.summary import failed_lines, summarize
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.manifests import Manifests

if TYPE_CHECKING:
    from vqs.explain.cycles import Cycles

DIFFERENCE: Final = 1


def run(arguments: Simulate) -> int:
    """Run the session, or several, and write what came of it."""
    with refused_as("simulate", arguments.output):
        view = _view(arguments)
        cluster = live.wanted(arguments.cluster, live=arguments.is_live)
        paths = inputs.chosen(arguments.files, live=arguments.is_live)
        read = [*paths, arguments.conf, arguments.expect, arguments.session.usage, *arguments.edits.files]
        output.check(arguments.output.target, read)
        _check_cycles(arguments)
        with Progress(quiet=arguments.verbosity.quiet) as progress, live.snapshot(cluster, progress) as called:
            paths = [*called, *paths]
            result = _simulated(arguments, paths, called, view, progress)
    _refuse_unknown_tasks(_last(result), view.extras)
    about = repeated(() if arguments.is_live else paths, arguments)
    view = output.fitted(replace(view, again=about), arguments.output, arguments.verbosity)
    text = _rendered(result, arguments.output.format, view)
    in_log = in_workflow() and not arguments.no_ci
    if in_log and _is_folded(arguments):
        text = grouped("vqs simulate", text) + write(result, Format.TABLE, replace(view, detail=Detail.SUMMARY))
    output.write(text, arguments.output.target)
    if in_log:
        add_summary(lambda detail: write(result, Format.MARKDOWN, View(detail=detail, filters=view.filters)))
    if not arguments.verbosity.quiet:
        _note(arguments, result, view.filters)
    return _status(arguments, result)


def _view(arguments: Simulate) -> View:
    """Return which parts of the result are shown; a summary has no place for some of them."""
    extras = Extras(
        nodes=arguments.nodes, trace=arguments.trace, fit_errors=arguments.fit_errors, scores=arguments.scores
    )
    if arguments.verbosity.quiet and not arguments.output.format.for_machines:
        _refuse_more(arguments)
    filters = Filters(arguments.queues, arguments.jobs, arguments.statuses, arguments.verdicts)
    return View(filters=filters, extras=extras)


def _refuse_more(arguments: Simulate) -> None:
    """Refuse what adds to a report of which only the summary is shown."""
    asked = {
        "--verbose": arguments.verbosity.verbose,
        "--timing": arguments.timing,
        "--nodes": arguments.nodes,
        "--trace": arguments.trace,
        "--fit-errors": arguments.fit_errors,
        "--scores": arguments.scores,
    }
    for name, given in asked.items():
        if given:
            origin = environment.setting(["--quiet", name])
            raise CommandError(f"--quiet shows the summary only, and {name} asks for more: give one of them{origin}")


def _refuse_unknown_tasks(result: Simulation, extras: Extras) -> None:
    """Refuse to show anything of tasks that do not exist."""
    lines = unknown_tasks(result, extras) if extras.watched else []
    if lines:
        raise CommandError("\n".join(lines))


def _check_cycles(arguments: Simulate) -> None:
    """Refuse a format that has no place for more than one session."""
    known, chosen = formats_of("Cycles"), arguments.output.format
    if arguments.cycles is not None and chosen not in known:
        origin = environment.setting(["--cycles", "--format"])
        raise CommandError(f"--cycles has the formats {', '.join(known)}, not {chosen}{origin}")


def _simulated(
    arguments: Simulate, paths: Sequence[str], called: dict[str, str], view: View, progress: Progress
) -> Simulation | Cycles:
    """Read the files, make the edits, and run the session."""
    started = time.perf_counter()
    manifests, made = whatif.read(
        paths,
        progress,
        arguments.conf,
        arguments.edits,
        expect=arguments.expect,
        session=arguments.session,
        release=arguments.release.choice,
        called=called,
    )
    parsed = time.perf_counter() - started
    title = whatif.title(paths, made, called)
    options = replace(
        session_options(arguments.session, progress, scenario=title),
        timing=arguments.timing,
        watch=view.extras.watched,
        nodes=view.extras.nodes or arguments.output.format is Format.HTML,
    )
    result = _sessions(arguments, manifests, options)
    timing = _first(result).timing
    if timing:
        timing.parse = parsed
    return result


def _sessions(arguments: Simulate, manifests: Manifests, options: SimulateOptions) -> Simulation | Cycles:
    """Run one session, whose cluster is left to the end of the process; or several, each without that of the last."""
    if arguments.cycles is not None:
        from vqs.explain.cycles import run_cycles  # noqa: PLC0415 - most runs have one session, and nothing after it

        return left_to_its_end(run_cycles(manifests, options, arguments.cycles))
    with paused_collector():
        return left_to_its_end(run_session(manifests, options))


def _first(result: Simulation | Cycles) -> Simulation:
    """Return the first session, which expectations are of."""
    return result if isinstance(result, Simulation) else result.cycles[0].simulation


def _last(result: Simulation | Cycles) -> Simulation:
    """Return the session that is shown whole."""
    return result if isinstance(result, Simulation) else result.cycles[-1].simulation


def _rendered(result: Simulation | Cycles, chosen: Format, view: View) -> str:
    """Write the result; where it is to tell how long that takes, write it once more with the answer."""
    started = time.perf_counter()
    text = write(result, chosen, view)
    timing = _first(result).timing
    if timing:
        timing.report = time.perf_counter() - started
        text = write(result, chosen, view)
    return text


def _is_folded(arguments: Simulate) -> bool:
    """Tell whether what is written to the log of a workflow is a table that is long enough to fold."""
    chosen = arguments.output
    return chosen.format is Format.TABLE and chosen.target is None and not arguments.verbosity.quiet


def _note(arguments: Simulate, result: Simulation | Cycles, filters: Filters) -> None:
    """Tell on stderr what the result's reader would otherwise not see: findings, and the summary of a file."""
    if filters:
        say(*(f"note: {miss}" for miss in misses(_last(result), filters)))
    if arguments.output.format.for_machines:
        say_diagnostics(_first(result).diagnostics)
    if arguments.output.target:
        chosen = arguments.output
        about = _last(result) if chosen.format.for_machines else selected(_last(result), filters)
        say(f"{summarize(about).sentence()}; written to {chosen.target}")


def _status(arguments: Simulate, result: Simulation | Cycles) -> int:
    """Return the exit code, and tell on stderr what is not as expected where the result does not show it."""
    failed = failed_lines(_first(result))
    if arguments.verbosity.quiet or arguments.output.format.for_machines or arguments.output.target:
        say(*(f"expected: {line}" for line in failed))
    return DIFFERENCE if failed else 0
