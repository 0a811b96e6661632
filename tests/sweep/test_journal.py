"""Finished rows in a file, whatever happens to who writes them."""

from __future__ import annotations

import os
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sweep.plans import plan_with
from vqs.journal import JournalError
from vqs.sweep.domains import Values
from vqs.sweep.figures import conditions_of
from vqs.sweep.journal import Header, Journal, rejudged
from vqs.sweep.outcome import INTERNAL, PointError, Row

HEADER = Header(vqs="1", plan="p", inputs="i", settings="s", points=3)


def row(number: int) -> Row:
    """Make a row."""
    return Row(
        number=number,
        base="b",
        release="1.14",
        seed=None,
        parameters={"weight": number},
        edits=[f"queue/b.spec.weight={number}"],
        figures={"placed": float(number), "spread": None},
        failures=[],
        error=None,
    )


def write(path: Path, *numbers: int) -> None:
    """Write rows into a journal."""
    with Journal(path, HEADER) as journal:
        for number in numbers:
            journal.add(row(number))


def read(path: Path) -> dict[int, Row]:
    """Return the rows of a journal."""
    with Journal(path, HEADER) as journal:
        return dict(journal.rows)


def test_rows_are_kept(tmp_path: Path) -> None:
    """What was written is there when the journal is opened again, and more can be added."""
    path = tmp_path / "journal"
    write(path, 2, 1)
    write(path, 3)
    assert read(path) == {number: row(number) for number in (1, 2, 3)}


WHOLE = 3


@given(st.data())
def test_a_journal_that_ends_anywhere_can_be_resumed(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Cut after any byte, a journal has the rows that were written to their end, and takes the others again."""
    path = tmp_path_factory.mktemp("journal") / "journal"
    write(path, *range(1, WHOLE + 1))
    content = path.read_bytes()
    ends = [number for number, byte in enumerate(content, 1) if byte == ord("\n")]
    cut = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:cut])
    kept = max(sum(end <= cut for end in ends) - 1, 0)
    assert read(path) == {number: row(number) for number in range(1, kept + 1)}
    write(path, *range(kept + 1, WHOLE + 1))
    assert path.read_bytes() == content


def test_a_damaged_line_is_run_again(tmp_path: Path) -> None:
    """A row that does not have its checksum is dropped, and those after it are not."""
    path = tmp_path / "journal"
    write(path, 1, 2, 3)
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"number":2', b'"number":7'))
    assert read(path).keys() == {1, 3}


@pytest.mark.parametrize("content", [b"{}", b"[]", b'{"number": 3}', b"\xff"])
def test_a_line_that_is_no_row_is_passed_over(tmp_path: Path, content: bytes) -> None:
    """What has its checksum, and is no row, is no reason to stop."""
    path = tmp_path / "journal"
    write(path, 1)
    with path.open("ab") as file:
        file.write(b"%08x %b\n" % (crc32(content), content))
    assert read(path).keys() == {1}


@pytest.mark.parametrize(
    ("header", "differs"),
    [
        (Header(vqs="2", plan="p", inputs="i", settings="s", points=3), "vqs has another version"),
        (Header(vqs="1", plan="q", inputs="i", settings="s", points=4), "the plan is another one, there are more"),
        (Header(vqs="1", plan="p", inputs="j", settings="s", points=3), "the snapshots have another content"),
        (Header(vqs="1", plan="p", inputs="i", settings="t", points=3), "options of the command are others"),
    ],
)
def test_the_journal_of_another_run_is_refused(tmp_path: Path, header: Header, differs: str) -> None:
    """A journal says what is run, and another run leaves it as it is."""
    path = tmp_path / "journal"
    write(path, 1)
    before = path.read_bytes()
    with pytest.raises(JournalError, match=f"is the journal of another run: {differs}"), Journal(path, header):
        pass
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"apiVersion: v1\n", b"not even a line", b"\x00\n\xff\n", b"00000000 {}\n"])
def test_another_file_is_left_alone(tmp_path: Path, content: bytes) -> None:
    """A file that is no journal is not written to."""
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(JournalError, match="is no journal of a sweep"), Journal(path, HEADER):
        pass
    assert path.read_bytes() == content


def test_a_pipe_is_no_journal(tmp_path: Path) -> None:
    """What cannot be read twice is refused, and not waited for."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(JournalError, match="is no regular file"), Journal(tmp_path / "pipe", HEADER):
        pass


def test_a_journal_that_cannot_be_opened(tmp_path: Path) -> None:
    """A folder, or a place that cannot be written, is named."""
    with pytest.raises(JournalError, match="cannot use"), Journal(tmp_path, HEADER):
        pass


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that cannot be written ends the run, and says why."""

    def full(_file: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with Journal(tmp_path / "journal", HEADER) as journal:
        monkeypatch.setattr("os.write", full)
        with pytest.raises(JournalError, match="No space left on device"):
            journal.add(row(1))
        monkeypatch.undo()


EDIT = "queue/b.spec.weight=0"


@pytest.mark.parametrize(
    ("error", "is_kept"),
    [
        (PointError(code="invalid-value", message=f"{EDIT}: .spec.weight: expected at least 1"), True),
        (PointError(code=INTERNAL, message="ValueError: a figure that only a condition asked for"), False),
        (PointError(code="invalid-value", message="the configuration is refused"), False),
    ],
)
def test_rows_with_errors(error: PointError, *, is_kept: bool) -> None:
    """A point is run again unless its edits cannot be made: another condition may ask for nothing that fails."""
    failed = Row(
        number=1,
        base="b",
        release="1.14",
        seed=None,
        parameters={"weight": 0},
        edits=[EDIT],
        figures={"placed": None},
        failures=[],
        error=error,
    )
    plan = plan_with({"weight": Values([0])}, fail_on=tuple(conditions_of("placed<1")))
    found = list(rejudged(plan, {1: failed}, {}))
    assert [each.failures[0].condition for each in found] == ["placed<1"] * is_kept
