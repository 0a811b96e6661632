"""What a plugin or an action from outside the package declares of itself.

It is what the tables of the package say of the built-in ones; from then on both are treated alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from vqs.config.known_arguments import Argument
from vqs.engine.framework.session import Plugin, Session
from vqs.explain.verdict_rules import PodText, Stage, VerdictRule
from vqs.model.codes import OwnCode


class OwnPlugin(Plugin):
    """Base of a plugin of one's own. Its docstring says what it decides; `vqs plugins NAME` shows it.

    `name` is what a configuration calls it, `points` are the extension points that it answers, and `arguments` those
    that it reads, with `self.option.arguments`. `verdicts` explain the codes that it refuses jobs, tasks and evictions
    with, `reasons` are its texts about nodes that refuse a task. `reads_hierarchy` is whether it looks at
    enableHierarchy.
    """

    name: ClassVar[str]
    arguments: ClassVar[tuple[Argument, ...]] = ()
    verdicts: ClassVar[tuple[VerdictRule, ...]] = ()
    reads_hierarchy: ClassVar[bool] = False

    @classmethod
    def own_codes(cls) -> frozenset[OwnCode]:
        """The codes that it brings along; what it answers is checked."""
        return frozenset(rule.code for rule in cls.verdicts if isinstance(rule.code, OwnCode))


class OwnAction(ABC):
    """Base of an action of one's own: a step of the session. Its docstring says what it does.

    `name` is what a configuration calls it, `arguments` are those under `configurations` that it reads, with
    `session.conf.action_arguments(self.name)`, `verdicts` explain the codes that it refuses tasks with.
    """

    name: ClassVar[str]
    arguments: ClassVar[tuple[Argument, ...]] = ()
    verdicts: ClassVar[tuple[VerdictRule, ...]] = ()

    @abstractmethod
    def execute(self, session: Session) -> None:
        """Run on a session."""


Own = type[OwnPlugin] | type[OwnAction]
"""A plugin or an action as it is loaded: the class."""


def verdict(
    code: OwnCode,
    title: str,
    *,
    sentence: str = "{text}",
    remedy: str,
    why: str = "",
    example: str = "",
    stage: Stage = "",
    no_eviction: str = "",
) -> VerdictRule:
    """The verdict of a code, as `vqs rule CODE` shows it; `VerdictRule` has all that can be said of one.

    Args:
        code: the published name.
        title: what has happened, in a few words.
        sentence: the text of the verdict; it may name {queue}, {task}, {job}, {need}, {have}, {resource} and {text}.
        remedy: what to do about it.
        why: why the plugin does so.
        example: a case.
        stage: the gate that was not passed.
        no_eviction: the sentence where this keeps an action from evicting for a task.
    """
    return VerdictRule(
        code=code,
        title=title,
        summary=title,
        meaning=f"{title[:1].upper()}{title[1:]}.",
        why=why,
        remedy=remedy,
        example=example,
        pod="the message counts the job's tasks; it does not mention this",
        sentence=sentence,
        no_eviction=no_eviction,
        stage=stage,
        shown=(PodText.JOB,),
    )
