"""How many pods a PodDisruptionBudget lets go: it follows from its spec, and from the pods that its controller counts.

Reference: pkg/controller/disruption/disruption.go in kubernetes/kubernetes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.model.kubernetes import PodDisruptionBudget
from vqs.model.quantity import part_of
from vqs.model.selectors import label_selector
from vqs.snapshot.controllers.upkeep.applied import Applied
from vqs.snapshot.controllers.workloads import replicas_of
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.kinds import key_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.editor import ManifestEditor


def with_allowance(old: PodDisruptionBudget, new: PodDisruptionBudget) -> PodDisruptionBudget:
    """A budget with the disruptions that another spec allows, where the status says how many pods there are.

    Of another selector, other pods would have to be counted: then the status stays as it is.
    """
    status, before, after = new.status, old.spec, new.spec
    limits = (before.min_available, before.max_unavailable) != (after.min_available, after.max_unavailable)
    is_counted = old.status == status and before.selector == after.selector
    desired = desired_healthy(new) if limits and is_counted else None
    if desired is None:
        return new
    allowed = max(0, status.current_healthy - desired)
    return structs.replace(new, status=structs.replace(status, disruptions_allowed=allowed, desired_healthy=desired))


def desired_healthy(budget: PodDisruptionBudget) -> int | None:
    """How many pods of a budget have to stay; None where its status does not count them."""
    expected, spec = budget.status.expected_pods, budget.spec
    if expected <= 0:
        return None
    if spec.max_unavailable is not None:
        unavailable = part_of(spec.max_unavailable, expected, up=True)
        return None if unavailable is None else max(0, expected - unavailable)
    return part_of(spec.min_available or 0, expected, up=True)


def limit_for(budget: PodDisruptionBudget, desired: int) -> tuple[str, int | str]:
    """The field that limits disruptions, and its value, as written, by which that many pods have to stay.

    >>> from vqs.model.kubernetes import PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus
    >>> spec, status = PodDisruptionBudgetSpec(max_unavailable="10%"), PodDisruptionBudgetStatus(expected_pods=8)
    >>> limit_for(PodDisruptionBudget(spec=spec, status=status), 6)
    ('maxUnavailable', '25%')
    """
    expected, spec = budget.status.expected_pods, budget.spec
    if spec.max_unavailable is not None:
        unavailable = expected - desired
        least = (unavailable - 1) * 100 // expected + 1
        percent = max(least, unavailable * 100 // expected)
        return "maxUnavailable", f"{percent}%" if isinstance(spec.max_unavailable, str) else unavailable
    return "minAvailable", f"{desired * 100 // expected}%" if isinstance(spec.min_available, str) else desired


_WITHOUT_SCALE: Final = frozenset({"DaemonSet", "Job", "Node", "PodGroup"})
"""Kinds without the subresource scale: how many pods they want cannot be asked, and a budget of them allows nothing."""

_Scaled = k8s.Deployment | k8s.ReplicaSet | k8s.StatefulSet


def settle_budgets(change: Applied) -> None:
    """Work out what budgets allow that are new or changed, unless the files say it."""
    counter = PodCounter(change.editor.manifests)
    for index, written, old, _ in change.places("disruption_budgets"):
        given = change.editor.objects("disruption_budgets")[index]
        is_unsaid = structs.replace(written.status, observed_generation=0) == k8s.PodDisruptionBudgetStatus()
        if is_unsaid and (old is None or old.spec != written.spec):
            change.editor.put("disruption_budgets", index, counter.counted(given, old))


def recounted(before: Manifests, after: Manifests) -> Manifests:
    """Manifests whose budgets have counted the pods that a change takes away, moves or scales.

    Those that a snapshot has say what was allowed before it.
    """
    stored = {key_of(each): each for each in before.disruption_budgets}
    if not stored or (before.pods is after.pods and before.workloads is after.workloads):
        return after
    editor = ManifestEditor(after)
    was, now = PodCounter(before), PodCounter(after)
    for index, each in enumerate(after.disruption_budgets):
        old = stored.get(key_of(each))
        if old is not None and old.spec == each.spec and was.status(old) != (status := now.status(each)):
            editor.put("disruption_budgets", index, structs.replace(each, status=status))
    return editor.manifests


class PodCounter:
    """Counts the pods of budgets."""

    def __init__(self, manifests: Manifests) -> None:
        self._manifests = manifests

    @cached_property
    def _pods(self) -> dict[str, list[k8s.Pod]]:
        found: dict[str, list[k8s.Pod]] = {}
        for pod in self._manifests.pods:
            found.setdefault(pod.metadata.namespace, []).append(pod)
        return found

    @cached_property
    def _owners(self) -> dict[tuple[str, str], _Scaled]:
        owners = (*self._manifests.workloads, *self._manifests.deployments)
        return {(type(each).__name__, each.metadata.key): each for each in owners if isinstance(each, _Scaled)}

    def counted(self, budget: k8s.PodDisruptionBudget, old: k8s.PodDisruptionBudget | None) -> k8s.PodDisruptionBudget:
        """A budget with what it allows; where the snapshot has none of its pods, after its status."""
        if old is not None and old.status.expected_pods > 0 and not self._selected(budget):
            return with_allowance(old, budget)
        return structs.replace(budget, status=self.status(budget))

    def status(self, budget: k8s.PodDisruptionBudget) -> k8s.PodDisruptionBudgetStatus:
        """What the controller writes."""
        pods, spec = self._selected(budget), budget.spec
        expected: int | None = len(pods)
        if spec.max_unavailable is not None or isinstance(spec.min_available, str):
            expected = self._wanted(pods)
        limit = spec.min_available if spec.max_unavailable is None else spec.max_unavailable
        number = None if expected is None or limit is None else part_of(limit, expected, up=True)
        if expected is None or number is None:
            return structs.replace(budget.status, disruptions_allowed=0)
        desired = number if spec.max_unavailable is None else max(0, expected - number)
        healthy = sum(map(_is_healthy, pods))
        return structs.replace(
            budget.status,
            disruptions_allowed=max(0, healthy - desired) if expected > 0 else 0,
            current_healthy=healthy,
            desired_healthy=desired,
            expected_pods=expected,
        )

    def _selected(self, budget: k8s.PodDisruptionBudget) -> list[k8s.Pod]:
        selector = label_selector(budget.spec.selector)
        return [pod for pod in self._pods.get(budget.metadata.namespace, ()) if selector.matches(pod.metadata.labels)]

    def _wanted(self, pods: Sequence[k8s.Pod]) -> int | None:
        """How many pods the controllers of some want in all; None where one has no number to ask for."""
        found: dict[tuple[str, str], int] = {}
        for pod in pods:
            owner = controller_of(pod.metadata)
            if owner is None:
                continue  # it does not count
            if owner.kind in _WITHOUT_SCALE:
                return None
            own = self._owners.get((owner.kind, f"{pod.metadata.namespace}/{owner.name}"))
            if own is None:  # it is not in the snapshot: it has as many as it wants
                found[owner.kind, owner.name] = found.get((owner.kind, owner.name), 0) + 1
                continue
            above = controller_of(own.metadata)
            if above is not None and above.kind == "Deployment":
                own = self._owners.get(("Deployment", f"{own.metadata.namespace}/{above.name}"), own)
            found[type(own).__name__, own.metadata.name] = replicas_of(own)
        return sum(found.values())


def _is_healthy(pod: k8s.Pod) -> bool:
    """True if a pod is ready and not on its way out; one with nothing but a phase is ready once it runs."""
    if pod.metadata.deletion_timestamp is not None or pod.status.phase != "Running":
        return False
    return not pod.status.conditions or any(
        each.type == "Ready" and each.status == "True" for each in pod.status.conditions
    )
