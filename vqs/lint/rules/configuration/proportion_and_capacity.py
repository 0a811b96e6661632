"""Two plugins that both divide the cluster among queues."""

from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity

_BOTH = ("proportion", "capacity")


def check(context: LintContext) -> Findings:
    """Look for the second of the two."""
    found = [option for option in given_plugins(context.conf) if option.name in _BOTH]
    second = next((option for option in found if option.name != found[0].name), None)
    if second is not None:
        first = Evidence(f"the plugin {found[0].name} is configured here", ConfPlace((*found[0].path, "name")))
        message = f"{second.name} is configured together with {found[0].name}"
        yield Finding(message, ConfPlace((*second.path, "name")), (first,))


RULE = Rule(
    code="proportion-and-capacity",
    severity=Severity.WARNING,
    title="proportion and capacity are both configured",
    meaning="The tiers have both plugins that divide the cluster among queues: proportion by spec.weight, capacity by "
    "spec.deserved.",
    why="Each tracks every queue separately. A job is admitted, and a task placed, only if both agree. The first "
    "plugin that sees a difference orders the queues, and the first tier that selects victims decides which pods are "
    "reclaimed. The shares that proportion derives from weights limit queues even where spec.deserved is higher.",
    fix="Keep capacity if queues set deserved or have parents, otherwise proportion.",
    source="pkg/scheduler/plugins/proportion/proportion.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: proportion\n- name: capacity",
)
