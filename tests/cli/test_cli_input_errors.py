"""Input errors are findings in each format that programs read: at their places, and with exit status 2 all the same."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from junitparser import JUnitXml
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from tests.cli.changes import CLUSTER, QUEUE, git
from tests.report.test_lint import CODE_CLIMATE
from vqs.cli.main import main
from vqs.report import schema

BROKEN = QUEUE % ("c", 1) + "---\nkind: Queue\n  odd: [\n"
WRONG = QUEUE.replace("%d", "%s") % ("c", "five")
COMPARE = ["diff-configs", "queues", "--on", "snapshot.yaml"]
SAID = """\
queues/a.yaml:4:16: $.spec.weight: expected a whole number, got the text 'five'
  spec: {weight: five}
                 ^
error: 1 error in the input, nothing was done
"""


@pytest.fixture(autouse=True)
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with a queue of which the weight is no number, and let nobody feed standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    Path("queues").mkdir()
    Path("queues/a.yaml").write_text(WRONG, encoding="utf-8")
    Path("snapshot.yaml").write_text(CLUSTER, encoding="utf-8")


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs a command that refuses its input, and returns what it writes to stdout."""

    def run(*arguments: str) -> str:
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert err == SAID
        return str(out)

    return run


def test_an_annotation(told: Any) -> None:
    """GitHub shows an error on its line."""
    message = "$.spec.weight: expected a whole number, got the text 'five'"
    assert told(*COMPARE, "--format", "github") == (
        f"::error file=queues/a.yaml,line=4,col=16,title=wrong-type::{message}\n"
    )


def test_sarif(told: Any) -> None:
    """Code scanning gets a valid log, which says that the tool was not successful."""
    log = json.loads(told(*COMPARE, "--format", "sarif"))
    Sarif.model_validate(log)
    [run] = log["runs"]
    assert run["invocations"] == [{"executionSuccessful": False, "exitCode": 2}]
    [result] = run["results"]
    assert (result["ruleId"], result["level"]) == ("wrong-type", "error")
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "wrong-type"
    [location] = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "queues/a.yaml"
    assert location["physicalLocation"]["region"] == {"startLine": 4, "startColumn": 16}


def test_a_code_quality_report(told: Any) -> None:
    """GitLab gets an issue for each error; those that are alike are told apart."""
    [issue] = issues = json.loads(told(*COMPARE, "--format", "gitlab"))
    jsonschema.Draft202012Validator(CODE_CLIMATE).validate(issues)
    assert (issue["severity"], issue["location"]) == ("major", {"path": "queues/a.yaml", "lines": {"begin": 4}})


def test_alike_errors_have_fingerprints_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    """The same words about two objects of a file are two findings."""
    Path("queues/a.yaml").write_text(WRONG + "---\n" + WRONG.replace("name: c", "name: d"), encoding="utf-8")
    assert main([*COMPARE, "--format", "gitlab"]) == 2
    issues = json.loads(capsys.readouterr().out)
    assert [issue["description"] for issue in issues] == [issues[0]["description"]] * 2
    assert issues[0]["fingerprint"] != issues[1]["fingerprint"]


def test_junit(told: Any) -> None:
    """A build server gets a case with an error, which is no failure: nothing was tested."""
    suites = JUnitXml.fromstring(told(*COMPARE, "--format", "junit").encode())
    assert (suites.tests, suites.failures, suites.errors) == (1, 0, 1)
    [suite] = suites
    [case] = suite
    assert (suite.name, case.name) == ("queues/a.yaml", "wrong-type queues/a.yaml:4:16")
    [error] = case.result
    assert error.type == "wrong-type"
    assert "spec: {weight: five}" in str(error.text)


@pytest.mark.parametrize(
    "arguments",
    [
        COMPARE,
        ["simulate", "snapshot.yaml", "queues"],
        ["explain-queue", "snapshot.yaml", "queues"],
        ["explain-job", "snapshot.yaml", "queues", "--job", "default/train"],
        ["fit", "queues", "--on", "snapshot.yaml"],
        ["verify", "queues/a.yaml", "snapshot.yaml"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_json(arguments: Sequence[str], told: Any) -> None:
    """Each command says in JSON what is wrong, as `vqs schema refusal` has it."""
    document = json.loads(told(*arguments, "--format", "json"))
    jsonschema.Draft202012Validator(schema.result("refusal")).validate(document)
    assert document == {
        "schema": "vqs/refusal/v1",
        "command": arguments[0],
        "summary": {"errors": 1, "warnings": 0, "notes": 0},
        "diagnostics": [
            {
                "code": "wrong-type",
                "severity": "error",
                "message": "expected a whole number, got the text 'five'",
                "file": "queues/a.yaml",
                "line": 4,
                "column": 16,
                "path": "$.spec.weight",
                "excerpt": "spec: {weight: five}\n               ^",
            }
        ],
    }


@pytest.mark.parametrize("chosen", ["table", "markdown", "html"])
def test_people_read_them_on_stderr(chosen: str, told: Any) -> None:
    """What people read has no result where there is none."""
    assert told(*COMPARE, "--format", chosen, "--output", "result") == ""
    assert not Path("result").exists()


def test_a_file(told: Any) -> None:
    """With --output, a step that uploads the file finds what is wrong in it, in place of an older result."""
    Path("vqs.sarif").write_text("of another run", encoding="utf-8")
    assert told(*COMPARE, "--format", "sarif", "--output", "vqs.sarif") == ""
    assert json.loads(Path("vqs.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]


def test_a_file_that_is_wrong_is_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    """The file that the errors are about stays as it is, also where it is only included."""
    scenario = f"{CLUSTER}include: part.yaml\n"
    Path("whole.yaml").write_text(scenario, encoding="utf-8")
    Path("part.yaml").write_text(BROKEN, encoding="utf-8")
    assert main(["simulate", "whole.yaml", "--format", "json", "--output", "part.yaml"]) == 2
    assert Path("part.yaml").read_text(encoding="utf-8") == BROKEN
    assert capsys.readouterr().err.endswith("cannot write to part.yaml: it is one of the files to read\n")


def test_what_is_saved_is_rendered(told: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A pipeline that compares once, and renders the result later, annotates the errors then."""
    told(*COMPARE, "--format", "json", "--output", "diff.json")
    for chosen in ("github", "gitlab", "sarif", "junit"):
        at_once = told(*COMPARE, "--format", chosen)
        assert main(["render", "diff.json", "--format", chosen]) == 0
        assert capsys.readouterr().out == at_once
    assert main(["render", "diff.json"]) == 0
    assert capsys.readouterr().out.endswith("vqs diff-configs: 1 error in the input, nothing was done\n")
    assert main(["render", "diff.json", "--format", "html"]) == 2
    assert "html is no format for this result" in capsys.readouterr().err


def test_the_summary_of_a_job(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The summary of a GitHub job says what is wrong, whatever the format."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    told(*COMPARE, "--github-summary")
    assert Path("summary.md").read_text(encoding="utf-8") == (
        "**vqs diff-configs: 1 error in the input, nothing was done**\n\n"
        "- error: `queues/a.yaml:4:16`: $.spec.weight: expected a whole number, got the text 'five'\n"
    )


def test_an_error_in_another_revision(capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong in the base is said of the base."""
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    Path("queues/a.yaml").write_text(QUEUE % ("c", 1), encoding="utf-8")
    assert main([*COMPARE, "--base-ref", "main", "--format", "github"]) == 2
    assert capsys.readouterr().out.startswith("::error file=main%3Aqueues/a.yaml,line=4,")


@pytest.mark.parametrize("chosen", ["github", "gitlab", "sarif", "junit", "json"])
def test_a_name_that_is_no_utf_8(chosen: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Errors in a file of which the name is no UTF-8 are findings all the same."""
    Path("queues", os.fsdecode(b"\xff.yaml")).write_text("apiVersion: [\n", encoding="utf-8")
    assert main([*COMPARE, "--format", chosen]) == 2
    out, err = capsys.readouterr()
    assert "xff.yaml" in out
    assert "bug" not in err


def test_misuse_is_no_input_error(capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong with the command line is said on stderr alone."""
    assert main(["diff-configs", "queues", "--format", "github"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
