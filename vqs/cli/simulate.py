"""`vqs simulate`: one session of the scheduler on a snapshot."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from vqs.cli import completion, environment, inputs, live, output, whatif
from vqs.cli.again import again
from vqs.cli.failures import CommandError, reported, say
from vqs.cli.options import (
    Conf,
    Debug,
    NoColor,
    Now,
    Release,
    Seed,
    Target,
    Usage,
    Volcano,
    at_least_one,
    choice,
    file_name,
    flag,
    option,
)
from vqs.cli.progress import Progress
from vqs.cli.reading import ReadingCommand
from vqs.cli.refused import errors_as
from vqs.report.formats import (
    Detail,
    Extras,
    Filters,
    Format,
    View,
)
from vqs.report.phrases import diagnostic_line
from vqs.report.registry import formats_of, write
from vqs.report.simulation.expectations import failed_lines
from vqs.report.simulation.summary import summarize

DIFFERENCE: Final = 1

if TYPE_CHECKING:
    from vqs.explain.cycles import Cycles
    from vqs.explain.outcome import Simulation
    from vqs.explain.simulate import SimulateOptions
    from vqs.snapshot.manifests import Manifests

_EXAMPLES = """
\b
Examples:
  vqs simulate scenarios/first-look.yaml
  vqs simulate cluster/ new-job.yaml --conf volcano-scheduler.conf
  vqs simulate snapshot.json --queue research --verdict 'queue-*'
  vqs simulate snapshot.json --cycles 10
  vqs simulate snapshot.json --set queue/research.spec.weight=5 --clone-node gpu-1=4
  vqs simulate snapshot.json --format json --output result.json
  vqs simulate --live
  vqs simulate --live --context prod new-job.yaml
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
    app.command(cls=ReadingCommand, epilog=_EXAMPLES, short_help="Run one scheduling session on a snapshot.")(simulate)


def simulate(
    files: Annotated[list[str] | None, typer.Argument(metavar="FILES", hidden=True)] = None,
    *,
    is_live: Annotated[bool, flag("--live", "Read a cluster, as vqs capture does.")] = False,
    context: live.Context = None,
    namespace: live.Namespace = None,
    kubeconfig: live.Kubeconfig = None,
    timeout: live.Timeout = None,
    conf: Conf = None,
    expect: Annotated[
        str | None, option("--expect", "FILE", "What should come of it, to be checked.", file_name)
    ] = None,
    usage: Usage = None,
    sets: whatif.Set = None,
    adds: whatif.Add = None,
    removes: whatif.Remove = None,
    clones: whatif.CloneNode = None,
    scales: whatif.Scale = None,
    edits: whatif.Edits = None,
    assume_admitted: whatif.AssumeAdmitted = False,
    now: Now = None,
    seed: Seed = None,
    cycles: Annotated[
        int | None, option("--cycles", "N", "Run up to N sessions, until nothing changes.", at_least_one)
    ] = None,
    volcano: Release = Volcano.V1_14,
    chosen: Annotated[
        Format, choice("--format", formats_of("Simulation"), "How to write the result.", "-f")
    ] = Format.TABLE,
    target: Target = None,
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
    no_color: NoColor = False,
    timing: Annotated[bool, flag("--timing", "Add the seconds each part took.")] = False,
    debug: Debug = False,
) -> None:
    """Run one scheduling session on a snapshot: where every pod goes, or why it goes nowhere.

    FILES are manifests in YAML or JSON: files, folders, or - for standard input. Without any, the snapshot is what
    VQS_SNAPSHOT names, or what is piped in.

    With --live, a cluster is captured first, through your kubectl, and FILES are beside what is in it: a job that
    nobody has submitted yet. --context, --namespace, --kubeconfig and --request-timeout are as for vqs capture.

    The scheduler's configuration is the one in the snapshot (a ConfigMap with a *.conf key) unless --conf gives
    another, else Volcano's built-in one. Without --now, the session's time is the scenario's, else the snapshot's
    newest timestamp. Without --seed, the lowest name wins among equally good nodes.

    How busy nodes are, which only the plugin rescheduling asks, is in no manifest; --usage gives what kubectl top nodes
    prints, or percentages by node in YAML.

    What the scenarios among FILES expect is checked, and what the file of --expect says.

    --queue, --job, --status and --verdict can be repeated, and take * and ?. They choose what tables and markdown show;
    the summary, and the result in JSON, are those of the whole session.

    --fit-errors and --scores can be repeated too. They show the nodes as they were when the task was tried last.

    --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first, and can be repeated: --set
    queue/b.spec.weight=5, --set conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10,
    --scale job/ns/name=8. The file of --edits is a YAML list of such texts, those that set nothing with the verb first.
    The edits are made in this order: --edits, --add, --remove, --clone-node, --scale, --set.

    --cycles goes on, a second later each time: what was bound runs, what was evicted is gone, and controllers have made
    their pods again. It shows what each session did, and the last one whole; jobs that evict each other are named.
    Expectations are of the first session. In JSON each is an element of the array `cycles`.
    """
    del volcano  # There is one release so far, and to have chosen it is all there is to do.
    errors_to = errors_as("simulate", chosen, target)
    with reported(debug=debug, errors_to=errors_to):
        view = View(
            detail=Detail.EVERYTHING if verbose else Detail.USUAL,
            filters=Filters(queues or (), jobs or (), statuses or (), verdicts or ()),
            extras=Extras(nodes=nodes, trace=trace, fit_errors=fit_errors or (), scores=scores or ()),
        )
        if quiet:
            view = _summary_only(view, chosen, timing=timing)
        cluster = live.wanted(live.Cluster(context, kubeconfig, namespace, timeout), live=is_live)
        paths = inputs.chosen(files or (), live=is_live)
        asked = whatif.what_if(
            sets, adds, removes, clones=clones, scales=scales, file=edits, assume_admitted=assume_admitted
        )
        output.check(target, [*paths, conf, expect, usage, *asked.files])
        _check_cycles(cycles, chosen)
        with Progress(quiet=quiet) as progress, live.snapshot(cluster, progress) as called:
            paths = [*called, *paths]
            (manifests, made, _), parsed = _read(
                paths, conf, asked, progress, expect=expect, usage=usage, called=called
            )
            drawn = replace(view.extras, nodes=view.extras.nodes or chosen is Format.HTML)
            options = _options(
                whatif.title(paths, made, called), now=now, seed=seed, timing=timing, extras=drawn, progress=progress
            )
            result = _run(manifests, options, cycles, parsed)
        _refuse_unknown_tasks(_last(result), view.extras)
        about = again(() if is_live else paths, asked, conf=conf, usage=usage, now=now, seed=seed)
        view = output.fitted(replace(view, again=about), chosen, target, no_color=no_color)
        output.write(_rendered(result, chosen, view), target)
        if not quiet:
            _note(result, chosen, target, view.filters)
    failed = failed_lines(_first(result))
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
        from vqs.report.simulation.extras import unknown_tasks  # noqa: PLC0415

        lines = unknown_tasks(result, extras)
        if lines:
            raise CommandError("\n".join(lines))


def _check_cycles(cycles: int | None, chosen: Format) -> None:
    """Refuse a format that has no place for more than one session."""
    if cycles is not None and chosen not in formats_of("Cycles"):
        origin = environment.setting(["--cycles", "--format"])
        raise CommandError(f"--cycles is written as {', '.join(formats_of('Cycles'))}, not as {chosen}{origin}")


def _read(
    paths: Sequence[str], conf: str | None, asked: whatif.WhatIf, progress: Progress, **more: Any
) -> tuple[whatif.Edited, float]:
    """Read the files and make the edits, and tell how many seconds that took."""
    started = time.perf_counter()
    made = whatif.read(paths, progress, conf, asked, **more)
    return made, time.perf_counter() - started


def _options(
    scenario: str,
    *,
    now: datetime | None,
    seed: int | None,
    timing: bool,
    extras: Extras,
    progress: Progress,
) -> "SimulateOptions":
    from vqs.explain.simulate import SimulateOptions  # noqa: PLC0415 - imported late, as above

    return SimulateOptions(
        now=now,
        seed=seed,
        scenario=scenario,
        timing=timing,
        watch=extras.watched,
        nodes=extras.nodes,
        progress=progress,
    )


def _run(
    manifests: "Manifests", options: "SimulateOptions", cycles: int | None, parsed: float
) -> "Simulation | Cycles":
    # Imported late, as above.
    from vqs.explain.cycles import run_cycles  # noqa: PLC0415
    from vqs.explain.simulate import simulate as run_session  # noqa: PLC0415

    result = run_session(manifests, options) if cycles is None else run_cycles(manifests, options, cycles)
    timing = _first(result).timing
    if timing:
        timing.parse = parsed
    return result


def _first(result: "Simulation | Cycles") -> "Simulation":
    """Return the first session, of which things are expected."""
    from vqs.explain.cycles import Cycles  # noqa: PLC0415 - imported late, as above

    return result.cycles[0].simulation if isinstance(result, Cycles) else result


def _last(result: "Simulation | Cycles") -> "Simulation":
    """Return the session that is shown whole."""
    from vqs.explain.cycles import Cycles  # noqa: PLC0415 - imported late, as above

    return result.cycles[-1].simulation if isinstance(result, Cycles) else result


def _rendered(result: "Simulation | Cycles", chosen: Format, view: View) -> str:
    """Write the result; where it is to tell how long that takes, write it once more with the answer."""
    started = time.perf_counter()
    text = write(result, chosen, view)
    timing = _first(result).timing
    if timing:
        timing.report = time.perf_counter() - started
        text = write(result, chosen, view)
    return text


def _note(result: "Simulation | Cycles", chosen: Format, target: Path | None, filters: Filters) -> None:
    """Tell on stderr what the result's reader would otherwise not see: findings, and the summary of a file."""
    if filters:
        # Imported late, as the engine is.
        from vqs.report.simulation.filters import misses  # noqa: PLC0415

        say(*(f"note: {miss}" for miss in misses(_last(result), filters)))
    if chosen.for_machines:
        say(*map(diagnostic_line, _first(result).diagnostics))
    if target:
        say(f"{summarize(_last(result)).sentence()}; written to {target}")
