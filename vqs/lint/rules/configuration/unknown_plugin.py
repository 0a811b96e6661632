"""A plugin that Volcano does not bring along."""

from vqs.config import known_plugins
from vqs.config.known_plugins import ACTIONS, PLUGINS, unknown_plugins, vendor_of_plugin
from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.snapshot.reading.diagnostics import did_you_mean

_OTHER_RELEASES = "other releases of Volcano have it; --volcano chooses the release"


def check(context: LintContext) -> Findings:
    """Look for names that no plugin of Volcano has."""
    for option in given_plugins(context.conf):
        is_missing = option.name in unknown_plugins(context.profile)
        if is_missing or (option.name not in PLUGINS and vendor_of_plugin(option.name) is None):
            message = f"Volcano has no plugin {option.name}, and ignores it unless it is loaded from a file"
            fix = _OTHER_RELEASES if is_missing else _fix(option.name)
            yield Finding(message, ConfPlace((*option.path, "name")), fix=fix)


def _fix(name: str) -> str:
    if name in ACTIONS:
        return f"{name} is an action: add it to actions"
    if name in known_plugins.FORMER_PLUGINS:
        return known_plugins.FORMER_PLUGINS[name]
    hint = did_you_mean(name, PLUGINS)
    return f"{hint} If it is a plugin of your own, silence this" if hint else ""


RULE = Rule(
    code="unknown-plugin",
    severity=Severity.WARNING,
    title="Volcano has no such plugin and ignores it",
    meaning="A tier names a plugin that is not part of Volcano v1.14.4.",
    why="The scheduler logs 'Failed to get plugin' in every session and continues without the plugin. It finds a "
    "plugin of your own if it runs with --plugins-dir and that folder has a file NAME.so, which a snapshot does not "
    "show.",
    fix="Correct the name, or remove the plugin; if it is one of your own, silence this.",
    source="pkg/scheduler/framework/framework.go; pkg/scheduler/framework/plugins.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: node-order",
)
