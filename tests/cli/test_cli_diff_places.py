"""Annotations of a comparison stand on the line that was changed."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.kubectl_dumps import QUEUE, two_queues, write_dump
from vqs.cli.main import main


@pytest.fixture
def _dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a dump into the working directory."""
    monkeypatch.chdir(tmp_path)
    write_dump(Path("dump.json"), two_queues())


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("weight: 4", "weight: 12", 6),
        ("reclaimable: true", "reclaimable: false", 7),
        ("reclaimable: true", "reclaimable: true\n  capability: {cpu: 2}", 8),
        ("weight: 4\n", "", 6),
    ],
    ids=["weight", "reclaimable", "new field", "removed field"],
)
@pytest.mark.usefixtures("_dump")
def test_the_line_that_was_changed(old: str, new: str, line: int, capsys: pytest.CaptureFixture[str]) -> None:
    """A queue is annotated where the file differs from the dump; what is removed, in the part that it is missing in."""
    Path("batch.yaml").write_text(QUEUE.replace(old, new), encoding="utf-8")
    assert main(["diff-configs", "batch.yaml", "--on", "dump.json", "--format", "github"]) == 1
    of_batch = [each for each in capsys.readouterr().out.splitlines() if "::queue batch" in each]
    assert [each.partition(",title")[0].rpartition("::")[2].partition(" ")[2] for each in of_batch] == [
        f"file=batch.yaml,line={line}"
    ]


@pytest.mark.usefixtures("_dump")
def test_what_a_queue_does_to_its_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    """A job that is worse off is annotated on the line of its queue that does it, though the configuration differs."""
    cut = QUEUE.replace("reclaimable: true", "reclaimable: true\n  capability: {cpu: 1}")
    conf = 'actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n  - name: proportion\n'
    Path("change").mkdir()
    Path("change", "batch.yaml").write_text(cut, encoding="utf-8")
    Path("change", "volcano-scheduler.conf").write_text(conf, encoding="utf-8")
    main(["diff-configs", "change", "--on", "dump.json", "--no-lint", "--format", "github"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(",title")[0] for line in lines if "title=diff-setting" in line][:1] == [
        "::notice file=change/volcano-scheduler.conf,line=1"
    ]
    assert [line.partition(",title")[0] for line in lines if "title=diff-unplaced" in line] == [
        "::warning file=change/batch.yaml,line=8"
    ]


JOB = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata:
  name: web
  namespace: ml
spec:
  minAvailable: 1
  queue: serving
  schedulerName: volcano
  tasks:
  - name: worker
    replicas: 3
    template:
      spec:
        restartPolicy: Never
        containers:
        - {name: main, image: busybox, resources: {requests: {cpu: "1"}}}
"""


@pytest.mark.usefixtures("_dump")
def test_the_line_of_a_job(capsys: pytest.CaptureFixture[str]) -> None:
    """A Job without a uid is compared with the one of the dump, whose PodGroup has the uid in its name."""
    Path("job.yaml").write_text(JOB, encoding="utf-8")
    assert main(["diff-configs", "job.yaml", "--on", "dump.json", "--format", "github", "--exit-zero"]) == 0
    of_job = [each for each in capsys.readouterr().out.splitlines() if "::ml/web: changed in its spec" in each]
    assert [each.partition(",title")[0] for each in of_job] == ["::notice file=job.yaml,line=12"]


CONF = """\
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: true
- plugins:
  - name: overcommit
    arguments:
      overcommit-factor: 1.5
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: binpack
    arguments:
      binpack.weight: 1
"""
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: volcano-scheduler-configmap
data:
  volcano-scheduler.conf: |
"""


@pytest.mark.parametrize(
    ("change", "setting", "line"),
    [
        (("allocate, backfill", "allocate, preempt, backfill"), "actions", 1),
        (("overcommit-factor: 1.5", "overcommit-factor: 2"), "overcommit.overcommit-factor", 10),
        (("enablePreemptable: true", "enablePreemptable: false"), "gang.enablePreemptable", 6),
        (("      overcommit-factor: 1.5\n", "      other: 1\n"), "overcommit.overcommit-factor", 9),
        (("    enablePreemptable: true\n", "    enableJobOrder: false\n"), "gang.enableJobOrder", 6),
        (("  - name: drf\n", ""), "drf", 2),
        (("  - name: nodeorder\n", "  - name: nodeorder\n  - name: sla\n"), "sla", 15),
    ],
    ids=["actions", "argument", "flag", "default again", "new flag", "removed plugin", "new plugin"],
)
@pytest.mark.parametrize("above", ["", CONFIG_MAP], ids=["file", "ConfigMap"])
@pytest.mark.usefixtures("_dump")
def test_the_line_of_a_setting(
    change: tuple[str, str], setting: str, line: int, above: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A setting is annotated on its line of the configuration; one that is not written there, on what lacks it."""
    suffix, margin = (".yaml", "    ") if above else (".conf", "")
    for name, text in (("old", CONF), ("new", CONF.replace(*change))):
        Path(name + suffix).write_text(above + indent(text, margin), encoding="utf-8")
    command = ["diff-configs", f"old{suffix}", f"new{suffix}", "--on", "dump.json", "--no-lint", "--format", "github"]
    assert main([*command, "--exit-zero"]) == 0
    found = [each for each in capsys.readouterr().out.splitlines() if f"::{setting}: " in each]
    assert [each.partition(" ")[2].partition(",title")[0] for each in found] == [
        f"file=new{suffix},line={line + len(above.splitlines())}"
    ]


CLUSTER = """\
apiVersion: vqs/v1
kind: Scenario
nodes:
  - {count: 2, cpu: 10}
jobs:
  - {name: low, running: 10, minAvailable: 1, cpu: 2, priority: 1}
  - {name: high, replicas: 2, cpu: 2, priority: 10}
"""


@pytest.mark.parametrize(
    ("change", "title", "line"),
    [
        (("allocate, backfill", "allocate, preempt, backfill"), "diff-evicted", 1),
        (("overcommit-factor: 1.5", "overcommit-factor: 1"), "diff-verdict", 10),
    ],
    ids=["action that evicts", "argument of what refuses"],
)
@pytest.mark.usefixtures("_dump")
def test_the_setting_behind_a_job(
    change: tuple[str, str], title: str, line: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A job is annotated on the setting that decides about it, and not on the first one that differs."""
    old = CONF.replace("enablePreemptable: true", "enablePreemptable: false")
    new = old.replace(*change).replace("- name: nodeorder", "- name: sla")
    for name, text in (("old.conf", old), ("new.conf", new), ("cluster.yaml", CLUSTER)):
        Path(name).write_text(text, encoding="utf-8")
    main(["diff-configs", "old.conf", "new.conf", "--on", "cluster.yaml", "--no-lint", "--format", "github"])
    lines = [each for each in capsys.readouterr().out.splitlines() if f"title={title}::" in each]
    assert [each.partition(" ")[2].partition(",title")[0] for each in lines] == [f"file=new.conf,line={line}"]
