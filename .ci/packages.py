"""Make what package managers install, from the wheel of vqs and the versions of .ci/constraints.txt.

    python .ci/packages.py INDEX ASSETS            a Homebrew formula; archives for kubectl's plugin manager, a manifest
    python .ci/packages.py INDEX ASSETS --here     the same with the archive for this machine's platform only

INDEX is the folder with the wheel, ASSETS that to write to. Nothing is compiled: both have the wheels of the package
index, each with its hash, for the platforms in `PLATFORMS`. Needs uv, which the extra "release" of pyproject.toml
installs.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple
from urllib.request import urlopen
from zipfile import ZipFile

ROOT: Final = Path(__file__).parents[1]
CONSTRAINTS: Final = ROOT / ".ci" / "constraints.txt"
LAUNCHER: Final = ROOT / ".ci" / "kubectl-vqs"
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
FORMULA_PYTHON: Final = "3.13"


class Platform(NamedTuple):
    """A system and a processor: as Go calls them, as uv does, and as the names of wheels do."""

    system: str
    machine: str
    uv: str
    tag: str

    def takes(self, wheel: str, python: str) -> bool:
        """Return whether a wheel works here with a version of Python, by its name."""
        tags, abi, platforms = wheel.removesuffix(".whl").split("-")[-3:]
        number = python.replace(".", "")
        if "py3" in tags.split("."):
            right_python = True
        elif abi == "abi3":
            right_python = int(tags.removeprefix("cp3")) <= int(number[1:])
        else:
            right_python = f"cp{number}" == abi == tags
        return right_python and any(re.fullmatch(f"any|{self.tag}", each) for each in platforms.split("."))


PLATFORMS: Final = (
    Platform("darwin", "amd64", "x86_64-apple-darwin", r"macosx_\d+_\d+_(x86_64|universal2)"),
    Platform("darwin", "arm64", "aarch64-apple-darwin", r"macosx_\d+_\d+_(arm64|universal2)"),
    Platform("linux", "amd64", "x86_64-manylinux_2_28", r"manylinux(1|\d{4}|_2_\d+)_x86_64"),
    Platform("linux", "arm64", "aarch64-manylinux_2_28", r"manylinux(1|\d{4}|_2_\d+)_aarch64"),
)


class Wheel(NamedTuple):
    """A wheel of the package index."""

    package: str
    url: str
    sha256: str

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.url.rpartition("/")[2]

    @property
    def is_pure(self) -> bool:
        """Whether it is the same for all platforms and versions of Python."""
        return self.name.endswith("-none-any.whl")


class ProjectFacts(NamedTuple):
    """What pyproject.toml says of vqs."""

    version: str
    description: str
    repository: str


def project() -> ProjectFacts:
    """Read pyproject.toml."""
    found = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return ProjectFacts(found["version"], found["description"], found["urls"]["Repository"])


# --- the wheels that are locked ---------------------------------------------------------------------------------------


def locked_wheels(where: Platform, python: str) -> list[Wheel]:
    """Return a wheel of each package that vqs needs on a platform, as the lock has it."""
    command = [
        "uv",
        "pip",
        "compile",
        "pyproject.toml",
        "--constraints",
        CONSTRAINTS,
        "--format",
        "pylock.toml",
        "--quiet",
    ]
    command += ["--python-version", python, "--python-platform", where.uv, "--only-binary", ":all:"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603 - uv of this machine
    allowed = set(re.findall(r"--hash=sha256:([0-9a-f]{64})", CONSTRAINTS.read_text(encoding="utf-8")))
    return [chosen(package, where, python, allowed) for package in tomllib.loads(done.stdout)["packages"]]


def chosen(package: Mapping[str, Any], where: Platform, python: str, allowed: Iterable[str]) -> Wheel:
    """Return the wheel of a package, as pylock.toml describes it, for the oldest system that has one."""
    wheels = [Wheel(package["name"], each["url"], each["hashes"]["sha256"]) for each in package.get("wheels", ())]
    fitting = [each for each in wheels if where.takes(each.name, python)]
    if not fitting:
        raise SystemExit(f"{package['name']} has no wheel for Python {python} on {where.system}/{where.machine}")
    wheel = min(fitting, key=lambda each: [int(number) for number in re.findall(r"\d+", each.name.split("-", 4)[-1])])
    if wheel.sha256 not in allowed:
        raise SystemExit(f"{wheel.name} is not in .ci/constraints.txt: run .ci/lock")
    return wheel


# --- Homebrew ---------------------------------------------------------------------------------------------------------


def formula(facts: ProjectFacts, sha256: str, wheels: Mapping[Platform, Sequence[Wheel]]) -> str:
    """Return a formula that installs wheels into an environment of its own."""
    asset = f"{facts.repository}/releases/download/v{facts.version}/vqs-{facts.version}-py3-none-any.whl"
    pure = [each for each in next(iter(wheels.values())) if each.is_pure]
    lines = [
        "# typed: strict",
        "# frozen_string_literal: true",
        "",
        "# Made by .ci/packages.py of vqs from its lock: do not edit.",
        "class Vqs < Formula",
        '  desc "What-if analyzer of the Volcano batch scheduler"',
        f'  homepage "{facts.repository}"',
        f'  url "{asset}", using: :nounzip',
        f'  sha256 "{sha256}"',
        '  license "Apache-2.0"',
        "",
        f'  depends_on "python@{FORMULA_PYTHON}"',
        *_resources(pure, "  "),
    ]
    for system, on_system in (("darwin", "on_macos"), ("linux", "on_linux")):
        lines += ["", f"  {on_system} do"]
        for machine, on_machine in (("arm64", "on_arm"), ("amd64", "on_intel")):
            where = next(each for each in wheels if (each.system, each.machine) == (system, machine))
            block = _resources([each for each in wheels[where] if not each.is_pure], "      ")
            lines += [*([""] if machine == "amd64" else []), f"    {on_machine} do", *block[1:], "    end"]
        lines.append("  end")
    return "\n".join([*lines, *_INSTALL.splitlines()]) + "\n"


def _resources(wheels: Iterable[Wheel], indent: str) -> list[str]:
    lines = list[str]()
    for wheel in wheels:
        described = [
            f'resource "{wheel.package}" do',
            f'  url "{wheel.url}", using: :nounzip',
            f'  sha256 "{wheel.sha256}"',
            "end",
        ]
        lines += ["", *(f"{indent}{line}" for line in described)]
    return lines


_INSTALL: Final = f"""
  def install
    wheels = buildpath/"wheels"
    wheels.install Dir["*.whl"]
    resources.each {{ |resource| wheels.install resource }}
    system Formula["python@{FORMULA_PYTHON}"].opt_libexec/"bin/python", "-m", "venv", libexec
    system libexec/"bin/pip", "install", "--no-index", "--no-deps", *wheels.children
    bin.install_symlink libexec/"bin/vqs", libexec/"bin/kubectl-vqs"
    man1.install_symlink libexec/"share/man/man1/vqs.1"
    bash_completion.install_symlink libexec/"share/bash-completion/completions/vqs"
    zsh_completion.install_symlink libexec/"share/zsh/site-functions/_vqs"
    fish_completion.install_symlink libexec/"share/fish/vendor_completions.d/vqs.fish"
  end

  test do
    system bin/"vqs", "init", "idea.yaml"
    assert_match "placed", shell_output("#{{bin}}/vqs simulate idea.yaml -q")
  end
end"""


# --- kubectl's plugin manager -----------------------------------------------------------------------------------------


def archive(own: Path, where: Platform, target: Path) -> None:
    """Write an archive with vqs and what it needs on a platform, for every Python, and a program that starts it."""
    by_python = {python: locked_wheels(where, python) for python in PYTHONS}
    everywhere = set.intersection(*(set(wheels) for wheels in by_python.values()))
    with TemporaryDirectory() as name:
        place = Path(name)
        unpack(own, place / "lib" / "any")
        for wheel in sorted(each for each in everywhere if each.is_pure):
            unpack(fetched(wheel, place), place / "lib" / "any")
        for python, wheels in by_python.items():
            for wheel in wheels:
                if not (wheel.is_pure and wheel in everywhere):
                    unpack(fetched(wheel, place), place / "lib" / python)
        shutil.copy(LAUNCHER, place / "kubectl-vqs")
        shutil.copy(ROOT / "LICENSE", place / "LICENSE")
        with tarfile.open(target, "w:gz") as packed:
            for each in ("LICENSE", "kubectl-vqs", "lib"):
                packed.add(place / each, each, filter=_of_nobody)


def _of_nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave out what would make an archive differ between two machines: who packed it, and when."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def fetched(wheel: Wheel, place: Path) -> Path:
    """Fetch a wheel, and check it."""
    path = place / wheel.name
    if not path.exists():
        with urlopen(wheel.url) as answer:  # noqa: S310 - the index's own address, https
            path.write_bytes(answer.read())
        if digest(path) != wheel.sha256:
            raise SystemExit(f"{wheel.name} is not what .ci/constraints.txt says")
    return path


def unpack(wheel: Path, folder: Path) -> None:
    """Unpack what is imported of a wheel."""
    with ZipFile(wheel) as packed:
        names = [each for each in packed.namelist() if ".data/" not in each]
        packed.extractall(folder, names)  # noqa: S202 - its hash was checked


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def manifest(facts: ProjectFacts, digests: Mapping[Platform, str]) -> str:
    """Return the manifest of the plugin."""
    head = f"""\
# Made by .ci/packages.py of vqs from its lock: do not edit.
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: vqs
spec:
  version: v{facts.version}
  homepage: {facts.repository}
  shortDescription: Explain what the Volcano scheduler does next
  description: |
    Says which pod the Volcano batch scheduler would place where, which one waits, why, and what a change would do.
    It works on a snapshot, which `kubectl vqs capture` takes, and changes nothing in the cluster.
  caveats: |
    This plugin needs Python {PYTHONS[0]} to {PYTHONS[-1]} on the PATH; on Linux, one that is built for glibc.
    Everything else comes with it.
  platforms:
"""
    return head + "".join(
        f"""\
    - selector:
        matchLabels:
          os: {where.system}
          arch: {where.machine}
      uri: {facts.repository}/releases/download/v{facts.version}/{archive_name(where)}
      sha256: "{sha256}"
      bin: kubectl-vqs
"""
        for where, sha256 in digests.items()
    )


def archive_name(where: Platform) -> str:
    """Return the name of the archive for a platform."""
    return f"kubectl-vqs-{where.system}-{where.machine}.tar.gz"


def main(arguments: Sequence[str]) -> None:
    """Write everything into a folder."""
    facts, target = project(), Path(arguments[1])
    own = Path(arguments[0]) / f"vqs-{facts.version}-py3-none-any.whl"
    wheels = {where: locked_wheels(where, FORMULA_PYTHON) for where in PLATFORMS}
    (target / "vqs.rb").write_text(formula(facts, digest(own), wheels), encoding="utf-8")
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    here = (platform.system().lower(), machine)
    wanted = [each for each in PLATFORMS if "--here" not in arguments or each[:2] == here]
    for where in wanted:
        archive(own, where, target / archive_name(where))
    digests = {where: digest(target / archive_name(where)) for where in wanted}
    (target / "vqs.yaml").write_text(manifest(facts, digests), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
