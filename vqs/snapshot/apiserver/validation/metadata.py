"""Names, labels and annotations of objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from vqs.model.number_text import whole_number
from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.schema import Fault
from vqs.snapshot.apiserver.validation.values import Object, Part

_MOST_ANNOTATED: Final = 256 * 1024
_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"


def metadata(value: Object, judge_name: Callable[[str], str] = names.subdomain) -> list[Fault]:
    """What is wrong with the metadata of an object, whose name another one may judge."""
    own = Part(value, "").child("metadata")
    own.name("name", judge_name)
    begins = own.text("generateName")
    if begins:
        own.refuse(judge_name(begins.removesuffix("-") + "a" if begins.endswith("-") else begins), "generateName")
    own.name("namespace", names.label)
    judge_labels(own, "labels")
    judge_annotations(own)
    own.names("finalizers", names.qualified_name)
    owners = own.children("ownerReferences")
    for owner in owners:
        owner.require("apiVersion", "kind", "name", "uid")
    for owner in [each for each in owners if each.is_true("controller")][1:]:
        owner.refuse("the object has two controllers", "controller")
    return own.faults


def judge_labels(owner: Part, key: str) -> None:
    """Judge labels, or what selects by them."""
    for name, value in owner.child(key).value.items():
        wrong = names.qualified_name(str(name)) or (names.label_value(value) if isinstance(value, str) else "")
        owner.refuse(wrong, key, name)


def judge_annotations(own: Part) -> None:
    """Judge annotations: their keys, and their length together."""
    given = own.child("annotations").value
    for name in given:
        own.refuse(names.qualified_name(str(name).lower()), "annotations", name)
    length = sum(len(str(part).encode()) for pair in given.items() for part in pair)
    if length > _MOST_ANNOTATED:
        own.refuse(f"the annotations have {length} bytes together, {_MOST_ANNOTATED} are allowed", "annotations")


def judge_deletion_cost(own: Part) -> None:
    """Judge the annotation that tells ReplicaSets which pods to delete first."""
    cost = own.child("annotations").value.get(_DELETION_COST)
    if isinstance(cost, str):
        number = whole_number(cost)
        if number is None or str(number) != cost or not -(2**31) <= number < 2**31:
            own.refuse(f"{cost!r} is not a whole number of 32 bits", "annotations", _DELETION_COST)
