"""What docs/ say about a topic."""

from __future__ import annotations

import re

import pytest

from vqs.report.help import TOPICS, listing, text_of


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
