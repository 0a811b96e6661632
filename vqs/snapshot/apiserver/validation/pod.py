"""Pods and their templates, as the API server judges them when they are made, with their containers and volumes.

The names of containers and what they request are judged elsewhere, by `vqs.lint`.

References: k8s.io/kubernetes v1.34.1 pkg/apis/core/validation/validation.go (ValidatePodCreate, ValidatePodTemplate).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from vqs.model.kubernetes import PREFERRED, REQUIRED
from vqs.model.quantity import QuantityError, parse, whole_number
from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.schema import Fault, Object, Options, Part

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
    config = spec.child("dnsConfig")
    servers, searches = config.texts("nameservers"), config.texts("searches")
    if spec.text("dnsPolicy") == "None" and not servers:
        config.refuse("dnsPolicy None needs nameservers in dnsConfig", "nameservers")
    if len(servers) > _MOST_SERVERS:
        config.refuse(f"there are {len(servers)} nameservers, {_MOST_SERVERS} are allowed", "nameservers")
    if len(searches) > _MOST_SEARCHES or len(" ".join(searches)) > _LONGEST_SEARCH_LIST:
        config.refuse("there are too many domains to search", "searches")
    judge = names.search_domain if options.relaxed else names.subdomain
    for index, domain in enumerate(searches):
        if domain != "." or not options.relaxed:
            config.refuse(judge(domain.removesuffix(".")), "searches", index)
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


# --- affinities, tolerations, and how pods are spread -----------------------------------------------------------------


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
        key, operator, value = toleration.text("key"), toleration.text("operator"), toleration.text("value")
        for steps, wrong in names.toleration_faults(key, operator, value):
            toleration.refuse(wrong, *steps)
        if toleration.given("tolerationSeconds") and toleration.text("effect") != "NoExecute":
            toleration.refuse("tolerationSeconds is for the effect NoExecute only", "tolerationSeconds")
        if operator in ("", "Equal"):
            toleration.refuse(names.label_value(value), "value")
    seen: set[tuple[str, str]] = set()
    for constraint in spec.children("topologySpreadConstraints"):
        if constraint.number("maxSkew") is None:
            constraint.refuse("maxSkew 0 is below 1", "maxSkew")
        if constraint.given("minDomains") and constraint.text("whenUnsatisfiable") != "DoNotSchedule":
            constraint.refuse("minDomains is for DoNotSchedule only", "minDomains")
        _label_selector(constraint.child("labelSelector"))
        _label_keys(constraint, "matchLabelKeys")
        if not options.relaxed or constraint.given("matchLabelKeys"):
            _selected_twice(constraint)
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
        each.choose("operator", names.NODE_OPERATORS)
        _requirement(each, judges_values=judges_values, compares=True)
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


def _requirement(requirement: Part, *, judges_values: bool = True, compares: bool = False) -> None:
    requirement.name("key", names.qualified_name)
    operator, values = requirement.text("operator"), requirement.texts("values")
    requirement.refuse(names.number_of_values(operator, values, compares=compares), "values")
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


# --- containers -------------------------------------------------------------------------------------------------------

_ALWAYS: Final = "Always"


def judge_containers(spec: Part, options: Options) -> None:
    """Judge all containers of a pod."""
    containers = spec.children("containers")
    for container in containers:
        _container(container, spec, options)
        _running(container, spec, options)
        if container.given("restartPolicy"):
            container.refuse("only init containers have a restartPolicy of their own", "restartPolicy")
    _host_ports(containers, own_only=spec.is_true("hostNetwork"))
    for container in spec.children("initContainers"):
        _container(container, spec, options)
        _host_ports([container])
        container.choose("restartPolicy", (_ALWAYS,), empty=False)
        if container.text("restartPolicy") == _ALWAYS:
            _running(container, spec, options)
            continue
        for key in container.given(*_PROBES, "lifecycle"):
            container.refuse(f"{key} is for init containers with restartPolicy Always only", key)
    if spec.children("ephemeralContainers"):
        spec.refuse("ephemeralContainers come into running pods only", "ephemeralContainers")


def _container(container: Part, spec: Part, options: Options) -> None:
    image = container.text("image")
    if options.is_pod and image != image.strip():
        container.refuse(f"the image {image!r} begins or ends with a blank", "image")
    _ports(container)
    _environment(container, options)
    judge_mounts(container, spec)
    seen: set[str] = set()
    for policy in container.children("resizePolicy"):
        name = policy.text("resourceName")
        if spec.text("restartPolicy") == "Never" and policy.text("restartPolicy") == "RestartContainer":
            policy.refuse("a pod with restartPolicy Never restarts no container", "restartPolicy")
        if name in seen:
            policy.refuse(f"two policies are for {name}", "resourceName")
        seen.add(name)
    context = container.child("securityContext")
    _ids(context, "runAsUser", "runAsGroup")
    _profiles(context)
    if context.text("procMount") == "Unmasked" and spec.value.get("hostUsers") is not False:
        context.refuse("Unmasked needs hostUsers: false", "procMount")
    if context.value.get("allowPrivilegeEscalation") is False:
        key = "allowPrivilegeEscalation"
        if context.is_true("privileged"):
            context.refuse(f"{key} is false, and privileged is true", key)
        if "CAP_SYS_ADMIN" in context.child("capabilities").texts("add"):
            context.refuse(f"{key} is false, and CAP_SYS_ADMIN is added", key)
    known = {claim.text("name") for claim in spec.children("resourceClaims")}
    claimed: set[tuple[str, str]] = set()
    for claim in container.child("resources").children("claims"):
        name, request = claim.text("name"), claim.text("request")
        if not name:
            claim.refuse("name is missing", "name")
        elif name not in known:
            claim.refuse(f"there is no resourceClaim {name!r} in the pod", "name")
        elif {(name, request), (name, "")} & claimed or (not request and any(each == name for each, _ in claimed)):
            claim.refuse(f"the claim {name} is named twice", "name")
        claim.name("request", names.label)
        claimed.add((name, request))


def _ports(container: Part) -> None:
    seen: set[str] = set()
    for port in container.children("ports"):
        name = port.text("name")
        if name and name in seen:
            port.refuse(f"two ports of the container are called {name}", "name")
        seen.add(name)
        if not port.number("containerPort"):
            port.refuse("containerPort is missing", "containerPort")
        for key in ("containerPort", "hostPort"):
            if number := port.number(key):
                port.refuse(names.port_number(number), key)


def _host_ports(containers: Sequence[Part], *, own_only: bool = False) -> None:
    """Refuse the ports of the node that some containers want twice, and those that have to be the container's own."""
    seen: set[tuple[str, str, int]] = set()
    for port in (port for container in containers for port in container.children("ports")):
        hosts, own = port.number("hostPort"), port.number("containerPort")
        if not hosts:
            continue
        wanted = port.text("protocol") or "TCP", port.text("hostIP"), hosts
        if wanted in seen:
            port.refuse(f"the hostPort {hosts} is asked for twice", "hostPort")
        seen.add(wanted)
        if own_only and hosts != own:
            port.refuse(f"with hostNetwork, the hostPort {hosts} has to be the containerPort, {own}", "hostPort")


# --- variables --------------------------------------------------------------------------------------------------------

_VARIABLE_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef")
_VARIABLE_FIELDS: Final = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"),
    *("status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"),
)


def _environment(container: Part, options: Options) -> None:
    judge = names.relaxed_variable_name if options.relaxed else names.variable_name
    for variable in container.children("env"):
        variable.name("name", judge)
        if variable.given("valueFrom"):
            value_from = variable.child("valueFrom")
            value_from.one_given(_VARIABLE_SOURCES, "valueFrom")
            if variable.text("value"):
                variable.refuse("value and valueFrom are both given", "valueFrom")
            if value_from.given("fieldRef"):
                judge_field_reference(value_from.child("fieldRef"), _VARIABLE_FIELDS)
            if value_from.given("resourceFieldRef"):
                judge_resource_reference(value_from.child("resourceFieldRef"))
    for source in container.children("envFrom"):
        source.name("prefix", judge)
        source.one_given(("configMapRef", "secretRef"), "envFrom")


# --- what runs --------------------------------------------------------------------------------------------------------

_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_DEFAULT_GRACE: Final = 30


def _running(container: Part, spec: Part, options: Options) -> None:
    """Judge the probes of a container, and what is run when it starts or stops."""
    for kind in container.given(*_PROBES):
        probe = container.child(kind)
        probe.judge()
        probe.one_given(("exec", "httpGet", "tcpSocket", "grpc"), "the probe")
        _handler(probe)
        if kind != "readinessProbe" and probe.number("successThreshold") not in (None, 0, 1):
            probe.refuse(f"the successThreshold of a {kind} has to be 1", "successThreshold")
        period = "terminationGracePeriodSeconds"
        seconds = probe.number(period)
        if kind == "readinessProbe" and seconds is not None:
            probe.refuse(f"a readinessProbe has no {period}", period)
        elif seconds is not None and seconds < 1:
            probe.refuse(f"{period} {seconds} is below 1", period)
    hooks = container.child("lifecycle")
    hooks.judge()
    grace = spec.number("terminationGracePeriodSeconds")
    grace = _DEFAULT_GRACE if grace is None else grace
    least = 0 if options.relaxed else 1
    for key in hooks.given("postStart", "preStop"):
        hook = hooks.child(key)
        hook.one_given(("exec", "httpGet", "tcpSocket", "sleep"), key)
        _handler(hook)
        seconds = hook.child("sleep").number("seconds") or 0
        if hook.given("sleep") and not least <= seconds <= grace:
            message = f"{seconds} is not from {least} to the terminationGracePeriodSeconds, {grace}"
            hook.refuse(message, "sleep", "seconds")


def _handler(handler: Part) -> None:
    for key in handler.given("httpGet", "tcpSocket", "grpc"):
        action = handler.child(key)
        port = action.value.get("port", 0)
        wrong = names.port_name(port) if isinstance(port, str) else names.port_number(action.number("port") or 0)
        action.refuse(wrong, "port")
        if key == "httpGet":
            for header in action.children("httpHeaders"):
                header.refuse(names.header_name(header.text("name")), "name")


# --- security ---------------------------------------------------------------------------------------------------------


_PROFILES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_NETWORK: Final = ("net.",)
_IPC: Final = ("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")


def judge_pod_security(spec: Part) -> None:
    """Judge the securityContext of a pod, and what it shares with its node."""
    context = spec.child("securityContext")
    _ids(context, "runAsUser", "runAsGroup", "fsGroup")
    groups = context.value.get("supplementalGroups")
    for index, group in enumerate(groups if isinstance(groups, list) else ()):
        if isinstance(group, int):
            context.refuse(names.user_id(group), "supplementalGroups", index)
    _profiles(context)
    seen: set[str] = set()
    for parameter in context.children("sysctls"):
        name = parameter.text("name")
        wrong = names.sysctl(name) if name else "name is missing"
        wrong = wrong or (f"{name} is given twice" if name in seen else "")
        for key, groups in (("hostNetwork", _NETWORK), ("hostIPC", _IPC)):
            if not wrong and spec.is_true(key) and name.replace("/", ".").startswith(groups):
                wrong = f"{name} cannot be set where {key} is true"
        parameter.refuse(wrong, "name")
        seen.add(name)
    if spec.is_true("shareProcessNamespace") and spec.is_true("hostPID"):
        spec.refuse("shareProcessNamespace and hostPID are both true", "shareProcessNamespace")
    if spec.value.get("hostUsers") is False:
        for key in ("hostNetwork", "hostPID", "hostIPC"):
            if spec.is_true(key):
                spec.refuse(f"{key} is true, and hostUsers is false", key)


def _ids(context: Part, *keys: str) -> None:
    for key in keys:
        found = context.number(key)
        if found is not None:
            context.refuse(names.user_id(found), key)


def _profiles(context: Part) -> None:
    for key in context.given("seccompProfile", "appArmorProfile"):
        profile, is_path = context.child(key), key == "seccompProfile"
        local, kind = profile.value.get("localhostProfile"), profile.text("type")
        wrong = ""
        if kind != "Localhost":
            if local is not None and (is_path or kind in _PROFILES):
                wrong = "localhostProfile is for the type Localhost only"
        elif local is None or (not is_path and not str(local).strip()):
            wrong = "localhostProfile is missing"
        elif is_path:
            wrong = names.local_path(str(local))
        elif str(local) != str(local).strip():
            wrong = "localhostProfile begins or ends with a blank"
        profile.refuse(wrong, "localhostProfile")


# --- volumes ----------------------------------------------------------------------------------------------------------

_ACCESS_MODES: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_PROJECTIONS: Final = ("secret", "downwardAPI", "configMap", "serviceAccountToken", "clusterTrustBundle")
_FIELDS: Final = (*("metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.annotations"),)
_AMOUNTS: Final = tuple(
    f"{side}.{resource}" for side in ("limits", "requests") for resource in ("cpu", "memory", "ephemeral-storage")
)
_PAGES: Final = ("limits.hugepages-", "requests.hugepages-")
_WITH_KEYS: Final = ("metadata.annotations", "metadata.labels")


def judge_volumes(spec: Part, pod_name: str) -> None:
    """Judge the volumes of a pod; one without a source is an empty folder."""
    seen: set[str] = set()
    volumes = spec.children("volumes")
    made = {f"{pod_name}-{each.text('name')}" for each in volumes if each.given("ephemeral")}
    for volume in volumes:
        name = volume.text("name")
        given = [key for key, value in volume.value.items() if key != "name" and value is not None]
        for key in given[1:]:
            volume.refuse(f"the volume has both {given[0]} and {key}", key)
        if given:
            source = volume.child(given[0])
            source.judge()
            if given[0] in _SOURCES:
                _SOURCES[given[0]](source)
        if name and name in seen:
            volume.refuse(f"two volumes are called {name}", "name")
        if pod_name and volume.child("persistentVolumeClaim").text("claimName") in made:
            message = "the claim is the one that is made for an ephemeral volume of the pod"
            volume.refuse(message, "persistentVolumeClaim", "claimName")
        seen.add(name)


def _empty_dir(source: Part) -> None:
    try:
        if parse(source.value.get("sizeLimit") or 0) < 0:
            source.refuse("the sizeLimit is less than zero", "sizeLimit")
    except (QuantityError, TypeError):
        return


def _downward(source: Part) -> None:
    for item in source.children("items"):
        given = item.given("fieldRef", "resourceFieldRef")
        if len(given) > 1:
            item.refuse("fieldRef and resourceFieldRef are both given")
        elif not given:
            item.refuse("neither fieldRef nor resourceFieldRef is given")
        elif given == ["fieldRef"]:
            judge_field_reference(item.child("fieldRef"), _FIELDS)
        else:
            item.child("resourceFieldRef").require("containerName")
            judge_resource_reference(item.child("resourceFieldRef"))


def judge_field_reference(reference: Part, fields: Sequence[str]) -> None:
    """Judge a reference to one of some fields of the pod."""
    version, path = reference.text("apiVersion"), reference.text("fieldPath")
    field, bracket, rest = path.partition("['")
    if not path:
        reference.refuse("fieldPath is missing", "fieldPath")
    elif version not in ("", "v1"):
        reference.refuse(f"the apiVersion {version} does not exist (there is v1)", "apiVersion")
    elif not (bracket and rest.endswith("']")):
        reference.choose("fieldPath", fields)
    elif field not in _WITH_KEYS:
        reference.refuse(f"{field} takes no key in brackets", "fieldPath")
    else:
        key = rest.removesuffix("']")
        reference.refuse(names.qualified_name(key.lower() if field == _WITH_KEYS[0] else key), "fieldPath")


def judge_resource_reference(reference: Part) -> None:
    """Judge a reference to a request or limit of a container."""
    reference.require("resource")
    if not reference.text("resource").startswith(_PAGES):
        reference.choose("resource", _AMOUNTS)


def _ephemeral(source: Part) -> None:
    if source.given("volumeClaimTemplate"):
        claim = source.child("volumeClaimTemplate").child("spec")
        claim.require("accessModes")
        if "storage" not in claim.child("resources").child("requests").value:
            claim.refuse("the claim requests no storage", "resources")
        claim.names(
            "accessModes", lambda mode: "" if mode in _ACCESS_MODES else f"the access mode {mode} does not exist"
        )
        claim.choose("volumeMode", ("Block", "Filesystem"))


def _projected(source: Part) -> None:
    for each in source.children("sources"):
        given = each.given(*_PROJECTIONS)
        for key in given[1:]:
            each.refuse(f"the source has both {given[0]} and {key}", key)
        if given:
            inner = each.child(given[0])
            inner.judge()
            if given[0] == "downwardAPI":
                _downward(inner)


_SOURCES: Final[Mapping[str, Callable[[Part], None]]] = {
    "emptyDir": _empty_dir,
    "downwardAPI": _downward,
    "ephemeral": _ephemeral,
    "projected": _projected,
}


# --- mounts -----------------------------------------------------------------------------------------------------------


def judge_mounts(container: Part, spec: Part) -> None:
    """Judge where a container mounts volumes, as folders or as devices."""
    known = {volume.text("name"): volume for volume in spec.children("volumes")}
    devices = container.children("volumeDevices")
    device_names = {each.text("name") for each in devices}
    paths: set[str] = set()
    for mount in container.children("volumeMounts"):
        _mount(mount, container, known)
        path, name = mount.text("mountPath"), mount.text("name")
        if path and path in paths:
            mount.refuse(f"two volumes are mounted at {path}", "mountPath")
        paths.add(path)
        if name in device_names:
            mount.refuse(f"{name} is among the volumeDevices too", "name")
    taken: set[str] = set()
    for device in devices:
        name, path = device.text("name"), device.text("devicePath")
        if name and name not in known:
            device.refuse(f"there is no volume {name!r} in the pod", "name")
        elif name and not known[name].given("persistentVolumeClaim", "ephemeral"):
            device.refuse(f"the volume {name} is not a claim, so it cannot be a device", "name")
        if path and path in paths:
            device.refuse(f"a volume is mounted at {path} too", "devicePath")
        for key in ("name", "devicePath"):
            if device.text(key) in taken:
                device.refuse(f"{device.text(key)} is given twice", key)
        taken |= {device.text("name"), device.text("devicePath")} - {""}


def _mount(mount: Part, container: Part, known: Mapping[str, Part]) -> None:
    name, propagation = mount.text("name"), mount.text("mountPropagation")
    if name and name not in known:
        mount.refuse(f"there is no volume {name!r} in the pod", "name")
    if mount.text("subPath") and mount.text("subPathExpr"):
        mount.refuse("subPath and subPathExpr are both given", "subPathExpr")
    if propagation == "Bidirectional" and not container.child("securityContext").is_true("privileged"):
        mount.refuse("Bidirectional is for privileged containers only", "mountPropagation")
    if mount.text("recursiveReadOnly") in ("IfPossible", "Enabled"):
        if not mount.is_true("readOnly"):
            mount.refuse("recursiveReadOnly is for mounts with readOnly only", "recursiveReadOnly")
        if propagation not in ("", "None"):
            mount.refuse("recursiveReadOnly is for mounts without mountPropagation only", "recursiveReadOnly")


# --- names, labels and annotations ------------------------------------------------------------------------------------

_MOST_ANNOTATED: Final = 256 * 1024
_DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"


def metadata(value: Object, judge_name: Callable[[str], str] = names.subdomain) -> list[Fault]:
    """What is wrong with the metadata of an object, whose name another one may judge."""
    own = Part(value, "").child("metadata")
    own.name("name", judge_name)
    begins = own.text("generateName")
    if begins:
        own.refuse(judge_name(begins.removesuffix("-") + "a" if begins.endswith("-") else begins), "generateName")
    own.name("namespace", names.label)
    judge_labels(own, "labels")
    judge_annotations(own)
    own.names("finalizers", names.qualified_name)
    owners = own.children("ownerReferences")
    for owner in owners:
        owner.require("apiVersion", "kind", "name", "uid")
    for owner in [each for each in owners if each.is_true("controller")][1:]:
        owner.refuse("the object has two controllers", "controller")
    return own.faults


def judge_labels(owner: Part, key: str) -> None:
    """Judge labels, or what selects by them."""
    for name, value in owner.child(key).value.items():
        wrong = names.qualified_name(str(name)) or (names.label_value(value) if isinstance(value, str) else "")
        owner.refuse(wrong, key, name)


def judge_annotations(own: Part) -> None:
    """Judge annotations: their keys, and their length together."""
    given = own.child("annotations").value
    for name in given:
        own.refuse(names.qualified_name(str(name).lower()), "annotations", name)
    length = sum(len(str(part).encode()) for pair in given.items() for part in pair)
    if length > _MOST_ANNOTATED:
        own.refuse(f"the annotations have {length} bytes together, {_MOST_ANNOTATED} are allowed", "annotations")


def judge_deletion_cost(own: Part) -> None:
    """Judge the annotation that tells ReplicaSets which pods to delete first."""
    cost = own.child("annotations").value.get(_DELETION_COST)
    if isinstance(cost, str):
        number = whole_number(cost)
        if number is None or str(number) != cost or not -(2**31) <= number < 2**31:
            own.refuse(f"{cost!r} is not a whole number of 32 bits", "annotations", _DELETION_COST)
