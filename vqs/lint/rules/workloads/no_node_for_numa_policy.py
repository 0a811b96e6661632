"""A topology policy that no node follows."""

from vqs.lint.pod_sources import LISTS, asking, followed
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.kubernetes import Pod
from vqs.model.requests import is_guaranteed
from vqs.snapshot.reading.diagnostics import did_you_mean


def check(context: LintContext) -> Findings:
    """Find pods and templates that ask for a policy that no node follows; of pods made alike, the first."""
    plugin = context.conf.plugin("numa-aware")
    if plugin is None or not plugin.enabled("enablePredicate") or not context.manifests.nodes:
        return
    nodes = followed(context)
    used = Evidence("the plugin numa-aware is used", ConfPlace((*plugin.path, "name")))
    seen = set()
    for source, policy, place in asking(context):
        if source.family in seen or policy in nodes.values() or not is_guaranteed(source.pod or Pod(spec=source.spec)):
            continue
        seen.add(source.family)
        hint = did_you_mean(policy, sorted(set(nodes.values())))
        message = f"{source.what} asks for the topology policy {policy}, which no node follows"
        there = Evidence(_summary(nodes, len(context.manifests.nodes)))
        yield Finding(f"{message} ({hint})" if hint else message, place, (there, used))


def _summary(nodes: dict[str, str], total: int) -> str:
    """Say what policies nodes follow."""
    if not nodes:
        return f"none of {total:,} nodes has a Numatopology with CPUManagerPolicy: static"
    policies = sorted(set(nodes.values()))
    counts = [f"{list(nodes.values()).count(policy):,} follow {policy or 'none'}" for policy in policies]
    return f"of {len(nodes):,} nodes with CPUManagerPolicy: static, {', '.join(counts)}"


RULE = Rule(
    code="no-node-for-numa-policy",
    severity=Severity.WARNING,
    title="pods ask for a topology policy that no node follows",
    meaning="The plugin numa-aware is used, Guaranteed pods name a topology policy, and no node has a Numatopology "
    "with that TopologyManagerPolicy and with CPUManagerPolicy: static.",
    why="The plugin refuses every other node, so the pods stay Pending.",
    fix="Ask for a policy that the kubelets follow, or configure kubelets for it and run the resource exporter on "
    "their nodes: it writes the Numatopologies.",
    source="pkg/scheduler/plugins/numaaware/numaaware.go",
    check=check,
    needs=Need.CONFIGURATION,
    looks_at=(*LISTS, "nodes", "numa_topologies", "conf"),
    example="volcano.sh/numa-topology-policy: restricted, and nodes with TopologyManagerPolicy: best-effort",
)
