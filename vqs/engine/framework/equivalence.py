"""Equivalence classes of tasks: those that no enabled predicate and no scorer can tell apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np

from vqs.engine.nodes.reasons import Codes, Reasons
from vqs.engine.nodes.table import Block, Floats, Integers, NodeTable
from vqs.model.job import Task
from vqs.model.kubernetes import Pod

Item = TypeVar("Item")


class EquivalenceClass:
    """Tasks with the same requests and the same signatures.

    `task` and `pod` are a representative; `notes` is where plugins keep what they derive from it once, by plugin name.
    `need` is what has to be idle, and idle in the future, at the `rows` of the node state.
    """

    __slots__ = ("need", "notes", "number", "pod", "rows", "short_codes", "task")

    def __init__(self, number: int, task: Task, nodes: NodeTable, reasons: Reasons) -> None:
        self.number = number
        self.task = task
        self.pod: Pod = task.pod
        self.notes: dict[str, Any] = {}
        names = [] if task.best_effort else task.request.dimensions()
        self.rows: Integers = np.concatenate([nodes.rows(Block.IDLE, names), nodes.rows(Block.FUTURE_IDLE, names)])
        self.need: Floats = np.array([task.request.get(name) for name in names] * 2)[:, None]
        lacks = [f"Insufficient {name}" for name in names]
        reasons.mark_resolvable(*lacks)
        self.short_codes: Codes = np.array([reasons.code(text) for text in lacks], np.int32)

    def noted(self, plugin: str, make: Callable[[], Item]) -> Item:
        """What a plugin derives from the class, which is made once."""
        if plugin not in self.notes:
            self.notes[plugin] = make()
        noted: Item = self.notes[plugin]
        return noted

    def limits(self) -> list[tuple[int, int, float, int]]:
        """For each resource where its idle and future idle amounts stand, the need, and the code of a lack."""
        number = len(self.short_codes)
        now, later = self.rows[:number].tolist(), self.rows[number:].tolist()
        return list(zip(now, later, self.need[:number, 0].tolist(), self.short_codes.tolist(), strict=True))


class EquivalenceClasses:
    """The classes of one session, made as tasks come up."""

    def __init__(self, nodes: NodeTable, reasons: Reasons) -> None:
        self._nodes = nodes
        self._reasons = reasons
        self._signatures: list[Callable[[Task], Hashable]] = []
        self._classes: list[EquivalenceClass] = []
        self._numbers: dict[Hashable, int] = {}
        self._numbered: list[Task] = []

    def add_signature(self, signature: Callable[[Task], Hashable]) -> None:
        """Put tasks with different signatures into different classes; the same function counts once."""
        if signature not in self._signatures:
            self._signatures.append(signature)

    def of(self, task: Task) -> EquivalenceClass:
        """The class of a task."""
        if task.class_number < 0:
            key = (task.shape, *[signature(task) for signature in self._signatures])
            number = self._numbers.setdefault(key, len(self._classes))
            if number == len(self._classes):
                self._classes.append(EquivalenceClass(number, task, self._nodes, self._reasons))
            task.class_number = number
            self._numbered.append(task)
        return self._classes[task.class_number]

    def forget(self) -> None:
        """Take the numbers off the tasks, so that another session can give them others."""
        for task in self._numbered:
            task.class_number = -1
