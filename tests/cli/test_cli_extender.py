"""A configuration causes a request only with --allow-extender, whatever the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engine.plugins.extender_server import Extender, endless, extender
from vqs.cli.main import main
from vqs.engine.framework import session
from vqs.engine.plugins.extender import client

JOB = "  - {name: train, replicas: 1, cpu: 1, memory: 1Gi}\n"
SESSIONS = [
    ["simulate", "cluster.yaml"],
    ["simulate", "cluster.yaml", "--cycles", "2"],
    ["explain-job", "cluster.yaml"],
    ["explain-job", "cluster.yaml", "--job", "train"],
    ["explain-queue", "cluster.yaml"],
    ["diff-configs", "cluster.yaml", "cluster.yaml"],
    ["fit", "job.yaml", "--on", "empty.yaml"],
]
AS_JSON = [[*command, "--format", "json"] for command in SESSIONS]
QUIET = [[*command, "--quiet"] for command in SESSIONS]
CONTRIBUTIONS = ["plugins", "--on", "cluster.yaml"]
NOT_ASKED = (
    "warning: plugin extender is not asked, so that decisions may differ from Volcano's "
    "(vqs sends requests to the extender only with --allow-extender)"
)
OTHERS = [["lint", "cluster.yaml"], ["expand", "cluster.yaml"], ["anonymize", "cluster.yaml"]]


def written(server: Extender, folder: Path) -> None:
    """Write a cluster whose configuration names a server."""
    conf = (
        'scheduler: |\n  actions: "allocate"\n  tiers:\n  - plugins:\n    - name: predicates\n    - name: extender\n'
        f"      arguments: {{extender.urlPrefix: '{server.url}', extender.predicateVerb: predicate}}\n"
    )
    empty = f"apiVersion: vqs/v1\nkind: Scenario\n{conf}nodes:\n  - {{count: 1, cpu: 2, memory: 4Gi}}\n"
    (folder / "empty.yaml").write_text(empty, encoding="utf-8")
    (folder / "cluster.yaml").write_text(f"{empty}jobs:\n{JOB}", encoding="utf-8")
    (folder / "job.yaml").write_text(f"apiVersion: vqs/v1\nkind: Scenario\njobs:\n{JOB}", encoding="utf-8")


@pytest.mark.parametrize("command", [*SESSIONS, *QUIET, *AS_JSON, CONTRIBUTIONS, *OTHERS], ids=" ".join)
def test_nothing_is_sent_by_itself(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Commands that run sessions say once that the server is not asked, whatever they show and in which format."""
    monkeypatch.chdir(tmp_path)
    with extender(predicate={}) as server:
        written(server, tmp_path)
        main(command)
        assert server.requests == []
    captured = capsys.readouterr()
    said = [line for line in captured.err.splitlines() if "extender is not asked" in line]
    assert said == ([] if command in OTHERS else [NOT_ASKED])


@pytest.mark.parametrize("command", [*SESSIONS, CONTRIBUTIONS], ids=" ".join)
def test_requests_are_sent_where_they_are_allowed(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command that runs sessions takes the option."""
    monkeypatch.chdir(tmp_path)
    with extender(predicate={}) as server:
        written(server, tmp_path)
        main([*command, "--allow-extender"])
        assert set(server.verbs()) == {"predicate"}
    captured = capsys.readouterr()
    assert "extender is not asked" not in captured.out + captured.err


def test_the_option_can_be_set_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The owner of a pipeline decides there, as for every option, and JSON has the notice and its code."""
    monkeypatch.chdir(tmp_path)
    found: list[Any] = []
    with extender(predicate={"status": "no licence", "code": 2}) as server:
        written(server, tmp_path)
        for allowed in ("false", "true"):
            monkeypatch.setenv("VQS_ALLOW_EXTENDER", allowed)
            main(["simulate", "cluster.yaml", "--format", "json"])
            found.append(json.loads(capsys.readouterr().out))
    assert [each["code"] for each in found[0]["diagnostics"]] == ["extender-not-asked"]
    assert found[1]["diagnostics"] == []
    assert [each["tasks"][0].get("node") for each in found] == ["node-0", None]
    assert 'says "no licence"' in found[1]["tasks"][0]["verdict"]["text"]


def test_the_commands_to_go_on_with_have_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command that is copied from a report asks the server as well."""
    monkeypatch.chdir(tmp_path)
    with extender(predicate={"status": "no", "code": 2}) as server:
        written(server, tmp_path)
        main(["explain-job", "cluster.yaml", "--allow-extender"])
    assert "vqs explain-job cluster.yaml --allow-extender --job" in capsys.readouterr().out


@pytest.mark.parametrize("command", [SESSIONS[3], SESSIONS[5]], ids=" ".join)
def test_a_server_that_never_answers_holds_a_command_up_once(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After as many timeouts as there may be, the sessions that follow send nothing either."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(client, "MAX_SECONDS", 0.02)
    monkeypatch.setattr(session, "MAX_TIMEOUTS", 1)
    with extender() as server:
        server.answers["predicate"] = endless(server, b"")
        written(server, tmp_path)
        main([*command, "--allow-extender"])
        assert len(server.requests) == 1
    assert "gave no valid answer to 1 of 1 request" in capsys.readouterr().out
