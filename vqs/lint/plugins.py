"""Which plugins a configuration has, and what they have a say in."""

from __future__ import annotations

from collections.abc import Iterator

from vqs.config.known_plugins import NEEDS_HIERARCHY, PLUGINS
from vqs.config.scheduler_conf import PluginOption, SchedulerConfiguration
from vqs.lint.finding import ConfPlace
from vqs.lint.queue_plugins import has_hierarchy, is_given

TIERS = ConfPlace(("tiers",), key=True)


def given_plugins(conf: SchedulerConfiguration) -> Iterator[PluginOption]:
    """Yield the plugins of a given configuration in their order; none for the built-in one."""
    if is_given(conf):
        yield from (option for tier in conf.tiers for option in tier.plugins)


def answering(conf: SchedulerConfiguration, flag: str) -> list[PluginOption]:
    """Return the plugins that have a say in what a flag is about, where it is on."""
    return [option for tier in answering_by_tier(conf, flag) for option in tier]


def answering_by_tier(conf: SchedulerConfiguration, flag: str) -> list[list[PluginOption]]:
    """Return the plugins that have a say in what a flag is about, tier by tier."""
    return [
        [option for option in tier.plugins if has_a_say(conf, option, flag) and option.enabled(flag)]
        for tier in conf.tiers
    ]


def has_a_say(conf: SchedulerConfiguration, option: PluginOption, flag: str) -> bool:
    """Tell whether a plugin has a say in what a flag is about, whether the flag is on or not. Unknown ones may."""
    if option.name not in PLUGINS:
        return True
    needs_hierarchy = flag in NEEDS_HIERARCHY.get(option.name, ())
    return flag in PLUGINS[option.name] and (not needs_hierarchy or has_hierarchy(conf, option.name))


def missing_answer(conf: SchedulerConfiguration, flag: str) -> bool:
    """Tell whether a given configuration has no plugin with a say in what a flag is about."""
    return is_given(conf) and not answering(conf, flag)


def uses_action(conf: SchedulerConfiguration, action: str) -> bool:
    """Tell whether a given configuration has an action."""
    return is_given(conf) and action in conf.actions


def action_place(conf: SchedulerConfiguration, action: str) -> ConfPlace:
    """Return where an action is first named."""
    return ConfPlace(("actions", conf.actions.index(action)))


def names_of(options: list[PluginOption]) -> str:
    """Enumerate plugins."""
    *most, last = [option.name for option in options]
    return f"{', '.join(most)} and {last}" if most else last
