"""Small clusters for the actions that evict for gangs, in a release that has them."""

from __future__ import annotations

import io
import json
from typing import Any

from tests.build import NOW, scheduler_conf
from vqs.engine import scheduler
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.session import Session, SessionOptions
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.reading.reader import read_manifests

TIERS = """
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: predicates
  - name: proportion
  - name: nodeorder
"""


def gang_session(objects: list[Any], actions: str, tiers: str = TIERS, release: Release = Release.V1_15) -> Session:
    """Open a session in which some actions are to run."""
    items = [each for entry in objects for each in (entry if isinstance(entry, list) else [entry])]
    conf = scheduler_conf(f"actions: {json.dumps(actions)}{tiers}")
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [conf, *items]})
    read = read_manifests(["-"], stdin=io.BytesIO(text.encode()), release=ReleaseChoice(Build(release)))
    return scheduler.open_session(build_cluster(read), read.scheduler, SessionOptions(now=NOW, profile=read.profile))


def run_for_gangs(
    objects: list[Any], actions: str, tiers: str = TIERS, release: Release = Release.V1_15
) -> FinishedSession:
    """Run some actions in a session and close it."""
    return scheduler.run_actions(gang_session(objects, actions, tiers, release))
