"""How the values of options are read, and what is said about those that cannot be."""

from collections.abc import Callable
from datetime import datetime
from difflib import get_close_matches
from enum import StrEnum
from typing import Annotated, Any, TypeVar

import typer

Choice = TypeVar("Choice", bound=StrEnum)


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
) -> Any:
    """Describe an option that takes a value; like every option, it can be set in the environment."""
    return typer.Option(
        name,
        *filter(None, [short]),
        metavar=metavar,
        help=text,
        parser=parser,
        envvar=_variable(name),
        show_envvar=False,
        show_default=show_default,
    )


def choice(name: str, choices: type[Choice], text: str, short: str = "") -> Any:
    """Describe an option that takes one of a few values."""
    return option(name, "|".join(choices), text, one_of(choices), short, show_default=True)


def flag(name: str, text: str, short: str = "") -> Any:
    """Describe an option that is given or not."""
    return typer.Option(name, *filter(None, [short]), help=text, envvar=_variable(name), show_envvar=False)


def _variable(name: str) -> str:
    return f"VQS_{name.lstrip('-').replace('-', '_').upper()}"


Debug = Annotated[bool, flag("--debug", "Show the traceback of an internal error.")]


def one_of(choices: type[Choice]) -> Callable[[str], Choice]:
    """Return a reader for an option with a fixed set of values."""

    def read(text: str) -> Choice:
        if text in set(choices):
            return choices(text)
        close = get_close_matches(text, choices, n=1)
        guess = f" (did you mean '{close[0]}'?)" if close else ""
        raise typer.BadParameter(f"'{text}' is not supported{guess}; supported: {', '.join(choices)}")

    return read


def rfc3339(text: str) -> datetime:
    """Read a point in time; one without a zone is refused, because a result must not depend on where it is made."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise typer.BadParameter(f"'{text}' is not a time with a zone, such as 2026-11-21T12:00:00Z")
    return moment


def whole_number(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"'{text}' is not a whole number") from None
