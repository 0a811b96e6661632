"""Each notation writes out what a runner would act on, and means the same."""

from __future__ import annotations

import doctest
import json
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from rich.text import Text

from tests.cli.hostile import FRAGMENTS
from tests.runners import commands, orders
from vqs import inert
from vqs.report.as_manifests import encoded
from vqs.report.formats import Format, View
from vqs.report.terminal import written

PIECES = [
    "::",
    ":",
    "##",
    "#",
    "[",
    "vso[",
    "section_start",
    "section_end:1",
    "\n",
    "\r",
    " ",
    "\u2028",
    "\\",
    '"',
    "/x",
]
TEXTS = st.lists(
    st.sampled_from(PIECES) | st.sampled_from(FRAGMENTS) | st.characters(exclude_categories=["Cs"]), max_size=6
).map("".join)


def test_examples_in_docstrings_hold() -> None:
    """What a docstring shows is what comes out."""
    outcome = doctest.testmod(inert)
    assert outcome.attempted
    assert not outcome.failed


@given(TEXTS)
@example("\ud800")
def test_a_line_of_text(text: str) -> None:
    """A line commands nothing, is still one line, and can be encoded."""
    line = inert.line(text)
    assert line.isprintable()
    assert commands(line) == []
    assert inert.line(line) == line
    line.encode()


@given(TEXTS, TEXTS)
def test_json_means_the_same(text: str, key: str) -> None:
    """What is written out in JSON is read back."""
    for indent in (None, 2):
        document = inert.json(json.dumps({key: [text, {text: "##"}]}, ensure_ascii=False, indent=indent))
        assert commands(document.replace("\x7f", "")) == []
        assert json.loads(document) == {key: [text, {text: "##"}]}


@given(TEXTS, TEXTS)
def test_yaml_means_the_same(text: str, key: str) -> None:
    """What is written out in YAML is read back, as a key and as a value."""
    value = {key: [text, {text: f"a\n{text}"}]}
    document = encoded([json.dumps(value).encode()], Format.YAML)
    assert commands(document) == []
    assert yaml.safe_load(document) == value


@given(TEXTS)
def test_xml_means_the_same(text: str) -> None:
    """What is written out in XML is read back, but for what has no shape, which is shown."""
    seen = "\n".join(map(inert.name, text.split("\n")))
    document = inert.markup(f"<a>\n{escape(text)}</a>")
    assert commands(document) == []
    assert ET.fromstring(document).text == f"\n{seen}".replace("\\x23#", "##").replace("\\x3a", ":") or "\\x" in text  # noqa: S314 - our own


@given(TEXTS)
def test_markdown_gives_no_orders(text: str) -> None:
    """No line of markdown is a command or an order."""
    document = inert.markdown(text)
    assert commands(document) == []
    assert orders(document) == []


@given(st.lists(TEXTS, max_size=4), st.booleans())
def test_lines_of_a_table(parts: list[str], color: bool) -> None:
    """Texts of several styles in a line make no command together."""
    line = Text().join(Text(part, "red") for part in parts)
    text = written(iter([line, Text(" ").append_text(line)]), View(color=color))
    assert commands(text, colored=color) == []
    assert text.count("\n") == 2


@pytest.mark.parametrize(
    "text",
    [
        "C++::x in a line",
        "## Queues",
        "# a comment",
        "[gpu]",
        "a: b::c",
        "section_start of a day",
        "#[x]",
        "/a/b.yaml:3: x",
    ],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    """What only looks similar is not touched."""
    notations = (inert.name, inert.line, inert.json, inert.yaml, inert.markup, inert.markdown, inert.copied)
    assert {notation(text) for notation in notations} == {text}
    assert not inert.needs_quotes(text)


@given(TEXTS)
def test_what_is_copied_is_seen(text: str) -> None:
    """A text of any format that is passed on commands nothing; the ends of lines stay what they were."""
    assert commands(inert.copied(text)) == []
    assert inert.copied("a\r\nb\n") == "a\r\nb\n"
