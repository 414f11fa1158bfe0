"""One repository's part of a forge: new issues, what is coming, releases, what was closed; nothing is left off without
a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import get_args

from msgspec.structs import replace

from daybreak.core.model.day import Commit, Fix, Issue, Pull, Release, RepoDay
from daybreak.core.model.links import IssueKind, commit_id, is_merge, pull_id, title_of
from daybreak.report.render.change import lines_text, subject, when
from daybreak.report.render.edition import Edition, commit_link, day_of, issue_link, pull_link, refs, release_link
from daybreak.report.render.escape import aside, bold, statement, text
from daybreak.report.render.sections import details

NOTES = 6
"""Lines of a release's notes on the day's page; the repository's own has all that are quoted."""

# --- How a page names things of a forge: an issue, a pull request with its state, a release, a change of any repository ---
# Only what the report has is linked; a number that nobody looked up is shown as text. Titles are their authors' words.


def reference(ed: Edition, name: str, here: str = "") -> str:
    """What an evidence id means, with its title and its repository, unless that is the one spoken of `here`."""
    told = _named(ed, name)
    return told.removeprefix(f"{text(here)} ") if here else told


def _named(ed: Edition, name: str) -> str:
    kind, _, rest = name.partition(":")
    if kind == "commit":
        return commit_reference(ed, name)
    if kind == "finding" and name in ed.known.findings:
        repo, commit, finding = ed.known.findings[name]
        return f"{text(repo.name)} {aside(finding.symbol)} {refs(repo, commit)}"
    if kind == "issue" and name in ed.known.issues:
        home, issue = ed.known.issues[name]
        return f"{text(home.name)} {issue_reference(ed, home, issue)}"
    if kind == "pull" and name in ed.known.pulls:
        home, pull = ed.known.pulls[name]
        return f"{text(home.name)} {pull_reference(ed, home, pull)}"
    if kind == "release" and name in ed.known.releases:
        home, release = ed.known.releases[name]
        return f"{text(home.name)} {release_link(home, release.tag)}"
    return text(rest) if kind == "repo" else aside(rest)


def commit_reference(ed: Edition, name: str) -> str:
    """A change of the report by its subject and links; one of another day with its date."""
    if name in ed.known.earlier:
        repo, before = ed.known.earlier[name]
        told = text(before.subject) or ed.t("change.subject_none")
        return f"{text(repo.name)} {day_of(ed, before.committed_at)} {told} {commit_link(repo, before.sha)}"
    if name not in ed.known.commits:
        return ed.t("forge.earlier_commit", sha=aside(name.partition(":")[2][:9]))
    repo, commit = ed.known.commits[name]
    dated = f"{when(commit)} " if name in ed.known.late else ""
    return f"{dated}{text(repo.name)} {_called(ed, commit)} {refs(repo, commit)}"


def _called(ed: Edition, commit: Commit) -> str:
    """The subject; of a merge the title of its pull request, since `Merge pull request …` says nothing."""
    pull = ed.known.pull_of(commit)
    if pull is not None and is_merge(commit.subject):
        return text(pull.title) or ed.t("change.subject_none")
    return subject(ed, replace(commit, subject=title_of(commit.subject, commit.body)))


def issue_reference(ed: Edition, repo: RepoDay, issue: Issue) -> str:
    return f"{issue_link(repo, issue.number)} {text(issue.title) or ed.t('change.subject_none')}"


def pull_reference(ed: Edition, repo: RepoDay, pull: Pull) -> str:
    return f"{pull_link(repo, pull.number)} {text(pull.title) or ed.t('change.subject_none')}{ed.note(state(ed, pull))}"


def state(ed: Edition, pull: Pull) -> str:
    """Whether it is in, and since when: a reader must not take an open one for a change."""
    if pull.state == "merged":
        return ed.t("forge.merged_on", day=day_of(ed, pull.merged_at)) if pull.merged_at else ed.t("forge.merged")
    if pull.state == "closed":
        return ed.t("forge.pull_closed")
    return ed.t("forge.pull_draft" if pull.draft else "forge.pull_open")


def minute(ed: Edition, moment: datetime) -> str:
    return moment.astimezone(ed.day.window.since.tzinfo).strftime("%Y-%m-%d %H:%M")


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


def forge_blocks(ed: Edition, repo: RepoDay, *, depth: int, shown: int, anchors: bool = False) -> list[str]:
    """Issues, coming and releases of one repository under headings; nothing when its forge was not asked.

    What was closed is there to look things up: it is folded as a whole.
    """
    blocks: list[str] = []
    for name, lines in sections(ed, repo, None if anchors else NOTES):
        title = ed.t("day.details", title=ed.t(f"section.{name}"), n=len(lines))
        blocks += [f'<a id="{name}"></a>'] if anchors else []
        blocks += [f"{'#' * depth} {title}"] if anchors or name != "closed" else []
        blocks += _looked_up(ed, title, lines) if name == "closed" else folded(ed, lines, shown)
    return blocks


def _looked_up(ed: Edition, title: str, lines: Sequence[str]) -> list[str]:
    more = [ed.t("forge.in_data", n=len(lines) - MOST)] if len(lines) > MOST else []
    return [details(title, "\n".join(lines[:MOST])), *more]


def sections(ed: Edition, repo: RepoDay, notes: int | None = NOTES) -> list[tuple[str, list[str]]]:
    """Name and lines of each section that has any."""
    pulls = {one.number: one for one in repo.pulls}
    found = [
        ("issues", [_issue(ed, repo, one) for one in new_issues(repo)]),
        ("coming", [_coming(ed, repo, pulls[number]) for number in repo.coming]),
        ("releases", [_release(ed, repo, one, notes) for one in repo.releases]),
        ("closed", _closed(ed, repo)),
    ]
    return [(title, lines) for title, lines in found if lines]


# --- issues ------------------------------------------------------------------------------------------------------


def new_issues(repo: RepoDay) -> list[Issue]:
    """Most pressing first."""
    issues = {one.number: one for one in repo.issues}
    return [issues[number] for number in repo.pressing]


def _issue(ed: Edition, repo: RepoDay, issue: Issue) -> str:
    """Kind, number and title, the parts it names, how many speak of it, whether a fix is in sight."""
    t = ed.t
    facts = [_parts(ed, issue)] if issue.components else []
    facts += _stirred(ed, issue)
    facts += [t("forge.reopened")] if "reopened" in issue.happened else []
    facts += [closed_fact(ed, issue)] if issue.state == "closed" else []
    if issue.fixes or issue.closing or issue.kind in _MENDED:
        facts.append(fix_fact(ed, repo, issue))
    facts += [t("forge.cut")] if issue.cut else []
    told = f"- {bold(t(f'forge.kind_{issue.kind}'))} {issue_reference(ed, repo, issue)} · {' · '.join(facts)}"
    return "\n".join([told, *_causes(ed, repo, issue)])


def closed_fact(ed: Edition, issue: Issue) -> str:
    """That it is closed, and why in the forge's word."""
    if not issue.reason:
        return ed.t("forge.closed")
    return ed.t("forge.closed") + ed.note(ed.t.get(f"forge.reason_{issue.reason}", text(issue.reason)))


def _parts(ed: Edition, issue: Issue) -> str:
    shown = ed.t("page.list").join(aside(part) for part in issue.components[:_PARTS])
    return ed.t("forge.parts", what=shown + (ed.t("range.and_more") if len(issue.components) > _PARTS else ""))


def _stirred(ed: Edition, item: Issue | Pull) -> list[str]:
    out = [ed.t("forge.comments", n=item.comments)] if item.comments else []
    return out + ([ed.t("forge.reactions", n=item.reactions)] if item.reactions else [])


def fix_fact(ed: Edition, repo: RepoDay, issue: Issue) -> str:
    """Pull requests that would close it, each with its state, and commits that closed it without one.

    None seen is no word that there is none.
    """
    fixes = (*issue.fixes, *issue.fixed_by)
    told = [_fix(ed, repo, fix) for fix in fixes[:_FIXES]]
    more = ed.t("range.and_more") if len(fixes) > _FIXES else ""
    facts = [ed.t("forge.fix", what=ed.t("page.list").join(told) + more)] if told else []
    if issue.closing:
        links = ed.t("page.list").join(_commit(ed, repo, sha) for sha in issue.closing[:_FIXES])
        more = ed.t("range.and_more") if len(issue.closing) > _FIXES else ""
        facts.append(ed.t("forge.fix_commit", what=links + more))
    return " · ".join(facts) or ed.t("forge.no_fix")


def _fix(ed: Edition, repo: RepoDay, fix: Fix) -> str:
    found = ed.known.pulls.get(pull_id(repo.name, fix.number))
    marked = [ed.t("forge.likely")] if fix.likely else []
    marked.append(state(ed, found[1]) if found else ed.t(f"forge.{'merged' if fix.state == 'merged' else 'pull_open'}"))
    marked += [ed.t("forge.by_hand")] if fix.by_hand else []
    marked += [ed.t("forge.fix_reopened")] if fix.reopened else []
    # Only what the report has is linked.
    return (pull_link(repo, fix.number) if found else text(f"#{fix.number}")) + ed.note(*marked)


def _commit(ed: Edition, repo: RepoDay, sha: str) -> str:
    known = commit_id(sha) in ed.known.commits or commit_id(sha) in ed.known.earlier
    return commit_link(repo, sha) if known else aside(sha[:9])


def _causes(ed: Edition, repo: RepoDay, issue: Issue) -> list[str]:
    """What may lie behind it, as a guess with its words."""
    lines = []
    for link in issue.causes[:_CAUSES]:
        why = ed.t("page.space") + statement(ed.say(link.why), aside) if link.why else ""
        lines.append(f"  - {ed.t('forge.cause', what=ed.ended(reference(ed, link.target, repo.name)))}{why}")
    left = len(issue.causes) - _CAUSES
    return lines + ([f"  - {ed.t('forge.causes_more', n=left)}"] if left > 0 else [])


# --- coming ------------------------------------------------------------------------------------------------------


def _coming(ed: Edition, repo: RepoDay, pull: Pull) -> str:
    """An open pull request of weight and why it is one."""
    facts = [bold(ed.t("page.list").join(ed.t(f"forge.coming_{reason}") for reason in pull.coming))]
    if pull.files is not None or pull.added is not None:
        size = lines_text(ed, pull.added or 0, pull.deleted or 0)
        facts.append(f"{ed.t('change.files', n=pull.files)} {size}" if pull.files is not None else size)
    return f"- {pull_reference(ed, repo, pull)} · {' · '.join([*facts, *_stirred(ed, pull)])}"


# --- releases ----------------------------------------------------------------------------------------------------


def _release(ed: Edition, repo: RepoDay, release: Release, most: int | None) -> str:
    """Tag, name and time, then its notes in their author's words, then the changes that it is known to hold."""
    t = ed.t
    facts = [minute(ed, release.created_at)]
    facts += [t("forge.prerelease")] if release.state == "prerelease" else []
    facts += [t(f"forge.by_{release.tagged}")] if release.tagged else []
    facts += [t("forge.holds", n=len(release.commits))] if release.commits else []
    named = len(release.pulls) + release.pulls_omitted
    facts += [t("forge.notes_name", n=named)] if named else []
    facts += [t("forge.notes_cut")] if release.cut else []
    notes, omitted = _notes(release, most)
    if notes:
        left = [t("forge.notes_left", n=omitted)] if omitted else []
        told = ed.note(t("forge.verbatim"), t("forge.unverified"), *left)
        facts.append(t("forge.changelog" if release.tagged else "forge.notes") + told + t("page.colon").rstrip())
    name = f" {text(release.title)}" if release.title.strip() not in ("", release.tag, release.tag.lstrip("v")) else ""
    lines = [f"- {bold(release_link(repo, release.tag))}{name} · {' · '.join(facts)}"]
    lines += [f"  > - {f'<b>{text(line)}</b>' if heading else text(line)}" for line, heading in notes]
    return "\n".join([*lines, *_held(ed, release)])


def _notes(release: Release, most: int | None) -> tuple[list[tuple[str, bool]], int]:
    """The first lines, each with whether it is a heading, and how many lines are left; no heading stands last."""
    lines = list(zip(release.notes, release.headings, strict=True))
    shown, rest = (lines, []) if most is None else (lines[:most], lines[most:])
    while shown and shown[-1][1]:
        shown.pop()
    return shown, release.notes_omitted + sum(not heading for _, heading in rest)


def _held(ed: Edition, release: Release) -> list[str]:
    """The changes of the day that it holds, and how many others."""
    ours = [ed.known.commits[name] for sha in release.commits if (name := commit_id(sha)) in ed.known.commits]
    told = [f"  - {subject(ed, commit)} {refs(home, commit)}" for home, commit in ours[:_COMMITS]
            if commit_id(commit.sha) not in ed.known.late]  # fmt: skip
    left = len(release.commits) - len(told)
    key = "forge.holds_more" if told else "forge.holds_earlier"
    return told + ([f"  - {ed.t(key, n=left)}"] if left > 0 else [])


# --- closed ------------------------------------------------------------------------------------------------------


def _closed(ed: Edition, repo: RepoDay) -> list[str]:
    """Issues that were closed and are not told as new, then pull requests that were given up; one line each."""
    issues = [x for x in repo.issues if x.number not in repo.pressing and {"closed", "reopened"} & set(x.happened)]
    pulls = [x for x in repo.pulls if "closed" in x.happened and "merged" not in x.happened]
    return [_closed_issue(ed, repo, x) for x in issues] + [
        f"- PR {pull_reference(ed, repo, x)}{''.join(f' · {fact}' for fact in _stirred(ed, x))}" for x in pulls
    ]


def _closed_issue(ed: Edition, repo: RepoDay, issue: Issue) -> str:
    """What became of it, and the pull requests that closed it."""
    facts = [ed.t("forge.reopened")] if "reopened" in issue.happened else []
    facts += [closed_fact(ed, issue)] if issue.state == "closed" else []
    facts += [fix_fact(ed, repo, issue)] if issue.fixed_by or issue.closing else []
    return f"- Issue {issue_reference(ed, repo, issue)} · {' · '.join([*facts, *_stirred(ed, issue)])}"


# --- What a forge has of a day in a few lines for the summary: how much, and the regressions and wrong results by name ---


SHOWN = 5
_PRESSING = ("regression", "accuracy")


def news(ed: Edition) -> list[str]:
    """List items: what a forge has, with what presses most below it, and the releases that git alone knows."""
    issues = [(repo, one) for repo in ed.day.repos for one in new_issues(repo)]
    pressing = [(repo, one) for kind in _PRESSING for repo, one in issues if one.kind == kind]
    counted = _counted(ed, [one for _, one in issues])
    told = [f"- {ed.ended(counted)}"] if counted else []
    told += [f"  - {_line(ed, repo, one)}" for repo, one in pressing[:SHOWN]]
    told += [f"  - {ed.t('forge.news_more')}"] if len(pressing) > SHOWN else []
    tags = [_tags(ed, repo) for repo in ed.day.repos if any(one.tagged for one in repo.releases)]
    return [*told, *([f"- {ed.ended(ed.t('forge.tagged', what=ed.t('page.semicolon').join(tags)))}"] if tags else [])]


def _tags(ed: Edition, repo: RepoDay) -> str:
    """Releases of one repository that git alone knows, the newest first."""
    mark = {"prerelease": ed.note(ed.t("forge.prerelease"))}
    told = [release_link(repo, x.tag) + mark.get(x.state, "") for x in reversed(repo.releases) if x.tagged]
    more = [ed.t("forge.folded", n=len(told) - SHOWN)] if len(told) > SHOWN else []
    return f"{text(repo.name.rpartition('/')[2])} {ed.t('page.list').join([*told[:SHOWN], *more])}"


def _counted(ed: Edition, issues: list[Issue]) -> str:
    """How many new issues of which kind, in the order in which they are told, and how much else."""
    kinds = Counter(one.kind for one in issues)
    named = [f"{ed.t(f'forge.kind_{kind}')} {kinds[kind]}" for kind in get_args(IssueKind) if kinds[kind]]
    again = sum("opened" not in one.happened for one in issues)
    each = [ed.t("page.list").join(named), *([ed.t("forge.news_reopened", n=again)] if again else [])]
    kinds_told = ed.note(ed.t("page.semicolon").join(each))
    parts = [ed.t("forge.news_issues", n=len(issues)) + kinds_told] if issues else []
    merged = sum("merged" in pull.happened for repo in ed.day.repos for pull in repo.pulls)
    releases = sum(not one.tagged for repo in ed.day.repos for one in repo.releases)
    parts += [ed.t("forge.pulls_merged", n=merged)] if merged else []
    parts += [ed.t("forge.releases", n=releases)] if releases else []
    if not parts:
        return ""
    at_least = any(repo.partly for repo in ed.day.repos)
    return ed.t("forge.news", what=" · ".join(parts)) + (ed.note(ed.t("forge.at_least")) if at_least else "")


def _line(ed: Edition, repo: RepoDay, issue: Issue) -> str:
    told = f"{bold(ed.t(f'forge.kind_{issue.kind}'))} {text(repo.name)} {issue_reference(ed, repo, issue)}"
    return f"{told} · {fix_fact(ed, repo, issue)}"


# --- How many issues, pull requests and releases there are ---


def tally(ed: Edition, repo: RepoDay) -> str:
    """How many issues and pull requests of what kind of event; of a list that did not come whole, at least so many."""
    if repo.links is None:
        return ""
    counts: list[tuple[str, Sequence[Issue | Pull], str]] = [
        ("issues_opened", repo.issues, "opened"), ("issues_closed", repo.issues, "closed"),
        ("issues_reopened", repo.issues, "reopened"), ("pulls_opened", repo.pulls, "opened"),
        ("pulls_merged", repo.pulls, "merged"), ("pulls_closed", repo.pulls, "closed"),
    ]  # fmt: skip
    told = [ed.t(f"forge.{name}", n=n) for name, items, what in counts if (n := _count(items, what))]
    told += [ed.t("forge.releases", n=len(repo.releases))] if repo.releases else []
    said = " · ".join(told) or ed.t("forge.nothing")
    return said + (ed.note(ed.t("forge.at_least")) if repo.partly else "")


def _count(items: Sequence[Issue | Pull], what: str) -> int:
    """A pull request that was merged counts as merged, not as closed."""
    return sum(what in x.happened and not (what == "closed" and "merged" in x.happened) for x in items)
