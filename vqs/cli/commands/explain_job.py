"""`vqs explain-job`: why jobs wait, and which fixes get them placed; without a job, a list of all that wait."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vqs.cli import completion, inputs, output, process
from vqs.cli.command import command
from vqs.cli.failures import CommandError
from vqs.cli.groups import EDITS, RELEASE, SESSION, Edits, Group, Output, SessionFlags, again, output_group, verbosity
from vqs.cli.options import CONF, FILES, at_least_one, flag, option, span
from vqs.cli.output import Progress
from vqs.releases.profile import ReleaseChoice
from vqs.report.formats import Again, View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.explain.jobs.outcome import Fix, JobReport, JobReports
    from vqs.explain.jobs.waiting_outcome import WaitingJobs
    from vqs.explain.simulate import SimulateOptions
    from vqs.snapshot.reading.manifests import Manifests

BUDGET: Final = 10.0
"""For how many seconds fixes are searched for, unless it is said."""
_LEAST: Final = 0.001

_HELP = """
Explain what became of a job: admission, scheduling order, placement attempts, eviction, and fixes.

Without --job, every job that waits is listed, with its cause. With several --job, or --all for all that wait, each is
explained, by the same sessions; fixes are searched for where --budget is given, which they share.

FILES are read as by vqs simulate: manifests in YAML or JSON, in files or folders, or - for standard input. Without
any, they are what VQS_SNAPSHOT names, or what is piped in. A job may be named without its namespace where it is the
only one of that name.

For a job of which pods wait, vqs tries changes, each in as many sessions as it takes, to find the smallest change
of one field that gets more of its pods placed; and two together, where none starts the job, or only new nodes, the
end of another job or pods of others do. The search begins with what lifts the job's blockers, uses all cores in a
large snapshot, and ends 10 seconds, or --budget, after vqs began to read, or once the answer is good. The five
fixes that cost others least are shown; with --all-fixes, all changes are tried and all fixes shown. --patch writes
the first fix, or that of --fix, to a file: what changes in the manifests, as patch -p0 and git apply -p0 read it,
where the file ends in .diff or .patch, else the patches as a component for kustomize. A dump of a cluster is
changed by patches and commands alone. The plugins' votes on victims are kept for a few nodes, and with
--watch-votes for all nodes.

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
  vqs explain-job snapshot.json --all --budget 1m
  vqs explain-job manifests/ --job research/train --patch fix.diff --fix 2
  kubectl get nodes,pods,... -A -o json | vqs explain-job --job research/train

Each option can be set in the environment: --job by VQS_JOB, and so on.

Exit status: 0 the session ran, 2 the input or the command line is wrong, 130 interrupted.
"""


_DIFFS: Final = (".diff", ".patch")
_PATCHES: Final = (*_DIFFS, ".yaml", ".yml")


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What is asked about jobs: all that wait, their fixes, where one of them goes, and votes."""

    every: bool
    remedies: bool | None
    budget: float | None
    sessions: int | None
    all_fixes: bool
    patch: Path | None
    fix: int | None
    watch_votes: bool

    def check(self, jobs: Sequence[str], of_several: bool) -> None:
        """Refuse what contradicts itself, or needs a job, or one alone."""
        if "" in jobs:
            raise CommandError(
                "--job is empty: name a job as NAMESPACE/NAME, or leave --job out to list all jobs that wait"
            )
        if self.every and jobs:
            origin = process.setting(["--all", "--job"])
            raise CommandError(f"--all and --job exclude each other: give one of them{origin}")
        if of_several and self.patch is not None:
            raise CommandError(f"--patch needs one --job: it writes one fix{process.setting(['--patch'])}")
        about_a_job = {
            "--budget": self.budget is not None,
            "--sessions": self.sessions is not None,
            "--remedies": bool(self.remedies),
            "--all-fixes": self.all_fixes,
            "--patch": self.patch is not None,
            "--watch-votes": self.watch_votes,
        }
        needing = [name for name, is_given in about_a_job.items() if is_given]
        if not (jobs or self.every) and needing:
            raise CommandError(
                f"{needing[0]} needs --job, or --all: fixes and votes are those of jobs{process.setting(needing)}"
            )
        if self.fix is not None and self.patch is None:
            origin = process.setting(["--fix"])
            raise CommandError(f"--fix needs --patch FILE: it says which fix is written{origin}")
        if self.patch is not None and self.patch.suffix not in _PATCHES:
            raise CommandError(f"--patch {self.patch}: the name has to end in one of {', '.join(_PATCHES)}")
        searching = [name for name, given in (("--sessions", self.sessions), ("--budget", self.budget)) if given]
        if self.remedies is False and searching:
            origin = process.setting([searching[0], "--remedies"])
            raise CommandError(f"{searching[0]} and --no-remedies exclude each other: give one of them{origin}")


@command(
    "explain-job",
    _HELP,
    _EXAMPLES,
    FILES,
    option("--job jobs", "NS/NAME", "Explain this job.", complete=completion.whole_jobs, multiple=True),
    Group(
        "asked",
        _Asked,
        (
            flag("--all every", "Explain all jobs that wait."),
            flag("--remedies/--no-remedies", "Search for fixes, or do not.", default=None),
            option(
                "--budget",
                "DURATION",
                f"Search for fixes as long as that, {BUDGET:.0f}s by default; 0 tries none.",
                span,
            ),
            option("--sessions", "N", "Try at most N changes in that search.", at_least_one),
            flag("--all-fixes", "Try all changes, and show all fixes, not just five."),
            option("--patch", "FILE", "Write a fix to FILE: .diff for manifests, .yaml for kustomize.", Path),
            option("--fix", "N", "Write fix N with --patch, instead of the first.", at_least_one),
            flag("--watch-votes", "Keep the votes on every node."),
        ),
    ),
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
    jobs: Sequence[str],
    asked: _Asked,
    conf: str | None,
    edits: Edits,
    session: SessionFlags,
    release: ReleaseChoice,
    out: Output,
) -> int:
    """Run a session, and explain what became of jobs; without any, list those that wait."""
    began = time.process_time()
    from vqs.explain.jobs.waiting import waiting_jobs

    several = asked.every or len(jobs) > 1
    with output.refused_as("explain-job", out):
        asked.check(jobs, several)
        if several and out.format not in formats_of("JobReports"):
            raise CommandError(f"--format {out.format} shows one job: give one --job")
        out.refuse_both("answer")
        paths = inputs.chosen(files, "explain-job")
        read = [*paths, conf, session.usage, *edits.files]
        output.check(out.target, read)
        output.check(asked.patch, read)
        about = again(paths, edits, session, release, conf)
        # Where only the answer is shown, no fixes are searched for.
        unasked = asked.remedies is False or (out.quiet and not out.format.for_machines and asked.patch is None)
        usual = 0.0 if several and not (asked.remedies or asked.sessions) else BUDGET
        seconds = 0.0 if unasked else usual if asked.budget is None else asked.budget
        with Progress() as progress:
            manifests, made = inputs.read_edited(paths, progress, conf, edits, session=session, release=release)
            manifests = inputs.with_denials(manifests)
            # Imports and reading count, but not the wait for who writes what is read; one change is always tried.
            seconds = seconds and max(seconds - time.process_time() + began, _LEAST)
            options = inputs.session_options(session, progress, scenario=inputs.title(paths, made))
            result: JobReport | JobReports | WaitingJobs = (
                _explained(manifests, options, jobs, asked, seconds=seconds, about=about)
                if jobs or several
                else waiting_jobs(manifests, options)
            )
        patch = _patch(asked.patch, asked.fix or 1, result, manifests) if asked.patch else ""
    view = View(again=about, all_fixes=asked.all_fixes)
    output.write(write(result, out.format, output.fitted(view, out)), out.target)
    if patch:
        output.write(patch, asked.patch)
    inputs.say_diagnostics(result.diagnostics, out)
    output.say_written(result.answer, out)
    return 0


def _explained(
    manifests: Manifests, options: SimulateOptions, jobs: Sequence[str], asked: _Asked, *, seconds: float, about: Again
) -> JobReport | JobReports:
    from vqs.diff.findings import added_warnings
    from vqs.explain.jobs.report import NoSuchJob, UnknownJob, reports_on

    try:
        found = reports_on(
            manifests,
            options,
            jobs,
            sessions=asked.sessions,
            seconds=seconds,
            everything=asked.all_fixes,
            every_vote=asked.watch_votes,
            judge=added_warnings,
        )
        return found.jobs[0] if len(jobs) == 1 else found
    except NoSuchJob as error:
        listing = about.command("explain-job", "lists the jobs that wait")
        origin = process.setting(["--job"])
        raise CommandError(f"{error}{origin}; {listing.command} {listing.says}") from None
    except UnknownJob as error:
        raise CommandError(f"{error}{process.setting(['--job'])}") from None


def _patch(target: Path, number: int, result: JobReport | JobReports | WaitingJobs, manifests: Manifests) -> str:
    """The text of the file that --patch asks for."""
    from vqs.explain.jobs.outcome import JobReport
    from vqs.report.job.remedies import fix_at, kustomization, steps_of

    report = result if isinstance(result, JobReport) else None
    fix = None if report is None else fix_at(report, number)
    if report is None or fix is None:
        raise CommandError(f"there is no fix {number} to write to {target}: {result.answer}")
    text = fix.diff if target.suffix in _DIFFS else kustomization(fix) if fix.patches else ""
    if text:
        return text
    steps = steps_of(report, number)
    if not fix.patches:
        raise CommandError(f"fix {number} cannot be written to {target}, as it changes no field of an object: {steps}")
    if _are_stored(manifests, fix):
        why = "what was read is a dump, and whoever changes that changes nothing in the cluster"
    else:
        why = "no manifest that was read has all that it changes, on lines that a person reads"
    raise CommandError(
        f"fix {number} cannot be written to {target}: {why}; a name that ends in .yaml asks for patches instead. "
        f"What to do: {steps}"
    )


def _are_stored(manifests: Manifests, fix: Fix) -> bool:
    """True if an object that a fix changes is as a cluster has it."""
    from vqs.snapshot.reading.kinds import KINDS

    changed = {(each.kind, each.namespace, each.name) for each in fix.patches}
    return any(
        each.metadata.uid and (kind.name, each.metadata.namespace, each.metadata.name) in changed
        for kind in KINDS.values()
        for each in getattr(manifests, kind.list_name)
        if type(each) is kind.type
    )
