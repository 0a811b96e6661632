"""The parts of the scheduler, and what was found out by hand about their functions: `undecided.toml`."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from vqs.releases.profile import behaviours

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


# --- what is only proposed or said ------------------------------------------------------------------------------------


def proposed_lines(function: Function) -> set[int]:
    """The lines that run only where a behaviour has a value that is proposed: no release and no branch has it."""
    found: set[int] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.If) and _is_proposed(node.test):
            found |= _lines_of(node.body)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                patterns = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
                if all(isinstance(each, ast.MatchValue) and _is_value(node.subject, each.value) for each in patterns):
                    found |= _lines_of(case.body)
    return found


def said_lines(function: Function) -> set[int]:
    """The lines that warn, that say that something is not modelled, or that types rule out: they decide nothing."""
    return {
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Expr | ast.Raise) and _called(node) in _SAYING
    }


_SAYING: Final = frozenset(("NotModelled", "assert_never", "warn", "warn_of_panic"))


def _called(node: ast.Expr | ast.Raise) -> str:
    call = node.exc if isinstance(node, ast.Raise) else node.value
    return _named(call.func) if isinstance(call, ast.Call) else ""


def _lines_of(body: list[ast.stmt]) -> set[int]:
    return {line for each in body for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)}


def _is_proposed(test: ast.expr) -> bool:
    """True for a condition such as `profile.enqueue.inqueue_jobs == "leave-at-once"`, also as one of several."""
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.And) and any(map(_is_proposed, test.values))
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    (value,) = test.comparators
    if isinstance(test.ops[0], ast.NotEq) and isinstance(value, ast.Constant):
        others = _choices(test.left) - {value.value}
        return bool(others) and all(_is_value(test.left, ast.Constant(each)) for each in others)
    return isinstance(test.ops[0], ast.Eq) and _is_value(test.left, value)


def _choices(behaviour: ast.expr) -> set[str]:
    return {choice for each in behaviours().values() if each.attribute == _named(behaviour) for choice in each.choices}


def _is_value(behaviour: ast.expr, value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and any(
        value.value in each.proposals for each in behaviours().values() if each.attribute == _named(behaviour)
    )


def _named(node: ast.expr) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


# --- what was found out by hand ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Undecided:
    """What does not decide, what is only proposed, what no recording reaches, and the changes that mean the same."""

    silent: dict[str, str]
    proposed: dict[str, str]
    unreached: dict[str, str]
    equivalent: dict[str, str]

    def decides(self, name: str) -> bool:
        """True if a function is none that only explains or reads configuration, or that no release has."""
        return not {name, name.partition(":")[0]} & (self.silent.keys() | self.proposed.keys())


@cache
def undecided() -> Undecided:
    """What `undecided.toml` says."""
    groups = tomllib.loads(UNDECIDED.read_text(encoding="utf-8"))
    return Undecided(
        *(
            {place: group["reason"] for group in groups.get(key, ()) for place in group["places"]}
            for key in ("silent", "proposed", "unreached", "equivalent")
        )
    )
