"""Pages that answer a query as a whole: an upgrade, who pins what, when a branch was broken, the newest day."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from daybreak.report.archive import addresses
from daybreak.report.render.escape import clean
from daybreak.site.pages import Ground
from daybreak.site.pages.kept_summaries import Summaries
from daybreak.site.pages.ranges import range_names
from daybreak.site.pages.rollups import newest_rollups
from daybreak.site.pages.summaries import DaySummary, RepoSummary
from daybreak.site.pages.templates import phrases
from daybreak.site.search.spoken import MONTHS

_PINS = ("pin", "pins", "pinned", "锁定", "依赖版本")
_BROKEN = ("broken", "outage", "outages", "挂了", "坏了", "故障")
_NEWEST = ("today", "newest", "latest", "今天", "今日", "最新")
_BREAKS = (*_NEWEST, "break", "breaks", "breaking", "破坏", "不兼容")
_UPGRADE = ("upgrade", "upgrading", "migrate", "升级")
_WEEK, _MONTH = ("week", "weekly", "周报", "本周", "上周", "这周"), ("month", "monthly", "月报", "本月", "这个月")
_VERSION = re.compile(r"v?(\d+\.\d.*)")
_ASKED = re.compile(r"\d{1,2}月|[!-~]+|[^\x00-\x7f]+")
_REPO = re.compile(r"^repo:(?:.*/)?")
"""Who names a repository by the filter means no less of it."""
_ALSO_VERBS = ("march", "may")
_Offer = tuple[str, tuple[str, ...], tuple[str, ...], str, str]


def offers(ground: Ground, language: str) -> list[_Offer]:
    """Repository and versions that a page is of, or nothing; words that ask for it; what it is called and where it is."""
    here, say = addresses.search_path(language), phrases(language)
    rows: list[_Offer] = [
        (
            _short(one.repo),
            (one.start.removeprefix("v"), one.end.removeprefix("v")),
            _UPGRADE,
            say("upgrade.page", repo=clean(one.repo), start=clean(one.start), end=clean(one.end)),
            addresses.relative(here, addresses.range_path(language, one.stem)),
        )
        for one in range_names(ground)
    ]
    compare, newest = addresses.relative(here, addresses.compare_path(language)), Summaries.of(ground).days()[-1:]
    days = [(one, addresses.relative(here, addresses.day_path(language, one.label))) for one in newest]
    return [
        *rows,
        *_spans(ground, language),
        *(_of_repository(repo, day.label, language) for day in newest for repo in day.repos),
        *_pinned(newest, say("compare.pins"), compare),
        ("", (), _PINS, say("compare.pins"), f"{compare}#pins"),
        ("", (), _BROKEN, say("compare.outages"), f"{compare}#broken"),
        *(("", (), _NEWEST, day.label, href) for day, href in days),
    ]


def _pinned(newest: Iterable[DaySummary], text: str, compare: str) -> Iterator[_Offer]:
    """Of each project that another one pins, where its rows begin."""
    for name in sorted({one.target for day in newest for repo in day.repos for one in repo.pinned}):
        yield (
            _short(name),
            (),
            _PINS,
            f"{text} · {clean(_short(name))}",
            f"{compare}#pins-{addresses.repo_anchor(name)}",
        )


def _spans(ground: Ground, language: str) -> Iterator[_Offer]:
    """Weeks and months, each by what it is called; the newest of them by the bare word, too."""
    here, seen = addresses.search_path(language), set[str]()
    for label, days in newest_rollups(ground).items():
        _, _, rest = label.partition("-")
        words = _WEEK if "W" in label else _MONTH
        own = (label.lower(), rest.lower()) if "W" in label else (label, *_month_names(int(rest)))
        yield (
            "",
            (),
            (*own, *(() if words[0] in seen else words)),
            f"{label} {days}".rstrip(),
            addresses.relative(here, addresses.rollup_path(language, label)),
        )
        seen.add(words[0])


def _month_names(month: int) -> tuple[str, ...]:
    numerals = "一二三四五六七八九十"
    chinese = numerals[month - 1] if month <= 10 else f"十{numerals[month - 11]}"
    english = MONTHS.split("|")[month - 1]
    return (f"{chinese}月", f"{month}月", *(() if english in _ALSO_VERBS else (english,)))


def _short(repo: str) -> str:
    return repo.rpartition("/")[2].lower()


def _of_repository(repo: RepoSummary, label: str, language: str) -> _Offer:
    """What breaks today, with how much that is."""
    here, say = addresses.search_path(language), phrases(language)
    place = addresses.relative(here, addresses.repo_path(language, repo.name))
    n = (
        say("home.project_unknown")
        if repo.in_git is None and not repo.commits
        else repo.breaking or say("home.project_none")
    )
    text = f"{clean(repo.name)} · {say('repo.newest', label=label)}{say('page.colon')}{n}"
    return _short(repo.name), (), _BREAKS, text, f"{place}#newest"


def _is_asked(word: str, one: str) -> bool:
    """English words stand apart; Chinese ones stand within others, where 一月 is no part of 十一月."""
    if word.isascii() or word[0].isdigit():
        return word == one
    return word in one and f"十{word}" not in one


def offered(rows: Iterable[_Offer], query: str) -> list[tuple[str, str]]:
    """Pages whose words are asked for, or a version of theirs; of a repository, only where it is named, too.

    search-page.js decides the same on the static site.
    """
    asked = [_REPO.sub("", one) for one in _ASKED.findall(query.lower())]
    versions = [found[1] for one in asked if (found := _VERSION.fullmatch(one))]

    def by_word(words: Iterable[str]) -> bool:
        return any(_is_asked(word, one) for one in asked for word in words)

    def by_version(ends: Sequence[str]) -> bool:
        return all(any(f"{end}.".startswith(f"{v}.") for end in ends) for v in versions)

    def only_versions(words: Iterable[str]) -> bool:
        return all(_VERSION.fullmatch(one) or one in words for one in asked)

    return [
        (text, href)
        for repo, ends, words, text, href in rows
        if (not repo or repo in asked or (ends and versions and only_versions(words)))
        and (by_word(words) or (ends and versions))
        and (not ends or by_version(ends))
    ]
