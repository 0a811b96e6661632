"""`vqs simulate`: one session of the scheduler on a snapshot."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import completion, environment, inputs, output
from vqs.cli.failures import CommandError, reported, say
from vqs.cli.options import Debug, Volcano, choice, file_name, flag, option, rfc3339, whole_number
from vqs.cli.progress import Progress
from vqs.report.expectations import failed_lines
from vqs.report.formats import Detail, Extras, Filters, Format, View, simulation_reporter
from vqs.report.phrases import diagnostic_line
from vqs.report.summary import summarize

DIFFERENCE: Final = 1

if TYPE_CHECKING:
    from vqs.explain.outcome import Simulation

_EXAMPLES = """
\b
Examples:
  vqs simulate scenarios/first-look.yaml
  vqs simulate cluster/ new-job.yaml --conf volcano-scheduler.conf
  vqs simulate snapshot.json --queue research --verdict 'queue-*'
  vqs simulate snapshot.json --format json --output result.json
  kubectl get nodes,pods,... -A -o json | vqs simulate

Each option can be set in the environment: --now by VQS_NOW, and so on.

Exit status: 0 the session ran, 1 something else came of it than expected, 2 the input or the command line is wrong,
130 interrupted.
"""


_Names = list[str] | None

Queues = Annotated[_Names, option("--queue", "PATTERN", "Show only these queues.", complete=completion.queues)]
Jobs = Annotated[_Names, option("--job", "PATTERN", "Show only these jobs.", complete=completion.jobs)]
Statuses = Annotated[
    _Names, option("--status", "PATTERN", "Show only tasks in this status.", complete=completion.statuses)
]
Verdicts = Annotated[
    _Names, option("--verdict", "PATTERN", "Show only what got this verdict.", complete=completion.verdicts)
]
FitErrors = Annotated[
    _Names, option("--fit-errors", "NS/TASK", "Show what every node answered.", complete=completion.tasks)
]
Scores = Annotated[_Names, option("--scores", "NS/TASK", "Show the scores of the nodes.", complete=completion.tasks)]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EXAMPLES, short_help="Run one scheduling session on a snapshot.")(simulate)


def simulate(
    files: Annotated[list[str] | None, typer.Argument(metavar="FILES", hidden=True)] = None,
    *,
    conf: Annotated[str | None, option("--conf", "FILE", "A volcano-scheduler.conf to use.", file_name)] = None,
    expect: Annotated[
        str | None, option("--expect", "FILE", "What should come of it, to be checked.", file_name)
    ] = None,
    now: Annotated[datetime | None, option("--now", "TIME", "The session's time, in RFC 3339.", rfc3339)] = None,
    seed: Annotated[int | None, option("--seed", "N", "Break ties at random, by N.", whole_number)] = None,
    volcano: Annotated[Volcano, choice("--volcano", Volcano, "The release to model.")] = Volcano.V1_14,
    chosen: Annotated[Format, choice("--format", Format, "How to write the result.", "-f")] = Format.TABLE,
    target: Annotated[
        Path | None, option("--output", "FILE", "Write the result to a file.", output.place, "-o")
    ] = None,
    queues: Queues = None,
    jobs: Jobs = None,
    statuses: Statuses = None,
    verdicts: Verdicts = None,
    fit_errors: FitErrors = None,
    scores: Scores = None,
    nodes: Annotated[bool, flag("--nodes", "Show the nodes.")] = False,
    trace: Annotated[bool, flag("--trace", "Show the statements in their order.")] = False,
    quiet: Annotated[bool, flag("--quiet", "Only the summary, no notes.", "-q")] = False,
    verbose: Annotated[bool, flag("--verbose", "Every task, job, figure and log line.", "-v")] = False,
    no_color: Annotated[bool, flag("--no-color", "No colours; so does NO_COLOR.")] = False,
    timing: Annotated[bool, flag("--timing", "Add the seconds each part took.")] = False,
    debug: Debug = False,
) -> None:
    """Run one scheduling session on a snapshot: where every pod goes, or why it goes nowhere.

    FILES are manifests in YAML or JSON: files, folders, or - for standard input. Without any, the snapshot is what
    VQS_SNAPSHOT names, or what is piped in.

    The scheduler's configuration is the one in the snapshot (a ConfigMap with a *.conf key) unless --conf gives
    another, else Volcano's built-in one. Without --now, the session's time is the scenario's, else the snapshot's
    newest timestamp. Without --seed, the lowest name wins among equally good nodes.

    What the scenarios among FILES expect is checked, and what the file of --expect says.

    --queue, --job, --status and --verdict can be repeated, and take * and ?. They choose what tables and markdown show;
    the summary, and the result in JSON, are those of the whole session.

    --fit-errors and --scores can be repeated too. They show the nodes as they were when the task was tried last.
    """
    del volcano  # There is one release so far, and to have chosen it is all there is to do.
    with reported(debug=debug):
        view = View(
            detail=Detail.EVERYTHING if verbose else Detail.USUAL,
            filters=Filters(queues or (), jobs or (), statuses or (), verdicts or ()),
            extras=Extras(nodes=nodes, trace=trace, fit_errors=fit_errors or (), scores=scores or ()),
        )
        if quiet:
            view = _summary_only(view, chosen, timing=timing)
        paths = inputs.chosen(files or ())
        output.check(target, [*paths, conf, expect])
        with Progress(quiet=quiet) as progress:
            result = _run(paths, conf, expect, now=now, seed=seed, timing=timing, extras=view.extras, progress=progress)
        _refuse_unknown_tasks(result, view.extras)
        view = output.fitted(view, chosen, target, no_color=no_color)
        output.write(_rendered(result, chosen, view), target)
        if not quiet:
            _note(result, chosen, target, view.filters)
    failed = failed_lines(result)
    if quiet or chosen.for_machines or target:
        say(*(f"expected: {line}" for line in failed))
    if failed:
        raise typer.Exit(DIFFERENCE)


def _summary_only(view: View, chosen: Format, *, timing: bool) -> View:
    """Cut a view down to the summary, which has no place for what other options add to a report."""
    asked = {
        "--verbose": view.detail is Detail.EVERYTHING,
        "--timing": timing,
        "--nodes": view.extras.nodes,
        "--trace": view.extras.trace,
        "--fit-errors": view.extras.fit_errors,
        "--scores": view.extras.scores,
    }
    for name, given in asked.items():
        if given and not chosen.for_machines:
            origin = environment.setting(["--quiet", name])
            raise CommandError(f"--quiet shows the summary only, and {name} asks for more: give one of them{origin}")
    return replace(view, detail=Detail.SUMMARY)


def _refuse_unknown_tasks(result: "Simulation", extras: Extras) -> None:
    """Refuse to show anything of tasks that do not exist."""
    if extras.watched:
        # Imported late, as the engine is.
        from vqs.report.extras import unknown_tasks  # noqa: PLC0415

        lines = unknown_tasks(result, extras)
        if lines:
            raise CommandError("\n".join(lines))


def _run(
    paths: Sequence[str],
    conf: str | None,
    expect: str | None,
    *,
    now: datetime | None,
    seed: int | None,
    timing: bool,
    extras: Extras,
    progress: Progress,
) -> "Simulation":
    # Imported late: the engine is the bulk of what there is to import, and `--help` needs none of it.
    from vqs.config.scheduler_conf import read_configuration  # noqa: PLC0415
    from vqs.explain.simulate import SimulateOptions  # noqa: PLC0415
    from vqs.explain.simulate import simulate as run_session  # noqa: PLC0415

    started = time.perf_counter()
    manifests = inputs.read(paths, progress, conf, expect=expect, check=read_configuration)
    parsed = time.perf_counter() - started
    options = SimulateOptions(
        now=now,
        seed=seed,
        scenario=inputs.title(paths),
        timing=timing,
        watch=extras.watched,
        nodes=extras.nodes,
        progress=progress,
    )
    result = run_session(manifests, options)
    if result.timing:
        result.timing.parse = parsed
    return result


def _rendered(result: "Simulation", chosen: Format, view: View) -> str:
    """Write the result; where it is to tell how long that takes, write it once more with the answer."""
    report = simulation_reporter(chosen)
    started = time.perf_counter()
    text = report(result, view)
    if result.timing:
        result.timing.report = time.perf_counter() - started
        text = report(result, view)
    return text


def _note(result: "Simulation", chosen: Format, target: Path | None, filters: Filters) -> None:
    """Tell on stderr what the result's reader would otherwise not see: findings, and the summary of a file."""
    if filters:
        # Imported late, as the engine is.
        from vqs.report.filters import misses  # noqa: PLC0415

        say(*(f"note: {miss}" for miss in misses(result, filters)))
    if chosen.for_machines:
        say(*map(diagnostic_line, result.diagnostics))
    if target:
        say(f"{summarize(result).sentence()}; written to {target}")
