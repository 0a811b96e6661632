"""Changes that a comparison leaves out, as vqs does not look at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vqs.diff.outcome import NotRead
from vqs.diff.run import Input
from vqs.model.wording import first_names
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.kinds import key_of, name_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.overlay import TEMPLATE_CHANGED, asks_of
from vqs.snapshot.whatif.owners import SCALED
from vqs.snapshot.whatif.passed_over import HIDDEN_FILE, Key, PassedOver, Report, Touch

_Named = tuple[str, "PassedOver"]


class NotLookedAt(NamedTuple):
    """A warning of what a change adds, changes or deletes, and whether it could change what becomes of jobs."""

    warning: Diagnostic
    touches: bool


def not_looked_at(before: Manifests, after: Manifests) -> Iterator[NotLookedAt]:
    """Yield what a change adds, changes or deletes that is not looked at: what that does is not known."""
    old, new = (_reported(side, Report.FINDING) for side in (before, after))
    for change, keys, side in (
        ("new", new.keys() - old.keys(), new),
        ("changed", {key for key in new.keys() & old.keys() if new[key].digest != old[key].digest}, new),
        ("gone", old.keys() - new.keys(), old),
    ):
        of_kind: dict[str, list[_Named]] = {}
        for kind, name in sorted(keys):
            of_kind.setdefault(kind, []).append((name, side[kind, name]))
        for kind, things in of_kind.items():
            harmless = {Touch.NEVER, *([Touch.IF_TAKEN_AWAY] if change == "new" else [])}
            sides = [each[kind, name] for name, _ in things for each in (old, new) if (kind, name) in each]
            touches = any(each.touch not in harmless for each in sides)
            yield NotLookedAt(_warning(kind, change, things), touches)


def not_read(before: Manifests, after: Manifests) -> list[NotRead]:
    """Return what a change adds, changes or deletes that is not read, and that is not taken to decide on scheduling."""
    (old, new), (old_fields, new_fields) = (
        [_reported(side, report) for side in (before, after)] for report in (Report.COUNT, Report.COUNT_IF_CHANGED)
    )
    changed = [key for key in old.keys() & new.keys() if old[key].digest != new[key].digest]
    changed += [
        key for key in old_fields.keys() & new_fields.keys() if old_fields[key].digest != new_fields[key].digest
    ]
    counts = [Counter(kind for kind, _ in keys) for keys in (new.keys() - old.keys(), changed, old.keys() - new.keys())]
    return [
        NotRead(kind=kind, new=counts[0][kind], changed=counts[1][kind], gone=counts[2][kind])
        for kind in sorted({kind for count in counts for kind in count})
    ]


def _reported(side: Manifests, report: Report) -> dict[Key, PassedOver]:
    return {key: each for key, each in side.passed_over.items() if each.report is report}


def changed_templates(before: Input, after: Input) -> Iterator[Diagnostic]:
    """Yield a warning for each pod template that a change changes, where the base has another one than the cluster.

    What differs from the cluster alone is told of both sides, and is no difference between them.
    """
    for list_name in SCALED:
        old = {key_of(each): each for each in getattr(before.manifests, list_name)}
        for each, origin in after.manifests.with_origins(list_name):
            if key_of(each) not in before.manifests.other_templates or key_of(each) not in after.proposed:
                continue
            if asks_of(each.spec.template) != asks_of(old[key_of(each)].spec.template):
                what = f"{type(each).__name__} {name_of(each)}"
                message = f"{what} has another pod template than the base, and its pods stay as they are here"
                yield origin.diagnostic(TEMPLATE_CHANGED, message, ("spec", "template"), severity="warning")


def _warning(kind: str, change: str, things: Sequence[_Named]) -> Diagnostic:
    """Return the warning of all things of a kind that are changed in the same way, at the place of the first."""
    names = first_names([name for name, _ in things])
    counted = f"{len(things):,} {kind}{'s' if kind == HIDDEN_FILE and len(things) > 1 else ''}"
    message = f"not looked at: {counted}, {change}: {names}; what that does to the cluster is not in this comparison"
    first = things[0][1]
    if first.origin is not None:
        return first.origin.diagnostic("ignored-kinds", message, severity="warning")
    return Diagnostic(code="hidden-file", severity="warning", message=message, file=first.file)
