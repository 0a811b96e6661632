"""A revocable zone of tdm that closes at midnight, though its hours end later."""

from vqs.engine.plugins import tdm
from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.day_hours import DayHours, parse_day_hours


def check(context: LintContext) -> Findings:
    """Find hours whose end is on the next day, and not at its beginning."""
    for option in given_plugins(context.conf):
        if option.name != tdm.NAME:
            continue
        for zone, text in tdm.zones(option.arguments).items():
            hours = parse_day_hours(text)
            if isinstance(hours, DayHours) and hours.ends_next_day and hours.end:
                start, end = text.strip().split("-")
                yield Finding(
                    f"revocable zone {zone} is open from {start} to midnight only, not to {end}",
                    ConfPlace((*option.arguments.path, f"{tdm.ZONE}{zone}")),
                    fix=f"write {start}-00:00 if that is meant",
                )


RULE = Rule(
    code="zone-past-midnight",
    severity=Severity.WARNING,
    title="a revocable zone closes at midnight, though its hours end later",
    meaning="The hours of a zone of the plugin tdm end at or before the time of day at which they start, so they go "
    "past midnight.",
    why="tdm compares the time with the hours that start on the present day. After midnight these have not started "
    "yet, so the zone is closed, its nodes take no pods, and shuffle evicts the pods there.",
    fix="End the hours at 00:00. A node has one zone, and a zone one span of hours, so the time after midnight needs "
    "other nodes.",
    source="pkg/scheduler/plugins/tdm/tdm.go (parseRevocableZone)",
    check=check,
    needs=Need.CONFIGURATION,
    example="tdm.revocable-zone.night: 22:00-06:00",
)
