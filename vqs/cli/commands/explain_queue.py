"""`vqs explain-queue`: what queues deserve, hold and may have, and what keeps jobs out of one."""

from __future__ import annotations

from collections.abc import Sequence

from vqs.cli import completion, inputs, output, process
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import EDITS, RELEASE, SESSION, Edits, Output, SessionFlags, again, output_group, verbosity
from vqs.cli.options import CONF, FILES, at_least_one, option
from vqs.cli.output import Progress
from vqs.releases.profile import ReleaseChoice
from vqs.report.formats import QueueView, View
from vqs.report.registry import formats_of, write

_HELP = """
Explain what queues deserve and hold, and what limits them.

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


@command(
    "explain-queue",
    _HELP,
    _EXAMPLES,
    FILES,
    option("--queue", "NAME", "Explain this queue.", complete=completion.queues),
    option("--depth", "N", "Show N levels of the tree.", at_least_one),
    option(
        "--resource resources", "PATTERN", "Show only these resources.", multiple=True, complete=completion.resources
    ),
    CONF,
    EDITS,
    SESSION,
    RELEASE,
    output_group(formats_of("QueueReport")),
    *verbosity(quiet="Print the answer only.", verbose="Show all rounds, queues, jobs and figures."),
)
def run(
    *,
    files: Sequence[str],
    queue: str | None,
    depth: int | None,
    resources: tuple[str, ...],
    conf: str | None,
    edits: Edits,
    session: SessionFlags,
    release: ReleaseChoice,
    out: Output,
) -> int:
    """Run a session, and explain its queues."""
    from vqs.explain.queues.answer import no_queue_plugin
    from vqs.explain.queues.report import UnknownQueue, explain_queues
    from vqs.report.queues.page import answer_lines
    from vqs.report.queues.tree import unknown_resources

    with output.refused_as("explain-queue", out):
        out.refuse_both("answer")
        if queue == "":
            raise CommandError("--queue: the name is empty; without --queue, all queues are shown")
        paths = inputs.chosen(files, "explain-queue")
        output.check(out.target, [*paths, conf, session.usage, *edits.files])
        with Progress() as progress:
            manifests, made = inputs.read_edited(paths, progress, conf, edits, session=session, release=release)
            manifests = inputs.with_denials(manifests)
            options = inputs.session_options(session, progress, scenario=inputs.title(paths, made))
            try:
                result = explain_queues(manifests, options, queue or "")
            except UnknownQueue as error:
                raise CommandError(f"{error}{process.setting(['--queue'])}") from None
    unknown = unknown_resources(result, resources)
    if unknown:
        raise CommandError("\n".join(unknown) + process.setting(["--resource"]))
    about = again(paths, edits, session, release, conf)
    view = View(queues=QueueView(depth, resources), again=about)
    output.write(write(result, out.format, output.fitted(view, out)), out.target)
    inputs.say_diagnostics(result.diagnostics, out)
    if out.format.for_machines and not out.quiet and not result.plugin:
        say(f"note: {no_queue_plugin(result)}")
    output.say_written(" ".join(answer_lines(result, about)), out)
    return 0
