"""What a forge has of a day in a few lines for the summary: how much, and the regressions and wrong results by name."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from daybreak.core.model.links import IssueKind, IssueReading, issue_id
from daybreak.core.model.report import RepoReport
from daybreak.report.render.edition import Edition
from daybreak.report.render.escape import bold, text
from daybreak.report.render.forge_refs import issue_reference
from daybreak.report.render.forge_sections import fix_fact
from daybreak.report.render.forge_view import ForgeView

SHOWN = 5
_PRESSING = ("regression", "accuracy")


def news(ed: Edition) -> list[str]:
    """One list item, with what presses most below it; nothing when no forge was asked."""
    view = ed.forge
    if view is None or not view.day.activities:
        return []
    issues = [(repo, one) for repo in ed.report.repos for one in _new(view, repo)]
    pressing = [(repo, one) for kind in _PRESSING for repo, one in issues if one.kind == kind]
    counted = _counted(ed, view, [one for _, one in issues])
    if not counted:
        return []
    told = [f"- {ed.ended(counted)}"]
    told += [f"  - {_line(ed, view, repo, one)}" for repo, one in pressing[:SHOWN]]
    more = [f"  - {ed.t('forge.news_more')}"] if len(pressing) > SHOWN else []
    return ["\n".join([*told, *more])]


def _new(view: ForgeView, repo: RepoReport) -> list[IssueReading]:
    reading = view.reading(repo.repo.name)
    return [x for x in reading.issues if issue_id(x.repo, x.number) in view.issues] if reading else []


def _counted(ed: Edition, view: ForgeView, issues: list[IssueReading]) -> str:
    """How many new issues of which kind, in the order in which they are told, and how much else."""
    kinds = Counter(one.kind for one in issues)
    named = [f"{ed.t(f'forge.kind_{kind}')} {kinds[kind]}" for kind in get_args(IssueKind) if kinds[kind]]
    again = sum("opened" not in view.issues[issue_id(x.repo, x.number)][1].happened for x in issues)
    each = [ed.t("page.list").join(named), *([ed.t("forge.news_reopened", n=again)] if again else [])]
    kinds_told = ed.note(ed.t("page.semicolon").join(each))
    parts = [ed.t("forge.news_issues", n=len(issues)) + kinds_told] if issues else []
    found = [a for a in view.day.activities if a.repo in view.repos]
    merged = sum("merged" in pull.happened for a in found for pull in a.pulls)
    releases = sum(len(a.releases) for a in found)
    parts += [ed.t("forge.pulls_merged", n=merged)] if merged else []
    parts += [ed.t("forge.releases", n=releases)] if releases else []
    if not parts:
        return ""
    at_least = any(a.skipped or a.left_out for a in found)
    return ed.t("forge.news", what=" · ".join(parts)) + (ed.note(ed.t("forge.at_least")) if at_least else "")


def _line(ed: Edition, view: ForgeView, repo: RepoReport, one: IssueReading) -> str:
    _, issue = view.issues[issue_id(repo.repo.name, one.number)]
    told = f"{bold(ed.t(f'forge.kind_{one.kind}'))} {text(repo.repo.name)} {issue_reference(ed, repo.repo, issue)}"
    return f"{told} · {fix_fact(ed, view, repo, one.fixes, one.commits)}"
