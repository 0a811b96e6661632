"""What the points of a sweep say together."""

from __future__ import annotations

from tests.report.sweeps import EVICTIONS, PLACED, START, WEIGHT, mixed, row, single, sweep, weights
from vqs.replay.statistics import estimate
from vqs.sweep.analysis import analyse
from vqs.sweep.outcome import FigureInfo
from vqs.sweep.snapshots import with_analysis


def test_figures_are_traded_for_one_another() -> None:
    """More weight places more and evicts more: the front has the points between which there is a choice."""
    analysis = analyse(weights())
    assert analysis.traded == ["placed", "evictions"]
    assert [(each.figure, each.value, each.places) for each in analysis.best] == [
        ("placed", 8.0, [3, 4]),
        ("evictions", 0.0, [0, 1]),
    ]
    assert analysis.front == [1, 2, 3]
    assert analysis.best_in_all == []
    assert analysis.trade_off == ("placed", "evictions")


def test_one_choice_may_be_best_in_everything() -> None:
    """Then the front has just those points, and errors, texts and what never happens are not among them."""
    analysis = analyse(mixed())
    assert analysis.best_in_all == analysis.front == [6, 10]
    assert analysis.traded[-1] == "job:ns/train.startCycle"
    assert "job:ns/train.verdict" not in analysis.figures
    assert analysis.figures["placed"][5] is None


def test_what_never_happens_is_late() -> None:
    """A gang that never starts is worse off than all that start, and may still be the price of another figure."""
    rows = [
        row(number, {"weight": number}, {"placed": placed, "job:ns/train.startCycle": cycle})
        for number, (placed, cycle) in enumerate([(1.0, 1.0), (2.0, 2.0), (3.0, None), (2.0, None)], 1)
    ]
    analysis = analyse(sweep([WEIGHT], [PLACED, START], rows))
    assert analysis.traded == ["placed", "job:ns/train.startCycle"]
    assert analysis.front == [0, 1, 2]
    assert [(each.figure, each.value) for each in analysis.best] == [("placed", 3.0), ("job:ns/train.startCycle", 1.0)]
    assert analysis.preferred == [2]


def test_a_figure_that_is_not_known_is_on_no_front() -> None:
    """Unlike one that tells of what never happens."""
    rows = [
        row(number, {"weight": number}, {"placed": float(number), "evictions": evictions})
        for number, evictions in enumerate([0.0, 1.0, None], 1)
    ]
    assert analyse(sweep([WEIGHT], [PLACED, EVICTIONS], rows)).front == [0, 1]


def test_points_of_the_front_that_are_equal_are_one_combination() -> None:
    """In the order of the points."""
    rows = [
        row(number, {"weight": number}, {"placed": placed, "evictions": placed})
        for number, placed in enumerate([1.0, 2.0, 1.0, 2.0, 0.0], 1)
    ]
    analysis = analyse(sweep([WEIGHT], [PLACED, EVICTIONS], rows))
    assert analysis.combinations == [[0, 2], [1, 3], [4]]


def test_there_is_no_front_of_one_figure() -> None:
    """Its best points say it all; nor is there one where nothing differs."""
    rows = [row(number, {"weight": number}, {"placed": float(number), "evictions": 0.0}) for number in (1, 2)]
    analysis = analyse(sweep([WEIGHT], [PLACED, EVICTIONS], rows))
    assert (analysis.traded, analysis.front, analysis.best_in_all) == (["placed"], [], [1])
    assert analysis.trade_off is None
    alone = analyse(single())
    assert (alone.traded, alone.front, alone.best_in_all, alone.varied) == ([], [], [], [])


def test_what_points_are_run_with_takes_part() -> None:
    """Seeds, releases and snapshots have effects as parameters have, where there are several of them."""
    rows = [
        row(number, {"weight": 1}, {"placed": float(number)}, seed=seed, base=base)
        for number, (seed, base) in enumerate([(None, "a"), (7, "a"), (None, "b"), (7, "b")], 1)
    ]
    analysis = analyse(sweep([WEIGHT], [PLACED], rows))
    assert [each.name for each in analysis.varied] == ["snapshot", "seed"]
    assert [each.is_parameter for each in analysis.factors] == [True, False, False]
    assert [(each.parameter, each.difference) for each in analysis.effects] == [
        ("weight", 0.0),
        ("snapshot", 2.0),
        ("seed", 1.0),
    ]


def test_a_parameter_may_be_called_seed() -> None:
    """The seed of the run then has another name."""
    seed = WEIGHT.__class__(name="seed", edits=["queue/b.spec.weight={}"], options={}, numeric=True)
    rows = [row(number, {"seed": number}, {"placed": 1.0}, seed=number) for number in (1, 2)]
    assert [each.name for each in analyse(sweep([seed], [PLACED], rows)).factors] == ["seed", "seed of the run"]


def test_a_document_has_what_its_points_say() -> None:
    """Points are named by their numbers, the first ten of many."""
    document = with_analysis(weights())
    assert [(each.figure, each.direction, each.value, each.points, each.first) for each in document.best] == [
        ("placed", "more", 8.0, 2, [4, 5]),
        ("evictions", "less", 0.0, 2, [1, 2]),
    ]
    assert document.pareto_front is not None
    assert (document.pareto_front.figures, document.pareto_front.points) == (["placed", "evictions"], [2, 3, 4])
    assert [(each.figure, each.difference) for each in document.effects] == [("placed", 6.0), ("evictions", 3.0)]
    many = [row(number, {"weight": number}, {"placed": 1.0}) for number in range(1, 30)]
    best = with_analysis(sweep([WEIGHT], [PLACED], many)).best[0]
    assert (best.points, len(best.first)) == (29, 10)
    assert with_analysis(single()).pareto_front is None


def test_a_difference_that_is_not_shown_makes_no_point_better() -> None:
    """Times are compared in whole seconds: the last digits of a replay are chance."""
    wait = FigureInfo(name="queue:a.wait.p95", unit="seconds", resource="", missing="never")
    rows = [
        row(number, {"weight": number}, {"placed": 1.0, wait.name: seconds})
        for number, seconds in enumerate([602.1, 601.9, 1202.0], 1)
    ]
    analysis = analyse(sweep([WEIGHT], [PLACED, wait], rows))
    assert [(each.figure, each.value, each.places) for each in analysis.best][1:] == [(wait.name, 602.0, [0, 1])]


def test_points_whose_intervals_overlap_may_be_as_good() -> None:
    """Of points that are replayed under several seeds, those that chance may explain are named beside the best one."""
    of_point = [[8.0, 9.0, 10.0], [8.5, 9.5, 10.5], [20.0, 21.0, 22.0]]
    rows = [
        row(number, {"weight": number}, {"placed": sum(runs) / len(runs)}, intervals={"placed": estimate(runs)})
        for number, runs in enumerate(of_point, 1)
    ]
    [close] = analyse(sweep([WEIGHT], [PLACED], rows[:2])).best
    assert (close.places, close.alike) == ([1], [0])
    [clear] = analyse(sweep([WEIGHT], [PLACED], rows)).best
    assert (clear.places, clear.alike) == ([2], [])
    assert with_analysis(sweep([WEIGHT], [PLACED], rows[:2])).best[0].alike == 1
    assert analyse(weights()).best[0].alike is None
