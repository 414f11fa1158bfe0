"""The text of an entry as HTML and as plain text: all of it is escaped, and nothing but our own few elements is markup."""

from __future__ import annotations

from html import escape

from daybreak.site.feeds.places import Place
from daybreak.site.feeds.values import Block, Entry, Line, Span


def as_html(entry: Entry, place: Place) -> str:
    return "\n".join(_block(block, place) for block in entry.blocks)


def as_text(entry: Entry) -> str:
    """The same without links."""
    return "\n\n".join(_plain(block) for block in entry.blocks)


def _block(block: Block, place: Place) -> str:
    if not block.title:
        return "\n".join(f"<p>{_line(line, place)}</p>" for line in block.lines)
    items = "".join(f"<li>{_line(line, place)}</li>" for line in block.lines)
    return f"<p><b>{escape(block.title)}</b></p>\n<ul>{items}</ul>"


def _line(line: Line, place: Place) -> str:
    return "".join(_span(span, place) for span in line)


def _span(span: Span, place: Place) -> str:
    text = escape(span.text)
    if span.code:
        text = f"<code>{text}</code>"
    address = place.href(span.link)
    return f'<a href="{escape(address)}">{text}</a>' if address else text


def _plain(block: Block) -> str:
    lines = ["".join(f"`{span.text}`" if span.code else span.text for span in line) for line in block.lines]
    return "\n".join(lines) if not block.title else "\n".join([block.title, *(f"- {line}" for line in lines)])
