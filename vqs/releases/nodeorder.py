"""What releases decide differently in the plugin nodeorder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from vqs.releases.behaviour import behaviour
from vqs.releases.release import Release

_SOURCE: Final = "pkg/scheduler/plugins/nodeorder/nodeorder.go"


@dataclass(frozen=True, slots=True)
class NodeOrderBehaviours:
    """The behaviours of the plugin nodeorder."""

    node_affinity_score: Literal["sum-of-weights", "normalized"] = behaviour(
        "sum-of-weights",
        {Release.V1_15: "normalized"},
        decides="The score of preferred node affinity: the sum of the weights that hold, or that sum in percent of the "
        "highest one of a candidate.",
        why="All scores are computed and normalized for the candidates together.",
        source=_SOURCE,
    )
    hostname_spread_score: Literal["constant", "by-pods"] = behaviour(
        "constant",
        {Release.V1_15: "by-pods"},
        decides="The score of a topology spread constraint on the hostname: the same for all nodes, or by the pods on "
        "the node that the constraint selects.",
        why="Nodes were handed to the score without the pods on them.",
        source=_SOURCE,
    )
    image_locality: Literal["scored", "never-found"] = behaviour(
        "scored",
        {Release.V1_14_0: "never-found", Release.V1_14: "scored"},
        decides="Whether nodeorder prefers nodes that have the images of a pod, or finds no image on any node.",
        why="The images were lost when nodes were handed to the plugins in another form.",
        source="pkg/scheduler/framework/util.go",
    )
