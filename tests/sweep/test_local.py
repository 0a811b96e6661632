"""Points in processes of this machine."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

from tests.sweep.conftest import PlanOf
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.reading.reach import Limits, Reach, enforced
from vqs.sweep.engines import LocalEngine, SerialEngine, engine
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.outcome import WORKER_LOST, Row
from vqs.sweep.plan import Plan
from vqs.sweep.space import Point, Space

POINTS = {"weight": {"edit": "queue/b.spec.weight={}", "from": 1, "to": 12, "step": 1}}


MANY = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "many", "namespace": "ns"},
    "spec": {
        "parallelism": 2,
        "completions": 2,
        "template": {"spec": {"schedulerName": "volcano", "containers": [{"name": "c", "image": "i"}]}},
    },
}
"""A Job for which two pods are created."""


class Deadly(Evaluator):
    """Ends its process at some points, the first time or always."""

    def __init__(self, plan: Plan, fatal: dict[int, str]) -> None:
        super().__init__(plan, SimulateOptions())
        self.fatal = fatal

    def evaluate(self, point: Point) -> Row:
        """Evaluate a point; a file says whether a process has ended at it already."""
        file = self.fatal.get(point.number, "")
        if file == "always" or (file and not os.path.exists(file)):  # noqa: PTH110 - a text says it all
            if file != "always":
                os.close(os.open(file, os.O_CREAT))
            os.kill(os.getpid(), signal.SIGKILL)
        return super().evaluate(point)


def in_order(rows: Iterator[Row]) -> list[Row]:
    """Return rows in the order of their points."""
    return sorted(rows, key=lambda row: row.number)


def test_rows_are_those_of_one_process(plan_of: PlanOf) -> None:
    """Several processes have the rows of one, in whatever order, and are gone in the end."""
    plan = plan_of(parameters=POINTS)
    space, evaluator = Space(plan), Evaluator(plan, SimulateOptions())
    with LocalEngine(evaluator, 3) as local:
        processes = [worker.process for worker in local.processes._workers]
        rows = in_order(local.rows(space))
    assert rows == [*SerialEngine(evaluator).rows(space)]
    assert [process.exitcode for process in processes] == [0, 0, 0]


def test_few_points_are_taken_at_a_time(plan_of: PlanOf) -> None:
    """No more points are taken than keep all processes busy: memory does not grow with their number."""
    plan = plan_of(parameters=POINTS)
    taken = 0

    def points() -> Iterator[Point]:
        nonlocal taken
        for point in Space(plan):
            taken += 1
            yield point

    with LocalEngine(Evaluator(plan, SimulateOptions()), 2) as local:
        for done, _ in enumerate(local.rows(points())):
            assert taken <= done + 2 * 2


def test_points_of_a_process_that_is_killed_are_run_again(plan_of: PlanOf, folder: os.PathLike[str]) -> None:
    """A process that ends in the middle of a point is replaced, and no row is missing or different."""
    plan = plan_of(parameters=POINTS)
    fatal = {number: os.path.join(folder, f"died-{number}") for number in (1, 6, 12)}  # noqa: PTH118 - a text
    with LocalEngine(Deadly(plan, fatal), 2) as local:
        rows = in_order(local.rows(Space(plan)))
    assert rows == [*SerialEngine(Evaluator(plan, SimulateOptions())).rows(Space(plan))]


def test_a_point_that_ends_processes_is_given_up(plan_of: PlanOf) -> None:
    """A point at which two processes have ended is a row with its error, and the others are run."""
    plan = plan_of(parameters=POINTS)
    with LocalEngine(Deadly(plan, {5: "always"}), 2) as local:
        rows = in_order(local.rows(Space(plan)))
    errors = {row.number: row.error for row in rows if row.error}
    assert [row.number for row in rows] == [*range(1, 13)]
    assert errors.keys() == {5}
    assert errors[5].code == WORKER_LOST
    assert errors[5].message == "the process that ran this point was ended by SIGKILL: is there enough memory?"


def test_processes_end_with_an_interruption(plan_of: PlanOf) -> None:
    """Processes that have points left are ended at once."""
    plan = plan_of(parameters=POINTS)
    local = LocalEngine(Evaluator(plan, SimulateOptions()), 2)
    with local:
        processes = [worker.process for worker in local.processes._workers]
        next(iter(local.rows(Space(plan))))
    assert all(process.exitcode is not None for process in processes)


def test_processes_that_are_not_forked_have_the_same_rows(plan_of: PlanOf) -> None:
    """A process that begins with nothing gets a copy of the snapshots, and the limits that are in force."""
    with enforced(Reach(Limits(max_pods=1))):
        plan = plan_of(parameters={**POINTS, "job": {"options": {"none": [], "one": [MANY]}}})
    space, evaluator = Space(plan), Evaluator(plan, SimulateOptions())
    with LocalEngine(evaluator, 1, start="spawn") as local:
        rows = in_order(local.rows(space))
    assert rows == [*SerialEngine(evaluator).rows(space)]
    assert [row.error and row.error.code for row in rows] == [None, "too-many-pods"] * 12


def test_one_process_is_this_one(plan_of: PlanOf) -> None:
    """One job needs no other process."""
    evaluator = Evaluator(plan_of(), SimulateOptions())
    assert isinstance(engine(evaluator, 1), SerialEngine)
    assert isinstance(engine(evaluator, 2), LocalEngine)
