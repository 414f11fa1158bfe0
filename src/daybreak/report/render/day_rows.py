"""Every change of the day below its first screen: those worth knowing by area of work, all others in a table each."""

from __future__ import annotations

from collections.abc import Iterable

from daybreak.core.model.day import LEVELS, Action, Commit, RepoDay
from daybreak.core.words.brief import brief_line
from daybreak.core.words.reasons import reason_in
from daybreak.report.render.change import flags, spans_of, subject, when
from daybreak.report.render.edition import MARKS, Edition, find_commits, refs
from daybreak.report.render.escape import bold, cell, statement, text

WORDS = 20
"""Of a sentence in a row."""
_RULE = "| --- | --- | --- |"


def worth_block(ed: Edition) -> list[str]:
    """One line for each change, under the name of its area."""
    if not ed.day.worth:
        return []
    blocks = [f"## {ed.t('section.worth')}"]
    for area in ed.day.worth:
        lines = "\n".join(f"- {_line(ed, one)}" for one in area.changes)
        blocks += [bold(statement(ed.say(area.area))), lines]
    return blocks


def _line(ed: Edition, one: Action) -> str:
    found = find_commits(ed.day.repos, one.commits, one.repo)
    said = ed.ended(statement(ed.say(one.text), spans_of([commit for _, commit in found])))
    tag = [bold(ed.t(f"day.tag_{one.tag}")), "·"] if one.tag else []
    return " ".join([*tag, text(one.repo.rpartition("/")[2]), "·", said, *(refs(*pair) for pair in found)])


def rest_of(ed: Edition, repo: RepoDay) -> list[Commit]:
    """Commits of the window that nothing above names: by grade, as git has them within it, filtered ones last."""
    above = (*ed.day.actions, *ed.day.also, *(one for area in ed.day.worth for one in area.changes))
    named = {sha for one in above if one.repo == repo.name for sha in one.commits}
    left = [commit for commit in repo.commits if commit.sha not in named]
    return sorted(left, key=lambda one: (one.filtered, _rank(one)))


def _rank(commit: Commit) -> int:
    level = commit.importance.level
    return LEVELS.index(level) if level in LEVELS else len(LEVELS)


def table(ed: Edition, repo: RepoDay, commits: Iterable[Commit], *, dated: bool = False) -> str:
    """A row for each: the link, the title, and what it does, where it says so; those of other days with their date."""
    return "\n".join([ed.t("table.rows"), _RULE, *(_row(ed, repo, one, dated) for one in commits)])


def _row(ed: Edition, repo: RepoDay, commit: Commit, dated: bool) -> str:
    mark = "" if commit.filtered else f"{MARKS.get(commit.importance.level, '')} "
    titled = " · ".join([*([when(commit)] if dated else []), subject(ed, commit), *flags(ed, commit)])
    return f"| {mark}{refs(repo, commit)} | {titled} | {_sentence(ed, commit)} |"


def _sentence(ed: Edition, commit: Commit) -> str:
    """What it does; of one that could not be read or is not told, why."""
    if commit.filtered:
        return ed.t("change.filtered")
    if commit.skipped:
        return cell(reason_in(ed.language, commit.skipped))
    if commit.empty:
        return ed.t("change.empty")
    if commit.tells is not None:
        return statement(brief_line(ed.say(commit.tells.text), WORDS), spans_of([commit]))
    return ed.t("change.merged", n=len(commit.merged)) if commit.merged else ""
