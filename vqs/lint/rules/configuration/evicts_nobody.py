"""An action that evicts pods, without a plugin that selects victims."""

from vqs.lint.plugins import action_place, answering, is_given, uses_action
from vqs.lint.rule import Finding, Findings, LintContext, Need, Rule, Severity

_FLAGS = {"preempt": "enablePreemptable", "reclaim": "enableReclaimable", "shuffle": "enabledVictim"}
_PLUGINS = {
    "preempt": "add one of priority, gang, conformance, drf, cdp, pdb and tdm",
    "reclaim": "add one of proportion, capacity, gang, conformance, cdp, pdb and drf with enableHierarchy",
    "shuffle": "add one of rescheduling, tdm and pdb",
}


def check(context: LintContext) -> Findings:
    """Look for each action, and for plugins that select its victims."""
    conf = context.conf
    for action, flag in _FLAGS.items():
        if uses_action(conf, action) and is_given(conf) and not answering(conf, flag):
            message = f"no plugin with {flag} on selects victims, so {action} evicts no pods"
            yield Finding(message, action_place(conf, action), fix=f"{_PLUGINS[action]}, without {flag}: false")


RULE = Rule(
    code="evicts-nobody",
    severity=Severity.WARNING,
    title="no plugin selects victims for the action",
    meaning="preempt, reclaim or shuffle is configured, and no plugin selects the pods that it may evict.",
    why="The actions do not select victims themselves. preempt and reclaim ask plugins, tier by tier, which pods on a "
    "node may be evicted; shuffle asks which pods should be. Without an answer, no pod is evicted.",
    fix="Configure a plugin that selects victims, and leave its flag on; or remove the action.",
    source="pkg/scheduler/framework/session_plugins.go (Preemptable, Reclaimable, VictimTasks)",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, allocate, shuffle" without rescheduling, tdm and pdb',
)
