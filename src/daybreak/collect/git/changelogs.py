"""What a project's own tree says of a release: the section of its changelog that names the version."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

from msgspec.structs import replace

from daybreak.collect.git.families import Tag, parsed
from daybreak.collect.git.mirror import Mirror
from daybreak.collect.git.tree_search import files_of
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Tagged

MOST = 40_000
"""Characters of a section that are kept."""
_NAMED = re.compile(
    r"(?:^|/)(?:change-?log|changes|history|news|release[-_]?notes)(?:\.md|\.markdown)?$", re.IGNORECASE
)
_HEADING = re.compile(r"(#{1,4})[ \t]+(.{1,300})")
_LINES = 60_000


def with_notes(git: Git, mirror: Mirror, tagged: Iterable[Tagged]) -> tuple[Tagged, ...]:
    """Releases with what the changelogs of their own trees say of them."""
    return tuple(replace(one, notes=_notes(git, mirror, one.tag, one.sha)) for one in tagged)


def _notes(git: Git, mirror: Mirror, name: str, sha: str) -> str:
    """The section of the changelog beside what the tag numbers; empty where none names the version."""
    tag = parsed(name)
    paths = _changelogs(git, mirror, tag, sha) if tag is not None else []
    texts = files_of(git, mirror.path, [(sha, path) for path in paths]).values()
    version = name.removeprefix(tag.prefix).lstrip("vV") if tag is not None else ""
    return next((found for text in texts if text is not None and (found := section(text.raw, version))), "")


def _changelogs(git: Git, mirror: Mirror, tag: Tag, sha: str) -> list[str]:
    """Those of the folder that the tag is named after come first."""
    rows: list[str] = []
    for within in [[f"{tag.family}/"], []] if tag.family else [[]]:
        with suppress(GitError):
            rows += git.run("ls-tree", "-z", sha, *within, at=mirror.path).decode("utf-8", "replace").split("\0")
    found = (path for _, _, path in (row.partition("\t") for row in rows) if _NAMED.search(path))
    return sorted(found, key=lambda path: (-path.count("/"), path))


def section(text: str, version: str) -> str:
    """From below the heading that names the version to the next one as high; a version that goes on (`1.2.0-rc1`) is another."""
    lines = iter(text.splitlines()[:_LINES])
    for line in lines:
        head = _HEADING.fullmatch(line.rstrip())
        first = _VERSION.search(head[2]) if head else None
        if head and first and first[1] == version:
            return "\n".join(_below(lines, len(head[1])))[:MOST].strip()
    return ""


_VERSION = re.compile(r"(?<![\w.])[vV]?(\d+(?:\.\w+){1,5}(?:-[A-Za-z]\w*(?:\.\w+)*)?)")
"""The first of a heading is the one that it is about."""


def _below(lines: Iterable[str], level: int) -> Iterator[str]:
    fenced = False
    for line in lines:
        fenced ^= line.lstrip().startswith("```")
        head = None if fenced else _HEADING.fullmatch(line.rstrip())
        if head and len(head[1]) <= level:
            return
        yield line
