"""What lint rules say to do."""

from __future__ import annotations

import pytest

from vqs.lint.registry import RULES
from vqs.lint.rule import Rule


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
def test_the_fix_says_what_to_do(rule: Rule) -> None:
    """It does not only refer to the message."""
    assert "what the message names" not in rule.fix
