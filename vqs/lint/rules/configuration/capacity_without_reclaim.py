"""Deserved shares under capacity without the action that enforces them."""

from vqs.lint.plugins import is_given
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Look for queues with deserved, capacity, and no action reclaim."""
    conf = context.conf
    capacity = conf.plugin("capacity")
    if not is_given(conf) or capacity is None or "reclaim" in conf.actions:
        return
    first = next(((queue, place) for queue, place in context.objects("queues") if queue.spec.deserved), None)
    if first is None and context.manifests.queues:
        return
    evidence: list[Evidence] = [Evidence("the plugin capacity is configured here", ConfPlace((*capacity.path, "name")))]
    if first is not None:
        queue, place = first
        text = f"queue {queue.metadata.name} sets spec.deserved"
        evidence.append(Evidence(text, type(place)(place.list_name, place.index, ("spec", "deserved"))))
    message = (
        "capacity is configured without the action reclaim: nothing is reclaimed from queues above their deserved share"
    )
    yield Finding(message, ConfPlace(("actions",)), tuple(evidence))


RULE = Rule(
    code="capacity-without-reclaim",
    severity=Severity.WARNING,
    title="capacity is configured without the action reclaim, which enforces deserved",
    meaning="The plugin capacity is configured, queues set spec.deserved (or the input has no queues), and actions "
    "does not list reclaim.",
    why="With capacity, a queue may use more than it deserves, up to its capability, while other queues do not need "
    "it. Only the action reclaim takes these resources back. Without reclaim, deserved only decides the order of "
    "queues, and a queue below its deserved share waits until pods of other queues end.",
    fix="Add reclaim to actions, after allocate. If you only use guarantee and capability, leave deserved out.",
    source="pkg/scheduler/plugins/capacity/capacity.go; pkg/scheduler/actions/reclaim/reclaim.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, allocate, backfill" with the plugin capacity',
)
