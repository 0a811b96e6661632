"""The parts of the scheduler, and what was found out by hand about their functions: `undecided.toml`."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
ENGINE: Final = ROOT / "vqs" / "engine"
CONTROLLERS: Final = ROOT / "vqs" / "snapshot" / "controllers"
UNDECIDED: Final = Path(__file__).parent / "undecided.toml"

Function = ast.FunctionDef


@dataclass(frozen=True)
class Part:
    """A part of the scheduler: what it is called, and its modules. A plugin or an action is a module, or a folder."""

    name: str
    files: tuple[Path, ...]


def parts() -> Iterator[tuple[str, list[Part]]]:
    """Yield the parts by what they are."""
    for title, folder in (("Actions", ENGINE / "actions"), ("Plugins", ENGINE / "plugins")):
        named = [each for each in sorted(folder.iterdir()) if each.suffix == ".py" or (each / "__init__.py").exists()]
        yield title, [Part(each.stem.replace("_", "-"), _modules(each)) for each in named if each.stem != "__init__"]
    others = [ENGINE / name for name in ("framework", "nodes", "cel")]
    yield (
        "Beneath them",
        [Part(each.name, _modules(each)) for each in others] + [Part("controllers", _modules(CONTROLLERS))],
    )


def _modules(path: Path) -> tuple[Path, ...]:
    return (path,) if path.is_file() else tuple(sorted(path.rglob("*.py")))


@cache
def parsed(file: Path) -> ast.Module:
    """The tree of a module."""
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def functions(file: Path) -> dict[str, Function]:
    """The functions and methods of a module that are not inside of others, by `module.py:Class.function`."""
    found: dict[str, Function] = {}
    where = file.relative_to(ROOT).as_posix()
    tree = parsed(file)
    for parent in (tree, *tree.body):
        if isinstance(parent, ast.Module | ast.ClassDef):
            before = f"{parent.name}." if isinstance(parent, ast.ClassDef) else ""
            for node in parent.body:
                if isinstance(node, Function):
                    found.setdefault(f"{where}:{before}{node.name}", node)
    return found


@dataclass(frozen=True)
class Undecided:
    """What does not decide, what no recording reaches, and the changes that mean the same: each with the reason."""

    silent: dict[str, str]
    unreached: dict[str, str]
    equivalent: dict[str, str]

    def decides(self, name: str) -> bool:
        """True if a function is none that only explains or reads configuration."""
        return name not in self.silent and name.partition(":")[0] not in self.silent


@cache
def undecided() -> Undecided:
    """What `undecided.toml` says."""
    groups = tomllib.loads(UNDECIDED.read_text(encoding="utf-8"))
    return Undecided(
        *(
            {place: group["reason"] for group in groups.get(key, ()) for place in group["places"]}
            for key in ("silent", "unreached", "equivalent")
        )
    )
