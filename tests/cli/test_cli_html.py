"""`--format html`, as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.html_pages import Parsed
from vqs.cli.main import main

ROOT = Path(__file__).parents[2]
FIRST_LOOK = str(ROOT / "scenarios" / "first-look.yaml")
TREE = str(ROOT / "scenarios" / "hierarchy-queue-above-is-full.yaml")


def test_a_session_is_written_with_its_nodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page has the map of the nodes without being asked; what came of it is said on stderr."""
    target = tmp_path / "report.html"
    assert main(["simulate", FIRST_LOOK, "--format", "html", "--output", str(target)]) == 0
    page = target.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert [node["name"] for node in Parsed(page).data["nodes"]] == ["gpu-1", "gpu-2", "gpu-3", "plain-1"]
    assert "--nodes keeps them" not in page
    assert "6 tasks placed" in capsys.readouterr().err


def test_queues_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    """On standard output, unless a file is named."""
    assert main(["explain-queue", TREE, "--queue", "research", "--format", "html"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")


def test_a_saved_session_has_the_same_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Computed once with its nodes, and written later."""
    saved = tmp_path / "result.json"
    assert main(["simulate", FIRST_LOOK, "--nodes", "--format", "json", "--output", str(saved)]) == 0
    assert main(["simulate", FIRST_LOOK, "--format", "html"]) == 0
    written = capsys.readouterr().out
    assert main(["render", str(saved), "--format", "html"]) == 0
    assert capsys.readouterr().out == written


def test_a_session_saved_without_nodes_has_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says how to keep them."""
    saved = tmp_path / "result.json"
    assert main(["simulate", FIRST_LOOK, "--format", "json", "--output", str(saved)]) == 0
    assert main(["render", str(saved), "--format", "html"]) == 0
    assert "--nodes keeps them" in capsys.readouterr().out


def test_the_change_is_a_diff(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page of a comparison has what was and what is now, under file and line."""
    old = "apiVersion: vqs/v1\nkind: Scenario\nnodes: [{cpu: 8}]\nqueues:\n- {name: q, capability: {cpu: 8}}\n"
    for name, text in (("old.yaml", old), ("new.yaml", old.replace("{cpu: 8}}\n", "{cpu: 4}}\n"))):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["diff-configs", f"{tmp_path}/old.yaml", f"{tmp_path}/new.yaml", "--format", "html"]) == 1
    page = capsys.readouterr().out
    patch = page[page.index('<div class="patch"') : page.index('<p class="dim">')]
    assert f"{tmp_path}/new.yaml:5</code>" in patch
    assert "<del>queue q capability cpu: 8</del><ins>queue q capability cpu: 4</ins>" in patch
