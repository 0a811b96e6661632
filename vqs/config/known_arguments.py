"""The arguments that the plugins and actions of Volcano read: their types, defaults and limits, and their values.

Each plugin reads its arguments in its own way, and so what comes of a value of the wrong type differs: most count as
not given, some make the scheduler exit. References in volcano-sh/volcano: ``pkg/scheduler/framework/arguments.go``, and
``New`` or ``OnSessionOpen`` of each plugin under ``pkg/scheduler/plugins``, ``parseArguments`` of each action under
``pkg/scheduler/actions``.

They are read by type: an argument that is not given has its default. One of the wrong type counts as not
given, as in Volcano, where only the scheduler's log says so. Here each such case is also a warning.

Some arguments are decoded strictly, into structures: what is not given, and null, comes to nothing: 0, false, an empty
text, an object of such. A value of the wrong type makes the scheduler exit; here it counts as not given. A fraction is
cut off where a whole number is wanted.
Reference: ``pkg/scheduler/framework/arguments.go`` (``Get``) in volcano-sh/volcano, github.com/mitchellh/mapstructure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, TypeVar

from vqs.extensible import Extensible
from vqs.model.durations import parse_duration
from vqs.model.quantity import is_boolean, is_true
from vqs.releases.profile import Profile

_CLOCK: Final = r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9]"
_POLICIES: Final = frozenset({"", "binpack", "spread"})
_HOURS: Final = re.compile(rf"\s*{_CLOCK}-{_CLOCK}\s*")


class Kind(Enum):
    """What a value has to be; the text says so."""

    INT = "a whole number"
    NUMBER = "a number"
    BOOL = "true or false"
    TEXT = "text"
    DURATION = "a duration such as 5m or 1h30m"
    HOURS = "a span of the day such as 10:00-21:00"
    POLICY = "binpack or spread"
    AMOUNT = "a quantity or a whole number"
    TEXTS = "a list of texts"
    LIST = "a list"
    OBJECT = "an object"


class Outcome(Enum):
    """What comes of a value of the wrong type."""

    IGNORED = "it counts as not given"
    ZERO = "it counts as 0"
    EXIT = "the scheduler exits, as it cannot decode it"
    PANIC = "the scheduler exits, as it takes the type for granted"


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a plugin or an action, or a part of one.

    Attributes:
        name: its name; ``*`` stands for a part that is free.
        kind: what it has to be.
        default: what counts where it is not given, as one would write it.
        wrong: what comes of a value of the wrong type.
        least: values below are out of range.
        most: values above are.
        outside: what comes of a value out of range.
        fields: the parts of an object, or of each object in a list.
        malformed: what comes of a text that does not read as its kind.
        unit: the unit of a number.
        folds: whether upper case does not count in the names of its fields, as where Volcano decodes them.
        only_with: the behaviour, and those values of it with which it exists; None where it always does.
    """

    name: str
    kind: Kind
    default: str = ""
    wrong: Outcome = Outcome.IGNORED
    least: float | None = None
    most: float | None = None
    outside: str = ""
    fields: tuple[Argument, ...] = ()
    malformed: str = ""
    folds: bool = False
    unit: str = ""
    only_with: tuple[str, ...] | None = None

    def matches(self, name: str, *, fold: bool = False) -> bool:
        """True if a name is that of the argument."""
        if "*" in self.name:
            head, _, tail = self.name.partition("*")
            return name.startswith(head) and name.endswith(tail) and len(name) > len(head) + len(tail)
        return name == self.name or (fold and name.casefold() == self.name.casefold())

    def accepts(self, value: object) -> bool:
        """True if a value has the right type. Where it is decoded, null is nothing, and a fraction is cut off."""
        decoded = self.wrong is Outcome.EXIT
        if decoded and value is None:
            return True
        match self.kind:
            case Kind.INT:
                fits = isinstance(value, int | float if decoded else int) and not isinstance(value, bool)
            case Kind.NUMBER:
                fits = isinstance(value, int | float) and not isinstance(value, bool)
            case Kind.BOOL:
                fits = isinstance(value, bool)
            case Kind.TEXT | Kind.DURATION | Kind.HOURS | Kind.POLICY:
                fits = isinstance(value, str)
            case Kind.AMOUNT:
                fits = isinstance(value, str | int) and not isinstance(value, bool)
            case Kind.TEXTS:
                fits = isinstance(value, list) and all(isinstance(each, str) for each in value)
            case Kind.LIST:
                fits = isinstance(value, list)
            case Kind.OBJECT:
                fits = isinstance(value, dict)
        return fits

    @property
    def is_fatal(self) -> bool:
        """Whether a value of the wrong type ends the scheduler."""
        return self.wrong in {Outcome.EXIT, Outcome.PANIC}

    def reads(self, text: str) -> bool:
        """True if a text reads as what it has to be."""
        match self.kind:
            case Kind.DURATION:
                return parse_duration(text) is not None
            case Kind.HOURS:
                return _HOURS.fullmatch(text) is not None
            case Kind.POLICY:
                return text in _POLICIES
            case _:
                return True

    def allows(self, value: object) -> bool:
        """True if a value is within its range, if it has one."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return True
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)


def find_argument(arguments: Iterable[Argument], name: str, *, fold: bool = False) -> Argument | None:
    """The argument of a name, if there is one; a name without free parts goes first, then the longest."""
    known = tuple(arguments)
    for each in known:
        if each.name == name and "*" not in name:
            return each
    found = (each for each in known if each.matches(name, fold=fold))
    return min(found, key=lambda each: ("*" in each.name, -len(each.name)), default=None)


def known_in(arguments: Iterable[Argument], profile: Profile) -> tuple[Argument, ...]:
    """Those of some arguments that a release knows."""
    return tuple(each for each in arguments if each.only_with is None or profile.has(*each.only_with))


def _int(
    name: str,
    default: int,
    least: float | None = None,
    outside: str = "",
    *,
    most: float | None = None,
    unit: str = "",
) -> Argument:
    return Argument(name, Kind.INT, str(default), least=least, most=most, outside=outside, unit=unit)


def _bool(name: str, *, default: bool, only_with: tuple[str, ...] | None = None) -> Argument:
    return Argument(name, Kind.BOOL, str(default).lower(), only_with=only_with)


def _score(name: str, default: int) -> Argument:
    return _int(name, default, 0, "the score counts against a node, so that the worst one wins")


def _weight(name: str) -> Argument:
    return _int(name, 1, 0, "Volcano takes 1 in its place")


def _decoded(
    name: str, kind: Kind, default: str = "", *, least: float | None = None, outside: str = "", unit: str = ""
) -> Argument:
    return Argument(name, kind, default, Outcome.EXIT, least=least, outside=outside, unit=unit)


_MANAGED: Final = ("managed-resources", "known")
_RESERVE: Final = ("proportional-reserve", "known")
_TOPOLOGY_AWARE: Final = ("topology-aware-preemption", "enableTopologyAwarePreemption")
_CACHE: Final = _bool("predicateErrorCacheEnable", default=True)
_THRESHOLDS: Final = tuple(
    Argument(name, Kind.INT, "80", Outcome.ZERO, 0, 100, "it is a percentage", unit="percent")
    for name in ("cpu", "mem")
)
_OF_USAGE: Final = (
    _score("usage.weight", 5),
    _score("cpu.weight", 1),
    _score("memory.weight", 1),
    Argument("thresholds", Kind.OBJECT, "cpu 80, mem 80", fields=_THRESHOLDS),
)
_DEFAULT_TAKEN: Final = "Volcano takes the default"


def _checked(argument: Argument) -> Argument:
    """An argument of usage where values out of range, and of the wrong type, count as not given."""
    fields = tuple(replace(each, wrong=Outcome.IGNORED, outside=_DEFAULT_TAKEN) for each in argument.fields)
    return replace(argument, outside=_DEFAULT_TAKEN, fields=fields, only_with=("usage-bounds", "checked"))


_ESTIMATOR: Final = (
    Argument("request_ratio", Kind.NUMBER, "0.7", least=0, most=1, outside=_DEFAULT_TAKEN),
    Argument("burst_ratio", Kind.NUMBER, "0", least=0, most=1, outside=_DEFAULT_TAKEN),
    Argument("risk_threshold", Kind.NUMBER, "0.6", least=0, most=1, outside=_DEFAULT_TAKEN),
    Argument("risk_factor", Kind.NUMBER, "1.2", least=1, outside=_DEFAULT_TAKEN),
    Argument("be_cpu", Kind.AMOUNT, "250m"),
    Argument("be_mem", Kind.AMOUNT, "200Mi"),
)
_LOW_NODE: Final = tuple(
    Argument(
        name,
        Kind.OBJECT,
        "100 each",
        fields=tuple(
            Argument(resource, Kind.INT, "100", Outcome.PANIC, 0, 100, "it is a percentage", unit="percent")
            for resource in ("cpu", "memory", "pods")
        ),
    )
    for name in ("thresholds", "targetThresholds")
)
_LOW_NODE_PARAMS: Final = (
    *_LOW_NODE,
    Argument("thresholdPriorityClassName", Kind.TEXT, "system-cluster-critical"),
    Argument("nodeFit", Kind.BOOL, "true"),
    Argument("numberOfNodes", Kind.INT, "0"),
    Argument("thresholdPriority", Kind.INT, "0"),
)

_OF_PLUGINS: Final[Mapping[str, tuple[Argument, ...]]] = {
    "binpack": (
        _int("binpack.weight", 1, 0, "full nodes score less than empty ones, so that pods are spread"),
        _weight("binpack.cpu"),
        _weight("binpack.memory"),
        Argument("binpack.resources", Kind.TEXT),
        _weight("binpack.resources.*"),
    ),
    "capacity": (
        Argument(
            "ancestorReclaimLevel",
            Kind.INT,
            "0",
            least=0,
            outside="Volcano takes 0 in its place",
            unit="levels",
            only_with=("ancestor-reclaim", "ancestorReclaimLevel"),
        ),
        *(
            _bool(f"capacity.{name}Enable", default=default, only_with=("queue-device-quota", "by-device-class"))
            for name, default in (("DynamicResourceAllocation", True), ("DRAConsumableCapacity", False))
        ),
    ),
    "cdp": (),
    "conformance": (),
    "deviceshare": (
        _bool("deviceshare.GPUSharingEnable", default=False),
        _bool("deviceshare.GPUNumberEnable", default=False),
        _bool("deviceshare.NodeLockEnable", default=False),
        _bool("deviceshare.VGPUEnable", default=False),
        _bool("deviceshare.AscendMindClusterVNPUEnable", default=False),
        _bool("deviceshare.AscendHAMiVNPUEnable", default=False),
        Argument(
            "deviceshare.SchedulePolicy", Kind.POLICY, malformed="nodes are not scored by their devices, as without it"
        ),
        _int("deviceshare.ScheduleWeight", 0, 0, "devices are not scored"),
        Argument(
            "deviceshare.GPUExclusiveRules",
            Kind.LIST,
            fields=(Argument("*", Kind.TEXT),),
            only_with=("gpu-exclusive-rules", "GPUExclusiveRules"),
        ),
        Argument("deviceshare.KnownGeometriesCMName", Kind.TEXT, "volcano-vgpu-device-config"),
        Argument("deviceshare.KnownGeometriesCMNamespace", Kind.TEXT, "kube-system"),
    ),
    "drf": (),
    "extender": (
        Argument("extender.urlPrefix", Kind.TEXT),
        Argument("extender.httpTimeout", Kind.DURATION, "1s"),
        *(
            Argument(f"extender.{verb}Verb", Kind.TEXT)
            for verb in (
                "onSessionOpen",
                "onSessionClose",
                "predicate",
                "prioritize",
                "preemptable",
                "reclaimable",
                "queueOverused",
                "jobEnqueueable",
                "jobReady",
            )
        ),
        *(
            Argument(f"extender.{verb}Verb", Kind.TEXT, only_with=_MANAGED)
            for verb in ("allocateFunc", "deallocateFunc")
        ),
        Argument("extender.jobEnqueuedVerb", Kind.TEXT, only_with=("extender-enqueued", "told")),
        _bool("extender.ignorable", default=False),
        replace(_decoded("extender.managedResources", Kind.TEXTS), only_with=_MANAGED),
    ),
    "gang": (),
    "network-topology-aware": (
        _weight("weight"),
        _weight("hypernode.binpack.cpu"),
        _weight("hypernode.binpack.memory"),
        Argument("hypernode.binpack.resources", Kind.TEXT),
        _weight("hypernode.binpack.resources.*"),
        _bool("hypernode.binpack.normal-pod.enable", default=True),
        Argument(
            "hypernode.gradient.evict.max-hypernodes",
            Kind.INT,
            "8",
            least=1,
            outside="Volcano takes 8 in its place",
            unit="HyperNodes",
            only_with=("gang-actions", "known"),
        ),
        Argument(
            "hypernode.binpack.normal-pod.fading",
            Kind.NUMBER,
            "0.8",
            least=0,
            outside="Volcano takes 0.8 in its place",
        ),
    ),
    "nodegroup": (
        _bool("strict", default=True, only_with=("node-group-queue", "of-job")),
        _bool("enablePreferredOrder", default=False, only_with=("preferred-order", "enablePreferredOrder")),
    ),
    "nodeorder": (
        _score("nodeaffinity.weight", 2),
        _score("podaffinity.weight", 2),
        _score("leastrequested.weight", 1),
        _score("balancedresource.weight", 1),
        _score("mostrequested.weight", 0),
        _score("tainttoleration.weight", 3),
        _score("imagelocality.weight", 1),
        _score("podtopologyspread.weight", 2),
    ),
    "numa-aware": (_score("weight", 1),),
    "overcommit": (
        Argument("overcommit-factor", Kind.NUMBER, "1.2"),
        Argument("max-queue-overcommit-factor", Kind.NUMBER, only_with=("queue-overcommit", "limits")),
    ),
    "pdb": (),
    "predicates": (
        *(
            _bool(f"predicate.{name}Enable", default=True)
            for name in (
                "NodeAffinity",
                "NodePorts",
                "TaintToleration",
                "PodAffinity",
                "NodeVolumeLimits",
                "VolumeZone",
                "PodTopologySpread",
                "VolumeBinding",
            )
        ),
        _bool(
            "predicate.DynamicResourceAllocationEnable",
            default=False,
            only_with=("device-claims", "behind-feature-gate", "by-argument"),
        ),
        _bool("predicate.CacheEnable", default=False),
        _bool("predicate.ProportionalEnable", default=False, only_with=_RESERVE),
        Argument("predicate.resources", Kind.TEXT, only_with=_RESERVE),
        Argument(
            "predicate.resources.*",
            Kind.NUMBER,
            "1",
            least=0,
            outside="Volcano takes 1 in its place",
            only_with=_RESERVE,
        ),
        _decoded("volumebinding.weight", Kind.INT, "1"),
        _decoded(
            "volumebinding.bindTimeoutSeconds",
            Kind.INT,
            "600",
            least=0,
            outside="the scheduler exits",
            unit="seconds",
        ),
        Argument("volumebinding.shape", Kind.LIST),
        _decoded(
            "dynamicresources.filterTimeoutSeconds",
            Kind.INT,
            "10",
            least=0,
            outside="Volcano takes 10 in its place",
            unit="seconds",
        ),
    ),
    "priority": (),
    "proportion": (),
    "rescheduling": (
        Argument("interval", Kind.DURATION, "5m", Outcome.PANIC),
        Argument("metricsPeriod", Kind.TEXT, "5m", Outcome.PANIC),
        Argument(
            "strategies",
            Kind.LIST,
            "lowNodeUtilization",
            fields=(
                Argument("name", Kind.TEXT),
                Argument("params", Kind.OBJECT, fields=_LOW_NODE_PARAMS),
            ),
            folds=True,
        ),
    ),
    "resource-strategy-fit": (
        _decoded("resourceStrategyFitWeight", Kind.INT, "10", least=0, outside="Volcano takes 10 in its place"),
        Argument(
            "resources",
            Kind.OBJECT,
            "cpu and memory, LeastAllocated, weight 1",
            Outcome.EXIT,
            fields=(
                Argument(
                    "*",
                    Kind.OBJECT,
                    wrong=Outcome.EXIT,
                    fields=(
                        _decoded("type", Kind.TEXT, "LeastAllocated"),
                        _decoded("weight", Kind.INT, "1", least=1, outside="Volcano takes 1 in its place"),
                    ),
                    folds=True,
                ),
            ),
        ),
        Argument(
            "sra",
            Kind.OBJECT,
            wrong=Outcome.EXIT,
            folds=True,
            fields=(
                _decoded("enable", Kind.BOOL, "false"),
                _decoded("resources", Kind.TEXT),
                _decoded("weight", Kind.INT, "0", least=0, outside="nothing is scored"),
                Argument(
                    "resourceWeight",
                    Kind.OBJECT,
                    wrong=Outcome.EXIT,
                    fields=(_decoded("*", Kind.INT, "1", least=0, outside="Volcano takes 1 in its place"),),
                ),
            ),
        ),
        Argument(
            "proportional",
            Kind.OBJECT,
            wrong=Outcome.EXIT,
            folds=True,
            fields=(
                _decoded("enable", Kind.BOOL, "false"),
                _decoded("resources", Kind.TEXT),
                Argument(
                    "resourceProportion",
                    Kind.OBJECT,
                    wrong=Outcome.EXIT,
                    fields=tuple(
                        _decoded(name, Kind.NUMBER, "1", least=0, outside="Volcano takes 1 in its place")
                        for name in ("*.cpu", "*.memory")
                    ),
                ),
            ),
        ),
    ),
    "resourcequota": (),
    "sla": (Argument("sla-waiting-time", Kind.DURATION, "none"),),
    "task-topology": (_score("task-topology.weight", 1),),
    "tdm": (
        Argument(
            "tdm.revocable-zone.*",
            Kind.HOURS,
            wrong=Outcome.PANIC,
            malformed="the zone is never open, and its preemptable pods are evicted",
        ),
        Argument("tdm.evict.period", Kind.DURATION, "1m", Outcome.PANIC),
    ),
    "usage": (
        *(replace(each, only_with=("usage-bounds", "as-given")) for each in _OF_USAGE),
        *(_checked(each) for each in _OF_USAGE),
        Argument("estimator", Kind.OBJECT, "as below", fields=_ESTIMATOR, only_with=("usage-estimates", "added")),
    ),
}
PLUGIN_ARGUMENTS: Final = Extensible(_OF_PLUGINS)
"""The arguments of each plugin; a plugin without any reads none."""

_GANG_EVICTION: Final = (
    _int("maxDomains", 8, 1, "Volcano takes 8 in its place", unit="HyperNodes"),
    _bool("allowWholeBundle", default=True),
)

_OF_ACTIONS: Final[Mapping[str, tuple[Argument, ...]]] = {
    "enqueue": (),
    "allocate": (_CACHE,),
    "backfill": (_CACHE,),
    "preempt": (
        _CACHE,
        *(
            replace(each, only_with=_TOPOLOGY_AWARE)
            for each in (
                _bool("enableTopologyAwarePreemption", default=False),
                _int(
                    "topologyAwarePreemptWorkerNum",
                    16,
                    1,
                    "no node is tried, so that nothing is preempted",
                    unit="workers",
                ),
                _int("minCandidateNodesPercentage", 10, 0, "it is a percentage", most=100, unit="percent"),
                _int("minCandidateNodesAbsolute", 1, 0, "it is a number of nodes", unit="nodes"),
                _int(
                    "maxCandidateNodesAbsolute",
                    100,
                    1,
                    "no node is tried with 0, and below 0 the process panics",
                    unit="nodes",
                ),
            )
        ),
    ),
    "reclaim": (_CACHE,),
    "shuffle": (),
    "gangpreempt": _GANG_EVICTION,
    "gangreclaim": _GANG_EVICTION,
}
ACTION_ARGUMENTS: Final = Extensible(_OF_ACTIONS)
"""The arguments of each action, under configurations."""

METRICS_KEYS: Final = (
    "type",
    "address",
    "interval",
    "tls.insecureSkipVerify",
    "elasticsearch.index",
    "elasticsearch.username",
    "elasticsearch.password",
    "elasticsearch.hostnameFieldName",
)
METRICS_TYPES: Final = ("prometheus", "prometheus_adaptor", "elasticsearch")


SCHEDULER_EXITS: Final = "the scheduler exits"
_NOTHING: Final[Mapping[Kind, Any]] = {Kind.INT: 0, Kind.NUMBER: 0.0, Kind.BOOL: False}


def decode(argument: Argument, value: object, name: str, warnings: list[str]) -> Any:
    """What a value is decoded into; `name` is what a warning calls it.

    >>> from vqs.config.known_arguments import PLUGIN_ARGUMENTS, find_argument
    >>> sra = find_argument(PLUGIN_ARGUMENTS["resource-strategy-fit"], "sra")
    >>> warnings = []
    >>> decode(sra, {"Enable": True, "weight": 2.5, "resources": 3}, "sra", warnings)
    {'enable': True, 'resources': '', 'weight': 2, 'resourceWeight': {}}
    >>> warnings
    ['sra.resources: 3 is not text, and the scheduler exits; here it counts as not given']
    """
    if not argument.accepts(value):
        warnings.append(
            f"{name}: {value!r} is not {argument.kind.value}, and {SCHEDULER_EXITS}; here it counts as not given"
        )
        value = None
    match argument.kind:
        case Kind.OBJECT:
            given = value if isinstance(value, dict) else {}
            [free, *_] = argument.fields
            if "*" in free.name:
                return {str(key): decode(free, each, f"{name}.{key}", warnings) for key, each in given.items()}
            values = {
                field.name: each
                for field in argument.fields
                for key, each in given.items()
                if field.matches(str(key), fold=argument.folds)
            }
            return {
                field.name: decode(field, values.get(field.name), f"{name}.{field.name}", warnings)
                for field in argument.fields
            }
        case Kind.INT if isinstance(value, float):
            return int(value)
        case Kind.NUMBER if isinstance(value, int):
            return float(value)
    return _NOTHING.get(argument.kind, "") if value is None else value


T = TypeVar("T")

# The methods below carry the names of these types, and would hide them.
_Int = int
_Float = float
_Bool = bool

_INT64: Final = range(-(2**63), 2**63)


def names_in(text: str) -> list[str]:
    """The names that an argument or an annotation lists with commas between them.

    >>> names_in("cpu, nvidia.com/gpu,")
    ['cpu', 'nvidia.com/gpu']
    """
    return [name for each in text.split(",") if (name := each.strip())]


class Arguments(Mapping[str, object]):
    """Arguments by name. `warnings` grows with each argument that was asked for and had the wrong type.

    `known` are those that their plugin or action reads, and `path` leads to them in the configuration. Where
    `reads_text` is set, a text counts as true or false, if Go's strconv takes it for one.

    >>> from vqs.config.known_arguments import PLUGIN_ARGUMENTS
    >>> arguments = Arguments(PLUGIN_ARGUMENTS["binpack"], {"binpack.weight": 10, "binpack.cpu": "5"})
    >>> arguments.int("binpack.weight"), arguments.int("binpack.cpu")
    (10, 1)
    >>> arguments.warnings
    ["binpack.cpu: '5' is not a whole number; the default 1 is used"]
    """

    def __init__(
        self,
        known: Sequence[Argument],
        values: Mapping[str, object] | None = None,
        path: tuple[str | _Int, ...] = (),
        *,
        reads_text: _Bool = False,
    ) -> None:
        self._known = known
        self._reads_text = reads_text
        self._values = dict(values or {})
        self.path = path
        self.warnings: list[str] = []

    def __getitem__(self, key: str) -> object:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> _Int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Arguments({self._values!r})"

    def default(self, key: str) -> str:
        """The default of an argument as one would write it. Raises KeyError for one that is not known."""
        argument = find_argument(self._known, key)
        if argument is None:
            raise KeyError(key)
        return argument.default

    def unread(self, *, reads_text: _Bool | None = None) -> Arguments:
        """The same arguments without warnings, and with texts read in another way where that is given."""
        reads = self._reads_text if reads_text is None else reads_text
        return Arguments(self._known, self._values, self.path, reads_text=reads)

    def int(self, key: str) -> _Int:
        """A whole number; numbers with a fraction, of more than 64 bits, and texts do not count as one."""
        default = _Int(self.default(key))
        value = self._values.get(key, default)
        if isinstance(value, _Int) and not isinstance(value, _Bool) and value in _INT64:
            return value
        return self._wrong(key, "a whole number", default)

    def float(self, key: str) -> _Float:
        """A number."""
        default = _Float(self.default(key))
        value = self._values.get(key, default)
        if isinstance(value, _Int | _Float) and not isinstance(value, _Bool):
            return _Float(value)
        return self._wrong(key, "a number", default)

    def bool(self, key: str) -> _Bool:
        """True or false."""
        default = self.default(key) == "true"
        value = self._values.get(key, default)
        if isinstance(value, _Bool):
            return value
        if self._reads_text and isinstance(value, str) and is_boolean(value):
            return is_true(value)
        return self._wrong(key, "true or false", default)

    def string(self, key: str) -> str:
        """A text."""
        default = self.default(key)
        value = self._values.get(key, default)
        if isinstance(value, str):
            return value
        argument = find_argument(self._known, key)
        return self._wrong(key, "text" if argument is None else argument.kind.value, default)

    def decoded(self, key: str) -> Any:
        """An argument that Volcano decodes into a structure, None where it is not given."""
        argument = find_argument(self._known, key)
        if argument is None or key not in self._values:
            return None
        return decode(argument, self._values[key], key, self.warnings)

    def _wrong(self, key: str, expected: str, default: T) -> T:
        argument = find_argument(self._known, key)
        used = f"the default {default!r} is used"
        comes_of_it = f"{expected}; {used}"
        if argument is not None and argument.is_fatal:
            comes_of_it = f"{argument.kind.value}, and {SCHEDULER_EXITS}; here {used}"
        warning = f"{key}: {self._values[key]!r} is not {comes_of_it}"
        if warning not in self.warnings:
            self.warnings.append(warning)
        return default
