"""What people install: the package, the container."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterable
from importlib.metadata import entry_points
from pathlib import Path
from zipfile import ZipFile

import pytest

from vqs.cli.main import kubectl_plugin, main
from vqs.report.help import TOPICS

ROOT = Path(__file__).parents[1]
DOCKERFILE = ROOT / ".ci" / "Dockerfile"
SHARED = (
    "share/bash-completion/completions/vqs",
    "share/fish/vendor_completions.d/vqs.fish",
    "share/man/man1/vqs.1",
    "share/zsh/site-functions/_vqs",
)
"""What the wheel installs besides the package: the manual page and the completion scripts."""


def works(*command: str) -> bool:
    """Tell whether a command is at hand, and does what it is asked."""
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603 - a tool at hand


def built(kind: str, source: Path, target: Path) -> Path:
    """Build an sdist or a wheel from a folder, as pip does, and return its file."""
    pytest.importorskip("hatchling", reason="hatchling is not installed: pip install '.[dev]'")
    script = f"import sys, hatchling.build; hatchling.build.build_{kind}(sys.argv[1])"
    subprocess.run([sys.executable, "-c", script, target], cwd=source, check=True, capture_output=True)  # noqa: S603
    return next(target.glob("*.tar.gz" if kind == "sdist" else "*.whl"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist, and return the folder that it unpacks to."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(built("sdist", ROOT, folder)) as archive:
        archive.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the sdist, and return the folder that it unpacks to."""
    folder = tmp_path_factory.mktemp("wheel")
    with ZipFile(built("wheel", sdist, folder)) as archive:
        archive.extractall(folder / "unpacked")  # noqa: S202 - built a moment ago
    return folder / "unpacked"


def files_in(folder: Path, names: Iterable[str] = (".",)) -> set[str]:
    """Return the files below some names in a folder, without what running leaves there."""
    roots = [folder / name for name in names]
    found = [path for root in roots for path in ([root] if root.is_file() else root.rglob("*"))]
    return {str(path.relative_to(folder)) for path in found if path.is_file() and "__pycache__" not in path.parts}


def test_the_sdist_has_the_sources(sdist: Path) -> None:
    """The sdist has the package, its tests and pages, and nothing that happens to lie in the checkout."""
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    sources = hatch["build"]["targets"]["sdist"]["only-include"]
    always = {".gitignore", "LICENSE", "PKG-INFO", "README.md", "pyproject.toml"}
    assert files_in(sdist) == files_in(ROOT, sources) | always


def test_the_wheel_has_the_package(wheel: Path) -> None:
    """The wheel that is built from the sdist has the package with its pages, the manual page and completions."""
    metadata, data = next(wheel.glob("*.dist-info")), next(wheel.glob("*.data"))
    described = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
    assert files_in(metadata) == described
    assert files_in(data / "data") == set(SHARED)
    pages = {f"vqs/pages/{topic.page}" for topic in TOPICS.values()}
    assert files_in(wheel) - files_in(wheel, [metadata.name, data.name]) == files_in(ROOT, ["vqs"]) | pages


def test_the_wheel_works(wheel: Path, tmp_path: Path) -> None:
    """What the wheel holds runs outside the checkout, and is not the checkout itself."""
    scenario = ROOT / "scenarios" / "first-look.yaml"
    script = "import sys, vqs; from vqs.cli.main import main; print(vqs.__file__); sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(  # noqa: S603 - the wheel's own program
        [sys.executable, "-c", script, "simulate", str(scenario), "-q"],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(wheel)},
    )
    first, rest = done.stdout.split("\n", 1)
    assert Path(first).is_relative_to(wheel)
    assert "6 tasks placed" in rest


def test_the_wheel_has_its_own_pages(wheel: Path, tmp_path: Path) -> None:
    """What vqs help shows comes with the package."""
    script = "from vqs.report.help import TOPICS, text_of; print(*map(text_of, TOPICS.values()))"
    done = subprocess.run(  # noqa: S603 - the wheel's own program
        [sys.executable, "-c", script],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(wheel)},
    )
    assert "## What if?" in done.stdout


def test_entry_points() -> None:
    """The package installs vqs, and kubectl-vqs, by which kubectl finds its plugin."""
    found = {each.name: each.load() for each in entry_points(group="console_scripts") if each.value.startswith("vqs.")}
    assert found == {"vqs": main, "kubectl-vqs": kubectl_plugin}


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
