"""The paragraph that comes of an answer and its repair: in the order of the answer, without what points to a sentence that fell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from daybreak.core.model.drafts import Draft, Fate
from daybreak.judge.antecedents import leans
from daybreak.prose.questions import Standing

LEANS = "leans"
"""Reason of a sentence that points to one which does not stand."""
Rows = Sequence[tuple[str, Draft]]
"""Sections and sentences of an answer, in its order."""


def begins(rows: Rows) -> set[int]:
    """Places of the sentences that begin what is said of a change, or a section."""
    firsts: dict[tuple[str, str], int] = {}
    for at, (section, draft) in enumerate(rows):
        firsts.setdefault((section, draft.home), at)
    return set(firsts.values())


def headless(fates: Sequence[Fate], rows: Rows) -> list[Fate]:
    """The fates of an answer; a sentence that points back and has none before it is refused."""
    firsts = begins(rows)
    return [
        replace(fate, statement=None, reason=LEANS)
        if at in firsts and fate.statement is not None and leans(fate.statement.text)
        else fate
        for at, fate in enumerate(fates)
    ]


def in_place(rows: Rows, standing: Iterable[Standing], refused: Iterable[Draft], mended: Iterable[Standing]) -> list[Standing]:  # fmt: skip
    """All that stands, where it or what it mends stood in the answer; the first of each change is its lead."""
    order, firsts = [draft for _, draft in rows], begins(rows)
    found = [replace(one, at=order.index(one.draft)) for one in standing]
    open_ = [(order.index(draft), draft) for draft in refused]
    for one in mended:
        first = origin(one.draft, [draft for _, draft in open_])
        at = next((at for at, draft in open_ if draft is first), len(order))
        open_ = [place for place in open_ if place[1] is not first]
        found.append(replace(one, at=at))
    return [replace(one, lead=one.at in firsts) for one in sorted(found, key=lambda one: one.at)]


def origin(mended: Draft, refused: Sequence[Draft]) -> Draft | None:
    """Which of those that were refused it was written in place of."""
    return min(refused, key=lambda one: _distance(mended, one), default=None)


def _distance(mended: Draft, refused: Draft) -> tuple[bool, bool, bool]:
    """How unlike the sentence is that came back: of another change, for another question of the reader, with other lines."""
    alike = not set(mended.cited).isdisjoint(refused.cited)
    return mended.home != refused.home, mended.role != refused.role, not alike


def carried(rows: Rows, standing: Sequence[Standing]) -> Iterator[Standing]:
    """Without what points back to a sentence that does not stand, and without what tells of the release alone where nothing of the
    change stands before it.
    """
    kept: set[int] = set()
    for one in standing:
        own = [at for at, (section, draft) in enumerate(rows[: one.at]) if (section, draft.home) == _place(one)]
        told = not _is_of_release(one.draft) or not kept.isdisjoint(own)
        if told and (not leans(one.statement.text) or (own and own[-1] in kept)):
            kept.add(one.at)
            yield one


def _is_of_release(draft: Draft) -> bool:
    """All that it rests on are lines of the release."""
    return bool(draft.cited) and all(_RELEASE.fullmatch(ref) for ref in draft.cited)


_RELEASE = re.compile(r"R\d+")


def _place(one: Standing) -> tuple[str, str]:
    return one.section, one.draft.home
