"""The extenders of recordings answer by numbers in names, or by all that is told, as `record/extender.go` does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from socket import create_server
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import unquote

from tests.engine.plugins.extender_server import Answer, Raw, extender, redirect
from vqs.releases.profile import ANY_RELEASE, ReleaseChoice
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

HOST: Final = "extender.invalid"
"""Stands in scenarios for the host and the port of the server."""
SILENT: Final = "silent.invalid"
"""Stands for those of a server that takes connections, and never answers."""


@contextmanager
def with_extender(scenario: Path, release: ReleaseChoice = ANY_RELEASE) -> Iterator[Manifests]:
    """Read a scenario whose extender runs meanwhile."""
    text = scenario.read_text(encoding="utf-8")
    said = {verb: _said(int(status), unquote(what)) for verb, status, what in _SAYS.findall(text)}
    said |= {verb: b'{"status": 1, "rest": "%s"}' % (b"-" * int(number)) for verb, number in _FILLS.findall(text)}
    with (
        extender(**ANSWERS, **_Echo().answers(), **_Told().answers(), **said) as server,
        create_server(("127.0.0.1", 0)) as silent,
        TemporaryDirectory() as folder,
    ):
        text = text.replace(HOST, server.url.removeprefix("http://"))
        text = text.replace(SILENT, f"127.0.0.1:{silent.getsockname()[1]}")
        own = Path(folder, scenario.name)
        own.write_text(text, encoding="utf-8")
        yield read_manifests([str(own)], release=release)


_FILLS: Final = re.compile(r"(fill/(\d+))")
"""A verb that says how many bytes its answer has at least."""

_SAYS: Final = re.compile(r"(say/(\d+)/([\w%.-]*))")
"""A verb that says how it is answered: by a status, and a body or the place that is redirected to."""


def _said(status: int, text: str) -> Answer:
    """The answer that a verb says; without a status, the connection is closed."""
    if not status:
        return Raw(lambda _: None)
    if status // 100 == 3:
        return redirect(status, text)
    return text.encode() if status == HTTPStatus.OK else status


def _number(item: dict[str, Any]) -> int:
    """The number at the end of a name: 3 of job-03, 1 of job-03-1, 2 of n02."""
    found = re.search(r"[-nq]0*(\d+)$", item["Name"])
    return int(found[1]) if found else 0


def _victims(asked: dict[str, Any]) -> dict[str, Any]:
    return {"status": 1, "victims": [each for each in asked.get("evictees") or [] if _number(each) % 2 == 0]}


def _predicate(asked: dict[str, Any]) -> dict[str, Any]:
    if (_number(asked["task"]) + _number(asked["node"])) % 4 != 3:
        return {}
    return {"status": "the extender refuses the node", "code": 1 + _number(asked["node"]) % 2}


def _scores(asked: dict[str, Any]) -> dict[str, Any]:
    task = _number(asked["task"])
    return {"nodeScore": {each["Name"]: 10 * ((_number(each) + task) % 3) for each in asked["nodes"]}}


ANSWERS: Final[dict[str, Answer]] = {
    "onSessionOpenVerb": {},
    "predicateVerb": _predicate,
    "prioritizeVerb": _scores,
    "preemptableVerb": _victims,
    "reclaimableVerb": _victims,
    "queueOverusedVerb": lambda asked: {"overused": _number(asked["queue"]) == 1},
    "jobEnqueueableVerb": lambda asked: {"status": _number(asked["job"]) % 3 - 1},
    "jobReadyVerb": lambda asked: {"status": _number(asked["job"]) % 5 != 0},
    "allocateFuncVerb": lambda asked: (
        {"errorMessage": "the extender takes no more"} if _number(asked["task"]) == 3 else {}
    ),
}


# --- answers that depend on all that is told ------------------------------------------------------------------------


UNKNOWN: Final = frozenset(
    (
        *("JobFitErrors", "NodesFitErrors", "ScheduleStartTimestamp", "ImageStates", "Generation", "BindGeneration"),
        *("Others", "NumaInfo", "NumaSchedulerInfo", "NumaChgFlag", "ResourceUsage", "NodeList", "PodGroup", "Node"),
        *("JobAllocatedHyperNode", "TaskStatusIndex"),
    )
)
"""The fields whose values are the scheduler's own; amounts of nothing are left out, and pods but for name and node."""


def _plain(told: Any) -> Any:
    if isinstance(told, list):
        return [_plain(each) for each in told]
    if not isinstance(told, dict):
        return int(told) if isinstance(told, float) and told.is_integer() else told
    found = {}
    for name, each in told.items():
        if isinstance(each, int | float) and not isinstance(each, bool) and not each:
            continue
        if name == "Pod" and isinstance(each, dict):
            found[name] = [each["metadata"].get("name"), each["spec"].get("nodeName")]
        elif name not in UNKNOWN and not (name == "Queue" and isinstance(each, dict)):
            found[name] = _plain(each)
    return found or None


def _digest(told: Any) -> str:
    """A short text that hangs on all that is told."""
    written = json.dumps(_plain(told), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for each in "<>&":  # as Go writes them
        written = written.replace(each, f"\\u{ord(each):04x}")
    return sha256(written.encode()).hexdigest()[:12]


def _drawn(told: Any, below: int) -> int:
    return int(_digest(told)[:7], 16) % below


class _Told:
    """The answers of one run that hang on which jobs the server was told of."""

    def __init__(self) -> None:
        self._jobs: list[str] = []

    def answers(self) -> dict[str, Answer]:
        """The answers by verb."""
        return {"told/onSessionOpenVerb": {}, "told/jobEnqueuedVerb": self._add, "told/predicateVerb": self._predicate}

    def _add(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._jobs.append(asked["job"]["Name"])
        return {}

    def _predicate(self, asked: dict[str, Any]) -> dict[str, Any]:
        if (_number(asked["task"]) + _number(asked["node"])) % 4 != 3:
            return {}
        return {"status": f"told of {' '.join(self._jobs)}", "code": 2}


class _Echo:
    """The answers of one run: they hang on what was told when the session was opened, too."""

    def __init__(self) -> None:
        self._opened = ""

    def answers(self) -> dict[str, Answer]:
        """The answers by verb."""
        answers: dict[str, Answer] = {
            "onSessionOpenVerb": self._open,
            "predicateVerb": self._predicate,
            "prioritizeVerb": lambda asked: {
                "nodeScore": {
                    each["Name"]: _drawn({"task": asked["task"], "node": each}, 1000) for each in asked["nodes"]
                }
            },
            "preemptableVerb": self._some,
            "reclaimableVerb": self._some,
            "queueOverusedVerb": lambda asked: {"overused": _drawn(asked["queue"], 4) == 0},
            "jobEnqueueableVerb": lambda asked: {"status": _drawn(asked["job"], 3) - 1},
            "jobReadyVerb": lambda asked: {"status": _drawn(asked["job"], 5) != 0},
            "allocateFuncVerb": lambda asked: (
                {} if _drawn(asked["task"], 5) else {"errorMessage": f"not {_digest(asked['task'])}"}
            ),
        }
        return {f"echo/{verb}": answer for verb, answer in answers.items()}

    def _open(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._opened = _digest(asked)
        return {}

    def _predicate(self, asked: dict[str, Any]) -> dict[str, Any]:
        task, node = asked["task"], asked["node"]
        if (_number(task) + _number(node)) % 4 != 3:
            return {}
        return {"status": f"seen {self._opened} {_digest(task)} {_digest(node)}", "code": 2}

    @staticmethod
    def _some(asked: dict[str, Any]) -> dict[str, Any]:
        evictees = asked.get("evictees") or []
        chosen = [each for each in evictees if not _drawn({"evictor": asked["evictor"], "evictee": each}, 2)]
        return {"status": len(evictees) % 2, "victims": chosen}
