"""Links to commits, pull requests, issues and releases; the only place that writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from daybreak.core.model.changes import Change, Repo
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Statement
from daybreak.report.render.escape import aside, url


def commit_link(repo: Repo, sha: str) -> str:
    """All digits in the address, nine in the label; a repository without a web address gets no link."""
    if not repo.url.startswith(("http://", "https://")):
        return f"`{sha[:9]}`"
    return f"[`{sha[:9]}`]({url(repo.commit_url(sha))})"


def pull_link(repo: Repo, number: int) -> str:
    if not repo.url.startswith(("http://", "https://")):
        return aside(f"#{number}")
    return f"[#{number}]({url(repo.pull_url(number))})"


def issue_link(repo: Repo, number: int) -> str:
    if not repo.url.startswith(("http://", "https://")):
        return aside(f"#{number}")
    return f"[#{number}]({url(issue_url(repo, number))})"


def issue_url(repo: Repo, number: int) -> str:
    return f"{repo.url}/issues/{number}"


def release_link(repo: Repo, tag: str) -> str:
    if not repo.url.startswith(("http://", "https://")):
        return aside(tag)
    return f"[{aside(tag)}]({url(release_url(repo, tag))})"


def release_url(repo: Repo, tag: str) -> str:
    """Made from the tag, never taken from an answer: no text of outside becomes an address."""
    return f"{repo.url}/releases/tag/{quote(tag, safe='/', errors='replace')}"


def refs(repo: Repo, change: Change) -> str:
    """Pull request and commit. Both, since a number alone does not say which commit of the branch is meant."""
    commit = commit_link(repo, change.sha)
    return f"{pull_link(repo, change.pr)} {commit}" if change.pr else commit


def anchor(change: Change) -> str:
    """The id of a change on its repository's page."""
    return f"c-{change.short}"


def heading_anchor(name: str) -> str:
    """The anchor GitHub gives to a heading that is a repository's full name."""
    return re.sub(r"[^\w-]", "", name.lower())


def evidence_entries(
    repos: Iterable[RepoReport], statement: Statement, limit: int = 3
) -> list[tuple[RepoReport, Entry]]:
    """The window's commits that a statement rests on; none when they are too many to help a reader."""
    repos = tuple(repos)
    shas = [e.split(":", 2)[1] for e in statement.evidence if e.startswith(("commit:", "file:"))]
    found = find_entries(repos, shas)
    return found if len(found) <= limit else []


def find_entries(repos: Sequence[RepoReport], shas: Iterable[str]) -> list[tuple[RepoReport, Entry]]:
    """Entries of the window by sha, in the order asked for; what is not in the window is left out."""
    index = {e.change.sha: (r, e) for r in repos for e in r.entries}
    return [index[sha] for sha in dict.fromkeys(shas) if sha in index]
