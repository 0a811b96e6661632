"""`vqs explain-queue`: what queues deserve, hold and may have, and what keeps jobs out of one."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vqs.cli import completion, environment, inputs, output, whatif
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
    Volcano,
    at_least_one,
    choice,
    flag,
    option,
)
from vqs.cli.progress import Progress
from vqs.cli.reading import ReadingCommand
from vqs.cli.refused import errors_as
from vqs.report.formats import Detail, Format, QueueView, View
from vqs.report.phrases import diagnostic_line
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.explain.queues.outcome import QueueReport
    from vqs.report.again import Again

_EXAMPLES = """
\b
Examples:
  vqs explain-queue scenarios/real-capability.yaml
  vqs explain-queue snapshot.json --depth 2 --resource cpu --resource '*gpu'
  vqs explain-queue snapshot.json --queue research
  vqs explain-queue snapshot.json --queue research --format json
  kubectl get nodes,pods,... -A -o json | vqs explain-queue --format prometheus

Each option can be set in the environment: --queue by VQS_QUEUE, and so on.

Exit status: 0 the session ran, 2 the input or the command line is wrong, 130 interrupted.
"""

Resources = Annotated[
    list[str] | None, option("--resource", "PATTERN", "Show only these resources.", complete=completion.resources)
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "explain-queue",
        cls=ReadingCommand,
        epilog=_EXAMPLES,
        short_help="Explain what queues get, and what keeps jobs out.",
    )(explain_queue)


def explain_queue(
    files: Annotated[list[str] | None, typer.Argument(metavar="FILES", hidden=True)] = None,
    *,
    queue: Annotated[str | None, option("--queue", "NAME", "Explain this queue.", complete=completion.queues)] = None,
    depth: Annotated[int | None, option("--depth", "N", "Show so many levels of the tree.", at_least_one)] = None,
    resources: Resources = None,
    conf: Conf = None,
    sets: whatif.Set = None,
    adds: whatif.Add = None,
    removes: whatif.Remove = None,
    clones: whatif.CloneNode = None,
    scales: whatif.Scale = None,
    edits: whatif.Edits = None,
    assume_admitted: whatif.AssumeAdmitted = False,
    now: Now = None,
    seed: Seed = None,
    volcano: Release = Volcano.V1_14,
    chosen: Annotated[
        Format, choice("--format", formats_of("QueueReport"), "How to write the result.", "-f")
    ] = Format.TABLE,
    target: Target = None,
    quiet: Annotated[bool, flag("--quiet", "Only the answer, no notes.", "-q")] = False,
    verbose: Annotated[bool, flag("--verbose", "Every round, queue, job and figure.", "-v")] = False,
    no_color: NoColor = False,
    debug: Debug = False,
) -> None:
    """Explain what queues deserve, hold and may have.

    FILES are read as by vqs simulate: manifests in YAML or JSON, in files or folders, or - for standard input. Without
    any, they are what VQS_SNAPSHOT names, or what is piped in. One session is run, and its figures are shown.

    Without --queue, all queues are shown, as the tree that they are. With it: how what the queue deserves came about,
    what keeps jobs out of it, what it can still take, when its turn is, and what it can reclaim or lose. Of a queue
    without jobs, which the scheduler may not look at, there is only what its spec says.

    --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first, and can be repeated: --set
    queue/b.spec.weight=5, --set conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10,
    --scale job/ns/name=8. The file of --edits is a YAML list of such texts, those that set nothing with the verb first.
    The edits are made in this order: --edits, --add, --remove, --clone-node, --scale, --set.

    --resource can be repeated, and takes * and ?. It and --depth choose what tables and markdown show. The format
    prometheus has the metrics of queues that the scheduler would export after this session; with --queue, of this one.
    """
    del volcano  # There is one release so far, and to have chosen it is all there is to do.
    errors_to = errors_as("explain-queue", chosen, target)
    with reported(debug=debug, errors_to=errors_to):
        if quiet and verbose and not chosen.for_machines:
            origin = environment.setting(["--quiet", "--verbose"])
            raise CommandError(f"--quiet shows the answer only, and --verbose asks for more: give one of them{origin}")
        if queue == "":
            raise CommandError("--queue: an empty name is that of no queue; without --queue, all are shown")
        detail = Detail.SUMMARY if quiet else Detail.EVERYTHING if verbose else Detail.USUAL
        paths = inputs.chosen(files or (), "explain-queue")
        asked = whatif.what_if(
            sets, adds, removes, clones=clones, scales=scales, file=edits, assume_admitted=assume_admitted
        )
        output.check(target, [*paths, conf, *asked.files])
        with Progress(quiet=quiet) as progress:
            result = _run(paths, conf, queue or "", asked, now=now, seed=seed, progress=progress)
        _refuse_unknown_resources(result, resources or ())
        about = again(paths, asked, conf=conf, now=now, seed=seed)
        view = View(detail=detail, queues=QueueView(depth, resources or ()), again=about)
        view = output.fitted(view, chosen, target, no_color=no_color)
        output.write(write(result, chosen, view), target)
        if not quiet:
            _note(result, chosen, target, about)


def _run(
    paths: Sequence[str],
    conf: str | None,
    queue: str,
    asked: whatif.WhatIf,
    *,
    now: datetime | None,
    seed: int | None,
    progress: Progress,
) -> "QueueReport":
    # Imported late: the engine is the bulk of what there is to import, and `--help` needs none of it.
    from vqs.explain.queues.report import UnknownQueue, explain_queues  # noqa: PLC0415
    from vqs.explain.simulate import SimulateOptions  # noqa: PLC0415

    manifests, edits, _ = whatif.read(paths, progress, conf, asked)
    options = SimulateOptions(now=now, seed=seed, scenario=whatif.title(paths, edits), progress=progress)
    try:
        return explain_queues(manifests, options, queue)
    except UnknownQueue as error:
        raise CommandError(f"{error}{environment.setting(['--queue'])}") from None


def _refuse_unknown_resources(result: "QueueReport", patterns: Sequence[str]) -> None:
    """Refuse to show resources that there are none of."""
    # Imported late, as the engine is.
    from vqs.report.queues.resources import unknown_resources  # noqa: PLC0415

    lines = unknown_resources(result, patterns)
    if lines:
        raise CommandError("\n".join(lines) + environment.setting(["--resource"]))


def _note(result: "QueueReport", chosen: Format, target: Path | None, about: "Again") -> None:
    """Tell on stderr what the result's reader would otherwise not see: findings, and the answer in a file."""
    # Imported late, as above.
    from vqs.explain.queues.answer import no_queue_plugin  # noqa: PLC0415
    from vqs.report.queues.page import answer_lines  # noqa: PLC0415

    if chosen.for_machines:
        say(*map(diagnostic_line, result.diagnostics))
        if not result.plugin:
            say(f"note: {no_queue_plugin(result)}")
    if target:
        say(f"{' '.join(answer_lines(result, about))} Written to {target}")
