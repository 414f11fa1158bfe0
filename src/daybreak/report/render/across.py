"""Across projects: a release and who took it, pins that moved, names removed that others use, and who names whom."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.links import Bump, CrossStory, Link, commit_id, release_id
from daybreak.core.model.statements import Statement
from daybreak.report.render.addresses import refs, release_link
from daybreak.report.render.change import told_with_links, when
from daybreak.report.render.escape import aside, bold, statement, text
from daybreak.report.render.forge_change import Edition, ForgeView
from daybreak.report.render.forge_sections import folded, reference
from daybreak.report.render.sections import details

SHOWN = 12
_BROUGHT, _PLACES = 3, 4
_SHA_DIGITS = 12


def across_block(ed: Edition) -> list[str]:
    """The section of the day page; none when nothing ran between the repositories."""
    view = ed.forge
    if view is None:
        return []
    links = view.crossing()
    lines = [_story(ed, view, story) for story in view.day.across.stories]
    told = {(story.target, sha) for story in view.day.across.stories for sha in story.commits}
    lines += [f"- {_bump(ed, view, one)}" for one in view.bumps() if (one.target, one.sha) not in told]
    lines += [f"- {told_with_links(ed, ed.report.repos, s)}" for s in _further(view)]
    moved = {commit_id(one.sha) for one in view.bumps()}
    lines += [_link(ed, view, x) for x in links if x.kind not in ("mentions", "takes")]
    lines += [_link(ed, view, x) for x in links if x.kind == "takes" and x.source not in moved]
    named = [_link(ed, view, x) for x in links if x.kind == "mentions"]
    if not lines and not named:
        return []
    return [f"## {ed.t('section.across')}", *folded(ed, lines, SHOWN), *_mentions(ed, view, named)]


def _further(view: ForgeView) -> list[Statement]:
    """Sentences that the stories and moves do not say already."""
    told = {f"story:{story.id}" for story in view.day.across.stories}
    moves = {(commit_id(one.sha), f"repo:{one.target}") for one in view.bumps()}
    return [
        s
        for s in view.day.statements
        if not told & set(s.evidence) and not any(set(move) <= set(s.evidence) for move in moves)
    ]


def _mentions(ed: Edition, view: ForgeView, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    blocks = folded(ed, lines, len(lines))
    omitted = view.day.across.omitted
    blocks += [ed.t("forge.mentions_left", n=omitted)] if omitted else []
    return [details(ed.t("day.details", title=ed.t("forge.mentions"), n=len(lines)), "\n\n".join(blocks))]


def _story(ed: Edition, view: ForgeView, story: CrossStory) -> str:
    """The whole in one sentence, then the moves of this report that are steps of it."""
    moves = [one for one in view.bumps() if one.target == story.target and one.sha in story.commits]
    steps = [f"  - {_bump(ed, view, one, '  ')}" for one in moves]
    return "\n".join([f"- {ed.ended(statement(ed.say(story.net), aside))}", *steps])


def _bump(ed: Edition, view: ForgeView, one: Bump, indent: str = "") -> str:
    """Which pin, from what to what, the release it takes, and the known changes that come with it."""
    t = ed.t
    repo, entry = view.entries[commit_id(one.sha)]
    key = "forge.bump_back" if one.back else "forge.bump"
    moved = t(
        key, repo=text(one.repo), package=aside(one.package),
        before=_version(one.before), after=_version(one.after, least=one.least),
    )  # fmt: skip
    moved += ed.note(text(one.target), *([] if one.sure else [t("forge.by_name")]))
    if one.release:
        found = view.releases.get(release_id(one.target, one.release))
        tag = release_link(found[0].repo, one.release) if found else aside(one.release)
        moved += t("page.comma") + t("forge.bump_release", tag=tag)
    marked = f"{bold(t('forge.likely'))} " if not one.sure else ""
    dated = f"{when(entry.change)} " if commit_id(one.sha) in view.late else ""
    lines = [f"{dated}{marked}{ed.ended(moved)} {refs(repo.repo, entry.change)}"]
    return "\n".join([*lines, *(indent + line for line in _brought(ed, view, one))])


def _version(value: str, *, least: bool = False) -> str:
    """A commit by its first digits, set so that nobody takes it for one of the report's."""
    shown = value[:_SHA_DIGITS] if len(value) >= 40 else value
    return aside(f">={shown}" if least else shown)


def _brought(ed: Edition, view: ForgeView, one: Bump) -> list[str]:
    if not one.between:
        return []
    names = [commit_id(sha) for sha in one.between]
    known = [name for name in names if name in view.entries]
    before = [name for name in names if name in view.earlier]
    if not known and len(before) >= min(_BROUGHT, len(names)):  # one of many would look chosen
        known = before
    told = [f"    - {reference(ed, view, name)}" for name in known[:_BROUGHT]]
    head = ed.t("forge.brings_all" if one.whole else "forge.brings_known", n=len(one.between))
    left = len(one.between) - len(told)
    more = [f"    - {ed.t('forge.brings_more', n=left)}"] if left and told else []
    return [f"  - {head}{ed.t('page.colon').rstrip() if told else ed.t('page.stop')}", *told, *more]


def _places(ed: Edition, link: Link) -> list[str]:
    """Where the name is used, as text: the line is of the other repository's head, which no page of ours links to."""
    if not link.places:
        return []
    shown = ed.t("page.list").join(aside(f"{one.path}:{one.line}") for one in link.places[:_PLACES])
    left = len(link.places) - _PLACES + link.places_omitted
    more = ed.note(ed.t("forge.places_more", n=left)) if left > 0 else ""
    return [f"  - {ed.ended(ed.t('forge.places', repo=text(link.places[0].repo), what=shown) + more)}"]


def _link(ed: Edition, view: ForgeView, link: Link) -> str:
    """Two ends with the words that speak for it; a guess says so first."""
    marked = f"{bold(ed.t('forge.likely'))} " if link.likely else ""
    if link.kind == "uses_removed" and link.why and link.source in view.findings:
        repo, entry, _ = view.findings[link.source]
        told = f"- {marked}{ed.ended(statement(ed.say(link.why), aside))} {refs(repo.repo, entry.change)}"
        return "\n".join([told, *_places(ed, link)])
    ends = ed.t(
        f"forge.link_{link.kind}", source=reference(ed, view, link.source), target=reference(ed, view, link.target)
    )
    said = link.why if link.kind != "mentions" or link.target.startswith("repo:") else None
    why = f" {statement(ed.say(said), aside)}" if said else ""
    return "\n".join([f"- {marked}{ed.ended(ends)}{why}", *_places(ed, link)])
