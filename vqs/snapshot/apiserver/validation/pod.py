"""Pods and their templates, as the API server judges them when they are made.

References: k8s.io/kubernetes v1.34.1 pkg/apis/core/validation/validation.go (ValidatePodCreate, ValidatePodTemplate).
"""

from __future__ import annotations

from typing import Final

from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.containers import judge_containers
from vqs.snapshot.apiserver.validation.metadata import judge_annotations, judge_deletion_cost, judge_labels
from vqs.snapshot.apiserver.validation.placement import judge_placement
from vqs.snapshot.apiserver.validation.security import judge_pod_security
from vqs.snapshot.apiserver.validation.values import Fault, Object, Options, Part
from vqs.snapshot.apiserver.validation.volumes import judge_volumes

_MOST_SERVERS: Final = 3
_MOST_SEARCHES: Final = 32
_LONGEST_SEARCH_LIST: Final = 2048
_LONGEST_HOSTNAME: Final = 64


def template_faults(template: Object, options: Options) -> list[Fault]:
    """What is wrong with a template of pods."""
    whole = Part(template)
    own = whole.child("metadata")
    judge_labels(own, "labels")
    judge_annotations(own)
    judge_deletion_cost(own)
    _judge_spec(whole.child("spec"), "", options)
    return whole.faults


def pod_faults(pod: Object, options: Options) -> list[Fault]:
    """What is wrong with a pod; its name and labels are judged as those of any object."""
    whole = Part(pod)
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
    judge_volumes(spec, pod_name)
    judge_containers(spec, options)
    judge_placement(spec, options)
    judge_pod_security(spec)
    _names(spec)
    spec.choose("restartPolicy", ("Always", "OnFailure", "Never"))
    spec.choose("preemptionPolicy", ("PreemptLowerPriority", "Never"), empty=False)
    spec.bound("activeDeadlineSeconds", 1, names.MOST_INT32)
    _dns(spec, options)
    for alias in spec.children("hostAliases"):
        alias.refuse(names.address(alias.text("ip")), "ip")
        alias.names("hostnames", names.subdomain)
    for gate in spec.children("schedulingGates"):
        gate.refuse(names.qualified_name(gate.text("name")), "name")
    spec.unique("schedulingGates")
    for gate in spec.children("readinessGates"):
        gate.refuse(names.qualified_name(gate.text("conditionType")), "conditionType")
    kinds = ("resourceClaimName", "resourceClaimTemplateName")
    for claim in spec.children("resourceClaims"):
        claim.require("name")
        claim.name("name", names.label)
        given = claim.given(*kinds)
        if len(given) != 1:
            claim.refuse(f"{'both' if given else 'neither'} of {' and '.join(kinds)} are given")
        for key in given:
            claim.refuse(names.subdomain(claim.text(key)), key)
    spec.unique("resourceClaims")
    spec.child("os").choose("name", ("linux", "windows"))


def _names(spec: Part) -> None:
    for key in ("serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"):
        spec.name(key, names.subdomain)
    for key in ("hostname", "subdomain"):
        spec.name(key, names.label)
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
    spec.choose("dnsPolicy", ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"))
    config = spec.child("dnsConfig")
    servers, searches = config.texts("nameservers"), config.texts("searches")
    if spec.text("dnsPolicy") == "None" and not servers:
        config.refuse("dnsPolicy None needs nameservers in dnsConfig", "nameservers")
    if len(servers) > _MOST_SERVERS:
        config.refuse(f"there are {len(servers)} nameservers, {_MOST_SERVERS} are allowed", "nameservers")
    config.names("nameservers", names.address)
    if len(searches) > _MOST_SEARCHES or len(" ".join(searches)) > _LONGEST_SEARCH_LIST:
        config.refuse("there are too many domains to search", "searches")
    judge = names.relaxed_subdomain if options.relaxed else names.subdomain
    for index, domain in enumerate(searches):
        if domain != "." or not options.relaxed:
            config.refuse(judge(domain.removesuffix(".")), "searches", index)
    for option in config.children("options"):
        option.require("name")
