"""Checks of values: what a page of ours shows as code stands in the data beside it, with the commit that it tells of."""

from __future__ import annotations

import re
from functools import cache

from daybreak.core.markdown_page import plain
from daybreak.core.words.phrases import languages, table
from daybreak.verify.check_input import Study, Values
from daybreak.verify.context import SHA, Spot
from daybreak.verify.file_checks import PATH
from daybreak.verify.written_checks import written_lines

_TICKED = re.compile(r"`([^`{}\n]+)`")
_INSIDE = re.compile(r"\w\w|\d\.\d")
_CUT = re.compile(r"\s*…\s*|:\d+$")
"""What is left out, and the line behind a file, which the data has apart."""


def check_values(study: Study) -> None:
    """Of another tool's report, or without data, they are counted: nothing here could tell an altered one."""
    if written_lines(study):
        return  # each whole line is held against the data
    for spot in study.prose:
        for one in spot.line.ticked:
            said = one.text
            if PATH.fullmatch(said) or SHA.fullmatch(said):
                continue  # held against git
            if study.values is None or not study.page.ours:
                study.findings.unknown("value", "there is no data beside the report to hold it against")
                continue
            held = said in _own_words() or _held(study.values, spot, said)
            words = "is not in the data beside the report" + (
                ", in what is told of this commit" if spot.commits else ""
            )
            study.findings.decide(held, "value", spot.line.number, said, words, (one.start, one.end))


@cache
def _own_words() -> frozenset[str]:
    """What sentences of ours themselves show as code, whatever the day."""
    said = "\n".join(text for language in languages() for text in table(language, "report").values())
    return frozenset(_TICKED.findall(said))


def _held(values: Values, spot: Spot, said: str) -> bool:
    own = [values.commits.get(commit.sha, "") for commit in spot.commits]
    texts = [values.rest, *(own or values.commits.values())]
    parts = _CUT.split(plain(said))
    stands = _as_a_whole if len(parts) == 1 else str.__contains__
    return all(any(stands(text, part) for text in texts) for part in parts)


def _as_a_whole(text: str, said: str) -> bool:
    """Whether it stands there and is not the middle of a longer number or name."""
    at = text.find(said)
    while at >= 0:
        if not (_INSIDE.match(text[at - 1 : at + 1]) or _INSIDE.match(text[at + len(said) - 1 : at + len(said) + 2])):
            return True
        at = text.find(said, at + 1)
    return not said
