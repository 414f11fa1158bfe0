"""Reads what somebody asks for: words, "phrases", -exclusions and filters; a mistake is one sentence with a tip.

The result is the same for every index: groups of phrases of which each must be met (`Wanted`), and the names that put
a document first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date

from msgspec import Struct

from daybreak.core.errors import UsageError
from daybreak.core.profiles import field
from daybreak.findings.kinds import kinds
from daybreak.site.search.documents import author_marks, day_number, mark, repo_mark
from daybreak.site.search.tokens import SHORTEST_START, Run, atoms, is_sha, lower, name, normal, runs
from daybreak.store import Phrase, Wanted

MOST_CHARACTERS = 400
MOST_TERMS = 24
MOST_TOKENS = 32
"""Tokens of one term: nobody looks for a longer sentence word by word."""

LEVELS = ("high", "medium", "low")
PLACES = ("change", "issue", "pull", "release")
STATES = (
    *("breaking", "late", "released", "skipped", "open", "closed", "merged", "draft", "coming", "opened", "reopened"),
)
KINDS = (
    *("feature", "fix", "perf", "refactor", "revert", "docs", "test", "ci", "build", "dependency", "security", "other"),
    *("regression", "accuracy", "bug", "question", "install", "performance", "rfc"),
)
"""Of changes, then of issues; a kind of finding (`env_removed`) may be asked for as well."""
FILTERS = ("repo", "kind", "level", "importance", "breaking", "since", "until", "author", "in", "is")

EITHER = ("repo", "kind", "level", "in")
"""Given twice, one of them is enough; all else must hold each time."""

_QUOTES = str.maketrans("\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d", '"' * 8)
_TERM = re.compile(r'(-(?!-))?(?:([A-Za-z]{2,12}):(?!:|//))?(?:"([^"]*)("?)|([^ \t\r\n\f\v"]+))?')
_WHITE = " \t\r\n\f\v"
_DAY = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")


class QueryError(UsageError):
    """A query with a mistake; `code` and `facts` tell it in other languages."""

    def __init__(self, code: str, message: str, tip: str, **facts: str) -> None:
        super().__init__(message, tip)
        self.code, self.facts = code, facts


class Query(Struct, frozen=True):
    """What is wanted, whatever the index."""

    wanted: Wanted
    named: tuple[Phrase, ...] = ()
    """Documents that are called so come first."""
    shown: tuple[Phrase, ...] = ()
    """What a snippet should show."""


def parse(text: str, repos: Callable[[], Sequence[str]]) -> Query:
    """Raises QueryError; `repos` is asked for the names of repositories when a filter needs them."""
    if len(text) > MOST_CHARACTERS:
        message, tip = f"The query has {len(text)} characters.", f"Ask with at most {MOST_CHARACTERS}."
        raise QueryError("long", message, tip, most=str(MOST_CHARACTERS))
    return _Reader(repos).read(normal(text).translate(_QUOTES))


class _Reader:
    """Gathers the terms of one query."""

    def __init__(self, repos: Callable[[], Sequence[str]]) -> None:
        self._repos = repos
        self._each: list[tuple[Phrase, ...]] = []
        self._either: dict[str, list[Phrase]] = {}
        self._without: list[tuple[Phrase, ...]] = []
        self._named: list[Phrase] = []
        self._shown: list[Phrase] = []
        self._first, self._last = 0, (1 << 20) - 1
        self._dated = False

    def read(self, text: str) -> Query:
        at, terms = 0, 0
        while at < len(text):
            if text[at] in _WHITE:
                at += 1
                continue
            found = _TERM.match(text, at)
            if found is None or found.end() == at:  # nothing that a term begins with
                at += 1
                continue
            at, terms = found.end(), terms + 1
            if terms > MOST_TERMS:
                tip = f"Ask with at most {MOST_TERMS}."
                raise QueryError("many", "The query has too many terms.", tip, most=str(MOST_TERMS))
            self._term(*found.groups())
        return self._query()

    def _query(self) -> Query:
        each = [*self._each, *(tuple(some) for some in self._either.values())]
        if not each:
            if not (self._without or self._dated):
                raise QueryError(
                    "empty", "There is nothing to look for.", "Write a word, a `name`, a sha or a #number."
                )
            each = [tuple(Phrase((f"!in:{place}",)) for place in PLACES)]
        wanted = Wanted(tuple(each), tuple(self._without), (self._first, self._last))
        return Query(wanted, tuple(self._named), tuple(self._shown))

    def _term(
        self, minus: str | None, key: str | None, quoted: str | None, close: str | None, word: str | None
    ) -> None:
        if quoted is not None and not close:
            raise QueryError("quote", "A quotation mark is not closed.", 'Write "two words" with a mark on each side.')
        if key is not None:
            known = _filter(key.lower())
            if known:
                self._filtered(known, (quoted if quoted is not None else word or "").strip(_WHITE), bool(minus))
                return
            word = f"{key}:{word or ''}"
        if word:
            self._word(word, bool(minus))
        if quoted is not None:
            self._add(_phrase(list(runs(quoted))), bool(minus))

    def _word(self, word: str, minus: bool) -> None:
        found = list(runs(word))
        start = word.endswith("*") and len(found) == 1 and len(found[0].row[-1]) >= SHORTEST_START
        self._add(_alternatives(found, start), minus)
        if not minus and len(found) == 1 and found[0].text:
            self._named.append(Phrase((f"={name(word)}",)))
            if is_sha(found[0].text):
                self._named.append(Phrase((f"={found[0].text}",), start=True))

    def _add(self, some: tuple[Phrase, ...], minus: bool) -> None:
        if not some:
            return
        if any(len(one.tokens) > MOST_TOKENS for one in some):
            tip = f"Use at most {MOST_TOKENS} words of it."
            raise QueryError("phrase", "A phrase of the query is too long.", tip, most=str(MOST_TOKENS))
        if minus:
            self._without.append(some)
            return
        self._each.append(some)
        self._shown += some

    # --- filters -----------------------------------------------------------------------------------------------------

    def _filtered(self, key: str, value: str, minus: bool) -> None:
        if not value:
            example = f"repo:{field().example}" if key == "repo" else _EXAMPLES[key]
            raise QueryError("value", f"{key}: has no value.", f"For example {example}.", key=key)
        if key in ("since", "until"):
            self._date(key, value, minus)
            return
        if key == "author":
            self._author(value, minus)
            return
        tokens = [Phrase((f"!{key}:{one}",)) for one in self._values(key, lower(value))]
        if minus:
            self._without.append(tuple(tokens))
        elif key in EITHER:
            self._either.setdefault(key, []).extend(tokens)
        else:
            self._each.append(tuple(tokens))

    def _values(self, key: str, value: str) -> list[str]:
        if key == "repo":
            known = self._repos()
            found = [repo_mark(repo) for repo in known if value in lower(repo)]
            if not found:
                tip = f"There are {', '.join(list(known)[:8])}." if known else "Nothing was reported yet."
                raise QueryError("repo", f"No repository has {value!r} in its name.", tip, value=value)
            return found
        if key == "breaking":
            value = {"true": "yes", "1": "yes", "false": "no", "0": "no"}.get(value, value)
        choices = _CHOICES[key]
        if value in choices:
            return [value]
        if key == "kind" and ("_" in value or value in kinds()):
            return [mark(value)]
        close = near(value, choices)
        if close:
            tip = f"Did you mean {key}:{close}?"
            raise QueryError("near", f"{key}:{value} is not known.", tip, key=key, value=value, near=close)
        told = ", ".join(choices)
        raise QueryError(
            "choice", f"{key}:{value} is not known.", f"Choose from: {told}.", key=key, value=value, choices=told
        )

    def _author(self, value: str, minus: bool) -> None:
        marks = [one for one in author_marks(value) if not one.startswith("@=")]
        if not minus:
            self._each += [(Phrase((one,)),) for one in marks]
        elif marks:
            self._without.append((Phrase((marks[0] if len(marks) == 1 else f"@={name(value)}",)),))

    def _date(self, key: str, value: str, minus: bool) -> None:
        number = None if minus else _day(value, last=key == "until")
        if number is None:
            tip = f"Write it as {key}:2026-01-31 or {key}:2026-01."
            raise QueryError("date", f"{key}:{value} is not a day.", tip, key=key, value=value)
        self._dated = True
        if key == "since":
            self._first = max(self._first, number)
        else:
            self._last = min(self._last, number)


_CHOICES = {"kind": KINDS, "level": LEVELS, "breaking": ("yes", "no"), "in": PLACES, "is": STATES}
_EXAMPLES = {
    "kind": "kind:fix",
    "level": "level:high",
    "breaking": "breaking:yes",
    "since": "since:2026-01-31",
    "until": "until:2026-01-31",
    "author": "author:ada",
    "in": "in:issue",
    "is": "is:open",
}


def _phrase(found: Sequence[Run]) -> tuple[Phrase, ...]:
    row = tuple(token for run in found for token in run.row)
    return (Phrase(row),) if row else ()


def _alternatives(found: Sequence[Run], start: bool) -> tuple[Phrase, ...]:
    """One word in the ways it may stand in a text: in parts, or as a whole."""
    if len(found) != 1 or not found[0].text:
        return _phrase(found)
    run = found[0]
    if run.text.startswith("#"):
        return (Phrase((f"~{run.text}",)),)
    whole = run.text.replace("-", "_")[:160]
    some = [Phrase(run.row, start or is_sha(run.text)), Phrase((f"~{whole}",), start)]
    apart = atoms(run.text)
    if apart != run.row:
        some.append(Phrase(apart, start))
    if is_sha(run.text):
        some.append(Phrase((f"={run.text}",), start=True))
    if run.text.isascii() and run.text.isdigit():
        some.append(Phrase((f"~#{run.text}",)))
    return tuple(some)


def _filter(key: str) -> str | None:
    """The filter's name; None for a word that happens to have a colon; an error for what is almost a filter."""
    if key in FILTERS:
        return "level" if key == "importance" else key
    close = near(key, [one for one in FILTERS if len(one) > 2]) if len(key) > 2 else None
    if close:
        raise QueryError("filter", f"{key}: is not a filter.", f"Did you mean {close}:?", key=key, near=close)
    return None


def _day(value: str, last: bool) -> int | None:
    """A day, or the first or last one of a month or a year."""
    found = _DAY.fullmatch(value)
    if not found:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    try:
        if day is not None:
            return day_number(value)
        end = date(year or 0, month or (12 if last else 1), 1)
        if last:
            end = date(end.year + end.month // 12, end.month % 12 + 1, 1)
            after = day_number(end.isoformat())
            return None if after is None else after - 1
        return day_number(end.isoformat())
    except ValueError:
        return None


def near(word: str, choices: Sequence[str]) -> str | None:
    """The choice that differs least, when that is one slip, or two in a longer word."""
    word = word[:24]
    apart, choice = min((_distance(word, one), one) for one in choices)
    return choice if apart <= (1 if len(word) < 6 else 2) else None


def _distance(a: str, b: str) -> int:
    """Signs that must be put in, taken out or replaced."""
    before = list(range(len(b) + 1))
    for row, sign in enumerate(a, 1):
        now = [row]
        for column, other in enumerate(b, 1):
            now.append(min(now[-1] + 1, before[column] + 1, before[column - 1] + (sign != other)))
        before = now
    return before[-1]
