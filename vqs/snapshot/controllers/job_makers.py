"""The Volcano Jobs that CronJobs, JobTemplates and JobFlows stand for, as their controllers would create them.

References: pkg/controllers/cronjob and pkg/controllers/jobflow in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from vqs.model import kubernetes as k8s
from vqs.snapshot.controllers.world import reference
from vqs.snapshot.reading.decoding import decode
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.kinds import key_of
from vqs.snapshot.reading.manifests import Made, Manifests

_BATCH: Final = "batch.volcano.sh/v1alpha1"
_FLOW: Final = "flow.volcano.sh/v1alpha1"
_MINUTE: Final = 60


def next_runs(manifests: Manifests) -> Iterator[Made]:
    """Yield the Job of each CronJob, as if its next run began now."""
    if manifests.profile.schemas.volcano_cron_jobs == "unknown":
        return
    minutes = int(manifests.now.timestamp()) // _MINUTE if manifests.now else 0
    for cron, origin in manifests.with_origins("cron_jobs"):
        template, metadata = cron.spec.job_template, cron.metadata
        made = k8s.ObjectMeta(
            name=f"{metadata.name}-{minutes:08}",
            labels={**template.metadata.labels},
            annotations={**template.metadata.annotations},
            owner_references=[reference(_BATCH, "CronJob", metadata)],
        )
        yield from _job(made, metadata, template.spec, origin.inside("spec", "jobTemplate"))


def template_jobs(manifests: Manifests) -> Iterator[Made]:
    """Yield the Job of each JobTemplate, under its own name: that of a JobFlow comes before it."""
    for template, origin in manifests.with_origins("job_templates"):
        metadata = template.metadata
        made = k8s.ObjectMeta(name=metadata.name, owner_references=[reference(_FLOW, "JobTemplate", metadata)])
        yield from _job(made, metadata, template.spec, origin)


def first_jobs(manifests: Manifests) -> Iterator[Made]:
    """Yield the Jobs that new JobFlows create at once: the controller stops at the first template that is missing."""
    templates = {each.metadata.key: (each, origin) for each, origin in manifests.with_origins("job_templates")}
    for flow in manifests.job_flows:
        metadata = flow.metadata
        for step in () if metadata.uid or key_of(flow) in manifests.stored_without_uid else flow.spec.flows:
            if step.depends_on is not None and step.depends_on.targets:
                continue
            template = templates.get(f"{metadata.namespace}/{step.name}")
            if template is None:
                break
            owners = [reference(_FLOW, "JobFlow", metadata)]
            made = k8s.ObjectMeta(name=f"{metadata.name}-{step.name}", owner_references=owners)
            yield from _job(made, metadata, template[0].spec, template[1])


def _job(made: k8s.ObjectMeta, owner: k8s.ObjectMeta, spec: dict[str, Any], origin: Origin) -> Iterator[Made]:
    """Yield a Job, unless its spec has values of the wrong type, which the API server refuses."""
    typed, errors = decode({"spec": spec}, k8s.VolcanoJob)
    if typed is not None and not errors:
        job = replace(typed, metadata=replace(made, namespace=owner.namespace))
        yield Made(job, origin, f"{made.owner_references[0].kind} {owner.key}")
