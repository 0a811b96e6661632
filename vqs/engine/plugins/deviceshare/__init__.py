"""deviceshare: shares of GPUs and NPUs, device by device.

A node's devices are in its annotations, or in its capacity; what pods hold of them is in the pods' annotations, which
the scheduler writes when it gives a pod a node. A node takes a pod only where its devices together have room for all
containers. `deviceshare.SchedulePolicy` says how nodes are scored by their devices: `binpack` by the memory in use,
`spread` by the devices that the pod would have for itself; scores count `deviceshare.ScheduleWeight` times.

Which devices there are is switched on one by one: `GPUSharingEnable` (a share of one GPU's memory),
`GPUNumberEnable` (whole GPUs), `VGPUEnable` (HAMi's virtual GPUs, also as MIG instances) and `AscendHAMiVNPUEnable`
(HAMi's virtual NPUs). `AscendMindClusterVNPUEnable` is not modelled: what MindCluster knows of its chips is in
ConfigMaps that are not read.

A node with virtual GPUs keeps the score that it had for the last pod that fitted. So in preempt, where nodes are
compared that do not fit as they are, such a node is scored by another pod.

What a pod was given stays taken for the rest of the session, even if the pod loses its node again: as in the reference,
the pod that is taken back has no annotation yet that says what it holds.
References: pkg/scheduler/plugins/deviceshare/deviceshare.go, pkg/scheduler/api/devices, the event handlers in
pkg/scheduler/plugins/predicates/predicates.go, and addResource and subResource in pkg/scheduler/api/node_info.go.
"""

from vqs.engine.plugins.deviceshare.plugin import NAME, DeviceSharePlugin, ignored_resources

__all__ = ["NAME", "DeviceSharePlugin", "ignored_resources"]
