"""An overcommit-factor that Volcano does not take."""

from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity

_ARGUMENT = "overcommit-factor"


def check(context: LintContext) -> Findings:
    """Look at the factor of the plugin overcommit."""
    for option in given_plugins(context.conf):
        factor = option.arguments.get(_ARGUMENT) if option.name == "overcommit" else None
        if isinstance(factor, int | float) and not isinstance(factor, bool) and factor < 1:
            message = f"{_ARGUMENT} is {factor}, below 1: Volcano uses 1.2"
            yield Finding(message, ConfPlace((*option.arguments.path, _ARGUMENT)))


RULE = Rule(
    code="overcommit-factor-below-one",
    severity=Severity.WARNING,
    title="overcommit-factor is below 1, and Volcano uses 1.2 instead",
    meaning="overcommit-factor is set so that jobs would be admitted for less than the cluster has.",
    why="Volcano logs that a factor below 1 is refused and uses the default 1.2: it admits more jobs than without "
    "overcommitment, not fewer.",
    fix="Write 1.0 for no overcommitment. To keep a part of the cluster free, use capability or guarantee of queues.",
    source="pkg/scheduler/plugins/overcommit/overcommit.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="overcommit-factor: 0.8",
)
