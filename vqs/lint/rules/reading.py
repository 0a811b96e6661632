"""Rules without a check: they explain what is found while the input is read, compared or simulated."""

from typing import Final

from vqs.lint.rule import Rule, Severity

_FILES: Final = (
    Rule(
        code="alias-bomb",
        severity=Severity.ERROR,
        title="the aliases of a YAML document expand to too much",
        meaning="The aliases of the document contain themselves, or expand to more than a million values. vqs reads "
        "nothing of the document.",
        why="kubectl and the API server refuse such a document too: expanded, it would fill the memory.",
        fix="Write the values in place of the aliases, or remove the alias that contains itself.",
        source="gopkg.in/yaml.v2 decode.go",
        example="a: &a [*a]",
    ),
    Rule(
        code="arrives-later",
        severity=Severity.NOTE,
        title="jobs that arrive later are left out",
        meaning="Jobs of a scenario with arrival or arrivals are not there at the start. Only vqs replay, and sweep "
        "and tune of replays, run them; all other commands look at what is there.",
        why="A session sees the jobs that exist when it opens.",
        fix="Nothing, if you ask about the start of the workload only. Otherwise run vqs replay on the scenario.",
        source="docs/workloads.md (Scenarios)",
        example="jobs: [{name: a, queue: q, cpu: 1, arrival: 10s}]",
    ),
    Rule(
        code="duplicate-key",
        severity=Severity.ERROR,
        title="a key is given twice",
        meaning="An object in YAML or JSON has the same key twice. vqs lint reports it, and goes on with the last one; "
        "all other commands refuse the file. That is stricter than kubectl, which takes the last one unless it "
        "validates strictly.",
        why="One of the two values is silently lost, and which one depends on the reader.",
        fix="Remove the one that is not intended.",
        source="sigs.k8s.io/yaml yaml.go",
        example="spec: {weight: 1, weight: 3}",
    ),
    Rule(
        code="empty-input",
        severity=Severity.ERROR,
        title="the input is empty",
        meaning="A file has no document, a folder has no manifest, or the whole input has no object.",
        why="An empty file is usually the result of a command that failed.",
        fix="Check the command that wrote the file: kubectl writes an empty one if it may not read the cluster.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="a file of comments",
    ),
    Rule(
        code="hidden-file",
        severity=Severity.WARNING,
        title="a hidden file is skipped",
        meaning="The name of a file in a folder begins with a dot and ends like that of a manifest. vqs does not read "
        "it. A comparison reports such a file if it is new, changed or gone, also in a hidden folder.",
        why="kubectl apply reads it if it is given the folder: vqs has not checked what the file changes in the "
        "cluster.",
        fix="Give it another name if it is a manifest, or name it on the command line; move it elsewhere if it is not.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="queues/.research.yaml",
    ),
    Rule(
        code="invalid-json",
        severity=Severity.ERROR,
        title="a file is not valid JSON",
        meaning="The file begins like JSON but is not valid JSON. vqs reads nothing of it.",
        why="A part may be missing, for example after an interrupted download or on a full disk.",
        fix="Correct the place that the message names, or write the file again.",
        source="docs/snapshots.md (What is read, and what is not)",
        example='{"kind": "List", "items": [',
    ),
    Rule(
        code="invalid-yaml",
        severity=Severity.ERROR,
        title="a file is not valid YAML",
        meaning="The text is not valid YAML, usually because of its indentation. vqs reads nothing of the document.",
        why="kubectl refuses it too. If it is the scheduler's configuration, the scheduler keeps the one it had.",
        fix="Correct the place that the message names; the error may be on the line above.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="spec: {weight: 1",
    ),
    Rule(
        code="left-out",
        severity=Severity.NOTE,
        title="documents that are no objects are left out",
        meaning="In a folder, documents without apiVersion and kind are left out, such as values of a chart, "
        "docker-compose.yml or package.json. The note counts them. A file that is named on the command line has to be "
        "a manifest, unless --only-manifests is given.",
        why="Repositories hold more than manifests, and what is none is nothing to the cluster.",
        fix="Nothing, if these are no manifests. Otherwise, write apiVersion and kind.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="docker-compose.yml beside manifests",
    ),
    Rule(
        code="line-too-long",
        severity=Severity.ERROR,
        title="a line is too long to be YAML",
        meaning="A line of the file has more than 16 million characters.",
        why="Reading it as YAML would take minutes and gigabytes. It is usually JSON with other text before it.",
        fix="Remove the text before the JSON, or write the file again with line breaks.",
        source="docs/speed.md (Limits)",
        example="a dump in JSON behind a line of a log",
    ),
    Rule(
        code="not-applied",
        severity=Severity.WARNING,
        title="kubectl apply would not read this",
        meaning="vqs reads more than kubectl does. kubectl splits a file only at lines that begin with ---, and takes "
        "the first document of each part: what follows a line ... or a marker after another line break is lost, and "
        "so is all but the first document of a file in UTF-16. In a folder, it reads *.yaml, *.yml and *.json, in "
        "small letters and not packed, and only with -R those in folders below; and it knows no scenarios. The latter "
        "is told of a change that puts objects where they were not.",
        why="Objects that kubectl does not apply will not be in the cluster, although the comparison includes them.",
        fix="Begin each document with a line ---, and keep manifests where kubectl reads them.",
        source="k8s.io/apimachinery pkg/util/yaml/decoder.go; k8s.io/cli-runtime pkg/resource/visitor.go",
        example="kubectl apply does not read this document, as no line --- is before it",
    ),
    Rule(
        code="not-rendered",
        severity=Severity.ERROR,
        title="a file is no manifest before it is rendered",
        meaning="The file belongs to a Helm chart or a kustomization, or is a template with braces. In a folder, such "
        "files are left out, and a note says which command renders them; what they say is not known. The scheduler's "
        "configuration in the values of a chart is read all the same.",
        why="The API server gets what Helm, kubectl or another program makes of it, with values of its own.",
        fix="Render it, and give vqs the result: helm template CHART | vqs lint -, kubectl kustomize DIR | vqs lint -. "
        "With --render, vqs runs these commands where they are installed.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="{{- if .Values.queue.create }}",
    ),
    Rule(
        code="not-captured",
        severity=Severity.WARNING,
        title="a part of the cluster could not be captured",
        meaning="The snapshot records that some kinds, or all namespaces but one, are missing in it.",
        why="The scheduler sees them, so its decisions may differ from those that vqs shows.",
        fix="Capture again with the right to list these kinds in all namespaces.",
        source="docs/snapshots.md (Snapshots)",
        example="not allowed to list persistentvolumes; without them, bound volumes are assumed reachable from every "
        "node",
    ),
    Rule(
        code="read-once",
        severity=Severity.NOTE,
        title="a file is given more than once",
        meaning="The same file is named twice, or is in a folder that is named too. It is read once.",
        why="Otherwise each of its objects would count twice.",
        fix="Name it once. The result is the same.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="vqs lint cluster/ cluster/queues.yaml",
    ),
    Rule(
        code="too-deep",
        severity=Severity.ERROR,
        title="a document is nested too deeply",
        meaning="The document has more than 200 levels, which no manifest has. vqs reads nothing of it.",
        why="Such a document is damaged or malicious.",
        fix="Write the file again.",
        source="docs/speed.md (Limits)",
        example="[[[[ and so on",
    ),
    Rule(
        code="too-many-errors",
        severity=Severity.ERROR,
        title="there are more errors than are shown",
        meaning="The input has more than 1,000 errors, or more than 1,000 warnings and notes. The first ones are "
        "shown, and the others are counted.",
        why="Many errors usually have few causes.",
        fix="Correct those that are shown, and try again.",
        source="docs/speed.md (Limits)",
        example="a scenario with 2,000 keys that there are not",
    ),
    Rule(
        code="unreadable-file",
        severity=Severity.ERROR,
        title="a file cannot be read",
        meaning="The file does not exist, its permissions forbid reading, or it is compressed and damaged or much too "
        "large.",
        why="Without it, references to objects in it would look wrong.",
        fix="Correct the name, or the permissions; fetch a damaged file again.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="vqs lint quues.yaml",
    ),
    Rule(
        code="unsupported-tag",
        severity=Severity.ERROR,
        title="a YAML tag is not supported",
        meaning="A value has a tag such as !!set or one of a program's own.",
        why="Kubernetes only knows the types of JSON, and a tag can stand for anything.",
        fix="Remove the tag.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="weight: !!python/name:os.system",
    ),
    Rule(
        code="unmodelled-release",
        severity=Severity.WARNING,
        title="the cluster runs a release of Volcano that is not modelled",
        meaning="The tag of the scheduler's image is of a minor release that is not modelled. The nearest one that is "
        "modelled stands in for it.",
        why="Releases decide differently; vqs versions shows in what those that are modelled do.",
        fix="Choose another release with --volcano, and switch single behaviours with --behaviour NAME=VALUE.",
        source="docs/snapshots.md (Which release a cluster runs)",
        example="image: volcanosh/vc-scheduler:v1.11.2",
    ),
    Rule(
        code="volcano-release",
        severity=Severity.NOTE,
        title="the scheduler's image tells which release of Volcano is modelled",
        meaning="The input has the Deployment or a pod of Volcano's scheduler, and neither --volcano nor a scenario "
        "says which release to model. The tag of the image decides: the release of that tag, or the nearest patch of "
        "the same minor release that is modelled. An image without such a tag tells nothing, and the default is "
        "modelled.",
        why="Releases decide differently; vqs versions shows in what.",
        fix="None needed. Choose another release with --volcano.",
        source="docs/snapshots.md (Which release a cluster runs)",
        example="image: volcanosh/vc-scheduler:v1.13.2",
    ),
    Rule(
        code="scheduler-flags",
        severity=Severity.NOTE,
        title="the scheduler's flags decide what it places where",
        meaning="The input has the Deployment or a pod of Volcano's scheduler, which is started with flags that are "
        "modelled: --scheduler-name (pods of these names are its pods), --default-queue, --node-selector (it knows "
        "nodes with one of these labels), --percentage-nodes-to-find and the like, --csi-storage and --plugins-dir. "
        "Nodes that it does not know are left out.",
        why="The scheduler ignores pods of other names and nodes without the labels.",
        fix="None needed. Give other values with --scheduler-flag NAME=VALUE.",
        source="cmd/scheduler/app/options/options.go; pkg/scheduler/cache/event_handlers.go",
        example="args: [--scheduler-name=volcano, --scheduler-name=batch]",
    ),
    Rule(
        code="wrong-encoding",
        severity=Severity.ERROR,
        title="a file is not text",
        meaning="The file is neither UTF-8 nor marked as UTF-16.",
        why="It is binary, or written by an editor with another encoding. PowerShell before version 6 writes UTF-16 "
        "into files.",
        fix="Save it as UTF-8.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="a file in Latin-1 with an umlaut",
    ),
)
"""What is wrong with files, and with the text in them."""

_SCENARIOS: Final = (
    Rule(
        code="cyclic-include",
        severity=Severity.ERROR,
        title="scenarios include one another",
        meaning="A scenario includes a file that, by way of others or not, includes the scenario itself.",
        why="vqs reads each file once, and a cycle has no first file.",
        fix="Remove one of the includes; name the files on the command line instead.",
        source="docs/scenarios.md (Scenarios)",
        example="include: base.yaml, where base.yaml includes this file",
    ),
    Rule(
        code="missing-value",
        severity=Severity.ERROR,
        title="a scenario lacks a required key",
        meaning="The schema requires a key that a part of the scenario lacks, such as the name of a queue.",
        why="vqs cannot guess the value.",
        fix="Add it; vqs schema scenario shows what each part requires.",
        source="docs/scenarios.md (Scenarios)",
        example="queues: [{weight: 2}]",
    ),
    Rule(
        code="no-room",
        severity=Severity.ERROR,
        title="the running pods of a scenario do not fit on its nodes",
        meaning="A job of a scenario has running pods, and they do not fit on the nodes in addition to what runs there "
        "already.",
        why="Before the session opens, running pods are placed on the first nodes with enough idle resources.",
        fix="Make the nodes larger, reduce the running pods, or name their nodes: running: {NODE: 2}.",
        source="docs/scenarios.md (Scenarios)",
        example="nodes: [{cpu: 1}] and jobs: [{name: a, running: 2, cpu: 1}]",
    ),
    Rule(
        code="several-times",
        severity=Severity.ERROR,
        title="scenarios set different times",
        meaning="Two scenarios set different times for the session.",
        why="There is one session, with one time.",
        fix="Remove one of them, or set the time with --now.",
        source="docs/scenarios.md (Scenarios)",
        example='now: "2026-01-01T00:00:00Z" in one, another in the next',
    ),
    Rule(
        code="too-large",
        severity=Severity.ERROR,
        title="the input expands to more than vqs simulates",
        meaning="A scenario may expand to at most 100,000 objects, 5,000,000 values in all of these together and "
        "100,000 nodes in its patterns, and assigning its running pods to nodes may take at most 5,000,000 steps. The "
        "nodes and the distinct pod requests may have at most 10,000,000 amounts of resources, the queues 500,000. A "
        "configuration may have at most 100 actions, and 200 tiers and plugins. The input exceeds one of these limits.",
        why="Reading or simulating it would take all memory, or hours.",
        fix="Lower count or replicas, and name each action and plugin once.",
        source="docs/speed.md (Limits)",
        example="jobs: [{name: a, count: 1000, replicas: 1000}]",
    ),
    Rule(
        code="unknown-flag",
        severity=Severity.ERROR,
        title="the scheduler does not know a flag that it is given",
        meaning="A scenario, or an option of vqs, gives the scheduler flags about sharding, and the release of Volcano "
        "that is modelled has no such flags.",
        why="A scheduler with an unknown flag does not start.",
        fix="Leave the flags out, or choose a release with --volcano that has them.",
        source="cmd/scheduler/app/options/options.go",
        example='volcano: "1.13", with flags: {scheduler-sharding-mode: hard}',
    ),
    Rule(
        code="unknown-key",
        severity=Severity.ERROR,
        title="a scenario has an unknown key",
        meaning="A part of a scenario has a key that the schema does not define there, or spec has one that no pod "
        "spec has.",
        why="The key would have no effect, although its author expects one.",
        fix="Correct it; vqs schema scenario lists the keys of each part.",
        source="docs/scenarios.md (Scenarios)",
        example="queues: [{name: a, wieght: 2}]",
    ),
    Rule(
        code="unknown-name",
        severity=Severity.ERROR,
        title="a scenario refers to something that does not exist",
        meaning="A job of a scenario names a queue, a priority class or a node that does not exist, or an expectation "
        "names an unknown verdict.",
        why="It would have no effect.",
        fix="Correct the name, or add what it refers to.",
        source="docs/scenarios.md (Scenarios)",
        example="jobs: [{name: a, queue: reserch}]",
    ),
    Rule(
        code="unsupported-document",
        severity=Severity.ERROR,
        title="a document has a version that vqs does not know",
        meaning="The apiVersion begins with vqs/, but is not one that this release reads, or the kind does not exist.",
        why="Keys may have another meaning in another version.",
        fix="Correct it: apiVersion vqs/v1, kind Scenario. A newer document needs a newer vqs.",
        source="docs/scenarios.md (Scenarios)",
        example="apiVersion: vqs/v2",
    ),
)
"""What is wrong with scenarios."""

_OBJECTS: Final = (
    Rule(
        code="duplicate-object",
        severity=Severity.ERROR,
        title="an object is given twice",
        meaning="Two objects have the same kind, namespace and name, and differ. Only the first is used. If they are "
        "equal, it is a note. Of two HyperNodes, the last is used, and it is a warning.",
        why="A cluster has one object of a name: the one that is applied last wins, so the order of the files decides.",
        fix="Remove one, or give it another name.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="two Queues called research, of weight 1 and of weight 3",
    ),
    Rule(
        code="duplicate-uid",
        severity=Severity.ERROR,
        title="two objects have the same uid",
        meaning="Two pods, or two PodGroups, have the same metadata.uid, but other names.",
        why="The scheduler identifies pods and PodGroups by their uid, so it would take the copy for the original.",
        fix="Remove metadata.uid from the one that is a copy.",
        source="pkg/scheduler/api/job_info.go",
        example="a pod of a dump, copied under another name",
    ),
    Rule(
        code="ignored-kinds",
        severity=Severity.NOTE,
        title="objects of some kinds are not used",
        meaning="The input has objects that vqs does not use although they may seem relevant, such as CronJobs, "
        "DaemonSets, or a Deployment for another scheduler. The note counts them. Kinds that have nothing to do with "
        "scheduling, such as Secrets, are skipped without a note. In a comparison, those that a change adds, changes "
        "or deletes are a warning, with the pods of other schedulers, and with webhooks, roles and autoscalers.",
        why="vqs does not know their effect, so it reports them.",
        fix="If a kind among them should matter, check its apiVersion. Otherwise there is nothing to do.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="not used: 12 CronJob",
    ),
    Rule(
        code="invalid-quantity",
        severity=Severity.ERROR,
        title="an amount is not a quantity",
        meaning="An amount of a resource is not written as Kubernetes writes quantities: a number, with a suffix such "
        "as m, k, Ki, M, Mi, G or Gi, or with an exponent. vqs lint goes on without the value; all other commands "
        "refuse the file.",
        why="The API server refuses the object.",
        fix="Correct it: 500m is half a core, 16Gi is 16 times 2^30 bytes.",
        source="k8s.io/apimachinery pkg/api/resource/quantity.go",
        example="memory: 16GB",
    ),
    Rule(
        code="invalid-value",
        severity=Severity.ERROR,
        title="a value is not one of those that are allowed",
        meaning="A value has the right type, but is out of range, not one that its field allows, or at odds with "
        "another field.",
        why="The API server refuses the object, by the schema of its kind or by the validation of the core types.",
        fix="Change the value, or the other field, as the message says.",
        source="config/crd/volcano/bases; k8s.io/kubernetes pkg/apis/core/validation/validation.go",
        example="status: {state: Opened}",
    ),
    Rule(
        code="invalid-weight",
        severity=Severity.ERROR,
        title="a queue's weight is out of range",
        meaning="spec.weight of a queue is less than 1 or more than 65535.",
        why="The API server refuses it. The plugin proportion divides the cluster by weight, and a queue without any "
        "would get nothing. Only when a queue is created, the webhook changes 0 to 1.",
        fix="Give the queue a weight from 1 to 65535, or leave it out for 1. To stop scheduling for a queue, close it.",
        source="config/crd/volcano/bases/scheduling.volcano.sh_queues.yaml; "
        "pkg/webhooks/admission/queues/mutate/mutate_queue.go",
        example="weight: 0",
    ),
    Rule(
        code="job-denied",
        severity=Severity.ERROR,
        title="Volcano's webhook refuses a Job",
        meaning="The Job contradicts itself: more minAvailable than replicas, two tasks of one name, two policies for "
        "one event, tasks that wait for each other, a plugin of Jobs that does not exist, no containers, and so on.",
        why="The admission webhook answers kubectl with an error, and nothing is created.",
        fix="Change the fields that the message names until they agree: minAvailable of at most the replicas, a name "
        "of its own for each task, one policy for an event, no tasks that wait for each other, only plugins that "
        "exist, and containers in each template.",
        source="pkg/webhooks/admission/jobs/validate/admit_job.go",
        example="minAvailable: 5, with tasks of 4 replicas together",
    ),
    Rule(
        code="kind-not-served",
        severity=Severity.ERROR,
        title="no cluster serves this kind",
        meaning="The API group of the object is gone, as scheduling.incubator.k8s.io is, or its kind is written in "
        "other letters than there are. The object is not used.",
        why="kubectl finds no match for the kind, and does not send the object.",
        fix="Write the apiVersion and kind that the message names.",
        source="k8s.io/api; config/crd/volcano/bases",
        example="apiVersion: scheduling.incubator.k8s.io/v1alpha1",
    ),
    Rule(
        code="missing-name",
        severity=Severity.ERROR,
        title="an object has no name",
        meaning="metadata.name is missing, and so is metadata.generateName. The object is not checked any further. A "
        "comparison with --base-ref reports an object that has generateName alone, too.",
        why="The API server refuses it: all objects of a cluster have a name. kubectl create takes generateName, and "
        "the API server fills the name in; kubectl apply refuses it.",
        fix="Give it a name.",
        source="k8s.io/apimachinery pkg/api/validation/objectmeta.go",
        example="metadata: {labels: {app: train}}",
    ),
    Rule(
        code="negative-quantity",
        severity=Severity.ERROR,
        title="an amount is less than zero",
        meaning="An amount of a resource is negative. vqs lint goes on without the value; all other commands refuse "
        "the file.",
        why="The API server refuses it in pods and nodes, and Volcano's webhook in the amounts of queues. In "
        "minResources of a PodGroup it passes, and the scheduler calculates with it.",
        fix="Correct it, or remove it if there should be no limit.",
        source="k8s.io/kubernetes pkg/apis/core/validation/validation.go (ValidateResourceQuantityValue); "
        "pkg/webhooks/admission/queues/validate/validate_queue.go",
        example='capability: {cpu: "-1"}',
    ),
    Rule(
        code="not-an-object",
        severity=Severity.ERROR,
        title="a document is not a Kubernetes object",
        meaning="A document is a text or a list of texts, or has no apiVersion or no kind.",
        why="vqs cannot tell what it describes. A bare volcano-scheduler.conf is one such file.",
        fix="Add apiVersion and kind; give the scheduler's configuration with --conf.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="a file that begins with actions: and tiers:",
    ),
    Rule(
        code="too-many-pods",
        severity=Severity.ERROR,
        title="workloads create too many pods",
        meaning="Controllers would create more than 50,000 pods in all, or than --max-pods allows, with the claims of "
        "StatefulSets, for Jobs, Deployments and others. Pods that are in the input do not count.",
        why="Otherwise two short Jobs could take hours and all memory.",
        fix="Lower the replicas, read a part of the input, or allow more with --max-pods.",
        source="docs/speed.md (Limits)",
        example="replicas: 200000",
    ),
    Rule(
        code="unknown-kind",
        severity=Severity.WARNING,
        title="the kind or the API group of an object looks misspelt",
        meaning="An object is not used, and its kind and group resemble those of one that would be.",
        why="A Queue in the group scheduling.volcano.io is not a Volcano queue: the API server does not know the kind, "
        "and vqs skips it.",
        fix="Correct apiVersion or kind.",
        source="docs/snapshots.md (What is read, and what is not)",
        example="apiVersion: scheduling.volcano.io/v1beta1",
    ),
    Rule(
        code="wrong-type",
        severity=Severity.ERROR,
        title="a value has the wrong type",
        meaning="A field holds a text where it should have a number, an object where it should have a list, and so on. "
        "vqs lint goes on without the value and what depends on it; all other commands refuse the file.",
        why="The API server refuses the object; if it is the scheduler's configuration, Volcano refuses all of it.",
        fix="Write the value as the message says; usually quotes are missing or superfluous.",
        source="config/crd/volcano/bases",
        example='weight: "3"',
    ),
)
"""What is wrong with the objects of a cluster."""

_CONFIGURATION: Final = (
    Rule(
        code="configuration-choice",
        severity=Severity.NOTE,
        title="vqs used one of several scheduler configurations",
        meaning="The input has more than one scheduler configuration. vqs used the one that --conf names, or the one "
        "in volcano-scheduler-configmap.",
        why="A scheduler has one configuration; the others have another purpose or are leftovers.",
        fix="If it was the wrong one, choose with --conf FILE.",
        source="pkg/scheduler/scheduler.go",
        example="vqs lint snapshot.json --conf new.conf",
    ),
    Rule(
        code="conflicting-plugins",
        severity=Severity.ERROR,
        title="proportion and drf with hierarchy are in one tier, and Volcano refuses the configuration",
        meaning="A tier has the plugin proportion, and drf with enableHierarchy: true.",
        why="Both would order queues and select victims of reclaim. Volcano refuses the whole configuration: a running "
        "scheduler keeps the one it had, a starting one uses the built-in one. Volcano only checks within a tier.",
        fix="Remove proportion, or enableHierarchy of drf. For queues in a tree, use capacity with enableHierarchy.",
        source="pkg/scheduler/util.go",
        example="- plugins:\n  - {name: drf, enableHierarchy: true}\n  - name: proportion",
    ),
    Rule(
        code="empty-configuration",
        severity=Severity.ERROR,
        title="the configuration is empty, and Volcano refuses it",
        meaning="The scheduler's configuration only has blanks and comments.",
        why="Its list of actions has one empty name, which is not an action, so Volcano refuses it. A running "
        "scheduler keeps the configuration it had, a starting one uses the built-in one.",
        fix="Write the configuration, or start the scheduler without --scheduler-conf to use the built-in one.",
        source="pkg/scheduler/util.go",
        example='volcano-scheduler.conf: ""',
    ),
    Rule(
        code="misplaced-argument",
        severity=Severity.WARNING,
        title="the argument is beside arguments, not under it",
        meaning="An argument of a plugin or an action is at the level of its name.",
        why="Arguments are only read from the object arguments. Volcano silently drops others, and the default "
        "applies. Comments in Volcano's own source show overcommit-factor and sla-waiting-time in this wrong place.",
        fix="Indent it by one more level, below arguments:.",
        source="pkg/scheduler/conf/scheduler_conf.go",
        example="- name: overcommit\n  arguments:\n  overcommit-factor: 1.5",
    ),
    Rule(
        code="misplaced-key",
        severity=Severity.WARNING,
        title="the key belongs to another level of the configuration",
        meaning="The configuration has a key of Volcano at a level where Volcano does not read it. Usually, lines are "
        "indented too much or too little.",
        why="Volcano silently drops the key there, with everything below it.",
        fix="Move it: actions, tiers, configurations and metrics are at the top; a tier has plugins; a plugin has its "
        "name, flags and arguments.",
        source="pkg/scheduler/conf/scheduler_conf.go",
        example="actions: allocate\nplugins:\n- name: gang",
    ),
    Rule(
        code="missing-plugin-name",
        severity=Severity.WARNING,
        title="the plugin has no name",
        meaning="An item of a tier's plugins does not name the plugin.",
        why="No plugin has an empty name. In every session, the scheduler logs that it failed to get the plugin and "
        "continues without it.",
        fix="Write name: as the first key of the item, or remove the item.",
        source="pkg/scheduler/framework/framework.go",
        example="- plugins:\n  - arguments: {binpack.weight: 10}",
    ),
    Rule(
        code="misspelt-flag",
        severity=Severity.WARNING,
        title="the flag is misspelt, and Volcano ignores it",
        meaning="A key beside a plugin's name is almost one of its flags: the prefix is enabled where Volcano writes "
        "enable, or the other way round, or upper case is wrong, or a letter.",
        why="The spellings are not uniform: most flags begin with enable; enabledVictim, enabledOverused, "
        "enabledAllocatable and those of hypernodes and subjobs with enabled; EnabledClusterOrder with a capital. "
        "Volcano silently drops a key that it does not know, and the flag keeps its default: true, except for "
        "enableHierarchy.",
        fix="Write the flag as Volcano does.",
        source="pkg/scheduler/conf/scheduler_conf.go",
        example="- name: capacity\n  enabledHierarchy: true",
    ),
    Rule(
        code="no-configuration",
        severity=Severity.ERROR,
        title="the file has no scheduler configuration",
        meaning="The file that was given as the configuration has Kubernetes objects in it, but no ConfigMap with "
        "actions or tiers under a key that ends in .conf.",
        why="The scheduler reads the file that --scheduler-conf names, commonly a key of a ConfigMap that is mounted.",
        fix="Give the ConfigMap volcano-scheduler-configmap, or the bare text.",
        source="pkg/scheduler/scheduler.go",
        example="--conf queues.yaml",
    ),
    Rule(
        code="several-configurations",
        severity=Severity.ERROR,
        title="there are several scheduler configurations to choose from",
        meaning="The input has more than one scheduler configuration, and none or several of them are in a ConfigMap "
        "named volcano-scheduler-configmap.",
        why="A scheduler has one configuration. Its pod shows which one, but vqs does not read that pod.",
        fix="Choose with --conf FILE, or leave the others out.",
        source="pkg/scheduler/scheduler.go",
        example="Two ConfigMaps with a key volcano-scheduler.conf, as two releases of Volcano in one cluster have.",
    ),
    Rule(
        code="several-documents",
        severity=Severity.WARNING,
        title="Volcano only reads the first document of the configuration",
        meaning="The text of the scheduler's configuration has a line --- in it, with more below.",
        why="Volcano reads the first YAML document of the text, and silently drops the others.",
        fix="Make one document of them, or remove the others.",
        source="pkg/scheduler/util.go",
        example="actions: allocate\n---\ntiers: []",
    ),
    Rule(
        code="unknown-action",
        severity=Severity.ERROR,
        title="Volcano has no such action, and refuses the configuration",
        meaning="actions names something that is none of enqueue, allocate, backfill, preempt, reclaim and shuffle. "
        "An empty name, as a comma too many makes one, counts as well, and so does a configuration without actions.",
        why="Volcano refuses the whole configuration, and only the scheduler's log says so: a running scheduler keeps "
        "the configuration it had, a starting one uses the built-in one. With --disable-default-scheduler-config, it "
        "exits. Volcano 1.13 leaves such an action out, and runs the others.",
        fix="Correct the name, or remove it. Upper case counts.",
        source="pkg/scheduler/util.go; pkg/scheduler/scheduler.go",
        example='actions: "enqueue, allocate, backfil"',
    ),
    Rule(
        code="unknown-conf-key",
        severity=Severity.WARNING,
        title="Volcano ignores this key of its configuration",
        meaning="The scheduler's configuration has a key that Volcano does not read at this place.",
        why="Volcano silently drops keys that it does not know; its log does not mention them. The default applies.",
        fix="Correct the spelling; keys are case-sensitive. Arguments of a plugin go under its arguments:.",
        source="pkg/scheduler/conf/scheduler_conf.go",
        example="- name: binpack\n  argument: {binpack.weight: 10}",
    ),
)
"""What is wrong with the configuration of the scheduler."""

_CHANGES: Final = (
    Rule(
        code="budget-spares-pods",
        severity=Severity.WARNING,
        title="a budget of a change spares pods that the change itself would evict",
        meaning="A change adds or changes a PodDisruptionBudget, and without it, the rest of the change would evict "
        "pods that it selects. The plugin pdb is on.",
        why="The budget protects nothing until its controller has counted the pods. The scheduler may be faster.",
        fix="Apply the budget in a change of its own, before the rest.",
        source="k8s.io/kubernetes pkg/controller/disruption/disruption.go; pkg/scheduler/plugins/pdb/pdb.go",
        example="a lower weight of queue research, and a PodDisruptionBudget with minAvailable: 100% for its pods",
    ),
    Rule(
        code="namespace-missing",
        severity=Severity.WARNING,
        title="an object of a change has no namespace to be in",
        meaning="A change puts an object into a namespace that does not exist, that is being deleted, or that the "
        "change itself deletes. The comparison leaves such an object out. Where the snapshot has no Namespaces, a "
        "namespace in which it has no object is reported too, and its objects are kept.",
        why="The API server refuses objects in a namespace that does not exist, and deletes all in one that is "
        "deleted. The room that they seem to take stays free.",
        fix="Add the Namespace to the change, or correct the name.",
        source="k8s.io/apiserver pkg/admission/plugin/namespace/lifecycle/admission.go",
        example="metadata: {name: train, namespace: reserach}",
    ),
    Rule(
        code="new-pods-differ",
        severity=Severity.WARNING,
        title="pods that are made again would not be like those that are there",
        meaning="A change adds, changes or deletes a PriorityClass or RuntimeClass that pods or templates of the base "
        "name, makes a PriorityClass the default, or changes labels or annotations of a Namespace that decide which "
        "pods it takes.",
        why="The API server applies these only when a pod is created: pods in the snapshot have the old values, and "
        "those that replace them get the new ones, or are refused.",
        fix="Check what it does to pods that restart; the comparison does not show it.",
        source="k8s.io/kubernetes plugin/pkg/admission/priority/admission.go; k8s.io/kubernetes "
        "plugin/pkg/admission/runtimeclass/admission.go",
        example="a new PriorityClass with globalDefault: true",
    ),
    Rule(
        code="object-updated",
        severity=Severity.NOTE,
        title="an object is there already, and is updated",
        meaning="What is added to a snapshot, with vqs fit or --add, has an object that the snapshot has, too, and "
        "says something else of it. The note names the first field that changes.",
        why="kubectl apply updates what exists. A Namespace or a Queue that a bundle repeats stops nothing.",
        fix="Nothing, if that is what applying the file is to do.",
        source="docs/snapshots.md (Other objects and files)",
        example="a bundle with queue research of weight 4, where the cluster has it with weight 1",
    ),
    Rule(
        code="owner-changed",
        severity=Severity.WARNING,
        title="a change gives an object to another owner",
        meaning="A change writes metadata.ownerReferences of an object, and the base has none or others.",
        why="Kubernetes deletes the object together with its owner, and a controller may take it for its own and "
        "change or delete it. What comes of that is not in the comparison.",
        fix="Leave out ownerReferences: controllers write them.",
        source="k8s.io/kubernetes pkg/controller/garbagecollector",
        example="ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: 1, controller: true}]",
    ),
    Rule(
        code="owner-missing",
        severity=Severity.WARNING,
        title="a new object would be deleted or adopted at once",
        meaning="A change adds an object whose owner does not exist, or a pod with the labels that a ReplicaSet or "
        "StatefulSet selects. The comparison leaves it out.",
        why="Kubernetes deletes objects whose owners are gone. A controller adopts a pod with the labels that it "
        "selects, and deletes pods that are too many.",
        fix="Leave out ownerReferences, or give the pod other labels.",
        source="k8s.io/kubernetes pkg/controller/garbagecollector; k8s.io/kubernetes "
        "pkg/controller/controller_ref_manager.go",
        example="a Pod with labels: {app: web}, beside a ReplicaSet that selects app: web",
    ),
    Rule(
        code="pods-refused",
        severity=Severity.WARNING,
        title="the API server refuses the pods of a new or changed object",
        meaning="A pod or a template of a change names a PriorityClass, RuntimeClass or ServiceAccount that does not "
        "exist, gives a priority, preemptionPolicy or overhead of its own that is not that of its class, or has an "
        "image that begins or ends with a blank. No pods are made of it in the comparison. Where the snapshot cannot "
        "tell whether the class or account exists, the pods are made, and the finding says so.",
        why="The workload is created, but none of its pods is: the room that they seem to take stays free.",
        fix="Correct the field at the marked place, or add what it names to the change.",
        source="k8s.io/kubernetes plugin/pkg/admission/priority/admission.go; k8s.io/kubernetes "
        "plugin/pkg/admission/runtimeclass/admission.go; k8s.io/kubernetes "
        "plugin/pkg/admission/serviceaccount/admission.go; k8s.io/kubernetes "
        "pkg/apis/core/validation/validation.go (validateContainersOnlyForPod)",
        example="priority: 1000, without priorityClassName",
    ),
    Rule(
        code="queue-deletion-denied",
        severity=Severity.ERROR,
        title="a queue cannot be deleted",
        meaning="A change deletes the queue root or default, or a queue that others name as their parent.",
        why="The webhook for queues refuses it. It accepts the deletion of any other queue, whatever its state and "
        "users, unless it is configured to check for pods (--enable-queue-allocated-pods-check).",
        fix="Keep the queue, or delete or move its children first.",
        source="pkg/webhooks/admission/queues/validate/validate_queue.go (validateQueueDeleting)",
        example="vqs diff-configs --on snapshot.json --remove queue/team, where queue team-a has parent: team",
    ),
    Rule(
        code="queue-state-unsettled",
        severity=Severity.ERROR,
        title="a queue that is neither open nor closed is changed",
        meaning="A change updates a queue with a status.state of Closing or Unknown, whatever the change.",
        why="The webhook for queues refuses it. An update keeps the status that is stored, so another state in the "
        "manifest has no effect.",
        fix="Wait until the queue is closed, or open it: vcctl queue operate -a open -n NAME.",
        source="pkg/webhooks/admission/queues/validate/validate_queue.go (validateStateOfQueue)",
        example="vqs diff-configs --on snapshot.json --set queue/team.spec.weight=3, where queue team is Closing",
    ),
    Rule(
        code="quota-refuses-pods",
        severity=Severity.WARNING,
        title="a ResourceQuota refuses pods of its namespace",
        meaning="A change adds, changes or deletes a ResourceQuota, or adds pods below one, and the pods that the "
        "namespace wants, running and to be made, are more than the quota allows, or do not say how much they want of "
        "what it limits. A quota that refused pods and no longer does is reported too.",
        why="The API server refuses each new pod that does not fit into the quota. Pods that run stay, but once they "
        "end, none replaces them. vqs creates no pods that it refuses, whether or not the plugin resourcequota is on: "
        "the job that lacks them has the verdict api-server-refuses-pods.",
        fix="Raise spec.hard, or have the namespace ask for less.",
        source="k8s.io/kubernetes plugin/pkg/admission/resourcequota",
        example="hard: {pods: 0}",
    ),
    Rule(
        code="silence-added",
        severity=Severity.WARNING,
        title="a change silences findings that the base does not",
        meaning="The candidate of a comparison has a comment or an annotation that silences findings, and the base "
        "has none that silences the same codes on the same object, or on the same field. It has no effect in the "
        "comparison.",
        why="Otherwise the author of a change could switch off its checks. A reviewer decides about a silence: once it "
        "is in the base, it counts.",
        fix="Correct what it silences, or have it reviewed; the figure silences of --fail-on counts these.",
        source="docs/lint.md (Silencing)",
        example="weight: -1 # vqs: ignore[*] ok",
    ),
    Rule(
        code="written-back",
        severity=Severity.WARNING,
        title="a change is made to an object that a controller writes",
        meaning="A change edits a PodGroup of a Volcano Job, a ReplicaSet of a Deployment, or another object that "
        "something else owns. Of a PodGroup, the Job's controller writes minMember, minTaskMember, minResources and "
        "priorityClassName: the comparison leaves these as the Job says.",
        why="The controller of the owner writes the object again, and the change is lost.",
        fix="Change the owner instead.",
        source="pkg/controllers/job/job_controller_actions.go (shouldUpdateExistingPodGroup)",
        example="minMember: 1 in the PodGroup of a Job with minAvailable: 4",
    ),
)
"""What is wrong with a change, against what is there before it."""

_SILENCES: Final = (
    Rule(
        code="silence-unknown-code",
        severity=Severity.WARNING,
        title="a silence names a code that does not exist",
        meaning="A comment or an annotation that silences findings names a code that does not exist.",
        why="It silences nothing, although its author expects it to.",
        fix="Correct the code; vqs rule lists all of them.",
        source="docs/lint.md (Silencing)",
        example="# vqs: ignore[parent-mising] comes later",
    ),
    Rule(
        code="silence-unused",
        severity=Severity.NOTE,
        title="a silence has no finding to silence",
        meaning="A comment or an annotation silences a code, and there is no finding of that code at its place.",
        why="The problem was corrected or has moved. The silence would hide the next one there.",
        fix="Remove it.",
        source="docs/lint.md (Silencing)",
        example="# vqs: ignore[parent-missing] comes later, when the parent is there",
    ),
    Rule(
        code="silence-without-code",
        severity=Severity.WARNING,
        title="a comment does not say what to silence",
        meaning="A comment or an annotation that silences findings names no code. It has no effect.",
        why="Silencing everything would hide findings that no one has seen.",
        fix="Name the codes: # vqs: ignore[code] reason.",
        source="docs/lint.md (Silencing)",
        example="# vqs: ignore",
    ),
    Rule(
        code="silence-without-reason",
        severity=Severity.WARNING,
        title="a silence has no reason",
        meaning="A comment or an annotation that silences findings does not say why. It has no effect.",
        why="Later readers cannot tell whether it still applies.",
        fix="Write the reason after the codes: # vqs: ignore[code] reason.",
        source="docs/lint.md (Silencing)",
        example="# vqs: ignore[parent-missing]",
    ),
)
"""What is wrong with comments and annotations that silence findings."""

_SIMULATION: Final = (
    Rule(
        code="held-back",
        severity=Severity.NOTE,
        title="pods are not created yet, as they wait for others of their Job",
        meaning="A task of a Volcano Job has dependsOn, so its pods are created when those of another task run. A "
        "simulation says so.",
        why="The controller makes them later, and a simulation shows one session.",
        fix="None needed. To simulate these pods too, remove dependsOn.",
        source="pkg/controllers/job/job_controller_actions.go",
        example="dependsOn: {name: [ps]}",
    ),
    Rule(
        code="made-at-once",
        severity=Severity.NOTE,
        title="pods were added at once that a cluster creates one after another",
        meaning="The pods of a StatefulSet with OrderedReady, or of a Job whose tasks depend on each other, are "
        "all in the simulated cluster from the start. A simulation says so.",
        why="In a cluster each waits for the one before it to be ready.",
        fix="None needed. In a cluster, only the first of these pods exists at this point.",
        source="pkg/controllers/job/job_controller_actions.go; k8s.io/kubernetes "
        "pkg/controller/statefulset/stateful_set_control.go",
        example="podManagementPolicy: OrderedReady",
    ),
    Rule(
        code="made-objects",
        severity=Severity.NOTE,
        title="the objects that controllers would create were added",
        meaning="The input has Jobs, Deployments or bare pods without the PodGroups and pods that controllers create "
        "for them. A simulation adds these and says how many there are.",
        why="The scheduler only reads PodGroups and pods.",
        fix="None needed. vqs expand prints the objects that were added.",
        source="pkg/controllers/job/job_controller_actions.go; pkg/controllers/podgroup/pg_controller_handler.go",
        example="1 PodGroup and 3 Pods for 1 Job",
    ),
)
"""What a simulation notes about the pods that it makes."""

READING: Final = (*_FILES, *_SCENARIOS, *_OBJECTS, *_CONFIGURATION, *_CHANGES, *_SILENCES, *_SIMULATION)
