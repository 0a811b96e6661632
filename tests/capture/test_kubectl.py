"""How kubectl is asked, and what is made of its complaints."""

from __future__ import annotations

from pathlib import Path

import pytest

from vqs.capture.kubectl import (
    AbsentError,
    ClusterError,
    ExpiredError,
    ForbiddenError,
    Kubectl,
    UnansweredError,
)

SECRET = "hunter2"  # noqa: S105 - nobody's


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder the only place for commands; return it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def put(folder: Path, script: str) -> None:
    """Put a kubectl into a folder."""
    path = folder / "kubectl"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def failure(folder: Path, told: str) -> ClusterError:
    """Return what is made of what kubectl says when it fails."""
    put(folder, f"while read -r line; do echo \"$line\" >&2; done <<'EOF'\n{told}\nEOF\nexit 1")
    with pytest.raises(ClusterError) as caught:
        Kubectl(["--context=prod"]).get("/api/v1/pods")
    return caught.value


def test_the_command(folder: Path) -> None:
    """Kubectl is given the options, and the path to get; it has nothing to read, and speaks English."""
    put(folder, 'printf "%s|" "$@" "$LC_ALL"; read -r line || printf end')
    answer = Kubectl(["--context=prod"]).get("/api/v1/pods?limit=500")
    assert answer == b"--context=prod|--request-timeout=60s|get|--raw|/api/v1/pods?limit=500|C|end"


@pytest.mark.parametrize(
    ("told", "expected", "said"),
    [
        ('Error from server (Forbidden): pods is forbidden: User "x"', ForbiddenError, 'pods is forbidden: User "x"'),
        ("Error from server (NotFound): the server could not find it", AbsentError, "could not find it"),
        ("Error from server (MethodNotAllowed): not allowed", AbsentError, "not allowed"),
        ("Error from server (Expired): The provided continue parameter is too old", ExpiredError, "too old"),
        ("Error from server (InternalError): boom", UnansweredError, "boom"),
        ("Error from server: etcdserver: request timed out", UnansweredError, "request timed out"),
        ("Error from server (BadRequest): limit", ClusterError, "limit"),
        ("Unable to connect to the server: EOF", UnansweredError, "cannot be reached: EOF"),
        (
            "Unable to connect to the server: request canceled (Client.Timeout exceeded while awaiting headers)",
            UnansweredError,
            "does not answer within 60s; --request-timeout gives it more time",
        ),
        ("error: unexpected EOF", UnansweredError, "cannot be reached: unexpected EOF"),
        (
            "W1122 loader.go] not found\nThe connection to the server 1.2.3.4 was refused",
            UnansweredError,
            "1.2.3.4 was refused",
        ),
        ("error: You must be logged in to the server (Unauthorized)", ClusterError, "log in again"),
        ('error: context "nope" does not exist', ClusterError, 'context "nope" does not exist'),
        ("Error: unknown flag: --raw\nSee usage", ClusterError, "this kubectl is too old: it has no --raw"),
        ("Segmentation fault", ClusterError, "kubectl fails (try: kubectl --context=prod get nodes)"),
    ],
)
def test_complaints(folder: Path, told: str, expected: type[ClusterError], said: str) -> None:
    """What kubectl says tells whether to go on without a kind, to begin again, to ask again, or to give up."""
    error = failure(folder, told)
    assert type(error) is expected
    assert said in str(error)


@pytest.mark.parametrize(
    "told",
    [
        f'error: error loading config file "/home/me/config": AuthInfo.Token: bigger context ...|"token":["{SECRET}"]|',
        f"Unable to connect to the server: dial tcp https://me:{SECRET}@example.com: no such host",
        f"error: cannot unmarshal !!str `{SECRET}` into int",
        f"{SECRET}\nerror: exec plugin: exit status 3",
        SECRET,
    ],
)
def test_secrets_are_not_passed_on(folder: Path, told: str) -> None:
    """Some releases of kubectl quote their configuration; nothing of that is said again."""
    assert SECRET not in str(failure(folder, told))


def test_the_file_that_cannot_be_read(folder: Path) -> None:
    """A configuration that kubectl cannot read is named."""
    error = failure(folder, 'error: error loading config file "/home/me/config": yaml: line 1')
    assert str(error).startswith("kubectl cannot read its configuration in /home/me/config (try: kubectl")


@pytest.mark.usefixtures("folder")
def test_no_kubectl() -> None:
    """Where there is no kubectl, that is said, and where to get it."""
    with pytest.raises(ClusterError, match=r"kubectl is not installed, or not in PATH.*https://kubernetes\.io"):
        Kubectl().get("/api/v1/pods")


def test_a_kubectl_that_cannot_be_run(folder: Path) -> None:
    """A kubectl without the right to run it is an error of its own."""
    Path(folder, "kubectl").mkdir()
    with pytest.raises(ClusterError, match="kubectl cannot be run: Permission denied"):
        Kubectl().get("/api/v1/pods")


def test_a_kubectl_that_does_not_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kubectl that takes longer than it was told to is ended; without a limit, it has all the time."""
    monkeypatch.setattr("vqs.capture.kubectl._TO_LOG_IN", 0.0)
    put(folder, "exec /bin/sleep 600")
    with pytest.raises(UnansweredError, match="does not answer within 10ms; --request-timeout gives it more time"):
        Kubectl(timeout="10ms").get("/api/v1/pods")
    put(folder, 'echo "$1"')
    assert Kubectl(timeout="0").get("/api/v1/pods") == b"--request-timeout=0\n"
