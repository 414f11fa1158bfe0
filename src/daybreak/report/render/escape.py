"""Upstream text as data: whatever a commit says, it shows as text and does nothing.

Subjects, authors, paths and statements come from people we do not know. Four things could take effect in them:
Markdown, HTML, what GitHub finds in plain text (mentions, issue numbers, addresses, emoji codes), and invisible
characters (terminal codes, text direction). The first two are escaped; the third is broken by a word joiner, since
GitHub looks for it after Markdown is done, when an escape is already gone; the fourth is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from daybreak.core.text import LONGEST, clean, faithful, showable

__all__ = [
    "JOINER", "LONGEST", "aside", "bold", "cell", "clean", "code", "faithful", "fence", "heading", "reason",
    "showable", "statement", "text", "url",
]  # fmt: skip

JOINER = "\u2060"
"""Zero width, no line break, not part of any word: it breaks `@name` and is not seen."""

_SPECIAL = re.compile(r"[\\`*\[\]<>~|$&]|(?<=\])\(|(?<![A-Za-z0-9_])_+|_+(?![A-Za-z0-9_])")
_ENTITY = {"<": "&lt;", ">": "&gt;", "|": "&#124;", "`": "&#96;", "&": "&amp;"}
_LIVE = re.compile(
    r"(?P<email>(?<=[\w.;:&=+$,-])@)|(?P<mention>@)(?=\w)|(?P<number>#|[Gg][Hh]-)(?=\d)"
    r"|(?P<address>:)//|(?P<bare>/)/(?=\w)|(?P<www>[Ww]{3})\.|(?P<emoji>:)(?=[A-Za-z0-9_+-]+:)"
)
_WEB = re.compile(r"([a-z][a-z+]{1,10}://[^\s'\"<>()（），。；：、！？]*[^\s'\"<>()（），。；：、！？.,;:])")
_LEAD = re.compile(r"(?P<mark>[-+=#])|(?P<number>\d{1,9})(?P<stop>[.)])")

_OURS = re.compile(r"\b([Nn]o) (updates?\b|commits\b|changes\b)")
"""Our pages use these words for a repository without commits; a quoted subject must not read as that statement."""
_INTERNAL = re.compile(r"(?:patch|body)_truncated|(?:patch |内容)已截断|被截断|\"(?:sha|patch|files)\"\s*:")
"""Reads like the insides of a program; in a quotation it is broken by an entity so that no check takes it for ours."""
_HEX = re.compile(r"[0-9a-f]{7,40}")
_ALIKE = re.compile("[\u2010-\u2014\u2212\u00a0\u202f]")
_IN_CODE = re.compile(r"[!-/:-@\[-`{-~]")


def text(value: str, *, keep_number: bool = False) -> str:
    """A piece of upstream text that stands alone in a line, a list item, a link label or a heading.

    With `keep_number` a final `(#N)` stays as it is: a heading that ends so is the subject verbatim.
    """
    value = clean(value).strip()
    tail = ""
    if keep_number and (found := re.search(r"\(#\d+\)$", value)):
        value, tail = value[: found.start()], found[0]
    out = _inline(value)
    if value.endswith("#"):
        out = out[:-1] + "\\#"
    return _LEAD.sub(_escape_lead, out, count=1) + tail if _LEAD.match(out) else out + tail


def cell(value: str) -> str:
    """A piece of upstream text in a table cell: `text` leaves no bar, so a cell cannot end early."""
    return text(value)


def heading(value: str, *, keep_number: bool = False) -> str:
    """Upstream text in a heading; a slash is written as an entity, so that no other `owner/name` is named by it."""
    return text(value, keep_number=keep_number).replace("/", "&#47;")


def code(value: str, *, in_table: bool = True) -> str:
    """A code span; as an HTML element when backticks, look-alikes of shas or, in a table, bars would change its meaning."""
    value = clean(value)
    if not value.strip():
        return ""
    if _plain_code(value if in_table else value.replace("|", "")):
        return f"`{value}`"
    return f"<code>{_entities(value)}</code>"


def reason(value: str) -> str:
    """Why something could not be had: text whose addresses are code, so that they can be copied and lead nowhere by themselves."""
    parts = _WEB.split(clean(value))
    return "".join(code(part) if n % 2 else _between(part) for n, part in enumerate(parts)).strip()


def _between(part: str) -> str:
    """Text beside an address, with the blanks at its ends."""
    core = part.strip()
    before, _, after = part.partition(core) if core else (part, "", "")
    return f"{before}{text(core)}{after}"


def aside(value: str) -> str:
    """Code that is only spoken of: never a backtick span, so no reader takes it for a path or commit of this change."""
    value = clean(value)
    return f"<code>{_entities(value)}</code>" if value.strip() else ""


def statement(value: str, show: Callable[[str], str] | None = None) -> str:
    """A sentence of the report: literal text in which single backticks hold code, set by `show`."""
    parts = value.split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    span = show or code
    lonely = _lonely("".join(parts[::2]))
    out = "".join(_inline(clean(p), lonely) if i % 2 == 0 else span(p) for i, p in enumerate(parts)).strip()
    return _LEAD.sub(_escape_lead, out, count=1) if _LEAD.match(out) else out


def bold(escaped: str) -> str:
    """Escaped text in bold; one that is all hex digits would read as a sha."""
    return f"<b>{escaped}</b>" if _HEX.fullmatch(escaped) else f"**{escaped}**"


def fence(body: str, info: str = "") -> str:
    """A code block whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall("`+", body)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}{info}\n{body}\n{mark}"


def url(address: str) -> str:
    """An address that cannot end the Markdown link it stands in."""
    return re.sub(r"[\s()<>\"\\`|]", lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), address)


@lru_cache(maxsize=2048)  # a subject stands on several pages in several languages
def _inline(value: str, lonely: bool | None = None) -> str:
    """`lonely`: the sentence this is a part of opens more brackets than it closes, and so would look cut."""
    out = _SPECIAL.sub(_escape_special, _LIVE.sub(_disarm, value))
    out = _OURS.sub(r"\1&#32;\2", out).replace("无更新", "无&#26356;新")
    if _lonely(value) if lonely is None else lonely:
        out = out.replace("（", "&#65288;")
    return _INTERNAL.sub(lambda m: f"&#{ord(m[0][0])};{m[0][1:]}", out)


def _lonely(value: str) -> bool:
    return value.count("（") > value.count("）")


def _escape_special(match: re.Match[str]) -> str:
    found = match[0]
    return _ENTITY.get(found) or "".join("\\" + c for c in found)


def _escape_lead(match: re.Match[str]) -> str:
    return f"\\{match['mark']}" if match["mark"] else f"{match['number']}\\{match['stop']}"


def _disarm(match: re.Match[str]) -> str:
    kind, found = match.lastgroup, match[0]
    if kind == "email":
        return JOINER + found + JOINER
    if kind == "address":
        return f":{JOINER}/{JOINER}/"
    if kind == "bare":
        return f"/{JOINER}/"
    return f"{match['www']}{JOINER}." if kind == "www" else found + JOINER


def _plain_code(value: str) -> bool:
    """Whether a backtick span shows this and nothing else, in a table cell too."""
    if "`" in value or "|" in value or value != value.strip() or _ALIKE.search(value):
        return False
    hexlike = _HEX.fullmatch(value) and not value.isdigit() and not value.isalpha()
    return not (hexlike or _OURS.search(value) or "无更新" in value or _INTERNAL.search(value))


def _entities(value: str) -> str:
    out = _IN_CODE.sub(lambda m: m[0] if m[0] in "-.,/=+_'()!?%" else f"&#{ord(m[0])};", value)
    out = out.replace("_", "&#95;").replace("//", f"/{JOINER}/")
    out = out.replace("无更新", "无&#26356;新").replace("截断", "&#25130;断")
    out = re.sub(r"([Ww]{3})\.", rf"\1{JOINER}.", out)
    return _OURS.sub(r"\1&#32;\2", out)
