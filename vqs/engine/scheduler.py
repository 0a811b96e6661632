"""The scheduler's loop: open a session, run the actions of its configuration, close it.

References: pkg/scheduler/scheduler.go (runOnce); pkg/scheduler/framework/framework.go (OpenSession, CloseSession).
"""

from __future__ import annotations

import time

from vqs.config.scheduler_conf import SchedulerConfiguration
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.registry import ACTIONS, make_plugins
from vqs.engine.framework.session import Session, SessionOptions
from vqs.model.cluster import Cluster


def open_session(cluster: Cluster, conf: SchedulerConfiguration, options: SessionOptions) -> Session:
    """Open a session on a cluster with the plugins of a configuration."""
    conf = conf.unread(options.profile)
    ignores_amounts = options.profile.deviceshare.virtual_gpu_amounts == "ignored"
    if ignores_amounts or conf.plugin("deviceshare") is not None:
        from vqs.engine.plugins.deviceshare import ignored_resources  # noqa: PLC0415 - with other plugins, it is not needed

        ignored = ignored_resources(conf, cluster, options.profile.deviceshare, options.now)
        if ignored:
            cluster.leave_out(ignored)
    session = FinishedSession(cluster, conf, options)
    session.open(make_plugins(session.conf.plugins, session))
    return session


def run_actions(session: Session) -> FinishedSession:
    """Run the actions of a session that `open_session` opened, in their order, and close it."""
    if not isinstance(session, FinishedSession):
        raise TypeError("only what open_session returns can be run")
    seconds = session.seconds
    for name in session.conf.actions:  # one of none was refused when the configuration was read
        started = time.perf_counter()
        session.trace.begin(name)
        ACTIONS[name]().execute(session)
        seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - started
    session.close()
    return session
