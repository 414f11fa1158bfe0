"""Hostile text in a real browser: in every field of a day it runs nothing, leads nowhere, adds no element, and fits the screen."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

import pytest

from daybreak.deliver.notify.senders import box_of, mail
from daybreak.report.render.escape import clean
from daybreak.site.pages.plain import NOWHERE
from hostile_days import LABEL, REPO, hostile_day, keep
from hostile_texts import HANDLERS, SCRIPTS, TEXTS
from notify.test_hostile import message
from pages.building import build, parsed
from pages.chromium import chromium, tab  # noqa: F401  a fixture
from pages.inspecting import BEFORE, Looked, look, looked
from web.guarded import app_of
from web.test_answers import serving

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playwright.sync_api import Browser

BREAKS = {"wbr"}
"""Of ours: where a long name may be broken."""
FOLDS = {"details", "details[class]", "details[open]", "summary"}
"""Entries of a first screen that are long are folded; those of the calm day are short."""
CALM = (
    "plain words",
    "f",
    "x = 1",
    "https://github.com/acme/engine/pull/1",
    "engine/core.py",
    "use `--flag`",
    "x" * 30,
)


def site_of(folder: Path, **made: object) -> Path:
    keep(folder, hostile_day(**made))  # type: ignore[arg-type]
    build(folder, folder / "site")
    return folder / "site"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site_of(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same day told by polite people."""
    return site_of(tmp_path_factory.mktemp("calm"), texts=CALM)


def family(path: str) -> str:
    """`days`, `changes`, `search.html`: pages of one template."""
    return path.split("/")[1] if "/" in path else path


def some(site: Path, most: int) -> list[str]:
    """So many pages of each family, in both languages by turns."""
    found: dict[str, list[str]] = {}
    for page in sorted(site.rglob("*.html"), key=lambda p: p.relative_to(site).as_posix()[3:]):
        found.setdefault(family(page.relative_to(site).as_posix()), []).append(page.relative_to(site).as_posix())
    return [
        path
        for kind, paths in found.items()
        if kind != NOWHERE  # its links begin at the root of a host
        for at, path in enumerate(paths)
        if (at < 4 * most and at % 4 in (0, 3)) or most > 1_000
    ]


def seen(browser: Browser, site: Path, paths: Iterable[str]) -> dict[str, Looked]:
    with tab(browser, "file://", locale="zh-CN") as watched:  # the edition at the top stays where it is
        watched.page.add_init_script(BEFORE)
        watched.page.set_default_timeout(180_000)  # a day of the campaign is ten megabytes
        found = {path: looked(watched, (site / path).as_uri()) for path in paths}
        assert watched.faults == []
    return found


def is_plain(title: str) -> bool:
    """Something stands there, of a length that a tab can show, with nothing hidden in it."""
    hidden = [c for c in title if unicodedata.category(c) in ("Cc", "Cf", "Cn", "Cs", "Zl", "Zp") and c != "\u200d"]
    return 0 < len(title) < 700 and not hidden  # U+200D: families and flags are made with it


def check(browser: Browser, hostile: Path, calm: Path, most: int) -> int:
    """Every page has only elements and attributes that its family has without any hostile text."""
    allowed: dict[str, set[str]] = {}
    for path, one in seen(browser, calm, [path for path in some(calm, 1) if not path.startswith("zh")]).items():
        allowed.setdefault(family(path), set()).update(one.kinds)  # what scripts add too
    for page in calm.rglob("*.html"):
        read = parsed(page.read_text("utf-8"))
        mine = allowed.setdefault(family(page.relative_to(calm).as_posix()), set())
        mine.update(read.tags, (f"{tag}[{name}]" for tag, name, _ in read.attributes))
    found = seen(browser, hostile, some(hostile, most))
    wrong = {path: one.wrong for path, one in found.items() if one.wrong}
    added = {path: new for path, one in found.items() if (new := one.kinds - allowed[family(path)] - BREAKS - FOLDS)}
    assert (wrong, added) == ({}, {})
    assert {path: one.title for path, one in found.items() if not is_plain(one.title)} == {}
    return len(found)


def test_every_family_of_pages_shows_hostile_text_as_text(chromium: Browser, hostile: Path, calm: Path) -> None:  # noqa: F811
    assert check(chromium, hostile, calm, 1) >= 12


RAW = {
    "pwned": SCRIPTS[0],
    "odd": HANDLERS[2],
    "1 frames": "<iframe></iframe>",
    "pixels too wide": "x" * 3_000,
    "another base": "<base href=https://example.org/>",
    "main headings": "<h1>Not ours</h1>",
}
"""What would be noticed -> what to put into a page as it is."""


@pytest.mark.parametrize("fault", RAW)
def test_what_takes_effect_is_noticed(chromium: Browser, tmp_path: Path, fault: str) -> None:  # noqa: F811
    (tmp_path / "x.html").write_text(f"<!doctype html><title>x</title><main><h1>x</h1>{RAW[fault]}</main>", "utf-8")
    with tab(chromium, "file://", 390) as watched:
        watched.page.add_init_script(BEFORE)
        found = looked(watched, (tmp_path / "x.html").as_uri(), (390,))
    assert any(fault in one for one in found.wrong), found.wrong


def test_the_pages_say_what_was_written(chromium: Browser, hostile: Path) -> None:  # noqa: F811
    """Nothing is swallowed: a subject stands on its page as it was written, but for what nobody sees."""
    commits = hostile_day().repos[0].commits
    with tab(chromium, "file://") as watched:
        watched.goto((hostile / f"en/days/{LABEL}.html").as_uri())
        watched.page.wait_for_selector(".filter.ready", state="attached")  # all of the day is there
        shown = watched.page.locator(".change h3").all_text_contents()
    expected = {" ".join(clean(one.subject).split()) or "(no subject)" for one in commits}
    assert expected <= {" ".join(one.split()) for one in shown}


# --- search, and the pages of the server -------------------------------------------------------------------------------


def queries(start: int, step: int) -> list[str]:
    """Texts that a line of an address can hold and that the program takes for a question."""
    return [one for one in TEXTS[start::step] if one.strip() and len(one) <= 200 and "\n" not in one]


def searched(browser: Browser, site: Path, asked: Iterable[str]) -> None:
    home = f"{site.as_uri()}/en/search.html"
    with tab(browser, "file://", 390, locale="zh-CN") as watched:
        watched.page.add_init_script(BEFORE)
        for words in ("changes", REPO, *asked):
            address = f"{home}?{urlencode({'q': words}, quote_via=quote)}"
            watched.goto(address)
            watched.page.locator("#search-results[aria-busy=false]").wait_for(state="attached", timeout=60_000)
            assert look(watched, address, (390,)).wrong == (), words
            if words == "changes":
                assert watched.page.locator(".hit").count() >= 8
            assert watched.page.locator("main :is(script, img, svg, iframe, style, [onclick], [onload])").count() == 0
        assert watched.faults == []


def test_search_takes_hostile_questions_and_shows_hostile_hits(chromium: Browser, hostile: Path) -> None:  # noqa: F811
    searched(chromium, hostile, queries(3, 61))


def served(browser: Browser, folder: Path, asked: Iterable[str]) -> None:
    """Search and what the server says of addresses that are none, with the policy as a header."""
    with serving(app_of(folder)) as client:
        home = str(client.base_url).rstrip("/")
        with tab(browser, home, 390, locale="zh-CN") as watched:
            watched.page.add_init_script(BEFORE)
            for words in asked:
                name = quote(words, safe="")
                for address in (f"{home}/en/search.html?q={name}", f"{home}/en/{name}.html", f"{home}/{name}?q={name}"):
                    watched.goto(address)
                    found = watched.page.evaluate(SMALL)
                    assert found == [False, 0, 0, True], (address, found)
        told = [one for one in watched.faults if not re.search(r"status of (?:400|404|414)", one)]
        assert told == []


SMALL = """() => [
  "pwned" in window, document.documentElement.scrollWidth - document.documentElement.clientWidth > 0 ? 1 : 0,
  document.querySelectorAll("main :is(script, img, svg, iframe, style), [style], [onclick], [onerror]").length,
  !window.violations.length,
]"""


def test_the_server_answers_hostile_questions_harmlessly(chromium: Browser, hostile: Path) -> None:  # noqa: F811
    served(chromium, hostile.parent, queries(7, 61))


# --- mail --------------------------------------------------------------------------------------------------------------


def mailed(browser: Browser, texts: Iterable[str], folder: Path) -> None:
    box = box_of("mailto://127.0.0.1?to=a@example.org")
    now = datetime(2026, 3, 7, tzinfo=UTC)
    with tab(browser, "file://", 390, locale="zh-CN") as watched:
        watched.page.add_init_script(BEFORE)
        allowed: set[str] = set()
        for number, text in enumerate(("plain words", *texts)):
            made = mail(message(text), box, now)
            assert not re.search(r"[\r\n]", made["Subject"])
            page, plain = made.get_body(("html",)), made.get_body(("plain",))
            assert page is not None
            assert plain is not None
            assert not re.search(
                "[\x00-\x09\x0b-\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", plain.get_content()
            )
            (folder / f"{number}.html").write_text(page.get_content(), encoding="utf-8")
            watched.goto((folder / f"{number}.html").as_uri())
            kinds, ran, leads, wider = watched.page.evaluate(MAIL)
            allowed = allowed or set(kinds)
            assert (set(kinds) - allowed, ran, wider) == (set(), False, False), text
            assert all(one.startswith("https://example.org/") for one in leads), (text, leads)
        assert watched.faults == []


MAIL = """() => [
  [...new Set([...document.querySelectorAll("*")].flatMap(one => [one.localName, ...[...one.attributes].map(a => one.localName + a.name)]))],
  "pwned" in window, [...document.links].map(one => one.href),
  document.documentElement.scrollWidth > document.documentElement.clientWidth,
]"""


def test_mail_shows_hostile_text_as_text_and_fits_a_phone(chromium: Browser, tmp_path: Path) -> None:  # noqa: F811
    mailed(chromium, TEXTS[5::31], tmp_path)


# --- all of it ---------------------------------------------------------------------------------------------------------


@pytest.mark.soak
@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_text_in_every_field_of_every_page(
    chromium: Browser,  # noqa: F811
    calm: Path,
    tmp_path: Path,
    language: str,
) -> None:
    """As many changes and items as there are texts: each field of each kind holds each of them once."""
    site = site_of(tmp_path / "all", count=len(TEXTS), items=len(TEXTS))
    for page in [*site.rglob("*.html")]:
        if not page.relative_to(site).as_posix().startswith(language):
            page.unlink()
    assert check(chromium, site, calm, 10_000) > 3 * len(TEXTS)


def test_a_long_day_holds_each_text_in_each_field() -> None:
    """What the campaign above rests on."""
    repo = hostile_day(count=len(TEXTS), items=len(TEXTS)).repos[0]
    assert len(TEXTS) >= 200
    for name in ("subject", "author", "url", "released"):
        assert {getattr(one, name) for one in repo.changes} == set(TEXTS), name
    for kind, name in (("findings", "symbol"), ("findings", "before"), ("hunks", "path"), ("files", "old_path")):
        assert {getattr(getattr(one, kind)[0], name) for one in repo.changes} == set(TEXTS), name
    for items in (repo.issues, repo.pulls, repo.releases):
        assert {one.title for one in items} == set(TEXTS)


@pytest.mark.soak
def test_every_text_is_a_question_and_a_mail(chromium: Browser, hostile: Path, tmp_path: Path) -> None:  # noqa: F811
    searched(chromium, hostile, queries(0, 1))
    served(chromium, hostile.parent, queries(0, 1))
    mailed(chromium, TEXTS, tmp_path)
