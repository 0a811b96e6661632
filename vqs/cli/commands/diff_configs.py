"""`vqs diff-configs`: what a change of queues, of the configuration or of the cluster would do."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import environment, inputs, output
from vqs.cli.again import again
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError, say
from vqs.cli.github import add_summary, append_summary, grouped, in_workflow, summary_file
from vqs.cli.groups import Edits, Output, ReadingLimits, ReleasesFlags, SessionFlags, Verbosity
from vqs.cli.options import (
    Debug,
    GithubSummary,
    NoCi,
    NoIgnore,
    Own,
    file_name,
    flag,
    option,
    revision,
    up_to_a_thousand,
)
from vqs.cli.own_process import left_to_its_end
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import session_options
from vqs.paths import STDIN
from vqs.report.again import Again
from vqs.report.formats import Detail, Format, View
from vqs.report.registry import formats_of, write
from vqs.snapshot.reading.collector import paused_collector

if TYPE_CHECKING:
    from vqs.cli.sides import Sides
    from vqs.diff.compare import DiffOptions
    from vqs.diff.conditions import Condition, ConditionError
    from vqs.diff.outcome import Diff
    from vqs.diff.run import Input

DIFFERENCE: Final = 1
_CONFIGURATION: Final = ".conf"
_TWO: Final = 2

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


@dataclass(frozen=True, kw_only=True)
class DiffConfigs:
    """Show what a change would do: one session on BASE, one on CANDIDATE, and how they differ.

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

    files: Annotated[tuple[str, ...], typer.Argument(metavar="BASE CANDIDATE", hidden=True)] = ()
    on: Annotated[tuple[str, ...], option("--on", "SNAPSHOT", "Apply both sides to this snapshot.", file_name)] = ()
    base: Annotated[tuple[str, ...], option("--base", "FILE", "Add this file to the base.", file_name)] = ()
    candidate: Annotated[
        tuple[str, ...], option("--candidate", "FILE", "Add this file to the candidate.", file_name)
    ] = ()
    base_ref: Annotated[str | None, option("--base-ref", "REF", "Take the base from this git revision.", revision)] = (
        None
    )
    edits: Edits
    fail_on: Annotated[tuple[str, ...], option("--fail-on", "CONDITIONS", "Exit with 1 if one of these holds.")] = ()
    exit_zero: Annotated[bool, flag("--exit-zero", "Exit with 0 despite differences.")] = False
    seeds: Annotated[int, option("--seeds", "N", "Compare under N tie-breaking seeds.", up_to_a_thousand)] = 1
    placements: Annotated[bool, flag("--placements", "Show moves between equally good nodes.")] = False
    no_lint: Annotated[bool, flag("--no-lint", "Do not report new lint findings.")] = False
    no_ignore: NoIgnore = False
    session: Annotated[SessionFlags, texts(now="Time of the sessions, in RFC 3339.")]
    release: ReleasesFlags
    output: Annotated[Output, choices(format=formats_of("Diff"))]
    github_summary: GithubSummary = False
    no_ci: NoCi = False
    verbosity: Annotated[Verbosity, texts(verbose="Show every row and task.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


def run(arguments: DiffConfigs) -> int:
    """Compare what comes of both sides, and write the difference."""
    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("diff-configs", chosen, github_summary=arguments.github_summary):
        if not chosen.format.for_machines:
            verbosity.refuse_both()
        sides = _sides_of(arguments)
        output.check(
            chosen.target, [*sides.on, *sides.base, *sides.candidate, arguments.session.usage, *arguments.edits.files]
        )
        summary = summary_file() if arguments.github_summary else None
        in_log = in_workflow() and not arguments.no_ci
        with Progress(quiet=verbosity.quiet) as progress:
            result, notes = _compared(arguments, sides, progress)
    view = output.fitted(View(again=_candidate_again(arguments, sides)), chosen, verbosity)
    text = write(result, chosen.format, view)
    if in_log and chosen.format is Format.TABLE and chosen.target is None and not verbosity.quiet:
        text = grouped("vqs diff-configs", text) + write(result, chosen.format, replace(view, detail=Detail.SUMMARY))
    output.write(text, chosen.target)
    if summary is not None:
        append_summary(summary, lambda detail: write(result, Format.MARKDOWN, View(detail=detail)))
    elif in_log:
        add_summary(lambda detail: write(result, Format.MARKDOWN, View(detail=detail)))
    if not verbosity.quiet:
        _note(arguments, result, notes)
    return DIFFERENCE if result.failed and not arguments.exit_zero else 0


COMMAND: Final = command("diff-configs", DiffConfigs, run, _EXAMPLES)


def _sides_of(arguments: DiffConfigs) -> Sides:
    """Tell which files belong to which side."""
    if "" in (*arguments.files, *arguments.on):
        raise CommandError("one of the files to read has an empty name; is there a variable that is not set?")
    if arguments.session.usage == STDIN:
        raise CommandError("--usage is read for each side, and standard input only once: name a file")
    arguments.release.refuse_many()
    from vqs.cli.sides import Sides

    given = Sides(
        arguments.on or environment.snapshot(),
        arguments.base,
        arguments.candidate,
        arguments.base_ref or "",
        arguments.release.choices,
    )
    if given.reference:
        return _of_revision(arguments.files, given)
    files = arguments.files
    if given.have_own_releases and not (arguments.on or arguments.base or arguments.candidate):
        given, files = replace(given, on=arguments.files or given.on), ()
    sides = _with_behaviours(_assigned(files, given, arguments.edits), arguments)
    _check_sides(sides, arguments.edits)
    return sides


def _of_revision(files: Sequence[str], given: Sides) -> Sides:
    if given.base:
        raise CommandError("--base-ref takes the base from git, and --base from a file: give one of them")
    candidate = [*files, *given.candidate]
    if not candidate:
        raise CommandError("--base-ref needs the files to compare: vqs diff-configs --base-ref REF FILES")
    return replace(given, candidate=candidate)


def _with_behaviours(sides: Sides, arguments: DiffConfigs) -> Sides:
    """Return sides of which the candidate alone has the behaviours that are switched, where it is the base else."""
    if sides.candidate or arguments.edits or sides.have_own_releases or not arguments.release.behaviours:
        return sides
    base, candidate = sides.releases
    return replace(sides, releases=(replace(base, settings=()), candidate))


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


def _check_sides(sides: Sides, edits: Edits) -> None:
    if not (sides.candidate or edits or sides.have_own_releases):
        raise CommandError(
            "there is nothing to compare with: name BASE and CANDIDATE, or change the snapshot with --set, --add, "
            f"--remove, --scale or --clone-node, or name two releases with --volcano{_one_release(sides)}"
        )
    if not (sides.on or sides.base):
        raise CommandError("there is no base: name BASE and CANDIDATE, or the snapshot with --on")
    if [*sides.on, *sides.base, *sides.candidate, *edits.files].count(STDIN) > 1:
        raise CommandError("standard input can be read only once: use '-' in one place")


def _one_release(sides: Sides) -> str:
    """Return that both sides have the release that was named, if one was."""
    release = sides.releases[0].release
    return "" if release is None else f" (both sides have {release} now; the first is that of the base)"


def _candidate_again(arguments: DiffConfigs, sides: Sides) -> Again | None:
    """Return the arguments of other commands for the candidate; None where manifests are applied to a snapshot."""
    is_overlaid = bool(sides.on) and (bool(sides.reference) or bool(sides.base and not sides.candidate))
    conf, files = None, sides.candidate or sides.base or sides.on
    if sides.on and sides.candidate:
        *others, conf = sides.candidate
        is_overlaid = is_overlaid or bool(others) or not conf.endswith(_CONFIGURATION)
        files = sides.on
    return (
        None
        if is_overlaid
        else again(
            files, arguments.edits, arguments.session, arguments.release.choices[1], conf=conf, own=arguments.own
        )
    )


def _compared(arguments: DiffConfigs, sides: Sides, progress: Progress) -> tuple[Diff, Sequence[str]]:
    """Return the difference, and what is worth knowing about how the sides came about."""
    from vqs.cli.sides import SidesReader
    from vqs.diff.compare import compare
    from vqs.diff.conditions import ConditionError

    try:
        options = _options(arguments, progress)
        with nullcontext() if arguments.seeds > 1 else paused_collector():  # each pair of sessions leaves garbage
            base, candidate, notes = left_to_its_end(SidesReader(sides, arguments.edits, progress).read())
            base, candidate = (_started(each, arguments.session) for each in (base, candidate))
            return left_to_its_end(compare(base, candidate, options)), notes
    except ConditionError as error:
        raise CommandError(_refusal(error)) from None


def _started(side: Input, session: SessionFlags) -> Input:
    """Return a side for a session as the command line asks for it."""
    return replace(side, manifests=inputs.for_session(side.manifests, session))


def _options(arguments: DiffConfigs, progress: Progress) -> DiffOptions:
    from vqs.diff.compare import DiffOptions
    from vqs.diff.conditions import parse_conditions

    conditions = [condition for text in arguments.fail_on for condition in parse_conditions(text)]
    if arguments.no_lint:
        _refuse_lint(conditions)
    return DiffOptions(
        session_options(arguments.session, progress),
        arguments.seeds,
        arguments.placements,
        not arguments.no_lint,
        not arguments.no_ignore,
        conditions,
    )


def _refuse_lint(conditions: Sequence[Condition]) -> None:
    """Refuse conditions about findings that are not looked for: they would always hold."""
    from vqs.diff.figures import LINT

    unknown = [each.figure.text for each in conditions if each.figure.kind.key in LINT]
    if unknown:
        setting = environment.setting(["--fail-on"])
        raise CommandError(f"--fail-on: {unknown[0]!r} is unknown with --no-lint, which runs no rules{setting}")


def _refusal(error: ConditionError) -> str:
    """Say what is wrong with a condition, and show where."""
    return f"--fail-on: {error}{environment.setting(['--fail-on'])}\n  {error.text}\n  {' ' * error.at}^"


def _note(arguments: DiffConfigs, result: Diff, notes: Sequence[str]) -> None:
    """Tell on stderr what the result's reader would otherwise not see."""
    from vqs.report.diff.phrases import failure_lines, sentence, tie_dependent_failure_lines

    chosen = arguments.output
    say(*notes)
    if chosen.format.for_machines or chosen.target:
        say(*failure_lines(result), *tie_dependent_failure_lines(result))
    if chosen.target:
        say(f"{sentence(result)}; written to {chosen.target}")
