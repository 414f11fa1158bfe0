"""Checks of the page: links and anchors lead where they say, nothing is cut off, nothing internal leaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

from daybreak.core.markdown_page import Line, Link, plain
from daybreak.verify.check_input import Study
from daybreak.verify.context import SHA, Address, Sieve, Spot, address, nothing


def check_anchors(study: Study) -> None:
    anchors = study.page.anchors
    for spot in study.prose:
        for link in spot.line.links:
            if not link.labelled or "://" in link.target or link.target.startswith("mailto:"):
                continue
            file, _, fragment = link.target.partition("#")
            span, line = (link.start, link.end), spot.line.number
            if not file and fragment:
                held = fragment in anchors or unquote(fragment) in anchors
                study.findings.decide(held, "anchor", line, f"#{fragment}", "nothing on the page has this anchor", span)
            elif file:
                _file(study, file, line, span)


def _file(study: Study, file: str, line: int, span: tuple[int, int]) -> None:
    """Of another tool's report the folder may be another; only our own pages are known to stand where they belong."""
    there = study.there(unquote(file)) if study.there else False
    if there:
        study.findings.true("link")
    elif study.page.ours and study.there:
        study.findings.false("link", line, file, "there is no such file beside the report", span)
    else:
        study.findings.unknown("link", "a file that is not beside the report")


# --- Links: a label that names something names what the link leads to; files and tags that are linked exist ---

_NUMBER = re.compile(r"(?:PR|MR|Issue|Pull|issue|pull)?\s*#(\d{1,9})")
_SAYS_PULL = re.compile(r"(?:^|[\s*_|(（\-])(?:PR|MR|Pull Request|pull request|合并请求)\s*\**\s*[:：]\s*\**\s*<?\[?$")
_LONE = re.compile(r"\[#(\d{1,9})\]|\*\*#(\d{1,9})\*\*")


def check_links(study: Study) -> None:
    for spot in study.prose:
        known = [(link, found) for link in spot.line.links if (found := address(link.target))]
        for link, found in known:
            _label(study, spot, link, found)
            _links_file(study, spot, link, found)
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
    if found.kind in ("commit", "commits") and SHA.fullmatch(label):
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


def _links_file(study: Study, spot: Spot, link: Link, found: Address) -> None:
    mirror = study.known.by_url.get(found.base)
    name = ""
    if found.kind in ("blob", "tree", "raw") and "/" in found.rest:
        ref, _, path = unquote(found.rest).partition("/")
        name = f"{ref}:{path}" if SHA.fullmatch(ref) or ref in ("main", "master", "HEAD") else ""
        name = name.replace("main:", "HEAD:").replace("master:", "HEAD:") if not SHA.fullmatch(ref) else name
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


# --- Cut text: a section that ends inside a sentence, a row or a code block, and a heading with nothing below it ---

_HAN = re.compile(r"[\u3400-\u9fff]$")
_ESCAPED = re.compile(r"\\[!-/:-@\[-`{-~]")
_FULL = re.compile(r"[。！？；.!?;][”」'\")）]?$")
_OPEN_WORD = re.compile(
    r"(?:\b(?:the|a|an|of|to|and|or|in|on|with|for|by|from|that|which|is|are)|[,，、(（\[「“])$", re.IGNORECASE
)
_ENTITY = re.compile(r"&#?\w{2,8};$")
_RULE = re.compile(r"\s*-{3,}\s*")
_TAG = re.compile(r"\s*</?\w+[^<>]*>(?:</\w+>)?\s*")
_ANCHOR = re.compile(r"\s*<a (?:id|name)=[^<>]*></a>\s*")
_CODE = re.compile(r"`[^`]*`")
_LETTER = re.compile(r"[A-Za-z]$")
_LONG, _SENTENCE = 8, 40
"""Characters of a line that can be cut, and of a line of English that is surely a sentence."""
_USUAL, _ALWAYS, _MANY = 0.75, 0.9, 2
"""How many lines of its kind end with a full stop: share, share in English, and number."""


def check_cuts(study: Study) -> None:
    for opened in study.page.unclosed:
        line = study.page.lines[opened - 1]
        study.findings.false("whole", opened, line.text.strip(), "opens a code block that nothing closes")
    for section in _sections(study.page.lines):
        _section(study, section)
    _empty(study)


def _sections(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """The lines between headings and rules."""
    body: list[Line] = []
    for line in lines:
        if line.heading or (line.fence is None and _RULE.fullmatch(line.text)):
            yield body
            body = []
        else:
            body.append(line)
    yield body


def _section(study: Study, body: list[Line]) -> None:
    text = [line for line in body if not line.blank and not _TAG.fullmatch(line.text)]
    if not text:
        return
    last = text[-1]
    if last.fence is not None:
        if last.fence not in study.page.unclosed:
            study.findings.true("whole")
        return
    words = _ESCAPED.sub("x", last.text.rstrip())
    why = _torn(words.strip(), text) or _stops(last, words.strip().rstrip("\\"), text[:-1])
    if why:
        study.findings.false("whole", last.number, f"…{last.text.strip()[-40:]}", why)
    else:
        study.findings.true("whole")


def _torn(words: str, text: list[Line]) -> str:
    """Something is opened and not closed."""
    if words.startswith("|") and not words.endswith("|"):
        rows = [line for line in text[:-1] if line.table]
        if rows and all(line.text.rstrip().endswith("|") for line in rows[-3:]):
            return "the row of the table is cut"
    if words.count("`") % 2 and "``" not in words:
        return "code is opened and not closed"
    if words.count("（") > words.count("）"):
        return "a bracket is opened and not closed"
    bold = _CODE.sub("", words).count("**")
    return "bold is opened and not closed" if bold % 2 else ""


def _stops(last: Line, words: str, before: list[Line]) -> str:
    """It ends as no other line of its kind in the section ends."""
    if _size(words) <= _LONG or words.startswith(("|", "#", "<", "![")) or _ENTITY.search(words):
        return ""
    alike = [line for line in before if _is_prose(line) and line.item == last.item and line.indent == last.indent]
    ends = [line.text.rstrip().rstrip("\\*_ ") for line in alike]
    if _OPEN_WORD.search(words) or _HAN.search(words):
        kind = [end for end in ends if _HAN.search(end) or _FULL.search(end)]
        often = _USUAL
    elif _LETTER.search(words) and len(words) > _SENTENCE and " " in words:
        kind = [end for end in ends if len(end) > _SENTENCE]
        often = _ALWAYS
    else:
        return ""
    full = sum(bool(_FULL.search(end)) for end in kind)
    return "the sentence is cut" if full >= _MANY and full >= often * len(kind) else ""


def _is_prose(line: Line) -> bool:
    text = line.text.strip()
    return line.fence is None and text[:1] not in ("", *"#|`<") and (len(text) > 15 or _size(text) > 15)


def _size(text: str) -> int:
    """Characters; a Chinese one says as much as two letters."""
    return len(text) if text.isascii() else len(text) + sum("\u3400" <= sign <= "\u9fff" for sign in text)


def _empty(study: Study) -> None:
    """A heading whose very next text is another heading of its level, or the end."""
    above: Line | None = None
    for line in study.page.lines:
        if line.heading:
            if above and _bare(above, line):
                _alarm(study, above)
            above = line
        elif not line.blank and not _ANCHOR.fullmatch(line.text):
            if above:
                study.findings.true("whole")
            above = None
    if above:
        _alarm(study, above)


def _bare(above: Line, line: Line) -> bool:
    """Two headings of one level; on neighbouring lines the first may be a title that the second repeats."""
    assert above.heading
    assert line.heading
    level = above.heading[0]
    return level == line.heading[0] and (level > 2 or line.number - above.number > 1)


def _alarm(study: Study, line: Line) -> None:
    study.findings.false("whole", line.number, line.text.strip()[:80], "nothing stands below this heading")


# --- Leaked internals: fields, raw data and talk of the program or model that wrote the report ---

_FIELDS = re.compile(
    r"\b(?:patch|body|diff|content|files?)_truncated\b|\bfinish_reason\b|\b(?:prompt|completion)_tokens\b"
)
_SAID = re.compile(
    r"(?:patch|diff|正文|内容|补丁)[^。；，,|]{0,6}(?:已|被)截断|(?:patch|diff|补丁)\s*完整[，,]\s*未截断"
    r"|\b(?:patch|diff|body|content) (?:was|is|has been) truncated\b",
    re.IGNORECASE,
)
_DATA = re.compile(r"\"(?:sha|patch|files|body|commit|html_url|patch_truncated)\"\s*:\s*[\[{\"tf\d]")
_PROMPT = re.compile(
    r"<\|(?:im_start|im_end|endoftext|eot_id|system|user|assistant)\|>|\[/?INST\]|<</?SYS>>|</?think>"
    r"|\bas an ai (?:language )?model\b|\bI (?:cannot|can't) (?:browse|access the)\b|\bmy knowledge cutoff\b"
    r"|作为(?:一个|一名)?\s*(?:AI|人工智能)(?:语言)?(?:模型|助手)|(?:^|[\s>])(?:system|user|assistant)\s*prompt\s*[:：]"
    r"|\b(?:here is|below is) the (?:requested )?(?:markdown|report) (?:you|as requested)|以下是(?:根据|按照)您?的?(?:要求|指示)",
    re.IGNORECASE,
)
_HOLE = re.compile(r"\{\{\s*[a-z_][\w.]{1,40}\s*\}\}|\$\{[A-Z_]{3,40}\}|\[(?:TODO|INSERT|PLACEHOLDER)[^\]]{0,40}\]")
_TEXT = (Sieve(_FIELDS, "_truncated", "finish_reason", "_tokens"),)
_BARE = (
    Sieve(_SAID, "截断", "truncated"),
    Sieve(_DATA, '"sha"', '"patch"', '"files"', '"body"', '"commit"', '"html_url"', '"patch_truncated"'),
    Sieve(
        _PROMPT,
        *("<|", "[inst]", "[/inst]", "sys>>", "think>", "as an ai", "i cannot", "i can't", "knowledge cutoff"),
        *("作为", "prompt", "is the", "以下是"),
    ),
    Sieve(_HOLE, "{{", "${", "[todo", "[insert", "[placeholder"),
)
"""In the order in which they are tried; without what is shown as code, which only takes words away."""
Searches = tuple[Callable[[str], re.Match[str] | None], ...]


def check_leaks(study: Study) -> None:
    in_text = tuple(sieve.on(study.page) for sieve in _TEXT)
    in_bare = tuple(search for sieve in _BARE if (search := sieve.on(study.page)) is not nothing)
    for spot in study.spots:
        if spot.line.fence is None:
            _line(study, spot, spot.line, _found(spot, in_text, in_bare))
        elif not spot.commits and spot.line.info.split(" ")[0].lower() in ("json", ""):
            for line in (spot.line, *study.page.blocks.get(spot.line.number, ())):
                _line(study, spot, line, _DATA.search(line.text) or _FIELDS.search(line.text))


def _line(study: Study, spot: Spot, line: Line, found: re.Match[str] | None) -> None:
    if not found or _of_upstream(study, spot, found[0]):
        return
    if _quotes_unseen(study, spot):
        study.findings.unknown("leak", _NO_MIRROR)
        return
    why = "an internal of the tool that wrote the report"
    study.findings.false("leak", line.number, found[0], why, found.span())


_OF_CHANGES = ("commit", "commits", "pull", "issues")
_NO_MIRROR = "whether a repository that is not here has these words: run it with the config that watches it (--config)"


def _quotes_unseen(study: Study, spot: Spot) -> bool:
    """The line may quote a repository that nothing is here of."""
    linked = (found.base for link in spot.line.links if (found := address(link.target)) and found.kind in _OF_CHANGES)
    return not study.known.mirrors or spot.foreign or any(base not in study.known.by_url for base in linked)


def _found(spot: Spot, in_text: Searches, in_bare: Searches) -> re.Match[str] | None:
    found = next((m for search in in_text if (m := search(spot.line.text))), None)
    if found or not in_bare or spot.line.blank:
        return found
    bare = _leaks_bare(spot)
    return next((m for search in in_bare if (m := search(bare))), None)


def _leaks_bare(spot: Spot) -> str:
    """The line without what it shows as code, column for column."""
    text = spot.line.text
    for one in spot.line.ticked:
        text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    return text


def _of_upstream(study: Study, spot: Spot, words: str) -> bool:
    """The commit itself has these words: they are quoted, not leaked."""
    for commit in spot.commits:
        mirror = study.mirror(commit.repo)
        shown = mirror.shown(commit.sha) if mirror else None
        if shown and shown.has(words.strip()):
            return True
    return False
