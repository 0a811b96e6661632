"""What of a change never comes to be: objects in no namespace, or of no owner, and pods that the API server refuses."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

from vqs.model import kubernetes as k8s
from vqs.model.selectors import label_selector
from vqs.snapshot.apiserver.validation.schema import mapping, text
from vqs.snapshot.controllers.upkeep.pods import PodAdmission, Refusal, Template, knows, templates
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import KIND_OF, KINDS, LISTS, group_of, key_of, name_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.plain import WrittenObjects, followed
from vqs.snapshot.scenario.generated import GeneratedDocument

NAMESPACE_MISSING: Final = "namespace-missing"
OWNER_MISSING: Final = "owner-missing"
PODS_REFUSED: Final = "pods-refused"
_ALWAYS_THERE: Final = frozenset({"default", "kube-node-lease", "kube-public", "kube-system"})
_ADOPTERS: Final = (k8s.ReplicaSet, k8s.StatefulSet)
_DEFAULT_ACCOUNT: Final = "default"
_ACCOUNT: Final = "ServiceAccount"
_NAMESPACE: Final = ("metadata", "namespace")
_LABELS: Final = ("metadata", "labels")
_OWNERS: Final = ("metadata", "ownerReferences")


class Admitted(NamedTuple):
    """What of applied manifests comes to be, for which objects no pods are made, and what there is to say of it.

    `without_namespace` is what of that is about objects in a namespace that does not exist.
    """

    manifests: Manifests
    refused_pods: frozenset[tuple[type, str, str]]
    notes: list[Diagnostic]
    without_namespace: list[Diagnostic]


def admitted(over: Manifests, under: Manifests, snapshot: Manifests, before: Manifests) -> Admitted:
    """What comes to be of manifests that are applied.

    Args:
        over: what is applied.
        under: what it is applied to, without what the change deletes.
        snapshot: the same with that.
        before: what the files said before.
    """
    return _Admission(over, under, snapshot, before).admitted()


@dataclass
class _Admission:
    """Asks of each object that is applied whether it comes to be."""

    over: Manifests
    under: Manifests
    snapshot: Manifests
    before: Manifests
    nowhere: list[Diagnostic] = field(default_factory=list)

    def admitted(self) -> Admitted:
        lists: dict[str, list[Any]] = {}
        origins = dict(self.over.origins)
        notes: list[Diagnostic] = []
        refused: set[tuple[type, str, str]] = set()
        for list_name in LISTS:
            kept = []
            for index, (each, origin) in enumerate(self.over.with_origins(list_name)):
                said, comes = self._judge(list_name, index, each, origin, refused)
                notes += said
                if comes:
                    kept.append((each, origin))
            if len(kept) < len(getattr(self.over, list_name)):
                lists[list_name] = [each for each, _ in kept]
                origins[list_name] = [origin for _, origin in kept]
        over = replace(self.over, origins=origins, **lists)  # type: ignore[arg-type]
        return Admitted(over, frozenset(refused), notes, self.nowhere)

    def _judge(
        self, list_name: str, index: int, each: Any, origin: Origin, refused: set[tuple[type, str, str]]
    ) -> tuple[list[Diagnostic], bool]:
        """What there is to say of an object, and whether it comes to be; add to what makes no pods."""
        if isinstance(origin.document, GeneratedDocument):
            return [], True
        stored = self._stored.get(key_of(each))
        if stored is None:
            found = self._missing_namespace(each, origin) or self._missing_owner(each, origin)
            if found is not None:
                return [found[0]], not found[1]
        notes, comes = [], True
        old = {} if stored is None else {role: spec for role, spec, _ in templates(stored)}
        for template in templates(each):
            if old.get(template.role) == template.spec or (isinstance(each, k8s.Pod) and stored is not None):
                continue
            refusal = self._refusal(list_name, index, each, template)
            if refusal is None:
                continue
            what = f"{KIND_OF[type(each)].name} {name_of(each)}"
            what = f"task {template.role} of {what}" if template.role else what
            told = "they take no room here" if refusal.sure else "they take room here all the same"
            message = f"{what}: {refusal.reason}: the API server refuses its pods, and {told}"
            if not refusal.sure:
                message = f"{what}: {refusal.reason}: the API server may refuse its pods, and {told}"
            notes.append(origin.diagnostic(PODS_REFUSED, message, (*template.path, *refusal.path), severity="warning"))
            if refusal.sure:
                refused.add((*key_of(each), template.role))
                comes = not isinstance(each, k8s.Pod)
        return notes, comes

    @cached_property
    def _stored(self) -> Mapping[tuple[type, str], Any]:
        return {key_of(each): each for list_name in LISTS for each in getattr(self.under, list_name)}

    # --- namespaces --------------------------------------------------------------------------------------------------

    def _missing_namespace(self, each: Any, origin: Origin) -> tuple[Diagnostic, bool] | None:
        """Why a new object has no namespace to be in, and whether that is sure."""
        kind, name = KIND_OF[type(each)], each.metadata.namespace
        if not kind.namespaced or name in self._namespaces:
            return None
        sure = knows(self.snapshot, k8s.Namespace) or name in self._gone
        what = "does not exist" if sure else "is not in the snapshot"
        hint = "add the Namespace to the change"
        if name in self._gone:
            what, hint = "is deleted by the change", "keep the Namespace, or delete what is in it as well"
        message = f"{kind.name} {name_of(each)}: namespace {name} {what}, so the API server refuses what is put there"
        found = origin.diagnostic(NAMESPACE_MISSING, message, _NAMESPACE, severity="warning", hint=hint)
        if sure:
            self.nowhere.append(found)
        return found, sure

    @cached_property
    def _gone(self) -> frozenset[str]:
        before, after = ({each.metadata.name for each in side.namespaces} for side in (self.before, self.over))
        ending = {each.metadata.name for each in self.snapshot.namespaces if each.metadata.deletion_timestamp}
        return frozenset((before - after) | ending)

    @cached_property
    def _namespaces(self) -> Collection[str]:
        known = {each.metadata.name for side in (self.under, self.over) for each in side.namespaces}
        if not knows(self.snapshot, k8s.Namespace):
            named = [
                name for name in LISTS if any(kind.list_name == name and kind.namespaced for kind in KINDS.values())
            ]
            known |= {each.metadata.namespace for name in named for each in getattr(self.under, name)}
        return (known | _ALWAYS_THERE) - self._gone

    # --- owners ------------------------------------------------------------------------------------------------------

    def _missing_owner(self, each: Any, origin: Origin) -> tuple[Diagnostic, bool] | None:
        """Why a new object is deleted at once, or taken for one that a controller has made itself."""
        what = f"{KIND_OF[type(each)].name} {name_of(each)}"
        owners = each.metadata.owner_references
        if owners and not any(self._is_there(owner, each.metadata.namespace) for owner in owners):
            message = f"{what}: its owner, {owners[0].kind} {owners[0].name}, does not exist, so it is deleted at once"
            return origin.diagnostic(OWNER_MISSING, message, _OWNERS, severity="warning"), True
        if isinstance(each, k8s.Pod) and controller_of(each.metadata) is None:
            for workload in self._adopters.get(each.metadata.namespace, ()):
                if label_selector(workload.spec.selector).matches(each.metadata.labels):
                    adopter = f"{type(workload).__name__} {workload.metadata.name}"
                    message = f"{what} has the labels of {adopter}, which takes it for one of its own pods"
                    return origin.diagnostic(OWNER_MISSING, message, _LABELS, severity="warning"), True
        return None

    def _is_there(self, owner: k8s.OwnerReference, namespace: str) -> bool:
        kind = KINDS.get((group_of(owner.api_version), owner.kind))
        if kind is None:
            return True  # the snapshot cannot tell
        name = f"{namespace}/{owner.name}" if kind.namespaced else owner.name
        found = self._stored.get((kind.type, name))
        return (kind.type, name) in self._applied if found is None else found.metadata.uid in ("", owner.uid)

    @cached_property
    def _applied(self) -> frozenset[tuple[type, str]]:
        return frozenset(key_of(each) for list_name in LISTS for each in getattr(self.over, list_name))

    @cached_property
    def _adopters(self) -> Mapping[str, list[k8s.ReplicaSet | k8s.StatefulSet]]:
        found: dict[str, list[k8s.ReplicaSet | k8s.StatefulSet]] = {}
        for each in self.under.workloads:
            if isinstance(each, _ADOPTERS):
                found.setdefault(each.metadata.namespace, []).append(each)
        return found

    # --- pods --------------------------------------------------------------------------------------------------------

    def _refusal(self, list_name: str, index: int, each: Any, template: Template) -> Refusal | None:
        found, namespace = next(self._pods.refusals(template.spec), None), each.metadata.namespace
        if found is not None:
            return found
        spec = mapping(followed(self._written.get(list_name, index), template.path))
        name = text(spec, "serviceAccountName") or text(spec, "serviceAccount") or _DEFAULT_ACCOUNT
        if name == _DEFAULT_ACCOUNT or self._has_account(self.over, namespace, name):
            return None
        if self._has_account(self.before, namespace, name):
            return Refusal(("serviceAccountName",), f"the change deletes ServiceAccount {name}")
        if (namespace, name) in self._accounts:
            return None
        return Refusal(("serviceAccountName",), f"ServiceAccount {name} is not known to exist", sure=False)

    @staticmethod
    def _has_account(manifests: Manifests, namespace: str, name: str) -> bool:
        names = [f"{namespace}/{name}", *([name] if namespace == "default" else [])]
        return any((_ACCOUNT, each) in manifests.passed_over for each in names)

    @cached_property
    def _accounts(self) -> frozenset[tuple[str, str]]:
        """The namespaces and names of the ServiceAccounts that pods in the snapshot have: their text is read again."""
        written = WrittenObjects(self.snapshot, {})
        specs = ((pod, written.get("pods", index).get("spec", {})) for index, pod in enumerate(self.snapshot.pods))
        return frozenset((pod.metadata.namespace, text(spec, "serviceAccountName")) for pod, spec in specs)

    @cached_property
    def _written(self) -> WrittenObjects:
        return WrittenObjects(self.over, {})

    @cached_property
    def _pods(self) -> PodAdmission:
        lists = ("priority_classes", "runtime_classes")
        applied = {
            name: [*{key_of(each): each for side in (self.under, self.over) for each in getattr(side, name)}.values()]
            for name in lists
        }
        return PodAdmission(self.snapshot, replace(self.under, **applied))  # type: ignore[arg-type]
