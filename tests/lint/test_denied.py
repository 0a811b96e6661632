"""Who would not let an object in: the API server by itself, or a webhook of Volcano."""

from __future__ import annotations

import io

import pytest

from vqs.lint.outcome import FindingResult
from vqs.lint.run import LintOptions, lint
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.snapshot.reading.reader import read_leniently

QUEUES = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: team, uid: "1"}
spec: {deserved: {cpu: 4}, capability: {cpu: 8}}
status: {state: Open}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: dev, uid: "2"}
spec: {parent: team, deserved: {cpu: 2}}
status: {state: Open}
---
"""
QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"
CHILD = "metadata: {name: q}\nspec: {parent: team, deserved: {cpu: 3}}\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: "
GROUP = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\n"
JOB = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train}
spec: {queue: QUEUE, tasks: [{replicas: 1, template: {spec: {containers: [{name: main, image: a}]}}}]}
"""


def found(text: str) -> list[FindingResult]:
    """Return all findings in a text."""
    return lint(read_leniently(["-"], stdin=io.BytesIO(text.encode())), LintOptions()).findings


def denied(text: str) -> set[tuple[str, str]]:
    """Return the codes of what is denied, each with who does so."""
    return {(each.code, each.denied) for each in found(text) if each.denied}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (QUEUE + "metadata: {name: q}\nspec: {state: Open}\n", {("unknown-field", "apiserver")}),
        (QUEUE + "metadata: {name: q}\n", {("refused-by-schema", "apiserver")}),
        (QUEUE + "metadata: {name: q}\nspec: null\n", {("refused-by-schema", "apiserver")}),
        (QUEUE + "metadata: {name: q}\nspec: {}\n", set()),
        (QUEUE + "metadata: {name: q}\nspec: {weight: 70000}\n", {("invalid-weight", "apiserver")}),
        (QUEUE + "metadata: {name: q}\nspec: {reclaimable: often}\n", {("wrong-type", "webhook")}),
        (QUEUE + "metadata: {name: q}\nspec: {capability: {cpu: -1}}\n", {("negative-quantity", "webhook")}),
        (QUEUE + "metadata: {name: q}\nspec: {parent: gone}\n", {("parent-missing", "webhook")}),
        (QUEUES + QUEUE + CHILD, {("children-deserved-above-parent", "webhook")}),
        (GROUP + "metadata: {name: g}\nspec: {minMember: -1}\n", {("invalid-value", "apiserver")}),
        (QUEUES + GROUP + "metadata: {name: g}\nspec: {queue: gone}\n", {("workload-on-unknown-queue", "webhook")}),
        (QUEUES + JOB.replace("QUEUE", "team"), {("workload-on-parent-queue", "webhook")}),
        (JOB.replace("QUEUE", "root"), {("workload-on-root-queue", "webhook")}),
        (JOB.replace("QUEUE", "default").replace(", image: a", ""), {("refused-template", "webhook")}),
        (JOB.replace("QUEUE", "default").replace("name: train", "name: Train"), {("refused-metadata", "apiserver")}),
        (POD + "{containers: [{name: a}]}\n", {("refused-pod", "apiserver")}),
        (POD + "{host: a, containers: [{name: a, image: b}]}\n", {("unknown-field", "apiserver")}),
    ],
)
def test_denied(text: str, expected: set[tuple[str, str]]) -> None:
    """A finding says who would not let the object in."""
    assert denied(text) == expected


@pytest.mark.parametrize("queue", ["team", "root"])
def test_a_pod_group_on_a_parent_gets_in(queue: str) -> None:
    """The webhook for PodGroups does not mind; that it does not work is a warning."""
    findings = found(f"{QUEUES}{GROUP}metadata: {{name: g}}\nspec: {{queue: {queue}}}\n")
    assert not [each for each in findings if each.denied or each.severity == "error"]


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
GT_X = f"{{{REQUIRED}: {{nodeSelectorTerms: [{{matchExpressions: [{{key: a, operator: Gt, values: [x]}}]}}]}}}}"
HYPER_NODE = "apiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata: {name: h}\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{POD}{{affinity: {{nodeAffinity: {GT_X}}}, containers: [{{name: a, image: b}}]}}\n",
        JOB.replace("QUEUE", "default").replace(
            "{containers", f"{{affinity: {{nodeAffinity: {GT_X}}}, restartPolicy: Never, containers"
        ),
        HYPER_NODE + "spec: {tier: 1, members: [{type: Node, selector: {labelMatch: {matchExpressions: "
        "[{key: a, operator: Foo}]}}}]}\n",
        HYPER_NODE + "spec: {tier: 1, members: [{type: Node, selector: {labelMatch: {matchExpressions: "
        "[{key: a, operator: In}]}}}]}\n",
        GROUP + "metadata: {name: g}\nspec: {subGroupPolicy: [{name: a, labelSelector: {matchExpressions: "
        "[{key: a, operator: Foo}]}}]}\n",
    ],
)
def test_what_matches_nothing_gets_in(text: str) -> None:
    """What only never matches is a warning: nobody denies it."""
    findings = [each for each in found(text) if each.severity != "note" and "matches nothing" in each.message]
    assert [(each.code, each.severity, each.denied) for each in findings] == [("invalid-value", "warning", None)]
    assert not denied(text)


def test_a_requirement_without_operator_is_denied() -> None:
    """Schemas require an operator, though not one that exists."""
    text = (
        HYPER_NODE + "spec: {tier: 1, members: [{type: Node, selector: {labelMatch: {matchExpressions: [{key: a}]}}}]}"
    )
    assert denied(text) == {("refused-by-schema", "apiserver")}


CRON_JOB = "apiVersion: batch.volcano.sh/v1alpha1\nkind: CronJob\nmetadata: {name: c}\n"
TEMPLATE = "apiVersion: flow.volcano.sh/v1alpha1\nkind: JobTemplate\nmetadata: {name: t}\n"
TASKS = "tasks: [{name: a, template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}]"


@pytest.mark.parametrize(
    "text",
    [
        TEMPLATE + f"spec: {{minAvailable: 2147483648, {TASKS}}}\n",
        GROUP + "metadata: {name: g}\nspec: {minMember: 2.0}\n",
        QUEUE + "metadata: {name: q, namespace: Any_}\nspec: {weight: 2.0}\n",
        CRON_JOB + f'spec: {{schedule: "@daily", timeZone: posix/UTC, jobTemplate: {{spec: {{{TASKS}}}}}}}\n',
    ],
)
def test_what_looks_wrong_and_gets_in(text: str) -> None:
    """What the API server makes sound, or nobody looks at, is no error."""
    assert not [each for each in found(text) if each.denied or each.severity == "error"]


def test_schemas_do_not_tell_how_wide_integers_are() -> None:
    """A number of more than 32 bits is first refused by a webhook, which reads the object into Go's types."""
    text = (
        CRON_JOB + f'spec: {{schedule: "@daily", failedJobsHistoryLimit: LIMIT, jobTemplate: {{spec: {{{TASKS}}}}}}}\n'
    )
    assert denied(text.replace("LIMIT", "2147483648")) == {("refused-by-schema", "webhook")}
    assert denied(text.replace("LIMIT", "1.5")) == {("refused-by-schema", "apiserver")}


def test_what_lint_judges_is_not_called_unused() -> None:
    """Scheduling has no use for CronJobs, but lint looks at them."""
    lenient_read = read_leniently(["-"], stdin=io.BytesIO((CRON_JOB + "spec: {schedule: x}\n").encode()))
    assert not [note for note in lint(lenient_read, LintOptions()).notes if "not used" in note]


def test_what_is_stored_is_denied_by_nobody() -> None:
    """What would be denied today is worth a note at most, where it is in a cluster already."""
    text = QUEUE + 'metadata: {name: q, uid: "1"}\nspec: {capability: {nvidia.com/gpu: 500m}, state: Open}\n'
    findings = [each for each in found(text) if each.code == "fractional-queue-resource"]
    assert [(each.severity, each.denied) for each in findings] == [("note", None)]
    assert "unknown-field" not in {each.code for each in found(text)}


def test_what_stands_in_a_scenario_is_submitted_by_nobody() -> None:
    """A scenario says in short what a cluster would hold: no webhook is asked."""
    text = "apiVersion: vqs/v1\nkind: Scenario\nqueues: [{name: q, deserved: {cpu: 2}, capability: {cpu: 1}}]\n"
    findings = [each for each in found(text) if each.code == "deserved-above-capability"]
    assert [each.denied for each in findings] == [None]


def test_a_circle_is_let_in() -> None:
    """Nobody denies the update that closes a circle of queues."""
    circle = (
        QUEUE + "metadata: {name: a}\nspec: {parent: b}\n---\n" + QUEUE + "metadata: {name: b}\nspec: {parent: a}\n"
    )
    assert [(each.code, each.denied) for each in found(circle) if each.code == "parent-cycle"] == [
        ("parent-cycle", None)
    ]


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (QUEUE + "metadata: {name: q}\nspec: {guarantee: {resource: {cpu: -1}}}\n", set(), {"negative-quantity"}),
        (QUEUE + "metadata: {name: q}\nspec: {priority: -1}\n", set(), {"invalid-value"}),
        (JOB.replace("replicas: 1", "replicas: 1, maxRetry: -1"), set(), {"refused-by-schema"}),
        (JOB.replace("tasks", "minAvailable: -1, tasks"), {"invalid-value"}, {"invalid-value", "refused-by-schema"}),
        (GROUP + "metadata: {name: g}\nspec: {subGroupPolicy: []}\n", {"unknown-field"}, set()),
    ],
)
def test_what_is_denied_depends_on_the_release(text: str, old: set[str], new: set[str]) -> None:
    """Schemas of 1.13 bound little, and its webhooks deny less."""
    for release, codes in ((Release.V1_13, old), (Release.V1_14, new)):
        read = read_leniently(["-"], stdin=io.BytesIO(text.encode()), release=ReleaseChoice(Build(release)))
        findings = lint(read, LintOptions()).findings
        assert codes <= {each.code for each in findings if each.denied}, release
        assert codes or not any(each.denied for each in findings), release
