"""Configurations as vendors document them run and pass lint, and what is a vendor's own is named.

Each file in `vendors` is written anew after public documentation of MindCluster, of Huawei Cloud CCE and of HAMi.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from vqs.cli.main import main
from vqs.config.known_plugins import VENDORS, vendor_of_configuration, vendor_of_image, vendor_of_plugin

FOLDER: Final = Path(__file__).parent / "vendors"
CLUSTER: Final = str(FOLDER / "cluster.yaml")
FOUND: Final = {
    "mindcluster-training": {"vendor-plugin"},
    # binpack is switched off by a flag, and conformance keeps proportion from being asked: that is so in Volcano, too.
    "mindcluster-reclaim": {"vendor-plugin", "main-flag-off", "reclaim-decided-above-queues"},
    # overcommit needs the action enqueue in any build.
    "cce-numa": {"vendor-plugin", "gate-without-enqueue"},
    "cce-load-aware": {"vendor-plugin"},
    "hami-npus": set[str](),
}
"""What lint finds in each, all of it true."""


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Run a command that writes JSON, and return it."""
    assert main([*arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def said(result: Any) -> dict[str, str]:
    """What is said beside a result, by code."""
    return {each["code"]: each["message"] for each in result["diagnostics"]}


def test_every_configuration_is_tested() -> None:
    """At least five are."""
    assert {each.stem for each in FOLDER.glob("*.conf")} == FOUND.keys()
    assert len(FOUND) >= 5


@pytest.mark.parametrize("name", FOUND)
def test_lint_finds_nothing_that_is_not_so(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No name of a vendor is taken for a misspelt one."""
    found = document(capsys, "lint", str(FOLDER / f"{name}.conf"))["findings"]
    assert {each["code"] for each in found} == FOUND[name]


@pytest.mark.parametrize("name", FOUND)
def test_sessions_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What vqs models decides, and what it does not is said once for each vendor."""
    result = document(capsys, "simulate", CLUSTER, "--conf", str(FOLDER / f"{name}.conf"))
    assert {task["node"] for task in result["tasks"]} >= {"npu-0", "npu-1"}
    unmodelled = [each for each in result["diagnostics"] if each["code"] == "unknown-plugin"]
    assert len(unmodelled) == ("vendor-plugin" in FOUND[name])


def test_pods_that_a_vendor_places_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """They are those that ask for what it hands out."""
    conf = str(FOLDER / "mindcluster-training.conf")
    notes = said(document(capsys, "simulate", CLUSTER, "--conf", conf))
    assert notes["placed-by-vendor"].startswith("default/train-worker-0 and default/train-worker-1 ask for")
    assert "huawei.com/Ascend910" in notes["placed-by-vendor"]
    assert "by plugin volcano-npu_v7.3.0_linux-aarch64" in notes["vendor-build"]


def test_pods_that_volcano_itself_places_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    """With the arguments of deviceshare, NPUs are modelled."""
    conf = str(FOLDER / "hami-npus.conf")
    assert "placed-by-vendor" not in said(
        document(capsys, "simulate", CLUSTER, "--conf", conf, "--volcano", "1.14+hami")
    )


def test_a_build_is_named_in_results(capsys: pytest.CaptureFixture[str]) -> None:
    """The release decides; the vendor's name says what it is the release of."""
    result = document(capsys, "simulate", CLUSTER, "--volcano", "v1.13.3+CCE")
    assert result["volcano"] == "1.13+cce"
    assert said(result)["vendor-build"] == "Volcano 1.13 is modelled, without what Huawei Cloud CCE adds"


def test_an_unknown_vendor_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The message has those that are known."""
    assert main(["simulate", CLUSTER, "--volcano", "1.14+acme"]) == 2
    assert "'acme' is no vendor whose builds are known; modelled: " in capsys.readouterr().err


@pytest.mark.parametrize(
    "image", ["registry.example/mindx/vc-scheduler:v1.9.0", "swr.example/hwofficial/vc-scheduler:1"]
)
def test_an_image_tells_the_vendor(image: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside a configuration without any of its plugins."""
    deployment = tmp_path / "scheduler.yaml"
    deployment.write_text(
        f"""
apiVersion: apps/v1
kind: Deployment
metadata: {{name: volcano-scheduler, namespace: volcano-system}}
spec:
  selector: {{matchLabels: {{app: volcano-scheduler}}}}
  template:
    metadata: {{labels: {{app: volcano-scheduler}}}}
    spec: {{containers: [{{name: scheduler, image: "{image}"}}]}}
""",
        encoding="utf-8",
    )
    notes = said(document(capsys, "simulate", CLUSTER, str(deployment)))
    vendor = vendor_of_image(image)
    assert vendor is not None
    assert f"this looks like a cluster of {vendor.title}, by its image" in notes["vendor-build"]


def test_labels_tell_the_vendor_where_no_configuration_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And pods ask for what it hands out; a configuration without its plugins says that another scheduler is used."""
    nodes = tmp_path / "nodes.yaml"
    nodes.write_text(
        "apiVersion: vqs/v1\nkind: Scenario\nnodes: [{name: n, cpu: 4, labels: {accelerator: huawei-Ascend910}}]\n"
        "jobs: [{name: train, resources: {huawei.com/Ascend910: 8}}]\n",
        encoding="utf-8",
    )
    assert "by label accelerator of node n" in said(document(capsys, "simulate", str(nodes)))["vendor-build"]
    plain = tmp_path / "plain.conf"
    plain.write_text('actions: "allocate"\ntiers: [{plugins: [{name: gang}, {name: predicates}]}]\n', encoding="utf-8")
    assert "vendor-build" not in said(document(capsys, "simulate", str(nodes), "--conf", str(plain)))


def test_names_belong_to_one_vendor() -> None:
    """The table has no name twice, and none of Volcano's own."""
    for name, vendor in VENDORS.items():
        for plugin in vendor.plugins:
            assert vendor_of_plugin(plugin.replace("[-_]*", "_v1").rstrip("*")) is vendor, (name, plugin)
        for configuration in vendor.configurations:
            assert vendor_of_configuration(configuration) is vendor
    assert vendor_of_plugin("nodeorder") is None
