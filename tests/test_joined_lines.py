"""A line of *Act on* that joins several changes, as each output tells it: nobody gets a wall of ten titles."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
from msgspec.structs import replace

from both_languages import both
from daybreak.cli.show import day_lines
from daybreak.core.http import Secret
from daybreak.core.model.day import Action, ActionPart, Day
from daybreak.deliver.notify.delivery import Writer
from daybreak.deliver.notify.targets import Target, news
from daybreak.report.archive import addresses
from daybreak.report.index import day_line_from_json
from daybreak.serve.mcp.days import get_report
from daybreak.serve.web.rows import detail_of
from daybreak.site.feed_formats import as_text
from daybreak.site.feeds import FeedMaker
from daybreak.site.pages.days import DayPages
from daybreak.site.pages.views import HomePages
from feeds.days import Shelf as Feeding
from mcp_server.asking import desk_of
from pages import shelf

LABEL = "2026-03-02"
SHAS = [f"{n}".ljust(40, "a") for n in range(1, 8)]


def joined(breaking: bool = False, high: int | None = None) -> Day:
    parts = tuple(ActionPart((sha,), both(f"改 `part{n}`。", f"Does `part{n}`.")) for n, sha in enumerate(SHAS))
    flat = both("升级前留意：很长。", "Look before upgrading: a wall of words.")
    line = Action("acme/engine", tuple(SHAS), flat, (), both("升级前留意。", "Look before upgrading."), parts)
    commits = [
        replace(shelf.commit(n, level="high" if n == high else "medium", breaking=breaking and n == 0), sha=sha)
        for n, sha in enumerate(SHAS)
    ]
    return shelf.day(LABEL, shelf.repo(commits), actions=(line,))


def test_the_page_of_the_day_lists_every_part_with_a_link_to_its_change(tmp_path: Path) -> None:
    stored = shelf.Shelf()
    stored.put(joined())
    page = shelf.shown(DayPages(shelf.ground(stored, tmp_path)), f"en/days/{LABEL}.html")
    first, folded = (part.split("</ul>")[0] for part in page.split('<ul class="parts">')[1:])
    assert (first.count("<li>"), folded.count("<li>")) == (5, 2)
    assert ">2 more</summary>" in page
    for n, sha in enumerate(SHAS):
        assert f">part{n}</code>" in first + folded
        assert sha[:9] in first + folded
    assert "a wall of words" not in page


def test_the_home_page_shows_the_gravest_parts_and_counts_the_rest(tmp_path: Path) -> None:
    stored = shelf.Shelf()
    stored.put(joined())
    page = shelf.shown(HomePages(shelf.ground(stored, tmp_path)), "en/index.html")
    assert len(re.findall(r">part\d</code>", page)) == 3
    assert "4 more in the report" in page


def test_feeds_list_the_parts_below_their_line() -> None:
    maker = FeedMaker(Feeding.of(joined()), addresses)
    (entry, *_) = maker.overall("en", addresses.feed_path("en"), addresses.home_path("en")).entries
    text = as_text(entry)
    assert "- acme/engine: Look before upgrading.\n- – 1aaaaaaaa: Does `part0`." in text
    assert "a wall of words" not in text


def told(day: Day, *levels: str) -> list[str]:
    target = Target(1, "t", "t", "webhook", Secret("https://acme.invalid"), languages=("en",), levels=levels)
    edition = Writer("en").day("report", news(target, day))
    return ["".join(span.text for span in item) for part in edition.sections for item in part.items]


def test_a_message_names_the_gravest_part_and_counts_the_rest() -> None:
    assert "acme/engine: Does part0. Look before upgrading. (and 6 more)" in told(joined())


def test_a_part_that_a_message_tells_as_breaking_is_left_out_and_the_others_stay() -> None:
    said = told(joined(breaking=True))
    assert "acme/engine: Does part1. Look before upgrading. (and 5 more)" in said
    assert sum("part0" in line for line in said) == 1, "the breaking one, with its own words and not those of the line"


def test_a_high_change_that_is_not_the_gravest_part_is_told_by_itself() -> None:
    said = told(joined(high=3))
    assert said[0] == "acme/engine: Does part0. Look before upgrading. (and 6 more)"
    assert said[1] == "acme/engine A change"


def test_who_wants_only_high_changes_gets_only_those_parts() -> None:
    assert told(joined(high=3), "high") == ["acme/engine: Does part3. Look before upgrading."]


def test_what_is_asked_of_one_change_says_nothing_of_the_others() -> None:
    found = joined()
    repo = found.repos[0]
    (action,) = detail_of(found, repo, repo.commits[2]).actions
    assert action.text["en"] == "Does `part2`. Look before upgrading."
    assert (action.commits, action.listed) == ((SHAS[2],), ())


def test_parts_without_a_beginning_are_no_list(tmp_path: Path) -> None:
    odd = replace(joined(), actions=tuple(replace(one, lead=None) for one in joined().actions))
    stored = shelf.Shelf()
    stored.put(odd)
    assert "a wall of words" in shelf.shown(DayPages(shelf.ground(stored, tmp_path)), f"en/days/{LABEL}.html")
    assert list(day_lines(odd, "en"))[1].endswith("a wall of words.")
    assert told(odd) == ["acme/engine: Look before upgrading: a wall of words."]


def test_a_terminal_shows_the_parts_one_below_the_other() -> None:
    lines = list(day_lines(joined(), "en"))
    assert lines[1] == "1. acme/engine: Look before upgrading."
    assert lines[2:9] == [f"   - Does `part{n}`." for n in range(7)]


def test_the_index_says_the_gravest_part() -> None:
    assert day_line_from_json(msgspec.json.encode(joined())).headline == "改 `part0`。升级前留意。"


def test_a_tool_gets_the_parts_with_their_commits(tmp_path: Path) -> None:
    (tmp_path / "daybreak.toml").write_text('[[repo]]\nname = "acme/engine"\ngit = "."\n')
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / f"{LABEL}.json").write_bytes(msgspec.json.encode(joined()))
    (action,) = get_report(desk_of(tmp_path), LABEL, ["actions"], language="en")["actions"]
    assert action["untrusted"]["text"] == "Look before upgrading."
    assert [part["commits"] for part in action["parts"]] == [[sha[:12]] for sha in SHAS]
    assert action["parts"][0]["untrusted"]["text"] == "Does `part0`."
