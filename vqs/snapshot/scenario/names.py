"""Names that stand for several, and resources by their short names."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from vqs.snapshot.reading.diagnostics import Path, Problems
from vqs.snapshot.reading.documents import Origin

_DIGITS: Final = "0123456789"
_MOST_DIGITS: Final = 18
"""Of a longer number, the last digits are counted on."""

_SHORT: Final = {"gpu": "nvidia.com/gpu"}
RESOURCE_KEYS: Final = ("cpu", "memory", "gpu")


def numbered(name: str, count: int | None) -> Iterator[str]:
    """Yield the names of several: the number at the end of the first name is counted on.

    >>> list(numbered("rack-08", 3)), list(numbered("gpu", 2)), list(numbered("gpu", None))
    (['rack-08', 'rack-09', 'rack-10'], ['gpu-0', 'gpu-1'], ['gpu'])
    """
    if count is None:
        yield name
        return
    first = name[len(name.rstrip(_DIGITS)) :][-_MOST_DIGITS:]
    head = name[: len(name) - len(first)] if first else f"{name}-"
    for number in range(int(first or 0), int(first or 0) + count):
        yield f"{head}{number:0{len(first)}}"


def full_name(resource: str) -> str:
    """The name that Kubernetes knows a resource by."""
    return _SHORT.get(resource, resource)


def amounts(
    entry: Mapping[str, Any], keys: Sequence[str], origin: Origin, problems: Problems
) -> tuple[dict[str, Any], dict[str, Path]]:
    """The amounts that an entry gives with some keys and under `resources`, and where each is written."""
    given: dict[Path, Any] = {(key,): entry[key] for key in keys if key in entry}
    given |= {("resources", name): amount for name, amount in entry.get("resources", {}).items()}
    return _named(given, origin, problems)


def _named(given: Mapping[Path, Any], origin: Origin, problems: Problems) -> tuple[dict[str, Any], dict[str, Path]]:
    """Return amounts by the full name of their resource, and where each is written."""
    found: dict[str, Any] = {}
    written: dict[str, Path] = {}
    for path, amount in given.items():
        name = full_name(str(path[-1]))
        if name in found:
            problems.add(origin.diagnostic("invalid-value", f"{name} is given twice", path))
        found[name], written[name] = amount, path
    return found, written


def resource_list(
    given: Mapping[str, Any], path: Path, origin: Origin, problems: Problems
) -> tuple[dict[str, Any], dict[str, Path]]:
    """The amounts in a map of its own, and where each is written."""
    inner = Origin(origin.document, (*origin.path, *path))
    found, written = _named({(key,): amount for key, amount in given.items()}, inner, problems)
    return found, {name: (*path, *at) for name, at in written.items()}
