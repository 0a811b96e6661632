"""What the README and the scenarios promise."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args

import pytest

from vqs.cli.main import main
from vqs.explain.outcome import Decision
from vqs.explain.verdict_rules import VERDICT_RULES, VerdictRule
from vqs.model.task import TaskStatus

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(
    r"^```\n(\$ vqs .*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize("scenario", sorted((ROOT / "scenarios").glob("*.yaml")), ids=lambda path: path.stem)
def test_scenario_runs(scenario: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every bundled scenario can be simulated, without a warning."""
    assert main(["simulate", str(scenario)]) == 0
    assert "warning:" not in capsys.readouterr().out


def test_readme_shows_what_the_first_scenario_prints(
    on_terminal: Callable[[Sequence[str]], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output in the README is what the command above it prints on a terminal of 80 columns."""
    monkeypatch.chdir(ROOT)
    shown = on_terminal(["simulate", "scenarios/first-look.yaml", "--no-color"])
    assert f"```\n{shown}```\n" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.partition("\n")[0])
def test_readme_shows_what_commands_print(
    block: str, on_terminal: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each block that begins with a command shows what it prints; `...` stands for what is left out."""
    monkeypatch.chdir(ROOT)
    command, _, shown = block.partition("\n")
    arguments, filtered, _ = command.removeprefix("$ vqs ").partition(" | ")
    printed = on_terminal([*arguments.split(), "--no-color"], int(arguments.startswith(("lint", "diff-configs"))))
    parts = shown.splitlines(keepends=True) if filtered else shown.split("...\n")
    assert [part for part in parts if part not in printed] == []
    assert filtered or len(parts) > 1 or printed == shown


@pytest.mark.parametrize("rule", VERDICT_RULES.values(), ids=VERDICT_RULES)
def test_readme_lists_every_verdict(rule: VerdictRule) -> None:
    """The README has each code with its title."""
    assert f"\n| `{rule.code}` | {rule.title} |\n" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("word", [*get_args(Decision), *(status.name for status in TaskStatus)])
def test_readme_lists_every_decision_and_status(word: str) -> None:
    """The README says what each decision on a job and each status of a task means."""
    rows = [line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert any(f"`{word}`" in row.split("|")[1] for row in rows)
