"""Commands made of dataclasses: a field is a parameter, or a group of them that is a dataclass of its own.

A module has a command: the dataclass, which has all that help and completion need, and the function `run`. At its top
it imports nothing heavy; what a function runs with, such as the engine, is imported in the function.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from enum import StrEnum
from inspect import Parameter, Signature
from itertools import pairwise
from types import GenericAlias, MappingProxyType
from typing import Annotated, Any, Final, cast, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand
from typer.models import OptionInfo

from vqs.cli import completion
from vqs.cli.groups import Output
from vqs.cli.options import one_of
from vqs.cli.values import Reader, read_directly
from vqs.report.formats import format_of, has_ending

_ROOT: Final = "--root"


@dataclass(frozen=True)
class Texts:
    """What the help says of the fields of a group, where that is another text than the group's own."""

    by_field: Mapping[str, str]


def texts(**by_field: str) -> Texts:
    """Give the fields of a group texts of a command's own, in `Annotated`."""
    return Texts(by_field)


@dataclass(frozen=True)
class Choices:
    """Which values the options of a group take in a command, the first unless another is chosen."""

    by_field: Mapping[str, Sequence[StrEnum]]


def choices(**by_field: Sequence[StrEnum]) -> Choices:
    """Say which values the fields of a group take in a command, in `Annotated`."""
    return Choices(by_field)


def command(
    name: str,
    arguments: type,
    run: Callable[[Any], int],
    examples: str,
    *,
    also: Mapping[str, Sequence[StrEnum]] = MappingProxyType({}),
) -> TyperCommand:
    """Return the command that reads some arguments from the command line, and runs with them.

    Args:
        name: what it is called.
        arguments: the dataclass of its arguments.
        run: what it does with them; returns the exit code.
        examples: what its help ends with.
        also: formats that it writes, by the ending of the file, only where an option is given, by that option's field.
    """

    def callback(**values: Any) -> Any:
        from vqs.cli.execution import execute

        return execute(run, _filled(arguments, values))

    parameters = [*_parameters(arguments)]
    callback.__doc__ = arguments.__doc__
    callback.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    maker = typer.Typer(rich_markup_mode=None, add_completion=False)
    maker.command(name, cls=_Command, epilog=examples)(callback)
    made = cast("_Command", typer.main.get_command(maker))
    made.formats = _formats(arguments)
    made.also = also
    made.readers = {each.name: reader for each in parameters if (reader := _reader(each)) is not None}
    return made


class _Command(TyperCommand):
    """A command; `also` is as for `command`.

    Attributes:
        formats: those that its result can be written in, if it has any.
        readers: what reads the values of its parameters, by their names.
    """

    formats: Sequence[StrEnum] = ()
    also: Mapping[str, Sequence[StrEnum]] = MappingProxyType({})
    readers: Mapping[str, Reader] = MappingProxyType({})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line; an empty --root would be the current folder, which is not what its author meant."""
        if f"{_ROOT}=" in args or (_ROOT, "") in pairwise(args):
            raise typer.BadParameter(f"{_ROOT}: the name of the folder is empty", ctx)
        read_directly(self.get_params(ctx), self.readers)
        parsed: list[str] = super().parse_args(ctx, args)
        self._choose_format(ctx)
        return parsed

    def _choose_format(self, ctx: Any) -> None:
        """Take the format by the ending of the file to write, where neither an option nor the environment names one.

        Raises:
            BadParameter: the ending is none of a format that the command writes.
        """
        target = ctx.params.get("target")
        if not self.formats or target is None or ctx.get_parameter_source("format").name != "DEFAULT":
            return
        by_ending = format_of(target.name)
        if by_ending in self.formats:
            ctx.params["format"] = by_ending
        elif has_ending(target.name) and not any(
            by_ending in formats and ctx.params[name] is not None for name, formats in self.also.items()
        ):
            raise typer.BadParameter(
                f"--output: {target} ends like no format that this command writes; name one with --format: "
                f"{', '.join(self.formats)}",
                ctx,
            )


def _formats(arguments: type) -> Sequence[StrEnum]:
    """Return the formats that a command chooses from for its output."""
    outputs = (member for member in _members(arguments) if member.group is Output)
    given = (each.by_field["format"] for member in outputs for each in member.metadata if isinstance(each, Choices))
    return next(given, ())


# --- from fields to parameters ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Member:
    """A field with its type: that of a value, or of a group with its format."""

    field: Field[Any]
    annotation: Any
    metadata: tuple[Any, ...]

    @property
    def group(self) -> type | None:
        """The dataclass that its own fields are in, if it is a group."""
        origin = get_origin(self.annotation) or self.annotation
        return origin if is_dataclass(origin) and isinstance(origin, type) else None

    @property
    def is_repeated(self) -> bool:
        """Whether it is a tuple, of an option that can be repeated or of an argument."""
        return get_origin(self.annotation) is tuple


def _members(arguments: type) -> Iterator[_Member]:
    hints = get_type_hints(arguments, include_extras=True)
    for field in fields(arguments):
        hint = hints[field.name]
        inner, *metadata = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        yield _Member(field, inner, tuple(metadata))


def _parameters(arguments: type, own: Sequence[Texts | Choices] = ()) -> Iterator[Parameter]:
    """Yield the parameters that typer reads, those of groups in their place.

    Args:
        arguments: the dataclass.
        own: what a command says of its fields, in place of what the dataclass says.
    """
    said = {name: text for each in own if isinstance(each, Texts) for name, text in each.by_field.items()}
    taken = {name: values for each in own if isinstance(each, Choices) for name, values in each.by_field.items()}
    for member in _members(arguments):
        if member.group is not None:
            yield from _parameters(member.group, member.metadata)
        else:
            yield _parameter(member, taken.get(member.field.name, ()), said.get(member.field.name))


def _parameter(member: _Member, values: Sequence[StrEnum], text: str | None) -> Parameter:
    [info] = map(copy, member.metadata)
    annotation, default = member.annotation, values[0] if values else member.field.default
    if text is not None:
        info.help = text
    if isinstance(info, OptionInfo) and isinstance(annotation, type) and issubclass(annotation, StrEnum):
        values = values or tuple(annotation)
        info.metavar, info.parser = "|".join(values), one_of(values)
        info.autocompletion = completion.one_of(values)
    if member.is_repeated:
        annotation = GenericAlias(list, get_args(annotation)[:1])
    return Parameter(
        member.field.name,
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if default is MISSING else default,
        annotation=Annotated[annotation, info],
    )


def _reader(declared: Parameter) -> Reader | None:
    """Return what reads a value of a parameter: its parser, or `str` where it takes texts as they are."""
    annotation, info = get_args(declared.annotation)
    parser: Reader | None = info.parser
    return str if parser is None and str in (annotation, *get_args(annotation)) else parser


def _filled(arguments: type, values: Mapping[str, Any]) -> Any:
    """Return the arguments with the values that typer has read."""
    return arguments(**{member.field.name: _value(member, values) for member in _members(arguments)})


def _value(member: _Member, values: Mapping[str, Any]) -> Any:
    if member.group is not None:
        return _filled(member.group, values)
    value = values[member.field.name]
    return tuple(value) if member.is_repeated else value
