"""Names that Volcano's components agree on: the scheduler's, the default queue's, keys of labels and annotations.

References: ``batch/v1alpha1/labels.go`` and ``scheduling/v1beta1/labels.go`` in volcano-sh/volcano,
staging/src/volcano.sh/apis/pkg/apis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # the names are asked for before anything is read
    from vqs.model.kubernetes import ObjectMeta

SCHEDULER_NAME: Final = "volcano"
DEFAULT_SCHEDULER: Final = "default-scheduler"
"""The scheduler of pods that name none."""
DEFAULT_QUEUE: Final = "default"

DEVICE_CONFIG: Final = "device-config.yaml"
"""The key of a ConfigMap with what the plugin deviceshare knows about devices."""

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"

GROUP_NAME: Final = "scheduling.k8s.io/group-name"
VOLCANO_GROUP_NAME: Final = "scheduling.volcano.sh/group-name"
GROUP_MIN_MEMBER: Final = "scheduling.volcano.sh/group-min-member"
GROUP_QUEUE: Final = "scheduling.volcano.sh/queue-name"
QUEUE_ALLOCATION_GATE: Final = "scheduling.volcano.sh/queue-allocation-gate"

TASK_SPEC: Final = "volcano.sh/task-spec"
TASK_INDEX: Final = "volcano.sh/task-index"
PARTITION_ID: Final = "volcano.sh/partition-id"
JOB_NAME: Final = "volcano.sh/job-name"
JOB_NAMESPACE: Final = "volcano.sh/job-namespace"
JOB_VERSION: Final = "volcano.sh/job-version"
JOB_RETRY_COUNT: Final = "volcano.sh/job-retry-count"
QUEUE_NAME: Final = "volcano.sh/queue-name"
TEMPLATE: Final = "volcano.sh/template-uid"

PREEMPTABLE: Final = "volcano.sh/preemptable"
COOLDOWN_TIME: Final = "volcano.sh/cooldown-time"
REVOCABLE_ZONE: Final = "volcano.sh/revocable-zone"
MIN_AVAILABLE: Final = "volcano.sh/jdb-min-available"
MAX_UNAVAILABLE: Final = "volcano.sh/jdb-max-unavailable"
NODE_GROUP: Final = "volcano.sh/nodegroup-name"
NODE_GROUP_LIMITS: Final = "volcano.sh/nodegroup-resource-limits"
UNHEALTHY_GPUS: Final = "volcano.sh/gpu-unhealthy-ids"
OFFLINE_EVICTING: Final = "volcano.sh/offline-job-evicting"
NUMA_POLICY: Final = "volcano.sh/numa-topology-policy"
STRATEGY_TYPE: Final = "volcano.sh/resource-strategy-scoring-type"
STRATEGY_WEIGHTS: Final = "volcano.sh/resource-strategy-weight"
TOPOLOGY_AFFINITY: Final = "volcano.sh/task-topology-affinity"
TOPOLOGY_ANTI_AFFINITY: Final = "volcano.sh/task-topology-anti-affinity"
TOPOLOGY_ORDER: Final = "volcano.sh/task-topology-task-order"
TOPOLOGY_MODE: Final = "volcano.sh/network-topology-mode"
TOPOLOGY_TIER: Final = "volcano.sh/network-topology-highest-tier"

ASKS_FOR_VOLCANO: Final = frozenset(
    {GROUP_QUEUE, GROUP_NAME, VOLCANO_GROUP_NAME, GROUP_MIN_MEMBER, QUEUE_NAME, TOPOLOGY_MODE, TOPOLOGY_TIER}
)
"""The annotations that name a queue or a gang, which no scheduler but Volcano reads."""


def role_of(metadata: ObjectMeta) -> str:
    """The role of a pod in its PodGroup."""
    return metadata.annotations.get(TASK_SPEC) or metadata.labels.get(TASK_SPEC, "")


def pod_group_of(metadata: ObjectMeta) -> str:
    """The namespace/name of the PodGroup that a pod names; empty where it names none."""
    name = metadata.annotations.get(GROUP_NAME, "")
    return f"{metadata.namespace}/{name}" if name else ""


CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
OTHER_ANNOTATIONS: Final = frozenset(
    {
        CLASS_ANNOTATION,
        "apps.kubernetes.io/pod-index",
        "batch.kubernetes.io/job-completion-index",
        "controller.kubernetes.io/pod-deletion-cost",
        "nvidia.com/nouse-gputype",
        "nvidia.com/use-gputype",
        "pv.kubernetes.io/bind-completed",
        "sla-waiting-time",
        "volume.kubernetes.io/selected-node",
    }
)
"""Annotations that decide and are in no domain of Volcano."""

REPLICA_FAILURE: Final = "ReplicaFailure"
"""The condition of a ReplicaSet whose pods could not be created or deleted."""

QUOTED_CONDITIONS: Final = frozenset({"PodScheduled", "Unschedulable", "Scheduled", REPLICA_FAILURE})
"""Conditions whose messages are read: those that a scheduler writes, and what the API server said of pods."""

_VOLCANO: Final = "volcano.sh"
_DEVICES: Final = "hami.io"
"""Where HAMi's device plugins, and the scheduler for them, keep their annotations."""
_OF_GROUPS: Final = GROUP_NAME.partition("/")[0]


def is_read(annotation: str) -> bool:
    """True if vqs may read an annotation: those of Volcano's domains are looked through for misspelt ones.

    >>> is_read("vqs.volcano.sh/ignore"), is_read("kapp.k14s.io/original")
    (True, False)
    """
    domain = annotation.rpartition("/")[0]
    return (
        domain in {_VOLCANO, _OF_GROUPS, _DEVICES} or domain.endswith(f".{_VOLCANO}") or annotation in OTHER_ANNOTATIONS
    )
