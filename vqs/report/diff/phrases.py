"""What the reports of a difference say in the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from vqs.diff.outcome import (
    BY_KUBERNETES,
    STANDSTILL,
    Diff,
    EvictionDifference,
    Failure,
    Figures,
    JobDifference,
    JobSide,
    NodeDifference,
    QueueDifference,
    QueueSide,
    Side,
)
from vqs.diff.sentences import CHANGES, on_tie_breaking
from vqs.explain.amounts import ABSENT, amount, change, percent
from vqs.explain.outcome import Amounts
from vqs.model.cluster import ROOT
from vqs.model.codes import ACTION_LEFT_OUT, EXTENDER_FAILED, EXTENDER_NOT_ASKED, NODES_SAMPLED, USAGE_UNKNOWN
from vqs.model.wording import count, first_names
from vqs.releases.release import titled
from vqs.snapshot.whatif.owners import PODS_DELETED

_FIGURES: Final = {"pipelined": "with a reserved node"}

EFFECTS: Final = {"gains": "+", "loses": "-", "both": "±", "neither": " "}
_WORDS: Final = {
    "Binding": "placed",
    "Bound": "placed",
    "Allocated": "placed",
    "Running": "running",
    "Pipelined": "reserved",
    "Pending": "pending",
    "Releasing": "terminating",
    "Succeeded": "done",
    "Failed": "failed",
    "Unknown": "unknown",
}
_OF_THE_PLUGIN: Final = ("real_capability", "request", "deserved", "inqueue")
"""Not known of a queue that the queue plugin leaves alone."""

ARROW: Final = "→"
_MOST_KINDS: Final = 10
_NOTHING_MODELLED: Final = "No change in what vqs models"
_OF_BOTH_SIDES: Final = (ACTION_LEFT_OUT, EXTENDER_NOT_ASKED, EXTENDER_FAILED, NODES_SAMPLED, USAGE_UNKNOWN)
_NOT_LOOKED_AT: Final = ("ignored-kinds", "hidden-file", "not-applied", "template-changed")


def sentence(diff: Diff) -> str:
    """Say in a line what differs."""
    summary = diff.summary
    stops = [bool(side.session.standstill) for side in (diff.before, diff.after)]
    parts = []
    if stops[0] != stops[1]:
        parts.append("scheduling would be blocked" if stops[1] else "scheduling would no longer be blocked")
    if summary.jobs:
        parts.append(_of_jobs(diff))
    others = summary.queues - summary.queues_added - summary.queues_removed
    parts += [
        f"{count(number, what)}{end}"
        for number, what, end in (
            (summary.evictions_added, "new eviction", ""),
            (summary.evictions_gone, "eviction", " avoided"),
        )
        if number
    ]
    if summary.queues:
        queues = ((others, "changed"), (summary.queues_added, "new"), (summary.queues_removed, "removed"))
        parts.append(", ".join(f"{count(number, 'queue')} {said}" for number, said in queues if number))
    nodes = sum(node.change != "same" for node in diff.nodes)
    if nodes:
        parts.append(f"{count(nodes, 'node')} changed")
    if diff.configuration and diff.configuration.change == "beside":
        parts.append("another configuration is beside the scheduler's")
    elif diff.configuration:
        parts.append(f"the scheduler's configuration is {diff.configuration.change}")
    if summary.settings:
        parts.append(f"{count(summary.settings, 'setting')} changed")
    parts += _of_lint(diff, is_all=not parts)
    if summary.tie_dependent:
        verb = "depends" if summary.tie_dependent == 1 else "depend"
        parts.append(f"{count(summary.tie_dependent, 'difference')} {verb} on tie-breaking")
    parts = parts or [_NOTHING_MODELLED if diff.not_read or diff.unknown else "Nothing would change"]
    return "; ".join([*parts, *_not_told(diff)])


def _not_told(diff: Diff) -> Iterator[str]:
    """Yield what is silenced, what the change is of that vqs does not read, and what the outcome hangs on."""
    if diff.silenced:
        yield f"{diff.silenced:,} silenced"
    if diff.not_read:
        kinds = [f"{each.new + each.changed + each.gone:,} {each.kind}" for each in diff.not_read]
        yield f"{first_names(kinds, _MOST_KINDS)} changed, but not read"
    if diff.unknown:
        yield f"not known: {first_names(diff.unknown, _MOST_KINDS)}"


def _of_lint(diff: Diff, *, is_all: bool) -> Iterator[str]:
    """Count the lint findings and silences; where nothing else differs, say that nothing else would change."""
    summary = diff.summary
    sides = ([each for each in side.diagnostics if each.code in _NOT_LOOKED_AT] for side in (diff.before, diff.after))
    before, after = ([each.message for each in diagnostics] for diagnostics in sides)
    # The change also touches objects that vqs does not read.
    if is_all and (before != after or any(each.finding.code in _NOT_LOOKED_AT for each in diff.findings)):
        yield _NOTHING_MODELLED
    if summary.findings_new or summary.findings_gone:
        new = [count(summary.findings_new, "new lint finding")] if summary.findings_new else []
        gone = [f"{count(summary.findings_gone, 'lint finding')} resolved"] if summary.findings_gone else []
        yield ", ".join([*new, *gone])
    if diff.silences:
        yield f"{count(diff.silences, 'silence')} added"


def _of_jobs(diff: Diff) -> str:
    """Count the jobs that are affected: how many are better and worse off, and what happens to how many of their tasks.

    Where that is no matter of single tasks, the jobs are counted that it happens to.
    """
    summary = diff.summary
    tasks = Counter(
        job.changes[0]
        for job in diff.jobs
        for task in (job.tasks if not job.tie_dependent else ())
        if task.change == job.changes[0]
    )
    numbers = {
        "better": summary.gain - summary.both,
        "worse": summary.lose - summary.both,
        "both better and worse": summary.both,
    }
    sides = [f"{quantity:,} {word}" for word, quantity in numbers.items() if quantity]
    changes: list[tuple[Any, int]] = sorted(summary.changes.items(), key=lambda item: (-item[1], item[0]))
    texts = [
        f"{count(tasks[name], 'task') if tasks[name] else f'{quantity:,}'} {CHANGES[name]}"
        for name, quantity in changes
    ]
    others = summary.jobs - sum(summary.changes.values())
    kinds = ", ".join([*texts, f"{others:,} depending on tie-breaking"] if others else texts)
    said = f"{', '.join(sides)} ({kinds})" if sides else kinds
    return f"{count(summary.jobs, 'job')} affected: {said}"


def headline(diff: Diff) -> str:
    """Say what was compared, and how."""
    session = diff.after.session
    before, after = diff.before, diff.after
    compared = (
        f"{before.name} with Volcano {titled(before.volcano)} → {after.name} with Volcano {titled(after.volcano)}"
    )
    if before.volcano in ("", after.volcano):
        compared = f"Volcano {titled(diff.volcano)}: {before.name} → {after.name}"
    elif before.name == after.name:
        compared = f"Volcano {titled(before.volcano)} → {titled(after.volcano)} on {after.name}"
    facts = [compared]
    facts.append(f"{count(session.nodes, 'node')}, {count(session.jobs, 'job')}, {count(session.tasks, 'task')}")
    ran = before.session.sessions, session.sessions
    if ran != (1, 1):
        number = count(ran[1], "session") if ran[0] == ran[1] else f"{ran[0]} and {count(ran[1], 'session')}"
        facts.append(f"{number}, until all pods of admitted jobs have been tried")
    if diff.seeds > 1:
        facts.append(
            f"compared under {diff.seeds} ways to break ties" + (" and to order nodes" if diff.node_order_drawn else "")
        )
    elif session.seed is not None:
        facts.append(f"seed {session.seed}" + (", also for the order of nodes" if diff.node_order_drawn else ""))
    return "; ".join(facts)


def configuration_lines(diff: Diff) -> Iterator[str]:
    """Yield where the scheduler's configuration comes from, where that differs."""
    if diff.configuration is not None and diff.configuration.change == "beside":
        yield (
            f"Configuration: {diff.configuration.after} is new or changed, but vqs compares only "
            f"{diff.configuration.before}"
        )
    elif diff.configuration is not None:
        yield f"Configuration {diff.configuration.change}: {diff.configuration.before} → {diff.configuration.after}"


def edits_of(diff: Diff, side: Side) -> Iterator[str]:
    """Yield the edits of a side; a PodGroup that is removed is named after its job."""
    called = {job.uid: job.called for job in diff.jobs}
    for edit in side.edits:
        group = edit.removeprefix("remove podgroup/")
        is_named = group != edit and called.get(group, group) != group
        yield f"remove the PodGroup of {called[group]}" if is_named else edit


def warning_lines(diff: Diff) -> Iterator[str]:
    """Yield the warnings that only the candidate has, and which pods are deleted with their nodes.

    What both sides were run without is said too, as the difference may be another one then: an extender that is not
    asked, actions that are left out, nodes that are not examined, and the usage of nodes.
    """
    known = {each.message for each in diff.before.diagnostics}
    for each in diff.after.diagnostics:
        if each.message in known and each.code not in _OF_BOTH_SIDES:
            continue
        if each.severity == "warning":
            yield f"Warning: {each.message}"
        elif each.code in (PODS_DELETED, NODES_SAMPLED):
            yield f"Note: {each.message}"


def tasks_of(side: JobSide | None) -> str:
    """Count a job's tasks by how they stand."""
    if side is None:
        return ABSENT
    counts: dict[str, int] = {}
    for status, quantity in side.statuses.items():
        word = _WORDS.get(status, status)
        counts[word] = counts.get(word, 0) + quantity
    return ", ".join(f"{quantity:,} {word}" for word, quantity in counts.items()) or "no tasks"


def queue_of(job: JobDifference) -> str:
    """Name a job's queue, or both."""
    queues = [side.queue for side in (job.before, job.after) if side]
    return change(queues[0], queues[-1])


def eviction_remark(eviction: EvictionDifference) -> str:
    """Say in whose favour a task is evicted."""
    favour = f" in favour of {eviction.evictor}" if eviction.evictor else ""
    dependence = f" ({on_tie_breaking(eviction.seen_under_seeds)})" if eviction.tie_dependent else ""
    if eviction.action == BY_KUBERNETES:
        return f"Kubernetes, not Volcano: {eviction.reason}{dependence}"
    return f"{eviction.action}{favour}{dependence}"


def value(setting: Any) -> str:
    """Write the value of a setting."""
    if setting is None:
        return ABSENT
    return str(setting).lower() if isinstance(setting, bool) else str(setting)


def behaviour_lines(diff: Diff) -> Iterator[str]:
    """Yield how many behaviours of the releases matter here, where they have any that differ."""
    if not diff.behaviours:
        return
    mattering = sum(bool(each.jobs or each.queues) for each in diff.behaviours)
    verb = "differs" if len(diff.behaviours) == 1 else "differ"
    yield f"{count(len(diff.behaviours), 'behaviour')} {verb}, {mattering or 'none'} of them with an effect here"


def figure_lines(diff: Diff) -> Iterator[str]:
    """Yield a line with the figures that differ."""
    one, other = diff.figures_before, diff.figures_after
    names = ("placed", "pipelined", "evicted", "pods_lost", "restarted", "pending", "jobs", "full_gangs")
    counts = ((name, getattr(one, name), getattr(other, name)) for name in names)
    texts = [
        f"{_FIGURES.get(name, name.replace('_', ' '))} {before:,} → {after:,}"
        for name, before, after in counts
        if before != after
    ]
    texts += _shares(one, other)
    if texts:
        yield f"Figures: {', '.join(texts)}"


def _shares(one: Figures, other: Figures) -> Iterator[str]:
    spread = change(*(ABSENT if each is None else percent(each) for each in (one.share_spread, other.share_spread)))
    if ARROW in spread:
        yield f"highest minus lowest queue share {spread}"
    after = {each.resource: each for each in other.utilisation}
    for each in one.utilisation:
        for name in ("used", "stranded") if each.resource in after else ():
            said = change(*(percent(getattr(side, f"{name}_after")) for side in (each, after[each.resource])))
            if ARROW in said:
                yield f"{each.resource} {name} {said}"


def held(side: QueueSide | None, field: str) -> Amounts | None:
    """Return amounts of a queue; None where there are none, or they are not known."""
    if side is None or (field in _OF_THE_PLUGIN and not side.considered):
        return None
    found: Amounts = getattr(side, field)
    return found


def share(side: QueueSide | None) -> str:
    """Write the share of a queue."""
    return percent(side.share) if side is not None and side.considered else ABSENT


def amounts(before: Amounts | None, after: Amounts | None, resource: str) -> str:
    """Write an amount before and after."""
    texts = [ABSENT if side is None else amount(resource, side.get(resource, 0.0)) for side in (before, after)]
    return change(*texts)


def node_changes(node: NodeDifference) -> str:
    """Say what a node has, and what of that changes."""
    if node.before is None or node.after is None:
        side = node.before or node.after
        has = side.allocatable if side else {}
        return ", ".join(f"{name} {amount(name, each)}" for name, each in has.items())
    before, after = node.before, node.after
    names = dict.fromkeys((*before.allocatable, *after.allocatable))
    texts = [(name, amounts(before.allocatable, after.allocatable, name)) for name in names]
    parts = [f"{name} {said}" for name, said in texts if ARROW in said]
    if before.unschedulable != after.unschedulable:
        parts.insert(0, "cordoned" if after.unschedulable else "no longer cordoned")
    return ", ".join(parts)


def failure_lines(diff: Diff) -> Sequence[str]:
    """Say which conditions hold."""
    return [failure_line(failure) for failure in diff.failures]


def tie_dependent_failure_lines(diff: Diff) -> Sequence[str]:
    """Say which conditions hold only under some ways to break ties."""
    return [
        f"--fail-on: {failure.text}; this depends on tie-breaking and fails nothing"
        for failure in diff.tie_dependent_failures
    ]


def failure_line(failure: Failure) -> str:
    """Say which condition holds."""
    if failure.condition == STANDSTILL:
        return f"scheduling would be blocked: {failure.text}"
    condition = "" if failure.text.startswith(f"{failure.condition} ") else f" (condition: {failure.condition})"
    return f"failed: {failure.text}{condition}"


def queue_changes(queue: QueueDifference) -> str:
    """Say what differs about a queue."""
    before, after = queue.before, queue.after
    if before is None or after is None:
        return "new" if before is None else "removed"
    said = [*facts(before, after)]
    for field in (
        "deserved",
        "guarantee",
        "capability",
        "real_capability",
        "request",
        "inqueue",
        "allocated",
        "reserved",
    ):
        one, other = held(before, field), held(after, field)
        texts = [(name, amounts(one, other, name)) for name in dict.fromkeys((*(one or {}), *(other or {})))]
        changed = [f"{name} {text}" for name, text in texts if ARROW in text]
        if changed:
            said.append(f"{'realCapability' if field == 'real_capability' else field} {', '.join(changed)}")
    shares = change(share(before), share(after))
    return ", ".join([*said, *([f"share {shares}"] if ARROW in shares else [])])


def facts(before: QueueSide, after: QueueSide) -> Iterator[str]:
    """Yield the settings of a queue that differ, and whether it is overused; a queue without parent is below root."""
    fields = ["weight", "priority", "parent", "state", "reclaimable"]
    sides = before, after
    for field in (*fields, "overused") if before.considered and after.considered else fields:
        one, other = (getattr(side, field) or ROOT if field == "parent" else getattr(side, field) for side in sides)
        if one != other:
            yield f"{field} {value(one)} → {value(other)}"
