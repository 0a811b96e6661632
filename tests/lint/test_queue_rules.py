"""What the rules about queues say beyond where, and when they are silent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lint.cases import folder_of, linted
from vqs.lint.outcome import FindingResult

HIERARCHY = str(folder_of("parent-ignored") / "good.conf")
FLAT = str(folder_of("parent-ignored") / "bad.conf")


def queue(name: str, spec: str = "{}") -> str:
    """Return the manifest of a queue."""
    return (
        f"---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {{name: {name}}}\nspec: {spec}\n"
        "status: {state: Open}\n"
    )


def pod_group(queue_name: str, more: str = "") -> str:
    """Return the manifest of a PodGroup."""
    return (
        "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\n"
        f"metadata: {{name: train, namespace: ml{more}}}\nspec: {{minMember: 1, queue: {queue_name}}}\n"
    )


def job(queue_name: str) -> str:
    """Return the manifest of a Volcano Job."""
    return (
        "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: train, namespace: ml}\n"
        f"spec: {{minAvailable: 1, queue: {queue_name}, tasks: [{{name: worker, replicas: 1, template: "
        "{spec: {containers: [{name: main, image: train}]}}}]}\n"
    )


def found(folder: Path, text: str, code: str, conf: str | None = None) -> list[FindingResult]:
    """Return the findings of a rule in a text."""
    path = folder / "input.yaml"
    path.write_text(text, encoding="utf-8")
    return linted([str(path)], conf, {code}).findings


def messages(folder: Path, text: str, code: str, conf: str | None = None) -> list[str]:
    """Return what a rule says of a text."""
    return [each.message for each in found(folder, text, code, conf) if each.code == code]


def test_names_that_are_near(tmp_path: Path) -> None:
    """The queue that was probably meant is named, but not one that differs in its number only."""
    [finding] = found(tmp_path, queue("training") + pod_group("traning"), "workload-on-unknown-queue")
    assert finding.message == "the queue of PodGroup ml/train does not exist: traning"
    assert finding.help == "did you mean 'training'?"
    [other] = found(tmp_path, queue("team-1") + pod_group("team-2"), "workload-on-unknown-queue")
    assert "did you mean" not in other.help


def test_a_job_alone_is_not_on_an_unknown_queue(tmp_path: Path) -> None:
    """Where the input has no queues, they are somewhere else."""
    assert messages(tmp_path, job("training"), "workload-on-unknown-queue") == []


def test_a_job_and_its_pod_group_are_one_user(tmp_path: Path) -> None:
    """Of a Job and the PodGroup that was made for it, the Job is named."""
    owner = ", ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: train, controller: true}]"
    text = queue("training") + job("traning") + pod_group("traning", owner)
    assert messages(tmp_path, text, "workload-on-unknown-queue") == [
        "the queue of Job ml/train does not exist: traning"
    ]


@pytest.mark.parametrize(("conf", "number"), [(HIERARCHY, 1), (FLAT, 0)])
def test_a_pod_group_on_a_parent_matters_with_hierarchy(tmp_path: Path, conf: str, number: int) -> None:
    """Without hierarchy, a PodGroup may be on any queue; with it, the finding says what comes of it."""
    text = queue("team") + queue("dev", "{parent: team}") + pod_group("team")
    said = messages(tmp_path, text, "workload-on-parent-queue", conf)
    assert len(said) == number
    assert all("no job is admitted to any queue" in each for each in said)


def test_an_inherited_capability_is_told_as_such(tmp_path: Path) -> None:
    """The queue whose capability it is is named, and it is one only with hierarchy."""
    text = queue("team", "{capability: {cpu: 8}}") + queue("dev", "{parent: team, deserved: {cpu: 10}}")
    said = messages(tmp_path, text, "deserved-above-capability", HIERARCHY)
    assert said == ["queue dev deserves 10 cpu, and its capability is 8 cpu, inherited from team"]
    assert messages(tmp_path, text, "deserved-above-capability", FLAT) == []


def test_sums_of_children(tmp_path: Path) -> None:
    """Amounts that the parent does not name are told in one finding, with what every child has as evidence."""
    text = (
        queue("team")
        + queue("dev", "{parent: team, deserved: {cpu: 1500m, memory: 8Gi}}")
        + queue("prod", "{parent: team, deserved: {cpu: 2}}")
    )
    [finding] = found(tmp_path, text, "children-deserved-above-parent")
    assert (
        finding.message
        == "the children of team have a deserved of 3.5 cpu and 8Gi memory together, and team itself has none"
    )
    assert [each.text for each in finding.evidence] == [
        "spec.deserved of queue dev is 1.5 cpu",
        "spec.deserved of queue prod is 2 cpu",
        "spec.deserved of queue dev is 8Gi memory",
        "queue team itself has none",
    ]


def test_the_default_queue_deserves_nothing_where_it_is_not_written(tmp_path: Path) -> None:
    """The scheduler makes it without any amounts; there is no line on which that would stand."""
    [finding] = found(
        tmp_path, queue("late", "{parent: default, deserved: {cpu: 4}}"), "children-deserved-above-parent"
    )
    assert finding.path == "$.spec.parent"
    assert finding.message.endswith("and default itself has none, as the scheduler makes it")
    assert [each.line for each in finding.evidence] == [5, None]


def test_a_child_with_nothing_of_what_its_parent_does_not_name(tmp_path: Path) -> None:
    """The webhook counts the name alone; cpu and memory always have an amount."""
    text = queue("team", "{deserved: {cpu: 8}}") + queue("dev", "{parent: team, deserved: {memory: 0, x.com/a: 0}}")
    assert messages(tmp_path, text, "children-deserved-above-parent") == [
        "dev, a child of team, has 0 x.com/a in its deserved, and team does not name it"
    ]


@pytest.mark.parametrize(("metadata", "severity"), [("", "error"), (", uid: 7f3a", "warning")])
def test_what_is_stored_already_only_waits_for_a_closed_queue(tmp_path: Path, metadata: str, severity: str) -> None:
    """The webhook refuses what has yet to be made; what was there before the queue was closed stays."""
    closed = queue("legacy").replace("state: Open", "state: Closed")
    [finding] = found(tmp_path, closed + pod_group("legacy", metadata), "workload-on-closed-queue")
    assert finding.severity == severity


def test_a_queue_that_is_there_may_have_a_guarantee_alone(tmp_path: Path) -> None:
    """It is from the time before the webhook refused it, and goes on to work."""
    there = queue("team", "{guarantee: {resource: {cpu: 4}}}")
    new = there.replace("status: {state: Open}\n", "")
    severities = [found(tmp_path, text, "guarantee-without-deserved")[0].severity for text in (there, new)]
    assert severities == ["warning", "error"]


def test_a_capability_of_nothing_limits_a_queue_for_the_webhook_alone(tmp_path: Path) -> None:
    """The scheduler takes 0 of cpu for no limit; what it means is left to the reader."""
    text = queue("team", "{capability: {cpu: 0}, deserved: {cpu: 4}, guarantee: {resource: {cpu: 4}}}")
    for code, verb in (("deserved-above-capability", "deserves"), ("guarantee-above-capability", "is guaranteed")):
        assert messages(tmp_path, text, code) == [
            (
                f"queue team {verb} 4 cpu, and its capability is 0 cpu: "
                "no limit to the scheduler, but the webhook refuses it"
            )
        ]


@pytest.mark.parametrize(
    ("resource", "severity"), [("ephemeral-storage", "warning"), ("hugepages-2Mi", "error"), ("pods", None)]
)
def test_what_the_capability_of_the_root_leaves_out(tmp_path: Path, resource: str, severity: str | None) -> None:
    """Everything that nodes have and tasks can ask for is zero for all queues then."""
    node = (
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
        f"status: {{allocatable: {{cpu: 8, memory: 8Gi, {resource}: 10}}}}\n"
    )
    text = node + queue("root", "{capability: {cpu: 8, memory: 8Gi}}")
    severities = [each.severity for each in found(tmp_path, text, "root-capability-incomplete", HIERARCHY)]
    assert severities == ([severity] if severity else [])


@pytest.mark.parametrize("code", ["parent-missing", "workload-on-unknown-queue"])
def test_a_name_that_many_lack_is_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """To compare it with all queues for each of them would take a square of the time."""
    asked: list[str] = []

    def hint(_: object, word: str, fits: Callable[[str], bool]) -> str:
        asked.append(word)
        return f"other is {'fit' if fits('other') else 'unfit'}, q-a is {'fit' if fits('q-a') else 'unfit'}"

    monkeypatch.setattr("vqs.lint.amounts.Guesser.hint", hint)
    text = "".join(queue(f"q-{letter}", "{parent: x}") for letter in "abcde") + queue("other")
    text += "".join(pod_group("unknown").replace("train", f"train-{number}") for number in range(5))
    findings = [each for each in found(tmp_path, text, code) if each.code == code]
    assert len(findings) == 5
    assert len(asked) == 1
    assert {each.help for each in findings} == {
        f"other is fit, q-a is {'unfit' if code == 'parent-missing' else 'fit'}"
    }


def test_a_sum_of_values_that_cannot_be_read_is_not_judged(tmp_path: Path) -> None:
    """Where deserved is no quantity, nobody knows whether the guarantee is above it."""
    text = queue("research", "{guarantee: {resource: {cpu: 10}}, deserved: {cpu: ten}}")
    assert messages(tmp_path, text, "guarantee-without-deserved") == []


def test_sums_of_one_queue(tmp_path: Path) -> None:
    """Where one queue alone claims too much, it is not called a sum."""
    node = "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 8, memory: 8Gi}}\n"
    text = node + queue("research", "{guarantee: {resource: {cpu: 10}}}")
    said = messages(tmp_path, text, "guarantees-above-cluster")
    assert said == ["queue research is guaranteed 10 cpu, and all nodes together have 8 cpu"]


def test_guarantees_are_added_up_as_the_configuration_does(tmp_path: Path) -> None:
    """Guarantees of parents count beside those of their children, unless there is hierarchy, or nobody knows."""
    node = "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 8, memory: 8Gi}}\n"
    spec = "{guarantee: {resource: {cpu: 6}}}"
    text = node + queue("team", spec) + queue("dev", spec.replace("{g", "{parent: team, g"))
    numbers = [len(messages(tmp_path, text, "guarantees-above-cluster", conf)) for conf in (FLAT, HIERARCHY, None)]
    assert numbers == [1, 0, 0]


@pytest.mark.parametrize("code", ["parent-ignored", "deserved-ignored", "no-deserved", "hierarchy-annotations-ignored"])
def test_without_a_configuration_nothing_is_called_ignored(tmp_path: Path, code: str) -> None:
    """The built-in configuration only stands in for one that nobody gave, so that nothing is said of it."""
    text = queue("team") + queue("dev", "{parent: team, deserved: {cpu: 4}}") + pod_group("team")
    assert messages(tmp_path, text, code) == []


def test_a_scenario_may_call_a_queue_a(tmp_path: Path) -> None:
    """What a scenario says in short is no manifest for an API server."""
    text = (
        "apiVersion: vqs/v1\nkind: Scenario\nnodes: [{cpu: 8}]\nqueues: [{name: A, guarantee: {cpu: 2}}]\n"
        "jobs: [{name: train, queue: A, replicas: 1, cpu: 1}]\n"
    )
    assert messages(tmp_path, text, "invalid-queue-name") == []
    assert messages(tmp_path, text, "guarantee-without-deserved") == []


def test_a_cycle_is_told_once(tmp_path: Path) -> None:
    """The way round is told at the first queue, with the others as evidence."""
    text = queue("a", "{parent: b}") + queue("b", "{parent: a}")
    [finding] = found(tmp_path, text, "parent-cycle", HIERARCHY)
    assert finding.message == "the parents of queue a lead back to it: a > b > a"
    assert [each.text for each in finding.evidence] == [
        "the parent of b is a",
        "the plugin capacity is used with enableHierarchy",
    ]


def test_the_depth_is_drawn(tmp_path: Path) -> None:
    """The way from the root to a queue that is too deep is told."""
    names = ["a", "b", "c", "d", "e", "f"]
    text = "".join(queue(name, f"{{parent: {above}}}") for above, name in zip(["root", *names], names, strict=False))
    said = messages(tmp_path, text, "queue-too-deep")
    assert said == ["queue f is on level 6 below the root, and 5 are allowed: root > a > b > c > d > e > f"]
