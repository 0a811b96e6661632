"""Queues with spec.deserved that the plugin in use does not read."""

from vqs.lint.amounts import deserved, guarantee
from vqs.lint.plugins import uses
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.snapshot.apiserver.queue_sums import DESERVED


def check(context: LintContext) -> Findings:
    """Find such queues; deserved that only goes with a guarantee is what the webhook asks for."""
    conf = context.conf
    proportion = conf.plugin("proportion")
    if proportion is None or uses(conf, "capacity"):
        return
    plugin = Evidence("the plugin proportion is used, and not capacity", ConfPlace((*proportion.path, "name")))
    for queue in queue_tree(context):
        if deserved(queue.queue).keys() - guarantee(queue.queue).keys():
            yield Finding(
                f"queue {queue.name} sets spec.deserved, which the plugin proportion does not read",
                queue.at(*DESERVED, next(iter(queue.queue.spec.deserved))),
                (plugin,),
            )


RULE = Rule(
    code="deserved-ignored",
    severity=Severity.WARNING,
    title="a queue sets spec.deserved, which proportion does not read",
    meaning="The scheduler uses the plugin proportion, and a queue has spec.deserved for more than what it is "
    "guaranteed.",
    why="The plugin proportion derives what queues deserve from their weights. Only the plugin capacity reads "
    "spec.deserved.",
    fix="Replace the plugin proportion by capacity, or give the queues spec.weight.",
    source="pkg/scheduler/plugins/proportion/proportion.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="deserved: {cpu: 40}, and - name: proportion",
    given_conf=True,
)
