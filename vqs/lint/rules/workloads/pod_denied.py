"""A pod that Volcano's webhook refuses."""

import re

from vqs.lint.pod_sources import LISTS, and_others, families, pod_sources
from vqs.lint.rule import Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model.keys import MAX_UNAVAILABLE, MIN_AVAILABLE

_KEYS = (MIN_AVAILABLE, MAX_UNAVAILABLE)
_INTEGER = re.compile(r"[+-]?0*[0-9]{1,10}", re.ASCII)
_PERCENT = 100
_MOST = 2**31 - 1


def check(context: LintContext) -> Findings:
    """Find disruption limits in annotations that cannot be read, and pairs of them."""
    for source, number in families(pod_sources(context), lambda each: tuple(map(each.metadata.annotations.get, _KEYS))):
        if source.for_volcano and source.waits:
            annotations = source.metadata.annotations
            yield from _judge(and_others(source.what, number), annotations, source.at("metadata", "annotations"))
    for job, place in context.objects("volcano_jobs"):
        annotations = {key: job.metadata.annotations[key] for key in _KEYS if key in job.metadata.annotations}
        passed_on = dict(list(annotations.items())[:1])  # the controller gives pods one of the two
        at = place.at("metadata", "annotations")
        yield from _judge(f"Job {job.metadata.key}", passed_on, at)


def _judge(what: str, annotations: dict[str, str], place: Place) -> Findings:
    given = [key for key in _KEYS if key in annotations]
    for key in given:
        if not _is_amount(annotations[key]):
            yield Finding(
                f"{what} has {annotations[key]!r} in {key}, which is neither a number from 1 to {_MOST} nor 1% to 99%",
                place.at(key),
            )
    if len(given) > 1:
        at = place.at(given[1])
        yield Finding(f"{what} has both {given[0]} and {given[1]}", at)


def _is_amount(text: str) -> bool:
    if _INTEGER.fullmatch(text):
        return 0 < int(text) <= _MOST
    digits = text.replace("%", "")
    return _INTEGER.fullmatch(digits) is not None and 0 < int(digits) < _PERCENT


RULE = Rule(
    code="pod-denied",
    severity=Severity.WARNING,
    title="Volcano's webhook for pods, where it is enabled, refuses a pod",
    meaning="volcano.sh/jdb-min-available or volcano.sh/jdb-max-unavailable is not a number from 1 to 2147483647 or a "
    "percentage from 1% to 99%, or a pod has both.",
    why="The webhook /pods/validate checks these annotations on all pods for Volcano. A Job or workload with such a "
    "template is created, but none of its pods is. The Helm chart and volcano-development.yaml do not enable this "
    "webhook by default; without it, the pod is created, and the plugin tdm treats an invalid value as 0.",
    fix="Correct the value; keep one of the two annotations.",
    source="pkg/webhooks/admission/pods/validate/admit_pod.go",
    check=check,
    looks_at=LISTS,
    example='volcano.sh/jdb-min-available: "100%"',
)
