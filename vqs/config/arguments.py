"""Arguments of plugins and actions, read by type.

An argument that is not given has the default of `vqs.config.known_arguments`. One of the wrong type counts as not
given, as in Volcano, where only the scheduler's log says so. Here each such case is also a warning.

Some arguments are decoded strictly, into structures: what is not given, and null, comes to nothing: 0, false, an empty
text, an object of such. A value of the wrong type makes the scheduler exit; here it counts as not given. A fraction is
cut off where a whole number is wanted.
Reference: ``pkg/scheduler/framework/arguments.go`` (``Get``) in volcano-sh/volcano, github.com/mitchellh/mapstructure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from vqs.config.known_arguments import Argument, Kind, find_argument
from vqs.model.number_text import is_boolean, is_true

SCHEDULER_EXITS: Final = "the scheduler exits"
_NOTHING: Final[Mapping[Kind, Any]] = {Kind.INT: 0, Kind.NUMBER: 0.0, Kind.BOOL: False}


def decode(argument: Argument, value: object, name: str, warnings: list[str]) -> Any:
    """What a value is decoded into; `name` is what a warning calls it.

    >>> from vqs.config.known_arguments import PLUGIN_ARGUMENTS, find_argument
    >>> sra = find_argument(PLUGIN_ARGUMENTS["resource-strategy-fit"], "sra")
    >>> warnings = []
    >>> decode(sra, {"Enable": True, "weight": 2.5, "resources": 3}, "sra", warnings)
    {'enable': True, 'resources': '', 'weight': 2, 'resourceWeight': {}}
    >>> warnings
    ['sra.resources: 3 is not text, and the scheduler exits; here it counts as not given']
    """
    if not argument.accepts(value):
        warnings.append(
            f"{name}: {value!r} is not {argument.kind.value}, and {SCHEDULER_EXITS}; here it counts as not given"
        )
        value = None
    match argument.kind:
        case Kind.OBJECT:
            given = value if isinstance(value, dict) else {}
            [free, *_] = argument.fields
            if "*" in free.name:
                return {str(key): decode(free, each, f"{name}.{key}", warnings) for key, each in given.items()}
            values = {
                field.name: each
                for field in argument.fields
                for key, each in given.items()
                if field.matches(str(key), fold=argument.folds)
            }
            return {
                field.name: decode(field, values.get(field.name), f"{name}.{field.name}", warnings)
                for field in argument.fields
            }
        case Kind.INT if isinstance(value, float):
            return int(value)
        case Kind.NUMBER if isinstance(value, int):
            return float(value)
    return _NOTHING.get(argument.kind, "") if value is None else value


T = TypeVar("T")

# The methods below carry the names of these types, and would hide them.
_Int = int
_Float = float
_Bool = bool

_INT64: Final = range(-(2**63), 2**63)


def names_in(text: str) -> list[str]:
    """The names that an argument or an annotation lists with commas between them.

    >>> names_in("cpu, nvidia.com/gpu,")
    ['cpu', 'nvidia.com/gpu']
    """
    return [name for each in text.split(",") if (name := each.strip())]


class Arguments(Mapping[str, object]):
    """Arguments by name. `warnings` grows with each argument that was asked for and had the wrong type.

    `known` are those that their plugin or action reads, and `path` leads to them in the configuration. Where
    `reads_text` is set, a text counts as true or false, if Go's strconv takes it for one.

    >>> from vqs.config.known_arguments import PLUGIN_ARGUMENTS
    >>> arguments = Arguments(PLUGIN_ARGUMENTS["binpack"], {"binpack.weight": 10, "binpack.cpu": "5"})
    >>> arguments.int("binpack.weight"), arguments.int("binpack.cpu")
    (10, 1)
    >>> arguments.warnings
    ["binpack.cpu: '5' is not a whole number; the default 1 is used"]
    """

    def __init__(
        self,
        known: Sequence[Argument],
        values: Mapping[str, object] | None = None,
        path: tuple[str | _Int, ...] = (),
        *,
        reads_text: _Bool = False,
    ) -> None:
        self._known = known
        self._reads_text = reads_text
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

    def default(self, key: str) -> str:
        """The default of an argument as one would write it. Raises KeyError for one that is not known."""
        argument = find_argument(self._known, key)
        if argument is None:
            raise KeyError(key)
        return argument.default

    def unread(self, *, reads_text: _Bool | None = None) -> Arguments:
        """The same arguments without warnings, and with texts read in another way where that is given."""
        reads = self._reads_text if reads_text is None else reads_text
        return Arguments(self._known, self._values, self.path, reads_text=reads)

    def int(self, key: str) -> _Int:
        """A whole number; numbers with a fraction, of more than 64 bits, and texts do not count as one."""
        default = _Int(self.default(key))
        value = self._values.get(key, default)
        if isinstance(value, _Int) and not isinstance(value, _Bool) and value in _INT64:
            return value
        return self._wrong(key, "a whole number", default)

    def float(self, key: str) -> _Float:
        """A number."""
        default = _Float(self.default(key))
        value = self._values.get(key, default)
        if isinstance(value, _Int | _Float) and not isinstance(value, _Bool):
            return _Float(value)
        return self._wrong(key, "a number", default)

    def bool(self, key: str) -> _Bool:
        """True or false."""
        default = self.default(key) == "true"
        value = self._values.get(key, default)
        if isinstance(value, _Bool):
            return value
        if self._reads_text and isinstance(value, str) and is_boolean(value):
            return is_true(value)
        return self._wrong(key, "true or false", default)

    def string(self, key: str) -> str:
        """A text."""
        default = self.default(key)
        value = self._values.get(key, default)
        if isinstance(value, str):
            return value
        argument = find_argument(self._known, key)
        return self._wrong(key, "text" if argument is None else argument.kind.value, default)

    def decoded(self, key: str) -> Any:
        """An argument that Volcano decodes into a structure, None where it is not given."""
        argument = find_argument(self._known, key)
        if argument is None or key not in self._values:
            return None
        return decode(argument, self._values[key], key, self.warnings)

    def _wrong(self, key: str, expected: str, default: T) -> T:
        argument = find_argument(self._known, key)
        used = f"the default {default!r} is used"
        comes_of_it = f"{expected}; {used}"
        if argument is not None and argument.is_fatal:
            comes_of_it = f"{argument.kind.value}, and {SCHEDULER_EXITS}; here {used}"
        warning = f"{key}: {self._values[key]!r} is not {comes_of_it}"
        if warning not in self.warnings:
            self.warnings.append(warning)
        return default
