"""Links: a label that names something names what the link leads to; files and tags that are linked exist."""

from __future__ import annotations

import re
from urllib.parse import unquote

from daybreak.core.markdown_page import Link, plain
from daybreak.verify.check_input import Study
from daybreak.verify.context import Address, Spot, address

_HEX = re.compile(r"[0-9a-f]{7,64}")
_NUMBER = re.compile(r"(?:PR|MR|Issue|Pull|issue|pull)?\s*#(\d{1,9})")
_SAYS_PULL = re.compile(r"(?:^|[\s*_|(（\-])(?:PR|MR|Pull Request|pull request|合并请求)\s*\**\s*[:：]\s*\**\s*<?\[?$")
_LONE = re.compile(r"\[#(\d{1,9})\]|\*\*#(\d{1,9})\*\*")


def check(study: Study) -> None:
    for spot in study.prose:
        known = [(link, found) for link in spot.line.links if (found := address(link.target))]
        for link, found in known:
            _label(study, spot, link, found)
            _file(study, spot, link, found)
        _lone(study, spot, known)
        others = sum(not address(link.target) for link in spot.line.links if link.target.startswith("http"))
        if others:
            study.findings.unknown("link", "an address outside of the mirrors", others)


def _label(study: Study, spot: Spot, link: Link, found: Address) -> None:
    line, span = spot.line.number, (link.start, link.end)
    before = spot.line.text[max(0, link.start - 24) : link.start]
    if found.kind in ("commit", "commits") and _SAYS_PULL.search(before):
        said = f"PR: {link.target}"
        study.findings.false("label", line, said, "is called a pull request and leads to a commit", span)
    if not link.labelled:
        return
    label = plain(link.label).strip("`* ")
    if found.kind in ("commit", "commits") and _HEX.fullmatch(label):
        words = f"the label says {label[:12]}, the link leads to {found.rest[:12]}"
        study.findings.decide(found.rest.startswith(label), "label", line, label, words, span)
    number = _NUMBER.fullmatch(label)
    if number and found.kind in ("pull", "issues"):
        words = f"the label says #{number[1]}, the link leads to #{found.rest}"
        study.findings.decide(number[1] == found.rest.split("/")[0], "label", line, label, words, span)
    elif number and found.kind in ("commit", "commits"):
        study.findings.false("label", line, label, "is labelled as a pull request and leads to a commit", span)


def _lone(study: Study, spot: Spot, known: list[tuple[Link, Address]]) -> None:
    """`[#12] <address>`: a number and one bare address of an item beside it."""
    bare = [(link, found) for link, found in known if not link.labelled and found.kind in ("pull", "issues")]
    if len(bare) != 1:
        return
    said = [m for m in _LONE.finditer(spot.line.text) if not any(k.start <= m.start() < k.end for k, _ in known)]
    if len(said) == 1:
        number, target = said[0][1] or said[0][2], bare[0][1].rest.split("/")[0]
        words = f"says #{number}, the link leads to #{target}"
        study.findings.decide(number == target, "label", spot.line.number, f"#{number}", words, said[0].span())


def _file(study: Study, spot: Spot, link: Link, found: Address) -> None:
    mirror = study.known.by_url.get(found.base)
    name = ""
    if found.kind in ("blob", "tree", "raw") and "/" in found.rest:
        ref, _, path = unquote(found.rest).partition("/")
        name = f"{ref}:{path}" if _HEX.fullmatch(ref) or ref in ("main", "master", "HEAD") else ""
        name = name.replace("main:", "HEAD:").replace("master:", "HEAD:") if not _HEX.fullmatch(ref) else name
    elif found.kind == "releases" and found.rest.startswith("tag/"):
        name = f"refs/tags/{unquote(found.rest[4:])}"
    if not name or "\n" in name or mirror is None:
        if found.kind and found.kind not in ("commit", "commits", "pull", "issues"):
            study.findings.unknown("link", "a page of a forge that git does not have")
        return
    there = mirror.holds([name])[name]
    if not there and (name.startswith(("HEAD:", "refs/tags/"))):
        study.findings.unknown("link", "the mirror may be older or newer than the link")
        return
    words = f"{mirror.name} has no {unquote(found.rest)[:80]}"
    study.findings.decide(there, "link", spot.line.number, link.target, words, (link.start, link.end))
