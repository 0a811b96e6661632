"""Inputs that grow: each shape has more of one thing, the rest of the cluster stays small."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

Object = dict[str, Any]
Files = dict[str, str]

CONF: Final = """\
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: predicates
  - name: capacity
    enableHierarchy: true
"""
SHAPES: Final[dict[str, Callable[[int], Files]]] = {}


def shape(make: Callable[[int], Files]) -> Callable[[int], Files]:
    """Add a shape under the name of its function."""
    SHAPES[make.__name__.removeprefix("_")] = make
    return make


# --- parts ------------------------------------------------------------------------------------------------------------


def _kubernetes(kind: str, name: str, version: str = "v1", metadata: Object | None = None, **fields: Any) -> Object:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **(metadata or {})}, **fields}


def _conf(text: str = CONF) -> Object:
    return _kubernetes("ConfigMap", "volcano-scheduler-configmap", data={"volcano-scheduler.conf": text})


def _node(name: str = "node-0", labels: Object | None = None, more: Object | None = None, **spec: Any) -> Object:
    status = {"allocatable": {"cpu": "8", "memory": "8Gi", "pods": "110", **(more or {})}}
    return _kubernetes("Node", name, metadata={"labels": labels or {}}, spec=spec, status=status)


def _queue(name: str, **spec: Any) -> Object:
    return _kubernetes("Queue", name, "scheduling.volcano.sh/v1beta1", spec=spec)


def _group(name: str = "job", **spec: Any) -> Object:
    spec = {"minMember": 1, **spec}
    return _kubernetes("PodGroup", name, "scheduling.volcano.sh/v1beta1", {"namespace": "ns"}, spec=spec)


def _pod(name: str = "p", group: str = "job", metadata: Object | None = None, **spec: Any) -> Object:
    about = {"namespace": "ns", "annotations": {"scheduling.k8s.io/group-name": group}, **(metadata or {})}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    spec = {"schedulerName": "volcano", "containers": [container], **spec}
    return _kubernetes("Pod", name, metadata=about, spec=spec)


def _job(tasks: list[Object], **spec: Any) -> Object:
    spec = {"schedulerName": "volcano", "minAvailable": 1, "tasks": tasks, **spec}
    return _kubernetes("Job", "job", "batch.volcano.sh/v1alpha1", {"namespace": "ns"}, spec=spec)


def _task(name: str, *after: str) -> Object:
    spec = {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}
    return {"name": name, "replicas": 1, "template": {"spec": spec}, "dependsOn": {"name": list(after)}}


def _json(*objects: Object, conf: str = CONF) -> Files:
    items = [_conf(conf), _node(), *objects]
    return {"in.json": json.dumps({"apiVersion": "v1", "kind": "List", "items": items})}


def _yaml(text: str) -> Files:
    head = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\n"
    return {**_json(_group(), _pod()), "more.yaml": f"{head}{text}"}


def _scenario(text: str) -> Files:
    return {"in.yaml": f"apiVersion: vqs/v1\nkind: Scenario\n{text}"}


def _with_conf(text: str) -> Files:
    return _json(_group(), _pod(), conf=text)


# --- queues -----------------------------------------------------------------------------------------------------------


@shape
def _chain_of_queues(n: int) -> Files:
    return _json(_group(), _pod(), *(_queue(f"q{i}", parent=f"q{i - 1}" if i else "root") for i in range(n)))


@shape
def _chains_of_queues(n: int) -> Files:
    return _json(_group(), _pod(), *(_queue(f"q{i}", parent=f"q{i - 1}" if i % 5 else "root") for i in range(n)))


@shape
def _circle_of_queues(n: int) -> Files:
    return _json(_group(), _pod(), *(_queue(f"q{i}", parent=f"q{(i - 1) % n}") for i in range(n)))


@shape
def _queues_with_jobs(n: int) -> Files:
    queues = [_queue(f"q{i}", deserved={"cpu": "1"}) for i in range(n)]
    groups = [_group(f"j{i}", queue=f"q{i}") for i in range(n)]
    return _json(*queues, *groups, *(_pod(f"p{i}", f"j{i}") for i in range(n)))


@shape
def _missing_parents(n: int) -> Files:
    return _json(_group(), _pod(), *(_queue(f"queue-{i}", parent=f"quque-{i}") for i in range(n)))


@shape
def _resources_of_a_queue(n: int) -> Files:
    amounts = {f"example.com/r{i}": "1" for i in range(n)}
    return _json(_group(), _pod(), _queue("q", capability=amounts, deserved=amounts))


@shape
def _hierarchy_annotation(n: int) -> Files:
    queue = _queue("q")
    queue["metadata"]["annotations"] = {
        "volcano.sh/hierarchy": "root" + "/a" * n,
        "volcano.sh/hierarchy-weights": "1" + "/1" * n,
    }
    return _json(_group(), _pod(), queue)


@shape
def _hierarchies(n: int) -> Files:
    queues = [_queue(f"q{i}") for i in range(2 * n)]
    for i, queue in enumerate(queues):
        path = "root/a" if i % 2 else f"root/a/b{i}"
        queue["metadata"]["annotations"] = {"volcano.sh/hierarchy": path, "volcano.sh/hierarchy-weights": "1/1/1"}
    return _json(_group(), _pod(), *queues)


@shape
def _digits_of_an_amount(n: int) -> Files:
    return _json(_group(), _pod(), _queue("q", capability={"cpu": "1" * 50 * n, "memory": f"1e{'9' * 50 * n}"}))


# --- nodes and pods ---------------------------------------------------------------------------------------------------


@shape
def _nodes(n: int) -> Files:
    return _json(_group(), _pod(), *(_node(f"n{i}") for i in range(n)))


@shape
def _nodes_with_resources_of_their_own(n: int) -> Files:
    return _json(_group(), _pod(), *(_node(f"n{i}", more={f"example.com/r{i}": "1"}) for i in range(n)))


@shape
def _labels_of_a_node(n: int) -> Files:
    return _json(_group(), _pod(nodeSelector={"k": "v"}), _node("n", {f"k{i}": "v" for i in range(n)}))


@shape
def _selected_labels(n: int) -> Files:
    return _json(_group(), _pod(nodeSelector={f"k{i}": "w" for i in range(n)}))


@shape
def _values_of_a_selector(n: int) -> Files:
    term = {"matchExpressions": [{"key": "a", "operator": "In", "values": [str(i) for i in range(n)]}]}
    return _json(_group(), _pod(affinity=_required("nodeAffinity", {"nodeSelectorTerms": [term]})))


@shape
def _terms_of_a_selector(n: int) -> Files:
    terms = [{"matchExpressions": [{"key": f"a{i}", "operator": "Exists"}]} for i in range(n)]
    return _json(_group(), _pod(affinity=_required("nodeAffinity", {"nodeSelectorTerms": terms})))


@shape
def _terms_of_pod_affinity(n: int) -> Files:
    terms = [{"topologyKey": f"t{i}", "labelSelector": {"matchLabels": {"a": "b"}}} for i in range(n)]
    return _json(_group(), _pod(affinity=_required("podAntiAffinity", terms)))


def _required(kind: str, terms: Any) -> Object:
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


@shape
def _spread_constraints(n: int) -> Files:
    rules = [{"maxSkew": 1, "topologyKey": f"t{i}", "whenUnsatisfiable": "ScheduleAnyway"} for i in range(n)]
    return _json(_group(), _pod(topologySpreadConstraints=rules))


@shape
def _taints(n: int) -> Files:
    return _json(_group(), _pod(), _node("n", taints=[{"key": f"k{i}", "effect": "NoSchedule"} for i in range(n)]))


@shape
def _tolerations(n: int) -> Files:
    return _json(_group(), _pod(tolerations=[{"key": f"k{i}", "operator": "Exists"} for i in range(n)]))


@shape
def _pods_of_a_job(n: int) -> Files:
    return _json(_group(minMember=n), *(_pod(f"p{i}") for i in range(n)))


@shape
def _pods_without_their_group(n: int) -> Files:
    return _json(*(_group(f"group{i}") for i in range(n)), *(_pod(f"p{i}", f"gruop{i}") for i in range(n)))


@shape
def _requested_resources(n: int) -> Files:
    amounts = {f"example.com/r{i}": "1" for i in range(n)}
    container = {"name": "c", "image": "i", "resources": {"requests": amounts, "limits": amounts}}
    return _json(_group(), _pod(containers=[container]), _node("n", more={f"example.com/s{i}": "1" for i in range(n)}))


@shape
def _resources_of_pods(n: int) -> Files:
    requests = [{"name": "c", "image": "i", "resources": {"requests": {f"example.com/r{i}": "1"}}} for i in range(n)]
    return _json(_group(minMember=n), *(_pod(f"p{i}", containers=[requests[i]]) for i in range(n)))


@shape
def _volumes_of_a_pod(n: int) -> Files:
    volumes = [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": f"c{i}"}} for i in range(n)]
    return _json(_group(), _pod(volumes=volumes))


@shape
def _containers(n: int) -> Files:
    return _json(_group(), _pod(containers=[{"name": f"c{i}", "image": "i"} for i in range(n)]))


@shape
def _annotations(n: int) -> Files:
    return _json(_group(), _pod(), _kubernetes("Namespace", "ns", metadata={"annotations": {"a": "x" * 100 * n}}))


@shape
def _chain_of_owners(n: int) -> Files:
    return _json(_group(), _pod(metadata=_owned_by(0)), *(_owner(i, i + 1) for i in range(n)))


@shape
def _circle_of_owners(n: int) -> Files:
    return _json(_group(), _pod(metadata=_owned_by(0)), *(_owner(i, (i + 1) % n) for i in range(n)))


def _owner(number: int, above: int) -> Object:
    metadata = {"namespace": "ns", "uid": f"u{number}", **_owned_by(above)}
    spec = {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}}
    return _kubernetes("ReplicaSet", f"rs{number}", "apps/v1", metadata, spec=spec)


def _owned_by(number: int) -> Object:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"rs{number}", "uid": f"u{number}"}
    return {"namespace": "ns", "ownerReferences": [{**owner, "controller": True}]}


# --- other kinds ------------------------------------------------------------------------------------------------------


@shape
def _pod_groups(n: int) -> Files:
    return _json(_group(), _pod(), *(_group(f"g{i}") for i in range(n)))


@shape
def _priority_classes(n: int) -> Files:
    classes = [_kubernetes("PriorityClass", f"c{i}", "scheduling.k8s.io/v1", value=i) for i in range(n)]
    return _json(*classes, *(_group(f"g{i}", priorityClassName=f"x{i}") for i in range(n)))


@shape
def _disruption_budgets(n: int) -> Files:
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}}
    of_namespace = {"namespace": "ns"}
    budgets = [_kubernetes("PodDisruptionBudget", f"b{i}", "policy/v1", of_namespace, spec=spec) for i in range(n)]
    return _json(_group(), _pod(), *budgets)


@shape
def _guarded_pods(n: int) -> Files:
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}}
    budgets = [
        _kubernetes("PodDisruptionBudget", f"b{i}", "policy/v1", {"namespace": "ns"}, spec=spec) for i in range(n)
    ]
    pods = [_pod(f"p{i}", metadata={"labels": {"a": f"{i}"}}) for i in range(n)]
    return _json(_group(), *pods, *budgets)


@shape
def _namespaces_with_quotas(n: int) -> Files:
    spec = {"hard": {"cpu": "1"}}
    spaces = [_kubernetes("Namespace", f"s{i}") for i in range(n)]
    quotas = [_kubernetes("ResourceQuota", "q", metadata={"namespace": f"s{i}"}, spec=spec) for i in range(n)]
    return _json(_group(), _pod(), *spaces, *quotas)


@shape
def _owners_of_a_pod(n: int) -> Files:
    owners = [{"apiVersion": "v1", "kind": "Thing", "name": f"o{i}", "uid": f"u{i}"} for i in range(n)]
    return _json(_group(), _pod(metadata={"ownerReferences": owners}))


@shape
def _hyper_nodes_of_a_node(n: int) -> Files:
    members = [{"type": "Node", "selector": {"exactMatch": {"name": "node-0"}}}]
    version = "topology.volcano.sh/v1alpha1"
    made = [_kubernetes("HyperNode", f"h{i}", version, spec={"tier": 1, "members": members}) for i in range(n)]
    return _json(_group(), _pod(), *made)


@shape
def _hyper_nodes(n: int) -> Files:
    members = [[{"type": "HyperNode", "selector": {"exactMatch": {"name": f"h{i - 1}"}}}] for i in range(n)]
    version = "topology.volcano.sh/v1alpha1"
    made = [_kubernetes("HyperNode", f"h{i}", version, spec={"tier": i + 1, "members": members[i]}) for i in range(n)]
    return _json(_group(), _pod(), *made)


@shape
def _cpus_of_a_node(n: int) -> Files:
    cpus = {str(i): {"numa": i % 64, "socket": i, "core": i} for i in range(n)}
    free = ",".join(str(i) for i in range(1, n, 2))
    policies = {"CPUManagerPolicy": "static", "TopologyManagerPolicy": "restricted"}
    spec = {"policies": policies, "numares": {"cpu": {"allocatable": free}}, "cpuDetail": cpus}
    numa = _kubernetes("Numatopology", "node-0", "nodeinfo.volcano.sh/v1alpha1", spec=spec)
    return _json(_group(), _pod(), numa, conf=CONF + "  - name: numa-aware\n")


@shape
def _tasks_of_a_job(n: int) -> Files:
    return _json(_job([_task(f"t{i}") for i in range(n)]))


@shape
def _chain_of_tasks(n: int) -> Files:
    return _json(_job([_task(f"t{i}", *[f"t{i - 1}"][:i]) for i in range(n)]))


@shape
def _policies_of_a_job(n: int) -> Files:
    return _json(_job([_task("t")], policies=[{"event": "PodFailed", "action": "RestartJob"}] * n))


# --- text -------------------------------------------------------------------------------------------------------------


@shape
def _json_with_escapes(n: int) -> Files:
    return _json(_group(), _pod(), _queue('"\\\u1234' * n))


@shape
def _duplicate_keys_in_json(n: int) -> Files:
    keys = ",".join(['"a":1'] * n)
    text = (
        f'{{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{{"name":"q"}},"spec":{{{keys}}}}}'
    )
    return {**_json(_group(), _pod()), "more.json": text}


@shape
def _nesting_of_json(n: int) -> Files:
    return {**_json(_group(), _pod()), "more.json": '{"kind":' + '{"a":' * n + "1" + "}" * n + "}"}


@shape
def _nesting_of_yaml(n: int) -> Files:
    return _yaml(f"spec: {'[' * n}{']' * n}\n")


@shape
def _anchors(n: int) -> Files:
    return _yaml("z: &z {a: 1}\nspec:\n" + "".join(f"  a{i}: *z\n" for i in range(n)))


@shape
def _merges(n: int) -> Files:
    return _yaml("spec:\n" + "".join(f"  <<: {{a{i}: 1}}\n" for i in range(n)))


@shape
def _text_of_many_lines(n: int) -> Files:
    return _yaml("spec:\n  a: |\n" + "    y\n" * n)


@shape
def _blank_lines(n: int) -> Files:
    return _yaml("\n" * n + "%FOO\n" * n + "---\n" * n)


@shape
def _silences(n: int) -> Files:
    return _yaml(
        "spec:\n" + "  # vqs: ignore[queue-*] why\n" * n + "".join(f"  # vqs: ignore[a{i}]\n" for i in range(n))
    )


@shape
def _fields_of_a_silenced_line(n: int) -> Files:
    fields = ", ".join(f"weigth{i}: 1" for i in range(n))
    return _yaml("spec:\n" + "".join(f"  # vqs: ignore[*{i}] why\n" for i in range(n)) + f"  a: {{{fields}}}\n")


@shape
def _silenced_objects(n: int) -> Files:
    queue = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"
    each = (f"# vqs: ignore[queue-*] why\n{queue}metadata: {{name: q{i}}}\nspec: {{weigth: 1}}\n" for i in range(n))
    return {**_json(_group(), _pod()), "more.yaml": "---\n".join(each)}


@shape
def _unknown_kinds(n: int) -> Files:
    return _yaml("".join(f"---\napiVersion: x/v1\nkind: K{i}\nmetadata: {{name: k}}\n" for i in range(n)))


@shape
def _codes_of_a_silence(n: int) -> Files:
    codes = ", ".join(f"*{i}" for i in range(n))
    fields = "".join(f"  weigth{i}: 1\n" for i in range(n))
    return _yaml(f"# vqs: ignore[{codes}] why\nspec:\n{fields}")


@shape
def _unknown_fields(n: int) -> Files:
    return _yaml("spec:\n" + "".join(f"  weigth{i}: 1\n" for i in range(n)))


@shape
def _duplicate_keys_in_yaml(n: int) -> Files:
    return _yaml("spec:\n" + "  a: 1\n" * n)


@shape
def _wrong_types(n: int) -> Files:
    return _json(*({**_queue(f"q{i}"), "spec": {"weight": "x"}} for i in range(n)))


@shape
def _duplicate_objects(n: int) -> Files:
    queues = "---\n".join(
        f"apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {{name: q{i}}}\n" for i in range(n)
    )
    return {**_json(_group(), _pod()), "a.yaml": queues, "b.yaml": queues}


# --- the configuration ------------------------------------------------------------------------------------------------


@shape
def _unknown_actions(n: int) -> Files:
    return _with_conf(CONF.replace("backfill", "backfill" + "," * n))


@shape
def _repeated_actions(n: int) -> Files:
    return _with_conf(CONF.replace("backfill", "backfill" + ", backfill" * n))


@shape
def _unknown_plugins(n: int) -> Files:
    return _with_conf(CONF + "".join(f"  - name: gagn{i}\n" for i in range(n)))


@shape
def _tiers(n: int) -> Files:
    return _with_conf(CONF + "- plugins:\n  - name: gang\n" * n)


@shape
def _plugins_of_one_name(n: int) -> Files:
    return _with_conf(CONF + "  - name: binpack\n" * n)


@shape
def _plugins_with_arguments(n: int) -> Files:
    return _with_conf(CONF + "".join(f"  - {{name: nodeorder, arguments: {{a{i}: 1}}}}\n" for i in range(n)))


@shape
def _arguments(n: int) -> Files:
    return _with_conf(CONF + "    arguments:\n" + "".join(f"      binpack.r{i}: 1\n" for i in range(n)))


@shape
def _unknown_keys_of_the_configuration(n: int) -> Files:
    return _with_conf(CONF + "".join(f"tires{i}: 1\n" for i in range(n)))


# --- scenarios --------------------------------------------------------------------------------------------------------


@shape
def _unknown_keys_of_a_scenario(n: int) -> Files:
    return _scenario("".join(f"nodez{i}: 1\n" for i in range(n)))


@shape
def _jobs_that_run(n: int) -> Files:
    jobs = "".join(f"- {{name: j{i}, running: 1, cpu: 1}}\n" for i in range(n))
    return _scenario(f"nodes: [{{count: {n}, cpu: 1}}]\njobs:\n{jobs}")


@shape
def _jobs_on_missing_nodes(n: int) -> Files:
    nodes = "".join(f"- {{name: node{i}, cpu: 1}}\n" for i in range(n))
    jobs = "".join(f"- {{name: j{i}, queue: qx{i}, running: {{nodx{i}: 1}}}}\n" for i in range(n))
    return _scenario(f"nodes:\n{nodes}jobs:\n{jobs}")


@shape
def _jobs_on_patterns_of_nodes(n: int) -> Files:
    jobs = "".join(f"- {{name: j{i}, running: {{node-*: 1}}, cpu: 1}}\n" for i in range(n))
    return _scenario(f"nodes: [{{count: {n}, cpu: 1}}]\njobs:\n{jobs}")


@shape
def _roles_of_a_scenario(n: int) -> Files:
    roles = "".join(f"  - {{name: r{i}, cpu: 1}}\n" for i in range(n))
    return _scenario(f"nodes: [{{count: 2, cpu: 4}}]\njobs:\n- name: j\n  roles:\n{roles}")


@shape
def _expected_jobs(n: int) -> Files:
    jobs = "".join(f"- {{name: j{i}, cpu: 1}}\n" for i in range(n))
    expected = "".join(f"    'j*{i}': committed\n" for i in range(n))
    return _scenario(f"nodes: [{{cpu: 4}}]\njobs:\n{jobs}expect:\n  jobs:\n{expected}")


@shape
def _unknown_keys_of_an_expectation(n: int) -> Files:
    return _scenario("nodes: [{cpu: 4}]\nexpect:\n" + "".join(f"  jbos{i}: 1\n" for i in range(n)))


@shape
def _expected_tasks(n: int) -> Files:
    expected = "".join(f"    job-{i}: {{verdict: none}}\n" for i in range(n))
    return _scenario(f"nodes: [{{cpu: 4}}]\njobs: [{{name: j, replicas: 8}}]\nexpect:\n  tasks:\n{expected}")


@shape
def _included_twice(n: int) -> Files:
    return {**_scenario("include:\n" + "- sub/\n" * n), **{f"sub/f{i}.yaml": f"kind: K{i}\n" for i in range(n)}}


@shape
def _included_files(n: int) -> Files:
    included = "".join(f"- sub/f{i}.yaml\n" for i in range(n))
    return {**_scenario(f"include:\n{included}"), **{f"sub/f{i}.yaml": f"kind: K{i}\n" for i in range(n)}}


@shape
def _missing_includes(n: int) -> Files:
    return _scenario("include:\n" + "".join(f"- sub/f{i}.yaml\n" for i in range(n)))


@shape
def _chain_of_includes(n: int) -> Files:
    head = "apiVersion: vqs/v1\nkind: Scenario\n"
    files = {f"sub/f{i}.yaml": f"{head}include: f{i + 1}.yaml\n" for i in range(n)}
    return {**_scenario("include: sub/f0.yaml\n"), **files, f"sub/f{n}.yaml": head}


# --- changes ----------------------------------------------------------------------------------------------------------


def changed_workloads(kind: str, n: int, replicas: int) -> Files:
    """Return workloads with a pod each, which are there before and after they are scaled."""
    made: list[Object] = []
    for i in range(n):
        owner = {"apiVersion": "x/v1", "kind": kind.removeprefix("Volcano"), "name": f"w{i}", "uid": f"u{i}"}
        about = {"namespace": "ns", "ownerReferences": [{**owner, "controller": True}]}
        made += [_workload(kind, f"w{i}", replicas), _pod(f"w{i}-t-0", f"g{i}", {**about, "uid": f"p{i}"})]
        group = {"spec": {"minMember": 0}, "status": {"phase": "Running"}}
        made.append(_kubernetes("PodGroup", f"g{i}", "scheduling.volcano.sh/v1beta1", about, **group))
    return _json(*made)


def _workload(kind: str, name: str, replicas: int) -> Object:
    spec: Object = {"schedulerName": "volcano", "restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": spec}
    metadata = {"namespace": "ns", "uid": f"u{name[1:]}"}
    if kind == "VolcanoJob":
        tasks = [{"name": "t", "replicas": replicas, "template": template}]
        spec = {"schedulerName": "volcano", "minAvailable": 0, "tasks": tasks}
        return _kubernetes("Job", name, "batch.volcano.sh/v1alpha1", metadata, spec=spec)
    if kind == "Job":
        return _kubernetes("Job", name, "batch/v1", metadata, spec={"parallelism": replicas, "template": template})
    spec = {"replicas": replicas, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    return _kubernetes(kind, name, "apps/v1", metadata, spec=spec)
