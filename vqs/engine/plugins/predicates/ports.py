"""Host ports: only one pod on a node may have each.

Reference: k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports, and HostPortInfo of k8s.io/kube-scheduler.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import numpy as np

from vqs.engine.nodes.pods import ANY_ADDRESS, Port
from vqs.engine.nodes.table import Masks, Nodes
from vqs.engine.plugins.predicates.filters import Verdict

PORTS_TAKEN = "node(s) didn't have free ports for the requested pod ports"


class PortTable:
    """The host ports in use, by protocol and number, then by address, on each node.

    A port is in use or not; it is not counted. Two pods cannot have the same one, unless they were placed by hand.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._used: dict[tuple[str, int], dict[str, Masks]] = {}

    def set(self, ports: tuple[Port, ...], node: int, *, used: bool) -> None:
        """Note that ports of a node are in use now, or free."""
        for address, protocol, number in ports:
            addresses = self._used.setdefault((protocol, number), {})
            if address not in addresses:
                addresses[address] = np.zeros(self._width, np.bool_)
            addresses[address][node] = used

    def taken(self, port: Port, nodes: Nodes) -> Masks:
        """Tell on which nodes a port cannot be had. A port of all addresses is in the way of any, and the reverse."""
        address, protocol, number = port
        addresses = self._used.get((protocol, number), {})
        wanted = addresses if address == ANY_ADDRESS else (address, ANY_ADDRESS)
        found = [addresses[other][nodes] for other in wanted if other in addresses]
        return reduce(np.logical_or, found) if found else np.zeros(self._width, np.bool_)[nodes]


class PortFilter:
    """The host ports a class wants."""

    volatile = False

    def __init__(self, table: PortTable, ports: tuple[Port, ...]) -> None:
        self._table = table
        self._ports = ports

    def verdicts(self, nodes: Nodes) -> Iterator[Verdict]:
        """Refuse the nodes where one of the ports is taken."""
        taken = self._table.taken(self._ports[0], nodes)
        for port in self._ports[1:]:
            taken = taken | self._table.taken(port, nodes)
        yield Verdict(taken, PORTS_TAKEN, final=False)
