"""The controller of ResourceClaims: a pod gets a claim from each template that it names.

A pod that a cluster has stored is left as it is in the first session: the scheduler waits for its claims as it finds
it. Before the next one, the controller has made them.
Reference: k8s.io/kubernetes pkg/controller/resourceclaim/controller.go.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from vqs.model import kubernetes as k8s
from vqs.model.devices import ResourceClaim, ResourceClaimTemplate
from vqs.snapshot.controllers.world import World, is_active, reference


def sync_resource_claims(world: World) -> None:
    """Make the claims that new pods lack, where their templates are known."""
    templates = {each.metadata.key: each for each in world.given.resource_claim_templates}
    if not templates:
        return
    made = {claim.metadata.key for claim in world.resource_claims}
    for index, pod in enumerate(world.pods):
        is_late = bool(pod.metadata.uid) and not world.given.sessions
        if pod.spec.resource_claims and not is_late and is_active(pod):
            world.pods[index], claims = with_claims(pod, templates)
            maker = world.maker("pods", index, "Pod", pod.metadata)
            world.ask_for_devices(len(claims), maker)
            for claim in claims:
                if claim.metadata.key not in made:
                    made.add(claim.metadata.key)
                    world.add("resource_claims", claim, maker)


def with_claims(pod: k8s.Pod, templates: Mapping[str, ResourceClaimTemplate]) -> tuple[k8s.Pod, list[ResourceClaim]]:
    """A pod that knows its claims, and those that it lacks, given the templates by namespace/name."""
    known = {status.name for status in pod.status.resource_claim_statuses}
    claims = {
        wanted.name: _claim(pod, wanted.name, templates[key])
        for wanted in pod.spec.resource_claims
        if wanted.name not in known
        and (key := f"{pod.metadata.namespace}/{wanted.resource_claim_template_name}") in templates
    }
    if not claims:
        return pod, []
    statuses = [k8s.PodResourceClaimStatus(name, claim.metadata.name) for name, claim in claims.items()]
    every = [*pod.status.resource_claim_statuses, *statuses]
    return replace(pod, status=replace(pod.status, resource_claim_statuses=every)), list(claims.values())


def _claim(pod: k8s.Pod, name: str, template: ResourceClaimTemplate) -> ResourceClaim:
    metadata = replace(
        template.spec.metadata,
        name=f"{pod.metadata.name}-{name}",
        namespace=pod.metadata.namespace,
        owner_references=[reference("v1", "Pod", pod.metadata)],
    )
    return ResourceClaim(metadata, template.spec.spec)
