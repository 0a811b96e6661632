"""What the glossary and the scenarios promise."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from vqs.cli.main import main
from vqs.explain.outcome import Decision
from vqs.model.job import TaskStatus

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "scenarios"
SCENARIOS = sorted(set(FOLDER.glob("*.yaml")) - set(FOLDER.glob("*.plan.yaml")))


@pytest.mark.thorough
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_scenario_runs(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every bundled scenario can be simulated, without a warning."""
    assert main(["simulate", str(scenario)]) == 0
    assert "warning:" not in capsys.readouterr().out


@pytest.mark.parametrize("word", [*get_args(Decision), *(status.name for status in TaskStatus)])
def test_glossary_lists_every_decision_and_status(word: str) -> None:
    """The glossary says what each decision on a job and each status of a task means."""
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert any(f"`{word}`" in row.split("|")[1] for row in rows)
