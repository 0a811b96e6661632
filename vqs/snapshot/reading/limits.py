"""How much an input may stand for."""

from typing import Final

MOST_PODS: Final = 250_000
"""How many pods one object may ask for, unless the command line allows more for all objects together."""

MAX_PODS: Final = 50_000
"""How many pods controllers may create for all objects together, unless the command line says otherwise."""

MAX_DEPTH: Final = 200
"""The most levels of nesting of a document in YAML or JSON, far beyond any manifest."""
