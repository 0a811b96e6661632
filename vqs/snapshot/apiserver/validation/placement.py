"""What says where pods may run: affinities, tolerations, and how pods are spread."""

from __future__ import annotations

from typing import Final

from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.metadata import labels
from vqs.snapshot.apiserver.validation.options import Options
from vqs.snapshot.apiserver.validation.rules import at_least, choice, required
from vqs.snapshot.apiserver.validation.values import (
    Faults,
    Object,
    below,
    child,
    children,
    is_given,
    number,
    text,
    texts,
)

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_LABEL_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_NODE_OPERATORS: Final = (*_LABEL_OPERATORS, "Gt", "Lt")
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_MOST_WEIGHT: Final = 100


def placement(spec: Object, options: Options) -> Faults:
    """Judge what a pod says about where it may run."""
    yield from labels(spec, "nodeSelector")
    yield from below(("affinity",), _affinity(child(spec, "affinity")))
    for index, toleration in enumerate(children(spec, "tolerations")):
        yield from below(("tolerations", index), _toleration(toleration))
    yield from _constraints(spec, options)


# --- affinities -------------------------------------------------------------------------------------------------------


def _affinity(affinity: Object) -> Faults:
    yield from below(("nodeAffinity",), _node_affinity(child(affinity, "nodeAffinity")))
    for key in ("podAffinity", "podAntiAffinity"):
        yield from below((key,), _pod_affinity(child(affinity, key)))


def _node_affinity(affinity: Object) -> Faults:
    if is_given(affinity, _REQUIRED):
        yield from below((_REQUIRED,), node_selector(child(affinity, _REQUIRED)))
    for index, term in enumerate(children(affinity, _PREFERRED)):
        path = (_PREFERRED, index)
        yield from below(path, _weight(term))
        yield from below((*path, "preference"), _node_term(child(term, "preference"), judges_values=False))


def node_selector(selector: Object) -> Faults:
    """Judge what selects nodes."""
    yield from required(selector, "nodeSelectorTerms")
    for index, term in enumerate(children(selector, "nodeSelectorTerms")):
        yield from below(("nodeSelectorTerms", index), _node_term(term, judges_values=True))


def _node_term(term: Object, *, judges_values: bool) -> Faults:
    for index, each in enumerate(children(term, "matchExpressions")):
        yield from below(("matchExpressions", index), _requirement(each, _NODE_OPERATORS, judges_values=judges_values))
    for index, each in enumerate(children(term, "matchFields")):
        yield from below(("matchFields", index), _field_requirement(each))


def _weight(term: Object) -> Faults:
    if not is_given(term, "weight"):
        yield ("weight",), "weight is missing"
    yield from at_least(term, "weight", 1, _MOST_WEIGHT)


def _requirement(requirement: Object, operators: tuple[str, ...], *, judges_values: bool) -> Faults:
    operator, values = text(requirement, "operator"), texts(requirement, "values")
    yield from required(requirement, "key", "operator")
    yield from choice(requirement, "operator", operators)
    key = text(requirement, "key")
    if key and (wrong := names.qualified_name(key)):
        yield ("key",), wrong
    if operator in ("In", "NotIn") and not values:
        yield ("values",), f"operator {operator} needs values"
    if operator in ("Exists", "DoesNotExist") and values:
        yield ("values",), f"operator {operator} takes no values"
    if operator in ("Gt", "Lt") and operator in operators and len(values) != 1:
        yield ("values",), f"operator {operator} needs one value"
    for index, value in enumerate(values if judges_values else ()):
        if wrong := names.label_value(value):
            yield ("values", index), wrong


def _field_requirement(requirement: Object) -> Faults:
    operator, values = text(requirement, "operator"), texts(requirement, "values")
    yield from required(requirement, "key", "operator")
    yield from choice(requirement, "operator", ("In", "NotIn"))
    yield from choice(requirement, "key", ("metadata.name",))
    if operator in ("In", "NotIn") and len(values) != 1:
        yield ("values",), f"operator {operator} needs one value"
    for index, value in enumerate(values):
        if wrong := names.subdomain(value):
            yield ("values", index), wrong


def _pod_affinity(affinity: Object) -> Faults:
    for index, term in enumerate(children(affinity, _REQUIRED)):
        yield from below((_REQUIRED, index), _pod_term(term))
    for index, weighted in enumerate(children(affinity, _PREFERRED)):
        path = (_PREFERRED, index)
        yield from below(path, _weight(weighted))
        yield from below((*path, "podAffinityTerm"), _pod_term(child(weighted, "podAffinityTerm")))


def _pod_term(term: Object) -> Faults:
    yield from required(term, "topologyKey")
    key = text(term, "topologyKey")
    if key and (wrong := names.qualified_name(key)):
        yield ("topologyKey",), wrong
    for selector in ("labelSelector", "namespaceSelector"):
        yield from below((selector,), label_selector(child(term, selector)))
    for index, name in enumerate(texts(term, "namespaces")):
        if wrong := names.label(name):
            yield ("namespaces", index), wrong
    yield from _label_keys(term, "matchLabelKeys")
    yield from _label_keys(term, "mismatchLabelKeys")
    yield from _selected_twice(term)
    for index, name in enumerate(texts(term, "matchLabelKeys")):
        if name in texts(term, "mismatchLabelKeys"):
            yield ("matchLabelKeys", index), f"{name} is among the mismatchLabelKeys too"


def _label_keys(term: Object, key: str) -> Faults:
    found = texts(term, key)
    if found and not is_given(term, "labelSelector"):
        yield (key,), f"{key} needs a labelSelector"
        return
    for index, name in enumerate(found):
        if wrong := names.qualified_name(name):
            yield (key, index), wrong


def _selected_twice(term: Object) -> Faults:
    """Yield keys among matchLabelKeys that the selector names: the API server adds one requirement for each itself."""
    selector = child(term, "labelSelector")
    expressions = children(selector, "matchExpressions")
    selected = {*child(selector, "matchLabels"), *(text(each, "key") for each in expressions)}
    for index, name in enumerate(texts(term, "matchLabelKeys")):
        if name in selected:
            yield ("matchLabelKeys", index), f"{name} is in the labelSelector too"


def label_selector(selector: Object) -> Faults:
    """Judge what selects by labels."""
    yield from labels(selector, "matchLabels")
    for index, each in enumerate(children(selector, "matchExpressions")):
        yield from below(("matchExpressions", index), _requirement(each, _LABEL_OPERATORS, judges_values=True))


# --- tolerations and spreading ----------------------------------------------------------------------------------------


def _toleration(toleration: Object) -> Faults:
    key, operator = text(toleration, "key"), text(toleration, "operator")
    if key and (wrong := names.qualified_name(key)):
        yield ("key",), wrong
    if not key and operator != "Exists":
        yield (), "a toleration without key needs operator Exists"
    if is_given(toleration, "tolerationSeconds") and text(toleration, "effect") != "NoExecute":
        yield ("tolerationSeconds",), "tolerationSeconds is for the effect NoExecute only"
    yield from choice(toleration, "operator", ("Exists", "Equal"))
    yield from choice(toleration, "effect", _EFFECTS)
    value = text(toleration, "value")
    if operator == "Exists" and value:
        yield ("value",), "operator Exists takes no value"
    elif operator in ("", "Equal") and (wrong := names.label_value(value)):
        yield ("value",), wrong


def _constraints(spec: Object, options: Options) -> Faults:
    seen: set[tuple[str, str]] = set()
    for index, constraint in enumerate(children(spec, "topologySpreadConstraints")):
        path = ("topologySpreadConstraints", index)
        yield from below(path, _constraint(constraint, options))
        kind = text(constraint, "topologyKey"), text(constraint, "whenUnsatisfiable")
        if kind in seen:
            yield path, f"two constraints have the topologyKey {kind[0]} and {kind[1]}"
        seen.add(kind)


def _constraint(constraint: Object, options: Options) -> Faults:
    yield from required(constraint, "topologyKey", "whenUnsatisfiable")
    yield from choice(constraint, "whenUnsatisfiable", ("DoNotSchedule", "ScheduleAnyway"))
    if (number(constraint, "maxSkew") or 0) < 1:
        yield ("maxSkew",), f"maxSkew {number(constraint, 'maxSkew') or 0} is below 1"
    yield from at_least(constraint, "minDomains", 1)
    if is_given(constraint, "minDomains") and text(constraint, "whenUnsatisfiable") != "DoNotSchedule":
        yield ("minDomains",), "minDomains is for DoNotSchedule only"
    for key in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        yield from choice(constraint, key, ("Honor", "Ignore"), empty=False)
    yield from below(("labelSelector",), label_selector(child(constraint, "labelSelector")))
    yield from _label_keys(constraint, "matchLabelKeys")
    if not options.relaxed or is_given(constraint, "matchLabelKeys"):
        yield from _selected_twice(constraint)
