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


def cases() -> Iterator[object]:
    """Yield the cases with their folders; of those beside the checkout, the ones that are not among ours."""
    known = []
    for folder in FOLDERS:
        file = folder / "cases.json"
        for case in json.loads(file.read_text(encoding="utf-8")) if file.exists() else ():
            if case not in known:
                known.append(case)
                yield pytest.param(folder, case, id=case["name"])


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
