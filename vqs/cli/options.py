"""How the values of options are read, and what is said about those that cannot be."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer

from vqs.cli import completion, output
from vqs.cli.completion import Completer
from vqs.cli.environment import variable

Choice = TypeVar("Choice", bound=StrEnum)


_MOST_SESSIONS: Final = 1000
EXAMPLE_TIME: Final = "2026-03-02T12:00:00Z"


class Volcano(StrEnum):
    """The releases of Volcano that are modelled."""

    V1_14 = "1.14"


def option(
    name: str,
    metavar: str,
    text: str,
    parser: Callable[[str], Any] | None = None,
    short: str = "",
    *,
    show_default: bool = False,
    complete: Completer | None = None,
) -> Any:
    """Describe an option that takes a value; like every option, it can be set in the environment."""
    return typer.Option(
        name,
        *filter(None, [short]),
        metavar=metavar,
        help=text,
        parser=parser,
        envvar=variable(name),
        show_envvar=False,
        show_default=show_default,
        autocompletion=complete,
    )


def choice(name: str, choices: Iterable[Choice], text: str, short: str = "") -> Any:
    """Describe an option that takes one of a few values."""
    return option(
        name, "|".join(choices), text, one_of(choices), short, show_default=True, complete=completion.one_of(choices)
    )


def flag(name: str, text: str, short: str = "") -> Any:
    """Describe an option that is given or not."""
    return typer.Option(name, *filter(None, [short]), help=text, envvar=variable(name), show_envvar=False)


def one_of(choices: Iterable[Choice]) -> Callable[[str], Choice]:
    """Return a reader for an option with a fixed set of values."""
    named = {str(each): each for each in choices}

    def read(text: str) -> Choice:
        value = text.casefold()
        if value in named:
            return named[value]
        close = get_close_matches(value, named, n=1)
        guess = f" (did you mean '{close[0]}'?)" if close else ""
        raise typer.BadParameter(f"'{text}' is not supported{guess}; supported: {', '.join(named)}")

    return read


def rfc3339(text: str) -> datetime:
    """Read a point in time; one without a zone is refused, because a result must not depend on where it is made."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise typer.BadParameter(f"'{text}' is not a time with a zone, such as {EXAMPLE_TIME}")


def file_name(text: str) -> str:
    """Read the name of a file."""
    if not text:
        raise typer.BadParameter("the name of the file is empty")
    return text


def revision(text: str) -> str:
    """Read the name of a revision; without one, the files would be taken for something else."""
    if not text:
        raise typer.BadParameter("the name of the revision is empty; is there a variable that is not set?")
    return text


def whole_number(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"'{text}' is not a whole number") from None


def at_least_one(text: str) -> int:
    """Read a number of things of which there has to be one."""
    value = whole_number(text)
    if value < 1:
        raise typer.BadParameter(f"'{text}' is less than 1")
    return value


def up_to_a_thousand(text: str) -> int:
    """Read a number of sessions: more than anybody would wait for is a slip."""
    value = at_least_one(text)
    if value > _MOST_SESSIONS:
        raise typer.BadParameter(f"'{text}' is more than {_MOST_SESSIONS:,}")
    return value


# The options that several commands take; they are the same in all of them.
Conf = Annotated[str | None, option("--conf", "FILE", "A volcano-scheduler.conf to use.", file_name)]
Usage = Annotated[
    str | None, option("--usage", "FILE", "How busy nodes are, as kubectl top nodes prints it.", file_name)
]
Now = Annotated[datetime | None, option("--now", "TIME", "The session's time, in RFC 3339.", rfc3339)]
Seed = Annotated[int | None, option("--seed", "N", "Break ties at random, by N.", whole_number)]
Release = Annotated[Volcano, choice("--volcano", Volcano, "The release to model.")]
Target = Annotated[Path | None, option("--output", "FILE", "Write the result to a file.", output.place, "-o")]
NoColor = Annotated[bool, flag("--no-color", "No colours; so does NO_COLOR.")]
NoIgnore = Annotated[bool, flag("--no-ignore", "Heed nothing that silences findings.")]
Debug = Annotated[bool, flag("--debug", "Show the traceback of an internal error.")]
