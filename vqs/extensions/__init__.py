"""Plugins and actions of one's own: how they are written, found and added. See docs/plugins.md.

- `own`: what such a plugin or action declares of itself
- `loading`: where it comes from: what is installed, and what the command line names
- `adding`: adding it to the tables that the built-in ones are in, so that it has the same rights

What authors need most can be imported from here.
"""

from vqs.config.known_arguments import Argument, Kind
from vqs.engine.framework import points
from vqs.engine.framework.session import Session
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.extensions.own import OwnAction, OwnPlugin, verdict
from vqs.model.codes import OwnCode

__all__ = [
    "Argument",
    "Kind",
    "OwnAction",
    "OwnCode",
    "OwnPlugin",
    "Refusal",
    "Session",
    "Victims",
    "Vote",
    "points",
    "verdict",
]
