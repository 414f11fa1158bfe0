"""Across projects: a release and who took it, pins that moved, names removed that others use, and who names whom."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.day import Bump, CrossStory, Link, Statement
from daybreak.core.model.links import commit_id
from daybreak.report.render.change import told_with_links, when
from daybreak.report.render.edition import Edition, refs, release_link
from daybreak.report.render.escape import aside, bold, statement, text
from daybreak.report.render.forge import folded, reference
from daybreak.report.render.sections import details

SHOWN = 12
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
    return [f"## {ed.t('section.across')}", *folded(ed, lines, SHOWN), *_mentions(ed, named)]


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
