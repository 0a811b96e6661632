"""`vqs explain-queue`: what queues deserve, hold and may have, and what keeps jobs out of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from vqs.cli import completion, environment, inputs, output, whatif
from vqs.cli.again import repeated
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import Edits, Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import Conf, Debug, Files, Own, at_least_one, option
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import say_diagnostics, session_options
from vqs.report.again import Again
from vqs.report.formats import QueueView, View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.explain.queues.outcome import QueueReport

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


@dataclass(frozen=True, kw_only=True)
class ExplainQueue:
    """Explain what queues deserve and hold, and what limits them.

    FILES are read as by vqs simulate: manifests in YAML or JSON, in files or folders, or - for standard input. Without
    any, they are what VQS_SNAPSHOT names, or what is piped in. One session is run, and its figures are shown.

    Without --queue, all queues are shown, as a tree. With --queue: how its deserved share is calculated, which jobs are
    not admitted, how much room is left in it, its place in the scheduling order, and what it can reclaim or lose. The
    scheduler may ignore a queue without jobs; then only its spec is shown.

    --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first, and can be repeated: --set
    queue/b.spec.weight=5, --set conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10,
    --scale ns/name=8. The file of --edits is a YAML list of such edits; all but those of --set begin with the name
    of the option, as in remove job/ns/name. The edits are applied in this order: --edits, --add, --remove,
    --clone-node, --scale, --set.

    --resource can be repeated, and takes * and ?. It and --depth choose what tables and markdown show. The format
    prometheus has the metrics that the scheduler would export after this session, of all queues or the one of --queue.
    """

    files: Files = ()
    queue: Annotated[str | None, option("--queue", "NAME", "Explain this queue.", complete=completion.queues)] = None
    depth: Annotated[int | None, option("--depth", "N", "Show N levels of the tree.", at_least_one)] = None
    resources: Annotated[
        tuple[str, ...],
        option("--resource", "PATTERN", "Show only these resources.", complete=completion.resources),
    ] = ()
    conf: Conf = None
    edits: Edits
    session: SessionFlags
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("QueueReport"))]
    verbosity: Annotated[
        Verbosity, texts(quiet="Print the answer only.", verbose="Show all rounds, queues, jobs and figures.")
    ]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


def run(arguments: ExplainQueue) -> int:
    """Run a session, and explain its queues."""
    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("explain-queue", chosen):
        if not chosen.format.for_machines:
            verbosity.refuse_both("answer")
        if arguments.queue == "":
            raise CommandError("--queue: the name is empty; without --queue, all queues are shown")
        paths = inputs.chosen(arguments.files, "explain-queue")
        output.check(chosen.target, [*paths, arguments.conf, arguments.session.usage, *arguments.edits.files])
        with Progress(quiet=verbosity.quiet) as progress:
            result = _explained(arguments, paths, progress)
    _refuse_unknown_resources(result, arguments.resources)
    about = repeated(paths, arguments)
    view = View(queues=QueueView(arguments.depth, arguments.resources), again=about)
    text = write(result, chosen.format, output.fitted(view, chosen, verbosity))
    output.write(text, chosen.target)
    if not verbosity.quiet:
        _note(arguments, result, about)
    return 0


COMMAND: Final = command("explain-queue", ExplainQueue, run, _EXAMPLES)


def _explained(arguments: ExplainQueue, paths: Sequence[str], progress: Progress) -> QueueReport:
    from vqs.explain.queues.report import UnknownQueue, explain_queues

    manifests, made = whatif.read(
        paths, progress, arguments.conf, arguments.edits, session=arguments.session, release=arguments.release.choice
    )
    title = whatif.title(paths, made)
    options = session_options(arguments.session, progress, scenario=title)
    try:
        return explain_queues(manifests, options, arguments.queue or "")
    except UnknownQueue as error:
        raise CommandError(f"{error}{environment.setting(['--queue'])}") from None


def _refuse_unknown_resources(result: QueueReport, patterns: Sequence[str]) -> None:
    """Refuse to show resources that there are none of."""
    from vqs.report.queues.tree import unknown_resources

    lines = unknown_resources(result, patterns)
    if lines:
        raise CommandError("\n".join(lines) + environment.setting(["--resource"]))


def _note(arguments: ExplainQueue, result: QueueReport, about: Again) -> None:
    """Tell on stderr what the result's reader would otherwise not see: findings, and the answer in a file."""
    from vqs.explain.queues.answer import no_queue_plugin
    from vqs.report.queues.page import answer_lines

    if arguments.output.format.for_machines:
        say_diagnostics(result.diagnostics)
        if not result.plugin:
            say(f"note: {no_queue_plugin(result)}")
    if arguments.output.target:
        say(f"{' '.join(answer_lines(result, about))} Written to {arguments.output.target}")
