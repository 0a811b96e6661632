"""`vqs capture` and `vqs simulate --live`, as a user meets them."""

from __future__ import annotations

import gzip
import io
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path

import pytest

from tests.capture.api_server import ANYTHING, BREAK, NODES, PODS, ApiServer, config_map, node, pod, pods, served
from tests.forked import Ended, Forked
from vqs.capture.kubectl import Kubectl
from vqs.cli.main import kubectl_plugin, main
from vqs.snapshot.reading.reader import read_manifests

PAGE = (Path(__file__).parents[2] / "docs" / "snapshots.md").read_text(encoding="utf-8")
CONF = 'actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n'
USUAL = config_map("volcano-system", "volcano-scheduler-configmap", **{"volcano-scheduler.conf": CONF})
GROUP = "topology.volcano.sh"
NETWORK = f"hypernodes.{GROUP}"
NO_VOLUMES = "not allowed to list persistentvolumes; without them, bound volumes are assumed reachable from every node"
JOB = (
    "apiVersion: vqs/v1\nkind: Scenario\njobs:\n  - {name: tiny, namespace: ml, queue: default, cpu: 1, memory: 1Gi}\n"
)
QUEUE = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "default"}}
MEASURED = """
import re, sys, time
from operator import itemgetter
from pathlib import Path
import vqs.capture.run
from vqs.cli.main import main
from vqs.snapshot.reading.compression import compression_of

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])

compression_of(b"")
time.sleep = lambda _: None
before = peak()
code = main(sys.argv[1:])
print(peak() - before)
sys.exit(code)
"""
"""Runs the command, and prints how many KiB of memory more it took at most than what it takes to start."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own, with nothing piped in, and return it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    return tmp_path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> ApiServer:
    """Return a cluster that kubectl has at hand."""
    cluster = ApiServer.of([pod("runs"), node(), QUEUE, USUAL])
    monkeypatch.setattr(Kubectl, "get", lambda _, path: cluster.get(path))
    return cluster


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that puts a shell script in the place of kubectl."""
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")

    def put(script: str) -> None:
        path = place / "kubectl"
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    return put


def kubeconfig(address: str) -> str:
    """Write a configuration of kubectl with a context `test`, and return its name."""
    user = {"name": "u", "user": {"token": "hunter2"}}
    cluster = {"name": "c", "cluster": {"server": address}}
    context = {"name": "test", "context": {"cluster": "c", "user": "u"}}
    config = {"apiVersion": "v1", "kind": "Config", "users": [user], "clusters": [cluster], "contexts": [context]}
    Path("kubeconfig").write_text(json.dumps(config), encoding="utf-8")
    return "kubeconfig"


def vqs(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, that measures itself."""
    command = [sys.executable, "-c", MEASURED, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - this project's own


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is not measured here")
def test_a_cluster_with_troubles() -> None:
    """Through the real kubectl, 20,000 pods are captured in little memory, whatever goes wrong on the way."""
    cluster = ApiServer.of([*pods(20_000), node(), USUAL])
    del cluster.objects[f"/apis/{GROUP}/v1alpha1/hypernodes"]
    cluster.refused["/api/v1/persistentvolumes"] = 403
    cluster.troubles = {PODS: [None, 410, None, BREAK], NODES: [BREAK]}
    with served(cluster) as address:
        run = vqs(["capture", "--kubeconfig", kubeconfig(address), "--context", "test", "-o", "snapshot.json.zst"])
    assert run.returncode == 0
    assert run.stderr.splitlines() == [
        f"warning: {NO_VOLUMES}",
        f"note: the cluster does not serve {NETWORK}; without them, the network is assumed to be flat",
        "20,000 pods, 1 node, 1 configmap; written to snapshot.json.zst; now run: vqs simulate snapshot.json.zst",
    ]
    written = read_manifests(["snapshot.json.zst"])
    assert [each.metadata.name for each in written.pods] == [f"pod-{each:05d}" for each in range(20_000)]
    assert written.conf is not None
    assert written.conf.text == CONF
    total = sum(len(json.dumps(each)) for each in cluster.objects[PODS])
    assert int(run.stdout) * 1024 < total
    assert sorted(path.name for path in Path().iterdir()) == ["kubeconfig", "snapshot.json.zst"]


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl")
@pytest.mark.parametrize(
    ("status", "context", "said"),
    [
        (401, "test", "error: the cluster rejects your credentials: log in again (try: kubectl --context=test "),
        (None, "nope", 'error: kubectl fails: context "nope" does not exist (try: kubectl --context=nope '),
        (BREAK, "test", "error: the cluster cannot be reached: unexpected EOF (try: kubectl --context=test "),
    ],
)
def test_a_cluster_that_cannot_be_used(
    status: int | None, context: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who is not logged in, names no context or reaches nobody is told so, and nothing is written."""
    cluster = ApiServer.of([])
    if status is not None:
        cluster.refused[ANYTHING] = status
    with served(cluster) as address:
        given = ["--kubeconfig", kubeconfig(address), "--context", context]
        assert main(["capture", *given, "-o", "snapshot.json"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(said)
    assert err.endswith(" get nodes)\n")
    assert "hunter2" not in err
    assert [path.name for path in Path().iterdir()] == ["kubeconfig"]


@pytest.mark.usefixtures("server")
def test_the_name_says_how_it_is_compressed(capsys: pytest.CaptureFixture[str]) -> None:
    """A file is compressed as the end of its name says, and standard output is not."""
    for name in ("a.json", "a.json.gz", "a.json.zst"):
        assert main(["capture", "-o", name]) == 0
        assert [each.metadata.name for each in read_manifests([name]).pods] == ["runs"]
    capsys.readouterr()
    assert main(["capture", "-o", "-", "-q"]) == 0
    out, err = capsys.readouterr()
    assert out == Path("a.json").read_text(encoding="utf-8") == gzip.decompress(Path("a.json.gz").read_bytes()).decode()
    assert Path("a.json.zst").read_bytes().startswith(b"\x28\xb5\x2f\xfd")
    assert err == ""


def test_what_could_not_be_read_is_told(server: ApiServer, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not in the file is shown as in docs/snapshots.md, when it is written and whenever it is read."""
    server.refused["/api/v1/persistentvolumes"] = 403
    assert main(["capture", "-n", "ml", "-o", "a.json"]) == 2
    assert capsys.readouterr().err == "error: there is no namespace ml in the cluster\n"
    server.objects["/api/v1/namespaces"].append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ml"}})
    assert main(["capture", "-n", "ml", "-o", "a.json"]) == 0
    part, warning, _ = capsys.readouterr().err.splitlines()
    assert f"\n{warning}\n" in PAGE
    assert part.startswith("warning: only namespace ml was captured; ")
    assert main(["simulate", "a.json", "--format", "json"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert [line.replace(" a.json:", "") for line in told] == [part, warning]


def test_kubectl_gets_the_options(server: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster is chosen as with kubectl itself; the namespace is up to vqs."""
    seen: list[tuple[Sequence[str], str]] = []

    def get(self: Kubectl, path: str) -> bytes:
        seen.append((self.options, self.timeout))
        return server.get(path)

    monkeypatch.setattr(Kubectl, "get", get)
    server.objects["/api/v1/namespaces"].append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ml"}})
    monkeypatch.setenv("VQS_CONTEXT", "prod")
    given = ["--kubeconfig", "my file", "--request-timeout", "30s", "-n", "ml"]
    assert main(["capture", *given, "-o", "a.json"]) == 0
    assert seen[0] == (["--context=prod", "--kubeconfig=my file"], "30s")
    assert "/api/v1/namespaces/ml/pods?limit=500" in server.requests


def test_nothing_is_left_of_a_capture_that_fails(
    server: ApiServer, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """Where the cluster goes away for good, the file that was there stays as it was."""
    Path("a.json").write_text("old", encoding="utf-8")
    server.refused[NODES] = 401
    assert main(["capture", "-o", "a.json"]) == 2
    assert capsys.readouterr().err == "error: no /api/v1/nodes\n"
    assert [(path.name, path.read_text(encoding="utf-8")) for path in folder.iterdir()] == [("a.json", "old")]
    assert main(["capture", "-o", "-"]) == 2
    assert capsys.readouterr().out == ""


@pytest.fixture
def signals_arrive() -> Iterator[None]:
    """Let processes that are started get the signals that a job in the background, as of nohup, ignores."""
    before = {each: signal.signal(each, signal.SIG_DFL) for each in (signal.SIGHUP, signal.SIGTERM)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
@pytest.mark.usefixtures("signals_arrive")
@pytest.mark.parametrize("command", [["capture", "-o", "a.json"], ["simulate", "--live"]])
@pytest.mark.parametrize("ending", [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)], ids=itemgetter(0))
def test_interrupted(
    command: list[str],
    ending: tuple[str, int],
    kubectl: Callable[[str], None],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ctrl-C, and being told to end, ends vqs and the kubectl that it waits for, and leaves no file behind."""
    name, code = ending
    os.mkfifo("started")
    (folder / "tmp").mkdir()
    kubectl("exec 3> started; echo on >&3; exec sleep 600")
    monkeypatch.setattr("tempfile.tempdir", str(folder / "tmp"))
    before = sorted(folder.rglob("*"))
    run = Forked(command)
    with Path("started").open("rb", buffering=0) as child:
        assert child.read(3) == b"on\n"
        if name == "SIGINT":
            os.killpg(run.pid, signal.SIGINT)  # a terminal sends it to all that run in it
        else:
            os.kill(run.pid, signal.Signals[name])
        assert run.wait() == Ended(code, b"", b"")
        assert select.select([child], [], [], 30)[0]
        assert child.read() == b""
    assert sorted(folder.rglob("*")) == before


@pytest.mark.usefixtures("server")
def test_live(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A live cluster is simulated as its capture is, by a name that people know it by; nothing of it stays."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    monkeypatch.setenv("VQS_SNAPSHOT", "nothing.json")
    assert main(["capture", "-o", "context prod"]) == 0
    assert main(["simulate", "context prod", "--format", "json"]) == 0
    captured = capsys.readouterr().out
    assert main(["simulate", "--live", "--context", "prod", "--format", "json"]) == 0
    live = capsys.readouterr().out
    assert live == captured
    assert json.loads(live)["scenario"] == "context prod"
    assert main(["simulate", "--live"]) == 0
    assert "\nVolcano 1.14 on the current context, now" in capsys.readouterr().out
    assert list(place.iterdir()) == []


def test_live_with_a_new_job(server: ApiServer, capsys: pytest.CaptureFixture[str]) -> None:
    """Files are laid beside what is in the cluster; what could not be read of it is told."""
    Path("job.yaml").write_text(JOB, encoding="utf-8")
    server.refused["/api/v1/persistentvolumes"] = 403
    assert main(["simulate", "--live", "job.yaml", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    tasks = {each["name"]: each["status"] for each in json.loads(out)["tasks"]}
    assert tasks == {"runs": "Running", "tiny-worker-0": "Binding"}
    assert (
        "not allowed to list persistentvolumes; without them, bound volumes are assumed reachable from every node"
        in err
    )


def test_options_of_a_cluster_that_is_not_read(
    refused: Callable[[Sequence[str]], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who names a context for files has forgotten something; who has it in the environment has not."""
    Path("job.yaml").write_text(JOB, encoding="utf-8")
    said = "error: --context says which cluster to read, but no cluster is read without --live\n"
    assert refused(["simulate", "job.yaml", "--context", "prod"]) == said
    monkeypatch.setenv("VQS_CONTEXT", "prod")
    assert main(["simulate", "job.yaml"]) == 0
    assert "tiny" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["capture"], "'--output'"),
        (["capture", "-o", "no/a.json"], "there is no folder no"),
        (["capture", "-o", "a.json", "--context", ""], "the name is empty"),
        (["simulate", "--live", "-n", ""], "the name is empty"),
    ],
)
def test_misuse(arguments: list[str], said: str, refused: Callable[[Sequence[str]], str]) -> None:
    """A command line that cannot be meant is refused before the cluster is asked."""
    assert said in refused(arguments)


def test_as_a_plugin_of_kubectl(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As `kubectl vqs`, the command calls itself that."""
    monkeypatch.setattr(sys, "argv", ["kubectl-vqs", "capture", "--help"])
    assert kubectl_plugin() == 0
    assert "kubectl vqs capture" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["kubectl-vqs", "capture", "--nope"])
    assert kubectl_plugin() == 2
    assert "(see 'kubectl vqs capture --help')" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl")
def test_kubectl_finds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed beside vqs, `kubectl-vqs` is what kubectl runs for `kubectl vqs`."""
    plugin = Path(sys.executable).with_name("kubectl-vqs")
    if not plugin.exists():
        pytest.skip("vqs is not installed here")
    monkeypatch.setenv("PATH", f"{plugin.parent}{os.pathsep}{os.environ['PATH']}")
    run = subprocess.run(["kubectl", "vqs", "--version"], check=False, capture_output=True, text=True)  # noqa: S607 - the one that is found is meant
    assert (run.returncode, run.stdout.partition(" ")[0]) == (0, "vqs")
