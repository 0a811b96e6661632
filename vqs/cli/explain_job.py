"""`vqs explain-job`: the life of one job through a session, and what would have to change for it to be placed."""

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
    Usage,
    Volcano,
    at_least_one,
    choice,
    flag,
    option,
)
from vqs.cli.progress import Progress
from vqs.cli.reading import ReadingCommand
from vqs.cli.refused import errors_as
from vqs.report.formats import Detail, Format, View
from vqs.report.phrases import diagnostic_line
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.explain.jobs.outcome import JobReport
    from vqs.snapshot.manifests import Manifests

_EXAMPLES = """
\b
Examples:
  vqs explain-job scenarios/preempt-spared-by-gang.yaml --job urgent
  vqs explain-job snapshot.json --job research/train
  vqs explain-job snapshot.json --job research/train --watch-votes -v
  vqs explain-job snapshot.json --job research/train --remedies --sessions 40
  kubectl get nodes,pods,... -A -o json | vqs explain-job --job research/train

Each option can be set in the environment: --job by VQS_JOB, and so on.

Exit status: 0 the session ran, 2 the input or the command line is wrong, 130 interrupted.
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "explain-job",
        cls=ReadingCommand,
        epilog=_EXAMPLES,
        short_help="Explain what became of a job, and what would help it.",
    )(explain_job)


def explain_job(
    files: Annotated[list[str] | None, typer.Argument(metavar="FILES", hidden=True)] = None,
    *,
    job: Annotated[str, option("--job", "NS/NAME", "Explain this job.", complete=completion.whole_jobs)] = "",
    remedies: Annotated[
        bool | None,
        typer.Option(
            "--remedies/--no-remedies",
            help="Find out, or not, what would help.",
            envvar=environment.variable("--remedies"),
            show_envvar=False,
            show_default=False,
        ),
    ] = None,
    sessions: Annotated[
        int | None, option("--sessions", "N", "Run so many sessions for that at most.", at_least_one)
    ] = None,
    watch_votes: Annotated[bool, flag("--watch-votes", "Keep the votes on every node.")] = False,
    conf: Conf = None,
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
    volcano: Release = Volcano.V1_14,
    chosen: Annotated[
        Format, choice("--format", formats_of("JobReport"), "How to write the result.", "-f")
    ] = Format.TABLE,
    target: Target = None,
    quiet: Annotated[bool, flag("--quiet", "Only the answer, no notes.", "-q")] = False,
    verbose: Annotated[bool, flag("--verbose", "Every try, search, vote and name.", "-v")] = False,
    no_color: NoColor = False,
    debug: Debug = False,
) -> None:
    """Explain what became of a job: the gate to its queue, its turn, each try to place it, and eviction.

    FILES are read as by vqs simulate: manifests in YAML or JSON, in files or folders, or - for standard input. Without
    any, they are what VQS_SNAPSHOT names, or what is piped in. A job may be named without its namespace where it is the
    only one of that name.

    For a job that is not placed, further sessions are run to find the smallest change of one thing with which it would
    be: up to 80 where there are no more than 2,000 nodes and tasks; in larger snapshots only with --remedies, or where
    --sessions says how many. The votes on whom to evict are kept for a few nodes, and with --watch-votes for all.

    --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first, and can be repeated: --set
    queue/b.spec.weight=5, --set conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10,
    --scale job/ns/name=8. The file of --edits is a YAML list of such texts, those that set nothing with the verb first.
    The edits are made in this order: --edits, --add, --remove, --clone-node, --scale, --set.
    """
    del volcano  # There is one release so far, and to have chosen it is all there is to do.
    errors_to = errors_as("explain-job", chosen, target)
    with reported(debug=debug, errors_to=errors_to):
        _check(job, quiet=quiet and not chosen.for_machines, verbose=verbose, remedies=remedies, sessions=sessions)
        detail = Detail.SUMMARY if quiet else Detail.EVERYTHING if verbose else Detail.USUAL
        paths = inputs.chosen(files or (), "explain-job")
        asked = whatif.what_if(
            sets, adds, removes, clones=clones, scales=scales, file=edits, assume_admitted=assume_admitted
        )
        output.check(target, [*paths, conf, usage, *asked.files])
        only_answer = quiet and not chosen.for_machines
        most = 0 if only_answer else _sessions(remedies=remedies, sessions=sessions)
        with Progress(quiet=quiet) as progress:
            manifests, made, _ = whatif.read(paths, progress, conf, asked, usage=usage)
            scenario = whatif.title(paths, made)
            result = _run(
                manifests,
                job,
                scenario,
                now=now,
                seed=seed,
                sessions=most,
                every_vote=watch_votes,
                progress=progress,
            )
        view = View(detail=detail, again=again(paths, asked, conf=conf, usage=usage, now=now, seed=seed))
        view = output.fitted(view, chosen, target, no_color=no_color)
        output.write(write(result, chosen, view), target)
        if not quiet:
            _note(result, chosen, target)


def _check(job: str, *, quiet: bool, verbose: bool, remedies: bool | None, sessions: int | None) -> None:
    """Refuse what contradicts itself."""
    if not job:
        raise CommandError("--job is missing: name the job to explain, as NAMESPACE/NAME")
    if quiet and verbose:
        origin = environment.setting(["--quiet", "--verbose"])
        raise CommandError(f"--quiet shows the answer only, and --verbose asks for more: give one of them{origin}")
    if sessions is not None and remedies is False:
        origin = environment.setting(["--sessions", "--remedies"])
        raise CommandError(f"--sessions says how many to run, and --no-remedies runs none: give one of them{origin}")


def _sessions(*, remedies: bool | None, sessions: int | None) -> int | None:
    """Return how many sessions may be run for remedies; None leaves it to the size of the snapshot."""
    # Imported late, as the engine is.
    from vqs.explain.jobs.remedies import SESSIONS  # noqa: PLC0415

    if sessions is not None:
        return sessions
    return None if remedies is None else SESSIONS if remedies else 0


def _run(
    manifests: "Manifests",
    job: str,
    scenario: str,
    *,
    now: datetime | None,
    seed: int | None,
    sessions: int | None,
    every_vote: bool,
    progress: Progress,
) -> "JobReport":
    # Imported late: the engine is the bulk of what there is to import, and `--help` needs none of it.
    from vqs.explain.jobs.report import UnknownJob  # noqa: PLC0415
    from vqs.explain.jobs.report import explain_job as run_session  # noqa: PLC0415
    from vqs.explain.simulate import SimulateOptions  # noqa: PLC0415

    options = SimulateOptions(now=now, seed=seed, scenario=scenario, progress=progress)
    try:
        return run_session(manifests, options, job, sessions=sessions, every_vote=every_vote)
    except UnknownJob as error:
        raise CommandError(f"{error}{environment.setting(['--job'])}") from None


def _note(result: "JobReport", chosen: Format, target: Path | None) -> None:
    """Tell on stderr what the result's reader would otherwise not see: findings, and the answer in a file."""
    if chosen.for_machines:
        say(*map(diagnostic_line, result.diagnostics))
    if target:
        say(f"{result.answer} Written to {target}")
