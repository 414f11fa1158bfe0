"""The `[publish]` part of `daybreak.toml`: where reports go besides the folder."""

from __future__ import annotations

import re

from msgspec import Struct

from daybreak.core.errors import ConfigError

_REPOSITORY = r"[A-Za-z0-9][A-Za-z0-9_.-]*/(?!\.\.?$)[A-Za-z0-9_.-]+"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PASSWORD = re.compile(r"//[^/@]*:[^/@]*@")


class PublishConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Where reports go besides the folder."""

    git: str = ""
    """URL or path of a repository; empty: the pages are pushed nowhere."""
    git_branch: str = "reports"
    git_folder: str = ""
    """Folder of the branch that the pages go to; empty: its root."""
    git_site: bool = False
    """The static site goes along, for GitHub Pages and the like."""
    git_author: str = "Daybreak"
    git_email: str = "daybreak@example.invalid"
    github_issue: str = ""
    """OWNER/NAME: one issue for each report."""
    github_discussion: str = ""
    """OWNER/NAME: one discussion for each report."""
    discussion_category: str = ""
    labels: tuple[str, ...] = ()
    """Of the issues; one that the repository does not have is left out."""
    pages_url: str = ""
    """Where the Markdown pages can be read, such as https://github.com/us/news/blob/reports; found out for `git` on GitHub."""
    site: bool = False
    site_url: str = ""
    """Where the site can be read."""

    @property
    def beyond(self) -> bool:
        """Something leaves the folder, or is built in it."""
        return bool(self.site or self.git or self.github_issue or self.github_discussion)


def check_publish(config: PublishConfig, file: str) -> None:
    """What types alone cannot say; raises ConfigError."""
    where = f"{file}: publish"
    _check_git(config, where)
    for key in ("github_issue", "github_discussion"):
        name = getattr(config, key)
        if name and not re.fullmatch(_REPOSITORY, name):
            raise ConfigError(f"{where}.{key}: {name!r} is not OWNER/NAME.", "For example 'our-team/news'.")
    if config.github_discussion and not config.discussion_category.strip():
        raise ConfigError(
            f"{where}.discussion_category is missing.", "Name a category of the repository, such as 'Announcements'."
        )
    for key in ("pages_url", "site_url"):
        address = getattr(config, key)
        if address and not re.fullmatch(r"https?://[^\s()<>\"'`\\@]+", address):
            raise ConfigError(f"{where}.{key}: {address!r} is not a web address.", "It starts with https://.")
    if any(not label.strip() or _CONTROL.search(label) for label in config.labels):
        raise ConfigError(f"{where}.labels: a label is empty or has a control character.", "Check the line.")


def _check_git(config: PublishConfig, where: str) -> None:
    if config.git.startswith("-") or _CONTROL.search(config.git):
        raise ConfigError(f"{where}.git: {config.git!r} is not an address.", "Use a URL or a path.")
    if _PASSWORD.search(config.git):
        # The address itself is not repeated: it holds the secret.
        raise ConfigError(
            f"{where}.git: there is a password in the address.",
            "Leave it out; use a git credential helper, an SSH key, or GITHUB_TOKEN in the environment.",
        )
    if not _is_branch(config.git_branch):
        raise ConfigError(f"{where}.git_branch: {config.git_branch!r} is not a branch.", "For example 'reports'.")
    parts = config.git_folder.split("/") if config.git_folder else []
    if any(not _is_folder(part) for part in parts):
        raise ConfigError(
            f"{where}.git_folder: {config.git_folder!r} is not a folder of the branch.", "For example 'docs/news'."
        )
    for key in ("git_author", "git_email"):
        text = getattr(config, key)
        if not text.strip() or _CONTROL.search(text) or re.search("[<>]", text):
            raise ConfigError(f"{where}.{key}: {text!r} cannot stand in a commit.", "Leave it out for a neutral one.")


def _is_branch(name: str) -> bool:
    """As git has it, without what nobody calls a branch."""
    parts = name.split("/")
    return all(
        re.fullmatch(r"[\w+=-][\w.+=-]*", part) and ".." not in part and not part.endswith((".", ".lock"))
        for part in parts
    ) and not name.startswith("-")


def _is_folder(part: str) -> bool:
    return re.fullmatch(r"[\w.+= -]+", part) is not None and part not in (".", "..") and part.lower() != ".git"
