"""`vqs diff-configs`: what a change of queues, of the configuration or of the cluster would do."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from click import BadParameter

from vqs.cli import inputs, output, process
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import (
    EDITS,
    SESSIONS,
    UNKNOWN_ACTIONS,
    Edits,
    Output,
    SessionFlags,
    UnknownActions,
    again,
    agreeing,
    chosen,
    output_group,
    verbosity,
)
from vqs.cli.options import (
    BEHAVIOURS,
    GITHUB_SUMMARY,
    NO_CI,
    NO_IGNORE,
    argument,
    build_option,
    file_name,
    flag,
    option,
    up_to_a_thousand,
)
from vqs.cli.output import Progress
from vqs.cli.process import left_to_its_end
from vqs.paths import STDIN
from vqs.releases.profile import ReleaseChoice, Setting
from vqs.releases.release import Build
from vqs.report.formats import Again, View
from vqs.report.registry import formats_of, write
from vqs.snapshot.reading.collector import paused_collector

if TYPE_CHECKING:
    from vqs.cli.sides import Sides
    from vqs.diff.outcome import Diff

DIFFERENCE: Final = 1
_CONFIGURATION: Final = ".conf"
_TWO: Final = 2

_HELP = """
Show what a change would do: one session on BASE, one on CANDIDATE, and how they differ.

BASE and CANDIDATE are scheduler configurations (*.conf, or a ConfigMap), queues and other manifests, scenarios, or
whole snapshots: files or folders. With --on they are applied to a common snapshot: an object replaces the one of
its kind and name, a configuration replaces the configuration. Without --on, each has to stand alone.
--base and --candidate add more files to a side.

With --base-ref, all FILES are the candidate, and the base is what they were in that revision; objects that are no
longer in them are deleted. With one FILE and --on, the base is the snapshot as it is.

Edits make the candidate, and then CANDIDATE may be left out: --set queue/b.spec.weight=5, --set
conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10, --scale ns/name=8, and
the YAML list of --edits.

With --volcano twice, the base is run by the first release of Volcano, the candidate by the second: what an upgrade
changes. FILES are then the snapshot, unless there is --on. Each difference names the behaviours that cause it;
`vqs versions` lists them. --behaviour counts for both sides; where nothing else differs, for the candidate alone.

Moves between equally good nodes are no difference without --placements. With --seeds N, both sides are run under
N ways to break ties; a difference that is not seen under all of them is reported as depending on tie-breaking.

In GitHub Actions (GITHUB_ACTIONS=true), the report is added to the job's summary, and the table in the log is a
group, with the summary line below it; --no-ci switches both off.

--fail-on takes conditions, separated by commas: evictions, unplaced, share>0.1, pending>base,
utilisation.cpu<70%, queue:b.allocated.cpu<20, job:ns/name.pending>0. docs/compare.md has all of them.
"""

_EXAMPLES = """
\b
Examples:
  vqs diff-configs old.conf new.conf --on snapshot.json
  vqs diff-configs --base-ref origin/main queues/ --on snapshot.json
  vqs diff-configs before.yaml after.yaml --seeds 5
  vqs diff-configs --on snapshot.json --set queue/research.spec.weight=5
  vqs diff-configs --volcano 1.13 --volcano 1.15 snapshot.json
  vqs diff-configs old.conf new.conf --on snapshot.json --fail-on 'evictions,queue:b.allocated.cpu<base'

Each option can be set in the environment: --fail-on by VQS_FAIL_ON, and so on.

Exit status: 0 no difference, 1 a difference (with --fail-on, only where a condition holds), 2 the input or the command
line is wrong, 130 interrupted.
"""


def _revision(text: str) -> str:
    """Read the name of a revision; without one, the files would be taken for something else."""
    if not text:
        raise BadParameter("the name of the revision is empty; is there a variable that is not set?")
    return text


@command(
    "diff-configs",
    _HELP,
    _EXAMPLES,
    argument("files", "[BASE CANDIDATE]...", many=True),
    option("--on", "SNAPSHOT", "Apply both sides to this snapshot.", file_name, multiple=True),
    option("--base", "FILE", "Add this file to the base.", file_name, multiple=True),
    option("--candidate", "FILE", "Add this file to the candidate.", file_name, multiple=True),
    option("--base-ref", "REF", "Take the base from this git revision.", _revision),
    EDITS,
    option("--fail-on", "CONDITIONS", "Exit with 1 if one of these holds.", multiple=True),
    flag("--exit-zero", "Exit with 0 despite differences."),
    option("--seeds", "N", "Compare under N tie-breaking seeds.", up_to_a_thousand, default=1),
    flag("--placements", "Show moves between equally good nodes."),
    flag("--no-lint", "Do not report new lint findings."),
    NO_IGNORE,
    SESSIONS,
    build_option(
        "Volcano release to model; given twice, that of the base, then that of the candidate.",
        multiple=True,
    ),
    BEHAVIOURS,
    UNKNOWN_ACTIONS,
    output_group(formats_of("Diff")),
    GITHUB_SUMMARY,
    NO_CI,
    *verbosity(verbose="Show every row and task."),
)
def run(
    *,
    files: Sequence[str],
    on: Sequence[str],
    base: Sequence[str],
    candidate: Sequence[str],
    base_ref: str | None,
    edits: Edits,
    fail_on: Sequence[str],
    exit_zero: bool,
    seeds: int,
    placements: bool,
    no_lint: bool,
    no_ignore: bool,
    session: SessionFlags,
    volcano: tuple[Build, ...],
    behaviours: tuple[Setting, ...],
    unknown_actions: UnknownActions,
    out: Output,
    github_summary: bool,
    no_ci: bool,
) -> int:
    """Compare what comes of both sides, and write the difference."""
    from vqs.cli.sides import Sides

    with output.refused_as("diff-configs", out, github_summary=github_summary):
        out.refuse_both()
        given = Sides(on, base, candidate, base_ref or "", _releases(volcano, behaviours, unknown_actions))
        sides = _sides_of(files, given, edits)
        if session.usage == STDIN:
            raise CommandError("--usage is read for each side, and standard input only once: name a file")
        output.check(out.target, [*sides.on, *sides.base, *sides.candidate, session.usage, *edits.files])
        summary = output.summary_file() if github_summary else None
        with Progress() as progress:
            result, notes = _compared(sides, edits, session, (fail_on, seeds, placements, no_lint, no_ignore), progress)
    view = output.fitted(View(again=_candidate_again(sides, edits, session)), out)
    text, in_log = write(result, out.format, view), output.in_workflow() and not no_ci
    output.publish("diff-configs", text, out, partial(write, result), view, in_log=in_log, summary=summary)
    if not out.quiet:
        _note(result, notes, out)
    return DIFFERENCE if result.failed and not exit_zero else 0


def _releases(
    volcano: tuple[Build, ...], behaviours: tuple[Setting, ...], unknown_actions: UnknownActions
) -> tuple[ReleaseChoice, ReleaseChoice]:
    """Return which release runs the base, and which the candidate."""
    if len(volcano) > _TWO:
        origin = process.setting(["--volcano"])
        raise CommandError(f"--volcano is given {len(volcano)} times, and two sides are compared{origin}")
    first, last = (volcano[0], volcano[-1]) if volcano else (None, None)
    settings = agreeing(behaviours)
    return chosen(first, settings, unknown_actions), chosen(last, settings, unknown_actions)


def _sides_of(files: Sequence[str], given: Sides, edits: Edits) -> Sides:
    """Tell which files belong to which side, and which release runs it."""
    if "" in (*files, *given.on):
        raise CommandError("one of the files to read has an empty name; is there a variable that is not set?")
    if given.reference:
        if given.base:
            raise CommandError("--base-ref takes the base from git, and --base from a file: give one of them")
        if not (files or given.candidate):
            raise CommandError("--base-ref needs the files to compare: vqs diff-configs --base-ref REF FILES")
        return replace(given, on=given.on or process.snapshot(), candidate=[*files, *given.candidate])
    if given.have_own_releases and not (given.on or given.base or given.candidate):
        given, files = replace(given, on=files), ()
    sides = _assigned(files, replace(given, on=given.on or process.snapshot()), edits)
    if not (sides.candidate or edits or sides.have_own_releases):
        # The base is the candidate else: the latter alone has the behaviours that are switched.
        sides = replace(sides, releases=(replace(sides.releases[0], settings=()), sides.releases[1]))
    if not (sides.candidate or edits or sides.have_own_releases):
        release = sides.releases[0].named
        both = "" if release is None else f" (both sides have {release} now; the first is that of the base)"
        raise CommandError(
            "there is nothing to compare with: name BASE and CANDIDATE, or change the snapshot with --set, --add, "
            f"--remove, --scale or --clone-node, or name two releases with --volcano{both}"
        )
    if not (sides.on or sides.base):
        raise CommandError("there is no base: name BASE and CANDIDATE, or the snapshot with --on")
    if [*sides.on, *sides.base, *sides.candidate, *edits.files].count(STDIN) > 1:
        raise CommandError("standard input can be read only once: use '-' in one place")
    return sides


def _assigned(files: Sequence[str], given: Sides, edits: Edits) -> Sides:
    """Put BASE and CANDIDATE where they belong; one that stands alone is the one that is missing."""
    if len(files) > _TWO:
        raise CommandError(
            f"there are {len(files)} files, and two are compared, BASE and CANDIDATE; add to a side with "
            "--base FILE and --candidate FILE, and name what both have with --on FILE"
        )
    if len(files) == _TWO:
        base, candidate = files
        return replace(given, base=[*given.base, base], candidate=[*given.candidate, candidate])
    if (edits and not given.base) or given.candidate or not (given.on or given.base):
        return replace(given, base=[*given.base, *files])
    return replace(given, candidate=[*given.candidate, *files])


def _candidate_again(sides: Sides, edits: Edits, session: SessionFlags) -> Again | None:
    """Return the arguments of other commands for the candidate; None where manifests are applied to a snapshot."""
    is_overlaid = bool(sides.on) and (bool(sides.reference) or bool(sides.base and not sides.candidate))
    conf, files = None, sides.candidate or sides.base or sides.on
    if sides.on and sides.candidate:
        *others, conf = sides.candidate
        is_overlaid = is_overlaid or bool(others) or not conf.endswith(_CONFIGURATION)
        files = sides.on
    return None if is_overlaid else again(files, edits, session, sides.releases[1], conf)


def _compared(
    sides: Sides,
    edits: Edits,
    session: SessionFlags,
    asked: tuple[Sequence[str], int, bool, bool, bool],
    progress: Progress,
) -> tuple[Diff, Sequence[str]]:
    """Return the difference, and what is worth knowing about how the sides came about."""
    from vqs.cli.sides import SidesReader
    from vqs.diff.compare import DiffOptions, compare
    from vqs.diff.conditions import ConditionError, parse_conditions

    fail_on, seeds, placements, no_lint, no_ignore = asked
    options = inputs.session_options(session, progress)
    try:
        conditions = [condition for text in fail_on for condition in parse_conditions(text)]
        if no_lint:
            from vqs.diff.figures import LINT

            unknown = [each.figure.text for each in conditions if each.figure.kind.key in LINT]
            if unknown:
                setting = process.setting(["--fail-on"])
                raise CommandError(f"--fail-on: {unknown[0]!r} is unknown with --no-lint, which runs no rules{setting}")
        how = DiffOptions(options, seeds, placements, not no_lint, not no_ignore, conditions)
        with nullcontext() if seeds > 1 else paused_collector():  # each pair of sessions leaves garbage
            *both, notes = left_to_its_end(SidesReader(sides, edits, progress).read())
            base, candidate = (replace(it, manifests=inputs.for_session(it.manifests, session)) for it in both)
            return left_to_its_end(compare(base, candidate, how)), notes
    except ConditionError as error:
        origin = process.setting(["--fail-on"])
        raise CommandError(f"--fail-on: {error}{origin}\n  {error.text}\n  {' ' * error.at}^") from None


def _note(result: Diff, notes: Sequence[str], out: Output) -> None:
    """Tell on stderr what the result's reader would otherwise not see."""
    from vqs.report.diff.phrases import failure_lines, sentence, tie_dependent_failure_lines

    say(*notes)
    if out.format.for_machines or out.target:
        say(*failure_lines(result), *tie_dependent_failure_lines(result))
    if out.target:
        say(f"{sentence(result)}; written to {out.target}")
