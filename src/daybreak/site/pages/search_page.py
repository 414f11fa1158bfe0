"""The search page: a form whose results the server renders, and which on the static site a script fills in."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any, get_args
from urllib.parse import urlencode

from markupsafe import Markup, escape

from daybreak.core.errors import DaybreakError, UsageError
from daybreak.core.profiles import field
from daybreak.core.words.phrases import Phrases
from daybreak.findings.kinds import Verb, surfaces
from daybreak.report.archive import addresses
from daybreak.report.render.escape import clean
from daybreak.site.pages import Asset, Ground, aged
from daybreak.site.pages.aftermath import ENDS, After, aftermath
from daybreak.site.pages.compare import TOLD
from daybreak.site.pages.kept_summaries import Summaries
from daybreak.site.pages.range_steps import CHOICES
from daybreak.site.pages.ranges import range_names
from daybreak.site.pages.search_offers import offered, offers
from daybreak.site.pages.symbols import Life, brief_events, lives_called, upgrades_called
from daybreak.site.pages.templates import phrases, render, web
from daybreak.site.pages.views import without_language
from daybreak.site.search import Found, Hit, Search, open_search
from daybreak.site.search.documents import documents
from daybreak.site.search.opening import FACETS
from daybreak.site.search.query import KINDS, LEVELS, QueryError
from daybreak.site.search.shards import (
    day_script,
    days_script,
    index_script,
    later_script,
    part_scripts,
    parts_of,
    words_script,
)
from daybreak.site.search.spelling import called, is_name
from daybreak.site.search.tokens import marked
from daybreak.store import Document

PAGE = 20
DEEPEST = 10_000
MOST_CHIPS = 8
EXAMPLES = (
    ("kv cache 量化", "how_words"),
    ("--max-model-len CacheConfig", "how_code"),
    ('"speculative decoding"', "how_phrase"),
    ("quant*", "how_start"),
    ("hang OR deadlock", "how_or"),
    (f"-docs -repo:{field().example}", "how_not"),
    ("8131641 #25821", "how_sha"),
    (f"repo:{field().example}", "how_repo"),
    ("kind:fix", "how_kind"),
    ("level:high breaking:yes", "how_level"),
    ("since:2026-01-31 until:2026-02", "how_dates"),
    ("author:ada", "how_author"),
    ("in:issue", "how_in"),
    ("is:open", "how_is"),
    ("tag:crash", "how_tag"),
)
_OF_SCRIPT = (
    *(
        "shown",
        "mentions",
        "none",
        "none_near",
        "none_filter",
        "none_offer",
        "none_name",
        "only_named",
        "named_first",
        "looking",
        "recent",
        "everything",
        "previous",
        "next",
        "breaking",
        "error_load",
    ),
    *("error_long", "error_many", "error_empty", "error_quote", "error_phrase", "error_value", "error_date"),
    *("error_repo", "error_near", "error_choice", "error_filter", "error_key", "error_or", "also", "meant"),
    *("life", "names", "moved", "read_days", "read_idle"),
    *("facet_month", "facet_repo", "facet_kind", "facet_level", "facet_breaking", "facet_in"),
)
"""Phrases that the script of the static site needs."""


class SearchPages:
    """One in each language, without results: the static site's script finds them, the server calls `answer`."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def keys(self) -> Iterable[tuple[str, str]]:
        offers = (one.stem for one in range_names(self._ground))
        newest = list(self._ground.archive.digests().items())[-1:]
        told = "\0".join((self._ground.look, *self._ground.languages, *map(str, newest), *offers))
        digest = hashlib.sha256(told.encode()).hexdigest()
        return [(addresses.search_path(language), digest) for language in self._ground.languages]

    def page(self, path: str) -> Asset | None:
        for language in self._ground.languages:
            if path == addresses.search_path(language):
                return render(
                    self._ground, "search.html", path, language, {**_EMPTY, **_for_script(self._ground, language)}
                )
        return None


_EMPTY: Mapping[str, Any] = {
    "section": "search",
    "served": False,
    "examples": EXAMPLES,
    "query": "",
    "hits": (),
    "first": 1,
    "status": "",
    "also": "",
    "meant": None,
    "facets": (),
    "lives": (),
    "offers": (),
    "named": False,
    "problem": "",
    "previous": None,
    "next": None,
}


def _for_script(ground: Ground, language: str) -> dict[str, Any]:
    say = phrases(language)
    told = {key: say.table[f"search.{key}"] for key in _OF_SCRIPT}
    told |= {f"in.{kind}": say(f"search.in_{kind}") for kind in ("change", "issue", "pull", "release")}
    told |= {f"level.{level}": say(f"level.{level}") for level in ("high", "medium", "low")}
    told |= {f"kind.{kind}": say.table[f"kind.{kind}"] for kind in KINDS if f"kind.{kind}" in say.table}
    told |= {"colon": say("page.colon"), "then": say("page.semicolon")}
    told |= {f"verb.{one}": say(f"search.verb_{one}") for one in get_args(Verb)}
    told |= {f"surface.{one}": say.get(f"surface.{one}", one) for one in (*surfaces(), CHOICES)}
    told |= {"breaking.yes": say("search.breaking"), "note": say.table["page.note"]}
    told |= {f"later.{kind}": say(f"later.{kind}") for kind in ENDS}
    return {
        "phrases_json": json.dumps(told, ensure_ascii=False, sort_keys=True),
        "offers_json": json.dumps(offers(ground, language), ensure_ascii=False),
    }


def answer(ground: Ground, search: Search, language: str, query: str, start: int = 0) -> Asset:
    """The page with the results of a query, from `start` on, as the server shows it at `LANG/search.html?q=…&from=…`.

    It works without scripts. A mistake in the query is told on the page; other errors are raised.
    """
    path, query = addresses.search_path(language), query.strip()
    start = max(0, min(start, DEEPEST))
    values = {**_EMPTY, "served": True, "query": clean(query), "first": start + 1}
    if query:
        values["offers"] = offered(offers(ground, language), query)
        try:
            found = search.find(query, PAGE, start, language, facets=True)
            values["offers"] = [_on_day(ground, found, *one) for one in values["offers"]]
            values["lives"] = [] if start else _lives(ground, language, query)
            values |= _results(ground, found, language, query, start)
            if values["offers"] and not found.hits:  # a page answers it: other words would not
                values |= {"status": phrases(language)("search.none_offer", **_span(ground)), "meant": None}
            if found.hits and is_name(found.bare) and not start and not values["lives"]:
                more = f" {values['status']}" if found.total > PAGE else ""
                values["status"] = _only_named(ground, language, found) + more
                values["named"] = True
        except UsageError as error:
            values["problem"] = _problem(error, language)
        asked = urlencode({"q": query})
        values["others"] = {
            other: f"{addresses.relative(path, addresses.in_language(path, other))}?{asked}"
            for other in ground.languages
            if other != language
        }
    return render(ground, "search.html", path, language, values)


def _on_day(ground: Ground, found: Found, text: str, href: str) -> tuple[str, str]:
    """Of a day that is asked for, its own row of those on which a branch was broken."""
    day = found.span[1] if len(set(found.span[1:])) == 1 else ""
    known = href.endswith("#broken") and day in ground.archive.labels()[-TOLD:]
    return (f"{text} · {day}", f"{href}-{day}") if known else (text, href)


def _results(ground: Ground, found: Found, language: str, query: str, start: int) -> dict[str, Any]:
    say = phrases(language)
    last = start + len(found.hits)
    span, later = _span(ground), aftermath(Summaries.of(ground).days())
    if found.hits:
        status = say("search.shown", first=start + 1, last=last, total=found.total, **span)
        if 0 < found.called < found.total:
            status = f"{status}{say('search.mentions', first=found.called + 1)}"
    else:
        left = _dropped(query, found.suggestion)
        told = (
            "none_name"
            if is_name(found.bare)
            else "none_filter"
            if left
            else "none_near"
            if found.suggestion
            else "none"
        )
        status = say(f"search.{told}", name=clean(found.bare), filter=clean(left), **span)
    if found.missing:
        status = f"{status} {say('search.missing', days=', '.join(found.missing))}"
    return {
        "hits": found.hits,
        "later_of": lambda hit: later.get((hit.repo, hit.id)),
        "status": status,
        "also": " · ".join(_read_so(found, say)),
        "meant": (found.suggestion, _turned(found.suggestion, 0)) if found.suggestion else None,
        "facets": _narrowings(found, query, say),
        "pieces": _marker(found.terms),
        "meta": lambda hit: _meta(hit, say.table),
        "previous": _turned(query, max(0, start - PAGE)) if start else None,
        "next": _turned(query, last) if found.hits and last < found.total and last <= DEEPEST else None,
    }


def _read_so(found: Found, say: Phrases) -> Iterator[str]:
    """What the query was read as, where that is not what stands there."""
    if found.span:
        days = " – ".join(dict.fromkeys(found.span[1:]))
        yield say("search.read_days", said=clean(found.span[0]), days=days)
    if found.idle:
        yield say("search.read_idle", words=clean(", ".join(found.idle)))
    if found.also:
        yield say("search.also", words=", ".join(found.also))


def _dropped(query: str, suggestion: str) -> str:
    """The filter without which something is found."""
    dropped = [piece for piece in query.split() if piece not in suggestion.split()]
    return dropped[0] if suggestion and len(dropped) == 1 and ":" in dropped[0] else ""


def _span(ground: Ground) -> dict[str, str]:
    """The days that are held, how many and from when to when: nothing is known of others."""
    labels = ground.archive.labels()
    return {"days": str(len(labels)), "span": " – ".join(dict.fromkeys(labels[:1] + labels[-1:]))}


def _only_named(ground: Ground, language: str, found: Found) -> str:
    say = phrases(language)
    said = say("search.only_named", name=clean(found.bare), n=found.total, **_span(ground))
    return said + say("search.named_first", first=found.called) if 0 < found.called < found.total else said


def _lives(ground: Ground, language: str, query: str) -> list[tuple[str, str]]:
    """Names of the query that have a life: what they are called with their repository, and where that is."""
    asked = called(query)
    found = lives_called(Summaries.of(ground).days(), asked)
    here, say = addresses.search_path(language), phrases(language)
    upgrades = [
        (
            f"{one.repo} · {say.get(f'surface.{one.surface}', one.surface)} · {one.name}{say('page.colon')}"
            + " ".join(part for part in (one.span, say(f"search.verb_{one.verb}"), one.turn) if part),
            addresses.relative(here, one.place(language)),
        )
        for one in upgrades_called(ground, asked)
    ]
    lives = [
        (
            f"{one.repo} · {say.get(f'surface.{one.surface}', one.surface)} · {one.name}{_happened(one, say)}",
            addresses.relative(here, addresses.symbol_path(language, one.repo, one.surface, one.name)),
        )
        for one in found
    ]
    return [*lives, *upgrades][:MOST_CHIPS]


def _happened(life: Life, say: Phrases) -> str:
    """`: 2026-03-02 default 1 → 2`: the answer, before the page that has all of it is opened."""

    def became(after: str) -> str:
        return say("page.note", text=say(f"later.{after}")).strip() if after else ""

    told = [
        " ".join(part for part in (label, say(f"search.verb_{verb}"), turn, became(after)) if part)
        for label, verb, turn, after in brief_events(life)
    ]
    return say("page.colon") + say("page.semicolon").join(told)


def _turned(query: str, start: int) -> str:
    return "?" + urlencode({"q": query, **({"from": start} if start else {})})


def _narrowings(found: Found, query: str, say: Phrases) -> list[tuple[str, list[tuple[str, str, int, str]]]]:
    """Of each key with a choice, its commonest values: what it is called, the query with it, and how many are left."""
    rows: list[tuple[str, list[tuple[str, str, int, str]]]] = []
    for key in FACETS:
        one_repo = key == "repo" and found.total > 1
        some = [one for one in found.facets if one.key == key and (one.count < found.total or one_repo)]
        if key == "level":  # the gravest first, however many the others are
            some.sort(key=lambda one: LEVELS.index(one.value))
        if key == "month":
            some.sort(key=lambda one: one.value, reverse=True)
        words = {"kind": "kind.{}", "level": "level.{}", "in": "search.in_{}", "breaking": "search.breaking"}.get(
            key, ""
        )
        chips = []
        for one in some[:MOST_CHIPS]:
            only = f"{query} {key}:{one.value}"
            chips.append((say.table.get(words.format(one.value), one.value), _turned(only, 0), one.count, ""))
            if key in ("month", "repo") and 0 < one.breaking < one.count:  # an overview: how many of each break
                chips.append((say("search.breaking"), _turned(f"{only} breaking:yes", 0), one.breaking, "brk"))
        if chips:
            rows.append((say(f"search.facet_{key}"), chips))
    return rows


def _marker(terms: Iterable[str]) -> Callable[[str], Markup]:
    wanted = tuple(terms)

    def pieces(text: str) -> Markup:
        cut = marked(clean(text), wanted)
        return Markup("").join(Markup("<mark>{}</mark>").format(piece) if hit else escape(piece) for piece, hit in cut)

    return pieces


def _meta(hit: Hit, words: Mapping[str, str]) -> str:
    number = hit.id[:9] if hit.kind == "change" else hit.id if hit.kind == "release" else f"#{hit.id}"
    facts = (hit.repo, hit.label, number, words.get(f"kind.{hit.topic}", hit.topic))
    return clean(" · ".join(fact for fact in facts if fact))


def _problem(error: UsageError, language: str) -> str:
    if isinstance(error, QueryError):
        return clean(phrases(language)(f"search.error_{error.code}", **error.facts))
    return clean(f"{error.message} {error.tip}")


# --- The static site's search index as files of the site; `search/shards.py` says what is in them ---


SCRIPT = "text/javascript; charset=utf-8"
_DAY = re.compile(r"search/days/(\d{4}-\d{2}-\d{2})\.js")
_MONTH = re.compile(r"search/(\d{4}-\d{2})/(days|words|[0-9a-f]{2})\.js")
_LATER = re.compile(r"search/(\d{4}-\d{2})/later\.js")


class SearchFiles:
    """A month is read when one of its files is asked for, and held until another one is."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._summaries = ground, Summaries.of(ground)
        self._turn = Lock()
        self._held = _Month("", "", {})

    def keys(self) -> Iterable[tuple[str, str]]:
        months, old, later = self._months(), aged(self._ground.archive), self._later()
        yield "search/index.js", self._digest(*(f"{month}={digest}" for month, (_, digest) in months.items()))
        for month, (days, digest) in months.items():
            yield f"search/{month}/days.js", digest
            yield f"search/{month}/words.js", digest
            yield _later_path(month), self._digest(repr(later.get(month)))
            for part in range(parts_of(len(days))):
                yield _part_path(month, part), digest
            for label, of_day in days.items():
                told = (label, of_day, *self._ground.languages, str(label in old))
                yield f"search/days/{label}.js", self._digest(*told)

    def page(self, path: str) -> Asset | None:
        body = self._body(path) if path.startswith("search/") else None
        return None if body is None else Asset(path, body, SCRIPT)

    def _body(self, path: str) -> bytes | None:
        if path == "search/index.js":
            return self._index()
        if found := _LATER.fullmatch(path):
            return later_script(found[1], self._later().get(found[1], {}))
        if found := _MONTH.fullmatch(path):
            return self._of_month(found[1]).files().get(path)
        found = _DAY.fullmatch(path)
        documents = self._of_month(found[1][:7]).documents.get(found[1]) if found else None
        if found is None or documents is None:
            return None
        return day_script(found[1], self._ground.languages, documents, found[1] in aged(self._ground.archive))

    # --- months ------------------------------------------------------------------------------------------------------

    def _months(self) -> dict[str, tuple[dict[str, str], str]]:
        """Month -> its days with their digests, and the digest of all of them; newest first."""
        months: dict[str, dict[str, str]] = {}
        for label, digest in self._ground.archive.digests().items():
            if addresses.is_label(label):
                months.setdefault(label[:7], {})[label] = digest
        return {
            month: (months[month], self._digest(month, *(f"{x}={y}" for x, y in months[month].items())))
            for month in sorted(months, reverse=True)
        }

    def _later(self) -> dict[str, dict[str, tuple[str, str, str]]]:
        """Month -> its changes that a story ends -> what became of each, on which day, and where the change stands that did it."""
        days, found = self._summaries.days(), dict[str, dict[str, tuple[str, str, str]]]()
        said = aftermath(days)
        for day in days if said else ():
            for repo in day.repos:
                for one in repo.changes:
                    if after := said.get((repo.name, one.sha)):
                        told = (after.kind, after.label, _place_of(after))
                        found.setdefault(day.label[:7], {})[one.sha[: addresses.SHORT]] = told
        return found

    def _digest(self, *depends: str) -> str:
        return hashlib.sha256("\0".join((self._ground.look, *depends)).encode()).hexdigest()

    def _index(self) -> bytes:
        months = [(month, parts_of(len(days)), digest[:8]) for month, (days, digest) in self._months().items()]
        repos = {repo.name for day in self._summaries.days() for repo in day.repos}
        return index_script(months, repos, max(filter(addresses.is_label, self._ground.archive.labels()), default=""))

    def _of_month(self, month: str) -> _Month:
        days, digest = self._months().get(month, ({}, ""))
        with self._turn:
            if self._held.digest != digest:
                self._held = _Month(month, digest, self._documents(days))
            return self._held

    def _documents(self, days: Mapping[str, str]) -> dict[str, Sequence[Document]]:
        """From the index of the store, where that has them, which is quick; a site that is built writes no store."""
        found: dict[str, Sequence[Document]] = {}
        with open_search(self._ground.settings) as search:
            for label, digest in days.items():
                indexed = search.documents(label, digest)
                found[label] = self._read(label) if indexed is None else indexed
        return found

    def _read(self, label: str) -> Sequence[Document]:
        """A report that cannot be read has none; the status page tells of it."""
        try:
            day = self._ground.archive.day(label)
        except DaybreakError:
            return ()
        return () if day is None else documents(day)


class _Month:
    """The documents of a month, and the files made of them."""

    def __init__(self, name: str, digest: str, of_days: Mapping[str, Sequence[Document]]) -> None:
        self.digest, self.documents = digest, of_days
        self._name = name
        self._turn = Lock()
        self._files: dict[str, bytes] = {}

    def files(self) -> Mapping[str, bytes]:
        with self._turn:
            if not self._files and self.documents:
                parts = part_scripts(self._name, self.documents)
                self._files = {_part_path(self._name, part): body for part, body in parts.items()}
                self._files[f"search/{self._name}/days.js"] = days_script(self._name, self.documents)
                self._files[f"search/{self._name}/words.js"] = words_script(self._name, self.documents)
            return self._files


def _place_of(after: After) -> str:
    """Without the language; at the forge where no day tells it, and nowhere without one."""
    page = without_language(addresses.change_path("-", after.by.repo, after.by.sha))
    return page if after.by.label else web(after.by.url)


def _later_path(month: str) -> str:
    return f"search/{month}/later.js"


def _part_path(month: str, part: int) -> str:
    return f"search/{month}/{part:02x}.js"
