"""A guarantee whose amounts are not under `resource`."""

from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity

_RESOURCE = "resource"


def check(context: LintContext) -> Findings:
    """Find such guarantees in queues that no API server has seen."""
    written = context.written
    for queue in queue_tree(context):
        if context.is_stored(queue.queue):
            continue
        spec = written.get(queue.place.list_name, queue.place.index).get("spec")
        guarantee = spec.get("guarantee") if isinstance(spec, dict) else None
        # what is no amount may be a misspelt `resource`, which another rule finds
        items = guarantee.items() if isinstance(guarantee, dict) else ()
        names = [str(name) for name, value in items if name != _RESOURCE and isinstance(value, str | int | float)]
        if names:
            message = f"the guarantee of queue {queue.name} has {', '.join(names)} not under resource"
            yield Finding(f"{message}: none of that is guaranteed", queue.at("spec", "guarantee", names[0]))


RULE = Rule(
    code="guarantee-without-resource",
    severity=Severity.WARNING,
    title="the amounts of a guarantee are not under resource",
    meaning="spec.guarantee of a queue names resources itself. Unlike capability and deserved, guarantee has them one "
    "level deeper, under resource.",
    why="The only field of a guarantee is resource. kubectl refuses others unless validation is switched off; for "
    "other clients the API server silently drops them, and nothing is guaranteed.",
    fix="Put the amounts under resource.",
    source="config/crd/volcano/bases/scheduling.volcano.sh_queues.yaml",
    check=check,
    example="guarantee: {cpu: 10}, where guarantee: {resource: {cpu: 10}} is meant",
)
