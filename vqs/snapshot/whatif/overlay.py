"""Laying manifests over others: an object takes the place of the one of its kind and name, a configuration likewise.

The given manifests stay as they are. What only the cluster knows of an object stays, such as its status, if the object
that takes its place does not say it. What controllers would pass on at once is passed on: a Volcano Job that takes the
place of another one changes its PodGroup, and it and other workloads lose the pods that are too many. What else they
and the API server make of it is in `vqs.snapshot.controllers.upkeep`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from msgspec import Struct, structs

from vqs.model import kubernetes as k8s
from vqs.model.quantity import parse_all
from vqs.model.requests import container_requests
from vqs.snapshot.apiserver.admission import DENIES, HOW_TO_RECREATE, change_refusal
from vqs.snapshot.controllers.upkeep.table import settled
from vqs.snapshot.reading.configuration.text import configurations_of
from vqs.snapshot.reading.diagnostics import Diagnostic, Path, path_text
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import KIND_OF, LISTS, key_of, name_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.plain import first_difference, plain_value
from vqs.snapshot.scenario.generated import GeneratedDocument
from vqs.snapshot.whatif.editor import ManifestEditor
from vqs.snapshot.whatif.owners import SCALED, propagate, remove_controlled, scale_as_said

_FILLED_IN: Final[dict[type, tuple[str, ...]]] = {
    k8s.Pod: ("node_name", "priority"),
    k8s.PersistentVolumeClaim: ("volume_name", "storage_class_name"),
}
"""Fields of the spec that the cluster fills in."""

_OF_VOLCANO: Final = "volcano.sh/"
"""What is in the keys of annotations that the scheduler reads of pods."""
OBJECT_UPDATED: Final = "object-updated"
_NOT_SAID: Final = frozenset({"metadata", "status"})
TEMPLATE_CHANGED: Final = "template-changed"
_UID: Final = ("metadata", "uid")
_RECREATED: Final = "Job {} was deleted and created again: its uid or creationTimestamp differs"


def overlay(under: Manifests, over: Manifests) -> Manifests:
    """Some manifests with others applied to them."""
    times = [each.newest_timestamp for each in (under, over) if each.newest_timestamp is not None]
    editor = ManifestEditor(
        replace(
            under,
            configuration=over.configuration or under.configuration,
            ignored=dict(sorted((Counter(under.ignored) + Counter(over.ignored)).items())),
            notes=list(dict.fromkeys([*under.notes, *over.notes])),
            newest_timestamp=max(times, default=None),
            installed=over.installed or under.installed,
            shipped_by=over.shipped_by or under.shipped_by,
            stored_without_uid=under.stored_without_uid | over.stored_without_uid,
            passed_over=under.passed_over | over.passed_over,
            refused_pods=under.refused_pods | over.refused_pods,
            controlled=under.controlled | over.controlled,
            made_by=under.made_by | over.made_by,
            flags=over.flags if over.flags.given else under.flags,
            scenarios=[*over.scenarios, *under.scenarios],
            expectations=[*under.expectations, *over.expectations],
            captures=[*under.captures, *over.captures],
            setting=under.setting | over.setting,
            not_applied=over.not_applied,
        )
    )
    applied = set(under.applied)
    given = [list_name for list_name in LISTS if getattr(over, list_name)]
    for list_name in given:
        places = _places(editor, list_name)
        for new, origin in over.with_origins(list_name):
            if key_of(new) in places:
                place = places[key_of(new)]
                old = editor.objects(list_name)[place]
                editor.put(list_name, place, applied_over(new, old))
                if not new.metadata.uid or getattr(new, "spec", None) != getattr(old, "spec", None):
                    applied.add(key_of(new))  # what has a uid, and says the same, is from a cluster itself
                editor.manifests.origins[list_name][place] = origin
            else:
                editor.add(list_name, new, origin)
    editor.manifests.applied = frozenset(applied)
    _settle_configuration(editor, under, over)
    with editor.removing_at_the_end():
        for list_name in SCALED:
            if list_name in given:
                _pass_on(editor, under, over, list_name)
        # Pass changes of Volcano Jobs on to what they control; remove what a Job controlled that was created again.
        jobs = {key_of(each): each for each in under.volcano_jobs}
        places = _places(editor, "volcano_jobs")
        for job, origin in over.with_origins("volcano_jobs"):
            old = jobs.get(key_of(job))
            if old is not None and is_another(job, old):
                remove_controlled(editor, old)
                message = _RECREATED.format(name_of(job))
                editor.note(origin.diagnostic("job-made-anew", message, _UID, severity="warning"))
            else:
                propagate(editor, places[key_of(job)], old)
    return settled(editor.manifests, under, over)


def denied(before: Manifests, over: Manifests, *, all_stored: bool = False) -> list[Diagnostic]:
    """What Volcano's webhook denies of changes to Volcano Jobs that are in the cluster.

    A Job with another uid or creationTimestamp is another Job.

    Args:
        before: the objects before the change.
        over: the objects that are applied.
        all_stored: whether all Jobs are in the cluster, but for those of scenarios; else these are those with a uid.
    """
    found = []
    old = {
        key_of(each): each
        for each, origin in before.with_origins("volcano_jobs")
        if each.metadata.uid or (all_stored and not isinstance(origin.document, GeneratedDocument))
    }
    for new, origin in over.with_origins("volcano_jobs"):
        known = old.get(key_of(new))
        if known is None or is_another(new, known):
            continue
        refusal = change_refusal(known, new, over.profile)
        if refusal is not None:
            message = f"{DENIES}: Job {name_of(new)}: {refusal.message}"
            found.append(origin.diagnostic(refusal.code, message, refusal.path, hint=HOW_TO_RECREATE))
    return found


def updates(under: Manifests, over: Manifests) -> Iterator[Diagnostic]:
    """Yield a note for each object that is there already and that is changed, with the first field that is."""
    stored = {key_of(each): each for list_name in LISTS for each in getattr(under, list_name)}
    for list_name in LISTS:
        for new, origin in over.with_origins(list_name):
            if (old := stored.get(key_of(new))) is not None:
                yield from filter(None, [update(new, old, origin)])


def update(new: Any, old: Any, origin: Origin) -> Diagnostic | None:
    """The note that an object is there already, and what is changed of it; None where nothing is."""
    # What people write of an object, as plain values.
    said = ({key: value for key, value in plain_value(each).items() if key not in _NOT_SAID} for each in (old, new))
    path = first_difference(*said)
    if path is None:
        return None
    plain = plain_value(_value(new, path) or _value(old, path))
    while isinstance(plain, dict) and plain:  # name the first value in a part of an object
        key, plain = next(iter(plain.items()))
        path = (*path, key)
    field = path_text(path).removeprefix("$.")
    values = f"from {_shown(_value(old, path))} to {_shown(_value(new, path))}"
    message = f"{KIND_OF[type(new)].name} {name_of(new)} is there already, and is updated: {field} {values}"
    return origin.diagnostic(OBJECT_UPDATED, message, path, severity="note")


def _value(typed: Any, path: Path) -> Any:
    """The value at a path in an object, with the default where nothing is written; None where there is none."""
    for step in path:
        if isinstance(typed, Struct):
            names = {field.encode_name: field.name for field in structs.fields(type(typed))}
            typed = getattr(typed, names.get(str(step), ""), None)
        elif isinstance(typed, dict):
            typed = typed.get(step)
        else:
            typed = typed[step] if isinstance(typed, list) and isinstance(step, int) and step < len(typed) else None
    return typed


def _shown(value: Any) -> str:
    if value in (None, "", {}, []):
        return "nothing"
    return str(value) if isinstance(value, str | int | float) else "another value"


def is_another(new: Any, old: Any) -> bool:
    """True if an object is another one than its namesake: that was deleted, and this one made after it.

    Dumps from which the uids were removed still tell when objects were made.
    """
    now, before = new.metadata, old.metadata
    if now.uid and before.uid:
        return bool(now.uid != before.uid)
    times = now.creation_timestamp, before.creation_timestamp
    return None not in times and times[0] != times[1]


def names(manifests: Manifests) -> Iterator[tuple[str, str]]:
    """Yield the kind and name of every object."""
    for list_name in LISTS:
        for each in getattr(manifests, list_name):
            yield type(each).__name__, name_of(each)


def keys(manifests: Manifests) -> Iterator[tuple[type, str]]:
    """Yield the type and name of every object."""
    for list_name in LISTS:
        yield from map(key_of, getattr(manifests, list_name))


def _places(editor: ManifestEditor, list_name: str) -> dict[tuple[type, str], int]:
    return {key_of(each): index for index, each in enumerate(editor.objects(list_name))}


def applied_over(new: Any, old: Any) -> Any:
    """An object as it is after it was applied to a cluster that has an old one.

    What has a uid is from a cluster itself, and as it is.
    """
    given, known = new.metadata, old.metadata
    if given.uid:
        return new
    metadata = structs.replace(
        given,
        uid=known.uid,
        creation_timestamp=given.creation_timestamp or known.creation_timestamp,
        deletion_timestamp=given.deletion_timestamp or known.deletion_timestamp,
        owner_references=given.owner_references or known.owner_references,
    )
    if isinstance(new, k8s.Node | k8s.Pod):  # much of this is set by others than those who write the manifest
        metadata.labels = {**known.labels, **given.labels}
        metadata.annotations = {**known.annotations, **given.annotations}
    changed: dict[str, Any] = {"metadata": metadata}
    if isinstance(new, k8s.Node) and new.spec == k8s.NodeSpec():
        changed["spec"] = old.spec
    elif type(new) in _FILLED_IN:
        filled = {field: getattr(new.spec, field) or getattr(old.spec, field) for field in _FILLED_IN[type(new)]}
        changed["spec"] = structs.replace(new.spec, **filled)
    status = getattr(new, "status", None)
    if status is not None and status == type(status)():
        changed["status"] = old.status
    return structs.replace(new, **changed)


def _pass_on(editor: ManifestEditor, under: Manifests, over: Manifests, list_name: str) -> None:
    """Scale workloads that ask for another number of pods, and warn of other templates: pods stay as they are."""
    old = {key_of(each): each for each in getattr(under, list_name)}
    places = _places(editor, list_name)
    for each, origin in over.with_origins(list_name):
        before = old.get(key_of(each))
        if before is None or isinstance(each, k8s.ReplicationController):
            continue
        scale_as_said(editor, list_name, places[key_of(each)], before)
        if asks_of(each.spec.template) != asks_of(before.spec.template):
            which = f"{type(each).__name__} {name_of(each)}"
            message = f"{which} has another pod template; here, its existing pods keep the old one"
            note = origin.diagnostic(TEMPLATE_CHANGED, message, ("spec", "template"), severity="warning")
            editor.note(note)
            editor.manifests.other_templates |= {key_of(each)}


def asks_of(template: k8s.PodTemplateSpec) -> tuple[object, ...]:
    """What matters to the scheduler of a template, however its amounts are written."""
    spec = template.spec
    containers = (*spec.init_containers, *spec.containers)
    requests = [parse_all(container_requests(each)) for each in containers]
    whole = spec.resources or k8s.ResourceRequirements()
    room = requests, parse_all({**whole.limits, **whole.requests}), parse_all(spec.overhead)
    rules = spec.affinity, spec.tolerations, spec.topology_spread_constraints, spec.priority_class_name
    place = spec.node_name, spec.runtime_class_name, spec.scheduling_gates, spec.scheduler_name, spec.resource_claims
    ports = [port.host_port for each in containers for port in each.ports if port.host_port]
    claims = [each.persistent_volume_claim for each in spec.volumes if each.persistent_volume_claim is not None]
    annotations = {key: text for key, text in template.metadata.annotations.items() if _OF_VOLCANO in key}
    return room, spec.node_selector, rules, place, ports, claims, template.metadata.labels, annotations


def _settle_configuration(editor: ManifestEditor, under: Manifests, over: Manifests) -> None:
    """Remove the ConfigMaps with the configuration that another one takes the place of, or that has none any more."""
    if over.conf is None:
        index = ManifestEditor(under).configured_by
        replaced = {key_of(each) for each in over.config_maps}
        if index is not None and key_of(under.config_maps[index]) in replaced:
            editor.drop_configuration()
        return
    own = {key_of(each) for each in over.config_maps}
    origins = editor.manifests.origins.get("config_maps", [])
    old = [
        index
        for index, each in enumerate(editor.objects("config_maps"))
        if key_of(each) not in own and configurations_of(each, origins[index])
    ]
    editor.remove("config_maps", old)
