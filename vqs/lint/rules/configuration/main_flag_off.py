"""A plugin whose main purpose is switched off."""

from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity

_LOST = {
    ("gang", "enableJobReady"): "pods are bound before the minimum of their job has places",
    ("gang", "enableJobPipelined"): "preempt and reclaim evict pods for gangs that do not become complete",
    ("proportion", "enabledAllocatable"): "a task may take its queue above what it deserves",
    ("capacity", "enabledAllocatable"): "a task may take its queue above its capability",
    ("overcommit", "enableJobEnqueued"): "it holds no job back, which is all that it is for",
    ("resourcequota", "enableJobEnqueued"): "it holds no job back, which is all that it is for",
    ("nodeorder", "enableNodeOrder"): "it scores no nodes, which is all that it is for",
    ("binpack", "enableNodeOrder"): "it scores no nodes, which is all that it is for",
    ("rescheduling", "enabledVictim"): "it evicts no pods, which is its only purpose",
}


def check(context: LintContext) -> Findings:
    """Look for flags without which a plugin is of little use."""
    for option in given_plugins(context.conf):
        for (plugin, flag), lost in _LOST.items():
            if option.name == plugin and not option.enabled(flag):
                yield Finding(f"{plugin} has {flag}: false: {lost}", ConfPlace((*option.path, flag)))


RULE = Rule(
    code="main-flag-off",
    severity=Severity.WARNING,
    title="the main function of the plugin is switched off",
    meaning="A flag is false without which the plugin does little or nothing.",
    why="A flag switches off one function of a plugin. The plugin stays in the configuration and seems to work.",
    fix="Remove the flag that is false, or the whole plugin if its feature is not wanted.",
    source="pkg/scheduler/framework/session_plugins.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: gang\n  enableJobReady: false",
)
