"""Cuts text into tokens: the one tokenizer of all indexes and queries (`pages/static/search.js` has its twin).

Tokens stand in a row, so that neighbours can be asked for: Chinese, Japanese and Korean text as overlapping pairs
(`量化推理` -> `量化 化推 推理`; a single character alone), everything else as the small parts of words, in lower case
(`--maxModelLen`, `max_model_len` and `max-model-len` -> `max model len`). Beside the row stand tokens with a mark,
which have no neighbours: `~` a word of several parts as it is read in lower case, or `#12` where it is mentioned;
`=` what the document itself is called (sha, number, symbol), `=!` `=@` `==` `=^` a symbol by what happened to it, `=~` a
setting that its changed lines name; `@` its author; `!` what filters ask for. The words of
titles and symbols stand in rows of their own once more, each with `^`, so that they can be asked for there.

Letters are told by tables written down here and not by the Unicode version of the interpreter: the same text must
give the same tokens in every Python and in every browser. Time is linear in the text, whatever stands in it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from daybreak.core.words.phrases import table
from daybreak.store import Phrase

VERSION = 8
"""Goes up when the same text gives other tokens, or documents other text: every index is made anew then."""
LONGEST = 48
"""Characters of one token; the rest of a longer one does not count."""
LONGEST_WORD = 160
"""Characters of a word of several parts that is kept as a whole."""
SHORTEST_START = 3
"""Characters that `word*` must have before its star."""
TITLE = "^"
"""Before each token of a title or a symbol, in a row of its own."""
_PIECE = 256
"""Characters that are normalised together: the time for a pile of combining marks grows with its square."""

_HAN = (
    "\u3005\u3007\u3041-\u3096\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTER = (
    "0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0300-\u036f\u0370-\u0373\u0376\u0377"
    "\u037b-\u037d\u037f\u0386\u0388-\u03ff\u0400-\u0481\u048a-\u052f\u0531-\u0556\u0561-\u0587\u05d0-\u05ea"
    "\u0620-\u064a\u066e-\u06d3\u0900-\u0dff\u0e01-\u0e3a\u0e40-\u0e4e\u1e00-\u1fff"
)
_SCAN = re.compile(f"([{_HAN}]+)|(#[0-9]{{1,9}})(?![0-9A-Za-z])|([{_LETTER}]+(?:(?:[_\\-./]|::)+[{_LETTER}]+)*)")
_JOINED = re.compile(r"(?:[_\-./]|::)+")
_OUTER = re.compile(r"(?:[./]|::)+")
_PART = re.compile(r"[A-Z0-9]+(?![a-z0-9])|[A-Z]?[^A-Z]+|[A-Z]")
_SHA = re.compile(r"[0-9a-f]{7,40}")


class Run(Struct, frozen=True):
    """One word, one number or one stretch of Chinese, with its tokens."""

    row: tuple[str, ...]
    """Tokens that stand side by side."""
    wholes: tuple[str, ...] = ()
    """The same as it is read, where it has several parts; with its mark."""
    text: str = ""
    """In lower case; empty for Chinese."""
    han: str = ""
    """As it is read, of Chinese."""
    start: int = 0
    end: int = 0
    """Where it stands in the normalised text."""


def normal(text: str) -> str:
    """Compatibility forms (full-width letters, ligatures) become the usual ones."""
    if text.isascii():
        return text
    return "".join(unicodedata.normalize("NFKC", text[at : at + _PIECE]) for at in range(0, len(text), _PIECE))


def lower(text: str) -> str:
    return text.lower() if text.isascii() else text.lower().replace("ς", "σ")


def runs(text: str) -> Iterator[Run]:
    """The text, from its beginning to its end."""
    for found in _SCAN.finditer(normal(text)):
        han, number, word = found.groups()
        start, end = found.span()
        if word:
            yield Run(*(_cut_again if len(word) <= LONGEST_WORD else _cut)(word), "", start, end)
        elif number:
            yield Run((number[1:],), (f"~{number}",), number, "", start, end)
        else:
            yield Run(tuple(han[at : at + 2] for at in range(max(1, len(han) - 1))), (), "", han, start, end)


def _cut(word: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """`vllm.CacheConfig` -> `vllm cache config`; `~cacheconfig`, `~vllm.cacheconfig`; and as it is read."""
    as_read = lower(word)
    row: list[str] = []
    wholes: dict[str, None] = {}
    for atom in _JOINED.split(word):
        parts = _PART.findall(atom)
        row += [lower(part)[:LONGEST] for part in parts]
        if len(parts) > 1:
            wholes[f"~{lower(atom)[:LONGEST]}"] = None
    if wholes and len(word) <= LONGEST_WORD:
        for piece in (*_OUTER.split(as_read), as_read):
            if _JOINED.search(piece):
                wholes[f"~{piece.replace('-', '_')}"] = None
    return tuple(row), tuple(wholes), as_read


_cut_again = lru_cache(maxsize=1 << 14)(_cut)
"""Names and paths come again and again."""


def atoms(word: str) -> tuple[str, ...]:
    """A word's parts between its joints only, as somebody writes them who does not use capitals."""
    return tuple(lower(atom)[:LONGEST] for atom in _JOINED.split(word))


def name(text: str) -> str:
    """How something is called, in one way of writing: `--Max-Model-Len` and `max_model_len` are the same name."""
    found = [run.text or "".join(run.row) for run in runs(text[:LONGEST_WORD])]
    return ".".join(found).replace("-", "_")[:LONGEST_WORD]


def names(symbol: str) -> set[str]:
    """With its mark: the whole name, and its last part (`CacheConfig.block_size` is asked for as `block_size` too)."""
    whole = name(symbol)
    last = _OUTER.split(whole)[-1]
    return {f"={one}" for one in (whole, last) if one}


def is_sha(word: str) -> bool:
    """Whether this may be the beginning of a commit's name."""
    return _SHA.fullmatch(word) is not None


def cut_row(text: str) -> tuple[list[str], list[str]]:
    """All tokens of a text: those in the row, and those beside it."""
    row: list[str] = []
    beside: list[str] = []
    for run in runs(text):
        row += run.row
        beside += run.wholes
    return row, beside


# --- Cuts the line out of a document that shows best why it was found ---


NAMES = "="
"""In place of a line's language: names of symbols and settings that no line need show."""
DOES = ":"
"""In place of a line's language, with what happened behind it: a name with its values before and after, as all languages have it."""
IDLE = "!"
"""Before a name that its lines only move or mention."""
_MOST_NAMES = 3
LENGTH = 160
_BEFORE = 50
"""Characters that stand before what matched."""


Asked = Sequence[Sequence[tuple[str, ...]]]
"""Of each thing that was looked for, the ways to write it."""


def snippet(text: str, title: str, each: Sequence[Sequence[Phrase]], language: str) -> str:
    """The line that has most of what was looked for, in the language that was asked for where that says as much.

    The first line, which says what is told of, where the title has as much of it; where no line has any, the names; where
    nothing that is kept shows it, that.
    """
    told: list[tuple[str, str]] = json.loads(text)
    lines = [("" if of.startswith(DOES) else of, line) for of, line in told if of != NAMES]
    texts = [group for group in each if any(one.tokens[0][0] not in "!@" for one in group)]  # no line shows a filter
    asked = [[one.tokens for one in group if one.tokens[0][0] not in "~=!@"] for group in texts]
    wanted = {token for group in asked for tokens in group for token in tokens}
    starts = tuple(one.tokens[-1] for group in each for one in group if one.start)
    ours = [line for of, line in lines if of in ("", language)] or [line for _, line in lines] or [""]
    best, most = ours[0], _score(title, asked)
    for preferred in (ours, [line for of, line in lines if of not in ("", language)]):
        for line in preferred:
            score = _score(line, asked)
            if score > most:
                best, most = line, score
        if most:
            break
    names = [] if most else [one for of, line in told if of == NAMES for one in line.split() if _score(one, asked)]
    if names:
        deciding = [one for one in names if not one.startswith(IDLE)]
        some = ", ".join(one.lstrip(IDLE) for one in (deciding or names)[:_MOST_NAMES])
        return table(language, "site")["search.names" if deciding else "search.moved"].format(names=some)
    if asked and lines and not most:
        return table(language, "site")["search.not_shown"]
    best = " ".join(best.split())
    return _window(best, wanted, starts) if best != title else ""


def effect(text: str, asked: Sequence[str], language: str) -> str:
    """What it does to the first of its names that was asked for, in a word and with its values before and after."""
    wanted = {f"={one}" for one in asked}
    for of, line in json.loads(text) if wanted else ():
        if of.startswith(DOES) and any(wanted & names(word) for word in line.split()):
            verb = table(language, "site")[f"search.verb_{of.removeprefix(DOES)}"]
            return f"{verb}{table(language, 'report')['page.colon']}{' '.join(line.split())}"
    return ""


def first_line(text: str, language: str) -> str:
    """What is told before all else: of a change that breaks, the break."""
    told: list[tuple[str, str]] = json.loads(text)
    return next((" ".join(line.split()) for of, line in told if of in ("", language)), "")


def _score(line: str, asked: Asked) -> int:
    """How many of the things stand in it in one of their ways, each token where a word or a part of one begins: one part of
    a name alone shows nothing. Done for every line of every hit.
    """
    read = lower(line)
    shown = line if len(line) == len(read) else read
    return sum(any(all(_begins(one, read, shown) for one in way) for way in group) for group in asked)


def _begins(token: str, read: str, shown: str) -> bool:
    """`hang` stands in `hangs` and `onHang`, and not in `changed`."""
    at = read.find(token)
    while at > 0 and token.isascii() and read[at - 1].isascii() and read[at - 1].isalnum() and not shown[at].isupper():
        at = read.find(token, at + 1)
    return at >= 0


def _window(line: str, wanted: set[str], starts: tuple[str, ...]) -> str:
    """The part around the first match."""
    if len(line) <= LENGTH:
        return line
    plain = normal(line)
    line = line if len(plain) == len(line) else plain  # places hold in both, and people read what was written
    at = 0
    for run in runs(line):
        if wanted.intersection(run.row) or (starts and any(token.startswith(starts) for token in run.row)):
            at = run.start
            break
    begin = max(0, min(at - _BEFORE, len(line) - LENGTH))
    if begin:
        space = line.find(" ", begin, at)
        begin = space + 1 if space >= 0 else begin
    piece = line[begin : begin + LENGTH]
    return ("… " if begin else "") + piece.strip() + (" …" if begin + LENGTH < len(line) else "")


def terms(shown: Sequence[Phrase]) -> tuple[str, ...]:
    """What may be marked in a text: whole tokens, and beginnings with a star behind them."""
    found = {one.tokens[-1] + "*" if one.start else one.tokens[-1] for one in shown if one.tokens[-1][0] not in "~="}
    return tuple(sorted(found | {token for one in shown for token in one.tokens[:-1]}))


def marked(text: str, wanted: Iterable[str]) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it was looked for; of Chinese only the characters that were."""
    tokens = {one for one in wanted if not one.endswith("*")}
    starts = tuple(one[:-1] for one in wanted if one.endswith("*"))
    read = text.replace("…", " ")  # it would become three dots, and no place would hold any more
    if len(normal(read)) != len(text) or not (tokens or starts):
        return [(text, False)]
    lit = bytearray(len(text))
    for run in runs(read):
        hits = [at for at, token in enumerate(run.row) if token in tokens or (starts and token.startswith(starts))]
        if run.text and (hits or run.text in tokens):  # `MoE` has the parts `mo` and `e`, and is asked for as `moe`
            lit[run.start : run.end] = b"\1" * (run.end - run.start)
        for at in () if run.text else hits:
            begin = run.start + at
            lit[begin : begin + len(run.row[at])] = b"\1" * len(run.row[at])
    found: list[tuple[str, bool]] = []
    for sign, on in zip(text, lit, strict=True):
        if found and found[-1][1] == bool(on):
            found[-1] = (found[-1][0] + sign, bool(on))
        else:
            found.append((sign, bool(on)))
    return found
