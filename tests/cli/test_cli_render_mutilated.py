"""Saved results that somebody has changed: each is written, or refused in words, and commands nothing."""

from __future__ import annotations

import copy
import io
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.hostile import FRAGMENTS
from tests.cli.test_cli_render import EDIT, KINDS, SCENARIO, texts_of, write_workload
from tests.cli.test_cli_render import JOB as TINY
from tests.properties import examples
from tests.runners import commands, orders
from vqs.cli.main import main
from vqs.report.saved import UnreadableResult, read_result

Place = tuple[str | int, ...]

BROKEN = "apiVersion: vqs/v1\nkind: Scenario\nnode: []\n"
NUMBERS = (0, -1, 1.5, 2**63, 10**40, 1e308, 1e-320, None, True)


@pytest.fixture(autouse=True)
def _nothing_piped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of its own, and let nobody feed standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))


@cache
def saved() -> list[tuple[Any, list[Place]]]:
    """Return a result of each kind, with the places of all its values."""
    Path("job.yaml").write_text(TINY, encoding="utf-8")
    write_workload(Path())
    Path("later.yaml").write_bytes(Path(SCENARIO).read_bytes())
    Path("broken.yaml").write_text(BROKEN, encoding="utf-8")
    found = []
    for arguments in [*(arguments for arguments, *_ in KINDS.values()), ["simulate", "broken.yaml"]]:
        main([*arguments, "--format", "json", "--output", "saved.json"])
        document = json.loads(Path("saved.json").read_text(encoding="utf-8"))
        found.append((document, [*places(document)]))
    return found


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Yield the places of all values in a document."""
    if at:
        yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*at, key))


def changed(document: Any, place: Place, data: st.DataObject) -> Any:
    """Return a document in which the value at a place is another one."""
    document = copy.deepcopy(document)
    *way, last = place
    holder = document
    for step in way:
        holder = holder[step]
    value = holder[last]
    text = st.sampled_from(FRAGMENTS) | st.text(max_size=5)
    if isinstance(value, str):
        holder[last] = data.draw(text)
    elif isinstance(value, int | float):
        holder[last] = data.draw(st.sampled_from(NUMBERS))
    elif isinstance(value, list):
        holder[last] = data.draw(st.sampled_from([[], value * 2, value[::-1], None]))
    elif isinstance(value, dict) and value and data.draw(st.booleans()):
        key = data.draw(st.sampled_from([*value]))
        renamed = data.draw(text)
        holder[last] = {renamed if each == key else each: inner for each, inner in value.items()}
    else:
        holder[last] = data.draw(st.sampled_from([{}, None, [], "", 0]))
    return document


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_result_that_somebody_changed(data: st.DataObject, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever a value of a result is changed to, what is written of it is no command, and nothing crashes."""
    document, known = data.draw(st.sampled_from(saved()))
    text = json.dumps(changed(document, data.draw(st.sampled_from(known)), data))
    Path("result.json").write_text(text, encoding="utf-8")
    try:
        chosen = data.draw(st.sampled_from([*map(str, texts_of(type(read_result(text.encode())).__name__))]))
    except UnreadableResult:
        chosen = "table"
    status = main(["render", "result.json", "--format", chosen])
    out, err = capsys.readouterr()
    assert (status, "this is a bug" in err) == (2 if err else 0, False), err
    assert commands(out, annotations=chosen == "github") + commands(err) == []
    assert orders(out) == [] or chosen != "markdown"


@pytest.mark.parametrize("chosen", ["table", "json", "github", "gitlab", "sarif", "junit", "html", "markdown"])
def test_a_job_without_changes(chosen: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A difference of a job of which nothing differs is refused, and it is said where."""
    assert main(["diff-configs", "--on", SCENARIO, *EDIT, "--format", "json", "--output", "saved.json"]) == 1
    result = json.loads(Path("saved.json").read_text(encoding="utf-8"))
    job = {
        "namespace": "ml",
        "name": "train",
        "changes": [],
        "effect": "neither",
        "why": {"text": "", "before": "", "after": ""},
        "tasks": [],
    }
    Path("saved.json").write_text(json.dumps({**result, "jobs": [job]}), encoding="utf-8")
    assert main(["render", "saved.json", "--format", chosen]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "cannot read saved.json: it is no result of vqs: " in err


def test_parts_that_contradict_one_another(capsys: pytest.CaptureFixture[str]) -> None:
    """A result of which each part is fine, and the whole is not, is refused as what it is: changed."""
    assert main(["explain-queue", SCENARIO, "--format", "json", "--output", "saved.json"]) == 0
    result = json.loads(Path("saved.json").read_text(encoding="utf-8"))
    queue = result["queues"][0]
    queue["closed"]["allocated"]["cpu"] = -1e308
    queue["opened"] |= {"deserved": {"cpu": 1e-320}, "request": {"cpu": 1e-320}}
    Path("saved.json").write_bytes(msgspec.json.encode(result))
    status = main(["render", "saved.json", "--format", "table"])
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert "this queuereport cannot be written as table, as it is inconsistent" in err
