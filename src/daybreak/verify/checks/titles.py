"""Quoted titles: a heading that ends in a pull request's number is the commit's subject, and quoted words are its words."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from daybreak.core.markdown_page import plain
from daybreak.verify.check_input import Study
from daybreak.verify.context import Spot
from daybreak.verify.mirror import Commit

_NUMBERED = re.compile(r"\(#(\d{1,9})\)\s*$")
_MARKS = re.compile("^[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\\s*_#]+")
_QUOTED = re.compile(r'"([^"\n]{20,300})"|“([^“”\n]{20,300})”|「([^」\n]{20,300})」|\*\*?([A-Za-z\[(][^*\n]{18,300})\*')
_WORD = re.compile(r"[a-z0-9]+")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\*\*)?(\S.{0,400}?)(?:\*\*)?\s{0,3}(?:\(?\[|<https?:)")
_SPACE = re.compile(r"\s+")
_SMALL = {"a", "an", "and", "by", "for", "from", "in", "of", "on", "the", "to", "with"}
_ALIKE, _FEWEST = 0.8, 5
"""Share of the words that make it a quotation, and the fewest words that do."""


def check(study: Study) -> None:
    for spot in study.prose:
        if spot.issues or spot.foreign or not spot.commits:
            continue
        if spot.line.number - spot.title_line <= 3 and spot.own and spot.title:
            _heading(study, spot)
        if spot.line.item and spot.own:
            _listed(study, spot)
        _quotes(study, spot)


def _heading(study: Study, spot: Spot) -> None:
    """The commit of the first line below a heading has that heading as its subject."""
    title = _MARKS.sub("", spot.title)
    if spot.line.heading or not _NUMBERED.search(title) or spot.line.item:
        return
    subjects = [c.subject for c in spot.own]
    words = f"the subject of {spot.own[0].short} is {subjects[0][:80]!r}"
    study.findings.decide(any(same(title, s) for s in subjects), "title", spot.title_line, title[:80], words)


def _listed(study: Study, spot: Spot) -> None:
    """`- subject (#12) [sha](…)`."""
    m = _ITEM.match(spot.line.text)
    title = _MARKS.sub("", plain(m[1])) if m else ""
    if m and _NUMBERED.search(title):
        words = f"the subject of {spot.own[0].short} is {spot.own[0].subject[:80]!r}"
        held = any(same(title, c.subject) for c in spot.own)
        study.findings.decide(held, "title", spot.line.number, title[:80], words, m.span(1))


def same(title: str, subject: str) -> bool:
    """Word for word, or its beginning when it is cut with dots."""
    title = _SPACE.sub(" ", title).strip()
    subject = _SPACE.sub(" ", plain(subject))
    if title.endswith(("...", "…")):
        return subject.startswith(title.rstrip(".… "))
    return title.replace("`", "") == subject.replace("`", "")


def _quotes(study: Study, spot: Spot) -> None:
    """Words in quotation marks that are nearly a subject, but not quite."""
    for m in _QUOTED.finditer(spot.line.text):
        said = next(group for group in m.groups() if group)
        words = words_of(said)
        near = [c for c in spot.commits if words and alike(words, c.subject)]
        if not near:
            continue
        held = any(within(words, c.subject) for c in near) or _in_message(study, near, said)
        why = f"the subject of {near[0].short} is {near[0].subject[:100]!r}"
        study.findings.decide(held, "title", spot.line.number, said[:80], why, m.span())


def alike(words: list[str], title: str) -> bool:
    """So many of the words are the title's, in its order, that they are meant to be it."""
    real = _WORD.findall(title.lower())[:80]
    found = SequenceMatcher(None, words[:80], real, autojunk=False).get_matching_blocks()
    return sum(block.size for block in found) >= _ALIKE * len(words)


def within(words: list[str], title: str) -> bool:
    """No word that the title does not have; some may be left out or moved."""
    return set(words) - _SMALL <= set(_WORD.findall(title.lower()))


def words_of(text: str) -> list[str]:
    """The words of a quotation; empty when it is too short to be one, or not in English."""
    words = _WORD.findall(plain(text).lower())
    return words if len(words) >= _FEWEST and plain(text).isascii() else []


def _in_message(study: Study, commits: list[Commit], said: str) -> bool:
    for commit in commits:
        mirror = study.mirror(commit.repo)
        shown = mirror.shown(commit.sha) if mirror else None
        if shown and shown.has(plain(said)):
            return True
    return False
