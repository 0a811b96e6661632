"""The examples in docstrings hold."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "vqs.model.quantity",
        "vqs.snapshot.reading.compression",
        "vqs.snapshot.reading.diagnostics",
        "vqs.config.known_arguments",
    ],
)
def test_examples(name: str) -> None:
    """Every example in a module's docstrings gives the output it shows."""
    result = doctest.testmod(importlib.import_module(name))

    assert result.attempted > 0
    assert result.failed == 0
