"""What an upgrade of Volcano changes about what a configuration uses."""

from collections.abc import Mapping
from typing import Final

from vqs.config.known_plugins import ACTIONS, GANG_ACTIONS, PLUGINS
from vqs.lint.plugins import action_place, is_given, uses
from vqs.lint.pod_groups import topologies
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.releases.profile import Behaviour, behaviours, profile_of
from vqs.releases.release import titled

_EVICTING: Final = frozenset({"preempt", "reclaim", *GANG_ACTIONS})
"""The actions that make room for a task by evicting others."""
_COUNTING: Final = ("capacity", "overcommit", "proportion", "resourcequota")
"""The plugins that count what admitted jobs reserve in queues."""
_OF_OBJECTS: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    ("claim-owner-reason", "device-claims", "device-pools"): (
        "resource_claims",
        "resource_claim_templates",
        "resource_slices",
    ),
    ("node-shards", "sharding-flags"): ("node_shards",),
    ("numa-pod-allocations",): ("numa_topologies",),
    ("attach-limit-names", "free-storage", "volume-node-reason"): ("claims", "volumes"),
    ("volcano-cron-jobs",): ("cron_jobs",),
    (
        "group-of-restarted",
        "job-partitions",
        "mpi-worker",
        "own-deletions",
        "partition-minimum",
        "ray-plugin",
        "succeeded-dependencies",
    ): ("volcano_jobs", "cron_jobs", "job_templates"),
    ("highest-tier-default", "tier-name-characters", "tier-name-fields"): ("hyper_nodes",),
}
"""Behaviours that decide on some kinds of objects only, and the lists of these."""


def check(context: LintContext) -> Findings:
    """Look for the behaviours that another release has, and that the configuration has to do with."""
    if context.upgrade is None:
        return
    after = profile_of(context.upgrade)
    for row in behaviours().values():
        value = row.of(context.profile)
        if row.of(after) != value and _is_used(context, row):
            message = (
                f"with Volcano {titled(after.name)}, behaviour {row.name} is {row.of(after)} in place of {value}: "
                f"{row.decides}"
            )
            command = f"vqs diff-configs --volcano {context.profile.name} --volcano {after.name} SNAPSHOT"
            fix = f"Compare both releases on a snapshot: {command}."
            yield Finding(message, _place(context, row), fix=fix)


def _is_used(context: LintContext, row: Behaviour) -> bool:
    """True if a plugin or an action of the configuration, or what always runs, has it, and there are such objects."""
    name, conf, manifests = row.area.replace("_", "-"), context.conf, context.manifests
    if row.area == "eviction":
        return not _EVICTING.isdisjoint(conf.actions)
    if row.area == "network_topology":
        asked = [topologies(each.spec) for each in manifests.pod_groups]
        asked += [topologies(each.spec) for each in manifests.volcano_jobs]
        return uses(conf, "network-topology-aware") or bool(manifests.hyper_nodes) or any(map(any, asked))
    if row.area == "queues":
        return any(uses(conf, plugin) for plugin in _COUNTING)
    if name in PLUGINS and not uses(conf, name):
        return False
    if name in ACTIONS and name not in conf.actions:
        return False
    # Of a configuration alone, nobody knows which objects the cluster has.
    needed = next((lists for rows, lists in _OF_OBJECTS.items() if row.name in rows), None)
    return needed is None or not manifests.nodes or any(getattr(manifests, each) for each in needed)


def _place(context: LintContext, row: Behaviour) -> ConfPlace | None:
    if not is_given(context.conf):
        return None
    name = row.area.replace("_", "-")
    plugin = context.conf.plugin(name)
    if plugin is not None:
        return ConfPlace(plugin.path)
    return action_place(context.conf, name) if name in context.conf.actions else ConfPlace()


RULE = Rule(
    code="upgrade-behaviour",
    severity=Severity.NOTE,
    title="the release of --upgrade decides something else here",
    meaning="Releases of Volcano differ in a behaviour of a plugin or an action that is in use, or of what always "
    "runs. What is about objects of which the snapshot has none is left out. Found only with --upgrade RELEASE.",
    why="Decisions may change with the upgrade, though nothing in the cluster does. vqs versions NAME says what a "
    "behaviour decides, and why it was changed.",
    fix="Compare both releases on a snapshot: vqs diff-configs --volcano 1.14 --volcano 1.15 SNAPSHOT.",
    source="docs/releases.md (Before an upgrade)",
    check=check,
    needs=Need.CONFIGURATION,
    example="vqs lint snapshot.json --upgrade 1.15",
)
