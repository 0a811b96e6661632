"""A parameter of a snapshot: a number or a choice that may be changed, in steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.whatif.edits import Edit, SetValue

Value = int | str
"""A number, a quantity, or a name."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number or a choice, and its steps; step 0 is what it is now.

    Attributes:
        what: which kind of parameter, such as weight.
        of: what it belongs to: ``queue/b``, ``podgroup/ns/train``, ``node/n1``.
        resource: of which resource it is an amount; empty where it is none.
        owner: who controls what it belongs to, and would write it anew; empty where nothing does.
        recreate: the object to delete and create again, as the field cannot be changed after creation; else empty.
        most: the last step.
        guess: the step to try first.
        value: what it is at a step.
        edits: what has to be done for it.
    """

    what: str
    of: str
    most: int
    guess: int
    value: Callable[[int], Value]
    edits: Callable[[int], list[Edit]]
    resource: str = ""
    owner: str = ""
    recreate: str = ""

    @property
    def name(self) -> str:
        """What the parameter is called, for people."""
        return " ".join(part for part in (self.what, self.resource, "of", self.of) if part)


def set_value(kind: str, name: str, path: Path, value: Any) -> SetValue:
    """Return the edit that gives a field of an object a value; its name may begin with its namespace."""
    namespace, _, name = name.rpartition("/")
    return SetValue(kind, namespace, name, path, value)


def choice(
    what: str, of: str, before: str, after: str, edits: Sequence[Edit], *, owner: str = "", recreate: str = ""
) -> Parameter:
    """Return a parameter with one step."""
    return Parameter(
        what,
        of,
        1,
        1,
        lambda step: after if step else before,
        lambda _: [*edits],
        owner=owner,
        recreate=recreate,
    )
