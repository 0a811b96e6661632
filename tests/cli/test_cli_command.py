"""A command has parameters and groups of them, and a function that gets their values."""

from typing import Any

import click
import pytest

from vqs.cli.command import command
from vqs.cli.groups import EDITS, SESSIONS, Edits, Output, SessionFlags, output_group, verbosity
from vqs.cli.options import FILES, NOW, flag
from vqs.report.formats import Format


def cook(given: list[Any]) -> click.Command:
    """Return a command that collects what it is run with."""

    @command(
        "cook",
        "Cook something.",
        "Examples.",
        FILES,
        flag("--hot is_hot", "Heat it."),
        SESSIONS,
        output_group((Format.TABLE, Format.HTML)),
        EDITS,
        *verbosity(verbose="Say all."),
    )
    def run(**values: Any) -> int:
        given.append(values)
        return 0

    return run


@pytest.fixture
def given() -> list[Any]:
    """What the command is run with."""
    return []


def test_groups_are_filled(given: list[Any]) -> None:
    """A command gets its options in groups, repeated ones as tuples, those that are not given with their defaults."""
    line = ["a", "b", "--set", "x=1", "--set", "y=2", "--seed", "4", "--format", "HTML", "--hot", "-q"]
    cook(given)(line, standalone_mode=False)
    assert given == [
        {
            "files": ("a", "b"),
            "is_hot": True,
            "session": SessionFlags(seed=4),
            "out": Output(format=Format.HTML, quiet=True),
            "edits": Edits(sets=("x=1", "y=2")),
        }
    ]


def test_the_first_format_is_the_usual_one(given: list[Any]) -> None:
    """A format is the first of those that the command takes unless another is given."""
    cook(given)([], standalone_mode=False)
    assert given[0]["out"] == Output(format=Format.TABLE)


@pytest.mark.parametrize(
    ("line", "chosen"),
    [
        (["-o", "page.html"], Format.HTML),
        (["-o", "dir.html/page.HTML.gz"], Format.HTML),
        (["-o", "page.html", "--format", "table"], Format.TABLE),
        (["-o", "page.txt"], Format.TABLE),
        (["-o", "my_html"], Format.TABLE),
        (["-o", "page.gz"], Format.TABLE),
        (["-o", "page.json", "--format", "table"], Format.TABLE),
        (["-o", "-"], Format.TABLE),
    ],
)
def test_the_ending_of_a_file_chooses_the_format(given: list[Any], line: list[str], chosen: Format) -> None:
    """Only where no option does, and only a format that the command takes."""
    cook(given)(line, standalone_mode=False)
    assert given[0]["out"].format is chosen


@pytest.mark.parametrize("name", ["page.json", "page.xlsx", "page.foo.gz"])
def test_an_ending_of_no_format_is_refused(given: list[Any], name: str) -> None:
    """A file is not written as a table because its ending is mistyped, or is that of a format of other commands."""
    with pytest.raises(click.BadParameter, match=rf"{name} ends like no format .* with --format: table, html"):
        cook(given)(["-o", name], standalone_mode=False)
    assert not given


@pytest.mark.parametrize("at", [[], ["--now", "2026-01-01T00:00:00Z"]])
def test_a_format_that_only_an_option_brings(at: list[str], given: list[Any]) -> None:
    """The ending of such a format is refused without the option, and leaves the format to the command with it."""

    @command("cook", "", "", NOW, output_group((Format.TABLE,), also={"now": (Format.YAML,)}))
    def run(**values: Any) -> int:
        given.append(values)
        return 0

    if at:
        run(["-o", "page.yaml", *at], standalone_mode=False)
        assert given[0]["out"].format is Format.TABLE
    else:
        with pytest.raises(click.BadParameter, match="ends like no format"):
            run(["-o", "page.yaml"], standalone_mode=False)


def test_the_environment_chooses_the_format_before_an_ending(given: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """What a variable sets counts as set."""
    monkeypatch.setenv("VQS_FORMAT", "table")
    cook(given)(["-o", "page.html"], standalone_mode=False)
    assert given[0]["out"].format is Format.TABLE


def test_values_that_a_command_does_not_take(given: list[Any]) -> None:
    """A value that is no choice is refused with those that are."""
    with pytest.raises(
        click.BadParameter, match=r"'hmtl' is not supported \(did you mean 'html'\?\); supported: table, html"
    ):
        cook(given)(["--format", "hmtl"], standalone_mode=False)
    assert not given


def test_help_has_the_order_and_the_texts(capsys: pytest.CaptureFixture[str]) -> None:
    """Options stand as they are declared; a command may say in words of its own what those of a group are."""
    cook([])(["--help"], standalone_mode=False)
    shown = capsys.readouterr().out
    names = [
        "--hot",
        "--now",
        "--seed",
        "--format",
        "--output",
        "--set",
        "--edits",
        "--verbose",
        "--debug",
        "Examples.",
    ]
    assert sorted(names, key=shown.index) == names
    assert "Time of the sessions" in shown
    assert "table|html" in shown
