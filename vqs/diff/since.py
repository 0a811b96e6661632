"""What a change makes of a cluster now, and did not make of it before: two comparisons, as of two pushes."""

from __future__ import annotations

from vqs.diff.outcome import Diff, JobSince, Since


def since(earlier: Diff, later: Diff) -> Since:
    """Return what is otherwise than in an earlier comparison, apart from what depends on tie-breaking."""
    before, after = ({job.called: job.says for job in diff.jobs if not job.tie_dependent} for diff in (earlier, later))
    held, holds = ([failure.condition for failure in diff.failures] for diff in (earlier, later))
    return Since(
        jobs=[
            JobSince(name=name, before=before.get(name, ""), after=after.get(name, ""))
            for name in sorted({**before, **after})
            if before.get(name) != after.get(name)
        ],
        failures_new=[each for each in holds if each not in held],
        failures_gone=[each for each in held if each not in holds],
    )
