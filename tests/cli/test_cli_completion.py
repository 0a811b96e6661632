"""A shell completes what it can know."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vqs.cli.main import main

FIRST_LOOK = str(Path(__file__).parents[2] / "scenarios" / "first-look.yaml")


@pytest.fixture
def complete(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], list[str]]:
    """Return a function that completes the last word of a command line as bash would."""

    def run(line: str) -> list[str]:
        monkeypatch.setenv("_VQS_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        monkeypatch.setattr("sys.argv", ["vqs"])
        main()
        return capsys.readouterr().out.split()

    return run


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--queue ", ["default", "product", "research"]),
        ("--job v", ["vision-pretrain"]),
        ("--scores research/vision", ["research/vision-pretrain-loader-0", "research/vision-pretrain-trainer-0"]),
        ("--status Pi", ["Pipelined"]),
        ("--verdict queue-c", ["queue-capability", "queue-closed"]),
        ("--format ", ["html", "json", "markdown", "table"]),
    ],
)
def test_values_of_options(complete: Callable[[str], list[str]], words: str, expected: list[str]) -> None:
    """Names come from the files that stand on the command line, the rest from what there is."""
    assert complete(f"vqs simulate {FIRST_LOOK} {words}") == expected


def test_codes_of_rules(complete: Callable[[str], list[str]]) -> None:
    """The argument of `vqs rule` is completed too, with verdicts and lint rules."""
    assert complete("vqs rule queue-l") == ["queue-limit"]
    assert complete("vqs rule wrong-t") == ["wrong-type"]


def test_codes_of_lint_rules(complete: Callable[[str], list[str]]) -> None:
    """Of several codes the last is completed."""
    assert complete("vqs lint --select silence-un") == ["silence-unknown-code", "silence-unused"]
    assert complete("vqs lint --ignore wrong-type,silence-unu") == ["wrong-type,silence-unused"]


def test_files_that_cannot_be_read_complete_nothing(complete: Callable[[str], list[str]], tmp_path: Path) -> None:
    """There is no place for complaints while somebody types."""
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [")
    assert complete(f"vqs simulate {broken} --queue ") == []
    assert complete(f"vqs simulate {tmp_path}/none.yaml --queue ") == []


def test_names_that_a_shell_would_act_on(complete: Callable[[str], list[str]], tmp_path: Path) -> None:
    """What a shell might evaluate, or take for several names, is not offered."""
    names = ["fine", "f$(id)", "f`id`", "f\\\\$(id)", "f;id", "f id", "f*", "f'id", "f\\n::error::x"]
    queues = "\n".join(f'  - {{name: "{name}"}}' for name in names)
    file = tmp_path / "queues.yaml"
    file.write_text(f"apiVersion: vqs/v1\nkind: Scenario\nqueues:\n{queues}\n", encoding="utf-8")
    assert complete(f"vqs simulate {file} --queue f") == ["fine"]
