"""What vqs makes of Volcano Jobs is what the real webhook and controller make of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.conformance.reading import BESIDE, Recording, unpacked, without_copies
from tests.lint.cases import linted
from vqs.report.as_manifests import manifests
from vqs.report.formats import Format
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reader import read_manifests

Plain = dict[str, Any]

FIELDS: Final = (
    "minMember",
    "minTaskMember",
    "minResources",
    "queue",
    "priorityClassName",
    "networkTopology",
    "subGroupPolicy",
)
KEYS: Final = ("volcano.sh/task-spec", "volcano.sh/task-index", "volcano.sh/job-name", "volcano.sh/queue-name")
"""The annotations and labels of pods that carry the role, the index, the job and the queue."""

JOBS: Final = without_copies(
    (file, file.with_suffix(".json"))
    for folder in (unpacked("jobs"), BESIDE / "conformance" / "vcjob")
    for file in sorted(folder.glob("*.yaml"))
    if not file.name.startswith("denied-")
)
DENIED: Final = without_copies(
    (file,)
    for files in (unpacked("jobs").glob("denied-*.yaml"), (BESIDE / "conformance" / "vcjob-denied").glob("*.yaml"))
    for file in sorted(files)
)


def described_group(spec: Plain) -> Plain:
    """Return the fields of a PodGroup that the scheduler reads; a number of 0 is the same as none."""
    policies = [{k: v for k, v in each.items() if v != 0} for each in spec.get("subGroupPolicy") or []]
    return {key: spec.get(key) or None for key in FIELDS} | {"subGroupPolicy": policies}


def described_pod(metadata: Plain, spec: Plain) -> Plain:
    """Return what the scheduler reads of a pod."""
    return {
        "schedulerName": spec.get("schedulerName"),
        "priorityClassName": spec.get("priorityClassName") or "",
        "annotations": {key: (metadata.get("annotations") or {}).get(key) for key in KEYS},
        "labels": {key: (metadata.get("labels") or {}).get(key) for key in KEYS},
        "requests": [(each.get("resources") or {}).get("requests") or {} for each in spec["containers"]],
    }


def made(items: list[Plain], kind: str) -> Iterator[tuple[str, Plain, Plain]]:
    """Yield the objects of a kind that vqs makes: namespace and name, metadata and spec."""
    for item in items:
        if item["kind"] == kind:
            metadata = item["metadata"]
            yield f"{metadata.get('namespace', 'default')}/{metadata['name']}", metadata, item["spec"]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job[0].stem)
def test_a_job_is_expanded(job: Recording) -> None:
    """Its PodGroup and its pods are those that the controller made, once the webhook had filled it in."""
    file, outcome = job
    recorded = json.loads(outcome.read_text(encoding="utf-8"))
    ours = json.loads(manifests(complete(read_manifests([str(file)])), Format.JSON))["items"]
    groups = [described_group(spec) for _, _, spec in made(ours, "PodGroup")]
    assert groups == [described_group(each["podGroup"]["spec"]) for each in recorded]
    pods = {name: described_pod(metadata, spec) for name, metadata, spec in made(ours, "Pod")}
    assert pods == {
        f"{each['job'].partition('/')[0]}/{pod['name']}": described_pod(pod, pod)
        for each in recorded
        for pod in each["pods"]
    }


@pytest.mark.parametrize("job", DENIED, ids=lambda job: job[0].stem)
def test_a_job_that_the_webhook_denies_is_refused(job: Recording) -> None:
    """It is an error with a place, and an error of lint."""
    [file] = map(str, job)
    with pytest.raises(InputErrors) as caught:
        read_manifests([file])
    assert [(error.code, error.line > 0) for error in caught.value.diagnostics] == [("job-denied", True)]
    findings = linted([file], None, {"job-denied"}).findings
    assert {(finding.code, finding.severity) for finding in findings} == {("job-denied", "error")}
