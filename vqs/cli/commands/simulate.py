"""`vqs simulate`: one session of the scheduler on a snapshot."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from vqs.cli import completion, inputs, output, process
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import (
    CLUSTER,
    EDITS,
    RELEASE,
    SESSION,
    ClusterFlags,
    Edits,
    Output,
    SessionFlags,
    again,
    output_group,
    verbosity,
)
from vqs.cli.options import CONF, FILES, NO_CI, at_least_one, file_name, flag, option
from vqs.cli.output import Progress
from vqs.cli.process import left_to_its_end
from vqs.releases.profile import ReleaseChoice
from vqs.report.formats import Extras, Filters, Format, View
from vqs.report.registry import formats_of, write
from vqs.snapshot.reading.collector import paused_collector

if TYPE_CHECKING:
    from vqs.explain.cycles import Cycles
    from vqs.explain.outcome import Simulation
    from vqs.explain.simulate import SimulateOptions
    from vqs.snapshot.reading.manifests import Manifests

DIFFERENCE: Final = 1

_HELP = """
Run one scheduling session on a snapshot: where each pod is placed, or why it is not.

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


@command(
    "simulate",
    _HELP,
    _EXAMPLES,
    FILES,
    flag("--live is_live", "Read a live cluster, as vqs capture does."),
    CLUSTER,
    CONF,
    option("--expect", "FILE", "Check the expectations in this file.", file_name),
    EDITS,
    SESSION,
    option("--cycles", "N", "Run up to N sessions, until nothing changes.", at_least_one),
    RELEASE,
    output_group(formats_of("Simulation")),
    option("--queue queues", "PATTERN", "Show only these queues.", multiple=True, complete=completion.queues),
    option("--job jobs", "PATTERN", "Show only these jobs.", multiple=True, complete=completion.jobs),
    option(
        "--status statuses", "PATTERN", "Show only tasks with this status.", multiple=True, complete=completion.statuses
    ),
    option(
        "--verdict verdicts",
        "PATTERN",
        "Show only jobs and tasks with this verdict.",
        multiple=True,
        complete=completion.verdicts,
    ),
    option(
        "--fit-errors", "NS/TASK", "Show why each node rejects this task.", multiple=True, complete=completion.tasks
    ),
    option("--scores", "NS/TASK", "Show each node's scores for this task.", multiple=True, complete=completion.tasks),
    flag("--nodes", "Show the nodes."),
    flag("--trace", "Show all decisions, in their order."),
    *verbosity(verbose="Show all tasks, jobs, figures and log lines."),
    flag("--timing", "Show how many seconds each part took."),
    NO_CI,
)
def run(
    *,
    files: Sequence[str],
    is_live: bool,
    cluster: ClusterFlags,
    conf: str | None,
    expect: str | None,
    edits: Edits,
    session: SessionFlags,
    cycles: int | None,
    release: ReleaseChoice,
    out: Output,
    queues: tuple[str, ...],
    jobs: tuple[str, ...],
    statuses: tuple[str, ...],
    verdicts: tuple[str, ...],
    fit_errors: tuple[str, ...],
    scores: tuple[str, ...],
    nodes: bool,
    trace: bool,
    timing: bool,
    no_ci: bool,
) -> int:
    """Run the session, or several, and write what came of it."""
    with output.refused_as("simulate", out):
        filters = Filters(queues, jobs, statuses, verdicts)
        extras = Extras(nodes=nodes, trace=trace, fit_errors=fit_errors, scores=scores)
        _refuse_more(out, timing=timing, extras=extras)
        captured = inputs.wanted(cluster, live=is_live)
        paths = inputs.chosen(files, live=is_live)
        output.check(out.target, [*paths, conf, expect, session.usage, *edits.files])
        known = formats_of("Cycles")
        if cycles is not None and out.format not in known:
            origin = process.setting(["--cycles", "--format"])
            raise CommandError(f"--cycles has the formats {', '.join(known)}, not {out.format}{origin}")
        with Progress() as progress, inputs.snapshot(captured, progress) as called:
            started = time.perf_counter()
            manifests, made = inputs.read_edited(
                [*called, *paths], progress, conf, edits, expect=expect, session=session, release=release, called=called
            )
            manifests = inputs.with_denials(manifests)
            parsed = time.perf_counter() - started
            options = replace(
                inputs.session_options(session, progress, scenario=inputs.title([*called, *paths], made, called)),
                timing=timing,
                watch=extras.watched,
                nodes=nodes or out.format is Format.HTML,
            )
            result = _sessions(manifests, options, cycles)
    first, last = _ends(result)
    if first.timing:
        first.timing.parse = parsed
    _refuse_unknown_tasks(last, extras)
    about = again(() if is_live else paths, edits, session, release, conf)
    _write(result, out, View(filters=filters, extras=extras, again=about), in_log=output.in_workflow() and not no_ci)
    return _noted(first, last, out, filters)


def _refuse_more(out: Output, *, timing: bool, extras: Extras) -> None:
    """Refuse what adds to a report of which only the summary is shown."""
    if not out.quiet or out.format.for_machines:
        return
    asked = {
        "--verbose": out.verbose,
        "--timing": timing,
        "--nodes": extras.nodes,
        "--trace": extras.trace,
        "--fit-errors": extras.fit_errors,
        "--scores": extras.scores,
    }
    for name, given in asked.items():
        if given:
            origin = process.setting(["--quiet", name])
            raise CommandError(f"--quiet shows the summary only, and {name} asks for more: give one of them{origin}")


def _sessions(manifests: Manifests, options: SimulateOptions, cycles: int | None) -> Simulation | Cycles:
    """Run one session, whose cluster is left to the end of the process; or several, each without that of the last."""
    if cycles is not None:
        from vqs.explain.cycles import run_cycles

        return left_to_its_end(run_cycles(manifests, options, cycles))
    from vqs.explain.outlook import simulate_ahead

    with paused_collector():
        return left_to_its_end(simulate_ahead(manifests, options))


def _ends(result: Simulation | Cycles) -> tuple[Simulation, Simulation]:
    """Return the first session, which expectations are of, and the last, which is shown whole."""
    from vqs.explain.outcome import Simulation

    if isinstance(result, Simulation):
        return result, result
    return result.cycles[0].simulation, result.cycles[-1].simulation


def _refuse_unknown_tasks(result: Simulation, extras: Extras) -> None:
    """Refuse to show anything of tasks that do not exist."""
    from vqs.report.simulation.page import unknown_tasks

    lines = unknown_tasks(result, extras) if extras.watched else []
    if lines:
        raise CommandError("\n".join(lines))


def _write(result: Simulation | Cycles, out: Output, view: View, *, in_log: bool) -> None:
    """Write the result; where it is to tell how long that takes, write it once more with the answer."""
    view = output.fitted(view, out)
    started = time.perf_counter()
    text = write(result, out.format, view)
    timing = _ends(result)[0].timing
    if timing:
        timing.report = time.perf_counter() - started
        text = write(result, out.format, view)
    output.publish("simulate", text, out, partial(write, result), view, in_log=in_log)


def _noted(first: Simulation, last: Simulation, out: Output, filters: Filters) -> int:
    """Tell on stderr what the result's reader would otherwise not see, and return the exit code."""
    from vqs.report.simulation.page import misses, selected
    from vqs.report.simulation.summary import failed_lines, summarize

    if filters and not out.quiet:
        say(*(f"note: {miss}" for miss in misses(last, filters)))
    inputs.say_diagnostics(first.diagnostics, out)
    if out.target and not out.quiet:
        about = last if out.format.for_machines else selected(last, filters)
        say(f"{summarize(about).sentence()}; written to {out.target}")
    failed = failed_lines(first)
    if out.quiet or out.format.for_machines or out.target:
        say(*(f"expected: {line}" for line in failed))
    return DIFFERENCE if failed else 0
