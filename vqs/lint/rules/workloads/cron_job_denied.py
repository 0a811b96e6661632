"""A CronJob of Volcano that its webhook refuses."""

import re
from collections.abc import Iterator
from typing import Final
from zoneinfo import available_timezones

from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.validation.names import schedule_fault
from vqs.snapshot.reading.diagnostics import Path

_LONGEST_NAME: Final = 52
"""The names of the Jobs, of at most 63 characters, have a time after the name of the CronJob."""

_PART: Final = re.compile(r"(?!-)[A-Za-z._0-9+-]{1,14}", re.ASCII)

_VARIANT: Final = re.compile(r"\A(?:posix|right)/")
"""The folders that have all zones again, without and with leap seconds."""


def check(context: LintContext) -> Findings:
    """Find schedules, time zones and names that the webhook does not take."""
    is_unknown = context.profile.schemas.volcano_cron_jobs == "unknown"
    for job, place in context.objects("cron_jobs"):
        if is_unknown:
            yield Finding(f"CronJob {job.metadata.key}: this release of Volcano has no CronJobs", place.at("kind"))
            continue
        for path, text in _faults(job):
            yield Finding(f"CronJob {job.metadata.key}: {text}", place.at(*path))


def _faults(job: k8s.CronJob) -> Iterator[tuple[Path, str]]:
    schedule, zone = job.spec.schedule, job.spec.time_zone
    if not schedule:
        yield ("spec", "schedule"), "the schedule is empty"
    elif "TZ" in schedule:
        yield ("spec", "schedule"), "a time zone belongs in timeZone, not in the schedule"
    elif wrong := schedule_fault(schedule):
        yield ("spec", "schedule"), wrong
    if zone is not None and not _is_zone(zone):
        yield ("spec", "timeZone"), f"{zone!r} is not a time zone"
    if len(job.metadata.name) > _LONGEST_NAME:
        yield ("metadata", "name"), f"the name is longer than {_LONGEST_NAME} characters"


def _is_zone(zone: str) -> bool:
    """True if there is a time zone of that name; Go knows UTC without looking for it."""
    parts = zone.split("/")
    if zone.lower() == "local" or any(part in (".", "..") or not _PART.fullmatch(part) for part in parts):
        return False
    return zone in ("UTC", "posixrules") or _VARIANT.sub("", zone, count=1) in available_timezones()


RULE = Rule(
    code="cron-job-denied",
    severity=Severity.ERROR,
    title="Volcano's webhook refuses a CronJob",
    meaning="The schedule is invalid or names a time zone, the timeZone does not exist, or the name is too long; or "
    "the release has no CronJobs of Volcano, so that the API server does not know the kind.",
    why="The webhook for CronJobs reads the schedule like the controller: five fields, or a word such as @daily or "
    "@every 1h. The names of its Jobs are 11 characters longer than that of the CronJob.",
    fix="As the schedule, write five fields (minute, hour, day of month, month, day of week), or a word such as "
    "@daily. In spec.timeZone, write a name of the IANA database, such as Europe/Berlin. Use a name of at most 52 "
    "characters.",
    source="pkg/webhooks/admission/cronjobs/validate/admit_cronjob.go; github.com/robfig/cron/v3 parser.go",
    check=check,
    example='schedule: "0 25 * * *"',
    denied="webhook",
)
