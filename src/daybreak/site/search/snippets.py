"""Cuts the line out of a document that shows best why it was found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from daybreak.site.search.tokens import lower, normal, runs
from daybreak.store.interface import Phrase

LENGTH = 160
_BEFORE = 50
"""Characters that stand before what matched."""


def snippet(text: str, title: str, shown: Sequence[Phrase], language: str) -> str:
    """One line; in the language that was asked for, where that says as much."""
    lines: list[tuple[str, str]] = json.loads(text)
    if not lines:
        return ""
    wanted = {token for one in shown for token in one.tokens if token[0] not in "~="}
    starts = tuple(one.tokens[-1] for one in shown if one.start)
    ours = [line for of, line in lines if of in ("", language)] or [line for _, line in lines]
    best, most = ours[0], 0
    for preferred in (ours, [line for of, line in lines if of not in ("", language)]):
        for line in preferred:
            score = _score(line, wanted)
            if score > most:
                best, most = line, score
        if most:
            break
    best = " ".join(best.split())
    return _window(best, wanted, starts) if best != title else ""


def _score(line: str, wanted: Iterable[str]) -> int:
    """How many of the tokens stand in it, if only as parts of words: this is done for every line of every hit."""
    read = lower(line)
    return sum(token in read for token in wanted)


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
