"""Issues and pull requests of a forge: what was collected of them bears out their kind, title and author."""

from __future__ import annotations

import re

from daybreak.core.markdown_page import Link, plain
from daybreak.verify.check_input import Item, Study
from daybreak.verify.checks.titles import alike, within, words_of
from daybreak.verify.context import Spot, address

_TITLE = re.compile(r"[\s|*:：-]{1,6}([^·|]{10,250}?)(?:\*\*)?\s*(?:$|·|\||\((?:open|closed|draft|merged)|（)")
_BY = re.compile(r"(?:作者|[Aa]uthor)\s*\**\s*[:：]\s*\**\s*@?([\w.\[\]-]{1,60})")


def check(study: Study) -> None:
    for spot in study.prose:
        for link in spot.line.links:
            found = address(link.target)
            number = found.rest.split("/")[0] if found else ""
            if found is None or found.kind not in ("issues", "pull") or not number.isdigit():
                continue
            item = study.items.find(found.base, int(number))
            if item is not None:
                _one(study, spot, link, item, found.kind)
            elif found.kind == "issues":
                study.findings.unknown("item", "not among what was collected")


def _one(study: Study, spot: Spot, link: Link, item: Item, kind: str) -> None:
    line, span = spot.line.number, (link.start, link.end)
    if kind == "issues":
        held = item.kind == "issues"
        study.findings.decide(held, "item", line, link.target, f"#{item.number} is a pull request", span)
    said = _BY.search(spot.line.text)
    if said and item.author and len(spot.line.links) == 1:
        held = said[1].lower() == plain(item.author).lstrip("@").lower()
        study.findings.decide(held, "author", line, said[1], f"#{item.number} is by {item.author}", said.span(1))
    behind = _TITLE.match(spot.line.text[link.end : link.end + 300])
    words = words_of(behind[1]) if behind else []
    if behind and words and alike(words, plain(item.title)):
        why = f"the title of #{item.number} is {item.title[:100]!r}"
        study.findings.decide(within(words, plain(item.title)), "title", line, behind[1][:80], why, span)
