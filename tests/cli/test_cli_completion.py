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
        monkeypatch.setenv("_VQS_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        monkeypatch.setattr("sys.argv", ["vqs"])
        main()
        return [word.removeprefix("plain,") for word in capsys.readouterr().out.split()]

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


PLACES = {
    "bash": (".bash_completions/vqs.sh", ".bashrc"),
    "zsh": (".zfunc/_vqs", ".zshrc"),
    "fish": (".config/fish/completions/vqs.fish", None),
}


@pytest.mark.parametrize("shell", PLACES)
def test_completion_is_installed(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The script that is shown is put where the current shell reads it, and named once in what it runs at its start."""
    place, start = PLACES[shell]
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    assert main(["--show-completion"]) == 0
    shown = capsys.readouterr().out
    assert f"_VQS_COMPLETE={shell}_complete" in shown
    for _ in range(2):
        assert main(["--install-completion"]) == 0
        assert f"{shell} completion installed in {tmp_path / place}" in capsys.readouterr().out
    assert (tmp_path / place).read_text(encoding="utf-8") == shown
    if start is not None:
        lines = (tmp_path / start).read_text(encoding="utf-8").splitlines()
        assert len([line for line in lines if place.split("/", maxsplit=1)[0] in line]) == 1


def test_a_shell_without_completion(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Another shell than the current one can be named; one that nothing is known of is refused."""
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert main(["--show-completion"]) == 2
    assert "there is no completion for the shell 'tcsh': name another, such as bash" in capsys.readouterr().err
    assert main(["--show-completion", "fish"]) == 0
    assert "complete --no-files --command vqs" in capsys.readouterr().out
