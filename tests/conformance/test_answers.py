"""What has to be said about waiting jobs and broken files, and what must not be said, in commands on given inputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.conformance.reading import BESIDE, unpacked
from vqs.cli.main import main

FOLDERS: Final = (unpacked("answers"), BESIDE / "answers")

<<<<<<< HEAD
_TRAPS: Final = "#35, Seen and read: lint's standing traps"
_FILES: Final = "#36, Repositories as people have them"

FAILING: Final = {
    "a tenant above the sum of the nodes in 1.13": _TRAPS,
    "opposite policies": _TRAPS,
=======
_FIXES: Final = "#30, Fixes an operator would make"
_FILES: Final = "#36, Repositories as people have them"

FAILING: Final = {
    "whole devices": _FIXES,
    "a queue that may not be reclaimed from": _FIXES,
    "cordoned nodes": _FIXES,
    "a deployment beyond its first pod": _FIXES,
    "a stranded gang": _FIXES,
>>>>>>> traps
}
"""The cases that do not hold yet, each with the issue that it belongs to. A case that holds has to leave this list."""


def cases() -> Iterator[object]:
    """Yield the cases with their folders; of those beside the checkout, the ones that are not among ours."""
    known = []
    for folder in FOLDERS:
        file = folder / "cases.json"
        for case in json.loads(file.read_text(encoding="utf-8")) if file.exists() else ():
            if case not in known:
                known.append(case)
                reason = FAILING.get(case["name"])
                marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
                yield pytest.param(folder, case, id=case["name"], marks=marks)


@pytest.mark.thorough
@pytest.mark.parametrize(("folder", "case"), [*cases()])
def test_an_answer_says_what_is_so(
    folder: Path,
    case: dict[str, list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The output of the command has all that it has to say, and nothing that it must not say."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setenv("NO_COLOR", "1")
    main([word.replace("CASES", str(folder)) for word in case["command"]])
    output = capsys.readouterr()
    text = " ".join(f"{output.out}{output.err}".split())
    assert [each for each in case.get("says", ()) if not re.search(each, text)] == [], case["why"]
    assert [each for each in case.get("saysNot", ()) if re.search(each, text)] == [], case["why"]


def test_every_case_that_fails_is_a_case() -> None:
    """The list of what does not hold yet names cases that exist."""
    names = {case["name"] for case in json.loads((FOLDERS[0] / "cases.json").read_text(encoding="utf-8"))}
    assert FAILING.keys() <= names
