"""The search between a step that works and one that fails, which all searches for values share: by halving.

Nothing is taken for granted but what was tried: in the end, one step works and the one next to it does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

FAR: Final = 4
"""Steps are far apart where one is more than as many times the other."""


class BudgetExhausted(Exception):  # noqa: N818 - it is the budget that is exhausted
    """No more may be tried: there is no time left, or no session."""


@dataclass(slots=True)
class Bracket:
    """A step that fails and one that works, either of which may be the larger one.

    Where trying a step raises an exception, they stay what was found until then.
    """

    fails: int
    works: int

    def narrow(self, try_step: Callable[[int], bool]) -> None:
        """Try steps between the two until there is none left; `try_step` returns whether one works.

        Where these are far apart, that is halved by how often the one is doubled to get to the other.
        """
        while abs(self.works - self.fails) > 1:
            lower, upper = sorted((self.fails, self.works))
            middle = math.isqrt(lower * upper) if 0 < lower * FAR < upper else (lower + upper) // 2
            if try_step(middle):
                self.works = middle
            else:
                self.fails = middle
