"""What the API server takes of manifests that are applied, and what it deletes that they name no longer.

It does not take what it and controllers write themselves. What is there already is updated, and some fields cannot be
changed. A change is merged in the way of ``kubectl apply``: what the files had before, and have no longer, is removed,
and what they never had is left to its owner.
References: ``ValidatePodUpdate`` and its like in pkg/apis/core/validation, and those of apps, batch, scheduling and
storage, in kubernetes/kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.model.keys import DEFAULT_SCHEDULER
from vqs.model.quantity import QuantityError, parse
from vqs.snapshot.apiserver.admission import REFUSED, assumed
from vqs.snapshot.controllers.upkeep.admission import NAMESPACE_MISSING, admitted
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Path, path_text
from vqs.snapshot.reading.kinds import KIND_OF, LISTS, key_of, name_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.plain import first_difference, plain_value
from vqs.snapshot.scenario.generated import GeneratedDocument
from vqs.snapshot.whatif.editor import ManifestEditor
from vqs.snapshot.whatif.edits import Remove
from vqs.snapshot.whatif.overlay import denied, is_another, keys, overlay, updates
from vqs.snapshot.whatif.owners import remove_namespaces, remove_with_dependents
from vqs.snapshot.whatif.targets import word_of


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
            said = was.get(key_of(new))
            path = _pod_path(old, new, said) if isinstance(new, k8s.Pod) else _fixed_path(old, new, said)
            if path is not None:
                field = path_text(path).removeprefix("$.")
                reason = f"{field} of {type(new).__name__} {name_of(new)} cannot be changed after creation"
                yield origin.diagnostic(UPDATE_DENIED, f"{REFUSED}: {reason}", path)


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
        for index in indexes:
            typed = editor.objects(list_name)[index]
            kind, metadata = KIND_OF[type(typed)], typed.metadata
            made.append(Remove(word_of(kind), metadata.namespace if kind.namespaced else "", metadata.name))
        remove_with_dependents(editor, list_name, indexes)
    spaces = ({each.metadata.name for each in side.namespaces} for side in (before, after))
    remove_namespaces(editor, next(spaces) - next(spaces))
    if before.conf is not None and after.conf is None:
        editor.drop_configuration()
    return editor.manifests, made


# --- updates ----------------------------------------------------------------------------------------------------------

UPDATE_DENIED: Final = "update-denied"
_CONTAINERS: Final = ("containers", "initContainers")
_VOLUME_MODE: Final = "Filesystem"
_BOUND: Final = "Bound"
_PROTOCOL: Final = "TCP"


class _Fixed(NamedTuple):
    """The fields of a kind that stay as they were when an object was created."""

    of_object: tuple[str, ...] = ()
    of_spec: tuple[str, ...] = ()


_FIXED: Final[dict[type, _Fixed]] = {
    k8s.PriorityClass: _Fixed(of_object=("value", "preemptionPolicy")),
    k8s.StorageClass: _Fixed(of_object=("provisioner", "parameters", "volumeBindingMode")),
    k8s.ReplicaSet: _Fixed(of_spec=("selector",)),
    k8s.Deployment: _Fixed(of_spec=("selector",)),
    k8s.StatefulSet: _Fixed(of_spec=("selector", "podManagementPolicy", "volumeClaimTemplates")),
    k8s.PersistentVolume: _Fixed(of_spec=("csi", "volumeMode", "nodeAffinity")),
    k8s.PersistentVolumeClaim: _Fixed(
        of_spec=("accessModes", "selector", "resources", "volumeName", "storageClassName", "volumeMode")
    ),
}

_DEFAULTS: Final[dict[type, tuple[Path, str]]] = {
    k8s.PriorityClass: (("preemptionPolicy",), "PreemptLowerPriority"),
    k8s.StorageClass: (("volumeBindingMode",), "Immediate"),
    k8s.StatefulSet: (("spec", "podManagementPolicy"), "OrderedReady"),
    k8s.PersistentVolume: (("spec", "volumeMode"), _VOLUME_MODE),
    k8s.PersistentVolumeClaim: (("spec", "volumeMode"), _VOLUME_MODE),
}
"""What the API server writes where a fixed field is left out."""

_SET_LATER: Final[dict[type, tuple[Path, ...]]] = {
    k8s.PersistentVolume: (("spec", "nodeAffinity"),),
    k8s.PersistentVolumeClaim: (("spec", "storageClassName"), ("spec", "volumeName")),
}
"""Fields that are fixed once they are set."""

_SIZE: Final = ("spec", "resources", "requests", "storage")
_FINAL_LABELS: Final = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
}
"""What labels of nodes are called since they are no longer in beta; a volume may follow."""


def merged(stored: Any, written: Any, before: Any = None) -> Any:
    """What becomes of a stored object, or a part of one, that is written again.

    Args:
        stored: what is there.
        written: what the files say now.
        before: what they said before, if they spoke of it.
    """
    plain = _merge(plain_value(stored), plain_value(written), {} if before is None else plain_value(before))
    return msgspec.convert(plain, type(stored), strict=False)


def with_stored_fields(new: Any, old: Any, before: Any) -> Any:
    """An object of a change with those fixed fields that it does not write as they are stored."""
    if isinstance(new, k8s.Pod):
        return structs.replace(new, spec=merged(old.spec, new.spec, before.spec if before is not None else None))
    if isinstance(new, k8s.Job):
        return structs.replace(new, spec=structs.replace(new.spec, template=_template(old, new, before)))
    fixed = _FIXED.get(type(new))
    if fixed is None:
        return new
    new = _filled(new, old, before, fixed.of_object)
    if fixed.of_spec:
        spec = _filled(new.spec, old.spec, before.spec if before is not None else None, fixed.of_spec)
        new = structs.replace(new, spec=spec)
    return new


# --- fields that stay -------------------------------------------------------------------------------------------------


def _fixed_path(old: Any, new: Any, before: Any) -> Path | None:
    if isinstance(new, k8s.Job):
        whole = plain_value(_template(old, new, before).spec)
        was = _as_stored(plain_value(old.spec.template.spec))
        path = None if old.spec.suspend else first_difference(was, _as_stored(whole))
        return (
            None
            if path is None
            else ("spec", "template", "spec", *_in_file(path, whole, plain_value(new.spec.template.spec)))
        )
    fixed = _FIXED.get(type(new), _Fixed())
    was, is_now = _defaulted(old), _defaulted(with_stored_fields(new, old, before))
    paths: Iterator[Path] = chain(((each,) for each in fixed.of_object), (("spec", each) for each in fixed.of_spec))
    return next((found for path in paths if (found := _changed(path, old, was, is_now)) is not None), None)


def _defaulted(typed: Any) -> Any:
    """An object as plain values, with what the API server writes where it is left out."""
    plain = plain_value(typed)
    if type(typed) in _DEFAULTS:
        path, value = _DEFAULTS[type(typed)]
        parent = plain.setdefault(path[0], {}) if len(path) > 1 else plain
        parent.setdefault(path[-1], value)
    for each in _at(plain, ("spec", "volumeClaimTemplates")) or ():
        each.setdefault("spec", {}).setdefault("volumeMode", _VOLUME_MODE)
    return plain


def _changed(path: Path, old: Any, was: Any, is_now: Any) -> Path | None:
    """The path of what changes of a fixed field, if the API server minds."""
    before, after = _at(was, path), _at(is_now, path)
    if path in _SET_LATER.get(type(old), ()) and not before:
        return None
    if isinstance(old, k8s.PersistentVolume) and first_difference(_with_final_labels(before), after) is None:
        return None
    if isinstance(old, k8s.PersistentVolumeClaim) and path == _SIZE[:2] and _may_grow(old, after):
        after = {**after, "requests": {**after["requests"], _SIZE[-1]: _at(was, _SIZE)}}
    found = first_difference(before, after)
    return None if found is None else (*path, *found)


def _may_grow(claim: k8s.PersistentVolumeClaim, resources: dict[str, Any]) -> bool:
    """True if a claim may ask for so much: for more once it has its volume, for less where that did not grow."""
    sizes = (
        resources.get("requests", {}).get(_SIZE[-1]),
        claim.spec.resources.requests.get(_SIZE[-1]),
        claim.status.capacity.get(_SIZE[-1]),
    )
    try:
        wanted, stored, given = (None if each is None else parse(each) for each in sizes)
    except QuantityError:
        return False
    if claim.status.phase != _BOUND or wanted is None or stored is None:
        return False
    return wanted >= stored or (given is not None and wanted > given)


def _with_final_labels(plain: Any) -> Any:
    """A node affinity with the labels that nodes have today."""
    if isinstance(plain, dict):
        return {
            key: _FINAL_LABELS.get(each, each) if key == "key" else _with_final_labels(each)
            for key, each in plain.items()
        }
    return [_with_final_labels(each) for each in plain] if isinstance(plain, list) else plain


def _template(old: k8s.Job, new: k8s.Job, before: k8s.Job | None) -> k8s.PodTemplateSpec:
    was = before.spec.template.spec if before is not None else None
    return structs.replace(new.spec.template, spec=merged(old.spec.template.spec, new.spec.template.spec, was))


def _at(plain: Any, path: Path) -> Any:
    for step in path:
        plain = plain.get(step, {})
    return plain


def _filled(new: Any, old: Any, before: Any, names: tuple[str, ...]) -> Any:
    """A part of an object with what it leaves out of some fields, but for numbers, which are always written."""
    kept = {}
    for field in structs.fields(type(new)):
        value = getattr(new, field.name)
        had = before is not None and not _is_empty(getattr(before, field.name))
        if field.encode_name in names and _is_empty(value) and not had:
            kept[field.name] = getattr(old, field.name)
    return structs.replace(new, **kept)


def _is_empty(value: Any) -> bool:
    return plain_value(value) in (None, "", {}, [])


# --- pods -------------------------------------------------------------------------------------------------------------


def _pod_path(old: k8s.Pod, new: k8s.Pod, before: k8s.Pod | None) -> Path | None:
    """The path of what cannot be changed of a pod's spec, as it stands in the file."""
    was, is_now = plain_value(old.spec), plain_value(merged(old.spec, new.spec, before.spec if before else None))
    if new.metadata.uid and not old.spec.node_name:
        is_now.pop("nodeName", None)  # it is from a cluster, whose scheduler has placed it since
    gated = bool(old.spec.scheduling_gates)
    path = first_difference(_lasting(was), _lasting(_as_if_ungated(was, is_now) if gated else is_now))
    if path is None and any(each not in is_now.get("tolerations", ()) for each in was.get("tolerations", ())):
        path = ("tolerations",)
    if path is None and any(each not in was.get("schedulingGates", ()) for each in is_now.get("schedulingGates", ())):
        path = ("schedulingGates",)
    return None if path is None else ("spec", *_in_file(path, is_now, plain_value(new.spec)))


def _lasting(spec: dict[str, Any]) -> dict[str, Any]:
    """What may not be changed of a pod's spec, as it is stored; requests that are left out are the limits."""
    spec = _as_stored(spec)
    free = ("terminationGracePeriodSeconds", "tolerations", "schedulingGates")
    lasting = {key: value for key, value in spec.items() if key not in free}
    for key in _CONTAINERS:
        if key in spec:
            lasting[key] = [_with_requests(each) for each in spec[key]]
    return lasting


def _as_stored(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec of a pod with what the API server writes where it is left out."""
    stored = {"schedulerName": DEFAULT_SCHEDULER, **spec}
    for key in _CONTAINERS:
        if key in spec:
            stored[key] = [
                each
                | ({"ports": [{"protocol": _PROTOCOL, **port} for port in each["ports"]]} if "ports" in each else {})
                for each in spec[key]
            ]
    return stored


def _with_requests(container: dict[str, Any]) -> dict[str, Any]:
    """A container without its image, and with all that it requests."""
    lasting = {name: value for name, value in container.items() if name != "image"}
    resources = lasting.get("resources", {})
    if "limits" in resources:
        requests = {**resources["limits"], **resources.get("requests", {})}
        lasting["resources"] = {**resources, "requests": requests}
    return lasting


def _as_if_ungated(was: dict[str, Any], is_now: dict[str, Any]) -> dict[str, Any]:
    """The new spec of a pod without what may be changed as long as it has gates: it may ask for fewer nodes."""
    spec = dict(is_now)
    known = was.get("nodeSelector", {})
    selector = {key: value for key, value in spec.pop("nodeSelector", {}).items() if key in known}
    affinity, before = spec.pop("affinity", {}), was.get("affinity", {})
    if _narrows(before.get("nodeAffinity", {}), affinity.get("nodeAffinity", {})):
        affinity = {key: value for key, value in affinity.items() if key != "nodeAffinity"}
        affinity |= {"nodeAffinity": before["nodeAffinity"]} if "nodeAffinity" in before else {}
    spec |= {"nodeSelector": selector} if selector else {}
    spec |= {"affinity": affinity} if affinity or "affinity" in was else {}
    return spec


def _narrows(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """True if a node affinity allows no node that another one does not; what is preferred is free."""
    if k8s.REQUIRED not in old:
        return True
    before, after = (each.get(k8s.REQUIRED, {}).get("nodeSelectorTerms", []) for each in (old, new))
    return len(before) == len(after) and all(
        expression in is_now.get(key, ())
        for was, is_now in zip(before, after, strict=True)
        for key in ("matchExpressions", "matchFields")
        for expression in was.get(key, ())
    )


def _in_file(path: Path, is_now: dict[str, Any], written: dict[str, Any]) -> Path:
    """A path in a merged spec as it is in what was written, where named items may stand elsewhere."""
    if len(path) == 1 or not isinstance(path[1], int) or not isinstance(path[0], str):
        return path
    items = is_now.get(path[0], [])
    name = items[path[1]].get("name") if path[1] < len(items) else None
    indexes = [index for index, each in enumerate(written.get(path[0], ())) if name and each.get("name") == name]
    return (path[0], indexes[0], *path[2:]) if indexes else path[:1]


# --- merging ----------------------------------------------------------------------------------------------------------


def _merge(old: Any, new: Any, before: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        before, found = before if isinstance(before, dict) else {}, {}
        for key in {**old, **new}:
            merge = _with_more if key == "tolerations" else _merge
            if key in new:
                found[key] = merge(old.get(key), new[key], before.get(key))
            elif key not in before:
                found[key] = old[key]
            elif isinstance(old[key], dict | list) and (left := merge(old[key], type(old[key])(), before[key])):
                found[key] = left
        return found
    if isinstance(old, list) and isinstance(new, list):
        before = before if isinstance(before, list) else []
        if all(isinstance(each, dict) and "name" in each for each in (*old, *new, *before)):
            stored, written, was = ({each["name"]: each for each in items} for items in (old, new, before))
            return [*_merge(stored, written, was).values()]
        if len(old) == len(new):
            befores: list[Any] = before if len(before) == len(old) else [None] * len(old)
            return [_merge(*each) for each in zip(old, new, befores, strict=True)]
        return new
    return new


def _with_more(old: list[Any] | None, new: list[Any], before: list[Any] | None) -> list[Any]:
    """Tolerations with those that others have added, such as for nodes that are not ready."""
    kept = [each for each in old or () if each in new or each not in (before or ())]
    return [*kept, *(each for each in new if each not in kept)]
