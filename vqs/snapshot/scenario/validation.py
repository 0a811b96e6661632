"""Checks a scenario against its JSON Schema, and says in plain words what is wrong with it."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from vqs.snapshot.reading.decoding import quoting_hint, shown, type_names, without_nulls
from vqs.snapshot.reading.diagnostics import Diagnostic, Path, did_you_mean, one_of
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.scenario.schema import conforms, moment, schema

if TYPE_CHECKING:  # most snapshots have no scenario, and are read sooner than it is imported
    from jsonschema import Draft7Validator
    from jsonschema.exceptions import ValidationError

_TYPES: Final = {
    "integer": "int",
    "number": "float",
    "string": "str",
    "boolean": "bool",
    "object": "object",
    "array": "array",
}
_FEW: Final = 16
_EXACT: Final = 2**53
_MOST: Final = sys.float_info.max
_HABIT_OF_YAML: Final = "put a blank after the colon"
_HABITS: Final = {
    "metadata": "a scenario has no metadata; its name is at the top: name: ...",
    "spec": "a scenario has no spec; what would be in it is one level up",
}
"""What people write at the top of a scenario because all other kinds have it."""


def check_scenario(value: object, origin: Origin) -> list[Diagnostic]:
    """Everything that is wrong with a scenario, in the order of its text.

    A key whose value is null counts as not given, but it has to be one that there is: `replicas:3` is such a key.
    """
    expect = value.get("expect") if isinstance(value, dict) else None
    return check_against(value, origin, schema(), _nulls(expect, ("expect",)))


def check_expect(value: object, origin: Origin) -> list[Diagnostic]:
    """Everything that is wrong with expectations that stand in a file of their own."""
    against = {"$ref": "#/definitions/expect", "definitions": schema()["definitions"]}
    return check_against(value, origin, against, _nulls(value, ()))


def normalized(value: Any) -> Any:
    """A value without its nulls, and with 2 for 2.0: JSON, on the way to Kubernetes, knows no difference."""
    return _whole(without_nulls(value))


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT else value


def check_against(
    value: object, origin: Origin, against: dict[str, Any], nulls: Iterable[Path] = ()
) -> list[Diagnostic]:
    """Everything that is wrong with a document by a JSON Schema, in the order of its text; nulls are missing there."""
    given = without_nulls(value)
    is_fine = given == value and conforms(given, against, against)
    # A value of a wrong type may also be none of those that are allowed, which is the same mistake.
    found = {} if is_fine else dict.fromkeys(_against_schema(value, given, origin, _validator(against)))
    for path in _too_large(value, ()):
        found[origin.diagnostic("invalid-value", "the number is too large", path)] = None
    places = {(each.line, each.column) for each in found}
    for path in nulls:
        missing = origin.key_diagnostic("missing-value", "the expectation is missing", path)
        if (missing.line, missing.column) not in places:
            found[missing] = None
    return sorted(found, key=lambda each: (each.line, each.column))


def _against_schema(value: object, given: object, origin: Origin, validator: "Draft7Validator") -> Iterator[Diagnostic]:
    """Yield what is wrong with what is given of a value, and keys of the value that there are not."""
    for error in validator.iter_errors(given):
        yield from _diagnostics(error, origin)
    if given != value:
        with_nulls = (
            each for error in _forgiving(validator).iter_errors(value) for each in _diagnostics(error, origin)
        )
        yield from (each for each in with_nulls if each.code == "unknown-key")


def _validator(against: dict[str, Any]) -> "Draft7Validator":
    # Imported late: it takes longer to import than most snapshots take to read, and they have no scenario.
    from jsonschema import Draft7Validator, FormatChecker, ValidationError  # noqa: PLC0415
    from jsonschema.validators import extend  # noqa: PLC0415

    def required(_: Any, keys: Sequence[str], value: Any, __: Any) -> Iterator[ValidationError]:
        """Yield an error whose message is the missing key: the library has it in words only."""
        if isinstance(value, dict):
            yield from (ValidationError(key) for key in keys if key not in value)

    checker = FormatChecker(formats=())
    checker.checks("date-time")(lambda value: not isinstance(value, str) or moment(value) is not None)
    validator: Draft7Validator = extend(Draft7Validator, {"required": required})(against, format_checker=checker)  # type: ignore[no-untyped-call]
    return validator


def _forgiving(validator: "Draft7Validator") -> Any:
    """A validator that takes a null for anything."""
    from jsonschema.validators import extend  # noqa: PLC0415

    def unless_null(check: Any) -> Any:
        return lambda given, rule, value, rules: () if value is None else check(given, rule, value, rules)

    checks = {name: unless_null(check) for name, check in validator.VALIDATORS.items()}
    return extend(type(validator), checks)(validator.schema)  # type: ignore[no-untyped-call]


def _nulls(value: object, path: Path) -> Iterator[Path]:
    """Yield where nulls stand in a value."""
    if isinstance(value, dict):
        for key, each in value.items():
            if each is None:
                yield (*path, key)
            yield from _nulls(each, (*path, key))


def _too_large(value: object, path: Path) -> Iterator[Path]:
    """Yield where numbers stand that no floating-point number comes near, which only JSON can say."""
    if isinstance(value, int) and not -_MOST <= value <= _MOST:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in entries:
        yield from _too_large(each, (*path, step))


def _diagnostics(error: "ValidationError", origin: Origin) -> Iterator[Diagnostic]:
    path: Path = tuple(error.absolute_path)
    rules: Any = error.schema
    value: Any = error.instance
    match error.validator:
        case "additionalProperties":
            for key in value:
                if key not in rules["properties"]:
                    yield _unknown_key(origin, (*path, key), rules["properties"])
        case "anyOf":
            yield from _of_the_branch_meant(error, origin)
        case _:
            code, message, hint = _explained(error)
            yield origin.diagnostic(code, message, path, hint=hint)


def _unknown_key(origin: Origin, path: Path, known: Iterable[str]) -> Diagnostic:
    key = str(path[-1])
    choices = list(known)
    hint = (
        _HABIT_OF_YAML if ":" in key else did_you_mean(key, choices) or (_HABITS.get(key, "") if len(path) == 1 else "")
    )
    if not hint and len(choices) <= _FEW:
        hint = f"expected {one_of(choices)}"
    return origin.key_diagnostic("unknown-key", f"unknown key {key!r}", path, hint=hint)


def _of_the_branch_meant(error: "ValidationError", origin: Origin) -> Iterator[Diagnostic]:
    """Yield what is wrong by the one of several forms whose type fits; by none of them, where no type does."""
    branches: dict[Any, list[ValidationError]] = {}
    for each in error.context or ():
        branches.setdefault(each.relative_schema_path[0], []).append(each)
    likely = [
        errors for errors in branches.values() if not any(not each.relative_path and _types(each) for each in errors)
    ]
    if likely:
        for each in likely[0]:
            yield from _diagnostics(each, origin)
        return
    wanted = [name for errors in branches.values() for each in errors for name in _types(each)]
    message = f"expected {type_names(wanted)}, got {shown(error.instance)}"
    yield origin.diagnostic("wrong-type", message, tuple(error.absolute_path))


def _types(error: "ValidationError") -> list[str]:
    """The types that an error asks for, none if it is about something else."""
    if error.validator in ("enum", "const"):
        return [] if isinstance(error.instance, str) else ["str"]
    if error.validator != "type":
        return []
    wanted: Any = error.validator_value
    return [_TYPES[name] for name in ([wanted] if isinstance(wanted, str) else wanted)]


def _explained(error: "ValidationError") -> tuple[str, str, str]:
    """The code, the message and a hint."""
    value: Any = error.instance
    limit: Any = error.validator_value
    rules: Any = error.schema
    if wanted := _types(error):
        return "wrong-type", f"expected {type_names(wanted)}, got {shown(value)}", quoting_hint(wanted, value)
    match error.validator:
        case "required":
            return "missing-value", f"{error.message} is missing", ""
        case "enum" | "const":
            choices = limit if isinstance(limit, list) else [limit]
            message = f"{value!r} is not allowed; expected {one_of(choices)}"
            return "invalid-value", message, did_you_mean(value, choices)
        case "minimum" | "maximum":
            least = rules["minimum"]
            limits = f"{least} to {rules['maximum']}" if "maximum" in rules else f"at least {least}"
            return "invalid-value", f"{value} is out of range; expected {limits}", ""
        case "maxProperties":
            return "too-large", f"expected at most {limit:,} keys, got {len(value):,}", ""
        case "minLength":
            return "invalid-value", "the text is empty", ""
        case "pattern":
            return "invalid-value", f"{value!r} is not allowed: {rules['patternErrorMessage']}", ""
        case _:
            return "wrong-type", f"expected a time such as 2026-01-31T12:00:00Z, got {shown(value)}", ""
