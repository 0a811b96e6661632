"""The plugin itself: which nodes refuse a pod, how it scores the others, and which CPUs are still free."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.nodes.reasons import FITS, Codes
from vqs.engine.nodes.table import Floats, Integers, Nodes
from vqs.engine.plugins.numa_aware.cpus import CpuLayout, Cpus, Room, Wish, assign, shortfall, wishes_of
from vqs.engine.plugins.queue_account import PANIC
from vqs.model.cpu_set import of_numbers, without
from vqs.model.job import Task, TaskStatus
from vqs.model.keys import NUMA_POLICY
from vqs.model.kubernetes import Numatopology
from vqs.model.node import NO_POLICIES, STATIC, NumaTopology
from vqs.model.requests import is_guaranteed
from vqs.snapshot.reading.kinds import how_to_add, wanted

NAME = "numa-aware"

MAX_SCORE = 100

NO_TOPOLOGY = "numa info is empty"
NOT_STATIC = "cpu manager policy isn't static"
OTHER_POLICY = "task topology policy[{0}] is different with node[{1}]"
NO_FREE_CPUS = "cpu allocatable map is empty"
NO_PLACE = "container {0} cannot be assigned by numa"

_NO_TOPOLOGY = 0
"""The state of nodes without a Numatopology."""


class Request(NamedTuple):
    """What a pod asks for that the plugin looks at: a policy, if any, and CPUs for its containers."""

    policy: str
    wishes: tuple[Wish, ...]


class _Kind(NamedTuple):
    """What nodes have in common that have equal CPUs and policies."""

    topology: NumaTopology
    layout: CpuLayout


class _State(NamedTuple):
    """What a node is like now; None for a node without a Numatopology."""

    kind: _Kind | None
    room: Room


class _Verdict(NamedTuple):
    """What nodes of a state say to a class: the code of the reason, and the CPUs, None where none are counted."""

    code: int
    cpus: Cpus | None
    numa_nodes: int


class NumaAwarePlugin(Plugin, points.SteadyPredicate, points.MeasuringPredicate):
    """Refuse and score nodes by where their free CPUs are.

    Nodes that are alike are in one state, and each class of tasks asks each state once.
    """

    reasons = (NO_TOPOLOGY, NOT_STATIC, OTHER_POLICY.format("POD", "NODE"), NO_FREE_CPUS, NO_PLACE.format("NAME"))

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.weight = option.arguments.int("weight")

    def on_session_open(self, session: Session) -> None:
        """Find the state of each node, and add the answers."""
        self.session = session
        self.states: list[_State] = [_State(None, Room(None, 0))]
        self.numbers: dict[Hashable, int] = {}
        kinds: dict[Hashable, _Kind] = {}
        numbers: list[int] = []
        for node in self.session.nodes.nodes:
            topology = node.numa
            if topology is None:
                numbers.append(_NO_TOPOLOGY)
                continue
            cpus = tuple((number, cpu.numa, cpu.socket, cpu.core) for number, cpu in sorted(topology.cpus.items()))
            key = topology.cpu_manager, topology.topology_manager, topology.reserved, cpus
            if key not in kinds:
                kinds[key] = _Kind(topology, CpuLayout(topology))
            kind = kinds[key]
            room = Room(None, 0) if topology.free is None else Room(*kind.layout.known(topology.free))
            numbers.append(self._number(_State(kind, room)))
        self.state_of_node = np.array(numbers, np.intp)
        self.aligns_all = any(each.kind is not None and each.kind.topology.aligns_all for each in self.states)
        self.given: dict[str, dict[str, Cpus]] = {}
        session.classes.add_signature(self.request)
        session.plugins.add(points.PREDICATE, NAME, self)
        session.plugins.add(points.BATCH_NODE_ORDER, NAME, self)
        session.add_event_handler(self._allocated, self._deallocated)
        if len(self.states) > 1 or not len(self.session.nodes):
            return
        if asking := [*filter(self.request, self.session.tasks(TaskStatus.Pending))]:
            self.session.warn(
                "numa-unknown",
                f"plugin {NAME}: pending pods ask for a topology policy, but there is no Numatopology of any node: "
                "no node takes these pods",
                help=how_to_add([wanted(Numatopology)]),
                jobs=[task.job for task in asking],
            )

    def _number(self, state: _State) -> int:
        """The number of a state; one that is new gets the next."""
        key = (id(state.kind), state.room)
        number = self.numbers.setdefault(key, len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return number

    def request(self, task: Task) -> Request | None:
        """What is looked at of a task, None where nothing is: all nodes take it, and none counts its CPUs."""
        policy = task.pod.metadata.annotations.get(NUMA_POLICY, "")
        policy = "" if policy in NO_POLICIES else policy
        if not (policy or self.aligns_all) or not is_guaranteed(task.pod):
            return None
        return Request(policy, wishes_of(task.pod))

    # --- refusing nodes ----------------------------------------------------------------------------------------------

    def codes(self, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
        """For each of some nodes 0 where a task of the class may go, else the code of the reason."""
        known, states = self._class_verdicts(task_class), self.state_of_node[nodes]
        if known.request is None:
            return np.zeros(len(states), np.int32)
        self._ask(known, states)
        return known.codes[states]

    def _ask(self, known: _ClassVerdicts, states: Integers) -> None:
        """Ask those of some states that a class has not asked yet."""
        if len(known.codes) < len(self.states):
            more = 2 * len(self.states) - len(known.codes)
            known.codes = np.concatenate([known.codes, np.full(more, -1, np.int32)])
            known.spread = np.concatenate([known.spread, np.zeros(more, np.intp)])
        for number in set(states[known.codes[states] < 0].tolist()):
            verdict = self._verdict(known, number)
            known.codes[number], known.spread[number] = verdict.code, verdict.numa_nodes

    def _verdict(self, known: _ClassVerdicts, number: int) -> _Verdict:
        verdict = known.verdicts.get(number)
        if verdict is None and known.request is not None:
            verdict = known.verdicts[number] = self._judged(known.request, self.states[number])
        return verdict or _Verdict(FITS, None, 0)

    def _judged(self, request: Request, state: _State) -> _Verdict:
        """What the nodes of a state say to a pod."""
        reasons, kind, room = self.session.reasons, state.kind, state.room
        reason = _against(request.policy, state)
        if reason:
            return _Verdict(reasons.code(reason), None, 0)
        if kind is None or (not request.policy and not kind.topology.aligns_all):
            return _Verdict(FITS, None, 0)
        answer = assign(kind.layout, kind.topology.topology_manager, room, request.wishes)
        if answer.refused is not None:
            return _Verdict(reasons.code(NO_PLACE.format(answer.refused.container)), None, 0)
        return _Verdict(FITS, answer.cpus, kind.layout.spread(answer.cpus))

    def measures(self, task_class: EquivalenceClass) -> bool:
        """True if a class asks for CPUs that are near to each other."""
        return self._class_verdicts(task_class).request is not None

    def shortfall(self, task_class: EquivalenceClass, nodes: Integers) -> tuple[int, points.Shortfall] | None:
        """The closest of some nodes that it refuses for their free CPUs, and what that lacks."""
        _, firsts = np.unique(self.state_of_node[nodes], return_index=True)
        request = self._class_verdicts(task_class).request
        lacks: list[tuple[int, points.Shortfall | None]] = []
        for node in nodes[np.sort(firsts)].tolist():
            kind, room = state = self.states[self.state_of_node[node]]
            if request is not None and kind is not None and not _against(request.policy, state):
                lacks.append((node, shortfall(kind.layout, kind.topology.topology_manager, room, request.wishes)))
        return points.least(lacks)

    def _class_verdicts(self, task_class: EquivalenceClass) -> _ClassVerdicts:
        return task_class.noted(NAME, lambda: _ClassVerdicts(self.request(task_class.task)))

    # --- scoring nodes -----------------------------------------------------------------------------------------------

    def constant(self, task_class: EquivalenceClass) -> float | None:
        """Zero for tasks that are not scored, else None: scores depend on the worst candidate."""
        return None if self._is_scored(task_class) else 0.0

    def scores(self, task_class: EquivalenceClass, candidates: Integers) -> Floats:
        """Score the candidates: the more NUMA nodes a task would be spread over, the less."""
        if not self._is_scored(task_class) or not len(candidates):
            return np.zeros(len(candidates))
        known = self._class_verdicts(task_class)
        states = self.state_of_node[candidates]
        self._ask(known, states)
        spread = known.spread[states]
        worst = int(spread.max())
        scores = MAX_SCORE - MAX_SCORE * spread // worst if worst else np.full(len(states), MAX_SCORE)
        return (scores * self.weight).astype(np.float64)

    def _is_scored(self, task_class: EquivalenceClass) -> bool:
        """True if a task is scored: where its nodes are asked, and it asks for a policy."""
        request = self._class_verdicts(task_class).request
        return self in self.session.node_plugins.predicates and request is not None and bool(request.policy)

    # --- the CPUs that are taken -------------------------------------------------------------------------------------

    def _allocated(self, task: Task) -> None:
        """Take the CPUs of a task; one that is not evicted after all never got any in this session."""
        if (
            task.status not in (TaskStatus.Allocated, TaskStatus.Pipelined)
            or self not in self.session.node_plugins.predicates
        ):
            return
        node, name = self.session.nodes.index[task.node or ""], task.node or ""
        known = self._class_verdicts(self.session.classes.of(task))
        cpus = self._verdict(known, int(self.state_of_node[node])).cpus
        if cpus is not None:
            self.given.setdefault(task.uid, {})[name] = cpus
            self._change(node, cpus, taken=True)

    def _deallocated(self, task: Task) -> None:
        """Give back the CPUs of a task that has lost its place; those of victims stay taken."""
        cpus = self.given.get(task.uid, {}).pop(task.node or "", None)
        if cpus is not None:
            self._change(self.session.nodes.index[task.node or ""], cpus, taken=False)

    def _change(self, node: int, cpus: Cpus, *, taken: bool) -> None:
        state = self.states[int(self.state_of_node[node])]
        if state.room.free is not None:
            free = state.room.free & ~cpus if taken else state.room.free | cpus
            self.state_of_node[node] = self._number(state._replace(room=state.room._replace(free=free)))

    def on_session_close(self, session: Session) -> None:
        """Leave the next session without the CPUs that tasks were given; the scheduler hears of no others."""
        for uid, places in self.given.items():
            for name, cpus in places.items():
                node = session.nodes.nodes[session.nodes.index[name]]
                kind = self.states[int(self.state_of_node[session.nodes.index[name]])].kind
                if kind is not None and node.numa is not None and node.numa.free is not None:
                    numbers = kind.layout.numbers_of(cpus)
                    session.cluster.given_cpus.setdefault(uid, {})[name] = of_numbers(numbers)
                    node.numa = replace(node.numa, free=without(node.numa.free, numbers))
                else:
                    session.warn(
                        PANIC,
                        f"plugin {NAME}: the Numatopology {name} does not list the resource cpu, and pods were given "
                        "CPUs of the node: Volcano's process ends here with a panic",
                        once=True,
                    )


class _ClassVerdicts:
    """What is known about a class of tasks: what it asks for, and what the states asked so far said.

    `codes` and `spread` have the code and the number of NUMA nodes of each state, the code -1 where it was not asked.
    """

    __slots__ = ("codes", "request", "spread", "verdicts")

    def __init__(self, request: Request | None) -> None:
        self.request = request
        self.verdicts: dict[int, _Verdict] = {}
        self.codes: Codes = np.zeros(0, np.int32)
        self.spread: Integers = np.zeros(0, np.intp)


def _against(policy: str, state: _State) -> str:
    """What keeps any pod with a policy from the nodes of a state, nothing where their CPUs decide."""
    if not policy:
        return ""
    if state.kind is None:
        return NO_TOPOLOGY
    topology = state.kind.topology
    if topology.cpu_manager != STATIC:
        return NOT_STATIC
    if topology.topology_manager != policy:
        return OTHER_POLICY.format(policy, topology.topology_manager)
    return "" if state.room.free or state.room.unknown else NO_FREE_CPUS
