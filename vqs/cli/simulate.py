"""`vqs simulate`: one session of the scheduler on a snapshot."""

import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vqs.cli import inputs, output
from vqs.cli.failures import reported
from vqs.cli.options import Debug, Volcano, choice, flag, option, rfc3339, whole_number
from vqs.cli.progress import Progress
from vqs.report.formats import Detail, Format, View, simulation_reporter
from vqs.report.phrases import diagnostic_line
from vqs.report.summary import summarize

if TYPE_CHECKING:
    from vqs.explain.outcome import Simulation

_EXAMPLES = """
\b
Examples:
  vqs simulate scenarios/first-look.yaml
  vqs simulate cluster/ new-job.yaml --conf volcano-scheduler.conf
  vqs simulate snapshot.json --format json --output result.json
  kubectl get nodes,pods,... -A -o json | vqs simulate

Each option can be set in the environment: --now by VQS_NOW, and so on.

Exit status: 0 the session ran, 2 the input or the command line is wrong, 130 interrupted.
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EXAMPLES, short_help="Run one scheduling session on a snapshot.")(simulate)


def simulate(
    files: Annotated[list[str] | None, typer.Argument(metavar="FILES", hidden=True)] = None,
    *,
    conf: Annotated[str | None, option("--conf", "FILE", "A volcano-scheduler.conf to use.")] = None,
    now: Annotated[datetime | None, option("--now", "TIME", "The session's time, in RFC 3339.", rfc3339)] = None,
    seed: Annotated[int | None, option("--seed", "N", "Break ties at random, by N.", whole_number)] = None,
    volcano: Annotated[Volcano, choice("--volcano", Volcano, "The release to model.")] = Volcano.V1_14,
    chosen: Annotated[Format, choice("--format", Format, "How to write the result.", "-f")] = Format.TABLE,
    target: Annotated[Path | None, option("--output", "FILE", "Write the result to a file.", Path, "-o")] = None,
    quiet: Annotated[bool, flag("--quiet", "Only the summary, no notes.", "-q")] = False,
    verbose: Annotated[bool, flag("--verbose", "Every task, job and figure.", "-v")] = False,
    no_color: Annotated[bool, flag("--no-color", "No colours; so does NO_COLOR.")] = False,
    timing: Annotated[bool, flag("--timing", "Add the seconds each part took.")] = False,
    debug: Debug = False,
) -> None:
    """Run one scheduling session on a snapshot: where every pod goes, or why it goes nowhere.

    FILES are manifests in YAML or JSON: files, folders, or - for standard input. Without any, the snapshot is what
    VQS_SNAPSHOT names, or what is piped in.

    The scheduler's configuration is the one in the snapshot (a ConfigMap with a *.conf key) unless --conf gives
    another, else Volcano's built-in one. Without --now, the session's time is the snapshot's newest timestamp.
    Without --seed, the lowest name wins among equally good nodes.
    """
    del volcano  # There is one release so far, and to have chosen it is all there is to do.
    with reported(debug=debug):
        output.check(target)
        paths = inputs.chosen(files or ())
        with Progress(quiet=quiet) as progress:
            result = _run(paths, conf, now=now, seed=seed, timing=timing, progress=progress)
        detail = Detail.SUMMARY if quiet else Detail.EVERYTHING if verbose else Detail.USUAL
        text = _rendered(result, chosen, output.view(chosen, target, detail, no_color=no_color))
        output.write(text, target)
        if not quiet:
            _note(result, chosen, target)


def _run(
    paths: Sequence[str],
    conf: str | None,
    *,
    now: datetime | None,
    seed: int | None,
    timing: bool,
    progress: Progress,
) -> "Simulation":
    # Imported late: the engine is the bulk of what there is to import, and `--help` needs none of it.
    from vqs.explain.simulate import SimulateOptions  # noqa: PLC0415
    from vqs.explain.simulate import simulate as run_session  # noqa: PLC0415
    from vqs.snapshot.manifests import read_manifests  # noqa: PLC0415

    started = time.perf_counter()
    manifests = read_manifests(
        paths,
        conf,
        stdin=sys.stdin.buffer if sys.stdin else None,
        progress=lambda done, total: progress("read", done, total),
    )
    parsed = time.perf_counter() - started
    options = SimulateOptions(now=now, seed=seed, scenario=inputs.title(paths), timing=timing, progress=progress)
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


def _note(result: "Simulation", chosen: Format, target: Path | None) -> None:
    """Tell on stderr what the result's reader would otherwise not see: findings, and the summary of a file."""
    if chosen.for_machines:
        for diagnostic in result.diagnostics:
            typer.echo(diagnostic_line(diagnostic), err=True)
    if target:
        typer.echo(f"{summarize(result).sentence()}; written to {target}", err=True)
