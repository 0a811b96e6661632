"""The pipelines in docs/ci.md do what they promise: their very commands are run on a repository with a change."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
import yaml
from junitparser import JUnitXml

from tests.cli.changes import CLUSTER, CONF, QUEUE, git
from tests.report.lint.test_formats import CODE_CLIMATE

PAGE = (Path(__file__).parents[2] / "docs" / "ci.md").read_text(encoding="utf-8")
ANNOTATION = re.compile(r"::(?P<level>error|warning|notice) (?P<properties>[^:]*)::(?P<message>.*)")


def pipeline(line: str) -> Any:
    """Return the pipeline on the page that has a line."""
    blocks = [block.split("```")[0] for block in PAGE.split("```yaml\n")[1:]]
    [text] = [block for block in blocks if f"\n{line}\n" in block]
    return yaml.safe_load(text)


@pytest.fixture(params=[3, 1], ids=["changed", "unchanged"])
def repository(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Go to a clone in which a branch changes a queue's weight, or not, and return the weight."""
    weight: int = request.param
    origin = tmp_path / "origin"
    (origin / "queues").mkdir(parents=True)
    for name, text in (
        ("queues/a.yaml", QUEUE % ("a", 1)),
        ("volcano-scheduler.conf", CONF % "enqueue, allocate"),
        ("snapshot.json", json.dumps(yaml.safe_load(CLUSTER))),
    ):
        (origin / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(origin)
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    git("clone", ".", "../clone")
    monkeypatch.chdir(tmp_path / "clone")
    git("checkout", "-b", "change")
    Path("queues/a.yaml").write_text(QUEUE % ("a", weight), encoding="utf-8")
    git("commit", "--allow-empty", "-am", "second")
    return weight


def run(command: str, **variables: str) -> tuple[int, str]:
    """Run a command as a pipeline does, and return its exit status and what it writes."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, **variables, "PATH": path}
    done = subprocess.run(  # noqa: S603 - the example's own command
        ["bash", "-e", "-o", "pipefail", "-c", command],  # noqa: S607 - as a runner calls it
        check=False,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, done.stdout


def parsed(text: str) -> list[dict[str, str]]:
    """Parse annotations as GitHub's runner does."""
    found = []
    for line in text.splitlines():
        match = ANNOTATION.fullmatch(line)
        assert match is not None, line
        pairs = dict(pair.split("=", 1) for pair in match["properties"].split(","))
        properties = {key: unquote(value) for key, value in pairs.items()}
        found.append({"level": match["level"], "message": unquote(match["message"]), **properties})
    return found


def test_the_github_workflow(repository: int) -> None:
    """The check fails where a condition holds, the summary tells, and the annotations stand on the changed file."""
    workflow: dict[str, Any] = pipeline("name: what-if")
    steps = {step.get("name"): step for step in workflow["jobs"]["what-if"]["steps"]}
    Path("temp").mkdir()
    variables = {
        "GITHUB_BASE_REF": "main",
        "GITHUB_STEP_SUMMARY": "summary.md",
        "RUNNER_TEMP": str(Path("temp").resolve()),
    }
    status, _ = run(steps["compare"]["run"], **variables)
    _, told = run(steps["annotate"]["run"], **variables)
    summary = Path("summary.md").read_text(encoding="utf-8")
    assert Path("temp/diff.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    if repository == 1:
        assert (status, told, summary.splitlines()[0]) == (0, "", "**Nothing would change**")
        return
    assert status == 1
    assert summary.startswith("**2 jobs affected: 1 better, 1 worse")
    first, *_ = read = parsed(told)
    assert (first["level"], first["title"], first["file"]) == ("error", "diff-condition", "queues/a.yaml")
    assert {each["level"] for each in read} == {"error", "warning", "notice"}
    assert any(each["message"].startswith("default/serve: 2 tasks no longer placed") for each in read)


def test_the_gitlab_job(repository: int) -> None:
    """The job fails where a condition holds, and its reports are what GitLab reads."""
    [job] = pipeline("what-if:").values()
    variables = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    setup = job["before_script"]
    prepared = setup[setup.index('cd "$CI_PROJECT_DIR"') + 1 :]
    statuses = [run(command, **variables)[0] for command in [*prepared, *job["script"]]]
    for command in job["after_script"]:
        assert run(command, **variables)[0] == 0
    reports = job["artifacts"]["reports"]
    issues = json.loads(Path(reports["codequality"]).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(CODE_CLIMATE).validate(issues)
    suites = JUnitXml.fromfile(reports["junit"])
    changed = repository != 1
    assert (statuses, bool(suites.failures), bool(issues)) == ([0, 0, 0, 0, int(changed)], changed, changed)
    assert all(Path(path).exists() for path in job["artifacts"]["paths"])
