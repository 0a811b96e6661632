"""`vqs diff-configs`: what a change of queues, of the configuration or of the cluster would do."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Final

from vqs.cli import environment, inputs, output
from vqs.cli.again import again
from vqs.cli.arguments.diff_configs import DiffConfigs
from vqs.cli.failures import CommandError, say
from vqs.cli.github import add_summary, append_summary, grouped, in_workflow, summary_file
from vqs.cli.groups import SessionFlags
from vqs.cli.own_process import left_to_its_end
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import session_options
from vqs.cli.sides import Sides, SidesReader, sides_of
from vqs.diff.compare import DiffOptions, compare
from vqs.diff.condition_text import parse_conditions
from vqs.diff.conditions import LINT, Condition, ConditionError
from vqs.diff.outcome import Diff
from vqs.diff.run import Input
from vqs.report.again import Again
from vqs.report.diff.phrases import failure_lines, sentence, tie_dependent_failure_lines
from vqs.report.formats import Detail, Format, View
from vqs.report.registry import write
from vqs.snapshot.reading.collector import paused_collector

DIFFERENCE: Final = 1
_CONFIGURATION: Final = ".conf"


def run(arguments: DiffConfigs) -> int:
    """Compare what comes of both sides, and write the difference."""
    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("diff-configs", chosen, github_summary=arguments.github_summary):
        if not chosen.format.for_machines:
            verbosity.refuse_both()
        sides = sides_of(arguments)
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
    unknown = [each.figure[0] for each in conditions if each.figure[0] in LINT]
    if unknown:
        setting = environment.setting(["--fail-on"])
        raise CommandError(f"--fail-on: {unknown[0]!r} is unknown with --no-lint, which runs no rules{setting}")


def _refusal(error: ConditionError) -> str:
    """Say what is wrong with a condition, and show where."""
    return f"--fail-on: {error}{environment.setting(['--fail-on'])}\n  {error.text}\n  {' ' * error.at}^"


def _note(arguments: DiffConfigs, result: Diff, notes: Sequence[str]) -> None:
    """Tell on stderr what the result's reader would otherwise not see."""
    chosen = arguments.output
    say(*notes)
    if chosen.format.for_machines or chosen.target:
        say(*failure_lines(result), *tie_dependent_failure_lines(result))
    if chosen.target:
        say(f"{sentence(result)}; written to {chosen.target}")
