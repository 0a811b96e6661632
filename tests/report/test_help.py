"""What docs/ say about a topic."""

from __future__ import annotations

import re

import pytest

from vqs.report.formats import View
from vqs.report.help import TOPICS, laid_out, listing, text_of


@pytest.mark.parametrize("name", TOPICS)
def test_each_topic_has_a_text(name: str) -> None:
    """It begins with its heading, and has neither comments nor the targets of links."""
    text = text_of(TOPICS[name])
    section = TOPICS[name].section
    assert text.startswith(f"## {section}\n" if section else "# ")
    assert len(text.splitlines()) > 3
    assert "<!--" not in text
    assert not re.search(r"\]\([^)]*\.md", text)


def test_a_section_ends_before_the_next() -> None:
    """A heading in an example is none."""
    assert text_of(TOPICS["exit-codes"]).count("## ") == 1
    assert "yaml-language-server" in text_of(TOPICS["scenarios"])


def test_the_list_has_all_topics() -> None:
    """There is a line for each, and what to do next."""
    lines = listing().splitlines()
    assert [line.split()[0] for line in lines[: len(TOPICS)]] == list(TOPICS)
    assert lines[-1].startswith("Next: vqs help TOPIC")


def test_a_page_on_a_terminal() -> None:
    """A page is broken between words where the terminal ends, but for its examples; a pipe gets it as it is written."""
    page = text_of(TOPICS["pending"])
    assert laid_out(page, View()) == page
    shown = laid_out(page, View(width=80)).splitlines()
    fences = re.findall(r"^```.*?^```$", page, re.MULTILINE | re.DOTALL)
    examples = {line for fence in fences for line in fence.splitlines()}
    assert max(len(line) for line in shown if line not in examples) <= 80
    assert "```" not in "\n".join(shown)
    assert all(line in shown for line in examples if len(line) <= 80 and not line.startswith("```"))


def test_a_list_on_a_terminal() -> None:
    """What is said of a topic goes on under itself where the terminal ends."""
    shown = listing(60).splitlines()
    at = next(number for number, line in enumerate(shown) if line.startswith("tune"))
    assert shown[at : at + 2] == [
        "tune           how vqs tune finds the cheapest change, and",
        "               what is certain then",
    ]
