"""A folder in which the commands of the pages run."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Final

from tests.docs.examples import ROOT, vqs_words
from vqs.cli.main import main

_BRANCH: Final = ("queues/product.yaml", "weight: 2", "weight: 1")
"""What the branch changes that is checked out: a file, and what is in it before and after."""

_FOREIGN: Final = ("VQS_", "GITHUB_", "CI", "GITLAB_")
_GIT: Final = ("git", "-c", "user.name=docs", "-c", "user.email=docs@example.com", "-c", "init.defaultBranch=main")


class _Terminal(io.TextIOWrapper):
    """A standard output that says it is a terminal."""

    def __init__(self) -> None:
        self.screen = io.BytesIO()
        super().__init__(self.screen, encoding="utf-8")

    def isatty(self) -> bool:
        """Say so."""
        return True


class Playground:
    """A git repository with the files of `docs/example` and `scenarios/`, on a branch ahead of ``origin/main``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "docs" / "example", folder, dirs_exist_ok=True)
        shutil.copytree(ROOT / "scenarios", folder / "scenarios")
        for arguments in (
            ["init", "--quiet"],
            ["add", "."],
            ["commit", "--quiet", "-m", "base"],
            ["update-ref", "refs/remotes/origin/main", "HEAD"],
        ):
            subprocess.run([*_GIT, *arguments], cwd=folder, check=True)  # noqa: S603 - git of this machine
        name, before, after = _BRANCH
        text = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace(before, after), encoding="utf-8")

    def run(self, command: str) -> tuple[int, str]:
        """Return the exit status of a command, and what it prints: as on a terminal, or else as into a pipe."""
        words = vqs_words(command)
        with chdir(self.folder), _environment():
            return _in_a_shell(command) if words is None else _on_a_terminal(words)

    def knows(self, words: list[str]) -> bool:
        """Tell whether vqs has the command, and all of its options."""
        return self.run(f"vqs {' '.join(map(_quoted, words))} --help")[0] == 0


def _quoted(word: str) -> str:
    return f"'{word}'"


def _on_a_terminal(words: list[str]) -> tuple[int, str]:
    terminal, errors = _Terminal(), io.StringIO()
    with redirect_stdout(terminal), redirect_stderr(errors):
        status = main(words)
    return status, terminal.screen.getvalue().decode() or errors.getvalue()


def _in_a_shell(command: str) -> tuple[int, str]:
    done = subprocess.run(  # noqa: S603 - the page's own command
        ["bash", "-euo", "pipefail", "-c", command],  # noqa: S607 - as people call it
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout or done.stderr


@contextmanager
def _environment() -> Iterator[None]:
    """Set the environment to that of a plain terminal of 80 columns, with vqs on the path."""
    before = dict(os.environ)
    kept = {name: value for name, value in before.items() if not name.startswith(_FOREIGN)}
    path = os.pathsep.join([str(Path(sys.executable).parent), before["PATH"]])
    os.environ.clear()
    os.environ.update(kept, PATH=path, COLUMNS="80", TERM="xterm", NO_COLOR="1")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
