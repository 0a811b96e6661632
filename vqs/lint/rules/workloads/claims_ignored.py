"""Pods with claims on devices, where the scheduler does not look at these."""

from vqs.lint.plugins import is_given
from vqs.lint.pod_sources import and_others, families, pod_sources
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity

_ARGUMENT = "predicate.DynamicResourceAllocationEnable"


def check(context: LintContext) -> Findings:
    """Find pods and templates with claims, unless they are looked at; of pods made alike, the first."""
    predicates = context.conf.plugin("predicates")
    allocated = context.profile.predicates.device_claims
    is_asked = predicates is not None and predicates.arguments.bool(_ARGUMENT)
    if predicates is not None and (allocated == "always" or (is_asked and allocated == "by-argument")):
        return
    place = ConfPlace(predicates.path) if predicates is not None and is_given(context.conf) else None
    why = {
        "always": "the plugin predicates is not used",
        "by-argument": f"the argument {_ARGUMENT} of the plugin predicates is not true",
        "behind-feature-gate": "the release needs the feature gate DynamicResourceAllocation as well, which is off",
    }[allocated]
    evidence = (Evidence("it is configured without that", place),) if place and allocated == "by-argument" else ()
    waiting = (each for each in pod_sources(context) if each.spec.resource_claims and each.for_volcano and each.waits)
    for source, number in families(waiting):
        message = (
            f"{and_others(source.what, number)} has resourceClaims, and the scheduler does not allocate them: {why}"
        )
        yield Finding(message, source.at("spec", "resourceClaims"), evidence)


RULE = Rule(
    code="claims-ignored",
    severity=Severity.WARNING,
    title="pods claim devices, and the scheduler does not look at claims",
    meaning="A pod or a template for Volcano has resourceClaims, and the argument "
    f"{_ARGUMENT} of the plugin predicates is not true. Up to 1.13, the feature gate DynamicResourceAllocation of the "
    "scheduler is needed as well, which vqs takes to be off; from 1.15 on, claims are always looked at.",
    why="The scheduler binds the pod to any node that fits otherwise. Its claims are not allocated, so no kubelet "
    "starts it: it stays in ContainerCreating and holds its other resources.",
    fix=f"Set {_ARGUMENT}: true among the arguments of the plugin predicates.",
    source="pkg/scheduler/plugins/predicates/predicates.go",
    check=check,
    needs=Need.CONFIGURATION,
    given_conf=True,
    example="spec.resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}] with the plugin predicates alone",
)
