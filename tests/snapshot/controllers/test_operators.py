"""The PodGroups and pods of what operators have kinds for."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from tests.snapshot.controllers.objects import completed, names, read
from vqs.lint.run import LintOptions, lint
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.controllers.job import job_names
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_leniently

PODS = "spec: {containers: [{name: c, image: i, resources: {requests: {cpu: %s}}}]}"
ONE, TWO = PODS % 1, PODS % 2
VOLCANO = "spec: {schedulerName: volcano, containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}"


def made(text: str) -> Manifests:
    """Return what controllers make of objects in YAML."""
    return completed(*yaml.safe_load_all(text))


def groups(manifests: Manifests) -> dict[str, tuple[int, str, str, Mapping[str, Any] | None]]:
    """Return the minimum, queue, priority class and resources of each PodGroup by its name."""
    return {
        each.metadata.name: (
            each.spec.min_member,
            each.spec.queue,
            each.spec.priority_class_name,
            each.spec.min_resources,
        )
        for each in manifests.pod_groups
    }


RAY = """
apiVersion: ray.io/v1
kind: %s
metadata:
  name: ray
  namespace: ns
  labels: {volcano.sh/queue-name: q, ray.io/priority-class-name: high}
spec: %s
"""
RAY_SPEC = f"""{{enableInTreeAutoscaling: %s, headGroupSpec: {{template: {{{ONE}}}}}, workerGroupSpecs: [
  {{groupName: w, replicas: 2, minReplicas: 1, numOfHosts: 2, template: {{{TWO}}}}},
  {{groupName: x, suspend: true}}]}}"""


def test_a_ray_cluster() -> None:
    """The head and all workers start together, in the queue and with the priority that labels name."""
    manifests = made(RAY % ("RayCluster", RAY_SPEC % "false"))
    assert groups(manifests) == {"ray-ray-pg": (5, "q", "high", {"cpu": "9"})}
    assert sorted(name[:-5] for name in names(manifests.pods)) == ["ray-head-", *(["ray-w-worker-"] * 4)]
    assert {pod.spec.scheduler_name for pod in manifests.pods} == {"volcano"}
    assert {each.display for each in job_names(manifests).values()} == {"ns/ray"}


def test_a_ray_cluster_that_scales() -> None:
    """With autoscaling, the minimum starts together, and the head has one container more."""
    manifests = made(RAY % ("RayCluster", RAY_SPEC % "true"))
    assert groups(manifests) == {"ray-ray-pg": (3, "q", "high", {"cpu": "5"})}
    head = next(pod for pod in manifests.pods if "head" in pod.metadata.name)
    assert [each.name for each in head.spec.containers] == ["c", "autoscaler"]


def test_a_ray_job_reserves_room_for_its_submitter() -> None:
    """The pod that submits the job is no member, but counts in the resources."""
    manifests = made(RAY % ("RayJob", f"{{rayClusterSpec: {RAY_SPEC % 'false'}}}"))
    assert groups(manifests) == {"ray-ray-pg": (5, "q", "high", {"cpu": "9500m", "memory": "200Mi"})}


def test_a_ray_service() -> None:
    """The PodGroup is called after the cluster that the service makes."""
    [(name, spec)] = groups(made(RAY % ("RayService", f"{{rayClusterConfig: {RAY_SPEC % 'false'}}}"))).items()
    assert name.startswith("ray-ray-")
    assert spec[:2] == (5, "q")


def test_a_ray_cluster_for_another_scheduler() -> None:
    """A label that names another scheduler is counted, and no pod is added."""
    text = (RAY % ("RayCluster", RAY_SPEC % "false")).replace(
        "volcano.sh/queue-name: q", "ray.io/scheduler-name: yunikorn"
    )
    manifests = made(text)
    assert (manifests.pods, manifests.ignored) == ([], {"RayCluster for another scheduler": 1})


TRAINING = f"""
apiVersion: %s
kind: %s
metadata: {{name: job, namespace: ns, annotations: {{scheduling.volcano.sh/queue-name: annotated}}}}
spec:
  runPolicy: {{schedulingPolicy: %s}}
  %s:
    Worker: {{replicas: 2, template: {{{TWO}}}}}
    %s: {{template: {{{ONE}}}}}
"""


@pytest.mark.parametrize(
    ("api_version", "kind", "field", "first"),
    [
        ("kubeflow.org/v1", "PyTorchJob", "pytorchReplicaSpecs", "Master"),
        ("kubeflow.org/v1", "TFJob", "tfReplicaSpecs", "PS"),
        ("kubeflow.org/v1", "PaddleJob", "paddleReplicaSpecs", "Master"),
        ("kubeflow.org/v1", "XGBoostJob", "xgbReplicaSpecs", "Master"),
        ("kubeflow.org/v1", "MPIJob", "mpiReplicaSpecs", "Launcher"),
        ("mindxdl.gitee.com/v1", "AscendJob", "replicaSpecs", "Scheduler"),
    ],
)
def test_a_job_of_the_training_operator(api_version: str, kind: str, field: str, first: str) -> None:
    """All replicas start together in the queue default, unless its policy says otherwise."""
    manifests = made(TRAINING % (api_version, kind, "{}", field, first))
    assert groups(manifests) == {"job": (3, "default", "", {"cpu": "5"})}
    assert names(manifests.pods) == sorted(
        ["job-worker-0", "job-worker-1", f"job-{first.lower()}-0"], key=names(manifests.pods).index
    )
    assert {each.display for each in job_names(manifests).values()} == {"ns/job"}
    policy = "{minAvailable: 1, queue: q, priorityClass: high}"
    assert groups(made(TRAINING % (api_version, kind, policy, field, first))) == {"job": (1, "q", "high", {"cpu": "2"})}


def test_a_job_of_the_mpi_operator() -> None:
    """The launcher comes before the workers, and an annotation may name the queue."""
    text = TRAINING % ("kubeflow.org/v2beta1", "MPIJob", "{}", "mpiReplicaSpecs", "Launcher")
    assert groups(made(text)) == {"job": (3, "annotated", "", {"cpu": "5"})}
    assert groups(made(text.replace("schedulingPolicy: {}", "schedulingPolicy: {minAvailable: 1}")))["job"][3] == {
        "cpu": "1"
    }


JOB_SET = f"""
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: set, namespace: ns}}
spec:
  replicatedJobs:
  - name: w
    replicas: 2
    template:
      metadata: {{annotations: {{scheduling.volcano.sh/group-min-member: "2"}}}}
      spec: {{parallelism: 2, completions: 2, template: {{{VOLCANO}}}}}
"""


def test_a_job_set() -> None:
    """Each of its Jobs gets a PodGroup from Volcano's controller, and a name of its own, as there are two."""
    manifests = made(JOB_SET)
    assert [spec[0] for spec in groups(manifests).values()] == [2, 2]
    assert [name[:-5] for name in names(manifests.pods)] == ["set-w-0-0-", "set-w-0-1-", "set-w-1-0-", "set-w-1-1-"]
    assert [each.display for each in job_names(manifests).values()] == ["ns/set-w-0", "ns/set-w-1"]
    one = made(JOB_SET.replace("replicas: 2\n", "replicas: 1\n"))
    assert [each.display for each in job_names(one).values()] == ["ns/set"]


TRAIN_JOB = f"""
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {{name: torch}}
spec:
  mlPolicy: {{numNodes: 1}}
  podGroupPolicy: {{volcano: {{networkTopology: {{mode: hard, highestTierAllowed: 1}}}}}}
  template:
    metadata: {{annotations: {{scheduling.volcano.sh/queue-name: q}}}}
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
          spec: {{template: {{{VOLCANO}}}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: train, namespace: ns}}
spec:
  runtimeRef: {{name: torch}}
  trainer: {{numNodes: 3, resourcesPerNode: {{requests: {{cpu: 4}}}}}}
"""


def test_a_train_job() -> None:
    """Its runtime says how it is started, and the job how many nodes there are, and what each has."""
    manifests = made(TRAIN_JOB)
    assert groups(manifests) == {"train": (3, "q", "", {"cpu": "12"})}
    assert [pod.metadata.annotations["scheduling.k8s.io/group-name"] for pod in manifests.pods] == ["train"] * 3
    assert manifests.pod_groups[0].spec.network_topology is not None


def test_a_train_job_without_its_runtime() -> None:
    """A note says what is missing."""
    manifests = made(TRAIN_JOB.partition("---")[2])
    assert manifests.pods == []
    assert any("its ClusterTrainingRuntime torch is not in the input" in note.message for note in manifests.notes)


SERVING = f"""
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: lws, namespace: ns, annotations: {{scheduling.volcano.sh/queue-name: q}}}}
spec:
  replicas: 2
  leaderWorkerTemplate: {{size: 3, workerTemplate: {{{VOLCANO}}}}}
"""


def test_a_leader_worker_set() -> None:
    """Each leader starts with its workers, or before them where these wait for it."""
    manifests = made(SERVING)
    assert [spec[:2] for spec in groups(manifests).values()] == [(3, "q"), (3, "q")]
    assert names(manifests.pods) == ["lws-0", "lws-0-1", "lws-0-2", "lws-1", "lws-1-1", "lws-1-2"]
    waiting = SERVING.replace("replicas: 2", "startupPolicy: LeaderReady")
    assert [(spec[0], spec[3]) for spec in groups(made(waiting)).values()] == [(1, {"cpu": "3"})]


MODEL_SERVING = f"""
apiVersion: workload.serving.volcano.sh/v1alpha1
kind: ModelServing
metadata: {{name: llm, namespace: ns, annotations: {{scheduling.volcano.sh/queue-name: q}}}}
spec:
  schedulerName: volcano
  template:
    gangPolicy: {{minRoleReplicas: {{decode: 1}}}}
    roles:
    - {{name: prefill, replicas: 1, workerReplicas: 1, entryTemplate: {{{ONE}}}, workerTemplate: {{{TWO}}}}}
    - {{name: decode, replicas: 2, entryTemplate: {{{ONE}}}}}
"""


def test_model_serving() -> None:
    """A gang of roles, each with the fewest groups that it needs."""
    manifests = made(MODEL_SERVING)
    assert groups(manifests) == {"llm-0": (3, "q", "", {"cpu": "4"})}
    assert names(manifests.pods) == ["llm-0-prefill-0-0", "llm-0-prefill-0-1", "llm-0-decode-0-0", "llm-0-decode-1-0"]
    policies = manifests.pod_groups[0].spec.sub_group_policy
    assert [(each.name, each.sub_group_size, each.min_sub_groups) for each in policies] == [
        ("prefill", 2, 1),
        ("decode", 1, 1),
    ]


SPARK = """
apiVersion: sparkoperator.k8s.io/v1beta2
kind: SparkApplication
metadata: {name: pi, namespace: ns}
spec:
  mode: cluster
  batchScheduler: volcano
  batchSchedulerOptions: {queue: q, priorityClassName: high}
  driver: {cores: 1, memory: 512m}
  executor: {cores: 2, instances: 2, memory: 1g}
"""


def test_a_spark_application() -> None:
    """One pod starts it, and its PodGroup asks for all; Spark's own overhead is added to the memory of the pods."""
    manifests = made(SPARK)
    assert {name: spec[:3] for name, spec in groups(manifests).items()} == {"spark-pi-pg": (1, "q", "high")}
    assert (groups(manifests)["spark-pi-pg"][3] or {})["cpu"] == "5"
    asked = [pod.spec.containers[0].resources.requests for pod in manifests.pods]
    assert asked == [{"cpu": 1, "memory": "896Mi"}, *([{"cpu": 2, "memory": "1408Mi"}] * 2)]
    assert made(SPARK.replace("  batchScheduler: volcano\n", "")).pods == []


FLINK = """
apiVersion: flink.apache.org/v1beta1
kind: FlinkDeployment
metadata: {name: flink, namespace: ns}
spec:
  flinkConfiguration: {taskmanager.numberOfTaskSlots: "2"}
  podTemplate: {spec: {schedulerName: volcano, containers: [{name: flink-main-container}, {name: log, image: l}]}}
  jobManager: {resource: {cpu: 1, memory: 2048m}}
  taskManager: {resource: {cpu: 2, memory: 4g}}
  job: {parallelism: 3}
"""


def test_a_flink_deployment() -> None:
    """A JobManager and as many TaskManagers as the job needs slots, each with a PodGroup of Volcano's controller."""
    manifests = made(FLINK)
    pods = {pod.metadata.name.partition("-")[2][:12]: pod.spec.containers for pod in manifests.pods}
    assert len(manifests.pods) == 3
    assert pods["taskmanager-"][0].resources.requests == {"cpu": 2, "memory": "4096Mi"}
    assert [each.name for each in pods["taskmanager-"]] == ["flink-main-container", "log"]
    assert [spec[0] for spec in groups(manifests).values()] == [1, 1]


WORKFLOW = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: dag-, namespace: ns}
spec:
  entrypoint: main
  schedulerName: volcano
  podMetadata: {annotations: {scheduling.volcano.sh/queue-name: q}}
  templates:
  - name: main
    dag: {tasks: [{name: a, template: work}, {name: b, template: work}, {name: c, template: work, dependencies: [a]}]}
  - {name: work, container: {image: i, resources: {requests: {cpu: 1}}}}
"""


def test_a_workflow() -> None:
    """The pods of the first steps, in one PodGroup of Volcano's controller."""
    manifests = made(WORKFLOW)
    assert len(manifests.pods) == 2
    assert [spec[:2] for spec in groups(manifests).values()] == [(1, "q")]


def test_a_task_run() -> None:
    """One pod for the steps of the task."""
    manifests = made(
        "apiVersion: tekton.dev/v1\nkind: TaskRun\nmetadata: {name: t, namespace: ns}\nspec:\n"
        "  podTemplate: {schedulerName: volcano}\n"
        "  taskSpec: {steps: [{name: a, image: i, computeResources: {requests: {cpu: 1}}}]}\n"
    )
    assert names(manifests.pods) == ["t-pod"]


@pytest.mark.parametrize("text", [RAY % ("RayCluster", RAY_SPEC % "false"), JOB_SET, FLINK, SERVING])
def test_nothing_is_made_twice(text: str) -> None:
    """What a cluster has seen stands for nothing more, and completing again changes nothing."""
    [value] = yaml.safe_load_all(text)
    value["metadata"]["uid"] = "1"
    assert completed(value).pods == []
    manifests = made(text)
    assert names(complete(manifests).pods) == names(manifests.pods)


def test_an_object_that_asks_for_too_many_pods() -> None:
    """It is refused before any of them is made."""
    with pytest.raises(InputErrors) as caught:
        made(SERVING.replace("size: 3", "size: 2000000000"))
    assert [each.code for each in caught.value.diagnostics] == ["too-many-pods"]


def test_a_template_with_a_value_of_the_wrong_type() -> None:
    """It is told at its place in the object."""
    with pytest.raises(InputErrors) as caught:
        made(JOB_SET.replace("schedulerName: volcano", "schedulerName: volcano, priorityClassName: [high]"))
    assert caught.value.diagnostics[0].path.endswith("template.spec.priorityClassName")


def found(text: str) -> dict[str, tuple[str, str]]:
    """Return the object and the path of lint's findings, by the code of the rule, and its notes."""
    result = lint(read_leniently(["-"], stdin=io.BytesIO(text.encode())), LintOptions())
    return {each.code: (each.object, each.path) for each in result.findings} | {"notes": ("", "; ".join(result.notes))}


def test_an_unknown_kind_with_a_pod_template() -> None:
    """Its template is judged at its place, and the kind is named as not understood."""
    text = f"apiVersion: x.org/v1\nkind: Trainer\nmetadata: {{name: t}}\nspec: {{pods: [{{template: {{{ONE}}}}}]}}\n"
    text = text.replace("{cpu: 1}", "{cpu: 2}, limits: {cpu: 1}")
    told = found(text)
    assert ("Trainer default/t", "$.spec.pods[0].template.spec.containers[0].resources.requests.cpu") in told.values()
    assert (
        "not understood are kinds that have pod templates: Trainer default/t (spec.pods.0.template)" in told["notes"][1]
    )
    manifests = read(*yaml.safe_load_all(text))
    assert manifests.pods == []
    assert any("no pods of theirs are added" in note.message for note in manifests.notes)


def test_the_next_run_of_a_cron_job_of_kubernetes() -> None:
    """It is no part of a session, and lint judges its Job."""
    spec = f"spec: {{jobTemplate: {{spec: {{template: {{{VOLCANO}}}}}}}}}\n"
    text = f"apiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: c, namespace: ns}}\n{spec}"
    manifests = made(text)
    assert (manifests.pods, [run.typed.metadata.name for run in manifests.timed]) == ([], ["c-00000000"])
