"""The index and the archive."""

from __future__ import annotations

import re

from daybreak.report.index import DayLine, render_index


def line(label: str, headline: str = "`--x` 被移除") -> DayLine:
    return DayLine(label, 27, 3, 9, 15, 2, 0, {"zh": headline, "en": f"en: {headline}"})


DAYS = [line(f"2026-01-{n:02}") for n in range(25, 32)] + [line("2026-02-01"), line("2026-02-02", "a | b <x> @ada")]


def test_newest_first_and_seven_days() -> None:
    readme = render_index(DAYS, ("zh",))[0]
    assert readme.path == "README.md"
    assert readme.text.startswith("<!-- daybreak.index/1 -->\n")
    assert re.findall(r"(?m)^\| \[(\S+)\]", readme.text) == [
        "2026-02-02", "2026-02-01", "2026-01-31", "2026-01-30", "2026-01-29", "2026-01-28", "2026-01-27",
    ]  # fmt: skip
    assert "**[2026-02-02 日报](reports/2026-02-02.md)** · 🔴 3 🟡 9 🟢 15" in readme.text


def test_a_page_for_each_month_lists_all_days() -> None:
    pages = {p.path: p.text for p in render_index(list(reversed(DAYS)), ("zh",))}
    assert list(pages) == ["README.md", "reports/2026-02.md", "reports/2026-01.md"]
    assert len(re.findall(r"(?m)^\| \[2026-01-\d\d\]\(2026-01-\d\d\.md\) \| 27 ", pages["reports/2026-01.md"])) == 7
    assert "[2026-01（7 天）](reports/2026-01.md)" in pages["README.md"]


def test_a_headline_cannot_break_the_table() -> None:
    text = render_index(DAYS, ("zh",))[0].text
    row = next(r for r in text.split("\n") if r.startswith("| [2026-02-02]"))
    assert row.count("|") == 7
    assert "<x>" not in text
    assert "@ada" not in text


def test_an_empty_index_tells_how_to_begin() -> None:
    (page,) = render_index([], ("en",))
    assert "daybreak run" in page.text


def test_a_reader_of_the_second_language_stays_in_it() -> None:
    pages = {p.path: p.text for p in render_index(DAYS, ("zh", "en"))}
    assert sorted(pages) == sorted(
        f"{stem}{ending}" for stem in ("README", "reports/2026-01", "reports/2026-02") for ending in (".md", ".en.md")
    )
    english = pages["README.en.md"]
    assert not re.search(r"[\u4e00-\u9fff]", english.replace("[中文](README.md)", "").replace("`--x` 被移除", ""))
    assert "en: `--x` 被移除" in english
    assert set(re.findall(r"\((reports/[^)]+)\)", english)) == {
        *(f"reports/{day.label}.en.md" for day in DAYS[-7:]), "reports/2026-01.en.md", "reports/2026-02.en.md"
    }  # fmt: skip
    assert "(../README.en.md)" in pages["reports/2026-01.en.md"]
    assert "(README.en.md)" in pages["README.md"]
    assert "(2026-01.en.md)" in pages["reports/2026-01.md"]


def test_a_day_without_an_edition_is_linked_in_the_one_it_has() -> None:
    only = DayLine("2026-01-19", 1, 0, 0, 1, 0, 0, {"zh": "安静"})
    pages = {p.path: p.text for p in render_index([only], ("en", "zh"))}
    assert "(reports/2026-01-19.md)" in pages["README.md"]
    assert "(reports/2026-01-19.md)" in pages["README.zh.md"]
    turned = DayLine("2026-01-19", 1, 0, 0, 1, 0, 0, {"zh": "安静", "en": "quiet"})
    assert "(reports/2026-01-19.en.md)" in render_index([turned], ("en", "zh"))[0].text


def test_a_day_that_is_not_over_is_marked_and_never_the_newest_while_another_is_there() -> None:
    over = DayLine("2026-01-19", 1, 0, 0, 1, 0, 0, {"zh": "安静", "en": "quiet"})
    running = DayLine("2026-02-20", 0, 0, 0, 0, 0, 0, {"zh": "截至目前没有新提交", "en": "Nothing so far"}, open=True)
    for language, mark in (("en", "2026-02-20, not over"), ("zh", "2026-02-20（未结束）")):
        pages = {page.path: page.text for page in render_index([over, running], (language,))}
        head, _, table = pages["README.md"].partition("| --- |")
        assert "2026-01-19" in head
        assert "2026-02-20" not in head
        assert f"[{mark}](reports/" in table
        assert mark in pages["reports/2026-02.md"]
        assert mark in render_index([running], (language,))[0].text.partition("| --- |")[0]
