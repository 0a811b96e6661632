"""The cheapest change that reaches a goal: what is found, with how many sessions, and what is shown of it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sweep.tune.tuning import Computed, plan_of, tuned
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.sweep.space import SpaceError
from vqs.sweep.tune.search import MethodError, Search

ONE = """
parameters:
  a: {edit: "queue/default.spec.weight={}", from: 1, to: %d, step: 1}
cost: a
"""
TWO = """
parameters:
  a: {edit: "queue/default.spec.weight={}", from: 0, to: %d, step: 1}
  b: {edit: "queue/research.spec.weight={}", from: 0, to: %d, step: 1}
cost: {a: 2, b: 3}
"""


def test_few_changes_are_all_run(tmp_path: Path) -> None:
    """Where there are sessions enough, every cheaper change is run, though the goal comes and goes."""
    found = tuned(plan_of(tmp_path, ONE % 20), lambda at: 10 if at["a"] in (6, 7, 19) else 0)
    assert found.method == "exhaustive"
    assert found.change is not None
    assert found.change.parameters == {"a": 6}
    assert [each.parameters for each in found.cheaper] == [{"a": 5}]
    assert found.cheaper[0].unmet == ["placed is 0, and has to be at least 10"]
    assert (found.proof, found.points) == ("all", 8)


def test_a_monotone_parameter_is_halved(tmp_path: Path) -> None:
    """A million values of a monotone parameter take some twenty sessions; the claim is said with the answer."""
    found = tuned(plan_of(tmp_path, ONE % 1_000_000 + "monotone: [a]\n"), lambda at: at["a"] / 777)
    assert found.method == "bisection"
    assert found.change is not None
    assert found.change.parameters == {"a": 7770}
    assert [each.parameters for each in found.cheaper] == [{"a": 7769}]
    assert found.proof == "monotone"
    assert found.points <= 22
    assert "rests on the plan's claim that dearer values of a reach it where cheaper ones do" in found.notes[0]


def test_costs_may_fall_along_a_parameter(tmp_path: Path) -> None:
    """The cheapest value may be the last one."""
    text = (ONE % 1_000_000).replace("cost: a", "cost: 1000000 - a") + "monotone: [a]\n"
    found = tuned(plan_of(tmp_path, text), lambda at: 10 if at["a"] <= 4321 else 0)
    assert found.change is not None
    assert found.change.parameters == {"a": 4321}


def test_both_ends_are_run(tmp_path: Path) -> None:
    """The claim that a parameter is monotone is looked at: at both ends, and between them where neither will do."""
    plan = plan_of(tmp_path, ONE % 1_000_000 + "monotone: [a]\n")
    nowhere = tuned(plan, lambda _: 0)
    assert (nowhere.change, nowhere.proof, nowhere.points) == (None, "monotone", 9)
    assert nowhere.answer.startswith("No change within these bounds reaches the goal. The nearest is a=1 ")
    first = tuned(plan, lambda at: 10 if at["a"] < 5 else 0)
    assert first.change is not None
    assert (first.change.parameters, first.cheaper, first.proof) == ({"a": 1}, [], "steps")
    assert "that is not so" in first.notes[-1]
    middle = tuned(plan, lambda at: 10 if 300_000 <= at["a"] <= 600_000 else 0)
    assert middle.change is not None
    assert (middle.change.parameters, middle.proof) == ({"a": 300_000}, "steps")
    assert "that is not so" in middle.notes[-1]


def test_no_change_is_an_answer(tmp_path: Path) -> None:
    """Where no change reaches the goal, that is said, with the one that comes nearest."""
    found = tuned(plan_of(tmp_path, ONE % 20), lambda at: 9 - abs(at["a"] - 12))
    assert (found.change, found.proof, found.points) == (None, "all", 20)
    assert found.nearest is not None
    assert found.nearest.parameters == {"a": 12}
    assert found.nearest.unmet == ["placed is 9, and has to be at least 10"]
    assert found.notes == ["Every change was run, and none reaches the goal."]


def test_optuna_searches_many_changes(tmp_path: Path) -> None:
    """Of many changes, Optuna finds some, and the best is made cheaper until no single step makes it cheaper still."""
    plan = plan_of(tmp_path, TWO % (999, 999) + "sessions: 60\nseed: 7\n")

    def placed(at: Mapping[str, Any]) -> float:
        return float(at["a"] / 50 + at["b"] / 25)

    found = tuned(plan, placed)
    assert found.method == "optuna"
    assert found.change is not None
    assert placed(found.change.parameters) >= 10
    assert found.change.cost < 1000  # of at most 4,995; where the draws lead depends on Optuna's release
    assert [placed(each.parameters) < 10 for each in found.cheaper] == [True] * len(found.cheaper)
    assert found.cheaper
    assert found.proof == "steps"
    assert found.points <= 60
    assert tuned(plan, placed) == found


def test_what_could_be_cheaper_is_run_in_the_end(tmp_path: Path) -> None:
    """Where the sessions that are left suffice for all that is cheaper, these are run, and the answer is certain."""
    plan = plan_of(tmp_path, TWO % (13, 13) + "sessions: 150\n")
    found = tuned(plan, lambda at: 10 if (at["a"], at["b"]) in {(3, 4), (13, 13)} or at["a"] > 10 else 0)
    assert found.method == "optuna"
    assert found.change is not None
    assert (found.change.parameters, found.proof) == ({"a": 3, "b": 4}, "all")


def test_sessions_are_bounded(tmp_path: Path) -> None:
    """No more sessions are run than the plan allows, and then nothing is said of what was not run."""
    plan = plan_of(tmp_path, TWO % (999, 999) + "sessions: 5\n")
    found = tuned(plan, lambda _: 0)
    assert (found.points, found.proof, found.change) == (5, "none", None)
    assert found.answer.startswith("No change was found that reaches the goal.")


def test_all_seeds_have_to_reach_the_goal(tmp_path: Path) -> None:
    """A change is run under all seeds, which are counted as sessions, and has to reach the goal under each."""
    plan = plan_of(tmp_path, ONE % 9 + "seeds: 3\n")
    engine = Computed(plan.plan, lambda at: at["a"] * 2)
    found = Search(plan).run(engine)
    assert found.change is not None
    assert found.change.parameters == {"a": 5}
    assert [row.seed for row in found.change.rows] == [0, 1, 2]
    assert (found.points, len(engine.points)) == (24, 27)  # with the snapshot itself


def test_options_and_constraints(tmp_path: Path) -> None:
    """Values without an order have costs of their own, and what constraints exclude is not run."""
    text = """
parameters:
  policy: {options: {keep: [], binpack: "conf.actions=allocate", spread: "conf.actions=backfill"}}
  a: {edit: "queue/default.spec.weight={}", values: [0, 5, 10]}
cost: {policy: {binpack: 4, spread: 1}, a: 1}
constraints: not (policy == 'spread' and a == 5)
"""
    found = tuned(plan_of(tmp_path, text), lambda at: at["a"] + (5 if at["policy"] != "keep" else 0))
    assert found.change is not None
    assert (found.change.parameters, found.change.cost, found.changes) == ({"policy": "binpack", "a": 5}, 9, 8)


@given(st.integers(1, 6), st.integers(1, 6), st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_the_answer_is_the_cheapest(
    tmp_path_factory: pytest.TempPathFactory, most_a: int, most_b: int, reaching: set[tuple[int, int]]
) -> None:
    """Whatever reaches the goal, the answer is the cheapest that does."""
    plan = plan_of(tmp_path_factory.mktemp("plan"), TWO % (most_a, most_b))
    found = tuned(plan, lambda at: 10 if (at["a"], at["b"]) in reaching else 0)
    costs = [2 * a + 3 * b for a, b in product(range(most_a + 1), range(most_b + 1)) if (a, b) in reaching]
    assert (found.change.cost if found.change else None) == min(costs, default=None)
    assert found.proof == "all"


def test_what_cannot_be_searched(tmp_path: Path) -> None:
    """A method that does not fit the parameters is refused, and so is a cost that is no number."""
    with pytest.raises(MethodError, match="bisection is for one parameter, and the plan has more"):
        Search(plan_of(tmp_path, TWO % (9, 9) + "method: bisection\n"))
    with pytest.raises(MethodError, match="bisection needs costs that rise, or fall"):
        Search(plan_of(tmp_path, ONE % 9 + "method: bisection\nmonotone: [a]\nconstraints: a != 5\n"))
    with pytest.raises(MethodError, match=r"bisection rests on a claim: add monotone: \[a\] if it holds"):
        Search(plan_of(tmp_path, ONE % 9 + "method: bisection\n"))
    with pytest.raises(MethodError, match="there are 1,000,000 changes, too many to run all of them"):
        Search(plan_of(tmp_path, TWO % (999, 999) + "method: exhaustive\n"))
    with pytest.raises(SpaceError, match="constraints exclude all of them"):
        Search(plan_of(tmp_path, ONE % 9 + "constraints: a > 9\n"))
    with pytest.raises(SpaceError, match=r"1 / \(a - 5\) has no value"):
        Search(plan_of(tmp_path, (ONE % 9).replace("cost: a", "cost: 1 / (a - 5)")))


def test_all_mistakes_of_a_plan_are_named(tmp_path: Path) -> None:
    """Mistakes of the goal, the cost and the claims are named with their places, all at once."""
    text = ONE % 9 + "monotone: [b]\nfigures: [place]\n"
    with pytest.raises(InputErrors) as caught:
        plan_of(tmp_path, text.replace("cost: a", "cost: {a: 1, c: 2}"))
    messages = [each.message for each in caught.value.diagnostics]
    assert messages == [
        "there is no figure 'place' (did you mean 'placed'?)",
        "there is no parameter 'b'",
        "there is no parameter 'c'",
    ]
    assert all(each.line for each in caught.value.diagnostics)
