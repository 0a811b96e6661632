"""A rule that says what it looks at looks at nothing else."""

from __future__ import annotations

import functools
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.lint.cases import files
from vqs.config.scheduler_conf import SchedulerConfiguration
from vqs.lint.registry import RULES
from vqs.lint.rule import LintContext
from vqs.snapshot.reading.kinds import LISTS
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_leniently

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SAYING = [code for code, rule in RULES.items() if rule.looks_at]
READABLE = [code for code, rule in RULES.items() if rule.check]


@functools.cache
def read(paths: tuple[str, ...], conf_file: str | None) -> Manifests:
    """Read an input once, for all rules that are tried on it."""
    return read_leniently(paths, conf_file).manifests


def narrowed(manifests: Manifests, conf: SchedulerConfiguration, looks_at: tuple[str, ...]) -> LintContext:
    """Return a context in which nothing is there but what a rule looks at: to look at anything else is an error."""
    lists: dict[str, Any] = {name: getattr(manifests, name) for name in LISTS if name in looks_at}
    lists["stored_without_uid"], lists["applied"] = manifests.stored_without_uid, manifests.applied
    lists |= {name: getattr(manifests, name) for name in ("controlled", "made_by", "created_from")}
    lists["origins"] = {name: origins for name, origins in manifests.origins.items() if name in looks_at}
    seen = conf if "conf" in looks_at else cast("SchedulerConfiguration", None)
    return LintContext(cast("Manifests", SimpleNamespace(**lists)), seen, NOW)


@pytest.mark.parametrize("code", SAYING)
def test_looks_at(code: str) -> None:
    """It finds the same where nothing else is there, in its own inputs and in those of all other rules."""
    rule = RULES[code]
    assert rule.check
    assert set(rule.looks_at) <= {*LISTS, "conf"}
    for each in READABLE:
        paths, conf_file = files(each, "bad")
        if paths:
            manifests = read(tuple(paths), conf_file)
            conf = manifests.scheduler
            found = [*rule.check(narrowed(manifests, conf, rule.looks_at))]
            assert found == [*rule.check(LintContext(manifests, conf, NOW))]
