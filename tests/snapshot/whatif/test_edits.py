"""What-if edits change what they name and nothing else, and are read as they are written."""

from __future__ import annotations

import copy
import io
import json
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import CONF, gang, group, manifests, node, pod, queue, scheduler_conf
from tests.clusters import clusters
from tests.kubectl_dumps import cluster as dumped
from tests.kubectl_dumps import group_of, item, write_dump
from tests.properties import examples
from vqs.config.scheduler_conf import built_in_configuration
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.whatif import owners
from vqs.snapshot.whatif.edits import AddObject, CloneNode, Edit, Remove, Scale, SetValue, apply, parse_edits

SCENARIOS = Path(__file__).parents[3] / "scenarios"
FIRST_LOOK = str(SCENARIOS / "first-look.yaml")

VOLCANO_JOB: dict[str, Any] = {
    "apiVersion": "batch.volcano.sh/v1alpha1",
    "kind": "Job",
    "metadata": {"name": "train", "namespace": "ns"},
    "spec": {
        "minAvailable": 3,
        "schedulerName": "volcano",
        "queue": "default",
        "tasks": [
            {"name": name, "replicas": replicas, "template": {"spec": {"containers": [{"name": "c"}]}}}
            for name, replicas in (("launcher", 1), ("worker", 2))
        ],
    },
}


def cluster() -> Manifests:
    """Return a small cluster."""
    return manifests(
        [
            node("n1.example.com", gpu=2),
            node("n1"),
            queue("b", 2, capability={"cpu": 4, "nvidia.com/gpu": "2"}),
            gang("train", 2, queue="b"),
            group("run", phase="Running"),
            pod("run-worker-0", "run", node="n1"),
            pod("run-worker-1", "run", node="n1.example.com"),
        ]
    )


def edited(text: str, given: Manifests | None = None) -> Manifests:
    """Return manifests after one edit."""
    return parse_edits([text], cluster() if given is None else given)[1]


def refusal(text: str, given: Manifests | None = None) -> str:
    """Return what is said of an edit that cannot be made, with the advice."""
    with pytest.raises(InputErrors) as caught:
        edited(text, given)
    [diagnostic] = caught.value.diagnostics
    return f"{diagnostic.message} ({diagnostic.help})"


def queue_b(read: Manifests) -> Any:
    """Return the queue b."""
    return next(each for each in read.queues if each.metadata.name == "b")


def test_field() -> None:
    """A field gets a value of the type that it has."""
    assert queue_b(edited("queue/b.spec.weight=5")).spec.weight == 5


def test_key_with_dots_and_slashes() -> None:
    """A key in brackets may have dots and slashes."""
    changed = queue_b(edited('queue/b.spec.capability["nvidia.com/gpu"]=4'))
    assert changed.spec.capability == {"cpu": 4, "nvidia.com/gpu": 4}


def test_field_within_nothing() -> None:
    """What stands around a field is made where it is not there."""
    assert queue_b(edited("queue/b.spec.guarantee.resource.cpu=500m")).spec.guarantee.resource == {"cpu": "500m"}


@pytest.mark.parametrize("text", ["queue/b.spec.capability.cpu=", "queue/b.spec.capability.cpu=null"])
def test_null_takes_out(text: str) -> None:
    """Null, or nothing, takes a value out."""
    assert queue_b(edited(text)).spec.capability == {"nvidia.com/gpu": "2"}


def test_flow_value() -> None:
    """A value may be a whole object in one line."""
    assert queue_b(edited("queue/b.spec.capability={cpu: 8, memory: 1Gi}")).spec.capability == {
        "cpu": 8,
        "memory": "1Gi",
    }


def test_longest_name_wins() -> None:
    """A name with dots is found before the one that it begins with."""
    changed = edited("node/n1.example.com.spec.unschedulable=true")
    assert {each.metadata.name: each.spec.unschedulable for each in changed.nodes} == {
        "n1.example.com": True,
        "n1": False,
    }


def test_item_by_name_or_number() -> None:
    """An item of a list is named by its name or its number."""
    given = manifests([VOLCANO_JOB])
    for step in ("worker", "1", '"worker"'):
        changed = edited(f"job/ns/train.spec.tasks[{step}].replicas=5", given)
        assert [task.replicas for task in changed.volcano_jobs[0].spec.tasks] == [1, 5]


def test_implicit_queue() -> None:
    """A queue that the scheduler makes itself is written when it is edited."""
    changed = edited("queue/default.spec.weight=3")
    assert [(each.metadata.name, each.spec.weight) for each in changed.queues] == [("b", 2), ("default", 3)]
    assert len(changed.origins["queues"]) == 2
    assert changed.position("queues", 1) == (1, 1)
    assert edited("queue/root.spec.capability.cpu=3").queues[1].spec.reclaimable is False


def test_object_that_controllers_make() -> None:
    """The PodGroup that a Job will have can be edited, though nobody has written it; no pod is made twice."""
    given = manifests([node("n"), VOLCANO_JOB])
    changed = complete(edited("podgroup/ns/train.spec.minMember=2", given))
    assert [each.spec.min_member for each in changed.pod_groups] == [2]
    assert len(changed.pods) == 3


def test_edit_of_job_comes_before_that_of_its_pods() -> None:
    """What controllers make is made of the edited job, whatever the order of the edits."""
    given = manifests([node("n"), VOLCANO_JOB])
    texts = ["podgroup/ns/train.spec.minMember=2", "scale job/ns/train:worker=4"]
    changed = complete(parse_edits(texts, given)[1])
    assert [each.spec.min_member for each in changed.pod_groups] == [2]
    assert len(changed.pods) == 5


def test_clone_node() -> None:
    """Cloned nodes have names and hostnames of their own, and no pods."""
    changed = edited("clone-node n1=2", edited("clone-node n1=1"))
    assert [each.metadata.name for each in changed.nodes] == [
        "n1.example.com",
        "n1",
        *(f"n1-copy-{number}" for number in (1, 2, 3)),
    ]
    assert [each.metadata.labels["kubernetes.io/hostname"] for each in changed.nodes[2:]] == [
        f"n1-copy-{number}" for number in (1, 2, 3)
    ]
    assert len(changed.origins["nodes"]) == 5
    assert len(changed.pods) == len(cluster().pods)


def test_a_cloned_node_is_new() -> None:
    """It is idle and well, and has devices of its own; these go with it."""
    busy = node("n1")
    marks = {"vqs.volcano.sh/cpu-usage": "80", "vqs.volcano.sh/usage-time": "2026-01-01T00:00:00Z", "zone": "a"}
    busy["metadata"]["annotations"] = marks | {"volcano.sh/gpu-unhealthy-ids": "0"}
    lost = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}
    busy["status"]["conditions"] = [{"type": "MemoryPressure", "status": "Unknown"}, lost]
    offered = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "n1-gpus", "uid": "u"},
        "spec": {"nodeName": "n1", "driver": "d", "pool": {"name": "n1"}, "devices": [{"name": "gpu-0"}]},
    }
    elsewhere = {
        **offered,
        "metadata": {"name": "net"},
        "spec": {"allNodes": True, "driver": "d", "pool": {"name": "n"}},
    }
    changed = edited("clone-node n1=1", manifests([busy, offered, elsewhere]))
    assert changed.nodes[1].metadata.annotations == {"zone": "a"}
    assert [(each.type, each.status, each.reason) for each in changed.nodes[1].status.conditions] == [
        ("Ready", "True", "")
    ]
    found = [(each.metadata.name, each.spec.node_name, each.spec.pool.name) for each in changed.resource_slices]
    assert found == [("n1-gpus", "n1", "n1"), ("net", "", "n"), ("n1-gpus-n1-copy-1", "n1-copy-1", "n1-copy-1")]
    assert [each.spec.node_name for each in edited("remove node/n1", changed).resource_slices] == ["", "n1-copy-1"]


def test_a_cloned_node_runs_what_goes_with_its_node() -> None:
    """It has a pod of each DaemonSet, and the static pods; not those of others, nor those that end."""
    named = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [named]}}}
    volumes = [{"name": "own", "ephemeral": {}}, {"name": "shared", "persistentVolumeClaim": {"claimName": "c"}}]
    claims = [{"name": "gpu", "resourceClaimTemplateName": "t"}]
    spec = {"affinity": affinity, "volumes": volumes, "resourceClaims": claims}
    pods = [
        pod("proxy-1a", node="n1", owner="DaemonSet/proxy", spec=spec),
        pod("proxy-2b", node="n1", owner="DaemonSet/proxy"),
        pod("logs-3c", node="n1", owner="DaemonSet/logs", phase="Failed"),
        pod("dns-4d", node="n1", owner="DaemonSet/dns", deleted=True),
        pod("proxy-5e", node="n2", owner="DaemonSet/proxy"),
        pod("etcd-n1", node="n1", owner="Node/n1"),
        pod("web-6f", node="n1", owner="ReplicaSet/web"),
        pod("alone", node="n1"),
    ]
    changed = edited("clone-node n1=2", manifests([node("n1"), node("n2"), *pods]))
    new = changed.pods[len(pods) :]
    assert [(each.metadata.name, each.spec.node_name) for each in new] == [
        (f"{name}-n1-copy-{number}", f"n1-copy-{number}") for number in (1, 2) for name in ("proxy", "etcd")
    ]
    assert len({each.metadata.uid for each in changed.pods}) == len(changed.pods)
    assert len(changed.origins["pods"]) == len(changed.pods)
    assert [each.metadata.owner_references[0].name for each in new[:2]] == ["proxy", "n1-copy-1"]
    spec_of_copy = new[0].spec
    assert spec_of_copy.resource_claims == []
    assert spec_of_copy.affinity is None or spec_of_copy.affinity.node_affinity is None
    again = edited("clone-node n1-copy-1=1", changed).pods[len(changed.pods) :]
    assert [each.metadata.name for each in again] == ["proxy-n1-copy-1-copy-1", "etcd-n1-copy-1-copy-1"]


def test_pods_are_looked_through_once_for_all_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many nodes are added like one."""
    asked: list[str] = []
    monkeypatch.setattr(owners, "goes_with_its_node", lambda pod: asked.append(pod.metadata.name))
    apply(cluster(), [CloneNode("n1", 50)])
    assert asked == ["run-worker-0"]


def test_remove_node() -> None:
    """With a node goes what runs on it."""
    changed = edited("remove node/n1.example.com")
    assert [each.metadata.name for each in changed.nodes] == ["n1"]
    assert "run-worker-1" not in {each.metadata.name for each in changed.pods}
    assert len(changed.origins["pods"]) == len(changed.pods)


def test_remove_job() -> None:
    """A job of the scheduler goes with its pods; one of Volcano with its PodGroup."""
    changed = edited("remove job/ns/train")
    assert [each.metadata.name for each in changed.pod_groups] == ["run"]
    assert len(changed.pods) == 2
    made = complete(manifests([node("n"), VOLCANO_JOB]))
    given = manifests([node("n"), VOLCANO_JOB])
    given.pods, given.pod_groups, given.origins = made.pods, made.pod_groups, {**made.origins, **given.origins}
    gone = edited("remove job/ns/train", given)
    assert (gone.volcano_jobs, gone.pod_groups, gone.pods) == ([], [], [])


def test_scale() -> None:
    """A job gets more pods like those it has, or fewer, those without a node going first."""
    assert len(edited("scale job/ns/train=5").pods) == 7
    running = edited("scale job/ns/run=1")
    assert "run-worker-0" in {each.metadata.name for each in running.pods}
    more = edited("scale job/ns/run=4")
    assert [each.spec.node_name for each in more.pods[4:]] == ["", ""]
    assert len({each.metadata.name for each in more.pods}) == 6


def test_scale_volcano_job() -> None:
    """A task of a Volcano Job gets another number of replicas, unless the webhook would not have it."""
    given = manifests([node("n"), VOLCANO_JOB])
    assert len(complete(edited("scale job/ns/train:worker=6", given)).pods) == 7
    assert "minAvailable is greater" in refusal("scale job/ns/train:worker=1", given)
    assert "there are launcher, worker" in refusal("scale job/ns/train=6", given)


def started(phase: str = "Running") -> Manifests:
    """Return a cluster with a Volcano Job, its PodGroup in some phase, and its pods."""
    given = manifests([node("n"), queue("b"), VOLCANO_JOB])
    made = complete(given)
    made.volcano_jobs, made.origins = given.volcano_jobs, {**made.origins, **given.origins}
    for each in made.pod_groups:
        each.status.phase = phase
    return made


def test_minimum_of_a_started_volcano_job() -> None:
    """The PodGroup of a Volcano Job gets what the controller passes on: minima, what they need, and the priority."""
    texts = ["job/ns/train.spec.minAvailable=2", "job/ns/train.spec.tasks[worker].minAvailable=1"]
    high = "add {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 7}"
    given = started()
    changed = parse_edits([high, *texts, "job/ns/train.spec.priorityClassName=high"], given)[1]
    spec = changed.pod_groups[0].spec
    assert (spec.min_member, spec.min_task_member) == (2, {"launcher": 1, "worker": 1})
    assert (spec.min_resources or {})["count/pods"] == "2"
    assert spec.priority_class_name == "high"
    assert [each.spec.min_member for each in given.pod_groups] == [3]
    assert edited("job/ns/train.metadata.labels.a=b", given).pod_groups == given.pod_groups


def test_replicas_of_a_started_volcano_job() -> None:
    """Fewer replicas of a task are the same, whether they are set or scaled to: surplus pods and their minimum go."""
    smaller = edited("job/ns/train.spec.minAvailable=2", started())
    for text in ("job/ns/train.spec.tasks[worker].replicas=1", "scale job/ns/train:worker=1"):
        changed = edited(text, smaller)
        assert [each.metadata.name for each in changed.pods] == ["train-launcher-0", "train-worker-0"]
        assert [each.spec.min_task_member for each in changed.pod_groups] == [{"launcher": 1, "worker": 1}]
    more = complete(edited("job/ns/train.spec.tasks[worker].replicas=4", smaller))
    assert len(more.pods) == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "job/ns/train.spec.queue=b",
            "denies this change: spec.queue cannot be changed after creation, only minAvailable",
        ),
        ("job/ns/train.spec.queue=b", "(write podgroup/ns/train.spec.queue)"),
        (
            "job/ns/train.spec.tasks[worker].template.spec.priorityClassName=high",
            "spec.tasks[1].template.spec.priorityClassName cannot be changed after creation",
        ),
        (
            "job/ns/train.spec.tasks=[{name: a, replicas: 3, template: {spec: {containers: [{name: c}]}}}]",
            "no task can be added or removed after creation (delete and re-create it in one change",
        ),
    ],
)
def test_what_the_webhook_lets_nobody_change(text: str, said: str) -> None:
    """A field that cannot be changed in a Volcano Job that was started is refused; before that, it can be set."""
    assert said in refusal(text, started())
    new = manifests([node("n"), queue("b"), VOLCANO_JOB])
    assert edited(text, new).volcano_jobs != new.volcano_jobs
    waiting = started("Pending")
    waiting.pods, waiting.origins = [], {**waiting.origins, "pods": []}
    assert complete(edited(text, waiting)).pod_groups == complete(edited(text, new)).pod_groups


def test_scale_deployment() -> None:
    """A Deployment gets another number of pods."""
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "ns"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"schedulerName": "volcano", "containers": []}},
        },
    }
    assert len(complete(edited("scale deployment/ns/web=4", manifests([deployment]))).pods) == 4


def test_add() -> None:
    """An object can be added."""
    text = "add {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 7}"
    assert [each.value for each in edited(text).priority_classes] == [7]
    assert "already" in refusal(text, edited(text))


def test_configuration() -> None:
    """A value of the scheduler's configuration is set, and the rest means what it meant."""
    changed = edited("conf.actions=enqueue, allocate, preempt")
    before, after = cluster().scheduler, changed.scheduler
    assert after.actions == ("enqueue", "allocate", "preempt")
    assert after.tiers == before.tiers
    assert after.source == f"{before.source}, edited"
    assert changed.configuration is not None
    assert changed.configuration.diagnostics == ()
    assert changed.conf is not None
    assert changed.conf.text in [each.data["volcano-scheduler.conf"] for each in changed.config_maps]


def test_configuration_by_plugin_name() -> None:
    """A plugin is named by its tier and its name; what an unquoted scalar is stays for Volcano to decide."""
    conf = CONF.replace("name: proportion", "name: proportion\n    enableJobEnqueued: n\n    enableQueueOrder: 'on'")
    written = json.dumps(scheduler_conf(conf)).encode()
    refused = read_manifests(["-"], stdin=io.BytesIO(written), any_configuration=True)
    text = 'conf.tiers[1].plugins[binpack].arguments["binpack.weight"]=10'
    with pytest.raises(InputErrors, match="got the text 'on'"):
        edited(text, refused)
    given = manifests([node("n")], conf.replace("'on'", "on"))
    after = edited(text, given).scheduler
    options = {option.name: option for tier in after.tiers for option in tier.plugins}
    assert options["proportion"].flags == {"enableJobEnqueued": False, "enableQueueOrder": True}
    assert dict(options["binpack"].arguments) == {"binpack.weight": 10}


def test_dots_in_the_name_of_an_argument() -> None:
    """Where they are taken for steps, nothing would be set that Volcano reads: the error quotes the name."""
    for name in ("nodeorder].arguments.leastrequested.weight", "binpack].arguments.binpack.resources"):
        with pytest.raises(InputErrors) as raised:
            edited(f"conf.tiers[1].plugins[{name}=10", manifests([node("n")], CONF))
        assert raised.value.diagnostics[0].help.startswith('write arguments["')
    after = edited("conf.tiers[1].plugins[overcommit].arguments.own.deep=1", manifests([node("n")], CONF)).scheduler
    [overcommit] = [option for tier in after.tiers for option in tier.plugins if option.name == "overcommit"]
    assert dict(overcommit.arguments) == {"own": {"deep": 1}}


def test_built_in_configuration() -> None:
    """Without a configuration, the built-in one is edited."""
    given = manifests([node("n")])
    given.configuration = None
    unchanged = edited("conf.metrics=", given)
    built_in = built_in_configuration()
    read = unchanged.scheduler
    assert (read.actions, [[o.name for o in t.plugins] for t in read.tiers]) == (
        built_in.actions,
        [[o.name for o in t.plugins] for t in built_in.tiers],
    )


def test_refused_configuration() -> None:
    """An edit of the configuration that Volcano would refuse is refused."""
    with pytest.raises(InputErrors, match="failed to find Action 'preemt'"):
        parse_edits(["conf.actions=preemt"], cluster())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("queu/b.spec.weight=5", "no kind 'queu' (did you mean 'queue'?)"),
        ("queue/kk.spec.weight=5", "no queue 'kk' (there are b, default, root)"),
        ("scale job/ns/kk=5", "no job 'ns/kk' (there are ns/run, ns/train)"),
        ("remove priorityclass/high", "no priorityclass 'high' ()"),
        ("podgroup/ns/trian.spec.minMember=5", "no podgroup 'ns/trian' (did you mean 'ns/train'?)"),
        ("queue/b.spec.wieght=5", "spec has no field 'wieght' that matters here (did you mean 'weight'?)"),
        ("queue/b.weight=5", "the object has no field 'weight' that matters here (did you mean 'spec.weight'?)"),
        ("scale nosuch/kk=5", "no job 'nosuch/kk' (there are ns/run, ns/train)"),
        ("queue/b.spec.weight.a=5", "spec.weight is a single value and has no 'a'"),
        ("queue/b.spec.weight=five", ".spec.weight: expected a whole number, got the text 'five'"),
        ("queue/b.spec.weight=-1", ".spec.weight: -1 is out of range"),
        ("queue/b.spec.capability.cpu=5cores", "did you mean '5'?"),
        ("queue/b.spec.capability.nvidia.com/gpu=5", "write keys with dots or slashes in brackets"),
        (r'queue/b.metadata.labels["\q"]=1', r'cannot read the key "\q" (write \\ for a backslash)'),
        (r'queue/b.metadata.labels["\ud800"]=1', r'cannot read the key "\ud800"'),
        ("queue/b.metadata.labels.a=\udcff", r"queue/b.metadata.labels.a=\udcff: it is not valid UTF-8"),
        (f"queue/b.metadata.ownerReferences[{'9' * 5_000}].name=a", "has no item"),
        (f"clone-node n1={'9' * 5_000}", "expected NAME=NUMBER"),
        ("queue/b.spec.weight", "the value is missing"),
        ("queue/b=5", "the field is missing"),
        ("queue/b.metadata.name=c", "name identifies the object"),
        ("queue/b.spec.weight=[", "cannot read the value"),
        ("job/ns/train.spec.minAvailable=2", "write podgroup/ns/train"),
        ("conf.action=enqueue", "the configuration has no field 'action' (did you mean 'actions'?)"),
        ("conf.tiers[7].plugins=[]", "tiers has 2 items"),
        ("conf.tiers[0].plugins[gagn].enablePreemptable=true", "did you mean 'gang'?"),
        ("clone-node n2=4", "no node 'n2'"),
        ("clone-node n1=-1", "expected NAME=NUMBER"),
        ("conf.tiers[1].plugins[+]=", "tiers[1].plugins[+] is not there to be taken out"),
        ("conf.tiers[+].plugins[+].name=cdp", "expected a list"),
        ("clone-nod n1=4", "did you mean 'clone-node'?"),
        ("remove queue/c", "no queue 'c'"),
        ("remove queue/default", "the scheduler's own"),
        ("remove b", "write queue/b for a queue"),
        ("scale job/ns/tain=3", "did you mean 'ns/train'?"),
        ("scale queue/b=3", "a queue cannot be scaled: it has no pods"),
        ("scale job/ns/train:boss=3", "no task 'boss' (there are worker)"),
        ("add {kind: Flower, apiVersion: v1}", "objects of kind Flower in v1 are not used"),
    ],
)
def test_refusals(text: str, said: str) -> None:
    """What cannot be made is refused, with what was probably meant."""
    assert said in refusal(text)


@pytest.mark.parametrize("name", ["research/llama-finetune", "podgroup/research/llama-finetune"])
def test_a_job_is_scaled_by_its_name(name: str) -> None:
    """The kind may be left out, as only jobs can be scaled."""
    given = read_manifests([FIRST_LOOK])
    by_name, by_kind = (edited(f"scale {each}=3", given).pods for each in (name, "job/research/llama-finetune"))
    assert len(by_name) != len(given.pods)
    assert [pod.metadata.name for pod in by_name] == [pod.metadata.name for pod in by_kind]


def test_names_are_listed_where_they_are_few() -> None:
    """Of more than eight names none is listed; one that is close is always told."""
    many = manifests([node(f"n{number}") for number in range(9)])
    both = manifests([node("n"), VOLCANO_JOB, group("run"), pod("run-0", "run")])
    assert "no node 'x' ()" in refusal("remove node/x", many)
    assert "no node 'x' (there are n0, n1, n2, n3, n4, n5, n6, n7)" in refusal(
        "remove node/x", edited("remove node/n8", many)
    )
    assert "did you mean 'ns/run'?" in refusal("scale job/ns/runn=3", both)


def test_item_of_a_list_of_texts() -> None:
    """A text in a list has no name, so that it is known by its number."""
    place = f"{CHOSEN}.nodeSelectorTerms[0].matchExpressions[0].values"
    assert "no item 'b' (name an item by its number, as [0]; [+] adds one)" in refusal(f"{place}[b]=c", varied())
    assert edited(f"{place}[0]=c", varied()).pods != varied().pods


def test_an_item_is_added_to_a_list() -> None:
    """One that is named with a plus comes after the others, in the configuration and in objects."""
    tiers = edited("conf.tiers[1].plugins[+].name=cdp").scheduler.tiers
    assert [option.name for option in tiers[1].plugins][-1] == "cdp"
    assert [len(tier.plugins) for tier in tiers] == [
        len(tier.plugins) + number for number, tier in enumerate(cluster().scheduler.tiers)
    ]
    assert [o.name for o in edited("conf.tiers[+].plugins=[{name: cdp}]").scheduler.tiers[-1].plugins] == ["cdp"]
    place = f"{CHOSEN}.nodeSelectorTerms[0].matchExpressions[0].values"
    [chosen] = [each for each in edited(f"{place}[+]=c", varied()).pods if each.metadata.name == "chosen"]
    assert chosen.spec.affinity is not None
    assert "['b', 'c']" in str(chosen.spec.affinity.node_affinity)
    tainted = edited("node/n1.spec.taints[+]={key: k, effect: NoSchedule}", edited("node/n1.spec.taints=[]"))
    [node_1] = [each for each in tainted.nodes if each.metadata.name == "n1"]
    assert [taint.key for taint in node_1.spec.taints] == ["k"]


def test_no_copy_of_a_node() -> None:
    """Nothing changes where no copy is asked for, as at the start of a range."""
    assert [each.metadata.name for each in edited("clone-node n1=0").nodes] == [
        each.metadata.name for each in cluster().nodes
    ]


def test_key_of_any_characters_in_the_configuration() -> None:
    """A key of the configuration may have characters that JSON writes as two."""
    changed = edited('conf.tiers[0].plugins[gang].arguments["\U00010000\x85"]=1')
    arguments = {o.name: dict(o.arguments) for t in changed.scheduler.tiers for o in t.plugins}
    assert arguments["gang"] == {"\U00010000\x85": 1}


def test_all_errors_at_once() -> None:
    """Of several edits, everything that is wrong is said at once."""
    with pytest.raises(InputErrors) as caught:
        parse_edits(["queue/c.spec.weight=5", "queue/b.spec.weight=3", "remove node/n3"], cluster())
    assert len(caught.value.diagnostics) == 2


@pytest.mark.parametrize(
    "edit",
    [
        SetValue("queue", "", "b", ("spec", "weight"), 5),
        SetValue("queue", "", "b", ("spec", "capability", "nvidia.com/gpu"), "1500m"),
        SetValue("node", "", "n1.example.com", ("spec", "unschedulable"), True),
        SetValue("podgroup", "ns", "train", ("spec", "minResources"), {"cpu": "2"}),
        SetValue("conf", "", "", ("actions",), "enqueue, allocate, preempt"),
        SetValue("node", "", "n1", ("metadata", "labels", "a/b.c"), "yes: no"),
        SetValue("node", "", "n1", ("metadata", "labels", "x"), "true"),
        SetValue("queue", "", "b", ("spec", "capability"), None),
        CloneNode("n1", 10),
        Remove("job", "ns", "train"),
        Remove("queue", "", "b"),
        Scale("job", "ns", "train", 8),
        Scale("job", "ns", "train", 8, "worker"),
        AddObject({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n9"}}),
    ],
    ids=str,
)
def test_text_is_read_back(edit: Edit) -> None:
    """The text of an edit is read as the same edit."""
    assert parse_edits([str(edit)], cluster())[0] == [edit]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(),
        lambda inner: st.dictionaries(st.text(), inner),
        max_leaves=4,
    )
)
def test_any_annotation_is_read_back(value: Any) -> None:
    """Any text, number or object is read as it is written."""
    edit = AddObject({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}, "more": value})
    assert parse_edits([str(edit)], manifests([node("n")]))[0] == [edit]


@settings(max_examples=examples(60), deadline=None)
@given(st.text(min_size=1), st.text())
def test_any_key_is_read_back(key: str, value: str) -> None:
    """A key of a map may be any text, and so may its value."""
    edit = SetValue("node", "", "n1.example.com", ("metadata", "annotations", key), value)
    assert parse_edits([str(edit)], cluster())[0] == [edit]


CHOSEN = "pod/ns/chosen.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
PATHS = [
    "queue/b.spec.capability.cpu",
    "queue/b.metadata.ownerReferences[0].uid",
    "podgroup/ns/train.spec.minTaskMember.worker",
    "job/ns/train.spec.tasks[worker].template.spec.containers[0].resources.requests.cpu",
    "job/ns/train.spec.tasks[1].template.spec.tolerations[0].key",
    f"{CHOSEN}.nodeSelectorTerms[0].matchExpressions[0].values[0]",
    "conf.tiers[0].plugins[gang].arguments",
]


def paths() -> st.SearchStrategy[str]:
    """Return paths that go along one that there is, and then anywhere."""
    ways = [path[:end] for path in PATHS for end in range(len(path) + 1) if path[end : end + 1] in ".["]
    text = st.text(max_size=3)
    beyond = st.one_of(text, text.map(".{}".format), text.map("[{}]".format), text.map('["{}"]'.format))
    steps = st.sampled_from(["", "[a]", "[0]", ".a", r'["\q"]'])
    return st.builds("{}{}{}".format, st.sampled_from(ways), steps, st.just("") | beyond)


@cache
def varied() -> Manifests:
    """Return a cluster with something at the end of each way."""
    chosen = pod("chosen", "train")
    terms = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]}
    chosen["spec"]["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    return manifests([node("n"), queue("b", 2, capability={"cpu": 4}), VOLCANO_JOB, chosen])


@settings(max_examples=examples(200), deadline=None)
@given(paths(), st.text(max_size=5) | st.sampled_from(["1", "{}", "[]", "[{}]", "{a: 1}", "[a, b]", "9" * 5_000]))
def test_any_assignment_is_made_or_refused(path: str, value: str) -> None:
    """Whatever is set, wherever it is, it is made, and reads as it is written, or it is refused."""
    try:
        edits, _ = parse_edits([f"{path}={value}"], varied())
    except InputErrors:
        return
    assert parse_edits([str(edits[0])], varied())[0] == edits


EDITS: list[Edit] = [
    SetValue("queue", "", "q0", ("spec", "weight"), 9),
    CloneNode("n0", 2),
    Remove("node", "", "n0"),
    Remove("job", "ns", "job0"),
    Scale("job", "ns", "job0", 7),
    SetValue("conf", "", "", ("actions",), "allocate"),
    SetValue("podgroup", "ns", "job0", ("spec", "minMember"), 1),
]


def snapshot_of(read: Manifests) -> dict[str, Any]:
    """Return everything in manifests, so that a change to it shows."""
    return {
        each.name: copy.deepcopy(msgspec.to_builtins(value))
        for each in fields(read)
        if isinstance(value := getattr(read, each.name), list) and each.name not in ("scenarios", "expectations")
    }


@settings(max_examples=examples(40), deadline=None)
@given(clusters(), st.sampled_from(EDITS))
def test_given_manifests_stay_as_they_are(objects: list[Any], edit: Edit) -> None:
    """An edit changes neither the manifests that it is made to nor their objects, and shares the rest."""
    read = manifests(objects)
    before = snapshot_of(read)
    origins = {name: len(each) for name, each in read.origins.items()}
    changed = apply(read, [edit])
    assert snapshot_of(read) == before
    assert {name: len(each) for name, each in read.origins.items()} == origins
    for name, each in changed.origins.items():
        assert len(each) == len(getattr(changed, name))
    kept = {id(each) for name in origins for each in getattr(changed, name)}
    given_objects = [each for name in origins for each in getattr(read, name)]
    assert sum(id(each) not in kept for each in given_objects) <= (
        1 if isinstance(edit, SetValue) else len(read.pods) + 1
    )


def test_scenario_can_be_edited() -> None:
    """What a scenario stands for is edited like anything else, and simulated."""
    given = read_manifests([FIRST_LOOK])
    before = {each.name: each.decision for each in simulate(given, SimulateOptions()).jobs}
    after = simulate(edited("clone-node gpu-1=8", given), SimulateOptions())
    assert {each.name: each.decision for each in after.jobs} != before


@pytest.fixture
def rollout(tmp_path: Path) -> Manifests:
    """Return a dump of a Deployment in the middle of a rollout: it has two ReplicaSets, each with a PodGroup."""
    spec = {"replicas": 1, "selector": {}, "template": {"spec": {"schedulerName": "volcano", "containers": []}}}
    deployment = item(("apps/v1", "Deployment"), "web", namespace="a", spec=spec)
    sets = [
        item(("apps/v1", "ReplicaSet"), name, namespace="a", owner=deployment, spec=spec) for name in ("old", "new")
    ]
    groups = [each for owner in sets for each in group_of(owner, f"podgroup-{owner['metadata']['uid']}", cpu=1)]
    return read_manifests([write_dump(tmp_path / "dump.json", dumped([deployment, *sets, *groups]))])


def test_a_job_is_removed_with_the_controller_that_it_is_called_after(rollout: Manifests) -> None:
    """The Deployment above it, which has another job too, stays."""
    edited = parse_edits(["remove job/a/old"], rollout)[1]
    assert [each.metadata.name for each in (*edited.deployments, *edited.workloads)] == ["web", "new"]
    assert [each.metadata.name for each in edited.pods] == ["new-0"]


def test_a_name_of_several_jobs_is_refused(rollout: Manifests) -> None:
    """The name of a controller of two jobs does not say which of them is meant."""
    with pytest.raises(InputErrors) as refused:
        parse_edits(["remove job/a/web"], rollout)
    assert "there are 2 jobs 'a/web' (write one of a/old, a/new)" in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        'node/n1.status.allocatable["nvidia.com/gpu"]=7.5',
        'node/n1.status.capacity["example.com/fpga"]=500m',
        "node/n1.status.allocatable.pods=1.5",
        'pod/ns/run-worker-0.spec.containers[0].resources.requests["nvidia.com/gpu"]=0.5',
        'pod/ns/run-worker-0.spec.containers[0].resources.limits["nvidia.com/gpu"]=0.5',
        "add {apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: ns}, spec: {hard: {pods: 1.5}}}",
        "add {apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {containers: [{resources: {limits: {a/c: .5}}}]}}",
    ],
)
def test_devices_come_in_whole_numbers(text: str) -> None:
    """A fraction of what Kubernetes counts in whole numbers is refused, with the reason."""
    assert "denied by the API server" in refusal(text)
    assert "comes in whole numbers" in refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "pod/ns/run-worker-0.spec.containers[0].resources.requests.cpu=0.5",
        'node/n1.status.allocatable["nvidia.com/gpu"]=8',
        "add {apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: ns}, spec: {hard: {cpu: 1.5}}}",
    ],
)
def test_cpus_may_be_shared(text: str) -> None:
    """Parts of a cpu are amounts like others, and so are whole devices."""
    edited(text)
