"""The pages beside the code hold together."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

import pytest

from tests.docs import wheels

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


NAMED = re.compile(r"(?:\| |: |; )([a-z\d-]+) (\d(?:[\w.]*\w)?(?:, \d(?:[\w.]*\w)?)*)")
"""A package on the page of wheels, and its versions."""


def anchors(page: Path) -> set[str]:
    """Return what the headings of a page are called in links to them."""
    headings = HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def plain(requirement: str) -> str:
    """Return the name of the package that a requirement asks for, in its one spelling."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement)[0]).lower()


def test_the_readme_is_short() -> None:
    """The README is read in two minutes: what is longer belongs to docs/."""
    assert (ROOT / "README.md").stat().st_size <= 8192


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Each link between the pages leads to a file that is there, and to a heading that is in it."""
    for path, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), anchor


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_paths_are_there(page: Path) -> None:
    """A path of the repository that a page names is there; those with a name in capitals stand for many."""
    named = re.findall(r"`((?:vqs|tests|docs|scenarios|\.ci)/[\w./-]+)`", page.read_text(encoding="utf-8"))
    assert [
        path for path in named if not re.search(r"[A-Z]{2}|/the_code|/v\d", path) and not (ROOT / path).exists()
    ] == []


def test_the_names_in_the_design_are_those_of_the_code() -> None:
    """Each type, function and extension point that the page on a session's life names is defined in the package."""
    page = (ROOT / "docs" / "development" / "design.md").read_text(encoding="utf-8")
    named = re.findall(
        r"`(?:(?P<owner>[A-Z]\w+)\.)?(?P<name>\w+)\(\)`|`(?P<single>(?:[A-Z][a-z]+)+|[A-Z]+_[A-Z_]+)`", page
    )
    asked = {each for found in named for each in found if each}
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "vqs").rglob("*.py"))
    defined = set(re.findall(r"^ *(?:class|def) (\w+)", code, re.MULTILINE)) | set(
        re.findall(r"^(\w+)[:=]? ", code, re.MULTILINE)
    )
    assert len(asked) > 20
    assert asked - defined == set()


LOCKS: Final = {"constraints.txt": [], "constraints-dev.txt": ["dask", "dev", "docs", "parquet", "release", "tune"]}
"""Each lock, and the groups of pyproject.toml that are in it."""


@pytest.mark.parametrize(("lock", "groups"), LOCKS.items(), ids=LOCKS)
def test_every_dependency_is_locked_with_hashes(lock: str, groups: list[str]) -> None:
    """A lock has a version and hashes of each package that vqs or a group asks for, and of what builds vqs."""
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = asked["project"]["optional-dependencies"]
    option, *locked = (ROOT / ".ci" / lock).read_text(encoding="utf-8").replace("\\\n", " ").strip().splitlines()
    assert option == "--only-binary :all:"
    assert [line for line in locked if line and ("==" not in line or "--hash=sha256:" not in line)] == []
    needed = [
        *asked["project"]["dependencies"],
        *asked["build-system"]["requires"],
        *(e for g in groups for e in extras[g]),
    ]
    assert {plain(each) for each in needed} - {"vqs"} <= {plain(line) for line in locked}
    assert lock == "constraints.txt" or sorted(extras) == groups


def test_locks_agree() -> None:
    """A package that both locks have is in the same versions in both."""
    runtime, every = (wheels.locked(path) for path in (wheels.RUNTIME, wheels.ALL))
    assert {name: every.get(name) for name in runtime} == runtime


def test_wheels_of_every_locked_package() -> None:
    """The page of wheels names each locked package with its versions."""
    page = " ".join(wheels.PAGE.read_text(encoding="utf-8").split())
    named = {name: set(versions.split(", ")) for name, versions in NAMED.findall(page)}
    assert named == wheels.locked(wheels.ALL)


def test_actions_are_pinned_by_commit() -> None:
    """An action in a workflow that people copy is named by a commit, which nobody can move."""
    used = re.findall(r"uses: (\S+)", (ROOT / "docs" / "ci.md").read_text(encoding="utf-8"))
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w-]+/[\w-]+(/[\w.-]+)*@[0-9a-f]{40}", each)] == []
