"""`vqs versions` lists the behaviours in which releases differ, and explains one."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from vqs.cli.main import main
from vqs.releases.profile import behaviours
from vqs.releases.release import Release
from vqs.report import schema


def said(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """Run the command and return what it prints."""
    assert main(["versions", *arguments]) == status
    streams = capsys.readouterr()
    return streams.out or streams.err


def test_all_behaviours_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Under their area, with the value in each release."""
    out = said(capsys)
    assert all(name in out for name in behaviours())
    assert "1.13 (v1.13.3), 1.14.0 (v1.14.0), 1.14 (v1.14.4), 1.15 (v1.15.1), 1.16 (v1.16.0-alpha.1, a pre-" in out


def test_the_document_fits_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """Each row has a value for each release."""
    document = json.loads(said(capsys, "--format", "json"))
    jsonschema.validate(document, schema.result("versions"))
    assert [row["name"] for row in document["behaviours"]] == list(behaviours())
    assert all(row["values"].keys() == set(Release) for row in document["behaviours"])


def test_one_behaviour_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """What it decides, why it changed, where, and how it is switched."""
    out = said(capsys, "root-real-capability")
    assert "Why it changed:" in out
    assert "pkg/scheduler/plugins/capacity/capacity.go" in out
    assert "--behaviour root-real-capability=total switches it" in out


@pytest.mark.parametrize(("asked", "there"), [("1.14", True), ("1.14.0", False), ("capacity", True)])
def test_a_release_stands_for_what_it_changed(asked: str, there: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """And an area for its behaviours."""
    document = json.loads(said(capsys, asked, "--format", "json"))
    assert ("root-real-capability" in [row["name"] for row in document.get("behaviours", [])]) is there


def test_an_unknown_name_gets_a_guess(capsys: pytest.CaptureFixture[str]) -> None:
    """And the way to all names."""
    assert "did you mean 'root-real-capability'" in said(capsys, "root-real-capabilty", status=2)


def test_a_release_that_is_not_modelled_gets_a_guess(capsys: pytest.CaptureFixture[str]) -> None:
    """It is the name that --volcano takes."""
    assert "(did you mean '1.16'?)" in said(capsys, "1.17", status=2)


@pytest.mark.parametrize(
    ("asked", "answer"), [("1.15", "in which 1.15 differs from 1.14"), ("1.12", "1.12 is the oldest release")]
)
def test_a_release_is_compared_with_the_one_before(asked: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    """And the oldest one with none."""
    assert answer in said(capsys, asked, "--quiet")


def test_a_link_that_leads_elsewhere_is_not_written_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The target is checked like that of every command: a link in the way may have been put there by somebody else."""
    link = tmp_path / "mine" / "out.json"
    link.parent.mkdir()
    link.symlink_to(tmp_path / "theirs.json")
    assert "a link that leads elsewhere" in said(capsys, "-o", str(link), status=2)
