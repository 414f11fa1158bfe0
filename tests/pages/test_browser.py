"""Every page of the demo in a real browser: nothing wrong is heard, nothing leads nowhere, everybody can use it."""

from __future__ import annotations

import functools
import itertools
import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from daybreak.site.pages.plain import NOWHERE
from pages.chromium import Watched, chromium, tab, until  # noqa: F401  a fixture

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WIDTHS, GRAVE = (390, 1440), ("serious", "critical")
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
DAY = "2026-03-06"
LOOK = """() => {
  const root = document.documentElement;
  const light = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0);
  return [root.scrollWidth - root.clientWidth, document.querySelectorAll("main h1").length, light < 384];
}"""
"""How much wider than the screen a page is, how many main headings it has, and whether it is dark."""


def html_pages(site: Path) -> list[str]:
    """All but what a host answers with where there is no page: its links begin at the root of that host."""
    return sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if path.name != NOWHERE)


def families(site: Path) -> list[str]:
    """The fullest page of each family in each language, and the pages that have none beside them."""
    found: dict[str, str] = {}
    for path in html_pages(site):
        family = path.rsplit("/", 1)[0] if path.count("/") > 1 else path
        family = "/".join(family.split("/")[:2])
        if family not in found or (site / path).stat().st_size > (site / found[family]).stat().st_size:
            found[family] = path
    return sorted(found.values())


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  its name there
        pass


@pytest.fixture(scope="session")
def hosted(demo_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site under a sub-path, as GitHub Pages has it: any plain server of files will do."""
    root = tmp_path_factory.mktemp("hosted")
    (root / "team").mkdir()
    (root / "team" / "daybreak").symlink_to(demo_site)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/team/daybreak/"
    server.shutdown()
    server.server_close()
    thread.join()


UNFOLD = "document.querySelectorAll('details').forEach(fold => { fold.open = true })"


def wrong_looks(watched: Watched, hosted: str, path: str, ways: list[tuple[int, Scheme]]) -> Iterator[str]:
    """What is wrong with a page in these widths and schemes, and with all its folds open on a phone."""
    watched.goto(hosted + path)
    for width, scheme in ways:
        watched.page.set_viewport_size({"width": width, "height": 900})
        watched.page.emulate_media(color_scheme=scheme)
        too_wide, headings, dark = watched.page.evaluate(LOOK)
        if too_wide > 0:
            yield f"{path} is {too_wide} pixels too wide at {width}"
        if headings != 1:
            yield f"{path} has {headings} headings"
        if dark != (scheme == "dark"):
            yield f"{path} is not {scheme}"
    watched.page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    watched.page.evaluate(UNFOLD)
    too_wide, *_ = watched.page.evaluate(LOOK)
    if too_wide > 0:
        yield f"{path} is {too_wide} pixels too wide on a phone when its folds are opened"


WAYS = list(itertools.product(WIDTHS, SCHEMES))


def every_third(site: Path) -> dict[str, list[tuple[int, Scheme]]]:
    """The fullest page of each family in every way, and of the others every third in one way."""
    fullest = families(site)
    others = [path for path in html_pages(site) if path not in fullest][::3]
    return dict.fromkeys(fullest, WAYS) | {path: [WAYS[at % 4]] for at, path in enumerate(others)}


@pytest.mark.parametrize("chosen", [every_third, pytest.param(None, marks=pytest.mark.soak)], ids=["some", "all"])
def test_every_page_is_quiet_and_fits_the_screen(
    chromium: Browser,  # noqa: F811
    demo_site: Path,
    hosted: str,
    chosen: Callable[[Path], dict[str, list[tuple[int, Scheme]]]] | None,
) -> None:
    """Both languages, light and dark, a phone and a wide screen; no console error, no other host, no sideways scroll."""
    looks = chosen(demo_site) if chosen else dict.fromkeys(html_pages(demo_site), WAYS)
    with tab(chromium, hosted) as watched:
        assert [wrong for path, ways in looks.items() for wrong in wrong_looks(watched, hosted, path, ways)] == []
        assert watched.faults == []


def test_the_site_works_from_a_folder_without_any_server(chromium: Browser, demo_site: Path) -> None:  # noqa: F811
    with tab(chromium, "file://") as watched:
        for path in (one for one in families(demo_site) if not one.startswith("en/")):  # made by the same templates
            watched.goto((demo_site / path).as_uri())
        assert watched.faults == []


def test_nothing_is_lost_without_scripts(chromium: Browser, demo_site: Path, hosted: str) -> None:  # noqa: F811
    data = json.loads((demo_site.parent / "demo-week" / "reports" / f"{DAY}.json").read_text("utf-8"))
    subjects = [re.sub(r" \(#\d+\)$", "", c["subject"]) for repo in data["repos"] for c in repo["commits"]]
    with tab(chromium, hosted, script=False) as watched:
        watched.goto(f"{hosted}en/days/{DAY}.html")
        told = watched.page.locator("main").text_content() or ""
    assert [subject for subject in subjects if subject not in told] == []


# --- accessibility ---------------------------------------------------------------------------------------------------


def violations(watched: Watched, rules: Sequence[str] = ()) -> list[str]:
    """What axe-core holds to be serious or critical, by these rules or by all."""
    asked = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = watched.page.evaluate("asked => axe.run(document, asked)", asked)
    return [
        f"{one['id']}: {node['target']}"
        for one in found["violations"]
        if one["impact"] in GRAVE
        for node in one["nodes"][:3]
    ]


def axe() -> str:
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")


LOOKS = (("light", 1440, "en"), ("dark", 390, "zh"))
"""How pages are looked over, and the language that is left to the other look: the same templates make both."""
OF_LOOKS = (
    "color-contrast",
    "link-in-text-block",
    "scrollable-region-focusable",
    "target-size",
    "html-has-lang",
    "html-lang-valid",
)
"""What can differ from one look to the other; the long campaign goes by all rules in both."""

ONE_COLOUR = 8_000
"""Bytes: the picture of a page that shows nothing packs to less."""


def looked_over(browser: Browser, address: str, paths: list[str], *, every: bool = False) -> list[str]:
    found: list[str] = []
    script = axe()
    for scheme, width, language in LOOKS:
        with tab(browser, address, width, scheme) as watched:
            for path in (one for one in paths if every or not one.startswith(f"{language}/")):
                watched.goto(address + path)
                picture = watched.page.screenshot()
                found += [f"{path} {scheme} shows nothing"] if len(picture) < ONE_COLOUR else []
                watched.page.evaluate(UNFOLD)
                watched.page.evaluate(script)
                rules = OF_LOOKS if scheme == "dark" and not every else ()
                found += [f"{path} {scheme}: {one}" for one in violations(watched, rules)]
    return found


def test_no_family_of_pages_shows_nothing_or_shuts_anybody_out(chromium: Browser, demo_site: Path, hosted: str) -> None:  # noqa: F811
    assert looked_over(chromium, hosted, families(demo_site)) == []


@pytest.mark.soak
def test_no_page_shuts_anybody_out(chromium: Browser, demo_site: Path, hosted: str) -> None:  # noqa: F811
    assert looked_over(chromium, hosted, html_pages(demo_site), every=True) == []


# --- by keyboard -----------------------------------------------------------------------------------------------------


def shown_changes(watched: Watched) -> int:
    """When all of the day is there."""
    watched.page.wait_for_selector(".filter.ready", state="attached")
    found: int = watched.page.evaluate(
        "[...document.querySelectorAll('[id^=\"c-\"]')].filter(one => one.checkVisibility()).length"
    )
    return found


def test_the_filter_works_by_keyboard_and_is_kept_in_the_other_language(chromium: Browser, hosted: str) -> None:  # noqa: F811
    with tab(chromium, hosted) as watched:
        watched.goto(f"{hosted}en/days/{DAY}.html")
        every = shown_changes(watched)
        box = watched.page.get_by_label("Breaking only")
        box.focus()
        watched.page.keyboard.press("Space")
        some = shown_changes(watched)
        assert 0 < some < every
        watched.page.locator("a.lang").focus()
        watched.page.keyboard.press("Enter")
        watched.page.wait_for_url("**/zh/days/**")
        assert shown_changes(watched) == some
        assert watched.faults == []


LANGUAGE = "document.documentElement.lang.slice(0, 2)"


def test_the_first_page_opens_in_the_browsers_language_until_the_reader_chooses_another(
    chromium: Browser,  # noqa: F811
    hosted: str,
) -> None:
    for locale, first, other in (("en-GB", "en", "zh"), ("zh-CN", "zh", "en"), ("fr-FR", "zh", "en")):
        with tab(chromium, hosted, locale=locale) as watched:
            page = watched.page
            watched.goto(hosted)
            until(page, f"{LANGUAGE} === '{first}'")
            page.locator("a.lang").click()
            page.wait_for_url(f"**/{other}/index.html")
            watched.goto(hosted)
            until(page, f"{LANGUAGE} === '{other}'")
            assert watched.faults == []
    with tab(chromium, hosted, script=False) as watched:
        watched.goto(hosted)
        assert watched.page.locator("html").get_attribute("lang") == "zh-Hans"


CUT = """[...document.querySelectorAll('ol.actions > li > p, ol.actions > li > p > *')].filter(one =>
    getComputedStyle(one).webkitLineClamp !== 'none').map(one => one.className)"""
HEIGHTS = "[...document.querySelectorAll('ol.actions .what')].map(one => one.offsetHeight)"


def test_on_a_phone_what_to_do_is_whole_and_folded_evidence_is_shown_when_asked_for(
    chromium: Browser,  # noqa: F811
    hosted: str,
) -> None:
    for script in (True, False):
        with tab(chromium, hosted, 390, script=script) as watched:
            page = watched.page
            watched.goto(f"{hosted}en/days/{DAY}.html")
            folded = page.locator("#actions ol.actions .all")
            assert set(page.evaluate(CUT)) == {"what"}
            assert any("What to do: " in one for one in page.locator("#actions ol .todo").all_inner_texts())
            before = page.evaluate(HEIGHTS)
            for at in range(folded.count()):
                folded.nth(at).locator("summary").click()
            assert page.evaluate(CUT) == []
            assert sum(page.evaluate(HEIGHTS)) > sum(before)
    with tab(chromium, hosted) as watched:
        watched.goto(f"{hosted}en/days/{DAY}.html")
        assert watched.page.evaluate(CUT) == []
        assert not watched.page.locator("#actions .all").first.is_visible()


def test_on_a_phone_pins_begin_at_their_newest_end(
    chromium: Browser,  # noqa: F811
    hosted: str,
) -> None:
    with tab(chromium, hosted, 390) as watched:
        watched.goto(f"{hosted}en/compare.html")
        lanes = watched.page.locator(".lanes").first
        assert lanes.evaluate("one => one.scrollWidth > one.clientWidth")
        assert lanes.evaluate("one => one.scrollLeft + one.clientWidth >= one.scrollWidth - 1")


STRANGERS = """[...document.querySelectorAll('#actions .actions > li, #worth li')].filter(told => told.checkVisibility()
    && ![...told.querySelectorAll('a[href*="#c-"]')].some(link => document.getElementById(link.hash.slice(1)).checkVisibility())
    ).map(told => told.textContent)"""
"""What is told above the list although the filter left out its changes."""


def test_what_is_new_since_the_last_visit_is_marked_and_a_day_still_fills_its_row(
    chromium: Browser,  # noqa: F811
    hosted: str,
) -> None:
    """A mark that took a place of the grid moved the headline into the column of the date."""
    wide = "Math.min(...[...document.querySelectorAll('.days .headline')].map(one => one.offsetWidth))"
    for width in WIDTHS:
        with tab(chromium, hosted, width) as watched:
            page = watched.page
            watched.goto(f"{hosted}en/index.html")
            before = page.evaluate(wide)
            page.evaluate("localStorage.setItem('daybreak-seen', '2000-01-01')")
            page.reload()
            assert page.locator(".days .fresh").count() == page.locator(".days li").count()
            assert page.evaluate(wide) == before


def test_a_filter_narrows_what_to_act_on_and_says_when_nothing_is_left(chromium: Browser, hosted: str) -> None:  # noqa: F811
    acts = "document.querySelectorAll('#actions li:not([hidden])').length"
    with tab(chromium, hosted) as watched:
        page = watched.page
        watched.goto(f"{hosted}zh/days/{DAY}.html")
        every = page.evaluate(acts)
        watched.goto(f"{hosted}zh/days/{DAY}.html?level=high")
        assert 0 < page.evaluate(acts) < every
        assert not page.locator("#summary").is_visible()
        assert page.evaluate(STRANGERS) == []
        watched.goto(f"{hosted}zh/days/{DAY}.html?q=nosuchword")
        assert page.evaluate(acts) == 0
        assert page.locator(".nothing").is_visible()
        assert page.locator(".nothing").inner_text().endswith(" nosuchword"), "it says what was asked for"
        assert page.locator(".shown").inner_text() == page.locator(".nothing").inner_text()
        assert not page.evaluate(
            "[...document.querySelectorAll('#actions details')].some(one => one.checkVisibility())"
        )
        page.locator('.toc a[href="#summary"]').click()  # what a filter hides is shown again when it is asked for
        page.locator("#summary").wait_for(timeout=60_000)
        assert page.evaluate(acts) == every
        assert watched.faults == []


def test_a_link_to_a_change_opens_it(chromium: Browser, demo_site: Path, hosted: str) -> None:  # noqa: F811
    data = json.loads((demo_site.parent / "demo-week" / "reports" / f"{DAY}.json").read_text("utf-8"))
    sha = data["repos"][0]["commits"][0]["sha"][:12]
    with tab(chromium, hosted) as watched:
        watched.goto(f"{hosted}zh/days/{DAY}.html#c-{sha}")
        assert watched.page.locator(f"#c-{sha}").evaluate("one => (one.closest('details') || one).open") is True


def test_a_hunk_has_its_colours_when_it_is_seen(chromium: Browser, hosted: str) -> None:  # noqa: F811
    with tab(chromium, hosted) as watched:
        watched.goto(f"{hosted}en/days/{DAY}.html")
        hunk = watched.page.locator("details.change pre[data-m*=k]").first
        change = hunk.locator("xpath=ancestor::details").first
        ident, text = change.get_attribute("id"), hunk.text_content()
        assert watched.page.locator("pre i").count() == 0
        change.locator("summary").first.click()
        seen = watched.page.locator(f"#{ident} pre").first
        seen.locator("i.k").first.wait_for(timeout=60_000)
        assert seen.text_content() == text
        assert watched.faults == []


def test_search_works_by_keyboard_from_a_server_and_from_a_folder(
    chromium: Browser,  # noqa: F811
    demo_site: Path,
    hosted: str,
) -> None:
    for home in (hosted, f"{demo_site.as_uri()}/"):
        for language, words in (("en", "--max-num-seqs"), ("zh", "更名")):
            with tab(chromium, home) as watched:
                watched.goto(f"{home}{language}/search.html")
                field = watched.page.get_by_role("searchbox").first
                field.focus()
                watched.page.keyboard.type(words)
                watched.page.keyboard.press("Enter")
                watched.page.locator("main a[href*='changes/']").first.wait_for(timeout=60_000)
                assert watched.faults == []


def test_the_link_to_weeks_and_upgrades_is_lit_while_they_are_looked_at(chromium: Browser, hosted: str) -> None:  # noqa: F811
    lit = "[...document.querySelectorAll('.bar nav a[aria-current]')].map((one) => one.textContent)"
    with tab(chromium, hosted) as watched:
        watched.goto(f"{hosted}en/calendar.html")
        assert watched.page.evaluate(lit) == ["Calendar"]
        watched.page.get_by_role("link", name="Weeks, upgrades").first.click()
        until(watched.page, "document.querySelector('.bar nav a[aria-current]').hash === '#sums'")
        assert watched.page.evaluate(lit) == ["Weeks, upgrades"]
        assert watched.faults == []


def test_the_theme_can_be_chosen_on_a_phone(chromium: Browser, hosted: str) -> None:  # noqa: F811
    with tab(chromium, hosted, width=390) as watched:
        watched.goto(f"{hosted}en/index.html")
        button = watched.page.locator("button.theme")
        assert button.bounding_box()["x"] + button.bounding_box()["width"] <= 390  # type: ignore[index]
        button.click()
        assert watched.page.evaluate("document.documentElement.dataset.theme") == "light"
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_theme_is_kept_from_page_to_page(chromium: Browser, hosted: str) -> None:  # noqa: F811
    with tab(chromium, hosted) as watched:
        watched.goto(f"{hosted}en/index.html")
        button = watched.page.locator("button.theme")
        button.focus()
        watched.page.keyboard.press("Enter")
        chosen = watched.page.evaluate("document.documentElement.dataset.theme || ''")
        watched.goto(f"{hosted}en/days/{DAY}.html")
        assert watched.page.evaluate("document.documentElement.dataset.theme || ''") == chosen != ""
        assert watched.faults == []


OPEN = "document.querySelectorAll('details.change[open]').length"


def test_paper_shows_what_is_open_and_the_first_screen_whole(chromium: Browser, hosted: str) -> None:  # noqa: F811
    with tab(chromium, hosted) as watched:
        watched.goto(f"{hosted}en/days/{DAY}.html")
        watched.page.locator("details.change summary").first.click()
        watched.page.emulate_media(media="print")
        watched.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert watched.page.evaluate(OPEN) == 1
        cut = "[...document.querySelectorAll('#actions ol p')].filter(p => p.scrollHeight > p.clientHeight + 1).length"
        assert watched.page.evaluate(cut) == 0


def test_a_filter_goes_along_to_the_next_day_by_its_name(chromium: Browser, hosted: str) -> None:  # noqa: F811
    with tab(chromium, hosted) as watched:
        watched.goto(f"{hosted}en/days/{DAY}.html")
        chosen = watched.page.locator("select[name=repo] option").nth(1).get_attribute("value")
        watched.page.locator("select[name=repo]").select_option(chosen)
        some = shown_changes(watched)
        watched.page.keyboard.press("Escape")
        watched.page.evaluate("document.activeElement.blur()")
        with watched.page.expect_navigation():
            watched.page.keyboard.press("[")
        assert re.fullmatch(r".*/days/2026-03-05\.html\?repo=[\w-]+%2F\w+", watched.page.url)
        assert watched.page.locator("select[name=repo]").input_value() == chosen
        with watched.page.expect_navigation():
            watched.page.keyboard.press("]")
        assert shown_changes(watched) == some
        assert watched.faults == []


def test_keys_begin_at_the_first_screen(chromium: Browser, hosted: str) -> None:  # noqa: F811
    with tab(chromium, hosted) as watched:
        watched.goto(f"{hosted}en/days/{DAY}.html")
        watched.page.keyboard.press("j")
        assert watched.page.evaluate("document.activeElement.matches('#actions .actions > li:first-child')")


TALLEST = {1440: (900, 1.0), 390: (844, 1.5)}
"""Screens that the first screen of a day may fill, by width."""


def test_the_first_screen_is_a_desk_screen_or_one_and_a_half_of_a_phone(chromium: Browser, hosted: str) -> None:  # noqa: F811
    bottom = "document.querySelector('#actions ol').getBoundingClientRect().bottom + scrollY"
    for width, (height, screens) in TALLEST.items():
        with tab(chromium, hosted, width) as watched:
            for language in ("zh", "en"):
                watched.goto(f"{hosted}{language}/days/{DAY}.html")
                assert watched.page.evaluate(bottom) <= height * screens


def test_what_is_pointed_at_says_what_it_is_and_the_keys_are_told(chromium: Browser, hosted: str) -> None:  # noqa: F811
    with tab(chromium, hosted) as watched:
        watched.goto(f"{hosted}en/days/{DAY}.html")
        page = watched.page
        page.locator('#actions a[href^="#c-"]').first.hover()
        assert page.evaluate(
            """() => { const link = document.querySelector('#actions a[href^="#c-"]');
            return link.title && link.title === document.querySelector(link.hash + " h3").textContent; }"""
        )
        assert page.locator("dialog").count() == 0
        page.keyboard.press("?")
        page.locator("dialog.keys[open]").wait_for(timeout=60_000)
        assert page.locator("dialog.keys dt").count() == page.locator("dialog.keys dd").count() == 7
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        assert page.locator("dialog.keys[open]").count() == 1
        assert watched.faults == []
