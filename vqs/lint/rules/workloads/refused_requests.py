"""Requests that the API server refuses."""

from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Final

from vqs.lint.amounts import is_scheduled, words
from vqs.lint.pod_sources import PodSource, and_others, families, submitted
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.model.quantity import QuantityError, parse
from vqs.model.resource import CPU, EPHEMERAL_STORAGE, MEMORY
from vqs.snapshot.apiserver.queue_sums import exact
from vqs.snapshot.reading.diagnostics import Path

_PAGES: Final = "hugepages-"


def check(context: LintContext) -> Findings:
    """Find what cannot be requested, or not like that, in pods that no API server has seen."""
    sources = (source for source, _ in submitted(context))
    for source, number in families(
        sources, lambda each: repr([c.resources for c in (*each.spec.containers, *each.spec.init_containers)])
    ):
        for key, containers in (
            ("containers", source.spec.containers),
            ("initContainers", source.spec.init_containers),
        ):
            for index, container in enumerate(containers):
                path: Path = ("spec", key, index, "resources")
                what = f"container {container.name or index} of {and_others(source.what, number)}"
                for finding in _judge(what, container.resources, source, path):
                    yield replace(finding, denied=source.judge)


def _judge(what: str, resources: k8s.ResourceRequirements, source: PodSource, path: Path) -> Findings:
    requests, limits = exact(resources.requests), exact(resources.limits)
    for name, amount in requests.items():
        limit = limits.get(name)
        at = source.at(*path, "requests", name)
        wrong = _fault(name, amount)
        is_exclusive = _is_device(name) or name.startswith(_PAGES)
        if wrong:
            yield Finding(f"{what} requests {wrong}", at)
        elif limit is not None and (amount != limit if is_exclusive else amount > limit):
            evidence = Evidence(f"the limit is {words(name, limit)}", source.at(*path, "limits", name))
            message = f"{what} requests {words(name, amount)}, and is limited to {words(name, limit)}"
            yield Finding(message, at, (evidence,))
        elif limit is None and is_exclusive:
            yield Finding(f"{what} requests {words(name, amount)} without a limit, which has to equal the request", at)
    for name, limit in limits.items():
        wrong = _fault(name, limit)
        if wrong and name not in requests:
            yield Finding(f"{what} is limited to {wrong}", source.at(*path, "limits", name))
    pages = next((name for name in limits if name.startswith(_PAGES)), "")
    if pages and not {CPU, MEMORY} & {*requests, *limits}:
        yield Finding(f"{what} has {pages}, but neither cpu nor memory", source.at(*path, "limits", pages))


def _fault(name: str, amount: Fraction) -> str:
    """Say what is wrong with an amount of a resource by itself; of an unknown one, unknown-resource-requested does."""
    if amount and not is_scheduled(name):
        return ""
    if "/" not in name:
        if name not in (CPU, MEMORY, EPHEMERAL_STORAGE) and not name.startswith(_PAGES):
            return f"{name}, which containers cannot request"
        size = _page_size(name)
        return (
            f"{words(name, amount)}, which is not a multiple of the page size" if size and ceil(amount) % size else ""
        )
    if not is_scheduled(name) and not name.startswith("count/"):
        return f"{name}, which cannot be the name of a device"
    return f"{words(name, amount)}, which has to be a whole number" if _is_device(name) and amount % 1 else ""


def _page_size(name: str) -> Fraction | None:
    """The size of the pages that a resource stands for, if it does and the size can be read."""
    try:
        return parse(name.removeprefix(_PAGES)) if name.startswith(_PAGES) else None
    except QuantityError:
        return None


def _is_device(name: str) -> bool:
    return "/" in name and "kubernetes.io/" not in name and is_scheduled(name)


RULE = Rule(
    code="refused-requests",
    severity=Severity.ERROR,
    title="the API server refuses the requests of a container",
    meaning="A request is above its limit; a device, such as nvidia.com/gpu, is requested as a fraction; the request "
    "and the limit of a device or of hugepages differ; hugepages are not a multiple of the page size, or are requested "
    "without cpu and memory; or containers cannot request the resource, such as pods, storage or requests.cpu.",
    why="Kubernetes only assigns whole devices and pages and requires request and limit to be equal; a limit alone "
    "counts for both. A resource without a slash in its name has to be one that Kubernetes knows. The API server "
    "refuses the pod, and Volcano's webhook refuses a Job with such a template.",
    fix="Lower the request or raise the limit; for devices, write only the limit, as a whole number; write the full "
    "name of the resource.",
    source="pkg/webhooks/admission/jobs/validate/admit_job.go; k8s.io/kubernetes pkg/apis/core/validation/"
    "validation.go (ValidateContainerResourceRequirements)",
    check=check,
    example="limits: {nvidia.com/gpu: 0.5}",
)
