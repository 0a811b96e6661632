"""An action that evicts pods, without a plugin that names any."""

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import Finding, Severity
from vqs.lint.plugins import action_place, missing_answer, uses_action
from vqs.lint.rule import Need, Rule

_FLAGS = {"preempt": "enablePreemptable", "reclaim": "enableReclaimable", "shuffle": "enabledVictim"}
_PLUGINS = {
    "preempt": "priority, gang, conformance, drf, cdp, pdb and tdm do",
    "reclaim": "proportion, capacity, gang, conformance, cdp, pdb and drf with enableHierarchy do",
    "shuffle": "rescheduling, tdm and pdb do",
}


def check(context: LintContext) -> Iterator[Finding]:
    """Look for each action, and for plugins that name pods for it."""
    conf = context.conf
    for action, flag in _FLAGS.items():
        if uses_action(conf, action) and missing_answer(conf, flag):
            message = f"no plugin with {flag} on names pods to evict, so that {action} evicts nobody"
            yield Finding(message, action_place(conf, action), fix=f"{_PLUGINS[action]}, unless {flag} is false")


RULE = Rule(
    code="evicts-nobody",
    severity=Severity.WARNING,
    title="the action is there to evict pods, and no plugin names any",
    meaning="preempt, reclaim or shuffle is configured, and no plugin has a say in whom it may evict.",
    why="The actions do not choose by themselves. preempt and reclaim ask plugins, tier by tier, which of the pods on "
    "a node may go; shuffle asks which pods should. Without an answer, nobody does.",
    fix="Configure a plugin that has a say, and leave its flag on; or remove the action.",
    source="pkg/scheduler/framework/session_plugins.go (Preemptable, Reclaimable, VictimTasks)",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, allocate, shuffle" without rescheduling, tdm and pdb',
)
