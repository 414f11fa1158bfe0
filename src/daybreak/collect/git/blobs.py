"""Brings the contents a window needs into a mirror that was cloned without them: one request for all of them.

Left to itself, git would ask the server for each missing blob alone while it makes the patches.
"""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.collect.git.faults import explain
from daybreak.collect.git.mirror import Mirror
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git

MOST_REQUESTS = 40
"""Requests for contents that a server partly lacks; with what is then still missing, the report says so."""


def fetch_missing_blobs(git: Git, mirror: Mirror, shas: Sequence[str], paths: Sequence[str] = ()) -> str | None:
    """Fetch what the patches of these commits need; the reason when the server would not give it."""
    if not shas:
        return None
    missing = git.missing(mirror.path, sorted(_blobs_of(git, mirror, shas, paths)))
    if not missing:
        return None
    return _fetched(git, mirror, sorted(missing))


def fetch_blobs(git: Git, mirror: Mirror, oids: Sequence[str]) -> str | None:
    """Fetch those of the blobs that are missing; the reason when the server would not give them."""
    missing = git.missing(mirror.path, sorted(set(oids)))
    return _fetched(git, mirror, sorted(missing)) if missing else None


def _fetched(git: Git, mirror: Mirror, oids: Sequence[str]) -> str | None:
    """All at once; a server that lacks one refuses them all, so what is refused is asked for in halves."""
    waiting, refused, requests = [list(oids)], None, 0
    while waiting:
        some = waiting.pop()
        requests += 1
        try:
            _fetch(git, mirror, some)
        except GitError as error:
            refused = explain(error, "its server").message
            if requests == 1 and not _is_refusal(error):
                return refused
            if len(some) > 1 and requests < MOST_REQUESTS:
                middle = len(some) // 2
                waiting += [some[middle:], some[:middle]]
    return refused


def _is_refusal(error: GitError) -> bool:
    """The server answers, but does not have something; asking for less may help."""
    told = f"{error.message} {error.detail}"
    return any(words in told for words in ("not our ref", "bad object", "missing", "unable to read", "could not fetch"))


def _fetch(git: Git, mirror: Mirror, oids: Sequence[str]) -> None:
    git.run_telling(
        *("-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"),
        *("--recurse-submodules=no", "--filter=blob:none", "--stdin", "origin"),
        at=mirror.path,
        stdin="".join(f"{oid}\n" for oid in oids).encode(),
    )


def _blobs_of(git: Git, mirror: Mirror, shas: Sequence[str], paths: Sequence[str]) -> set[str]:
    """Both sides of every file these commits touch; where a tree is missing, reading will say so."""
    spec = ["--", *(f":(literal,top){path}" for path in paths)] if paths else []
    arguments = ("log", "--no-walk=unsorted", "--stdin", "--raw", "--no-renames", "--no-abbrev", "--format=")
    names = "".join(f"{sha}\n" for sha in shas).encode()
    found: set[str] = set()
    with git.stream(*arguments, "--diff-merges=first-parent", *spec, at=mirror.path, stdin=names) as stream:
        for row in stream.output:
            if row.startswith(b":"):
                old_mode, new_mode, old, new = row[1:].split(b" ", 4)[:4]
                sides = ((old_mode, old), (new_mode, new))
                found |= {oid.decode() for mode, oid in sides if mode not in (b"000000", b"160000")}
        stream.finish()
    return found
