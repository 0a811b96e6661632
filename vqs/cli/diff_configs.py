"""`vqs diff-configs`: what a change of queues, of the configuration or of the cluster would do."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from vqs.cli import environment, inputs, output, whatif
from vqs.cli.failures import CommandError, reported, say
from vqs.cli.github import append_summary, summary_file
from vqs.cli.options import (
    Debug,
    NoColor,
    NoIgnore,
    Release,
    Seed,
    Target,
    Volcano,
    choice,
    file_name,
    flag,
    option,
    revision,
    rfc3339,
    up_to_a_thousand,
)
from vqs.cli.progress import Progress
from vqs.cli.reading import ReadingCommand
from vqs.cli.refused import errors_as
from vqs.paths import told
from vqs.report.formats import Detail, Format, View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.diff.conditions import Condition
    from vqs.diff.outcome import Diff
    from vqs.diff.run import Input
    from vqs.snapshot.manifests import Manifests

DIFFERENCE: Final = 1
_TWO: Final = 2
_FEW: Final = 3

_EXAMPLES = """
\b
Examples:
  vqs diff-configs old.conf new.conf --on snapshot.json
  vqs diff-configs --base-ref origin/main queues/ --on snapshot.json
  vqs diff-configs before.yaml after.yaml --seeds 5
  vqs diff-configs --on snapshot.json --set queue/research.spec.weight=5
  vqs diff-configs old.conf new.conf --on snapshot.json --fail-on 'evictions,queue:b.allocated.cpu<base'

Each option can be set in the environment: --fail-on by VQS_FAIL_ON, and so on.

Exit status: 0 no difference, 1 a difference (with --fail-on, only where a condition holds), 2 the input or the command
line is wrong, 130 interrupted.
"""

_Paths = list[str] | None


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("diff-configs", cls=ReadingCommand, epilog=_EXAMPLES, short_help="Show what a change would do.")(
        diff_configs
    )


def diff_configs(
    files: Annotated[_Paths, typer.Argument(metavar="BASE CANDIDATE", hidden=True)] = None,
    *,
    on: Annotated[_Paths, option("--on", "SNAPSHOT", "Lay both sides over this.", file_name)] = None,
    base: Annotated[_Paths, option("--base", "FILE", "This belongs to the base too.", file_name)] = None,
    candidate: Annotated[_Paths, option("--candidate", "FILE", "This belongs to the candidate too.", file_name)] = None,
    base_ref: Annotated[
        str | None, option("--base-ref", "REF", "Take the base of the same files from git.", revision)
    ] = None,
    sets: whatif.Set = None,
    adds: whatif.Add = None,
    removes: whatif.Remove = None,
    clones: whatif.CloneNode = None,
    scales: whatif.Scale = None,
    edits: whatif.Edits = None,
    assume_admitted: whatif.AssumeAdmitted = False,
    fail_on: Annotated[_Paths, option("--fail-on", "CONDITIONS", "What makes it exit with 1.")] = None,
    exit_zero: Annotated[bool, flag("--exit-zero", "Exit with 0 whatever differs.")] = False,
    seeds: Annotated[int, option("--seeds", "N", "Break ties in N ways; tell luck.", up_to_a_thousand)] = 1,
    placements: Annotated[bool, flag("--placements", "Show moves between equally good nodes.")] = False,
    no_lint: Annotated[bool, flag("--no-lint", "Do not look for new lint findings.")] = False,
    no_ignore: NoIgnore = False,
    now: Annotated[datetime | None, option("--now", "TIME", "The sessions' time, in RFC 3339.", rfc3339)] = None,
    seed: Seed = None,
    volcano: Release = Volcano.V1_14,
    chosen: Annotated[Format, choice("--format", formats_of("Diff"), "How to write the result.", "-f")] = Format.TABLE,
    target: Target = None,
    github_summary: Annotated[bool, flag("--github-summary", "Add it to the job's summary, too.")] = False,
    quiet: Annotated[bool, flag("--quiet", "Only the summary, no notes.", "-q")] = False,
    verbose: Annotated[bool, flag("--verbose", "Every row, every task.", "-v")] = False,
    no_color: NoColor = False,
    debug: Debug = False,
) -> None:
    """Show what a change would do: one session on BASE, one on CANDIDATE, and what comes of each.

    BASE and CANDIDATE are scheduler configurations (*.conf, or a ConfigMap), queues and other manifests, scenarios, or
    whole snapshots: files or folders. With --on they are laid over a common snapshot: an object takes the place of the
    one of its kind and name, a configuration that of the configuration. Without --on, each has to stand alone.
    --base and --candidate add more files to a side.

    With --base-ref, all FILES are the candidate, and the base is what they were in that revision; what they name no
    longer is deleted. With one FILE and --on, the base is the snapshot as it is.

    Edits make the candidate, and then CANDIDATE may be left out: --set queue/b.spec.weight=5, --set
    conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10, --scale job/ns/name=8, and
    the YAML list of --edits.

    Moves between equally good nodes are no difference without --placements. With --seeds, both sides are run under so
    many ways to break ties, and what is not seen in all of them is said to be luck.

    --fail-on takes conditions, separated by commas: evictions, unplaced, share>0.1, pending>base,
    utilisation.cpu<70%, queue:b.allocated.cpu<20, job:ns/name.pending>0. The README has all of them.
    """
    del volcano  # There is one release so far, and to have chosen it is all there is to do.
    errors_to = errors_as("diff-configs", chosen, target, github_summary=github_summary)
    with reported(debug=debug, errors_to=errors_to):
        if quiet and verbose and not chosen.for_machines:
            origin = environment.setting(["--quiet", "--verbose"])
            raise CommandError(f"--quiet shows the summary only, and --verbose asks for more: give one of them{origin}")
        asked = whatif.what_if(
            sets, adds, removes, clones=clones, scales=scales, file=edits, assume_admitted=assume_admitted
        )
        sides = _sides(files or (), _Given(on or (), base or (), candidate or (), base_ref or ""), asked)
        output.check(target, [*sides.on, *sides.base, *sides.candidate, *asked.files])
        summary = summary_file() if github_summary else None
        detail = Detail.SUMMARY if quiet else Detail.EVERYTHING if verbose else Detail.USUAL
        how = _How(now, seed, seeds, fail_on or (), placements=placements, lint=not no_lint, silent=not no_ignore)
        with Progress(quiet=quiet) as progress:
            result, notes = _run(sides, asked, how, progress)
        view = output.fitted(View(detail=detail), chosen, target, no_color=no_color)
        output.write(write(result, chosen, view), target)
        if summary is not None:
            append_summary(summary, lambda detail: write(result, Format.MARKDOWN, View(detail=detail)))
        if not quiet:
            _note(result, notes, chosen, target)
    if result.failed and not exit_zero:
        raise typer.Exit(DIFFERENCE)


# --- which files ------------------------------------------------------------------------------------------------------


class _Given(NamedTuple):
    """The files that options name."""

    on: Sequence[str]
    base: Sequence[str]
    candidate: Sequence[str]
    reference: str


@dataclass(frozen=True, slots=True)
class _Sides:
    """What is read for each side; with a revision, the base is what the candidate was in it."""

    on: list[str]
    base: list[str]
    candidate: list[str]
    reference: str = ""


def _sides(files: Sequence[str], given: _Given, asked: whatif.WhatIf) -> _Sides:
    """Tell which files belong to which side."""
    if "" in (*files, *given.on):
        raise CommandError("one of the files to read has an empty name; is there a variable that is not set?")
    on = list(given.on) or environment.snapshot()
    if given.reference:
        if given.base:
            raise CommandError("--base-ref takes the base from git, and --base from a file: give one of them")
        candidate = [*files, *given.candidate]
        if not candidate:
            raise CommandError("--base-ref needs the files to compare: vqs diff-configs --base-ref REF FILES")
        return _Sides(on, [], candidate, given.reference)
    sides = _Sides(on, list(given.base), list(given.candidate))
    _assign(files, sides, asked)
    if not (sides.candidate or asked):
        raise CommandError(
            "there is nothing to compare with: name BASE and CANDIDATE, or make the candidate with --set and the like"
        )
    if not (on or sides.base):
        raise CommandError("there is no base: name BASE and CANDIDATE, or the snapshot with --on")
    if [*on, *sides.base, *sides.candidate, *asked.files].count(inputs.STDIN) > 1:
        raise CommandError("standard input can be read once: name '-' in one place")
    return sides


def _assign(files: Sequence[str], sides: _Sides, asked: whatif.WhatIf) -> None:
    """Put BASE and CANDIDATE where they belong; one that stands alone is the one that is missing."""
    if len(files) > _TWO:
        raise CommandError(
            f"there are {len(files)} files, and two are compared, BASE and CANDIDATE; add to a side with "
            "--base FILE and --candidate FILE, and name what both have with --on FILE"
        )
    if len(files) == _TWO:
        sides.base.append(files[0])
        sides.candidate.append(files[1])
    elif files:
        is_base = (asked and not sides.base) or bool(sides.candidate) or not (sides.on or sides.base)
        (sides.base if is_base else sides.candidate).append(files[0])


# --- reading and comparing --------------------------------------------------------------------------------------------


class _How(NamedTuple):
    """How to compare."""

    now: datetime | None
    seed: int | None
    seeds: int
    fail_on: Sequence[str]
    placements: bool
    lint: bool
    silent: bool


def _run(sides: _Sides, asked: whatif.WhatIf, how: _How, progress: Progress) -> "tuple[Diff, list[str]]":
    # Imported late: the engine is the bulk of what there is to import, and `--help` needs none of it.
    from vqs.diff.compare import DiffOptions, compare  # noqa: PLC0415
    from vqs.diff.conditions import ConditionError  # noqa: PLC0415

    conditions = _conditions(how.fail_on)
    _refuse_unknown(conditions, how)
    options = DiffOptions(how.now, how.seed, how.seeds, how.placements, how.lint, how.silent, conditions, progress)
    base, candidate, notes = _Reader(sides, progress).both(asked)
    try:
        return compare(base, candidate, options), notes
    except ConditionError as error:
        raise CommandError(_refused(error)) from None


def _conditions(texts: Sequence[str]) -> "list[Condition]":
    from vqs.diff.condition_text import parse_conditions  # noqa: PLC0415 - imported late, as above
    from vqs.diff.conditions import ConditionError  # noqa: PLC0415

    try:
        return [condition for text in texts for condition in parse_conditions(text)]
    except ConditionError as error:
        raise CommandError(_refused(error)) from None


def _refuse_unknown(conditions: "Sequence[Condition]", how: _How) -> None:
    """Refuse conditions about what nobody looks for: they would always hold."""
    from vqs.diff.conditions import LINT  # noqa: PLC0415 - imported late, as above

    unknown = [each.figure[0] for each in conditions if each.figure[0] in LINT]
    if unknown and not how.lint:
        setting = environment.setting(["--fail-on"])
        raise CommandError(f"--fail-on: nobody knows {unknown[0]!r} with --no-lint{setting}")


def _refused(error: "Exception") -> str:
    """Say what is wrong with a condition, and show where."""
    text, at = getattr(error, "text", ""), getattr(error, "at", 0)
    return f"--fail-on: {error}{environment.setting(['--fail-on'])}\n  {text}\n  {' ' * at}^"


class _Reader:
    """Reads the sides, what they have in common once."""

    def __init__(self, sides: _Sides, progress: Progress) -> None:
        self.sides = sides
        self.progress = progress

    def both(self, asked: whatif.WhatIf) -> "tuple[Input, Input, list[str]]":
        """Return the base and the candidate, and what is worth knowing about how they came about."""
        from vqs.config.scheduler_conf import read_configuration  # noqa: PLC0415 - imported late, as above

        sides = self.sides
        under = self._read(sides.on, None) if sides.on else None
        if sides.reference:
            base, candidate, notes = self._of_git(under, asked)
        else:
            base, candidate, notes = self._of_files(under, asked)
        made = whatif.edited(candidate.manifests, asked, read_configuration)
        is_change = sides.on or sides.reference
        captured = set() if is_change else _captured(base.manifests, candidate.manifests, made.manifests)
        manifests = whatif.admitted(base.manifests, made, asked, captured).manifests
        name = f"{base.name}, edited" if asked and not sides.candidate else candidate.name
        edits = (*candidate.edits, *made.edits)
        return base, replace(candidate, name=name, manifests=manifests, edits=edits), notes

    def _of_files(self, under: "Manifests | None", asked: whatif.WhatIf) -> "tuple[Input, Input, list[str]]":
        sides = self.sides
        own = self._read(sides.base, under) if sides.base else None
        base = self._side(inputs.title(sides.base or sides.on), own, under)
        if not sides.candidate:
            return base, base, []
        other = self._read(sides.candidate, under)
        change = _Change(under, base, own, other)
        candidate = _let_in(change, self._side(inputs.title(sides.candidate), other, under), asked)
        return base, candidate, [*_kept(own, other, under)]

    def _of_git(self, under: "Manifests | None", asked: whatif.WhatIf) -> "tuple[Input, Input, list[str]]":
        """Return both sides of the same files: what these name no longer is deleted."""
        from vqs.snapshot.applied import as_applied, merged_with  # noqa: PLC0415 - imported late, as above
        from vqs.snapshot.deletions import delete  # noqa: PLC0415
        from vqs.snapshot.revision import top_folder  # noqa: PLC0415

        paths, reference = self.sides.candidate, self.sides.reference
        own = self._of_revision(paths, under)
        other = self._read(paths, under, may_be_empty=True)
        if under is not None:
            own, other = as_applied(own, under), as_applied(other, under)
        if not (_files(own) or _files(other)):
            raise CommandError(f"there is nothing to compare in {inputs.title(paths)}, in {reference} as well as here")
        before, after = (own, other) if under is None else (merged_with(under, each, own) for each in (own, other))
        base = replace(self._side(f"{reference}:{inputs.title(paths)}", before, under), revision=reference)
        left, deleted = delete(under, own, other) if under is not None else (None, [])
        change = _Change(under, base, own, other)
        candidate = _let_in(change, self._side(inputs.title(paths), after, left), asked)
        checkout = str(top_folder().resolve())
        return base, replace(candidate, checkout=checkout, edits=tuple(map(str, deleted))), []

    def _read(self, paths: Sequence[str], under: "Manifests | None", *, may_be_empty: bool = False) -> "Manifests":
        from vqs.config.scheduler_conf import read_configuration  # noqa: PLC0415 - imported late, as above
        from vqs.snapshot.sides import read_side  # noqa: PLC0415

        return read_side(
            paths,
            under=under,
            stdin=sys.stdin.buffer if sys.stdin else None,
            progress=lambda done, total: self.progress("read", done, total),
            check=read_configuration,
            may_be_empty=may_be_empty,
        )

    def _of_revision(self, paths: Sequence[str], under: "Manifests | None") -> "Manifests":
        from vqs.snapshot.git import RevisionError  # noqa: PLC0415 - imported late, as above
        from vqs.snapshot.revision import read_revision  # noqa: PLC0415

        try:
            return read_revision(
                self.sides.reference, paths, lambda copies: self._read(copies, under, may_be_empty=True)
            )
        except RevisionError as error:
            raise CommandError(f"--base-ref: {error}{environment.setting(['--base-ref'])}") from None

    def _side(self, name: str, own: "Manifests | None", under: "Manifests | None") -> "Input":
        from vqs.diff.run import Input  # noqa: PLC0415 - imported late, as above
        from vqs.snapshot.overlay import keys, overlay  # noqa: PLC0415

        files = (
            tuple(_files(own))
            if own is not None
            else tuple(told(path) for path in self.sides.on if path != inputs.STDIN)
        )
        manifests = overlay(under, own) if own is not None and under is not None else own or under
        if manifests is None or not manifests.nodes:
            raise CommandError(f"{name} has no nodes, so that nothing can be scheduled: name a snapshot with --on")
        is_change = under is not None or bool(self.sides.reference)
        doubted = frozenset(keys(own)) if own is not None and is_change else frozenset()
        return Input(name, manifests, tuple(files), doubted=doubted)


def _captured(base: "Manifests", candidate: "Manifests", edited: "Manifests") -> set[str]:
    """Return the names of the queues that are as the candidate has them from a cluster, which has let them in.

    Those that such a candidate no longer has are gone from the cluster.
    """
    own = {each.metadata.name: each for each in candidate.queues}
    let_in = {each.metadata.name for each in edited.queues if each.metadata.uid and own.get(each.metadata.name) is each}
    return let_in | ({each.metadata.name for each in base.queues} - own.keys() if let_in else set())


class _Change(NamedTuple):
    """What a change is laid over, the base, and what the files of both sides say."""

    under: "Manifests | None"
    base: "Input"
    before: "Manifests | None"
    after: "Manifests"


def _let_in(change: _Change, candidate: "Input", asked: whatif.WhatIf) -> "Input":
    """Return the candidate if the API server and Volcano's webhook for Jobs let the change in.

    Raises:
        InputErrors: they deny it, and nobody asked to assume otherwise.
    """
    # Imported late, as above.
    from vqs.snapshot.admission import assumed  # noqa: PLC0415
    from vqs.snapshot.applied import update_denials  # noqa: PLC0415
    from vqs.snapshot.diagnostics import InputErrors  # noqa: PLC0415
    from vqs.snapshot.overlay import denied  # noqa: PLC0415

    base = change.base.manifests
    found = denied(base, change.after)
    if change.under is not None:
        found += update_denials(change.under, base, change.after, change.before)
    if not found:
        return candidate
    if not asked.assume_admitted:
        raise InputErrors(found)
    notes = [assumed(each) for each in found]
    return replace(candidate, manifests=replace(candidate.manifests, notes=[*candidate.manifests.notes, *notes]))


def _files(manifests: "Manifests") -> list[str]:
    """Return the files that manifests are from."""
    documents = {origin.document.source.name: None for origins in manifests.origins.values() for origin in origins}
    if manifests.conf is not None:
        documents[manifests.conf.document.source.name] = None
    return list(documents)


def _kept(base: "Manifests | None", candidate: "Manifests | None", under: "Manifests | None") -> Iterator[str]:
    """Tell of objects that the candidate no longer names, and that it has from the snapshot nevertheless."""
    if base is None or candidate is None or under is None or base is candidate:
        return
    from vqs.snapshot.overlay import names  # noqa: PLC0415 - imported late, as above

    known: Callable[[Manifests], set[tuple[str, str]]] = lambda manifests: set(names(manifests))  # noqa: E731
    kept = sorted((known(base) - known(candidate)) & known(under))
    if kept:
        listed = ", ".join(f"{kind} {name}" for kind, name in kept[:_FEW])
        more = f" and {len(kept) - _FEW} more" if len(kept) > _FEW else ""
        yield (
            f"note: only the base names {listed}{more}; the candidate has what the snapshot has of that name, "
            "and --remove takes it out"
        )


def _note(result: "Diff", notes: Sequence[str], chosen: Format, target: Path | None) -> None:
    """Tell on stderr what the result's reader would otherwise not see."""
    # Imported late, as the engine is.
    from vqs.report.diff.phrases import failure_lines, sentence  # noqa: PLC0415

    say(*notes)
    if chosen.for_machines or target:
        say(*failure_lines(result))
    if target:
        say(f"{sentence(result)}; written to {target}")
