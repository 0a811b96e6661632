"""Compressed files are read like those that are not, by what is in them."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest

from vqs.snapshot.reading import compression
from vqs.snapshot.reading.compression import GZIP, ZSTD, Compression, compression_named, without_suffix
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.whatif.sides import read_side

EVERY = pytest.mark.parametrize("packing", [GZIP, ZSTD], ids=lambda packing: packing.name)
CONF = 'actions: "enqueue, allocate"\ntiers: []\n'


def queue(name: str) -> str:
    """Write a queue down."""
    return json.dumps({"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": name}})


def packed(text: str, packing: Compression) -> bytes:
    """Compress a text."""
    file = io.BytesIO()
    with packing.writer(file) as writer:
        writer.write(text.encode())
    return file.getvalue()


def names(*paths: object, stdin: bytes = b"") -> list[str]:
    """Return the names of the queues that are read."""
    return [each.metadata.name for each in read_manifests([*map(str, paths)], stdin=io.BytesIO(stdin)).queues]


def refusal(path: Path) -> str:
    """Return what is said of a file that cannot be read."""
    with pytest.raises(InputErrors) as caught:
        read_manifests([str(path)])
    [error, *_] = caught.value.diagnostics
    assert (error.code, error.file) == ("unreadable-file", str(path))
    return error.message


@EVERY
def test_content_decides(packing: Compression, tmp_path: Path) -> None:
    """A compressed file is known by its content, whatever its name is; so is standard input."""
    misnamed = tmp_path / "queue.json"
    misnamed.write_bytes(packed(queue("a"), packing))
    plain = tmp_path / f"plain.json{packing.suffix}"
    plain.write_text(queue("b"))

    assert names(misnamed, plain, "-", stdin=packed(queue("c"), packing)) == ["a", "b", "c"]


@EVERY
def test_parts_that_follow_one_another(packing: Compression) -> None:
    """What was compressed in parts is read to its end."""
    assert names("-", stdin=packed(queue("a"), packing) + packed(queue("b"), packing)) == ["a", "b"]


def test_folders(tmp_path: Path) -> None:
    """In a folder, compressed manifests are read in their place among the others; other compressed files are not."""
    for name, packing in (("a.json.gz", GZIP), ("c.yaml.zst", ZSTD), ("d.YML.GZ", GZIP), ("notes.txt.gz", GZIP)):
        (tmp_path / name).write_bytes(packed(queue(name[0]), packing))
    (tmp_path / "b.json").write_text(queue("b"))

    assert names(tmp_path) == ["a", "b", "c", "d"]


@EVERY
def test_configurations(packing: Compression, tmp_path: Path) -> None:
    """A compressed configuration is told from manifests by what is in it, as others are."""
    path = tmp_path / "new"
    path.write_bytes(packed(CONF, packing))

    conf = read_side([str(path)]).conf

    assert conf is not None
    assert conf.text == CONF


@EVERY
def test_a_file_that_ends_too_early(packing: Compression, tmp_path: Path) -> None:
    """A file whose end is missing is refused as a whole, wherever it was cut."""
    whole = packed("".join(random.Random(1).choices("abcdef", k=10_000)), packing)
    path = tmp_path / "cut"
    for length in (len(packing.magic), len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert "ends too early" in refusal(path)


@EVERY
def test_a_damaged_file(packing: Compression, tmp_path: Path) -> None:
    """A file that was changed on its way is refused."""
    whole = bytearray(packed("".join(random.Random(1).choices("abcdef", k=10_000)), packing))
    for at in range(len(whole) // 2, len(whole) // 2 + 20):
        whole[at] ^= 0xFF
    path = tmp_path / "damaged"
    path.write_bytes(whole)
    assert f"this {packing.name} file is damaged" in refusal(path)


@EVERY
def test_a_bomb(packing: Compression, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that holds far more than snapshots do is refused with the command that unpacks it."""
    monkeypatch.setattr(compression, "_ALWAYS_FINE", 2 * 1024**2)
    path = tmp_path / "bomb"
    path.write_bytes(packed(" " * (2 * 1024**2) + "{}", packing))
    message = refusal(path)
    assert "holds more than 200 times as much as it is long" in message
    assert packing.unpacker in message


def test_names() -> None:
    """The end of a name says how a file is to be compressed."""
    assert compression_named("snapshot.json.gz") is GZIP
    assert compression_named("SNAPSHOT.JSON.ZST") is ZSTD
    assert compression_named("snapshot.json") is None
    assert without_suffix("a.yaml.zst") == "a.yaml"
    assert without_suffix("a.yaml") == "a.yaml"
