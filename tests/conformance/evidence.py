"""Write docs/evidence.md: how much of what decides the recordings reach, by part of the scheduler.

    python -m tests.conformance.evidence [--check]

With --check, it fails where the page is not what the recordings give, and where one of them disagrees.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final

from coverage import Coverage

ROOT: Final = Path(__file__).parents[2]
RECORDINGS: Final = Path(__file__).parent / "recordings"
PAGE: Final = ROOT / "docs" / "evidence.md"
ENGINE: Final = ROOT / "vqs" / "engine"
CONTROLLERS: Final = ROOT / "vqs" / "snapshot" / "controllers"

NAMED: Final = re.compile(r"actions:\s*\\?['\"]?([\w, -]+)|- ?\\?\"?name\\?\"?: \\?\"?([a-z][\w-]*)")
"""The actions of a configuration, and the names of its plugins, in YAML or in JSON that quotes YAML."""

INTRODUCTION: Final = """# Evidence

Each decision of vqs is compared with what the real scheduler did: [Conformance](development/conformance.md) says what
was recorded, and [Recording](development/recording.md) how. This page says how much of the code that decides the
recordings of this repository reach. It is written by `python -m tests.conformance.evidence`, and the layer `full` of
the checks fails where it is not up to date.

A recording is a scenario, or the dump of a cluster, in one release. Real runs are sessions of the real scheduler; there
are many of one scenario, as the scheduler chooses at random between equals. Statements are those of all modules of a
part, with those that only explain or that only read configuration. No line is left out of the count.
"""

REST: Final = """
## What no recording reaches

- **Controllers**: what comes between sessions (evictions by taints, operators, Jobs of Kubernetes, budgets) is recorded
  only where two sessions of a cluster follow each other, in workloads and in Jobs. `test_workloads.py` replays
  workloads, `test_jobs.py` compares Jobs, and neither is counted here. The rest is held to its rules by tests.
- **Where node sampling ends a search** hangs on sixteen workers in the scheduler. Recordings examine all nodes.
- **`predicates`**: the rest of CEL (`vqs/engine/cel`) is compared with cel-go by expressions, not by sessions.
- **`extender`**: answers that cannot be read, redirects and time limits have tests with a real server.
- **`numa-aware`**: Go's sort for more than twelve elements (`go_sort.py`) has tests with what Go gives.
"""


@dataclass
class Part:
    """A part of the scheduler: what it is called, its modules, and what reaches it."""

    name: str
    files: list[Path]
    recordings: int = 0
    runs: int = 0
    releases: set[str] = field(default_factory=set)


def parts() -> Iterator[tuple[str, list[Part]]]:
    """Yield the parts by what they are: a plugin or an action is a module, or a folder."""
    for title, folder in (("Actions", ENGINE / "actions"), ("Plugins", ENGINE / "plugins")):
        named = [each for each in sorted(folder.iterdir()) if each.suffix == ".py" or (each / "__init__.py").exists()]
        yield title, [Part(each.stem.replace("_", "-"), _modules(each)) for each in named if each.stem != "__init__"]
    others = [ENGINE / name for name in ("framework", "nodes", "cel")]
    yield (
        "Beneath them",
        [Part(each.name, _modules(each)) for each in others] + [Part("controllers", _modules(CONTROLLERS))],
    )


def _modules(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


@cache
def names_in(file: Path) -> frozenset[str]:
    """The names of the actions and plugins that a file's configuration has."""
    found: set[str] = set()
    for actions, plugin in NAMED.findall(file.read_text(encoding="utf-8")):
        found.update(each.strip() for each in actions.split(","))
        found.add(plugin)
    return frozenset(found)


def measured(titled: Iterable[tuple[str, list[Part]]]) -> tuple[Coverage, list[str]]:
    """Run all recordings and count them where they belong.

    Returns:
        The coverage, and the names of the recordings that disagree.
    """
    coverage = Coverage(data_file=None, config_file=False, source=[str(ENGINE), str(CONTROLLERS)])
    coverage.start()  # before vqs is imported
    cases = import_module("tests.conformance.cases").cases()

    by_name = {part.name: part for title, group in titled if title != "Beneath them" for part in group}
    wrong = []
    for case in (each for each in cases if RECORDINGS in each.input.parents):
        if not case.agrees():
            wrong.append(case.name)
        for name in names_in(case.input) & by_name.keys():
            part = by_name[name]
            part.recordings += 1
            part.runs += case.runs
            part.releases.add(case.release)
    coverage.stop()
    return coverage, wrong


def page(titled: Sequence[tuple[str, list[Part]]], coverage: Coverage) -> str:
    """Return the page."""
    lines = [INTRODUCTION]
    for title, group in titled:
        rows = []
        for part in group:
            of, reached = _statements(part, coverage)
            if of:
                share = f"{100 * reached / of:.0f}%"
                told = (
                    (part.recordings, f"{part.runs:,}", ", ".join(sorted(part.releases)))
                    if part.recordings
                    else ("", "", "")
                )
                rows.append(f"| `{part.name}` | {of:,} | {share} | {' | '.join(map(str, told))} |")
        lines += [f"## {title}\n", "| part | statements | reached | recordings | real runs | releases |"]
        lines += ["|---|--:|--:|--:|--:|---|", *rows, ""]
    counts = [_statements(part, coverage) for _, group in titled for part in group]
    of, reached = (sum(each) for each in zip(*counts, strict=True))
    lines.append(f"Of all {of:,} statements, the recordings reach {100 * reached / of:.0f}%.")
    return "\n".join(lines) + "\n" + REST


def _statements(part: Part, coverage: Coverage) -> tuple[int, int]:
    """How many statements a part has, and how many of them were reached."""
    of = reached = 0
    for file in part.files:
        _, statements, _, missing, _ = coverage.analysis2(str(file))
        of += len(statements)
        reached += len(statements) - len(missing)
    return of, reached


def main(*arguments: str) -> int:
    """Write the page, or compare it; 1 where it is another one, or a recording disagrees."""
    titled = list(parts())
    coverage, wrong = measured(titled)
    text = page(titled, coverage)
    for name in wrong:
        sys.stderr.write(f"{name} is not decided as it was recorded\n")
    if "--check" not in arguments:
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != text:
        sys.stderr.write("docs/evidence.md is not up to date: run python -m tests.conformance.evidence\n")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
