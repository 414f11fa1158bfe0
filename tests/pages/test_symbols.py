"""Lives of names: one place for each flag, variable, class, operator and package, found from sentences and from search."""

from __future__ import annotations

import json
from pathlib import Path

from daybreak.report.archive import addresses
from daybreak.site.pages.days import ChangePages
from daybreak.site.pages.kept_summaries import Summaries
from daybreak.site.pages.repository import RepositoryPages
from daybreak.site.pages.symbols import SymbolNames, SymbolPages, lives_called, lives_of
from hostile_texts import BREAKOUTS
from pages.building import parsed
from pages.shelf import Shelf, commit, day, finding, ground, repo, shown


def life_of_a_flag() -> Shelf:
    shelf = Shelf()
    born = finding("cli_flag_added", "--chunk-size", after="--chunk-size")
    turned = finding("cli_default_changed", "--chunk-size", before="512", after="1024")
    gone = finding("cli_flag_removed", "--chunk-size", before="--chunk-size", breaking=True)
    field = finding("field_added", "Args.chunk_size", after="chunk_size")
    shelf.put(
        day("2026-03-02", repo([commit(1 << 130, findings=(born, field))])),
        day("2026-03-03", repo([commit(2, findings=(turned,))])),
        day("2026-03-04", repo([commit(3, findings=(gone,))])),
    )
    return shelf


def test_a_flag_has_its_whole_life_in_order_with_the_change_of_each_step(tmp_path: Path) -> None:
    place = ground(life_of_a_flag(), tmp_path)
    said = shown(SymbolPages(place), "en/symbols/acme-engine/cli-c.html")
    own = said[said.index('id="s-') : said.index("</section>")]
    assert own.index("2026-03-02") < own.index("2026-03-03") < own.index("2026-03-04")
    assert '<code class="was">512</code> → <code class="now">1024</code>' in own
    assert own.count("../../changes/acme-engine/") == 3
    assert "gone" in own
    assert "Args.chunk_size" in own, "the field that declares it is called the same"
    assert parsed(said).wrong == []


def test_every_name_leads_to_an_anchor_that_is_there(tmp_path: Path) -> None:
    place = ground(life_of_a_flag(), tmp_path)
    said = shown(ChangePages(place), addresses.change_path("en", "acme/engine", commit(1 << 130).sha))
    links = [one for one in parsed(said).links if "/symbols/" in one]
    assert len(links) == 2
    for one in links:
        path, _, anchor = one.removeprefix("../../").partition("#")
        assert anchor in parsed(shown(SymbolPages(place), f"en/{path}")).ids


def test_a_repository_lists_the_letters_that_have_names(tmp_path: Path) -> None:
    said = shown(RepositoryPages(ground(life_of_a_flag(), tmp_path)), "en/repos/acme-engine.html")
    assert "../symbols/acme-engine/cli-c.html" in said


def test_who_asks_for_a_name_is_led_to_its_life_by_server_and_static_site_alike(tmp_path: Path) -> None:
    place = ground(life_of_a_flag(), tmp_path)
    called = lives_called(Summaries.of(place).days(), ["--chunk-size"])
    assert [one.name for one in called] == ["--chunk-size", "Args.chunk_size"]
    file = SymbolNames(place).page("search/symbols/c.js")
    assert file is not None
    names = json.loads(file.body.decode().partition(",")[2].rstrip().removesuffix(");"))
    assert {row[2] for row in names["chunk_size"]} == {"--chunk-size", "Args.chunk_size"}


def test_a_rename_is_told_of_both_names(tmp_path: Path) -> None:
    shelf = Shelf()
    shelf.put(
        day("2026-03-02", repo([commit(1, findings=(finding("env_renamed", "OLD_A", before="OLD_A", after="NEW_B"),))]))
    )
    place = ground(shelf, tmp_path)
    assert "NEW_B" in shown(SymbolPages(place), "en/symbols/acme-engine/environment-o.html")
    assert shown(SymbolPages(place), "en/symbols/acme-engine/environment-n.html").count("OLD_A</code>") == 1


def test_a_strangers_name_stays_text(tmp_path: Path) -> None:
    shelf = Shelf()
    bad = tuple(finding("env_added", name, after=name) for name in BREAKOUTS)
    shelf.put(day("2026-03-02", repo([commit(1, findings=bad)])))
    pages = SymbolPages(ground(shelf, tmp_path))
    for path, _ in pages.keys():  # noqa: SIM118  no dict
        assert parsed(shown(pages, path)).wrong == []
        assert "<script>" not in shown(pages, path)


def test_a_name_of_python_that_only_came_has_no_page_until_it_goes(tmp_path: Path) -> None:
    came, gone = finding("function_added", "load_plan"), finding("function_removed", "load_plan")
    shelf, sha = Shelf(), commit(1 << 130).sha
    shelf.put(day("2026-03-02", repo([commit(1 << 130, findings=(came, finding("env_added", "NEW_ONE")))])))
    place = ground(shelf, tmp_path)
    paths = dict(SymbolPages(place).keys())
    assert "en/symbols/acme-engine/environment-n.html" in paths
    assert "en/symbols/acme-engine/python-l.html" not in paths
    links = parsed(shown(ChangePages(place), addresses.change_path("en", "acme/engine", sha))).links
    assert [one for one in links if "/python-" in one] == [], "and nothing leads to one"
    shelf.put(day("2026-03-04", repo([commit(3, findings=(gone,))])))
    said = shown(SymbolPages(place), "en/symbols/acme-engine/python-l.html")
    assert said.index("2026-03-02") < said.index("2026-03-04"), "then with all that is known of it"


def test_a_private_name_of_python_has_no_page_unless_it_breaks_somebody(tmp_path: Path) -> None:
    shelf, sha = Shelf(), commit(1 << 130).sha
    gone = [finding("function_removed", name) for name in ("_plan", "core._Cache.get", "_take(size)")]
    gone.append(finding("function_removed", "Cache._hook", breaking=True))
    gone.append(finding("function_removed", "Cache.__init__"))
    shelf.put(day("2026-03-02", repo([commit(1 << 130, findings=tuple(gone))])))
    place = ground(shelf, tmp_path)
    assert {life.name for life in lives_of(Summaries.of(place).days())} == {"Cache._hook", "Cache.__init__"}
    links = parsed(shown(ChangePages(place), addresses.change_path("en", "acme/engine", sha))).links
    led = sorted(one.rpartition("/")[2] for one in links if "/python-" in one)
    assert [one.partition("#")[0] for one in led] == ["python-h.html", "python-i.html"]
    for one in led:
        page, _, anchor = one.partition("#")
        assert anchor in parsed(shown(SymbolPages(place), f"en/symbols/acme-engine/{page}")).ids
