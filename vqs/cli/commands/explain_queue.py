"""`vqs explain-queue`: what queues deserve, hold and may have, and what keeps jobs out of one."""

from collections.abc import Sequence

from vqs.cli import environment, inputs, output, whatif
from vqs.cli.again import repeated
from vqs.cli.arguments.explain_queue import ExplainQueue
from vqs.cli.failures import CommandError, say
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import say_diagnostics, session_options
from vqs.explain.queues.answer import no_queue_plugin
from vqs.explain.queues.outcome import QueueReport
from vqs.explain.queues.report import UnknownQueue, explain_queues
from vqs.report.again import Again
from vqs.report.formats import QueueView, View
from vqs.report.queues.page import answer_lines
from vqs.report.queues.tree import unknown_resources
from vqs.report.registry import write


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


def _explained(arguments: ExplainQueue, paths: Sequence[str], progress: Progress) -> QueueReport:
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
    lines = unknown_resources(result, patterns)
    if lines:
        raise CommandError("\n".join(lines) + environment.setting(["--resource"]))


def _note(arguments: ExplainQueue, result: QueueReport, about: Again) -> None:
    """Tell on stderr what the result's reader would otherwise not see: findings, and the answer in a file."""
    if arguments.output.format.for_machines:
        say_diagnostics(result.diagnostics)
        if not result.plugin:
            say(f"note: {no_queue_plugin(result)}")
    if arguments.output.target:
        say(f"{' '.join(answer_lines(result, about))} Written to {arguments.output.target}")
