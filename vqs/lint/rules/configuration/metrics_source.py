"""The source of the usage of nodes."""

from vqs.config.known_arguments import METRICS_KEYS, METRICS_TYPES
from vqs.lint.plugins import is_given
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.durations import parse_duration
from vqs.snapshot.reading.diagnostics import did_you_mean, one_of

_WITH_ADDRESS = ("prometheus", "elasticsearch")


def check(context: LintContext) -> Findings:
    """Look at each key of metrics, and for plugins that need them."""
    conf = context.conf
    if not is_given(conf):
        return
    metrics, kind = conf.metrics, conf.metrics.get("type", "")
    for key in metrics:
        if key not in METRICS_KEYS:
            hint = did_you_mean(key, METRICS_KEYS) or f"there are {', '.join(METRICS_KEYS)}"
            yield Finding(f"Volcano does not read the key {key} of metrics", _place(key, key=True), fix=hint)
    if kind and kind not in METRICS_TYPES:
        hint = did_you_mean(kind, METRICS_TYPES) or f"write {one_of(METRICS_TYPES)}"
        yield Finding(f"metrics type {kind!r} does not exist: the usage of nodes is not read", _place("type"), fix=hint)
    elif kind in _WITH_ADDRESS and not metrics.get("address"):
        yield Finding(f"{kind} has no address: the usage of nodes is not read", _place("type"), fix="add address:")
    elif metrics and not kind:
        yield Finding("metrics has no type: the usage of nodes is not read", _place(key=True), fix="add type:")
    interval = metrics.get("interval", "")
    if interval and parse_duration(interval) is None:
        message = f"interval is {interval!r}, which is not a duration: Volcano uses 30s"
        yield Finding(message, _place("interval"), fix=f"write {interval}s" if interval.isdigit() else "")
    for name in () if metrics else ("usage", "rescheduling"):
        found = conf.plugin(name)
        if found is not None:
            message = f"{name} needs the usage of nodes, and metrics is missing: the plugin has no effect"
            yield Finding(message, ConfPlace((*found.path, "name")), fix="add metrics: with type and address")


def _place(*path: str, key: bool = False) -> ConfPlace:
    return ConfPlace(("metrics", *path), key=key)


RULE = Rule(
    code="metrics-source",
    severity=Severity.WARNING,
    title="the scheduler cannot read the usage of nodes",
    meaning="metrics has a key, a type or an interval that Volcano does not accept, or is missing although a plugin "
    "needs it.",
    why="The plugins usage and rescheduling use the actual usage of nodes, which the scheduler reads from the source "
    "under metrics. If it cannot, it logs an error, usage accepts every node and scores none, and rescheduling finds "
    "no busy node. The interval is only read when the scheduler starts.",
    fix="Write type: prometheus, prometheus_adaptor or elasticsearch, an address for the first and the last, and an "
    "interval such as 30s.",
    source="pkg/scheduler/metrics/source/metrics_client.go; pkg/scheduler/cache/cache.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="metrics: {type: promethues, address: http://prometheus:9090}",
)
