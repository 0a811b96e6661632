"""`vqs lint` lets in what a real API server and Volcano's webhooks let in, and nothing else."""

from __future__ import annotations

import json
from typing import Final

import pytest

from tests.conformance.reading import BESIDE, Recording, unpacked, without_copies
from vqs.lint.run import LintOptions, lint
from vqs.snapshot.reading.reader import read_leniently

SENT: Final = without_copies(
    (file, folder / "cluster.json", folder / "answers.json")
    for folder in (unpacked("webhook"), BESIDE / "conformance" / "webhook")
    for file in sorted(folder.glob("*.yaml"))
)
"""The objects, each with the cluster that it was sent to and the answers of that cluster."""


@pytest.mark.parametrize("sent", SENT, ids=lambda sent: sent[0].stem)
def test_an_object_gets_the_answer_of_the_cluster(sent: Recording) -> None:
    """It is denied by whom it was denied, and where it was accepted, nothing about it is an error."""
    file, cluster, answers = sent
    answer = json.loads(answers.read_text(encoding="utf-8"))[file.name]
    findings = lint(read_leniently([str(cluster), str(file)]), LintOptions()).findings
    own = [each for each in findings if each.file == str(file)]
    assert any(each.denied for each in own) is not answer["accepted"]
    if not answer["accepted"]:
        judge = "webhook" if answer["answer"].startswith("admission webhook") else "apiserver"
        assert judge in {each.denied for each in own}
    else:
        assert "error" not in {each.severity for each in own}
