"""A pod that requests nothing, where no action places such pods."""

from vqs.lint.pod_sources import LISTS, and_others, families, pod_sources
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.model.requests import volcano_request


def check(context: LintContext) -> Findings:
    """Find pods for Volcano without requests, if the action backfill is not configured."""
    if "backfill" in context.conf.actions:
        return
    actions = Evidence(f"the actions are {', '.join(context.conf.actions)}", ConfPlace(("actions",)))
    waiting = (source for source in pod_sources(context) if source.for_volcano and source.waits)
    for source, number in families(each for each in waiting if volcano_request(k8s.Pod(spec=each.spec)).is_empty()):
        message = f"{and_others(source.what, number)} requests nothing, and no action places such pods"
        yield Finding(message, source.at("spec", "containers"), (actions,))


RULE = Rule(
    code="best-effort-without-backfill",
    severity=Severity.WARNING,
    title="a pod requests nothing, and backfill is not configured",
    meaning="A pod for Volcano has no requests and no limits, and backfill is not among the actions.",
    why="allocate skips pods without requests and leaves them to the action backfill. The gang counts them as placed, "
    "so its other pods start without them.",
    fix="Add backfill to the end of the actions, or give the pod requests.",
    source="pkg/scheduler/actions/backfill/backfill.go",
    check=check,
    needs=Need.CONFIGURATION,
    looks_at=(*LISTS, "conf"),
    example='actions: "enqueue, allocate", and a pod whose containers have no resources',
)
