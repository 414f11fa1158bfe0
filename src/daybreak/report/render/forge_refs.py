"""How a page names things of a forge: an issue, a pull request with its state, a release, a change of any repository.

Only what the report has is linked; a number that nobody looked up is shown as text. Titles are their authors' words.
"""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from daybreak.core.model.changes import Repo
from daybreak.core.model.items import Issue, Pull
from daybreak.core.model.links import is_merge, title_of
from daybreak.core.model.report import Entry
from daybreak.report.render.addresses import commit_link, issue_link, pull_link, refs, release_link
from daybreak.report.render.change import subject, when
from daybreak.report.render.edition import Edition
from daybreak.report.render.escape import aside, text
from daybreak.report.render.forge_view import ForgeView


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
