"""What a List says of its items: client-go writes those of a typed one, such as a PodList, without their kind."""

from collections.abc import Mapping
from typing import Any, Final

_SUFFIX: Final = "List"


def is_list(value: Mapping[str, Any]) -> bool:
    """Tell a List from other objects by its kind."""
    return str(value.get("kind")).endswith(_SUFFIX)


def type_of_items(head: Mapping[str, Any]) -> dict[str, Any]:
    """Return the kind and apiVersion of items that name none; nothing for a List of anything."""
    kind = str(head.get("kind")).removesuffix(_SUFFIX)
    return {"apiVersion": head.get("apiVersion"), "kind": kind} if kind else {}


def typed_item(item: Any, usual: Mapping[str, Any]) -> Any:
    """Return an item of a List with its kind and apiVersion."""
    if not usual or not isinstance(item, dict) or ("kind" in item and "apiVersion" in item):
        return item
    return {**usual, **item}
