"""A small cluster, a queue to change in it, and git, for tests of what a change would do."""

from __future__ import annotations

import subprocess

CLUSTER = """\
apiVersion: vqs/v1
kind: Scenario
nodes:
  - {count: 2, cpu: 4, memory: 16Gi}
queues:
  - {name: a}
  - {name: b}
jobs:
  - {name: train, queue: a, replicas: 8, minAvailable: 1, cpu: 1, memory: 1Gi}
  - {name: serve, queue: b, replicas: 8, minAvailable: 1, cpu: 1, memory: 1Gi}
"""
CONF = """\
actions: "%s"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: proportion
"""
QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: %s}\nspec: {weight: %d}\n"


def git(*arguments: str, stdin: str = "") -> str:
    """Run git in the working directory, as nobody in particular, and return what it writes."""
    names = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.com", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *names, *arguments], input=stdin, check=True, capture_output=True, text=True)  # noqa: S603, S607
    return done.stdout.strip()
