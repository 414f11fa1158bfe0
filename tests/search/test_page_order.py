"""In which order the search page shows what was found, and what it says of each."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace

from both_languages import both
from daybreak.core.model.day import Commit, Finding, Statement, Tells
from daybreak.core.model.findings import SettingLine
from daybreak.site.pages import Ground
from search import days
from search.test_pages import asked, links


def test_what_is_called_so_comes_first_and_within_by_importance(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    rows = [
        days.change(
            "Rework it",
            level=level,
            symbol=symbol,
            en="It needs turbo_lanes.",
            label="2026-03-07",
            sha=days.sha(level + symbol),
        )
        for symbol in ("", "turbo_lanes")
        for level in ("low", "high", "medium")
    ]
    told = days.repo("acme/engine", *rows, issues=(days.issue(7, "turbo_lanes hangs"),))
    shelf.put(days.day("2026-03-07", told))
    page = asked(ground, "turbo_lanes", "en")
    found = [one[:9] for one in re.findall(r"changes/acme-engine/([0-9a-f]+)", page)]
    assert found == [
        days.sha(level + symbol)[:9] for symbol in ("turbo_lanes", "") for level in ("high", "medium", "low")
    ]
    words = asked(ground, "turbo", "en")
    assert "; from 5 on they only mention it" in words, "three changes and an issue say it themselves"


def test_a_setting_that_changed_lines_name_is_found_though_no_line_is_shown(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    rows = [days.change("Works otherwise", settings=("chunk_size", "--other-flag"), label="2026-03-07")]
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", *rows)))
    for query in ("--chunk-size", "chunk_size", "--other-flag"):
        assert "Works otherwise" in asked(ground, query), query
    assert "Its changed lines name <mark>chunk_size</mark>" in asked(ground, "--chunk-size", "en"), "and it says why"


def test_what_reads_a_setting_comes_before_what_only_mentions_it_however_grave(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    told = days.change("Say more", en="One may set chunk_size.", level="high", label="2026-03-07")
    reads = days.change("Works otherwise", settings=("chunk_size",), level="low", label="2026-03-07")
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", told, reads)))
    page = asked(ground, "--chunk-size", "en")
    assert page.index("Works otherwise") < page.index("Say more")


def test_a_line_that_decides_by_a_setting_is_shown_before_what_only_moves_it_however_grave(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    takes = SettingLine(
        name="chunk_size",
        does="take",
        path="engine/args.py",
        line=7,
        text="graph.size = args.chunk_size",
        target="graph.size",
    )
    moved = SettingLine(name="--chunk-size", does="moved")
    decides = days.change(
        "Clamp graphs", settings=("chunk_size",), setting_lines=(takes,), level="low", label="2026-03-07"
    )
    moves = days.change(
        "Split files", settings=("--chunk-size",), setting_lines=(moved,), level="high", label="2026-03-07"
    )
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", moves, decides)))
    page = re.sub("<.?mark>", "", asked(ground, "--chunk-size", "en"))
    assert page.index("Clamp graphs") < page.index("Split files")
    assert "Sets graph.size by chunk_size: graph.size = args.chunk_size (args.py:7)" in page
    assert "Only moves or mentions --chunk-size" in page


def test_both_spellings_of_a_setting_that_a_change_only_names_come_behind_what_decides(ground: Ground) -> None:
    named = SettingLine(name="--chunk-prefill-size", does="named")
    takes = SettingLine(name="chunk_prefill_size", does="ask", path="a.py", line=7, text="if args.chunk_prefill_size:")
    spelled = ("chunk_prefill_size", "--chunk-prefill-size")
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    says = days.change("Say more", settings=spelled, setting_lines=(named,), level="high", label="2026-03-07")
    asks = days.change("Ask for it", settings=spelled[:1], setting_lines=(takes,), level="low", label="2026-03-07")
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", says, asks)))
    for query in spelled:
        page = re.sub("<.?mark>", "", asked(ground, query, "en"))
        assert page.index("Ask for it") < page.index("Say more"), query
        assert "those known only to move or mention it come last. The first 1 change a line that uses it" in page


def breaking(subject: str, level: str, **more: Any) -> Commit:
    """It tells what is new first, and what breaks in its second sentence."""
    gone = Finding("gone", "cli_flag_removed", "args.py", 3, "--old-kernel", "--old-kernel", None, breaking=True)
    says = Statement(
        role="what", text=both("移除 `--old-kernel`。", "Removes `--old-kernel`."), evidence=("finding:gone",)
    )
    new = Tells(text=both("新增一种内核。", "Adds a kernel."), source="body", evidence=("commit:1",))
    made = days.change(subject, level=level, breaking=True, findings=(gone,), tells=new, **more)
    return replace(made, statements=(says,))


def test_a_hit_that_breaks_says_what_breaks_and_comes_before_the_others_that_are_called_so(ground: Ground) -> None:
    low, high = (
        breaking("Quantization kernel", "low"),
        days.change("Quantization rework", level="high", en="Reworks it."),
    )
    other = days.change("Quantization of caches", level="medium", en="Other.")
    body = breaking("Another kernel", "high", body="Needed for quantization.")
    repos = (days.repo("acme/engine", high, low, body), days.repo("acme/kernels", other))
    ground.archive.put(days.day("2026-03-06", *repos))  # type: ignore[attr-defined]
    page = asked(ground, "量化", "en")
    assert [link.rpartition("/")[2][:12] for link in links(page)[:4]] == [
        one.sha[:12] for one in (low, high, other, body)
    ]
    hits = page.split('<li class="hit">')
    assert "Removes --old-kernel" in hits[1]
    assert "Adds a kernel" not in hits[1]
    assert "Removes --old-kernel" in hits[4]  # and the line that has the word beside it
    assert "Needed for <mark>quantization</mark>" in hits[4]
    assert (
        'class="brk" href="?q=%E9%87%8F%E5%8C%96+repo%3Aacme%2Fengine+breaking%3Ayes">breaking <small>2</small>' in page
    )


@pytest.mark.parametrize("query", ["--chunk-size", "chunk_size", "chunk size"])
def test_what_happened_to_a_name_comes_first_by_how_grave_it_is_and_says_before_and_after(
    ground: Ground, query: str
) -> None:
    ground.archive.put(days.day("2026-03-07", days.fates()))  # type: ignore[attr-defined]
    page = re.sub("</?mark>", "", asked(ground, query, "en"))
    subjects = [*(subject for subject, *_ in days.FATES), "Split inside", "Speak of it"]
    assert sorted(subjects, key=page.index) == subjects, "a grade decides nothing here"
    told = re.findall('<p class="snippet does">(.*?)</p>', page)
    assert told[:2] == [
        "removed: --chunk-size 512 (args.py)",
        "default: --chunk-size 512 → 1024 (args.py)",
    ], "each says what it does to the name"
    assert len(told) == len(days.FATES) + 1, "and who only speaks of it does nothing to it"
    assert "Life of the name" in page, "the page of the name is offered, also for words without dashes"
