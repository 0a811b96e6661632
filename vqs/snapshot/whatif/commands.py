"""What makes a change: commands for a cluster, patches for kustomize, and the lines to change in files.

Each is a change of what people write: a Volcano Job or a Deployment, and not the PodGroup, ReplicaSet or pods that a
controller makes of it, and writes again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from shlex import join, quote
from typing import Any, Final, TypeGuard

from vqs.model import kubernetes as k8s
from vqs.model.keys import GROUP_MIN_MEMBER, GROUP_QUEUE, TOPOLOGY_MODE, TOPOLOGY_TIER, role_of
from vqs.snapshot.controllers.complete import complete, with_makers
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.documents import Document, YamlDocument
from vqs.snapshot.reading.kinds import KINDS, Kind, kind_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.plain import plain_value
from vqs.snapshot.whatif import targets
from vqs.snapshot.whatif.configuration import BUILT_IN
from vqs.snapshot.whatif.edits import CONF, AddObject, Edit, Remove, Scale, SetValue
from vqs.snapshot.whatif.file_changes import CannotChange, FileChanges, InFiles, with_value
from vqs.snapshot.whatif.paths import EditError

_CONFIG_MAP: Final = KINDS["", "ConfigMap"]
_DEPLOYMENT: Final = KINDS["apps", "Deployment"]
_VOLCANO_JOB: Final = KINDS["batch.volcano.sh", "Job"]
_CONFIGURATION: Final = ("volcano-system", "volcano-scheduler-configmap", "volcano-scheduler.conf")
"""The namespace, the ConfigMap and the key in which an installation of Volcano keeps the scheduler's configuration."""

_MIN_MEMBER: Final[Path] = ("spec", "minMember")
_MIN_RESOURCES: Final[Path] = ("spec", "minResources")
"""What a controller works out from the minimum; of a PodGroup without one, it is changed together with that."""

_UNSCHEDULABLE: Final[Path] = ("spec", "unschedulable")
_REPLICAS: Final[Path] = ("spec", "replicas")
_SURGE: Final[Path] = ("spec", "strategy", "rollingUpdate", "maxSurge")
"""How many new pods a Deployment makes at a time; its controller gives the new ReplicaSet that number."""

_STATE: Final[Path] = ("status", "state")
_MIN_AVAILABLE: Final[Path] = ("spec", "minAvailable")
_PRIORITY: Final[Path] = ("spec", "priorityClassName")
_TAINTS: Final[Path] = ("spec", "taints")
_GATES: Final[Path] = ("spec", "schedulingGates")
_OF_LIVE_PODS: Final[tuple[Path, ...]] = (("spec", "tolerations"), _GATES)
"""What may be changed in pods that exist: tolerations are added, gates removed."""

_TEMPLATE: Final[Path] = ("spec", "template")
_ANNOTATIONS: Final[Path] = ("metadata", "annotations")
_HASH: Final = "pod-template-hash"

_TOPOLOGY: Final = ("spec", "networkTopology")
_FROM_GROUPS: Final[dict[Path, tuple[Path, Path]]] = {
    _MIN_MEMBER: (_MIN_AVAILABLE, ("metadata", "annotations", GROUP_MIN_MEMBER)),
    _PRIORITY: (_PRIORITY, (*_TEMPLATE, "spec", "priorityClassName")),
    ("spec", "queue"): (("spec", "queue"), (*_TEMPLATE, *_ANNOTATIONS, GROUP_QUEUE)),
    (*_TOPOLOGY, "mode"): ((*_TOPOLOGY, "mode"), (*_TEMPLATE, *_ANNOTATIONS, TOPOLOGY_MODE)),
    (*_TOPOLOGY, "highestTierAllowed"): (
        (*_TOPOLOGY, "highestTierAllowed"),
        (*_TEMPLATE, *_ANNOTATIONS, TOPOLOGY_TIER),
    ),
}
"""Where a field of a PodGroup comes from: in a Volcano Job, and in another workload.

Reference: pkg/controllers/podgroup/pg_controller_handler.go in volcano-sh/volcano.
"""

_KEPT_UP: Final = (_MIN_MEMBER, _PRIORITY)
"""The fields of a PodGroup that follow a Volcano Job once it is created; the others of the Job cannot be changed."""


@dataclass(frozen=True, slots=True)
class Change:
    """A field that gets a value in an object that people write.

    Attributes:
        kind: the kind of the object.
        namespace: its namespace, if it has one.
        name: its name.
        path: the field.
        value: what it gets; None takes it out.
        typed: the object as it is; None where the snapshot has none.
        written: the document that it is written in, and the path to the field there; None where it is in no file.
    """

    kind: Kind
    namespace: str
    name: str
    path: Path
    value: Any
    typed: Any = None
    written: tuple[Document, Path] | None = None


class HowTo:
    """How the change is made that some edits stand for.

    Where objects are deleted and created again with it, all fields of what makes them can be changed.
    """

    def __init__(self, edits: Sequence[Edit], manifests: Manifests, *, created_again: bool = False) -> None:
        self._manifests = manifests
        self._created_again = created_again
        self._added = [each.value for each in edits if isinstance(each, AddObject)]
        self._deleted = [each for each in edits if _is_deleted(each)]
        try:
            self._changes = [*self._found(edits)]
        except LookupError:
            self._changes, self._added, self._deleted = [], [], []

    @cached_property
    def _completed(self) -> Manifests:
        return with_makers(complete(self._manifests), self._manifests)

    def _found(self, edits: Sequence[Edit]) -> Iterator[Change]:
        """Yield the fields to change, each once.

        Raises:
            LookupError: nothing that people write stands for an edit.
        """
        conf: list[tuple[Path, Any]] = []
        found: dict[tuple[str, str, str, Path], Change] = {}
        for edit in edits:
            if isinstance(edit, SetValue) and edit.kind == CONF:
                conf.append((edit.path, edit.value))
            elif isinstance(edit, SetValue | Scale):
                if self._follows(edit):
                    continue
                change = self._change(edit)
                if change.path[:2] != _MIN_RESOURCES or change.kind.type is k8s.PodGroup:
                    found[change.kind.name, change.namespace, change.name, change.path] = change
                group = self._also_of_group(edit, change)
                if group is not None:
                    found[group.kind.name, group.namespace, group.name, group.path] = group
            elif not isinstance(edit, AddObject) and not _is_deleted(edit):
                raise LookupError(edit)
        yield from found.values()
        if conf:
            yield self._configured(conf)

    def _configured(self, values: Sequence[tuple[Path, Any]]) -> Change:
        """Return the change of the scheduler's configuration."""
        conf = self._manifests.conf
        namespace, name, key = _CONFIGURATION
        try:
            text = BUILT_IN if conf is None else conf.text
            for path, value in values:
                text = with_value(text, path, value)
        except CannotChange as error:
            raise LookupError(key) from error
        if conf is None:
            return Change(_CONFIG_MAP, namespace, name, ("data", key), text)
        if conf.owner:
            namespace, name, key = conf.namespace, conf.owner, conf.key
        maps = (each for each in self._manifests.config_maps if each.metadata.key == f"{namespace}/{name}")
        typed = next(maps, None) if conf.owner else None
        written = conf.document, conf.path
        return Change(_CONFIG_MAP, namespace, name, ("data", key), text, typed=typed, written=written)

    def _change(self, edit: SetValue | Scale) -> Change:
        change = self._of(edit.kind, edit.namespace, edit.name)
        if isinstance(edit, SetValue):
            return self._at_its_owner(self._with(change, edit.path, edit.value))
        if isinstance(change.typed, k8s.ReplicaSet) and controller_of(change.typed.metadata) is not None:
            return self._at_its_owner(self._with(change, _SURGE, edit.replicas))
        if not isinstance(change.typed, k8s.VolcanoJob):
            return self._with(change, _REPLICAS, edit.replicas)
        roles = [task.name for task in change.typed.spec.tasks]
        index = roles.index(edit.role) if edit.role in roles else 0
        return self._with(change, ("spec", "tasks", index, "replicas"), edit.replicas)

    def _also_of_group(self, edit: SetValue | Scale, change: Change) -> Change | None:
        """Return the change of a PodGroup whose minimum its workload sets, and its controller writes only once.

        Reference: ``addReplicaSet`` in pkg/controllers/podgroup/pg_controller_handler.go of volcano-sh/volcano passes
        over pods that have a PodGroup.
        """
        if not isinstance(edit, SetValue) or edit.path[:2] not in (_MIN_MEMBER, _MIN_RESOURCES):
            return None
        group = self._of(edit.kind, edit.namespace, edit.name)
        is_stored = isinstance(group.typed, k8s.PodGroup) and group.typed.metadata.uid
        if not is_stored or change.kind in (group.kind, _VOLCANO_JOB):
            return None
        return self._with(group, edit.path, edit.value)

    def _follows(self, edit: SetValue | Scale) -> bool:
        """Tell whether an edit is what the Deployment above a ReplicaSet does of its own: it takes pods from it."""
        if not isinstance(edit, Scale):
            return False
        typed = self._of(edit.kind, edit.namespace, edit.name).typed
        if not isinstance(typed, k8s.ReplicaSet) or controller_of(typed.metadata) is None:
            return False
        return edit.replicas < (typed.spec.replicas or 0)

    def _of(self, word: str, namespace: str, name: str) -> Change:
        """Return an object, given or made by controllers, as a change of no field."""
        key = f"{namespace}/{name}" if namespace else name
        try:
            manifests, target = self._manifests, targets.find(self._manifests, word, key)
        except EditError:
            try:
                manifests, target = self._completed, targets.find(self._completed, word, key)
            except EditError:
                raise LookupError(key) from None
        change = Change(target.kind, target.namespace, target.name, (), None)
        if target.place is None:
            return change
        listed = target.kind.list_name
        typed, written = getattr(manifests, listed)[target.place], None
        if manifests is self._manifests:
            origin = manifests.origins[listed][target.place]
            written = origin.document, origin.path
        return replace(change, typed=typed, written=written)

    @staticmethod
    def _with(change: Change, path: Path, value: Any) -> Change:
        written = None if change.written is None else (change.written[0], (*change.written[1], *path))
        return replace(change, path=path, value=value, written=written)

    def _at_its_owner(self, change: Change, below: Sequence[tuple[str, str]] = ()) -> Change:
        """Return the change of what controls an object, and writes it; the same change where nothing does.

        Of controllers that control each other, each is looked at once: `below` has the kinds and names so far.
        """
        own = change.kind.name, change.name
        owner = None if change.typed is None else controller_of(change.typed.metadata)
        if owner is None or own in below or not isinstance(change.typed, k8s.Pod | k8s.PodGroup | k8s.ReplicaSet):
            return change
        kind = kind_of(owner.api_version, owner.kind)
        if kind is None:
            raise LookupError(owner.kind)
        try:
            above = self._of("vcjob" if kind is _VOLCANO_JOB else owner.kind.lower(), change.namespace, owner.name)
        except LookupError:
            # The snapshot does not have the owner; that of a ReplicaSet with a hash is the Deployment.
            end = f"-{change.typed.metadata.labels.get(_HASH, '')}"
            if kind.type is k8s.ReplicaSet and len(end) > 1 and owner.name.endswith(end):
                above = Change(_DEPLOYMENT, change.namespace, owner.name.removesuffix(end), (), None)
            else:
                above = Change(kind, change.namespace, owner.name, (), None)
        path, value = self._place(change, above)
        if not path:
            return change
        return self._at_its_owner(self._with(above, path, value), (*below, own))

    def _place(self, change: Change, above: Change) -> tuple[Path, Any]:
        """Return the field of an owner that another field comes from, and its value; no path where none does.

        Raises:
            LookupError: the owner has such a field, which cannot be changed any more.
        """
        path, value = change.path, change.value
        is_stored = not self._created_again and (above.typed is None or bool(above.typed.metadata.uid))
        if isinstance(change.typed, k8s.ReplicaSet):
            return path, value
        if isinstance(change.typed, k8s.Pod):
            if path == _GATES and change.typed.metadata.uid:  # a pod that waits for its gates need not be replaced
                return (), None
            if is_stored and above.kind.name == "Job":
                if path not in _OF_LIVE_PODS:
                    raise LookupError(path)
                return (), None
            if above.kind is not _VOLCANO_JOB:
                return (*_TEMPLATE, *path), value
            roles = [task.name for task in above.typed.spec.tasks]
            return ("spec", "tasks", roles.index(role_of(change.typed.metadata)), "template", *path), value
        if path[:2] == _MIN_RESOURCES:
            return path, value
        of_job, of_workload = _FROM_GROUPS.get(path, ((), ()))
        if above.kind is _VOLCANO_JOB:
            return ((), None) if is_stored and path not in _KEPT_UP else (of_job, value)
        if not of_workload or (is_stored and above.kind.name == "Job"):
            raise LookupError(path)
        if above.kind.type is k8s.Pod:
            return () if is_stored else of_workload[len(_TEMPLATE) :], value
        return of_workload, str(value)

    @property
    def commands(self) -> list[str]:
        """The commands that make it in a cluster; none where a part of it has no command."""
        found: list[str | None] = [*map(_creation, self._added)]
        for same in self._by_object:
            found += _commands(same)
        deleted: dict[tuple[str, str], list[str]] = {}  # by kind and namespace: one command for all
        for each in self._deleted:
            deleted.setdefault((each.kind, each.namespace), []).append(each.name)
        for (kind, namespace), names in deleted.items():
            found.append(join(["kubectl", "delete", kind, *names, "-n", namespace]))
        return [] if None in found else [each for each in found if each]

    @property
    def patches(self) -> list[tuple[Change, dict[str, Any] | list[dict[str, Any]]]]:
        """For each object one of its changes, and all of them as a part of the object or as JSON patches."""
        return [(same[0], _operations(same) if _has_operations(same) else _merged(same)) for same in self._by_object]

    @cached_property
    def _by_object(self) -> list[list[Change]]:
        """The changes of each object, in the order in which the objects come first."""
        found: dict[tuple[str, str, str, str], list[Change]] = {}
        for each in self._changes:
            found.setdefault((each.kind.group, each.kind.name, each.namespace, each.name), []).append(each)
        return [*found.values()]

    def in_files(self) -> InFiles | None:
        """What makes it in the files; None where they do not have all of it, or in lines that are too long to read.

        A dump of a cluster is changed by commands alone.
        """
        if self._deleted:
            return None
        changes = FileChanges()
        # One more object stands behind a document that is written by people, where there is one.
        lists = ("volcano_jobs", "deployments", "pod_groups", "pods")
        first = (pair for name in lists for pair in self._manifests.with_origins(name)[:1])
        document = next((origin.document for each, origin in first if not each.metadata.uid), None)
        for each in self._changes:
            document, path = each.written or (None, ())
            is_stored = each.typed is not None and each.typed.metadata.uid
            if is_stored or document is None or not document.is_written:
                return None
            try:
                changes.set(document, path, each.value)
            except CannotChange:
                return None
        for value in self._added:
            if not isinstance(document, YamlDocument) or not document.is_written:
                return None
            changes.add(document.source, value)
        return changes.in_files()


# --- how a change is written ------------------------------------------------------------------------------------------


def _is_deleted(edit: Edit) -> TypeGuard[Remove]:
    """Tell whether an edit deletes a pod, of which its controller makes another, or a PodGroup; a job's is its end."""
    return isinstance(edit, Remove) and edit.kind in ("pod", "podgroup")


def _creation(value: Mapping[str, Any]) -> str:
    """Return the command that creates an object."""
    if value.get("kind") != "PriorityClass":
        return f"echo {quote(json.dumps(value))} | kubectl create -f -"
    return f"kubectl create priorityclass {quote(value['metadata']['name'])} --value {value['value']}"


def _commands(changes: Sequence[Change]) -> Iterator[str | None]:
    """Yield the commands that change one object: one patch for all values that no other command sets.

    None stands for a field that cannot be changed once the object is there.
    """
    first, rest = changes[0], []
    named = join([first.name, "-n", first.namespace] if first.namespace else [first.name])
    kind = "vcjob" if first.kind is _VOLCANO_JOB else targets.word_of(first.kind)
    for each in changes:
        if each.path == _UNSCHEDULABLE and not each.value:
            yield f"kubectl uncordon {named}"
        elif _is_fixed(each):
            yield None
        elif each.path == _STATE:
            yield f"vcctl queue operate -n {named} --action open"
        elif each.path == _REPLICAS:
            yield f"kubectl scale {kind} {named} --replicas {each.value}"
        elif each.path != _TAINTS:  # of a cordoned node, they go with that
            rest.append(each)
    if _has_operations(rest):
        yield f"kubectl patch {kind} {named} --type json -p {quote(json.dumps(_operations(rest)))}"
    elif rest:
        yield f"kubectl patch {kind} {named} --type merge -p {quote(json.dumps(_merged(rest)))}"


def _is_fixed(change: Change) -> bool:
    """Tell whether a field of a pod, or of a Job, cannot be changed after creation."""
    if change.kind.type is k8s.Pod:
        return change.path[0] == "spec" and change.path not in _OF_LIVE_PODS
    if change.kind is _VOLCANO_JOB:
        return change.path not in (_MIN_AVAILABLE, _PRIORITY) and change.path[-1] not in ("replicas", "minAvailable")
    if change.kind.type is k8s.PersistentVolumeClaim or "volumeClaimTemplates" in change.path:
        return True
    return change.kind.type is k8s.Job and change.path[:2] == _TEMPLATE


def _has_operations(changes: Sequence[Change]) -> bool:
    """Tell whether a merge would replace a whole list for the sake of a field in it, or of one more toleration."""
    in_lists = any(isinstance(part, int) for each in changes for part in each.path)
    return in_lists or any(each.kind.type is k8s.Pod and each.path in _OF_LIVE_PODS for each in changes)


def _merged(changes: Sequence[Change]) -> dict[str, Any]:
    """Return the fields as one object; null takes out what is no longer there."""
    patch: dict[str, Any] = {}
    for each in changes:
        *above, last = map(str, each.path)
        at = patch
        for part in above:
            at = at.setdefault(part, {})
        at[last] = each.value
        if isinstance(each.value, dict):
            gone = dict.fromkeys(key for key in _now(each) or () if key not in each.value)
            at[last] = {**gone, **each.value} or None
    return patch


def _operations(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Return the fields as operations of a JSON patch, each with what has to be there for it."""
    found: list[dict[str, Any]] = []
    for each in changes:
        path, value = each.path, each.value
        now = _now(each) if path in _OF_LIVE_PODS and each.kind.type is k8s.Pod else None
        if now and value[: len(now)] == now:
            found += [{"op": "add", "path": _pointer((*path, "-")), "value": one} for one in value[len(now) :]]
            continue
        if now and not value:
            found.append({"op": "remove", "path": _pointer(path)})
            continue
        while len(path) > 1 and each.typed is not None and not _now(replace(each, path=path[:-1])):
            path, value = path[:-1], {path[-1]: value}
        found.append({"op": "add", "path": _pointer(path), "value": value})
    return found


def _pointer(path: Path) -> str:
    """Write a path as JSON patches have it."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def _now(change: Change) -> Any:
    """Return what a field has now; None where it has nothing."""
    value = plain_value(change.typed)
    for part in change.path:
        if isinstance(part, int):
            value = value[part] if isinstance(value, list) and part < len(value) else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value
