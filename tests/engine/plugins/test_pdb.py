"""pdb lets go as many pods as their budgets allow."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import node, open_session, pod, queue
from tests.engine.crowds import running
from tests.engine.plugins.votes import WANT, ask, outcome, with_plugin


def budget(name: str, allowed: int, selector: Any, **status: Any) -> Any:
    """Make a disruption budget."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "ns"},
        "spec": {"selector": selector},
        "status": {"disruptionsAllowed": allowed, **status},
    }


def held(number: int = 3) -> list[Any]:
    """Make a job `held` of running pods with a label."""
    return [*running("held"), *[pod(f"held-{n}", "held", node="n1", labels={"app": "x"}) for n in range(number)]]


APP = {"matchLabels": {"app": "x"}}


def test_pdb_lets_go_as_many_as_are_allowed() -> None:
    """The first ones it is asked about."""
    names, codes = outcome(ask("pdb", WANT, held(), budget("b", 2, APP), conf=with_plugin("pdb")))
    assert (names, codes) == (["held-0", "held-1"], ["disruption-budget"])


def test_pdb_counts_each_budget() -> None:
    """One that is used up is enough to spare a task, and the others count it all the same."""
    budgets = [budget("b", 2, APP), budget("c", 1, APP)]
    assert outcome(ask("pdb", WANT, held(), *budgets, conf=with_plugin("pdb")))[0] == ["held-0"]


def test_pdb_does_not_count_pods_that_are_on_their_way_out() -> None:
    """The budget knows of them already."""
    known = budget("b", 1, APP, disruptedPods={"held-0": "2026-01-01T00:00:00Z"})
    assert outcome(ask("pdb", WANT, held(), known, conf=with_plugin("pdb")))[0] == ["held-0", "held-1"]


@pytest.mark.parametrize("selector", [{}, None, {"matchLabels": {"app": "y"}}])
def test_pdb_leaves_other_pods_alone(selector: Any) -> None:
    """An empty selector is about no pod here, unlike in Kubernetes."""
    assert len(outcome(ask("pdb", WANT, held(), budget("b", 0, selector), conf=with_plugin("pdb")))[0]) == 3


@pytest.mark.parametrize(
    ("status", "noted"), [({}, True), ({"expectedPods": 3}, False), ({"observedGeneration": 1}, False)]
)
def test_a_budget_without_status_is_noted(status: dict[str, Any], noted: bool) -> None:
    """It allows nothing, and a note says that a controller would count its pods; one that could not has been there."""
    objects = [*held(), budget("b", 0, APP) | {"status": status}, budget("c", 0, {"matchLabels": {"app": "y"}})]
    session = open_session([node("n1", cpu=20), queue("default"), *objects], with_plugin("pdb"))

    said = [each.message for each in session.notices if each.code == "budget-without-status"]
    assert [each.split(",")[0] for each in said] == ["PodDisruptionBudget ns/b has no status"] * noted


def test_pdb_never_lets_go_a_pod_without_labels() -> None:
    """Even where there is no budget at all."""
    votes = ask("pdb", WANT, running("held", "n1"), conf=with_plugin("pdb"))
    assert outcome(votes) == ([], ["no-labels"])
