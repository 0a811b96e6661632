"""What the pages show is what vqs prints."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.examples import PAGES, ROOT, ExampleError, Refreshed, blocks, part_of, refreshed, vqs_words
from tests.docs.playground import Playground

PRINTED = "one\ntwo\n\nthree\n\nCYCLE\nfive\n"


def with_commands(page: Path) -> bool:
    """Tell whether a page shows any command."""
    return any(blocks(page.read_text(encoding="utf-8")))


@pytest.fixture
def playground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Playground:
    """Make a folder to run commands in, with a kubectl that reaches no cluster."""
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    return Playground(tmp_path / "playground")


@pytest.mark.parametrize(
    "page", [page for page in PAGES if with_commands(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_pages_show_what_commands_print(page: Path, playground: Playground) -> None:
    """Each command on a page runs, and prints what the page shows; .ci/docs writes it anew."""
    text = page.read_text(encoding="utf-8")
    found = refreshed(text, playground.run, playground.knows)
    assert found.failures == []
    assert found.text == text


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("", PRINTED),
        ("head 1", "one\n...\n"),
        ("tail 1", "...\nfive\n"),
        ("head 9", PRINTED),
        ("parts ^two$ thr", "one\ntwo\n\nthree\n...\n"),
        ("parts five ^one", "one\ntwo\n...\nCYCLE\nfive\n"),
        ("parts 'C[A-Z]+E$'", "...\nCYCLE\nfive\n"),
    ],
)
def test_parts(choice: str, expected: str) -> None:
    """A part of an output is shown with marks where something is left out."""
    assert part_of(PRINTED, choice) == expected


@pytest.mark.parametrize("choice", ["parts ^ne", "parts one six", "line 1"])
def test_parts_that_are_not_there(choice: str) -> None:
    """A part that an output does not have is an error, and so is one that is asked for in other words."""
    with pytest.raises(ExampleError, match=re.escape(choice.rsplit(maxsplit=1)[-1])):
        part_of(PRINTED, choice)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("vqs simulate a.yaml --job 'x*'  # why", ["simulate", "a.yaml", "--job", "x*"]),
        ("vqs diff-configs a \\\n  b", ["diff-configs", "a", "b"]),
        ("vqs simulate --set 'conf.actions=\"a, b\"'", ["simulate", "--set", 'conf.actions="a, b"']),
        ("vqs rule | head", None),
        ("vqs rule > file", None),
        ("jq . result.json", None),
    ],
)
def test_commands_that_need_a_shell(command: str, words: list[str] | None) -> None:
    """A command of vqs alone needs no shell; pipes, files and other programs do."""
    assert vqs_words(command) == words


def fake(status: int) -> Callable[[str], tuple[int, str]]:
    """Return a runner of commands that end with a status."""
    return lambda command: (status, f"ran {command}\n")


def test_outputs_are_filled_in() -> None:
    """An output stands below its command, several in one block; what is around them stays."""
    page = "a\n```console\n$ vqs x\nold\n$ vqs \\\n  y\n```\nb\n```sh\nvqs z\n```\n"
    expected = "a\n```console\n$ vqs x\nran vqs x\n$ vqs \\\n  y\nran vqs \\\n  y\n```\nb\n```sh\nvqs z\n```\n"
    assert refreshed(page, fake(0), lambda _: False) == Refreshed(expected, [])
    assert refreshed(expected, fake(1), lambda _: False) == Refreshed(expected, [])


def test_a_status_that_is_not_expected() -> None:
    """A command has to end with the status that the page names, or with 0 or 1."""
    page = "```console\n$ vqs x\n```\n"
    assert refreshed(page, fake(2), lambda _: False).failures == ["line 2: vqs x: exit status 2\nran vqs x\n"]
    assert refreshed(f"<!-- exit: 2 -->\n{page}", fake(2), lambda _: False).failures == []
    assert refreshed(f"<!-- exit: 2 -->\n{page}", fake(0), lambda _: False).failures == [
        "line 3: vqs x: exit status 0\nran vqs x\n"
    ]


def test_a_block_that_fails_leaves_the_others() -> None:
    """A block that fails stays as it is and is named by its line; the other blocks of the page get their outputs."""
    page = "```console\n$ vqs x\n```\n\n<!-- exit: 2 -->\n```console\n$ vqs y\nold\n```\n\n```console\n$ vqs z\n```\n"
    found = refreshed(page, fake(0), lambda _: False)
    assert found.text == page.replace("$ vqs x\n", "$ vqs x\nran vqs x\n").replace("$ vqs z\n", "$ vqs z\nran vqs z\n")
    assert found.failures == ["line 7: vqs y: exit status 0\nran vqs y\n"]


def test_commands_that_are_not_run(playground: Playground) -> None:
    """Of a command that is not run, the options are checked."""
    page = "<!-- not run: it needs a cluster -->\n```sh\nvqs capture %s\n```\n"
    assert refreshed(page % "-o x.json", playground.run, playground.knows).failures == []
    assert refreshed(page % "--no-such", playground.run, playground.knows).failures == [
        "line 3: vqs does not take this: capture --no-such"
    ]
