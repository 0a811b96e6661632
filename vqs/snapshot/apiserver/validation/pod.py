"""Pods and their templates, as the API server judges them when they are made.

References: k8s.io/kubernetes v1.34.1 pkg/apis/core/validation/validation.go (ValidatePodCreate, ValidatePodTemplate).
"""

from __future__ import annotations

from typing import Final

from vqs.model.kubernetes import PREFERRED, REQUIRED
from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.containers import judge_containers, judge_pod_security
from vqs.snapshot.apiserver.validation.metadata import judge_annotations, judge_deletion_cost, judge_labels
from vqs.snapshot.apiserver.validation.schema import Fault
from vqs.snapshot.apiserver.validation.values import Object, Options, Part
from vqs.snapshot.apiserver.validation.volumes import judge_volumes

_MOST_SERVERS: Final = 3
_MOST_SEARCHES: Final = 32
_LONGEST_SEARCH_LIST: Final = 2048
_LONGEST_HOSTNAME: Final = 64


def template_faults(template: Object, options: Options) -> list[Fault]:
    """What is wrong with a template of pods."""
    whole = Part(template, "PodTemplateSpec")
    own = whole.child("metadata")
    judge_labels(own, "labels")
    judge_annotations(own)
    judge_deletion_cost(own)
    _judge_spec(whole.child("spec"), "", options)
    return whole.faults


def pod_faults(pod: Object, options: Options) -> list[Fault]:
    """What is wrong with a pod; its name and labels are judged as those of any object."""
    whole = Part(pod, "Pod")
    own, spec = whole.child("metadata"), whole.child("spec")
    judge_deletion_cost(own)
    _judge_spec(spec, own.text("name"), options)
    if spec.text("nodeName") and spec.children("schedulingGates"):
        spec.refuse("a pod with schedulingGates cannot be on a node", "nodeName")
    return whole.faults


def _judge_spec(spec: Part, pod_name: str, options: Options) -> None:
    """Judge what pods are to be like; the name is that of the pod, if it has one yet."""
    if not spec.children("containers"):
        spec.refuse("there are no containers", "containers")
    spec.judge()
    judge_volumes(spec, pod_name)
    judge_containers(spec, options)
    judge_placement(spec, options)
    judge_pod_security(spec)
    _names(spec)
    _dns(spec, options)
    for alias in spec.children("hostAliases"):
        alias.refuse(names.address(alias.text("ip")), "ip")
    for gate in spec.children("schedulingGates"):
        gate.refuse(names.qualified_name(gate.text("name")), "name")
    spec.unique("schedulingGates")
    for gate in spec.children("readinessGates"):
        gate.refuse(names.qualified_name(gate.text("conditionType")), "conditionType")
    kinds = ("resourceClaimName", "resourceClaimTemplateName")
    for claim in spec.children("resourceClaims"):
        given = claim.given(*kinds)
        if len(given) != 1:
            claim.refuse(f"{'both' if given else 'neither'} of {' and '.join(kinds)} are given")
        for key in given:
            claim.refuse(names.subdomain(claim.text(key)), key)
    spec.unique("resourceClaims")


def _names(spec: Part) -> None:
    if not spec.given("hostnameOverride"):
        return
    override = spec.text("hostnameOverride")
    if wrong := names.subdomain(override):
        spec.refuse(wrong, "hostnameOverride")
    elif len(override) > _LONGEST_HOSTNAME:
        spec.refuse(f"hostnameOverride is longer than {_LONGEST_HOSTNAME} characters", "hostnameOverride")
    for key in ("setHostnameAsFQDN", "hostNetwork"):
        if spec.is_true(key):
            spec.refuse(f"hostnameOverride is given, and {key} is true", "hostnameOverride")


def _dns(spec: Part, options: Options) -> None:
    config = spec.child("dnsConfig")
    servers, searches = config.texts("nameservers"), config.texts("searches")
    if spec.text("dnsPolicy") == "None" and not servers:
        config.refuse("dnsPolicy None needs nameservers in dnsConfig", "nameservers")
    if len(servers) > _MOST_SERVERS:
        config.refuse(f"there are {len(servers)} nameservers, {_MOST_SERVERS} are allowed", "nameservers")
    if len(searches) > _MOST_SEARCHES or len(" ".join(searches)) > _LONGEST_SEARCH_LIST:
        config.refuse("there are too many domains to search", "searches")
    judge = names.relaxed_subdomain if options.relaxed else names.subdomain
    for index, domain in enumerate(searches):
        if domain != "." or not options.relaxed:
            config.refuse(judge(domain.removesuffix(".")), "searches", index)


# --- affinities, tolerations, and how pods are spread -----------------------------------------------------------------


_NODE_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


def judge_placement(spec: Part, options: Options) -> None:
    """Judge what a pod says about where it may run."""
    judge_labels(spec, "nodeSelector")
    affinity = spec.child("affinity")
    _node_affinity(affinity.child("nodeAffinity"))
    for key in ("podAffinity", "podAntiAffinity"):
        pods = affinity.child(key)
        for term in pods.children(REQUIRED):
            _pod_term(term)
        for weighted in pods.children(PREFERRED):
            term = weighted.child("podAffinityTerm")
            _weight(weighted)
            if not weighted.given("podAffinityTerm"):
                term.judge()  # it lacks what has to be in it
            _pod_term(term)
    for toleration in spec.children("tolerations"):
        _toleration(toleration)
    seen: set[tuple[str, str]] = set()
    for constraint in spec.children("topologySpreadConstraints"):
        _constraint(constraint, options)
        kind = constraint.text("topologyKey"), constraint.text("whenUnsatisfiable")
        if kind in seen:
            constraint.refuse(f"two constraints have the topologyKey {kind[0]} and {kind[1]}")
        seen.add(kind)


# --- affinities -------------------------------------------------------------------------------------------------------


def _node_affinity(affinity: Part) -> None:
    if affinity.given(REQUIRED):
        for term in affinity.child(REQUIRED).children("nodeSelectorTerms"):
            _node_term(term, judges_values=True)
    for term in affinity.children(PREFERRED):
        _weight(term)
        _node_term(term.child("preference"), judges_values=False)


def _node_term(term: Part, *, judges_values: bool) -> None:
    for each in term.children("matchExpressions"):
        each.choose("operator", _NODE_OPERATORS)
        if each.text("operator") in ("Gt", "Lt") and len(each.texts("values")) != 1:
            each.refuse(f"operator {each.text('operator')} needs one value", "values")
        _requirement(each, judges_values=judges_values)
    for each in term.children("matchFields"):
        operator = each.text("operator")
        each.choose("operator", ("In", "NotIn"))
        each.choose("key", ("metadata.name",))
        if operator in ("In", "NotIn") and len(each.texts("values")) != 1:
            each.refuse(f"operator {operator} needs one value", "values")
        each.names("values", names.subdomain)


def _weight(term: Part) -> None:
    if not term.given("weight"):
        term.refuse("weight is missing", "weight")


def _requirement(requirement: Part, *, judges_values: bool = True) -> None:
    operator, values = requirement.text("operator"), requirement.texts("values")
    requirement.name("key", names.qualified_name)
    if operator in ("In", "NotIn") and not values:
        requirement.refuse(f"operator {operator} needs values", "values")
    if operator in ("Exists", "DoesNotExist") and values:
        requirement.refuse(f"operator {operator} takes no values", "values")
    if judges_values:
        requirement.names("values", names.label_value)


def _pod_term(term: Part) -> None:
    for selector in ("labelSelector", "namespaceSelector"):
        _label_selector(term.child(selector))
    _label_keys(term, "matchLabelKeys")
    _label_keys(term, "mismatchLabelKeys")
    _selected_twice(term)
    for index, name in enumerate(term.texts("matchLabelKeys")):
        if name in term.texts("mismatchLabelKeys"):
            term.refuse(f"{name} is among the mismatchLabelKeys too", "matchLabelKeys", index)


def _label_keys(term: Part, key: str) -> None:
    if term.texts(key) and not term.given("labelSelector"):
        term.refuse(f"{key} needs a labelSelector", key)
    else:
        term.names(key, names.qualified_name)


def _selected_twice(term: Part) -> None:
    """Refuse keys among matchLabelKeys that the selector names: the API server adds one requirement for each itself."""
    selector = term.child("labelSelector")
    expressions = selector.children("matchExpressions")
    selected = {*selector.child("matchLabels").value, *(each.text("key") for each in expressions)}
    for index, name in enumerate(term.texts("matchLabelKeys")):
        if name in selected:
            term.refuse(f"{name} is in the labelSelector too", "matchLabelKeys", index)


def _label_selector(selector: Part) -> None:
    judge_labels(selector, "matchLabels")
    for each in selector.children("matchExpressions"):
        _requirement(each)


# --- tolerations and spreading ----------------------------------------------------------------------------------------


def _toleration(toleration: Part) -> None:
    key, operator, value = toleration.text("key"), toleration.text("operator"), toleration.text("value")
    if not key and operator != "Exists":
        toleration.refuse("a toleration without key needs operator Exists")
    if toleration.given("tolerationSeconds") and toleration.text("effect") != "NoExecute":
        toleration.refuse("tolerationSeconds is for the effect NoExecute only", "tolerationSeconds")
    if operator == "Exists" and value:
        toleration.refuse("operator Exists takes no value", "value")
    elif operator in ("", "Equal"):
        toleration.refuse(names.label_value(value), "value")


def _constraint(constraint: Part, options: Options) -> None:
    if constraint.number("maxSkew") is None:
        constraint.refuse("maxSkew 0 is below 1", "maxSkew")
    if constraint.given("minDomains") and constraint.text("whenUnsatisfiable") != "DoNotSchedule":
        constraint.refuse("minDomains is for DoNotSchedule only", "minDomains")
    _label_selector(constraint.child("labelSelector"))
    _label_keys(constraint, "matchLabelKeys")
    if not options.relaxed or constraint.given("matchLabelKeys"):
        _selected_twice(constraint)
