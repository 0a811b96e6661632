"""What the API server takes of manifests that are applied, and what it deletes that they name no longer.

It does not take what it and controllers write themselves. What is there already is updated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.admission import assumed
from vqs.snapshot.controllers.upkeep.admission import NAMESPACE_MISSING, admitted
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.kinds import KIND_OF, LISTS, key_of, name_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.scenario.generated import GeneratedDocument
from vqs.snapshot.whatif.editor import ManifestEditor
from vqs.snapshot.whatif.edits import Remove
from vqs.snapshot.whatif.overlay import denied, is_another, keys, overlay, updates
from vqs.snapshot.whatif.owners import remove_namespaces, remove_with_dependents
from vqs.snapshot.whatif.targets import word_of
from vqs.snapshot.whatif.updates import update_refusal, with_stored_fields


def added(under: Manifests, over: Manifests, *, assume_admitted: bool = False) -> Manifests:
    """Some manifests with others applied to them, and notes of what is there already and changes.

    Raises:
        InputErrors: the API server or the webhook for Jobs denies it, or it adds a node or a configuration again.
    """
    found = [*_repeated(under, over)]
    refused = [] if found else [*denied(under, over, all_stored=True), *update_denials(under, under, over, None)]
    if found or (refused and not assume_admitted):
        raise InputErrors(found + refused)
    comes = admitted(over, under, under, Manifests())
    if comes.without_namespace:
        raise InputErrors(structs.replace(each, severity="error") for each in comes.without_namespace)
    said = {each.message.partition(": ")[2] if each.code == NAMESPACE_MISSING else each: each for each in comes.notes}
    notes = [*under.notes, *over.notes, *said.values(), *updates(under, over), *map(assumed, refused)]
    applied = replace(comes.manifests, refused_pods=comes.refused_pods, notes=[])
    together = overlay(under, applied)
    return replace(together, notes=list(dict.fromkeys([*notes, *together.notes])))


def _repeated(under: Manifests, over: Manifests) -> Iterator[Diagnostic]:
    """Yield an error for each node, part of a scenario, and configuration of a file of its own that is there."""
    known = {key_of(each) for list_name in LISTS if getattr(over, list_name) for each in getattr(under, list_name)}
    for list_name in LISTS:
        for new, origin in over.with_origins(list_name):
            is_made = isinstance(new, k8s.Node) or isinstance(origin.document, GeneratedDocument)
            if is_made and key_of(new) in known:
                yield origin.diagnostic("duplicate-object", f"there is a {type(new).__name__} {name_of(new)} already")
    if over.conf is not None and under.conf is not None and not over.conf.owner:
        message = "there is a scheduler configuration already"
        yield Diagnostic(code="duplicate-object", severity="error", message=message, file=over.conf.name)


def as_applied(over: Manifests, under: Manifests) -> Manifests:
    """Manifests without what the API server ignores when they are applied to what is there.

    An apply leaves status, uid and timestamps alone, so those of a stored object stay, and a new one has none. Two
    things that are new keep theirs: a node, as nothing else could say how large it is, and what a scenario stands for.
    Nor do manifests tell what time it is.
    """
    stored = set(keys(under))
    lists: dict[str, Any] = {
        list_name: [
            each
            if isinstance(origin.document, GeneratedDocument) and key_of(each) not in stored
            else _as_written(each, is_stored=key_of(each) in stored)
            for each, origin in objects
        ]
        for list_name in LISTS
        if (objects := over.with_origins(list_name))
    }
    return replace(over, **lists, newest_timestamp=None if under.newest_timestamp else over.newest_timestamp)


def _as_written(typed: Any, *, is_stored: bool) -> Any:
    """An object without what only the API server and controllers write."""
    metadata = structs.replace(
        typed.metadata, uid="", creation_timestamp=None, deletion_timestamp=None, deletion_grace_period_seconds=None
    )
    status = getattr(typed, "status", None)
    if status is None or (isinstance(typed, k8s.Node) and not is_stored):
        return structs.replace(typed, metadata=metadata)
    return structs.replace(typed, metadata=metadata, status=type(status)())


def merged_with(under: Manifests, over: Manifests, before: Manifests) -> Manifests:
    """Manifests that are applied with what they leave to the cluster of what cannot be changed in it.

    What they said before, and say no longer, they do not leave to it.
    """
    stored, was = _by_key(under), _by_key(before)
    lists: dict[str, Any] = {
        list_name: [
            with_stored_fields(each, stored[key_of(each)], was.get(key_of(each))) if key_of(each) in stored else each
            for each in objects
        ]
        for list_name in LISTS
        if (objects := getattr(over, list_name))
    }
    return replace(over, **lists)


def update_denials(
    under: Manifests, base: Manifests, over: Manifests, before: Manifests | None
) -> Iterator[Diagnostic]:
    """Yield why the API server refuses how manifests update what is in the cluster, each with its place.

    What a scenario stands for is in no cluster, and an object with another uid, or made at another time, is another
    object.

    Args:
        under: what is in the cluster.
        base: the same as it is before the change.
        over: what the change says of it.
        before: what the same files said before.
    """
    named, stored, was = _by_key(under, of_scenarios=False), _by_key(base), _by_key(before) if before else {}
    known = {key: stored[key] for key in named if key in stored}
    for list_name in LISTS:
        for new, origin in over.with_origins(list_name):
            old = known.get(key_of(new))
            if old is None or is_another(new, old):
                continue
            refusal = update_refusal(old, new, was.get(key_of(new)))
            if refusal is not None:
                yield origin.diagnostic(refusal.code, refusal.message, refusal.path)


def _by_key(manifests: Manifests, *, of_scenarios: bool = True) -> dict[tuple[type, str], Any]:
    return {
        key_of(each): each
        for list_name in LISTS
        for each, origin in manifests.with_origins(list_name)
        if of_scenarios or not isinstance(origin.document, GeneratedDocument)
    }


def delete(manifests: Manifests, before: Manifests, after: Manifests) -> tuple[Manifests, list[Remove]]:
    """Manifests without what `before` names and `after` does not, and the edits that this comes to.

    What an object controls goes with it, and so does the configuration of the scheduler.
    """
    editor = ManifestEditor(manifests)
    made = []
    for list_name in LISTS:
        named, kept = ({key_of(each) for each in getattr(side, list_name)} for side in (before, after))
        gone = named - kept
        indexes = [*editor.indexes(list_name, lambda each, gone=gone: key_of(each) in gone)] if gone else []  # type: ignore[misc]
        made += [_removal(editor.objects(list_name)[index]) for index in indexes]
        remove_with_dependents(editor, list_name, indexes)
    spaces = ({each.metadata.name for each in side.namespaces} for side in (before, after))
    remove_namespaces(editor, next(spaces) - next(spaces))
    if before.conf is not None and after.conf is None:
        editor.drop_configuration()
    return editor.manifests, made


def _removal(typed: Any) -> Remove:
    kind = KIND_OF[type(typed)]
    return Remove(word_of(kind), typed.metadata.namespace if kind.namespaced else "", typed.metadata.name)
