"""Commands in texts are broken into lines that a shell takes for one."""

from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.report.formats import folded, words_of

WORD = st.text("ab :'\"-", min_size=1, max_size=12)
PATCH = st.dictionaries(WORD, WORD, max_size=3).map(json.dumps)


def read(word: str) -> object:
    """Return what a word of a command says: a patch is what JSON says."""
    return json.loads(word) if word.startswith("{") else word


@given(st.lists(WORD | PATCH, min_size=1, max_size=8), st.integers(1, 40))
def test_a_shell_reads_a_command_as_it_was(words: list[str], width: int) -> None:
    """Whatever the width, and whatever has to be in quotation marks, its words say the same."""
    command = " ".join(["kubectl", *map(shlex.quote, words)])
    lines = folded(words_of(f"run {command} ; then wait", [command]), width)
    found = shlex.split("\n".join(lines).replace("\\\n", ""))
    assert [*map(read, found)] == ["run", "kubectl", *map(read, words), ";", "then", "wait"]


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (24, ["run kubectl a -p \\", "'{\"b c\": 1}'; then c d"]),
        (15, ["run kubectl a \\", '-p \'{"b c":', "1}'; then c d"]),
        (None, ["run kubectl a -p '{\"b c\": 1}'; then c d"]),
    ],
)
def test_lines_of_a_text_with_a_command(width: int | None, lines: list[str]) -> None:
    """Within a command, a line ends with a backslash; other lines, and those in JSON, just end, between its texts."""
    command = "kubectl a -p '{\"b c\": 1}'"
    assert [*folded(words_of(f"run {command}; then c d", [command]), width)] == lines
