"""binpack's array kernel agrees with the obvious formula."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.build import CONF, gang, group, node, open_session, pod, queue
from vqs.engine.framework import points
from vqs.engine.plugins.binpack import BinpackPlugin, resource_weights

GPU = "nvidia.com/gpu"


def conf(**arguments: object) -> str:
    """Return the usual configuration with arguments for binpack."""
    lines = "".join(f"      {name}: {value}\n" for name, value in arguments.items())
    return CONF.replace("  - name: binpack\n", f"  - name: binpack\n    arguments:\n{lines}")


def slow_score(
    request: dict[str, float], used: dict[str, float], total: dict[str, float], weights: dict[str, int]
) -> float:
    """Score one node as the definition says."""
    names = [name for name, amount in request.items() if amount and name in weights]
    score = 0.0
    for name in names:
        if total[name] == 0 or weights[name] == 0:
            continue
        if used[name] + request[name] > total[name]:
            return 0.0
        score += (used[name] + request[name]) * weights[name] / total[name]
    parts = sum(weights[name] for name in names)
    return (score / parts if parts else score) * 100


@given(
    st.lists(
        st.tuples(st.integers(1, 16), st.integers(1, 32), st.integers(0, 4), st.integers(0, 12)), min_size=1, max_size=6
    ),
    st.tuples(st.integers(0, 6), st.integers(0, 9), st.integers(0, 2)),
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)),
)
def test_scores_agree_with_the_formula(
    nodes: list[tuple[int, int, int, int]], request: tuple[int, int, int], weight: tuple[int, int, int]
) -> None:
    """On random nodes, requests and weights, every node's score is the formula's."""
    cpu, memory, gpu = request
    objects = [node(f"n{i}", cpu=c, memory=f"{m}Gi", gpu=g) for i, (c, m, g, _) in enumerate(nodes)]
    running = [pod(f"r{i}", "r", cpu=u, memory="1Gi", node=f"n{i}") for i, (_, _, _, u) in enumerate(nodes)]
    arguments = {
        "binpack.cpu": weight[0],
        "binpack.memory": weight[1],
        "binpack.resources": GPU,
        f"binpack.resources.{GPU}": weight[2],
    }
    session = open_session(
        [
            *objects,
            queue("default"),
            group("r", phase="Running"),
            *running,
            gang("j", 1, 1, cpu, memory=f"{memory}Gi", requests={GPU: gpu}),
        ],
        conf(**arguments),
    )
    plugin = next(plugin for plugin in session._opened if isinstance(plugin, BinpackPlugin))
    task_class = session.fit(session.jobs["ns/j"].tasks["j-worker-0"]).task_class
    wanted = {"cpu": cpu * 1000.0, "memory": memory * 2.0**30, GPU: gpu * 1000.0}
    weights = {"cpu": weight[0], "memory": weight[1], GPU: weight[2]}
    expected = [
        slow_score(
            wanted,
            {"cpu": u * 1000.0, "memory": 2.0**30, GPU: 0.0},
            {"cpu": c * 1000.0, "memory": m * 2.0**30, GPU: g * 1000.0},
            weights,
        )
        for c, m, g, u in nodes
    ]
    assert plugin.score(task_class, slice(None)).tolist() == expected
    assert plugin.score(task_class, np.array([len(nodes) - 1])).tolist() == expected[-1:]


def test_negative_weights_of_resources_count_as_one() -> None:
    """A negative weight is a mistake; it is read as the default."""
    session = open_session([node("n1")], conf(**{"binpack.cpu": -3}))
    option = next(o for tier in session.conf.tiers for o in tier.plugins if o.name == "binpack")
    assert resource_weights(option.arguments) == {"cpu": 1, "memory": 1}


def test_weight_zero_switches_it_off() -> None:
    """Without a weight the plugin has no say."""
    session = open_session([node("n1"), gang("j", 1)], conf(**{"binpack.weight": 0}))
    plugin = next(plugin for plugin in session._opened if isinstance(plugin, BinpackPlugin))
    assert plugin.weight == 0
    assert "binpack" not in dict(*session.plugins.by_plugin(points.NODE_ORDER)[1:])
