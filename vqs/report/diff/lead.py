"""What a comparison begins with: what the change is, and which jobs are better or worse off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from vqs.diff.outcome import Diff, Effect, JobDifference, QueueDifference
from vqs.model.wording import first_names
from vqs.report.diff.phrases import ARROW, amounts, asked, changes_of, facts, held, node_changes, queue_of, value
from vqs.report.phrases import change

_GROUPS: Final[tuple[tuple[str, Effect], ...]] = (
    ("Worse off", "loses"),
    ("Better and worse off", "both"),
    ("Better off", "gains"),
)


def change_line(diff: Diff) -> str:
    """Say what is changed in queues, settings, nodes and jobs; empty where none of these is."""
    said = first_names(
        [*_releases(diff), *_settings(diff), *_queues(diff), *_nodes(diff), *_jobs(diff)], separator="; "
    )
    return f"Change: {said}" if said else ""


def affected_lines(diff: Diff) -> Iterator[str]:
    """Yield who is worse and who is better off, with what happens to them; not what depends on tie-breaking."""
    for title, effect in _GROUPS:
        jobs = [_affected(job) for job in diff.jobs if job.effect == effect and not job.tie_dependent]
        if jobs:
            yield f"{title}: {first_names(jobs, separator='; ')}"


def _affected(job: JobDifference) -> str:
    return f"{job.called} (queue {queue_of(job)}): {changes_of(job)}"


def _queues(diff: Diff) -> Iterator[str]:
    for queue in diff.queues:
        said = [*_of_queue(queue, limits=not (diff.settings or diff.behaviours))]
        if said:
            yield f"queue {queue.name} {', '.join(said)}"


def _of_queue(queue: QueueDifference, *, limits: bool) -> Iterator[str]:
    """Yield what is changed about a queue; limits may also follow from a setting that switches the hierarchy on."""
    before, after = queue.before, queue.after
    if before is None or after is None:
        yield "new" if before is None else "removed"
        return
    yield from (each for each in facts(before, after) if not each.startswith("overused "))
    for field in ("guarantee", "capability") if limits else ():
        one, other = held(before, field) or {}, held(after, field) or {}
        for name in dict.fromkeys((*one, *other)):
            said = amounts(one, other, name)
            if ARROW in said:
                yield f"{field} {name} {said}"


def _releases(diff: Diff) -> Iterator[str]:
    if diff.before.volcano != diff.after.volcano:
        yield f"Volcano {change(diff.before.volcano, diff.after.volcano)}"
        return
    before, after = diff.before.session.behaviours, diff.after.session.behaviours
    own = (each for each in diff.behaviours if before.get(each.name) != after.get(each.name))
    yield from (f"behaviour {each.name} {change(each.before, each.after)}" for each in own)


def _settings(diff: Diff) -> Iterator[str]:
    yield from (f"{each.key} {change(value(each.before), value(each.after))}" for each in diff.settings)


def _nodes(diff: Diff) -> Iterator[str]:
    for node in diff.nodes:
        if node.change != "same":
            said = {"added": "new", "removed": "removed"}.get(node.change) or node_changes(node)
            yield f"node {node.name} {said}"


def _jobs(diff: Diff) -> Iterator[str]:
    for job in diff.jobs:
        if "added" in job.changes or "removed" in job.changes:
            yield f"job {job.called} {'new' if 'added' in job.changes else 'removed'}"
        elif "request" in job.changes and (said := asked(job)):
            yield f"job {job.called} {said}"
