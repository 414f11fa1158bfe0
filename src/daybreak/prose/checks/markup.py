"""Check: plain sentences only; code alone puts in links, markup, mentions, shas and numbers of items."""

from __future__ import annotations

import re
import unicodedata

from daybreak.core.plain_words import outside
from daybreak.prose.checks.interface import Claim, Fault

_ANYWHERE = re.compile(
    r"[a-z][a-z0-9+.-]{1,12}://|\bwww\.|\b(?:javascript|vbscript|data|mailto|file|tel|ftp|blob)\s?:\s?[/\w%+]|/(?:commit|pull|issues)/\w"
    r"|\bdata:\w|```|~~~|\n|\r",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"`([a-z][a-z0-9+.-]{1,12}://)`")
_OUTSIDE = re.compile(
    r"<[/!?a-zA-Z]|<\s[/!?]|\]\s?\(|!\[|\]\s?\[|\[[^\]]{1,80}\]:|\[\^|\[[ xX]\]|(?<![\w.])[@＠][A-Za-z0-9]|(?<!\d)\*\*|\*\*(?!\d)|__|~~|==\w[^=]{0,80}==|\$\$"
    r"|^\s*(?:[#>|]|[-*+•·‣–—]\s|\d{1,3}(?:[.)]\s|、)|[（(]\d{1,2}[)）])|&#?\w{1,10};|(?<!\w)[*_][^\s*_][^*_]{0,80}[*_](?!\w)|\|.{0,80}\||\\[\[\]()<>`*_#]"
    r"|:\w{2,20}:(?!:)|[：:]\s?[-*•]\s"
)
_DOMAIN = re.compile(
    r"(?<![\w/.-])(?:[a-z0-9-]{1,40}\.){1,4}(?:com|net|org|io|cn|dev|ai|xyz|top|info|site|ru|app|co|me|ly|link|click|online|gg|sh)(?![\w.-]|\()(?:/\S{0,80})?",
    re.IGNORECASE,
)
_SHA = re.compile(r"(?<![0-9A-Za-z_.])(?=[0-9a-f]{0,39}[a-f])(?=[0-9a-f]{0,39}\d)[0-9a-f]{7,40}(?![0-9A-Za-z_.-])")
_ITEM = re.compile(
    r"(?<![\w&])[#＃]\s?\d{1,7}\b|\b(?:PR|pull request|issue|MR)\s?[#＃]?\s?\d{1,7}\b|\bGH-\d+", re.IGNORECASE
)
_INTERNAL = re.compile(
    r"\"(?:sha|patch|files|role|refs|quote|text)\"\s?:|(?:patch|body|diff)_truncated|(?<![\w`.])(?-i:[MPIFDSN])\d{1,3}(?![\w.])(?=\s?(?:says|shows|中|显示|说|表明|[)）\]】,，、]))"
    r"|[\[【(（]\s?[MPIFDSN]\d{1,3}\s?[\]】)）]|\b(?:evidence|ref)\s?[MPIFDSN]?\d{1,3}\b|证据\s?[MPIFDSN]?\d|\b(?:diff|patch|evidence|context)\s(?:was|is|got|has been)\s(?:cut|truncated)|(?:diff|patch|补丁|证据|上下文|改动)\s?(?:内容)?(?:已|被|已被)截断",
    re.IGNORECASE,
)
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_ODD_SPACES = frozenset(
    "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3164\u115f\u1160\uffa0\u2800"
)


class LiteralText:
    """No markup, link, mention, sha, item number or hidden character in what the model wrote."""

    def fault(self, claim: Claim) -> Fault | None:
        for text in claim.bare.values():
            if hidden := next(filter(_hidden, text), ""):
                return Fault("hidden_characters", f"U+{ord(hidden):04X}")
            prose = outside(text)
            for pattern, where, reason in (
                (_ANYWHERE, _without_schemes(text, claim), "markup"),
                (_OUTSIDE, prose, "markup"),
                (_DOMAIN, prose, "markup"),
                (_SHA, text, "sha_in_text"),
                (_ITEM, text, "number_of_item"),
                (_INTERNAL, text, "internals"),
            ):
                if found := pattern.search(where):
                    return Fault(reason, found[0][:60])
        return None


def _without_schemes(text: str, claim: Claim) -> str:
    """The text without `s3://` and its like: a scheme alone in backticks leads nowhere, where the evidence has it."""

    def kept(found: re.Match[str]) -> str:
        known = any(found[1] in ground.plain for ground in claim.grounds.far(claim.cited))
        return " " if known else found[0]

    return _SCHEME.sub(kept, text)


def _hidden(char: str) -> bool:
    """What no reader sees; a line break is markup, and said as such."""
    if char.isascii():
        return char not in "\n\r" and not char.isprintable()
    return char in _ODD_SPACES or unicodedata.category(char) in _HIDDEN
