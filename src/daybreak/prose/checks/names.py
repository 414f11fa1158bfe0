"""Whether a name or an expression in backticks stands in the evidence, also where it is put together from what does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from daybreak.core.plain_words import plain
from daybreak.prose.checks.evidence_index import Ground

_ATOM = re.compile(r"--?[A-Za-z][\w-]*|[A-Za-z_]\w*|\d+(?:\.\d+)?")
_JOINED = re.compile(r"[\w.:()\[\]\"'@]+")
"""Names joined by dots, colons and brackets: `Class.method`, `scale[0]`, `cleanup()`."""
_SIGNS = re.compile(r"[=<>!+*/%|&^-]+")
_SPAN = re.compile(r"`([^`]*)`")
_POWER = re.compile(r"(?<![\w*.])\d+\*\*\d+(?![\w*])")
_MOST_LINES, _LONG = 4000, 600


def stands(span: str, shown: Sequence[Ground]) -> bool:
    """Verbatim, but for blanks and the kind of quotes; or every part of it, where joining them claims nothing more."""
    word = plain(span)
    if any(ground.has_verbatim(word) for ground in shown):
        return True
    if any(char in word for char in " \"'=") and any(_squeezed(word) in _squeezed(g.unsigned) for g in shown):
        return True
    parts = atoms(word)
    if len(parts) < 2 and not word.endswith("()"):
        return False
    if _JOINED.fullmatch(word):
        return all(any(g.has_verbatim(part) for g in shown) for part in parts) and _member(word, parts, shown)
    return any(_in_one_line(word, parts, ground) for ground in shown)


def _member(word: str, parts: Sequence[str], shown: Sequence[Ground]) -> bool:
    """What a dot joins is a class and its member, or something that the change defines: `cl.asm` may not exist at all."""
    if "." not in word and "::" not in word:
        return True
    owner, last = parts[-2:]
    return owner.lstrip("_")[:1].isupper() or any(_defined(last).search(ground.text) for ground in shown)


def _defined(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:def|class|fn|func|function|struct|enum)\s+{re.escape(name)}\b|(?m:^[+ -]?[ \t]*{re.escape(name)}\s?[:=])"
    )


def atoms(word: str) -> list[str]:
    """The names and numbers of an expression."""
    return list(dict.fromkeys(_ATOM.findall(word)))


def taken_apart(text: str, shown: Sequence[Ground]) -> str:
    """The text with nothing in backticks but what stands verbatim: `A.b` becomes `A`.`b`, and a bare 2**31 gets its own."""

    def verbatim(found: re.Match[str]) -> str:
        word = plain(found[1])
        if "{" in word or not atoms(word) or any(word in ground.plain for ground in shown):
            return found[0]
        return _ATOM.sub(lambda atom: f"`{atom[0]}`", found[1])

    parts = re.split(r"(`[^`]*`)", text)
    powers = (p if p.startswith("`") else _POWER.sub(lambda found: f"`{found[0]}`", p) for p in parts)
    return _SPAN.sub(verbatim, "".join(powers))


def _squeezed(text: str) -> str:
    return text.replace(" ", "").replace('"', "'")


def _in_one_line(word: str, parts: Iterable[str], ground: Ground) -> bool:
    """An expression says how its parts belong together: one line has them all, and its signs."""
    wanted = [re.compile(rf"(?<![\w-]){re.escape(part)}(?!\w)") for part in parts]
    signs = _SIGNS.findall(_ATOM.sub(" ", word))
    return bool(signs) and any(
        all(sign in line for sign in signs) and all(part.search(line) for part in wanted)
        for line in (line[:_LONG] for line in ground.lines[:_MOST_LINES])
    )
