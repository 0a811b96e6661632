"""The points of a plan, by number."""

from __future__ import annotations

import tracemalloc
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sweep.plans import plan_with
from vqs.releases.release import Release
from vqs.sweep.domains import Domain, Span, Steps, Values
from vqs.sweep.plan import Choice, Plan
from vqs.sweep.space import MOST_POINTS, Space, SpaceError, baseline_of

LENGTHS = st.lists(st.integers(1, 4), min_size=1, max_size=3)


@given(LENGTHS, st.integers(1, 2), st.integers(1, 3))
def test_a_grid_has_each_combination_once(lengths: list[int], bases: int, seeds: int) -> None:
    """Bases, releases, parameters and seeds are combined, in that order; each point is computed from its number."""
    domains = {f"p{number}": Steps(0, length - 1, length) for number, length in enumerate(lengths)}
    releases = (Release.V1_13, Release.V1_14)
    space = Space(plan_with({**domains}, bases=bases, seeds=tuple(range(seeds)), releases=releases))
    found = [(each.base, each.release, *each.values.values(), each.seed) for each in space]
    assert found == [*product(range(bases), releases, *(range(length) for length in lengths), range(seeds))]
    assert [each.number for each in space] == [*range(1, len(space) + 1)]


@given(LENGTHS, st.integers(0, 8))
def test_constraints_leave_points_out(lengths: list[int], most: int) -> None:
    """The points of a constrained grid are those of the grid for which the constraint holds, in the same order."""
    domains = {f"p{number}": Steps(0, length - 1, length) for number, length in enumerate(lengths)}
    text = f"{' + '.join(domains)} <= {most}"
    space = Space(plan_with({**domains}, text))
    wanted = [each for each in product(*(range(length) for length in lengths)) if sum(each) <= most]
    assert [tuple(each.values.values()) for each in space] == wanted


def hypercube(points: int, seed: int = 0) -> Plan:
    """Return a plan that draws points of a whole number, a fraction and a list."""
    domains: dict[str, Domain] = {
        "a": Span(1, 1000, is_integer=True),
        "b": Span(0.001, 1, is_log=True),
        "c": Values(("x", "y", "z")),
    }
    return plan_with(domains, choice=Choice("latin-hypercube", points, seed))


@given(st.integers(1, 60), st.integers(0, 3))
def test_a_hypercube_has_a_point_in_each_stratum(points: int, seed: int) -> None:
    """Cut into as many strata as there are points, each parameter has one value in each."""
    drawn = [each.values for each in Space(hypercube(points, seed))]
    strata = sorted((float(each["a"]) - 1) * points // 1000 for each in drawn)
    assert len(strata) == points
    assert all(abs(stratum - number) <= 1 for number, stratum in enumerate(strata))
    assert [*Space(hypercube(points, seed))] == [*Space(hypercube(points, seed))]


def test_another_seed_draws_others() -> None:
    """The points depend on the seed."""
    assert [*Space(hypercube(9, 1))] != [*Space(hypercube(9, 2))]


def test_random_points_are_distinct_and_allowed() -> None:
    """No point is drawn twice, and none that a constraint leaves out."""
    plan = plan_with({"a": Steps(1, 6, 6), "b": Steps(1, 6, 6)}, "a < b", choice=Choice("random", 15))
    drawn = [tuple(each.values.values()) for each in Space(plan)]
    assert sorted(drawn) == [(a, b) for a in range(1, 7) for b in range(1, 7) if a < b]


def test_a_list_is_taken_as_it_is() -> None:
    """Points that are listed are run in their order."""
    listed = [{"a": 3}, {"a": 1}]
    space = Space(plan_with({"a": Values((3, 1))}, choice=Choice("list", listed=listed)))
    assert [each.edits for each in space] == [("a=3",), ("a=1",)]


def test_a_huge_grid_is_refused_without_being_expanded() -> None:
    """10^9 points are counted, not made; with constraints, too."""
    domains = {"a": Steps(1, 10**9, 10**9)}
    tracemalloc.start()
    try:
        for constraints in ((), ("a > 5",)):
            with pytest.raises(SpaceError, match=r"1,000,000,000 (points|combinations)"):
                Space(plan_with({**domains}, *constraints))
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_huge_grid_is_sampled() -> None:
    """Some of 10^9 points are drawn without the others."""
    domains = {name: Steps(1, 1000, 1000) for name in "abc"}
    tracemalloc.start()
    try:
        for method in ("random", "latin-hypercube"):
            space = Space(plan_with({**domains}, choice=Choice(method, 1000)))
            assert len(space) == 1000
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_sides_count() -> None:
    """Seeds multiply the points, also beyond what is run at most."""
    plan = plan_with({"a": Values((1,))}, seeds=tuple(range(MOST_POINTS + 1)))
    with pytest.raises(SpaceError, match="10,001"):
        Space(plan)
    assert len(Space(plan, MOST_POINTS + 1)) == MOST_POINTS + 1


def test_no_point_is_left() -> None:
    """Constraints that exclude all points are a mistake, and so are those without a value."""
    with pytest.raises(SpaceError, match="no point is left"):
        Space(plan_with({"a": Values((1, 2))}, "a > 2"))
    with pytest.raises(SpaceError, match="has no value"):
        Space(plan_with({"a": Values((0, 2))}, "1 / a > 2"))


def test_baseline() -> None:
    """Each base is run without edits, with each release and seed."""
    space = Space(plan_with({"a": Values((1,))}, bases=2, seeds=(4, 5)))
    assert [(each.number, each.base, each.seed, each.edits) for each in baseline_of(space.plan)] == [
        (0, 0, 4, ()),
        (-1, 0, 5, ()),
        (-2, 1, 4, ()),
        (-3, 1, 5, ()),
    ]
