"""List what changed between two tags of Volcano, and what of it was not read.

    python changed.py VOLCANO OLD NEW READ [KUBERNETES_OLD KUBERNETES_NEW]

VOLCANO is a clone, and READ a file of tests/releases/read: a line for each changed file, with the behaviours that it
led to, or why it led to none. With two sources of k8s.io/kubernetes, the feature gates are listed whose default
changed, and the files of the scheduler's plugins: many decisions of a release are those of the Kubernetes that is
built in.
Exits with 1 where a changed file is not in READ.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PARTS: Final = (
    "pkg/scheduler",
    "pkg/schedulercommon",
    "pkg/features",
    "pkg/controllers",
    "pkg/webhooks",
    "config/crd",
    "cmd/scheduler",
    "cmd/controller-manager",
    "cmd/webhook-manager",
    "installer/helm",
    "go.mod",
)
_GATES: Final = "pkg/features/kube_features.go"
_GATE: Final = re.compile(r"\n\t(\w+): \{\n(.*?)\n\t\},", re.DOTALL)
_DEFAULT: Final = re.compile(r'MustParse\("([\d.]+)"\), Default: (true|false)')
_PLUGINS: Final = "pkg/scheduler/framework/plugins"


def changed(volcano: str, old: str, new: str) -> list[str]:
    """Return the files that differ, without tests."""
    command = ["git", "-C", volcano, "diff", "--name-only", old, new, "--", *PARTS]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()  # noqa: S603 - no shell
    return [name for name in names if not name.endswith(("_test.go", "OWNERS"))]


def read(file: Path) -> dict[str, str]:
    """Return what is said of each file that was read; a folder stands for all that is in it."""
    lines = (line.partition(" ") for line in file.read_text(encoding="utf-8").splitlines() if line.strip())
    return {name: said.strip() for name, _, said in lines if not name.startswith("#")}


def unread(names: list[str], known: dict[str, str]) -> Iterator[str]:
    """Yield the files that neither they nor a folder above stand for."""
    for name in names:
        if not {name, *(f"{each}/" for each in map(str, Path(name).parents))} & known.keys():
            yield name


def gates(kubernetes: Path) -> dict[str, str]:
    """Return the default of each feature gate in the newest version that there is."""
    found = _GATE.findall((kubernetes / _GATES).read_text(encoding="utf-8"))
    return {name: defaults[-1][1] for name, body in found if (defaults := _DEFAULT.findall(body))}


def main(volcano: str, old: str, new: str, file: str, *kubernetes: str) -> None:
    """Print what was not read."""
    names, known = changed(volcano, old, new), read(Path(file))
    missing = [*unread(names, known)]
    print(f"{len(names)} files differ, {len(missing)} of them are not in {file}", *missing, sep="\n  ")  # noqa: T201
    if len(kubernetes) == len(("old", "new")):
        before, after = map(Path, kubernetes)
        one, other = gates(before), gates(after)
        for gate in sorted(one.keys() | other.keys()):
            if one.get(gate, "false") != other.get(gate, "true" if gate in one else "false"):
                print(f"gate {gate}: {one.get(gate, 'absent')} is {other.get(gate, 'absent')}")  # noqa: T201
        for source in sorted((after / _PLUGINS).rglob("*.go")):
            own = before / source.relative_to(after)
            if not source.name.endswith("_test.go") and (not own.exists() or own.read_bytes() != source.read_bytes()):
                print(f"Kubernetes {source.relative_to(after)}")  # noqa: T201
    sys.exit(bool(missing))


if __name__ == "__main__":
    main(*sys.argv[1:])
