"""The action that comments on a pull request, against a server that answers as GitHub's API does."""

from __future__ import annotations

import io
import json
import os
import runpy
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest
import yaml

from vqs.cli.main import main

ROOT = Path(__file__).parents[2]
REPOSITORY = "/repos/team/queues"
BOT = "github-actions[bot]"
MARK = "<!-- vqs what-if 5 what-if, run {} -->"
SNAPSHOT = """
apiVersion: vqs/v1
kind: Scenario
nodes:
  - {name: n1, resources: {cpu: 4, memory: 8Gi}}
queues:
  - {name: a, weight: 1}
  - {name: b, weight: 1}
jobs:
  - {name: one, queue: a, minAvailable: 2, replicas: 2, cpu: 1}
  - {name: two, queue: b, minAvailable: 2, replicas: 2, cpu: 1}
"""


@dataclass
class GitHub:
    """What a repository has: artifacts by run, comments, and the pull request with its newest commit."""

    address: str = ""
    head: str = "sha-1"
    artifacts: dict[int, bytes] = field(default_factory=dict)
    comments: list[dict[str, Any]] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    """The requests with a token for what is no part of the API."""

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> Any:
        """What the API says to a request; bytes are a file."""
        what = path.removeprefix(REPOSITORY)
        if (method, what) == ("GET", "/pulls"):
            is_head = query["head"] == ["stranger:change"] and query["state"] == ["open"]
            return [{"number": 7, "head": {"sha": self.head}}] if is_head else []
        if (method, what) == ("GET", "/issues/7/comments"):
            return self.comments if query["page"] == ["1"] else []
        if (method, what) == ("POST", "/issues/7/comments"):
            self.comments.append({"id": 100 + len(self.comments), "user": {"login": BOT}, **body})
            return {}
        if method == "PATCH":
            [comment] = [each for each in self.comments if what == f"/issues/comments/{each['id']}"]
            comment.update(body)
            return {}
        run = int(what.split("/")[3])
        assert (method, query["name"]) == ("GET", [os.environ["ARTIFACT"]])
        kept = {"expired": False, "archive_download_url": f"{self.address}/redirected/{run}"}
        return {"artifacts": [kept] if run in self.artifacts else []}


@pytest.fixture
def github() -> Iterator[GitHub]:
    """Start the server."""
    there = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def handled(self) -> None:
            parts = urlparse(self.path)
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")
            if parts.path.startswith("/redirected/"):
                self.send_response(302)
                self.send_header("Location", parts.path.replace("redirected", "stored"))
                self.end_headers()
                return
            if parts.path.startswith("/stored/"):
                if self.headers.get("Authorization"):
                    there.strangers.append(self.path)
                data = there.artifacts[int(parts.path.rpartition("/")[2])]
            else:
                assert self.headers["Authorization"] == "Bearer secret"
                data = json.dumps(there.answer(self.command, parts.path, parse_qs(parts.query), body)).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = handled  # noqa: N815 - as the library calls them

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        there.address = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield there
        server.shutdown()


@pytest.fixture
def pushed(github: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return what a push leads to: a run with what an edit of the snapshot changes, then the comment; and its text."""
    program = tmp_path / "bin" / "vqs"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m vqs "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (tmp_path / "snapshot.yaml").write_text(SNAPSHOT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "PATH": os.pathsep.join([str(program.parent), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT),
        "GITHUB_API_URL": github.address,
        "GITHUB_REPOSITORY": "team/queues",
        "GITHUB_EVENT_PATH": "event.json",
        "ARTIFACT": "what-if",
        "TOKEN": "secret",
    }.items():
        monkeypatch.setenv(name, value)

    def push(run: int, edit: str = "", data: bytes | None = None) -> str:
        if edit:
            compared = ["diff-configs", "--on", "snapshot.yaml", "--set", edit, "--format", "json", "-q"]
            assert main([*compared, "--output", "diff.json"]) in (0, 1)
            data = Path("diff.json").read_bytes()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("diff.json", data or b"")
        github.artifacts[run] = packed.getvalue()
        source = {"owner": {"login": "stranger"}}
        event = {
            "id": run,
            "workflow_id": 5,
            "head_sha": f"sha-{run}",
            "head_branch": "change",
            "head_repository": source,
        }
        Path("event.json").write_text(json.dumps({"workflow_run": event}), encoding="utf-8")
        runpy.run_path(str(ROOT / ".ci" / "comment" / "post.py"), run_name="__main__")
        return str(github.comments[-1]["body"]) if github.comments else ""

    return push


def test_a_comment_is_brought_up_to_date(github: GitHub, pushed: Callable[..., str]) -> None:
    """The second push changes the comment of the first, and says what is otherwise; the token stays with GitHub."""
    github.comments.append({"id": 1, "user": {"login": "someone"}, "body": f"I see.\n{MARK.format(9)}"})
    first = pushed(1, "queue/a.spec.capability.cpu=1")
    assert "default/one" in first
    assert "Since the comparison before" not in first
    assert first.endswith(f"\n{MARK.format(1)}")
    github.head = "sha-2"
    second = pushed(2, "queue/b.spec.capability.cpu=1")
    assert len(github.comments) == 2
    assert second.endswith(f"\n{MARK.format(2)}")
    [since] = [line for line in second.splitlines() if line.startswith("Since the comparison before")]
    assert "default/one: as in the base (before: no longer placed)" in since
    assert "default/two: no longer placed (before: as in the base)" in since
    assert github.comments[0]["body"].startswith("I see.")
    assert github.strangers == []


def test_each_use_has_a_comment_of_its_own(
    github: GitHub, pushed: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another artifact, or another first workflow, is another use."""
    github.comments.append({"id": 1, "user": {"login": BOT}, "body": "before\n<!-- vqs what-if 6 what-if, run 9 -->"})
    pushed(1, "queue/a.spec.capability.cpu=1")
    monkeypatch.setenv("ARTIFACT", "other --> queues")
    github.head = "sha-2"
    assert pushed(2, "queue/b.spec.capability.cpu=1").endswith("\n<!-- vqs what-if 5 other%20--%3E%20queues, run 2 -->")
    github.head = "sha-3"
    assert "Since the comparison before" in pushed(3, "queue/a.spec.capability.cpu=1")
    assert [each["body"].rpartition("\n")[2] for each in github.comments] == [
        "<!-- vqs what-if 6 what-if, run 9 -->",
        MARK.format(1),
        "<!-- vqs what-if 5 other%20--%3E%20queues, run 3 -->",
    ]


def test_a_run_that_is_not_of_the_newest_commit_says_nothing(github: GitHub, pushed: Callable[..., str]) -> None:
    """What was pushed since then has a run of its own."""
    github.head = "sha-2"
    assert pushed(1, "queue/a.spec.capability.cpu=1") == ""


def test_an_earlier_result_that_is_gone_or_broken_is_no_hindrance(github: GitHub, pushed: Callable[..., str]) -> None:
    """The comment has what the new one says."""
    github.head = "sha-3"
    for run in (1, 2):
        body = f"before\n{MARK.format(run)}"
        github.comments[:] = [{"id": 1, "user": {"login": BOT}, "body": body}]
        github.artifacts[2] = b"no archive"
        assert "default/one" in pushed(3, "queue/a.spec.capability.cpu=1")
        assert len(github.comments) == 1


def test_what_is_no_result_is_not_posted(github: GitHub, pushed: Callable[..., str]) -> None:
    """A stranger may have written anything into the artifact."""
    with pytest.raises(SystemExit, match="the result cannot be rendered"):
        pushed(1, data=b"@everyone <b>hello</b>")
    assert github.comments == []


def test_the_action_runs_this_program() -> None:
    """With what it needs, and nothing of its inputs is in a script."""
    action = yaml.safe_load((ROOT / ".ci" / "comment" / "action.yml").read_text(encoding="utf-8"))
    steps = action["runs"]["steps"]
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []
    assert steps[-1]["run"] == 'python "$GITHUB_ACTION_PATH/post.py"'
    assert set(steps[-1]["env"]) == {"ARTIFACT", "TOKEN"}
