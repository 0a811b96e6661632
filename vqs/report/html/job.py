"""The page on a job: the answer, where its gang stands and the first fixes first; below is the story, folded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from vqs.explain.amounts import amount
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.outcome import Blocker, Outlook, TaskResult
from vqs.explain.texts.node_reasons import partly, prospect
from vqs.inert import name as visible
from vqs.model.codes import VerdictCode
from vqs.model.job import READY_STATUSES, TaskStatus
from vqs.model.wording import count
from vqs.report.formats import Detail, View
from vqs.report.html.document import beginning, document
from vqs.report.html.page import table
from vqs.report.job.attempts import ATTEMPTS, EVICTION, HYPER_NODES, RESERVED, VICTIMS
from vqs.report.job.page import ADMISSION, POD_CONDITIONS, SCHEDULING_ORDER
from vqs.report.job.page import page as job_page
from vqs.report.job.remedies import FIXES, INEFFECTIVE, first_fixes

_STORY: Final = (ADMISSION, SCHEDULING_ORDER, ATTEMPTS, POD_CONDITIONS, EVICTION)
_LANDMARKS: Final = (FIXES, *_STORY)
_ASIDE: Final = (*_STORY, HYPER_NODES, VICTIMS, RESERVED, INEFFECTIVE)
"""What is folded, but for what decided."""
_DECIDING: Final = {"enqueue": ADMISSION, "order": SCHEDULING_ORDER}
"""The part of the story that a stage is told in, which stays open; placement attempts for all others."""

_SQUARES: Final = 60
"""With more pods than these, a square stands for several."""

_BARS: Final = 3
"""As many limits are drawn; all are in the text."""

_FULL: Final = 1000
"""How wide a bar is that is full."""


def write_job(result: JobReport, view: View, /) -> str:
    """Return the page on a job, with the whole result in it."""
    shown = job_page(result, replace(view, detail=Detail.EVERYTHING))
    opened = EVICTION if result.evictions else _DECIDING.get(result.blocked_at, ATTEMPTS)
    parts = []  # those of the story are folded away, but for the one that decided
    for part in shown.parts:
        is_aside = any(part.title.startswith(beginning(each)) for each in _ASIDE)
        parts.append(replace(part, folded=not part.title.startswith(beginning(opened))) if is_aside else part)
    shown = replace(shown, parts=parts)
    title = f"{result.job.called} {result.scenario}"
    return document(
        shown, "explain-job", title, result.session, landmarks=_LANDMARKS, brief=_brief(result), code=_code(result)
    )


def _code(report: JobReport) -> re.Pattern[str] | None:
    """What can be copied in the steps of fixes: commands, edits, and lines of files without where they stand."""
    found: set[str] = set()
    for each in report.fix_search.fixes if report.fix_search else ():
        found |= {re.escape(visible(text)) for text in (" && ".join(each.commands), *each.edits) if text}
        places = (re.match(r"(.*?:\d+: )(.+)", visible(line)) for line in each.lines)
        found |= {f"(?<={re.escape(place[1])}){re.escape(place[2])}" for place in places if place}
    return re.compile(f"({'|'.join(sorted(found, key=lambda each: (-len(each), each)))})") if found else None


def _brief(report: JobReport) -> dict[str, Any] | None:
    """What is drawn of a job: its pods, the sessions that follow, the limits that stop it, and the first fixes."""
    if report.session.standstill:
        return None
    outlook = report.outlook
    starts_whole = outlook is not None and bool(report.tasks) and outlook.pods_bound >= len(report.tasks)
    return {
        "pods": _pods(report.tasks, report.job.min_available),
        "sessions": _sessions(outlook, len(report.tasks)),
        "limits": [] if starts_whole else _limits(report.blockers),
        "fixes": table(first_fixes(report)),
    }


def _pods(tasks: Sequence[TaskResult], minimum: int) -> dict[str, Any] | None:
    """Squares for the pods of a job, those with a node first, and where its minimum is."""
    if not tasks:
        return None
    states = sorted(map(_state, tasks), key=_STATES.index)
    each = -(-len(states) // _SQUARES)
    counts = [(state, states.count(state)) for state in dict.fromkeys(states)]
    said = ", ".join(f"{number:,} {_WORDS[state]}" for state, number in counts)
    scale = f"; a square is {each} pods" if each > 1 else ""
    gang = f"; the job starts with {minimum:,}" if minimum > 1 else ""
    last = -(-minimum // each) if 1 < minimum <= len(states) else 0
    return {"squares": states[::each], "minimum": last, "text": f"{count(len(states), 'pod')}: {said}{gang}{scale}"}


_STATES: Final = ("ready", "reserved", "discarded", "waiting", "ended")
_WORDS: Final = {
    "ready": "with a node",
    "reserved": "reserved",
    "discarded": "placed and rolled back",
    "waiting": "waiting",
    "ended": "ended or evicted",
}


def _state(task: TaskResult) -> str:
    """The class of a pod's square."""
    if task.status in _READY:
        return "ready"
    if task.verdict and task.verdict.code == VerdictCode.GANG_DISCARDED:
        return "discarded"
    return {"Pending": "waiting", "Pipelined": "reserved"}.get(task.status, "ended")


_READY: Final = frozenset(TaskStatus(each).name for each in READY_STATUSES)


def _sessions(outlook: Outlook | None, pods: int) -> dict[str, Any] | None:
    """What the sessions that follow bring, and, where the job starts, in which of those that were looked at."""
    if outlook is None:
        return None
    start = outlook.starts_in_session
    said = prospect(outlook) or ("starts in this session" if start else "")
    if outlook.settled and start is None:
        said = "does not start as long as nothing changes"
    bound = partly(outlook, pods).removeprefix(", ") if start is not None else ""
    text = ", ".join(filter(None, [said, bound])) or "runs"
    return {"count": 0 if start is None else max(outlook.sessions, start), "start": start, "text": text}


_LIMITS: Final = {
    VerdictCode.QUEUE_LIMIT.value: "Deserved by queue {queue}",
    VerdictCode.QUEUE_OVERUSED.value: "Deserved by queue {queue}",
    VerdictCode.QUEUE_CAPABILITY.value: "Limit of queue {queue}",
    VerdictCode.NOT_ENQUEUED_CAPABILITY.value: "Limit of queue {queue}",
    VerdictCode.GANG_EXCEEDS_QUEUE.value: "Limit of queue {queue}",
    VerdictCode.NOT_ENQUEUED_QUOTA.value: "Allowed by the quota",
    VerdictCode.NOT_ENQUEUED_OVERCOMMIT.value: "Allowed by overcommit",
    VerdictCode.CLUSTER_FULL.value: "On all nodes together",
    VerdictCode.GANG_EXCEEDS_CLUSTER.value: "On all nodes together",
    VerdictCode.RESOURCE_ON_NO_NODE.value: "On all nodes together",
    VerdictCode.LARGER_THAN_ANY_NODE.value: "On the largest node",
    VerdictCode.NO_NODE_FITS.value: "Free on {node}",
    VerdictCode.FRAGMENTED.value: "Free on {node}",
}
"""What a blocker's `have` is, by its code."""


def _limits(blockers: Sequence[Blocker]) -> list[dict[str, Any]]:
    """Bars for what there is, and for what is needed; one where two blockers say the same."""
    bars: dict[str, dict[str, Any]] = {}
    for each in blockers:
        if not each.need or each.have is None:
            continue
        have, need = (amount(each.resource, figure) for figure in (each.have, each.need))
        where = _LIMITS.get(each.code, "Limit").format(queue=each.queue, node=each.node or "the closest node")
        text = f"{where}: {have} {each.resource}; needed: {need}" if each.resource else f"{have} of {need}: {each.text}"
        full = max(each.need, each.have)
        bars[text] = {
            "text": text,
            "have": round(_FULL * max(each.have, 0.0) / full),
            "need": round(_FULL * each.need / full),
        }
    return list(bars.values())[:_BARS]
