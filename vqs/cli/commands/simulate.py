"""`vqs simulate`: one session of the scheduler on a snapshot."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final

from vqs.cli import completion, environment, inputs, live, output, whatif
from vqs.cli.again import repeated
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError, say
from vqs.cli.github import add_summary, grouped, in_workflow
from vqs.cli.groups import ClusterFlags, Edits, Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import (
    Conf,
    Debug,
    Files,
    NoCi,
    Own,
    at_least_one,
    file_name,
    flag,
    option,
)
from vqs.cli.own_process import left_to_its_end
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import say_diagnostics, session_options
from vqs.report.formats import Detail, Extras, Filters, Format, View
from vqs.report.registry import formats_of, write
from vqs.snapshot.reading.collector import paused_collector

if TYPE_CHECKING:
    from vqs.explain.cycles import Cycles
    from vqs.explain.outcome import Simulation
    from vqs.explain.simulate import SimulateOptions
    from vqs.snapshot.reading.manifests import Manifests

DIFFERENCE: Final = 1

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

Exit status: 0 the session ran, 1 an expectation does not hold, 2 the input or the command line is wrong,
130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class Simulate:
    """Run one scheduling session on a snapshot: where each pod is placed, or why it is not.

    FILES are manifests in YAML or JSON: files, folders, or - for standard input. Without any, the snapshot is what
    VQS_SNAPSHOT names, or what is piped in.

    With --live, the cluster is captured first, through your kubectl, and FILES are added to it, such as a job that is
    not submitted yet. --context, --namespace, --kubeconfig and --request-timeout work as for vqs capture.

    The scheduler's configuration is the one in the snapshot (a ConfigMap with a *.conf key) unless --conf gives
    another, else Volcano's built-in one. Without --now, the session's time is the scenario's, else the snapshot's
    newest timestamp. Without --seed, the lowest name wins among equally good nodes.

    --usage gives the usage of nodes, which only the plugins usage and rescheduling read: what kubectl top nodes or
    kubectl get nodes.metrics.k8s.io -o json prints, or percentages by node in YAML. So do NodeMetrics among FILES.

    --node-sample ends the search for a node as the scheduler does, once enough nodes fit; the next search begins where
    it ended. Its value is default, or some of the scheduler's options: minimum-feasible-nodes=100,
    minimum-percentage-nodes-to-find=5,percentage-nodes-to-find=0.

    The expectations of scenarios among FILES, and those in the file of --expect, are checked.

    --queue, --job, --status and --verdict can be repeated, and take * and ?. They choose what tables and markdown show,
    and what their summary counts; the result in JSON is that of the whole session.

    --fit-errors and --scores can be repeated too. They show the nodes at the last attempt to place the task.

    --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first, and can be repeated: --set
    queue/b.spec.weight=5, --set conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10,
    --scale ns/name=8. The file of --edits is a YAML list of such edits; all but those of --set begin with the name
    of the option, as in remove job/ns/name. The edits are applied in this order: --edits, --add, --remove,
    --clone-node, --scale, --set.

    --cycles runs further sessions, one second apart: bound pods run, evicted pods are gone, and controllers have
    created their pods again. A table shows what each session did, and the last session is shown in full; jobs that
    evict each other are named. Expectations apply to the first session. In JSON, the array `cycles` has all sessions.

    In GitHub Actions (GITHUB_ACTIONS=true), the report is added to the job's summary, and a table in the log is a
    group, with the summary below it; --no-ci switches both off.
    """

    files: Files = ()
    is_live: Annotated[bool, flag("--live", "Read a live cluster, as vqs capture does.")] = False
    cluster: ClusterFlags
    conf: Conf = None
    expect: Annotated[str | None, option("--expect", "FILE", "Check the expectations in this file.", file_name)] = None
    edits: Edits
    session: SessionFlags
    cycles: Annotated[
        int | None, option("--cycles", "N", "Run up to N sessions, until nothing changes.", at_least_one)
    ] = None
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("Simulation"))]
    queues: Annotated[
        tuple[str, ...], option("--queue", "PATTERN", "Show only these queues.", complete=completion.queues)
    ] = ()
    jobs: Annotated[tuple[str, ...], option("--job", "PATTERN", "Show only these jobs.", complete=completion.jobs)] = ()
    statuses: Annotated[
        tuple[str, ...],
        option("--status", "PATTERN", "Show only tasks with this status.", complete=completion.statuses),
    ] = ()
    verdicts: Annotated[
        tuple[str, ...],
        option("--verdict", "PATTERN", "Show only jobs and tasks with this verdict.", complete=completion.verdicts),
    ] = ()
    fit_errors: Annotated[
        tuple[str, ...],
        option("--fit-errors", "NS/TASK", "Show why each node rejects this task.", complete=completion.tasks),
    ] = ()
    scores: Annotated[
        tuple[str, ...],
        option("--scores", "NS/TASK", "Show each node's scores for this task.", complete=completion.tasks),
    ] = ()
    nodes: Annotated[bool, flag("--nodes", "Show the nodes.")] = False
    trace: Annotated[bool, flag("--trace", "Show all decisions, in their order.")] = False
    verbosity: Annotated[Verbosity, texts(verbose="Show all tasks, jobs, figures and log lines.")]
    timing: Annotated[bool, flag("--timing", "Show how many seconds each part took.")] = False
    no_ci: NoCi = False
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


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


COMMAND: Final = command("simulate", Simulate, run, _EXAMPLES)


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
    from vqs.report.simulation.extras import unknown_tasks

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
        from vqs.explain.cycles import run_cycles

        return left_to_its_end(run_cycles(manifests, options, arguments.cycles))
    from vqs.explain.outlook import simulate_ahead

    with paused_collector():
        return left_to_its_end(simulate_ahead(manifests, options))


def _first(result: Simulation | Cycles) -> Simulation:
    """Return the first session, which expectations are of."""
    from vqs.explain.outcome import Simulation

    return result if isinstance(result, Simulation) else result.cycles[0].simulation


def _last(result: Simulation | Cycles) -> Simulation:
    """Return the session that is shown whole."""
    from vqs.explain.outcome import Simulation

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
    from vqs.report.simulation.extras import misses, selected
    from vqs.report.simulation.summary import summarize

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
    from vqs.report.simulation.summary import failed_lines

    failed = failed_lines(_first(result))
    if arguments.verbosity.quiet or arguments.output.format.for_machines or arguments.output.target:
        say(*(f"expected: {line}" for line in failed))
    return DIFFERENCE if failed else 0
