"""Holds vqs against a cluster: runs sessions on the earlier dump, and compares with what the later one shows.

What two dumps cannot tell is named, and differences that ties in the choice of nodes decide are tried under other
seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import attrgetter
from typing import Final, NamedTuple

from msgspec import structs

from vqs.engine.framework.session import ExtenderUse
from vqs.explain.cycles import run_cycles
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import SimulateOptions
from vqs.model.scheduler_flags import NodeSample
from vqs.model.wording import count
from vqs.snapshot.reading.manifests import Manifests
from vqs.verify.compare import Changes, Comparison, Explainer, Prediction, compare, find_changes, predict, shape
from vqs.verify.dumps import Dumps, Fate, by_group
from vqs.verify.outcome import Aspect, Difference, Explanation, NotCompared, Tried, Verification

_FEW: Final = 2
_SHARE: Final[Mapping[Aspect, float]] = {"bound": 0.01, "evicted": 0.1}
"""What share of all pods may be more or fewer by tie-breaking alone; a few always may."""
_PHASES: Final = 4
"""How many phases may follow from who is bound or evicted, where ties decide that."""

_WHAT: Final = attrgetter("aspect", "pod_group", "pod")
"""What makes differences under several seeds the same one."""

_FOLLOWS: Final = "it follows from which pods of the job are bound or evicted, which depends on tie-breaking"
_FROM_OTHERS: Final = "it follows from which jobs' pods are bound or evicted, which depends on tie-breaking"


class TieBreaking:
    """Tells differences that tie-breaking explains from the rest, by sessions under other ways to break ties."""

    def __init__(self, first: Comparison, others: Sequence[Comparison], *, tied: bool) -> None:
        self.first = first
        self.others = others
        self.tied = tied
        self.still_differs = [set(map(_WHAT, other.differences)) for other in others]
        self.depends: dict[Aspect, bool] = {}  # whether tie-breaking decides which pods are bound, or evicted
        every = (first, *others)
        for aspect in _SHARE:
            field = "bound" if aspect == "bound" else "evicted"
            counts = [by_group(getattr(each.ours, field), each.groups) for each in every]
            self.depends[aspect] = any(count != counts[0] for count in counts) or (tied and not others)
        self.shapes = {shape(text) for each in every for text in each.ours.messages.values()}
        self.tied_groups: set[str] = set()

    def explained(self, differences: Sequence[Difference]) -> list[Explanation | None]:
        """Explain differences; those of pods that are bound or evicted come first, as others follow from them."""
        found = []
        for difference in differences:
            explanation = self._explanation(difference)
            if explanation is not None and difference.aspect in _SHARE:
                self.tied_groups.add(difference.pod_group)
            found.append(explanation)
        return found

    def _explanation(self, difference: Difference) -> Explanation | None:
        seen = sum(_WHAT(difference) not in differ for differ in self.still_differs)
        runs = len(self.others)
        if seen and difference.aspect != "node":
            return _tie_breaking(f"vqs predicts the same under {seen} of {runs} other seeds", seen)
        match difference.aspect:
            case "bound" | "evicted":
                return self._in_all(difference.aspect)
            case "phase":
                phases = self.first.tallies.phases
                if difference.pod_group in self.tied_groups:
                    return _tie_breaking(_FOLLOWS)
                follows = self.tied_groups and phases.total - phases.matching <= _PHASES
                return _tie_breaking(_FROM_OTHERS) if follows else None
            case "condition" | "message":
                return self._text(difference)
            case "node":
                return None

    def _in_all(self, aspect: Aspect) -> Explanation | None:
        """Explain which pods are bound or evicted, where that depends on tie-breaking and the number is about the same.

        Which of several victims is evicted depends on the order of a map in the scheduler, which no seed reproduces.
        """
        tally = self.first.tallies.bound if aspect == "bound" else self.first.tallies.evicted
        real, ours = tally.observed, tally.predicted
        if real == ours and self.depends[aspect]:
            return _tie_breaking(
                f"the total of pods {aspect} is the same; which jobs they belong to depends on tie-breaking"
            )
        if self.depends[aspect] and abs(real - ours) <= max(_FEW, _SHARE[aspect] * real):
            return _tie_breaking(
                f"{real:,} pods are {aspect} in total, {ours:,} in vqs; "
                "their number and their jobs depend on tie-breaking"
            )
        return None

    def _text(self, difference: Difference) -> Explanation | None:
        """Explain a text about what ties decide."""
        if difference.pod_group in self.tied_groups:
            return _tie_breaking(_FOLLOWS)
        is_condition = difference.aspect == "condition"
        texts = {
            each.ours.conditions.get(difference.pod_group) if is_condition else each.ours.messages.get(difference.pod)
            for each in (self.first, *self.others)
        }
        if len(texts) > 1 and shape(difference.observed) in map(shape, texts):
            return _tie_breaking(
                f"only its figures differ, and they depend on tie-breaking: {len(texts)} texts are possible"
            )
        if self.tied_groups and shape(difference.observed) in self.shapes:
            return _tie_breaking(f"vqs predicts it for other pods, and {_FROM_OTHERS}")
        return None


def _tie_breaking(text: str, seeds: int = 0) -> Explanation:
    return Explanation(kind="luck", text=text, seeds=seeds)


def _kinds(dumps: Dumps) -> Iterator[NotCompared]:
    lists = {"Node": "nodes", "PodGroup": "pod_groups"}
    missing = [kind for kind, name in lists.items() if getattr(dumps.earlier, name) and not getattr(dumps.later, name)]
    yield NotCompared(
        reason="missing-kinds",
        text="AFTER has no objects of a kind that BEFORE has: dump the same kinds both times",
        names=missing,
    )


def _pods(dumps: Dumps, prediction: Prediction, comparison: Comparison) -> Iterator[NotCompared]:
    foreseen = comparison.real.evicted | prediction.ended
    gone = dumps.having(Fate.GONE, Fate.RESTARTED) - foreseen
    yield NotCompared(
        reason="gone",
        text="pods are gone, and the dumps do not show whether they were evicted, deleted or ended",
        names=sorted(gone),
    )
    made = set(prediction.groups.values())
    compared = comparison.real.bound.keys() | comparison.real.messages.keys()
    known = {key for key in dumps.new if dumps.groups.get(key) in dumps.before.groups}
    since = {key for key in known - compared if dumps.groups.get(key) not in made}
    yield NotCompared(
        reason="made-since",
        text="pods were created after BEFORE, so the simulated sessions do not include them",
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
        text="PodGroups are gone, and the decisions on them",
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
                "nodes of bound pods: the scheduler picks at random among equally good nodes "
                f"({count(prediction.tied, 'time')} here); {same:,} of {len(both):,} pods are on the predicted node"
            ),
        )


SEEDS: Final = 5
"""How many more seeds for tie-breaking sessions are run with by default."""

_MOST: Final = 5
"""How many sessions are tried if the number of sessions between the dumps is not given."""


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """How to compare.

    Attributes:
        sessions: how many there were between the dumps; None is as many as make vqs agree better.
        seeds: under how many more ways to break ties to look for what differs.
        now: the time of the first session.
        before: what people call the earlier dump.
        after: what they call the later one.
        sample: how nodes are sampled; None examines all.
        extender: what the sessions have in common of the plugin extender, which is not asked.
    """

    sessions: int | None = None
    seeds: int = SEEDS
    now: datetime | None = None
    before: str = "BEFORE"
    after: str = "AFTER"
    sample: NodeSample | None = None
    extender: ExtenderUse = field(default_factory=ExtenderUse)


class _Outcome(NamedTuple):
    """What a number of sessions comes to, and how it compares; `settled` tells that more would be the same."""

    sessions: int
    first: Simulation
    prediction: Prediction
    comparison: Comparison
    settled: bool


def verify(before: Manifests, after: Manifests, options: VerifyOptions) -> Verification:
    """Compare what vqs says of a dump with what a later one shows.

    Raises:
        NotAPair: they are not an earlier and a later dump of one cluster.
        InputErrors: the scheduler's configuration is one that Volcano refuses.
    """
    dumps = Dumps(before, after)
    sessions = _Sessions(dumps, options)
    chosen, tried = sessions.chosen()
    changes = find_changes(dumps, chosen.comparison)
    differences, seeds = sessions.explained(chosen, changes)
    first = chosen.first
    return Verification(
        volcano=first.volcano,
        before=options.before,
        after=options.after,
        session=first.session,
        sessions=chosen.sessions,
        tried=tried,
        seeds=seeds,
        elapsed=dumps.elapsed,
        agreement=chosen.comparison.agreement,
        unexplained=sum(each.explanation.kind == "nothing" for each in differences),
        tallies=chosen.comparison.tallies,
        differences=differences,
        not_compared=[
            each
            for each in (
                *_kinds(dumps),
                *_pods(dumps, chosen.prediction, chosen.comparison),
                *_groups(dumps),
                *_later_sessions(dumps, chosen.comparison, chosen.sessions),
                *_ties(chosen.prediction, chosen.comparison),
            )
            if each.names or each.reason == "ties"
        ],
        changes=changes.listed(),
        diagnostics=first.diagnostics,
    )


class _Sessions:
    """Runs sessions on the earlier dump."""

    def __init__(self, dumps: Dumps, options: VerifyOptions) -> None:
        self.dumps = dumps
        self.options = options

    def chosen(self) -> tuple[_Outcome, list[Tried]]:
        """Return the number of sessions that is asked for, else one more as long as vqs agrees better with it.

        A pod that was not there before, and has a node, takes two sessions: its job is admitted, and then it is bound.
        """
        dumps = self.dumps
        has_bound_new = any(dumps.groups.get(key) in dumps.before.groups for key in dumps.decisions_on_new().bound)
        best = self._outcome(self.options.sessions or (2 if has_bound_new else 1))
        if self.options.sessions is not None:
            return best, []
        tried = [best]
        while tried[-1] is best and best.comparison.differences and not best.settled and best.sessions < _MOST:
            tried.append(self._outcome(best.sessions + 1))
            best = max(tried, key=lambda each: (each.comparison.agreement, -each.sessions))
        return best, [Tried(sessions=each.sessions, agreement=each.comparison.agreement) for each in tried]

    def explained(self, outcome: _Outcome, changes: Changes) -> tuple[list[Difference], int]:
        """Return the differences with what explains them, and under how many seeds that was looked for."""
        comparison = outcome.comparison
        differences = comparison.differences
        explainer = Explainer(self.dumps, comparison, changes)
        by_change = [explainer.explained(each) for each in differences]
        seeds = 0 if all(by_change) else self.options.seeds
        others = [self._outcome(outcome.sessions, seed) for seed in range(1, seeds + 1)]
        tie_breaking = TieBreaking(comparison, [each.comparison for each in others], tied=outcome.prediction.tied > 0)
        both = zip(by_change, tie_breaking.explained(differences), strict=True)
        found = [Explanation(kind="change", text=change) if change else by_luck for change, by_luck in both]
        pairs = zip(differences, found, strict=True)
        return [structs.replace(each, explanation=why) if why else each for each, why in pairs], seeds

    def _outcome(self, sessions: int, seed: int | None = None) -> _Outcome:
        """Run a number of sessions, or fewer when nothing changes any more: the rest would be the same."""
        options = SimulateOptions(
            now=self.options.now,
            seed=seed,
            sample=self.options.sample,
            extender=self.options.extender,
            scenario=self.options.before,
        )
        ran = run_cycles(replace(self.dumps.earlier, expectations=[]), options, sessions)
        prediction = predict(ran.cycles, self.dumps.before.pods)
        first = ran.cycles[0].simulation
        return _Outcome(sessions, first, prediction, compare(self.dumps, prediction), settled=ran.settled)
