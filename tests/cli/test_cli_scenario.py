"""Scenarios on the command line: `vqs init`, their schema, and what is expected of them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from vqs.cli.main import main
from vqs.snapshot.scenario.schema import schema, starter

SCENARIO = """\
apiVersion: vqs/v1
kind: Scenario
nodes: [{cpu: 4}]
jobs: [{name: j, replicas: 2, cpu: 1}]
expect:
  jobs: {j: discarded}
  counts: {placed: 2}
"""


@pytest.fixture
def scenario_file(tmp_path: Path) -> Path:
    """Return a scenario of which one expectation fails."""
    file = tmp_path / "scenario.yaml"
    file.write_text(SCENARIO, encoding="utf-8")
    return file


def test_init(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A scenario to start from is written, and what to do with it is said; its expectations hold."""
    file = tmp_path / "idea.yaml"
    assert main(["init", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == starter()
    assert capsys.readouterr().err == f"{file} is written; now run: vqs simulate {file}\n"
    assert main(["simulate", str(file), "-q"]) == 0


def test_init_leaves_files_alone(scenario_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is there already stays as it is."""
    assert main(["init", str(scenario_file)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert scenario_file.read_text(encoding="utf-8") == SCENARIO


def test_init_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    """A dash writes the scenario to standard output, and says nothing."""
    assert main(["init", "-"]) == 0
    assert capsys.readouterr() == (starter(), "")


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """The schema of scenarios is printed as it is used; a scenario keeps to it."""
    assert main(["schema", "scenario"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == schema()
    jsonschema.Draft7Validator(printed).validate(yaml.safe_load(starter()))


def test_failed_expectation(scenario_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is otherwise than expected is listed with what was found, before the summary; exit 1."""
    assert main(["simulate", str(scenario_file)]) == 1
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("Expectations: 1 of 2 hold")
    assert lines[at + 1 : at + 3] == [f"{scenario_file}:6: job j: decision = discarded, found committed", ""]
    assert lines[at + 3].startswith("2 tasks placed")


def test_failed_expectation_is_never_silent(scenario_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the report does not reach the terminal, or is a summary, failed expectations go to stderr."""
    failed = f"expected: {scenario_file}:6: job j: decision = discarded, found committed"
    for arguments in (["-q"], ["-f", "json"], ["-o", str(scenario_file.with_suffix(".txt"))]):
        assert main(["simulate", str(scenario_file), *arguments]) == 1
        assert failed in capsys.readouterr().err.splitlines()


def test_expectations_in_json(scenario_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The result document has every expectation, and says of each whether it holds."""
    main(["simulate", str(scenario_file), "--format", "json"])
    result = json.loads(capsys.readouterr().out)
    file = str(scenario_file)
    assert result["expectations"] == [
        {"expect": "job j: decision = discarded", "found": "committed", "ok": False, "file": file, "line": 6},
        {"expect": "counts.placed = 2", "found": "2", "ok": True, "file": file, "line": 7},
    ]


def test_expectations_in_markdown(scenario_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Markdown has a section for them."""
    main(["simulate", str(scenario_file), "--format", "markdown"])
    assert "### Expectations: 1 of 2 hold\n\n- " in capsys.readouterr().out


def test_expect_option(scenario_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of expectations is checked as well as those of the scenario."""
    expect = tmp_path / "expect.yaml"
    expect.write_text("tasks: {j-worker-0: node-1}\n", encoding="utf-8")
    assert main(["simulate", str(scenario_file), "--expect", str(expect)]) == 1
    assert f"{expect}:1: task j-worker-0: node = node-1, found node-0" in capsys.readouterr().out


def test_lint_finds_nothing_in_what_init_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lint has nothing to find in the scenario to start from, and nothing is silenced there."""
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    capsys.readouterr()
    assert main(["lint", "scenario.yaml", "--fail-on", "note"]) == 0
    assert capsys.readouterr().out.startswith("no findings in 1 file, with 4 Nodes, ")
