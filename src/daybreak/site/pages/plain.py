"""Plain pages in all languages, for readers of whom nobody knows which they read: where there is no page, and what a server says
before it knows who asks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from html import escape

from daybreak.core.words.phrases import languages, table
from daybreak.site.pages import HTML, Asset, Ground
from daybreak.site.pages.templates import static_paths

NOWHERE = "404.html"
"""What forges and most servers of files answer with where there is no page."""


class NowherePage:
    """One file at the root; its links are whole, since any address below may have led to it."""

    def __init__(self, ground: Ground) -> None:
        self._root, self._look = ground.settings.config.publish.site_url or "/", ground.look

    def keys(self) -> Iterable[tuple[str, str]]:
        return [(NOWHERE, hashlib.sha256(f"{self._look}\0{self._root}".encode()).hexdigest())]

    def page(self, path: str) -> Asset | None:
        return Asset(NOWHERE, nothing_page(self._root).encode(), HTML) if path == NOWHERE else None


def nothing_page(root: str = "/") -> str:
    """Where there is none; `root`: where the site begins."""
    told = "\n".join(
        f'<p lang="{table(one, "language")["html"]}">{escape(table(one, "web")["nothing"])}</p>' for one in languages()
    )
    home = f'<a href="{escape(_ended(root))}">{everywhere("home", " · ")}</a>'
    return framed("404", f"<h1>404</h1>\n{told}\n<p>{home}</p>", root)


def small_page(title: str, *lines: str) -> str:
    """One that stands for itself; every line is escaped."""
    told = "\n".join(f"<p>{escape(line)}</p>" for line in lines)
    return framed(escape(title), f"<h1>{escape(title)}</h1>\n{told}")


def everywhere(key: str, joint: str, more: str = "") -> str:
    """A phrase in the page's own language, and marked as such in every other."""
    first, *others = languages()
    said = [table(first, "web")[key], *(f'<span lang="{x}">{table(x, "web")[key]}</span>' for x in others)]
    return joint.join(f"{one}{more}" for one in said)


def framed(title: str, body: str, root: str = "/") -> str:
    """In the style of the site, which holds nothing of anybody."""
    at, paths = escape(_ended(root)), static_paths()
    styles = "\n".join(f'<link rel="stylesheet" href="{at}{paths[name]}">' for name in ("daybreak.css", "search.css"))
    return f"""<!doctype html>
<html lang="{table(languages()[0], "language")["html"]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="{at}{paths["icon.svg"]}">
{styles}
</head>
<body>
<header class="top"><div class="bar"><a class="brand" href="{at}"><span class="dot" aria-hidden="true"></span>Daybreak</a></div></header>
<main id="main"><div class="page">
{body}
</div></main>
</body>
</html>
"""


def _ended(root: str) -> str:
    return f"{root.rstrip('/')}/"
