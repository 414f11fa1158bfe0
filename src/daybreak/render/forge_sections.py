"""One repository's part of a forge: new issues, what is coming, releases; nothing is left off without a word."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.items import Issue, Pull
from daybreak.links import Coming, Fix, IssueReading, ReleaseReading, commit_id, issue_id, pull_id, release_id
from daybreak.model import RepoReport
from daybreak.render.change import subject
from daybreak.render.edition import Edition
from daybreak.render.escape import aside, bold, statement, text
from daybreak.render.files import lines_text
from daybreak.render.forge_refs import issue_reference, minute, pull_reference, reference, state
from daybreak.render.forge_view import ForgeView
from daybreak.render.links import pull_link, refs, release_link
from daybreak.render.sections import details

MOST = 400
"""Lines of one list on a page; all of it is in the data."""
_MENDED = frozenset({"regression", "accuracy", "bug", "performance", "install"})
"""Of what a fix may be looked for; a question or a wish has none."""
_PARTS, _FIXES, _CAUSES, _COMMITS = 4, 3, 3, 8


def folded(ed: Edition, lines: Sequence[str], shown: int) -> list[str]:
    """The first lines in the open, the others folded; beyond what a page can bear, their number and where they are."""
    blocks = ["\n".join(lines[:shown])] if lines[:shown] else []
    if rest := lines[shown:MOST]:
        blocks.append(details(ed.t("forge.folded", n=len(rest)), "\n".join(rest)))
    if len(lines) > MOST:
        blocks.append(ed.t("forge.in_data", n=len(lines) - MOST))
    return blocks


def forge_blocks(ed: Edition, repo: RepoReport, *, depth: int, shown: int, anchors: bool = False) -> list[str]:
    """Issues, coming and releases of one repository under headings; nothing when its forge was not asked."""
    blocks: list[str] = []
    for name, lines in sections(ed, repo):
        title = ed.t("day.details", title=ed.t(f"section.{name}"), n=len(lines))
        blocks += [f'<a id="{name}"></a>'] if anchors else []
        blocks += [f"{'#' * depth} {title}", *folded(ed, lines, shown)]
    return blocks


def sections(ed: Edition, repo: RepoReport) -> list[tuple[str, list[str]]]:
    """Name and lines of each section that has any."""
    view, name = ed.forge, repo.repo.name
    reading = view.reading(name) if view else None
    if view is None or reading is None:
        return []
    found = [
        ("issues", [_issue(ed, view, repo, one) for one in reading.issues if issue_id(name, one.number) in view.issues]),
        ("coming", [_coming(ed, view, repo, one) for one in reading.coming if pull_id(name, one.number) in view.pulls]),
        ("releases", [_release(ed, view, repo, x) for x in reading.releases if release_id(name, x.tag) in view.releases]),
    ]  # fmt: skip
    return [(title, lines) for title, lines in found if lines]


# --- issues ------------------------------------------------------------------------------------------------------


def _issue(ed: Edition, view: ForgeView, repo: RepoReport, reading: IssueReading) -> str:
    """Kind, number and title, the parts it names, how many speak of it, whether a fix is in sight."""
    t = ed.t
    _, issue = view.issues[issue_id(repo.repo.name, reading.number)]
    facts = [_parts(ed, reading)] if reading.components else []
    facts += _stirred(ed, issue)
    facts += [t("forge.reopened")] if "reopened" in issue.happened else []
    if issue.state == "closed":
        facts.append(t("forge.closed") + (ed.note(text(issue.reason)) if issue.reason else ""))
    if reading.fixes or reading.kind in _MENDED:
        facts.append(_fixes(ed, view, repo, reading.fixes))
    facts += [t("forge.cut")] if reading.cut else []
    told = f"- {bold(t(f'forge.kind_{reading.kind}'))} {issue_reference(ed, repo.repo, issue)} · {' · '.join(facts)}"
    return "\n".join([told, *_causes(ed, view, issue_id(repo.repo.name, issue.number))])


def _parts(ed: Edition, reading: IssueReading) -> str:
    shown = ed.t("page.list").join(aside(part) for part in reading.components[:_PARTS])
    return ed.t("forge.parts", what=shown + (ed.t("range.and_more") if len(reading.components) > _PARTS else ""))


def _stirred(ed: Edition, item: Issue | Pull) -> list[str]:
    out = [ed.t("forge.comments", n=item.comments)] if item.comments else []
    return out + ([ed.t("forge.reactions", n=item.reactions)] if item.reactions else [])


def _fixes(ed: Edition, view: ForgeView, repo: RepoReport, fixes: Sequence[Fix]) -> str:
    """Pull requests that would close it, each with its state; none seen is no word that there is none."""
    told = []
    for fix in fixes[:_FIXES]:
        found = view.pulls.get(pull_id(repo.repo.name, fix.number))
        if found is not None:
            marked = [ed.t("forge.likely")] if fix.likely else []
            told.append(pull_link(repo.repo, fix.number) + ed.note(*marked, state(ed, found[1])))
    if not told:
        return ed.t("forge.no_fix")
    more = ed.t("range.and_more") if len(fixes) > _FIXES else ""
    return ed.t("forge.fix", what=ed.t("page.list").join(told) + more)


def _causes(ed: Edition, view: ForgeView, issue: str) -> list[str]:
    """What may lie behind it, as a guess with its words."""
    links = [link for link in view.leaving.get(issue, ()) if link.kind == "caused_by"]
    lines = []
    for link in links[:_CAUSES]:
        why = ed.t("page.space") + statement(ed.say(link.why), aside) if link.why else ""
        lines.append(
            f"  - {ed.t('forge.cause', what=ed.ended(reference(ed, view, link.target, view.home(issue) or '')))}{why}"
        )
    left = len(links) - _CAUSES
    return lines + ([f"  - {ed.t('forge.causes_more', n=left)}"] if left > 0 else [])


# --- coming ------------------------------------------------------------------------------------------------------


def _coming(ed: Edition, view: ForgeView, repo: RepoReport, coming: Coming) -> str:
    """An open pull request of weight and why it is one."""
    _, pull = view.pulls[pull_id(repo.repo.name, coming.number)]
    why = ed.t("page.list").join(ed.t(f"forge.coming_{reason}") for reason in coming.reasons)
    facts = [bold(why)]
    if pull.files is not None or pull.added is not None:
        size = lines_text(ed, pull.added or 0, pull.deleted or 0)
        facts.append(f"{ed.t('change.files', n=pull.files)} {size}" if pull.files is not None else size)
    return f"- {pull_reference(ed, repo.repo, pull)} · {' · '.join([*facts, *_stirred(ed, pull)])}"


# --- releases ----------------------------------------------------------------------------------------------------


def _release(ed: Edition, view: ForgeView, repo: RepoReport, reading: ReleaseReading) -> str:
    """Tag, name and time, then what it is known to hold."""
    t = ed.t
    _, release = view.releases[release_id(repo.repo.name, reading.tag)]
    facts = [minute(ed, release.created_at)]
    facts += [t("forge.prerelease")] if release.prerelease else []
    facts += [t("forge.holds", n=len(reading.commits))] if reading.commits else []
    named = len(reading.pulls) + reading.omitted
    facts += [t("forge.notes_name", n=named)] if named else []
    facts += [t("forge.notes_cut")] if reading.cut else []
    name = f" {text(release.name)}" if release.name.strip() not in ("", release.tag) else ""
    lines = [f"- {bold(release_link(repo.repo, release.tag))}{name} · {' · '.join(facts)}"]
    ours = [view.entries[commit_id(sha)] for sha in reading.commits if commit_id(sha) in view.entries]
    lines += [f"  - {subject(ed, entry.change)} {refs(home.repo, entry.change)}" for home, entry in ours[:_COMMITS]
              if commit_id(entry.change.sha) not in view.late]  # fmt: skip
    shown = len(lines) - 1
    left = len(reading.commits) - shown
    return "\n".join(lines + ([f"  - {t('forge.holds_more', n=left)}"] if left > 0 else []))
