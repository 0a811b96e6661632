"""Reading the values of parameters without pydantic."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import typer

Reader = Callable[[str], Any]
_NONE: Mapping[str, Reader] = MappingProxyType({})


def read_directly(parameters: Iterable[Any], readers: Mapping[str, Reader] = _NONE) -> None:
    """Have parameters read their values by functions, without what typer asks for that.

    typer asks pydantic, also for values that are not given, and importing that takes as long as numpy does. Values
    without a function, and parameters that are missing, are left to it.

    Args:
        parameters: the options and arguments of a command that typer has made.
        readers: what reads a value, by the name of the parameter.
    """
    for each in parameters:
        if "process_value" not in vars(each):
            each.process_value = _processing(each, readers.get(each.name))


def _processing(parameter: Any, read: Reader | None) -> Callable[[typer.Context, Any], Any]:
    through_typer, is_repeated = parameter.process_value, parameter.multiple or parameter.nargs == -1

    def process_value(context: typer.Context, value: Any) -> Any:
        given = () if value is None else value if is_repeated else (value,)
        if (given and read is None) or (parameter.required and not given):
            return through_typer(context, value)
        values = tuple(map(read, given)) if read else ()
        found = values if is_repeated else values[0] if values else None
        return parameter.callback(context, parameter, found) if parameter.callback else found

    return process_value
