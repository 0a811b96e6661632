"""A pod that names a ResourceClaim, a template or, through them, a DeviceClass that does not exist."""

from vqs.lint.amounts import near_names
from vqs.lint.pod_sources import LISTS, pod_sources
from vqs.lint.rule import Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model.devices import DeviceClaim

_CLAIMS = "resource_claims"
_TEMPLATES = "resource_claim_templates"


def check(context: LintContext) -> Findings:
    """Find names of claims and templates in pods, and names of classes in these, that stand for nothing."""
    claims = {claim.metadata.key for claim, _ in context.objects(_CLAIMS)}
    templates = {template.metadata.key for template, _ in context.objects(_TEMPLATES)}
    for source in pod_sources(context):
        if source.spec.resource_claims and source.for_volcano and source.waits:
            # Look at the names of a pod; a snapshot may have been taken without the kind.
            namespace = source.owner.namespace
            for index, each in enumerate(source.spec.resource_claims):
                for name, field, kind, known in (
                    (each.resource_claim_name, "resourceClaimName", "ResourceClaim", claims),
                    (
                        each.resource_claim_template_name,
                        "resourceClaimTemplateName",
                        "ResourceClaimTemplate",
                        templates,
                    ),
                ):
                    if name is None or f"{namespace}/{name}" in known or not (known or not source.is_stored):
                        continue
                    here = sorted(key.partition("/")[2] for key in known if key.startswith(f"{namespace}/"))
                    near = near_names(here)(name)
                    hint = f" ({near})" if near else ""
                    message = f"{source.what} names the {kind} {namespace}/{name}, which does not exist{hint}"
                    yield Finding(message, source.at("spec", "resourceClaims", index, field))
    classes = {each.metadata.name for each, _ in context.objects("device_classes")}
    if not classes:
        return  # a snapshot may have been taken without them
    for claim, place in context.objects(_CLAIMS):
        if claim.status.allocation is None:
            yield from _of_claim(f"ResourceClaim {claim.metadata.key}", claim.spec.devices, place, ("spec",), classes)
    for template, place in context.objects(_TEMPLATES):
        what = f"ResourceClaimTemplate {template.metadata.key}"
        yield from _of_claim(what, template.spec.spec.devices, place, ("spec", "spec"), classes)


def _of_claim(what: str, devices: DeviceClaim, place: Place, path: tuple[str, ...], classes: set[str]) -> Findings:
    """Look at the classes that a claim asks for."""
    near = near_names(sorted(classes))
    for index, request in enumerate(devices.requests):
        asked: list[tuple[str, tuple[str | int, ...]]] = [
            (each.device_class_name, ("firstAvailable", at)) for at, each in enumerate(request.first_available)
        ]
        if request.exactly is not None:
            asked.append((request.exactly.device_class_name, ("exactly",)))
        for name, where in asked:
            if not name or name in classes:
                continue
            hint = f" ({near(name)})" if near(name) else ""
            at = place.at(*path, "devices", "requests", index, *where, "deviceClassName")
            yield Finding(f"{what} asks for the DeviceClass {name}, which does not exist{hint}", at)


RULE = Rule(
    code="unknown-resource-claim",
    severity=Severity.ERROR,
    title="a pod names a ResourceClaim, a template or a DeviceClass that does not exist",
    meaning="A pod or a template names a ResourceClaim or ResourceClaimTemplate that is not in its namespace, or a "
    "claim asks for a DeviceClass that does not exist.",
    why="The scheduler refuses the pod before it checks any node, until what it names is there.",
    fix="Correct the name, or create the object.",
    source="k8s.io/kubernetes pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go",
    check=check,
    looks_at=(*LISTS, _CLAIMS, _TEMPLATES, "device_classes"),
    example="resourceClaimTemplateName: large-gpus, where the template is called large-gpu",
)
