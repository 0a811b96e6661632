"""The plugin extender without the address of its server."""

from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity

_URL = "extender.urlPrefix"
_VERB = "Verb"


def check(context: LintContext) -> Findings:
    """Look for an extender that has something to answer, and no address."""
    for option in given_plugins(context.conf):
        if option.name != "extender" or option.arguments.get(_URL):
            continue
        verbs = sorted(name for name in option.arguments if name.endswith(_VERB) and option.arguments[name])
        if verbs:
            place = ConfPlace((*option.arguments.path, verbs[0]), key=True)
            yield Finding(f"{verbs[0]} is given, and {_URL} is not: every request fails", place)


RULE = Rule(
    code="extender-without-url",
    severity=Severity.WARNING,
    title="the extender has no address",
    meaning="The plugin extender is to ask a server, as one of its verbs is given, but extender.urlPrefix is not.",
    why="Every request fails. Unless extender.ignorable is true, such a request counts as a no: no node fits, no job "
    "is admitted, or no victim is found, depending on the verb.",
    fix="Give extender.urlPrefix, such as http://127.0.0.1:8713, or remove the plugin.",
    source="pkg/scheduler/plugins/extender/extender.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="extender.predicateVerb: predicate",
)
