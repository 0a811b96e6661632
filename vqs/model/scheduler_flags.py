"""The flags that a scheduler is started with, as far as they decide what it places where.

Reference: cmd/scheduler/app/options/options.go in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from vqs.model.keys import DEFAULT_QUEUE, SCHEDULER_NAME
from vqs.model.quantity import whole_number

SAMPLE_OPTIONS: Final = {
    "minimum-feasible-nodes": "minimum",
    "minimum-percentage-nodes-to-find": "least_percentage",
    "percentage-nodes-to-find": "percentage",
}
"""The flags on sampling, and the attributes of `NodeSample` that they are."""
READ: Final = ("scheduler-name", "default-queue", "node-selector", "csi-storage", "plugins-dir", *SAMPLE_OPTIONS)
"""The names of the flags that are read."""


@dataclass(frozen=True, slots=True)
class SchedulerFlags:
    """The flags.

    Attributes:
        names: the schedulerName of the pods that it places.
        default_queue: the queue that it creates when it starts, and that PodGroups without one are in.
        node_selector: labels, as NAME:VALUE; it knows the nodes that have one of them. All nodes where there is none.
        sample: how many nodes it examines; None where the flags say nothing of that.
        csi_storage: whether it looks at the free storage that CSI drivers tell.
        plugins_dir: the folder that it loads plugins of its owner's from.
        given: the flags that were given, as NAME=VALUE.
    """

    names: tuple[str, ...] = (SCHEDULER_NAME,)
    default_queue: str = DEFAULT_QUEUE
    node_selector: tuple[str, ...] = ()
    sample: NodeSample | None = None
    csi_storage: bool = False
    plugins_dir: str = ""
    given: tuple[str, ...] = ()

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Whether the scheduler knows a node with some labels."""
        return not self.node_selector or any(f"{name}:{value}" in self.node_selector for name, value in labels.items())


def read_flags(words: Sequence[str]) -> SchedulerFlags:
    """The flags on a command line; those that may be given again count each time.

    >>> read_flags(["--scheduler-name=volcano", "--scheduler-name", "batch", "-v=3"]).names
    ('volcano', 'batch')
    """
    values: dict[str, list[str]] = {}
    for word, following in pairwise((*words, "")):
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-") and name in READ:
            given = value if equals else "true" if name == "csi-storage" or following.startswith("-") else following
            values.setdefault(name, []).append(given)
    flags = SchedulerFlags(given=tuple(f"--{name}={value}" for name, each in values.items() for value in each))
    sizes = {field: whole_number(values[name][-1]) for name, field in SAMPLE_OPTIONS.items() if name in values}
    known = {field: size for field, size in sizes.items() if size is not None}
    selector = (part.strip() for value in values.get("node-selector", ()) for part in value.split(","))
    return replace(
        flags,
        names=tuple(values.get("scheduler-name", flags.names)),
        default_queue=values.get("default-queue", [flags.default_queue])[-1],
        node_selector=tuple(":".join(map(str.strip, part.split(":", 1))) for part in selector if ":" in part),
        sample=NodeSample(**known) if known else None,
        csi_storage=values.get("csi-storage", [""])[-1].lower() in ("true", "t", "1"),
        plugins_dir=values.get("plugins-dir", [""])[-1],
    )


_ALL = 100
_BASELINE = 50
_NODES_PER_PERCENT = 125


@dataclass(frozen=True, slots=True)
class NodeSample:
    """How many nodes that fit are enough, as the scheduler's options say it.

    Reference: pkg/scheduler/util/scheduler_helper.go (CalculateNumOfFeasibleNodesToFind).

    Attributes:
        minimum: `--minimum-feasible-nodes`: at least that many.
        least_percentage: `--minimum-percentage-nodes-to-find`: at least that part of all, where it follows from their
            number.
        percentage: `--percentage-nodes-to-find`: that part of all; 0 makes it follow from their number.
    """

    minimum: int = 100
    least_percentage: int = 5
    percentage: int = 0

    def enough(self, nodes: int) -> int:
        """How many nodes that fit are enough, of some.

        >>> [NodeSample().enough(nodes) for nodes in (100, 101, 1000, 5000, 10000)]
        [100, 100, 420, 500, 500]
        """
        if nodes <= self.minimum or self.percentage >= _ALL:
            return nodes
        percentage = self.percentage
        if percentage <= 0:
            percentage = max(_BASELINE - nodes // _NODES_PER_PERCENT, self.least_percentage)
        return max(nodes * percentage // 100, self.minimum)
