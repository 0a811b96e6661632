"""Values of parameters are read as typer reads them, without pydantic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest
import typer

from vqs.cli.values import read_directly

READERS = {"texts": str, "number": int, "file": str}


def made(*, directly: bool) -> Any:
    """Return a command with parameters of all kinds, which returns its arguments."""

    def callback(
        file: Annotated[str, typer.Argument()],
        texts: Annotated[list[str], typer.Option("--text")] = [],  # noqa: B006 - typer copies it
        number: Annotated[int | None, typer.Option("--number", parser=int, envvar="NUMBER")] = None,
        folder: Annotated[Path | None, typer.Option("--folder", exists=True)] = None,
        *,
        flag: Annotated[bool, typer.Option("--flag", envvar="FLAG")] = False,
        loud: Annotated[str | None, typer.Option("--loud", callback=lambda text: text and text.upper())] = None,
    ) -> Any:
        return file, tuple(texts), number, folder, flag, loud

    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command()(callback)
    command: Any = typer.main.get_command(app)
    if directly:
        read_directly(command.params, {**READERS, "loud": str})
    return command


def outcome(command: Any, arguments: list[str]) -> Any:
    """Return what a command returns, or its error."""
    try:
        return command(arguments, standalone_mode=False)
    except typer.BadParameter.__base__ as error:  # type: ignore[misc] # the class of all misuse has no public name
        return type(error), getattr(error, "format_message", error.__str__)()


@pytest.mark.parametrize("environment", [{}, {"NUMBER": "7", "FLAG": "yes"}, {"FLAG": "perhaps"}])
@pytest.mark.parametrize(
    "arguments",
    [
        ["a"],
        [],
        ["a", "--text", "b", "--text", "c", "--number", "5", "--flag", "--loud", "x"],
        ["a", "--folder", "/"],
        ["a", "--folder", "/there/is/none"],
        ["a", "--number"],
    ],
)
def test_values_are_those_that_typer_reads(
    arguments: list[str], environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values and errors are the same, whether given on the command line, in the environment, or not at all."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert outcome(made(directly=True), arguments) == outcome(made(directly=False), arguments)


def test_parameters_that_read_directly_stay_as_they_are() -> None:
    """A command that is called twice reads its values once each time."""
    command = made(directly=True)
    before = [vars(each)["process_value"] for each in command.params]
    read_directly(command.params)
    assert [vars(each)["process_value"] for each in command.params] == before
