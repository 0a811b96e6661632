"""`vqs verify`: whether a cluster did what vqs says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import inputs, output
from vqs.cli.again import on_files
from vqs.cli.command import choices, command, texts
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import Output, ReadingLimits, ReleaseFlags, Verbosity
from vqs.cli.options import (
    Conf,
    CsiStorage,
    Debug,
    Now,
    Own,
    Sample,
    ShardingModeFlag,
    ShardingName,
    Usage,
    at_least_one,
    option,
    up_to_a_thousand,
)
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import one_use
from vqs.paths import STDIN, is_there
from vqs.report.formats import View
from vqs.report.registry import formats_of, write

if TYPE_CHECKING:
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

Exit status: 0 the cluster did what vqs predicts, or tie-breaking or a change explains each difference, 1 some
differences are not explained, 2 the input or the command line is wrong, 130 interrupted.
"""


def _none_to_a_thousand(text: str) -> int:
    """Read a number of tie-breaking seeds, which may be 0."""
    return 0 if text == "0" else up_to_a_thousand(text)


@dataclass(frozen=True, kw_only=True)
class Verify:
    """Compare what vqs predicts with what a cluster did.

    BEFORE and AFTER are dumps of one cluster, as kubectl get -A -o json prints them, best a second or two apart. The
    decisions that vqs makes on BEFORE are compared with AFTER: pods bound and evicted, by PodGroup, the phases and
    conditions of PodGroups, the messages of pending pods, and nodes where no other was equally good.

    Each difference is marked as explained by tie-breaking, by a change between the dumps, or not explained. The
    scheduler picks at random among equally good nodes and victims, so the sessions are also run under five more
    seeds; --seeds changes that number.

    Without --sessions, one session is run, or two where AFTER has new pods with a node, then more as long as the
    agreement improves. The report lists what the dumps cannot show: whether a deleted pod was evicted, and what a
    later session has overwritten.
    """

    files: Annotated[tuple[str, ...], typer.Argument(metavar="BEFORE AFTER", hidden=True)] = ()
    sessions: Annotated[
        int | None, option("--sessions", "N", "Number of sessions between the dumps.", at_least_one)
    ] = None
    seeds: Annotated[
        int | None, option("--seeds", "N", "Compare under N more tie-breaking seeds.", _none_to_a_thousand)
    ] = None
    conf: Conf = None
    now: Now = None
    usage: Usage = None
    sample: Sample = None
    sharding_mode: ShardingModeFlag = None
    sharding_name: ShardingName = None
    csi_storage: CsiStorage = False
    release: ReleaseFlags
    output: Annotated[Output, choices(format=formats_of("Verification"))]
    verbosity: Annotated[Verbosity, texts(verbose="Show all differences and names.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


def run(arguments: Verify) -> int:
    """Compare what came of a cluster with the sessions that are run on it."""
    from vqs.report.verify import answer

    chosen, verbosity = arguments.output, arguments.verbosity
    with refused_as("verify", chosen):
        if not chosen.format.for_machines:
            verbosity.refuse_both()
        before, after = _pair(arguments.files)
        output.check(chosen.target, [before, after, arguments.conf, arguments.usage])
        with Progress(quiet=verbosity.quiet) as progress:
            result = _verified(arguments, before, after, progress)
    view = output.fitted(View(again=on_files(before, after)), chosen, verbosity)
    output.write(write(result, chosen.format, view), chosen.target)
    if chosen.target and not verbosity.quiet:
        say(f"{answer(result)}; written to {chosen.target}")
    return UNEXPLAINED if result.unexplained else 0


COMMAND: Final = command("verify", Verify, run, _EXAMPLES)


def _pair(files: Sequence[str]) -> tuple[str, str]:
    """Return the earlier and the later dump."""
    if "" in files:
        raise CommandError("one of the files to read has an empty name; is there a variable that is not set?")
    if len(files) != _PAIR:
        raise CommandError("verify compares two dumps, an earlier and a later one: vqs verify BEFORE AFTER")
    before, after = files
    if before == after == STDIN:
        raise CommandError("standard input can be read only once: use '-' in one place")
    if STDIN not in files and is_there(before) and is_there(after) and Path(before).samefile(after):
        raise CommandError(
            f"BEFORE and AFTER are the same file, {before}: take two dumps, and leave the scheduler time in between",
            before,
        )
    return before, after


def _verified(arguments: Verify, before: str, after: str, progress: Progress) -> Verification:
    from vqs.snapshot.cluster.sharding import with_sharding
    from vqs.verify.dumps import NotAPair
    from vqs.verify.run import SEEDS, VerifyOptions
    from vqs.verify.run import verify as hold_against

    earlier, later = (
        inputs.read([path], progress, arguments.conf, release=arguments.release.choice) for path in (before, after)
    )
    if arguments.usage is not None:
        earlier = inputs.measured(earlier, arguments.usage)
    earlier = with_sharding(earlier, arguments.sharding_mode, arguments.sharding_name)
    earlier = inputs.with_csi_storage(earlier, given=arguments.csi_storage)
    options = VerifyOptions(
        arguments.sessions,
        SEEDS if arguments.seeds is None else arguments.seeds,
        arguments.now,
        inputs.title([before]),
        inputs.title([after]),
        arguments.sample,
        one_use(),
    )
    try:
        return hold_against(earlier, later, options)
    except NotAPair as error:
        raise CommandError(f"{before}, {after}: {error}", before) from None
