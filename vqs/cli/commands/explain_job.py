"""`vqs explain-job`: why a job waits, and which fixes get it placed; without a job, all that wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from vqs.cli import completion, environment, inputs, output
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import EDITS, RELEASE, SESSION, Edits, Output, SessionFlags, again, output_group, verbosity
from vqs.cli.options import CONF, FILES, at_least_one, flag, option, span
from vqs.cli.progress import Progress
from vqs.releases.choice import ReleaseChoice
from vqs.report.again import Again
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.explain.jobs.outcome import JobReport
    from vqs.explain.simulate import SimulateOptions
    from vqs.snapshot.reading.manifests import Manifests

BUDGET: Final = 10.0
"""For how many seconds fixes are searched for, unless it is said."""

_HELP = """
Explain what became of a job: admission, scheduling order, placement attempts, eviction, and fixes.

Without --job, every job that waits is listed, with its cause.

FILES are read as by vqs simulate: manifests in YAML or JSON, in files or folders, or - for standard input. Without
any, they are what VQS_SNAPSHOT names, or what is piped in. A job may be named without its namespace where it is the
only one of that name.

For a job of which pods wait, vqs tries changes, each in as many sessions as it takes, to find the smallest change
of one field that gets more of its pods placed; where none starts the job, two together. The search begins with what
lifts the job's blockers, uses all cores in a large snapshot, and ends after 10 seconds, or --budget, or once the
answer is good. The five fixes that cost others least are shown; with --all-fixes, all changes are tried and all
fixes shown. The plugins' votes on victims are kept for a few nodes, and with --watch-votes for all nodes.

--set, --add, --remove, --clone-node, --scale and --edits change the snapshot first, and can be repeated: --set
queue/b.spec.weight=5, --set conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10,
--scale ns/name=8. The file of --edits is a YAML list of such edits; all but those of --set begin with the name
of the option, as in remove job/ns/name. The edits are applied in this order: --edits, --add, --remove,
--clone-node, --scale, --set.
"""

_EXAMPLES = """
\b
Examples:
  vqs explain-job snapshot.json
  vqs explain-job scenarios/preempt-spared-by-gang.yaml --job urgent
  vqs explain-job snapshot.json --job research/train
  vqs explain-job snapshot.json --job research/train --watch-votes -v
  vqs explain-job snapshot.json --job research/train --budget 1m --all-fixes
  kubectl get nodes,pods,... -A -o json | vqs explain-job --job research/train

Each option can be set in the environment: --job by VQS_JOB, and so on.

Exit status: 0 the session ran, 2 the input or the command line is wrong, 130 interrupted.
"""


@command(
    "explain-job",
    _HELP,
    _EXAMPLES,
    FILES,
    option("--job", "NS/NAME", "Explain this job.", complete=completion.whole_jobs),
    flag("--remedies/--no-remedies", "Search for fixes, or do not.", default=None),
    option("--budget", "DURATION", f"Search for fixes as long as that, {BUDGET:.0f}s by default; 0 tries none.", span),
    option("--sessions", "N", "Try at most N changes in that search.", at_least_one),
    flag("--all-fixes", "Try all changes, and show all fixes, not just five."),
    flag("--watch-votes", "Keep the votes on every node."),
    CONF,
    EDITS,
    SESSION,
    RELEASE,
    output_group(formats_of("JobReport")),
    *verbosity(quiet="Only the answer, no notes.", verbose="Every attempt, search, vote and name."),
)
def run(
    *,
    files: Sequence[str],
    job: str | None,
    remedies: bool | None,
    budget: float | None,
    sessions: int | None,
    all_fixes: bool,
    watch_votes: bool,
    conf: str | None,
    edits: Edits,
    session: SessionFlags,
    release: ReleaseChoice,
    out: Output,
) -> int:
    """Run a session, and explain what became of the job; without one, list the jobs that wait."""
    from vqs.explain.jobs.report import explain_job
    from vqs.explain.jobs.waiting import waiting_jobs

    with output.refused_as("explain-job", out):
        if job == "":
            raise CommandError(
                "--job is empty: name a job as NAMESPACE/NAME, or leave --job out to list all jobs that wait"
            )
        if job is None:
            _refuse_without_job(budget is not None, sessions is not None, bool(remedies), all_fixes, watch_votes)
        out.refuse_both("answer")
        searching = [name for name, given in (("--sessions", sessions), ("--budget", budget)) if given]
        if remedies is False and searching:
            origin = environment.setting([searching[0], "--remedies"])
            raise CommandError(f"{searching[0]} and --no-remedies exclude each other: give one of them{origin}")
        paths = inputs.chosen(files, "explain-job")
        output.check(out.target, [*paths, conf, session.usage, *edits.files])
        about = again(paths, edits, session, release, conf)
        with Progress(quiet=out.quiet) as progress:
            manifests, made = inputs.read_edited(paths, progress, conf, edits, session=session, release=release)
            options = inputs.session_options(session, progress, scenario=inputs.title(paths, made))
            # Where only the answer is shown, no fixes are searched for.
            is_wanted = remedies is not False and (not out.quiet or out.format.for_machines)
            seconds = (BUDGET if budget is None else budget) if is_wanted else 0.0
            search = partial(
                explain_job, sessions=sessions, seconds=seconds, everything=all_fixes, every_vote=watch_votes
            )
            result = (
                waiting_jobs(manifests, options) if job is None else _explained(search, manifests, options, job, about)
            )
    view = View(again=about, all_fixes=all_fixes)
    output.write(write(result, out.format, output.fitted(view, out)), out.target)
    if out.format.for_machines and not out.quiet:
        inputs.say_diagnostics(result.diagnostics)
    if out.target and not out.quiet:
        say(f"{result.answer} Written to {out.target}")
    return 0


def _refuse_without_job(*given: bool) -> None:
    """Refuse the options that are about one job."""
    names = ("--budget", "--sessions", "--remedies", "--all-fixes", "--watch-votes")
    needing = [name for name, is_given in zip(names, given, strict=True) if is_given]
    if needing:
        raise CommandError(
            f"{needing[0]} needs --job: fixes and votes are those of one job{environment.setting(needing)}"
        )


def _explained(
    explain: Callable[[Manifests, SimulateOptions, str], JobReport],
    manifests: Manifests,
    options: SimulateOptions,
    job: str,
    about: Again,
) -> JobReport:
    from vqs.explain.jobs.report import NoSuchJob, UnknownJob

    try:
        return explain(manifests, options, job)
    except NoSuchJob as error:
        listing = about.command("explain-job", "lists the jobs that wait")
        origin = environment.setting(["--job"])
        raise CommandError(f"{error}{origin}; {listing.command} {listing.says}") from None
    except UnknownJob as error:
        raise CommandError(f"{error}{environment.setting(['--job'])}") from None
