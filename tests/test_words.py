"""What people read is in the words of Kubernetes, Volcano and their trade, not in words that only vqs has."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "vqs"

OTHER_TEXTS = (
    "README.md",
    "docs/*.md",
    "scenarios/*.yaml",
    "vqs/**/*.jinja",
    "vqs/**/*.js",
    "vqs/snapshot/scenario/*.yaml",
    "vqs/snapshot/scenario/schema.json",
)
"""What people read besides the literals of the package."""

INSTEAD = {
    r"(let|lets|gets|got|get) into (its|the|a) queue": "admitted",
    r"asked to get in|the gate (to|of)": "admission (enqueue)",
    r"\b(let|lets) (in\b(?!stead)|into\b)|\b(let|lets) (a |the )?jobs? in\b": "admitted",
    r"(its|their|no|whose) turns?\b": "scheduling order",
    r"the tries to place": "placement attempts",
    r"who voted": "victim selection",
    r"\blets? (it|them|him) go\b": "allowed by",
    r"would have to change": "fixes that work",
    r"given back": "rolled back, elastic",
    r"promised enough": "overcommit allows",
    r"fares? differently": "affected: better, worse",
    r"(held|holds|hold|holding) back": "blocked",
    r"left alone": "orphaned, not changed",
    r"by luck|\bis luck\b|luck decides": "depends on tie-breaking",
    r"(stands?|stood) still": "scheduling is blocked",
    r"not built": "not modelled",
    r"of what is idle": "stranded",
    r"\bin vain\b": "evictions without progress",
    r"^ping-pong:": "eviction loop",
    r"made as the controllers": "added what the controllers would create",
    r"lay both sides": "apply both sides",
    r"at random, by": "seed for tie-breaking",
    r"may have no more|of what it may have": "limit",
    r"asks? for no more": "request satisfied",
    r"no node that would do|nodes that would do": "no suitable node",
    r"(?<!-)\bnobody\b|\bsomebody\b": "the subject: a plugin, a user, a pod",
    r"\bso many\b": "the number, or N",
    r"\bmended\b|\bmends?\b": "fixed",
    r"\bheed(s|ed)?\b": "read, honoured",
    r"\breckon(s|ed)?\b": "calculated",
    r"taken to be": "assumed to be",
    r"made anew": "created again",
    r"held against": "compared with",
}
"""Phrases as regular expressions, each with what to write in its place."""

_PARAGRAPH = re.compile(r"(?:^.*\S.*\n?)+", re.MULTILINE)


@cache
def prose() -> list[tuple[str, str]]:
    """Return the text literals of the package that have a blank, docstrings too, with their places; codes have none."""
    return [
        (f"{file.relative_to(PACKAGE.parent)}:{node.lineno}", " ".join(node.value.split()))
        for file in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
    ]


@cache
def other_prose() -> list[tuple[str, str]]:
    """Return the paragraphs of the other texts, with the place where each begins; comments are without their marks."""
    return [
        (f"{file.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}", _joined(match[0]))
        for pattern in OTHER_TEXTS
        for file in sorted(ROOT.glob(pattern))
        for text in (file.read_text(encoding="utf-8"),)
        for match in _PARAGRAPH.finditer(text)
    ]


def _joined(paragraph: str) -> str:
    """Return a paragraph as one line, without what marks its lines as comments."""
    return " ".join(" ".join(line.strip().lstrip("#/*").split()) for line in paragraph.splitlines())


@pytest.mark.parametrize("pattern", OTHER_TEXTS)
def test_texts_are_found(pattern: str) -> None:
    """Each of the patterns matches a file, so that none is passed over in silence."""
    assert next(ROOT.glob(pattern), None) is not None


@pytest.mark.parametrize("phrase", INSTEAD)
def test_no_private_idiom(phrase: str) -> None:
    """No text of the project has a phrase for which the trade has a word."""
    pattern = re.compile(phrase, re.IGNORECASE)
    found = [f"{place}: {text[:120]}" for place, text in (*prose(), *other_prose()) if pattern.search(text)]
    assert found == [], f"write: {INSTEAD[phrase]}"
