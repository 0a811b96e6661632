"""What a change deletes: the objects that its files named before, and name no longer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vqs.snapshot.reading.kinds import KIND_OF, LISTS, key_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.editor import ManifestEditor
from vqs.snapshot.whatif.edits import Remove
from vqs.snapshot.whatif.owners import remove_namespaces, remove_with_dependents
from vqs.snapshot.whatif.targets import word_of


def delete(manifests: Manifests, before: Manifests, after: Manifests) -> tuple[Manifests, list[Remove]]:
    """Return manifests without what `before` names and `after` does not, and the edits that this comes to.

    What an object controls goes with it, and so does the configuration of the scheduler.
    """
    editor = ManifestEditor(manifests)
    made = []
    for list_name in LISTS:
        named, kept = (_keys(getattr(side, list_name)) for side in (before, after))
        gone = named - kept
        indexes = [*editor.indexes(list_name, lambda each, gone=gone: key_of(each) in gone)] if gone else []  # type: ignore[misc]
        made += [_removal(editor.objects(list_name)[index]) for index in indexes]
        remove_with_dependents(editor, list_name, indexes)
    spaces = ({each.metadata.name for each in side.namespaces} for side in (before, after))
    remove_namespaces(editor, next(spaces) - next(spaces))
    if before.conf is not None and after.conf is None:
        editor.drop_configuration()
    return editor.manifests, made


def _keys(objects: Iterable[Any]) -> set[tuple[type, str]]:
    return {key_of(each) for each in objects}


def _removal(typed: Any) -> Remove:
    kind = KIND_OF[type(typed)]
    return Remove(word_of(kind), typed.metadata.namespace if kind.namespaced else "", typed.metadata.name)
