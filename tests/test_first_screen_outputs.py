"""The first screen in every output: the same entries in the same order, with tag and link, and the day's headline."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec.structs import replace

from both_languages import both
from daybreak.cli.show import day_lines
from daybreak.core.model.day import Action, Day, headline
from daybreak.report.index import day_line_from_json
from daybreak.serve.mcp.days import get_report, list_days
from daybreak.serve.web.rows import detail_of, rows_of
from daybreak.site.pages.days import DayPages
from daybreak.site.pages.views import HomePages
from mcp_server.asking import desk_of
from pages import shelf

LABEL = "2026-03-02"
SHAS = [f"{n}".ljust(40, "a") for n in range(1, 5)]
HEADLINE = both("破坏 · engine · `--old` 已删除", "BREAKS · engine · `--old` is gone")


def screen() -> Day:
    """Two entries to act on, one more to know, three without room."""
    tags = ("breaks", "default", "")
    entries = tuple(
        Action("acme/engine", (sha,), both(f"第 `{n}` 个。", f"Entry `{n}`."), tag=tag)
        for n, (sha, tag) in enumerate(zip(SHAS, tags, strict=False), 1)
    )
    commits = [replace(shelf.commit(n), sha=sha) for n, sha in enumerate(SHAS)]
    day = shelf.day(LABEL, shelf.repo(commits), actions=entries[:2])
    return replace(day, also=entries[2:], more_actions=3, headline=HEADLINE)


def test_a_terminal_shows_the_headline_then_entries_with_tag_and_sha_then_what_else_there_is() -> None:
    lines = list(day_lines(screen(), "en"))
    assert lines[1:8] == [
        "BREAKS · engine · `--old` is gone",
        f"1. BREAKS · acme/engine {SHAS[0][:9]} · Entry `1`.",
        f"2. DEFAULT · acme/engine {SHAS[1][:9]} · Entry `2`.",
        "",
        "Also",
        f"- acme/engine {SHAS[2][:9]} · Entry `3`.",
        "3 more changes ask for action: see Worth knowing, where they have their tag.",
    ]


def test_a_tool_gets_headline_tags_and_what_else_there_is(tmp_path: Path) -> None:
    (tmp_path / "daybreak.toml").write_text('[[repo]]\nname = "acme/engine"\ngit = "."\n')
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / f"{LABEL}.json").write_bytes(msgspec.json.encode(screen()))
    desk = desk_of(tmp_path)
    report = get_report(desk, LABEL, language="en")
    assert (report["untrusted"]["headline"], report["more_actions"]) == (HEADLINE["en"], 3)
    rows = [(row.get("tag"), row["commits"], row["untrusted"]["text"]) for row in (*report["actions"], *report["also"])]
    assert rows == [(tag, [SHAS[n - 1][:12]], f"Entry `{n}`.") for n, tag in ((1, "breaks"), (2, "default"), (3, None))]
    assert all(row["url"].endswith(f"/commit/{sha}") for row, sha in zip(report["actions"], SHAS, strict=False))
    assert list_days(desk)["days"][0]["untrusted"]["headline"] == HEADLINE["zh"]


def test_the_api_lists_entries_with_tag_and_where_to_read_on() -> None:
    day = screen()
    rows = rows_of(day)
    assert [(row.tag, row.also, row.commits) for row in rows.actions] == [
        ("breaks", False, (SHAS[0],)),
        ("default", False, (SHAS[1],)),
        ("", True, (SHAS[2],)),
    ]
    assert rows.actions[0].detail == f"/api/v1/changes/acme/engine/{SHAS[0]}"
    assert (rows.days[0].headline, rows.days[0].more_actions) == (HEADLINE, 3)
    assert detail_of(day, day.repos[0], day.repos[0].commits[0]).actions == day.actions[:1]


def test_pages_have_the_headline_as_their_title_and_in_the_list_of_days(tmp_path: Path) -> None:
    stored = shelf.Shelf()
    stored.put(screen())
    ground = shelf.ground(stored, tmp_path)
    day = shelf.shown(DayPages(ground), f"en/days/{LABEL}.html")
    home = shelf.shown(HomePages(ground), "en/index.html")
    for page in (day, home):
        assert f"<title>{LABEL} · BREAKS · engine · --old is gone · Daybreak</title>" in page
        assert f'<meta property="og:title" content="{LABEL} · BREAKS · engine · --old is gone · Daybreak">' in page
        assert page.index(">BREAKS</b>") < page.index(">DEFAULT</b>")
    assert 'class="headline">BREAKS · engine · <code class="w">--old</code> is gone</span>' in home
    assert "3 more changes ask for action" in day


def test_the_index_has_the_headline() -> None:
    assert day_line_from_json(msgspec.json.encode(screen())).headline == HEADLINE["zh"]


def test_a_report_without_a_headline_is_titled_by_what_it_says_first_in_one_line() -> None:
    wall = replace(
        screen(), headline={}, actions=(Action("acme/engine", (SHAS[0],), both("长 `x`。" * 99, "Long `x`. " * 99)),)
    )
    said = headline(wall, "en")
    assert said.startswith("Long x. Long x.")
    assert len(said) <= 200


def test_some_repositories_have_the_headline_only_where_the_day_begins_with_them() -> None:
    day = screen()
    assert headline(day, "en", {"acme/engine"}) == HEADLINE["en"]
    first = Action("acme/other", (), both("别处。", "Elsewhere."))
    assert headline(replace(day, actions=(first, *day.actions)), "en", {"acme/engine"}) == "BREAKS · engine · A change"
    assert headline(day, "en", {"acme/other"}) == ""
