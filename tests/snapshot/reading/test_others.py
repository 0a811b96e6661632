"""Files that are no manifests: left out of folders, refused where they are named, rendered where that is asked for."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.build import Object, manifests
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.others import GUESSED, NOT_MODELLED
from vqs.snapshot.reading.reach import Limits, Reach, enforced
from vqs.snapshot.reading.reader import read_leniently, read_manifests

QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: %s}\nspec: {weight: 1}\n"
PATCH = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}\nspec: {queue: b}\n"
CONF = 'actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: gang\n'
VALUES = "image: x\ncustom:\n  scheduler_config_override: |\n" + "".join(f"    {line}\n" for line in CONF.splitlines())
TEMPLATE = "{{- if .Values.on }}\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}\n{{- end }}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(**files: str) -> None:
    """Write files; two underscores in a name are a slash, one a dot."""
    for name, text in files.items():
        path = Path(name.replace("__", "/").replace("_", "."))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def noted(manifests: Manifests, code: str) -> str:
    """The message of the only note of a code; empty where there is none."""
    messages = [note.message for note in manifests.notes if note.code == code]
    assert len(messages) <= 1
    return next(iter(messages), "")


def refused(*paths: str) -> list[str]:
    """What is wrong with some files."""
    with pytest.raises(InputErrors) as caught:
        read_manifests(paths)
    return [f"{each.message} ({each.help})" for each in caught.value.diagnostics if each.severity == "error"]


@pytest.mark.parametrize(
    "text",
    [
        "services:\n  web: {image: x}\n",
        json.dumps({"name": "app", "scripts": {"build": "make"}}),
        "- op: replace\n  path: /spec/replicas\n  value: 3\n",
        "just words\n",
        "# nothing but a comment\n",
        "",
        "a: !Ref b\n",
        '{"compilerOptions": {}, // a comment\n}',
        "a: b: c\n",
        "site_name: x\nnav: [a, b]\nnav: [c]\n",
    ],
)
def test_a_document_that_is_no_object(text: str) -> None:
    """In a folder, it is left out and counted, whatever it is; on the command line, it is an error."""
    write(all__queue_yaml=QUEUE % "q", all__other_yaml=text)

    manifests = read_manifests(["all"])

    assert [queue.metadata.name for queue in manifests.queues] == ["q"]
    assert noted(manifests, "left-out") == "left out: 1 document without apiVersion and kind, in all/other.yaml"
    assert refused("all/other.yaml")


def test_documents_beside_objects() -> None:
    """Of a file in a folder with some of both, the objects are read, and the others counted."""
    write(all__mixed_yaml=f"a: 1\n---\n{QUEUE % 'q'}---\nb: 2\n")

    manifests = read_manifests(["all"])

    assert len(manifests.queues) == 1
    assert noted(manifests, "left-out") == "left out: 2 documents without apiVersion and kind, in all/mixed.yaml"


def test_an_object_in_a_folder_that_lacks_its_kind() -> None:
    """What has a part of what an object has is one that is wrong, and not left out."""
    write(all__queue_yaml="apiVersion: v1\nmetadata: {name: a}\nspec: {}\n")

    [message] = refused("all")

    assert message.startswith("kind is missing")


def test_a_hidden_spelling_of_an_object() -> None:
    """An object whose keys are written with escapes is found all the same."""
    write(all__queue_yaml=(QUEUE % "q").replace("apiVersion", '"\\x61piVersion"'))

    assert len(read_manifests(["all"]).queues) == 1


def test_a_folder_with_nothing_to_read() -> None:
    """Where everything is left out, there is no snapshot, and nothing was looked at."""
    write(all__values_yaml="a: 1\n")

    assert refused("all") == ["there is no object in the input ()"]
    assert [fault.diagnostic.code for fault in read_leniently(["all"]).faults] == ["left-out"]


# --- charts -----------------------------------------------------------------------------------------------------------


def test_a_chart() -> None:
    """The files of a chart are left out as one, with the command that renders it; plain manifests in it are read."""
    write(
        app__Chart_yaml="apiVersion: v2\nname: app\nversion: 0.1.0\n",
        app__values_yaml="a: 1\n",
        app__templates__job_yaml=TEMPLATE,
        app__templates__queue_yaml=QUEUE % "fixed",
        app__charts__sub__Chart_yaml="apiVersion: v2\nname: sub\nversion: 0.1.0\n",
        app__charts__sub__templates__x_yaml=TEMPLATE,
    )

    manifests = read_manifests(["app"])

    assert [queue.metadata.name for queue in manifests.queues] == ["fixed"]
    assert noted(manifests, "not-rendered") == (
        "not rendered, and so not looked at: Helm chart app (5 files: helm template app); "
        "--render renders charts and kustomizations"
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("app/values.yaml", "this is a file of the Helm chart app, and no manifest before it is rendered"),
        ("app/templates/job.yaml", "render it: helm template app | vqs lint -"),
        ("other.yaml", "this is a Helm template, and no manifest before it is rendered"),
        ("ansible.yaml", "this is a template, and no manifest before it is rendered (render it, and give what comes"),
        ("name.yaml", "this is a Helm template"),
        ("load.yaml", "this is a Go template, and no manifest before it is rendered (render it, and give what comes"),
    ],
)
def test_a_template_that_is_named(name: str, said: str) -> None:
    """It is called what it is, with the command that renders it, and not broken YAML."""
    write(
        app__Chart_yaml="apiVersion: v2\nname: app\nversion: 0.1.0\n",
        app__values_yaml="a: 1\n",
        app__templates__job_yaml=TEMPLATE,
        other_yaml=TEMPLATE,
        ansible_yaml="{% for q in queues %}\nkind: Queue\n{% endfor %}\n",
        name_yaml=QUEUE % "'{{ .Values.queue }}'",
        load_yaml=QUEUE % "q-{{.Name}}",
    )

    [message] = refused(name)

    assert said in message


@pytest.mark.parametrize("value", ['"{{ $labels.node }} is down"', "'{{workflow.name}}'", "run-{{inputs.x}}"])
def test_braces_in_a_manifest(value: str) -> None:
    """Braces in a text of a manifest make no template of it."""
    write(a_yaml=QUEUE % "q" + f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n  a: {value}\n")

    assert len(read_manifests(["a.yaml"]).config_maps) == 1


def test_a_quote_that_is_not_closed() -> None:
    """Broken YAML is no template because of braces in a text."""
    write(a_yaml=QUEUE % "q" + "  text: '{{ template . }}\n")

    assert "not valid YAML" in refused("a.yaml")[0]


@pytest.mark.parametrize("is_chart", [True, False])
@pytest.mark.parametrize("path", ["app", "app/values.yaml"])
def test_a_configuration_in_values(path: str, *, is_chart: bool) -> None:
    """The scheduler's configuration in the values of a chart is read with its place, also by name."""
    write(app__values_yaml=VALUES.replace("allocate", "alocate"))
    if is_chart:
        write(app__Chart_yaml="apiVersion: v2\nname: app\nversion: 0.1.0\n")

    with pytest.raises(InputErrors) as caught:
        read_manifests([path])

    [error] = [each for each in caught.value.diagnostics if each.severity == "error"]
    assert (error.file, error.line, error.column) == ("app/values.yaml", 4, 24)
    assert "failed to find Action 'alocate'" in error.message


def test_values_as_the_configuration() -> None:
    """--conf takes the values of a chart, too."""
    write(queue_yaml=QUEUE % "q", values_yaml=VALUES)

    manifests = read_manifests(["queue.yaml"], "values.yaml")

    assert manifests.scheduler.actions == ("enqueue", "allocate")


# --- kustomizations ---------------------------------------------------------------------------------------------------


def test_a_kustomization() -> None:
    """Its own file and its patches are left out, and its resources are read."""
    write(
        base__kustomization_yaml="resources: [queue.yaml]\npatches: [{path: patches/job.yaml}]\n",
        base__queue_yaml=QUEUE % "q",
        base__patches__job_yaml=PATCH,
    )

    manifests = read_manifests(["base"])

    assert (len(manifests.queues), len(manifests.volcano_jobs)) == (1, 0)
    assert "kustomization base (2 files: kubectl kustomize base)" in noted(manifests, "not-rendered")


@pytest.mark.parametrize("name", ["base/kustomization.yaml", "base/patches/job.yaml"])
def test_a_part_of_a_kustomization_that_is_named(name: str) -> None:
    """It is refused with the command that makes manifests of it."""
    write(
        base__kustomization_yaml="resources: [queue.yaml]\npatchesStrategicMerge: [patches/job.yaml]\n",
        base__queue_yaml=QUEUE % "q",
        base__patches__job_yaml=PATCH,
    )

    [message] = refused(name)

    assert "kustomization" in message
    assert "kubectl kustomize base" in message


# --- rendering --------------------------------------------------------------------------------------------------------


@pytest.fixture
def programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that print a queue which tells how they were called."""
    for name in ("helm", "kubectl"):
        program = folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        named = QUEUE.replace("\n", "\\n") % "$(echo $(basename $0) $* | tr ' /' '--')"
        program.write_text(f'#!/bin/sh\nprintf "{named}"\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("programs")
def test_rendering() -> None:
    """With --render, what a chart and the topmost kustomizations are rendered to takes the place of their files."""
    write(
        all__app__Chart_yaml="apiVersion: v2\nname: app\nversion: 0.1.0\n",
        all__app__templates__job_yaml=TEMPLATE,
        all__base__kustomization_yaml="resources: [queue.yaml]\n",
        all__base__queue_yaml=QUEUE % "raw",
        all__prod__kustomization_yaml="resources: [../base]\n",
        all__plain_yaml=QUEUE % "plain",
    )

    with enforced(Reach(Limits(is_rendering=True))):
        manifests = read_manifests(["all"])

    names = sorted(queue.metadata.name for queue in manifests.queues)
    assert names == ["helm-template-all-app", "kubectl-kustomize-all-prod", "plain"]
    assert noted(manifests, "not-rendered") == ""


def test_rendering_without_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is not there is an error that says so."""
    monkeypatch.setenv("PATH", "")
    write(app__Chart_yaml="apiVersion: v2\nname: app\nversion: 0.1.0\n")

    with enforced(Reach(Limits(is_rendering=True))):
        [message] = refused("app")

    assert message.startswith("helm template app cannot be run: ")
    assert message.endswith("(install helm, or leave --render out)")


# --- what repositories repeat -----------------------------------------------------------------------------------------


def test_objects_that_a_repository_repeats() -> None:
    """Lint notes once what other folders have again, and warns of two in one folder; sessions cannot choose."""
    other = (QUEUE % "q").replace("weight: 1", "weight: 2")
    write(all__a__queue_yaml=QUEUE % "q", all__b__queue_yaml=other, all__c__queue_yaml=other.replace("2", "3"))

    found = [fault.diagnostic for fault in read_leniently(["all"]).faults]

    assert [(each.code, each.severity) for each in found] == [("duplicate-object", "note")]
    assert found[0].message.startswith("2 objects are given again in another folder, with other content, and only")
    assert len(refused("all")) == 2

    write(all__a__same_yaml=other)
    found = [fault.diagnostic for fault in read_leniently(["all/a"]).faults]
    assert [(each.code, each.severity) for each in found] == [("duplicate-object", "warning")]


def test_several_configurations_in_a_repository() -> None:
    """Lint notes that it cannot choose, as a repository may have one for each cluster; a session needs one."""
    write(all__a__values_yaml=VALUES, all__b__values_yaml=VALUES)

    read = read_leniently(["all"])

    found = [fault.diagnostic for fault in read.faults if fault.diagnostic.code == "several-configurations"]
    assert [each.severity for each in found] == ["note"]
    assert not read.has_usable_configuration
    assert "there are 2 scheduler configurations" in refused("all")[0]


def test_a_file_of_comments_about_an_object() -> None:
    """A manifest that is commented out is left out of a folder."""
    write(all__queue_yaml=QUEUE % "q", all__old_yaml="# apiVersion: v1\n# kind: Pod\n")

    assert noted(read_manifests(["all"]), "left-out").startswith("left out: 1 document")


def scheduler(image: str, kind: str = "Deployment", **labels: str) -> Object:
    """Make a Deployment or pod that runs an image."""
    spec: Object = {"containers": [{"name": "main", "image": image}]}
    metadata = {"name": f"scheduler-{kind.lower()}", "namespace": "volcano-system", "labels": labels}
    if kind == "Pod":
        return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": {"template": {"spec": spec}}}


def said(read: Manifests) -> list[tuple[str, str]]:
    """Return what is said of the release, and how severe it is."""
    return [(each.code, each.severity) for each in read.notes if each.code in (GUESSED, NOT_MODELLED)]


@pytest.mark.parametrize(
    ("image", "release", "code"),
    [
        ("docker.io/volcanosh/vc-scheduler:v1.13.3", "1.13", GUESSED),
        ("volcanosh/vc-scheduler:v1.13.2", "1.13", GUESSED),
        ("registry:5000/mirror/vc-scheduler:v1.15.0@sha256:0123", "1.15", GUESSED),
        ("volcanosh/vc-scheduler:v1.9.0", "1.12", NOT_MODELLED),
        ("volcanosh/vc-scheduler:latest", "1.14", GUESSED),
        ("volcanosh/vc-scheduler@sha256:0123", "1.14", GUESSED),
        ("registry:5000/vc-scheduler", "1.14", GUESSED),
    ],
)
@pytest.mark.parametrize("kind", ["Deployment", "Pod"])
def test_the_tag_decides(image: str, release: str, code: str, kind: str) -> None:
    """A release, the nearest one, or the default where the tag tells none; a warning where its minor is unknown."""
    read = manifests([scheduler(image, kind)])
    assert read.profile.release == release
    assert said(read) == [(code, "note" if code == GUESSED else "warning")]


def test_an_image_of_another_name_is_known_by_its_label() -> None:
    """So are the schedulers of those who build their own; other workloads tell nothing."""
    assert manifests([scheduler("own/batch:v1.13.3", app="volcano-scheduler")]).profile.release == Release.V1_13
    other = manifests([scheduler("own/vc-scheduler-tool:v1.13.3", app="train")])
    assert other.profile.release == Release.V1_14
    assert said(other) == []


def test_what_was_asked_for_wins() -> None:
    """Nothing is guessed where a scenario names the release, and what is beside the files wins over both."""
    scenario = {"apiVersion": "vqs/v1", "kind": "Scenario", "volcano": "1.15"}
    read = manifests([scheduler("vc-scheduler:v1.13.3"), scenario])
    assert (read.profile.release, said(read)) == (Release.V1_15, [])
    read.release = ReleaseChoice(Build(Release.V1_14_0))
    assert read.profile.release == Release.V1_14_0


def test_a_deployment_wins_over_pods_and_the_newest_over_others() -> None:
    """Pods of the old release still run during an upgrade."""
    pods = [scheduler("vc-scheduler:v1.13.3", "Pod"), scheduler("vc-scheduler:v1.15.1", "Pod")]
    pods[1]["metadata"]["name"] = "newer"
    assert manifests(pods).profile.release == Release.V1_15
    assert manifests([*pods, scheduler("vc-scheduler:v1.14.0")]).profile.release == Release.V1_14_0
