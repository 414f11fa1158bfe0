"""A page of ours as text for an issue on GitHub: it shows the same, and nothing in it takes effect.

GitHub finds mentions, issue numbers and addresses in plain text after Markdown is done, notifies people and leaves
backlinks on other people's issues. In plain text a word joiner breaks these marks; links to GitHub go through
redirect.github.com, which GitHub offers for links that are to leave no trace where they lead; code shows as it is,
since GitHub looks for nothing there. Upstream text was disarmed when the page was made; this does not rely on it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from daybreak.core.words.phrases import REFERENCE, Phrases, languages, phrases

JOINER = "\u2060"
"""Zero width, no line break, not part of any word."""
LONGEST_TITLE = 250

Link = Callable[[str], str | None]
"""The address that a link leads to in its new place; None: its words stay, the link goes."""

_FENCE = re.compile(r"( {0,8})(`{3,})[a-z0-9]*")
_TOKEN = re.compile(
    r"(?P<image>!?)\[(?P<label>(?:\\.|`[^`]*`|[^\[\]\\`])*)\]\((?P<target>[^()\s<>]*)\)"
    r"|<code>(?P<code>[^<]*)</code>"
    r"|(?P<anchor><a id=\"[\w.-]*\"></a>)"
    r"|(?P<tag></?(?:details|summary|b)>)"
    r"|(?P<ticks>`+)"
    r"|(?P<escape>\\.)"
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_PLAIN = re.compile(r"[A-Za-z0-9@#:/.-]")
_LIVE = re.compile(
    rf"(?P<entity>&(?:#\d{{1,7}}|#[xX][0-9a-fA-F]{{1,6}});)|(?P<at>@)(?![\s{JOINER}]|$)|(?P<number>#|[Gg][Hh]-)(?=\d)|(?P<address>:)(?=//)|(?P<bare>/)(?=/\w)"
    r"|(?P<www>[Ww]{3})(?=\.)|(?P<emoji>:)(?=[A-Za-z_+-][A-Za-z0-9_+-]*:)"
)
_ADDRESS = re.compile(r":(?=//)|/(?=/\w)|[Ww]{3}(?=\.)")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2061-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def disarmed(markdown: str, link: Link) -> str:
    """The page with every link led elsewhere or dropped and every live mark broken; code blocks stay as they are."""
    lines = _INVISIBLE.sub("", markdown.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    marked = zip(lines, fenced_lines(lines), strict=True)
    return "\n".join(line if in_code else _line(line, link) for line, in_code in marked)


def title(text: str) -> str:
    """One line for the title of an issue, in which GitHub finds marks as well."""
    plain = html.unescape(_INVISIBLE.sub("", " ".join(text.split())))
    return _broken(plain.replace("`", "'"))[:LONGEST_TITLE].strip()


def fenced_lines(lines: list[str]) -> Iterator[bool]:
    """For each line, whether it stands in a code block; one without an end is none."""
    number = 0
    endless: set[str] = set()
    while number < len(lines):
        block = _fenced(lines, number, endless)
        yield from [bool(block)] * (block or 1)
        number += block or 1


def _fenced(lines: list[str], start: int, endless: set[str]) -> int:
    """How many lines the code block has that begins here; `endless`: ends that were looked for and are not there."""
    opened = _FENCE.fullmatch(lines[start])
    end = opened[1] + opened[2] if opened else ""
    if not opened or end in endless:
        return 0
    try:
        return lines.index(end, start + 1) - start + 1
    except ValueError:
        endless.add(end)
        return 0


def _line(line: str, link: Link) -> str:
    found = _inline(line, link)
    # Programs that listen to issues take a line that begins with a slash for an order.
    found = re.sub(r"^(\s*)/(?=\w)", rf"\1{JOINER}/", found)
    return re.sub(r"^(\s*)~(?=~~)", r"\1\~", found)  # a code block that we did not open would swallow the rest


def _inline(text: str, link: Link) -> str:
    out: list[str] = []
    plain: list[str] = []
    at = 0

    def flush() -> None:
        out.append(_text("".join(plain), starts=not out))
        plain.clear()

    # In a line of HTML, backticks are no code.
    spans = not re.search(r"</?(?:details|summary)>", text)
    while found := _TOKEN.search(text, at):
        plain.append(_unlinked(text[at : found.start()]))
        at, kind = found.end(), found.lastgroup
        if kind == "escape":
            plain.append(found[0])
            continue
        if kind == "ticks":
            closing = _closing(text, found) if spans else None
            if closing is None:
                plain.append("&#96;" * len(found[0]))
                continue
            flush()
            out.append(text[found.start() : closing])
            at = closing
            continue
        flush()
        out.append(_kept(found, link))
    plain.append(_unlinked(text[at:]))
    flush()
    return "".join(out)


def _unlinked(text: str) -> str:
    """A bracket that opens no link of the form that we write opens none at all."""
    return text.replace("[", "&#91;")


def _closing(text: str, ticks: re.Match[str]) -> int | None:
    """Where the code span ends that these backticks open."""
    run = ticks[0]
    found = re.compile(rf"(?<!`){run}(?!`)").search(text, ticks.end())
    return found.end() if found else None


def _kept(found: re.Match[str], link: Link) -> str:
    """A link, a tag, or code as HTML, in which Markdown still finds links and GitHub addresses."""
    if found.lastgroup == "anchor":
        return ""
    if found.lastgroup == "target":
        return _linked(found, link)
    if found.lastgroup == "code":
        return (
            f"<code>{_ADDRESS.sub(lambda m: f'{m[0]}{JOINER}', _unlinked(found['code'])).replace('`', '&#96;')}</code>"
        )
    return found[0]


def _linked(found: re.Match[str], link: Link) -> str:
    label = _inline(found["label"], lambda _: None)
    target = None if found["image"] else link(found["target"])
    return f"[{label}]({target})" if target else label


def _text(text: str, *, starts: bool) -> str:
    """Plain text between code and links; `starts`: a line begins with it."""
    if not text:
        return ""
    head = re.match(r"\s*(?:[-+*>#]+ |\d{1,9}[.)] )*", text) if starts else None
    lead = head[0] if head else ""
    rest = _ENTITY.sub(_decoded, text[len(lead) :])
    # What is no tag that we write is not one: comments, scripts, autolinks.
    return lead + _broken(rest).replace("<", "&lt;")


def _decoded(entity: re.Match[str]) -> str:
    """Letters and marks that are written as entities are live again when GitHub looks for them: broken like others."""
    plain = html.unescape(entity[0])
    if _PLAIN.fullmatch(plain) and (entity.start() or plain.isalpha()):  # in front, the others would be markup
        return plain
    return entity[0] + (JOINER if plain in "@#:/" else "")


def _broken(text: str) -> str:
    return _LIVE.sub(lambda found: found[0] if found["entity"] else f"{found[0]}{JOINER}", text)


# --- Fits a page into what GitHub takes: whole sections go, the least important first, and the page says which ---


MOST = 65_536
"""Characters of a body, as GitHub counts and says."""
ROOM = 64_800
"""What is filled of it: the sentences about what is left out need some."""


def size(text: str) -> int:
    """Characters as the strictest of GitHub's counts may have it: beyond the basic plane and line ends as two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2 + text.count("\n")


@dataclass(slots=True)
class _Part:
    """A section with its sub-sections; the last block, which leads on, stays."""

    head: str
    parts: list[str]
    tail: str = ""
    left_out: list[str] = field(default_factory=list)

    def text(self, place: str, t: Phrases) -> str:
        told = [t("left_out", names=t("list").join(self.left_out), place=place)] if self.left_out else []
        return "\n\n".join(one for one in (self.head, *self.parts, *told, self.tail) if one)


def shortened(page: str, language: str, place: str, most: int = ROOM) -> str:
    """The page, or as much of it as there is room for; `place` says where all of it is."""
    t = phrases(language if language in languages() else REFERENCE, "publish")
    if size(page) <= most:
        return page
    head, *sections = _split(page, "## ")
    parts = [_part(section) for section in sections]
    kept = list(parts)
    while (excess := size(made := _joined(head, kept, parts, t, place)) - most) > 0:
        if any(one.parts for one in kept):
            _leave_out(kept, excess)
        elif kept:
            kept.pop()
        else:
            return _cut(head, most)
    return made


def _leave_out(kept: list[_Part], excess: int) -> None:
    """Last sub-sections of sections, the longest of them first, until so much is gone or none is left."""
    while excess > 0 and (full := [one for one in kept if one.parts]):
        longest = max(full, key=lambda one: len(one.parts[-1]))
        gone = longest.parts.pop()
        longest.left_out.insert(0, _name(gone))
        excess -= size(gone)


def _joined(head: str, kept: list[_Part], parts: list[_Part], t: Phrases, place: str) -> str:
    gone = [_name(one.head) for one in parts[len(kept) :]]
    count = sum(len(one.left_out) for one in kept) + len(gone)
    said = [t("limit", n=count, place=place)] if count else []
    end = [t("left_out", names=t("list").join(gone), place=place)] if gone else []
    return "\n\n".join([head.strip("\n"), *said, *(one.text(place, t) for one in kept), *end]) + "\n"


def _part(section: str) -> _Part:
    head, *parts = _split(section, "### ")
    tail = ""
    if parts:
        before, _, last = parts[-1].rpartition("\n\n")
        if before and not last.startswith(("#", "<", "`", "-", "|", " ")) and "](" in last:
            parts[-1], tail = before, last
    return _Part(head, parts, tail)


def _split(text: str, mark: str) -> list[str]:
    """Before the first heading of this depth, and from each one to the next; a `#` in code is no heading."""
    lines = text.split("\n")
    pieces: list[list[str]] = [[]]
    for line, in_code in zip(lines, fenced_lines(lines), strict=True):
        if line.startswith(mark) and not in_code:
            pieces.append([])
        pieces[-1].append(line)
    return ["\n".join(piece).strip("\n") for piece in pieces]


def _name(section: str) -> str:
    return section.partition("\n")[0].lstrip("# ").strip()


def _cut(text: str, most: int) -> str:
    """At a whole line: nothing but the head of a page is left, and it is too long all the same."""
    kept: list[str] = []
    for line in text.split("\n"):
        if size("\n".join([*kept, line, "…"])) > most:
            break
        kept.append(line)
    return "\n".join([*kept, "…"]) + "\n"
