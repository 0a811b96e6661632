"""Deployments that replace their pods."""

from __future__ import annotations

from typing import NamedTuple

from vqs.model.kubernetes import Deployment, ReplicaSet


class Rollout(NamedTuple):
    """A Deployment with pods of a template before its own.

    Attributes:
        deployment: the Deployment.
        replicas: how many pods it is to have.
        unavailable: how many fewer may be ready meanwhile.
        new: the ReplicaSet of its template.
        older: the others that are to have pods, the oldest first.
    """

    deployment: Deployment
    replicas: int
    unavailable: int
    new: ReplicaSet
    older: tuple[ReplicaSet, ...]
