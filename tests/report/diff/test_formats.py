"""Differences in every format."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from junitparser import JUnitXml
from msgspec.structs import replace
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from tests.build import CONF, gang, node, queue
from tests.diff.sides import diff
from tests.report.test_lint import CODE_CLIMATE
from vqs.diff.conditions import parse_conditions
from vqs.diff.outcome import Diff
from vqs.diff.sentences import changes_of
from vqs.report import schema
from vqs.report.diff.annotations import annotate
from vqs.report.formats import Detail, Format, View
from vqs.report.registry import formats_of, write

MANY = [*gang("[red]", 8, 1, queue="a,b"), *gang("b", 8, 1, queue="b")]


def result_of(conditions: str = "", **options: Any) -> Diff:
    """Return a difference with one of everything: jobs, a queue, a node, settings and findings."""
    before = [node("n1", cpu=8), queue("a,b"), queue("b"), *MANY]
    after = [node("n1", cpu=8), node("n2", cpu=1, unschedulable=True), queue("a,b", 3), queue("b"), *MANY]
    other = CONF.replace("  - name: binpack\n", "")
    fail_on = parse_conditions(conditions) if conditions else ()
    made = diff(before, after, CONF, other, fail_on=fail_on, **options)
    made.after.files = ["changes/queues one.yaml", "changes/volcano.conf"]
    for each in made.findings:
        each.finding.file = "changes/volcano.conf"
    return made


RESULT = result_of()
FAILED = result_of("evictions,unplaced")
NOTHING = diff([node("n1")], [node("n1")])


def written(chosen: Format, result: Diff = RESULT, view: View = View()) -> str:  # noqa: B008 - it is frozen
    """Write a result."""
    return write(result, chosen, view)


@pytest.mark.parametrize("chosen", formats_of("Diff"))
@pytest.mark.parametrize("result", [RESULT, FAILED, NOTHING], ids=["everything", "failed", "nothing"])
def test_every_format_writes_differences(chosen: Format, result: Diff) -> None:
    """Each format has a reporter, and what it writes ends its last line, the same each time."""
    text = written(chosen, result)
    assert text == written(chosen, result)
    assert not text or text.endswith("\n") or chosen is Format.HTML


def test_json_keeps_to_its_schema() -> None:
    """The document is what its schema says."""
    validator = jsonschema.Draft202012Validator(schema.result("diff"))
    for result in (RESULT, FAILED, NOTHING):
        validator.validate(json.loads(written(Format.JSON, result)))


def sarif(result: Diff = RESULT) -> dict[str, Any]:
    """Return the only run of a log that the published schema allows."""
    log: dict[str, Any] = json.loads(written(Format.SARIF, result))
    Sarif.model_validate(log)
    [run] = log["runs"]
    return dict(run)


def test_sarif() -> None:
    """Each job, queue and setting is a result on the first file that was changed, with its rule."""
    run = sarif()
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert {"diff", "diff-placed", "diff-unplaced", "diff-queue", "diff-setting"} <= set(rules)
    job = next(each for each in run["results"] if each["ruleId"] == "diff-unplaced")
    assert job["level"] == "warning"
    assert job["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "changes/queues%20one.yaml"
    assert job["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "Job ns/b"}]
    assert rules[job["ruleIndex"]] == "diff-unplaced"
    fingerprints = [tuple(each["partialFingerprints"].values()) for each in run["results"]]
    assert len(set(fingerprints)) == len(fingerprints)


def test_sarif_of_nothing() -> None:
    """Where nothing differs, there is a run without results."""
    assert sarif(NOTHING)["results"] == []


def test_sarif_of_a_condition() -> None:
    """A condition that holds is an error, and comes first."""
    first, *_ = sarif(FAILED)["results"]
    assert (first["ruleId"], first["level"]) == ("diff-condition", "error")
    assert first["message"]["text"] == "failed: 1 unplaced job (condition: unplaced)"


def test_github() -> None:
    """Annotations name the file, with the worst first, and escape what would end a property."""
    lines = written(Format.GITHUB, FAILED).splitlines()
    place = "::error file=changes/queues one.yaml,line=1,title=diff-condition::"
    assert lines[0] == f"{place}failed: 1 unplaced job (condition: unplaced)"
    assert lines[1].startswith("::notice file=changes/queues one.yaml,line=1,title=diff::2 jobs affected")
    assert lines[2].startswith("::warning file=changes/queues one.yaml,line=1,title=diff-unplaced::ns/b: ")
    assert written(Format.GITHUB, NOTHING) == ""


def test_gitlab() -> None:
    """The report is what GitLab asks for, each issue with a fingerprint of its own."""
    report = json.loads(written(Format.GITLAB))
    jsonschema.Draft202012Validator(CODE_CLIMATE).validate(report)
    assert len({each["fingerprint"] for each in report}) == len(report)
    assert json.loads(written(Format.GITLAB, NOTHING)) == []


@pytest.mark.parametrize("result", [RESULT, FAILED, NOTHING], ids=["everything", "failed", "nothing"])
def test_junit(result: Diff) -> None:
    """With conditions, each is a case; without, it is expected that nobody is worse off and nothing is an error."""
    suites = JUnitXml.fromstring(written(Format.JUNIT, result).encode())
    tested = {case.name: not case.result for suite in suites for case in suite}
    assert suites.failures == sum(not passed for passed in tested.values())
    still = {"scheduling is not blocked": True}
    if result.fail_on:
        failed = {failure.condition for failure in result.failures}
        assert tested == still | {condition: condition not in failed for condition in result.fail_on}
    else:
        worse = [any(each.effect in ("loses", "both") for each in found) for found in (result.jobs, result.queues)]
        errors = any(each.change == "new" and each.finding.severity == "error" for each in result.findings)
        expected = ("no job is worse off", "no queue is worse off", "no new lint error")
        assert tested == still | dict(zip(expected, (not bad for bad in (*worse, errors)), strict=True))


def test_gains_are_no_failures() -> None:
    """Without conditions, a job that gets a place and a setting that changes fail nothing; a lint error does."""
    before, after = [node("n1", cpu=4), *gang("a", 8, 1)], [node("n1", cpu=8), *gang("a", 8, 1)]
    gains = diff(before, after, CONF, CONF.replace("  - name: binpack\n", ""), lint=False)
    assert (gains.failed, gains.summary.gain, gains.summary.lose, gains.summary.settings) == (True, 1, 0, 2)
    assert JUnitXml.fromstring(written(Format.JUNIT, gains).encode()).failures == 0
    faulty = diff(before, [*after, queue("lost", parent="nowhere", deserved={"cpu": "8"}, capability={"cpu": "4"})])
    [suite] = JUnitXml.fromstring(written(Format.JUNIT, faulty).encode())
    assert [case.name for case in suite if case.result] == ["no new lint error"]


def test_the_rest_is_told_where_something_was_changed() -> None:
    """The configuration comes first, then a queue and a job that say something else, then the first file."""

    def line_of_summary() -> tuple[str, int]:
        first, *_ = annotate(result, View()).annotations
        return first.at.file, first.at.line

    objects = [node("n1", cpu=4), queue("q"), *gang("a", 2, queue="q")]
    changed = [node("n1", cpu=4), queue("q", 3), *gang("a", 3, 1, queue="q")]
    result = diff(objects, changed, CONF, CONF.replace("  - name: binpack\n", ""), lint=False)
    queues, jobs = {each.name: each for each in result.queues}, {each.name: each for each in result.jobs}
    assert "request" in jobs["a"].changes
    sides = queues["q"].after, jobs["a"].after
    assert sides[0] is not None
    assert sides[1] is not None
    result.after.files = ["first.yaml"]
    assert line_of_summary() == ("first.yaml", 1)
    result.after.files, result.before.files = [], ["main:gone.yaml"]
    assert line_of_summary() == ("gone.yaml", 1)
    result.after.files = ["first.yaml"]
    sides[1].file, sides[1].line = "jobs.yaml", 7
    assert line_of_summary() == ("jobs.yaml", 7)
    sides[0].file, sides[0].line = "queues.yaml", 5
    assert line_of_summary() == ("queues.yaml", 5)
    result.after.conf_file, result.after.conf_line = "volcano.conf", 3
    assert line_of_summary() == ("volcano.conf", 3)


def test_a_removed_pod_group_is_named_after_its_job() -> None:
    """People read what the job is called in place of the PodGroup's name, which has a uid; other edits stay."""
    job = replace(RESULT.jobs[0], namespace="ml", name="web-5f3a", display_name="ml/web")
    edits = ["remove podgroup/ml/web-5f3a", "remove podgroup/ml/other", "remove queue/old"]
    result = replace(RESULT, jobs=[job], after=replace(RESULT.after, edits=edits))
    named = "remove the PodGroup of ml/web, remove podgroup/ml/other, remove queue/old"
    assert f"Edits: {named}" in written(Format.TABLE, result)
    assert named in written(Format.HTML, result)


def test_the_table_has_everything() -> None:
    """All parts are there, then the most important line and what to do next; names are taken literally."""
    text = written(Format.TABLE)
    for title in ("Settings", "Nodes", "Queues", "Jobs"):
        assert f"\n{title}\n" in text
    assert "ns/[red]" in text
    *_, answer, following = text.splitlines()
    assert answer.startswith("2 jobs affected: 1 better, 1 worse")
    assert following == "Next: vqs rule queue-limit explains what happens to ns/b, and what to do"
    assert written(Format.TABLE, FAILED).splitlines()[-2] == "failed: 1 unplaced job (condition: unplaced)"


def test_the_table_of_nothing() -> None:
    """Where nothing differs, it says so."""
    assert written(Format.TABLE, NOTHING).splitlines()[-1] == "Nothing would change"


def test_details() -> None:
    """The summary is a line; everything has the tasks."""
    for chosen in (Format.TABLE, Format.MARKDOWN):
        assert len(written(chosen, view=View(detail=Detail.SUMMARY)).splitlines()) == 1
        everything = written(chosen, view=View(detail=Detail.EVERYTHING))
        assert "Tasks" in everything
        assert "Pending → Binding" in everything


def test_on_a_terminal() -> None:
    """No line is wider than the terminal, but for a single word."""
    for line in written(Format.TABLE, view=View(width=80)).splitlines():
        assert len(line) <= 80 or len(line.split()) == 1


def test_markdown() -> None:
    """The summary comes first, then tables; what is markup in a name is code."""
    text = written(Format.MARKDOWN, FAILED)
    assert text.startswith("**2 jobs affected")
    assert "- ❌ failed: 1 unplaced job (condition: unplaced)" in text
    assert "`ns/[red]`" in text


def test_a_long_list_is_cut() -> None:
    """Of very many jobs the first are shown, and the title says how many there are."""
    jobs = [each for number in range(60) for each in gang(f"j{number:02d}", 1)]
    result = diff([node("n1", cpu=0), *jobs], [node("n1", cpu=100), *jobs], lint=False)
    assert "Jobs: the first 50 of 60 rows; -v shows all" in written(Format.TABLE, result)
    assert "ns/j59" in written(Format.TABLE, result, View(detail=Detail.EVERYTHING))


def test_luck_is_told_apart() -> None:
    """What is seen only under some ways to break ties has a part of its own."""
    result = result_of(seeds=2, lint=False)
    result.jobs[0].tie_dependent, result.jobs[0].seen_under_seeds = True, 1
    result.jobs[0].says = changes_of(result.jobs[0])
    text = written(Format.TABLE, result)
    assert "\nDepends on tie-breaking\n" in text
    assert "(depends on tie-breaking: seen under 1 way to break ties)" in text
    assert "under 2 ways to break ties" in text


def test_an_order_of_nodes_that_was_drawn_is_named() -> None:
    """Under several seeds, and under one."""
    result = result_of(lint=False)
    result.node_order_drawn, result.seeds = True, 3
    assert "under 3 ways to break ties and to order nodes" in written(Format.TABLE, result)
    result.seeds = 1
    result.after.session.seed = 4
    assert "seed 4, also for the order of nodes" in written(Format.TABLE, result)
