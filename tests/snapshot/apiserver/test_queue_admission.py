"""What the webhook for queues lets in of a change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.build import manifests, queue
from tests.diff.sides import with_edits
from tests.steps import steps_of
from vqs.model.kubernetes import Queue
from vqs.releases.profile import DEFAULT_PROFILE, ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.snapshot.apiserver.admission import assumed
from vqs.snapshot.apiserver.queue_admission import denied_queues, queue_denials
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.whatif.edits import parse_edits

TEAM = queue("team", deserved={"cpu": 4}, guarantee={"resource": {"cpu": 2}}, capability={"cpu": 6})
CHILD = queue("a", parent="team", deserved={"cpu": 2})
STORED = [TEAM, CHILD]
WEBHOOK = DEFAULT_PROFILE.webhooks
ROOT_AND_DEFAULT = [queue("root"), queue("default")]


def queues(objects: Sequence[dict[str, Any]]) -> list[Queue]:
    """Read queues."""
    return manifests([*objects]).queues


def denied(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return which queues are denied, and by which rule."""
    return [(each.name, each.fault.code) for each in denied_queues(queues(before), queues(after), WEBHOOK)]


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        ("remove queue/default", "queue-deletion-denied"),
        ("remove queue/root", "queue-deletion-denied"),
        ("remove queue/team", "queue-deletion-denied"),
        ("queue/a.spec.parent=nowhere", "parent-missing"),
        ("queue/a.spec.parent=a", "parent-itself"),
        ("queue/a.spec.deserved.cpu=5", "children-deserved-above-parent"),
        ("queue/a.spec.deserved={'nvidia.com/gpu': 0}", "children-deserved-above-parent"),
        ("queue/a.spec.capability.cpu=7", "capability-above-ancestor"),
        ("queue/team.spec.capability.cpu=1", "deserved-above-capability"),
        ("queue/team.spec.deserved.cpu=1", "guarantee-above-deserved"),
        ("queue/team.spec.guarantee.resource.memory=1Gi", "guarantee-without-deserved"),
        ("queue/team.spec.deserved={cpu: 2}", ""),
        ("queue/a.spec.deserved={cpu: 4}", ""),
        ("queue/team.spec.deserved={}", "guarantee-without-deserved"),
        ("queue/root.spec.capability.cpu=8", "root-queue-changed"),
        ("queue/a.spec.capability={pods: 1500m}", "fractional-queue-resource"),
        ("queue/a.spec.guarantee={resource: {cpu: 2}}", ""),
        ("queue/a.spec.weight=7", ""),
        ("queue/a.metadata.annotations[volcano.sh/hierarchy]=root/a", "invalid-hierarchy-annotations"),
        ("remove queue/a", ""),
    ],
)
def test_one_change(edit: str, code: str) -> None:
    """A queue is judged by itself, by where it is to be, and by what others are promised, rule by rule."""
    snapshot = manifests([*ROOT_AND_DEFAULT, *STORED])
    edits, changed = parse_edits([edit], snapshot)
    found = queue_denials(snapshot, changed, edits)
    assert [each.diagnostic.code for each in found] == ([code] if code else [])
    assert all(each.diagnostic.message.startswith(f"{edits[0]}: Volcano's webhook denies") for each in found)


@pytest.mark.parametrize(
    ("edit", "codes"),
    [
        ("queue/a.spec.parent=a", ["", "parent-itself", "parent-itself"]),
        ("queue/a.spec.deserved.cpu=5", ["", "children-deserved-above-parent", "children-deserved-above-parent"]),
        ("queue/a.spec.guarantee.resource.cpu=3", ["guarantee-above-deserved"] * 3),
        ("queue/a.spec.capability.cpu=7", ["", "capability-above-ancestor", "capability-above-ancestor"]),
        ("queue/a.spec.capability={cpu: 2, memory: 1Gi}", ["", "capability-above-ancestor", ""]),
        ("queue/team.spec.deserved={cpu: 4, memory: 1Gi}", ["deserved-above-capability"] * 2 + [""]),
        ("queue/team.spec.deserved={}", ["", "guarantee-without-deserved", "guarantee-without-deserved"]),
        ("queue/root.spec.capability.cpu=8", ["", "", "root-queue-changed"]),
        (
            "queue/a.spec.capability={cpu: 2, pods: 1500m}",
            ["", "fractional-queue-resource", "fractional-queue-resource"],
        ),
    ],
)
def test_one_change_by_release(edit: str, codes: list[str]) -> None:
    """What 1.13, 1.14.0 and 1.14 deny of a change differs."""
    for release, code in zip([Release.V1_13, Release.V1_14_0, Release.V1_14], codes, strict=True):
        snapshot = manifests([*ROOT_AND_DEFAULT, *STORED])
        snapshot.release = ReleaseChoice(Build(release))
        edits, changed = parse_edits([edit], snapshot)
        assert [each.diagnostic.code for each in queue_denials(snapshot, changed, edits)] == ([code] if code else [])


def test_what_is_stored_is_not_judged() -> None:
    """A queue that would be denied today stays, and so do changes of others; a change of it is denied."""
    odd = queue("odd", guarantee={"resource": {"cpu": 1}})
    assert denied([odd, TEAM], [odd, queue("team", 3)]) == []
    assert denied([odd], [queue("odd", 3, guarantee={"resource": {"cpu": 1}})]) == [
        ("odd", "guarantee-without-deserved")
    ]


ODD = queue("odd", guarantee={"resource": {"cpu": 1}})


def odd(**metadata: Any) -> dict[str, Any]:
    """Make a queue that would not be let in, with some metadata."""
    return {**ODD, "metadata": {**ODD["metadata"], **metadata}}


@pytest.mark.parametrize(
    "update",
    [
        odd(labels={"team": "a"}),
        odd(annotations={"example.com/owner": "me"}),
        queue("odd", guarantee={"resource": {"cpu": "1000m"}}),
        queue("odd", guarantee={"resource": {"cpu": 1}}, parent="root"),
    ],
)
def test_every_update_is_judged(update: dict[str, Any]) -> None:
    """A queue is validated whatever is updated, also where that means nothing to the scheduler."""
    assert denied([ODD], [update]) == [("odd", "guarantee-without-deserved")]
    assert denied([update], [ODD]) == [("odd", "guarantee-without-deserved")]


@pytest.mark.parametrize(
    ("stored", "wanted"),
    [
        (ODD, queue("odd", guarantee={"resource": {"cpu": 1}}, reclaimable=True)),
        (ODD, {**ODD, "status": {"state": "Open", "running": 3}}),
        (ODD, odd(uid="u", creationTimestamp="2026-01-01T00:00:00Z", resourceVersion="7", generation=2)),
        (ODD, odd(annotations={"kubectl.kubernetes.io/last-applied-configuration": "{}"})),
        (odd(uid="u", labels={"kept-by": "others"}), ODD),
    ],
)
def test_what_the_cluster_keeps_is_no_update(stored: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Status, defaults, and what the API server, kubectl and others write of a queue are not up to a manifest."""
    assert denied([stored], [wanted]) == []


def test_a_root_that_is_named() -> None:
    """A queue that names the root where it did not is compared with its children anew."""
    low, child = queue("low", deserved={"cpu": 1}), queue("child", parent="low", deserved={"cpu": 2})
    named = queue("low", deserved={"cpu": 1}, parent="root")
    assert denied([low, child], [named, child]) == [("low", "children-deserved-above-parent")]


@pytest.mark.parametrize(
    ("state", "found"),
    [
        ("Closing", [("a", "queue-state-unsettled")]),
        ("Unknown", [("a", "queue-state-unsettled")]),
        ("Closed", []),
        ("Open", []),
        ("", []),
    ],
)
def test_a_state_in_between(state: str, found: list[tuple[str, str]]) -> None:
    """No update of a queue that is closing is let in, whatever state the update writes; deleting it is."""
    stored = {**queue("a"), "status": {"state": state}}
    assert denied([stored], [queue("a", 3)]) == found
    assert denied([stored], [{**queue("a", 3), "status": {"state": "Open"}}]) == found
    assert denied([], [stored]) == denied([stored], []) == []


def sketched(folder: Path, queue: str) -> Manifests:
    """Return a snapshot that a scenario tells of in short, with a queue."""
    path = folder / "sketch.yaml"
    path.write_text(
        f"apiVersion: vqs/v1\nkind: Scenario\nnodes:\n  - {{cpu: 4}}\nqueues:\n  - {queue}\n", encoding="utf-8"
    )
    return read_manifests([str(path)])


def test_a_state_in_a_sketch(tmp_path: Path) -> None:
    """A scenario leaves no state out for short."""
    sketch = sketched(tmp_path, "{name: a, state: Closing}")
    [found] = queue_denials(sketch, with_edits(sketch, "queue/a.spec.weight=3"))
    assert found.diagnostic.code == "queue-state-unsettled"
    assert queue_denials(sketch, with_edits(sketch, "queue/a.status.state=Open")) == []


def test_files_may_come_in_any_order() -> None:
    """What is denied at first is tried again: children before their parents, more for a child before its parent."""
    line = [queue("c", parent="b"), queue("b", parent="a"), queue("a")]
    assert denied([], line) == []
    assert denied(line, []) == []
    more = [queue("a", parent="team", deserved={"cpu": 9}), queue("team", deserved={"cpu": 9})]
    assert denied(STORED, more) == []
    assert denied(more, STORED) == []


def test_room_comes_from_what_goes() -> None:
    """A child may take what a deleted one, or one that moves, leaves."""
    full = [TEAM, queue("a", parent="team", deserved={"cpu": 4})]
    assert denied(full, [TEAM, queue("b", parent="team", deserved={"cpu": 4})]) == []
    moved = queue("a", deserved={"cpu": 4})
    assert denied(full, [TEAM, queue("b", parent="team", deserved={"cpu": 4}), moved]) == []


def test_depth() -> None:
    """Five levels are let in below the root, and the sixth is not."""
    line = [queue(f"q{level}", parent=f"q{level - 1}" if level else "") for level in range(7)]
    assert denied([], line) == [("q5", "queue-too-deep"), ("q6", "parent-missing")]
    assert denied(line, [*line[:6], queue("q6", 2, parent="q5")]) == []


def test_a_circle() -> None:
    """An update that closes a circle is let in, a queue below it is not, and nor are queues that are made in one."""
    top, low = queue("top"), queue("low", parent="top")
    circle = [queue("top", parent="low"), low]
    assert denied([top, low], circle) == []
    assert denied(circle, [*circle, queue("new", parent="low")]) == [("new", "queue-too-deep")]
    assert denied([], circle) == [("top", "parent-missing"), ("low", "parent-missing")]


def test_a_parent_that_holds_pods() -> None:
    """A queue with pods gets no first child, and gets a second one."""
    busy = {**queue("busy"), "status": {"state": "Open", "allocated": {"pods": 3}}}
    assert denied([busy], [busy, queue("a", parent="busy")]) == [("a", "parent-holds-pods")]
    claims_to_be_free = queue("busy", 2)
    assert denied([busy], [claims_to_be_free, queue("a", parent="busy")]) == [("a", "parent-holds-pods")]
    child = queue("a", parent="busy")
    assert denied([busy, child], [busy, child, queue("b", parent="busy")]) == []


def test_capabilities_along_a_line() -> None:
    """The nearest queue above with a capability counts, and the nearest ones below; the root does not."""
    top, middle = queue("top", capability={"cpu": 4}), queue("middle", parent="top")
    low = queue("low", parent="middle", capability={"cpu": 5})
    assert denied([top, middle], [top, middle, low]) == [("low", "capability-above-ancestor")]
    assert denied([middle, low, queue("top")], [middle, low, top]) == [("top", "capability-above-ancestor")]
    limited_root = queue("root", capability={"cpu": 1})
    assert denied([limited_root], [limited_root, queue("a", capability={"cpu": 2})]) == []


def test_paths_in_the_hierarchy() -> None:
    """A path may not lead to where others pass through; a new one begins at the root."""

    def at(name: str, path: str, weights: str) -> dict[str, Any]:
        made = queue(name)
        made["metadata"]["annotations"] = {"volcano.sh/hierarchy": path, "volcano.sh/hierarchy-weights": weights}
        return made

    deep = at("deep", "root/eng/dev", "1/1/1")
    assert denied([deep], [deep, at("eng", "eng", "1")]) == [("eng", "conflicting-hierarchies")]
    assert denied([deep], [deep, at("en", "root/en", "1/1")]) == []
    assert denied([deep], [at("deep", "root/eng", "1/1")]) == []
    assert denied([], [at("a", "root/a", "1/x")]) == [("a", "invalid-hierarchy-annotations")]


def test_the_place() -> None:
    """A denial names the field in the file, and the queue that is deleted where it stood."""
    before, after = manifests(STORED), manifests([TEAM, queue("a", parent="nowhere")])
    [found] = queue_denials(before, after)
    assert (found.queue, found.diagnostic.file, found.diagnostic.path) == ("a", "<stdin>", "$.items[2].spec.parent")
    [gone] = queue_denials(before, with_edits(manifests([CHILD]), "queue/a.spec.parent=team"))
    assert (gone.queue, gone.diagnostic.line) == ("team", 1)
    remark = assumed(found.diagnostic)
    assert remark.severity == "warning"
    assert "would deny this change" in remark.message


def test_a_sketch_leaves_things_out(tmp_path: Path) -> None:
    """What a scenario leaves out of a queue does not keep one from changing it; what the change brings about does."""
    sketch = sketched(tmp_path, "{name: a, guarantee: {cpu: 1}}")
    assert queue_denials(sketch, with_edits(sketch, "queue/a.spec.weight=3")) == []
    [found] = queue_denials(sketch, with_edits(sketch, "queue/a.spec.guarantee.resource.cpu=2"))
    assert found.diagnostic.code == "guarantee-without-deserved"


def test_work_is_linear() -> None:
    """Twice the queues are about twice the work, also where all of them are siblings in the wrong order."""

    def work(number: int) -> int:
        wanted = queues([*(queue(f"c{at}", parent="p", deserved={"cpu": 1}) for at in range(number)), queue("p")])
        return steps_of(lambda: denied_queues([], wanted, WEBHOOK))

    assert work(200) < 2.5 * work(100)


def test_work_is_linear_in_depth() -> None:
    """A line of queues that is stored is compared level by level, but not with all levels."""

    def work(number: int) -> int:
        line = [queue(f"q{at}", parent=f"q{at - 1}" if at else "") for at in range(number)]
        limits = [{f"example.com/r{at % 3}": 5} for at in range(number)]
        limited = [{**each, "spec": {**each["spec"], "capability": limits[at]}} for at, each in enumerate(line)]
        stored, wanted = queues(line), queues(limited)
        assert denied_queues(stored, wanted, WEBHOOK) == []
        return steps_of(lambda: denied_queues(stored, wanted, WEBHOOK))

    few, more, most = work(25), work(50), work(100)
    assert most - more < 3.5 * (more - few)


@pytest.mark.parametrize(("state", "found"), [("Open", []), ("Closed", []), ("Closing", ["queue-state-unsettled"])])
def test_opened_and_changed(state: str, found: list[str]) -> None:
    """A queue that is closing can be opened, or be closed, in a step of its own, and be changed after that."""
    snapshot = manifests([{**queue("a"), "status": {"state": "Closing"}}])
    edits, changed = parse_edits(["queue/a.spec.weight=7", f"queue/a.status.state={state}"], snapshot)
    assert [each.diagnostic.code for each in queue_denials(snapshot, changed, edits)] == found


@pytest.mark.parametrize(
    ("stored", "wanted", "found"),
    [
        ({}, {"capability": {}}, True),
        ({}, {"deserved": {}}, True),
        ({"capability": {}}, {}, True),
        ({"capability": {}}, {"capability": {}}, False),
        ({"guarantee": {}}, {}, False),
    ],
)
def test_nothing_in_braces(stored: dict[str, Any], wanted: dict[str, Any], *, found: bool) -> None:
    """To write that there is nothing in a field, or not to write it any more, is an update, which is judged."""
    faulty = {"guarantee": {"resource": {"cpu": 1}}} if "guarantee" not in stored else {"capability": {"cpu": -1}}
    before, after = queue("a", **faulty, **stored), queue("a", **{**faulty, **stored, **wanted})
    if not wanted:
        after = queue("a", **faulty)
    assert bool(denied([before], [after])) is found
    kept = {**before, "metadata": {**before["metadata"], "uid": "u"}}
    assert bool(denied([kept], [after])) is (found and bool(wanted))
