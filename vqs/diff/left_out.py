"""What a change brings that the comparison leaves out, or assumes.

vqs does not look at some of it, and kubectl does not apply some of it. Where the outcome hangs on what is not known, a
condition on what becomes of the cluster holds, as what must not be may be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final, NamedTuple

from vqs.diff.outcome import NotRead
from vqs.diff.run import Input, Run
from vqs.engine.plugins.queue_account import PANIC
from vqs.model.kubernetes import Node
from vqs.model.wording import and_more, first_names
from vqs.snapshot.reading.compression import without_suffix
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import KIND_OF, LISTS, key_of, name_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.others import NOT_RENDERED
from vqs.snapshot.scenario.generated import GeneratedDocument
from vqs.snapshot.whatif.overlay import TEMPLATE_CHANGED, asks_of
from vqs.snapshot.whatif.owners import SCALED
from vqs.snapshot.whatif.passed_over import APPLIED, HIDDEN_FILE, Key, PassedOver, Report, Touch

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
    first = things[0][1]
    counted = f"{len(things):,} {kind}{'s' if first.origin is None and len(things) > 1 else ''}"
    message = f"not looked at: {counted}, {change}: {names}; what that does to the cluster is not in this comparison"
    if first.origin is not None:
        return first.origin.diagnostic("ignored-kinds", message, severity="warning")
    code = "hidden-file" if kind == HIDDEN_FILE else NOT_RENDERED
    return Diagnostic(code=code, severity="warning", message=message, file=first.file)


_OF_A_SCENARIO: Final = "it is part of a scenario"
_INCLUDED: Final = "it is in a file that a scenario includes"
_PACKED: Final = "its file is packed"
_OTHERWISE_NAMED: Final = f"its file's name does not end in {', '.join(APPLIED)}"
_BELOW: Final = "its file is in a folder below the one that is named, which takes the option -R"


def unapplied(before: Input, after: Input) -> Iterator[Diagnostic]:
    """Yield a warning for each reason for which kubectl does not apply objects of a change in git.

    Some apply their manifests with -R, or unpack them: what the base has in such a place as well is fine.
    """
    yield from after.manifests.not_applied
    if not before.revision:
        return
    yield from _unknown_nodes(before, after)
    was = {key: _reason(origin) for key, _, origin in _own(before)}
    found: dict[str, list[tuple[str, Origin]]] = {}
    for key, name, origin in _own(after):
        reason = _reason(origin)
        is_usual = was[key] == reason if key in was else reason in was.values()
        if reason and not is_usual:
            found.setdefault(reason, []).append((name, origin))
    for reason, objects in found.items():
        name, origin = objects[0]
        message = f"kubectl apply does not read {name}{and_more(len(objects) - 1)}: {reason}"
        yield origin.diagnostic("not-applied", message, severity="warning")


def _unknown_nodes(before: Input, after: Input) -> Iterator[Diagnostic]:
    """Yield a warning for each node that a change brings, where a snapshot tells which nodes there are."""
    known = {key_of(node) for node in before.manifests.nodes}
    if known <= before.proposed:
        return
    for key, name, origin in _own(after):
        if key[0] is Node and key not in known:
            message = f"{name} is not in the snapshot: kubectl apply adds no machine, and its real size is unknown"
            yield origin.diagnostic("not-applied", message, severity="warning")


def _own(side: Input) -> Iterator[tuple[tuple[type, str], str, Origin]]:
    """Yield the keys, names and origins of the objects that a side's own files have."""
    for list_name in LISTS:
        for each, origin in side.manifests.with_origins(list_name):
            key = key_of(each)
            if key in side.proposed:
                yield key, f"{KIND_OF[type(each)].name} {name_of(each)}", origin


def _reason(origin: Origin) -> str:
    """Say why kubectl does not apply an object; an empty text where it does."""
    source = origin.document.source
    if isinstance(origin.document, GeneratedDocument) or origin.path[:1] == ("manifests",):
        return _OF_A_SCENARIO
    if source.inner is None:
        return _INCLUDED
    if without_suffix(source.inner) != source.inner:
        return _PACKED
    if source.inner and not source.inner.endswith(APPLIED):
        return _OTHERWISE_NAMED
    return _BELOW if len(PurePath(source.inner).parts) > 1 else ""


_PANICS: Final = (PANIC, "tdm-panic")


def unknowns(run: Run) -> Iterator[str]:
    """Yield what a side hangs on and is not known."""
    for session in run.sessions:
        yield from (f"action {name}" for name in session.conf.left_out)
        for notice in session.notices:
            if notice.code in _PANICS:
                yield "what becomes of the cluster after a panic of the scheduler"
            yield from notice.unknown
