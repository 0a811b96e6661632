"""Preempt or reclaim without a plugin that tells which jobs are starving."""

from vqs.lint.plugins import action_place, answering, given_plugins, has_a_say, is_given, uses_action
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity

_FLAG = "enableJobStarving"


def check(context: LintContext) -> Findings:
    """Look for the actions, and for plugins that call jobs starving."""
    conf = context.conf
    if not (is_given(conf) and not answering(conf, _FLAG)):
        return
    off = tuple(
        Evidence(f"{_FLAG} of {option.name} is false", ConfPlace((*option.path, _FLAG)))
        for option in given_plugins(conf)
        if has_a_say(conf, option, _FLAG)
    )
    for action in ("preempt", "reclaim", "gangpreempt", "gangreclaim"):
        if uses_action(conf, action):
            message = f"no plugin marks jobs as starving, so {action} does nothing"
            yield Finding(message, action_place(conf, action), off)


RULE = Rule(
    code="no-starving-plugin",
    severity=Severity.WARNING,
    title="an action that evicts is configured, and no plugin marks jobs as starving",
    meaning="None of gang, priority and tdm is configured with enableJobStarving on.",
    why="preempt, reclaim, gangpreempt and gangreclaim only act for starving jobs. A job is starving if all plugins in "
    "the first tier that has such a plugin say so; without such a plugin, no job is. gang says so below minMember, "
    "priority while any pod of the job is not placed.",
    fix="Add gang or priority, or remove their enableJobStarving: false.",
    source="pkg/scheduler/framework/session_plugins.go (JobStarving)",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, allocate, preempt" without gang and priority',
)
