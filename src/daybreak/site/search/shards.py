"""Shards: the search index of the static site in small script files, of which a query loads the few that its words are in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from daybreak.findings.kinds import kinds
from daybreak.report.archive.addresses import SHORT, repo_anchor, repo_slug, safe_slug
from daybreak.site.search.documents import DAY_BITS, DAY_SHIFT, GAP
from daybreak.site.search.spelling import vocabulary
from daybreak.site.search.spoken import ASKING, CHANGES, SPANS
from daybreak.site.search.terms import terms
from daybreak.site.search.tokens import DOES, IDLE, NAMES, SHORTEST_START, TITLE, VERSION
from daybreak.store import Document

# --- The search index of the static site: small script files, of which a query loads the few that its words are in ---
#     search/index.js                 the months, how many files each has, repositories, kinds, and terms in Chinese
#     search/2026-03/days.js          the month's days, and the grade of each of their documents
#     search/2026-03/1f.js            one part of the month's tokens: token -> documents, with the places in them (steps)
#     search/2026-03/words.js         how often words stand in the month's titles, for whoever has misspelt one
#     search/2026-03/later.js         what became of the month's changes: taken back, landed again, repaired
#     search/days/2026-03-06.js       titles and lines of one day's documents, for those that are shown
#
# Files call a function by name, since a page that was opened from a disk may load scripts and nothing else. Documents
# are counted from the month's first day on: a new day adds to the files that hold its tokens, leaves the rest as they
# are, and touches no other month.


def page_of(kind: str, repo: str, key: str, label: str) -> str:
    """Without the language: the page of a change or a release; issues and pull requests stand on that of their day."""
    if kind == "change":
        return f"changes/{repo_slug(repo)}/{key[:SHORT]}.html"
    if kind == "release":
        return f"releases/{repo_slug(repo)}/{safe_slug(key)}.html"
    return f"days/{label}.html#{repo_anchor(repo)}"


MOST_PARTS = 64
_SHARDS_LINES, _SHARDS_LINE, _AGED = 12, 200, {"low": 1}
"""Lines of a document, and characters of each, that a snippet can be taken from without the report."""
_LAST = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FORMER = "!#$%&'()*" + "+,-./:=>?@[]^_`{|}~"  # apart: together they look like a possessive group
"""Digits of a number: the last one tells that it is the last, so that nothing need stand between two numbers."""
_WORD, _MARKS = re.compile(r"\w+", re.ASCII), "~=@!"
"""The second: of tokens that have no neighbours."""


def parts_of(days: int) -> int:
    """How many files the tokens of a month with so many days are spread over."""
    parts = 2
    while parts < 2 * days and parts < MOST_PARTS:
        parts *= 2
    return parts


def part_of(token: str, parts: int) -> int:
    """The file that a token is in. A word is found with all its marks, and by its beginning, in one file."""
    number = 0x811C9DC5
    for sign in token.lstrip(_MARKS + TITLE)[:SHORTEST_START]:
        number = ((number ^ ord(sign)) * 0x01000193) & 0xFFFFFFFF
    return (number ^ (number >> 15)) % parts


def index_script(months: Sequence[tuple[str, int, str]], repos: Iterable[str], newest: str = "") -> bytes:
    """`months`: name, number of files, and a word that changes when they do; `newest`: the last day that was reported."""
    groups = ((word, (term.phrases, *term.groups)) for word, term in terms().items())
    asked = {word: [[[[*one.tokens], one.start] for one in group] for group in some] for word, some in groups}
    also = {word: list(term.texts) for word, term in terms().items()}
    known: dict[str, object] = {"repos": sorted(repos), "kinds": list(kinds()), "terms": asked, "texts": also}
    known |= {"newest": newest, "spans": SPANS, "asking": sorted(ASKING), "changes": sorted(CHANGES)}
    return _script("index", {"version": VERSION, "months": list(months), **known})


def days_script(month: str, days: Mapping[str, Sequence[Document]]) -> bytes:
    grades = {
        label: "".join(str(one.id >> (DAY_SHIFT + DAY_BITS)) for one in in_order(some)) for label, some in days.items()
    }
    return _script("month", month, sorted(grades.items()))


def words_script(month: str, days: Mapping[str, Sequence[Document]]) -> bytes:
    found = vocabulary(one.title for label in sorted(days) for one in in_order(days[label]))
    return _script("words", month, " ".join(f"{word} {found[word]}" for word in sorted(found)))


def later_script(month: str, later: Mapping[str, tuple[str, str, str]]) -> bytes:
    """Short sha -> what became of the change, the day that says so, and the page of the change that did it."""
    return _script("later", month, later)


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
                steps = (number - last.get(token, -1), *(b - a for a, b in pairwise((0, *places))))
                found[where[token]].setdefault(token, []).append("".join(map(_digits, steps)))
                last[token] = number
            number += 1
    return {
        part: _script("part", month, part, {token: ";".join(some[token]) for token in sorted(some)})
        for part, some in enumerate(found)
    }


def day_script(label: str, languages: Sequence[str], documents: Sequence[Document], aged: bool = False) -> bytes:
    """One file for all languages: most of what a result shows is the same in each. An aged day has fewer lines."""
    some = in_order(documents)
    repos = sorted({one.repo for one in some})
    rows = [_shown(one, repos.index(one.repo), languages, aged) for one in some]
    return _script("day", label, [(repo, repo_slug(repo)) for repo in repos], rows)


def _shown(one: Document, repo: int, languages: Sequence[str], aged: bool) -> list[object]:
    """Its key is as long as in the address of its page, which the script can tell of a change."""
    change = one.kind == "change"
    path = "" if change else page_of(one.kind, one.repo, one.key, one.label)
    key = one.key[:SHORT] if change else one.key
    return [one.kind, repo, key, one.title, one.level, +one.breaking, one.topic, path, _of_all(one, languages, aged)]


def _of_all(one: Document, languages: Sequence[str], aged: bool) -> list[str]:
    """Language, line, language, line …: what each language may show of it, a line of no language once; then names that
    none of them has. Of an aged day there are none, and no line that an earlier one says in other words.
    """
    left = dict.fromkeys(languages, _AGED.get(one.level, 2) if aged else _SHARDS_LINES)
    told: list[str] = []
    for of, line in json.loads(one.text):
        if of == NAMES:
            read = " ".join(told[1::2])
            names = [] if aged else [one for one in line.split() if one.lstrip(IDLE) not in read]
            told += [of, " ".join(names)] if names else []
            continue
        shared = not of or of.startswith(DOES)
        said = [text for whose, text in zip(told[::2], told[1::2], strict=True) if shared or whose in ("", of)]
        if aged and not of.startswith(DOES) and _said(line, said):
            continue
        takers = [language for language in languages if (shared or of == language) and left[language]]
        for language in takers:
            left[language] -= 1
        told += [of, _cut(line)] if takers else []
    return told


def _said(line: str, lines: Iterable[str]) -> bool:
    words = set(_WORD.findall(line))
    return len(words) < 2 * len(words & set(_WORD.findall(" ".join(lines))))


def _cut(line: str) -> str:
    return line if len(line) <= _SHARDS_LINE else f"{line[:_SHARDS_LINE].rstrip()} …"


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


def _digits(number: int) -> str:
    number, rest = divmod(number, len(_LAST))
    text = _LAST[rest]
    while number:
        number, rest = divmod(number, len(_FORMER))
        text = _FORMER[rest] + text
    return text


def _script(name: str, *values: object) -> bytes:
    told = ",".join(json.dumps(value, ensure_ascii=False, separators=(",", ":")) for value in values)
    return f"daybreakSearch.{name}({told});\n".encode("utf-8", "replace")
