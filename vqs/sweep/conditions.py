"""What must not be, or must be, of a point: conditions on its figures, in the language of --fail-on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from vqs.diff import conditions as of_differences
from vqs.diff.condition_text import parse_conditions as parse
from vqs.diff.conditions import ConditionError
from vqs.diff.outcome import Failure
from vqs.sweep.figures import LANGUAGE, Figure, Measured


@dataclass(frozen=True, slots=True)
class Condition:
    """A figure that is compared with a value, or with the same figure in the base of the point."""

    written: of_differences.Condition
    figure: Figure

    @property
    def text(self) -> str:
        """The condition, as it was written."""
        return self.written.text

    @property
    def needs_base(self) -> bool:
        """Whether the figure is compared with that of the base."""
        return self.written.value is None

    def is_met(self, values: Mapping[str, Measured], base: Mapping[str, Measured]) -> bool:
        """Tell whether it holds for a point; a figure that is not known is as what must not be.

        Args:
            values: the figures of the point, by their text.
            base: those of its base, where the condition needs them.
        """
        return self.failure(values, base) is not None

    def unknown(self, why: str, verb: str = "is") -> Failure:
        """Return that the figure is not known, which must not be."""
        return Failure(condition=self.text, text=f"{self.written.name} {verb} unknown: {why}", unknown=True)

    def failure(self, values: Mapping[str, Measured], base: Mapping[str, Measured]) -> Failure | None:
        """Return what makes it hold for a point, None where it does not hold."""
        value, limit = values[self.figure.text], base[self.figure.text] if self.needs_base else self.written.value
        if not isinstance(value, float) or not isinstance(limit, float):
            return None
        for each, verb in ((value, "is"), (limit, "was")):
            if math.isnan(each):
                return self.unknown(self.figure.family.unknown, verb)
        if not self.written.is_met(value, limit):
            return None
        said = f"{self.written.name} is {self.written.written(value)}"
        return Failure(condition=self.text, text=self.written.beside_limit(said, limit))


def failures(
    conditions: Sequence[Condition], values: Mapping[str, Measured], base: Mapping[str, Measured]
) -> list[Failure]:
    """Return what makes conditions hold for a point; the arguments are those of `Condition.is_met`."""
    held = (each.failure(values, base) for each in conditions)
    return [each for each in held if each is not None]


def all_unknown(conditions: Sequence[Condition]) -> list[Failure]:
    """Return the failures of a point that could not be run: its figures are not known, so that all conditions hold."""
    return [each.unknown("the point could not be run") for each in conditions]


def conditions_of(text: str) -> list[Condition]:
    """Read conditions, which commas separate.

    Raises:
        ConditionError: one cannot be understood, or compares a text.
    """
    read = ((each, Figure(each.name, each.figure)) for each in parse(text, LANGUAGE))
    found = [Condition(replace(each, missing=figure.family.missing), figure) for each, figure in read]
    for each in found:
        if each.figure.is_text:
            message = f"'{each.figure.text}' is a text, and conditions compare numbers"
            raise ConditionError(message, text, each.written.at, "such as job:NAMESPACE/NAME.pending>0")
    return found
