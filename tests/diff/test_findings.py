"""Findings of `vqs lint` that only one side has."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.build import CONF, gang, manifests, node, pod, queue
from tests.diff.mirror import plain
from tests.diff.sides import read_documents, with_edits
from tests.diff.test_pull_requests import REQUESTS
from tests.kubectl_dumps import cluster, uid_of, volcano_job
from vqs.diff.compare import DiffOptions, compare
from vqs.diff.findings import finding_differences, findings, lint_differences, makers
from vqs.diff.outcome import LintDifference
from vqs.diff.run import Input
from vqs.lint.outcome import FindingResult
from vqs.lint.run import LintOptions
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.whatif.overlay import overlay

NODES = [node("n1"), node("n2")]
PRIORITY = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "high"},
    "value": 5,
}
TEXT = "queue q-1 deserves 4 cpu"


def changes(before: Manifests, after: Manifests) -> Sequence[tuple[str, str, str]]:
    """Return which findings only one side has, and see that swapping the sides mirrors that."""
    there, back = (
        finding_differences(before, after, None).differences,
        finding_differences(after, before, None).differences,
    )
    opposite = {"new": "gone", "gone": "new"}
    found = sorted((each.change, each.finding.object, each.finding.message) for each in there)
    assert sorted((opposite[each.change], each.finding.object, each.finding.message) for each in back) == found
    return found


def finding(message: str, about: str = "Queue q-1", line: int = 1) -> FindingResult:
    """Make a finding."""
    return FindingResult(
        code="c", severity="warning", message=message, file="a.yaml", line=line, object=about, fingerprint=""
    )


def told(before: Sequence[FindingResult], after: Sequence[FindingResult]) -> list[tuple[str, int]]:
    """Return which of some findings only one side has, by their lines."""
    return [(each.change, each.finding.line or 0) for each in lint_differences(before, after, {})]


def test_names_that_differ_in_a_digit() -> None:
    """A second plugin that does not exist is a new finding, whatever the first one is called."""
    one = CONF.replace("  - name: binpack\n", "  - name: foo1\n")
    both = CONF.replace("  - name: binpack\n", "  - name: foo1\n  - name: foo2\n")
    found = changes(manifests(NODES, one), manifests(NODES, both))
    assert [(change, message.split(",")[0]) for change, _, message in found] == [("new", "Volcano has no plugin foo2")]


@pytest.mark.parametrize(
    "message",
    [
        "queue q-1 deserves 8 cpu",
        "queue q-1 deserves 0.25 cpu",
        "queue q-1 deserves -2e+06 cpu",
        "queue q-1 deserves 16Gi cpu",
        "queue q-1 deserves 40% cpu",
        "queue q-1 deserves 1m30s cpu",
        "queue q-1 deserves 7 cpus",
        "queue q-1 deserves no cpu",
        "cpu: 3 queue q-1 deserves.",
    ],
)
def test_figures_are_no_difference(message: str) -> None:
    """Amounts, counts and percentages may change, and words may stand in another order."""
    assert told([finding(TEXT)], [finding(message)]) == []


@pytest.mark.parametrize(
    "message",
    [
        "queue q-2 deserves 4 cpu",
        "queue q1 deserves 4 cpu",
        "queue 10.0.0.1 deserves 4 cpu",
        "queue q-1 deserves 4 gpu2",
        "queue q-1 deserves 4 hugepages-2Mi",
    ],
)
def test_digits_in_names_are_a_difference(message: str) -> None:
    """A number that is part of a name tells two findings apart."""
    assert told([finding(TEXT)], [finding(message)]) == [("new", 1), ("gone", 1)]


def test_two_findings_of_one_kind() -> None:
    """A second finding that says the same counts, rather the one whose figures are new."""
    other = finding("queue q-1 deserves 8 cpu", line=2)
    assert told([finding(TEXT, line=3)], [finding(TEXT), other]) == [("new", 2)]
    assert told([finding(TEXT), other], [finding(TEXT, line=3)]) == [("gone", 2)]
    assert told([other], [other, other, other]) == [("new", 2), ("new", 2)]


def test_pods_that_are_alike() -> None:
    """Which of the pods of a gang is named is no difference, nor is how many there are."""
    pods = gang("train", 4, 1, cpu=999)
    assert changes(manifests([*NODES, *pods]), manifests([*NODES, pods[0], *pods[2:4]])) == []
    assert changes(manifests([*NODES, *pods]), manifests([*NODES, *pods[:2]])) == []


def test_pods_that_are_written_differently() -> None:
    """Pods of a gang whose requests stand in another order are no more findings than those that are alike."""
    alike = [*gang("train", 0, 1), *(pod(name, "train", spec={"nodeSelector": {"disk": "x"}}) for name in ("a", "b"))]
    other = copy.deepcopy(alike)
    resources = other[-1]["spec"]["containers"][0]["resources"]
    resources["requests"] = dict(reversed(resources["requests"].items()))
    assert changes(manifests([*NODES, *alike]), manifests([*NODES, *other])) == []


def test_a_job_that_is_created_again() -> None:
    """What is wrong with its PodGroup is no news, though the PodGroup has another name; that of another job is."""

    def side(name: str, uid: str) -> Manifests:
        return read_documents(cluster(volcano_job(name, namespace="ml", cpu=5, pods=4, uid=uid_of(uid))))

    before = side("train", "first")
    assert any(each[1].startswith("PodGroup") for each in changes(before, side("other", "second")))
    assert changes(before, side("train", "second")) == []


def test_another_role() -> None:
    """What is wrong with another role of a gang is another finding."""
    worker, server = (pod(role, "train", role=role, requests={"gpu": 1}) for role in ("worker", "server"))
    groups = gang("train", 0, 1)
    found = changes(manifests([*NODES, *groups, worker]), manifests([*NODES, *groups, worker, server]))
    assert {about for change, about, _ in found if change == "new"} == {"Pod ns/server"}


def test_pods_of_a_deployment() -> None:
    """Pods that a Deployment creates again from a changed template count as the same pods."""
    sides = []
    for name in ("web-5d4f8", "web-7b9c2"):
        made = pod(f"{name}-x2x4z", spec={"priorityClassName": "none"})
        made["metadata"]["ownerReferences"] = [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": name, "controller": True}
        ]
        sides.append(manifests([*NODES, PRIORITY, made]))
    assert changes(*sides) == []


def test_pods_of_their_own() -> None:
    """Pods that nobody made are two things, however much their names resemble each other."""
    one, other = (pod(name, cpu=999) for name in ("web-a-1", "web-b-1"))
    found = changes(manifests([*NODES, one]), manifests([*NODES, other]))
    assert {(change, about) for change, about, _ in found} == {("new", "Pod ns/web-b-1"), ("gone", "Pod ns/web-a-1")}


def test_a_configuration_that_moves(tmp_path: Path) -> None:
    """A configuration in a ConfigMap has the faults that it has in a file."""
    conf = tmp_path / "volcano-scheduler.conf"
    conf.write_text(CONF.replace("  - name: binpack\n", "  - name: foo1\n    enableFoo: true\n"), encoding="utf-8")
    cluster = tmp_path / "cluster.json"
    cluster.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": NODES}), encoding="utf-8")
    before = manifests(NODES, conf.read_text(encoding="utf-8"))
    assert changes(before, read_manifests([str(cluster)], str(conf))) == []


@pytest.mark.parametrize("spec", [{"parent": "team"}, {"deserved": {"cpu": 1}}])
def test_one_more_of_many(spec: dict[str, Any]) -> None:
    """A queue that is added to others with the same fault is one new finding, wherever it stands."""
    team, one, other = queue("team"), queue("m", **spec), queue("a", **spec)
    before = manifests([*NODES, team, one])
    for objects in ([other, team, one], [team, one, other]):
        found = changes(before, manifests([*NODES, *objects]))
        assert [(change, about) for change, about, _ in found] == [("new", "Queue a")]
    assert changes(manifests([team, one, other]), manifests([other, one, team])) == []


FAULTY = [
    *NODES,
    queue("team"),
    queue("dev", parent="team", deserved={"cpu": 4}),
    queue("prod", parent="nobody", capability={"cpu": 0}),
    *gang("train", 3, queue="team", cpu=999, requests={"x.com/a": 1}),
    *gang("etl", 3, queue="dev", requests={"gpu": 1}),
    *(pod(name, "missing") for name in ("lost-1", "lost-2")),
    pod("gone", node="n9"),
]
CAPACITY = CONF.replace("  - name: proportion\n", "  - name: capacity\n    enableHierarchy: true\n")
EDITS = {
    "weight": ["queue/team.spec.weight=7"],
    "child": ["queue/team.spec.parent=dev", "queue/team.spec.capability.cpu=1"],
    "node": ["node/n1.spec.unschedulable=true"],
    "resource": ['node/n1.status.allocatable={"cpu": 999999, "memory": "1Ti", "pods": 9, "x.com/a": 9}'],
    "group": ["podgroup/ns/etl.spec.minMember=9", "podgroup/ns/etl.spec.queue=nowhere"],
    "actions": ["conf.actions=allocate"],
}


def whole(before: Manifests, after: Manifests) -> list[LintDifference]:
    """Return which findings only one side has, where every rule looks at both."""
    one, other = ([each for each in findings(side, LintOptions()) if not each.silenced] for side in (before, after))
    return lint_differences(one, other, makers((*before.pods, *after.pods)))


@pytest.mark.parametrize("request_", sorted(REQUESTS.iterdir()), ids=lambda path: path.name)
def test_pull_requests_as_with_two_whole_runs(request_: Path) -> None:
    """Rules that need not look would have found nothing that only one side has."""
    cluster = read_manifests([str(request_ / "cluster.yaml")])
    before, after = (overlay(cluster, _read(request_ / name)) for name in ("base", "candidate"))
    assert finding_differences(before, after, None).differences == whole(before, after)


def _read(folder: Path) -> Manifests:
    conf = next(folder.glob("*.conf"), None)
    paths = [str(path) for path in sorted(folder.glob("*.yaml"))]
    return read_manifests(paths, str(conf) if conf else None, may_be_empty=True)


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("conf", [CONF, CAPACITY], ids=["flat", "hierarchy"])
def test_edits_as_with_two_whole_runs(edits: list[str], conf: str) -> None:
    """What an edit changes is found by all rules that could find it."""
    before = manifests(FAULTY, conf)
    after = with_edits(before, *edits)
    assert finding_differences(before, after, None).differences == whole(before, after)
    assert finding_differences(after, before, None).differences == whole(after, before)


@pytest.mark.parametrize("silenced", ["workload-on-unknown-queue", "*"])
def test_silences_as_with_two_whole_runs(silenced: str) -> None:
    """An annotation that silences what a rule finds that need not look is no more unused than it was."""
    objects = [*FAULTY, queue("quiet", parent="nowhere")]
    objects[-1]["metadata"]["annotations"] = {"vqs.volcano.sh/ignore": f"{silenced}: known"}
    before = manifests(objects)
    after = with_edits(before, "queue/quiet.spec.parent=team")
    assert finding_differences(before, after, None).differences == whole(before, after)


def test_a_hierarchy_that_is_switched_on() -> None:
    """Objects that stay the same may have faults under another configuration: a gang on a queue with children."""
    before = manifests(FAULTY)
    after = with_edits(before)
    after.configuration = manifests([], CAPACITY).configuration
    codes = {each.finding.code for each in finding_differences(before, after, None).differences}
    assert "workload-on-parent-queue" in codes
    assert finding_differences(before, after, None).differences == whole(before, after)


def test_the_same_objects_need_no_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where both sides have the same objects and the same configuration, no rule looks."""
    one, other = manifests(FAULTY), manifests(FAULTY)
    same = with_edits(one)
    same.configuration = other.configuration

    def look(*_: object) -> None:
        raise AssertionError("a session is opened")

    monkeypatch.setattr("vqs.lint.rule.LintContext.session", property(look))
    assert finding_differences(one, same, None).differences == []


def test_objects_of_both_sides_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of objects that have yet to be made, only those are judged that are not the same on both sides."""
    version = "scheduling.volcano.sh/v1beta1"
    queues = [{"apiVersion": version, "kind": "Queue", "metadata": {"name": name}, "spec": {}} for name in "ab"]
    before = manifests([*FAULTY, *queues])
    after = with_edits(before, "queue/b.spec.weight=2")
    judged = []

    def judge(value: dict[str, Any], *_: object, **__: object) -> list[object]:
        judged.append(value["metadata"]["name"])
        return []

    monkeypatch.setattr("vqs.lint.rules.cluster.refused_by_schema.wrong_types", judge)
    finding_differences(before, after, None)
    assert set(judged) == {"b"}


@pytest.mark.parametrize("conf", [CONF, CAPACITY], ids=["flat", "hierarchy"])
def test_lint_leaves_sessions_alone(conf: str) -> None:
    """In the sessions that are run lint finds what it finds in its own, and changes nothing."""
    before = manifests([*FAULTY, *gang("fits", 2), node("n3")], conf)
    one, other = Input("base", before), Input("candidate", with_edits(before, "queue/team.spec.parent=dev"))
    looked, not_looked = (compare(one, other, DiffOptions(lint=lint)) for lint in (True, False))
    assert looked.findings == whole(one.manifests, other.manifests)
    told = [plain(result) for result in (looked, not_looked)]
    for result in told:
        del result["findings"], result["summary"]
    assert told[0] == told[1]
