"""Objects that a change puts where vqs reads them, and kubectl apply does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Final

from vqs.diff.run import Input
from vqs.model.kubernetes import Node
from vqs.model.wording import and_more
from vqs.snapshot.reading.compression import without_suffix
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import KIND_OF, LISTS, key_of, name_of
from vqs.snapshot.scenario.generated import GeneratedDocument
from vqs.snapshot.whatif.passed_over import APPLIED

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
