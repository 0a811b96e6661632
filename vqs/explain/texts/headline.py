"""The headline of a job: what becomes of it, and what keeps it from being placed, in the same words everywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vqs.explain.outcome import Blocker, JobResult, Outlook, Verdict
from vqs.model.codes import VerdictCode
from vqs.model.wording import count, first_names


def blocked_by(job: JobResult) -> tuple[str, str]:
    """The code and the sentence of the first thing that keeps a job waiting; empty where nothing does."""
    if job.blockers:
        return job.blockers[0].code, job.blockers[0].text
    if job.verdict is None or job.verdict.code == VerdictCode.EVICTED:
        return "", ""
    return job.verdict.code, of_tasks(job.verdict)


def of_tasks(verdict: Verdict, tasks: int = 1) -> str:
    """The sentence of a verdict where it is about one task of a job, or several."""
    subject = "a task" if tasks == 1 else f"each of {tasks:,} tasks"
    text = re.sub("^the task", subject, verdict.text)
    text = text.replace("with the task", "with one more task", 1)
    return re.sub(r"\bthe task\b", "one of its tasks", text, count=1)


def others(blockers: Sequence[Blocker], most: int = 2) -> str:
    """What else keeps a job, or some of its tasks, waiting, as a sentence; empty where nothing does."""
    if not blockers:
        return ""
    left = f"; and {len(blockers) - most:,} more" if len(blockers) > most else ""
    named = "; ".join(each.text.rstrip(".") for each in blockers[:most])
    return f"Also in its way: {named}{left}."


def prospect(outlook: Outlook | None) -> str:
    """What the sessions that follow do with a job, without its name; empty where they were not run."""
    if outlook is None or outlook.starts_in_session in (0, 1):
        return ""
    if outlook.starts_in_session is None and outlook.settled:
        return "does not start, however many sessions follow"
    if outlook.starts_in_session is None:
        return f"does not start in {count(outlook.sessions, 'session')}"
    names = first_names(outlook.waits_for)
    gone = f", once {names} {'is' if len(outlook.waits_for) == 1 else 'are'} gone" if names else ""
    return f"starts in session {outlook.starts_in_session}{gone}"


def partly(outlook: Outlook | None, pods: int) -> str:
    """How many of a job's pods have a node in the end, to go on with after `prospect`; empty where all have."""
    if outlook is None or outlook.pods_bound >= pods:
        return ""
    return f", with {outlook.pods_bound:,} of its {count(pods, 'pod')}"


def efforts(outlook: Outlook | None) -> str:
    """What is done in a job's favour for nothing, as a sentence; empty where nothing is."""
    if outlook is None or outlook.starts_in_session is not None:
        return ""
    if outlook.pods_evicted:
        evicting, every = outlook.sessions_evicting, outlook.sessions
        within = "this session" if every == 1 else f"{evicting if evicting < every else 'all'} of {every} sessions"
        evicted = f"{count(outlook.pods_evicted, 'pod')} {'is' if outlook.pods_evicted == 1 else 'are'} evicted"
        return f"In {within}, {evicted} for this job{' in all' if evicting > 1 else ''}, and it still waits."
    if outlook.sessions_reserving:
        reserving, every = outlook.sessions_reserving, outlook.sessions
        each = f"each of {every} sessions" if reserving == every else f"{reserving} of {every} sessions"
        each = each if every > 1 else "this session"
        return (
            f"In {each}, nodes are reserved for this job, and it does not start: a reservation ends with its session."
        )
    return ""
