"""What-if edits: changes to manifests, each with a text that a command line takes and prints.

The manifests that are given stay as they are, and so do their objects: only those that an edit is about are replaced.

======================================== ===========================================================
``queue/b.spec.weight=5``                a field gets a value; null, or nothing, takes it out
``conf.actions="enqueue, allocate"``     the same in the scheduler's configuration
``clone-node n1=10``                     ten more nodes like n1, of its pods only those of DaemonSets
``remove job/ns/train``                  an object goes, with what it controls, and what runs on it
``scale ns/train=8``                     it gets eight pods; ``train:worker=8`` where it has several roles
``add {apiVersion: v1, kind: ...}``      one more object
======================================== ===========================================================

The namespace ``default`` may be left out. An edit of a pod or a PodGroup that controllers make is made to what they
make; all others come before these, whatever their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, assert_never

from vqs.model import kubernetes as k8s
from vqs.releases.profile import Profile
from vqs.snapshot.apiserver.admission import DENIES, as_admitted
from vqs.snapshot.apiserver.checks import judged
from vqs.snapshot.cluster.build import own_queue
from vqs.snapshot.controllers.complete import complete, with_makers
from vqs.snapshot.controllers.quotas import freed_quota
from vqs.snapshot.controllers.upkeep.applied import Applied
from vqs.snapshot.controllers.upkeep.budgets import with_allowance
from vqs.snapshot.controllers.upkeep.pods import fractions
from vqs.snapshot.controllers.upkeep.table import UPKEEP
from vqs.snapshot.reading.diagnostics import Defect, Diagnostic, InputErrors, Path, did_you_mean
from vqs.snapshot.reading.documents import EditedText, Origin
from vqs.snapshot.reading.json_text import decode
from vqs.snapshot.reading.kinds import KINDS, LISTS, group_of, key_of, name_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.plain import plain_value
from vqs.snapshot.reading.reach import most_pods_of_one
from vqs.snapshot.whatif import configuration, owners, paths, targets
from vqs.snapshot.whatif.editor import ManifestEditor
from vqs.snapshot.whatif.paths import EditError
from vqs.snapshot.whatif.targets import Target

CONF: Final = "conf"
_MOST_NODES: Final = 100_000
_DIGITS: Final = 9
_FIXED: Final = (("metadata", "name"), ("metadata", "namespace"), ("metadata", "generateName"))


# --- the edits --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetValue:
    """A field of an object gets a value; `kind` is a word such as ``queue``, or ``conf``, which has no name."""

    kind: str
    namespace: str
    name: str
    path: Path
    value: Any

    def __str__(self) -> str:
        reference = _reference(self.kind, self.namespace, self.name)
        return f"{reference}{paths.write_path(self.path)}={paths.write_value(self.value)}"


@dataclass(frozen=True, slots=True)
class CloneNode:
    """A number of nodes are added that are like one."""

    name: str
    count: int

    def __str__(self) -> str:
        return f"clone-node {self.name}={self.count}"


@dataclass(frozen=True, slots=True)
class Remove:
    """An object goes, with what it controls; of a node, what runs on it."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"remove {_reference(self.kind, self.namespace, self.name)}"


@dataclass(frozen=True, slots=True)
class Scale:
    """A job, or one role of it, gets a number of pods."""

    kind: str
    namespace: str
    name: str
    replicas: int
    role: str = ""

    def __str__(self) -> str:
        role = f":{self.role}" if self.role else ""
        return f"scale {_reference(self.kind, self.namespace, self.name)}{role}={self.replicas}"


@dataclass(frozen=True, slots=True)
class AddObject:
    """One more object, as a file would hold it."""

    value: dict[str, Any]

    def __str__(self) -> str:
        return f"add {paths.write_value(self.value)}"


Edit = SetValue | CloneNode | Remove | Scale | AddObject

_VERBS: Final = ("set", "clone-node", "remove", "scale", "add")


def _reference(kind: str, namespace: str, name: str) -> str:
    return "/".join(part for part in (kind, namespace, name) if part)


# --- reading ----------------------------------------------------------------------------------------------------------


def parse_edits(
    texts: Iterable[str],
    manifests: Manifests,
    *,
    assume_admitted: bool = False,
) -> tuple[list[Edit], Manifests]:
    """Read edits, each of what the ones before it made of some manifests. Return them, and what they make of these.

    The arguments are those of `apply`.

    Raises:
        InputErrors: some cannot be made; it holds what is wrong with each of them.
    """
    edits: list[Edit] = []
    problems: list[Diagnostic] = []
    edited = manifests
    for text in texts:
        try:
            edit = _read(text, _Stage(edited))
            edited = apply(edited, [edit], assume_admitted=assume_admitted)
            edits.append(edit)
        except EditError as error:
            problems.append(error.diagnostic(text))
        except InputErrors as errors:
            problems += errors.diagnostics
    if problems:
        raise InputErrors(problems)
    return edits, apply(manifests, edits, assume_admitted=assume_admitted)


def replaced_by(over: Manifests, manifests: Manifests, removals: Iterable[str]) -> list[str]:
    """The removals of what other manifests contain too: these are made before that is added."""
    new = {key_of(each) for list_name in LISTS for each in getattr(over, list_name)}
    return [text for text in removals if _removed_key(text, manifests) in new]


def _removed_key(text: str, manifests: Manifests) -> tuple[type, str] | None:
    """The type and name of what a removal is about; None where there is no such thing."""
    try:
        edit = _read(text, _Stage(manifests))
        target = targets.find(manifests, edit.kind, _key(edit)) if isinstance(edit, Remove) else None
    except EditError:
        return None
    if target is None:
        return None
    return target.kind.type, "/".join(filter(None, (target.namespace, target.name)))


def _read(text: str, stage: _Stage) -> Edit:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise EditError("invalid-edit", "it is not valid UTF-8") from None
    verb, _, rest = text.strip().partition(" ")
    if verb not in _VERBS:
        if rest and "=" not in verb and "/" not in verb:
            raise EditError("invalid-edit", f"{verb!r} is not an edit", did_you_mean(verb, _VERBS))
        verb, rest = "set", text
    match verb:
        case "clone-node":
            name, number = _number(rest.strip(), 0, _MOST_NODES)
            return CloneNode(targets.find(stage.given, "node", name.removeprefix("node/")).name, number)
        case "remove":
            return Remove(*_named(stage, rest.strip()))
        case "scale":
            name, number = _number(rest.strip(), 0, most_pods_of_one())
            reference, _, role = name.partition(":")
            named = reference if targets.is_kind(reference.partition("/")[0]) else f"job/{reference}"
            return Scale(*_named(stage, named), replicas=number, role=role)
        case "add":
            value = paths.read_value(rest)
            if not isinstance(value, dict):
                raise EditError("not-an-object", "expected a Kubernetes object")
            return AddObject(value)
        case _:
            return _read_assignment(rest.strip(), stage)


def _number(text: str, least: int, most: int) -> tuple[str, int]:
    """Read ``NAME=NUMBER``."""
    name, equals, number = text.rpartition("=")
    digits = number.isascii() and number.isdecimal() and len(number) <= _DIGITS
    if not equals or not digits or not least <= int(number) <= most:
        raise EditError("invalid-edit", f"expected NAME=NUMBER, the number from {least} to {most}")
    return name, int(number)


def _named(stage: _Stage, reference: str) -> tuple[str, str, str]:
    """The kind, namespace and name of what is named ``KIND/NAMESPACE/NAME``."""
    word, slash, name = reference.partition("/")
    if not slash:
        raise EditError("invalid-edit", "the kind is missing", f"write queue/{reference} for a queue")
    if word in targets.JOB_WORDS:
        target = targets.find_job(stage.given, word, name)
        return "job", target.namespace, target.name
    target = stage.find(word, name)
    return targets.word_of(target.kind), target.namespace, target.name


def _read_assignment(text: str, stage: _Stage) -> SetValue:
    word, slash, rest = text.partition("/")
    if word.startswith((f"{CONF}.", f"{CONF}[")):
        path, value = paths.read_assignment(text.removeprefix(CONF))
        return SetValue(CONF, "", "", path, value)
    if not slash or "=" in word:
        raise EditError("invalid-edit", "the field and value are missing", "write KIND/NAME.FIELD=VALUE")
    target, rest = stage.find_before(word, rest)
    path, value = paths.read_assignment(rest)
    return SetValue(targets.word_of(target.kind), target.namespace, target.name, path, value)


class _Stage:
    """Manifests, and what controllers make of them; that is found out when it is asked for."""

    def __init__(self, manifests: Manifests) -> None:
        self.given = manifests

    @cached_property
    def completed(self) -> Manifests:
        return with_makers(complete(self.given), self.given)

    def find(self, word: str, name: str) -> Target:
        try:
            return targets.find(self.given, word, name)
        except EditError:
            return targets.find(self.completed, word, name)

    def find_before(self, word: str, text: str) -> tuple[Target, str]:
        try:
            return targets.find_before(self.given, word, text)
        except EditError:
            return targets.find_before(self.completed, word, text)


# --- making them ------------------------------------------------------------------------------------------------------


def apply(
    manifests: Manifests,
    edits: Sequence[Edit],
    *,
    assume_admitted: bool = False,
) -> Manifests:
    """Manifests with edits made to them; the given ones stay as they are.

    Args:
        manifests: what is edited.
        edits: what is changed, in this order.
        assume_admitted: whether to make changes of Volcano Jobs that the webhook denies, and to note that.

    Raises:
        InputErrors: an edit cannot be made.
    """
    of_made: list[Edit] = []
    editor = ManifestEditor(manifests, assume_admitted=assume_admitted)
    for edit in edits:
        if _is_of_made(edit, editor.manifests):
            of_made.append(edit)
        else:
            _make_named(edit, editor)
    if of_made:
        completed = with_makers(complete(editor.manifests), editor.manifests)
        editor = ManifestEditor(completed, assume_admitted=assume_admitted)
        for edit in of_made:
            _make_named(edit, editor)
    if manifests.resource_quotas and editor.manifests.pods is not manifests.pods:
        kept = {pod.metadata.key for pod in editor.manifests.pods}
        gone = [pod for pod in manifests.pods if pod.metadata.uid and pod.metadata.key not in kept]
        for index, quota in enumerate(editor.objects("resource_quotas")) if gone else ():
            editor.put("resource_quotas", index, freed_quota(quota, gone))
    return editor.manifests


def _make_named(edit: Edit, editor: ManifestEditor) -> None:
    """Make an edit, and name it where it cannot be made."""
    try:
        match edit:
            case SetValue(kind="conf"):
                editor.configure(
                    configuration.with_value(editor.manifests.conf, edit.path, edit.value, editor.manifests.profile)
                )
            case SetValue():
                _set(edit, editor)
            case CloneNode():
                target = targets.find(editor.manifests, "node", edit.name)
                owners.clone_node(editor, _place(target), edit.count)
            case Remove():
                _remove(edit, editor)
            case Scale():
                _scale(edit, editor)
            case AddObject():
                _add(edit, editor)
            case _ as never:
                assert_never(never)
    except EditError as error:
        raise InputErrors([error.diagnostic(str(edit))]) from None


def _is_of_made(edit: Edit, manifests: Manifests) -> bool:
    """True if an edit is of what controllers have still to make."""
    if not isinstance(edit, SetValue | Remove) or edit.kind in (CONF, *targets.JOB_WORDS):
        return False
    try:
        targets.find(manifests, edit.kind, _key(edit))
    except EditError:
        return True
    return False


def _key(edit: SetValue | Remove | Scale) -> str:
    return f"{edit.namespace}/{edit.name}" if edit.namespace else edit.name


def _place(target: Target) -> int:
    if target.place is None:
        reason = f"the queue {target.name} is the scheduler's own and cannot be deleted"
        raise EditError("queue-deletion-denied", f"{DENIES}: {reason}")
    return target.place


def _set(edit: SetValue, editor: ManifestEditor) -> None:
    if edit.path in _FIXED:
        raise EditError("invalid-edit", f"{edit.path[-1]} identifies the object and cannot be changed")
    target = targets.find(editor.manifests, edit.kind, _key(edit))
    list_name = target.kind.list_name
    old: Any = own_queue(target.name) if target.place is None else editor.objects(list_name)[target.place]
    plain = plain_value(old)
    numbered = paths.set_field(plain, type(old), edit.path, edit.value)
    changed: Any
    changed, errors = decode(plain, type(old))
    if errors or changed is None:
        error = errors[0]
        raise EditError("wrong-type", f"{paths.write_path(error.path)}: {error.message}", error.hint)
    as_admitted(changed)
    known = set(_judged(old, editor.manifests.profile))
    for defect in _judged(changed, editor.manifests.profile):
        if defect not in known or defect.path[: len(numbered)] == numbered:
            raise EditError(defect.code, f"{paths.write_path(defect.path)}: {defect.message}", defect.hint)
    if isinstance(changed, k8s.PodDisruptionBudget):
        changed = with_allowance(old, changed)
    if target.place is None:
        editor.add(list_name, changed, Origin(EditedText(str(edit), str(edit))))
    elif list_name == "volcano_jobs":
        owners.refuse_denied(editor, old, changed)
        _put_volcano_job(editor, target.place, changed)
    else:
        editor.put(list_name, target.place, changed)
        if list_name in owners.SCALED:
            owners.scale_as_said(editor, list_name, target.place, old)


def _put_volcano_job(editor: ManifestEditor, index: int, changed: k8s.VolcanoJob) -> None:
    """Put a Volcano Job in the place of what it was, and change what it controls."""
    old = editor.objects("volcano_jobs")[index]
    editor.put("volcano_jobs", index, changed)
    owners.propagate(editor, index, old)


def _judged(typed: Any, profile: Profile) -> Iterator[Defect]:
    yield from judged(typed, profile)
    yield from fractions(typed)


def _remove(edit: Remove, editor: ManifestEditor) -> None:
    if edit.kind in targets.JOB_WORDS:
        target = targets.find_job(editor.manifests, edit.kind, _key(edit))
        if target.kind.type is k8s.PodGroup:
            owners.remove_group(editor, _place(target))
            return
    else:
        target = targets.find(editor.manifests, edit.kind, _key(edit))
    owners.remove_with_dependents(editor, target.kind.list_name, [_place(target)])


def _scale(edit: Scale, editor: ManifestEditor) -> None:
    if edit.kind in targets.JOB_WORDS:
        target = targets.find_job(editor.manifests, edit.kind, _key(edit))
    else:
        target = targets.find(editor.manifests, edit.kind, _key(edit))
    index, list_name = _place(target), target.kind.list_name
    if list_name == "volcano_jobs":
        old = editor.objects(list_name)[index]
        changed = owners.scale_volcano_job(editor, index, edit.role, edit.replicas)
        known = set(_judged(old, editor.manifests.profile))
        for defect in _judged(changed, editor.manifests.profile):
            if defect not in known:
                raise EditError(defect.code, defect.message, defect.hint)
        _put_volcano_job(editor, index, changed)
    elif list_name == "pod_groups":
        owners.scale_group(editor, editor.objects(list_name)[index], edit.role, edit.replicas)
    elif list_name in ("workloads", "deployments", "jobs"):
        owners.scale_workload(editor, list_name, index, edit.replicas)
    else:
        raise EditError("invalid-edit", f"a {edit.kind} cannot be scaled: it has no pods")


def _add(edit: AddObject, editor: ManifestEditor) -> None:
    api_version, name = edit.value.get("apiVersion"), edit.value.get("kind")
    kind = KINDS.get((group_of(api_version), name)) if isinstance(api_version, str) and isinstance(name, str) else None
    if kind is None:
        raise EditError("unknown-kind", f"objects of kind {name} in {api_version} are not used")
    typed, errors = decode(edit.value, kind.type)
    if errors or typed is None:
        raise EditError("wrong-type", f"{paths.write_path(errors[0].path)}: {errors[0].message}", errors[0].hint)
    as_admitted(typed)
    for defect in _judged(typed, editor.manifests.profile):
        raise EditError(defect.code, f"{paths.write_path(defect.path)}: {defect.message}", defect.hint)
    if kind.namespaced and not typed.metadata.namespace:
        typed.metadata.namespace = "default"
    if any(key_of(each) == key_of(typed) for each in editor.objects(kind.list_name)):
        raise EditError("duplicate-object", f"there is a {kind.name} {name_of(typed)} already")
    origin = Origin(EditedText(str(edit), str(edit)))
    editor.add(kind.list_name, typed, origin)
    works_out = UPKEEP[kind.type].works_out
    if works_out is not None:
        over = ManifestEditor(Manifests())
        over.add(kind.list_name, typed, origin)
        under = replace(editor.manifests, **{kind.list_name: []})  # type: ignore[arg-type]
        works_out(Applied(editor, under, over.manifests))
