"""Amounts as one would write them in a manifest."""

from __future__ import annotations

from vqs.model.resource import MEMORY


def written(name: str, shown: float | None) -> str:
    """Write an amount of a resource that is in the user's unit: cores, bytes, counts.

    >>> written("cpu", 1.5), written("memory", 2.0**34), written("pods", None)
    ('1.5', '16Gi', 'unlimited')
    """
    if shown is None:
        return "unlimited"
    if name == MEMORY:
        return _binary(shown)
    return f"{shown:.3f}".rstrip("0").rstrip(".")


def _binary(amount_in_bytes: float) -> str:
    for unit, size in (("Ti", 2**40), ("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
        if abs(amount_in_bytes) >= size:
            return f"{amount_in_bytes / size:.2f}".rstrip("0").rstrip(".") + unit
    return f"{amount_in_bytes:.0f}"
