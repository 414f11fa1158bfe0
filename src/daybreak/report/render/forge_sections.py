"""One repository's part of a forge: new issues, what is coming, releases, what was closed; nothing is left off without
a word.
"""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.items import Issue, Pull
from daybreak.core.model.links import (
    Coming,
    Fix,
    IssueReading,
    ReleaseReading,
    commit_id,
    issue_id,
    pull_id,
    release_id,
)
from daybreak.core.model.report import RepoReport
from daybreak.report.render.addresses import commit_link, pull_link, refs, release_link
from daybreak.report.render.change import subject
from daybreak.report.render.edition import Edition
from daybreak.report.render.escape import aside, bold, statement, text
from daybreak.report.render.files import lines_text
from daybreak.report.render.forge_notes import NOTES, NOTES_IN_DEPTH, notes_of
from daybreak.report.render.forge_refs import issue_reference, minute, pull_reference, reference, state
from daybreak.report.render.forge_view import ForgeView
from daybreak.report.render.sections import details

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
    """Issues, coming and releases of one repository under headings; nothing when its forge was not asked.

    What was closed is there to look things up: it is folded as a whole.
    """
    blocks: list[str] = []
    for name, lines in sections(ed, repo, NOTES_IN_DEPTH if anchors else NOTES):
        title = ed.t("day.details", title=ed.t(f"section.{name}"), n=len(lines))
        blocks += [f'<a id="{name}"></a>'] if anchors else []
        blocks += [f"{'#' * depth} {title}"] if anchors or name != "closed" else []
        blocks += _looked_up(ed, title, lines) if name == "closed" else folded(ed, lines, shown)
    return blocks


def _looked_up(ed: Edition, title: str, lines: Sequence[str]) -> list[str]:
    more = [ed.t("forge.in_data", n=len(lines) - MOST)] if len(lines) > MOST else []
    return [details(title, "\n".join(lines[:MOST])), *more]


def sections(ed: Edition, repo: RepoReport, notes: int = NOTES) -> list[tuple[str, list[str]]]:
    """Name and lines of each section that has any."""
    view, name = ed.forge, repo.repo.name
    reading = view.reading(name) if view else None
    if view is None or reading is None:
        return []
    found = [
        ("issues", [_issue(ed, view, repo, one) for one in reading.issues if issue_id(name, one.number) in view.issues]),
        ("coming", [_coming(ed, view, repo, one) for one in reading.coming if pull_id(name, one.number) in view.pulls]),
        ("releases",
         [_release(ed, view, repo, x, notes) for x in reading.releases if release_id(name, x.tag) in view.releases]),
        ("closed", _closed(ed, view, repo, {one.number for one in reading.issues})),
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
    facts += [closed_fact(ed, issue)] if issue.state == "closed" else []
    if reading.fixes or reading.commits or reading.kind in _MENDED:
        facts.append(fix_fact(ed, view, repo, reading.fixes, reading.commits))
    facts += [t("forge.cut")] if reading.cut else []
    told = f"- {bold(t(f'forge.kind_{reading.kind}'))} {issue_reference(ed, repo.repo, issue)} · {' · '.join(facts)}"
    return "\n".join([told, *_causes(ed, view, issue_id(repo.repo.name, issue.number))])


def closed_fact(ed: Edition, issue: Issue) -> str:
    """That it is closed, and why in the forge's word."""
    if not issue.reason:
        return ed.t("forge.closed")
    return ed.t("forge.closed") + ed.note(ed.t.get(f"forge.reason_{issue.reason}", text(issue.reason)))


def _parts(ed: Edition, reading: IssueReading) -> str:
    shown = ed.t("page.list").join(aside(part) for part in reading.components[:_PARTS])
    return ed.t("forge.parts", what=shown + (ed.t("range.and_more") if len(reading.components) > _PARTS else ""))


def _stirred(ed: Edition, item: Issue | Pull) -> list[str]:
    out = [ed.t("forge.comments", n=item.comments)] if item.comments else []
    return out + ([ed.t("forge.reactions", n=item.reactions)] if item.reactions else [])


def fix_fact(ed: Edition, view: ForgeView, repo: RepoReport, fixes: Sequence[Fix], commits: Sequence[str] = ()) -> str:
    """Pull requests that would close it, each with its state, and commits that closed it without one.

    None seen is no word that there is none.
    """
    told = [_fix(ed, view, repo, fix) for fix in fixes[:_FIXES]]
    more = ed.t("range.and_more") if len(fixes) > _FIXES else ""
    facts = [ed.t("forge.fix", what=ed.t("page.list").join(told) + more)] if told else []
    if commits:
        links = ed.t("page.list").join(_commit(view, repo, sha) for sha in commits[:_FIXES])
        more = ed.t("range.and_more") if len(commits) > _FIXES else ""
        facts.append(ed.t("forge.fix_commit", what=links + more))
    return " · ".join(facts) or ed.t("forge.no_fix")


def _fix(ed: Edition, view: ForgeView, repo: RepoReport, fix: Fix) -> str:
    found = view.pulls.get(pull_id(repo.repo.name, fix.number))
    marked = [ed.t("forge.likely")] if fix.likely else []
    marked.append(state(ed, found[1]) if found else ed.t(f"forge.{'merged' if fix.state == 'merged' else 'pull_open'}"))
    marked += [ed.t("forge.by_hand")] if fix.by_hand else []
    marked += [ed.t("forge.fix_reopened")] if fix.reopened else []
    # Only what the report has is linked.
    return (pull_link(repo.repo, fix.number) if found else text(f"#{fix.number}")) + ed.note(*marked)


def _commit(view: ForgeView, repo: RepoReport, sha: str) -> str:
    known = commit_id(sha) in view.entries or commit_id(sha) in view.earlier
    return commit_link(repo.repo, sha) if known else aside(sha[:9])


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


def _release(ed: Edition, view: ForgeView, repo: RepoReport, reading: ReleaseReading, most: int) -> str:
    """Tag, name and time, then its notes in their author's words, then the changes that it is known to hold."""
    t = ed.t
    _, release = view.releases[release_id(repo.repo.name, reading.tag)]
    facts = [minute(ed, release.created_at)]
    facts += [t("forge.prerelease")] if release.prerelease else []
    facts += [t("forge.holds", n=len(reading.commits))] if reading.commits else []
    named = len(reading.pulls) + reading.omitted
    facts += [t("forge.notes_name", n=named)] if named else []
    notes = notes_of(release.body, most)
    facts += [t("forge.notes_cut")] if reading.cut or notes.cut else []
    if notes.lines:
        left = [t("forge.notes_left", n=notes.omitted)] if notes.omitted else []
        told = ed.note(t("forge.verbatim"), t("forge.unverified"), *left)
        facts.append(t("forge.notes") + told + t("page.colon").rstrip())
    name = f" {text(release.name)}" if release.name.strip() not in ("", release.tag, release.tag.lstrip("v")) else ""
    lines = [f"- {bold(release_link(repo.repo, release.tag))}{name} · {' · '.join(facts)}"]
    lines += [f"  > - {f'<b>{text(line)}</b>' if heading else text(line)}" for line, heading in notes.lines]
    return "\n".join([*lines, *_held(ed, view, reading)])


def _held(ed: Edition, view: ForgeView, reading: ReleaseReading) -> list[str]:
    """The changes of the day that it holds, and how many others."""
    ours = [view.entries[commit_id(sha)] for sha in reading.commits if commit_id(sha) in view.entries]
    told = [f"  - {subject(ed, entry.change)} {refs(home.repo, entry.change)}" for home, entry in ours[:_COMMITS]
            if commit_id(entry.change.sha) not in view.late]  # fmt: skip
    left = len(reading.commits) - len(told)
    key = "forge.holds_more" if told else "forge.holds_earlier"
    return told + ([f"  - {ed.t(key, n=left)}"] if left > 0 else [])


# --- closed ------------------------------------------------------------------------------------------------------


def _closed(ed: Edition, view: ForgeView, repo: RepoReport, told: set[int]) -> list[str]:
    """Issues that were closed and are not told as new, then pull requests that were given up; one line each."""
    found = view.activity(repo.repo.name)
    if found is None:
        return []
    issues = [x for x in found.issues if x.number not in told and {"closed", "reopened"} & set(x.happened)]
    pulls = [x for x in found.pulls if "closed" in x.happened and "merged" not in x.happened]
    return [_closed_issue(ed, view, repo, x) for x in issues] + [
        f"- PR {pull_reference(ed, repo.repo, x)}{''.join(f' · {fact}' for fact in _stirred(ed, x))}" for x in pulls
    ]


def _closed_issue(ed: Edition, view: ForgeView, repo: RepoReport, issue: Issue) -> str:
    """What became of it, and the pull requests that closed it."""
    facts = [ed.t("forge.reopened")] if "reopened" in issue.happened else []
    facts += [closed_fact(ed, issue)] if issue.state == "closed" else []
    name = issue_id(repo.repo.name, issue.number)
    fixed = [link for link in view.arriving.get(name, ()) if link.kind == "fixes" and link.source in view.pulls]
    merged = [(view.pulls[x.source][1], x.likely) for x in fixed if view.pulls[x.source][1].state == "merged"]
    fixes = [
        Fix(pull.number, "merged", likely, pull.number in issue.connected, pull.number in issue.undone)
        for pull, likely in merged
    ]
    commits = [c.sha for c in issue.closers if c.sha and c.repo is None and not c.reopened_at]
    commits = [sha for sha in commits if commit_id(sha) in {link.source for link in view.arriving.get(name, ())}]
    facts += [fix_fact(ed, view, repo, fixes, commits)] if fixes or commits else []
    return f"- Issue {issue_reference(ed, repo.repo, issue)} · {' · '.join([*facts, *_stirred(ed, issue)])}"
