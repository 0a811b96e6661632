"""The resources that the page knows, and how it writes amounts of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from vqs.explain.outcome import Amounts
from vqs.model.resource import is_in_bytes
from vqs.report.visible import visible

_FIRST: Final = ("cpu", "memory")
_PODS: Final = "pods"


def resource_list(amounts: Iterable[Amounts]) -> list[dict[str, Any]]:
    """Return the resources that there are any amounts of: cpu and memory first, the number of pods last."""
    names = {name for each in amounts for name, value in each.items() if value != 0}
    return [
        {"name": visible(name), "bytes": is_in_bytes(name)}
        for name in sorted(names, key=lambda name: (name == _PODS, name not in _FIRST, name))
    ]
