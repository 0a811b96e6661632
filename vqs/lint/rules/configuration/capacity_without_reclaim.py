"""What queues deserve under capacity, and nothing that takes it back."""

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import ConfPlace, Evidence, Finding, Severity
from vqs.lint.queue_plugins import is_given, option
from vqs.lint.rule import Need, Rule


def check(context: LintContext) -> Iterator[Finding]:
    """Look for queues with deserved, capacity, and no action reclaim."""
    conf = context.conf
    capacity = option(conf, "capacity")
    if not is_given(conf) or capacity is None or "reclaim" in conf.actions:
        return
    first = next(((queue, place) for queue, place in context.objects("queues") if queue.spec.deserved), None)
    if first is None and context.manifests.queues:
        return
    evidence: list[Evidence] = [Evidence("capacity is configured here", ConfPlace((*capacity.path, "name")))]
    if first is not None:
        queue, place = first
        text = f"queue {queue.metadata.name} states what it deserves"
        evidence.append(Evidence(text, type(place)(place.list_name, place.index, ("spec", "deserved"))))
    message = "capacity is configured without the action reclaim: nothing is taken from queues above their deserved"
    yield Finding(message, ConfPlace(("actions",)), tuple(evidence))


RULE = Rule(
    code="capacity-without-reclaim",
    severity=Severity.WARNING,
    title="capacity is there, and no action reclaim that enforces deserved",
    meaning="The plugin capacity is configured, queues state deserved or there are no queues in the input, and "
    "actions does not have reclaim.",
    why="Under capacity a queue may use more than it deserves, up to its capability, as long as nobody else needs it. "
    "Only the action reclaim takes that back. Without it, deserved decides the order of queues, and a queue below it "
    "waits until pods of others end.",
    fix="Add reclaim to actions, behind allocate. If you only use guarantee and capability, leave deserved away.",
    source="pkg/scheduler/plugins/capacity/capacity.go; pkg/scheduler/actions/reclaim/reclaim.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, allocate, backfill" with the plugin capacity',
)
