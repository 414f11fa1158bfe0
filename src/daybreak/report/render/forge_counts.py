"""How many issues, pull requests and releases a forge has of a day, and what was not asked for and how to get it."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.items import Activity, Happened, Issue, Pull
from daybreak.core.model.report import RepoReport
from daybreak.report.render.edition import Edition
from daybreak.report.render.escape import text

_SETTING = "GITHUB_TOKEN"


def tally(ed: Edition, repo: RepoReport) -> str:
    """How many issues and pull requests of what kind of event; of a list that did not come whole, at least so many."""
    found = ed.forge.activity(repo.repo.name) if ed.forge else None
    if found is None:
        return ""
    counts: list[tuple[str, Sequence[Issue | Pull], Happened]] = [
        ("issues_opened", found.issues, "opened"), ("issues_closed", found.issues, "closed"),
        ("issues_reopened", found.issues, "reopened"), ("pulls_opened", found.pulls, "opened"),
        ("pulls_merged", found.pulls, "merged"), ("pulls_closed", found.pulls, "closed"),
    ]  # fmt: skip
    told = [ed.t(f"forge.{name}", n=n) for name, items, what in counts if (n := _count(items, what))]
    told += [ed.t("forge.releases", n=len(found.releases))] if found.releases else []
    said = " · ".join(told) or ed.t("forge.nothing")
    return said + (ed.note(ed.t("forge.at_least")) if found.skipped or found.left_out else "")


def _count(items: Sequence[Issue | Pull], what: Happened) -> int:
    """A pull request that was merged counts as merged, not as closed."""
    return sum(what in x.happened and not (what == "closed" and "merged" in x.happened) for x in items)


def left_out(ed: Edition, repos: Sequence[RepoReport]) -> list[str]:
    """What nobody was asked for, since there is no token for it, and how to get it."""
    found = [a for r in repos if ed.forge and (a := ed.forge.activity(r.repo.name)) and a.left_out]
    if not found:
        return []
    lines = [f"- {ed.t('forge.left_out')}"]
    lines += [f"  - {_left(ed, one)}" for one in found]
    return lines


def left_out_note(ed: Edition) -> list[str]:
    """One line for the head of the day page: a reader must know that there is more."""
    count = sum(bool(a.left_out) for a in ed.forge.day.activities) if ed.forge else 0
    return [f"> {ed.t('forge.left_out_note', n=count)}"] if count else []


def _left(ed: Edition, activity: Activity) -> str:
    """What, why, and what to do about it, in the words of the source."""
    said = [ed.ended(f"{text(x.what)}{ed.t('page.colon')}{text(x.reason)}") for x in activity.left_out]
    tips = dict.fromkeys(_tip(ed, x.tip) for x in activity.left_out if x.tip)
    return " ".join([*said, *tips])


def _tip(ed: Edition, tip: str) -> str:
    return ed.t("forge.token") if _SETTING in tip else text(tip)
