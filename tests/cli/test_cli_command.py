"""Dataclasses become commands."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
import typer
from typer.core import TyperCommand

from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Edits, Output, SessionFlags
from vqs.cli.options import Debug, Files, flag
from vqs.report.formats import Format


@dataclass(frozen=True, kw_only=True)
class Cook:
    """Cook something."""

    files: Files = ()
    is_hot: Annotated[bool, flag("--hot", "Heat it.")] = False
    session: Annotated[SessionFlags, texts(now="When it is eaten.")]
    output: Annotated[Output, choices(format=(Format.TABLE, Format.HTML))]
    edits: Edits
    debug: Debug = False


def cook(given: list[Any], examples: str = "", **more: Any) -> TyperCommand:
    """Return a command that collects what it is run with."""

    def run(arguments: Cook) -> int:
        given.append(arguments)
        return 0

    return command("cook", Cook, run, examples, **more)


@pytest.fixture
def given() -> list[Any]:
    """What the command is run with."""
    return []


def test_groups_are_filled(given: list[Any]) -> None:
    """A command gets its options in groups, repeated ones as tuples, those that are not given with their defaults."""
    line = ["a", "b", "--set", "x=1", "--set", "y=2", "--seed", "4", "--format", "HTML", "--hot"]
    cook(given)(line, standalone_mode=False)
    assert given == [
        Cook(
            files=("a", "b"),
            is_hot=True,
            session=SessionFlags(seed=4),
            output=Output(format=Format.HTML),
            edits=Edits(sets=("x=1", "y=2")),
        )
    ]


def test_the_first_format_is_the_usual_one(given: list[Any]) -> None:
    """A format is the first of those that the command takes unless another is given."""
    cook(given)([], standalone_mode=False)
    assert given[0].output == Output(format=Format.TABLE)


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
        (["-o", "page.yaml", "--now", "2026-01-01T00:00:00Z"], Format.TABLE),
        (["-o", "-"], Format.TABLE),
    ],
)
def test_the_ending_of_a_file_chooses_the_format(given: list[Any], line: list[str], chosen: Format) -> None:
    """Only where no option does, and only a format that the command takes."""
    cook(given, also={"now": (Format.YAML,)})(line, standalone_mode=False)
    assert given[0].output.format is chosen


@pytest.mark.parametrize("name", ["page.json", "page.xlsx", "page.yaml", "page.foo.gz"])
def test_an_ending_of_no_format_is_refused(given: list[Any], name: str) -> None:
    """A file is not written as a table because its ending is mistyped, or is that of a format of other commands."""
    with pytest.raises(typer.BadParameter, match=rf"{name} ends like no format .* with --format: table, html"):
        cook(given, also={"now": (Format.YAML,)})(["-o", name], standalone_mode=False)
    assert not given


def test_the_environment_chooses_the_format_before_an_ending(given: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """What a variable sets counts as set."""
    monkeypatch.setenv("VQS_FORMAT", "table")
    cook(given)(["-o", "page.html"], standalone_mode=False)
    assert given[0].output.format is Format.TABLE


def test_values_that_a_command_does_not_take(given: list[Any]) -> None:
    """A value that is no choice is refused with those that are."""
    with pytest.raises(
        typer.BadParameter, match=r"'hmtl' is not supported \(did you mean 'html'\?\); supported: table, html"
    ):
        cook(given)(["--format", "hmtl"], standalone_mode=False)
    assert not given


def test_help_has_the_order_and_the_texts(capsys: pytest.CaptureFixture[str]) -> None:
    """Options stand in the order of the fields; a command may say in words of its own what those of a group are."""
    cook([], "Examples.")(["--help"], standalone_mode=False)
    shown = capsys.readouterr().out
    names = ["--hot", "--now", "--seed", "--format", "--output", "--set", "--edits", "--debug", "Examples."]
    assert sorted(names, key=shown.index) == names
    assert "When it is eaten." in shown
    assert "table|html" in shown
