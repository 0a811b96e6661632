"""shuffle evicts whom plugins want to see elsewhere."""

from __future__ import annotations

from typing import Any

from tests.build import node, placements, pod, queue, run
from tests.engine.crowds import evicted, running

PDB = 'actions: "shuffle"\ntiers:\n- plugins:\n  - name: gang\n- plugins:\n  - name: pdb\n'

FULL: list[Any] = [
    node("n1", cpu=4),
    queue("default"),
    running("j", "n1", "n1", of_pod={"labels": {"app": "x"}}),
    pod("j-bound", "j", node="n1", phase="Pending", labels={"app": "x"}),
]


def test_running_tasks_that_a_plugin_names_are_evicted() -> None:
    """The plugin pdb names all that no budget protects, and only running ones are asked about."""
    session = run(FULL, PDB)
    assert evicted(session) == ["j-worker-0", "j-worker-1"]
    assert placements(session)["j-worker-0"] == ("Releasing", "n1")
    assert placements(session)["j-bound"] == ("Bound", "n1")


def test_without_a_plugin_to_ask_nobody_goes() -> None:
    """Or where its answer is switched off."""
    assert evicted(run(FULL, PDB.replace("name: pdb", "name: priority"))) == []
    assert evicted(run(FULL, PDB.replace("name: pdb", "name: pdb\n    enabledVictim: false"))) == []


def test_the_first_tier_that_names_anybody_decides() -> None:
    """A later one is not asked; one that names nobody passes the question on."""
    rescheduling = PDB.replace("name: gang", "name: rescheduling")
    assert evicted(run(FULL, rescheduling)) == ["j-worker-0", "j-worker-1"]
