"""Whatever stands in a commit, an issue or a path shows as text: nothing of it becomes markup, a link or a script."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup

from daybreak.report.archive.opening import FolderArchive
from daybreak.site.pages.hunks import folded_hunk_html, hunk_html
from daybreak.site.pages.site import Site
from daybreak.site.pages.templates import said, web
from pages.building import Page, parsed, settings_of

LABEL = "2026-03-06"
PAYLOADS = [
    "<script>alert(1)</script>",
    "</title></head><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '" autofocus onfocus="alert(1)" x="',
    "</pre></figure></details><svg onload=alert(1)>",
    "<svg><style>*{display:none}</style></svg>",
    "</textarea></style></script><iframe src=javascript:alert(1)>",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "<a href='javascript:alert(1)'>click</a>",
    "[click](javascript:alert(1)) ![x](https://evil.example/x.png)",
    "{{ 7*7 }} {% raw %} ${7*7} #{7*7} {0.__class__}",
    "`</code><script>alert(1)</script>`",
    "``` \n</code></pre>\n# heading",
    "<!-- --><!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#x3c;img&#x3e;",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200b\ufeff\u00ad zero",
    "a\u0000b\u001b[31mred\u001b]0;title\u0007\u0085\u2028line",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<base href=//evil.example/><meta http-equiv=refresh content=0>",
    "<form action=//evil.example><input type=submit>",
    "\ud83d\ude00 مرحبا שלום 漢字 ｊａｖａ",
    "x" * 3000,
    '\\" \\u003cscript\\u003e',
    "<details open ontoggle=alert(1)>",
    "<link rel=stylesheet href=//evil.example/x.css>",
]
FROM_OUTSIDE = {
    "subject", "body", "author", "path", "old_path", "symbol", "before", "after", "what", "reason", "tip", "zh", "en",
    "title", "labels", "where", "with", "why", "lines", "notes", "components", "package", "version", "milestone",
    "branch", "skipped", "released", "test_plan",
}  # fmt: skip
ALLOWED = {
    "html", "head", "meta", "title", "link", "script", "body", "a", "header", "div", "span", "nav", "button", "main",
    "footer", "p", "h1", "h2", "h3", "h4", "time", "dl", "dt", "dd", "small", "aside", "ul", "ol", "li", "b",
    "details", "summary", "form", "label", "input", "fieldset", "legend", "select", "option", "section", "code", "br",
    "figure", "figcaption", "pre", "blockquote", "s", "ins", "del", "i", "dialog", "kbd", "article", "table", "thead",
    "tbody", "tr", "th", "td", "wbr", "noscript", "svg", "rect", "circle",
}  # fmt: skip


def poisoned(data: Any, payloads: Any, key: str = "") -> Any:
    """The report with a payload in every field that others wrote."""
    if isinstance(data, dict):
        return {name: poisoned(value, payloads, name if name != "text" else "zh") for name, value in data.items()}
    if isinstance(data, list):
        return [poisoned(value, payloads, key) for value in data]
    if isinstance(data, str) and key in FROM_OUTSIDE:
        return next(payloads)
    return "javascript:alert(1)//https://x" if isinstance(data, str) and key == "url" else data


@pytest.fixture(scope="module")
def hostile(demo_week: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "reports").mkdir()
    data = json.loads((demo_week / "reports" / f"{LABEL}.json").read_text("utf-8"))
    whole = poisoned(data, cycle(PAYLOADS))
    (folder / "reports" / f"{LABEL}.json").write_text(json.dumps(whole), encoding="utf-8")
    (folder / "daybreak.toml").write_bytes((demo_week / "daybreak.toml").read_bytes())
    return Site(FolderArchive(folder), settings_of(folder))


def pages_of(site: Site) -> dict[str, Page]:
    found = {}
    for path, _ in site.keys():  # noqa: SIM118  no dict
        asset = site.page(path) if path.endswith(".html") else None
        if asset is not None:
            found[path] = parsed(asset.body.decode("utf-8"))
    return found


def test_hostile_text_becomes_no_markup_link_or_script(hostile: Site) -> None:
    pages = pages_of(hostile)
    assert len(pages) > 20
    for name, page in pages.items():
        if "/days/" in name or "/changes/" in name or name.endswith("index.html"):
            assert set(page.tags) <= ALLOWED, name
        assert not {"iframe", "img", "object", "embed", "base", "style", "math"} & set(page.tags), name
        assert page.wrong == [], name
        assert page.open == [], name
        for tag, attribute, value in page.attributes:
            assert not attribute.startswith("on"), (name, tag, attribute)
            assert attribute != "style", (name, tag)
            assert attribute != "http-equiv" or value == "Content-Security-Policy", name
        for link in page.links:
            assert not link.lower().lstrip().startswith(("javascript:", "data:", "vbscript:", "//")), (name, link)
        assert all(
            value.startswith("../") or "/" in value for t, n, value in page.attributes if (t, n) == ("script", "src")
        )


def test_hostile_text_is_shown_and_not_swallowed(hostile: Site) -> None:
    asset = hostile.page(f"en/days/{LABEL}.html")
    assert asset is not None
    page = parsed(asset.body.decode("utf-8"))
    for payload in ("<script>alert(1)</script>", "</textarea></style></script><iframe src=javascript:alert(1)>"):
        assert payload in page.text
    assert "&lt;script&gt;" in page.text
    assert "{{ 7*7 }}" in page.text
    for hidden in "\u202e\u2066\u200b\ufeff\u0000\u001b\u0007":
        assert hidden not in page.text


@pytest.mark.parametrize("made", [hunk_html, folded_hunk_html])
@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_hunk_shows_as_text_whatever_it_holds(made: Callable[[str, str], Markup | None], payload: str) -> None:
    shown = made("x.py", f"@@ -1 +1 @@\n-{payload}\n+{payload}\n {payload}")
    if shown is None:
        return
    page = parsed(str(shown))
    assert set(page.tags) <= {"pre", "s", "ins", "del", "i"}
    assert page.wrong == []
    assert payload.replace("\n", "") in page.text.replace("\n", "").replace("\r", "") or "\n" in payload


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        'https://x/"onclick=',
        "//evil.example",
        "data:text/html,x",
        "https://x y",
        "ftp://x",
        "",
        "https://x\n/",
    ],
)
def test_an_address_that_is_odd_is_no_link(address: str) -> None:
    assert web(address) == ""


def test_an_honest_address_stays_as_it_is() -> None:
    assert web("https://github.com/a/b/pull/1?x=1&y=2#z") == "https://github.com/a/b/pull/1?x=1&y=2#z"


def test_code_stands_in_backticks_and_a_lonely_one_is_text() -> None:
    assert said("use `--a` and `b`") == 'use <code class="w">--a</code> and <code class="w">b</code>'
    assert said("a ` b") == "a ` b"
    assert said("`<b>`") == '<code class="w">&lt;b&gt;</code>'
