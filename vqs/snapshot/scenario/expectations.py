"""Reads `expect:` into single expectations."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final, NamedTuple

from vqs.model.quantity import QuantityError, parse
from vqs.snapshot.reading.diagnostics import Diagnostic, Path, Problems
from vqs.snapshot.reading.documents import Origin, documents
from vqs.snapshot.reading.sources import read_source
from vqs.snapshot.scenario.lookup import full_name
from vqs.snapshot.scenario.model import Expectation, Subject
from vqs.snapshot.scenario.validation import check_expect, check_scenario, normalized

UNLIMITED: Final = "unlimited"
NONE: Final = "none"
_DEFAULT_TOLERANCE: Final = 0.01
_SUBJECTS: Final[Mapping[str, Subject]] = {"queues": "queue", "jobs": "job", "tasks": "task"}
_SHORT_FORMS: Final = {"jobs": "decision", "tasks": "node"}
AMOUNTS: Final = frozenset(
    {"deserved", "request", "guarantee", "capability", "realCapability", "elastic", "allocated", "inqueue"}
)


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
