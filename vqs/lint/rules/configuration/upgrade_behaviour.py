"""What an upgrade of Volcano changes about what a configuration uses."""

from typing import Final

from vqs.config.known_plugins import ACTIONS, GANG_ACTIONS, PLUGINS
from vqs.lint.plugins import action_place, is_given
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.releases.profile import Behaviour, behaviours, profile_of
from vqs.releases.release import titled

_EVICTING: Final = frozenset({"preempt", "reclaim", *GANG_ACTIONS})
"""The actions that make room for a task by evicting others."""


def check(context: LintContext) -> Findings:
    """Look for the behaviours that another release has, and that the configuration has to do with."""
    if context.upgrade is None:
        return
    after = profile_of(context.upgrade)
    for row in behaviours().values():
        value = row.of(context.profile)
        if row.of(after) != value and _is_used(context, row):
            upgrade, base = context.upgrade, context.profile.release
            message = (
                f"with Volcano {titled(upgrade)}, behaviour {row.name} is {row.of(after)} in place of {value}: "
                f"{row.decides}"
            )
            command = f"vqs diff-configs --volcano {base} --volcano {upgrade} SNAPSHOT"
            fix = f"Compare both releases on a snapshot: {command}."
            yield Finding(message, _place(context, row), fix=fix)


def _is_used(context: LintContext, row: Behaviour) -> bool:
    """True if an area is in use: a plugin or an action of the configuration, or what always runs."""
    name = _name_of_area(row)
    if row.area == "eviction":
        return not _EVICTING.isdisjoint(context.conf.actions)
    if name in PLUGINS:
        return context.conf.plugin(name) is not None
    return name not in ACTIONS or name in context.conf.actions


def _place(context: LintContext, row: Behaviour) -> ConfPlace | None:
    if not is_given(context.conf):
        return None
    name = _name_of_area(row)
    plugin = context.conf.plugin(name)
    if plugin is not None:
        return ConfPlace(plugin.path)
    return action_place(context.conf, name) if name in context.conf.actions else ConfPlace()


def _name_of_area(row: Behaviour) -> str:
    return row.area.replace("_", "-")


RULE = Rule(
    code="upgrade-behaviour",
    severity=Severity.NOTE,
    title="the release of --upgrade decides something else here",
    meaning="Releases of Volcano differ in a behaviour of a plugin or an action that is in use, or of what always "
    "runs. Found only with --upgrade RELEASE.",
    why="Decisions may change with the upgrade, though nothing in the cluster does. vqs versions NAME says what a "
    "behaviour decides, and why it was changed.",
    fix="Compare both releases on a snapshot: vqs diff-configs --volcano 1.14 --volcano 1.15 SNAPSHOT.",
    source="docs/releases.md (Before an upgrade)",
    check=check,
    needs=Need.CONFIGURATION,
    example="vqs lint snapshot.json --upgrade 1.15",
)
