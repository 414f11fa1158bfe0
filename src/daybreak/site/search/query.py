"""Reads what somebody asks for: words, "phrases", OR, -exclusions and filters; a mistake is one sentence with a tip.

The result is the same for every index: groups of phrases of which each must be met (`Wanted`), and what puts a document
first. A Chinese term of the field also asks for its English words (`terms.toml`), group by group.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from itertools import product, takewhile

from msgspec import Struct

from daybreak.core.errors import UsageError
from daybreak.core.model.day import TAGS
from daybreak.core.profiles import field
from daybreak.findings.kinds import kinds
from daybreak.site.search.documents import EFFECTS, author_marks, day_number, mark, repo_mark
from daybreak.site.search.spelling import MOST_PARTS, near
from daybreak.site.search.spoken import ASKING, CHANGES, Spoken, without_days
from daybreak.site.search.terms import Term, segments
from daybreak.site.search.terms import terms as all_terms
from daybreak.site.search.tokens import SHORTEST_START, TITLE, Run, atoms, is_sha, lower, name, normal, runs
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
OR = "OR"
MOST_GROUPS = 64
"""Groups of one query: `OR` between long Chinese words multiplies them."""
FILTERS = ("repo", "kind", "level", "importance", "breaking", "since", "until", "month", "author", "in", "is", "tag")

EITHER = ("repo", "kind", "level", "in", "tag")
"""Given twice, one of them is enough; all else must hold each time."""

_QUOTES = str.maketrans("\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d", '"' * 8)
_TERM = re.compile(r'(-(?!-))?(?:([A-Za-z]{2,12}):(?!:|//))?(?:"([^"]*)("?)|([^ \t\r\n\f\v"]+))?')
_WHITE = " \t\r\n\f\v"
_CODE = re.compile(r"[_/.]")
"""What a word with a colon in it has when it is a name in code (`engine:queue_depth`) and no filter."""
_PLAIN = re.compile(r"[A-Za-z0-9]+")
_DAY = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")


class QueryError(UsageError):
    """A query with a mistake; `code` and `facts` tell it in other languages."""

    def __init__(self, code: str, message: str, tip: str, **facts: str) -> None:
        super().__init__(message, tip)
        self.code, self.facts = code, facts


class Query(Struct, frozen=True):
    """What is wanted, whatever the index."""

    wanted: Wanted
    first: tuple[tuple[tuple[Phrase, ...], ...], ...] = ()
    """Groups that put a document first when it meets all of them: something happened to what is called so, the gravest
    first; it is called so; its title or a symbol of it says so, what breaks before all else; its changed lines name such a
    setting.
    """
    names: tuple[str, ...] = ()
    """Names that may be meant: words, and words side by side as one name."""
    shown: tuple[Phrase, ...] = ()
    """What a snippet should show."""
    also: tuple[str, ...] = ()
    """What is looked for beside what was written."""
    span: tuple[str, ...] = ()
    """Days that were named in words, how, and the first and last of them."""
    idle: tuple[str, ...] = ()
    """Words that only ask, and are not looked for."""
    bare: str = ""
    """The query without either."""

    @property
    def plain(self) -> str:
        """The same with filters for the days; empty where it is as it was written."""
        days = (
            [f"{key}:{day}" for key, day in zip(("since", "until"), self.span[1:], strict=False)] if self.span else []
        )
        return " ".join((self.bare, *days)).strip() if days or self.idle else ""


class _Clause(Struct):
    """One term as groups of which each must be met."""

    each: list[tuple[Phrase, ...]]
    titled: list[tuple[Phrase, ...]]
    """The same in a title or a symbol; nothing for a filter."""
    named: list[Phrase]
    """What is called so: a number, a sha, or one of `names`."""
    names: list[str] = []
    read: list[Phrase] = []
    """A setting of this name that changed lines name."""
    key: str = ""
    """Of a filter that may be given twice."""
    plain: str = ""
    """The word itself, where it may be one of those that a name is made of."""


def parse(text: str, repos: Callable[[], Sequence[str]], newest: str = "") -> Query:
    """Raises QueryError; `repos` is asked for the names of repositories when a filter needs them; `newest` is the last day
    that was reported, from which `上周` is counted.
    """
    if len(text) > MOST_CHARACTERS:
        message, tip = f"The query has {len(text)} characters.", f"Ask with at most {MOST_CHARACTERS}."
        raise QueryError("long", message, tip, most=str(MOST_CHARACTERS))
    return _Reader(repos, without_days(normal(text).translate(_QUOTES), newest)).read()


class _Reader:
    """Gathers the terms of one query."""

    def __init__(self, repos: Callable[[], Sequence[str]], spoken: Spoken) -> None:
        self._repos, self._spoken = repos, spoken
        words = spoken.text.split()
        asks = spoken.days is not None or not ASKING.isdisjoint(map(lower, words))
        self._idle_words = frozenset() if OR in words else ASKING | CHANGES if asks else ASKING
        self._idle: list[str] = []
        self._bare: list[str] = []
        self._clauses: list[_Clause] = []
        self._without: list[tuple[Phrase, ...]] = []
        self._shown: list[Phrase] = []
        self._also: dict[str, None] = {}
        self._first, self._last = 0, (1 << 20) - 1
        self._dated = False
        self._or = False
        """The next term is another way to meet the last one."""

    def read(self) -> Query:
        self._terms(self._spoken.text)
        _side_by_side(self._clauses)
        if not self._clauses and not self._dated and not self._spoken.days and self._idle:
            words, self._idle, self._idle_words = self._idle, [], frozenset()
            for word in words:  # whoever writes nothing else looks for these
                self._add(_clause([_alternatives(list(runs(word)), False)]), minus=False)
        if self._spoken.days:
            first, last = (day_number(day.isoformat()) for day in self._spoken.days)
            if first is not None and last is not None:
                self._first, self._last, self._dated = max(self._first, first), min(self._last, last), True
        return self._query()

    def _terms(self, text: str) -> None:
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
                raise _many()
            self._bare.append(found[0])
            self._term(*found.groups())
        if self._or:
            raise _misplaced()

    def _query(self) -> Query:
        either: dict[str, list[Phrase]] = {}
        each: list[tuple[Phrase, ...]] = []
        for clause in self._clauses:
            if clause.key:
                either.setdefault(clause.key, []).extend(clause.each[0])
            else:
                each += clause.each
        each += [tuple(some) for some in either.values()]
        if len(each) > MOST_GROUPS:
            raise _many()
        if not each:
            if not (self._without or self._dated):
                raise QueryError(
                    "empty", "There is nothing to look for.", "Write a word, a `name`, a sha or a #number."
                )
            each = [tuple(Phrase((f"!in:{place}",)) for place in PLACES)]
        wanted = Wanted(tuple(each), tuple(self._without), (self._first, self._last))
        names = tuple(dict.fromkeys(one for clause in self._clauses for one in clause.names))
        happened = [(tuple(Phrase((f"{effect}{one}",)) for one in names),) for effect in EFFECTS if names]
        named = tuple(one for clause in self._clauses for one in clause.named)
        titled = tuple(group for clause in self._clauses for group in clause.titled)
        read = tuple(one for clause in self._clauses for one in clause.read)
        breaking = (*titled, (Phrase(("!breaking:yes",)),)) if titled else ()
        ranks = (*happened, (named,) if named else (), breaking, titled, (read,) if read else ())
        first = tuple(some for some in ranks if some)
        span = (*self._spoken.said, *(day.isoformat() for day in self._spoken.days or ()))
        idle, bare = tuple(dict.fromkeys(self._idle)), " ".join(word for word in self._bare if word not in self._idle)
        return Query(wanted, first, names, tuple(self._shown), tuple(self._also), span, idle, bare)

    def _term(
        self, minus: str | None, key: str | None, quoted: str | None, close: str | None, word: str | None
    ) -> None:
        if quoted is not None and not close:
            raise QueryError("quote", "A quotation mark is not closed.", 'Write "two words" with a mark on each side.')
        if word == OR and not (minus or key):
            if self._or or not self._clauses:
                raise _misplaced()
            self._or = True
            return
        value = (quoted if quoted is not None else word or "").strip(_WHITE)
        if key is not None:
            known = _filter(key.lower(), value)
            if known:
                self._filtered(known, value, bool(minus))
                return
            word, quoted = f"{key}:{value}", None
        if word:
            self._word(word, bool(minus))
        if quoted is not None:
            self._add(_clause([_phrase(list(runs(quoted)))]), bool(minus))

    def _word(self, word: str, minus: bool) -> None:
        if not minus and lower(word.rstrip("?!.,")) in self._idle_words:
            self._idle.append(word)
            return
        found = list(runs(word))
        start = word.endswith("*") and len(found) == 1 and len(found[0].row[-1]) >= SHORTEST_START
        terms: list[Term] = []
        left: list[str] = []
        groups = _translated(found, start, minus, terms, left)
        if not groups and not minus:
            self._idle.append(word)
            return
        self._idle += [] if minus else left
        if minus and len(groups) != 1:  # what has all the parts somewhere is not what was meant
            groups = [_alternatives(found, start)]
        clause = _clause(groups)
        if not minus and len(found) == 1 and found[0].text:
            clause.names += [name(word)] if not word[0].isdigit() and word[0] != "#" else []
            clause.named.append(Phrase((f"={name(word)}",)))
            clause.plain = "" if start or _PLAIN.fullmatch(word) is None else name(word)
            if is_sha(found[0].text):
                clause.named.append(Phrase((f"={found[0].text}",), start=True))
            clause.read += [one for one in clause.each[0] if one.tokens[0].startswith("=~")]
        self._add(clause, minus)
        if minus:
            return
        self._also |= dict.fromkeys(text for term in terms for text in term.texts)

    def _add(self, clause: _Clause, minus: bool) -> None:
        if not clause.each:
            return
        if any(len(one.tokens) > MOST_TOKENS for group in clause.each for one in group):
            tip = f"Use at most {MOST_TOKENS} words of it."
            raise QueryError("phrase", "A phrase of the query is too long.", tip, most=str(MOST_TOKENS))
        if minus:
            self._left_out(clause.each[0])
            return
        self._shown += [one for group in clause.each for one in group if one.tokens[0][0] != "!"]
        self._joined(clause)

    def _left_out(self, some: tuple[Phrase, ...]) -> None:
        if self._or:
            raise _misplaced()
        self._without.append(some)

    def _joined(self, clause: _Clause) -> None:
        """Beside the others; after `OR` as another way to meet the last one."""
        if not self._or:
            self._clauses.append(clause)
            return
        self._or = False
        last = self._clauses.pop()
        if len(last.each) * len(clause.each) > MOST_GROUPS:
            raise _many()
        each = [(*some, *more) for some, more in product(last.each, clause.each)]
        titled = [(*some, *more) for some, more in product(last.titled, clause.titled)]
        key = last.key if last.key == clause.key else ""
        named, read = [*last.named, *clause.named], [*last.read, *clause.read]
        self._clauses.append(_Clause(each, titled, named, [*last.names, *clause.names], read, key))

    # --- filters -----------------------------------------------------------------------------------------------------

    def _filtered(self, key: str, value: str, minus: bool) -> None:
        if not value:
            example = f"repo:{field().example}" if key == "repo" else _EXAMPLES[key]
            raise QueryError("value", f"{key}: has no value.", f"For example {example}.", key=key)
        if key in ("since", "until", "month"):
            self._date(key, value, minus)
            return
        if key == "author":
            self._author(value, minus)
            return
        tokens = tuple(Phrase((f"!{key}:{one}",)) for one in self._values(key, lower(value)))
        if minus:
            self._left_out(tokens)
        else:
            self._joined(_Clause([tokens], [], [], key=key if key in EITHER else ""))

    def _values(self, key: str, value: str) -> list[str]:
        if key == "repo":
            known = self._repos()
            found = [repo_mark(repo) for repo in known if value in lower(repo)]
            if not found:
                tip = f"Of these something was: {', '.join(list(known)[:8])}." if known else "Nothing was reported yet."
                raise QueryError(
                    "repo", f"Nothing was reported of a repository with {value!r} in its name.", tip, value=value
                )
            return found
        if key == "breaking":
            value = {"true": "yes", "1": "yes", "false": "no", "0": "no"}.get(value, value)
        choices = _CHOICES[key]
        every = (*choices, *kinds()) if key == "kind" else choices
        if value in every:
            return [mark(value)]
        close = near(value, every)
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
            if marks:
                self._joined(_Clause([(Phrase((one,)),) for one in marks], [], []))
        elif marks:
            self._left_out((Phrase((marks[0] if len(marks) == 1 else f"@={name(value)}",)),))

    def _date(self, key: str, value: str, minus: bool) -> None:
        if self._or:
            raise _misplaced()
        first, last = (None, None) if minus else (_day(value, last=False), _day(value, last=True))
        if first is None or last is None:
            tip = f"Write it as {key}:2026-01-31 or {key}:2026-01."
            raise QueryError("date", f"{key}:{value} is not a day.", tip, key=key, value=value)
        self._dated = True
        if key != "until":
            self._first = max(self._first, first)
        if key != "since":
            self._last = min(self._last, last)


def _many() -> QueryError:
    tip = f"Ask with at most {MOST_TERMS}."
    return QueryError("many", "The query has too many terms.", tip, most=str(MOST_TERMS))


def _misplaced() -> QueryError:
    return QueryError("or", "OR stands between two words.", "Write it as `hang OR deadlock`; not with -word or a date.")


def _side_by_side(clauses: Sequence[_Clause]) -> None:
    """Words side by side may be a name: `max model len` is asked for as `max_model_len`, too."""
    for at in range(len(clauses)):
        some = list(takewhile(lambda one: one.plain, clauses[at : at + MOST_PARTS]))
        for end in range(2, len(some) + 1):
            whole = "_".join(one.plain for one in some[:end])
            ways = (Phrase((f"~{whole}",)), Phrase((f"=~{whole}",)))
            some[0].names.append(whole)
            some[0].named.append(Phrase((f"={whole}",)))
            some[0].read.append(ways[1])
            for one in some[:end]:
                one.each[0] = (*one.each[0], *ways)


def _clause(groups: Sequence[tuple[Phrase, ...]]) -> _Clause:
    each = [group for group in groups if group]
    return _Clause(each, [_titled(group) for group in each], [])


def _titled(group: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    """The group where it stands in a title or a symbol; words as a whole and filters are not asked for there."""
    plain = [one for one in group if one.tokens[0][0] not in "~=!"]
    return tuple(Phrase(tuple(TITLE + token for token in one.tokens), one.start) for one in plain or group)


def _translated(
    found: Sequence[Run], start: bool, minus: bool, terms: list[Term], left: list[str]
) -> list[tuple[Phrase, ...]]:
    """A word as it stands or, where it has terms of the field, all its parts with the English words of each; what lies
    between those in Chinese (`left`) no English text has.
    """
    whole, table = _alternatives(found, start), all_terms()
    groups: list[tuple[Phrase, ...]] = []
    for run in found:
        if run.text:
            term = table.get(run.text)
            terms += [term] if term else []
            groups.append((*whole, *_alternatives([run], False), *(term.phrases if term else ())))
            continue
        for text, term in segments(run.han):
            if term is not None:
                terms.append(term)
                own = _phrase(list(runs(text)))
                groups += [(*whole, *own, *some) for some in ((term.phrases,) if minus else term.groups) if some]
            elif len(text) > 1:  # a single character between two terms (`的`) is no word
                left.append(text)
    if not any(term.phrases for term in terms):
        groups += [(*whole, *_phrase(list(runs(text)))) for text in left]
        left.clear()
    return [tuple(dict.fromkeys(group)) for group in groups] if terms else [whole]


_CHOICES = {"kind": KINDS, "level": LEVELS, "breaking": ("yes", "no"), "in": PLACES, "is": STATES, "tag": TAGS}
_EXAMPLES = {
    "kind": "kind:fix",
    "level": "level:high",
    "breaking": "breaking:yes",
    "since": "since:2026-01-31",
    "until": "until:2026-01-31",
    "month": "month:2026-01",
    "author": "author:ada",
    "in": "in:issue",
    "is": "is:open",
    "tag": "tag:crash",
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
    if len(run.row) > 1:
        some.append(Phrase((f"=~{whole}",), start))
    apart = atoms(run.text)
    if apart != run.row:
        some.append(Phrase(apart, start))
    if is_sha(run.text):
        some.append(Phrase((f"={run.text}",), start=True))
    if run.text.isascii() and run.text.isdigit():
        some.append(Phrase((f"~#{run.text}",)))
    return tuple(some)


def _filter(key: str, value: str) -> str | None:
    """The filter's name; None for a word that happens to have a colon; an error for what reads as a filter."""
    if key in FILTERS:
        return "level" if key == "importance" else key
    close = near(key, [one for one in FILTERS if len(one) > 2]) if len(key) > 2 else None
    if close:
        raise QueryError("filter", f"{key}: is not a filter.", f"Did you mean {close}:?", key=key, near=close)
    if value and not _CODE.search(value):
        tip = f"There are {', '.join(FILTERS)}; in quotation marks it is a text."
        raise QueryError("key", f"{key}: is not a filter.", tip, key=key)
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
