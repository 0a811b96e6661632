"""The behaviours of a release: one typed table, of which code asks for a behaviour by its name.

An area is a dataclass, and a field of `Profile`; a behaviour is a field of an area. Its type has
the values that there are, its metadata what `vqs versions` says of it. Nothing outside of `vqs.releases` compares
releases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cache
from typing import Any, Final, get_args, get_type_hints

from vqs.releases.actions import (
    ActionBehaviours,
    AllocateBehaviours,
    DequeueBehaviours,
    EnqueueBehaviours,
    EvictionBehaviours,
    PreemptBehaviours,
    ReclaimBehaviours,
    StatementBehaviours,
)
from vqs.releases.capacity import CapacityBehaviours
from vqs.releases.controllers import ControllerBehaviours
from vqs.releases.deviceshare import DeviceShareBehaviours
from vqs.releases.network_topology import NetworkTopologyBehaviours
from vqs.releases.plugins import (
    ArgumentBehaviours,
    ExtenderBehaviours,
    FlagBehaviours,
    NodeGroupBehaviours,
    NodeOrderBehaviours,
    OvercommitBehaviours,
    PredicatesBehaviours,
    ProportionBehaviours,
    QueueBehaviours,
    ResourceStrategyFitBehaviours,
    UsageBehaviours,
)
from vqs.releases.pods import JobBehaviours, PodBehaviours
from vqs.releases.release import DEFAULT_RELEASE, METADATA, Build, Description, Release
from vqs.releases.schemas import SchemaBehaviours
from vqs.releases.webhooks import WebhookBehaviours

_DEFAULT_BUILD: Final = Build(DEFAULT_RELEASE)


@dataclass(frozen=True, slots=True)
class Profile:
    """How a scheduler decides: a release, and its behaviours by area.

    Attributes:
        build: the release, or the head of its branch, and who built it.
        switched: the behaviours that have another value than in the release, with this value.
        skips_unknown_actions: whether sessions are run without the actions that vqs does not know.
    """

    build: Build = _DEFAULT_BUILD
    switched: tuple[tuple[str, str], ...] = ()
    skips_unknown_actions: bool = False
    enqueue: EnqueueBehaviours = field(default_factory=EnqueueBehaviours)
    dequeue: DequeueBehaviours = field(default_factory=DequeueBehaviours)
    allocate: AllocateBehaviours = field(default_factory=AllocateBehaviours)
    capacity: CapacityBehaviours = field(default_factory=CapacityBehaviours)
    overcommit: OvercommitBehaviours = field(default_factory=OvercommitBehaviours)
    proportion: ProportionBehaviours = field(default_factory=ProportionBehaviours)
    queues: QueueBehaviours = field(default_factory=QueueBehaviours)
    preempt: PreemptBehaviours = field(default_factory=PreemptBehaviours)
    reclaim: ReclaimBehaviours = field(default_factory=ReclaimBehaviours)
    eviction: EvictionBehaviours = field(default_factory=EvictionBehaviours)
    statement: StatementBehaviours = field(default_factory=StatementBehaviours)
    network_topology: NetworkTopologyBehaviours = field(default_factory=NetworkTopologyBehaviours)
    predicates: PredicatesBehaviours = field(default_factory=PredicatesBehaviours)
    nodeorder: NodeOrderBehaviours = field(default_factory=NodeOrderBehaviours)
    extender: ExtenderBehaviours = field(default_factory=ExtenderBehaviours)
    usage: UsageBehaviours = field(default_factory=UsageBehaviours)
    nodegroup: NodeGroupBehaviours = field(default_factory=NodeGroupBehaviours)
    deviceshare: DeviceShareBehaviours = field(default_factory=DeviceShareBehaviours)
    resource_strategy_fit: ResourceStrategyFitBehaviours = field(default_factory=ResourceStrategyFitBehaviours)
    jobs: JobBehaviours = field(default_factory=JobBehaviours)
    pods: PodBehaviours = field(default_factory=PodBehaviours)
    arguments: ArgumentBehaviours = field(default_factory=ArgumentBehaviours)
    actions: ActionBehaviours = field(default_factory=ActionBehaviours)
    flags: FlagBehaviours = field(default_factory=FlagBehaviours)
    webhooks: WebhookBehaviours = field(default_factory=WebhookBehaviours)
    schemas: SchemaBehaviours = field(default_factory=SchemaBehaviours)
    controllers: ControllerBehaviours = field(default_factory=ControllerBehaviours)

    @property
    def release(self) -> Release:
        """The release, whoever built it."""
        return self.build.release

    @property
    def name(self) -> str:
        """The name of the release, or of its branch's head, with that of the vendor who built it."""
        return self.build.name

    def has(self, name: str, *values: str) -> bool:
        """True if a behaviour, by its name in the table, has one of some values."""
        return behaviours()[name].of(self) in values


DEFAULT_PROFILE = Profile()


@dataclass(frozen=True, slots=True)
class Behaviour:
    """A row of the table of behaviours.

    Attributes:
        name: its name, as the option --behaviour takes it.
        area: the field of a profile that it belongs to.
        attribute: the field of the area.
        choices: the values that there are.
        values: its value in each release.
        decides: what it decides, in a sentence.
        why: why it was changed.
        source: the file of the reference that decides it.
        heads: its value at the head of a release's branch, where no tag has it yet.
        proposals: the values that no branch has, and where each is proposed.
    """

    name: str
    area: str
    attribute: str
    choices: tuple[str, ...]
    values: Mapping[Release, str]
    decides: str
    why: str
    source: str
    heads: Mapping[Release, str]
    proposals: Mapping[str, str]

    def at(self, build: Build) -> str:
        """Its value in a release, or at the head of the release's branch."""
        value = self.values[build.release]
        return self.heads.get(build.release, value) if build.is_head else value

    def of(self, profile: Profile) -> str:
        """Its value in a profile."""
        value: str = getattr(getattr(profile, self.area), self.attribute)
        return value

    @property
    def since(self) -> Release:
        """The release that has its newest value first."""
        releases = list(Release)
        newest = self.values[releases[-1]]
        older = [release for release in releases if self.values[release] != newest]
        return releases[releases.index(older[-1]) + 1] if older else releases[0]


@dataclass(frozen=True, slots=True)
class Setting:
    """A behaviour that is switched to a value, whatever the release."""

    name: str
    value: str


class UnknownBehaviourError(ValueError):
    """A text switches no behaviour; the message says what there is."""


@cache
def behaviours() -> dict[str, Behaviour]:
    """The table of behaviours, by name, area by area."""
    own = {"build", "switched", "skips_unknown_actions"}
    rows = (row for each in fields(Profile) if each.name not in own for row in _rows(each.name))
    return {row.name: row for row in rows}


def read_setting(text: str) -> Setting:
    """Read NAME=VALUE, which switches a behaviour.

    Raises:
        UnknownBehaviourError: there is no such behaviour, or it has no such value.
    """
    name, _, value = text.partition("=")
    if name not in behaviours():
        close = get_close_matches(name, behaviours(), n=1)
        guess = f" (did you mean '{close[0]}'?)" if close else ""
        raise UnknownBehaviourError(f"there is no behaviour '{name}'{guess}; `vqs versions` lists those there are")
    choices = behaviours()[name].choices
    if value not in choices:
        raise UnknownBehaviourError(f"'{value}' is no value of behaviour {name}; its values: {', '.join(choices)}")
    return Setting(name, value)


@cache
def profile_of(build: Build, settings: tuple[Setting, ...] = (), *, skips_unknown_actions: bool = False) -> Profile:
    """The behaviours of a release, some of them switched; of two settings of one behaviour, the last counts."""
    wanted = {setting.name: setting.value for setting in settings}
    rows = behaviours()
    own = {row.name: row.at(build) for row in rows.values()}
    switched = {name: value for name, value in wanted.items() if own[name] != value}
    values: dict[str, dict[str, Any]] = {}
    for row in rows.values():
        values.setdefault(row.area, {})[row.attribute] = switched.get(row.name, own[row.name])
    areas = {area: replace(getattr(DEFAULT_PROFILE, area), **changes) for area, changes in values.items()}
    return Profile(build, tuple(sorted(switched.items())), skips_unknown_actions, **areas)


def _rows(area: str) -> list[Behaviour]:
    """The behaviours of an area, from its fields."""
    kind = type(getattr(DEFAULT_PROFILE, area))
    hints = get_type_hints(kind)
    rows = []
    for each in fields(kind):
        about: Description = each.metadata[METADATA]
        name = each.name.replace("_", "-")
        choices = get_args(hints[each.name])
        said = (about.values, about.decides, about.why, about.source, about.heads, about.proposals)
        rows.append(Behaviour(name, area, each.name, choices, *said))
    return rows


@dataclass(frozen=True, slots=True)
class ReleaseChoice:
    """What was asked for: a release, None where it is left open, and behaviours.

    `skips_unknown_actions` is asked for by the caller alone: neither a scenario nor a configuration can.
    """

    build: Build | None = None
    settings: tuple[Setting, ...] = ()
    skips_unknown_actions: bool = False

    @property
    def named(self) -> str | None:
        """The release and its vendor, as the option --volcano names them; None where it is left open."""
        return None if self.build is None else self.build.name

    def over(self, other: ReleaseChoice) -> ReleaseChoice:
        """The choice, with what it leaves open as in another."""
        skips = self.skips_unknown_actions or other.skips_unknown_actions
        return ReleaseChoice(self.build or other.build, (*other.settings, *self.settings), skips)

    @property
    def profile(self) -> Profile:
        """The behaviours that were asked for, those of the default release where none was."""
        build = self.build or Build(DEFAULT_RELEASE)
        return profile_of(build, self.settings, skips_unknown_actions=self.skips_unknown_actions)


ANY_RELEASE: Final = ReleaseChoice()
"""Nothing was asked for."""
