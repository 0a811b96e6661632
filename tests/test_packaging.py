"""What people install: the package, the container."""

from __future__ import annotations

import importlib.util
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
from types import ModuleType
from typing import Any
from zipfile import ZipFile

import pytest
import yaml

from vqs.cli.main import kubectl_plugin, main
from vqs.report.help import TOPICS

ROOT = Path(__file__).parents[1]
DOCKERFILE = ROOT / ".ci" / "Dockerfile"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = [path for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")) if path.stem != "config"]
LAYERS = {"check", "matrix", "full"}
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
    left = {"__pycache__", ".unpacked"}
    return {str(path.relative_to(folder)) for path in found if path.is_file() and left.isdisjoint(path.parts)}


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


# --- workflows, forms, releases ---------------------------------------------------------------------------------------


def jobs_of(workflow: Path) -> dict[str, Any]:
    """Return the jobs of a workflow."""
    jobs: dict[str, Any] = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    return jobs


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_do_little(workflow: Path) -> None:
    """A workflow has no permissions by itself; a job names its own, and writes only where it publishes."""
    text = workflow.read_text(encoding="utf-8")
    assert yaml.safe_load(text)["permissions"] == {}
    assert "pull_request_target" not in text
    assert "secrets." not in text
    for name, job in jobs_of(workflow).items():
        writes = {key for key, value in job["permissions"].items() if value != "read"}
        assert job["timeout-minutes"] <= 60
        assert not writes or workflow.stem == "release"
        if "contents" in writes or "packages" in writes:
            assert job["needs"], f"{name} publishes what was built before"
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def test_what_checks_the_code_cannot_publish() -> None:
    """The job that runs the code of all dependencies has neither an identity nor the right to write."""
    assert jobs_of(ROOT / ".github" / "workflows" / "release.yml")["build"]["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_puts_no_text_into_its_scripts(workflow: Path) -> None:
    """A script takes what others write from its environment: what is inserted into the text of a script is run."""
    steps = [step for job in jobs_of(workflow).values() for step in job["steps"]]
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []


def test_an_action_has_one_version() -> None:
    """An action is named by one commit and one version in all workflows, in action.yml and on the pages."""
    files = [*WORKFLOWS, ROOT / "action.yml", ROOT / ".ci" / "comment" / "action.yml", ROOT / "docs" / "ci.md"]
    found = [
        each
        for path in files
        for each in re.findall(r"uses: (\S+)@(\S+)(?: # (\S+))?", path.read_text(encoding="utf-8"))
    ]
    pinned = {action: (commit, version) for action, commit, version in found}
    assert [each for each in found if each[1:] != pinned[each[0]]] == []
    assert [each for each in found if not re.fullmatch(r"[0-9a-f]{40}", each[1])] == []
    assert {action for action, (_, version) in pinned.items() if not version} == {"OWNER/vqs", "OWNER/vqs/.ci/comment"}


def test_workflows_run_what_people_run() -> None:
    """Workflows check with the layers of nox, in an environment that the README's own command makes."""
    commands = [
        step["run"] for path in WORKFLOWS for job in jobs_of(path).values() for step in job["steps"] if "run" in step
    ]
    layers = {found[1] for each in commands for found in re.finditer(r"\.venv/bin/nox -t (\w+)", each)}
    assert layers == LAYERS
    setups = {each for each in commands if "README.md" in each}
    assert len(setups) == 1
    done = subprocess.run(  # noqa: S603 - the workflow's own command, but for its last part
        ["bash", "-c", setups.pop().rpartition(" | ")[0]],  # noqa: S607 - as the workflow calls it
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert len(done.stdout.splitlines()) == 1
    assert "pytest" not in done.stdout


def test_workflows_are_valid() -> None:
    """Actionlint finds nothing in the workflows."""
    if not works("actionlint", "-version"):
        pytest.skip("there is no actionlint here")
    done = subprocess.run(["actionlint", *WORKFLOWS], cwd=ROOT, check=False, capture_output=True, text=True)  # noqa: S603, S607
    assert done.stdout == ""


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_a_form_asks(form: Path) -> None:
    """A form for issues has a name, a description, and questions of which some must be answered."""
    asked = yaml.safe_load(form.read_text(encoding="utf-8"))
    questions = [each for each in asked["body"] if each["type"] != "markdown"]
    assert asked["name"]
    assert asked["description"]
    assert len({each["id"] for each in questions}) == len(questions)
    assert all(each["attributes"]["label"] for each in questions)
    assert any(each.get("validations", {}).get("required") for each in questions)


def test_the_repository_has_one_address() -> None:
    """Where a page, a template or a program names the repository, it is the one in pyproject.toml."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    address = urls["Repository"]
    owner = address.removeprefix("https://github.com/").removesuffix("/vqs")
    assert all(url.startswith(address) for name, url in urls.items() if name != "Volcano")
    pages = [
        ROOT / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / ".ci").iterdir(),
        *(ROOT / ".github").rglob("*.*"),
    ]
    texts = [path.read_text(encoding="utf-8") for path in pages if path.is_file()]
    naming = re.compile(r"(?:(?:github|gitlab)\.com/|uses: |project: |--repo )([\w.-]+)/vqs\b")
    named = {found for text in texts for found in naming.findall(text)}
    assert named == {owner}


@pytest.fixture(scope="module")
def packages() -> ModuleType:
    """Load the program that makes what package managers install."""
    spec = importlib.util.spec_from_file_location("packages", ROOT / ".ci" / "packages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("wheel", "python", "fitting"),
    [
        ("a-1-py3-none-any.whl", "3.11", "darwin/amd64 darwin/arm64 linux/amd64 linux/arm64"),
        ("a-1-py2.py3-none-any.whl", "3.14", "darwin/amd64 darwin/arm64 linux/amd64 linux/arm64"),
        ("a-1-cp312-cp312-macosx_11_0_arm64.whl", "3.12", "darwin/arm64"),
        ("a-1-cp312-cp312-macosx_11_0_arm64.whl", "3.13", ""),
        ("a-1-cp312-cp312-macosx_10_13_universal2.whl", "3.12", "darwin/amd64 darwin/arm64"),
        ("a-1-cp311-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", "3.14", "linux/amd64"),
        ("a-1-cp314-abi3-manylinux_2_17_x86_64.whl", "3.11", ""),
        ("a-1-cp314-cp314t-manylinux_2_28_aarch64.whl", "3.14", ""),
        ("a-1-cp313-cp313-musllinux_1_2_x86_64.whl", "3.13", ""),
        ("a-1-cp313-cp313-win_amd64.whl", "3.13", ""),
    ],
)
def test_wheels_of_a_platform(packages: ModuleType, wheel: str, python: str, fitting: str) -> None:
    """A wheel is taken where its tags for the version of Python, the system and the processor fit."""
    found = [f"{each.system}/{each.machine}" for each in packages.PLATFORMS if each.takes(wheel, python)]
    assert found == fitting.split()


def test_a_wheel_is_that_of_the_lock(packages: ModuleType) -> None:
    """Of several wheels, the one for the oldest system is taken; one that the lock does not have is refused."""
    linux = packages.PLATFORMS[2]
    names = ("a-1-cp313-cp313-manylinux_2_28_x86_64.whl", "a-1-cp313-cp313-manylinux_2_17_x86_64.whl")
    wheels = [
        {"url": f"https://files.example/{name}", "hashes": {"sha256": str(number)}} for number, name in enumerate(names)
    ]
    package = {"name": "a", "wheels": wheels}
    assert packages.chosen(package, linux, "3.13", {"0", "1"}).name == names[1]
    with pytest.raises(SystemExit, match=r"run \.ci/lock"):
        packages.chosen(package, linux, "3.13", {"0"})
    with pytest.raises(SystemExit, match=r"a has no wheel for Python 3.12 on linux/amd64"):
        packages.chosen(package, linux, "3.12", {"0", "1"})


def test_the_formula(packages: ModuleType, tmp_path: Path) -> None:
    """The formula has each pure wheel once, the others for their platform, and is a program in Ruby."""
    pure = packages.Wheel("pure", "https://files.example/pure-1-py3-none-any.whl", "0" * 64)
    wheels = {
        each: [pure, packages.Wheel("c", f"https://files.example/c-1-{number}.whl", f"{number}" * 64)]
        for number, each in enumerate(packages.PLATFORMS, 1)
    }
    text = packages.formula(packages.project(), "f" * 64, wheels)
    assert text.count("pure-1-py3-none-any.whl") == 1
    assert re.findall(r"c-1-(\d)\.whl|on_(\w+) do", text) == [
        ("", "macos"), ("", "arm"), ("2", ""), ("", "intel"), ("1", ""),
        ("", "linux"), ("", "arm"), ("4", ""), ("", "intel"), ("3", ""),
    ]  # fmt: skip
    if not works("ruby", "--version"):
        pytest.skip("there is no ruby here")
    (tmp_path / "vqs.rb").write_text(text, encoding="utf-8")
    subprocess.run(["ruby", "-c", tmp_path / "vqs.rb"], check=True, capture_output=True)  # noqa: S603, S607


def test_the_manifest_of_the_plugin(packages: ModuleType) -> None:
    """The manifest for kubectl's plugin manager names an archive with its hash for each platform, and what to start."""
    digests = {each: f"{number}" * 64 for number, each in enumerate(packages.PLATFORMS)}
    text = yaml.safe_load(packages.manifest(packages.project(), digests))
    platforms = text["spec"]["platforms"]
    assert text["metadata"]["name"] == "vqs"
    assert len(text["spec"]["shortDescription"]) <= 50
    assert [each["sha256"] for each in platforms] == list(digests.values())
    assert {each["bin"] for each in platforms} == {packages.LAUNCHER.name}
    assert all(each["uri"].endswith(f"{each['selector']['matchLabels']['arch']}.tar.gz") for each in platforms)


def test_the_plugin_starts_with_the_python_at_hand(tmp_path: Path) -> None:
    """The plugin's program runs vqs from beside it, through a link, with a Python for which there are packages."""
    version = "{}.{}".format(*sys.version_info)
    place, path = tmp_path / "plugin", tmp_path / "bin"
    for folder in (place / "lib" / version, place / "lib" / "any" / "vqs" / "cli", path):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / ".ci" / "kubectl-vqs", place)
    program = "import sys\ndef kubectl_plugin():\n    print(*sys.argv[1:])\n    return 3\n"
    (place / "lib" / "any" / "vqs" / "cli" / "main.py").write_text(program, encoding="utf-8")
    (path / "kubectl-vqs").symlink_to(place / "kubectl-vqs")
    (path / "python3").symlink_to(sys.executable)
    for tool in ("dirname", "readlink", "sh"):
        (path / tool).symlink_to(shutil.which(tool) or "")
    command = [str(path / "kubectl-vqs"), "simulate", "a b.yaml"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env={"PATH": str(path)})  # noqa: S603
    assert (done.returncode, done.stdout) == (3, "simulate a b.yaml\n")
    (place / "lib" / version).rmdir()
    done = subprocess.run(command, check=False, capture_output=True, text=True, env={"PATH": str(path)})  # noqa: S603
    assert done.returncode == 2
    assert "no Python 3.11 to 3.14" in done.stderr
