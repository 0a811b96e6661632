"""The effective settings of two configurations."""

from __future__ import annotations

import pytest

from tests.build import CONF, gang, node, open_session, scheduler_conf
from tests.diff.sides import read_documents
from vqs.config.known_arguments import PLUGIN_ARGUMENTS
from vqs.config.scheduler_conf import FLAGS
from vqs.diff.settings import ASKED_ONLY, setting_differences
from vqs.engine.framework.dispatch import Dispatch
from vqs.engine.framework.points import Point
from vqs.engine.framework.registry import PLUGINS
from vqs.engine.framework.session import Session


def told(before: str, after: str) -> dict[str, tuple[object, object]]:
    """Return what differs between two configurations, by key."""
    confs = [read_documents([scheduler_conf(text)]).scheduler for text in (before, after)]
    return {each.key: (each.before, each.after) for each in setting_differences(*confs)}


def with_arguments(plugin: str, **arguments: object) -> str:
    """Return the usual configuration with arguments for a plugin."""
    lines = "".join(f"      {key.replace('__', '.').replace('_', '-')}: {value}\n" for key, value in arguments.items())
    return CONF.replace(f"  - name: {plugin}\n", f"  - name: {plugin}\n    arguments:\n{lines}")


def test_defaults_are_filled_in() -> None:
    """An argument that is set to what it is anyway is no difference; another value differs from the default."""
    assert told(CONF, with_arguments("overcommit", overcommit_factor=1.2)) == {}
    assert told(CONF, with_arguments("overcommit", overcommit_factor=1.5)) == {
        "overcommit.overcommit-factor": (1.2, 1.5)
    }


def test_keys_keep_the_name_of_the_plugin_once() -> None:
    """An argument that is named after its plugin is not named so twice."""
    assert told(CONF, with_arguments("binpack", binpack__weight=10)) == {"binpack.weight": (1, 10)}


def test_a_value_that_counts_as_not_given() -> None:
    """An argument of the wrong type is the default, as Volcano takes it."""
    assert told(CONF, with_arguments("binpack", binpack__weight="'ten'")) == {}


def test_flags() -> None:
    """A flag at which a plugin has a say differs; one at which it has none does not."""
    said = CONF.replace("  - name: gang\n", "  - name: gang\n    enablePreemptable: false\n")
    assert told(CONF, said) == {"gang.enablePreemptable": (True, False)}
    assert told(CONF, CONF.replace("  - name: gang\n", "  - name: gang\n    enableNodeOrder: false\n")) == {}


KEEPING_SUMS = {"network-topology-aware"}
"""Plugins that follow what is allocated, for their own answers alone."""


@pytest.mark.parametrize("plugin", sorted(ASKED_ONLY & PLUGINS.keys()))
def test_plugins_that_are_only_asked(plugin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin whose arguments have no effect without its flags does nothing but answer where a flag can forbid it."""
    points: list[Point[object]] = []
    others: list[object] = []
    monkeypatch.setattr(Dispatch, "add", lambda _, point, *__: points.append(point))
    monkeypatch.setattr(Session, "add_event_handler", lambda _, *more: others.append(more))
    conf = f"actions: allocate\ntiers:\n- plugins:\n  - name: {plugin}\n"
    open_session([node("n1"), gang("job", 1)], conf)
    assert points
    assert all(point.flag in FLAGS for point in points)
    assert bool(others) == (plugin in KEEPING_SUMS)


def test_every_plugin_with_arguments_is_judged() -> None:
    """Of each plugin that reads arguments, somebody has looked into what it does with them besides answering."""
    more = {"capacity", "deviceshare", "extender", "numa-aware", "predicates", "rescheduling", "tdm"}
    assert {name for name, arguments in PLUGIN_ARGUMENTS.items() if arguments} == ASKED_ONLY | more
    assert not ASKED_ONLY & more


def test_a_plugin_that_is_gone() -> None:
    """Of a plugin that is only on one side, its tier and what is set on it are told, and no defaults."""
    differences = told(with_arguments("binpack", binpack__cpu=5), CONF.replace("  - name: binpack\n", ""))
    assert differences.keys() == {"tiers", "binpack", "binpack.cpu"}
    assert (differences["binpack"], differences["binpack.cpu"]) == (("tier 2", None), (5, None))


def test_order_of_keys() -> None:
    """The order of the keys of a configuration means nothing; that of its plugins does."""
    lines = CONF.strip().splitlines()
    assert told(CONF, "\n".join([*lines[1:], lines[0]])) == {}
    swapped = CONF.replace("  - name: priority\n  - name: gang\n", "  - name: gang\n  - name: priority\n")
    assert list(told(CONF, swapped)) == ["tiers"]


@pytest.mark.parametrize("action", ["preempt", "allocate"])
def test_arguments_of_actions(action: str) -> None:
    """Arguments of an action differ only where the action runs."""
    more = f"{CONF}configurations:\n- name: {action}\n  arguments:\n    predicateErrorCacheEnable: false\n"
    expected = {"allocate.predicateErrorCacheEnable": (True, False)} if action == "allocate" else {}
    assert told(CONF, more) == expected


USAGE = f"{CONF}  - name: usage\n"
NODEORDER_OFF = CONF.replace("  - name: nodeorder\n", "  - name: nodeorder\n    enableNodeOrder: false\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CONF, with_arguments("binpack", binpack__weight="1.0")),
        (CONF, with_arguments("binpack", binpack__cpu=-3)),
        (CONF, with_arguments("binpack", binpack__wieght=7)),
        (CONF, with_arguments("proportion", proportion__weight=7)),
        (CONF, with_arguments("binpack", binpack__resources__gpu=7)),
        (
            with_arguments("binpack", binpack__resources="'x, y'", binpack__resources__x=2),
            with_arguments("binpack", binpack__resources="'y,x'", binpack__resources__x=2, binpack__resources__y=1),
        ),
        (CONF, with_arguments("predicates", dynamicresources__filterTimeoutSeconds=7)),
        (CONF, with_arguments("predicates", volumebinding__bindTimeoutSeconds="600.0")),
        (
            NODEORDER_OFF,
            NODEORDER_OFF.replace("Order: false\n", "Order: false\n    arguments: {imagelocality.weight: 9}\n"),
        ),
        (CONF.replace("enqueue, ", ""), with_arguments("overcommit", overcommit_factor=9).replace("enqueue, ", "")),
        (CONF, CONF.replace("tiers:\n", "tiers:\n- plugins: []\n")),
        (CONF, f"{CONF}metrics: {{adress: x}}\n"),
        (
            f"{CONF}  - name: tdm\n    arguments: {{tdm.evict.period: 60s, tdm.revocable-zone.a: '10:00-21:00'}}\n",
            f"{CONF}  - name: tdm\n    arguments: {{tdm.evict.period: 1m, tdm.revocable-zone.a: ' 10:00-21:00'}}\n",
        ),
        (USAGE, f"{USAGE}    arguments: {{thresholds: {{mem: 80, cpu: 80}}, usage.weight: 5}}\n"),
    ],
)
def test_what_has_no_effect(before: str, after: str) -> None:
    """Defaults that are written out, other spellings, and what nobody reads are no changed settings."""
    assert told(before, after) == {}
    assert told(after, before) == {}


@pytest.mark.parametrize(
    ("before", "after", "keys"),
    [
        (
            with_arguments("binpack", binpack__resources="x"),
            with_arguments("binpack", binpack__resources="x", binpack__resources__x=2),
            ["binpack.resources.x"],
        ),
        (
            f"{CONF}  - name: usage\n",
            f"{CONF}  - name: usage\n    arguments: {{thresholds: {{mem: 70}}}}\n",
            ["usage.thresholds"],
        ),
        (CONF, CONF.replace("enqueue, ", ""), ["actions"]),
        (f"{CONF}  - name: ours\n", f"{CONF}  - name: ours\n    arguments: {{x: 1}}\n", ["ours.x"]),
    ],
)
def test_what_has_an_effect(before: str, after: str, keys: list[str]) -> None:
    """What is read is a changed setting, and so is what a plugin gets of which nothing is known."""
    assert list(told(before, after)) == keys
