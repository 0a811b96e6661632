"""Pods and their templates, as the API server judges them when they are made.

References: k8s.io/kubernetes v1.34.1 pkg/apis/core/validation/validation.go (ValidatePodCreate, ValidatePodTemplate).
"""

from __future__ import annotations

from typing import Final

from vqs.snapshot.apiserver.validation import names, security
from vqs.snapshot.apiserver.validation.containers import containers
from vqs.snapshot.apiserver.validation.metadata import annotated, labels, of_pods
from vqs.snapshot.apiserver.validation.options import Options
from vqs.snapshot.apiserver.validation.placement import placement
from vqs.snapshot.apiserver.validation.rules import at_least, choice, named, once, required
from vqs.snapshot.apiserver.validation.values import (
    Faults,
    Object,
    below,
    child,
    children,
    is_given,
    is_true,
    text,
    texts,
)
from vqs.snapshot.apiserver.validation.volumes import volumes

_RESTARTS: Final = ("Always", "OnFailure", "Never")
_DNS: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTIONS: Final = ("PreemptLowerPriority", "Never")
_MOST_SERVERS: Final = 3
_MOST_SEARCHES: Final = 32
_LONGEST_SEARCH_LIST: Final = 2048
_LONGEST_HOSTNAME: Final = 64


def template_faults(template: Object, options: Options) -> Faults:
    """Judge a template of pods."""
    own = child(template, "metadata")
    yield from below(("metadata",), labels(own, "labels"))
    yield from below(("metadata",), annotated(own))
    yield from below(("metadata",), of_pods(own))
    yield from below(("spec",), spec_faults(child(template, "spec"), "", options))


def pod_faults(pod: Object, options: Options) -> Faults:
    """Judge a pod; its name and labels are judged as those of any object."""
    own, spec = child(pod, "metadata"), child(pod, "spec")
    yield from below(("metadata",), of_pods(own))
    yield from below(("spec",), spec_faults(spec, text(own, "name"), options))
    if text(spec, "nodeName") and children(spec, "schedulingGates"):
        yield ("spec", "nodeName"), "a pod with schedulingGates cannot be on a node"


def spec_faults(spec: Object, pod_name: str, options: Options) -> Faults:
    """Judge what pods are to be like; the name is that of the pod, if it has one yet."""
    if not children(spec, "containers"):
        yield ("containers",), "there are no containers"
    yield from volumes(spec, pod_name)
    yield from containers(spec, options)
    yield from placement(spec, options)
    yield from security.of_pod(spec)
    yield from _names(spec)
    yield from _lifetime(spec)
    yield from _dns(spec, options)
    yield from _aliases(spec)
    yield from _gates(spec)
    yield from _resource_claims(spec)
    yield from below(("os",), choice(child(spec, "os"), "name", ("linux", "windows")))


def _names(spec: Object) -> Faults:
    for key in ("serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"):
        yield from named(spec, key, names.subdomain)
    for key in ("hostname", "subdomain"):
        yield from named(spec, key, names.label)
    override = text(spec, "hostnameOverride")
    if not is_given(spec, "hostnameOverride"):
        return
    if wrong := names.subdomain(override):
        yield ("hostnameOverride",), wrong
    elif len(override) > _LONGEST_HOSTNAME:
        yield ("hostnameOverride",), f"hostnameOverride is longer than {_LONGEST_HOSTNAME} characters"
    for key in ("setHostnameAsFQDN", "hostNetwork"):
        if is_true(spec, key):
            yield ("hostnameOverride",), f"hostnameOverride is given, and {key} is true"


def _lifetime(spec: Object) -> Faults:
    yield from choice(spec, "restartPolicy", _RESTARTS)
    yield from choice(spec, "preemptionPolicy", _PREEMPTIONS, empty=False)
    yield from at_least(spec, "activeDeadlineSeconds", 1, names.MOST_INT32)


def _dns(spec: Object, options: Options) -> Faults:
    yield from choice(spec, "dnsPolicy", _DNS)
    config = child(spec, "dnsConfig")
    servers = texts(config, "nameservers")
    if text(spec, "dnsPolicy") == "None" and not servers:
        yield ("dnsConfig", "nameservers"), "dnsPolicy None needs nameservers in dnsConfig"
    if len(servers) > _MOST_SERVERS:
        yield ("dnsConfig", "nameservers"), f"there are {len(servers)} nameservers, {_MOST_SERVERS} are allowed"
    for index, server in enumerate(servers):
        if wrong := names.address(server):
            yield ("dnsConfig", "nameservers", index), wrong
    yield from below(("dnsConfig", "searches"), _searches(texts(config, "searches"), options))
    for index, option in enumerate(children(config, "options")):
        yield from below(("dnsConfig", "options", index), required(option, "name"))


def _searches(searches: list[str], options: Options) -> Faults:
    if len(searches) > _MOST_SEARCHES or len(" ".join(searches)) > _LONGEST_SEARCH_LIST:
        yield (), "there are too many domains to search"
    judge = names.relaxed_subdomain if options.relaxed else names.subdomain
    for index, domain in enumerate(searches):
        wrong = "" if domain == "." and options.relaxed else judge(domain.removesuffix("."))
        if wrong:
            yield (index,), wrong


def _aliases(spec: Object) -> Faults:
    for index, alias in enumerate(children(spec, "hostAliases")):
        if wrong := names.address(text(alias, "ip")):
            yield ("hostAliases", index, "ip"), wrong
        for place, name in enumerate(texts(alias, "hostnames")):
            if wrong := names.subdomain(name):
                yield ("hostAliases", index, "hostnames", place), wrong


def _gates(spec: Object) -> Faults:
    gates = children(spec, "schedulingGates")
    for index, gate in enumerate(gates):
        if wrong := names.qualified_name(text(gate, "name")):
            yield ("schedulingGates", index, "name"), wrong
    yield from below(("schedulingGates",), once([text(gate, "name") for gate in gates], "name", "schedulingGates"))
    for index, gate in enumerate(children(spec, "readinessGates")):
        if wrong := names.qualified_name(text(gate, "conditionType")):
            yield ("readinessGates", index, "conditionType"), wrong


def _resource_claims(spec: Object) -> Faults:
    claims = children(spec, "resourceClaims")
    kinds = ("resourceClaimName", "resourceClaimTemplateName")
    for index, claim in enumerate(claims):
        path = ("resourceClaims", index)
        yield from below(path, required(claim, "name"))
        yield from below(path, named(claim, "name", names.label))
        given = [key for key in kinds if is_given(claim, key)]
        if len(given) != 1:
            yield path, f"{'both' if given else 'neither'} of {' and '.join(kinds)} are given"
        for key in given:
            if wrong := names.subdomain(text(claim, key)):
                yield (*path, key), wrong
    yield from below(("resourceClaims",), once([text(claim, "name") for claim in claims], "name", "resourceClaims"))
