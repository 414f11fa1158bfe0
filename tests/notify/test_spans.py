"""Weeks and months as messages: in each language, with a link at each entry, once, and only where they are wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daybreak.core.config.sections import TargetConfig
from daybreak.core.model.rollup import Line, Rollup, SpanDay, SpanRepo
from daybreak.deliver.notify.markups import Mail, Markup
from daybreak.deliver.notify.message import plain, together
from daybreak.deliver.notify.span_message import span_edition
from daybreak.deliver.notify.targets import Target, targets_of
from daybreak.upgrade.rollup import spans_ending
from notify.scene import settings_for
from notify.test_commands import Desk, desk, targets

__all__ = ["desk"]
Serve = Callable[[str], Any]


def line(number: int, repo: str = "acme/engine", tag: str = "breaks") -> Line:
    text = {"zh": f"移除参数 `--old{number}`。", "en": f"Removes the flag `--old{number}`."}
    return Line(repo=repo, text=text, tag=tag, commits=(f"{number:040x}",), pr=number, how={"en": "drop it"})


def target(*languages: str, **rules: Any) -> Target:
    (found,) = targets_of(settings_for(TargetConfig(url="json://127.0.0.1", languages=languages or ("en",), **rules)))
    return found


def span(*breaks: Line, fixes: tuple[Line, ...] = (), releases: tuple[Line, ...] = ()) -> Rollup:
    repos = tuple(SpanRepo(name, f"https://example.org/{name}", 5, 1, 1, 0) for name in ("acme/engine", "acme/kernels"))
    days = (SpanDay("2026-03-02", 10, 1, {"en": "x"}),)
    first, last = "2026-03-02", "2026-03-08"
    found = Rollup(label="2026-W10", first=first, last=last, digest="", days=days, repos=repos)
    return msgspec.structs.replace(found, breaks=breaks, fixes=fixes, releases=releases)


@pytest.mark.parametrize(
    ("language", "word"),
    [("en", "CRASH/HANG · engine · Removes the flag --old3."), ("zh", "崩溃/卡死 · engine · 移除参数 --old3。")],
)
def test_the_title_says_what_stands_first_and_each_entry_has_its_link(language: str, word: str) -> None:
    week = span(line(1), line(2), fixes=(line(3, tag="crash"),))
    made = span_edition(week, language, "https://pages.example", target())
    assert word in made.title
    assert "2026-W10" in made.title
    assert [len(one.items) for one in made.sections if one.items] == [1, 2]
    links = [part.url for one in made.sections for item in one.items for part in item if part.kind == "link"]
    assert links[0] == f"https://pages.example/{language}/changes/acme-engine/000000000000.html"
    assert made.links[0].url == f"https://pages.example/{language}/rollups/2026-W10.html"


def test_a_message_of_a_span_has_eight_entries_and_counts_the_others() -> None:
    fixes, tags = tuple(line(n, tag="crash") for n in range(20, 30)), ("v1", "v2", "v3")
    releases = tuple(Line(repo="acme/engine", text={}, symbol=tag, days=(tag,)) for tag in tags)
    week = span(*(line(n) for n in range(12)), fixes=fixes, releases=releases)
    made = span_edition(week, "en", "https://pages.example", target())
    assert [len(one.items) for one in made.sections] == [4, 3, 1, 0, 0]
    assert made.rest == "and 15 more"
    assert plain(made.sections[2].items[0]) == "engine v3 · engine v2 · engine v1"
    (alone,) = (one for one in span_edition(span(*map(line, range(12))), "en", "", target()).sections if one.items)
    assert (len(alone.items), alone.hidden) == (8, 4)
    assert alone.items[0][-1].url.startswith("https://example.org/acme/engine/commit/")


def test_a_message_in_two_languages_tells_each_entry_once() -> None:
    week = span(*(line(n) for n in range(12)))
    both = together(span_edition(week, language, "https://pages.example", target()) for language in ("en", "zh"))
    mail, text = Mail().whole(both), Markup().whole(both)
    assert mail.count("<li ") == text.count("• ") == 8
    assert "• BREAKS · acme/engine: Removes the flag --old7. What to do: drop it. #7 https" in text
    assert "\n  不兼容 · acme/engine：移除参数 --old7。" in text
    assert "and 4 more · 另有 4 项" in text
    assert [one.url.split("/")[3] for one in both.links] == ["en", "zh"]


def test_a_target_without_prereleases_is_told_of_final_releases_alone() -> None:
    kinds = {"v1": "", "v2rc1": "prerelease"}
    week = span(releases=tuple(Line(repo="acme/engine", text={}, symbol=tag, kind=kind) for tag, kind in kinds.items()))
    told = {
        wanted: [plain(one.items[0]) for one in span_edition(week, "en", "", found).sections if one.items]
        for wanted in (True, False)
        for found in [target(prereleases=wanted)]
    }
    assert told == {True: ["engine v1 · engine v2rc1"], False: ["engine v1"]}


def test_another_default_has_the_tag_of_its_day() -> None:
    changed = msgspec.structs.replace(line(1), kind="cli_default_changed")
    made = span_edition(span(changed), "en", "", target())
    assert made.title.startswith("Daybreak 2026-W10 · DEFAULT · engine · ")
    assert plain(next(one for one in made.sections if one.items).items[0]).startswith("DEFAULT · ")


def test_a_target_of_some_tags_is_told_of_those() -> None:
    week = span(line(1), fixes=(line(2, tag="crash"), line(3, tag="security")), releases=(line(4, tag=""),))
    made = span_edition(week, "en", "", target(tags=("security", "breaks")))
    assert [plain(item).split(" ")[0] for one in made.sections for item in one.items] == ["SECURITY", "BREAKS"]


def test_the_head_counts_breaks_that_the_tags_of_the_target_leave_out() -> None:
    week = span(*map(line, range(5)), line(6, "acme/kernels"))
    made = span_edition(week, "en", "", target(tags=("security",), repos=("*/engine",)))
    assert "breaking changes that stand at the end: 5" in plain(made.lead[0])


def test_releases_that_an_entry_has_no_room_for_are_counted() -> None:
    releases = tuple(Line(repo=f"acme/r{n}", text={}, symbol=f"v1.{n}.0", days=("2026-03-02",)) for n in range(60))
    (told,) = (one for one in span_edition(span(releases=releases), "en", "", target()).sections if one.items)
    names = plain(told.items[0]).split(" · ")
    assert "…" not in names[-1]
    assert 10 < len(names) == 60 - told.hidden


def test_a_target_of_some_repositories_is_told_of_those() -> None:
    week = span(line(1), line(2, "acme/kernels"))
    made = span_edition(week, "en", "", target(repos=("*/kernels",)))
    (only,) = (one for one in made.sections if one.items)
    assert plain(only.items[0]).count("kernels") == 1
    assert len(only.items) == 1
    assert "5 commits" in plain(made.lead[0])


def test_a_week_ends_on_sunday_and_a_month_on_its_last_day() -> None:
    assert spans_ending("2026-03-08") == ["2026-W10"]
    assert spans_ending("2026-03-31") == ["2026-03"]
    assert spans_ending("2026-05-31") == ["2026-W22", "2026-05"]
    assert spans_ending("2026-03-06") == []


def test_a_week_is_sent_once_and_shown_without_sending(desk: Desk, serve: Serve) -> None:
    service = serve("feishu")
    desk.config(targets(service.url))
    code, out, _ = desk.ask("notify", "--week", "2026-W10", "--dry-run")
    assert (code, service.taken) == (0, [])
    assert "week · 2026-W10" in out
    for told in ("sent", "sent before ("):
        code, out, _ = desk.ask("notify", "--week", "2026-W10")
        assert (code, out.startswith(f"2026-W10  feishu · week: {told}")) == (0, True)
    assert len(service.taken) == 1
    assert (desk.folder / "reports" / "2026-W10.json").exists()


def test_two_things_to_send_are_refused(desk: Desk, tmp_path: Path) -> None:
    desk.config(targets("json://localhost/"))
    assert desk.ask("notify", "--week", "2026-W10", "--date", "2026-03-06")[0] == 2
