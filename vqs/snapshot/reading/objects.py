"""Taking in objects of the kinds that are used: types, defects, that each is there once, and when it was seen last."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from vqs.model import kubernetes as k8s
from vqs.model.keys import ASKS_FOR_VOLCANO, SCHEDULER_NAME
from vqs.model.kubernetes import Pod, PodSpec, PodStatus, Volume
from vqs.model.moments import has_room, later
from vqs.model.wording import first_names
from vqs.snapshot.apiserver.admission import as_admitted, is_stored
from vqs.snapshot.apiserver.checks import defects, defects_beside_spec, denials
from vqs.snapshot.apiserver.validation.schema import UnknownField, unknown_field_message, unknown_fields
from vqs.snapshot.reading.configuration.text import ConfigText, configurations_of, is_configuration
from vqs.snapshot.reading.diagnostics import Defect, Diagnostic, Path
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.json_text import WrongType, decode, decode_without
from vqs.snapshot.reading.kinds import JUDGED_ONLY, Kind, is_of_volcano, key_of, name_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.missing_kinds import AMOUNTS, Findings
from vqs.snapshot.reading.others import SchedulerImage, command_line, scheduler_image
from vqs.snapshot.whatif.passed_over import Key, PassedOver, Report, of_fields, of_object, unused_as

_WORKLOADS: Final = frozenset({k8s.Deployment, k8s.Job})
"""Kinds that matter only for the pods they make, and only where the scheduler that is simulated is to place these."""

_WITH_PODS: Final = (k8s.Pod, k8s.Deployment, k8s.ReplicaSet, k8s.StatefulSet, k8s.Job, k8s.VolcanoJob)

_RUN_SCHEDULERS: Final = frozenset({k8s.Deployment, k8s.Pod})
"""Kinds whose image tells the release of a scheduler."""

_IDENTIFIED_BY_UID: Final = frozenset({k8s.Pod, k8s.PodGroup})
"""Kinds whose uid the scheduler looks at; the name of others, such as queues, is all it asks for."""

USABLE: Final = frozenset({"invalid-quantity", "negative-quantity", "invalid-value", "invalid-weight"})
"""The codes of defects of an object that others may refer to nevertheless."""

_OWN: Final = USABLE | {"missing-name"}
"""The codes of defects of a value by itself, whatever is wrong with others."""

UNKNOWN_FIELD: Final = "unknown-field"
"""The code of the warning of a field that does not exist."""

FOR_OTHERS: Final = " for another scheduler"
"""What is said, after its kind, of a workload that is not used as its pods are not for this scheduler."""

_DEFAULT_NAMESPACE: Final = "default"
_FEW: Final = 3


_APPLIED: Final = frozenset({k8s.Namespace, k8s.Queue, k8s.PriorityClass, k8s.ResourceQuota, k8s.StorageClass})
"""Kinds that bundles bring along though the cluster has them, and of which nothing else is made."""

Given = tuple[Any, Origin]
"""An object, and where it stands."""


class Repeated(NamedTuple):
    """Two objects of one kind and name in two files, which say different things."""

    kind: Kind
    first: Given
    given: Given


class ObjectReader:
    """Takes in objects one by one, and adds those that can be used to the manifests.

    Attributes:
        manifests: what is read so far.
        findings: what is wrong with the objects.
        strict: whether objects with defects are left out.
        is_change: whether the objects are a change of what is there, so that those that are not used are listed.
        is_applied: whether they are about to be applied to a cluster, whatever they say of being stored in it.
        ignored: how many objects are not used, by kind.
        configurations: the scheduler configurations in ConfigMaps.
        stored_without_uid: the type and name of the objects that are from a cluster although they have no uid.
        scheduler_images: the images of Volcano's own schedulers.
    """

    def __init__(
        self, manifests: Manifests, findings: Findings, *, strict: bool, is_change: bool, is_applied: bool
    ) -> None:
        self.manifests = manifests
        self.findings = findings
        self.strict = strict
        self.is_change = is_change
        self.is_applied = is_applied
        self.ignored: Counter[str] = Counter()
        self.configurations: list[ConfigText] = []
        self.stored_without_uid: set[tuple[type, str]] = set()
        self.scheduler_images: list[SchedulerImage] = []
        self.repeated: list[Repeated] = []
        self.elsewhere: list[str] = []
        self._generated = 0
        self._of_some_releases: list[tuple[str, UnknownField, Origin]] = []
        self._to_be_admitted: list[tuple[k8s.VolcanoJob, Sequence[WrongType], Origin]] = []
        self._seen: defaultdict[Kind, dict[tuple[str, str], tuple[Any, Origin]]] = defaultdict(dict)
        self._uids: defaultdict[Kind, dict[str, tuple[str, Origin]]] = defaultdict(dict)
        self._parts = PodParts()

    def take(self, kind: Kind, value: dict[str, Any], origin: Origin) -> None:
        """Take in an object of a kind that is used, unless it is refused or given again."""
        # What a scenario says in short is not from a cluster, whatever status it gets.
        from_cluster = origin.document.is_written and is_stored(value)
        typed, whole = self._typed(kind, value, origin, from_cluster=from_cluster)
        if typed is None:
            return
        if kind.namespaced and not typed.metadata.namespace:
            typed.metadata.namespace = _DEFAULT_NAMESPACE
        if not self._is_new(kind, typed, origin, whole=whole):
            return
        image = scheduler_image(typed) if type(typed) in _RUN_SCHEDULERS else ""
        if image:
            found = SchedulerImage(image, isinstance(typed, k8s.Pod), origin, command_line(value))
            self.scheduler_images.append(found)
        if not (whole if self.strict else typed.metadata.name):
            return
        if self.is_change:
            self._pass_over_unread(kind, typed, value, origin)
        if kind.type in _WORKLOADS and _is_for_others(typed):
            if not typed.metadata.uid:  # what a cluster runs besides is no news
                self.manifests.aside.append((typed, origin))
        else:
            manifests = self.manifests
            getattr(manifests, kind.list_name).append(typed)
            manifests.origins.setdefault(kind.list_name, []).append(origin)
            manifests.newest_timestamp = newest_timestamp(typed, manifests.newest_timestamp)
            if kind.type is k8s.ConfigMap:
                self.configurations += configurations_of(typed, origin)
            if self.strict and kind.type in JUDGED_ONLY:
                self.ignored[kind.name] += 1
            if from_cluster and not typed.metadata.uid:
                self.stored_without_uid.add(key_of(typed))

    def pass_over(self, key: Key, each: PassedOver) -> None:
        """Take note of something in a change that is not looked at."""
        if self.is_change:
            known = self.manifests.passed_over.get(key)
            self.manifests.passed_over[key] = known.and_then(each) if known is not None else each

    def _pass_over_unread(self, kind: Kind, typed: Any, value: dict[str, Any], origin: Origin) -> None:
        """Take note of what is not looked at of an object of a kind that is used."""
        unused = unused_as(typed, kind.name)
        if unused:
            self.pass_over(*of_object(value, unused, origin))
        elif isinstance(typed, _WITH_PODS):
            for key, each in of_fields(value, kind.name, origin):
                self.pass_over(key, each)
        elif isinstance(typed, k8s.Service) and is_of_volcano(kind.name, value):
            self.pass_over(*of_object(value, kind.name, origin))
        elif isinstance(typed, k8s.ConfigMap):
            rest: dict[str, Any] | None = value
            if read := {key for key in typed.data if is_configuration(typed, key)}:
                data = {key: text for key, text in value["data"].items() if key not in read}
                rest = {**value, "data": data} if data or value.get("binaryData") else None
            if rest is not None:
                report = Report.FINDING if is_of_volcano(kind.name, rest) else Report.COUNT
                self.pass_over(*of_object(rest, kind.name, origin, report))

    def _typed(self, kind: Kind, value: dict[str, Any], origin: Origin, *, from_cluster: bool) -> tuple[Any, bool]:
        """An object, and whether all values of it have the right type; what is wrong with it is refused."""
        try:
            typed, errors = decode(value, kind.type)
        except RecursionError:
            self.findings.refuse(origin, "too-deep", "nested too deeply")
            return None, False
        for error in errors:
            self.findings.refuse(origin, "wrong-type", error.message, error.path, hint=error.hint)
        if typed is None:
            return None, False
        if not self.is_applied:
            metadata = typed.metadata
            if metadata.generate_name and not metadata.name:
                self._generated += 1
                metadata.name = f"{metadata.generate_name}{self._generated:05d}"
        if self.strict and kind.is_of_volcano and not from_cluster and origin.document.is_written:
            metadata = value.get("metadata")
            written = str(metadata.get("name") or "") if isinstance(metadata, dict) else ""
            name = f"{kind.name} {written}".strip()
            given = value["apiVersion"]
            if given != kind.api_version:
                message = f"{name} is of {given}, which is not served"
                self.findings.refuse(
                    origin, "unknown-version", message, ("apiVersion",), hint=f"write {kind.api_version}"
                )
            for field in unknown_fields(value, kind.type.__name__, custom=True, schemas=None):
                if field.when is None:
                    self._warn_of_field(name, field, origin)
                else:
                    self._of_some_releases.append((name, field, origin))
        stored = from_cluster and not self.is_applied
        as_admitted(typed)
        if not stored and isinstance(typed, k8s.VolcanoJob):
            self._to_be_admitted.append((typed, errors, origin))
        if isinstance(typed, k8s.Pod) and not errors:
            found = self._defects(typed, stored=stored)
        else:
            all_found = defects(typed, stored=stored)
            found = [each for each in all_found if not any(_follows(each, error) for error in errors)]
        for defect in found:
            self.findings.report(origin, defect)
        amounts = [each.path for each in found if each.code in AMOUNTS]
        # An object without amounts that cannot be calculated with.
        usable = decode_without(value, type(typed), amounts) if amounts and not self.strict else None
        if usable is not None:
            usable.metadata.name = typed.metadata.name
        return usable or typed, not errors

    def _defects(self, pod: k8s.Pod, *, stored: bool) -> Sequence[Defect]:
        """Have a pod share what it has in common with others, and return what is wrong with it."""
        shared = self._parts.share(pod)
        if stored in shared.sound:
            return (*defects_beside_spec(pod, stored=stored),)
        found = [*defects(pod, stored=stored)]
        if not found:
            shared.sound.add(stored)
        return found

    def _warn_of_field(self, name: str, field: UnknownField, origin: Origin) -> None:
        """Warn of a field that the API server would prune."""
        message = unknown_field_message(name, field)
        self.findings.report(origin, Defect(UNKNOWN_FIELD, field.path, message, severity="warning"))

    def judge_by_release(self) -> None:
        """Report what the release does not admit or know; which one that is shows when everything is read."""
        profile = self.manifests.profile
        pruned: set[tuple[int, Path]] = set()
        for name, field, origin in self._of_some_releases:
            if field.when is None or field.when.holds(profile.schemas):
                continue
            if not any((id(origin), field.path[:length]) in pruned for length in range(len(field.path))):
                pruned.add((id(origin), field.path))
                self._warn_of_field(name, field, origin)
        for typed, errors, origin in self._to_be_admitted:
            for defect in denials(typed, profile):
                if not any(_follows(defect, error) for error in errors):
                    self.findings.report(origin, defect)

    def _is_new(self, kind: Kind, typed: Any, origin: Origin, *, whole: bool) -> bool:
        """True if an object is the first of its name, and refuse one that is given twice under two names."""
        if not typed.metadata.name:
            return True
        key = typed.metadata.namespace if kind.namespaced else "", typed.metadata.name
        first = self._seen[kind].setdefault(key, (typed, origin))
        if first[0] is typed:
            if kind.type in _IDENTIFIED_BY_UID:
                self._refuse_repeated_uid(kind, typed.metadata, origin)
            return True
        name = f"{kind.name} {'/'.join(filter(None, key))}"
        here, there = origin.document, first[1].document
        # One of two files may be what is applied to the other.
        is_applied = kind.type in _APPLIED and here.is_written and there.is_written and here.source is not there.source
        if whole and first[0] == typed:
            message = f"{name} is given again, with the same content as at {first[1].place()}"
            self.findings.note(origin, "duplicate-object", message)
        elif whole and is_applied:
            self.repeated.append(Repeated(kind, first, (typed, origin)))
        elif isinstance(typed, k8s.HyperNode):
            message = f"{name} is given twice, first at {first[1].place()}: the scheduler takes the last one"
            self.findings.warn(origin, "duplicate-object", message)
            return True
        else:
            self._refuse_repeated(kind, first, (typed, origin))
        return False

    def _refuse_repeated(self, kind: Kind, first: Given, given: Given) -> None:
        """Refuse an object that is given with another content."""
        name = f"{kind.name} {name_of(given[0])}"
        message = f"{name} is given twice, first at {first[1].place()}"
        sources = [each[1].document.source for each in (first, given)]
        if self.strict or any(source.strict for source in sources):
            self.findings.refuse(given[1], "duplicate-object", message)
        elif len({os.path.dirname(source.path) for source in sources}) == 1:
            self.findings.warn(given[1], "duplicate-object", f"{message}: kubectl apply takes the last one")
        else:
            self.elsewhere.append(f"{name} in {given[1].place()}")

    def note_elsewhere(self) -> None:
        """Note that objects are given again in other folders of a repository, as overlays and examples do."""
        if self.elsewhere:
            number = "an object is" if len(self.elsewhere) == 1 else f"{len(self.elsewhere):,} objects are"
            message = (
                f"{number} given again in another folder, with other content, and only the first is looked at: "
                f"{first_names(self.elsewhere, _FEW)}; name the folder to look at the others"
            )
            self.findings.problems.add(Diagnostic(code="duplicate-object", severity="note", message=message))

    def apply_repeated(self) -> None:
        """Apply the objects of files without nodes to their namesakes of a file with nodes, which is the cluster."""
        from vqs.snapshot.whatif.overlay import applied_over, update  # noqa: PLC0415 - it needs the controllers

        clusters = {origin.document.source for origin in self.manifests.origins.get("nodes", ())}
        changed: dict[int, Given] = {}
        for kind, first, given in self.repeated:
            if id(first[0]) in changed:
                self._refuse_repeated(kind, changed[id(first[0])], given)
                continue
            in_cluster = [each[1].document.source in clusters for each in (first, given)]
            if in_cluster[0] == in_cluster[1]:
                self._refuse_repeated(kind, first, given)
                continue
            (new, origin), (old, _) = (given, first) if in_cluster[0] else (first, given)
            objects = getattr(self.manifests, kind.list_name)
            place = next(index for index, each in enumerate(objects) if each is first[0])
            objects[place] = applied_over(new, old)
            self.manifests.origins[kind.list_name][place] = origin
            self.manifests.applied |= {key_of(new)}
            changed[id(first[0])] = (new, origin)
            note = update(new, old, origin)
            if note is not None:
                self.findings.add(origin, (), note)

    def _refuse_repeated_uid(self, kind: Kind, metadata: k8s.ObjectMeta, origin: Origin) -> None:
        """Refuse an object that was copied with its uid: for the scheduler, it would be the one it was copied from."""
        if not metadata.uid:
            return
        name, first = self._uids[kind].setdefault(metadata.uid, (metadata.name, origin))
        if first is not origin:
            message = f"{kind.name} {metadata.name} has the uid of {name}, which is at {first.place()}"
            path = ("metadata", "uid")
            self.findings.refuse(
                origin, "duplicate-uid", message, path, hint="remove the uid from the one that is a copy"
            )


def _is_for_others(workload: k8s.Deployment | k8s.Job) -> bool:
    """Whether another scheduler places the pods of a workload, and nothing says that Volcano was meant."""
    template = workload.spec.template
    named = template.metadata.annotations.keys() | workload.metadata.annotations.keys()
    return template.spec.scheduler_name != SCHEDULER_NAME and named.isdisjoint(ASKS_FOR_VOLCANO)


def _follows(defect: Defect, error: WrongType) -> bool:
    """True if a defect may be there only because a value of a wrong type is not."""
    shared = min(len(defect.path), len(error.path))
    return defect.code not in _OWN or defect.path[:shared] == error.path[:shared]


def newest_timestamp(obj: Any, known: datetime | None) -> datetime | None:
    """The newest time that an object speaks of as past, other than at the ends of the calendar.

    Args:
        obj: the object.
        known: the newest time that others speak of; it is returned where this object speaks of no newer one.
    """
    newest = known
    metadata: k8s.ObjectMeta = obj.metadata
    times = [metadata.creation_timestamp]
    if metadata.deletion_timestamp is not None:
        # This is when the grace period will be over; what is past is when deletion was asked for.
        times.append(later(metadata.deletion_timestamp, -(metadata.deletion_grace_period_seconds or 0)))
    status = getattr(obj, "status", None)
    conditions = getattr(status, "conditions", None)
    if conditions:
        times += [condition.last_transition_time for condition in conditions]
    times.append(getattr(status, "start_time", None))
    for time in times:
        if time is not None and (newest is None or time > newest) and has_room(time):
            newest = time
    return newest


# --- parts of pods ----------------------------------------------------------------------------------------------------


_encode: Final = msgspec.json.Encoder().encode
_MOST: Final = 10_000
"""How many specs are known at most: the pods of a job stand near one another."""
_NO_VOLUMES: Final[list[Volume]] = []


@dataclass(slots=True)
class SharedSpec:
    """What pods have in common that ask for the same, without their nodes and volumes.

    `sound` tells as what nothing was found to be wrong with it: the spec of a pod that is stored in a cluster (True),
    or of one that is new.
    """

    spec: PodSpec
    sound: set[bool]


class PodParts:
    """The specs and statuses of the pods that were read last, of which equal parts are kept once.

    The pods of a job differ in little more than their names and their nodes. A dump of a big cluster takes half the
    memory so, and what was found out of a spec holds for all pods that share it. Pods share what is in a spec, as
    nothing changes that once it is read; the spec itself they do not.
    """

    def __init__(self) -> None:
        self._specs: dict[bytes, SharedSpec] = {}
        self._statuses: dict[tuple[str, str, str], PodStatus] = {}

    def share(self, pod: Pod) -> SharedSpec:
        """Have a pod share with others what is equal, and return what it shares of its spec."""
        spec = pod.spec
        node, volumes = spec.node_name, spec.volumes  # the latter have names of their own in each pod
        spec.node_name, spec.volumes = "", _NO_VOLUMES
        key = _encode(spec)
        shared = self._specs.get(key)
        if shared is None:
            if len(self._specs) >= _MOST:
                self._specs.clear()
            shared = self._specs[key] = SharedSpec(spec, set())
        pod.spec = replace(shared.spec, node_name=node, volumes=volumes or _NO_VOLUMES)
        # Have pods share their status where it says nothing of times and containers, in which they differ.
        status = pod.status
        times = status.conditions or status.start_time
        if not (times or status.container_statuses or status.init_container_statuses or status.resource_claim_statuses):
            said = status.phase, status.qos_class, status.nominated_node_name
            pod.status = self._statuses.setdefault(said, status)
        return shared
