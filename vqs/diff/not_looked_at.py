"""What a change does that is not in a comparison, as nobody looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vqs.snapshot.diagnostics import Diagnostic
from vqs.snapshot.passed_over import HIDDEN_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vqs.snapshot.manifests import Manifests
    from vqs.snapshot.passed_over import PassedOver

_NAMED: Final = 3

_Named = tuple[str, "PassedOver"]


def not_looked_at(before: Manifests, after: Manifests) -> Iterator[Diagnostic]:
    """Yield warnings of what a change adds, changes or deletes that is not looked at: what that does is not known."""
    old, new = before.passed_over, after.passed_over
    for change, keys, side in (
        ("new", new.keys() - old.keys(), new),
        ("changed", {key for key in new.keys() & old.keys() if new[key].digest != old[key].digest}, new),
        ("gone", old.keys() - new.keys(), old),
    ):
        of_kind: dict[str, list[_Named]] = {}
        for kind, name in sorted(keys):
            of_kind.setdefault(kind, []).append((name, side[kind, name]))
        for kind, things in of_kind.items():
            yield _warning(kind, change, things)


def _warning(kind: str, change: str, things: Sequence[_Named]) -> Diagnostic:
    """Return the warning of all things of a kind that are changed in the same way, at the place of the first."""
    names = ", ".join(name for name, _ in things[:_NAMED])
    more = f" and {len(things) - _NAMED:,} more" if len(things) > _NAMED else ""
    counted = f"{len(things):,} {kind}{'s' if kind == HIDDEN_FILE and len(things) > 1 else ''}"
    message = (
        f"not looked at: {counted}, {change}: {names}{more}; what that does to the cluster is not in this comparison"
    )
    first = things[0][1]
    if first.origin is not None:
        return first.origin.diagnostic("ignored-kinds", message, severity="warning")
    return Diagnostic(code="hidden-file", severity="warning", message=message, file=first.file)
