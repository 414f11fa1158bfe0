"""The address of every page, relative to the root of the site, and the links between them.

Pages, feeds, messages and tools take addresses from here, so that a link that was sent stays valid. Every address is
made of letters, digits, `.`, `_`, `-` and `/`, whatever a repository, a tag or a story is called.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

SHORT = 12
"""Digits of a sha in an address."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LABEL = re.compile(r"\d{4}-\d{2}-\d{2}")


def repo_slug(name: str) -> str:
    """`owner/name` -> `owner-name`; the config lets no two repositories share one."""
    return _UNSAFE.sub("-", name).lstrip(".") or "-"


def safe_slug(name: str) -> str:
    """A name as part of an address; one that had to be changed, or has capitals, also gets some digits of its hash.

    Two names that differ in capitals only are one file on some systems.
    """
    slug = _UNSAFE.sub("-", name).strip(".-")[:80]
    if slug == name and slug == slug.lower():
        return slug
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug}-{mark}" if slug else mark


def home_path(language: str) -> str:
    return f"{language}/index.html"


def day_path(language: str, label: str) -> str:
    return f"{language}/days/{label}.html"


def change_path(language: str, repo: str, sha: str) -> str:
    return f"{language}/changes/{repo_slug(repo)}/{sha[:SHORT]}.html"


def story_path(language: str, repo: str, story: str) -> str:
    return f"{language}/stories/{repo_slug(repo)}/{safe_slug(story)}.html"


def old_stories_path(language: str, repo: str, month: str) -> str:
    """Of stories that no newer day tells on; each has its anchor there, called as its page was."""
    return f"{language}/stories/{repo_slug(repo)}/month-{month}.html"


def release_path(language: str, repo: str, tag: str) -> str:
    return f"{language}/releases/{repo_slug(repo)}/{safe_slug(tag)}.html"


def repo_path(language: str, repo: str) -> str:
    return f"{language}/repos/{repo_slug(repo)}.html"


def rollup_path(language: str, label: str) -> str:
    """Of a week (`2026-W29`) or a month (`2026-07`)."""
    return f"{language}/rollups/{label}.html"


def symbols_path(language: str, repo: str, surface: str, name: str) -> str:
    """The page that has the life of a name: those of one surface that begin alike share it."""
    return f"{language}/symbols/{repo_slug(repo)}/{safe_slug(surface)}-{symbol_letter(name)}.html"


def symbol_letter(name: str) -> str:
    """What the last part of a name begins with."""
    return first_letter(re.split(r"[.:(]", name.partition("(")[2] or name.rstrip(".:"))[-1])


def first_letter(text: str) -> str:
    """The first small letter or digit of ASCII; `0` for a text that has none."""
    return next((one for one in text.lower() if one.isascii() and one.isalnum()), "0")


def symbol_path(language: str, repo: str, surface: str, name: str) -> str:
    """Where on that page it stands."""
    return f"{symbols_path(language, repo, surface, name)}#{symbol_anchor(name)}"


def symbol_anchor(name: str) -> str:
    return f"s-{safe_slug(name)}"


def symbol_names_path(letter: str) -> str:
    """The names that begin so with their pages: a script of the static site's search."""
    return f"search/symbols/{letter}.js"


def range_path(language: str, stem: str) -> str:
    """Of an upgrade report, by the name of its file."""
    return f"{language}/ranges/{safe_slug(stem)}.html"


def calendar_path(language: str) -> str:
    return f"{language}/calendar.html"


def compare_path(language: str) -> str:
    return f"{language}/compare.html"


def search_path(language: str) -> str:
    return f"{language}/search.html"


def status_path(language: str) -> str:
    return f"{language}/status.html"


def feed_path(language: str, form: str = "xml") -> str:
    """`form`: `xml` for Atom, `json` for JSON Feed."""
    return f"{language}/feed.{form}"


def breaking_feed_path(language: str, form: str = "xml") -> str:
    return f"{language}/feeds/breaking.{form}"


def rollup_feed_path(language: str, form: str = "xml") -> str:
    return f"{language}/feeds/rollup.{form}"


def repo_feed_path(language: str, repo: str, form: str = "xml") -> str:
    return f"{language}/feeds/{repo_slug(repo)}.{form}"


def change_anchor(sha: str) -> str:
    """Of a change on the page of its day."""
    return f"c-{sha[:SHORT]}"


def repo_anchor(name: str) -> str:
    """Of a repository on the page of a day."""
    return f"r-{repo_slug(name)}"


def change_on_day(language: str, label: str, sha: str) -> str:
    return f"{day_path(language, label)}#{change_anchor(sha)}"


def is_label(text: str) -> bool:
    """Whether this is the name of a day, and so safe in an address."""
    return _LABEL.fullmatch(text) is not None


def in_language(path: str, language: str) -> str:
    """The same page in another language."""
    top, slash, rest = path.partition("/")
    return f"{language}/{rest}" if slash else f"{language}/{top}"


@lru_cache(maxsize=4096)  # the same few hundred links stand on every page of a kind
def relative(source: str, target: str) -> str:
    """A link from one page to another, which holds at any place of the site: on disk and under a sub-path too."""
    path, mark, anchor = target.partition("#")
    if path == source and mark:
        return f"#{anchor}"
    here, there = source.split("/")[:-1], path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:]) + mark + anchor
