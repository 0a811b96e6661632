"""What is wrong with a scenario by its JSON Schema, in plain words, and what it expects where nothing is."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from vqs.model.moments import parse_moment
from vqs.model.quantity import QuantityError, parse
from vqs.snapshot.reading.diagnostics import Diagnostic, Path, Problems, did_you_mean, one_of
from vqs.snapshot.reading.documents import Origin, documents
from vqs.snapshot.reading.json_text import quoting_hint, shown, type_names, without_nulls
from vqs.snapshot.reading.sources import read_source
from vqs.snapshot.scenario.lookup import full_name
from vqs.snapshot.scenario.model import AMOUNTS, UNLIMITED, Expectation, Subject
from vqs.snapshot.scenario.schema import conforms, schema

if TYPE_CHECKING:
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
    checker.checks("date-time")(lambda value: not isinstance(value, str) or parse_moment(value) is not None)
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


_DEFAULT_TOLERANCE: Final = 0.01
_SUBJECTS: Final[Mapping[str, Subject]] = {"queues": "queue", "jobs": "job", "tasks": "task"}
_SHORT_FORMS: Final = {"jobs": "decision", "tasks": "node"}


class _Place(NamedTuple):
    origin: Origin
    path: Path
    tolerance: float


def expectations(expect: Mapping[str, Any], origin: Origin, path: Path, problems: Problems) -> list[Expectation]:
    """What is expected, in the order in which it is written. `path` leads to it in its object."""
    given = expect.get("tolerance", _DEFAULT_TOLERANCE)
    tolerance = float(given.removesuffix("%")) / 100 if isinstance(given, str) else float(given)
    found: list[Expectation] = []
    for section, value in expect.items():
        place = _Place(origin, (*path, section), tolerance)
        if section in _SUBJECTS:
            for name, wanted in value.items():
                found += _of_one(section, name, wanted, place)
        elif section != "tolerance":
            found += _flat("all", "", value, place._replace(path=path), (section,))
    for each in found:
        _check_amount(each, problems)
    return found


def read_expectations(path: str, stdin: BinaryIO | None, problems: Problems) -> list[Expectation]:
    """Read a file with expectations: the content of an `expect:`, or whole scenarios, of which only that is read."""
    source = read_source(path, stdin, problems)
    found: list[Expectation] = []
    read = 0
    for document in documents(source, problems) if source else ():
        for inner, value in document.values(problems, lambda _: None):
            read += 1
            found += _read(value, Origin(document, inner), problems)
    if source and read and not found and not any(each.severity == "error" for each in problems.diagnostics):
        message = "this file has no expectations"
        problems.add(Diagnostic(code="empty-input", severity="error", message=message, file=source.name))
    return found


def _read(value: Any, origin: Origin, problems: Problems) -> list[Expectation]:
    is_scenario = isinstance(value, dict) and "kind" in value
    errors = check_scenario(value, origin) if is_scenario else check_expect(value, origin)
    value = normalized(value)
    for error in errors:
        problems.add(error)
    if errors:
        return []
    if is_scenario:
        return expectations(value.get("expect", {}), origin, ("expect",), problems)
    return expectations(value, origin, (), problems)


def _of_one(section: str, name: str, wanted: Any, place: _Place) -> Iterator[Expectation]:
    subject = _SUBJECTS[section]
    place = place._replace(path=(*place.path, name))
    if isinstance(wanted, Mapping):
        for key, value in wanted.items():
            yield from _flat(subject, name, value, place, (key,))
    else:
        attribute = (_SHORT_FORMS[section],)
        yield Expectation(subject, name, attribute, wanted, place.tolerance, place.origin, place.path)


def _flat(subject: Subject, name: str, value: Any, place: _Place, attribute: tuple[str, ...]) -> Iterator[Expectation]:
    """Yield one expectation for each value; a map is as many as it has entries."""
    place = place._replace(path=(*place.path, attribute[-1]))
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(subject, name, inner, place, (*attribute, key))
        return
    if len(attribute) > 1 and attribute[-2] in AMOUNTS:
        attribute = (*attribute[:-1], full_name(attribute[-1]))
    yield Expectation(subject, name, attribute, value, place.tolerance, place.origin, place.path)


def _check_amount(expectation: Expectation, problems: Problems) -> None:
    attribute, wanted = expectation.attribute, expectation.wanted
    if len(attribute) < 2 or attribute[-2] not in AMOUNTS or wanted == UNLIMITED:  # noqa: PLR2004 - its name and the resource
        return
    try:
        parse(wanted)
    except QuantityError as error:
        hint = f"did you mean {error.suggestion!r}?" if error.suggestion else ""
        origin, path = expectation.origin, expectation.path
        problems.add(origin.diagnostic("invalid-quantity", error.message, path, hint=hint))
