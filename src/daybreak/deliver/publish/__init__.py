"""Publishing: pages brought to a folder, a git branch, an issue or a discussion; opens what the config names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from daybreak.core.config import Settings, is_remote, now
from daybreak.core.errors import PublishError
from daybreak.core.model.report import Page, Receipt
from daybreak.deliver.publish.folder import Links, blob_address

if TYPE_CHECKING:
    from daybreak.core.git_program import Git
    from daybreak.deliver.publish.git_branch import GitBranch
    from daybreak.deliver.publish.github_issue import GithubPosts, Kind


class Publisher(Protocol):
    """Publishes all pages or none."""

    def publish(self, pages: Sequence[Page]) -> Receipt: ...


# --- Opens the places besides the folder that the config names: a branch, and posts on GitHub ---

TOKEN = "GITHUB_TOKEN"  # noqa: S105  the name of a variable
_PUBLIC = "api.github.com"


def branch_of(settings: Settings, git: Git) -> GitBranch:
    """The branch of `[publish] git`."""
    from daybreak.deliver.publish.git_branch import GitBranch, Target

    config = settings.config.publish
    address = git_address(settings)
    name = hashlib.sha256(f"{address}\0{config.git_branch}".encode("utf-8", "surrogateescape")).hexdigest()[:12]
    target = Target(
        address, config.git_branch, config.git_folder, config.git_author, config.git_email, _helped(settings, address)
    )
    return GitBranch(git, target, settings.state / "publish" / f"{name}.git", now(settings.environment))


def git_address(settings: Settings) -> str:
    """A path is taken relative to the config's folder."""
    from pathlib import Path

    address = settings.config.publish.git
    return address if is_remote(address) else str((settings.base / Path(address).expanduser()).resolve())


def _helped(settings: Settings, address: str) -> str:
    """The host for which GITHUB_TOKEN is offered: GitHub's own, or that of `[github] api`; never any other."""
    if not settings.environment.get(TOKEN, "").strip() or not address.startswith("https://"):
        return ""
    host = urlsplit(address).hostname or ""
    return host if host in ("github.com", *_web_hosts(settings)) else ""


def _web_hosts(settings: Settings) -> tuple[str, ...]:
    """Where people see the GitHub of the config, when it is not the public one."""
    host = urlsplit(settings.config.github.api).hostname or ""
    return () if host in ("", _PUBLIC) else (host, host.removeprefix("api."))


def page_links(settings: Settings) -> Links:
    """Where links of the pages lead in a post."""
    config = settings.config.publish
    pushed = blob_address(config.git, config.git_branch, config.git_folder) if config.git else ""
    return Links(settings.languages[0], config.pages_url or pushed, _site_address(settings), _web_hosts(settings))


def _site_address(settings: Settings) -> str:
    """Where the site can be read: as `[publish]` has it, else as notifications link to it."""
    return settings.config.publish.site_url or settings.config.notify.link


@contextmanager
def github_posts(settings: Settings, kind: Kind, repository: str, say: Callable[[str], None]) -> Iterator[GithubPosts]:
    """Issues or discussions of a repository, written with the token of the environment."""
    from daybreak.core.http import Http, Secret
    from daybreak.deliver.publish.github_api import Github
    from daybreak.deliver.publish.github_issue import GithubPosts

    token = settings.environment.get(TOKEN, "").strip()
    if not token:
        raise PublishError(
            f"{TOKEN} is not set: nothing can be written to {repository}.",
            f"Set it to a token that may write {kind}s there; the next run does what is left.",
        )
    if not token.isascii() or not token.isprintable():
        raise PublishError(f"{TOKEN} holds something that is no token.", "Set it again; the next run tries again.")
    config = settings.config.publish
    with Http() as http:
        github = Github(settings.config.github.api, Secret(token), http, say=say)
        yield GithubPosts(github, kind, repository, config.labels, config.discussion_category, say)
