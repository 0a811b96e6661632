"""Every rule finds what its bad fixture says, and nothing in the good one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.lint.cases import FOLDER, expected_lines, files, folder_of, found_lines, linted
from vqs.cli.main import main
from vqs.lint.registry import RULES
from vqs.lint.rule import Severity
from vqs.snapshot.reading.diagnostics import InputErrors

NOT_FROM_A_FILE = frozenset(
    {
        "budget-spares-pods",
        "line-too-long",
        "namespace-missing",
        "new-pods-differ",
        "object-updated",
        "owner-changed",
        "owner-missing",
        "pods-refused",
        "queue-deletion-denied",
        "queue-state-unsettled",
        "quota-refuses-pods",
        "silence-added",
        "too-large",
        "too-many-errors",
        "too-many-pods",
        "unreadable-file",
        "upgrade-behaviour",
        "written-back",
        "wrong-encoding",
    }
)
"""Codes of what no small text file with a comment in it can provoke, or no single one."""

REMARKS = frozenset(
    {
        "configuration-choice",
        "held-back",
        "hidden-file",
        "ignored-kinds",
        "left-out",
        "made-at-once",
        "made-objects",
        "read-once",
    }
)
"""Codes of what is worth knowing about the input as a whole: they have no place."""

PROJECT: Final = Path(__file__).parents[2]
SOURCE: Final = re.compile(
    r"((pkg|cmd|staging|config|docs/design)|(k8s\.io|sigs\.k8s\.io|gopkg\.in|github\.com)/\S+ \w+)[\w./-]*"
    r"( \([\w., ]+\))?|k8s\.io/api|(?P<page>docs/[\w-]+\.md) \((?P<section>.+)\)"
)
"""A file of Volcano, one of another Go module, or a section of a page in docs/."""

WITHOUT_COMMENTS = frozenset({"invalid-json", "too-deep"})
"""Codes of what is in files that have no room for a comment where it is found."""


@pytest.mark.parametrize("code", [code for code in RULES if code not in NOT_FROM_A_FILE | REMARKS])
def test_bad(code: str) -> None:
    """A rule finds something on the lines that say so, and on no others; a file without comments cannot say so."""
    paths, conf = files(code, "bad")
    assert paths or conf, f"{folder_of(code)} has no bad.yaml or bad.conf"
    expected = expected_lines([*paths, *([conf] if conf else [])], code)
    try:
        found = found_lines(linted(paths, conf, _looked_for(code)), code)
    except InputErrors as errors:
        found = {(each.file.rpartition("/")[2], each.line) for each in errors.diagnostics if each.code == code}
    assert found
    assert found == (expected or {(name, line) for name, line in found if not line or code in WITHOUT_COMMENTS})


def _looked_for(code: str) -> set[str]:
    """Return what is looked for together with a code: a comment silences something else than its own faults."""
    return set(RULES) if code.startswith("silence-") else {code}


@pytest.mark.parametrize("code", [code for code, rule in RULES.items() if rule.check])
def test_good(code: str) -> None:
    """A rule finds nothing in its good fixture, in which nothing else is wrong either."""
    paths, conf = files(code, "good")
    assert paths or conf, f"{folder_of(code)} has no good.yaml or good.conf"
    result = linted(paths, conf, {code})
    assert [finding.message for finding in result.findings] == []
    assert not [note for note in result.notes if "left out" in note]


def test_every_fixture_has_a_rule() -> None:
    """A folder of fixtures is named after a rule, and stands in the folder that the rule stands in."""
    assert set(FOLDER.glob("*/*")) <= set(map(folder_of, RULES))


@pytest.mark.parametrize("code", RULES)
def test_texts(code: str) -> None:
    """A rule explains itself: every text is there, and a title is a part of a sentence."""
    rule = RULES[code]
    assert all((rule.title, rule.meaning, rule.why, rule.fix, rule.source, rule.example))
    assert not rule.title.endswith(".")
    assert rule.meaning.endswith(".")
    assert rule.why.endswith(".")
    assert rule.fix.endswith(".")


@pytest.mark.parametrize("code", RULES)
def test_sources(code: str) -> None:
    """A source can be opened by whoever has vqs alone: it is public code, or a section of a page in docs/."""
    for source in RULES[code].source.split("; "):
        match = SOURCE.fullmatch(source)
        assert match, source
        if match["page"]:
            page = (PROJECT / match["page"]).read_text(encoding="utf-8")
            assert match["section"] in re.findall(r"^#+ (.+)$", page, re.MULTILINE)


@pytest.mark.parametrize(
    "code", [code for code, rule in RULES.items() if rule.check is None and rule.severity is Severity.ERROR]
)
def test_pages_of_errors_and_the_commands(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a page calls an error of reading, other commands refuse; where lint goes on, the page says so of lint."""
    paths, conf = files(code, "bad")
    if not paths:
        pytest.skip("no file of its own provokes it")
    status = main(["simulate", *paths, *(["--conf", conf] if conf else [])])
    said = RULES[code].meaning
    refused = status == 2 and "nothing was done" in capsys.readouterr().err
    assert refused
    assert not re.search(r"\bvqs (uses|ignores|takes)\b", said)
