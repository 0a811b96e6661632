"""What an engine runs: all that another process needs to know to run the points of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Self

from vqs.explain.simulate import SimulateOptions
from vqs.extensions.adding import extended
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.plan import Plan


@dataclass(frozen=True, slots=True)
class Task:
    """A plan, and how its points are run; it can be pickled.

    Attributes:
        plan: the plan, without what only choosing its points needs.
        options: how to run sessions.
        own: the plugins and actions of one's own, as MODULE:CLASS, beside those of installed packages.
    """

    plan: Plan
    options: SimulateOptions
    own: tuple[str, ...] = ()

    @classmethod
    def of(cls, plan: Plan, options: SimulateOptions, own: Sequence[str] = ()) -> Self:
        """Return the task of running the points of a plan."""
        return cls(replace(plan, constraints=()), replace(options, progress=None), tuple(own))

    @contextmanager
    def evaluator(self) -> Iterator[Evaluator]:
        """Yield what runs its points; plugins and actions of one's own count as long as the context lasts.

        Raises:
            ExtensionError: one of them cannot be used here.
        """
        with extended(self.own):
            yield Evaluator(self.plan, self.options)
