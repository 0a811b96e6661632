"""What a change makes of a cluster now, and did not make of it before: two comparisons, as of two pushes."""

from __future__ import annotations

from vqs.diff.outcome import Diff, JobSince, LintDifference, Since


def since(earlier: Diff, later: Diff) -> Since:
    """Return what is otherwise than in an earlier comparison, apart from what depends on tie-breaking."""
    before, after = ({job.called: job.says for job in diff.jobs if not job.tie_dependent} for diff in (earlier, later))
    set_before, set_after = (
        {each.key: (each.before, each.after) for each in diff.settings} for diff in (earlier, later)
    )
    found, finds = ([*map(_said, diff.findings)] for diff in (earlier, later))
    held, holds = ([failure.condition for failure in diff.failures] for diff in (earlier, later))
    return Since(
        jobs=[
            JobSince(name=name, before=before.get(name, ""), after=after.get(name, ""))
            for name in sorted({**before, **after})
            if before.get(name) != after.get(name)
        ],
        failures_new=[each for each in holds if each not in held],
        failures_gone=[each for each in held if each not in holds],
        settings=sorted(key for key in {**set_before, **set_after} if set_before.get(key) != set_after.get(key)),
        findings_new=[each for each in finds if each and each not in found],
        findings_gone=[each for each in found if each and each not in finds],
    )


def _said(difference: LintDifference) -> str:
    """A finding that only the candidate has; empty for another."""
    finding = difference.finding
    return f"{finding.code}: {finding.message}" if difference.change == "new" else ""
