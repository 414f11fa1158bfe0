"""Single things that are wanted by name: from their envelopes where they stand there, else in bundles from the forge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec import Struct

from daybreak.collect.github.bundles import fetch
from daybreak.collect.github.client import Forge
from daybreak.collect.github.envelope_cache import Keep
from daybreak.collect.github.faults import ForgeFault, Unavailable
from daybreak.collect.github.queries import Part
from daybreak.collect.github.requests import Gathered

SHOWN = 10
"""Names of missing things that a `Skipped` lists."""


class Want(Struct, frozen=True):
    """One thing: where it is kept, how it is asked for, and who takes it."""

    gathered: Gathered
    list: str
    """The list it belongs to, for the `Skipped` when it does not come."""
    category: str
    name: str
    text: str
    values: dict[str, Any]
    take: Callable[[bytes], None]
    """Raises msgspec's error for what it cannot read."""
    fresh: Callable[[bytes], bool] = lambda _body: False

    @property
    def part(self) -> Part:
        return Part(self.gathered.ask.repo.name, self.text, dict[str, msgspec.Raw], self.values)


def satisfy(forge: Forge, keep: Keep, wants: Iterable[Want], instead: ForgeFault | None = None) -> None:
    """Get them all; those that do not come are skipped by name. `instead`: why the forge is not to be asked."""
    began = keep.now()
    missing = [want for want in wants if not _from_envelope(keep, want)]
    failed: list[tuple[Want, ForgeFault]] = []
    if instead is not None:
        failed = [(want, instead) for want in missing]
        missing = []
    for answered in fetch(forge, [want.part for want in missing]) if missing else ():
        bodies: dict[tuple[int, str], dict[str, bytes]] = defaultdict(dict)
        for place, found in answered:
            want = missing[place]
            fault = found if isinstance(found, ForgeFault) else _taken(want, bytes(next(iter(found.values()))), bodies)
            if fault is not None:
                failed.append((want, fault))
        for want in missing:
            if kept := bodies.pop((id(want.gathered), want.category), None):
                keep.save(want.gathered.ask, want.category, kept, began)
    _skip(failed)


def _from_envelope(keep: Keep, want: Want) -> bool:
    try:
        body = keep.standing(want.gathered.ask, want.category, want.name, want.fresh)
        if body is not None:
            want.take(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return body is not None


def _taken(want: Want, body: bytes, bodies: dict[tuple[int, str], dict[str, bytes]]) -> ForgeFault | None:
    try:
        want.take(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Unavailable("gave an answer that cannot be read")
    bodies[id(want.gathered), want.category][want.name] = body
    return None


def _skip(failed: Iterable[tuple[Want, ForgeFault]]) -> None:
    grouped: dict[tuple[int, str], list[tuple[Want, ForgeFault]]] = defaultdict(list)
    for want, fault in failed:
        grouped[id(want.gathered), want.list].append((want, fault))
    for group in grouped.values():
        names = [
            want.values.get("tag") or want.values.get("sha", "")[:9] or f"#{want.values['number']}" for want, _ in group
        ]
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        want, fault = group[0]
        want.gathered.skip(want.list, fault, f" {', '.join(names[:SHOWN])}{more}")
