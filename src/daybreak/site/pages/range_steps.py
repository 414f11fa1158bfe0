"""The list that an upgrade begins with: what to change first, whole, so that it can be copied; what is read in a minute is open.

What stops a start first: settings that went or are refused; then what runs otherwise by itself, what has to be installed and
which models went. What only imports, plug-ins and forks meet stands apart, and what is inner is never copied. An open row says
whom it hits, what is otherwise and what to do; of what says less, how much there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.day import Text
from daybreak.core.words.brief import unplaced
from daybreak.core.words.phrases import REFERENCE, languages
from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.languages.python_public import is_setting
from daybreak.judge.breaking import is_core
from daybreak.judge.phrases import LISTED
from daybreak.judge.reach import aside_of
from daybreak.judge.value_lists import lost_and_new
from daybreak.site.pages.templates import phrases

CHOICES = "choices"
"""What is chosen by its name and is no model: values of flags, quantization methods, connectors, parsers."""
SETTINGS = ("cli", "environment", "config", "server", CHOICES, "behaviour")
"""Surfaces whose rows are told one by one: what to write instead stands in them."""
MODELS = "models"
DEMANDED, OTHERWISE = "demanded", "otherwise"
"""Heads of parts of which nothing is gone or refused: who does not set it fails, and it works in another way."""
LONG_VALUE, LONG_CONDITION = 48, 72
"""From here on two sides of a default, or the value of a requirement, are no longer read in a line; nor is a condition."""
WORDS, HEAD_WORDS, FAULT_WORDS = 140, 5, 32
"""What is read in under a minute beside the title and the heads of what is folded, and what the head of a part and a fault of the
target take of it.
"""
LONG_ROW = 30
"""Words of a row that is read by nobody who skims: a condition in code, a list of dozens."""
BOTH = 2
"""Rows of defaults that are always open: what a list decides, and a setting with both its sides."""
LOOKED_THROUGH = 8
"""Names of a row that are read: a longer list is looked through for one's own, where it is opened for that."""
MANY_ROWS, FEW_NAMES = 6, 3
"""Rows of a part that may be open; names that stand for all others."""
FIRST = ("cli", CHOICES, "config", "environment", "server", "behaviour", "defaults", "dependencies", MODELS)
"""Parts of the list: what is set, what nobody has to set to be hit by it, what is installed, then who has one of the models; the
others are met by code alone.
"""
_INNER = re.compile(r"(?:^|\.)_")
_COMPILED = re.compile(r"(?:^|/)(?:Cargo\.toml|go\.mod|package\.json)$")
"""What these ask for is inside what gets installed: nobody has to bring it."""
_BUILD = re.compile(r"(?:^|/)(?:setup\.py|CMakeLists\.txt|Makefile|[^/]*Dockerfile[^/]*|build[^/]*)$|\.(?:sh|cmake)$")
"""Files that build: what they read is set by nobody who runs the program."""
_QUOTE = re.compile("“[^”]{1,300}”|「[^」]{1,300}」")
_LONG_IF = re.compile(r"`([^`]{1,40}?) if ([^`]{40,})`")
"""A value under a condition that nobody reads in a list."""
_OF_IT = re.compile(r"\"[^\"`]{2,60}\"|'[^'`]{2,60}'")
"""What it names, by which a reader knows whether it is theirs."""
_ASKED = re.compile(r"if (.{1,400}): raise\b")
_SETTING = re.compile(r"(?<!\S)--[\w.-]{1,79}\w|\b[a-z_]{2,40}(?:\.[a-z_]{2,60}){1,4}\b")
"""A flag, or a key of a configuration."""
_INSTEAD = re.compile(r"(?:[“,;:.]\s?|\bplease )(?:use|set) ", re.IGNORECASE)
_OTHER_SENSE = re.compile(r"\b(?:not?|never|without|longer|instead of)\b|n't\b", re.IGNORECASE)
_LITERAL = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?|\"[^\"\\]{1,60}\"|'[^'\\]{1,60}'")
"""What is written into a setting as it stands in the source."""
_VERSION = re.compile(r"\d+(?:\.\d+)+(?:\.?(?:post|rc|dev)\d*)?")
_PLACE = re.compile(r"^\[[^\]]*\]\s*")
_LINKS = 2
"""Changes that a row leads to."""


class Row(Struct, frozen=True):
    """One thing to do: names, what they became or what the file now asks for, and what to do; or a sentence; and by which
    changes.
    """

    names: tuple[str, ...] = ()
    turn: str = ""
    how: Text | None = None
    where: str = ""
    text: Text | None = None
    times: int = 1
    commits: tuple[str, ...] = ()
    exact: tuple[Row, ...] = ()
    """Rows that it sums up: what upstream says of each name."""
    again: bool = False
    """An open row above sums it up."""

    @property
    def words(self) -> int:
        """About how many words a reader meets in it."""
        told = " ".join((self.turn, self.where, *(one[REFERENCE] for one in (self.how, self.text) if one)))
        return len(" ".join(self.names).split()) + len(told.split()) + len(self.commits)

    @property
    def is_inner(self) -> bool:
        """Nobody sets what it names: a parameter of a function, a private name, a condition in code."""
        told = re.match("`([^`]*)`", self.text[REFERENCE]) if self.text and not self.how else None
        names = self.names or ((told[1],) if told else ())
        return bool(names) and all("(" in name or _INNER.search(name) is not None for name in names)

    @property
    def is_long(self) -> bool:
        nothing_instead = not self.how or "`" not in self.how[REFERENCE]
        return self.words > LONG_ROW or (len(self.names) > LOOKED_THROUGH and nothing_instead)


class Step(Struct, frozen=True):
    """A part of the page, how much it holds, and all of it in short rows, of which the first `shown` are open."""

    family: str
    name: str
    anchor: str
    count: int
    rows: tuple[Row, ...]
    shown: int = 0
    most: int = MANY_ROWS
    """So many of its rows may be open: what a file asks for in full is looked up."""
    head: str = ""
    """What its head says where that is not what the part says: it is demanded, or works otherwise."""

    @property
    def folded(self) -> int:
        """How many names or sentences the rows hold that are not open."""
        return sum(len(row.names) or row.times for row in self.rows[self.shown :])

    @property
    def rest(self) -> list[Row]:
        """Rows of the fold: those that are not open, and what the open ones sum up."""
        summed = [replace(one, again=True) for row in self.rows[: self.shown] for one in row.exact]
        return [*summed, *(one for row in self.rows[self.shown :] for one in row.exact or (row,))]

    @property
    def of_code(self) -> bool:
        """Only code that is built on it meets this."""
        return self.name not in FIRST


_Rows = tuple[str, Sequence[Any]]


def surface_of(net: Any) -> str:
    """Where the page tells it: a name of a registry is no model, and a value of a setting no Python, though its type is."""
    kind = kind_of(net.kind)
    written = kind.family == "literal" and is_setting(net.symbol.rpartition(".")[0])
    return CHOICES if kind.family == "registry" or kind.change == "choices_changed" or written else kind.surface


def steps(breaking: Sequence[_Rows], defaults: Sequence[Any], wanted: Sequence[Any], faults: int = 0) -> list[Step]:
    """`wanted`: what an installation asks for; `faults`: of the target, which are told before all of these."""
    told = {surface: nets for surface, nets in breaking if surface != "dependencies"}
    out = [one for name in (*SETTINGS, MODELS) if name in told for one in _parted(name, told.pop(name))]
    if wanted:
        core = _core(wanted)
        rest = [net for net in wanted if not any(net in some for some in core.values())]
        jumps = [
            Row(tuple(dict.fromkeys(net.symbol for net in some)), turn, _words("have_first"), commits=_commits(some))
            for turn, some in core.items()
        ]
        out.append(
            Step("surface", "dependencies", "dependencies", len(wanted), (*jumps, *_files(rest)), most=len(jumps))
        )
    if defaults:
        out.append(Step("range", "defaults", "felt-defaults", len(defaults), _turned(defaults)))
    out += [Step("surface", name, f"breaking-{name}", len(nets), (_named(nets),)) for name, nets in told.items()]
    first = sorted((one for one in out if not one.of_code), key=_place)
    few = [one for one in out if one.of_code]
    return [*_opened(first, WORDS - FAULT_WORDS * faults - HEAD_WORDS * (len(first) + bool(few))), *few]


def _place(step: Step) -> tuple[int, str]:
    """What works otherwise stands with the defaults, what is gone or refused before them."""
    return FIRST.index("defaults" if step.head == OTHERWISE else step.name), step.head


def _parted(name: str, nets: Sequence[Any]) -> Iterator[Step]:
    """What fails without a setting, what is gone or refused, and what works otherwise: one head cannot say all."""
    for head in (DEMANDED, "", OTHERWISE):
        if some := [net for net in nets if _head(name, net) == head]:
            rows, most = _rows(name, some), MANY_ROWS
            if name == "behaviour" and head == OTHERWISE:  # that something is otherwise says nothing without what to do
                most = sum(row.how is not None for row in rows)
            yield Step("surface", name, f"breaking-{name}", len(some), rows, most=most, head=head)


def _head(surface: str, net: Any) -> str:
    kind = kind_of(net.kind)
    if surface == "behaviour":
        refused = (kind.family, kind.effect) == ("guard", "tightened")
        return DEMANDED if kind.family == "demand" else "" if refused else OTHERWISE
    return OTHERWISE if surface == "environment" and kind.change not in GONE else ""


def _opened(every: Sequence[Step], left: int) -> list[Step]:
    """What everybody meets, what is first in every other part, and then the gravest, as far as there are words left."""
    every = [replace(step, rows=_short_first(step.rows)) for step in every]
    shown = [0] * len(every)
    meets_all = [at for at, step in enumerate(every) if step.name in ("defaults", "dependencies")]
    others = [at for at in range(len(every)) if at not in meets_all]
    for most in (1, 2, MANY_ROWS):
        for at in (*meets_all, *others):
            step = every[at]
            first = max(most, {"defaults": BOTH, "dependencies": step.most}.get(step.name, 0))
            for row in step.rows[shown[at] : min(first, step.most)]:
                if row.is_long or row.is_inner or row.words > left:
                    break
                shown[at], left = shown[at] + 1, left - row.words
    return [replace(step, shown=shown[at]) for at, step in enumerate(every)]


def _short_first(rows: Sequence[Row]) -> tuple[Row, ...]:
    return tuple(sorted(rows, key=lambda row: (row.is_inner, row.is_long)))


def _rows(surface: str, nets: Sequence[Any]) -> tuple[Row, ...]:
    """Names with the same way out stand in one row; what has none is told as it is, for a name alone says nothing of it, and
    once however many files have it.
    """
    groups: dict[tuple[str, str, str], list[Any]] = {}
    for net in nets:
        built = net.path if surface == "environment" and _BUILD.search(net.path) else ""
        way = _way(net)
        told = _settings(way) or way[REFERENCE] if way else _refusal(net, nets) or unplaced(net.text)[REFERENCE]
        groups.setdefault((built, _sides(net) if way else "", told), []).append(net)
    for_users = sorted(groups.items(), key=lambda one: (bool(one[0][0]), _vague(_way(one[1][0]))))
    return tuple(_row(some, built, turn) for (built, turn, _), some in for_users)


def _row(nets: Sequence[Any], built: str, turn: str) -> Row:
    way = _way(nets[0])
    if way is None:
        return _refused(nets, _refusal(nets[0], nets))
    exact: dict[str, list[Any]] = {}
    for net in nets:
        exact.setdefault(net.how[REFERENCE], []).append(net)
    each = [_named(some, _quoted(some[0].how)) for some in exact.values()]
    settings = _settings(way)
    how = _words("use", names=settings) if settings and len(exact) > 1 else way
    text = None
    if nets[0].only and kind_of(nets[0].kind).change == "default_changed":
        value = nets[0].after.partition(" if ")[0]  # what it waits for is told by the names
        text, how = _words("filled", value=value, names=_listed(nets[0].only)), _words("decide")
    return replace(
        _named(nets, how, built),
        turn=turn,
        text=text,
        exact=tuple(each) if len(exact) > 1 else (),
    )


def _vague(way: Text | None) -> int:
    """What to do names something, or nothing, or is not said."""
    named = way and ("`" in way[REFERENCE] or _QUOTE.search(way[REFERENCE]))
    return 0 if named else 1 if way else 2


def _way(net: Any) -> Text | None:
    """What to do: one of the values that a type allows, or as the report says; a field that is given a value under a condition
    is set by nobody who does not know whose it is.
    """
    if net.only and kind_of(net.kind).change == "changed":
        return _words("one_of", names=_listed(net.only))
    return _quoted(net.how) if net.how and kind_of(net.kind).family != "filled" else None


def _settings(way: Text) -> str:
    """What upstream says to set instead, where its words are longer than that: a setting, or one or the other."""
    quote = _QUOTE.match(way[REFERENCE])
    told = _INSTEAD.search(quote[0]) if quote else None
    if quote is None or told is None or _OTHER_SENSE.search(quote[0]):
        return ""
    rest = quote[0][told.end() :]
    names = dict.fromkeys(_SETTING.findall(rest))
    either = len(names) == 1 or (" or " in rest and not re.search(r" (?:with|and) ", rest))
    return " / ".join(f"`{name}`" for name in names) if either else ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _words(name: str, **values: object) -> Text:
    return {language: phrases(language)(f"upgrade.{name}", **values) for language in languages()}


def _quoted(how: Text) -> Text:
    """What upstream says to do, without saying that it says so."""
    found = {language: _QUOTE.search(text) for language, text in how.items()}
    return {
        language: quote[0] if (quote := found[language]) else _LONG_IF.sub(_briefly, how[language]) for language in how
    }


def _briefly(found: re.Match[str]) -> str:
    """The value, and what its condition names instead of all that it asks."""
    named = list(dict.fromkeys(_OF_IT.findall(found[2])))
    return f"`{found[1]} if … {', '.join(named[:FEW_NAMES])}{' …' if named else ''}`".replace(" … `", " …`")


def _sides(net: Any) -> str:
    """Another type, both sides of it: whoever is told to give a value of the new one must know which that is."""
    both = kind_of(net.kind).change == "changed" and net.before and net.after and not net.only
    turn = f"{net.before} → {net.after}" if both else ""
    return turn if len(turn) <= LONG_VALUE + len(" → ") else ""


def _refused(nets: Sequence[Any], says: str) -> Row:
    """Who is refused, by the classes that are sent or set, and with which words; or under which condition, where all of it is known."""
    if "condition" not in kind_of(nets[0].kind).traits:
        return Row(text=unplaced(nets[0].text), times=len(nets), commits=_commits(nets))
    alone = len(nets) == 1 and "._" not in nets[0].symbol and not says
    owners = dict.fromkeys(net.symbol if alone else net.symbol.partition(".")[0] for net in nets)
    names = tuple(one for one in owners if one[:1].isupper())
    turn = "" if says else _condition(nets[0])
    text = _words("refuses", text=says) if says else None if names and turn else unplaced(nets[0].text)
    return Row(names, turn, text=text, commits=_commits(nets))


def _refusal(net: Any, nets: Sequence[Any]) -> str:
    """With which words it refuses; where another file has the check, those of the same change that name what is refused."""
    if net.says or "condition" not in kind_of(net.kind).traits:
        return str(net.says)
    name = net.symbol.rpartition(".")[2]
    same = {one.says for one in nets if one.commits[-1:] == net.commits[-1:] and one.says}
    return next((says for says in same if re.search(rf"\b{re.escape(name)}\b", says)), "") if len(same) == 1 else ""


def _condition(net: Any) -> str:
    """What is asked of what was given, where nothing else is asked with it and nothing like it was asked before."""
    found = None if net.before else _ASKED.match(net.after or "")
    told = found[1].replace("self.", "") if found else ""
    return "" if "…" in told or len(told) > LONG_CONDITION else told


def _chosen(net: Any) -> tuple[str, Sequence[str]]:
    """By what it is chosen, and which names can no longer be."""
    if kind_of(net.kind).family == "registry":
        where, _, name = net.symbol.partition(":")
        return where, (name,)
    return net.symbol, lost_and_new(net)[0]


def _named(nets: Sequence[Any], how: Text | None = None, where: str = "") -> Row:
    """What is looked for in one's own files: a chosen name stands behind what it is chosen by."""
    chosen = [
        f"{where} {name}"
        for net in nets
        if surface_of(net) == CHOICES
        for where, some in (_chosen(net),)
        for name in some
    ]
    names = dict.fromkeys(chosen or filter(None, map(_open_name, nets)))
    return Row(tuple(names), how=how, where=where, commits=_commits(nets) if how else ())


def _open_name(net: Any) -> str:
    """Of who refuses inside a class, the class, and of an inner function nothing: what is told is the refusal."""
    refuses = "condition" in kind_of(net.kind).traits
    return str(net.symbol[: found.start()] if refuses and (found := _INNER.search(net.symbol)) else net.symbol)


def _commits(nets: Sequence[Any]) -> tuple[str, ...]:
    """All that took part where they are few, or else the last of each; none where many did it."""
    every, last = (dict.fromkeys(sha for net in nets for sha in net.commits[-most:]) for most in (_LINKS, 1))
    return tuple(every) if len(every) <= _LINKS else tuple(last) if len(last) <= _LINKS else ()


def _turned(nets: Sequence[Any]) -> tuple[Row, ...]:
    """What lists decide, then settings with what they were and are, then those whose sides are too long or one, in a sentence,
    then parameters.
    """
    listed: dict[tuple[str, str], list[Any]] = {}
    for net in nets:
        if kind_of(net.kind).family == LISTED:
            listed.setdefault((net.kind, net.symbol.partition(":")[0]), []).append(net)
    nets = [net for net in nets if kind_of(net.kind).family != LISTED]
    turned: dict[str, list[Any]] = {}
    for net in sorted(nets, key=lambda net: "(" in net.symbol):
        short = net.before and net.after and len(f"{net.before}{net.after}") <= LONG_VALUE
        turned.setdefault(f"{net.before} → {net.after}" if short else "", []).append(net)
    told = [Row(text=unplaced(net.text), commits=_commits((net,))) for net in turned.pop("", ())]
    rows = [
        Row(
            tuple(dict.fromkeys(net.symbol for net in some)),
            turn,
            _words("keep", value=some[0].before) if all(map(_can_be_kept, some)) else None,
            commits=_commits(some),
        )
        for turn, some in turned.items()
    ]
    rows = [*(row for row in rows if not _of_code(row)), *told, *filter(_of_code, rows)]
    lists = sorted(map(_of_list, listed.values()), key=lambda row: row.how is None)
    every = (*lists[:1], *rows, *lists[1:])
    named = () if any(not row.is_long for row in every) else tuple(net.symbol for net in nets[:FEW_NAMES])
    return (Row(named), *every) if named else every


def _can_be_kept(net: Any) -> bool:
    """Whether the old default can be written where it is set: a truth value only in a field, nothing in who calls."""
    field = kind_of(net.kind).family == "field" and net.before in ("True", "False")
    return "(" not in net.symbol and (field or _LITERAL.fullmatch(net.before) is not None)


def _of_code(row: Row) -> bool:
    """Parameters alone, which nobody sets who only runs it."""
    return all("(" in name for name in row.names)


def _of_list(nets: Sequence[Any]) -> Row:
    """All names that came to a list, or left it, in one row with the way out."""
    where, _, _ = nets[0].symbol.partition(":")
    text = _words("listed" if nets[0].after else "unlisted", list=where)
    return Row(tuple(net.symbol.partition(":")[2] for net in nets), "", nets[0].how, text=text, commits=_commits(nets))


def is_wanted(net: Any) -> bool:
    """What somebody who installs or builds an image has to bring along, in a version that is told; an extra, or what some
    module imports, is no version.
    """
    kind = kind_of(net.kind)
    asked = (
        bool(kind.requires) and kind.surface == "dependencies" and bool(net.after) and not _COMPILED.search(net.path)
    )
    return asked and _PLACE.sub("", net.after) != net.symbol and _requirement(net) != net.symbol


def _core(nets: Sequence[Any]) -> dict[str, list[Any]]:
    """Versions of what images and wheels are built on that jump on everybody's hardware, each jump with all that makes it;
    Python, CUDA and other major versions first.
    """
    found: dict[str, list[Any]] = {}
    ours = (net for net in nets if net.before and (_is_ground(net) or is_core(net.symbol)))
    for net in sorted(ours, key=lambda net: (not _is_ground(net), _figures(net.before, 1) == _figures(net.after, 1))):
        if aside_of(net.path) is None and _VERSION.search(net.after) and _jumps(net):
            bounds = (_PLACE.sub("", side).lstrip("=").partition(",") for side in (net.before, net.after))
            was, now = (first + (",…" if rest else "") for first, _, rest in bounds)
            found.setdefault(f"{was} → {now}", []).append(net)
    return found


def _is_ground(net: Any) -> bool:
    """What an environment must have before any package: its Python, its toolchain."""
    return kind_of(net.kind).family in ("python_required", "toolchain_required")


def _jumps(net: Any) -> bool:
    """It moves by more than a patch."""
    return _figures(net.before, 2) != _figures(net.after, 2)


def _figures(version: str, first: int) -> list[str]:
    found = _VERSION.search(version)
    return found[0].split(".")[:first] if found else []


def _files(nets: Sequence[Any]) -> Iterator[Row]:
    """By file, as a requirement is written: whoever runs on other hardware passes its file over."""
    files: dict[str, list[Any]] = {}
    for net in sorted(nets, key=lambda one: (one.path.count("/"), one.path)):
        files.setdefault(net.path, []).append(net)
    for path, some in sorted(files.items(), key=lambda one: -len(one[1])):
        yield Row(tuple(_requirement(net) for net in some), where=path)


def _requirement(net: Any) -> str:
    value = _PLACE.sub("", net.after)
    if re.fullmatch("[0-9a-f]{40}", value):
        return f"{net.symbol} {value[:9]}"
    if len(value) > LONG_VALUE:  # an address: the version that its file is called by
        version = _VERSION.search(value.rpartition("/")[2])
        return f"{net.symbol} {version[0]}" if version else str(net.symbol)
    return f"{net.symbol}{value if value[:1] in '=<>~!@' else f' {value}'}"
