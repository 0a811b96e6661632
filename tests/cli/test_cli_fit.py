"""`vqs fit`, as a user meets it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from vqs.cli.main import main

HEAD = "apiVersion: vqs/v1\nkind: Scenario\n"
CLUSTER = f"""{HEAD}nodes:
  - {{count: 2, cpu: 8, memory: 32Gi}}
queues:
  - {{name: a}}
jobs:
  - {{name: old, queue: a, running: {{node-0: 4}}, cpu: 1, memory: 1Gi}}
"""
VCJOB = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  schedulerName: volcano
  queue: a
  minAvailable: %d
  tasks:
  - name: ps
    replicas: 1
    template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1, memory: 1Gi}}}]}}
  - name: worker
    replicas: %d
    template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 2, memory: 1Gi}}}]}}
"""


DEPLOYMENT = """\
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: %(name)s, namespace: ml}
spec:
  replicas: %(replicas)d
  selector: {matchLabels: {app: %(name)s}}
  template:
    metadata: {labels: {app: %(name)s}, annotations: {%(annotations)s}}
    spec: {schedulerName: volcano, containers: [{name: c, image: i, resources: {requests: {cpu: 1, memory: 1Gi}}}]}
"""


def deployment(name: str, replicas: int, annotations: str = "") -> str:
    """Return a Deployment whose pods take a core each."""
    return DEPLOYMENT % {"name": name, "replicas": replicas, "annotations": annotations}


@pytest.fixture
def fitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., dict[str, object]]:
    """Return a function that looks whether a job fits into a cluster, and returns the result."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    (tmp_path / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")

    def run(text: str, *options: str, status: int = 0) -> dict[str, object]:
        (tmp_path / "job.yaml").write_text(text, encoding="utf-8")
        assert main(["fit", "job.yaml", "--on", "cluster.yaml", "--format", "json", *options]) == status
        result: dict[str, object] = json.loads(capsys.readouterr().out)
        return result

    return run


def test_a_job_that_fits(fitted: Callable[..., dict[str, object]]) -> None:
    """It is told that it fits, where, and how many replicas would: 12 cores are free, one is the ps's."""
    result = fitted(VCJOB % (3, 2))
    assert (result["fits"], result["placed"], result["tasks"]) == ("now", 3, 3)
    assert result["largest"] | {"sessions": 0} == {  # type: ignore[operator]
        "role": "worker",
        "replicas": 5,
        "submitted": 2,
        "exact": True,
        "sessions": 0,
        "limitReason": result["largest"]["limitReason"],  # type: ignore[index]
        "lowered": [],
        "edits": ["scale vcjob/ml/train:worker=5"],
        "affected": [],
        "harmlessReplicas": 5,
    }
    assert str(result["answer"]).startswith("ml/train fits now: 3 tasks on ")


def test_a_job_that_is_too_large(fitted: Callable[..., dict[str, object]]) -> None:
    """A smaller one is found, with the minimum lowered, and it is told what holds the larger one back."""
    result = fitted(VCJOB % (21, 20), status=1)
    assert (result["fits"], result["largest"]["replicas"]) == ("no", 5)  # type: ignore[index]
    assert "does not fit" in str(result["answer"])
    assert "Up to 5 replicas of worker would run now" in str(result["answer"])


def test_the_minimum_that_goes_with_the_largest(fitted: Callable[..., dict[str, object]]) -> None:
    """Where fewer run than the minimum that was submitted, it is said with which one, and that none run with that."""
    result = fitted(VCJOB % (21, 20), status=1)
    assert result["largest"]["lowered"] == [{"field": "spec.minAvailable", "submitted": 21, "value": 6}]  # type: ignore[index]
    assert "With minAvailable 21, as submitted, no task of it would run now." in str(result["answer"])
    assert "5 replicas of worker would run now, with minAvailable 6 in place of 21; 6 would not" in str(
        result["answer"]
    )
    roles = VCJOB.replace("replicas: %d", "replicas: %d\n    minAvailable: 7") % (8, 20)
    assert "with worker's minAvailable 5 in place of 7 and minAvailable 6 in place of 8" in str(
        fitted(roles, status=1)["answer"]
    )


def test_the_minimum_of_a_pod_group_that_goes_with_the_largest(fitted: Callable[..., dict[str, object]]) -> None:
    """So it is of a PodGroup; a minimum that is met is not spoken of."""
    group = f"{HEAD}jobs:\n  - {{name: new, queue: a, replicas: 9, minAvailable: %d, cpu: 3, minResources: {{}}}}\n"
    answer = str(fitted(group % 9, status=1)["answer"])
    assert "3 replicas of worker would run now, with minMember 3 in place of 9; 4 would not" in answer
    answer = str(fitted(group % 3)["answer"])
    assert "Up to 3 replicas of worker would run now; 4 would not" in answer
    assert "as submitted" not in answer


POD_GROUP = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: ring, namespace: ml}
spec: {minMember: 20, queue: a, minResources: {cpu: 20}}
"""
MEMBER = """\
---
apiVersion: v1
kind: Pod
metadata: {name: ring-%d, namespace: ml, annotations: {scheduling.k8s.io/group-name: ring}}
spec: {schedulerName: volcano, containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}
"""
MINIMUM = "scheduling.volcano.sh/group-min-member"


@pytest.mark.parametrize(
    ("job", "edits"),
    [
        (
            VCJOB % (21, 20),
            [
                "vcjob/ml/train.spec.minAvailable=6",
                "scale vcjob/ml/train:worker=5",
            ],
        ),
        (
            POD_GROUP + "".join(MEMBER % number for number in range(20)),
            [
                "podgroup/ml/ring.spec.minMember=12",
                'podgroup/ml/ring.spec.minResources={"cpu": "12"}',
                "scale podgroup/ml/ring=12",
            ],
        ),
        (
            deployment("web", 20).replace("namespace: ml}", f"namespace: ml, annotations: {{{MINIMUM}: '20'}}}}", 1),
            [f'deployment/ml/web.metadata.annotations["{MINIMUM}"]="12"', "scale deployment/ml/web=12"],
        ),
    ],
    ids=["job", "podgroup", "deployment"],
)
def test_what_is_proposed_can_be_made(
    job: str,
    edits: list[str],
    fitted: Callable[..., dict[str, object]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All fields that go with the largest number are told as edits; made to the job, all of its pods get a place."""
    result = fitted(job, status=1)
    assert result["largest"]["edits"] == edits  # type: ignore[index]
    (tmp_path / "edits.yaml").write_text(json.dumps(edits), encoding="utf-8")
    (tmp_path / "new.yaml").write_text(job, encoding="utf-8")
    assert main(["simulate", "cluster.yaml", "new.yaml", "--edits", "edits.yaml", "--format", "json"]) == 0
    simulated = json.loads(capsys.readouterr().out)
    made = [each["status"] for each in simulated["tasks"] if each["namespace"] == "ml"]
    assert set(made) == {"Binding"}
    assert len(made) == result["largest"]["replicas"] + (result["largest"]["role"] == "worker")  # type: ignore[index]


def test_another_role(fitted: Callable[..., dict[str, object]]) -> None:
    """Another role than the largest can be made to grow; one that is not there is refused."""
    result = fitted(VCJOB % (3, 2), "--role", "ps")
    assert (result["largest"]["role"], result["largest"]["replicas"]) == ("ps", 8)  # type: ignore[index]


def test_without_a_search(fitted: Callable[..., dict[str, object]]) -> None:
    """With no sessions, nothing is searched for."""
    assert "largest" not in fitted(VCJOB % (3, 2), "--sessions", "0")
    assert fitted(VCJOB % (3, 2), "--sessions", "1")["largest"]["exact"] is False  # type: ignore[index]


def test_a_search_that_ends(fitted: Callable[..., dict[str, object]], monkeypatch: pytest.MonkeyPatch) -> None:
    """What a cluster holds is not bounded by its text: sessions with many replicas in all end a search, as is said."""
    monkeypatch.setattr("vqs.fit.fit._MOST_IN_ALL", 9)
    result = fitted(VCJOB % (3, 2))
    assert (result["largest"]["replicas"], result["largest"]["exact"]) == (4, False)  # type: ignore[index]
    ended = "the search ended after 1 session with 4 replicas in all"
    assert result["largest"]["searchEnded"] == ended  # type: ignore[index]
    assert str(result["answer"]).endswith(f"At least 4 replicas of worker would run now; {ended}.")


def test_a_job_that_waits(fitted: Callable[..., dict[str, object]], tmp_path: Path) -> None:
    """A job for which others are evicted fits later, and it is told after what, and who pays."""
    (tmp_path / "cluster.yaml").write_text(
        f"""{HEAD}scheduler: |
  actions: "enqueue, allocate, preempt"
  tiers:
  - plugins:
    - name: priority
    - name: gang
    - name: predicates
priorityClasses: {{high: 1000, low: 10}}
nodes:
  - {{count: 1, cpu: 4, memory: 16Gi}}
jobs:
  - {{name: old, priorityClass: low, running: {{node-0: 4}}, minAvailable: 1, cpu: 1, memory: 1Gi}}
""",
        encoding="utf-8",
    )
    urgent = f"{HEAD}jobs:\n  - {{name: urgent, priorityClass: high, cpu: 2, memory: 1Gi, phase: Inqueue}}\n"
    result = fitted(urgent, status=1)
    assert (result["fits"], len(result["evicts"]), result["harmedJobs"]) == ("later", 2, ["default/old"])  # type: ignore[arg-type]
    assert result["waitsFor"] == result["evicts"]
    assert (
        "It would evict 2 tasks of other jobs. 1 job is worse off: default/old: 4 → 2 of 4 tasks placed, 0 → 2 evicted."
        in str(result["answer"])
    )


def test_pods_of_a_pod_group(fitted: Callable[..., dict[str, object]]) -> None:
    """A job of a scenario is a PodGroup with pods, which is scaled by making more like them."""
    result = fitted(f"{HEAD}jobs:\n  - {{name: new, queue: a, replicas: 2, cpu: 1, memory: 1Gi}}\n")
    assert (result["fits"], result["largest"]["replicas"]) == ("now", 12)  # type: ignore[index]


def test_deployments_of_which_one_begins_like_the_other(
    fitted: Callable[..., dict[str, object]], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The Deployment that the job is made from is scaled, not one whose name it begins with."""
    both = deployment("web", 1) + deployment("web-api", 2)
    (tmp_path / "both.yaml").write_text(both, encoding="utf-8")
    assert main(["fit", "both.yaml", "--on", "cluster.yaml"]) == 2
    assert "there are 2 new jobs, ml/web-api, ml/web: choose one" in capsys.readouterr().err
    largest = [fitted(both, "--job", job)["largest"] for job in ("ml/web", "web-api")]
    assert [(each["submitted"], each["replicas"]) for each in largest] == [(1, 10), (2, 11)]  # type: ignore[index]


def test_volcano_jobs_of_which_one_begins_like_the_other(fitted: Callable[..., dict[str, object]]) -> None:
    """The Volcano Job that is asked about is scaled, not one whose name it begins with."""
    both = "---\n".join(VCJOB.replace("train", name) % (2, 1) for name in ("a", "a-b"))
    result = fitted(both, "--job", "ml/a-b", "--role", "worker")
    assert (result["largest"]["submitted"], result["largest"]["replicas"]) == (1, 4)  # type: ignore[index]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--on", "cluster.yaml"], "FILE is missing: name the manifest of the job, vqs fit FILE --on SNAPSHOT"),
        (["job.yaml"], "--on is missing: name the snapshot"),
        (["queue.yaml", "--on", "cluster.yaml"], "it has no job that is not in the snapshot already"),
        (["cluster.yaml", "--on", "cluster.yaml"], "there is a Node node-0 already"),
        (["two.yaml", "--on", "cluster.yaml"], "there are 2 new jobs, default/one, default/two: choose one with --job"),
        (["two.yaml", "--on", "cluster.yaml", "--job", "onne"], "did you mean 'one'?"),
        (["job.yaml", "--on", "cluster.yaml", "--role", "wroker"], "did you mean 'worker'?"),
        (["job.yaml", "--on", "cluster.yaml", "-q", "-v"], "give one of them"),
    ],
)
def test_misuse(
    fitted: Callable[..., dict[str, object]],
    arguments: Sequence[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What cannot be answered is refused, with what to do."""
    del fitted
    (tmp_path / "job.yaml").write_text(VCJOB % (3, 2), encoding="utf-8")
    jobs = "".join(f"  - {{name: {name}, queue: a, cpu: 1, memory: 1Gi}}\n" for name in ("one", "two"))
    (tmp_path / "two.yaml").write_text(f"{HEAD}jobs:\n{jobs}", encoding="utf-8")
    queue = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: z}\nspec: {weight: 1}\n"
    (tmp_path / "queue.yaml").write_text(queue, encoding="utf-8")
    assert main(["fit", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_formats(capsys: pytest.CaptureFixture[str]) -> None:
    """Only the formats that there are for it are offered, and taken."""
    assert main(["fit", "job.yaml", "--on", "cluster.yaml", "--format", "sarif"]) == 2
    assert "table" in (error := capsys.readouterr().err)
    assert "json" in error
    assert main(["fit", "--help"]) == 0
    assert "sarif" not in capsys.readouterr().out
    assert main(["render", "--help"]) == 0
    assert "fit or verify" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("chosen", ["table", "markdown"])
def test_for_people(
    fitted: Callable[..., dict[str, object]], chosen: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answer is a sentence, and where people look first."""
    del fitted
    (tmp_path / "job.yaml").write_text(VCJOB % (3, 2), encoding="utf-8")
    arguments = ["fit", "job.yaml", "--on", "cluster.yaml", "--format", chosen]
    assert main(arguments) == 0
    lines = capsys.readouterr().out.strip().splitlines()
    assert "ml/train fits now" in (lines[-1] if chosen == "table" else lines[0])
    assert main([*arguments, "-q"]) == 0
    assert len(capsys.readouterr().out.strip().splitlines()) == 1


def test_a_job_of_another_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A Job with a uid, whose pods do not exist yet, is scaled as one without: the same number fits."""
    largest = []
    for uid in ("", ", uid: u"):
        (tmp_path / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")
        text = (VCJOB % (2, 2)).replace("namespace: ml}", f"namespace: ml{uid}}}")
        (tmp_path / "job.yaml").write_text(text, encoding="utf-8")
        arguments = ["fit", str(tmp_path / "job.yaml"), "--on", str(tmp_path / "cluster.yaml"), "--format", "json"]
        main(arguments)
        largest.append(json.loads(capsys.readouterr().out)["largest"]["replicas"])
    assert largest[0] == largest[1] > 2


RECLAIMS = """\
apiVersion: vqs/v1
kind: Scenario
scheduler:
  actions: "enqueue, allocate, reclaim"
  tiers:
  - plugins: [{name: priority}, {name: gang}, {name: conformance}]
  - plugins: [{name: predicates}, {name: nodeorder}]
nodes:
  - {count: 2, cpu: 8, memory: 32Gi}
queues:
  - {name: a}
  - {name: b}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: wants, namespace: default, uid: u-1}
spec:
  schedulerName: volcano
  queue: b
  minAvailable: 1
  tasks:
  - name: w
    replicas: 4
    template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 1, memory: 1Gi}}}]}}
status: {state: {phase: Pending}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata:
  name: wants-u-1
  namespace: default
  uid: u-2
  ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: wants, uid: u-1, controller: true}]
spec: {minMember: 1, queue: b, minResources: {cpu: 1, memory: 1Gi}}
status: {phase: Pending}
"""
GROWS = """\
apiVersion: vqs/v1
kind: Scenario
jobs:
  - {name: grows, queue: a, replicas: 16, minAvailable: 1, cpu: 1, memory: 1Gi, priority: 9}
"""


def test_its_own_tasks_that_are_evicted_again(tmp_path: Path, fitted: Callable[..., dict[str, object]]) -> None:
    """A task that is placed and evicted again for another job is no eviction that the job causes."""
    (tmp_path / "cluster.yaml").write_text(RECLAIMS, encoding="utf-8")
    result = fitted(GROWS)
    assert (result["placed"], result["evicted"]) == (15, ["default/grows-worker-14"])
    assert "evicts" not in result
    assert "1 task of it is evicted again for other jobs" in str(result["answer"])


def test_who_pays_at_the_largest_size(fitted: Callable[..., dict[str, object]], tmp_path: Path) -> None:
    """It is told who has fewer pods running at the largest size, and up to which size none has."""
    waits = "  - {name: late, queue: a, replicas: 4, minAvailable: 1, cpu: 1, memory: 1Gi}\n"
    (tmp_path / "cluster.yaml").write_text(f"{CLUSTER}{waits}priorityClasses: {{high: 9}}\n", encoding="utf-8")
    first = (VCJOB % (1, 1)).replace("  queue: a\n", "  queue: a\n  priorityClassName: high\n")
    result = fitted(first, "--role", "worker")

    largest: dict[str, object] = result["largest"]  # type: ignore[assignment]
    assert (largest["replicas"], largest["harmlessReplicas"]) == (5, 3)
    assert largest["affected"] == [{"job": "default/late", "podsBefore": 4, "podsAfter": 1}]
    assert "At 5, 1 job would lose: default/late 4 → 1 pods; up to 3, no job loses a pod." in str(result["answer"])


CRON_JOB = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: CronJob
metadata: {name: nightly, namespace: ml}
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      queue: a
      minAvailable: %d
      tasks:
      - name: worker
        replicas: 2
        template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 2, memory: 1Gi}}}]}}
"""


def test_the_next_run_of_a_cron_job(fitted: Callable[..., dict[str, object]]) -> None:
    """Its Job is fitted as if it began now, called after the CronJob; one that the webhook denies does not fit."""
    result = fitted(CRON_JOB % 2)
    assert str(result["answer"]).startswith("ml/nightly fits now: 2 tasks on ")
    denied = fitted(CRON_JOB % 3, status=1)
    assert "webhook denies it, as minAvailable is greater than" in str(denied["answer"])


@pytest.mark.parametrize("annotations", ["", "scheduling.volcano.sh/queue-name: a"])
def test_a_workload_for_another_scheduler(annotations: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told that Volcano places none of its pods, and what to write."""
    cluster, job = tmp_path / "cluster.yaml", tmp_path / "job.yaml"
    cluster.write_text(CLUSTER, encoding="utf-8")
    job.write_text(deployment("web", 2, annotations).replace("schedulerName: volcano, ", ""), encoding="utf-8")
    assert main(["fit", str(job), "--on", str(cluster)]) == 2
    assert "write schedulerName: volcano" in capsys.readouterr().err


JOB_TEMPLATE = CRON_JOB.replace("batch.volcano.sh", "flow.volcano.sh").replace("kind: CronJob", "kind: JobTemplate")
JOB_TEMPLATE = JOB_TEMPLATE.replace('  schedule: "0 3 * * *"\n  jobTemplate:\n    spec:\n', "").replace(
    "\n      ", "\n  "
)
FLOW = "---\napiVersion: flow.volcano.sh/v1alpha1\nkind: JobFlow\nmetadata: {name: daily, namespace: ml}\n"


def test_a_job_template_and_a_job_flow(
    fitted: Callable[..., dict[str, object]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A template is fitted by itself, or as the first Job of its flow; a flow without its template creates none."""
    assert str(fitted(JOB_TEMPLATE % 2)["answer"]).startswith("ml/nightly fits now: 2 tasks on ")
    flow = f"{JOB_TEMPLATE % 2}{FLOW}spec: {{flows: [{{name: nightly}}]}}\n"
    assert str(fitted(flow)["answer"]).startswith("ml/daily fits now: 2 tasks on ")
    (tmp_path / "flow.yaml").write_text(f"{FLOW}spec: {{flows: [{{name: other}}]}}\n", encoding="utf-8")
    assert main(["fit", "flow.yaml", "--on", "cluster.yaml"]) == 2
    assert "JobFlow ml/daily creates no Job at once: its first JobTemplate is missing" in capsys.readouterr().err
