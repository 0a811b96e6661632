"""Programs that are given a vqs that has its modules already."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.resident import with_resident

PROGRAM = """
import subprocess, sys
ended = subprocess.run([sys.argv[2], "rule", "{rule}"], capture_output=True, text=True)
print(ended.returncode, len(ended.stdout.splitlines()) > 3)
sys.exit(ended.returncode)
"""


@pytest.mark.parametrize(("rule", "code", "said"), [("queue-limit", 0, "0 True"), ("none-of-these", 2, "2 False")])
def test_a_program_sees_what_a_command_says(
    rule: str, code: int, said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The command's output and exit code reach the program, and the program's exit code who calls it."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(rule=rule), encoding="utf-8")
    assert with_resident([str(program)]) == code
    assert said in capfd.readouterr().out
