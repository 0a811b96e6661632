"""Random small clusters."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from tests.build import gang, group, node, pod, queue


@st.composite
def clusters(draw: st.DrawFn) -> list[Any]:
    """Make small clusters with running, releasing and pending tasks."""
    rnd = random.Random(draw(st.integers(0, 10**9)))
    objects: list[Any] = [
        node(
            f"n{i}",
            cpu=rnd.randint(2, 12),
            memory=f"{rnd.randint(4, 32)}Gi",
            pods=rnd.choice([3, 110]),
            gpu=rnd.choice([0, 2]),
        )
        for i in range(rnd.randint(1, 5))
    ]
    nodes = [each["metadata"]["name"] for each in objects]
    queues = [f"q{i}" for i in range(rnd.randint(1, 3))]
    objects += [queue(name, rnd.randint(1, 5)) for name in queues]
    for number in range(rnd.randint(0, 3)):
        name = f"run{number}"
        objects.append(group(name, phase="Running", queue=rnd.choice(queues), created=number))
        objects += [
            pod(f"{name}-worker-{i}", name, rnd.randint(0, 2), node=rnd.choice(nodes), deleted=rnd.random() < 0.4)
            for i in range(rnd.randint(1, 3))
        ]
    for number in range(rnd.randint(1, 6)):
        size = rnd.randint(1, 5)
        objects.append(
            gang(
                f"job{number}",
                size,
                rnd.randint(1, size),
                rnd.choice([0, 1, 2, 3]),
                phase=rnd.choice(["Inqueue", "Pending"]),
                queue=rnd.choice(queues),
                created=10 + number,
                minResources={"cpu": size},
                requests={"nvidia.com/gpu": rnd.choice([0, 0, 1])},
                role=rnd.choice(["worker", "worker", ""]),
            )
        )
    return objects
