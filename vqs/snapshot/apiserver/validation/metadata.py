"""Names, labels and annotations of objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from vqs.model.number_text import whole_number
from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.rules import required
from vqs.snapshot.apiserver.validation.values import Faults, Object, below, child, children, is_true, text, texts

_MOST_ANNOTATED: Final = 256 * 1024
_SCHEDULED_FIRST: Final = "controller.kubernetes.io/pod-deletion-cost"


def metadata(value: Object, judge_name: Callable[[str], str] = names.subdomain) -> Faults:
    """Judge the metadata of an object, whose name another one may judge."""
    own = child(value, "metadata")
    yield from below(("metadata",), _names(own, judge_name))
    yield from below(("metadata",), labels(own, "labels"))
    yield from below(("metadata",), annotated(own))
    for index, finalizer in enumerate(texts(own, "finalizers")):
        if wrong := names.qualified_name(finalizer):
            yield ("metadata", "finalizers", index), wrong
    yield from below(("metadata",), _owners(own))


def _names(own: Object, judge_name: Callable[[str], str]) -> Faults:
    name, beginning, namespace = text(own, "name"), text(own, "generateName"), text(own, "namespace")
    if name and (wrong := judge_name(name)):
        yield ("name",), wrong
    ending = beginning.removesuffix("-") + "a" if beginning.endswith("-") else beginning
    if beginning and (wrong := judge_name(ending)):
        yield ("generateName",), wrong
    if namespace and (wrong := names.label(namespace)):
        yield ("namespace",), wrong


def _owners(own: Object) -> Faults:
    owners = children(own, "ownerReferences")
    for index, owner in enumerate(owners):
        yield from below(("ownerReferences", index), required(owner, "apiVersion", "kind", "name", "uid"))
    controllers = [index for index, owner in enumerate(owners) if is_true(owner, "controller")]
    for index in controllers[1:]:
        yield ("ownerReferences", index, "controller"), "the object has two controllers"


def labels(owner: Object, key: str) -> Faults:
    """Judge labels, or what selects by them."""
    for name, value in child(owner, key).items():
        wrong = names.qualified_name(str(name)) or (names.label_value(value) if isinstance(value, str) else "")
        if wrong:
            yield (key, name), wrong


def annotated(own: Object) -> Faults:
    """Judge annotations: their keys, and their length together."""
    given = child(own, "annotations")
    for name in given:
        if wrong := names.qualified_name(str(name).lower()):
            yield ("annotations", name), wrong
    length = sum(len(str(part).encode()) for pair in given.items() for part in pair)
    if length > _MOST_ANNOTATED:
        yield ("annotations",), f"the annotations have {length} bytes together, {_MOST_ANNOTATED} are allowed"


def of_pods(own: Object) -> Faults:
    """Judge the annotations that say something about pods to Kubernetes."""
    cost = child(own, "annotations").get(_SCHEDULED_FIRST)
    if isinstance(cost, str) and not _is_cost(cost):
        yield ("annotations", _SCHEDULED_FIRST), f"{cost!r} is not a whole number of 32 bits"


def _is_cost(cost: str) -> bool:
    number = whole_number(cost)
    return number is not None and str(number) == cost and -(2**31) <= number < 2**31
