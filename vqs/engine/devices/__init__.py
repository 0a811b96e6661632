"""Devices that claims are given: pools, the search for devices, and what claims hold.

The scheduler asks Kubernetes' own plugin, with the feature gates that are on by default in v1.34: DRAAdminAccess,
DRAPrioritizedList, DRAResourceClaimDeviceStatus, DRASchedulerFilterTimeout. With the others off, devices that are made
ready or that share counters are not given, taints of devices do not count, and slices that name a node for each device
are left out.
"""
