"""What a List is to ``kubectl``, and what it says of its items.

Client-go writes the items of a typed one, such as a PodList, without their kind.
"""

from collections.abc import Mapping
from typing import Any, Final

_SUFFIX: Final = "List"


def is_list(value: Mapping[str, Any]) -> bool:
    """True if an object is a List: it has items, whatever its kind is; an empty one may leave them out."""
    kind = value.get("kind")
    return str(kind).endswith(_SUFFIX) or ("items" in value and bool(kind) and isinstance(value["items"], list))


def type_of_items(head: Mapping[str, Any]) -> dict[str, Any]:
    """The kind and apiVersion of items that name none; nothing for a List of anything."""
    kind = str(head.get("kind")).removesuffix(_SUFFIX)
    return {"apiVersion": head.get("apiVersion"), "kind": kind} if kind else {}


def typed_item(item: Any, usual: Mapping[str, Any]) -> Any:
    """An item of a List with its kind and apiVersion."""
    if not usual or not isinstance(item, dict) or ("kind" in item and "apiVersion" in item):
        return item
    return {**usual, **item}
