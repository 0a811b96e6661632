"""Silencing findings."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import yaml

from vqs.lint.outcome import Lint
from vqs.lint.registry import RULES
from vqs.lint.run import LintOptions, lint
from vqs.snapshot.reading.reader import read_leniently

QUEUE = """\
apiVersion: scheduling.volcano.sh/v1beta1 {first}
kind: Queue
metadata: {meta}
  name: research
{above}
spec:
  weight: -1 {end}
  dequeueStrategy: lifo
"""
CODES = frozenset({"invalid-weight", "invalid-value", *(code for code in RULES if code.startswith("silence-"))})


def linted(text: str) -> Lint:
    """Look for findings in a text."""
    return lint(read_leniently(["-"], stdin=io.BytesIO(text.encode())), LintOptions(codes=CODES))


def queue(**comments: str) -> Lint:
    """Look for findings in a queue with a wrong weight and a wrong strategy, and some comments."""
    return linted(QUEUE.format(**{"first": "", "meta": "", "above": "", "end": "", **comments}))


def silenced(result: Lint) -> dict[str, str]:
    """Return the reasons for which findings are silenced, by code."""
    return {each.code: each.silenced.reason for each in result.findings if each.silenced}


def loud(result: Lint) -> list[str]:
    """Return the codes of the findings that are not silenced."""
    return [each.code for each in result.findings if not each.silenced]


@pytest.mark.parametrize(
    "comments",
    [
        {"end": "# vqs: ignore[invalid-weight] a trial"},
        {"end": "#vqs:ignore[ invalid-weight ]   a trial "},
        {"end": "# as agreed # vqs: ignore[invalid-*, parent-missing] a trial"},
    ],
)
def test_the_comment_at_the_end_of_a_line(comments: dict[str, str]) -> None:
    """It silences what is found on its line, and nothing else."""
    result = queue(**comments)
    assert silenced(result) == {"invalid-weight": "a trial"}
    assert loud(result) == ["invalid-value"]
    assert (result.summary.errors, result.summary.silenced) == (1, 1)


def test_the_comment_alone_on_a_line() -> None:
    """It silences what is found on the next line, with other comments between them or not."""
    text = QUEUE.replace("  weight", "  # vqs: ignore[invalid-weight] a trial\n  # until May\n  weight")
    result = linted(text.format(first="", meta="", above="", end=""))
    assert silenced(result) == {"invalid-weight": "a trial"}


@pytest.mark.parametrize("place", ["first", "meta"])
def test_the_comment_on_an_object(place: str) -> None:
    """On the first line or on the metadata, it silences what is found anywhere in the object."""
    result = queue(**{place: "# vqs: ignore[invalid-weight,invalid-value] a trial"})
    assert silenced(result) == {"invalid-weight": "a trial", "invalid-value": "a trial"}
    assert not result.failed


def test_the_comment_on_another_line() -> None:
    """It silences nothing, which is worth a note."""
    result = queue(above="  # vqs: ignore[invalid-weight] a trial")
    assert silenced(result) == {}
    assert loud(result) == ["silence-unused", "invalid-weight", "invalid-value"]


@pytest.mark.parametrize(
    ("comment", "code"),
    [
        ("# vqs: ignore[invalid-weight]", "silence-without-reason"),
        ("# vqs: ignore invalid-weight a trial", "silence-without-code"),
        ("# vqs: ignore[] a trial", "silence-without-code"),
        ("# vqs: ignore[invalid-wieght] a trial", "silence-unknown-code"),
    ],
)
def test_comments_without_effect(comment: str, code: str) -> None:
    """A comment that cannot do what it is there for silences nothing, and is a finding."""
    result = queue(end=comment)
    assert silenced(result) == {}
    assert sorted(loud(result)) == sorted([code, "invalid-weight", "invalid-value"])


@pytest.mark.parametrize(
    "comment", ["# vqs: see below", "# avqs: ignore[invalid-weight] x", "# ignore[invalid-weight] x"]
)
def test_other_comments(comment: str) -> None:
    """They have nothing to do with this."""
    assert loud(queue(end=comment)) == ["invalid-weight", "invalid-value"]


def test_codes_that_were_not_looked_for() -> None:
    """Whether there is something to silence is not known of what was not looked for."""
    assert loud(queue(end="# vqs: ignore[parent-missing] a trial")) == ["invalid-weight", "invalid-value"]


def annotated(text: str) -> Lint:
    """Look for findings in JSON, with an annotation."""
    value = yaml.safe_load(QUEUE.format(first="", meta="", above="", end=""))
    value["metadata"]["annotations"] = {"vqs.volcano.sh/ignore": text}
    return linted(json.dumps({"apiVersion": "v1", "kind": "List", "items": [value]}, indent=1))


def test_the_annotation() -> None:
    """It silences what is found in the object, each code for its reason."""
    result = annotated("invalid-weight: a trial; invalid-value: as above: really;")
    assert silenced(result) == {"invalid-weight": "a trial", "invalid-value": "as above: really"}
    assert loud(result) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("invalid-weight", "silence-without-reason"),
        ("", "silence-without-code"),
        ("invalid-wieght: a trial", "silence-unknown-code"),
    ],
)
def test_annotations_without_effect(text: str, code: str) -> None:
    """An annotation that cannot do what it is there for is a finding, at its own place."""
    result = annotated(text)
    assert silenced(result) == {}
    [finding] = [each for each in result.findings if each.code == code]
    assert "vqs.volcano.sh/ignore" in finding.excerpt


@pytest.mark.parametrize("first", ["", "# the usual\n# vqs: ignore[unknown-action] not yet\n"])
def test_a_configuration(tmp_path: Path, first: str) -> None:
    """A comment above its first line silences what is found in all of it."""
    file = tmp_path / "volcano-scheduler.conf"
    file.write_text(f"{first}actions:\n  dance\n", encoding="utf-8")
    result = lint(read_leniently([], str(file)), LintOptions(codes=frozenset({"unknown-action"})))
    assert [bool(each.silenced) for each in result.findings] == [bool(first)]


CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: volcano-scheduler-configmap}}
data:
  {above}
  volcano-scheduler.conf: {mark}
    {first}
    # as agreed

    actions: allocate {end}
    configurations:
    - name: dance
"""


@pytest.mark.parametrize("place", ["above", "mark", "first", "end", ""])
def test_a_configuration_in_a_config_map(place: str) -> None:
    """What opens the text, its key and the line above that speak for all of it; other lines for themselves."""
    comment = "# vqs: ignore[unused-action-arguments] not yet"
    texts = {"above": "", "mark": "|", "first": "", "end": ""}
    texts |= {place: f"{texts[place]} {comment}".strip()} if place else {"end": f"\n    tiers: [] {comment}"}
    source = CONFIG_MAP.format(**texts)
    codes = frozenset({"unused-action-arguments"})
    result = lint(read_leniently(["-"], stdin=io.BytesIO(source.encode())), LintOptions(codes=codes))
    assert [bool(each.silenced) for each in result.findings if each.code in codes] == [bool(place)]


@pytest.mark.parametrize(
    ("value", "is_comment"),
    [
        ('"x # vqs: ignore[invalid-weight] y"', False),
        ("'it''s # vqs: ignore[invalid-weight] y'", False),
        (r'"\" # vqs: ignore[invalid-weight] y"', False),
        ('"x" # vqs: ignore[invalid-weight] y', True),
        ("it's # vqs: ignore[invalid-weight] y", True),
        ("x # don't # vqs: ignore[invalid-weight] y", True),
        ("x#y # vqs: ignore[invalid-weight] y", True),
    ],
)
def test_text_in_quotes_is_no_comment(value: str, *, is_comment: bool) -> None:
    """Only what YAML takes for a comment silences anything."""
    result = linted(QUEUE.format(first="", meta="", above=f"  annotations: {{}}\nx: {value}", end=""))
    assert ("silence-unused" in loud(result)) is is_comment


def test_a_job_speaks_for_its_pods() -> None:
    """What is wrong with what a controller made is silenced where that is made."""
    text = """\
apiVersion: v1
kind: Node
metadata: {name: small}
status: {allocatable: {cpu: 1, memory: 1Gi, pods: 10}}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: # vqs: ignore[pod-fits-no-node] larger nodes come next week
  name: train
spec:
  tasks:
    - name: worker
      replicas: 2
      template: {spec: {containers: [{name: main, image: i, resources: {requests: {cpu: 4}}}]}}
"""
    codes = frozenset({"pod-fits-no-node"})
    result = lint(read_leniently(["-"], stdin=io.BytesIO(text.encode())), LintOptions(codes=codes))
    assert result.summary.silenced == len(result.findings) > 0
