"""Reading a plan: everything that is wrong with it, with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.sweep.conftest import PlanOf
from vqs.releases.release import Build, Release
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.sweep.domains import Span, Steps, Values
from vqs.sweep.read import read_plan

WEIGHT = "queue/b.spec.weight={}"


def problems(plan_of: PlanOf, **given: Any) -> dict[str, tuple[str, str]]:
    """Return what is wrong with a plan and what may have been meant, by where that is."""
    with pytest.raises(InputErrors) as refused:
        plan_of(**given)
    return {each.path: (each.message, each.help) for each in refused.value.diagnostics}


def of_parameter(plan_of: PlanOf, parameter: Mapping[str, Any], **given: Any) -> dict[str, tuple[str, str]]:
    """Return what is wrong with a plan that has one parameter, by where in that it is."""
    found = problems(plan_of, parameters={"weight": {"edit": WEIGHT, **parameter}}, **given)
    return {path.removeprefix("$.parameters.weight"): problem for path, problem in found.items()}


def test_a_whole_plan(plan_of: PlanOf) -> None:
    """All that a plan can say is read."""
    plan = plan_of(
        name="weights",
        base={"now": "snapshot.json", "later": ["snapshot.json"]},
        parameters={
            "weight": {"edit": [WEIGHT, "queue/a.spec.weight={}"], "from": 1, "to": 10, "step": 3},
            "mode": {"options": {"as-is": [], "reclaim": 'conf.actions="enqueue, reclaim"', "more": [{"kind": "X"}]}},
        },
        constraints="weight > 1",
        seeds=3,
        releases=["1.13", 1.15],
        cycles=4,
        figures=["placed", "placed", "queue:a.evicted"],
        failOn=["evictions, placed<base", "queue:a.share>50%"],
        assumeAdmitted=True,
    )
    assert [(each.name, len(each.manifests.queues)) for each in plan.bases] == [("now", 2), ("later", 2)]
    weight, mode = plan.parameters
    assert weight.domain == Steps(1, 10, 4)
    assert weight.edits_of(4) == ["queue/b.spec.weight=4", "queue/a.spec.weight=4"]
    assert mode.domain == Values(("as-is", "reclaim", "more"))
    assert [mode.edits_of(name) for name in ("as-is", "more")] == [[], [{"kind": "X"}]]
    assert [each.text for each in plan.constraints] == ["weight > 1"]
    assert (plan.seeds, plan.releases) == ((0, 1, 2), tuple(map(Build, (Release.V1_13, Release.V1_15))))
    assert [each.text for each in plan.figures] == ["placed", "queue:a.evicted"]
    assert [each.text for each in plan.fail_on] == ["evictions", "placed<base", "queue:a.share>50%"]
    assert [each.text for each in plan.needed] == ["placed", "queue:a.evicted", "evictions", "queue:a.share"]
    assert (plan.name, plan.cycles, plan.assume_admitted) == ("weights", 4, True)


@pytest.mark.parametrize(
    ("parameter", "domain"),
    [
        ({"from": 1, "to": 2, "step": 0.5}, Steps(1, 2, 3)),
        ({"from": 1, "to": 2.2, "step": 0.5}, Steps(1, 2, 3)),
        ({"from": 0, "to": 0.3, "step": 0.1}, Steps(0, 3 * 0.1, 4)),
        ({"from": 1, "to": 100, "count": 3, "scale": "log"}, Steps(1, 100, 3, is_log=True)),
        ({"from": 0.5, "to": 3.5, "integer": True}, Span(1, 3, is_integer=True)),
        ({"values": [1, "x", True]}, Values((1, "x", True))),
    ],
)
def test_values_of_a_parameter(plan_of: PlanOf, parameter: dict[str, Any], domain: object) -> None:
    """A list, numbers with a step, a number of numbers, and whole numbers."""
    [read] = plan_of(parameters={"weight": {"edit": WEIGHT, **parameter}}).parameters
    assert read.domain == domain


@pytest.mark.parametrize(
    ("parameter", "where", "message"),
    [
        ({}, "", "from and to missing"),
        ({"values": []}, ".values", "there is no value"),
        ({"values": [1], "step": 2}, ".step", "step is for a range"),
        ({"from": 1}, "", "to missing"),
        ({"from": 3, "to": 1, "step": 1}, ".to", "the range is empty"),
        (
            {"from": 1, "to": 3},
            "",
            "it does not say which of the numbers between from and to",
        ),
        ({"from": 1, "to": 3, "step": 0}, ".step", "has to be above 0"),
        ({"from": 0, "to": 1, "step": 1e-12}, ".step", "more than 1,000,000,000 steps"),
        ({"from": 0, "to": 1, "step": 1e-320}, ".step", "more than 1,000,000,000 steps"),
        ({"from": -1e308, "to": 1e308, "count": 3}, ".to", "further than numbers go"),
        ({"from": 1, "to": 3, "step": 1, "count": 3}, ".step", "contradict each other"),
        ({"from": 0, "to": 3, "count": 3, "scale": "log"}, ".from", "begins above 0"),
        ({"edit": "queue/b.spec.weight=1", "values": [1]}, ".edit", "no edit has a {}"),
        ({"edit": None, "values": [1]}, "", "edit is missing"),
        ({"options": {}, "edit": None}, ".options", "there is no option"),
        ({"options": {"a": []}, "values": [1], "edit": None}, ".values", "values is for a parameter without options"),
        ({"valeus": [1]}, ".valeus", "unknown key 'valeus'"),
        ({"from": "1", "to": 3}, ".from", "expected a number"),
        ({"values": [[1]]}, ".values[0]", "expected"),
    ],
)
def test_wrong_values(plan_of: PlanOf, parameter: dict[str, Any], where: str, message: str) -> None:
    """A parameter whose values cannot be told is refused, at the key that is wrong."""
    assert message in of_parameter(plan_of, parameter)[where][0]


@pytest.mark.parametrize(
    ("given", "where", "message", "hint"),
    [
        ({"figures": ["plcaed"]}, "$.figures[0]", "there is no figure 'plcaed'", "did you mean 'placed'?"),
        ({"failOn": "evictions>x"}, "$.failOn", "'x' is no value", ""),
        ({"failOn": "job:ns/a.verdict=1"}, "$.failOn", "is a text, and conditions compare numbers", ""),
        ({"constraints": ["wieght > 1"]}, "$.constraints[0]", "there is no parameter", "did you mean 'weight'?"),
        ({"releases": ["1.99"]}, "$.releases[0]", "release '1.99' is not modelled", ""),
        ({"base": None}, "", "base is missing", ""),
        ({"base": "-"}, "$.base", "cannot name standard input", "--on"),
        ({"base": ["none.json"]}, "$.base[0]", "there is no file", ""),
        ({"base": {"a": "none.json"}}, "$.base.a", "there is no file", ""),
        ({"base": {"a": []}, "figures": ["replay.makespan"]}, "$.base.a", "there is no file", ""),
        ({"base": "../snapshot.json"}, "$.base", "outside of what may be read", "--on"),
        ({"base": "/etc/passwd"}, "$.base", "outside of what may be read", "--root"),
        ({"kind": "Swep"}, "$.kind", "'Swep' is not allowed", "did you mean 'Sweep'?"),
        ({"figurs": []}, "$.figurs", "unknown key 'figurs'", "did you mean 'figures'?"),
        ({"figures": None}, "", "figures is missing", ""),
        ({"kind": "Tune", "goal": []}, "$.kind", "this is a plan for vqs tune, not for vqs sweep", "run vqs tune "),
        ({"parameters": {}}, "$.parameters", "there is no parameter", ""),
        ({"seeds": 0}, "$.seeds", "0 is out of range", ""),
        ({"cycles": 1001}, "$.cycles", "1001 is out of range", ""),
        ({"choose": "gird"}, "$.choose", "'gird' is not allowed", "did you mean 'grid'?"),
        ({"choose": {"method": "random"}}, "$.choose", "points is missing", ""),
        ({"choose": {"method": "random", "points": 10**9}}, "$.choose.points", "out of range", ""),
        ({"choose": {"method": "list"}}, "$.choose", "points is missing", ""),
        (
            {"choose": {"method": "list", "points": [{"wight": 1}]}},
            "$.choose.points[0].wight",
            "there is no parameter",
            "did you mean 'weight'?",
        ),
        ({"choose": {"method": "list", "points": [{}]}}, "$.choose.points[0]", "weight is missing", ""),
    ],
)  # fmt: skip
def test_wrong_plans(plan_of: PlanOf, given: dict[str, Any], where: str, message: str, hint: str) -> None:
    """What is wrong is named with its place, and with what was probably meant."""
    said = problems(plan_of, **given)[where]
    assert message in said[0]
    assert hint in " ".join(said)


@pytest.mark.parametrize("name", ["a-b", "1a", "", "é", "and", "Number", "x" * 64])
def test_wrong_names(plan_of: PlanOf, name: str) -> None:
    """The name of a parameter is an identifier, and none of the columns that are there anyway."""
    with pytest.raises(InputErrors, match=r"is no name of a parameter|has a meaning of its own"):
        plan_of(parameters={name: {"edit": WEIGHT, "values": [1]}})


def test_everything_that_is_wrong_is_named_at_once(plan_of: PlanOf) -> None:
    """One error does not hide another."""
    found = problems(plan_of, figures=["x"], failOn="y", constraints="z", releases=["w"], base="v")
    assert found.keys() == {"$.figures[0]", "$.failOn", "$.constraints", "$.releases[0]", "$.base"}


def test_links_lead_nowhere_else(folder: Path, plan_of: PlanOf, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A link in the folder of a plan does not lead out of it."""
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "secret.json"
    elsewhere.write_text("{}", encoding="utf-8")
    (folder / "link.json").symlink_to(elsewhere)
    assert "outside" in problems(plan_of, base="link.json")["$.base"][0]


def test_a_listed_parameter_needs_no_values(plan_of: PlanOf) -> None:
    """Where points are listed, their values are those of the parameters."""
    points = [{"weight": 3}, {"weight": 1}, {"weight": 3}]
    plan = plan_of(choose={"method": "list", "points": points}, parameters={"weight": {"edit": WEIGHT}})
    assert plan.choice.listed == points
    assert plan.parameters[0].domain == Values((3, 1))


def test_several_documents_are_refused(plan_file: Callable[..., Path]) -> None:
    """A file has one plan."""
    file = plan_file()
    file.write_text(f"{file.read_text()}---\nkind: X\n", encoding="utf-8")
    with pytest.raises(InputErrors, match="has one document, and this has 2"):
        read_plan(str(file))


def test_another_snapshot(folder: Path, plan_file: Callable[..., Path]) -> None:
    """The command line names a snapshot in place of that of the plan."""
    (folder / "other.yaml").write_text("apiVersion: v1\nkind: Node\nmetadata: {name: n}\n", encoding="utf-8")
    plan = read_plan(str(plan_file(base=None)), on=[str(folder / "other.yaml")])
    assert [len(each.manifests.nodes) for each in plan.bases] == [1]


def test_the_content_of_snapshots_counts(folder: Path, plan_of: PlanOf) -> None:
    """A snapshot with another content is another input, wherever it is."""
    (folder / "same.json").write_bytes((folder / "snapshot.json").read_bytes())
    (folder / "other.json").write_bytes((folder / "snapshot.json").read_bytes() + b"\n")
    first, same, other = (plan_of(base=name).inputs for name in ("snapshot.json", "same.json", "other.json"))
    assert first == same != other
