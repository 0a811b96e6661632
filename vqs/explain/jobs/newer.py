"""Whether a newer release of Volcano places a job that waits, and which behaviour makes the difference."""

from __future__ import annotations

from vqs.explain.jobs.trials import Goal, Trial, Trials
from vqs.explain.outcome import Result
from vqs.releases.profile import ReleaseChoice, Setting, behaviours
from vqs.releases.release import Build, Release


class NewerRelease(Result, kw_only=True, omit_defaults=False):
    """A release that gets more pods of the job bound, found by running the same sessions as that release decides.

    Attributes:
        volcano: the release, as --volcano takes it.
        pods: how many pods of the job have a node then.
        behaviours: those of which each makes the difference alone; empty where several do only together.
        decides: what the first of them decides.
    """

    volcano: str
    pods: int
    behaviours: list[str]
    decides: str


def newer_release(trials: Trials, base: Trial) -> NewerRelease | None:
    """Return the first release after the one that is modelled that brings the job further; None where none does.

    Raises:
        BudgetExhausted: there is no time left for its sessions.
    """
    profile = trials.manifests.profile
    now = profile.release
    for release in list(Release)[list(Release).index(now) + 1 :]:
        trial = trials.under(ReleaseChoice(Build(release, profile.build.vendor)))
        if trial.reaches(base) is Goal.NOTHING:
            continue
        rows = [row for row in behaviours().values() if row.values[release] != row.values[now]]
        alone = [ReleaseChoice(None, (Setting(row.name, row.values[release]),)) for row in rows]
        telling = [
            row for row, choice in zip(rows, alone, strict=True) if trials.under(choice).reaches(base) > Goal.NOTHING
        ]
        return NewerRelease(
            volcano=str(release),
            pods=trial.pods[-1].get(trial.called, 0),
            behaviours=[row.name for row in telling],
            decides=telling[0].decides if telling else "",
        )
    return None
