"""Quotes of a message: paragraphs of a commit's body or of a pull request's description that are about the change.

Trailers, templates, checklists, subjects of squashed commits, what bots wrote, and sections on tests are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.model.quotes import Quote
from daybreak.findings.diff import SideLine
from daybreak.findings.quotes.prose import Sentence, is_boilerplate, is_prose, joined, sentences
from daybreak.judge.links.texts import BOX, Block, prose

_TRAILER = re.compile(
    r"\s*[A-Z][A-Za-z]{1,20}(?:-[A-Za-z]{2,20}){1,4}:\s"
    r"|\s*(?:ghstack-source-id|stack-info|Pull Request resolved|Differential Revision)\b"
    r"|\s*(?:[A-Za-z]{2,12}:?\s{1,4}){0,3}(?:#\d{1,9}|@[\w-]{1,60}|<?https?://\S{1,400})[\s,.;)]*$"
)
"""`Signed-off-by: …`, a mark of a tool, `Fixes #12`."""
_ASIDE = re.compile(
    r"test|check ?list|review|related|benchmark|result|\bbot\b|coderabbit|release notes|usage|reproduc|verif|accuracy|misc|todo"
    r"|limitation|essential|how to|environment|disclosure|assist|walkthrough|next step|future|follow",
)
"""Headings of what is not about the change itself."""
_SUBJECT = re.compile(r"\*\s+\S")
"""How a squash lists the commits that it joins."""
_BOT = re.compile(
    r"summary by (?:coderabbit|cursor|copilot)|generated (?:with|by)|\[bot\]|this pr was (?:created|generated)|reviewed by cursor"
    r"|cherry.picked from commit|^\s*(?:this reverts|reverts) commit",
    re.IGNORECASE,
)

_OPENING = 60
"""Characters of a sentence in which it shows whether it is about a tool: a message may name one further on."""
_CHECKED = re.compile(r"\W*(?:verified|tested|validated|benchmarked|checked|test plan|all tests)\b", re.IGNORECASE)
"""How a paragraph begins that says how the change was tried, and not what it is."""


def message_quotes(body: str) -> Iterator[Quote]:
    """Paragraphs that say something, in order; a list belongs to the line that leads to it."""
    held: list[Block] = []
    for block in prose(body).blocks:
        if held and not (block.kind == "item" and _leads(held)):
            yield from _quotes(body, held)
            held = []
        if _tells(block, within=bool(held)):
            held.append(block)
    yield from _quotes(body, held)


def _leads(held: Sequence[Block]) -> bool:
    return held[-1].kind == "item" or held[-1].text.rstrip().endswith(":")


def _tells(block: Block, *, within: bool) -> bool:
    """It is about the change, as far as its form shows."""
    if block.kind not in ("text", "item") or block.folded or _ASIDE.search(block.section):
        return False
    if BOX.match(block.text) or (_SUBJECT.match(block.text) and not within):
        return False
    return not _BOT.search(block.text[:400]) and not block.text.lstrip().startswith("<")


def _quotes(body: str, held: Sequence[Block]) -> Iterator[Quote]:
    lines = ["" if _TRAILER.match(line) else line for block in held for line in block.text.split("\n")]
    found: dict[int, list[Sentence]] = {}
    for one in sentences([SideLine(line, 0, True) for line in lines]):
        found.setdefault(one.paragraph, []).append(one)
    first = body.count("\n", 0, max(body.find(held[0].text[:80]), 0)) + 1 if held else 0
    for sentences_of in found.values():
        said = [one.text for one in sentences_of if not is_boilerplate(one.text[:_OPENING])]
        if any(map(is_prose, said)) and not _CHECKED.match(said[0]):
            yield Quote("body", "", first, "message", joined(said))
