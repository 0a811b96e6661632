"""Running a case in this process, and judging what it did."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from jsonschema import Draft202012Validator

from tests.fuzz.cases import Case
from vqs.cli.main import main

SECONDS: Final = 20
_SCHEMAS: Final = {
    "simulate": "simulation",
    "explain-queue": "queues",
    "explain-job": "job",
    "lint": "lint",
    "diff-configs": "diff",
    "fit": "fit",
    "verify": "verification",
    "replay": "replay",
    "sweep": "sweep",
}
_EDITS: Final = frozenset({"--set", "--remove", "--scale", "--clone-node", "--edits"})
"""What is wrong with an edit stands where the edit does: on the command line."""

_FOR_ERRORS: Final = frozenset({"github", "gitlab", "sarif", "junit", "json"})
"""The formats in which errors of the input are findings."""

_PLACE: Final = re.compile(r"^[^\s:][^:\n]*(?::\d+){1,2}: ", re.MULTILINE)
_FRAME: Final = re.compile(r'File "[^"]*/(vqs/[^"]+)", line (\d+), in (\S+)')


class Hung(BaseException):
    """The command took too long; nothing that handles errors may handle this."""


class Ran(NamedTuple):
    """What a command did."""

    code: object
    out: str
    err: str


class Finding(NamedTuple):
    """What a command should not have done; findings of the same `signature` are of one cause."""

    signature: str
    detail: str


def run(command: tuple[str, ...]) -> Ran:
    """Run a command in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    before = sys.stdout, sys.stderr, sys.stdin
    with open(os.devnull, encoding="utf-8") as nothing:  # noqa: PTH123 - a Path has no devnull
        sys.stdout, sys.stderr, sys.stdin = out, err, nothing
        try:
            code: object = main([*command, "--debug"])
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            code = f"{type(error).__name__}: {error}"
            err.write("".join(traceback.format_exception(error)))
        finally:
            sys.stdout, sys.stderr, sys.stdin = before
    return Ran(code, *(each.buffer.getvalue().decode() for each in (out, err)))


class Judged(NamedTuple):
    """What is wrong with what a command did, and whether it ran: its input was not refused."""

    finding: Finding | None
    ran: bool


def judged(case: Case, folder: Path) -> Judged:
    """Run a case in a folder, which is the working directory, and judge it."""
    for name, text in case.files.items():
        (folder / name).write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    try:
        with _in_time():
            ran = run(case.command)
            found = _judge(ran, case.command)
            if found is None and ran.code == 0 and case.command[0] == "expand":
                found = _judge_expanded(ran, case, folder)
    except Hung:
        return Judged(Finding(f"hangs: {case.command[0]}", f"more than {SECONDS} s"), ran=True)
    return Judged(found, ran=ran.code in (0, 1))


@contextmanager
def _in_time() -> Iterator[None]:
    def end(*_: object) -> NoReturn:
        raise Hung

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _judge(ran: Ran, command: tuple[str, ...]) -> Finding | None:
    if "Hung" in str(ran.code):
        raise Hung
    if ran.code not in (0, 1, 2) or "Traceback" in ran.err or "this is a bug" in ran.err:
        frames = _FRAME.findall(ran.err)
        last = ran.err.strip().splitlines()[-1] if ran.err.strip() else ""
        where = " ".join(frames[-1]) if frames else ""
        return Finding(f"{last.partition(':')[0]} at {where}", ran.err[-1500:])
    if ran.code == 2 and not (command[0] == "sweep" and ran.out and "vqs/refusal" not in ran.out):
        return _judge_refusal(ran, command)
    if _format(command) == "json":
        return _judge_json(ran, command)
    return None


def _format(command: tuple[str, ...]) -> str:
    return command[command.index("--format") + 1] if "--format" in command else ""


def _judge_refusal(ran: Ran, command: tuple[str, ...]) -> Finding | None:
    if ran.out and _format(command) not in _FOR_ERRORS:
        return Finding("writes something, and fails", ran.out[:500])
    if ran.out and _format(command) == "json":
        found = _judge_document(ran.out, "refusal", command[0])
        if found is not None:
            return found
    if not ran.err.strip():
        return Finding("fails, and says nothing", "")
    if _EDITS & {*command} or _PLACE.search(ran.err) or _says_no_place(ran.err):
        return None
    return Finding(f"no place: {re.sub(r'[0-9]+', 'N', ran.err)[:60]}", ran.err[:800])


def _says_no_place(err: str) -> bool:
    """Tell whether an error is one that has no place: of the command line, of an edit, or that there is nothing."""
    return err.startswith(("error: ", "there is no object", "there is nothing to replay", "--")) or any(
        words in err for words in ("this file is empty", "there is no scheduler configuration", "nothing is expected")
    )


def _judge_json(ran: Ran, command: tuple[str, ...]) -> Finding | None:
    return _judge_document(ran.out, "cycles" if "--cycles" in command else _SCHEMAS.get(command[0]), command[0])


def _judge_document(text: str, kind: str | None, name: str) -> Finding | None:
    try:
        value = json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        return Finding(f"no JSON: {name}", f"{error}: {text[:300]}")
    if kind is None:
        return None
    wrong = next(iter(_validator(kind).iter_errors(value)), None)
    return Finding(f"against its schema: {name} {list(wrong.path)[:2]}", wrong.message[:500]) if wrong else None


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


@cache
def _validator(kind: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - few cases need it

    return Draft202012Validator(json.loads(run(("schema", kind)).out))


def _judge_expanded(ran: Ran, case: Case, folder: Path) -> Finding | None:
    """Tell whether what an input stands for is decided on as the input is."""
    suffix = ".json" if "json" in case.command else ".yaml"
    (folder / f"expanded{suffix}").write_text(ran.out, encoding="utf-8")
    first = run(("simulate", *case.files, "--format", "json"))
    again = run(("simulate", f"expanded{suffix}", "--format", "json"))
    if first.code != 0:
        return None
    if "this file is empty" in again.err or "there is no object" in again.err:
        return None
    if again.code != 0:
        return Finding("expanded, and cannot be read", again.err[:800])
    was, now = (_decided(json.loads(each.out)) for each in (first, again))
    different = [(key, was.get(key), now.get(key)) for key in sorted({*was, *now}) if was.get(key) != now.get(key)]
    return Finding("expanded, and decided otherwise", str(different[:3])) if different else None


def _decided(result: Any) -> dict[str, Any]:
    return {f"{each['job']} {each['name']}": (each["status"], each.get("node")) for each in result["tasks"]}
