"""A Deployment whose rollout makes fewer new pods at a time than their gang needs."""

from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.model.keys import GROUP_MIN_MEMBER, SCHEDULER_NAME
from vqs.model.kubernetes import DeploymentStrategy
from vqs.model.quantity import whole_number
from vqs.model.wording import count
from vqs.snapshot.controllers.workloads import replicas_of, rollout_limits


def check(context: LintContext) -> Findings:
    """Find them; a gang above all replicas is the finding of min-member-above-pods."""
    for each, place in context.objects("deployments"):
        gang = whole_number(each.metadata.annotations.get(GROUP_MIN_MEMBER, ""))
        replicas = replicas_of(each)
        if gang is None or not 1 < gang <= replicas or each.spec.template.spec.scheduler_name != SCHEDULER_NAME:
            continue
        strategy, limits = each.spec.strategy, rollout_limits(each.spec.strategy, replicas)
        # As many new pods there may be while none of them is ready.
        pods = gang if limits is None else sum(limits)
        if strategy.type in ("", "RollingUpdate") and pods < gang:
            message = (
                f"a rollout of Deployment {each.metadata.key} makes {count(pods, 'new pod')} of {replicas} before one "
                f"is ready, and their gang needs {gang}"
            )
            is_given = strategy != DeploymentStrategy()
            said = "allows no more (maxSurge and maxUnavailable)" if is_given else "is as by default"
            path = ("spec", "strategy") if is_given else ("spec",)
            evidence = Evidence(f"its strategy {said}", place.at(*path))
            at = place.at("metadata", "annotations", GROUP_MIN_MEMBER)
            yield Finding(message, at, (evidence,))


RULE = Rule(
    code="surge-below-gang",
    severity=Severity.WARNING,
    title="a rollout of a Deployment makes fewer pods at a time than their gang needs",
    meaning="A Deployment has the annotation scheduling.volcano.sh/group-min-member, and maxSurge and maxUnavailable "
    "of its strategy together allow fewer new pods than that before one of them is ready.",
    why="The new ReplicaSet gets a PodGroup of its own with the same minMember. Its first pods wait for a gang that "
    "cannot be complete, and the Deployment makes more only when these are ready: the rollout goes no further, with "
    "the old pods still running.",
    fix="Raise maxSurge or maxUnavailable until both together reach the annotation, use the strategy Recreate, or "
    "lower the annotation.",
    source="pkg/controllers/podgroup/pg_controller_handler.go; k8s.io/kubernetes pkg/controller/deployment/rolling.go",
    check=check,
    looks_at=("deployments",),
    example='8 replicas, group-min-member: "8", and the default strategy: 2 pods more, 2 fewer',
)
