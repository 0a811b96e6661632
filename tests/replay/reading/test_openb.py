"""The tables of the openb trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.replay.reading.files import Files, errors_in
from vqs.model import kubernetes as k8s
from vqs.replay.distribution import Fixed
from vqs.replay.reading.objects import MODEL_LABEL
from vqs.replay.reading.options import QueueOf, ReadingOptions
from vqs.replay.workload import Gang

PODS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
openb-pod-1,6000,12288,1,460,,LS,Running,427061,902960,427161
openb-pod-0,12000,16384,0,0,V100M16|P100,BE,Running,0,537496,0
openb-pod-2,100,128,8,1000,,Burstable,Pending,600000,600094,
"""
NODES = """\
sn,cpu_milli,memory_mib,gpu,model
openb-node-0,32000,262144,0,
openb-node-1,96000,393216,2,P100
openb-node-2,96000,393216,8,G2
openb-node-3,96000,393216,2,T4
"""


def only_pod(job: k8s.VolcanoJob | Gang) -> k8s.Pod:
    """Return the pod of a job that is one pod, there when it arrives."""
    assert isinstance(job, Gang)
    [pod] = job.pods
    return pod


def test_pods_have_a_group_of_their_own(files: Files) -> None:
    """A pod arrives when it was created and runs from being scheduled to being deleted, or for as long as it waited."""
    workload = files.read({"pods.csv": PODS, "nodes.csv": NODES})
    jobs = [(arrival.time, arrival.job, arrival.timing["worker"].duration) for arrival in workload.arrivals]
    assert [(time, only_pod(job).metadata.name, duration) for time, job, duration in jobs] == [
        (0.0, "openb-pod-0-0", Fixed(537496.0)),
        (427061.0, "openb-pod-1-0", Fixed(475799.0)),
        (600000.0, "openb-pod-2-0", Fixed(94.0)),
    ]
    [container] = only_pod(jobs[1][1]).spec.containers
    assert container.resources.requests == {"cpu": "6000m", "memory": "12288Mi", "nvidia.com/gpu": "1"}
    assert container.resources.limits == {"nvidia.com/gpu": "1"}


def test_pods_ask_for_models_of_gpus(files: Files) -> None:
    """A pod with models of GPUs runs on nodes with one of these."""
    workload = files.read({"pods.csv": PODS, "nodes.csv": NODES})
    affinity = only_pod(next(iter(workload.arrivals)).job).spec.affinity
    assert affinity is not None
    assert affinity.node_affinity is not None
    assert affinity.node_affinity.required is not None
    [term] = affinity.node_affinity.required.node_selector_terms
    assert (term.match_expressions[0].key, term.match_expressions[0].values) == (MODEL_LABEL, ["V100M16", "P100"])
    assert workload.start.nodes[1].metadata.labels[MODEL_LABEL] == "P100"


def test_nodes_with_the_most_gpus_are_taken(files: Files) -> None:
    """Of the nodes, those with the most GPUs are taken, the first ones where there are equally many."""
    workload = files.read({"pods.csv": PODS, "nodes.csv": NODES}, ReadingOptions(most_nodes=2))
    assert [node.metadata.name for node in workload.start.nodes] == ["openb-node-2", "openb-node-1"]
    assert workload.start.nodes[0].status.allocatable == {
        "pods": "110",
        "cpu": "96000m",
        "memory": "393216Mi",
        "nvidia.com/gpu": "8",
    }


def test_the_class_of_service_can_name_queues(files: Files) -> None:
    """With --queue-by qos, there is a queue for each class of service."""
    workload = files.read({"pods.csv": PODS, "nodes.csv": NODES}, ReadingOptions(queue_of=QueueOf.QOS))
    assert [queue.metadata.name for queue in workload.start.queues] == ["be", "ls", "burstable"]


def test_a_snapshot_has_the_nodes(files: Files) -> None:
    """With a scenario beside the table, its nodes are used, and those of the table are not."""
    scenario = "apiVersion: vqs/v1\nkind: Scenario\nnodes: [{name: mine, cpu: 8, gpu: 8}]\n"
    workload = files.read({"pods.csv": PODS, "nodes.csv": NODES, "cluster.yaml": scenario})
    assert [node.metadata.name for node in workload.start.nodes] == ["mine"]
    assert len(list(workload.arrivals)) == 3


@pytest.mark.parametrize(
    ("change", "line", "column", "message"),
    [
        (("427061", "soon"), 2, 42, "creation_time: expected a time in seconds, from 0 to 100 years, got 'soon'"),
        (("902960", "-1"), 2, 49, "deletion_time: expected a time in seconds, from 0 to 100 years, got '-1'"),
        (("902960", "5"), 2, 49, "deletion_time: the pod is deleted before it is scheduled"),
        (("6000,", "6.5,"), 2, 13, "cpu_milli: expected a whole number, got '6.5'"),
        (("openb-pod-0", "openb-pod-1"), 3, 1, "name: openb-pod-1 is given twice"),
        (("LS,Running", "Running"), 2, 1, "expected 11 values, found 10"),
        (("num_gpu", "num_gpus"), 1, 1, "the column num_gpu is missing"),
        (("openb-pod-2", '"openb-pod-2" x'), 4, 1, "not valid CSV: ',' expected after '\"'"),
    ],
)
def test_wrong_values_have_places(files: Files, change: tuple[str, str], line: int, column: int, message: str) -> None:
    """What is wrong in a table is said with its line and column."""
    [error] = errors_in(files, {"pods.csv": PODS.replace(*change, 1), "nodes.csv": NODES})
    assert (Path(error.file).name, error.line, error.column, error.message) == ("pods.csv", line, column, message)


def test_both_tables_are_needed(files: Files) -> None:
    """A table of pods without nodes, of nodes without pods, and two tables of a kind are refused."""
    assert [each.message for each in errors_in(files, {"pods.csv": PODS})] == ["the recording has no nodes"]
    assert [each.message for each in errors_in(files, {"n.csv": NODES})] == [
        "there is no table of pods beside this one"
    ]
    twice = {"a.csv": PODS, "b.csv": PODS, "n.csv": NODES}
    assert [each.message for each in errors_in(files, twice)] == ["this is a second table of the same kind"]


def test_the_trace_itself_is_read(files: Files) -> None:
    """The trace of 150 days is read as a whole, where it is there."""
    folder = Path(__file__).parents[4] / "shared" / "replay"
    tables = [folder / "openb_pod_list_default.csv", folder / "openb_node_list_all_node.csv"]
    if not all(table.exists() for table in tables):
        pytest.skip("the trace is not here")
    workload = files.of_paths([str(table) for table in tables], ReadingOptions(most_nodes=24))
    assert sum(1 for _ in workload.arrivals) == 8152
    assert {node.status.allocatable["nvidia.com/gpu"] for node in workload.start.nodes} == {"8"}
