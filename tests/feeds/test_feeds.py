"""Feeds: valid by their specifications, the same wherever the site lies, and harmless whatever a stranger wrote."""

from __future__ import annotations

import html
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from both_languages import both
from daybreak.core.model.day import Action, Commit
from daybreak.core.model.rollup import Line, Rollup
from daybreak.report.archive import addresses
from daybreak.report.archive.opening import FolderArchive
from daybreak.site.feed_formats import Feed, Place, as_html, as_text, atom, json_feed, sentence, shown, stamp
from daybreak.site.feeds import DAYS, MOST, FeedMaker
from feeds.days import EPOCH, REPO, Shelf, commit, day, days
from feeds.validating import valid_atom, valid_json

BASE = "https://acme.invalid/reports/"
LANGUAGES = ("zh", "en")


def maker(*found: object) -> FeedMaker:
    return FeedMaker(Shelf.of(*found), addresses)  # type: ignore[arg-type]


def feeds(made: FeedMaker, language: str, repos: tuple[str, ...] = (REPO,)) -> list[Feed]:
    home = addresses.home_path(language)
    return [
        made.overall(language, addresses.feed_path(language), home),
        made.breaking(language, addresses.breaking_feed_path(language), home),
        *(
            made.of_repo(language, repo, addresses.repo_feed_path(language, repo), addresses.repo_path(language, repo))
            for repo in repos
        ),
    ]


def test_feeds_are_called_as_the_reports_are() -> None:
    for language, usual in (("en", "Daybreak daily report"), ("zh", "Daybreak 日报")):
        for title in ("Our daily", ""):
            made = FeedMaker(Shelf.of(*days(2)), addresses, "own", title)
            home = addresses.home_path(language)
            names = [feed.title for feed in (*feeds(made, language), made.rollups(language, "r.xml", home, ()))]
            assert all((title or usual) in name for name in names), names


def test_a_week_is_titled_by_tag_repository_and_what_happened() -> None:
    default = {"en": "Default of `--old`: `1` → `2` (`engine/args.py`).", "zh": "`--old` 的默认值：`1` → `2`。"}
    line = Line(repo="acme/engine", text=default, tag="breaks", kind="cli_default_changed", title="Tidy up (#7)")
    mended = Line(repo="acme/kernels", text={"en": "No crash."}, tag="crash", rank=3, title="Fix (#8)")
    week = Rollup(label="2026-W10", first="2026-03-02", last="2026-03-08", digest="", breaks=(line,))
    for span, title in (
        (week, "2026-W10 · DEFAULT · engine · Default of --old: 1 → 2."),
        (replace(week, fixes=(mended,)), "2026-W10 · CRASH/HANG · kernels · No crash."),
    ):
        (entry,) = maker().rollups("en", "r.xml", "/", (span,)).entries
        assert entry.title == title
        assert "DEFAULT · " in "".join(part.text for block in entry.blocks for row in block.lines for part in row)


# --- valid -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["", BASE])
def test_every_feed_of_the_demo_is_valid(demo_week: Path, base: str) -> None:
    archive = FolderArchive(demo_week)
    newest = archive.day("2026-03-06")
    assert newest is not None
    repos = tuple(repo.name for repo in newest.repos)
    counts = set()
    for language in LANGUAGES:
        for feed in feeds(FeedMaker(archive, addresses), language, repos):
            read = valid_atom(atom(feed, base))
            data = valid_json(json_feed(feed, base), absolute=bool(base))
            assert [one.id for one in read.entries] == [one["id"] for one in data["items"]]
            assert [one.title for one in read.entries] == [one["title"] for one in data["items"]]
            counts.add(len(read.entries))
    assert 7 in counts  # days, and breaking changes


def test_a_feed_without_news_is_valid() -> None:
    for feed in feeds(maker(), "en"):
        assert feed.updated == EPOCH
        assert valid_atom(atom(feed)).entries == []
        assert valid_json(json_feed(feed), absolute=False)["items"] == []


# --- what they say ---------------------------------------------------------------------------------------------------


def test_a_day_tells_what_to_act_on_and_counts() -> None:
    entry = feeds(maker(day()), "en")[0].entries[0]
    assert entry.title == "2026-01-19 · Use --new."
    text = as_text(entry)
    assert "2 repositories, 2 commits (high 1, medium 0, low 1, late 0), 1 breaking, 0 skipped." in text
    assert "Act on\n- acme/engine: Use `--new`." in text
    assert "<code>--new</code>" in as_html(entry, Place("en/feed.xml"))


def test_entries_have_the_headline_as_title_and_the_first_screen_in_its_order_with_tags_and_links() -> None:
    whole = day()
    (first,) = whole.actions
    shas = [one.sha for one in whole.repos[0].commits]
    actions = (replace(first, tag="breaks"), Action(REPO, (shas[1],), both("再看。", "Look too."), tag="default"))
    also = (Action(REPO, (shas[1],), both("知道。", "Know it.")),)
    told = replace(whole, actions=actions, also=also, more_actions=3, headline=both("一句 `话`", "One `line`"))
    overall, _, repo = feeds(maker(told), "en")
    lines = "Act on\n- BREAKS · acme/engine: Use `--new`.\n- DEFAULT · acme/engine: Look too.\n"
    assert [feed.entries[0].title for feed in (overall, repo)] == [
        "2026-01-19 · One line",
        f"{REPO} 2026-01-19 · One line",
    ]
    for feed in (overall, repo):
        assert lines in as_text(feed.entries[0])
        assert "Also\n- acme/engine: Know it." in as_text(feed.entries[0])
    assert "3 more changes ask for action" in as_text(overall.entries[0])
    assert addresses.change_path("en", REPO, shas[1]) in {
        span.link for block in overall.entries[0].blocks for line in block.lines for span in line
    }


def test_a_repository_that_the_day_does_not_begin_with_has_a_headline_of_its_own() -> None:
    whole = day()
    commit = whole.repos[0].commits[1]
    other = Action("acme/other", (), both("别处。", "Elsewhere."), tag="security")
    mine = Action(REPO, (commit.sha,), both("再看。", "Look too."), tag="crash")
    told = replace(whole, actions=(other, mine), headline=both("别处", "Elsewhere"))
    overall, _, repo = feeds(maker(told), "en")
    assert overall.entries[0].title == "2026-01-19 · Elsewhere"
    assert repo.entries[0].title == f"{REPO} 2026-01-19 · CRASH/HANG · engine · {commit.subject}"


def test_a_breaking_change_tells_before_and_after_and_the_way_out() -> None:
    (entry,) = feeds(maker(day()), "zh")[1].entries
    text = as_text(entry)
    assert "`--old-1`：`--old-1` → `--new-1` (a.py:7)" in text
    assert "处理\n- 改用 `--new`。" in text
    assert entry.path == addresses.change_path("zh", REPO, day().repos[0].commits[0].sha)


def test_filtered_changes_are_no_news_of_breakage() -> None:
    whole = commit(1, breaking=True)
    filtered = Commit(**{name: getattr(whole, name) for name in whole.__struct_fields__} | {"filtered": True})
    assert feeds(maker(day(commits=(filtered,))), "en")[1].entries == ()


def test_a_quiet_day_is_told_overall_and_not_by_its_repository() -> None:
    overall, breaking, repo = feeds(maker(day(commits=())), "en")
    assert [len(feed.entries) for feed in (overall, breaking, repo)] == [1, 0, 0]


def test_a_day_that_is_not_over_is_as_new_as_its_newest_change() -> None:
    (entry,) = feeds(maker(day(open_=True)), "en")[0].entries
    assert stamp(entry.updated) == "2026-01-19T02:02:00Z"
    assert "The day is not over" in as_text(entry)


def test_a_day_that_cannot_be_read_is_told_as_such() -> None:
    archive = Shelf.of(day())
    archive.broken.add("2026-01-20")
    feed = feeds(FeedMaker(archive, addresses), "en")[0]
    assert feed.entries[0].title == "2026-01-20 · the report of this day cannot be read"
    valid_atom(atom(feed))


# --- stable ----------------------------------------------------------------------------------------------------------


def test_ids_do_not_depend_on_where_the_site_lies() -> None:
    feed = feeds(maker(day()), "en")[0]
    here, there = valid_atom(atom(feed)), valid_atom(atom(feed, BASE))
    assert [one.id for one in here.entries] == [one.id for one in there.entries]
    assert here.entries[0].id == "tag:daybreak.invalid,2026:en/day/2026-01-19"
    assert there.entries[0].link == f"{BASE}en/days/2026-01-19.html"
    assert here.entries[0].link == "days/2026-01-19.html"


@pytest.mark.parametrize("base", ["javascript:alert(1)//", 'https://x.invalid/"><script>', "ftp://x.invalid"])
def test_a_base_that_is_no_web_address_is_not_used(base: str) -> None:
    feed = feeds(maker(day()), "en")[0]
    assert atom(feed, base) == atom(feed)


def test_the_same_days_give_the_same_bytes() -> None:
    assert atom(feeds(maker(*days(3)), "zh")[0]) == atom(feeds(maker(*days(3)), "zh")[0])


def test_only_the_newest_days_stand_in_a_feed_and_it_says_so() -> None:
    feed = feeds(maker(*days(DAYS + 5)), "en")[0]
    assert len(feed.entries) == DAYS
    assert feed.entries[0].path.endswith("2026-01-19.html")
    assert str(DAYS) in feed.about


def test_a_day_with_many_breaking_changes_fills_the_feed_and_no_more() -> None:
    many = tuple(commit(number, breaking=True) for number in range(MOST + 20))
    feed = feeds(maker(day(commits=many)), "en")[1]
    assert len(feed.entries) == MOST
    assert str(MOST) in feed.about


def test_long_lists_are_cut_and_counted() -> None:
    many = tuple(commit(number) for number in range(60))
    (entry,) = feeds(maker(day(commits=many)), "en")[2].entries
    assert "20 more on the page." in as_text(entry)


def test_a_day_is_told_once_and_again_when_it_changed() -> None:
    archive = Shelf.of(*days(5))
    made = FeedMaker(archive, addresses)
    for _ in range(3):
        feeds(made, "en")
    assert archive.asked == 5
    archive.kept["2026-01-19"] = replace(day(commits=()), actions=(), headline=both("没有提交", "No commits"))
    assert feeds(made, "en")[0].entries[0].title == "2026-01-19 · No commits"
    assert archive.asked == 6


# --- strangers -------------------------------------------------------------------------------------------------------

PAYLOADS = [
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "]]><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "&amp;lt;img src=x onerror=alert(1)&amp;gt;",
    "<img src=x onerror=alert(1)>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "<svg/onload=alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    'https://x.invalid/"onmouseover=alert(1) y="',
    "https://x.invalid/<script>",
    "<!-- --><script>alert(1)</script>",
    "--><script>alert(1)</script>",
    "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><x>&e;</x>",
    "&e; &nbsp; &undefined;",
    "<style>*{display:none}</style>",
    "<iframe src=//x.invalid></iframe>",
    "<math><mtext></mtext><script>alert(1)</script></math>",
    "`<script>alert(1)</script>`",
    "```\n<script>alert(1)</script>\n```",
    "`` ` <b>x</b> ` ``",
    "\x00\x01\x08\x0b\x0c\x0e\x1b[31mred\x1b[0m<b>x</b>",
    "\x1b]8;;http://x.invalid\x07link\x1b]8;;\x07",
    "\u202egnp.exe\u202c<b>x</b>",
    "\u2066\u2067\u2068<b>x</b>\u2069",
    "\ufeff\u200b\u2060<b>x</b>",
    "\ufffe\uffff<b>x</b>",
    "\U0001f600 <b>x</b> \U000e0041",
    "a\r\nSet-Cookie: x=1\r\n\r\n<b>x</b>",
    "\u2028<b>x</b>\u2029\x85",
    "[x](javascript:alert(1))",
    "</entry></feed><feed>",
    "x" * 100_000,
]  # fmt: skip
_OURS = {"p", "b", "ul", "li", "code", "a"}


@dataclass
class _Seen:
    tags: list[str]
    texts: list[str]


def _seen(markup: str) -> _Seen:
    """Elements of a piece of HTML, with every link looked at."""
    seen = _Seen([], [])

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            seen.tags.append(tag)
            assert [name for name, _ in attrs] in ([], ["href"]), attrs
            for _, value in attrs:
                assert value is not None
                assert ":" not in value.partition("/")[0] or value.startswith(("http://", "https://")), value

        def handle_data(self, data: str) -> None:
            seen.texts.append(data)

        def handle_comment(self, data: str) -> None:
            raise AssertionError(data)

        def handle_decl(self, decl: str) -> None:
            raise AssertionError(decl)

    Reader(convert_charrefs=True).feed(markup)
    return seen


@pytest.mark.parametrize("number", range(len(PAYLOADS)))
def test_hostile_text_stays_text(number: int) -> None:
    payload = PAYLOADS[number]
    kept = sentence(payload)
    for language in LANGUAGES[number % 2 :][:1]:  # the way of a text is the same in both
        for feed in feeds(maker(day(hostile=payload)), language):
            body = atom(feed)
            read = valid_atom(body)
            items = valid_json(json_feed(feed), absolute=False)["items"]
            for element, item in zip(
                ET.fromstring(body.decode()).iter("{http://www.w3.org/2005/Atom}content"), items, strict=True
            ):
                assert element.text == item["content_html"]
                seen = _seen(element.text or "")
                assert set(seen.tags) <= _OURS
                for span in kept:
                    assert span.text.strip() in "".join(seen.texts)
            for entry, item in zip(read.entries, items, strict=True):
                plain = html.unescape(entry.title) if entry.title_detail.type == "text/html" else entry.title
                assert plain == item["title"]
                assert "<script" not in entry.content[0].value.lower()  # feedparser has let the text through as text
                assert not any(c in item["title"] + item["content_text"] for c in "\x00\x1b\u202e\u2066\ufffe\r")
    assert "\n" not in shown(payload)


def test_a_change_with_nothing_to_say_is_still_an_entry() -> None:
    bare = commit(1, "\x1b[0m", breaking=True)
    feed = feeds(maker(day(commits=(bare,))), "en")[1]
    assert valid_atom(atom(feed)).entries[0].title == f"{REPO}: (no subject)"


def test_times_out_of_all_reason_are_written_as_the_formats_want_them() -> None:
    from datetime import datetime, timedelta, timezone

    early = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
    assert stamp(early) == "1970-01-01T00:00:00Z"
    assert stamp(datetime(999, 1, 1)) == "0999-01-01T00:00:00Z"  # noqa: DTZ001


def test_characters_that_no_text_may_hold_are_replaced() -> None:
    assert shown("\ud800x") == "\ufffdx"
    assert "".join(span.text for span in sentence("a `\udfffb` c")) == "a \ufffdb c"
