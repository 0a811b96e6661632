"""`vqs verify`: whether a cluster did what vqs says."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vqs.cli import inputs, output
from vqs.cli.again import on_files
from vqs.cli.arguments.verify import Verify
from vqs.cli.failures import CommandError, say
from vqs.cli.progress import Progress
from vqs.cli.refused import refused_as
from vqs.cli.sessions import one_use
from vqs.paths import STDIN, is_there
from vqs.report.formats import View
from vqs.report.registry import write
from vqs.report.verify import answer
from vqs.snapshot.cluster.sharding import with_sharding
from vqs.verify.dumps import NotAPair
from vqs.verify.outcome import Verification
from vqs.verify.run import SEEDS, VerifyOptions
from vqs.verify.run import verify as hold_against

UNEXPLAINED: Final = 1

_PAIR: Final = 2


def run(arguments: Verify) -> int:
    """Compare what came of a cluster with the sessions that are run on it."""
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
