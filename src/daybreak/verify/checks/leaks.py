"""Leaked internals: fields, raw data and talk of the program or model that wrote the report."""

from __future__ import annotations

import re
from collections.abc import Callable

from daybreak.core.markdown_page import Line
from daybreak.verify.check_input import Study
from daybreak.verify.context import Sieve, Spot, nothing

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


def check(study: Study) -> None:
    in_text = tuple(sieve.on(study.page) for sieve in _TEXT)
    in_bare = tuple(search for sieve in _BARE if (search := sieve.on(study.page)) is not nothing)
    for spot in study.spots:
        if spot.line.fence is None:
            _line(study, spot, spot.line, _found(spot, in_text, in_bare))
        elif not spot.commits and spot.line.info.split(" ")[0].lower() in ("json", ""):
            for line in (spot.line, *study.page.blocks.get(spot.line.number, ())):
                _line(study, spot, line, _DATA.search(line.text) or _FIELDS.search(line.text))


def _line(study: Study, spot: Spot, line: Line, found: re.Match[str] | None) -> None:
    if found and not _of_upstream(study, spot, found[0]):
        why = "an internal of the tool that wrote the report"
        study.findings.false("leak", line.number, found[0], why, found.span())


def _found(spot: Spot, in_text: Searches, in_bare: Searches) -> re.Match[str] | None:
    found = next((m for search in in_text if (m := search(spot.line.text))), None)
    if found or not in_bare or spot.line.blank:
        return found
    bare = _bare(spot)
    return next((m for search in in_bare if (m := search(bare))), None)


def _bare(spot: Spot) -> str:
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
