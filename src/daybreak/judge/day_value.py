"""The reported day from the values that the analysis ends in: the last call of judging, and the one place where a report gets its form."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import convert

from daybreak.core.model import day
from daybreak.core.model.changes import Repo
from daybreak.core.model.drafts import Left, Retelling
from daybreak.core.model.findings import Finding, Hunk
from daybreak.core.model.quotes import Gist
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Statement
from daybreak.core.text import showable
from daybreak.core.words.grammar import ended
from daybreak.findings.unread import unread_files
from daybreak.judge.announcements import unannounced
from daybreak.judge.code_places import repaired_in
from daybreak.judge.day_items import ForgeItems, announced_of, part_of
from daybreak.judge.exposure import dated, is_known
from daybreak.judge.headline import headline
from daybreak.judge.interface import Judgement
from daybreak.judge.rows import row
from daybreak.judge.worth_knowing import sentence_of


def day_of(judgement: Judgement) -> day.Day:
    """All of a day; what is a stranger's text stands as it was written.

    Fields of one name are taken as they are; a section that is made from the whole day gets its maker here.
    """
    forge = ForgeItems(judgement)
    repos = tuple(_repo(repo, forge) for repo in judgement.repos)
    return part_of(
        day.Day,
        judgement,
        schema=day.SCHEMA,
        tool=day.Tool(version=judgement.tool_version),
        analyst=_analyst(judgement.retelling),
        coverage=_coverage(judgement, repos),
        unread=_unread(repos),
        repos=repos,
        headline=headline(judgement),
        links=forge.crossing,
        across=forge.across if judgement.forge else day.NOT_ASKED,
        cost=_cost(judgement),
        revised=tuple(sha for repo in repos for sha in repo.revised),
        completed=tuple(what for repo in repos for what in repo.completed),
        retelling=_retelling(judgement.retelling),
    )


def _unread(repos: Iterable[day.RepoDay]) -> tuple[day.Unread, ...]:
    files = ((repo.name, file.path) for repo in repos for commit in repo.told for file in commit.files)
    return tuple(part_of(day.Unread, one) for one in unread_files(files))


def _coverage(judgement: Judgement, repos: tuple[day.RepoDay, ...]) -> day.Coverage:
    refused = judgement.touches.refused if judgement.touches else ()
    return day.Coverage(
        commits_in_git=sum(repo.in_git or 0 for repo in repos),
        commits_reported=sum(len(repo.commits) for repo in repos),
        repos_unknown=sum(repo.in_git is None for repo in repos),
        issues=sum(len(repo.issues) for repo in repos),
        pulls=sum(len(repo.pulls) for repo in repos),
        releases=sum(len(repo.releases) for repo in repos),
        skipped=(*(one for repo in repos for one in repo.skipped), *refused),
        left_out=tuple(one for repo in repos for one in repo.left_out),
    )


def _repo(repo: RepoReport, forge: ForgeItems) -> day.RepoDay:
    return part_of(
        day.RepoDay,
        repo,
        name=repo.repo.name,
        url=repo.repo.url,
        updated=None if repo.in_git is None else bool(repo.entries),
        commits=tuple(commit_of(repo.repo, entry) for entry in repo.entries),
        late=tuple(commit_of(repo.repo, entry) for entry in repo.late),
        stories=tuple(_story(story) for story in repo.stories),
        **forge.of_repository(repo),
    )


# --- changes ------------------------------------------------------------------------------------------------------


def statements_of(statements: Iterable[Statement]) -> tuple[day.Statement, ...]:
    return convert(tuple(statements), tuple[day.Statement, ...], from_attributes=True)


def commit_of(repo: Repo, entry: Entry) -> day.Commit:
    """One entry of a repository's report."""
    change = entry.change
    return part_of(
        day.Commit,
        change,
        entry,
        url=repo.commit_url(change.sha),
        pr=day.PullRef(change.pr, repo.pull_url(change.pr)) if change.pr else None,
        findings=tuple(finding_of(finding) for finding in entry.reading.findings),
        announced=tuple(announced_of(one) for one in entry.announced),
        unannounced=tuple(finding.id for finding in unannounced(entry)),
        components=entry.reading.components,
        taken=tuple(part_of(day.Taken, one) for one in (entry.exposure.taken if entry.exposure else ())),
        settings=entry.reading.settings,
        setting_lines=entry.reading.setting_lines,
        tells=_tells(entry),
        hunks=tuple(_hunk(hunk) for hunk in entry.reading.hunks),
    )


_SOURCES: dict[str, str] = {"line": "lines", "log": "error"} | dict.fromkeys(
    ("comment", "docstring", "help", "docs", "changelog"), "quote"
)
"""Witnesses under the names that reports have for them, where these differ."""


def _tells(entry: Entry) -> day.Tells | None:
    """What it does in one sentence, as short as a row; where a model told it, in its words. Of a repair that no other line tells, with
    whether a release has the fault.
    """
    found = sentence_of(entry) or _by_place(entry)
    if found is None:
        return None
    text = found.text if found.source == "model" else row(entry) or found.text
    alone = entry.kind == "fix" and entry.importance.level == "low" and is_known(entry.exposure)
    text = dated(ended(text), entry, "fix") if alone else text
    evidence = (f"commit:{entry.change.sha}", *(f"finding:{ident}" for ident in found.findings))
    return day.Tells(text, _SOURCES.get(found.source, found.source), evidence)


def _by_place(entry: Entry) -> Gist | None:
    """Of a repair that nobody tells at least what it is in: a row of a title alone says less."""
    change = entry.change
    read = change.skipped is None and not change.filtered and entry.kind == "fix"
    where = repaired_in(change) if read else None
    return Gist(where, "line") if where is not None else None


def finding_of(finding: Finding) -> day.Finding:
    """A finding as reports have it."""
    return part_of(day.Finding, finding, effective=day.Effective(finding.effective) if finding.effective else None)


def reader_finding(finding: day.Finding) -> Finding:
    """A finding as readers gave it, from the report that keeps it."""
    return Finding(
        finding.id,
        finding.kind,
        finding.path,
        finding.line,
        finding.symbol,
        finding.before,
        finding.after,
        finding.breaking,
        finding.alias,
        finding.effective.when if finding.effective else None,
        default=finding.default,
        under=finding.under,
    )


def _hunk(hunk: Hunk) -> day.Hunk:
    """Verbatim; one that could turn a reader's screen around is named and not shown."""
    text = hunk.text.replace("\r\n", "\n").rstrip("\r\n")
    return day.Hunk(hunk.path, text if showable(hunk.text) else None)


def _story(story: Story) -> day.Story:
    return part_of(day.Story, story, broken=day.Span(*story.broken, story.broken_by) if story.broken else None)


# --- what a model had to do with it -----------------------------------------------------------------------------------


def _analyst(retelling: Retelling | None) -> day.Analyst:
    """Who wrote the prose."""
    if retelling is None:
        return day.Analyst()
    return day.Analyst("llm", retelling.model or None, retelling.prompt_version)


def _cost(judgement: Judgement) -> day.Cost:
    """What the answers of the forge and of the model cost when they were first made."""
    model, asked = judgement.retelling, judgement.forge.requests if judgement.forge else 0
    if model is None:
        return day.Cost(asked)
    return day.Cost(asked + model.requests, model.prompt_tokens, model.completion_tokens, model.money)


def _retelling(retelling: Retelling | None) -> day.Retelling | None:
    if retelling is None:
        return None
    return part_of(
        day.Retelling,
        retelling,
        left=tuple(_left(one) for one in retelling.left),
        partly=tuple(_left(one) for one in retelling.partly),
        answers=tuple(day.Answers(*one) for one in retelling.answers),
    )


def _left(one: Left) -> day.Left:
    return part_of(day.Left, one, sha=one.sha or None)
