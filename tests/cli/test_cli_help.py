"""`vqs help`, as a user meets it."""

from __future__ import annotations

import pytest

from vqs.cli.main import main


def test_topics(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a topic all are listed; with one, in whichever case, the page is shown."""
    assert main(["help"]) == 0
    assert "exit-codes     what the exit status tells" in capsys.readouterr().out
    assert main(["help", "Exit-Codes"]) == 0
    assert "130 interrupted" in capsys.readouterr().out


def test_a_word_of_the_pages(capsys: pytest.CaptureFixture[str]) -> None:
    """A word that is no topic leads to the pages and codes that it is in."""
    assert main(["help", "Quota"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("vqs help snapshots ") for line in lines)
    assert any(line.startswith("vqs rule quota-below-gang ") for line in lines)


@pytest.mark.parametrize(
    ("word", "command"),
    [
        ("preemption", "vqs rule preempt-without-priority "),
        ("karpenter", "vqs rule autoscaler-not-asked "),
        ("hugepages", "vqs rule root-capability-incomplete "),
        ("deadlock", "vqs rule autoscaler-not-asked "),
        ("pvc", "vqs help snapshots "),
    ],
)
def test_a_word_of_what_is_said_of_codes(word: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a rule is about need not be in its title, and a word may have another ending."""
    assert main(["help", word]) == 0
    assert any(line.startswith(command) for line in capsys.readouterr().out.splitlines())


def test_all_words_count(capsys: pytest.CaptureFixture[str]) -> None:
    """What is about all of the words is found, and not the page on one of them; several may stand for one word."""
    assert main(["help", "fair", "share"]) == 0
    alone = capsys.readouterr().out
    assert main(["help", "deserved"]) == 0
    assert capsys.readouterr().out == alone
    assert main(["help", "queue", "names"]) == 0
    assert capsys.readouterr().out.startswith("vqs rule ")


@pytest.mark.parametrize(
    ("words", "heading"),
    [("exit codes", "Exit status"), ("my job is stuck", "Explain a job"), ("github", "vqs in CI")],
)
def test_words_of_people(words: str, heading: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Words that stand for a topic show it, alone or among others."""
    assert main(["help", *words.split()]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith(heading)


@pytest.mark.parametrize(
    ("topic", "hint"),
    [
        ("edit", "did you mean 'edits'?"),
        ("simulate", "vqs simulate --help shows its options"),
        ("xyzzy", "vqs help lists them"),
    ],
)
def test_an_unknown_topic(topic: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The error names what was meant, or where to look."""
    assert main(["help", topic]) == 2
    assert f"there is no topic '{topic}' ({hint})" in capsys.readouterr().err
