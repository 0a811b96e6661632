"""What a cluster holds has passed its webhooks and its API server: no check of creation applies to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HAS_A_STATUS_BY_HAND = "Node"
"""A kind that is written by hand with a status too, as what matters of it stands there."""


def is_stored(value: Mapping[str, Any]) -> bool:
    """Tell whether an object, as it is written, is from a cluster; an empty status is in what tools generate.

    >>> is_stored({"metadata": {"name": "a", "uid": "1"}}), is_stored({"metadata": {"name": "a"}, "status": {}})
    (True, False)
    """
    metadata = value.get("metadata")
    given = isinstance(metadata, dict) and bool(metadata.get("uid") or metadata.get("resourceVersion"))
    return given or bool(value.get("status") and value.get("kind") != _HAS_A_STATUS_BY_HAND)
