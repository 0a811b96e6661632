"""The commands to go on with after a comparison: they explain the job that is worse off, or what blocks it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from vqs.diff.outcome import Diff, JobDifference, JobSide
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.lint.registry import RULES
from vqs.report.again import NOWHERE, Again, Next, Step
from vqs.report.formats import View

_WORSE: Final = ("loses", "both")
_SEVERITIES: Final = ("error", "warning", "note")


def next_step(diff: Diff, view: View) -> Next:
    """Name the command that explains most; where the files of the candidate are not one input, that is the rule."""
    again = view.again
    if diff.after.session.standstill:
        return again.last(again.lint()) if again is not None else NOWHERE
    worse = _first_worse(diff)
    if worse is not None:
        job, side = worse
        if again is not None:
            says = "says what blocks it in the candidate, and what would help"
            return again.last(again.command("explain-job", says, ("--job", job.called)))
        return Next([*_verdict(side, job.called)])
    return Next([*_finding(diff, again or Again())])


def _first_worse(diff: Diff) -> tuple[JobDifference, JobSide] | None:
    """Return the first job that is worse off and still there in the candidate, however ties are broken."""
    for job in diff.jobs:
        if job.effect in _WORSE and not job.tie_dependent and job.after is not None:
            return job, job.after
    return None


def _verdict(side: JobSide, job: str) -> Iterator[Step]:
    """Yield the command that explains what blocks most tasks of a job, if anything does."""
    known = sorted((-number, code) for code, number in side.verdicts.items() if code in VERDICT_RULES)
    for _, code in known[:1]:
        yield Again().rule(code, f"explains what happens to {job}, and what to do")


def _finding(diff: Diff, again: Again) -> Iterator[Step]:
    """Yield the command that explains the worst new finding that a rule explains."""
    new = [each.finding for each in diff.findings if each.change == "new" and each.finding.code in RULES]
    for finding in sorted(new, key=lambda each: _SEVERITIES.index(each.severity))[:1]:
        yield again.rule(finding.code, "explains the new lint finding")
