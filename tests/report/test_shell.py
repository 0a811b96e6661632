"""Commands in texts are broken into lines that a shell takes for one."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.report.shell import folded, words_of

WORD = st.text("ab {}:'\"-", min_size=1, max_size=12)


@given(st.lists(WORD, min_size=1, max_size=8), st.integers(1, 40))
def test_a_shell_reads_a_command_as_it_was(words: list[str], width: int) -> None:
    """Whatever the width, and whatever has to be in quotation marks, its words are the same."""
    command = " ".join(["kubectl", *map(shlex.quote, words)])
    lines = folded(words_of(f"run {command}; then wait", [command]), width)
    read = shlex.split("\n".join(lines).replace("\\\n", ""))
    wanted = ["run", "kubectl", *words[:-1], f"{words[-1]};", "then", "wait"]
    # Between the parts of what may be JSON, one space is as good as another.
    assert [each.split() if each[:1] in "{[" else each for each in read] == [
        each.split() if each[:1] in "{[" else each for each in wanted
    ]


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
