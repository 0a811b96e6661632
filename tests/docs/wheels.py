"""Write the page that says for which systems and Pythons the locked packages have wheels.

    python -m tests.docs.wheels

uv asks the package index for the names of all wheels of the packages in .ci/constraints-dev.txt. The extra "release" of
pyproject.toml installs it; .ci/lock runs this.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill
from typing import Any, NamedTuple

from packaging.markers import Marker
from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import canonicalize_name, parse_wheel_filename

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "development" / "wheels.md"
RUNTIME = ROOT / ".ci" / "constraints.txt"
ALL = ROOT / ".ci" / "constraints-dev.txt"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PATCH = 9
"""A release of each Python, where it matters."""
GLIBC, MUSL, MACOS = 36, 2, 14
HEAD = f"""# Wheels

<!-- made by .ci/lock; change tests/docs/wheels.py instead -->

Nothing that vqs needs is compiled where it is installed: `.ci/constraints.txt` and `.ci/constraints-dev.txt` begin with
`--only-binary :all:`. This page says for which systems and Pythons, {PYTHONS[0]} to {PYTHONS[-1]}, there are wheels:

- glibc: Linux with glibc 2.{GLIBC} or newer, such as Debian 12 and 13, Ubuntu 24.04 and Fedora
- musl: Linux with musl 1.{MUSL} or newer, such as Alpine
- macOS: macOS {MACOS} or newer

In a cell, *yes* stands for all of these Pythons that need the package. Where there is no wheel, `pip install -r` says
so and installs nothing; [without the lock](../quickstart.md#without-the-lock), pip tries to compile it.
"""


class System(NamedTuple):
    """A system, its platform tags, and what markers see of it."""

    name: str
    platforms: tuple[str, ...]
    sys_platform: str
    machine: str


def _linux(machine: str) -> tuple[str, ...]:
    old = {17: "manylinux2014"} | ({12: "manylinux2010", 5: "manylinux1"} if machine == "x86_64" else {})
    names = (name for minor in range(GLIBC, 4, -1) for name in (f"manylinux_2_{minor}", old.get(minor)) if name)
    return tuple(f"{name}_{machine}" for name in names)


def _musl(machine: str) -> tuple[str, ...]:
    return tuple(f"musllinux_1_{minor}_{machine}" for minor in range(MUSL, -1, -1))


SYSTEMS = (
    *(System(f"glibc {machine}", _linux(machine), "linux", machine) for machine in ("x86_64", "aarch64")),
    *(System(f"musl {machine}", _musl(machine), "linux", machine) for machine in ("x86_64", "aarch64")),
    *(
        System(f"macOS {machine}", tuple(mac_platforms((MACOS, 0), machine)), "darwin", machine)
        for machine in ("arm64", "x86_64")
    ),
)


@cache
def tags_of(system: System, python: str) -> frozenset[Tag]:
    """Return the tags of the wheels that a Python on a system installs."""
    version = tuple(map(int, python.split(".")))
    platforms = [*system.platforms]
    interpreter = f"cp{python.replace('.', '')}"
    return frozenset(
        (*cpython_tags(version, platforms=platforms), *compatible_tags(version, interpreter, platforms=platforms))
    )


def is_needed(marker: str | None, system: System, python: str) -> bool:
    """Whether a package with a marker is installed."""
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.{PATCH}",
        "sys_platform": system.sys_platform,
        "platform_machine": system.machine,
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
    }
    return marker is None or Marker(marker).evaluate(environment)


def cell(versions: Iterable[Mapping[str, Any]], system: System) -> str:
    """Say for which Pythons a package, which may be locked in several versions, has a wheel on a system."""
    needed, found = list[str](), list[str]()
    for python in PYTHONS:
        for version in versions:
            if is_needed(version.get("marker"), system, python):
                needed.append(python)
                found += [python] * any(tags & tags_of(system, python) for tags in wheels_of(version))
    return "yes" if found == needed else ", ".join(found) or "no"


def wheels_of(version: Mapping[str, Any]) -> list[frozenset[Tag]]:
    """Return the tags of each wheel of a locked version."""
    names = (wheel.get("name") or wheel["url"].rpartition("/")[2] for wheel in version.get("wheels", []))
    return [parse_wheel_filename(name.replace("%2B", "+"))[3] for name in names]


def locked(constraints: Path) -> dict[str, set[str]]:
    """Return the versions of each package in a lock."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.!+-]+)", constraints.read_text(encoding="utf-8"), re.MULTILINE):
        found.setdefault(canonicalize_name(name), set()).add(version)
    return found


def packages() -> list[Mapping[str, Any]]:
    """Ask the package index for the wheels of all locked packages."""
    with TemporaryDirectory() as folder:
        lock = Path(folder) / "pylock.toml"
        command = ["uv", "pip", "compile", str(ALL), "--universal", "--no-deps", "--quiet", "--output-file", str(lock)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - the words are our own
        found: list[Mapping[str, Any]] = tomllib.loads(lock.read_text(encoding="utf-8"))["packages"]
    return found


def section(title: str, chosen: Iterable[Mapping[str, Any]]) -> str:
    """Write a table of packages, and the names of those whose wheel is for any system."""
    rows, pure = list[str](), list[str]()
    for name, group in groupby(chosen, key=itemgetter("name")):
        versions = list(group)
        called = f"{name} {', '.join(each['version'] for each in versions)}"
        if all(any(tag.platform == "any" for tags in wheels_of(each) for tag in tags) for each in versions):
            pure.append(called)
        else:
            rows.append(f"| {' | '.join((called, *(cell(versions, system) for system in SYSTEMS)))} |")
    head = f"| Package | {' | '.join(system.name for system in SYSTEMS)} |\n|{' --- |' * (len(SYSTEMS) + 1)}"
    table = "\n".join([head, *rows])
    others = fill("; ".join(pure), 120, break_on_hyphens=False)
    return f"\n## {title}\n\n{table}\n\nThese have a wheel for any system:\n\n{others}.\n"


def page() -> str:
    """Write the page."""
    runtime, every = locked(RUNTIME), packages()
    is_runtime = [each["version"] in runtime.get(each["name"], ()) for each in every]
    needed = [each for each, is_one in zip(every, is_runtime, strict=True) if is_one]
    others = [each for each, is_one in zip(every, is_runtime, strict=True) if not is_one]
    return HEAD + section("What vqs runs with", needed) + section("What the groups of pyproject.toml add", others)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}\n")
