"""`vqs verify`: whether a cluster did what vqs says."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli.command import choices, command, texts
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
from vqs.report.registry import formats_of

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


COMMAND: Final = command("verify", Verify, _EXAMPLES)
