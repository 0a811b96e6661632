"""A difference as it is when the sides change places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from vqs.diff.outcome import Diff, Why
from vqs.diff.tasks import ORDER
from vqs.diff.why import told

Plain = dict[str, Any]

OPPOSITES = {
    "placed": "unplaced",
    "placed-at-once": "waits-instead",
    "waits": "no-longer-waits",
    "evicted": "spared",
    "added": "removed",
    "taken-up": "left-alone",
    "gone": "added",
    "new": "gone",
    "gains": "loses",
}
OPPOSITES |= {other: one for one, other in OPPOSITES.items() if one not in ("gone", "new")}
FINDINGS = {"new": "gone", "gone": "new"}
EVICTIONS = {"added": "gone", "gone": "added"}


def plain(diff: Diff) -> Plain:
    """Return a difference as plain values."""
    value: Plain = msgspec.to_builtins(diff)
    return value


def mirrored(diff: Diff) -> Plain:
    """Return what the difference has to be with the sides swapped, made without looking at the sessions again."""
    value = plain(diff)
    _swap(value, "before", "after")
    _swap(value, "figuresBefore", "figuresAfter")
    value["firstDivergence"] = _sentence(value.get("firstDivergence", ""))
    summary = value["summary"]
    _swap(summary, "gain", "lose")
    _swap(summary, "evictionsAdded", "evictionsGone")
    _swap(summary, "queuesAdded", "queuesRemoved")
    _swap(summary, "findingsNew", "findingsGone")
    for job in value["jobs"]:
        _job(job)
    for queue in value["queues"]:
        _swap(queue, "before", "after")
        queue["change"] = OPPOSITES.get(queue["change"], queue["change"])
        if "effect" in queue:
            queue["effect"] = OPPOSITES.get(queue["effect"], queue["effect"])
    for node in value["nodes"]:
        _swap(node, "before", "after")
        node["change"] = OPPOSITES.get(node["change"], node["change"])
    for setting in value["settings"]:
        _swap(setting, "before", "after")
        _swap(setting, "defaultBefore", "defaultAfter")
    for eviction in value["evictions"]:
        eviction["change"] = EVICTIONS[eviction["change"]]
    for finding in value["findings"]:
        finding["change"] = FINDINGS[finding["change"]]
    changes: dict[str, int] = {}
    for job in value["jobs"]:
        if not job.get("tieDependent"):
            changes[job["changes"][0]] = changes.get(job["changes"][0], 0) + 1
    summary["changes"] = changes
    return comparable(value)


def comparable(value: Plain) -> Plain:
    """Return a difference without sentences and what is told of the candidate only, in one order."""
    value["summary"]["changes"] = dict(sorted(value["summary"]["changes"].items()))
    value["evictions"].sort(key=lambda each: (each.get("tieDependent", False), each["change"], each["task"]))
    value["findings"].sort(key=_by_change)
    value.setdefault("firstDivergence", "")
    value.pop("unknown", None)  # what the candidate alone hangs on, as a snapshot without pods does
    for job in value["jobs"]:
        del job["says"], job["remark"]  # what is said follows from all else
    return {key: each for key, each in value.items() if each != ""}


def _by_change(each: Plain) -> str:
    return f"{each['change']} {each['finding'].get('file')} {each['finding'].get('line')} {each['finding']['message']}"


def _job(job: Plain) -> None:
    _swap(job, "before", "after")
    changes = [OPPOSITES.get(change, change) for change in job["changes"]]
    order: Callable[[Any], int] = ORDER.index
    job["changes"] = sorted(changes, key=order)
    if "tieDependentChanges" in job:
        lucky = [OPPOSITES.get(change, change) for change in job["tieDependentChanges"]]
        job["tieDependentChanges"] = sorted(lucky, key=order)
    job["effect"] = OPPOSITES.get(job["effect"], job["effect"])
    _swap(job["why"], "before", "after")
    for other in job["why"].get("others", ()):
        _swap(other, "before", "after")
    why = msgspec.convert(job["why"], Why)
    job["why"]["text"] = "; ".join(told(why.before, why.after, why.others))
    for task in job["tasks"]:
        _swap(task, "before", "after")
        task["change"] = OPPOSITES.get(task["change"], task["change"])


def _sentence(text: str) -> str:
    if not text or text.startswith("before and after, "):
        return text
    before, after = text.removeprefix("before, ").split("; after, ", 1)
    return f"before, {after}; after, {before}"


def _swap(value: Plain, one: str, other: str) -> None:
    first, second = value.pop(one, None), value.pop(other, None)
    if second is not None:
        value[one] = second
    if first is not None:
        value[other] = first
