"""What trees say of a window, kept as one answer: it follows from commits and tagged trees, and those never change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import msgspec
from msgspec import Struct

from daybreak.collect.git.bearing import Bearings
from daybreak.collect.git.known_releases import Releases
from daybreak.collect.git.tree_search import lacked
from daybreak.core.file_cache import Found, code_digest
from daybreak.core.model.changes import Change, Exposure


class Asked(Struct, frozen=True):
    """A window's changes, those before it, and what is known of its releases; both lists newest first."""

    changes: Sequence[Change]
    recent: Sequence[Change]
    known: Releases
    head: str | None


class Borne(Struct, frozen=True):
    """What `Bearings` says of each change."""

    exposed: dict[str, Exposure]
    absent: dict[str, tuple[str, ...]]
    back: dict[str, tuple[str, ...]]
    standing: dict[str, float]
    older: dict[str, tuple[str, ...]]
    forgotten: dict[str, tuple[str, str]]


class _Kept(Struct, frozen=True):
    """An answer, and the objects that the mirror lacked for it."""

    answer: Borne
    lacked: list[str]


_DECODER = msgspec.msgpack.Decoder(_Kept)
"""Made once, before there are threads: two that find out about a type at the same time crash msgspec."""


def borne(
    trees: Bearings,
    asked: Asked,
    tags: Mapping[str, str],
    found: Found | None,
    whole: Callable[[], bool],
    lacks: Callable[[Sequence[str]], bool],
) -> Borne:
    """The answer of an earlier run, or a new one.

    `tags`: name -> commit; `whole`: nothing failed meanwhile; `lacks`: the mirror has none of these objects now either, so
    that an answer without them would be the same.
    """
    question = _question(asked, tags)
    kept = found.get(question) if found else None
    with suppress(msgspec.MsgspecError, UnicodeDecodeError):
        before = _DECODER.decode(kept or b"")
        if not before.lacked or lacks(before.lacked):
            return before.answer
    answer = _asked(trees, asked)
    without = lacked(trees.complaints)
    if found and whole() and without is not None:
        found.put(question, msgspec.msgpack.encode(_Kept(answer, without)))
    return answer


def _asked(trees: Bearings, asked: Asked) -> Borne:
    changes, recent = asked.changes, asked.recent
    return Borne(
        trees.exposed(changes, asked.known),
        trees.absent(changes, asked.known),
        trees.back(changes, asked.known),
        trees.standing((*changes, *recent), asked.head),
        trees.older(changes, recent),
        trees.forgotten(changes, recent),
    )


def _question(asked: Asked, tags: Mapping[str, str]) -> list[str]:
    """All that decides the answer: our code, commits as far as they could be read, and what tags point at."""
    newest = asked.known.newest
    names = dict.fromkeys(newest.values())
    releases = [name for one in names for name in (one, *asked.known.candidates(one)[:1])]
    changes = (_marks(change, asked.known) for change in (*asked.changes, *asked.recent))
    code = code_digest("collect/git", "core/model", "core/profiles")
    return [code, asked.head or "", *(f"{name} {tags.get(name, '')}" for name in releases), "", *changes]


def _marks(change: Change, known: Releases) -> str:
    read = sum(len(file.patch) for file in change.files)
    lost = sum(file.skipped is not None or file.patch_cut for file in change.files)
    told = (known.newest.get(change.sha), known.released.get(change.sha), change.skipped)
    return f"{change.sha} {change.files_total} {len(change.files)} {read} {lost} {told}"
