"""`vqs verify`: whether a cluster did what vqs says."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Output, ReadingLimits, Verbosity
from vqs.cli.options import Conf, Debug, Now, Release, Volcano, at_least_one, option, up_to_a_thousand
from vqs.report.registry import formats_of

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


def _none_to_a_thousand(text: str) -> int:
    """Read a number of ways to break ties, which may be none."""
    return 0 if text == "0" else up_to_a_thousand(text)


@dataclass(frozen=True, kw_only=True)
class Verify:
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

    files: Annotated[tuple[str, ...], typer.Argument(metavar="BEFORE AFTER", hidden=True)] = ()
    sessions: Annotated[
        int | None, option("--sessions", "N", "How many sessions there were in between.", at_least_one)
    ] = None
    seeds: Annotated[
        int | None, option("--seeds", "N", "Look for luck under N ways to break ties.", _none_to_a_thousand)
    ] = None
    conf: Conf = None
    now: Now = None
    volcano: Release = Volcano.V1_14
    output: Annotated[Output, choices(format=formats_of("Verification"))]
    verbosity: Annotated[Verbosity, texts(verbose="Every difference and name.")]
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("verify", Verify, _EXAMPLES)
