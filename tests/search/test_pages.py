"""The search page as the server answers it, and the index files as the site has them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from both_languages import both
from daybreak.core.model.day import Finding, Hunk, Statement
from daybreak.report.archive import addresses
from daybreak.site.pages import Ground
from daybreak.site.pages.search_page import SearchFiles, SearchPages, answer
from daybreak.site.pages.symbols import SymbolNames
from daybreak.site.search.documents import documents
from daybreak.site.search.shards import day_script, page_of
from daybreak.site.search.tokens import marked, snippet
from daybreak.store import Phrase
from pages.building import parsed
from pages.test_ranges import STEM, net, written
from search import days

if TYPE_CHECKING:
    from pathlib import Path


def asked(ground: Ground, query: str, language: str = "zh", start: int = 0) -> str:
    with days.search_over(ground.archive) as search:
        return answer(ground, search, language, query, start).body.decode()


def links(page: str) -> list[str]:
    return re.findall(r'<h2><a href="([^"]*)"', page)


def test_the_server_answers_without_scripts(ground: Ground) -> None:
    page = asked(ground, "max_batch")
    assert links(page)[0] == f"changes/acme-engine/{days.sha('Remove --max-batch from the scheduler (#41)')[:12]}.html"
    assert "第 1–3 条，共 3 条" in page
    assert "<mark>max-batch</mark>" in page
    assert "移除命令行参数" in page
    assert "search.js" not in page
    assert 'href="../en/search.html?q=max_batch"' in page
    english = asked(ground, "max_batch", "en")
    assert "1–3 of 3" in english
    assert "is removed" in english


def test_a_result_says_that_a_later_day_took_its_change_back(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    shelf.put(days.day("2026-03-08", days.fates("2026-03-08")))
    assert "taken back later" not in asked(ground, "--chunk-size", "en")
    shelf.put(days.taken_back("2026-03-09"))
    page = asked(ground, "--chunk-size", "en")
    told = page[page.index("Take it away</a>") :].partition("</li>")[0]
    assert f'changes/acme-engine/{days.sha("Give it back (#77)")[:12]}.html" title="It was reverted."' in told
    assert page.count("taken back later 03-09") == 1
    assert "removed (taken back later)" in page[page.index('id="search-lives"') :].partition("</p>")[0]


def test_results_are_turned_over_by_links(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    rows = [days.change(f"needle & <{n}>", label="2026-03-07") for n in range(45)]
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", *rows)))
    first, second, third = (asked(ground, "needle", start=start) for start in (0, 20, 40))
    assert "q=needle&amp;from=20" in first
    assert 'rel="prev"' not in first
    assert 'start="21"' in second
    assert 'rel="prev"' in second
    assert 'rel="next"' in second
    assert 'rel="next"' not in third
    found = [one for page in (first, second, third) for one in links(page)]
    assert len(found) == len(set(found)) == 45


def test_a_mistake_is_told_in_the_language_of_the_page(ground: Ground) -> None:
    assert "是否想写 kind:fix？" in asked(ground, "kind:fixx")
    assert "did you mean kind:fix?" in asked(ground, "kind:fixx", "en")
    assert "2026-03-06）里没有找到" in asked(ground, "nowhere")
    assert "最多 400 个字符" in asked(ground, "x" * 500)


HOSTILE = "<script>alert(1)</script> \"onmouseover=alert(1) ' </title> javascript:alert(1) \u202e{{7*7}}"


def test_hostile_words_stay_words_in_query_and_results(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    bad = days.change(HOSTILE, level="high", zh=HOSTILE, en=HOSTILE, author=HOSTILE, kind="fix", label="2026-03-07")
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", bad, issues=(days.issue(9, HOSTILE, kind=HOSTILE),))))
    for query in ("alert", HOSTILE, "repo:" + HOSTILE, 'kind:"' + HOSTILE.replace('"', "") + '"'):
        page = asked(ground, query)
        seen = parsed(page)
        assert seen.wrong == []
        assert seen.tags["script"] == 2  # theme and page, as on every page
        assert not [name for _, name, _ in seen.attributes if name.startswith("on")]
        assert not [link for link in seen.links if link.startswith(("javascript:", "data:"))]
        assert "\u202e" not in page
        assert "{{7*7}}" in seen.text or "49" not in seen.text
    assert len(links(asked(ground, "alert"))) == 2


def test_the_static_page_has_its_script_and_says_so_without(ground: Ground) -> None:
    section = SearchPages(ground)
    assert list(dict(section.keys())) == ["zh/search.html", "en/search.html"]
    asset = section.page("zh/search.html")
    assert asset is not None
    page = asset.body.decode()
    assert "<noscript>" in page
    assert 'data-root="../search/"' in page
    assert 'data-pages=""' in page
    assert "search-page" in page
    assert section.page("fr/search.html") is None


def test_every_file_of_the_index_that_is_listed_is_made_and_no_other(ground: Ground) -> None:
    files = SearchFiles(ground)
    listed = dict(files.keys())
    assert {"search/index.js", "search/2026-03/days.js", "search/days/2026-03-06.js"} <= set(listed)
    for path in listed:
        asset = files.page(path)
        assert asset is not None, path
        assert asset.body.startswith(b"daybreakSearch.")
    for path in (
        "search/../secret.js",
        "search/2026-04/00.js",
        "search/2026-03/ff.js",
        "search/days/2026-03-06.fr.js",
        "search/",
    ):
        assert files.page(path) is None, path


def test_a_new_day_changes_its_month_and_no_other(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    shelf.put(days.day("2026-02-27", days.repo("acme/engine", days.change("old"))))
    before = dict(SearchFiles(ground).keys())
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", days.change("new"))))
    after = dict(SearchFiles(ground).keys())
    changed = {path for path in after if before.get(path) != after[path]}
    assert all(path.startswith(("search/index.js", "search/2026-03/", "search/days/2026-03-07")) for path in changed)
    read = len(shelf.read)
    list(SearchFiles(ground).keys())
    assert len(shelf.read) == read  # nothing is decoded to know what there is


def test_an_unreadable_day_costs_only_itself(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    shelf.broken.add("2026-03-05")
    files = SearchFiles(ground)
    asset = files.page("search/2026-03/days.js")
    assert asset is not None
    assert b'["2026-03-05",""]' in asset.body


@pytest.mark.parametrize("tag", ["v1.2.0", "V1", "release/1 <x>", "..", "版本", "a" * 200])
def test_hits_lead_to_the_addresses_of_the_pages(tag: str) -> None:
    sha = "0123456789abcdef"
    repo = "Acme/Engine.x"
    assert f"zh/{page_of('change', repo, sha, '2026-03-06')}" == addresses.change_path("zh", repo, sha)
    assert f"zh/{page_of('release', repo, tag, '2026-03-06')}" == addresses.release_path("zh", repo, tag)
    on_day = f"{addresses.day_path('zh', '2026-03-06')}#{addresses.repo_anchor(repo)}"
    assert f"zh/{page_of('issue', repo, '7', '2026-03-06')}" == on_day


def test_a_snippet_shows_the_line_with_most_of_the_words_in_the_readers_language() -> None:
    text = '[["zh","新增缓存"],["en","A cache is new"],["","kv cache size 1 → 2"],["zh","另一行"]]'
    shown = [[Phrase(("kv",))], [Phrase(("cache",))]]
    assert snippet(text, "t", shown, "zh") == "kv cache size 1 → 2"
    assert snippet(text, "t", [[Phrase(("缓存",))]], "zh") == "新增缓存"
    assert snippet(text, "t", [[Phrase(("缓存",))]], "en") == "新增缓存"
    assert snippet(text, "t", [], "en") == "A cache is new"
    ways = [[Phrase(("cache",)), Phrase(("kv",))]]
    assert snippet(text, "a cache", ways, "en") == "A cache is new", (
        "another way to write what the title has adds nothing"
    )
    assert snippet("[]", "t", shown, "en") == ""
    long = "x " * 300 + "needle" + " y" * 300

    cut = snippet(json.dumps([["", long]]), "t", [[Phrase(("needle",))]], "en")
    assert "needle" in cut
    assert len(cut) < 200


def test_what_was_looked_for_is_marked_and_nothing_else() -> None:
    assert marked("Fix KVCache now", ["cache"]) == [("Fix ", False), ("KVCache", True), (" now", False)]
    assert marked("支持量化推理", ["量化"]) == [("支持", False), ("量化", True), ("推理", False)]
    assert marked("a MoE layer …", ["moe"]) == [("a ", False), ("MoE", True), (" layer …", False)]
    assert marked("quantize it", ["quan*"]) == [("quantize", True), (" it", False)]
    assert marked("ﬁx it", ["fix"]) == [("ﬁx it", False)]
    assert marked("", ["a"]) == [("", False)] or marked("", ["a"]) == []


@pytest.mark.parametrize(
    ("query", "nearest"),
    [("--max-batch-lantern", "max batch"), ("MAX_LANTERN", "max OR lantern"), ("zebra_lantern", "")],
)
def test_a_name_that_nothing_tells_of_is_answered_with_the_days_held_and_what_is_near(
    ground: Ground, query: str, nearest: str
) -> None:
    page, labels = asked(ground, query, "en"), ground.archive.labels()
    said = parsed(page).text
    assert (
        f"Days read: {len(labels)}, {labels[0]} – {labels[-1]}. In them nothing was found that adds or removes {query} "
        in said
    )
    assert "daybreak show" not in said, "a page is no terminal"
    assert (f"Nearest that is found: {nearest}\n" in said) if nearest else '<p id="search-meant" hidden>' in page


def test_words_that_stand_nowhere_together_are_no_name(ground: Ground) -> None:
    page = asked(ground, "scheduler lantern", "en")
    assert "nothing was found that adds" not in page
    assert "scheduler OR lantern" in page


def test_the_gravest_level_is_offered_first_however_few_it_has(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    levels = ("low", "low", "low", "medium", "medium", "high")
    rows = [days.change(f"needle {n}", level=level, label="2026-03-07") for n, level in enumerate(levels)]
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", *rows)))
    page = asked(ground, "needle", "en")
    places = [page.index(f"q=needle+level%3A{level}") for level in ("high", "medium", "low")]
    assert places == sorted(places)


def test_a_flag_that_changes_only_name_is_answered_with_that_and_with_those_changes(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    line = Hunk("run.sh", '@@ -1 +1 @@\n-run "--prefill-size 4096" --fast\n+run "--prefill-size 4096"')
    rows = [days.change("Tidy a script", hunks=(line,), label="2026-03-07")]
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", *rows)))
    said = parsed(asked(ground, "--prefill-size", "en")).text
    labels = shelf.labels()
    assert f"{len(labels)}, {labels[0]} – {labels[-1]}. Nothing gives --prefill-size another default" in said
    assert "Changes that name it outside tests and docs: 1;" in said
    assert "Tidy a script" in said
    assert "--prefill-size 4096" in said, "the line that names it"


def test_a_name_that_changed_is_answered_with_what_happened_and_when(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    turned = Finding("f1", "cli_default_changed", "engine/args.py", 3, "--prefill-size", "4096", "8192")
    rows = [days.change("Larger steps", findings=(turned,), label="2026-03-07")]
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", *rows)))
    said = parsed(asked(ground, "--prefill-size", "en")).text
    assert "--prefill-size: 2026-03-07 default 4096 → 8192" in said
    assert "No finding is about" not in said


def test_lines_around_a_change_do_not_name_a_flag_and_all_its_changed_lines_do(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    beside = Hunk("run.sh", "@@ -1,2 +1,2 @@ run --prefill-size\n run --prefill-size 1\n-a\n+b")
    others = "\n".join(f"+run --other-flag-{n}" for n in range(40))
    deep = Hunk("run.sh", f"@@ -1 +1,41 @@\n{others}\n-{'x ' * 200}--prefill-size 4096")
    rows = [
        days.change("Beside it", hunks=(beside,), label="2026-03-07"),
        days.change("Names it", hunks=(Hunk("a.py", None), deep), label="2026-03-07"),
    ]
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", *rows)))
    said = parsed(asked(ground, "--prefill-size", "en")).text
    assert "Changes that name it outside tests and docs: 1;" in said
    assert "Names it" in said
    assert "Beside it" not in said


def test_a_query_that_names_an_upgrade_or_pins_is_offered_their_pages(ground: Ground, tmp_path: Path) -> None:
    written(tmp_path, ends=("v1.2.0", "v1.4.0"))
    upgrade, pins = f'href="ranges/{STEM}.html"', 'href="compare.html#pins"'
    named = (
        "engine v1.2 v1.4",
        "upgrade engine v1.4",
        "Engine 1.2.0 1.4.0",
        "升级 engine v1.4",
        "升级engine",
        "engine v1.4",
    )
    for query in (*named, "upgrade engine"):
        assert upgrade in asked(ground, query), query
    for query in ("upgrade engine v1.1", "upgrade kernels v1.4", "engine v1.20 v1.4", "upgrade", "engine"):
        assert upgrade not in asked(ground, query), query
    assert pins in asked(ground, "kernels pin")
    assert pins not in asked(ground, "kernels")
    assert 'href="compare.html#broken"' in asked(ground, "was main broken")
    page = asked(ground, "was main broken", "en")
    assert "The page above answers this" in page, "and no other words are offered"
    assert re.search(r'id="search-meant" hidden', page)
    newest = ground.archive.labels()[-1]
    assert f'href="compare.html#broken-{newest}"' in asked(ground, "was main broken yesterday"), "the row of that day"
    assert f'href="days/{newest}.html"' in asked(ground, "engine breaking today")
    for query in ("engine breaking", "breaking repo:engine", "breaks repo:acme/engine"):
        assert 'href="repos/acme-engine.html#newest"' in asked(ground, query), query


def test_an_upgrade_a_week_and_a_month_are_found_by_what_they_are_called_and_by_names_in_them(
    ground: Ground, tmp_path: Path
) -> None:
    gone = net("registry_removed", "quantization:gguf", before="gguf", after=None)
    written(tmp_path, gone, ends=("v1.2.0", "v1.4.0"))
    folder = tmp_path / "reports"
    folder.mkdir(parents=True, exist_ok=True)
    for label in ("2026-W10", "2026-03"):
        (folder / f"{label}.json").write_text("{}", encoding="utf-8")
    upgrade, week, month = (f'href="{one}.html' for one in (f"ranges/{STEM}", "rollups/2026-W10", "rollups/2026-03"))
    for query, place in {
        "v1.4": upgrade,
        "gguf": f"{upgrade}#breaking-choices",
        "last week": week,
        "W10": week,
        "周报": week,
        "三月 量化": month,
        "3月": month,
    }.items():
        assert place in asked(ground, query), query
    for query, place in {
        "v1.5": upgrade,
        "ggufs": upgrade,
        "engine": week,
        "七月": month,
        "十三月": month,
        "13月": month,
        "march on": month,
    }.items():
        assert place not in asked(ground, query), query
    names = SymbolNames(ground).page("search/symbols/g.js")
    assert names is not None
    assert f"ranges/{STEM}.html#breaking-choices" in names.body.decode()
    assert '"choices","gguf"' in names.body.decode().replace('", "', '","')
    assert "acme/engine · Backends, methods and parsers by name · gguf" in asked(ground, "gguf", "en"), "it is no model"
    page = SearchPages(ground).page("en/search.html")
    assert page is not None
    assert "Backends, methods and parsers by name" in page.body.decode(), "the static page has the words for it"


def test_what_breaks_today_in_one_project_is_one_step_away_and_nothing_is_said_as_such(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    kernels = days.repo("acme/kernels", days.change("Quiet", label="2026-03-07"))
    shelf.put(
        days.day(
            "2026-03-07", days.repo("acme/engine", days.change("Loud", breaking=True, label="2026-03-07")), kernels
        )
    )
    for query in ("engine breaks", "engine today", "今天engine"):
        assert "acme/engine · What breaks on 2026-03-07: 1</a>" in asked(ground, query, "en"), query
    page = asked(ground, "kernels breaks", "en")
    assert 'href="repos/acme-kernels.html#newest">acme/kernels · What breaks on 2026-03-07: none</a>' in page


def test_a_tag_finds_what_the_day_tags_so_by_its_filter_and_by_its_word(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    rows = [days.change(f"needle {n}", breaking=n < 2, label="2026-03-07") for n in range(5)]
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", *rows)))
    for query in ("needle tag:breaks", "needle breaks", "needle 不兼容"):
        assert "1–2 of 2" in asked(ground, query, "en"), query
    assert "BREAKS" in parsed(asked(ground, "needle tag:breaks", "en")).text


def test_where_a_filter_leaves_nothing_the_page_says_which(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", days.change("needle", label="2026-03-07"))))
    page = asked(ground, "needle repo:engine breaking:yes", "en")
    assert "Nothing was found with breaking:yes" in page
    assert 'href="?q=needle+repo%3Aengine"' in page


def test_results_can_be_narrowed_to_what_breaks(ground: Ground) -> None:
    shelf = ground.archive
    assert isinstance(shelf, days.Shelf)
    rows = [days.change(f"needle {n}", breaking=n < 2, label="2026-03-07") for n in range(5)]
    shelf.put(days.day("2026-03-07", days.repo("acme/engine", *rows)))
    assert re.search(r'q=needle\+breaking%3Ayes">[^<]+<small>2</small>', asked(ground, "needle", "en"))


def test_a_line_with_one_part_of_a_name_shows_nothing_of_it() -> None:
    text = json.dumps([["en", "Says what it does"], ["", "test_prefill_policy.py"], ["=", "chunk_size --page-size"]])
    shown = [[Phrase(("page", "size")), Phrase(("~page_size",))]]
    assert snippet(text, "t", shown, "en") == "Its changed lines name --page-size"
    shown_nowhere = "Only the name of a file, a label or a number of it has this"
    assert snippet(text, "t", [[Phrase(("prefill", "size"))]], "en") == shown_nowhere, (
        "no line of it seems to be the reason"
    )


def test_an_old_day_keeps_no_line_that_an_earlier_one_says_in_other_words() -> None:
    said = (
        Statement(role="what", text=both("新增报错：「no such queue here」。", "New error: “no such queue here”.")),
        Statement(
            role="what", text=both("另一处写道：「no such queue here」。", "An error text: “no such queue here”.")
        ),
        Statement(role="what", text=both("删除 `wait_for`。", "Removes `wait_for`.")),
    )
    day = days.day("2026-03-06", days.repo("a/b", replace(days.change("Ask the queue", level="high"), statements=said)))
    new, old = (day_script("2026-03-06", ("zh", "en"), documents(day), aged=aged).decode() for aged in (False, True))
    assert new.count("no such queue here") == 4
    assert old.count("no such queue here") == 2, "once in each language"
    assert "Removes wait_for" in old
    low = days.day("2026-03-06", days.repo("a/b", replace(days.change("Ask the queue"), statements=said)))
    assert "Removes wait_for" not in day_script("2026-03-06", ("zh", "en"), documents(low), aged=True).decode()
