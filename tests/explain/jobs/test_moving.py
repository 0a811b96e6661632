"""Pods of other jobs that stand in the way: a fix may be that they begin again elsewhere."""

from __future__ import annotations

from typing import Any

from tests.build import gang, group, manifests, node, owned, pod, queue, workload
from tests.report.writers import as_table
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.jobs.report import explain_job
from vqs.explain.simulate import SimulateOptions
from vqs.report.formats import View


def holding(name: str, on: str, cpu: int, kind: str = "StatefulSet") -> list[Any]:
    """Make a workload of one pod that runs on a node."""
    made = workload(kind, name, 1)
    made["metadata"]["annotations"] = {}
    made["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"] = cpu
    of = f"podgroup-u-{name}"
    running = owned(pod(f"{name}-0", of, cpu, node=on, role=""), kind, name)
    return [made, owned(group(of, 1, "Running"), kind, name), running]


def explained(*objects: Any) -> JobReport:
    """Explain a job of two pods that each need a node of 8 cpu."""
    all_objects = [*(node(name) for name in "abcd"), queue("default"), *gang("job", 2, cpu=8), *objects]
    return explain_job(manifests(all_objects), SimulateOptions(), "ns/job", sessions=None)


def test_pods_that_hold_a_part_of_each_node_begin_again_together() -> None:
    """As few as leave enough nodes are deleted, and that is said; what deletes none comes first."""
    report = explained(*(each for at, name in enumerate("abcd") for each in holding(f"s{at}", name, 4)))
    assert report.fix_search is not None
    fixes = report.fix_search.fixes
    [moved] = [each for each in fixes if each.parameter == "move"]
    assert moved.edits == ["remove pod/ns/s0-0", "remove pod/ns/s1-0"]
    assert moved.commands == ["kubectl delete pod s0-0 s1-0 -n ns"]
    assert (moved.places_all, moved.moved, moved.failing_value, moved.lost) == (True, 2, 1, 0)
    assert fixes[0] is not moved
    text = " ".join(as_table(report, View(all_fixes=True)).split())
    assert "delete pod/ns/s0-0 and pod/ns/s1-0" in text
    assert "deletes 2 pods of other jobs, to be created again" in text


def test_the_node_that_few_pods_have_to_leave_comes_first() -> None:
    """The largest of its pods leave a node first, and no more than have to."""
    full = [each for name in "abc" for part in range(2) for each in holding(f"{name}{part}", name, 3)]
    report = explained(*full, *holding("d", "d", 6))
    assert report.fix_search is not None
    found = [*report.fix_search.fixes, *report.fix_search.ineffective]
    [moved] = [each for each in found if each.parameter == "move"]
    assert moved.edits[0] == "remove pod/ns/d-0"


def test_pods_that_nobody_makes_again_stay() -> None:
    """A pod without a controller is lost once it is deleted."""
    running = [each for name in "abcd" for each in (group(name, 1, "Running"), pod(f"{name}-0", name, 4, node=name))]
    report = explained(*running)
    assert report.fix_search is not None
    assert "move" not in {each.parameter for each in (*report.fix_search.fixes, *report.fix_search.ineffective)}


def test_pods_stay_whose_controller_is_not_there_or_that_a_budget_is_about() -> None:
    """What is not in the snapshot makes no pod again in a session, and a deletion would pass over the budget."""
    held = [each for at, name in enumerate("abcd") for each in holding(f"s{at}", name, 4)]
    for each in held:
        each["metadata"].setdefault("labels", {})["app"] = "s"
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b", "namespace": "ns"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "s"}}},
    }
    for report in (explained(*held, budget), explained(*(each for each in held if each["kind"] != "StatefulSet"))):
        assert report.fix_search is not None
        assert all(each.parameter != "move" for each in report.fix_search.fixes)
