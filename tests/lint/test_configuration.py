"""What the rules about the scheduler's configuration say, and what they leave alone."""

import io
import json
from pathlib import Path

import pytest

from tests.build import scheduler_conf
from tests.conformance.reading import unpacked
from tests.lint.cases import linted
from vqs.config.known_plugins import PLUGINS
from vqs.lint.registry import RULES
from vqs.lint.rule import Need
from vqs.lint.run import LintOptions, lint
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.snapshot.reading.reader import read_leniently

CODES = [code for code, rule in RULES.items() if rule.needs is Need.CONFIGURATION]
QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\nspec: {deserved: {cpu: 1}}\n"
IN_CONFIGURATION = ("$.actions", "$.tiers", "$.configurations", "$.metrics")


def messages(folder: Path, conf: str, *codes: str, manifests: str = "") -> list[str]:
    """Return the messages of what is found in a configuration."""
    (folder / "some.conf").write_text(conf)
    (folder / "some.yaml").write_text(manifests)
    paths = [str(folder / "some.yaml")] if manifests else []
    return [finding.message for finding in linted(paths, str(folder / "some.conf"), codes or CODES).findings]


def fixes(folder: Path, conf: str, code: str) -> list[str]:
    """Return what to do about what is found in a configuration."""
    (folder / "some.conf").write_text(conf)
    return [finding.help for finding in linted([], str(folder / "some.conf"), {code}).findings]


def plugins(*names: str, actions: str = "enqueue, allocate, backfill") -> str:
    """Write a configuration with one tier."""
    return f'actions: "{actions}"\ntiers:\n- plugins:\n' + "".join(f"  - {name}\n" for name in names)


def test_the_built_in_configuration(tmp_path: Path) -> None:
    """Nothing is wrong with the configuration that Volcano has by itself."""
    (tmp_path / "queue.yaml").write_text(QUEUE)

    assert linted([str(tmp_path / "queue.yaml")], None, CODES).findings == []


def test_the_built_in_configuration_written_down(tmp_path: Path) -> None:
    """Nothing is wrong with it where somebody wrote it down, either."""
    first = "".join(f"  - name: {name}\n" for name in ("priority", "gang", "conformance"))
    names = ("overcommit", "drf", "predicates", "proportion", "nodeorder", "binpack")
    second = "".join(f"  - name: {name}\n" for name in names)
    conf = f'actions: "enqueue, allocate, backfill"\ntiers:\n- plugins:\n{first}- plugins:\n{second}'

    assert messages(tmp_path, conf) == []


@pytest.mark.parametrize("family", ["backfill", "drf", "enqueue", "gang", "predicates", "proportion", "scoring"])
def test_recorded_configurations(family: str) -> None:
    """Nothing is wrong with the configurations of recorded scenarios."""
    files = sorted(unpacked("random").glob(f"{family}-*.yaml"))[:8]
    findings = [finding for file in files for finding in linted([str(file)], None, CODES).findings]

    assert files
    assert [finding.code for finding in findings if finding.path.startswith(IN_CONFIGURATION)] == []


def test_a_refused_configuration_is_not_looked_at(tmp_path: Path) -> None:
    """Where Volcano refuses the configuration, rules about it are left out, and the result says so."""
    (tmp_path / "some.conf").write_text("actions: alocate\ntiers: []\n")
    result = linted([], str(tmp_path / "some.conf"), {*CODES, "unknown-action"})

    assert [finding.code for finding in result.findings] == ["unknown-action"]
    assert any("left out" in note for note in result.notes)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("node-order", "did you mean 'nodeorder'?"),
        ("reclaim", "reclaim is an action: add it to actions"),
        ("zzz", "Correct the name"),
    ],
)
def test_unknown_plugin(tmp_path: Path, name: str, hint: str) -> None:
    """What was probably meant is said."""
    [fix] = fixes(tmp_path, plugins(f"name: {name}"), "unknown-plugin")

    assert fix.startswith(hint)


def test_plugins_of_ones_own_may_have_a_say(tmp_path: Path) -> None:
    """Nothing is said to be missing that an unknown plugin may do."""
    conf = plugins("name: mine", actions="enqueue, allocate, preempt, reclaim, shuffle, backfill")

    assert messages(tmp_path, conf, "no-starving-plugin", "evicts-nobody", "enqueue-without-gate") == []


@pytest.mark.parametrize(
    ("plugin", "message"),
    [
        (
            'name: binpack\n    arguments: {binpack.weight: "10"}',
            ('binpack.weight of plugin binpack is "10", which is not a whole number: Volcano uses the default, 1'),
        ),
        (
            "name: usage\n    arguments: {thresholds: {cpu: 80.5}}",
            "thresholds.cpu of plugin usage is 80.5, which is not a whole number: it counts as 0",
        ),
        (
            "name: tdm\n    arguments: {tdm.revocable-zone.z: always}",
            (
                'tdm.revocable-zone.z of plugin tdm is "always", which is not a span of the day such as 10:00-21:00: '
                "the zone is never open, and its preemptable pods are evicted"
            ),
        ),
        (
            "name: extender\n    arguments: {extender.predicateVerb: 1}",
            "extender.predicateVerb of plugin extender is 1, which is not text: it is ignored",
        ),
    ],
)
def test_wrong_types(tmp_path: Path, plugin: str, message: str) -> None:
    """What comes of a value of the wrong type is said."""
    assert messages(tmp_path, plugins(plugin), "wrong-argument-type", "fatal-argument") == [message]


@pytest.mark.parametrize(
    ("arguments", "hints"),
    [
        ('{binpack.weight: "10"}', ["remove the quotes"]),
        ('{binpack.weight: "ten"}', ["Write a value of the right type."]),
    ],
)
def test_quotes(tmp_path: Path, arguments: str, hints: list[str]) -> None:
    """Quotes are to be removed only where that helps."""
    assert fixes(tmp_path, plugins(f"name: binpack\n    arguments: {arguments}"), "wrong-argument-type") == hints


def test_fatal_in_a_list(tmp_path: Path) -> None:
    """A threshold that is no whole number, deep in the strategies of rescheduling, ends the scheduler."""
    arguments = "{strategies: [{name: lowNodeUtilization, params: {thresholds: {cpu: 20.5}}}]}"
    [message] = messages(tmp_path, plugins(f"name: rescheduling\n    arguments: {arguments}"), "fatal-argument")

    assert message == (
        "strategies[0].params.thresholds.cpu of plugin rescheduling is 20.5, which is not a whole number: "
        "the scheduler exits"
    )


def test_null_where_it_is_decoded(tmp_path: Path) -> None:
    """Nothing where Volcano decodes a value is nothing, and not an error."""
    conf = plugins("name: predicates\n    arguments: {volumebinding.bindTimeoutSeconds: null}")

    assert messages(tmp_path, conf, "fatal-argument", "wrong-argument-type") == []


@pytest.mark.parametrize("manifests", ["", QUEUE])
def test_capacity_without_reclaim(tmp_path: Path, manifests: str) -> None:
    """It is said where queues deserve something, or where the input has none."""
    conf = plugins("name: capacity")

    assert len(messages(tmp_path, conf, "capacity-without-reclaim", manifests=manifests)) == 1
    assert messages(tmp_path, conf, "capacity-without-reclaim", manifests=QUEUE.replace("deserved", "capability")) == []


def test_rescheduling_as_it_is_documented(tmp_path: Path) -> None:
    """Without metricsPeriod the load of nodes is looked for under a name that is never there."""
    conf = plugins("name: rescheduling", actions="enqueue, allocate, shuffle")

    assert messages(tmp_path, conf, "rescheduling-unused") == [
        "metricsPeriod is 5m, and the usage of nodes is only collected for 10m"
    ]


@pytest.mark.parametrize(
    ("metrics", "found"),
    [
        ("{type: prometheus, address: http://p}", []),
        ("{type: prometheus_adaptor}", []),
        ("{type: elasticsearch}", ["elasticsearch has no address: the usage of nodes is not read"]),
        ("{address: http://p}", ["metrics has no type: the usage of nodes is not read"]),
        (
            "{type: graphite, address: http://p}",
            ["metrics type 'graphite' does not exist: the usage of nodes is not read"],
        ),
        (
            "{type: prometheus, address: http://p, interval: 30}",
            ["interval is '30', which is not a duration: Volcano uses 30s"],
        ),
        ("{}", ["usage needs the usage of nodes, and metrics is missing: the plugin has no effect"]),
    ],
)
def test_metrics(tmp_path: Path, metrics: str, found: list[str]) -> None:
    """What is wrong with the source of metrics is said once."""
    assert messages(tmp_path, f"{plugins('name: usage')}metrics: {metrics}\n", "metrics-source") == found


def test_configurations_of_actions(tmp_path: Path) -> None:
    """Arguments of actions are looked at as those of plugins are."""
    conf = plugins("name: gang") + "configurations:\n- name: allocate\n  arguments: {predicateErrorCacheEnable: 1}\n"

    assert messages(tmp_path, conf, "wrong-argument-type") == [
        (
            "predicateErrorCacheEnable of action allocate is 1, which is not true or false: "
            "Volcano uses the default, true"
        )
    ]


@pytest.mark.parametrize("name", PLUGINS)
def test_each_plugin_alone_is_known(tmp_path: Path, name: str) -> None:
    """No plugin of Volcano is called unknown, and none of its flags without effect where it is not set."""
    assert messages(tmp_path, plugins(f"name: {name}"), "unknown-plugin", "flag-without-effect") == []


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ("enablePredicateErrorCache", "did you mean 'predicateErrorCacheEnable'?"),
        ("enableJobOrder", "it is a flag, and goes beside arguments, not under it"),
        ("color", "there are predicateErrorCacheEnable"),
    ],
)
def test_unknown_arguments(tmp_path: Path, arguments: str, hint: str) -> None:
    """What was probably meant is said, also where a guide has the name wrong (seed 002)."""
    conf = plugins("name: gang") + f"configurations:\n- name: allocate\n  arguments: {{{arguments}: false}}\n"

    assert fixes(tmp_path, conf, "unknown-argument") == [hint]


def test_unknown_resources_of_proportions(tmp_path: Path) -> None:
    """The plugin resource-strategy-fit keeps only cores and memory for a resource."""
    kept = "{nvidia.com/gpu.cpu: 4, nvidia.com/gpu.pods: 1}"
    arguments = f"{{proportional: {{enable: true, resources: nvidia.com/gpu, resourceProportion: {kept}}}}}"
    conf = plugins(f"{{name: resource-strategy-fit, arguments: {arguments}}}")

    unknown = "plugin resource-strategy-fit does not read proportional.resourceProportion.nvidia.com/gpu.pods"
    assert messages(tmp_path, conf, "unknown-argument") == [unknown]


def test_a_configuration_from_a_guide(tmp_path: Path) -> None:
    """The configuration for hierarchical queues in seed 003 does not enforce what queues deserve, and is fine else."""
    conf = (
        'actions: "enqueue, allocate, backfill"\n'
        "tiers:\n"
        "- plugins:\n"
        "  - name: priority\n"
        "  - {name: gang, enablePreemptable: false}\n"
        "  - name: conformance\n"
        "- plugins:\n"
        "  - name: overcommit\n"
        "  - {name: drf, enablePreemptable: false}\n"
        "  - name: predicates\n"
        "  - {name: capacity, enableHierarchy: true}\n"
        "  - name: nodeorder\n"
        "  - name: binpack\n"
    )

    assert messages(tmp_path, conf) == [
        "capacity is configured without the action reclaim: nothing is reclaimed from queues above their deserved share"
    ]
    assert messages(tmp_path, conf, manifests=QUEUE.replace("deserved", "capability")) == []


def test_one_plugin_names_and_several_name(tmp_path: Path) -> None:
    """The verb goes with the number of plugins."""
    for above, verb in ((("gang",), "gang selects"), (("gang", "conformance"), "gang and conformance select")):
        conf = plugins(*(f"name: {name}" for name in above), actions="allocate, reclaim")
        conf += "- plugins:\n  - name: capacity\n"
        [message] = messages(tmp_path, conf, "reclaim-decided-above-queues")
        assert message.startswith(f"where {verb} pods to reclaim, capacity in a later tier is not asked")


def test_a_configuration_on_one_line_of_json() -> None:
    """Plugins whose names differ in a digit are two findings, though both stand in one text of a JSON file."""
    conf = "actions: allocate\ntiers:\n- plugins:\n  - name: foo1\n  - name: foo2\n"
    stdin = io.BytesIO(json.dumps(scheduler_conf(conf)).encode())
    result = lint(read_leniently(["-"], stdin=stdin), LintOptions(codes=frozenset({"unknown-plugin"})))
    assert [finding.message.partition(",")[0] for finding in result.findings] == [
        "Volcano has no plugin foo1",
        "Volcano has no plugin foo2",
    ]


def test_arguments_belong_to_a_release(tmp_path: Path) -> None:
    """One that a later release brings is unknown before; a text counts as true or false in the later one."""
    path = tmp_path / "some.conf"
    path.write_text(
        plugins(
            "name: capacity\n    arguments: {ancestorReclaimLevel: 1}",
            'name: nodegroup\n    arguments: {strict: "no"}',
            'name: predicates\n    arguments: {predicate.NodePortsEnable: "false"}',
        )
    )
    options = LintOptions(frozenset({"unknown-argument", "wrong-argument-type"}))

    def found(release: Release) -> list[tuple[str, str]]:
        read = read_leniently([], str(path), release=ReleaseChoice(Build(release)))
        return [(each.code, each.path.rpartition(".arguments")[2]) for each in lint(read, options).findings]

    assert sorted(found(Release.V1_14)) == [
        ("unknown-argument", ".ancestorReclaimLevel"),
        ("wrong-argument-type", ".strict"),
        ("wrong-argument-type", '["predicate.NodePortsEnable"]'),
    ]
    assert found(Release.V1_15) == [("wrong-argument-type", ".strict")]
