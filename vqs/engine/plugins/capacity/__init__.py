"""capacity: hold every queue, and every queue above it, to a capability; hand out what is over, and take it back.

What a queue deserves is what its spec says, at least its guarantee. It may hold more, up to its real capability; what
is beyond what it deserves can be reclaimed by others. The option enableHierarchy makes queues a tree.

Arguments, from v1.15 on: `ancestorReclaimLevel` (default 0): in a tree, up to how many levels above its own a queue's
ancestors count where one queue reclaims from another;
`capacity.DynamicResourceAllocationEnable` (default true): the capability limits devices that are claimed, by
`deviceclass/NAME`; `capacity.DRAConsumableCapacityEnable` (default false): it also limits what they have, by
`DIMENSION.deviceclass/NAME`, where a feature gate that is off by default lets claims ask for that.

Reference: pkg/scheduler/plugins/capacity/capacity.go.

- `accounts`: what is kept of each queue, and how its limits come about, without a tree and with one
- `devices`: how many devices of each DeviceClass are claimed, and may be
- `plugin`: the answers, the orders in which queues are served and give up tasks, and which tasks one has to give up
"""

from vqs.engine.plugins.capacity.plugin import NAME, CapacityPlugin

__all__ = ["NAME", "CapacityPlugin"]
