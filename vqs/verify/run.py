"""Holding vqs against a cluster: run sessions on the earlier dump, and compare with what the later one shows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, NamedTuple

from msgspec import structs

from vqs.engine.framework.extender_use import ExtenderUse
from vqs.explain.cycles import run_cycles
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import SimulateOptions
from vqs.model.node_sample import NodeSample
from vqs.snapshot.reading.manifests import Manifests
from vqs.verify.changes import Changes, Explainer, find_changes
from vqs.verify.compare import Comparison, compare
from vqs.verify.dumps import Dumps
from vqs.verify.not_compared import not_compared
from vqs.verify.outcome import Difference, Explanation, Tried, Verification
from vqs.verify.predictions import Prediction, predict
from vqs.verify.tie_breaking import TieBreaking

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
        unexplained=sum(each.explanation.by == "nothing" for each in differences),
        tallies=chosen.comparison.tallies,
        differences=differences,
        not_compared=not_compared(dumps, chosen.prediction, chosen.comparison, chosen.sessions),
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
        best = self._outcome(self.options.sessions or (2 if self._has_bound_new() else 1))
        if self.options.sessions is not None:
            return best, []
        tried = [best]
        while tried[-1] is best and best.comparison.differences and not best.settled and best.sessions < _MOST:
            tried.append(self._outcome(best.sessions + 1))
            best = max(tried, key=lambda each: (each.comparison.agreement, -each.sessions))
        return best, [Tried(sessions=each.sessions, agreement=each.comparison.agreement) for each in tried]

    def _has_bound_new(self) -> bool:
        """Tell whether pods that were not there before were bound, though their PodGroup was there."""
        dumps = self.dumps
        return any(dumps.groups.get(key) in dumps.before.groups for key in dumps.decisions_on_new().bound)

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
        found = [Explanation(by="change", text=change) if change else by_luck for change, by_luck in both]
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
