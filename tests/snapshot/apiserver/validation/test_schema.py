"""Fields of objects, and what the custom resource definitions say of their values."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from vqs.releases.profile import profile_of
from vqs.releases.release import Build, Release
from vqs.snapshot.apiserver.validation.schema import KUBERNETES, is_known, unknown_fields, violations, wrong_types
from vqs.snapshot.reading.kinds import KINDS

TEMPLATE: dict[str, Any] = {"spec": {"containers": [{"name": "main"}]}}


def job(**task: object) -> dict[str, Any]:
    """Return a Job with one task."""
    return {"spec": {"tasks": [{"name": "a", "template": TEMPLATE, **task}]}}


@pytest.mark.parametrize(
    ("value", "path", "message"),
    [
        ({"spec": {"tasks": []}}, ("spec", "tasks"), "tasks has fewer than 1 items"),
        (job(replicas=-1), ("spec", "tasks", 0, "replicas"), "replicas -1 is below 0"),
        (job(name="A"), ("spec", "tasks", 0, "name"), "'A' is not valid; expected lower case letters"),
        (job(topologyPolicy="nearest"), ("spec", "tasks", 0, "topologyPolicy"), "nearest does not exist"),
        (job(policies=[{"events": ["Foo"]}]), ("spec", "tasks", 0, "policies", 0, "events", 0), "Foo does not exist"),
        (
            job(partitionPolicy={"partitionSize": 1}),
            ("spec", "tasks", 0, "partitionPolicy", "totalPartitions"),
            "missing",
        ),
        ({"spec": {"queue": "a:b"}}, ("spec", "queue"), "'a:b' is not valid; expected lower case letters"),
        ({"spec": {"volumes": [{"mountPath": "a:b"}]}}, ("spec", "volumes", 0, "mountPath"), "'a:b' has a colon"),
        (
            job(template={"spec": {"containers": [{"name": "c"}, {"name": "c"}]}}),
            ("spec", "tasks", 0, "template", "spec", "containers", 1),
            "containers has name c twice",
        ),
        (
            job(template={"spec": {"containers": [{"name": "c", "ports": [{"containerPort": 1}] * 2}]}}),
            ("spec", "tasks", 0, "template", "spec", "containers", 0, "ports", 1),
            "ports has containerPort 1 twice",
        ),
    ],
)
def test_violations(value: dict[str, Any], path: tuple[str | int, ...], message: str) -> None:
    """A value that the schema does not allow is found where it stands."""
    [(found, text)] = violations(value, "VolcanoJob", KUBERNETES)
    assert found == path
    assert message in text


def test_exactly_one() -> None:
    """A member of a HyperNode is selected in one way."""
    member = {"type": "Node", "selector": {"exactMatch": {"name": "a"}, "regexMatch": {"pattern": "a"}}}
    [(_, text)] = violations({"spec": {"tier": 1, "members": [member]}}, "HyperNode", KUBERNETES)
    assert text == "exactly one of exactMatch, labelMatch, regexMatch has to be given, and there are 2"


def test_what_a_webhook_has_written_anew() -> None:
    """There, an empty text is none, and a missing value is empty; only a missing list stays missing."""
    value = job(topologyPolicy="", template={"spec": {"containers": [{}]}})
    assert not [*violations(value, "VolcanoJob", KUBERNETES, ("spec", "tasks"))]
    assert len([*violations(value, "VolcanoJob", KUBERNETES)]) == 2
    [(path, _)] = violations(job(template={"spec": {}}), "VolcanoJob", KUBERNETES, ("spec", "tasks"))
    assert path[-1] == "containers"


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"spec": {"maxRetry": "3"}}, ("spec", "maxRetry")),
        ({"spec": {"maxRetry": 2**31}}, ("spec", "maxRetry")),
        ({"spec": {"maxRetry": True}}, ("spec", "maxRetry")),
        ({"spec": {"runningEstimate": "5"}}, ("spec", "runningEstimate")),
        ({"spec": {"plugins": {"svc": [1]}}}, ("spec", "plugins", "svc", 0)),
        (job(dependsOn=["a"]), ("spec", "tasks", 0, "dependsOn")),
    ],
)
def test_wrong_types(value: dict[str, Any], path: tuple[str | int, ...]) -> None:
    """A value of a wrong type is found, whether scheduling looks at it or not."""
    assert [found for found, _ in wrong_types(value, "VolcanoJob", KUBERNETES, lenient=False)] == [path]


def test_numbers_as_amounts() -> None:
    """A schema takes whole numbers only; where Go reads amounts, any number is one."""
    queue = {"spec": {"capability": {"cpu": 1.5}}}
    assert [path for path, _ in wrong_types(queue, "Queue", KUBERNETES, lenient=False)] == [
        ("spec", "capability", "cpu")
    ]
    assert not [*wrong_types(queue, "Queue", KUBERNETES, lenient=True)]


def test_unknown_fields() -> None:
    """A field that does not exist is found on every level; of inner metadata, little exists in kinds of Volcano."""
    value = {
        "metadata": {"name": "a", "creationTimestamp": None},
        "spec": {"tasks": [{"template": {"metadata": {"creationTimestamp": None}, "spec": {"container": []}}}]},
    }
    found = [*unknown_fields(value, "VolcanoJob", custom=True, schemas=KUBERNETES)]
    assert [(each.path[-1], each.hint) for each in found] == [
        ("creationTimestamp", ""),
        ("container", "did you mean 'containers'?"),
    ]
    pod_template = {"spec": {"template": {"metadata": {"creationTimestamp": None}}}}
    assert not [*unknown_fields(pod_template, "Deployment", custom=False, schemas=KUBERNETES)]


def test_what_is_read_is_known() -> None:
    """The fields that scheduling looks at are all in the table, for the kinds that it describes."""
    for kind in KINDS.values():
        name = kind.type.__name__
        if is_known(name):
            known: dict[str, Any] = {each.encode_name: {} for each in msgspec.structs.fields(kind.type)}
            assert not [*unknown_fields(known, name, custom=False, schemas=KUBERNETES)]


def test_fields_of_some_releases() -> None:
    """A field is unknown to the releases that do not have it, with what is in it; without a release it is listed."""
    old = profile_of(Build(Release.V1_13)).schemas
    parts = {"networkTopology": {"highestTierName": "rack"}}
    value = {"spec": {"tasks": [{"partitionPolicy": parts}], "networkTopology": {"highestTierName": "rack"}}}
    assert not [*unknown_fields(value, "VolcanoJob", custom=True, schemas=KUBERNETES)]
    found = [each.path[-1] for each in unknown_fields(value, "VolcanoJob", custom=True, schemas=old)]
    assert found == ["partitionPolicy", "highestTierName"]
    listed = [each.when for each in unknown_fields(value, "VolcanoJob", custom=True, schemas=None)]
    assert [each and each.behaviour for each in listed] == ["job_partitions", "tier_name_fields", "tier_name_fields"]


def test_bounds_of_some_releases() -> None:
    """A number is out of bounds only where the schema has any."""
    value = job(maxRetry=-1)
    assert [*violations(value, "VolcanoJob", KUBERNETES)]
    assert not [*violations(value, "VolcanoJob", profile_of(Build(Release.V1_13)).schemas)]
