"""Values of parameters and figures as people read them."""

from __future__ import annotations

import math

from vqs.explain.amounts import ABSENT, amount, lasting, percent
from vqs.sweep.domains import Value, written
from vqs.sweep.effects import Level
from vqs.sweep.outcome import FigureInfo


def figure_text(figure: FigureInfo, value: float | str | None) -> str:
    """Write a value of a figure: a part of a whole as a percentage, amounts and times with their units.

    >>> used = FigureInfo(name="utilisation.cpu", unit="part", resource="cpu", missing="unknown")
    >>> figure_text(used, 0.71428), figure_text(used, None)
    ('71.43%', 'unknown')
    """
    if value is None:
        return figure.missing
    if isinstance(value, str):
        return value or ABSENT
    match figure.unit:
        case "part":
            return f"{value * 100:.4g}%"
        case "amount":
            return amount(figure.resource, value)
        case "seconds":
            return lasting(value)
        case _:
            return f"{round(value, 2):,.10g}"


def difference_text(figure: FigureInfo, difference: float) -> str:
    """Write by how much a figure differs: parts of a whole in percentage points."""
    return f"{difference * 100:.4g} points" if figure.unit == "part" else figure_text(figure, difference)


def loss_text(figure: FigureInfo, loss: float) -> str:
    """Write how far a figure is from its best on a snapshot; what never happens is as far as can be."""
    return percent(loss) if math.isfinite(loss) else figure.missing


def level_text(level: Level) -> str:
    """Write the value, or the range of values, that a level stands for.

    >>> level_text(Level(value=0.25, to=0.5, points=3, mean=1.0, least=0.0, most=2.0))
    '0.25 to 0.5'
    """
    return range_text(level.value, level.value if level.to is None else level.to)


def range_text(low: Value, high: Value) -> str:
    """Write the ends of a range; only one where they are the same."""
    return written(low) if low == high else f"{written(low)} to {written(high)}"


def settings_text(parameters: dict[str, Value]) -> str:
    """Write what a point sets, in one line.

    >>> settings_text({"weight": 4, "reclaim": True})
    'weight=4, reclaim=true'
    """
    return ", ".join(f"{name}={written(value)}" for name, value in parameters.items())
