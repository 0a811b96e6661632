"""The filter that keeps cpu and memory for those who need a scarce resource."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.nodes.reasons import FITS, Codes, Reasons
from vqs.engine.nodes.table import Floats, Masks, Nodes, NodeTable
from vqs.engine.plugins.resource_strategy_fit.settings import Proportion
from vqs.model.resource import CPU, MEMORY

MEMORY_UNIT = 1000.0 * 1000.0
"""The bytes that a thousandth of a unit keeps, at a proportion of 1."""

TOO_LITTLE_LEFT = "proportional of resource {} check failed"


class ProportionFilter:
    """Refuse a task that would leave less than what is kept for the idle units of a resource."""

    def __init__(self, proportions: Mapping[str, Proportion], nodes: NodeTable, reasons: Reasons) -> None:
        known = {name: proportion for name, proportion in sorted(proportions.items()) if name in nodes.row}
        self._proportions = {name: each for name, each in known.items() if name not in (CPU, MEMORY)}
        self._nodes = nodes
        self._codes = {name: reasons.code(TOO_LITTLE_LEFT.format(name)) for name in self._proportions}
        self._listed = {
            name: np.array([name in node.allocatable.scalars for node in nodes.nodes], np.bool_)
            for name in self._proportions
        }

    def volatile(self, _: EquivalenceClass) -> bool:
        """Tell that a placement changes the answer for its own node alone."""
        return False

    def codes(self, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
        """Return for each of some nodes 0 where a task of the class may go, else the code of the reason.

        Where several resources refuse, the first by name counts; the reference walks them as a map.
        """
        request, idle = task_class.task.request, self._nodes.idle
        codes: Codes = np.full(idle[0, nodes].shape, FITS, np.int32)
        if any(request.scalars.get(name, 0.0) > 0 for name in self._proportions):
            return codes
        cpu, memory = idle[0, nodes] - request.milli_cpu, idle[1, nodes] - request.memory
        for name, proportion in self._proportions.items():
            units = idle[self._nodes.row[name], nodes]
            lacks = (cpu < units * proportion.cpu) | (memory < units * proportion.memory * MEMORY_UNIT)
            codes[self._has(name, nodes, units) & lacks & (codes == FITS)] = self._codes[name]
        return codes

    def _has(self, name: str, nodes: Nodes, units: Floats) -> Masks:
        """Tell which of some nodes have a resource among what is idle, even if it is none of it."""
        has: Masks = self._listed[name][nodes] | (units != 0)
        return has
