"""The scenarios that come with the project show what they say."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest

from vqs.cli.main import main
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.scenario.schema import starter

FOLDER = Path(__file__).parents[1] / "scenarios"
SCENARIOS = sorted(set(FOLDER.glob("*.yaml")) - set(FOLDER.glob("*.plan.yaml")))
SCHEMA = "# yaml-language-server: $schema=../vqs/snapshot/scenario/schema.json\n"


def simulated(manifests: Manifests) -> Simulation:
    """Run a session."""
    return simulate(manifests, SimulateOptions())


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
def test_scenario(file: Path) -> None:
    """Each scenario expects something, and all of that holds, without a warning."""
    result = simulated(read_manifests([str(file)]))
    assert result.expectations
    assert [each for each in result.expectations if not each.ok] == []
    assert [each for each in result.diagnostics if each.severity == "warning"] == []


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
def test_scenario_says_what_it_shows(file: Path) -> None:
    """Each scenario begins with where editors find its schema, and with what to look for."""
    text = file.read_text(encoding="utf-8")
    if file.stem == "first-look":  # its plain manifests come first
        text = SCHEMA + text
    assert text.startswith(f"{SCHEMA}# ")
    assert max(map(len, text.splitlines())) <= 120


def test_starter() -> None:
    """What the scenario of `vqs init` expects holds."""
    result = simulated(read_manifests(["-"], stdin=io.BytesIO(starter().encode())))
    assert result.expectations
    assert all(each.ok for each in result.expectations)


def test_scenario_in_the_docs() -> None:
    """What the scenario in docs/scenarios.md expects holds."""
    page = (FOLDER.parent / "docs" / "scenarios.md").read_text(encoding="utf-8")
    [text] = [block for each in page.split("```yaml\n")[1:] if "kind: Scenario" in (block := each.split("```")[0])]
    result = simulated(read_manifests(["-"], stdin=io.BytesIO(text.encode())))
    assert result.expectations
    assert all(each.ok for each in result.expectations)


@pytest.mark.thorough
@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
def test_expanded_scenario_is_the_same(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Simulating the manifests that a scenario stands for gives what simulating the scenario gives."""
    expanded = tmp_path / "expanded.json"
    assert main(["expand", str(file), "--format", "json", "--output", str(expanded)]) == 0
    assert capsys.readouterr().out == ""
    first, second = simulated(read_manifests([str(file)])), simulated(read_manifests([str(expanded)]))
    for result in (first, second):
        result.session.configuration = ""
        result.diagnostics, result.expectations = [], []
        for each in result.losses:
            each.restarted = 0  # what makes the pods of a scenario again is not among the manifests
    assert msgspec.to_builtins(first) == msgspec.to_builtins(second)
