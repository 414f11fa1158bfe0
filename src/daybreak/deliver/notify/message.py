"""A message: titles, items of spans, what is left out, and the markups of targets in which a stranger's text stays text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import ClassVar, Literal, NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.core.text import clean, shortened
from daybreak.core.words.brief import advised, last_advice
from daybreak.core.words.grammar import parted
from daybreak.core.words.phrases import table
from daybreak.report.render.escape import JOINER

Kind = Literal["text", "code", "strong", "link"]
Tone = Literal["calm", "alarm"]


class Span(NamedTuple):
    """A piece of one line; `link` needs an address of ours."""

    kind: Kind
    text: str
    url: str = ""


Item = tuple[Span, ...]


SPARE = 0
"""Of a section that stands only where there is room."""


class Section(Struct, frozen=True):
    """A heading with its items, the most important first."""

    heading: str
    items: tuple[Item, ...]
    hidden: int = 0
    """Items that are not told here."""
    keep: int = 1
    """Sections with a smaller number give up items first; `SPARE` ones all of them."""


class Edition(Struct, frozen=True):
    """The message in one language."""

    title: str
    lead: tuple[Item, ...]
    sections: tuple[Section, ...] = ()
    link: Span | None = None
    more: str = "and {n} more"
    language: str = "en"


class Message(Struct, frozen=True):
    """What is sent: one edition for each language of the target."""

    editions: tuple[Edition, ...]
    key: str = ""
    """The same for each try, so that a target that can tells a second one from the first."""
    tone: Tone = "calm"
    facts: dict[str, str] = field(default_factory=dict)
    """For programs: event, day."""

    @property
    def title(self) -> str:
        return self.editions[0].title


# --- spans from sentences of a report ----------------------------------------------------------------------------------

_SENTENCE = re.compile(r"(?<=[。！？])(?![”」])|(?<=[.!?])(?=\s)|(?<=[.!?…。！？][”」])(?!\s?[:：→])")
_WHOLE = re.compile(r"(?:[。！？.!?][”」]?|…[”」])\s*$")
LONGEST = 280
"""Characters of an item's sentences."""
LONGEST_CODE = 90


_QUOTES = {"“": "”", "「": "」"}
_BEGUN = re.compile(r"\s*(?:[(（][^()（）]*)?$")
"""A bracket that nothing closes any more."""
_TITLED = 48
"""Characters of a title by which a change is still known."""
_PLACE = re.compile(r"\s?[(（]`[^`\s]*/[^`\s]*`[)）]")
"""The file where it stands, which the page has."""


def entry(said: str, language: str, most: int = LONGEST) -> Item:
    """An entry of the report within one limit: where it is too long the file goes first, then the end of a title before a
    fact, then what is told of the change ends sooner, then what to do; which release has it stays.
    """
    if _length(said) > most:
        said = _PLACE.sub("", said)
    what, way = advised(said, language)
    if not way or _length(said) <= most:
        return _told(said, most)
    space = table(language, "grammar")["space"]
    last = spans(last_advice(said, language), most // 2)
    do = way.strip()[: -len(last_advice(said, language))].strip()
    tail = _together(spans(do, most // 2 - len(plain(last)) - 1), last, space) if do else last
    return _together(_told(what, most - len(plain(tail)) - 1), tail, space)


def _told(what: str, most: int) -> Item:
    """Where not even one sentence fits, a title gives way to what is known; words that are quoted give way to it."""
    told = spans(what, most)
    title, rest = parted(what)
    if not plain(told).endswith("…") or not title or any(mark in rest for mark in _QUOTES):
        return told
    bare = title.replace("`", "")
    shorter = shortened(bare, max(_TITLED, len(bare) - (_length(what) - most)))
    return spans(what.replace(title, shorter, 1), most)


def _together(head: Item, tail: Item, space: str) -> Item:
    return (*head, Span("text", space), *tail) if head else tail


def _length(said: str) -> int:
    return len(plain(tuple(_pieces(said))))


def spans(sentence: str, most: int = LONGEST) -> Item:
    """A sentence of a report, `code` in backticks; cut after a whole sentence when it is long."""
    return tuple(_fitting(_pieces(sentence), most))


def _pieces(sentence: str) -> Iterator[Span]:
    parts = clean(sentence).split("`")
    if len(parts) % 2 == 0:  # a lone backtick is a literal one
        parts[-2:] = ["`".join(parts[-2:])]
    for number in range(1, len(parts) - 2, 2):
        if parts[number + 1] == " → ":  # both sides are cut where they differ
            parts[number], parts[number + 2] = contrast(parts[number], parts[number + 2], LONGEST_CODE)
    for number, part in enumerate(parts):
        if part:
            yield Span("code", shortened(part, LONGEST_CODE)) if number % 2 else Span("text", part)


def _fitting(pieces: Iterator[Span], most: int) -> Iterator[Span]:
    """Whole sentences as long as there is room; of the first one, whole words. No quotation is left open."""
    out: list[Span] = []
    used = whole = 0
    for span in pieces:
        for part in [p for p in _SENTENCE.split(span.text) if p] if span.kind == "text" else [span.text]:
            if used + len(part) > most:
                yield from out[:whole] if whole else _begun(out, span.kind, part, most)
                return
            out.append(Span(span.kind, part))
            used += len(part)
            if span.kind == "text" and _WHOLE.search(part) and not _open(out):
                whole = len(out)
    yield from out


def _begun(out: list[Span], kind: Kind, part: str, most: int) -> Iterator[Span]:
    """With as much of a part as there is room for; a quotation that is open ends there, a bracket does not begin."""
    room = most - len(plain(tuple(out))) - 1  # for the end of a quotation
    if kind == "text" and room > 20:
        start = part[: len(part) - len(part.lstrip())]  # between it and the code before it
        out = [*out, Span("text", start + shortened(part, room - len(start)))]
    else:
        while out and (over := len(plain(tuple(out))) - (most - 3)) > 0:
            last = out[-1]
            kept = shortened(last.text, len(last.text) - over).rstrip("…") if last.kind == "text" else ""
            out = [*out[:-1], last._replace(text=kept)] if kept.strip() else out[:-1]
        out = [*out[:-1], out[-1]._replace(text=_BEGUN.sub("", out[-1].text)), Span("text", " …")] if out else []
    yield from out
    if end := _open(out):
        yield Span("text", end)


def _open(some: Sequence[Span]) -> str:
    """The mark that closes a quotation which is open at the end; empty: none is."""
    said = plain(tuple(some))
    return next((end for begin, end in _QUOTES.items() if said.count(begin) > said.count(end)), "")


def contrast(before: str, after: str, most: int) -> tuple[str, str]:
    """Two texts, shortened so that what differs is seen: what both begin with, or end with, gives way first."""
    before, after = clean(before).strip(), clean(after).strip()
    if max(len(before), len(after)) > most and before and after:
        same = next(
            (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
        )
        while same and (before[same - 1].isalnum() or before[same - 1] == "_"):
            same -= 1
        if same > most // 3:
            before, after = f"…{before[same:]}", f"…{after[same:]}"
    return shortened(before, most), shortened(after, most)


def plain(item: Item) -> str:
    return "".join(span.text for span in item)


# --- Makes a message fit its target: items go as a whole, the least important first, and the rest is counted ---


Size = Callable[[str], int]


def without_subject(sentence: str, subject: str) -> str:
    """What follows a subject need not begin with it again."""
    title, rest = parted(sentence)
    return rest[1:].lstrip() if title and title.rstrip("…") in subject and rest[:1] in ":：" else sentence


def is_safe(address: str) -> bool:
    """An address that no markup of a message can be broken by."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not set(address) & set(" <>\"'`\\()[]|\n\r\t")


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
    """Without the last item of the section that matters least: what is only worth knowing goes, then all sections are
    brought to three items, to one, to none.
    """
    order = sorted(range(len(edition.sections)), key=lambda number: edition.sections[number].keep)
    for least, up_to in ((0, SPARE), (3, math.inf), (1, math.inf), (0, math.inf)):
        for number in order:
            section = edition.sections[number]
            if section.keep <= up_to and len(section.items) > least:
                smaller = replace(section, items=section.items[:-1], hidden=section.hidden + 1)
                sections = (*edition.sections[:number], smaller, *edition.sections[number + 1 :])
                return replace(edition, sections=sections)
    return None


# --- Markups of the targets: how a title, an item, code and a link are written, and how a stranger's text stays text ---
# A service that has escapes gets escapes. One that has none (WeCom, DingTalk, Slack's emphasis) gets its marks broken
# by a word joiner, which is not seen, or replaced by a character that looks alike. Mentions, emoji codes and bare
# addresses are broken everywhere: services look for them when the markup is done.

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
        """In plain text addresses come last: programs would take what follows for a part of one."""
        if type(self) is not Markup:
            return "".join(map(self.span, item))
        words = "".join(self.text(span.text) if span.kind == "link" else self.span(span) for span in item)
        return " ".join([words, *(span.url for span in item if span.kind == "link")])

    def section(self, section: Section, more: str) -> str:
        lines = [self.heading(section.heading), *(self.bullet + self.item(item) for item in section.items)]
        if section.hidden:
            lines.append(self.bullet + self.text(more.format(n=section.hidden)))
        return self.newline.join(lines)

    def body(self, edition: Edition) -> str:
        """Everything but the title."""
        parts = [self.item(item) for item in edition.lead]
        parts += [self.section(section, edition.more) for section in edition.sections]
        parts += [self.span(edition.link)] if edition.link else []
        return self.blank.join(parts)

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

    def section(self, section: Section, more: str) -> str:
        items = [self.item(item) for item in section.items]
        items += [self.text(more.format(n=section.hidden))] if section.hidden else []
        listed = "".join(f'<li style="{self._STYLE["li"]}">{item}</li>\n' for item in items)
        return f'{self.heading(section.heading)}\n<ul style="margin:0;padding-left:20px">\n{listed}</ul>'

    def body(self, edition: Edition) -> str:
        parts = [f'<p style="margin:0 0 8px">{self.item(item)}</p>' for item in edition.lead]
        parts += [self.section(section, edition.more) for section in edition.sections]
        parts += [f'<p style="margin:20px 0 0">{self.span(edition.link)}</p>'] if edition.link else []
        return "\n".join(parts)

    def whole(self, edition: Edition) -> str:
        return f"{self.title(edition.title)}\n{self.body(edition)}"
