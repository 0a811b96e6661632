"""What differs between those who judge pods: the API server, and the webhook that borrows its checks for Jobs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """How pods are judged.

    Attributes:
        is_pod: whether it is a pod itself, and no template of pods.
        relaxed: whether names of environment variables, domains to search and pauses of length 0 are judged as newer
            API servers do; the webhook asks the code it borrows for nothing new.
    """

    is_pod: bool = False
    relaxed: bool = True


POD = Options(is_pod=True)
TEMPLATE = Options()
JOB_TEMPLATE = Options(relaxed=False)
"""As the webhook for Jobs judges the templates of tasks."""
