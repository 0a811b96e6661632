"""The Jobs of CronJobs, JobTemplates and JobFlows."""

from __future__ import annotations

import io
import json
from typing import Any

from tests.snapshot.controllers.objects import BATCH, Object, completed, make, names, read, task
from vqs.lint.run import LintOptions, lint
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.controllers.job_makers import next_runs
from vqs.snapshot.controllers.job_names import job_names
from vqs.snapshot.reading.reader import read_leniently

FLOW = "flow.volcano.sh/v1alpha1"


def template(name: str, **spec: Any) -> Object:
    """Make a JobTemplate of two workers."""
    return make("JobTemplate", name, FLOW, spec={"tasks": [task()], **spec})


def flow(*flows: Object, **metadata: Any) -> Object:
    """Make a JobFlow named daily."""
    return make("JobFlow", "daily", FLOW, metadata=metadata, spec={"flows": list(flows)})


def cron(**spec: Any) -> Object:
    """Make a CronJob named nightly, whose Jobs have two workers."""
    job = {"metadata": {"labels": {"team": "a"}}, "spec": {"tasks": [task()], **spec}}
    return make("CronJob", "nightly", BATCH, spec={"schedule": "0 3 * * *", "jobTemplate": job})


def found(*objects: Object) -> dict[str, str]:
    """Return the messages of lint by the code of the rule."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    result = lint(read_leniently(["-"], stdin=io.BytesIO(text.encode())), LintOptions())
    return {each.code: each.message for each in result.findings}


def test_a_flow_creates_the_jobs_that_wait_for_none() -> None:
    """They are named after the flow and the template, called after the flow, and the others are not there."""
    made = completed(template("a"), template("b"), flow({"name": "a"}, {"name": "b", "dependsOn": {"targets": ["a"]}}))
    assert names(made.pods) == ["daily-a-worker-0", "daily-a-worker-1"]
    assert [each.display for each in job_names(made).values()] == ["ns/daily"]
    assert "1 Job for JobFlow ns/daily" in made.notes[-3].message
    assert next(note for note in made.notes if note.code == "ignored-kinds").message == "not used: 1 JobTemplate"


def test_a_flow_stops_at_a_template_that_is_missing() -> None:
    """The Jobs before it are created, those after it are not."""
    made = completed(template("a"), template("c"), flow({"name": "a"}, {"name": "b"}, {"name": "c"}))
    assert names(made.pods) == ["daily-a-worker-0", "daily-a-worker-1"]


def test_a_flow_of_a_cluster_has_created_its_jobs() -> None:
    """Nothing is added to what a cluster has seen."""
    assert completed(template("a"), flow({"name": "a"}, uid="1")).pods == []


def test_a_job_that_would_be_denied_is_not_created() -> None:
    """A warning says which, and why."""
    manifests = read(template("a", minAvailable=3), flow({"name": "a"}))
    [warning] = [note for note in manifests.notes if note.severity == "warning"]
    assert manifests.volcano_jobs == []
    assert warning.message.startswith("JobFlow ns/daily cannot create Job daily-a: Volcano's webhook denies this Job")


def test_a_cron_job_runs_when_it_is_asked_for() -> None:
    """It adds nothing by itself; its next run has the labels of the template, and the minute in its name."""
    manifests = read(cron())
    [run] = next_runs(manifests)
    assert (complete(manifests).pods, run.maker) == ([], "CronJob ns/nightly")
    assert (run.typed.metadata.name, run.typed.metadata.labels) == ("nightly-00000000", {"team": "a"})


def test_what_makes_jobs_is_judged_by_them() -> None:
    """What the webhook would deny of a Job is found where it stands, and so is a queue that does not exist."""
    queue = make("Queue", "q", "scheduling.volcano.sh/v1beta1", spec={})
    templates = found(template("a", minAvailable=3, queue="no"), queue)
    assert "JobTemplate ns/a, spec.minAvailable: Volcano's webhook denies" in templates["job-denied"]
    assert "no" in templates["workload-on-unknown-queue"]
    runs = found(cron(minAvailable=3, queue="no"), queue)
    assert "CronJob ns/nightly, spec.minAvailable: Volcano's webhook denies" in runs["job-denied"]
    assert "no" in runs["workload-on-unknown-queue"]


def test_a_template_with_a_value_of_the_wrong_type_makes_no_job() -> None:
    """The schema finds it, and nothing else is said of a Job."""
    codes = found(template("a", minAvailable="two"))
    assert "refused-by-schema" in codes
    assert "job-denied" not in codes
