"""Have a real cluster serve a workload, and write down when what happened: serve.py WORKLOAD OUTCOME --binaries FOLDER.

The cluster is etcd, the API server, kube-controller-manager, Volcano's controllers and its scheduler, all on this
machine; docs/development/recording.md (Workloads) says where they come from. Nodes are objects without a kubelet: this
program starts each pod as soon as it is bound, ends it once it has run for its duration, and removes it shortly after
it is told to go.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import yaml

Plain = dict[str, Any]

PORT: Final = 26400
TOKEN: Final = "recorder"  # noqa: S105 - of a cluster that lives for minutes, on this machine only
TICK: Final = 0.05
REMOVAL: Final = 0.1
"""Seconds from the deletion of a pod to when its kubelet says that it is gone."""
SECONDS: Final = "recorder/seconds"
"""The annotation of a pod with how long it runs."""
JOB: Final = "volcano.sh/job-name"
NAMESPACE: Final = "default"
_BATCH: Final = f"/apis/batch.volcano.sh/v1alpha1/namespaces/{NAMESPACE}/jobs"
_SCHEDULING: Final = "/apis/scheduling.volcano.sh/v1beta1"
_PODS: Final = f"/api/v1/namespaces/{NAMESPACE}/pods"
_BATCH_JOBS: Final = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
_DEPLOYMENTS: Final = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
_MERGE: Final = "application/merge-patch+json"
_STRATEGIC: Final = "application/strategic-merge-patch+json"
SETTLED: Final = 15.0
"""Seconds in which the pods of Deployments are bound, before a workload with such begins."""


class Api:
    """An API server on this machine."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._local = threading.local()
        self._context = ssl.create_default_context()
        self._context.check_hostname, self._context.verify_mode = False, ssl.CERT_NONE  # it signs its own certificate

    def _open(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self._port, context=self._context, timeout=600)

    def request(self, method: str, path: str, body: Plain | None = None, kind: str = "application/json") -> Plain:
        """Return the answer to a request; what is not there when it is patched or deleted is no error.

        Raises:
            OSError: the server cannot be reached, or refuses.
        """
        connection = self._local.__dict__.setdefault("connection", self._open())
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": kind}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
        except http.client.HTTPException as error:
            connection.close()
            message = f"{method} {path}: {error!r}"
            raise OSError(message) from error
        if answer.status == http.HTTPStatus.NOT_FOUND and method in {"PATCH", "DELETE"}:
            return {}
        if answer.status >= http.HTTPStatus.BAD_REQUEST:
            message = f"{method} {path}: {answer.status} {text.decode()[:500]}"
            raise OSError(message)
        return json.loads(text) if text[:1] == b"{" else {}

    def watch(self, path: str) -> Iterator[tuple[float, str, Plain]]:
        """Yield the time, the kind and the object of what happens to objects, from now on."""
        version = self.request("GET", path)["metadata"]["resourceVersion"]
        connection = self._open()
        url = f"{path}?watch=1&resourceVersion={version}"
        connection.request("GET", url, headers={"Authorization": f"Bearer {TOKEN}"})
        for line in connection.getresponse():
            event = json.loads(line)
            yield time.time(), event["type"], event["object"]


# --- the cluster ------------------------------------------------------------------------------------------------------


@contextmanager
def cluster(binaries: Path, crds: Path, conf: str, period: float) -> Iterator[Api]:
    """Start all parts of a cluster, and end them."""
    with TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        _write_credentials(folder)
        (folder / "volcano-scheduler.conf").write_text(conf, encoding="utf-8")
        api = Api(PORT + 2)

        def start(program: str, *arguments: str) -> None:
            log = stack.enter_context((folder / f"{program}.log").open("wb"))
            command = [str(binaries / program), *arguments]
            running = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)  # noqa: S603
            stack.callback(running.wait)
            stack.callback(running.terminate)

        url = f"http://127.0.0.1:{PORT}"
        start("etcd", "--data-dir=etcd", f"--listen-client-urls={url}", f"--advertise-client-urls={url}",
              f"--listen-peer-urls=http://127.0.0.1:{PORT + 1}", "--unsafe-no-fsync")  # fmt: skip
        start("apiserver", f"--etcd-servers={url}", f"--secure-port={PORT + 2}", "--bind-address=127.0.0.1",
              "--cert-dir=certificates", "--token-auth-file=tokens", "--authorization-mode=AlwaysAllow",
              "--endpoint-reconciler-type=none", "--disable-admission-plugins=ServiceAccount",
              "--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=key",
              "--service-account-signing-key-file=key", "--service-cluster-ip-range=10.0.0.0/24")  # fmt: skip
        _wait_for(lambda: api.request("GET", "/readyz") is not None)
        _wait_for(lambda: bool(api.request("GET", f"/api/v1/namespaces/{NAMESPACE}")))
        _define(api, crds)
        start("kcm", "--kubeconfig=config", "--leader-elect=false",
              "--controllers=disruption,deployment,replicaset,job,garbage-collector-controller")  # fmt: skip
        for program in ("controllers", "scheduler"):
            own = (
                "--scheduler-conf=volcano-scheduler.conf",
                f"--schedule-period={period}s",
                "--percentage-nodes-to-find=100",
            )
            start(program, "--kubeconfig=config", "--leader-elect=false", "--enable-healthz=false",
                  "--kube-api-qps=2000", "--kube-api-burst=2000", *(own if program == "scheduler" else ()))  # fmt: skip
        _wait_for(lambda: bool(api.request("GET", f"{_SCHEDULING}/queues/default")))
        yield api


def _write_credentials(folder: Path) -> None:
    subprocess.run(  # noqa: S603 - the name of a folder made just now
        ["openssl", "genrsa", "-out", folder / "key", "2048"],  # noqa: S607
        check=True,
        capture_output=True,
    )
    (folder / "tokens").write_text(f"{TOKEN},admin,admin,system:masters\n", encoding="utf-8")
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": "own", "cluster": {"server": f"https://127.0.0.1:{PORT + 2}", "insecure-skip-tls-verify": True}}
        ],
        "users": [{"name": "admin", "user": {"token": TOKEN}}],
        "contexts": [{"name": "own", "context": {"cluster": "own", "user": "admin"}}],
        "current-context": "own",
    }
    (folder / "config").write_text(yaml.safe_dump(config), encoding="utf-8")


def _wait_for(is_so: Any, seconds: float = 120.0) -> None:
    end = time.time() + seconds
    while True:
        try:
            if is_so():
                return
        except OSError:
            if time.time() > end:
                raise
        time.sleep(0.2)


def _define(api: Api, crds: Path) -> None:
    """Tell the API server of Volcano's kinds."""
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    for file in sorted(crds.glob("*.yaml")):
        made = api.request("POST", path, yaml.safe_load(file.read_text(encoding="utf-8")))
        spec = made["spec"]
        served = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
        _wait_for(lambda served=served: api.request("GET", served) is not None)


# --- objects ----------------------------------------------------------------------------------------------------------


def _put_objects(api: Api, workload: Plain) -> None:
    """Make the nodes, queues and classes that a workload begins with."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for each in workload["nodes"]:
        amounts = {"cpu": each["cpu"], "memory": each["memory"], "pods": "110"}
        if each.get("gpu"):
            amounts["nvidia.com/gpu"] = str(each["gpu"])
        condition = {
            "type": "Ready",
            "status": "True",
            "reason": "KubeletReady",
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
        }
        status = {"capacity": amounts, "allocatable": amounts, "conditions": [condition]}
        metadata = {"name": each["name"], "labels": {"kubernetes.io/hostname": each["name"]}}
        api.request("POST", "/api/v1/nodes", {"metadata": metadata, "status": status})
        # The API server taints nodes that are new, and a controller which does not run here takes that away.
        api.request("PATCH", f"/api/v1/nodes/{each['name']}", {"spec": {"taints": None}}, _MERGE)
    for each in workload.get("priorityClasses") or ():
        api.request(
            "POST",
            "/apis/scheduling.k8s.io/v1/priorityclasses",
            {"metadata": {"name": each["name"]}, "value": each["value"]},
        )
    for each in workload["queues"]:
        fields = ("parent", "weight", "deserved", "capability", "guarantee", "reclaimable")
        spec = {name: each[name] for name in fields if each.get(name) is not None}
        if "guarantee" in spec:
            spec["guarantee"] = {"resource": spec["guarantee"]}
        api.request("POST", f"{_SCHEDULING}/queues", {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
                    "metadata": {"name": each["name"]}, "spec": spec})  # fmt: skip
    for each in workload.get("budgets") or ():
        api.request("POST", f"/apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets", budget_object(each))


def job_object(job: Plain, policy: str, max_retry: int) -> Plain:
    """Return a job of a workload as Volcano's admission would have it."""
    amounts = {"cpu": job["cpu"], "memory": job["memory"]}
    if job.get("gpu"):
        amounts["nvidia.com/gpu"] = str(job["gpu"])
    container = {"name": "w", "image": "none", "resources": {"requests": amounts, "limits": amounts}}
    pod = {
        "metadata": {"annotations": {SECONDS: str(job["duration"])}},
        "spec": {"containers": [container], "restartPolicy": "Never", "schedulerName": "volcano"},
    }
    spec = {
        "schedulerName": "volcano",
        "queue": job["queue"],
        "minAvailable": job["minAvailable"],
        "maxRetry": max_retry,
        "policies": [{"event": "PodEvicted", "action": policy}],
        "tasks": [
            {
                "name": "w",
                "replicas": job["replicas"],
                "minAvailable": job["minAvailable"],
                "maxRetry": max_retry,
                "template": pod,
            }
        ],
    }
    if job.get("priorityClass"):
        spec["priorityClassName"] = job["priorityClass"]
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": job["name"]}, "spec": spec}


def budget_object(budget: Plain) -> Plain:
    """Return a PodDisruptionBudget of a workload: how many pods of a job have to stay."""
    spec = {"minAvailable": budget["minAvailable"], "selector": {"matchLabels": {JOB: budget["job"]}}}
    metadata = {"name": budget["job"], "namespace": NAMESPACE}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}


def batch_job_object(job: Plain) -> Plain:
    """Return a Job of Kubernetes of a workload, whose pods request cpu alone."""
    container = {"name": "w", "image": "none", "resources": {"requests": {"cpu": job["cpu"]}}}
    pod = {
        "containers": [container],
        "schedulerName": "volcano",
        "restartPolicy": "Never",
        "priorityClassName": job["priorityClass"],
        "terminationGracePeriodSeconds": 1,
    }
    annotations = {SECONDS: str(job["duration"]), "scheduling.volcano.sh/queue-name": job["queue"]}
    template = {"metadata": {"annotations": annotations}, "spec": pod}
    numbers = {name: job[name] for name in ("completions", "parallelism", "backoffLimit")}
    metadata = {"name": job["name"], "namespace": NAMESPACE}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {**numbers, "template": template}}


def deployment_object(deployment: Plain) -> Plain:
    """Return a Deployment of a workload, whose pods run without end."""
    labels = {"app": deployment["name"]}
    container = {"name": "w", "image": "none", "resources": {"requests": {"cpu": deployment["cpu"]}}}
    spec = {"containers": [container], "schedulerName": "volcano", "terminationGracePeriodSeconds": 1}
    annotations = {SECONDS: "inf", "scheduling.volcano.sh/queue-name": deployment["queue"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": deployment["name"], "namespace": NAMESPACE},
        "spec": {
            "replicas": deployment["replicas"],
            "strategy": {"rollingUpdate": {name: deployment[name] for name in ("maxSurge", "maxUnavailable")}},
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels, "annotations": annotations}, "spec": spec},
        },
    }


# --- the kubelets, and what happened ----------------------------------------------------------------------------------


class Kubelets:
    """The kubelets of all nodes: they start, end and remove pods, and write down when."""

    def __init__(self, api: Api, began: float) -> None:
        self.lives: dict[str, Plain] = {}
        """The lives of pods by uid, in the order in which they were created."""
        self._api, self._began = api, began
        self._pods: dict[str, Plain] = {}
        self._lock = threading.Lock()
        self._due: dict[str, tuple[float, str]] = {}

    def now(self, moment: float | None = None) -> float:
        """The seconds since the workload began."""
        return round((time.time() if moment is None else moment) - self._began, 2)

    def hear(self) -> None:
        """Take in what happens to pods, until the cluster ends."""
        for moment, event, pod in self._api.watch(_PODS):
            with self._lock:
                self._take_in(self.now(moment), event, pod)

    def _take_in(self, now: float, event: str, pod: Plain) -> None:
        metadata, uid = pod["metadata"], pod["metadata"]["uid"]
        life = self.lives.setdefault(
            uid, {"pod": metadata["name"], "job": (metadata.get("labels") or {}).get(JOB), "created": now}
        )
        if event == "DELETED":
            life.setdefault("end", now)
            life["removed"] = now
            self._due.pop(uid, None)
            self._pods.pop(uid, None)
            return
        self._pods[uid] = pod
        if pod["spec"].get("nodeName") and "bound" not in life:
            life["bound"], life["node"] = now, pod["spec"]["nodeName"]
            self._due[uid] = (-math.inf, "start")
        if metadata.get("deletionTimestamp") and "deleted" not in life:
            conditions = pod["status"].get("conditions") or ()
            by_scheduler = any(each.get("reason") == "Evict" for each in conditions)
            life["deleted"] = now
            if life.get("kind") != "succeeded":
                life["end"], life["kind"] = now, "evicted" if by_scheduler else "deleted"
                life["deletedBy"] = "scheduler" if by_scheduler else "controller"
            self._due[uid] = (now + REMOVAL, "remove")

    def act(self) -> None:
        """Do what is due."""
        now = self.now()
        with self._lock:
            due = [(uid, what, self._pods[uid]) for uid, (at, what) in self._due.items() if at <= now]
            for uid, _, _ in due:
                del self._due[uid]
        for uid, what, pod in due:
            path = f"{_PODS}/{pod['metadata']['name']}"
            if what == "remove":
                options = {"gracePeriodSeconds": 0, "preconditions": {"uid": uid}}
                self._api.request("DELETE", path, options)
                continue
            phase = "Running" if what == "start" else "Succeeded"
            self._api.request("PATCH", f"{path}/status", {"metadata": {"uid": uid}, "status": _status(phase)}, _MERGE)
            with self._lock:
                life = self.lives[uid]
                if what == "start":
                    life["running"] = self.now()
                    seconds = float(pod["metadata"]["annotations"][SECONDS])
                    self._due.setdefault(uid, (life["running"] + seconds, "end"))
                elif "kind" not in life:
                    life["end"], life["kind"] = self.now(), "succeeded"


def _status(phase: str) -> Plain:
    is_running = phase == "Running"
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    state: Plain = (
        {"running": {"startedAt": stamp}} if is_running else {"terminated": {"exitCode": 0, "reason": "Completed"}}
    )
    container = {
        "name": "w",
        "image": "none",
        "imageID": "",
        "restartCount": 0,
        "ready": is_running,
        "started": is_running,
        "state": state,
    }
    conditions = [{"type": kind, "status": str(is_running)} for kind in ("Ready", "ContainersReady")]
    scheduled = {"type": "PodScheduled", "status": "True"}
    return {
        "phase": phase,
        "startTime": stamp,
        "conditions": [scheduled, *conditions],
        "containerStatuses": [container],
    }


class Rollouts:
    """Changes of Deployments' templates at their times, and when each was complete."""

    def __init__(self, api: Api, workload: Plain) -> None:
        self.records: list[Plain] = []
        self._api = api
        self._waiting = sorted(workload.get("rollouts") or (), key=lambda each: each["at"])
        self.deployments: Sequence[Plain] = workload.get("deployments") or ()
        for each in self.deployments:
            api.request("POST", _DEPLOYMENTS, deployment_object(each))

    def act(self, now: float) -> None:
        """Change the Deployments whose time has come, and look how far the others are."""
        while self._waiting and self._waiting[0]["at"] <= now:
            due = self._waiting.pop(0)
            container = {"name": "w", "resources": {"requests": {"cpu": due["cpu"]}}}
            template = {"metadata": {"annotations": {"rollout": str(due["at"])}}, "spec": {"containers": [container]}}
            path = f"{_DEPLOYMENTS}/{due['deployment']}"
            self._api.request("PATCH", path, {"spec": {"template": template}}, _STRATEGIC)
            self.records.append({"deployment": due["deployment"], "at": due["at"], "completed": None})
        for record in self.records:
            if record["completed"] is None:
                found = self._api.request("GET", f"{_DEPLOYMENTS}/{record['deployment']}")
                status, wanted = found["status"], found["spec"]["replicas"]
                is_seen = status.get("observedGeneration") == found["metadata"]["generation"]
                numbers = [status.get(name, 0) for name in ("replicas", "updatedReplicas", "availableReplicas")]
                if is_seen and numbers == [wanted] * 3:
                    record["completed"] = round(now, 2)

    @property
    def are_over(self) -> bool:
        """True if nothing is left to be rolled out."""
        return not self._waiting and all(record["completed"] is not None for record in self.records)


class BatchJobs:
    """Jobs of Kubernetes, which are there from the beginning, and when each was over."""

    def __init__(self, api: Api, workload: Plain) -> None:
        self._api = api
        jobs: Sequence[Plain] = workload.get("batchJobs") or ()
        self.records: list[Plain] = [{"name": each["name"], "completed": None, "phase": None} for each in jobs]
        for each in jobs:
            api.request("POST", _BATCH_JOBS, batch_job_object(each))

    def look(self, now: float) -> None:
        """Look which of them are over."""
        for record in self.records:
            if record["completed"] is None:
                status = self._api.request("GET", f"{_BATCH_JOBS}/{record['name']}").get("status", {})
                ended = {"Complete": "Completed", "Failed": "Failed"}
                true = [each["type"] for each in status.get("conditions", ()) if each["status"] == "True"]
                phase = next((ended[each] for each in true if each in ended), None)
                if phase is not None:
                    record["completed"], record["phase"] = round(now, 2), phase
                    record["succeeded"], record["failed"] = status.get("succeeded", 0), status.get("failed", 0)

    @property
    def are_over(self) -> bool:
        """True if all have ended."""
        return all(record["completed"] is not None for record in self.records)


class Phases:
    """The phases of objects of a kind, as they change."""

    def __init__(self, api: Api, path: str, began: float) -> None:
        self.by_name: dict[str, list[tuple[float, str]]] = {}
        self.created: dict[str, float] = {}
        self._api, self._path, self._began = api, path, began

    def hear(self) -> None:
        """Take in what happens to objects, until the cluster ends."""
        for moment, _, found in self._api.watch(self._path):
            name, status = found["metadata"]["name"], found.get("status") or {}
            now = round(moment - self._began, 2)
            self.created.setdefault(name, now)
            state = status.get("phase") or (status.get("state") or {}).get("phase")
            past = self.by_name.setdefault(name, [])
            if state and (not past or past[-1][1] != state):
                past.append((now, state))


def serve(api: Api, workload: Plain) -> Plain:
    """Submit the jobs of a workload at their times, and return what became of them."""
    _put_objects(api, workload)
    time.sleep(3)  # informers take in the nodes
    rollouts = Rollouts(api, workload)
    batch_jobs = BatchJobs(api, workload)
    began = time.time() + (SETTLED if rollouts.deployments or batch_jobs.records else 0.0)
    kubelets = Kubelets(api, began)
    jobs, groups = Phases(api, _BATCH, began), Phases(api, f"{_SCHEDULING}/namespaces/{NAMESPACE}/podgroups", began)
    for hear in (kubelets.hear, jobs.hear, groups.hear):
        threading.Thread(target=hear, daemon=True).start()
    time.sleep(0.5)
    waiting = sorted(workload["jobs"], key=lambda job: job["arrival"])
    submitted: dict[str, float] = {}
    timed_out = False
    while not timed_out:
        now = time.time() - began
        rollouts.act(now)
        batch_jobs.look(now)
        while waiting and waiting[0]["arrival"] <= now:
            job = waiting.pop(0)
            api.request("POST", _BATCH, job_object(job, workload["evictPolicy"], workload["maxRetry"]))
            submitted[job["name"]] = kubelets.now()
        kubelets.act()
        ended = [_ended(jobs.by_name.get(job["name"], ())) for job in workload["jobs"]]
        if all(each is not None for each in ended) and rollouts.are_over and batch_jobs.are_over:
            break
        timed_out = now > workload["timeLimit"]
        time.sleep(TICK)
    rows = [_row(job, submitted, kubelets, jobs, groups) for job in workload["jobs"]]
    makespan = kubelets.now() if timed_out else max(row["completed"] for row in rows)
    kubelet = {"runAfterBind": "at once (see bound/running)", "removeAfterDeletion": REMOVAL, "tick": TICK}
    return {
        "name": workload["name"],
        "timedOut": timed_out,
        "makespan": makespan,
        "evictPolicy": workload["evictPolicy"],
        "kubelet": kubelet,
        "rollouts": rollouts.records,
        "batchJobs": batch_jobs.records,
        "services": _lives_by_pod(kubelets, None),
        "jobs": rows,
    }


def _ended(phases: Sequence[tuple[float, str]]) -> float | None:
    last = phases[-1] if phases else (0.0, "")
    return last[0] if last[1] in {"Completed", "Failed", "Terminated", "Aborted"} else None


def _row(job: Plain, submitted: dict[str, float], kubelets: Kubelets, jobs: Phases, groups: Phases) -> Plain:
    """Return what became of a job."""
    name = job["name"]
    pods = _lives_by_pod(kubelets, name)
    lives = [life for each in pods.values() for life in each]
    own = [key for key in groups.by_name if key.startswith(f"{name}-")]
    phases = groups.by_name[own[0]] if own else []
    return {
        **{key: job[key] for key in ("name", "queue", "arrival")},
        "submitted": submitted.get(name),
        "podGroupCreated": groups.created[own[0]] if own else None,
        "inqueue": next((at for at, phase in phases if phase == "Inqueue"), None),
        "minRunning": first_running(lives, job["minAvailable"]),
        "completed": _ended(jobs.by_name.get(name, ())),
        "finalPhase": jobs.by_name[name][-1][1] if jobs.by_name.get(name) else None,
        "podGroupPhases": phases,
        "jobPhases": jobs.by_name.get(name, []),
        "pods": pods,
    }


def _lives_by_pod(kubelets: Kubelets, job: str | None) -> dict[str, list[Plain]]:
    """Return the lives of the pods of a job, or of those that are of none."""
    pods: dict[str, list[Plain]] = {}
    for life in kubelets.lives.values():
        if life["job"] == job:
            kept = {key: value for key, value in life.items() if key not in {"pod", "job", "deleted"}}
            pods.setdefault(life["pod"], []).append(kept)
    return pods


def first_running(lives: Sequence[Plain], least: int) -> float | None:
    """When as many pods as `least` first ran at the same time, or had ended well.

    >>> first_running([{"running": 1.0, "end": 2.0, "kind": "evicted"}, {"running": 3.0}, {"running": 4.0}], 2)
    4.0
    """
    moves = sorted(
        [(life["running"], 1) for life in lives if "running" in life]
        + [(life["end"], -1) for life in lives if "running" in life and life.get("kind") in {"evicted", "deleted"}]
    )
    count = 0
    for moment, by in moves:
        count += by
        if count >= least:
            return float(moment)
    return None


def main() -> None:
    """Serve a workload."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workload", type=Path)
    parser.add_argument("outcome", type=Path)
    parser.add_argument(
        "--binaries", type=Path, required=True, help="with etcd, apiserver, kcm, controllers and scheduler"
    )
    parser.add_argument(
        "--crds",
        type=Path,
        required=True,
        help="config/crd/volcano/bases and config/crd/jobflow/bases of Volcano, in one folder",
    )
    parser.add_argument("--real", default="Volcano v1.14.4")
    options = parser.parse_args()
    # So that the programs of the cluster end with this one.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    workload = json.loads(options.workload.read_text(encoding="utf-8"))
    with cluster(options.binaries, options.crds, workload["schedulerConf"], workload["schedulePeriod"]) as api:
        outcome = {"real": options.real, **serve(api, workload)}
    options.outcome.write_text(json.dumps(outcome, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    main()
