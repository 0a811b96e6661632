"""Changes of the scheduler's configuration: the actions and their order, and flags of plugins."""

from __future__ import annotations

from typing import Any

from tests.build import CONF, gang, group, manifests, node, pod, queue
from tests.explain.jobs.searching import find_remedies
from vqs.explain.jobs.remedies import FixSearch
from vqs.explain.simulate import SimulateOptions


def edits(objects: list[Any], conf: str = CONF, knob: str = "actions") -> list[str]:
    """Return the edits of the fixes of a kind that help job ns/job, each as one text."""
    found: FixSearch = find_remedies(manifests(objects, conf), SimulateOptions(), "ns/job")
    return ["; ".join(each.edits) for each in found.fixes if each.parameter == knob]


def test_allocate_comes_before_what_reserves_for_nothing() -> None:
    """Where preempt reserves a node that has room already, allocate is put before it."""
    objects = [node("n", cpu=4), gang("job", 1)]
    conf = CONF.replace("enqueue, allocate, backfill", "preempt, allocate, backfill")
    assert edits(objects, conf) == ["conf.actions=allocate, preempt, backfill"]


def test_enqueue_is_left_out() -> None:
    """A job that fits and is not admitted starts without enqueue, and what only answers enqueue is taken out, too."""
    waits = group("other", 1, "Inqueue", queue="b", minResources={"cpu": 100})
    objects = [node("n", cpu=10), queue("b"), waits, *gang("job", 1, phase="Pending", minResources={"cpu": 1})]
    assert "conf.actions=allocate, backfill; conf.tiers[1].plugins.overcommit=null" in edits(objects)
    found = find_remedies(manifests(objects, CONF), SimulateOptions(), "ns/job").fixes
    [command] = next(each.commands for each in found if each.parameter == "actions")
    assert "name: drf" in command
    assert "overcommit" not in command


def test_a_tier_of_the_one_plugin_that_is_taken_out() -> None:
    """The tier stays without plugins, and the command has it so."""
    waits = group("other", 1, "Inqueue", queue="b", minResources={"cpu": 100})
    objects = [node("n", cpu=10), queue("b"), waits, *gang("job", 1, phase="Pending", minResources={"cpu": 1})]
    conf = CONF.replace("  - name: overcommit\n", "").replace("tiers:\n", "tiers:\n- plugins:\n  - name: overcommit\n")
    found = find_remedies(manifests(objects, conf), SimulateOptions(), "ns/job").fixes
    [command] = next(each.commands for each in found if each.parameter == "actions")
    assert "- plugins: []" in command


def test_a_gang_behind_a_newer_job() -> None:
    """Where drf puts a job without a share before a gang that needs one more pod, its order is switched off."""
    stranded = [group("job", 2, "Running"), pod("job-0", "job", 2, node="n"), pod("job-1", "job", 2)]
    objects = [node("n", cpu=4), *stranded, *gang("new", 1, cpu=2, created=1)]
    assert edits(objects, knob="enableJobOrder") == ["conf.tiers[1].plugins.drf.enableJobOrder=false"]


def test_gang_spares_nobody() -> None:
    """Where gang spares the only pods that could go, both of its votes are switched off, and who loses is told."""
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 9}
    runs = [group("runs", 4, "Running"), *(pod(f"runs-{number}", "runs", node="n") for number in range(4))]
    conf = CONF.replace("allocate,", "allocate, preempt,").replace("  - name: drf\n", "")
    objects = [node("n", cpu=4), high, *runs, *gang("job", 1, created=1, priorityClassName="high")]
    [found] = edits(objects, conf, "enablePreemptable and enableReclaimable")
    assert found.count("=false") == 2
    fixes = find_remedies(manifests(objects, conf), SimulateOptions(), "ns/job").fixes
    below = {each.parameter: each.below_minimum for each in fixes}
    assert below["enablePreemptable and enableReclaimable"] == ["ns/runs"]
    assert below["nodes"] == []
