"""Where a hit stands on the site, without the language that leads the address."""

from __future__ import annotations

from daybreak.report.archive.addresses import SHORT, repo_anchor, repo_slug, safe_slug


def page_of(kind: str, repo: str, key: str, label: str) -> str:
    """The page of a change or a release; an issue and a pull request stand on the page of their day."""
    if kind == "change":
        return f"changes/{repo_slug(repo)}/{key[:SHORT]}.html"
    if kind == "release":
        return f"releases/{repo_slug(repo)}/{safe_slug(key)}.html"
    return f"days/{label}.html#{repo_anchor(repo)}"
