"""Files as they are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.build import group, node, pod
from vqs.snapshot.reading import sources
from vqs.snapshot.reading.diagnostics import InputErrors, Problems
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.reading.sources import Encoded, Source, read_source


def written(folder: Path, *objects: Any) -> str:
    """Write a List in JSON, with all its characters as they are, and return its name."""
    file = folder / "input.json"
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, ensure_ascii=False)
    file.write_text(text, encoding="utf-8")
    return str(file)


def read(path: str) -> Source:
    """Read a file in which there is some text."""
    found = read_source(path, None, Problems())
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["plain", "größer", "群"])
def test_the_text_of_a_big_dump_is_not_made_without_need(tmp_path: Path, name: str) -> None:
    """Where nothing is wrong with one object in JSON, it is read from its bytes, whatever its characters are."""
    path = written(tmp_path, node("n1"), group("j"), pod("p-0", "j", labels={"called": name}))
    manifests = read_manifests([path])
    assert manifests.pods[0].metadata.labels["called"] == name
    assert manifests.origins["pods"][0].document.source.encoded is not None


@pytest.mark.parametrize("name", ["plain", "größer", "群"])
def test_places_are_counted_in_characters(tmp_path: Path, name: str) -> None:
    """They are the same as in a text that was read otherwise."""
    bad = pod("p-1", "j", cpu="much")
    path = written(tmp_path, pod("p-0", "j", labels={"called": name}), bad)
    with pytest.raises(InputErrors) as caught:
        read_manifests([path])
    [diagnostic] = caught.value.diagnostics
    text = Path(path).read_text(encoding="utf-8")
    assert (diagnostic.line, diagnostic.column) == (1, text.index('"much"') + 1)


@pytest.mark.parametrize("piece", [1, 2, 3, 1024])
def test_characters_are_counted_across_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """A character of several bytes may be in two of them."""
    monkeypatch.setattr(sources, "_PIECE", piece)
    path = tmp_path / "input.json"
    path.write_bytes('{"a": "größer als 群"}'.encode())
    source = read(str(path))
    assert isinstance(source.encoded, Encoded)
    assert source.length == len(source.text) == 21


def test_the_bytes_are_let_go_of_once_the_text_is_made(tmp_path: Path) -> None:
    """Both would take twice the room."""
    source = read(written(tmp_path, node("n1")))
    assert source.encoded is not None
    assert source.text.startswith("{")
    assert source.encoded is None
    assert source.length == len(source.text)
