"""Policies of a Job by which an evicted pod ends what it is to restart, or restarts what it is to end."""

from typing import Final, NamedTuple

from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.model.kubernetes import ENDED_JOB_PHASES, VolcanoJob
from vqs.snapshot.reading.diagnostics import Path

_FAILED: Final = "PodFailed"
_EVICTED: Final = "PodEvicted"
_ENDS: Final = frozenset({"AbortJob", "TerminateJob", "CompleteJob"})
_RESTARTS: Final = frozenset({"RestartJob", "RestartTask", "RestartPod", "RestartPartition"})


class _Policy(NamedTuple):
    action: str
    path: Path


def check(context: LintContext) -> Findings:
    """Find Jobs one of whose tasks has such policies; of several tasks with the same ones, the first."""
    for job, place in context.objects("volcano_jobs"):
        if job.status.state.phase in ENDED_JOB_PHASES:
            continue
        seen = set()
        for number, task in enumerate(job.spec.tasks):
            failed, evicted = (_policy(job, number, event) for event in (_FAILED, _EVICTED))
            if failed is None or evicted is None or (failed, evicted) in seen:
                continue
            actions = {failed.action, evicted.action}
            if actions.isdisjoint(_ENDS) or actions.isdisjoint(_RESTARTS):
                continue
            seen.add((failed, evicted))
            what = f"task {task.name or number} of Job {job.metadata.key}"
            message = (
                f"{what} has {evicted.action} for {_EVICTED} and {failed.action} for {_FAILED}, and an evicted pod "
                f"fails before it is gone: {failed.action} comes first"
            )
            at, other = (place.at(*each.path) for each in (evicted, failed))
            yield Finding(message, at, (Evidence(f"{failed.action} for {_FAILED}", other),))


def _policy(job: VolcanoJob, task: int, event: str) -> _Policy | None:
    """The first policy that an event of a task meets: those of the task come before those of the Job."""
    of_task: Path = ("spec", "tasks", task, "policies")
    for policies, path in ((job.spec.tasks[task].policies, of_task), (job.spec.policies, ("spec", "policies"))):
        for number, policy in enumerate(policies):
            if not {event, "*"}.isdisjoint((policy.event, *policy.events)):
                return _Policy(policy.action, (*path, number, "action"))
    return None


RULE = Rule(
    code="opposite-policies",
    severity=Severity.WARNING,
    title="a Job does the opposite for PodFailed of what it does for PodEvicted",
    meaning="The policies of a Volcano Job end it for one of the events PodFailed and PodEvicted, and restart it or a "
    "part of it for the other.",
    why="An evicted pod is stopped first: unless its process then exits with 0, the pod passes the phase Failed, "
    "and the controller acts on PodFailed. PodEvicted follows when the pod is gone, and no longer counts: by then, the "
    "Job has ended or has been restarted.",
    fix="Use the same action for both events, or name exit codes (exitCode) in place of PodFailed.",
    source="pkg/controllers/job/job_controller_handler.go (updatePod, deletePod); "
    "pkg/controllers/job/job_controller_util.go (applyPolicies)",
    check=check,
    looks_at=("volcano_jobs",),
    example="policies: [{event: PodFailed, action: TerminateJob}, {event: PodEvicted, action: RestartJob}]",
)
