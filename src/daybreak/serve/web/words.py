"""The few pages that the server writes itself: before somebody is known, and where there is nothing to show."""

from __future__ import annotations

from html import escape

from daybreak.core.words.catalogue import languages, table


def login_page(target: str = "/", *, wrong: bool = False) -> str:
    """In all languages, since nobody knows yet which one is read here."""
    told = f'<p role="alert">{_everywhere("wrong", " ")}</p>\n' if wrong else ""
    form = f"""<h1>Daybreak</h1>
{told}<form class="find" method="post" action="/login">
<input type="hidden" name="next" value="{escape(target)}">
<input type="text" name="username" value="daybreak" autocomplete="username" hidden>
<label for="token">{_everywhere("token", " · ", " <code>DAYBREAK_TOKEN</code>")}</label>
<input id="token" name="token" type="password" autocomplete="current-password" required>
<button>{_everywhere("enter", " · ")}</button>
</form>"""
    return _framed("Daybreak", form)


def nothing_page() -> str:
    """Where there is none."""
    return small_page("404", *(table(language, "web")["nothing"] for language in languages()))


def _everywhere(key: str, joint: str, more: str = "") -> str:
    """A phrase in the page's own language, and marked as such in every other."""
    first, *others = languages()
    said = [table(first, "web")[key], *(f'<span lang="{x}">{table(x, "web")[key]}</span>' for x in others)]
    return joint.join(f"{one}{more}" for one in said)


def small_page(title: str, *lines: str) -> str:
    """One that stands for itself; every line is escaped."""
    told = "\n".join(f"<p>{escape(line)}</p>" for line in lines)
    return _framed(escape(title), f"<h1>{escape(title)}</h1>\n{told}")


def _framed(title: str, body: str) -> str:
    """In the style of the site, which holds nothing of anybody."""
    from daybreak.site.pages.templates import static_paths

    paths = static_paths()
    styles = "\n".join(f'<link rel="stylesheet" href="/{paths[name]}">' for name in ("daybreak.css", "search.css"))
    return f"""<!doctype html>
<html lang="{table(languages()[0], "language")["html"]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="/{paths["icon.svg"]}">
{styles}
</head>
<body>
<header class="top"><div class="bar"><a class="brand" href="/"><span class="dot" aria-hidden="true"></span>Daybreak</a></div></header>
<main id="main"><div class="page">
{body}
</div></main>
</body>
</html>
"""
