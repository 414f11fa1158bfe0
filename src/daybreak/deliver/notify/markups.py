"""Markups of the targets: how a title, an item, code and a link are written, and how a stranger's text stays text.

A service that has escapes gets escapes. One that has none (WeCom, DingTalk, Slack's emphasis) gets its marks broken
by a word joiner, which is not seen, or replaced by a character that looks alike. Mentions, emoji codes and bare
addresses are broken everywhere: services look for them when the markup is done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import ClassVar

from daybreak.core.text import clean
from daybreak.deliver.notify.message import BREAK, Edition, Item, Section, Span
from daybreak.report.render.escape import JOINER

_LIVE = re.compile(
    r"@(?=\S)|(?<=:)/(?=/)|(?i:(?<=\bwww)\.)|(?<![A-Za-z0-9]):(?=[\w+-]+:)|(?<=[A-Za-z0-9]):(?=[a-z_+-]+:)"
)
"""What services turn into something by themselves: mentions, addresses, emoji codes."""


def disarmed(text: str) -> str:
    """Text in which nothing is a mention, an address or an emoji code any more."""
    return _LIVE.sub(lambda m: m[0] + JOINER, clean(text))


class Markup:
    """Plain text, and what all others share."""

    bullet, newline, blank = "• ", "\n", "\n\n"

    def text(self, value: str) -> str:
        return disarmed(value)

    def code(self, value: str) -> str:
        return disarmed(value)

    def strong(self, value: str) -> str:
        return self.text(value)

    def link(self, label: str, url: str) -> str:
        return f"{self.text(label)} {url}"

    def heading(self, value: str) -> str:
        return self.text(value)

    def title(self, value: str) -> str:
        return self.text(value)

    def span(self, span: Span) -> str:
        if span.kind == "link":
            return self.link(span.text, span.url)
        draw: Callable[[str], str] = {"text": self.text, "code": self.code, "strong": self.strong}[span.kind]
        return draw(span.text)

    def item(self, item: Item) -> str:
        at = item.index(BREAK) if BREAK in item else len(item)
        lines = [self.line(item[:at]), *([self.item(item[at + 1 :])] if at < len(item) else [])]
        return f"{self.newline}  ".join(lines)

    def line(self, item: Item) -> str:
        """In plain text addresses come last: programs would take what follows for a part of one."""
        if type(self) is not Markup:
            return "".join(map(self.span, item))
        words = "".join(self.text(span.text) if span.kind == "link" else self.span(span) for span in item)
        return " ".join([words, *(span.url for span in item if span.kind == "link")])

    def section(self, section: Section) -> str:
        lines = [self.heading(section.heading), *(self.bullet + self.item(item) for item in section.items)]
        return self.newline.join(lines)

    def blocks(self, edition: Edition) -> list[str]:
        """Everything but the title and where to read on."""
        parts = [self.item(item) for item in edition.lead]
        parts += [self.section(section) for section in edition.sections if section.items]
        return [*parts, self.text(edition.rest)] if edition.rest else parts

    def body(self, edition: Edition) -> str:
        """Everything but the title."""
        return self.blank.join([*self.blocks(edition), *map(self.span, edition.links)])

    def whole(self, edition: Edition) -> str:
        return self.blank.join([self.title(edition.title), self.body(edition)])


class Marked(Markup):
    """Chats with marks: emphasis has one on both sides, code stands in backticks, which a stranger's own cannot end."""

    emphasis, tick = "**", "ˋ"

    def code(self, value: str) -> str:
        inside = self.inside(disarmed(value).replace("`", self.tick))
        return f"`{inside}`" if inside.strip() else ""

    def inside(self, code: str) -> str:
        return code.replace("<", f"<{JOINER}")

    def strong(self, value: str) -> str:
        return f"{self.emphasis}{self.text(value)}{self.emphasis}" if value.strip() else ""

    def heading(self, value: str) -> str:
        return self.strong(value)

    def title(self, value: str) -> str:
        return self.strong(value)


class Soft(Marked):
    """Markdown of WeCom and DingTalk: without escapes, so its marks are broken where they could take effect."""

    tick = "'"
    _MARKS = re.compile(r"<(?=\S)|\](?=[(\[])|\*(?=\*)|_(?=_)|~(?=~)|!(?=\[)|(?<!\w)[*_](?=\S)")

    def text(self, value: str) -> str:
        return self._MARKS.sub(lambda m: m[0] + JOINER, disarmed(value).replace("`", "'"))

    def link(self, label: str, url: str) -> str:
        inside = re.sub(r"[\[\]]", lambda m: {"[": "［", "]": "］"}[m[0]], self.text(label))
        return f"[{inside}]({url})"

    def title(self, value: str) -> str:
        return f"### {self.text(value)}"


class DingTalk(Soft):
    """A line break needs two blanks before it."""

    bullet, newline = "- ", "  \n"


class Feishu(Marked):
    """Markdown of cards: every mark is written as a character reference, as Feishu documents it; there is no code."""

    _MARKS = re.compile(r"[&<>*_~`\[\]()#:$!/\\+\"'-]")

    def text(self, value: str) -> str:
        return self._MARKS.sub(lambda m: f"&#{ord(m[0])};", disarmed(value))

    code = text

    def link(self, label: str, url: str) -> str:
        return f"[{self.text(label)}]({url})"


class Slack(Marked):
    """mrkdwn: three characters have escapes; emphasis has none and is written with characters that look alike."""

    emphasis = "*"
    _ALIKE = str.maketrans({"*": "∗", "~": "∼", "`": "ˋ", "&": "&amp;", "<": "&lt;", ">": "&gt;"})
    _EDGE = re.compile(r"(?<![A-Za-z0-9_])_|_(?![A-Za-z0-9_])")

    def text(self, value: str) -> str:
        return self._EDGE.sub("\uff3f", disarmed(value)).translate(self._ALIKE)

    def inside(self, code: str) -> str:
        return escape(code, quote=False)

    def link(self, label: str, url: str) -> str:
        return f"<{escape(url, quote=False)}|{self.text(label).replace('|', '¦')}>"


class Discord(Marked):
    """Markdown with backslashes."""

    _MARKS = re.compile(r"[\\*_~`|>\[\]()#<-]")

    def text(self, value: str) -> str:
        escaped = self._MARKS.sub(lambda m: "\\" + m[0], disarmed(value))
        return escaped.replace("\\<", f"\\<{JOINER}")

    def link(self, label: str, url: str) -> str:
        return f"[{self.text(label)}](<{url}>)"


class Html(Markup):
    """Telegram's few tags; Matrix takes them too."""

    def text(self, value: str) -> str:
        return escape(disarmed(value), quote=False)

    def code(self, value: str) -> str:
        return f"<code>{self.text(value)}</code>" if value.strip() else ""

    def strong(self, value: str) -> str:
        return f"<b>{self.text(value)}</b>"

    heading = title = strong

    def link(self, label: str, url: str) -> str:
        return f'<a href="{escape(url)}">{self.text(label)}</a>'


class Matrix(Html):
    """Lines need tags of their own."""

    newline, blank = "<br/>", "<br/><br/>"


class Mail(Html):
    """HTML with its style beside each tag: mail programs drop style sheets."""

    _STYLE: ClassVar[Mapping[str, str]] = {
        "code": "font-family:ui-monospace,Consolas,monospace;font-size:13px;background:#f0f1f3;padding:1px 4px;border-radius:3px",
        "h2": "font-size:16px;margin:20px 0 6px;color:#1f2328",
        "li": "margin:0 0 8px",
    }

    def code(self, value: str) -> str:
        return f'<code style="{self._STYLE["code"]}">{self.text(value)}</code>' if value.strip() else ""

    def link(self, label: str, url: str) -> str:
        return f'<a href="{escape(url)}" style="color:#0550ae">{self.text(label)}</a>'

    def heading(self, value: str) -> str:
        return f'<h2 style="{self._STYLE["h2"]}">{self.text(value)}</h2>'

    def title(self, value: str) -> str:
        return f'<h1 style="font-size:20px;margin:0 0 12px;color:#1f2328">{self.text(value)}</h1>'

    newline = "<br>"

    def section(self, section: Section) -> str:
        listed = "".join(f'<li style="{self._STYLE["li"]}">{self.item(item)}</li>\n' for item in section.items)
        return f'{self.heading(section.heading)}\n<ul style="margin:0;padding-left:20px">\n{listed}</ul>'

    def body(self, edition: Edition) -> str:
        parts = [f'<p style="margin:0 0 8px">{self.item(item)}</p>' for item in edition.lead]
        parts += [self.section(section) for section in edition.sections if section.items]
        last = [*([self.text(edition.rest)] if edition.rest else []), *map(self.span, edition.links)]
        return "\n".join([*parts, *(f'<p style="margin:20px 0 0">{one}</p>' for one in last)])

    def whole(self, edition: Edition) -> str:
        return f"{self.title(edition.title)}\n{self.body(edition)}"
