"""Repositories that a plug-in brings: what stands behind an address of its scheme, as a git repository on this disk."""

from __future__ import annotations

import difflib
from pathlib import Path

from msgspec.structs import replace

from daybreak.core.errors import ConfigError, RepositoryError
from daybreak.core.model.changes import Repo
from daybreak.core.plugins import SOURCES, installed, load

_OF_GIT = frozenset({"", "file", "ftp", "ftps", "git", "git+ssh", "http", "https", "ssh", "ssh+git"})


def source_of(address: str) -> str:
    """The plug-in whose scheme an address has; empty where git itself goes there."""
    scheme = address.partition("://")[0].lower() if "://" in address else ""
    return scheme if scheme not in _OF_GIT and scheme in installed(SOURCES) else ""


def brought(repo: Repo, root: Path, name: str) -> Repo:
    """The same repository at the folder a plug-in keeps for it, brought up to date."""
    source = source_of(repo.git)
    if not source:
        refuse_misspelt(repo.git)
        return repo
    folder = root / "brought" / name
    _bring(source, repo.git, folder)
    return replace(repo, git=str(folder))


def refuse_misspelt(address: str) -> None:
    """A scheme that git does not have and that is nearly that of a plug-in."""
    scheme, found, _ = address.partition("://")
    near = difflib.get_close_matches(scheme.lower(), installed(SOURCES), n=1) if found else []
    if near and scheme.lower() not in _OF_GIT:
        said = f"nothing is installed that brings {scheme}://, did you mean {near[0]}://"
        raise RepositoryError(said, "Check `git` of this repository in daybreak.toml.")


def _bring(source: str, address: str, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        load(SOURCES, source)(address, folder)
    except ConfigError as error:
        raise RepositoryError(error.message, error.tip) from error
    except Exception as error:
        raise RepositoryError(
            f"the plug-in {source!r} did not bring it ({type(error).__name__})", "--verbose shows what it met."
        ) from error
