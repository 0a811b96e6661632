"""Programs that call vqs for each of many files, with a vqs that has all its modules already.

usage: python -m tests.resident PROGRAM ARGUMENT ...

Runs a Python program with ``--vqs COMMAND``, and ends with its exit code. The command hands its arguments, folder,
environment and output to a process forked from this one: 0.03 s, where a new interpreter takes 0.5 s.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vqs.cli.main import main

ROOT: Final = Path(__file__).parents[1]
_CLIENT: Final = """#!{python} -IS
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
socket.send_fds(server, [b"-"], [1, 2])
server.sendall(json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode())
server.shutdown(socket.SHUT_WR)
sys.exit(int(server.makefile().read() or 70))
"""


def serve(server: socket.socket) -> None:
    """Run one command after another, each in a process of its own, until killed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        connection, _ = server.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer(connection)
        connection.close()


def _answer(connection: socket.socket) -> None:
    """Run a command as its process would, send its exit code, and end."""
    code = 70
    try:
        _, (out, err), _, _ = socket.recv_fds(connection, 1, 2)
        for number, stream in enumerate((out, err), start=1):
            os.dup2(stream, number)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
        with connection.makefile() as asked:
            sys.argv, folder, environment = json.load(asked)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        code = main()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        connection.sendall(str(code).encode())
        os._exit(code)


def with_resident(command: Sequence[str]) -> int:
    """Run a Python program whose vqs is forked from this process, and return its exit code."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        address, client = str(Path(folder) / "socket"), Path(folder) / "vqs"
        client.write_text(_CLIENT.format(python=sys.executable, address=address), encoding="utf-8")
        client.chmod(0o700)
        server.bind(address)
        server.listen(64)
        warm = ["simulate", str(ROOT / "scenarios" / "first-look.yaml"), "-o", str(Path(folder) / "warm.json")]
        assert main(warm) == 0
        forked = os.fork()
        if forked == 0:
            serve(server)
        try:
            return subprocess.run([sys.executable, *command, "--vqs", str(client)], check=False).returncode  # noqa: S603
        finally:
            os.kill(forked, signal.SIGKILL)
            os.waitpid(forked, 0)


if __name__ == "__main__":
    sys.exit(with_resident(sys.argv[1:]))
