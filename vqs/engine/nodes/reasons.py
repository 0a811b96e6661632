"""Reasons why a node does not fit, as small numbers that fit into an array.

Code 0 means that the node fits. Any other code stands for one or more reasons, in the order in which the scheduler
found them.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
import numpy.typing as npt

from vqs.model.job import FitErrors

Codes = npt.NDArray[np.int32]
Masks = npt.NDArray[np.bool_]

FITS = 0
ACCEPTED = -1
"""Of a node that fits and that the predicates that come later are not asked about."""


def distinct(codes: Codes) -> list[int]:
    """The codes that there are, in order; for that, `np.unique` would import what masks arrays."""
    return sorted(set(codes.tolist()))


class Weight(Enum):
    """How much a reason counts where victims are looked for."""

    RESOLVABLE = 0
    """Evicting pods may do away with it."""
    ERROR = 1
    """Nothing is evicted on the node as long as it is given; an earlier action's does not count any more."""
    UNRESOLVABLE = 2
    """It stands, also where it was given to an earlier action."""


class Reasons:
    """The codes of one session."""

    def __init__(self) -> None:
        self._texts: list[tuple[str, ...]] = [()]
        self._codes: dict[tuple[str, ...], int] = {(): FITS}
        self._resolvable: set[str] = set()
        self._described: set[str] = set()
        self._weighed: dict[tuple[str, Weight], int] = {}
        self._weights: dict[int, Weight] = {}
        self._unresolvable: Masks = np.zeros(0, np.bool_)

    def code(self, *texts: str) -> int:
        """The code of some reasons."""
        code = self._codes.get(texts)
        if code is None:
            code = self._codes[texts] = len(self._texts)
            self._texts.append(texts)
        return code

    def texts(self, code: int) -> tuple[str, ...]:
        """The reasons of a code."""
        return self._texts[code]

    def mark_resolvable(self, *texts: str) -> None:
        """Note that evicting pods from a node may do away with some reasons; all others stand whatever happens."""
        self._resolvable.update(texts)
        self._unresolvable = np.zeros(0, np.bool_)

    def describe(self, text: str) -> int:
        """The code of a reason that is seen in a node's description alone, for which nothing is prepared."""
        self._described.add(text)
        return self.code(text)

    def weighed(self, text: str, weight: Weight) -> int:
        """The code of a reason whose weight is given with it: the same words may come with another."""
        code = self._weighed.get((text, weight))
        if code is None:
            code = self._weighed[text, weight] = len(self._texts)
            self._texts.append((text,))
            self._weights[code] = weight
        return code

    def is_described(self, code: int) -> bool:
        """True if one of a code's reasons is seen in a node's description alone."""
        return not self._described.isdisjoint(self._texts[code])

    def unresolvable(self, codes: Codes) -> Masks:
        """Which of some codes are unresolvable: they have a reason that no eviction does away with."""
        if len(self._unresolvable) != len(self._texts):
            self._unresolvable = np.array([not self._resolvable.issuperset(texts) for texts in self._texts], np.bool_)
            for code, weight in self._weights.items():
                self._unresolvable[code] = weight is Weight.UNRESOLVABLE
        return self._unresolvable[codes]

    def against_eviction(self, codes: Codes) -> Masks:
        """Which of some codes keep victims from being looked for now: the unresolvable ones, and errors."""
        errors = [code for code, weight in self._weights.items() if weight is Weight.ERROR]
        unresolvable = self.unresolvable(codes)
        return unresolvable | np.isin(codes, errors) if errors else unresolvable

    def append(self, codes: Codes, where: npt.NDArray[np.bool_], text: str) -> None:
        """Add, in place, one more reason to the nodes in a mask."""
        refused = codes[where]
        if not len(refused):
            return
        first = int(refused[0])
        if (refused == first).all():  # as mostly, where no other filter has refused any of them
            codes[where] = self.code(*self._texts[first], text)
            return
        for code in distinct(refused):
            codes[where & (codes == code)] = self.code(*self._texts[code], text)

    def fit_errors(self, codes: Codes) -> FitErrors:
        """Sum up why no node fits, from one code for each node."""
        errors = FitErrors(nodes=int(np.count_nonzero(codes)))
        for code, number in enumerate(np.bincount(codes).tolist()):
            if number:
                for text in self._texts[code]:
                    errors.reasons[text] = errors.reasons.get(text, 0) + number
        return errors
