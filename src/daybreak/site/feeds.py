"""The feeds of an archive: overall, per repository, and of breaking changes, from its newest days."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol
from urllib.parse import quote

from msgspec import Struct

from daybreak.core.config import Settings
from daybreak.core.errors import DaybreakError
from daybreak.core.file_cache import LastUsed
from daybreak.core.model.day import Action, Commit, Day, RepoDay, Skipped, headline, in_language
from daybreak.core.model.rollup import Line as Held
from daybreak.core.model.rollup import Rollup
from daybreak.core.words.phrases import Phrases, part_in, phrases, reason_in, tag_name
from daybreak.report.archive.beside import headline_of, leading, tag_of
from daybreak.report.archive.interface import Archive
from daybreak.site.feed_formats import EPOCH, Block, Entry, Feed, Line, Span, moment, sentence, shown, web

# --- A reported day as entries: of the day, of each repository that changed, and of each breaking change ---


TAG = "tag:daybreak.invalid,2026:"
"""Of RFC 4151; the name is one that nobody can own. What follows it is the installation's own, so that the feeds of two
teams do not meet in one reader."""
_LISTED = 40
"""Lines under a title; the page has them all, and how many are left is said."""
_RANKS = {"high": 0, "medium": 1, "low": 2}


class Addresses(Protocol):
    """Where pages lie in the site."""

    def day_path(self, language: str, label: str, /) -> str: ...

    def change_path(self, language: str, repo: str, sha: str, /) -> str: ...

    def repo_anchor(self, name: str, /) -> str: ...

    def rollup_path(self, language: str, label: str, /) -> str: ...


class DayNews(Struct, frozen=True):
    """All entries that one day gives, in one language."""

    day: Entry
    repos: Mapping[str, Entry]
    breaking: tuple[Entry, ...]


class Teller:
    """Tells days in one language."""

    def __init__(self, language: str, addresses: Addresses, own: str = "") -> None:
        self._language, self._addresses, self._t = language, addresses, phrases(language, "feeds")
        self._own = own

    def news(self, day: Day) -> DayNews:
        repos = {repo.name: self._repo(day, repo) for repo in day.repos if _has_news(repo)}
        breaking = tuple(self._breaking(day, repo, one) for repo, one in day.changes() if is_broken(one))
        return DayNews(self._day(day), repos, breaking)

    def unreadable(self, label: str) -> DayNews:
        """A day whose report cannot be read is told as such, not left out."""
        title = self._t("unreadable", label=shown(label))
        path = self._addresses.day_path(self._language, label)
        entry = Entry(
            tag(self._own, self._language, "day", label), title, _began(label), path, (Block((sentence(title),)),)
        )
        return DayNews(entry, {}, ())

    def _day(self, day: Day) -> Entry:
        t, numbers = self._t, _numbers(day.repos)
        counts = t("counts", repos=len(day.repos), skipped=len(day.coverage.skipped), **numbers)
        opening = [sentence(counts), *([sentence(t("open"))] if day.window.open else [])]
        blocks = [Block(tuple(opening)), *self._screen(day.actions, day.also, day.more_actions)]
        blocks += self._under("summary", (sentence(in_language(s.text, self._language)) for s in day.summary))
        blocks += self._under("skipped", (_skipped(t, one) for one in day.coverage.skipped))
        return Entry(
            tag(self._own, self._language, "day", day.label),
            self._title(shown(day.label), headline(day, self._language), numbers),
            updated(day),
            self._addresses.day_path(self._language, day.label),
            tuple(blocks),
            (("breaking",) if numbers["breaking"] else ()),
        )

    def _repo(self, day: Day, repo: RepoDay) -> Entry:
        t, numbers = self._t, _numbers((repo,))
        counts = t("repo_counts", issues=len(repo.issues), releases=len(repo.releases), **numbers)
        blocks = [Block((sentence(counts),))]
        actions, also = ([one for one in row if one.repo == repo.name] for row in (day.actions, day.also))
        blocks += self._screen(actions, also) if actions or also else []
        blocks += self._under("releases", ((Span(shown(one.tag), link=web(one.url)),) for one in repo.releases))
        ranked = sorted(repo.changes, key=lambda one: (not one.breaking, _RANKS.get(one.importance.level, 3)))
        blocks += self._under("changes", (self._change(repo, one) for one in ranked))
        page = f"{self._addresses.day_path(self._language, day.label)}#{self._addresses.repo_anchor(repo.name)}"
        return Entry(
            tag(self._own, self._language, "repo", repo.name, day.label),
            self._title(f"{shown(repo.name)} {shown(day.label)}", headline(day, self._language, {repo.name}), numbers),
            updated(day),
            page,
            tuple(blocks),
            (shown(repo.name), *(("breaking",) if numbers["breaking"] else ())),
            web(repo.url),
        )

    def _breaking(self, day: Day, repo: RepoDay, commit: Commit) -> Entry:
        t, language = self._t, self._language
        what = (sentence(in_language(one.text, language)) for one in commit.statements if one.role == "what")
        subject = shown(commit.subject) or t("no_subject")
        page = self._addresses.change_path(language, repo.name, commit.sha)
        blocks = (
            *self._under("what", what),
            *self._under("broken", self._findings(day, commit)),
            *self._under("way_out", self._way_out(day, commit)),
        )
        return Entry(
            tag(self._own, language, "breaking", repo.name, commit.sha),
            f"{shown(repo.name)}{t('colon')}{subject}",
            moment(commit.committed_at),
            page,
            blocks,
            (shown(repo.name), "breaking", commit.importance.level),
            web(commit.url),
        )

    def rollup(self, span: Rollup) -> Entry:
        """What still holds at the end of a week or a month: what breaks, then what was mended."""
        t, lead = self._t, leading(span.fixes, span.breaks)
        blocks = [Block((sentence(t("rollup_counts", commits=span.commits, days=len(span.days))),))]
        blocks += [Block((sentence(in_language(one.text, self._language)),)) for lot in span.paragraphs for one in lot]
        blocks += self._under("broken", map(self._held, span.breaks))
        blocks += self._under("mended", map(self._held, span.fixes))
        first = headline_of(lead, self._language) if lead else ""
        return Entry(
            tag(self._own, self._language, "rollup", span.label),
            t("headline", label=span.label, what=shown(first.replace("`", ""))) if first else shown(span.label),
            _began(span.last),
            self._addresses.rollup_path(self._language, span.label),
            tuple(blocks),
            (("breaking",) if span.breaks else ()),
        )

    def _held(self, one: Held) -> Line:
        link = self._addresses.change_path(self._language, one.repo, one.commits[-1]) if one.commits else ""
        said = sentence(in_language(one.text, self._language))
        tag = [Span(f"{tag_name(self._language, of)} · ")] if (of := tag_of(one)) else []
        return (*tag, Span(shown(one.repo), link=link), Span(self._t("colon")), *said)

    def _findings(self, day: Day, commit: Commit) -> Iterator[Line]:
        """What broke: findings that say so, else those the day's actions name, else all that changed something."""
        named = {id_ for one in day.actions if commit.sha in one.commits for id_ in one.findings}
        broken = [one for one in commit.findings if one.breaking]
        broken = broken or [one for one in commit.findings if one.id in named]
        for one in broken or [one for one in commit.findings if one.before != one.after]:
            before, after = self._side(one.before), self._side(one.after)
            place = Span(f" ({shown(one.path)}:{one.line})")
            yield (Span(shown(one.symbol), code=True), Span(self._t("colon")), before, Span(" → "), after, place)

    def _side(self, value: str | None) -> Span:
        kept = shown(value or "")
        return Span(kept, code=True) if kept else Span(self._t("absent"))

    def _way_out(self, day: Day, commit: Commit) -> Iterator[Line]:
        texts = [one.text for one in day.actions if commit.sha in one.commits]
        texts = texts or [one.text for one in commit.statements if one.role == "action"]
        for text in texts:
            yield sentence(in_language(text, self._language))

    def _title(self, label: str, said: str, numbers: Mapping[str, int]) -> str:
        """The headline; where nothing is said, the counts."""
        what = shown(said.replace("`", ""))
        return self._t("headline", label=label, what=what) if what else self._t("day_title", label=label, **numbers)

    def _screen(self, actions: Sequence[Action], also: Sequence[Action], more: int = 0) -> list[Block]:
        """The first screen in its order."""
        lines = tuple(map(self._action, actions)) or (sentence(self._t("actions_none")),)
        rest = (*map(self._action, also), *([sentence(self._t("more_actions", n=more))] if more else []))
        return [Block(lines, self._t("actions")), *([Block(rest, self._t("also"))] if rest else [])]

    def _action(self, action: Action) -> Line:
        link = self._addresses.change_path(self._language, action.repo, action.commits[0]) if action.commits else ""
        tag = [Span(f"{tag_name(self._language, action.tag)} · ")] if action.tag else []
        said = sentence(in_language(action.text, self._language))
        return (*tag, Span(shown(action.repo), link=link), Span(self._t("colon")), *said)

    def _change(self, repo: RepoDay, commit: Commit) -> Line:
        level = self._t.get(f"level_{commit.importance.level}", shown(commit.importance.level))
        marks = f" · {level}" + (f" · {self._t('breaking_mark')}" if commit.breaking else "")
        page = self._addresses.change_path(self._language, repo.name, commit.sha)
        return (Span(shown(commit.subject) or self._t("no_subject"), link=page), Span(marks))

    def _under(self, title: str, lines: Iterable[Line]) -> list[Block]:
        """Under a title, where there is something; the rest is counted."""
        found = list(lines)
        kept = found[:_LISTED]
        if len(found) > _LISTED:
            kept.append(sentence(self._t("more", n=len(found) - _LISTED)))
        return [Block(tuple(kept), self._t(title))] if kept else []


def updated(day: Day) -> datetime:
    """The end of the day; while it goes on, its newest change."""
    if not day.window.open:
        return moment(day.window.until)
    return max((moment(one.committed_at) for _, one in day.changes()), default=moment(day.window.since))


def tag(*parts: str) -> str:
    """An id; the first part is the installation."""
    return TAG + "/".join(quote(part, safe="/") for part in parts if part)


def installation(settings: Settings) -> str:
    """What tells one installation from others: where its site is, and what it reports on."""
    config = settings.config
    said = [config.publish.site_url, config.notify.link, config.title or "", str(settings.zone)]
    return hashlib.sha256("\0".join([*said, *(repo.name for repo in config.repo)]).encode()).hexdigest()[:10]


def is_broken(commit: Commit) -> bool:
    """What a filter leaves out is reported, and breaks nothing that the reader looks at."""
    return commit.breaking and not commit.filtered


def _numbers(repos: Iterable[RepoDay]) -> dict[str, int]:
    """As the report counts: late arrivals apart, and filtered commits without a grade."""
    repos = tuple(repos)
    told = [one for repo in repos for one in repo.commits if not one.filtered]
    levels = Counter(one.importance.level for one in told)
    return {
        "commits": sum(len(repo.commits) for repo in repos),
        "late": sum(len(repo.late) for repo in repos),
        "breaking": sum(one.breaking for one in told),
        **{level: levels[level] for level in _RANKS},
    }


def _has_news(repo: RepoDay) -> bool:
    """Commits, releases, and issues and pull requests that were opened, closed or merged that day."""
    issues = any("opened" in one.happened or "closed" in one.happened for one in repo.issues)
    pulls = any("opened" in one.happened or "merged" in one.happened for one in repo.pulls)
    return bool(repo.changes or repo.releases or issues or pulls)


def _began(label: str) -> datetime:
    try:
        return datetime.fromisoformat(label).replace(tzinfo=UTC)
    except ValueError:
        return EPOCH


def _skipped(t: Phrases, one: Skipped) -> Line:
    return (Span(f"{shown(part_in(t.language, one.what))}{t('colon')}{shown(reason_in(t.language, one.reason))}"),)


DAYS = 14
"""Newest days with a report that a feed looks at: readers ask every hour, and get all of it each time."""
MOST = 100
"""Entries of one feed: a day may have many breaking changes."""


class FeedMaker:
    """Each day is told once per language and content; threads may ask."""

    def __init__(self, archive: Archive, addresses: Addresses, own: str = "", title: str = "") -> None:
        """`title`: what the reports are called, in whatever language."""
        self._archive, self._addresses, self._own, self._title = archive, addresses, own, title
        self._told = LastUsed[tuple[str, str, str], DayNews](4 * DAYS)

    def days(self) -> dict[str, str]:
        """The days that feeds look at, newest first, with the digest of each."""
        return dict(list(self._archive.digests().items())[: -DAYS - 1 : -1])

    def overall(self, language: str, path: str, home: str) -> Feed:
        entries = [one.day for one in self._news(language)]
        return self._feed(language, ("overall",), path, home, entries, "overall")

    def of_repo(self, language: str, repo: str, path: str, home: str) -> Feed:
        entries = [one.repos[repo] for one in self._news(language) if repo in one.repos]
        return self._feed(language, ("repo", repo), path, home, entries, "repo", repo)

    def breaking(self, language: str, path: str, home: str) -> Feed:
        entries = (entry for one in self._news(language) for entry in one.breaking)
        return self._feed(language, ("breaking",), path, home, entries, "breaking")

    def rollups(self, language: str, path: str, home: str, found: Iterable[Rollup]) -> Feed:
        """Weeks and months, newest first."""
        teller = Teller(language, self._addresses, self._own)
        return self._feed(language, ("rollup",), path, home, map(teller.rollup, found), "rollup")

    def _feed(
        self,
        language: str,
        key: Sequence[str],
        path: str,
        home: str,
        entries: Iterable[Entry],
        words: str,
        repo: str = "",
    ) -> Feed:
        t, unique = phrases(language, "feeds"), {entry.id: entry for entry in entries}
        kept = tuple(unique.values())[:MOST]
        values = {"days": DAYS, "most": MOST, "repo": shown(repo), "title": shown(self._title) or t("title")}
        return Feed(
            tag(self._own, language, "feed", *key),
            t(words, **values),
            t(f"{words}_about", **values),
            language,
            path,
            home,
            max((entry.updated for entry in kept), default=EPOCH),
            kept,
        )

    def _news(self, language: str) -> Iterator[DayNews]:
        teller = Teller(language, self._addresses, self._own)
        for label, digest in self.days().items():
            yield self._of(teller, language, label, digest)

    def _of(self, teller: Teller, language: str, label: str, digest: str) -> DayNews:
        key = (language, label, digest)
        if (told := self._told.get(key)) is not None:
            return told
        try:
            day = self._archive.day(label)
        except DaybreakError:
            day = None
        if day is None:  # not kept: it may be mended under the same digest
            return teller.unreadable(label)
        news = teller.news(day)
        self._told.put(key, news)
        return news
