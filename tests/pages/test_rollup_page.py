"""The page of a week: a headline before its lists."""

from __future__ import annotations

from pathlib import Path

import msgspec

from both_languages import both
from daybreak.core.model.rollup import Line, Rollup
from daybreak.site.pages.rollups import RollupPages
from pages.building import parsed
from pages.shelf import Shelf, day, ground, repo, shown


def written(folder: Path, **parts: tuple[Line, ...]) -> str:
    made = Rollup(label="2026-W10", first="2026-03-02", last="2026-03-08", digest="", **parts)  # type: ignore[arg-type]
    place = folder / "reports" / "rollup"
    place.mkdir(parents=True)
    (place / "2026-W10.json").write_bytes(msgspec.json.encode(made))
    shelf = Shelf()
    shelf.put(day("2026-03-02", repo()))
    return shown(RollupPages(ground(shelf, folder)), "en/rollups/2026-W10.html")


def line(said: str, tag: str, number: int = 1) -> Line:
    return Line(repo="acme/engine", text=both(said, said), tag=tag, commits=(f"{number:040x}",))


def test_a_week_begins_with_what_breaks_in_few_words(tmp_path: Path) -> None:
    page = written(tmp_path, breaks=(Line(repo="acme/engine", text=both("删除 `--x`。", "Removes `--x`.")),))
    assert "engine · Removes --x ·" in page.split("<title>")[1].split("</title>")[0]
    assert page.index('id="short"') < page.index('id="breaks"')
    told = page[page.index("<li>") : page.index("</li>")]
    assert told.index("engine") < told.index("--x"), "whose it is stands first, as on the page of a day"
    assert {one[1:] for one in parsed(page).links if one.startswith("#")} - {"main"} <= set(parsed(page).ids)
    assert "#breaks" in parsed(page).links


def test_wrong_results_lead_a_week_before_crashes_and_flags(tmp_path: Path) -> None:
    faults = (
        line("Fixes a hole.", "security", 1),
        line("Fixes a crash.", "crash", 2),
        line("Wrong sums.", "corrupts", 3),
    )
    page = written(tmp_path, fixes=faults, breaks=(line("Removes `--x`.", "breaks", 4),))
    places = [page.index(one, page.index('id="short"')) for one in ("Wrong sums", "a hole", "a crash", "--x")]
    assert places == sorted(places)
    assert "Wrong sums" in page.split("<title>")[1].split("</title>")[0]


def test_a_week_has_at_most_400_words_before_its_folds_in_both_languages(tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(60))
    some = {
        name: tuple(line(f"{long}.", tag, number) for number in range(start, start + 30))
        for name, tag, start in (("fixes", "corrupts", 1), ("breaks", "breaks", 100))
    }
    page = written(tmp_path, **some)
    assert len(parsed(page[page.index("<h1>") : page.index('<details class="part"')]).text.split()) <= 400
    assert 'class="part" id="fixes">' in page, "all of it is there, folded"


def test_a_fault_is_told_by_its_title_and_the_release_that_has_it(tmp_path: Path) -> None:
    said = "“Fix wrong sums”: a comment says: “Sums of rows …” `v0.2.1` has the code that it mends."
    one = msgspec.structs.replace(line(said, "corrupts"), title="Fix wrong sums (#12)")
    page = written(tmp_path, fixes=(one,))
    short = parsed(page[page.index('id="short"') : page.index('<details class="part"')]).text
    assert "Fix wrong sums. v0.2.1 has the code that it mends." in short
    other = msgspec.structs.replace(one, text=both("修复。`v0.2.1` 有该代码。", "It was wrong. `v0.2.1` has it."))
    (tmp_path / "b").mkdir()
    assert "Fix wrong sums. v0.2.1 has it." in parsed(written(tmp_path / "b", fixes=(other,))).text
