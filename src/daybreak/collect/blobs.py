"""Brings the contents a window needs into a mirror that was cloned without them: one request for all of them.

Left to itself, git would ask the server for each missing blob alone while it makes the patches.
"""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.collect.faults import explain
from daybreak.collect.mirror import Mirror
from daybreak.errors import GitError
from daybreak.gitobjects import Git


def fetch_missing_blobs(git: Git, mirror: Mirror, shas: Sequence[str], paths: Sequence[str] = ()) -> str | None:
    """Fetch what the patches of these commits need; the reason when the server would not give it."""
    if not shas:
        return None
    missing = git.missing(mirror.path, sorted(_blobs_of(git, mirror, shas, paths)))
    if not missing:
        return None
    names = "".join(f"{oid}\n" for oid in sorted(missing)).encode()
    try:
        git.run_telling(
            *("-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"),
            *("--recurse-submodules=no", "--filter=blob:none", "--stdin", "origin"),
            at=mirror.path,
            stdin=names,
        )
    except GitError as error:
        return explain(error, "its server").message
    return None


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
