"""Where the links of a page lead when the page is read elsewhere: to where the folder was published, or nowhere."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import urlsplit

from msgspec import Struct

_ON_GITHUB = re.compile(
    r"(?:https?|ssh|git)://(?:[^/@]*@)?(?:www\.|ssh\.)?github\.com(?::\d+)?/(?P<name>[^/]+/[^/]+?)(?:\.git)?/?"
)
_BY_SSH = re.compile(r"(?:[^/@]+@)?github\.com:(?P<name>[^/]+/[^/]+?)(?:\.git)?/?")
_DAY = re.compile(r"reports/(?P<day>\d{4}-\d\d-\d\d)(?P<repo>/[\w.-]+?)?(?P<language>\.[a-z]{2})?\.md")
_SAFE = re.compile(r"https?://[^\s()<>\"'`\\|]+")


class Links(Struct, frozen=True):
    """Of a page in `reports/`."""

    main: str
    """Language of the main edition, whose files name none."""
    pages: str = ""
    """Address under which the folder's Markdown can be read, without a slash at the end."""
    site: str = ""
    """Address of the site."""
    silent: tuple[str, ...] = ()
    """Hosts of a GitHub that has no address for links without backlinks: what leads there is not linked."""

    def __call__(self, target: str) -> str | None:
        """The address in its new place; None: no link."""
        if "://" in target:
            return self._elsewhere(target)
        path, _, anchor = target.partition("#")
        whole = posixpath.normpath(posixpath.join("reports", path)) if path else ""
        # Headings of an issue have no anchors, and what lies outside the folder is not published.
        return None if not whole or whole.startswith(("..", "/")) or ":" in target else self.place(whole, anchor)

    def place(self, path: str, anchor: str = "") -> str | None:
        """Where a file of the folder can be read."""
        if self.pages:
            return f"{self.pages.rstrip('/')}/{path}" + (f"#{anchor}" if anchor else "")
        found = _DAY.fullmatch(path)
        if not self.site or not found:
            return None
        language = (found["language"] or f".{self.main}")[1:]
        within = f"#r-{found['repo'][1:]}" if found["repo"] else ""
        return f"{self.site.rstrip('/')}/{language}/days/{found['day']}.html{within}"

    def _elsewhere(self, target: str) -> str | None:
        if not _SAFE.fullmatch(target):
            return None
        try:
            parts = urlsplit(target)
            host = (parts.hostname or "").lower()
        except ValueError:
            return None
        if parts.username is not None or host in self.silent:
            return None
        if self.pages and target.startswith(f"{self.pages.rstrip('/')}/"):
            return target
        if host in ("github.com", "www.github.com"):
            return parts._replace(scheme="https", netloc="redirect.github.com").geturl()
        return target


def blob_address(address: str, branch: str, folder: str) -> str:
    """Where GitHub shows what was pushed to a repository of it; empty for any other place."""
    found = _ON_GITHUB.fullmatch(address) or _BY_SSH.fullmatch(address)
    inside = f"/{folder}" if folder else ""
    return f"https://github.com/{found['name']}/blob/{branch}{inside}" if found else ""
