"""What people install: the package, the container."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from vqs.cli.main import kubectl_plugin, main

ROOT = Path(__file__).parents[1]
DOCKERFILE = ROOT / ".ci" / "Dockerfile"


def works(*command: str) -> bool:
    """Tell whether a command is at hand, and does what it is asked."""
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603 - a tool at hand


def test_entry_points() -> None:
    """The package installs vqs, and kubectl-vqs, by which kubectl finds its plugin."""
    found = {each.name: each.load() for each in entry_points(group="console_scripts") if each.value.startswith("vqs.")}
    assert found == {"vqs": main, "kubectl-vqs": kubectl_plugin}


def test_every_python_that_is_allowed_is_named() -> None:
    """The classifiers name the Pythons that .ci/run tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [each.rpartition(" ")[2] for each in project["classifiers"] if re.search(r"Python :: 3\.", each)]
    tested = re.search(r"for version in ([\d. ]+);", (ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert tested is not None
    assert named == tested[1].split()


def test_the_container_needs_no_rights() -> None:
    """The image runs as a user that is not root, whose number Kubernetes can check."""
    users = re.findall(r"^USER (.+)$", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE)
    assert users
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1])


def test_the_container_is_built_of_what_is_there() -> None:
    """What the image is built of is in the repository, and is let through to the build."""
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE)
    paths = [path for line in copied for path in line.split()]
    let_through = DOCKERFILE.with_suffix(".dockerignore").read_text(encoding="utf-8").splitlines()
    assert paths
    assert [path for path in paths if not (ROOT / path).exists() or f"!{path}" not in let_through] == []


def test_the_dockerfile_is_clean() -> None:
    """Hadolint finds nothing in the Dockerfile."""
    if not works("hadolint", "--version"):
        pytest.skip("there is no hadolint here")
    done = subprocess.run(["hadolint", DOCKERFILE], check=False, capture_output=True, text=True)  # noqa: S603, S607
    assert done.stdout == ""


def test_the_container_works() -> None:
    """The image can be built, and simulates what is mounted."""
    if not works("docker", "info"):
        pytest.skip("there is no docker daemon here")
    subprocess.run(["docker", "build", "--quiet", "--file", DOCKERFILE, "--tag", "vqs-test", ROOT], check=True)  # noqa: S603, S607
    mounted = f"{ROOT / 'scenarios'}:/work:ro"
    command = ["docker", "run", "--rm", "--network", "none", "--volume", mounted, "vqs-test"]
    subprocess.run([*command, "simulate", "first-look.yaml"], check=True)  # noqa: S603
