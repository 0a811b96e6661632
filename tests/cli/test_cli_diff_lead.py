"""What `vqs diff-configs` says first, in which words, and how long a comment on a pull request gets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from tests.kubectl_dumps import QUEUE, two_queues, write_dump
from vqs.cli.main import main
from vqs.diff.outcome import JobChange
from vqs.diff.sentences import CHANGES
from vqs.report.diff.annotations import descriptors

CHANGE = ["diff-configs", "old.yaml", "new.yaml", "--on", "dump.json"]
_FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a dump and two versions of a queue into the working directory."""
    monkeypatch.chdir(tmp_path)
    write_dump(Path("dump.json"), two_queues())
    Path("old.yaml").write_text(QUEUE, encoding="utf-8")
    Path("new.yaml").write_text(QUEUE.replace("weight: 4", "weight: 12"), encoding="utf-8")


def test_the_change_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    """The first lines say what is changed and who is affected, the last lines count the affected jobs and go on."""
    assert main(CHANGE) == 1
    change, worse, better, *rest = capsys.readouterr().out.splitlines()
    assert change == "Change: queue batch weight 4 → 12"
    assert re.fullmatch(r"Worse off: ml/web\S* \(queue serving\): 2 of 8 tasks no longer placed", worse)
    assert re.fullmatch(r"Better off: ml/train\S* \(queue batch\): 2 of 8 tasks newly placed", better)
    assert "Signs: + better off, - worse off, ± both" in rest
    assert rest[-2].startswith("2 jobs affected: 1 better, 1 worse")
    assert rest[-1] == "Next: vqs rule queue-limit explains what happens to ml/web, and what to do"


def test_a_setting_and_a_node(capsys: pytest.CaptureFixture[str]) -> None:
    """A changed setting and a cordoned node are named with what changes."""
    edits = ["--set", "node/n1.spec.unschedulable=true", "--set", 'conf.actions="enqueue, allocate"']
    assert main(["diff-configs", "--on", "dump.json", *edits]) == 1
    first, *_ = capsys.readouterr().out.splitlines()
    assert first == "Change: actions enqueue, allocate, backfill → enqueue, allocate; node n1 cordoned"


@pytest.mark.parametrize("more", [[], ["-v"]], ids=["usual", "everything"])
def test_a_comment_has_at_most_forty_lines(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What is long is folded away in markdown, so that a comment shows at most 40 lines."""
    dump = json.loads(Path("dump.json").read_text(encoding="utf-8"))
    queues = [f"q{number}" for number in range(30)]
    template = next(each for each in dump["items"] if each["kind"] == "Queue")
    dump["items"] += [{**template, "metadata": {"name": name, "uid": f"uid-{name}"}} for name in queues]
    Path("dump.json").write_text(json.dumps(dump), encoding="utf-8")
    heavier = [QUEUE.replace("batch", name).replace("weight: 4", "weight: 5") for name in queues]
    Path("new.yaml").write_text("---\n".join([QUEUE.replace("weight: 4", "weight: 12"), *heavier]), encoding="utf-8")
    assert main([*CHANGE, "--format", "markdown", *more]) == 1
    written = capsys.readouterr().out
    assert len(written.splitlines()) > 40
    shown = _FOLDED.sub("<details>", written)
    assert len(shown.splitlines()) <= 40
    assert "### Jobs" in shown
    assert "<details>" in shown
    assert "<summary>Queues</summary>" in written


def test_no_verb_follows_is() -> None:
    """The title of a rule is a sentence: "a job is no longer pipelined", and not "is no longer waits"."""
    titles = [each.title for each in descriptors().values()]
    assert {f"a job is {CHANGES[change]}" for change in get_args(JobChange)} <= set(titles)
    verbs = re.compile(r"\bis (no longer |now )?(waits|asks|holds|gains|loses)\b")
    assert [title for title in titles if verbs.search(title)] == []
