"""Change the code that decides, a place at a time, and count the changes that make a recording disagree.

    python -m tests.conformance.mutants [--each N] [--seed N] [--reach FOLDER] [--write] [PART ...]

Of each part of the scheduler, N places are chosen at random in the lines that decide and that recordings run: a
comparison, an operator, a condition, a number. A change is killed if a recording that runs the line no longer agrees,
fails, or takes too long. Those that survive are printed: some mean the same, and stand in `undecided.toml` with the
reason; the others want a recording. With --write, the counts are written to `mutants.json`, from which the page
Evidence has them.
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import json
import os
import random
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import _lru_cache_wrapper, partial
from importlib import import_module
from itertools import chain, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FunctionType
from typing import Any, Final

from tests.conformance.cases import Case, own_cases
from tests.conformance.parts import ROOT, Function, Part, functions, parsed, parts, undecided
from tests.conformance.reach import Reach

COUNTS: Final = Path(__file__).parent / "mutants.json"

SECONDS: Final = 30
"""A change with which the recordings take more of a processor is killed; how busy the machine is does not count."""

MOST: Final = 150
"""So many of the recordings that run a line are tried with a change of it: first those of the part itself."""

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


@dataclass(frozen=True)
class Mutant:
    """A change: the code of the function with it, and where and what it is."""

    code: CodeType
    file: Path
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}: {self.what.partition(': ')[2]}"


def mutants(file: Path, run: set[int]) -> Iterator[Callable[[], Mutant | None]]:
    """Yield what makes each change of the functions of a module that decide, in the lines that are run."""
    for name, function in functions(file).items():
        if undecided().decides(name):
            nodes = [node for node in _executed(function) if getattr(node, "lineno", 0) in run]
            places = [node for node in nodes if _changed(node) is not None]
            yield from (partial(_mutant, file, name, function, node) for node in places)


def _executed(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function's body, without annotations and without texts that are put together."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        yield node
        skipped = {id(child) for name in ("annotation", "returns") if (child := getattr(node, name, None)) is not None}
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if id(child) not in skipped and not isinstance(child, ast.JoinedStr)
        ]


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


def _mutant(file: Path, name: str, function: Function, node: ast.AST) -> Mutant | None:
    new = _changed(node)
    assert new is not None
    before = ast.unparse(node).splitlines()[0]
    memo: dict[int, ast.AST] = {}
    copied = copy.deepcopy(parsed(file), memo)
    _Replaced(memo[id(node)], copy.deepcopy(new)).visit(copied)
    code = code_of(ast.fix_missing_locations(copied), file, function)
    line = getattr(node, "lineno", function.lineno)
    return code and Mutant(code, file, line, f"{name}: {before} → {ast.unparse(new).splitlines()[0]}")


def code_of(tree: ast.Module, file: Path, function: Function) -> CodeType | None:
    """The code that a function has in a module that was changed elsewhere than in its first line."""
    return next(_codes(compile(tree, str(file), "exec"), function), None)


def _codes(code: CodeType, function: Function) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_name == function.name and each.co_firstlineno in (
                function.lineno,
                *(decorator.lineno for decorator in function.decorator_list),
            ):
                yield each
            yield from _codes(each, function)


def in_turn(part: Part, recordings: Sequence[Case]) -> list[Case]:
    """The recordings to try: those of the part's own families first, then of all others in turn."""
    families: defaultdict[tuple[bool, str], list[Case]] = defaultdict(list)
    for case in recordings:
        family = case.input.stem.rpartition("-")[0]
        families[part.name not in family, f"{family} {case.release}"].append(case)
    own, others = ([families[each] for each in families if each[0] is other] for other in (False, True))
    turns = chain.from_iterable(zip_longest(*own)), chain.from_iterable(zip_longest(*others))
    return [case for case in chain(*turns) if case][:MOST]


# --- runs -------------------------------------------------------------------------------------------------------------


def is_killed(changed: CodeType, recordings: Sequence[Case]) -> bool:
    """Try a change in a process of its own: no recording was run in this one, so nothing is remembered."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    status = 1
    try:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            put(changed)
            status = 0 if all(each.agrees() for each in recordings) else 1
    finally:
        os._exit(status)


def put(code: CodeType) -> None:
    """Have the function run changed code, also where its module is imported later, and forget what was remembered."""
    import_module(".".join(Path(code.co_filename).relative_to(ROOT).with_suffix("").parts))
    gc.unfreeze()  # what was frozen is not found
    for each in gc.get_objects():
        with suppress(ReferenceError):
            if isinstance(each, FunctionType) and _place(each.__code__) == _place(code):
                each.__code__ = code
            elif isinstance(each, _lru_cache_wrapper) and each.__module__.startswith("vqs.engine."):
                each.cache_clear()


def _place(code: CodeType) -> tuple[str, int, int]:
    return code.co_filename, code.co_firstlineno, len(code.co_freevars)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def survivors(part: Part, reach: Reach, each: int, seed: int) -> Iterator[tuple[Mutant, bool]]:
    """Yield the first so many changes of a part, in the order of the seed, and whether each survives."""
    makers = [maker for file in part.files for maker in mutants(file, reach.lines(file))]
    random.Random(f"{seed} {part.name}").shuffle(makers)
    for mutant in filter(None, (maker() for maker in makers[:each])):
        if mutant.what in undecided().equivalent:
            yield mutant, True
        else:
            yield mutant, not is_killed(mutant.code, in_turn(part, reach.of(mutant.file, mutant.line)))


def tried(part: Part, reach: Reach, each: int, seed: int) -> dict[str, Any]:
    """Try so many changes of a part, say which survive, and return how many were tried and mean the same, and those."""
    outcomes = [*survivors(part, reach, each, seed)]
    equivalent = [mutant.what for mutant, _ in outcomes if mutant.what in undecided().equivalent]
    alive = [mutant.what for mutant, survives in outcomes if survives and mutant.what not in equivalent]
    for what in alive:
        _say(f"  {what}")
    killed = len(outcomes) - len(equivalent) - len(alive)
    return {"tried": len(outcomes), "killed": killed, "equivalent": len(equivalent), "alive": alive}


def counted() -> dict[str, Any]:
    """What the last full run found, as it was written down."""
    found: dict[str, Any] = json.loads(COUNTS.read_text(encoding="utf-8")) if COUNTS.exists() else {}
    return found


def share(counts: Mapping[str, Any]) -> int:
    """How many of a hundred changes that do not mean the same are killed."""
    return int(100 * counts["killed"] // max(counts["tried"] - counts["equivalent"], 1))


def main() -> None:
    """Print what survives, and the share that was killed of each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=40, help="how many changes of a part are tried")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reach", type=Path, help="a folder in which it is kept which lines each recording runs")
    parser.add_argument("--write", action="store_true", help="write the counts down")
    parser.add_argument("parts", nargs="*")
    arguments = parser.parse_args()
    recordings = own_cases()
    chosen = [each for _, group in parts() for each in group if not arguments.parts or each.name in arguments.parts]
    with TemporaryDirectory() as folder:
        reach = Reach(recordings, arguments.reach or Path(folder))
        for part in (each for each in chosen if each.name != "controllers"):
            counts = tried(part, reach, arguments.each, arguments.seed)
            _say(f"{part.name}: {counts['killed']} of {counts['tried']}, {share(counts)}%")
            day = datetime.now(UTC).date().isoformat()
            run = {"each": arguments.each, "seed": arguments.seed, "day": day}
            if arguments.write:
                found = counted()  # anew, as others may run at the same time
                found[part.name] = {**counts, **run}
                COUNTS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
