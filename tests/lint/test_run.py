"""What a run of the rules puts together."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vqs.lint.outcome import FindingResult, Lint
from vqs.lint.registry import RULES
from vqs.lint.rule import ConfPlace, Evidence, Finding, LintContext, Need, Place, Rule, Severity
from vqs.lint.run import LintOptions, lint
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reach import Limits, Reach, enforced
from vqs.snapshot.reading.reader import read_leniently

QUEUES = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata:
  name: research
spec:
  weight: 1
  capability: {cpu: 10, memory: 16Gi}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata:
  name: product
spec:
  weight: 2
"""
JOB = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata:
  name: train
spec:
  minAvailable: 1
  tasks:
    - name: worker
      replicas: 3
      template:
        spec:
          containers: [{name: main, image: busybox}]
"""
CODE = "made-up"


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that puts a rule in the place of all that find something by themselves."""

    def put(check: Callable[[LintContext], Iterator[Finding]], needs: Need = Need.OBJECTS) -> None:
        rule = Rule(CODE, Severity.WARNING, "title", "Meaning.", "Why.", "Mend it.", "source", check, needs)
        others = {code: each for code, each in RULES.items() if each.check is None}
        monkeypatch.setattr("vqs.lint.run.RULES", {**others, CODE: rule})

    return put


def linted(text: str, codes: tuple[str, ...] = (CODE,)) -> Lint:
    """Look for findings in a text."""
    return lint(read_leniently(["-"], stdin=io.BytesIO(text.encode())), LintOptions(codes=frozenset(codes)))


def places(result: Lint) -> list[tuple[int | None, int | None]]:
    """Return the lines and columns of the findings."""
    return [(each.line, each.column) for each in result.findings]


def test_a_finding_has_its_place(use: Callable[..., None]) -> None:
    """It has file, line, column, path, the object and the line itself; so has its evidence."""

    def check(_: LintContext) -> Iterator[Finding]:
        evidence = Evidence("see there", Place("queues", 1, ("spec", "weight")))
        yield Finding("too much", Place("queues", 0, ("spec", "capability", "memory")), (evidence,))

    use(check)
    [finding] = linted(QUEUES).findings
    assert (finding.file, finding.line, finding.column, finding.path) == ("<stdin>", 7, 33, "$.spec.capability.memory")
    assert (finding.object, finding.severity, finding.help) == ("Queue research", "warning", "Mend it.")
    assert finding.excerpt.splitlines()[0] == "  capability: {cpu: 10, memory: 16Gi}"
    [evidence] = finding.evidence
    assert (evidence.text, evidence.line, evidence.column) == ("see there", 14, 11)


def test_a_fix_of_its_own_goes_before_that_of_the_rule(use: Callable[..., None]) -> None:
    """Where a finding can say more precisely what to do, it does."""

    def check(_: LintContext) -> Iterator[Finding]:
        yield Finding("too much", None, fix="Take 3.")

    use(check)
    [finding] = linted(QUEUES).findings
    assert (finding.help, finding.file, finding.line) == ("Take 3.", "", None)


def test_findings_are_in_the_order_of_the_file(use: Callable[..., None]) -> None:
    """Whatever the order in which they are found, they come by line and column, each once."""

    def check(_: LintContext) -> Iterator[Finding]:
        for index in (1, 0, 1):
            yield Finding("odd", Place("queues", index, ("metadata", "name")))

    use(check)
    assert places(linted(QUEUES)) == [(4, 9), (12, 9)]


def test_what_a_controller_made_is_found_at_its_maker(use: Callable[..., None]) -> None:
    """All pods of a Job are written there, so that what is wrong with each of them is said once."""

    def check(context: LintContext) -> Iterator[Finding]:
        for index, pod in enumerate(context.completed.pods):
            yield Finding(f"pod {pod.metadata.name} is odd", Place("pods", index, ("spec",)))

    use(check)
    [finding] = linted(JOB).findings
    assert (finding.message, finding.object) == ("pod train-worker-0 is odd", "Job default/train")
    assert (finding.line, finding.column) == (4, 9)


def test_values_in_the_configuration_have_a_place(use: Callable[..., None], tmp_path: Path) -> None:
    """They stand in a file of their own, or within the text of a ConfigMap; a key has a place as well."""

    def check(_: LintContext) -> Iterator[Finding]:
        yield Finding("odd", ConfPlace(("tiers", 0, "plugins", 0, "name")))
        yield Finding("odd key", ConfPlace(("tiers",), key=True))

    use(check, Need.CONFIGURATION)
    text = "# the usual\nactions: allocate\ntiers:\n- plugins:\n  - name: gang\n"
    file = tmp_path / "volcano-scheduler.conf"
    file.write_text(text, encoding="utf-8")
    lenient_read = read_leniently([], str(file))
    result = lint(lenient_read, LintOptions(codes=frozenset({CODE})))
    assert places(result) == [(3, 1), (5, 11)]
    assert result.files == [str(file)]
    indented = "".join(f"    {line}\n" for line in text.splitlines())
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\ndata:\n  volcano-scheduler.conf: |\n"
    assert places(linted(head + indented)) == [(8, 5), (10, 15)]


def test_faults_are_findings() -> None:
    """What reading finds wrong with objects is told, all of it, with its code and its object."""
    text = QUEUES.replace("weight: 1", "weight: one").replace("cpu: 10", "cpu: ten")
    found = linted(text, ("wrong-type", "invalid-quantity")).findings
    assert [(each.code, each.line, each.object) for each in found] == [
        ("wrong-type", 6, "Queue research"),
        ("invalid-quantity", 7, "Queue research"),
    ]
    assert found[0].message == "Queue research, spec.weight: expected a whole number, got the text 'one'"
    assert found[0].help == RULES["wrong-type"].fix


def test_errors_of_reading_are_told_whatever_is_looked_for(use: Callable[..., None]) -> None:
    """Input that could not be read is not sound; they are left out where that is asked for."""
    use(lambda _: iter(()))
    lenient_read = read_leniently(["-"], stdin=io.BytesIO(QUEUES.replace("weight: 1\n", "weight: one\n").encode()))
    result = lint(lenient_read, LintOptions(codes=frozenset({CODE})))
    assert ([each.code for each in result.findings], result.failed) == (["wrong-type"], True)
    assert lint(lenient_read, LintOptions(codes=frozenset({CODE}), ignored=frozenset({"wrong-type"}))).findings == []


def test_values_that_cannot_be_read_are_left_out_of_account(use: Callable[..., None]) -> None:
    """They are not in the objects, and nothing is said about them that follows from that."""

    def check(context: LintContext) -> Iterator[Finding]:
        [research, _] = context.manifests.queues
        assert research.spec.capability == {"memory": "16Gi"}
        assert research.spec.weight == 1
        for path in (
            ("spec",),
            ("spec", "capability"),
            ("spec", "capability", "cpu"),
            ("spec", "capability", "memory"),
        ):
            yield Finding("odd", Place("queues", 0, path))
        at = Place("queues", 1, ("metadata", "name"))
        yield Finding("odd", at, (Evidence("as there", Place("queues", 0, ("spec", "capability"))),))

    use(check)
    result = linted(QUEUES.replace("cpu: 10", "cpu: ten").replace("weight: 1\n", "weight: one\n"))
    assert [each.path for each in result.findings if each.code == CODE] == ["$.spec.capability.memory"]


def test_keys_that_are_given_twice_cost_no_object(use: Callable[..., None]) -> None:
    """The last value counts, and the object is there for others to refer to."""

    def check(context: LintContext) -> Iterator[Finding]:
        assert [queue.spec.weight for queue in context.manifests.queues] == [5, 2]
        yield from ()

    use(check)
    [finding] = linted(QUEUES.replace("weight: 1\n", "weight: 1\n  weight: 5\n"), (CODE, "duplicate-key")).findings
    assert (finding.code, finding.line) == ("duplicate-key", 7)


def test_a_generated_name_is_a_name(use: Callable[..., None]) -> None:
    """An object to be created with generateName is looked at like others."""

    def check(context: LintContext) -> Iterator[Finding]:
        [job] = context.manifests.volcano_jobs
        yield Finding(job.metadata.name, Place("volcano_jobs", 0, ("metadata", "generateName")))

    use(check)
    found = linted(JOB.replace("name: train", "generateName: train-"), (CODE, "missing-name", "job-denied")).findings
    assert [each.message for each in found] == ["train-00001"]


@pytest.mark.parametrize(
    ("needs", "text", "runs"),
    [
        (Need.OBJECTS, QUEUES, True),
        (Need.SESSION, QUEUES, True),
        (Need.OBJECTS, QUEUES.replace("weight: 1", "weight: one"), True),
        (Need.SESSION, QUEUES.replace("weight: 1", "weight: one"), False),
        (Need.CONFIGURATION, QUEUES.replace("weight: 1", "weight: one"), True),
        (Need.OBJECTS, QUEUES + "---\napiVersion: vqs/v1\nkind: Scenario\nqueues: [{weight: 1}]\n", False),
    ],
)
def test_rules_run_where_they_have_what_they_need(
    use: Callable[..., None], needs: Need, text: str, *, runs: bool
) -> None:
    """Where they have not, they are left out, and a note says why."""

    def check(_: LintContext) -> Iterator[Finding]:
        yield Finding("odd", None)

    use(check, needs)
    result = linted(text)
    assert [each.code for each in result.findings if each.code == CODE] == [CODE] * runs
    assert result.skipped_rules == [CODE] * (not runs)
    assert any("left out" in note for note in result.notes) is not runs


def test_too_many_pods(use: Callable[..., None]) -> None:
    """Where workloads stand for more pods than can be made, that is a finding, and no session is opened."""

    def check(_: LintContext) -> Iterator[Finding]:
        yield Finding("odd", None)

    use(check, Need.SESSION)
    with enforced(Reach(Limits(max_pods=2))):
        result = linted(JOB, (CODE, "too-many-pods"))
    assert [(each.code, each.line) for each in result.findings] == [("too-many-pods", 1)]
    assert result.skipped_rules == [CODE]


@pytest.mark.parametrize("text", ["actions: dance\n", "actions: [allocate]\n", "actions: {\n", ""])
def test_a_refused_configuration_is_a_finding(use: Callable[..., None], tmp_path: Path, text: str) -> None:
    """What Volcano would refuse is said, and rules about the configuration are left out."""

    def check(_: LintContext) -> Iterator[Finding]:
        yield Finding("odd", None)

    use(check, Need.CONFIGURATION)
    file = tmp_path / "volcano-scheduler.conf"
    file.write_text(text, encoding="utf-8")
    codes = frozenset({CODE, *(code for code, rule in RULES.items() if rule.check is None)})
    result = lint(read_leniently([], str(file)), LintOptions(codes=codes))
    [finding] = result.findings
    assert (finding.file, finding.severity) == (str(file), "error")
    assert result.skipped_rules == [CODE]


@pytest.mark.parametrize("text", ["a: [", "", "- 1\n", "apiVersion: v1\n"])
def test_what_cannot_be_read_is_no_finding(text: str) -> None:
    """Nothing can be said where it is not known what is there."""
    with pytest.raises(InputErrors):
        linted(text)


def test_remarks_on_the_input_are_notes() -> None:
    """What is worth knowing about the input as a whole is no finding."""
    result = linted(QUEUES + "---\napiVersion: v1\nkind: DaemonSet\nmetadata: {name: s}\n", ("wrong-type",))
    assert result.findings == []
    assert result.notes == ["not used: 1 DaemonSet"]


@pytest.mark.parametrize(
    ("fail_on", "failed"), [(Severity.ERROR, False), (Severity.WARNING, True), (Severity.NOTE, True)]
)
def test_how_bad_is_bad_enough(use: Callable[..., None], fail_on: Severity, *, failed: bool) -> None:
    """The whole fails where a finding is as bad as was asked for."""

    def check(_: LintContext) -> Iterator[Finding]:
        yield Finding("odd", None)

    use(check)
    lenient_read = read_leniently(["-"], stdin=io.BytesIO(QUEUES.encode()))
    assert lint(lenient_read, LintOptions(codes=frozenset({CODE}), fail_on=fail_on)).failed is failed


def _fingerprints(found: list[FindingResult]) -> list[str]:
    return [each.fingerprint for each in found]


def test_fingerprints_stay(use: Callable[..., None]) -> None:
    """They are the same where lines move or figures change, and differ between objects and values."""

    def check(context: LintContext) -> Iterator[Finding]:
        for index, queue in enumerate(context.manifests.queues):
            for key in ("weight", "capability"):
                yield Finding(f"weight {queue.spec.weight}", Place("queues", index, ("spec", key)))

    use(check)
    before = _fingerprints(linted(QUEUES).findings)
    assert len(set(before)) == 4
    assert before == _fingerprints(linted("# one\n# more\n" + QUEUES).findings)
    assert before == _fingerprints(linted(QUEUES.replace("weight: 1", "weight: 7")).findings)
