"""What was not read, on pages: languages without a reader, and repositories of which nothing is known."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.day import RepoDay
from daybreak.core.model.findings import Unread
from daybreak.findings.unread import unread_files
from daybreak.report.render.edition import Edition, day_of

MUCH = 0.1
"""A share that a reader must know of before the first line."""


def unread_of(repos: Sequence[RepoDay]) -> tuple[Unread, ...]:
    """Languages of the day's changes that no reader looked into."""
    return unread_files((repo.name, f.path) for repo in repos for commit in repo.told for f in commit.files)


def languages_text(ed: Edition, unread: Sequence[Unread]) -> str:
    """`Java (12 files, 40 %)`, one after the other."""
    told = (ed.t("unread.language", n=one.files, language=one.language, share=percent(one.share)) for one in unread)
    return ed.t("page.list").join(told)


def percent(share: float) -> str:
    """A share as a reader says it; what is there is never nothing."""
    return f"{max(1, round(share * 100))} %"


def unread_note(ed: Edition, repos: Sequence[RepoDay]) -> list[str]:
    """A line near the top where much was not read."""
    unread = unread_of(repos)
    if sum(one.share for one in unread) < MUCH:
        return []
    return [f"> {ed.t('unread.note', languages=languages_text(ed, unread))}"]


def unread_point(ed: Edition, repos: Sequence[RepoDay]) -> list[str]:
    """A point of the appendix, wherever anything was not read."""
    unread = unread_of(repos)
    return [ed.t("unread.note", languages=languages_text(ed, unread))] if unread else []


def _asleep(ed: Edition, repos: Sequence[RepoDay]) -> list[str]:
    """Copies into which nobody fetches look like a day on which all the world is quiet."""
    newest = [repo.asleep for repo in repos if repo.asleep is not None]
    if not newest or len(newest) < len(repos):
        return []
    return [ed.t("unread.asleep", day=day_of(ed, max(newest)))]


def nothing_known(repos: Sequence[RepoDay]) -> bool:
    """Not one of the repositories could be had."""
    return bool(repos) and all(repo.in_git is None and not repo.commits for repo in repos)


def some_unknown(ed: Edition, repos: Sequence[RepoDay]) -> list[str]:
    """How many of the repositories could not be had."""
    unknown = sum(repo.in_git is None and not repo.commits for repo in repos)
    return [ed.t("unread.some_unknown", n=unknown)] if unknown else []


def none_detected(ed: Edition, repos: Sequence[RepoDay]) -> str:
    """That nothing was detected, as far as that is known."""
    if nothing_known(repos):
        return ed.t("unread.unknown")
    told = [ed.t("day.actions_none"), *some_unknown(ed, repos), *unread_point(ed, repos), *_asleep(ed, repos)]
    return ed.t("page.space").join(told)
