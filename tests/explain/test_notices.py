"""What keeps a session from doing what one may expect is said."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest

from tests.build import CONF, gang, group, hyper_node, job_task, manifests, node, pod, queue, stored_job
from vqs.explain.jobs.report import explain_job
from vqs.explain.outcome import DiagnosticResult
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reading.reader import read_manifests


def notices(*objects: Any) -> dict[str, str]:
    """Return the warnings of a simulation by code."""
    return {each.code: each.message for each in diagnostics(*objects) if each.severity == "warning"}


def notes(*objects: Any) -> dict[str, str]:
    """Return the notes of a simulation by code."""
    return {each.code: each.message for each in diagnostics(*objects) if each.severity == "note"}


def diagnostics(*objects: Any) -> list[DiagnosticResult]:
    """Return what a simulation says besides its result."""
    return simulate(manifests([queue("default"), *objects]), SimulateOptions()).diagnostics


def test_an_ordinary_cluster_needs_no_notice() -> None:
    """Nothing is said where nothing is odd."""
    assert notices(node("n1"), gang("j", 1)) == {}


def test_the_scheduler_for_agents_is_named() -> None:
    """It is another program of Volcano: its pods and its nodes are told."""
    shard = {
        "apiVersion": "shard.volcano.sh/v1alpha1",
        "kind": "NodeShard",
        "metadata": {"name": "agent-scheduler"},
        "status": {"nodesInUse": ["n1", "n2"]},
    }
    agent = pod("agent", scheduler="agent-scheduler")
    said = notes(node("n1"), gang("j", 1), agent, shard)["agent-scheduler"]
    assert said == (
        "Volcano's scheduler for agents is not modelled: 1 pending pod (ns/agent) is left to it; "
        "2 nodes (such as n1) are in its NodeShard agent-scheduler"
    )


def test_what_the_scheduler_for_agents_holds_and_how_it_is_set_up_is_told() -> None:
    """The pods that it has placed, nodes that it is to have, its configuration, and that of the sharding controller."""
    shard = {
        "apiVersion": "shard.volcano.sh/v1alpha1",
        "kind": "NodeShard",
        "metadata": {"name": "agent-scheduler"},
        "spec": {"nodesDesired": ["n1", "n2"]},
        "status": {"nodesInUse": ["n1"]},
    }
    maps = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "volcano-system"},
            "data": {key: "actions: allocate"},
        }
        for name, key in (("agents", "agent-scheduler.conf"), ("shards", "sharding.yaml"))
    ]
    agent = pod("agent", node="n1", phase="Running", scheduler="agent-scheduler")
    said = notes(node("n1"), gang("j", 1), agent, shard, *maps)
    assert said["agent-scheduler"] == (
        "Volcano's scheduler for agents is not modelled: 1 pod (ns/agent on n1) was placed by it; "
        "1 node (n1) is in its NodeShard agent-scheduler; 1 node (n2) is to be; "
        "its configuration, ConfigMap volcano-system/agents, is not read"
    )
    assert said["sharding-controller"] == (
        "which nodes the sharding controller gives to whom by ConfigMap volcano-system/shards is not modelled: "
        "NodeShards count as they are"
    )


def test_objects_of_other_products_of_the_project_are_told_with_what_is_not_modelled() -> None:
    """By kind, those of volcano-global, and those of kthena; one of neither is counted plainly."""
    given = (
        ("training.volcano.sh/v1alpha1", "HyperJob"),
        ("datadependency.volcano.sh/v1alpha1", "DataSourceClaim"),
        ("workload.serving.volcano.sh/v1alpha1", "ModelBooster"),
        ("example.com/v1", "Model"),
    )
    others = [{"apiVersion": version, "kind": kind, "metadata": {"name": "x"}} for version, kind in given]
    said = [each.message for each in diagnostics(node("n1"), *others) if each.code == "ignored-kinds"]
    made = "pods that it has made count as they are, and what it would make of these objects is not modelled"
    goes = "to which cluster a job goes is not modelled, and what is in this one counts as it is"
    assert said == [
        "not used: 1 Model",
        f"not used, of kthena: 1 ModelBooster; {made}",
        f"not used, of volcano-global: 1 DataSourceClaim, 1 HyperJob; {goes}",
    ]


def test_a_cluster_without_nodes_is_noticed() -> None:
    """Without nodes, the answer to everything is the same."""
    assert "nothing can be placed" in notices(gang("j", 1))["no-nodes"]


def test_nodes_without_resources_are_counted() -> None:
    """A node that offers nothing is a node that does not count."""
    assert notices(node("n1", cpu=0, memory="0", pods=0), node("n2"))["empty-nodes"] == (
        "1 node (n1) has no allocatable resources"
    )


def test_pods_on_nodes_that_are_missing_are_counted() -> None:
    """They count for their queue, but take no room anywhere."""
    lost = [pod(f"r-{n}", "r", node="gone") for n in range(2)]
    assert notices(node("n1"), group("r", phase="Running"), *lost)["unknown-node"] == (
        "2 pods (such as ns/r-0 on gone) run on a node that is not in the snapshot"
    )


def test_overcommitted_nodes_are_counted() -> None:
    """A node with less than nothing idle takes nothing, and may refuse what asks for nothing."""
    running = pod("r-0", "r", cpu=9, node="n1")
    assert "n1" in notices(node("n1", cpu=8), group("r", phase="Running"), running)["overcommitted-nodes"]


def test_pod_groups_of_an_unknown_queue_are_counted() -> None:
    """Also those without pods, of which nothing else would be seen."""
    assert "ns/lost" in notices(node("n1"), group("lost", queue="nowhere"))["unknown-queue"]


def test_pods_of_no_job_are_counted_with_what_they_hold() -> None:
    """They take room that no queue's figures show."""
    stranger = pod("other", cpu=3, node="n1", scheduler="default-scheduler")
    assert (
        notes(node("n1"), stranger)["strangers"]
        == "1 pod (ns/other) belongs to no job and holds 3 cpu and 1Gi memory of the nodes"
    )


def test_pods_for_another_scheduler_are_named() -> None:
    """Somebody who forgot schedulerName finds out why nothing happens."""
    assert (
        notes(node("n1"), pod("x", scheduler="mine"))["other-scheduler"]
        == "1 pending pod (ns/x: mine) is left to other schedulers"
    )


NEAR_TEAM_A = {
    "topologyKey": "zone",
    "labelSelector": {},
    "namespaceSelector": {"matchLabels": {"team": "a"}},
}


def adding(name: str) -> str:
    """Say how a kind is added to a snapshot."""
    return f"run kubectl get {name} -A -o json > more.json, and read more.json beside the snapshot"


def missing(*objects: Any, conf: str = CONF) -> dict[str, tuple[str, str]]:
    """Return what is said of kinds that miss, and how to add each, by its name for kubectl."""
    found = simulate(manifests([*objects], conf), SimulateOptions()).diagnostics
    notes = [each for each in found if each.code == "missing-kind"]
    assert {each.severity for each in notes} <= {"note"}
    return {each.help.split()[3]: (each.message, each.help) for each in notes}


def test_a_kind_that_something_hangs_on_is_named_with_how_to_add_it() -> None:
    """All that hang on it are counted, the first is named, and what it does to the answer is said."""
    waiting = [gang(name, 1, queue="training") for name in ("a", "b")]
    assert missing(node("n1"), *waiting) == {
        "queues.scheduling.volcano.sh": (
            (
                "PodGroup ns/a and 1 more depend on a Queue, and the snapshot has none: "
                "jobs of other queues than default and root are ignored"
            ),
            adding("queues.scheduling.volcano.sh"),
        )
    }
    assert missing(node("n1"), queue("training"), *waiting) == {}


def test_priority_classes_that_miss_are_named() -> None:
    """Jobs have the priority of their class, which no pod tells."""
    job = gang("j", 1, priorityClassName="high")
    high = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7}
    assert list(missing(node("n1"), job)) == ["priorityclasses"]
    assert missing(node("n1"), job, high) == {}


def test_runtime_classes_that_miss_are_named_for_pods_that_no_cluster_has_seen() -> None:
    """Others were given what their class adds when they came."""
    new = pod("new", "j", spec={"runtimeClassName": "kata"})
    seen = pod("seen", "j", spec={"runtimeClassName": "kata"})
    del new["metadata"]["uid"]
    assert missing(node("n1"), group("j"), new)["runtimeclasses"][0].startswith("Pod ns/new depends on a RuntimeClass,")
    assert missing(node("n1"), group("j"), seen) == {}


def test_namespaces_that_miss_are_named_where_their_labels_count() -> None:
    """An empty selector takes all of them, whatever their labels are."""

    def near(selector: dict[str, Any]) -> dict[str, Any]:
        term = {"topologyKey": "zone", "labelSelector": {}, "namespaceSelector": selector}
        preferred = [{"weight": 1, "podAffinityTerm": term}]
        affinity = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
        return pod("p", "j", spec={"affinity": affinity})

    assert list(missing(node("n1"), group("j"), near({"matchLabels": {"team": "a"}}))) == ["namespaces"]
    assert missing(node("n1"), group("j"), near({})) == {}


def test_volcano_jobs_that_miss_are_named_where_pods_are_yet_to_come() -> None:
    """A PodGroup that has its pods tells enough."""
    waiting = group("j", phase="Pending")
    waiting["metadata"]["ownerReferences"] = [
        {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "j", "uid": "u", "controller": True}
    ]
    assert list(missing(node("n1"), waiting)) == ["jobs.batch.volcano.sh"]
    assert missing(node("n1"), waiting, pod("j-0", "j")) == {}


def test_pod_groups_that_miss_are_named_by_the_pods_that_belong_to_one() -> None:
    """Also by those that run: they hold room of no queue then. A pod that names none needs none."""
    waits, runs = pod("j-0", "j"), pod("j-1", "j", node="n1", phase="Running")
    for given, hanging in (([waits, runs], "Pod ns/j-0 and 1 more depend"), ([runs], "Pod ns/j-1 depends")):
        assert missing(node("n1"), *given) == {
            "podgroups.scheduling.volcano.sh": (
                f"{hanging} on a PodGroup, and the snapshot has none: pods belong to no job, so none is placed",
                adding("podgroups.scheduling.volcano.sh"),
            )
        }
    assert missing(node("n1"), waits, runs, group("j")) == {}
    assert missing(node("n1"), pod("x", node="n1", phase="Running", scheduler="default-scheduler")) == {}
    assert missing(node("n1"), pod("j-0", "j", node="n1", phase="Succeeded")) == {}


def test_pod_groups_of_a_cluster_that_miss_are_named_where_controllers_make_them_anew() -> None:
    """Made anew, no session has admitted them; for a Job that is not in a cluster yet, that is so."""
    pods = [pod(f"train-worker-{number}", "train-uid-train") for number in range(2)]
    _, job = stored_job("train", job_task(), minimum=2)
    assert missing(node("n1"), job, *pods)["podgroups.scheduling.volcano.sh"][0] == (
        "Pod ns/train-worker-0 and 1 more depend on a PodGroup, and the snapshot has none: those that controllers "
        "would create are used, as if no session had admitted any of them yet"
    )
    del job["metadata"]["uid"]
    assert missing(node("n1"), job) == {}


def test_pods_of_an_operator_that_miss_are_named_by_their_pod_group() -> None:
    """An operator makes pods at once, while those of a Volcano Job wait until its PodGroup is admitted."""
    waiting = group("ring", phase="Pending")
    waiting["metadata"]["ownerReferences"] = [
        {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "ring", "uid": "u", "controller": True}
    ]
    assert missing(node("n1"), waiting)["pods"][0] == (
        "PodGroup ns/ring depends on a Pod, and the snapshot has none: no pod is pending, and nodes seem empty"
    )
    assert missing(node("n1"), waiting, pod("ring-0", "ring")) == {}


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("runtimeclasses", {"runtimeClassName": "kata"}),
        ("priorityclasses", {"priorityClassName": "high"}),
        ("persistentvolumeclaims", {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}),
        (
            "namespaces",
            {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [NEAR_TEAM_A]}}},
        ),
    ],
)
def test_pods_that_do_not_exist_yet_hang_on_what_their_template_names(kind: str, spec: dict[str, Any]) -> None:
    """Their job has its PodGroup, and no session has admitted it yet."""
    task = job_task(replicas=2)
    task["template"]["spec"] |= spec
    found = missing(node("n1"), *stored_job("new", task, minimum=2))
    assert list(found) == [kind]
    assert found[kind][0].startswith("Pod ns/new-worker-0 and 1 more depend on a ")


def test_claims_that_the_controller_makes_are_not_missing() -> None:
    """A Job may describe the claims that its pods get."""
    of_job, job = stored_job("new", job_task(), minimum=2)
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    job["spec"]["volumes"] = [{"mountPath": "/data", "volumeClaim": claim}]
    assert missing(node("n1"), of_job, job) == {}


def test_nothing_is_missing_for_what_does_not_wait() -> None:
    """What a pod hung on when it was placed is over."""
    placed = pod("p", "j", node="n1", spec={"runtimeClassName": "kata"})
    assert missing(node("n1"), group("j", phase="Running", priorityClassName="high"), placed) == {}


def test_kinds_of_volumes_that_miss_come_with_how_to_add_them() -> None:
    """The plugin that asks for them warns."""
    claim = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
    warned = diagnostics(node("n1"), group("j"), pod("p", "j", spec={"volumes": [claim]}))
    [warning] = [each for each in warned if each.code == "volumes-unknown"]
    assert warning.help == adding("persistentvolumeclaims")


def test_a_queue_that_reclaim_leaves_with_less_than_it_deserves() -> None:
    """Queue a holds more cpu than it deserves, so that its only pod goes, and with it the GPUs that it deserves."""
    cluster: list[Any] = [
        *(node("n1", cpu=8, gpu=4), queue("a"), queue("b")),
        *(group("run", 1, "Running", queue="a"), pod("run-0", "run", 7, node="n1", requests={"nvidia.com/gpu": 2})),
        gang("wants", 1, cpu=4, queue="b"),
    ]
    conf = CONF.replace("allocate, ", "allocate, reclaim, ")
    found = [each for each in simulate(manifests(cluster, conf), SimulateOptions()).diagnostics if each.help]
    assert [(each.code, each.severity, each.message) for each in found] == [
        (
            "reclaim-below-deserved",
            "warning",
            (
                "reclaim takes 1 task from queue a and leaves it less than it deserves: "
                "0 of 4 cpu, 0 of 1Gi memory and 0 of 2 nvidia.com/gpu"
            ),
        )
    ]


def test_what_waiting_jobs_say_to_a_plugin_that_is_not_used() -> None:
    """A network topology, a waiting time and shares of cards are told of, but nothing of what runs already."""
    waits, runs = group("w"), group("r", phase="Running")
    waits["metadata"]["annotations"] = {"sla-waiting-time": "1h"}
    runs["metadata"]["annotations"] = {"volcano.sh/cooldown-time": "10m"}
    found = [
        each.message
        for each in diagnostics(
            node("n1"),
            *(group("t", networkTopology={"mode": "hard"}), pod("t-0", "t")),
            *(waits, pod("w-0", "w", requests={"volcano.sh/vgpu-number": 1})),
            *(runs, pod("r-0", "r", node="n1")),
        )
        if each.code == "field-without-plugin"
    ]
    assert [message.partition(",")[0] for message in found] == [
        "1 job (ns/t) sets a network topology",
        "1 job (ns/w) sets a waiting time",
        "1 job (ns/w) sets shares of cards",
    ]


def test_the_configuration_that_misses_is_named_for_a_cluster() -> None:
    """Other ConfigMaps are none; what no cluster has seen needs none."""
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "namespace": "ns"}, "data": {}}

    def without_configuration(*objects: Any) -> list[tuple[str, str]]:
        items = [each for entry in objects for each in (entry if isinstance(entry, list) else [entry])]
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
        given = read_manifests(["-"], stdin=BytesIO(text.encode()))
        found = simulate(given, SimulateOptions()).diagnostics
        return [(each.message, each.help) for each in found if each.code == "missing-kind"]

    assert without_configuration(node("n1"), queue("default"), gang("j", 1), other) == [
        (
            (
                "the snapshot has no ConfigMap with volcano-scheduler.conf: "
                "Volcano's built-in configuration is used instead of the cluster's own"
            ),
            (
                "run kubectl get configmap volcano-scheduler-configmap -n volcano-system -o json > conf.json, and read "
                "conf.json beside the snapshot, or give the file with --conf"
            ),
        )
    ]
    new = gang("j", 1)
    del new[0]["metadata"]["uid"]
    assert without_configuration(node("n1"), new) == []
    assert missing(node("n1"), gang("j", 1)) == {}


def test_quotas_that_miss_are_named_where_they_decide() -> None:
    """The plugin resourcequota reads them for the jobs that ask to enter their queues, and concerns no others."""
    waiting, conf = gang("j", 1, phase="Pending"), CONF.replace("- name: gang", "- name: gang\n  - name: resourcequota")
    assert "resourcequota" in conf
    assert missing(node("n1"), waiting, conf=conf) == {
        "resourcequotas": (
            (
                "quotas decide whether PodGroup ns/j can be admitted, and the snapshot has none: "
                "namespaces are assumed to have no quota"
            ),
            adding("resourcequotas"),
        )
    }
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "ns"}}
    assert missing(node("n1"), waiting, quota, conf=conf) == missing(node("n1"), waiting) == {}


def elsewhere(found: list[DiagnosticResult]) -> dict[str, bool]:
    """Return what is said, by code, and whether it is about others."""
    return {each.code: each.elsewhere for each in found}


def test_a_report_on_a_job_or_a_queue_marks_what_is_about_others() -> None:
    """It is all there, and about others is what says nothing of the job, of its queue, and of the whole session."""
    partitioned = gang("apart", 1, queue="b")
    partitioned[0]["spec"]["networkTopology"] = {"mode": "hard", "highestTierAllowed": 1}
    lost = gang("lost", 1, queue="nowhere")
    given = manifests([queue("default"), queue("b"), gang("j", 1), partitioned, lost, pod("alone", scheduler="other")])
    options = SimulateOptions()
    whole = {"no-nodes": False, "other-scheduler": False, "unknown-queue": False, "field-without-plugin": False}
    assert elsewhere(simulate(given, options).diagnostics) == whole
    of_others = {**whole, "other-scheduler": True, "unknown-queue": True}
    assert elsewhere(explain_job(given, options, "j").diagnostics) == {**of_others, "field-without-plugin": True}
    assert elsewhere(explain_job(given, options, "apart").diagnostics) == of_others
    assert elsewhere(explain_queues(given, options, "default").diagnostics) == {
        **of_others,
        "field-without-plugin": True,
    }
    assert elsewhere(explain_queues(given, options, "b").diagnostics) == of_others
    assert elsewhere(explain_queues(given, options).diagnostics) == whole


def test_a_tier_that_no_hyper_node_is_of() -> None:
    """A hard network topology has no limit where the name of its tier is unknown; with a known one, it has."""

    def warnings(name: str) -> list[str]:
        waiting = group("j", 1, networkTopology={"mode": "hard", "highestTierName": name})
        leaf = hyper_node("leaf", 1, nodes=["n1"])
        leaf["spec"]["tierName"] = "rack"
        conf = f"{CONF}  - name: network-topology-aware\n"
        found = simulate(manifests([node("n1"), leaf, waiting, pod("j-0", "j")], conf), SimulateOptions())
        return [each.message for each in found.diagnostics if each.code == "unknown-tier-name"]

    assert warnings("rack") == []
    assert warnings("rak") == [
        "1 job (ns/j) asks for no tier above rak, which is the tierName of no HyperNode: there is no limit"
    ]
