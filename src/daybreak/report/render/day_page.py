"""The day over all repositories: what to do first, then what happened, then everything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from daybreak.core.model.day import (
    LEVELS,
    Action,
    Bump,
    Commit,
    CrossStory,
    Link,
    RepoDay,
    Skipped,
    Statement,
    Touch,
    Touches,
)
from daybreak.core.model.links import commit_id
from daybreak.core.model.report import Page
from daybreak.core.words.brief import advised, brief_line
from daybreak.core.words.phrases import reason_in
from daybreak.report.render.change import flags, spans_of, subject, told_with_links, when
from daybreak.report.render.edition import (
    MARKS,
    Edition,
    anchor,
    day_of,
    find_commits,
    heading_anchor,
    refs,
    release_link,
)
from daybreak.report.render.escape import aside, bold, cell, reason, statement, text
from daybreak.report.render.forge import folded, forge_blocks, news, reference, sections
from daybreak.report.render.sections import (
    appendix,
    count,
    day_head,
    details,
    left_out_note,
    skipped_block,
    story_lines,
)
from daybreak.report.render.tags import entry_tag
from daybreak.report.render.unread import none_detected, nothing_known, some_unknown, unread_note

# --- The section that leads the day page when the reader's own code is known: what of the day touches it ---


SHOWN = 20
"""Places on the page; all of them are in the data."""
_LEVELS = ("certain", "likely", "look")


def touches_block(ed: Edition, touches: Touches | None) -> list[str]:
    """Heading, counts and places; nothing when no path is configured."""
    if touches is None:
        return []
    t, found = ed.t, touches.found
    blocks = [f"## {t('section.touches')}", _touched(ed, touches)]
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


def _touched(ed: Edition, touches: Touches) -> str:
    """How much of the reader's code is touched, as far as that is known."""
    t, found = ed.t, touches.found
    if nothing_known(ed.day.repos):
        return t("unread.unknown")
    counts = {level: sum(one.certainty == level for one in found) for level in _LEVELS}
    where = t("page.list").join(aside(path) for path in touches.paths)
    told = [t("touches.counts", where=where, **counts) if found else t("touches.none", where=where)]
    told += [t("touches.acknowledged", n=touches.acknowledged)] if touches.acknowledged else []
    return t("page.space").join([*told, *some_unknown(ed, ed.day.repos)])


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
        if repo.asleep is not None:
            notes.append(t("day.asleep", day=day_of(ed, repo.asleep)))
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
    """The list is short; a commit marked breaking that it has no room for is still told under it, each in a line."""
    left = [(r, e) for r in ed.day.repos for e in rest_of(ed, r) if e.breaking and not e.filtered]
    if not left:
        return []
    return [ed.t("day.also_breaking", n=len(left)).rstrip(), "\n".join(f"- {_broken_line(ed, r, e)}" for r, e in left)]


def _broken_line(ed: Edition, repo: RepoDay, commit: Commit) -> str:
    """Whose it is, what it is called and what it does, as an entry of the list above says it."""
    named = ed.t("page.cited", text=subject(ed, commit))
    said = f"{named}{ed.t('page.colon')}{_sentence(ed, commit)}" if commit.tells is not None else named
    return f"{_place(ed, repo.name, [commit])} · {said} {refs(repo, commit)}"


def _action(ed: Edition, action: Action) -> str:
    found = find_commits(ed.day.repos, action.commits, action.repo)
    place = _place(ed, action.repo, [e for _, e in found])
    named = entry_tag(action, [e for _, e in found])
    tag = [ed.t(named) if named.startswith("kind.") else bold(ed.t(named))] if named else []
    sentence = ed.ended(statement(ed.say(action.text), spans_of([e for _, e in found], in_table=False)))
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


# Every change of the day below its first screen: those worth knowing by area of work, all others in a table each.
WORDS = 20
"""Of a sentence in a row."""
_RULE = "| --- | --- | --- |"


def worth_block(ed: Edition) -> list[str]:
    """One line for each change, under the name of its area."""
    if not ed.day.worth:
        return []
    blocks = [f"## {ed.t('section.worth')}"]
    for area in ed.day.worth:
        lines = "\n".join(f"- {_told_line(ed, one)}" for one in area.changes)
        blocks += [bold(statement(ed.say(area.area))), lines]
    return blocks


def _told_line(ed: Edition, one: Action) -> str:
    found = find_commits(ed.day.repos, one.commits, one.repo)
    said = ed.ended(statement(ed.say(one.text), spans_of([commit for _, commit in found], in_table=False)))
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
    """What it does, a dash where nothing says it; of one that could not be read or is not told, why."""
    if commit.filtered:
        return ed.t("change.filtered")
    if commit.skipped:
        return cell(reason_in(ed.language, commit.skipped))
    if commit.empty:
        return ed.t("change.empty")
    if commit.tells is not None:
        # The sentence may be cut, and never which release has it, nor what a model tells: languages would be cut at other places.
        said, release = advised(ed.say(commit.tells.text), ed.language)
        shown = said if commit.tells.source == "model" else brief_line(said, WORDS)
        return statement(f"{shown}{release}", spans_of([commit]))
    return ed.t("change.merged", n=len(commit.merged)) if commit.merged else "–"


# Across projects: a release and who took it, pins that moved, names removed that others use, and who names whom.
LINKS_SHOWN = 12
_BROUGHT, _PLACES = 3, 4
_SHA_DIGITS = 12


def across_block(ed: Edition) -> list[str]:
    """The section of the day page; none when nothing ran between the repositories."""
    links = ed.day.links
    lines = [_story(ed, story) for story in ed.day.across.stories]
    told = {(story.target, sha) for story in ed.day.across.stories for sha in story.commits}
    lines += [f"- {_bump(ed, one)}" for one in ed.known.bumps if (one.target, one.sha) not in told]
    lines += [f"- {told_with_links(ed, ed.day.repos, s)}" for s in _further(ed)]
    moved = {commit_id(one.sha) for one in ed.known.bumps}
    lines += [_link(ed, x) for x in links if x.kind not in ("mentions", "takes")]
    lines += [_link(ed, x) for x in links if x.kind == "takes" and x.source not in moved]
    named = [_link(ed, x) for x in links if x.kind == "mentions"]
    if not lines and not named:
        return []
    return [f"## {ed.t('section.across')}", *folded(ed, lines, LINKS_SHOWN), *_mentions(ed, named)]


def _further(ed: Edition) -> list[Statement]:
    """Sentences that the stories and moves do not say already."""
    told = {f"story:{story.id}" for story in ed.day.across.stories}
    moves = {(commit_id(one.sha), f"repo:{one.target}") for one in ed.known.bumps}
    return [
        s
        for s in ed.day.across.statements
        if not told & set(s.evidence) and not any(set(move) <= set(s.evidence) for move in moves)
    ]


def _mentions(ed: Edition, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    blocks = folded(ed, lines, len(lines))
    omitted = ed.day.across.mentions_omitted
    blocks += [ed.t("forge.mentions_left", n=omitted)] if omitted else []
    return [details(ed.t("day.details", title=ed.t("forge.mentions"), n=len(lines)), "\n\n".join(blocks))]


def _story(ed: Edition, story: CrossStory) -> str:
    """The whole in one sentence, then the moves of this report that are steps of it."""
    moves = [one for one in ed.known.bumps if one.target == story.target and one.sha in story.commits]
    steps = [f"  - {_bump(ed, one, '  ')}" for one in moves]
    return "\n".join([f"- {ed.ended(statement(ed.say(story.net), aside))}", *steps])


def _bump(ed: Edition, one: Bump, indent: str = "") -> str:
    """Which pin, from what to what, the release it takes, and the known changes that come with it."""
    t = ed.t
    repo, commit = ed.known.commits[commit_id(one.sha)]
    key = "forge.bump_back" if one.back else "forge.bump"
    moved = t(
        key, repo=text(one.repo), package=aside(one.package),
        before=_version(one.before), after=_version(one.after, least=one.least),
    )  # fmt: skip
    moved += ed.note(text(one.target), *([t("forge.by_name")] if one.likely else []))
    if one.release:
        found, tag = ed.known.releases.get(one.release), one.release.removeprefix(f"release:{one.target}@")
        tag = release_link(found[0], tag) if found else aside(tag)
        moved += t("page.comma") + t("forge.bump_release", tag=tag)
    marked = f"{bold(t('forge.likely'))} " if one.likely else ""
    dated = f"{when(commit)} " if commit_id(one.sha) in ed.known.late else ""
    lines = [f"{dated}{marked}{ed.ended(moved)} {refs(repo, commit)}"]
    return "\n".join([*lines, *(indent + line for line in _brought(ed, one))])


def _version(value: str, *, least: bool = False) -> str:
    """A commit by its first digits, set so that nobody takes it for one of the report's."""
    shown = value[:_SHA_DIGITS] if len(value) >= 40 else value
    return aside(f">={shown}" if least else shown)


def _brought(ed: Edition, one: Bump) -> list[str]:
    if not one.between:
        return []
    names = [commit_id(sha) for sha in one.between]
    known = [name for name in names if name in ed.known.commits]
    before = [name for name in names if name in ed.known.earlier]
    if not known and len(before) >= min(_BROUGHT, len(names)):  # one of many would look chosen
        known = before
    told = [f"    - {reference(ed, name)}" for name in known[:_BROUGHT]]
    head = ed.t("forge.brings_all" if one.whole else "forge.brings_known", n=len(one.between))
    left = len(one.between) - len(told)
    more = [f"    - {ed.t('forge.brings_more', n=left)}"] if left and told else []
    return [f"  - {head}{ed.t('page.colon').rstrip() if told else ed.t('page.stop')}", *told, *more]


def _places(ed: Edition, link: Link) -> list[str]:
    """Where the name is used, as text: the line is of the other repository's head, which no page of ours links to."""
    if not link.places:
        return []
    shown = ed.t("page.list").join(aside(f"{one.path}:{one.line}") for one in link.places[:_PLACES])
    left = len(link.places) - _PLACES + (link.places_omitted or 0)
    more = ed.note(ed.t("forge.places_more", n=left)) if left > 0 else ""
    return [f"  - {ed.ended(ed.t('forge.places', repo=text(link.places[0].repo), what=shown) + more)}"]


def _link(ed: Edition, link: Link) -> str:
    """Two ends with the words that speak for it; a guess says so first."""
    marked = f"{bold(ed.t('forge.likely'))} " if link.likely else ""
    if link.kind == "uses_removed" and link.why and link.source in ed.known.findings:
        repo, commit, _ = ed.known.findings[link.source]
        told = f"- {marked}{ed.ended(statement(ed.say(link.why), aside))} {refs(repo, commit)}"
        return "\n".join([told, *_places(ed, link)])
    ends = ed.t(f"forge.link_{link.kind}", source=reference(ed, link.source), target=reference(ed, link.target))
    said = link.why if link.kind != "mentions" or link.target.startswith("repo:") else None
    why = f" {statement(ed.say(said), aside)}" if said else ""
    return "\n".join([f"- {marked}{ed.ended(ends)}{why}", *_places(ed, link)])
