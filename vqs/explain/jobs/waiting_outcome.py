"""The result of `vqs explain-job` without `--job`: the document that `--format json` prints.

It lists every job that waits, with the verdict that says why.
"""

from __future__ import annotations

import msgspec

from vqs.explain.outcome import Blocker, Decision, DiagnosticResult, Outlook, Owner, Result, SessionInfo, Verdict
from vqs.explain.verdict_rules import Stage


class WaitingJob(Result, kw_only=True, omit_defaults=False):
    """A job that waits.

    Attributes:
        namespace: its namespace.
        name: the name of its PodGroup.
        display_name: the namespace and name that people know it by.
        owner: the controller that it comes from; null where it has none.
        queue: its queue.
        min_available: how many of its tasks have to be placed at once.
        tasks: how many tasks it has, pods included that are not created yet, or are left to other schedulers.
        waiting: how many of these have no node, or may not go to their node yet.
        decision: what became of the job.
        blocked_at: the first gate that was not passed, as in `vqs explain-job --job`.
        cause: the verdict that says why it waits; null where the session gives no reason.
        cause_task: the task that got this verdict; empty where it is the job's.
        code: the code of the first thing that keeps it waiting; empty where the session gives no reason.
        why: the same as a sentence; empty where there is none.
        blockers: all that keeps it waiting, as in `vqs explain-job --job`.
        outlook: what becomes of it in the sessions that follow, where nodes are reserved for it; else null.
        session: which session tried it, counted from 1: the pods of some jobs are created after the first.
    """

    namespace: str
    name: str
    display_name: str
    owner: Owner | None
    queue: str
    min_available: int
    tasks: int
    waiting: int
    decision: Decision
    blocked_at: Stage
    cause: Verdict | None
    cause_task: str
    code: str
    why: str
    blockers: list[Blocker]
    outlook: Outlook | None
    session: int


class WaitingJobs(Result, tag_field="schema", tag="vqs/waiting/v2", kw_only=True, omit_defaults=False):
    """Every job that waits once a session is over.

    Attributes:
        answer: in a sentence, how many jobs wait, and for which reasons.
        jobs: the jobs that wait, by namespace and name.
        left_to_others: what waits for another scheduler and is no job: controllers of pods, and pods that nothing
            controls, as `--job` takes their names.
    """

    volcano: str
    scenario: str
    session: SessionInfo
    answer: str
    jobs: list[WaitingJob]
    left_to_others: list[str] = msgspec.field(default_factory=list)
    diagnostics: list[DiagnosticResult]
