"""What the scheduler's configuration makes of queues."""

from __future__ import annotations

from vqs.config.scheduler_conf import BUILT_IN, PluginOption, SchedulerConfiguration
from vqs.lint.finding import ConfPlace, Evidence


def is_given(conf: SchedulerConfiguration) -> bool:
    """Tell whether a configuration was given; the built-in one may stand in for one that was not."""
    return conf.source != BUILT_IN


def option(conf: SchedulerConfiguration, plugin: str) -> PluginOption | None:
    """Return a plugin where it is first named, which is what counts for hierarchy; None where it is not used."""
    return next((each for tier in conf.tiers for each in tier.plugins if each.name == plugin), None)


def uses(conf: SchedulerConfiguration, plugin: str) -> bool:
    """Tell whether a plugin is used."""
    return option(conf, plugin) is not None


def has_hierarchy(conf: SchedulerConfiguration, plugin: str) -> bool:
    """Tell whether a plugin is to look at queues as a tree."""
    found = option(conf, plugin)
    return found is not None and found.enabled("enableHierarchy")


def evidence_of_hierarchy(conf: SchedulerConfiguration) -> tuple[Evidence, ...]:
    """Say where it stands that the plugin capacity is to look at queues as a tree, if it is."""
    if not has_hierarchy(conf, "capacity"):
        return ()
    found = option(conf, "capacity")
    place = ConfPlace((*found.path, "enableHierarchy")) if found is not None else None
    return (Evidence("the plugin capacity is used with enableHierarchy", place),)
