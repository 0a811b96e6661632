"""The plugin rescheduling where it cannot work."""

from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity

_PERIOD = "metricsPeriod"
_COLLECTED = "10m"
_STRATEGY = "lowNodeUtilization"


def check(context: LintContext) -> Findings:
    """Look for the action, the period of the load, and the strategy."""
    for option in given_plugins(context.conf):
        if option.name != "rescheduling":
            continue
        name = ConfPlace((*option.path, "name"))
        if "shuffle" not in context.conf.actions:
            message = "rescheduling is only asked by shuffle, which is not among the actions"
            yield Finding(message, name, fix="add shuffle to actions")
        period = option.arguments.get(_PERIOD, "5m")
        if isinstance(period, str) and (period or "5m") != _COLLECTED:
            given = _PERIOD in option.arguments
            place = ConfPlace((*option.arguments.path, _PERIOD)) if given else name
            message = f"{_PERIOD} is {period or '5m'}, and the usage of nodes is only collected for {_COLLECTED}"
            yield Finding(message, place, fix=f"write {_PERIOD}: {_COLLECTED} under arguments")
        strategies = option.arguments.get("strategies")
        for index, strategy in enumerate(strategies if isinstance(strategies, list) else ()):
            kind = strategy.get("name") if isinstance(strategy, dict) else None
            if isinstance(kind, str) and kind != _STRATEGY:
                place = ConfPlace((*option.arguments.path, "strategies", index, "name"))
                yield Finding(f"the strategy {kind} does not exist", place, fix=f"there is {_STRATEGY} only")


RULE = Rule(
    code="rescheduling-unused",
    severity=Severity.WARNING,
    title="rescheduling is configured, and cannot work",
    meaning="The plugin rescheduling is configured without the action shuffle, with a metrics period that the "
    "scheduler does not collect, or with a strategy that does not exist.",
    why="shuffle is the only action that asks for pods to move. The scheduler keeps the average usage of nodes over 10 "
    "minutes under the name 10m. rescheduling looks for the name in metricsPeriod, 5m by default, and treats a missing "
    "value as no usage, so no node is ever busy.",
    fix="Add shuffle to actions, metricsPeriod: 10m and the strategy lowNodeUtilization.",
    source="pkg/scheduler/plugins/rescheduling; pkg/scheduler/cache/cache.go (setMetricsData)",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, allocate, backfill" with the plugin rescheduling',
)
