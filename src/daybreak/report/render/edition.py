"""One language of one day: its phrases, its file names, links to commits and items, and what the day has by evidence id."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol
from urllib.parse import quote

from msgspec import Struct, field

from daybreak.core.model.changes import pull_path
from daybreak.core.model.day import (
    Bump,
    Commit,
    Day,
    Earlier,
    Finding,
    Issue,
    Link,
    Pull,
    Release,
    RepoDay,
    Statement,
    Text,
)
from daybreak.core.model.links import commit_id, issue_id, pull_id, release_id
from daybreak.core.words.phrases import Phrases, phrases
from daybreak.report.render.escape import aside, url

# --- Links to commits, pull requests, issues and releases; the only place that writes them ---


class Home(Protocol):
    """A repository, by the address that its links start with."""

    @property
    def url(self) -> str: ...


def commit_link(home: Home, sha: str) -> str:
    """All digits in the address, nine in the label; a repository without a web address gets no link."""
    return _linked(home, f"`{sha[:9]}`", f"commit/{sha}", f"`{sha[:9]}`")


def pull_link(home: Home, number: int) -> str:
    return _linked(home, f"#{number}", f"{pull_path(home.url)}/{number}", aside(f"#{number}"))


def issue_link(home: Home, number: int) -> str:
    return _linked(home, f"#{number}", f"issues/{number}", aside(f"#{number}"))


def release_link(home: Home, tag: str) -> str:
    return _linked(home, aside(tag), f"releases/tag/{quote(tag, safe='/', errors='replace')}", aside(tag))


def _linked(home: Home, label: str, path: str, unlinked: str) -> str:
    return f"[{label}]({url(f'{home.url}/{path}')})" if home.url.startswith(("http://", "https://")) else unlinked


def refs(home: Home, commit: Commit) -> str:
    """Pull request and commit. Both, since a number alone does not say which commit of the branch is meant."""
    link = commit_link(home, commit.sha)
    return f"{pull_link(home, commit.pr.number)} {link}" if commit.pr else link


def anchor(commit: Commit) -> str:
    """The id of a change on its repository's page."""
    return f"c-{commit.sha[:9]}"


def heading_anchor(name: str) -> str:
    """The anchor GitHub gives to a heading that is a repository's full name."""
    return re.sub(r"[^\w-]", "", name.lower())


def evidence_commits(repos: Iterable[RepoDay], statement: Statement) -> list[tuple[RepoDay, Commit]]:
    """The window's commits that a statement rests on; none when they are too many to help a reader."""
    shas = [e.split(":", 2)[1] for e in statement.evidence if e.startswith(("commit:", "file:"))]
    found = find_commits(tuple(repos), shas)
    return found if len(found) <= 3 else []


def find_commits(repos: Sequence[RepoDay], shas: Iterable[str], of: str | None = None) -> list[tuple[RepoDay, Commit]]:
    """Commits of the window by sha, in the order asked for; what is not in the window is left out.

    `of`: the repository whose they are, since a fork has the same ones.
    """
    index = {commit.sha: (repo, commit) for repo in repos if of in (None, repo.name) for commit in repo.commits}
    return [index[sha] for sha in dict.fromkeys(shas) if sha in index]


# --- What a day has, looked up by evidence id: what the pages ask for again and again ---


class Lookup(Struct, frozen=True):
    """Parts of a day by evidence id; what is not in here the day does not know."""

    commits: dict[str, tuple[RepoDay, Commit]] = field(default_factory=dict)
    """By `commit:SHA`; late ones too."""
    late: frozenset[str] = frozenset()
    findings: dict[str, tuple[RepoDay, Commit, Finding]] = field(default_factory=dict)
    issues: dict[str, tuple[RepoDay, Issue]] = field(default_factory=dict)
    pulls: dict[str, tuple[RepoDay, Pull]] = field(default_factory=dict)
    releases: dict[str, tuple[RepoDay, Release]] = field(default_factory=dict)
    brought_by: dict[str, str] = field(default_factory=dict)
    """`commit:SHA` -> its `pull:REPO#N`."""
    leaving: dict[str, list[Link]] = field(default_factory=dict)
    """Links of the repositories by what they start from."""
    earlier: dict[str, tuple[RepoDay, Earlier]] = field(default_factory=dict)
    """Changes of days before, by `commit:SHA`."""
    bumps: tuple[Bump, ...] = ()
    """Moves of pins that changes of this day made; those of earlier days stand in stories alone."""

    def pull_of(self, commit: Commit) -> Pull | None:
        """The pull request that brought a change."""
        found = self.pulls.get(self.brought_by.get(commit_id(commit.sha), ""))
        return found[1] if found else None

    def closed_by(self, commit: Commit) -> list[Link]:
        """Links to the issues that a change closes, by itself or by its pull request; each issue once."""
        own = commit_id(commit.sha)
        links = (*self.leaving.get(own, ()), *self.leaving.get(self.brought_by.get(own, ""), ()))
        return list({link.target: link for link in reversed(links) if link.kind == "fixes"}.values())[::-1]


def lookup_of(day: Day) -> Lookup:
    """All that the pages of a day look up."""
    repos, leaving = {repo.name: repo for repo in day.repos}, defaultdict(list)
    links = [link for repo in day.repos for link in repo.links or ()]
    for link in links:
        leaving[link.source].append(link)
    commits = {commit_id(commit.sha): (repo, commit) for repo, commit in day.changes()}
    return Lookup(
        commits,
        frozenset(commit_id(commit.sha) for repo in day.repos for commit in repo.late),
        {f"finding:{f.id}": (repo, commit, f) for repo, commit in commits.values() for f in commit.findings},
        {issue_id(repo.name, one.number): (repo, one) for repo in day.repos for one in repo.issues},
        {pull_id(repo.name, one.number): (repo, one) for repo in day.repos for one in repo.pulls},
        {release_id(repo.name, one.tag): (repo, one) for repo in day.repos for one in repo.releases},
        {link.target: link.source for link in links if link.kind == "brings"},
        dict(leaving),
        {commit_id(one.sha): (repos[one.repo], one) for one in day.across.earlier if one.repo in repos},
        tuple(one for one in day.across.bumps if commit_id(one.sha) in commits),
    )


# --- One language of it ---


MARKER = "<!-- daybreak.report/1 -->"
MARKS = {"high": "🔴", "medium": "🟡", "low": "🟢"}


class Edition(Struct, frozen=True):
    """What every part of a page needs to know of the whole."""

    day: Day
    t: Phrases
    stems: Mapping[str, str] = field(default_factory=dict)
    """Repository name -> the name of its page without ending."""
    known: Lookup = field(default_factory=Lookup)

    @property
    def language(self) -> str:
        return self.t.language

    @property
    def label(self) -> str:
        return self.day.label

    def ending(self, language: str) -> str:
        """`.md` for the main edition, `.en.md` and so on for the others."""
        return ".md" if language == self.day.languages[0] else f".{language}.md"

    def day_file(self, language: str = "") -> str:
        return self.label + self.ending(language or self.language)

    def repo_file(self, repo: str, language: str = "") -> str:
        return self.stems[repo] + self.ending(language or self.language)

    def say(self, text: Text) -> str:
        """The sentence in this language, or in the first one it has."""
        return text.get(self.language) or next(iter(text.values()), "")

    def others(self) -> tuple[str, ...]:
        return tuple(x for x in self.day.languages if x != self.language)

    def ended(self, sentence: str) -> str:
        """The sentence with a full stop, which the end of a section is recognised by."""
        return sentence if re.search(r"[。．.!?！？…；;：:][”」]?$", sentence) else sentence + self.t("page.stop")

    def note(self, *parts: str) -> str:
        return self.t("page.note", text=self.t("page.comma").join(parts))


def day_of(ed: Edition, moment: datetime) -> str:
    """The calendar day in the report's zone."""
    return moment.astimezone(ed.day.window.since.tzinfo).strftime("%Y-%m-%d")


def editions(day: Day) -> tuple[Edition, ...]:
    """One edition for each language of the day, the main one first."""
    stems, known = page_stems(day.repos), lookup_of(day)
    return tuple(Edition(day, phrases(language, "report"), stems, known) for language in day.languages)


def page_stems(repos: Sequence[RepoDay]) -> dict[str, str]:
    """OWNER-NAME for each repository; `a-b/c` and `a/b-c` must not share a page, so the second gets a number."""
    stems: dict[str, str] = {}
    for repo in repos:
        stem = re.sub(r"[^\w.-]+", "-", repo.name)
        same = sum(re.sub(r"-\d+$", "", s).lower() == stem.lower() or s.lower() == stem.lower() for s in stems.values())
        stems[repo.name] = f"{stem}-{same + 1}" if same else stem
    return stems
