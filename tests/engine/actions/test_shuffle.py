"""shuffle evicts whom plugins want to see elsewhere."""

from __future__ import annotations

from typing import Any

from tests.build import group, node, placements, pod, queue, run
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


def test_a_task_on_a_node_that_is_not_there_is_evicted() -> None:
    """No node takes note of that; what counts the pods and host ports of nodes, and those of queues, goes on."""
    plugins = "".join(f"\n  - name: {name}" for name in ("predicates", "nodeorder", "proportion"))
    conf = PDB.replace("shuffle", "preempt, shuffle, preempt").replace("name: pdb", f"name: pdb{plugins}")
    apart = [{"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "x"}}}]
    spec = {
        "containers": [{"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}]}],
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": apart}},
    }
    stray = pod("j-stray", "j", node="gone", labels={"app": "x"}, spec=spec)
    starving = [group("k"), *(pod(f"k-{number}", "k", cpu=2) for number in range(3))]
    assert {*evicted(run([*FULL, stray, *starving], conf))} == {"j-stray", "j-worker-0", "j-worker-1"}


def test_without_a_plugin_to_ask_nobody_goes() -> None:
    """Or where its answer is switched off."""
    assert evicted(run(FULL, PDB.replace("name: pdb", "name: priority"))) == []
    assert evicted(run(FULL, PDB.replace("name: pdb", "name: pdb\n    enabledVictim: false"))) == []


def test_the_first_tier_that_names_anybody_decides() -> None:
    """A later one is not asked; one that names nobody passes the question on."""
    rescheduling = PDB.replace("name: gang", "name: rescheduling")
    assert evicted(run(FULL, rescheduling)) == ["j-worker-0", "j-worker-1"]
