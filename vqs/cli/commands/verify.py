"""`vqs verify`: whether a cluster did what vqs says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vqs.cli import inputs, output
from vqs.cli.command import command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import RELEASE, Group, Output, SessionFlags, on_files, output_group, verbosity
from vqs.cli.options import (
    CONF,
    CSI_STORAGE,
    NOW,
    SAMPLE,
    SHARDING_MODE,
    SHARDING_NAME,
    USAGE,
    argument,
    at_least_one,
    option,
    up_to_a_thousand,
)
from vqs.cli.output import Progress
from vqs.paths import STDIN, is_there
from vqs.releases.profile import ReleaseChoice
from vqs.report.formats import View
from vqs.report.registry import formats_of, write
from vqs.snapshot.reading.reach import in_force

UNEXPLAINED: Final = 1

_PAIR: Final = 2

_RANGES: Final = b"vqs/when/"
_HEAD: Final = 100
"""How many bytes of a result say which it is."""

_HELP = """
Compare what vqs predicts with what a cluster did.

BEFORE and AFTER are dumps of one cluster, as kubectl get -A -o json prints them, best a second or two apart. The
decisions that vqs makes on BEFORE are compared with AFTER: pods bound and evicted, by PodGroup, the phases and
conditions of PodGroups, the messages of pending pods, and nodes where no other was equally good.

Each difference is marked as explained by tie-breaking, by a change between the dumps, or not explained. The
scheduler picks at random among equally good nodes and victims, so the sessions are also run under five more
seeds; --seeds changes that number.

Instead of BEFORE, what vqs when --format json has written: it is then compared with one or more later dumps. The
report says which jobs started within their ranges, and how many should have.

Without --sessions, one session is run, or two where AFTER has new pods with a node, then more as long as the
agreement improves. The report lists what the dumps cannot show: whether a deleted pod was evicted, and what a
later session has overwritten.
"""

_EXAMPLES = """
\b
Examples:
  vqs verify before.json after.json
  vqs verify before.json after.json --sessions 3 --seeds 20
  vqs verify before.json after.json --format json --output verification.json
  vqs verify when.json noon.json evening.json

Each option can be set in the environment: --sessions by VQS_SESSIONS, and so on.

Exit status: 0 the cluster did what vqs predicts, or tie-breaking or a change explains each difference, 1 some
differences are not explained, 2 the input or the command line is wrong, 130 interrupted.
"""


def _none_to_a_thousand(text: str) -> int:
    """Read a number of tie-breaking seeds, which may be 0."""
    return 0 if text == "0" else up_to_a_thousand(text)


@command(
    "verify",
    _HELP,
    _EXAMPLES,
    argument("files", "[BEFORE AFTER...]...", many=True),
    option("--sessions", "N", "Number of sessions between the dumps.", at_least_one),
    option("--seeds", "N", "Compare under N more tie-breaking seeds.", _none_to_a_thousand),
    CONF,
    Group("session", SessionFlags, (NOW, USAGE, SAMPLE, SHARDING_MODE, SHARDING_NAME, CSI_STORAGE)),
    RELEASE,
    output_group(formats_of("Verification")),
    *verbosity(verbose="Show all differences and names."),
)
def run(
    *,
    files: Sequence[str],
    sessions: int | None,
    seeds: int | None,
    conf: str | None,
    session: SessionFlags,
    release: ReleaseChoice,
    out: Output,
) -> int:
    """Compare what came of a cluster with the sessions that are run on it."""
    from vqs.report.verify import answer
    from vqs.verify.dumps import NotAPair
    from vqs.verify.run import SEEDS, VerifyOptions, verify

    if len(files) >= _PAIR and _has_ranges(files[0]):
        with output.refused_as("verify", out):
            return _check_ranges(files, (sessions, seeds, conf), release, out)
    with output.refused_as("verify", out):
        out.refuse_both()
        before, after = _pair(files)
        output.check(out.target, [before, after, conf, session.usage])
        with Progress() as progress:
            earlier, later = (inputs.read([path], progress, conf, release=release) for path in (before, after))
            options = VerifyOptions(
                sessions,
                SEEDS if seeds is None else seeds,
                session.now,
                inputs.title([before]),
                inputs.title([after]),
                session.sample,
                inputs.one_use(),
            )
            try:
                result = verify(inputs.for_session(earlier, session), later, options)
            except NotAPair as error:
                raise CommandError(f"{before}, {after}: {error}", before) from None
    view = output.fitted(View(again=on_files(before, after)), out)
    output.write(write(result, out.format, view), out.target)
    if out.target and not out.quiet:
        say(f"{answer(result)}; written to {out.target}")
    return UNEXPLAINED if result.unexplained else 0


def _has_ranges(file: str) -> bool:
    """True if a file is what `vqs when` has written."""
    try:
        with Path(file).open("rb") as opened:
            return _RANGES in opened.read(_HEAD)
    except OSError:
        return False


def _check_ranges(files: Sequence[str], unused: Sequence[object], release: ReleaseChoice, out: Output) -> int:
    """Compare the ranges of `vqs when` with later dumps."""
    from vqs.replay.when.outcome import When
    from vqs.report.saved import UnreadableResult, read_result
    from vqs.verify.dumps import NotAPair
    from vqs.verify.starts import check_starts

    if any(each is not None for each in unused):
        raise CommandError("--sessions, --seeds and --conf are for two dumps, not for the ranges of vqs when")
    output.check(out.target, files)
    try:
        ranges = read_result(in_force().read_named(files[0]))
    except UnreadableResult as error:
        raise CommandError(f"{files[0]}: {error}", files[0]) from None
    if not isinstance(ranges, When):
        raise CommandError(f"{files[0]}: it is no result of vqs when", files[0])
    with Progress() as progress:
        dumps = [inputs.read([path], progress, release=release) for path in files[1:]]
    try:
        result = check_starts(ranges, dumps)
    except NotAPair as error:
        raise CommandError(f"{files[0]}: {error}", files[0]) from None
    output.write(write(result, out.format, output.fitted(View(), out)), out.target)
    output.say_written(result.answer, out)
    return 0


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
