"""git's complaints in the words of our users: what is wrong with the repository, and what to do about it."""

from __future__ import annotations

import re

from daybreak.core.errors import GitError, RepositoryError
from daybreak.core.git_program import last_words, readable

# The first row whose words stand in git's complaint decides.
_FAULTS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("dubious ownership",),
        "the repository at {address} belongs to another user",
        "If you trust it, run: git config --global --add safe.directory '{place}'",
    ),
    (("No space left on device",), "the disk is full", "Free some space and run again."),
    (
        (
            "Could not resolve host",
            "Temporary failure in name resolution",
            "Network is unreachable",
            "No route to host",
        ),
        "{address} cannot be reached: no network",
        "Check the network and the proxy settings, or use --offline for what is on disk.",
    ),
    (
        (
            "Failed to connect",
            "Connection refused",
            "Connection timed out",
            "Connection reset",
            "early EOF",
            "timed out",
        ),
        "{address} does not answer",
        "Try again later, or use --offline for what is on disk.",
    ),
    (
        (
            "Authentication failed",
            "could not read Username",
            "Permission denied (publickey",
            "terminal prompts disabled",
        ),
        "{address} asks for credentials, or does not exist",
        "Check the name; for a private repository set up a git credential helper or an SSH key.",
    ),
    (
        ("Host key verification failed",),
        "the SSH host key of {address} is not known",
        "Connect once by hand with ssh to accept it.",
    ),
    (
        ("transport '", "protocol '"),
        "git may not use the protocol of {address}",
        "Use an https, ssh or file address.",
    ),
    (
        ("Remote branch",),
        "branch {branch!r} does not exist in {address}",
        "Name an existing branch, or leave `branch` out to follow the default one.",
    ),
    (
        (
            "not a git repository",
            "does not appear to be a git repository",
            "not found",
            "does not exist",
            "not valid: is this a git",
        ),
        "{address} is not a git repository, or it has vanished",
        "Check `git` of this repository in daybreak.toml.",
    ),
    (
        ("Permission denied", "unable to create", "Read-only file system", "couldn't write", "cannot update ref"),
        "the mirror cannot be written, or the repository not be read",
        "Check the permissions of the folder.",
    ),
)


def explain(error: GitError, address: str, branch: str | None = None) -> RepositoryError:
    """The same failure as one sentence about the repository, with its tip."""
    shown = readable(address)
    for words, sentence, tip in _FAULTS:
        if any(word in error.detail for word in words):
            # git may mean another folder than the one that was named: the `.git` in a checkout.
            place = re.search(r"ownership in repository at '(.*)'", error.detail)
            facts = {
                "address": shown,
                "branch": branch,
                "place": readable(place[1]) if place else shown,
                "words": last_words(error.detail.encode()),
            }
            return RepositoryError(sentence.format(**facts), tip.format(**facts), error.detail)
    unknown = RepositoryError(
        error.message or "git failed", error.tip or "Run again with --verbose to see all of it.", error.detail
    )
    unknown.telling = False
    return unknown
