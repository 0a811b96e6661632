"""Jobs that are not there at the start: they arrive while `vqs replay` runs, and other commands leave them out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import structs

from vqs.snapshot.reading.diagnostics import Diagnostic, Problems
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.scenario.jobs import Job

ARRIVES_LATER: Final = "arrives-later"
"""The code of the note that says which jobs are left out."""

MOST_ARRIVING: Final = 1_000_000
"""How many jobs may arrive in one replay."""

_TIMES: Final = ("arrival", "arrivals")
_MADE_BY_CONTROLLERS: Final = ("phase", "minResources", "created", "podGroup")
_STATES: Final = ("running", "bound", "releasing", "succeeded", "failed", "nominated", "gated")
_CLAIMS: Final = ("volumes", "devices")


def arrives(entry: Mapping[str, Any]) -> bool:
    """True if a job is not there at the start."""
    return any(key in entry for key in _TIMES)


def arrives_later(first: Origin, number: int) -> Diagnostic:
    """The note that jobs are left out."""
    jobs = "1 job arrives" if number == 1 else f"{number:,} jobs arrive"
    message = f"{jobs} later, and only a replay has {'it' if number == 1 else 'them'}"
    return structs.replace(first.diagnostic(ARRIVES_LATER, message), severity="note")


def check_arriving(job: Job, problems: Problems) -> None:
    """Report keys that a job cannot have that arrives as a Volcano Job, of which controllers make all else."""
    entries = [(job.entry, job.origin), *((role.entry, role.origin) for role in job.roles if "roles" in job.entry)]
    for entry, origin in entries:
        for key in entry:
            if key in _STATES:
                message = f"{key} is given, but a job that arrives later has no such pods yet"
            elif key in _MADE_BY_CONTROLLERS:
                message = f"{key} is given, but of a job that arrives, Volcano makes the PodGroup"
            elif key in _CLAIMS:
                message = f"{key} of jobs that arrive later are not replayed"
            else:
                continue
            problems.add(origin.key_diagnostic("invalid-value", message, (key,)))
    both = [key for key in _TIMES if key in job.entry]
    if len(both) == len(_TIMES):
        problems.add(job.origin.key_diagnostic("invalid-value", "arrival and arrivals are both given", (both[1],)))
    if "arrivals" in job.entry and "count" in job.entry:
        message = "count is given for a job that arrives again and again"
        hint = "limit it with arrivals.most"
        problems.add(job.origin.key_diagnostic("invalid-value", message, ("count",), hint=hint))
