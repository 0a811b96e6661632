"""An annotation or label of Volcano that does not exist, and resembles one that does."""

from collections.abc import Iterator
from difflib import get_close_matches

from vqs.lint.pod_sources import families, pod_sources
from vqs.lint.rule import Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model import keys
from vqs.model import kubernetes as k8s

_DOMAIN = "volcano.sh/"
_NAMES = (
    "burst-name closed-by-parent colocation colocation-config colocation-config-name cooldown-time enable-quota-burst "
    "evicting-cpu-high-watermark evicting-cpu-low-watermark evicting-memory-high-watermark "
    "evicting-memory-low-watermark gpu-index gpu-memory gpu-number hierarchy hierarchy-weights hypercluster hypernode "
    "jdb-max-unavailable jdb-min-available job-allocated-hypernode job-forwarding job-name job-namespace "
    "job-retry-count job-spec job-type job-version network-bandwidth-rate network-topology-highest-tier "
    "network-topology-mode network-topology-source nodegroup-name nodetype numa-topology-policy "
    "offline-job-evicting oversubscription oversubscription-cpu oversubscription-memory oversubscription-types "
    "partition-id preemptable predicate-time qos-level queue-name quota-burst-time resource-group "
    "resource-strategy-scoring-type resource-strategy-weight revocable-zone sla-waiting-time task-index task-instance "
    "task-priority task-spec task-topology task-topology-affinity task-topology-anti-affinity "
    "task-topology-task-order template-uid topology-decision vgpu-cores vgpu-memory vgpu-memory-percentage vgpu-mode "
    "vgpu-node vgpu-number"
)
_KNOWN = (
    *(_DOMAIN + name for name in _NAMES.split()),
    keys.GROUP_NAME,
    keys.GROUP_QUEUE,
    keys.GROUP_MIN_MEMBER,
)
_SERVING = "serving.volcano.sh"
"""How the domains end that belong to Kthena, whose keys Volcano does not read."""
_NEAR = 0.8
_UNREAD = {
    "scheduling.volcano.sh/group-name": f"the PodGroup of a pod is named in {keys.GROUP_NAME}",
    "scheduling.volcano.sh/group-min-resources": "minResources are computed from the pods",
}
"""Keys that Volcano has a name for, and does not look at."""


def check(context: LintContext) -> Findings:
    """Find keys in Volcano's own domains that are near to known ones."""
    for what, metadata, place in _metadata(context):
        for field, entries in (("annotations", metadata.annotations), ("labels", metadata.labels)):
            for key in entries:
                domain, _, name = key.partition("/")
                if (
                    key in _KNOWN
                    or _SERVING in domain
                    or not (domain.endswith(_DOMAIN[:-1]) or domain == "scheduling.k8s.io")
                ):
                    continue
                # The known key that has the nearest name is meant, whatever stands before the slash.
                by_name = {known.partition("/")[2]: known for known in reversed(_KNOWN)}
                near = get_close_matches(name, by_name, 1, _NEAR)
                hint = _UNREAD.get(key) or (f"did you mean {by_name[near[0]]!r}?" if near else "")
                if hint:
                    at = place.at(field, key)
                    yield Finding(f"{what} has {key} in its {field}, which Volcano does not read ({hint})", at)


def _metadata(context: LintContext) -> Iterator[tuple[str, k8s.ObjectMeta, Place]]:
    for list_name, kind in (
        ("nodes", "node"),
        ("queues", "queue"),
        ("pod_groups", "PodGroup"),
        ("volcano_jobs", "Job"),
        ("deployments", "Deployment"),
        ("workloads", "workload"),
        ("jobs", "Job"),
        ("namespaces", "namespace"),
    ):
        for each, place in context.objects(list_name):
            name = each.metadata.key if each.metadata.namespace else each.metadata.name
            yield f"{kind} {name}", each.metadata, Place(list_name, place.index, ("metadata",))
    for source, _ in families(pod_sources(context)):
        yield source.what, source.metadata, source.at("metadata")


RULE = Rule(
    code="misspelt-annotation",
    severity=Severity.WARNING,
    title="an annotation or label of Volcano is unknown",
    meaning="A key begins with a domain of Volcano, is not one that Volcano reads or writes, but resembles one.",
    why="Annotations are not checked when an object is created; one that is misspelt has no effect.",
    fix="Correct the key.",
    source="staging/src/volcano.sh/apis/pkg/apis/scheduling/v1beta1/labels.go",
    check=check,
    example='volcano.sh/preemtable: "true"',
)
