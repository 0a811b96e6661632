"""Arguments of plugins and actions, read by type.

An argument of the wrong type counts as not given, as in Volcano, where only the scheduler's log says so. Here each such
case is also a warning. Reference: ``pkg/scheduler/framework/arguments.go`` in volcano-sh/volcano.
"""

from collections.abc import Iterator, Mapping
from typing import Final, TypeVar

T = TypeVar("T")

# The methods below carry the names of these types, and would hide them.
_Int = int
_Float = float
_Bool = bool

_INT64: Final = range(-(2**63), 2**63)


class Arguments(Mapping[str, object]):
    """Arguments by name. `warnings` grows with each argument that was asked for and had the wrong type.

    `path` leads to them in the configuration.

    >>> arguments = Arguments({"binpack.weight": 10, "binpack.cpu": "5"})
    >>> arguments.int("binpack.weight", 1), arguments.int("binpack.cpu", 1)
    (10, 1)
    >>> arguments.warnings
    ["binpack.cpu: '5' is not a whole number; the default 1 is used"]
    """

    def __init__(self, values: Mapping[str, object] | None = None, path: tuple[str | _Int, ...] = ()) -> None:
        self._values = dict(values or {})
        self.path = path
        self.warnings: list[str] = []

    def __getitem__(self, key: str) -> object:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> _Int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Arguments({self._values!r})"

    def unread(self) -> "Arguments":
        """Return the same arguments without warnings."""
        return Arguments(self._values, self.path)

    def int(self, key: str, default: _Int) -> _Int:
        """Return a whole number; numbers with a fraction, of more than 64 bits, and texts do not count as one."""
        value = self._values.get(key, default)
        if isinstance(value, _Int) and not isinstance(value, _Bool) and value in _INT64:
            return value
        return self._wrong(key, "a whole number", default)

    def float(self, key: str, default: _Float) -> _Float:
        """Return a number."""
        value = self._values.get(key, default)
        if isinstance(value, _Int | _Float) and not isinstance(value, _Bool):
            return _Float(value)
        return self._wrong(key, "a number", default)

    def bool(self, key: str, default: _Bool) -> _Bool:
        """Return true or false."""
        value = self._values.get(key, default)
        if isinstance(value, _Bool):
            return value
        return self._wrong(key, "true or false", default)

    def string(self, key: str, default: str) -> str:
        """Return a text."""
        value = self._values.get(key, default)
        if isinstance(value, str):
            return value
        return self._wrong(key, "text", default)

    def _wrong(self, key: str, expected: str, default: T) -> T:
        warning = f"{key}: {self._values[key]!r} is not {expected}; the default {default!r} is used"
        if warning not in self.warnings:
            self.warnings.append(warning)
        return default
