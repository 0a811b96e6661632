"""A flag that is switched on for a plugin that does not use it."""

from vqs.config.known_plugins import NEEDS_HIERARCHY, PLUGINS, REHEARSES
from vqs.lint.plugins import given_plugins, has_a_say
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity

_HIERARCHY = "enableHierarchy"


def check(context: LintContext) -> Findings:
    """Look for flags that are true, and have nothing to switch on."""
    conf = context.conf
    for option in given_plugins(conf):
        for flag, value in option.flags.items():
            if not value or flag == _HIERARCHY or has_a_say(conf, option, flag):
                continue
            if flag in REHEARSES.get(option.name, ()):
                continue
            names = [name for name, flags in PLUGINS.items() if flag in flags]
            effect = f"it has an effect on {', '.join(names)} only" if names else "it has an effect on no plugin"
            needs_tree = flag in NEEDS_HIERARCHY.get(option.name, ())
            fix = f"set {_HIERARCHY}: true, too" if needs_tree else f"remove the flag: {effect}"
            message = f"{flag}: true changes nothing: the plugin {option.name} has no function for this flag to switch"
            yield Finding(message, ConfPlace((*option.path, flag), key=True), fix=fix)


RULE = Rule(
    code="flag-without-effect",
    severity=Severity.NOTE,
    title="a flag is true for a plugin that does not use it",
    meaning="A flag is true for a plugin that registers no function at that extension point.",
    why="Flags only switch off functions that a plugin has; they cannot add any. All but enableHierarchy are on by "
    "default.",
    fix="Remove the flag.",
    source="pkg/scheduler/framework/session_plugins.go; pkg/scheduler/plugins (OnSessionOpen)",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: priority\n  enableReclaimable: true",
)
