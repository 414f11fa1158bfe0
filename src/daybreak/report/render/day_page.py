"""The day over all repositories: what to do first, then what happened, then everything."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from daybreak.core.model.day import Action, Commit, RepoDay, Skipped, Statement, Touch, Touches
from daybreak.core.model.report import Page
from daybreak.core.words.reasons import reason_in
from daybreak.report.render.across import across_block
from daybreak.report.render.change import spans_of, told_with_links
from daybreak.report.render.day_rows import rest_of, table, worth_block
from daybreak.report.render.edition import Edition, anchor, commit_link, find_commits, heading_anchor, refs
from daybreak.report.render.escape import aside, bold, reason, statement, text
from daybreak.report.render.forge import forge_blocks, news, sections
from daybreak.report.render.sections import (
    appendix,
    count,
    day_head,
    left_out_note,
    skipped_block,
    story_lines,
)
from daybreak.report.render.unread import none_detected, nothing_known, unread_note

# --- The section that leads the day page when the reader's own code is known: what of the day touches it ---


SHOWN = 20
"""Places on the page; all of them are in the data."""
_LEVELS = ("certain", "likely", "look")


def touches_block(ed: Edition, touches: Touches | None) -> list[str]:
    """Heading, counts and places; nothing when no path is configured."""
    if touches is None:
        return []
    t, found = ed.t, touches.found
    blocks = [f"## {t('section.touches')}"]
    counts = {level: sum(one.certainty == level for one in found) for level in _LEVELS}
    where = t("page.list").join(aside(path) for path in touches.paths)
    lead = t("touches.counts", where=where, **counts) if found else t("touches.none", where=where)
    blocks.append(
        lead + (t("page.space") + t("touches.acknowledged", n=touches.acknowledged) if touches.acknowledged else "")
    )
    if found:
        blocks.append("\n".join(_line(ed, n, one) for n, one in enumerate(found[:SHOWN], start=1)))
    if len(found) > SHOWN:
        blocks.append(t("touches.more", n=len(found) - SHOWN))
    if touches.skipped:
        unread = t("page.list").join(
            f"{aside(item.what)}{ed.note(text(reason_in(ed.language, item.reason)))}"
            for item in touches.skipped[:SHOWN]
        )
        more = t("range.and_more") if len(touches.skipped) > SHOWN else ""
        blocks.append(ed.ended(t("touches.skipped", n=len(touches.skipped), what=unread + more)))
    return blocks


def _line(ed: Edition, number: int, one: Touch) -> str:
    """Certainty and place first, then what and what to do; the reader's own names are set apart from the report's."""
    t = ed.t
    said = f"{statement(ed.say(one.why), aside)}{t('page.space')}{statement(ed.say(one.action), aside)}"
    pin = t("touches.pinned", version=aside(one.pinned), at=aside(one.pin_at or "")) if one.pinned else ""
    links = " ".join(refs(repo, commit) for repo, commit in find_commits(ed.day.repos, one.commits[-3:], one.repo))
    place = f"**{t(f'touches.{one.certainty}')}** {aside(f'{one.path}:{one.line}')}"
    parts = [f"{place}{t('page.colon')}{said}{t('page.space') + pin if pin else ''}", text(one.repo), links]
    return f"{number}. " + " ".join(part for part in parts if part) + (f" · {text(one.id)}" if one.id else "")


ITEMS_SHOWN = 6


def day_page(ed: Edition) -> Page:
    """`reports/DATE.md` of one language."""
    day, t = ed.day, ed.t
    skipped = day.coverage.skipped
    counts = replace(count(day.repos), skipped=len(skipped))
    blocks = day_head(ed, counts)
    blocks += skipped_block(ed, skipped)
    blocks += unread_note(ed, day.repos)
    blocks += [f"> {t('day.revised', n=len(day.revised))}"] if day.revised else []
    blocks += [f"> {t('day.completed', n=len(day.completed))}"] if day.completed else []
    blocks += left_out_note(ed)
    blocks += touches_block(ed, day.touches)
    blocks += [f"## {t('section.actions')}", _actions(ed), *_also(ed), *_also_breaking(ed)]
    nothing = t("unread.unknown" if nothing_known(day.repos) else "day.summary_none")
    blocks += [f"## {t('section.summary')}", sentences(ed, day.repos, day.summary) or nothing]
    blocks += ["\n".join(items)] if (items := news(ed)) else []
    blocks += worth_block(ed)
    blocks += across_block(ed)
    blocks += [f"## {t('section.by_repo')}", _overview(ed)]
    for repo in _busy_first(ed):
        blocks += repo_section(ed, repo)
    blocks += [f"## {t('section.conclusion')}", sentences(ed, day.repos, day.conclusion) or t("day.conclusion_none")]
    blocks += appendix(ed, day.repos, day.grounding, f"{ed.label}.json", skipped)
    return Page(f"reports/{ed.day_file()}", "\n\n".join(blocks) + "\n")


def repo_section(ed: Edition, repo: RepoDay) -> list[str]:
    """One repository on the day page, under its full name; ends with the link to its own page."""
    name, t = repo.name, ed.t
    blocks = [f"## {text(name)}", *repo_notes(ed, repo)]
    if repo.assessment:
        blocks.append(sentences(ed, (repo,), repo.assessment))
    blocks += forge_blocks(ed, repo, depth=3, shown=ITEMS_SHOWN)
    if repo.stories:
        blocks += [f"### {t('section.stories')}", "\n".join(story_lines(ed, repo))]
    if repo.late:
        blocks += [f"### {t('section.late')}", t("late.lead"), table(ed, repo, repo.late, dated=True)]
    if rest := rest_of(ed, repo):
        blocks += [f"### {t('day.details', title=t('section.rest'), n=len(rest))}", table(ed, repo, rest)]
    page = f"[{t('day.more_link', repo=text(name))}]({ed.label}/{ed.repo_file(name)})"
    return [*blocks, t("day.more", link=page)]


def repo_notes(ed: Edition, repo: RepoDay) -> list[str]:
    """What a reader must know before the changes: nothing there, nothing known, or a rewritten branch."""
    t = ed.t
    notes: list[str] = []
    if repo.in_git is None:
        why = ed.t("page.semicolon").join(reason(reason_in(ed.language, s.reason)) for s in _of_git(repo))
        notes.append(ed.ended(t("day.unknown", why=t("page.colon") + why if why else "")))
    elif not repo.commits and _in_doubt(repo):
        notes.append(t("day.nothing_listed"))
    elif repo.in_git == 0 and not repo.commits:
        quiet = "day.quiet_commits" if sections(ed, repo) else "day.quiet"
        notes.append(t("day.quiet_today" if ed.day.window.open else quiet))
    if repo.rewritten:
        notes.append("⚠️ " + t("day.rewritten", sha=aside(repo.rewritten[:12])))
    return notes


def _of_git(repo: RepoDay) -> list[Skipped]:
    """What git or reading lacks; a list of the forge that did not come says nothing about commits, nor does the code at
    the head that was to be searched for names that others removed.
    """
    beside = tuple(f"{repo.name} {what}" for what in ("on GitHub", "at its head"))
    return [one for one in repo.skipped if not one.what.startswith(beside)]


def _in_doubt(repo: RepoDay) -> bool:
    return repo.in_git is None or bool(_of_git(repo))


def sentences(ed: Edition, repos: Sequence[RepoDay], items: Sequence[Statement]) -> str:
    """What rules say as one paragraph to be read aloud, then a list of what a model says."""
    told = ""
    for one in (told_with_links(ed, repos, s) for s in items if s.author != "model"):
        # Chinese has no space between sentences, but one after a link.
        told += (ed.t("page.space") or " " * told.endswith(")")) * bool(told) + one
    model = "\n".join(f"- {told_with_links(ed, repos, s)}" for s in items if s.author == "model")
    return "\n\n".join(filter(None, [told, model]))


def _busy_first(ed: Edition) -> list[RepoDay]:
    """Repositories with something to say first; otherwise as in the watchlist."""
    return sorted(ed.day.repos, key=lambda r: not (r.commits or r.late or _of_git(r) or sections(ed, r)))


def _actions(ed: Edition) -> str:
    lines = [f"{n}. {_action(ed, action)}" for n, action in enumerate(ed.day.actions, start=1)]
    return "\n".join(lines) or none_detected(ed, ed.day.repos)


def _also(ed: Edition) -> list[str]:
    """What else is worth knowing, a line each, and how much more there is to act on."""
    lines = [f"- {_action(ed, action)}" for action in ed.day.also]
    told = [f"{bold(ed.t('day.also'))}\n\n" + "\n".join(lines)] if lines else []
    if not ed.day.more_actions:
        return told
    section = ed.t("section.worth")
    where = f"[{section}](#{heading_anchor(section.replace(' ', '-'))})"
    return [*told, ed.t("day.more_actions", n=ed.day.more_actions, where=where)]


def _also_breaking(ed: Edition) -> list[str]:
    """The list is short; a commit marked breaking that it has no room for is still named under it."""
    left = [(r, e) for r in ed.day.repos for e in rest_of(ed, r) if e.breaking and not e.filtered]
    if not left:
        return []
    links = ed.t("page.list").join(commit_link(r, e.sha) for r, e in left)
    return [ed.ended(ed.t("day.also_breaking", n=len(left)) + links)]


def _action(ed: Edition, action: Action) -> str:
    found = find_commits(ed.day.repos, action.commits, action.repo)
    place = _place(ed, action.repo, [e for _, e in found])
    tag = [bold(ed.t(f"day.tag_{action.tag}"))] if action.tag else []
    sentence = ed.ended(statement(ed.say(action.text), spans_of([e for _, e in found])))
    told = " ".join(filter(None, [sentence, *(refs(repo, commit) for repo, commit in found)]))
    return " · ".join([*tag, place, told])


def _place(ed: Edition, name: str, commits: list[Commit]) -> str:
    """Where to read on: the change on its repository's page."""
    if name not in ed.stems:
        return text(name)
    fragment = f"#{anchor(commits[0])}" if commits and not commits[0].filtered else ""
    return f"[{text(name)}]({ed.label}/{ed.repo_file(name)}{fragment})"


def _overview(ed: Edition) -> str:
    """One row for each repository, in the order of the watchlist."""
    rows = [ed.t("day.overview"), "| --- | --- | --- | --- |"]
    for repo in ed.day.repos:
        c = count((repo,))
        link = f"[{text(repo.name)}](#{heading_anchor(repo.name)})"
        marks = c.marks if repo.commits else "–"
        rows.append(f"| {link} | {c.reported} / {c.in_git} | {marks} | {c.breaking} |")
    return "\n".join(rows)
