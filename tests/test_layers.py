"""The package keeps to its layers."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import vqs

LAYERS = [
    "releases",
    "model",
    "config",
    "snapshot",
    "capture",
    "engine",
    "anonymize",
    "explain",
    "lint",
    "extensions",
    "replay",
    "diff",
    "fit",
    "sweep",
    "verify",
    "report",
    "cli",
]
"""From the bottom up: a layer imports itself and what is below it."""

NAMED = re.compile(r"vqs(?:\.\w+)+:\w+")
"""What is named by text, and imported late."""

PACKAGE = Path(vqs.__file__).parent


@cache
def imported_names(module: Path) -> frozenset[str]:
    """Return what a module imports from the package, wherever in it, also for type checking alone, or by text."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    names = {f"{node.module}.{alias.name}" for node in froms for alias in node.names}
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    names.update(text.replace(":", ".") for text in texts if NAMED.fullmatch(text))
    return frozenset(name.removeprefix("vqs.") for name in names if name.startswith("vqs."))


def imported_layers(module: Path) -> set[str]:
    """Return the layers that a module imports from."""
    return {name.partition(".")[0] for name in imported_names(module)}


def import_graph(package: Path) -> dict[str, set[str]]:
    """Return the modules of a package, and which others of it each imports."""
    paths = {
        ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__"): path
        for path in package.rglob("*.py")
    }

    def module_of(name: str) -> str:
        return name if name in paths else name.rpartition(".")[0]

    return {name: {module_of(each) for each in imported_names(path)} & paths.keys() for name, path in paths.items()}


def cycles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """Return the strongly connected components of more than one module: those from which each reaches the others."""
    reached = {name: reachable(graph, name) for name in graph}
    groups = {frozenset(other for other in reached[name] if name in reached[other]) for name in graph}
    return {group for group in groups if len(group) > 1}


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    """Return the modules that one imports, directly or through others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for name in graph[waiting.pop()] - found:
            found.add(name)
            waiting.append(name)
    return found


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_point_downward(layer: str) -> None:
    """No module imports from a layer above its own."""
    above = set(LAYERS[LAYERS.index(layer) + 1 :])
    upward = {
        str(module.relative_to(PACKAGE)): sorted(imported_layers(module) & above)
        for module in sorted((PACKAGE / layer).rglob("*.py"))
        if imported_layers(module) & above
    }
    assert upward == {}


def test_every_folder_is_a_layer() -> None:
    """A new folder of the package is given its place among the layers."""
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(LAYERS)


def test_modules_do_not_import_one_another() -> None:
    """No two modules need each other, but for the groups that are still to be untied."""
    assert cycles(import_graph(PACKAGE)) == set()


def test_a_cycle_is_found(tmp_path: Path) -> None:
    """Modules that need each other are found, also through a third, for type checking alone, and named by text."""
    imports = {"one": "two", "two": "three", "four": "one"}
    for name, other in imports.items():
        (tmp_path / f"{name}.py").write_text(f"if TYPE_CHECKING:\n    from vqs.{other} import Name\n", encoding="utf-8")
    (tmp_path / "three.py").write_text('late = "vqs.one:Name"\n', encoding="utf-8")
    assert cycles(import_graph(tmp_path)) == {frozenset({"one", "two", "three"})}
