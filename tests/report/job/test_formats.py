"""The page on a job in markdown and JSON."""

from __future__ import annotations

import json
import re
from copy import deepcopy

import jsonschema
import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from tests.report.job_reports import BROKEN, SHOWN, SPARED, TAKES, report
from tests.report.writers import as_json, as_markdown
from vqs.explain.jobs.outcome import JobReport
from vqs.report import schema
from vqs.report.formats import Detail, Format, View
from vqs.report.registry import formats_of, write


@pytest.mark.parametrize("chosen", formats_of("JobReport"))
@pytest.mark.parametrize(("scenario", "name"), SHOWN)
def test_every_format_writes_the_same_every_time(chosen: Format, scenario: str, name: str) -> None:
    """Each format has a reporter, whose text ends with a newline."""
    text = write(report(scenario, name), chosen, View())
    assert text.endswith("\n")
    assert text == write(report(scenario, name), chosen, View())


# --- markdown ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scenario", "name"), [TAKES, BROKEN])
def test_markdown(scenario: str, name: str, snapshot: SnapshotAssertion) -> None:
    """The answer comes first, and what matters less is folded away."""
    assert as_markdown(report(scenario, name), View()) == snapshot


def test_markdown_in_short() -> None:
    """The answer can be had alone."""
    text = as_markdown(report(*SPARED), View(detail=Detail.SUMMARY))
    assert text == f"**{report(*SPARED).answer}**\n"


@pytest.mark.parametrize("detail", list(Detail))
@pytest.mark.parametrize(("scenario", "name"), SHOWN)
def test_markdown_rows_have_the_cells_of_their_heading(scenario: str, name: str, detail: Detail) -> None:
    """Every row of a table is as wide as its first, or GitHub would drop what is too much."""
    text = as_markdown(report(scenario, name), View(detail=detail))
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1


def test_markdown_acts_on_nothing_in_names() -> None:
    """A task's name is code, or has nothing that could act."""
    found = deepcopy(report(*TAKES))
    found.searches[0].node_votes[0].candidates[0].task = "default/*a*|b"
    assert r"`default/*a*\|b`" in as_markdown(found, View())


# --- json -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scenario", "name"), SHOWN)
def test_document_validates_against_the_published_schema(scenario: str, name: str) -> None:
    """What `--format json` writes is what `vqs schema job` promises, and reads back as the result."""
    published = schema.result("job")
    jsonschema.Draft202012Validator.check_schema(published)
    text = as_json(report(scenario, name), View())
    jsonschema.Draft202012Validator(published).validate(json.loads(text))
    assert msgspec.json.decode(text, type=JobReport) == report(scenario, name)


def test_schema_describes_every_part() -> None:
    """Each object says what it is."""
    for name, definition in schema.result("job")["$defs"].items():
        assert definition.get("description"), name
