"""What everybody knows: the words of Kubernetes and Volcano that decide, or tell nothing of whose cluster it is."""

from __future__ import annotations

import re
from typing import Final

from vqs.config.known_arguments import ACTION_ARGUMENTS
from vqs.config.known_plugins import PLUGINS
from vqs.engine.framework.topology import ALLOCATED_HYPER_NODE
from vqs.engine.plugins.conformance import CRITICAL_CLASSES, SYSTEM_NAMESPACE
from vqs.engine.plugins.deviceshare import ascend, gpu_share, virtual_gpu
from vqs.model import keys
from vqs.model.durations import DURATION
from vqs.model.keys import OTHER_ANNOTATIONS
from vqs.snapshot.reading.kinds import KINDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# --- names ------------------------------------------------------------------------------------------------------------

FIXED_WORDS: Final = frozenset({"default", "false", "kube", "latest", "podgroup", "root", "true"})
"""Words of names that are looked for, or that vqs and Volcano put into names themselves."""

DEFAULT_TASK: Final = re.compile(r"default[0-9]{0,4}")
"""The name of a task that has none."""

FIXED_NAMES: Final = (SYSTEM_NAMESPACE, "kubernetes.io", "k8s.io", "volcano.sh")
"""Names, and ends of domains, that are looked for as a whole."""

PRIORITY_CLASSES: Final = CRITICAL_CLASSES

SCHEDULERS: Final = frozenset({keys.SCHEDULER_NAME, keys.DEFAULT_SCHEDULER})

PROVISIONERS: Final = frozenset({"kubernetes.io/no-provisioner", "rancher.io/local-path", "hostpath.csi.k8s.io"})
"""Volume drivers that the scheduler treats in a way of their own."""

HOST_ADDRESSES: Final = frozenset({"0.0.0.0", "127.0.0.1", "::"})  # noqa: S104 - an address that is read, not listened on

# --- keys of labels, annotations and taints ---------------------------------------------------------------------------

_YES_OR_NO: Final = r"[Tt]rue|TRUE|[Ff]alse|FALSE|[tTfF01]|yes"
_NUMBER: Final = r"[-+]?[0-9]+(?:\.[0-9]+)?%?"

VALUES: Final = {
    key: re.compile(pattern)
    for pattern, known in {
        _YES_OR_NO: (keys.PREEMPTABLE, "volcano.sh/oversubscription", "pv.kubernetes.io/bind-completed"),
        _NUMBER: (
            keys.TASK_INDEX,
            keys.PARTITION_ID,
            keys.JOB_VERSION,
            keys.JOB_RETRY_COUNT,
            keys.MIN_AVAILABLE,
            keys.MAX_UNAVAILABLE,
            keys.GROUP_MIN_MEMBER,
            keys.TOPOLOGY_TIER,
            "apps.kubernetes.io/pod-index",
            "batch.kubernetes.io/job-completion-index",
            "controller.kubernetes.io/pod-deletion-cost",
            "volcano.sh/oversubscription-cpu",
            "volcano.sh/oversubscription-memory",
            "volcano.sh/task-priority",
            "vqs.volcano.sh/cpu-usage",
            "vqs.volcano.sh/memory-usage",
        ),
        r"[0-9.]+(?:/[0-9.]+)*": ("volcano.sh/hierarchy-weights",),
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[-+][0-9]{2}:[0-9]{2})": ("vqs.volcano.sh/usage-time",),
        DURATION: (keys.COOLDOWN_TIME, "sla-waiting-time", "volcano.sh/sla-waiting-time"),
        "MostAllocated|LeastAllocated": (keys.STRATEGY_TYPE,),
        "[0-9]+": (gpu_share.PREDICATE_TIME,),
        "[0-9]+(?:,[0-9]+)*": (gpu_share.GPU_INDEX, keys.UNHEALTHY_GPUS),
        "hami-core|mig|mps": (virtual_gpu.MODE,),
        "(?:Requesting|Reported|Deleted)_[0-9. :]+": (virtual_gpu.HANDSHAKE,),
        "spread": (virtual_gpu.POD_GROUP_POLICY,),
        "allocating|success|failed": (virtual_gpu.BIND_PHASE, ascend.BIND_PHASE),
        "none|best-effort|restricted|single-numa-node": (keys.NUMA_POLICY,),
        "hard|soft|Hard|Soft": (keys.TOPOLOGY_MODE,),
        "linux|windows": ("kubernetes.io/os", "beta.kubernetes.io/os"),
        "amd64|arm64|arm|ppc64le|s390x|riscv64": ("kubernetes.io/arch", "beta.kubernetes.io/arch"),
    }.items()
    for key in known
}
"""Keys whose values stay as they are if they have this form."""

ANNOTATIONS: Final = (
    frozenset(VALUES)
    | OTHER_ANNOTATIONS
    | {
        keys.GROUP_NAME,
        keys.GROUP_QUEUE,
        keys.TASK_SPEC,
        keys.JOB_NAME,
        keys.JOB_NAMESPACE,
        keys.QUEUE_NAME,
        keys.TEMPLATE,
        keys.REVOCABLE_ZONE,
        keys.STRATEGY_WEIGHTS,
        ALLOCATED_HYPER_NODE,
        keys.VOLCANO_GROUP_NAME,
        "volcano.sh/hierarchy",
        keys.TOPOLOGY_AFFINITY,
        keys.TOPOLOGY_ANTI_AFFINITY,
        keys.TOPOLOGY_ORDER,
        virtual_gpu.NODE,
    }
)
"""Annotations that decide; all others are left out."""

KEYS: Final = ANNOTATIONS | {
    "app.kubernetes.io/component",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/name",
    "app.kubernetes.io/part-of",
    "app.kubernetes.io/version",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
    "beta.kubernetes.io/instance-type",
    "controller-revision-hash",
    "controller-uid",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "job-name",
    "kubernetes.io/hostname",
    "kubernetes.io/metadata.name",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/exclude-from-external-load-balancers",
    "node.kubernetes.io/instance-type",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/network-unavailable",
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/out-of-service",
    "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/unreachable",
    "node.kubernetes.io/unschedulable",
    "node-role.kubernetes.io/control-plane",
    "node-role.kubernetes.io/master",
    "node-role.kubernetes.io/worker",
    "nvidia.com/gpu",
    "pod-template-generation",
    "pod-template-hash",
    "statefulset.kubernetes.io/pod-name",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "volcano.sh/nodegroup-name",
}
"""Keys of labels and taints that stay."""

MADE_NAMES: Final = frozenset({keys.TEMPLATE, keys.GROUP_NAME, "statefulset.kubernetes.io/pod-name"})
"""Keys whose values controllers put together."""

METADATA_NAME: Final = "metadata.name"
CSI_DRIVER: Final = "csi.storage.k8s.io/csi-driver-name"

# --- resources --------------------------------------------------------------------------------------------------------

RESOURCE: Final = re.compile(
    r"(?:cpu|memory|pods|storage|ephemeral-storage|hugepages-[0-9]+[KMG]i"
    r"|persistentvolumeclaims|services(?:\.(?:loadbalancers|nodeports))?|configmaps|secrets|resourcequotas"
    r"|replicationcontrollers|count/(?:pods|services|configmaps|secrets|persistentvolumeclaims"
    r"|deployments\.apps|replicasets\.apps|statefulsets\.apps|jobs\.batch|cronjobs\.batch)"
    r"|nvidia\.com/(?:gpu|gpu\.shared|gpumem|gpumem-percentage|gpucores|mig-[0-9]g\.[0-9]+gb)"
    r"|amd\.com/gpu|gpu\.intel\.com/i915|habana\.ai/gaudi|google\.com/tpu|aws\.amazon\.com/neuron(?:core|device)?"
    r"|huawei\.com/Ascend[0-9]+[A-Z]?[0-9]?(?:-memory)?|cambricon\.com/mlu|hygon\.com/dcu|rdma/(?:hca|ib)"
    r"|volcano\.sh/(?:gpu-memory|gpu-number|vgpu-memory|vgpu-number|vgpu-cores|vgpu-memory-percentage))"
)
"""Names of resources that are built in, or that a vendor of devices has published."""

RESOURCE_PREFIXES: Final = ("requests.", "limits.", "attachable-volumes-csi-", "attachable-volumes-", "deviceclass/")
"""What stands before the name of a resource, of a volume driver, or of a DeviceClass."""

# --- values of fields -------------------------------------------------------------------------------------------------

AMOUNT: Final = re.compile(r"[-+]?[0-9]*+\.?[0-9]*+(?:[eE][-+]?[0-9]+|[numkKMGTPE]i?)?", re.ASCII)
FIGURE: Final = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?(?:m|[KMGTPE]i?)|[-+]?[0-9]+\.[0-9]+", re.ASCII)
"""An amount in a message: one without unit and fraction might as well be a name."""
INT_OR_PERCENT: Final = re.compile(r"[0-9]+%?")
INDEXES: Final = re.compile(r"[0-9,-]*")
INTEGER: Final = re.compile(r"[-+]?[0-9]+")
SETTING: Final = re.compile(
    rf"{_NUMBER}|{DURATION}|\s*[0-9]{{1,2}}:[0-9]{{2}}-[0-9]{{1,2}}:[0-9]{{2}}\s*"
    "|LeastAllocated|MostAllocated|RequestedToCapacityRatio|lowNodeUtilization|prometheus|prometheus_adaptor"
    "|elasticsearch|binpack|spread|volcano-vgpu-device-config|system-cluster-critical|system-node-critical|"
)
"""Texts in the scheduler's configuration that are no names."""

PHASES: Final = _words(
    "Pending Inqueue Running Unknown Completed Succeeded Failed Bound Available Released Lost Aborting Aborted "
    "Restarting Completing Terminating Terminated Open Closed Closing"
)
CHOICES: Final = _words(
    "In NotIn Exists DoesNotExist Gt Lt Equal NoSchedule PreferNoSchedule NoExecute DoNotSchedule ScheduleAnyway "
    "Honor Ignore Never PreemptLowerPriority Always OnFailure TCP UDP SCTP traverse fifo hard soft Node HyperNode "
    "any all Immediate WaitForFirstConsumer ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod OrderedReady "
    "Parallel Indexed NonIndexed Guaranteed Burstable BestEffort CPUManagerPolicy TopologyManagerPolicy static "
    "none best-effort restricted single-numa-node True False Unknown AbortJob "
    "RestartJob RestartTask RestartPod RestartPartition TerminateJob CompleteJob ResumeJob * PodFailed PodEvicted "
    "PodPending TaskCompleted TaskFailed JobUpdated OutOfSync CommandIssued Filesystem Block "
    "All ExactCount Terminating NotTerminating NotBestEffort PriorityClass CrossNamespacePodAffinity "
    "VolumeAttributesClass"
)
"""Values of fields that take one of a few."""

CONDITIONS: Final = _words(
    "PodScheduled Ready Initialized ContainersReady PodReadyToStartContainers DisruptionTarget PodResizePending "
    "PodResizeInProgress Unschedulable Scheduled Complete Failed Suspended SuccessCriteriaMet FailureTarget "
    "MemoryPressure DiskPressure PIDPressure NetworkUnavailable ReplicaFailure"
)
REASONS: Final = _words(
    "Unschedulable Schedulable SchedulingGated NotEnoughResources NotEnoughPodsOfTask NotEnoughTasks "
    "PodGroupNotReady Evict PreemptionByScheduler DeletionByTaintManager EvictionByEvictionAPI TerminationByKubelet "
    "PodCompleted ContainersNotReady ContainersNotInitialized KubeletReady KubeletNotReady "
    "KubeletHasSufficientMemory KubeletHasNoDiskPressure KubeletHasSufficientPID NodeStatusUnknown "
    "BackoffLimitExceeded DeadlineExceeded CompletionsReached SchedulerError FailedCreate FailedDelete"
)

KIND_NAMES: Final = frozenset({name for _, name in KINDS}) | {"DaemonSet", "CronJob", "CronVolcanoJob", "JobFlow"}
API_VERSIONS: Final = frozenset({kind.api_version for kind in KINDS.values()}) | {"apps/v1beta1", "batch/v1beta1"}

PLUGIN_NAMES: Final = frozenset(PLUGINS.built_in)
ACTION_NAMES: Final = frozenset(ACTION_ARGUMENTS.built_in)
JOB_PLUGINS: Final = frozenset({"ssh", "env", "svc", "tensorflow", "mpi", "pytorch", "hcclrank", "ray"})
ROLES: Final = {
    "hcclrank": ("master", "worker"),
    "mpi": ("master", "worker"),
    "pytorch": ("master", "worker"),
    "ray": ("head", "worker"),
    "tensorflow": ("chief", "evaluator", "ps", "worker"),
}
"""The tasks that a plugin of Volcano Jobs looks for by name, unless a flag of the same name says otherwise."""

JOB_FLAG: Final = re.compile(
    rf"--?(?:{'|'.join(sorted({role for roles in ROLES.values() for role in roles}))}|port|wait-master-enabled"
    "|wait-master-timeout|clientPort|dashboardPort)"
)
"""Flags of these plugins."""

# --- messages ---------------------------------------------------------------------------------------------------------

MESSAGE_WORDS: Final = _words(
    "Allocated Binding Bound Evicted Failed Inqueue Insufficient NodeAffinity NodePorts NotReady Origin Pending "
    "PersistentVolume's PersistentVolumeClaims Pipelined Pod PodAffinity PodGroup Preempt Preempted Reclaim Releasing "
    "Running Schedulable Scheduling Succeeded TaintToleration Undetermined Unknown Unschedulable VolumeBinding a "
    "above affinity after all allocatable already an and anti any are as assigned at attached available be been being "
    "below blocked bound but by can can't cannot capability check claim claims class cluster complete conflicts "
    "constraints containers could count created deallocated deleted deserved did didn't do does doesn't due empty "
    "enough ephemeral error exceed exceeded exceeds existing failed filter find fit for forbidden found free from "
    "gang gate gates get greater group guarantee had has have hold host id immediate in inqueue insufficient into is "
    "it job jobs keep label lacks less limit limits many match matched max minAvailable minMember minResources "
    "minimal minimum missing more must name namespace need new no node nodes non non-empty none not nothing number of "
    "on once only open or other overcommit overused parent per persistent persistentvolume persistentvolumeclaim "
    "plugin pod podgroup pods ports possibly predicate predicates priority proportional queue queue's quota ratio "
    "ready realCapability reason reasons release released request requested requests required reserved resource "
    "resources root rules running satisfied satisfy schedulable scheduled scheduler scheduling session skip specified "
    "spread state status still such taint taints task tasks than that the their them there these they this to "
    "tolerate too topology total try unavailable unbound unschedulable untolerated usage use used volume volumes wait "
    "waiting was were when where which while will with within without would zone"
)
"""Words of the messages that schedulers write. Names are not looked for among them, so one of these stays."""
