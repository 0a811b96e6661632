"""The state of all nodes in one matrix.

A column is a node, in the order of names; a row is an amount that placing a task changes. A node is given by its
number, which is that of its column. Every change of state is one vector added to one column, and undoing it subtracts
the same vector. Amounts are whole numbers in float64, so that this is exact. Each change adds its node to `log`, which
brings up to date what is cached for each node.

References: pkg/scheduler/api/node_info.go for idle, future idle and used; k8s.io/kubernetes/pkg/scheduler/framework,
types.go, for what its scoring plugins see (`requested`, `nonzero`) and for the pods counted on a node: those that wait
for releasing resources are counted, evicted ones no longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from vqs.model.node import Node
from vqs.model.quantity import milli_value, value
from vqs.model.requests import PodRequests
from vqs.model.resource import CPU, EPHEMERAL_STORAGE, MEMORY, Resource, is_scalar_resource
from vqs.model.task import COMPLETED_STATUSES, Task, TaskStatus

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]
Masks = npt.NDArray[np.bool_]
POD_COUNT = -1
"""Where the number of pods stands in the state."""

UNNUMBERED = -1
"""The number of a state for which none was asked since it changed."""

Nodes = Integers | slice
"""Some nodes: their numbers in the order of names, or all of them."""

ALL: slice = slice(None)


class Block(Enum):
    """What the rows of the state are amounts of, in their order."""

    IDLE = 0
    FUTURE_IDLE = 1
    USED = 2
    REQUESTED = 3


class NodeTable:
    """All nodes of a session.

    Attributes:
        resources: the names the resource rows stand for; cpu and memory first, then scalars by name.
        idle: what is free now, (resources, nodes).
        future_idle: what is free once releasing tasks are gone and pipelined ones have come, (resources, nodes).
        used: what running and releasing tasks hold, (resources, nodes).
        requested: what a Kubernetes NodeInfo holds requested, (resources, nodes); millicores, bytes, whole units.
        nonzero: likewise for cpu and memory with defaults for containers without a request, (2, nodes).
        pods: the number of pods a Kubernetes NodeInfo holds, (nodes,).
        allocatable: with oversubscription, in Volcano's units, (resources, nodes).
        node_allocatable: as the node's status says, in Kubernetes' units, (resources, nodes).
        max_tasks: the number of pods a node takes, (nodes,).
        index: the number of each node, by name.
        row: the row of each resource, by name.
        log: the nodes that were changed, oldest first.
    """

    def __init__(self, nodes: Sequence[Node], requests: Sequence[PodRequests]) -> None:
        self.nodes = sorted(nodes, key=lambda node: node.name)
        self.names = [node.name for node in self.nodes]
        self.index = {name: number for number, name in enumerate(self.names)}
        self.resources = _resource_names(self.nodes, requests)
        self.row = {name: number for number, name in enumerate(self.resources)}
        self.log: list[int] = []
        height, width = len(self.resources), len(self.nodes)
        self._state = np.zeros((4 * height + 3, width))
        self._flat = self._state.reshape(-1)
        self._columns = list(self._state.T)
        self._state_numbers = [UNNUMBERED] * width
        self._states: dict[tuple[int, bytes], int] = {}
        self.idle, self.future_idle, self.used, self.requested = self._state[: 4 * height].reshape(4, height, width)
        self.nonzero = self._state[4 * height : 4 * height + 2]
        self.pods = self._state[POD_COUNT]
        self.allocatable = self._matrix(node.allocatable for node in self.nodes)
        self.node_allocatable = _node_allocatable(self.nodes, self.row)
        self.max_tasks = np.array([node.max_tasks for node in self.nodes], dtype=np.float64)
        self.idle += self.allocatable
        self.future_idle += self.allocatable
        self.vectors = np.array([self.vector(entry.resource) for entry in requests]).reshape(-1, height)
        self._allocate, self._pipeline, self._release = self._changes(requests)

    def __len__(self) -> int:
        return len(self.nodes)

    def rows(self, block: Block, names: Sequence[str]) -> Integers:
        """Return where the amounts of some resources stand in the state, to `gather` them by."""
        return np.array([block.value * len(self.resources) + self.row[name] for name in names], dtype=np.intp)

    @property
    def nonzero_rows(self) -> tuple[int, int]:
        """Where cpu and memory of `nonzero` stand in the state."""
        height = 4 * len(self.resources)
        return height, height + 1

    def gather(self, rows: Integers, nodes: Nodes) -> Floats:
        """Return some amounts of some nodes, (rows, nodes)."""
        if isinstance(nodes, slice):
            return self._state[rows]
        return self._flat.take(rows[:, None] * len(self.nodes) + nodes)

    def amounts(self, node: int) -> list[float]:
        """Return the whole state of one node, in the order of `rows`."""
        state: list[float] = self._columns[node].tolist()
        return state

    def state_number(self, node: int) -> int:
        """Return the number that nodes share whose state and whose amounts in the description are equal."""
        number = self._state_numbers[node]
        if number == UNNUMBERED:
            key = self._kinds[node], self._columns[node].tobytes()
            number = self._state_numbers[node] = self._states.setdefault(key, len(self._states))
        return number

    @cached_property
    def _kinds(self) -> list[int]:
        """The number that nodes share whose descriptions give the same amounts."""
        columns = np.vstack([self.allocatable, self.node_allocatable, self.max_tasks]).T.copy()
        numbers: dict[bytes, int] = {}
        return [numbers.setdefault(column.tobytes(), len(numbers)) for column in columns]

    def vector(self, resource: Resource) -> Floats:
        """Return a resource as a vector, (resources,)."""
        vector = np.zeros(len(self.resources))
        vector[0], vector[1] = resource.milli_cpu, resource.memory
        for name, amount in resource.scalars.items():
            vector[self.row[name]] = amount
        return vector

    def resource(self, vector: Floats) -> Resource:
        """Return a vector of amounts as a resource; what no node has any of is left out."""
        scalars = {name: float(vector[row]) for name, row in self.row.items() if row > 1 and vector[row]}
        return Resource(float(vector[0]), float(vector[1]), scalars)

    def _matrix(self, resources: Iterable[Resource]) -> Floats:
        vectors = [self.vector(resource) for resource in resources]
        return np.array(vectors).reshape(-1, len(self.resources)).T.copy()

    def _changes(self, requests: Sequence[PodRequests]) -> tuple[Floats, Floats, Floats]:
        """Return what allocating, pipelining and releasing each shape adds to a node's column, (shapes, state) each."""
        height = len(self.resources)
        allocate = np.zeros((len(requests), self._state.shape[0]))
        pipeline, release = np.zeros_like(allocate), np.zeros_like(allocate)
        idle, future, used = (slice(i * height, (i + 1) * height) for i in range(3))
        for shape, entry in enumerate(requests):
            kubernetes = allocate[shape, 3 * height :]
            for name, amount in entry.requested.items():
                kubernetes[self.row[name]] = amount
            kubernetes[height : height + 2] = entry.nonzero
            kubernetes[-1] = 1.0
        pipeline[:, 3 * height :] = allocate[:, 3 * height :]
        release[:, 3 * height :] = -allocate[:, 3 * height :]
        allocate[:, idle] = allocate[:, future] = pipeline[:, future] = -self.vectors
        allocate[:, used] = release[:, future] = self.vectors
        return allocate, pipeline, release

    # --- changes -----------------------------------------------------------------------------------------------------

    def occupy(self, tasks: Iterable[Task]) -> None:
        """Account for the tasks that are on nodes when the session opens. Finished ones take no room."""
        placed = [(self.index[t.node], t) for t in tasks if t.node in self.index and t.status not in COMPLETED_STATUSES]
        if not placed:
            return
        nodes = np.array([node for node, _ in placed])
        shapes = np.array([task.shape for _, task in placed])
        changes = self._allocate[shapes]
        releasing = np.array([task.status is TaskStatus.Releasing for _, task in placed])
        height = len(self.resources)
        changes[releasing, height : 2 * height] = 0.0  # what is being released is idle in the future
        np.add.at(self._state.T, nodes, changes)

    def allocate(self, task: Task, node: int) -> None:
        """Give a task room that is idle."""
        self._add(node, self._allocate[task.shape])

    def deallocate(self, task: Task, node: int) -> None:
        """Undo `allocate`."""
        self._subtract(node, self._allocate[task.shape])

    def pipeline(self, task: Task, node: int) -> None:
        """Promise a task room that will be idle."""
        self._add(node, self._pipeline[task.shape])

    def unpipeline(self, task: Task, node: int) -> None:
        """Undo `pipeline`."""
        self._subtract(node, self._pipeline[task.shape])

    def forget(self, task: Task, node: int, *, pipelined: bool) -> None:
        """Take a task off a node as Volcano counts it; what a Kubernetes NodeInfo holds stays."""
        height = 3 * len(self.resources)
        change = (self._pipeline if pipelined else self._allocate)[task.shape]
        self._state[:height, node] -= change[:height]
        self._changed(node)

    def hide(self, task: Task, node: int) -> None:
        """Take a task out of what a Kubernetes NodeInfo holds; Volcano counts it on."""
        height = 3 * len(self.resources)
        self._state[height:, node] -= self._allocate[task.shape, height:]
        self._changed(node)

    def show(self, task: Task, node: int) -> None:
        """Undo `hide`."""
        height = 3 * len(self.resources)
        self._state[height:, node] += self._allocate[task.shape, height:]
        self._changed(node)

    def release(self, task: Task, node: int) -> None:
        """Start to evict a running task."""
        self._add(node, self._release[task.shape])

    def unrelease(self, task: Task, node: int) -> None:
        """Undo `release`."""
        self._subtract(node, self._release[task.shape])

    def withhold(self, task: Task, node: int) -> None:
        """Promise what a releasing task holds to no other task, as if it stayed."""
        height = len(self.resources)
        self._state[height : 2 * height, node] -= self.vectors[task.shape]
        self._changed(node)

    def _add(self, node: int, change: Floats) -> None:
        column = self._columns[node]
        column += change
        self._changed(node)

    def _subtract(self, node: int, change: Floats) -> None:
        column = self._columns[node]
        column -= change
        self._changed(node)

    def _changed(self, node: int) -> None:
        self.log.append(node)
        self._state_numbers[node] = UNNUMBERED

    def snapshot(self) -> Floats:
        """Return a copy of the whole state, to compare with a later one."""
        return self._state.copy()


def of_nodes(matrix: Floats, nodes: Nodes) -> Floats:
    """Return the columns of some nodes in a matrix; `take` is four times as fast as an index."""
    return matrix[:, nodes] if isinstance(nodes, slice) else matrix.take(nodes, axis=1)


def _resource_names(nodes: Sequence[Node], requests: Sequence[PodRequests]) -> list[str]:
    scalars: set[str] = set()
    for node in nodes:
        scalars.update(node.allocatable.scalars)
    for entry in requests:
        scalars.update(entry.resource.scalars)
        scalars.update(entry.requested)
    return [CPU, MEMORY, *sorted(scalars - {CPU, MEMORY})]


def _node_allocatable(nodes: Sequence[Node], row: dict[str, int]) -> Floats:
    """Return the nodes' allocatable in the units of Kubernetes' scorers, (resources, nodes)."""
    table = np.zeros((len(row), len(nodes)))
    for number, node in enumerate(nodes):
        for name, quantity in (node.object.status.allocatable or {}).items():
            if name == CPU:
                table[0, number] = milli_value(quantity)
            elif name in (MEMORY, EPHEMERAL_STORAGE) or is_scalar_resource(name):
                table[row[name], number] = value(quantity)
    return table
