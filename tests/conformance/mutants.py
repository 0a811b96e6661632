"""Change the code that decides, a place at a time, and count the changes that make a recording disagree.

    python -m tests.conformance.mutants [--each N] [--seed N] [FILE ...]

Of each file, N places are chosen at random: a comparison, an operator, a condition, a number. A change is killed if a
recording that runs the function no longer agrees, fails, or takes too long. Those that survive are printed, with their
lines: some mean the same, and the others want a recording.
"""

from __future__ import annotations

import argparse
import ast
import copy
import functools
import gc
import os
import random
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Final

from tests.conformance.cases import Case, cases

ROOT: Final = Path(__file__).parents[2]
ENGINE: Final = ROOT / "vqs" / "engine"

SECONDS: Final = 30
"""A change with which the recordings take longer is killed."""

MOST: Final = 120
"""So many of the recordings that run a function are tried with a change of it."""

OTHERS: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}

Function = ast.FunctionDef


@dataclass(frozen=True)
class Mutant:
    """A change: the code of the function with it, and where and what it is."""

    code: CodeType
    line: int
    what: str


def mutants(file: Path) -> Iterator[Callable[[], Mutant | None]]:
    """Yield what makes each change of a file, of the functions and methods that are not inside of others."""
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    outer = [
        node for parent in (tree, *tree.body) if isinstance(parent, ast.Module | ast.ClassDef) for node in parent.body
    ]
    for function in outer:
        if isinstance(function, Function):
            places = [node for node in _executed(function) if _changed(node) is not None]
            yield from (functools.partial(_mutant, tree, function, node, file) for node in places)


def _executed(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function's body, without annotations."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        yield node
        skipped = {id(child) for name in ("annotation", "returns") if (child := getattr(node, name, None)) is not None}
        waiting += [child for child in ast.iter_child_nodes(node) if id(child) not in skipped]


def _changed(node: ast.AST) -> ast.AST | None:
    """Return a node that stands for another one; None where there is nothing to change."""
    if isinstance(node, ast.Compare | ast.BoolOp | ast.BinOp):
        operator = node.ops[0] if isinstance(node, ast.Compare) else node.op
        if type(operator) not in OTHERS or (isinstance(node, ast.BinOp) and _is_text(node)):
            return None
        new = copy.copy(node)
        other = OTHERS[type(operator)]()
        if isinstance(new, ast.Compare):
            new.ops = [other, *new.ops[1:]]  # type: ignore[list-item]
        else:
            new.op = other  # type: ignore[assignment]
        return new
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.If | ast.IfExp):
        new_if = copy.copy(node)
        new_if.test = ast.UnaryOp(ast.Not(), node.test)
        return new_if
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return ast.Constant(not node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return ast.Constant(node.value + 1)
    return None


def _is_text(node: ast.BinOp) -> bool:
    """True if strings are put together: that is what is said, not what is decided."""
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in sides
    )


class _Replaced(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.old:
            return ast.copy_location(self.new, node)
        return self.generic_visit(node)


def _mutant(tree: ast.Module, function: Function, node: ast.AST, file: Path) -> Mutant | None:
    new = _changed(node)
    assert new is not None
    before = ast.unparse(node).splitlines()[0]
    memo: dict[int, ast.AST] = {}
    copied = copy.deepcopy(tree, memo)
    _Replaced(memo[id(node)], copy.deepcopy(new)).visit(copied)
    changed = ast.fix_missing_locations(copied)
    code = next(_codes(compile(changed, str(file), "exec"), function), None)
    return code and Mutant(
        code, getattr(node, "lineno", function.lineno), f"{before} → {ast.unparse(new).splitlines()[0]}"
    )


def _codes(code: CodeType, function: Function) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_name == function.name and each.co_firstlineno in (
                function.lineno,
                *(decorator.lineno for decorator in function.decorator_list),
            ):
                yield each
            yield from _codes(each, function)


def functions_of(recordings: Sequence[Case]) -> dict[tuple[str, int], list[Case]]:
    """Run the recordings, and return those that run each function: by its file and first line."""
    found: defaultdict[tuple[str, int], list[Case]] = defaultdict(list)
    inside = str(ENGINE)
    for case in recordings:
        seen: set[CodeType] = set()
        sys.setprofile(lambda frame, event, _: seen.add(frame.f_code) if event == "call" else None)  # noqa: B023
        try:
            agrees = case.agrees()
        finally:
            sys.setprofile(None)
        for code in seen if agrees else ():
            if code.co_filename.startswith(inside):
                found[code.co_filename, code.co_firstlineno].append(case)
    return found


def is_killed(mutant: Mutant, recordings: Sequence[Case]) -> bool:
    """Try a change in a process of its own."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    signal.alarm(SECONDS)
    status = 1
    try:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            _put(mutant)
            status = 0 if all(each.agrees() for each in recordings) else 1
    finally:
        os._exit(status)


def _put(mutant: Mutant) -> None:
    """Have the function run the changed code, and forget what was remembered of it."""
    for each in gc.get_objects():
        if isinstance(each, functools._lru_cache_wrapper):
            each.cache_clear()
        elif isinstance(each, FunctionType) and _place(each.__code__) == _place(mutant.code):
            each.__code__ = mutant.code


def _place(code: CodeType) -> tuple[str, int, int]:
    return code.co_filename, code.co_firstlineno, len(code.co_freevars)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Print what survives, and the share that was killed of each file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=10, help="how many changes of a file are tried")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    files = [each.absolute() for each in arguments.files] or [
        each
        for folder in ("actions", "plugins", "nodes", "framework")
        for each in sorted((ENGINE / folder).rglob("*.py"))
    ]
    running = functions_of([*cases()])
    killed = tried = 0
    for file in files:
        makers = list(mutants(file))
        chosen = [each() for each in rng.sample(makers, min(arguments.each, len(makers)))]
        outcomes = []
        for mutant in filter(None, chosen):
            having = running.get((str(file), mutant.code.co_firstlineno), [])
            some = rng.sample(having, min(MOST, len(having)))
            outcomes.append(bool(having) and is_killed(mutant, some))
            if not outcomes[-1]:
                _say(f"  {file.relative_to(ROOT)}:{mutant.line}: {mutant.what} ({len(having)} recordings run it)")
        if outcomes:
            killed, tried = killed + sum(outcomes), tried + len(outcomes)
            _say(f"{file.relative_to(ROOT)}: {sum(outcomes)} of {len(outcomes)} are killed")
    _say(f"{killed} of {tried} changes are killed: {100 * killed / max(tried, 1):.0f}%")


if __name__ == "__main__":
    main()
