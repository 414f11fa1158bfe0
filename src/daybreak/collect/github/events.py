"""Items with more closings and reopenings than came with them: the rest of their events."""

from __future__ import annotations

from typing import Any

import msgspec

from daybreak.collect.github.bundles import fetch
from daybreak.collect.github.client import Forge
from daybreak.collect.github.faults import ForgeFault
from daybreak.collect.github.queries import EVENTS_OF_ISSUE, EVENTS_OF_PULL, Part
from daybreak.collect.github.requests import Gathered
from daybreak.collect.github.shapes import Light, Page, WithEvents

MOST_ROUNDS = 20


def unfinished(light: Light, gathered: Gathered) -> bool:
    """Whether events of the window may be missing; they come oldest first, from the window's beginning on."""
    items = light.timeline_items
    return items.page_info.has_next_page and all(event.created_at < gathered.ask.window.until for event in items.nodes)


def read_events(forge: Forge, wanted: list[tuple[Gathered, Light]]) -> list[tuple[Gathered, Light, ForgeFault | None]]:
    """Each with all its events of the window, or with those that came and the fault."""
    ended: list[tuple[Gathered, Light, ForgeFault | None]] = []
    for _ in range(MOST_ROUNDS):
        ended += [(gathered, light, None) for gathered, light in wanted if not unfinished(light, gathered)]
        active = [(gathered, light) for gathered, light in wanted if unfinished(light, gathered)]
        wanted = []
        if not active:
            return ended
        for answered in fetch(forge, [_part(*one) for one in active]):
            for place, found in answered:
                gathered, light = active[place]
                if isinstance(found, ForgeFault):
                    ended.append((gathered, light, found))
                else:
                    wanted.append((gathered, _joined(light, found)))
    return ended + [(gathered, light, ForgeFault("names too many events")) for gathered, light in wanted]


def _part(gathered: Gathered, light: Light) -> Part:
    text = EVENTS_OF_ISSUE if light.typename == "Issue" else EVENTS_OF_PULL
    after = light.timeline_items.page_info.end_cursor
    values = {"number": light.number, "after": after, "since": gathered.ask.since}
    return Part(gathered.ask.repo.name, text, dict[str, WithEvents], values)


def _joined(light: Light, found: dict[str, Any]) -> Light:
    more: WithEvents = next(iter(found.values()))
    nodes = [*light.timeline_items.nodes, *more.timeline_items.nodes]
    return msgspec.structs.replace(light, timeline_items=Page(nodes, more.timeline_items.page_info))
