"""What the page Evidence says of the code, as far as it is known without running the recordings."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.conformance.evidence import PAGE, deciding, gone
from tests.conformance.parts import Part, parts, proposed_lines, said_lines
from tests.conformance.reach import beginnings

PARTS = [part for _, group in parts() for part in group if part.name != "controllers"]


def function(body: str) -> ast.FunctionDef:
    """A function with a body."""
    tree = ast.parse(f"def f(self, profile):\n{body}")
    assert isinstance(tree.body[0], ast.FunctionDef)
    return tree.body[0]


def test_what_is_known_of_functions_by_hand_is_up_to_date() -> None:
    """They are there, and what only decides for a proposal names a behaviour for which there is one."""
    assert not list(gone())


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_the_page_has_the_lines_of_each_part(part: Part) -> None:
    """Where the code has more or fewer than the page says, it was not written anew."""
    lines = sum(len(each) for file in part.files for each in deciding(file).values())
    assert not lines or f"| `{part.name}` | {lines:,} |" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("condition", "lines"),
    [
        ('profile.enqueue.inqueue_jobs == "leave-at-once"', {3}),
        ('profile.enqueue.inqueue_jobs != "stay"', {3}),
        ('self.x and profile.enqueue.inqueue_jobs == "leave-at-once"', {3}),
        ('profile.enqueue.inqueue_jobs == "stay"', set()),
        ('profile.network_topology.hyper_node_search == "gradients"', set()),
    ],
)
def test_lines_that_only_a_proposal_runs_are_apart(condition: str, lines: set[int]) -> None:
    """It is the value of the behaviour that tells, not the name of the function."""
    assert proposed_lines(function(f"    if {condition}:\n        run()")) == lines


def test_a_statement_is_reached_with_any_of_its_lines(tmp_path: Path) -> None:
    """Of a condition that is written on several lines, none runs the first, and the body is apart."""
    file = tmp_path / "module.py"
    file.write_text("def f(x):\n    if (\n        x\n        and x > 1\n    ):\n        return 1\n    return 2\n")
    assert {line: begins for line, begins in beginnings(file).items() if line != 1} == {
        **dict.fromkeys(range(2, 6), 2),
        6: 6,
        7: 7,
    }


def test_lines_that_warn_decide_nothing() -> None:
    """An error that vqs raises because it does not model something is none, either."""
    assert said_lines(function("    warn()\n    raise NotModelled(profile)\n    return run()")) == {2, 3}
