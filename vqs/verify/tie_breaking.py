"""Which differences tie-breaking explains.

Where nodes score alike, or several tasks could be evicted, the real scheduler picks one at random, and no dump tells
which. So the sessions run under more ways to break ties. Tie-breaking explains a difference where vqs agrees with the
cluster under one of them, where it decides which pods are bound or evicted and their number agrees, and what follows
from that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from vqs.verify.changes import shape
from vqs.verify.compare import Comparison
from vqs.verify.decisions import by_group
from vqs.verify.outcome import Aspect, Difference, Explanation

_FEW: Final = 2
_SHARE: Final[Mapping[Aspect, float]] = {"bound": 0.01, "evicted": 0.1}
"""What share of all pods may be more or fewer by tie-breaking alone; a few always may."""
_PHASES: Final = 4
"""How many phases may follow from who is bound or evicted, where ties decide that."""

_FOLLOWS: Final = "it follows from which pods of the job are bound or evicted, which depends on tie-breaking"
_FROM_OTHERS: Final = "it follows from which jobs' pods are bound or evicted, which depends on tie-breaking"


class TieBreaking:
    """Tells differences that tie-breaking explains from the rest, by sessions under other ways to break ties."""

    def __init__(self, first: Comparison, others: Sequence[Comparison], *, tied: bool) -> None:
        self.first = first
        self.others = others
        self.tied = tied
        self.still_differs = [{_what(each) for each in other.differences} for other in others]
        self.depends: Final = {aspect: self._depends_on_ties(aspect) for aspect in _SHARE}
        self.shapes = {shape(text) for each in (first, *others) for text in each.ours.messages.values()}
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
        seen = sum(_what(difference) not in differ for differ in self.still_differs)
        runs = len(self.others)
        if seen and difference.aspect != "node":
            return _tie_breaking(f"vqs predicts the same under {seen} of {runs} other seeds", seen)
        match difference.aspect:
            case "bound" | "evicted":
                return self._in_all(difference.aspect)
            case "phase":
                return self._following(difference)
            case "condition" | "message":
                return self._text(difference)
            case "node":
                return None

    def _in_all(self, aspect: Aspect) -> Explanation | None:
        """Explain which pods are bound or evicted, where that depends on tie-breaking and the number is about the same.

        Which of several victims is evicted depends on the order of a map in the scheduler, which no seed reproduces.
        """
        real, ours = self._pods(self.first, aspect)
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

    def _following(self, difference: Difference) -> Explanation | None:
        if difference.pod_group in self.tied_groups:
            return _tie_breaking(_FOLLOWS)
        phases = self.first.tallies.phases
        if self.tied_groups and phases.of - phases.right <= _PHASES:
            return _tie_breaking(_FROM_OTHERS)
        return None

    def _text(self, difference: Difference) -> Explanation | None:
        """Explain a text about what ties decide."""
        if difference.pod_group in self.tied_groups:
            return _tie_breaking(_FOLLOWS)
        texts = {self._said(each, difference) for each in (self.first, *self.others)}
        if len(texts) > 1 and shape(difference.real) in map(shape, texts):
            return _tie_breaking(
                f"only its figures differ, and they depend on tie-breaking: {len(texts)} texts are possible"
            )
        if self.tied_groups and shape(difference.real) in self.shapes:
            return _tie_breaking(f"vqs predicts it for other pods, and {_FROM_OTHERS}")
        return None

    def _depends_on_ties(self, aspect: Aspect) -> bool:
        """Tell whether tie-breaking decides which pods are bound, or evicted."""
        counts = [self._by_group(each, aspect) for each in (self.first, *self.others)]
        return any(count != counts[0] for count in counts) or (self.tied and not self.others)

    def _by_group(self, comparison: Comparison, aspect: Aspect) -> object:
        pods = comparison.ours.bound if aspect == "bound" else comparison.ours.evicted
        return by_group(pods, comparison.groups)

    def _pods(self, comparison: Comparison, aspect: Aspect) -> tuple[int, int]:
        tally = comparison.tallies.bound if aspect == "bound" else comparison.tallies.evicted
        return tally.real, tally.vqs

    def _said(self, comparison: Comparison, difference: Difference) -> str | None:
        ours = comparison.ours
        if difference.aspect == "condition":
            return ours.conditions.get(difference.pod_group)
        return ours.messages.get(difference.pod)


def _what(difference: Difference) -> tuple[str, str, str]:
    return difference.aspect, difference.pod_group, difference.pod


def _tie_breaking(text: str, seeds: int = 0) -> Explanation:
    return Explanation(by="luck", text=text, seeds=seeds)
