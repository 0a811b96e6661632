"""The example on the page about plugins works as the page says, also as an installed package."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.extensions.installed import install
from vqs.cli.main import main

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "example"
PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """Return the one block of a language on the page."""
    [body] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(body)


def test_the_page_shows_the_file() -> None:
    """Readers copy what is run here."""
    assert block("python") == (EXAMPLE / "max_jobs.py").read_text(encoding="utf-8")


def test_the_example_is_installed_as_the_page_says(packages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the entry point of the page, it decides in a session without any option."""
    entry_points = re.sub(r'^\[project\.entry-points\."(.*)"\]$', r"[\1]", block("toml"), flags=re.MULTILINE)
    install(packages, "max_jobs", block("python"), entry_points.replace('"', ""))
    conf = str(EXAMPLE / "with-max-jobs.conf")

    assert main(["simulate", str(EXAMPLE / "snapshot.json"), "--conf", conf, "--format", "json"]) == 0

    jobs = json.loads(capsys.readouterr().out)["jobs"]
    [refused] = [job["verdict"] for job in jobs if job.get("verdict", {}).get("plugin") == "max-jobs"]
    assert refused["code"] == "too-many-jobs"
    assert refused["text"] == "queue default would have 2 admitted jobs with this one; max-jobs allows 1"
