"""`vqs verify`: whether a cluster did what vqs says."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import environment, inputs, output
from vqs.cli.again import on_files
from vqs.cli.failures import CommandError, reported, say
from vqs.cli.options import (
    Conf,
    Debug,
    NoColor,
    Now,
    Release,
    Target,
    Volcano,
    at_least_one,
    choice,
    flag,
    option,
    up_to_a_thousand,
)
from vqs.cli.progress import Progress
from vqs.cli.reading import ReadingCommand
from vqs.cli.refused import errors_as
from vqs.paths import is_there
from vqs.report.formats import Detail, Format, View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
    from vqs.snapshot.manifests import Manifests
    from vqs.verify.outcome import Verification

UNEXPLAINED: Final = 1

_PAIR: Final = 2
_EXAMPLES = """
\b
Examples:
  vqs verify before.json after.json
  vqs verify before.json after.json --sessions 3 --seeds 20
  vqs verify before.json after.json --format json --output verification.json

Each option can be set in the environment: --sessions by VQS_SESSIONS, and so on.

Exit status: 0 the cluster did what vqs says, but for what luck or a change explains, 1 there is more than that, 2 the
input or the command line is wrong, 130 interrupted.
"""


def _up_to_a_thousand(text: str) -> int:
    """Read a number of ways to break ties, which may be none."""
    return 0 if text == "0" else up_to_a_thousand(text)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(cls=ReadingCommand, epilog=_EXAMPLES, short_help="Tell whether a cluster did what vqs says.")(verify)


def verify(
    files: Annotated[list[str] | None, typer.Argument(metavar="BEFORE AFTER", hidden=True)] = None,
    *,
    sessions: Annotated[
        int | None, option("--sessions", "N", "How many sessions there were in between.", at_least_one)
    ] = None,
    seeds: Annotated[
        int | None, option("--seeds", "N", "Look for luck under N ways to break ties.", _up_to_a_thousand)
    ] = None,
    conf: Conf = None,
    now: Now = None,
    volcano: Release = Volcano.V1_14,
    chosen: Annotated[
        Format, choice("--format", formats_of("Verification"), "How to write the result.", "-f")
    ] = Format.TABLE,
    target: Target = None,
    quiet: Annotated[bool, flag("--quiet", "Only the summary, no notes.", "-q")] = False,
    verbose: Annotated[bool, flag("--verbose", "Every difference and name.", "-v")] = False,
    no_color: NoColor = False,
    debug: Debug = False,
) -> None:
    """Tell whether a cluster did what vqs says of it.

    BEFORE and AFTER are dumps of one cluster, as kubectl get -A -o json prints them, best a second or two apart. What
    vqs says of BEFORE is held against what AFTER shows: which pods were bound and evicted, by PodGroup, the phases and
    conditions of PodGroups, the messages of pods that wait, and nodes where none are tied.

    Of each difference it is told whether luck explains it, or a change that was made in between. The scheduler picks at
    random among equally good nodes and victims, so the sessions are run under five more ways to break ties, unless
    --seeds says how many.

    Without --sessions, one session is run, or two where AFTER has new pods with a node, and then one more as long as
    that agrees better. What the dumps cannot tell is named: whether a pod that is gone was evicted, or what a later
    session has overwritten.
    """
    del volcano  # There is one release so far, and to have chosen it is all there is to do.
    errors_to = errors_as("verify", chosen, target)
    with reported(debug=debug, errors_to=errors_to):
        if quiet and verbose and not chosen.for_machines:
            origin = environment.setting(["--quiet", "--verbose"])
            raise CommandError(f"--quiet shows the summary only, and --verbose asks for more: give one of them{origin}")
        before, after = _pair(files or ())
        output.check(target, [before, after, conf])
        with Progress(quiet=quiet) as progress:
            result = _run(before, after, conf, (sessions, seeds), now=now, progress=progress)
        view = View(
            detail=Detail.SUMMARY if quiet else Detail.EVERYTHING if verbose else Detail.USUAL,
            again=on_files(before, after),
        )
        view = output.fitted(view, chosen, target, no_color=no_color)
        output.write(write(result, chosen, view), target)
        if target and not quiet:
            _note(result, target)
    if result.unexplained:
        raise typer.Exit(UNEXPLAINED)


def _pair(files: Sequence[str]) -> tuple[str, str]:
    """Return the earlier and the later dump."""
    if "" in files:
        raise CommandError("one of the files to read has an empty name; is there a variable that is not set?")
    if len(files) != _PAIR:
        raise CommandError("two dumps are compared, an earlier and a later one: vqs verify BEFORE AFTER")
    before, after = files
    if before == after == inputs.STDIN:
        raise CommandError("standard input can be read once: name '-' in one place")
    if inputs.STDIN not in files and is_there(before) and is_there(after) and Path(before).samefile(after):
        raise CommandError(
            f"BEFORE and AFTER are the same file, {before}: take two dumps, and let the scheduler work in between",
            before,
        )
    return before, after


def _run(
    before: str,
    after: str,
    conf: str | None,
    how: tuple[int | None, int | None],
    *,
    now: datetime | None,
    progress: Progress,
) -> "Verification":
    # Imported late: the engine is the bulk of what there is to import, and `--help` needs none of it.
    from vqs.verify.dumps import NotAPair  # noqa: PLC0415
    from vqs.verify.run import SEEDS, VerifyOptions  # noqa: PLC0415
    from vqs.verify.run import verify as hold_against  # noqa: PLC0415

    sessions, seeds = how
    earlier, later = _read(before, conf, progress), _read(after, conf, progress)
    options = VerifyOptions(
        sessions, SEEDS if seeds is None else seeds, now, inputs.title([before]), inputs.title([after])
    )
    try:
        return hold_against(earlier, later, options)
    except NotAPair as error:
        raise CommandError(f"{before}, {after}: {error}", before) from None


def _read(path: str, conf: str | None, progress: Progress) -> "Manifests":
    from vqs.config.scheduler_conf import read_configuration  # noqa: PLC0415 - imported late, as above

    return inputs.read([path], progress, conf, check=read_configuration)


def _note(result: "Verification", target: Path) -> None:
    """Tell on stderr what a file says."""
    from vqs.report.verify.page import answer  # noqa: PLC0415 - imported late, as the engine is

    say(f"{answer(result)}; written to {target}")
