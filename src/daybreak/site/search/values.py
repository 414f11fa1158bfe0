"""What a search gives: how many were found, and each of them with where it stands."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

HitKind = Literal["change", "issue", "pull", "release"]


class Hit(Struct, frozen=True):
    """One change, issue, pull request or release of one reported day; its words are a stranger's."""

    kind: HitKind
    repo: str
    """`owner/name`."""
    label: str
    """The day that tells of it."""
    id: str
    """The whole sha, the number without `#`, or the tag."""
    title: str
    level: str
    """`high`, `medium` or `low` of a change; empty for all others."""
    breaking: bool
    at: datetime
    author: str
    topic: str
    """The kind of a change (`fix`, `perf` …) or of an issue (`bug` …); empty for all else."""
    url: str
    """Of the forge."""
    url_path: str
    """The page's address without its language: `changes/acme-engine/0123456789ab.html`, `days/2026-03-06.html#r-…`."""
    snippet: str
    """One line of what matched, in the language that was asked for; plain text."""


class Found(Struct, frozen=True):
    """One page of results, best first: what was named exactly, then by importance, then the newest."""

    total: int
    """How many there are in all."""
    hits: tuple[Hit, ...]
    terms: tuple[str, ...] = ()
    """Tokens that were looked for, so that they can be marked in a title (`snippets.marked`)."""
    missing: tuple[str, ...] = ()
    """Days that could not be looked through, since their report cannot be read or the index cannot be written."""
