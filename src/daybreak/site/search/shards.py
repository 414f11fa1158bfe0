"""The search index of the static site: small script files, of which a query loads the few that its words are in.

    search/index.js                 the months, how many files each has, and the names of the repositories
    search/2026-03/days.js          the month's days, and the grade of each of their documents
    search/2026-03/1f.js            one part of the month's tokens: token -> documents, with the places in them
    search/days/2026-03-06.zh.js    titles and lines of one day's documents, for those that are shown

Files call a function by name, since a page that was opened from a disk may load scripts and nothing else. Documents
are counted from the month's first day on: a new day adds to the files that hold its tokens, leaves the rest as they
are, and touches no other month.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from daybreak.report.archive.addresses import SHORT, repo_anchor, repo_slug, safe_slug
from daybreak.site.search.documents import DAY_BITS, DAY_SHIFT, GAP
from daybreak.site.search.tokens import SHORTEST_START, VERSION
from daybreak.store.interface import Document

# --- Where a hit stands on the site, without the language that leads the address ---


def page_of(kind: str, repo: str, key: str, label: str) -> str:
    """The page of a change or a release; an issue and a pull request stand on the page of their day."""
    if kind == "change":
        return f"changes/{repo_slug(repo)}/{key[:SHORT]}.html"
    if kind == "release":
        return f"releases/{repo_slug(repo)}/{safe_slug(key)}.html"
    return f"days/{label}.html#{repo_anchor(repo)}"


MOST_PARTS = 64
_LINES, _LINE = 6, 160
"""Lines of a document, and characters of each, that a snippet can be taken from without the report."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_MARKS = "~=@!"


def parts_of(days: int) -> int:
    """How many files the tokens of a month with so many days are spread over."""
    parts = 2
    while parts < 2 * days and parts < MOST_PARTS:
        parts *= 2
    return parts


def part_of(token: str, parts: int) -> int:
    """The file that a token is in. A word is found with all its marks, and by its beginning, in one file."""
    number = 0x811C9DC5
    for sign in token.lstrip(_MARKS)[:SHORTEST_START]:
        number = ((number ^ ord(sign)) * 0x01000193) & 0xFFFFFFFF
    return (number ^ (number >> 15)) % parts


def index_script(months: Sequence[tuple[str, int, str]], repos: Iterable[str]) -> bytes:
    """`months`: name, number of files, and a word that changes when they do."""
    return _script("index", {"version": VERSION, "months": list(months), "repos": sorted(repos)})


def days_script(month: str, days: Mapping[str, Sequence[Document]]) -> bytes:
    grades = {
        label: "".join(str(one.id >> (DAY_SHIFT + DAY_BITS)) for one in in_order(some)) for label, some in days.items()
    }
    return _script("month", month, sorted(grades.items()))


def part_scripts(month: str, days: Mapping[str, Sequence[Document]]) -> dict[int, bytes]:
    """All files of a month's tokens; one without a token is there as well."""
    parts = parts_of(len(days))
    found: list[dict[str, list[str]]] = [{} for _ in range(parts)]
    last: dict[str, int] = {}
    where: dict[str, int] = {}
    number = 0
    for label in sorted(days):
        for one in in_order(days[label]):
            for token, places in _places(one.tokens).items():
                if token not in where:
                    where[token] = part_of(token, parts)
                told = f"{_digits(number - last.get(token, -1))}{_between(places)}"
                found[where[token]].setdefault(token, []).append(told)
                last[token] = number
            number += 1
    return {
        part: _script("part", month, part, {token: ";".join(some[token]) for token in sorted(some)})
        for part, some in enumerate(found)
    }


def day_script(label: str, language: str, documents: Sequence[Document]) -> bytes:
    return _script("day", label, language, [_shown(one, language) for one in in_order(documents)])


def _shown(one: Document, language: str) -> list[object]:
    lines = [_cut(line) for of, line in json.loads(one.text) if of in ("", language)]
    path = page_of(one.kind, one.repo, one.key, one.label)
    return [one.kind, one.repo, one.key, one.title, one.level, +one.breaking, one.topic, path, lines[:_LINES]]


def _cut(line: str) -> str:
    return line if len(line) <= _LINE else f"{line[:_LINE].rstrip()} …"


def in_order(documents: Iterable[Document]) -> list[Document]:
    """As they stand in their day."""
    return sorted(documents, key=lambda one: one.id & ((1 << DAY_SHIFT) - 1))


def _places(tokens: str) -> dict[str, list[int]]:
    """Where each token stands; nothing for those with a mark, which have no neighbours."""
    found: dict[str, list[int]] = {}
    for place, token in enumerate(tokens.split(" ")):
        if token[0] in _MARKS:
            found[token] = []
        elif token != GAP:
            found.setdefault(token, []).append(place)
    return found


def _between(places: Sequence[int]) -> str:
    if not places:
        return ""
    steps = [places[0], *(b - a for a, b in pairwise(places))]
    return ":" + ",".join(map(_digits, steps))


def _digits(number: int) -> str:
    text = ""
    while True:
        number, rest = divmod(number, 36)
        text = _DIGITS[rest] + text
        if not number:
            return text


def _script(name: str, *values: object) -> bytes:
    told = ",".join(json.dumps(value, ensure_ascii=False, separators=(",", ":")) for value in values)
    return f"daybreakSearch.{name}({told});\n".encode("utf-8", "replace")
