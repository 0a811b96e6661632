"""The package keeps to its layers."""

import ast
from pathlib import Path

import pytest

import vqs

LAYERS = [
    "model",
    "snapshot",
    "capture",
    "config",
    "engine",
    "anonymize",
    "explain",
    "lint",
    "diff",
    "verify",
    "report",
    "cli",
]
"""From the bottom up: a layer imports itself and what is below it."""

PACKAGE = Path(vqs.__file__).parent


def imported_layers(module: Path) -> set[str]:
    """Return the layers that a module imports from, wherever in it."""
    names = [
        node.module or ""
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
    ]
    return {parts[1] for name in names if len(parts := name.split(".")) > 1 and parts[0] == "vqs"}


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
