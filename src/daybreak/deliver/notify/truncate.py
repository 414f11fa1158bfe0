"""Makes a message fit its target: items go as a whole, the least important first, and the rest is counted."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from daybreak.deliver.notify.message import Edition, Message

Size = Callable[[str], int]


def utf8(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def utf16(text: str) -> int:
    """As Discord and Telegram count: a character beyond the basic plane is two."""
    return len(text.encode("utf-16-le", "replace")) // 2


def fit(edition: Edition, measured: Callable[[Edition], int], limit: int) -> Edition:
    """The edition with as many items as there is room for; title and counts stay, and are shorter than any limit."""
    while measured(edition) > limit:
        smaller = _without_one(edition)
        if smaller is None:
            break
        edition = smaller
    return edition


def joined(message: Message, draw: Callable[[Edition], str], size: Size, limit: int, between: str) -> str:
    """All editions in one text; each has its share of the room, and what one does not need is the next one's."""
    texts: list[str] = []
    left = limit
    for number, edition in enumerate(message.editions):
        share = left // (len(message.editions) - number) - size(between)
        texts.append(draw(fit(edition, lambda one: size(draw(one)), share)))
        left -= size(texts[-1]) + size(between)
    return between.join(texts)


def _without_one(edition: Edition) -> Edition | None:
    """Without the last item of the section that matters least: all are brought to three items, to one, to none."""
    order = sorted(range(len(edition.sections)), key=lambda number: edition.sections[number].keep)
    for least in (3, 1, 0):
        for number in order:
            section = edition.sections[number]
            if len(section.items) > least:
                smaller = replace(section, items=section.items[:-1], hidden=section.hidden + 1)
                sections = (*edition.sections[:number], smaller, *edition.sections[number + 1 :])
                return replace(edition, sections=sections)
    return None
