"""An argument that is ignored because its value has the wrong type."""

from vqs.config.known_arguments import Kind, Outcome
from vqs.lint.plugins import Value, given_values, shown
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.quantity import is_boolean


def check(context: LintContext) -> Findings:
    """Look for values of the wrong type that the scheduler survives."""
    reads = context.profile.arguments.text_as_boolean == "read"
    for value in given_values(context.conf, context.profile):
        argument = value.argument
        is_read = reads and argument.kind is Kind.BOOL and isinstance(value.value, str) and is_boolean(value.value)
        if argument.accepts(value.value):
            fix, is_wrong = "", isinstance(value.value, str) and not argument.reads(value.value)
        else:
            fix, is_wrong = _fix(value), not argument.is_fatal and not is_read
        if is_wrong:
            mismatch = f"{value.name} of {value.owner} is {shown(value.value)}, which is not {argument.kind.value}"
            yield Finding(f"{mismatch}: {_outcome(value)}", ConfPlace(value.path), fix=fix)


def _outcome(value: Value) -> str:
    argument = value.argument
    if argument.malformed and isinstance(value.value, str):
        return argument.malformed
    if argument.wrong is Outcome.ZERO:
        return "it counts as 0"
    return f"Volcano uses the default, {argument.default}" if argument.default else "it is ignored"


def _fix(value: Value) -> str:
    is_quoted = isinstance(value.value, str) and value.argument.kind in {Kind.INT, Kind.NUMBER, Kind.BOOL}
    return "remove the quotes" if is_quoted and value.argument.accepts(_unquoted(str(value.value))) else ""


def _unquoted(text: str) -> object:
    if text in {"true", "false"}:
        return text == "true"
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


RULE = Rule(
    code="wrong-argument-type",
    severity=Severity.WARNING,
    title="the argument has the wrong type and is ignored",
    meaning="A value under arguments is not of the type that the plugin or the action asks for: text instead of a "
    "number, a fraction instead of a whole number, 10 instead of a duration such as 10s.",
    why="Volcano ignores most arguments of the wrong type; at best, its log says so. A threshold of the plugin usage "
    "becomes 0, so that every node with any usage is refused.",
    fix="Write a value of the right type.",
    source="pkg/scheduler/framework/arguments.go; pkg/scheduler/plugins/usage/usage.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='binpack.weight: "10"',
)
