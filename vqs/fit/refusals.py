"""Which new objects are refused, or get no pods, whatever room there is: what lint knows of them, fit knows, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from msgspec import structs

from vqs.lint.outcome import FindingResult
from vqs.lint.registry import RULES
from vqs.lint.rule import Need
from vqs.lint.run import LintOptions, lint
from vqs.model import kubernetes as k8s
from vqs.model.cluster import ROOT
from vqs.model.keys import DEFAULT_QUEUE, GROUP_QUEUE
from vqs.snapshot.apiserver.admission import CHANGE_DENIED, DENIES_JOB, leaf_queues, queue_denial
from vqs.snapshot.apiserver.checks import denials
from vqs.snapshot.controllers.upkeep.pods import PodAdmission, templates
from vqs.snapshot.reading.diagnostics import Diagnostic, did_you_mean
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import KIND_OF, LISTS, key_of, name_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.missing_kinds import LenientRead
from vqs.snapshot.reading.objects import UNKNOWN_FIELD

Maker = tuple[type, str]
"""The type and the name of an object."""

WEBHOOK: Final = "Volcano's webhook"
API_SERVER: Final = "the API server"
_MAKERS: Final = ("volcano_jobs", "deployments", "workloads", "jobs", "pod_groups", "pods")
_AROUND: Final = ("queues", "priority_classes", "namespaces", "runtime_classes")
"""What rules about a new object look at of the cluster."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an object is denied, or else why its pods are refused; and its queue."""

    who: str
    reason: str
    denied: bool
    queue: str

    def __str__(self) -> str:
        """Say who refuses what."""
        if self.denied:
            return f"{self.who} denies it, as {self.reason}"
        return f"{self.who} refuses its pods, as {self.reason}"


def refusals(snapshot: Manifests, more: Manifests, together: Manifests) -> Mapping[Maker, Refused]:
    """Return which new objects of those that make pods are refused, and why."""
    denied = _denied_by_lint(more, together)
    pods = PodAdmission(snapshot, together)
    there = (each for list_name in ("pods", *_MAKERS[:4]) for each in getattr(snapshot, list_name))
    specs = [template.spec for each in there for template in templates(each)]
    known = {spec.priority_class_name for spec in specs}, {spec.runtime_class_name for spec in specs}
    found: dict[Maker, Refused] = {}
    for list_name in _MAKERS:
        for each in getattr(more, list_name):
            queue = _queue(each)
            if isinstance(each, k8s.VolcanoJob) and (why := queue_denial(queue, together.queues)):
                found[key_of(each)] = Refused(WEBHOOK, why, denied=True, queue=queue)
            elif isinstance(each, k8s.VolcanoJob) and (error := next(denials(each, together.profile), None)):
                found[key_of(each)] = Refused(WEBHOOK, error.message.removeprefix(DENIES_JOB), denied=True, queue=queue)
            elif finding := denied.get(f"{KIND_OF[type(each)].name} {name_of(each)}"):
                who = WEBHOOK if finding.denied == "webhook" else API_SERVER
                reason = finding.message.removeprefix(f"{KIND_OF[type(each)].name} {name_of(each)}: ")
                found[key_of(each)] = Refused(who, reason, denied=True, queue=queue)
            elif not isinstance(each, k8s.VolcanoJob) and (why := _of_group(queue, together.queues)):
                found[key_of(each)] = Refused(WEBHOOK, why, denied=True, queue=queue)
            elif why := next(_of_pods(each, pods, known), ""):
                found[key_of(each)] = Refused(API_SERVER, why, denied=False, queue=queue)
    return found


def warnings(manifests: Manifests, jobs: Sequence[tuple[k8s.VolcanoJob, Origin]]) -> Iterator[Diagnostic]:
    """Yield a warning for each of some new Volcano Jobs of manifests that are denied, or whose pods are refused."""
    new = {id(job) for job, _ in jobs}
    others = replace(manifests, volcano_jobs=[each for each in manifests.volcano_jobs if id(each) not in new])
    origins = {"volcano_jobs": [origin for _, origin in jobs]}
    none = Manifests(release=manifests.release, installed=manifests.installed)
    found = refusals(others, replace(none, volcano_jobs=[job for job, _ in jobs], origins=origins), manifests)
    for job, origin in jobs:
        refused = found.get(key_of(job))
        if refused is not None:
            message = f"Job {name_of(job)}: {refused}; it is simulated nevertheless"
            warning = origin.diagnostic(CHANGE_DENIED, message, severity="warning")
            yield structs.replace(warning, jobs=(job.metadata.key,))


def _of_pods(typed: Any, pods: PodAdmission, known: tuple[set[str], set[str]]) -> Iterator[str]:
    """Yield why the API server refuses pods of an object; of a class that pods of the snapshot have, it does not."""
    for template in templates(typed):
        for refusal in pods.refusals(template.spec):
            named = template.spec.priority_class_name, template.spec.runtime_class_name
            if refusal.sure:
                yield refusal.reason
            elif not any(name in names for name, names in zip(named, known, strict=True) if name in refusal.reason):
                yield f"{refusal.reason} in the snapshot: add it there if the cluster has it"


def _of_group(queue: str, queues: Sequence[k8s.Queue]) -> str:
    """Return why the webhook denies a PodGroup for its queue, also one that a controller makes; empty if it does not.

    Reference: pkg/webhooks/admission/podgroups/validate/validate_podgroup.go in volcano-sh/volcano.
    """
    if queue in (DEFAULT_QUEUE, ROOT) or any(each.metadata.name == queue for each in queues):
        return ""
    leaves = leaf_queues(queues)
    hint = did_you_mean(queue, leaves) or f"there are {', '.join(leaves)}"
    return f"no PodGroup can be in queue {queue}, which does not exist ({hint})"


def _queue(typed: Any) -> str:
    if isinstance(typed, k8s.VolcanoJob | k8s.PodGroup):
        return typed.spec.queue or DEFAULT_QUEUE
    template = getattr(typed.spec, "template", None)
    metadata = typed.metadata if template is None else template.metadata
    return str(metadata.annotations.get(GROUP_QUEUE) or DEFAULT_QUEUE)


def _denied_by_lint(more: Manifests, together: Manifests) -> Mapping[str, FindingResult]:
    """Return the first finding of each object that comes and would be denied, by its kind and name.

    A field that does not exist is pruned where kubectl does not ask for more, and a warning says so already.
    """
    around: dict[str, Any] = {name: getattr(together, name) for name in _AROUND}
    origins = more.origins | {name: together.origins.get(name, []) for name in _AROUND}
    small = replace(more, **around, origins=origins, configuration=together.configuration, applied=together.applied)
    checks = (code for code, rule in RULES.items() if rule.check and rule.needs is not Need.SESSION)
    codes = frozenset(checks) - {UNKNOWN_FIELD}
    new = frozenset(key_of(each) for list_name in LISTS for each in getattr(more, list_name))
    found: dict[str, FindingResult] = {}
    read = LenientRead(small, faults=[], sources=[], whole=True, has_usable_configuration=True)
    for finding in lint(read, LintOptions(codes, silent=False, proposed=new)).findings:
        if finding.denied is not None:
            found.setdefault(finding.object, finding)
    return found
