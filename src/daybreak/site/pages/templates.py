"""The one Jinja environment: whatever stands in a value shows as text, and a name that is missing is an error.

A template gets `t` (phrases), `tm` (phrases that hold markup), `link` (a relative link to an address), `asset` (the same to a file of `static/`),
`paths` (the module of addresses), `lang`, `path`, `others` (language -> link to this page in it), and its own values.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from difflib import SequenceMatcher
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from daybreak.core.file_cache import code_digest
from daybreak.core.model.day import Day, headline, in_language
from daybreak.core.words.brief import advised, bare_title, brief_line, first_advice
from daybreak.core.words.grammar import parted
from daybreak.core.words.phrases import Phrases, chosen, language_name, part_in, reason_in, table
from daybreak.core.words.phrases import phrases as room_phrases
from daybreak.findings.kinds import kind_of, kinds
from daybreak.judge.hazards import hazard
from daybreak.report.archive import addresses
from daybreak.report.render.escape import LONGEST, clean
from daybreak.site.pages import HTML, Asset, Ground
from daybreak.site.pages.compiled import Compiled, beside_templates

SHORT = 32
_BREAK = Markup("<wbr>")
_STRETCH = re.compile(r".{12,}?(?:/+|$)|.+$", re.DOTALL)
"""What stays on one line of a long path: a place to break it at every slash would be a thousand elements a day."""
_QUOTE = re.compile("“[^“”]{1,400}”|「[^「」]{1,400}」")
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_COMPARED = 160
"""Words of a value that are compared with those of the other, between what both begin and end with: the time for it grows
with their square.
"""
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)+\.[A-Za-z]\w{0,5}")
"""A file in a folder; what begins with a slash is a route, and what has none is a name."""
_KEYS = (
    *(("j k", "next"), ("o", "open"), ("/", "filter"), ("[ ]", "days")),
    *(("l", "language"), ("t", "theme"), ("?", "help")),
)
_WEB = re.compile(r"https?://[^\s\"'<>\\^`{|}\x00-\x20\x7f]+", re.IGNORECASE)


@cache
def phrases(language: str) -> Phrases:
    """The phrases of the pages over those of the reports: kinds, roles and reasons have one wording everywhere."""
    labels = {f"finding.{kind.name}": chosen(kind.label, language) for kind in kinds().values()}
    return Phrases(language, {**labels, **room_phrases(language, "report", "site").table})


def said(
    sentence: str, quotes: Callable[[str], bool] = lambda _: False, names: Mapping[str, str] = MappingProxyType({})
) -> Markup:
    """A sentence of the report: literal text in which single backticks hold code, a path or what `quotes` knows as a title.

    `names`: of code that leads somewhere, where to.
    """
    parts = sentence.split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    shown = (_led(_held(part, quotes), names.get(part)) if i % 2 else _plain(part) for i, part in enumerate(parts))
    return Markup("").join(shown)


def _led(shown: Markup, place: str | None) -> Markup:
    return Markup('<a class="sy" href="{}">{}</a>').format(place, shown) if place else shown


def _held(part: str, quotes: Callable[[str], bool]) -> Markup:
    """A box around symbols and values only: a title is a quotation, of a path the end tells most."""
    if quotes(part):
        return Markup("<q>{}</q>").format(clean(part))
    if _PATH.fullmatch(part):
        *folders, last, end = clean(part).split("/")
        before = Markup("<i>{}</i>").format("".join(f"{one}/" for one in folders)) if folders else ""
        return Markup('<span class="path">{}{}/{}</span>').format(before, last, end)
    return _code(part)


def _plain(part: str) -> Markup:
    """A line may end before a Chinese bracket: right behind code browsers see no place for it."""
    shown = escape(clean(part))
    return _BREAK + shown if shown.startswith("（") else shown


def _code(part: str) -> Markup:
    """A short name stays on one line, however many hyphens it has; a long path may be broken at some of its slashes."""
    part = clean(part)
    if not part.strip():
        return Markup("")
    if len(part) <= SHORT and " " not in part:
        return Markup('<code class="w">{}</code>').format(part)
    return Markup("<code>{}</code>").format(_BREAK.join(_STRETCH.findall(part)))


class _Turned(Protocol):
    @property
    def before(self) -> str | None: ...

    @property
    def after(self) -> str | None: ...


def apart(finding: _Turned) -> tuple[Markup, Markup]:
    """What a value was and what it is, with the words marked that only one of them has."""
    before, after = whole(finding.before or ""), whole(finding.after or "")
    a, b = _WORDS.findall(before), _WORDS.findall(after)
    head = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest = min(len(a), len(b)) - head
    tail = next((at for at in range(rest) if a[-1 - at] != b[-1 - at]), rest)
    was, now = a[head : len(a) - tail], b[head : len(b) - tail]
    if not before or not after or max(len(was), len(now)) > _COMPARED:
        return escape(before), escape(after)
    steps = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    same = head + tail + sum(end - start for kind, start, end, _, _ in steps if kind == "equal")
    if same * 3 < len(a):
        return escape(before), escape(after)  # two values that have nothing in common
    first, last = escape("".join(a[:head])), escape("".join(a[len(a) - tail :]))
    old = (_marked("del", was[start:end], kind) for kind, start, end, _, _ in steps)
    new = (_marked("ins", now[start:end], kind) for kind, _, _, start, end in steps)
    return first + Markup("").join(old) + last, first + Markup("").join(new) + last


def _marked(tag: str, words: list[str], kind: str) -> Markup:
    text = escape("".join(words))
    return text if kind == "equal" or not text else Markup("<{0}>{1}</{0}>").format(tag, text)


def whole(text: str) -> str:
    """As `clean`, and nothing is cut off: for text that is the matter itself."""
    return "".join(clean(text[at : at + LONGEST]) for at in range(0, len(text), LONGEST))


def message(text: str) -> str:
    """As `whole`, with its lines kept."""
    return "\n".join(whole(line) for line in text.splitlines())


def when(moment: datetime | None, form: str = "%Y-%m-%d %H:%M") -> str:
    """A moment in the zone of the report, as the report has it."""
    return "" if moment is None else moment.strftime(form)


def web(address: str) -> str:
    """An address that may be linked to: of the web, with nothing odd in it; anything else becomes empty."""
    return address if _WEB.fullmatch(address) else ""


def _headline(day: Day, language: str) -> str:
    """The day and its headline as a title; empty where it has none."""
    said = clean(headline(day, language).replace("`", ""))
    return f"{day.label} · {said} · Daybreak" if said else ""


def _headline_fact(day: Day, language: str) -> str:
    """What a headline that is a title leaves open: what went wrong as far as it is quoted, and which release has it."""
    text = in_language(day.actions[0].text, language) if day.actions else ""
    title, rest = parted(text)
    if not title:
        return ""
    quotes = _QUOTE.findall(advised(rest, language)[0])
    met = next((one for one in quotes if hazard(one, titled=False)), "")
    return f"{met} {first_advice(text, language)}".strip()


def _about(day: Day, language: str) -> str:
    """The first entries of the first screen in plain words: what a chat shows under a link to the day."""
    entries = (f"{one.repo.rpartition('/')[2]}: {in_language(one.text, language)}" for one in day.actions[:3])
    return " · ".join(clean(brief_line(one, 20).replace("`", "")) for one in entries)


def _reason(text: str, language: str) -> str:
    return reason_in(language, text)


def _part(text: str, language: str) -> str:
    return part_in(language, text)


@cache
def environment() -> Environment:
    """Made once: compiled templates stay in it, and threads may share it."""
    env = Environment(
        loader=PackageLoader("daybreak.site.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
        bytecode_cache=Compiled(beside_templates()),
    )
    env.filters.update(
        in_language=in_language,
        said=said,
        clean=clean,
        whole=whole,
        apart=apart,
        message=message,
        when=when,
        web=web,
        brief=brief_line,
        bare_title=bare_title,
        reason=_reason,
        part=_part,
    )
    env.tests["met_by_forks"] = lambda kind: kind_of(kind).mark == "internals"
    env.tests["keeping_names"] = lambda kind: "nameless" not in kind_of(kind).traits
    env.globals.update(
        paths=addresses, headline=_headline, about=_about, day_headline=headline, headline_fact=_headline_fact
    )
    return env


def render(ground: Ground, template: str, path: str, language: str, values: Mapping[str, Any]) -> Asset:
    """One page from its template; empty lines between its elements are left out."""
    shown = environment().get_template(template).render({**frame(ground, path, language), **values})
    return Asset(path, _EMPTY_LINES.sub(lambda found: found[1] or "", shown).encode("utf-8", "replace"), HTML)


_EMPTY_LINES = re.compile(
    r"(<pre\b.*?</pre>)|\n[ ]*(?=\n)", re.DOTALL
)  # of a text that is shown as it stands, every line stays


def frame(ground: Ground, path: str, language: str) -> dict[str, Any]:
    """What every template is given."""
    return {
        "lang": language,
        "path": path,
        "t": phrases(language),
        "tm": _marked_up(phrases(language)),
        "link": _linker(path),
        "asset": lambda name: addresses.relative(path, static_paths()[name]),
        "keys": addresses.relative(path, _hashed(f"keys.{language}.js", keys_script(language))),
        "others": {
            other: addresses.relative(path, addresses.in_language(path, other))
            for other in ground.languages
            if other != language
        },
        "html_language": table(language, "language")["html"],
        "language_names": {other: language_name(other) for other in ground.languages},
    }


def _marked_up(t: Phrases) -> Callable[..., Markup]:
    """A phrase whose values may be markup: `tm("forge.fix", what=link)`; plain values are escaped."""
    return lambda key, **values: escape(t.table[key]).format(**values)


def _linker(path: str) -> Callable[[str], str]:
    return lambda target: addresses.relative(path, target)


# --- files that come with the program --------------------------------------------------------------------------------


@cache
def static_files() -> Mapping[str, bytes]:
    """Style and scripts by name."""
    folder = resources.files("daybreak.site.pages").joinpath("static")
    return {one.name: one.read_bytes() for one in sorted(folder.iterdir(), key=lambda f: f.name) if one.is_file()}


@cache
def static_paths() -> Mapping[str, str]:
    """Name -> address with a hash of the content in it, so that it may be cached for good."""
    return {name: _hashed(name, body) for name, body in static_files().items()}


def _hashed(name: str, body: bytes) -> str:
    stem, _, ending = name.rpartition(".")
    return f"assets/{stem}.{hashlib.sha256(body).hexdigest()[:10]}.{ending}"


@cache
def keys_script(language: str) -> bytes:
    """What the keys do: loaded when it is asked for, since every page would have it and few readers look."""
    say = phrases(language)
    keys = [(pressed, say(f"day.key_{does}")) for pressed, does in _KEYS]
    told = json.dumps([say("day.keys"), say("day.close"), keys], ensure_ascii=False)
    return f"daybreakKeys({told[1:-1]});\n".encode()


def look_digest() -> str:
    """Of everything in the program that decides how a page looks."""
    return code_digest(
        "core/words", "core/profiles", "site", "report/archive", "report/render", "core/model", "core/day_json.py"
    )


# --- Style and scripts of the site, each under an address that changes with its content ---


MEDIA = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}

PLAIN = ".nojekyll"
"""Tells GitHub Pages to publish the files as they are."""


class AssetFiles:
    """What lies in `static/`, and what `?` tells, once in each language."""

    def __init__(self, ground: Ground) -> None:
        told = {f"keys.{language}.js": keys_script(language) for language in ground.languages}
        self._files = {_hashed(name, body): body for name, body in {**static_files(), **told}.items()}

    def keys(self) -> Iterable[tuple[str, str]]:
        return [(path, path) for path in (*self._files, PLAIN)]

    def page(self, path: str) -> Asset | None:
        if path == PLAIN:
            return Asset(path, b"", "text/plain")
        body = self._files.get(path)
        return None if body is None else Asset(path, body, MEDIA[path.rpartition(".")[2]])
