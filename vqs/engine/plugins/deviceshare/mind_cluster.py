"""Which pods ask for virtual NPUs of MindCluster.

What is free of the chips, its device plugins and ClusterD write into ConfigMaps; no annotation of a node has it.

References: checkVNPUResourcesInPod in pkg/scheduler/api/devices/ascend/mindcluster/ascend310p/vnpu;
pkg/scheduler/plugins/deviceshare/devices/ascend/310p/vnpu/init_policy.go.
"""

from __future__ import annotations

from typing import Final

from vqs.model.kubernetes import Pod

MIND_CLUSTER_CORES: Final = "huawei.com/npu-core"
_CHIP: Final = ("ring-controller.atlas", "ascend-310P")


def asks_for_mind_cluster(pod: Pod) -> bool:
    """Tell whether a pod has the label of a chip that can be shared, and a container with a limit of its cores."""
    label, chip = _CHIP
    limits = (container.resources.limits for container in pod.spec.containers)
    return pod.metadata.labels.get(label) == chip and any(MIND_CLUSTER_CORES in each for each in limits)
