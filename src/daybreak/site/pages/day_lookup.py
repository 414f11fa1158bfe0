"""What a template asks about a day: who is meant by an evidence id, and what belongs together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import quote

from msgspec import Struct

from daybreak.core.model.day import (
    Action,
    Commit,
    Day,
    Finding,
    Issue,
    Pull,
    Release,
    RepoDay,
    Statement,
    Story,
    in_language,
)
from daybreak.core.words.brief import advised, brief_line
from daybreak.core.words.grammar import parted
from daybreak.findings.kinds import kind_of
from daybreak.report.archive import addresses
from daybreak.report.render.escape import clean
from daybreak.report.render.tags import entry_tag
from daybreak.site.pages.named_pages import has_page
from daybreak.site.pages.summaries import has_life
from daybreak.site.pages.templates import web

_NUMBERED = re.compile(r" ?\(#(\d{1,9})\)$")
GIST = 20
"""Words of what a change tells that its row shows."""
FOLDED = 110
"""How wide what is said of an entry may be, in letters, before a phone folds it: what fills two of its lines."""
FEW = 3
"""Changes that a sentence may link to; more of them would not help a reader."""


class Ref(Struct, frozen=True):
    """Something a sentence rests on: its short name, its title, and where it can be read; `href` may be empty."""

    label: str
    href: str = ""
    title: str = ""
    repo: str = ""
    level: str = ""
    breaking: bool = False


class Lead(NamedTuple):
    """An entry of the first screen: the change it is about with its title, what is said of it, and what to do."""

    ref: Ref | None
    title: str
    joint: str
    what: str
    advice: str
    folded: bool
    """On a phone two lines of `what` are shown, and the rest when it is asked for."""


class Told(Struct, frozen=True):
    """A change with its repository."""

    repo: RepoDay
    commit: Commit
    late: bool = False


class Index:
    """A day's changes, items and stories by name: made once for all pages of the day."""

    def __init__(self, day: Day) -> None:
        self.repos = {repo.name: repo for repo in day.repos}
        self.changes: dict[str, Told] = {}
        """By full sha, and by its first twelve digits as findings name it."""
        self.items: dict[str, tuple[RepoDay, Issue | Pull | Release]] = {}
        self.stories = {(repo.name, story.id): story for repo in day.repos for story in repo.stories}
        for repo in day.repos:
            for at, commit in enumerate(repo.changes):
                self.changes[commit.sha] = self.changes[commit.short] = Told(repo, commit, at >= len(repo.commits))
            self.items |= {f"issue:{repo.name}#{one.number}": (repo, one) for one in repo.issues}
            self.items |= {f"pull:{repo.name}#{one.number}": (repo, one) for one in repo.pulls}
            self.items |= {f"release:{repo.name}@{one.tag}": (repo, one) for one in repo.releases}


class Book:
    """One day for one page."""

    def __init__(self, day: Day, language: str, path: str, index: Index | None = None) -> None:
        self.day, self._language, self._path = day, language, path
        index = index or Index(day)
        self.repos, self.changes, self._items, self._stories = index.repos, index.changes, index.items, index.stories
        self._titles: set[str] | None = None

    # --- where things are ------------------------------------------------------------------------------------------

    def to(self, target: str) -> str:
        return addresses.relative(self._path, target)

    def here(self, sha: str) -> str:
        """The change on the page of the day."""
        return self.to(addresses.change_on_day(self._language, self.day.label, sha))

    def permanent(self, repo: str, sha: str) -> str:
        return self.to(addresses.change_path(self._language, repo, sha))

    def repo_here(self, name: str) -> str:
        return self.to(f"{addresses.day_path(self._language, self.day.label)}#{addresses.repo_anchor(name)}")

    def story_page(self, repo: str, story: str) -> str:
        return self.to(addresses.story_path(self._language, repo, story))

    def release_page(self, repo: str, tag: str) -> str:
        return self.to(addresses.release_path(self._language, repo, tag))

    def life(self, repo: RepoDay, finding: Finding) -> str:
        """What else happened to the name of a finding; empty where it has no page."""
        surface = kind_of(finding.kind).surface
        name = clean(finding.symbol)
        told = has_life(finding) and has_page(finding.kind, name, finding.breaking)
        return self.to(addresses.symbol_path(self._language, repo.name, surface, name)) if told else ""

    def names(self, shas: Iterable[str]) -> dict[str, str]:
        """Names that a sentence about these changes may hold, with their lives."""
        told = [self.changes[sha] for sha in shas if sha in self.changes]
        found = {
            f.symbol: self.life(one.repo, f) for one in told if not one.commit.filtered for f in one.commit.findings
        }
        return {name: place for name, place in found.items() if place}

    # --- who is meant ----------------------------------------------------------------------------------------------

    def ref(self, name: str) -> Ref:
        """What an evidence id stands for; one that the report does not know is named as it is, without a link."""
        kind, _, rest = name.partition(":")
        if kind in ("commit", "finding", "file"):
            return self._change(rest.partition("/")[0].partition(":")[0])
        if kind == "repo":
            return Ref(rest, self.repo_here(rest) if rest in self.repos else "", repo=rest)
        if kind in ("issue", "pull", "release"):
            return self._item(name, kind, rest)
        return Ref(rest or name)

    def _change(self, sha: str) -> Ref:
        told = self.changes.get(sha)
        if told is not None:
            commit = told.commit
            label = f"#{commit.pr.number}" if commit.pr else commit.sha[:9]
            here, level = self.here(commit.sha), commit.importance.level
            return Ref(label, here, subject(commit), told.repo.name, level, commit.breaking)
        for one in self.day.across.earlier:
            if one.sha == sha:
                label = f"#{one.pr}" if one.pr else sha[:9]
                return Ref(label, self.commit_url(one.repo, sha), one.subject, one.repo)
        return Ref(sha[:9])

    def commit_url(self, repo: str, sha: str) -> str:
        """At the forge: of a change that this day does not tell."""
        home = self.repos.get(repo)
        return web(f"{home.url}/commit/{sha}") if home is not None and sha.isalnum() else ""

    def file(self, repo: RepoDay, commit: Commit, path: str) -> str:
        """A file at the forge, as the change left it."""
        return web(f"{repo.url}/blob/{commit.sha}/{quote(path)}")

    def line(self, repo: RepoDay, commit: Commit, finding: Finding) -> str:
        """The line that a finding was read from; what is gone stands in the change and no more in the file."""
        if finding.after is None and finding.before is not None:
            return web(commit.url)
        place = self.file(repo, commit, finding.path)
        return f"{place}#L{finding.line}" if place and finding.line else place

    def _item(self, name: str, kind: str, rest: str) -> Ref:
        repo, _, number = rest.rpartition("@" if kind == "release" else "#")
        label = number if kind == "release" else f"#{number}"
        found = self._items.get(name)
        if found is not None:
            item = found[1]
            return Ref(label, web(item.url), item.title, repo)
        home = self.repos.get(repo)
        if home is None or kind == "release" or not number.isdigit():
            return Ref(label, repo=repo)
        return Ref(label, web(f"{home.url}/{'issues' if kind == 'issue' else 'pull'}/{number}"), repo=repo)

    def refs(self, names: Iterable[str]) -> list[Ref]:
        """Each once."""
        return list(dict.fromkeys(self.ref(name) for name in names))

    def cited(self, said: Statement, but: str = "") -> list[Ref]:
        """Changes and issues that a sentence rests on; no changes when they are too many to help, nor the one it is of."""
        changes = [n for n in said.evidence if n.startswith(("commit:", "file:")) and self._known(n, but)]
        found = self.refs(changes)
        return (found if len(found) <= FEW else []) + self.refs(n for n in said.evidence if n.startswith("issue:"))

    def _known(self, name: str, but: str) -> bool:
        sha = name.split(":", 2)[1]
        return sha != but and sha in self.changes

    def says_title(self, sentence: str, title: str) -> bool:
        """Whether the sentence quotes most of the title already, so that it need not stand there twice."""
        pieces = (plain_title(piece.rstrip("…")) for piece in (parted(sentence)[0], *sentence.split("`")[1::2]))
        plain = plain_title(title)
        return any(2 * len(piece) >= len(plain) and piece in plain for piece in pieces if piece)

    def quotes(self, piece: str) -> bool:
        """Whether this is a title of the day's changes, whole or shortened."""
        if self._titles is None:
            self._titles = {plain_title(subject(told.commit)) for told in self.changes.values()}
        known, start = plain_title(piece), plain_title(piece.rstrip("… "))
        return known in self._titles or (piece.endswith("…") and any(one.startswith(start) for one in self._titles))

    def lead(self, one: Action) -> Lead:
        refs, text = self.of_shas(one.commits), in_language(one.text, self._language)
        quoted, rest = parted(text)
        titled = bool(len(refs) == 1 and quoted and self.says_title(text, refs[0].title))
        what, advice = advised(rest if titled else text, self._language)
        said = what.lstrip(":： ") if titled else what
        return Lead(
            refs[0] if len(refs) == 1 else None,
            plain_title(quoted) if titled else "",
            what[: len(what) - len(said)],
            said,
            advice,
            sum(2 if sign > "\u2e7f" else 1 for sign in said) > FOLDED,
        )

    def tag(self, one: Action) -> str:
        """The name of the phrase that an entry is tagged with."""
        return entry_tag(one, [self.changes[sha].commit for sha in one.commits if sha in self.changes])

    def of_shas(self, shas: Iterable[str]) -> list[Ref]:
        return [self._change(sha) for sha in dict.fromkeys(shas)]

    # --- what belongs to a change ----------------------------------------------------------------------------------

    def by_role(self, commit: Commit, whole: bool = True) -> list[list[Statement]]:
        """Its statements by the rules, those of one role and dimension together; not `whole`: without what its row says."""
        groups: dict[tuple[str, str | None], list[Statement]] = {}
        row = in_language(commit.tells.text, self._language) if commit.tells and not whole else ""
        said = row if row == brief_line(row, GIST) else ""
        for one in (one for one in commit.statements if one.author == "rules"):
            if said and in_language(one.text, self._language) == said:
                continue
            groups.setdefault((one.role, one.dimension), []).append(one)
        return list(groups.values())

    @staticmethod
    def whole(commit: Commit, aged: bool) -> bool:
        """Whether the page of the day tells all of it."""
        return not aged and (commit.importance.level == "high" or commit.breaking)

    def again(self, commit: Commit, aged: bool) -> bool:
        """Whether an open change says whole what its row says, which then need not stand there."""
        row = in_language(commit.tells.text, self._language) if commit.tells else ""
        below = any(in_language(one.text, self._language) == row for one in commit.statements)
        bare = aged and not commit.marks and commit.importance.level == "low"
        return below and not bare and (self.whole(commit, aged) or row != brief_line(row, GIST))

    def untold(self, commit: Commit) -> list[Finding]:
        """Findings that no sentence of the change tells whole: name, and what was before and is after."""
        said = [in_language(one.text, self._language) for one in commit.statements]
        return [one for one in commit.findings if not any(_tells(text, one) for text in said)]

    def proof(self, told: Iterable[Statement]) -> list[tuple[str, str]]:
        """The lines that sentences rest on, each once, with their side."""
        return list(dict.fromkeys((one.side, one.line) for item in told for one in item.proof))

    def quotes_pull(self, commit: Commit) -> bool:
        """Whether a statement already says what the pull request's author wrote."""
        return any(one.evidence and all(n.startswith("pull:") for n in one.evidence) for one in commit.statements)

    def pull_of(self, repo: RepoDay, commit: Commit) -> Pull | None:
        """Its pull request, where the report has it."""
        found = self._items.get(f"pull:{repo.name}#{commit.pr.number}") if commit.pr else None
        return found[1] if found is not None and isinstance(found[1], Pull) else None

    def closed_by(self, repo: RepoDay, commit: Commit) -> list[tuple[Ref, bool]]:
        """Issues that its pull request closes; whether that is only likely. A guess nobody looked up may be anything."""
        pull = self.pull_of(repo, commit)
        closes = pull.closes if pull else ()
        return [(self.ref(x.issue), x.likely) for x in closes if not x.likely or x.issue in self._items]

    def story_of(self, repo: RepoDay, commit: Commit) -> Story | None:
        return self._stories.get((repo.name, commit.story)) if commit.story else None

    def steps(self, repo: RepoDay, story: Story) -> list[Ref]:
        """The changes of a story in order; those of other days lead to the forge."""
        return [
            self._change(sha) if sha in self.changes else Ref(sha[:9], self.commit_url(repo.name, sha))
            for sha in story.commits
        ]

    def acted(self) -> set[str]:
        return {sha for action in self.day.actions for sha in action.commits}

    def also_breaking(self) -> list[Ref]:
        """Marked breaking, and with no room in the lists of what to act on and of what is worth knowing."""
        worth = (one for area in self.day.worth for one in area.changes)
        acted = self.acted() | {sha for action in (*self.day.also, *worth) for sha in action.commits}
        return [
            self._change(commit.sha)
            for _, commit in self.day.changes()
            if commit.breaking and commit.sha not in acted and not commit.filtered
        ]


def plain_title(title: str) -> str:
    """A title as sentences quote it: without code in it."""
    return title.replace("`", "'").strip()


def subject(commit: Commit) -> str:
    """Without its own `(#N)`: the number stands beside it."""
    told = commit.subject.strip()
    found = _NUMBERED.search(told)
    return told[: found.start()] if found and commit.pr and int(found[1]) == commit.pr.number else told


def _tells(text: str, finding: Finding) -> bool:
    both = finding.before is not None and finding.after is not None
    values = (finding.before, finding.after) if both else ()
    return all(f"`{one}`" in text for one in (finding.symbol, *values) if one)
