"""Claims on devices that are made for new pods."""

from __future__ import annotations

import pytest

from tests.build import Object, gang, manifests, pod
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.diagnostics import InputErrors

TEMPLATE: Object = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "t", "namespace": "ns"},
    "spec": {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}},
    },
}


def new_pod(name: str, *templates: str) -> Object:
    """Return a pod that no cluster has stored, with a claim from each template."""
    claims = [{"name": f"c{at}", "resourceClaimTemplateName": each} for at, each in enumerate(templates)]
    made = pod(name, "j", spec={"resourceClaims": claims})
    del made["metadata"]["uid"]
    return made


def test_a_new_pod_gets_its_claims() -> None:
    """Each has the spec of its template, is owned by the pod, and is named in its status; twice is the same as once."""
    completed = complete(manifests([TEMPLATE, *gang("other", 1), new_pod("p", "t", "t", "gone")]))
    claims = completed.resource_claims
    assert [each.metadata.name for each in claims] == ["p-c0", "p-c1"]
    assert [each.metadata.labels for each in claims] == [{"a": "b"}] * 2
    assert claims[0].spec.devices.requests[0].name == "r"
    assert claims[0].metadata.owner_references[0].name == "p"
    statuses = completed.pods[-1].status.resource_claim_statuses
    assert [(each.name, each.resource_claim_name) for each in statuses] == [("c0", "p-c0"), ("c1", "p-c1")]
    again = complete(completed)
    assert again.resource_claims == claims
    assert again.pods == completed.pods


def test_a_stored_pod_is_left_as_it_is() -> None:
    """Its controller is about to make the claim, and the scheduler waits for that."""
    stored = pod("p", "j", spec={"resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}]})
    assert complete(manifests([TEMPLATE, stored])).resource_claims == []


def test_no_more_claims_are_made_than_pods() -> None:
    """A stranger's pod may name its template many times."""
    with pytest.raises(InputErrors) as caught:
        complete(manifests([TEMPLATE, *(new_pod(f"p{at}", *["t"] * 600) for at in range(100))]))
    assert "no more than 50,000 pods and claims are created" in caught.value.diagnostics[0].message
