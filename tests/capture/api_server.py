"""A small API server: it speaks the list protocol of Kubernetes, and fails where it is told to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from vqs.capture.kubectl import (
    AbsentError,
    ClusterError,
    ExpiredError,
    ForbiddenError,
    UnansweredError,
)
from vqs.snapshot.reading.kinds import KINDS, WANTED, group_of

Plain = dict[str, Any]

PODS: Final = "/api/v1/pods"
NODES: Final = "/api/v1/nodes"
ANYTHING: Final = "*"
"""In place of a path: whatever is asked for."""

BREAK: Final = 0
"""In place of a status: the answer breaks off."""


def _root(group: str) -> str:
    return "/apis" if group else "/api"


_PATHS: Final = {
    (each.kind.api_version, each.kind.name): f"{_root(each.kind.group)}/{each.kind.api_version}/{each.resource}"
    for each in WANTED
}
_MANAGED: Final = [{"manager": "kubectl", "fieldsV1": {f"f:field-{each}": {} for each in range(100)}}]
_REASONS: Final = {401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 410: "Expired", 500: "InternalError"}
_ERRORS: Final = {
    403: ForbiddenError,
    404: AbsentError,
    410: ExpiredError,
    500: UnansweredError,
    BREAK: UnansweredError,
}


@dataclass
class ApiServer:
    """Objects, and what goes wrong when they are asked for.

    Attributes:
        objects: the lists by their paths.
        refused: the status that is always the answer to a path.
        troubles: the statuses of answers to a path in the order of the requests; None is one without trouble.
        requests: what was asked for.
    """

    objects: dict[str, list[Plain]]
    refused: dict[str, int] = field(default_factory=dict)
    troubles: dict[str, list[int | None]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, objects: Iterable[Plain]) -> ApiServer:
        """Serve objects as they are in a dump."""
        lists: dict[str, list[Plain]] = {path: [] for path in _PATHS.values()}
        for each in objects:
            kind = KINDS.get((group_of(each["apiVersion"]), each["kind"]))
            lists[_PATHS[kind.api_version if kind else each["apiVersion"], each["kind"]]].append(each)
        return cls(lists)

    def answer(self, request: str) -> tuple[int, Plain]:
        """Return the status and the body of an answer."""
        self.requests.append(request)
        path, query = urlsplit(request).path, dict(parse_qsl(urlsplit(request).query))
        troubles = self.troubles.get(path) or [None]
        status = self.refused.get(path, self.refused.get(ANYTHING, troubles.pop(0)))
        if status is not None:
            return status, _failure(status, f"no {path}")
        before, _, rest = path.partition("/namespaces/")
        if rest.count("/") == 2:
            namespace, plural, name = rest.split("/")
            return self._one(f"{before}/{plural}", namespace, name)
        if rest and "/" not in rest:
            return self._one(path.removesuffix(f"/{rest}"), "", rest)
        namespace, _, plural = rest.partition("/")
        path = f"{before}/{plural}" if rest else path
        if path not in self.objects:
            return 404, _failure(404, "the server could not find the requested resource")
        return 200, _listed([each for each in self.objects[path] if _matches(each, namespace, query)], query)

    def get(self, request: str) -> bytes:
        """Answer as `Kubectl` does."""
        status, body = self.answer(request)
        if status in _ERRORS:
            raise _ERRORS[status](body["message"])
        if status != 200:
            raise ClusterError(body["message"])
        return json.dumps(body).encode()

    def _one(self, path: str, namespace: str, name: str) -> tuple[int, Plain]:
        found = [
            each
            for each in self.objects.get(path, ())
            if (each["metadata"].get("namespace", ""), each["metadata"]["name"]) == (namespace, name)
        ]
        return (200, found[0]) if found else (404, _failure(404, f"{name} not found"))


def _matches(value: Plain, namespace: str, query: dict[str, str]) -> bool:
    metadata = value["metadata"]
    key, _, wanted = query.get("labelSelector", "").partition("=")
    return (not namespace or metadata.get("namespace") == namespace) and (
        not key or metadata.get("labels", {}).get(key) == wanted
    )


def _listed(objects: list[Plain], query: dict[str, str]) -> Plain:
    """Return a page of a list; as from a real server, those of built-in kinds come without their kinds."""
    begin, size = int(query.get("continue", "0")), int(query.get("limit", "0")) or len(objects)
    end = begin + size
    metadata: Plain = {"resourceVersion": "1000"}
    if end < len(objects):
        metadata |= {"continue": str(end), "remainingItemCount": len(objects) - end}
    items = [
        each if "." in each["apiVersion"] else {key: each[key] for key in each if key not in {"apiVersion", "kind"}}
        for each in objects[begin:end]
    ]
    return {"kind": "SomeList", "apiVersion": "v1", "metadata": metadata, "items": items}


def _failure(status: int, message: str) -> Plain:
    reason = _REASONS.get(status, "")
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": status,
    }


@contextmanager
def served(server: ApiServer) -> Iterator[str]:
    """Serve it on a port of its own, and yield its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, body = server.answer(self.path)
            data = json.dumps(body).encode()
            self.send_response(status or 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data if status != BREAK else data[: len(data) // 2])
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def pods(number: int) -> list[Plain]:
    """Make pods that run on one node, with secrets in them."""
    return [pod(f"pod-{each:05d}") for each in range(number)]


def pod(name: str, namespace: str = "default") -> Plain:
    """Make a pod that runs, with secrets in it."""
    container = {
        "name": "main",
        "image": "busybox",
        "command": ["run", "--password=hunter2"],
        "env": [{"name": "TOKEN", "value": "hunter2"}],
        "resources": {"requests": {"cpu": "1m"}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"uid-{namespace}-{name}",
            "creationTimestamp": "2026-03-02T11:58:01Z",
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "hunter2", "kept": "yes"},
            "managedFields": _MANAGED,
        },
        "spec": {"nodeName": "node", "schedulerName": "volcano", "containers": [container]},
        "status": {"phase": "Running"},
    }


def node(name: str = "node") -> Plain:
    """Make a node with room for many pods."""
    allocatable = {"cpu": "64", "memory": "64Gi", "pods": "30000"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"allocatable": allocatable}}


def config_map(namespace: str, name: str, **data: str) -> Plain:
    """Make a ConfigMap."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": namespace, "name": name}, "data": data}
