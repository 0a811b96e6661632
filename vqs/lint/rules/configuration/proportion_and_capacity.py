"""Two plugins that both divide the cluster among queues."""

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import ConfPlace, Evidence, Finding, Severity
from vqs.lint.plugins import given_plugins
from vqs.lint.rule import Need, Rule

_BOTH = ("proportion", "capacity")


def check(context: LintContext) -> Iterator[Finding]:
    """Look for the second of the two."""
    found = [option for option in given_plugins(context.conf) if option.name in _BOTH]
    second = next((option for option in found if option.name != found[0].name), None)
    if second is not None:
        first = Evidence(f"{found[0].name} is configured here", ConfPlace((*found[0].path, "name")))
        message = f"{second.name} is configured together with {found[0].name}"
        yield Finding(message, ConfPlace((*second.path, "name")), (first,))


RULE = Rule(
    code="proportion-and-capacity",
    severity=Severity.WARNING,
    title="proportion and capacity are both configured",
    meaning="The tiers have both plugins that give queues their share: proportion by weight, capacity by what queues "
    "state as deserved.",
    why="Each keeps its own account of every queue. A job gets in, and a task gets a node, only if both agree; for "
    "the order of queues the first that sees a difference decides; pods are reclaimed as the first tier says that "
    "names any. What deserved says is outweighed by what proportion makes of the weights.",
    fix="Keep capacity if queues state deserved or have parents, else proportion.",
    source="pkg/scheduler/plugins/proportion/proportion.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: proportion\n- name: capacity",
)
