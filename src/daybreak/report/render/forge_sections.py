"""One repository's part of a forge: new issues, what is coming, releases, what was closed; nothing is left off without
a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.changes import Repo
from daybreak.core.model.items import Issue, Pull
from daybreak.core.model.links import (
    Coming,
    Fix,
    IssueKind,
    IssueReading,
    ReleaseReading,
    commit_id,
    is_merge,
    issue_id,
    pull_id,
    release_id,
    title_of,
)
from daybreak.core.model.report import Entry, RepoReport
from daybreak.report.render.addresses import commit_link, issue_link, pull_link, refs, release_link
from daybreak.report.render.change import lines_text, subject, when
from daybreak.report.render.escape import aside, bold, faithful, statement, text
from daybreak.report.render.forge_change import Edition, ForgeView
from daybreak.report.render.sections import details

# --- The notes of a release as a page can quote them: a few lines, word for word, without marks that point or hide ---
# A line that could only be shown changed or cut is not shown: it is counted. Machine-made lines (`… by @name in ADDRESS`)
# are quoted up to the name.


LOOKED_AT = 40_000
"""Characters of the notes; what follows is not counted line by line, and `cut` says so."""
LONGEST = 240
NOTES, NOTES_IN_DEPTH = 6, 16
"""Lines of the notes on the day's page, and on the repository's own."""
_MOST_LINES = 2_000
_HEAD = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t#]*")
_ITEM = re.compile(r"[ \t]{0,20}(?:[-*+•]|\d{1,3}[.)])[ \t]+(.*)")
_MADE = re.compile(r"(.{3,}?)[ \t]+by[ \t]+@\S{1,60}[ \t]+in[ \t]+https?://\S{1,200}")
_POINTS = re.compile(r"https?:|www\.|\]\(|\]\[|!\[|<[/!a-zA-Z]")
_FENCE = re.compile(r"[ \t]{0,20}(?:```|~~~)")
_EMPTY = re.compile(r"[\s|:+=*_~`-]*")
_MARKS = re.compile(r"\*\*|`")


class Notes(Struct, frozen=True):
    """Lines of a release's notes."""

    lines: tuple[tuple[str, bool], ...] = ()
    """Each with whether it is a heading."""
    omitted: int = 0
    """Lines beyond these, or that cannot be quoted."""
    cut: bool = False
    """There is more than was looked at."""


def notes_of(body: str, most: int) -> Notes:
    """The first lines that can be quoted; a heading counts only with a line under it."""
    found: list[tuple[str, bool]] = []
    omitted, fenced = 0, False
    rows = body[:LOOKED_AT].splitlines()
    for raw in rows[:_MOST_LINES]:
        if _FENCE.match(raw[:30]):
            fenced = not fenced
            continue
        if _EMPTY.fullmatch(raw[: LONGEST * 4]):
            continue
        line, heading = ("", False) if fenced else _told(raw)
        if not line or len(found) >= most:
            omitted += not heading
        elif heading and found and found[-1][1]:
            found[-1] = (line, True)
        else:
            found.append((line, heading))
    while found and found[-1][1]:
        found.pop()
    return Notes(tuple(found), omitted, len(body) > LOOKED_AT or len(rows) > _MOST_LINES)


def _told(raw: str) -> tuple[str, bool]:
    """One line without the marks of its form, and whether it is a heading; empty for one that cannot be quoted."""
    if len(raw) > LONGEST * 4:
        return "", False
    head = _HEAD.fullmatch(raw)
    item = _ITEM.fullmatch(raw)
    line = (head or item)[1] if head or item else raw  # type: ignore[index]
    made = _MADE.fullmatch(line.strip())
    line = _MARKS.sub("", made[1] if made else line).strip()
    good = 0 < len(line) <= LONGEST and not _POINTS.search(line) and faithful(line)
    return (line if good else ""), head is not None


# --- How a page names things of a forge: an issue, a pull request with its state, a release, a change of any repository ---
# Only what the report has is linked; a number that nobody looked up is shown as text. Titles are their authors' words.


def reference(ed: Edition, view: ForgeView, name: str, here: str = "") -> str:
    """What an evidence id means, with its title and its repository, unless that is the one spoken of `here`."""
    told = _named(ed, view, name)
    return told.removeprefix(f"{text(here)} ") if here else told


def _named(ed: Edition, view: ForgeView, name: str) -> str:
    kind, _, rest = name.partition(":")
    if kind == "commit":
        return commit_reference(ed, view, name)
    if kind == "finding" and name in view.findings:
        repo, entry, finding = view.findings[name]
        return f"{text(repo.repo.name)} {aside(finding.symbol)} {refs(repo.repo, entry.change)}"
    if kind == "issue" and name in view.issues:
        home, issue = view.issues[name]
        return f"{text(home.repo.name)} {issue_reference(ed, home.repo, issue)}"
    if kind == "pull" and name in view.pulls:
        home, pull = view.pulls[name]
        return f"{text(home.repo.name)} {pull_reference(ed, home.repo, pull)}"
    if kind == "release" and name in view.releases:
        home, release = view.releases[name]
        return f"{text(home.repo.name)} {release_link(home.repo, release.tag)}"
    return text(rest) if kind == "repo" else aside(rest)


def commit_reference(ed: Edition, view: ForgeView, name: str) -> str:
    """A change of the report by its subject and links; one of another day with its date."""
    if name in view.earlier:
        repo, change = view.earlier[name]
        told = text(change.subject) or ed.t("change.subject_none")
        return f"{text(repo.repo.name)} {day(ed, change.at)} {told} {commit_link(repo.repo, change.sha)}"
    if name not in view.entries:
        return ed.t("forge.earlier_commit", sha=aside(name.partition(":")[2][:9]))
    repo, entry = view.entries[name]
    dated = f"{when(entry.change)} " if name in view.late else ""
    return f"{dated}{text(repo.repo.name)} {_called(ed, view, entry)} {refs(repo.repo, entry.change)}"


def _called(ed: Edition, view: ForgeView, entry: Entry) -> str:
    """The subject; of a merge the title of its pull request, since `Merge pull request …` says nothing."""
    change, pull = entry.change, view.pull_of(entry)
    if pull is not None and is_merge(change.subject):
        return text(pull[0].title) or ed.t("change.subject_none")
    return subject(ed, replace(change, subject=title_of(change.subject, change.body)))


def issue_reference(ed: Edition, repo: Repo, issue: Issue) -> str:
    return f"{issue_link(repo, issue.number)} {text(issue.title) or ed.t('change.subject_none')}"


def pull_reference(ed: Edition, repo: Repo, pull: Pull) -> str:
    return f"{pull_link(repo, pull.number)} {text(pull.title) or ed.t('change.subject_none')}{ed.note(state(ed, pull))}"


def state(ed: Edition, pull: Pull) -> str:
    """Whether it is in, and since when: a reader must not take an open one for a change."""
    if pull.state == "merged":
        return ed.t("forge.merged_on", day=day(ed, pull.merged_at)) if pull.merged_at else ed.t("forge.merged")
    if pull.state == "closed":
        return ed.t("forge.pull_closed")
    return ed.t("forge.pull_draft" if pull.draft else "forge.pull_open")


def day(ed: Edition, moment: datetime) -> str:
    """The calendar day in the report's zone."""
    return moment.astimezone(ed.report.window.since.tzinfo).strftime("%Y-%m-%d")


def minute(ed: Edition, moment: datetime) -> str:
    return moment.astimezone(ed.report.window.since.tzinfo).strftime("%Y-%m-%d %H:%M")


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


# --- What a forge has of a day in a few lines for the summary: how much, and the regressions and wrong results by name ---


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
