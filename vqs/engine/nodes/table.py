"""The state of all nodes in one matrix.

A column is a node, in the order of names; a row is an amount that placing a task changes. A node is given by its
number, which is that of its column. In memory, a column is in one piece, as most steps are about one node. Every change
of state is one vector added to one column, and undoing it subtracts the same vector. Amounts are whole numbers in
float64, so that this is exact. Each change adds its node to `log`, which brings up to date what is cached for each
node.

References: pkg/scheduler/api/node_info.go for idle, future idle and used; k8s.io/kubernetes/pkg/scheduler/framework,
types.go, for what its scoring plugins see (`requested`, `nonzero`) and for the pods counted on a node: those that wait
for releasing resources are counted, evicted ones no longer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from enum import Enum, IntEnum
from operator import is_not
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from vqs.model.job import COMPLETED_STATUSES, Task, TaskStatus
from vqs.model.node import Node
from vqs.model.quantity import milli_value, value
from vqs.model.requests import PodRequests
from vqs.model.resource import CPU, EPHEMERAL_STORAGE, MEMORY, Resource, is_scalar_resource

Item = TypeVar("Item")

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]
Masks = npt.NDArray[np.bool_]
POD_COUNT = -1
"""Where the number of pods stands in the state."""

UNNUMBERED = -1
"""The number of a state for which none was asked since it changed."""

_LARGEST_SUM = 2.0**52
_MOST_STATES = 200_000
_MOST_CLASSES = 2_000
"""How many states of nodes are remembered from session to session, and for how many kinds of requests and arguments of
plugins; with more, a session begins anew."""

Nodes = Integers | slice
"""Some nodes: their numbers in the order of names, or all of them."""

ALL: slice = slice(None)


class Block(Enum):
    """What the rows of the state are amounts of, in their order."""

    IDLE = 0
    FUTURE_IDLE = 1
    USED = 2
    REQUESTED = 3


class Change(IntEnum):
    """What happens to a task on a node, each of which adds something to the node's column."""

    ALLOCATE = 0
    """It is given room that is idle."""
    PIPELINE = 1
    """It is promised room that will be idle."""
    RELEASE = 2
    """Its eviction starts."""


class StateBook:
    """The states that nodes were in, by number, and what these lead to.

    Tables of the same resources share it, one after the other, whichever nodes they have: a state is told apart by the
    node's description, too.
    """

    def __init__(self, kinds: dict[bytes, int] | None = None) -> None:
        """Begin with no state.

        Args:
            kinds: the numbers of descriptions, where tables have been given some.
        """
        self._kinds = {} if kinds is None else kinds
        self._numbers: dict[tuple[int, bytes], int] = {}
        self._lasting: dict[Hashable, tuple[PodRequests, dict[Any, Any]]] = {}

    def for_next(self) -> StateBook:
        """What the next table begins with: nothing of the states where there are too many of them."""
        keeps = len(self._numbers) < _MOST_STATES and len(self._lasting) < _MOST_CLASSES
        return self if keeps else StateBook(self._kinds)

    def kind(self, description: bytes) -> int:
        """The number of a node's description."""
        return self._kinds.setdefault(description, len(self._kinds))

    def number(self, kind: int, amounts: bytes) -> int:
        """The number of the state of a node of some description."""
        return self._numbers.setdefault((kind, amounts), len(self._numbers))

    def lasting(self, requests: PodRequests, key: Hashable) -> dict[Any, Any]:
        """What states lead to for some requests; `key` is what else that depends on."""
        return self._lasting.setdefault((id(requests), key), (requests, {}))[1]


class NodeTable:
    """All nodes of a session.

    Attributes:
        resources: the names the resource rows stand for; cpu and memory first, then scalars by name.
        idle: what is free now, (resources, nodes).
        future_idle: what is free once releasing tasks are gone and pipelined ones have come, (resources, nodes).
        used: what running and releasing tasks hold, (resources, nodes).
        requests: what tasks may ask for, by their shape.
        requested: what a Kubernetes NodeInfo holds requested, (resources, nodes); millicores, bytes, whole units.
        nonzero: likewise for cpu and memory with defaults for containers without a request, (2, nodes).
        pods: the number of pods a Kubernetes NodeInfo holds, (nodes,).
        allocatable: with oversubscription, in Volcano's units, (resources, nodes).
        node_allocatable: as the node's status says, in Kubernetes' units, (resources, nodes).
        max_tasks: the number of pods a node takes, (nodes,).
        index: the number of each node, by name.
        row: the row of each resource, by name.
        log: the nodes that were changed, oldest first.
        likeness: the same for tables that describe the same nodes.
        states: the states that nodes were in.
    """

    def __init__(self, nodes: Sequence[Node], requests: Sequence[PodRequests], like: NodeTable | None = None) -> None:
        """Make a table of nodes without tasks.

        Args:
            nodes: the nodes.
            requests: what tasks may ask for, by their shape.
            like: a table whose description of the nodes is used, where these and their resources are the same. Where
                only the resources are, what is known of states is used.
        """
        self.nodes = sorted(nodes, key=lambda node: node.name)
        self.requests = requests
        self.is_like = like is not None and self._describe_like(like, requests)
        if not self.is_like:
            self.names = [node.name for node in self.nodes]
            self.index = {name: number for number, name in enumerate(self.names)}
            self._resources_of_nodes = {name for node in self.nodes for name in node.allocatable.scalars}
            self.resources = _resource_names(self._resources_of_nodes, requests)
            self.row = {name: number for number, name in enumerate(self.resources)}
            amounts = [self.vector(node.allocatable) for node in self.nodes]
            self.allocatable: Floats = np.array(amounts).reshape(-1, len(self.resources)).T.copy()
            self.node_allocatable: Floats = np.zeros((len(self.row), len(self.nodes)))
            for number, node in enumerate(self.nodes):
                for name, quantity in (node.object.status.allocatable or {}).items():
                    if name == CPU:
                        self.node_allocatable[0, number] = milli_value(quantity)
                    # What a plugin takes off the amounts of nodes, as devices are, has no row where no pod asks for it.
                    elif name in self.row and (name in (MEMORY, EPHEMERAL_STORAGE) or is_scalar_resource(name)):
                        self.node_allocatable[self.row[name], number] = value(quantity)
            self.max_tasks = np.array([node.max_tasks for node in self.nodes], dtype=np.float64)
            self._total = Resource.total(node.allocatable for node in self.nodes)
            if like is None or like.resources != self.resources:
                self.states: StateBook = StateBook()
            else:
                self.states = like.states.for_next()
            columns = np.vstack([self.allocatable, self.node_allocatable, self.max_tasks]).T.copy()
            self._kinds = [self.states.kind(column.tobytes()) for column in columns]
            self._noted: dict[str, Any] = {}
            self.likeness = object()
        self.log: list[int] = []
        height, width = len(self.resources), len(self.nodes)
        by_node = np.zeros((width, 4 * height + 3))
        self._state, self._flat, self._columns = by_node.T, by_node.reshape(-1), list(by_node)
        self._state_numbers = [UNNUMBERED] * width
        blocks = by_node[:, : 4 * height].reshape(width, 4, height)
        self.idle, self.future_idle, self.used, self.requested = blocks.transpose(1, 2, 0)
        self.nonzero = self._state[4 * height : 4 * height + 2]
        self.pods = self._state[POD_COUNT]
        self.idle += self.allocatable
        self.future_idle += self.allocatable
        self.vectors = np.array([self.vector(entry.resource) for entry in requests]).reshape(-1, height)
        self._changes = self._changes_of(requests)
        self._allocate = self._changes[Change.ALLOCATE]
        self._at_open = self._state

    def _describe_like(self, other: NodeTable, requests: Sequence[PodRequests]) -> bool:
        """Take over from another table what does not change; True if it is the same there."""
        if len(self.nodes) != len(other.nodes) or any(map(is_not, self.nodes, other.nodes)):
            return False
        if other.resources != _resource_names(other._resources_of_nodes, requests):
            return False
        self.names, self.index, self.resources, self.row = other.names, other.index, other.resources, other.row
        self._resources_of_nodes, self._total = other._resources_of_nodes, other._total
        self.allocatable, self.node_allocatable = other.allocatable, other.node_allocatable
        self.max_tasks, self._kinds = other.max_tasks, other._kinds
        self._noted, self.likeness = other._noted, other.likeness
        self.states = other.states.for_next()
        return True

    def noted(self, key: str, make: Callable[[], Item]) -> Item:
        """What is made of names and descriptions of the nodes; tables that are like one another share it.

        It must not be changed.
        """
        if key not in self._noted:
            self._noted[key] = make()
        noted: Item = self._noted[key]
        return noted

    def lasting(self, task: Task, key: Hashable) -> dict[Any, Any]:
        """What tables of the same resources have found out about the states of nodes for some requests.

        Args:
            task: one with these requests.
            key: what else it depends on.
        """
        return self.states.lasting(self.requests[task.shape], key)

    def __len__(self) -> int:
        return len(self.nodes)

    def rows(self, block: Block, names: Sequence[str]) -> Integers:
        """Where the amounts of some resources stand in the state, to `gather` them by."""
        return np.array([block.value * len(self.resources) + self.row[name] for name in names], dtype=np.intp)

    def gather(self, rows: Integers, nodes: Nodes) -> Floats:
        """Some amounts of some nodes, (rows, nodes)."""
        if isinstance(nodes, slice):
            return self._state[rows]
        return self._flat.take(rows[:, None] + nodes * len(self._state))

    def amounts(self, node: int) -> list[float]:
        """The whole state of one node, in the order of `rows`."""
        state: list[float] = self._columns[node].tolist()
        return state

    def amounts_with(self, node: int, task: Task, number: int) -> list[float]:
        """The same as it would be with some more tasks like one that are given idle room."""
        state: list[float] = (self._columns[node] + number * self._allocate[task.shape]).tolist()
        return state

    def state_number(self, node: int) -> int:
        """The number that nodes share whose state and whose amounts in the description are equal."""
        number = self._state_numbers[node]
        if number == UNNUMBERED:
            number = self.states.number(self._kinds[node], self._columns[node].tobytes())
            self._state_numbers[node] = number
        return number

    def vector(self, resource: Resource) -> Floats:
        """A resource as a vector, (resources,)."""
        vector = np.zeros(len(self.resources))
        vector[0], vector[1] = resource.milli_cpu, resource.memory
        for name, amount in resource.scalars.items():
            vector[self.row[name]] = amount
        return vector

    def resource(self, vector: Floats) -> Resource:
        """A vector of amounts as a resource; what no node has any of is left out."""
        scalars = {name: float(vector[row]) for name, row in self.row.items() if row > 1 and vector[row]}
        return Resource(float(vector[0]), float(vector[1]), scalars)

    def _changes_of(self, requests: Sequence[PodRequests]) -> tuple[Floats, Floats, Floats]:
        """What allocating, pipelining and releasing each shape adds to a node's column, (shapes, state) each."""
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
        self._occupy([(task.node or "", task.shape, task.status) for task in tasks], self._allocate, 1)

    def _occupy(self, tasks: Iterable[tuple[str, int, TaskStatus]], allocate: Floats, sign: int) -> None:
        """Add, or take off with a sign of -1, tasks of which node, shape and status are given."""
        index = self.index
        placed = [
            (index[node], shape, status is TaskStatus.Releasing)
            for node, shape, status in tasks
            if node in index and status not in COMPLETED_STATUSES
        ]
        if not placed:
            return
        nodes, shapes, releasing = (np.array(each) for each in zip(*placed, strict=True))
        changes = allocate[shapes]
        height = len(self.resources)
        changes[releasing, height : 2 * height] = 0.0  # what is being released is idle in the future
        np.add.at(self._state.T, nodes, sign * changes)

    def occupy_like(self, other: NodeTable, gone: Iterable[Task], new: Iterable[Task]) -> bool:
        """Account for the tasks that are on nodes, where most are on those of another table when its session opens.

        Args:
            other: a table that describes the nodes alike (`is_like`).
            gone: the tasks that only the other table accounts for, whatever became of them since.
            new: the tasks that only this one accounts for.

        Returns:
            Whether they are accounted for: not where amounts are so large, or so small, that sums depend on an order.
        """
        if not (_adds_up(other._at_open) and _adds_up(other._allocate) and _adds_up(self._allocate)):
            return False
        self._state[:] = other._at_open
        placed = [(task.pod.spec.node_name, task.shape, task.status_before) for task in gone]
        self._occupy(placed, other._allocate, -1)
        self.occupy(new)
        return True

    def opened(self) -> None:
        """Remember what tasks hold when the session opens."""
        self._at_open = self._state.copy()

    @property
    def total(self) -> Resource:
        """A copy of what all nodes have."""
        return self._total.clone()

    def add(self, change: Change, task: Task, node: int) -> None:
        """Change the state of a node as a task there asks for it."""
        column = self._columns[node]
        column += self._changes[change][task.shape]
        self._log(node)

    def undo(self, change: Change, task: Task, node: int) -> None:
        """Undo `add`."""
        column = self._columns[node]
        column -= self._changes[change][task.shape]
        self._log(node)

    def forget(self, change: Change, task: Task, node: int) -> None:
        """Undo `add` as Volcano counts it; what a Kubernetes NodeInfo holds stays."""
        height = 3 * len(self.resources)
        self._state[:height, node] -= self._changes[change][task.shape, :height]
        self._log(node)

    def hide(self, task: Task, node: int, *, undo: bool = False) -> None:
        """Take a task out of what a Kubernetes NodeInfo holds, or put it back; Volcano counts it on."""
        height = 3 * len(self.resources)
        self._state[height:, node] += self._allocate[task.shape, height:] * (1 if undo else -1)
        self._log(node)

    def withhold(self, task: Task, node: int) -> None:
        """Promise what a releasing task holds to no other task, as if it stayed."""
        height = len(self.resources)
        self._state[height : 2 * height, node] -= self.vectors[task.shape]
        self._log(node)

    def _log(self, node: int) -> None:
        self.log.append(node)
        self._state_numbers[node] = UNNUMBERED

    def snapshot(self) -> Floats:
        """A copy of the whole state, to compare with a later one."""
        return self._state.copy()


def _adds_up(amounts: Floats) -> bool:
    """True if amounts are whole numbers that are added and subtracted without rounding, in any order."""
    return not amounts.size or bool((np.abs(amounts).max() < _LARGEST_SUM) and (amounts == np.rint(amounts)).all())


def of_nodes(matrix: Floats, nodes: Nodes) -> Floats:
    """The columns of some nodes in a matrix; `take` is four times as fast as an index."""
    return matrix[:, nodes] if isinstance(nodes, slice) else matrix.take(nodes, axis=1)


def _resource_names(of_nodes: Collection[str], requests: Sequence[PodRequests]) -> list[str]:
    scalars = {*of_nodes}
    for entry in requests:
        scalars.update(entry.resource.scalars)
        scalars.update(entry.requested)
    return [CPU, MEMORY, *sorted(scalars - {CPU, MEMORY})]
