"""What became of a change stands wherever the change is told: its page, its day, its repository, its names."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

from daybreak.cli.search import lines_of
from daybreak.core.model.day import Span
from daybreak.report.archive import addresses
from daybreak.serve.mcp.server import row_of
from daybreak.site.pages.days import ChangePages, DayPages
from daybreak.site.pages.repository import RepositoryPages
from daybreak.site.pages.symbols import SymbolPages
from daybreak.site.search.opening import Later, open_search
from pages.shelf import NOON, Shelf, commit, day, finding, ground, repo, shown, story

GONE = finding("cli_flag_removed", "--chunk-size", before="--chunk-size", breaking=True)
FIRST = commit(1 << 130, "Remove a flag", findings=(GONE,), breaking=True)
BACK = commit(2 << 130, "Revert it", committed_at=NOON + timedelta(days=2))
AGAIN = commit(3 << 130, "Land it again", committed_at=NOON + timedelta(days=3))
OWN = addresses.change_path("en", "acme/engine", FIRST.sha)
REVERT = story("revert-1", "revert", (1 << 130, 2 << 130), "`Remove a flag` was reverted 2 days later.")
PAGES = (
    (ChangePages, OWN),
    (DayPages, "en/days/2026-03-02.html"),
    (RepositoryPages, "en/repos/acme-engine.html"),
    (SymbolPages, "en/symbols/acme-engine/cli-c.html"),
)


def shelf_of(*later: object) -> Shelf:
    shelf = Shelf()
    shelf.put(day("2026-03-02", repo([FIRST])), *later)  # type: ignore[arg-type]
    return shelf


def test_a_change_that_a_later_day_took_back_says_so_with_a_link_wherever_it_is_told(tmp_path: Path) -> None:
    alone = shelf_of(day("2026-03-04", repo([BACK])))
    place = ground(shelf_of(day("2026-03-04", repo([BACK], stories=(REVERT,)))), tmp_path)
    link = f"{BACK.sha[: addresses.SHORT]}.html"
    for kind, path in PAGES:
        assert "taken back later" not in shown(kind(ground(alone, tmp_path / "alone")), path)
        said = shown(kind(place), path)
        assert "taken back later" in said, path
        assert link in said[said.index("tag later") :][:900], path
        assert not [one for one in re.findall("<summary>.*?</summary>", said, re.DOTALL) if "<a " in one], (
            "nobody could reach it"
        )
    assert "was reverted 2 days later" in shown(ChangePages(place), OWN)
    assert ">gone<" not in shown(SymbolPages(place), PAGES[3][1]), "the flag is there"


def test_a_hit_says_so_in_the_terminal_and_to_agents(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    shelf = shelf_of(day("2026-03-04", repo([BACK], stories=(REVERT,))))
    for label, data in shelf.stored.items():
        (tmp_path / "reports" / f"{label}.json").write_bytes(data)
    with open_search(ground(shelf, tmp_path).settings) as search:
        found = {hit.title: hit for hit in search.find("flag OR revert").hits}
    gone, back = found["Remove a flag"], found["Revert it"]
    assert gone.later == Later("revert", "2026-03-04", BACK.sha)
    assert back.later is None
    assert next(lines_of(gone)).endswith("taken back 03-04")
    assert row_of(gone, "en")["later"] == {"what": "revert", "date": "2026-03-04", "sha": BACK.sha[:12]}
    assert "later" not in row_of(back, "en")


def test_what_landed_again_is_not_called_taken_back(tmp_path: Path) -> None:
    landed = story("revert-1", "reland", (1 << 130, 2 << 130, 3 << 130), "It landed again.")
    days = (day("2026-03-04", repo([BACK], stories=(REVERT,))), day("2026-03-05", repo([AGAIN], stories=(landed,))))
    place = ground(shelf_of(*days), tmp_path)
    for kind, path in PAGES:
        said = shown(kind(place), path)
        assert "taken back later" not in said, path
        assert "landed again later" in said, path
    assert ">gone<" in shown(SymbolPages(place), PAGES[3][1]), "the flag is gone after all"


def test_a_repair_is_told_only_where_a_fault_is_known(tmp_path: Path) -> None:
    for by, told in (("named", True), ("lines", False), ("skipped", False)):
        span = Span(FIRST.committed_at, BACK.committed_at, by)
        mended = story("fixup-1", "fixup", (1 << 130, 2 << 130), broken=span)
        place = ground(shelf_of(day("2026-03-04", repo([BACK], stories=(mended,)))), tmp_path / by)
        assert ("repaired later" in shown(ChangePages(place), OWN)) is told, by


def test_a_page_is_made_anew_when_a_later_day_says_what_became_of_its_change(tmp_path: Path) -> None:
    without = ground(shelf_of(day("2026-03-04", repo([BACK]))), tmp_path / "a")
    told = ground(shelf_of(day("2026-03-04", repo([BACK], stories=(REVERT,)))), tmp_path / "b")
    for kind, path in PAGES:
        assert dict(kind(without).keys())[path] != dict(kind(told).keys())[path], path
