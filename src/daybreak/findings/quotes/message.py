"""The commit's message in paragraphs: without trailers, templates, checklists, lists of squashed commits and bots."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.model.quotes import Quote
from daybreak.findings.diff import SideLine
from daybreak.findings.quotes.prose import Sentence, is_boilerplate, is_prose, joined, sentences

LONGEST = 20_000
"""Characters of a body that are looked at."""
_HIDDEN = (("<!--", "-->"), ("<details>", "</details>"), ("```", "```"))
"""What readers of the message do not see, or see as code."""
_TRAILER = re.compile(
    r"\s*[A-Z][A-Za-z]{2,20}(?:-[A-Za-z]{2,20}){1,4}:\s|\s*(?:ghstack-source-id|stack-info|Pull Request resolved|Differential Revision|Closes?|Fixe?[sd]?|Resolves?|Refs?|cc|Signed|PR|Change-Id|PiperOrigin\S*):?\s*(?:#|@|<?https?:|PR:|\d|by:|I[0-9a-f]{20})"
)
_HEADING = re.compile(r"\s*(?:#{1,6}\s+|\*\*)(.{1,100}?)(?:\*\*:?)?\s*$")
_ASIDE = re.compile(
    r"test|check ?list|review|related|benchmark|result|bot\b|coderabbit|release notes|usage|reproduc|verif|accuracy|misc|todo|limitation|"
    r"essential|how to|environment|disclosure|assist|walkthrough|next step|future|follow",
    re.IGNORECASE,
)
"""Headings of what is not about the change itself."""
_SUBJECT = re.compile(r"\*\s+\S")
"""How a squash lists the commits that it joins."""
_BOX = re.compile(r"\s*[-*]\s*\[[ xX]\]")
_BOT = re.compile(
    r"summary by (?:coderabbit|cursor|copilot)|generated (?:with|by)|\[bot\]|claude code|this pr was (?:created|generated)|auto-?merge"
    r"|sourcery|codeium|gemini-code|reviewed by cursor|cherry.picked from commit|^\s*(?:this reverts|reverts) commit",
    re.IGNORECASE,
)


def paragraphs(body: str) -> Iterator[Quote]:
    """Paragraphs that say something, in order, each with its first line."""
    text = body[:LONGEST].replace("\r", "")
    for opening, closing in _HIDDEN:
        text = _blanked(text, opening, closing)
    aside = away = False
    held: list[SideLine] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        heading = _HEADING.match(line) if len(line) < 140 else None
        if held and not line.strip() and held[-1].text.rstrip().endswith(":"):
            continue  # the list that it leads to stands below
        if heading or not line.strip() or _dropped(line, held):
            yield from () if aside else _paragraph(held)
            held, away = [], not heading and bool(line.strip())
            aside = bool(_ASIDE.search(heading[1])) if heading else aside
        elif not away:
            held.append(SideLine(line, number, True))
    yield from () if aside else _paragraph(held)


def _blanked(text: str, opening: str, closing: str) -> str:
    """Without what stands between two marks, or behind one that is never closed; its line breaks stay."""
    out, at = "", 0
    while (start := text.find(opening, at)) >= 0:
        end = text.find(closing, start + len(opening))
        end = len(text) if end < 0 else end + len(closing)
        out += text[at:start] + "\n" * text.count("\n", start, end)
        at = end
    return out + text[at:]


def _dropped(line: str, held: list[SideLine]) -> bool:
    """A trailer, a box of a checklist, a word of a bot, a row of a table, the subject of a squashed commit.

    What stands below it without a blank line goes with it; items below a line that ends with a colon are its own.
    """
    if _SUBJECT.match(line) and not (held and any(x.text.rstrip().endswith(":") for x in held)):
        return True
    return bool(
        _TRAILER.match(line) or _BOX.match(line) or _BOT.search(line[:400]) or line.lstrip().startswith(("|", ">", "<"))
    )


def _paragraph(lines: list[SideLine]) -> Iterator[Quote]:
    found: dict[int, list[Sentence]] = {}
    for one in sentences(lines):
        found.setdefault(one.paragraph, []).append(one)
    for said in found.values():
        if any(is_prose(one.text) for one in said) and not any(is_boilerplate(one.text) for one in said):
            yield Quote("body", "", said[0].line, "message", joined(one.text for one in said))
