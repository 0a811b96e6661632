"""`vqs explain-job`: why a job waits, and which fixes get it placed; without a job, all that wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import completion, environment, inputs, output, whatif
from vqs.cli.again import repeated
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import Edits, Output, ReadingLimits, ReleaseFlags, SessionFlags, Verbosity
from vqs.cli.options import Conf, Debug, Files, Own, at_least_one, flag, option, span
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import say_diagnostics, session_options
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.explain.jobs.outcome import JobReport
    from vqs.explain.jobs.waiting_outcome import WaitingJobs

BUDGET: Final = 10.0
"""For how many seconds fixes are searched for, unless it is said."""

_EXAMPLES = """
\b
Examples:
  vqs explain-job snapshot.json
  vqs explain-job scenarios/preempt-spared-by-gang.yaml --job urgent
  vqs explain-job snapshot.json --job research/train
  vqs explain-job snapshot.json --job research/train --watch-votes -v
  vqs explain-job snapshot.json --job research/train --budget 1m --all-fixes
  vqs explain-job manifests/ --job research/train --patch fix.diff --fix 2
  kubectl get nodes,pods,... -A -o json | vqs explain-job --job research/train

Each option can be set in the environment: --job by VQS_JOB, and so on.

Exit status: 0 the session ran, 2 the input or the command line is wrong, 130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class ExplainJob:
    """Explain what became of a job: admission, scheduling order, placement attempts, eviction, and fixes.

    Without --job, every job that waits is listed, with its cause.

    FILES are read as by vqs simulate: manifests in YAML or JSON, in files or folders, or - for standard input. Without
    any, they are what VQS_SNAPSHOT names, or what is piped in. A job may be named without its namespace where it is the
    only one of that name.

    For a job of which pods wait, vqs tries changes, each in as many sessions as it takes, to find the smallest change
    For a job of which pods wait, vqs tries changes, each in as many sessions as it takes, to find the smallest change
    of one field that gets more of its pods placed; where none starts the job, two together. The search begins with what
    lifts the job's blockers, uses all cores in a large snapshot, and ends after 10 seconds, or --budget, or once the
    answer is good. The five fixes that cost others least are shown; with --all-fixes, all changes are tried and all
    fixes shown. --patch writes the first fix, or that of --fix, to a file: what changes in the manifests, as patch -p0
    and git apply -p0 read it, where the file ends in .diff or .patch, else the patches as a component for kustomize.
    The plugins' votes on victims are kept for a few nodes, and with --watch-votes for all nodes.

    --set, --add, --remove, --clone-node, --scale and --edits change the snapshot first, and can be repeated: --set
    queue/b.spec.weight=5, --set conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10,
    --scale ns/name=8. The file of --edits is a YAML list of such edits; all but those of --set begin with the name
    of the option, as in remove job/ns/name. The edits are applied in this order: --edits, --add, --remove,
    --clone-node, --scale, --set.
    """

    files: Files = ()
    job: Annotated[str | None, option("--job", "NS/NAME", "Explain this job.", complete=completion.whole_jobs)] = None
    remedies: Annotated[
        bool | None,
        typer.Option(
            "--remedies/--no-remedies",
            help="Search for fixes, or do not.",
            envvar=environment.variable("--remedies"),
            show_envvar=False,
            show_default=False,
        ),
    ] = None
    budget: Annotated[
        float | None,
        option(
            "--budget", "DURATION", f"Search for fixes as long as that, {BUDGET:.0f}s by default; 0 tries none.", span
        ),
    ] = None
    sessions: Annotated[
        int | None, option("--sessions", "N", "Try at most N changes in that search.", at_least_one)
    ] = None
    all_fixes: Annotated[bool, flag("--all-fixes", "Try all changes, and show all fixes, not just five.")] = False
    patch: Annotated[
        Path | None, option("--patch", "FILE", "Write a fix to FILE: .diff for manifests, .yaml for kustomize.", Path)
    ] = None
    fix: Annotated[
        int | None, option("--fix", "N", "Write fix N with --patch, instead of the first.", at_least_one)
    ] = None
    watch_votes: Annotated[bool, flag("--watch-votes", "Keep the votes on every node.")] = False
    conf: Conf = None
    edits: Edits
    session: SessionFlags
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("JobReport"))]
    verbosity: Annotated[
        Verbosity, texts(quiet="Only the answer, no notes.", verbose="Every attempt, search, vote and name.")
    ]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


def run(arguments: ExplainJob) -> int:
    """Run a session, and explain what became of the job; without one, list the jobs that wait."""
    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("explain-job", chosen):
        _check(arguments)
        paths = inputs.chosen(arguments.files, "explain-job")
        read = [*paths, arguments.conf, arguments.session.usage, *arguments.edits.files]
        output.check(chosen.target, read)
        output.check(arguments.patch, read)
        with Progress(quiet=verbosity.quiet) as progress:
            result = _explained(arguments, paths, progress)
        patch = _patch(arguments, result)
    view = View(again=repeated(paths, arguments), all_fixes=arguments.all_fixes)
    text = write(result, chosen.format, output.fitted(view, chosen, verbosity))
    output.write(text, chosen.target)
    if patch:
        output.write(patch, arguments.patch)
    if not verbosity.quiet:
        _note(arguments, result)
    return 0


_DIFFS: Final = (".diff", ".patch")
_PATCHES: Final = (*_DIFFS, ".yaml", ".yml")

COMMAND: Final = command("explain-job", ExplainJob, run, _EXAMPLES)


def _check(arguments: ExplainJob) -> None:
    """Refuse what contradicts itself."""
    if arguments.job == "":
        raise CommandError(
            "--job is empty: name a job as NAMESPACE/NAME, or leave --job out to list all jobs that wait"
        )
    if arguments.job is None:
        _check_without_job(arguments)
    if arguments.fix is not None and arguments.patch is None:
        raise CommandError(f"--fix needs --patch FILE: it says which fix is written{environment.setting(['--fix'])}")
    if arguments.patch is not None and arguments.patch.suffix not in _PATCHES:
        raise CommandError(f"--patch {arguments.patch}: the name has to end in one of {', '.join(_PATCHES)}")
    if not arguments.output.format.for_machines:
        arguments.verbosity.refuse_both("answer")
    given = {"--sessions": arguments.sessions is not None, "--budget": bool(arguments.budget)}
    if arguments.remedies is False and any(given.values()):
        name = next(each for each in given if given[each])
        raise CommandError(
            f"{name} and --no-remedies exclude each other: give one of them{environment.setting([name, '--remedies'])}"
        )


def _check_without_job(arguments: ExplainJob) -> None:
    """Refuse the options that are about one job."""
    given = {
        "--budget": arguments.budget is not None,
        "--sessions": arguments.sessions is not None,
        "--remedies": bool(arguments.remedies),
        "--all-fixes": arguments.all_fixes,
        "--patch": arguments.patch is not None,
        "--watch-votes": arguments.watch_votes,
    }
    needing = [name for name, is_given in given.items() if is_given]
    if needing:
        raise CommandError(
            f"{needing[0]} needs --job: fixes and votes are those of one job{environment.setting(needing)}"
        )


def _explained(arguments: ExplainJob, paths: Sequence[str], progress: Progress) -> JobReport | WaitingJobs:
    from vqs.diff.findings import added_warnings
    from vqs.explain.jobs.report import NoSuchJob, UnknownJob
    from vqs.explain.jobs.report import explain_job as run_session
    from vqs.explain.jobs.waiting import waiting_jobs

    manifests, made = whatif.read(
        paths,
        progress,
        arguments.conf,
        arguments.edits,
        session=arguments.session,
        release=arguments.release.choice,
    )
    title = whatif.title(paths, made)
    options = session_options(arguments.session, progress, scenario=title)
    if arguments.job is None:
        return waiting_jobs(manifests, options)
    try:
        return run_session(
            manifests,
            options,
            arguments.job,
            sessions=arguments.sessions,
            seconds=_seconds(arguments),
            everything=arguments.all_fixes,
            every_vote=arguments.watch_votes,
            judge=added_warnings,
        )
    except NoSuchJob as error:
        raise CommandError(f"{error}{environment.setting(['--job'])}{_listing(arguments, paths)}") from None
    except UnknownJob as error:
        raise CommandError(f"{error}{environment.setting(['--job'])}") from None


def _patch(arguments: ExplainJob, result: JobReport | WaitingJobs) -> str:
    """Return the text of the file that --patch asks for; empty without the option."""
    if arguments.patch is None:
        return ""
    from vqs.explain.jobs.outcome import JobReport
    from vqs.report.job.patch import kustomization
    from vqs.report.job.remedies import fix_at

    number = arguments.fix or 1
    fix = fix_at(result, number) if isinstance(result, JobReport) else None
    if fix is None:
        raise CommandError(f"there is no fix {number} to write to {arguments.patch}: {result.answer}")
    if arguments.patch.suffix in _DIFFS:
        text, missing = (
            fix.diff,
            "no file that was read has what it changes; a name that ends in .yaml asks for patches",
        )
    else:
        text, missing = kustomization(fix) if fix.patches else "", "no patch of an object makes it"
    if not text:
        raise CommandError(f"fix {number} cannot be written to {arguments.patch}: {missing}: {'; '.join(fix.edits)}")
    return text


def _listing(arguments: ExplainJob, paths: Sequence[str]) -> str:
    """Name the command that shows which jobs there are to explain."""
    step = repeated(paths, arguments).command("explain-job", "lists the jobs that wait")
    return f"; {step.command} {step.says}"


def _seconds(arguments: ExplainJob) -> float:
    """Return how long fixes are searched for; not at all where only the answer is shown."""
    if arguments.remedies is False or (
        arguments.verbosity.quiet and not arguments.output.format.for_machines and arguments.patch is None
    ):
        return 0.0
    return BUDGET if arguments.budget is None else arguments.budget


def _note(arguments: ExplainJob, result: JobReport | WaitingJobs) -> None:
    """Tell on stderr what the result's reader would otherwise not see: findings, and the answer in a file."""
    if arguments.output.format.for_machines:
        say_diagnostics(result.diagnostics)
    if arguments.output.target:
        say(f"{result.answer} Written to {arguments.output.target}")
