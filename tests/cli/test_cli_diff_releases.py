"""`vqs diff-configs` with two releases says what an upgrade changes, and by which behaviour."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vqs.cli.main import main

SCENARIO = "tests/releases/scenarios/root-real-capability.yaml"


def compared(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 1) -> Any:
    """Return the document of a comparison."""
    assert main(["diff-configs", *arguments, "--format", "json"]) == status
    return json.loads(capsys.readouterr().out)


def mattering(document: Any) -> list[str]:
    """Return the behaviours that cause something."""
    return [each["name"] for each in document["behaviours"] if each.get("jobs") or each.get("queues")]


def test_an_upgrade_names_the_behaviour_that_causes_a_difference(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the job and of the queues, and each side has its release."""
    document = compared(capsys, "--volcano", "1.14.0", "--volcano", "1.14", SCENARIO)
    assert (document["before"]["volcano"], document["after"]["volcano"]) == ("1.14.0", "1.14")
    assert mattering(document) == ["root-real-capability", "root-deserved"]
    [job] = document["jobs"]
    assert job["behaviours"] == ["root-real-capability"]


def test_a_behaviour_alone_can_be_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """It is the candidate's, where nothing else is."""
    document = compared(capsys, "--on", SCENARIO, "--behaviour", "root-real-capability=total")
    assert document["after"]["session"]["behaviours"] == {"root-real-capability": "total"}
    assert "behaviours" not in document["before"]["session"]
    assert mattering(document) == ["root-real-capability"]


def test_a_behaviour_with_another_change_is_of_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    """What the change does under a patched scheduler is then the question."""
    document = compared(
        capsys, "--on", SCENARIO, "--behaviour", "root-real-capability=total", "--set", "queue/team.spec.weight=3"
    )
    assert document["before"]["session"]["behaviours"] == document["after"]["session"]["behaviours"]
    assert "behaviours" not in document


def test_the_same_release_twice_is_no_change(capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing to compare then."""
    assert main(["diff-configs", "--volcano", "1.14", "--volcano", "1.14", "--on", SCENARIO]) == 2
    assert "there is nothing to compare with" in capsys.readouterr().err


def test_three_releases_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A comparison has two sides."""
    assert main(["diff-configs", *(["--volcano", "1.14"] * 3), SCENARIO]) == 2
    assert "--volcano is given 3 times, and two sides are compared" in capsys.readouterr().err


def test_the_table_says_how_many_behaviours_matter(capsys: pytest.CaptureFixture[str]) -> None:
    """And the change is the release, not what follows from it."""
    assert main(["diff-configs", "--volcano", "1.14.0", "--volcano", "1.14", SCENARIO]) == 1
    out = capsys.readouterr().out
    assert "Change: Volcano 1.14.0 → 1.14\n" in out
    assert "2 of them with an effect here" in out
    assert "caused by the behaviour root-real-capability" in out


def test_an_action_that_only_the_newer_release_knows_is_run_by_it(capsys: pytest.CaptureFixture[str]) -> None:
    """The older one leaves it out, and what it evicts is caused by the behaviour that it exists."""
    document = compared(capsys, "--volcano", "1.13", "--volcano", "1.15", "scenarios/gangpreempt.yaml")
    assert "gang-actions" in mattering(document)
    urgent = next(job for job in document["jobs"] if job["name"] == "urgent")
    assert urgent["after"]["statuses"] == {"Pipelined": 3}
    assert "gang-actions" in urgent["behaviours"]


def test_an_action_that_the_newer_release_refuses_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Though the older one leaves it out: the scheduler would not start after the upgrade."""
    assert main(["diff-configs", "--volcano", "1.13", "--volcano", "1.14", "scenarios/gangpreempt.yaml"]) == 2
    assert "failed to find Action 'gangpreempt'" in capsys.readouterr().err


def test_an_action_that_the_base_would_refuse_has_its_cause(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Only the candidate has it in its configuration, and a cause is found by leaving it out."""
    old, new = tmp_path / "old.conf", tmp_path / "new.conf"
    plugins = "tiers: [{plugins: [{name: priority}, {name: gang}]}, {plugins: [{name: predicates}]}]\n"
    old.write_text(f'actions: "enqueue, allocate"\n{plugins}')
    new.write_text(f'actions: "enqueue, allocate, gangpreempt"\n{plugins}')
    on = ("--on", "scenarios/gangpreempt.yaml", "--volcano", "1.13", "--volcano", "1.15")
    assert mattering(compared(capsys, str(old), str(new), *on)) == ["gang-actions"]


def test_one_release_alone_is_the_release_of_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    """The error says so, and which release is missing."""
    assert main(["diff-configs", "--volcano", "1.15", SCENARIO]) == 2
    assert "both sides have 1.15 now; the first is that of the base" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["simulate", "diff-configs", "lint", "expand"])
def test_a_behaviour_has_one_value(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two that contradict one another are refused, and none of them counts in silence."""
    switches = [f"--behaviour=root-real-capability={value}" for value in ("total", "unlimited")]
    assert main([command, SCENARIO, *switches]) == 2
    assert "switches root-real-capability to total and to unlimited: keep one" in capsys.readouterr().err
