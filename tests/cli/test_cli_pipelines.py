"""The pipelines do what they promise, those in docs/ci.md and those to include: their very commands are run.

A shell runs them, with a `vqs` that only notes how it is called; the calls are made in this process afterwards, which
saves the start of an interpreter for each.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
import yaml
from junitparser import JUnitXml

from tests.cli.changes import CLUSTER, CONF, QUEUE, git
from tests.report.test_lint import CODE_CLIMATE
from vqs.cli.main import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
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


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Return a function that runs a command as a pipeline does, and returns its exit status and what it writes.

    It takes the variables of the environment by name.
    """
    noting = tmp_path / "bin" / "vqs"
    noting.parent.mkdir()
    calls = tmp_path / "calls"
    noting.write_text(f"#!/bin/bash\nprintf '%s\\0' \"$@\" $'\\n' >> '{calls}'\n", encoding="utf-8")
    noting.chmod(0o755)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.setenv("PATH", os.pathsep.join([str(noting.parent), os.environ["PATH"]]))

    def made(command: str, **variables: str) -> tuple[int, str]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        calls.write_text("", encoding="utf-8")
        subprocess.run(  # noqa: S603 - the example's own command
            ["bash", "-e", "-o", "pipefail", "-c", command],  # noqa: S607 - as a runner calls it
            check=True,
            capture_output=True,
        )
        status, written = 0, ""
        for call in calls.read_text(encoding="utf-8").split("\0\n\0")[:-1]:
            status = status or main(call.split("\0"))
            written += capsys.readouterr().out
        return status, written

    return made


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


def test_the_github_workflow(repository: int, run: Callable[..., tuple[int, str]]) -> None:
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
    assert any(each["message"].startswith("default/serve: 2 of ") for each in read)


def test_the_action(repository: int, run: Callable[..., tuple[int, str]]) -> None:
    """The steps of the action fail where a condition holds, annotate the change, and leave a report and a comment."""
    steps = {step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step}
    Path("temp").mkdir()
    given = {"base-ref": "origin/main", "files": "queues\nvolcano-scheduler.conf\n"}
    inputs = {name: given.get(name, about.get("default", "")) for name, about in ACTION["inputs"].items()}
    variables = {
        name: inputs[re.sub(r"\W*inputs\.([\w-]+)\W*", r"\1", value)] for name, value in steps["compare"]["env"].items()
    }
    status, _ = run(
        steps["compare"]["run"],
        RUNNER_TEMP=str(Path("temp").resolve()),
        GITHUB_OUTPUT="outputs.txt",
        GITHUB_STEP_SUMMARY="summary.md",
        **variables,
    )
    folder = Path("outputs.txt").read_text(encoding="utf-8").strip().removeprefix("folder=")
    _, told = run(steps["annotate"]["run"], FOLDER=folder)
    changed = repository != 1
    assert (status, bool(parsed(told))) == (int(changed), changed)
    comment = Path(folder, "comment.md").read_text(encoding="utf-8")
    assert Path("summary.md").read_text(encoding="utf-8").startswith(comment.partition("\n")[0])
    assert Path(folder, "diff.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_action_runs_nothing_of_its_inputs() -> None:
    """What a workflow passes in reaches the scripts in variables alone, and other actions are pinned by commit."""
    steps = ACTION["runs"]["steps"]
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []
    used = [step["uses"] for step in steps if "uses" in step]
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", each)] == []


@pytest.mark.usefixtures("repository")
def test_the_hook_of_pre_commit(run: Callable[..., tuple[int, str]]) -> None:
    """The hook looks at manifests and configurations, and finds what is wrong with them."""
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    names = ["queues/a.yaml", "volcano-scheduler.conf", "README.md", "a.yml", "a.json", "main.py"]
    assert [name for name in names if re.search(hook["files"], name)] == [*names[:2], *names[3:5]]
    Path("queues/b.yaml").write_text(QUEUE % ("b", -1), encoding="utf-8")
    assert run(f"{hook['entry']} queues/a.yaml")[0] == 0
    assert run(f"{hook['entry']} queues/a.yaml queues/b.yaml")[0] == 1


def test_the_gitlab_job(repository: int, run: Callable[..., tuple[int, str]]) -> None:
    """The job fails where a condition holds, and its reports are what GitLab reads."""
    [job] = pipeline("what-if:").values()
    judged(job, run, changed=repository != 1)


def test_the_gitlab_template(repository: int, run: Callable[..., tuple[int, str]]) -> None:
    """The job of the template does the same, with the inputs in their places."""
    text = (ROOT / ".ci" / "gitlab.yml").read_text(encoding="utf-8")
    declared, template = text.split("\n---\n")
    inputs = yaml.safe_load(declared)["spec"]["inputs"]
    for name, about in inputs.items():
        template = template.replace(f"$[[ inputs.{name} ]]", str(about.get("default", "")))
    assert "$[[" not in template
    [job] = yaml.safe_load(template).values()
    judged(job, run, changed=repository != 1)


def judged(job: dict[str, Any], run: Callable[..., tuple[int, str]], *, changed: bool) -> None:
    """Run the commands of a GitLab job, and check what they say of a repository that is changed or not."""
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
    assert (statuses, bool(suites.failures), bool(issues)) == ([0, 0, 0, 0, int(changed)], changed, changed)
    assert all(Path(path).exists() for path in job["artifacts"]["paths"])
