"""The commands that open a moment of a run as a snapshot, and go on from there."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from vqs.replay.outcome import Replay
from vqs.report.again import Again, Option, Step, of_title

MOMENT: Final = "moment.json"
"""What the snapshot is called."""


def of_run(run: Replay, again: Again | None) -> Again:
    """Return what one run was made from: of the policies and seeds of a command, only its own.

    A command without a seed may show a run with one, as the most typical of several.
    A saved result does not say what its policies were made from; that is left to the reader.
    """
    base = again or (Again() if run.policy else of_title(run.workload))
    names = [name for name, _ in base.options]
    kept = tuple(each for each in base.options if _is_of(run.policy, each, names))
    drawn = "--seeds" in names or (run.spread and run.seed)
    seed = (("--seed", str(run.seed)),) if drawn else ()
    return replace(base, options=(*kept, *seed))


def opened(run: Replay, again: Again | None, at: str, says: str) -> Step:
    """Return the command that writes the cluster at a time of a run as a snapshot."""
    return of_run(run, again).command("replay", says, ("--at", at), ("--output", MOMENT))


def explained(again: Again | None, job: str, says: str) -> Step:
    """Return the command that explains a job in that snapshot."""
    base = again or Again()
    return Again(base.program, (MOMENT,)).command("explain-job", says, ("--job", job))


def _is_of(policy: str, option: Option, names: list[str]) -> bool:
    """Tell whether an option is one of a policy: those of others name a configuration or edits that it is not run with.

    A policy is called after its configuration, where there are several, and after its edits.
    """
    name, value = option
    if name == "--conf" and names.count(name) > 1:
        return policy == value or policy.startswith(f"{value} with ")
    if name == "--edits":
        return policy == value or policy.endswith(f" with {value}")
    return True
