"""Points on the workers of a Dask cluster."""

from __future__ import annotations

import concurrent.futures
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest
from distributed import Client, KilledWorker, LocalCluster, Security
from distributed.protocol.pickle import dumps

from vqs.explain.simulate import SimulateOptions
from vqs.sweep.engines import EngineError, SerialEngine, dask
from vqs.sweep.engines.dask import DaskEngine, Done, OtherVersionError, Scheduler, SweepPlugin, here
from vqs.sweep.evaluate import Evaluator, Task
from vqs.sweep.outcome import PointError, Row
from vqs.sweep.plan import Plan
from vqs.sweep.read import read_plan
from vqs.sweep.space import Space

SCENARIO = str(Path(__file__).parents[3] / "scenarios" / "first-look.yaml")
PLAN = """
apiVersion: vqs/v1
kind: Sweep
parameters:
  weight: {edit: "queue/default.spec.weight={}", from: 1, to: 30, step: 1}
figures: [placed, pending, "queue:default.share", "job:data/nightly-etl.verdict"]
"""
CLUSTER = """
import time
from distributed import LocalCluster
if __name__ == "__main__":
    http = {"dashboard_address": "127.0.0.1:0"}
    options = dict(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, scheduler_kwargs=http)
    with LocalCluster(protocol="tcp://", **options) as cluster:
        print(cluster.scheduler_address, flush=True)
        time.sleep(60)
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    """Return a plan over the weight of a queue."""
    path = tmp_path_factory.mktemp("plan") / "plan.yaml"
    path.write_text(PLAN, encoding="utf-8")
    return read_plan(str(path), on=[SCENARIO])


@pytest.fixture(scope="module")
def task(plan: Plan) -> Task:
    """Return the task of running the plan."""
    return Task.of(plan, SimulateOptions())


@pytest.fixture(scope="module")
def expected(plan: Plan) -> list[Row]:
    """Return the rows of the plan, run one after another in this process."""
    with SerialEngine(Evaluator(plan, SimulateOptions())) as engine:
        return [*engine.rows(Space(plan))]


@pytest.fixture(scope="module")
def scheduler() -> Iterator[Scheduler]:
    """Yield the scheduler of a cluster with two workers in this process, which are spoken to as over a network."""
    with _cluster(n_workers=2, processes=False, protocol="tcp://") as cluster:
        yield Scheduler(cluster.scheduler_address)


def _cluster(**options: Any) -> LocalCluster:
    http = {"dashboard_address": "127.0.0.1:0"}
    return LocalCluster(threads_per_worker=1, dashboard_address=None, scheduler_kwargs=http, **options)


@contextmanager
def _worker(scheduler: Scheduler, name: str, folder: Path, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run one more worker, in a process of its own."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", scheduler.address, "--no-nanny", "--nthreads=1"]
    with subprocess.Popen(  # noqa: S603 - our own program
        [*command, "--no-dashboard", f"--name={name}", f"--local-directory={folder}"],
        env={**os.environ, **environment},
        stderr=subprocess.DEVNULL,
    ) as process:
        yield process
        process.kill()


def _address(client: Client, name: str, workers: int) -> str:
    """Wait for a number of workers, and return the address of one of them."""
    client.wait_for_workers(workers)
    known = client.scheduler_info(n_workers=-1)["workers"]
    [address] = [address for address, each in known.items() if each["name"] == name]
    return str(address)


def _rows(engine: DaskEngine, plan: Plan) -> list[Row]:
    with engine:
        return sorted(engine.rows(Space(plan)), key=lambda row: row.number)


def test_rows_are_those_of_one_process(plan: Plan, task: Task, scheduler: Scheduler, expected: list[Row]) -> None:
    """Workers return the rows that this process has, and forget the sweep with its end."""
    assert _rows(DaskEngine(task, scheduler, 0), plan) == expected
    with Client(scheduler.address, set_as_default=False) as client:
        left = client.run(lambda dask_worker: [name for name in dask_worker.plugins if name.startswith("vqs-")])
    assert [*left.values()] == [[], []]


def test_snapshots_travel_once(plan: Plan, task: Task, scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    """The snapshot is handed out with a plugin, once; what is handed out with the points is a fraction of it."""
    sent: list[int] = []
    registered: list[int] = []
    submit, register = Client.submit, Client.register_plugin

    def submitted(client: Client, *args: Any, **options: Any) -> Any:
        sent.append(len(dumps(args)))
        return submit(client, *args, **options)

    def handed(client: Client, plugin: SweepPlugin, **options: Any) -> Any:
        registered.append(len(dumps(plugin)))
        return register(client, plugin, **options)

    monkeypatch.setattr(Client, "submit", submitted)
    monkeypatch.setattr(Client, "register_plugin", handed)
    _rows(DaskEngine(task, scheduler, 0), plan)
    [snapshot] = registered
    assert snapshot > 20_000
    assert max(sent) < 10_000


def test_points_are_taken_as_workers_need_them(plan: Plan, task: Task, scheduler: Scheduler) -> None:
    """Of endless points, only as many are taken as keep the workers busy, and nothing is left behind."""
    [first, *_] = Space(plan)
    taken = 0

    def endless() -> Iterator[Any]:
        nonlocal taken
        for point in repeat(first):
            taken += 1
            yield point

    with DaskEngine(task, scheduler, 0) as engine:
        rows = engine.rows(endless())
        seen = [next(rows) for _ in range(20)]
        cast("Any", rows).close()
    assert len(seen) == 20
    assert taken - len(seen) <= 2 * dask._AHEAD * dask._MOST


def test_a_lost_worker(plan: Plan, task: Task, scheduler: Scheduler, expected: list[Row], tmp_path: Path) -> None:
    """The points of a worker that is killed midway are run by others."""
    again = 6
    with (
        Client(scheduler.address, set_as_default=False) as client,
        _worker(scheduler, "lost", tmp_path) as process,
    ):
        address = _address(client, "lost", workers=3)
        with DaskEngine(task, scheduler, 0) as engine:
            flow = engine.rows(chain.from_iterable(repeat([*Space(plan)], again)))
            rows = [next(flow)]
            while not client.processing([address])[address]:
                rows.append(next(flow))
            process.kill()
            rows += flow
        assert len(client.scheduler_info(n_workers=-1)["workers"]) == 2
    assert sorted(rows, key=lambda row: row.number) == [row for row in expected for _ in range(again)]


def test_a_lost_scheduler(plan: Plan, task: Task, expected: list[Row]) -> None:
    """Where the scheduler goes away, what was finished has been returned, and an error names the scheduler."""
    with subprocess.Popen([sys.executable, "-c", CLUSTER], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own program
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with DaskEngine(task, Scheduler(address), 0) as engine:
            flow = engine.rows(chain.from_iterable(repeat([*Space(plan)])))
            rows = [next(flow)]
            process.kill()
            with pytest.raises(EngineError, match=f"the scheduler {address} is gone"):
                rows.extend(flow)
    assert all(row in expected for row in rows)


def test_workers_with_another_version(plan: Plan, task: Task, scheduler: Scheduler, tmp_path: Path) -> None:
    """Workers with another version of vqs are named before anything runs."""
    package = tmp_path / "vqs-9.9.9.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: vqs\nVersion: 9.9.9\n", encoding="utf-8")
    with (
        Client(scheduler.address, set_as_default=False) as client,
        _worker(scheduler, "other", tmp_path, PYTHONPATH=str(tmp_path)),
    ):
        address = _address(client, "other", workers=3)
        with pytest.raises(EngineError) as caught, DaskEngine(task, scheduler, 0) as engine:
            next(engine.rows(Space(plan)))
    assert f"1 of 3 workers could decide otherwise, and nothing was run:\n  {address}: it has" in str(caught.value)
    assert f"vqs 9.9.9, here it is {here()}" in str(caught.value)


def test_a_worker_that_joins_with_another_version(plan: Plan, task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that was not there when versions were compared runs nothing with another version."""
    plugin = SweepPlugin("name", task)
    plugin.setup(cast("Any", type("Worker", (), {"address": "tcp://10.0.0.4:3000"})))
    monkeypatch.setattr("vqs.sweep.engines.dask.here", lambda: "Python 3.99 and vqs 0.0.1")
    with pytest.raises(OtherVersionError, match=r"tcp://10.0.0.4:3000: it has Python 3.99 and vqs 0.0.1, here it is"):
        plugin.run([Space(plan).point(1)])


@pytest.mark.parametrize("answer", [None, ([], 0.1), Done([], 0.1), Done(["row"], 0.1), Done([], -1.0)])  # type: ignore[list-item]
def test_a_worker_that_answers_otherwise(plan: Plan, answer: object) -> None:
    """What is no row for each point is no figure: the sweep ends there."""
    task: concurrent.futures.Future[object] = concurrent.futures.Future()
    task.set_result(answer)
    client = Mock(status="running", nthreads=lambda: {"tcp://10.0.0.4:3000": 1}, submit=lambda *_, **__: task)
    flow = dask._Flow(client, "name", Mock(), [Space(plan).point(1)])
    with pytest.raises(EngineError, match="something else than a row for each point"):
        [*flow.rows()]


def test_tls(plan: Plan, task: Task, expected: list[Row], tmp_path: Path) -> None:
    """A cluster with TLS is reached with certificates that its authority has signed, and with no others."""
    files = []
    for number in range(2):
        made = Security.temporary()
        files.append([str(tmp_path / f"{name}-{number}.pem") for name in ("ca", "cert", "key")])
        for file, text in zip(files[-1], (made.tls_ca_file, made.tls_client_cert, made.tls_client_key), strict=True):
            Path(file).write_text(str(text), encoding="utf-8")
        if number == 0:
            security = made
    with _cluster(n_workers=1, processes=False, protocol="tls://", security=security) as cluster:
        address = cluster.scheduler_address
        assert _rows(DaskEngine(task, Scheduler(address, *files[0]), 0), plan) == expected
        with pytest.raises(EngineError, match=f"cannot reach the scheduler {address}"):
            DaskEngine(task, Scheduler(address, *files[1]), 0).__enter__()


def test_no_scheduler_there(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address without a scheduler is named."""
    monkeypatch.setattr(dask, "_CONNECTS", 0.3)
    with pytest.raises(EngineError, match=r"cannot reach the scheduler tcp://127\.0\.0\.1:1: "):
        DaskEngine(task, Scheduler("tcp://127.0.0.1:1"), 0).__enter__()


def test_a_cluster_that_does_not_start(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that ends as it starts, as memory is short, is an error of the machine and not of vqs."""

    def no_cluster(**_: object) -> None:
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(dask, "LocalCluster", no_cluster)
    with pytest.raises(EngineError, match=r"2 Dask workers does not start here: Nanny failed to start\."):
        DaskEngine(task, None, 2).__enter__()


def test_no_workers(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler without workers is not waited for without end."""
    monkeypatch.setattr(dask, "_PATIENCE", 0.1)
    with (
        _cluster(n_workers=0, processes=False, protocol="tcp://") as cluster,
        pytest.raises(EngineError, match="has no workers; start one for each core: dask worker tcp://"),
        DaskEngine(task, Scheduler(cluster.scheduler_address), 0),
    ):
        pass


def test_points_that_end_their_workers(plan: Plan, task: Task, scheduler: Scheduler) -> None:
    """Of points that end one worker after another, it is found out which one does that."""

    class Ended:
        def result(self) -> None:
            raise KilledWorker("task", cast("Any", type("Worker", (), {"address": "tcp://10.0.0.4:3000"})), 3)

    points = [Space(plan).point(number) for number in (1, 2)]
    with DaskEngine(task, scheduler, 0) as engine:
        flow = dask._Flow(engine._client, engine._name, engine._evaluator, [])
        assert [*flow._rows_of(cast("Any", Ended()), points)] == []
        assert [*flow._under_way.values()] == [[points[0]], [points[1]]]
        assert sorted(row.number for row in flow.rows()) == [1, 2]
        [row] = flow._rows_of(cast("Any", Ended()), points[:1])
    assert row.number == 1
    assert row.error == PointError(
        code="worker-lost",
        message="4 workers have ended, one after another, that ran this point: is there enough memory?",
    )
