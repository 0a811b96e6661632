"""Running git, and what it says where it fails."""

from __future__ import annotations

import os
import subprocess
from typing import Final

_GIT: Final = "git"
OPTIONS: Final = ("-c", "safe.bareRepository=explicit")
"""A folder that only looks like a repository is none: a change may have one in it, with revisions and settings."""


class RevisionError(Exception):
    """Files cannot be taken from a revision; the message says why."""


class GitError(RevisionError):
    """Git fails.

    Attributes:
        stderr: what it writes about it.
        reason: the first line of that.
    """

    def __init__(self, command: str, stderr: str) -> None:
        self.stderr = stderr
        self.reason = stderr.partition("\n")[0].removeprefix("fatal: ").removeprefix("error: ")
        super().__init__(f"git {command} fails: {self.reason or 'it does not say why'}")


def git(*arguments: str, folder: str | os.PathLike[str], stdin: bytes = b"") -> bytes:
    """What git writes where it is run in a folder.

    Raises:
        GitError: it fails.
        RevisionError: it is not installed.
    """
    english = {**os.environ, "LC_ALL": "C"}  # what it says is looked into
    try:
        command = [_GIT, *OPTIONS, "-C", folder, *arguments]
        done = subprocess.run(command, check=False, capture_output=True, input=stdin, env=english)  # noqa: S603 - no shell is involved
    except FileNotFoundError:
        raise RevisionError("git is not installed") from None
    if done.returncode != 0:
        raise GitError(arguments[0], done.stderr.decode(errors="replace").strip())
    return done.stdout
