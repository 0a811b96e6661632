"""What two dumps cannot tell, and why."""

from __future__ import annotations

from collections.abc import Iterator

from vqs.verify.compare import Comparison
from vqs.verify.dumps import Dumps, Fate
from vqs.verify.outcome import NotCompared
from vqs.verify.predictions import Prediction


def not_compared(dumps: Dumps, prediction: Prediction, comparison: Comparison, sessions: int) -> list[NotCompared]:
    """Name what cannot be compared."""
    return [
        each
        for each in (
            *_kinds(dumps),
            *_pods(dumps, prediction, comparison),
            *_groups(dumps),
            *_later_sessions(dumps, comparison, sessions),
            *_ties(prediction, comparison),
        )
        if each.names or each.reason == "ties"
    ]


def _kinds(dumps: Dumps) -> Iterator[NotCompared]:
    lists = {"Node": "nodes", "PodGroup": "pod_groups"}
    missing = [kind for kind, name in lists.items() if getattr(dumps.earlier, name) and not getattr(dumps.later, name)]
    yield NotCompared(
        reason="missing-kinds",
        text="AFTER has none of a kind that BEFORE has, so nothing is known of them: take the same kinds twice",
        names=missing,
    )


def _pods(dumps: Dumps, prediction: Prediction, comparison: Comparison) -> Iterator[NotCompared]:
    foreseen = comparison.real.evicted | prediction.ended
    gone = dumps.having(Fate.GONE, Fate.RESTARTED) - foreseen
    yield NotCompared(
        reason="gone",
        text="pods are gone, and whether they were evicted, were deleted or have ended is not told",
        names=sorted(gone),
    )
    made = set(prediction.groups.values())
    compared = comparison.real.bound.keys() | comparison.real.messages.keys()
    known = {key for key in dumps.new if dumps.groups.get(key) in dumps.before.groups}
    since = {key for key in known - compared if dumps.groups.get(key) not in made}
    yield NotCompared(
        reason="made-since",
        text="pods were made after BEFORE, and the sessions that were run do not know them",
        names=sorted(since),
    )


def _groups(dumps: Dumps) -> Iterator[NotCompared]:
    before, after, called = dumps.before.groups, dumps.after.groups, dumps.display_names
    same = set(dumps.common_groups)
    yield NotCompared(
        reason="new-pod-groups",
        text="PodGroups are new since BEFORE",
        names=sorted(called[key] for key in after if key not in same) if before else [],
    )
    yield NotCompared(
        reason="gone-pod-groups",
        text="PodGroups are gone, with what was decided on them",
        names=sorted(called[key] for key in before if key not in same) if after else [],
    )


def _later_sessions(dumps: Dumps, comparison: Comparison, sessions: int) -> Iterator[NotCompared]:
    """Name what a session has written after those that were run: conditions have the id of their session."""
    written = {
        key: each.transition_id
        for key in dumps.common_groups
        for each in dumps.after.groups[key].status.conditions
        if each.type == "Unschedulable" and each.transition_id and key in comparison.real.conditions
    }
    ids = set(written.values())
    yield NotCompared(
        reason="later-sessions",
        text=f"conditions were written by at least {len(ids)} sessions; what earlier ones wrote is overwritten",
        names=sorted(dumps.display_names[key] for key in written) if len(ids) > sessions else [],
    )


def _ties(prediction: Prediction, comparison: Comparison) -> Iterator[NotCompared]:
    real, ours = comparison.real.bound, comparison.ours.bound
    both = [key for key in real if key in ours]
    if prediction.tied and both:
        same = sum(real[key] == ours[key] for key in both)
        yield NotCompared(
            reason="ties",
            text=(
                f"nodes of bound pods: of several equally good nodes the scheduler picks one at random, here "
                f"{prediction.tied:,} times; {same:,} of {len(both):,} pods are on the very node nevertheless"
            ),
        )
