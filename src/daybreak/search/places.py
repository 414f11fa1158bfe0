"""Where a hit stands on the site, without the language that leads the address.

`pages/addresses.py` has the addresses; search lies below the pages, so these few are made here, and a test holds the
two together.
"""

from __future__ import annotations

import hashlib
import re

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def page_of(kind: str, repo: str, key: str, label: str) -> str:
    """The page of a change or a release; an issue and a pull request stand on the page of their day."""
    slug = _UNSAFE.sub("-", repo).lstrip(".") or "-"
    if kind == "change":
        return f"changes/{slug}/{key[:12]}.html"
    if kind == "release":
        return f"releases/{slug}/{_safe(key)}.html"
    return f"days/{label}.html#r-{slug}"


def _safe(name: str) -> str:
    slug = _UNSAFE.sub("-", name).strip(".-")[:80]
    if slug == name and slug == slug.lower():
        return slug
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug}-{mark}" if slug else mark
