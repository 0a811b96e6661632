"""Plans to tune whose figures are functions of the parameters, so that each answer is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from vqs.sweep.domains import Value
from vqs.sweep.outcome import Row
from vqs.sweep.plan import Plan
from vqs.sweep.space import Point
from vqs.sweep.tune.outcome import Tune
from vqs.sweep.tune.plan import TunePlan, read_tune
from vqs.sweep.tune.search import Search

SCENARIO = Path(__file__).parents[3] / "scenarios" / "first-look.yaml"

Placed = Callable[[Mapping[str, Any]], float]
"""How many tasks are placed, given the values of the parameters."""


def plan_of(folder: Path, text: str) -> TunePlan:
    """Read a plan on the first scenario; its goal is that 10 tasks are placed."""
    path = folder / "plan.yaml"
    path.write_text(f"apiVersion: vqs/v1\nkind: Tune\ngoal: placed>=10\n{text}", encoding="utf-8")
    return read_tune(str(path), on=[str(SCENARIO)])


class Computed:
    """An engine whose only figure is computed; it counts the points that it has run."""

    def __init__(self, plan: Plan, placed: Placed) -> None:
        self._plan = plan
        self._placed = placed
        self.points: list[Mapping[str, Value]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def rows(self, points: Iterable[Point]) -> Iterator[Row]:
        """Yield the rows of points."""
        for point in points:
            self.points.append(point.values)
            values = {"placed": float(self._placed(point.values)) if point.values else 0.0}
            failures = [found for each in self._plan.fail_on if (found := each.failure(values, {})) is not None]
            yield Row(
                number=point.number,
                base="base",
                release="1.14",
                seed=point.seed,
                parameters=dict(point.values),
                edits=[],
                figures=dict(values),
                failures=failures,
                error=None,
            )


def tuned(plan: TunePlan, placed: Placed) -> Tune:
    """Return what is found where so many tasks are placed."""
    return Search(plan).run(Computed(plan.plan, placed))
