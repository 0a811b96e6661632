"""The filters that only look at the description of a node: unschedulable, node affinity, taints.

A refusal by one of them is final, so a node has one reason at most. Pods that agree in what they ask of a node share
the result, whatever their class.
References: k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable, nodeaffinity, tainttoleration.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from vqs.engine.nodes.pods import Surroundings
from vqs.engine.nodes.reasons import FITS, Codes, Reasons, distinct
from vqs.engine.nodes.selectors import FORBIDDING, UNSCHEDULABLE
from vqs.engine.nodes.table import Masks
from vqs.model.kubernetes import NodeSelector, Pod, PodSpec, Taint, Toleration
from vqs.model.selectors import tolerates, untolerated

TEMPLATE_UID = "volcano.sh/template-uid"

TOO_MANY_PODS = "node(s) pod number exceeded"
NODE_UNSCHEDULABLE = "node(s) were unschedulable"
NODE_AFFINITY = "node(s) didn't match Pod's node affinity/selector"
TAINTED = "node(s) had untolerated taint(s)"
CACHED = "plugin equivalence cache predicates failed"


@dataclass(frozen=True, slots=True, eq=False)
class StableCodes:
    """The codes of all nodes for some pods: where there is room for one more, and where there are too many already.

    Pods that agree in what they ask of a node have one in common, so that they are compared by identity. `numbers` are
    the pairs of such codes.
    """

    roomy: Codes
    crowded: Codes
    fits: Masks
    numbers: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, codes: Codes, reasons: Reasons) -> StableCodes:
        """Add the codes of crowded nodes: the number of pods is found exceeded first."""
        crowded = np.zeros_like(codes)
        numbers = {code: reasons.code(TOO_MANY_PODS, *reasons.texts(code)) for code in distinct(codes)}
        for code, number in numbers.items():
            crowded[codes == code] = number
        return cls(codes, crowded, codes == FITS, (*numbers.items(),))


class StableFilters:
    """The stable filters of a session, and their results."""

    def __init__(
        self,
        surroundings: Surroundings,
        reasons: Reasons,
        *,
        node_affinity: bool,
        taints: bool,
        taint_reason: Callable[[Taint], str],
    ) -> None:
        self._labels = surroundings.labels
        self._taints = surroundings.taints
        self._reasons = reasons
        self._node_affinity = node_affinity
        self._taints_enabled = taints
        self._taint_reason = taint_reason
        self._results: dict[Hashable, StableCodes] = {}

    def codes(self, spec: PodSpec) -> StableCodes:
        """Return the codes of all nodes for a pod."""
        key = self.key(spec)
        result = self._results.get(key)
        if result is None:
            result = self._results[key] = StableCodes.of(self._examine(spec), self._reasons)
        return result

    def key(self, spec: PodSpec) -> Hashable:
        """Return what pods of the same result have in common."""
        required = _required(spec) if self._node_affinity else None
        return (
            tuple(sorted(spec.node_selector.items())) if self._node_affinity else (),
            None if required is None else msgspec.json.encode(required),
            self._taints.tolerated(spec.tolerations),
        )

    def _examine(self, spec: PodSpec) -> Codes:
        """Find the first reason against each node; what is examined first is written last."""
        codes = self._taint_codes(spec.tolerations) if self._taints_enabled else self._fitting()
        allowed = self._labels.required(spec) if self._node_affinity else None
        if allowed is not None:
            codes[~allowed] = self._reasons.describe(NODE_AFFINITY)
        if self._taints.unschedulable.any() and not tolerates(spec.tolerations, UNSCHEDULABLE):
            codes[self._taints.unschedulable] = self._reasons.describe(NODE_UNSCHEDULABLE)
        return codes

    def _fitting(self) -> Codes:
        return np.full(len(self._taints.numbers), FITS, np.int32)

    def _taint_codes(self, tolerations: Sequence[Toleration]) -> Codes:
        if not any(self._taints.having(effect) for effect in FORBIDDING):
            return self._fitting()

        def code(taints: tuple[Taint, ...]) -> int:
            forbidding = untolerated(taints, tolerations, FORBIDDING)
            return self._reasons.describe(self._taint_reason(forbidding[0])) if forbidding else FITS

        return self._taints.each(code).astype(np.int32)


def named_taint(taint: Taint) -> str:
    """Return the reason that a taint gives, with its name."""
    return f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}"


def unnamed_taint(_: Taint) -> str:
    """Return the reason that any taint gives."""
    return TAINTED


def _required(spec: PodSpec) -> NodeSelector | None:
    affinity = spec.affinity.node_affinity if spec.affinity else None
    return affinity.required if affinity else None


class EquivalenceCache:
    """What `predicate.CacheEnable` does: a template's first pod decides for all pods of the template.

    That matters only where pods of one template differ. What was found out for the first is reused for the others,
    without its reasons.
    """

    def __init__(self, filters: StableFilters, reasons: Reasons, pods: Sequence[Pod]) -> None:
        self._filters = filters
        self._reasons = reasons
        self._first: dict[str, StableCodes] = {}
        keys: dict[str, set[Hashable]] = {}
        for pod in pods:
            uid = pod.metadata.annotations.get(TEMPLATE_UID, "")
            if uid:
                keys.setdefault(uid, set()).add(filters.key(pod.spec))
        self._mixed = {uid for uid, distinct in keys.items() if len(distinct) > 1}

    def template(self, pod: Pod) -> str | None:
        """Return a pod's template where pods of it differ, else None."""
        uid = pod.metadata.annotations.get(TEMPLATE_UID, "")
        return uid if uid in self._mixed else None

    def codes(self, pod: Pod) -> StableCodes:
        """Return the codes of all nodes for a pod, with the template's first pod's answer where there was one."""
        own = self._filters.codes(pod.spec)
        uid = self.template(pod)
        if uid is None:
            return own
        first = self._first.setdefault(uid, own)
        if first is own:
            return own
        refused = np.where(first.fits, FITS, self._reasons.code(CACHED)).astype(np.int32)
        return StableCodes.of(refused, self._reasons)
