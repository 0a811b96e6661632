"""Arguments for an action that does not get them."""

from vqs.config import known_plugins
from vqs.config.known_plugins import ACTIONS, PLUGINS, vendor_of_configuration
from vqs.lint.plugins import is_given
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.snapshot.reading.diagnostics import did_you_mean


def check(context: LintContext) -> Findings:
    """Look at the names in configurations."""
    conf = context.conf
    if not is_given(conf):
        return
    for name, arguments in conf.configurations.items():
        place = ConfPlace((*arguments.path[:-1], "name"))
        if vendor_of_configuration(name) is not None:
            continue
        if name not in ACTIONS:
            fix = known_plugins.FORMER_ACTIONS.get(name) or did_you_mean(name, ACTIONS)
            fix = "arguments of plugins are in tiers" if name in PLUGINS else fix
            yield Finding(f"Volcano has no action {name!r} that could read these arguments", place, fix=fix)
        elif name not in conf.actions:
            yield Finding(f"these arguments are for {name}, which is not among the actions", place)
    for name, path in conf.repeated_configurations:
        message = f"configurations has {name} twice; these arguments are ignored"
        yield Finding(message, ConfPlace((*path, "name")), fix="write all arguments of an action in one item")


RULE = Rule(
    code="unused-action-arguments",
    severity=Severity.WARNING,
    title="no action reads these arguments",
    meaning="An item of configurations is for an action that does not exist or is not configured, or for an action "
    "that already has an item.",
    why="When an action runs, it reads the first item of configurations with its name.",
    fix="Correct the name, or add the action to actions. Note that an action keeps the last value it read: to return "
    "to a default, write it, or restart the scheduler.",
    source="pkg/scheduler/framework/arguments.go (GetArgOfActionFromConf)",
    check=check,
    needs=Need.CONFIGURATION,
    example="configurations:\n- name: preemption\n  arguments: {enableTopologyAwarePreemption: true}",
)
