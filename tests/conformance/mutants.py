"""Change the code that decides, a place at a time, and count the changes that make a recording disagree.

    python -m tests.conformance.mutants [--each N] [--seed N] [--reach FOLDER] [--write] [PART ...]

Of each part of the scheduler, N places are chosen in the lines that decide and that recordings run: a comparison, an
operator, a condition, a number. Those that `mutants.json` has, and that the code still has, come first; the others are
chosen at random. A change is killed if a recording that runs the line no longer agrees, fails, or takes too long. Those
that survive are printed: some mean the same, and stand in `undecided.toml` with the reason; the others want a
recording. With --write, what was tried is written to `mutants.json`, from which the page Evidence has it.
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import json
import os
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import _lru_cache_wrapper, partial
from hashlib import md5
from importlib import import_module
from itertools import chain, islice, zip_longest
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

MOST: Final = 300
"""So many of the recordings that run a line are tried with a change of it: first those of the part itself."""

ABOUT: Final = {
    "backfill": ("messy", "everything"),
    "cdp": ("cooldown",),
    "cel": ("claims", "dynamic-resources"),
    "deviceshare": ("ascend", "mig"),
    "eviction": (
        *("reclaim", "reclaim-less", "preempt", "nominated", "gangpreempt", "gangreclaim", "capacity-tree"),
        "fair-tree",
    ),
    "framework": ("roles", "gangs", "gang-roles-together", "topology", "topology-evictions", "capacity-tree"),
    "gang": ("roles",),
    "hyper-nodes": ("topology", "topology-evictions", "network-topology-aware-soft", "network-topology-aware-beside"),
    "network-topology-aware": ("topology", "topology-evictions"),
    "nodegroup": ("node-groups",),
    "nodeorder": ("images", "scoring", "templates"),
    "nodes": ("nodeorder-malformed", "sampling", "deviceshare-scored"),
    "predicates": (
        *("templates", "volumes", "volumes-bound", "volumes-refused", "dynamic-resources"),
        *("claims", "claims-made-ready", "claims-refused"),
    ),
    "priority": ("roles", "gangpreempt-edges"),
    "queue-account": ("enqueue", "capacity", "proportion"),
    "resource-strategy-fit": ("strategyfit",),
    "resourcequota": ("quota",),
    "task-topology": ("tasktopology",),
}
"""Families of scenarios that are about a part, and are not called after it."""

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


def mutants(file: Path, run: set[int]) -> Iterator[tuple[str, Callable[[], Mutant | None]]]:
    """Yield each change of the functions of a module that decide, in the lines that are run, and what makes it.

    A change is named by the function and the text that is changed; a number, by the expression around it, too.
    """
    for name, function in functions(file).items():
        for node, around in _executed(function) if undecided().decides(name) else ():
            new = _changed(node) if getattr(node, "lineno", 0) in run else None
            if new is not None:
                before, after, place = (ast.unparse(each).partition("\n")[0] for each in (node, new, around))
                what = f"{name}: {before} → {after}" + (f" in {place}" if isinstance(node, ast.Constant) else "")
                yield what, partial(_mutant, file, function, node, new, what)


def _executed(function: Function) -> Iterator[tuple[ast.AST, ast.AST]]:
    """The nodes of a function's body, and what each is part of: without annotations, and without what is only said.

    That are texts that are put together, and the figures of refusals. `strict` only checks that lists are as long.
    """
    waiting: list[tuple[ast.AST, ast.AST]] = [(node, function) for node in function.body]
    while waiting:
        node, around = waiting.pop()
        yield node, around
        skipped = {id(child) for name in ("annotation", "returns") if (child := getattr(node, name, None)) is not None}
        waiting += [
            (child, node) for child in ast.iter_child_nodes(node) if id(child) not in skipped and not _is_said(child)
        ]


def _is_said(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("Refusal", "Shortfall")
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.keyword) and node.arg == "strict")


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


def _mutant(file: Path, function: Function, node: ast.AST, new: ast.AST, what: str) -> Mutant | None:
    memo: dict[int, ast.AST] = {}
    copied = copy.deepcopy(parsed(file), memo)
    _Replaced(memo[id(node)], copy.deepcopy(new)).visit(copied)
    code = code_of(ast.fix_missing_locations(copied), file, function)
    return code and Mutant(code, file, getattr(node, "lineno", function.lineno), what)


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
    """The recordings to try: those of the families that are about the part first, then of all others in turn."""
    families: defaultdict[tuple[bool, str], list[Case]] = defaultdict(list)
    for case in recordings:
        family = case.input.stem.rpartition("-")[0]
        is_other = part.name not in family and family not in ABOUT.get(part.name, ())
        families[is_other, f"{family} {case.release}"].append(case)
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
    """Yield so many changes of a part, first those that were tried before, and whether each survives."""
    makers = dict(chain.from_iterable(mutants(file, reach.lines(file)) for file in part.files))
    before = counted().get(part.name, {}).get("tried", ())
    others = sorted(makers.keys() - set(before), key=lambda what: md5(f"{seed} {what}".encode()).digest())  # noqa: S324
    chosen = (makers[what] for what in (*before, *others) if what in makers)
    for mutant in islice(filter(None, (maker() for maker in chosen)), each):
        if mutant.what in undecided().equivalent:
            yield mutant, True
        else:
            yield mutant, not is_killed(mutant.code, in_turn(part, reach.of(mutant.file, mutant.line)))


def tried(part: Part, reach: Reach, each: int, seed: int) -> dict[str, list[str]]:
    """Try so many changes of a part; say which survive and do not mean the same, and return these and all."""
    outcomes = [*survivors(part, reach, each, seed)]
    alive = [mutant.what for mutant, survives in outcomes if survives and mutant.what not in undecided().equivalent]
    for what in alive:
        _say(f"  {what}")
    return {"tried": [mutant.what for mutant, _ in outcomes], "alive": alive}


def counted() -> dict[str, Any]:
    """What the last full run found, as it was written down."""
    found: dict[str, Any] = json.loads(COUNTS.read_text(encoding="utf-8")) if COUNTS.exists() else {}
    return found


def numbers(counts: Mapping[str, Any]) -> Counter[str]:
    """How many changes were tried, mean the same, and are killed."""
    same = sum(what in undecided().equivalent for what in counts["tried"])
    alive = sum(what not in undecided().equivalent for what in counts["alive"])
    return Counter(tried=len(counts["tried"]), same=same, killed=len(counts["tried"]) - same - alive)


def share(number: Mapping[str, int]) -> int:
    """How many of a hundred changes that do not mean the same are killed."""
    return 100 * number["killed"] // max(number["tried"] - number["same"], 1)


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
            _say(f"{part.name}: {share(numbers(counts))}% of {len(counts['tried'])}")
            day = datetime.now(UTC).date().isoformat()
            run = {"each": arguments.each, "seed": arguments.seed, "day": day}
            if arguments.write:
                found = counted()  # anew, as others may run at the same time
                found[part.name] = {**counts, **run}
                COUNTS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
