"""conformance: never evict what keeps the cluster itself running. No arguments.

It takes part only in preemption and reclaiming. Reference: pkg/scheduler/plugins/conformance/conformance.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vqs.config.scheduler_conf import PluginOption
    from vqs.engine.session import Session

NAME = "conformance"


class ConformancePlugin:
    """Without preemption and reclaiming, there is nothing for it to protect."""

    def __init__(self, option: PluginOption) -> None:
        self.option = option

    def open(self, session: Session) -> None:
        """Answer nowhere: no built action evicts."""

    def close(self, session: Session) -> None:
        """Nothing is left to do."""
