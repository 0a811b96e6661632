"""What a capture has in it, whatever happens on the way."""

from __future__ import annotations

import io
import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.capture.api_server import ANYTHING, BREAK, NODES, PODS, ApiServer, Plain, config_map, node, pod, pods
from tests.conformance.reading import unpacked
from tests.runners import commands
from vqs.capture import run
from vqs.capture.kubectl import TRIES, ClusterError, Connection, UnansweredError
from vqs.capture.run import Captured, capture, scheduler_configuration
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.report.as_json import document
from vqs.snapshot.reading.compression import GZIP, ZSTD, Compression
from vqs.snapshot.reading.documents import Missing
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

CONF = 'actions: "enqueue, allocate"\ntiers: []\n'
VOLUMES = "/api/v1/persistentvolumes"
HYPERNODES = "/apis/topology.volcano.sh/v1alpha1/hypernodes"
DEPLOYMENTS = "/apis/apps/v1/deployments"
USUAL = config_map("volcano-system", "volcano-scheduler-configmap", **{"volcano-scheduler.conf": CONF})
SOME_DUMPS = ("bare-1", "gang-2", "elastic-1", "hier-3", "misc-1")


class Taken:
    """A capture: the file, what is said of it, and how often a question was put again."""

    def __init__(self, server: ApiServer, namespace: str = "", compression: Compression | None = None) -> None:
        file = io.BytesIO()
        self.pauses: list[float] = []
        self.shown: list[tuple[str, int, int]] = []
        connection = Connection(server.get, self.pauses.append)
        self.captured: Captured = capture(connection, file, compression, namespace, self._show)
        self.data = file.getvalue()

    @property
    def items(self) -> list[Plain]:
        """All objects, but what the capture says of itself."""
        return [each for each in json.loads(self.data)["items"] if each["kind"] != "Capture"]

    def names(self, kind: str) -> list[str]:
        """Return the names of the objects of a kind."""
        return [each["metadata"]["name"] for each in self.items if each["kind"] == kind]

    def _show(self, *shown: Any) -> None:
        self.shown.append(shown)


def read(data: bytes) -> Manifests:
    """Read a file."""
    return read_manifests(["-"], stdin=io.BytesIO(data))


def simulated(data: bytes) -> str:
    """Return the result of a session on a file."""
    return document(simulate(read(data), SimulateOptions(scenario="cluster")))


def test_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pages of a list are read, each once and in their order, and progress tells how many objects are left."""
    monkeypatch.setattr(run, "SIZE", 4)
    taken = Taken(ApiServer.of([*pods(10), node()]))
    assert taken.names("Pod") == [f"pod-{each:05d}" for each in range(10)]
    assert [shown for shown in taken.shown if shown[0] == "pods"] == [
        ("pods", 4, 10),
        ("pods", 8, 10),
        ("pods", 10, 10),
    ]
    assert taken.captured.objects["pods"] == 10
    assert taken.captured.missing == [Missing("configmaps", "absent")]


@pytest.mark.parametrize("compression", [None, GZIP, ZSTD], ids=["plain", "gzip", "zstd"])
def test_a_list_that_the_cluster_forgets(compression: Compression | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list whose token has expired is begun again, with larger pages; nothing of the first try is left."""
    monkeypatch.setattr(run, "SIZE", 4)
    server = ApiServer.of([*pods(20), node()])
    server.troubles[PODS] = [None, None, 410, None, 410]

    taken = Taken(server, compression=compression)

    assert [each.metadata.name for each in read(taken.data).pods] == [f"pod-{each:05d}" for each in range(20)]
    limits = [each.partition("limit=")[2].partition("&")[0] for each in server.requests if each.startswith(PODS)]
    assert limits == ["4", "4", "4", "16", "16", "64"]
    assert taken.data == Taken(ApiServer.of([*pods(20), node()]), compression=compression).data


def test_a_list_that_the_cluster_always_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a few tries, that is an error."""
    monkeypatch.setattr(run, "SIZE", 1)
    server = ApiServer.of(pods(1000))
    server.troubles[PODS] = [None, 410] * 4
    with pytest.raises(ClusterError, match="the list of pods expired before all of it was read"):
        Taken(server)


def test_a_connection_that_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page that broke off is asked for again, after a while that grows."""
    monkeypatch.setattr(run, "SIZE", 4)
    server = ApiServer.of([*pods(10), node()])
    server.troubles[PODS] = [None, BREAK, 500, BREAK]
    taken = Taken(server)
    assert taken.names("Pod") == [f"pod-{each:05d}" for each in range(10)]
    assert taken.pauses == [1, 2, 4]


def test_a_connection_that_stays_broken() -> None:
    """A cluster that does not come back is given up."""
    server = ApiServer.of([*pods(1), node()])
    server.troubles[NODES] = [BREAK] * TRIES
    with pytest.raises(UnansweredError):
        Taken(server)


def test_a_cluster_that_never_answers() -> None:
    """A cluster that does not even tell its version is not asked again: it is not there."""
    server = ApiServer.of([])
    server.refused[ANYTHING] = BREAK
    with pytest.raises(UnansweredError):
        Taken(server)
    assert [each.partition("?")[0] for each in server.requests] == [PODS, "/version"]


@pytest.mark.parametrize("trouble", [BREAK, 500])
def test_a_first_answer_that_breaks(trouble: int) -> None:
    """The first list of all is asked for again as others are, if the cluster is there."""
    server = ApiServer.of([*pods(2), node()])
    server.troubles[PODS] = [trouble]
    taken = Taken(server)
    assert taken.names("Pod") == ["pod-00000", "pod-00001"]
    assert taken.pauses == [1]


def test_answers_that_are_none() -> None:
    """What is no JSON may have broken off; what is another JSON comes from something else than an API server."""
    answers = iter([b'{"items": []}', b'{"items": [', b'["login"]'])
    connection = Connection(lambda _: next(answers), lambda _: None)
    assert list(connection.pages("/a", 1))
    with pytest.raises(ClusterError, match="not from a Kubernetes API server"):
        list(connection.pages("/b", 1))


@pytest.mark.parametrize("items", [[5, None], [None], [["a"]]])
def test_lists_of_something_else(items: list[Any]) -> None:
    """A list of what are no objects comes from something else than an API server."""
    connection = Connection(lambda _: json.dumps({"items": items}).encode(), lambda _: None)
    with pytest.raises(ClusterError, match="its list has items that are not objects"):
        capture(connection, io.BytesIO(), None, "", lambda *_: None)


def test_a_list_without_end() -> None:
    """A list whose pages follow each other in a circle is given up."""
    tokens = itertools.cycle(["a", "b"])
    page = '{{"items": [], "metadata": {{"continue": "{}"}}}}'
    connection = Connection(lambda _: page.format(next(tokens)).encode(), lambda _: None)
    with pytest.raises(ClusterError, match="its list has no end"):
        list(connection.pages("/a", 1))


def test_what_cannot_be_read() -> None:
    """Kinds that may not be listed, and kinds that the cluster does not serve, are named, and so in the file."""
    server = ApiServer.of([*pods(1), node(), USUAL])
    server.refused = {VOLUMES: 403, HYPERNODES: 404}
    taken = Taken(server)
    assert [str(each) for each in taken.captured.missing] == [
        "not allowed to list persistentvolumes; without them, bound volumes are assumed reachable from every node",
        "the cluster does not serve hypernodes.topology.volcano.sh; without them, the network is assumed to be flat",
    ]
    manifests = read(taken.data)
    assert [(note.severity, note.code, note.message) for note in manifests.notes] == [
        ("warning", "not-captured", str(taken.captured.missing[0])),
        ("note", "not-captured", str(taken.captured.missing[1])),
    ]
    [capture] = manifests.captures
    assert {"pods", "nodes", "queues.scheduling.volcano.sh"} <= set(capture.resources)
    assert "persistentvolumes" not in capture.resources


@pytest.mark.parametrize(
    ("status", "namespace", "said"),
    [
        (403, "", "not allowed to list anything; with -n NAMESPACE"),
        (403, "team", "not allowed to list anything$"),
        (404, "", "the answer is not from a Kubernetes API server"),
    ],
)
def test_nothing_can_be_read(status: int, namespace: str, said: str) -> None:
    """A snapshot with nothing in it is none."""
    server = ApiServer.of([])
    server.refused[ANYTHING] = status
    with pytest.raises(ClusterError, match=said):
        Taken(server, namespace)


def test_one_namespace() -> None:
    """Of a namespace, what is in it is read, and what is in none; who reads the snapshot is told."""
    team = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
    server = ApiServer.of([pod("mine", "team"), pod("theirs", "other"), node(), team, USUAL])
    taken = Taken(server, "team")
    assert taken.names("Pod") == ["mine"]
    assert taken.names("Node") == ["node"]
    assert taken.names("ConfigMap") == ["volcano-scheduler-configmap"]
    [note] = read(taken.data).notes
    assert note.message.startswith("only namespace team was captured; what pods of others use of nodes and queues")


def test_a_namespace_that_there_is_not() -> None:
    """A namespace that does not exist would have nothing in it, so it is refused."""
    with pytest.raises(ClusterError, match="there is no namespace nope"):
        Taken(ApiServer.of([node()]), "nope")


def test_equal_clusters_make_equal_files() -> None:
    """A capture has nothing in it that the cluster has not, such as the time."""
    objects = [*pods(3), node(), USUAL]
    for compression in (None, GZIP, ZSTD):
        first, second = (Taken(ApiServer.of(objects), compression=compression).data for _ in range(2))
        assert first == second


# --- the scheduler's configuration, and nobody else's -----------------------------------------------------------------


def scheduler(namespace: str, config: str, *args: str) -> Plain:
    """Make the Deployment of a scheduler."""
    spec = {
        "containers": [{"name": "scheduler", "args": list(args)}],
        "volumes": [{"name": "config", "configMap": {"name": config}}, {"name": "socket", "emptyDir": {}}],
    }
    metadata = {"namespace": namespace, "name": f"{config}-scheduler", "labels": {"app": "volcano-scheduler"}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {"template": {"spec": spec}}}


def configuration(*objects: Plain, refused: str = "") -> tuple[list[Plain], list[Missing]]:
    """Return the ConfigMaps that are captured, and what is missing."""
    server = ApiServer.of([node(), *objects])
    if refused:
        server.refused[refused] = 403
    taken = Taken(server)
    maps = [{**each["metadata"], **each["data"]} for each in taken.items if each["kind"] == "ConfigMap"]
    return maps, [each for each in taken.captured.missing if each.resource == "configmaps"]


def test_the_configuration_that_the_scheduler_has_mounted() -> None:
    """The ConfigMap that the scheduler's Deployment names is taken, wherever it is, and of it one key."""
    own = config_map("batch", "own", **{"my.conf": CONF, "other.conf": CONF, "password": "hunter2"})
    deployment = scheduler("batch", "own", "--logtostderr", "--scheduler-conf=/volcano.scheduler/my.conf")
    assert configuration(own, USUAL, deployment) == ([{"namespace": "batch", "name": "own", "my.conf": CONF}], [])
    assert configuration(own, USUAL, deployment, refused=DEPLOYMENTS)[0][0]["name"] == "volcano-scheduler-configmap"


def test_another_schedulers_configuration() -> None:
    """A scheduler for pods with another schedulerName is not the one that is asked about."""
    other = config_map("batch", "other", **{"my.conf": CONF})
    deployment = scheduler("batch", "other", "--scheduler-name", "mine", "--scheduler-conf", "/etc/my.conf")
    assert configuration(other, USUAL, deployment)[0][0]["name"] == "volcano-scheduler-configmap"


def test_a_scheduler_with_nulls() -> None:
    """What a Deployment leaves out may be written as null."""
    own = config_map("batch", "own", **{"my.conf": CONF})
    deployment = scheduler("batch", "own")
    deployment["spec"]["template"]["spec"]["containers"] = [{"name": "scheduler", "command": None, "args": None}]
    assert configuration(own, deployment)[0][0]["name"] == "own"
    deployment["spec"]["template"]["spec"] |= {"volumes": None}
    assert configuration(own, deployment) == ([], [Missing("configmaps", "absent")])


def test_odd_answers_about_the_configuration() -> None:
    """A Deployment or ConfigMap that cannot be one comes from something else than an API server."""
    deployment = scheduler("batch", "own")
    deployment["spec"]["template"]["spec"]["containers"] = [{"args": 5}]
    with pytest.raises(ClusterError, match="its Deployment of the scheduler is malformed"):
        configuration(deployment)
    answers = {"deployments": {"items": []}, "configmaps": {"data": {"volcano-scheduler.conf": CONF}}}
    connection = Connection(
        lambda path: json.dumps(answers["configmaps" if "maps" in path else "deployments"]).encode()
    )
    with pytest.raises(ClusterError, match="its ConfigMap volcano-scheduler-configmap has no metadata"):
        scheduler_configuration(connection)


def test_no_configuration() -> None:
    """A ConfigMap in which there is no configuration is left alone, and so are all that no scheduler has mounted."""
    own = config_map("batch", "own", **{"volcano-scheduler.conf": "password: hunter2"})
    stray = config_map("batch", "stray", **{"volcano-scheduler.conf": CONF})
    deployment = scheduler("batch", "own", "--scheduler-conf=/volcano.scheduler/volcano-scheduler.conf")
    assert configuration(own, stray, deployment) == ([], [Missing("configmaps", "absent")])


def test_no_right_to_read_the_configuration() -> None:
    """Where the usual ConfigMap may not be read, that is said, with what it means."""
    path = "/api/v1/namespaces/volcano-system/configmaps/volcano-scheduler-configmap"
    maps, [missing] = configuration(USUAL, refused=path)
    assert maps == []
    assert str(missing) == (
        "not allowed to read the ConfigMap with the scheduler's configuration; "
        "Volcano's built-in configuration is used instead of the cluster's own"
    )


# --- the answer is that of a dump -------------------------------------------------------------------------------------


def dump(objects: list[Plain]) -> bytes:
    """Write objects down as kubectl does."""
    head = {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}}
    return json.dumps({**head, "items": objects}, indent=4).encode()


@pytest.mark.parametrize("name", SOME_DUMPS)
def test_a_capture_means_what_the_dump_means(name: str) -> None:
    """A session on what is captured of a cluster has the result, to the byte, of one on kubectl's dump of it."""
    objects = json.loads((unpacked("cluster") / f"{name}.json").read_bytes())["items"]
    used = [each for each in objects if each["kind"] != "ConfigMap" or "volcano-scheduler.conf" in each["data"]]
    assert simulated(Taken(ApiServer.of(used), compression=ZSTD).data) == simulated(dump(used))


@given(
    count=st.integers(0, 12),
    size=st.integers(1, 5),
    troubles=st.lists(st.sampled_from([None, None, BREAK, 500, 410]), max_size=4),
)
def test_troubles_leave_no_trace(count: int, size: int, troubles: list[int | None]) -> None:
    """Whatever goes wrong for a while, the file is the same as if nothing had."""
    objects = [*pods(count), node(), USUAL]
    untroubled = Taken(ApiServer.of(objects)).data
    server = ApiServer.of(objects)
    server.troubles[NODES] = troubles
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "SIZE", size)
        patch.setattr(run, "_TRIES", 6)
        assert Taken(server).data == untroubled


def test_names_are_no_commands() -> None:
    """Whoever has a capture in a log has no commands in it; what is read back is what the cluster has."""
    names = ["##[error]x", "section_start:1:x", "a\u202eb", "\x7f\x85::error::x", "fine"]
    taken = Taken(ApiServer.of([pod(name) for name in names]))
    assert commands(taken.data.decode()) == []
    assert sorted(taken.names("Pod")) == sorted(names)
