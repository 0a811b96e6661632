"""What a change does to pods that are made again: classes, policies of namespaces and service accounts.

References: plugin/pkg/admission/{priority,runtimeclass,podnodeselector,podtolerationrestriction} in
kubernetes/kubernetes; k8s.io/pod-security-admission.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from vqs.model import kubernetes as k8s
from vqs.snapshot.controllers.upkeep.applied import Change, Changed
from vqs.snapshot.controllers.upkeep.pods import templates
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.manifests import Manifests

NEW_PODS_DIFFER: Final = "new-pods-differ"
_WITH_TEMPLATES: Final = ("pods", "volcano_jobs", "deployments", "workloads", "jobs")
_OF_POLICIES: Final = ("pod-security.kubernetes.io/", "scheduler.alpha.kubernetes.io/", "scheduling.volcano.sh/")
"""What labels and annotations of a namespace begin with that decide which pods it takes, and what is added to them."""


def changed_priority_classes(change: Change) -> Iterator[Diagnostic]:
    """Yield a warning for each PriorityClass that gives pods of the base another priority when they are made again."""
    for each in change.of(k8s.PriorityClass):
        old, new, origin = each
        was, now = (k8s.PriorityClass() if side is None else side for side in (old, new))
        if was.global_default != now.global_default or (was.global_default and was.value != now.value):
            how, priority = ("is", now.value) if now.global_default else ("is no longer", 0)
            message = (
                f"PriorityClass {(new or old).metadata.name} {how} the default: pods that are made again without a "
                f"class get priority {priority}"
            )
            yield origin.diagnostic(NEW_PODS_DIFFER, message, ("globalDefault",), severity="warning")
        else:
            yield from _named("PriorityClass", each, change, lambda spec: spec.priority_class_name)


def changed_runtime_classes(change: Change) -> Iterator[Diagnostic]:
    """Yield a warning for each RuntimeClass that gives pods of the base something else when they are made again."""
    for each in change.of(k8s.RuntimeClass):
        yield from _named("RuntimeClass", each, change, lambda spec: spec.runtime_class_name)


def changed_namespaces(change: Change) -> Iterator[Diagnostic]:
    """Yield a warning for each namespace whose labels or annotations decide on its pods, and are changed."""
    for old, new, origin in change.of(k8s.Namespace):
        if new is None:
            continue
        was, now = (_policies(each) for each in (old, new))
        keys = sorted({key for key, _ in was ^ now})
        if keys and (old is not None or now):
            message = (
                f"Namespace {new.metadata.name} has another {keys[0]}: which pods the API server takes in it, and what "
                "it adds to them, is not in this comparison"
            )
            yield origin.diagnostic(NEW_PODS_DIFFER, message, ("metadata",), severity="warning")


def _policies(namespace: k8s.Namespace | None) -> frozenset[tuple[str, str]]:
    if namespace is None:
        return frozenset()
    given = (*namespace.metadata.labels.items(), *namespace.metadata.annotations.items())
    return frozenset(each for each in given if each[0].startswith(_OF_POLICIES))


def _named(kind: str, changed: Changed, change: Change, name_in: Callable[[k8s.PodSpec], str]) -> Iterator[Diagnostic]:
    """Yield a warning for a class that is new, other or gone, where pods name it that are there all the same.

    What the change itself adds gets what its class says now.
    """
    old, new, origin = changed
    name = (new or old).metadata.name
    side = change.before if new is not None else change.after
    namers = [what for what, spec in _specs(side) if name_in(spec) == name]
    if namers:
        how = "is new" if old is None else "is changed" if new is not None else "is gone"
        message = (
            f"{kind} {name} {how}, and {namers[0]} names it"
            f"{f', as do {len(namers) - 1:,} more' if len(namers) > 1 else ''}: their pods, made again, are not like "
            "those that are there"
        )
        yield origin.diagnostic(NEW_PODS_DIFFER, message, severity="warning")


def _specs(manifests: Manifests) -> Iterable[tuple[str, k8s.PodSpec]]:
    for list_name in _WITH_TEMPLATES:
        for each in getattr(manifests, list_name):
            for _, spec, _ in templates(each):
                yield f"{type(each).__name__} {each.metadata.key}", spec
