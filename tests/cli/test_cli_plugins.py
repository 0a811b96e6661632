"""`vqs plugins` lists plugins and actions, explains one, and counts what they contributed to a session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from vqs.cli.main import main
from vqs.config.known_plugins import PLUGINS
from vqs.report import schema

SCENARIO = "scenarios/first-look.yaml"


def said(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """Run the command and return what it prints."""
    assert main(["plugins", *arguments]) == status
    streams = capsys.readouterr()
    return streams.out or streams.err


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Run the command and return the document, which fits its schema."""
    result = json.loads(said(capsys, *arguments, "--format", "json"))
    jsonschema.validate(result, schema.result("plugins"))
    return result


def test_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """With their tiers in the built-in configuration, and their extension points."""
    out = said(capsys)
    lines = {line.split()[0]: line for line in out.splitlines() if line}
    assert set(PLUGINS) <= lines.keys()
    assert lines["proportion"].split()[1] == "2"
    assert "queueOrder, jobEnqueueable, overused" in lines["proportion"]
    assert lines["pdb"].split()[1] == "-"
    assert out.endswith("actions enabled\n")


def test_one_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """What it decides, its arguments with defaults, its codes and its reasons."""
    out = said(capsys, "predicates")
    assert "predicates: which nodes a pod may go to, by the rules of Kubernetes itself" in out
    assert "volumebinding.bindTimeoutSeconds" in out
    assert "a whole number of seconds, at least 0 (out of this range, the scheduler exits); 600 by default" in out
    assert "pre-predicate-failed" in out
    assert "node(s) were unschedulable" in out
    assert out.endswith("predicates is enabled in tier 2\n")


def test_a_session_shows_what_they_contributed(capsys: pytest.CaptureFixture[str]) -> None:
    """Votes and vetoes by extension point, the spread of scores, and what actions did."""
    result = document(capsys, "--on", SCENARIO)
    plugins = {each["name"]: each for each in result["plugins"]}
    points = {each["point"]: each for each in plugins["overcommit"]["points"]}
    assert points["jobEnqueueable"]["vetoes"] == 1
    assert points["jobEnqueueable"]["votes"] > 1
    assert max(point.get("spread", 0) for point in plugins["nodeorder"]["points"]) > 0
    assert all("votes" not in point for point in plugins["pdb"]["points"])
    actions = {each["name"]: each for each in result["actions"]}
    assert (actions["allocate"]["allocated"], actions["allocate"]["rolledBack"]) == (5, 1)
    assert "allocated" not in actions["reclaim"]


def test_a_configuration_can_be_given_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is simulated for it."""
    conf = tmp_path / "a.conf"
    conf.write_text("actions: reclaim\ntiers:\n- plugins:\n  - name: capacity\n", encoding="utf-8")
    result = document(capsys, "capacity", "--conf", str(conf))
    assert result["configuration"] == str(conf)
    assert [each["tiers"] for each in result["plugins"]] == [[1]]
    assert "snapshot" not in result


def test_a_session_says_what_it_leaves_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a session warns of is said here, too: the figures are those without it."""
    conf = tmp_path / "volcano-scheduler.conf"
    conf.write_text("actions: allocate\ntiers:\n- plugins:\n  - name: foo\n", encoding="utf-8")
    codes = [each["code"] for each in document(capsys, "--on", SCENARIO, "--conf", str(conf))["diagnostics"]]
    assert "unknown-plugin" in codes


def test_markdown_has_the_same_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """Names are code, and nothing is cut off."""
    out = said(capsys, "gang", "--format", "markdown")
    assert "| `jobValid` | `always on` | on |" in out
    assert "`needed-by-its-gang`" in out


def test_an_unknown_name_is_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    """The message says where all names are."""
    assert said(capsys, "proportoin", status=2) == (
        "error: there is no plugin or action 'proportoin' (did you mean 'proportion'?); `vqs plugins` lists those "
        "there are\n"
    )


def test_a_broken_configuration_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As by all commands: with the place, and exit status 2."""
    conf = tmp_path / "a.conf"
    conf.write_text("actions: alocate\n", encoding="utf-8")
    assert "a.conf:1:10: $.actions: failed to find Action 'alocate'" in said(capsys, "--conf", str(conf), status=2)
