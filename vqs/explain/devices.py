"""Devices that nodes have and do not offer: allocatable is less of them than capacity.

The kubelet counts a device in capacity as long as its plugin has named it, and in allocatable only while it is healthy;
where the plugin has stopped, none is.
Reference: ``GetCapacity`` in pkg/kubelet/cm/devicemanager/manager.go of k8s.io/kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from vqs.model import kubernetes as k8s
from vqs.model.quantity import QuantityError, parse
from vqs.model.wording import first_names


def not_offered(nodes: Iterable[k8s.Node], resource: str) -> dict[str, Fraction]:
    """Return how much of a resource nodes have beyond what they offer, by their names; none of what is no device."""
    if "/" not in resource:
        return {}
    found = {}
    for node in nodes:
        try:
            has, offers = (parse(each.get(resource, 0)) for each in (node.status.capacity, node.status.allocatable))
        except QuantityError:
            continue
        if has > offers:
            found[node.metadata.name] = has - offers
    return dict(sorted(found.items()))


def not_offered_in_words(nodes: Iterable[k8s.Node], resource: str) -> str:
    """Say which nodes have more of a resource than they offer, and why that may be; empty where none has."""
    found = not_offered(nodes, resource)
    if not found:
        return ""
    have, offer = ("has", "it does") if len(found) == 1 else ("have", "they do")
    more = f"{float(sum(found.values())):g} more {resource}"
    return (
        f"{first_names([*found])} {have} {more} that {offer} not offer, as allocatable is less than capacity: devices "
        "are not healthy there, or the device plugin does not run"
    )
