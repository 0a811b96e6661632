"""`vqs diff-configs --fail-on` over changes that seem to change nothing, as nobody looks at what they change."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.cli.changes import CLUSTER, CONF, QUEUE, git
from vqs.cli.main import main

Told = Callable[[], str]

COMMAND = "apiVersion: bus.volcano.sh/v1alpha1\nkind: Command\nmetadata: {name: %s}\naction: %s\n"
DEVICES = """\
apiVersion: vqs/v1
kind: Scenario
deviceClasses:
  - {name: gpu, driver: gpu.example.com}
nodes:
  - {name: n1, cpu: 4, memory: 16Gi, devices: [{driver: gpu.example.com, name: gpu, count: 2}]}
queues:
  - {name: a}
jobs:
  - {name: train, queue: a, replicas: 2, cpu: 1, memory: 1Gi, devices: [{name: gpu, class: gpu}]}
"""
TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "4"}}}]}}


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Told:
    """Stand in a repository with two queues in one file, and return what the gate says of the change in it."""
    (tmp_path / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")
    (tmp_path / "repo" / "queues").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repo")
    Path("queues/queues.yaml").write_text(f"{QUEUE % ('a', 1)}---\n{QUEUE % ('b', 1)}", encoding="utf-8")
    Path("volcano-scheduler.conf").write_text(CONF % "enqueue, allocate", encoding="utf-8")
    git("init")
    commit()

    def tell() -> str:
        command = ["diff-configs", "--base-ref", "main", "--on", "../cluster.yaml", "queues", "volcano-scheduler.conf"]
        code = main([*command, "--fail-on", "findings", "--format", "json"])
        written = capsys.readouterr()
        if code not in (0, 1):
            return written.err
        findings = json.loads(written.out)["findings"]
        assert code == bool(findings)
        return "\n".join(f"{each['finding']['code']}: {each['finding']['message']}" for each in findings)

    return tell


def commit() -> None:
    """Commit all that there is."""
    git("add", "--all")
    git("commit", "-m", "as it is")


def test_an_object_that_is_not_looked_at_is_changed(told: Told) -> None:
    """What another text of an object does is as little known as what a new one or a deletion does."""
    file = Path("queues/command.yaml")
    file.write_text(COMMAND % ("x", "ResumeJob"), encoding="utf-8")
    commit()
    assert told() == ""
    file.write_text(COMMAND % ("x", "TerminateJob"), encoding="utf-8")
    assert "ignored-kinds: not looked at: 1 Command, changed: x; " in told()
    file.write_text(COMMAND % ("y", "ResumeJob"), encoding="utf-8")
    assert "not looked at: 1 Command, new: y; " in told()
    assert "not looked at: 1 Command, gone: x; " in told()


def test_a_webhook_or_a_role_in_a_change(told: Told) -> None:
    """What decides on who may do what in a cluster is no news in a snapshot, and is in a change."""
    Path("queues/hook.yaml").write_text(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: v}\n",
        encoding="utf-8",
    )
    Path("queues/secret.yaml").write_text("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n", encoding="utf-8")
    assert "not looked at: 1 ValidatingWebhookConfiguration, new: v; " in told()
    assert "Secret" not in told()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "Secret", "metadata": {"name": "volcano-admission-secret"}}, "1 Secret, new"),
        ({"kind": "Service", "metadata": {"name": "v-admission-service"}}, "1 Service, new"),
        (
            {"kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"volcano-admission.conf": "a: b"}},
            "1 ConfigMap, new",
        ),
        ({"kind": "ServiceAccount", "metadata": {"name": "x", "namespace": "volcano-system"}}, "1 ServiceAccount, new"),
    ],
)
def test_what_belongs_to_volcano(change: dict[str, object], said: str, told: Told) -> None:
    """What the webhooks are configured by, and what stands in Volcano's namespace, may change what is admitted."""
    Path("queues/volcano.json").write_text(json.dumps({"apiVersion": "v1", **change}), encoding="utf-8")
    assert f"not looked at: {said}" in told()


def test_what_is_not_read_is_counted(told: Told, capsys: pytest.CaptureFixture[str]) -> None:
    """What says nothing to a scheduler is no finding; the summary counts it by kind, whatever the format."""
    objects = [{"apiVersion": "v1", "kind": kind, "metadata": {"name": "s"}} for kind in ("Secret", "ConfigMap")]
    template = {"spec": {**TEMPLATE["spec"], "schedulerName": "volcano", "activeDeadlineSeconds": 9}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": template}}
    file = Path("queues/more.json")
    write = {"apiVersion": "v1", "kind": "List", "items": [*objects, job]}
    file.write_text(json.dumps(write), encoding="utf-8")
    commit()
    assert told() == ""
    policy = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "p"}}
    slices = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": {"name": "e", "uid": "1"}}
    changed = [{**objects[0], "data": {"a": "b"}}, policy, slices]
    text = json.dumps({**write, "items": [*changed, job]}).replace(": 9}", ": 1}")
    file.write_text(text, encoding="utf-8")
    assert told() == ""
    command = ["diff-configs", "--base-ref", "main", "--on", "../cluster.yaml", "queues", "--fail-on", "findings"]
    for shown in ("table", "markdown", "html", "github", "sarif", "junit", "gitlab"):
        assert main([*command, "--format", shown]) == 0
        out = " ".join(capsys.readouterr().out.split())
        counted = "1 ConfigMap, 1 Job activeDeadlineSeconds, 1 NetworkPolicy and 1 Secret"
        assert "No change in what vqs models" in out, shown
        assert f"{counted} changed, but not read" in out, shown
    assert main([*command, "--format", "json"]) == 0
    kinds = {each["kind"]: {**each} for each in json.loads(capsys.readouterr().out)["notRead"]}
    assert {kind: [each.get(key, 0) for key in ("new", "changed", "gone")] for kind, each in kinds.items()} == {
        "ConfigMap": [0, 0, 1],
        "Job activeDeadlineSeconds": [0, 1, 0],
        "NetworkPolicy": [1, 0, 0],
        "Secret": [0, 1, 0],
    }


@pytest.mark.parametrize("kind", ["StatefulSet", "ReplicaSet", "Deployment"])
@pytest.mark.parametrize("uid", ["", "1"])
def test_a_workload_for_another_scheduler(kind: str, uid: str, told: Told) -> None:
    """Pods that another scheduler places take room, whoever makes them, and whatever uid the change claims."""
    metadata = {"name": "hog", "uid": uid} if uid else {"name": "hog"}
    workload = {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": {"template": TEMPLATE}}
    Path("queues/hog.json").write_text(json.dumps(workload), encoding="utf-8")
    assert f"not looked at: 1 {kind} for another scheduler, new: hog; " in told()


def test_a_pod_for_another_scheduler(told: Told) -> None:
    """So does a pod by itself, and what a ReplicationController makes."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "hog", "namespace": "ns"}, **TEMPLATE}
    controller = {"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "rc"}, "spec": {}}
    Path("queues/pod.json").write_text(json.dumps(pod), encoding="utf-8")
    Path("queues/rc.json").write_text(json.dumps(controller), encoding="utf-8")
    assert "not looked at: 1 Pod for another scheduler, new: ns/hog; " in told()
    assert "not looked at: 1 ReplicationController, new: rc; " in told()


def test_hidden_files_that_are_changed(told: Told) -> None:
    """A hidden file is told where it is new, and where only what it says is; so is one in a hidden folder."""
    for name in (".a.yaml", ".below/b.yml"):
        Path("queues", name).parent.mkdir(exist_ok=True)
        Path("queues", name).write_text(QUEUE % ("a", 1), encoding="utf-8")
    assert "not looked at: 2 hidden files, new: .a.yaml and .below/b.yml; " in told()
    commit()
    assert told() == ""
    Path("queues/.a.yaml").write_text(QUEUE % ("a", 9), encoding="utf-8")
    Path("queues/.below/b.yml").unlink()
    assert "hidden-file: not looked at: 1 hidden file, changed: .a.yaml; " in told()
    assert "hidden-file: not looked at: 1 hidden file, gone: .below/b.yml; " in told()


def test_hidden_things_that_kubectl_does_not_read(told: Told) -> None:
    """Other hidden files, what git keeps, and links that lead nowhere are none of anybody's business."""
    Path("queues/.git").mkdir()
    Path("queues/.git/config.yaml").write_text("x", encoding="utf-8")
    Path("queues/.notes.txt").write_text("x", encoding="utf-8")
    Path("queues/.tool").mkdir()
    Path("queues/.tool/lost.yaml").symlink_to("nowhere.yaml")
    assert told() == ""


def test_a_file_that_kubectl_does_not_read(told: Told) -> None:
    """A change that moves a manifest to where kubectl does not find it takes its objects out of the cluster."""
    file = Path("queues/queues.yaml")
    for name, why in (
        ("queues.YAML", "its file's name does not end in .json, .yaml, .yml"),
        ("below/queues.yaml", "its file is in a folder below the one that is named"),
    ):
        moved = Path("queues", name)
        moved.parent.mkdir(exist_ok=True)
        file.rename(moved)
        assert f"not-applied: kubectl apply does not read Queue a and 1 more: {why}" in told()
        moved.rename(file)
    Path("queues/queues.yaml.gz").write_bytes(gzip.compress(file.read_bytes()))
    file.unlink()
    assert "not-applied: kubectl apply does not read Queue a and 1 more: its file is packed" in told()


def test_objects_that_a_change_puts_into_a_scenario(told: Told) -> None:
    """Kubectl knows no scenarios: what one stands for, lists or includes is not in the cluster."""
    Path("queues/queues.yaml").rename("queues/queues.txt")
    scenario = "apiVersion: vqs/v1\nkind: Scenario\n%s\n"
    Path("queues/all.yaml").write_text(scenario % "queues: [{name: a}, {name: b}]", encoding="utf-8")
    assert "kubectl apply does not read Queue a and 1 more: it is part of a scenario" in told()
    Path("queues/all.yaml").write_text(scenario % "include: [queues.txt]", encoding="utf-8")
    assert "kubectl apply does not read Queue a and 1 more: it is in a file that a scenario includes" in told()
    listed = [yaml.safe_load(QUEUE % (name, 1)) for name in ("a", "b")]
    Path("queues/all.yaml").write_text(scenario % f"manifests: {json.dumps(listed)}", encoding="utf-8")
    assert "kubectl apply does not read Queue a and 1 more: it is part of a scenario" in told()


def test_where_the_base_keeps_its_manifests(told: Told) -> None:
    """Who applies with -R has folders below in the base too, and may add to them."""
    Path("queues/below").mkdir()
    Path("queues/below/c.yaml").write_text(QUEUE % ("c", 1), encoding="utf-8")
    commit()
    Path("queues/below/d.yaml").write_text(QUEUE % ("d", 1), encoding="utf-8")
    assert told() == ""


def test_a_node_that_a_change_brings(told: Told) -> None:
    """What a change would do is not hidden by a node that nobody has: no machine is made by its manifest."""
    size = {"cpu": "1000", "pods": "1000"}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n9"}, "status": {"allocatable": size}}
    Path("queues/node.json").write_text(json.dumps(node), encoding="utf-8")
    assert "not-applied: Node n9 is not in the snapshot: " in told()
    commit()
    assert told() == ""


def test_a_submodule_in_a_change(told: Told) -> None:
    """What a submodule has may not be here when a change is judged, and be here when it is applied."""
    git("update-index", "--add", "--cacheinfo", f"160000,{git('rev-parse', 'HEAD')},queues/elsewhere")
    Path("queues/elsewhere").mkdir()
    assert "'queues/elsewhere' is a submodule, and what it has is in a repository of its own" in told()


@pytest.mark.parametrize("known", ["uid: '1'", "resourceVersion: '1'"])
def test_what_only_claims_to_be_from_a_cluster(known: str, told: Told) -> None:
    """Whatever an object in git says of itself, it is applied, and checked as what is applied."""
    text = f"apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {{name: c, {known}}}\n"
    for spec, said in (("{weight: 70000}", "70000 is out of range"), ("{capability: {cpu: -1}}", "is less than zero")):
        Path("queues/c.yaml").write_text(f"{text}spec: {spec}\nstatus: {{state: Open}}\n", encoding="utf-8")
        assert said in told()


def test_a_template_that_the_base_has_changed_already(told: Told) -> None:
    """A snapshot that does not know the last change yet hides none of the next one."""
    file = Path("queues/set.json")
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "s", "uid": "1", "controller": True}
    metadata = {"name": "s-0", "namespace": "default", "uid": "2", "ownerReferences": [owner]}

    def stateful_set(cpu: str, uid: str = "") -> dict[str, object]:
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
        spec = {"replicas": 1, "template": {"spec": {"schedulerName": "volcano", "containers": [container]}}}
        return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "s", "uid": uid}, "spec": spec}

    stored = [stateful_set("1", "1"), {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, **TEMPLATE}]
    with Path("../cluster.yaml").open("a", encoding="utf-8") as cluster:
        cluster.write("".join(f"---\n{json.dumps(each)}\n" for each in stored))
    file.write_text(json.dumps(stateful_set("2")), encoding="utf-8")
    commit()
    assert told() == ""
    file.write_text(json.dumps(stateful_set("3")), encoding="utf-8")
    assert "StatefulSet default/s has another pod template than the base" in told()


def test_a_time_that_a_change_sets(told: Told) -> None:
    """Whoever writes a change does not decide unseen how long jobs have waited."""
    text = "apiVersion: vqs/v1\nkind: Scenario\nnow: 2099-01-01T00:00:00Z\nqueues: []\n"
    Path("queues/now.yaml").write_text(text, encoding="utf-8")
    assert "not-applied: now: a Scenario of the change sets the time of the sessions" in told()
    commit()
    assert told() == ""


def test_an_object_whose_kind_ends_like_that_of_a_list(told: Told) -> None:
    """It is no empty List: it is not looked at, and told."""
    text = "apiVersion: example.com/v1\nkind: AllowList\nmetadata: {name: z}\n"
    Path("queues/z.yaml").write_text(text, encoding="utf-8")
    assert "not looked at: 1 AllowList, new: z; " in told()


@pytest.mark.parametrize(
    "setting",
    [
        "flags: {scheduler-sharding-mode: hard, scheduler-sharding-name: x}",
        'volcano: "1.13"',
        "behaviours: {}",
        "expect: {}",
        "startDelays: {}",
        "latencies: {}",
        "nodeEvents: []",
    ],
)
def test_a_setting_that_a_change_brings(setting: str, told: Told) -> None:
    """The setting of the sessions belongs to whoever compares: a change of it is a finding, and has no effect."""
    Path("queues/zz.yaml").write_text(f"apiVersion: vqs/v1\nkind: Scenario\n{setting}\n", encoding="utf-8")
    key = setting.partition(":")[0]
    assert f"not-applied: {key}: a Scenario of the change sets" in told()
    commit()
    assert told() == ""
    Path("queues/zz.yaml").unlink()
    assert "a Scenario of the change no longer sets" in told()


def plain(capsys: pytest.CaptureFixture[str]) -> str:
    """Return what was written, on one line."""
    return " ".join(capsys.readouterr().out.split())


def conditions(figures: str) -> int:
    """Return the exit status of the gate under some conditions."""
    command = ["diff-configs", "--base-ref", "main", "--on", "../cluster.yaml", "queues", "volcano-scheduler.conf"]
    return main([*command, "--fail-on", figures])


@pytest.mark.parametrize(
    ("kind", "rest", "touches"),
    [
        ("bus.volcano.sh/v1alpha1 Command", {}, True),
        ("example.com/v1 Fleet", {"spec": {"template": {"spec": {"schedulerName": "volcano"}}}}, True),
        ("autoscaling/v2 HorizontalPodAutoscaler", {}, True),
        ("admissionregistration.k8s.io/v1 MutatingWebhookConfiguration", {}, True),
        ("apps/v1 DaemonSet", {"spec": {"template": {"spec": {"schedulerName": "volcano"}}}}, True),
        ("apps/v1 DaemonSet", {"spec": {"template": TEMPLATE}}, False),
        ("apps/v1 DaemonSet", {"spec": {"template": {"spec": {"containers": [{"image": "x/vc-scheduler"}]}}}}, True),
        ("apiextensions.k8s.io/v1 CustomResourceDefinition", {}, False),
        ("monitoring.coreos.com/v1 PrometheusRule", {}, False),
        (
            "monitoring.coreos.com/v1 PrometheusRule",
            {"metadata": {"name": "x", "namespace": "volcano-system"}},
            True,
        ),
        ("rbac.authorization.k8s.io/v1 ClusterRole", {}, False),
    ],
)
def test_what_is_left_out_holds_conditions(
    kind: str, rest: dict[str, object], touches: bool, told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    """A condition on jobs holds where a change brings what is not looked at and could touch them; on others, never."""
    version, _, name = kind.partition(" ")
    value = {"apiVersion": version, "kind": name, "metadata": {"name": "x"}, **rest}
    Path("queues/left-out.yaml").write_text(yaml.safe_dump(value), encoding="utf-8")
    assert f"not looked at: 1 {name}" in told()
    assert conditions("evictions") == touches
    assert ("evictions is unknown" in plain(capsys)) is touches
    assert conditions("removed") == 0


def test_rights_that_are_taken_away_hold_conditions(told: Told) -> None:
    """A role that is changed may be one that the scheduler needs, so that what becomes of jobs is unknown."""
    role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\nrules: %s\n"
    Path("queues/role.yaml").write_text(role % "[{verbs: [get]}]", encoding="utf-8")
    commit()
    assert told() == ""
    Path("queues/role.yaml").write_text(role % "[]", encoding="utf-8")
    assert conditions("evictions") == 1


@pytest.mark.parametrize(
    ("selector", "held"),
    [
        ("true", 0),
        ('"%.3e".format([1.5]) == "x"', 1),
        ("(" * 400 + "true" + ")" * 400, 1),
    ],
)
def test_a_selector_that_cannot_be_evaluated(
    selector: str, held: int, told: Told, capsys: pytest.CaptureFixture[str]
) -> None:
    """A selector of a change that vqs does not evaluate counts as true in the session, and conditions hold."""
    Path("../cluster.yaml").write_text(DEVICES, encoding="utf-8")
    allows = "  - name: predicates\n    arguments: {predicate.DynamicResourceAllocationEnable: true}\n"
    conf = (CONF % "enqueue, allocate").replace("  - name: predicates\n", allows)
    Path("volcano-scheduler.conf").write_text(conf, encoding="utf-8")
    commit()
    assert told() == ""
    device_class = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu"},
        "spec": {"selectors": [{"cel": {"expression": f'device.driver == "gpu.example.com" && {selector}'}}]},
    }
    Path("queues/class.yaml").write_text(yaml.safe_dump(device_class), encoding="utf-8")
    assert conditions("unplaced") == held
    assert ("unplaced is unknown: it hangs on selector #0 of class gpu" in plain(capsys)) == held


def test_an_extender_that_is_not_asked(told: Told) -> None:
    """What a new extender decides is not known, and conditions hold; that of the base is none of the change."""
    assert told() == ""
    conf = Path("volcano-scheduler.conf")
    old = conf.read_text(encoding="utf-8")
    extender = "  - name: extender\n    arguments: {extender.urlPrefix: 'http://x', extender.queueOverusedVerb: %s}\n"
    conf.write_text(old + extender % "q", encoding="utf-8")
    command = ["diff-configs", "--base-ref", "main", "--on", "../cluster.yaml", "queues", "volcano-scheduler.conf"]
    assert main([*command, "--fail-on", "evictions"]) == 1
    commit()
    assert main([*command, "--fail-on", "evictions"]) == 0
    conf.write_text(old + extender % "other", encoding="utf-8")
    assert main([*command, "--fail-on", "evictions"]) == 1


def test_strict_conditions(told: Told) -> None:
    """All conditions at their strictest: any setting that differs is enough, and nothing holds without a change."""
    assert told() == ""
    command = ["diff-configs", "--base-ref", "main", "--on", "../cluster.yaml", "queues", "volcano-scheduler.conf"]
    assert main([*command, "--fail-on", "strict"]) == 0
    Path("volcano-scheduler.conf").write_text(CONF % "enqueue, allocate, backfill", encoding="utf-8")
    assert main([*command, "--fail-on", "strict"]) == 1


def test_a_deleted_object_that_was_passed_over(told: Told) -> None:
    """What is said of it names the revision, and no folder that is gone."""
    file = Path("queues/command.yaml")
    file.write_text(COMMAND % ("x", "ResumeJob"), encoding="utf-8")
    commit()
    file.unlink()
    command = ["diff-configs", "--base-ref", "main", "--on", "../cluster.yaml", "queues"]
    assert "gone: x" in told()
    main([*command, "--format", "json", "--output", "../found.json"])
    [found] = json.loads(Path("../found.json").read_text(encoding="utf-8"))["findings"]
    assert found["finding"]["file"] == "main:queues/command.yaml"


def test_files_that_have_to_be_rendered(told: Told) -> None:
    """A changed file of a chart or a kustomization is told, as nothing is known of what comes of it."""
    Path("queues/app/templates").mkdir(parents=True)
    Path("queues/app/Chart.yaml").write_text("apiVersion: v2\nname: app\nversion: 0.1.0\n", encoding="utf-8")
    Path("queues/app/templates/a.yaml").write_text("{{- if .Values.on }}\nkind: Job\n{{- end }}\n", encoding="utf-8")
    Path("queues/docker-compose.yml").write_text("services: {}\n", encoding="utf-8")
    said = told()
    assert "not looked at: 2 Helm chart files, new: app/Chart.yaml and app/templates/a.yaml" in said
    assert "docker-compose" not in said
