"""Workloads from scenarios: jobs with an `arrival`, templates with `arrivals`, and events of nodes.

A job that arrives is a Volcano Job; one without `arrival` is there at the start, and its running pods have all of their
duration ahead. What only a replay knows of is judged here; the rest of a scenario was judged when it was read.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from functools import cached_property
from typing import Any, Final, TypeVar, get_args

from msgspec import structs

from vqs.explain.simulate import EPOCH
from vqs.model import kubernetes as k8s
from vqs.model.keys import DEFAULT_QUEUE, SCHEDULER_NAME
from vqs.model.moments import later, timestamp
from vqs.replay.autoscaler import Autoscaler, NodeGroup
from vqs.replay.cost import Price, Prices, Rate
from vqs.replay.distribution import Distribution, DistributionError, Fixed, parse_distribution, parse_seconds
from vqs.replay.generator import HOURS_OF_A_DAY, Every, Poisson, Process, Template, Window, named
from vqs.replay.rollout import rolled
from vqs.replay.timing import Latencies, pattern_of
from vqs.replay.workload import (
    Arrival,
    Lifecycle,
    NodeChange,
    NodeEvent,
    Policy,
    Present,
    TemplateChange,
    Timing,
    Workload,
)
from vqs.snapshot.apiserver.checks import defects, judged
from vqs.snapshot.apiserver.validation.names import MOST_INT32
from vqs.snapshot.controllers.kubelet import TERMINATED
from vqs.snapshot.reading.diagnostics import Diagnostic, Guesser, Path, Problems, did_you_mean, one_of
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.json_text import decode
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.scenario import objects
from vqs.snapshot.scenario.generated import generated
from vqs.snapshot.scenario.jobs import MOST_ARRIVING, arrives, priority_of
from vqs.snapshot.scenario.lookup import resource_list
from vqs.snapshot.scenario.model import PlannedJob, PlannedRole, Scenario

_CHANGES: Final[tuple[NodeChange, ...]] = get_args(NodeChange)
_NOT_OF_NEW_NODES: Final = ("numa", "devices", "volumeLimits")
_MOST_NODE_EVENTS: Final = 1_000_000
UNUSED_DELAY: Final = "unused-start-delay"
"""The code of the note that a pattern of startDelays matches no image."""

UNUSED_PRICE: Final = "unused-price"
"""The code of the note that a price is for no node."""

INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
"""The label that clouds give nodes for what they are."""

_MOST_COMPARED: Final = 20_000_000
"""How many names are compared with patterns; more of them would take minutes."""

T = TypeVar("T")


def workload_of(manifests: Manifests, name: str) -> Workload:
    """Return the workload that a snapshot with scenarios stands for.

    Raises:
        InputErrors: scenarios say something of it that cannot be replayed.
    """
    problems = Problems()
    workload = _Reader(manifests, problems).run(name)
    problems.raise_errors()
    return replace(workload, start=replace(workload.start, notes=[*manifests.notes, *problems.diagnostics]))


class _Reader:
    def __init__(self, manifests: Manifests, problems: Problems) -> None:
        self.manifests = manifests
        self.problems = problems
        self.begin = manifests.now or EPOCH
        self.arrivals: list[Arrival] = []
        self.templates: list[Template] = []
        self.present: dict[str, Present] = {}
        self.node_events: list[NodeEvent] = []
        self.rollouts: list[TemplateChange] = []
        self.start_delays: list[tuple[str, Distribution]] = []
        self.latencies: dict[str, Distribution] = {}
        self.currency = ""
        self.prices: list[Price] = []
        self.groups: dict[str, NodeGroup] = {}
        self.autoscaler: dict[str, Any] = {}
        self.nodes = dict.fromkeys(node.metadata.name for node in manifests.nodes)
        self.compared = 0

    def run(self, name: str) -> Workload:
        """Read all scenarios."""
        for scenario in self.manifests.scenarios:
            for job in scenario.jobs:
                self._take(job)
            self._take_node_events(scenario)
            self._take_start_delays(scenario)
            self._take_node_groups(scenario)
            self._take_rollouts(scenario)
            self._take_prices(scenario)
            for key, given in scenario.latencies.items():
                latency = self._read(parse_distribution, given, scenario.origin.inside("latencies"), (key,), None)
                self.latencies |= {} if latency is None else {"pod_group" if key == "podGroup" else key: latency}
        self.arrivals.sort(key=lambda arrival: arrival.time)
        self.node_events.sort(key=lambda event: event.time)
        self.rollouts.sort(key=lambda change: change.time)
        return Workload(
            name=name,
            begin=self.begin,
            start=self.manifests,
            present=self.present,
            arrivals=tuple(self.arrivals),
            generators=tuple(self.templates),
            node_events=tuple(self.node_events),
            rollouts=tuple(self.rollouts),
            start_delays=tuple(self.start_delays),
            latencies=Latencies(**self.latencies),
            autoscaler=Autoscaler(tuple(self.groups.values()), **self.autoscaler) if self.groups else None,
            prices=Prices(self.currency, tuple(self.prices)) if self.prices else None,
        )

    def _take_prices(self, scenario: Scenario) -> None:
        """Read what nodes cost; a price that is for no node is noted, as a name that is misspelt changes nothing."""
        currency, origin = scenario.prices.get("currency", ""), scenario.origin.inside("prices")
        if currency and self.currency and currency != self.currency:
            message = f"prices are in {self.currency} already, and two currencies do not add up"
            self.problems.add(origin.diagnostic("invalid-value", message, ("currency",)))
        self.currency = currency or self.currency
        nodes = [*self.manifests.nodes, *(event.node for event in self.node_events if event.node is not None)]
        nodes += [group.template for group in self.groups.values()]
        for index, entry in enumerate(scenario.prices.get("nodes", ())):
            watts = entry.get("watts", {})
            busy, idle = watts.get("busy", 0.0), watts.get("idle", 0.0)
            if idle > busy:
                message = f"a node takes {idle:g} W where it is idle, and less where it is busy"
                self.problems.add(origin.diagnostic("invalid-value", message, ("nodes", index, "watts", "idle")))
            labels = dict(entry.get("labels", {}))
            if "type" in entry:
                labels[INSTANCE_TYPE] = entry["type"]
            names = pattern_of(entry["names"]) if "names" in entry else None
            price = Price(Rate(entry.get("perHour", 0.0), idle, busy), names, labels)
            self.prices.append(price)
            if nodes and not any(map(price.matches, nodes)):
                self.problems.add(self._unused_price(entry, origin.inside("nodes", index), nodes))

    def _unused_price(self, entry: Mapping[str, Any], origin: Origin, nodes: Sequence[k8s.Node]) -> Diagnostic:
        """The note that a price is for no node, with what may be meant."""
        told = entry.get("names") or entry.get("type") or ", ".join(map("=".join, entry.get("labels", {}).items()))
        path: Path = next(((key,) for key in ("names", "type", "labels") if key in entry), ())
        choices = {
            "names": [node.metadata.name for node in nodes],
            "type": [node.metadata.labels.get(INSTANCE_TYPE, "") for node in nodes],
            "labels": ["=".join(label) for node in nodes for label in node.metadata.labels.items()],
        }
        hint = did_you_mean(told, dict.fromkeys(filter(None, choices[str(path[0])]))) if path else ""
        message = f"no node has the price of {told}" if told else "no node is left for this price"
        return structs.replace(origin.diagnostic(UNUSED_PRICE, message, path, hint=hint), severity="note")

    def _take_start_delays(self, scenario: Scenario) -> None:
        origin = scenario.origin.inside("startDelays")
        for image, given in scenario.start_delays.items():
            delay = self._read(parse_distribution, given, origin, (image,), None)
            if delay is not None:
                self.start_delays.append((image, delay))
        # Names that are misspelt would change nothing in silence, so it is noted which patterns match no image.
        images = self._images if scenario.start_delays else set()
        for text in scenario.start_delays:
            self.compared += len(images)
            if self.compared > _MOST_COMPARED:
                return
            if not any(map(pattern_of(text).match, images)):
                message = f"no container of the workload has an image that matches {text!r}"
                note = origin.key_diagnostic(UNUSED_DELAY, message, (text,))
                self.problems.add(structs.replace(note, severity="note"))

    @cached_property
    def _images(self) -> set[str]:
        """The images of all containers, also of pods that are made later."""
        start = self.manifests
        specs = [pod.spec for pod in start.pods]
        specs += [task.template.spec for job in start.volcano_jobs for task in job.spec.tasks]
        specs += [job.spec.template.spec for job in start.jobs]
        specs += [owner.spec.template.spec for owner in start.deployments]
        owners = (each for each in start.workloads if not isinstance(each, k8s.ReplicationController))
        specs += [owner.spec.template.spec for owner in owners]
        found = {container.image for spec in specs for container in (*spec.init_containers, *spec.containers)}
        planned = (role.spec for scenario in start.scenarios for job in scenario.jobs for role in job.roles)
        lists = (spec.get(key) or () for spec in planned for key in ("initContainers", "containers"))
        return found | {container.get("image", "") for each in lists for container in each}

    # --- jobs --------------------------------------------------------------------------------------------------------

    def _take(self, job: PlannedJob) -> None:
        timing = {role.name: self._timing(job, role) for role in job.roles}
        if not arrives(job.entry):
            present = Present(timing=timing, lifecycle=self._lifecycle(job))
            self.present |= {f"{job.namespace}/{name}": present for name in job.names}
            return
        volcano_job = self._volcano_job(job)
        if volcano_job is None:
            return
        if "arrivals" in job.entry:
            process = self._process(job)
            if process is not None:
                self.templates.append(Template(volcano_job, process, timing, self.begin))
            return
        time = self._read(parse_seconds, job.entry["arrival"], job.origin, ("arrival",), 0.0)
        created = later(self.begin, time)
        self.arrivals += [Arrival(time, named(volcano_job, name, created), timing) for name in job.names]

    def _timing(self, job: PlannedJob, role: PlannedRole) -> Timing:
        """Return how the pods of a role run; what the role does not say, the job says for all of its roles."""

        def read(key: str, parse: Callable[[Any], T], otherwise: T | None = None) -> T | None:
            entry, origin = (role.entry, role.origin) if key in role.entry else (job.entry, job.origin)
            if key not in entry:
                return otherwise
            return self._read(parse, entry[key], origin, (key,), otherwise)

        checkpoint, stop_code = read("checkpoint", parse_seconds), read("stopExitCode", int)
        return Timing(
            duration=read("duration", parse_distribution),
            start_delay=read("startDelay", parse_distribution),
            checkpoint=checkpoint or None,
            exit_code=read("exitCode", int) or 0,
            stop=read("stopTime", parse_distribution),
            stop_code=TERMINATED if stop_code is None else stop_code,
        )

    def _read(self, parse: Callable[[Any], T], value: Any, origin: Origin, path: Path, otherwise: T) -> T:
        """Return what a value stands for; report one that stands for nothing, and return something else for it."""
        try:
            return parse(value)
        except DistributionError as error:
            self.problems.add(origin.diagnostic("invalid-value", error.message, (*path, *error.path), hint=error.hint))
            return otherwise

    def _volcano_job(self, job: PlannedJob) -> k8s.VolcanoJob | None:
        """Return the Volcano Job that arrives, under the name of its entry; None where it would be denied."""
        entry = job.entry
        places: dict[Path, Path] = {("spec",): (), ("metadata",): ()}
        spec = {
            "schedulerName": SCHEDULER_NAME,
            "queue": entry.get("queue", DEFAULT_QUEUE),
            "minAvailable": job.min_available,
            "tasks": [_task(role) for role in job.roles],
            "maxRetry": entry.get("maxRetry", MOST_INT32),
            **({"minSuccess": entry["minSuccess"]} if "minSuccess" in entry else {}),
            **_policies(entry),
        }
        if priority := priority_of(entry):
            spec["priorityClassName"] = priority["priorityClassName"]
        has_roles = "roles" in entry
        for index in range(len(job.roles)):
            own: Path = ("roles", index) if has_roles else ()
            at: Path = ("spec", "tasks", index)
            places[at] = own
            places |= {(*at, "template", *path): (*own, *written) for path, written in job.roles[index].places.items()}
        value = {"metadata": {"name": entry["name"], "namespace": job.namespace}, "spec": spec}
        origin = generated(value, job.origin, places).origin
        typed, errors = decode(value, k8s.VolcanoJob)
        for error in errors:
            self.problems.add(origin.diagnostic("wrong-type", error.message, error.path, hint=error.hint))
        if typed is None or errors:
            return None
        wrong = list(judged(typed, self.manifests.profile))
        for each in wrong:
            diagnostic = origin.diagnostic(each.code, each.message, each.path, severity=each.severity, hint=each.hint)
            self.problems.add(diagnostic)
        return None if any(each.severity == "error" for each in wrong) else typed

    def _lifecycle(self, job: PlannedJob) -> Lifecycle | None:
        """Return what the controller acts on of a job that is there at the start; None where nothing is said of it."""
        entry = job.entry
        of_tasks = {
            role.name: self._policies(role.entry, role.origin) for role in job.roles if "policies" in role.entry
        }
        if not of_tasks and not any(key in entry for key in ("policies", "maxRetry", "minSuccess")):
            return None
        return Lifecycle(
            policies=self._policies(entry, job.origin),
            of_tasks=of_tasks,
            min_success=entry.get("minSuccess"),
            max_retry=entry.get("maxRetry"),
            task_minimums={role.name: role.entry["minAvailable"] for role in job.roles if "minAvailable" in role.entry},
        )

    def _policies(self, entry: Mapping[str, Any], origin: Origin) -> tuple[Policy, ...]:
        return tuple(
            Policy(
                events=frozenset([*policy.get("events", ()), *([policy["event"]] if "event" in policy else [])]),
                action=policy["action"],
                exit_code=policy.get("exitCode"),
                timeout=self._read(
                    parse_seconds, policy.get("timeout", 0), origin, ("policies", index, "timeout"), 0.0
                ),
            )
            for index, policy in enumerate(entry.get("policies", ()))
        )

    # --- rollouts ----------------------------------------------------------------------------------------------------

    def _take_rollouts(self, scenario: Scenario) -> None:
        """Read which Deployments of the snapshot get another template."""
        deployments = {each.metadata.key: each for each in self.manifests.deployments if scenario.rollouts}
        others = {each.metadata.key for each, _ in self.manifests.aside if isinstance(each, k8s.Deployment)}
        guesser = Guesser(deployments)
        for index, entry in enumerate(scenario.rollouts):
            origin, name = scenario.origin.inside("rollouts", index), entry["deployment"]
            key = name if "/" in name else f"default/{name}"
            deployment = deployments.get(key)
            if key in others:
                message = f"Deployment {key} is for another scheduler, and its pods are not placed by Volcano"
                self.problems.add(origin.diagnostic("invalid-value", message, ("deployment",)))
                continue
            if deployment is None:
                message, hint = f"there is no Deployment {key!r}", guesser.hint(key)
                self.problems.add(origin.diagnostic("unknown-name", message, ("deployment",), hint=hint))
                continue
            if deployment.spec.paused or deployment.spec.replicas == 0:
                why = "is paused" if deployment.spec.paused else "has no replicas"
                message = f"Deployment {key} {why}, so no pods of it are replaced"
                self.problems.add(origin.diagnostic("invalid-value", message, ("deployment",)))
                continue
            requests, places = resource_list(entry.get("requests", {}), ("requests",), origin, self.problems)
            change = TemplateChange(self._time(entry, origin), deployment, requests)
            path: Path = next(iter(places.values()), ())
            for each in defects(rolled(deployment, "", requests)):
                self.problems.add(origin.diagnostic(each.code, each.message, path, hint=each.hint))
            self.rollouts.append(change)

    # --- arrivals by rate --------------------------------------------------------------------------------------------

    def _process(self, job: PlannedJob) -> Process | None:
        """Return the moments at which jobs of a template arrive; None where there is none, or too many."""
        arrivals, origin = job.entry["arrivals"], job.origin.inside("arrivals")
        window = self._window(arrivals, origin)
        if window is None:
            return None
        process = self._rate(arrivals, origin, window)
        if process is None:
            return None
        if process.expected > MOST_ARRIVING:
            message = f"about {process.expected:,.0f} jobs would arrive, more than the {MOST_ARRIVING:,} of a replay"
            hint = "lower the rate, or limit it with until or most"
            self.problems.add(origin.diagnostic("too-large", message, hint=hint))
            return None
        return process

    def _window(self, arrivals: Mapping[str, Any], origin: Origin) -> Window | None:
        if "until" not in arrivals and "most" not in arrivals:
            message = "nothing says when the arrivals stop"
            self.problems.add(origin.diagnostic("missing-value", message, hint="add until: 24h, or most: 100"))
            return None
        start = self._read(parse_seconds, arrivals.get("from", 0), origin, ("from",), 0.0)
        until = float("inf")
        if "until" in arrivals:
            until = self._read(parse_seconds, arrivals["until"], origin, ("until",), until)
        if until <= start:
            message = "the arrivals stop before they begin"
            self.problems.add(origin.diagnostic("invalid-value", message, ("until",)))
            return None
        return Window(start, until, arrivals.get("most", float("inf")))

    def _rate(self, arrivals: Mapping[str, Any], origin: Origin, window: Window) -> Process | None:
        if ("every" in arrivals) == ("perHour" in arrivals):
            message = "expected either every or perHour"
            self.problems.add(origin.diagnostic("invalid-value", message, hint="write every: 10m, or perHour: 12"))
            return None
        if "every" in arrivals:
            interval = self._read(parse_seconds, arrivals["every"], origin, ("every",), None)
            if interval == 0:
                self.problems.add(origin.diagnostic("invalid-value", "expected more than 0 seconds", ("every",)))
            return Every(interval, window) if interval else None
        given = arrivals["perHour"]
        rates = tuple(given) if isinstance(given, list) else (given,) * HOURS_OF_A_DAY
        if len(rates) != HOURS_OF_A_DAY:
            message = f"expected a number, or one for each of the {HOURS_OF_A_DAY} hours of a day; got {len(rates)}"
            self.problems.add(origin.diagnostic("invalid-value", message, ("perHour",)))
            return None
        if not any(rates):
            self.problems.add(origin.diagnostic("invalid-value", "no job would arrive", ("perHour",)))
            return None
        midnight = self.begin.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return Poisson(rates, (self.begin - midnight).total_seconds(), window)

    # --- nodes -------------------------------------------------------------------------------------------------------

    def _take_node_events(self, scenario: Scenario) -> None:
        """Read what happens to nodes, first those that join: other events may be about them."""
        events = [
            (each, scenario.origin.inside("nodeEvents", index)) for index, each in enumerate(scenario.node_events)
        ]
        sound = []
        for entry, origin in events:
            changes = [change for change in _CHANGES if change in entry]
            if len(changes) == 1:
                sound.append((entry, origin))
                continue
            both = f"{' and '.join(changes[:2])} are both given"
            message = both if changes else f"expected one of {one_of(_CHANGES)}"
            self.problems.add(origin.diagnostic("invalid-value", message))
        for entry, origin in sound:
            if isinstance(entry.get("join"), Mapping):
                self._take_new_nodes(entry, origin)
        guesser = Guesser(self.nodes)
        for entry, origin in sound:
            if not isinstance(entry.get("join"), Mapping):
                self._take_change(entry, origin, guesser)
            if len(self.node_events) > _MOST_NODE_EVENTS or self.compared > _MOST_COMPARED:
                message = f"with this, there are more than {_MOST_NODE_EVENTS:,} events of nodes, or too many patterns"
                self.problems.add(origin.diagnostic("too-large", message))
                return

    def _time(self, entry: Mapping[str, Any], origin: Origin) -> float:
        return self._read(parse_seconds, entry["at"], origin, ("at",), 0.0)

    def _take_new_nodes(self, entry: Mapping[str, Any], origin: Origin) -> None:
        """Read nodes that are described where they join."""
        time, inner = self._time(entry, origin), origin.inside("join")
        if "name" not in entry["join"]:
            self.problems.add(inner.diagnostic("missing-value", "name is missing"))
            return
        for node in self._new_nodes(entry["join"], inner, time):
            name = node.metadata.name
            if name in self.nodes:
                self.problems.add(inner.diagnostic("duplicate-object", f"there is a node {name} already", ("name",)))
                return
            self.nodes[name] = None
            self.node_events.append(NodeEvent(time, name, "join", node))

    def _new_nodes(self, described: Mapping[str, Any], origin: Origin, time: float) -> Iterator[k8s.Node]:
        """Yield the nodes that a description stands for, and which join at a time."""
        for key in _NOT_OF_NEW_NODES:
            if key in described:
                message = f"{key} of nodes that join is not replayed"
                self.problems.add(origin.key_diagnostic("invalid-value", message, (key,)))
        plain = {key: value for key, value in described.items() if key not in _NOT_OF_NEW_NODES}
        created = timestamp(later(self.begin, time))
        for value, place, _ in objects.nodes([(plain, origin)], created, self.problems, drivers=None):
            node, errors = decode(value, k8s.Node)
            for each in [*errors, *(defects(node) if node is not None else ())]:
                code = getattr(each, "code", "wrong-type")
                self.problems.add(place.diagnostic(code, each.message, each.path, hint=each.hint))
            if node is None:
                return
            yield node

    def _take_node_groups(self, scenario: Scenario) -> None:
        """Read which nodes come and go, and how."""
        for index, entry in enumerate(scenario.node_groups):
            self._take_node_group(entry, scenario.origin.inside("nodeGroups", index))
        given, origin = scenario.autoscaler, scenario.origin.inside("autoscaler")
        if given and not self.groups:
            message = "an autoscaler without groups of nodes adds and removes none"
            self.problems.add(origin.diagnostic("missing-value", message, hint="add nodeGroups"))
        for key, name in (("scanInterval", "scan"), ("delayAfterAdd", "delay_after_add")):
            if key in given:
                self.autoscaler[name] = self._read(parse_seconds, given[key], origin, (key,), 10.0)
        if self.autoscaler.get("scan") == 0:
            self.problems.add(origin.diagnostic("invalid-value", "expected more than 0 seconds", ("scanInterval",)))
        renamed = {"expander": "expander", "utilizationThreshold": "threshold"}
        self.autoscaler |= {name: given[key] for key, name in renamed.items() if key in given}

    def _take_node_group(self, entry: Mapping[str, Any], origin: Origin) -> None:
        name, least, most = entry["name"], entry.get("min", 0), entry["max"]
        if name in self.groups:
            self.problems.add(origin.diagnostic("duplicate-object", f"there is a group {name} already", ("name",)))
        if least > most:
            message = f"a group of at least {least:,} nodes cannot have at most {most:,}"
            self.problems.add(origin.diagnostic("invalid-value", message, ("max",)))
        for key in ("count", "name"):
            if key in entry["node"]:
                message = f"{key} of a group's node means nothing: it has the group's name, and min and max count it"
                self.problems.add(origin.key_diagnostic("invalid-value", message, ("node", key)))
        described = {key: value for key, value in entry["node"].items() if key != "count"}
        template = next(self._new_nodes({**described, "name": f"{name}-0"}, origin.inside("node"), 0.0), None)
        names = entry.get("names")
        if names is not None and not any(map(pattern_of(names).match, self.nodes)):
            hint = Guesser(self.nodes).hint(names)
            self.problems.add(origin.diagnostic("unknown-name", f"there is no node {names!r}", ("names",), hint=hint))
        delay: Distribution = Fixed(0.0)
        delay = self._read(parse_distribution, entry.get("startDelay", "2m"), origin, ("startDelay",), delay)
        if template is not None:
            self.groups[name] = NodeGroup(
                name,
                template,
                least,
                most,
                delay,
                self._read(parse_seconds, entry.get("scaleDownDelay", "10m"), origin, ("scaleDownDelay",), 0.0),
                None if names is None else pattern_of(names),
                entry.get("priority", 0),
            )

    def _take_change(self, entry: Mapping[str, Any], origin: Origin, guesser: Guesser) -> None:
        """Read an event of nodes that are named, by their names or patterns."""
        time = self._time(entry, origin)
        change = next(each for each in _CHANGES if each in entry)
        given = entry[change]
        patterns: Iterable[str] = [given] if isinstance(given, str) else given
        names: dict[str, None] = {}
        for index, pattern in enumerate(patterns):
            found = self._matching(pattern)
            if not found and self.compared <= _MOST_COMPARED:
                path: Path = (change,) if isinstance(given, str) else (change, index)
                message = f"there is no node {pattern!r}"
                self.problems.add(origin.diagnostic("unknown-name", message, path, hint=guesser.hint(pattern)))
            names |= dict.fromkeys(found)
        self.node_events += [NodeEvent(time, name, change) for name in names]

    def _matching(self, pattern: str) -> Iterable[str]:
        """Return the nodes of a name, or of a pattern."""
        if pattern in self.nodes:
            return [pattern]
        self.compared += len(self.nodes)
        return [] if self.compared > _MOST_COMPARED else fnmatch.filter(self.nodes, pattern)


def _task(role: PlannedRole) -> dict[str, Any]:
    """Return the task of a Volcano Job for a role."""
    entry = role.entry
    metadata = {key: entry[key] for key in ("labels", "annotations") if key in entry}
    return {
        "name": role.name,
        "replicas": role.replicas,
        "template": {"metadata": metadata, "spec": role.spec},
        **{key: entry[key] for key in ("minAvailable", "topologyPolicy") if key in entry},
        **_policies(entry),
    }


def _policies(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the policies of an entry as a Volcano Job has them, whose timeouts are texts."""
    if "policies" not in entry:
        return {}
    policies = [dict(each) for each in entry["policies"]]
    for each in policies:
        if isinstance(each.get("timeout"), int | float):
            each["timeout"] = f"{each['timeout']}s"
    return {"policies": policies}
