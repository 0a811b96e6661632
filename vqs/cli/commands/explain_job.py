"""`vqs explain-job`: why a job waits, and which fixes get it placed; without a job, all that wait."""

from collections.abc import Sequence

from vqs.cli import environment, inputs, output, whatif
from vqs.cli.again import repeated
from vqs.cli.arguments.explain_job import ExplainJob
from vqs.cli.failures import CommandError, say
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import say_diagnostics, session_options
from vqs.explain.jobs.outcome import JobReport, WaitingJobs
from vqs.explain.jobs.remedies import SESSIONS
from vqs.explain.jobs.report import NoSuchJob, UnknownJob
from vqs.explain.jobs.report import explain_job as run_session
from vqs.explain.jobs.waiting import waiting_jobs
from vqs.report.formats import View
from vqs.report.registry import write


def run(arguments: ExplainJob) -> int:
    """Run a session, and explain what became of the job; without one, list the jobs that wait."""
    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("explain-job", chosen):
        _check(arguments)
        paths = inputs.chosen(arguments.files, "explain-job")
        output.check(chosen.target, [*paths, arguments.conf, arguments.session.usage, *arguments.edits.files])
        with Progress(quiet=verbosity.quiet) as progress:
            result = _explained(arguments, paths, progress)
    view = View(again=repeated(paths, arguments))
    text = write(result, chosen.format, output.fitted(view, chosen, verbosity))
    output.write(text, chosen.target)
    if not verbosity.quiet:
        _note(arguments, result)
    return 0


def _check(arguments: ExplainJob) -> None:
    """Refuse what contradicts itself."""
    if arguments.job == "":
        raise CommandError(
            "--job is empty: name a job as NAMESPACE/NAME, or leave --job out to list all jobs that wait"
        )
    if arguments.job is None:
        _check_without_job(arguments)
    if not arguments.output.format.for_machines:
        arguments.verbosity.refuse_both("answer")
    if arguments.sessions is not None and arguments.remedies is False:
        origin = environment.setting(["--sessions", "--remedies"])
        raise CommandError(f"--sessions and --no-remedies exclude each other: give one of them{origin}")


def _check_without_job(arguments: ExplainJob) -> None:
    """Refuse the options that are about one job."""
    given = {
        "--sessions": arguments.sessions is not None,
        "--remedies": bool(arguments.remedies),
        "--watch-votes": arguments.watch_votes,
    }
    needing = [name for name, is_given in given.items() if is_given]
    if needing:
        raise CommandError(
            f"{needing[0]} needs --job: fixes and votes are those of one job{environment.setting(needing)}"
        )


def _explained(arguments: ExplainJob, paths: Sequence[str], progress: Progress) -> JobReport | WaitingJobs:
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
            manifests, options, arguments.job, sessions=_sessions(arguments), every_vote=arguments.watch_votes
        )
    except NoSuchJob as error:
        raise CommandError(f"{error}{environment.setting(['--job'])}{_listing(arguments, paths)}") from None
    except UnknownJob as error:
        raise CommandError(f"{error}{environment.setting(['--job'])}") from None


def _listing(arguments: ExplainJob, paths: Sequence[str]) -> str:
    """Name the command that shows which jobs there are to explain."""
    step = repeated(paths, arguments).command("explain-job", "lists the jobs that wait")
    return f"; {step.command} {step.says}"


def _sessions(arguments: ExplainJob) -> int | None:
    """Return how many sessions may be run for remedies; None leaves it to the size of the snapshot."""
    if arguments.verbosity.quiet and not arguments.output.format.for_machines:
        return 0
    if arguments.sessions is not None:
        return arguments.sessions
    return None if arguments.remedies is None else SESSIONS if arguments.remedies else 0


def _note(arguments: ExplainJob, result: JobReport | WaitingJobs) -> None:
    """Tell on stderr what the result's reader would otherwise not see: findings, and the answer in a file."""
    if arguments.output.format.for_machines:
        say_diagnostics(result.diagnostics)
    if arguments.output.target:
        say(f"{result.answer} Written to {arguments.output.target}")
