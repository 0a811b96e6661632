"""The plugin predicates without its predicates, under which nothing is placed."""

from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity

_FLAG = "enablePredicate"
_VOLUMES = "predicate.VolumeBindingEnable"


def check(context: LintContext) -> Findings:
    """Look for the flag, and whether volumes are bound all the same."""
    for option in given_plugins(context.conf):
        if option.name != "predicates" or option.enabled(_FLAG):
            continue
        place = ConfPlace((*option.path, _FLAG))
        if option.arguments.get(_VOLUMES) is False:
            yield Finding(f"{_FLAG} of predicates is false: pods go to any node with enough idle resources", place)
        else:
            evidence = Evidence(f"{_VOLUMES} is true, as it is by default", None)
            yield Finding(f"{_FLAG} of predicates is false: no pod at all can be placed", place, (evidence,))


RULE = Rule(
    code="predicates-off",
    severity=Severity.ERROR,
    title="predicates is configured with enablePredicate: false",
    meaning="The plugin predicates is configured, and its filters are switched off.",
    why="Nodes are not filtered. VolumeBinding still reserves volumes for every pod, even one without volumes, and "
    "fails because it was never prepared: no pod is placed. With predicate.VolumeBindingEnable: false, pods are placed "
    "on any node with enough idle resources.",
    fix="Remove enablePredicate: false. To switch off single filters, use arguments such as "
    "predicate.NodePortsEnable: false.",
    source="pkg/scheduler/plugins/predicates/predicates.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: predicates\n  enablePredicate: false",
)
