"""Repositories beside each other: what each breaks, which version it pins since when, and when its branch was broken."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from both_languages import both
from daybreak.core.model.day import Commit, Held, Span, Tells
from daybreak.site.pages.compare import MOST, ComparePages
from hostile_texts import BREAKOUTS, SCRIPTS
from pages.building import parsed
from pages.shelf import Shelf, commit, day, finding, ground, repo, shown, story
from pages.test_ranges import net, written

KERNELS = "acme/kernels"


def at(day_: int, hour: int = 12) -> datetime:
    return datetime(2026, 3, day_, hour, tzinfo=UTC)


def pin(number: int, before: str | None, after: str | None, when: datetime, package: str = "flashinfer") -> Commit:
    found = finding("dependency_changed", package, before=before, after=after)
    return commit(number, findings=(found,), committed_at=when)


def page(shelf: Shelf, base: Path, language: str = "en") -> str:
    return shown(ComparePages(ground(shelf, base)), f"{language}/compare.html")


def test_who_breaks_what_is_a_table_of_changes_with_the_most_first(tmp_path: Path) -> None:
    shelf = Shelf()
    gone = (finding("cli_flag_removed", "--a", breaking=True), finding("cli_flag_removed", "--b", breaking=True))
    one = (finding("env_removed", "A", breaking=True), finding("env_added", "B"))
    broke = [commit(number, findings=gone, breaking=True) for number in (2, 3)]
    shelf.put(day("2026-03-02", repo([commit(1, findings=one, breaking=True)]), repo(broke, KERNELS)))
    said = page(shelf, tmp_path)
    table = said[said.index("<tbody>") : said.index("</tbody>")]
    rows = [re.findall(r">(\d+|–|acme/\w+)<", row) for row in table.split("<tr>")[1:]]
    assert [row[0] for row in rows] == [KERNELS, "acme/engine"]
    assert sorted(rows[0][1:]) == ["2", "–"]
    assert sorted(rows[1][1:]) == ["1", "–"]


def test_a_pin_has_a_lane_from_what_was_before_to_what_holds_now_with_a_link_to_each_move(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put(
        day("2026-03-02", repo([pin(1, "==0.1", "==0.2", at(2))]), repo([pin(2, None, "==0.1", at(2))], KERNELS)),
        day("2026-03-03"),
        day("2026-03-04", repo([pin(3, "==0.2", "==0.3", at(4))])),
    )
    said = page(shelf, tmp_path)
    assert "flashinfer · engine: ==0.1, ==0.2, ==0.3; flashinfer · kernels: ==0.1" in said
    drawn = said[said.index("<svg") : said.index("</svg>")]
    assert drawn.count('href="changes/acme-engine/') == 2
    assert drawn.count('href="changes/acme-kernels/') == 1
    wide = [float(x) for x in re.findall(r'width="([\d.]+)" height="19"', said)]
    assert wide[0] < wide[1], "half a day before, two days after"
    assert parsed(said).wrong == []


def test_pins_on_watched_projects_stand_before_all_others(tmp_path: Path) -> None:
    shelf = Shelf()
    moves = [pin(number, "1", "2", at(2), name) for number, name in enumerate(("abseil", "Kernels", "zlib"), 1)]
    shelf.put(day("2026-03-02", repo(moves), repo([commit(9)], KERNELS)))
    said = page(shelf, tmp_path)
    assert said.index("Kernels · engine") < said.index("abseil · engine") < said.index("zlib · engine")


def test_a_package_of_two_spellings_is_one_row_and_the_page_says_how_many_rows_are_drawn(tmp_path: Path) -> None:
    shelf = Shelf()
    twice = [pin(1, "==0.1", "==0.2", at(2), "fast_kernels"), pin(2, "==0.2", "==0.3", at(3), "fast-kernels")]
    others = [pin(number, "1", "2", at(2), f"lib{number}") for number in range(10, 10 + MOST)]
    shelf.put(day("2026-03-02", repo([*twice, *others])))
    said = page(shelf, tmp_path)
    assert "fast-kernels · engine: ==0.1, ==0.2, ==0.3" in said or "fast-kernels</td>" in said
    assert "fast_kernels" not in said
    assert f"{MOST} of {MOST + 1} are drawn" in said


def test_each_day_of_a_fortnight_is_told_by_its_weekday_and_every_part_can_be_gone_to(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put(
        day("2026-03-02", repo([pin(1, "==0.1", "==0.2", at(2))])),
        *(day(f"2026-03-{n:02}") for n in range(3, 15)),
        day("2026-03-15", repo([pin(2, "==0.2", "==0.3", at(15))])),
    )
    said = page(shelf, tmp_path)
    drawn = said[said.index("<svg") : said.index("</svg>")]
    assert drawn.count(">Tue<") == drawn.count(">Sun<") == 2
    assert {one[1:] for one in parsed(said).links if one.startswith("#")} - {"main"} <= set(parsed(said).ids)
    assert "#broken" in parsed(said).links


def test_a_span_in_which_a_branch_was_broken_leads_to_its_story(tmp_path: Path) -> None:
    shelf = Shelf()
    broken = story("fixup-1", "fixup", [1], broken=Span(at(2, 6), at(3, 9)))
    shelf.put(day("2026-03-03", repo([commit(1)], stories=(broken,))))
    said = page(shelf, tmp_path)
    assert 'href="stories/acme-engine/fixup-1.html"' in said
    assert "03-02 06:00 to 03-03 09:00" in said


def test_both_languages_say_the_same_and_no_report_is_no_fault(tmp_path: Path) -> None:
    shelf = Shelf()
    assert "还没有报告" in page(shelf, tmp_path, "zh")
    shelf.put(day("2026-03-02", repo([pin(1, "1", "2", at(2))])))
    assert parsed(page(shelf, tmp_path, "zh")).tags == parsed(page(shelf, tmp_path)).tags


def test_a_strangers_text_stays_text(tmp_path: Path) -> None:
    shelf = Shelf()
    texts = enumerate((*SCRIPTS, *BREAKOUTS), 1)
    shelf.put(day("2026-03-02", repo([pin(n, one, "x" * 5000, at(2), one) for n, one in texts])))
    said = page(shelf, tmp_path)
    assert parsed(said).tags["script"] == 2, "our own two"
    assert parsed(said).wrong == []


def test_a_pin_that_did_not_move_lately_stands_as_it_was_left(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put(day("2026-01-02", repo([pin(1, "==0.1", "==0.2", datetime(2026, 1, 2, tzinfo=UTC))])))
    shelf.put(*(day(f"2026-03-{n:02}", repo([commit(10 + n)])) for n in range(1, 31)))
    said = page(shelf, tmp_path)
    assert "flashinfer · engine: ==0.1, ==0.2" in said


def test_folders_are_listed_by_their_changed_lines_with_what_broke_in_them(tmp_path: Path) -> None:
    shelf = Shelf()
    small = commit(1, components=("engine/api",), added=3, deleted=1, breaking=True)
    large = [commit(n, components=("engine/core", "engine/api"), added=50, deleted=0) for n in (2, 3)]
    shelf.put(day("2026-03-02", repo([small, *large])))
    said = page(shelf, tmp_path)
    said = said[said.index('id="folders"') :]
    assert said.index("engine/core") < said.index("engine/api")
    assert "<small>100</small>" in said
    assert '<b class="brk">1</b>' in said


def test_what_only_plug_ins_and_forks_meet_is_counted_apart_and_weighs_less(tmp_path: Path) -> None:
    shelf = Shelf()
    inner = tuple(finding("internal_field_removed", f"Pool.f{at}", breaking=True) for at in range(12))
    flag = (finding("cli_flag_removed", "--a", breaking=True),)
    deeper = [commit(number, findings=inner) for number in range(10, 22)]
    shelf.put(day("2026-03-02", repo(deeper), repo([commit(2, findings=flag, breaking=True)], KERNELS)))
    said = page(shelf, tmp_path)
    table = said[said.index("<thead>") : said.index("</tbody>")]
    assert re.findall(r'scope="col">([^<]+)<', table)[1:] == ["Command line", "Internals (plug-ins, forks)"]
    assert re.findall(r">(\d+|–|acme/\w+)<", table) == [KERNELS, "1", "–", "acme/engine", "–", "12"]


def test_spans_that_overlap_have_rows_of_their_own_and_the_axis_says_the_day_of_the_week(tmp_path: Path) -> None:
    shelf = Shelf()
    spans = [Span(at(2), at(4)), Span(at(3), at(5)), Span(at(4, 13), at(4, 14))]
    told = [story(f"fault-{number}", "fixup", [1], broken=span) for number, span in enumerate(spans)]
    shelf.put(*(day(f"2026-03-0{n}") for n in (2, 3, 4)), day("2026-03-05", repo([commit(1)], stories=told)))
    drawn = page(shelf, tmp_path).partition('id="broken"')[2]
    rows = re.findall(r'<rect[^>]* y="([\d.]+)"', drawn[: drawn.index("</svg>")])
    assert len(rows) == 3
    assert len(set(rows)) == 2, "the third begins when the first is over"
    assert ">03-03<" in drawn
    assert ">Tue<" in drawn


def test_a_sha_that_is_pinned_is_short_in_the_picture_and_whole_in_the_table(tmp_path: Path) -> None:
    shelf, sha = Shelf(), "0123456789abcdef" * 2 + "01234567"
    shelf.put(day("2026-03-02", repo([pin(1, None, sha, at(2))])), day("2026-03-09"))
    said = page(shelf, tmp_path)
    assert f">{sha[:12]}</text>" in said
    assert f"→ {sha}" in said


def test_on_a_phone_each_count_says_of_which_surface_it_is(tmp_path: Path) -> None:
    shelf = Shelf()
    gone = (finding("cli_flag_removed", "--a", breaking=True),)
    shelf.put(day("2026-03-02", repo([commit(1, findings=gone, breaking=True)])))
    cell = re.search(r'<td class="m1" data-of="([^"]+)">', page(shelf, tmp_path))
    assert cell is not None
    assert f'<th scope="col">{cell[1]}</th>' in page(shelf, tmp_path)


def test_packages_of_one_library_stand_together_and_what_holds_now_is_always_read(tmp_path: Path) -> None:
    shelf = Shelf()
    pins = [pin(1, "==1", "==2", at(4, 23), "kernels-cubin"), pin(2, "==1", "==2", at(4, 23), "engine-core")]
    rest = [
        pin(3, "==1", "[cu13,cute,extra] ==0.6.14", at(4, 23), "kernels"),
        pin(4, "==1", "==2", at(4, 23), "lantern"),
    ]
    shelf.put(day("2026-03-02", repo()), day("2026-03-04", repo([*pins, *rest]), repo([], KERNELS)))
    said = page(shelf, tmp_path)
    told = re.search(r"<desc[^>]*>([^<]*)</desc>", said)
    assert told is not None
    names = [row.partition(" · ")[0] for row in told[1].split("; ")]
    assert names == ["engine-core", "kernels", "kernels-cubin", "lantern"]
    drawn = said[said.index("<svg") : said.index("</svg>")]
    assert re.search(r"<text[^>]*>0\.6\.14</text>", drawn), "its span is too short for it"


def test_a_time_in_which_a_branch_was_broken_says_what_broke_and_what_repaired_it(tmp_path: Path) -> None:
    shelf = Shelf()
    changes = [
        commit(1, "Rework the loader", committed_at=at(2)), commit(2, "Fix the loader", committed_at=at(3)),
        commit(3, "Rework the queue", committed_at=at(2, 13)), commit(4, "Fix the queue", committed_at=at(3, 13)),
    ]  # fmt: skip
    stories = tuple(
        replace(
            story(f"fixup-{n}", "fixup", [n, n + 1]), broken=Span(changes[n - 1].committed_at, changes[n].committed_at)
        )
        for n in (1, 3)
    )
    shelf.put(day("2026-03-02", repo(changes, stories=stories)))
    said = page(shelf, tmp_path)
    assert "Rework the loader → Fix the loader (03-02 12:00 to 03-03 12:00)" in said
    drawn = said[said.index('id="broken"') :]
    drawn, _, after = drawn.partition("</svg>")
    assert drawn.count(">acme/engine<") == 1, "two rows of a repository, which is named once"
    listed = after.partition('<ul class="lines">')[2].partition("</ul>")[0]
    assert [f">{one.subject}</a>" in listed for one in changes] == [True] * 4
    assert listed.count('href="changes/acme-engine/') == 4


def test_a_span_says_by_what_it_is_known_and_lines_alone_break_no_branch(tmp_path: Path) -> None:
    shelf = Shelf()
    told = [
        story("shown", "fixup", [1, 2], broken=Span(at(3), at(4), "named")),
        story("open", "fixup", [3, 4], broken=Span(at(4), at(5), "lines")),
    ]
    changes = [commit(n, subject) for n, subject in enumerate(("Fuse", "Fix fuse", "Move", "Fix move"), 1)]
    shelf.put(*(day(f"2026-03-0{n}") for n in (2, 3, 4)), day("2026-03-05", repo(changes, stories=told)))
    said = page(shelf, tmp_path).partition('id="broken"')[2]
    drawn, days = said[said.index("<svg") : said.index("</svg>")], said[said.index('id="broken-days"') :]
    assert drawn.count('class="ln broken"') == 1
    rows = dict(re.findall(r'<th scope="row"><a[^>]*>\d+-(\d+-\d+)</a> \w+</th>(.*?)</tr>', days, re.DOTALL))
    assert ">Fuse<" in rows["03-03"]
    assert ">Fuse<" in rows["03-04"]
    assert "not shown to have been broken" in rows["03-05"], "of that day only lines are known"
    each = days[days.index("</table>") :]
    assert each.index("Fuse") < each.index("message names the change") < each.index("Move")
    assert "not shown to have been broken" in each[each.index("Move") :]


def test_the_row_of_a_day_names_what_broke_it_and_what_repaired_it(tmp_path: Path) -> None:
    shelf = Shelf()
    broken = story("fixup-1", "fixup", [1, 2], broken=Span(at(2, 6), at(3, 9), "named"))
    first, last = (
        commit(1, subject="Fuse it", committed_at=at(2, 6)),
        commit(2, subject="Mend it", committed_at=at(3, 9)),
    )
    shelf.put(day("2026-03-02", repo([first])), day("2026-03-03", repo([last], stories=(broken,))))
    row = page(shelf, tmp_path).partition('id="broken-days"')[2].partition("</tr>")[0]
    assert "2026-03-03</a> Tue" in row
    assert "broken: engine" in row
    assert row.index("Fuse it</a> brought it (03-02 06:00)") < row.index("Mend it</a> repaired it (03-03 09:00)")


def test_what_was_taken_back_without_a_word_of_a_fault_is_named_and_is_no_broken_branch(tmp_path: Path) -> None:
    shelf = Shelf()
    first, last = (
        commit(1, subject="Fuse it", committed_at=at(2, 6)),
        commit(2, subject="Revert it", committed_at=at(2, 9)),
    )
    shelf.put(day("2026-03-02", repo([first, last], stories=(story("revert-1", "revert", [1, 2]),))))
    row = page(shelf, tmp_path).partition('id="broken-days"')[2].partition("</tr>")[0]
    assert "not shown to have been broken" in row
    assert "taken back, no fault is named: <a" in row
    assert "Revert it" in row


def test_a_story_that_went_on_is_told_once_as_its_last_day_tells_it(tmp_path: Path) -> None:
    shelf = Shelf()
    early = story("fixup-1-2", "fixup", [1, 2], broken=Span(at(2, 6), at(3, 9), "named"))
    later = story("fixup-1-3", "fixup", [1, 2, 3], broken=Span(at(2, 6), at(4, 9), "named"))
    shelf.put(
        day("2026-03-03", repo([commit(2)], stories=(early,))), day("2026-03-04", repo([commit(3)], stories=(later,)))
    )
    said = page(shelf, tmp_path)
    assert "fixup-1-3.html" in said
    assert "fixup-1-2.html" not in said


def test_days_that_nobody_read_are_a_gap_and_a_pin_is_not_drawn_over_them(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put(
        day("2026-03-02", repo([pin(1, None, "==0.1", at(2), "left")])),
        day("2026-03-20", repo([pin(2, "==7", "==8", at(20))])),
        day("2026-03-21", repo([pin(3, "==0.2", "==0.3", at(21), "left")])),
    )
    said = page(shelf, tmp_path)
    drawn = said[said.index("<svg") : said.index("</svg>")]
    gap = re.search(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]*class="gap"', drawn)
    assert gap is not None
    start, end = float(gap[1]), float(gap[1]) + float(gap[2])
    bars = [
        (float(x), float(x) + float(wide))
        for x, wide in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="19"', drawn)
    ]
    assert all(high <= start + 0.1 or low >= end - 0.1 for low, high in bars)
    other = drawn[: drawn.index("left · engine")]
    assert all(
        float(x) >= end - 0.1 for x in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="[\d.]+" height="19"', other)
    )
    assert "left · engine: ==0.1, ==0.2, ==0.3" in said, "what the next change found was set by one that nobody read"
    assert "Hatched: days that were not read" in said
    assert "3 days were read between 2026-03-02 and 2026-03-21" in said


def test_only_days_with_a_report_are_said_not_to_have_been_broken(tmp_path: Path) -> None:
    shelf = Shelf()
    broken = story("fixup-1", "fixup", [1], broken=Span(at(2, 6), at(2, 9), "named"))
    shelf.put(day("2026-03-02", repo([commit(1)], stories=(broken,))), day("2026-03-09", repo([commit(2)])))
    days = page(shelf, tmp_path).partition('id="broken-days"')[2].partition("</table>")[0]
    assert re.findall(r'id="broken-([\d-]+)"', days) == ["2026-03-09", "2026-03-02"]
    assert days.count("not shown to have been broken") == 1


def test_who_pins_a_watched_project_is_one_row_with_its_branch_and_the_releases_that_were_read(tmp_path: Path) -> None:
    shelf = Shelf()
    moves = [pin(1, "[cu13] ==0.2", "==0.3", at(2), "Kernels"), pin(2, ">=0.2", ">=0.3", at(2), "kernels-extra")]
    held = replace(pin(3, "==0.1", "==0.2", at(1), "Kernels"), released="v9")
    shelf.put(day("2026-03-01", repo([held])), day("2026-03-02", repo(moves), repo([commit(9)], KERNELS)))
    written(tmp_path, net("dependency_changed", "kernels", before="==0.0.9", after="==0.1", breaking=False))
    said = parsed(page(shelf, tmp_path)).text
    row = said[said.index("Library") : said.index("The newest release is read")]
    assert row.index("acme/engine") < row.index("0.3") < row.index("(before: 0.2)") < row.index(">=0.3")
    assert "v1 0.0.9 · v2 0.1 · v9 0.2" in row


def test_what_the_newest_release_pins_stands_beside_the_branch_also_where_no_report_saw_it_move(tmp_path: Path) -> None:
    shelf = Shelf()
    pinned = (Held(KERNELS, "kernels", "0.4"), Held(KERNELS, "kernels", "0.3", "v2"))
    shelf.put(day("2026-03-02", repo([commit(1)], pinned=pinned), repo([commit(9)], KERNELS)))
    said = parsed(page(shelf, tmp_path)).text
    row = said[said.index("Library") : said.index("The newest release is read")]
    assert row.index("acme/engine") < row.index("v2 0.3") < row.index("0.4 kernels")
    assert row.count("acme/engine") == 1
    shelf.put(day("2026-03-01", repo([pin(1, "==0.1", "==0.2", at(1), "kernels")]), repo([commit(9)], KERNELS)))
    assert "(before: 0.1)" not in parsed(page(shelf, tmp_path)).text.partition("The newest release is read")[0], (
        "the head has another one since"
    )


def test_a_pin_that_a_change_took_away_says_so_with_what_it_was(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put(day("2026-03-02", repo([pin(1, "==0.2", "", at(2), "kernels")]), repo([commit(9)], KERNELS)))
    said = parsed(page(shelf, tmp_path)).text
    row = said[said.index("Library") : said.index("The newest release is read")]
    assert "no longer pinned 2026-03-02 (before: 0.2) · kernels" in " ".join(row.split())


def test_a_name_that_the_newest_release_pins_and_the_branch_no_longer_is_told_as_gone(tmp_path: Path) -> None:
    shelf = Shelf()
    pinned = (
        *(Held(KERNELS, name, "0.3", "v2") for name in ("kernels", "kernels-cubin")),
        Held("acme/other", "other", "7", "v2"),
        Held(KERNELS, "kernels", "0.4"),
    )
    others = (repo([commit(8)], "acme/other"), repo([commit(9)], KERNELS))
    shelf.put(day("2026-03-02", repo([commit(1)], pinned=pinned), *others))
    said = parsed(page(shelf, tmp_path)).text
    row = said[said.index("Library") : said.index("The newest release is read")]
    assert "no longer pinned: kernels-cubin" in row
    whole = parsed(page(shelf, tmp_path))
    led = [one[1:] for one in whole.links if one.startswith("#pins-")]
    assert len(led) == 2
    assert set(led) <= set(whole.ids), "each project has its place"
    assert "no longer pinned: other" in row, "the branch was read, and has no name of it"
    assert "not read" not in row.replace("were not read", "")
    shelf.put(day("2026-03-02", repo([commit(1)], pinned=pinned[:-1]), *others))
    assert "no longer pinned" not in parsed(page(shelf, tmp_path)).text, "nothing of the branch was read"


def test_a_release_that_an_upgrade_ends_at_is_no_release_that_was_not_read_and_a_copy_is_called_one(
    tmp_path: Path,
) -> None:
    shelf = Shelf()
    pinned = (Held("acme/other", "other-copy", "7", "v2", fork=True),)
    others = (repo([commit(8)], "acme/other"), repo([commit(9)], KERNELS))
    shelf.put(day("2026-03-02", repo([pin(1, "==0.1", "==0.2", at(2), "kernels")], pinned=pinned), *others))
    written(tmp_path, net("dependency_changed", "kernels", before="==0.0.9", after="==0.1", breaking=False))
    said = parsed(page(shelf, tmp_path)).text
    row = said[said.index("Library") : said.index("The newest release is read")]
    assert "v2 0.1 kernels" in row
    assert "v2 7 other-copy (fork)" in row
    assert "v1 0.0.9" in row


def test_a_day_says_from_when_to_when_it_was_broken_in_which_zone_and_what_the_repair_does(tmp_path: Path) -> None:
    shelf = Shelf()
    told = Tells(both("去掉它。", "Takes it away."), "lines", ())
    ends = (commit(1, committed_at=at(2, 22)), commit(2, committed_at=at(4, 9), tells=told))
    fault = story("s", "fixup", (1, 2), broken=Span(at(2, 22), at(4, 9), "blame"))
    shelf.put(day("2026-03-02", repo(ends[:1])), day("2026-03-03"), day("2026-03-04", repo(ends[1:], stories=(fault,))))
    said = parsed(page(shelf, tmp_path)).text
    assert "Times are of UTC." in said
    for hours in ("broken: engine 22:00–24:00", "broken: engine all day", "broken: engine 00:00–09:00"):
        assert hours in said
    assert said.count("what the repair does: Takes it away.") == 1, "a fault of three days is told in whole once"
    assert said.count("as told under 03-04") == 2, "and leads there"
    assert page(shelf, tmp_path).count('as told under <a href="#broken-2026-03-04">') == 2


@pytest.mark.parametrize(("by", "said"), [("ci", "broke them (03-02 06:00)"), ("skipped", "no end seen")])
def test_what_broke_tests_alone_is_told_as_that_though_a_series_has_both_changes(
    tmp_path: Path, by: str, said: str
) -> None:
    shelf = Shelf()
    broken = story("fixup-1-2", "fixup", [1, 2], broken=Span(at(2, 6), at(3, 9), by))
    first, last = (commit(1, subject="Move it", committed_at=at(2, 6)), commit(2, "Hotfix", committed_at=at(3, 9)))
    series = story("series-1", "series", [1, 2, 3])
    shelf.put(day("2026-03-02", repo([first])), day("2026-03-03", repo([last], stories=(broken,))))
    shelf.put(day("2026-03-04", repo([commit(3)], stories=(series,))))
    whole = page(shelf, tmp_path)
    row = whole.partition('id="broken-2026-03-03"')[2].partition("</tr>")[0]
    hours = "all day" if by == "skipped" else "00:00–09:00"
    assert f'<b class="tests">tests failed: engine {hours}</b>' in row, "a word beside the colour"
    assert said in row
    assert '03-03 <b class="tests">tests failed</b>' in whole
    after = whole.partition('id="broken-2026-03-04"')[2].partition("</tr>")[0]
    assert ("tests failed: engine all day" in after) is (by == "skipped"), "leaving a test out ends nothing"
    assert 'class="ln tests"' in whole
    assert whole.count('class="ln broken"') == 1, "but for the key, nothing is red"


def test_a_long_comparison_folds_what_answers_no_question_at_once(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put(
        day(
            "2026-03-02",
            repo(
                [commit(1), commit(2)], stories=(story("fixup-1-2", "fixup", [1, 2], broken=Span(at(2, 6), at(3, 9))),)
            ),
        )
    )
    said = page(shelf, tmp_path)
    assert '<details class="part" id="folders"><summary><h2>' in said
    assert '<details class="data"><summary>Each span, and by what it is known 1</summary>' in said
    assert said.index('id="broken-2026-03-02"') < said.index("Each span, and by what it is known 1</summary>"), (
        "the answer is not folded"
    )


def test_what_users_met_is_told_apart_from_tests_and_a_fault_with_two_repairs_once(tmp_path: Path) -> None:
    shelf = Shelf()
    spans = [("fixup-1-2", 2, "ci", 6), ("fixup-1-3", 3, "ci", 9), ("fixup-4-5", 5, "named", 8)]
    told = tuple(
        story(name, "fixup", [4 if end == 5 else 1, end], broken=Span(at(2, 1), at(2, hour), by))
        for name, end, by, hour in spans
    )
    changes = [commit(n, f"Change {n}", committed_at=at(2, 1 if n in (1, 4) else n + 3)) for n in range(1, 6)]
    shelf.put(day("2026-03-02", repo(changes, stories=told)))
    row = page(shelf, tmp_path).partition('id="broken-2026-03-02"')[2].partition("</tr>")[0]
    users, tests = re.findall(r"<b class=\"(\w+)\">([^<]*)</b>", row)
    assert users == ("brk", "broken: engine 01:00–08:00")
    assert tests == ("tests", "tests failed: engine 01:00–09:00")
    assert row.count("Change 1") == 1, "with both of its repairs"
    assert row.index("Change 4") < row.index("Change 1")


def test_hours_that_overlap_are_told_as_one_time(tmp_path: Path) -> None:
    shelf = Shelf()
    told = tuple(
        story(f"fixup-{n}", "fixup", [n, n + 1], broken=Span(at(2, start), at(2, end), "named"))
        for n, start, end in ((1, 1, 5), (3, 3, 9), (5, 10, 11))
    )
    changes = [commit(n, f"Change {n}", committed_at=at(2, n)) for n in range(1, 7)]
    shelf.put(day("2026-03-02", repo(changes, stories=told)))
    assert "broken: engine 01:00–09:00, 10:00–11:00" in parsed(page(shelf, tmp_path)).text


def test_two_times_of_one_day_are_listed_as_the_language_lists(tmp_path: Path) -> None:
    shelf = Shelf()
    told = tuple(
        story(f"fixup-{n}", "fixup", [n, n + 1], broken=Span(at(2, hour), at(2, hour + 2), "named"))
        for n, hour in ((1, 1), (3, 6))
    )
    changes = [commit(n, f"Change {n}", committed_at=at(2, hour)) for n, hour in ((1, 1), (2, 3), (3, 6), (4, 8))]
    shelf.put(day("2026-03-02", repo(changes, stories=told)))
    assert "engine 01:00–03:00, 06:00–08:00</b>" in page(shelf, tmp_path)
    assert "engine 01:00–03:00、06:00–08:00</b>" in page(shelf, tmp_path, "zh")
