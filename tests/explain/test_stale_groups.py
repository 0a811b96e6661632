"""PodGroups without pods that are admitted, and keep resources from a job."""

from __future__ import annotations

from tests.build import CONF, gang, group, manifests, node
from tests.report.writers import as_table
from vqs.explain.jobs.report import explain_job
from vqs.explain.simulate import SimulateOptions
from vqs.report.formats import View


def test_they_are_named_and_deleted() -> None:
    """The answer says how much is kept for them, and as few as are enough are deleted, those first that keep most."""
    stale = [group(f"old-{number}", 1, "Inqueue", minResources={"cpu": 2 + number}) for number in range(3)]
    waits = gang("job", 1, cpu=3, phase="Pending", minResources={"cpu": 3})
    read = manifests([node("n", cpu=8), *stale, *waits], CONF)
    report = explain_job(read, SimulateOptions(), "ns/job", sessions=None)
    assert (
        "; 9 cpu of what they request is kept for 3 PodGroups without pods: ns/old-2, ns/old-1 and ns/old-0"
        in report.answer
    )
    assert report.fix_search is not None
    first = report.fix_search.fixes[0]
    assert first.parameter == "PodGroups without pods"
    assert first.commands == ["kubectl delete podgroup old-2 -n ns"]
    assert (first.from_value, first.to, first.lines) == (3, 2, [])
    text = " ".join(as_table(report, View()).split())
    assert "Fix 1: run kubectl delete podgroup old-2 -n ns" in text
    assert "delete PodGroup ns/old-2 (no pods)" in text


def test_those_whose_pods_are_yet_to_come_are_not_meant() -> None:
    """A PodGroup that has pods keeps what these wait for."""
    waits = gang("job", 1, cpu=4, phase="Pending", minResources={"cpu": 4})
    busy = gang("busy", 1, cpu=8, phase="Inqueue", minResources={"cpu": 8})
    read = manifests([node("n", cpu=8), *busy, *waits], CONF)
    report = explain_job(read, SimulateOptions(), "ns/job", sessions=None)
    assert "without pods" not in report.answer
    assert report.fix_search is not None
    tried = (*report.fix_search.fixes, *report.fix_search.ineffective)
    assert "PodGroups without pods" not in {each.parameter for each in tried}


def test_those_that_a_controller_keeps_up_are_not_meant() -> None:
    """Whatever owns a PodGroup may be about to create its pods; nor does one count that was not admitted before."""
    waits = gang("job", 1, cpu=4, phase="Pending", minResources={"cpu": 4})
    kept = group("ray", 1, "Inqueue", minResources={"cpu": 8})
    kept["metadata"]["ownerReferences"] = [
        {"apiVersion": "ray.io/v1", "kind": "RayCluster", "name": "ray", "uid": "u", "controller": True}
    ]
    new = group("new", 1, "Pending", minResources={"cpu": 2})
    read = manifests([node("n", cpu=8), kept, new, *waits], CONF)
    assert "without pods" not in explain_job(read, SimulateOptions(), "ns/job").answer
