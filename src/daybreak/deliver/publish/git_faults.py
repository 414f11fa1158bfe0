"""git's complaints about a place that is pushed to, in the words of our users; nothing of an address that is secret."""

from __future__ import annotations

from daybreak.core.errors import GitError, PublishError
from daybreak.core.git_program import last_words, readable

# The first row whose words stand in git's complaint decides.
_FAULTS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("dubious ownership",),
        "the repository at {address} belongs to another user",
        "If you trust it, run: git config --global --add safe.directory '{address}'",
    ),
    (("No space left on device",), "the disk is full", "Free some space; the next run pushes it."),
    (
        ("protected branch", "hook declined", "GH006", "GH013", "push declined", "not allowed to push"),
        "{address} refuses pushes to the branch {branch!r}",
        "Let the token or key push there, or name another branch with git_branch.",
    ),
    (
        ("refusing to update checked out branch", "branch is currently checked out"),
        "the branch {branch!r} is checked out in {address}",
        "Name another branch with git_branch, or push to a bare repository.",
    ),
    (
        (
            "Could not resolve host",
            "Temporary failure in name resolution",
            "Network is unreachable",
            "No route to host",
        ),
        "{address} cannot be reached: no network",
        "Check the network and the proxy settings; the next run pushes it.",
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
        "The next run tries again.",
    ),
    (
        (
            "Authentication failed",
            "could not read Username",
            "could not read Password",
            "Permission denied (publickey",
            "terminal prompts disabled",
            "Invalid username or",
        ),
        "{address} does not accept our credentials, or does not exist",
        "Set up a git credential helper or an SSH key that may push, or set GITHUB_TOKEN; the next run tries again.",
    ),
    (
        ("error: 403", "Write access to repository not granted", "denied to", "requires a key with write access"),
        "{address} does not let us push",
        "Give the token or key the right to write; the next run tries again.",
    ),
    (
        ("Host key verification failed",),
        "the SSH host key of {address} is not known",
        "Connect once by hand with ssh to accept it.",
    ),
    (("transport '", "protocol '"), "git may not use the protocol of {address}", "Use an https, ssh or file address."),
    (
        (
            "not a git repository",
            "does not appear to be a git repository",
            "not found",
            "does not exist",
            "not valid: is this a git",
        ),
        "{address} is not a git repository",
        "Check `git` under [publish]; a new one is made with `git init --bare`.",
    ),
    (
        (
            "Permission denied",
            "unable to create",
            "Read-only file system",
            "insufficient permission",
            "unable to write",
        ),
        "{address} may not be written",
        "Check the permissions of the folder; the next run tries again.",
    ),
)


def explain(error: GitError, address: str, branch: str) -> PublishError:
    """The same failure as one sentence about the place, with its tip."""
    shown, said = readable(address), without_remote_words(error.detail) or error.detail
    # What the other side says may be anything; it is only looked at for what we know.
    for words, sentence, tip in _FAULTS:
        if any(word in text for text in (said, error.detail) for word in words):
            return PublishError(
                f"{sentence.format(address=shown, branch=branch)}.", tip.format(address=shown, branch=branch)
            )
    told = last_words(said.encode())
    return PublishError(f"{shown} did not take the pages: {told or 'git failed'}.", "The next run tries again.")


def without_remote_words(said: str) -> str:
    """Lines of git itself: what the other side sent stands behind `remote:`."""
    return "\n".join(line for line in said.splitlines() if not line.lstrip().startswith("remote:"))
