"""Weeks and months as messages: in each language, with a link at each entry, once, and only where they are wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from daybreak.core.model.rollup import Line, Rollup, SpanDay, SpanRepo
from daybreak.deliver.notify.message import plain
from daybreak.deliver.notify.span_message import span_edition
from daybreak.upgrade.rollup import spans_ending
from notify.test_commands import Desk, desk, targets

__all__ = ["desk"]
Serve = Callable[[str], Any]


def line(number: int, repo: str = "acme/engine", tag: str = "breaks") -> Line:
    text = {"zh": f"移除参数 `--old{number}`。", "en": f"Removes the flag `--old{number}`."}
    return Line(repo=repo, text=text, tag=tag, commits=(f"{number:040x}",), pr=number, how={"en": "drop it"})


def span(*breaks: Line, fixes: tuple[Line, ...] = ()) -> Rollup:
    repos = tuple(SpanRepo(name, f"https://example.org/{name}", 5, 1, 1, 0) for name in ("acme/engine", "acme/kernels"))
    days = (SpanDay("2026-03-02", 10, 1, {"en": "x"}),)
    first, last = "2026-03-02", "2026-03-08"
    return Rollup(
        label="2026-W10", first=first, last=last, digest="", days=days, repos=repos, breaks=breaks, fixes=fixes
    )


@pytest.mark.parametrize(("language", "word"), [("en", "Removes the flag --old1."), ("zh", "移除参数 --old1。")])
def test_the_title_says_what_stands_first_and_each_entry_has_its_link(language: str, word: str) -> None:
    made = span_edition(span(line(1), line(2), fixes=(line(3, tag="crash"),)), language, "https://pages.example", ())
    assert word in made.title
    assert "2026-W10" in made.title
    assert [len(one.items) for one in made.sections] == [2, 1]
    links = [part.url for one in made.sections for item in one.items for part in item if part.kind == "link"]
    assert links[0] == f"https://pages.example/{language}/changes/acme-engine/000000000000.html"
    assert made.link is not None
    assert made.link.url == f"https://pages.example/{language}/rollups/2026-W10.html"


def test_a_message_has_at_most_eight_entries_of_a_part_and_counts_the_others() -> None:
    made = span_edition(span(*(line(n) for n in range(12))), "en", "", ())
    assert (len(made.sections[0].items), made.sections[0].hidden) == (8, 4)
    assert made.sections[0].items[0][-1].url.startswith("https://example.org/acme/engine/commit/")


def test_a_target_of_some_repositories_is_told_of_those() -> None:
    made = span_edition(span(line(1), line(2, "acme/kernels")), "en", "", ("*/kernels",))
    assert plain(made.sections[0].items[0]).count("kernels") == 1
    assert len(made.sections[0].items) == 1
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
    assert (desk.folder / "reports" / "rollup" / "2026-W10.json").exists()


def test_two_things_to_send_are_refused(desk: Desk, tmp_path: Path) -> None:
    desk.config(targets("json://localhost/"))
    assert desk.ask("notify", "--week", "2026-W10", "--date", "2026-03-06")[0] == 2
