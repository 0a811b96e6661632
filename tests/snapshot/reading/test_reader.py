"""What a set of manifests amounts to."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Position
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

CONF = 'actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n'


def read_text(text: str) -> Manifests:
    """Read a text as standard input."""
    return read_manifests(["-"], stdin=io.BytesIO(text.encode()))


def read_objects(*objects: dict[str, Any]) -> Manifests:
    """Read objects."""
    return read_text(yaml.safe_dump_all(objects))


def errors_in(*objects: dict[str, Any]) -> list[Diagnostic]:
    """Read objects that are refused, and return the errors."""
    with pytest.raises(InputErrors) as caught:
        read_objects(*objects)
    return [each for each in caught.value.diagnostics if each.severity == "error"]


def make(kind: str, name: str, api_version: str = "v1", **fields: Any) -> dict[str, Any]:
    """Make an object."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields}


def config_map(name: str, *keys: str, text: str = CONF) -> dict[str, Any]:
    """Make a ConfigMap with a text under each of some keys."""
    return make("ConfigMap", name, data=dict.fromkeys(keys, text))


def test_kinds_are_sorted() -> None:
    """Each object goes to the list of its kind, and its origin to a list beside that."""
    manifests = read_objects(
        make("Node", "n"),
        make("Pod", "p"),
        make("ReplicaSet", "r", "apps/v1"),
        make("ReplicationController", "c", spec={"selector": {"a": "b"}}),
        make("Queue", "q", "scheduling.volcano.sh/v1beta1"),
        make("HyperNode", "h", "topology.volcano.sh/v1alpha1"),
    )

    assert [len(objects) for objects in (manifests.nodes, manifests.pods, manifests.queues, manifests.hyper_nodes)] == [
        1
    ] * 4
    assert [type(workload).__name__ for workload in manifests.workloads] == ["ReplicaSet", "ReplicationController"]
    assert [origin.position().line for origin in manifests.origins["workloads"]] == [11, 16]


def test_namespace_defaults() -> None:
    """A namespaced object without namespace is in the default one; others have none."""
    manifests = read_objects(make("Pod", "p"), make("Node", "n"))

    assert manifests.pods[0].metadata.namespace == "default"
    assert manifests.nodes[0].metadata.namespace == ""


def test_unused_kinds_are_counted() -> None:
    """Objects of other kinds and groups, and what makes pods for other schedulers, are counted and named in a note."""
    manifests = read_objects(
        make("Job", "a", "other.example.com/v1"),
        make("Job", "b", "batch/v1"),
        make("Deployment", "e", "apps/v1", spec={"template": {"spec": {"schedulerName": "default-scheduler"}}}),
        make("Queue", "c", "other.example.com/v1"),
    )

    assert manifests.ignored == {
        "Deployment for another scheduler": 1,
        "Job": 1,
        "Job for another scheduler": 1,
        "Queue": 1,
    }
    (note,) = manifests.notes
    assert note.message.startswith("not used: 1 Deployment for another scheduler, ")


@pytest.mark.parametrize(("kind", "command"), [("Sweep", "vqs sweep"), ("Tune", "vqs tune")])
def test_plans_are_passed_over(kind: str, command: str) -> None:
    """A plan stands beside the snapshot that it is about, and is not read with it."""
    manifests = read_objects(make("Node", "n"), {"apiVersion": "vqs/v1", "kind": kind, "goal": "placed>1"})
    [note] = manifests.notes
    assert note.severity == "note"
    assert note.message == f"a plan is no part of a snapshot, and is not read: {command} runs it"


@pytest.mark.parametrize(
    ("kind", "api_version", "meant"),
    [
        ("Queue", "scheduling.volcano.io/v1beta1", "scheduling.volcano.sh"),
        ("PodGroups", "scheduling.volcano.sh/v1", "PodGroup"),
    ],
)
def test_misspelt_kinds(kind: str, api_version: str, meant: str) -> None:
    """A kind or group that is nearly a used one is warned about, once."""
    manifests = read_objects(make(kind, "a", api_version), make(kind, "b", api_version))

    [warning] = [each for each in manifests.notes if each.severity == "warning"]
    assert warning.help == f"did you mean {meant!r}?"


@pytest.mark.parametrize(
    ("kind", "api_version", "said"),
    [
        ("job", "batch.volcano.sh/v1alpha1", "job: no cluster serves the kind 'job' of batch.volcano.sh"),
        ("Queue", "scheduling.sigs.dev/v1alpha2", "Queue: no cluster serves scheduling.sigs.dev any more"),
        ("Deployment", "extensions/v1beta1", "Deployment: no cluster serves extensions any more"),
        ("PodSecurityPolicy", "extensions/v1beta1", "PodSecurityPolicy: no cluster serves extensions any more"),
    ],
)
def test_kinds_that_no_cluster_serves(kind: str, api_version: str, said: str) -> None:
    """They are errors, unless they are from a cluster that did serve them."""
    [error] = errors_in(make(kind, "a", api_version))
    assert error.message == said

    stored = make(kind, "a", api_version)
    stored["metadata"]["uid"] = "1"
    assert read_objects(stored, make("Queue", "q", "scheduling.volcano.sh/v1beta1")).queues


def test_the_end_of_a_document(tmp_path: Path) -> None:
    """What follows a line of three dots, and no marker, is nothing to kubectl, whatever it is."""
    file = tmp_path / "queue.yaml"
    file.write_text("apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\n...\nspec: {}\n")

    manifests = read_manifests([str(file)])

    assert len(manifests.queues) == 1
    assert [note.code for note in manifests.notes] == ["not-applied"]


def test_a_spec_below_metadata() -> None:
    """It is named by its path, and what is wrong is its indentation."""
    queue = make("Queue", "q", "scheduling.volcano.sh/v1beta1")
    queue["metadata"]["spec"] = {"weight": 2}
    [warning] = [each for each in read_objects(queue).notes if each.severity == "warning"]
    assert warning.message.startswith("Queue q has metadata.spec: spec is indented below metadata, and belongs beside")


def test_the_configuration_of_another_scheduler() -> None:
    """The scheduler for agents has a ConfigMap of its own, which is not the scheduler's."""
    conf = {"volcano-scheduler.conf": "actions: allocate\ntiers: []\n"}
    agents = make("ConfigMap", "volcano-agent-scheduler-configmap")
    own = make("ConfigMap", "other-configmap")
    agents["data"] = {"agent-scheduler.conf": "actions: enqueue\n", **conf}
    own["data"] = {"agent-scheduler.conf": "actions: enqueue\ntiers: []\n", **conf}

    manifests = read_objects(agents, own)

    assert manifests.conf is not None
    assert (manifests.conf.owner, manifests.conf.key) == ("other-configmap", "volcano-scheduler.conf")


def test_duplicates_that_differ() -> None:
    """Two objects of one name are an error that names both places."""
    queue = make("Queue", "q", "scheduling.volcano.sh/v1beta1")
    [error] = errors_in(queue, {**queue, "spec": {"weight": 2}})

    assert error.message == "Queue q is given twice, first at <stdin>:1"
    assert error.line == 6


def test_duplicates_that_agree() -> None:
    """The same object given twice is kept once, with a note."""
    manifests = read_objects(make("Pod", "p"), make("Pod", "p"))

    assert len(manifests.pods) == len(manifests.origins["pods"]) == 1
    assert [note.severity for note in manifests.notes] == ["note"]
    assert "Pod default/p is given again" in manifests.notes[0].message


def test_same_name_elsewhere() -> None:
    """Objects of one name in different namespaces, or of different kinds, are no duplicates."""
    pod = make("Pod", "p")
    manifests = read_objects(pod, {**pod, "metadata": {"name": "p", "namespace": "x"}}, make("Node", "p"))

    assert len(manifests.pods) == 2


def test_newest_timestamp() -> None:
    """The newest time of creation, request for deletion or change of condition tells when the snapshot was taken."""
    deleted = {
        "name": "q",
        "deletionTimestamp": "2026-01-01T00:10:00Z",
        "deletionGracePeriodSeconds": 600,
    }
    condition = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:02Z"}
    manifests = read_objects(
        make("Node", "n", status={"conditions": [condition]}),
        {**make("Pod", "p"), "metadata": {"name": "p", "creationTimestamp": "2026-01-01T00:00:01Z"}},
        {**make("Pod", "q"), "metadata": deleted},
    )

    assert manifests.newest_timestamp == datetime(2026, 1, 1, 0, 0, 2, tzinfo=UTC)


def test_nothing_in_the_input() -> None:
    """Input without any object is an error; an empty List beside an object is none."""
    empty = {"apiVersion": "v1", "kind": "List", "items": []}

    with pytest.raises(InputErrors, match="no object"):
        read_manifests([])
    [error] = errors_in(empty)
    assert error.code == "empty-input"
    assert len(read_objects(empty, make("Pod", "p")).pods) == 1


TYPED = {
    "YAML": "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: p}\n- metadata: {name: q}\n",
    "YAML in braces": "{apiVersion: v1, kind: PodList, items: [{metadata: {name: p}}, {metadata: {name: q}}]}\n",
    "JSON": '{"kind":"PodList","items":[{"metadata":{"name":"p"}},{"metadata":{"name":"q"}}],"apiVersion":"v1"}',
    "within a List": (
        "apiVersion: v1\nkind: List\nitems:\n"
        "- apiVersion: v1\n  kind: PodList\n  items: [{metadata: {name: p}}, {metadata: {name: q}}]\n"
    ),
    "with kinds": (
        "apiVersion: v1\nkind: PodList\nitems:\n"
        "- {kind: Pod, metadata: {name: p}}\n- {apiVersion: v1, kind: Pod, metadata: {name: q}}\n"
    ),
}


@pytest.mark.parametrize("text", TYPED.values(), ids=TYPED)
def test_typed_list(text: str) -> None:
    """Items of a typed list that do not say what they are, as client-go writes them, are what the list says."""
    assert [pod.metadata.name for pod in read_text(text).pods] == ["p", "q"]


def test_typed_list_of_a_group() -> None:
    """The apiVersion of a typed list is that of its items, in their order."""
    manifests = read_text(
        "apiVersion: scheduling.volcano.sh/v1beta1\nkind: QueueList\nitems:\n"
        + "".join(f"- metadata: {{name: q{index}}}\n" for index in range(250))
    )

    assert [queue.metadata.name for queue in manifests.queues] == [f"q{index}" for index in range(250)]
    assert manifests.position("queues", 249, ("metadata", "name")) == Position(253, 20)


def test_items_of_a_plain_list() -> None:
    """A List of anything does not say what its items are."""
    [error] = errors_in(
        {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "metadata": {"name": "p"}}]}
    )

    assert error.message == "kind is missing or not text"


# --- the scheduler's configuration ------------------------------------------------------------------------------------


def test_configuration_in_a_config_map() -> None:
    """A ConfigMap key that ends in .conf and holds actions or tiers is the configuration."""
    manifests = read_objects(
        config_map("any-name", "scheduler.conf"), config_map("other", "nginx.conf", text="server {}")
    )

    assert manifests.conf is not None
    assert manifests.conf.text == CONF
    assert manifests.conf.name == "<stdin> (ConfigMap any-name)"


def test_configuration_positions() -> None:
    """A place in a configuration is one in the file around it; in an escaped text, the start of that text."""
    block = read_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n"
        "  x.conf: |\n\n    actions: enqueue\n    tiers: []\n"
    )
    escaped = read_text(json.dumps(config_map("c", "x.conf"), indent=1))

    assert block.conf is not None
    assert block.conf.position(Position(3, 8)) == Position(8, 12)
    assert escaped.conf is not None
    assert escaped.conf.position(Position(3, 8)) == Position(8, 13)


def test_several_configurations() -> None:
    """Of several configurations, the one in the usual ConfigMap is used; if there is none, it is an error."""
    manifests = read_objects(config_map("other", "a.conf"), config_map("volcano-scheduler-configmap", "b.conf"))
    [error] = errors_in(config_map("one", "a.conf"), config_map("two", "b.conf"))

    assert manifests.conf is not None
    assert manifests.conf.owner == "volcano-scheduler-configmap"
    assert [note.code for note in manifests.notes] == ["configuration-choice"]
    assert "at <stdin>:3 and <stdin>:10" in error.message


@pytest.mark.parametrize(
    "text", [CONF, yaml.safe_dump(config_map("c", "x.conf")), json.dumps(config_map("c", "x.conf"))]
)
def test_configuration_file(tmp_path: Path, text: str) -> None:
    """A configuration that is asked for wins, be it bare or in a ConfigMap."""
    file = tmp_path / "volcano-scheduler.conf"
    file.write_text(text)
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text(yaml.safe_dump(config_map("volcano-scheduler-configmap", "y.conf", text="actions: backfill\n")))

    manifests = read_manifests([str(cluster)], conf=str(file))

    assert manifests.conf is not None
    assert manifests.conf.text == CONF
    assert "is used, not the one in" in manifests.notes[0].message


def test_configuration_file_without_configuration(tmp_path: Path) -> None:
    """A file of manifests without a configuration cannot be asked for as one."""
    file = tmp_path / "pod.yaml"
    file.write_text(yaml.safe_dump(make("Pod", "p")))

    with pytest.raises(InputErrors, match="no scheduler configuration"):
        read_manifests([str(file)], conf=str(file))


def test_bare_configuration_among_manifests() -> None:
    """A bare configuration among the manifests is an error that says how to give it."""
    with pytest.raises(InputErrors, match="--conf"):
        read_text(CONF)


BROKEN = "actions: alocate\n"
UNREADABLE = make("Queue", "q", "scheduling.volcano.sh/v1beta1", spec={"weight": "x"})


def all_errors(folder: Path, conf: str | None, *objects: dict[str, Any]) -> list[str]:
    """Read objects, and a configuration if there is one, check that too, and return the codes of all errors."""
    file = folder / "x.conf"
    file.write_text(conf or "", encoding="utf-8")
    with pytest.raises(InputErrors) as caught:
        read_manifests(
            ["-"],
            None if conf is None else str(file),
            stdin=io.BytesIO(yaml.safe_dump_all(objects).encode()),
        )
    return [each.code for each in caught.value.diagnostics if each.severity == "error"]


def test_configuration_is_checked_with_the_rest(tmp_path: Path) -> None:
    """What is wrong with the configuration is told together with what is wrong with the manifests."""
    both = ["wrong-type", "unknown-action"]

    assert all_errors(tmp_path, BROKEN, UNREADABLE) == both
    assert all_errors(tmp_path, None, UNREADABLE, config_map("c", "x.conf", text=BROKEN)) == both
    assert all_errors(tmp_path, "\n", UNREADABLE) == ["wrong-type", "empty-configuration"]


def test_a_refused_configuration_may_be_read(tmp_path: Path) -> None:
    """Where no scheduler is to run, objects are read beside a configuration that Volcano refuses."""
    file = tmp_path / "my.conf"
    file.write_text("actions: allocat\n", encoding="utf-8")
    read = read_manifests(["-"], str(file), stdin=io.BytesIO(b""), may_be_empty=True, any_configuration=True)
    assert read.notes == []
    with pytest.raises(InputErrors, match="failed to find Action"):
        _ = read.scheduler


def test_the_configuration_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session takes the configuration as it was read with the rest of the input."""
    read = read_objects(config_map("c", "x.conf", text=CONF))
    monkeypatch.delattr("vqs.snapshot.reading.configuration.read.yaml_text")
    assert simulate(read, SimulateOptions()).session.actions == ["enqueue", "allocate"]


def test_choice_of_configurations_is_told_with_the_rest(tmp_path: Path) -> None:
    """That there is no choosing among configurations is told beside other errors."""
    maps = config_map("one", "a.conf"), config_map("two", "b.conf")

    assert all_errors(tmp_path, None, UNREADABLE, *maps) == ["wrong-type", "several-configurations"]


def test_unreadable_configuration() -> None:
    """Where the configuration that is asked for cannot be read, it does not matter which others there are."""
    maps = config_map("one", "a.conf"), config_map("two", "b.conf")
    with pytest.raises(InputErrors) as caught:
        read_manifests(["-"], "no-such.conf", stdin=io.BytesIO(yaml.safe_dump_all(maps).encode()))

    assert [each.code for each in caught.value.diagnostics] == ["unreadable-file"]


@pytest.mark.parametrize("text", ["", "\n", "# to be written\n"])
def test_empty_configuration(tmp_path: Path, text: str) -> None:
    """An empty configuration is refused alike in a file, in a ConfigMap, and in a ConfigMap that is asked for."""
    empty = config_map("c", "volcano-scheduler.conf", text=text)

    assert all_errors(tmp_path, text, make("Node", "n")) == ["empty-configuration"]
    assert all_errors(tmp_path, None, make("Node", "n"), empty) == ["empty-configuration"]
    assert all_errors(tmp_path, yaml.safe_dump(empty), make("Node", "n")) == ["empty-configuration"]


def test_empty_text_of_other_software() -> None:
    """An empty text under another key than the usual one is no configuration, as nothing says that it should be."""
    assert read_objects(config_map("nginx", "extra.conf", text="")).conf is None
