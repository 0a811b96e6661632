"""The flags of a plugin in the scheduler's configuration, spelt as Volcano spells them.

Some begin with ``enable``, some with ``enabled``, and up to v1.15 one with ``Enabled``.

References in volcano-sh/volcano: ``pkg/scheduler/conf/scheduler_conf.go`` and ``pkg/scheduler/plugins/defaults.go``.
"""

from collections.abc import Mapping
from typing import Final

from vqs.releases.profile import Profile

_CLUSTER_ORDER: Final = "EnabledClusterOrder"

FLAGS: Final[Mapping[str, bool]] = {
    "enableJobOrder": True,
    "enableHierarchy": False,
    "enableJobReady": True,
    "enableJobPipelined": True,
    "enableTaskOrder": True,
    "enablePreemptable": True,
    "enableReclaimable": True,
    "enablePreemptive": True,
    "enableQueueOrder": True,
    _CLUSTER_ORDER: False,
    "enablePredicate": True,
    "enableBestNode": True,
    "enableNodeOrder": True,
    "enableTargetJob": True,
    "enableReservedNodes": True,
    "enableJobEnqueued": True,
    "enabledVictim": True,
    "enableJobStarving": True,
    "enabledOverused": True,
    "enabledAllocatable": True,
    "enabledHyperNodeOrder": True,
    "enabledSubJobReady": True,
    "enabledSubJobPipelined": True,
    "enabledSubJobOrder": True,
    "enabledHyperNodeGradient": True,
}
"""The flags of a plugin, and what they are where the configuration does not say."""


def spelt_in(profile: Profile) -> tuple[str, ...]:
    """The flags as a release spells them."""
    return tuple(profile.flags.cluster_order_flag if flag == _CLUSTER_ORDER else flag for flag in FLAGS)
