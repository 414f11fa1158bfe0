"""What the pages hand to the clipboard, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages.chromium import chromium, tab, until  # noqa: F401  a fixture
from pages.test_browser import DAY, OPEN, hosted  # noqa: F401  a fixture

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LONG = " ".join(["word"] * 390)
STEPS = """<section id="steps" data-copy="Copy" data-copied="Copied"><h2>Do <span class="links"></span></h2><ol>
<li><p>Variables 4: gone</p><ul><li>A</li></ul><details><summary>details</summary><ul><li>B</li><li>{long}</li></ul></details></li>
<li><p>Defaults 2</p><details><summary>2</summary><ul><li>C</li><li class="inner">D._e</li></ul></details></li>
</ol><details id="of-code"><summary>Only code 1</summary><ul><li>Engine</li></ul></details></section>"""


def test_all_of_the_list_of_an_upgrade_is_copied(chromium: Browser, hosted: str) -> None:  # noqa: F811
    with tab(chromium, hosted) as watched:
        page = watched.page
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        watched.goto(f"{hosted}zh/index.html")
        page.evaluate("text => { document.querySelector('main').innerHTML = text; }", STEPS.format(long=LONG))
        page.add_script_tag(url=page.locator("script[src*='page']").first.get_attribute("src"))
        page.locator("#steps button.copy").click()
        until(page, "document.querySelector('#steps .copy').textContent === 'Copied'")
        told = f"1. Variables 4: gone\n   - A\n   - B\n   - {LONG}\n2. Defaults 2\n   - C\nOnly code 1"
        assert page.evaluate("navigator.clipboard.readText()") == f"{told}\n{page.url}"


def test_a_change_that_is_open_stands_in_the_address_and_its_own_page_can_be_copied(
    chromium: Browser,  # noqa: F811
    hosted: str,  # noqa: F811
) -> None:
    with tab(chromium, hosted) as watched:
        page = watched.page
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        watched.goto(f"{hosted}zh/days/{DAY}.html")
        change = page.locator("details.change").first
        change.locator("summary").first.click()
        page.wait_for_url(f"**#{change.get_attribute('id')}")
        change.locator("button.copy").click()
        until(page, "document.querySelector('.copy').textContent === '已复制'")
        title, said, copied = page.evaluate("navigator.clipboard.readText()").split("\n")
        project, *_, named = title.split(" · ")
        assert (project, named) == ("daybreak-demo/lantern", change.locator("h3").inner_text()), "and whose it is"
        assert said == change.locator(".gist").text_content(), "what it does, so that nobody has to open it to know"
        assert copied == f"{hosted}{copied.removeprefix(hosted)}"
        assert "/changes/" in copied
        watched.goto(copied)
        page.locator("button.copy").click()
        until(page, "document.querySelector('.copy').textContent === '已复制'")
        again = page.evaluate("navigator.clipboard.readText()").split("\n")
        assert (again[0].split(" · ")[0], again[0].split(" · ")[-1]) == (project, named)
        assert again[2] == copied
        assert len(again[1]) > 10, "its own page says it, too"
        page.go_back()
        until(page, f"{OPEN} === 1")
        assert watched.faults == []
