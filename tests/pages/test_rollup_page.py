"""The page of a week: a headline before its lists."""

from __future__ import annotations

from pathlib import Path

import msgspec

from both_languages import both
from daybreak.core.model.rollup import Line, Rollup
from daybreak.site.pages.rollups import RollupPages
from pages.building import parsed
from pages.shelf import Shelf, day, ground, repo, shown


def test_a_week_begins_with_what_breaks_in_few_words(tmp_path: Path) -> None:
    text = both("删除 `--x`。", "Removes `--x`.")
    made = Rollup(
        label="2026-W10",
        first="2026-03-02",
        last="2026-03-08",
        digest="",
        breaks=(Line(repo="acme/engine", text=text),),
    )
    place = tmp_path / "reports" / "rollup"
    place.mkdir(parents=True)
    (place / "2026-W10.json").write_bytes(msgspec.json.encode(made))
    shelf = Shelf()
    shelf.put(day("2026-03-02", repo()))
    page = shown(RollupPages(ground(shelf, tmp_path)), "en/rollups/2026-W10.html")
    assert "engine · Removes --x ·" in page.split("<title>")[1].split("</title>")[0]
    assert page.index('<ul class="lead">') < page.index('id="breaks"')
    assert parsed(page).text.count("engine · Removes --x") == 2, "in the title and on the page"
    told = page[page.index("<li>") : page.index("</li>")]
    assert told.index("engine") < told.index("--x"), "whose it is stands first, as on the page of a day"
    assert {one[1:] for one in parsed(page).links if one.startswith("#")} - {"main"} <= set(parsed(page).ids)
    assert "#breaks" in parsed(page).links
